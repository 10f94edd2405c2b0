"""How large rows are: their mean squared length, with the same bits however they are held.

Σ c_i ‖x̃_i‖² is a sum over blocks of rows (`folding.py`): it can be made in parts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.folding import folded, in_order

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
                totals.append(float(in_order(squares if c is None else c * squares)))
                weights.append(float(len(squares)) if c is None else float(in_order(c)))
            return cls(folded(totals), folded(weights))

    @property
    def mean(self) -> float:
        return self.total / self.weight

    def with_more(self, more: Scale) -> Scale:
        """Of other rows, too: a running mean."""
        return Scale(self.total + more.total, self.weight + more.weight)


class Sized(ABC):
    """Rows whose size can be asked for."""

    @abstractmethod
    def lengths(self, *, intercept: bool) -> Lengths:
        """Block by block the squared lengths of the lifted rows, and their weights."""

    def size(self, *, intercept: bool) -> Scale:
        return Scale.of(self.lengths(intercept=intercept))
