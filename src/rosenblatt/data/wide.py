"""Text of very many columns. pyarrow takes microseconds and kilobytes for every column."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from rosenblatt.data.dialect import Dialect
from rosenblatt.data.numeric_check import numbers_of
from rosenblatt.data.part import TEXT

TOGETHER = 20_000  # columns that pyarrow parses at a time


def some_at_a_time(read: Callable[..., Any], block: Any, types: dict[str, Any]) -> Any:
    """By read(block, types), which takes memory for every column while it parses."""
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
