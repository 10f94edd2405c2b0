"""Target leakage: columns that almost tell the label alone, perhaps recorded after the outcome.

Apart from `one_column`, which needs scikit-learn: `rosenblatt inspect` starts without it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.preprocessing import Number, Preprocessing

_LOOKED_AT = 50_000  # rows that are sorted by every column
_TELLING = 10  # a column is suspect if alone it makes so many times fewer errors than none
_RARE, _TELLING_OF_RARE = 0.1, 5  # of a rare label fewer times: it is seldom told so well
_RAREST = 5  # of many labels are told from all others: those that are far rarer than most
_TELLING_OF_MANY = 20  # it cuts into as many stretches as there are classes, and finds more
_UNLIKELY = 100  # a chance of one in so many is taken for chance
_BINS = 256  # of a column of numbers, for many classes
_CODES = 20  # different numbers, that each may stand for a label
LEAST = 5  # rows of a value that a label is learned from


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


class Telling(NamedTuple):
    """What a column tells alone: the labels, or one from all others, and how often it is wrong."""

    error: float
    label: Any = None


def telling_columns(X: Any, y: Any, preprocessing: Preprocessing) -> dict[str, Telling]:
    """Columns that alone make far fewer errors than the largest class."""
    step = -(-len(y) // _LOOKED_AT)
    X, (classes, codes) = X[::step], np.unique(y[::step], return_inverse=True)
    if len(classes) == 2:
        by_column = _of_two(X, codes == 1, preprocessing)
        return {name: Telling(error) for name, error in by_column.items()}
    telling: dict[str, Telling] = {}
    counts = np.bincount(codes)
    for code in np.argsort(counts, kind="stable")[:_RAREST].tolist():
        if counts[code] * max(1 / _RARE, 2 * len(classes)) < len(codes):
            errors = _of_two(X, codes == code, preprocessing)
            telling |= {name: Telling(error, classes[code]) for name, error in errors.items()}
    errors = _of_many(X, codes, len(classes), preprocessing)
    return telling | {name: Telling(error) for name, error in errors.items()}


def _of_two(X: Any, positive: NDArray[np.bool_], preprocessing: Preprocessing) -> dict[str, float]:
    """By one threshold on one of their features, or by value, where there are few."""
    n, ones = len(positive), int(positive.sum())
    rarer = min(ones, n - ones)
    limit = rarer / (_TELLING_OF_RARE if rarer < _RARE * n else _TELLING)
    errors: dict[str, float] = {}
    place, features = 0, X.shape[1]
    for column in preprocessing.columns:
        part = X[:, place : place + len(column.features)]
        place += len(column.features)
        ways = [_by_threshold(x, positive) for x in part.T]
        level = level_of(part, column)
        if int(level.max()) < (_CODES if isinstance(column, Number) else n // LEAST):
            ways.append(_by_value(level, positive))
        least, called, tries = min(ways)
        if least <= limit and not _thrown(least, called, n, ones, tries * features):
            errors[column.name] = least / n
    return errors


_Way = tuple[int, int, float]  # errors, how many rows are called positive, of how many such ways


def _by_threshold(x: NDArray[np.float64], positive: NDArray[np.bool_]) -> _Way:
    n, ones = len(x), int(positive.sum())
    order = np.argsort(x, kind="stable")  # missing ones are the last
    x, below = x[order], np.cumsum(positive[order])
    # a threshold divides no equal values
    last = np.append((x[1:] != x[:-1]) & ~np.isnan(x[:-1]), True)
    rows = np.arange(1, n + 1)
    # below the threshold "no", above it "yes": wrong are the ones below, the zeros above
    wrong = (below + (n - ones) - (rows - below))[last]
    low, high = int(wrong.argmin()), int(wrong.argmax())
    if wrong[low] <= n - wrong[high]:
        return int(wrong[low]), int(n - rows[last][low]), 2.0 * n
    return int(n - wrong[high]), int(rows[last][high]), 2.0 * n


def _by_value(level: NDArray[np.intp], positive: NDArray[np.bool_]) -> _Way:
    """The more frequent label of each value; of a rare one that of all rows."""
    counts = _counted(level, positive.astype(np.intp), 2)
    rows = counts.sum(axis=1)
    says = np.where(rows >= LEAST, counts[:, 1] > counts[:, 0], 2 * positive.sum() > len(level))
    wrong = np.where(says, counts[:, 0], counts[:, 1])
    return int(wrong.sum()), int(rows[says].sum()), 2.0 ** min(len(rows), 1000)


def _thrown(errors: int, called: int, n: int, ones: int, tries: float) -> bool:
    """Whether labels that are dealt anew might leave so few errors. Of `called` rows a
    hypergeometric number is positive; errors are the others of them and the positive ones of the
    rest."""
    right = math.ceil((called + ones - errors) / 2)
    return log_tail(right, n, ones, called) + math.log(tries * _UNLIKELY) > 0


def log_tail(least: int, n: int, ones: int, called: int) -> float:
    """log P(X >= least), where X of `called` rows out of n are among the `ones`.

    P(X = k) = C(ones, k) C(n - ones, called - k) / C(n, called); its neighbours are ratios apart.
    """
    low, high = max(least, called + ones - n, 0), min(ones, called)
    if low > high:
        return -math.inf
    first = _log_ways(ones, low) + _log_ways(n - ones, called - low) - _log_ways(n, called)
    k = np.arange(low, high, dtype=np.float64)
    up, down = (ones - k) * (called - k), (k + 1) * (n - ones - called + k + 1)
    beside = np.cumsum(np.log(up) - np.log(down))
    return first + float(np.logaddexp.reduce(beside, initial=0.0))


def level_of(part: Any, column: Any) -> NDArray[np.intp]:
    """The value of each row, as a number from 0 on."""
    if isinstance(column, Number):
        return np.unique(part[:, 0], return_inverse=True)[1]
    return np.where(part.any(axis=1), 1 + part.argmax(axis=1), 0)


def _of_many(X: Any, y: NDArray[np.intp], k: int, preprocessing: Preprocessing) -> dict[str, float]:
    """Numbers by k - 1 thresholds, words by the most frequent label of each."""
    limit = (len(y) - np.bincount(y, minlength=k).max()) / _TELLING_OF_MANY
    errors: dict[str, float] = {}
    place = 0
    for column in preprocessing.columns:
        part = X[:, place : place + len(column.features)]
        place += len(column.features)
        if isinstance(column, Number):
            wrong = fewest_in_stretches(_counted(_bins(part[:, 0]), y, k), k)
        else:
            counts = _counted(level_of(part, column), y, k)
            wrong = int(counts.sum() - counts.max(axis=1).sum())
        if wrong <= limit:
            errors[column.name] = wrong / len(y)
    return errors


def _bins(x: NDArray[np.float64]) -> NDArray[np.intp]:
    """Equal values together, in their order; of very many values neighbours, too."""
    values, codes = np.unique(x, return_inverse=True)
    if len(values) <= _BINS:
        return codes
    edges = np.unique(np.quantile(codes, np.linspace(0, 1, _BINS), method="lower"))
    return np.searchsorted(edges, codes)


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
