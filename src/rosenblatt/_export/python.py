"""A rule as a module of Python that needs nothing but Python."""

from __future__ import annotations

from inspect import getsource
from typing import Any, final

from rosenblatt._export.expression import Language, Source, Spelled
from rosenblatt.data import dates, formatted_numbers
from rosenblatt.data.dates import Days
from rosenblatt.data.formatted_numbers import Style

_NUMBER = '''

def number(value, decimal="."):
    """A number as a float; None where it is missing, and NaN where it is no number."""
    text = word(value)
    if text is None:
        return None
    if isinstance(value, str) and decimal != ".":
        text = text.replace(".", "_").replace(decimal, ".")
    try:
        found = float("_" if "_" in text else value if value is text else text)
    except ValueError:
        return float("nan")
    return found if abs(found) < float("inf") else float("nan")
'''
_WORD = '''

def word(value):
    """A word without spaces around it; None where it is missing."""
    text = "" if value is None or value != value else str(value).strip()
    return None if text in MISSING else text
'''
_DATE = '''

def date(value, first, unit, form=""):
    """A date as a number of days or seconds; None where it is missing, and NaN where it is none."""
    text = word(value)
    return None if text is None else float(counted(text, moment(first), unit, form) or "nan")
'''
_WITH_UNIT = '''

def with_unit(value, unit, mark):
    """A number with a unit; None where it is missing, and NaN where it is none of this unit."""
    text = word(value)
    if text is None:
        return None
    found = parsed(text, mark)
    right = found and (found.unit == unit or (found.value == 0 and not found.unit))
    return found.value if right else float("nan")
'''


@final
class Python(Language):
    """Floats are the same doubles, and each operation rounds as it does here."""

    none, choice, negation = "None", "({1} if {0} else {2})", "not ({})"
    conjunction, disjunction = " and ", "\n        or "
    no_word_for = "no formula can say"

    def column(self, source: Source) -> str:
        return f"x[{source.name!r}]"

    def missing(self, source: Source) -> str:
        return f"{self.column(source)} is None"

    def no_number(self, source: Source) -> str:
        x = self.column(source)
        return f"({x} is None or {x} != {x})"

    def is_word(self, value: str, words: list[str]) -> str:
        return f"{value} == {words[0]!r}" if len(words) == 1 else f"{value} in {tuple(words)!r}"

    def is_truth(self, value: str, truth: bool) -> str:
        return f"str({value}).lower() in {(str(truth).lower(), str(int(truth)))!r}"

    def text(self, text: str) -> str:
        return repr(text)

    def label(self, label: Any) -> str:
        return repr(label)


def read(source: Source) -> str:
    """How a column is read."""
    value, style = f"row[{source.name!r}]", source.style
    if source.words:
        return f"word({value})"
    if isinstance(style, Days):
        form = f", {style.format!r}" if style.format else ""
        return f"date({value}, {style.since!r}, {style.unit!r}{form})"
    if isinstance(style, Style):
        return f"with_unit({value}, {style.unit!r}, {style.decimal!r})"
    return f"number({value}, ',')" if source.decimal == "," else f"number({value})"


def _helpers(sources: list[Source]) -> list[str]:
    """What reads the columns: for dates and units the very functions that read them here."""
    words = next((source.missing for source in sources), ("",))
    styles = {type(source.style) for source in sources if not source.words}
    lines: list[str] = []
    if Days in styles:
        lines += ["import re", "from datetime import datetime, timedelta"]
        lines += ["from functools import lru_cache"]
    if Style in styles:
        lines += ["import re"]
    if styles - {type(None)}:
        lines = ["from __future__ import annotations", "", *dict.fromkeys(lines)]
        lines += ["from typing import NamedTuple"]
    lines += ["", f"MISSING = {set(words)!r}" if len(words) == 1 else f"MISSING = {words!r}", _WORD]
    if type(None) in styles:
        lines.append(_NUMBER)
    if Days in styles:
        names = ("_MONTHS", "_PARTS", "_CLOCK")
        lines += ["", *(f"{name} = {getattr(dates, name)!r}" for name in names)]
        lines += [f"_DAY = {dates._DAY}", f"_ISO = re.compile({dates._ISO.pattern!r})", "", ""]
        parts: tuple[Any, ...] = (dates.Moment, dates.moment, dates.counted, dates._with_digits)
        parts += (dates.iso, dates.pattern)
        lines += ["\n\n".join(getsource(part) for part in parts), _DATE]
    if Style in styles:
        patterns = {mark: pattern.pattern for mark, pattern in formatted_numbers._PATTERNS.items()}
        lines += ["", f"_GROUPS = {formatted_numbers._GROUPS!r}"]
        lines += [f"_PATTERNS = {{m: re.compile(p) for m, p in {patterns!r}.items()}}", "", ""]
        parts = (formatted_numbers.Written, formatted_numbers.parsed, formatted_numbers._plain)
        lines += ["\n\n".join(getsource(part) for part in parts), _WITH_UNIT]
    return lines


def module(rule: Spelled) -> str:
    """`predict(row)`, and what it compares."""
    language = Python()
    lines = [repr(rule.about), "", *_helpers(rule.sources), "", f"def {rule.decides}(row):"]
    lines += ['    """What decides; None where a value is missing or not known."""', "    x = {"]
    lines += [f"        {source.name!r}: {read(source)}," for source in rule.sources]
    lines.append("    }")
    if rule.guards:
        lines += [
            "    if (",
            f"        {language.any_of(rule.guards)}",
            "    ):",
            "        return None",
        ]
    if rule.several:
        lines += ["    return [", *(f"        {sum_}," for sum_ in rule.sums), "    ]"]
    else:
        lines.append(f"    return {rule.sums[0]}")
    lines += ["", "", "def predict(row):"]
    lines += [
        '    """The label of a row, a dict of the columns by name; None where there is none."""'
    ]
    lines += [f"    found = {rule.decides}(row)", "    if found is None:", "        return None"]
    labels = ", ".join(language.label(label) for label in rule.labels)
    chosen = "found.index(max(found))" if rule.several else f"found >= {rule.threshold}"
    return "\n".join([*lines, f"    return [{labels}][{chosen}]", ""])
