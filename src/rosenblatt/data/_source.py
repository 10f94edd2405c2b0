"""Where bytes come from: a path, compressed or not, an open file, standard input."""

from __future__ import annotations

import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from rosenblatt.data.opening import open_bytes, reason, unpacked
from rosenblatt.errors import InputError, InputTypeError

Source = str | os.PathLike[str] | IO[bytes]
_UNREADABLE = (OSError, EOFError, zlib.error)  # the last two of files that were opened elsewhere


class Bytes:
    """An open source of bytes, and its name in messages; `share`: how much of it is read."""

    def __init__(
        self, file: Any, name: str, share: Callable[[], float | None] = lambda: None
    ) -> None:
        self.file = file
        self.name = name
        self.share = share  # None where that is not known

    def read_into(self, room: memoryview) -> int:
        """Fill some of the room; 0 at the end."""
        try:
            if hasattr(self.file, "readinto"):
                count = self.file.readinto(room)
            else:
                block = self.file.read(len(room))
                count = None if block is None else len(block)
                room[: count or 0] = block or b""
        except _UNREADABLE as error:
            raise self._unreadable(error) from error
        if count is None:
            raise InputError(
                f"{self.name} was opened in non-blocking mode: open it in blocking mode."
            )
        return int(count)

    def lines(self) -> Iterator[bytes]:
        try:
            yield from self.file
        except _UNREADABLE as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> InputError:
        return InputError(f"{self.name} cannot be read: {reason(error)}.")


def can_be_read_twice(source: Source) -> bool:
    if isinstance(source, (str, os.PathLike)):
        return source != "-" and os.path.isfile(source)
    return hasattr(source, "seekable") and source.seekable()


@contextmanager
def opened(source: Source) -> Iterator[Bytes]:
    """Open a path and close it in the end; take an open file as it is and leave it open."""
    if isinstance(source, str) and source == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed: give a file.")
        name = "standard input"
        yield Bytes(unpacked(sys.stdin.buffer, name, lent=True), name)
    elif isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if os.path.isdir(name):
            raise InputError(f"{name} is a folder: give a file.")
        file, position = open_bytes(name, name)
        size = os.stat(name).st_size  # 0 of a pipe
        with file:
            yield Bytes(file, name, lambda: position() / size if size else None)
    elif isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        raise InputTypeError(
            f"source is {type(source).__name__}: give a path, a file opened in binary mode "
            'or "-" for standard input.'
        )
    else:
        known = getattr(source, "name", None)
        yield Bytes(source, known if isinstance(known, str) else "the open file")
