"""When screening is worth it: rows that certainly call for no update are passed over unread.

`native/screen.hpp` says which rows those are and proves it; updates, counts and results are the
same with and without. Here it is decided when to begin, when the reference is too old, and when to
give up: from numbers of rows looked at, never from time.

What is not sure to pay is kept small beside what is certain: screening is tried when a thirtieth of
all visits so far pays for it should it fail.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._examples import Rows, Weights
from rosenblatt._kernels import kernels

FEW = 16  # tried where at most one visit in so many was an update,
SAFE = 32  # and where visits so far are so many times what a failure may cost


class Screen:
    """The slack of every row beside reference weights: 4 bytes a row while it is in use."""

    allowed = True  # tests compare with and without

    def __init__(self, rows: Rows, y: NDArray[np.int8], margin: float, intercept: bool):
        self._rows, self._y, self._margin, self._intercept = rows, y, margin, intercept
        self._slack = np.empty(0, dtype=np.float32)
        self._reference: Weights | None = None
        self._referred = 0  # rows whose slack is known
        self._passed = self._looked = 0  # since the reference was made: visits, and real looks
        self._visits = self._lost = 0  # in all: visits, and looks that screening did not spare
        self._updates = 0  # in this epoch

    @property
    def ready(self) -> bool:
        return self._reference is not None and self._referred == self._rows.n

    def before(self, begin: int, w: Weights) -> bool:
        """Before visits from place `begin`; whether a chunk of the reference is made instead."""
        if begin == 0:
            if self._reference is None and self._worth_trying():
                self._refer_to(w)
            self._updates = 0
        if self._reference is None or self._referred == self._rows.n:
            return False
        end = min(self._referred + self._rows.chunk, self._rows.n)
        kernels.refer(
            self._rows.native,
            self._y,
            self._margin,
            self._intercept,
            self._reference,
            self._referred,
            end,
            self._slack,
        )
        self._referred = end
        return True

    def after(self, visits: int, updates: int, looked: int, w: Weights) -> None:
        """So many visits were made, with so many real looks."""
        self._visits += visits
        self._updates += updates
        if self.ready:
            self._passed += visits
            self._looked += looked
            if self._looked >= self._rows.n:  # as much as making the reference: it is too old
                self._renew(w)

    @property
    def looks(self) -> int:
        """How many rows may be looked at until the reference is too old."""
        return self._rows.n - self._looked

    def arguments(self) -> tuple[NDArray[np.float32], Weights]:
        assert self._reference is not None
        return self._slack, self._reference

    def _worth_trying(self) -> bool:
        n = self._rows.n
        return (
            self.allowed
            and hasattr(kernels, "refer")  # not in the reference, which is the specification
            and self._visits >= SAFE * (self._lost + n)
            and self._updates * FEW <= n
        )

    def _renew(self, w: Weights) -> None:
        balance = self._passed - self._looked - self._rows.n
        if balance > 0:
            self._refer_to(w)
        else:
            self._lost -= balance
            self._reference, self._slack = None, self._slack[:0].copy()

    def _refer_to(self, w: Weights) -> None:
        if len(self._slack) == 0:
            self._slack = np.empty(self._rows.n, dtype=np.float32)
        self._reference, self._referred = w.copy(), 0
        self._passed = self._looked = 0
