"""The rows of a person as they become final, divided into days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .. import _layout
from .._columns import ACTIVITIES
from ..constants import Activity, FixStatus, ItemType, Reason
from . import tables
from .tables import DAY

Rows = npt.NDArray[Any]

#: The days that may still get rows: a fix may wait, and a clock be set back by a little.
_OPEN_DAYS = 2


class DayDivider:
    """Divides rows into days and passes each day on when the rows have gone past it.

    A clock that is set back by more leads to a day that was passed on: it is passed on again, and
    the receiver joins both.

    Parameters
    ----------
    receive : function
        It takes the number of a day since 1970 and its rows, in the order in which they came.
    """

    def __init__(self, receive: Callable[[int, Rows], None]) -> None:
        self._receive = receive
        self._open: dict[int, list[Rows]] = defaultdict(list)

    def append(self, rows: Rows, days: npt.NDArray[np.int64]) -> None:
        """Take rows and the number of the day of each."""
        if len(rows) == 0:
            return
        edges = np.flatnonzero(np.diff(days)) + 1
        for part, day in zip(np.split(rows, edges), days[np.r_[0, edges]].tolist(), strict=True):
            self._open[day].append(part.copy())
        newest = int(days[-1])
        for day in sorted(self._open):
            if day < newest - _OPEN_DAYS:
                self._pass(day)

    def finish(self) -> None:
        """Pass all that is left on."""
        for day in sorted(self._open):
            self._pass(day)

    def _pass(self, day: int) -> None:
        self._receive(day, np.concatenate(self._open.pop(day)))


class Totals:
    """What the days of a person come to."""

    def __init__(self, user: str) -> None:
        self._user = user
        self._days: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._spans: dict[int, tuple[int, int]] = {}
        self._radii: dict[int, tuple[int, float]] = {}
        """The number of radii and their median, of a day's larger part when it came in two."""

    def add_samples(self, day: int, rows: Rows) -> None:
        """Add the seconds of a day."""
        total = self._days[day]
        seconds = (rows["end"] - rows["start"]) / 1e9
        total["recorded_s"] += float(seconds.sum())
        activity = rows["activity"]
        is_named = activity != Activity.UNKNOWN
        total["unknown_s"] += float(seconds[~is_named].sum())
        named = rows["probabilities"][is_named, activity[is_named]].astype(np.float64)
        total["expected_right_s"] += float((seconds[is_named] * named).sum())
        is_novel = ~is_named & (rows["unknown_reason"] == Reason.NOVELTY)
        total["novel_s"] += float(seconds[is_novel].sum())
        total["steps"] += float(rows["steps"].astype(np.float64).sum())
        self._span(day, int(rows["start"].min()), int(rows["end"].max()))

    def add_fixes(self, day: int, rows: Rows) -> None:
        """Add the fixes of a day."""
        total = self._days[day]
        is_rejected = rows["status"] == FixStatus.REJECTED
        total["fixes"] += len(rows)
        total["fixes_rejected"] += int(is_rejected.sum())
        radii = rows["radius68"][~is_rejected]
        radii = radii[np.isfinite(radii)]
        if len(radii) > self._radii.get(day, (0, 0.0))[0]:
            self._radii[day] = len(radii), float(np.median(radii))
        good = rows["fix"]["time"][~is_rejected]
        if len(good):
            self._span(day, int(good.min()), int(good.max()))

    def add_items(self, rows: Rows) -> None:
        """Add all items."""
        for row in rows:
            kind = ItemType(row["type"])
            start, end = int(row["start"]), int(row["end"])
            if kind in (ItemType.STAY, ItemType.TRIP):
                self._days[start // DAY][f"{kind.name.lower()}s"] += 1
            if kind == ItemType.TRIP:
                continue
            name = kind.name.lower()
            if kind == ItemType.LEG:
                number = int(row["activity"])
                # A leg at rest is the part of a trip that no mode explains.
                name = ACTIVITIES[number] if number > 0 else "other"
            for day, part in parts_by_day(start, end):
                total = self._days[day]
                total[f"{name}_s"] += (end - start) / 1e9 * part
                if kind == ItemType.LEG and np.isfinite(row["distance"]):
                    total[f"{name}_m"] += float(row["distance"]) * part

    def sum(self, name: str) -> float:
        """Return the sum of a total over all days."""
        return sum(total[name] for total in self._days.values())

    def _span(self, day: int, first: int, last: int) -> None:
        known = self._spans.get(day, (first, last))
        self._spans[day] = (min(known[0], first), max(known[1], last))

    def tables(self) -> Iterator[tuple[int, pa.Table]]:
        """Iterate over the days and their rows."""
        for day in sorted(self._days):
            total = self._days[day]
            row: dict[str, Any] = {name: total[name] for name in tables.DAYS.names[4:]}
            for name in ("fixes", "fixes_rejected", "stays", "trips"):
                row[name] = int(row[name])
            row["radius68_median"] = self._radii[day][1] if day in self._radii else None
            first, last = self._spans.get(day, (None, None))
            row |= {"user": self._user, "date": tables.day_of(day * DAY)}
            row |= {"first": first, "last": last}
            yield day, pa.Table.from_pylist([row], tables.DAYS)


def parts_by_day(start: int, end: int) -> Iterator[tuple[int, float]]:
    """Iterate over the days of a time span and the part of it in each."""
    for day in range(start // DAY, max(start, end - 1) // DAY + 1):
        inside = min(end, (day + 1) * DAY) - max(start, day * DAY)
        yield day, inside / (end - start) if end > start else 1.0


def days_of_fixes(rows: Rows, last: int | None) -> npt.NDArray[np.int64]:
    """Return the day of each fix; of a rejected one, whose time may be wrong, that of the last.

    `last` is the day of the newest one before `rows`. Where there is none, the next one's counts.
    """
    is_good = rows["status"] != FixStatus.REJECTED
    days: npt.NDArray[np.int64] = rows["fix"]["time"] // DAY
    places = np.where(is_good, np.arange(len(rows)), -1)
    places = np.maximum.accumulate(places)
    if last is None and is_good.any():
        places[places < 0] = int(np.argmax(is_good))
    result = days[np.maximum(places, 0)]
    result[places < 0] = 0 if last is None else last
    return result


def structured(name: str, value: npt.NDArray[np.uint8]) -> Rows:
    """Return the rows of a result of the library."""
    layout = {
        "samples": _layout.SAMPLE,
        "fixes": _layout.FIX_REPORT,
        "items": _layout.TIMELINE_ITEM,
        "counts": _layout.COUNTS,
    }
    return value.view(layout[name])
