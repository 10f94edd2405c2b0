"""What is particular about many classes on the way to a certificate: rows, names, a conflict."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from rosenblatt._certify.balance import Blend
from rosenblatt._certify.diagnostics import visible_conflict
from rosenblatt._certify.document import Names
from rosenblatt._certify.rows import LiftedRows, Rows
from rosenblatt._certify.table import Table
from rosenblatt._util.budget import Budget
from rosenblatt._util.text import row_number

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate, Margin


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


# A certificate for each pair of classes, shown as a table.


Pair = tuple[str, str]


@final
class PairCertificates(Mapping[Pair, "Certificate"]):
    """By the two labels, as text: what `certify` says about the rows of these two classes alone.

    Rows keep the numbers that they have in the whole table; those of other classes are left out.
    """

    def __init__(self, found: dict[Pair, Certificate]):
        self._found = found

    def __getitem__(self, pair: Pair) -> Certificate:
        return self._found[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def table(self) -> list[dict[str, Any]]:
        """A record for each pair."""
        return [
            {
                "classes": list(pair),
                "rows": certificate.n_rows,
                "verdict": certificate.verdict,
                "separable": certificate.separable,
                "geometric_margin": _shown(certificate.geometric_margin),
                "conflict_rows": certificate.conflict and certificate.conflict.rows,
            }
            for pair, certificate in self._found.items()
        ]

    def _cells(self) -> list[tuple[str, ...]]:
        last = f"margin, or rows in conflict (counted from {row_number(0)})"
        head = ("classes", "rows", "verdict", last)
        return [head, *(_line(pair, one) for pair, one in self._found.items())]

    def __str__(self) -> str:
        cells = self._cells()
        width = [max(len(line[k]) for line in cells) for k in range(3)]
        rows = (
            f"{a:<{width[0]}}  {n:>{width[1]}}  {verdict:<{width[2]}}  {last}"
            for a, n, verdict, last in cells
        )
        return "\n".join(row.rstrip() for row in rows)

    def _repr_html_(self) -> str:
        def row(line: tuple[str, ...], cell: str) -> str:
            return "".join(f"<{cell}>{html.escape(text)}</{cell}>" for text in line)

        head, *body = self._cells()
        lines = "".join(f"<tr>{row(line, 'td')}</tr>" for line in body)
        return f"<table><tr>{row(head, 'th')}</tr>{lines}</table>"


def _shown(margin: Margin | None) -> list[float] | None:
    return None if margin is None else [margin.lo, margin.hi]


def _line(pair: Pair, certificate: Certificate) -> tuple[str, ...]:
    margin, conflict = certificate.geometric_margin, certificate.conflict
    if margin is not None:
        last = f"{margin.lo:.6g}" if margin.exact else f"{margin.lo:.6g} to {margin.hi:.6g}"
    elif conflict is not None:
        last = ", ".join(str(row_number(i)) for i in conflict.rows[:6])
        last += ", …" if len(conflict.rows) > 6 else ""
    else:
        last = "; ".join(certificate.limits)
    return f"{pair[0]} | {pair[1]}", f"{certificate.n_rows:,}", certificate.verdict, last
