"""Which rows can be strictly on the right side: complete, quasi-complete or no separation.

If a positive blend of rows is zero, then every w with all a_i·w >= 0 has a_i·w = 0 on those rows,
and on all rows in their span. Look along what is orthogonal to that span; there the other rows
either have a strict separator, and that is the answer, or again a blend that is zero: take it in,
and go on.
Each round takes in at least one dimension, so that there are at most D of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rosenblatt._proof.integer_algebra import (
    PRIMES,
    Misled,
    independent_rows,
    kernel,
    mod,
    null_space,
    reduce,
)
from rosenblatt._proof.least_distance import Metric, decision_metric, nearest_point
from rosenblatt._proof.rows import Floats, Ints, Rows, Vector
from rosenblatt._proof.simplex import Face, decide
from rosenblatt._support.budget import LimitReached

Blend = dict[int, int]  # row: positive whole number
_MOST_DIRECTIONS = 2000
ONLY_SEPARABLE = "only whether the rows are separable was asked"


@dataclass
class Partition:
    """What is known so far; at the end all of it."""

    rows: Rows
    metric: Metric | None = None
    conflict: Blend | None = None  # the first blend that is zero: at most D + 1 rows
    balance: Blend = field(default_factory=dict)  # a positive blend of all rows taken in, zero
    normals: list[Vector] | None = None  # span what is orthogonal to them; None: no rows taken in
    alive: NDArray[np.bool_] | None = None  # rows outside their span; None: all
    separator: list[Fraction] | None = None  # strict on the living rows, zero on the others
    support: list[int] = field(default_factory=list)  # rows near the separator
    done: bool = False
    first_conflict: bool = False  # is enough: more is not asked

    def run(self, known: Blend | None) -> None:
        """Until the answer is proved; `known` is a conflict that was found by looking."""
        if known is not None:
            self._take_in(known)
        while not self.done:
            self._round()

    def _round(self) -> None:
        rows = self.rows
        if self.alive is not None and not self.alive.any():
            self.done = True
            return
        if self.metric is None:
            self.metric = decision_metric(rows)
        metric = self.metric if self.normals is None else along(rows, self.metric, self.normals)
        guess = nearest_point(rows, metric, alive=self.alive, first=True)
        self.support = guess.support
        if guess.separates and self._separates(self.exactly(guess.weights)):
            return
        if not guess.separates and self._take_in_support(guess.support):
            return
        index = range(rows.n) if self.alive is None else np.flatnonzero(self.alive).tolist()
        decision = decide(Face(rows, index, self.normals), guess.support)
        if decision.separator is not None:
            proved = self._separates(decision.separator)
        else:
            assert decision.conflict is not None
            proved = self._take_in_support(list(decision.conflict))
        if not proved:
            raise Misled

    # --- Separators ---

    def exactly(self, weights: tuple[Floats, float]) -> list[Fraction]:
        """Exact weights near the given ones; orthogonal to the rows taken in."""
        w = self.rows.lifted(*weights)
        if not np.isfinite(w).all():
            return [Fraction(0)] * self.rows.D
        if self.normals is None:
            return [Fraction(v) for v in w.tolist()]
        assert self.metric is not None
        basis, size = _in_metric(self.rows, self.metric, self.normals)
        target = weights_in_metric(self.rows, self.metric, w)
        shares = np.linalg.lstsq(basis, target, rcond=None)[0]
        out = [Fraction(0)] * self.rows.D
        for share, normal, bits in zip(shares.tolist(), self.normals, size, strict=True):
            factor = Fraction(share) / (1 << bits)
            out = [v + factor * x for v, x in zip(out, normal, strict=True)]
        return out

    def _separates(self, w: list[Fraction]) -> bool:
        """Keep w if it is strictly right for every living row."""
        signs = self.rows.signs(w, only=self.alive)
        living = signs if self.alive is None else signs[self.alive]
        if not (living > 0).all():
            return False
        self.separator, self.done = w, True
        return True

    # --- Conflicts ---

    def _take_in_support(self, support: Sequence[int]) -> bool:
        """A blend of these rows and of those taken in before that is zero, if it is one."""
        old = independent(self.rows, list(self.balance))
        new = list(support)
        if not new:
            return False
        self.rows.budget.spend_on_algebra(len(new) + len(old))
        whole, _ = self.rows.whole([*new, *old])
        blend = kernel(whole, self.rows.budget.check_interrupt)
        if blend is None:
            return False
        first = blend[: len(new)]
        if not (all(v >= 0 for v in first) or all(v <= 0 for v in first)) or not any(first):
            return False
        sign = 1 if sum(first) > 0 else -1
        self._take_in(
            {i: sign * v for i, v in zip(new, first, strict=True) if v},
            {i: sign * v for i, v in zip(old, blend[len(new) :], strict=True)},
        )
        return True

    def _take_in(self, blend: Blend, correction: Blend | None = None) -> None:
        """blend + correction (on rows taken in before, of any sign) is zero."""
        if self.conflict is None:
            self.conflict = dict(sorted(blend.items()))
        times = 1
        for i, v in (correction or {}).items():
            times = max(times, -v // self.balance[i] + 1)
        total = {i: times * v for i, v in self.balance.items()}
        for i, v in (correction or {}).items():
            total[i] += v
        total |= blend
        weights = reduce([total[i] for i in sorted(total)])
        self.balance = dict(zip(sorted(total), weights, strict=True))
        self._look_along()

    def _look_along(self) -> None:
        """The directions orthogonal to all rows taken in, and the rows that can be seen there."""
        rows = self.rows
        basis = independent(rows, list(self.balance))
        if self.first_conflict and len(basis) < rows.D:
            raise LimitReached(ONLY_SEPARABLE)
        if rows.D - len(basis) > _MOST_DIRECTIONS:
            raise LimitReached(f"{rows.D} dimensions are too many to tell which rows can be strict")
        rows.budget.spend_on_algebra(len(basis))
        whole, scale = rows.whole(basis)
        found = (
            null_space(whole, rows.D, rows.budget.check_interrupt) if len(basis) < rows.D else []
        )
        self.normals = [reduce([v * s for v, s in zip(n, scale, strict=True)]) for n in found]
        if not self.normals:
            self.alive = np.zeros(rows.n, dtype=bool)
            return
        # A row times a direction takes as long modulo a prime as four do in floating point.
        rows.budget.spend(4 * rows.n * len(self.normals))
        alive = np.ones(rows.n, dtype=bool) if self.alive is None else self.alive
        normals = [mod(self.normals, prime).T for prime in PRIMES]
        for begin, end in rows.chunks():
            some = np.flatnonzero(alive[begin:end]) + begin
            alive[some] = False
            for prime, directions in zip(PRIMES, normals, strict=True):
                seen = _products(rows.residues(prime, some), directions, prime).any(axis=1)
                alive[some[seen]] = True  # certainly; of the others the next prime is asked
                some = some[~seen]
        self.alive = alive


def _products(left: Ints, right: Ints, prime: int) -> Ints:
    """The matrix product modulo the prime."""
    out = np.zeros((len(left), right.shape[1]), dtype=np.int64)
    for j in range(left.shape[1]):
        out = (out + left[:, j, None] * right[j]) % prime
    return out


def independent(rows: Rows, index: list[int]) -> list[int]:
    """As many of the rows as are independent."""
    if not index:
        return []
    whole, _ = rows.whole(index)
    return [index[k] for k in independent_rows(whole)]


def weights_in_metric(rows: Rows, metric: Metric, w: Floats) -> Floats:
    """v with metric.weights(v) = w (without basis)."""
    v = w[: rows.d] / metric.scale
    if not rows.intercept:
        return v
    return np.append(v, (w[-1] + w[:-1] @ metric.center) / metric.lift)


def _in_metric(rows: Rows, metric: Metric, normals: list[Vector]) -> tuple[Floats, list[int]]:
    """Normals as columns in the space of the search, each divided by 2^bits."""
    bits = [max(abs(v).bit_length() for v in normal) for normal in normals]
    columns = []
    for normal, b in zip(normals, bits, strict=True):
        w = np.array([v / (1 << b) for v in normal])
        columns.append(weights_in_metric(rows, metric, w))
    return np.array(columns).T, bits


def along(rows: Rows, metric: Metric, normals: list[Vector]) -> Metric:
    """The search restricted to what is orthogonal to the rows taken in."""
    columns, _ = _in_metric(rows, metric, normals)
    columns = columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    q, _ = np.linalg.qr(columns)
    seen = replace(metric, basis=q, length=None)
    length = np.ones(rows.n)
    for begin, end in rows.chunks():
        b = seen.rows(rows, np.arange(begin, end))
        inverse = 1 / np.linalg.norm(b, axis=1)
        length[begin:end] = np.where(np.isfinite(inverse) & (inverse < 1e100), inverse, 1.0)
    return replace(seen, length=length)
