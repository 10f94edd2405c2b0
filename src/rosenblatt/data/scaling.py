"""What is put where a number is missing, and by what numbers are scaled: learned from rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import either
from rosenblatt.data.encoding import Encoding
from rosenblatt.data.moments import Moments, Seen
from rosenblatt.data.stack import head, with_head
from rosenblatt.errors import InputError


def learned(encoding: Encoding, X: Any, *, scale: bool, impute: str | None) -> Encoding:
    """The encoding with fills and scales of these rows, encoded with missing values."""
    if not scale and impute is None:
        return encoding
    X = head(encoding, X)
    numbers = encoding.number_places
    moments = Moments(len(numbers))
    for rows in blocks(X):
        moments.add(rows[:, numbers])
    medians = (np.nanmedian(X[:, j]) for j in numbers)
    return with_moments(encoding, moments.finish(), medians, scale=scale, impute=impute)


def with_moments(
    encoding: Encoding,
    moments: Seen,
    medians: Iterable[Any],
    *,
    scale: bool,
    impute: str | None,
) -> Encoding:
    """The encoding with fills and scales. The medians are looked at only where they are wanted."""
    numbers = encoding.number_places
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
        name = encoding.feature_names[numbers[int(wild.argmax())]]
        raise InputError(
            f"The numbers of the column {name!r} are too large to be scaled. Divide them by a "
            f"constant{either(', or leave all numbers as they are: scale=False', '')}.",
            column=name,
        )
    return encoding.with_scales(fills, centers, scales)


def blocks(X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    size = max(1, (1 << 17) // max(1, X.shape[1]))
    return (X[i : i + size] for i in range(0, len(X), size))


def finished(encoding: Encoding, X: Any, *, copy: bool = True) -> Any:
    """Rows that were encoded with missing values, filled and scaled."""
    dense = np.array(head(encoding, X), copy=copy or None)
    for rows in blocks(dense):
        encoding.finish(rows)
    return with_head(encoding, X, dense)
