"""Scores of classified windows, and intervals by resampling people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._columns import ACTIVITIES

Counts = npt.NDArray[np.float64]
"""Windows by what they are (six rows) and what was answered (six columns and "unknown")."""

ANSWERS = (*ACTIVITIES, "unknown")


class Interval(NamedTuple):
    """A score and the bounds that hold 95 % of the scores of resampled people."""

    value: float
    low: float
    high: float


def counts(confusion: Mapping[str, Mapping[str, int]]) -> Counts:
    """Return the windows of the command's JSON: true class, then answer."""
    result = np.zeros((len(ACTIVITIES), len(ANSWERS)))
    for truth, answers in confusion.items():
        for answer, number in answers.items():
            result[ACTIVITIES.index(truth), ANSWERS.index(answer)] = number
    return result


def accuracy(windows: Counts) -> Any:
    """Return the fraction of right answers, of all windows of each (…, 6, 7); NaN without any.

    An unknown activity is a wrong answer.
    """
    right = np.trace(windows[..., : len(ACTIVITIES)], axis1=-2, axis2=-1)
    return _ratio(right, windows.sum((-2, -1)))


def macro_f1(windows: Counts) -> Any:
    """Return the mean over the true classes of 2 · right / (windows + answers)."""
    own = windows.sum(-1)
    right = np.diagonal(windows[..., : len(ACTIVITIES)], axis1=-2, axis2=-1)
    answered = windows[..., : len(ACTIVITIES)].sum(-2)
    scores = np.where(own > 0, 2 * right / np.maximum(own + answered, 1), 0)
    return _ratio(scores.sum(-1), (own > 0).sum(-1))


def _ratio(part: Any, whole: Any) -> Any:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def interval(
    people: Sequence[Counts], score: Callable[[Counts], Any], seed: int, draws: int = 2000
) -> Interval:
    """Return the score of all windows with its 95 % interval over people.

    People are drawn with replacement, each with all their windows, because windows of one person
    are no independent evidence (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, the
    percentile interval). Of one person the interval is not known: NaN.
    """
    every = np.stack(people)
    value = float(score(every.sum(0)))
    if len(people) < 2:
        return Interval(value, float("nan"), float("nan"))
    random = np.random.default_rng(seed)
    weights = random.multinomial(len(people), np.full(len(people), 1 / len(people)), draws)
    found = score(np.einsum("dp,pij->dij", weights.astype(np.float64), every))
    low, high = np.nanquantile(found, (0.025, 0.975)).tolist()
    return Interval(value, low, high)
