"""Plots of a day with matplotlib, which is imported with this module."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Sequence
from datetime import timezone, tzinfo
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
from matplotlib import dates, ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch

from ._frames import utc_datetimes
from ._map import draw_map
from ._timeline import COLOURS, Clock, Piece, pieces

__all__ = ["ACTIVITY_COLOURS", "plot_day"]

ACTIVITY_COLOURS: dict[str, str] = dict(COLOURS)
"""The colour of each activity, `#rrggbb`: those of the report, distinct for the colour-blind."""

_Floats = npt.NDArray[np.float64]

_LINE = "#3b4048"
_EDGE = "#8b8f96"
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200)
#: Fixes further apart than this are not joined by a line, seconds.
_LONGEST_LINE = 120.0


class DayLike(Protocol):
    """What is plotted of a `Day`."""

    @property
    def summary(self) -> str: ...

    @property
    def timeline_json(self) -> dict[str, Any]: ...

    @property
    def geojson(self) -> dict[str, Any]: ...

    def table(self, name: str) -> dict[str, Any]: ...


class _DayFigure(Figure):
    """A figure that a notebook shows also where pyplot was never imported."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def plot_day(
    day: DayLike, figure: Figure | SubFigure | None = None, *, time_zone: str | None = None
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
    fixes, cadence = day.table("fixes"), day.table("cadence")
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
        draw_map(axes["map"], fixes, items, day.geojson["features"])
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
