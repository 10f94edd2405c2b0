"""The numbers of rows in files that are read together: a file begins where those before it end.

How many rows a file has is known once the table was looked through. So some rows can be read, by
anyone, without those before them, and have the numbers that they have among all.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Protocol, TypeVar

from rosenblatt.data.files import File
from rosenblatt.data.part import Part

R = TypeVar("R", bound="Reads")
Read = Callable[[list[int]], Iterable[Part]]  # the rows of some files, by their places


class Reads(Protocol):
    """What reads files."""

    files: list[File]


def of_files(reader: R, some: list[int] | None) -> R:
    """The same for some of its files."""
    if some is None or len(some) == len(reader.files):
        return reader
    found = copy.copy(reader)
    found.files = [reader.files[k] for k in some]
    return found


def between(
    kept: list[Part] | None, read: Read, by_file: list[int], begin: int, end: int | None
) -> Iterator[Part]:
    """The rows from `begin` to `end`, from memory where all are kept; else their files are read."""
    end = sum(by_file) if end is None else end
    if kept is not None:
        return some_of(kept, 0, begin, end)
    some, first = files_between(by_file, begin, end)
    return some_of(read(some), first, begin, end) if some else iter(())


def files_between(by_file: list[int], begin: int, end: int) -> tuple[list[int], int]:
    """The places of the files that rows lie in, and the number of the first row of the first."""
    edges = list(pairwise([0, *accumulate(by_file)]))
    some = [k for k, (first, last) in enumerate(edges) if first < end and begin < last]
    return some, edges[some[0]][0] if some else 0


def some_of(parts: Iterable[Part], first: int, begin: int, end: int) -> Iterator[Part]:
    """Of parts whose first row has the number `first`."""
    for part in parts:
        a, b = max(begin - first, 0), min(end - first, part.rows)
        if a < b:
            yield part if b - a == part.rows else _some(part, a, b)
        first += part.rows
        if first >= end:
            return


def _some(part: Part, a: int, b: int) -> Part:
    batch = part.batch.slice(a, b - a)
    if part.numbered is None:
        return replace(part, batch=batch, start=part.start + a)
    return replace(part, batch=batch, numbered=part.numbered[a:b])
