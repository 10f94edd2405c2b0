"""A trained estimator as an ONNX model: rows in, labels and scores out, and words about both."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, ValueInfoProto, checker, helper

from rosenblatt._export.onnx_graph import DOUBLE, IR, OPSET, Graph
from rosenblatt._export.onnx_names import feature_names, labels
from rosenblatt._export.onnx_rules import of_classes, signed
from rosenblatt._training.kernel_rule import DualVoters
from rosenblatt._training.linear_rule import VOTING
from rosenblatt._util.version import __version__
from rosenblatt.data.encoding import Encoding, Number

_AS_TRAINED = "The numbers that the rule was trained on, in this order."
_AS_IN_THE_TABLE = (
    "Numbers as they are in the table, NaN where one is missing: the graph fills and scales them. "
    "For a word, 1 in the column 'name=word' and 0 in the others of that name; for a boolean 1 or "
    "0."
)


_OF_TWO = (
    "`score` is what the sign of each row is taken of, 0 being positive; `label` is the first "
    "label of a negative row and the second of a positive one."
)
_OF_MANY = (
    "`score` has a column for each label; `label` is the one with the highest score, on a tie "
    "the first."
)


def model_of(estimator: Any, encoding: Encoding | None, dtype: str) -> ModelProto:
    """The model, checked. Its metadata: `features` and `labels`, as JSON, and `input`, in words."""
    classes = labels(estimator.classes_)
    shape = ["n"] if len(classes) == 2 else ["n", len(classes)]
    made = helper.make_model(
        _graph(estimator, classes, encoding).finished(
            type(estimator).__name__,
            [_matrix("X", np.dtype(dtype), "n", estimator.n_features_in_)],
            [_matrix("label", classes.dtype, "n"), _matrix("score", np.dtype(float), *shape)],
            _OF_TWO if len(classes) == 2 else _OF_MANY,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR,
        producer_name="rosenblatt",
        producer_version=__version__,
    )
    facts = {
        "features": json.dumps(feature_names(estimator, encoding)),
        "labels": json.dumps(classes.tolist()),
        "input": _AS_TRAINED if encoding is None else _AS_IN_THE_TABLE,
    }
    helper.set_model_props(made, facts)
    checker.check_model(made, full_check=True)
    return made


def _matrix(name: str, dtype: np.dtype[Any], *shape: Any) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)


def _graph(estimator: Any, classes: NDArray[Any], encoding: Encoding | None) -> Graph:
    """From X to label and score."""
    graph, rule = Graph(), estimator._rule
    X = graph.Cast("X", to=DOUBLE)
    if encoding is not None:
        X = _prepared(graph, encoding, X)
    if len(classes) == 2:
        number = signed(graph, rule, X, estimator.n_features_in_)
        place = graph.Cast(graph.GreaterOrEqual(number, graph.constant(0.0)), to=TensorProto.INT64)
    else:
        number = of_classes(graph, rule, X, estimator.n_features_in_, len(classes))
        place = graph.ArgMax(number, axis=1, keepdims=0)
    graph.named(graph.Gather(graph.constant(classes, classes.dtype), place), "label")
    voting = isinstance(rule, VOTING) or isinstance(getattr(rule, "learned", None), DualVoters)
    graph.named(number if voting else graph.Mul(number, graph.constant(rule.eta)), "score")
    return graph


def _prepared(graph: Graph, encoding: Encoding, X: str) -> str:
    """Missing numbers filled, all numbers scaled: what training did to them, to the bit."""
    columns = [column for column in encoding.columns for _ in column.features]
    numbers = [column if isinstance(column, Number) else Number("") for column in columns]
    fills = [np.nan if column.fill is None else column.fill for column in numbers]
    if not np.isnan(fills).all():
        X = graph.Where(graph.IsNaN(X), graph.constant(fills), X)
    if encoding.scaled:
        X = graph.Sub(X, graph.constant([column.center for column in numbers]))
        X = graph.Div(X, graph.constant([column.scale for column in numbers]))
    return X
