"""How a claim ends: held, violated, or within rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._tracing.rounding import Doubts
from rosenblatt._tracing.run import Floats, Run
from rosenblatt._tracing.walk import Path

HELD, VIOLATED, WITHIN, FAILS = "held", "violated", "within rounding", "assumption fails"


@dataclass(frozen=True)
class Claim:
    """One inequality: how it ended, and the step where it was nearest to failing."""

    name: str
    statement: str
    status: str
    step: int | None = None  # the tightest one; step 0 is the start
    left: float | None = None  # both sides there
    right: float | None = None
    detail: str = ""


@dataclass(frozen=True)
class Numbers:
    """The path in floats; the one that is decided by, which may be in fractions."""

    floats: Path
    path: Path
    exact: bool
    size: int  # terms in a score
    squares: Floats  # ‖x̃_i‖², by update (of many classes ‖z‖²)

    @property
    def doubts(self) -> Doubts:
        assert self.floats.doubts is not None
        return self.floats.doubts

    def kind(self, values: Any) -> Any:
        if isinstance(values, Fraction):
            return values if self.exact else real(values)
        return values.astype(object) if self.exact else values.astype(np.float64)

    def status(self, slack: NDArray[Any], slop: Floats) -> NDArray[np.str_]:
        """By entry. Fractions hold where they hold; floats only beyond doubt.

        What fails by no more than rounding can explain is not violated.
        """
        slack = np.asarray(slack)
        held = np.array(slack >= 0, dtype=bool) if self.exact else np.array(slack >= slop)
        far = np.array([v < -s for v, s in zip(slack.tolist(), slop.tolist(), strict=True)], bool)
        return np.where(held, HELD, np.where(far, VIOLATED, WITHIN))


def real(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def floats(values: Any) -> Floats:
    return np.array([real(v) for v in values])


def exponents(a: Floats, b: Floats) -> NDArray[Any]:
    """2^exponent is about the larger of both."""
    return np.asarray(np.frexp(np.nan_to_num(np.maximum(np.abs(a), np.abs(b))))[1])


def scaled(values: NDArray[Any], exponents: NDArray[Any]) -> NDArray[Any]:
    if values.dtype != object:
        return np.asarray(np.ldexp(values, exponents))
    return np.asarray(values * np.array([Fraction(2) ** int(e) for e in exponents], dtype=object))


def step_of(run: Run, u: int) -> int:
    return int(np.searchsorted(run.edges, u, side="right"))


def after_each(
    name: str,
    statement: str,
    n: Numbers,
    left: NDArray[Any],
    right: NDArray[Any],
    slop: Floats,
    sign: int = 1,
) -> Claim:
    """left <= right after every step; at the start both are the same."""
    status = n.status((right - left)[1:], slop[1:])
    return worst(name, statement, status, left[1:], right[1:], sign=sign)


def worst(
    name: str,
    statement: str,
    status: NDArray[np.str_],
    left: NDArray[Any],
    right: NDArray[Any],
    steps: Sequence[int] | None = None,
    sign: int = 1,
) -> Claim:
    """The claim as a whole: its worst status, and the step where both sides were nearest. `steps`
    are 1, 2, … unless they are given."""
    if not len(status):
        return Claim(name, statement, HELD, detail="there was no update")
    overall = next(s for s in (VIOLATED, WITHIN, HELD) if (status == s).any())
    a, b = floats(left), floats(right)
    slack = np.nan_to_num((b - a) / np.maximum(np.abs(a) + np.abs(b), 1e-300), posinf=1.0)
    slack[status != overall] = np.inf
    at = int(np.argmin(slack))
    several = int(np.count_nonzero(status == overall))
    detail = "" if overall == HELD else f"{several} of {len(status)} steps"
    step = 1 + at if steps is None else steps[at]
    return Claim(name, statement, overall, step, sign * a[at], sign * b[at], detail)
