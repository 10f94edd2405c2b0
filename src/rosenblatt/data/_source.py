"""Where bytes come from: a path, compressed or not, an open file, standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from rosenblatt.errors import InputError, InputTypeError

Source = str | os.PathLike[str] | IO[bytes]


class Bytes:
    """An open source of bytes, and its name in messages."""

    def __init__(self, file: Any, name: str) -> None:
        self.file = file
        self.name = name

    def read_into(self, room: memoryview) -> int:
        """Fill some of the room; 0 at the end."""
        try:
            if hasattr(self.file, "readinto"):
                count = self.file.readinto(room)
            else:
                block = self.file.read(len(room))
                count = None if block is None else len(block)
                room[: count or 0] = block or b""
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.name} cannot be read: {error}") from error
        if count is None:
            raise InputError(f"{self.name} does not wait for its bytes: open it in blocking mode.")
        return int(count)

    def share(self) -> float | None:
        """How much of a plain file is read; None where that is not known."""
        if isinstance(self.file, io.FileIO) and (size := os.fstat(self.file.fileno()).st_size):
            return self.file.tell() / size
        return None

    def lines(self) -> Iterator[bytes]:
        try:
            yield from self.file
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.name} cannot be read: {error}") from error


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
        yield Bytes(sys.stdin.buffer, "standard input")
    elif isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        with _open(name) as file:
            yield Bytes(file, name)
    elif isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        raise InputTypeError(
            f"source is {type(source).__name__}: give a path, a file opened in binary mode "
            'or "-" for standard input.'
        )
    else:
        known = getattr(source, "name", None)
        yield Bytes(source, known if isinstance(known, str) else "the open file")


def _open(name: str) -> Any:
    if os.path.isdir(name):
        raise InputError(f"{name} is a folder: give a file.")
    try:
        if name.endswith(".gz"):
            return gzip.open(name)
        if name.endswith(".bz2"):
            return bz2.open(name)
        if name.endswith(".zst"):
            return _open_zst(name)
        return open(name, "rb", buffering=0)
    except FileNotFoundError as error:
        raise InputError(f"{name} does not exist.") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error


def _open_zst(name: str) -> Any:
    try:
        import pyarrow  # type: ignore[import-untyped,unused-ignore]  # it ships no types
    except ImportError as error:
        raise InputError(
            f"{name}: reading .zst needs pyarrow. Install it, or unpack the file first."
        ) from error
    # It can be read but not iterated over by lines; Python's buffer can.
    return io.BufferedReader(pyarrow.CompressedInputStream(pyarrow.OSFile(name), "zstd"))
