"""``python -m locomotion`` is the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Command

SOURCES = Path(__file__).resolve().parents[3] / "Sources" / "Bindings" / "LocomotionPython" / "src"


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run ``python -m locomotion``."""
    return subprocess.run(
        [sys.executable, "-m", "locomotion", *arguments],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        **options,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize("name", ["locate", "cadence", "classify", "timeline"])
def test_rows_are_those_of_the_command(name: str, command: Command) -> None:
    executable = os.environ.get("LOCOMOTION")
    if not executable:
        pytest.skip("LOCOMOTION names no command to compare with")
    ours = run(name, str(command.recording))
    theirs = subprocess.run([executable, name, str(command.recording)], capture_output=True)
    assert ours.returncode == theirs.returncode == 0
    assert ours.stdout == theirs.stdout
    assert len(ours.stdout) > 300


def test_statuses_and_messages_are_those_of_the_command(tmp_path: Path) -> None:
    none = run("classify", str(tmp_path / "none.csv"))
    assert none.returncode == 74
    assert b"none.csv: no such file" in none.stderr
    assert run("classify").returncode == 2
    assert run("nonsense").returncode == 2
    assert run().returncode == 2
    bad = tmp_path / "bad.csv"
    bad.write_text("t,ax\n1,2\n")
    assert run("classify", str(bad)).returncode == 3
    assert run("help").returncode == 0


def test_arguments_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.csv")
    path = tmp_path / name
    path.write_text("t,ax,ay,az\n" + "".join(f"{i / 100},0,0,9.8\n" for i in range(1000)))
    found = run("cadence", str(path))
    executable = os.environ.get("LOCOMOTION")
    if executable:
        theirs = subprocess.run([executable, "cadence", str(path)], capture_output=True)
        assert (found.returncode, found.stdout) == (theirs.returncode, theirs.stdout)
    assert found.returncode == 2
    assert b"argument 2: expected valid UTF-8" in found.stderr


def test_an_interrupt_ends_the_command(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "locomotion", "record", str(tmp_path / "journal")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode is not None


def test_a_closed_pipe_is_no_error(command: Command) -> None:
    line = f"{sys.executable} -m locomotion classify {command.recording} | head -n 2"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True)
    assert found.returncode == 0
    assert found.stderr == b""
    assert found.stdout.count(b"\n") == 2
