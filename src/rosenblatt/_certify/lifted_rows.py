"""Many classes as one problem of rows through the origin: a row beats each class but its own.

There are weights w_c for each class c. Row i of class y is right against its rival c if
(w_y - w_c)·x̃_i > 0, with x̃ = (x, 1), or x through the origin. Nothing changes if a vector is added
to the weights of all classes, so that those of the last class are 0, and the others are what they
are above it: (k - 1) D numbers. The lifted row (i, c) has x̃_i in the block of y, -x̃_i in that of c,
and none in that of the last class.

No lifted row is kept: it is a row, its class and its rival, and is made when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify
from rosenblatt._certify.rows import Floats, Index, Ints, Names, Rows, Vector, View


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
    """Rows against their rivals, as the search and the proof read rows: none is signed, and none
    has a 1."""

    X: LiftedMatrix
    classes: int

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
        rival = np.tile(np.arange(classes), points.n)
        row = np.repeat(np.arange(points.n), classes)
        own = y[row]
        kept = rival != own
        return cls(points, row[kept], own[kept], rival[kept], classes)

    # --- Floating point ---

    def by_class(self, w: Floats) -> Floats:
        blocks = w.reshape(self.classes - 1, self.points.D)
        return np.vstack([blocks, np.zeros((1, self.points.D))])

    def against(self, scores: Floats) -> Floats:
        return np.asarray(scores[self.row, self.own] - scores[self.row, self.rival])

    def scores(self, w: Floats, b: float) -> Floats:
        points, weights = self.points, self.by_class(w)
        self.budget.spend(self.n)
        out = np.empty((points.n, self.classes))
        for begin, end in points.chunks():
            out[begin:end] = points.x(begin, end) @ weights[:, : points.d].T
        if points.intercept:
            out += weights[:, -1]
        return self.against(out)

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

    def part(self, index: Index) -> LiftedRows:
        used, row = np.unique(self.row[index], return_inverse=True)
        points = self.points if len(used) == self.points.n else self.points.part(used)
        return LiftedRows(points, row, self.own[index], self.rival[index], self.classes)

    def names(self, present: Index | None) -> Names:
        return LiftedNames(present, self)

    def size(self) -> str:
        return f"{self.classes} classes in {self.points.D} dimensions"

    # --- A conflict of points ---

    def labelled(self) -> Rows:
        return self.points.like(self.points.X, self.own[self._first])

    @cached_property
    def _first(self) -> Index:
        return np.searchsorted(self.row, np.arange(self.points.n))

    def conflict_of(self, points: dict[int, int]) -> dict[int, int]:
        if len(points) == 1:
            (i,) = points
            return {int(self._first[i]): 1}
        i, j = points
        y = self.own[self._first]
        return dict.fromkeys(sorted([self._against(i, y[j]), self._against(j, y[i])]), 1)

    def _against(self, point: int, rival: int) -> int:
        begin = int(self._first[point])
        rivals = self.rival[begin : begin + self.classes - 1]
        return begin + int(np.flatnonzero(rivals == rival)[0])

    # --- The joint perceptron is the perceptron on lifted rows ---

    def labels(self) -> NDArray[Any]:
        return self.own[:: self.classes - 1].astype(np.int32)

    def squared_radius(self) -> float:
        longest = float(np.max(self.norms(), initial=0.0)) ** 2
        return longest if np.isfinite(longest) else 0.0

    def learned(self, w: Floats) -> list[Fraction]:
        *others, last = ([Fraction(v) for v in one] for one in w[:, : self.points.D].tolist())
        return [v - u for one in others for v, u in zip(one, last, strict=True)]

    def updates(self, counts: Ints) -> dict[int, int]:
        return super().updates(-counts[self.row, self.rival])

    # --- Lengths are those of the weights of all classes together ---
    #
    # A lifted row has no block of the last class: there it would have minus the sum of its other
    # blocks. Weights have none either, and of all that make the same difference the shortest
    # count: those whose mean over the classes is 0.

    def spread(self, vectors: list[Vector]) -> list[Vector]:
        return [[*vector, *(-v for v in self._summed(vector))] for vector in vectors]

    def weights_of(self, blend: list[Fraction]) -> list[Fraction]:
        total = self._summed(blend)
        return [v + total[j % self.points.D] for j, v in enumerate(blend)]

    def weights_square(self, w: Sequence[Fraction]) -> Fraction:
        return verify.length2(w) - verify.length2(self._summed(w)) / self.classes

    def blend_square(self, blend: Sequence[Fraction]) -> Fraction:
        return verify.length2(blend) + verify.length2(self._summed(blend))

    def _summed(self, blocks: Sequence[Any]) -> list[Any]:
        return [sum(blocks[j :: self.points.D]) for j in range(self.points.D)]

    # --- What the search and residues need of the points ---

    def points_among(self, index: Index | None) -> Index | None:
        points = None if index is None else np.unique(self.row[index])
        return None if points is None or len(points) == self.points.n else points

    def lift(self, view: View) -> View:
        return LiftedView(self, view, _corners(self.classes))

    def times(self, normals: Ints, index: Any, prime: int) -> Ints:
        used, row = np.unique(self.row[index], return_inverse=True)
        D, many = self.points.D, normals.shape[1]
        blocks = normals.reshape(self.classes - 1, D, many).transpose(1, 0, 2).reshape(D, -1)
        products = self.points.times(np.ascontiguousarray(blocks), used, prime)
        scores = np.zeros((len(used), self.classes, many), dtype=np.int64)
        scores[:, :-1] = products.reshape(len(used), self.classes - 1, many)
        return np.asarray((scores[row, self.own[index]] - scores[row, self.rival[index]]) % prime)


@final
class LiftedNames(Names):
    """A lifted row by the row, its class and its rival: the number (row·k + class)·k + rival."""

    def __init__(self, present: Index | None, rows: LiftedRows):
        super().__init__(present)
        self._rows = rows

    def __call__(self, i: int) -> int:
        rows, k = self._rows, self._rows.classes
        return (self.point(i) * k + int(rows.own[i])) * k + int(rows.rival[i])

    def point(self, i: int) -> int:
        return super().__call__(int(self._rows.row[i]))


@final
@dataclass(frozen=True)
class LiftedView:
    """Lifted rows as the search sees them: (h_y - h_c)/√2 ⊗ b_i, of points that it sees as b_i.

    The h_c are the corners of a regular simplex, k vectors of k - 1 numbers whose sum is 0: a row
    for each class of `corners`. So no class is left out, and lengths and angles are those of the
    weights of all classes.
    """

    lifted: LiftedRows
    of_points: View
    corners: Floats

    @property
    def unit(self) -> float:
        return self.of_points.unit

    def dimensions(self, rows: Rows) -> int:
        return (len(self.corners) - 1) * self.of_points.dimensions(self.lifted.points)

    def _by_class(self, v: Floats) -> Floats:
        return np.asarray(self.corners @ v.reshape(len(self.corners) - 1, -1))

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        if not np.isfinite(v).all():
            return [Fraction(0)] * rows.D
        by_class = self._by_class(v)
        above = by_class[:-1] - by_class[-1]
        return [w for one in above for w in self.of_points.exactly(self.lifted.points, one)]

    def _differences(self, index: Index) -> Floats:
        corners = self.corners[self.lifted.own[index]] - self.corners[self.lifted.rival[index]]
        return np.asarray(corners / np.sqrt(2.0))

    def rows(self, rows: Rows, index: Index) -> Floats:
        b = self.of_points.rows(self.lifted.points, self.lifted.row[index])
        lifted = self._differences(index)[:, :, None] * b[:, None, :]
        return lifted.reshape(len(index), self.dimensions(rows))

    def lengths(self, rows: Rows, index: Index) -> Floats:
        return self.of_points.lengths(self.lifted.points, self.lifted.row[index])

    def blend(self, rows: Rows, index: Index, shares: Floats) -> Floats:
        b = self.of_points.rows(self.lifted.points, self.lifted.row[index])
        return np.asarray((self._differences(index) * shares[:, None]).T @ b).ravel()

    def scores(self, rows: Rows, v: Floats) -> Floats:
        each = [self.of_points.scores(self.lifted.points, w) for w in self._by_class(v)]
        return np.asarray(self.lifted.against(np.array(each).T) / np.sqrt(2.0))


def _corners(k: int) -> Floats:
    """Columns of length 1 that are orthogonal to each other and to (1, …, 1): Helmert's matrix."""
    out = np.zeros((k, k - 1))
    for j in range(1, k):
        out[:j, j - 1], out[j, j - 1] = 1.0, -j
        out[:, j - 1] /= np.sqrt(j * (j + 1))
    return out
