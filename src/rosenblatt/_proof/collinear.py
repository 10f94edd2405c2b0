"""Columns that are combinations of others: found modulo a prime, proved in whole numbers.

Such a column says nothing new: its coefficient can be 0, and is taken to be, as software for
logistic regression does. What the other coefficients do is then the question of separation alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._proof.integer_algebra import Singular, System, reduce
from rosenblatt._proof.residues import orthogonal, spanning_rows
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Vector

_MOST_COLUMNS = 500  # beyond that it would take longer than the verdict


@dataclass(frozen=True)
class Collinear:
    """vector·(x_i, 1) = 0 for every row, and the vector is 0 in all other columns left out."""

    column: int  # the one that is left out
    vector: Vector  # positive in that column


def collinear_columns(rows: Rows) -> list[Collinear]:
    """Columns without which no other is a combination of the rest; none where there are fewer rows
    than coefficients, since then almost all would be."""
    if min(rows.n, _MOST_COLUMNS) < rows.D:
        return []
    index, kept = spanning_rows(rows, np.arange(rows.n), order=_rare_first(rows))
    left_out = sorted(set(range(rows.D)) - set(kept))
    if not left_out:
        return []
    rows.budget.spend_on_algebra(len(index))
    whole, scale = rows.whole(index)
    try:
        system = System([[row[j] for j in kept] for row in whole])
    except Singular:
        return []
    found = [_combination(system, whole, scale, kept, j, rows) for j in left_out]
    if orthogonal(rows, [c.vector for c in found]).all():
        return found
    return [c for c in found if orthogonal(rows, [c.vector]).all()]  # a prime misled us


def _combination(
    system: System, whole: list[Vector], scale: Vector, kept: list[int], j: int, rows: Rows
) -> Collinear:
    """Column j as a combination of those kept."""
    solution, factor = system.solve([-row[j] for row in whole], rows.budget.check_interrupt)
    vector = [0] * rows.D
    for k, v in zip([*kept, j], [*solution, factor], strict=True):
        vector[k] = v * scale[k]
    return Collinear(j, reduce(vector))


def _rare_first(rows: Rows) -> NDArray[np.intp]:
    """The intercept, then columns with few numbers that are not 0: of the 0/1 columns for the words
    of a table that of the most frequent one is left out, as if it were the reference level."""
    if sparse.issparse(rows.X):
        count = np.bincount(rows.X.indices[rows.X.data != 0], minlength=rows.d)
    else:
        count = np.count_nonzero(rows.X, axis=0)
    order = np.argsort(count, kind="stable")
    return np.append(rows.d, order) if rows.intercept else order


def functional(rows: Rows, collinear: list[Collinear], j: int) -> list[Fraction]:
    """What gives, for any weights, the j-th one of those weights with the same scores that are 0
    in the columns left out."""
    out = [Fraction(int(k == j)) for k in range(rows.D)]
    for c in collinear:
        out[c.column] -= Fraction(c.vector[j], c.vector[c.column])
    return out
