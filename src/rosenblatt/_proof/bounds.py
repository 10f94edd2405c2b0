"""Brackets of a margin, and numbers that every row reaches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt._proof.lengths import blend_square, weights_square
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import nearest_floats, whole_vector


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


def proved(
    rows: Rows, w: list[Fraction], reached: Fraction, weights: dict[int, int], *, free: bool
) -> Bound:
    lo2 = reached**2 / weights_square(rows, w[:-1] if free else w)
    total = rows.blend(weights)
    hi2 = blend_square(rows, total[:-1] if free else total) / sum(weights.values()) ** 2
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
    whole, _ = whole_vector(w)
    return min(Fraction(*product) for product in rows.products(near, whole)) / common
