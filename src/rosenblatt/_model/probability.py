"""Probabilities from scores, as a model file keeps them."""

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

    def lowered(self, by: Any) -> Platt:
        """For scores that were lowered by so much."""
        return Platt(self.slope, self.intercept + self.slope * by, self.rows)


@dataclass(frozen=True)
class Softmax:
    """Of more than two classes the probability of class c is in proportion to
    exp(slope · score of c + intercept of c)."""

    slope: float  # 0 or greater
    intercepts: tuple[float, ...]  # by class
    rows: int  # whose scores it was fitted to

    def of(self, scores: Any) -> NDArray[np.float64]:
        """The probabilities of all classes, from rows of their scores."""
        z = self.slope * np.asarray(scores, dtype=np.float64) + np.array(self.intercepts)
        odds = np.exp(z - z.max(axis=-1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True))

    def lowered(self, by: Any) -> Softmax:
        """For scores that were lowered by so much, each class by its own."""
        return Softmax(
            self.slope, tuple((np.array(self.intercepts) + self.slope * by).tolist()), self.rows
        )


Probability = Platt | Softmax


def sigmoid(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-z)); far below 0 that is 0, since exp is infinite there."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-z)))


def write_probability(probability: Probability | None) -> dict[str, Any] | None:
    return None if probability is None else asdict(probability)


def read_probability(part: Part, classes: NDArray[Any]) -> Probability:
    probability: Probability
    with part:
        slope, rows = part.number("slope"), part.whole("rows")
        if len(classes) == 2:
            probability = Platt(slope, part.number("intercept"), rows)
        else:
            probability = Softmax(slope, tuple(part.numbers("intercepts")), rows)
    if slope < 0:
        raise InvalidDocument(f"{part.name('slope')} is {slope}, which is less than 0")
    if isinstance(probability, Softmax) and len(probability.intercepts) != len(classes):
        raise InvalidDocument(
            f"{part.name('intercepts')} has {len(probability.intercepts)} numbers, and there are "
            f"{len(classes)} classes"
        )
    return probability
