"""A model's classifier of single windows for other runtimes: ONNX and Core ML.

    >>> to_onnx("my-model.bin", "my-model.onnx")
    >>> session = onnxruntime.InferenceSession("my-model.onnx")
    >>> activities, probabilities = session.run(None, {"features": features})

What is exported is what `locomotion.sklearn.ActivityClassifier.predict_proba` computes: from the
features of `WindowFeatures` to calibrated probabilities. The filter over time, and the terms for
rotation rates and fixes, are the phone's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _native
from .constants import ACTIVITIES

__all__ = ["to_coreml", "to_onnx"]

Numbers = npt.NDArray[np.float32]

_CLIP = 6.0
"""Standardized features are clipped to ± this."""
_LOG_RATIO = 13.8
"""The logarithm of a custom class's likelihood ratio is clipped to ± this."""
_KNOTS = 6


def to_onnx(model: Any = None, path: str | os.PathLike[str] | None = None) -> bytes:
    """Return a model's classifier of single windows as an ONNX file.

    Its input is ``features`` (n, n_features), single precision; its outputs are ``activity`` (n),
    text, and ``probabilities`` (n, n_classes). The names of the columns are in its metadata, as
    JSON: ``classes`` and, for the features of windows, ``features``.

    Parameters
    ----------
    model : path, bytes or ActivityClassifier, optional
        A model file or its content, or a classifier that is fitted; the built-in model by default.
    path : path, optional
        A file to which it is also written; an existing one is replaced.

    Returns
    -------
    bytes
        The file: opset 17, for ONNX Runtime 1.12 and later among others.

    Raises
    ------
    ImportError
        onnx is not installed.
    RejectedInput
        It is not a model file, or is damaged.
    OSError
        A file cannot be read or written.
    """
    from onnx import TensorProto, checker, helper

    found = _Classifier.of(model)
    operations = _OnnxOperations()
    probabilities = found.probabilities(operations, "features")
    operations.add("Identity", probabilities, output="probabilities")
    best = operations.add("ArgMax", "probabilities", axis=1, keepdims=0)
    operations.add("Gather", np.array(found.classes, object), best, output="activity")
    graph = helper.make_graph(
        operations.nodes,
        "locomotion",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", found.width])],
        [
            helper.make_tensor_value_info("activity", TensorProto.STRING, ["n"]),
            helper.make_tensor_value_info(
                "probabilities", TensorProto.FLOAT, ["n", len(found.classes)]
            ),
        ],
        operations.constants,
    )
    proto = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="swift-locomotion",
    )
    helper.set_model_props(proto, found.metadata)
    checker.check_model(proto, full_check=True)
    content: bytes = proto.SerializeToString()
    if path is not None:
        with open(path, "wb") as file:
            file.write(content)
    return content


def to_coreml(model: Any = None) -> Any:
    """Return a model's classifier of single windows as a Core ML classifier.

    Its input is ``features`` (1, n_features), single precision; its outputs are ``classLabel`` and
    the probabilities by class. The features' names are in its metadata, as those of `to_onnx`.

    Parameters
    ----------
    model : path, bytes or ActivityClassifier, optional
        As for `to_onnx`.

    Returns
    -------
    coremltools.models.MLModel
        An ML program for iOS 15 and macOS 12 and later; ``save("my-model.mlpackage")`` writes it.

    Raises
    ------
    ImportError
        coremltools is not installed.
    RejectedInput, OSError
        As `to_onnx`.
    """
    import coremltools
    from coremltools.converters.mil import Builder

    found = _Classifier.of(model)

    inputs = [Builder.TensorSpec(shape=(1, found.width))]

    @Builder.program(input_specs=inputs)  # type: ignore[untyped-decorator]
    def program(features: Any) -> Any:
        return Builder.identity(
            x=found.probabilities(_CoreMLOperations(Builder), features), name="probabilities"
        )

    result = coremltools.convert(
        program,
        convert_to="mlprogram",
        # Half of it would move probabilities by hundredths.
        compute_precision=coremltools.precision.FLOAT32,
        minimum_deployment_target=coremltools.target.iOS15,
        classifier_config=coremltools.ClassifierConfig(
            found.classes, predicted_probabilities_output="probabilities"
        ),
        skip_model_load=True,
    )
    result.user_defined_metadata.update(found.metadata)
    return result


class _Operations(Protocol):
    """What the scores are computed by; a value is one of the runtime's, or an array."""

    def subtract(self, x: Any, y: Any) -> Any: ...
    def divide(self, x: Any, y: Any) -> Any: ...
    def add_up(self, x: Any, y: Any) -> Any: ...
    def multiply(self, x: Any, y: Any) -> Any: ...
    def product(self, x: Any, y: Numbers) -> Any: ...
    def clip(self, x: Any, limit: float) -> Any: ...
    def hinges(self, x: Any, knots: Numbers) -> Any: ...
    def exponential(self, x: Any) -> Any: ...
    def softmax(self, x: Any) -> Any: ...
    def beside(self, x: Any, y: Any) -> Any: ...
    def columns(self, x: Any, places: Sequence[int]) -> Any: ...


class _OnnxOperations:
    """Nodes and constants of an ONNX graph; values are their names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """Add a node, and its inputs that are arrays as constants, and return its output."""
        from onnx import helper, numpy_helper

        names = []
        for value in inputs:
            if not isinstance(value, str):
                name = f"constant_{len(self.constants)}"
                self.constants.append(numpy_helper.from_array(np.asarray(value), name))
                value = name
            names.append(value)
        output = output or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, names, [output], **attributes))
        return output

    def subtract(self, x: Any, y: Any) -> Any:
        return self.add("Sub", x, y)

    def divide(self, x: Any, y: Any) -> Any:
        return self.add("Div", x, y)

    def add_up(self, x: Any, y: Any) -> Any:
        return self.add("Add", x, y)

    def multiply(self, x: Any, y: Any) -> Any:
        return self.add("Mul", x, y)

    def product(self, x: Any, y: Numbers) -> Any:
        return self.add("MatMul", x, y)

    def clip(self, x: Any, limit: float) -> Any:
        return self.add("Clip", x, np.float32(-limit), np.float32(limit))

    def hinges(self, x: Any, knots: Numbers) -> Any:
        apart = self.subtract(self.add("Unsqueeze", x, np.array([2])), knots)
        return self.add("Reshape", self.add("Relu", apart), np.array([-1, knots.size]))

    def exponential(self, x: Any) -> Any:
        return self.add("Exp", x)

    def softmax(self, x: Any) -> Any:
        return self.add("Softmax", x, axis=1)

    def beside(self, x: Any, y: Any) -> Any:
        return self.add("Concat", x, y, axis=1)

    def columns(self, x: Any, places: Sequence[int]) -> Any:
        return self.add("Gather", x, np.array(places, np.int64), axis=1)


class _CoreMLOperations:
    """Operations of Core ML's intermediate language, by the builder of a program."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def subtract(self, x: Any, y: Any) -> Any:
        return self._builder.sub(x=x, y=y)

    def divide(self, x: Any, y: Any) -> Any:
        return self._builder.real_div(x=x, y=y)

    def add_up(self, x: Any, y: Any) -> Any:
        return self._builder.add(x=x, y=y)

    def multiply(self, x: Any, y: Any) -> Any:
        return self._builder.mul(x=x, y=y)

    def product(self, x: Any, y: Numbers) -> Any:
        return self._builder.matmul(x=x, y=y)

    def clip(self, x: Any, limit: float) -> Any:
        return self._builder.clip(x=x, alpha=-limit, beta=limit)

    def hinges(self, x: Any, knots: Numbers) -> Any:
        apart = self.subtract(self._builder.expand_dims(x=x, axes=[2]), knots)
        return self._builder.reshape(x=self._builder.relu(x=apart), shape=[-1, knots.size])

    def exponential(self, x: Any) -> Any:
        return self._builder.exp(x=x)

    def softmax(self, x: Any) -> Any:
        return self._builder.softmax(x=x, axis=1)

    def beside(self, x: Any, y: Any) -> Any:
        return self._builder.concat(values=[x, y], axis=1)

    def columns(self, x: Any, places: Sequence[int]) -> Any:
        return self._builder.gather(x=x, indices=np.array(places, np.int32), axis=1)


@dataclass
class _Hinges:
    """Additive piecewise-linear scores: see `ActivityModel` for the formula."""

    means: Numbers
    scales: Numbers
    knots: Numbers
    """(features, 6), in standardized units."""
    weights: Numbers
    """(classes, 1 + 7 per feature): a constant, then each feature's and those of its hinges."""

    @classmethod
    def of(cls, basis: Mapping[str, Any], weights: Sequence[float]) -> _Hinges:
        means, scales, knots = (
            np.array(basis[name], np.float32) for name in ("means", "scales", "knots")
        )
        table = np.array(weights, np.float32).reshape(-1, 1 + (1 + _KNOTS) * means.size)
        return cls(means, scales, knots.reshape(-1, _KNOTS), table)

    def scores(self, operations: _Operations, features: Any) -> Any:
        centred = operations.subtract(features, self.means)
        standardized = operations.clip(operations.divide(centred, self.scales), _CLIP)
        parts = self.weights[:, 1:].reshape(len(self.weights), -1, 1 + _KNOTS)
        linear = operations.product(standardized, np.ascontiguousarray(parts[:, :, 0].T))
        bent = parts[:, :, 1:].reshape(len(parts), -1).T
        hinges = operations.hinges(standardized, self.knots)
        bends = operations.product(hinges, np.ascontiguousarray(bent))
        return operations.add_up(operations.add_up(linear, bends), self.weights[:, 0].copy())


@dataclass
class _Classifier:
    """What `TableClassifier` in Swift computes."""

    activities: list[int]
    """The numbers of the classes of `scores`."""
    temperature: float
    scores: _Hinges
    likes: list[int | None]
    """What each custom class behaves like; None for none."""
    ratios: _Hinges | None
    """The scores of the custom classes."""
    order: list[int]
    """The places of `classes` in what is computed: the activities, then the custom classes."""
    classes: list[str]

    @classmethod
    def of(cls, model: Any) -> _Classifier:
        """Return that of a model file, or of an `ActivityClassifier`."""
        classes = None
        if hasattr(model, "predict_proba"):
            _ = model.temperature_  # raises if it is not fitted
            text, classes = model._classifier, [str(name) for name in model.classes_]
            # The library's classes are in the order of its numbers.
            order = [int(place) for place in np.argsort(np.argsort(model._codes()))]
        else:
            text, order = _native.classifier(_content(model))[0], []
        given = json.loads(text)
        fit, custom = given["fit"], given.get("custom")
        if classes is None:
            names = [ACTIVITIES[code] for code in fit["classes"]]
            names += custom["names"] if custom else []
            order = sorted(range(len(names)), key=names.__getitem__)
            classes = [names[place] for place in order]
        return cls(
            fit["classes"],
            given["temperature"],
            _Hinges.of(fit["basis"], fit["weights"]),
            custom["activities"] if custom else [],
            _Hinges.of(custom["basis"], custom["weights"]) if custom else None,
            order,
            classes,
        )

    @property
    def width(self) -> int:
        return self.scores.means.size

    @property
    def metadata(self) -> dict[str, str]:
        found = {"classes": json.dumps(self.classes)}
        names = [name for name, _ in _native.feature_names()]
        return {**found, "features": json.dumps(names)} if len(names) == self.width else found

    def probabilities(self, operations: _Operations, features: Any) -> Any:
        scores = self.scores.scores(operations, features)
        found = operations.softmax(operations.divide(scores, np.float32(self.temperature)))
        if self.ratios is not None:
            found = self._divided(operations, found, self.ratios.scores(operations, features))
        return operations.columns(found, self.order)

    def _divided(self, operations: _Operations, found: Any, scores: Any) -> Any:
        """Return probabilities of which the custom classes take theirs."""
        likes = self.likes
        alike = np.array([[one == other for other in likes] for one in likes], np.float32)
        is_outside = np.array([like is None for like in likes], np.float32)
        # One ordinary kind of each activity; outside, as many as there are activities.
        kinds = np.where(is_outside, len(self.activities), 1).astype(np.float32)
        members = np.array([[a == like for like in likes] for a in self.activities], np.float32)
        ratios = operations.exponential(operations.clip(scores, _LOG_RATIO))
        whole = operations.add_up(operations.product(ratios, alike), kinds)
        shares = operations.divide(ratios, whole)
        one = np.float32(1)
        inside = operations.subtract(one, operations.product(shares, is_outside[:, None].copy()))
        found = operations.multiply(found, inside)
        # What a custom class takes its share of: the activity that it behaves like, or all.
        taken = operations.add_up(operations.product(found, members), is_outside)
        own = operations.multiply(shares, taken)
        kept = operations.subtract(one, operations.product(shares, members.T.copy()))
        return operations.beside(operations.multiply(found, kept), own)


def _content(model: Any) -> bytes:
    if model is None or isinstance(model, bytes):
        return b"" if model is None else model or b"\0"
    with open(model, "rb") as file:
        return file.read() or b"\0"
