"""partial_fit and predict of sparse rows touch only the columns that they have: the same bits."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import AROW, PassiveAggressive, Perceptron
from rosenblatt._core import few_columns
from rosenblatt.errors import WeightsOverflowError

COLUMNS = 1 << 15

ESTIMATORS: list[Any] = [
    Perceptron(),
    Perceptron(keep="last", eta0=0.3, margin="scale"),
    Perceptron(keep="average", decay=0.01),
    PassiveAggressive(),
    AROW(),
    AROW(forget=0.4),  # so much that all precisions are worked out anew
    AROW(forget=0, keep="average"),
]


def stream(k: int, calls: int = 60) -> list[tuple[Any, Any]]:
    """A few rows a call, of few columns each; the rule changes half-way."""
    rng = np.random.default_rng(k)
    w = rng.normal(size=(2, k, COLUMNS))
    some = rng.choice(COLUMNS, 200, replace=False)
    pieces = []
    for call in range(calls):
        n = int(rng.integers(1, 4))
        columns = [np.sort(rng.choice(some, 12, replace=False)) for _ in range(n)]
        shape, data = (n, COLUMNS), rng.normal(size=12 * n)
        X = sparse.csr_array((data, np.concatenate(columns), 12 * np.arange(n + 1)), shape=shape)
        pieces.append((X, np.argmax(X @ w[call * 2 // calls].T, axis=1)))
    return pieces


def bits(p: Any) -> list[Any]:
    parts = [part for part in p._state.memory.parts if part is not None]
    learned = [np.ascontiguousarray(part).tobytes() for part in [*parts, p.coef_, p.intercept_]]
    return [*learned, p._state.visits, p.training_errors_, p.mistakes_.tolist(), p.n_updates_]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("k", [2, 5])
def test_the_same_bits(monkeypatch: pytest.MonkeyPatch, estimator: Any, k: int) -> None:
    found = []
    for many in (few_columns.MANY, 1 << 60):
        monkeypatch.setattr(few_columns, "MANY", many)
        p, scores = copy.deepcopy(estimator), []
        for X, y in stream(k):
            p.partial_fit(X, y, classes=range(k))
            scores.append(p.decision_function(X[:1]).tobytes())
        found.append([*scores, *bits(p)])
        assert p._state.in_place == (many < COLUMNS)
    assert found[0] == found[1]


def test_a_failure_changes_nothing_and_copies_go_their_own_way() -> None:
    p = Perceptron()
    pieces = stream(2)
    for X, y in pieces[:30]:
        p.partial_fit(X, y, classes=[0, 1])
    before, others = bits(p), [copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))]
    huge = sparse.csr_array(([1e308, 1e308], [3, 19], [0, 2]), shape=(1, COLUMNS))
    with pytest.raises(WeightsOverflowError):
        p.partial_fit(huge, [1 - p.predict(huge)[0]])
    assert bits(p) == before
    p = others[0]
    for X, y in pieces[30:]:
        p.partial_fit(X, y)
    for other in others[1:]:
        for X, y in pieces[30:]:
            other.partial_fit(X, y)
        assert bits(other) == bits(p)
