"""The smallest change of one column, or of two together, that turns the decision of a card.

Points change at cuts, with each unit of a count, and with words: so few values of each column are
worth a try that all of them are tried, and all pairs. A change of numbers is as large as its share
of the range seen in training, since a card knows no scales, and one of words counts as 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._cards.terms import between
from rosenblatt._opinion.change import Change, Changes, Move
from rosenblatt._opinion.moves import Changeable, Choice, Floats, Scale
from rosenblatt._rules.card import Card

_NEAR = 0.01  # what a number below a cut may be beyond it, as a share of the change,
_LEAST = 1e-4  # and of the range: there is no greatest number below a cut


class _Tried(NamedTuple):
    """What can be put in one column, what that adds to the points, and how large it is."""

    at: Changeable
    values: list[Any]
    gains: Floats
    sizes: Floats


def smallest(card: Card, columns: list[Changeable], x: Floats) -> Changes:
    """For the row x as the card sees it."""
    total = float(card.totals(x[None])[0])
    toward = -1 if total >= card.threshold else 1
    tried = [_useful(_tried(card, column, x), toward) for column in columns]

    def turned(gains: Any) -> Any:
        reached = total + gains >= card.threshold
        return reached if toward > 0 else ~reached

    single, rest = [], []
    for one in tried:
        alone = turned(one.gains)
        if alone.any():
            k = int(np.where(alone, one.sizes, np.inf).argmin())
            single.append(Change((_move(one, k, x),), float(one.sizes[k])))
        if not alone.all():
            keep = np.flatnonzero(~alone)
            rest.append(_only(one, keep))
    best: Change | None = None
    for a, b in combinations(rest, 2):
        enough = turned(a.gains[:, None] + b.gains)
        sizes = np.where(enough, np.hypot(a.sizes[:, None], b.sizes), np.inf)
        i, j = (int(k) for k in np.unravel_index(sizes.argmin(), sizes.shape))
        if sizes[i, j] < (math.inf if best is None else best.size):
            best = Change((_move(a, i, x), _move(b, j, x)), float(sizes[i, j]))
    return Changes(sorted(single, key=lambda change: change.size), best)


def _move(one: _Tried, k: int, x: Floats) -> Move:
    return Move(one.at.column.name, one.at.now(x), one.values[k])


def _only(one: _Tried, places: Any) -> _Tried:
    values = [one.values[k] for k in places.tolist()]
    return _Tried(one.at, values, one.gains[places], one.sizes[places])


def _useful(one: _Tried, toward: int) -> _Tried:
    """Values that bring the row nearer to the other decision."""
    return _only(one, np.flatnonzero(one.gains * toward > 0))


def _tried(card: Card, column: Changeable, x: Floats) -> _Tried:
    if isinstance(column, Choice):
        values: list[Any] = column.others(x)
        sizes = np.ones(len(values))
    else:
        values = sorted(set(_numbers(card, column, x)))
        assert column.column.seen is not None
        width = column.column.seen.high - column.column.seen.low
        sizes = np.abs(np.array(values) - column.now(x)) / (width or 1.0)
    rows = np.repeat(x[None], len(values), axis=0)
    for row, value in zip(rows, values, strict=True):
        column.put(row, value)
    return _Tried(column, values, card.totals(rows) - card.totals(x[None]), sizes)


def _numbers(card: Card, column: Scale, x: Floats) -> Iterator[float]:
    """Of a count every number, else the nearest number between each two cuts."""
    seen, now = column.column.seen, column.now(x)
    assert seen is not None
    terms = [term for term in card.terms if term.column == column.place]
    if any(term.cut is None for term in terms):
        yield from map(float, range(math.ceil(seen.low), math.floor(seen.high) + 1))
        return
    cuts = sorted({term.cut for term in terms if term.cut is not None})
    scale, center = column.column.scale, column.column.center
    ends = [-math.inf, *(cut * scale + center for cut in cuts), math.inf]
    for low, high in pairwise(ends):
        value = None
        if now < low and low <= seen.high:
            value = max(low, seen.low)
            value = float(math.ceil(value)) if seen.whole else value
        elif now >= high and seen.low < high:
            value = _below(high, max(low, seen.low), now, seen.high - seen.low, whole=seen.whole)
            value = min(value, seen.high)
        if value is not None and max(low, seen.low) <= value <= seen.high and value < high:
            yield value


def _below(cut: float, lowest: float, now: float, width: float, *, whole: bool) -> float:
    """A number a little below a cut, with few digits."""
    if whole:
        return float(math.ceil(cut) - 1)
    spare = max(_NEAR * (now - cut), _LEAST * width)
    return -between(-cut, -max(cut - spare, lowest), whole=False)
