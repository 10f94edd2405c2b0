"""Text that a person reads: the format of numbers, lists in words, foreign text, row numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any, final, overload


def many(count: int, thing: str, one: str = "1") -> str:
    """1 row, 2,000 rows; `one` is what a single one is called."""
    return f"{one} {thing}" if count == 1 else f"{count:,} {thing}s"


def listed(things: list[str], most: int) -> str:
    """a, b and 3 more."""
    more = len(things) - most
    return ", ".join(things[:most]) + (f" and {more:,} more" if more > 0 else "")


def first_few(things: Sequence[object], most: int) -> str:
    """a, b, …"""
    return ", ".join(map(str, things[:most])) + (", …" if len(things) > most else "")


def html_table(head: Iterable[str], lines: Sequence[Iterable[object] | str]) -> str:
    """Cells as text, which is escaped; a line of text goes across all columns."""

    def row(cells: Iterable[object], tag: str) -> str:
        return "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)

    names = list(head)
    across = f'<td colspan="{len(names)}">'
    rows = [f"{across}{x}</td>" if isinstance(x, str) else row(x, "td") for x in lines]
    body = "".join(f"<tr>{cells}</tr>" for cells in [row(names, "th")] * bool(names) + rows)
    return f"<table>{body}</table>"


def named(label: object) -> str:
    """A label as it stands in a sentence: a number in quotes, lest it be taken for a count."""
    text = str(label)
    try:
        float(text)
    except ValueError:
        return text
    return f'"{text}"'


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


# --- Foreign text: names, words and labels of somebody's data, before anybody is shown them ------
#
# Written as they are, they could move the cursor, rename the window, hide or turn round what
# follows, or forge a line of ours. What could do so is spelled out: ESC becomes \x1b.


# They would turn round the text that follows them, or end the line.
_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0x2028, 0x2029}


def shown(text: str) -> str:
    """Text of one or more lines."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == "\n" or _harmless(c) else _spelled(c) for c in text)


def one_line(text: str) -> str:
    """Text that stays on its line, whatever is in it."""
    return shown(text).replace("\n", "\\n")


def in_json(text: str) -> str:
    """JSON that says the same and can be looked at."""
    if text.isascii() and "\x7f" not in text:  # JSON spells out the others itself
        return text
    return "".join(c if c == "\n" or _harmless(c) else f"\\u{ord(c):04x}" for c in text)


def _harmless(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind not in ("Cc", "Cs") and ord(character) not in _TURNING


def _spelled(character: str) -> str:
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"


# --- Row numbers as a person reads them: from 1 for rows in a file, from 0 in Python -------------
#
# Inside, and in every JSON document, rows are counted from 0, as in an array. What a person reads
# about a file counts from 1, as a spreadsheet does; the header is not counted. Every text says
# which.


_first = ContextVar("first", default=0)


@contextmanager
def of_files(really: bool = True) -> Iterator[None]:
    """What is told inside is about rows of files, or else of arrays."""
    token = _first.set(1 if really else 0)
    try:
        yield
    finally:
        _first.reset(token)


def about_files() -> bool:
    return bool(_first.get())


def row_number(row: int) -> int:
    """A row, counted from 0, as it is told here."""
    return int(row) + _first.get()


def counted() -> str:
    """Which it is, for a text that names rows."""
    if _first.get():
        return "rows are counted from 1, without the header"
    return "rows are counted from 0"


def in_file(row: int, line: str | None = None) -> str:
    """A row of a file, counted from 0, and where it is found there: row 3 (line 4)."""
    return f"row {row + 1} ({line or 'counted from 1'})"


def in_memory(row: int) -> str:
    return f"row {row} (counted from 0)"


# --- Names of columns that have none, x0, x1 and so on: made when they are asked for -------------


@final
class Numbered(Sequence[str]):
    """As a list of so many would be; of millions of columns nobody asks for all."""

    def __init__(self, count: int):
        self._places = range(count)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [f"x{j}" for j in self._places[place]]
        return f"x{self._places[place]}"
