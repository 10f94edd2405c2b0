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
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, Any, Self, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.text import listed, many
from rosenblatt.data.batch import TRUTH, Batch, Kind, Reader
from rosenblatt.data.dialect import Dialect, announced
from rosenblatt.data.files import File
from rosenblatt.data.opening import open_bytes

if TYPE_CHECKING:
    from rosenblatt.data.options import Reading

_NAMED = 5  # labels
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


# --- Rows that are left out for their label, when that is asked for -------------------------------


@final
@dataclass(frozen=True)
class Unwanted:
    """Rows with some labels; `missing`: and rows that have none."""

    target: str
    kind: Kind
    labels: tuple[str, ...] = ()
    missing: bool = False

    @classmethod
    def of(cls, reading: Reading, target: str | None, kind: Kind | None) -> Self | None:
        if target is None or kind is None or not (reading.drop_label or reading.drop_unlabelled):
            return None
        return cls(target, kind, reading.drop_label, reading.drop_unlabelled)

    def there(self, batch: Batch) -> NDArray[np.bool_]:
        """The other rows."""
        values: list[Any]
        if self.kind is Kind.NUMBER:
            numbers = batch.numbers(self.target)
            different, codes = np.unique(numbers, return_inverse=True)
            values, none = different.tolist(), np.isnan(numbers)
        else:
            codes, words = batch.words(self.target)
            values, none = [*words], codes < 0
        dropped = [any(same_label(label, value) for label in self.labels) for value in values]
        there = ~np.array([*dropped, False])[codes]
        return np.where(none, not self.missing, there)


def same_label(label: Any, word: Any) -> bool:
    """Is the label that someone gave this one of the table?"""
    if isinstance(word, str):
        return str(label).strip() == word or (word in TRUTH and label is TRUTH[word])
    try:
        return bool(float(label) == word)
    except (TypeError, ValueError):
        return False


@final
class Labelled:
    """The rows of batches that are not unwanted. When all were given, `left_out` are the numbers of
    the others, counted from 0 over all files."""

    def __init__(self, batches: Iterable[Batch], unwanted: Unwanted):
        self._batches, self._unwanted = batches, unwanted
        self._left_out: list[NDArray[np.int64]] = []
        self._seen = 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._batches:
            there = self._unwanted.there(batch)
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


def unlabelled(left_out: int, reading: Reading) -> str:
    why = ["without a label"] * reading.drop_unlabelled
    if labels := reading.drop_label:
        why.append(f"with the label {listed([repr(label) for label in labels], _NAMED)}")
    return f"{many(left_out, 'row')} {' or '.join(why)} left out"
