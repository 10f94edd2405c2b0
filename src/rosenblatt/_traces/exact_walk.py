"""A replay in whole numbers: over the features, or over the Gram matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from rosenblatt._traces.run import Floats, Run


class ExactFeatures:
    """Lifted weights in whole numbers: x̃ = int/2^p, steps = int/2^r, w = int/2^q, q >= p + r."""

    def __init__(
        self, rows: dict[int, Floats], run: Run, start: list[Fraction], star: Floats | None
    ):
        self._rows: list[int] = run.rows.tolist()
        self._x, self._p = _table(rows)
        _, r = _whole(np.unique(run.steps).tolist())
        w, q = _whole(start)
        self._q = max(q, self._p + r)
        self._w = [v << (self._q - q) for v in w]
        self.start2 = Fraction(sum(v * v for v in w), 1 << 2 * q)
        self._star, self._s = ([], 0) if star is None else _whole(star.tolist())
        self.start_star = Fraction(_dot(w, self._star), 1 << (q + self._s)) if self._star else None
        star2 = Fraction(_dot(self._star, self._star), 1 << 2 * self._s)
        self.star2 = None if star is None else star2

    def score(self, u: int) -> Fraction:
        return Fraction(_dot(self._row(u), self._w), 1 << (self._p + self._q))

    def add(self, u: int, step: float) -> None:
        a = _times(step, self._q - self._p)
        self._w = [v + a * x for v, x in zip(self._w, self._row(u), strict=True)]

    def square(self, u: int) -> Fraction:
        return Fraction(_dot(self._row(u), self._row(u)), 1 << 2 * self._p)

    def star(self, u: int) -> Fraction:
        return Fraction(_dot(self._row(u), self._star), 1 << (self._p + self._s))

    def _row(self, u: int) -> list[int]:
        return self._x[self._rows[u]]


class ExactGram:
    """Scores of all rows in whole numbers, from the Gram matrix as the floats it holds."""

    def __init__(
        self,
        gram: dict[int, Floats],
        run: Run,
        start: Floats,
        star: Floats | None,
    ):
        self._rows: list[int] = run.rows.tolist()
        self._k, self._p = _table(gram)
        self._one = (1 << self._p) * run.intercept
        zero = np.zeros(len(start))
        self._scores = self._values(start)
        self._at_star = self._values(zero if star is None else star)
        self.start2 = self._product(start, self._scores, start)
        self.star2 = None if star is None else self._product(star, self._at_star, star)
        self.start_star = None if star is None else self._product(start, self._at_star, star)

    def _values(self, coefficients: Floats) -> list[Fraction]:
        """Σ β_i k(x_i, ·) + b on all rows."""
        values = [Fraction(float(coefficients[-1]))] * (len(coefficients) - 1)
        for i in np.flatnonzero(coefficients[:-1]).tolist():
            a = Fraction(float(coefficients[i])) / (1 << self._p)
            values = [v + a * k for v, k in zip(values, self._k[i], strict=True)]
        return values

    def _product(self, left: Floats, values: list[Fraction], right: Floats) -> Fraction:
        """⟨left, right⟩, where `values` are those of the right one."""
        b = Fraction(float(right[-1]))
        terms = (
            Fraction(float(left[i])) * (values[i] - b) for i in np.flatnonzero(left[:-1]).tolist()
        )
        return sum(terms, Fraction(float(left[-1])) * b)

    def score(self, u: int) -> Fraction:
        return self._scores[self._rows[u]]

    def add(self, u: int, step: float) -> None:
        a = Fraction(step) / (1 << self._p)
        row = self._k[self._rows[u]]
        self._scores = [v + a * (k + self._one) for v, k in zip(self._scores, row, strict=True)]

    def square(self, u: int) -> Fraction:
        i = self._rows[u]
        return Fraction(self._k[i][i] + self._one, 1 << self._p)

    def star(self, u: int) -> Fraction:
        return self._at_star[self._rows[u]]


def _whole(values: Iterable[Any]) -> tuple[list[int], int]:
    """Whole numbers and an exponent p: value = number / 2^p."""
    ratios = [v.as_integer_ratio() for v in values]
    p = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return [above << (p - below.bit_length() + 1) for above, below in ratios], p


def _table(rows: dict[int, Floats]) -> tuple[dict[int, list[int]], int]:
    """All rows with one exponent."""
    found = {i: _whole(row.tolist()) for i, row in rows.items()}
    p = max((exponent for _, exponent in found.values()), default=0)
    return {i: [v << (p - e) for v in row] for i, (row, e) in found.items()}, p


def _times(step: float, exponent: int) -> int:
    """step · 2^exponent, which is a whole number."""
    above, below = step.as_integer_ratio()
    return (above << exponent) // below


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(map(mul, a, b))
