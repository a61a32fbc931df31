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
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from . import _native
from .constants import ACTIVITIES

__all__ = ["to_coreml", "to_onnx"]

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

    found = _Classifier(model)
    operations = _OnnxOperations()
    probabilities = found.probabilities(operations, "features")
    operations("Identity", probabilities, output="probabilities")
    best = operations("ArgMax", "probabilities", axis=1, keepdims=0)
    operations("Gather", np.array(found.classes, object), best, output="activity")
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
        Path(path).write_bytes(content)
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

    found = _Classifier(model)

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


class _OnnxOperations:
    """Nodes and constants of an ONNX graph; values are their names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def __call__(self, kind: str, *inputs: Any, output: str | None = None, **more: Any) -> str:
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
        self.nodes.append(helper.make_node(kind, names, [output], **more))
        return output


class _CoreMLOperations:
    """Operations of Core ML's intermediate language, by the builder of a program."""

    #: The operations that have other names than in ONNX.
    _NAMES = {"Div": "real_div", "Unsqueeze": "expand_dims"}
    #: The inputs of those that take others than x, or x and y.
    _INPUTS = {
        "Clip": ("x", "alpha", "beta"),
        "Concat": ("values",),
        "Gather": ("x", "indices"),
        "Reshape": ("x", "shape"),
        "Unsqueeze": ("x", "axes"),
    }

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def __call__(self, kind: str, *inputs: Any, **more: Any) -> Any:
        """Return the output of an operation."""
        operation = getattr(self._builder, self._NAMES.get(kind, kind.lower()))
        values: Any = [inputs] if kind == "Concat" else inputs
        for word, value in zip(self._INPUTS.get(kind, ("x", "y")), values, strict=False):
            # Its whole numbers have 32 bits.
            is_long = getattr(value, "dtype", None) == np.int64
            more[word] = value.astype(np.int32) if is_long else value
        return operation(**more)


Operations: TypeAlias = "_OnnxOperations | _CoreMLOperations"
"""What computes the scores, with the operations of ONNX; a value is one of the runtime's, or an
array."""


class _Hinges:
    """Additive piecewise-linear scores: see `ActivityModel` for the formula."""

    def __init__(self, basis: Mapping[str, Any], weights: Sequence[float]) -> None:
        self.means = np.array(basis["means"], np.float32)
        self.scales = np.array(basis["scales"], np.float32)
        self.knots = np.array(basis["knots"], np.float32).reshape(-1, _KNOTS)
        """(features, 6), in standardized units."""
        width = 1 + self.means.size + self.knots.size
        self.weights = np.array(weights, np.float32).reshape(-1, width)
        """(classes, 1 + 7 per feature): a constant, then each feature's and those of its hinges."""

    def scores(self, compute: Operations, features: Any) -> Any:
        centred = compute("Sub", features, self.means)
        standardized = _clipped(compute, compute("Div", centred, self.scales), _CLIP)
        parts = self.weights[:, 1:].reshape(len(self.weights), -1, 1 + _KNOTS)
        linear = compute("MatMul", standardized, np.ascontiguousarray(parts[:, :, 0].T))
        bent = parts[:, :, 1:].reshape(len(parts), -1).T
        apart = compute("Sub", compute("Unsqueeze", standardized, np.array([2])), self.knots)
        hinges = compute("Reshape", compute("Relu", apart), np.array([-1, self.knots.size]))
        bends = compute("MatMul", hinges, np.ascontiguousarray(bent))
        return compute("Add", compute("Add", linear, bends), self.weights[:, 0].copy())


def _clipped(compute: Operations, values: Any, limit: float) -> Any:
    return compute("Clip", values, np.float32(-limit), np.float32(limit))


class _Classifier:
    """What `TableClassifier` in Swift computes, of a model file or an `ActivityClassifier`."""

    def __init__(self, model: Any) -> None:
        is_file = not hasattr(model, "predict_proba")
        _ = is_file or model.temperature_  # raises if it is not fitted
        given = json.loads(_native.classifier(model)[0] if is_file else model._classifier)
        fit, custom = given["fit"], given.get("custom")
        self.activities: list[int] = fit["classes"]
        """The numbers of the classes of `scores`."""
        self.temperature, self.scores = given["temperature"], _Hinges(fit["basis"], fit["weights"])
        self.likes: list[int | None] = custom["activities"] if custom else []
        """What each custom class behaves like; None for none."""
        self.ratios = _Hinges(custom["basis"], custom["weights"]) if custom else None
        """The scores of the custom classes."""
        if is_file:
            names = [ACTIVITIES[code] for code in self.activities]
            names += custom["names"] if custom else []
            self.order = sorted(range(len(names)), key=names.__getitem__)
            """The places of `classes` in what is computed: activities, then custom classes."""
            self.classes = [names[place] for place in self.order]
        else:
            # The library's classes are in the order of its numbers.
            self.order = np.argsort(np.argsort(model._codes())).tolist()
            self.classes = [str(name) for name in model.classes_]

    @property
    def width(self) -> int:
        return self.scores.means.size

    @property
    def metadata(self) -> dict[str, str]:
        found = {"classes": json.dumps(self.classes)}
        names = _native.feature_names()
        return {**found, "features": json.dumps(names)} if len(names) == self.width else found

    def probabilities(self, compute: Operations, features: Any) -> Any:
        scores = self.scores.scores(compute, features)
        found = compute("Softmax", compute("Div", scores, np.float32(self.temperature)), axis=1)
        if self.ratios is not None:
            found = self._divided(compute, found, self.ratios.scores(compute, features))
        return compute("Gather", found, np.array(self.order), axis=1)

    def _divided(self, compute: Operations, found: Any, scores: Any) -> Any:
        """Return probabilities of which the custom classes take theirs."""
        likes = self.likes
        alike = np.array([[one == other for other in likes] for one in likes], np.float32)
        is_outside = np.array([like is None for like in likes], np.float32)
        # One ordinary kind of each activity; outside, as many as there are activities.
        kinds = np.where(is_outside, len(self.activities), 1).astype(np.float32)
        members = np.array([[a == like for like in likes] for a in self.activities], np.float32)
        ratios = compute("Exp", _clipped(compute, scores, _LOG_RATIO))
        whole = compute("Add", compute("MatMul", ratios, alike), kinds)
        shares = compute("Div", ratios, whole)
        one = np.float32(1)
        outside = compute("MatMul", shares, is_outside[:, None].copy())
        found = compute("Mul", found, compute("Sub", one, outside))
        # What a custom class takes its share of: the activity that it behaves like, or all.
        taken = compute("Add", compute("MatMul", found, members), is_outside)
        own = compute("Mul", shares, taken)
        kept = compute("Sub", one, compute("MatMul", shares, members.T.copy()))
        return compute("Concat", compute("Mul", found, kept), own, axis=1)
