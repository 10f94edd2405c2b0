"""The target: two labels or more, or some against the rest."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import either, option
from rosenblatt._util.text import listed, many
from rosenblatt.data.batch import TRUTH, Batch, Kind, same_label
from rosenblatt.data.column import Column
from rosenblatt.data.formatted_numbers import MISSING_LIKE
from rosenblatt.data.options import given_labels
from rosenblatt.errors import InputError

FIFTHS = 5  # parts of the rows: three train, one chooses, one tests

MOST_LABELS = 100  # of a target, where none is chosen
_MAY_BE_LABELS = {"none", "(none)", "nil", "nd", "unknown", "unk", "not applicable"}


@final
@dataclass(frozen=True)
class Target:
    """The column of labels: `values` are all of it, and some may be `positive`; there are none of
    numbers that fulfil a condition, or do not."""

    name: str
    kind: Kind
    values: tuple[Label, ...]
    positive: Positive | None = None  # these against the rest

    @classmethod
    def of(cls, column: Column, positive: Any) -> Target:
        values, positives = _values(column), given_labels(positive)
        if not positives:
            return cls(column.name, column.kind, values)
        chosen = choose(positives, column.kind, column.words, column.name)
        if isinstance(chosen, Condition):
            return cls(column.name, column.kind, (), chosen)
        of = tuple(v for v in values if _as_seen(v) in {_spelled(word) for word in chosen})
        # The second of two labels is the positive one anyway, and keeps the other's name.
        target = cls(column.name, column.kind, values, None if of == values[1:] else of)
        if target.positive is not None and target._chosen < target.rest:
            raise InputError(
                f"{option('positive', positives[0])}: a label that begins with "
                f"{target._chosen[:1]!r} comes before all others, and so cannot be the positive "
                "one. Give it another name.",
                option="positive",
                value=positives[0],
            )
        return target

    @property
    def classes(self) -> list[Label]:
        """The labels of rows, in the order in which scikit-learn has them."""
        if self.positive is None:
            return sorted(self.values)
        return sorted([self.rest, self._chosen])  # the one in brackets is first, and so -1

    @property
    def _chosen(self) -> str:
        if isinstance(self.positive, Condition):
            return str(self.positive)
        assert self.positive is not None
        return " or ".join(map(str, self.positive))

    @property
    def rest(self) -> str:
        """In brackets, which come before letters and digits: of two labels the first one is -1."""
        chosen = self.positive if isinstance(self.positive, tuple) else ()
        others = [value for value in self.values if value not in chosen]
        return f"({others[0]})" if len(others) == 1 else f"(not {self._chosen})"

    def labels(self, batch: Batch) -> NDArray[Any]:
        if self.kind is Kind.NUMBER:
            return self._of_numbers(batch)
        codes, words = batch.words(self.name)
        known: dict[Any, Label] = {_as_seen(value): value for value in self.values}
        values = [
            known.get(str(TRUTH[w]) if self.kind is Kind.BOOLEAN and w in TRUTH else w)
            for w in words
        ]
        valid = np.array([value is not None for value in [*values, None]])[codes]
        if not valid.all():
            row = int((~valid).argmax())
            self._refuse(batch, row, words[codes[row]] if codes[row] >= 0 else None)
        return self._named(values, codes)

    def named(self, numbers: NDArray[np.float64]) -> NDArray[Any]:
        """Labels for numbers that are all among the values."""
        if isinstance(self.positive, Condition):
            return np.array(self.classes)[self.positive.holds(numbers).astype(np.intp)]
        return self._named(list(self.values), np.searchsorted(self.values, numbers))

    def _of_numbers(self, batch: Batch) -> NDArray[Any]:
        numbers = batch.numbers(self.name)
        if isinstance(self.positive, Condition):
            valid = ~np.isnan(numbers)
        else:
            places = np.minimum(np.searchsorted(self.values, numbers), len(self.values) - 1)
            valid = np.asarray(self.values, dtype=np.float64)[places] == numbers
        if not valid.all():
            row = int((~valid).argmax())
            self._refuse(batch, row, None if np.isnan(numbers[row]) else float(numbers[row]))
        return self.named(numbers)

    def _named(self, values: list[Any], codes: NDArray[Any]) -> NDArray[Any]:
        if self.positive is not None:
            assert not isinstance(self.positive, Condition)
            values = [self._chosen if v in self.positive else self.rest for v in values]
        elif self.kind is Kind.TEXT:
            values = ["" if v is None else v for v in values]
        else:
            values = [self.values[0] if v is None else v for v in values]
        return np.array(values)[codes] if len(codes) else np.array(self.classes)[:0]

    def _refuse(self, batch: Batch, row: int, value: Any) -> None:
        what = "has no label" if value is None else f"has the label {value!r}"
        known = ", ".join(repr(v) for v in self.values[:10]) or "a number"
        raise batch.place(row).error(f"target {self.name!r} {what}: it must be {known}.")


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


def _spelled(word: Any) -> Any:
    return str(TRUTH[word]) if isinstance(word, str) and word in TRUTH else word


def problems_of_target(target: Column, rows: int, positive: Any) -> Iterator[str]:
    if target.missing:
        yield (
            f"{target.first_missing}, target {target.name!r}: the label is missing, as in "
            f"{many(target.missing, 'row')} of {rows:,}. To leave out rows that have none, use "
            f"{option('drop_unlabelled', True)}."
        )
    if target.infinite:
        yield f"{target.infinite[0]}, target {target.name!r} holds {target.infinite[1]}."
    labels = target.some_words()
    if positives := given_labels(positive):
        try:
            choose(positives, target.kind, target.words, target.name)
        except InputError as error:
            yield str(error)
            return
    if len(target.values) == 1:
        yield (
            f"The target {target.name!r} is {labels} in every row: there is nothing to predict. "
            "Two different labels are needed."
        )
    elif not positives and are_no_labels(target, rows):
        yield (
            f"The target {target.name!r} has {target.counted} different values: {labels}. "
            f"{_how_to_choose(target)}"
        )


def are_no_labels(target: Column, rows: int) -> bool:
    """More than two values, measured, one for each row, or standing for missing ones."""
    different = len(target.values)
    if different <= 2:
        return False
    fractions = target.kind is Kind.NUMBER and not all(float(v).is_integer() for v in target.words)
    many_ = different > MOST_LABELS or (different > 10 and 2 * different > rows)
    return fractions or many_ or bool(_for_missing(target))


def _for_missing(target: Column) -> list[Any]:
    """Labels that stand for a missing one, most likely."""
    return [w for w in target.words if str(w).casefold() in MISSING_LIKE - _MAY_BE_LABELS]


def _how_to_choose(target: Column) -> str:
    gap = ""
    if words := _for_missing(target):
        gap = (
            f"If {words[0]!r} stands for a missing label, leave out its rows: "
            f"{option('na_values', words[0])} and {option('drop_unlabelled', True)}; else give it "
            "another name. "
        )
    how = f"Choose labels to compare with all others: {option('positive', ...)}"
    how += either("", " (repeatable)")
    if target.kind is Kind.NUMBER:
        example = f">={_middle(target)}"
        how += f", or a condition like {option('positive', example)}"
    return f"{gap}{how}."


def _middle(target: Column) -> str:
    """A number that divides the rows about in halves."""
    before, half = 0, sum(target.words.values()) / 2
    for number in sorted(target.words):
        if before >= half:
            return f"{number:g}"
        before += target.words[number]
    return f"{max(target.words):g}"


# --- Which labels are the positive ones -----------------------------------------------------------

Label = str | int | float | bool
SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_CONDITION = re.compile(r"\s*(>=|<=|>|<|≥|≤)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
_NAMED = 5


@final
@dataclass(frozen=True)
class Condition:
    """Numbers on one side of another one: >=7."""

    sign: str
    number: float

    def holds(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = SIGNS[self.sign](numbers, self.number)
        return mask

    def __str__(self) -> str:
        whole = self.number.is_integer() and abs(self.number) < 2**53
        return f"{self.sign}{int(self.number) if whole else self.number!r}"


Positive = tuple[Label, ...] | Condition


def condition(text: Any) -> Condition | None:
    """What '>=7' says; None if it says nothing of the kind."""
    match = _CONDITION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    return Condition(match[1].replace("≥", ">=").replace("≤", "<="), float(match[2]))


def choose(labels: tuple[Any, ...], kind: Kind, words: Any, name: str) -> Positive:
    """The labels that are meant, among those that occur; a label that occurs is no condition."""
    unknown = [one for one in labels if not any(same_label(one, word) for word in words)]
    if unknown and kind is Kind.NUMBER and (side := condition(unknown[0])) is not None:
        if len(labels) > 1:
            raise InputError(
                f"{option('positive', list(labels))}: the condition {unknown[0]!r} cannot be "
                "combined with labels. Give the condition alone, or only labels.",
                option="positive",
                value=list(labels),
            )
        _check_both_sides(side, words, name)
        return side
    if unknown:
        of = listed([_shown(word) for word in sorted(words)], _NAMED)
        hint = ", or a condition like '>=7'" if kind is Kind.NUMBER else ""
        raise InputError(
            f"{option('positive', unknown[0])} is not one of the values of the target {name!r}: "
            f"{of}. Give "
            f"one or several of these{hint}.",
            option="positive",
            value=unknown[0],
        )
    chosen = tuple(word for word in words if any(same_label(one, word) for one in labels))
    if len(chosen) == len(words) > 1:
        raise InputError(
            f"{option('positive', list(labels))} are all values of the target {name!r}: leave at "
            "least one "
            "of them out.",
            option="positive",
            value=list(labels),
        )
    return chosen


def _check_both_sides(side: Condition, words: Any, name: str) -> None:
    numbers = np.array(list(words), dtype=np.float64)
    mask = side.holds(numbers)
    if mask.all() or not mask.any():
        which = "every row" if mask.all() else "no row"
        raise InputError(
            f"{option('positive', str(side))} holds for {which}: the target {name!r} goes from "
            f"{numbers.min():g} to {numbers.max():g}. Give another number."
        )


def _shown(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def too_rare(rows: Mapping[Any, int], k: int = FIFTHS, *, nested: bool = False) -> str | None:
    """Of a label that cannot be in every part: what to do. `nested`: without any one of k folds,
    the rows are divided into k folds again."""
    label = min(rows, key=rows.__getitem__)
    least = k + 2 if nested else k
    if rows[label] >= least:
        return None
    needed = f"each of the {k} parts that train, choose and test needs at least one"
    fewer = _or_fewer_labels(rows, label, least) if len(rows) > 2 else ""
    if nested:
        needed = f"with {k} folds, which are divided into {k} again, {k + 2} are needed"
        fewer = f", or take fewer folds{fewer}"
    return (
        f"Only {rows[label]} of {sum(rows.values()):,} rows "
        f"{'has' if rows[label] == 1 else 'have'} the label {str(label)!r}; "
        f"{needed}. Give more such rows{fewer}."
    )


def _or_fewer_labels(rows: Mapping[Any, int], label: Any, least: int) -> str:
    rare = [other for other, count in rows.items() if count < least]
    one = option("drop_label", str(label)) + ", or " if len(rare) == 1 else ""
    return (
        f", leave out such labels ({one}{option('min_rows', least)}), or choose labels to be told "
        f"from all others: {option('positive', ...)}{either('', ' (repeatable)')}"
    )
