"""What rows and columns show by themselves: conflicts, leakage, collinearity, infinite weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import verify
from rosenblatt._certify import document
from rosenblatt._certify.balance import Blend
from rosenblatt._certify.exact_product import combined, longest
from rosenblatt._certify.facial_reduction import Partition, Projected, along
from rosenblatt._certify.linear_algebra import (
    PRIMES,
    Misled,
    independent_rows,
    inverse,
    kernel,
    null_space,
    product,
    reduce,
)
from rosenblatt._certify.nearest_point import EXTRA, nearest_point
from rosenblatt._certify.parts import Sides
from rosenblatt._certify.rows import Floats, Names, Rows, Vector, orthogonal, spanning_rows
from rosenblatt._certify.simplex import Face, decide
from rosenblatt._util.budget import LimitReached

_MOST_COLUMNS = 20  # that separate rows alone
_MOST_SIGNS, _MOST_PRODUCTS = 20_000, 10**6  # coefficients times free directions
_MOST_NUMBERS = 2 * 10**7  # rows times coefficients, for each coefficient

# --- A conflict at sight -------------------------------------------------------------------------


def visible_conflict(rows: Rows) -> Blend | None:
    """Two equal rows of different labels, the first such; or a zero row, through the origin."""
    points = _points_in_conflict(rows.labelled())
    return None if points is None else rows.conflict_of(points)


def _points_in_conflict(rows: Rows) -> Blend | None:
    rows.budget.spend(rows.n)
    code = hashes(rows)
    if not rows.intercept:
        for i in np.flatnonzero(code == 0).tolist():
            if not rows.dense([i]).any():
                return {i: 1}
    in_order = np.sort(code)
    if not (in_order[:-1] == in_order[1:]).any():  # mostly: no two rows are equal
        return None
    order = np.argsort(code, kind="stable")
    same = code[order[:-1]] == code[order[1:]]
    opposite = rows.y[order[:-1]] != rows.y[order[1:]]
    pairs = sorted(sorted(order[k : k + 2].tolist()) for k in np.flatnonzero(same & opposite))
    for i, j in pairs:
        if (rows.dense([i]) == rows.dense([j])).all():
            return {i: 1, j: 1}
    return None


def hashes(rows: Rows) -> NDArray[np.uint64]:
    """Σ bits(x_j)·c_j mod 2^64: equal for equal rows, dense or sparse.

    The low bits of many a number are zero; the high ones are folded in, or they would not be seen.
    """
    j = np.arange(1, rows.d + 1, dtype=np.uint64)
    odd = (j * np.uint64(0x9E3779B97F4A7C15)) ^ (j * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(29))
    odd |= np.uint64(1)
    out = np.zeros(rows.n, dtype=np.uint64)
    for begin, end in rows.chunks():
        x = rows.x(begin, end)
        if sparse.issparse(x):
            terms = _folded((x.data + 0.0).view(np.uint64)) * odd[x.indices]
            total = np.concatenate(
                [np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)]
            )
            out[begin:end] = total[x.indptr[1:]] - total[x.indptr[:-1]]
        else:  # adding 0 turns -0.0 into 0.0
            bits = _folded(np.ascontiguousarray(x + 0.0).view(np.uint64))
            out[begin:end] = bits @ odd
    return out


def _folded(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    high = bits >> np.uint64(32)
    high ^= bits
    return high


# --- One column alone ----------------------------------------------------------------------------


def revealing_columns(rows: Rows) -> list[tuple[dict[str, Any], Sides]]:
    """The columns that separate rows all by themselves, those with the most rows first, as a
    document has them, and how many rows are on either side.

    sign · (x_j - threshold) · y_i >= 0 for every row, and > 0 for `rows` of them.
    """
    above, below = rows.y > 0, rows.y < 0
    if not (above.any() and below.any()):
        return []
    if rows.intercept:
        (low_a, high_a), (low_b, high_b) = rows.ranges(above), rows.ranges(below)
        sides = [(1, low_a, high_b), (-1, high_a, low_b)]
    else:
        low, high = rows.ranges(np.ones(rows.n, dtype=bool), signed=True)
        sides = [(1, low, np.zeros(rows.d)), (-1, high, np.zeros(rows.d))]
    candidates = [
        (-count, j, sign, float(nearest[j]), float(limit[j]))
        for sign, nearest, limit in sides
        for j, count in _strictly_right(rows, sign, nearest, limit)
    ]
    columns = []
    for count, j, sign, near, far in sorted(candidates)[:_MOST_COLUMNS]:
        p, q = (Fraction(*rows.ratio(v)) for v in (near, far))
        threshold = (p + q) / 2 if rows.intercept else Fraction(0)
        part = {"column": j, "sign": sign, "threshold": document.text(threshold), "rows": -count}
        columns.append((part, _sides(rows, j, near, far)))
    return columns


def _sides(rows: Rows, j: int, nearest: float, limit: float) -> Sides:
    """Between two values the threshold has no row at it; else it is the limit."""
    x = rows.X[:, [j]]
    x = np.asarray(x.toarray() if sparse.issparse(x) else x).ravel()
    high = max(nearest, limit) if rows.intercept and nearest != limit else None
    above = x > limit if high is None else x >= high
    at = x == limit if high is None else np.zeros(rows.n, dtype=bool)

    def counts(where: NDArray[np.bool_]) -> tuple[int, int]:
        return int((rows.y[where] < 0).sum()), int((rows.y[where] > 0).sum())

    return Sides(counts(above), counts(at), counts(~above & ~at))


def _strictly_right(
    rows: Rows, sign: int, nearest: Floats, limit: Floats
) -> Iterator[tuple[int, int]]:
    """Columns with no row on the wrong side, and how many rows each has strictly right."""
    columns = np.flatnonzero(sign * nearest >= sign * limit)
    right = rows.n - _counts(rows.X, columns, limit[columns])
    if rows.intercept:
        right[nearest[columns] != limit[columns]] = rows.n
    return ((j, k) for j, k in zip(columns.tolist(), right.tolist(), strict=True) if k)


def _counts(X: Any, columns: NDArray[np.intp], values: Floats) -> NDArray[np.int64]:
    if not sparse.issparse(X):
        counts = [np.count_nonzero(X[:, j] == v) for j, v in zip(columns, values, strict=True)]
        return np.array(counts, dtype=np.int64)
    some = X.tocsc()[:, columns]
    size = np.diff(some.indptr).astype(np.int64)
    same = some.data == np.repeat(values, size)
    column = np.repeat(np.arange(len(columns)), size)
    stored = np.bincount(column[same], minlength=len(columns))
    return np.asarray(stored + np.where(values == 0, X.shape[0] - size, 0), dtype=np.int64)


# --- Few columns that separate rows together -----------------------------------------------------


_MOST_STRICT, _MOST_FREE, _MOST_PARTS = 2_000, 50, 20_000  # rows, directions, their numbers
_MOST_TOGETHER, _MOST_SPARSE = 4, 5  # columns of a direction, directions


def sparse_directions(partition: Partition) -> list[tuple[Vector, NDArray[np.intp]]]:
    """Weights, of few columns, that have rows strictly right and none wrong, and these rows.

    Least sums of absolute weights, of columns of the same range, are mostly sparse: a linear
    programme finds which columns they have. Which weights these columns then have is solved for in
    whole numbers, and all rows are looked at.
    """
    rows, normals = partition.rows, partition.normals or []
    strict = np.flatnonzero(partition.alive)
    many = len(strict) > _MOST_STRICT or rows.D * len(normals) > _MOST_PARTS
    if not normals or not len(strict) or many or len(normals) > _MOST_FREE:
        return []
    sizes = [max(map(abs, normal)) for normal in normals]
    free = np.array([[v / m for v in n] for n, m in zip(normals, sizes, strict=True)])
    products, scales = along(rows, strict.tolist(), normals)
    each = [m * scale for m, scale in zip(sizes, scales, strict=True)]
    seen = np.array([[v / m for v, m in zip(row, each, strict=True)] for row in products])
    seen /= np.abs(seen).max(axis=1, keepdims=True)
    low, high = rows.ranges(np.ones(rows.n, dtype=bool))
    size = np.where(high > low, high - low, 1.0)
    found = list[tuple[Vector, NDArray[np.intp]]]()
    left = np.ones(len(strict), dtype=bool)
    while left.any() and len(found) < _MOST_SPARSE:
        there = _few(free[:, : rows.d].T * size[:, None], seen, left)
        if there is None:
            break
        w = _of_columns(partition, there)
        signs = None if w is None else rows.signs([*map(Fraction, w)])
        if w is None or signs is None or (signs < 0).any() or not (signs[strict[left]] > 0).any():
            break
        left &= signs[strict] == 0
        found.append((w, np.flatnonzero(signs > 0)))
    return found


def _few(parts: Floats, seen: Floats, left: NDArray[np.bool_]) -> list[int] | None:
    """The columns of a sparse direction that has some of the rows that are left strictly right."""
    d, k = parts.shape
    if not (np.isfinite(parts).all() and np.isfinite(seen).all()):
        return None
    if k == 1:
        only: list[int] = np.flatnonzero(parts[:, 0]).tolist()
        return only if len(only) <= _MOST_TOGETHER else None
    from scipy.optimize import linprog  # late: it takes longer to import than most proofs

    unit = np.eye(d)
    result = linprog(
        np.concatenate([np.zeros(k), np.ones(d)]),
        A_ub=np.block([[parts, -unit], [-parts, -unit], [-seen, np.zeros((len(seen), d))]]),
        b_ub=np.zeros(2 * d + len(seen)),
        A_eq=np.concatenate([seen[left].sum(axis=0), np.zeros(d)])[None],
        b_eq=[1.0],
        bounds=[(None, None)] * k + [(0, None)] * d,
    )
    if result.status != 0:
        return None
    sizes = result.x[k:]
    there: list[int] = np.flatnonzero(sizes > 1e-7 * sizes.max()).tolist()
    return there if len(there) <= _MOST_TOGETHER else None


def _of_columns(partition: Partition, columns: list[int]) -> Vector | None:
    """The weights with all separated rows on the right side that are 0 in the other columns."""
    rows, normals = partition.rows, partition.normals or []
    others = [[n[j] for n in normals] for j in sorted(set(range(rows.d)) - set(columns))]
    others = [row for row in others if any(row)]
    kept = independent_rows(others) if others else []
    shares = null_space([others[i] for i in kept], len(normals), rows.budget)
    if len(shares) != 1:
        return None
    w = reduce(combined(shares[0], normals))
    strict = np.flatnonzero(partition.alive)
    return [-v for v in w] if (rows.signs([*map(Fraction, w)])[strict] < 0).any() else w


# --- Rows that are right by rounding -------------------------------------------------------------


@np.errstate(all="ignore")  # what overflows is decided in whole numbers
def right_by_last_bits(rows: Rows, strict: NDArray[np.bool_], w: Sequence[Fraction]) -> list[int]:
    """The rows that w has right by less than 2^-40 of the terms of their score."""
    exact = verify.whole(w)
    most = max(map(abs, exact))
    floats = np.array([v / most for v in exact])
    f, b = rows.split(floats)
    sizes = np.empty(rows.n)
    for begin, end in rows.chunks():
        sizes[begin:end] = abs(rows.x(begin, end)) @ abs(f) + abs(b)
    near = strict & ~(abs(rows.scores(f, b)) > 2.0 ** (2 - verify.LAST_BITS) * sizes)

    def is_near(i: int) -> bool:
        ratios = [(*rows.ratio(v), exact[j]) for j, v in rows.numbers(i)]
        common = math.lcm(*(below for _, below, _ in ratios))
        terms = [a * (common // below) * weight for a, below, weight in ratios]
        terms += [common * exact[-1]] * rows.intercept
        return abs(sum(terms)) << verify.LAST_BITS < sum(map(abs, terms))

    return [i for i in np.flatnonzero(near).tolist() if is_near(i)]


# --- Signs of coefficients -----------------------------------------------------------------------


def coefficient_signs(
    partition: Partition,
    w: Sequence[Fraction],
    collinear: list[Collinear],
    name: Names,
    limits: list[str],
) -> list[dict[str, Any]] | None:
    """Where rows are separated, by w: which coefficients run to infinity, and where to; those of
    columns that are combinations of others stay 0. As a document has them."""
    rows, complete, normals = partition.rows, partition.conflict is None, partition.normals
    if complete:  # then no row is balanced, and all directions are free
        if rows.D**2 > _MOST_SIGNS or rows.n * rows.D**2 > _MOST_NUMBERS:
            return None
        normals = [[int(j == k) for k in range(rows.D)] for j in range(rows.D)]
    if normals is None or rows.D * len(normals) > _MOST_PRODUCTS:
        raise LimitReached(f"{rows.D} coefficients are too many for their signs")
    search = _SignSearch(partition, normals, w, name)
    if few := rows.D * len(normals) <= _MOST_SIGNS:
        search.prepare()
    else:
        limits.append(f"{len(normals)} free directions are too many for all signs of coefficients")
    return [search.run(functional(collinear, j), by_algebra=not few) for j in range(rows.D)]


class _SignSearch:
    """The signs that f·w takes over all w with a_i·w >= 0, and why; f·w is mostly w_j."""

    def __init__(
        self, partition: Partition, normals: list[Vector], w: Sequence[Fraction], name: Names
    ):
        self.rows, self.alive, self.name = partition.rows, partition.alive, name
        self.normals, self.w = normals, w
        self.units = partition.conflict is None  # are the normals
        self.others = list[list[Fraction]]()  # found before: the next sign may differ there, too

    def prepare(self) -> None:
        index = np.flatnonzero(self.alive)
        self.index, self.living = index.tolist(), self.rows.part(index)
        self.view = Projected.of(self.living, self.normals)

    def run(self, f: dict[int, Fraction], *, by_algebra: bool) -> dict[str, Any]:
        """`by_algebra`: only what needs no search; "?" where one is needed."""
        if not any(_product(f, normal) for normal in self.normals):
            return {"signs": "0"}
        here = _product(f, self.w)
        if here == 0:  # w is inside the cone, and f·w can move
            return {"signs": "±"}
        if by_algebra:
            return {"signs": "?"}
        sign = 1 if here > 0 else -1
        common = math.lcm(*(v.denominator for v in f.values()))
        other = {j: int(-sign * v * common) for j, v in f.items()}  # a row: for the other sign
        known = (w for w in self.others if _product(other, w) > 0)
        if (w := next(known, None)) is not None:
            return {"signs": "±", "other": document.numbers(w)}
        extra = [Fraction(other.get(j, 0)) for j in range(self.rows.D)]
        guess = nearest_point(self.living, self.view, extra=self.view.row(extra), first=True)
        support = [i if i == EXTRA else self.index[i] for i in guess.support]
        signs = None
        if guess.separates:
            signs = self._both(self.view.exactly(self.living, guess.direction), other)
        elif EXTRA in support:
            signs = self._one(support, other, sign, common)
        if signs is None:
            decision = decide(Face(self.rows, self.index, self.normals, extra), support)
            if decision.separator is not None:
                signs = self._both(decision.separator, other)
            else:
                signs = self._one(list(decision.conflict or {}), other, sign, common)
        if signs is None:
            raise Misled
        return signs

    def _both(self, w: list[Fraction], other: dict[int, int]) -> dict[str, Any] | None:
        """If w has the other sign and no row on the wrong side."""
        if not _product(other, w) > 0:
            return None
        signs = self.rows.signs(w, only=self.alive)  # of the other rows it is 0
        if not (signs[self.alive] >= 0).all():
            return None
        self.others.append(w)
        return {"signs": "±", "other": document.numbers(w)}

    def _one(
        self, support: list[int], other: dict[int, int], sign: int, factor: int
    ) -> dict[str, Any] | None:
        """If times · (-other) is a blend of rows, up to the span of the balanced.

        That is: along each of the normals, which tell what is outside of that span. `other` is
        -sign · f · factor.
        """
        new = [i for i in support if i != EXTRA]
        if self.units:
            products, scale = self.rows.whole(new)
        else:
            products, scale = along(self.rows, new, self.normals)
        lifted = [
            sum(v * normal[j] for j, v in other.items()) * common
            for normal, common in zip(self.normals, scale, strict=True)
        ]
        self.rows.budget.spend_on_algebra(len(new) + 1, longest([lifted, *products]))
        blend = kernel([lifted, *products], self.rows.budget)
        if blend is None:
            return None
        turn = 1 if blend[0] > 0 else -1
        times, *weights = (turn * v for v in blend)
        if times <= 0 or min(weights, default=0) < 0:
            return None
        positive = {i: v for i, v in zip(new, weights, strict=True) if v}
        proof = {"times": hex(times * factor), **self.name.blend(positive)}
        return {"signs": "+" if sign > 0 else "-", **proof}


def _product(shares: Mapping[int, Fraction | int], w: Sequence[Fraction | int]) -> Fraction:
    return Fraction(sum(v * w[j] for j, v in shares.items()))


# --- Columns that are combinations of others: found modulo a prime, proved in whole numbers ------
#
# Such a column says nothing new: its coefficient can be 0, and is taken to be, as software for
# logistic regression does. What the other coefficients do is then the question of separation
# alone.


_MOST_COLLINEAR = 500  # beyond that it would take longer than the verdict
_MOST_LEFT_OUT = 50
_MOST = 1 << 29  # numerators and denominators of the shares of columns


@dataclass(frozen=True)
class Collinear:
    """vector·(x_i, 1) = 0 for every row, and the vector is 0 in all other columns left out."""

    column: int  # the one that is left out
    vector: Vector  # positive in that column


def collinear_columns(rows: Rows) -> list[Collinear]:
    """Columns without which no other is a combination of the rest, as far as these are simple ones;
    none where there are fewer rows than coefficients, since then almost all would be."""
    if min(rows.n, _MOST_COLLINEAR) < rows.D:
        return []
    index, kept = spanning_rows(rows, np.arange(rows.n), order=_rare_first(rows))
    left_out = sorted(set(range(rows.D)) - set(kept))[:_MOST_LEFT_OUT]
    if not left_out:
        return []
    rows.budget.spend(4 * rows.n * len(left_out))
    collinear = [Collinear(j, v) for j, v in _combinations(rows, index, kept, left_out) if v]
    if not collinear or orthogonal(rows, [c.vector for c in collinear]).all():
        return collinear
    return [c for c in collinear if orthogonal(rows, [c.vector]).all()]


def _combinations(
    rows: Rows, index: list[int], kept: list[int], left_out: list[int]
) -> Iterator[tuple[int, Vector]]:
    """Each column left out, and its vector as two primes see it: empty where it is not simple."""
    shares = []
    for prime in PRIMES[:2]:
        basis = rows.residues(index, prime)
        below = inverse(basis[:, kept], prime)
        if below is None:
            return
        shares.append(product(below, basis[:, left_out], prime))
    units = _units(rows, index)
    for k, j in enumerate(left_out):
        vector = [Fraction(0)] * rows.D
        vector[j] = Fraction(1)
        for i in np.flatnonzero(shares[0][:, k] | shares[1][:, k]).tolist():
            one, two = int(shares[0][i, k]), int(shares[1][i, k])
            fraction = _simple(one, two, units[kept[i]] - units[j])
            vector[kept[i]] = Fraction(0) if fraction is None else -fraction
        common = math.lcm(*(v.denominator for v in vector))
        odd = common // (common & -common)
        yield j, [int(v * common) for v in vector] if odd < _MOST**2 else []


def _units(rows: Rows, index: list[int]) -> list[int]:
    """Of each column the power of two above its numbers: between columns of very different units
    the shares are simple once these are taken out."""
    if rows.decimal:
        return [0] * rows.D
    largest = np.abs(rows.dense(index)).max(axis=0, initial=0.0)
    return [*np.frexp(largest)[1].tolist(), *[1] * rows.intercept]


def _simple(one: int, two: int, shift: int) -> Fraction | None:
    """The fraction of small numbers that has these residues modulo both primes, by Euclid, or else
    the one that has them times 2^shift, divided by that."""
    p, q = PRIMES[:2]
    for k in dict.fromkeys((0, shift)):
        one, two = one * pow(2, k, p) % p, two * pow(2, k, q) % q
        a, b = p * q, one + p * ((two - one) * pow(p, -1, q) % q)
        s, t = 0, 1
        while b > _MOST:
            a, b, s, t = b, a % b, t, s - a // b * t
        if 0 < abs(t) <= _MOST:
            return Fraction(b, t) / Fraction(2) ** k
    return None


def _rare_first(rows: Rows) -> NDArray[np.intp]:
    """The intercept, then columns with few numbers that are not 0: of the 0/1 columns for the words
    of a table that of the most frequent one is left out, as if it were the reference level."""
    if sparse.issparse(rows.X):
        count = np.bincount(rows.X.indices[rows.X.data != 0], minlength=rows.d)
    else:
        count = np.count_nonzero(rows.X, axis=0)
    order = np.argsort(count, kind="stable")
    return np.append(rows.d, order) if rows.intercept else order


def functional(collinear: list[Collinear], j: int) -> dict[int, Fraction]:
    """What gives, for any weights, the j-th one of those weights with the same scores that are 0
    in the columns left out: the shares of the few columns that it takes."""
    out = {j: Fraction(1)}
    for c in collinear:
        if c.vector[j]:
            share = Fraction(c.vector[j], c.vector[c.column])
            out[c.column] = out.get(c.column, Fraction(0)) - share
    return {k: share for k, share in out.items() if share}
