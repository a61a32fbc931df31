"""The analysis of a whole recording."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _frames, _native
from .day import Day
from .errors import InputOutputError, RejectedInput, UsageError
from .recording import Recording

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["analyze"]

_MOST_JOBS = 256


@overload
def analyze(
    recording: Any,
    *,
    frames: Literal["pandas"] = "pandas",
    progress: bool = False,
    jobs: int | None = None,
    model: str | os.PathLike[str] | None = None,
) -> Day[pd.DataFrame]: ...


@overload
def analyze(
    recording: Any,
    *,
    frames: Literal["polars"],
    progress: bool = False,
    jobs: int | None = None,
    model: str | os.PathLike[str] | None = None,
) -> Day[pl.DataFrame]: ...


def analyze(
    recording: Any,
    *,
    frames: _frames.FrameKind = "pandas",
    progress: bool = False,
    jobs: int | None = None,
    model: str | os.PathLike[str] | None = None,
) -> Day[Any]:
    """Analyze a whole recording: locations, cadence, activities, stays and trips.

    The results are those of ``locomotion analyze``.

    Parameters
    ----------
    recording : path, Recording, mapping or table
        A file, folder or zip file in any format that the command reads; a `Recording`; or arrays
        and data frames, as `Recording.of` takes them: by the names of the sensors, or a table with
        a column ``time``.
    frames : {"pandas", "polars"}, optional
        The library of the data frames. It is imported when the first one is read.
    progress : bool, optional
        Whether a progress bar of tqdm is shown.
    jobs : int, optional
        The number of threads for a file, from 1 to 256; one per core by default. The results are
        the same.
    model : path, optional
        A file of an activity model, as ``locomotion train``, ``locomotion journal learn`` and
        `locomotion.sklearn.ActivityClassifier.save` write it; the built-in one by default.

    Returns
    -------
    Day
        The results.

    Raises
    ------
    RejectedInput
        The recording cannot be used, as one without a row; or the model isn't one.
    InputOutputError
        The recording, or the model, cannot be read.
    UsageError
        `jobs` is no such number.
    TypeError
        `recording` is something else.
    ValueError
        `frames` is another word; or columns are missing, or do not belong together.
    """
    _frames.check_kind(frames)
    if jobs is not None and not 1 <= jobs <= _MOST_JOBS:
        raise UsageError(f"jobs: expected a number from 1 to {_MOST_JOBS}, found {jobs}")
    parameters = b"" if model is None else _read(model)
    with _Progress(progress) as advance:
        if isinstance(recording, (str, os.PathLike)):
            path = os.fspath(recording)
            if not isinstance(path, str):
                raise TypeError("expected a path of text, found one of bytes")
            advance()
            results = _native.analyze(path, jobs or 0, parameters)
        else:
            given = recording if isinstance(recording, Recording) else _measurements(recording)
            if given.start is None:
                raise RejectedInput(f"{given.name}: nothing usable: it has no measurement")
            advance()
            results = _native.analyze_arrays(given.name, parameters, given.arrays())
        advance()
    return Day(results, frames=frames)


def _read(model: str | os.PathLike[str]) -> bytes:
    try:
        content = Path(model).read_bytes()
    except OSError as error:
        raise InputOutputError(f"{os.fspath(model)}: {error.strerror}") from error
    if not content:
        raise RejectedInput(f"{os.fspath(model)}: not a model file: it is empty")
    return content


def _measurements(given: Any) -> Recording:
    try:
        return Recording.of(given)
    except TypeError as error:
        raise TypeError(
            f"expected a path, a Recording, a mapping of sensors or a table: {error}"
        ) from error


class _Progress:
    """A progress bar over the two stages of an analysis, or nothing."""

    def __init__(self, is_shown: bool) -> None:
        self._bar: Any = None
        if is_shown:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=2, desc="locomotion analyze", unit="stage")

    def __enter__(self) -> Callable[[], None]:
        return self._advance

    def _advance(self) -> None:
        if self._bar is not None:
            self._bar.update()

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
