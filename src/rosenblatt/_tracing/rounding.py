"""How far rounding can have moved the floats of a path, and the scores of training.

A sum or product of floats errs by a factor within 1 ± u, u = 2^-53, and where it underflows by less
than 2^-1074. The factor 1.01 covers what is of second order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._tracing.run import Floats, Run

ULP = 2.0**-53
SLIGHTLY_MORE = 1.01
TINY = 2.0**-490  # squares of less underflow; u TINY² is more than what underflow takes away


@dataclass(frozen=True)
class Doubts:
    """Bounds on what rounding did."""

    scores: Floats  # by update
    norms2: Floats  # by step; also what the scores' rounding in training explains
    products: Floats  # by step
    last: Floats  # by row of X: the scores after the last step
    star2: float


def by_step(run: Run, values: Floats) -> Floats:
    return np.add.reduceat(values, run.edges[:-1]) if len(values) else np.zeros(0)


def running(values: NDArray[Any]) -> NDArray[Any]:
    """0, then the sums so far."""
    return np.append(np.zeros(1, dtype=values.dtype), np.cumsum(values))


def lengths_of(squares: Floats) -> Floats:
    """At least √squares, also where squares underflowed."""
    return np.sqrt(np.maximum(squares, 0)) + TINY
