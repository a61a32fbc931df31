"""The map of a day's track and stays, drawn with matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from ._timeline import COLOURS

_Floats = npt.NDArray[np.float64]

#: Dashes tell the activities apart without colour.
_DASHES: dict[str, Any] = {
    "walking": (0, (1, 1)),
    "running": (0, (3, 2)),
    "cycling": (0, (6, 2)),
    "train": (0, (6, 2, 1, 2)),
    "unknown": (0, (1, 2)),
}
_LINE = "#3b4048"
_EDGE = "#8b8f96"
#: Points of a leg further apart than this, and than most, are not joined, metres.
_LONGEST_STEP = 100.0


def draw_map(
    panel: Axes, fixes: dict[str, _Floats], items: Sequence[Any], features: Sequence[Any]
) -> None:
    """Draw the lines of a track's features and the stays of a timeline, or else the fixes."""
    plane = _Plane(fixes["lat"], fixes["lon"])
    unit, metres = ("km", 1000.0) if plane.extent > 5000 else ("m", 1.0)
    is_drawn = False
    leaps: list[Any] = []
    for activity, line in _lines(features):
        east, north = plane.east_north(line[:, 1], line[:, 0])
        far = _leaps(east, north)
        ends = [np.stack([values[far - 1], values[far]]) / metres for values in (east, north)]
        leaps += panel.plot(*ends, color=_EDGE, linewidth=0.9, linestyle=(0, (2, 4)))
        panel.plot(
            np.insert(east, far, np.nan) / metres,
            np.insert(north, far, np.nan) / metres,
            color=COLOURS.get(activity, COLOURS["unknown"]),
            linestyle=_DASHES.get(activity, "-"),
            linewidth=2,
        )
        is_drawn = True
    for stay in _places(items, plane):
        centre = (stay.east / metres, stay.north / metres)
        for radius in stay.radii:
            panel.add_patch(
                Circle(
                    centre,
                    radius / metres,
                    facecolor=COLOURS["stationary"] + "30",
                    edgecolor=COLOURS["stationary"],
                    zorder=3,
                )
            )
        panel.plot(*centre, "o", color=COLOURS["stationary"], markersize=4, zorder=4)
        panel.annotate(
            textwrap.shorten(", ".join(stay.numbers), 24, placeholder=" …"),
            centre,
            xytext=(5, 4),
            textcoords="offset points",
            size=8,
            zorder=5,
        )
        is_drawn = True
    if not is_drawn:
        east, north = plane.east_north(fixes["lat"], fixes["lon"])
        panel.plot(east / metres, north / metres, ".", color=_LINE)
    if leaps:
        panel.legend(leaps[:1], ["no positions between"], frameon=False, fontsize="small")
    panel.set_aspect("equal", adjustable="datalim")
    panel.margins(0.05)
    panel.set_xlabel(f"east, {unit}")
    panel.set_ylabel(f"north, {unit}")
    panel.grid(color="#e6e8eb", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def _lines(features: Sequence[dict[str, Any]]) -> Iterator[tuple[str, _Floats]]:
    """Iterate over the lines of the legs, each an array (n, 2) of longitude and latitude."""
    for feature in features:
        geometry = feature["geometry"]
        if geometry is None or feature["properties"]["type"] != "trip":
            continue
        coordinates = geometry["coordinates"]
        for line in [coordinates] if geometry["type"] == "LineString" else coordinates:
            # Where a line is cut at 180° its points have no altitude.
            points = np.array([point[:2] for point in line], np.float64)
            yield feature["properties"]["activity"] or "unknown", points


@dataclass
class _Place:
    """Stays that one dot on the map stands for; metres."""

    east: float
    north: float
    radii: list[float]
    numbers: list[str]


def _places(items: Sequence[dict[str, Any]], plane: _Plane) -> list[_Place]:
    """Return the stays with a position; those that would lie on one another share a place."""
    found: list[_Place] = []
    for number, item in enumerate(items):
        if item["type"] != "stay" or item["lat"] is None:
            continue
        easts, norths = plane.east_north(np.array([item["lat"]]), np.array([item["lon"]]))
        east, north, radius = float(easts[0]), float(norths[0]), float(item["radius"])
        for place in found:
            distance = math.hypot(place.east - east, place.north - north)
            if distance <= max(radius, max(place.radii), plane.extent / 100):
                place.radii.append(radius)
                place.numbers.append(str(number))
                break
        else:
            found.append(_Place(east, north, [radius], [str(number)]))
    return found


def _leaps(east: _Floats, north: _Floats) -> npt.NDArray[np.intp]:
    """Return the points of a line before which the positions are missing, as in a tunnel.

    The points have no times, but are evenly spaced in time.
    """
    steps = np.hypot(np.diff(east), np.diff(north))
    longest = max(_LONGEST_STEP, 20 * float(np.median(steps))) if len(steps) else 0.0
    return np.flatnonzero(steps > longest) + 1


class _Plane:
    """A local plane through the middle of a track: metres east and north (WGS 84)."""

    def __init__(self, latitudes: _Floats, longitudes: _Floats) -> None:
        known = np.isfinite(latitudes)
        self._latitude = float(np.median(latitudes[known]))
        self._longitude = float(np.median(longitudes[known]))
        sine = math.sin(math.radians(self._latitude))
        flatness = 1 - 0.00669437999014 * sine * sine
        self._north = 6_378_137.0 * (1 - 0.00669437999014) / flatness**1.5
        self._east = 6_378_137.0 / math.sqrt(flatness)
        self._east *= math.cos(math.radians(self._latitude))
        east, north = self.east_north(latitudes[known], longitudes[known])
        self.extent = float(max(np.ptp(east), np.ptp(north)))

    def east_north(self, latitudes: _Floats, longitudes: _Floats) -> tuple[_Floats, _Floats]:
        # The shorter way round, across the antimeridian too.
        turned = (longitudes - self._longitude + 180) % 360 - 180
        return (
            np.asarray(np.radians(turned) * self._east, np.float64),
            np.asarray(np.radians(latitudes - self._latitude) * self._north, np.float64),
        )
