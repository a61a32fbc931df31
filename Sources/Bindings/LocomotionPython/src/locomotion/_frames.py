"""The tables of the command as arrays and as data frames of pandas or polars."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

FrameKind: TypeAlias = Literal["pandas", "polars"]
"""The libraries whose data frames are made."""

Floats: TypeAlias = npt.NDArray[np.float64]

#: Columns of text; every other column that is not below holds numbers.
_TEXT = frozenset({"activity", "custom", "custom_activity", "status", "type"})
#: Columns of small whole numbers, which may be empty.
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


def read_columns(path: str, names: Sequence[str]) -> dict[str, Floats]:
    """Return the numeric columns `names` of a CSV file; NaN where a field is empty."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        places = [header.index(name) for name in names]
        values: list[list[float]] = [[] for _ in names]
        for row in rows:
            for column, place in zip(values, places, strict=True):
                column.append(float(row[place] or "nan"))
    return {name: np.array(column, np.float64) for name, column in zip(names, values, strict=True)}


def read_frame(path: str, kind: FrameKind) -> Any:
    """Return a CSV file as a data frame; an empty field is a missing value."""
    with open(path, encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    if kind == "pandas":
        import pandas as pd

        # Until pandas 3.1 the default parser differs from float() in the last digit.
        is_exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
        return pd.read_csv(
            path,
            dtype={name: _pandas_type(name) for name in header},
            keep_default_na=False,
            na_values=[""],
            float_precision=None if is_exact else "round_trip",
        )
    import polars as pl

    return pl.read_csv(path, schema={name: _polars_type(name) for name in header})


def build_frame(columns: Mapping[str, Iterable[Any]], kind: FrameKind) -> Any:
    """Return columns of values as a data frame; None is a missing value."""
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(
            {
                name: pd.Series(list(values), dtype=_pandas_type(name))
                for name, values in columns.items()
            }
        )
    import polars as pl

    return pl.DataFrame(
        {name: list(values) for name, values in columns.items()},
        schema={name: _polars_type(name) for name in columns},
        strict=False,
    )


def join_by_second(left: Any, right: Any, kind: FrameKind) -> Any:
    """Return `left` with the columns of `right` where both have the same second.

    The tables of one run have the same rows. Where they do not, a row of `left` without a partner
    gets missing values.
    """
    keys = ["t_start", "t_end"]
    added = [name for name in right.columns if name not in keys]
    same = len(left) == len(right) and all(
        np.array_equal(left[key].to_numpy(), right[key].to_numpy()) for key in keys
    )
    if kind == "pandas":
        if same:
            # By position: after a clock was set back, a second may occur twice.
            return left.assign(**{name: right[name] for name in added})
        return left.merge(right.drop_duplicates(keys), how="left", on=keys)
    if same:
        return left.hstack(right.select(added))
    unique = right.unique(keys, keep="first", maintain_order=True)
    return left.join(unique, how="left", on=keys, maintain_order="left")


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


def _pandas_type(name: str) -> Any:
    if name in _TEXT:
        return "str"
    if name in _FLAGS:
        return "Int8"
    return "int64" if name in _ROWS else "float64"


def _polars_type(name: str) -> Any:
    import polars as pl

    if name in _TEXT:
        return pl.String
    if name in _FLAGS:
        return pl.Int8
    return pl.Int64 if name in _ROWS else pl.Float64
