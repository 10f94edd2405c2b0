"""What training goes downhill on, and what it would rather."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt._core.protocol import UpdateRule
from rosenblatt._training.learner import Primal
from rosenblatt.theory import given
from rosenblatt.theory.given import Floats


def zero_one_loss(X: Any, y: Any, w: Any, b: float = 0.0, *, sample_weight: Any = None) -> float:
    """Σ c_i over the mistakes, the rows with y_i (w·x_i + b) <= 0; their number without weights.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.zero_one_loss([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1])
    1.0
    """
    e = given.examples(X, y, sample_weight)
    _, weighted = e.count([given.lifted(w, b, e.rows.d)])
    return float(weighted[0])


def perceptron_loss(X: Any, y: Any, w: Any, b: float = 0.0, *, sample_weight: Any = None) -> float:
    """-Σ c_i y_i (w·x_i + b) over the mistakes: how far they are on the wrong side.

    It is zero for zero weights, although every row is a mistake then.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.perceptron_loss([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1])
    2.0
    """
    e = given.examples(X, y, sample_weight)
    s = e.rows.scores(given.lifted(w, b, e.rows.d))
    losses = np.where(e.wrong(s), -e.y * s, 0.0)
    return float(losses.sum() if e.c is None else (e.c * losses).sum())


class Gradient(NamedTuple):
    """∂/∂w and ∂/∂b."""

    w: Floats
    b: float


def perceptron_loss_gradient(
    X: Any, y: Any, w: Any, b: float = 0.0, *, sample_weight: Any = None
) -> Gradient:
    """-Σ c_i y_i (x_i, 1) over the mistakes; a step of order="batch" is -η times this.

    Where a row is on the hyperplane the loss has a kink, and this is the one of its subgradients
    that counts the row as the mistake it is.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.perceptron_loss_gradient([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1])
    Gradient(w=array([1., 1.]), b=1.0)
    """
    e = given.examples(X, y, sample_weight)
    learner = Primal(e, UpdateRule("perceptron", 0.0))
    before = given.lifted(w, b, e.rows.d)
    step = learner.look(learner.start(before, averaged=False).w).step
    return Gradient(0.0 - step[:-1], 0.0 - float(step[-1]))
