"""Labelled rows, ready for the kernels: what training and evaluation read.

A `Matrix` is an array or `Csr`; `Rows` are its rows as a backend takes them; `Examples` are rows
with labels and weights; a `Scale` says how large rows are.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core import summation
from rosenblatt._core.backend import compute, gpu
from rosenblatt._core.device import OnDevice
from rosenblatt._core.protocol import Candidates, LabelledRows, Mean, MistakeTally
from rosenblatt._core.summation import Fold, folded, in_order
from rosenblatt._util.progress import check_interrupt
from rosenblatt.errors import InputError

Floats = NDArray[np.float64]

if TYPE_CHECKING:
    from rosenblatt._core.protocol import Backend, Labels, NativeRows

    Count = Callable[[LabelledRows, MistakeTally, int, int], bool]


_PIECE = 1 << 15  # numbers that are added at a time: a cache holds them


def as_table(X: Matrix) -> Any:
    if isinstance(X, Csr):
        return sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    return X


def as_matrix(table: Any) -> Matrix:
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
    return np.asarray(x.toarray() if sparse.issparse(x) else x)


def nonzeros(X: Matrix) -> int:
    return int(np.count_nonzero(X.data if isinstance(X, Csr) else X))


def squares(x: Any) -> NDArray[np.float64]:
    if sparse.issparse(x):
        x = x.astype(np.float64)
        return np.asarray(x.multiply(x).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", x, x, dtype=np.float64))


def squares_alike(x: Any) -> NDArray[np.float64]:
    """Squared lengths of rows, added from left to right: zeros change nothing, so that an array and
    a sparse matrix give the same bits."""
    if sparse.issparse(x):
        row = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        terms = np.square(x.data, dtype=np.float64)
        return np.asarray(np.bincount(row, terms, minlength=x.shape[0]), dtype=np.float64)
    sums = np.zeros(len(x))
    step = max(1, _PIECE // max(x.shape[1], 1))
    for begin in range(0, len(x), step):
        some = np.square(x[begin : begin + step], dtype=np.float64)
        sums[begin : begin + step] = np.add.accumulate(some, axis=1, out=some)[:, -1]
    return sums


def some_rows(X: Matrix, index: Any) -> Matrix:
    if not isinstance(X, Csr):
        return np.asarray(X[index])
    part = as_table(X)[index]
    return Csr(part.data, part.indices, part.indptr, part.shape)


def row_range(X: Matrix, begin: int, end: int) -> Matrix:
    if not isinstance(X, Csr):
        return X[begin:end]
    indptr = X.indptr[begin : end + 1]
    first, last = indptr[0], indptr[-1]
    return Csr(X.data[first:last], X.indices[first:last], indptr - first, (end - begin, X.shape[1]))


# --- The mean squared length of rows: the same bits however they are held ------------------------
#
# Σ c_i ‖x̃_i‖² is a sum over blocks of rows (`summation.py`), which can be made in parts.


Lengths = Iterable[tuple[Floats, Floats | None]]
"""Block by block ‖x̃_i‖² of the rows, and their weights; None: all 1."""


class Scale(NamedTuple):
    """Of rows that were seen: Σ c_i ‖x̃_i‖², and Σ c_i."""

    total: float
    weight: float

    @classmethod
    def of(cls, blocks: Lengths) -> Scale:
        totals, weights = [], []
        with np.errstate(over="ignore"):  # whoever takes the mean looks
            for squares, c in blocks:
                totals.append(float(in_order(squares if c is None else c * squares)))
                weights.append(float(len(squares)) if c is None else float(in_order(c)))
            return cls(folded(totals), folded(weights))

    @property
    def mean(self) -> float:
        return self.total / self.weight

    def with_more(self, more: Scale) -> Scale:
        return Scale(self.total + more.total, self.weight + more.weight)


class Sized(ABC):
    """Rows whose size can be asked for."""

    @abstractmethod
    def lengths(self, *, intercept: bool) -> Lengths:
        """Block by block the squared lengths of the lifted rows, and their weights."""

    def size(self, *, intercept: bool) -> Scale:
        return Scale.of(self.lengths(intercept=intercept))


Weights = NDArray[np.float64]
"""Lifted, (w, b), of shape (d + 1,); of many classes one for each, of shape (k, d + 1)."""


def check_shape(w: Weights, shape: tuple[int, ...]) -> None:
    """Kernels trust it: whatever somebody has set an attribute to, they read what is there."""
    if w.shape != shape:
        raise InputError(
            f"The rows have {shape[-1] - 1} columns, and the weights are those of "
            f"{w.shape[-1] - 1}: the rule and the rows do not belong together."
        )


class Csr(NamedTuple):
    """The arrays of a CSR matrix: contiguous, sorted, without duplicates, one type of index."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]


Matrix = NDArray[Any] | Csr
"""Rows as the kernels take them: a C-contiguous array or Csr, float32 or float64."""

Placed = Matrix | OnDevice
"""The same, or on a GPU."""

SHORTEST = 16
"""Numbers that a row counts for, at least: a visit costs something however short the row is."""

_ON_GPU = 1 << 30  # numbers that a GPU reads in one call


class Rows:
    """The rows of X as the kernels take them; X is borrowed, never copied."""

    def __init__(self, X: Placed):
        self.given = X
        self.n, self.d = X.shape
        self.on_gpu = isinstance(X, OnDevice)
        self.native: NativeRows
        if isinstance(X, OnDevice):
            self.native, numbers = X.rows(), self.d
        elif isinstance(X, Csr):
            self.native = compute.backend.csr(X.data, X.indices, X.indptr, self.d)
            numbers = len(X.data) // max(self.n, 1) + 1
        else:
            self.native = compute.backend.dense(X)
            numbers = self.d
        self.by_feature = isinstance(X, Csr)
        self.row_size = max(numbers, SHORTEST)
        self.chunk = max(1, (_ON_GPU if self.on_gpu else compute.chunk) // self.row_size)

    @property
    def X(self) -> Matrix:  # noqa: N802 - the matrix of rows
        """The rows on the host: of a GPU a copy, made when it is first asked for."""
        return self.given.host if isinstance(self.given, OnDevice) else self.given

    @property
    def backend(self) -> Backend:
        return gpu() if self.on_gpu else compute.backend

    def chunks(
        self, evaluations: int = 1, within: tuple[int, int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Rows to read in one call, where each is evaluated so often; of all, or some."""
        first, last = (0, self.n) if within is None else within
        chunk = max(1, self.chunk // max(evaluations, 1))
        for begin in range(first, last, chunk):
            if begin:
                check_interrupt()
            yield begin, min(begin + chunk, last)

    def placed(self, w: Weights) -> Weights:
        """The weights as these rows read them: of many classes one feature after another where rows
        are sparse, else one class after another. A copy only if they lie otherwise."""
        return np.asarray(w, order="F" if self.by_feature else "C")

    def candidate(self, w: Weights | Mean) -> Weights | Mean:
        if not isinstance(w, Mean):
            return self.placed(w)
        if not self.by_feature:
            return self.placed(w.worked_out())
        return w._replace(w=self.placed(w.w), correction=self.placed(w.correction))

    def scores(self, w: Weights) -> NDArray[np.float64]:
        """w·x + b for every row; of many classes one for each, in a column of its own."""
        check_shape(w, (*w.shape[:-1], self.d + 1))
        if (
            not self.by_feature or self.n * self.row_size > self.d
        ):  # else it takes longer to move them
            w = self.placed(w)
        out = np.empty((self.n, *w.shape[:-1]))
        for begin, end in self.chunks(len(w) if w.ndim > 1 else 1):
            self.backend.scores(self.native, w, begin, end, out)
        return out

    def lifted_squares(self, begin: int, end: int, *, intercept: bool) -> NDArray[np.float64]:
        if self.on_gpu:  # which has none
            return Rows(self.X).lifted_squares(begin, end, intercept=intercept)
        out = np.empty(end - begin)
        compute.backend.lifted_squares(self.native, intercept, begin, end, out)
        return out

    def add_votes(self, voters: Weights, votes: Weights, out: NDArray[np.float64]) -> None:
        """out += Σ over voters of votes · sign(score), with sign(0) = +1.

        Of many classes the one with the highest score gets the votes.
        """
        check_shape(voters, (*voters.shape[:-1], self.d + 1))
        if self.on_gpu:  # which has no votes
            Rows(self.X).add_votes(voters, votes, out)
            return
        placed = [self.placed(w) for w in voters] if voters.ndim > 2 else voters
        for begin, end in self.chunks(math.prod(voters.shape[:-1])):
            compute.backend.vote(self.native, placed, votes, begin, end, out)


class Labelled:
    """Labels y and weights c (None: all 1) of rows.

    Labels of two classes are -1 and +1 (int8). Those of k classes are their numbers (int32).
    """

    quick = True  # all rows can be evaluated once more while somebody waits
    gpu: Any = None  # the rows, where they are on a GPU

    def __init__(self, y: Labels, c: Weights | None, k: int | None = None, tie: float = 0.0):
        self.y, self.c = y, c
        self.tie = tie  # of two classes: what a score of 0 is taken for
        self.k = k  # how many classes; None: two, -1 and +1
        self.index_type = np.int32 if len(y) <= np.iinfo(np.int32).max else np.int64
        # A row of weight 0 does not exist: `present` lists the others, None where all are.
        self.present = None
        if c is not None and not c.all():
            self.present = np.flatnonzero(c).astype(self.index_type)
        self.n = len(y) if self.present is None else len(self.present)
        self.total_weight = float(self.n) if c is None else summation.total(c)

    def margins(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.tie and scores.ndim == 1:
            scores = np.where(scores == 0, self.tie, scores)
        return margins(scores, self.y)

    def wrong(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        wrong = ~(self.margins(scores) > 0)
        return wrong if self.c is None else wrong & (self.c != 0)

    def mistakes(self, scores: NDArray[np.float64]) -> int:
        return int(np.count_nonzero(self.wrong(scores)))


def margins(scores: NDArray[np.float64], y: Labels) -> NDArray[np.float64]:
    """y·score; of many classes the score of class y minus the highest of the others."""
    if scores.ndim == 1:
        return np.asarray(y * scores)
    return standing(scores, y)[0]


def standing(
    scores: NDArray[np.float64], y: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Of many classes the margin of each row, and its rival: the highest of the other scores, of
    equal ones the first."""
    rows = np.arange(len(y))
    others = scores.copy(order="K")
    others[rows, y] = -np.inf
    rivals = np.argmax(others, axis=1)
    return np.asarray(scores[rows, y] - others[rows, rivals]), rivals


class Tally:
    """The mistakes of several weight vectors, up to the limit of each."""

    def __init__(self, weights: Sequence[Weights | Mean], limits: list[float] | None):
        self.w = list(weights)
        number = len(self.w)
        self.limit = np.full(number, np.inf) if limits is None else np.array(limits, np.float64)
        self.plain, self.weighted = np.zeros(number, dtype=np.int64), np.zeros(number)
        self._blocks = Fold[Weights]()

    @property
    def limit_of_block(self) -> Weights:
        """That of each within one block of rows: nothing is left for one that is out already."""
        return np.where(self.weighted < self.limit, self.limit, -np.inf)

    def add_block(self, weighted: Weights) -> bool:
        """The weights of the mistakes on the next block. False: no vector can win any more.

        No sum is above the one that more mistakes would give: one that has reached its limit stays
        out.
        """
        self._blocks.add(weighted)
        self.weighted = self._blocks.total()
        return bool((self.weighted < self.limit).any())


class RowsToJudge(ABC):
    """Rows that weight vectors can be compared on."""

    def count(
        self, weights: Sequence[Weights | Mean], limits: list[float] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Mistakes of each weight vector, plain and weighted, in one pass over the rows.

        A vector whose weighted mistakes reach its limit cannot win any more: counting it stops, and
        its numbers say only that.
        """
        tally = Tally(weights, limits)
        self.add_mistakes(tally)
        return tally.plain, tally.weighted

    @abstractmethod
    def add_mistakes(self, tally: Tally) -> bool:
        """Add the mistakes on these rows to the tally; False once no vector can win any more."""


class Examples(RowsToJudge, Labelled, Sized):
    """Rows with their labels and weights."""

    def __init__(
        self,
        X: Placed,
        y: Labels,
        c: Weights | None = None,
        k: int | None = None,
        tie: float = 0.0,
    ):
        super().__init__(y, c, k, tie)
        self.rows = Rows(X)
        self.gpu = self.rows if self.rows.on_gpu else None
        self.labelled = LabelledRows(self.rows.native, y, c, tie)
        self.chunk, self.d = max(1, self.rows.chunk // (k or 1)), self.rows.d
        self.shape_of_weights = (self.d + 1,) if k is None else (k, self.d + 1)

    def lengths(self, *, intercept: bool) -> Iterator[tuple[Weights, Weights | None]]:
        for begin, end in summation.blocks(self.rows.n):
            squares = self.rows.lifted_squares(begin, end, intercept=intercept)
            yield squares, None if self.c is None else self.c[begin:end]

    def add_mistakes(self, tally: Tally) -> bool:
        return self.add_mistakes_with(self.rows.backend.count, tally)

    def add_mistakes_with(self, count: Count, tally: Tally) -> bool:
        w = np.array(tally.w) if self.k is None else [self.rows.candidate(w) for w in tally.w]
        evaluations = len(w) * (self.k or 1)
        if self.c is not None:
            return all(
                self._add_block(count, tally, w, block) for block in summation.blocks(self.rows.n)
            )
        of_all = MistakeTally(w, tally.limit, tally.plain, tally.weighted)
        return all(  # whole numbers: no rounding
            count(self.labelled, of_all, begin, end) for begin, end in self.rows.chunks(evaluations)
        )

    def _add_block(self, count: Count, tally: Tally, w: Candidates, block: tuple[int, int]) -> bool:
        weighted, evaluations = np.zeros(len(w)), len(w) * (self.k or 1)
        of_block = MistakeTally(w, tally.limit_of_block, tally.plain, weighted)
        for begin, end in self.rows.chunks(evaluations, block):
            if not count(self.labelled, of_block, begin, end):
                break
        return tally.add_block(weighted)
