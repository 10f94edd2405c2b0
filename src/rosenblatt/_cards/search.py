"""The search: the best cards of one term, of two, and so on, each from those before it.

Cards of two terms are all compared. From three on the best few cards get one term more; then each
term in turn is exchanged for the best other one, with the best points, as long as that saves
errors; then points of two terms are changed together. A card of more terms never has more errors.
Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import numpy as np

from rosenblatt._cards.tally import Earned, Tally
from rosenblatt._rules.card import Floats

_KEPT = 3  # cards of each number of terms that get one more
_TRIED = 4  # terms that each of them gets
_SLACK = 1e-9  # what rounded sums of weights may be off by, as a share

Card = tuple[Earned, ...]


class Search:
    """Cards on these terms; `hear` is called often, and may raise to stop."""

    def __init__(self, Z: Any, prices: Floats, most: int, hear: Callable[[], None]):
        self.tally, self._hear = Tally(Z, prices, most), hear
        self._slack = _SLACK * float(np.abs(prices).sum())
        self._known: dict[Card, Floats] = {}
        self.best: list[tuple[float, Card]] = [(self.tally.errors(self.tally.totals(())), ())]

    def run(self, most_terms: int, told: Callable[[int, float], None]) -> None:
        """`best` gets the card of each number of terms; what there is stays if `hear` raises."""
        cards: list[Card] = [()]
        for k in range(1, min(most_terms, len(self.tally.Z)) + 1):
            found = self._grown(cards, k)
            cards = sorted(found, key=lambda card: _rank(found[card], card))
            errors, card = found[cards[0]], cards[0]
            if errors >= self.best[-1][0] - self._slack:
                errors, card = self.best[-1]
            self.best.append((errors, card))
            told(k, errors)
            if errors <= self._slack:
                return

    def _grown(self, cards: Iterable[Card], k: int) -> dict[Card, float]:
        found: dict[Card, float] = {}
        for begun in self._begun(cards, k):
            card, errors = self._exchanged(begun)
            found[card] = errors
        kept = sorted(found, key=lambda card: _rank(found[card], card))[:_KEPT]
        return dict(self._together(card, found[card]) for card in kept)

    def _begun(self, cards: Iterable[Card], k: int) -> list[Card]:
        """Where exchanges start from."""
        found = [(*c, one) for c in cards for one in self._next(c, _TRIED)]
        if k == 2:
            found += [pair for _, pair in self.tally.pairs()]
            alone = [(t, p) for t in self.tally.counted for p in self.tally.points]
            found += [(one, *self._next((one,), 1)) for one in alone]
        return list(dict.fromkeys(_ordered(card) for card in found if len(card) == k))

    def _next(self, card: Card, count: int) -> list[Earned]:
        """The best terms to add, of equal ones those of fewer points."""
        errors = self._with_one_more(card).copy()
        errors[[term for term, _ in card]] = np.inf
        flat = np.argsort(errors.T, axis=None, kind="stable")[:count]
        points, terms = np.unravel_index(flat, errors.T.shape)
        return [
            (int(t), self.tally.points[int(p)])
            for t, p in zip(terms, points, strict=True)
            if np.isfinite(errors[t, p])
        ]

    def _with_one_more(self, card: Card) -> Floats:
        if card not in self._known:
            self._hear()
            self._known[card] = self.tally.with_one_more(self.tally.totals(card))
        return self._known[card]

    def _exchanged(self, card: Card) -> tuple[Card, float]:
        """One term after the other for the best one in its place, until none saves errors."""
        errors, left = self.tally.errors(self.tally.totals(card)), len(card)
        k = 0
        while left:
            rest = card[:k] + card[k + 1 :]
            for term, points in self._next(rest, 1):
                now = float(self._with_one_more(rest)[term, self.tally.points.index(points)])
                if now < errors - self._slack:
                    card, errors, left = (*rest, (term, points)), now, len(card) + 1
                    k = -1
            k, left = (k + 1) % len(card), left - 1
        return _ordered(card), errors

    def _together(self, card: Card, errors: float) -> tuple[Card, float]:
        """Other points of two terms at a time."""
        better = True
        while better:
            better = False
            for i, j in combinations(range(len(card)), 2):
                self._hear()
                rest = tuple(one for k, one in enumerate(card) if k not in (i, j))
                a, b = card[i][0], card[j][0]
                found = self.tally.of_two(self.tally.totals(rest), a, b)
                if found.min() < errors - self._slack:
                    p, q = (
                        self.tally.points[int(k)]
                        for k in np.unravel_index(found.argmin(), found.shape)
                    )
                    card, errors, better = _ordered((*rest, (a, p), (b, q))), found.min(), True
        return card, float(errors)


def _ordered(card: Iterable[Earned]) -> Card:
    return tuple(sorted(card))


def _rank(errors: float, card: Card) -> tuple[float, int, Card]:
    return errors, sum(abs(points) for _, points in card), card
