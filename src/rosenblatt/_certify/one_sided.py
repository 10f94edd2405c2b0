"""Rows that single columns have strictly right, one after the other: what is left is the core.

A column that is >= 0 (or <= 0) in all signed rows a_i that are left has no row on the wrong side if
its weight is large, and those where it is not 0 strictly on the right one. Take these rows out and
look again. Rows that are left are 0 in all these columns: nothing that is found about them later
disturbs them. Only signs are compared, so that it is exact, whatever the numbers mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._certify.rows import Floats, Index, Ints, Rows

_SPARE = 2.0**-30  # of the sizes that are added up: more than rounding
_LEAST = 2.0**-60


@dataclass(frozen=True)
class Round:
    columns: Index  # of the lifted rows: D - 1 may be the intercept
    signs: NDArray[np.int8]  # that they have in all rows left
    rows: Index  # in which one of them is not 0


@dataclass(frozen=True)
class OneSided:
    rounds: list[Round]
    alive: NDArray[np.bool_]  # the core: rows that are 0 in the columns of all rounds

    def separator(self, rows: Rows, core: Sequence[Fraction]) -> list[Fraction]:
        """Weights that have all rows of the rounds strictly right, and the core as `core` has it.

        `core` is 0 in the columns of the rounds. Where numbers are beyond floats a row may be
        wrong: exact signs tell.
        """
        out, scale = list(core), _power_above(core)
        w = np.array([float(v / scale) if v else 0.0 for v in core])
        for part in reversed(self.rounds):
            power = 1.0
            if w.any():
                own = np.zeros(rows.D)
                own[part.columns] = part.signs
                hit = rows.part(part.rows)
                # ‖a‖ ‖w‖ is at least Σ |a_j w_j|, of which rounding is a small part.
                rounding = _SPARE * np.hypot(hit.norms(), 1.0) * float(np.linalg.norm(w))
                need = (rounding - hit.scores(*rows.split(w))) / hit.scores(*rows.split(own))
                most = max(float(np.nan_to_num(need).max()), _LEAST)
                power = float(np.exp2(np.clip(np.ceil(np.log2(most)), -1000, 1000)))
            w[part.columns] = part.signs * power
            each = {sign: sign * scale * Fraction(power) for sign in (-1, 1)}
            for j, sign in zip(part.columns.tolist(), part.signs.tolist(), strict=True):
                out[j] = each[sign]
        return out


def _power_above(w: Sequence[Fraction]) -> Fraction:
    """A power of two above all entries."""
    bits = (v.numerator.bit_length() - v.denominator.bit_length() + 1 for v in w if v)
    return Fraction(2) ** max(bits, default=0)


def one_sided(rows: Rows) -> OneSided:
    """The rounds of one-sided columns, and the rows that are left."""
    alive = np.ones(rows.n, dtype=bool)
    table: _Sparse | _Dense = _Sparse(rows) if sparse.issparse(rows.X) else _Dense(rows)
    rows.budget.spend(rows.n)
    rounds = list[Round]()
    if not table.may_have_one_sided():
        return OneSided(rounds, alive)
    positive, negative = table.counts(np.arange(rows.n))
    fresh = np.arange(rows.D)
    while True:
        up, down = positive[fresh], negative[fresh]
        columns = fresh[(up > 0) != (down > 0)]
        if not len(columns):
            return OneSided(rounds, alive)
        signs = np.where(positive[columns] > 0, 1, -1).astype(np.int8)
        everywhere = columns[-1] == rows.d  # the intercept
        hit = np.arange(rows.n) if everywhere else table.holding(columns)
        hit = hit[alive[hit]]
        alive[hit] = False
        rounds.append(Round(columns, signs, hit))
        up, down = table.counts(hit)
        positive -= up
        negative -= down
        fresh = np.flatnonzero(up + down)  # only these can have become one-sided


class _Dense:
    """Signed rows of an array; of many classes they are made when they are read."""

    def __init__(self, rows: Rows):
        self._rows = rows

    def _signed(self, index: Index) -> Floats:
        rows = self._rows
        return np.asarray(rows.X[index] * rows.y[index, None].astype(rows.X.dtype))

    def _parts(self, index: Index) -> Any:
        step = max(1, (1 << 20) // self._rows.D)
        return (index[begin : begin + step] for begin in range(0, len(index), step))

    def may_have_one_sided(self) -> bool:
        """Most tables have none, which some rows show."""
        rows, open_ = self._rows, np.arange(self._rows.d)
        up, down = np.zeros(rows.d, dtype=bool), np.zeros(rows.d, dtype=bool)
        for some in self._parts(np.arange(rows.n)):
            x = self._signed(some)[:, open_]
            up[open_] |= (x > 0).any(axis=0)
            down[open_] |= (x < 0).any(axis=0)
            open_ = np.flatnonzero(~(up & down))
            if not len(open_):
                break
        one_class = rows.intercept and len(np.unique(rows.y)) == 1
        return bool(one_class or (up != down).any())

    def counts(self, index: Index) -> tuple[Ints, Ints]:
        rows = self._rows
        out = np.zeros((2, rows.D), dtype=np.int64)
        for some in self._parts(index):
            x = self._signed(some)
            out[0, : rows.d] += np.count_nonzero(x > 0, axis=0)
            out[1, : rows.d] += np.count_nonzero(x < 0, axis=0)
        return _with_intercept(rows, index, out)

    def holding(self, columns: Index) -> Index:
        out = np.zeros(self._rows.n, dtype=bool)
        for begin in range(0, len(columns), 64):
            out |= (self._rows.X[:, columns[begin : begin + 64]] != 0).any(axis=1)
        return np.flatnonzero(out)


class _Sparse:
    """Signed rows of a CSR matrix, and the rows in which each column is not 0."""

    def __init__(self, rows: Rows):
        self._rows = rows
        self._row = np.repeat(np.arange(rows.n), np.diff(rows.X.indptr))
        self._sign = np.sign(rows.X.data).astype(np.int8) * rows.y.astype(np.int8)[self._row]

    def may_have_one_sided(self) -> bool:
        return True  # counting is as quick as looking

    def counts(self, index: Index) -> tuple[Ints, Ints]:
        rows = self._rows
        place = _entries(rows.X.indptr, index)
        columns, sign = rows.X.indices[place], self._sign[place]
        out = np.zeros((2, rows.D), dtype=np.int64)
        for k, side in enumerate((sign > 0, sign < 0)):
            out[k, : rows.d] = np.bincount(columns[side], minlength=rows.d)
        return _with_intercept(rows, index, out)

    def holding(self, columns: Index) -> Index:
        begin, row = self._by_column
        return np.unique(row[_entries(begin, columns)])

    @cached_property
    def _by_column(self) -> tuple[Index, Index]:
        there = np.flatnonzero(self._sign)
        columns = self._rows.X.indices[there]
        order = np.argsort(columns, kind="stable")
        count = np.bincount(columns, minlength=self._rows.d)
        return np.concatenate([[0], np.cumsum(count)]), self._row[there[order]]


def _with_intercept(rows: Rows, index: Index, out: Ints) -> tuple[Ints, Ints]:
    if rows.intercept:
        above = int(np.count_nonzero(rows.y[index] > 0))
        out[:, -1] = above, len(index) - above
    return out[0], out[1]


def _entries(begin: NDArray[Any], index: Index) -> Index:
    """The places of all entries of some rows, from where each row begins."""
    size = (begin[index + 1] - begin[index]).astype(np.intp)
    before = np.cumsum(size) - size
    return np.asarray(np.arange(int(size.sum())) + np.repeat(begin[index] - before, size))
