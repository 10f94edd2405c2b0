"""Rows without a label are left out, when that is asked for; the others keep their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._util.text import many
from rosenblatt.data.batch import Batch, Kind


@final
class Labelled:
    """The rows of parts that have a label. When all were given, `left_out` are the numbers of the
    others, counted from 0 over all files."""

    def __init__(self, parts: Iterable[Batch], target: str, kind: Kind):
        self._parts, self._target, self._kind = parts, target, kind
        self._left_out: list[NDArray[np.int64]] = []
        self._seen = 0

    def __iter__(self) -> Iterator[Batch]:
        for part in self._parts:
            if self._kind is Kind.NUMBER:
                there = ~np.isnan(part.numbers(self._target))
            else:
                there = part.words(self._target)[0] >= 0
            self._left_out.append(self._seen + np.flatnonzero(~there))
            self._seen += part.rows
            if there.all():
                yield part
            elif there.any():
                yield part.only(there)

    @property
    def left_out(self) -> NDArray[np.int64]:
        return np.concatenate(self._left_out) if self._left_out else np.empty(0, dtype=np.int64)


def left_out_of(parts: Iterable[Batch]) -> NDArray[np.int64]:
    """The numbers of the rows that these parts left out, when all were given."""
    return parts.left_out if isinstance(parts, Labelled) else np.empty(0, dtype=np.int64)


def in_place(
    X: Any, y: NDArray[Any], left_out: NDArray[np.int64], weights: Any = None
) -> tuple[Any, NDArray[Any], Any]:
    """Rows, labels and weights at the numbers that they have in the table. What was left out is a
    row of zeros there, with weight 0, so that a certificate names rows as the table does."""
    if not len(left_out):
        return X, y, weights
    n = len(y) + len(left_out)
    kept = np.delete(np.arange(n), left_out)
    labels, found = np.full(n, y[0], dtype=y.dtype), np.zeros(n)
    labels[kept], found[kept] = y, 1.0 if weights is None else weights
    return _spread(X, n, kept), labels, found


def _spread(X: Any, n: int, kept: NDArray[np.int64]) -> Any:
    if sparse.issparse(X):
        counts = np.zeros(n + 1, dtype=np.int64)
        counts[kept + 1] = np.diff(X.indptr)
        return sparse.csr_array((X.data, X.indices, np.cumsum(counts)), shape=(n, X.shape[1]))
    rows = np.zeros((n, X.shape[1]))
    rows[kept] = X
    return rows


def told(left_out: int) -> str:
    """What to say about it."""
    return f"{many(left_out, 'row')} without a label left out"
