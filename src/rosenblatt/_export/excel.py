"""A rule as one formula of a spreadsheet: Excel, LibreOffice and their relatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from typing import Any, final

from rosenblatt._export.expression import Language, Source, Spelled, refused
from rosenblatt._util.spelling import either
from rosenblatt.data.dates import Days
from rosenblatt.data.formatted_numbers import Style
from rosenblatt.errors import InputError

LONGEST = 8192  # characters of a formula
_TEXT = 255  # characters of a text in one
_BETWEEN = '"¦"'
_FIRST_DAY = "1900-03-01"  # Excel has a 29 February 1900


@final
class Excel(Language):
    """Functions by their English names, arguments divided by commas. Conditions are sums and
    products, which a range of rows has for each row; OR and AND would have one for all of them."""

    none, choice, negation = "NA()", "IF({},{},{})", "NOT({})"
    conjunction, disjunction = "*", "+"
    no_word_for = "no formula can say"

    def __init__(self, cells: Mapping[str, str]):
        self._cells = cells

    def _literal(self, value: float) -> str:
        """Spreadsheets keep 15 digits of what is typed."""
        text = f"{value:.15g}".upper()
        return f"({text})" if value < 0 else text

    def check(self, source: Source) -> None:
        style = source.style
        if isinstance(style, Style) and (style.unit or style.decimal != source.decimal):
            raise refused(source, f"no formula reads numbers{style} in every language")
        if isinstance(style, Days) and style.since < _FIRST_DAY:
            raise refused(source, "a sheet has no dates before March 1900")
        if isinstance(style, Days) and (style.since.endswith("Z") or not source.whole):
            raise refused(source, "dates of a sheet have no time zone or parts of a second")

    def column(self, source: Source) -> str:
        """Dates of a sheet are numbers, of days."""
        cell, style = self._cells[source.name], source.style
        if not isinstance(style, Days):
            return cell
        first = datetime.fromisoformat(style.since)
        days = f"{cell}-DATE({first.year},{first.month},{first.day})"
        if style.unit == "days":
            return f"({days})"
        since_midnight = (first - datetime.combine(first.date(), time())).seconds
        return f"(ROUND(({days})*86400,3)-{since_midnight})"

    def word(self, source: Source) -> str:
        return self._cells[source.name]

    def missing(self, source: Source) -> str:
        cell = self._cells[source.name]
        cell = f"TRIM({cell})" if source.words else cell
        if source.missing == ("",):
            return f'{cell}=""'
        return f"ISNUMBER(FIND({_BETWEEN}&{cell}&{_BETWEEN},{self._listed(source.missing)}))"

    def no_number(self, source: Source) -> str:
        """To a sheet text is greater than every number."""
        cell = self._cells[source.name]
        if not isinstance(source.style, Days):
            return f"NOT(ISNUMBER({cell}))"
        early = f"{cell}<61"
        if source.style.unit == "days":
            early = self.any_of([early, f"{cell}<>INT({cell})"])
        return f"IF(ISNUMBER({cell}),{early},TRUE)"

    def is_word(self, value: str, words: list[str]) -> str:
        return self.any_of([self._is(value, word) for word in words])

    def _is(self, value: str, word: str) -> str:
        """Blanks around a word do not count; of those inside TRIM would make one."""
        if " " not in word:
            return f"EXACT(TRIM({value}),{self.text(word)})"
        letters_only = self.text(word.replace(" ", ""))
        same = f'EXACT(SUBSTITUTE({value}," ",""),{letters_only})'
        return self.both(same, f"ISNUMBER(FIND({self.text(word)},{value}))")

    def is_truth(self, value: str, truth: bool) -> str:
        """To LibreOffice TRUE is the number 1."""
        words = ("TRUE", "1") if truth else ("FALSE", "0")
        return self.any_of([f'EXACT(UPPER(TRIM({value})),"{word}")' for word in words])

    def both(self, first: str, second: str) -> str:
        return _joined(self.conjunction, [first, second])

    def all_of(self, conditions: list[str]) -> str:
        return _joined(self.conjunction, conditions)

    def any_of(self, conditions: list[str]) -> str:
        return _joined(self.disjunction, conditions)

    def label(self, label: Any) -> str:
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        return self.text(label) if isinstance(label, str) else self.number(label)

    def text(self, text: str) -> str:
        if len(text) > _TEXT:
            raise InputError(
                f"The text {text[:40]!r}… has {len(text)} characters, and a formula takes {_TEXT}: "
                f"export as {either('SQL or Python', '--sql or --python')}."
            )
        return '"' + text.replace('"', '""') + '"'

    def _listed(self, words: Sequence[str]) -> str:
        """As one text, since a formula has few characters."""
        bars, text = _BETWEEN.strip('"'), "".join(f"{word}¦" for word in words)
        return self.text(f"{bars}{text}")


def _joined(operator: str, conditions: list[str]) -> str:
    if len(conditions) == 1:
        return conditions[0]
    return f"({operator.join(f'({condition})' for condition in conditions)}>0)"


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
            ahead = language.all_of([f"{sums[k]} >= {other}" for other in sums[k + 1 :]])
            text = language.chosen(ahead, labels[k], text)
    if rule.guards:
        text = language.chosen(language.any_of(rule.guards), language.none, text)
    text = f"={text}"
    if len(text) > LONGEST:
        raise InputError(
            f"The formula would have {len(text):,} characters, and a cell takes {LONGEST:,}: "
            f"train with fewer columns, make a card ({either('Scorecard', '--scorecard')}), or "
            f"export as {either('SQL or Python', '--sql or --python')}."
        )
    return text
