"""Windows of accelerations, and the features that the phone computes of them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Bunch

from . import _native
from ._log import LOG
from .constants import ACTIVITIES
from .recording import Recording

RATE = 100
"""The sampling rate of windows, Hz."""

WINDOW = 384
"""The samples of a window that is classified."""

LONGEST_WINDOW = 512
"""The samples that features describe; a shorter window is repeated backwards."""

SHORTEST_WINDOW = 250
"""The samples of the shortest window that is classified."""


class WindowFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The features that the phone computes of a window of accelerations.

    There is nothing to fit. Windows are three-dimensional, so that scikit-learn's checks of
    estimators, which take tables, do not apply to it.
    """

    def fit(self, X: Any = None, y: Any = None) -> WindowFeatures:
        """Do nothing, and return this transformer."""
        self.n_features_out_ = len(_native.feature_names())
        return self

    def transform(self, X: npt.ArrayLike) -> npt.NDArray[np.float32]:
        """Return the features of windows.

        Parameters
        ----------
        X : array-like of shape (n_windows, n_samples, 3)
            Accelerations at 100 Hz, m/s² with gravity, finite; 250 to 512 samples. The phone's
            windows have 384.

        Returns
        -------
        ndarray of shape (n_windows, n_features)
            Single precision; see `get_feature_names_out` and `definitions`.

        Raises
        ------
        ValueError
            The shape is another one, or a value is not finite.
        """
        samples = np.asarray(X, dtype=np.float32)
        if samples.ndim != 3 or samples.shape[2] != 3:
            raise ValueError(
                f"expected windows of the shape (n, samples, 3), got {samples.shape}"
            )
        if not SHORTEST_WINDOW <= samples.shape[1] <= LONGEST_WINDOW:
            raise ValueError(
                f"expected windows of {SHORTEST_WINDOW} to {LONGEST_WINDOW} samples, "
                f"got {samples.shape[1]}"
            )
        if not np.isfinite(samples).all():
            raise ValueError("expected finite accelerations, got NaN or infinity")
        return _native.features(samples)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the names of the features."""
        return np.array([name for name, _ in _native.feature_names()], dtype=object)

    @property
    def definitions(self) -> dict[str, str]:
        """What each feature is, by its name."""
        return dict(_native.feature_names())

    def __sklearn_is_fitted__(self) -> bool:
        return True


def windows(
    recording: Recording, step: float = 2.56
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Cut a recording into the phone's windows: 384 samples on its 100 Hz grid, without a gap.

    Parameters
    ----------
    recording : Recording
        With accelerations at 20 Hz or more.
    step : float, optional
        The seconds from one window to the next, at least 0.01.

    Returns
    -------
    windows : ndarray of shape (n, 384, 3)
        m/s²; without a gap in the recording a read-only view, since windows overlap.
    ends : ndarray of shape (n,)
        The first instant after each window, ns.

    Raises
    ------
    ValueError
        The step is shorter than a sample.
    """
    hop = round(step * RATE)
    if hop < 1:
        raise ValueError(f"step: expected 0.01 s or more, got {step}")
    parts, ends = [], []
    for start, samples in _native.grid(recording.acceleration_times, recording.accelerations):
        if len(samples) < WINDOW:
            continue
        view = np.lib.stride_tricks.sliding_window_view(samples, WINDOW, axis=0)[::hop]
        parts.append(view.transpose(0, 2, 1))
        last = np.arange(len(view), dtype=np.int64) * hop + WINDOW
        ends.append(start + last * (1_000_000_000 // RATE))
    if not parts:
        return np.empty((0, WINDOW, 3), np.float32), np.empty(0, np.int64)
    cut = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return cut, np.concatenate(ends)


def load_windows(
    folders: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    classes: Mapping[str, str | None] | None = None,
    altered: bool = False,
    seed: int = 1,
) -> Bunch:
    """Return the features of the labelled windows of data sets, as ``locomotion train`` does.

    Parameters
    ----------
    folders : path or sequence of paths
        Data sets: folders of tidy recordings with ``labels.csv``.
    classes : dict of str to str or None, optional
        Labels with a meaning of one's own, which become targets; see
        `ActivityClassifier`. A capital or space of a label is a small letter or ``_`` here.
    altered : bool, optional
        Whether altered copies are added (other rates, noise, orientations), which make a model
        robust; leave them out of scores by `is_altered`.
    seed : int, optional
        The seed of the alterations.

    Returns
    -------
    sklearn.utils.Bunch
        `data` (n, features), `target` (names of activities and of `classes`), `groups` (person, as
        ``dataset/person``), `dataset`, `recording`, `ends` (ns), `is_altered`, `feature_names`,
        and `problems` of the data sets as text.

    Raises
    ------
    RejectedInput
        A data set has no labelled window.
    InputOutputError
        A file cannot be read.
    UsageError
        A name in `classes` is not valid.
    ValueError
        `classes` has another value than an activity or None.

    Examples
    --------
    >>> table = load_windows("my-set")
    >>> X, y, groups = table.data, table.target, table.groups
    >>> cross_val_score(ActivityClassifier(), X, y, groups=groups, cv=LeaveOneGroupOut())
    """
    several = [folders] if isinstance(folders, str | os.PathLike) else folders
    custom = check_classes(classes)
    started = time.monotonic()
    paths = [os.fspath(folder) for folder in several]
    found = _native.labelled_windows(paths, custom, altered, seed)
    problems = found["problems"].tobytes().decode(errors="replace")
    for line in problems.splitlines():
        LOG.warning("problem: %s", line)
    for line in found["report"].tobytes().decode(errors="replace").splitlines():
        if not line.startswith("problem: "):
            LOG.info("%s", line.strip())
    LOG.info("read %s in %.1f s", ", ".join(paths), time.monotonic() - started)
    text = found["origins"].tobytes().decode(errors="replace")
    origins = np.array([line.split("\t") for line in text.split("\n")], dtype=object)
    rows = found["recordings"].view(np.int32)
    names = [name for name, _ in _native.feature_names()]
    return Bunch(
        data=found["features"].view(np.float32).reshape(-1, len(names)),
        target=np.array([*ACTIVITIES, *custom])[found["classes"]],
        groups=np.array([f"{dataset}/{person}" for dataset, person, _ in origins])[rows],
        dataset=origins[rows, 0].astype(str),
        recording=origins[rows, 2].astype(str),
        ends=found["ends"].view(np.int64),
        is_altered=found["is_altered"].astype(bool),
        feature_names=names,
        problems=problems,
    )


def check_classes(classes: Mapping[str, str | None] | None) -> dict[str, str | None]:
    """Return custom classes if each behaves like an activity or like none, else raise."""
    found = dict(classes or {})
    for name, activity in found.items():
        if activity is not None and activity not in ACTIVITIES:
            raise ValueError(
                f"classes: expected one of {', '.join(ACTIVITIES)} or None for {name!r}, "
                f"got {activity!r}"
            )
    return found
