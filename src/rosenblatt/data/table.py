"""A table that was read: what its columns hold, and its rows as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._inputs import validate
from rosenblatt.data import written
from rosenblatt.data._ahead import ahead
from rosenblatt.data._watching import watchable
from rosenblatt.data.column import (
    Column,
    dates,
    is_like_an_id,
    like_numbers,
    problems,
    problems_of_target,
    see,
    too_many_words,
)
from rosenblatt.data.columnar import ColumnFiles
from rosenblatt.data.encode import Encoding, Number
from rosenblatt.data.files import File
from rosenblatt.data.labels import Target
from rosenblatt.data.levels import FALSE, Words
from rosenblatt.data.numeric_check import not_numbers_among
from rosenblatt.data.part import Kind, Part, Recode
from rosenblatt.data.scales import blocks, learned
from rosenblatt.data.text import TextFiles
from rosenblatt.errors import InputError

IMPUTE = ("mean", "median")
_KEPT = 256 << 20  # bytes of parts that are kept; a larger table is read again when encoded

Reader = TextFiles | ColumnFiles


@final
class Table:
    """A table, looked through once.

    Attributes
    ----------
    n_rows : int
    columns : list of Column
        What was seen in each column but the target.
    target : Column or None
    problems : list of str
        What stands against encoding it, a sentence each.
    """

    def __init__(
        self,
        reader: Reader,
        wanted: list[str],
        target: str | None,
        positive: Any,
        impute: str | None,
    ):
        self._reader, self._positive, self.impute = reader, positive, impute
        self._kept: list[Part] | None = []
        self._kinds = reader.kinds(wanted)
        try:
            seen = self._look(target)
        except Recode as found:
            self._kinds = found.kinds
            seen = self._look(target)
        self.target = seen.pop(target) if target is not None else None
        self.columns = list(seen.values())

    @property
    def files(self) -> list[File]:
        return self._reader.files

    @property
    def source(self) -> list[str]:
        return [file.name for file in self.files]

    @property
    def reading(self) -> dict[str, Any]:
        """How the files are read."""
        return self._reader.options

    @property
    def dialect(self) -> Any:
        """How the text is written; None if it is no text."""
        return getattr(self._reader, "dialect", None)

    def _look(self, target: str | None) -> dict[str, Column]:
        seen = {name: Column(name, kind) for name, kind in self._kinds.items()}
        self.n_rows, size = 0, 0
        self._kept = []
        for part in self._read():
            see(seen, part, target)
            self.n_rows += part.rows
            size += part.batch.nbytes
            if size > _KEPT:
                self._kept = None
            if self._kept is not None:
                self._kept.append(part)
        return seen

    def parts(self) -> Iterator[Part]:
        """The rows, part by part: from memory, or from the files again where they are large."""
        return iter(self._kept) if self._kept is not None else self._read()

    def _read(self) -> Iterator[Part]:
        return watchable(ahead(self._reader.parts(self._kinds)), self._reader.files)

    def refuse_rounded(self, encoding: Encoding, *, decimal: bool) -> None:
        """Raise InputError at a label, or with `decimal` a number, that a float cannot hold."""
        written.refuse_rounded(self._reader, encoding, decimal=decimal)

    @property
    def problems(self) -> list[str]:
        found = []
        if self.n_rows == 0:
            found.append(f"{self.source[0]} has no rows, only the names of its columns.")
        if not self.columns:
            found.append(f"{self.source[0]} has no column to learn from.")
        if self.n_rows and self.target:
            found += problems_of_target(self.target, self.n_rows, self._positive)
        for column in self.columns:
            found += problems(column, self.n_rows, impute=self.impute is not None)
            if mixed := self._mixed(column):
                found.append(mixed)
            elif written := like_numbers(column):
                found.append(written)
            elif dated := dates(column):
                found.append(dated)
            elif is_like_an_id(column, self.n_rows):
                found.append(too_many_words(column, self.n_rows))
        return found

    def _mixed(self, column: Column) -> str | None:
        """A column that would be numbers but for a few values in a few rows."""
        if column.kind is not Kind.TEXT:
            return None
        strange = not_numbers_among(column.words)
        if not strange or 4 * len(strange) >= len(column.words):
            return None
        # Of few words those in many rows, like '3+', were meant.
        few_words = 2 * len(column.words) <= self.n_rows
        most = max(1, self.n_rows // 100) if few_words else self.n_rows
        found, first = 0, None
        for part in self.parts():
            codes, words = part.words(column.name)
            wrong = np.array([word in strange for word in [*words, None]])[codes]
            found += int(wrong.sum())
            if first is None and wrong.any():
                row = int(wrong.argmax())
                first = (
                    f"{part.place(row)}, column {column.name!r} holds {words[codes[row]]!r}, and "
                    "numbers in most other rows. Correct it; or, if it stands for a missing value, "
                    f"say so: missing={words[codes[row]]!r} (--missing {words[codes[row]]})."
                )
        return first if found <= most else None

    def encoding(self) -> Encoding:
        """How the columns become numbers, before fills and scales."""
        if found := self.problems:
            more = f" (There is more: {len(found)} problems in all; rosenblatt inspect shows them.)"
            raise InputError(found[0] + (more if len(found) > 1 else ""))
        encoding = Encoding(
            tuple(map(encoded, self.columns)),
            None if self.target is None else Target.of(self.target, self._positive),
        )
        names = encoding.feature_names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(
                f"Two columns of numbers would be named {twice!r}. Rename the column of that name."
            )
        return encoding

    def encode(self, *, scale: bool = True) -> tuple[NDArray[np.float64], Any, Encoding]:
        """Rows as numbers, labels, and what was done.

        Parameters
        ----------
        scale : bool
            True: numbers are shifted and scaled to mean 0 and standard deviation 1; 0/1 columns
            stay. False: numbers stay as they are. Whether rows are separable does not depend on
            it; margins and bounds do.

        Returns
        -------
        X : array of shape (n_rows, number of features)
        y : array of shape (n_rows,), or None without a target
        encoding : Encoding
        """
        validate.flag("scale", scale)
        X, y, encoding = self.encode_with_gaps()
        encoding = learned(encoding, X, scale=scale, impute=self.impute)
        for rows in blocks(X):
            encoding.finish(rows)
        return X, y, encoding

    def stream(self, *, scale: bool = True) -> TableStream:
        """The same rows and labels for `rosenblatt.train`, which encodes them a part at a time into
        files: for tables that memory cannot hold. `scale` is that of `encode`."""
        validate.flag("scale", scale)
        return TableStream(self, scale)

    def encode_with_gaps(self) -> tuple[NDArray[np.float64], Any, Encoding]:
        """The same before anything is filled or scaled: NaN where a number is missing."""
        encoding = self.encoding()
        X = np.empty((self.n_rows, len(encoding.feature_names)))
        labels, row = [], 0
        for part in self.parts():
            encoding.rows(part, out=X[row : row + part.rows], seen=True)
            row += part.rows
            if self.target is not None:
                labels.append(encoding.labels(part))
        return X, np.concatenate(labels) if labels else None, encoding


@final
@dataclass(frozen=True)
class TableStream:
    """A table that is not to be encoded in memory, and whether its numbers are scaled."""

    table: Table
    scale: bool


def encoded(column: Column) -> Number | Words:
    """How a column becomes numbers, before fills and scales."""
    if column.kind is Kind.NUMBER:
        return Number(column.name)
    gaps = column.missing > 0
    if column.kind is not Kind.BOOLEAN:
        return Words(column.name, tuple(column.values), gaps, reference=column.reference)
    reference = column.reference if gaps else FALSE
    return Words(column.name, (FALSE, "True"), gaps, boolean=True, reference=reference)
