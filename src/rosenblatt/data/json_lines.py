"""JSON lines: an object a line. They become text, which is read as other text is.

The names are those of all lines, in the order in which they occur; what a line has not is missing,
as null is. Numbers keep their digits, and an object inside another one becomes columns `a.b`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rosenblatt.data.files import File, Spool
from rosenblatt.data.opening import open_bytes, reason
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError

LINE = "line {1}"  # how messages call a record
_DEEPEST, _TAKEN, _SOME = 20, 1 << 20, 1_000


def as_text(file: File, reading: Reading) -> File:
    mark, spool = reading.decimal or ".", Spool()
    names = _names(islice(_records(file, mark), _SOME))
    if not _written(spool, names, _records(file, mark)):
        names = _names(_records(file, mark))
        _written(spool, names, _records(file, mark))
    if not names:
        raise InputError(f"{file.name} has no columns: its lines are empty.", file=file.name)
    return spool.text_of(file, LINE)


def _names(records: Iterable[tuple[int, dict[str, str]]]) -> dict[str, None]:
    """Those of all records, in the order in which they occur."""
    return {name: None for _, record in records for name in record}


def _written(
    spool: Spool, names: dict[str, None], records: Iterable[tuple[int, dict[str, str]]]
) -> bool:
    """As text with these names; False where a record has another one."""
    with open(spool.path, "w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, names, restval="", lineterminator="\n", extrasaction="ignore")
        text.write("sep=,\n")
        writer.writeheader()
        below = 0
        for number, record in records:
            if not record.keys() <= names.keys():
                return False
            text.write("\n" * (number - below))  # empty lines: the others keep their numbers
            writer.writerow(record)
            below = number + 1
    return True


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
