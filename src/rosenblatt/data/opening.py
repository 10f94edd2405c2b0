"""Files are opened by their first bytes: compressed ones are unpacked, whatever they are called."""

from __future__ import annotations

import io
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, Any, BinaryIO, final

from rosenblatt._util.text import listed
from rosenblatt.data.formats import FORMATS, REFUSED_ENTRIES
from rosenblatt.errors import InputError, InputTypeError

ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # how archives begin, the second kind being empty
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
_COMPRESSIONS |= dict.fromkeys(ZIP, "zip")
_SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".zip": "zip"}
_FIRST = 8  # bytes that are looked at
_TAKEN = 1 << 16  # bytes at a time
_END: Any = object()


def compression_of(begin: bytes) -> str | None:
    return next((name for magic, name in _COMPRESSIONS.items() if begin.startswith(magic)), None)


def claimed_compression(path: str | os.PathLike[str]) -> str | None:
    """How a file is compressed, if its name is to be believed."""
    return _SUFFIXES.get(PurePath(path).suffix.lower())


def first_bytes(stream: IO[bytes]) -> bytes:
    """Enough to know what it is; fewer only if there are no more."""
    begin = b""
    while len(begin) < _FIRST and (more := stream.read(_FIRST - len(begin))):
        begin += more
    return begin


def open_bytes(path: str | os.PathLike[str], name: str) -> tuple[BinaryIO, Callable[[], int]]:
    """The bytes of a file, unpacked, and how many of its own were read for them.

    `name` is what messages call it. Reading raises OSError where they are damaged.
    """
    try:
        file = open(path, "rb", buffering=0)  # noqa: SIM115 - the caller closes it
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    try:
        return unpacked(file, name, claimed_compression(path)), file.tell
    except BaseException as error:
        file.close()
        if isinstance(error, OSError):
            raise unreadable(name, error) from None
        raise


def unpacked(
    stream: IO[bytes], name: str, claimed: str | None = None, *, lent: bool = False
) -> BinaryIO:
    """What a stream holds from where it stands. Closing it closes the stream, but a lent one."""
    begin = first_bytes(stream)
    compression = compression_of(begin)
    if claimed and compression is None:
        raise InputError(
            f"{name} has the suffix of {claimed} but is not compressed: it begins with "
            f"{begin!r}. Is it damaged, or was it unpacked already? Then rename it."
        )
    whole = _rewound(stream, begin, lent)
    if compression is None:
        return whole
    if compression == "zip":
        if not whole.seekable():
            raise InputError(
                f"{name} is a zip archive, which cannot be read from a pipe: unpack it."
            )
        return opened_archive(whole, name)
    try:
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]  # it ships no types
    except ImportError:
        raise InputError(
            f"{name} is compressed by {compression}: reading it needs pyarrow. Install that, or "
            "unpack the file first."
        ) from None
    # It can be read but not iterated over by lines; Python's buffer can.
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(whole, "r"), compression))


def _rewound(stream: IO[bytes], begin: bytes, lent: bool) -> BinaryIO:
    if stream.seekable() and not lent:
        stream.seek(-len(begin), os.SEEK_CUR)
        return stream  # type: ignore[return-value] # an IO[bytes] that nothing is lost by
    pieces = chain([begin], iter(lambda: stream.read(_TAKEN), b""))
    return io.BufferedReader(Pieces(pieces, () if lent else (stream,)))


@final
class Pieces(io.RawIOBase):
    """The bytes of some pieces, one after the other; a piece None: it does not wait. Closing it
    closes what they come from."""

    def __init__(self, pieces: Iterator[bytes | None], sources: Iterable[IO[bytes]] = ()):
        super().__init__()
        self._pieces, self._left, self._sources = pieces, b"", sources

    def readable(self) -> bool:
        return True

    def readinto(self, room: memoryview, /) -> int | None:  # type: ignore[override] # of bytes alone
        while not self._left:
            piece = next(self._pieces, _END)
            if piece is None or piece is _END:
                return None if piece is None else 0
            self._left = piece
        taken, self._left = self._left[: len(room)], self._left[len(room) :]
        room[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        for source in self._sources:
            source.close()
        super().close()


def reason(error: Exception) -> str:
    """Why, in the words of the system or of pyarrow, without a full stop."""
    text = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return str(text).rstrip(".")


def unreadable(name: str, error: Exception, because: str = "") -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"There is no file {name}.", file=name)
    return InputError(f"{name} cannot be read{because}: {reason(error)}.", file=name)


# --- Where bytes come from: a path, compressed or not, an open file, standard input ---------------

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
        try:
            if hasattr(self.file, "readinto"):
                count = self.file.readinto(room)
            else:
                block = self.file.read(len(room))
                count = None if block is None else len(block)
                room[: count or 0] = block or b""
        except _UNREADABLE as error:
            raise unreadable(self.name, error) from error
        if count is None:
            raise InputError(
                f"{self.name} was opened in non-blocking mode: open it in blocking mode."
            )
        return int(count)

    def lines(self) -> Iterator[bytes]:
        try:
            yield from self.file
        except _UNREADABLE as error:
            raise unreadable(self.name, error) from error


def can_be_read_twice(source: Source) -> bool:
    if isinstance(source, (str, os.PathLike)):
        return source != "-" and os.path.isfile(source)
    return hasattr(source, "seekable") and source.seekable()


@contextmanager
def opened_source(source: Source) -> Iterator[Bytes]:
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


# --- Zip archives: one that holds a single file is read as that file; a workbook is one, too ------

_NO_FILES = ("__MACOSX/", ".DS_Store", "Thumbs.db")  # that programs add
_LARGE, _DENSE = 1 << 30, 200  # bytes; times as large as what is packed: no table is like that
_SHOWN = 5
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def kind_of_archive(path: Path, name: str) -> str | None:
    """The format of which files are archives with such entries; None if it holds a file of its own.

    InputError where it is a format that is not read.
    """
    with _opened(path, name) as archive:
        inside = set(archive.namelist())
        for kind, archived in FORMATS.items():
            if archived.entry in inside:
                for entry in archive.infolist():
                    _refuse_bomb(entry, name)
                return kind
        for refused, words in REFUSED_ENTRIES.items():
            if refused in inside:
                raise InputError(f"{name} is {words}.")
        return None


def inner_name(path: Path, name: str) -> PurePosixPath:
    with _opened(path, name) as archive:
        return PurePosixPath(_entry(archive, name).filename)


def opened_archive(stream: IO[bytes], name: str) -> io.BufferedReader:
    """The bytes of the one file in an archive. Closing it closes the stream."""
    try:
        archive = zipfile.ZipFile(stream)
        member = archive.open(_entry(archive, name))
        return io.BufferedReader(Pieces(_unpacked(member), (member, stream)))
    except _DAMAGED as error:
        raise InputError(f"{name} cannot be unpacked: {error}.") from None


def _opened(path: Path, name: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _DAMAGED as error:
        raise InputError(f"{name} cannot be unpacked, is it cut short? {error}.") from None


def _entry(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    files = [
        entry
        for entry in archive.infolist()
        if not entry.is_dir() and not entry.filename.startswith(_NO_FILES[0])
        if PurePosixPath(entry.filename).name not in _NO_FILES
    ]
    if len(files) != 1:
        names = listed([repr(entry.filename) for entry in files], _SHOWN)
        holds = f"{len(files)} files: {names}" if files else "no file"
        raise InputError(
            f"{name} is a zip archive that holds {holds}. One with a single table can be read: "
            "unpack it, and give the files that you mean."
        )
    if files[0].flag_bits & 1:
        raise InputError(f"{name} is protected by a password. Unpack it first.")
    _refuse_bomb(files[0], name)
    return files[0]


def _refuse_bomb(entry: zipfile.ZipInfo, name: str) -> None:
    if entry.file_size > _LARGE and entry.file_size > _DENSE * max(entry.compress_size, 1):
        raise InputError(
            f"{name} holds {entry.filename!r}, {entry.file_size:,} bytes packed into "
            f"{entry.compress_size:,}: archives like that are made to fill disks. If you trust it, "
            "unpack it first."
        )


def _unpacked(member: IO[bytes]) -> Iterator[bytes]:
    """What is damaged is an OSError, as it is of other files."""
    try:
        yield from iter(lambda: member.read(_TAKEN), b"")
    except _DAMAGED as error:
        raise OSError(str(error)) from None
