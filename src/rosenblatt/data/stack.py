"""Rows of numbers below and beside each other: arrays, or CSR matrices where columns are prose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def below(batches: list[Any], features: int) -> Any:
    if not batches:
        return np.empty((0, features))
    if any(map(sparse.issparse, batches)):
        return sparse.vstack(batches, format="csr")
    return np.concatenate(batches)


def beside(X: Any, others: list[Any]) -> Any:
    """An array with further columns, which are sparse."""
    return sparse.hstack([sparse.csr_array(X), *others], format="csr") if others else X


def in_place(
    X: Any, y: NDArray[Any], left_out: NDArray[np.int64], weights: Any = None
) -> tuple[Any, NDArray[Any], Any]:
    """Rows, labels and weights at the numbers that they have in the table. What was left out is a
    row of zeros there, with weight 0, so that a certificate names rows as the table does."""
    if not len(left_out):
        return X, y, weights
    n = len(y) + len(left_out)
    kept = np.delete(np.arange(n), left_out)
    labels, all_weights = np.full(n, y[0], dtype=y.dtype), np.zeros(n)
    labels[kept], all_weights[kept] = y, 1.0 if weights is None else weights
    if sparse.issparse(X):
        counts = np.zeros(n + 1, dtype=np.int64)
        counts[kept + 1] = np.diff(X.indptr)
        X = sparse.csr_array((X.data, X.indices, np.cumsum(counts)), shape=(n, X.shape[1]))
        return X, labels, all_weights
    rows = np.zeros((n, X.shape[1]))
    rows[kept] = X
    return rows, labels, all_weights
