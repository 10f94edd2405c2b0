"""A probability from a score, as a model file keeps it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.strict_json import InvalidDocument, Part


@dataclass(frozen=True)
class Platt:
    """The probability of the second class is 1 / (1 + exp(-(slope · score + intercept)))."""

    slope: float  # 0 or greater
    intercept: float
    rows: int  # whose scores it was fitted to

    def of(self, scores: Any) -> NDArray[np.float64]:
        """The probability at each score."""
        z = self.slope * np.asarray(scores, dtype=np.float64) + self.intercept
        return sigmoid(z)

    def lowered(self, by: float) -> Platt:
        """For scores that were lowered by so much."""
        return Platt(self.slope, self.intercept + self.slope * by, self.rows)


def sigmoid(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-z)); far below 0 that is 0, since exp is infinite there."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-z)))


def write_probability(platt: Platt | None) -> dict[str, Any] | None:
    return None if platt is None else asdict(platt)


def read_probability(part: Part, classes: NDArray[Any]) -> Platt:
    if (k := len(classes)) > 2:
        raise InvalidDocument(f"probability is there, but there are {k} classes")
    with part:
        slope, rows = part.number("slope"), part.whole("rows")
        intercept = part.number("intercept")
    if slope < 0:
        raise InvalidDocument(f"{part.name('slope')} is {slope}, which is less than 0")
    return Platt(slope, intercept, rows)
