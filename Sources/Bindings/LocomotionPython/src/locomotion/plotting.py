"""Plots of a day with matplotlib, which is imported with this module."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterator, Sequence
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
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200)
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
    times = [fixes["t"], cadence["t_start"], cadence["t_end"]]
    times += [np.array([item["start"], item["end"]], np.float64) for item in items]
    together = np.concatenate(times)
    axis = _TimeAxis(float(together.min()), float(together.max()), zone, day.is_unix_time)
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

    def __init__(self, start: float, end: float, zone: tzinfo, is_civil: bool) -> None:
        self._start = start
        self._zone = zone
        self._is_civil = is_civil
        self._is_fine = end - start < 600
        self._limits = self.x([start, max(end, start + 1)])

    def x(self, seconds: npt.ArrayLike) -> _Floats:
        """Return days of matplotlib's dates, or the seconds since the start."""
        values = np.asarray(seconds, np.float64)
        if self._is_civil:
            return np.asarray(dates.date2num(utc_datetimes(values)), np.float64)
        return np.asarray(values - self._start, np.float64)

    def apply(self, panel: Axes) -> None:
        """Set the limits and ticks of a panel."""
        low, high = self._limits
        panel.set_xlim(low, high)
        if self._is_civil:
            locator = dates.AutoDateLocator(self._zone, minticks=4, maxticks=10)
            panel.xaxis.set_major_locator(locator)
            panel.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, self._zone))
            return
        days = math.ceil(high / 864_000) * 86_400
        step = next((step for step in _STEPS if high / step <= 10), days)
        panel.xaxis.set_major_locator(ticker.MultipleLocator(step))
        panel.xaxis.set_major_formatter(ticker.FuncFormatter(self._elapsed))

    def _elapsed(self, x: float, _: int | None) -> str:
        """Return "0:05" since the start; with seconds in a short recording."""
        seconds = max(int(x), 0)
        text = f"{seconds // 3600}:{seconds // 60 % 60:02}"
        return f"{text}:{seconds % 60:02}" if self._is_fine else text

    @property
    def label(self) -> str:
        if self._is_civil:
            return f"time of day, {self._zone}"
        return f"time since the start, {'h:mm:ss' if self._is_fine else 'h:mm'}"


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
        self.extent = float(max(map(np.ptp, self.metres(latitudes[known], longitudes[known]))))

    def metres(self, latitudes: npt.ArrayLike, longitudes: npt.ArrayLike) -> tuple[Any, Any]:
        """Return how far east and how far north positions are."""
        # The shorter way round, across the antimeridian too.
        turned = (np.asarray(longitudes) - self._longitude + 180) % 360 - 180
        north = np.radians(np.asarray(latitudes) - self._latitude) * self._north
        return np.radians(turned) * self._east, north


def _draw_map(panel: Axes, fixes: Columns, items: Items, features: Sequence[Any]) -> None:
    """Draw the lines of a track's features and the stays of a timeline, or else the fixes."""
    plane = _Plane(fixes["lat"], fixes["lon"])
    unit, metres = ("km", 1000.0) if plane.extent > 5000 else ("m", 1.0)
    leaps: list[Any] = []
    for activity, line in _lines(features):
        east, north = plane.metres(line[:, 1], line[:, 0])
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
    for (east, north), stays in _places(items, plane):
        centre = (east / metres, north / metres)
        colour = ACTIVITY_COLOURS["stationary"]
        for radius, _ in stays:
            style: dict[str, Any] = {"facecolor": colour + "30", "edgecolor": colour, "zorder": 3}
            panel.add_patch(Circle(centre, radius / metres, **style))
        panel.plot(*centre, "o", color=colour, markersize=4, zorder=4)
        numbers = textwrap.shorten(", ".join(name for _, name in stays), 24, placeholder=" …")
        panel.annotate(
            numbers, centre, xytext=(5, 4), textcoords="offset points", size=8, zorder=5
        )
    if not panel.lines:
        east, north = plane.metres(fixes["lat"], fixes["lon"])
        panel.plot(east / metres, north / metres, ".", color=_LINE)
    if leaps:
        panel.legend(leaps[:1], ["no positions between"], frameon=False, fontsize="small")
    panel.set_aspect("equal", adjustable="datalim")
    panel.margins(0.05)
    panel.set_xlabel(f"east, {unit}")
    _finish(panel, f"north, {unit}")


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


def _places(
    items: Items, plane: _Plane
) -> list[tuple[tuple[float, float], list[tuple[float, str]]]]:
    """Return places in metres, each with the radii and numbers of its stays.

    Stays that would lie on one another share a place.
    """
    found: list[tuple[tuple[float, float], list[tuple[float, str]]]] = []
    for number, item in enumerate(items):
        if item["type"] != "stay" or item["lat"] is None:
            continue
        east, north = map(float, plane.metres(item["lat"], item["lon"]))
        stay = (float(item["radius"]), str(number))
        for place, stays in found:
            widest = max(stay[0], *(radius for radius, _ in stays), plane.extent / 100)
            if math.dist(place, (east, north)) <= widest:
                stays.append(stay)
                break
        else:
            found.append(((east, north), [stay]))
    return found


def _leaps(east: _Floats, north: _Floats) -> npt.NDArray[np.intp]:
    """Return the points of a line before which the positions are missing, as in a tunnel.

    The points have no times, but are evenly spaced in time.
    """
    steps = np.hypot(np.diff(east), np.diff(north))
    longest = max(_LONGEST_STEP, 20 * float(np.median(steps))) if len(steps) else 0.0
    return np.flatnonzero(steps > longest) + 1
