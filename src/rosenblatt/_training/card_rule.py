"""A scorecard: whole points for a few terms, added up and compared with a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """What earns points: each unit of a column, or that its value is `cut` or more."""

    column: int
    cut: float | None = None  # None: each unit counts
    indicator: bool = False  # the column was 0 or 1 in training: it is a yes or no

    def values(self, X: NDArray[Any]) -> Floats:
        x = np.asarray(X[:, self.column], dtype=np.float64)
        return x if self.cut is None else (x >= self.cut).astype(np.float64)

    def words(self, names: Sequence[str]) -> str:
        name = names[self.column]
        if self.cut is None:
            return f"each of {name}"
        return name if self.indicator else f"{name} >= {number(self.cut)}"


@dataclass(frozen=True)
class Card:
    """The second class where the points of a row reach the threshold.

    Of counts, yes or no, and cuts all sums are whole numbers: they are exact wherever they are
    added up.
    """

    terms: tuple[Term, ...]
    points: tuple[int, ...]
    threshold: int

    def values(self, X: NDArray[Any]) -> Floats:
        columns = [term.values(X) for term in self.terms]
        return np.column_stack(columns) if columns else np.empty((len(X), 0))

    def totals(self, X: NDArray[Any]) -> Floats:
        totals = np.zeros(len(X))
        for term, points in zip(self.terms, self.points, strict=True):
            totals += points * term.values(X)
        return totals

    def scores(self, X: NDArray[Any]) -> Floats:
        """Whole points above the threshold, and half a one: 0 is no score, so that each is a
        decision."""
        return np.floor(self.totals(X)) - self.threshold + 0.5

    def lines(self, names: Sequence[str]) -> list[str]:
        return [
            f"{minus(points, sign='+')}  {term.words(names)}"
            for term, points in zip(self.terms, self.points, strict=True)
        ]


def number(value: float) -> str:
    """As short as it is exact."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def minus(whole: int, sign: str = "") -> str:
    """With a real minus; `sign` "+": a plus, too."""
    return f"{whole:{sign}d}".replace("-", "−")
