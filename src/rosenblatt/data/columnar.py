"""Files whose columns have types of their own, as Parquet and Stata; and data frames."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, final

import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt._util.extras import needed
from rosenblatt._util.spelling import option
from rosenblatt.data.batch import (
    TEXT,
    Batch,
    Kind,
    Place,
    Reader,
    converted,
    first_not_number,
)
from rosenblatt.data.dates import Days
from rosenblatt.data.dialect import MISSING
from rosenblatt.data.files import File
from rosenblatt.data.identifiers import rounded
from rosenblatt.data.naming import refuse_other_columns
from rosenblatt.data.opening import unreadable
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

_ROWS = 1 << 16


@final
class ColumnFiles(Reader):
    """Their columns have types."""

    def __init__(self, files: list[File], reading: Reading):
        names, self._types = _schema(files[0])
        super().__init__(files, names, reading)
        self._missing = pa.array([*MISSING, *reading.na_values])
        for file in files[1:]:
            refuse_other_columns(files[0].name, names, file.name, _schema(file)[0])

    def as_written(self) -> Self:
        twin = self.copy()
        twin._missing = pa.array([""])
        return twin

    @property
    def fingerprint(self) -> dict[str, Any]:
        return {"na_values": self._missing.to_pylist()} | self.reading.styles_to_dict()

    def is_category(self, name: str) -> bool:
        return bool(pa.types.is_dictionary(self._types[self.names.index(name)]))

    def kinds(self, wanted: list[str]) -> dict[str, Kind]:
        return {name: self._kind(name) for name in wanted}

    def _kind(self, name: str) -> Kind:
        kind = self._types[self.names.index(name)]
        categories = pa.types.is_dictionary(kind)
        kind = kind.value_type if categories else kind
        if _is_text(kind) or pa.types.is_boolean(kind) or _is_date(kind):
            return Kind.TEXT
        if categories and _is_number(kind):  # a number that was made a category is meant as a word
            return Kind.TEXT
        if _is_number(kind) or pa.types.is_null(kind):
            return Kind.NUMBER
        raise InputError(
            f"{self.files[0].name}, column {name!r} holds values of the type {kind}. Columns can "
            "be numbers, text or booleans: make it one of these, or leave it out: "
            f"{option('ignore', name)}.",
            file=self.files[0].name,
            column=name,
        )

    def batches(self, kinds: dict[str, Kind], *, declared: bool = False) -> Generator[Batch]:
        for file in self.files:
            file.check_unchanged()
            row = 0
            for batch, share in _batches(file, list(kinds)):
                place = Place(file, row)
                columns = {
                    name: self._convert(batch.column(i), kinds[name], name, place, declared)
                    for i, name in enumerate(kinds)
                }
                yield Batch(pa.RecordBatch.from_pydict(columns), file, row, share)
                row += batch.num_rows
            file.check_unchanged()

    def _convert(self, column: Any, kind: Kind, name: str, place: Place, declared: bool) -> Any:
        if pa.types.is_dictionary(column.type):
            words = column.dictionary
            if pa.types.is_string_view(words.type):  # those of polars: pyarrow cannot take of them
                words = pc.cast(words, pa.string())
            column = pa.DictionaryArray.from_arrays(column.indices, words).dictionary_decode()
        style = self.styles.get(name)
        written = _is_text(column.type) or _is_date(column.type) or isinstance(style, Days)
        if kind is Kind.NUMBER and not (name in self.styles and written):
            exact = declared and name not in self.styles
            return _as_numbers(column, name, place, exact=exact)
        if pa.types.is_boolean(column.type):
            column = pc.if_else(column, "True", "False")
        allowed = (_is_text, _is_number, _is_date, pa.types.is_null)
        if not any(is_one(column.type) for is_one in allowed):
            raise place.error(
                f"column {name!r} holds {column.type}: text is expected.", column=name
            )
        column = pc.cast(column, pa.string())
        column = pc.if_else(pc.is_in(column, self._missing), None, column)
        words = pc.cast(pc.dictionary_encode(column), TEXT)
        if kind is Kind.NUMBER:
            return converted(words, self.styles[name], name, place)
        return words


def _as_numbers(column: Any, name: str, place: Place, *, exact: bool) -> Any:
    kind = column.type
    if _is_text(kind):
        column = pc.cast(column, pa.string())
        row = first_not_number(column, ".")
        if row is not None:
            raise place.below(row).error(
                f"column {name!r} holds {column[row].as_py()!r}: a number is expected.", column=name
            )
        return pc.cast(pc.utf8_trim(column, " \t"), pa.float64())
    if pa.types.is_decimal(kind):
        column = pc.cast(column, pa.string())  # text is read as the nearest float, always
    elif not (_is_number(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind)):
        raise place.error(f"column {name!r} holds {kind}: a number is expected.", column=name)
    if exact and pa.types.is_integer(kind):  # else a table looks for them when it is read
        _refuse_rounded(column, name, place)
    return pc.cast(column, pa.float64(), safe=False)


def _refuse_rounded(column: Any, name: str, place: Place) -> None:
    """Whole numbers beyond 2^53 would be rounded, and a proof be about other numbers."""
    try:
        pc.cast(column, pa.float64())
    except pa.ArrowInvalid:
        rows = (i for i, v in enumerate(column.to_pylist()) if v is not None and int(float(v)) != v)
        row = next(rows, None)
        if row is not None:
            sentence = rounded(name, str(column[row]))
            raise place.below(row).error(sentence, column=name) from None


def _is_text(kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _is_number(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _is_date(kind: Any) -> bool:
    """They become text, as they are in text files: what is said of both is the same."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def frame(source: Any) -> File:
    return File(Path(), "the data frame", "frame", (0, 0), keep=arrow_table(source))


def arrow_table(source: Any) -> Any:
    """A data frame of any library. The index of pandas is no column: it names rows."""
    try:
        if hasattr(source, "iloc"):
            return pa.Table.from_pandas(source, preserve_index=False)
        return pa.table(source)
    except (pa.ArrowException, ValueError, TypeError) as error:  # values of several types
        why = ": ".join(str(part) for part in error.args)
        raise InputError(
            f"The data frame cannot be read: {why.rstrip('.')}. Give the values of a column one "
            "type."
        ) from None


def held(file: File) -> File:
    """Files of statistics programs, which pandas reads into memory: values that have labels are
    these words."""
    pandas = needed("pandas", f"Reading {file.name}")
    if file.kind == "spss":
        needed("pyreadstat", f"Reading {file.name}")
    with _reading(file):
        table = pandas.read_spss(file.path) if file.kind == "spss" else _of_stata(pandas, file)
        table.attrs.clear()  # what else a file says, which Arrow wants as JSON
    return replace(file, keep=arrow_table(table))


def _of_stata(pandas: Any, file: File) -> Any:
    try:
        return pandas.read_stata(file.path)
    except ValueError as error:  # two values have one label: then the values are told apart
        if "labels" not in str(error):
            raise
        return pandas.read_stata(file.path, convert_categoricals=False)


def _schema(file: File) -> tuple[list[str], list[Any]]:
    with _reading(file):
        if file.keep is not None:
            schema = file.keep.schema
        elif file.kind == "parquet":
            from pyarrow import parquet

            schema = parquet.read_schema(file.path)
        else:
            with pa.OSFile(str(file.path)) as stream:
                schema = _arrow(file, stream).schema
        return list(schema.names), list(schema.types)


def _batches(file: File, names: list[str]) -> Iterator[tuple[Any, float]]:
    """Record batches with these columns, in this order, and how much of the file is read."""
    with _reading(file):
        if file.keep is not None:
            batches = file.keep.select(names).to_batches(max_chunksize=_ROWS)
            yield from _counted(batches, file.keep.num_rows)
        elif file.kind == "parquet":
            from pyarrow import parquet

            # pre_buffer would keep all that was read of the file until its end.
            with parquet.ParquetFile(file.path, pre_buffer=False) as opened:
                batches = opened.iter_batches(_ROWS, columns=names)
                for batch, share in _counted(batches, opened.metadata.num_rows):
                    yield _valid(batch.select(names)), share
        else:
            with pa.OSFile(str(file.path)) as stream:
                reader = _arrow(file, stream)
                count = getattr(reader, "num_record_batches", None)  # a stream does not know it
                batches = reader if count is None else map(reader.get_batch, range(count))
                for i, batch in enumerate(batches, 1):
                    share = i / count if count else stream.tell() / file.stamp[0]
                    yield _valid(batch.select(names)), share


def _counted(batches: Any, rows: int) -> Iterator[tuple[Any, float]]:
    done = 0
    for batch in batches:
        done += batch.num_rows
        yield batch, done / max(rows, 1)


def _valid(batch: Any) -> Any:
    """pyarrow trusts what a file says about itself: a damaged one would lead it out of memory."""
    batch.validate(full=True)
    return batch


def _arrow(file: File, stream: Any) -> Any:
    return pa.ipc.open_file(stream) if file.kind == "arrow" else pa.ipc.open_stream(stream)


@contextmanager
def _reading(file: File) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # names that are no text, sizes beyond memory: whatever damage does
        raise unreadable(file.name, error, ", it is damaged or cut short") from None
