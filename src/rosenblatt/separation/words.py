"""Coefficients and their intervals as lines of text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping


def table_of(
    coefficients: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    confidence: float,
) -> Iterator[str]:
    """A line for each coefficient."""
    width = max(len(name) for name in coefficients)
    yield f"{'':{width}}  {'estimate':>9}  {confidence:.0%} profile interval"
    for name, value in coefficients.items():
        low, high = intervals.get(name, (math.nan, math.nan))
        shown = "" if math.isnan(low) else f"{_number(low)} to {_number(high)}"
        yield f"{name:{width}}  {_number(value):>9}  {shown}".rstrip()


def _number(value: float) -> str:
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return "not fixed" if math.isnan(value) else f"{value:.4g}".replace("-", "−")
