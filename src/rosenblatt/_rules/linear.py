"""A trained linear rule: weights in units of the learning rate, and the learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Rows, Weights
from rosenblatt._rules.voters import Voters
from rosenblatt.errors import WeightsOverflow


@dataclass(frozen=True)
class LinearRule:
    """score = η (w·x + b).

    η multiplies the score, not the weights before it: whether a row is on the right side then does
    not depend on η, not even by rounding.
    """

    weights: Weights  # lifted: (w, b); of many classes one for each
    eta: float

    def signed(self, rows: Rows) -> NDArray[np.float64]:
        """w·x + b: the sign decides; of many classes the highest of the scores."""
        return rows.scores(self.weights)

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        scores = self.signed(rows)
        return scores if self.eta == 1 else self.eta * scores

    @property
    def coef(self) -> NDArray[np.float64]:
        return read_only(self.eta * np.atleast_2d(self.weights)[:, :-1])

    @property
    def intercept(self) -> NDArray[np.float64]:
        return read_only(self.eta * np.atleast_2d(self.weights)[:, -1])


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """What is published is not what is computed with: a change would not reach it."""
    array.setflags(write=False)
    return array


def rule_of(weights: Weights | Voters, eta: float) -> LinearRule | Voters:
    """The rule to publish; votes do not depend on η."""
    if isinstance(weights, Voters):
        return weights
    rule = LinearRule(weights.copy(), eta)
    with np.errstate(over="ignore"):
        finite = np.isfinite(eta * weights).all()
    if not finite:
        raise WeightsOverflow(
            f"The weights times eta0={eta!r} are beyond the largest floating-point number. Use a "
            "smaller eta0: it only scales the weights."
        )
    return rule
