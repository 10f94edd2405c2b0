"""Sparse rows that have few of very many columns: partial_fit and predict touch those alone.

The columns get new numbers, each in the lane of a score that it had: all sums have the same bits.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from rosenblatt._core.rows import Csr, Rows, Weights

LANES = 16  # of a score: `native/rows.hpp`
MANY, TIMES = 1 << 14, 16  # columns: so many, and so many times the entries of the rows


class FewColumns:
    def __init__(self, X: Csr):
        self.columns, back = np.unique(X.indices, return_inverse=True)
        lane = self.columns % LANES
        by_lane = np.argsort(lane, kind="stable")
        number = np.empty_like(by_lane)  # within the lane
        number[by_lane] = np.arange(len(lane)) - np.searchsorted(lane[by_lane], lane[by_lane])
        self.places = LANES * number + lane
        self.d = LANES * int(number.max(initial=-1) + 1)
        indices = self.places[back].astype(X.indices.dtype)
        self.X = Csr(X.data, indices, X.indptr, (X.shape[0], self.d))

    @classmethod
    def of(cls, rows: Rows) -> Self | None:
        """None: the rows have too many of the columns."""
        X = rows.given
        few = isinstance(X, Csr) and rows.d >= max(MANY, TIMES * len(X.indices))
        return cls(X) if few and isinstance(X, Csr) else None

    def part_of(self, w: Weights) -> Weights:
        part = np.zeros((*w.shape[:-1], self.d + 1))
        part[..., self.places], part[..., -1] = w[..., self.columns], w[..., -1]
        return part

    def write(self, part: Weights, w: Weights) -> None:
        w[..., self.columns], w[..., -1] = part[..., self.places], part[..., -1]
