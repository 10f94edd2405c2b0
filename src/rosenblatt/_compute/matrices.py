"""Arrays and sparse matrices alike: the few things that are asked of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._compute.examples import Csr, Matrix


def as_table(X: Matrix) -> Any:
    """An array or a scipy matrix, without a copy."""
    if isinstance(X, Csr):
        return sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    return X


def as_matrix(table: Any) -> Matrix:
    """The way back, of a table whose rows are sorted."""
    if not sparse.issparse(table):
        return np.ascontiguousarray(table)
    index = np.int32 if table.indices.dtype == table.indptr.dtype == np.int32 else np.int64
    entries = int(table.indptr[-1])
    return Csr(
        np.ascontiguousarray(table.data[:entries]),
        np.ascontiguousarray(table.indices[:entries], dtype=index),
        np.ascontiguousarray(table.indptr, dtype=index),
        (int(table.shape[0]), int(table.shape[1])),
    )


def dense(x: Any) -> NDArray[Any]:
    """As an array."""
    return np.asarray(x.toarray() if sparse.issparse(x) else x)


def nonzeros(X: Matrix) -> int:
    """How many numbers are not zero, stored or not."""
    return int(np.count_nonzero(X.data if isinstance(X, Csr) else X))


def squares(x: Any) -> NDArray[np.float64]:
    """‖x_i‖² of each row, in float64."""
    if sparse.issparse(x):
        x = x.astype(np.float64)
        return np.asarray(x.multiply(x).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", x, x, dtype=np.float64))


def some_rows(X: Matrix, index: Any) -> Matrix:
    """Some rows of a table, as a table of its own."""
    if not isinstance(X, Csr):
        return np.asarray(X[index])
    part = as_table(X)[index]
    return Csr(part.data, part.indices, part.indptr, part.shape)


def row_range(X: Matrix, begin: int, end: int) -> Matrix:
    """The rows from `begin` to `end`, without a copy of their numbers."""
    if not isinstance(X, Csr):
        return X[begin:end]
    indptr = X.indptr[begin : end + 1]
    first, last = indptr[0], indptr[-1]
    return Csr(X.data[first:last], X.indices[first:last], indptr - first, (end - begin, X.shape[1]))
