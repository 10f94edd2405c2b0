"""The largest margin itself, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from rosenblatt._proof.bounds import Bound, proved
from rosenblatt._proof.integer_algebra import System
from rosenblatt._proof.lengths import spread, weights_of
from rosenblatt._proof.modular import longest
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Vector, nearest_floats

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
        """Which hull row i belongs to."""
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
        found, below = System(matrix).solve(right, self.rows.budget.check_interrupt)
        target = {i: Fraction(v, below) for i, v in zip(index, found, strict=False)}
        return target, [Fraction(v, below * scale**2) for v in found[len(index) :]]

    def _common(self, index: list[int]) -> tuple[list[Vector], int]:
        """Rows (features alone with b free) in whole numbers, all columns on one scale."""
        whole, scales = self.rows.whole(index)
        scale = math.lcm(*scales)
        factor = [scale // s for s in scales]
        rows = [[v * f for v, f in zip(row, factor, strict=True)] for row in whole]
        rows = spread(self.rows, rows)
        return ([row[:-1] for row in rows] if self.free else rows), scale

    def _towards(self, target: Shares) -> None:
        """As far as no share turns negative; those that fall to zero leave."""
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
        """w, and what all rows inside reach with it."""
        common, whole = _whole(target)
        w = weights_of(self.rows, [v / common for v in self.rows.blend(whole)])
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
    """A common denominator, and the numerators."""
    common = math.lcm(*(v.denominator for v in shares.values()))
    return common, {i: v.numerator * (common // v.denominator) for i, v in shares.items()}
