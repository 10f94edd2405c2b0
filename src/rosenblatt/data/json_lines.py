"""JSON lines: an object a line. They become text, which is read as other text is.

The names are those of all lines, in the order in which they occur; what a line has not is missing,
as null is. Numbers keep their digits, and an object inside another one becomes columns `a.b`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from rosenblatt.data.files import File, Spool
from rosenblatt.data.opening import open_bytes, reason
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

LINE = "line {1}"  # how messages call a record
_DEEPEST = 20


def as_text(file: File, reading: Reading) -> File:
    mark = reading.decimal or "."
    names: dict[str, None] = {}
    for _, record in _records(file, mark):
        names.update(dict.fromkeys(record))
    if not names:
        raise InputError(f"{file.name} has no columns: its lines are empty.", file=file.name)
    spool = Spool()
    with open(spool.path, "w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
        text.write("sep=,\n")
        writer.writeheader()
        below = 0
        for number, record in _records(file, mark):
            text.write("\n" * (number - below))  # empty lines: the others keep their numbers
            writer.writerow(record)
            below = number + 1
    return spool.text_of(file, LINE)


def _records(file: File, mark: str) -> Iterator[tuple[int, dict[str, str]]]:
    def number(digits: str) -> str:
        return digits.replace(".", mark)

    decoder = json.JSONDecoder(parse_float=number, parse_int=number, parse_constant=_no_number)
    try:
        with open_bytes(file.path, file.name)[0] as stream:
            for i, line in enumerate(stream):
                text = line.decode("utf-8-sig").strip()
                if text:
                    yield i, dict(_fields(_object(decoder, text, file, i), ""))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name} cannot be read: {reason(error)}.", file=file.name) from None


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


def _fields(record: dict[str, Any], before: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _fields(value, f"{before}{name}.", depth + 1)
        elif isinstance(value, (dict, list)):
            yield before + name, json.dumps(value, ensure_ascii=False)
        else:
            yield before + name, "" if value is None else str(value)


def _no_number(word: str) -> str:
    """NaN and Infinity, which are no JSON but are written by some programs."""
    return "" if word == "NaN" else word.replace("Infinity", "inf")
