"""What a certificate shows: margins, separators, conflicts, columns that tell everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify


@dataclass(frozen=True)
class Margin:
    """lo <= the margin <= hi, proved; both are rounded outward."""

    lo: float
    hi: float
    exact: bool = False  # the two ends are proved equal; what differs is rounding

    def __repr__(self) -> str:
        return f"Margin(lo={self.lo!r}, hi={self.hi!r})"


@dataclass(frozen=True)
class Separator:
    """A hyperplane coef·x + intercept = 0, to the nearest floating-point numbers."""

    coef: NDArray[np.float64]
    intercept: float


@dataclass(frozen=True)
class Conflict:
    """Rows that cannot all be on the right side of any hyperplane, with whole-number weights.

    The weighted rows of one class have the same sum as those of the other (and through the origin
    their signed sum is zero), so that a hyperplane would have to have that point on both sides.
    """

    rows: list[int]
    weights: list[int]
    labels: list[Any]
    meeting_point: dict[str, float] | None  # None through the origin

    @classmethod
    def of(cls, part: dict[str, Any], labels: list[Any], names: list[str]) -> Conflict:
        """As the document of a certificate has it."""
        label, point = dict(zip((-1, 1), labels, strict=True)), part.get("point")
        return cls(
            list(part["rows"]),
            [int(verify.number(w)) for w in part["weights"]],
            [label[y] for y in part["y"]],
            None if point is None else dict(zip(names, point, strict=True)),
        )


@dataclass(frozen=True)
class RevealingColumn:
    """One column that alone has `rows` rows strictly on the right side, and none on the wrong one.

    sign +1: large values go with the second class; -1: with the first.
    """

    column: str
    sign: int
    threshold: float
    rows: int

    @classmethod
    def of(cls, part: dict[str, Any], names: list[str]) -> RevealingColumn:
        """As the document of a certificate has it."""
        threshold = float(verify.number(part["threshold"]))
        return cls(names[part["column"]], part["sign"], threshold, part["rows"])


class Origin(NamedTuple):
    """What the document does not tell of the table: labels before they were text, and names."""

    classes: NDArray[Any]
    named: bool  # whether the columns have names of their own


def nearest_floats(values: list[str]) -> NDArray[np.float64]:
    """The nearest floats; all divided by a power of two where they are too large for any."""
    exact = [verify.number(v) for v in values]
    size = max((abs(v) for v in exact), default=0)
    if size > 2**1000:
        exact = [v / 2 ** (int(size).bit_length() - 1) for v in exact]
    return np.array([float(v) for v in exact])
