"""The target: two labels or more, or one against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.column import Column, same_label
from rosenblatt.data.part import TRUTH, Kind, Part
from rosenblatt.errors import InputError

Label = str | int | float | bool


@dataclass(frozen=True)
class Target:
    """The column of labels: `values` are all of it; one of more than two may be `positive`."""

    name: str
    kind: Kind
    values: tuple[Label, ...]
    positive: Label | None = None  # this one against the rest

    @classmethod
    def of(cls, column: Column, positive: Any) -> Target:
        values = _values(column)
        if positive is None:
            return cls(column.name, column.kind, values)
        chosen = next(v for v in values if same_label(positive, _as_seen(v)))
        return cls(column.name, column.kind, values, chosen if len(values) > 2 else None)

    @property
    def classes(self) -> list[Label]:
        """The labels of rows, in the order in which scikit-learn has them."""
        if self.positive is None:
            return sorted(self.values)
        return sorted([self._rest, str(self.positive)])

    @property
    def _rest(self) -> str:
        """The label of all others; it sorts first, so that the one chosen is +1."""
        return f"(not {self.positive})"

    def labels(self, part: Part) -> NDArray[Any]:
        if self.kind is Kind.NUMBER:
            return self._of_numbers(part)
        codes, words = part.words(self.name)
        known: dict[Any, Label] = {_as_seen(value): value for value in self.values}
        values = [
            known.get(str(TRUTH[w]) if self.kind is Kind.BOOLEAN and w in TRUTH else w)
            for w in words
        ]
        valid = np.array([value is not None for value in [*values, None]])[codes]
        if not valid.all():
            row = int((~valid).argmax())
            self._refuse(part, row, words[codes[row]] if codes[row] >= 0 else None)
        return self._named(values, codes)

    def named(self, numbers: NDArray[np.float64]) -> NDArray[Any]:
        """Labels for numbers that are all among the values."""
        return self._named(list(self.values), np.searchsorted(self.values, numbers))

    def _of_numbers(self, part: Part) -> NDArray[Any]:
        numbers = part.numbers(self.name)
        places = np.minimum(np.searchsorted(self.values, numbers), len(self.values) - 1)
        valid = np.asarray(self.values, dtype=np.float64)[places] == numbers
        if not valid.all():
            row = int((~valid).argmax())
            self._refuse(part, row, None if np.isnan(numbers[row]) else float(numbers[row]))
        return self._named(list(self.values), places)

    def _named(self, values: list[Any], codes: NDArray[Any]) -> NDArray[Any]:
        if self.positive is not None:
            values = [str(self.positive) if v == self.positive else self._rest for v in values]
        elif self.kind is Kind.TEXT:
            values = ["" if v is None else v for v in values]
        else:
            values = [self.values[0] if v is None else v for v in values]
        return np.array(values)[codes] if len(codes) else np.array(self.classes)[:0]

    def _refuse(self, part: Part, row: int, value: Any) -> None:
        what = "has no label" if value is None else f"has the label {value!r}"
        known = ", ".join(repr(v) for v in self.values[:10])
        raise InputError(f"{part.place(row)}, target {self.name!r} {what}: it must be {known}.")


def _values(column: Column) -> tuple[Label, ...]:
    """The labels that occur: text, booleans, whole numbers where all are whole, or numbers."""
    if column.kind is Kind.BOOLEAN:
        return tuple(sorted({TRUTH[word] for word in column.words}))
    values = sorted(column.words)
    if column.kind is Kind.NUMBER and all(v.is_integer() and abs(v) < 2**53 for v in values):
        return tuple(int(v) for v in values)
    return tuple(values)


def _as_seen(value: Label) -> str | float:
    return str(value) if isinstance(value, (str, bool)) else float(value)
