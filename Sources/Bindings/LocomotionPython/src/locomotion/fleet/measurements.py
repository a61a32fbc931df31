"""The measurements of the parts of an archive, in pieces and in order of time."""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .. import _native
from .._layout import FIX
from ..constants import ItemType
from ..errors import LocomotionError, RejectedInput
from ..recording import Recording
from .archive import Kind, Part, is_fixes
from .days import parts_by_day, structured
from .rules import primary_device
from .storage import Storage
from .tables import DAY

#: The rows of Parquet that are read at once.
_ROWS = 1 << 16

_EARLIEST, _LATEST = 0, 4_102_444_800_000_000_000
"""The years 1970 and 2100: a recording may have a clock of its own that begins with it."""

_FARTHEST = 5 * 366 * 86_400_000_000_000
"""No recording is farther from the middle one of its user."""

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


class PartError(Exception):
    """A part that cannot be used."""

    def __init__(self, part: Part, reason: str) -> None:
        super().__init__(part, reason)
        self.part = part
        self.reason = reason


class Step(NamedTuple):
    """What is taken in next: a part, and the fixes of Parquet that belong to its time."""

    start: int
    part: Part
    fixes: tuple[Part, ...] = ()


def in_order(storage: Storage, parts: list[Part]) -> list[Step]:
    """Return the parts by the times at which they begin.

    Raises
    ------
    PartError
        One cannot be used: it is damaged, empty, or its clock is absurd.
    """
    steps = _of_one_device(storage, [part for part in parts if part.kind == Kind.UNIT])
    fixes: dict[str, list[Part]] = {}
    for part in parts:
        if part.kind == Kind.PARQUET and is_fixes(part):
            fixes.setdefault(part.path.rpartition("/")[0], []).append(part)
        elif part.kind != Kind.UNIT:
            steps.append(Step(_start(storage, part), part))
    # Fixes go with the first file of accelerations beside them, or alone.
    steps.sort(key=lambda step: (step.start, step.part.path))
    for index, step in enumerate(steps):
        own = fixes.pop(step.part.path.rpartition("/")[0], [])
        steps[index] = step._replace(fixes=tuple(own))
    for alone in fixes.values():
        steps += [Step(_start(storage, part), part) for part in alone]
    steps.sort(key=lambda step: (step.start, step.part.path))
    if steps:
        middle = steps[(len(steps) - 1) // 2].start
        for step in steps:
            _check_clock(step, middle)
    return steps


def _of_one_device(storage: Storage, units: list[Part]) -> list[Step]:
    """Return the units without those that have no data, or are of another device than their day.

    Where several devices have units that begin on a day of UTC, that day is the primary one's.
    """
    devices: dict[str, list[Step]] = defaultdict(list)
    for part in units:
        unit = _unit(storage, part)
        if unit.start is not None:
            devices[unit.device].append(Step(unit.start, part))
    if len(devices) < 2:
        return [step for steps in devices.values() for step in steps]
    recorded: dict[int, dict[str, float]] = defaultdict(dict)
    for device, steps in devices.items():
        seconds = _recorded(storage, sorted(steps, key=lambda step: (step.start, step.part.path)))
        for day in {step.start // DAY for step in steps}:
            recorded[day][device] = seconds.get(day, 0.0)
    return [
        step
        for device, steps in devices.items()
        for step in steps
        if primary_device(recorded[step.start // DAY]) == device
    ]


def _recorded(storage: Storage, steps: list[Step]) -> dict[int, float]:
    """Return the seconds of each day of a device's units that are not in gaps."""
    recorded: dict[int, float] = defaultdict(float)

    def receive(name: str, value: npt.NDArray[np.uint8]) -> None:
        if name != "items":
            return
        for row in structured(name, value):
            if ItemType(row["type"]) in (ItemType.STAY, ItemType.LEG):
                start, end = int(row["start"]), int(row["end"])
                for day, part in parts_by_day(start, end):
                    recorded[day] += (end - start) / 1e9 * part

    stream = _native.Stream()
    for step in steps:
        feed(storage, step, stream, receive)
    stream.finish(receive)
    return recorded


class Unit(NamedTuple):
    """What an upload unit of the collector holds."""

    device: str
    start: int | None
    """The time of the first datum or event, ns; None in a unit of annotations."""
    recording: Recording


def _unit(storage: Storage, part: Part) -> Unit:
    try:
        content = storage.read(part.path)
        if content is None:
            raise RejectedInput(f"{part.path}: it was removed")
        found = _native.unit(content)
    except LocomotionError as error:
        raise PartError(part, _reason(error, storage, part)) from error
    numbers = found["numbers"].view(np.int64).tolist()
    recording = Recording()
    recording.take_arrays(found)
    start = numbers[1] if len(numbers) > 1 else None
    return Unit(found["device"].tobytes().decode(), start, recording)


def _check_clock(step: Step, middle: int) -> None:
    start = np.datetime64(step.start, "ns")
    if not _EARLIEST <= step.start < _LATEST:
        raise PartError(step.part, f"absurd clock: it begins at {start}")
    day = step.part.day
    if day and abs((start - np.datetime64(day, "ns")).astype(np.int64)) > 2 * 86_400 * 10**9:
        raise PartError(step.part, f"absurd clock: it begins at {start}, its day is {day}")
    if abs(step.start - middle) > _FARTHEST:
        raise PartError(
            step.part,
            f"absurd clock: it begins at {start}, others of this user about "
            f"{np.datetime64(middle, 'ns')}",
        )


def _start(storage: Storage, part: Part) -> int:
    """Return when a recording or a file of Parquet begins, ns."""
    try:
        if part.kind == Kind.RECORDING:
            with storage.local(part.path) as path:
                return _native.start(path)
        with storage.open(part.path) as file:
            return _first_time(pq.ParquetFile(file))
    except (LocomotionError, pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise PartError(part, _reason(error, storage, part)) from error


def _reason(error: BaseException, storage: Storage, part: Part) -> str:
    """Return an error's words without the folder of the archive."""
    text = str(error).replace(f"{storage.root}/", "") or type(error).__name__
    # A copy of an object has another path.
    head, _, rest = text.partition(f"/{os.path.basename(part.path)}")
    return f"{part.path}{rest}" if rest and head.startswith("/") else text


def _first_time(file: pq.ParquetFile) -> int:
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


def feed(storage: Storage, step: Step, stream: _native.Stream, receive: _native.Receiver) -> None:
    """Take a step into an analysis.

    Raises
    ------
    PartError
        It cannot be used. The analysis is then of no use.
    """
    try:
        if step.part.kind == Kind.RECORDING:
            with storage.local(step.part.path) as path:
                stream.read(path, receive)
        elif step.part.kind == Kind.PARQUET:
            for piece in _parquet(storage, step):
                stream.append(piece.arrays(), receive)
        else:
            recording = _sorted(_unit(storage, step.part).recording)
            stream.append(recording.arrays(), receive)
    except (LocomotionError, pa.ArrowException, ValueError, KeyError) as error:
        raise PartError(step.part, _reason(error, storage, step.part)) from error
    except OSError as error:
        # pyarrow's words for a damaged file; what the system says is no matter of the recording.
        if error.errno is not None:
            raise
        raise PartError(step.part, _reason(error, storage, step.part)) from error


def _sorted(recording: Recording) -> Recording:
    """Return the measurements of each sensor in order of time, as ``convert`` writes them."""
    found = dataclasses.replace(recording)
    for names in (
        ("acceleration_times", "accelerations"),
        ("rotation_rate_times", "rotation_rates"),
        ("pressure_times", "pressures"),
        ("fixes",),
    ):
        times = getattr(recording, names[0])
        times = times["time"] if names == ("fixes",) else times
        if not bool((np.diff(times) >= 0).all()):
            order = np.argsort(times, kind="stable")
            for name in names:
                setattr(found, name, getattr(recording, name)[order])
    return found


def _parquet(storage: Storage, step: Step) -> Iterator[Recording]:
    """Iterate over the rows of a file of accelerations with the fixes of their time."""
    if is_fixes(step.part):
        yield Recording(fixes=_fixes(storage, (step.part,)))
        return
    fixes = _fixes(storage, step.fixes)
    taken = 0
    with storage.open(step.part.path) as source:
        # What is read ahead stays in memory until the end.
        file = pq.ParquetFile(source, pre_buffer=False)
        wanted = ["t", "time", "ax", "ay", "az", "gx", "gy", "gz", "pressure"]
        names = [name for name in wanted if name in file.schema_arrow.names]
        missing = {"ax", "ay", "az"} - set(names)
        if missing:
            raise RejectedInput(f"expected the columns t, ax, ay, az, missing {sorted(missing)}")
        for batch in file.iter_batches(_ROWS, columns=names, use_threads=False):
            recording = _rows(batch)
            if not len(recording.accelerations):
                continue
            # A fix goes before the first row that is not earlier.
            last = recording.acceleration_times[-1]
            count = int(np.searchsorted(fixes["time"], last, "right"))
            recording.fixes = fixes[taken : max(taken, count)]
            yield recording
            taken = max(taken, count)
    if taken < len(fixes):
        yield Recording(fixes=fixes[taken:])


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


def _rows(batch: pa.RecordBatch) -> Recording:
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


def _fixes(storage: Storage, parts: tuple[Part, ...]) -> npt.NDArray[Any]:
    """Return the fixes of files, in order of time."""
    found = [np.empty(0, FIX)]
    for part in parts:
        with storage.open(part.path) as source:
            file = pq.ParquetFile(source, pre_buffer=False)
            for batch in file.iter_batches(_ROWS, use_threads=False):
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
