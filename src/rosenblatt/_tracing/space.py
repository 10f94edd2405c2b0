"""The space that training happens in, where the proofs have their lengths and products.

A step adds z_t = Σ c_i y_i x̃_i. Of the weights w_t after step t the proofs need two numbers,
N_t = ‖w_t‖² and P_t = ⟨w_t, w*⟩, and the scores before each update. `Features` has the weights
themselves; `Kernelled`, in `kernel_space.py`, has only products, those of the Gram matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import UpdateRule
from rosenblatt._core.rows import Examples, Rows, as_table, squares
from rosenblatt._core.summation import folded, in_order
from rosenblatt._core.update_log import Log
from rosenblatt._tracing.loss_steps import moving
from rosenblatt._tracing.rounding import (
    SLIGHTLY_MORE,
    TINY,
    ULP,
    Doubts,
    lengths_of,
    of_weights,
)
from rosenblatt._tracing.run import Floats, Ints, Run
from rosenblatt._tracing.walk import (
    ExactFeatures,
    ExactGram,
    FloatGram,
    Path,
    Standing,
    Star,
    Sums,
    walk,
)
from rosenblatt._training.kernels import Gram
from rosenblatt._training.learner import Primal
from rosenblatt.theory.bounds import dot, exact_row, least_margin, longest

_BLOCK = 1 << 18  # numbers of weights at a time


def over_blocks(terms: Floats, rows: Ints) -> Floats:
    """Σ terms as the core makes it; those of a batch step come in the order of their rows."""
    edges = np.searchsorted(rows, range(0, int(rows[-1]) + 1, compute.block))
    parts = np.split(terms, edges[1:])
    zero = np.zeros(terms.shape[1:])
    return folded(in_order(np.concatenate([zero[None], part])) for part in parts)


class Space(ABC):
    """Abstract."""

    size: int  # terms in a score
    kernel_doubt = 0.0  # how far kernel values can be off, where another machine computed them
    work: int  # numbers to touch in one update, and for each row
    copies = 1  # how often an update has x̃_i: of many classes twice, so that ‖z‖² = 2‖x̃_i‖²

    def __init__(self, run: Run):
        self.run = run

    @abstractmethod
    def squares(self) -> Floats:
        """‖x̃_i‖², by row."""

    def squares_met(self) -> Floats:
        """‖z‖², by update."""
        return np.asarray(self.copies * self.squares()[self.run.rows])

    @abstractmethod
    def star(self, w: Floats) -> Star:
        """w* as it is met here."""

    @abstractmethod
    def path(self, star: Star | None) -> Path:
        """The path in floating point, replayed, with bounds on its rounding."""

    @abstractmethod
    def exact_path(self, star: Star | None) -> Path:
        """The path in fractions."""

    @abstractmethod
    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        """A number that every c_i y_i w*·x̃_i reaches, as large as is certain; the row nearest.

        Of many classes c_i (w*_y - w*_c)·x̃_i for all classes c but the row's own, y.
        """

    @abstractmethod
    def longest(self, *, weighted: bool = True) -> Fraction:
        """max ‖c_i x̃_i‖², or max ‖x̃_i‖² of the rows that exist."""

    @abstractmethod
    def ends(self, star: Star, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        """‖w*‖², ⟨w_0, w*⟩, ‖w_0‖²; where in doubt so that a bound from them is no lower."""


class Features(Space):
    """Weights of the features, lifted: (w, b), where b stays 0 through the origin."""

    def __init__(self, run: Run):
        super().__init__(run)
        self.table = run.table
        self.d = self.table.shape[1]
        self.size = self.work = self.d + 1

    @cached_property
    def start(self) -> Floats:
        return self._weights(self.run.start)

    def _weights(self, start: Floats) -> Floats:
        """Those that training began with; with a kernel from coefficients of the rows."""
        if self.run.kernel is None:
            return start
        return np.append(np.asarray(self.table.T @ start[:-1]).ravel(), start[-1])

    @cached_property
    def exact_start(self) -> list[Fraction]:
        return self._exact_weights(self.run.start)

    def _exact_weights(self, start: Floats) -> list[Fraction]:
        if self.run.kernel is None:
            return [Fraction(v) for v in start.tolist()]
        w = [Fraction(0)] * self.d
        for i in np.flatnonzero(start[:-1]).tolist():
            beta, x = Fraction(float(start[i])), exact_row(self.table, i, self.d)
            w = [v + beta * xj for v, xj in zip(w, x, strict=True)]
        return [*w, Fraction(float(start[-1]))]

    def _start_doubt(self) -> float:
        """With coefficients of the rows the first weights are sums themselves."""
        if self.run.kernel is None:
            return 0.0
        beta = np.abs(np.atleast_2d(self.run.start)[:, :-1])
        terms = 2 * np.count_nonzero(beta) + self.size + 12
        size = float(beta.sum(axis=0) @ lengths_of(self.squares())) if beta.any() else 0.0
        return float(terms * ULP * size)

    def squares(self) -> Floats:
        return squares(self.table) + self.run.intercept

    def star(self, w: Floats) -> Star:
        with np.errstate(over="ignore", invalid="ignore"):
            products = np.asarray(self.table @ w[:-1]).ravel() + w[-1]
            size = lengths_of(self.squares()) * (np.linalg.norm(w) + TINY)
            return Star(w, products, SLIGHTLY_MORE * (self.size + 8) * ULP * size)

    def _steps(self, begin: int, end: int) -> Floats:
        """z_t for some steps, summed as the core sums them."""
        run = self.run
        first, last = run.edges[begin], run.edges[end]
        z = run.steps[first:last, None] * run.lifted(run.rows[first:last])
        if run.order != "batch":
            return z
        steps = zip(run.edges[begin:end], run.edges[begin + 1 : end + 1], strict=True)
        return np.array([over_blocks(z[a - first : b - first], run.rows[a:b]) for a, b in steps])

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """(t, the weights before the steps t, t + 1, … and after the last of them)."""
        run, w = self.run, self.start + 0.0
        if run.rule == "AROW":
            yield from ((part.begin, block) for part, block in moving(run, w))
            return
        length = max(1, _BLOCK // (self.size * int(run.sizes.max(initial=1))))
        for begin in range(0, run.n_steps, length):
            end = min(begin + length, run.n_steps)
            # One sum after the other: the bits that training had.
            block = np.add.accumulate(np.concatenate([w[None], self._steps(begin, end)]), axis=0)
            yield begin, block
            w = block[-1]

    def at(self, step: int) -> Floats:
        """The weights after so many steps."""
        w = self.start + 0.0
        for begin, block in self.blocks():
            if begin >= step:
                break
            w = block[min(step - begin, len(block) - 1)]
        return w

    @np.errstate(over="ignore", invalid="ignore")
    def path(self, star: Star | None) -> Path:
        run, w = self.run, np.zeros(self.start.size) if star is None else star.w.ravel()
        norms2, products = np.empty(run.n_steps + 1), np.empty(run.n_steps + 1)
        norms2[0], products[0] = self.start.ravel() @ self.start.ravel(), self.start.ravel() @ w
        last = self.start + 0.0
        for begin, block in self.blocks():
            part, flat = slice(begin, begin + len(block)), block.reshape(len(block), -1)
            norms2[part] = np.einsum("ij,ij->i", flat, flat)
            products[part] = flat @ w
            last = block[-1]
        star2 = float(w @ w)
        doubts = self._doubts(norms2, star2)
        last, (scores, standing) = Rows(run.X).scores(last), self._scores()
        if star is None:
            return Path(norms2, None, scores, None, last, doubts, standing)
        return Path(norms2, products, scores, star2, last, doubts, standing)

    def _doubts(self, norms2: Floats, star2: float) -> Doubts:
        return of_weights(
            self.run,
            size=self.size,
            norms2=norms2,
            squares=self.copies * self.squares(),
            star2=star2,
            start=self._start_doubt(),
        )

    def _scores(self) -> tuple[Floats, Standing | None]:
        """The score before each update, by the core."""
        run = self.run
        e = Examples(run.X, run.y, run.c)
        if run.order == "batch":
            return self._batch_scores(e.rows), None
        if not run.by_count:
            return self._scores_on_the_way(e.rows), None
        machine = Primal(e, UpdateRule("perceptron", np.inf, run.intercept))  # every row calls
        machine.log = Log()
        memory = machine.start(self.start, averaged=False)
        at, order = 0, np.ascontiguousarray(run.rows)
        while at < len(order):
            at, _ = machine.visit(memory, order, at, len(order), len(order), at)
        return machine.log.arrays()[2], None

    def _scores_on_the_way(self, rows: Rows) -> Floats:
        """One after the other: under the weights of a rule that looks at the loss."""
        found, scores = np.empty(len(self.run.rows)), np.empty(rows.n)
        for begin, block in self.blocks():
            for t, w in enumerate(block[:-1], start=begin):
                i = int(self.run.rows[t])
                compute.backend.scores(rows.native, w, i, i + 1, scores)
                found[t] = scores[i]
        return found

    def _batch_scores(self, rows: Rows) -> Floats:
        found, edges = np.empty(len(self.run.rows)), self.run.edges
        for begin, block in self.blocks():
            for t, w in enumerate(block[:-1], start=begin):
                part = slice(edges[t], edges[t + 1])
                found[part] = rows.scores(w)[self.run.rows[part]]
        return found

    def exact_path(self, star: Star | None) -> Path:
        needed = np.unique(self.run.rows)
        rows = dict(zip(needed.tolist(), self.run.lifted(needed), strict=True))
        walker = ExactFeatures(rows, self.run, self.exact_start, None if star is None else star.w)
        return walk(self.run, walker, Fraction)

    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        w = star.w if self.run.intercept else star.w[:-1]
        return least_margin(self.table, self.run.y, self.run.weights, w)

    def longest(self, *, weighted: bool = True) -> Fraction:
        c = self.run.weights if weighted else np.sign(self.run.weights)
        return longest(self.table, c, lifted=self.run.intercept)

    def ends(self, star: Star, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        start, w = self.exact_start, star.w.ravel()
        return dot(w, w), dot(start, w), dot(start, start)


# The space of a kernel, of which only products are known: those of the Gram matrix.


class Kernelled(Space):
    """Functions Σ β_i k(x_i, ·) + b. The kernel values are taken as the numbers they are."""

    def __init__(self, run: Run):
        super().__init__(run)
        assert run.kernel is not None
        self.gram = Gram(run.kernel, run.X, 2**30)
        table = as_table(run.X)
        longest, epsilon = float(squares(table).max()), float(np.finfo(table.dtype).eps)
        with np.errstate(over="ignore", invalid="ignore"):  # what is infinite decides nothing
            self.kernel_doubt = float(run.kernel.rounding(longest, table.shape[1], epsilon))
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
