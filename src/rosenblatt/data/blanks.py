"""Text whose fields are divided by blanks: any number of spaces and tabs counts as one."""

from __future__ import annotations

import csv
import io
import re
from typing import final

from rosenblatt.data.options import BLANKS
from rosenblatt.data.records import Bytes

_TAKEN = 1 << 20  # bytes at a time
_LOOKED_AT = 100  # lines
_LONGEST = 1 << 16  # of a line that is looked at
_AROUND_LINES = re.compile(rb"[ \t]*(\r?\n|\r)[ \t]*")
_BETWEEN = re.compile(rb"[ \t]+")
_OUTSIDE_QUOTES = re.compile(rb'("[^"\r\n]*")|[ \t]+')
_ALIGNED = re.compile(rb"[^ \t]  +[^ \t]|^ +[^ ]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_BOM = b"\xef\xbb\xbf"


def joined(text: bytes) -> bytes:
    """Whole lines with one blank between fields, and none around them."""
    text = _AROUND_LINES.sub(rb"\1", text.removeprefix(_BOM).strip(b" \t"))
    if b'"' not in text:
        return _BETWEEN.sub(b" ", text)
    return _OUTSIDE_QUOTES.sub(lambda match: match[1] or b" ", text)


@final
class Joined:
    """A stream, joined some lines at a time."""

    def __init__(self, stream: Bytes):
        self._stream, self._rest, self._ready, self._ended = stream, b"", b"", False

    def readinto(self, buffer: memoryview, /) -> int:
        while not self._ready and not self._ended:
            block = bytearray(_TAKEN)
            got = self._stream.readinto(memoryview(block)) or 0
            self._ended = not got
            text = self._rest + bytes(block[:got])
            end = len(text) if self._ended else text.rfind(b"\n") + 1
            self._ready, self._rest = joined(text[:end]), text[end:]
        taken, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def are_between_fields(text: bytes, delimiter: str, count: int) -> bool:
    """Is a file whose first lines are these divided by blanks, and not by the delimiter, of which
    the first line has so many?

    Commas, semicolons and bars are never there by chance. A tab may be one of the blanks: where
    lines are aligned by spaces, or have different numbers of tabs. Without any delimiter the
    lines must have equal numbers of words, and a column of numbers: else it is one column of text.
    """
    if count and delimiter != "\t":
        return False
    lines = [line for line in text.splitlines()[: _LOOKED_AT + 1] if line.strip()]
    lines = lines[:-1] if len(lines) > _LOOKED_AT else lines  # the last may be cut off
    if len(lines) < 2 or any(len(line) > _LONGEST for line in lines):
        return False
    if count:
        tabs = {line.count(b"\t") for line in lines}
        aligned = sum(_ALIGNED.search(line) is not None for line in lines)
        if len(tabs) == 1 and 2 * aligned <= len(lines):
            return False
    rows = _rows(joined(b"\n".join(lines)))
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    return any(all(map(_NUMBER.fullmatch, column)) for column in zip(*rows[1:], strict=True))


def _rows(text: bytes) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text.decode(errors="replace")), delimiter=BLANKS))
    except csv.Error:
        return [[]]
