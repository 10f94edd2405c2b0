"""Which files are meant, and what they hold."""

from __future__ import annotations

import csv
import glob
import hashlib
import json
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, final

from rosenblatt._util.files import cache_folder
from rosenblatt._util.remote import Remote, remote
from rosenblatt.data.formats import FORMATS, REFUSED, kind_beginning, kind_named
from rosenblatt.data.opening import (
    ZIP,
    claimed_compression,
    compression_of,
    first_bytes,
    inner_name,
    kind_of_archive,
    open_bytes,
    unreadable,
)
from rosenblatt.errors import FileError, InputError, InputTypeError

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
    called: str | None = None  # how messages call record {0}, and record {1} below the header

    def check_unchanged(self) -> None:
        if self.kind != "frame" and stamp(self.path) != self.stamp:
            raise InputError(f"{self.name} was changed while it was read. Read it again.")


@final
class Spool:
    """A temporary file that lives as long as this object."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="rosenblatt-")
        os.close(handle)
        self.path = Path(name)
        weakref.finalize(self, _remove, self.path, os.getpid())

    def write(self, rows: Iterable[tuple[int, Iterable[str]]]) -> int:
        """Rows as text, each with its number: those between them are empty. Returns their end."""
        end = 0
        with open(self.path, "w", encoding="utf-8", newline="") as text:
            text.write("sep=,\n")
            writer = csv.writer(text, lineterminator="\n")
            for number, row in rows:
                text.write("\n" * (number - end))
                writer.writerow(row)
                end = number + 1
        return end

    def text_of(self, file: File, called: str, sheet: str | None = None) -> File:
        """What was written here in the place of a file."""
        written = stamp(self.path)
        return replace(
            file, path=self.path, kind="text", stamp=written, keep=self, sheet=sheet, called=called
        )


def _remove(path: Path, process: int) -> None:
    if os.getpid() == process:  # and no child of it, which has it by a fork
        path.unlink(missing_ok=True)


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
    if (there := remote(text)) is not None:
        with _as_input(text):
            matching = [one.address for one in there.matching()]
        if not matching:
            raise InputError(f"No file matches the pattern {text}.")
        return [_look(fetch(address), address) for address in matching]
    if not os.path.lexists(text) and glob.has_magic(text):
        paths = sorted(path for path in glob.glob(text, recursive=True) if os.path.isfile(path))
        if not paths:
            raise InputError(f"No file matches the pattern {text}.")
        return [_look(Path(path), path) for path in paths]
    return [_look(Path(text), text)]


def _standard_input() -> File:
    """What comes in is kept in a temporary file, since it is read more than once."""
    spool = Spool()
    with open(spool.path, "wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
    return _look(spool.path, STANDARD_INPUT, keep=spool)


def _look(path: Path, name: str, keep: Any = None) -> File:
    if os.path.isdir(path):
        raise InputError(
            f"{name} is a folder. Give its files, as in {os.path.join(name, '*.csv')}."
        )
    try:
        with open(path, "rb") as file:
            begin = first_bytes(file)
        version = stamp(path)
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    if not begin:
        raise InputError(f"{name} is empty: a table begins with the names of its columns.")
    for magic, words in REFUSED.items():
        if begin.startswith(magic):
            raise InputError(f"{name} is {words}.")
    return File(path, name, _kind(path, name, begin), version, keep)


def _kind(path: Path, name: str, begin: bytes) -> str:
    """What the file holds: its first bytes have the last word."""
    inner: PurePath = path.with_suffix("") if claimed_compression(path) else path
    if begin.startswith(ZIP):
        if kind := kind_of_archive(path, name):
            return kind
        inner = inner_name(path, name)
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
        raise unreadable(name, error) from None
    hidden = kind_named(inner.suffix) == "svmlight" and not is_svmlight(path)
    if compression_of(begin) or hidden:
        raise InputError(f"{name} holds {inner.name!r}. Unpack it, and give that file.")


def stamp(path: str | Path) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


# --- Files of other machines, named by an address: s3://bucket/part-*.parquet ---------------------

_FOLDER = "remote"


class Fetched(type(Path())):  # type: ignore[misc] # which one depends on the system
    """The path of a copy. Pickled, it is the address: whoever unpickles it has a copy of their
    own."""

    address: str
    mark: str

    def __reduce__(self) -> tuple[Any, ...]:
        return fetch, (self.address, self.mark)


def fetch(address: str, mark: str | None = None) -> Fetched:
    """A copy of this file in the cache; made now if it is not there. With a mark: if the file is
    still the same."""
    there = Remote(address)
    with _as_input(address):
        about = there.about()
    if about is None:
        raise InputError(f"There is no file {address}.")
    if about["type"] == "directory":
        raise InputError(f"{address} is a folder. Give its files, as in {address}/*.parquet.")
    now = _mark(address, about)
    if mark is not None and mark != now:
        raise InputError(f"{address} was changed while it was read. Read it again.")
    place = cache_folder().absolute() / _FOLDER / now / there.name
    if not place.exists():
        _bring(there, place, now)
    copy = Fetched(place)
    copy.address, copy.mark = address, now
    return copy


def _mark(address: str, about: dict[str, Any]) -> str:
    """Changes with the file, as far as its machine tells."""
    version = {k: str(v) for k, v in about.items() if k in _CHANGING and v is not None}
    return hashlib.sha256(json.dumps([address, version], sort_keys=True).encode()).hexdigest()


_CHANGING = ("size", "ETag", "etag", "mtime", "LastModified", "last_modified", "created", "updated")


def _bring(there: Remote, place: Path, mark: str) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=place.parent)
    os.close(handle)
    try:
        with _as_input(there.address):
            there.download(part)
        # Every copy has the same time, so that all machines see the same file.
        seconds = int(mark[:8], 16)
        os.utime(part, ns=(seconds * 10**9, seconds * 10**9))
        os.replace(part, place)
    finally:
        if os.path.exists(part):
            os.unlink(part)


@contextmanager
def _as_input(address: str) -> Iterator[None]:
    """Tables of this machine are no FileError either."""
    try:
        yield
    except FileError as error:
        raise InputError(str(error), file=address) from None
