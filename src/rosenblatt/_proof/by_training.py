"""Many dimensions: the perceptron itself looks for a separator, since the search would not fit.

If it finds one, that is proved like any other; and the rows it stepped on, each as often as it did,
are the blend that bounds the margin from above. If not, the question stays open.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt._proof.balance import Blend
from rosenblatt._proof.bounds import Bound, lowest, proved
from rosenblatt._proof.facial_reduction import Partition
from rosenblatt._proof.rows import Rows
from rosenblatt._support.budget import LimitReached
from rosenblatt.errors import InputError, WeightsOverflow
from rosenblatt.perceptron import Perceptron

_MOST_DIMENSIONS = 2000  # of the space that the rows span
_MOST_NUMBERS = 5 * 10**7  # in rows that are fewer than their columns
_EPOCHS = 200


def is_wide(rows: Rows) -> bool:
    n, size = int(rows.n), int(rows.D)
    if n < size:
        return n > _MOST_DIMENSIONS or (size > _MOST_DIMENSIONS and n * size > _MOST_NUMBERS)
    return size > _MOST_DIMENSIONS


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
        perceptron, w = _trained(rows, margin)
        if (rows.signs(w) > 0).all():
            partition.separator, partition.done = w, True
            counts = perceptron.update_counts_
            weights = {int(i): int(counts[i]) for i in np.flatnonzero(counts)}
            return proved(rows, w, lowest(rows, w), weights, free=False)
    raise LimitReached(
        _open(rows, f"{perceptron.n_iter_} epochs of the perceptron did not separate it")
    )


def _squared_radius(rows: Rows) -> float:
    """R². Training with this margin μ ends after (R² + 2μ)/γ² updates at most, three times as many
    as without, and then with a third of the largest γ at least: μ/‖w‖ >= μγ/(R² + 2μ)."""
    squares = rows.X.multiply(rows.X) if sparse.issparse(rows.X) else np.square(rows.X)
    longest = float(np.max(np.asarray(squares.sum(axis=1)), initial=0.0)) + rows.intercept
    return longest if np.isfinite(longest) else 0.0


def _trained(rows: Rows, margin: float) -> tuple[Perceptron, list[Fraction]]:
    rows.budget.spend(rows.n)
    affordable = rows.budget.affords(rows.n)
    perceptron = Perceptron(
        order="cyclic",
        keep="last",
        margin=margin,
        fit_intercept=rows.intercept,
        max_iter=_EPOCHS if affordable is None else min(max(affordable - 2, 1), _EPOCHS),
        patience=None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            perceptron.fit(rows.X, rows.y)
        except (InputError, WeightsOverflow) as error:  # one class only; numbers too large
            raise LimitReached(_open(rows, f"the perceptron cannot train: {error}")) from None
    rows.budget.spend(rows.n * perceptron.n_iter_)
    w = [Fraction(v) for v in perceptron.coef_[0].tolist()]
    return perceptron, w + [Fraction(float(perceptron.intercept_[0]))] * rows.intercept


def _open(rows: Rows, what: str) -> str:
    return f"{rows.n} rows in {rows.D} dimensions are too many for the exact search, and {what}"
