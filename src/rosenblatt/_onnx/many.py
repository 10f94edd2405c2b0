"""Trained rules of many classes as graphs: from rows (in float64) to a number for each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._onnx.graph import Graph
from rosenblatt._onnx.rules import kernel_values, scores, signed
from rosenblatt._rules.kernel_expansion import DualVoters
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import SeparateVoters, Voters


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
        found = scores(graph, X, weights.reshape(-1, d + 1))
        shape = graph.whole(0, len(votes_of), k)  # 0: as many rows as there are
        return _shares(graph, graph.Reshape(found, shape), votes_of, k)
    if not len(rule.support):  # nothing was learned but, perhaps, intercepts
        b = np.zeros(k) if isinstance(rule.learned, DualVoters) else rule.learned.b[:, 0]
        return scores(graph, X, np.column_stack([np.zeros((k, d)), b]))
    values = kernel_values(graph, X, rule)
    if isinstance(rule.learned, DualVoters):
        return _dual_shares(graph, values, rule.learned, rule.support, k)
    return _functions(graph, values, rule.learned.beta[:, rule.support], rule.learned.b[:, 0])


def _functions(graph: Graph, values: str, beta: Any, b: Any) -> str:
    return str(graph.Gemm(values, graph.constant(beta.T), graph.constant(b)))


def _shares(graph: Graph, found: str, votes: list[int], k: int) -> str:
    """The share of the votes of each class, from the scores (n, voters, k)."""
    winner = graph.ArgMax(found, axis=2, keepdims=1)  # of equal ones the first
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
    found = graph.CumSum(graph.Concat(first, added, axis=1), graph.constant(1, np.int64))
    return _shares(graph, found, [voters.start_votes, *voters.votes], k)
