"""Calls the library's functions beside those of its C interface; see `native/*.swift`."""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._library import library
from .errors import LocomotionError, error_for_status

_ADDRESS = ctypes.c_void_p
_INT = ctypes.c_int32
_LONG = ctypes.c_int64
_TEXT = ctypes.c_char_p
_RECEIVER = ctypes.CFUNCTYPE(None, _TEXT, _ADDRESS, _LONG)

Bytes = npt.NDArray[np.uint8]
Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""The arrays of a recording, with the names of `RecordingReading`: see `Recording.arrays`."""

CustomClasses: TypeAlias = "Mapping[str, str | None]"
"""The activity that each custom class behaves like; None for none."""

Receiver: TypeAlias = "Callable[[str, Bytes], None]"
"""A function that takes a result: its name and its bytes."""


def command(arguments: Sequence[str]) -> int:
    """Run what follows the command's name in this process, and return its exit status."""
    words = [b"locomotion", *(os.fsencode(argument) for argument in arguments)]
    function = _function("command")
    function.argtypes = (_INT, ctypes.POINTER(_TEXT))
    return int(function(len(words), (_TEXT * len(words))(*words)))


def read(path: str | os.PathLike[str]) -> list[tuple[str, Bytes]]:
    """Read the recordings of a file or folder; see `RecordingReading` for the results."""
    return _call("read", path=os.fsencode(path))


def write(path: str | os.PathLike[str], arrays: Arrays) -> None:
    """Write a recording as tidy CSV."""
    _call("write", path=os.fsencode(path), **arrays)


class _Object:
    """An object of the library, which is freed with this one."""

    def __init__(self, name: str, **arguments: Any) -> None:
        """Call the function that makes it."""
        self._address = int(_call(name, **arguments)[0][1].view(np.uint64)[0])
        close = _function("close")
        close.restype, close.argtypes = None, (_ADDRESS,)
        weakref.finalize(self, close, self._address)


class Analysis(_Object):
    """The results of the analysis of a whole recording, each made when it is first asked for.

    `WholeAnalysis` says what they are. What is pickled is a dict of all.
    """

    _NAMES = (
        "samples", "fixes", "custom", "timeline", "track", "summary", "report", "gpx", "reading"
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        model: bytes,
        *,
        arrays: Arrays | None = None,
        jobs: int = 0,
        options: Sequence[str] = (),
    ) -> None:
        """Analyze a file or folder, by 0 threads for one per core, or else arrays of that name.

        b"" is the built-in model; `options` are those of the command about units and times.
        """
        path = os.fsencode(name) if arrays is None else name.encode(errors="replace")
        words = {"jobs": jobs, "options": os.fsencode("\n".join(options)), "model": model}
        words["is_plain"] = arrays is not None
        super().__init__("analyze", path=path, **words, **(arrays or {}))
        self._made: dict[str, Bytes] = {}

    def __getitem__(self, name: str) -> Bytes:
        if name not in self._made:
            self._made[name] = _call("result", analysis=self._address, name=name.encode())[0][1]
        return self._made[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, ({name: self[name] for name in self._NAMES},)


class Stream(_Object):
    """The analysis of recordings one after another, of which some hours are held at a time.

    Each method returns what has become final, by name: "samples", "fixes", and at the end "items";
    see `StreamedAnalysis`.
    """

    def __init__(self) -> None:
        super().__init__("stream_open")

    def append(self, arrays: Arrays, receive: Receiver) -> None:
        """Take in a recording."""
        _call("stream_append", receive, analysis=self._address, **arrays)

    def read(self, path: str | os.PathLike[str], receive: Receiver) -> None:
        """Take in a recording in any form; after an error the analysis is of no use."""
        _call("stream_read", receive, analysis=self._address, path=os.fsencode(path))

    def finish(self, receive: Receiver) -> None:
        """Take in the end; nothing can follow."""
        _call("stream_finish", receive, analysis=self._address)


def start(path: str | os.PathLike[str]) -> int:
    """Return when a recording in any form begins, ns."""
    return int(dict(_call("start", path=os.fsencode(path)))["start"].view(np.int64)[0])


def grid(
    times: npt.NDArray[np.int64], xyz: npt.NDArray[np.float32]
) -> list[tuple[int, npt.NDArray[np.float32]]]:
    """Return the stretches without gaps on the 100 Hz grid: when each starts, and (n, 3) values."""
    times, xyz = np.asarray(times, np.int64), np.asarray(xyz, np.float32)
    if xyz.size != 3 * times.size:
        raise ValueError(f"expected {3 * times.size} values, got {xyz.size}")
    results = _call("grid", times=times, xyz=xyz)
    starts = [int(value.view(np.int64)[0]) for name, value in results if name == "stretch"]
    samples = [
        value.view(np.float32).reshape(-1, 3) for name, value in results if name == "samples"
    ]
    return list(zip(starts, samples, strict=True))


def features(windows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the features of windows (n, samples, 3): one row each."""
    count, length, _ = windows.shape
    if count == 0:
        return np.empty((0, len(feature_names())), np.float32)
    results = _call("features", length=length, xyz=windows)
    return results[0][1].view(np.float32).reshape(count, -1)


@functools.cache
def feature_definitions() -> Mapping[str, str]:
    """Return the definition of each feature by its name, in the order of the columns."""
    lines = text(_call("feature_names")[0][1]).split("\n")
    return dict(line.split("\t") for line in lines)


def feature_names() -> list[str]:
    """Return the names of the features."""
    return list(feature_definitions())


def labelled_windows(
    folders: Sequence[str], custom: CustomClasses, is_altered: bool, seed: int
) -> dict[str, Any]:
    """Return the labelled windows of data sets: columns, and the texts "problems" and "report".

    `WindowTables` says what they are. Features are (n, features); a data set, a person and a
    recording are named for each window.
    """
    paths = b"\n".join(os.fsencode(folder) for folder in folders)
    words = {"custom": _classes(custom), "is_altered": is_altered, "seed": seed}
    return _windows(_call("windows", folders=paths, **words))


def labelled_recordings(folder: str) -> list[tuple[str, float]]:
    """Return the recordings of a data set with labels of activities, and their seconds."""
    lines = text(_call("labelled_recordings", folder=os.fsencode(folder))[0][1]).splitlines()
    pairs = (line.split("\t") for line in lines)
    return [(name, float(seconds)) for name, seconds in pairs]


def recording_windows(
    folder: str, recordings: Sequence[str], is_altered: bool, seed: int
) -> dict[str, Any]:
    """Return the labelled windows of some recordings of a data set, and the text "failures"."""
    words = {"recordings": "\n".join(recordings).encode(), "is_altered": is_altered, "seed": seed}
    return _windows(_call("recording_windows", folder=os.fsencode(folder), **words))


def _windows(results: list[tuple[str, Bytes]]) -> dict[str, Any]:
    """Return results as columns, a row for each window, and texts."""
    found: dict[str, Any] = dict(results)
    for name in {"problems", "report", "failures", "origins"} & found.keys():
        found[name] = text(found[name])
    rows = found.pop("recordings").view(np.int32)
    lines = [line.split("\t") for line in found.pop("origins").split("\n") if line]
    origins = np.array(lines, object).reshape(-1, 3)[rows]
    found |= zip(("dataset", "person", "recording"), origins.T, strict=True)
    found["features"] = found["features"].view(np.float32).reshape(-1, len(feature_names()))
    found["ends"], found["is_altered"] = found["ends"].view(np.int64), found["is_altered"] != 0
    return found


def fit(
    features: npt.NDArray[np.float32],
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int32] | None,
    settings: tuple[float, float, float],
    custom: CustomClasses,
) -> bytes:
    """Train a classifier, and return it as JSON; see `TrainingTable`."""
    for column in (classes, weights, groups):
        if column is not None and column.shape != features.shape[:1]:
            raise ValueError(f"expected {len(features)} values, got the shape {column.shape}")
    columns = {"features": features, "classes": classes, "weights": weights, "groups": groups}
    words = {"settings": np.array(settings, np.float64), "custom": _classes(custom)}
    return _call("fit", **columns, **words)[0][1].tobytes()


def probabilities(
    classifier: bytes, features: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Return the probabilities by a classifier: a row each, a column for each of its classes."""
    words = {"classifier": classifier, "width": features.shape[1], "features": features}
    results = _call("probabilities", **words)
    return results[0][1].view(np.float64).reshape(len(features), -1)


def model(classifier: bytes) -> bytes:
    """Return the model file of a classifier."""
    return _call("model", classifier=classifier)[0][1].tobytes()


def classifier(
    model: str | os.PathLike[str] | bytes | None,
) -> tuple[bytes, list[int], CustomClasses]:
    """Return a model file's classifier, as JSON, and its classes; None is the built-in model."""
    content = Path(model).read_bytes() if isinstance(model, (str, os.PathLike)) else model
    # To the library no bytes are the built-in model; to a caller they are an empty file.
    content = b"" if content is None else content or b"\0"
    results = dict(_call("classifier", model=content))
    custom = custom_classes(results["custom"])
    return results["classifier"].tobytes(), results["classes"].tolist(), custom


def custom_classes(value: Bytes) -> CustomClasses:
    """Return the custom classes of a result."""
    pairs = (line.split("\t") for line in text(value).splitlines())
    return {name: activity or None for name, activity in pairs}


def _classes(custom: CustomClasses) -> bytes:
    """Return the text that `CustomClasses` in native/Classifiers.swift reads."""
    return "\n".join(f"{name}\t{activity or ''}" for name, activity in custom.items()).encode()


def _array(value: bytes | int | npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an argument as the library gets it: an array, of 64 bits for a number."""
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8) if value else np.empty(0, np.uint8)
    if isinstance(value, int):
        return np.array([value], np.uint64 if value > 0 else np.int64)
    return np.ascontiguousarray(value)


def text(value: Bytes) -> str:
    """Return a result that is text."""
    return value.tobytes().decode(errors="replace")


@functools.cache
def _function(name: str) -> Any:
    try:
        function = getattr(library(), f"locomotion_python_{name}")
    except AttributeError:
        raise LocomotionError(
            f"expected a library with locomotion_python_{name}: it is that of the C interface alone"
        ) from None
    function.restype = _INT
    return function


def _call(name: str, then: Receiver | None = None, /, **arguments: Any) -> list[tuple[str, Bytes]]:
    """Call a function and return its results: names, and bytes as writable arrays.

    Arguments are bytes, numbers and arrays, and None for what is left out. With `then` the results
    are passed to it, one by one, and not returned. A status of an error is raised as its class,
    with the command's words.
    """
    results: list[tuple[str, Bytes]] = []
    failures: list[BaseException] = []

    def receive(name: bytes, address: int | None, size: int) -> None:
        # Filled in one copy, since a recording may take half of the memory.
        value = np.empty(size, np.uint8)
        if size > 0 and address is not None:
            ctypes.memmove(value.ctypes.data, address, size)
        if then is None or name == b"error":
            results.append((name.decode(), value))
            return
        try:
            then(name.decode(), value)
        except BaseException as error:
            failures.append(error)

    # Their memory stays as long as the call.
    kept = {key: _array(value) for key, value in arguments.items() if value is not None}
    names = [ctypes.create_string_buffer(key.encode()) for key in kept]
    rows = [
        (ctypes.addressof(key), values.ctypes.data, values.nbytes)
        for key, values in zip(names, kept.values(), strict=True)
    ]
    parcel = np.array(rows, np.intp)
    function = _function("call")
    function.argtypes = (_TEXT, _LONG, _ADDRESS, _RECEIVER)
    status = function(name.encode(), len(rows), parcel.ctypes.data, _RECEIVER(receive))
    if failures:
        raise failures[0]
    if status != 0:
        message = next((text(value) for key, value in results if key == "error"), "")
        raise error_for_status(status, message)
    return results
