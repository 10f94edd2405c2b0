"""Fixed effects: factors of many levels, decided without a column for each.

Levels (and columns) that are one-sided separate their rows at sight, round after round. For the
rows that are left a linear programme either finds weights for all of them whose blend is zero, or
a direction; floats guess, and sparse sums of whole numbers prove. With weights for all rows there
is no span to be shown: a blend of all rows left that is zero ties each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
from rosenblatt._certify.linear_algebra import LIFTING, System, echelon, inverse, mod, product
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
_TRIED = 1000  # rows, for one that moves along a direction


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
        sided = one_sided(every)
        self._take(sided.separator(every, self.separator), row[~sided.alive])

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
        both = zip(self._scored(index, whole), self.free[index].tolist(), strict=True)
        return [-1 if sign and free else sign for sign, free in both]

    def _scored(self, index: Index, whole: Vector) -> list[int]:
        w, rows = whole[: self.d], self.rows
        products = rows.products(index, w) if any(w) else [(0, 1)] * len(index)
        out = []
        for i, (above, below) in zip(index.tolist(), products, strict=True):
            side = int(rows.y[i])
            alpha = side * sum(whole[place] for place in self.places[i].tolist())
            score = above + alpha * below
            out.append((score > 0) - (score < 0))
        return out

    # --- A blend of all rows that are left ---

    @cached_property
    def _scaled(self) -> tuple[Floats, Floats]:
        """The features, centred and divided by their sizes; and these."""
        x = dense(self.rows.X).astype(np.float64)
        x = x - x.mean(axis=0)
        size = np.abs(x).max(axis=0, initial=0.0)
        size[~(size > 0)] = 1.0
        return x / size, size

    def _programme(self, index: Index) -> Any:
        """Signed rows, as the linear programme sees them."""
        some = sparse.csr_matrix(self._scaled[0][index])
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
        solution = linprog(
            np.zeros(len(index)),
            A_eq=columns[there],
            b_eq=np.zeros(int(there.sum())),
            bounds=bounds,
            method="highs",
            options=self._limit(),
        )
        return None if solution.x is None else self._exactly(index, solution.x)

    def _limit(self) -> dict[str, float]:
        left = self.budget.seconds_left()
        return {} if left is None else {"time_limit": max(left, 0.01)}

    def _exactly(self, index: Index, weights: Floats) -> dict[int, Fraction] | None:
        """Rounded, and corrected in rows that span all of them."""
        system = _Forest(self, index, np.argsort(-np.abs(weights), kind="stable"))
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
        solution = linprog(
            np.concatenate([np.zeros(size), -np.ones(k)]),
            A_ub=upper,
            b_ub=np.zeros(upper.shape[0]),
            A_eq=equal if free.any() else None,
            b_eq=np.zeros(equal.shape[0]) if free.any() else None,
            bounds=[(None, None)] * size + [(0, 1)] * k,
            method="highs",
            options=self._limit(),
        )
        if solution.x is None:
            return False
        v = solution.x[: self.d] / self._scaled[1]
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
        system = _Forest(self, index, order)
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

    @cached_property
    def collinear(self) -> dict[int, list[Fraction]]:
        """By feature, weights of features and levels that are 0 in every row."""
        every = np.arange(self.rows.n)
        return self._zero_on(
            self.spanning if self.tied.all() else _Forest(self, every, every), every
        )

    def _zero_on(self, forest: _Forest, index: Index) -> dict[int, list[Fraction]]:
        vectors = forest.null_vectors().items()
        return {j: w for j, w in vectors if not any(self._scored(index, verify.whole(w)))}

    def signs(self, of_levels: Callable[[list[Fraction]], Any]) -> list[dict[str, Any]]:
        """Of the features, where a blend of rows is this column alone: "0" of tied ones. "±" where
        the separator has no weight, and a direction that keeps tied rows tied has one."""
        out: list[dict[str, Any]] = [{"signs": "?"}] * self.d
        index = np.flatnonzero(self.tied)
        if self.d > _MOST_SIGNS:
            return out
        if not hasattr(self, "spanning"):
            self.spanning = _Forest(self, index, np.arange(len(index)))
        loose = self._zero_on(self.spanning, index)
        for j in sorted(set(range(self.d)) - self.collinear.keys()):
            weight = self._weight(j)
            either = next((w for k, w in loose.items() if w[j] and k not in self.collinear), None)
            if either is None:
                blend, sign = self._alone(self.spanning, index, j), "0"
            elif weight:
                blend, sign = self._pushed(j, weight > 0, either), "+" if weight > 0 else "-"
            else:
                blend, other = None, say.numbers(either[: self.d])
                out[j] = {"signs": "±", "other": other, "level_weights": of_levels(either)}
            if blend is not None:
                out[j] = {"signs": sign, **_blend(blend)}
        return out

    def _weight(self, j: int) -> Fraction:
        """Of the separator, where features that are left out have none."""
        w = self.separator
        left_out = (w[k] * v[j] / v[k] for k, v in self.collinear.items())
        return w[j] - sum(left_out, Fraction())

    def _alone(self, forest: _Forest, index: Index, j: int) -> dict[int, Fraction] | None:
        """Rows whose blend is this feature alone, but for features left out: what these have in it
        follows, as all rows are 0 along their null vectors."""
        goal = {j: Fraction(1)}
        for k, w in self.collinear.items():
            goal[k] = -(w[j] / forest.scale[j]) / (w[k] / forest.scale[k])
        common = math.lcm(*(v.denominator for v in goal.values()))
        right = [0] * len(self.separator)
        for k, v in goal.items():
            right[k] = int(v * common)
        blend = forest.solve(right)
        return None if blend is None else {int(index[k]): v for k, v in blend.items() if v}

    def _pushed(self, j: int, up: bool, either: list[Fraction]) -> dict[int, Fraction] | None:
        """A blend that is this feature alone, of rows that are right, with the sign of their label,
        and of tied ones: of one where tied rows leave a single direction open, else of few, by a
        linear programme. `either` is a direction that they leave open."""
        strict = self._bound()
        if not len(strict):
            return None
        tied = np.flatnonzero(self.tied)[self.spanning.basis]
        moved = self._scored(strict[:_TRIED], verify.whole(either))
        one = strict[: len(moved)][np.array(moved) != 0][:1]
        blend = self._blended(np.concatenate([one, tied]), j, up) if len(one) else None
        return blend or self._blended(self._few(strict, tied, j, up), j, up)

    def _blended(self, index: Index, j: int, up: bool) -> dict[int, Fraction] | None:
        blend = self._alone(_Forest(self, index, np.arange(len(index))), index, j) or {}
        blend = {i: v if up else -v for i, v in blend.items()}
        right = [v * int(self.rows.y[i]) for i, v in blend.items() if not self.tied[i]]
        return blend if min(right, default=0) > 0 else None

    def _few(self, strict: Index, tied: Index, j: int, up: bool) -> Index:
        from scipy.optimize import linprog

        index = np.concatenate([strict, tied])
        self.budget.spend(50 * len(index))
        columns = self._programme(index).T.tocsr()
        goal = np.zeros(columns.shape[0])
        goal[j] = 1.0 if up else -1.0
        kept = np.setdiff1d(np.flatnonzero(np.diff(columns.indptr)), list(self.collinear))
        free = np.arange(len(index)) >= len(strict)
        solution = linprog(
            np.where(free, 0.0, 1.0),
            A_eq=columns[kept],
            b_eq=goal[kept],
            bounds=np.column_stack([np.where(free, -np.inf, 0.0), np.full(len(index), np.inf)]),
            method="highs-ds",
            options=self._limit(),
        )
        if solution.x is None:
            return tied
        weights = solution.x[: len(strict)]
        return np.concatenate([strict[weights > _CLEAR * weights.max()], tied])

    def _bound(self) -> Index:
        """Rows that are right, but for those of levels in which no row has another side: their
        effect may be as large as it takes, so that they hold no coefficient."""
        strict = ~self.tied
        while True:
            one_sided = np.zeros(self.rows.n, dtype=bool)
            there = strict | self.tied
            for codes, size in zip(self.levels, self.sizes, strict=True):
                sides = [
                    np.bincount(codes[there & some], minlength=size) > 0
                    for some in (self.tied, self.rows.y > 0, self.rows.y < 0)
                ]
                one_sided |= (~sides[0] & (sides[1] != sides[2]))[codes]
            if not (one_sided & strict).any():
                return np.flatnonzero(strict)
            strict &= ~one_sided

    def document(self, present: Index | None, codes: list[Floats]) -> dict[str, Any]:
        """As `verify.py` reads it. Levels have these numbers there, which may leave some out."""
        names = np.arange(self.rows.n) if present is None else present
        strict = np.flatnonzero(~self.tied)
        begin = self.d + np.cumsum([0, *self.sizes])

        def of_levels(w: list[Fraction]) -> list[list[str]]:
            parts = zip(begin[:-1], begin[1:], codes, strict=True)
            return [say.numbers(_spread(w[a:b], of_factor)) for a, b, of_factor in parts]

        some = {
            "separator": say.numbers(self.separator[: self.d]),
            "level_weights": of_levels(self.separator),
            "separated": names[strict].tolist(),
        }
        if self.balance is None:
            return {"verdict": "undecided", "separable": None, **(some if len(strict) else {})}
        blend = _blend({int(names[i]): v for i, v in self.balance.items()})
        signs = self.signs(of_levels)
        for part in signs:
            if "rows" in part:
                part["rows"] = names[part["rows"]].tolist()
        out: dict[str, Any] = {"separable": not self.tied.any(), "signs": signs}
        if self.collinear:
            out["collinear"] = [
                {"column": j, "vector": say.numbers(w[: self.d]), "level_weights": of_levels(w)}
                for j, w in sorted(self.collinear.items())
            ]
        if out["separable"]:
            return {"verdict": "complete separation", **out, **some}
        word = "quasi-complete separation" if len(strict) else "overlap"
        return {"verdict": word, "balance": blend, **out, **(some if len(strict) else {})}


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
class _Forest:
    """Rows that span all of some, and systems of them in whole numbers: what a blend of them is.

    The levels of the two largest factors (of one factor, and the ground) are the nodes of a graph,
    in which each row is an edge. A spanning forest has one row for each level, and what is left of
    a row when it is taken along its paths has numbers of features and of further factors alone: of
    these a dense system is made.
    """

    def __init__(self, of: Absorbed, index: Index, order: Index):
        self.budget, self.d, self.size = of.budget, of.d, len(of.separator)
        whole, self.scale = of.rows.whole(index.tolist())
        self.whole = [
            row if y > 0 else [-v for v in row]
            for row, y in zip(whole, of.rows.y[index].tolist(), strict=True)
        ]
        self.places = of.places[index]
        largest, *rest = sorted(range(len(of.sizes)), key=lambda f: -of.sizes[f])
        self.ground = self.size if not rest else -1
        other = self.places[:, rest.pop(0)] if rest else np.full(len(index), self.ground)
        self.ends = list(zip(self.places[:, largest].tolist(), other.tolist(), strict=True))
        self._further = self.places[:, rest]
        self.columns = [*np.unique(self._further).tolist(), *range(self.d)]  # of the dense system
        self._at = {c: k for k, c in enumerate(self.columns)}
        self._grow(order.tolist())
        self._choose(order)
        self._system: System | None = None

    def _grow(self, order: list[int]) -> None:
        root: dict[int, int] = {c: c for ends in self.ends for c in ends}

        def root_of(c: int) -> int:
            while root[c] != c:
                root[c] = root[root[c]]
                c = root[c]
            return c

        near: dict[int, list[tuple[int, int]]] = {c: [] for c in root}
        for k in order:
            one, other = self.ends[k]
            if (a := root_of(one)) != (b := root_of(other)):
                root[a] = b
                near[one].append((other, k))
                near[other].append((one, k))
        self.up = dict[int, tuple[int, int]]()  # of a node the one below, and the row between
        self.roots = list[int]()
        for start in (*([self.ground] if self.ground in near else []), *near):
            if start in self.up or start in self.roots:
                continue
            self.roots.append(start)
            reached = [start]
            for c in reached:
                for nearer, k in near[c]:
                    if nearer not in self.up and nearer != start:
                        self.up[nearer] = c, k
                        reached.append(nearer)

    def _numbers(self, k: int) -> dict[int, int]:
        """Of a row, by column of the dense system, as far as they are not 0."""
        out = {self._at[c]: 1 for c in self._further[k].tolist()}
        return out | {self._at[j]: v for j, v in enumerate(self.whole[k]) if v}

    def _rest(self, k: int) -> list[int]:
        """Of a row, less its paths."""
        times = {k: 1}
        for c in self.ends[k]:
            at, sign = c, -1
            while at in self.up:
                at, row = self.up[at]
                times[row] = times.get(row, 0) + sign
                sign = -sign
        out = [0] * len(self.columns)
        for row, share in times.items():
            for column, v in self._numbers(row).items() if share else ():
                out[column] += share * v
        return out

    def _choose(self, order: Index) -> None:
        """Rows whose rests span all of these: those that random weights, which are 0 for the rests
        chosen so far, do not have on their hyperplane are others."""
        prime, width = LIFTING[0], len(self.columns)
        draw = np.random.default_rng(0)
        features = mod(self.whole, prime).reshape(-1, self.d)
        rests, chosen = np.empty((0, width), dtype=np.int64), list[int]()
        pivots, v = list[int](), draw.integers(1, prime, width)
        while True:
            self.budget.check_interrupt()
            strange = order[self._residues(features, v, prime)[order] != 0]
            if not len(strange):
                break
            some = strange[: 2 * (width - len(chosen)) + 8].tolist()
            more = mod([self._rest(k) for k in some], prime)
            rests, candidates = np.concatenate([rests, more]), [*chosen, *some]
            places, pivots = echelon(rests, prime)
            rests, chosen = rests[places], [candidates[i] for i in places]
            v = draw.integers(1, prime, width)
            v[pivots] = 0
            below = inverse(rests[:, pivots], prime)
            assert below is not None
            v[pivots] = product(below, -product(rests, v[:, None], prime) % prime, prime)[:, 0]
        self.chosen, self.pivots = chosen, sorted(pivots)
        self.basis = [*(k for _, k in self.up.values()), *chosen]

    def _residues(self, features: Any, v: Any, prime: int) -> Any:
        """Of all rows, less their paths, times v."""
        first = len(self.columns) - self.d
        score = product(features, v[first:, None], prime)[:, 0]
        score += v[np.searchsorted(self.columns[:first], self._further)].sum(axis=1)
        score %= prime
        value, scores = np.zeros(self.size + 1, dtype=np.int64), score.tolist()
        for c, (below, k) in self.up.items():
            value[c] = (scores[k] - value[below]) % prime
        one, other = np.array(self.ends, dtype=np.intp).reshape(-1, 2).T
        return (score - value[one] - value[other]) % prime

    def total(self, weights: Sequence[int]) -> list[int]:
        """Σ weight (x_i, levels), the features in whole numbers."""
        out = [0] * self.size
        for k, row in enumerate(self.places.tolist()):
            for place in row:
                out[place] += weights[k]
        for j in range(self.d):
            out[j] = sum(w * row[j] for w, row in zip(weights, self.whole, strict=True))
        return out

    def solve(self, goal: Sequence[int]) -> dict[int, Fraction] | None:
        """Weights of rows whose blend is the goal; None: there are none."""
        by_column = {c: v for c, v in enumerate(goal) if v}
        known = (*self.columns, *self.up, *self.roots)
        if by_column.keys() - {*known} or (tree := self._tree(by_column)) is None:
            return None
        rest = [by_column.get(c, 0) for c in self.columns]
        for k, weight in tree.items():
            for column, v in self._numbers(k).items():
                rest[column] -= weight * v
        if self._system is None:
            self._rests = [self._rest(k) for k in self.chosen]
            self._system = System([[row[j] for row in self._rests] for j in self.pivots])
        shares, times = self._system.solve([rest[j] for j in self.pivots], self.budget)
        for j in set(range(len(rest))) - set(self.pivots):
            total = sum(v * row[j] for v, row in zip(shares, self._rests, strict=True))
            if total != times * rest[j]:
                return None
        left = {c: times * v for c, v in by_column.items()}
        for k, share in zip(self.chosen, shares, strict=True):
            for c in self.ends[k]:
                left[c] = left.get(c, 0) - share
        tree = self._tree(left)
        assert tree is not None
        out = {k: Fraction(weight, times) for k, weight in tree.items()}
        return out | {k: Fraction(v, times) for k, v in zip(self.chosen, shares, strict=True) if v}

    def _tree(self, goal: dict[int, int]) -> dict[int, int] | None:
        """Weights of rows of the forest whose blend has these numbers in the levels of nodes."""
        left, out = dict(goal), dict[int, int]()
        for c, (below, k) in reversed(self.up.items()):
            if weight := left.get(c, 0):
                out[k] = weight
                left[below] = left.get(below, 0) - weight
        return None if any(left.get(c) for c in self.roots if c != self.ground) else out

    def null_vectors(self) -> dict[int, list[Fraction]]:
        """By feature that is a combination of others and of levels: weights that are 0 in all rows,
        and no other such feature has one."""
        out, first = dict[int, list[Fraction]](), len(self.columns) - self.d
        free = sorted(set(range(first, len(self.columns))) - set(self.pivots))
        if not free:
            return out
        rests = [self._rest(k) for k in self.chosen]
        system = System([[row[j] for j in self.pivots] for row in rests])
        for column in free:
            values, times = system.solve([-row[column] for row in rests], self.budget)
            v = dict(zip(self.pivots, values, strict=True)) | {column: times}
            w = [0] * (self.size + 1)
            for c, (below, k) in self.up.items():
                numbers = self._numbers(k).items()
                w[c] = -sum(v.get(j, 0) * x for j, x in numbers) - w[below]
            for j, x in v.items():
                place = self.columns[j]
                w[place] = x * (self.scale[place] if place < self.d else 1)
            out[self.columns[column]] = [Fraction(x) for x in w[: self.size]]
        return out
