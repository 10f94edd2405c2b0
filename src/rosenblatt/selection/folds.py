"""Rows are divided so that every part has its share of each label, and groups stay together.

A row whose copy was trained on is no new row. A table of a few discrete columns has equal rows that
nobody copied: they are rows as new ones will be, and are divided one by one. They are told from
copies by their labels, which differ, or by a set of values that makes up a good share of the table.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._util.text import listed, many
from rosenblatt.data.target import FIFTHS, too_rare
from rosenblatt.errors import InputError

Indices = NDArray[np.intp]


def folds(y: NDArray[Any], k: int, groups: RowGroups | None, seed: int) -> list[Indices]:
    """k parts of the rows, each sorted: stratified, shuffled by the seed.

    Equal rows stay together where every part can have all labels then. Groups that were given
    always do.
    """
    labels, codes = np.unique(y, return_inverse=True)
    counts = np.bincount(codes, minlength=len(labels))
    given = groups.codes if groups is not None and groups.given else None
    _check(labels, counts, k, given)
    if groups is not None and not groups.given:
        parts = _without_copies(codes, counts, k, groups.codes, seed)
        if parts is not None:
            return parts
    parts = _stratified(codes, k, given, seed)
    for part in parts:
        if len(part) == 0 or (np.bincount(codes[part], minlength=len(labels)) == counts).any():
            why = "" if given is None else ", since rows of a group stay together"
            raise InputError(
                f"The rows cannot be divided into {k} parts that each leave rows of all labels to "
                f"the others{why}. Take another seed, or a column with more and smaller groups."
            )
    return parts


def _stratified(codes: Indices, k: int, groups: Indices | None, seed: int) -> list[Indices]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(n_splits=k, shuffle=True, random_state=seed)
    return [part for _, part in splitter.split(np.zeros(len(codes)), codes, groups)]


def _without_copies(
    codes: Indices, counts: NDArray[np.intp], k: int, groups: Indices, seed: int
) -> list[Indices] | None:
    """Groups are divided as rows are, each by the rarest label in it: None where a part lacks one.

    StratifiedGroupKFold looks at one group after the other, which takes minutes for many rows.
    """
    rarity = np.argsort(np.argsort(counts, kind="stable"))
    of_group = np.full(int(groups.max()) + 1, len(counts))
    np.minimum.at(of_group, groups, rarity[codes])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a label with fewer groups than parts
        if len(of_group) < k or np.bincount(of_group).max() < k:
            return None
        parts_of_groups = _stratified(of_group, k, None, seed)
    part = np.empty(len(of_group), dtype=np.intp)
    for number, some in enumerate(parts_of_groups):
        part[some] = number
    parts = [np.flatnonzero(part[groups] == number) for number in range(k)]
    has_all = all(np.bincount(codes[rows], minlength=len(counts)).all() for rows in parts)
    return parts if has_all else None


def by_time(y: NDArray[Any], times: NDArray[np.float64]) -> tuple[Indices, Indices, Indices]:
    """The earliest three fifths, the next fifth and the latest one, each sorted, as nearly as equal
    times, which stay in one part, allow."""
    n, order = len(times), np.argsort(times, kind="stable")
    cuts = np.flatnonzero(np.diff(times[order])) + 1
    if len(cuts) < 2:
        raise InputError(
            f"The rows have {many(len(cuts) + 1, 'different time')}, and rows of one time stay "
            "together: three parts need at least three. Leave out the time, or take another column."
        )
    last = int(cuts[1:][np.abs(cuts[1:] - n * 4 / FIFTHS).argmin()])
    earlier = cuts[cuts < last]
    first = int(earlier[np.abs(earlier - n * 3 / FIFTHS).argmin()])
    train, validation, test = (np.sort(part) for part in np.split(order, [first, last]))
    if len(later := np.setdiff1d(y, y[train])):
        raise InputError(
            f"The training rows, the earliest {len(train):,}, lack the label "
            f"{listed([*map(repr, map(str, later))], 3)}, which comes later. Leave out such rows, "
            "or the time."
        )
    return train, validation, test


def rest(parts: list[Indices], without: list[int]) -> Indices:
    """The rows of all parts but these, sorted."""
    return np.sort(np.concatenate([p for i, p in enumerate(parts) if i not in without]))


def _check(labels: NDArray[Any], counts: NDArray[np.intp], k: int, groups: Indices | None) -> None:
    if len(labels) < 2:
        only = f"all are {str(labels[0])!r}" if len(labels) else "there are none"
        raise InputError(f"Two different labels are needed to compare rules; {only}.")
    if (rare := too_rare(dict(zip(labels.tolist(), counts.tolist(), strict=True)), k)) is not None:
        raise InputError(rare)
    if groups is not None and (number := len(np.unique(groups))) < k:
        raise InputError(
            f"There are {number} groups, and rows of a group stay together; {k} parts need {k} "
            "groups at least. Leave out the groups, or take a column with more values."
        )


# --- Rows that stay in one part: those of a group, and those with equal features -----------------

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
