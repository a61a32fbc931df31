"""The measurements of the parts of an archive, in pieces and in order of time."""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .. import _native
from ..constants import ItemType
from ..errors import LocomotionError, RejectedInput
from ..recording import Recording
from .archive import Kind, Part, is_fixes
from .days import parts_by_day, structured
from .parquet import ROWS_AT_ONCE, first_time, read_fixes, read_rows
from .rules import primary_device
from .storage import Storage
from .tables import DAY

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
            return first_time(pq.ParquetFile(file))
    except (LocomotionError, pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise PartError(part, _reason(error, storage, part)) from error


def _reason(error: BaseException, storage: Storage, part: Part) -> str:
    """Return an error's words without the folder of the archive."""
    text = str(error).replace(f"{storage.root}/", "") or type(error).__name__
    # A copy of an object has another path.
    head, _, rest = text.partition(f"/{os.path.basename(part.path)}")
    return f"{part.path}{rest}" if rest and head.startswith("/") else text


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
        yield Recording(fixes=read_fixes(storage, (step.part,)))
        return
    fixes = read_fixes(storage, step.fixes)
    taken = 0
    with storage.open(step.part.path) as source:
        # What is read ahead stays in memory until the end.
        file = pq.ParquetFile(source, pre_buffer=False)
        wanted = ["t", "time", "ax", "ay", "az", "gx", "gy", "gz", "pressure"]
        names = [name for name in wanted if name in file.schema_arrow.names]
        missing = {"ax", "ay", "az"} - set(names)
        if missing:
            raise RejectedInput(f"expected the columns t, ax, ay, az, missing {sorted(missing)}")
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=names, use_threads=False):
            recording = read_rows(batch)
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
