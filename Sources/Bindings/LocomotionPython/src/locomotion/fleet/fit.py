"""From blocks of people's windows to a model, by sums over them."""

from __future__ import annotations

import functools
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _native
from .blocks import Blocks, Shared
from .terminal import progress

Arrays = dict[str, npt.NDArray[Any]]
"""Arrays by name; see `TrainingSteps` and `DividedTraining` of the library."""

_TYPES: dict[str, Any] = {
    "features": np.float32, "recordings": np.int32, "ends": np.int64, "speeds": np.float32,
    "rotation": np.float32, "places": np.int64, "indices": np.uint32,
    "units": np.uint64, "elements": np.uint64, "outliers": np.float64,
    "without_person": np.float64, "without_dataset": np.float64,
}  # fmt: skip

#: What the scores of a window are sent back with.
_LABELS = (
    "classes", "recordings", "ends", "speeds", "has_rotation", "rotation", "origins", "places",
    "set",
)  # fmt: skip


#: The steps by which quantiles are found; see `PartitionedTrainer.levels`.
_LEVELS = 3


class Windows(NamedTuple):
    """The windows of a person, which is what a task computes and a block holds."""

    arrays: Arrays
    rejected: list[tuple[str, str]]
    """Recordings that were set aside, with the reasons."""

    @property
    def size(self) -> int:
        """The number of windows; none where all recordings were set aside."""
        return len(self.arrays["classes"])


@dataclass(frozen=True)
class Training:
    """A trained model, and what it was trained on."""

    model: bytes
    """The model's file."""
    people: int
    windows: int
    """Altered copies included."""
    rejected: list[tuple[str, str]]
    """Recordings that were set aside, with the reasons."""
    report: str
    """The report as text: the model's card."""
    scores: dict[str, Any]
    """The report as that of ``locomotion train --json``."""


@dataclass(frozen=True)
class Options:
    """How windows are made, and what is random."""

    seed: int = 1
    is_altered: bool = True
    """Whether altered copies of the recordings are trained on as well."""


def typed(results: dict[str, _native.Bytes]) -> Arrays:
    return {name: values.view(_TYPES.get(name, np.uint8)) for name, values in results.items()}


@dataclass(frozen=True)
class Solved:
    """The classifier of all windows, and what those without each person follow from."""

    plan: _Plan
    training: _native.Training
    arrays: Arrays
    """The basis and the sums."""
    weights: npt.NDArray[np.float64]
    """Class by class one for each column of the basis."""
    counts: list[dict[str, Any]]
    rejected: list[tuple[str, str]]


def solve(blocks: Blocks, options: Options) -> Solved:
    """Form and solve the normal equations of blocks of `Windows`; see `fit`."""
    counted = blocks.map(_counts, "windows counted")
    # In any order: kinds of windows are sorted where it matters.
    counts = [count for own, _ in counted for count in own]
    arrays: Arrays = {"counts": _json(counts), "seed": np.array([options.seed], np.uint64)}
    plan = _Plan(secrets.token_hex(16), arrays)
    training = _native.Training(arrays)
    found: Arrays = {}
    for level in range(_LEVELS):
        wanted = training.run("prefixes", found) | {"level": np.array([level], np.int32)}
        task = functools.partial(_key_counts, plan, blocks.share(wanted))
        for name, values in blocks.sum(task, _add_key_counts, "quantiles").items():
            found[f"{name}_{level}"] = values
    basis = training.run("basis", found)
    sums = blocks.sum(
        functools.partial(_sums, plan, blocks.share(basis)), _add_sums, "normal equations"
    )
    solved: Arrays = {**basis, **_of_sums(sums)}
    weights = training.run("solve", solved)["weights"].view(np.float64)
    rejected = sorted(pair for _, own in counted for pair in own)
    return Solved(plan, training, solved, weights, counts, rejected)


def fit(blocks: Blocks, options: Options, ignored: Sequence[str] = ()) -> Training:
    """Train a model on blocks of `Windows`, of which each holds all windows of some people."""
    solved = solve(blocks, options)
    counts, rejected = solved.counts, solved.rejected
    task = functools.partial(_scores, solved.plan, blocks.share(solved.arrays))
    labelled = _ordered(blocks.map(task, "people left out"))
    problems = [f"set aside: {path}: {reason}" for path, reason in rejected]
    labelled["problems"] = _bytes("\n".join(problems))
    labelled["ignored"] = _bytes("\n".join(ignored))
    with progress(1, "calibration") as advance:
        results = solved.training.run("model", labelled)
        advance(1)
    return Training(
        model=results["model"].tobytes(),
        people=len({(count["dataset"], count["person"]) for count in counts}),
        windows=sum(count["windows"] for count in counts),
        rejected=rejected,
        report=results["report"].tobytes().decode(),
        scores=json.loads(results["json"].tobytes()),
    )


def _bytes(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


def _json(value: Any) -> npt.NDArray[np.uint8]:
    return _bytes(json.dumps(value))


def _counts(windows: Windows) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Return the number of windows by kind, and what was set aside."""
    arrays = windows.arrays
    if windows.size == 0:
        return [], windows.rejected
    counts: dict[tuple[str, str, bool, int], list[int]] = {}
    origins = json.loads(arrays["origins"].tobytes())
    pairs, numbers = np.unique(
        np.stack([arrays["recordings"], arrays["classes"]]), axis=1, return_counts=True
    )
    for (recording, activity), number in zip(pairs.T.tolist(), numbers.tolist(), strict=True):
        origin = origins[recording]
        key = (origin["dataset"], origin["person"], bool(origin["isAltered"]), activity)
        numbers_so_far = counts.setdefault(key, [0, 0])
        numbers_so_far[0] += number
        numbers_so_far[1] += 0 if origin["variant"] else number
    names = ("dataset", "person", "isAltered", "activity", "windows", "recorded")
    rows = [dict(zip(names, (*key, *found), strict=True)) for key, found in counts.items()]
    return rows, windows.rejected


@dataclass(frozen=True)
class _Plan:
    """What a task needs to know of all windows."""

    key: str
    arrays: Arrays


class _Opened:
    """The training of this process, opened for a plan and perhaps solved."""

    def __init__(self) -> None:
        self._keys: tuple[str, str | None] = ("", None)
        self._training: _native.Training | None = None

    def get(self, plan: _Plan, solved: Shared | None = None) -> _native.Training:
        keys = (plan.key, None if solved is None else solved.key)
        if self._training is None or self._keys != keys:
            self._training = _native.Training(plan.arrays)
            if solved is not None:
                self._training.run("solve", solved.get())
            self._keys = keys
        return self._training


_opened = _Opened()


def _key_counts(plan: _Plan, wanted: Shared, windows: Windows) -> Arrays:
    if windows.size == 0:
        return {"indices": np.zeros(0, np.uint32), "units": np.zeros(0, np.uint64)}
    return typed(_opened.get(plan).run("counts", windows.arrays | wanted.get()))


def _add_key_counts(first: Arrays, second: Arrays) -> Arrays:
    indices = np.union1d(first["indices"], second["indices"])
    units = np.zeros(len(indices), np.uint64)
    for part in (first, second):
        units[np.searchsorted(indices, part["indices"])] += part["units"]
    return {"indices": indices, "units": units}


class _Sums(NamedTuple):
    parts: dict[tuple[str, int], npt.NDArray[np.uint64]]
    """By data set and class: the lower and the upper half of each number."""
    outliers: npt.NDArray[np.float64]
    """Numbers of windows, hence exact."""


def _sums(plan: _Plan, basis: Shared, windows: Windows) -> _Sums:
    if windows.size == 0:
        return _Sums({}, np.zeros(1))
    found = typed(_opened.get(plan).run("sums", windows.arrays | basis.get()))
    names = json.loads(found["parts"].tobytes())
    elements = found["elements"].reshape(len(names), -1, 2)
    return _Sums(
        {
            (name["dataset"], name["activity"]): part
            for name, part in zip(names, elements, strict=True)
        },
        found["outliers"],
    )


def _add_sums(first: _Sums, second: _Sums) -> _Sums:
    parts = dict(first.parts)
    for key, part in second.parts.items():
        parts[key] = _added(parts[key], part) if key in parts else part
    return _Sums(parts, first.outliers + second.outliers)


def _added(
    first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint64]:
    """Add integers of 128 bits in two's complement, given by their halves."""
    result = first + second
    result[:, 1] += result[:, 0] < first[:, 0]
    return result


def _of_sums(sums: _Sums) -> Arrays:
    keys = sorted(sums.parts)
    return {
        "parts": _json([{"dataset": dataset, "activity": activity} for dataset, activity in keys]),
        "elements": np.concatenate([sums.parts[key].reshape(-1) for key in keys]),
        "outliers": sums.outliers,
    }


def _scores(plan: _Plan, solved: Shared, windows: Windows) -> Arrays:
    """Return the scores of a block's windows without their person and set, with the labels.

    Of those that are as recorded: what is only trained on is no longer needed.
    """
    if windows.size == 0:
        return {}
    found = typed(_opened.get(plan, solved).run("scores", windows.arrays))
    found |= {name: windows.arrays[name] for name in _LABELS}
    is_recorded = [not origin["variant"] for origin in json.loads(found["origins"].tobytes())]
    rows = np.array(is_recorded, bool)[found["recordings"]]
    # Only windows as recorded have rotation features.
    return {
        name: values
        if name in ("rotation", "origins") or values.size == 0
        else values.reshape(len(rows), -1)[rows].reshape(-1)
        for name, values in found.items()
    }


def _ordered(blocks: list[Arrays]) -> Arrays:
    """Return the windows of all blocks in the order in which one process collects them."""
    blocks = [block for block in blocks if block]
    origins: list[Any] = []
    for block in blocks:
        own = json.loads(block["origins"].tobytes())
        block["recordings"] = block["recordings"] + np.int32(len(origins))
        origins += own
    joined = {
        name: np.concatenate([block[name] for block in blocks])
        for name in blocks[0]
        if name != "origins"
    }
    order = np.lexsort((joined["places"], joined["set"]))
    has_rotation = joined["has_rotation"] != 0
    width = joined["rotation"].size // max(1, int(has_rotation.sum()))
    rows = np.cumsum(has_rotation) - 1
    rotation = joined["rotation"].reshape(-1, max(1, width))
    result: Arrays = {"rotation": rotation[rows[order][has_rotation[order]]]}
    for name, values in joined.items():
        if name not in ("rotation", "places", "set"):
            table = values.reshape(len(order), -1) if values.size else values
            result[name] = table[order] if values.size else values
    return result | {"origins": _json(origins)}
