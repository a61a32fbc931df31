"""The columns of Parquet files as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .._layout import FIX
from ..errors import RejectedInput
from ..recording import Recording
from .archive import Part
from .storage import Storage

#: The rows of Parquet that are read at once.
ROWS_AT_ONCE = 1 << 16

_FIX_COLUMNS = {
    "t": "time",
    "lat": "latitude",
    "lon": "longitude",
    "alt": "altitude",
    "hacc": "horizontal_accuracy",
    "vacc": "vertical_accuracy",
    "speed": "speed",
    "speed_acc": "speed_accuracy",
    "course": "course",
    "course_acc": "course_accuracy",
}
"""The columns of fixes in Parquet, as in tidy CSV; the names of arrays are taken as well."""


def first_time(file: pq.ParquetFile) -> int:
    """Return the earliest time of a file, ns, by its statistics where it has them."""
    index = file.schema_arrow.get_field_index(_time_name(file.schema_arrow))
    if index < 0:
        raise RejectedInput("expected a column t, found none")
    starts = []
    for group in range(file.metadata.num_row_groups):
        statistics = file.metadata.row_group(group).column(index).statistics
        if statistics is None or not statistics.has_min_max:
            column = file.read_row_group(group, columns=[index]).column(0)
            starts.append(int(np.asarray(column.cast(pa.int64())).min()))
        else:
            value = statistics.min
            starts.append(int(np.datetime64(value, "ns").astype(np.int64))
                          if not isinstance(value, int) else value)
    if not starts:
        raise RejectedInput("it has no rows")
    return min(starts)


def _time_name(schema: pa.Schema) -> str:
    return "t" if "t" in schema.names else "time"


def _numbers(batch: pa.RecordBatch, name: str) -> npt.NDArray[np.float32]:
    column = batch.column(name).cast(pa.float32(), safe=False)
    values: npt.NDArray[np.float32] = column.fill_null(float("nan")).to_numpy(zero_copy_only=False)
    return values


def _times(batch: pa.RecordBatch) -> npt.NDArray[np.int64]:
    column = batch.column(_time_name(batch.schema))
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("ns"))
    if not (pa.types.is_integer(column.type) or pa.types.is_timestamp(column.type)):
        raise RejectedInput(f"expected times of int64 (ns), found {column.type}")
    if column.null_count:
        raise RejectedInput("expected times in all rows, some are missing")
    times: npt.NDArray[np.int64] = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return times


def read_rows(batch: pa.RecordBatch) -> Recording:
    """Return the samples of a batch of rows."""
    times = _times(batch)
    xyz = np.stack([_numbers(batch, name) for name in ("ax", "ay", "az")], axis=1)
    recording = Recording(acceleration_times=times, accelerations=xyz)
    if "gx" in batch.schema.names:
        rates = np.stack([_numbers(batch, name) for name in ("gx", "gy", "gz")], axis=1)
        # A row without a rate is one of a phone whose gyroscope is slower.
        has_rates = np.isfinite(rates).any(axis=1)
        recording.rotation_rate_times = times[has_rates]
        recording.rotation_rates = rates[has_rates]
    if "pressure" in batch.schema.names:
        pressures = _numbers(batch, "pressure")
        known = np.isfinite(pressures)
        recording.pressure_times, recording.pressures = times[known], pressures[known]
    return recording


def read_fixes(storage: Storage, parts: tuple[Part, ...]) -> npt.NDArray[Any]:
    """Return the fixes of files, in order of time."""
    found = [np.empty(0, FIX)]
    for part in parts:
        with storage.open(part.path) as source:
            file = pq.ParquetFile(source, pre_buffer=False)
            for batch in file.iter_batches(ROWS_AT_ONCE, use_threads=False):
                rows = np.zeros(batch.num_rows, FIX)
                for name in FIX.names or ():
                    rows[name] = np.nan if name != "time" else 0
                rows["time"] = _times(batch)
                for short, name in _FIX_COLUMNS.items():
                    for column in (short, name):
                        if name != "time" and column in batch.schema.names:
                            values = batch.column(column).cast(pa.float64())
                            rows[name] = values.fill_null(float("nan")).to_numpy(
                                zero_copy_only=False
                            )
                found.append(rows)
    fixes = np.concatenate(found)
    return fixes[np.argsort(fixes["time"], kind="stable")]
