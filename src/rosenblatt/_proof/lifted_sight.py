"""Lifted rows as the search in floating point sees them.

Each point is seen as in the case of two classes, b_i, and lifted from there: (h_y - h_c)/√2 ⊗ b_i,
where the h_c are the corners of a regular simplex: k vectors of k - 1 numbers whose sum is 0. So no
class is left out, and lengths and angles are those of the weights of all classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof.lifted_rows import LiftedRows
from rosenblatt._proof.metric import Metric, Sight, decision_metric
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.sharp import sharpened
from rosenblatt._proof.whole_numbers import Floats

Index = NDArray[np.intp]


@final
@dataclass(frozen=True)
class LiftedSight:
    """`seen` is how the points are seen, `corners` has a row for each class."""

    points: Rows
    seen: Sight
    corners: Floats

    @classmethod
    def of(cls, rows: LiftedRows, seen: Sight) -> LiftedSight:
        return cls(rows.points, seen, _corners(rows.classes))

    @property
    def unit(self) -> float:
        return self.seen.unit

    def dimensions(self, rows: Rows) -> int:
        return (len(self.corners) - 1) * self.seen.dimensions(self.points)

    def _by_class(self, v: Floats) -> Floats:
        """What belongs to each class, a row each; their sum is 0."""
        return np.asarray(self.corners @ v.reshape(len(self.corners) - 1, -1))

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        if not np.isfinite(v).all():
            return [Fraction(0)] * rows.D
        found = self._by_class(v)
        above = found[:-1] - found[-1]
        return [w for one in above for w in self.seen.exactly(self.points, one)]

    def _differences(self, rows: Rows, index: Index) -> Floats:
        assert isinstance(rows, LiftedRows)
        corners = self.corners[rows.own[index]] - self.corners[rows.rival[index]]
        return np.asarray(corners / np.sqrt(2.0))

    def _points(self, rows: Rows, index: Index) -> Index:
        assert isinstance(rows, LiftedRows)
        return np.asarray(rows.row[index])

    def rows(self, rows: Rows, index: Index) -> Floats:
        b = self.seen.rows(self.points, self._points(rows, index))
        lifted = self._differences(rows, index)[:, :, None] * b[:, None, :]
        return lifted.reshape(len(index), self.dimensions(rows))

    def lengths(self, rows: Rows, index: Index) -> Floats:
        return self.seen.lengths(self.points, self._points(rows, index))

    def blend(self, rows: Rows, index: Index, shares: Floats) -> Floats:
        b = self.seen.rows(self.points, self._points(rows, index))
        return np.asarray((self._differences(rows, index) * shares[:, None]).T @ b).ravel()

    def scores(self, rows: Rows, v: Floats) -> Floats:
        assert isinstance(rows, LiftedRows)
        each = [self.seen.scores(self.points, w) for w in self._by_class(v)]
        return np.asarray(rows.against(np.array(each).T) / np.sqrt(2.0))


def _corners(k: int) -> Floats:
    """Columns of length 1 that are orthogonal to each other and to (1, …, 1): Helmert's matrix."""
    out = np.zeros((k, k - 1))
    for j in range(1, k):
        out[:j, j - 1], out[j, j - 1] = 1.0, -j
        out[:, j - 1] /= np.sqrt(j * (j + 1))
    return out


# --- Rows of either kind -------------------------------------------------------------------------


def metric_of(rows: Rows) -> Metric:
    """How the rows, or the points that are lifted, are scaled to decide about them."""
    return decision_metric(rows.points if isinstance(rows, LiftedRows) else rows)


def looked(rows: Rows, metric: Metric, pool: Index | None = None, rank: int | None = None) -> Sight:
    """How the search sees the rows in the pool (None: all) best; their rank, where it is known."""
    if not isinstance(rows, LiftedRows):
        return sharpened(rows, metric, pool, rank) or metric
    points = None if pool is None else np.unique(rows.row[pool])
    if points is not None and len(points) == rows.points.n:
        points = None
    return LiftedSight.of(rows, sharpened(rows.points, metric, points) or metric)
