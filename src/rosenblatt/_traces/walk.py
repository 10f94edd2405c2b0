"""A replay, one update after the other: what it needs, and in floats over the Gram matrix.

A walker knows the score of a row under the current weights and how to add a row to them; from
these and from the squares and products of the rows follow N_t = ‖w_t‖² and P_t = ⟨w_t, w*⟩.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt._rules.gram import Gram
from rosenblatt._rules.kernel_expansion import KernelExpansion
from rosenblatt._traces.rounding import SLIGHTLY_MORE, TINY, ULP, Doubts, by_step, running
from rosenblatt._traces.run import Floats, Run


@dataclass(frozen=True)
class Star:
    """w*, and its products with the rows."""

    w: Floats  # lifted; with a kernel coefficients of the rows, and the intercept
    products: Floats  # w*·x̃_i by row (and class),
    doubts: Floats  # and how far rounding can have moved them


@dataclass(frozen=True)
class Path:
    """By step N_0 … N_T and P_0 … P_T (None without w*); by update the score before.

    Floats with their doubts, or arrays of fractions without.
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


def walk(run: Run, walker: Walker, number: type) -> Path:
    """From the first update to the last."""
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


class FloatGram:
    """The same in floats, with bounds on their rounding. `squares` are those of the updates."""

    def __init__(self, gram: Gram, run: Run, squares: Floats, star: Star | None, sums: type = Sums):
        self._run, self._squares, self._star = run, squares, star
        self._sums = sums(gram, run.start)
        self._products = self._doubts = np.zeros(len(run.rows))  # of w*, by update
        self.start2, self._start2_doubt = self._sums.product(run.start)
        self.star2 = self.start_star = None
        self._star2_doubt = self._start_star_doubt = 0.0
        if star is not None:
            self._products = run.by_update(star.products)
            self._doubts = run.by_update(star.doubts, sign=1)
            of_star = sums(gram, star.w)
            self.star2, self._star2_doubt = of_star.product(star.w)
            self.start_star, self._start_star_doubt = of_star.product(run.start)
        self._met: list[tuple[float, float]] = []  # scores at the time of each update; doubts

    def score(self, u: int) -> float:
        return float(self._sums.score(self._run.places[u])[0])

    def add(self, u: int, step: float) -> None:
        place = self._run.places[u]
        self._met.append(self._sums.score(place))
        self._sums.add(place, step, intercept=self._run.intercept)

    def square(self, u: int) -> float:
        return float(self._squares[u])

    def star(self, u: int) -> float:
        return float(self._products[u])

    def walk(self) -> Path:
        """From the first update to the last, with the doubts about it."""
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
        last = self._sums.doubts
        found = Doubts(doubts, norms2, products, last, self._star2_doubt)
        return replace(path, last=self._sums.values, doubts=found)

    def _summed(self, start: float, terms: Floats, doubts: Floats, sums: Floats) -> Floats:
        """Doubts of start + Σ terms by step, summed one update after the other."""
        run = self._run
        size = np.repeat(np.maximum(np.abs(sums[1:]), np.abs(sums[:-1])), run.sizes)
        between = np.repeat(by_step(run, terms), run.sizes)  # of sums within one step
        each = doubts + ULP * (4 * terms + size + between) + TINY**2
        return np.asarray(start + SLIGHTLY_MORE * running(by_step(run, each)))
