"""Arrays and sparse matrices alike: the few things that are asked of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._compute.examples import Csr, Matrix

_PIECE = 1 << 15  # numbers that are added at a time: a cache holds them


def as_table(X: Matrix) -> Any:
    """An array or a scipy matrix, without a copy."""
    if isinstance(X, Csr):
        return sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    return X


def as_matrix(table: Any) -> Matrix:
    """The way back, of a table whose rows are sorted."""
    if not sparse.issparse(table):
        return _in_order(table)
    index = np.int32 if table.indices.dtype == table.indptr.dtype == np.int32 else np.int64
    entries = int(table.indptr[-1])
    return Csr(
        _in_order(table.data[:entries]),
        _in_order(table.indices[:entries], index),
        _in_order(table.indptr, index),
        (int(table.shape[0]), int(table.shape[1])),
    )


def _in_order(array: Any, dtype: Any = None) -> NDArray[Any]:
    """One number after the other, each where the processor expects it; a copy only if needed."""
    return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"])


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


def squares_alike(x: Any) -> NDArray[np.float64]:
    """The same, added from left to right: zeros change nothing, so that an array and a sparse
    matrix give the same bits."""
    if sparse.issparse(x):
        row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        terms = np.square(x.data, dtype=np.float64)
        return np.asarray(np.bincount(row, terms, minlength=x.shape[0]), dtype=np.float64)
    found = np.zeros(len(x))
    step = max(1, _PIECE // max(x.shape[1], 1))
    for begin in range(0, len(x), step):
        some = np.square(x[begin : begin + step], dtype=np.float64)
        found[begin : begin + step] = np.add.accumulate(some, axis=1, out=some)[:, -1]
    return found


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
