"""From columns to numbers, recorded: the same rows become the same numbers, today and later.

Numbers stay as they are, or are scaled; booleans become 0 and 1; text becomes a 0/1 column for each
of its words (one column where it has two). What was done is an Encoding, which can be written down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.how import Reading
from rosenblatt.data.labels import Target
from rosenblatt.data.part import TRUTH, Kind, Part
from rosenblatt.errors import InputError

Rows = NDArray[np.float64]
MISSING = "(missing)"
UNSEEN = ("refuse", "zero")


@dataclass(frozen=True)
class Number:
    """(x - center) / scale; `fill` stands for missing values, None: they are refused."""

    name: str
    fill: float | None = None
    center: float = 0.0
    scale: float = 1.0

    kind = Kind.NUMBER

    @property
    def features(self) -> list[str]:
        return [self.name]

    @property
    def as_it_is(self) -> bool:
        """Neither shifted nor scaled."""
        return self.center == 0.0 and self.scale == 1.0

    def filled(self, part: Part, numbers: Rows) -> Rows:
        """The numbers of a part; of a table that was not looked through before."""
        wild = np.isinf(numbers)
        if wild.any():
            row = int(wild.argmax())
            raise InputError(
                f"{part.place(row)}, column {self.name!r} holds {numbers[row]}: numbers must be "
                "finite, and at most 1.8e308 in size."
            )
        none = np.isnan(numbers)
        if self.fill is None:
            raise InputError(
                f"{_missing(part, none, self.name)}, or train with impute='mean' (--impute mean)."
            )
        return np.where(none, self.fill, numbers)

    def finish(self, out: Rows) -> None:
        if self.center != 0.0:
            out -= self.center
        if self.scale != 1.0:
            out /= self.scale


@dataclass(frozen=True)
class Words:
    """A 0/1 column for each word; for two words one column, that of the second."""

    name: str
    words: tuple[str, ...]  # sorted; a missing value can count as a word, the last
    missing: bool = False
    boolean: bool = False

    @property
    def kind(self) -> Kind:
        return Kind.BOOLEAN if self.boolean else Kind.TEXT

    @property
    def values(self) -> list[str]:
        return [*self.words, *([MISSING] if self.missing else [])]

    @property
    def features(self) -> list[str]:
        if self.boolean and not self.missing:
            return [self.name]
        named = [f"{self.name}={value}" for value in self.values]
        return named[1:] if len(named) == 2 else named

    def write(self, part: Part, out: Rows, unseen: str) -> None:
        codes, words = part.words(self.name)
        column = {value: j for j, value in enumerate(self.values)}
        to = [column.get(self._spelled(word), -1) for word in words]
        none = column[MISSING] if self.missing else -2
        places = np.array([*to, none])[codes]  # code -1, missing, is the last
        if len(places) and places.min() < 0:
            self._refuse(part, codes, words, places, unseen)
        if len(self.values) == 2:
            out[:, 0] = places == 1
        else:
            out[:] = 0.0
            known = np.flatnonzero(places >= 0)
            out[known, places[known]] = 1.0

    def _spelled(self, word: str | None) -> str:
        return str(TRUTH[word]) if self.boolean and word in TRUTH else str(word)

    def _refuse(
        self,
        part: Part,
        codes: NDArray[np.int64],
        words: list[str | None],
        places: NDArray[np.int64],
        unseen: str,
    ) -> None:
        if (places == -2).any():
            raise InputError(
                f"{_missing(part, places == -2, self.name)} with one of its words, or train with "
                "rows that lack it, too, so that '(missing)' is one (--impute mean)."
            )
        if unseen == "refuse":
            row = int((places < 0).argmax())
            known = ", ".join(repr(value) for value in self.values[:10])
            more = f" and {len(self.values) - 10} more" if len(self.values) > 10 else ""
            raise InputError(
                f"{part.place(row)}, column {self.name!r} holds {words[codes[row]]!r}, which did "
                f"not occur in training: it was one of {known}{more}. Correct it, or let such "
                "values count as none of these: unseen='zero' (--unseen zero)."
            )


def _write_numbers(columns: list[Number], part: Part, out: Rows, seen: bool) -> None:
    """Columns that stand side by side."""
    for begin, rows in part.matrix([column.name for column in columns]):
        out[begin : begin + len(rows)] = rows
    if not seen and not _finite(out):
        for j, column in enumerate(columns):
            if not _finite(out[:, j]):
                out[:, j] = column.filled(part, out[:, j])
    for j, column in enumerate(columns):
        if not column.as_it_is:
            column.finish(out[:, j])


def _finite(numbers: Rows) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # the sum may be too large
        return bool(np.isfinite(numbers.sum())) or bool(np.isfinite(numbers).all())


def _missing(part: Part, none: Any, name: str) -> str:
    return (
        f"{part.place(int(none.argmax()))}, column {name!r}: the value is missing, and the "
        "encoding does not say what to put there. Fill it in"
    )


@final
@dataclass(frozen=True)
class Encoding:
    """What was done to a table, so that it can be done again.

    `feature_names` are the names of the columns of X; `to_dict` and `from_dict` write it down and
    read it again.
    """

    columns: tuple[Number | Words, ...]
    target: Target | None = None
    reading: Reading = field(
        default_factory=Reading
    )  # how tables are read, unless one is told otherwise

    @property
    def feature_names(self) -> list[str]:
        return [name for column in self.columns for name in column.features]

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
    ) -> Rows:
        """The rows of one part of a table. Each row is encoded by itself: any division into parts
        gives the same numbers. `seen`: the table was looked through, and its gaps may stay."""
        out = np.empty((part.rows, len(self.feature_names))) if out is None else out
        begin = 0
        for numbers, side_by_side in groupby(self.columns, lambda c: isinstance(c, Number)):
            columns: list[Any] = list(side_by_side)
            if numbers:
                end = begin + len(columns)
                _write_numbers(columns, part, out[:, begin:end], seen)
                begin = end
                continue
            for column in columns:
                end = begin + len(column.features)
                column.write(part, out[:, begin:end], unseen)
                begin = end
        return out

    def labels(self, part: Part) -> NDArray[Any]:
        """The labels of one part of a table."""
        if self.target is None:
            raise InputError("The encoding has no target.")
        return self.target.labels(part)

    def parts(
        self, source: Any, *, unseen: str = "refuse", **reading: Any
    ) -> Iterator[tuple[Part, Rows]]:
        """New rows, part by part: those of files, or of a data frame, that have these columns.

        They are read as the first table was. `reading` is `charset`, `header` and `missing`, as in
        `read`, where that is not so.
        """
        from rosenblatt._inputs import validate
        from rosenblatt.data.reading import parts_like

        validate.one_of("unseen", unseen, UNSEEN)
        for part in parts_like(source, self, labelled=False, **reading):
            yield part, self.rows(part, unseen=unseen)

    def apply(self, source: Any, *, unseen: str = "refuse", **reading: Any) -> Rows:
        """New rows as numbers: those of files, or of a data frame, that have these columns.

        unseen : "refuse" or "zero"
            What a word does that did not occur in training: raise an error, or count as no word.
        """
        found = [rows for _, rows in self.parts(source, unseen=unseen, **reading)]
        return np.concatenate(found) if found else np.empty((0, len(self.feature_names)))

    def apply_labelled(self, source: Any, **reading: Any) -> tuple[Rows, NDArray[Any]]:
        """Rows and labels of files, or of a data frame, that have these columns and the target."""
        from rosenblatt.data.reading import parts_like

        X, y = [], []
        for part in parts_like(source, self, labelled=True, **reading):
            X.append(self.rows(part))
            y.append(self.labels(part))
        if not X:
            return np.empty((0, len(self.feature_names))), np.empty(0)
        return np.concatenate(X), np.concatenate(y)

    @property
    def number_places(self) -> list[int]:
        """The columns of X that are numbers, not 0/1 for words."""
        of = [c for c in self.columns for _ in c.features]
        return [j for j, column in enumerate(of) if isinstance(column, Number)]

    def finish(self, X: Rows) -> None:
        """Fill and scale rows that were encoded with gaps."""
        numbers = [column for column in self.columns if isinstance(column, Number)]
        for j, column in zip(self.number_places, numbers, strict=True):
            if column.fill is not None:
                X[np.isnan(X[:, j]), j] = column.fill
            if not column.as_it_is:
                column.finish(X[:, j])

    def with_scales(self, fills: Any, centers: Any, scales: Any) -> Encoding:
        """The same with these numbers for the columns of numbers, in their order."""
        given = iter(zip(fills, centers, scales, strict=True))

        def new(column: Number | Words) -> Number | Words:
            if isinstance(column, Words):
                return column
            fill, center, scale = next(given)
            return replace(column, fill=fill, center=center, scale=scale)

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
