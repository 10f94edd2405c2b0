"""A replay, one update after the other: in whole numbers, or in floats over the Gram matrix.

A walker knows the score of a row under the current weights and how to add a row to them; from
these and from the squares and products of the rows follow N_t = ‖w_t‖² and P_t = ⟨w_t, w*⟩.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt._gram import Gram
from rosenblatt._traces.run import Floats, Run


@dataclass(frozen=True)
class Path:
    """By step N_0 … N_T and P_0 … P_T (None without w*); by update the score before.

    Floats, or arrays of fractions.
    """

    norms2: NDArray[Any]
    products: NDArray[Any] | None
    scores: NDArray[Any]
    star2: Any = None  # ‖w*‖²


class Walker(Protocol):
    """All numbers are of one kind."""

    start2: Any  # ‖w_0‖²
    start_star: Any  # ⟨w_0, w*⟩
    star2: Any  # ‖w*‖²; None: there is no w*

    def score(self, i: int) -> Any: ...
    def add(self, i: int, step: float) -> None: ...
    def square(self, i: int) -> Any: ...
    def star(self, i: int) -> Any:
        """w*·x̃_i"""


def walk(run: Run, walker: Walker, number: type) -> Path:
    """From the first update to the last."""
    norm2, product = walker.start2, walker.start_star
    norms2, products, scores = [norm2], [product], []
    for t in range(run.n_steps):
        updates = range(run.edges[t], run.edges[t + 1])
        scores += [walker.score(int(run.rows[u])) for u in updates]
        for u in updates:
            i, a = int(run.rows[u]), float(run.steps[u])
            step = number(a)
            norm2 = norm2 + 2 * step * walker.score(i) + step * step * walker.square(i)
            if walker.star2 is not None:
                product = product + step * walker.star(i)
            walker.add(i, a)
        norms2.append(norm2)
        products.append(product)
    kind: Any = np.float64 if number is float else object
    return Path(
        np.array(norms2, dtype=kind),
        None if walker.star2 is None else np.array(products, dtype=kind),
        np.array(scores, dtype=kind),
        walker.star2,
    )


class ExactFeatures:
    """Lifted weights in whole numbers: x̃ = int/2^p, steps = int/2^r, w = int/2^q, q >= p + r."""

    def __init__(self, rows: dict[int, Floats], steps: Floats, start: Floats, star: Floats | None):
        self._x, self._p = _table(rows)
        _, r = _whole(np.unique(steps))
        w, q = _whole(start)
        self._q = max(q, self._p + r)
        self._w = [v << (self._q - q) for v in w]
        self.start2 = Fraction(sum(v * v for v in w), 1 << 2 * q)
        self._star, self._s = ([], 0) if star is None else _whole(star)
        self.start_star = Fraction(_dot(w, self._star), 1 << (q + self._s)) if self._star else None
        star2 = Fraction(_dot(self._star, self._star), 1 << 2 * self._s)
        self.star2 = None if star is None else star2

    def score(self, i: int) -> Fraction:
        return Fraction(_dot(self._x[i], self._w), 1 << (self._p + self._q))

    def add(self, i: int, step: float) -> None:
        a = _times(step, self._q - self._p)
        self._w = [v + a * x for v, x in zip(self._w, self._x[i], strict=True)]

    def square(self, i: int) -> Fraction:
        return Fraction(_dot(self._x[i], self._x[i]), 1 << 2 * self._p)

    def star(self, i: int) -> Fraction:
        return Fraction(_dot(self._x[i], self._star), 1 << (self._p + self._s))


class ExactGram:
    """Scores of all rows in whole numbers, from the Gram matrix as the floats it holds."""

    def __init__(
        self,
        gram: dict[int, Floats],
        intercept: bool,
        start: Floats,
        star: Floats | None,
    ):
        self._k, self._p = _table(gram)
        self._one = (1 << self._p) * intercept
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

    def score(self, i: int) -> Fraction:
        return self._scores[i]

    def add(self, i: int, step: float) -> None:
        a = Fraction(step) / (1 << self._p)
        row = self._k[i]
        self._scores = [v + a * (k + self._one) for v, k in zip(self._scores, row, strict=True)]

    def square(self, i: int) -> Fraction:
        return Fraction(self._k[i][i] + self._one, 1 << self._p)

    def star(self, i: int) -> Fraction:
        return self._at_star[i]


class FloatGram:
    """The same in floats."""

    def __init__(self, gram: Gram, run: Run, squares: Floats, star: Floats | None):
        self._gram, self._intercept, self._squares = gram, run.intercept, squares
        self._scores, self._at_star = self._values(run.start), None
        self.start2 = self._product(run.start, self._scores, run.start)
        self.star2 = self.start_star = None
        if star is not None:
            self._at_star = self._values(star)
            self.star2 = self._product(star, self._at_star, star)
            self.start_star = self._product(run.start, self._at_star, star)

    def _values(self, coefficients: Floats) -> Floats:
        values = np.full(self._gram.n, float(coefficients[-1]))
        for i in np.flatnonzero(coefficients[:-1]).tolist():
            values += coefficients[i] * self._gram.row(i)
        return values

    def _product(self, left: Floats, values: Floats, right: Floats) -> float:
        return float(left[:-1] @ (values - right[-1]) + left[-1] * right[-1])

    def score(self, i: int) -> float:
        return float(self._scores[i])

    def add(self, i: int, step: float) -> None:
        self._scores += step * self._gram.row(i)
        self._scores += step * self._intercept

    def square(self, i: int) -> float:
        return float(self._squares[i])

    def star(self, i: int) -> float:
        assert self._at_star is not None
        return float(self._at_star[i])


def _whole(values: Floats) -> tuple[list[int], int]:
    """Whole numbers and an exponent p: value = number / 2^p."""
    ratios = [v.as_integer_ratio() for v in np.asarray(values, dtype=np.float64).tolist()]
    p = max((below.bit_length() - 1 for _, below in ratios), default=0)
    return [above << (p - below.bit_length() + 1) for above, below in ratios], p


def _table(rows: dict[int, Floats]) -> tuple[dict[int, list[int]], int]:
    """All rows with one exponent."""
    found = {i: _whole(row) for i, row in rows.items()}
    p = max((exponent for _, exponent in found.values()), default=0)
    return {i: [v << (p - e) for v in row] for i, (row, e) in found.items()}, p


def _times(step: float, exponent: int) -> int:
    """step · 2^exponent, which is a whole number."""
    above, below = step.as_integer_ratio()
    return (above << exponent) // below


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(map(mul, a, b))
