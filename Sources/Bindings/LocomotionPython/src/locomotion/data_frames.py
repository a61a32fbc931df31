"""The answers of a pipeline as data frames of pandas and polars."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _layout
from .constants import Activity, FixStatus, ItemType, Moving, Reason, Rejection

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["to_pandas", "to_polars"]

#: The columns of cases, and the numbers that stand for none. An activity is never missing: that it
#: is unknown is an answer.
_CASES: dict[str, tuple[type[IntEnum], int | None]] = {
    "activity": (Activity, None),
    "unknown_reason": (Reason, Reason.NONE),
    "moving": (Moving, None),
    "transition": (Moving, -1),
    "status": (FixStatus, None),
    "rejection": (Rejection, Rejection.NONE),
    "type": (ItemType, None),
}
_FLAGS = frozenset({"has_fix", "has_accelerations", "is_final"})
_TIMES = frozenset({"start", "end", "time", "transition_began"})


def to_pandas(
    answers: npt.NDArray[np.void],
    *,
    datetimes: bool = False,
    custom_activities: Sequence[str] = (),
) -> pd.DataFrame:
    """Return samples, fixes or a timeline of a `Pipeline` as a data frame of pandas.

    The columns have the names and units of the array, but for those below. What is unknown is
    missing.

    - Cases are categories with the names of `locomotion.constants` in lower case: `activity`,
      `unknown_reason`, `moving`, `transition`, `status`, `rejection`, `type`. An activity may be
      ``unknown``.
    - `has_fix`, `has_accelerations` and `is_final` are bool.
    - `probabilities` is a column ``p_NAME`` for each activity.
    - Of a fix, `time` is its time, and ``fix_NAME`` what the phone said of it.
    - `custom_activity` is a number, or a category of names where `custom_activities` has them,
      with a column ``p_NAME`` of the probability of each.
    - `transition_began` is missing where nothing began.

    Parameters
    ----------
    answers : structured array
        What `Pipeline.samples`, `fixes`, `timeline`, `recording_samples` or `recording_fixes`
        returned.
    datetimes : bool, optional
        Whether times become datetimes in UTC. That is for a sensors' clock that counts from 1970;
        by default they stay int64 nanoseconds.
    custom_activities : sequence of str, optional
        The names of the model's custom activities, as ``[each.name for each in
        pipeline.custom_activities]``.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    TypeError
        `answers` is another array.

    Examples
    --------
    >>> from locomotion import Pipeline, to_pandas
    >>> samples = to_pandas(Pipeline().samples())
    >>> list(samples.columns[:3])
    ['start', 'end', 'latitude']
    """
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, values, categories in _columns(answers, custom_activities):
        if categories is not None:
            columns[name] = pd.Categorical.from_codes(values.astype(np.int64), pd.Index(categories))
        elif name in _TIMES:
            columns[name] = _pandas_times(pd, values, datetimes)
        elif isinstance(values, np.ma.MaskedArray):
            columns[name] = pd.arrays.IntegerArray(values.data, np.ma.getmaskarray(values))
        else:
            columns[name] = values
    return pd.DataFrame(columns)


def to_polars(
    answers: npt.NDArray[np.void],
    *,
    datetimes: bool = False,
    custom_activities: Sequence[str] = (),
) -> pl.DataFrame:
    """Return samples, fixes or a timeline of a `Pipeline` as a data frame of polars.

    Columns, arguments and errors are those of `to_pandas`; cases are Enums, and what is unknown is
    null.

    Returns
    -------
    polars.DataFrame
    """
    import polars as pl

    columns: list[pl.Series] = []
    for name, values, categories in _columns(answers, custom_activities):
        missing = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
        data = np.ascontiguousarray(np.ma.getdata(values))
        if categories is not None:
            names = np.array([*categories, None], object)
            series = pl.Series(name, names[data].tolist(), pl.Enum(categories))
        elif data.dtype.kind == "f":
            series = pl.Series(name, data, nan_to_null=True)
        else:
            series = pl.Series(name, data)
            if missing is not None and missing.any():
                known = pl.Series(~missing)
                series = pl.select(pl.when(known).then(series).alias(name)).to_series()
        if name in _TIMES and datetimes:
            series = series.cast(pl.Datetime("ns", "UTC"))
        columns.append(series)
    return pl.DataFrame(columns)


def _pandas_times(pd: Any, values: npt.NDArray[Any], datetimes: bool) -> Any:
    """Return nanoseconds as they are or as datetimes in UTC."""
    missing = np.ma.getmaskarray(values)
    nanoseconds = np.array(np.ma.getdata(values))
    if not datetimes:
        is_whole = not isinstance(values, np.ma.MaskedArray)
        return nanoseconds if is_whole else pd.arrays.IntegerArray(nanoseconds, missing)
    instants = nanoseconds.view("datetime64[ns]")
    instants[missing] = np.datetime64("NaT")
    return pd.Series(instants).dt.tz_localize("UTC")


def _columns(
    answers: npt.NDArray[np.void], custom: Sequence[str]
) -> list[tuple[str, npt.NDArray[Any], list[str] | None]]:
    """Return the names and values of columns; values with categories are their numbers or -1."""
    kinds = (_layout.SAMPLE, _layout.FIX_REPORT, _layout.TIMELINE_ITEM)
    if not isinstance(answers, np.ndarray) or answers.dtype not in kinds:
        raise TypeError(f"expected the answers of a pipeline, found {_called(answers)}")
    found: list[tuple[str, npt.NDArray[Any], list[str] | None]] = []
    for name in answers.dtype.names or ():
        values = answers[name]
        if name == "fix":
            found += [
                (part if part == "time" else f"fix_{part}", values[part], None)
                for part in _layout.FIX.names or ()
            ]
        elif name == "probabilities":
            found += [
                (f"p_{case.name.lower()}", values[:, case], None) for case in Activity if case >= 0
            ]
        elif name == "custom_probabilities":
            found += [(f"p_{each}", values[:, index], None) for index, each in enumerate(custom)]
        elif name == "custom_activity" and custom:
            found.append((name, values, list(custom)))
        elif name == "custom_activity":
            found.append((name, np.ma.masked_equal(values, -1, copy=False), None))
        elif name == "transition_began":
            has_begun = answers["transition"] != -1
            found.append((name, np.ma.MaskedArray(values, ~has_begun), None))
        elif name in _CASES:
            found.append((name, *_cases(values, *_CASES[name])))
        elif name in _FLAGS:
            found.append((name, values != 0, None))
        elif name != "reserved":
            found.append((name, values, None))
    return found


def _cases(
    values: npt.NDArray[np.int32], kind: type[IntEnum], none: int | None
) -> tuple[npt.NDArray[Any], list[str]]:
    """Return the places of cases among the names of their enum, -1 for `none`; and the names."""
    known = [case for case in kind if case != none]
    # The numbers of an enum start at -1 or 0, without a hole.
    places = np.full(len(known) + 2, -1, np.int8)
    for place, case in enumerate(known):
        places[case] = place
    return places[values], [case.name.lower() for case in known]


def _called(values: Any) -> str:
    if isinstance(values, np.ndarray):
        return f"an array of {values.dtype}"
    return type(values).__name__
