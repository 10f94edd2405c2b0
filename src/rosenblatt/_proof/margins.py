"""How wide a separation is: a bracket, from below by a separator, from above by a blend of rows.

    homogeneous   γ = max over unit (w, b) of min y_i (w·x_i + b), the γ of Novikoff's theorem
    geometric     the same over unit w with b free: how far the nearest row is from the hyperplane

For every w, min a_i·w <= Σ λ_i a_i·w <= ‖w‖ ‖Σ λ_i a_i‖ if λ >= 0 and Σ λ_i = 1. With b free, the λ
of both classes must have the same sum, so that b cancels. Both ends meet at the optimum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rosenblatt._proof.bounds import Bound, lowest, proved
from rosenblatt._proof.integer_algebra import Singular
from rosenblatt._proof.least_distance import Guess, nearest_point
from rosenblatt._proof.lifted_rows import LiftedRows
from rosenblatt._proof.lifted_sight import LiftedSight
from rosenblatt._proof.metric import Metric, Sight, bits, narrowed
from rosenblatt._proof.optimum import Optimum
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Floats, nearest_floats
from rosenblatt._support.budget import TooLong

_CLOSE = 1e-9  # a relative gap that is as good as none
_SMALL = 10**5  # numbers in a table whose optimum is found exactly in any case
_MOST_EXACT = 128  # dimensions in which fractions go on where floats were too coarse
_FEW, _FEW_FREE = 64, 10  # dimensions of such a table, and with b free


def homogeneous(rows: Rows, start: Sequence[int], separator: list[Fraction]) -> Bound:
    """`separator` is any that is proved; `start` are rows near it."""
    sight: Sight
    if isinstance(rows, LiftedRows):
        sight = _plain_lifted(rows, separator)
    else:
        sight = _plain(rows, np.zeros(rows.d), separator, free=False)
    guess = nearest_point(rows, sight, start=start)
    bound = _bound(rows, guess, sight.exactly(rows, guess.direction), separator, free=False)
    return _exact_or(rows, bound, free=False)


def simple(rows: Rows, separator: list[Fraction]) -> Bound:
    """Without a search: the separator itself from below, the shortest row from above."""
    return proved(rows, separator, lowest(rows, separator), {_shortest(rows): 1}, free=False)


def _shortest(rows: Rows) -> int:
    return int(np.argmin(rows.norms()))


def geometric(rows: Rows, start: Sequence[int], separator: list[Fraction]) -> Bound | None:
    """With a free intercept; None where there is one class only: then there is no limit."""
    if not rows.intercept or (rows.y > 0).all() or (rows.y < 0).all():
        return None
    center, best, support = _middle(rows, start, None), None, start
    for _ in range(6):
        # An intercept costs nothing once the center is on the best hyperplane.
        metric = _plain(rows, center, separator, free=True)
        guess = nearest_point(rows, metric, start=support)
        w = rows.lifted(*metric.weights(rows, guess.direction))
        found = _centered(rows, w) if np.isfinite(w).all() else np.zeros(rows.D)
        bound = _bound(rows, guess, [Fraction(v) for v in found.tolist()], separator, free=True)
        support = guess.support
        best = bound if best is None else _tighter(best, bound)
        if best.gap < _CLOSE:
            break
        center = _middle(rows, support, guess.blend)
    assert best is not None
    return _exact_or(rows, best, free=True)


def _tighter(a: Bound, b: Bound) -> Bound:
    low, high = (a if a.lo2 >= b.lo2 else b), (a if a.hi2 <= b.hi2 else b)
    return Bound(low.separator, low.at_least, high.weights, low.lo2, high.hi2)


def _plain(rows: Rows, center: Floats, separator: list[Fraction], *, free: bool) -> Metric:
    """Rows as they are, up to one factor for all that makes the longest about 1.

    With b free the lift is long, so that an intercept costs little.
    """
    scale, radius, unit = _sizes(rows, center, separator)
    lift = 4.0 * scale * radius if free else scale
    return narrowed(rows, Metric(np.full(rows.d, scale), center, lift, unit))


def _plain_lifted(rows: LiftedRows, separator: list[Fraction]) -> LiftedSight:
    """The same of the points that are lifted."""
    points = rows.points
    scale, _, unit = _sizes(rows, np.zeros(0), separator)
    metric = Metric(np.full(points.d, scale), np.zeros(points.d), scale, unit)
    return LiftedSight.of(rows, narrowed(points, metric))


def _sizes(rows: Rows, center: Floats, separator: list[Fraction]) -> tuple[float, float, float]:
    """The factor, how long the longest row is, and the width of the separation once scaled."""
    radius = (
        float(np.max(rows.norms(), initial=0.0)) + float(np.linalg.norm(center)) + rows.intercept
    )
    scale = 2.0 ** -math.ceil(math.log2(radius)) if 1e-300 < radius < 1e300 else 1.0
    w = nearest_floats(separator)
    m = rows.scores(*rows.split(w))
    width = scale * float(m.min()) / max(float(np.linalg.norm(w)), 1e-300)
    unit = min(max(width, 1e-12), 1.0) if np.isfinite(width) else 1.0
    return scale, radius, unit


def _middle(rows: Rows, support: Sequence[int], blend: Floats | None) -> Floats:
    """Half-way between the blends of the two classes."""
    index = np.array(support, dtype=np.intp)
    share = np.ones(len(index)) if blend is None else blend
    y = rows.y[index]
    if not ((y > 0) @ share > 0 and (y < 0) @ share > 0):
        return np.zeros(rows.d)
    x = rows.dense(index)
    above, below = ((share * (y == s)) @ x / ((y == s) @ share) for s in (1, -1))
    return np.asarray((above + below) / 2)


# --- Proving a guess ---


def _bound(
    rows: Rows, guess: Guess, exact: list[Fraction], separator: list[Fraction], *, free: bool
) -> Bound:
    """`exact` are the weights that were guessed; where they do not separate, the separator."""
    reached = lowest(rows, exact)
    if reached <= 0:
        exact, reached = separator, lowest(rows, separator)
    weights = _whole_weights(rows, guess, free=free)
    return proved(rows, exact, reached, weights, free=free)


def _centered(rows: Rows, w: Floats) -> Floats:
    """The intercept half-way between the nearest rows of both classes."""
    m = rows.scores(w[:-1], 0.0)
    b = (m[rows.y < 0].min() - m[rows.y > 0].min()) / 2
    return np.append(w[:-1], b) if np.isfinite(b) else w


def _whole_weights(rows: Rows, guess: Guess, *, free: bool) -> dict[int, int]:
    """The blend in whole numbers; with b free, the same sum for both classes."""
    largest = float(guess.blend.max(initial=0.0))
    if largest > 0 and np.isfinite(largest):
        whole = [round(v / largest * 2**60) for v in guess.blend.tolist()]
        weights = {i: v for i, v in zip(guess.support, whole, strict=True) if v > 0}
    else:
        weights = {_shortest(rows): 1}
    if not free:
        return weights
    above = {i: v for i, v in weights.items() if rows.y[i] > 0}
    below = {i: v for i, v in weights.items() if rows.y[i] < 0}
    if not above or not below:  # any row of a class that is missing
        missing = 1.0 if not above else -1.0
        extra = {int(np.flatnonzero(rows.y == missing)[0]): 1}
        above, below = (extra, below) if not above else (above, extra)
    p, q = sum(above.values()), sum(below.values())
    return {i: v * q for i, v in above.items()} | {i: v * p for i, v in below.items()}


# --- The optimum, exactly ---


def _exact_or(rows: Rows, bound: Bound, *, free: bool) -> Bound:
    """The optimum itself where it is small enough to be found, or where floats were too coarse."""
    few = _FEW_FREE if free else _FEW
    small = rows.n * rows.D <= _SMALL and few >= rows.D
    if not small and (bound.gap < _CLOSE or min(rows.n, rows.D) > _MOST_EXACT):
        return bound
    if not _affordable(rows):
        return bound
    try:
        return Optimum(rows, bound.weights, free=free).run() or bound
    except (Singular, TooLong):
        return bound


def _affordable(rows: Rows) -> bool:
    """Long numbers grow longer in every system, of which there are about two for a dimension."""
    numbers = rows.points if isinstance(rows, LiftedRows) else rows
    return rows.budget.affords_algebra(rows.D + 2, 2 * bits(numbers), times=2 * rows.D)


def radius_row(rows: Rows) -> int:
    """The longest row, exactly."""
    norms = rows.norms()
    if np.isfinite(norms).all():
        near = np.flatnonzero(norms >= norms.max() * (1 - (rows.D + 8) * 2.0**-51) - 2.0**-490)
    else:
        near = np.arange(rows.n)
    candidates = near.tolist()
    if len(candidates) == 1:
        return candidates[0]
    best, longest = candidates[0], rows.square(candidates[0])
    for i in candidates[1:]:
        rows.budget.hear()
        above, below = rows.square(i)
        if above * longest[1] > longest[0] * below:
            best, longest = i, (above, below)
    return best
