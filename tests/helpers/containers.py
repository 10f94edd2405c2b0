"""Small rows with names, every estimator, and what it means that two rules are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from common import KEEPS, ORDERS
from rosenblatt import Perceptron, RandomLinearClassifier

ESTIMATORS = {
    **{keep: Perceptron(keep=keep, random_state=0) for keep in KEEPS},
    **{order: Perceptron(order=order, random_state=0) for order in ORDERS if order != "shuffle"},
    "random_linear": RandomLinearClassifier(random_state=0),
}
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)


X = np.random.default_rng(0).normal(size=(60, 4)).round(2)
Y = (X[:, 0] - X[:, 1] > 0).astype(int)


def noisy(n: int = 200, d: int = 4) -> tuple[Any, Any]:
    random = np.random.default_rng(1)
    rows = random.normal(size=(n, d))
    return rows, (rows[:, 0] + random.normal(size=n) > 0).astype(int)


def same_bits(a: Any, b: Any) -> None:
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    assert a.tobytes() == b.tobytes()


def same_rule(a: Any, b: Any, rows: Any = X) -> None:
    same_bits(a.decision_function(rows), b.decision_function(rows))
    assert a.training_errors_ == b.training_errors_
    if getattr(a, "keep", None) != "vote":
        same_bits(a.coef_, b.coef_)
        same_bits(a.intercept_, b.intercept_)


WEIGHT = np.random.default_rng(2).uniform(0.5, 2, size=len(X)).round(2)


def strided(matrix: Any) -> Any:
    """Its numbers are every other one of a longer array, its indices, too."""
    parts = (np.repeat(matrix.data, 2)[::2], np.repeat(matrix.indices, 2)[::2], matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)
