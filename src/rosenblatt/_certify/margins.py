"""How wide a separation is: a bracket, from below by a separator, from above by a blend of rows.

    homogeneous   γ = max over unit (w, b) of min y_i (w·x_i + b), the γ of Novikoff's theorem
    geometric     the same over unit w with b free: how far the nearest row is from the hyperplane

For every w, min a_i·w <= Σ λ_i a_i·w <= ‖w‖ ‖Σ λ_i a_i‖ if λ >= 0 and Σ λ_i = 1. With b free, the λ
of both classes must have the same sum, so that b cancels. Both ends meet at the optimum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt import verify
from rosenblatt._certify.conditioning import Metric, bits, narrowed
from rosenblatt._certify.exact_product import longest
from rosenblatt._certify.linear_algebra import Singular, System
from rosenblatt._certify.nearest_point import Guess, nearest_point
from rosenblatt._certify.rows import Floats, Rows, Vector, nearest_floats
from rosenblatt._util.budget import TooLong
from rosenblatt._util.progress import check_interrupt

_CLOSE = 1e-9  # a relative gap that is as good as none
_SMALL = 10**5  # numbers in a table whose optimum is found exactly in any case
_MOST_EXACT = 128  # dimensions in which fractions go on where floats were too coarse
_FEW, _FEW_FREE = 64, 10  # dimensions of such a table, and with b free


def homogeneous(rows: Rows, start: Sequence[int], separator: list[Fraction]) -> Bound:
    view = rows.lift(_plain(rows, np.zeros(rows.points.d), separator, free=False))
    guess = nearest_point(rows, view, start=start)
    bound = _bound(rows, guess, view.exactly(rows, guess.direction), separator, free=False)
    return _exact_or(rows, bound, free=False)


def simple(rows: Rows, separator: list[Fraction]) -> Bound:
    return proved(rows, separator, lowest(rows, separator), {_shortest(rows): 1}, free=False)


def _shortest(rows: Rows) -> int:
    return int(np.argmin(rows.norms()))


def geometric(rows: Rows, start: Sequence[int], separator: list[Fraction]) -> Bound | None:
    if not rows.intercept or (rows.y > 0).all() or (rows.y < 0).all():
        return None
    center, best, support = _middle(rows, start, None), None, start
    for _ in range(6):
        # An intercept costs nothing once the center is on the best hyperplane.
        metric = _plain(rows, center, separator, free=True)
        guess = nearest_point(rows, metric, start=support)
        w = rows.lifted(*metric.weights(rows, guess.direction))
        w = _centered(rows, w) if np.isfinite(w).all() else np.zeros(rows.D)
        bound = _bound(rows, guess, [Fraction(v) for v in w.tolist()], separator, free=True)
        support = guess.support
        best = bound if best is None else best.tightened(bound)
        if best.gap < _CLOSE:
            break
        center = _middle(rows, support, guess.blend)
    assert best is not None
    return _exact_or(rows, best, free=True)


def _plain(rows: Rows, center: Floats, separator: list[Fraction], *, free: bool) -> Metric:
    """Rows as they are, up to one factor for all that makes the longest about 1.

    With b free the lift is long, so that an intercept costs little.
    """
    points = rows.points
    longest = float(np.max(rows.norms(), initial=0.0))
    radius = longest + float(np.linalg.norm(center)) + rows.intercept
    scale = 2.0 ** -math.ceil(math.log2(radius)) if 1e-300 < radius < 1e300 else 1.0
    w = nearest_floats(separator)
    m = rows.scores(*rows.split(w))
    width = scale * float(m.min()) / max(float(np.linalg.norm(w)), 1e-300)
    unit = min(max(width, 1e-12), 1.0) if np.isfinite(width) else 1.0
    lift = 4.0 * scale * radius if free else scale
    return narrowed(points, Metric(np.full(points.d, scale), center, lift, unit))


def _middle(rows: Rows, support: Sequence[int], blend: Floats | None) -> Floats:
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
    reached = lowest(rows, exact)
    if reached <= 0:
        exact, reached = separator, lowest(rows, separator)
    weights = _whole_weights(rows, guess, free=free)
    return proved(rows, exact, reached, weights, free=free)


def _centered(rows: Rows, w: Floats) -> Floats:
    m = rows.scores(w[:-1], 0.0)
    b = (m[rows.y < 0].min() - m[rows.y > 0].min()) / 2
    return np.append(w[:-1], b) if np.isfinite(b) else w


def _whole_weights(rows: Rows, guess: Guess, *, free: bool) -> dict[int, int]:
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
    # Numbers grow longer in every system, of which there are about two for a dimension.
    if not rows.budget.affords_algebra(rows.D + 2, 2 * bits(rows.points), times=2 * rows.D):
        return bound
    try:
        return Optimum(rows, bound.weights, free=free).run() or bound
    except (Singular, TooLong):
        return bound


def radius_row(rows: Rows) -> int:
    norms = rows.norms()
    if np.isfinite(norms).all():
        near = np.flatnonzero(norms >= norms.max() * (1 - (rows.D + 8) * 2.0**-51) - 2.0**-490)
    else:
        near = np.arange(rows.n)
    if len(near) == 1:
        return int(near[0])

    def squared(i: int) -> Fraction:
        check_interrupt()
        return Fraction(*rows.square(i))

    return max(near.tolist(), key=squared)


# --- The largest margin itself, in fractions -----------------------------------------------------


Shares = dict[int, Fraction]  # row: its part of the blend


class Optimum:
    """Wolfe's nearest-point algorithm (Mathematical Programming 11, 1976) in fractions.

    x are positive weights on independent rows. Go from x towards the nearest point of the rows'
    affine hull; a row whose weight falls to zero leaves. At the nearest point, a row that is nearer
    than those inside joins; is there none, it is the optimum. With b free there are two hulls, one
    for each class, and the nearest pair of points.
    """

    def __init__(self, rows: Rows, weights: dict[int, int], *, free: bool):
        self.rows, self.free = rows, free
        sums: dict[int, int] = {}
        for i, v in weights.items():
            sums[self._hull(i)] = sums.get(self._hull(i), 0) + v
        self.x = {i: Fraction(v, sums[self._hull(i)]) for i, v in weights.items()}

    def _hull(self, i: int) -> int:
        return int(self.free and self.rows.y[i] < 0)

    def run(self) -> Bound | None:
        """None: it did not end within reasonable work."""
        for _ in range(4 * self.rows.D + 20):
            self.rows.budget.check_interrupt()
            target, reached = self._nearest()
            if min(target.values()) <= 0:
                self._towards(target)
                continue
            self.x = target
            w, low = self._separator(target, reached)
            worst = self._nearer(w, low)
            if worst is None:
                return self._bound(target, w, low)
            if worst in self.x:
                return None
            self.x[worst] = Fraction(0)
        return None

    def _nearest(self) -> tuple[Shares, list[Fraction]]:
        """Shares of the nearest point of the affine hull(s), and a_i·w on each.

        G λ = μ on each hull and Σ λ = 1 there, with the Gram matrix G of the rows.
        """
        index = list(self.x)
        a, scale = self._common(index)
        gram = [[sum(p * q for p, q in zip(u, v, strict=True)) for v in a] for u in a]
        hulls = [[int(self._hull(i) == h) for i in index] for h in range(1 + self.free)]
        border = list(zip(*hulls, strict=True))
        matrix = [[*row, *(-v for v in part)] for row, part in zip(gram, border, strict=True)]
        matrix += [[*hull, *([0] * len(hulls))] for hull in hulls]
        right = [0] * len(index) + [1] * len(hulls)
        self.rows.budget.spend_on_algebra(len(matrix), longest(matrix))
        solution, below = System(matrix).solve(right, self.rows.budget)
        target = {i: Fraction(v, below) for i, v in zip(index, solution, strict=False)}
        return target, [Fraction(v, below * scale**2) for v in solution[len(index) :]]

    def _common(self, index: list[int]) -> tuple[list[Vector], int]:
        """Rows (features alone with b free) in whole numbers, all columns on one scale."""
        whole, scales = self.rows.whole(index)
        scale = math.lcm(*scales)
        factor = [scale // s for s in scales]
        rows = [[v * f for v, f in zip(row, factor, strict=True)] for row in whole]
        rows = self.rows.spread(rows)
        return ([row[:-1] for row in rows] if self.free else rows), scale

    def _towards(self, target: Shares) -> None:
        falling = [i for i in self.x if target[i] <= 0]
        step = min(
            (self.x[i] / (self.x[i] - target[i]) if self.x[i] != target[i] else Fraction(0))
            for i in falling
        )
        moved = {i: v + step * (target[i] - v) for i, v in self.x.items()}
        self.x = {i: v for i, v in moved.items() if v > 0 or (v == 0 and target[i] > 0)}

    def _separator(
        self, target: Shares, reached: list[Fraction]
    ) -> tuple[list[Fraction], Fraction]:
        common, whole = _whole(target)
        w = self.rows.weights_of([v / common for v in self.rows.blend(whole)])
        if not self.free:
            return w, reached[0]
        above, below = reached
        w[-1] = (below - above) / 2
        return w, (above + below) / 2

    def _nearer(self, w: list[Fraction], low: Fraction) -> int | None:
        """The row that reaches least, where one reaches less than those inside."""
        below = np.flatnonzero(self.rows.signs(w, low) < 0)
        if not len(below):
            return None
        scores = self.rows.scores(*self.rows.split(nearest_floats(w)))
        return int(below[np.argmin(np.nan_to_num(scores[below]))])

    def _bound(self, target: Shares, w: list[Fraction], low: Fraction) -> Bound | None:
        if low <= 0:
            return None
        _, whole = _whole(target)
        divisor = math.gcd(*whole.values())
        weights = {i: v // divisor for i, v in whole.items()}
        return proved(self.rows, w, low, weights, free=self.free)


def _whole(shares: Shares) -> tuple[int, dict[int, int]]:
    common = math.lcm(*(v.denominator for v in shares.values()))
    return common, {i: v.numerator * (common // v.denominator) for i, v in shares.items()}


# --- Brackets of a margin, and numbers that every row reaches ------------------------------------


@dataclass(frozen=True)
class Bound:
    separator: list[Fraction]
    at_least: Fraction  # every row has a_i·separator >= at_least
    weights: dict[int, int]  # row: λ_i, up to a factor
    lo2: Fraction  # squares of the two ends
    hi2: Fraction

    @property
    def gap(self) -> float:
        return 1 - math.sqrt(self.lo2 / self.hi2) if self.hi2 else 0.0

    def tightened(self, other: Bound) -> Bound:
        low = self if self.lo2 >= other.lo2 else other
        high = self if self.hi2 <= other.hi2 else other
        return Bound(low.separator, low.at_least, high.weights, low.lo2, high.hi2)


def proved(
    rows: Rows, w: list[Fraction], reached: Fraction, weights: dict[int, int], *, free: bool
) -> Bound:
    lo2 = reached**2 / rows.weights_square(w[:-1] if free else w)
    total = rows.blend(weights)
    hi2 = rows.blend_square(total[:-1] if free else total) / sum(weights.values()) ** 2
    return Bound(w, reached, weights, lo2, hi2)


def lowest(rows: Rows, w: list[Fraction]) -> Fraction:
    """A number that every a_i·w reaches: the smallest of them, or a little less."""
    if not any(w):
        return Fraction(0)
    f = nearest_floats(w)
    m = rows.scores(*rows.split(f))
    error = rows.rounding * (rows.norms() + 2) * np.linalg.norm(f) + 2.0**-400
    low, high = m - error, m + error
    near = np.flatnonzero(~(low > high.min()))  # NaN is near, too
    if len(near) > 128 and np.isfinite(low).all() and low.min() > 0:
        j = int(np.argmax(np.abs(f)))
        scaled = Fraction(float(low.min())) * w[j] / Fraction(float(f[j]))
        # The floats are w up to a factor and rounding: a little less is surely reached.
        return scaled - abs(scaled) / 2**50
    common = math.lcm(*(v.denominator for v in w))
    whole = verify.whole(w)
    return min(Fraction(*product) for product in rows.products(near, whole)) / common
