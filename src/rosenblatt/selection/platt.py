"""Probabilities from scores: Platt's sigmoid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.probability import Platt, sigmoid
from rosenblatt.selection.unseen import Unseen

_STEPS = 100
_CLOSE = 1e-10


def platt(unseen: Unseen) -> Platt:
    """The sigmoid that fits labels to scores best (Platt 1999; Newton's method as in Lin, Lin and
    Weng, Machine Learning 68, 2007).

    Targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) instead of 1 and 0, so that there is a finite best
    one. Where higher scores do not mean the second class more often, the probability is its share.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.selection.platt import platt
    >>> from rosenblatt.selection.unseen import Unseen
    >>> found = platt(Unseen(np.array([-2.0, -1, 1, 2]), np.array([False, True, False, True])))
    >>> found.of(np.array([-3.0, 0.0, 3.0])).round(3).tolist()
    [0.353, 0.5, 0.647]
    """
    second = unseen.second
    positive, negative = int(second.sum()), int((~second).sum())
    target = np.where(second, (positive + 1) / (positive + 2), 1 / (negative + 2))
    unit = float(np.abs(unseen.scores).max()) or 1.0
    slope, intercept = _fitted(unseen.scores / unit, target)
    if slope <= 0:
        return Platt(0.0, float(np.log((positive + 1) / (negative + 1))), len(second))
    return Platt(slope / unit, intercept, len(second))


def _fitted(x: NDArray[np.float64], target: NDArray[np.float64]) -> tuple[float, float]:
    """The slope and the intercept of the greatest likelihood."""
    at = np.array([0.0, np.log(target.mean() / (1 - target.mean()))])
    lifted = np.column_stack([x, np.ones_like(x)])

    def loss(at: NDArray[np.float64]) -> float:
        z = lifted @ at
        return float((np.logaddexp(0, z) - target * z).sum())

    now = loss(at)
    for _ in range(_STEPS):
        p = sigmoid(lifted @ at)
        gradient = lifted.T @ (p - target)
        curved = lifted.T @ (lifted * (p * (1 - p))[:, None]) + 1e-12 * np.eye(2)
        step, length = np.linalg.solve(curved, gradient), 1.0
        while (then := loss(at - length * step)) > now and length > 1e-10:
            length /= 2
        at, now = at - length * step, min(then, now)
        if np.abs(length * step).max() <= _CLOSE * max(1.0, np.abs(at).max()):
            break
    return float(at[0]), float(at[1])
