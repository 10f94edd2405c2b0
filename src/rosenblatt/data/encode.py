"""From columns to numbers, recorded: the same rows become the same numbers, today and later.

Numbers stay as they are, or are scaled; booleans become 0 and 1; text becomes a 0/1 column for each
of its words but one, the reference level. What was done is an Encoding, which can be written down.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._support.words import many
from rosenblatt.data.how import Reading
from rosenblatt.data.labels import Target
from rosenblatt.data.levels import Words
from rosenblatt.data.number import Number as Number
from rosenblatt.data.number import Rows, Seen, write_numbers
from rosenblatt.data.part import Part
from rosenblatt.data.prose import Prose
from rosenblatt.data.together import below, beside, head
from rosenblatt.errors import InputError

UNSEEN = ("refuse", "zero")


@final
@dataclass(frozen=True)
class Encoding:
    """What was done to a table, so that it can be done again.

    `feature_names` are the names of the columns of X; `to_dict` and `from_dict` write it down and
    read it again.
    """

    columns: tuple[Number | Words | Prose, ...]  # those of prose are the last
    target: Target | None = None
    reading: Reading = field(
        default_factory=Reading
    )  # how tables are read, unless one is told otherwise

    @property
    def feature_names(self) -> list[str]:
        return [name for column in self.columns for name in column.features]

    @property
    def prose(self) -> list[Prose]:
        return [column for column in self.columns if isinstance(column, Prose)]

    def without_prose(self) -> Encoding:
        columns = tuple(column for column in self.columns if not isinstance(column, Prose))
        return replace(self, columns=columns)

    @property
    def n_dense(self) -> int:
        """How many features come before those of prose."""
        return sum(len(c.features) for c in self.columns if not isinstance(c, Prose))

    @property
    def scaled(self) -> bool:
        """Whether any number is shifted or scaled."""
        return any(isinstance(c, Number) and not c.as_it_is for c in self.columns)

    @property
    def inputs(self) -> list[str]:
        """The columns of a table that are read."""
        return [column.name for column in self.columns]

    def rows(
        self, part: Part, *, unseen: str = "refuse", out: Rows | None = None, seen: bool = False
    ) -> Any:
        """The rows of one part of a table: an array, or a CSR matrix where columns are prose. Each
        row is encoded by itself: any division into parts gives the same numbers. `seen`: the table
        was looked through, and its gaps may stay."""
        out = np.empty((part.rows, self.n_dense)) if out is None else out
        begin = 0
        dense = (c for c in self.columns if not isinstance(c, Prose))
        for numbers, side_by_side in groupby(dense, lambda c: isinstance(c, Number)):
            columns: list[Any] = list(side_by_side)
            if numbers:
                end = begin + len(columns)
                write_numbers(columns, part, out[:, begin:end], seen)
                begin = end
                continue
            for column in columns:
                end = begin + len(column.features)
                column.write(part, out[:, begin:end], unseen)
                begin = end
        return beside(out, [column.rows(part) for column in self.prose])

    def labels(self, part: Part) -> NDArray[Any]:
        """The labels of one part of a table."""
        if self.target is None:
            raise InputError("The encoding has no target.")
        return self.target.labels(part)

    def parts(
        self, source: Any, *, unseen: str = "refuse", **reading: Any
    ) -> Iterator[tuple[Part, Any]]:
        """New rows, part by part: those of files, or of a data frame, that have these columns.

        They are read as the first table was. `reading` is `charset`, `header`, `missing`, `sep`,
        `names` and `sheet`, as in `read`, where that is not so.
        """
        from rosenblatt._inputs import validate
        from rosenblatt.data.again import parts_like

        validate.one_of("unseen", unseen, UNSEEN)
        for part in parts_like(source, self, labelled=False, **reading):
            yield part, self.rows(part, unseen=unseen)

    def apply(self, source: Any, *, unseen: str = "refuse", **reading: Any) -> Any:
        """New rows as numbers: those of files, or of a data frame, that have these columns.

        unseen : "refuse" or "zero"
            What a word does that did not occur in training: raise an error; or be 0 in all columns
            of its own, as the reference level is, with a warning.
        """
        found, strange = [], 0
        for part, rows in self.parts(source, unseen=unseen, **reading):
            found.append(rows)
            words = self.unseen(part) if unseen == "zero" else {}
            if words and not strange:
                first = f"{part.place(min(words))}, {words[min(words)][0]}"
            strange += len(words)
        if strange:
            said = f"{many(strange, 'row')} with a category that did not occur in training"
            warnings.warn(f"{said}, as {first}.", UserWarning, stacklevel=2)
        return below(found, len(self.feature_names))

    def unseen(self, part: Part) -> dict[int, list[str]]:
        """The rows of a part with unknown categories, and what these count as."""
        found: dict[int, list[str]] = {}
        for column in (c for c in self.columns if isinstance(c, Words)):
            for row, word in column.unseen(part).items():
                said = f"{column.name}={word} counts as {column.counts_as}"
                found.setdefault(row, []).append(said)
        return found

    def wordless(self, X: Any) -> dict[int, list[str]]:
        """The rows of X that have no known word in a column of prose, and these columns."""
        found: dict[int, list[str]] = {}
        begin = self.n_dense
        for column in self.prose:
            end = begin + len(column.words)
            for row in np.flatnonzero(np.diff(X[:, begin:end].indptr) == 0).tolist():
                found.setdefault(row, []).append(column.name)
            begin = end
        return found

    def lacking(self, part: Part) -> dict[int, list[str]]:
        """The rows of a part that lack a value which is not filled, and the columns it is of."""
        found: dict[int, list[str]] = {}
        for column in self.columns:
            if isinstance(column, Number):
                none = np.isnan(part.numbers(column.name)) & (column.fill is None)
            elif isinstance(column, Words):
                none = (part.words(column.name)[0] < 0) & (not column.missing)
            else:
                continue  # no text has no words
            for row in np.flatnonzero(none).tolist():
                found.setdefault(row, []).append(column.name)
        return found

    @property
    def references(self) -> list[str]:
        """The reference levels of columns of words, which have no 0/1 column: `town=Rome`."""
        words = [c for c in self.columns if isinstance(c, Words) and c.features != [c.name]]
        return [c.feature(c.reference) for c in words if c.reference is not None]

    def apply_labelled(self, source: Any, **reading: Any) -> tuple[Any, NDArray[Any]]:
        """Rows and labels of files, or of a data frame, that have these columns and the target."""
        from rosenblatt.data.again import parts_like

        X, y = [], []
        for part in parts_like(source, self, labelled=True, **reading):
            X.append(self.rows(part))
            y.append(self.labels(part))
        labels = np.concatenate(y) if y else np.empty(0)
        return below(X, len(self.feature_names)), labels

    @property
    def number_places(self) -> list[int]:
        """The columns of X that are numbers, not 0/1 for words."""
        of = [c for c in self.columns for _ in c.features]
        return [j for j, column in enumerate(of) if isinstance(column, Number)]

    @cached_property
    def _to_finish(self) -> list[tuple[int, Number]]:
        """The columns of X that are filled or scaled: of wide tables there are few rows at a time,
        and most columns need neither."""
        numbers = [column for column in self.columns if isinstance(column, Number)]
        pairs = zip(self.number_places, numbers, strict=True)
        return [(j, c) for j, c in pairs if c.fill is not None or not c.as_it_is]

    def finish(self, X: Rows) -> None:
        """Fill and scale rows that were encoded with gaps."""
        for j, column in self._to_finish:
            if column.fill is not None:
                X[np.isnan(X[:, j]), j] = column.fill
            if not column.as_it_is:
                column.finish(X[:, j])

    def with_scales(self, fills: Any, centers: Any, scales: Any) -> Encoding:
        """The same with these numbers for the columns of numbers, in their order."""
        given = iter(zip(fills, centers, scales, strict=True))

        def new(column: Number | Words | Prose) -> Number | Words | Prose:
            if not isinstance(column, Number):
                return column
            fill, center, scale = next(given)
            return replace(column, fill=fill, center=center, scale=scale)

        return replace(self, columns=tuple(new(column) for column in self.columns))

    def with_seen(self, X: Any, made_by: Encoding) -> Encoding:
        """The same that notes the least and the greatest number of each column in these rows, which
        another encoding of the same columns made with gaps, and whether all are whole."""
        numbers = head(made_by, X)[:, made_by.number_places]
        columns: list[Number | Words | Prose] = []
        place = 0
        for column in self.columns:
            if not isinstance(column, Number):
                columns.append(column)
                continue
            values = numbers[:, place]
            values = values[~np.isnan(values)]
            place += 1
            if len(values):
                whole = bool((values == np.round(values)).all())
                seen = Seen(float(values.min()), float(values.max()), whole)
                columns.append(replace(column, seen=seen))
            else:
                columns.append(column)
        return replace(self, columns=tuple(columns))

    def filling(self, names: Collection[str]) -> Encoding:
        """The same that fills gaps in these columns of numbers only: what is said of a table names
        what was done to it, not what would have been."""

        def new(column: Number | Words | Prose) -> Number | Words | Prose:
            if isinstance(column, Number) and column.name not in names:
                return replace(column, fill=None)
            return column

        return replace(self, columns=tuple(new(column) for column in self.columns))

    def to_dict(self) -> dict[str, Any]:
        """Text, numbers, lists and dicts only; a float's repr is exact."""
        from rosenblatt.data import encoding_json

        return encoding_json.write(self)

    @classmethod
    def from_dict(cls, document: Any) -> Encoding:
        """What `to_dict` gave. Raises InputError for anything else."""
        from rosenblatt.data import encoding_json

        return encoding_json.read(document)
