"""What the `locomotion` command, the library and the functions of this package raise."""

from __future__ import annotations

from typing import Any, ClassVar

from .constants import ErrorCode

__all__ = [
    "InputOutputError", "LocomotionError", "ModelError", "PipelineError", "RejectedInput",
    "StateError", "UsageError",
]  # fmt: skip


class LocomotionError(Exception):
    """A computation that ended with an error.

    Parameters
    ----------
    message : str
        What is wrong, and where; the command's own words. It is ``str(error)``.
    status : int, optional
        The exit status of the command: 1 failed, 2 usage, 3 input rejected, 74 reading or writing
        failed; negative for the number of the signal that ended it. The default is that of the
        class.
    """

    _default_status: ClassVar[int] = 1

    status: int
    """The exit status of the command."""

    def __init__(self, message: str, status: int | None = None) -> None:
        # One argument only: OSError takes two for a number and a text of errno.
        super().__init__(message)
        self.status = self._default_status if status is None else status

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither Exception nor OSError knows of the status.
        return (type(self), (str(self), self.status), self.__dict__)


class UsageError(LocomotionError, ValueError):
    """An argument or an option that the command does not know or cannot use (status 2)."""

    _default_status = 2


class RejectedInput(LocomotionError, ValueError):
    """An input that was read and refused, as a file without a usable row (status 3)."""

    _default_status = 3


class InputOutputError(LocomotionError, OSError):
    """A file that could not be read or written (status 74); ``errno`` is None."""

    _default_status = 74


class PipelineError(LocomotionError):
    """A call of the native library that ended with an error; the status is 1.

    A call that fails changes nothing in the pipeline.

    Parameters
    ----------
    message : str
        What is wrong; the library's own words. It is ``str(error)``.
    code : ErrorCode
        The number of the error, as ``ErrorCode.BUSY``.
    """

    code: ErrorCode
    """The number of the error."""

    def __init__(self, message: str, code: ErrorCode | int) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.code), self.__dict__)


class ModelError(PipelineError, ValueError):
    """Bytes that are no model of this version of the library (MODEL, MODEL_VERSION)."""


class StateError(PipelineError, ValueError):
    """Bytes from which no pipeline can be restored (STATE, STATE_VERSION, STATE_MODEL)."""


def error_for_status(status: int, message: str) -> LocomotionError:
    """Return the error for an exit status of the command, not 0, of the class that has it."""
    kinds = (UsageError, RejectedInput, InputOutputError)
    kind = next((kind for kind in kinds if kind._default_status == status), LocomotionError)
    return kind(message, status)


def error_for_code(code: int, message: str) -> LocomotionError:
    """Return the error for one of the library, not 0; `ErrorCode` may lack it."""
    try:
        known = ErrorCode(code)
    except ValueError:
        return LocomotionError(f"{message} ({code})")
    kinds = {"MODEL": ModelError, "STATE": StateError}
    return kinds.get(known.name.partition("_")[0], PipelineError)(message, known)
