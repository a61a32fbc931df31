"""A pipeline of the native library, as long as it is open, and the calls that it takes."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _layout, _library
from ._tables import Columns
from .constants import ErrorCode, Form
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
        _library.check(function(model, len(model or b""), *arguments, _address(handle)))
        self._handle = int(handle[0])
        destroy = _library.library().locomotion_destroy
        # It also runs at the end of the interpreter, while the library is still there.
        self._finalizer = weakref.finalize(self, destroy, self._handle)

    @contextmanager
    def _use(self) -> Iterator[int]:
        if not self._lock.acquire(blocking=False):
            _library.check(ErrorCode.BUSY)
        try:
            if not self.is_open:
                raise ValueError("the pipeline is closed")
            yield self._handle
        finally:
            self._lock.release()

    def check(self) -> None:
        """Raise an error if it is closed or in use."""
        with self._use():
            pass

    def close(self) -> None:
        """Destroy the pipeline; nothing when it was destroyed."""
        if self.is_open:
            with self._use():
                self.is_open = False
                self._finalizer()

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that takes the pipeline, and what else it takes."""
        with self._use() as handle:
            _library.check(getattr(_library.library(), name)(handle, *arguments))

    def save(self) -> bytes:
        """Return the state."""
        state = self._stored("locomotion_save", (), np.dtype(np.uint8), 1 << 16)
        return state.tobytes()

    def counts(self) -> Answers:
        """Return what came in so far, in one element."""
        stored = np.zeros(1, _layout.COUNTS)
        self.call("locomotion_counts_so_far", _address(stored))
        return stored

    def keeps_recording(self) -> bool:
        """Return whether the recording is kept, which the library only says in an error."""
        count = np.zeros(1, np.int64)
        with self._use() as handle:
            code: int = _library.library().locomotion_recording_fixes(
                handle, Form.LIVE, None, 0, _address(count)
            )
        if code not in (ErrorCode.OK, ErrorCode.CAPACITY, ErrorCode.NOT_KEPT):
            _library.check(code)
        return code != ErrorCode.NOT_KEPT

    def custom_activities(self) -> list[tuple[str, int]]:
        """Return the names of the model's custom activities and what they are kinds of."""
        found: list[tuple[str, int]] = []
        name = ctypes.create_string_buffer(_layout.CUSTOM_NAME)
        activity = np.zeros(1, np.int32)
        with self._use() as handle:
            for index in range(_layout.CUSTOM_ACTIVITIES):
                code = _library.library().locomotion_custom_activity(
                    handle, index, ctypes.addressof(name), _address(activity)
                )
                if code == ErrorCode.ARGUMENT:
                    break
                _library.check(code)
                found.append((name.value.decode(), int(activity[0])))
        return found

    def append(
        self,
        measurements: Sequence[tuple[str, Sequence[Columns | Answers]]],
        *,
        then_process: bool = False,
    ) -> None:
        """Append the columns of sensors, and "fixes", and take them in if `then_process`."""
        with self._use() as handle:
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
        with self._use() as handle:
            while True:
                part = np.empty(capacity, dtype)
                _library.check(function(handle, _address(part), capacity, _address(stored)))
                count = int(stored[0])
                if count < capacity:
                    # A copy, as a view would keep the whole buffer.
                    parts.append(part[:count].copy())
                    return np.concatenate(parts) if len(parts) > 1 else parts[0]
                parts.append(part)
                capacity = min(2 * capacity, largest)

    def all(self, name: str, form: Form, dtype: np.dtype[np.void]) -> Answers:
        """Return all that a function stores in a form."""
        return self._stored(name, (Form(form),), dtype, 0)

    def _stored(
        self, name: str, arguments: tuple[Any, ...], dtype: np.dtype[Any], capacity: int
    ) -> npt.NDArray[Any]:
        """Return all that a function stores, in a second call where the first says how much."""
        function = getattr(_library.library(), name)
        stored = np.zeros(1, np.int64)
        with self._use() as handle:
            while True:
                found = np.empty(capacity, dtype)
                code = function(handle, *arguments, _address(found), capacity, _address(stored))
                if code != ErrorCode.CAPACITY:
                    _library.check(code)
                    return found[: int(stored[0])]
                capacity = int(stored[0])


def _words(piece: Columns | Answers) -> list[int | None]:
    """Return the addresses of columns, and their stride; or that of fixes."""
    if isinstance(piece, Columns):
        return [_address(piece.times), *map(_address, piece.values), piece.stride]
    return [_address(piece)]


def _address(array: npt.NDArray[Any]) -> int | None:
    """Return where an array is; None for one without elements, which may be anywhere."""
    # Not by __array_interface__, which describes every field of a structured array.
    return array.ctypes.data if array.size > 0 else None
