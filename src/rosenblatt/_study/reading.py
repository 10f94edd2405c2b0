"""The first stage of a study: a table is read, and nothing is filled or scaled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._study.source import SparseRows
from rosenblatt.data.batch import Kind
from rosenblatt.data.naming import in_doubt
from rosenblatt.data.table import SparseTable, words_like_missing

if TYPE_CHECKING:
    from rosenblatt._study.options import Options
    from rosenblatt._study.source import Source
    from rosenblatt.data import Preprocessing, Table


@final
@dataclass(frozen=True)
class Notes:
    """What a person should be told about a table besides."""

    constant: Sequence[str] = ()  # columns of text that were left out
    identifiers: Sequence[str] = ()  # columns of numbers that were left out
    header: str | None = None  # a doubt about the names of columns
    like_missing: Sequence[str] = ()  # about words like '?'
    unlabelled: Any = ()  # the numbers of rows that were left out for lack of a label


@final
@dataclass(frozen=True)
class Read:
    """A table that was read; nothing is filled or scaled."""

    X: Any  # as in the table, NaN where a number is missing; of a large stream a sample
    y: Any
    counts: dict[str, int]  # rows by label
    target: str = "y"
    preprocessing: Preprocessing | None = None  # before fills and scales; None for svmlight files
    impute: str | None = None
    groups: NDArray[Any] | None = None  # which rows stay together
    notes: Notes = Notes()
    sample: NDArray[np.intp] | None = None  # the numbers of the rows in X, where these are not all
    unasked: str | None = None  # why no verdict is asked for, where none is

    @property
    def rows(self) -> int:
        return sum(self.counts.values())

    def number(self, row: int) -> int:
        """The number of a row in the table, of which some may be left out."""
        for k in self.notes.unlabelled:
            if k > row:
                break
            row += 1
        return row


def read(source: Source, options: Options) -> Read:
    if isinstance(source, SparseRows):
        return Read(source.X, source.y, counts_of(source.y), groups=source.groups)
    groups, opened = None, source.opened
    if options.groups is not None:
        column, opened = opened.split_off(options.groups, "groups")
        groups = _groups_of(column, options.groups)
    table = opened.read()
    if isinstance(table, SparseTable):
        X, y, _ = table.encode(scale=False)
        table.refuse_rounded(None, decimal=False)
        return Read(X, y, counts_of(y), groups=groups)
    X, y, preprocessing = table.encode_with_missing()
    table.refuse_rounded(preprocessing, decimal=False)
    assert options.target is not None
    counts, notes = counts_of(y), notes_on(table)
    return Read(X, y, counts, options.target, preprocessing, table.impute, groups, notes)


def notes_on(table: Table) -> Notes:
    """Of a table that was read to its end."""
    header = None if table.dialect is None else in_doubt(table.dialect.like_data)
    words = list(words_like_missing(table))
    return Notes(table.constant, table.identifiers, header, words, table.left_out)


def counts_of(y: Any) -> dict[str, int]:
    """How many rows have each label."""
    labels, counts = np.unique(y, return_counts=True)
    return {str(a): k for a, k in zip(labels.tolist(), counts.tolist(), strict=True)}


def _groups_of(table: Table, name: str) -> NDArray[Any]:
    """The values of a column by itself, as numbers."""
    known: dict[str, int] = {}
    groups = []
    for batch in table.batches():
        if table.columns[0].read_as is Kind.NUMBER:
            groups.append(batch.numbers(name))
            missing = np.isnan(groups[-1])
        else:
            codes, words = batch.words(name)
            numbers = [known.setdefault(str(word), len(known)) for word in words]
            groups.append(np.array([*numbers, -1])[codes])
            missing = codes < 0
        if missing.any():
            raise batch.place(int(missing.argmax())).error(
                f"group {name!r}: the value is missing. Fill it in, or leave out such rows."
            )
    return np.concatenate(groups) if groups else np.empty(0)
