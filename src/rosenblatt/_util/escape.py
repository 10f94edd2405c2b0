"""Foreign text: names, words and labels of somebody's data, before anybody is shown them.

Written as they are, they could move the cursor, rename the window, hide or turn round what follows,
or forge a line of ours. What could do so is spelled out: ESC becomes \\x1b.
"""

from __future__ import annotations

import unicodedata

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
