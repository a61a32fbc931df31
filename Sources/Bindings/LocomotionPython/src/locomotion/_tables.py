"""Arrays, data frames and other tables of callers as the arrays of the C interface.

Nothing is copied where it is already what the library takes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _layout

Times: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.NDArray[np.float32]

_TIME = ("time", "timestamp", "t")
#: The column of tidy CSV, which is seconds.
_SECONDS = "t"
#: The columns of fixes in tidy CSV, and their names here.
_TIDY_FIXES = {
    "lat": "latitude",
    "lon": "longitude",
    "alt": "altitude",
    "hacc": "horizontal_accuracy",
    "vacc": "vertical_accuracy",
    "speed_acc": "speed_accuracy",
    "course_acc": "course_accuracy",
}
#: The names that the columns of each sensor may have.
_NAMES = {
    "accelerations": (("x", "ax"), ("y", "ay"), ("z", "az")),
    "rotation_rates": (("x", "gx"), ("y", "gy"), ("z", "gz")),
    "pressures": (("pressure", "hectopascals"),),
}
#: Seconds whose nanoseconds fit 64 bits.
_LONGEST = 9e9
#: The longest stride that the library takes, in elements.
_LONGEST_STRIDE = 1 << 16


@dataclass(frozen=True)
class Columns:
    """Times and values of the same length, the values with one stride, in elements."""

    times: Times
    values: tuple[Values, ...]
    stride: int

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, rows: slice) -> Columns:
        return Columns(self.times[rows], tuple(axis[rows] for axis in self.values), self.stride)


@dataclass(frozen=True)
class Table:
    """The names of a table's columns, and its chunks, of which each has the columns by name."""

    names: Sequence[str]
    chunks: Sequence[Any]


def sensors(given: Any) -> dict[str, Any]:
    """Return what there is of each sensor, by its name: a mapping of them, or the table itself."""
    if isinstance(given, Mapping) and given and given.keys() <= {*_NAMES, "fixes"}:
        return dict(given)
    names = read_table(given).names
    if {"latitude", "lat"} & set(names):
        return {"fixes": given}
    # In a table of several sensors x, y and z would be anyone's.
    is_there = {
        sensor: all(set(choices[sensor == "rotation_rates" :]) & set(names) for choices in columns)
        for sensor, columns in _NAMES.items()
    }
    if not any(is_there.values()):
        raise ValueError(f"expected the columns of a sensor, found {', '.join(map(repr, names))}")
    return {sensor: given for sensor, found in is_there.items() if found}


def parts(sensor: str, given: Any) -> Sequence[Columns | npt.NDArray[np.void]]:
    """Return what is given of a sensor or of "fixes": a table, or a tuple for `measurements`."""
    if sensor == "fixes":
        return fixes(given)
    return measurements(sensor, given if isinstance(given, tuple) else (given,))


def measurements(sensor: str, arguments: tuple[Any, ...]) -> list[Columns]:
    """Return the times and values of a sensor, chunk by chunk.

    Of ``(table,)``, see `read_table`; ``(times, values)``, or ``(times, x, y, z)``. A type that is
    no time or no real number is a TypeError; another shape, or an unknown time, a ValueError.
    """
    names = _NAMES[sensor]
    if len(arguments) == 1:
        return _measurements(arguments[0], names)
    if len(arguments) == 1 + len(names):
        called = (sensor,) if len(names) == 1 else ("x", "y", "z")
        return [_columns(arguments[0], arguments[1:], called)]
    if len(names) == 3 and len(arguments) == 2:
        vectors = as_values(arguments[1], "xyz")
        if vectors.ndim != 2 or vectors.shape[1] != 3:
            raise ValueError(f"xyz: expected the shape (n, 3), found {vectors.shape}")
        return [_columns(arguments[0], tuple(vectors.T), ("xyz",) * 3)]
    forms = "(times, xyz) or (times, x, y, z)" if len(names) == 3 else "(times, values)"
    raise TypeError(f"{sensor}: expected (table), {forms}, found {len(arguments)} arguments")


def _measurements(table: Any, names: Sequence[tuple[str, ...]]) -> list[Columns]:
    """Return the times of a table and, for each name, a column; others are not read."""
    found = read_table(table)
    # A column is called what the caller calls it.
    time, *called = (_choose(found.names, choices) for choices in (_TIME, *names))
    return [
        _columns(_instants(time, chunk[time]), tuple(chunk[name] for name in called), called)
        for chunk in found.chunks
    ]


def _columns(times: Any, values: tuple[Any, ...], names: Sequence[str]) -> Columns:
    """Return times and values, (n,) each, as the library takes them; errors have the names."""
    nanoseconds = as_times(times)
    arrays = tuple(as_values(array, name) for array, name in zip(values, names, strict=True))
    for array, name in zip(arrays, names, strict=True):
        if array.ndim != 1:
            raise ValueError(f"{name}: expected one dimension, found {array.ndim}")
        if len(array) != len(nanoseconds):
            raise ValueError(
                f"{name}: expected as many as times, {len(nanoseconds)}, found {len(array)}"
            )
    strides = {array.strides[0] for array in arrays}
    if len(nanoseconds) < 2:
        # NumPy leaves the stride of one element undefined.
        return Columns(nanoseconds, arrays, 1)
    if len(strides) == 1:
        stride, rest = divmod(strides.pop(), arrays[0].itemsize)
        if rest == 0 and 1 <= stride <= _LONGEST_STRIDE:
            return Columns(nanoseconds, arrays, stride)
    return Columns(nanoseconds, tuple(np.ascontiguousarray(array) for array in arrays), 1)


def _instants(name: str, times: Any) -> Any:
    """Return a column of times, with numbers that are seconds in tidy CSV as nanoseconds."""
    if name != _SECONDS or as_array(times).dtype.kind in "mM":
        return times
    seconds = as_values(times, name, np.float64)
    if not np.isfinite(seconds).all() or (np.abs(seconds) > _LONGEST).any():
        raise ValueError(f"{name}: expected seconds within {_LONGEST:.0e}, found others")
    # Whole seconds and the rest apart: a double holds no Unix time to the nanosecond.
    whole = np.floor(seconds)
    rest = np.rint((seconds - whole) * 1e9)
    return whole.astype(np.int64) * 1_000_000_000 + rest.astype(np.int64)


def fixes(table: Any) -> list[npt.NDArray[np.void]]:
    """Return a table of fixes as arrays of `_layout.FIX`, without a copy if it is one."""
    if isinstance(table, np.ndarray) and table.dtype == _layout.FIX:
        if table.ndim != 1:
            raise ValueError(f"fixes: expected one dimension, found {table.ndim}")
        plain = np.ma.filled(table) if isinstance(table, np.ma.MaskedArray) else table
        aligned = plain if plain.flags.aligned else plain.copy()
        return [np.ascontiguousarray(aligned)]
    found = read_table(table)
    known = _layout.FIX.names or ()
    time = _choose(found.names, _TIME)
    called = {_TIDY_FIXES.get(name, name): name for name in found.names if name != time}
    # Most columns may be left out, so that a misspelt one would be lost in silence.
    unknown = [repr(name) for name in called if name not in known]
    if unknown:
        raise ValueError(
            f"fixes: expected columns of {', '.join(known)} only, found {', '.join(unknown)}"
        )
    for name, tidy in (("latitude", "lat"), ("longitude", "lon")):
        _choose(found.names, (name, tidy))
    return [
        _fixes(_instants(time, chunk[time]), {name: chunk[called[name]] for name in called})
        for chunk in found.chunks
    ]


def _fixes(instants: Any, columns: Mapping[str, Any]) -> npt.NDArray[np.void]:
    """Return columns of times and values as fixes; NaN where there is no column."""
    times = as_times(instants)
    fixes = np.empty(len(times), _layout.FIX)
    fixes["time"] = times
    for name in (_layout.FIX.names or ())[1:]:
        if name not in columns:
            fixes[name] = np.nan
            continue
        values = as_values(columns[name], name, np.float64)
        if values.shape != times.shape:
            raise ValueError(
                f"{name}: expected as many as times, {len(times)}, found the shape {values.shape}"
            )
        fixes[name] = values
    return fixes


def _choose(names: Sequence[str], choices: tuple[str, ...]) -> str:
    """Return the one of `choices` that is a column."""
    found = [name for name in names if name in choices]
    if len(found) != 1:
        expected = " or ".join(repr(choice) for choice in choices)
        others = ", ".join(repr(name) for name in (found or names)) or "none"
        raise ValueError(f"expected one column {expected}, found {others}")
    return found[0]


def read_table(table: Any) -> Table:
    """Return the columns of a table of any of the kinds that there are.

    They are a data frame of pandas or polars, anything else with ``__arrow_c_stream__`` or
    ``__arrow_c_array__``, as those of pyarrow, a structured array of NumPy, and a mapping of names
    to columns. Something else is a TypeError, and an ImportError what needs pyarrow or polars where
    neither is there.
    """
    if isinstance(table, np.ndarray) and table.dtype.names is not None:
        if table.ndim != 1:
            raise ValueError(f"table: expected one dimension, found {table.ndim}")
        return Table(table.dtype.names, [table])
    if isinstance(table, Mapping):
        return Table(list(table), [table])
    found: Table | None = _of_library(_TABLES, table)
    if found is not None:
        return found
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return _table_of_arrow(table)
    raise TypeError(
        "expected a data frame, a table of Arrow, a structured array or a mapping of columns,"
        f" found {type(table).__name__}"
    )


def _of_library(converters: Mapping[str, Callable[[Any, Any], Any]], value: Any) -> Any:
    """Return what the converter of its library makes of a value; None if it is of none."""
    for name, convert in converters.items():
        # Who has a value of a library has imported it.
        library = sys.modules.get(name)
        if library is not None and (found := convert(library, value)) is not None:
            return found
    return None


def _table_of_pandas(pandas: Any, table: Any) -> Table | None:
    """Return a data frame of pandas, whose index is a column if it is one of times."""
    if not isinstance(table, pandas.DataFrame):
        return None
    if hasattr(table, "crs") and "geometry" in table.columns:
        # Points of geopandas.
        points = table.geometry if table.crs is None else table.geometry.to_crs("OGC:CRS84")
        table = table.drop(columns="geometry").assign(latitude=points.y, longitude=points.x)
    names = list(table.columns)
    index = table.index.name
    if isinstance(table.index, pandas.DatetimeIndex) and not {*_TIME} & {*names}:
        index = _TIME[0]
    if index not in _TIME:
        return Table(names, [table])
    return Table([*names, index], [{**{name: table[name] for name in names}, index: table.index}])


def _table_of_polars(polars: Any, table: Any) -> Table | None:
    """Return a data frame of polars; its chunks, where all columns have the same."""
    if isinstance(table, polars.LazyFrame):
        raise TypeError("expected a data frame, found a LazyFrame: collect() it first")
    if not isinstance(table, polars.DataFrame):
        return None

    parts = {name: table.get_column(name).get_chunks() for name in table.columns}
    if len({tuple(map(len, part)) for part in parts.values()}) != 1:
        return Table(table.columns, [table])
    chunks = zip(*parts.values(), strict=True)
    return Table(table.columns, [dict(zip(parts, chunk, strict=True)) for chunk in chunks])


def _table_of_arrow(table: Any) -> Table:
    """Return a table of Arrow's PyCapsule protocol, read by pyarrow or else by polars.

    Columns may be cut at different places; batches are at all of them, without a copy.
    """
    try:
        import pyarrow
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError(
                f"a {type(table).__name__} is read through Arrow's stream protocol,"
                " which takes pyarrow or polars: install one of them"
            ) from None
        return read_table(polars.DataFrame(table))
    try:
        found = pyarrow.table(table)
    except pyarrow.ArrowInvalid as error:
        # A column has the protocol, too, and no names.
        raise TypeError(f"expected a table, found {type(table).__name__}: {error}") from error
    return Table(found.schema.names, found.to_batches())


_TABLES = {"pandas": _table_of_pandas, "polars": _table_of_polars}


# Columns


def as_times(times: Any) -> Times:
    """Return times as contiguous nanoseconds, which is what they were given as if possible.

    Integers are nanoseconds; datetime64 and timedelta64 of every unit are converted, what is
    finer than a nanosecond rounded down.
    """
    array = as_array(times)
    if _has_missing(times):
        raise ValueError("times: expected times only, found missing ones")
    if array.ndim != 1:
        raise ValueError(f"times: expected one dimension, found {array.ndim}")
    if array.size == 0 and not isinstance(times, np.ndarray):
        # An empty list has no type, and NumPy makes it float64.
        return np.empty(0, np.int64)
    if isinstance(array, np.ma.MaskedArray):
        array = array.data
    kind = array.dtype.kind
    if kind in "mM":
        return _nanoseconds(array)
    if kind == "u" and array.size > 0 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"times: expected at most 2^63 - 1, found {array.max()}")
    if kind not in "iu":
        hint = "; seconds are np.rint(seconds * 1e9).astype(np.int64)" if kind == "f" else ""
        raise TypeError(
            "times: expected integers (nanoseconds), datetime64 or timedelta64, "
            f"found {array.dtype}{hint}"
        )
    return np.require(array, np.int64, ["ALIGNED", "C_CONTIGUOUS", "ENSUREARRAY"])


def _has_missing(times: Any) -> bool:
    """Return whether a column has missing values that its array may not show."""
    if isinstance(times, np.ndarray):
        return isinstance(times, np.ma.MaskedArray) and bool(np.ma.getmaskarray(times).any())
    count = getattr(times, "null_count", None)  # of pyarrow; of polars a method
    if count is not None:
        return bool(count() if callable(count) else count)
    return hasattr(times, "isna") and bool(np.any(times.isna()))


def _nanoseconds(array: npt.NDArray[Any]) -> Times:
    """Return datetime64 or timedelta64 as nanoseconds."""
    if np.isnat(array).any():
        raise ValueError("times: expected times only, found missing ones")
    unit = np.datetime_data(array.dtype)
    if unit[0] == "generic" or (array.dtype.kind == "m" and unit[0] in "YM"):
        raise TypeError(f"times: expected a unit with a fixed length, found {array.dtype}")
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    target = np.dtype(f"{array.dtype.kind}8[ns]")
    if native.size > 0 and native.dtype != target:
        # The conversion of NumPy wraps around in silence; it is monotonic where it does not.
        ends = np.array([native.min(), native.max()])
        try:
            wraps = not np.array_equal(ends.astype(target).astype(ends.dtype), ends)
        except OverflowError:
            wraps = True
        if wraps and unit[0] not in ("ps", "fs", "as"):
            raise ValueError("times: expected times that fit 64 bits of nanoseconds")
    # A view: the bytes of datetime64[ns] are those of int64.
    return np.ascontiguousarray(native.astype(target, copy=False)).view(np.int64)


def as_values(values: Any, name: str, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """Return real numbers as `dtype`; masked ones are NaN, what is too large is infinite."""
    array = as_array(values)
    if array.size == 0 and not isinstance(values, np.ndarray):
        # A column without rows may have no type.
        return np.empty(array.shape, dtype)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected real numbers, found {array.dtype}")
    with np.errstate(over="ignore"):
        if isinstance(array, np.ma.MaskedArray):
            array = np.ma.filled(array.astype(dtype), np.nan)
        return np.require(array, dtype, ["ALIGNED", "ENSUREARRAY"])


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return a NumPy array, or a column of pandas, polars or pyarrow as one.

    Missing numbers are NaN.
    """
    if isinstance(values, np.ndarray):
        # A matrix would keep two dimensions in every slice.
        return values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    found: npt.NDArray[Any] | None = _of_library(_ARRAYS, values)
    return np.asarray(values) if found is None else found


def _array_of_pandas(pandas: Any, values: Any) -> npt.NDArray[Any] | None:
    """Return a Series, Index or extension array of pandas as an array; None for anything else."""
    if not isinstance(values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        return None
    if isinstance(values.dtype, pandas.DatetimeTZDtype):
        # to_numpy would make an object of each time.
        series = values.array if hasattr(values, "array") else values
        return np.asarray(series.tz_convert(None))
    if isinstance(values.dtype, pandas.ArrowDtype):
        pyarrow = sys.modules["pyarrow"]
        return _array_of_pyarrow(pyarrow, pyarrow.array(getattr(values, "array", values)))
    if values.dtype.kind in "iuf" and hasattr(values.dtype, "numpy_dtype"):
        # A nullable type: missing integers have no value of their own.
        has_missing = values.isna().any()
        target = np.float64 if has_missing else values.dtype.numpy_dtype
        return np.asarray(values.to_numpy(target, **({"na_value": np.nan} if has_missing else {})))
    return np.asarray(values.to_numpy())


def _array_of_polars(polars: Any, values: Any) -> npt.NDArray[Any] | None:
    """Return a Series of polars as an array; None for anything else."""
    if not isinstance(values, polars.Series):
        return None
    if len(values) > 0 and not (values.dtype.is_numeric() or values.dtype.is_temporal()):
        raise TypeError(f"{values.name}: expected numbers or times, found {values.dtype}")
    return np.asarray(values.to_numpy())


def _array_of_pyarrow(pyarrow: Any, values: Any) -> npt.NDArray[Any] | None:
    """Return an array of pyarrow, chunked or not, as an array; None for anything else."""
    if isinstance(values, pyarrow.ChunkedArray):
        return np.asarray(values.to_numpy())
    if not isinstance(values, pyarrow.Array):
        return None
    return np.asarray(values.to_numpy(zero_copy_only=False))


_ARRAYS = {"pandas": _array_of_pandas, "polars": _array_of_polars, "pyarrow": _array_of_pyarrow}
