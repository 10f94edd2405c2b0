"""Which rows can be strictly on the right side: complete, quasi-complete or no separation.

If a positive blend of rows is zero, then every w with all a_i·w >= 0 has a_i·w = 0 on those rows,
and on all rows in their span. Look along what is orthogonal to that span; there the other rows
either have a strict separator, and that is the answer, or again a blend that is zero: take it in,
and go on.
Each round takes in at least one dimension, so that there are at most D of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rosenblatt._certify.balance import Blend, spanning_balance
from rosenblatt._certify.chance import UpToChance
from rosenblatt._certify.conditioning import Metric, Tabulated, decision_metric, view_of
from rosenblatt._certify.exact_product import combined, longest
from rosenblatt._certify.linear_algebra import (
    PRIMES,
    Misled,
    independent_rows,
    kernel,
    mod,
    null_space,
    reduce,
)
from rosenblatt._certify.nearest_point import Guess, nearest_point
from rosenblatt._certify.rows import Floats, Index, Rows, Vector, View, independent
from rosenblatt._certify.simplex import Face, decide
from rosenblatt._util.budget import Budget, LimitReached

_MOST_DIRECTIONS = 2000
TOO_MANY = "more than one guess takes too long in so many dimensions"
ONLY_SEPARABLE = "only whether the rows are separable was asked"


@dataclass
class Partition:
    """What is known so far; at the end all of it."""

    rows: Rows
    conflict: Blend | None = None  # the first blend that is zero: at most D + 1 rows
    balance: Blend = field(default_factory=dict)  # a positive blend of all rows taken in, zero
    normals: list[Vector] | None = None  # span what is orthogonal to them; None: no rows taken in
    alive: NDArray[np.bool_] = field(init=False)  # rows outside their span
    separator: list[Fraction] | None = None  # strict on the living rows, zero on the others
    support: list[int] = field(default_factory=list)  # rows near the separator
    done: bool = False
    chance: UpToChance | None = None  # where nothing is proved, but overlap is all but certain
    first_conflict: bool = False  # is enough: more is not asked
    only_guess: bool = False  # one guess and its proof: more would take too long
    _quotient: Quotient | None = None  # what was taken in but is not yet in the balance

    def __post_init__(self) -> None:
        self.alive = np.ones(self.rows.n, dtype=bool)

    @cached_property
    def metric(self) -> Metric:
        return decision_metric(self.rows.points)

    @cached_property
    def view(self) -> View:
        """Of all rows."""
        return view_of(self.rows, self.metric)

    def run(self, known: Blend | None) -> None:
        self.conflict = known
        self._first_round()
        while not self.done:
            self._round()
        self.done = False  # if a limit strikes here
        self._complete()
        self.done = True

    def _first_round(self) -> None:
        if self.conflict is None:
            guess = nearest_point(self.rows, self.view, first=True)
            support = guess.support
            if self.only_guess and not guess.separates:
                support = completed(self.rows, self.view, support)
            self._decide(guess, support, self.view.exactly(self.rows, guess.direction))
        if self.done:
            return
        assert self.conflict is not None
        first = independent(self.rows, list(self.conflict))
        if len(first) < self.rows.D and (self.only_guess or self.first_conflict):
            raise LimitReached(TOO_MANY if self.only_guess else ONLY_SEPARABLE)
        balance = None
        if len(first) < self.rows.D:
            balance = spanning_balance(self.rows, self._look, first)
        self._take_in(balance or self.conflict)

    def _look(self, pool: Index, rank: int) -> View:
        if len(pool) == self.rows.n:
            return self.view
        return view_of(self.rows, self.metric, pool, rank)

    def _round(self) -> None:
        assert self.normals is not None
        if not self.alive.any():
            self.done = True
            return
        index = np.flatnonzero(self.alive)
        living = self.rows.part(index)
        view = Projected.of(living, self.normals)
        guess = nearest_point(living, view, first=True)
        self._decide(guess, index[guess.support].tolist(), view.exactly(living, guess.direction))

    def _decide(self, guess: Guess, support: list[int], weights: list[Fraction]) -> None:
        rows, self.support = self.rows, support
        if guess.separates and self._separates(weights):
            return
        if not guess.separates and self._conflicting(support):
            return
        if self.only_guess:
            raise LimitReached(TOO_MANY)
        face = Face(rows, np.flatnonzero(self.alive).tolist(), self.normals)
        decision = decide(face, support)
        if decision.separator is not None:
            proved = self._separates(decision.separator)
        else:
            proved = self._conflicting(list(decision.conflict or {}))
        if not proved:
            raise Misled

    def _separates(self, w: list[Fraction]) -> bool:
        if not (self.rows.signs(w, only=self.alive)[self.alive] > 0).all():
            return False
        self.separator, self.done = w, True
        return True

    def _conflicting(self, support: Sequence[int]) -> bool:
        if not support:
            return False
        if self._quotient is None:
            blend = self._zero(support, len(support))
            if blend is None:
                return False
            self.conflict = {i: v for i, v in sorted(zip(support, blend, strict=True)) if v}
            return True
        if self._quotient.pays(len(support), self.rows.D - len(self.normals or [])):
            if not self._quotient.take_in(support):
                return False
            self._see(self._quotient.normals())
            return True
        self._complete()
        old = independent(self.rows, list(self.balance))
        blend = self._zero([*support, *old], len(support))
        if blend is None:
            return False
        new = {i: v for i, v in zip(support, blend, strict=False) if v}
        self._take_in(new, dict(zip(old, blend[len(support) :], strict=True)))
        return True

    def _zero(self, index: Sequence[int], count: int) -> Vector | None:
        whole, _ = self.rows.whole(index)
        self.rows.budget.spend_on_algebra(len(index), longest(whole))
        return positive_kernel(whole, count, self.rows.budget)

    def _complete(self) -> None:
        if self._quotient is None or not self._quotient.blend:
            return
        blend, old = self._quotient.blend, independent(self.rows, list(self.balance))
        whole, _ = self.rows.whole([*blend, *old])
        self.rows.budget.spend_on_algebra(len(old), longest(whole))
        total = combined(list(blend.values()), whole[: len(blend)])
        relation = kernel([*whole[len(blend) :], total], self.rows.budget)
        if relation is None or not relation[-1]:
            raise Misled
        times = abs(relation[-1])
        shares = [v * (times // relation[-1]) for v in relation[:-1]]
        new = {i: times * v for i, v in blend.items()}
        self.balance = merged(self.balance, new, dict(zip(old, shares, strict=True)))
        self._quotient = Quotient(self.rows, self.normals) if self.normals else None

    def _take_in(self, blend: Blend, correction: Blend | None = None) -> None:
        self.balance = merged(self.balance, blend, correction or {})
        rows = self.rows
        basis = independent(rows, list(self.balance))
        if rows.D - len(basis) > _MOST_DIRECTIONS:
            raise LimitReached(f"{rows.D} dimensions are too many to tell which rows can be strict")
        whole, scale = rows.whole(basis)
        rows.budget.spend_on_algebra(len(basis), longest(whole))
        directions = null_space(whole, rows.D, rows.budget) if len(basis) < rows.D else []
        normals = [reduce([v * s for v, s in zip(n, scale, strict=True)]) for n in directions]
        self._quotient = Quotient(rows, normals) if normals else None
        self._see(normals)

    def _see(self, normals: list[Vector]) -> None:
        rows, self.normals = self.rows, normals
        if not normals:
            self.alive = np.zeros(rows.n, dtype=bool)
            return
        # A row times a direction takes as long modulo a prime as four do in floating point.
        rows.budget.spend(4 * rows.n * len(normals))
        modulo = [mod(normals, prime).T for prime in PRIMES]
        for begin, end in rows.chunks():
            some = np.flatnonzero(self.alive[begin:end]) + begin
            self.alive[some] = False
            for prime, directions in zip(PRIMES, modulo, strict=True):
                outside = rows.times(directions, some, prime).any(axis=1)
                self.alive[some[outside]] = True  # certainly; the next prime sees the others
                some = some[~outside]


# --- Blends of rows that are zero up to the span of rows taken in before -------------------------
#
# Seen along the normals of that span, rows are short vectors, and so are the systems to be solved:
# what is taken in later is found there, and only in the end completed to a blend that is zero.


_BITS = 64  # of a number in a table, about


class Quotient:
    """The rows taken in since the normals were found: a positive blend of them, zero along all."""

    def __init__(self, rows: Rows, normals: list[Vector]):
        self.rows, self.blend = rows, Blend()
        self._first, self._bits = normals, max(abs(v).bit_length() for n in normals for v in n)

    def pays(self, new: int, old: int) -> bool:
        return new**3 * (self._bits + _BITS) < (new + old) ** 3 * _BITS

    def take_in(self, new: Sequence[int]) -> bool:
        old = self._independent()
        products, _ = along(self.rows, [*new, *old], self._first)
        self.rows.budget.spend_on_algebra(len(products), longest(products))
        zero = positive_kernel(products, len(new), self.rows.budget)
        if zero is None:
            return False
        blend = {i: v for i, v in zip(new, zero, strict=False) if v}
        correction = dict(zip(old, zero[len(new) :], strict=True))
        self.blend = merged(self.blend, blend, correction)
        return True

    def _independent(self) -> list[int]:
        index = list(self.blend)
        products, _ = along(self.rows, index, self._first)
        return [index[k] for k in independent_rows(products)]

    def normals(self) -> list[Vector]:
        products, scale = along(self.rows, self._independent(), self._first)
        self.rows.budget.spend_on_algebra(len(products), longest(products))
        directions = null_space(products, len(self._first), self.rows.budget)
        scaled = ([v * s for v, s in zip(z, scale, strict=True)] for z in directions)
        return [reduce(combined(shares, self._first)) for shares in scaled]


def along(
    rows: Rows, index: Sequence[int], normals: Sequence[Vector]
) -> tuple[list[Vector], Vector]:
    """Whole numbers a_i·normal_k · scale_k, and the scales."""
    columns, scales, place = list[Vector](), list[int](), np.array(index, dtype=np.intp)
    for normal in normals:
        products = rows.products(place, normal)
        common = math.lcm(*(below for _, below in products))
        scales.append(common)
        columns.append([above * (common // below) for above, below in products])
    return [[*row] for row in zip(*columns, strict=True)], scales


def positive_kernel(vectors: list[Vector], count: int, budget: Budget) -> Vector | None:
    """The blend of the vectors that is zero, if it is unique and positive on the first of them."""
    blend = kernel(vectors, budget)
    if blend is None:
        return None
    first = blend[:count]
    if not (min(first) >= 0 or max(first) <= 0) or not any(first):
        return None
    return blend if sum(first) > 0 else [-v for v in blend]


def merged(balance: Blend, blend: Blend, correction: Blend) -> Blend:
    """A positive blend of both; blend + correction (on rows of the balance, of any sign) is zero,
    as the balance is."""
    times = 1
    for i, v in correction.items():
        times = max(times, -v // balance[i] + 1)
    total = {i: times * v for i, v in balance.items()}
    for i, v in correction.items():
        total[i] += v
    total |= blend
    weights = reduce([total[i] for i in sorted(total)])
    return dict(zip(sorted(total), weights, strict=True))


# --- Rows as they are seen along the directions that are orthogonal to the rows taken in ---------
#
# The numbers a_i·normal_k, to the last digit: where products cancel they are computed exactly.


_BITS_OF_NORMALS = 256  # of a normal are looked at, from the first one on
_ENOUGH = 2.0**30  # a product this many times as large as its rounding needs no second look
_ROUND = 1e-10  # a direction of which less is left is not turned


@dataclass(frozen=True)
class Projected(Tabulated):
    """b_i = length_i · (a_i·normal_k / 2^bits_k) · turn, computed once."""

    table: Floats
    length: Floats
    normals: list[Vector]
    bits: Vector
    turn: Floats

    @classmethod
    def of(cls, rows: Rows, normals: list[Vector]) -> Projected:
        bits = [max(abs(v).bit_length() for v in normal) for normal in normals]
        columns = [_products(rows, normal, b) for normal, b in zip(normals, bits, strict=True)]
        table = np.array(columns).T.reshape(rows.n, len(normals))
        turn = _turn(table)
        table = np.nan_to_num(table @ turn)
        norm = np.sqrt(np.einsum("ij,ij->i", table, table))
        length = 1 / np.where(norm > 1e-200, norm, 1.0)
        return cls(table * length[:, None], length, normals, bits, turn)

    def row(self, a: list[Fraction]) -> Floats:
        pairs, there = zip(self.normals, self.bits, strict=True), [j for j, x in enumerate(a) if x]
        products = [Fraction(sum(n[j] * a[j] for j in there)) / (1 << b) for n, b in pairs]
        turned = np.array([float(v) for v in products]) @ self.turn
        return np.asarray(turned / (np.linalg.norm(turned) or 1.0))

    def exactly(self, rows: Rows, v: Floats) -> list[Fraction]:
        shares = (self.turn @ v).tolist()
        if not np.isfinite(shares).all():
            return [Fraction(0)] * rows.D
        exact = [Fraction(s) / (1 << b) for s, b in zip(shares, self.bits, strict=True)]
        common = max(s.denominator for s in exact)  # all are powers of two
        whole = [s.numerator * (common // s.denominator) for s in exact]
        return [Fraction(v) for v in combined(whole, self.normals)]


def _products(rows: Rows, normal: Vector, bits: int) -> Floats:
    """a_i·normal / 2^bits."""
    drop = max(bits - _BITS_OF_NORMALS, 0)
    short = [v >> drop for v in normal] if drop else normal
    f = np.array([v / (1 << (bits - drop)) for v in short])
    w, b = rows.split(f)
    out = rows.scores(w, b)
    rounding = rows.rounding * (rows.norms() + 2) * float(np.linalg.norm(f))
    doubtful = np.flatnonzero(~(np.abs(out) > _ENOUGH * rounding))
    exact = rows.products(doubtful, short)
    out[doubtful] = [above / (below << (bits - drop)) for above, below in exact]
    return out


def _turn(table: Floats) -> Floats:
    """What makes the columns orthogonal and about as large, where floats can tell them apart."""
    size = np.sqrt(np.mean(np.square(table), axis=0))
    power = np.exp2(-np.round(np.log2(np.where(size > 0, size, 1.0))))
    r = np.linalg.qr(np.nan_to_num(table * power), mode="r")
    left = np.abs(np.diag(r))
    if len(left) < len(power) or not left.min() > _ROUND * np.linalg.norm(r, axis=0).max():
        return np.diag(power)
    return np.asarray(power[:, None] * np.linalg.inv(r) * np.sqrt(len(table)))


# --- A guess in many dimensions, completed: rows that take what floats left of a blend -----------
#
# A blend of D + 1 rows in general position is zero; in thousands of dimensions some of the last of
# them weigh less than rounding does, and the search ends without them. What it left lies in the few
# dimensions that its rows do not span: there a small problem finds the rows that are missing.


_MOST_MISSING = 64
_AT_ONCE = 1 << 22  # numbers of rows that are looked at together


def completed(rows: Rows, view: View, support: list[int]) -> list[int]:
    """The support, and as many more rows as its blend lacks to be zero; as it is, where more than
    some are missing or they are not found."""
    size = view.dimensions(rows) + 1
    missing = size - len(support)
    if not 0 < missing <= min(_MOST_MISSING, len(support)):
        return support
    from scipy.optimize import nnls  # late: it takes longer to import than most proofs

    rows.budget.spend(size**2)  # a decomposition; it takes as long as so many rows
    own = _lifted(rows, view, np.array(support, dtype=np.intp))
    free = np.linalg.qr(own.T, mode="complete")[0][:, len(support) :]
    target = view.unit * free[-1]  # what is left of (0, unit)
    other = np.setdiff1d(np.arange(rows.n), support)
    step = max(1, _AT_ONCE // size)
    parts = [
        _lifted(rows, view, other[begin : begin + step]) @ free
        for begin in range(0, len(other), step)
    ]
    columns = np.concatenate([np.zeros((0, missing)), *parts]).T
    try:
        shares, _ = nnls(columns, target / (float(np.linalg.norm(target)) or 1.0))
    except RuntimeError:  # it did not converge
        return support
    return [*support, *other[shares > 0].tolist()]


def _lifted(rows: Rows, view: View, index: Index) -> Floats:
    b = view.rows(rows, index)
    return np.hstack([b, np.full((len(b), 1), view.unit)])
