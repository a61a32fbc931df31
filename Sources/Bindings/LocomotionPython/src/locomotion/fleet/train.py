"""The training of a model on the windows of many people."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from .. import _native
from ..errors import InputOutputError, RejectedInput, UsageError
from .engines import Engine, engine
from .fit import Options, Training, Windows, fit, typed


class _Person(NamedTuple):
    """A person of a data set: a task."""

    folder: str
    name: str
    set: int
    """The place of the data set among all."""
    seconds: float
    """Of labels."""


def train(
    sets: Sequence[str],
    *,
    out: str,
    seed: int = 1,
    is_altered: bool = True,
    master: str = "none",
    jobs: int | None = None,
    partitions: int | None = None,
) -> Training:
    """Train a model on labelled data sets, and write its file.

    The model is that of ``locomotion train`` on the same sets. A task computes the windows of a
    person, with their features, and they stay where they are: sums over them are formed there,
    and the normal equations are solved where this is called. All sums are of integers, so that the
    model is the same for every `master` and any number of partitions; only processors that add
    floating-point numbers in another order differ (``OPENBLAS_CORETYPE`` makes them alike).

    A recording that is damaged is set aside.

    Parameters
    ----------
    sets : sequence of str
        Folders of labelled data sets, which every worker can read.
    out : str
        The model's file.
    seed : int, optional
        Of all that is random: the strengths of alterations, and the order of the days that time
        models are chosen by.
    is_altered : bool, optional
        Whether altered copies of the recordings are trained on as well.
    master, jobs : optional
        As in `analyze`.
    partitions : int, optional
        The number of parts in which the people are worked on; some for each processor by default.

    Returns
    -------
    Training
        The model and its report, in which the importance of features and the comparison with other
        methods are missing: they need all features in one place.

    Raises
    ------
    RejectedInput
        The sets hold no windows of two activities and two people.
    UsageError
        Two sets have one name.
    LocomotionError
        The command's, for a set whose labels cannot be used.
    """
    options = Options(seed, is_altered)
    people, ignored = _people(sets)
    folder = os.path.dirname(os.path.abspath(out))
    try:
        # Refused before work that may take long.
        file = tempfile.NamedTemporaryFile(dir=folder, prefix=".model-", delete=False)
    except OSError as error:
        raise InputOutputError(f"{out}: cannot be written: {error.strerror}") from error
    try:
        with file, closing(engine(master, jobs)) as runner:
            trained = _train(people, ignored, options, runner, partitions)
            file.write(trained.model)
        # As of any other new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(file.name, 0o666 & ~mask)
        os.replace(file.name, out)
    except BaseException:
        os.unlink(file.name)
        raise
    return trained


def _people(sets: Sequence[str]) -> tuple[list[_Person], list[str]]:
    """Return the people of the sets, and a line for each label without an activity."""
    people: list[_Person] = []
    ignored: list[str] = []
    folders: dict[str, str] = {}
    for place, folder in enumerate(map(os.path.abspath, sets)):
        found = _native.training_people(folder)
        rows = json.loads(found["people"].tobytes())
        if not rows:
            raise RejectedInput(f"{folder}: expected labels of activities, found none")
        name = rows[0]["dataset"]
        if name in folders:
            raise UsageError(f"{folders[name]}, {folder}: expected one set of the name {name}")
        folders[name] = folder
        ignored += found["ignored"].tobytes().decode().splitlines()
        people += [_Person(folder, row["person"], place, row["seconds"]) for row in rows]
    return people, ignored


def _train(
    people: list[_Person], ignored: list[str], options: Options, runner: Engine,
    partitions: int | None,
) -> Training:  # fmt: skip
    values = [(person.seconds, person) for person in people]
    task = functools.partial(_windows, os.getcwd(), options)
    with closing(runner.blocks(task, values, "windows", partitions)) as blocks:
        return fit(blocks, options, ignored)


def _windows(working_folder: str, options: Options, person: _Person) -> Windows:
    """Compute a person's windows, in the folder beside which descriptions of sets are."""
    previous = os.getcwd()
    os.chdir(working_folder)
    try:
        found = _native.training_windows(
            person.folder, person.name, options.is_altered, options.seed
        )
    finally:
        os.chdir(previous)
    rejected = json.loads(found.pop("failures").tobytes())
    arrays = typed(found)
    arrays["set"] = np.full(len(arrays["classes"]), person.set, np.int32)
    return Windows(arrays, [(f"{person.folder}/{name}", reason) for name, reason in rejected])


def scores_by_person(training: Training) -> list[str]:
    """Return a line for each person: windows, and how many a model without them has right.

    Single windows, and those of the live filter.
    """
    report = training.scores["unseenPeople"]
    lines = []
    for name, own in sorted(report["windows"]["bySubject"].items()):
        live = report["live"]["bySubject"][name]
        figures = (f"{100 * _accuracy(one):.1f} %" for one in (own, live))
        lines.append("  ".join((name, f"{_total(own)} windows", *figures)))
    return lines


def _total(evaluation: Mapping[str, Any]) -> int:
    rows: Mapping[str, Mapping[str, int]] = evaluation["confusion"]
    return sum(sum(answers.values()) for answers in rows.values())


def _accuracy(evaluation: Mapping[str, Any]) -> float:
    rows: Mapping[str, Mapping[str, int]] = evaluation["confusion"]
    right = sum(answers.get(truth, 0) for truth, answers in rows.items())
    return right / max(1, _total(evaluation))
