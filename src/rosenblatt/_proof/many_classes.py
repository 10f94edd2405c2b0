"""What is particular about many classes on the way to a certificate: rows, names, a conflict."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from rosenblatt._proof.balance import Blend
from rosenblatt._proof.claim import Names
from rosenblatt._proof.findings import visible_conflict
from rosenblatt._proof.lifted_rows import LiftedRows
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.table import Table
from rosenblatt._support.budget import Budget


def rows_of(table: Table, *, intercept: bool, decimal: bool, budget: Budget) -> Rows:
    """The rows to decide about: those that are present; of many classes they are lifted."""
    X, y = table.X, table.y
    if table.present is not None:
        X, y = X[table.present], y[table.present]

    def signed(signs: Any) -> Rows:
        return Rows(X, signs, intercept=intercept, decimal=decimal, budget=budget)

    if len(table.classes) <= 2:
        return signed(y)
    points = signed(np.ones(len(y), dtype=np.int8))
    return LiftedRows.of(points, y.astype(np.intp) - 1, len(table.classes))


def names_of(table: Table, rows: Rows) -> Names:
    if isinstance(rows, LiftedRows):
        return LiftedNames(table.present, rows)
    return Names(table.present)


@final
class LiftedNames(Names):
    """A lifted row by the row, its class and its rival: the number (row·k + class)·k + rival."""

    def __init__(self, present: Any, rows: LiftedRows):
        super().__init__(present)
        self._rows = rows

    def __call__(self, i: int) -> int:
        rows, k = self._rows, self._rows.classes
        return (self.point(i) * k + int(rows.own[i])) * k + int(rows.rival[i])

    def point(self, i: int) -> int:
        return super().__call__(int(self._rows.row[i]))


def conflict_at_sight(rows: Rows) -> Blend | None:
    """Two equal rows of different classes: each is the rival of the other. Or a zero row."""
    if not isinstance(rows, LiftedRows):
        return visible_conflict(rows)
    first = np.searchsorted(rows.row, np.arange(rows.points.n))
    y = rows.own[first]
    points = rows.points
    codes: Any = y
    labelled = Rows(
        points.X, codes, intercept=points.intercept, decimal=points.decimal, budget=points.budget
    )
    found = visible_conflict(labelled)
    if found is None:
        return None
    if len(found) == 1:
        (i,) = found
        return {int(first[i]): 1}
    i, j = found
    return dict.fromkeys(sorted([_lifted(rows, first, i, y[j]), _lifted(rows, first, j, y[i])]), 1)


def _lifted(rows: LiftedRows, first: Any, i: int, rival: int) -> int:
    """The number of row i against a rival."""
    begin = int(first[i])
    return begin + int(np.flatnonzero(rows.rival[begin : begin + rows.classes - 1] == rival)[0])


def sizes_part(table: Table) -> dict[str, Any]:
    """How many rows each of many classes has."""
    if len(table.classes) <= 2:
        return {}
    y = table.y if table.present is None else table.y[table.present]
    return {"sizes": np.bincount(y, minlength=len(table.classes) + 1)[1:].tolist()}
