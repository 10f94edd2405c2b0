"""Formatted numbers: columns of text most of whose values are numbers.

A word among them stands for a missing value, or they are written for people: $1,200, 35 %, 12 kg.
A 0/1 column for each of them would tell rows apart one by one, so that it must be said what they
are. A Style is how such numbers are written: the same in the whole column, and in later tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt._util.spelling import either, option
from rosenblatt._util.text import listed, many
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data.batch import Place

MARKS = (".", ",")  # that divide whole numbers from fractions

MISSING_LIKE = frozenset(
    [
        *("?", "??", "-", "--", "---", "–", "—", ".", "..", "...", "*", "**", "_"),
        *("na", "n/a", "n.a.", "n.a", "#n/a", "nan", "null", "nil", "none", "(none)", "nd", "n.d."),
        *("missing", "(missing)", "unknown", "unk", "not available", "not applicable"),
    ]
)
_SOME = 256  # words
_MONEY = r"[$€£¥₹₩]|USD|EUR|GBP|CHF|JPY|CAD|AUD|INR"
_UNIT = rf"[%‰]|°\s?[CF]?|{_MONEY}|[^\W\d_][^\W\d_]*(?:[./][^\W\d_]+|[²³])*\.?"
_GROUPS = {".": ",", ",": "."}  # what divides thousands, beside spaces and apostrophes


def _pattern(mark: str) -> re.Pattern[str]:
    group, point = rf"[{_GROUPS[mark]}'’\s_]", re.escape(mark)
    digits = rf"\d{{1,3}}(?:{group}\d{{3}})+(?:{point}\d+)?|\d+(?:{point}\d*)?|{point}\d+"
    return re.compile(
        rf"(?P<open>\()?\s?(?P<sign>[-+−]?)\s?(?P<before>{_MONEY})?\s?(?P<minus>[-−]?)"
        rf"(?P<digits>{digits})(?P<power>[eE][-+]?\d+)?\s?(?P<after>{_UNIT})?"
        r"\s?(?(open)\)\s?(?P<behind>[%‰])?)"
    )


_PATTERNS = {mark: _pattern(mark) for mark in MARKS}


class Written(NamedTuple):
    value: float
    unit: str


def parsed(word: str, mark: str) -> Written | None:
    match = _PATTERNS[mark].fullmatch(word.strip())
    if match is None or sum(map(bool, match.group("before", "after", "behind"))) > 1:
        return None
    unit = match["before"] or match["after"] or match["behind"] or ""
    return Written(float(_plain(match, mark)), re.sub(r"\s", "", unit))


def _plain(match: re.Match[str], mark: str) -> str:
    """The number as programs write it; in brackets it is negative, as accountants write."""
    digits = re.sub(rf"[{_GROUPS[mark]}'’\s_]", "", match["digits"]).replace(mark, ".")
    signs = (match["sign"] in ("-", "−"), bool(match["minus"]), bool(match["open"]))
    sign = "-" if sum(signs) % 2 else ""
    return f"{sign}{digits}{match['power'] or ''}"


@dataclass(frozen=True)
class Style:
    unit: str = ""
    decimal: str = "."

    def number(self, word: str) -> float | None:
        """None if the word is no number that is written so. 0 needs no unit."""
        written = parsed(word, self.decimal)
        return written.value if written is not None and self.has(written) else None

    def plain(self, word: str) -> str:
        """As programs write it; the word itself if it is no number."""
        match = _PATTERNS[self.decimal].fullmatch(word.strip())
        return word if match is None else _plain(match, self.decimal)

    def has(self, written: Written) -> bool:
        return written.unit == self.unit or (written.value == 0 and not written.unit)

    @property
    def expected(self) -> str:
        return f"a number{self}"

    def __str__(self) -> str:
        unit = f" in {self.unit}" if self.unit else ""
        return unit + (" with a decimal comma" if self.decimal == "," else "")


@dataclass(frozen=True)
class FormattedNumbers:
    """A column of text that holds numbers in most rows: how often each kind of word occurs."""

    style: Style
    plain: bool  # the numbers are written as programs write them
    numbers: dict[str, int]
    missing: dict[str, int]
    others: dict[str, int]
    of: int  # rows that were counted

    @property
    def rows(self) -> int:
        return sum(self.numbers.values())


def detect_numbers(
    words: Mapping[str, int], mark: str, rows: int | None = None
) -> FormattedNumbers | None:
    """Words and how often each occurs; `mark`: the decimal mark of the file; `rows`: how many were
    counted, with those that hold nothing.

    None where most of what is not like a missing value is no number, or has many units.
    """
    missing = {word: n for word, n in words.items() if word.casefold() in MISSING_LIKE}
    real = {word: n for word, n in words.items() if word not in missing}
    if not _may_be_numbers(real):
        return None
    attempts = [_as_numbers(real, m) for m in sorted(MARKS, key=lambda m: m != mark)]
    style, numbers = max(attempts, key=lambda a: sum(a[1].values()))  # the first of equals
    if not numbers or 2 * sum(numbers.values()) <= sum(real.values()):
        return None
    others = {word: n for word, n in real.items() if word not in numbers}
    plain_number = re.compile(rf"[-+]?(\d+\{mark}?\d*|\{mark}\d+)([eE][-+]?\d+)?")
    plain = style.decimal == mark and all(map(plain_number.fullmatch, numbers))
    return FormattedNumbers(style, plain, numbers, missing, others, rows or sum(words.values()))


def _may_be_numbers(words: Mapping[str, int]) -> bool:
    """Of very many words some tell whether they may be numbers: a look at all takes its time."""
    some = list(words)[:_SOME]
    numbers = sum(any(parsed(word, mark) for mark in MARKS) for word in some)
    return len(words) <= _SOME or 10 * numbers >= len(some)


def _as_numbers(words: Mapping[str, int], mark: str) -> tuple[Style, dict[str, int]]:
    """The unit that most rows have, and the words that are numbers of it."""
    numbers = {word: written for word in words if (written := parsed(word, mark)) is not None}
    units: dict[str, int] = {}
    for word, written in numbers.items():
        if written.unit or written.value != 0:
            units[written.unit] = units.get(written.unit, 0) + words[word]
    style = Style(max(units, key=lambda unit: units[unit], default=""), mark)
    return style, {word: words[word] for word, written in numbers.items() if style.has(written)}


def styles_of(columns: Mapping[str, Mapping[str, int]], mark: str) -> dict[str, Style]:
    """How the numbers of these columns are written. One that needs another decimal mark than the
    file speaks for all of them."""
    detected = {name: detect_numbers(words, mark) for name, words in columns.items()}
    marks = {column.style.decimal for column in detected.values() if column} - {mark}
    styles: dict[str, Style] = {}
    for name in sorted(detected):
        column = detect_numbers(columns[name], min(marks)) if marks else detected[name]
        if column is None:
            words = listed([repr(word) for word in columns[name]], 3)
            raise InputError(
                f"{option('numeric', name)}: most values of this column are not numbers of one "
                f"unit, as {words}. Correct them, or leave it out of {option('numeric')}.",
                option="numeric",
                value=name,
                column=name,
            )
        styles[name] = column.style
    return styles


# --- What a person must say about them, with every way out ----------------------------------------

_SHOWN = 3
_FEW = 5  # different words beside numbers that may be mistakes, or stand for missing values
_TYPED = 8  # columns whose options are written out


def problems_of_numbers(
    columns: Mapping[str, FormattedNumbers],
    *,
    impute: bool,
    mark: str | None,
    first: Callable[[str, set[str]], Place | None],
) -> Iterator[str]:
    """`mark` is the decimal mark of the file, None: its columns have types. `first` finds the first
    row of a column that holds one of some words."""
    strange = {name: c for name, c in columns.items() if c.others}
    others = {name: c for name, c in columns.items() if not c.others}
    with_missing = {n: c for n, c in others.items() if c.plain and c.missing}
    for_people = {name: c for name, c in others.items() if name not in with_missing}
    for name, column in strange.items():
        yield _strange(name, column, first(name, set(column.others)))
    if for_people:
        yield _for_people(for_people, impute, mark)
    if with_missing:
        yield _with_missing(with_missing, impute)


def _strange(name: str, column: FormattedNumbers, place: Place | None) -> str:
    words = _often(column.others)
    more = f", and {many(len(words) - 1, 'other word')} like it" if len(words) > 1 else ""
    ways = [f"if it is an identifier or text, leave the column out: {option('ignore', name)}"]
    if len(words) <= _FEW:
        if not any(map(_names_something, words)):
            ways = [f"if it stands for a missing value, use {option('na_values', words[0])}"]
        ways.insert(0, "Correct it")
    if len(words) == 1 and place is not None and place.row == 0 and place.dialect is not None:
        ways.append(f"if it is the unit, in a second line of names, {option('header_rows', 2)}")
    if not column.plain:
        ways.append(f"if all are meant as numbers, use {_options('numeric', name)}, too")
    ways.append(f"if the values are categories, use {_options('categorical', name)}")
    also = "".join(f"; {way}" for way in ways[1:])
    return (
        f"{place}, column {name!r} holds {words[0]!r}{more}, and numbers in "
        f"{column.rows:,} of {column.of:,} rows, as {_samples(column)}. {ways[0][0].upper()}"
        f"{ways[0][1:]}{also}."
    )


def _names_something(word: str) -> bool:
    """A number of a ticket or a part, say, which no missing value is spelled like."""
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _for_people(columns: Mapping[str, FormattedNumbers], impute: bool, mark: str | None) -> str:
    first = next(iter(columns.values()))
    word, number = _as_read(columns, mark or ".")
    say = (
        f"{_columns(columns, '')}. They are read as text: {_samples(first)}. To read "
        f"them as numbers ({word!r} as {number:.12g}), use {_options('numeric', *columns)}"
    )
    if words := _words_for_missing(columns):
        say += f", and for missing values {option('na_values', *words)}{_fill(impute)}"
    if mark is not None and any(c.style.decimal != mark for c in columns.values()):
        other = "point" if mark == "." else "comma"
        say += (
            f". (The other columns are read with a decimal {other}: if one of them divides "
            "thousands by it, name it, too)"
        )
    return f"{say}. If the values are categories, use {_options('categorical', *columns)}."


def _as_read(columns: Mapping[str, FormattedNumbers], mark: str) -> tuple[str, float]:
    """A word of the first column, and the number that it is if all columns are read as numbers: one
    of them may show what commas mean in the others."""
    first = next(iter(columns.values()))
    styles = [first.style]
    with suppress(InputError):
        all_words = {name: {**c.numbers, **c.missing} for name, c in columns.items()}
        styles.insert(0, styles_of(all_words, mark)[next(iter(columns))])
    numbers = ((w, style.number(w)) for style in styles for w in _often(first.numbers))
    return next((word, number) for word, number in numbers if number is not None)


def _with_missing(columns: Mapping[str, FormattedNumbers], impute: bool) -> str:
    words = _words_for_missing(columns)
    quoted = listed([repr(word) for word in words], _SHOWN)
    verb = "stands" if len(words) == 1 else "stand"
    return (
        f"{_columns(columns, f', and {quoted} in others')}. If {quoted} {verb} for a missing "
        f"value, use {option('na_values', *words)}{_fill(impute)}. If the values are categories, "
        "use "
        f"{_options('categorical', *columns)}."
    )


def _columns(columns: Mapping[str, FormattedNumbers], rest: str) -> str:
    (name, first), *others = columns.items()
    count = f"{first.rows:,} of {first.of:,} rows"
    if not others:
        return f"The column {name!r} holds numbers in {count}{rest}"
    names = listed([repr(each) for each, _ in others], _SHOWN - 1)
    return f"{len(columns)} columns hold numbers in most rows{rest}: {name!r} (in {count}), {names}"


def _words_for_missing(columns: Mapping[str, FormattedNumbers]) -> list[str]:
    counts: dict[str, int] = {}
    for column in columns.values():
        for word, n in column.missing.items():
            counts[word] = counts.get(word, 0) + n
    return _often(counts)


def _often(words: Mapping[str, int]) -> list[str]:
    return sorted(words, key=lambda word: (-words[word], word))


def _samples(column: FormattedNumbers) -> str:
    return ", ".join(repr(word) for word in _often(column.numbers)[:_SHOWN])


def _fill(impute: bool) -> str:
    return "" if impute else f" and {option('impute', 'median')}"


def _options(word: str, *names: str) -> str:
    if len(names) > _TYPED:
        first = names[0]
        return either(f"{word}=[{first!r}, ...]", f"{option(word, first)}, and so on for each")
    return option(word, *names)
