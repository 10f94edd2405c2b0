"""The rows to decide about, in two arithmetics: floating point and whole numbers.

Row i is lifted and signed: a_i = y_i (x_i, 1), or y_i x_i through the origin; D numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import verify
from rosenblatt._certify.exact_product import (
    MOST_TERMS,
    combinations,
    longest,
    products,
    signs_of_products,
    vanishing,
)
from rosenblatt._certify.linear_algebra import (
    PRIMES,
    echelon,
    halves,
    inverse,
    joined,
    mod,
    product,
)
from rosenblatt._core.rows import dense, squares
from rosenblatt._util.budget import Budget
from rosenblatt._util.progress import check_interrupt

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Index = NDArray[np.intp]
Vector = list[int]

_MANY, _MANY_AT_ONCE = 8, 1 << 12  # rows whose exact scores are found together
_MOST_DENSE = 1 << 24  # numbers in rows that are sparse and made dense
_BLENDED = 1 << 20  # numbers that are cut into limbs together
_CHUNK = 1 << 17  # numbers read at a time: what is made of them stays in the cache


class Rows:
    """Signed, lifted rows: those of two classes or, as `LiftedRows`, of many.

    X is float32 or float64, an array or a CSR matrix; it is not copied.
    """

    classes: int | None = None  # how many; None: two

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
        self.points: Rows = self  # of many classes what is lifted
        self.rounding = (4 * self.D + 24) * 2.0**-53  # relative, of a score; see `signs`
        self._norms: Floats | None = None

    # --- Floating point ---

    def split(self, lifted: Floats) -> tuple[Floats, float]:
        return (lifted[:-1], float(lifted[-1])) if self.intercept else (lifted, 0.0)

    def lifted(self, w: Floats, b: float) -> Floats:
        return np.append(w, b) if self.intercept else w

    def chunks(self) -> Iterator[tuple[int, int]]:
        numbers = self.X.nnz // max(self.n, 1) if sparse.issparse(self.X) else self.d
        step = max(1, _CHUNK // max(numbers, 1))
        for begin in range(0, self.n, step):
            check_interrupt()
            yield begin, min(begin + step, self.n)

    def x(self, begin: int, end: int) -> Any:
        return self.X[begin:end].astype(np.float64, copy=False)

    def scores(self, w: Floats, b: float) -> Floats:
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
        columns = enumerate(zip(*vectors, strict=True))
        return [j for j, column in columns if j < self.d and any(column)] or [0]

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
        place = np.asarray(index, dtype=np.intp)
        y = self.y[place].astype(np.int64)
        x = self.dense(place) * y[:, None]
        rows, scale = whole_decimal(x) if self.decimal else whole_binary(x)
        if self.intercept:
            for row, sign in zip(rows, y.tolist(), strict=True):
                row.append(sign)
            scale.append(1)
        return rows, scale

    def numbers(self, i: int) -> Iterable[tuple[int, float]]:
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

    def part(self, index: Index) -> Rows:
        return self.like(self.X[index], self.y[index].astype(np.int8))

    def like(self, X: Any, y: NDArray[Any]) -> Rows:
        return Rows(X, y, intercept=self.intercept, decimal=self.decimal, budget=self.budget)

    def with_signs(self, signs: NDArray[np.int8]) -> Rows:
        """And the signs that are demanded of weights, as rows behind these; the intercept becomes a
        column of ones.

        Is there a w with all a_i·w > 0 and s_j w_j >= 0? Where there is one, there is one with all
        s_j w_j > 0, since a little of s may be added. So the demand is so many more rows s_j e_j,
        which have no intercept. Where there is none, a positive blend of the rows and these is
        zero: the blend of the rows alone is 0 in all other columns, and in these of the other sign,
        or 0 (Motzkin, 1936).
        """
        columns = np.flatnonzero(signs)
        units = np.zeros((len(columns), self.D))
        units[np.arange(len(columns)), columns] = 1.0
        X: Any = self.X.astype(np.float64)
        if self.intercept:
            ones = np.ones((self.n, 1))
            X = (
                sparse.hstack([X, ones], format="csr")
                if sparse.issparse(X)
                else np.hstack([X, ones])
            )
        X = sparse.vstack([X, units], format="csr") if sparse.issparse(X) else np.vstack([X, units])
        y = np.append(self.y, signs[columns]).astype(np.int8)
        return Rows(X, y, intercept=False, decimal=self.decimal, budget=self.budget)

    def products(self, index: Index, w: Vector) -> list[tuple[int, int]]:
        """a_i·w of some rows, many at once where that is possible."""
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

    def blend(self, weights: dict[int, int]) -> list[Fraction]:
        index = np.array(list(weights), dtype=np.intp)
        few = 1 < len(index) * self.d <= _MOST_DENSE
        if few and not self.decimal and not sparse.issparse(self.X):
            shares = [int(self.y[i]) * weight for i, weight in weights.items()]
            columns = products(np.ascontiguousarray(self.dense(index).T), shares, 0)
            if columns is not None:
                totals = [Fraction(v, columns[1]) for v in columns[0]]
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

    def blends(self, index: Index, several: Sequence[Sequence[int]]) -> list[list[Fraction]]:
        """Σ weight·a_i for several weights, by column: of thousands of rows."""
        y = self.y[index].astype(int).tolist()
        signed = [[v * side for v, side in zip(some, y, strict=True)] for some in several]
        totals = [[Fraction(0)] * len(several) for _ in range(self.d)]
        for first in range(0, len(index), MOST_TERMS):
            part = slice(first, first + MOST_TERMS)
            step = max(1, _BLENDED // len(index[part]))
            shares = [some[part] for some in signed]
            for begin in range(0, self.d, step):
                self.budget.check_interrupt()
                columns = range(begin, min(begin + step, self.d))
                x = np.ascontiguousarray(self.dense(index[part], columns).T)
                for j, more in zip(columns, combinations(x, shares), strict=True):
                    totals[j] = [a + b for a, b in zip(totals[j], more, strict=True)]
        return [*totals, *([[Fraction(sum(some)) for some in signed]] * self.intercept)]

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
        *exact, low = verify.whole([*w, bound])
        scale = 1 << max(max((abs(v).bit_length() for v in [*exact, low]), default=1), 1)
        f = np.array([v / scale for v in exact])
        bound_f, unit = low / scale, self.rounding
        weights, b = self.split(f)
        m = self.scores(weights, b) - bound_f
        limit = unit * (self.norms() + 2.0) * (np.linalg.norm(f) + abs(bound_f)) + 2.0**-400
        certain = np.abs(m) > limit  # False where anything is NaN or infinite
        out = np.sign(np.where(certain, m, 0)).astype(np.int8)
        doubtful = np.flatnonzero(~certain if only is None else ~certain & only)
        is_sparse = sparse.issparse(self.X)
        used = [] if is_sparse else self.used(exact)
        step = max(1, _CHUNK // max(len(used), 1))
        for begin in range(0, len(doubtful), step):  # a sharper bound, then whole numbers
            some = doubtful[begin : begin + step]
            size = abs(self.X[some].astype(np.float64) if is_sparse else self.dense(some, used))
            beside = np.abs(weights if is_sparse else weights[used])
            limit = unit * (size @ beside + (abs(b) + abs(bound_f)))
            limit += 2.0**-400 + 2.0**-1000 * (size @ np.ones(len(beside)))  # what underflows
            certain = np.abs(m[some]) > limit
            out[some] = np.sign(np.where(certain, m[some], 0))
            out[some[~certain]] = self._exact_signs(some[~certain], exact, low)
        return out

    def _exact_signs(self, index: Index, w: Vector, bound: int) -> NDArray[np.int8]:
        if len(index) >= _MANY and not self.decimal and not sparse.issparse(self.X):
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
        one_by_one = []
        bits = longest([w])
        for i in index.tolist():
            self.budget.spend_on_long(self.D, bits)
            above, below = self.product(i, w)
            total = above - bound * below
            one_by_one.append((total > 0) - (total < 0))
        return np.array(one_by_one, dtype=np.int8)

    # --- Points and classes: of many classes a point is lifted once for each rival ---

    def names(self, present: Index | None) -> Names:
        """How a document calls the rows; `present`: their numbers in the table, None: all."""
        return Names(present)

    def size(self) -> str:
        return f"{self.n} rows in {self.D} dimensions"

    def labelled(self) -> Rows:
        return self

    def conflict_of(self, points: dict[int, int]) -> dict[int, int]:
        return points

    def points_among(self, index: Index | None) -> Index | None:
        return index

    def lift(self, view: View) -> View:
        """How the search sees the rows, if this is how it sees the points."""
        return view

    # --- What the perceptron on the points says about the rows ---

    def labels(self) -> NDArray[Any]:
        return self.y.astype(np.int8)

    def squared_radius(self) -> float:
        """R², up to rounding; 0 where it is no float."""
        square = self.X.multiply(self.X) if sparse.issparse(self.X) else np.square(self.X)
        longest = float(np.max(np.asarray(square.sum(axis=1)), initial=0.0)) + self.intercept
        return longest if np.isfinite(longest) else 0.0

    def learned(self, w: Floats) -> list[Fraction]:
        return [Fraction(v) for v in w[: self.D].tolist()]

    def updates(self, counts: Ints) -> dict[int, int]:
        return {int(i): int(counts[i]) for i in np.flatnonzero(counts)}

    # --- Lengths of weights and of blends of rows, as margins need them ---

    def spread(self, vectors: list[Vector]) -> list[Vector]:
        return vectors

    def weights_of(self, blend: list[Fraction]) -> list[Fraction]:
        return blend

    def weights_square(self, w: Sequence[Fraction]) -> Fraction:
        return verify.length2(w)

    def blend_square(self, blend: Sequence[Fraction]) -> Fraction:
        return verify.length2(blend)

    # --- Modulo a prime below 2^31: fractions of powers of 2 (or 10) have residues, too ---

    def residues(self, index: Any, prime: int) -> Ints:
        out = residues(self.dense(index), prime, decimal=self.decimal)
        if self.intercept:
            out = np.hstack([out, np.ones((len(out), 1), dtype=np.int64)])
        negative = self.y[index] < 0
        out[negative] = -out[negative] % prime
        return out

    def times(self, normals: Ints, index: Any, prime: int) -> Ints:
        """Rows times the columns of a matrix; rows as they are, not signed."""
        used = np.flatnonzero(normals[: self.d].any(axis=1))
        x = self.X[index] if len(used) == self.d else self.X[index][:, used]
        if not sparse.issparse(x):
            x = residues(x.astype(np.float64), prime, decimal=self.decimal)
            out = product(x, normals[used], prime)
        else:
            parts = halves(residues(x.data.astype(np.float64), prime, decimal=self.decimal))
            high, low = (x.__class__((v, x.indices, x.indptr), shape=x.shape) for v in parts)
            out = joined(high, low, normals[used], prime)
        return (out + normals[-1]) % prime if self.intercept else out


class Names:
    """Rows by the numbers they have in the table: rows of weight 0 were left out."""

    def __init__(self, present: Index | None):
        self._present = present

    def __call__(self, i: int) -> int:
        return int(i) if self._present is None else int(self._present[i])

    def point(self, i: int) -> int:
        """The row of the table that row i is."""
        return self(i)

    def separated(self, alive: NDArray[np.bool_]) -> list[int]:
        """What a document names as strictly right, where these rows are."""
        return [self(i) for i in np.flatnonzero(alive).tolist()]

    def blend(self, blend: dict[int, int]) -> dict[str, Any]:
        index = sorted(blend)
        return {"rows": [self(i) for i in index], "weights": [hex(blend[i]) for i in index]}


class View(Protocol):
    """Rows as the search in floating point sees them: b_i."""

    @property
    def unit(self) -> float:
        """The last coordinate in the search; near the margin it resolves best."""

    def dimensions(self, rows: Rows) -> int: ...

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        """Weights w such that b_i·v is a positive multiple of a_i·w, but for rounding."""

    def rows(self, rows: Rows, index: Index) -> Floats: ...

    def lengths(self, rows: Rows, index: Index) -> Floats:
        """The factor that made b_i about 1 long."""

    def blend(self, rows: Rows, index: Index, shares: Floats) -> Floats:
        """Σ share_i b_i."""

    def scores(self, rows: Rows, v: Floats) -> Floats:
        """b_i·v."""


# --- From floating-point numbers and fractions to whole numbers, and back ------------------------


def decimal_ratio(x: float) -> tuple[int, int]:
    """The shortest decimal number that reads as x."""
    return Decimal(repr(x)).as_integer_ratio()


def whole_binary(x: Floats) -> tuple[list[Vector], Vector]:
    """Whole multiples of the columns, and what they were multiplied by: powers of two."""
    digits, up, below = binary_parts(x)
    pairs = zip(digits.tolist(), up.tolist(), strict=True)
    rows = [list(map(int.__lshift__, row, shifts)) for row, shifts in pairs]
    return rows, [1 << k for k in below.tolist()]


def whole_decimal(x: Floats) -> tuple[list[Vector], Vector]:
    ratios = [[decimal_ratio(v) for v in row] for row in x.tolist()]
    columns = zip(*ratios, strict=True) if len(x) else [()] * x.shape[1]
    scale = [math.lcm(*(below for _, below in column)) for column in columns]
    rows = [[a * (s // b) for (a, b), s in zip(row, scale, strict=True)] for row in ratios]
    return rows, scale


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
    exact = verify.whole(w)
    scale = 1 << max((abs(v).bit_length() for v in exact), default=0)
    return np.array([v / scale for v in exact])


def residues(x: Floats, prime: int, *, decimal: bool) -> Ints:
    if decimal:
        values, place = np.unique(x, return_inverse=True)
        ratios = (decimal_ratio(v) for v in values.tolist())
        by_value = np.array([a * pow(b, -1, prime) % prime for a, b in ratios], dtype=np.int64)
        return np.asarray(by_value[place.reshape(x.shape)])
    mantissa, exponent = np.frexp(x)
    whole = np.ldexp(mantissa, 53).astype(np.int64) % prime
    whole *= _powers_of_two(prime)[exponent.astype(np.int64) - 53 + 1130]
    whole %= prime
    return whole


@lru_cache(maxsize=8)
def _powers_of_two(prime: int) -> Ints:
    """2^k modulo the prime, from k = -1130 on: all that the exponents of floats need."""
    return np.array([pow(2, k, prime) for k in range(-1130, 1025)], dtype=np.int64)


# --- Which rows are orthogonal to vectors, and which are independent ------------------------------


def orthogonal(rows: Rows, normals: list[Vector]) -> NDArray[np.bool_]:
    """The rows that are orthogonal to all of the vectors, exactly.

    Residues tell of most others that they are not. Only columns are read in which a vector is not
    zero.
    """
    columns = rows.used(*normals)
    short = [[v[j] for j in columns] + v[rows.d :] for v in normals]
    flat = np.zeros(rows.n, dtype=bool)
    modulo = mod(normals, PRIMES[0]).T
    for begin, end in rows.chunks():
        index = np.arange(begin, end)
        index = index[~rows.times(modulo, index, PRIMES[0]).any(axis=1)]
        exact = None
        if not rows.decimal:
            exact = vanishing(rows.dense(index, columns), short, rows.intercept)
        if exact is None:
            exact = np.ones(len(index), dtype=bool)
            for v in normals:
                flat_here = [not above for above, _ in rows.products(index, v)]
                exact &= np.array(flat_here, dtype=bool)
        flat[index] = exact
    return flat


def independent(rows: Rows, index: list[int]) -> list[int]:
    """As many of the rows as are independent; a positive blend of them is zero, so never all."""
    best: list[int] = []
    for prime in PRIMES:
        places, _ = echelon(rows.residues(index, prime), prime)
        best = max(best, places, key=len)
        if len(best) == min(len(index) - 1, rows.D):  # there cannot be more
            break
    return [index[k] for k in best]


def spanning_rows(
    rows: Rows, pool: Index, first: Sequence[int] = (), order: Index | None = None
) -> tuple[list[int], list[int]]:
    """Independent rows that span those of the pool, and columns in which they are independent.

    Some rows tell; where another row is not in their span, it joins them. Columns are taken as
    early in the `order` as possible.
    """
    order = np.arange(rows.D) if order is None else order
    prime, place = PRIMES[0], np.linspace(0, len(pool) - 1, min(len(pool), 2 * rows.D + 64))
    index = np.array([*first, *pool[place.astype(np.intp)]], dtype=np.intp)
    while True:
        residues = rows.residues(index, prime)
        places, members = echelon(np.ascontiguousarray(residues[:, order].T), prime)
        index, columns = index[members], order[places].tolist()
        other = (
            _outside(rows, pool, residues[members], columns) if len(index) < rows.D else index[:0]
        )
        if not len(other):
            return index.tolist(), columns
        index = np.append(index, other)


def _outside(rows: Rows, pool: Index, basis: Ints, columns: list[int]) -> Index:
    """Rows of the pool that are not in the span of the basis; not more than some."""
    prime = PRIMES[0]
    rest = sorted(set(range(rows.D)) - set(columns))
    below = inverse(basis[:, columns], prime)
    assert below is not None
    normals = np.zeros((rows.D, len(rest)), dtype=np.int64)
    normals[columns] = prime - product(below, basis[:, rest], prime)
    normals[rest, range(len(rest))] = 1
    outside: list[Index] = [pool[:0]]
    step = max(1, (1 << 17) // rows.D)
    for begin in range(0, len(pool), step):
        rows.budget.check_interrupt()
        some = pool[begin : begin + step]
        outside.append(some[rows.times(normals, some, prime).any(axis=1)])
        if sum(map(len, outside)) > 2 * rows.D:
            break
    return np.concatenate(outside)[: 2 * rows.D]
