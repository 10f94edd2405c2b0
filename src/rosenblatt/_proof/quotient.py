"""Blends of rows that are zero up to the span of rows taken in before.

Seen along the normals of that span, rows are short vectors, and so are the systems to be solved:
what is taken in later is found there, and only in the end completed to a blend that is zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rosenblatt._proof.balance import Blend
from rosenblatt._proof.exact_product import combined
from rosenblatt._proof.integer_algebra import independent_rows, kernel, null_space, reduce
from rosenblatt._proof.modular import longest
from rosenblatt._proof.rows import Rows
from rosenblatt._proof.whole_numbers import Vector

_BITS = 64  # of a number in a table, about


class Quotient:
    """The rows taken in since the normals were found: a positive blend of them, zero along all."""

    def __init__(self, rows: Rows, normals: list[Vector]):
        self.rows, self.blend = rows, Blend()
        self._first, self._bits = normals, max(abs(v).bit_length() for n in normals for v in n)

    def pays(self, new: int, old: int) -> bool:
        """Is it less work than a system of all rows, new and old?"""
        return new**3 * (self._bits + _BITS) < (new + old) ** 3 * _BITS

    def take_in(self, new: Sequence[int]) -> bool:
        """A blend of these rows and of those taken in before that is zero, if there is one."""
        old = self._independent()
        seen, _ = along(self.rows, [*new, *old], self._first)
        self.rows.budget.spend_on_algebra(len(seen), longest(seen))
        found = positive_kernel(seen, len(new), self.rows.budget.check_interrupt)
        if found is None:
            return False
        blend = {i: v for i, v in zip(new, found, strict=False) if v}
        correction = dict(zip(old, found[len(new) :], strict=True))
        self.blend = merged(self.blend, blend, correction)
        return True

    def _independent(self) -> list[int]:
        index = list(self.blend)
        seen, _ = along(self.rows, index, self._first)
        return [index[k] for k in independent_rows(seen)]

    def normals(self) -> list[Vector]:
        """What is orthogonal to all rows taken in, these and those before."""
        seen, scale = along(self.rows, self._independent(), self._first)
        self.rows.budget.spend_on_algebra(len(seen), longest(seen))
        found = null_space(seen, len(self._first), self.rows.budget.check_interrupt)
        scaled = ([v * s for v, s in zip(z, scale, strict=True)] for z in found)
        return [reduce(combined(shares, self._first)) for shares in scaled]


def along(
    rows: Rows, index: Sequence[int], normals: Sequence[Vector]
) -> tuple[list[Vector], Vector]:
    """Rows as whole numbers a_i·normal_k · scale_k, and the scales."""
    columns, scales, place = list[Vector](), list[int](), np.array(index, dtype=np.intp)
    for normal in normals:
        seen = rows.products(place, normal)
        common = math.lcm(*(below for _, below in seen))
        scales.append(common)
        columns.append([above * (common // below) for above, below in seen])
    return [[*row] for row in zip(*columns, strict=True)], scales


def positive_kernel(
    vectors: list[Vector], count: int, check_interrupt: Callable[[], None]
) -> Vector | None:
    """The blend of the vectors that is zero, if it is unique and positive on the first of them."""
    blend = kernel(vectors, check_interrupt)
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
