"""Plots of a day with matplotlib, which is imported with this module."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timezone, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
from matplotlib import dates, ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Circle, Patch

from ._frames import utc_datetimes
from ._timeline import COLOURS, Clock, Piece, pieces

if TYPE_CHECKING:
    from .day import Day

__all__ = ["ACTIVITY_COLOURS", "plot_day"]

ACTIVITY_COLOURS: dict[str, str] = dict(COLOURS)
"""The colour of each activity, `#rrggbb`: those of the report, distinct for the colour-blind."""

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
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200)
#: Fixes further apart than this are not joined by a line, seconds.
_LONGEST_LINE = 120.0
#: Points of a leg further apart than this, and than most, are not joined either, metres.
_LONGEST_STEP = 100.0


class _DayFigure(Figure):
    """A figure that a notebook shows also where pyplot was never imported."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def plot_day(
    day: Day[Any], figure: Figure | SubFigure | None = None, *, time_zone: str | None = None
) -> Figure | SubFigure:
    """Plot the activities along time, a map of the track, the speed and the cadence.

    Stays and the numbers in them are rows of `Day.timeline`. A panel for which the recording has
    no data is left out. On the map a stay is a circle of its radius, with a dot in it that is
    visible on any scale.

    Parameters
    ----------
    day : Day
        The results of `analyze`.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where; it is expected to be empty. By default a new figure that is unknown to pyplot.
    time_zone : str, optional
        The zone of the times of day, as ``"Europe/Berlin"``; UTC by default.

    Returns
    -------
    matplotlib.figure.Figure or SubFigure
        The figure.

    Raises
    ------
    zoneinfo.ZoneInfoNotFoundError
        There is no such time zone.
    """
    zone: tzinfo = timezone.utc if time_zone is None else ZoneInfo(time_zone)
    items = day.timeline_json["items"]
    fixes = day._columns("locate.csv", "t", "lat", "lon", "speed")
    cadence = day._columns("cadence.csv", "t_start", "t_end", "cadence")
    panels = ["strip"] if items else []
    if np.isfinite(fixes["lat"]).any():
        panels.append("map")
    if np.isfinite(fixes["speed"]).any():
        panels.append("speed")
    if len(cadence["cadence"]):
        panels.append("cadence")
    heights = {"strip": 0.45, "map": 4.6, "speed": 1.2, "cadence": 1.2}
    if figure is None:
        height = 1.0 + sum(heights[panel] + 0.45 for panel in panels)
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.06)
        figure = _DayFigure(figsize=(9, max(height, 1.6)), layout=layout)
    title = textwrap.fill(day.summary.split("\n", 1)[0], 84)
    figure.suptitle(title, fontsize="large", x=0.01, ha="left", parse_math=False)
    if not panels:
        figure.text(0.5, 0.4, "no data", ha="center", color=_EDGE)
        return figure
    grid = figure.add_gridspec(len(panels), 1, height_ratios=[heights[panel] for panel in panels])
    axes = {panel: figure.add_subplot(grid[row]) for row, panel in enumerate(panels)}
    times = [fixes["t"], cadence["t_start"], cadence["t_end"]]
    times += [np.array([item["start"], item["end"]], np.float64) for item in items]
    together = np.concatenate(times)
    axis = _TimeAxis(float(together.min()), float(together.max()), zone)
    if "strip" in axes:
        _draw_strip(axes["strip"], list(pieces(items)), axis)
    if "map" in axes:
        _draw_map(axes["map"], day, fixes)
    if "speed" in axes:
        _draw_speed(axes["speed"], fixes, axis)
    if "cadence" in axes:
        _draw_cadence(axes["cadence"], cadence, axis)
    along_time = [panel for panel in panels if panel != "map"]
    if along_time:
        axis.name(axes[along_time[-1]])
    return figure


class _TimeAxis:
    """The horizontal axis of the panels along time."""

    def __init__(self, start: float, end: float, zone: tzinfo) -> None:
        self._clock = Clock(start, end, zone)
        self._limits = np.array([start, max(end, start + 1)], np.float64)
        self._zone = zone

    def x(self, seconds: npt.ArrayLike) -> _Floats:
        """Return days of matplotlib's dates, or the seconds since the start."""
        values = np.asarray(seconds, np.float64)
        if self._clock.is_civil:
            return np.asarray(dates.date2num(utc_datetimes(values)), np.float64)
        return np.asarray(values - self._clock.start, np.float64)

    def apply(self, panel: Axes) -> None:
        low, high = self.x(self._limits)
        panel.set_xlim(low, high)
        if self._clock.is_civil:
            locator = dates.AutoDateLocator(self._zone, minticks=4, maxticks=10)
            panel.xaxis.set_major_locator(locator)
            panel.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, self._zone))
            return
        days = math.ceil(high / 864_000) * 86_400
        step = next((step for step in _STEPS if high / step <= 10), days)
        panel.xaxis.set_major_locator(ticker.MultipleLocator(step))
        panel.xaxis.set_major_formatter(
            ticker.FuncFormatter(lambda x, _: self._clock.time(self._clock.start + x))
        )

    def name(self, panel: Axes) -> None:
        if self._clock.is_civil:
            panel.set_xlabel(f"time of day, {self._zone}")
        else:
            unit = "h:mm:ss" if self._clock.is_fine else "h:mm"
            panel.set_xlabel(f"time since the start, {unit}")


def _draw_strip(panel: Axes, found: Sequence[Piece], axis: _TimeAxis) -> None:
    axis.apply(panel)
    low, high = panel.get_xlim()
    names: dict[str, Patch] = {}
    for piece in found:
        left, right = axis.x([piece.start, piece.end])
        is_vague = piece.type == "gap" or piece.name == "unknown"
        style: dict[str, Any] = {
            "facecolor": piece.colour,
            "edgecolor": _EDGE if piece.type == "gap" else "white",
            "linewidth": 0.5,
            "hatch": "///" if is_vague else None,
        }
        panel.axvspan(left, right, **style)
        names.setdefault(piece.name, Patch(label=piece.name, **style))
        if piece.type == "stay" and right - left > (high - low) / 50:
            panel.text((left + right) / 2, 0.5, str(piece.item), ha="center", va="center", size=8)
    panel.set_ylim(0, 1)
    panel.set_yticks([])
    panel.spines[:].set_visible(False)
    panel.legend(
        handles=list(names.values()),
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(names),
        frameon=False,
        borderaxespad=0.2,
        handlelength=1.2,
        columnspacing=1.4,
        fontsize="small",
    )


def _draw_map(panel: Axes, day: Day[Any], fixes: dict[str, _Floats]) -> None:
    plane = _Plane(fixes["lat"], fixes["lon"])
    unit, metres = ("km", 1000.0) if plane.extent > 5000 else ("m", 1.0)
    is_drawn = False
    leaps: list[Any] = []
    for activity, line in _lines(day.geojson["features"]):
        east, north = plane.east_north(line[:, 1], line[:, 0])
        far = _leaps(east, north)
        ends = [np.stack([values[far - 1], values[far]]) / metres for values in (east, north)]
        leaps += panel.plot(*ends, color=_EDGE, linewidth=0.9, linestyle=(0, (2, 4)))
        panel.plot(
            np.insert(east, far, np.nan) / metres,
            np.insert(north, far, np.nan) / metres,
            color=ACTIVITY_COLOURS.get(activity, ACTIVITY_COLOURS["unknown"]),
            linestyle=_DASHES.get(activity, "-"),
            linewidth=2,
        )
        is_drawn = True
    for stay in _places(day.timeline_json["items"], plane):
        centre = (stay.east / metres, stay.north / metres)
        for radius in stay.radii:
            panel.add_patch(
                Circle(
                    centre,
                    radius / metres,
                    facecolor=ACTIVITY_COLOURS["stationary"] + "30",
                    edgecolor=ACTIVITY_COLOURS["stationary"],
                    zorder=3,
                )
            )
        panel.plot(*centre, "o", color=ACTIVITY_COLOURS["stationary"], markersize=4, zorder=4)
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
    _plain(panel)


def _draw_speed(panel: Axes, fixes: dict[str, _Floats], axis: _TimeAxis) -> None:
    known = np.isfinite(fixes["speed"])
    times, speeds = fixes["t"][known], fixes["speed"][known] * 3.6
    far = np.flatnonzero((np.diff(times) > _LONGEST_LINE) | (np.diff(times) < 0)) + 1
    panel.plot(
        axis.x(np.insert(times, far, times[far])),
        np.insert(speeds, far, np.nan),
        color=_LINE,
        linewidth=0.9,
        marker="." if len(times) < 2 else None,
    )
    _finish(panel, axis, "speed, km/h", max(5.0, float(speeds.max())))


def _draw_cadence(panel: Axes, seconds: dict[str, _Floats], axis: _TimeAxis) -> None:
    middle = (seconds["t_start"] + seconds["t_end"]) / 2
    panel.plot(axis.x(middle), seconds["cadence"], ".", color=_LINE, markersize=1.5)
    known = seconds["cadence"][np.isfinite(seconds["cadence"])]
    _finish(panel, axis, "cadence,\nsteps/min", max(100.0, float(known.max(initial=0))))
    if not len(known):
        panel.text(0.5, 0.5, "no steps", ha="center", transform=panel.transAxes, color=_EDGE)


def _finish(panel: Axes, axis: _TimeAxis, label: str, highest: float) -> None:
    axis.apply(panel)
    panel.set_ylim(0, highest * 1.08)
    panel.set_ylabel(label)
    panel.grid(color="#e6e8eb", linewidth=0.6)
    _plain(panel)


def _plain(panel: Axes) -> None:
    panel.spines[["top", "right"]].set_visible(False)


def _lines(features: Sequence[dict[str, Any]]) -> Iterator[tuple[str, _Floats]]:
    """Iterate over the lines of the legs, each an array (n, 2) of longitude and latitude."""
    for feature in features:
        geometry = feature["geometry"]
        if geometry is None or feature["properties"]["type"] != "trip":
            continue
        coordinates = geometry["coordinates"]
        for line in [coordinates] if geometry["type"] == "LineString" else coordinates:
            yield feature["properties"]["activity"] or "unknown", np.array(line, np.float64)


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
