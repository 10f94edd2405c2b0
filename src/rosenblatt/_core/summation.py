"""How sums over many rows are made: the same bits however rows are held, and whoever adds them.

A sum starts from zero in each block of rows, in the order of the rows; the sums of the blocks fold
in a binary tree over their numbers: 0 and 1, 2 and 3, … are added, then these sums in the same way,
and one that is left alone goes up as it is. Blocks 0 to 63, 64 to 127, … are branches of that tree,
as those of any power of two are: they can be folded elsewhere.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute

T = TypeVar("T")


class Fold(Generic[T]):
    """Folds what comes, in its order; it holds few branches of the tree, of different sizes."""

    def __init__(
        self, add: Callable[[T, T], T] = operator.add, parts: int = 0, branches: Iterable[T] = ()
    ):
        """Of so many parts there are these branches already, the largest first."""
        self._add, self.parts, self.branches = add, parts, list(branches)

    def copy(self) -> Fold[T]:
        return Fold(self._add, self.parts, self.branches)

    def add(self, part: T) -> None:
        whole = self.parts
        while whole & 1:  # a branch of the same size stands beside it
            part = self._add(self.branches.pop(), part)
            whole >>= 1
        self.branches.append(part)
        self.parts += 1

    def total(self) -> T:
        """Of all so far; more may come."""
        return reduce(lambda right, left: self._add(left, right), reversed(self.branches))


def folded(parts: Iterable[T], add: Callable[[T, T], T] = operator.add) -> T:
    fold = Fold(add)
    for part in parts:
        fold.add(part)
    return fold.total()


def blocks(n: int) -> Iterator[tuple[int, int]]:
    size = compute.block
    return ((begin, min(begin + size, n)) for begin in range(0, n, size))


def in_order(terms: NDArray[np.float64]) -> Any:
    """Of at least one: a number, or an array where each term is one."""
    return np.add.accumulate(terms)[-1]


def total(terms: NDArray[np.float64]) -> float:
    """The sum of one term for each row."""
    return folded(float(in_order(terms[begin:end])) for begin, end in blocks(len(terms)))
