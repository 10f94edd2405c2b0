"""The proof by cones as a document: what `verify_errors.py` checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._minimum.cones import Cone
from rosenblatt._minimum.directions import Directions
from rosenblatt._minimum.pairs import Pairs

Row = NDArray[np.intp]


def document(cones: Directions, present: Row, rows: int) -> dict[str, Any]:
    """Row numbers are those of the table, of which some may be left out."""
    problem = cones.problem
    members = _members(problem.group, len(problem.first))
    names, single = present.tolist(), problem.single.tolist()
    return {
        "costs": _costs(cones, present, rows),
        "column": next(([j, sign] for j, sign in cones.signs.items()), None),
        "powers": cones.table.below.tolist(),
        "tree": [
            step
            for root in cones.roots
            for step in _steps(root, cones.bound, members, names, single)
        ],
    }


def _costs(cones: Directions, present: Row, rows: int) -> list[int] | None:
    single = cones.problem.single
    if cones.problem.unit == 1 and (single == 1).all():
        return None
    out = np.zeros(rows, dtype=np.int64)
    out[present] = single
    return [int(v) for v in out.tolist()]


def _members(group: Row, groups: int) -> list[list[int]]:
    """The rows of each group of equal ones."""
    out: list[list[int]] = [[] for _ in range(groups)]
    for row, number in enumerate(group.tolist()):
        out[number].append(row)
    return out


def _steps(
    root: Cone, enough: int, members: list[list[int]], names: list[int], single: list[int]
) -> Iterator[Any]:
    """Depth first."""
    waiting = [root]
    while waiting:
        cone = waiting.pop()
        if cone.split is not None:
            yield [cone.split.a, cone.split.b, cone.split.p, cone.split.q]
            waiting += reversed(cone.halves)
        else:
            yield {"pairs": list(_single(cone.pairs, enough, members, names, single))}


def _single(
    pairs: Pairs, enough: int, members: list[list[int]], names: list[int], single: list[int]
) -> Iterator[list[int]]:
    """Of rows, not of groups of equal rows; no more than are needed."""
    waiting: dict[int, list[list[int]]] = {}
    for p, q, amount in zip(*(part.tolist() for part in pairs), strict=True):
        much = min(amount, enough)
        enough -= much
        for group in (p, q):
            if group not in waiting:
                waiting[group] = [[i, single[i]] for i in members[group]]
        while much:
            one, other = waiting[p][-1], waiting[q][-1]
            errors = min(much, one[1], other[1])
            yield [names[one[0]], names[other[0]], errors]
            much -= errors
            for rows, row in ((waiting[p], one), (waiting[q], other)):
                row[1] -= errors
                if not row[1]:
                    rows.pop()
