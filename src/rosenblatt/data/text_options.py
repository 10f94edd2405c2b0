"""What a person says about text: the character between fields, and the names of columns.

Nothing heavy is imported: a command says what is wrong here before it has loaded anything.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any

from rosenblatt._util.spelling import option
from rosenblatt.data.dialect import BLANKS
from rosenblatt.errors import InputError

_WORDS = {"tab": "\t", "\\t": "\t", "space": BLANKS, "whitespace": BLANKS}  # of separators


def separator(given: Any) -> str:
    """The character between fields; a blank stands for any number of blanks and tabs."""
    found = _WORDS.get(given, given) if isinstance(given, str) else ""
    if not divides(found):
        raise InputError(
            f"{option('sep', given)} is not allowed: give the one character between the fields, "
            "like ';', or 'tab', or 'whitespace' for any number of blanks.",
            option="sep",
            value=given,
        )
    return found


def divides(text: str) -> bool:
    return len(text) == 1 and text.isascii() and not text.isalnum() and text not in '".\r\n+-\0'


def names_of(given: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of columns, one by one or as a line of them with commas."""
    if given is None:
        return None
    found = next(csv.reader([given]), []) if isinstance(given, str) else list(given)
    names = tuple(str(name).strip() for name in found)
    if not names or not all(names) or len(set(names)) < len(names):
        raise InputError(
            f"{option('names', given)} is not allowed: give a different name for each column, "
            "in their order, as 'age,income,label'.",
            option="names",
            value=given,
        )
    return names
