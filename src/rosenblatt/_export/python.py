"""A rule as a module of Python that needs nothing but Python."""

from __future__ import annotations

import math
from typing import Any

from rosenblatt._export.expression import Spelled
from rosenblatt.errors import InputError

_HELPERS = '''

def number(value):
    """A number as a float; None where it is missing, and NaN where it is no number."""
    if value is None or value != value or not str(value).strip():
        return None
    try:
        return float(value)
    except ValueError:
        return float("nan")


def word(value):
    """A word without spaces around it; None where it is missing."""
    if value is None or value != value:
        return None
    return str(value).strip() or None
'''


class Python:
    """Floats are the same doubles, and each operation rounds as it does here."""

    def number(self, value: float) -> str:
        if not math.isfinite(value):
            raise InputError(f"The rule holds {value}, which no formula can say.")
        return f"({value!r})" if value < 0 else repr(value)

    def column(self, name: str) -> str:
        return f"x[{name!r}]"

    def word(self, name: str) -> str:
        return f"x[{name!r}]"

    def missing(self, name: str, *, words: bool) -> str:
        return f"x[{name!r}] is None"

    def no_number(self, name: str) -> str:
        return f"(x[{name!r}] is None or x[{name!r}] != x[{name!r}])"

    def is_word(self, value: str, words: list[str]) -> str:
        return f"{value} == {words[0]!r}" if len(words) == 1 else f"{value} in {tuple(words)!r}"

    def is_true(self, value: str) -> str:
        return f"str({value}).lower() in ('true', '1')"

    def is_no_truth(self, value: str) -> str:
        return f"str({value}).lower() not in ('true', 'false', '1', '0')"

    def no(self, condition: str) -> str:
        return f"not ({condition})"

    def both(self, first: str, second: str) -> str:
        return f"({first} and {second})"

    def either(self, conditions: list[str]) -> str:
        return "\n        or ".join(conditions)

    def chosen(self, condition: str, yes: str, no: str) -> str:
        return f"({yes} if {condition} else {no})"

    def label(self, label: Any) -> str:
        return repr(label)


def module(rule: Spelled, read: dict[str, str]) -> str:
    """`predict(row)`, and what it compares; `read` says how each column is read."""
    language = Python()
    several = len(rule.labels) > 2
    name = "points" if rule.is_card else "scores" if several else "score"
    head = " ".join([f"{rule.sentence}.", *(f"{note}." for note in rule.notes)])
    lines = [repr(" ".join(head.split())), _HELPERS, "", f"def {name}(row):"]
    lines += ['    """What decides; None where a value is missing or not known."""', "    x = {"]
    lines += [f"        {column!r}: {read[column]}(row[{column!r}])," for column in rule.inputs]
    lines.append("    }")
    if rule.guards:
        lines += [
            "    if (",
            f"        {language.either(rule.guards)}",
            "    ):",
            "        return None",
        ]
    if several:
        lines += ["    return [", *(f"        {sum_}," for sum_ in rule.sums), "    ]"]
    else:
        lines.append(f"    return {rule.sums[0]}")
    lines += ["", "", "def predict(row):"]
    lines += [
        '    """The label of a row, a dict of the columns by name; None where there is none."""'
    ]
    lines += [f"    found = {name}(row)", "    if found is None:", "        return None"]
    labels = ", ".join(language.label(label) for label in rule.labels)
    chosen = "found.index(max(found))" if several else f"found >= {rule.threshold}"
    return "\n".join([*lines, f"    return [{labels}][{chosen}]", ""])
