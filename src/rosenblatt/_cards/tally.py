"""Errors of very many cards at once: all that differ from a given one by one term more.

Each row has a price: minus its weight where its label is the second class, plus its weight
elsewhere. Who says "second" from a threshold on pays the weight of all second rows plus the prices
of the rows from there on; so the cheapest threshold is the least of the sums from above.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._rules.card import Floats

_TOGETHER = 1 << 20  # numbers at a time

Whole = NDArray[np.int64]
Earned = tuple[int, int]  # the number of a term, and its points


class Tally:
    """Rows by terms, in whole numbers, with the price of each row."""

    def __init__(self, Z: NDArray[np.int8], prices: Floats, most: int):
        self.Z, self.prices = Z, prices
        self.second = float(-prices[prices < 0].sum())  # the weight of the second class
        self.points = [p for size in range(1, most + 1) for p in (size, -size)]
        self.points_of_two = np.array(list(product(self.points, repeat=2)))
        self.most = most
        counts = Z.max(axis=1, initial=0) > 1
        self.counted = np.flatnonzero(counts).tolist()
        self.yes_no = np.flatnonzero(~counts)

    def totals(self, card: tuple[Earned, ...]) -> Whole:
        found = np.zeros(self.Z.shape[1], dtype=np.int64)
        for term, points in card:
            found += points * self.Z[term].astype(np.int64)
        return found

    def errors(self, totals: Whole) -> float:
        """At the best threshold, by weight."""
        return self.second + self._least(totals)

    def _least(self, totals: Whole) -> float:
        by_total = np.bincount(totals - totals.min(), self.prices)
        return min(0.0, float(by_total[::-1].cumsum().min()))

    def with_one_more(self, totals: Whole) -> Floats:
        """Errors by term and points, of shape (terms, points)."""
        found = np.empty((len(self.Z), len(self.points)))
        order = np.argsort(totals, kind="stable")
        size = max(1, _TOGETHER // len(totals))
        for begin in range(0, len(self.yes_no), size):
            some = self.yes_no[begin : begin + size]
            found[some] = self._with_yes_no(some, totals[order], order)
        for term in self.counted:
            z = self.Z[term].astype(np.int64)
            found[term] = [self._least(totals + p * z) for p in self.points]
        return found + self.second

    def _with_yes_no(self, terms: NDArray[np.intp], ranked: Whole, order: Any) -> Floats:
        """Rows where the term holds move by its points; prices are added up by total, in order."""
        begins = np.flatnonzero(np.diff(ranked, prepend=ranked[0] - 1))
        places = ranked[begins] - ranked[0]
        prices = self.prices[order]
        holds = np.add.reduceat(self.Z[terms][:, order] * prices, begins, axis=1)
        fails = np.add.reduceat(prices, begins) - holds
        room = int(places[-1]) + 1 + 2 * self.most
        sums = np.zeros((len(terms), len(self.points), room))
        sums[:, :, places + self.most] = fails[:, None]
        for k, p in enumerate(self.points):
            sums[:, k, places + self.most + p] += holds
        least: Floats = np.minimum(sums[:, :, ::-1].cumsum(axis=2).min(axis=2), 0.0)
        return least

    def of_two(self, rest: Whole, a: int, b: int) -> Floats:
        """Errors with the points p of term a and q of term b beside these totals, by (p, q)."""
        both = np.column_stack([rest - rest.min(), self.Z[a], self.Z[b]]).astype(np.int64)
        sizes = both.max(axis=0) + 1
        cells = np.bincount(np.ravel_multi_index(tuple(both.T), tuple(sizes)), self.prices)
        there = np.unravel_index(np.flatnonzero(cells), tuple(sizes))  # prices of 0 say nothing
        if not len(there[0]):
            return np.full((len(self.points), len(self.points)), self.second)
        p, q = (self.points_of_two[:, k, None] for k in (0, 1))
        totals = there[0] + p * there[1] + q * there[2]
        totals -= totals.min()
        room = int(totals.max()) + 1
        places = totals + room * np.arange(len(totals))[:, None]
        prices = np.broadcast_to(cells[np.flatnonzero(cells)], totals.shape)
        by_total = np.bincount(places.ravel(), prices.ravel(), room * len(totals))
        sums = by_total.reshape(len(totals), room)[:, ::-1].cumsum(axis=1)
        least = np.minimum(sums.min(axis=1), 0.0)
        return np.asarray(self.second + least.reshape(len(self.points), -1))

    def pairs(self) -> list[tuple[float, tuple[Earned, Earned]]]:
        """The best card of two terms that hold or not, for each sign of both: all of them are
        compared, since points of 1 and -1 say all that two such terms can."""
        terms = self.yes_no.tolist()
        if len(terms) < 2:
            return []
        all_, both = float(self.prices.sum()), np.zeros((len(terms), len(terms)))
        size = max(1, _TOGETHER // len(terms))
        for begin in range(0, len(self.prices), size):
            some = self.Z[self.yes_no, begin : begin + size].astype(np.float64)
            both += (some * self.prices[begin : begin + size]) @ some.T
        one = both.diagonal()
        a, b = one[:, None], one[None, :]
        sums = {
            (1, 1): np.minimum(both, a + b - both),
            (1, -1): np.minimum(a - both, all_ - b + both),
            (-1, -1): np.minimum(all_ - a - b + both, all_ - both),
        }
        found = []
        for (p, q), least in sums.items():
            np.fill_diagonal(least, np.inf)
            i, j = (int(k) for k in np.unravel_index(least.argmin(), least.shape))
            found.append((self.second + float(least[i, j]), ((terms[i], p), (terms[j], q))))
        return found


class Cut(NamedTuple):
    threshold: int
    errors: float


def best_threshold(totals: Whole, prices: Floats) -> Cut:
    """The cheapest one, in the middle of those that are; beyond all totals where no row is to be
    called the second class."""
    values, place = np.unique(totals, return_inverse=True)
    above = np.append(np.bincount(place, prices)[::-1].cumsum()[::-1], 0.0)
    k = int(above.argmin())
    errors = float(-prices[prices < 0].sum() + above[k])
    if k == len(values):
        return Cut(int(values[-1]) + 1, errors)
    high = int(values[k])
    low = int(values[k - 1]) + 1 if k else high
    return Cut(-((-low - high) // 2), errors)
