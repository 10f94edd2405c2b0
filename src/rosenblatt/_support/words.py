"""Numbers of things, in words."""

from __future__ import annotations


def many(count: int, thing: str, one: str = "1") -> str:
    """1 row, 2,000 rows; `one` is what a single one is called."""
    return f"{one} {thing}" if count == 1 else f"{count:,} {thing}s"
