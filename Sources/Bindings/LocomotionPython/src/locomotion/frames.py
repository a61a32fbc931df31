"""Tables as data frames of pandas and polars: a pipeline's answers, and those of a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from . import _layout
from .constants import ACTIVITIES, Activity, FixStatus, ItemType, Moving, Reason, Rejection

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["FrameKind", "to_pandas", "to_polars"]

FrameKind: TypeAlias = Literal["pandas", "polars"]
"""The libraries whose data frames are made."""

Rows: TypeAlias = npt.NDArray[np.void]
Items: TypeAlias = "Sequence[Mapping[str, Any]]"

Columns: TypeAlias = "dict[str, npt.NDArray[Any]]"
"""Columns by name: numbers, texts as objects, and datetimes in UTC; NaN, None, NaT and what is
masked is missing."""


class _Cases(NamedTuple):
    """A column of categories: their places among the names, -1 for none."""

    places: npt.NDArray[Any]
    names: list[str]


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
#: Nanoseconds in a pipeline's answers.
_TIMES = frozenset({"start", "end", "time", "transition_began"})
#: Seconds in the tables of a day.
_SECONDS = frozenset({"t", "t_start", "t_end", "start", "end"})

_TOTALS = (
    "distance", "moving", "steps", "climb", "climb_sd", "descent", "descent_sd",
    "highest", "highest_sd", "lowest", "lowest_sd",
)  # fmt: skip


def to_pandas(
    answers: Rows, *, datetimes: bool = False, custom_activities: Sequence[str] = ()
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
    frame: pd.DataFrame = build_frame(_answers(answers, datetimes, custom_activities), "pandas")
    return frame


def to_polars(
    answers: Rows, *, datetimes: bool = False, custom_activities: Sequence[str] = ()
) -> pl.DataFrame:
    """Return samples, fixes or a timeline of a `Pipeline` as a data frame of polars.

    Columns, arguments and errors are those of `to_pandas`; cases are Enums, and what is unknown is
    null.

    Returns
    -------
    polars.DataFrame
    """
    frame: pl.DataFrame = build_frame(_answers(answers, datetimes, custom_activities), "polars")
    return frame


def check_kind(kind: str) -> None:
    """Raise a ValueError if there are no such data frames."""
    if kind not in get_args(FrameKind):
        raise ValueError(f"expected data frames of 'pandas' or 'polars', found {kind!r}")


def build_frame(columns: Mapping[str, npt.NDArray[Any] | _Cases], kind: FrameKind) -> Any:
    """Return columns as a data frame."""
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame({name: _pandas(pd, values) for name, values in columns.items()})
    import polars as pl

    return pl.DataFrame([_polars(pl, name, values) for name, values in columns.items()])


def _pandas(pd: Any, values: npt.NDArray[Any] | _Cases) -> Any:
    """Return what pandas makes a column of."""
    if isinstance(values, _Cases):
        return pd.Categorical.from_codes(values.places.astype(np.int64), pd.Index(values.names))
    if values.dtype.kind == "M":
        return pd.Series(values).dt.tz_localize("UTC")
    if values.dtype.kind == "O":
        return pd.Series(values, dtype="str")
    if isinstance(values, np.ma.MaskedArray):
        return pd.arrays.IntegerArray(np.array(values.data), np.ma.getmaskarray(values))
    return values


def _polars(pl: Any, name: str, values: npt.NDArray[Any] | _Cases) -> Any:
    """Return a series of polars."""
    if isinstance(values, _Cases):
        names = np.array([*values.names, None], object)
        return pl.Series(name, names[values.places].tolist(), pl.Enum(values.names))
    data = np.ascontiguousarray(np.ma.getdata(values))
    if data.dtype.kind == "M":
        return pl.Series(name, data).dt.replace_time_zone("UTC")
    if data.dtype.kind == "O":
        return pl.Series(name, data.tolist(), pl.String)
    series = pl.Series(name, data, nan_to_null=True)
    if not np.ma.is_masked(values):
        return series
    known = pl.Series(~np.ma.getmaskarray(values))
    return pl.select(pl.when(known).then(series).alias(name)).to_series()


# The answers of a pipeline


def _answers(
    answers: Rows, datetimes: bool, custom: Sequence[str]
) -> dict[str, npt.NDArray[Any] | _Cases]:
    """Return the columns of a pipeline's answers."""
    kinds = (_layout.SAMPLE, _layout.FIX_REPORT, _layout.TIMELINE_ITEM)
    if not isinstance(answers, np.ndarray) or answers.dtype not in kinds:
        is_array = isinstance(answers, np.ndarray)
        called = f"an array of {answers.dtype}" if is_array else type(answers).__name__
        raise TypeError(f"expected the answers of a pipeline, found {called}")
    found: dict[str, npt.NDArray[Any] | _Cases] = {}
    for name in answers.dtype.names or ():
        values = answers[name]
        if name == "fix":
            parts = _layout.FIX.names or ()
            found |= {part if part == "time" else f"fix_{part}": values[part] for part in parts}
        elif name == "probabilities":
            found |= {f"p_{each}": values[:, index] for index, each in enumerate(ACTIVITIES)}
        elif name == "custom_probabilities":
            found |= {f"p_{each}": values[:, index] for index, each in enumerate(custom)}
        elif name == "custom_activity":
            is_named = _Cases(values, list(custom))
            found[name] = is_named if custom else np.ma.masked_equal(values, -1, copy=False)
        elif name == "transition_began":
            found[name] = np.ma.MaskedArray(values, answers["transition"] == -1)
        elif name in _CASES:
            found[name] = _cases(values, *_CASES[name])
        elif name != "reserved":
            found[name] = values != 0 if name in _FLAGS else values
    return found | {name: _instants(found[name]) for name in _TIMES & found.keys() if datetimes}


def _cases(values: npt.NDArray[np.int32], kind: type[IntEnum], none: int | None) -> _Cases:
    """Return the places of cases among the names of their enum, -1 for `none`."""
    known = [case for case in kind if case != none]
    places = np.where(values == none, -1, np.searchsorted(known, values))
    return _Cases(places, [case.name.lower() for case in known])


def _instants(nanoseconds: Any) -> npt.NDArray[np.datetime64]:
    """Return nanoseconds since 1970 as datetimes."""
    instants = np.array(np.ma.getdata(nanoseconds)).view("datetime64[ns]")
    instants[np.ma.getmaskarray(nanoseconds)] = np.datetime64("NaT")
    return instants


# The tables of a day: the columns and values that the command prints


def fixes(rows: Rows) -> Columns:
    """Return the columns of ``locomotion locate``."""
    is_moving = (rows["moving"] == Moving.MOVING).astype(np.int8)
    return {
        "t": _seconds(rows["fix"]["time"]),
        "lat": _rounded(rows["latitude"], 8),
        "lon": _rounded(rows["longitude"], 8),
        "radius68": _rounded(rows["radius68"], 2),
        "speed": _rounded(rows["speed"], 3),
        "speed_sd": _rounded(rows["speed_deviation"], 3),
        "course": _rounded(np.where(rows["course"] >= 359.95, 0, rows["course"]), 1),
        "p_stationary": _rounded(1 - rows["moving_probability"], 4),
        "moving": np.ma.MaskedArray(is_moving, rows["moving"] == Moving.UNCERTAIN),
        "status": _names([status.name.lower() for status in FixStatus], rows["status"]),
        "alt": _rounded(rows["altitude"], 2),
        "alt_sd": _rounded(rows["altitude_deviation"], 2),
    }


def cadence(rows: Rows) -> Columns:
    """Return the columns of ``locomotion cadence``; `rows` are the seconds with accelerations."""
    return {
        "t_start": _seconds(rows["start"]),
        "t_end": _seconds(rows["end"]),
        "cadence": _rounded(rows["cadence"], 2),
        "confidence": _rounded(rows["cadence_confidence"], 4),
        "steps": _rounded(rows["steps"], 3),
    }


def samples(rows: Rows, custom: Mapping[str, str | None]) -> Columns:
    """Return the columns of ``locomotion classify`` with those of `cadence`.

    `custom` are the model's custom activities, and what each behaves like.
    """
    probabilities = _rounded(rows["probabilities"], 5)
    found = cadence(rows)
    columns = {"t_start": found["t_start"], "t_end": found["t_end"]}
    columns["activity"] = _names([*ACTIVITIES, "unknown"], rows["activity"])
    columns |= {f"p_{name}": probabilities[:, code] for code, name in enumerate(ACTIVITIES)}
    if custom:
        columns["custom"] = _names([*custom, None], rows["custom_activity"])
    for code, (name, like) in enumerate(custom.items()):
        whole = rows["probabilities"][:, ACTIVITIES.index(like)] if like else 1
        columns[f"p_{name}"] = _rounded(rows["custom_probabilities"][:, code] * whole, 5)
    return columns | found


def steps(rows: Rows) -> Columns:
    """Return the sums over the minutes of the clock of `cadence`."""
    seconds = cadence(rows)
    minutes, places = np.unique(np.floor(seconds["t_start"] / 60), return_inverse=True)

    def totals(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        # The command prints thousandths. NumPy counts nothing in integers.
        return np.asarray(np.round(np.bincount(places, values, len(minutes)), 3), np.float64)

    return {
        "t_start": minutes * 60,
        "t_end": minutes * 60 + 60,
        "steps": totals(seconds["steps"]),
        "seconds": totals(seconds["t_end"] - seconds["t_start"]),
    }


def timeline(items: Items) -> Columns:
    """Return the columns of the items of a timeline."""
    places = ("lat", "lon", "radius", "start_sd", "end_sd", "observed")
    return (
        {"item": np.arange(len(items)), "type": _texts(items, "type")}
        | _spans(items)
        | {name: _numbers(items, name) for name in places}
        | {"activity": _texts(items, "activity")}
        | {name: _numbers(items, name) for name in (*_TOTALS, "distance_sd")}
    )


def legs(items: Items, has_custom: bool) -> Columns:
    """Return the columns of the legs of trips, with custom activities if the model has any."""
    found = [leg for item in items for leg in item.get("legs", ())]
    counts = [len(item.get("legs", ())) for item in items]
    numbers = [number for count in counts for number in range(count)]
    texts = ("activity", "custom_activity") if has_custom else ("activity",)
    return (
        {"item": np.repeat(np.arange(len(items)), counts), "leg": np.array(numbers, np.int64)}
        | _spans(found)
        | {name: _texts(found, name) for name in texts}
        | {name: _numbers(found, name) for name in ("probability", *_TOTALS)}
    )


def with_utc(columns: Columns) -> Columns:
    """Return columns with a column ``NAME_utc`` of datetimes after each column of seconds."""
    found: Columns = {}
    for name, values in columns.items():
        found[name] = values
        if name in _SECONDS:
            found[f"{name}_utc"] = utc_datetimes(values)
    return found


def utc_datetimes(seconds: npt.ArrayLike) -> npt.NDArray[np.datetime64]:
    """Return seconds since 1970 as datetimes in UTC to the microsecond; NaN is NaT."""
    values = np.asarray(seconds, np.float64)
    instants = np.full(values.shape, np.datetime64("NaT", "us"))
    known = np.isfinite(values)
    # A double resolves 0.24 µs in this century.
    instants[known] = np.round(values[known] * 1e6).astype(np.int64).astype("datetime64[us]")
    return instants


def _rounded(values: npt.NDArray[Any], decimals: int) -> npt.NDArray[np.float64]:
    """Round as the command does when it prints: halves away from zero, and no negative zero."""
    scaled = values.astype(np.float64) * 10**decimals
    whole = np.floor(np.abs(scaled))
    whole += np.abs(scaled) - whole >= 0.5
    return np.asarray(np.where(whole == 0, 0.0, np.copysign(whole, scaled) / 10**decimals))


def _seconds(times: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    # Of integers Python's quotient is the nearest number; a double has no room for all of them.
    return np.array([time / 1_000_000_000 for time in times.tolist()], np.float64)


def _names(names: Sequence[str | None], numbers: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return names by their numbers, −1 for the last one."""
    return np.array(names, object)[numbers]


def _numbers(rows: Items, name: str) -> npt.NDArray[np.float64]:
    return np.array([row.get(name) for row in rows], np.float64)


def _texts(rows: Items, name: str) -> npt.NDArray[Any]:
    return np.array([row.get(name) for row in rows], object)


def _spans(rows: Items) -> Columns:
    starts, ends = _numbers(rows, "start"), _numbers(rows, "end")
    return {"start": starts, "end": ends, "duration": np.round(ends - starts, 3)}
