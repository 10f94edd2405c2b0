"""The numbers of rows in files that are read together, and where a row stands in its file.

A file begins where those before it end. How many rows it has is known once the table was looked
through: so some rows can be read, by anyone, without those before them, and have the numbers that
they have among all. Rows that are left out keep theirs.
"""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, islice, pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.text import many
from rosenblatt.data.batch import Batch, Kind, Reader
from rosenblatt.data.dialect import Dialect, announced
from rosenblatt.data.files import File
from rosenblatt.data.opening import open_bytes

Read = Callable[[list[int]], Iterable[Batch]]  # the rows of some files, by their places


def of_files(reader: Reader, some: list[int] | None) -> Reader:
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
            yield batch if b - a == batch.rows else batch.slice(a, b - a)
        first += batch.rows
        if first >= end:
            return


# --- Where a row stands in its file: a line of text, a row of a sheet -----------------------------
#
# They differ from the row's number by the header, by empty lines, and by line ends inside quotes.
# So the file is read again up to there: only a message about one row needs it.

_MOST = 1 << 20  # rows: to find a line further down takes longer than a person waits


def line_of(file: File, dialect: Dialect, row: int) -> str | None:
    """As it is told: "line 4", "sheet row 4"; None where it cannot be found."""
    try:
        return _line(file, dialect, row) if row < _MOST else None
    except Exception:  # the message is about something else, and comes without a line
        return None


def _line(file: File, dialect: Dialect, row: int) -> str | None:
    stream, _ = open_bytes(file.path, file.name)
    with stream:
        text = io.BufferedReader(dialect.text(stream, file))
        skipped = len(announced(text.peek())[1] or "")  # a line that is not counted in sheets
        lines = io.TextIOWrapper(text, encoding="utf-8", errors="replace", newline="")
        above = sum(1 for _ in islice(lines, skipped + dialect.skip))
        records = csv.reader(lines, delimiter=dialect.delimiter)
        number, left = above - skipped, row + dialect.header
        while True:
            first = above + records.line_num + 1  # a record may have several
            record = next(records)
            number += 1
            if record and left == 0:
                return (file.called or f"line {first}").format(number, number - 1)
            left -= bool(record)


# --- Rows without a label, which are left out when that is asked for ------------------------------


@final
class Labelled:
    """The rows of batches that have a label. When all were given, `left_out` are the numbers of the
    others, counted from 0 over all files."""

    def __init__(self, batches: Iterable[Batch], target: str, kind: Kind):
        self._batches, self._target, self._kind = batches, target, kind
        self._left_out: list[NDArray[np.int64]] = []
        self._seen = 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._batches:
            if self._kind is Kind.NUMBER:
                there = ~np.isnan(batch.numbers(self._target))
            else:
                there = batch.words(self._target)[0] >= 0
            self._left_out.append(self._seen + np.flatnonzero(~there))
            self._seen += batch.rows
            if there.all():
                yield batch
            elif there.any():
                yield batch.only(there)

    @property
    def left_out(self) -> NDArray[np.int64]:
        return np.concatenate(self._left_out) if self._left_out else np.empty(0, dtype=np.int64)


def left_out_of(batches: Iterable[Batch]) -> NDArray[np.int64]:
    """The numbers of the rows that these batches left out, when all were given."""
    return batches.left_out if isinstance(batches, Labelled) else np.empty(0, dtype=np.int64)


def unlabelled(left_out: int) -> str:
    return f"{many(left_out, 'row')} without a label left out"
