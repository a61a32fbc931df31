"""What the `locomotion` command and the functions of this package raise."""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = [
    "InputOutputError",
    "LocomotionError",
    "RejectedInput",
    "UsageError",
    "error_for_status",
]


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


_CLASSES: dict[int, type[LocomotionError]] = {
    error._default_status: error for error in (UsageError, RejectedInput, InputOutputError)
}


def error_for_status(status: int, message: str) -> LocomotionError:
    """Return the error that stands for an exit status of the command.

    Parameters
    ----------
    status : int
        The exit status, not 0.
    message : str
        What is wrong.

    Returns
    -------
    LocomotionError
        A `UsageError` for 2, `RejectedInput` for 3, `InputOutputError` for 74, else a
        `LocomotionError`. It is not raised.
    """
    return _CLASSES.get(status, LocomotionError)(message, status)
