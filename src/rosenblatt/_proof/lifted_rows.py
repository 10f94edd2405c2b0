"""Many classes as one problem of rows through the origin: a row beats each class but its own.

There are weights w_c for each class c. Row i of class y is right against its rival c if
(w_y - w_c)·x̃_i > 0, with x̃ = (x, 1), or x through the origin. Nothing changes if a vector is added
to the weights of all classes, so that those of the last class are 0, and the others are what they
are above it: (k - 1) D numbers. The lifted row (i, c) has x̃_i in the block of y, -x̃_i in that of c,
and none in that of the last class.

No lifted row is kept: it is a row, its class and its rival, and is made when it is read.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Floats

Index = NDArray[np.intp]


@final
class LiftedMatrix:
    """As an array of the lifted rows would be read: by rows, or some columns of them."""

    def __init__(self, points: Rows, row: Index, own: Index, rival: Index, classes: int):
        self.points, self.row, self.own, self.rival = points, row, own, rival
        self.blocks = classes - 1
        self.shape = (len(row), self.blocks * points.D)
        self.dtype = np.dtype(np.float64)

    def __getitem__(self, index: Any) -> Floats:
        if isinstance(index, tuple):
            some, columns = index
            return self._made(some, np.asarray(columns, dtype=np.intp))
        if isinstance(index, (int, np.integer)):
            return np.asarray(self._made([index], None)[0])
        return self._made(index, None)

    def _made(self, index: Any, columns: Index | None) -> Floats:
        row, own, rival = self.row[index], self.own[index], self.rival[index]
        points, D = self.points, self.points.D
        x = points.dense(row)
        if points.intercept:
            x = np.hstack([x, np.ones((len(x), 1))])
        if columns is not None:
            block, place = columns // D, columns % D
            share = (own[:, None] == block).astype(np.float64) - (rival[:, None] == block)
            return np.asarray(share * x[:, place])
        out = np.zeros((len(row), self.blocks, D))
        for block, sign in ((own, 1.0), (rival, -1.0)):
            there = np.flatnonzero(block < self.blocks)
            out[there, block[there]] = sign * x[there]
        return out.reshape(len(row), self.shape[1])


@final
class LiftedRows(Rows):
    """Lifted rows, as the search and the proof read rows; none is signed, and none has a 1."""

    X: LiftedMatrix

    def __init__(self, points: Rows, row: Index, own: Index, rival: Index, classes: int):
        """`points` are the rows themselves, all with the sign +1."""
        matrix = LiftedMatrix(points, row, own, rival, classes)
        ones = np.ones(len(row), dtype=np.int8)
        super().__init__(
            matrix, ones, intercept=False, decimal=points.decimal, budget=points.budget
        )
        self.points, self.row, self.own, self.rival = points, row, own, rival
        self.classes = classes
        self.rounding = points.rounding  # a score is the difference of two of the points'

    @classmethod
    def of(cls, points: Rows, y: Index, classes: int) -> LiftedRows:
        """Every row against each class but its own, in order."""
        rival = np.tile(np.arange(classes), points.n)
        row = np.repeat(np.arange(points.n), classes)
        own = y[row]
        kept = rival != own
        return cls(points, row[kept], own[kept], rival[kept], classes)

    # --- Floating point ---

    def by_class(self, w: Floats) -> Floats:
        """Weights of each class, a row each; those of the last are 0."""
        blocks = w.reshape(self.classes - 1, self.points.D)
        return np.vstack([blocks, np.zeros((1, self.points.D))])

    def against(self, scores: Floats) -> Floats:
        """How far each row is above its rival, from the scores of all classes on the points."""
        return np.asarray(scores[self.row, self.own] - scores[self.row, self.rival])

    def scores(self, w: Floats, b: float) -> Floats:
        points, weights = self.points, self.by_class(w)
        self.budget.spend(self.n)
        found = np.empty((points.n, self.classes))
        for begin, end in points.chunks():
            found[begin:end] = points.x(begin, end) @ weights[:, : points.d].T
        if points.intercept:
            found += weights[:, -1]
        return self.against(found)

    def norms(self) -> Floats:
        """‖x̃‖ √2, as it is where no class is left out: never too small."""
        if self._norms is None:
            length = np.hypot(self.points.norms(), float(self.points.intercept))
            self._norms = np.sqrt(2.0) * length[self.row]
        return self._norms

    # --- Exactly ---

    def square(self, i: int) -> tuple[int, int]:
        above, below = self.points.square(int(self.row[i]))
        return 2 * above, below

    def blend(self, weights: dict[int, int]) -> list[Fraction]:
        """In the block of a class: the rows of it, less those that have it for a rival."""
        shares: list[dict[int, int]] = [{} for _ in range(self.classes)]
        for i, weight in weights.items():
            row = int(self.row[i])
            for block, share in ((int(self.own[i]), weight), (int(self.rival[i]), -weight)):
                shares[block][row] = shares[block].get(row, 0) + share
        zero = [Fraction(0)] * self.points.D
        blocks = (self.points.blend(share) if share else zero for share in shares[:-1])
        return [v for block in blocks for v in block]

    def part(self, index: NDArray[np.intp]) -> LiftedRows:
        used, row = np.unique(self.row[index], return_inverse=True)
        points = self.points if len(used) == self.points.n else self.points.part(used)
        return LiftedRows(points, row, self.own[index], self.rival[index], self.classes)
