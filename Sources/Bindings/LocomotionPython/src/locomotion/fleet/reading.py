"""The measurements of a person's recordings, in order of time."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .. import _native
from ..errors import LocomotionError, RejectedInput
from ..recording import Recording
from .archive import Part, is_fixes
from .storage import Entry, Storage

SENSORS = {
    "accelerations": ("ax", "ay", "az"),
    "rotation_rates": ("gx", "gy", "gz"),
    "pressures": ("pressure",),
}
"""The columns of each sensor in Parquet, beside ``t``."""

FIXES = (
    "t", "lat", "lon", "alt", "hacc", "vacc", "speed", "speed_acc", "course", "course_acc"
)  # fmt: skip
"""The columns of fixes in Parquet, as in tidy CSV."""

_EARLIEST, _LATEST = 0, 4_102_444_800_000_000_000
"""The years 1970 and 2100: a recording may have a clock of its own that begins with it."""

_FARTHEST = 5 * 366 * 86_400_000_000_000
"""No recording is farther from the middle one of its user."""


class PartError(Exception):
    """A part that cannot be used."""

    def __init__(self, part: Part, reason: str) -> None:
        super().__init__(part, reason)
        self.part = part
        self.reason = reason


def in_order(storage: Storage, parts: list[Part]) -> list[Part]:
    """Return the parts by the times at which they begin.

    Raises
    ------
    PartError
        One cannot be used: it is damaged, empty, or its clock is absurd.
    """
    starts = {part.path: _start(storage, part) for part in parts}
    ordered = sorted(parts, key=lambda part: (starts[part.path], part.path))
    middle = starts[ordered[(len(ordered) - 1) // 2].path] if ordered else 0
    for part in ordered:
        start = starts[part.path]
        found = f"absurd clock: it begins at {np.datetime64(start, 'ns')}"
        if not _EARLIEST <= start < _LATEST:
            raise PartError(part, found)
        if abs(start - middle) > _FARTHEST:
            others = np.datetime64(middle, "ns")
            raise PartError(part, f"{found}, others of this user about {others}")
    return ordered


def _start(storage: Storage, part: Part) -> int:
    """Return when a part begins, ns."""
    try:
        if not part.is_parquet:
            with storage.local(part.path, part.files) as path:
                return _native.start(path)
        times = [pc.min(_table(storage, [entry], ("t",))["t"]).as_py() for entry in part.files]
        known: list[int] = [time for time in times if time is not None]
        if not known:
            raise RejectedInput("it has no rows")
        return min(known)
    except (LocomotionError, pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise PartError(part, _reason(error, storage, part)) from error


def feed(storage: Storage, part: Part, stream: _native.Stream, receive: _native.Receiver) -> None:
    """Take a part into an analysis.

    Raises
    ------
    PartError
        It cannot be used. The analysis is then of no use.
    """
    try:
        if part.is_parquet:
            for piece in _rows(storage, part).hours():
                stream.append(piece.arrays(), receive)
        else:
            with storage.local(part.path, part.files) as path:
                stream.read(path, receive)
    except (LocomotionError, pa.ArrowException, OSError, TypeError, ValueError, KeyError) as error:
        # What the system says is no matter of the recording; pyarrow's words have no number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise PartError(part, _reason(error, storage, part)) from error


def _reason(error: BaseException, storage: Storage, part: Part) -> str:
    """Return an error's words without the folder of the source."""
    text = str(error).replace(f"{storage.root}/", "") or type(error).__name__
    # A copy of an object has another path.
    head, _, rest = text.partition(f"/{os.path.basename(part.path)}")
    return f"{part.path}{rest}" if rest and head.startswith("/") else text


def _table(storage: Storage, files: list[Entry], wanted: tuple[str, ...]) -> pa.Table:
    """Return the rows of files in order of time, of the wanted columns those that there are."""
    tables = []
    for entry in files:
        with storage.open(entry.path) as source:
            file = pq.ParquetFile(source)
            names = [name for name in wanted if name in file.schema_arrow.names]
            tables.append(file.read(columns=names))
    table = pa.concat_tables(tables)
    if "t" not in table.column_names or table.schema.field("t").type != pa.int64():
        raise RejectedInput("expected a column t of int64 (ns)")
    if not bool((np.diff(np.asarray(table["t"])) > 0).all()):
        # By all columns, so that it does not matter how rows came.
        table = table.sort_by([(name, "ascending") for name in table.column_names])
    return table.combine_chunks()


def _rows(storage: Storage, part: Part) -> Recording:
    """Return the rows of a folder of Parquet."""
    fixes = [entry for entry in part.files if is_fixes(entry.path)]
    others = [entry for entry in part.files if entry not in fixes]
    given: dict[str, Any] = {}
    if others:
        names = tuple(name for columns in SENSORS.values() for name in columns)
        table = _table(storage, others, ("t", *names))
        for sensor, columns in SENSORS.items():
            if set(columns) <= set(table.column_names):
                # A row without a value is one of a phone whose other sensors are faster.
                known = table.filter(pc.is_finite(table[columns[0]]))
                given[sensor] = known.select(["t", *columns]).rename_columns(["time", *columns])
        if "accelerations" not in given:
            raise RejectedInput("expected the columns t, ax, ay, az")
    if fixes:
        table = _table(storage, fixes, FIXES)
        renamed = ["time" if name == "t" else name for name in table.column_names]
        given["fixes"] = table.rename_columns(renamed)
    return Recording.of(given)
