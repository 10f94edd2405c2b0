"""Many classes in many dimensions: the joint perceptron looks for a separator.

It is the perceptron on lifted rows, so that it is what `by_training` has for two classes: if it
finds one, that is proved, and the rows it stepped on, against the rivals they had, are the blend
that bounds the margin from above.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import sparse

from rosenblatt._compute.matrices import as_matrix
from rosenblatt._learning.pla import pla
from rosenblatt._learning.primal import PrimalState
from rosenblatt._proof.balance import Blend
from rosenblatt._proof.bounds import Bound, lowest, proved
from rosenblatt._proof.facial_reduction import Partition
from rosenblatt._proof.lifted_rows import LiftedRows
from rosenblatt._support.budget import LimitReached
from rosenblatt.errors import WeightsOverflow

_FEWEST, _MOST = 200, 5000  # epochs
_MOST_READ = 5 * 10**8  # numbers for which there are more epochs than the fewest


def train_jointly(partition: Partition, known: Blend | None) -> Bound:
    """Separate the rows if the perceptron can; the margin's bracket comes with it."""
    rows = partition.rows
    assert isinstance(rows, LiftedRows)
    if known is not None:
        partition.conflict = known
        raise LimitReached(_open(rows, "quasi-complete separation or overlap is open"))
    for margin in (_squared_radius(rows), 0.0):
        state = _trained(rows, margin)
        w = _separator(rows, state)
        if (rows.signs(w) > 0).all():
            partition.separator, partition.done = w, True
            return proved(rows, w, lowest(rows, w), _steps(rows, state), free=False)
    raise LimitReached(
        _open(rows, f"{state.epoch} epochs of the joint perceptron did not separate it")
    )


def _squared_radius(rows: LiftedRows) -> float:
    """2R²: with this margin training ends with a third of the largest γ at least."""
    longest = float(np.max(rows.norms(), initial=0.0)) ** 2
    return longest if np.isfinite(longest) else 0.0


def _open(rows: LiftedRows, what: str) -> str:
    return (
        f"{rows.classes} classes in {rows.points.D} dimensions are too many for the exact search, "
        f"and {what}"
    )


def _trained(rows: LiftedRows, margin: float) -> PrimalState:
    points, budget = rows.points, rows.budget
    budget.spend(rows.n)
    affordable = budget.affords(rows.n)
    numbers = int(points.X.nnz) if sparse.issparse(points.X) else int(points.n * points.d)
    epochs = min(max(_MOST_READ // max(numbers * rows.classes, 1), _FEWEST), _MOST)
    if affordable is not None:
        epochs = min(max(affordable - 2, 1), epochs)
    own = rows.own[:: rows.classes - 1].astype(np.int32)
    try:
        state = pla(
            as_matrix(points.X),
            own,
            margin=margin,
            intercept=points.intercept,
            max_iter=epochs,
            classes=rows.classes,
        )
    except WeightsOverflow as error:
        raise LimitReached(_open(rows, f"the perceptron cannot train: {error}")) from None
    budget.spend(rows.n * state.epoch)
    return state


def _separator(rows: LiftedRows, state: PrimalState) -> list[Fraction]:
    """What the weights of each class are above those of the last."""
    each = state.memory.w[:, : rows.points.D].tolist()
    *others, last = ([Fraction(v) for v in one] for one in each)
    return [v - u for one in others for v, u in zip(one, last, strict=True)]


def _steps(rows: LiftedRows, state: PrimalState) -> Blend:
    """How often each row made an update against each rival."""
    often = -state.memory.counts[rows.row, rows.rival]
    return {int(i): int(often[i]) for i in np.flatnonzero(often)}
