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

from rosenblatt._proof.least_distance import Guess, Metric, narrowed, nearest_point
from rosenblatt._proof.rows import Floats, Rows, Vector, nearest_floats, whole_vector
from rosenblatt._proof.whole import Singular, System

_CLOSE = 1e-9  # a relative gap that is as good as none
_SMALL = 10**5  # numbers in a table whose optimum is found exactly in any case
_FEW = 64  # dimensions of such a table


@dataclass(frozen=True)
class Bound:
    """A proved bracket of a margin."""

    separator: list[Fraction]
    at_least: Fraction  # every row has a_i·separator >= at_least
    weights: dict[int, int]  # row: λ_i, up to a factor
    lo2: Fraction  # squares of the two ends
    hi2: Fraction

    @property
    def gap(self) -> float:
        """Relative."""
        return 1 - math.sqrt(self.lo2 / self.hi2) if self.hi2 else 0.0


def homogeneous(rows: Rows, start: Sequence[int], separator: list[Fraction]) -> Bound:
    """`separator` is any that is proved; `start` are rows near it."""
    metric = _plain(rows, np.zeros(rows.d), 1.0, separator)
    guess = nearest_point(rows, metric, start=start)
    bound = _bound(rows, guess, separator, free=False)
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
        # An intercept costs little, and nothing once the center is on the best hyperplane.
        guess = nearest_point(rows, _plain(rows, center, 4.0, separator), start=support)
        bound = _bound(rows, guess, separator, free=True)
        support = guess.support
        if best is None or bound.lo2 > best.lo2 or bound.hi2 < best.hi2:
            best = bound if best is None else _tighter(best, bound)
        if best.gap < _CLOSE:
            break
        center = _middle(rows, support, guess.blend)
    assert best is not None
    return _exact_or(rows, best, free=True)


def _tighter(a: Bound, b: Bound) -> Bound:
    low, high = (a if a.lo2 >= b.lo2 else b), (a if a.hi2 <= b.hi2 else b)
    return Bound(low.separator, low.at_least, high.weights, low.lo2, high.hi2)


def _plain(rows: Rows, center: Floats, lift: float, separator: list[Fraction]) -> Metric:
    """Rows as they are, up to one factor for all that makes the longest about 1."""
    radius = (
        float(np.max(rows.norms(), initial=0.0)) + float(np.linalg.norm(center)) + rows.intercept
    )
    scale = 2.0 ** -math.ceil(math.log2(radius)) if 1e-300 < radius < 1e300 else 1.0
    w = nearest_floats(separator)
    m = rows.scores(*_split(rows, w))
    width = scale * float(m.min()) / max(float(np.linalg.norm(w)), 1e-300)
    unit = min(max(width, 1e-12), 1.0) if np.isfinite(width) else 1.0
    lift = scale if lift == 1 else lift * scale * radius
    return narrowed(rows, Metric(np.full(rows.d, scale), center, lift, unit))


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


def _bound(rows: Rows, guess: Guess, separator: list[Fraction], *, free: bool) -> Bound:
    w = np.append(*guess.weights) if rows.intercept else guess.weights[0]
    exact = separator
    if np.isfinite(w).all():
        exact = [Fraction(v) for v in (_centered(rows, w) if free else w).tolist()]
    reached = lowest(rows, exact)
    if reached <= 0:
        exact, reached = separator, lowest(rows, separator)
    weights = _whole_weights(rows, guess, free=free)
    return proved(rows, exact, reached, weights, free=free)


def proved(
    rows: Rows, w: list[Fraction], reached: Fraction, weights: dict[int, int], *, free: bool
) -> Bound:
    lo2 = reached**2 / sum(v * v for v in (w[:-1] if free else w))
    total = rows.blend(weights)
    length2 = sum((v * v for v in (total[:-1] if free else total)), Fraction(0))
    hi2 = length2 / sum(weights.values()) ** 2
    return Bound(w, reached, weights, lo2, hi2)


def _centered(rows: Rows, w: Floats) -> Floats:
    """The intercept half-way between the nearest rows of both classes."""
    m = rows.scores(w[:-1], 0.0)
    b = (m[rows.y < 0].min() - m[rows.y > 0].min()) / 2
    return np.append(w[:-1], b) if np.isfinite(b) else w


def lowest(rows: Rows, w: list[Fraction]) -> Fraction:
    """A number that every a_i·w reaches: the smallest of them, or a little less."""
    if not any(w):
        return Fraction(0)
    f = nearest_floats(w)
    m = rows.scores(*_split(rows, f))
    error = (4 * rows.D + 24) * 2.0**-53 * (rows.norms() + 2) * np.linalg.norm(f) + 2.0**-400
    low, high = m - error, m + error
    near = np.flatnonzero(~(low > high.min()))  # NaN is near, too
    if len(near) > 128 and np.isfinite(low).all():
        largest = next((v, x) for v, x in zip(w, f.tolist(), strict=True) if x)
        scaled = Fraction(float(low.min())) * largest[0] / Fraction(largest[1])
        # The floats are w up to a factor and rounding: a little less is surely reached.
        return scaled - abs(scaled) / 2**50
    common = math.lcm(*(v.denominator for v in w))
    whole, _ = whole_vector(w)
    return min(Fraction(*rows.product(i, whole)) for i in near.tolist()) / common


def _split(rows: Rows, w: Floats) -> tuple[Floats, float]:
    """(w, b)."""
    return (w[:-1], float(w[-1])) if rows.intercept else (w, 0.0)


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
    small = rows.n * rows.D <= _SMALL and (10 if free else _FEW) >= rows.D
    if not small and bound.gap < _CLOSE:
        return bound
    weights = {i: Fraction(v) for i, v in bound.weights.items()}
    try:
        return _Optimum(rows, weights, free=free).run() or bound
    except Singular:
        return bound


class _Optimum:
    """Wolfe's nearest-point algorithm (Mathematical Programming 11, 1976) in fractions.

    x are positive weights on independent rows. Go from x towards the nearest point of the rows'
    affine hull; a row whose weight falls to zero leaves. At the nearest point, a row that is nearer
    than those inside joins; is there none, it is the optimum.
    """

    def __init__(self, rows: Rows, weights: dict[int, Fraction], *, free: bool):
        self.rows, self.free = rows, free
        self.x = self._normal(weights)
        self._scale = 1

    def _normal(self, weights: dict[int, Fraction]) -> dict[int, Fraction]:
        """Weights of sum 1, or with sum 1 for each class."""
        if not self.free:
            total = sum(weights.values())
            return {i: v / total for i, v in weights.items()}
        sums = {s: sum(v for i, v in weights.items() if self.rows.y[i] == s) for s in (1.0, -1.0)}
        return {i: v / sums[float(self.rows.y[i])] for i, v in weights.items()}

    def run(self) -> Bound | None:
        for _ in range(4 * self.rows.D + 20):
            self.rows.budget.breathe()
            found = self._affine()
            if found is None:
                return None
            target, intercept = found
            if min(target.values()) <= 0:
                self._towards(self._normal(target))
                continue
            self.x = self._normal(target)
            w = self._separator(target, intercept)
            worst = self._violated(w)
            if worst is None:
                return self._bound(target, w)
            if worst in self.x:
                return None
            self.x[worst] = Fraction(0)
        return None

    def _affine(self) -> tuple[dict[int, Fraction], Fraction] | None:
        """λ with a_i·(Σ λ_k a_k) (+ y_i b) = 1 for all rows inside; with b free also Σ λ y = 0."""
        index = list(self.x)
        a = self._common(index)
        gram = [[sum(p * q for p, q in zip(u, v, strict=True)) for v in a] for u in a]
        right = [self._scale**2] * len(index)
        if self.free:
            y = [int(self.rows.y[i]) for i in index]
            gram = [[*row, s] for row, s in zip(gram, y, strict=True)] + [[*y, 0]]
            right = [*right, 0]
        found, below = System(gram).solve(right, self.rows.budget.breathe)
        target = {i: Fraction(v, below) for i, v in zip(index, found, strict=False)}
        # The intercept's column was not scaled: b·scale² is what was found.
        b = Fraction(found[-1], below * self._scale**2) if self.free else Fraction(0)
        total = sum(target.values())
        if total <= 0:
            return None
        return target, b

    def _common(self, index: list[int]) -> list[Vector]:
        """Rows (features alone with b free) in whole numbers, all columns on one scale."""
        whole, scale = self.rows.whole(index)
        self._scale = math.lcm(*scale)
        factor = [self._scale // s for s in scale]
        rows = [[v * f for v, f in zip(row, factor, strict=True)] for row in whole]
        return [row[:-1] for row in rows] if self.free else rows

    def _towards(self, target: dict[int, Fraction]) -> None:
        falling = [i for i in self.x if target[i] <= 0]
        step = min(
            (self.x[i] / (self.x[i] - target[i]) if self.x[i] != target[i] else Fraction(0))
            for i in falling
        )
        moved = {i: v + step * (target[i] - v) for i, v in self.x.items()}
        self.x = {i: v for i, v in moved.items() if v > 0 or (v == 0 and target[i] > 0)}

    def _separator(self, target: dict[int, Fraction], intercept: Fraction) -> list[Fraction]:
        common = math.lcm(*(v.denominator for v in target.values()))
        whole = {i: v.numerator * (common // v.denominator) for i, v in target.items()}
        w = [v / common for v in self.rows.blend(whole)]
        if self.free:
            w[-1] = intercept
        return w

    def _violated(self, w: list[Fraction]) -> int | None:
        """The row that is nearest, where one is nearer than 1."""
        below = np.flatnonzero(self.rows.signs(w, Fraction(1)) < 0)
        if not len(below):
            return None
        scores = self.rows.scores(*_split(self.rows, nearest_floats(w)))
        return int(below[np.argmin(np.nan_to_num(scores[below]))])

    def _bound(self, target: dict[int, Fraction], w: list[Fraction]) -> Bound:
        common = math.lcm(*(v.denominator for v in target.values()))
        whole = {i: v.numerator * (common // v.denominator) for i, v in target.items()}
        divisor = math.gcd(*whole.values())
        weights = {i: v // divisor for i, v in whole.items()}
        return proved(self.rows, w, Fraction(1), weights, free=self.free)


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
    return max(candidates, key=lambda i: (sum(v * v for v in rows.exact(i)), -i))
