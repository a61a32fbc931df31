"""Errors: their classes, texts and statuses, also after pickling, and those of the command."""

from __future__ import annotations

import copy
import pickle
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
    words = [sys.executable, "-m", "locomotion", "timeline", path]
    own = subprocess.run(words, capture_output=True, encoding="utf-8")
    with pytest.raises(RejectedInput) as caught:
        locomotion.analyze(path)
    assert own.returncode == 3
    assert own.stderr == f"locomotion: {caught.value}\n"
