"""Models for other runtimes: the probabilities are those of the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import locomotion
from locomotion import export

pytest.importorskip("sklearn")
from locomotion.sklearn import ActivityClassifier, WindowFeatures, windows

CUSTOM = {"stairs": "walking", "scooter": "cycling", "lift": "walking", "skiing": None}
KINDS = ("stationary", "walking", "cycling", "running", *CUSTOM)


@pytest.fixture(scope="module")
def features(command: Any) -> npt.NDArray[np.float32]:
    """Return the features of the windows of the synthetic day, and some beyond all clips."""
    cut, _ = windows(locomotion.read(command.recording))
    rows = WindowFeatures().fit_transform(cut)
    return np.concatenate([rows, 30 * rows, -30 * rows])


@pytest.fixture(scope="module")
def custom() -> ActivityClassifier:
    """Return a classifier of four activities and four custom classes."""
    random = np.random.default_rng(5)
    width = len(WindowFeatures().definitions)
    y = np.repeat(KINDS, 40)
    x = np.repeat(random.normal(0, 1, (len(KINDS), width)), 40, axis=0)
    x += random.normal(0, 1.5, x.shape)
    return ActivityClassifier(classes=CUSTOM).fit(x, y)


@pytest.fixture(params=["built-in", "file", "classifier", "words"])
def model(request: Any, custom: ActivityClassifier, tmp_path: Path) -> Any:
    """Return a model to export, and the classifier that it is to be compared with."""
    if request.param == "built-in":
        return None, ActivityClassifier.load()
    if request.param == "file":
        path = tmp_path / "model.bin"
        custom.save(path)
        return path, ActivityClassifier.load(path)
    if request.param == "classifier":
        return custom, custom
    # Neither activities nor the features of windows.
    random = np.random.default_rng(6)
    y = np.repeat([3, 1, 2], 30)
    x = random.normal(0, 0.5, (90, 5)) + y[:, None]
    words = ActivityClassifier().fit(x, y)
    return words, words


def rows_for(classifier: ActivityClassifier, features: npt.NDArray[np.float32]) -> Any:
    return np.ascontiguousarray(features[:, : classifier.n_features_in_])


def test_onnx_has_the_probabilities_of_the_package(
    model: Any, features: npt.NDArray[np.float32], tmp_path: Path
) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    given, classifier = model
    path = tmp_path / "model.onnx"
    content = export.to_onnx(given, path)
    assert path.read_bytes() == content == export.to_onnx(given)
    session = runtime.InferenceSession(content)
    x = rows_for(classifier, features)
    activities, probabilities = session.run(None, {"features": x})
    expected = classifier.predict_proba(x)
    assert np.abs(probabilities - expected).max() < 1e-5
    # Not because one class has all.
    assert (np.sort(expected, axis=1)[:, -2] > 0.01).any()
    names = classifier.classes_.astype(str)
    assert json.loads(session.get_modelmeta().custom_metadata_map["classes"]) == list(names)
    assert np.array_equal(activities, names[probabilities.argmax(axis=1)])
    one = session.run(["probabilities"], {"features": x[:1]})[0]
    assert np.allclose(one, probabilities[:1], atol=1e-6)


def test_coreml_has_the_probabilities_of_the_package(
    model: Any, features: npt.NDArray[np.float32], tmp_path: Path
) -> None:
    coremltools = pytest.importorskip("coremltools")
    from coremltools.converters.mil import Builder

    given, classifier = model
    x = rows_for(classifier, features)
    found: list[Any] = []

    # Programs run on Apple's systems alone; what is constant is computed where they are made.
    @Builder.program(input_specs=[])  # type: ignore[untyped-decorator]
    def program() -> Any:
        operations = export._CoreMLOperations(Builder)
        result = export._Classifier(given).probabilities(operations, Builder.const(val=x))
        found.append(result.val)
        return result

    assert np.abs(found[0] - classifier.predict_proba(x)).max() < 1e-5
    exported = export.to_coreml(given)
    exported.save(str(tmp_path / "model.mlpackage"))
    again = coremltools.models.MLModel(str(tmp_path / "model.mlpackage"), skip_model_load=True)
    description = again.get_spec().description
    assert list(description.input[0].type.multiArrayType.shape) == [1, x.shape[1]]
    assert description.predictedFeatureName == "classLabel"
    assert json.loads(again.user_defined_metadata["classes"]) == list(
        classifier.classes_.astype(str)
    )


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    for damaged in (b"", b"\0", ActivityClassifier.load().model_bytes()[:-1]):
        with pytest.raises(locomotion.RejectedInput, match="the model"):
            export.to_onnx(damaged)
    with pytest.raises(FileNotFoundError):
        export.to_onnx(tmp_path / "none.bin")
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        export.to_onnx(ActivityClassifier())
