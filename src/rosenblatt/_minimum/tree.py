"""The proof by cones as a document: what `verify_errors.py` checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._minimum.cones import Cone
from rosenblatt._minimum.directions import Directions
from rosenblatt._minimum.pairs import Pairs

Row = NDArray[np.intp]


class Tree:
    """The proof of a search that is over: its document is made when somebody asks for it.

    Large proofs take seconds to write out, which nobody should wait for who wants the bound only.
    """

    def __init__(self, cones: Directions, present: Row, rows: int):
        """Row numbers are those of the table, of which some may be left out."""
        self._roots, self._enough = cones.roots, cones.bound
        self._column = next(([j, sign] for j, sign in cones.signs.items()), None)
        self._group, self._single = cones.problem.group, cones.problem.single
        self._counted = cones.problem.unit == 1 and bool((self._single == 1).all())
        self._present, self._rows = present, rows
        self._powers = cones.table.below.tolist()
        self.n_cones = 0
        for cone in _depth_first(self._roots):
            cone.generators = ()  # ranks of all rows: much memory, and of no more use
            self.n_cones += cone.split is None

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
            found: list[list[int]] = np.column_stack(
                [self._first[p], self._first[q], amount]
            ).tolist()
            return found
        return list(self._single_rows(zip(p.tolist(), q.tolist(), amount.tolist(), strict=True)))

    def _single_rows(self, pairs: Iterable[tuple[int, int, int]]) -> Iterator[list[int]]:
        waiting: dict[int, list[list[int]]] = {}
        for p, q, amount in pairs:
            much = amount
            for group in (p, q):
                if group not in waiting:
                    waiting[group] = [[i, self._single[i]] for i in self._members(group)]
            while much:
                one, other = waiting[p][-1], waiting[q][-1]
                errors = min(much, one[1], other[1])
                yield [self._present[one[0]], self._present[other[0]], errors]
                much -= errors
                for rows, row in ((waiting[p], one), (waiting[q], other)):
                    row[1] -= errors
                    if not row[1]:
                        rows.pop()

    def _members(self, group: int) -> list[int]:
        begin = self._begin[group]
        found: list[int] = self._order[begin : begin + int(self._size[group])]
        return found
