"""The space that training happens in, where the proofs have their lengths and products.

A step adds z_t = Σ c_i y_i x̃_i. Of the weights w_t after step t the proofs need two numbers,
N_t = ‖w_t‖² and P_t = ⟨w_t, w*⟩, and the scores before each update. `Features` has the weights
themselves; `Kernelled` has only products, those of the Gram matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt._examples import Examples
from rosenblatt._gram import Gram
from rosenblatt._log import Log
from rosenblatt._primal import Primal
from rosenblatt._tables import as_table, dense, squares
from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.walk import ExactFeatures, ExactGram, FloatGram, Path, walk
from rosenblatt.theory.bounds import dot, least_margin, longest

ULP = 2.0**-53
_BLOCK = 1 << 18  # numbers of weights at a time


@dataclass(frozen=True)
class Star:
    """w*, and its products with the rows."""

    w: Floats  # lifted; with a kernel coefficients of the rows, and the intercept
    products: Floats  # w*·x̃_i by row


class Space(ABC):
    """Abstract."""

    size: int  # terms in a score
    work: int  # numbers to touch in one update, and for each row

    def __init__(self, run: Run):
        self.run = run

    @abstractmethod
    def squares(self) -> Floats:
        """‖x̃_i‖², by row."""

    @abstractmethod
    def star(self, w: Floats) -> Star:
        """w* as it is met here."""

    @abstractmethod
    def path(self, star: Star | None) -> Path:
        """The path in floating point, replayed."""

    @abstractmethod
    def exact_path(self, star: Star | None) -> Path:
        """The path in fractions."""

    @abstractmethod
    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        """A number that every c_i y_i w*·x̃_i reaches, as large as is certain; the row nearest."""

    @abstractmethod
    def longest(self) -> Fraction:
        """max ‖c_i x̃_i‖²."""

    @abstractmethod
    def ends(self, star: Star, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        """‖w*‖², ⟨w_0, w*⟩, ‖w_0‖²."""


class Features(Space):
    """Weights of the features, lifted: (w, b), where b stays 0 through the origin."""

    def __init__(self, run: Run):
        super().__init__(run)
        self.table = as_table(run.X)
        self.d = self.table.shape[1]
        self.size = self.work = self.d + 1

    @cached_property
    def start(self) -> Floats:
        start = self.run.start
        if self.run.kernel is None:
            return start
        return np.append(np.asarray(self.table.T @ start[:-1]).ravel(), start[-1])

    def squares(self) -> Floats:
        return squares(self.table) + self.run.intercept

    def star(self, w: Floats) -> Star:
        return Star(w, np.asarray(self.table @ w[:-1]).ravel() + w[-1])

    def lifted(self, rows: Any) -> Floats:
        """x̃_i of some rows, in float64."""
        x = dense(self.table[rows]).astype(np.float64)
        return np.hstack([x, np.full((len(x), 1), float(self.run.intercept))])

    def _steps(self, begin: int, end: int) -> Floats:
        """z_t for some steps, summed as the core sums them."""
        run = self.run
        first, last = run.edges[begin], run.edges[end]
        z = run.steps[first:last, None] * self.lifted(run.rows[first:last])
        if run.order != "batch":
            return z
        parts = np.split(z, run.edges[begin + 1 : end] - first)
        return np.array([np.add.accumulate(p, axis=0)[-1] for p in parts])

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """(t, the weights before the steps t, t + 1, … and after the last of them)."""
        run, w = self.run, self.start + 0.0
        length = max(1, _BLOCK // (self.size * int(run.sizes.max(initial=1))))
        for begin in range(0, run.n_steps, length):
            end = min(begin + length, run.n_steps)
            # One sum after the other: the bits that training had.
            block = np.add.accumulate(np.vstack([w[None], self._steps(begin, end)]), axis=0)
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

    def path(self, star: Star | None) -> Path:
        norms2, products = np.empty(self.run.n_steps + 1), np.empty(self.run.n_steps + 1)
        w = np.zeros(self.size) if star is None else star.w
        norms2[0], products[0] = self.start @ self.start, self.start @ w
        for begin, block in self.blocks():
            part = slice(begin, begin + len(block))
            norms2[part] = np.einsum("ij,ij->i", block, block)
            products[part] = block @ w
        found = None if star is None else products
        return Path(norms2, found, self._scores(), None if star is None else float(w @ w))

    def _scores(self) -> Floats:
        """The score before each update, by the core."""
        run = self.run
        e = Examples(run.X, run.y, run.c)
        if run.order == "batch":
            parts = np.split(run.rows, run.edges[1:-1])
            found = [e.rows.scores(self.at(t))[part] for t, part in enumerate(parts)]
            return np.concatenate(found)
        machine = Primal(e, margin=np.inf, intercept=run.intercept)  # every row calls
        machine.log = Log()
        memory = machine.start(self.start, averaged=False)
        at, order = 0, np.ascontiguousarray(run.rows)
        while at < len(order):
            at, _ = machine.visit(memory, order, at, len(order), len(order), at)
        return machine.log.arrays()[2]

    def exact_path(self, star: Star | None) -> Path:
        needed = np.unique(self.run.rows)
        rows = dict(zip(needed.tolist(), self.lifted(needed), strict=True))
        walker = ExactFeatures(rows, self.run.steps, self.start, None if star is None else star.w)
        return walk(self.run, walker, Fraction)

    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        w = star.w if self.run.intercept else star.w[:-1]
        return least_margin(self.table, self.run.y, self.run.weights, w)

    def longest(self) -> Fraction:
        return longest(self.table, self.run.weights, lifted=self.run.intercept)

    def ends(self, star: Star, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        return dot(star.w, star.w), dot(self.start, star.w), dot(self.start, self.start)


class Kernelled(Space):
    """Functions Σ β_i k(x_i, ·) + b. The kernel values are taken as the numbers they are."""

    def __init__(self, run: Run):
        super().__init__(run)
        assert run.kernel is not None
        self.gram = Gram(run.kernel, run.X, 2**30)
        self.size = self.work = len(run.y) + 1

    @cached_property
    def _squares(self) -> Floats:
        diagonal = (self.gram.row(i)[i] for i in range(len(self.run.y)))
        return np.fromiter(diagonal, dtype=np.float64) + self.run.intercept

    def squares(self) -> Floats:
        return self._squares

    def star(self, w: Floats) -> Star:
        products = np.full(len(self.run.y), float(w[-1]))
        for i in np.flatnonzero(w[:-1]).tolist():
            products += w[i] * self.gram.row(i)
        return Star(w, products)

    def path(self, star: Star | None) -> Path:
        w = None if star is None else star.w
        return walk(self.run, FloatGram(self.gram, self.run, self.squares(), w), float)

    def exact_path(self, star: Star | None) -> Path:
        run = self.run
        used = [run.start[:-1]] if star is None else [run.start[:-1], star.w[:-1]]
        needed = {*run.rows.tolist(), *(i for beta in used for i in np.flatnonzero(beta).tolist())}
        gram = {i: self.gram.row(i) for i in needed}
        walker = ExactGram(gram, run.intercept, run.start, None if star is None else star.w)
        return walk(run, walker, Fraction)

    def least_margin(self, star: Star) -> tuple[Fraction, int]:
        c, present = self.run.weights, self.run.weights > 0
        margins = np.where(present, c * self.run.y * star.products, np.inf)
        sums = np.full(len(c), abs(float(star.w[-1])))
        for i in np.flatnonzero(star.w[:-1]).tolist():
            sums += np.abs(star.w[i] * self.gram.row(i))
        doubt = np.where(present, 2 * self.size * ULP * c * sums, 0)
        row = int(np.argmin(margins - doubt))
        return Fraction(float(margins[row] - doubt[row])), row

    def longest(self) -> Fraction:
        square = self.squares()
        sizes = self.run.weights**2 * square
        near = np.flatnonzero(sizes >= sizes.max() * (1 - 8 * ULP)).tolist()
        return max(Fraction(float(self.run.weights[i])) ** 2 * Fraction(square[i]) for i in near)

    def ends(self, star: Star, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        assert path.products is not None
        return Fraction(path.star2), Fraction(path.products[0]), Fraction(path.norms2[0])
