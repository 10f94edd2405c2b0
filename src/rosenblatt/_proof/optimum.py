"""The largest margin itself, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from rosenblatt._proof.bounds import Bound, proved, split
from rosenblatt._proof.rows import Rows, Vector, nearest_floats
from rosenblatt._proof.whole import System


class Optimum:
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
        scores = self.rows.scores(*split(self.rows, nearest_floats(w)))
        return int(below[np.argmin(np.nan_to_num(scores[below]))])

    def _bound(self, target: dict[int, Fraction], w: list[Fraction]) -> Bound:
        common = math.lcm(*(v.denominator for v in target.values()))
        whole = {i: v.numerator * (common // v.denominator) for i, v in target.items()}
        divisor = math.gcd(*whole.values())
        weights = {i: v // divisor for i, v in whole.items()}
        return proved(self.rows, w, Fraction(1), weights, free=self.free)
