"""Which labels are the positive ones: one, several, or the numbers that fulfil a condition."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed
from rosenblatt.data.batch import TRUTH, Kind
from rosenblatt.errors import InputError

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


def same_label(label: Any, word: Any) -> bool:
    """Is the label that someone gave this one of the table?"""
    if isinstance(word, str):
        return str(label).strip() == word or (word in TRUTH and label is TRUTH[word])
    try:
        return bool(float(label) == word)
    except (TypeError, ValueError):
        return False
