"""A rule as one formula of a spreadsheet: Excel, LibreOffice and their relatives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rosenblatt._export.expression import Spelled
from rosenblatt._util.spelling import either
from rosenblatt.errors import InputError

LONGEST = 8192  # characters of a formula
_TEXT = 255  # characters of a text in one


class Excel:
    """Functions by their English names, arguments divided by commas."""

    def __init__(self, cells: Mapping[str, str]):
        self._cells = cells

    def number(self, value: float) -> str:
        """Spreadsheets keep 15 digits of what is typed."""
        if not math.isfinite(value):
            raise InputError(f"The rule holds {value}, which no formula can say.")
        text = f"{value:.15g}".upper()
        return f"({text})" if value < 0 else text

    def column(self, name: str) -> str:
        return self._cells[name]

    def word(self, name: str) -> str:
        return self._cells[name]

    def missing(self, name: str, *, words: bool) -> str:
        return f'{self._cells[name]}=""'

    def no_number(self, name: str) -> str:
        """To a sheet text is greater than every number."""
        return f"NOT(ISNUMBER({self._cells[name]}))"

    def is_word(self, value: str, words: list[str]) -> str:
        return self.either([f"EXACT({value},{_text(word)})" for word in words])

    def is_true(self, value: str) -> str:
        return f'EXACT(UPPER({value}),"TRUE")'

    def is_no_truth(self, value: str) -> str:
        return self.no(self.either([self.is_true(value), f'EXACT(UPPER({value}),"FALSE")']))

    def no(self, condition: str) -> str:
        return f"NOT({condition})"

    def both(self, first: str, second: str) -> str:
        return _all([first, second])

    def either(self, conditions: list[str]) -> str:
        """A sum, which a range of rows has for each row; OR would have one for all of them."""
        if len(conditions) == 1:
            return conditions[0]
        return f"({'+'.join(f'({condition})' for condition in conditions)}>0)"

    def chosen(self, condition: str, yes: str, no: str) -> str:
        return f"IF({condition},{yes},{no})"

    def label(self, label: Any) -> str:
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        return _text(label) if isinstance(label, str) else self.number(label)


def _text(text: str) -> str:
    if len(text) > _TEXT:
        raise InputError(
            f"The text {text[:40]!r}… has {len(text)} characters, and a formula takes {_TEXT}: "
            f"export as {either('SQL or Python', '--sql or --python')}."
        )
    return '"' + text.replace('"', '""') + '"'


def _all(conditions: list[str]) -> str:
    """All of several conditions: a product, as `either` is a sum."""
    if len(conditions) == 1:
        return conditions[0]
    return f"({'*'.join(f'({condition})' for condition in conditions)}>0)"


def letters(place: int) -> str:
    """The name of a column of a sheet: A to Z, AA and so on."""
    name, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def formula(rule: Spelled, language: Excel) -> str:
    """The label of a row; #N/A where a value is missing or not known."""
    labels, sums = [language.label(label) for label in rule.labels], rule.sums
    if len(sums) == 1:
        text = language.chosen(f"{sums[0]} >= {rule.threshold}", labels[1], labels[0])
    else:
        text = labels[-1]
        for k in reversed(range(len(sums) - 1)):
            ahead = _all([f"{sums[k]} >= {other}" for other in sums[k + 1 :]])
            text = language.chosen(ahead, labels[k], text)
    if rule.guards:
        text = language.chosen(language.either(rule.guards), "NA()", text)
    text = f"={text}"
    if len(text) > LONGEST:
        raise InputError(
            f"The formula would have {len(text):,} characters, and a cell takes {LONGEST:,}: "
            f"train with fewer columns, make a card ({either('Scorecard', '--scorecard')}), or "
            f"export as {either('SQL or Python', '--sql or --python')}."
        )
    return text
