"""How large rows are: their mean squared length, with the same bits however they are held.

Σ c_i ‖x̃_i‖² starts from zero in each block of rows, in the order of the rows; the sums of the
blocks fold in a binary tree over their numbers. So it can be made in parts, in any order of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Lengths = Iterable[tuple[Floats, Floats | None]]
"""Block by block ‖x̃_i‖² of the rows, and their weights; None: all 1."""


class Scale(NamedTuple):
    """Of rows that were seen: Σ c_i ‖x̃_i‖², and Σ c_i."""

    total: float
    weight: float

    @classmethod
    def of(cls, blocks: Lengths) -> Scale:
        totals, weights = [], []
        with np.errstate(over="ignore"):  # whoever takes the mean looks
            for squares, c in blocks:
                totals.append(_in_order(squares if c is None else c * squares))
                weights.append(float(len(squares)) if c is None else _in_order(c))
            return cls(folded(totals), folded(weights))

    @property
    def mean(self) -> float:
        return self.total / self.weight

    def with_more(self, more: Scale) -> Scale:
        """Of other rows, too: a running mean."""
        return Scale(self.total + more.total, self.weight + more.weight)


def _in_order(terms: Floats) -> float:
    return float(np.add.accumulate(terms)[-1])


def folded(of_blocks: list[float]) -> float:
    """Blocks 0 and 1, 2 and 3, … are added, then these sums in the same way, until one is left."""
    while len(of_blocks) > 1:
        pairs = zip(of_blocks[::2], of_blocks[1::2], strict=False)
        of_blocks = [a + b for a, b in pairs] + of_blocks[len(of_blocks) // 2 * 2 :]
    return of_blocks[0]
