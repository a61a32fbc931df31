"""A pipeline of the native library, as long as it is open, and the calls that it takes."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _library
from ._tables import Columns
from .constants import ErrorCode
from .errors import ModelError

Answers: TypeAlias = npt.NDArray[np.void]

#: The most elements that the library takes in one call.
_LARGEST_COUNT = 1 << 28
#: The rows that are asked for at once: one that is polled each second has one, a long batch many.
_POLLED = (64, 1 << 14)


class Session:
    """A handle of the library, which is destroyed with this object.

    Every method raises a ValueError when it is closed, and a PipelineError (BUSY) while another
    thread uses it: one method may make several calls, which no other thread may come between.
    """

    def __init__(self, name: str, model: bytes | None, *arguments: Any) -> None:
        """Call the function that creates it, of a model and other arguments."""
        if model is not None and not model:
            # To the library no bytes are the built-in model; to a caller they are an empty file.
            raise ModelError("no model file: it is empty", ErrorCode.MODEL)
        self.model = model
        self.is_open = True
        self._lock = threading.Lock()
        handle = np.zeros(1, np.uint64)
        function = getattr(_library.library(), name)
        _library.check(function(model, len(model or b""), *arguments, address(handle)))
        self._handle = int(handle[0])
        destroy = _library.library().locomotion_destroy
        # It also runs at the end of the interpreter, while the library is still there.
        self._finalizer = weakref.finalize(self, destroy, self._handle)

    @contextmanager
    def use(self) -> Iterator[int]:
        """Give the handle, which no other thread can use meanwhile."""
        if not self._lock.acquire(blocking=False):
            _library.check(ErrorCode.BUSY)
        try:
            if not self.is_open:
                raise ValueError("the pipeline is closed")
            yield self._handle
        finally:
            self._lock.release()

    def close(self) -> None:
        """Destroy the pipeline; nothing when it was destroyed."""
        if self.is_open:
            with self.use():
                self.is_open = False
                self._finalizer()

    def call(self, name: str, *arguments: Any, allowed: Container[int] = ()) -> int:
        """Call a function that takes the pipeline; return its code, 0 or an allowed error."""
        with self.use() as handle:
            code: int = getattr(_library.library(), name)(handle, *arguments)
        if code not in allowed:
            _library.check(code)
        return code

    def append(
        self,
        measurements: Sequence[tuple[str, Sequence[Columns | Answers]]],
        *,
        then_process: bool = False,
    ) -> None:
        """Append the columns of sensors, and "fixes", and take them in if `then_process`."""
        with self.use() as handle:
            for name, parts in measurements:
                function = getattr(_library.library(), f"locomotion_append_{name}")
                for part in parts:
                    for start in range(0, len(part), _LARGEST_COUNT):
                        piece = part[start : start + _LARGEST_COUNT]
                        _library.check(function(handle, len(piece), *_words(piece)))
            if then_process:
                _library.check(_library.library().locomotion_process(handle))

    def poll(self, name: str, dtype: np.dtype[np.void]) -> Answers:
        """Return all that a function moves out of the pipeline."""
        function = getattr(_library.library(), name)
        capacity, largest = _POLLED
        parts: list[Answers] = []
        stored = np.zeros(1, np.int64)
        with self.use() as handle:
            while True:
                part = np.empty(capacity, dtype)
                _library.check(function(handle, address(part), capacity, address(stored)))
                count = int(stored[0])
                if count < capacity:
                    # A copy, as a view would keep the whole buffer.
                    parts.append(part[:count].copy())
                    return np.concatenate(parts) if len(parts) > 1 else parts[0]
                parts.append(part)
                capacity = min(2 * capacity, largest)

    def stored(
        self, name: str, *arguments: Any, dtype: npt.DTypeLike, capacity: int = 0
    ) -> npt.NDArray[Any]:
        """Return all that a function stores, in a second call where the first says how much."""
        function = getattr(_library.library(), name)
        stored = np.zeros(1, np.int64)
        with self.use() as handle:
            while True:
                found = np.empty(capacity, dtype)
                code = function(handle, *arguments, address(found), capacity, address(stored))
                if code != ErrorCode.CAPACITY:
                    _library.check(code)
                    return found[: int(stored[0])]
                capacity = int(stored[0])


def _words(piece: Columns | Answers) -> list[int | None]:
    """Return the addresses of columns, and their stride; or that of fixes."""
    if isinstance(piece, Columns):
        return [address(piece.times), *map(address, piece.values), piece.stride]
    return [address(piece)]


def address(array: npt.NDArray[Any]) -> int | None:
    """Return where an array is; None for one without elements, which may be anywhere."""
    # Not by __array_interface__, which describes every field of a structured array.
    return array.ctypes.data if array.size > 0 else None
