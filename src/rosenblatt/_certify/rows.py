"""The rows to decide about, in two arithmetics: floating point and whole numbers.

Row i is lifted and signed: a_i = y_i (x_i, 1), or y_i x_i through the origin; D numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._certify.exact_product import products, signs_of_products
from rosenblatt._certify.modular import longest
from rosenblatt._core.rows import dense, squares
from rosenblatt._util.budget import Budget
from rosenblatt._util.interrupt import check_interrupt

Ints = NDArray[np.int64]

_MANY, _MANY_AT_ONCE = 8, 1 << 12  # rows whose exact scores are found together
_MOST_DENSE = 1 << 24  # numbers in rows that are sparse and made dense
_CHUNK = 1 << 17  # numbers read at a time: what is made of them stays in the cache


class Rows:
    """Signed, lifted rows. X is float32 or float64, an array or a CSR matrix; it is not copied."""

    def __init__(
        self, X: Any, y: NDArray[np.int8], *, intercept: bool, decimal: bool, budget: Budget
    ):
        self.X, self.y, self.intercept, self.decimal = X, y.astype(np.float64), intercept, decimal
        self.n, self.d = X.shape
        self.D = self.d + intercept
        self.budget = budget
        self.ratio: Callable[[float], tuple[int, int]] = (
            decimal_ratio if decimal else float.as_integer_ratio
        )
        self.rounding = (4 * self.D + 24) * 2.0**-53  # relative, of a score; see `signs`
        self._norms: Floats | None = None

    # --- Floating point ---

    def split(self, lifted: Floats) -> tuple[Floats, float]:
        """(w, b)."""
        return (lifted[:-1], float(lifted[-1])) if self.intercept else (lifted, 0.0)

    def lifted(self, w: Floats, b: float) -> Floats:
        """The other way round."""
        return np.append(w, b) if self.intercept else w

    def chunks(self) -> Iterator[tuple[int, int]]:
        numbers = self.X.nnz // max(self.n, 1) if sparse.issparse(self.X) else self.d
        step = max(1, _CHUNK // max(numbers, 1))
        for begin in range(0, self.n, step):
            check_interrupt()
            yield begin, min(begin + step, self.n)

    def x(self, begin: int, end: int) -> Any:
        """Some rows of X in float64."""
        return self.X[begin:end].astype(np.float64, copy=False)

    def scores(self, w: Floats, b: float) -> Floats:
        """y_i (w·x_i + b), in floating point."""
        self.budget.spend(self.n)
        out = np.empty(self.n)
        for begin, end in self.chunks():
            out[begin:end] = self.x(begin, end) @ w
        out += b
        out *= self.y
        return out

    def dense(self, index: Any, columns: Sequence[int] | None = None) -> Floats:
        """The rows x_i (or some columns of them), not lifted, as they were given."""
        x = self.X[index]
        if columns is not None and len(columns) < self.d:
            x = x[:, columns]
        return dense(x).astype(np.float64, copy=False)

    def used(self, *vectors: Sequence[int]) -> list[int]:
        """The features in which one of the vectors is not zero; one at least."""
        found = [j for j, column in enumerate(zip(*vectors, strict=True)) if any(column)]
        return [j for j in found if j < self.d] or [0]

    def norms(self) -> Floats:
        """‖x_i‖, up to rounding; too small by up to 2^-500 √d where numbers are tiny."""
        if self._norms is None:
            self._norms = np.empty(self.n)
            for begin, end in self.chunks():
                self._norms[begin:end] = np.sqrt(squares(self.x(begin, end)))
        return self._norms

    def ranges(
        self, mask: NDArray[np.bool_], *, signed: bool = False
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Smallest and largest value of each column (of y x with `signed`) over some rows."""
        low, high = np.full(self.d, np.inf), np.full(self.d, -np.inf)
        for begin, end in self.chunks():
            x = self.x(begin, end)[np.flatnonzero(mask[begin:end])]
            if not x.shape[0]:
                continue
            if signed:
                y = self.y[begin:end][mask[begin:end], None]
                x = x.multiply(y).tocsr() if sparse.issparse(x) else x * y
            np.minimum(low, dense(x.min(axis=0)).ravel(), out=low)
            np.maximum(high, dense(x.max(axis=0)).ravel(), out=high)
        return low, high

    # --- Exactly ---

    def exact(self, i: int) -> list[Fraction]:
        """a_i."""
        y = int(self.y[i])
        row = [Fraction(*self.ratio(v)) * y for v in self.dense([i])[0].tolist()]
        return [*row, Fraction(y)] if self.intercept else row

    def whole(self, index: Sequence[int]) -> tuple[list[Vector], Vector]:
        """Rows in whole numbers, and the scale of each column: a_ij = whole_ij / scale_j."""
        place = np.asarray(index, dtype=np.intp)
        y = self.y[place].astype(np.int64)
        x = self.dense(place) * y[:, None]
        rows, scale = self._whole_decimal(x) if self.decimal else whole_binary(x)
        if self.intercept:
            for row, sign in zip(rows, y.tolist(), strict=True):
                row.append(sign)
            scale.append(1)
        return rows, scale

    def _whole_decimal(self, x: Floats) -> tuple[list[Vector], Vector]:
        ratios = [[decimal_ratio(v) for v in row] for row in x.tolist()]
        scale = [math.lcm(*(below for _, below in column)) for column in zip(*ratios, strict=True)]
        scale = scale if len(x) else [1] * self.d
        rows = [[a * (s // b) for (a, b), s in zip(row, scale, strict=True)] for row in ratios]
        return rows, scale

    def numbers(self, i: int) -> Iterable[tuple[int, float]]:
        """The numbers of row i that are not zero, with their columns."""
        if sparse.issparse(self.X):
            part = slice(self.X.indptr[i], self.X.indptr[i + 1])
            x = self.X.data[part].astype(np.float64).tolist()
            return ((j, v) for j, v in zip(self.X.indices[part].tolist(), x, strict=True) if v)
        return ((j, v) for j, v in enumerate(self.X[i].astype(np.float64).tolist()) if v)

    def product(self, i: int, w: Sequence[int]) -> tuple[int, int]:
        """a_i·w for whole w, as a numerator and a positive denominator."""
        terms = [(self.ratio(value), w[j]) for j, value in self.numbers(i) if w[j]]
        common = math.lcm(*(below for (_, below), _ in terms))
        total = sum(a * (common // b) * v for (a, b), v in terms)
        total += w[-1] * common if self.intercept else 0
        return int(self.y[i]) * total, common

    def square(self, i: int) -> tuple[int, int]:
        """‖a_i‖², as a numerator and a denominator."""
        ratios = [self.ratio(value) for _, value in self.numbers(i)]
        common = math.lcm(*(below for _, below in ratios))
        total = sum((a * (common // b)) ** 2 for a, b in ratios)
        return total + self.intercept * common**2, common**2

    def part(self, index: NDArray[np.intp]) -> Rows:
        """Some of the rows."""
        y = self.y[index].astype(np.int8)
        return Rows(
            self.X[index], y, intercept=self.intercept, decimal=self.decimal, budget=self.budget
        )

    def products(self, index: NDArray[np.intp], w: Vector) -> list[tuple[int, int]]:
        """The same for some rows: many at once where that is possible."""
        out: list[tuple[int, int]] = []
        used, b = self.used(w), w[-1] if self.intercept else 0
        for begin in range(0, len(index), _MANY_AT_ONCE):
            self.budget.check_interrupt()
            some = index[begin : begin + _MANY_AT_ONCE]
            many = None
            if not self.decimal and len(some) >= _MANY:
                many = products(self.dense(some, used), [w[j] for j in used], b)
            if many is None:
                out += [self.product(i, w) for i in some.tolist()]
            else:
                signed = zip(many[0], self.y[some].astype(int).tolist(), strict=True)
                out += [(y * v, many[1]) for v, y in signed]
        return out

    def above(self, i: int, w: Sequence[int], bound: int) -> int:
        """The sign of a_i·w - bound."""
        above, below = self.product(i, w)
        total = above - bound * below
        return (total > 0) - (total < 0)

    def blend(self, weights: dict[int, int]) -> list[Fraction]:
        """Σ weight·a_i."""
        index = np.array(list(weights), dtype=np.intp)
        if not self.decimal and 1 < len(index) * self.d <= _MOST_DENSE:
            shares = [int(self.y[i]) * weight for i, weight in weights.items()]
            found = products(np.ascontiguousarray(self.dense(index).T), shares, 0)
            if found is not None:
                totals = [Fraction(v, found[1]) for v in found[0]]
                return [*totals, *([Fraction(sum(shares))] * self.intercept)]
        terms: dict[int, list[tuple[int, int]]] = {}
        for i, weight in weights.items():
            signed = int(self.y[i]) * weight
            for j, value in self.numbers(i):
                above, below = self.ratio(value)
                terms.setdefault(j, []).append((signed * above, below))
        out = [Fraction(0)] * self.D
        for j, fractions in terms.items():
            common = math.lcm(*(below for _, below in fractions))
            out[j] = Fraction(sum(a * (common // b) for a, b in fractions), common)
        if self.intercept:
            out[-1] = Fraction(sum(int(self.y[i]) * weight for i, weight in weights.items()))
        return out

    @np.errstate(all="ignore")  # what overflows is decided in whole numbers
    def signs(
        self, w: Sequence[Fraction], bound: Fraction = Fraction(0), only: NDArray[Any] | None = None
    ) -> NDArray[np.int8]:
        """The sign of a_i·w - bound for every row (or for some): floats where they are certain.

        Of rows that are not asked for it may be wrong.

        The sum of D + 2 products, in whatever order, differs from the true one by at most
        (D + 6) 2^-53 Σ |x_j w_j| and what underflows. `verify.py` derives such a bound in full;
        here it is doubled, and once more for the rounding of the norms.
        """
        if only is not None and 2 * np.count_nonzero(only) < self.n:
            some = np.zeros(self.n, dtype=np.int8)
            some[only] = self.part(np.flatnonzero(only)).signs(w, bound)
            return some
        exact, low = whole_vector(w, bound)
        scale = 1 << max(max((abs(v).bit_length() for v in [*exact, low]), default=1), 1)
        f = np.array([v / scale for v in exact])
        bound_f, unit = low / scale, self.rounding
        weights, b = self.split(f)
        m = self.scores(weights, b) - bound_f
        limit = unit * (self.norms() + 2.0) * (np.linalg.norm(f) + abs(bound_f)) + 2.0**-400
        certain = np.abs(m) > limit  # False where anything is NaN or infinite
        out = np.sign(np.where(certain, m, 0)).astype(np.int8)
        doubtful = ~certain if only is None else ~certain & only
        self._settle(
            np.flatnonzero(doubtful), m, weights, abs(b) + abs(bound_f), unit, exact, low, out
        )
        return out

    def _settle(
        self,
        doubtful: NDArray[Any],
        m: Floats,
        weights: Floats,
        constant: float,
        unit: float,
        exact: Vector,
        low: int,
        out: NDArray[np.int8],
    ) -> None:
        """A sharper bound for the doubtful rows, then whole numbers."""
        used = self.used(exact)
        step = max(1, _CHUNK // len(used))
        for begin in range(0, len(doubtful), step):
            some = doubtful[begin : begin + step]
            size = np.abs(self.dense(some, used))
            limit = unit * (size @ np.abs(weights[used]) + constant)
            limit += 2.0**-400 + 2.0**-1000 * size.sum(axis=1)  # what underflows
            certain = np.abs(m[some]) > limit
            out[some] = np.sign(np.where(certain, m[some], 0))
            out[some[~certain]] = self._exact_signs(some[~certain], exact, low)

    def _exact_signs(self, index: NDArray[np.intp], w: Vector, bound: int) -> NDArray[np.int8]:
        """The signs of a_i·w - bound in whole numbers: of many rows at once, else one by one."""
        if len(index) >= _MANY and not self.decimal:
            self.budget.check_interrupt()
            out = np.empty(len(index), dtype=np.int8)
            used, b = self.used(w), w[-1] if self.intercept else 0
            for y in (-1, 1):
                own = self.y[index] == y
                x = self.dense(index[own], used)
                signs = signs_of_products(x, [w[j] for j in used], b - y * bound)
                if signs is None and own.any():
                    break
                out[own] = y * signs if signs is not None else 0
            else:
                return out
        found = []
        bits = longest([w])
        for i in index.tolist():
            self.budget.spend_on_long(self.D, bits)
            found.append(self.above(i, w, bound))
        return np.array(found, dtype=np.int8)


# Many classes as one problem of rows through the origin: a row beats each class but its own.
#
# There are weights w_c for each class c. Row i of class y is right against its rival c if
# (w_y - w_c)·x̃_i > 0, with x̃ = (x, 1), or x through the origin. Nothing changes if a vector is
# added
# to the weights of all classes, so that those of the last class are 0, and the others are what
# they
# are above it: (k - 1) D numbers. The lifted row (i, c) has x̃_i in the block of y, -x̃_i in that
# of c,
# and none in that of the last class.
#
# No lifted row is kept: it is a row, its class and its rival, and is made when it is read.


Index = NDArray[np.intp]


@final
class LiftedMatrix:
    """As an array of the lifted rows would be read: by rows, or some columns of them."""

    def __init__(self, points: Rows, row: Index, own: Index, rival: Index, classes: int):
        self.points, self.row, self.own, self.rival = points, row, own, rival
        self.blocks = classes - 1
        self.shape = (len(row), self.blocks * points.D)
        self.dtype = np.dtype(np.float64)

    def __getitem__(self, index: Any) -> Floats:
        if isinstance(index, tuple):
            some, columns = index
            return self._made(some, np.asarray(columns, dtype=np.intp))
        if isinstance(index, (int, np.integer)):
            return np.asarray(self._made([index], None)[0])
        return self._made(index, None)

    def _made(self, index: Any, columns: Index | None) -> Floats:
        row, own, rival = self.row[index], self.own[index], self.rival[index]
        points, D = self.points, self.points.D
        x = points.dense(row)
        if points.intercept:
            x = np.hstack([x, np.ones((len(x), 1))])
        if columns is not None:
            block, place = columns // D, columns % D
            share = (own[:, None] == block).astype(np.float64) - (rival[:, None] == block)
            return np.asarray(share * x[:, place])
        out = np.zeros((len(row), self.blocks, D))
        for block, sign in ((own, 1.0), (rival, -1.0)):
            there = np.flatnonzero(block < self.blocks)
            out[there, block[there]] = sign * x[there]
        return out.reshape(len(row), self.shape[1])


@final
class LiftedRows(Rows):
    """Lifted rows, as the search and the proof read rows; none is signed, and none has a 1."""

    X: LiftedMatrix

    def __init__(self, points: Rows, row: Index, own: Index, rival: Index, classes: int):
        """`points` are the rows themselves, all with the sign +1."""
        matrix = LiftedMatrix(points, row, own, rival, classes)
        ones = np.ones(len(row), dtype=np.int8)
        super().__init__(
            matrix, ones, intercept=False, decimal=points.decimal, budget=points.budget
        )
        self.points, self.row, self.own, self.rival = points, row, own, rival
        self.classes = classes
        self.rounding = points.rounding  # a score is the difference of two of the points'

    @classmethod
    def of(cls, points: Rows, y: Index, classes: int) -> LiftedRows:
        """Every row against each class but its own, in order."""
        rival = np.tile(np.arange(classes), points.n)
        row = np.repeat(np.arange(points.n), classes)
        own = y[row]
        kept = rival != own
        return cls(points, row[kept], own[kept], rival[kept], classes)

    # --- Floating point ---

    def by_class(self, w: Floats) -> Floats:
        """Weights of each class, a row each; those of the last are 0."""
        blocks = w.reshape(self.classes - 1, self.points.D)
        return np.vstack([blocks, np.zeros((1, self.points.D))])

    def against(self, scores: Floats) -> Floats:
        """How far each row is above its rival, from the scores of all classes on the points."""
        return np.asarray(scores[self.row, self.own] - scores[self.row, self.rival])

    def scores(self, w: Floats, b: float) -> Floats:
        points, weights = self.points, self.by_class(w)
        self.budget.spend(self.n)
        found = np.empty((points.n, self.classes))
        for begin, end in points.chunks():
            found[begin:end] = points.x(begin, end) @ weights[:, : points.d].T
        if points.intercept:
            found += weights[:, -1]
        return self.against(found)

    def norms(self) -> Floats:
        """‖x̃‖ √2, as it is where no class is left out: never too small."""
        if self._norms is None:
            length = np.hypot(self.points.norms(), float(self.points.intercept))
            self._norms = np.sqrt(2.0) * length[self.row]
        return self._norms

    # --- Exactly ---

    def square(self, i: int) -> tuple[int, int]:
        above, below = self.points.square(int(self.row[i]))
        return 2 * above, below

    def blend(self, weights: dict[int, int]) -> list[Fraction]:
        """In the block of a class: the rows of it, less those that have it for a rival."""
        shares: list[dict[int, int]] = [{} for _ in range(self.classes)]
        for i, weight in weights.items():
            row = int(self.row[i])
            for block, share in ((int(self.own[i]), weight), (int(self.rival[i]), -weight)):
                shares[block][row] = shares[block].get(row, 0) + share
        zero = [Fraction(0)] * self.points.D
        blocks = (self.points.blend(share) if share else zero for share in shares[:-1])
        return [v for block in blocks for v in block]

    def part(self, index: NDArray[np.intp]) -> LiftedRows:
        used, row = np.unique(self.row[index], return_inverse=True)
        points = self.points if len(used) == self.points.n else self.points.part(used)
        return LiftedRows(points, row, self.own[index], self.rival[index], self.classes)


# From floating-point numbers and fractions to whole numbers, and back.


Floats = NDArray[np.float64]
Vector = list[int]


def decimal_ratio(x: float) -> tuple[int, int]:
    """The shortest decimal number that reads as x."""
    return Decimal(repr(x)).as_integer_ratio()


def whole_binary(x: Floats) -> tuple[list[Vector], Vector]:
    """Whole multiples of the columns, and what they were multiplied by: powers of two."""
    digits, up, below = binary_parts(x)
    pairs = zip(digits.tolist(), up.tolist(), strict=True)
    rows = [list(map(int.__lshift__, row, shifts)) for row, shifts in pairs]
    return rows, [1 << k for k in below.tolist()]


def binary_parts(x: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """digits, up and below: digits 2^up are whole, and x times 2^below of its column."""
    part, exponent = np.frexp(x)
    digits = np.ldexp(part, 53).astype(np.int64)
    lowest = np.maximum(digits & -digits, 1)  # the lowest bit that is set
    zeros = np.frexp(lowest.astype(np.float64))[1] - 1
    digits >>= zeros
    exponent = np.where(digits == 0, 0, exponent - 53 + zeros)  # x = digits · 2^exponent, odd
    below = np.maximum(-exponent.min(axis=0, initial=0), 0)
    return digits, (exponent + below).astype(np.int64), below.astype(np.int64)


def nearest_floats(w: Sequence[Fraction]) -> Floats:
    """A positive multiple of w, the largest entry about 1."""
    exact, _ = whole_vector(w)
    scale = 1 << max((abs(v).bit_length() for v in exact), default=0)
    return np.array([v / scale for v in exact])


def whole_vector(w: Sequence[Fraction], bound: Fraction = Fraction(0)) -> tuple[Vector, int]:
    """A positive multiple of (w, bound) in whole numbers."""
    common = math.lcm(*(v.denominator for v in w), bound.denominator)
    *whole, low = (v.numerator * (common // v.denominator) for v in [*w, bound])
    return whole, low
