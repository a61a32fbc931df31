"""Loads the native library and declares its functions."""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

from .errors import InputOutputError, LocomotionError, error_for_code

ABI_VERSION = 1
"""The version of the interface that this package was written for."""

_FILE = "liblocomotion-python.so"

# Addresses are plain numbers, as NumPy gives them; ctypes would make an object of each pointer.
_ADDRESS = ctypes.c_void_p
_INT = ctypes.c_int32
_LONG = ctypes.c_int64
_PIPELINE = ctypes.c_uint64
_TEXT = ctypes.c_char_p

_AXES = (_PIPELINE, _LONG, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS, _LONG)
_POLL = (_PIPELINE, _ADDRESS, _LONG, _ADDRESS)
_OF_FORM = (_PIPELINE, _INT, _ADDRESS, _LONG, _ADDRESS)

#: The result of each function of the header, and its arguments.
FUNCTIONS = {
    "locomotion_abi_version": (_INT, ()),
    "locomotion_error_text": (_TEXT, (_INT,)),
    "locomotion_activity_name": (_TEXT, (_INT,)),
    "locomotion_create": (_INT, (_ADDRESS, _LONG, ctypes.c_uint32, _ADDRESS)),
    "locomotion_destroy": (_INT, (_PIPELINE,)),
    "locomotion_reset": (_INT, (_PIPELINE,)),
    "locomotion_custom_activity": (_INT, (_PIPELINE, _INT, _ADDRESS, _ADDRESS)),
    "locomotion_append_accelerations": (_INT, _AXES),
    "locomotion_append_rotation_rates": (_INT, _AXES),
    "locomotion_append_pressures": (_INT, (_PIPELINE, _LONG, _ADDRESS, _ADDRESS, _LONG)),
    "locomotion_append_fixes": (_INT, (_PIPELINE, _LONG, _ADDRESS)),
    "locomotion_process": (_INT, (_PIPELINE,)),
    "locomotion_finish": (_INT, (_PIPELINE,)),
    "locomotion_poll_samples": (_INT, _POLL),
    "locomotion_poll_fixes": (_INT, _POLL),
    "locomotion_timeline": (_INT, _OF_FORM),
    "locomotion_counts_so_far": (_INT, (_PIPELINE, _ADDRESS)),
    "locomotion_recording_samples": (_INT, _OF_FORM),
    "locomotion_recording_fixes": (_INT, _OF_FORM),
    "locomotion_save": (_INT, _POLL),
    "locomotion_restore": (_INT, (_ADDRESS, _LONG, _ADDRESS, _LONG, _ADDRESS)),
}


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
    for name, (result, arguments) in FUNCTIONS.items():
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
    """Raise the error that the library returned as `code`; nothing for 0.

    Raises
    ------
    PipelineError
        With the library's text, or one of its subclasses.
    """
    if code != 0:
        text: bytes = library().locomotion_error_text(code)
        raise error_for_code(code, text.decode())
