"""Errors: their classes, texts and statuses, also after pickling, and those of the command."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import locomotion
from locomotion import (
    ErrorCode,
    InputOutputError,
    LocomotionError,
    ModelError,
    PipelineError,
    RejectedInput,
    StateError,
    UsageError,
    _command,
)
from locomotion.errors import error_for_code, error_for_status

CLASSES = [
    (LocomotionError, 1, Exception),
    (UsageError, 2, ValueError),
    (RejectedInput, 3, ValueError),
    (InputOutputError, 74, OSError),
]


@pytest.mark.parametrize(("kind", "status", "base"), CLASSES)
def test_class_has_text_status_and_bases(
    kind: type[LocomotionError], status: int, base: type[Exception]
) -> None:
    error = kind("walk.csv:7: expected a number")
    assert str(error) == "walk.csv:7: expected a number"
    assert error.args == ("walk.csv:7: expected a number",)
    assert error.status == status
    assert isinstance(error, LocomotionError)
    assert isinstance(error, base)
    assert kind("other", 9).status == 9


@pytest.mark.parametrize(("kind", "status", "base"), CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_error_keeps_text_status_and_attributes(
    kind: type[LocomotionError], status: int, base: type[Exception], protocol: int
) -> None:
    error = kind("no room", status + 100)
    error.recording = "walk.csv"  # type: ignore[attr-defined]
    for other in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert type(other) is kind
        assert str(other) == "no room"
        assert other.status == status + 100
        assert vars(other)["recording"] == "walk.csv"


@pytest.mark.parametrize(("kind", "status", "base"), CLASSES)
def test_status_of_the_command_has_its_class(
    kind: type[LocomotionError], status: int, base: type[Exception]
) -> None:
    error = error_for_status(status, "text")
    assert (type(error), str(error), error.status) == (kind, "text", status)


def test_other_status_is_kept() -> None:
    error = error_for_status(-9, "killed")
    assert type(error) is LocomotionError
    assert error.status == -9


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (ErrorCode.BUSY, PipelineError),
        (ErrorCode.FINISHED, PipelineError),
        (ErrorCode.MODEL, ModelError),
        (ErrorCode.MODEL_VERSION, ModelError),
        (ErrorCode.STATE, StateError),
        (ErrorCode.STATE_VERSION, StateError),
        (ErrorCode.STATE_MODEL, StateError),
    ],
)
def test_error_of_the_library_keeps_its_code(code: ErrorCode, kind: type[PipelineError]) -> None:
    error = error_for_code(int(code), "text")
    error.phone = "of Ann"  # type: ignore[attr-defined]
    for other in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is kind
        assert (str(other), other.code, other.status) == ("text", code, 1)
        assert isinstance(other, ValueError) == (kind is not PipelineError)
        assert vars(other)["phone"] == "of Ann"


def test_unknown_code_of_the_library_is_kept_in_the_text() -> None:
    error = error_for_code(99, "unknown error")
    assert type(error) is LocomotionError
    assert str(error) == "unknown error (99)"


def test_input_output_error_has_no_number_of_errno() -> None:
    error = InputOutputError("disk: full", 74)
    assert error.errno is None
    assert error.filename is None


def test_recording_without_rows_is_rejected(write: Callable[[str, str], str]) -> None:
    path = write("empty.csv", "t,ax,ay,az\n")
    with pytest.raises(RejectedInput) as caught:
        locomotion.analyze(path)
    assert str(caught.value) == f"{path}: nothing usable: no row below the header"
    assert caught.value.status == 3


def test_missing_recording_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught:
        locomotion.analyze(tmp_path / "nowhere.csv")
    assert type(caught.value) is InputOutputError
    assert str(caught.value) == f"{tmp_path / 'nowhere.csv'}: no such file"


def test_message_is_that_of_the_command_itself(write: Callable[[str, str], str]) -> None:
    path = write("bad.csv", "t,ax,ay,az\n0,1,2\n")
    words, environment = _command._command()
    own = subprocess.run(
        [*words, "timeline", path], capture_output=True, encoding="utf-8", env=environment
    )
    with pytest.raises(RejectedInput) as caught:
        locomotion.analyze(path)
    assert own.returncode == 3
    assert own.stderr == f"locomotion: {caught.value}\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that makes a Python program the command."""

    def program(text: str) -> None:
        path = tmp_path / "program"
        path.write_text(f"#!{sys.executable}\n{text}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("LOCOMOTION_COMMAND", str(path))

    return program


def test_run_returns_what_was_printed(program: Callable[[str], None]) -> None:
    program("import sys; print('rows', sys.argv[1:]); print('said', file=sys.stderr)")
    completed = _command.run(["locate", "a b.csv"])
    assert completed.stdout == "rows ['locate', 'a b.csv']\n"
    assert completed.stderr == "said\n"


def test_only_the_message_is_kept_of_what_the_command_said(program: Callable[[str], None]) -> None:
    program("import sys; sys.stderr.write('reading\\nlocomotion: a: b\\u2028c\\n'); sys.exit(3)")
    with pytest.raises(RejectedInput) as caught:
        _command.run([])
    assert str(caught.value) == "a: b\u2028c"


def test_command_that_says_nothing_gets_a_text(program: Callable[[str], None]) -> None:
    program("raise SystemExit(5)")
    with pytest.raises(LocomotionError, match=r"^the command ended with the status 5$") as caught:
        _command.run([])
    assert caught.value.status == 5


def test_words_without_prefix_are_kept(program: Callable[[str], None]) -> None:
    program("raise SystemExit('no library\\nfound')")
    with pytest.raises(LocomotionError) as caught:
        _command.run([])
    assert str(caught.value) == "no library\nfound"


def test_killed_command_names_the_signal(program: Callable[[str], None]) -> None:
    program(f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})")
    with pytest.raises(LocomotionError, match="ended by the signal SIGKILL") as caught:
        _command.run([])
    assert caught.value.status == -signal.SIGKILL


def test_missing_command_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCOMOTION_COMMAND", "/nowhere/locomotion")
    with pytest.raises(InputOutputError, match=r"^/nowhere/locomotion: cannot be run: No such"):
        _command.run([])


def test_without_the_variable_the_module_of_this_package_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LOCOMOTION_COMMAND", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    words, environment = _command._command()
    assert words == [sys.executable, "-m", "locomotion"]
    package = Path(locomotion.__file__).resolve().parent
    assert environment["PYTHONPATH"] == f"{package.parent}{os.pathsep}{tmp_path}"
