"""Numbers and lists of things, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import final, overload


def many(count: int, thing: str, one: str = "1") -> str:
    """1 row, 2,000 rows; `one` is what a single one is called."""
    return f"{one} {thing}" if count == 1 else f"{count:,} {thing}s"


def listed(things: list[str], most: int) -> str:
    """a, b and 3 more."""
    more = len(things) - most
    return ", ".join(things[:most]) + (f" and {more:,} more" if more > 0 else "")


def named(label: object) -> str:
    """A label as it stands in a sentence: a number in quotes, lest it be taken for a count."""
    text = str(label)
    try:
        float(text)
    except ValueError:
        return text
    return f'"{text}"'


# Row numbers as a person reads them: from 1 for rows in a file, from 0 in Python.
#
# Inside, and in every JSON document, rows are counted from 0, as in an array. What a person reads
# about a file counts from 1, as a spreadsheet does; the header is not counted. Every text says
# which.


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


# Names of columns that have none, x0, x1 and so on: made when they are asked for.


@final
class Numbered(Sequence[str]):
    """As a list of so many would be; of millions of columns nobody asks for all."""

    def __init__(self, count: int):
        self._places = range(count)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [f"x{j}" for j in self._places[place]]
        return f"x{self._places[place]}"
