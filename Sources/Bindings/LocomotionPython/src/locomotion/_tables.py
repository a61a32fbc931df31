"""Data frames and other tables of callers as the arrays of the C interface."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _layout
from ._arrays import Columns, as_times, as_values, axes, columns

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


@dataclass(frozen=True)
class Table:
    """The names of a table's columns, and its columns by name: once, or once for each chunk."""

    names: Sequence[str]
    chunks: Callable[[Sequence[str]], Iterable[Sequence[Any]]]


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


def measurements(sensor: str, arguments: tuple[Any, ...]) -> list[Columns]:
    """Return the times and values of a sensor, chunk by chunk.

    Parameters
    ----------
    sensor : str
        A key of `_NAMES`.
    arguments : tuple
        ``(table,)``, see `read_table`; ``(times, values)``, or ``(times, x, y, z)``.
    """
    names = _NAMES[sensor]
    if len(arguments) == 1:
        return _measurements(arguments[0], names)
    if len(names) == 1 and len(arguments) == 2:
        return [columns(arguments[0], arguments[1:], (sensor,))]
    if len(names) == 3 and len(arguments) == 2:
        return [axes(*arguments)]
    if len(names) == 3 and len(arguments) == 4:
        return [columns(arguments[0], arguments[1:], ("x", "y", "z"))]
    forms = "(times, xyz) or (times, x, y, z)" if len(names) == 3 else "(times, values)"
    raise TypeError(f"{sensor}: expected (table), {forms}, found {len(arguments)} arguments")


def _measurements(table: Any, names: Sequence[tuple[str, ...]]) -> list[Columns]:
    """Return the times of a table and, for each name, a column; others are not read."""
    found = read_table(table)
    wanted = [_choose(found.names, choices) for choices in (_TIME, *names)]
    # A column is called what the caller calls it.
    called = tuple(wanted[1:])
    return [
        columns(_instants(wanted[0], times), tuple(values), called)
        for times, *values in found.chunks(wanted)
    ]


def _instants(name: str, times: Any) -> Any:
    """Return a column of times, with the seconds of tidy CSV as nanoseconds."""
    if name != _SECONDS:
        return times
    seconds = as_values(times, name, np.float64)
    if not np.isfinite(seconds).all() or (np.abs(seconds) > _LONGEST).any():
        raise ValueError(f"{name}: expected seconds within {_LONGEST:.0e}, found others")
    # Whole seconds and the rest apart: a double holds no Unix time to the nanosecond.
    whole = np.floor(seconds)
    return whole.astype(np.int64) * 1_000_000_000 + np.rint((seconds - whole) * 1e9).astype(np.int64)


#: Seconds whose nanoseconds fit 64 bits.
_LONGEST = 9e9


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
    called = {_TIDY_FIXES.get(name, name): name for name in found.names}
    wanted = [name for name in known[1:] if name in called]
    # Most columns may be left out, so that a misspelt one would be lost in silence.
    unknown = [
        repr(name)
        for name in found.names
        if _TIDY_FIXES.get(name, name) not in known and name != time
    ]
    if unknown:
        raise ValueError(
            f"fixes: expected columns of {', '.join(known)} only, found {', '.join(unknown)}"
        )
    for name, tidy in (("latitude", "lat"), ("longitude", "lon")):
        _choose(found.names, (name, tidy))
    columns_wanted = [time, *(called[name] for name in wanted)]
    return [
        _fixes(wanted, [_instants(time, chunk[0]), *chunk[1:]])
        for chunk in found.chunks(columns_wanted)
    ]


def _fixes(names: Sequence[str], chunk: Sequence[Any]) -> npt.NDArray[np.void]:
    """Return columns of times and values as fixes; NaN where there is no column."""
    times = as_times(chunk[0])
    fixes = np.empty(len(times), _layout.FIX)
    fixes["time"] = times
    for name in (_layout.FIX.names or ())[1:]:
        fixes[name] = np.nan
    for name, column in zip(names, chunk[1:], strict=True):
        values = as_values(column, name, np.float64)
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

    They are a data frame of pandas or polars, a Table, RecordBatch or RecordBatchReader of
    pyarrow, anything else with ``__arrow_c_stream__`` or ``__arrow_c_array__``, a structured
    array of NumPy, and a mapping of names to columns.

    Raises
    ------
    TypeError
        It is something else.
    ImportError
        It needs pyarrow or polars, and neither is there.
    """
    if isinstance(table, np.ndarray) and table.dtype.names is not None:
        if table.ndim != 1:
            raise ValueError(f"table: expected one dimension, found {table.ndim}")
        return Table(table.dtype.names, lambda names: [[table[name] for name in names]])
    if isinstance(table, Mapping):
        return Table(list(table), lambda names: [[table[name] for name in names]])
    for module, read in (("pandas", _pandas), ("polars", _polars), ("pyarrow", _pyarrow)):
        library = sys.modules.get(module)
        if library is not None:
            found = read(library, table)
            if found is not None:
                return found
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return _arrow(table)
    raise TypeError(
        "expected a data frame, a table of Arrow, a structured array or a mapping of columns,"
        f" found {type(table).__name__}"
    )


def _pandas(pandas: Any, table: Any) -> Table | None:
    """Return a data frame of pandas, whose index is a column if it is called as a time."""
    if not isinstance(table, pandas.DataFrame):
        return None
    names = list(table.columns)
    is_time = table.index.name in _TIME

    def chunks(wanted: Sequence[str]) -> Iterator[list[Any]]:
        yield [table[name] if name in names else table.index for name in wanted]

    return Table([*names, table.index.name] if is_time else names, chunks)


def _polars(polars: Any, table: Any) -> Table | None:
    """Return a data frame of polars; its chunks, where all columns have the same."""
    if isinstance(table, polars.LazyFrame):
        raise TypeError("expected a data frame, found a LazyFrame: collect() it first")
    if not isinstance(table, polars.DataFrame):
        return None

    def chunks(wanted: Sequence[str]) -> Iterator[list[Any]]:
        series = [table.get_column(name) for name in wanted]
        parts = [column.get_chunks() for column in series]
        if len({tuple(map(len, part)) for part in parts}) == 1:
            yield from map(list, zip(*parts, strict=True))
        else:
            yield series

    return Table(table.columns, chunks)


def _pyarrow(pyarrow: Any, table: Any) -> Table | None:
    """Return what pyarrow holds as a table."""
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    if isinstance(table, pyarrow.RecordBatchReader):
        table = table.read_all()
    if not isinstance(table, pyarrow.Table):
        return None

    def chunks(wanted: Sequence[str]) -> Iterator[list[Any]]:
        # Columns may be cut at different places; batches are at all of them, without a copy.
        places = [table.schema.get_field_index(name) for name in wanted]
        for batch in table.select(places).to_batches():
            yield batch.columns

    return Table(table.schema.names, chunks)


def _arrow(table: Any) -> Table:
    """Return an object of the Arrow PyCapsule protocol, read by pyarrow or else by polars."""
    for name, read in (("pyarrow", _read_by_pyarrow), ("polars", _read_by_polars)):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        found = read(library, table)
        if found is not None:
            return found
    raise ImportError(
        f"a {type(table).__name__} is read through Arrow's stream protocol,"
        " which takes pyarrow or polars: install one of them"
    )


def _read_by_pyarrow(pyarrow: Any, table: Any) -> Table | None:
    is_stream = hasattr(table, "__arrow_c_stream__")
    try:
        read = pyarrow.RecordBatchReader.from_stream if is_stream else pyarrow.record_batch
        return _pyarrow(pyarrow, read(table))
    except pyarrow.ArrowInvalid as error:
        # A column has the protocol, too, and no names.
        raise TypeError(f"expected a table, found {type(table).__name__}: {error}") from error


def _read_by_polars(polars: Any, table: Any) -> Table | None:
    return _polars(polars, polars.DataFrame(table))
