"""What is put where a number is missing, and by what numbers are scaled: learned from rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core.backend import compute
from rosenblatt._core.summation import Fold
from rosenblatt._util.spelling import either
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.data.stack import beside
from rosenblatt.errors import InputError


def learned(
    preprocessing: Preprocessing, X: Any, *, scale: bool, impute: str | None
) -> Preprocessing:
    if not scale and impute is None:
        return preprocessing
    X = preprocessing.head(X)
    numbers = preprocessing.number_places
    moments = Moments(len(numbers))
    for rows in blocks(X):
        moments.add(rows[:, numbers])
    medians = (np.nanmedian(X[:, j]) for j in numbers)
    return with_moments(preprocessing, moments.finish(), medians, scale=scale, impute=impute)


def with_moments(
    preprocessing: Preprocessing,
    moments: Seen,
    medians: Iterable[Any],
    *,
    scale: bool,
    impute: str | None,
) -> Preprocessing:
    """With fills and scales. The medians are looked at only where they are wanted."""
    numbers = preprocessing.number_places
    fills: list[float | None] = [None] * len(numbers)
    if impute == "mean":
        fills = moments.center().tolist()
    elif impute == "median":
        fills = [float(median) for median in medians]
    ones = [1.0] * len(numbers)
    centers = moments.center().tolist() if scale else [0.0] * len(numbers)
    scales = moments.spread().tolist() if scale else ones
    wild = ~np.isfinite([centers, scales]).all(axis=0)
    if wild.any():
        name = preprocessing.feature_names[numbers[int(wild.argmax())]]
        raise InputError(
            f"The numbers of the column {name!r} are too large to be scaled. Divide them by a "
            f"constant{either(', or leave all numbers as they are: scale=False', '')}.",
            column=name,
        )
    return preprocessing.with_scales(fills, centers, scales)


def blocks(X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    size = max(1, (1 << 17) // max(1, X.shape[1]))
    return (X[i : i + size] for i in range(0, len(X), size))


def finished(preprocessing: Preprocessing, X: Any, *, copy: bool = True) -> Any:
    dense = np.array(preprocessing.head(X), copy=copy or None)
    for rows in blocks(dense):
        preprocessing.finish(rows)
    return beside(dense, [X[:, preprocessing.n_dense :]]) if sparse.issparse(X) else dense


# --- Mean and spread of columns -------------------------------------------------------------------

Numbers = NDArray[np.float64]
_PART = 1 << 17  # numbers that are added up together, at most, but for one row


@dataclass(frozen=True)
class Seen:
    """What some rows hold, by column; NaN is a missing number and does not count."""

    count: Numbers
    mean: Numbers
    squares: Numbers  # of the distances from the mean, added up
    least: Numbers
    greatest: Numbers

    def spread(self) -> Numbers:
        """The standard deviation; 1 for a column that is the same everywhere."""
        with np.errstate(all="ignore"):
            deviation = np.sqrt(self.squares / np.maximum(self.count, 1.0))
        constant = (self.least >= self.greatest) | (deviation < 2.0**-500)
        return np.where(constant, 1.0, deviation)

    def center(self) -> Numbers:
        """The mean; exactly the value of a column that is the same everywhere."""
        return np.where(self.least == self.greatest, self.least, self.mean)


class Moments:
    """Add rows, in their order."""

    def __init__(self, columns: int):
        most = max(1, _PART // max(columns, 1))  # rows that are added up: a power of two
        self._size = min(1 << (most.bit_length() - 1), compute.block)
        self._waiting = np.empty((0, columns))
        self._seen = Fold[Seen](together)

    def add(self, rows: Numbers) -> None:
        begin = 0
        if len(self._waiting):
            begin = min(self._size - len(self._waiting), len(rows))
            self._waiting = np.concatenate([self._waiting, rows[:begin]])
            if len(self._waiting) < self._size:
                return
            self._seen.add(seen(self._waiting))
        while len(rows) - begin >= self._size:
            self._seen.add(seen(rows[begin : begin + self._size]))
            begin += self._size
        self._waiting = rows[begin:].copy()

    def finish(self) -> Seen:
        if len(self._waiting):
            self._seen.add(seen(self._waiting))
            self._waiting = self._waiting[:0]
        return self._seen.total()


@np.errstate(all="ignore")  # overflow is looked for where the result is used
def seen(rows: Numbers) -> Seen:
    """Of some rows, in two passes."""
    rows = np.ascontiguousarray(rows)
    none = np.isnan(rows)
    count = len(rows) - none.sum(axis=0).astype(np.float64)
    rows = np.where(none, 0.0, rows) if none.any() else rows
    mean = rows.sum(axis=0) / np.maximum(count, 1.0)
    away = rows - mean
    away[none] = 0.0
    least = np.where(none, np.inf, rows).min(axis=0)
    greatest = np.where(none, -np.inf, rows).max(axis=0)
    return Seen(count, mean, (away * away).sum(axis=0), least, greatest)


@np.errstate(all="ignore")
def together(one: Seen, other: Seen) -> Seen:
    """Chan, Golub and LeVeque (1979): moments of two sets of rows from those of each."""
    both = np.maximum(one.count + other.count, 1.0)
    apart = other.mean - one.mean
    mean = np.where(other.count > 0, one.mean + apart * (other.count / both), one.mean)
    squares = one.squares + other.squares + apart**2 * (one.count * other.count / both)
    return Seen(
        one.count + other.count,
        mean,
        squares,
        np.minimum(one.least, other.least),
        np.maximum(one.greatest, other.greatest),
    )
