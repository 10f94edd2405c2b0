"""What was proved, as the document that `verify.py` reads (docs/certificate.md)."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify
from rosenblatt._certify.balance import Blend
from rosenblatt._certify.check import fingerprint, with_columns
from rosenblatt._certify.facial_reduction import Partition
from rosenblatt._certify.margins import Bound
from rosenblatt._certify.rows import Names, Rows
from rosenblatt._certify.table import Table
from rosenblatt._util.text import Numbered
from rosenblatt._util.version import __version__

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing

_SHORT = 256  # numbers in a vector that is written as it is


def head(
    table: Table,
    intercept: bool,
    numbers: str,
    preprocessing: Preprocessing | None = None,
    signs: NDArray[np.int8] | None = None,
) -> dict[str, Any]:
    """What every claim about a table begins with; `signs` are demanded of the weights."""
    index = np.arange(len(table.y))
    left_out = index[:0] if table.present is None else np.delete(index, table.present)
    dropped = left_out.tolist()
    mark = fingerprint(with_columns(table.X, table.beside), table.y, dropped)
    return {
        **opening(
            len(table.y),
            dropped,
            table.columns,
            table.target,
            table.labels,
            mark,
            intercept=intercept,
            numbers=numbers,
            sizes=_sizes(table),
        ),
        **({} if table.beside is None else table.beside.claim),
        **({} if preprocessing is None else {"preprocessing": preprocessing.to_dict()}),
        **({} if signs is None else {"demand": signs.tolist()}),
    }


def signs_demanded(document: dict[str, Any]) -> NDArray[np.int8] | None:
    return np.array(document["demand"], dtype=np.int8) if "demand" in document else None


def opening(
    rows: int,
    dropped: list[int],
    columns: list[str],
    target: str,
    labels: Sequence[str | None],
    sha256: str,
    *,
    intercept: bool,
    numbers: str = "float",
    sizes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The fields that tell which data it is about, wherever its rows are."""
    return {
        "schema": verify.SCHEMA,
        "producer": f"rosenblatt {__version__}",
        "numbers": numbers,
        "fit_intercept": intercept,
        "rows": rows,
        "dropped": dropped,
        "columns": columns,
        "target": target,
        "labels": list(labels),
        **(sizes or {}),
        "sha256": sha256,
    }


def _sizes(table: Table) -> dict[str, Any]:
    if len(table.classes) <= 2:
        return {}
    y = table.y if table.present is None else table.y[table.present]
    return {"sizes": np.bincount(y, minlength=len(table.classes) + 1)[1:].tolist()}


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


def packed(document: dict[str, Any]) -> dict[str, Any]:
    """As it is written to a file: long lists short, see `verify.unpacked`."""
    out: dict[str, Any] = {
        name: _packed(value) if name == "separator" else value for name, value in document.items()
    }
    if out["columns"] == list(Numbered(len(out["columns"]))):
        out["columns"] = len(out["columns"])
    if "point" in out.get("conflict", {}):
        out["conflict"] = out["conflict"] | {"point": _packed(out["conflict"]["point"])}
    if "margins" in out:
        out["margins"] = {
            kind: part | {"separator": _packed(part["separator"])}
            for kind, part in out["margins"].items()
        }
    return out


def _packed(vector: list[Any]) -> list[Any] | dict[str, Any]:
    if len(vector) < _SHORT:
        return vector
    places: dict[Any, list[int]] = {}
    for place, value in enumerate(vector):
        places.setdefault(value, []).append(place)
    most = max(places, key=lambda value: len(places[value]))
    if 2 * len(places) > len(vector):
        return vector
    del places[most]
    gaps = [[b - a for a, b in pairwise([0, *some])] for some in places.values()]
    return {"size": len(vector), "most": most, "values": list(places), "gaps": gaps}


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


def conflict(rows: Rows, name: Names, blend: Blend, *, meet: bool = True) -> dict[str, Any]:
    """`meet`: the averages of both classes are the same point, where there is an intercept."""
    index = sorted(blend)
    out = name.blend(blend) | {"y": [int(rows.y[i]) for i in index]}
    if rows.intercept and meet:
        *point, total = rows.blend({i: blend[i] for i in index if rows.y[i] > 0})
        out["point"] = [v.numerator / (v.denominator * int(total)) for v in point]
    return out


def one_conflict(head: dict[str, Any], conflict: dict[str, Any]) -> dict[str, Any]:
    limit = "it is about one conflict; whether the other rows can be separated was not asked"
    verdict = {"verdict": "undecided", "separable": False, "limits": [limit]}
    return head | verdict | {"conflict": conflict}


def verdict(partition: Partition) -> tuple[str, bool | None]:
    if partition.chance is not None:
        return verify.CHANCE, None if partition.conflict is None else False
    if not partition.done:
        return "undecided", None if partition.conflict is None else False
    if partition.conflict is None:
        return "complete separation", True
    return ("overlap" if partition.separator is None else "quasi-complete separation"), False


def partition_part(partition: Partition, name: Names, *, margins: bool = True) -> dict[str, Any]:
    """`margins` tell of complete separation, where there are any."""
    word, separable = verdict(partition)
    out: dict[str, Any] = {"verdict": word, "separable": separable}
    if partition.conflict is not None:
        out["conflict"] = conflict(partition.rows, name, partition.conflict)
    if partition.chance is not None:
        out["chance"] = partition.chance.document()
    if partition.done and partition.conflict is not None:
        if partition.balance != partition.conflict:
            out["balance"] = name.blend(partition.balance)
        if partition.normals is not None:
            out["orthogonal"] = [numbers(v) for v in partition.normals]
    if word == "quasi-complete separation" or (word == "complete separation" and not margins):
        assert partition.separator is not None
        out["separator"] = numbers(partition.separator)
        if "orthogonal" in out or word == "complete separation" or type(name) is not Names:
            out["separated"] = name.separated(partition.alive)
    return out


def demanded_part(partition: Partition, name: Names, signs: NDArray[np.int8]) -> dict[str, Any]:
    """The rows of the partition are those of the table and, after them, the signs."""
    n = partition.rows.n - int(np.count_nonzero(signs))
    if partition.conflict is not None:
        blend = {i: v for i, v in partition.conflict.items() if i < n}
        part = conflict(partition.rows, name, blend)
        return {"verdict": "undecided", "separable": False, "conflict": part}
    if not partition.done:
        return {"verdict": "undecided", "separable": None}
    assert partition.separator is not None
    return {
        "verdict": "complete separation",
        "separable": True,
        "separator": numbers(partition.separator),
        "separated": name.separated(partition.alive[:n]),
    }


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
