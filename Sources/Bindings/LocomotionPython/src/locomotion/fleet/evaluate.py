"""Scores against labels, by person, set, placement and phone."""

from __future__ import annotations

import functools
import json
import math
import os
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _command
from .._columns import ACTIVITIES
from .._timeline import COLOURS
from ..errors import RejectedInput
from . import scores
from .engines import engine
from .page import Page
from .scores import ANSWERS, Counts, Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNDOCUMENTED = "undocumented"


class _Person(NamedTuple):
    name: str
    dataset: str
    placement: str
    phone: str
    windows: Counts


def evaluate(
    sets: list[str],
    *,
    html: str,
    model: str | None = None,
    seed: int = 1,
    master: str = "none",
    jobs: int | None = None,
) -> str:
    """Score live activities against labels, and write a page of it.

    The windows and answers are those of ``locomotion evaluate``, without the receiver's speeds that
    few sets have: a task for each set. Placement and
    phone are what the set's description states in ``placement`` and ``phone``. Intervals hold 95 %
    of the scores of resampled people; see `scores.interval`.

    Parameters
    ----------
    sets : list of str
        Folders of labelled data sets, which every worker can read.
    html : str
        The page's file.
    model : str, optional
        A model file; the built-in model by default. Of people on whom it was trained the scores say
        how well it knows them.
    seed : int, optional
        Of the resampling.
    master, jobs : optional
        As in `analyze`.

    Returns
    -------
    str
        The overall scores as text.

    Raises
    ------
    RejectedInput
        No labelled window is in the sets.
    LocomotionError
        The command's, for a set that cannot be used.
    """
    values = [(_size(folder), os.path.abspath(folder)) for folder in sets]
    task = functools.partial(_task, os.getcwd(), model and os.path.abspath(model))
    with closing(engine(master, jobs)) as runner:
        results = runner.run(task, values, "sets scored")
    people = [
        _Person(
            row["name"], row["dataset"], row["placement"], row["phone"], np.array(row["windows"])
        )
        for result in sorted(results, key=lambda result: str(result["dataset"]))
        for row in result["people"]
    ]
    if not people:
        raise RejectedInput(f"{', '.join(sets)}: expected labelled windows, found none")
    page = Page("Activities against labels")
    overall = [_row("all", people, seed)]
    page.text(
        f"{len(people)} people in {len(results)} sets; live answers, windows of some seconds. An "
        "unknown activity is a wrong answer. In brackets what holds 95 % of the scores when people "
        "are drawn anew; of one person it is not known."
    )
    for note in sorted({note for result in results for note in result["notes"]}):
        page.text(note)
    header = ["", "people", "windows", "accuracy", "macro F1"]
    page.table("Overall", header, overall)
    page.table("By activity", ["activity", "windows", "recall", "precision"], _classes(people))
    page.table("Answers by truth", ["truth", *ANSWERS], _confusion(people))
    for title, key in (
        ("By set", "dataset"),
        ("By placement", "placement"),
        ("By phone", "phone"),
        ("By person", "name"),
    ):
        groups: dict[str, list[_Person]] = defaultdict(list)
        for person in people:
            groups[getattr(person, key)].append(person)
        rows = [_row(name, group, seed) for name, group in sorted(groups.items())]
        page.table(title, header, rows)
        if key == "dataset":
            page.plot(_figure(groups, seed), "The accuracy in each set with its interval")
    with open(html, "w", encoding="utf-8") as file:
        file.write(page.html())
    _, count, windows, accuracy, f1 = overall[0]
    return f"{count} people, {windows} windows: accuracy {accuracy}, macro F1 {f1}; {html}"


def _size(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).glob("*") if path.is_file())


def _task(working_folder: str, model: str | None, folder: str) -> dict[str, Any]:
    """Score a set, in the folder beside which the command looks for descriptions."""
    previous = os.getcwd()
    os.chdir(working_folder)
    try:
        words = ["evaluate", "--json", "--dataset", folder]
        completed = _command.run(words + (["--model", model] if model else []))
        found = json.loads(completed.stdout)
        description = _description(folder)
    finally:
        os.chdir(previous)
    placement = str(description.get("placement", _UNDOCUMENTED))
    phone = str(description.get("phone", _UNDOCUMENTED))
    name = os.path.basename(folder)
    return {
        "dataset": name,
        # What the command says of people whom the model knows.
        "notes": [line for line in completed.stderr.splitlines() if "was trained on" in line],
        "people": [
            {
                "name": person,
                "dataset": name,
                "placement": placement,
                "phone": phone,
                "windows": scores.counts(one["confusion"]).tolist(),
            }
            for person, one in sorted(found["live"]["bySubject"].items())
        ],
    }


def _description(folder: str) -> dict[str, Any]:
    name = os.path.basename(folder)
    for path in (f"Datasets/Descriptions/{name}.json", f"{folder}/dataset.json"):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found: dict[str, Any] = json.load(file)
            return found
    return {}


def _row(name: str, people: list[_Person], seed: int) -> list[str]:
    windows = [person.windows for person in people]
    count = int(sum(part.sum() for part in windows))
    return [
        name,
        str(len(people)),
        str(count),
        _text(scores.interval(windows, scores.accuracy, seed)),
        _text(scores.interval(windows, scores.macro_f1, seed)),
    ]


def _text(score: Interval) -> str:
    if math.isnan(score.value):
        return ""
    text = f"{100 * score.value:.1f} %"
    if math.isnan(score.low):
        return text
    return f"{text} [{100 * score.low:.1f}, {100 * score.high:.1f}]"


def _classes(people: list[_Person]) -> list[list[str]]:
    windows = np.sum([person.windows for person in people], axis=0)
    rows = []
    for index, name in enumerate(ACTIVITIES):
        own, answered = windows[index].sum(), windows[:, index].sum()
        if own > 0:
            right = windows[index, index]
            precision = f"{100 * right / answered:.1f} %" if answered else ""
            rows.append([name, f"{own:.0f}", f"{100 * right / own:.1f} %", precision])
    return rows


def _confusion(people: list[_Person]) -> list[list[str]]:
    windows = np.sum([person.windows for person in people], axis=0)
    return [
        [name, *(f"{count:.0f}" for count in windows[index])]
        for index, name in enumerate(ACTIVITIES)
        if windows[index].sum() > 0
    ]


def _figure(groups: dict[str, list[_Person]], seed: int) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.8 + 0.32 * len(groups)), layout="constrained")
    panel = figure.subplots()
    names = sorted(groups, reverse=True)
    for place, name in enumerate(names):
        windows = [person.windows for person in groups[name]]
        score = scores.interval(windows, scores.accuracy, seed)
        colour = COLOURS["automotive"]
        panel.plot(score.value, place, "o", color=colour)
        if not math.isnan(score.low):
            panel.plot((score.low, score.high), (place, place), color=colour)
    panel.set_yticks(range(len(names)), names)
    panel.set_xlabel("accuracy")
    panel.set_xlim(0, 1.02)
    panel.spines[["top", "right"]].set_visible(False)
    return figure
