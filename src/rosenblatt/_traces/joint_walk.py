"""A replay of many classes: one of two classes for each, of which an update changes two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt._compute.examples import standing
from rosenblatt._rules.gram import Gram
from rosenblatt._traces.rounding import SLIGHTLY_MORE, ULP
from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.walk import FloatGram, Path, Standing, Star, Sums, Walker

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
