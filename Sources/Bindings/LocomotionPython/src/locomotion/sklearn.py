"""The package's own training and features in the form of scikit-learn.

    >>> X, ends = windows(read("walk.csv.gz"))
    >>> model = make_pipeline(WindowFeatures(), ActivityClassifier()).fit(X, y)

An `ActivityClassifier` on the features of `WindowFeatures` is what a phone computes, and `save`
writes the model file that it loads.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils import Bunch
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _native
from .constants import Activity
from .recording import Recording

__all__ = ["ActivityClassifier", "WindowFeatures", "load_windows", "windows"]

RATE = 100
"""The sampling rate of windows, Hz."""

WINDOW = 512
"""The samples of a window."""

SHORTEST_WINDOW = 250
"""The samples of the shortest window that is classified."""

_ACTIVITIES = [activity.name.lower() for activity in Activity if activity >= 0]


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

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; 2 to 6.
    n_features_in_ : int
        The number of features.
    temperature_ : float
        What the scores are divided by.

    Notes
    -----
    Features are read as single precision. Where all classes are names of activities
    (``stationary``, ``walking``, ``running``, ``cycling``, ``automotive``, ``train``) and the
    features are those of `WindowFeatures`, `save` writes a model file for the phone.
    """

    def __init__(
        self, ridge: float = 0.01, group_exponent: float = 0.5, class_exponent: float = 0.0
    ) -> None:
        self.ridge = ridge
        self.group_exponent = group_exponent
        self.class_exponent = class_exponent

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> ActivityClassifier:
        """Train on rows of features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            The classes, 2 to 6.
        sample_weight : array-like of shape (n_rows,), optional
            How many rows each row counts as, not negative; 1 by default.
        groups : array-like of shape (n_rows,), optional
            The person of each row: the temperature is then that of people left out, and people
            with many rows weigh less than their rows (`group_exponent`). Without, each fifth of
            the rows is left out in turn.

        Returns
        -------
        ActivityClassifier
            This one.

        Raises
        ------
        ValueError
            A parameter, a shape or a value is not as stated; or there are fewer classes than two,
            or more than six.
        """
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
        count = len(self.classes_)
        if count < 2:
            found = f": {self.classes_[0]}" if count == 1 else ""
            raise ValueError(f"expected two classes or more, got {count} class{found}")
        if count > len(_ACTIVITIES):
            raise ValueError(f"expected {len(_ACTIVITIES)} classes at most, got {count} classes")
        codes = self._codes()
        self._classifier = _native.fit(
            rows[kept],
            codes[places].astype(np.int32),
            weights[kept],
            None if people is None else people[kept].astype(np.int32),
            (float(self.group_exponent), float(self.class_exponent), float(self.ridge)),
        )
        return self

    def _check_parameters(self) -> None:
        if not self.ridge > 0:
            raise ValueError(f"ridge: expected a positive number, got {self.ridge}")
        for name in ("group_exponent", "class_exponent"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected 0 to 1, got {getattr(self, name)}")

    @property
    def _are_activities(self) -> bool:
        return all(isinstance(name, str) and name in _ACTIVITIES for name in self.classes_)

    def _codes(self) -> npt.NDArray[np.intp]:
        """Return the library's number of each class: that of its activity, or its place."""
        if self._are_activities:
            return np.array([_ACTIVITIES.index(name) for name in self.classes_])
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
            A class is not the name of an activity.
        """
        check_is_fitted(self, "_classifier")
        if not self._are_activities:
            raise ValueError(
                f"expected classes among {', '.join(_ACTIVITIES)}; got "
                + ", ".join(str(name) for name in self.classes_)
            )
        return _native.model(self._classifier)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that a phone loads; see `model_bytes`."""
        bytes_ = self.model_bytes()
        with open(path, "wb") as file:
            file.write(bytes_)

    @classmethod
    def load(cls, model: str | os.PathLike[str] | bytes | None = None) -> ActivityClassifier:
        """Return the classifier of a model file, or of the built-in model.

        It is that of single windows of accelerations: without the filter over time, rotation
        rates and custom activities.

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
        content = b"" if model is None else model
        if not isinstance(content, bytes):
            with open(content, "rb") as file:
                content = file.read()
            content = content or b"\0"
        result = cls()
        result._classifier, codes = _native.classifier(content)
        # np.unique sorts by name, as `fit` does.
        result.classes_ = np.unique([_ACTIVITIES[code] for code in codes])
        result.n_features_in_ = len(_native.feature_names())
        return result


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
            windows have 512.

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
        if not SHORTEST_WINDOW <= samples.shape[1] <= WINDOW:
            raise ValueError(
                f"expected windows of {SHORTEST_WINDOW} to {WINDOW} samples, "
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
    """Cut a recording into the phone's windows: 512 samples on its 100 Hz grid, without a gap.

    Parameters
    ----------
    recording : Recording
        With accelerations at 20 Hz or more.
    step : float, optional
        The seconds from one window to the next, at least 0.01.

    Returns
    -------
    windows : ndarray of shape (n, 512, 3)
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
    altered: bool = False,
    seed: int = 1,
) -> Bunch:
    """Return the features of the labelled windows of data sets, as ``locomotion train`` does.

    Parameters
    ----------
    folders : path or sequence of paths
        Data sets: folders of tidy recordings with ``labels.csv``.
    altered : bool, optional
        Whether altered copies are added (other rates, noise, orientations), which make a model
        robust; leave them out of scores by `is_altered`.
    seed : int, optional
        The seed of the alterations.

    Returns
    -------
    sklearn.utils.Bunch
        `data` (n, features), `target` (names of activities), `groups` (person, as
        ``dataset/person``), `dataset`, `recording`, `ends` (ns), `is_altered`, `feature_names`,
        and `problems` of the data sets as text.

    Raises
    ------
    RejectedInput
        A data set has no labelled window.
    InputOutputError
        A file cannot be read.
    """
    several = [folders] if isinstance(folders, str | os.PathLike) else folders
    found = _native.labelled_windows([os.fspath(folder) for folder in several], altered, seed)
    text = found["origins"].tobytes().decode(errors="replace")
    origins = np.array([line.split("\t") for line in text.split("\n")], dtype=object)
    rows = found["recordings"].view(np.int32)
    names = [name for name, _ in _native.feature_names()]
    return Bunch(
        data=found["features"].view(np.float32).reshape(-1, len(names)),
        target=np.array(_ACTIVITIES)[found["classes"]],
        groups=np.array([f"{dataset}/{person}" for dataset, person, _ in origins])[rows],
        dataset=origins[rows, 0].astype(str),
        recording=origins[rows, 2].astype(str),
        ends=found["ends"].view(np.int64),
        is_altered=found["is_altered"].astype(bool),
        feature_names=names,
        problems=found["problems"].tobytes().decode(errors="replace"),
    )
