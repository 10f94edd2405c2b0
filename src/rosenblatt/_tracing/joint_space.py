"""The spaces of many classes: those of two, once for each class.

An update adds c_i z with z = (e_y - e_r) ⊗ x̃_i, and w is the weights of all classes together. That
is the perceptron of two classes in a space of k(d + 1) dimensions, where no z is ever written out:
‖z‖² = 2‖x̃_i‖², and ⟨w, z⟩ = s_y - s_r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt._core.backend import compute
from rosenblatt._core.rows import Rows, standing
from rosenblatt._tracing.rounding import SLIGHTLY_MORE, TINY, ULP, lengths_of
from rosenblatt._tracing.run import Floats, Run
from rosenblatt._tracing.space import Features, Kernelled, one_thread, over_blocks
from rosenblatt._tracing.walk import (
    ExactFeatures,
    ExactGram,
    FloatGram,
    Path,
    Standing,
    Star,
    Sums,
    Walker,
    walk,
)
from rosenblatt._training.kernels import Gram
from rosenblatt.theory.bounds import least_class_margin


def _of_classes(star: Star | None, k: int) -> list[Floats | None]:
    return [None] * k if star is None else list(star.w)


class JointFeatures(Features):
    """Weights of the features for each class."""

    copies = 2

    def __init__(self, run: Run):
        super().__init__(run)
        assert run.k is not None
        assert run.rivals is not None
        self.k, self.rivals = run.k, run.rivals
        self.work = self.k * self.size
        self.size = self.work + 1

    @cached_property
    def start(self) -> Floats:
        return np.array([self._weights(of_class) for of_class in self.run.start])

    @cached_property
    def exact_start(self) -> list[Fraction]:
        return [v for of_class in self.run.start for v in self._exact_weights(of_class)]

    def star(self, w: Floats) -> Star:
        with np.errstate(over="ignore", invalid="ignore"):
            products = np.asarray(self.table @ w[:, :-1].T) + w[:, -1]
            size = np.outer(lengths_of(self.squares()), np.linalg.norm(w, axis=1) + TINY)
            return Star(w, products, SLIGHTLY_MORE * (self.d + 10) * ULP * size)

    def _steps(self, begin: int, end: int) -> Floats:
        run, edges = self.run, self.run.edges
        first, last = int(edges[begin]), int(edges[end])
        if run.order != "batch":
            return np.asarray(run.steps[first:last, None, None] * run.directions(first, last))
        z = np.zeros((end - begin, *self.start.shape))
        x = run.steps[first:last, None] * run.lifted(run.rows[first:last])
        for t, step in enumerate(z, start=begin):
            part = slice(edges[t], edges[t + 1])
            self._sum(step, x[edges[t] - first : edges[t + 1] - first], part)
        return z

    def _sum(self, step: Floats, x: Floats, part: slice) -> None:
        """As the core sums them; each class for itself."""
        own, rivals = self.run.own[part], self.rivals[part]
        for c in range(self.k):
            signs = (own == c).astype(np.float64) - (rivals == c)
            some = signs != 0
            if some.any():
                step[c] = over_blocks(signs[some, None] * x[some], self.run.rows[part][some])

    def _scores(self) -> tuple[Floats, Standing | None]:
        run, rows = self.run, Rows(self.run.X)
        scores, own = np.empty((rows.n, self.k)), run.own
        margins, ahead = np.empty(len(own)), np.empty(len(own))
        rivals = np.empty(len(own), dtype=np.int64)
        for begin, block in self.blocks():
            for t, w in enumerate(block[:-1], start=begin):
                part = run.updates_of(t + 1)
                some = run.rows[part]
                if run.order == "batch":
                    scores = rows.scores(w)
                else:
                    i = int(some[0])
                    compute.backend.scores(rows.native, w, i, i + 1, scores)
                found, at = scores[some], np.arange(len(some))
                rivals[part] = standing(found, own[part])[1]
                recorded = found[at, self.rivals[part]]
                margins[part] = found[at, own[part]] - recorded
                ahead[part] = found[at, rivals[part]] - recorded
        return margins, Standing(rivals, ahead)

    def exact_path(self, star: Star | None) -> Path:
        needed = np.unique(self.run.rows)
        rows = dict(zip(needed.tolist(), self.run.lifted(needed), strict=True))
        starts = [self._exact_weights(of_class) for of_class in self.run.start]
        walkers = [
            ExactFeatures(rows, self.run, w, of_star)
            for w, of_star in zip(starts, _of_classes(star, self.k), strict=True)
        ]
        return walk(self.run, OfClasses(walkers, self.run), Fraction)

    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        w = star.w if self.run.intercept else star.w[:, :-1]
        return least_class_margin(self.table, self.run.y, self.run.weights, w)


class JointKernelled(Kernelled):
    """A function of the rows for each class."""

    copies = 2

    def __init__(self, run: Run):
        super().__init__(run)
        assert run.k is not None
        self.k = run.k
        self.work *= self.k

    def star(self, w: Floats) -> Star:
        with one_thread():
            sums = JointSums(self.gram, w)
        return Star(w, sums.values, sums.each)

    def path(self, star: Star | None) -> Path:
        with one_thread():
            return JointFloatGram(self.gram, self.run, self.squares_met(), star).walk()

    def exact_path(self, star: Star | None) -> Path:
        run = self.run
        gram = self._needed(run.start if star is None else np.vstack([run.start, star.w]))
        walkers = [
            ExactGram(gram, run, beta, of_star)
            for beta, of_star in zip(run.start, _of_classes(star, self.k), strict=True)
        ]
        return walk(run, OfClasses(walkers, run), Fraction)

    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        y, c = self.run.y, self.run.weights
        rows = np.arange(len(y))
        margins = star.products[rows, y][:, None] - star.products
        doubts = star.doubts[rows, y][:, None] + star.doubts
        rounding = doubts + 8 * ULP * (np.abs(margins) + doubts)
        least = c[:, None] * (margins - rounding)
        least[rows, y] = np.inf
        least[c == 0] = np.inf
        row = int(np.argmin(least.min(axis=1)))
        return Fraction(float(least[row].min())), row


# A replay of many classes: one of two classes for each, of which an update changes two.


Place = tuple[int, int, int]  # a row, its class, its rival


class OfClasses:
    """Walkers of the same kind, one for the weights of each class."""

    def __init__(self, walkers: Sequence[Walker], run: Run):
        self._walkers, self._places = walkers, run.places
        self.start2 = sum(w.start2 for w in walkers)
        with_star = walkers[0].star2 is not None
        self.start_star = sum(w.start_star for w in walkers) if with_star else None
        self.star2 = sum(w.star2 for w in walkers) if with_star else None

    def _both(self, u: int) -> tuple[Walker, Walker]:
        """That of the row's class, and that of its rival."""
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


class JointSums:
    """A function of the rows for each class, in floats."""

    def __init__(self, gram: Gram, coefficients: Floats):
        self._of_classes = [Sums(gram, of_class) for of_class in coefficients]

    @property
    def values(self) -> Floats:
        return np.column_stack([f.values for f in self._of_classes])

    @property
    def each(self) -> Floats:
        """The doubts of each class."""
        return np.column_stack([f.doubts for f in self._of_classes])

    @property
    def doubts(self) -> Floats:
        """Of any difference of two classes, by row."""
        each = self.each
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
        found = [f.product(of) for f, of in zip(self._of_classes, coefficients, strict=True)]
        terms, doubts = np.array(found).T
        rounding = len(terms) * ULP * float(np.abs(terms).sum())
        return float(terms.sum()), float(doubts.sum()) + rounding


class JointFloatGram(FloatGram):
    """In floats over the Gram matrix; the rivals are found again."""

    def __init__(self, gram: Gram, run: Run, squares: Floats, star: Star | None):
        super().__init__(gram, run, squares, star, sums=JointSums)
        self._standing: list[tuple[int, float]] = []

    def score(self, u: int) -> float:
        if u == len(self._standing):  # for the first time: before its step
            self._standing.append(self._sums.standing(self._run.places[u]))
        return super().score(u)

    def walk(self) -> Path:
        path = super().walk()
        rivals, ahead = np.array(self._standing).reshape(-1, 2).T
        return replace(path, standing=Standing(rivals.astype(np.int64), ahead))
