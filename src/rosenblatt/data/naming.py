"""Names of columns: is the first line names or data, and is a column there that somebody named?

Nothing heavy is imported: a command says what is wrong here before it has loaded anything.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from numbers import Integral
from typing import NamedTuple

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed
from rosenblatt.errors import InputError, InputTypeError

_LOOKED_AT = 1 << 16  # bytes of rows that names are compared with
_SHOWN = 10
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
_LACKING = {"", "?", "-", ".", "na", "n/a", "nan", "null", "none", "unknown"}  # in rows of data
_HASHED = ":hashed"  # behind the name of a column of prose
_PLACE = re.compile(r"x\d+")  # how columns without names are called


# --- Lines above the names ------------------------------------------------------------------------

DELIMITERS = (",", ";", "\t", "|")  # that are found out
_RECORDS = 60  # that are looked at
_NOTES = 2  # of these may be notes below a small table


class Title(NamedTuple):
    lines: int
    first: str
    wide: bool  # the last line has as many fields as the header
    names: list[str]


def refuse_title(file: str, text: bytes, delimiter: str | None) -> None:
    """Refuse lines that are no row of the table: the names would be taken from them."""
    some = text[:_LOOKED_AT].decode(errors="replace")
    some = some if len(text) <= _LOOKED_AT else some[: some.rfind("\n") + 1]
    heads = [_head(some, one) for one in ([delimiter] if delimiter else DELIMITERS)]
    titles = [_title(records, width) for records, width in heads if width > 1]
    if None in titles:  # a table from the first line on
        for records, _ in heads:
            _refuse_half_names(file, [record for _, record in records])
        return
    title = max(filter(None, titles), key=lambda title: len(title.names), default=None)
    if title is None:
        return
    lines = "a line" if title.lines == 1 else f"{title.lines} lines"
    both = f" If these lines are part of the names, use {option('header_rows', title.lines + 1)}."
    raise InputError(
        f"{file} begins with {lines} above the names of the columns: {title.first[:80]!r}. Leave "
        f"out what is no row of the table: {option('skip_rows', title.lines)}. Then the columns "
        f"are {listed([repr(name) for name in title.names], _SHOWN)}.{both * title.wide} If the "
        f"first line has the names, use {option('header', True)}.",
        option="skip_rows",
        file=file,
    )


def _head(text: str, delimiter: str) -> tuple[list[tuple[int, list[str]]], int]:
    """The first records that hold anything, with the lines before each; how wide most are."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    records: list[tuple[int, list[str]]] = []
    before = 0
    try:
        for record in reader:
            if any(map(str.strip, record)):
                records.append((before, record))
            before = reader.line_num
            if len(records) == _RECORDS:
                break
    except csv.Error:  # said better where the rows are read
        return [], 0
    widths = Counter(len(record) for _, record in records)
    return records, widths.most_common(1)[0][0] if records else 0


def _title(records: list[tuple[int, list[str]]], width: int) -> Title | None:
    """Some lines with few fields, then one that is wider and has words, then others as wide."""
    wide = [k for k, (_, r) in enumerate(records) if len(r) == width and _filled(r) > 1]
    if len(wide) < 2 or wide[0] == 0:
        return None
    lines, names = records[wide[0]]
    above = [record for _, record in records[: wide[0]]]
    narrow = all(_filled(record) <= max(1, width // 2) for record in above)
    if not narrow or len(records) - wide[0] - len(wide) > _NOTES:
        return None
    if 2 * sum(map(is_number, names)) > len(names) and not _counting(names):
        return None
    first = next(field for field in above[0] if field.strip())
    names = [name.strip() for name in names]
    return Title(lines, first.strip(), len(above[-1]) == width, names)


def _refuse_half_names(file: str, records: list[list[str]]) -> None:
    """Names that have none beside them, and words below: together they are the names."""
    if len(records) < 3 or "" not in map(str.strip, records[0]):
        return
    first, second, *others = [[field.strip() for field in record] for record in records]
    rows = [record for record in others if len(record) == len(second)]
    values = [set(column) for column in zip(*rows, strict=True)]
    if not len(first) == len(second) == len(values) or not all(second):
        return
    if any(map(_stands_above_numbers, second, values)) and not any(map(is_number, second)):
        raise InputError(
            f"{file} begins with {listed([repr(name) for name in first], _SHOWN)}: columns have no "
            f"name, and the line below has words. If both lines are the names, use "
            f"{option('header_rows', 2)}; if only the second is, {option('skip_rows', 1)}.",
            option="header_rows",
            file=file,
        )


def _filled(record: list[str]) -> int:
    return sum(map(bool, map(str.strip, record)))


def is_number(name: str) -> bool:
    return _NUMBER.fullmatch(name) is not None


def check_header(file: str, names: list[str], body: bytes, delimiter: str) -> list[str]:
    """Refuse a first line that looks like data: learned from, it would be names and one row less.

    More than half of the names are numbers or values of their own columns. Numbers that count the
    columns, as 0, 1, 2 or 2019, 2020, 2021, are names. So is a word that is a value of its column,
    as "dead" above "alive" and "dead", where another word stands above numbers.
    Returns the names that look like values where they are fewer.
    """
    strange = _like_data(names, _rows(body, delimiter))
    if not all(map(is_number, names)) and 2 * len(strange) <= len(names):
        return strange
    shown = listed([repr(name) for name in names], 4)
    raise InputError(
        f"{file} begins with {shown}, which look like values and not like names of columns. If "
        f"there is no line of names, use {option('header', False)}: then the columns are "
        f"{places(len(names))}; or name them, as in {option('names', 'a,b,c')}. If these are the "
        f"names, use {option('header', True)}.",
        option="header",
        file=file,
        row=0,
    )


def in_doubt(strange: Iterable[str]) -> str | None:
    names = list(strange)
    if not names:
        return None
    shown = listed([repr(name) for name in names], 4)
    like = "looks like a value" if len(names) == 1 else "look like values"
    return (
        f"The first line was taken for the names of columns, and {shown} {like}. If it is a row of "
        f"the table, use {option('header', False)}."
    )


def _like_data(names: list[str], rows: list[list[str]]) -> list[str]:
    counting = _counting([name for name in names if is_number(name)])
    others = [row for row in rows if len(row) == len(names) and row != names]  # or names again
    values = [set(column) for column in zip(*others, strict=True)] or [set() for _ in names]
    columns = list(zip(names, values, strict=True))
    words_are_names = any(_stands_above_numbers(name, own) for name, own in columns)
    return [
        name
        for name, own in columns
        if name and name not in counting
        if is_number(name) or (name in own and not words_are_names)
    ]


def _stands_above_numbers(name: str, values: set[str]) -> bool:
    word = name.casefold() not in _LACKING and not is_number(name)
    some = [value for value in values if value.casefold() not in _LACKING]
    return word and bool(some) and all(map(is_number, some))


def _counting(numbers: list[str]) -> list[str]:
    if len(numbers) < 3 or not all(number.isdecimal() for number in numbers):
        return []
    first = int(numbers[0])
    count = [int(number) for number in numbers] == list(range(first, first + len(numbers)))
    return numbers if count else []


def _rows(body: bytes, delimiter: str) -> list[list[str]]:
    text = io.StringIO(body[:_LOOKED_AT].decode(errors="replace"), newline="")
    try:
        rows = list(csv.reader(text, delimiter=delimiter))
    except csv.Error:  # said better where the rows are read
        return []
    whole = rows[:-1] if len(body) > _LOOKED_AT else rows  # the last may be cut off
    return [[field.strip() for field in row] for row in whole]


def places(count: int) -> str:
    return "x0" if count == 1 else f"x0 to x{count - 1}"


def find_columns(
    names: list[str], file: str, wanted: Iterable[tuple[str, str | None]], *, header: bool
) -> None:
    """InputError where a column is not there; `wanted`: names, and the options that gave them
    or ""."""
    for use, name in wanted:
        if name is not None and name not in names:
            called = option(use, name) if use else repr(name)
            raise InputError(
                f"{called} is not a column of {file}. {guess(name, names, header=header)}",
                option=use or None,
                value=name,
                file=file,
            )


def refuse_other_columns(first: str, names: list[str], file: str, here: list[str]) -> None:
    if here == names:
        return
    differ = next(
        (f"{a!r} here is {b!r} there" for a, b in zip(here, names, strict=False) if a != b),
        f"there are {len(here)} here and {len(names)} there",
    )
    raise InputError(
        f"{file} has other columns than {first}: {differ}. Files that are read together have the "
        "same columns in the same order.",
        file=file,
    )


def prose_columns(texts: Iterable[str], names: Collection[str]) -> dict[str, bool]:
    """The columns that are said to be prose, and whether their words are to be hashed."""
    hashed_by_name: dict[str, bool] = {}
    for text in texts:
        hashed = isinstance(text, str) and text.endswith(_HASHED) and text not in names
        name = text.removesuffix(_HASHED) if hashed else text
        if hashed_by_name.setdefault(name, hashed) != hashed:
            raise InputError(
                f"The column {name!r} is given both as text and as hashed text: give one.",
                option="text",
                value=name,
                column=name,
            )
    return hashed_by_name


def name_of(use: str, name: object) -> str | None:
    """As text: pandas may name columns by numbers."""
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(int(name))
    raise InputTypeError(
        f"{option(use, name)} is neither text nor a whole number: give the name of a column.",
        option=use,
        value=name,
    )


# How columns without names are called: here, by pandas and by pyarrow. (Those of polars begin with
# column_0 or, by an older one, with column_1.)
_NUMBERED = [re.compile(head + r"(0|[1-9]\d*)") for head in ("x", "", "f")]


def numbers_of(columns: Sequence[str]) -> list[int] | None:
    """Of columns without names, from 0 on."""
    for pattern in _NUMBERED:
        if all(matches := [pattern.fullmatch(name) for name in columns]):
            return [int(match[1]) for match in matches if match]
    return None


def guess(name: str, names: list[str], *, header: bool = True) -> str:
    if not header:
        return (
            f"It is read without a line of names ({option('header', False)}): its columns are "
            f"{places(len(names))}."
        )
    folded = {known.casefold(): known for known in names}
    near = folded.get(name.strip().casefold()) or next(
        iter(difflib.get_close_matches(name, names, n=1)), None
    )
    columns = f"Its columns: {listed([repr(known) for known in names], _SHOWN)}."
    if len(set(names)) < len(names) and not near:
        columns += f" If the line below has names, too, use {option('header_rows', 2)}."
    if _PLACE.fullmatch(name) and not near:
        columns += (
            " They are called x0, x1 and so on where there is no line of names: "
            f"{option('header', False)}."
        )
    return (f"Did you mean {near!r}? " if near else "") + columns
