"""What can earn points: counts, yes or no, and cuts at round numbers near the deciles."""

from __future__ import annotations

import math

import numpy as np

from rosenblatt._rules.card import Floats, Term

MOST_COUNTED = 20  # what a person counts on a card; larger numbers are compared with a cut
FEW = 10  # different values: each is a cut
_DECILES = np.arange(1, 10) / 10
_NEAR = 0.03  # a round number may lie so far beside a decile, as a share of the rows
_DIGITS = 15  # that every float keeps


def terms_of(X: Floats, weights: Floats | None = None) -> list[Term]:
    """All terms that these training rows offer, column by column; a weight is how many times a row
    is there."""
    c = np.ones(len(X)) if weights is None else weights
    there = c > 0
    X, c = X[there], c[there]
    return [term for j in range(X.shape[1]) for term in _of_column(j, X[:, j], c)]


def _of_column(j: int, x: Floats, c: Floats) -> list[Term]:
    values, place = np.unique(x, return_inverse=True)
    if len(values) < 2:
        return []
    if values.tolist() == [0.0, 1.0]:
        return [Term(j, 1.0, indicator=True)]
    whole = bool((values == np.floor(values)).all())
    counted = whole and values[0] >= 0 and values[-1] <= MOST_COUNTED
    counts = [Term(j)] if counted else []
    cuts = _cuts(values, np.bincount(place, c).cumsum(), whole=whole)
    return [*counts, *(Term(j, cut) for cut in cuts)]


def _cuts(values: Floats, up_to: Floats, *, whole: bool) -> list[float]:
    """Numbers that divide the rows, all greater than the least value; `up_to` has how many rows
    there are up to each value."""
    if len(values) <= FEW:
        return [float(value) for value in values[1:]]
    found = set()
    for share in _DECILES:
        ends = np.searchsorted(up_to, (share + np.array([-_NEAR, _NEAR])) * up_to[-1])
        first, last = np.minimum(ends, len(values) - 1).tolist()
        if last == 0:
            continue  # the least value alone has so many rows
        low = values[min(first, last - 1)]
        found.add(between(float(low), float(values[last]), whole))
    return sorted(found)


def between(low: float, high: float, whole: bool) -> float:
    """The roundest number that is greater than `low` and at most `high`, near their middle."""
    middle = low / 2 + high / 2
    largest = max(abs(low), abs(high))
    if not math.isfinite(middle) or largest == 0:
        return high
    top = math.floor(math.log10(largest)) + 1
    for exponent in range(top, max(top - _DIGITS, 0 if whole else -300) - 1, -1):
        for tenths in (10, 5) if exponent > 0 or not whole else (10,):
            found = _multiple(middle, tenths, exponent - 1)
            if low < found <= high:
                return found
    return high


def _multiple(value: float, tenths: int, exponent: int) -> float:
    """The multiple of tenths · 10^exponent nearest to the value, as the float of its digits."""
    unit = float(f"{tenths}e{exponent}")
    count = value / unit if unit else math.inf
    if not abs(count) < 2**53:
        return math.nan
    return float(f"{round(count) * tenths}e{exponent}")
