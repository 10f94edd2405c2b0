"""Which files are meant, what they hold, and how to open them."""

from __future__ import annotations

import glob
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rosenblatt.errors import InputError, InputTypeError

_KINDS = {  # how a file begins
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow stream",
}
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
SUFFIXES = {
    ".parquet": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}
_PACKED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
_FOREIGN = {
    b"PK\x03\x04": "a workbook or a zip archive. Save the sheet as CSV, or unpack the archive",
    b"\xd0\xcf\x11\xe0": "a workbook of an old kind. Save the sheet as CSV",
    b"\xfd7zXZ": "compressed by xz. Unpack it, or compress it by gzip or zstd",
    b"FEA1": "Feather version 1. Write it anew as Feather version 2 or Parquet",
}


@dataclass(frozen=True)
class File:
    """One file: where its bytes are, how messages call it, what it holds."""

    path: Path
    name: str
    kind: str  # "text", "parquet", "arrow", "arrow stream", "svmlight" or "frame"
    compression: str | None
    stamp: tuple[int, int]  # size and time of the last change
    keep: Any = None  # holds what must live as long as the file: a temporary one

    def check_unchanged(self) -> None:
        if self.kind != "frame" and stamp(self.path) != self.stamp:
            raise InputError(f"{self.name} was changed while it was read. Read it again.")


def find(source: Any) -> list[File]:
    """The files that a path, a pattern, `-` (standard input) or a list of these stands for."""
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        raise InputTypeError(
            f"A {type(source).__module__}.{type(source).__qualname__} is not read as a table. Give "
            "a path, a pattern like 'part-*.csv', '-' for standard input, a list of paths, or a "
            "data frame."
        )
    files = [file for entry in source for file in _expand(entry)]
    if not files:
        raise InputError("No file was given to read.")
    return files


def _expand(entry: Any) -> list[File]:
    if not isinstance(entry, (str, os.PathLike)):
        raise InputTypeError(f"A {type(entry).__name__} is not the path of a file: {entry!r}.")
    text = os.fspath(entry)
    if text == "-":
        return [_standard_input()]
    if not os.path.lexists(text) and glob.has_magic(text):
        found = sorted(path for path in glob.glob(text, recursive=True) if os.path.isfile(path))
        if not found:
            raise InputError(f"No file matches the pattern {text}.")
        return [_look(Path(path), path) for path in found]
    return [_look(Path(text), text)]


def _standard_input() -> File:
    """What comes in is kept in a temporary file, since it is read more than once."""
    spool = tempfile.NamedTemporaryFile(prefix="rosenblatt-")  # noqa: SIM115 - lives with the File
    while block := sys.stdin.buffer.read(1 << 20):
        spool.write(block)
    spool.flush()
    return _look(Path(spool.name), "standard input", keep=spool)


def _look(path: Path, name: str, keep: Any = None) -> File:
    if os.path.isdir(path):
        raise InputError(
            f"{name} is a folder. Give its files, as in {os.path.join(name, '*.csv')}."
        )
    try:
        with open(path, "rb") as file:
            begin = file.read(8)
        seen = stamp(path)
    except FileNotFoundError:
        raise InputError(f"There is no file {name}.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {reason(error)}.") from None
    if not begin:
        raise InputError(f"{name} is empty: a table begins with the names of its columns.")
    for magic, words in _FOREIGN.items():
        if begin.startswith(magic):
            raise InputError(f"{name} is {words}.")
    return File(path, name, *_contents(path, name, begin), seen, keep)


def _contents(path: Path, name: str, begin: bytes) -> tuple[str, str | None]:
    """What the file holds and how it is compressed: its first bytes have the last word."""
    suffixes = [s.lower() for s in path.suffixes]
    compression = next((c for magic, c in _COMPRESSIONS.items() if begin.startswith(magic)), None)
    claimed = _PACKED.get(suffixes[-1]) if suffixes else None
    if claimed and compression != claimed:
        raise InputError(
            f"{name} is named {suffixes[-1]} but is not compressed by {claimed}: it begins with "
            f"{begin!r}. Is it damaged, or was it unpacked already? Then rename it."
        )
    suffix = suffixes[-2] if claimed and len(suffixes) > 1 else suffixes[-1] if suffixes else ""
    if compression:
        kind = SUFFIXES.get(suffix, "text")
        if kind not in ("text", "svmlight"):
            raise InputError(
                f"{name} is a {suffix} file inside {compression}. Unpack it: such files are "
                "compressed inside already."
            )
        return kind, compression
    found = next((k for magic, k in _KINDS.items() if begin.startswith(magic)), None)
    expected = SUFFIXES.get(suffix, "text")
    if found is None and expected not in ("text", "svmlight"):
        raise InputError(
            f"{name} is named {suffix} but does not begin like one: {begin!r}. Is it damaged, or "
            "another kind of file? Then rename it."
        )
    return found or expected, None


def open_bytes(file: File) -> tuple[BinaryIO, Callable[[], int]]:
    """Its bytes, unpacked, and how many bytes of the file were read for them. Reading raises
    OSError where they are damaged."""
    if file.compression is None:
        plain = open(file.path, "rb", buffering=0)  # noqa: SIM115 - the caller closes it
        return plain, plain.tell
    import pyarrow as pa

    packed = pa.OSFile(str(file.path))
    return pa.CompressedInputStream(packed, file.compression), packed.tell


def stamp(path: str | Path) -> tuple[int, int]:
    """Size and time of the last change."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def reason(error: Exception) -> str:
    """Why, in the words of the system or of pyarrow, without a full stop."""
    text = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return str(text).rstrip(".")
