"""How a text file is written: its delimiter, its character set, the names of its columns."""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np

from rosenblatt._support.words import many
from rosenblatt.data import blanks
from rosenblatt.data.files import File
from rosenblatt.data.naming import check_header
from rosenblatt.data.opening import open_bytes, reason
from rosenblatt.data.records import LONGEST, Bytes, end_of_records, first_record
from rosenblatt.errors import InputError

_HEAD = 1 << 20
MOST_COLUMNS = 500_000  # of text: each takes some kilobytes while it is read
_DELIMITERS = (",", ";", "\t", "|")
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SEPARATOR_LINE = re.compile(rb"sep=(.)\r?\n")  # how spreadsheets announce the delimiter


@dataclass(frozen=True)
class Dialect:
    delimiter: str
    decimal: str
    charset: str
    header: bool
    missing: tuple[str, ...]
    names: tuple[str, ...] | None = None  # that were said
    like_data: tuple[str, ...] = ()  # names of columns that look like values

    def body(self, block: Any) -> Any:
        """The beginning of a file without what comes before its rows."""
        for size in (_HEAD, len(block)):  # a header of megabytes is rare
            begin = bytes(block[:size])
            rest = announced(begin)[0]
            end = first_record(rest, self.delimiter)[1] if self.header else 0
            if end < len(rest):
                break
        return block[len(begin) - len(rest) + end :]

    def text(self, stream: BinaryIO, file: File) -> Bytes:
        """What a file holds, as UTF-8, with one delimiter between fields."""
        found = as_utf8(stream, self.charset, file)
        return blanks.Joined(found) if self.delimiter == blanks.BLANKS else found

    def head(self, file: File) -> bytes:
        """The first rows of a file, and what comes before them."""
        found = head(file, self.charset)[0]
        return blanks.joined(found) if self.delimiter == blanks.BLANKS else found


def look(
    files: list[File],
    *,
    charset: str | None,
    header: bool | None,
    sep: str | None,
    names: tuple[str, ...] | None,
    missing: tuple[str, ...] = (),
    like: tuple[str, str] = (",", "."),
) -> tuple[Dialect, list[str]]:
    """The dialect of the first file, and the names of its columns; the others have the same.

    `header`: None: the first line is names, and refused if it looks like data. `sep` and `names`
    are what was said about it. `like`: the delimiter and the decimal mark to be preferred where the
    file leaves it open.
    """
    text, used = head(files[0], charset)
    delimiter = sep or _delimiter(text, files[0], like[0])
    decimal = like[1] if delimiter != "," else "."
    dialect = Dialect(delimiter, decimal, used, header is not False, missing, names)
    text = dialect.head(files[0])
    found = _names(text, dialect, files[0])
    if header is None:
        strange = check_header(files[0].name, found, bytes(dialect.body(text)), delimiter)
        dialect = replace(dialect, like_data=tuple(strange))
    for file in files[1:]:
        if (here := _names(dialect.head(file), dialect, file)) != found:
            raise InputError(_other_columns(files[0], found, file, here))
    return dialect, found


def head(file: File, charset: str | None, size: int = _HEAD) -> tuple[bytes, str]:
    """The first megabyte, whole records, as UTF-8; and the character set."""
    try:
        with open_bytes(file.path, file.name)[0] as stream:
            begin = stream.read(4)
        if charset is None:
            charset = next((c for bom, c in _BOMS.items() if begin.startswith(bom)), "utf-8")
        with open_bytes(file.path, file.name)[0] as stream:
            text = as_utf8(stream, charset, file)
            buffer, end = bytearray(size), 0
            while got := text.readinto(memoryview(buffer)[end:]):
                end += got
    except LookupError:
        raise InputError(
            f"charset={charset!r} is not a character set that Python knows. Try utf-8, cp1252 or "
            "utf-16."
        ) from None
    except Exception as error:  # pyarrow's and the system's, for damaged files
        if isinstance(error, InputError):
            raise
        raise InputError(f"{file.name} cannot be read: {reason(error)}.") from None
    whole = bytes(buffer[:end])
    if end == len(buffer):
        whole = whole[: end_of_records(whole, ",")]
        if not whole and size < LONGEST:
            return head(file, charset, 8 * size)
    if b"\0" in whole:
        raise InputError(
            f"{file.name} is not a table of text: it holds zero bytes. Tables can be CSV, TSV, "
            "Parquet, Feather, Arrow or svmlight files."
        )
    return whole, charset


def as_utf8(stream: BinaryIO, charset: str, file: File) -> Bytes:
    return stream if codecs.lookup(charset).name == "utf-8" else _Recoded(stream, charset, file)  # type: ignore[return-value]


class _Recoded:
    """Text of another character set, read as UTF-8."""

    def __init__(self, stream: BinaryIO, charset: str, file: File):
        self._stream, self._file, self._left = stream, file, b""
        self._charset, self._decoder = charset, codecs.getincrementaldecoder(charset)()

    def readinto(self, buffer: memoryview) -> int:
        while not self._left:
            block = self._stream.read(1 << 16)
            try:
                self._left = self._decoder.decode(block, final=not block).encode()
            except UnicodeError as error:
                raise InputError(
                    f"{self._file.name} is not written in {self._charset}: {error}."
                ) from None
            if not block:
                break
        taken, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def has_quote(block: bytes | memoryview) -> bool:
    """Searched for in what a view is of: only that has a quick way."""
    whole = block.obj if isinstance(block, memoryview) else block
    assert isinstance(whole, (bytes, bytearray))
    begin = _address(block) - _address(whole)
    return whole.find(b'"', begin, begin + len(block)) >= 0


def _address(block: Any) -> int:
    return int(np.frombuffer(block, dtype=np.uint8).__array_interface__["data"][0])


def announced(text: bytes) -> tuple[bytes, str | None]:
    """Without the byte order mark and a line that announces the delimiter; and that delimiter."""
    text = text.removeprefix(codecs.BOM_UTF8)
    found = _SEPARATOR_LINE.match(text)
    return (text[found.end() :], found[1].decode("latin-1")) if found else (text, None)


def _delimiter(text: bytes, file: File, first: str) -> str:
    """The one that is announced, or that the file is named after, or most often in the header."""
    text, said = announced(text)
    if said:
        return said
    if any(suffix.lower() in (".tsv", ".tab") for suffix in file.path.suffixes):
        return "\t"
    counts = {}
    for delimiter in _DELIMITERS:
        record = text[slice(*first_record(text, delimiter))].decode(errors="replace")
        outside = re.sub(r'"[^"]*"', "", record)
        counts[delimiter] = outside.count(delimiter)
    found = max(_DELIMITERS, key=lambda d: (counts[d], d == first))  # the first of equals
    return blanks.BLANKS if blanks.divide(text, found, counts[found]) else found


def _names(text: bytes, dialect: Dialect, file: File) -> list[str]:
    text = announced(text)[0]
    begin, end = first_record(text, dialect.delimiter)
    try:
        record = text[begin:end].decode()
    except UnicodeDecodeError:
        raise InputError(
            f"{file.name} is not UTF-8 text: its first line is {text[begin:end][:80]!r}. Save it "
            "as UTF-8, or say how it is written: charset='cp1252' (--charset cp1252) for most "
            "files of Western European Windows."
        ) from None
    fields = next(csv.reader(io.StringIO(record, newline=""), delimiter=dialect.delimiter), [])
    if not fields:
        raise InputError(f"{file.name} is empty: a table begins with the names of its columns.")
    if len(fields) > MOST_COLUMNS:
        raise InputError(
            f"{file.name}, line 1 has {len(fields):,} fields. A table may have up to "
            f"{MOST_COLUMNS:,} columns. Rows of more numbers, most of them 0, can be an svmlight "
            "file; others an array, in Python."
        )
    if dialect.names is not None:
        if len(dialect.names) != len(fields):
            raise InputError(
                f"names (--names) has {many(len(dialect.names), 'name')}, and {file.name} has "
                f"{many(len(fields), 'column')}. Give a name for each."
            )
        return list(dialect.names)
    if not dialect.header:
        return [f"x{j}" for j in range(len(fields))]
    return [field.strip() for field in fields]


def _other_columns(first: File, names: list[str], file: File, here: list[str]) -> str:
    differ = next(
        (f"{a!r} here is {b!r} there" for a, b in zip(here, names, strict=False) if a != b),
        f"there are {len(here)} here and {len(names)} there",
    )
    return (
        f"{file.name} has other columns than {first.name}: {differ}. Files that are read together "
        "have the same columns in the same order."
    )
