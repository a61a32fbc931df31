"""The page on people and weeks, in which small cells are not shown."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq

from .._columns import ACTIVITIES
from .._timeline import COLOURS
from ..errors import InputOutputError, UsageError
from .page import HIDDEN, Page
from .rules import LEAST_PEOPLE
from .storage import Storage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODES = (*ACTIVITIES[1:], "other")
_HATCHES = dict(zip(MODES, ("", "//", "..", "\\\\", "xx", "--"), strict=True))

_STAYS = (15, 30, 60, 120, 240, 480)
"""The bounds of the lengths of stays, minutes."""

_LEAST_RECORDED = 3600
"""Of days with less recorded, seconds, the steps say nothing."""


@dataclass
class _Week:
    """What the people of a week come to."""

    people: set[str] = field(default_factory=set)
    days: int = 0
    recorded: float = 0.0
    named: float = 0.0
    expected_right: float = 0.0
    novel: float = 0.0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    metres: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    travellers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    steps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


class Cells:
    """Decides which cells are shown.

    A cell of fewer people than `fewest` is not. When that leaves one hidden in a row, which the
    row's total would tell, the smallest other one is hidden with it.

    Parameters
    ----------
    fewest : int
        The fewest people of a cell that is shown, at least 1.
    """

    def __init__(self, fewest: int) -> None:
        if fewest < 1:
            raise UsageError(f"--fewest {fewest}: expected a number of at least 1")
        self.fewest = fewest

    def shows(self, people: int) -> bool:
        """Return whether a cell of so many people is shown."""
        return people >= self.fewest

    def shown(self, people: Sequence[int]) -> list[bool]:
        """Return which cells of a row are shown; those of nobody are, as they are empty."""
        shown = [count == 0 or self.shows(count) for count in people]
        if shown.count(False) == 1:
            others = [index for index, count in enumerate(people) if shown[index] and count]
            if others:
                shown[min(others, key=lambda index: (people[index], index))] = False
        return shown


def report(target: str, *, html: str | None = None, fewest: int = LEAST_PEOPLE) -> str:
    """Write a page on mode share, distances, steps and dwell over people and weeks.

    Weeks begin on Monday, by the dates (UTC) of the tables. Cells of fewer than `fewest` people
    are not shown.

    Parameters
    ----------
    target : str
        The tables of `analyze`.
    html : str, optional
        The page's file; ``report.html`` beside the tables by default.
    fewest : int, optional
        The fewest people of a cell, at least 1.

    Returns
    -------
    str
        The path of the page.

    Raises
    ------
    InputOutputError
        There are no tables.
    UsageError
        `fewest` is below 1.
    """
    storage, cells = Storage(target), Cells(fewest)
    weeks: dict[date, _Week] = defaultdict(_Week)
    for row in _rows(storage, "days"):
        _add_day(weeks, row)
    if not weeks:
        raise InputOutputError(f"{storage.root}: no days of 'analyze'")
    page = Page("People on the move")
    everyone = set().union(*(week.people for week in weeks.values()))
    page.text(
        f"{_people(len(everyone), cells)}, {sum(week.days for week in weeks.values())} days "
        f"in {len(weeks)} week{'s' if len(weeks) > 1 else ''}. Cells of fewer than {fewest} people "
        f"are not shown ({HIDDEN}); shares and sums are of what is shown."
    )
    ordered = dict(sorted(weeks.items()))
    _modes(page, ordered, cells)
    _steps(page, ordered, cells)
    _dwell(page, _rows(storage, "items"), cells)
    _quality(page, ordered, cells, storage)
    content = page.html().encode()
    if html is not None:
        path = html
        with open(path, "wb") as file:
            file.write(content)
        return path
    storage.write("report.html", content)
    return f"{storage.root}/report.html"


def _rows(storage: Storage, name: str) -> Iterable[dict[str, Any]]:
    for entry in storage.find(name):
        if entry.path.endswith(".parquet"):
            with storage.open(entry.path) as file:
                yield from pq.ParquetFile(file).read().to_pylist()


def _add_day(weeks: dict[date, _Week], row: dict[str, Any]) -> None:
    day = date.fromisoformat(row["date"])
    week = weeks[day - timedelta(days=day.weekday())]
    user = row["user"]
    week.people.add(user)
    week.days += 1
    week.recorded += row["recorded_s"]
    week.named += row["recorded_s"] - row["unknown_s"]
    week.expected_right += row["expected_right_s"]
    week.novel += row["novel_s"]
    for mode in MODES:
        if row[f"{mode}_s"] > 0:
            week.travellers[mode].add(user)
            week.seconds[mode] += row[f"{mode}_s"]
            week.metres[mode] += row[f"{mode}_m"]
    if row["recorded_s"] >= _LEAST_RECORDED:
        week.steps[user].append(row["steps"])


def _people(count: int, cells: Cells) -> str:
    return f"{count} people" if cells.shows(count) else f"Fewer than {cells.fewest} people"


def _modes(page: Page, weeks: dict[date, _Week], cells: Cells) -> None:
    page.heading("Mode share and distance")
    distances, times, shares = [], [], {}
    for day, week in weeks.items():
        counts = [len(week.travellers[mode]) for mode in MODES]
        shown = cells.shown(counts)
        known = [mode for mode, is_shown in zip(MODES, shown, strict=True) if is_shown]
        total = sum(week.metres[mode] for mode in known)
        shares[day] = {mode: week.metres[mode] / total if total else 0.0 for mode in known}
        distances.append(
            [str(day)]
            + [
                f"{week.metres[mode] / 1000:,.1f} ({100 * shares[day][mode]:.0f} %)"
                if is_shown
                else HIDDEN
                for mode, is_shown in zip(MODES, shown, strict=True)
            ]
            + [f"{total / 1000:,.1f}"]
        )
        hours = sum(week.seconds[mode] for mode in known) / 3600
        times.append(
            [str(day)]
            + [
                f"{week.seconds[mode] / 3600:,.1f}" if is_shown else HIDDEN
                for mode, is_shown in zip(MODES, shown, strict=True)
            ]
            + [f"{hours:,.1f}"]
        )
    header = ["week of", *MODES, "sum"]
    page.table("Distance, km, and its share", header, distances)
    page.table("Time under way, h", header, times)
    page.plot(_share_figure(shares), "The share of each mode in the distance of a week")


def _share_figure(shares: dict[date, dict[str, float]]) -> Figure:
    figure, panel = _figure()
    places = np.arange(len(shares))
    below = np.zeros(len(shares))
    for mode in MODES:
        height = np.array([week.get(mode, 0.0) for week in shares.values()])
        if height.any():
            colour = COLOURS.get(mode, COLOURS["unknown"])
            panel.bar(
                places, height, bottom=below, width=0.8, color=colour, edgecolor="white",
                hatch=_HATCHES[mode], label=mode,
            )  # fmt: skip
        below += height
    panel.set_ylabel("share of the distance")
    panel.set_ylim(0, 1)
    _weeks_axis(panel, list(shares))
    if panel.get_legend_handles_labels()[0]:
        panel.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return figure


def _steps(page: Page, weeks: dict[date, _Week], cells: Cells) -> None:
    page.heading("Steps")
    rows, shown = [], {}
    for day, week in weeks.items():
        means = np.array([sum(days) / len(days) for days in week.steps.values()])
        if cells.shows(len(means)):
            low, middle, high = np.quantile(means, (0.25, 0.5, 0.75)).tolist()
            shown[day] = (low, middle, high)
            texts = [str(len(means)), *(f"{value:,.0f}" for value in (low, middle, high))]
        else:
            texts = [HIDDEN] * 4
        rows.append([str(day), *texts])
    header = ["week of", "people", "lower quartile", "median", "upper quartile"]
    page.table(
        "Steps a day, the mean of each person, on days with an hour and more", header, rows
    )
    if shown:
        figure, panel = _figure()
        places = np.arange(len(shown))
        low, middle, high = np.array(list(shown.values())).T
        panel.errorbar(
            places, middle, (middle - low, high - middle), fmt="o", color=COLOURS["walking"],
            capsize=4,
        )  # fmt: skip
        panel.set_ylim(0, None)
        panel.set_ylabel("steps a day")
        _weeks_axis(panel, list(shown))
        page.plot(figure, "Steps a day: the median of people and the middle half of them")


def _dwell(page: Page, items: Iterable[dict[str, Any]], cells: Cells) -> None:
    people: dict[int, set[str]] = defaultdict(set)
    stays: dict[int, int] = defaultdict(int)
    hours: dict[int, float] = defaultdict(float)
    for item in items:
        if item["type"] == "stay":
            minutes = (item["end"] - item["start"]) / 60e9
            place = int(np.searchsorted(_STAYS, minutes, "right"))
            people[place].add(item["user"])
            stays[place] += 1
            hours[place] += minutes / 60
    bounds = [0, *_STAYS, math.inf]
    names = [
        f"{_minutes(low)} to {_minutes(high)}" if high < math.inf else f"{_minutes(low)} and more"
        for low, high in zip(bounds, bounds[1:], strict=False)
    ]
    shown = cells.shown([len(people[place]) for place in range(len(names))])
    rows = [
        [name, str(stays[place]), f"{hours[place]:,.1f}", str(len(people[place]))]
        if shown[place]
        else [name, HIDDEN, HIDDEN, HIDDEN]
        for place, name in enumerate(names)
    ]
    page.heading("Dwell")
    page.table("Stays by their length", ["length", "stays", "hours", "people"], rows)
    figure, panel = _figure()
    heights = [stays[place] if shown[place] else 0 for place in range(len(names))]
    panel.bar(range(len(names)), heights, color=COLOURS["automotive"])
    panel.set_xticks(range(len(names)), names, rotation=30, ha="right")
    panel.set_ylabel("stays")
    page.plot(figure, "The number of stays by their length")


def _minutes(minutes: float) -> str:
    return f"{minutes / 60:g} h" if minutes >= 60 else f"{minutes:g} min"


def _quality(page: Page, weeks: dict[date, _Week], cells: Cells, storage: Storage) -> None:
    page.heading("What was recorded")
    rows = []
    for day, week in weeks.items():
        if cells.shows(len(week.people)):
            hours = week.recorded / week.days / 3600
            rows.append(
                [
                    str(day), str(len(week.people)), str(week.days), f"{hours:.1f}",
                    _percent(week.expected_right, week.named), _percent(week.novel, week.recorded),
                ]
            )  # fmt: skip
        else:
            rows.append([str(day), *[HIDDEN] * 5])
    header = ["week of", "people", "days", "hours a day", "expected to be right", "unlike training"]
    page.table("People and days", header, rows)
    page.text(
        "Expected to be right: the mean probability of the named activities. Unlike training: the "
        "share of the seconds whose motion the model was not trained on. The table 'days' has both "
        "for each person and day."
    )
    rejected = sum(1 for _ in _rows(storage, "rejected"))
    page.text(f"{rejected} recordings were set aside; the table 'rejected' has the reasons.")


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else "–"


def _figure() -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6), layout="constrained")
    panel = figure.subplots()
    panel.spines[["top", "right"]].set_visible(False)
    return figure, panel


def _weeks_axis(panel: Any, days: list[date]) -> None:
    step = max(1, math.ceil(len(days) / 12))
    panel.set_xticks(
        range(0, len(days), step), [str(day) for day in days[::step]], rotation=30, ha="right"
    )
    panel.set_xlim(-0.6, max(len(days) - 0.4, 0.6))
