"""JSON lines: an object a line. They become text, which is read as other text is.

The names are those of all lines, in the order in which they occur; what a line has not is missing,
as null is. Numbers keep their digits, and an object inside another one becomes columns `a.b`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rosenblatt.data.files import File, Spool
from rosenblatt.data.opening import open_bytes, unreadable
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

LINE = "line {1}"  # how messages call a record
_DEEPEST, _TAKEN, _SOME = 20, 1 << 20, 1_000


def as_text(file: File, reading: Reading) -> File:
    mark, spool = reading.decimal or ".", Spool()
    names: dict[str, None] = {}  # in the order in which they occur
    for _, record in islice(_records(file, mark), _SOME):
        names |= dict.fromkeys(record)
    written = None
    while written != names:  # until no record has another one
        written = dict(names)
        spool.write(_rows(_records(file, mark), list(written), names))
    if not names:
        raise InputError(f"{file.name} has no columns: its lines are empty.", file=file.name)
    return spool.text_of(file, LINE)


def _rows(
    records: Iterable[tuple[int, dict[str, str]]], header: list[str], names: dict[str, None]
) -> Iterator[tuple[int, list[str]]]:
    """The header, and below it the records with what these names stand for; notes all names."""
    yield 0, header
    for number, record in records:
        names |= dict.fromkeys(record)
        yield number + 1, [record.get(name, "") for name in header]


def _records(file: File, mark: str) -> Iterator[tuple[int, dict[str, str]]]:
    def number(digits: str) -> str:
        return digits.replace(".", mark)

    written = str if mark == "." else number
    decoder = json.JSONDecoder(parse_float=written, parse_int=written, parse_constant=_no_number)
    try:
        stream = io.BufferedReader(open_bytes(file.path, file.name)[0], _TAKEN)  # type: ignore[type-var]
        with stream:
            for i, line in enumerate(stream):
                text = line.decode("utf-8-sig" if i == 0 else "utf-8").strip()
                if text:
                    yield i, _fields(_object(decoder, text, file, i), "")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file.name, error) from None


def _object(decoder: json.JSONDecoder, text: str, file: File, row: int) -> dict[str, Any]:
    try:
        value, why = decoder.decode(text), "it is no object"
    except (ValueError, RecursionError) as error:
        value, why = None, str(error).partition(":")[0]
    if not isinstance(value, dict):
        array = " A JSON array is written so by jq -c '.[]'." if text[0] == "[" else ""
        raise InputError(
            f"{file.name}, line {row + 1} is {text[:40]!r}: {why}. Each line holds an object, as "
            f'{{"age": 31, "town": "Rome"}}.{array}',
            file=file.name,
            row=row,
        )
    return value


def _fields(record: dict[str, Any], before: str, depth: int = 0) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, value in record.items():
        if type(value) is str:
            fields[before + name] = value
        elif isinstance(value, dict) and depth < _DEEPEST:
            fields |= _fields(value, f"{before}{name}.", depth + 1)
        elif isinstance(value, (dict, list)):
            fields[before + name] = json.dumps(value, ensure_ascii=False)
        else:
            fields[before + name] = "" if value is None else str(value)
    return fields


def _no_number(word: str) -> str:
    """NaN and Infinity, which are no JSON but are written by some programs."""
    return "" if word == "NaN" else word.replace("Infinity", "inf")
