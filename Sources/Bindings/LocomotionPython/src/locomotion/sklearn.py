"""The package's own training and features in the form of scikit-learn.

Of a folder of recordings with ``labels.csv``:

    >>> table = load_windows("my-set")
    >>> X, y, groups = table.data, table.target, table.groups
    >>> model = ActivityClassifier().fit(X, y, groups=groups)

Of windows:

    >>> X, ends = windows(read("walk.csv.gz"))
    >>> model = make_pipeline(WindowFeatures(), ActivityClassifier()).fit(X, y)

An `ActivityClassifier` on the features of `WindowFeatures` is what a phone computes, and `save`
writes the model file that it loads.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import Bunch
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _native
from ._log import LOG
from .constants import ACTIVITIES
from .recording import Recording

__all__ = ["ActivityClassifier", "WindowFeatures", "load_windows", "windows"]

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
        return np.array(_native.feature_names(), dtype=object)

    @property
    def definitions(self) -> dict[str, str]:
        """What each feature is, by its name."""
        return dict(_native.feature_definitions())

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
    as_frame: bool = False,
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
    as_frame : bool, optional
        Whether `data` and `target` are a data frame and a series of pandas, and `frame` is both.

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
    custom = _check_classes(classes)
    started = time.monotonic()
    paths = [os.fspath(folder) for folder in several]
    found = _native.labelled_windows(paths, custom, altered, seed)
    for line in found["problems"].splitlines():
        LOG.warning("problem: %s", line)
    for line in found["report"].splitlines():
        if not line.startswith("problem: "):
            LOG.info("%s", line.strip())
    LOG.info("read %s in %.1f s", ", ".join(paths), time.monotonic() - started)
    table = Bunch(
        data=found["features"],
        target=np.array([*ACTIVITIES, *custom])[found["classes"]],
        groups=(found["dataset"] + "/" + found["person"]).astype(str),
        dataset=found["dataset"].astype(str),
        recording=found["recording"].astype(str),
        ends=found["ends"],
        is_altered=found["is_altered"],
        feature_names=_native.feature_names(),
        problems=found["problems"],
    )
    if as_frame:
        import pandas as pd

        table.data = pd.DataFrame(table.data, columns=table.feature_names)
        table.target = pd.Series(table.target, name="target")
        table.frame = table.data.assign(target=table.target)
    return table


class ActivityClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The phone's classifier: additive piecewise-linear scores by one weighted ridge regression.

    Each feature is expanded into hinges at weighted quantiles, the classes' indicators are
    regressed on all of them at once (one Cholesky factor in OpenBLAS), and a temperature, fitted
    to held-out scores, makes probabilities of the scores.

    Parameters
    ----------
    ridge : float, default=0.01
        The penalty relative to the total weight of the rows; positive.
    group_exponent : float, default=0.5
        The exponent of a person's number of rows, 0 to 1: with 0 all people of a class weigh the
        same, with 1 all rows.
    class_exponent : float, default=0.0
        The exponent of a class's weight, 0 to 1: with 0 all classes weigh the same.
    classes : dict of str to str or None, optional
        Classes beside the six activities, 8 at most: the activity that each behaves like, or None,
        as ``{"stairs": "walking", "skiing": None}``. A name has 1 to 32 of ``a-z0-9-_``. Then all
        other classes are names of activities.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; 2 to 6, and those of `classes` of which there are rows.
    n_features_in_ : int
        The number of features.
    temperature_ : float
        What the scores are divided by.

    Notes
    -----
    Features are read as single precision. Where all classes are names of activities
    (``stationary``, ``walking``, ``running``, ``cycling``, ``automotive``, ``train``) and the
    features are those of `WindowFeatures`, `save` writes a model file for the phone.

    A custom class takes its part of the probability of the activity that it behaves like, whose
    rows it is told from, as ``locomotion train --class NAME=ACTIVITY`` trains it; one that behaves
    like None takes its part of all. A phone shows both, as `Pipeline` does.
    """

    def __init__(
        self,
        ridge: float = 0.01,
        group_exponent: float = 0.5,
        class_exponent: float = 0.0,
        classes: Mapping[str, str | None] | None = None,
    ) -> None:
        self.ridge = ridge
        self.group_exponent = group_exponent
        self.class_exponent = class_exponent
        self.classes = classes

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> ActivityClassifier:
        """Train on rows of features, and return this classifier.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            The classes, 2 to 6, or the names of activities and of `classes`.
        sample_weight : array-like of shape (n_rows,), optional
            How many rows each row counts as, not negative; 1 by default.
        groups : array-like of shape (n_rows,), optional
            The person of each row: the temperature is then that of people left out, and people
            with many rows weigh less than their rows (`group_exponent`). Without, each fifth of
            the rows is left out in turn.

        Raises
        ------
        ValueError
            A parameter, a shape or a value is not as stated; or there are fewer classes than two,
            or more than six without `classes`; or no row of what a custom class behaves like.
        """
        started = time.monotonic()
        self._check_parameters()
        rows, labels = validate_data(self, X, y, dtype=np.float32)
        check_classification_targets(labels)
        weights = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        people = None
        if groups is not None:
            people = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
            if people.shape != weights.shape:
                raise ValueError(f"expected {len(rows)} groups, got {np.asarray(groups).shape}")
        kept = weights > 0
        self.classes_, places = np.unique(labels[kept], return_inverse=True)
        self._choose_custom()
        codes = self._codes()
        self._classifier = _native.fit(
            rows[kept],
            codes[places].astype(np.int32),
            weights[kept],
            None if people is None else people[kept].astype(np.int32),
            (self.group_exponent, self.class_exponent, self.ridge),
            self._custom,
        )
        LOG.info(
            "trained on %d rows of %d features in %.1f s", *rows.shape, time.monotonic() - started
        )
        return self

    def _choose_custom(self) -> None:
        """Keep the custom classes that there are, and check what is left for the others."""
        custom = _check_classes(self.classes)
        found = set(self.classes_)
        self._custom = {name: custom[name] for name in custom if name in found}
        ordinary = [name for name in self.classes_ if name not in self._custom]
        if custom and (strange := [name for name in ordinary if name not in ACTIVITIES]):
            raise ValueError(
                f"expected classes among {', '.join([*ACTIVITIES, *custom])}; got "
                + ", ".join(str(name) for name in strange)
            )
        if len(ordinary) < 2:
            named = f": {ordinary[0]}" if ordinary else ""
            beside = " beside those of 'classes'" if self._custom else ""
            raise ValueError(
                f"expected two classes or more{beside}, got {len(ordinary)} class{named}"
            )
        if len(ordinary) > len(ACTIVITIES):
            raise ValueError(
                f"expected {len(ACTIVITIES)} classes at most, got {len(ordinary)} classes; name "
                "those beside the activities in 'classes', as classes={'stairs': 'walking'}"
            )
        for name, activity in self._custom.items():
            if activity is not None and activity not in ordinary:
                raise ValueError(f"expected rows of {activity!r}, from which to tell {name!r}")

    def _check_parameters(self) -> None:
        if not self.ridge > 0:
            raise ValueError(f"ridge: expected a positive number, got {self.ridge}")
        for name in ("group_exponent", "class_exponent"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected 0 to 1, got {getattr(self, name)}")

    @property
    def _are_activities(self) -> bool:
        known = (*ACTIVITIES, *self._custom)
        return all(isinstance(name, str) and name in known for name in self.classes_)

    def _codes(self) -> npt.NDArray[np.intp]:
        """Return the library's number of each class: that of its activity, or its place."""
        if self._are_activities:
            numbers = {name: code for code, name in enumerate((*ACTIVITIES, *self._custom))}
            return np.array([numbers[name] for name in self.classes_])
        return np.arange(len(self.classes_))

    @property
    def temperature_(self) -> float:
        """What the scores are divided by."""
        check_is_fitted(self, "_classifier")
        return float(json.loads(self._classifier)["temperature"])

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The columns are in the order of `classes_`.
        """
        check_is_fitted(self, "_classifier")
        rows = validate_data(self, X, dtype=np.float32, reset=False)
        # The library's columns are in the order of its numbers.
        columns = np.argsort(np.argsort(self._codes()))
        return _native.probabilities(self._classifier, rows)[:, columns]

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most probable class of each row; see `predict_proba`."""
        probabilities = self.predict_proba(X)
        predicted: npt.NDArray[Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return predicted

    def model_bytes(self) -> bytes:
        """Return the model file that a phone loads, and `Pipeline`.

        How windows are combined over time, and when an activity is unknown, are those of the
        built-in model: ``locomotion train`` fits them as well.

        Raises
        ------
        UsageError
            The features are not those of `WindowFeatures`.
        ValueError
            A class is neither the name of an activity nor one of `classes`.
        """
        check_is_fitted(self, "_classifier")
        if not self._are_activities:
            raise ValueError(
                f"expected classes among {', '.join(ACTIVITIES)}; got "
                + ", ".join(str(name) for name in self.classes_)
            )
        return _native.model(self._classifier)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that a phone loads; see `model_bytes`."""
        Path(path).write_bytes(self.model_bytes())

    @classmethod
    def load(cls, model: str | os.PathLike[str] | bytes | None = None) -> ActivityClassifier:
        """Return the classifier of a model file, or of the built-in model.

        It is that of single windows of accelerations: without the filter over time and rotation
        rates.

        Parameters
        ----------
        model : path or bytes, optional
            A model file or its content; the built-in model by default.

        Raises
        ------
        RejectedInput
            It is not a model file, or is damaged.
        OSError
            The file cannot be read.
        """
        result = cls()
        result._classifier, codes, custom = _native.classifier(model)
        result._custom = dict(custom)
        result.classes = result._custom or None
        # np.unique sorts by name, as `fit` does.
        result.classes_ = np.unique([*(ACTIVITIES[code] for code in codes), *custom])
        result.n_features_in_ = len(_native.feature_names())
        return result


def _check_classes(classes: Mapping[str, str | None] | None) -> dict[str, str | None]:
    """Return custom classes if each behaves like an activity or like none, else raise."""
    found = dict(classes or {})
    for name, activity in found.items():
        if activity is not None and activity not in ACTIVITIES:
            raise ValueError(
                f"classes: expected one of {', '.join(ACTIVITIES)} or None for {name!r}, "
                f"got {activity!r}"
            )
    return found
