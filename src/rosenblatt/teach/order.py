"""Whether a program goes through the rows in one order, the same in every epoch.

Rows that are no mistakes leave no record. But the recorded updates say what is a mistake at every
moment, so for an order of the rows it is known which updates an epoch in that order makes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

from rosenblatt.teach.definition import Setting, Table, mistakes_along

CHANCE = 1e-4
"""At most so often a program that shuffles in every epoch is taken for one that does not."""


def repeats_one_order(
    tables: Sequence[Table], setting: Setting, updates: Sequence[list[int]]
) -> bool:
    """The same order, other than that of the rows, in all epochs of each table; not by chance.

    Of K tables, one with n rows: at most n! lists of updates come from one order, so a fresh
    shuffle makes one of those whose probability is at most CHANCE / (K n!) with a probability of at
    most CHANCE / K, and one such table among K with at most CHANCE. Tables need not be independent:
    a program may set its seed again for each.
    """
    in_the_order_of_the_rows, improbable = True, False
    for table, rows in zip(tables, updates, strict=True):
        called = mistakes_along(table, setting, rows)
        orders = list(permutations(range(len(table.y))))
        repeated = [order for order in orders if _repeated(order, called, rows)]
        if not repeated:
            return False
        in_the_order_of_the_rows &= orders[0] in repeated
        most = CHANCE / (len(tables) * math.factorial(len(table.y)))
        improbable = improbable or _probability(orders, called, rows) <= most
    return improbable and not in_the_order_of_the_rows


def _epoch(order: tuple[int, ...], called: list[list[bool]], rows: list[int], k: int) -> int | None:
    """After k updates, how many there are after an epoch in this order; None: it makes others."""
    for i in order:
        if called[k][i]:
            if k == len(rows) or rows[k] != i:
                return None
            k += 1
    return k


def _repeated(order: tuple[int, ...], called: list[list[bool]], rows: list[int]) -> bool:
    k: int | None = 0
    while k is not None and k < len(rows):
        k = _epoch(order, called, rows, k)
    return k is not None


def _probability(orders: list[tuple[int, ...]], called: list[list[bool]], rows: list[int]) -> float:
    """Of these updates, when each epoch has an order drawn anew.

    p(k) = Σ p(k after the epoch) / n! over the orders that make the next updates, and p(all) = 1.
    """
    p = [0.0] * len(rows) + [1.0]
    for k in reversed(range(len(rows))):
        ends = [_epoch(order, called, rows, k) for order in orders]
        p[k] = sum(p[end] for end in ends if end is not None) / len(orders)
    return p[0]
