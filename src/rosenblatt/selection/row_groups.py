"""Rows that stay in one part of a comparison: those of a group, and those with equal features.

A row whose copy was trained on is no new row. A table of a few discrete columns has equal rows that
nobody copied: they are rows as new ones will be, and are divided one by one. They are told from
copies by their labels, which differ, or by a set of values that makes up a good share of the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Indices = NDArray[np.intp]

_FEW = 0.05  # of the rows: so many copies change no interval
_LARGE = 20  # rows with equal features: a rule learns little from one more
_SHARE = 0.05  # of a discrete table: so few sets of values are all there are
_PART = 0.2  # of any table: equal rows that would fill a part
_MIXED = 0.1  # of equal rows: so many have another label than most
_DISCRETE = 5  # rows for each set of values, on average
_TOGETHER = 1 << 20  # numbers at a time


@dataclass(frozen=True)
class RowGroups:
    """The group of each row, by number.

    Attributes
    ----------
    given : bool
        The caller said which rows belong together; otherwise only equal rows do.
    repeated : int
        Rows with the features of an earlier one.
    dependent : bool
        Intervals are by group: rows are given in groups, or too many are repeated.
    """

    codes: Indices
    given: bool
    repeated: int
    dependent: bool

    def of(self, rows: Indices) -> RowGroups:
        return replace(self, codes=self.codes[rows])

    @property
    def many_repeated(self) -> bool:
        return self.repeated > _FEW * len(self.codes)


def row_groups(X: Any, y: NDArray[Any], given: Any = None) -> RowGroups | None:
    """None where all rows stand alone."""
    n = len(y)
    codes = equal_rows(X)
    repeated = n - int(codes.max(initial=-1)) - 1
    if repeated and _natural(codes, y):
        codes, repeated = np.arange(n), 0
    if given is None:
        return RowGroups(codes, False, repeated, repeated > _FEW * n) if repeated else None
    groups = np.unique(np.asarray(given), return_inverse=True)[1]
    if repeated:
        joined = _joined(groups, codes)
        # Equal rows in many groups would make one of all of them, which cannot be divided.
        if np.bincount(joined).max() <= max(n // 5, np.bincount(groups).max()):
            groups = joined
    return RowGroups(groups, True, repeated, True)


def _joined(one: Indices, other: Indices) -> Indices:
    """Groups of rows that are together in either."""
    edges = sparse.coo_array((np.ones(len(one)), (one, one.max() + 1 + other)))
    size = max(edges.shape)
    edges.resize(size, size)
    _, component = sparse.csgraph.connected_components(edges, directed=False)
    return np.unique(component[one], return_inverse=True)[1]


def _natural(codes: Indices, y: NDArray[Any]) -> bool:
    """Whether most of the rows that have equals are no copies."""
    n, sizes = len(codes), np.bincount(codes)
    labels = np.unique(y, return_inverse=True)[1]
    by_label = sparse.coo_array((np.ones(n), (codes, labels))).tocsr()
    by_label.sum_duplicates()
    others = sizes - by_label.max(axis=1).toarray().ravel()
    is_discrete = n >= _DISCRETE * len(sizes)
    natural = (others >= _MIXED * sizes) & ((sizes >= _LARGE) | is_discrete)
    natural |= sizes > (_SHARE if is_discrete else _PART) * n
    equal = sizes > 1
    return bool(2 * sizes[natural & equal].sum() >= sizes[equal].sum())


# --- Which rows have equal features --------------------------------------------------------------


def equal_rows(X: Any) -> Indices:
    """A number for each row; equal rows have the same one. Missing values are equal."""
    if not sparse.issparse(X):
        X = _numbers(X)
        n, key = X.shape[0], _dense_keys(X)
    else:
        X = X.tocsr(copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        n, key = X.shape[0], _sparse_keys(X)
    _, first, codes = np.unique(key, return_index=True, return_inverse=True)
    rows = np.flatnonzero(first[codes] != np.arange(n))
    step = max(1, _TOGETHER // max(X.shape[1], 1))
    for begin in range(0, len(rows), step):  # keys may be equal by chance
        some = rows[begin : begin + step]
        differ = some[~_equal(X, some, first[codes[some]])]
        codes[differ] = len(first) + differ
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]  # in the order of their first rows


def _numbers(X: Any) -> NDArray[Any]:
    """Columns of text as the numbers of their words."""
    if not hasattr(X, "columns"):
        X = np.asarray(X)
        if X.dtype.kind in "fiub":
            return np.asarray(X)
    columns = [np.asarray(X[name]) for name in X.columns] if hasattr(X, "columns") else list(X.T)
    return np.column_stack([_column(column) for column in columns])


def _column(column: NDArray[Any]) -> NDArray[np.float64]:
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    words = column.astype(str)
    return np.unique(words, return_inverse=True)[1].astype(np.float64)


def mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The last steps of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """The same for 0 and -0, and for every NaN."""
    values = values.astype(np.float64) + 0.0
    values[np.isnan(values)] = np.nan
    return values.view(np.uint64)


def _dense_keys(X: NDArray[Any]) -> NDArray[np.uint64]:
    key = np.zeros(X.shape[0], np.uint64)
    for j in range(X.shape[1]):
        key = mixed(key * np.uint64(31) + _bits(X[:, j]))
    return key


def _sparse_keys(X: Any) -> NDArray[np.uint64]:
    places = mixed(X.indices.astype(np.uint64) + np.uint64(1))
    terms = mixed(_bits(X.data) ^ places)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]])  # modulo 2^64


def _equal(X: Any, rows: Indices, others: Indices) -> NDArray[np.bool_]:
    if sparse.issparse(X):
        differences = (X[rows] != X[others]).tocsr()
        differences.eliminate_zeros()
        return np.asarray(np.diff(differences.indptr) == 0)
    a, b = X[rows], X[others]
    return np.asarray(((a == b) | ((a != a) & (b != b))).all(axis=1))
