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
                part.get("activity") or ("stationary" if item["type"] == "stay" else "unknown"),
            )


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
