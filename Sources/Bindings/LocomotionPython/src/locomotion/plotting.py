"""Plots of a day with matplotlib, which is imported with this module."""

from __future__ import annotations

import io
import math
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
from matplotlib import dates, ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Circle, Patch

from .frames import Columns, Items, utc_datetimes

if TYPE_CHECKING:
    from .day import Day

__all__ = ["ACTIVITY_COLOURS", "plot_day"]

ACTIVITY_COLOURS: dict[str, str] = {
    "stationary": "#6f7782",
    "walking": "#009e73",
    "running": "#d55e00",
    "cycling": "#e69f00",
    "automotive": "#0072b2",
    "train": "#b0588f",
    "unknown": "#8b8f96",
}
"""The colour of each activity, `#rrggbb`: those of the report, distinct for the colour-blind (Okabe
and Ito, "Color universal design", 2008)."""

_Floats = npt.NDArray[np.float64]

#: Dashes tell the activities on the map apart without colour.
_DASHES: dict[str, Any] = {
    "walking": (0, (1, 1)),
    "running": (0, (3, 2)),
    "cycling": (0, (6, 2)),
    "train": (0, (6, 2, 1, 2)),
    "unknown": (0, (1, 2)),
}
#: The colours of what is no activity in the strip of time.
_STRIP = {"stay": "#c9cdd3", "gap": "#ffffff"}
_LINE = "#3b4048"
_EDGE = "#8b8f96"
_HEIGHTS = {"strip": 0.45, "map": 4.6, "speed": 1.2, "cadence": 1.2}
#: Fixes further apart than this are not joined by a line, seconds.
_LONGEST_LINE = 120.0
#: Points of a leg further apart than this, and than most, are not joined, metres.
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
    visible on any scale. Arguments, result and errors are those of `Day.plot`.
    """
    zone: tzinfo = timezone.utc if time_zone is None else ZoneInfo(time_zone)
    items = day.timeline_json["items"]
    fixes, cadence = day.table("fixes"), day.table("cadence")
    is_there = {
        "strip": len(items) > 0,
        "map": np.isfinite(fixes["lat"]).any(),
        "speed": np.isfinite(fixes["speed"]).any(),
        "cadence": len(cadence["cadence"]) > 0,
    }
    heights = {panel: height for panel, height in _HEIGHTS.items() if is_there[panel]}
    if figure is None:
        height = 1.0 + sum(height + 0.45 for height in heights.values())
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.06)
        figure = _DayFigure(figsize=(9, max(height, 1.6)), layout=layout)
    title = textwrap.fill(day.summary.split("\n", 1)[0], 84)
    figure.suptitle(title, fontsize="large", x=0.01, ha="left", parse_math=False)
    if not heights:
        figure.text(0.5, 0.4, "no data", ha="center", color=_EDGE)
        return figure
    grid = figure.add_gridspec(len(heights), 1, height_ratios=list(heights.values()))
    axes = {panel: figure.add_subplot(grid[row]) for row, panel in enumerate(heights)}
    axis = _TimeAxis(day, zone)
    if "strip" in axes:
        _draw_strip(axes["strip"], items, axis)
    if "map" in axes:
        _draw_map(axes["map"], fixes, items, day.geojson["features"])
    if "speed" in axes:
        _draw_speed(axes["speed"], fixes, axis)
    if "cadence" in axes:
        _draw_cadence(axes["cadence"], cadence, axis)
    along_time = [panel for name, panel in axes.items() if name != "map"]
    if along_time:
        along_time[-1].set_xlabel(axis.label)
    return figure


# Along time


class _TimeAxis:
    """The horizontal axis of the panels along time: times of day, or since the start."""

    def __init__(self, day: Day[Any], zone: tzinfo) -> None:
        self._start, self._zone, self._is_civil = day.start or 0.0, zone, day.is_unix_time
        self._limits = self.x([self._start, max(day.end or 0.0, self._start + 1)])
        self.label = f"time of day, {zone}" if day.is_unix_time else "time since the start"

    def x(self, seconds: npt.ArrayLike) -> _Floats:
        """Return days of matplotlib's dates, or the seconds since the start."""
        values = np.asarray(seconds, np.float64)
        if self._is_civil:
            return np.asarray(dates.date2num(utc_datetimes(values)), np.float64)
        return np.asarray(values - self._start, np.float64)

    def apply(self, panel: Axes) -> None:
        """Set the limits and ticks of a panel."""
        panel.set_xlim(*self._limits)
        if self._is_civil:
            locator = dates.AutoDateLocator(self._zone, minticks=4, maxticks=10)
            panel.xaxis.set_major_locator(locator)
            panel.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, self._zone))
            return
        panel.xaxis.set_major_locator(ticker.MaxNLocator(8, steps=[1, 1.2, 3, 6, 10]))
        panel.xaxis.set_major_formatter(lambda x, _: str(timedelta(seconds=max(round(x), 0))))


def _draw_strip(panel: Axes, items: Items, axis: _TimeAxis) -> None:
    """Draw the stays, the legs of the trips and the gaps, which tile the time."""
    axis.apply(panel)
    low, high = panel.get_xlim()
    names: dict[str, Patch] = {}
    for number, item in enumerate(items):
        kind = item["type"]
        for part in item["legs"] if kind == "trip" else [item]:
            activity = part.get("activity") or "unknown"
            name = {"stay": "stay", "gap": "no data"}.get(kind, activity)
            colour = ACTIVITY_COLOURS.get(activity, ACTIVITY_COLOURS["unknown"])
            left, right = axis.x([part["start"], part["end"]])
            style: dict[str, Any] = {
                "facecolor": _STRIP.get(kind, colour),
                "edgecolor": _EDGE if kind == "gap" else "white",
                "linewidth": 0.5,
                "hatch": "///" if name in ("no data", "unknown") else None,
            }
            panel.axvspan(left, right, **style)
            names.setdefault(name, Patch(label=name, **style))
            if kind == "stay" and right - left > (high - low) / 50:
                middle = (left + right) / 2
                panel.text(middle, 0.5, str(number), ha="center", va="center", size=8)
    panel.set_ylim(0, 1)
    panel.set_yticks([])
    panel.spines[:].set_visible(False)
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1)}
    handles = list(names.values())
    panel.legend(handles=handles, ncols=len(names), frameon=False, fontsize="small", **place)


def _draw_speed(panel: Axes, fixes: Columns, axis: _TimeAxis) -> None:
    known = np.isfinite(fixes["speed"])
    times, speeds = fixes["t"][known], fixes["speed"][known] * 3.6
    far = np.flatnonzero((np.diff(times) > _LONGEST_LINE) | (np.diff(times) < 0)) + 1
    style = {"linewidth": 0.9, "marker": "." if len(times) < 2 else None}
    times, speeds = np.insert(times, far, times[far]), np.insert(speeds, far, np.nan)
    _draw_values(panel, times, speeds, axis, "speed, km/h", 5, style)


def _draw_cadence(panel: Axes, seconds: Columns, axis: _TimeAxis) -> None:
    middle = (seconds["t_start"] + seconds["t_end"]) / 2
    style = {"linestyle": "", "marker": ".", "markersize": 1.5}
    _draw_values(panel, middle, seconds["cadence"], axis, "cadence,\nsteps/min", 100, style)
    if not np.isfinite(seconds["cadence"]).any():
        panel.text(0.5, 0.5, "no steps", ha="center", transform=panel.transAxes, color=_EDGE)


def _draw_values(
    panel: Axes, times: _Floats, values: _Floats, axis: _TimeAxis, label: str, least: float,
    style: dict[str, Any],
) -> None:  # fmt: skip
    """Draw values from 0 to the largest, and to `least` at least."""
    panel.plot(axis.x(times), values, color=_LINE, **style)
    axis.apply(panel)
    panel.set_ylim(0, float(np.fmax.reduce(values, initial=least)) * 1.08)
    _finish(panel, label)


def _finish(panel: Axes, label: str) -> None:
    """Name the vertical axis of a panel, and draw its grid."""
    panel.set_ylabel(label)
    panel.grid(color="#e6e8eb", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


# On the map


def _draw_map(panel: Axes, fixes: Columns, items: Items, features: Sequence[Any]) -> None:
    """Draw the lines of a track's features and the stays of a timeline, or else the fixes."""
    middle = np.nanmedian(fixes["lat"]), np.nanmedian(fixes["lon"])

    def metres(latitudes: npt.ArrayLike, longitudes: npt.ArrayLike) -> _Floats:
        """Return how far east and north of the middle positions are, on a sphere."""
        # The shorter way round, across the antimeridian too.
        turned = (np.asarray(longitudes) - middle[1] + 180) % 360 - 180
        east = np.radians(turned) * math.cos(math.radians(middle[0]))
        return np.array([east, np.radians(np.asarray(latitudes) - middle[0])]) * 6_371_009.0

    leaps: list[Any] = []
    for activity, line in _lines(features):
        points = metres(line[:, 1], line[:, 0])
        far = _leaps(*points)
        ends = points[:, np.stack([far - 1, far])]
        leaps += panel.plot(*ends, color=_EDGE, linewidth=0.9, linestyle=(0, (2, 4)))
        colour = ACTIVITY_COLOURS.get(activity, ACTIVITY_COLOURS["unknown"])
        style: dict[str, Any] = {"linestyle": _DASHES.get(activity, "-"), "linewidth": 2}
        panel.plot(*np.insert(points, far, np.nan, axis=1), color=colour, **style)
    # Stays within a hundred metres share their numbers.
    numbers: dict[tuple[float, float], list[str]] = defaultdict(list)
    colour = ACTIVITY_COLOURS["stationary"]
    for number, item in enumerate(items):
        if item["type"] != "stay" or item["lat"] is None:
            continue
        east, north = metres(item["lat"], item["lon"])
        style = {"facecolor": colour + "30", "edgecolor": colour, "zorder": 3}
        panel.add_patch(Circle((east, north), float(item["radius"]), **style))
        panel.plot(east, north, "o", color=colour, markersize=4, zorder=4)
        numbers[round(east, -2), round(north, -2)].append(str(number))
    for centre, found in numbers.items():
        text = textwrap.shorten(", ".join(found), 24, placeholder=" …")
        panel.annotate(text, centre, xytext=(5, 4), textcoords="offset points", size=8, zorder=5)
    if not panel.lines:
        panel.plot(*metres(fixes["lat"], fixes["lon"]), ".", color=_LINE)
    if leaps:
        panel.legend(leaps[:1], ["no positions between"], frameon=False, fontsize="small")
    panel.set_aspect("equal", adjustable="datalim")
    panel.margins(0.05)
    panel.set_xlabel("east, m")
    _finish(panel, "north, m")


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


def _leaps(east: _Floats, north: _Floats) -> npt.NDArray[np.intp]:
    """Return the points of a line before which the positions are missing, as in a tunnel.

    The points have no times, but are evenly spaced in time.
    """
    steps = np.hypot(np.diff(east), np.diff(north))
    longest = max(_LONGEST_STEP, 20 * float(np.median(steps))) if len(steps) else 0.0
    return np.flatnonzero(steps > longest) + 1
