"""Columns of a table as features: numbers, shifted and scaled; words, as columns of 0 and 1.

With an intercept a column for every word would say one thing twice: they add up to 1. The reference
level has none, and a weight is what a word adds compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt.data.batch import TRUTH, Batch, Kind
from rosenblatt.data.dates import Days
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

Rows = NDArray[np.float64]


class Seen(NamedTuple):
    low: float
    high: float
    whole: bool  # all of them are whole numbers


def seen_in(values: Rows) -> Seen | None:
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    return Seen(float(values.min()), float(values.max()), bool((values == np.round(values)).all()))


@dataclass(frozen=True)
class Number:
    """(x - center) / scale; `fill` stands for missing values, None: they are refused. `measure`
    says what is counted, of columns that hold no numbers themselves."""

    name: str
    fill: float | None = None
    center: float = 0.0
    scale: float = 1.0
    measure: str = ""
    seen: Seen | None = None  # None: that was not noted

    kind = Kind.NUMBER

    @property
    def features(self) -> list[str]:
        return [f"{self.name} ({self.measure})" if self.measure else self.name]

    @property
    def as_it_is(self) -> bool:
        return self.center == 0.0 and self.scale == 1.0

    def filled(self, batch: Batch, numbers: Rows) -> Rows:
        wild = np.isinf(numbers)
        if wild.any():
            row = int(wild.argmax())
            raise batch.place(row).error(
                f"column {self.name!r} holds {numbers[row]}: numbers must be finite, and at most "
                "1.8e308 in size.",
                column=self.name,
            )
        none = np.isnan(numbers)
        if self.fill is None:
            way = f", or train with {option('impute', 'mean')}"
            raise no_value(batch, none, self.name, way)
        return np.where(none, self.fill, numbers)

    def finish(self, out: Rows) -> None:
        if self.center != 0.0:
            out -= self.center
        if self.scale != 1.0:
            out /= self.scale


def measured(column: Any, reading: Reading) -> Any:
    style = reading.styles.get(column.name)
    if isinstance(column, Number) and isinstance(style, Days):
        return replace(column, measure=style.words)
    return column


def write_numbers(columns: list[Number], batch: Batch, out: Rows, seen: bool) -> None:
    """Columns that stand side by side."""
    for begin, rows in batch.matrix([column.name for column in columns]):
        out[begin : begin + len(rows)] = rows
    if not seen and not _finite(out):
        for j, column in enumerate(columns):
            if not _finite(out[:, j]):
                out[:, j] = column.filled(batch, out[:, j])
    for j, column in enumerate(columns):
        if not column.as_it_is:
            column.finish(out[:, j])


def _finite(numbers: Rows) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # the sum may be too large
        return bool(np.isfinite(numbers.sum())) or bool(np.isfinite(numbers).all())


# --- Words ----------------------------------------------------------------------------------------

MISSING, OTHER = "(missing)", "(other)"
FALSE = "False"
_UNSEEN, _GAP = -1, -2  # instead of a place: a word that is not known, no word at all


def most_frequent(counts: Mapping[str, int], *, missing: bool) -> str | None:
    """The reference level: the word of the most rows, of several the first; None if there is
    nothing to compare it with, neither other words nor missing values.

    It is the one least likely to have rows of one label only, which would make the weights of all
    other words infinite instead of its own. Missing values are no reference.
    """
    if len(counts) + missing < 2:
        return None
    words = [word for word in counts if word != MISSING]
    return min(words, key=lambda word: (-counts[word], word), default=None)


@dataclass(frozen=True)
class Words:
    """A 0/1 column for each word but the reference; `pooled`: one for all words but these."""

    name: str
    words: tuple[str, ...]  # sorted; a missing value can count as a word, the last
    missing: bool = False
    boolean: bool = False
    reference: str | None = None  # None: every word has a column
    pooled: bool = False

    @property
    def kind(self) -> Kind:
        return Kind.BOOLEAN if self.boolean else Kind.TEXT

    @property
    def values(self) -> list[str]:
        rest = [OTHER] * self.pooled + [MISSING] * self.missing
        return [*self.words, *rest]

    @property
    def levels(self) -> list[str]:
        return [value for value in self.values if value != self.reference]

    @property
    def features(self) -> list[str]:
        if self.boolean and not self.missing:
            return [self.name]
        return [self.feature(value) for value in self.levels]

    def feature(self, value: str) -> str:
        return f"{self.name}={value}"

    def value_of(self, numbers: NDArray[np.float64]) -> str | None:
        return self.levels[int(numbers.argmax())] if numbers.any() else self.reference

    def write(self, batch: Batch, out: NDArray[np.float64], on_unseen: str) -> None:
        places, codes, words = self._places(batch)
        if len(places) and places.min() < 0:
            self._refuse(batch, codes, words, places, on_unseen)
        out[:] = 0.0
        with_column = np.flatnonzero((places >= 0) & (places < out.shape[1]))
        out[with_column, places[with_column]] = 1.0

    def unseen(self, batch: Batch) -> dict[int, str]:
        places, codes, words = self._places(batch)
        return {int(i): str(words[codes[i]]) for i in np.flatnonzero(places == _UNSEEN)}

    def _places(
        self, batch: Batch
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str | None]]:
        """The column of each row (the reference's is behind the last), codes, and their words."""
        codes, words = batch.words(self.name)
        column = {value: j for j, value in enumerate(self.levels)}
        if self.reference is not None:
            column[self.reference] = len(column)
        other = column[OTHER] if self.pooled else _UNSEEN
        to = [column.get(self._spelled(word), other) for word in words]
        none = column[MISSING] if self.missing else _GAP
        return np.array([*to, none])[codes], codes, words  # code -1, missing, is the last

    def _spelled(self, word: str | None) -> str:
        return str(TRUTH[word]) if self.boolean and word in TRUTH else str(word)

    def _refuse(
        self,
        batch: Batch,
        codes: NDArray[np.int64],
        words: list[str | None],
        places: NDArray[np.int64],
        on_unseen: str,
    ) -> None:
        if (places == _GAP).any():
            way = (
                f" with one of its words; or train with {option('impute', 'mean')} on rows that "
                "lack it, so that '(missing)' is one"
            )
            raise no_value(batch, places == _GAP, self.name, way)
        if on_unseen == "error":
            row = int((places < 0).argmax())
            known = ", ".join(repr(value) for value in self.values[:10])
            more = f" and {len(self.values) - 10} more" if len(self.values) > 10 else ""
            raise batch.place(row).error(
                f"column {self.name!r} holds {words[codes[row]]!r}, which did not occur in "
                f"training. Known are {known}{more}. Correct it, or let such values count as "
                f"{self.counts_as}: {option('on_unseen', 'reference')}.",
                column=self.name,
            )

    @property
    def counts_as(self) -> str:
        """What a word is taken for whose columns are all 0."""
        if self.reference is None:
            return "none of the known words"
        return f"{self.reference!r}, the reference level"


def no_value(batch: Batch, none: Any, name: str, way: str) -> InputError:
    return batch.place(int(none.argmax())).error(
        f"column {name!r}: the value is missing, and training did not learn how to fill it. "
        f"Fill it in{way}.",
        column=name,
    )
