"""Loads the native library and declares its functions."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

from ._layout import ABI_VERSION, FUNCTIONS
from .errors import InputOutputError, LocomotionError, error_for_code

_FILE = "liblocomotion-python.so"


@functools.cache
def library() -> ctypes.CDLL:
    """Return the native library, which is loaded once.

    It is the file that the environment variable ``LOCOMOTION_LIBRARY`` names, or else
    ``liblocomotion-python.so`` beside this module. Its functions run without the global
    interpreter lock.

    Raises
    ------
    InputOutputError
        It cannot be loaded.
    LocomotionError
        It is another library, or has another version of the interface.
    """
    named = os.environ.get("LOCOMOTION_LIBRARY")
    return load(named if named else str(Path(__file__).resolve().with_name(_FILE)))


def load(path: str) -> ctypes.CDLL:
    """Return the library of a file, with the types of its functions; see `library`."""
    try:
        # A name without a folder would be searched for where the system's libraries are.
        loaded = ctypes.CDLL(os.path.abspath(path))
    except OSError as error:
        # dlopen names the file.
        raise InputOutputError(f"the library cannot be loaded: {error}") from error
    for name, (result, *arguments) in FUNCTIONS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise LocomotionError(f"{path}: expected the function {name}, found none") from None
        function.restype = result
        function.argtypes = arguments
        if name == "locomotion_abi_version" and (found := function()) != ABI_VERSION:
            raise LocomotionError(
                f"{path}: expected version {ABI_VERSION} of the interface, found {found}"
            )
    return loaded


def check(code: int) -> None:
    """Raise the `PipelineError` that the library returned as `code`; nothing for 0."""
    if code != 0:
        text: bytes = library().locomotion_error_text(code)
        raise error_for_code(code, text.decode())
