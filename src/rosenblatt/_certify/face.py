"""Some of the rows, seen along some directions; and what is decided about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rosenblatt._certify.nearest_point import EXTRA
from rosenblatt._certify.rows import Rows, Vector


@dataclass(frozen=True)
class Decision:
    """Exactly one of the two."""

    separator: list[Fraction] | None = None  # for the rows as they are
    conflict: dict[int, int] | None = None  # row: weight


class Face:
    """Some of the rows, seen along some directions: a_i·normal_k. No normals: all directions.

    `extra` is one more row, with the number EXTRA.
    """

    def __init__(
        self,
        rows: Rows,
        index: Sequence[int],
        normals: list[Vector] | None = None,
        extra: list[Fraction] | None = None,
    ):
        self.rows, self.normals, self.extra = rows, normals, extra
        self.index = list(index)
        self.inside = np.zeros(rows.n, dtype=bool)
        self.inside[self.index] = True
        if extra is not None:
            self.index.insert(0, EXTRA)
        self.size = rows.D if normals is None else len(normals)

    def column(self, i: int) -> tuple[Vector, int]:
        """A whole multiple of (a_i, 1), and the factor."""
        a = self.rows.exact(i) if i != EXTRA or self.extra is None else self.extra
        if self.normals is not None:
            pairs = [zip(n, a, strict=True) for n in self.normals]
            a = [sum((v * x for v, x in pair if v), Fraction(0)) for pair in pairs]
        factor = math.lcm(*(v.denominator for v in a))
        return [*(v.numerator * (factor // v.denominator) for v in a), factor], factor

    def weights(self, v: Sequence[Fraction]) -> list[Fraction]:
        """w with a_i·w = (the face's a_i)·v."""
        if self.normals is None:
            return list(v)
        columns = zip(*self.normals, strict=True)
        return [sum((x * n for x, n in zip(v, c, strict=True)), Fraction(0)) for c in columns]

    def first_below(self, w: list[Fraction], bound: Fraction, *, strictly: bool) -> int | None:
        """The first row with a_i·w < bound (or <= bound)."""
        if self.extra is not None:
            score = sum((a * v for a, v in zip(self.extra, w, strict=True)), Fraction(0)) - bound
            if score < 0 or (score == 0 and not strictly):
                return EXTRA
        signs = self.rows.signs(w, bound, only=self.inside)
        below = np.flatnonzero((signs < 0 if strictly else signs <= 0) & self.inside)
        return int(below[0]) if len(below) else None

    def agrees(self, decision: Decision) -> bool:
        """Is the separator strict, or the blend zero along every direction?"""
        if decision.separator is not None:
            return self.first_below(decision.separator, Fraction(0), strictly=False) is None
        assert decision.conflict is not None
        columns = ((self.column(i), weight) for i, weight in decision.conflict.items())
        totals = [[Fraction(weight * v, below) for v in a] for (a, below), weight in columns]
        return not any(sum(column) for column in list(zip(*totals, strict=True))[:-1])
