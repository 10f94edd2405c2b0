"""Conflicts beside each other: what they count together."""

from __future__ import annotations

from fractions import Fraction

from rosenblatt._minimum.hitting_set import Cover, Shares


class Packing:
    """Conflicts with shares: each takes as much as the row with the least left has."""

    def __init__(self, cover: Cover):
        self._cover, self.left = cover, cover.cost.copy()
        self.shares: Shares = {}

    def add(self, number: int) -> None:
        rows = self._cover.rows[number]
        share = min(self.left[rows].tolist())
        if share > 0:
            self.left[rows] -= share
            self.shares[number] = self.shares.get(number, Fraction(0)) + share
