"""Runs the `locomotion` command in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import InputOutputError, error_for_status

_PREFIX = "locomotion: "


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the `locomotion` command and wait for its end.

    The command is ``python -m locomotion`` of this interpreter and this package, or the executable
    that the environment variable ``LOCOMOTION_COMMAND`` names.

    Parameters
    ----------
    arguments : sequence of str
        What stands after the command's name, as ``["analyze", "walk.csv", "--out", "report"]``.

    Returns
    -------
    subprocess.CompletedProcess
        The exit status 0, and standard output and standard error as text.

    Raises
    ------
    UsageError, RejectedInput, InputOutputError, LocomotionError
        The command ended with the status 2, 3, 74 or any other than 0. The text is the command's
        message without ``locomotion: ``.
    """
    command, environment = _command()
    try:
        completed = subprocess.run(
            [*command, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
        )
    except OSError as error:
        raise InputOutputError(f"{command[0]}: cannot be run: {error.strerror}") from error
    if completed.returncode != 0:
        raise error_for_status(completed.returncode, _message(completed))
    return completed


def _command() -> tuple[list[str], dict[str, str]]:
    """Return the words that start the command, and its environment."""
    environment = dict(os.environ)
    executable = environment.get("LOCOMOTION_COMMAND")
    if executable:
        return [executable], environment
    # The child imports the same package as this process, wherever that was found.
    folders = [str(Path(__file__).resolve().parents[1]), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    return [sys.executable, "-m", "locomotion"], environment


def _message(completed: subprocess.CompletedProcess[str]) -> str:
    """Return the message of a command that failed."""
    lines = completed.stderr.replace("\r\n", "\n").split("\n")
    messages = [line[len(_PREFIX) :] for line in lines if line.startswith(_PREFIX)]
    if messages:
        return messages[-1]
    if completed.returncode < 0:
        try:
            name = signal.Signals(-completed.returncode).name
        except ValueError:
            name = str(-completed.returncode)
        return f"the command was ended by the signal {name}"
    said = completed.stderr.strip()
    return said or f"the command ended with the status {completed.returncode}"
