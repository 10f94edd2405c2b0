"""Delimited text: CSV, TSV and their relatives. pyarrow parses; here it is told what to parse.

A number is read as the float64 nearest to what is written. No type is trusted because the first
rows have it: a column that turns out to hold something else is read again as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, replace
from itertools import islice
from typing import Any, NamedTuple, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from rosenblatt._util.spelling import option
from rosenblatt._util.text import many
from rosenblatt.data.ahead import done_ahead
from rosenblatt.data.batch import (
    TEXT,
    Batch,
    Kind,
    Place,
    Reader,
    Recode,
    converted,
    first_not_number,
    not_numbers,
    numbers_of,
)
from rosenblatt.data.dialect import QUOTE, Dialect, Sniffed, TooLong, blocks, last_records
from rosenblatt.data.files import File
from rosenblatt.data.formatted_numbers import MARKS
from rosenblatt.data.opening import open_bytes, reason, unreadable
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

_WIDE = 1_000  # columns: each one's share of memory counts
_NOTES = 10  # lines below a table
_SMALL = 1 << 16  # bytes: less is read by one thread
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


@final
class TextFiles(Reader):
    def __init__(self, sniffed: Sniffed):
        super().__init__(sniffed.files, sniffed.names, sniffed.reading)
        self.dialect: Dialect = sniffed.dialect

    def as_written(self) -> Self:
        twin = self.copy()
        twin.dialect = replace(self.dialect, na_values=())
        return twin

    @property
    def reading(self) -> Reading:
        mark, delimiter = self.dialect.decimal, self.dialect.delimiter
        return replace(self._reading, delimiter=delimiter, mark=mark, styles=self.styles)

    @property
    def decimal(self) -> str:
        return self.dialect.decimal

    @property
    def fingerprint(self) -> dict[str, Any]:
        return asdict(self.dialect) | self.reading.styles_to_dict()

    def kinds(self, wanted: list[str]) -> dict[str, Kind]:
        head = self.dialect.head(self.files[0])
        if self.dialect.footer:
            head = head[: last_records(head, self.dialect.footer, self.dialect.delimiter)]
        head = self.dialect.body(head)
        if not head.strip():
            return dict.fromkeys(wanted, Kind.NUMBER)
        rows = self._strings(head, wanted, self._place(self.files[0], 0))
        return self._learn_kinds([rows], wanted)

    def batches(self, kinds: dict[str, Kind], *, declared: bool = False) -> Generator[Batch]:
        types = {
            name: pa.float64() if k is Kind.NUMBER and name not in self.styles else TEXT
            for name, k in kinds.items()
        }
        row = 0
        tried = done_ahead(lambda work: self._try(work[-1], types), self._blocks())
        for (file, begins, share, block), attempt in tried:
            row = 0 if begins else row
            current = attempt.decimal == self.dialect.decimal  # or the mark was found out since
            try:
                table = self._checked(
                    attempt if current else self._try(block, types),
                    block,
                    types,
                    self._place(file, row),
                )
            except _NotNumbers:
                self._think_again(kinds, declared, block, self._place(file, row))
                table = self._parse(block, types, self._place(file, row))
            for batch in table.to_batches():
                styled = self._styled(batch, kinds, self._place(file, row))
                yield Batch(styled, file, row, share, dialect=self.dialect)
                row += batch.num_rows
        for file in self.files:
            file.check_unchanged()

    def _place(self, file: File, row: int) -> Place:
        return Place(file, row, self.dialect)

    def _styled(self, batch: Any, kinds: dict[str, Kind], place: Place) -> Any:
        for name, style in self.styles.items():
            if kinds.get(name) is Kind.NUMBER:
                j = batch.schema.get_field_index(name)
                numbers = converted(batch.column(j), style, name, place)
                batch = batch.set_column(j, name, numbers)
        return batch

    # --- What the columns hold ---

    def _think_again(
        self, kinds: dict[str, Kind], declared: bool, block: Any, place: Place
    ) -> None:
        """Read everything as text to see which columns are no numbers. Where the kinds are
        declared, perhaps it was the decimal mark that could not be known before."""
        mark = self.dialect.decimal
        wanted = self._plain(kinds)
        learned = self._learn_kinds(self._all_strings(wanted), wanted)
        if not declared:
            raise Recode(kinds | learned) from None
        if self.dialect.decimal == mark:
            self._refuse(block, kinds, place)

    def _plain(self, kinds: dict[str, Kind]) -> list[str]:
        """The columns of numbers that are written as programs write them."""
        return [n for n, kind in kinds.items() if kind is Kind.NUMBER and n not in self.styles]

    def _learn_kinds(self, tables: Any, wanted: list[str]) -> dict[str, Kind]:
        """Kinds, and whether a comma is meant by the decimal point: where that makes more columns
        numbers. With commas between the fields it never is, but where that was said."""
        mark = self.dialect.decimal
        marks = sorted(MARKS, key=lambda other: other != mark)
        if self._reading.decimal or self.dialect.delimiter == ",":
            marks = [mark]
        text: dict[str, set[str]] = {mark: set() for mark in marks}
        for table in tables:
            for mark in marks:
                rest = [name for name in wanted if name not in text[mark]]
                text[mark] |= not_numbers(table, rest, mark)
        best = min(marks, key=lambda mark: len(text[mark]))
        self.dialect = replace(self.dialect, decimal=best)
        return {name: Kind.TEXT if name in text[best] else Kind.NUMBER for name in wanted}

    def _all_strings(self, wanted: list[str]) -> Iterator[Any]:
        row = 0
        for file, begins, _, block in self._blocks():
            row = 0 if begins else row
            table = self._strings(block, wanted, self._place(file, row))
            row += table.num_rows
            yield table

    def _strings(self, block: Any, wanted: list[str], place: Place) -> Any:
        return self._parse(block, dict.fromkeys(wanted, pa.string()), place)

    # --- Reading ---

    def _blocks(self) -> Generator[tuple[File, bool, float, Any]]:
        """Whole records without the header, whether they are the first of the file, and how much
        of it is read."""
        for file in self.files:
            file.check_unchanged()
            first = True
            try:
                stream, position = open_bytes(file.path, file.name)
                with stream:
                    text = self.dialect.text(stream, file)
                    for block in self._without_footer(blocks(text, self.dialect.delimiter)):
                        rest = self.dialect.body(block) if first else block
                        if len(rest) > 1000 or bytes(rest).strip():
                            yield file, first, position() / file.stamp[0], rest
                        first = False
            except TooLong:
                raise InputError(
                    f"{file.name} has a row that does not end: somewhere a quote is opened and "
                    "never closed.",
                    file=file.name,
                ) from None
            except (OSError, pa.ArrowException) as error:
                raise unreadable(file.name, error) from None

    def _without_footer(self, parts: Iterator[Any]) -> Iterator[Any]:
        """Without the last records, which wait until it is known that others follow."""
        if not self.dialect.footer:
            yield from parts
            return
        waiting = b""
        for part in parts:
            text = waiting + bytes(part)
            begin = last_records(text, self.dialect.footer, self.dialect.delimiter)
            if begin:
                yield memoryview(text)[:begin]
            waiting = text[begin:]

    def _parse(self, block: Any, types: dict[str, Any], place: Place) -> Any:
        return self._checked(self._try(block, types), block, types, place)

    def _try(self, block: Any, types: dict[str, Any]) -> _Attempt:
        """The place of the block, for errors, need not be known yet."""
        decimal = self.dialect.decimal
        try:
            return _Attempt(decimal, self._table(block, types))
        except pa.ArrowInvalid as error:
            return _Attempt(decimal, error=error)

    def _table(self, block: Any, types: dict[str, Any]) -> Any:
        if len(types) <= TOGETHER:
            return self._read(block, types)
        missing = self._missing(block, len(types))
        table = at_once(block, types, self.names, self.dialect, missing)
        return some_at_a_time(self._read, block, types) if table is None else table

    def _checked(self, attempt: _Attempt, block: Any, types: dict[str, Any], place: Place) -> Any:
        if attempt.error is None:
            return attempt.table
        text = str(attempt.error)
        if "conversion error to double" in text:
            raise _NotNumbers
        if "invalid UTF8" in text:
            raise InputError(self._not_utf8(block, types, place))
        raise InputError(self._ragged(block, place) or f"{place}: {reason(attempt.error)}.")

    def _read(
        self, block: Any, types: dict[str, Any], *, size: int | None = None, threads: bool = True
    ) -> Any:
        size = size or max(1 << 20, 2048 * len(self.names))  # wide rows: some thousand at a time
        size = min(size, len(block) + 1)  # so much is reserved
        # A thread of Arrow that lets go of the bytes while a short process ends would abort it.
        threads = threads and len(block) > _SMALL
        try:
            return arrow_csv.read_csv(
                pa.BufferReader(pa.py_buffer(block)),
                arrow_csv.ReadOptions(
                    column_names=self.names, block_size=size, use_threads=threads
                ),
                arrow_csv.ParseOptions(
                    delimiter=self.dialect.delimiter,
                    newlines_in_values=bool((np.frombuffer(block, np.uint8) == QUOTE).any()),
                ),
                arrow_csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(types),
                    null_values=self._missing(block, len(types)),
                    strings_can_be_null=True,
                    decimal_point=self.dialect.decimal,
                ),
            )
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) or size > len(block):
                raise
            return self._read(block, types, size=len(block) + 1, threads=threads)  # a long row

    def _missing(self, block: Any, columns: int) -> list[str]:
        """The words for what is missing. pyarrow makes a dictionary of them for every column, some
        kilobytes: of very many columns only those words that occur."""
        text = bytes(block) if columns > _WIDE else None
        return [w for w in self.dialect.na_values if text is None or w.encode() in text]

    # --- What is wrong, and where ---

    def _ragged(self, block: Any, place: Place) -> str | None:
        """About a row with more or fewer fields than the header; None if there is none."""
        try:  # by one thread, since several do not count rows
            self._read(block, dict.fromkeys(self.names, pa.binary()), threads=False)
            return None
        except pa.ArrowInvalid as error:
            match = _RAGGED.search(str(error))
        if match is None:
            return None
        number, expected, got = (int(v) for v in match.groups()[:3])
        below = len(bytes(block).rpartition(match[4][:100].encode())[2].rstrip().splitlines())
        fields = f"{place.below(number - 1)} has {many(got, 'field', 'one')}"
        if got < expected and below < _NOTES and len(bytes(block).splitlines()) > 2 * _NOTES:
            return (
                f"{fields} where the header has {expected}: {match[4][:100]!r}. If the table ends "
                f"above, leave out what follows: {option('skip_footer', below + 1)}."
            )
        only = f" ({self.names[0][:60]!r})" if len(self.names) == 1 else ""
        return (
            f"{fields} where the header has {expected}{only}: {match[4][:100]!r}. A field that "
            f"holds the delimiter {self.dialect.delimiter!r} or a quote needs quotes around it. If "
            "the fields are divided by something else, say so: "
            f"{option('sep', ';')}, or 'tab', or 'whitespace'."
        )

    def _not_utf8(self, block: Any, types: dict[str, Any], place: Place) -> str:
        """About the first value that is no text."""
        texts = [name for name, kind in types.items() if kind != pa.float64()]
        table = self._read(block, dict.fromkeys(texts, pa.binary()))
        for name in texts:
            for i, value in enumerate(table.column(name).to_pylist()):
                try:
                    (value or b"").decode()
                except UnicodeDecodeError:
                    return (
                        f"{place.below(i)}, column {name!r} holds {value!r}, which is not UTF-8 "
                        "text. Save the file as UTF-8, or say how it is written: "
                        f"{option('encoding', 'cp1252')} for most files of Western European "
                        "Windows."
                    )
        return f"{place.file.name} is not UTF-8 text."

    def _refuse(self, block: Any, kinds: dict[str, Kind], place: Place) -> None:
        names = self._plain(kinds)
        table = self._strings(block, names, place)
        for name in names:
            row = first_not_number(table.column(name), self.dialect.decimal)
            if row is not None:
                value = table.column(name)[row].as_py()
                sentence = f"column {name!r} holds {value!r}: a number is expected."
                if value == name:
                    header = option("header", True)
                    sentence += f" If the first line has the names of columns, use {header}."
                raise place.below(row).error(sentence, column=name, value=value)


class _Attempt(NamedTuple):
    decimal: str  # the mark that it was read with
    table: Any = None
    error: Exception | None = None


class _NotNumbers(Exception):  # noqa: N818 - caught here
    """A column of numbers holds something else."""


# --- Text of very many columns: pyarrow takes microseconds and kilobytes for every one -----------

TOGETHER = 20_000  # columns that pyarrow parses at a time


def some_at_a_time(read: Callable[..., Any], block: Any, types: dict[str, Any]) -> Any:
    rest, columns = iter(types.items()), []
    while some := dict(islice(rest, TOGETHER)):
        columns += read(block, some).columns
    return pa.Table.from_arrays(columns, names=list(types))


def at_once(
    block: Any, types: dict[str, Any], names: list[str], dialect: Dialect, missing: list[str]
) -> Any:
    """All fields as one column, then dealt out; None unless every record is a line without quotes
    that has as many fields as there are names."""
    text = bytes(block)
    text = text.replace(b"\r\n", b"\n").removesuffix(b"\n")
    between = dialect.delimiter.encode()
    if b'"' in text or b"\r" in text:
        return None
    lines = text.split(b"\n")
    if any(line.count(between) != len(names) - 1 for line in lines):
        return None
    fields = _fields(text.replace(between, b"\n"), dialect.delimiter, missing)
    if len(fields) != len(lines) * len(names):
        return None
    place = {name: j for j, name in enumerate(names)}
    deal = np.arange(len(fields)).reshape(len(lines), len(names)).T
    return _dealt(fields, deal, {name: place[name] for name in types}, types, dialect.decimal)


def _fields(text: bytes, delimiter: str, missing: list[str]) -> Any:
    table = arrow_csv.read_csv(
        pa.BufferReader(text),
        arrow_csv.ReadOptions(column_names=["field"], block_size=len(text) + 1, use_threads=False),
        arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
        arrow_csv.ConvertOptions(
            column_types={"field": pa.string()}, null_values=missing, strings_can_be_null=True
        ),
    )
    return table.column("field").combine_chunks()


def _dealt(
    fields: Any, deal: Any, places: dict[str, int], types: dict[str, Any], decimal: str
) -> Any:
    rows, columns = deal.shape[1], dict.fromkeys(types)
    for kind in set(types.values()):
        chosen = [name for name, own in types.items() if own == kind]
        values = fields.take(pa.array(deal[[places[name] for name in chosen]].ravel()))
        if kind == pa.float64():
            values = numbers_of(values, decimal)
            if values is None:  # as pyarrow says it
                raise pa.ArrowInvalid("conversion error to double")
        for k, name in enumerate(chosen):
            column = values.slice(k * rows, rows)
            columns[name] = column.dictionary_encode() if kind == TEXT else column
    return pa.Table.from_arrays(list(columns.values()), names=list(types))
