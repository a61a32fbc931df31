"""Columns as data frames of pandas or polars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

FrameKind: TypeAlias = Literal["pandas", "polars"]
"""The libraries whose data frames are made."""

#: Columns of text; every other column that is not below holds numbers.
_TEXT = frozenset({"activity", "status", "type"})
#: Columns of small whole numbers, which may be empty; of items and legs they are seconds.
_FLAGS = frozenset({"moving"})
#: Columns of row numbers, which are never empty.
_ROWS = frozenset({"item", "leg"})
#: Columns of times in seconds on the recording's clock.
TIMES = ("t", "t_start", "t_end", "start", "end")


def check_kind(kind: str) -> FrameKind:
    """Return `kind` if there are such data frames, else raise a ValueError."""
    if kind == "pandas":
        return "pandas"
    if kind == "polars":
        return "polars"
    raise ValueError(f"expected data frames of 'pandas' or 'polars', found {kind!r}")


def build_frame(columns: Mapping[str, Any], kind: FrameKind) -> Any:
    """Return columns of values as a data frame; None and NaN are missing values."""
    flags = frozenset[str]() if "item" in columns else _FLAGS
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(
            {
                name: pd.Series(_values(values), dtype=_pandas_type(name, flags))
                for name, values in columns.items()
            }
        )
    import polars as pl

    return pl.DataFrame(
        [
            pl.Series(
                name, _values(values), _polars_type(name, flags), strict=False, nan_to_null=True
            )
            for name, values in columns.items()
        ]
    )


def _values(values: Any) -> Any:
    return values if isinstance(values, np.ndarray) else list(values)


def with_utc(frame: Any, kind: FrameKind) -> Any:
    """Return `frame` with a column `NAME_utc` of UTC datetimes after each column of times."""
    for name in [name for name in frame.columns if name in TIMES]:
        instants = utc_datetimes(frame[name].to_numpy())
        place = list(frame.columns).index(name) + 1
        if kind == "pandas":
            import pandas as pd

            frame = frame.copy()
            frame.insert(place, f"{name}_utc", pd.Series(instants).dt.tz_localize("UTC"))
        else:
            import polars as pl

            column = pl.Series(f"{name}_utc", instants).dt.replace_time_zone("UTC")
            frame = frame.clone().insert_column(place, column)
    return frame


def utc_datetimes(seconds: npt.ArrayLike) -> npt.NDArray[np.datetime64]:
    """Return seconds since 1970 as datetimes in UTC to the microsecond; NaN is NaT."""
    values = np.asarray(seconds, np.float64)
    instants = np.full(values.shape, np.datetime64("NaT", "us"))
    known = np.isfinite(values)
    # A double resolves 0.24 µs in this century.
    instants[known] = np.round(values[known] * 1e6).astype(np.int64).astype("datetime64[us]")
    return instants


def _pandas_type(name: str, flags: frozenset[str]) -> Any:
    if name in _TEXT:
        return "str"
    if name in flags:
        return "Int8"
    return "int64" if name in _ROWS else "float64"


def _polars_type(name: str, flags: frozenset[str]) -> Any:
    import polars as pl

    if name in _TEXT:
        return pl.String
    if name in flags:
        return pl.Int8
    return pl.Int64 if name in _ROWS else pl.Float64
