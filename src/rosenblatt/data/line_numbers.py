"""Where a row of a table stands in its file: a line of text, a row of a sheet.

They differ from the row's number by the header, by empty lines, and by line ends inside quotes. So
the file is read again up to there: only a message about one row needs it.
"""

from __future__ import annotations

import csv
import io
from typing import Any

from rosenblatt.data.dialect import Dialect, announced
from rosenblatt.data.files import File
from rosenblatt.data.opening import open_bytes

_MOST = 1 << 20  # rows: to find a line further down takes longer than a person waits


def line_of(file: File, dialect: Dialect, row: int) -> str | None:
    """As it is told: "line 4", "sheet row 4"; None where it cannot be found."""
    try:
        return _line(file, dialect, row) if row < _MOST else None
    except Exception:  # the message is about something else, and comes without a line
        return None


def _line(file: File, dialect: Dialect, row: int) -> str | None:
    stream, _ = open_bytes(file.path, file.name)
    with stream:
        text = io.BufferedReader(_Readable(dialect.text(stream, file)))
        skipped = len(announced(text.peek())[1] or "")  # before the header
        lines = io.TextIOWrapper(text, encoding="utf-8", errors="replace", newline="")
        records = csv.reader(lines, delimiter=dialect.delimiter)
        number, left = 0, row + dialect.header + skipped
        while True:
            first = records.line_num + 1  # a record may have several
            record = next(records)
            number += 1
            if record and left == 0:
                return f"line {first}" if file.sheet is None else f"sheet row {number - skipped}"
            left -= bool(record)


class _Readable(io.RawIOBase):
    """What has `readinto`, as a stream."""

    def __init__(self, source: Any):
        super().__init__()
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return int(self._source.readinto(memoryview(buffer)) or 0)
