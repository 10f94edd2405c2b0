"""The space of a kernel, of which only products are known: those of the Gram matrix."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from rosenblatt._compute.matrices import as_table, squares
from rosenblatt._rules.gram import Gram
from rosenblatt._traces.exact_walk import ExactGram
from rosenblatt._traces.rounding import ULP, of_kernel
from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.space import Space
from rosenblatt._traces.walk import FloatGram, Path, Star, Sums, walk


class Kernelled(Space):
    """Functions Σ β_i k(x_i, ·) + b. The kernel values are taken as the numbers they are."""

    def __init__(self, run: Run):
        super().__init__(run)
        assert run.kernel is not None
        self.gram = Gram(run.kernel, run.X, 2**30)
        table = as_table(run.X)
        longest, epsilon = float(squares(table).max()), float(np.finfo(table.dtype).eps)
        self.kernel_doubt = of_kernel(run.kernel, longest, table.shape[1], epsilon)
        self.size = self.work = len(run.y) + 1

    @cached_property
    def _diagonal(self) -> list[float]:
        with one_thread():
            return [float(self.gram.row(i)[i]) for i in range(len(self.run.y))]

    def squares(self) -> Floats:
        return np.array(self._diagonal) + self.run.intercept

    def star(self, w: Floats) -> Star:
        with one_thread():
            sums = Sums(self.gram, w)
        return Star(w, sums.values, sums.doubts)

    def path(self, star: Star | None) -> Path:
        with one_thread():
            return FloatGram(self.gram, self.run, self.squares_met(), star).walk()

    def exact_path(self, star: Star | None) -> Path:
        run = self.run
        gram = self._needed(run.start if star is None else np.vstack([run.start, star.w]))
        return walk(
            run, ExactGram(gram, run, run.start, None if star is None else star.w), Fraction
        )

    def _needed(self, coefficients: Floats) -> dict[int, Floats]:
        """The Gram rows of the updates, and of the rows that have coefficients."""
        some = np.flatnonzero(np.atleast_2d(coefficients)[:, :-1].any(axis=0))
        with one_thread():
            return {i: self.gram.row(i) for i in np.union1d(self.run.rows, some).tolist()}

    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        c, present = self.run.weights, self.run.weights > 0
        rounding = star.doubts + 8 * ULP * (np.abs(star.products) + star.doubts)
        margins = np.where(present, c * (self.run.y * star.products - rounding), np.inf)
        row = int(np.argmin(margins))
        return Fraction(float(margins[row])), row

    def longest(self, *, weighted: bool = True) -> Fraction:
        return max(
            Fraction(c if weighted else 1) ** 2 * (Fraction(k) + self.run.intercept)
            for c, k in zip(self.run.weights.tolist(), self._diagonal, strict=True)
            if c > 0
        )

    def ends(self, star: Star, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        doubts = path.doubts
        assert path.products is not None
        assert doubts is not None
        return (
            Fraction(path.star2) + Fraction(doubts.star2),
            Fraction(path.products[0]) - Fraction(doubts.products[0]),
            Fraction(path.norms2[0]) + Fraction(doubts.norms2[0]),
        )


def one_thread() -> Any:
    """Kernel values have the bits that they had in training."""
    return threadpool_limits(limits=1, user_api="blas")
