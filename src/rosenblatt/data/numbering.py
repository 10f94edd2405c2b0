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

from rosenblatt.data.batch import Batch
from rosenblatt.data.files import File

R = TypeVar("R", bound="Reads")
Read = Callable[[list[int]], Iterable[Batch]]  # the rows of some files, by their places


class Reads(Protocol):
    """What reads files."""

    files: list[File]


def of_files(reader: R, some: list[int] | None) -> R:
    if some is None or len(some) == len(reader.files):
        return reader
    smaller = copy.copy(reader)
    smaller.files = [reader.files[k] for k in some]
    return smaller


def between(
    kept: list[Batch] | None, read: Read, by_file: list[int], begin: int, end: int | None
) -> Iterator[Batch]:
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


def some_of(batches: Iterable[Batch], first: int, begin: int, end: int) -> Iterator[Batch]:
    """Of batches whose first row has the number `first`."""
    for batch in batches:
        a, b = max(begin - first, 0), min(end - first, batch.rows)
        if a < b:
            yield batch if b - a == batch.rows else _some(batch, a, b)
        first += batch.rows
        if first >= end:
            return


def _some(batch: Batch, a: int, b: int) -> Batch:
    columns = batch.columns.slice(a, b - a)
    if batch.numbered is None:
        return replace(batch, columns=columns, start=batch.start + a)
    return replace(batch, columns=columns, numbered=batch.numbered[a:b])
