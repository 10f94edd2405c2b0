"""Predictions as they are written: a row of CSV, or an object of JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import click

from rosenblatt._support.foreign import shown
from rosenblatt._support.row_numbers import in_file, of_files, row_number
from rosenblatt._support.words import many
from rosenblatt.cli import _common
from rosenblatt.cli._reasons import Why
from rosenblatt.cli._reasons import told as told_of

_WAITING = 1 << 24  # characters that wait in memory; more of them in a file


class Row(NamedTuple):
    number: int
    kept: tuple[str, ...]  # columns of the table that are given along
    label: Any  # None: the row lacks a value
    score: float | None
    rival: tuple[Any, float] | None  # of many classes the runner-up and its score
    why: Why | None
    unseen: str  # words that did not occur in training, and what they count as
    lacking: list[str]  # columns without a value
    wordless: list[str]  # columns of prose without a known word
    beside: tuple[tuple[str, Any], ...] = ()  # text and content of further columns
    probability: float | None = None  # of the second label
    points: float | None = None  # of a card; whole numbers of counts


def as_dict(row: Row, kept: list[str], keys: Sequence[str]) -> dict[str, Any]:
    found = {"row": row.number, "prediction": row.label, "score": row.score}
    if row.points is not None:
        found["points"] = row.points
    if row.probability is not None:
        found["probability"] = row.probability
    if kept:
        found["kept"] = dict(zip(kept, row.kept, strict=True))
    if row.lacking:
        found["missing"] = row.lacking
    if row.rival is not None:
        found["runner_up"], found["runner_up_score"] = row.rival
    if row.why is not None:
        found["reasons"] = [{"feature": name, "adds": added} for name, added in row.why.reasons]
        found |= {"others": row.why.others, "intercept": row.why.intercept}
        found |= {} if row.why.threshold is None else {"threshold": row.why.threshold}
    found |= {key: content for key, (_, content) in zip(keys, row.beside, strict=False)}
    if row.unseen:
        found["unseen"] = row.unseen
    if row.wordless:
        found["no_known_word"] = row.wordless
    return found


@dataclass(frozen=True)
class Columns:
    """What is written beside label and score."""

    likely: str | None  # the name of the column of probabilities
    explain: bool
    ranked: bool
    marked: bool
    beside: tuple[str, ...] = ()
    points: bool = False  # of a card

    def names(self) -> list[str]:
        found = ["prediction", "score", *["points"] * self.points]
        found += [] if self.likely is None else [self.likely]
        found += ["runner-up", "its score"] if self.ranked else []
        found += ["reasons"] * self.explain + list(self.beside)
        return found + ["unseen"] * self.marked

    def of(self, row: Row) -> list[Any]:
        """Nothing where a row lacks a value."""
        no_word = (f"{name}: no word known from training" for name in row.wordless)
        unseen = ["; ".join([*([row.unseen] if row.unseen else []), *no_word])] * self.marked
        if row.score is None:
            return [""] * (len(self.names()) - self.marked) + unseen
        found = [row.label, repr(row.score), *([] if row.points is None else [row.points])]
        found += [] if row.probability is None else [repr(row.probability)]
        found += [] if row.rival is None else [row.rival[0], repr(row.rival[1])]
        found += [told_of(row.why)] if row.why else []
        return found + [text for text, _ in row.beside] + unseen


def write(
    output: str | None, rows: Iterator[Row], kept: list[str], columns: Columns, *, quiet: bool
) -> None:
    import csv

    strange, wordless, lacking, first = 0, 0, 0, None
    whole = _whole_output() if output is None else _common.whole_file(output)
    with of_files(), whole as file, _common.reading(quiet=quiet):
        writer = csv.writer(file, lineterminator="\n")
        ours = columns.names()
        writer.writerow(["row", *_apart(kept, ["row", *ours]), *ours])
        for row in rows:
            writer.writerow([row_number(row.number), *row.kept, *columns.of(row)])
            strange += row.unseen != ""
            wordless += bool(row.wordless)
            lacking += bool(row.lacking)
            first = first or (row if row.lacking else None)
    if strange:
        said = f"{many(strange, 'row')} with a category that did not occur in training"
        _common.say(f"{said}: see the column unseen.", quiet=quiet)
    if wordless:
        said = f"{many(wordless, 'row')} with text that has no word known from training"
        _common.say(f"{said}: see the column unseen.", quiet=quiet)
    if first is not None:
        said = f"{many(lacking, 'row')} got no prediction, since values are missing"
        names = ", ".join(map(repr, first.lacking))
        _common.say(f"{said}: the first is {in_file(first.number)}, without {names}.", quiet=quiet)


def _apart(kept: list[str], ours: list[str]) -> list[str]:
    """Names of columns of the table that can stand beside ours."""
    return [f"{name} (of the table)" if name in ours else name for name in kept]


@contextmanager
def _whole_output() -> Iterator[Any]:
    """Standard output, of which nothing is written where an error is found: the rows wait."""
    import tempfile

    with tempfile.SpooledTemporaryFile(_WAITING, "w+", encoding="utf-8", newline="") as file:
        yield file
        file.seek(0)
        while text := file.read(1 << 16):
            # Into a file or a program go the labels themselves, colours or not.
            click.echo(shown(text) if sys.stdout.isatty() else text, nl=False, color=True)
