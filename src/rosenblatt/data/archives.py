"""Zip archives: one that holds a single file is read as that file; a workbook is one, too."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, final

from rosenblatt._util.text import listed
from rosenblatt.data.formats import FORMATS, REFUSED_ENTRIES
from rosenblatt.errors import InputError

ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # how archives begin, the second kind being empty
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
    """The name of the one file in an archive."""
    with _opened(path, name) as archive:
        return PurePosixPath(_entry(archive, name).filename)


def opened_archive(stream: IO[bytes], name: str) -> io.BufferedReader:
    """The bytes of the one file in an archive. Closing it closes the stream."""
    try:
        archive = zipfile.ZipFile(stream)
        return io.BufferedReader(_Inside(archive.open(_entry(archive, name)), stream))
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


@final
class _Inside(io.RawIOBase):
    """A file in an archive; what is damaged is an OSError, as it is of other files."""

    def __init__(self, member: IO[bytes], stream: IO[bytes]):
        self._member, self._stream = member, stream

    def readable(self) -> bool:
        return True

    def readinto(self, room: memoryview) -> int:  # type: ignore[override] # of bytes alone
        try:
            block = self._member.read(len(room))
        except _DAMAGED as error:
            raise OSError(str(error)) from None
        room[: len(block)] = block
        return len(block)

    def close(self) -> None:
        self._member.close()
        self._stream.close()
        super().close()
