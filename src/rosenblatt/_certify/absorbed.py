"""Fixed effects: factors of many levels, decided without a column for each.

Levels (and columns) that are one-sided separate their rows at sight, round after round. For the
rows that are left a linear programme either finds weights for all of them whose blend is zero, or
a direction; floats guess, and sparse sums of whole numbers prove. With weights for all rows there
is no span to be shown: a blend of all rows left that is zero ties each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import verify
from rosenblatt._certify import document as say
from rosenblatt._certify.diagnostics import visible_conflict
from rosenblatt._certify.facial_reduction import Partition
from rosenblatt._certify.linear_algebra import Singular, System
from rosenblatt._certify.modular import PRIMES, echelon, mod
from rosenblatt._certify.one_sided import one_sided
from rosenblatt._certify.rows import Floats, Index, Rows, Vector
from rosenblatt._certify.sparse_core import split
from rosenblatt._core.rows import dense
from rosenblatt._util.budget import Budget, LimitReached

_BITS = 30  # of a weight that is rounded, after the point
_CLEAR = 1e-7  # what a row gains of a direction, where floats tell
_SIMPLE = 1000  # denominators of a direction that is taken for a simple one
_MOST_SEARCHED = 300  # columns, those of levels included
_MOST_SIGNS = 64  # features whose coefficients are asked about


@final
@dataclass
class Absorbed:
    """Rows that count, with the place of their level in each factor. `free`: with both labels."""

    rows: Rows  # the features, without an intercept; y are their sides
    levels: list[Index]
    free: NDArray[np.bool_]
    budget: Budget
    tied: NDArray[np.bool_] = field(init=False)  # not known to be separated
    balance: dict[int, Fraction] | None = field(init=False, default=None)
    separator: list[Fraction] = field(init=False)  # features, then the levels of each factor

    def __post_init__(self) -> None:
        self.tied = np.ones(self.rows.n, dtype=bool)
        self.sizes = [int(codes.max(initial=-1)) + 1 for codes in self.levels]
        self.d = self.rows.d
        self.separator = [Fraction(0)] * (self.d + sum(self.sizes))

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """The columns of the levels of each row, after the features."""
        begin = self.d + np.cumsum([0, *self.sizes[:-1]])
        return np.array([b + codes for b, codes in zip(begin, self.levels, strict=True)]).T

    @cached_property
    def table(self) -> Any:
        """All columns, as a CSR matrix; rows are not signed."""
        n, factors = self.places.shape
        ones = np.ones(n * factors)
        shape = (n, sum(self.sizes))
        rows = np.repeat(np.arange(n), factors)
        dummies = sparse.csr_matrix((ones, (rows, (self.places - self.d).ravel())), shape=shape)
        features = sparse.csr_matrix(self.rows.X.astype(np.float64))
        return sparse.hstack([features, dummies], format="csr")

    def decide(self) -> None:
        self._peel()
        if not self.tied.any():
            self.balance = {}
            return
        while True:
            self.balance = self._balanced()
            if self.balance is not None or not self._direction():
                return

    def _peel(self) -> None:
        row = np.concatenate([np.arange(self.rows.n), np.flatnonzero(self.free)])
        y = np.concatenate([self.rows.y, -self.rows.y[self.free]]).astype(np.int8)
        every = Rows(
            self.table[row], y, intercept=False, decimal=self.rows.decimal, budget=self.budget
        )
        found = one_sided(every)
        self._take(found.separator(every, self.separator), row[~found.alive])

    def _take(self, w: list[Fraction], index: Index) -> bool:
        """A direction that has these rows strictly right, if none is wrong."""
        whole = verify.whole(w)
        if len(index) and min(self._signs(np.arange(self.rows.n), whole)) >= 0:
            strict = np.array(self._signs(index, whole)) > 0
            self.separator = w
            self.tied[index[strict]] = False
            return bool(strict.all())
        return False

    def _signs(self, index: Index, whole: Vector) -> list[int]:
        """Of score times side; of rows with both labels 0, or -1."""
        w, rows = whole[: self.d], self.rows
        products = rows.products(index, w) if any(w) else [(0, 1)] * len(index)
        out = []
        for i, (above, below) in zip(index.tolist(), products, strict=True):
            side = int(rows.y[i])
            alpha = side * sum(whole[place] for place in self.places[i].tolist())
            score = above + alpha * below
            out.append(-1 if score and self.free[i] else (score > 0) - (score < 0))
        return out

    # --- A blend of all rows that are left ---

    @cached_property
    def _scaled(self) -> Floats:
        x = dense(self.rows.X).astype(np.float64)
        x = x - x.mean(axis=0)
        size = np.abs(x).max(axis=0, initial=0.0)
        return np.asarray(x / np.where(size > 0, size, 1.0))

    def _programme(self, index: Index) -> Any:
        """Signed rows, as the linear programme sees them."""
        some = sparse.csr_matrix(self._scaled[index])
        both = sparse.hstack([some, self.table[index][:, self.d :]], format="csr")
        return sparse.diags(self.rows.y[index]) @ both

    def _balanced(self) -> dict[int, Fraction] | None:
        from scipy.optimize import linprog

        index = np.flatnonzero(self.tied)
        if self.free[index].all():
            return dict.fromkeys(index.tolist(), Fraction(0))
        free = self.free[index]
        columns = self._programme(index).T.tocsr()
        there = np.diff(columns.indptr) > 0
        self.budget.spend(50 * len(index))
        bounds = np.column_stack([np.where(free, -np.inf, 1.0), np.full(len(index), np.inf)])
        found = linprog(
            np.zeros(len(index)),
            A_eq=columns[there],
            b_eq=np.zeros(int(there.sum())),
            bounds=bounds,
            method="highs",
            options=self._limit(),
        )
        return None if found.x is None else self._exactly(index, found.x)

    def _limit(self) -> dict[str, float]:
        left = self.budget.seconds_left()
        return {} if left is None else {"time_limit": max(left, 0.01)}

    def _exactly(self, index: Index, weights: Floats) -> dict[int, Fraction] | None:
        """Rounded, and corrected in rows that span all of them."""
        system = _Sparse(self, index, np.argsort(-np.abs(weights), kind="stable"))
        for bits in (_BITS, 2 * _BITS):
            share = [int(v) for v in np.rint(np.ldexp(weights, bits)).tolist()]
            signed = [v * int(y) for v, y in zip(share, self.rows.y[index].tolist(), strict=True)]
            correction = system.solve([-v for v in system.total(signed)])
            if correction is None:
                return None
            exact = {k: Fraction(v) for k, v in enumerate(signed)}
            for k, v in correction.items():
                exact[k] += v
            sided = (k for k in exact if not self.free[index[k]])
            if all(exact[k] * int(self.rows.y[index[k]]) > 0 for k in sided):
                self.spanning = system
                return {int(index[k]): v for k, v in exact.items() if v}
        return None

    # --- A direction that separates some of them ---

    def _direction(self) -> bool:
        from scipy.optimize import linprog

        index = np.flatnonzero(self.tied)
        signed, free = self._programme(index), self.free[index]
        n, size = signed.shape
        self.budget.spend(100 * n)
        gain = sparse.identity(n, format="csr")[:, ~free]
        upper = sparse.hstack([-signed, gain], format="csr")[~free]
        equal = sparse.hstack([signed, sparse.csr_matrix(gain.shape)], format="csr")[free]
        k = gain.shape[1]
        found = linprog(
            np.concatenate([np.zeros(size), -np.ones(k)]),
            A_ub=upper,
            b_ub=np.zeros(upper.shape[0]),
            A_eq=equal if free.any() else None,
            b_eq=np.zeros(equal.shape[0]) if free.any() else None,
            bounds=[(None, None)] * size + [(0, 1)] * k,
            method="highs",
            options=self._limit(),
        )
        if found.x is None:
            return False
        v = found.x[: self.d]
        x = dense(self.rows.X).astype(np.float64)
        size_of = np.abs(x - x.mean(axis=0)).max(axis=0, initial=0.0)
        v = v / np.where(size_of > 0, size_of, 1.0)
        if any(self._strict(index, w) for w in _simple(v) if any(w)):
            return True
        return self._searched(index)

    def _searched(self, index: Index) -> bool:
        """By the search for few columns, those of the levels included."""
        there = np.unique(self.places[index])
        columns = np.append(np.arange(self.d), there)
        row = np.concatenate([index, index[self.free[index]]])
        y = np.concatenate([self.rows.y[index], -self.rows.y[index[self.free[index]]]])
        x, wide = self.table[row][:, columns], len(columns) > _MOST_SEARCHED
        rows = Rows(
            x if wide else x.toarray(),
            y.astype(np.int8),
            intercept=False,
            decimal=self.rows.decimal,
            budget=self.budget,
        )
        if wide:
            try:
                core = split(rows)
            except LimitReached:
                return False
            balance, separator = core.balance, core.separator if len(core.strict) else None
        else:
            partition = Partition(rows)
            partition.run(visible_conflict(rows))
            balance, separator = partition.balance, partition.separator
        if separator is None:
            self._spread_balance(index, row, rows, balance)
            return False
        w = [Fraction(0)] * len(self.separator)
        for place, v in zip(columns.tolist(), separator, strict=True):
            w[place] = v
        return self._beside(index, w)

    def _spread_balance(self, index: Index, row: Index, rows: Rows, few: dict[int, int]) -> None:
        """A blend that is zero, of rows that span all: with enough of it all have a share."""
        of = {int(i): k for k, i in enumerate(index)}
        signed = [0] * len(index)
        for k, v in few.items():
            signed[of[int(row[k])]] += int(rows.y[k]) * v
        sides = self.rows.y[index].astype(int).tolist()
        once = [
            0 if v or free else side
            for v, free, side in zip(signed, self.free[index], sides, strict=True)
        ]
        order = np.argsort([not v for v in signed], kind="stable")
        system = _Sparse(self, index, order)
        correction = system.solve([-v for v in system.total(once)])
        if correction is None:
            return
        exact = {k: Fraction(v) for k, v in enumerate(once)}
        for k, change in correction.items():
            exact[k] += change
        lacking = [k for k in exact if not self.free[index[k]] and exact[k] * sides[k] <= 0]
        if any(signed[k] * sides[k] <= 0 for k in lacking):
            return
        times = max(
            (1 - exact[k] * sides[k] / abs(signed[k]) for k in lacking), default=Fraction(1)
        )
        total = {k: share + int(times + 1) * signed[k] for k, share in exact.items()}
        self.spanning = system
        self.balance = {int(index[k]): share for k, share in total.items() if share}

    def _strict(self, index: Index, v: list[Fraction]) -> bool:
        """By weights of the features, the levels in the middle of what they may be: one factor."""
        if len(self.levels) != 1:
            return False
        rows, codes = self.rows, self.places[:, 0]
        products = rows.products(index, verify.whole(v))
        low, high = dict[int, Fraction](), dict[int, Fraction]()
        for i, (above, below) in zip(index.tolist(), products, strict=True):
            place, needed = int(codes[i]), -int(rows.y[i]) * Fraction(above, below)
            if rows.y[i] > 0 or self.free[i]:
                low[place] = max(low.get(place, needed), needed)
            if rows.y[i] < 0 or self.free[i]:
                high[place] = min(high.get(place, needed), needed)
        w = [Fraction(v) for v in verify.whole(v)] + [Fraction(0)] * sum(self.sizes)
        for place in {*low, *high}:
            a, b = low.get(place), high.get(place)
            if a is not None and b is not None and a > b:
                return False
            if a is not None and b is not None:
                w[place] = (a + b) / 2
            else:  # strictly on its side
                w[place] = a + 1 if a is not None else (b or Fraction(0)) - 1
        return self._beside(index, w)

    def _beside(self, index: Index, w: list[Fraction]) -> bool:
        """A direction for rows that are tied so far; what was found before stays right if it is
        large against this."""
        strict = np.array(self._signs(index, verify.whole(w))) > 0
        outside = np.flatnonzero(~self.tied)
        need = Fraction(0)
        if len(outside):
            need = self._need(outside, w)
        total = [need * a + b for a, b in zip(self.separator, w, strict=True)]
        return bool(strict.any()) and self._take(total, np.append(outside, index[strict]))

    def _need(self, index: Index, w: list[Fraction]) -> Fraction:
        """How large the separator has to be, so that it outweighs w in these rows."""
        scores = [self._scores(index, v) for v in (self.separator, w)]
        each = (-new / old for old, new in zip(*scores, strict=True) if old > 0 > new)
        return 2 * max(each, default=Fraction(1, 2))

    def _scores(self, index: Index, w: Sequence[Fraction]) -> list[Fraction]:
        features = [Fraction(v) for v in w[: self.d]]
        whole = verify.whole([*features, 1])
        products = self.rows.products(index, whole[:-1])
        return [
            Fraction(above, below * whole[-1])
            + int(self.rows.y[i]) * sum(w[p] for p in self.places[i].tolist())
            for i, (above, below) in zip(index.tolist(), products, strict=True)
        ]

    # --- Coefficients that are finite ---

    def signs(self) -> list[dict[str, Any]]:
        """Of the features: "0" where rows that are tied have a blend that is this column alone."""
        unknown: list[dict[str, Any]] = [{"signs": "?"}] * self.d
        if self.balance is None or not self.balance or self.d > _MOST_SIGNS:
            return unknown
        index = np.flatnonzero(self.tied)
        system = getattr(self, "spanning", None) or _Sparse(self, index, np.arange(len(index)))
        for j in range(self.d):
            goal = [0] * len(self.separator)
            goal[j] = system.scale[j]
            if (found := system.solve(goal)) is not None:
                weights = {int(index[k]): v for k, v in found.items() if v}
                unknown[j] = {"signs": "0", "times": hex(1), **_blend(weights)}
        return unknown

    def document(self, present: Index | None, codes: list[Floats]) -> dict[str, Any]:
        """As `verify.py` reads it. Levels have these numbers there, which may leave some out."""
        names = np.arange(self.rows.n) if present is None else present
        strict = np.flatnonzero(~self.tied)
        begin = self.d + np.cumsum([0, *self.sizes])
        some = {
            "separator": say.numbers(self.separator[: self.d]),
            "level_weights": [
                say.numbers(_spread(self.separator[a:b], of_factor))
                for a, b, of_factor in zip(begin[:-1], begin[1:], codes, strict=True)
            ],
            "separated": names[strict].tolist(),
        }
        if self.balance is None:
            return {"verdict": "undecided", "separable": None, **(some if len(strict) else {})}
        if not self.tied.any():
            return {"verdict": "complete separation", "separable": True, **some}
        word = "quasi-complete separation" if len(strict) else "overlap"
        blend = _blend({int(names[i]): v for i, v in self.balance.items()})
        signs = self.signs()
        for part in signs:
            if "rows" in part:
                part["rows"] = names[part["rows"]].tolist()
        out = {"verdict": word, "separable": False, "balance": blend, "signs": signs}
        return out | (some if len(strict) else {})


def _blend(weights: dict[int, Fraction]) -> dict[str, Any]:
    index = sorted(weights)
    return {"rows": index, "weights": [say.text(weights[i]) for i in index]}


def _spread(weights: list[Fraction], codes: Floats) -> list[Fraction]:
    out = [Fraction(0)] * (int(codes.max()) + 1)
    for code, weight in zip(codes.tolist(), weights, strict=True):
        out[int(code)] = weight
    return out


def _simple(v: Floats) -> list[list[Fraction]]:
    """Directions near v: of simple fractions, and as floats have it."""
    size = float(np.abs(v).max(initial=0.0))
    if not 0 < size < np.inf:
        return []
    shares = [Fraction(x) for x in (v / size).tolist()]
    clear = [x if abs(x) > _CLEAR else Fraction(0) for x in shares]
    return [[x.limit_denominator(_SIMPLE) for x in clear], clear, shares]


@final
class _Sparse:
    """Rows that span all of some, and systems of them in whole numbers: what a blend of them is.

    Levels have few of these rows each, and mostly one at a time that is still open, so that little
    is left for a dense system.
    """

    def __init__(self, of: Absorbed, index: Index, order: Index):
        self.budget, self.size, self.d = of.budget, len(of.separator), of.d
        self.places = of.places[index].tolist()
        whole, self.scale = of.rows.whole(index.tolist())
        self.whole = [
            row if y > 0 else [-v for v in row]
            for row, y in zip(whole, of.rows.y[index].tolist(), strict=True)
        ]
        self.basis = self._spanning(order.tolist(), len(of.levels))

    def _spanning(self, order: list[int], factors: int) -> list[int]:
        prime, pivots, chosen = PRIMES[0], dict[int, dict[int, int]](), list[int]()
        most = self.d + len({p for row in self.places for p in row}) - (factors - 1)
        for k in order:
            self.budget.check_interrupt()
            v = dict.fromkeys(self.places[k], 1)
            v |= {j: x % prime for j, x in enumerate(self.whole[k]) if x % prime}
            while v:
                lead = max(v)
                if (pivot := pivots.get(lead)) is None:
                    inverse = pow(v[lead], -1, prime)
                    pivots[lead] = {c: x * inverse % prime for c, x in v.items()}
                    chosen.append(k)
                    break
                factor = v[lead]
                for c, x in pivot.items():
                    if new := (v.get(c, 0) - factor * x) % prime:
                        v[c] = new
                    else:
                        v.pop(c, None)
            if len(chosen) == most:
                break
        return chosen

    def total(self, weights: Sequence[int]) -> list[int]:
        """Σ weight (x_i, levels), the features in whole numbers."""
        out = [0] * self.size
        for k, weight in enumerate(weights):
            for place in self.places[k]:
                out[place] += weight
        for j in range(self.d):
            out[j] = sum(w * row[j] for w, row in zip(weights, self.whole, strict=True))
        return out

    def solve(self, goal: list[int]) -> dict[int, Fraction] | None:
        """Weights of the basis whose blend is the goal; None: there are none."""
        goal, found = list(goal), dict[int, Fraction]()
        open_ = dict[int, set[int]]()
        for k in self.basis:
            for place in self.places[k]:
                open_.setdefault(place, set()).add(k)
        if any(v and place not in open_ for place, v in enumerate(goal) if place >= self.d):
            return None
        alone = [place for place, rows in open_.items() if len(rows) == 1]
        while alone:
            place = alone.pop()
            if len(open_[place]) != 1:
                continue
            (k,) = open_[place]
            weight = goal[place]
            found[k] = Fraction(weight)
            for other in self.places[k]:
                goal[other] -= weight
                open_[other].discard(k)
                if len(open_[other]) == 1:
                    alone.append(other)
            if weight:
                for j, x in enumerate(self.whole[k]):
                    goal[j] -= weight * x
        rest = [k for k in self.basis if k not in found]
        columns = [*range(self.d), *(place for place, rows in open_.items() if rows)]
        done = (place for place in range(self.d, self.size) if not open_.get(place))
        if any(goal[place] for place in done):
            return None
        dense_part = self._dense(rest, columns, [goal[c] for c in columns])
        return None if dense_part is None else found | dense_part

    def _dense(
        self, rest: list[int], columns: list[int], goal: list[int]
    ) -> dict[int, Fraction] | None:
        if not rest:
            return None if any(goal) else {}
        at = {c: k for k, c in enumerate(columns)}
        matrix = []
        for k in rest:
            row = [*self.whole[k], *[0] * (len(columns) - self.d)]
            for place in self.places[k]:
                row[at[place]] = 1
            matrix.append(row)
        for prime in PRIMES:
            places, chosen = echelon(mod(matrix, prime), prime)
            if len(places) == len(rest):
                break
        else:
            return None
        try:
            system = System([[row[j] for row in matrix] for j in chosen])
        except Singular:
            return None
        x, times = system.solve([goal[j] for j in chosen], self.budget)
        for j in set(range(len(columns))) - set(chosen):
            if sum(v * row[j] for v, row in zip(x, matrix, strict=True)) != times * goal[j]:
                return None
        return {k: Fraction(v, times) for k, v in zip(rest, x, strict=True)}
