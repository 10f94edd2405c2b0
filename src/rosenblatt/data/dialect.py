"""How a text file is written: its delimiter, its character set, the names of its columns."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many
from rosenblatt.data.ahead import AT_ONCE
from rosenblatt.data.files import File
from rosenblatt.data.formats import in_words
from rosenblatt.data.naming import DELIMITERS, check_header, refuse_other_columns, refuse_title
from rosenblatt.data.opening import Pieces, open_bytes, unreadable
from rosenblatt.data.options import BLANKS, Reading
from rosenblatt.errors import InputError

_SPELLINGS = ("NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-nan", "-NaN", "NULL", "null")
# Fields of files that hold nothing.
MISSING = ("", " ", *_SPELLINGS, "<NA>", *(f" {word}" for word in (*_SPELLINGS, "<NA>")))
_HEAD = 1 << 20
_SHOWN = 30  # names of columns
MOST_COLUMNS = 500_000  # of text: each takes some kilobytes while it is read
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SEPARATOR_LINE = re.compile(rb"sep=(.)\r?\n")  # how spreadsheets announce the delimiter


@dataclass(frozen=True)
class Dialect:
    delimiter: str
    decimal: str
    encoding: str
    header: int  # records that make the names
    na_values: tuple[str, ...]
    names: tuple[str, ...] | None = None  # that were said
    skip: int = 0  # lines above the header
    footer: int = 0  # records below the rows
    like_data: tuple[str, ...] = ()  # names of columns that look like values

    def body(self, block: Any) -> Any:
        """The beginning of a file without what comes before its rows."""
        for size in (_HEAD, len(block)):  # a header of megabytes is rare
            rest = begin = bytes(block[:size])
            rest = self.from_header(rest)
            for _ in range(self.header):
                rest = rest[first_record(rest, self.delimiter)[1] :]
            if rest:
                break
        return block[len(begin) - len(rest) :]

    def from_header(self, text: bytes) -> bytes:
        return below(announced(text)[0], self.skip)

    def text(self, stream: BinaryIO, file: File) -> io.RawIOBase:
        """What a file holds, as UTF-8, with one delimiter between fields."""
        utf8 = as_utf8(stream, self.encoding, file)
        return Pieces(joined_lines(utf8)) if self.delimiter == BLANKS else utf8

    def head(self, file: File) -> bytes:
        text = head(file, self.encoding)[0]
        return joined(text) if self.delimiter == BLANKS else text


@final
@dataclass(frozen=True)
class Sniffed:
    files: list[File]
    reading: Reading
    dialect: Dialect
    names: list[str]


def sniff(files: list[File], reading: Reading) -> Sniffed:
    """The dialect and the columns of the first file; the others have the same."""
    missing = (*MISSING, *reading.na_values, *(f" {word}" for word in reading.na_values))
    text, encoding = head(files[0], reading.encoding)
    skip = reading.skip_rows or 0
    said = (reading.skip_rows, reading.header, reading.header_rows, reading.names)
    if all(value is None for value in said):
        rest, declared = announced(text)
        refuse_title(files[0].name, rest, reading.sep or declared)
    delimiter = reading.sep or _delimiter(text, skip, files[0], reading.delimiter)
    mark = reading.decimal or (reading.mark if delimiter != "," else ".")
    header = 0 if reading.header is False else reading.header_rows or 1
    footer = reading.skip_footer or 0
    dialect = Dialect(delimiter, mark, encoding, header, missing, reading.names, skip, footer)
    text = dialect.head(files[0])
    names = _names(text, dialect, files[0], reading)
    if reading.header is None:
        strange = check_header(files[0].name, names, bytes(dialect.body(text)), delimiter)
        dialect = replace(dialect, like_data=tuple(strange))
    for file in files[1:]:
        here = _names(dialect.head(file), dialect, file, reading)
        refuse_other_columns(files[0].name, names, file.name, here)
    return Sniffed(files, reading, dialect, names)


def head(file: File, encoding: str | None, size: int = _HEAD) -> tuple[bytes, str]:
    try:
        with open_bytes(file.path, file.name)[0] as stream:
            begin = stream.read(4)
        if encoding is None:
            encoding = next((c for bom, c in _BOMS.items() if begin.startswith(bom)), "utf-8")
        with open_bytes(file.path, file.name)[0] as stream:
            text = as_utf8(stream, encoding, file)
            buffer, end = bytearray(size), 0
            while got := text.readinto(memoryview(buffer)[end:]):
                end += got
    except LookupError:
        raise InputError(
            f"{option('encoding', encoding)} is not a character set that Python knows. Try utf-8, "
            "cp1252 or "
            "utf-16.",
            option="encoding",
            value=encoding,
        ) from None
    except Exception as error:  # pyarrow's and the system's, for damaged files
        if isinstance(error, InputError):
            raise
        raise unreadable(file.name, error) from None
    whole = bytes(buffer[:end])
    if end == len(buffer):
        whole = whole[: end_of_records(whole, ",")]
        if not whole and size < LONGEST:
            return head(file, encoding, 8 * size)
    if b"\0" in whole:
        raise InputError(
            f"{file.name} is not a table of text: it holds zero bytes. Tables can be "
            f"{in_words('or')} files.",
            file=file.name,
        )
    return whole, encoding


def as_utf8(stream: BinaryIO, encoding: str, file: File) -> io.RawIOBase:
    if codecs.lookup(encoding).name == "utf-8":
        return stream  # type: ignore[return-value] # of which only readinto is asked
    return Pieces(_recoded(stream, encoding, file))


def _recoded(stream: BinaryIO, encoding: str, file: File) -> Iterator[bytes]:
    decoder, block = codecs.getincrementaldecoder(encoding)(), b"begin"
    while block:
        block = stream.read(1 << 16)
        try:
            yield decoder.decode(block, final=not block).encode()
        except UnicodeError as error:
            raise InputError(f"{file.name} is not written in {encoding}: {error}.") from None


def announced(text: bytes) -> tuple[bytes, str | None]:
    """Without the byte order mark and a line that announces the delimiter; and that delimiter."""
    text = text.removeprefix(codecs.BOM_UTF8)
    line = _SEPARATOR_LINE.match(text)
    return (text[line.end() :], line[1].decode("latin-1")) if line else (text, None)


def below(text: bytes, lines: int) -> bytes:
    """Without the first lines."""
    line_end, begin = b"\n" if b"\n" in text else b"\r", 0
    for _ in range(lines):
        begin = text.find(line_end, begin) + 1 or len(text)
    return text[begin:]


def _delimiter(text: bytes, skip: int, file: File, first: str) -> str:
    """The one that is announced, or that the file is named after, or most often in the header."""
    text, declared = announced(text)
    if declared:
        return declared
    text = below(text, skip)
    if any(suffix.lower() in (".tsv", ".tab") for suffix in file.path.suffixes):
        return "\t"
    counts = {}
    for delimiter in DELIMITERS:
        record = text[slice(*first_record(text, delimiter))].decode(errors="replace")
        outside = re.sub(r'"[^"]*"', "", record)
        counts[delimiter] = outside.count(delimiter)
    likeliest = max(DELIMITERS, key=lambda d: (counts[d], d == first))  # the first of equals
    return BLANKS if are_between_fields(text, likeliest, counts[likeliest]) else likeliest


def _names(text: bytes, dialect: Dialect, file: File, reading: Reading) -> list[str]:
    text = dialect.from_header(text)
    begin, end = first_record(text, dialect.delimiter)
    for _ in range(dialect.header - 1):
        end += first_record(text[end:], dialect.delimiter)[1]
    try:
        header = text[begin:end].decode()
    except UnicodeDecodeError:
        raise InputError(
            f"{file.name} is not UTF-8 text: its first line is {text[begin:end][:80]!r}. Save it "
            f"as UTF-8, or say how it is written: {option('encoding', 'cp1252')} for most "
            "files of Western European Windows.",
            file=file.name,
        ) from None
    reader = csv.reader(io.StringIO(header, newline=""), delimiter=dialect.delimiter)
    fields = _joined_names([record for record in reader if record])
    if not fields:
        raise InputError(
            f"{file.name} is empty: a table begins with the names of its columns.", file=file.name
        )
    if len(fields) > MOST_COLUMNS:
        raise InputError(
            f"{file.name}, line 1 has {len(fields):,} fields. A table may have up to "
            f"{MOST_COLUMNS:,} columns. Rows of more numbers, most of them 0, can be an svmlight "
            "file; others an array, in Python.",
            file=file.name,
        )
    if dialect.names is not None:
        return _names_given(list(dialect.names), len(fields), file, reading)
    if not dialect.header:
        return [f"x{j}" for j in range(len(fields))]
    return fields


def _names_given(names: list[str], width: int, file: File, reading: Reading) -> list[str]:
    """New rows may lack the target, or all columns that the rule does not read, where that leaves
    no doubt which columns the others are."""
    needed, target = reading.needed, reading.target or ""
    if len(names) == width:
        return names
    if not needed:
        raise InputError(
            f"{option('names')} has {many(len(names), 'name')}, and {file.name} has "
            f"{many(width, 'column')}. Give a name for each.",
            option="names",
            value=tuple(names),
            file=file.name,
        )
    read = [name for name in names if name in needed]
    if len(read) == width:
        return read
    spare = [name for name in names if name not in needed]
    if len(names) - 1 == width and target in spare:
        each = {lacking: [name for name in names if name != lacking] for lacking in spare}
        if len({tuple(map(others.index, read)) for others in each.values()}) == 1:
            return each[target]
    labels = f" The target, {target!r}, must be one of them." if target in needed else ""
    raise InputError(
        f"{file.name} has {many(width, 'column')}, and the training table had {len(names):,}: "
        f"{listed([repr(name) for name in names], _SHOWN)}. Say which these are: "
        f"{option('names', 'A,B,...')}, with a name for each.{labels}",
        option="names",
        file=file.name,
    )


def _joined_names(records: list[list[str]]) -> list[str]:
    """A name of the upper lines holds for the columns on its right that have none there, up to the
    next name of a line above."""
    width = max(map(len, records), default=0)
    parts: list[list[str]] = [[] for _ in range(width)]
    for k, record in enumerate(records):
        above = ""
        for j, field in enumerate([*record, *[""] * (width - len(record))]):
            ends = k == len(records) - 1 or any(_field(other, j) for other in records[:k])
            above = field.strip() or ("" if ends else above)
            parts[j] += [above] if above else []
    return [" ".join(part) for part in parts]


def _field(record: list[str], j: int) -> str:
    return record[j].strip() if j < len(record) else ""


# --- Fields that are divided by blanks: any number of spaces and tabs counts as one ---------------

_TAKEN = 1 << 20  # bytes at a time
_LOOKED_AT = 100  # lines
_LONGEST = 1 << 16  # of a line that is looked at
_AROUND_LINES = re.compile(rb"[ \t]*(\r?\n|\r)[ \t]*")
_BETWEEN = re.compile(rb"[ \t]+")
_OUTSIDE_QUOTES = re.compile(rb'("[^"\r\n]*")|[ \t]+')
_ALIGNED = re.compile(rb"[^ \t]  +[^ \t]|^ +[^ ]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def joined(text: bytes) -> bytes:
    """Whole lines with one blank between fields, and none around them."""
    text = _AROUND_LINES.sub(rb"\1", text.removeprefix(codecs.BOM_UTF8).strip(b" \t"))
    if b'"' not in text:
        return _BETWEEN.sub(b" ", text)
    return _OUTSIDE_QUOTES.sub(lambda match: match[1] or b" ", text)


def joined_lines(stream: io.RawIOBase) -> Iterator[bytes]:
    """What a stream holds, joined some lines at a time."""
    rest, got = b"", 1
    while got:
        block = bytearray(_TAKEN)
        got = stream.readinto(memoryview(block)) or 0
        text = rest + bytes(block[:got])
        end = text.rfind(b"\n") + 1 if got else len(text)
        rest = text[end:]
        yield joined(text[:end])


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
    fields = joined(b"\n".join(lines)).decode(errors="replace")
    try:
        rows = list(csv.reader(io.StringIO(fields), delimiter=BLANKS))
    except csv.Error:
        return False
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    return any(all(map(_NUMBER.fullmatch, column)) for column in zip(*rows[1:], strict=True))


# --- Blocks of whole records: a line end inside quotes does not end a record ----------------------

QUOTE = ord('"')
BLOCK = 8 << 20
LONGEST = 256 << 20  # a longer record is a quote that is never closed


class TooLong(Exception):  # noqa: N818 - the word says what happened
    """A record has no end."""


def blocks(
    stream: io.RawIOBase, delimiter: str, size: int = BLOCK, kept: int = AT_ONCE
) -> Iterator[memoryview]:
    """Whole records, about `size` bytes at a time. A block is good until `kept` more were given
    and another one is asked for: its memory is used again."""
    others, buffer, end = deque(bytearray() for _ in range(kept)), bytearray(size), 0
    while True:
        while end < len(buffer):
            got = stream.readinto(memoryview(buffer)[end:])
            if not got:
                if end:
                    yield memoryview(buffer)[:end]
                return
            end += got
        cut = end_of_records(buffer, delimiter)
        if not cut:
            if len(buffer) >= LONGEST:
                raise TooLong
            buffer = buffer + bytearray(len(buffer))
            continue
        yield memoryview(buffer)[:cut]
        other = others.popleft()
        if len(other) < len(buffer):
            other = bytearray(len(buffer))
        other[: end - cut] = memoryview(buffer)[cut:end]
        others.append(buffer)
        buffer, end = other, end - cut


def end_of_records(block: bytearray | bytes, delimiter: str) -> int:
    """Just behind the last line end outside quotes; 0 where there is none.

    A quote opens at the beginning of a field only; inside, two of them stand for one.
    """
    line_end = b"\n" if b"\n" in block else b"\r"
    cut = block.rfind(line_end) + 1
    last = block.rfind(b'"')
    if last < 0:
        return cut
    upto = min(last + 2, len(block))  # often all quotes are in the names, at the beginning
    quotes = _quotes(np.frombuffer(block, dtype=np.uint8, count=upto), ord(delimiter))
    while cut:
        before = int(np.searchsorted(quotes, cut))
        if before % 2 == 0:
            break
        cut = block.rfind(line_end, 0, int(quotes[before - 1])) + 1
    return cut


def first_record(block: bytes, delimiter: str) -> tuple[int, int]:
    """Where the first record that is not an empty line begins, and where the next one does."""
    begin = len(block) - len(block.lstrip(b"\r\n"))
    quotes = _quotes(np.frombuffer(block[begin:] + b"\n", dtype=np.uint8), ord(delimiter)) + begin
    line_end = b"\n" if b"\n" in block else b"\r"
    end = block.find(line_end, begin) + 1
    while end and np.searchsorted(quotes, end) % 2:
        end = block.find(line_end, end) + 1
    return begin, end or len(block)


def last_records(text: bytes, count: int, delimiter: str) -> int:
    """Where the last records begin that are no empty lines; 0 where there are no others."""
    begin = len(text)
    for _ in range(count):
        end = len(text[:begin].rstrip(b"\r\n"))
        begin = end_of_records(text[:end], delimiter)
    return begin


def _quotes(text: NDArray[np.uint8], delimiter: int) -> NDArray[np.intp]:
    """Places of the quotes that open and close, in turn."""
    quotes = np.flatnonzero(text == QUOTE)
    ends = np.array([delimiter, *b"\r\n"], dtype=np.uint8)
    before = text[quotes - 1]
    starts = np.isin(before, ends) | (quotes == 0)
    doubled = np.zeros(len(quotes), dtype=bool)  # the quote follows another one
    doubled[1:] = np.diff(quotes) == 1
    after = text[np.minimum(quotes + 1, len(text) - 1)]
    closes = np.isin(after, ends) | (after == QUOTE) | (quotes == len(text) - 1)
    if (starts | doubled)[0::2].all() and closes[1::2].all():
        return quotes
    return _one_by_one(quotes.tolist(), starts.tolist())


def _one_by_one(quotes: list[int], starts: list[bool]) -> NDArray[np.intp]:
    """Where quotes also stand inside fields that have none, as in 5" pipe."""
    places: list[int] = []
    k = 0
    while k < len(quotes):
        if len(places) % 2 == 0:
            if starts[k]:
                places.append(quotes[k])
        elif k + 1 < len(quotes) and quotes[k + 1] == quotes[k] + 1:
            k += 1  # two for one
        else:
            places.append(quotes[k])
        k += 1
    return np.array(places, dtype=np.intp)
