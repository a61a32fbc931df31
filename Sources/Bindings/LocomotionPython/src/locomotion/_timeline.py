"""The stays, trips and gaps of a timeline, in the words and colours of the command's report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any

#: One colour per activity, those of the report: Okabe and Ito, "Color universal design", 2008.
COLOURS: dict[str, str] = {
    "stationary": "#6f7782",
    "walking": "#009e73",
    "running": "#d55e00",
    "cycling": "#e69f00",
    "automotive": "#0072b2",
    "train": "#b0588f",
    "unknown": "#8b8f96",
}

#: The colour of a stay in a strip of time, lighter than that of what moves.
STAY_COLOUR = "#c9cdd3"

_UNIX_TIMES = (946_684_800.0, 4_102_444_800.0)  # the years 2000 to 2100, as in the report


@dataclass(frozen=True)
class Piece:
    """A stay, a leg of a trip or a gap: the pieces tile the time of a timeline."""

    item: int
    type: str
    start: float
    end: float
    activity: str
    distance: float | None
    steps: float | None

    @property
    def name(self) -> str:
        """What a person calls it."""
        return {"stay": "stay", "gap": "no data"}.get(self.type, self.activity)

    @property
    def colour(self) -> str:
        """The colour in a strip of time, as `#rrggbb`."""
        if self.type == "stay":
            return STAY_COLOUR
        return "#ffffff" if self.type == "gap" else COLOURS.get(self.activity, COLOURS["unknown"])


def pieces(items: Sequence[Mapping[str, Any]]) -> Iterator[Piece]:
    """Iterate over the stays, legs and gaps of the items of a timeline."""
    for number, item in enumerate(items):
        parts = item["legs"] if item["type"] == "trip" else [item]
        for part in parts:
            yield Piece(
                number,
                item["type"],
                part["start"],
                part["end"],
                activity_name(part, "stationary" if item["type"] == "stay" else "unknown"),
                part.get("distance"),
                part.get("steps"),
            )


def activity_name(part: Mapping[str, Any], otherwise: str = "unknown") -> str:
    """Return the activity of a leg or trip: the custom one, where there is one."""
    return str(part.get("custom_activity") or part.get("activity") or otherwise)


def is_unix_time(seconds: float) -> bool:
    """Return whether a recording that starts at `seconds` has the Unix clock."""
    return _UNIX_TIMES[0] < seconds < _UNIX_TIMES[1]


class Clock:
    """Writes instants as a time of day, or as the time since the start of the recording."""

    def __init__(self, start: float, end: float, zone: tzinfo = timezone.utc) -> None:
        self.start = start
        self.is_civil = is_unix_time(start)
        self.is_fine = end - start < 600
        self.zone = zone

    def time(self, seconds: float) -> str:
        """Return "08:05", or "0:05" since the start; with seconds in a short recording."""
        if self.is_civil:
            instant = datetime.fromtimestamp(0, timezone.utc) + timedelta(seconds=seconds)
            return instant.astimezone(self.zone).strftime("%H:%M:%S" if self.is_fine else "%H:%M")
        elapsed = max(int(seconds - self.start), 0)
        text = f"{elapsed // 3600}:{elapsed // 60 % 60:02}"
        return f"{text}:{elapsed % 60:02}" if self.is_fine else text


def duration(seconds: float) -> str:
    """Return seconds as "45 s", "12 min", "3 h 05 min" or "2 d 3 h"."""
    if seconds < 89.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    hours = minutes // 60
    if minutes < 60:
        return f"{minutes} min"
    return f"{hours} h {minutes % 60:02} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"


def distance(metres: float | None) -> str:
    """Return metres as "640 m", "3.2 km" or "128 km"; nothing for None."""
    if metres is None:
        return ""
    if metres < 999.5:
        return f"{metres:.0f} m"
    return f"{metres / 1000:.1f} km" if metres < 99_950 else f"{metres / 1000:,.0f} km"


def steps(count: float | None) -> str:
    """Return a count of steps as "2,780"; nothing for None and for less than half a step."""
    return f"{count:,.0f}" if count is not None and count >= 0.5 else ""


def total(values: Sequence[float | None]) -> float | None:
    """Return the sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
