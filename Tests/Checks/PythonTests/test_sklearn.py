"""The classifier and the features in the form of scikit-learn."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotion

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from locomotion.sklearn import ActivityClassifier, WindowFeatures, load_windows, windows


@parametrize_with_checks([ActivityClassifier()])  # type: ignore[untyped-decorator]
def test_the_classifier_passes_the_checks_of_estimators(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def table(labelled: Path) -> Any:
    return load_windows(labelled)


def test_windows_of_a_data_set_have_labels_and_people(table: Any) -> None:
    assert table.data.shape == (len(table.target), len(table.feature_names))
    assert set(table.target) == {"stationary", "walking", "cycling"}
    assert set(table.groups) == {f"{table.dataset[0]}/{name}" for name in ("ann", "ben", "cem")}
    assert not table.is_altered.any()
    assert np.isfinite(table.data).all()
    assert table.problems == ""


def test_windows_are_a_data_frame_on_request(labelled: Path, table: Any) -> None:
    pd = pytest.importorskip("pandas")
    framed = load_windows(labelled, as_frame=True)
    assert isinstance(framed.target, pd.Series)
    assert list(framed.data.columns) == table.feature_names
    assert np.array_equal(framed.data.to_numpy(), table.data)
    assert framed.frame["target"].tolist() == table.target.tolist()


def test_altered_windows_are_marked(labelled: Path, table: Any) -> None:
    both = load_windows([labelled], altered=True)
    assert both.is_altered.any()
    assert np.array_equal(both.data[~both.is_altered], table.data)


def test_people_left_out_are_recognized(table: Any) -> None:
    scores = cross_val_score(
        ActivityClassifier(), table.data, table.target, groups=table.groups,
        cv=LeaveOneGroupOut(), scoring="balanced_accuracy",
    )
    assert len(scores) == 3
    assert scores.min() > 0.9


def test_windows_and_features_are_those_of_the_data_set(labelled: Path, table: Any) -> None:
    recording = locomotion.read_all(labelled)[0]
    cut, ends = windows(recording)
    assert cut.shape[1:] == (384, 3)
    assert len(cut) == len(ends)
    features = WindowFeatures().fit_transform(cut)
    own = table.recording == recording.name
    # Windows of the data set begin with each label; the first of them with the recording.
    first = np.flatnonzero(own & (table.ends == ends[0]))
    assert len(first) == 1
    assert np.allclose(features[0], table.data[first[0]], rtol=1e-5, atol=1e-5)


def test_a_pipeline_of_both_takes_windows(labelled: Path) -> None:
    recordings = locomotion.read_all(labelled)
    rows, names = [], []
    for recording in recordings:
        cut, ends = windows(recording)
        for label in recording.labels:
            inside = (ends - 3_840_000_000 >= label.start) & (ends <= label.end)
            rows.append(cut[inside])
            names += [label.text] * int(inside.sum())
    x = np.concatenate(rows)
    model = make_pipeline(WindowFeatures(), ActivityClassifier()).fit(x, names)
    assert model.score(x, names) > 0.95
    assert len(model[:-1].get_feature_names_out()) == model[-1].n_features_in_


def test_any_words_are_classes(table: Any) -> None:
    words = {"stationary": "desk", "walking": "stairs", "cycling": "scooter"}
    y = [words[name] for name in table.target]
    classifier = ActivityClassifier().fit(table.data, y, groups=table.groups)
    assert list(classifier.classes_) == ["desk", "scooter", "stairs"]
    assert classifier.score(table.data, y) > 0.95
    with pytest.raises(ValueError, match="expected classes among stationary, walking"):
        classifier.model_bytes()


def test_the_order_of_the_names_changes_nothing(table: Any) -> None:
    named = ActivityClassifier().fit(table.data, table.target, groups=table.groups)
    order = ["cycling", "stationary", "walking"]
    assert list(named.classes_) == order
    places = np.array([order.index(name) for name in table.target])
    numbered = ActivityClassifier().fit(table.data, places, groups=table.groups)
    assert np.allclose(
        named.predict_proba(table.data), numbered.predict_proba(table.data), atol=1e-9
    )


def test_a_saved_model_is_loaded_by_all(table: Any, tmp_path: Path, labelled: Path) -> None:
    classifier = ActivityClassifier().fit(table.data, table.target, groups=table.groups)
    path = tmp_path / "model.bin"
    classifier.save(path)
    again = ActivityClassifier.load(path)
    assert list(again.classes_) == list(classifier.classes_)
    # The file has single precision.
    difference = again.predict_proba(table.data) - classifier.predict_proba(table.data)
    assert np.abs(difference).max() < 1e-3
    assert again.model_bytes() == path.read_bytes()
    recording = locomotion.read_all(labelled)[1]
    pipeline = locomotion.Pipeline(path)
    pipeline.append_accelerations(recording.acceleration_times, recording.accelerations)
    pipeline.finish()
    known = {"STATIONARY", "WALKING", "CYCLING", "UNKNOWN"}
    answers = {locomotion.Activity(code).name for code in pipeline.samples()["activity"]}
    assert {"WALKING"} <= answers <= known


def test_the_built_in_model_is_a_classifier() -> None:
    model = ActivityClassifier.load()
    assert list(model.classes_)[2:3] == ["other"]
    assert len(model.classes_) == 7
    assert model.n_features_in_ == len(WindowFeatures().get_feature_names_out())
    still = np.zeros((1, 512, 3), np.float32)
    still[..., 2] = 9.81
    still += np.random.default_rng(1).normal(0, 0.005, still.shape).astype(np.float32)
    features = WindowFeatures().transform(still)
    assert model.predict(features)[0] == "stationary"
    assert model.predict_proba(features).sum() == pytest.approx(1)


def test_damaged_models_are_rejected(tmp_path: Path, table: Any) -> None:
    good = ActivityClassifier().fit(table.data, table.target).model_bytes()
    for damaged in (b"\0", good[:-1], good[:200] + b"\x7f" + good[201:]):
        with pytest.raises(locomotion.RejectedInput, match="the model"):
            ActivityClassifier.load(damaged)
    empty = tmp_path / "empty.bin"
    empty.touch()
    with pytest.raises(locomotion.RejectedInput):
        ActivityClassifier.load(empty)


def test_a_model_needs_the_features_of_windows(table: Any) -> None:
    classifier = ActivityClassifier().fit(table.data[:, :5], table.target)
    with pytest.raises(locomotion.UsageError, match="got one of 5"):
        classifier.model_bytes()


def test_a_weight_of_zero_is_no_row(table: Any) -> None:
    weights = np.ones(len(table.data))
    weights[::3] = 0
    with_zero = ActivityClassifier().fit(table.data, table.target, weights, table.groups)
    kept = weights > 0
    without = ActivityClassifier().fit(
        table.data[kept], table.target[kept], groups=table.groups[kept]
    )
    assert np.allclose(
        with_zero.predict_proba(table.data), without.predict_proba(table.data), atol=1e-9
    )


def test_pickle_and_clone_keep_what_they_should(table: Any) -> None:
    classifier = ActivityClassifier(ridge=0.1).fit(table.data, table.target)
    again = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(again.predict_proba(table.data), classifier.predict_proba(table.data))
    assert again.temperature_ == classifier.temperature_ > 0
    with pytest.raises(NotFittedError):
        clone(classifier).predict(table.data)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"ridge": 0}, "ridge: expected a positive number"),
        ({"ridge": float("nan")}, "ridge"),
        ({"group_exponent": 2}, "group_exponent: expected 0 to 1"),
        ({"class_exponent": -1}, "class_exponent: expected 0 to 1"),
    ],
)
def test_parameters_are_checked_on_fit(arguments: dict[str, float], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ActivityClassifier(**arguments).fit([[0.0], [1.0]], [0, 1])


def test_classes_are_two_to_six() -> None:
    x = np.arange(14, dtype=np.float32).reshape(14, 1)
    with pytest.raises(ValueError, match="expected 6 classes at most, got 7 classes"):
        ActivityClassifier().fit(x, np.arange(14) % 7)
    with pytest.raises(ValueError, match="expected two classes or more, got 1 class: 3"):
        ActivityClassifier().fit(x, [3] * 14)
    six = ActivityClassifier().fit(x, np.arange(14) % 6)
    assert six.predict_proba(x).shape == (14, 6)


@pytest.fixture(scope="module")
def custom_table(labelled: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the windows of the data set with the second recording's walks labelled as stairs."""
    folder = tmp_path_factory.mktemp("custom") / "stairs"
    shutil.copytree(labelled, folder)
    labels = (folder / "labels.csv").read_text().splitlines()
    labels = [
        line.replace(",walking", ",Going Upstairs") if "-1," in line else line for line in labels
    ]
    (folder / "labels.csv").write_text("\n".join(labels) + "\n")
    for path in folder.glob("*-1.csv"):
        # Another gait.
        columns = np.loadtxt(path, delimiter=",", skiprows=1)
        walk = (columns[:, 0] >= 30) & (columns[:, 0] < 60)
        columns[walk, 3] *= 0.8
        columns[walk, 1] += 3 * np.sin(2 * np.pi * 3 * columns[walk, 0])
        np.savetxt(path, columns, "%.4f", ",", header="t,ax,ay,az", comments="")
    return load_windows(folder, classes={"going_upstairs": "walking"})


CUSTOM = {"going_upstairs": "walking"}


def test_custom_classes_are_told_from_what_they_behave_like(
    custom_table: Any, tmp_path: Path
) -> None:
    x, y, groups = custom_table.data, custom_table.target, custom_table.groups
    assert set(y) == {"stationary", "walking", "cycling", "going_upstairs"}
    scores = cross_val_score(
        ActivityClassifier(classes=CUSTOM), x, y, groups=groups, cv=LeaveOneGroupOut(),
        scoring="balanced_accuracy",
    )
    assert scores.min() > 0.9
    classifier = clone(ActivityClassifier(classes=CUSTOM)).fit(x, y, groups=groups)
    probabilities = classifier.predict_proba(x)
    assert list(classifier.classes_) == ["cycling", "going_upstairs", "stationary", "walking"]
    assert np.allclose(probabilities.sum(axis=1), 1)
    # The custom class takes its part of walking, and nothing of the others.
    plain = np.where(y == "going_upstairs", "walking", y)
    base = ActivityClassifier().fit(x, plain, groups=groups).predict_proba(x)
    assert np.allclose(probabilities[:, [0, 2]], base[:, [0, 1]], atol=1e-9)
    assert np.allclose(probabilities[:, 1] + probabilities[:, 3], base[:, 2], atol=1e-9)
    again = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(again.predict_proba(x), probabilities)
    path = tmp_path / "custom.bin"
    classifier.save(path)
    loaded = ActivityClassifier.load(path)
    assert loaded.classes == CUSTOM
    assert list(loaded.classes_) == list(classifier.classes_)
    assert np.abs(loaded.predict_proba(x) - probabilities).max() < 1e-3
    assert loaded.model_bytes() == path.read_bytes()
    pipeline = locomotion.Pipeline(path)
    assert [custom.name for custom in pipeline.custom_activities] == ["going_upstairs"]


def test_a_custom_class_may_behave_like_none(custom_table: Any) -> None:
    x, y, groups = custom_table.data, custom_table.target, custom_table.groups
    classifier = ActivityClassifier(classes={"going_upstairs": None}).fit(x, y, groups=groups)
    probabilities = classifier.predict_proba(x)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert classifier.score(x, y) > 0.9
    inside = y != "going_upstairs"
    base = ActivityClassifier().fit(x[inside], y[inside], groups=groups[inside])
    # It takes the same share of all others.
    others = np.delete(probabilities, 1, axis=1) / (1 - probabilities[:, [1]])
    known = probabilities[:, 1] < 0.999
    assert np.allclose(others[known], base.predict_proba(x)[known], atol=1e-6)


def test_more_than_six_classes_are_custom_ones() -> None:
    random = np.random.default_rng(3)
    names = np.array([*locomotion.sklearn.ACTIVITIES, "stairs", "scooter"])
    y = np.repeat(names, 30)
    x = (np.repeat(np.eye(8), 30, axis=0) + random.normal(0, 0.2, (240, 8))).astype(np.float32)
    classifier = ActivityClassifier(classes={"stairs": "walking", "scooter": "cycling"})
    assert classifier.fit(x, y).score(x, y) > 0.95
    assert set(classifier.classes_) == set(names)
    # A class without a row is left out, as in a part of a cross-validation.
    kept = y != "scooter"
    assert set(classifier.fit(x[kept], y[kept]).classes_) == set(names) - {"scooter"}


@pytest.mark.parametrize(
    ("classes", "y", "text"),
    [
        ({"stairs": "walk"}, None, "expected one of .* or None for 'stairs', got 'walk'"),
        ({"stairs": "walking"}, "running", "expected rows of 'walking', from which to tell"),
        ({"stairs": "walking"}, "scooter", "expected classes among .*, stairs; got scooter"),
        ({"Stairs": "stationary"}, None, "expected names of 1 to 32 letters .*, got 'Stairs'"),
        ({"stairs": "stationary", "stationary": None}, None, "two classes or more beside those"),
    ],
)
def test_custom_classes_are_checked(classes: Any, y: str | None, text: str) -> None:
    names = [next(iter(classes)), "stationary", y or "cycling"] * 10
    x = np.arange(30, dtype=np.float32).reshape(30, 1) % 3
    with pytest.raises(ValueError, match=text):
        ActivityClassifier(classes=classes).fit(x, names)


def test_custom_classes_are_eight_at_most_and_five_alike() -> None:
    for custom, activity, text in (
        (9, None, "classes: expected 8 at most, got 9"),
        (6, "walking", "6 classes behave like one activity, expected 5 at most"),
    ):
        classes = {f"own-{index}": activity for index in range(custom)}
        names = [*classes, "walking", "cycling"] * 10
        x = np.random.default_rng(1).normal(0, 1, (len(names), 2))
        with pytest.raises(ValueError, match=text):
            ActivityClassifier(classes=classes).fit(x, names)


def test_windows_of_another_shape_are_refused() -> None:
    features = WindowFeatures()
    for shape in ((4, 512), (4, 512, 4), (4, 249, 3), (4, 513, 3)):
        with pytest.raises(ValueError, match="expected windows"):
            features.transform(np.zeros(shape))
    broken = np.zeros((1, 512, 3))
    broken[0, 5, 1] = np.nan
    with pytest.raises(ValueError, match="finite"):
        features.transform(broken)
    assert features.transform(np.zeros((0, 512, 3))).shape == (0, len(features.definitions))
    assert features.transform(np.ones((2, 250, 3))).shape == (2, len(features.definitions))


def test_a_gap_ends_a_stretch_of_windows() -> None:
    times = np.arange(3000, dtype=np.int64) * 10_000_000
    times[1500:] += 60_000_000_000
    xyz = np.random.default_rng(2).normal(0, 1, (3000, 3)).astype(np.float32)
    recording = locomotion.Recording(acceleration_times=times, accelerations=xyz)
    cut, ends = windows(recording, step=1)
    assert len(cut) == 24
    assert not ((ends > 15_100_000_000) & (ends < 78_800_000_000)).any()
    short, none = windows(locomotion.Recording())
    assert (len(short), len(none)) == (0, 0)
    with pytest.raises(ValueError, match="step"):
        windows(recording, step=0)
