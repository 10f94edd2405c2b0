"""A trained estimator as an ONNX model: rows in, labels and scores out, and words about both.

Products are Gemm, never MatMul: onnxruntime merges a MatMul with a factor beside it and rounds the
factor to float32.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    checker,
    helper,
    numpy_helper,
)

from rosenblatt._core.reference import LANES
from rosenblatt._core.rows import Weights, as_table, dense
from rosenblatt._export.expression import feature_names
from rosenblatt._training.kernel_rule import DualVoters, KernelExpansion
from rosenblatt._training.linear_rule import VOTING, LinearRule, SeparateVoters, Voters
from rosenblatt._util.version import __version__
from rosenblatt.data.preprocessing import Number, Preprocessing
from rosenblatt.errors import InputError

OPSET, IR = 13, 7  # of 2020: onnxruntime runs them since 1.6
DOUBLE = TensorProto.DOUBLE
_CHOSEN = (np.int64, np.int32, np.float64, np.float32, np.object_)  # onnxruntime's Where takes
_MOST_BYTES = 2_000_000_000  # protobuf writes messages of less than 2 GiB
_NO_NAN = "A row with NaN has a score of NaN, and its label means nothing."
_WORDS = (
    " For a word, 1 in the column 'name=word' and 0 in the others of that name; for a boolean 1 or "
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


def model_of(
    estimator: Any, preprocessing: Preprocessing | None, dtype: str, *, exact: bool = True
) -> ModelProto:
    """Its metadata: `features` and `labels`, as JSON, and `input`, in words."""
    classes = labels(estimator.classes_)
    shape = ["n"] if len(classes) == 2 else ["n", len(classes)]
    quick, graph = not exact and isinstance(estimator._rule, LinearRule), Graph()
    if quick:
        label, score = _product(graph, "X", estimator, preprocessing, np.dtype(dtype))
    else:
        label, score = rule_of(graph, "X", estimator, preprocessing)
    graph.named(label, "label")
    graph.named(score, "score")
    of_scores = np.dtype(dtype if quick else float)
    made = helper.make_model(
        graph.finished(
            type(estimator).__name__,
            [_matrix("X", np.dtype(dtype), "n", estimator.n_features_in_)],
            [_matrix("label", classes.dtype, "n"), _matrix("score", of_scores, *shape)],
            _OF_TWO if len(classes) == 2 else _OF_MANY,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR,
        producer_name="rosenblatt",
        producer_version=__version__,
    )
    facts = {
        "features": json.dumps(list(feature_names(estimator, preprocessing))),
        "labels": json.dumps(classes.tolist()),
        "input": _input(preprocessing),
    }
    helper.set_model_props(made, facts)
    checker.check_model(made, full_check=True)
    return made


def _input(preprocessing: Preprocessing | None) -> str:
    """What X holds, and what the graph does with it, in words."""
    if preprocessing is None:
        return f"The numbers that the rule was trained on, in this order. {_NO_NAN}"
    numbers = preprocessing.numbers
    filled = [column.name for column in numbers if column.fill is not None]
    missing = _NO_NAN
    if filled:
        where = "" if len(filled) == len(numbers) else f" of the columns {', '.join(filled)}"
        missing = f"NaN where one{where} is missing: the graph fills it."
        missing += f" Elsewhere: {_NO_NAN}" if where else ""
    scales = "" if all(column.as_it_is for column in numbers) else "; the graph scales them"
    words = "" if len(numbers) == len(preprocessing.columns) else _WORDS
    return f"Numbers as they are in the table{scales}. {missing}{words}"


def _matrix(name: str, dtype: np.dtype[Any], *shape: Any) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)


def rule_of(
    graph: Graph, X: str, estimator: Any, preprocessing: Preprocessing | None
) -> tuple[str, str]:
    """From X to label and score, to the bit."""
    rule, classes = estimator._rule, labels(estimator.classes_)
    X = graph.Cast(X, to=DOUBLE)
    if preprocessing is not None:
        X = _prepared(graph, preprocessing, X)
    k = 1 if len(classes) == 2 else len(classes)
    columns = values(graph, rule, X, estimator.n_features_in_, k)
    label, number = _labelled(graph, columns, classes, DOUBLE)
    voting = isinstance(rule, VOTING) or isinstance(getattr(rule, "learned", None), DualVoters)
    return label, number if voting else graph.Mul(number, graph.constant(rule.eta))


def _labelled(graph: Graph, columns: str, classes: NDArray[Any], dtype: Any) -> tuple[str, str]:
    """Labels and scores, of two labels one for each row."""
    if len(classes) > 2:
        place = graph.ArgMax(columns, axis=1, keepdims=0)
        return graph.Gather(graph.constant(classes, classes.dtype), place), columns
    number = graph.Squeeze(columns, graph.whole(1))
    zero = graph.constant(0.0, helper.tensor_dtype_to_np_dtype(dtype))
    positive = graph.GreaterOrEqual(number, zero)
    if classes.dtype in _CHOSEN:  # a third of the time of a Gather
        first, second = (graph.constant(label, classes.dtype) for label in classes)
        return graph.Where(positive, second, first), number
    place = graph.Cast(positive, to=TensorProto.INT64)
    return graph.Gather(graph.constant(classes, classes.dtype), place), number


def _product(
    graph: Graph, X: str, estimator: Any, preprocessing: Preprocessing | None, dtype: Any
) -> tuple[str, str]:
    """One matrix product: what is divided is divided in the weights."""
    rule, classes = estimator._rule, labels(estimator.classes_)
    weights = np.atleast_2d(rule.weights) * rule.eta
    w, b = weights[:, :-1], weights[:, -1]
    if preprocessing is not None:
        fills, centers, scales = _settings(preprocessing)
        if not np.isnan(fills).all():
            X = graph.Where(graph.IsNaN(X), graph.constant(fills, dtype), X)
        if centers.any():  # inside of the intercept it would cancel
            X = graph.Sub(X, graph.constant(centers, dtype))
        w = w / scales
    columns = graph.Gemm(X, graph.constant(w, dtype), graph.constant(b, dtype), transB=1)
    of = helper.np_dtype_to_tensor_dtype(dtype)
    return _labelled(graph, columns, classes, of)


def _settings(preprocessing: Preprocessing) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Fills, centers and scales of all features; NaN where nothing is filled."""
    columns = [column for column in preprocessing.columns for _ in column.features]
    numbers = [column if isinstance(column, Number) else Number("") for column in columns]
    fills = np.array([np.nan if column.fill is None else column.fill for column in numbers])
    centers, scales = (
        np.array([getattr(c, name) for c in numbers]) for name in ("center", "scale")
    )
    return fills, centers, scales


def _prepared(graph: Graph, preprocessing: Preprocessing, X: str) -> str:
    """Missing numbers filled, all numbers scaled: what training did to them, to the bit."""
    fills, centers, scales = _settings(preprocessing)
    if not np.isnan(fills).all():
        X = graph.Where(graph.IsNaN(X), graph.constant(fills), X)
    if preprocessing.scaled:
        X = graph.Div(graph.Sub(X, graph.constant(centers)), graph.constant(scales))
    return X


def values(graph: Graph, rule: Any, X: str, d: int, k: int) -> str:
    """(n, k): in units of the learning rate, or means of votes. k = 1 is two classes, by the sign,
    where 0 is positive; else a column for each class, and the highest decides."""
    if isinstance(rule, SeparateVoters):
        columns = [values(graph, voters, X, d, 1) for voters in rule.of_classes]
        return str(graph.Concat(*columns, axis=1))
    if isinstance(rule, LinearRule):
        return scores(graph, X, np.atleast_2d(rule.weights))
    if isinstance(rule, Voters):
        weights, votes = rule.table()
        if not votes:
            weights, votes = np.zeros((1, k, d + 1)), [0]
        of_voters = scores(graph, X, weights.reshape(-1, d + 1))
        shape = graph.whole(0, len(votes), k)  # 0: as many rows as there are
        return _mean_votes(graph, graph.Reshape(of_voters, shape), votes, k)
    voting = isinstance(rule.learned, DualVoters)
    if not len(rule.support):  # nothing was learned but, perhaps, intercepts
        b = np.zeros(k) if voting else np.reshape(rule.learned.b, -1)
        return scores(graph, X, np.column_stack([np.zeros((k, d)), b]))
    vectors = dense(as_table(rule.vectors)).astype(np.float64)
    products = graph.Gemm(X, graph.constant(vectors), transB=1)
    of_kernel = rule.kernel.nodes(graph, X, products, vectors)
    if voting:
        return _dual_votes(graph, of_kernel, rule.learned, rule.support, k)
    return _functions(graph, of_kernel, rule.learned, rule.support)


def scores(graph: Graph, X: str, weights: Weights) -> str:
    """The score as it is defined, to the bit, of n rows under k lifted weight vectors: (n, k).

    Product j goes into lane j mod L in increasing j, the lanes fold in halves, b comes last. No
    Gemm does that: it adds in an order of its own.
    """
    k, d = len(weights), weights.shape[1] - 1
    blocks = -(-d // LANES)
    room = blocks * LANES - d  # zeros change no lane
    W = np.pad(weights[:, :-1], ((0, 0), (0, room))).reshape(k, blocks, LANES).swapaxes(0, 1)
    X = graph.Pad(X, graph.whole(0, 0, 0, room), graph.constant(0.0))
    n = graph.Slice(graph.Shape(X), graph.whole(0), graph.whole(1))
    X = graph.Reshape(X, graph.whole(0, blocks, LANES))  # 0: as many rows as there are
    shape = graph.Concat(n, graph.whole(k, LANES), axis=0)
    lanes = graph.Scan(
        graph.Expand(graph.constant(0.0), shape),
        graph.Transpose(X, perm=[1, 0, 2]),
        graph.constant(W),
        body=_block(graph.prefix, k),
        num_scan_inputs=2,
    )
    left = LANES
    while left > 1:
        left //= 2
        lanes = graph.Add(*graph.call("Split", lanes, graph.whole(left, left), outputs=2, axis=2))
    return str(graph.Add(graph.Squeeze(lanes, graph.whole(2)), graph.constant(weights[:, -1])))


def _block(prefix: str, k: int) -> Any:
    """Its names are nowhere else in the graph around it."""
    body = Graph(f"{prefix}block_")
    lanes, x, w, more = (f"{body.prefix}{name}" for name in ("lanes", "x", "w", "more"))
    body.named(body.Add(lanes, body.Mul(body.Unsqueeze(x, body.whole(1)), w)), more)
    shapes: dict[str, list[str | int]]
    shapes = {lanes: ["n", k, LANES], x: ["n", LANES], w: [k, LANES]}
    inputs = [helper.make_tensor_value_info(name, DOUBLE, s) for name, s in shapes.items()]
    outputs = [helper.make_tensor_value_info(more, DOUBLE, shapes[lanes])]
    return body.finished("block", inputs, outputs, "The products of L features, each in its lane.")


def _functions(graph: Graph, values: str, learned: KernelExpansion, support: Any) -> str:
    beta = np.atleast_2d(learned.beta)[:, support]
    return str(
        graph.Gemm(values, graph.constant(beta.T), graph.constant(np.reshape(learned.b, -1)))
    )


def _dual_votes(graph: Graph, values: str, voters: DualVoters, support: Any, k: int) -> str:
    """The functions came about by steps, each on the one before it; the start comes first."""
    u = len(voters.steps)
    start = voters.start or KernelExpansion.zero(voters.n, voters.k)
    first = graph.Unsqueeze(_functions(graph, values, start, support), graph.whole(1))
    steps = np.zeros((u, k))
    steps[np.arange(u), voters.classes] = voters.steps
    places = graph.whole(*np.searchsorted(support, voters.rows).tolist())
    columns = graph.Unsqueeze(graph.Gather(values, places, axis=1), graph.whole(2))
    added = graph.Mul(columns, graph.constant(steps))
    if voters.intercept:
        added = graph.Add(added, graph.constant(steps))
    running = graph.CumSum(graph.Concat(first, added, axis=1), graph.constant(1, np.int64))
    return _mean_votes(graph, running, [voters.start_votes, *voters.votes], k)


def _mean_votes(graph: Graph, of_voters: str, votes: list[int], k: int) -> str:
    """From scores (n, voters, k): Σ votes · sign(score) / Σ votes, with sign(0) = +1; of classes
    the share of the votes of each. The sums are whole numbers, exact."""
    if k == 1:
        positive, otherwise = graph.GreaterOrEqual(of_voters, graph.constant(0.0)), -1.0
    else:
        winner = graph.ArgMax(of_voters, axis=2, keepdims=1)  # of equal ones the first
        positive = graph.Equal(winner, graph.constant(np.arange(k), np.int64))
        otherwise = 0.0
    cast = graph.Where(positive, graph.constant(1.0), graph.constant(otherwise))
    weighted = graph.Mul(cast, graph.constant(np.array(votes, dtype=float)[:, None]))
    tally = graph.ReduceSum(weighted, graph.whole(1), keepdims=0)
    return str(graph.Div(tally, graph.constant(float(max(sum(votes), 1)))))


def labels(classes: NDArray[Any]) -> NDArray[Any]:
    """In a type that ONNX has."""
    if classes.dtype == object:
        typed = np.array(classes.tolist())
        if [type(v) for v in typed.tolist()] != [type(v) for v in classes.tolist()]:
            raise _no_such_labels(classes)
    else:
        typed = classes.astype(classes.dtype.newbyteorder("="))
    if typed.dtype.kind not in "biufU":
        raise _no_such_labels(classes)
    if typed.dtype.kind == "U":
        try:
            "".join(typed.tolist()).encode()
        except UnicodeEncodeError:
            raise _no_such_labels(classes) from None
        return typed.astype(object)  # as `numpy_helper` takes text
    return typed


def _no_such_labels(classes: NDArray[Any]) -> InputError:
    return InputError(
        f"The labels {classes.tolist()} ({classes.dtype}) cannot be written to an ONNX file. Train "
        "with labels that are text, booleans, or numbers of one type in at most 64 bits."
    )


# --- A graph under construction: operators are called like functions, on names of values ---------


class Graph:
    """Values are names; an operator is a method call that returns the name of its output."""

    def __init__(self, prefix: str = ""):
        self.prefix = prefix  # a graph inside another has names of its own
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._bytes = 0

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        array = array.reshape(np.shape(value))  # a number stays one
        self._bytes += array.nbytes
        if self._bytes > _MOST_BYTES:
            raise InputError(
                f"The rule holds more than {_MOST_BYTES:,} bytes of numbers: more than fit into an "
                "ONNX file. Train with keep='average' instead of 'vote', or on fewer rows."
            )
        name = f"{self.prefix}constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def whole(self, *numbers: int) -> str:
        return self.constant(numbers, np.int64)

    def call(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> list[str]:
        names = [f"{self.prefix}{operator}_{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def __getattr__(self, operator: str) -> Any:
        """graph.MatMul(a, b): the one output of an operator."""
        if not operator[:1].isupper():
            raise AttributeError(operator)
        return lambda *inputs, **attributes: self.call(operator, *inputs, **attributes)[0]

    def named(self, value: str, name: str) -> str:
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        return name

    def finished(self, name: str, inputs: list[Any], outputs: list[Any], words: str) -> GraphProto:
        return helper.make_graph(self.nodes, name, inputs, outputs, self.constants, words)
