"""A rule as a query: standard SQL, in whole numbers and floats as SQLite computes them."""

from __future__ import annotations

from typing import final

from rosenblatt._export.expression import Language, Source, Spelled, refused
from rosenblatt.data.dates import Days
from rosenblatt.data.formatted_numbers import Style

_EXACT = 15  # digits, and
_PLACES = 3  # of them behind the point: every version of SQLite reads such a number as it is
_LARGEST = "CAST(1e308 AS DOUBLE PRECISION)"
_POWER = 50  # of two: few digits, so that every version reads it as it is


@final
class Sql(Language):
    """SQL for SQLite, to the bit; other databases may round otherwise."""

    none = "NULL"
    choice = "CASE WHEN {} THEN {} ELSE {} END"
    negation, conjunction, disjunction = "NOT ({})", " AND ", " OR "
    no_word_for = "SQL cannot say"

    def _literal(self, value: float) -> str:
        """SQLite may read long decimals as a neighbour of the nearest float; whole numbers and
        quotients by powers of two it reads as they are."""
        text = repr(value)
        digits = text.strip("-").replace(".", "")
        if "e" not in text and len(digits) <= _EXACT and len(text.partition(".")[2]) <= _PLACES:
            return f"({text})" if text.startswith("-") else text
        above, below = value.as_integer_ratio()
        return f"({_whole_part(above)} / {_powers(below)} /* {text} */)"

    def check(self, source: Source) -> None:
        style = source.style
        if isinstance(style, Style):
            raise refused(source, f"SQL does not read numbers{style}")
        if isinstance(style, Days) and style.format:
            raise refused(source, f"SQL does not read dates written as {style.format}")
        if isinstance(style, Days) and not source.whole:
            raise refused(source, "SQL does not read parts of a second")

    def column(self, source: Source) -> str:
        column, style = quoted(source.name), source.style
        if isinstance(style, Days):
            since = f"STRFTIME('%s', '{style.since}')"
            seconds = f"(STRFTIME('%s', {column}) - {since})"
            return f"({seconds} / 86400.0)" if style.unit == "days" else f"({seconds} * 1.0)"
        if source.decimal == ",":
            number = f"REPLACE({column}, ',', '.')"
            column = f"CASE WHEN {column} > {_LARGEST} THEN {number} ELSE {column} END"
        return f"CAST({column} AS DOUBLE PRECISION)"

    def word(self, source: Source) -> str:
        return f"TRIM({quoted(source.name)})"

    def missing(self, source: Source) -> str:
        # A file that was imported has empty text for NULL. Not every database trims numbers.
        name = quoted(source.name)
        text = f"TRIM({name if source.words else f'CAST({name} AS VARCHAR(64))'})"
        if source.missing == ("",):
            return f"NULLIF({text}, '') IS NULL"
        return f"COALESCE({text}, '') IN ({', '.join(map(self.text, source.missing))})"

    def no_number(self, source: Source) -> str:
        """SQLite casts text to 0. Compared with a float, text that is a number becomes one, and
        other text, '' as well, is greater than all numbers."""
        column = quoted(source.name)
        if isinstance(source.style, Days):
            return f"COALESCE({_is_date(column, source.style)}, 0) = 0"
        none = f"{column} > {_LARGEST}"
        if source.decimal == ",":
            digits = f"TRIM(LTRIM(TRIM({column}), '+-'), '0123456789')"
            none = f"({none} AND ({digits} <> ',' OR TRIM({column}, '+- ') = ','))"
        return f"({column} IS NULL OR {none})"

    def is_word(self, value: str, words: list[str]) -> str:
        listed = ", ".join(map(self.text, words))
        return f"{value} = {listed}" if len(words) == 1 else f"{value} IN ({listed})"

    def is_truth(self, value: str, truth: bool) -> str:
        return f"LOWER({value}) IN ({self.text(str(truth).lower())}, '{int(truth)}')"

    def text(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"


def _whole_part(above: int) -> str:
    """A numerator, as a float: one of 53 bits, times powers of two where it is larger."""
    shift = max(0, above.bit_length() - 53)
    return f"{above >> shift}.0" + _factors(shift, " * ")


def _powers(below: int) -> str:
    """A denominator that is a power of two; they divide one after the other."""
    return _factors(below.bit_length() - 1, " / ").removeprefix(" / ") or "1.0"


def _factors(power: int, by: str) -> str:
    text = ""
    while power > 0:
        step = min(power, _POWER)
        text += f"{by}{1 << step}.0"
        power -= step
    return text


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_date(column: str, style: Days) -> str:
    """A day that exists; then a time, with a zone where the first one has one."""
    day, time = f"SUBSTR({column}, 1, 10)", f"SUBSTR({column}, 11)"
    rest = f"TRIM({time}, 'T 0123456789:')"
    if style.unit == "days":
        then = f"TRIM({time}, 'T 0:') = ''"
    elif style.since.endswith("Z"):
        then = f"({time} = '' OR {rest} IN ('Z', '+', '-'))"
    else:
        then = f"{rest} = ''"
    known = f"STRFTIME('%s', {column}) IS NOT NULL"
    return (
        f"(DATE(JULIANDAY({day})) = {day} AND {then} AND SUBSTR({time}, 2, 2) < '24' AND {known})"
    )


def query(rule: Spelled, table: str) -> str:
    """The label that is predicted, the score or the points, and the columns of the table.

    What is computed stands first: where the table has a column of that name, too, which training
    left out, SQLite takes the first of the two, and other databases call it ambiguous.
    """
    taken = {name.lower() for name in (*rule.inputs, *rule.taken)}
    sums = [_unused_name(rule.decides, taken)]
    if rule.several:
        sums = [_unused_name(f"score_{k + 1}", taken) for k in range(len(rule.labels))]
    language, predicted = Sql(), _unused_name("predicted", taken)
    guard = end = ""
    if rule.guards:
        guard = f"CASE WHEN {language.any_of(rule.guards)} THEN NULL ELSE\n      "
        end = " END"
    inner = ",\n    ".join(
        f"{guard}{sum_}{end} AS {name}" for name, sum_ in zip(sums, rule.sums, strict=True)
    )
    # A query that begins with -- would be an option to a shell's command.
    lines = [f"/* {_inside(line)} */" for line in _head(rule)]
    return "\n".join(
        [
            *lines,
            "SELECT",
            f"  {_decided(rule, sums, language)} AS {predicted},",
            "  scored.*",
            "FROM (",
            "  SELECT",
            f"    {inner},",
            f"    {quoted(table)}.*",
            f"  FROM {quoted(table)}",
            ") AS scored;",
            "",
        ]
    )


def _head(rule: Spelled) -> list[str]:
    lines = [
        f"{rule.sentence}.",
        "NULL where a value is missing or no number, or a word was not seen in training.",
    ]
    return [" ".join(line.split()) for line in [*lines, *rule.notes]]


def _inside(text: str) -> str:
    """Text that neither ends a comment nor begins another."""
    return text.replace("*/", "* /").replace("/*", "/ *")


def _decided(rule: Spelled, sums: list[str], language: Sql) -> str:
    labels = [language.label(label) for label in rule.labels]
    begin = f"CASE WHEN {sums[0]} IS NULL THEN NULL"
    if len(sums) == 1:
        return f"{begin} WHEN {sums[0]} >= {rule.threshold} THEN {labels[1]} ELSE {labels[0]} END"
    cases = [
        f"WHEN {' AND '.join(f'{sums[k]} >= {other}' for other in sums[k + 1 :])} THEN {labels[k]}"
        for k in range(len(sums) - 1)
    ]
    return " ".join([begin, *cases, f"ELSE {labels[-1]} END"])


def _unused_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
