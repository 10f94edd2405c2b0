"""What a certificate says of single columns, in words: too telling, too rare, collinear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many, named

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate, RevealingColumn


_SHOWN = 5  # columns
_WORDS = 3  # of prose
_LEVELS = 50  # reference levels
_WITH_ANOTHER = "with another of the same column"
_FEW = 10  # rows in which a column differs, or a hundredth of all: a rare category


# --- Columns that separate rows alone ------------------------------------------------------------


def telling(certificate: Certificate) -> list[RevealingColumn]:
    """The columns that separate a tenth of the rows or more: known only after the outcome?"""
    columns = [c for c in certificate.revealing_columns if 10 * c.rows >= certificate.n_rows]
    return [c for c in columns if not _is_rare(certificate, c)]


def rare(certificate: Certificate) -> list[RevealingColumn]:
    """The columns with one value but in a few rows, and these have one label. Of prose most words
    are like that, and nothing is said of them."""
    words = _words_of_prose(certificate)
    columns = (c for c in certificate.revealing_columns if c.column not in words)
    return [c for c in columns if _is_rare(certificate, c)]


def rare_numbers(certificate: Certificate) -> list[RevealingColumn]:
    """Rare columns that are no 0/1 column for a word of the table."""
    levels = _levels(certificate)
    return [c for c in rare(certificate) if c.column not in levels]


def _words_of_prose(certificate: Certificate) -> set[str]:
    columns = (certificate.preprocessing or {}).get("columns", [])
    prose = [column for column in columns if column["kind"] == "prose"]
    return {f"{column['name']}: {word}" for column in prose for word in column["words"]}


def _is_rare(certificate: Certificate, column: RevealingColumn) -> bool:
    n = certificate.n_rows
    return 2 * column.rows < n and (column.rows < _FEW or 100 * column.rows < n)


def telling_lines(certificate: Certificate) -> Iterator[str]:
    prose, n = _words_of_prose(certificate), f"{certificate.n_rows:,}"
    both = telling(certificate)
    columns = [c for c in both if c.column not in prose]
    words = [c for c in both if c.column in prose]
    for column in columns[:_SHOWN]:
        yield (
            f"{column.column} alone determines the label of {column.rows:,} of {n} rows without "
            f"an error. {_where(certificate, column)}."
        )
    if len(columns) > _SHOWN:
        yield f"{many(len(columns) - _SHOWN, 'more column', 'One')} like this."
    if words:
        some = listed([f"{c.column} ({c.rows:,} of {n} rows)" for c in words], _WORDS)
        yield f"Single words determine the label of rows without an error: {some}."
    if both:
        them = "such a column is known only after the outcome"
        yield f"Possible target leakage: if {them}, leave it out."


def _where(certificate: Certificate, column: RevealingColumn) -> str:
    """Which rows are on either side of the threshold; after loading only their labels are known."""
    threshold = repr(column.threshold).removesuffix(".0")
    sides = certificate.origin and certificate.origin.sides.get(column.column)
    if not sides:
        above, below = _labels(certificate, column)
        return (
            f"No row above {threshold} has another label than {above}, and no row below it has "
            f"another than {below}"
        )
    clauses = [f"Above {threshold}: {_counts(certificate, sides.above)}"]
    if any(sides.at):
        clauses.append(f"At {threshold}: {_counts(certificate, sides.at)}")
    return ". ".join([*clauses, f"Below {threshold}: {_counts(certificate, sides.below)}"])


def _counts(certificate: Certificate, counts: tuple[int, int]) -> str:
    """1,002 rows, all labelled yes; 296 rows labelled no and 21 labelled yes; no rows."""
    labels = (named(certificate.classes[0]), named(certificate.classes[-1]))
    present = [(n, label) for n, label in zip(counts, labels, strict=True) if n]
    if not present:
        return "no rows"
    if len(present) == 1:
        ((n, label),) = present
        return f"one row, labelled {label}" if n == 1 else f"{n:,} rows, all labelled {label}"
    (a, first), (b, second) = present
    return f"{many(a, 'row', 'one')} labelled {first} and {b:,} labelled {second}"


def _labels(certificate: Certificate, column: RevealingColumn) -> tuple[str, str]:
    first, last = named(certificate.classes[0]), named(certificate.classes[-1])
    return (last, first) if column.sign > 0 else (first, last)


def rare_lines(certificate: Certificate) -> Iterator[str]:
    columns, levels = rare(certificate), _levels(certificate)
    yield from (_rare_line(certificate, column, levels) for column in columns[:_SHOWN])
    if len(columns) > _SHOWN:
        yield f"{many(len(columns) - _SHOWN, 'more column', 'One')} like this."
    yield from _rare_advice(
        [levels[c.column] for c in columns[:_SHOWN] if c.column in levels],
        [c.column for c in columns[:_SHOWN] if c.column not in levels],
        known=certificate.preprocessing is not None,
    )


def _rare_advice(categories: list[str], numbers: list[str], *, known: bool) -> Iterator[str]:
    """What to do about them. `categories` are the table's columns that have rare words; `known`:
    the others are numbers, not 0 and 1 that stand for a category."""
    if categories:
        several, out = len(categories) > 1, _left_out(categories)
        lead = "Rare categories: merge each" if several else "A rare category: merge it"
        yield f"{lead} {_WITH_ANOTHER}, or leave out the {out}."
    if numbers:
        several = len(numbers) > 1
        lead = "Their weights depend" if several else "Its weight depends"
        chance = "If that may be chance"
        yield f"{lead} on these few rows alone. {chance}, leave out the {_left_out(numbers)}."
        if not known:
            stands = (
                "they stand for categories: merge each"
                if several
                else "it stands for a category: merge it"
            )
            yield f"If {stands} {_WITH_ANOTHER}."


def _left_out(names: list[str]) -> str:
    different = list(dict.fromkeys(names))
    typed = option("ignore", *different)
    return f"column{'s' if len(different) > 1 else ''} {', '.join(different)} ({typed})"


def _rare_line(certificate: Certificate, column: RevealingColumn, levels: dict[str, str]) -> str:
    rows, name = many(column.rows, "row", "one"), column.column
    if column.threshold == 0 and name in levels:
        above, _ = _labels(certificate, column)
        return f"{name} has {rows}, {'' if column.rows == 1 else 'all '}labelled {above}."
    few = "one" if column.rows == 1 else f"{column.rows:,}"
    lead = f"{name} is {column.threshold:g} in every row but {few}"
    sides = certificate.origin and certificate.origin.sides.get(name)
    if sides and not (any(sides.above) and any(sides.below)):
        label = _labels(certificate, column)[0 if any(sides.above) else 1]
        return f"{lead}, {'' if column.rows == 1 else 'all '}labelled {label}."
    return f"{lead}. {_where(certificate, column)}."


def _levels(certificate: Certificate) -> dict[str, str]:
    return {
        f"{column['name']}={word}": column["name"]
        for column in (certificate.preprocessing or {}).get("columns", [])
        for word in [*column.get("words", []), "(missing)"]
    }


# --- Columns that are combinations of others -----------------------------------------------------


def collinear_lines(certificate: Certificate) -> Iterator[str]:
    columns = certificate.collinear
    for column in columns[:_SHOWN]:
        if column.factors:
            yield (
                f"Collinear: {column} in every row, so its coefficient is not determined. Leave "
                "out one of these columns, or read their weights together."
            )
        elif column.constant == 1:
            yield (
                f"{column.column} is 1 in every row, which makes it an intercept. Leave it out, or "
                f"add no other one: {option('fit_intercept', False)}."
            )
        else:
            yield (
                f"{column.column} is {column.constant} in every row, so it carries no information."
            )
    if len(columns) > _SHOWN:
        yield f"{many(len(columns) - _SHOWN, 'more collinear column', 'One')}."


def reference_lines(certificate: Certificate) -> Iterator[str]:
    columns = (certificate.preprocessing or {}).get("columns", [])
    words = (c for c in columns if c["kind"] == "text")  # True beside False goes without saying
    levels = [f"{c['name']}={c['reference']}" for c in words if c.get("reference") is not None]
    if levels:
        more = f" and {len(levels) - _LEVELS} more" if len(levels) > _LEVELS else ""
        yield f"Reference levels of the one-hot encoding: {', '.join(levels[:_LEVELS])}{more}."
