"""The cheapest set of rows that meets every conflict found so far: floats guess, fractions prove.

The linear program min c·x with Σ_{i in C} x_i >= 1 for each conflict C has the dual: shares
s_C >= 0 with Σ_{C holds i} s_C <= c_i. Any such shares prove that the errors of every rule cost
Σ s_C or more; conflicts without a common row, each with the least of its costs, are the simplest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt._bounds.problem import Index, Mask
from rosenblatt._certify.balance import Blend
from rosenblatt._certify.linear_algebra import PRIMES, Singular, System, echelon
from rosenblatt._certify.rows import Floats
from rosenblatt._util.budget import Budget, LimitReached

_TOLERANCE = 1e-7
_MOST_EXACT = 400  # equations that are solved in whole numbers

Shares = dict[int, Fraction]  # conflict: share, in units of cost


@dataclass(frozen=True)
class Relaxation:
    """The linear program: x and its value in floating point, and shares that fractions prove."""

    x: Floats
    value: float  # in units
    prove: Callable[[], Shares]


@dataclass(frozen=True)
class Integral:
    """The solver's cheapest set, and its word on how cheap one can be."""

    removed: Mask | None
    bound: float
    done: bool


class Cover:
    """Conflicts, each once."""

    def __init__(self, cost: Any, scale: int):
        self.cost, self.scale = cost, scale
        self.conflicts: list[Blend] = []
        self.rows: list[Index] = []
        self._number: dict[tuple[int, ...], int] = {}

    def add(self, conflict: Blend) -> int:
        rows = tuple(sorted(conflict))
        if rows not in self._number:
            self._number[rows] = len(self.rows)
            self.conflicts.append(conflict)
            self.rows.append(np.array(rows, dtype=np.intp))
        return self._number[rows]

    def incidence(self, among: Sequence[int]) -> sparse.csr_array:
        some = [self.rows[k] for k in among]
        ends = np.cumsum([0, *(len(r) for r in some)])
        columns = np.concatenate([*some, np.zeros(0, dtype=np.intp)])
        shape = (len(some), len(self.cost))
        return sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)

    # --- The relaxation ---

    def relaxation(
        self,
        among: Sequence[int],
        kept: Mask,
        budget: Budget,
        limit: float | None,
    ) -> Relaxation:
        x = np.zeros(len(self.cost))
        if not among:
            return Relaxation(x, 0.0, dict)
        from scipy.optimize import linprog

        A = self.incidence(among)
        columns = np.setdiff1d(np.unique(A.indices), np.flatnonzero(kept))
        A = A[:, columns]
        c = np.array([v / self.scale for v in self.cost[columns].tolist()])
        ones = np.ones(len(among))
        solution = linprog(c, A_ub=-A, b_ub=-ones, method="highs", options=_options(limit))
        if solution.x is None:
            raise LimitReached
        x[columns] = solution.x
        guess = np.maximum(-solution.ineqlin.marginals, 0.0)

        def prove() -> Shares:
            whole = self.cost[columns].tolist()
            shares = _vertex(A, guess, whole, c, budget) or _scaled(A, guess, whole, self.scale)
            return {among[k]: s for k, s in shares.items()}

        return Relaxation(x, float(solution.fun) * self.scale, prove)

    # --- In whole numbers, by the solver ---

    def integral(self, limit: float | None) -> Integral:
        from scipy.optimize import Bounds, LinearConstraint, milp

        A = self.incidence(range(len(self.rows)))
        columns = np.unique(A.indices)
        c = np.array([v / self.scale for v in self.cost[columns].tolist()])
        solution = milp(
            c,
            constraints=LinearConstraint(A[:, columns], lb=1.0),
            integrality=np.ones(len(columns)),
            bounds=Bounds(0.0, 1.0),
            options=_options(limit) | {"mip_rel_gap": 0.0},
        )
        removed = None
        if solution.x is not None:
            removed = np.zeros(len(self.cost), dtype=bool)
            removed[columns] = solution.x > 0.5
        bound = solution.mip_dual_bound
        return Integral(removed, -np.inf if bound is None else float(bound), solution.status == 0)


def _options(limit: float | None) -> dict[str, float]:
    return {} if limit is None else {"time_limit": max(limit, 0.05)}


def _vertex(
    A: sparse.csr_array,
    guess: Floats,
    whole: list[int],
    c: Floats,
    budget: Budget,
) -> dict[int, Fraction] | None:
    """The shares that the solver means: those not zero, from the rows they use up."""
    used = np.flatnonzero(guess > _TOLERANCE)
    tight = np.flatnonzero(np.abs(guess @ A - c) <= _TOLERANCE * np.maximum(c, 1.0))
    if not 0 < len(used) <= _MOST_EXACT or len(tight) > 4 * _MOST_EXACT:
        return None
    block = A[used][:, tight].toarray().T.astype(np.int64)  # rows used up x shares
    equations, unknowns = echelon(block, PRIMES[0])
    if not equations:
        return None
    matrix = block[np.ix_(equations, unknowns)].tolist()
    try:
        above, below = System(matrix).solve([whole[tight[i]] for i in equations], budget)
    except Singular:
        return None
    shares = {int(used[k]): Fraction(v, below) for k, v in zip(unknowns, above, strict=True)}
    return shares if _fit(A, shares, whole) else None


def _fit(A: sparse.csr_array, shares: dict[int, Fraction], whole: list[int]) -> bool:
    return min(shares.values()) >= 0 and all(v <= whole[j] for j, v in _loads(A, shares).items())


def _scaled(
    A: sparse.csr_array, guess: Floats, whole: list[int], scale: int
) -> dict[int, Fraction]:
    """All shares as they are, made a little smaller until they fit."""
    shares = {
        k: Fraction(float(guess[k])).limit_denominator(10**6) * scale
        for k in np.flatnonzero(guess > _TOLERANCE).tolist()
    }
    shares = {k: s for k, s in shares.items() if s > 0}
    loads = _loads(A, shares)
    factor = min([Fraction(1), *(whole[j] / v for j, v in loads.items())])
    return {k: s * factor for k, s in shares.items()}


def _loads(A: sparse.csr_array, shares: dict[int, Fraction]) -> dict[int, Fraction]:
    out: dict[int, Fraction] = {}
    for k, share in shares.items():
        for j in A.indices[A.indptr[k] : A.indptr[k + 1]].tolist():
            out[j] = out.get(j, Fraction(0)) + share
    return out


# --- Conflicts beside each other: what they count together ---------------------------------------


class Packing:
    """Conflicts with shares: each takes as much as the row with the least left has."""

    def __init__(self, cover: Cover):
        self._cover, self.left = cover, cover.cost.copy()
        self.shares: Shares = {}

    def add(self, number: int) -> None:
        rows = self._cover.rows[number]
        share = min(self.left[rows].tolist())
        if share > 0:
            self.left[rows] -= share
            self.shares[number] = self.shares.get(number, Fraction(0)) + share
