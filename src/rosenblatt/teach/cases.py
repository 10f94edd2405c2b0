"""Tables that tell mistakes apart: for each two of them, one table on which they differ.

They were found by a search that takes, again and again, the table which tells apart the most pairs
that are left. Half numbers are exact, too. A program sees them with columns exchanged and signs
turned at random: what it does is the same but for that, and a list of answers is of no use.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from rosenblatt.teach.definition import Table

# Rows, labels, and what the rows are divided by.
_CASES: dict[str, list[tuple[list[list[int]], list[int], int]]] = {
    "pla": [
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1], 1),
        ([[0, 2], [0, -3], [-3, 3]], [-1, 1, 1], 1),
        ([[-1, 0], [-2, -1], [0, 2]], [1, -1, 1], 2),
        ([[2, 3], [0, 1], [-1, 2]], [1, -1, -1], 2),
        ([[-1, 1], [-1, 1], [-1, 3], [0, -3]], [1, 1, 1, -1], 1),
        ([[-1, 3], [-2, -1], [-1, 1], [2, -1]], [-1, -1, -1, 1], 2),
        ([[3, 0], [-2, 1], [1, 2], [-1, -3]], [1, -1, 1, -1], 1),
    ],
    "pocket": [
        ([[-3, 2], [-1, 1], [-3, -3], [0, -3], [2, 3]], [1, -1, -1, 1, -1], 1),
        ([[-1, -2], [-3, 1], [-2, 2], [0, -3], [2, -3], [2, 1]], [1, 1, -1, 1, -1, -1], 2),
        ([[-3, -3], [0, -2], [-1, 3], [0, 2], [-1, 0], [3, 3]], [1, 1, 1, -1, -1, -1], 1),
        ([[-2, -1], [0, -1], [3, 1]], [1, -1, -1], 1),
        ([[0, 1], [-1, -3], [-2, 0], [-1, 1], [0, 1]], [-1, 1, 1, -1, 1], 1),
        ([[-2, 3], [2, 0], [-3, -1], [1, -1], [2, -1], [2, -3]], [1, -1, -1, 1, 1, -1], 1),
        ([[-2, -1], [1, 2], [1, -3]], [1, -1, -1], 1),
        ([[2, 3], [-3, 2], [2, 3], [-1, -3], [0, 3]], [1, 1, 1, 1, -1], 2),
    ],
    "averaged": [
        ([[-2, -3], [2, -2], [2, 2], [-1, 2]], [1, -1, 1, -1], 1),
        ([[2, 0], [-3, -1], [-1, 0], [-3, -3], [-3, 2], [-3, -3]], [1, -1, -1, -1, 1, -1], 2),
        ([[2, 1], [-1, -3], [3, 1]], [-1, 1, -1], 1),
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1], 1),
        ([[1, 0], [-1, 0]], [1, -1], 1),
    ],
    "dual": [
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1], 1),
        ([[0, -1], [-1, -2], [2, -3], [0, -3]], [1, 1, -1, 1], 2),
        ([[-1, 0], [-1, 2], [0, -2]], [-1, 1, -1], 2),
        ([[-3, 3], [1, 2], [-2, -3]], [1, -1, 1], 1),
        ([[0, -1], [2, -1], [1, -1], [3, -1], [1, 1]], [-1, -1, -1, -1, 1], 1),
    ],
    "kernel": [
        ([[-1, -3], [2, 3], [1, -1], [2, 0], [-1, 1], [2, -3]], [1, -1, 1, -1, 1, -1], 1),
        ([[2, 3], [-2, 3], [2, 0], [1, 1], [-1, 0], [0, 2]], [-1, -1, 1, 1, -1, -1], 1),
        ([[-1, 1], [1, 1], [-1, -2]], [-1, 1, -1], 2),
        ([[3, -1], [2, 2], [-2, -2], [-3, 3], [1, 2], [3, -3]], [-1, -1, 1, -1, -1, 1], 1),
        ([[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1], 1),
    ],
}

_LONG = ([[20, 1], [21, 1]], [1, -1], 1)
"""It takes more than a thousand epochs: a program that ends after a fixed number shows here."""

_LINEAR = ([[5, 0], [-1, 0], [-1, 0], [-5, -1]], [-1, 1, 1, -1], 1)
_MANY_EPOCHS = {
    "pla": _LINEAR,
    "dual": _LINEAR,
    "kernel": ([[-5, 0], [-4, -3], [2, -4], [-2, -3]], [1, -1, -1, 1], 1),
}
"""Most orders make updates in so many epochs that one order is told from fresh ones."""


def tables(task: str, seed: int, *, shuffled: bool = False) -> list[Table]:
    """Those of a task; `seed` decides how columns are exchanged and turned."""
    chance = random.Random(seed)
    more = [_MANY_EPOCHS[task]] if shuffled and task in _MANY_EPOCHS else []
    given = [*_CASES[task], *more, *([_LONG] if task in ("pla", "dual") else [])]
    return [_turned(_table(*case), chance) for case in given]


def _table(X: list[list[int]], y: list[int], by: int) -> Table:
    def exact(v: int) -> Any:
        return v if by == 1 else Fraction(v, by)

    return Table([[exact(v) for v in x] for x in X], y)


def _turned(table: Table, chance: random.Random) -> Table:
    order = list(range(table.d))
    chance.shuffle(order)
    signs = [chance.choice((-1, 1)) for _ in order]
    X = [[s * x[j] for j, s in zip(order, signs, strict=True)] for x in table.X]
    return Table(X, table.y)
