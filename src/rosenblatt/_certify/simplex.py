"""The fallback that always decides: a dual simplex in whole numbers.

Columns e_i are positive multiples of (a_i, 1), restricted to independent coordinates. From a basis
B solve B x = e_last. If x >= 0 it is a conflict: a blend of rows that is zero. Otherwise take the
first negative x and its row of B⁻¹; a column with a negative product enters, the first one (Bland's
rule, so that it ends). Is there none, then that row of B⁻¹ is a separator: all products are >= 0,
so that its part v has v·a_i >= -x > 0.

The inverse is kept as adjoint/det in whole numbers; a pivot divides without rest (Edmonds 1967).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from operator import mul

import numpy as np

from rosenblatt._certify.conditioning import bits
from rosenblatt._certify.exact_product import longest
from rosenblatt._certify.linear_algebra import (
    PRIMES,
    Misled,
    Singular,
    System,
    echelon,
    kernel,
    reduce,
)
from rosenblatt._certify.nearest_point import EXTRA
from rosenblatt._certify.rows import Rows, Vector
from rosenblatt._util.budget import Budget


@dataclass(frozen=True)
class Decision:
    """Exactly one of the two."""

    separator: list[Fraction] | None = None  # for the rows as they are
    conflict: dict[int, int] | None = None  # row: weight


class Face:
    """Some of the rows, seen along some directions: a_i·normal_k. No normals: all directions.

    `extra` is one more row, with the number EXTRA.
    """

    def __init__(
        self,
        rows: Rows,
        index: Sequence[int],
        normals: list[Vector] | None = None,
        extra: list[Fraction] | None = None,
    ):
        self.rows, self.normals, self.extra = rows, normals, extra
        self.index = list(index)
        self.inside = np.zeros(rows.n, dtype=bool)
        self.inside[self.index] = True
        if extra is not None:
            self.index.insert(0, EXTRA)
        self.size = rows.D if normals is None else len(normals)

    def column(self, i: int) -> tuple[Vector, int]:
        """A whole multiple of (a_i, 1), and the factor."""
        a = self.rows.exact(i) if i != EXTRA or self.extra is None else self.extra
        if self.normals is not None:
            pairs = [zip(n, a, strict=True) for n in self.normals]
            a = [sum((v * x for v, x in pair if v), Fraction(0)) for pair in pairs]
        factor = math.lcm(*(v.denominator for v in a))
        return [*(v.numerator * (factor // v.denominator) for v in a), factor], factor

    def weights(self, v: Sequence[Fraction]) -> list[Fraction]:
        """w with a_i·w = (the face's a_i)·v."""
        if self.normals is None:
            return list(v)
        columns = zip(*self.normals, strict=True)
        return [sum((x * n for x, n in zip(v, c, strict=True)), Fraction(0)) for c in columns]

    def first_below(self, w: list[Fraction], bound: Fraction, *, strictly: bool) -> int | None:
        if self.extra is not None:
            score = sum((a * v for a, v in zip(self.extra, w, strict=True)), Fraction(0)) - bound
            if score < 0 or (score == 0 and not strictly):
                return EXTRA
        signs = self.rows.signs(w, bound, only=self.inside)
        below = np.flatnonzero((signs < 0 if strictly else signs <= 0) & self.inside)
        return int(below[0]) if len(below) else None

    def agrees(self, decision: Decision) -> bool:
        if decision.separator is not None:
            return self.first_below(decision.separator, Fraction(0), strictly=False) is None
        assert decision.conflict is not None
        columns = ((self.column(i), weight) for i, weight in decision.conflict.items())
        totals = [[Fraction(weight * v, below) for v in a] for (a, below), weight in columns]
        return not any(sum(column) for column in list(zip(*totals, strict=True))[:-1])


def decide(face: Face, start: Sequence[int]) -> Decision:
    """A strict separator of the face's rows, or a conflict among them; `start` comes first."""
    decision = guess(face)
    if decision is not None:
        return decision
    order = [*start, *(i for i in face.index if i not in set(start))]
    for prime in PRIMES:
        basis, coordinates, flat = _basis(face, order, prime)
        if flat:
            decision = _level(face, basis, coordinates)
        else:
            decision = _Simplex(face, basis, coordinates).run()
        if decision is not None and face.agrees(decision):
            return decision
    raise Misled


def _basis(face: Face, order: Sequence[int], prime: int) -> tuple[list[int], list[int], bool]:
    size = face.size
    lifted = np.zeros((0, size + 1), dtype=np.int64)
    members: list[int] = []
    for begin in range(0, len(order), 256):
        some = list(order[begin : begin + 256])
        candidates = (face.column(i)[0] for i in some)
        block = [[v % prime for v in (last, *a)] for *a, last in candidates]
        stack = np.vstack([lifted, np.array(block, dtype=np.int64)])
        independent, _ = echelon(stack, prime)
        both = [*members, *some]
        members = [both[k] for k in independent]
        lifted = stack[independent]
        if len(members) == size + 1:
            break
    without = lifted[:, 1:]
    rows, coordinates = echelon(without, prime)
    if len(rows) == len(members) and members:
        return [members[k] for k in rows], coordinates, True
    _, columns = echelon(lifted, prime)
    return members, [c - 1 for c in columns if c > 0], False


def _level(face: Face, basis: list[int], coordinates: list[int]) -> Decision | None:
    columns = [face.column(i)[0] for i in basis]
    matrix = [[c[j] for j in coordinates] for c in columns]
    try:
        solution, below = System(matrix).solve([c[-1] for c in columns], face.rows.budget)
    except Singular:
        return None
    v = [Fraction(0)] * face.size
    for j, value in zip(coordinates, solution, strict=True):
        v[j] = Fraction(value, below)
    return Decision(separator=face.weights(v))


class _Simplex:
    def __init__(self, face: Face, basis: list[int], coordinates: list[int]):
        self.face, self.basis, self.coordinates = face, basis, coordinates
        self.k = len(basis)
        face.rows.budget.spend_on_algebra(self.k)
        matrix = [self._restricted(i) for i in basis]  # rows of Bᵀ
        columns = [list(c) for c in zip(*matrix, strict=True)]
        self.det, self.adjoint = _adjoint(columns, face.rows.budget)

    def _restricted(self, i: int) -> Vector:
        column, _ = self.face.column(i)
        return [*(column[j] for j in self.coordinates), column[-1]]

    def run(self) -> Decision:
        while True:
            self.face.rows.budget.check_interrupt()
            x = [row[-1] for row in self.adjoint]  # det > 0 times the solution of B x = e_last
            negative = [(i, q) for q, i in enumerate(self.basis) if x[q] < 0]
            if not negative:
                return self._conflict(x)
            _, q = min(negative)
            entering = self.face.first_below(*self._direction(self.adjoint[q]), strictly=True)
            if entering is None:
                w, _ = self._direction(reduce(self.adjoint[q]))
                return Decision(separator=w)
            self._pivot(q, entering)

    def _direction(self, row: Vector) -> tuple[list[Fraction], Fraction]:
        v = [Fraction(0)] * self.face.size
        for j, value in zip(self.coordinates, row, strict=False):
            v[j] = Fraction(value)
        return self.face.weights(v), Fraction(-row[-1])

    def _pivot(self, q: int, entering: int) -> None:
        column = self._restricted(entering)
        product = [sum(a * c for a, c in zip(row, column, strict=True)) for row in self.adjoint]
        pivot, old = product[q], self.adjoint[q]
        self.face.rows.budget.spend_on_long(self.k**2, pivot.bit_length(), divided=True)
        for i, row in enumerate(self.adjoint):
            if i != q:
                p = product[i]
                pairs = zip(row, old, strict=True)
                self.adjoint[i] = [(pivot * a - p * b) // self.det for a, b in pairs]
        self.det, self.basis[q] = pivot, entering
        if self.det < 0:
            self.det = -self.det
            self.adjoint = [[-v for v in row] for row in self.adjoint]

    def _conflict(self, x: Vector) -> Decision:
        pairs = [
            (i, v * self.face.column(i)[1]) for i, v in zip(self.basis, x, strict=True) if v > 0
        ]
        weights = reduce([v for _, v in pairs])
        return Decision(conflict={i: v for (i, _), v in zip(pairs, weights, strict=True)})


def _adjoint(matrix: list[Vector], budget: Budget) -> tuple[int, list[Vector]]:
    """det > 0 and det·B⁻¹ (both negated where det < 0), without fractions (Bareiss 1968)."""
    k = len(matrix)
    m = [[*row, *(int(i == j) for j in range(k))] for i, row in enumerate(matrix)]
    det = 1
    for j in range(k):
        pivot_row = next(i for i in range(j, k) if m[i][j])
        m[j], m[pivot_row] = m[pivot_row], m[j]
        pivot, source = m[j][j], m[j]
        budget.spend_on_long(2 * k**2, pivot.bit_length(), divided=True)
        for i in range(k):
            if i != j:
                factor = m[i][j]
                pairs = zip(m[i], source, strict=True)
                m[i] = [(pivot * a - factor * b) // det for a, b in pairs]
        det = pivot
    inverse = [row[k:] for row in m]
    return (det, inverse) if det > 0 else (-det, [[-v for v in row] for row in inverse])


# --- A guess where floats are too short: the nearest point in decimals of many digits ------------
#
# Where numbers differ by hundreds of powers of ten, floats see the largest only. Decimal numbers
# have as many digits, and exponents as large, as it takes. It is what `nearest_point` does, with
# all rows at once, and nothing here is proved. A step takes a millisecond where whole numbers,
# which grow to ten thousands of bits, take a second.


DIGITS = (60, 180, 540, 1620)
_MOST_NUMBERS = 20_000  # in a face: more take longer than they are worth
_FEW_BITS = 640  # in a determinant: whole numbers are quick
_STEPS = 8  # for each dimension, after which it is given up
_BITS_OF_A_DIGIT, _BITS_IN_TEN = 4, 3.322
_FEW = Context(prec=50, Emin=-(10**15), Emax=10**15)  # digits that mostly show which row to take
_CLEAR = Decimal("1e-30")  # beside the residual: seen with few digits
_NOTHING = Decimal(0)

Numbers = list[Decimal]


def guess(face: Face) -> Decision | None:
    if len(face.index) * face.size > _MOST_NUMBERS or face.size * bits(face.rows) <= _FEW_BITS:
        return None
    members: list[int] = []
    for digits in DIGITS:
        with localcontext(Context(prec=digits, Emin=-(10**15), Emax=10**15)):
            search = _NearestPoint(face, digits)
            decision = search.run(members)
        if decision is not None and face.agrees(decision):
            return decision
        members = search.members
    return None


class _NearestPoint:
    """x >= 0 with Σ x_i (b_i, 1) as near to (0, 1) as possible: non-negative least squares."""

    def __init__(self, face: Face, digits: int):
        self.face, self.digits = face, digits
        self.zero = Decimal(10) ** (-digits // 3)  # squares take half of the digits
        whole = {i: face.column(i)[0][:-1] for i in face.index}
        self._even = _even([[abs(v).bit_length() for v in row] for row in whole.values()])
        self.columns = {i: self._seen(row) for i, row in whole.items()}
        with localcontext(_FEW):
            self._few = {i: [+v for v in column] for i, column in self.columns.items()}
        self.members: list[int] = []
        self._gram: dict[tuple[int, int], Decimal] = {}
        self._factored: list[int] = []  # the rows of which the Cholesky factor is known
        self._factor: list[Numbers] = []
        self._forward: Numbers = []

    # --- Numbers ---

    def _seen(self, whole: Vector) -> Numbers:
        pairs = list(zip(whole, self._even, strict=True))
        size = max((abs(v).bit_length() - e for v, e in pairs if v), default=0)
        row = [self._long(v, size + e) for v, e in pairs]
        length = _dot(row, row).sqrt() or Decimal(1)
        return [*(v / length for v in row), Decimal(1)]

    def _long(self, value: int, size: int) -> Decimal:
        drop = max(value.bit_length() - _BITS_OF_A_DIGIT * self.digits, 0)
        return Decimal(value >> drop) * Decimal(2) ** (drop - size)

    def _products(self, i: int, j: int) -> Decimal:
        key = (i, j) if i < j else (j, i)
        if key not in self._gram:
            self._spend(self.face.size + 1)
            self._gram[key] = _dot(self.columns[i], self.columns[j])
        return self._gram[key]

    # --- The search ---

    def run(self, start: list[int]) -> Decision | None:
        """None: it did not get there."""
        x = self._begin(start)
        for _ in range(_STEPS * (self.face.size + 2)):
            self._spend(len(x) * (self.face.size + 1))
            r = self._residual(x)
            if _dot(r, r) < self.zero**2:
                return self._conflict()
            best = self._wanted([i for i in self.columns if i not in x], r)
            moved = None if best is None else self._admitted(x, best)
            if moved is None:
                return self._separator(r)
            x = moved
            self.members = list(x)
        return None

    def _spend(self, products: int) -> None:
        bits = _BITS_OF_A_DIGIT * self.digits
        self.face.rows.budget.spend_on_long(products, bits)

    def _begin(self, start: list[int]) -> dict[int, Decimal]:
        inside = list(start)
        while inside:
            shares = self._solved(inside)
            if shares is None:
                break
            worst = min(inside, key=shares.__getitem__)
            if shares[worst] > 0:
                self.members = inside
                return shares
            inside.remove(worst)
        return {}

    def _wanted(self, outside: list[int], r: Numbers) -> int | None:
        largest = max(map(abs, r))
        if outside and self.digits > DIGITS[0]:
            with localcontext(_FEW):
                few = [+v for v in r]
                gains = {i: _dot(self._few[i], few) for i in outside}
            best = max(outside, key=gains.__getitem__)
            if gains[best] > _CLEAR * largest:
                return best
        self._spend(len(outside) * (self.face.size + 1))
        gains = {i: _dot(self.columns[i], r) for i in outside}
        farthest = max(outside, key=gains.__getitem__, default=None)
        return None if farthest is None or gains[farthest] <= self.zero * largest**2 else farthest

    def _residual(self, x: dict[int, Decimal]) -> Numbers:
        r = [_NOTHING] * self.face.size + [Decimal(1)]
        for i, share in x.items():
            r = [u - share * v for u, v in zip(r, self.columns[i], strict=True)]
        return r

    def _admitted(self, x: dict[int, Decimal], best: int) -> dict[int, Decimal] | None:
        """A row joins; those that would turn negative leave. None: it brings nothing."""
        x = {**x, best: _NOTHING}
        while True:
            z = self._solved(list(x))
            if z is None or (z.get(best, Decimal(1)) <= 0 and x[best] == 0):
                return None
            falling = [i for i in x if z[i] <= 0]
            if not falling:
                return z
            step = min(x[i] / (x[i] - z[i]) for i in falling)
            x = {i: v + step * (z[i] - v) for i, v in x.items()}
            least = min(falling, key=x.__getitem__)
            x = {i: v for i, v in x.items() if i != least and not (i in falling and v <= 0)}

    def _solved(self, index: list[int]) -> dict[int, Decimal] | None:
        """The shares of these rows, of any sign, by Cholesky; None where they are dependent."""
        if not self._factorise(index):
            return None
        factor = self._factor
        out: Numbers = [_NOTHING] * len(index)
        for k in reversed(range(len(index))):
            later = [factor[m][k] for m in range(k + 1, len(index))]
            out[k] = (self._forward[k] - _dot(later, out[k + 1 :])) / factor[k][k]
        return dict(zip(index, out, strict=True))

    def _factorise(self, index: list[int]) -> bool:
        pairs = enumerate(zip(index, self._factored, strict=False))
        shorter = min(len(index), len(self._factored))
        same = next((k for k, (new, old) in pairs if new != old), shorter)
        del self._factored[same:], self._factor[same:], self._forward[same:]
        for k, i in enumerate(index[same:], same):
            self._spend(k * (k + 4))
            row: Numbers = []
            for j, other in enumerate(index[:k]):
                rest = self._products(i, other) - _dot(row, self._factor[j][:j])
                row.append(rest / self._factor[j][j])
            square = self._products(i, i) - _dot(row, row)
            if square <= self.zero**2:
                return False
            row.append(square.sqrt())
            self._factored.append(i)
            self._factor.append(row)
            self._forward.append((1 - _dot(row[:-1], self._forward)) / row[-1])
        return True

    # --- What is found ---

    def _conflict(self) -> Decision | None:
        columns = [self.face.column(i) for i in self.members]
        vectors: list[Vector] = [column[:-1] for column, _ in columns]
        budget = self.face.rows.budget
        budget.spend_on_algebra(len(vectors), longest(vectors))
        blend = kernel(vectors, budget)
        if blend is None or not (min(blend) >= 0 or max(blend) <= 0):
            return None
        weights = reduce([abs(v) * f for v, (_, f) in zip(blend, columns, strict=True)])
        return Decision(conflict={i: v for i, v in zip(self.members, weights, strict=True) if v})

    def _separator(self, r: Numbers) -> Decision:
        pairs = zip(r[:-1], self._even, strict=True)
        v = [-self._binary(value) / (1 << even) for value, even in pairs]
        return Decision(separator=self.face.weights(v))

    def _binary(self, value: Decimal) -> Fraction:
        """To as many digits, over a power of two: then products are short."""
        if not value:
            return Fraction(0)
        up = _BITS_OF_A_DIGIT * self.digits - int(value.adjusted() * _BITS_IN_TEN)
        above, below = value.as_integer_ratio()
        if up < 0:
            return Fraction(above // (below << -up) << -up)
        return Fraction((above << up) // below, 1 << up)


def _dot(a: Numbers, b: Numbers) -> Decimal:
    return sum(map(mul, a, b), _NOTHING)


def _even(lengths: list[Vector]) -> Vector:
    """By how many bits each column is to be shifted for all numbers to be of about one size, when
    rows may be shifted, too: medians of what the others leave."""
    size = np.array(lengths, dtype=np.float64)
    size[size == 0] = np.nan
    down = np.zeros(size.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows and columns of zeros have no median
        for _ in range(3):
            across = np.nan_to_num(np.nanmedian(size - down, axis=1))
            down = np.nan_to_num(np.nanmedian(size - across[:, None], axis=0))
    return [int(v) for v in down - down.min()]
