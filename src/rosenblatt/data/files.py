"""Which files are meant, and what they hold."""

from __future__ import annotations

import glob
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from rosenblatt.data import archives
from rosenblatt.data.formats import FORMATS, REFUSED, kind_beginning, kind_named
from rosenblatt.data.opening import (
    claimed_compression,
    compression_of,
    first_bytes,
    open_bytes,
    reason,
)
from rosenblatt.data.remote import fetch, is_remote, matching
from rosenblatt.errors import InputError, InputTypeError

STANDARD_INPUT = "standard input"  # its name in messages


@dataclass(frozen=True)
class File:
    """One file: where its bytes are, how messages call it, what it holds."""

    path: Path
    name: str
    kind: str  # of FORMATS, or "frame"
    stamp: tuple[int, int]  # size and time of the last change
    keep: Any = None  # holds what must live as long as the file: a temporary one
    sheet: str | None = None  # of a workbook, that became this text

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


def is_svmlight(source: Any) -> bool:
    """Is it an svmlight file, by its name?"""
    names = [source] if isinstance(source, (str, os.PathLike)) else source
    if hasattr(source, "__arrow_c_stream__") or not isinstance(names, (list, tuple)):
        return False
    return any(
        kind_named(suffix) == "svmlight"
        for name in names
        if isinstance(name, (str, os.PathLike))
        for suffix in Path(name).suffixes
    )


def _expand(entry: Any) -> list[File]:
    if isinstance(entry, File):  # found before
        return [entry]
    if not isinstance(entry, (str, os.PathLike)):
        raise InputTypeError(f"A {type(entry).__name__} is not the path of a file: {entry!r}.")
    text = os.fspath(entry)
    if text == "-":
        return [_standard_input()]
    if is_remote(text):
        return [_look(fetch(address), address) for address in matching(text)]
    if not os.path.lexists(text) and glob.has_magic(text):
        paths = sorted(path for path in glob.glob(text, recursive=True) if os.path.isfile(path))
        if not paths:
            raise InputError(f"No file matches the pattern {text}.")
        return [_look(Path(path), path) for path in paths]
    return [_look(Path(text), text)]


def _standard_input() -> File:
    """What comes in is kept in a temporary file, since it is read more than once."""
    spool = tempfile.NamedTemporaryFile(prefix="rosenblatt-")  # noqa: SIM115 - lives with the File
    while block := sys.stdin.buffer.read(1 << 20):
        spool.write(block)
    spool.flush()
    return _look(Path(spool.name), STANDARD_INPUT, keep=spool)


def _look(path: Path, name: str, keep: Any = None) -> File:
    if os.path.isdir(path):
        raise InputError(
            f"{name} is a folder. Give its files, as in {os.path.join(name, '*.csv')}."
        )
    try:
        with open(path, "rb") as file:
            begin = first_bytes(file)
        version = stamp(path)
    except FileNotFoundError:
        raise InputError(f"There is no file {name}.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {reason(error)}.") from None
    if not begin:
        raise InputError(f"{name} is empty: a table begins with the names of its columns.")
    for magic, words in REFUSED.items():
        if begin.startswith(magic):
            raise InputError(f"{name} is {words}.")
    return File(path, name, _kind(path, name, begin), version, keep)


def _kind(path: Path, name: str, begin: bytes) -> str:
    """What the file holds: its first bytes have the last word."""
    inner: PurePath = path.with_suffix("") if claimed_compression(path) else path
    if begin.startswith(archives.ZIP):
        if kind := archives.kind_of_archive(path, name):
            return kind
        inner = archives.inner_name(path, name)
        _check_inner(path, inner, name)
    suffix = inner.suffix.lower()
    named = kind_named(suffix)
    if compression := compression_of(begin):
        if not FORMATS[named].is_text:
            raise InputError(
                f"{name} is a {suffix} file inside {compression}. Unpack it: such files are "
                "compressed inside already."
            )
        return named
    beginning = kind_beginning(begin)
    if beginning is None and not FORMATS[named].is_text:
        raise InputError(
            f"{name} is named {suffix} but does not begin like one: {begin!r}. Is it damaged, or "
            "another kind of file? Then rename it."
        )
    return beginning or named


def _check_inner(path: Path, inner: PurePath, name: str) -> None:
    """Of a file in an archive: nothing packed twice, and svmlight is told by the outer name."""
    try:
        with open_bytes(path, name)[0] as stream:
            begin = first_bytes(stream)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {reason(error)}.") from None
    hidden = kind_named(inner.suffix) == "svmlight" and not is_svmlight(path)
    if compression_of(begin) or hidden:
        raise InputError(f"{name} holds {inner.name!r}. Unpack it, and give that file.")


def stamp(path: str | Path) -> tuple[int, int]:
    """Size and time of the last change."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
