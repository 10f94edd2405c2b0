"""Numbers and words as the page shows them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosenblatt.data.naming import is_number

if TYPE_CHECKING:
    from rosenblatt.report.document import Term


SHOWN = 4  # terms of a sum in a sentence


def width_of(text: str) -> int:
    """In characters of a Latin font: Chinese, Japanese, Korean and emoji are twice as wide."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def clip(text: str, width: int) -> str:
    """The text, or its beginning and an ellipsis."""
    if len(text) <= width and width_of(text) <= width:
        return text
    end, room = 0, width - 1
    while end < len(text) and (room := room - width_of(text[end])) >= 0:
        end += 1
    return f"{text[:end].rstrip()}…"


def number(value: Any, digits: int = 4) -> str:
    """Whole numbers whole, others to a few digits, with a real minus."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    if isinstance(value, float) and not value.is_integer():
        few = abs(value) < 10**digits - 0.5 or abs(value) >= 1e15
        text = f"{value:,.{digits}g}" if few else f"{value:,.0f}"
    else:
        text = f"{value:,.{digits}g}" if abs(value) >= 1e15 else f"{int(value):,}"
    return text.replace("-", "−")


def signed(value: Any) -> str:
    """With its sign, as points have."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return f"+{number(value)}" if value > 0 else number(value)


def percent(rate: Any) -> str:
    """A rate; few but not none, or nearly all but not all, do not look like none or all."""
    if not isinstance(rate, int | float):
        return ""
    if 0 < rate < 0.0005:
        return "under 0.1%"
    if 0.9995 <= rate < 1:
        return "over 99.9%"
    return f"{100 * rate:.1f}%"


def sentence(text: Any) -> str:
    """Words of ours that stood behind a colon, standing alone."""
    words = str(text).strip()
    return f"{words[:1].upper()}{words[1:]}{'' if words[-1:] in tuple('.!?') else '.'}"


def column(name: str) -> str:
    """A name that is a number is quoted: 25·0 would be read as a product."""
    return repr(name) if is_number(name) else name


def weighted_sum(terms: Sequence[Term], n_terms: int) -> str:
    """2.5·age − 0.3·[owner = yes] + … (3 more); the first terms are the heaviest."""
    if not terms:
        return "0"
    text = ""
    for term in terms[:SHOWN]:
        name = f"[{term['feature']}]" if term["indicator"] else column(term["feature"])
        sign = "−" if term["weight"] < 0 else "+" if text else ""
        text += f" {sign} " if text else sign
        text += f"{number(abs(term['weight']), digits=3)}·{name}"
    rest = n_terms - SHOWN
    return text + (f" + … ({rest:,} more)" if rest > 0 else "")
