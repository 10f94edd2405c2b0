"""Trained rules as graphs: from rows (in float64) to the number whose sign decides.

Products are Gemm, never MatMul: onnxruntime merges a MatMul with a factor beside it and rounds the
factor to float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper

from rosenblatt._core.reference import LANES
from rosenblatt._core.rows import Weights, as_table, dense
from rosenblatt._export.onnx_graph import DOUBLE, Graph
from rosenblatt._training.kernel_rule import DualVoters, KernelRule
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters, Voters


def signed(graph: Graph, rule: LinearRule | Voters | KernelRule, X: str, d: int) -> str:
    """In units of the learning rate, or the mean vote: one number a row; 0 is positive."""
    if isinstance(rule, LinearRule):
        return _only(graph, scores(graph, X, rule.weights[None, :]))
    if isinstance(rule, Voters):
        weights, votes = rule.table()
        if not votes:
            weights, votes = np.zeros((1, d + 1)), [0]
        return _mean_vote(graph, scores(graph, X, weights), votes)
    if not len(rule.support):  # nothing was learned but, perhaps, an intercept
        b = 0.0 if isinstance(rule.learned, DualVoters) else rule.learned.b
        return _only(graph, scores(graph, X, np.append(np.zeros(d), b)[None, :]))
    values = kernel_values(graph, X, rule)
    if isinstance(rule.learned, DualVoters):
        return _dual_vote(graph, values, rule.learned, rule.support)
    return _function(graph, values, rule.learned.beta[rule.support], rule.learned.b)


def _only(graph: Graph, scores: str) -> str:
    found: str = graph.Squeeze(scores, graph.whole(1))
    return found


# --- Weights of the features ---------------------------------------------------------------------


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
        body=_block(k),
        num_scan_inputs=2,
    )
    for _ in range(LANES.bit_length() - 1):
        lanes = graph.Add(*graph.call("Split", lanes, outputs=2, axis=2))
    found: str = graph.Add(graph.Squeeze(lanes, graph.whole(2)), graph.constant(weights[:, -1]))
    return found


def _block(k: int) -> Any:
    """lanes + x · w for the next L features."""
    body = Graph("block_")
    x = body.Unsqueeze("x", body.whole(1))
    body.named(body.Add("lanes", body.Mul(x, "w")), "more")
    shapes: dict[str, list[str | int]]
    shapes = {"lanes": ["n", k, LANES], "x": ["n", LANES], "w": [k, LANES]}
    inputs = [helper.make_tensor_value_info(name, DOUBLE, s) for name, s in shapes.items()]
    more = helper.make_tensor_value_info("more", DOUBLE, shapes["lanes"])
    return body.finished("block", inputs, [more], "The products of L features, each in its lane.")


def _mean_vote(graph: Graph, scores: str, votes: list[int]) -> str:
    """Σ votes · sign(score) / Σ votes, with sign(0) = +1; the sums are whole numbers, exact."""
    positive = graph.GreaterOrEqual(scores, graph.constant(0.0))
    signs = graph.Where(positive, graph.constant(1.0), graph.constant(-1.0))
    tally = graph.ReduceSum(graph.Mul(signs, graph.constant(votes)), graph.whole(1), keepdims=0)
    found: str = graph.Div(tally, graph.constant(float(max(sum(votes), 1))))
    return found


# --- Coefficients of the support vectors ---------------------------------------------------------


def kernel_values(graph: Graph, X: str, rule: KernelRule) -> str:
    """k(x, z) for n rows and the support vectors."""
    assert rule.vectors is not None
    vectors = dense(as_table(rule.vectors)).astype(np.float64)
    products = graph.Gemm(X, graph.constant(vectors), transB=1)
    return rule.kernel.nodes(graph, X, products, vectors)


def _function(graph: Graph, values: str, beta: Weights, b: float) -> str:
    return _only(graph, graph.Gemm(values, graph.constant(beta[:, None]), graph.constant([b])))


def _dual_vote(graph: Graph, values: str, voters: DualVoters, support: Any) -> str:
    """The functions came about by updates, each on the one before it; the start comes first."""
    start, steps = voters.start, graph.constant(voters.steps)
    beta = np.zeros(len(support)) if start is None else start.beta[support]
    first = _function(graph, values, beta, 0.0 if start is None else start.b)
    places = graph.whole(*np.searchsorted(support, voters.rows).tolist())
    added = graph.Mul(graph.Gather(values, places, axis=1), steps)
    if voters.intercept:
        added = graph.Add(added, steps)
    all_of_them = graph.Concat(graph.Unsqueeze(first, graph.whole(1)), added, axis=1)
    scores = graph.CumSum(all_of_them, graph.constant(1, np.int64))
    return _mean_vote(graph, scores, [voters.start_votes, *voters.votes])


# --- Many classes: a number for each --------------------------------------------------------------


def of_classes(graph: Graph, rule: Any, X: str, d: int, k: int) -> str:
    """In units of the learning rate, or the votes: (n, k); the highest decides."""
    if isinstance(rule, LinearRule):
        return scores(graph, X, rule.weights)
    if isinstance(rule, SeparateVoters):
        votes = [signed(graph, voters, X, d) for voters in rule.of_classes]
        columns = [graph.Unsqueeze(vote, graph.whole(1)) for vote in votes]
        return str(graph.Concat(*columns, axis=1))
    if isinstance(rule, Voters):
        weights, votes_of = rule.table()
        if not votes_of:
            weights, votes_of = np.zeros((1, k, d + 1)), [0]
        flat = scores(graph, X, weights.reshape(-1, d + 1))
        shape = graph.whole(0, len(votes_of), k)  # 0: as many rows as there are
        return _shares(graph, graph.Reshape(flat, shape), votes_of, k)
    if not len(rule.support):  # nothing was learned but, perhaps, intercepts
        b = np.zeros(k) if isinstance(rule.learned, DualVoters) else rule.learned.b[:, 0]
        return scores(graph, X, np.column_stack([np.zeros((k, d)), b]))
    values = kernel_values(graph, X, rule)
    if isinstance(rule.learned, DualVoters):
        return _dual_shares(graph, values, rule.learned, rule.support, k)
    return _functions(graph, values, rule.learned.beta[:, rule.support], rule.learned.b[:, 0])


def _functions(graph: Graph, values: str, beta: Any, b: Any) -> str:
    return str(graph.Gemm(values, graph.constant(beta.T), graph.constant(b)))


def _shares(graph: Graph, scores_of_voters: str, votes: list[int], k: int) -> str:
    """The share of the votes of each class, from the scores (n, voters, k)."""
    winner = graph.ArgMax(scores_of_voters, axis=2, keepdims=1)  # of equal ones the first
    all_of_them = graph.constant(np.arange(k), np.int64)
    cast = graph.Where(graph.Equal(winner, all_of_them), graph.constant(1.0), graph.constant(0.0))
    weighted = graph.Mul(cast, graph.constant(np.array(votes, dtype=float)[:, None]))
    tally = graph.ReduceSum(weighted, graph.whole(1), keepdims=0)
    return str(graph.Div(tally, graph.constant(float(max(sum(votes), 1)))))


def _dual_shares(graph: Graph, values: str, voters: DualVoters, support: Any, k: int) -> str:
    """The functions came about by steps, each on the one before it; the start comes first."""
    start, u = voters.start, len(voters.steps)
    beta = np.zeros((k, len(support))) if start is None else start.beta[:, support]
    b = np.zeros(k) if start is None else start.b[:, 0]
    first = graph.Unsqueeze(_functions(graph, values, beta, b), graph.whole(1))
    steps = np.zeros((u, k))
    steps[np.arange(u), voters.classes] = voters.steps
    places = graph.whole(*np.searchsorted(support, voters.rows).tolist())
    columns = graph.Unsqueeze(graph.Gather(values, places, axis=1), graph.whole(2))
    added = graph.Mul(columns, graph.constant(steps))
    if voters.intercept:
        added = graph.Add(added, graph.constant(steps))
    running = graph.CumSum(graph.Concat(first, added, axis=1), graph.constant(1, np.int64))
    return _shares(graph, running, [voters.start_votes, *voters.votes], k)
