"""A replay, one update after the other: in floats over the Gram matrix, or in whole numbers.

A walker knows the score of a row under the current weights and how to add a row to them; from
these and from the squares and products of the rows follow N_t = ‖w_t‖² and P_t = ⟨w_t, w*⟩.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import standing
from rosenblatt._tracing.rounding import SLIGHTLY_MORE, TINY, ULP, Doubts, by_step, running
from rosenblatt._tracing.run import Floats, Run
from rosenblatt._training.kernel_rule import KernelExpansion
from rosenblatt._training.kernels import Gram

Place = tuple[int, int, int]  # a row, its class, its rival


@dataclass(frozen=True)
class Reference:
    """The reference separator w*, and its products with the rows."""

    w: Floats  # lifted; with a kernel coefficients of the rows, and the intercept
    products: Floats  # w*·x̃_i by row (and class),
    doubts: Floats  # and how far rounding can have moved them


@dataclass(frozen=True)
class Path:
    """By step N_0 … N_T and P_0 … P_T (None without w*); by update the score before it.

    Floats with bounds on their rounding (doubts), or arrays of fractions without.
    """

    norms2: NDArray[Any]
    products: NDArray[Any] | None
    scores: NDArray[Any]
    star2: Any = None  # ‖w*‖²
    last: Floats | None = None  # the scores of all rows after the last step, in floats
    doubts: Doubts | None = None
    standing: Standing | None = None  # of many classes, in floats


class Standing(NamedTuple):
    """Before each update: the rival by a replay, and its score minus that of the recorded one."""

    rivals: NDArray[Any]
    ahead: Floats


class Walker(Protocol):
    """All numbers are of one kind."""

    start2: Any  # ‖w_0‖²
    start_star: Any  # ⟨w_0, w*⟩
    star2: Any  # ‖w*‖²; None: there is no w*

    def score(self, u: int) -> Any:
        """Of the row of update u, under the weights as they are."""

    def add(self, u: int, step: float) -> None: ...
    def square(self, u: int) -> Any: ...
    def star(self, u: int) -> Any:
        """w*·x̃_i"""


class OfClasses:
    """A walker for each class; an update changes the weights of a row's class and of its rival."""

    def __init__(self, walkers: Sequence[Walker], run: Run):
        self._walkers, self._places = walkers, run.places
        self.start2 = sum(w.start2 for w in walkers)
        with_star = walkers[0].star2 is not None
        self.start_star = sum(w.start_star for w in walkers) if with_star else None
        self.star2 = sum(w.star2 for w in walkers) if with_star else None

    def _both(self, u: int) -> tuple[Walker, Walker]:
        _, own, rival = self._places[u]
        return self._walkers[own], self._walkers[rival]

    def score(self, u: int) -> Any:
        own, rival = self._both(u)
        return own.score(u) - rival.score(u)

    def add(self, u: int, step: float) -> None:
        own, rival = self._both(u)
        own.add(u, step)
        rival.add(u, -step)

    def square(self, u: int) -> Any:
        return 2 * self._walkers[0].square(u)

    def star(self, u: int) -> Any:
        own, rival = self._both(u)
        return own.star(u) - rival.star(u)


def walk(run: Run, walker: Walker, number: type) -> Path:
    before, terms, with_star = [], [walker.start2], [walker.start_star]
    for t in range(run.n_steps):
        updates = range(run.edges[t], run.edges[t + 1])
        before += [walker.score(u) for u in updates]
        for u in updates:
            a = float(run.steps[u])
            step = number(a)
            terms.append(2 * step * walker.score(u) + step * step * walker.square(u))
            if walker.star2 is not None:
                with_star.append(step * walker.star(u))
            walker.add(u, a)
    kind: Any = np.float64 if number is float else object

    def sums(values: list[Any]) -> NDArray[Any]:
        return np.asarray(np.add.accumulate(np.array(values, dtype=kind))[run.edges])

    return Path(
        sums(terms),
        None if walker.star2 is None else sums(with_star),
        np.array(before, dtype=kind),
        walker.star2,
    )


class Sums:
    """A function of the rows in floats, built up as in training, and how far each value is off.

    The kernel values are taken as the numbers they are.
    """

    def __init__(self, gram: Gram, coefficients: Floats):
        self._gram = gram
        self.function = KernelExpansion(np.zeros(gram.n), float(coefficients[-1]), np.zeros(gram.n))
        self._doubts, self._b_doubt = np.zeros(gram.n), 0.0
        for i in np.flatnonzero(coefficients[:-1]).tolist():
            self.add(i, float(coefficients[i]), intercept=False)

    def add(self, i: int, step: float, *, intercept: bool) -> None:
        row, f = self._gram.row(i), self.function
        f.add([i], [step], [row], intercept=intercept)
        with np.errstate(over="ignore"):
            added = abs(step) * np.abs(row.astype(np.float64))
            self._doubts += SLIGHTLY_MORE * ULP * (added + np.abs(f.sums)) + TINY**2
        if intercept:
            self._b_doubt += SLIGHTLY_MORE * ULP * abs(f.b)

    @property
    def values(self) -> Floats:
        return self.function.scores

    @property
    def doubts(self) -> Floats:
        return self._doubts + self._b_doubt + SLIGHTLY_MORE * ULP * np.abs(self.values)

    margin_doubts = doubts

    def score(self, i: int) -> tuple[float, float]:
        """And its doubt."""
        value = float(self.function.sums[i] + self.function.b)
        return value, float(self._doubts[i]) + self._b_doubt + SLIGHTLY_MORE * ULP * abs(value)

    def product(self, coefficients: Floats) -> tuple[float, float]:
        """⟨this, another⟩, and its doubt."""
        beta, b = coefficients[:-1], self.function.b * float(coefficients[-1])
        terms = np.append(beta * self.function.sums, b)
        rounding = (len(terms) + 4) * ULP * float(np.abs(terms).sum())
        return float(terms.sum()), rounding + float(np.abs(beta) @ self._doubts)


class JointSums:
    def __init__(self, gram: Gram, coefficients: Floats):
        self._of_classes = [Sums(gram, of_class) for of_class in coefficients]

    @property
    def values(self) -> Floats:
        return np.column_stack([f.values for f in self._of_classes])

    @property
    def doubts(self) -> Floats:
        return np.column_stack([f.doubts for f in self._of_classes])

    @property
    def margin_doubts(self) -> Floats:
        """Of any difference of two classes, by row."""
        each = self.doubts
        return np.asarray(2 * each.max(axis=1) + 2 * ULP * np.abs(self.values).max(axis=1))

    def add(self, place: Place, step: float, *, intercept: bool) -> None:
        i, own, rival = place
        self._of_classes[own].add(i, step, intercept=intercept)
        self._of_classes[rival].add(i, -step, intercept=intercept)

    def score(self, place: Place) -> tuple[float, float]:
        """s_y - s_r, and its doubt."""
        i, own, rival = place
        (a, of_a), (b, of_b) = (self._of_classes[c].score(i) for c in (own, rival))
        return a - b, of_a + of_b + SLIGHTLY_MORE * ULP * abs(a - b)

    def standing(self, place: Place) -> tuple[int, float]:
        """The rival, and how far it is above the recorded one."""
        i, own, recorded = place
        scores = np.array([[f.score(i)[0] for f in self._of_classes]])
        rival = int(standing(scores, np.array([own]))[1][0])
        return rival, float(scores[0, rival] - scores[0, recorded])

    def product(self, coefficients: Floats) -> tuple[float, float]:
        """⟨this, another⟩, and its doubt."""
        products = [f.product(of) for f, of in zip(self._of_classes, coefficients, strict=True)]
        terms, doubts = np.array(products).T
        rounding = len(terms) * ULP * float(np.abs(terms).sum())
        return float(terms.sum()), float(doubts.sum()) + rounding


class FloatGram:
    """A walker in floats over the Gram matrix, with bounds on their rounding.

    `squares` are those of the updates. Of many classes the rivals are found again.
    """

    def __init__(self, gram: Gram, run: Run, squares: Floats, star: Reference | None):
        sums = Sums if run.k is None else JointSums
        self._run, self._squares, self._star = run, squares, star
        self._sums: Any = sums(gram, run.start)
        self._standing: list[tuple[int, float]] = []
        self._products = self._doubts = np.zeros(len(run.rows))  # of w*, by update
        self.start2, self._start2_doubt = self._sums.product(run.start)
        self.star2 = self.start_star = None
        self._star2_doubt = self._start_star_doubt = 0.0
        if star is not None:
            self._products = run.by_update(star.products)
            self._doubts = run.by_update(star.doubts, sign=1)
            of_star: Any = sums(gram, star.w)
            self.star2, self._star2_doubt = of_star.product(star.w)
            self.start_star, self._start_star_doubt = of_star.product(run.start)
        self._met: list[tuple[float, float]] = []  # scores at the time of each update; doubts

    def score(self, u: int) -> float:
        place = self._run.places[u]
        if self._run.k is not None and u == len(self._standing):  # for the first time
            self._standing.append(self._sums.standing(place))
        return float(self._sums.score(place)[0])

    def add(self, u: int, step: float) -> None:
        place = self._run.places[u]
        self._met.append(self._sums.score(place))
        self._sums.add(place, step, intercept=self._run.intercept)

    def square(self, u: int) -> float:
        return float(self._squares[u])

    def star(self, u: int) -> float:
        return float(self._products[u])

    def walk(self) -> Path:
        run, steps = self._run, np.abs(self._run.steps)
        path = walk(run, self, float)
        scores, doubts = np.array(self._met).reshape(-1, 2).T
        squared = steps**2 * np.abs(self._squares)
        # Of one batch step all scores are those before it, with less doubt.
        norms2 = self._summed(
            self._start2_doubt,
            2 * steps * np.abs(scores) + squared,
            2 * steps * doubts,
            path.norms2,
        ) + running(by_step(run, 2 * steps * doubts))
        products = np.zeros(run.n_steps + 1)
        if self._star is not None and path.products is not None:
            products = self._summed(
                self._start_star_doubt,
                steps * np.abs(self._products),
                steps * self._doubts,
                path.products,
            )
        bounds = Doubts(doubts, norms2, products, self._sums.margin_doubts, self._star2_doubt)
        path = replace(path, last=self._sums.values, doubts=bounds)
        if run.k is None:
            return path
        rivals, ahead = np.array(self._standing).reshape(-1, 2).T
        return replace(path, standing=Standing(rivals.astype(np.int64), ahead))

    def _summed(self, start: float, terms: Floats, doubts: Floats, sums: Floats) -> Floats:
        """Doubts of start + Σ terms by step, summed one update after the other."""
        run = self._run
        size = np.repeat(np.maximum(np.abs(sums[1:]), np.abs(sums[:-1])), run.sizes)
        between = np.repeat(by_step(run, terms), run.sizes)  # of sums within one step
        each = doubts + ULP * (4 * terms + size + between) + TINY**2
        return np.asarray(start + SLIGHTLY_MORE * running(by_step(run, each)))


# --- In whole numbers ----------------------------------------------------------------------------


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

    def __init__(self, gram: dict[int, Floats], run: Run, start: Floats, star: Floats | None):
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
    whole = {i: _whole(row.tolist()) for i, row in rows.items()}
    p = max((exponent for _, exponent in whole.values()), default=0)
    return {i: [v << (p - e) for v in row] for i, (row, e) in whole.items()}, p


def _times(step: float, exponent: int) -> int:
    """step · 2^exponent, which is a whole number."""
    above, below = step.as_integer_ratio()
    return (above << exponent) // below


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(map(mul, a, b))
