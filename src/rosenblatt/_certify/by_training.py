"""Many dimensions: the perceptron itself looks for a separator, since the search would not fit.

If it finds one, that is proved like any other; and the rows it stepped on, each as often as it did,
are the blend that bounds the margin from above. If not, rows that are not too wide are searched
once: where the first conflict spans the space they overlap. Else the question stays open.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import sparse

from rosenblatt._certify.balance import Blend
from rosenblatt._certify.facial_reduction import TOO_MANY, Partition
from rosenblatt._certify.margins import Bound, lowest, proved
from rosenblatt._certify.rows import LiftedRows, Rows
from rosenblatt._core.rows import as_matrix
from rosenblatt._training.learner import PrimalState
from rosenblatt._training.pla import pla
from rosenblatt._util.budget import LimitReached
from rosenblatt.errors import WeightsOverflow

_MOST_DIMENSIONS = 2000  # of the space that the rows span
_MOST_SEARCHED = 3000  # dimensions in which one exact solution takes minutes, and not hours
_MOST_NUMBERS = 5 * 10**7  # in rows that are fewer than their columns
_EPOCHS, _MOST_EPOCHS = 200, 5000
_MOST_READ = 5 * 10**8  # numbers for which there are more epochs than the fewest: a second or two


def is_wide(rows: Rows) -> bool:
    n, size = int(rows.n), int(rows.D)
    if n < size:
        return n > _MOST_DIMENSIONS or (size > _MOST_DIMENSIONS and n * size > _MOST_NUMBERS)
    return size > _MOST_DIMENSIONS


def decide(partition: Partition, known: Blend | None) -> Bound | None:
    """By training; where that finds no separator, by one guess and its proof if there is time.

    They take one exact solution: minutes. The margin's bracket comes with training.
    """
    rows = partition.rows
    try:
        return train(partition, known)
    except LimitReached as reached:
        if not int(rows.n) > int(rows.D) <= _MOST_SEARCHED:
            raise
        if not rows.budget.timed:
            raise LimitReached(
                f"{reached}; with a time_limit of minutes one guess is tried"
            ) from None
    partition.only_guess = True
    try:
        partition.run(known)
    except LimitReached as reached:
        if str(reached) != TOO_MANY:
            raise
        what = "whether they are separable is open"
        if partition.conflict is not None:
            what = "quasi-complete separation or overlap is open"
        raise LimitReached(_open(rows, what)) from None
    return None


def train(partition: Partition, known: Blend | None) -> Bound | None:
    """Separate the rows if the perceptron can; the margin's bracket comes with it."""
    rows = partition.rows
    if known is not None:
        partition.conflict = known
        raise LimitReached(_open(rows, "quasi-complete separation or overlap is open"))
    if (rows.y == rows.y[0]).all() and rows.intercept:
        partition.separator = [Fraction(0)] * rows.d + [Fraction(int(rows.y[0]))]
        partition.done = True
        return proved(rows, partition.separator, Fraction(1), {0: 1}, free=False)
    for margin in (_squared_radius(rows), 0.0):
        state, w = _trained(rows, margin)
        if (rows.signs(w) > 0).all():
            partition.separator, partition.done = w, True
            counts = state.memory.counts
            weights = {int(i): int(counts[i]) for i in np.flatnonzero(counts)}
            return proved(rows, w, lowest(rows, w), weights, free=False)
    raise LimitReached(_open(rows, f"{state.epoch} epochs of the perceptron did not separate it"))


def _squared_radius(rows: Rows) -> float:
    """R². Training with this margin μ ends after (R² + 2μ)/γ² updates at most, three times as many
    as without, and then with a third of the largest γ at least: μ/‖w‖ >= μγ/(R² + 2μ)."""
    squares = rows.X.multiply(rows.X) if sparse.issparse(rows.X) else np.square(rows.X)
    longest = float(np.max(np.asarray(squares.sum(axis=1)), initial=0.0)) + rows.intercept
    return longest if np.isfinite(longest) else 0.0


def _trained(rows: Rows, margin: float) -> tuple[PrimalState, list[Fraction]]:
    rows.budget.spend(rows.n)
    affordable = rows.budget.affords(rows.n)
    epochs = _epochs(rows)
    if affordable is not None:
        epochs = min(max(affordable - 2, 1), epochs)
    try:
        state = pla(
            as_matrix(rows.X),
            rows.y.astype(np.int8),
            margin=margin,
            intercept=rows.intercept,
            max_iter=epochs,
        )
    except WeightsOverflow as error:
        raise LimitReached(_open(rows, f"the perceptron cannot train: {error}")) from None
    rows.budget.spend(rows.n * state.epoch)
    return state, [Fraction(v) for v in state.memory.w[: rows.D].tolist()]


def _epochs(rows: Rows) -> int:
    """More where rows are short: then they are soon made, and wide rows are often separable."""
    numbers = int(rows.X.nnz) if sparse.issparse(rows.X) else int(rows.n * rows.d)
    return min(max(_MOST_READ // max(numbers, 1), _EPOCHS), _MOST_EPOCHS)


def _open(rows: Rows, what: str) -> str:
    return f"{rows.n} rows in {rows.D} dimensions are too many for the exact search, and {what}"


# Many classes in many dimensions: the joint perceptron looks for a separator.
#
# It is the perceptron on lifted rows, so that it is what `by_training` has for two classes: if it
# finds one, that is proved, and the rows it stepped on, against the rivals they had, are the
# blend
# that bounds the margin from above.


_FEWEST, _MOST = 200, 5000  # epochs


def train_jointly(partition: Partition, known: Blend | None) -> Bound:
    """Separate the rows if the perceptron can; the margin's bracket comes with it."""
    rows = partition.rows
    assert isinstance(rows, LiftedRows)
    if known is not None:
        partition.conflict = known
        raise LimitReached(_jointly_open(rows, "quasi-complete separation or overlap is open"))
    for margin in (_joint_margin(rows), 0.0):
        state = _trained_jointly(rows, margin)
        w = _separator(rows, state)
        if (rows.signs(w) > 0).all():
            partition.separator, partition.done = w, True
            return proved(rows, w, lowest(rows, w), _steps(rows, state), free=False)
    raise LimitReached(
        _jointly_open(rows, f"{state.epoch} epochs of the joint perceptron did not separate it")
    )


def _joint_margin(rows: LiftedRows) -> float:
    """2R²: with this margin training ends with a third of the largest γ at least."""
    longest = float(np.max(rows.norms(), initial=0.0)) ** 2
    return longest if np.isfinite(longest) else 0.0


def _jointly_open(rows: LiftedRows, what: str) -> str:
    return (
        f"{rows.classes} classes in {rows.points.D} dimensions are too many for the exact search, "
        f"and {what}"
    )


def _trained_jointly(rows: LiftedRows, margin: float) -> PrimalState:
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
        raise LimitReached(_jointly_open(rows, f"the perceptron cannot train: {error}")) from None
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
