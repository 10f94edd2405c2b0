"""Why a line of svmlight text is refused: the grammar of `native/svmlight.hpp`, with words."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

LONGEST_NUMBER = 4096
"""As in `native/decimal.hpp`."""

MOST_INDEX = 2**63 - 2
"""The largest index: the number of features is one more, and both are 64-bit numbers."""

PART = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_QUERY = re.compile(rb"qid:[+-]?\d+")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)

_LINE = "A line is: label index:value index:value …"


class Fault(NamedTuple):
    column: int  # of the part, counted in bytes from 1
    part: bytes
    why: str  # a sentence or two: what is wrong, what is allowed


def find_fault(line: bytes) -> Fault | None:
    """The first part of a line, without its end, that is against the grammar."""
    last = -1
    for place, part in enumerate(PART.finditer(line.partition(b"#")[0])):
        text = part.group()
        if place == 0:
            why = _label(text)
        elif place == 1 and text.startswith(b"q"):
            why = _query(text)
        else:
            why = _entry(text, last)
            last = last if why else index_of(text)
        if why:
            return Fault(part.start() + 1, text, why)
    return None


def index_of(entry: bytes) -> int:
    return int(entry.partition(b":")[0])


def _label(text: bytes) -> str:
    why = _number("label", text)
    if not why:
        return ""
    if b"," in text:
        return "It has several labels. Allowed: one label a line."
    if b":" in text:
        return f"It begins with a feature, without a label. {_LINE}"
    return why


def _query(text: bytes) -> str:
    if not _QUERY.fullmatch(text) or _whole(text[4:].lstrip(b"+-")) > MOST_INDEX + 1:
        return f"This is no query id. After the label may come qid: and a whole number. {_LINE}"
    return ""


def _entry(text: bytes, last: int) -> str:
    index, colon, value = text.partition(b":")
    if index == b"qid":
        return "A query id stands between the label and the first feature."
    if not colon:
        return f"This is no feature: there is no colon in it. {_LINE}"
    if not index.isdigit():
        return f"The index is not a whole number, 0 or greater. {_LINE}"
    if _whole(index) > MOST_INDEX:
        return f"The index is too large. Allowed: up to {MOST_INDEX}."
    if _whole(index) == last:
        return f"Feature {last} is there twice. Allowed: each feature once, indices increasing."
    if _whole(index) < last:
        return f"It comes after feature {last}. Allowed: indices that increase along a line."
    return _number("value", value)


def _whole(digits: bytes) -> float:
    """The number that digits say; infinity where they are far too many."""
    significant = digits.lstrip(b"0")
    if len(digits) > LONGEST_NUMBER or len(significant) > 19:
        return math.inf
    return int(significant or b"0")


def _number(what: str, text: bytes) -> str:
    if _NOT_FINITE.fullmatch(text):
        return f"The {what} is not finite. Allowed: finite numbers."
    if not _NUMBER.fullmatch(text):
        return f"The {what} is not a number. Allowed: numbers such as 1, -0.5 or 2.5e-3."
    if len(text) > LONGEST_NUMBER:
        return f"The {what} has {len(text)} characters. Allowed: up to {LONGEST_NUMBER}."
    if math.isinf(float(text)):
        return f"The {what} is too large. Allowed: up to 1.7976931348623157e308."
    return ""
