"""What was proved, as the document that `verify.py` reads (docs/certificate.md)."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt._certify.balance import Blend
from rosenblatt._certify.diagnostics import Collinear, Revealing, SignSet
from rosenblatt._certify.facial_reduction import Partition
from rosenblatt._certify.margins import Bound
from rosenblatt._certify.rows import Names, Rows


def text(value: Fraction | int) -> str:
    """A number in hexadecimal: a float where it is one, else a whole number or a fraction."""
    value = Fraction(value)
    if value.denominator == 1:
        return hex(value.numerator)
    try:
        rounded = float(value)
    except OverflowError:
        rounded = math.inf
    if math.isfinite(rounded) and Fraction(rounded) == value:
        return rounded.hex()
    return f"{hex(value.numerator)}/{hex(value.denominator)}"


def numbers(values: Sequence[Fraction] | Sequence[int]) -> list[str]:
    return [text(v) for v in values]


def root(square: Fraction, *, up: bool) -> float | None:
    """The square root, rounded away from the truth; None: up beyond the largest float."""
    if square == 0:
        return 0.0
    if square > Fraction(sys.float_info.max) ** 2:
        return None if up else sys.float_info.max
    # About 64 bits of the root, as a whole number over a power of two.
    shift = max(0, 128 - square.numerator.bit_length() + square.denominator.bit_length())
    shift += shift % 2
    whole = math.isqrt((square.numerator << shift) // square.denominator)
    value = float(Fraction(whole, 1 << (shift // 2)))
    while up and Fraction(value) ** 2 < square:
        value = math.nextafter(value, math.inf)
    while not up and Fraction(value) ** 2 > square:
        value = math.nextafter(value, 0)
    return value


def conflict(rows: Rows, name: Names, blend: Blend) -> dict[str, Any]:
    index = sorted(blend)
    found = name.blend(blend) | {"y": [int(rows.y[i]) for i in index]}
    if rows.intercept:
        *point, total = rows.blend({i: blend[i] for i in index if rows.y[i] > 0})
        found["point"] = [v.numerator / (v.denominator * int(total)) for v in point]
    return found


def verdict(partition: Partition) -> tuple[str, bool | None]:
    if not partition.done:
        return "undecided", None if partition.conflict is None else False
    if partition.conflict is None:
        return "complete separation", True
    return ("overlap" if partition.separator is None else "quasi-complete separation"), False


def partition_part(partition: Partition, name: Names) -> dict[str, Any]:
    word, separable = verdict(partition)
    out: dict[str, Any] = {"verdict": word, "separable": separable}
    if partition.conflict is not None:
        out["conflict"] = conflict(partition.rows, name, partition.conflict)
    if partition.done and partition.conflict is not None:
        if partition.balance != partition.conflict:
            out["balance"] = name.blend(partition.balance)
        out["orthogonal"] = [numbers(v) for v in partition.normals or []]
    if word == "quasi-complete separation":
        assert partition.alive is not None
        assert partition.separator is not None
        out["separator"] = numbers(partition.separator)
        out["separated"] = [name(i) for i in np.flatnonzero(partition.alive).tolist()]
    return out


def margin(bound: Bound, name: Names) -> dict[str, Any]:
    return {
        "lo": root(bound.lo2, up=False),
        "hi": root(bound.hi2, up=True),
        "exact": bound.lo2 == bound.hi2,
        "separator": numbers(bound.separator),
        "at_least": text(bound.at_least),
        **name.blend(bound.weights),
    }


def mistake_bounds(rows: Rows, name: Names, bound: Bound, longest: int) -> dict[str, Any]:
    radius2 = Fraction(*rows.square(longest))
    return {
        "radius_row": name.point(longest),
        "mistake_bound": _count(radius2 // bound.lo2),
        "best_possible_mistake_bound": _count(radius2 // bound.hi2),
    }


def _count(value: int) -> str:
    """In decimal, unless it is longer than Python would read back."""
    return str(value) if value.bit_length() < 10_000 else hex(value)


def sign(found: SignSet, name: Names) -> dict[str, Any]:
    out: dict[str, Any] = {"signs": found.signs}
    if found.other is not None:
        out["other"] = numbers(found.other)
    if found.times:
        out |= {"times": hex(found.times), **name.blend(found.blend)}
    return out


def collinear(found: Collinear) -> dict[str, Any]:
    return {"column": found.column, "vector": numbers(found.vector)}


def revealing(found: Revealing) -> dict[str, Any]:
    return {
        "column": found.column,
        "sign": found.sign,
        "threshold": text(found.threshold),
        "rows": found.rows,
    }
