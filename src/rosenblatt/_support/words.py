"""Numbers and lists of things, in words."""

from __future__ import annotations

import shlex


def many(count: int, thing: str, one: str = "1") -> str:
    """1 row, 2,000 rows; `one` is what a single one is called."""
    return f"{one} {thing}" if count == 1 else f"{count:,} {thing}s"


def listed(things: list[str], most: int) -> str:
    """a, b and 3 more."""
    more = len(things) - most
    return ", ".join(things[:most]) + (f" and {more:,} more" if more > 0 else "")


def named(label: object) -> str:
    """A label as it stands in a sentence: a number in quotes, lest it be taken for a count."""
    text = str(label)
    try:
        float(text)
    except ValueError:
        return text
    return f'"{text}"'


def option(name: str, value: object) -> str:
    """As it is typed in a shell: --missing '?'."""
    text = shlex.quote(str(value))
    return f"--{name}={text}" if text.startswith("-") else f"--{name} {text}"
