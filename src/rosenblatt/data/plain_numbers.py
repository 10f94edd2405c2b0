"""Numbers as programs write them: which columns of text hold them, with a point or a comma."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_VALUES = 4096  # looked at together: a call by itself takes as long as a thousand of them


def not_numbers(table: Any, names: Iterable[str], decimal: str) -> set[str]:
    """The columns of strings that hold anything else than numbers and missing values."""
    rest, others = iter(names), set[str]()
    size = max(1, _VALUES // max(table.num_rows, 1))
    while some := list(islice(rest, size)):
        if size > 1 and _numbers(_joined(table, some), decimal):
            continue
        others |= {name for name in some if not _numbers(table.column(name), decimal)}
    return others


def _joined(table: Any, names: list[str]) -> Any:
    return pa.concat_arrays([c for name in names for c in table.column(name).chunks])


def numbers_of(column: Any, decimal: str) -> Any:
    """Strings as float64, missing where they are; None where one is no number."""
    text = pc.utf8_trim(column, " \t")
    if decimal != ".":
        if pc.any(pc.match_substring(text, ".")).as_py():
            return None
        text = pc.replace_substring(text, decimal, ".")
    try:
        return pc.cast(text, pa.float64())
    except pa.ArrowInvalid:
        return None


def _numbers(column: Any, decimal: str) -> bool:
    return numbers_of(column, decimal) is not None


def first_not_number(column: Any, decimal: str) -> int | None:
    """The first place in a column of strings that holds neither a number nor nothing."""
    if _numbers(column, decimal):
        return None
    return _first(lambda end: not _numbers(column.slice(0, end), decimal), len(column)) - 1


def _first(holds: Callable[[int], bool], end: int) -> int:
    """The least number from 1 to end for which it holds; it holds for all after that."""
    begin = 1
    while begin < end:
        middle = (begin + end) // 2
        if holds(middle):
            end = middle
        else:
            begin = middle + 1
    return end
