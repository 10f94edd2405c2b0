"""Columns that almost tell the label alone: recorded after the outcome?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.encode import Encoding, Number

_LOOKED_AT = 50_000  # rows that are sorted by every column
_TELLING = 10  # a column is suspect if alone it makes so many times fewer errors than none
_TELLING_OF_MANY = 20  # it cuts into as many stretches as there are classes, and finds more
_UNLIKELY = 100  # a chance of one in so many is taken for chance
_BINS = 256  # of a column of numbers, for many classes


def by_chance(rows: int, counts: list[int], features: int) -> bool:
    """Whether a feature that has nothing to do with the label might have so many rows on the right
    side and none on the wrong one.

    Rows on the right side have their labels fixed; the labels of the others can be dealt in
    C(n - rows, k) ways of C(n, ones), for some k. Features, thresholds and directions are counted.
    """
    n, ones = sum(counts), counts[-1]
    left = n - rows
    most = min(max(left // 2, ones - rows), ones)  # the ones among the others, as likely as can be
    likely = _log_ways(left, most) - _log_ways(n, ones)
    return likely + math.log(2 * n * features * _UNLIKELY) > 0


def _log_ways(n: int, k: int) -> float:
    """log C(n, k)."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def telling_columns(X: Any, y: Any, encoding: Encoding) -> dict[str, float]:
    """Those of the table that alone make far fewer errors than the largest class, and how many:
    a share of 1."""
    step = -(-len(y) // _LOOKED_AT)
    X, (classes, codes) = X[::step], np.unique(y[::step], return_inverse=True)
    if len(classes) > 2:
        return _of_many(X, codes, len(classes), encoding)
    return _of_two(X, codes == 1, encoding)


def _of_two(X: Any, positive: NDArray[np.bool_], encoding: Encoding) -> dict[str, float]:
    """By one threshold on one of their features."""
    n, ones = len(positive), int(positive.sum())
    limit = min(ones, n - ones) / _TELLING
    found: dict[str, float] = {}
    place = 0
    for column in encoding.columns:
        for j in range(place, place + len(column.features)):
            order = np.argsort(X[:, j], kind="stable")
            x, below = X[order, j], np.cumsum(positive[order])
            last = np.append(x[1:] != x[:-1], True)  # a threshold does not divide equal values
            # below the threshold "no", above it "yes": wrong are the ones below, the zeros above
            wrong = (below + (n - ones) - (np.arange(1, n + 1) - below))[last]
            least = min(wrong.min(), (n - wrong).min())
            if least <= limit:
                found[column.name] = min(least / n, found.get(column.name, 1.0))
        place += len(column.features)
    return found


def _of_many(X: Any, y: NDArray[np.intp], k: int, encoding: Encoding) -> dict[str, float]:
    """Numbers by k - 1 thresholds, words by the most frequent label of each."""
    limit = (len(y) - np.bincount(y, minlength=k).max()) / _TELLING_OF_MANY
    found: dict[str, float] = {}
    place = 0
    for column in encoding.columns:
        part = X[:, place : place + len(column.features)]
        place += len(column.features)
        if isinstance(column, Number):
            wrong = fewest_in_stretches(_counted(_bins(part[:, 0]), y, k), k)
        else:
            level = np.where(part.any(axis=1), 1 + part.argmax(axis=1), 0)
            counts = _counted(level, y, k)
            wrong = int(counts.sum() - counts.max(axis=1).sum())
        if wrong <= limit:
            found[column.name] = wrong / len(y)
    return found


def _bins(x: NDArray[np.float64]) -> NDArray[np.intp]:
    """Equal values together, in their order; of very many values neighbours, too."""
    values, found = np.unique(x, return_inverse=True)
    if len(values) <= _BINS:
        return found
    edges = np.unique(np.quantile(found, np.linspace(0, 1, _BINS), method="lower"))
    return np.searchsorted(edges, found)


def _counted(level: NDArray[np.intp], y: NDArray[np.intp], k: int) -> NDArray[np.int64]:
    """How many rows of each level have each label."""
    counts = np.bincount(level * k + y, minlength=(int(level.max()) + 1) * k)
    return counts.reshape(-1, k)


def fewest_in_stretches(counts: NDArray[np.int64], stretches: int) -> int:
    """The fewest errors of a rule that cuts the levels into so many stretches, each with a label.

    Level by level; `best[s, c]` is the most rows that are right when stretch s, which has the label
    c, is the last so far.
    """
    best = np.full((stretches, counts.shape[1]), -1, dtype=np.int64)
    best[0] = 0
    for here in counts:
        begun = np.full_like(best, -1)
        begun[1:] = best[:-1].max(axis=1, keepdims=True)
        best = np.where((reached := np.maximum(best, begun)) < 0, -1, reached + here)
    return int(counts.sum() - best.max())
