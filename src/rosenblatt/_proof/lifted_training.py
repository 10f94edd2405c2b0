"""Many classes in many dimensions: the joint perceptron looks for a separator.

All rows are looked at under the same weights; then those that called for an update are visited one
after the other, and each that still does makes one against its rival, the best of the other
classes. These are updates of the perceptron on lifted rows, so that there are at most 2R²/γ².
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

import numpy as np
from scipy import sparse

from rosenblatt._proof.balance import Blend
from rosenblatt._proof.bounds import Bound, lowest, proved
from rosenblatt._proof.facial_reduction import Partition
from rosenblatt._proof.lifted_rows import Index, LiftedRows
from rosenblatt._proof.whole_numbers import Floats
from rosenblatt._support.budget import LimitReached

_FEWEST, _MOST = 200, 5000  # looks at all rows
_MOST_READ = 5 * 10**8  # numbers for which there are more looks than the fewest
_MOST_VISITS = 10**6  # of rows that call for an update: some ten seconds


def train_jointly(partition: Partition, known: Blend | None) -> Bound:
    """Separate the rows if the perceptron can; the margin's bracket comes with it."""
    rows = partition.rows
    assert isinstance(rows, LiftedRows)
    if known is not None:
        partition.conflict = known
        raise LimitReached(_open(rows, "quasi-complete separation or overlap is open"))
    for margin in (_squared_radius(rows), 0.0):
        joint = _Joint(rows, margin)
        joint.run()
        w = joint.separator()
        if joint.counts and (rows.signs(w) > 0).all():
            partition.separator, partition.done = w, True
            return proved(rows, w, lowest(rows, w), joint.counts, free=False)
    raise LimitReached(_open(rows, f"{joint.looks} looks of the joint perceptron did not separate"))


def _squared_radius(rows: LiftedRows) -> float:
    """2R²: with this margin training ends with a third of the largest γ at least."""
    longest = float(np.max(rows.norms(), initial=0.0)) ** 2
    return longest if np.isfinite(longest) else 0.0


def _open(rows: LiftedRows, what: str) -> str:
    return (
        f"{rows.classes} classes in {rows.points.D} dimensions are too many for the exact search, "
        f"and {what}"
    )


@final
class _Joint:
    def __init__(self, rows: LiftedRows, margin: float):
        self.rows, self.points, self.margin = rows, rows.points, margin
        self.first = np.searchsorted(rows.row, np.arange(rows.points.n))
        self.y = rows.own[self.first]
        self.w = np.zeros((rows.classes, rows.points.d))
        self.b = np.zeros(rows.classes)
        self.counts: Blend = {}
        self.looks = 0

    def run(self) -> None:
        visits = 0
        for _ in range(self._most()):
            calling = self._look()
            visits += len(calling)
            if not len(calling) or visits > _MOST_VISITS or not np.isfinite(self.w).all():
                return
            for i in calling.tolist():
                self._visit(i)

    def _most(self) -> int:
        X = self.points.X
        numbers = int(X.nnz) if sparse.issparse(X) else int(X.shape[0] * X.shape[1])
        most = min(max(_MOST_READ // max(numbers * self.rows.classes, 1), _FEWEST), _MOST)
        affordable = self.points.budget.affords(2 * self.rows.n)
        return most if affordable is None else min(max(affordable - 1, 1), most)

    def _look(self) -> Index:
        """The rows that call for an update under these weights."""
        self.looks += 1
        self.points.budget.spend(self.rows.n)
        found: list[Index] = []
        for begin, end in self.points.chunks():
            scores = np.asarray(self.points.x(begin, end) @ self.w.T) + self.b
            own = self.y[begin:end]
            reached = scores[np.arange(end - begin), own]
            scores[np.arange(end - begin), own] = -np.inf
            found.append(begin + np.flatnonzero(~(reached - scores.max(axis=1) > self.margin)))
        return np.concatenate(found)

    def _visit(self, i: int) -> None:
        x, y = self._row(i), int(self.y[i])
        scores = self.w @ x + self.b
        reached = scores[y]
        scores[y] = -np.inf
        rival = int(np.argmax(scores))
        if reached - scores[rival] > self.margin:
            return
        self.w[y] += x
        self.w[rival] -= x
        if self.points.intercept:
            self.b[y] += 1.0
            self.b[rival] -= 1.0
        place = int(self.first[i]) + rival - (rival > y)
        self.counts[place] = self.counts.get(place, 0) + 1

    def _row(self, i: int) -> Floats:
        return np.asarray(self.points.dense([i])[0])

    def separator(self) -> list[Fraction]:
        """What the weights of each class are above those of the last."""
        if not np.isfinite(self.w).all():
            return [Fraction(0)] * self.rows.D
        each = np.hstack([self.w, self.b[:, None]]) if self.points.intercept else self.w
        *others, last = ([Fraction(v) for v in one] for one in each.tolist())
        return [v - u for one in others for v, u in zip(one, last, strict=True)]
