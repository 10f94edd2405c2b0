"""What was seen in a column, and what stands against learning from it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt._util.spelling import option
from rosenblatt._util.text import many
from rosenblatt.data.bag_of_words import is_like_prose
from rosenblatt.data.batch import TRUTH, Batch, Kind, Place
from rosenblatt.data.dates import SHORT, formats_of
from rosenblatt.data.features import FALSE, OTHER, Number, Words, most_frequent
from rosenblatt.data.identifiers import ROUNDED, Candidate

_FEW = 256  # words that a column of text may have whatever they are: each becomes a column
_MOST, _EACH = 1_000, 20  # and if each has so many rows on average
_COUNTED, _COUNTED_TO_POOL = 10_000, 1 << 20  # more words than that are not counted
_POOLED = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)  # rows of a word, that are tried
_SHOWN, _LONGEST = 5, 40  # values in a message, and characters of one
_DAY, _YEAR = r"(0?[1-9]|[12]\d|3[01])", r"\d{4}"
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*(Z|[-+]\d{2}:?\d{2})?"
_DATE = re.compile(rf"({_YEAR}([-/.]){_DAY}\2{_DAY}|{_DAY}([-/.]){_DAY}\6{_YEAR})([T ]{_CLOCK})?")


@dataclass
class Column:
    """A column as it was seen, batch by batch."""

    name: str
    read_as: Kind  # numbers or text: booleans are text until all of it is seen
    # how many rows have each word, or each number of a target; not all rows if there are too many
    words: dict[Any, int] = field(default_factory=dict)
    too_many: bool = False  # more words than are counted
    missing: int = 0
    first_missing: Place | None = None
    infinite: tuple[Place, float] | None = None
    range: tuple[float, float] | None = None  # of numbers: the least and the greatest
    candidate: Candidate = field(default_factory=Candidate)  # for an identifier
    categorical: bool = False  # somebody said so, or its type does
    prose: bool = False  # somebody said so: its words are looked at later
    least: int = 1  # rows of a word: rarer ones are pooled

    @property
    def kind(self) -> Kind:
        if self.prose:
            return Kind.PROSE
        if self.read_as is Kind.TEXT and self.words and self.words.keys() <= TRUTH.keys():
            return Kind.BOOLEAN
        return self.read_as

    def see(self, batch: Batch, *, label: bool = False) -> None:
        if self.read_as is Kind.TEXT:
            self._see_text(batch)
        else:
            self._see_numbers(batch, label)

    def _see_text(self, batch: Batch) -> None:
        codes, words = batch.words(self.name)
        if len(codes) and codes.min() < 0:
            self._note_missing(batch, codes < 0)
        if not self.too_many and not self.prose:
            counts = np.bincount(codes[codes >= 0], minlength=len(words)).tolist()
            self._count(zip(words, counts, strict=True))

    def _see_numbers(self, batch: Batch, label: bool) -> None:
        numbers = batch.numbers(self.name)
        if not len(numbers):
            return
        if not math.isfinite(np.add.reduce(numbers)):  # or the sum is too large
            if (none := np.isnan(numbers)).any():
                self._note_missing(batch, none)
            if self.infinite is None and (wild := np.isinf(numbers)).any():
                row = int(wild.argmax())
                self.infinite = batch.place(row), float(numbers[row])
        least, greatest = np.fmin.reduce(numbers), np.fmax.reduce(numbers)  # NaN where all are
        if least == least:
            low, high = self.range or (least, greatest)
            self.range = min(low, float(least)), max(high, float(greatest))
        if not label:
            self.candidate.see(numbers, least)
        elif not self.too_many:
            values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
            self._count(zip(values.tolist(), counts.tolist(), strict=True))

    def _count(self, counted: Iterable[tuple[Any, int]]) -> None:
        for word, count in counted:
            if word is not None and count:
                self.words[word] = self.words.get(word, 0) + count
        self.too_many = len(self.words) > (_COUNTED if self.least == 1 else _COUNTED_TO_POOL)

    def _note_missing(self, batch: Batch, none: Any) -> None:
        self.missing += int(none.sum())
        if self.first_missing is None:
            self.first_missing = batch.place(int(none.argmax()))

    @property
    def values(self) -> list[Any]:
        """The different values, sorted: true and True are one."""
        if self.kind is Kind.BOOLEAN:
            return sorted({str(TRUTH[word]) for word in self.words})
        return sorted(self.words)

    @property
    def kept(self) -> tuple[str, ...]:
        """The words of text that are not pooled."""
        if self.least == 1:
            return tuple(sorted(self.words))
        frequent = (word for word, count in self.words.items() if count >= self.least)
        return tuple(sorted(word for word in frequent if word != OTHER))

    @property
    def reference(self) -> str | None:
        """The word of text without a column of its own, see `most_frequent`."""
        counts: dict[str, int] = {}
        kept = set(self.kept)
        for word, count in self.words.items():
            value = word if word in kept else OTHER
            if self.kind is Kind.BOOLEAN:
                value = str(TRUTH[word])
            counts[value] = counts.get(value, 0) + count
        return most_frequent(counts, missing=self.missing > 0)

    @property
    def beyond(self) -> bool:
        """Some number is so large that floats are no longer all whole numbers."""
        return self.range is not None and max(map(abs, self.range)) >= ROUNDED

    @property
    def counted(self) -> str:
        return f"more than {_COUNTED:,}" if self.too_many else f"{len(self.values):,}"

    def some_words(self) -> str:
        values = self.values
        most = _SHOWN if len(values) > _SHOWN + 1 else len(values)  # "and 1 more" is no shorter
        first = [_shown(value) for value in values[:most]]
        rest = len(values) - len(first)
        return ", ".join(first) + (f" and {rest:,} more" if rest else "")


@np.errstate(over="ignore", invalid="ignore")  # sums; once a batch, since it takes its time
def see(columns: dict[str, Column], batch: Batch, target: str | None) -> None:
    for name, column in columns.items():
        column.see(batch, label=name == target)


def _shown(value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return repr(value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…")


def encoded(column: Column) -> Number | Words:
    if column.kind is Kind.NUMBER:
        return Number(column.name)
    missing = column.missing > 0
    if column.kind is not Kind.BOOLEAN:
        kept, reference = column.kept, column.reference
        pooled = len(kept) < len(column.words)
        return Words(column.name, kept, missing, reference=reference, pooled=pooled)
    reference = column.reference if missing else FALSE
    return Words(column.name, (FALSE, "True"), missing, boolean=True, reference=reference)


def leave_out(name: str) -> str:
    return f"leave the column out: {option('ignore', name)}"


def problems_of_column(column: Column, rows: int) -> Iterator[str]:
    if not column.name:
        yield (
            "A column has no name: perhaps the row numbers that a program wrote with the table. "
            f"Give it a name, or {leave_out('')}."
        )
    if column.missing == rows > 0:
        yield f"The column {column.name!r} holds no value at all. So {leave_out(column.name)}."
    if column.infinite:
        place, value = column.infinite
        yield (
            f"{place}, column {column.name!r} holds {value}: numbers must be finite, and at most "
            "1.8e308 in size."
        )


def how_to_fill(column: Column) -> str:
    if column.kind is Kind.NUMBER:
        return f"Fill missing values in, or use {option('impute', 'mean')}, or median"
    return (
        f"It is {column.kind.value}: fill missing values in with a word, or use "
        f"{option('impute', 'median')}, which makes '(missing)' a category of its own"
    )


def too_many_words(column: Column, rows: int) -> str:
    return (
        f"The column {column.name!r} is text with {column.counted} different values in "
        f"{many(rows, 'row')}, as {column.some_words()}: with a 0/1 column for each (one-hot "
        f"encoding), a rule would memorise single rows. {_perhaps(column, rows)}; or "
        f"{leave_out(column.name)}."
    )


_LIKE_A_DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}\D")


def _perhaps(column: Column, rows: int) -> str:
    if all(map(_LIKE_A_DATE.match, column.words)):
        typed = option("date", f"{column.name}=%d/%m/%Y %H:%M")
        return f"If they are dates, say how they are written, as in {typed}"
    if is_like_prose(column.words):
        typed = option("text", column.name)
        return f"It looks like sentences: to learn from the words in them, use {typed}"
    if formats := formats_of(column.words, SHORT):
        return f"If they are dates, use {_as_dates(column, formats)}"
    if least_and_kept := pooling(column, rows):
        least, kept = least_and_kept
        return (
            f"Pool its rare values: {option('min_count', least)} leaves {many(kept, 'value')}, and "
            f"{OTHER!r} for all with fewer rows"
        )
    return "Is it an identifier? Group its values"


def _as_dates(column: Column, formats: Iterable[str]) -> str:
    return " or ".join(option("date", f"{column.name}={form}") for form in formats)


def dates(column: Column) -> str | None:
    """Words that are all dates: neither numbers nor words to tell rows apart by."""
    if column.kind is not Kind.TEXT or not column.words or column.categorical:
        return None
    if not all(_DATE.fullmatch(word) for word in column.words):
        return None
    ways = _as_dates(column, formats_of(column.words) or ["%d/%m/%Y"])
    return (
        f"The column {column.name!r} holds dates, as {column.some_words()}, and it is not clear "
        f"which day is meant. Say how they are written, {ways}, and they count as days or seconds "
        f"since the first; or {leave_out(column.name)}."
    )


def is_like_an_id(column: Column, rows: int) -> bool:
    return column.kind is Kind.TEXT and _too_many(len(column.kept), rows, column.missing)


def _too_many(different: int, rows: int, missing: int) -> bool:
    return (
        different > _MOST
        or (different > _FEW and different * _EACH > rows)
        or (different > 10 and 2 * different > rows)
        or (different == rows - missing and different > 2)
    )


def pooling(column: Column, rows: int) -> tuple[int, int] | None:
    """The least rows of a word, and the words that then are left, so that they are not too many
    and have half of all rows; None if there is no such number."""
    for least in _POOLED if column.kind is Kind.TEXT and not column.too_many else ():
        kept = [count for count in column.words.values() if count >= least]
        if kept and 2 * sum(kept) >= rows and not _too_many(len(kept), rows, column.missing):
            return least, len(kept)
    return None
