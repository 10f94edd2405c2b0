"""Many dimensions, where the search would not fit: what decides there, the quickest first.

Fewer rows than dimensions are mostly separable, by least squares. In sparse tables most rows have
columns of their own, and a linear programme guesses the rest. Else the perceptron itself looks for
a separator. If it finds one, that is proved like any other; and the rows it stepped on, each as
often as it did, are the blend that bounds the margin from above. If not, rows that are not too wide
are searched once: where the first conflict spans the space they overlap. Else the question stays
open.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt._certify.balance import Blend
from rosenblatt._certify.chance import overlap
from rosenblatt._certify.conditioning import Metric, even_metric
from rosenblatt._certify.facial_reduction import ONLY_SEPARABLE, TOO_MANY, Partition
from rosenblatt._certify.margins import Bound, lowest, proved
from rosenblatt._certify.one_sided import one_sided
from rosenblatt._certify.rows import Names, Rows
from rosenblatt._certify.sparse_core import a_conflict, split
from rosenblatt._certify.squared_hinge import Fit, fit
from rosenblatt._core.cyclic import Trained, train_cyclic
from rosenblatt._core.rows import Examples, as_matrix
from rosenblatt._util.budget import LimitReached
from rosenblatt._util.spelling import option
from rosenblatt.errors import WeightsOverflowError

_MOST_DIMENSIONS = 2000  # of the space that the rows span
_MOST_SEARCHED = 3000  # dimensions in which one exact solution takes minutes, and not hours
_MOST_NUMBERS = 5 * 10**7  # in rows that are fewer than their columns
_FEW_ROWS, _MOST_DENSE = 300, 7 * 10**7  # rows; numbers of them, or of their products
_EPOCHS, _MOST_EPOCHS = 200, 5000
_MOST_READ = 5 * 10**8  # numbers for which there are more epochs than the fewest: a second or two


def is_wide(rows: Rows) -> bool:
    n, size = int(rows.n), int(rows.D)
    if n < size:
        return n > _MOST_DIMENSIONS or (size > _MOST_DIMENSIONS and n * size > _MOST_NUMBERS)
    return size > _MOST_DIMENSIONS


def decide(
    partition: Partition, known: Blend | None, name: Names, about: dict[str, Any]
) -> Bound | None:
    """A bracket of the margin, where one came with the separator. `about` begins the document."""
    rows = partition.rows
    partition.conflict = known
    if known is not None and partition.first_conflict:
        raise LimitReached(ONLY_SEPARABLE)
    if sparse.issparse(rows.X) and not _is_one_class(rows):
        try:
            _by_columns(partition)
            return None
        except LimitReached:
            if known is not None:  # which training has nothing to say about
                raise
    elif (fitted := _squared_hinge(rows)) is not None:
        view, hinge = fitted
        if (bound := _separated(partition, view, hinge)) is not None:
            return bound
        if not partition.first_conflict:  # it would not be proved that there is one
            partition.chance = overlap(rows, view, hinge, name, about)
        if partition.chance is not None:
            return None
    return _by_training(partition, known)


def has_few_rows(rows: Rows) -> bool:
    """Fewer than columns, and so many that the search takes longer than least squares."""
    return _FEW_ROWS < rows.n <= rows.D and not sparse.issparse(rows.X)


def by_squared_hinge(partition: Partition) -> Bound | None:
    """A separator from which no row is far; None: floating point sees none."""
    fitted = _squared_hinge(partition.rows)
    return None if fitted is None else _separated(partition, *fitted)


def _squared_hinge(rows: Rows) -> tuple[Metric, Fit] | None:
    if max(min(rows.n, rows.D) ** 2, rows.n * rows.D) > _MOST_DENSE or rows.classes is not None:
        return None
    view = even_metric(rows)
    hinge = fit(rows, view)
    return None if hinge is None else (view, hinge)


def _separated(partition: Partition, view: Metric, hinge: Fit) -> Bound | None:
    rows = partition.rows
    if not hinge.scores.min() > 0:
        return None
    exact = view.exactly(rows, hinge.direction)
    few_digits = np.array([float(v) for v in exact], dtype=np.float32).astype(np.float64)
    for w in ([Fraction(v) for v in few_digits.tolist() if np.isfinite(v)], exact):
        if len(w) == rows.D and (rows.signs(w) > 0).all():
            partition.separator, partition.done = w, True
            shares = hinge.blend * view.lengths(rows, np.arange(rows.n))
            whole = np.round(shares * (2.0**30 / shares.max())).astype(np.int64)
            blend = {i: int(whole[i]) for i in np.flatnonzero(whole).tolist()}
            return proved(rows, w, lowest(rows, w), blend, free=False)
    return None


def _by_columns(partition: Partition) -> None:
    """One-sided columns, and a linear programme for the rows that they leave."""
    rows = partition.rows
    sided = one_sided(rows)
    w, strict = [Fraction(0)] * rows.D, ~sided.alive
    if sided.alive.any():
        index = np.flatnonzero(sided.alive)
        x = rows.X[index]
        columns = np.unique(x.indices)
        core = split(rows.like(x[:, columns], rows.y[index]))
        places = [*columns.tolist(), *([rows.d] if rows.intercept else [])]
        for j, v in zip(places, core.separator, strict=True):
            w[j] = v
        strict[index[core.strict]] = True
        partition.balance = {int(index[i]): v for i, v in core.balance.items()}
    if strict.any():
        w = sided.separator(rows, w)
        signs = rows.signs(w, only=strict)
        if not (signs[strict] > 0).all():
            raise LimitReached("the weights of one-sided columns are beyond floating point")
        partition.separator = w
    if partition.balance and partition.conflict is None:
        partition.conflict = a_conflict(rows, partition.balance)
    partition.alive, partition.done = strict, True


def _by_training(partition: Partition, known: Blend | None) -> Bound | None:
    """By training; where that finds no separator, by one guess and its proof if there is time.

    They take one exact solution: minutes. The margin's bracket comes with training.
    """
    rows = partition.rows
    try:
        return train(partition, known)
    except LimitReached as reached:
        if rows.classes is not None or not int(rows.n) > int(rows.D) <= _MOST_SEARCHED:
            raise
        if not rows.budget.timed:
            raise LimitReached(
                f"{reached}; with a {option('time_limit')} of minutes one guess is tried"
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
    rows = partition.rows
    if known is not None:
        partition.conflict = known
        raise LimitReached(_open(rows, "quasi-complete separation or overlap is open"))
    if _is_one_class(rows):
        partition.separator = [Fraction(0)] * rows.d + [Fraction(int(rows.y[0]))]
        partition.done = True
        return proved(rows, partition.separator, Fraction(1), {0: 1}, free=False)
    # Training with the margin μ = R² ends after (R² + 2μ)/γ² updates at most, three times as many
    # as without, and then with a third of the largest γ at least: μ/‖w‖ >= μγ/(R² + 2μ).
    for margin in (rows.squared_radius(), 0.0):
        trained = _trained(rows, margin)
        w = rows.learned(trained.w)
        if (rows.signs(w) > 0).all():
            partition.separator, partition.done = w, True
            return proved(rows, w, lowest(rows, w), rows.updates(trained.counts), free=False)
    algorithm = "perceptron" if rows.classes is None else "joint perceptron"
    what = f"{trained.epochs} epochs of the {algorithm} did not separate it"
    raise LimitReached(_open(rows, what))


def _is_one_class(rows: Rows) -> bool:
    return bool(rows.intercept and (rows.y == rows.y[0]).all())


def _trained(rows: Rows, margin: float) -> Trained:
    points, k = rows.points, rows.classes
    rows.budget.spend(rows.n)
    affordable = rows.budget.affords(rows.n)
    numbers = int(points.X.nnz) if sparse.issparse(points.X) else int(points.n * points.d)
    # More epochs where rows are short: they are soon made, and wide rows are often separable.
    epochs = min(max(_MOST_READ // max(numbers * (k or 1), 1), _EPOCHS), _MOST_EPOCHS)
    if affordable is not None:
        epochs = min(max(affordable - 2, 1), epochs)
    examples = Examples(as_matrix(points.X), rows.labels(), None, k)
    try:
        trained = train_cyclic(
            examples, margin=margin, intercept=points.intercept, max_epochs=epochs
        )
    except WeightsOverflowError as error:
        raise LimitReached(_open(rows, f"the perceptron cannot train: {error}")) from None
    rows.budget.spend(rows.n * trained.epochs)
    return trained


def _open(rows: Rows, what: str) -> str:
    return f"{rows.size()} are too many for the exact search, and {what}"
