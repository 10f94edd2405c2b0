"""A lower bound by directions: cones of weights, the weakest of them split again and again.

Every rule has its weights in one of the cones, and errs on as many rows as that one forces; so the
least of their bounds holds for all rules. The middle of each cone is tried as a rule.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._bounds.cones import Cone, Cones, best_cut
from rosenblatt._bounds.pairs import NO_PAIRS, Pairs, PairTable
from rosenblatt._bounds.problem import Problem, Signs
from rosenblatt._util.budget import LimitReached

MOST_COLUMNS = 10  # whose signs are free: of 2^10 orthants
_MOST_ASKED = 60  # with those whose signs are demanded
_MOST_NUMBERS = 4 * 10**6  # in the table
_MOST_PAIRS = 25 * 10**6  # of rows of both labels, in more than two columns
_MANY, _SOME = 256, 4  # after so many cones the middle of one in four is tried as a rule
BESIDE = 500  # row evaluations: what a cone takes besides its rows
_MOST_RANKS = 2 * 10**8  # kept in memory, of all open cones


class Directions:
    """The open cones of a problem, and those whose bound is final."""

    def __init__(
        self,
        problem: Problem,
        column: tuple[int, int] | None = None,
        *,
        table: PairTable | None = None,
        keep: bool = False,
    ):
        self.problem, self.table = problem, table or problem.pairs
        self._keep = keep  # cones that are split
        self._cones = problem.cones if table is None else Cones(table)
        self.column = column
        self.signs = _signs(problem, column)
        self.roots: list[Cone] = []
        self._open: list[tuple[int, int, Cone]] = []
        self._final: list[int] = []  # the least bound of cones that are split no further
        self.made = 0

    @property
    def bound(self) -> int:
        """What every rule (with these signs) costs at least; 0 before all orthants were seen."""
        if not self.roots:
            return 0
        return min([*self._final, *(bound for bound, _, _ in self._open[:1])])

    def reach(self, most: int | None = None) -> None:
        if not self.roots:
            self._begin()
        while self._open and self.bound < self._enough():
            # Nothing below may be cut short: a cone is open or its halves are.
            self.problem.rows.budget.spend(2 * (self.table.n + BESIDE))
            if self.made * self.table.n > _MOST_RANKS:
                raise LimitReached
            if most is not None and self.made > most:
                return
            _, _, cone = heapq.heappop(self._open)
            if not self._cones.halves(cone):
                self._final = [min([*self._final, cone.bound])]
                if cone.settled and cone.bound < self.problem.best.cost:
                    self._offer_exactly(cone)
                continue
            for half in cone.halves:
                self._enter(half)
            if not self._keep:
                cone.generators, cone.pairs = (), NO_PAIRS  # the halves have them

    def _begin(self) -> None:
        """With all orthants or none."""
        roots = []
        # Those that are known count as work, too: no answer depends on who asked first.
        for cone in self._cones.orthants(self.signs):
            self.problem.rows.budget.spend(self.table.n + BESIDE)
            roots.append(cone)
        self.roots = roots
        for cone in roots:
            self._enter(cone)

    def _enough(self) -> int:
        beyond = self.problem.beyond_floats
        return self.problem.best.cost if beyond is None else min(self.problem.best.cost, beyond)

    def _enter(self, cone: Cone) -> None:
        self.made += 1
        if cone.bound < self.problem.best.cost and (self.made < _MANY or self.made % _SOME == 0):
            self._offer(cone)
        heapq.heappush(self._open, (cone.bound, -self.made, cone))

    def _offer(self, cone: Cone) -> None:
        errors, cut = self._cones.cut(cone)
        if errors < self.problem.best.cost:
            v = self._cones.middle(cone)
            self.problem.offer(np.append(np.ldexp(v, self.table.below - self.table.bits), -cut))

    def _offer_exactly(self, cone: Cone) -> None:
        """Nothing in the cone is undecided: the middle makes no more errors than it forces."""
        middle = self._cones.whole_middle(cone)
        scores = [
            sum(v * x for v, x in zip(middle, self.table.whole(i), strict=True))
            for i in range(self.table.n)
        ]
        order = {value: place for place, value in enumerate(sorted(set(scores)))}
        place = np.array([order[s] for s in scores], dtype=np.float64)
        _, cut = best_cut(place, self.table.y, self.table.cost)
        values = sorted(order)
        at = max(int(np.ceil(cut)), 0)  # the cut is below the value of this place
        low = values[at - 1] if at > 0 else values[0] - 2
        high = values[at] if at < len(values) else values[-1] + 2
        w = [Fraction(v << k) for v, k in zip(middle, self.table.below.tolist(), strict=True)]
        self.problem.offer_exact([*w, -Fraction(low + high, 2)])


def _signs(problem: Problem, column: tuple[int, int] | None) -> dict[int, int]:
    """By column: those demanded; that of the column asked about, or 0 where both must hold."""
    demanded = [] if problem.signs is None else problem.signs.tolist()
    signs = {j: sign for j, sign in enumerate(demanded) if sign}
    if column is not None:
        j, sign = column
        signs[j] = 0 if signs.get(j) == -sign else sign
    return signs


def free_columns(d: int, signs: Signs | None) -> int:
    """Whose weights may have both signs: twice the orthants each."""
    return d - (0 if signs is None else int(np.count_nonzero(signs)))


def directions(problem: Problem, column: tuple[int, int] | None = None) -> Directions | None:
    """`column`: about rules whose weight on it is 0 or has this sign."""
    rows = problem.rows
    if not rows.intercept or sparse.issparse(rows.X):
        return None
    if not 1 <= rows.d <= _MOST_ASKED or free_columns(rows.d, problem.signs) > MOST_COLUMNS:
        return None
    labels = [int((rows.y == label).sum()) for label in (1, -1)]
    if not all(labels) or rows.n * rows.d > _MOST_NUMBERS or problem.cost.dtype == object:
        return None
    if rows.d > 2 and labels[0] * labels[1] > _MOST_PAIRS:
        return None
    return Directions(problem, column) if problem.pairs.possible else None


# --- The proof by cones as a document: what `verify_errors.py` checks ----------------------------


Row = NDArray[np.intp]


class Tree:
    """The proof of a search that is over: its document is made when somebody asks for it.

    Large proofs take seconds to write out, which nobody should wait for who wants the bound only.
    """

    def __init__(self, cones: Directions, present: Row, rows: int):
        self._roots, self._enough = cones.roots, cones.bound
        self._column = None if cones.column is None else list(cones.column)
        self._group, self._single = cones.problem.group, cones.problem.single
        self._counted = cones.problem.unit == 1 and bool((self._single == 1).all())
        self._present, self._rows = present, rows
        self._powers = cones.table.below.tolist()
        self.n_cones = 0
        for cone in _depth_first(self._roots):
            cone.generators = ()  # ranks of all rows: much memory, and of no more use
            self.n_cones += cone.split is None

    @classmethod
    def of(cls, claim: dict[str, Any]) -> Tree:
        """As a file has it."""
        tree = cls.__new__(cls)
        tree.document = {name: claim[name] for name in ("column", "powers", "tree")}
        costs = claim["costs"]
        tree.document["costs"] = None if costs is None else costs.single.tolist()
        tree.n_cones = sum(isinstance(step, dict) for step in claim["tree"])
        return tree

    @cached_property
    def document(self) -> dict[str, Any]:
        names = _Names(self._group, self._single, self._present)
        return {
            "costs": self._costs(),
            "column": self._column,
            "powers": self._powers,
            "tree": [_step(cone, self._enough, names) for cone in _depth_first(self._roots)],
        }

    def _costs(self) -> list[int] | None:
        if self._counted:
            return None
        out = np.zeros(self._rows, dtype=np.int64)
        out[self._present] = self._single
        return [int(v) for v in out.tolist()]

    def __getstate__(self) -> dict[str, Any]:
        """Copies have the document: cones lie in each other too deep to be pickled."""
        return {"document": self.document, "n_cones": self.n_cones}


def _depth_first(roots: list[Cone]) -> Iterator[Cone]:
    waiting = roots[::-1]
    while waiting:
        cone = waiting.pop()
        yield cone
        waiting += reversed(cone.halves)


def _step(cone: Cone, enough: int, names: _Names) -> Any:
    if cone.split is not None:
        return [cone.split.a, cone.split.b, cone.split.p, cone.split.q]
    return {"pairs": names.pairs(cone.pairs, enough)}


class _Names:
    """From groups of equal rows to rows of the table."""

    def __init__(self, group: Row, single: NDArray[Any], present: Row):
        order = np.argsort(group, kind="stable")
        self._size = np.bincount(group)
        begin = np.cumsum(self._size) - self._size
        self._first = present[order[begin]]
        self._begin, self._order = begin.tolist(), order.tolist()
        self._single, self._present = single.tolist(), present.tolist()

    def pairs(self, pairs: Pairs, enough: int) -> list[list[int]]:
        """Of rows, no more than are needed; at once where no row has an equal."""
        before = np.cumsum(pairs.amount) - pairs.amount
        kept = before < enough
        p, q = pairs.positive[kept], pairs.negative[kept]
        amount = np.minimum(pairs.amount[kept], enough - before[kept])
        if (self._size[p] == 1).all() and (self._size[q] == 1).all():
            first = self._first
            return list(np.column_stack([first[p], first[q], amount]).tolist())
        return list(self._single_rows(zip(p.tolist(), q.tolist(), amount.tolist(), strict=True)))

    def _single_rows(self, pairs: Iterable[tuple[int, int, int]]) -> Iterator[list[int]]:
        waiting: dict[int, list[list[int]]] = {}
        for p, q, amount in pairs:
            much = amount
            for group in (p, q):
                if group not in waiting:
                    begin = self._begin[group]
                    members = self._order[begin : begin + int(self._size[group])]
                    waiting[group] = [[i, self._single[i]] for i in members]
            while much:
                one, other = waiting[p][-1], waiting[q][-1]
                errors = min(much, one[1], other[1])
                yield [self._present[one[0]], self._present[other[0]], errors]
                much -= errors
                for rows, row in ((waiting[p], one), (waiting[q], other)):
                    row[1] -= errors
                    if not row[1]:
                        rows.pop()
