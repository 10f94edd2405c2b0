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


@np.errstate(over="ignore", invalid="ignore")  # what is infinite decides nothing
def of_weights(
    run: Run, *, size: int, norms2: Floats, squares: Floats, star2: float, start: float
) -> Doubts:
    """Where weights of the features are added up. `start` is the doubt of the first ones.

    A step with m mistakes adds them up and then to w, so that weights are off by a vector of length
    at most e_t <= e_0 + u Σ (‖w_τ‖ + (m_τ + 1) Σ ‖z_i‖) over the steps τ <= t, and a score by
    ‖x̃‖ (e_t + (D + 8) u ‖w_t‖). Training with the linear kernel has sums of rounded inner products
    instead, each of which adds its own rounding.
    """
    rows, weights = lengths_of(squares), lengths_of(norms2)
    if not run.start.any():
        weights[0] = 0.0
    z = by_step(run, np.abs(run.steps) * rows[run.rows])
    each = weights[1:] + (run.sizes + 1) * z
    if run.kernel is not None:
        each = each + run.sizes * (weights[:-1] + 2 * z) + (size + 8) * z
    reach = start + SLIGHTLY_MORE * ULP * (running(each) + (size + 8) * weights)
    scores = rows[run.rows] * np.repeat(reach[:-1], run.sizes)
    return of_reach(run, scores, rows=rows, weights=weights, reach=reach, star2=star2, size=size)


def of_reach(
    run: Run,
    scores: Floats,
    *,
    rows: Floats,
    weights: Floats,
    reach: Floats,
    star2: float,
    size: int,
) -> Doubts:
    """Where weights are off by a vector as long as `reach`, by step; `rows` and `weights` are
    lengths."""
    explained = running(by_step(run, 2 * np.abs(run.steps) * scores))
    star = float(lengths_of(np.array([star2]))[0])
    return Doubts(
        scores=scores,
        norms2=explained + 2 * weights * reach + reach**2,
        products=star * reach,
        last=rows * reach[-1],
        star2=2 * size * ULP * star * star,
    )
