"""Row numbers as a person reads them: from 1 for rows in a file, from 0 in Python.

Inside, and in every JSON document, rows are counted from 0, as in an array. What a person reads
about a file counts from 1, as a spreadsheet does; the header is not counted. Every text says which.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_first = ContextVar("first", default=0)


@contextmanager
def of_files(really: bool = True) -> Iterator[None]:
    """What is told inside is about rows of files, or else of arrays."""
    token = _first.set(1 if really else 0)
    try:
        yield
    finally:
        _first.reset(token)


def about_files() -> bool:
    """Whether what is told here is about files."""
    return bool(_first.get())


def row_number(row: int) -> int:
    """A row, counted from 0, as it is told here."""
    return int(row) + _first.get()


def counted() -> str:
    """Which it is, for a text that names rows."""
    if _first.get():
        return "rows are counted from 1, without the header"
    return "rows are counted from 0"


def in_file(row: int, line: str | None = None) -> str:
    """A row of a file, counted from 0, and where it is found there: row 3 (line 4)."""
    return f"row {row + 1} ({line or 'counted from 1'})"


def in_memory(row: int) -> str:
    return f"row {row} (counted from 0)"
