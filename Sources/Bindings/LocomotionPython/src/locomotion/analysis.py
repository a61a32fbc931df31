"""The analysis of a whole recording."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _native
from ._log import LOG, log_reading
from ._progress import ByteProgress
from .day import Day
from .errors import InputOutputError, RejectedInput, UsageError
from .frames import FrameKind, check_kind
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
    frames: FrameKind = "pandas",
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
        Whether a progress bar of tqdm is shown, by the bytes read of a file or folder. What is not
        tidy CSV is read before it is analyzed, so that it stands at its end for a while. Arrays
        have none.
    jobs : int, optional
        The number of threads for a file, from 1 to 256; one per core by default. The results are
        the same.
    model : path, optional
        A file of an activity model, as ``locomotion train``, ``locomotion journal learn`` and
        `locomotion.sklearn.ActivityClassifier.save` write it; the built-in one by default.

    Returns
    -------
    Day
        The results. Type checkers know whose data frames it has, those of pandas with
        ``pandas-stubs``.

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
    check_kind(frames)
    if jobs is not None and not 1 <= jobs <= _MOST_JOBS:
        raise UsageError(f"jobs: expected a number from 1 to {_MOST_JOBS}, found {jobs}")
    parameters = b"" if model is None else _read(model)
    started = time.monotonic()
    if isinstance(recording, (str, os.PathLike)):
        name = os.fspath(recording)
        if not isinstance(name, str):
            raise TypeError("expected a path of text, found one of bytes")
        with ByteProgress(name) if progress else nullcontext():
            results = _native.Analysis(name, parameters, jobs=jobs or 0)
    else:
        given = recording if isinstance(recording, Recording) else _measurements(recording)
        if given.start is None:
            raise RejectedInput(f"{given.name}: nothing usable: it has no measurement")
        name = given.name
        results = _native.Analysis(name, parameters, arrays=given.arrays())
    log_reading(name, _native.text(results["reading"]))
    LOG.info("%s: analyzed in %.1f s", name, time.monotonic() - started)
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
