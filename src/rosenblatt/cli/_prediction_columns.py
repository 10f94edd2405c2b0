"""Predictions as they are written: a row of CSV, or an object of JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import click

from rosenblatt._util.escape import shown
from rosenblatt._util.text import in_file, many, of_files, row_number
from rosenblatt.cli import _common
from rosenblatt.cli._explain import Why, in_words
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.cli._rows import NewRows
    from rosenblatt.opinions import Opinions, RuleSet


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
    content = {"row": row.number, "prediction": row.label, "score": row.score}
    if row.points is not None:
        content["points"] = row.points
    if row.probability is not None:
        content["probability"] = row.probability
    if kept:
        content["kept"] = dict(zip(kept, row.kept, strict=True))
    if row.lacking:
        content["missing"] = row.lacking
    if row.rival is not None:
        content["runner_up"], content["runner_up_score"] = row.rival
    if row.why is not None:
        content["reasons"] = [{"feature": name, "adds": added} for name, added in row.why.reasons]
        content |= {"others": row.why.others, "intercept": row.why.intercept}
        content |= {} if row.why.threshold is None else {"threshold": row.why.threshold}
    content |= {key: more for key, (_, more) in zip(keys, row.beside, strict=False)}
    if row.unseen:
        content["unseen"] = row.unseen
    if row.wordless:
        content["no_known_word"] = row.wordless
    return content


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
        columns = ["prediction", "score", *["points"] * self.points]
        columns += [] if self.likely is None else [self.likely]
        columns += ["runner-up", "its score"] if self.ranked else []
        columns += ["reasons"] * self.explain + list(self.beside)
        return columns + ["unseen"] * self.marked

    def of(self, row: Row) -> list[Any]:
        """Nothing where a row lacks a value."""
        no_word = (f"{name}: no word known from training" for name in row.wordless)
        unseen = ["; ".join([*([row.unseen] if row.unseen else []), *no_word])] * self.marked
        if row.score is None:
            return [""] * (len(self.names()) - self.marked) + unseen
        columns = [row.label, repr(row.score), *([] if row.points is None else [row.points])]
        columns += [] if row.probability is None else [repr(row.probability)]
        columns += [] if row.rival is None else [row.rival[0], repr(row.rival[1])]
        columns += [in_words(row.why)] if row.why else []
        return columns + [text for text, _ in row.beside] + unseen


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
        line = f"{many(strange, 'row')} with a category that did not occur in training"
        _common.say(f"{line}: see the column unseen.", quiet=quiet)
    if wordless:
        line = f"{many(wordless, 'row')} with text that has no word known from training"
        _common.say(f"{line}: see the column unseen.", quiet=quiet)
    if first is not None:
        line = f"{many(lacking, 'row')} got no prediction, since values are missing"
        names = ", ".join(map(repr, first.lacking))
        _common.say(f"{line}: the first is {in_file(first.number)}, without {names}.", quiet=quiet)


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


# --- What `rosenblatt predict` adds beside a prediction: a column more, and second opinions ------


class Beside(Protocol):
    """One more column."""

    column: str  # its name
    key: str  # of its content in JSON

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        """Text and content for row k among those that lack nothing, x as the rule sees it."""


class SecondOpinion:
    """--second-opinion TRAIN: the opinions are found before the first row is written."""

    column, key = "second opinion", "second_opinion"

    def __init__(self, opinions: Opinions, numbers: Sequence[int], encoding: Any, objective: Any):
        self.opinions, self._numbers, self._encoding = opinions, numbers, encoding
        self._objective = objective

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        if k >= len(self.opinions):
            return "", None  # Ctrl-C came before
        one = self.opinions[k]
        content = {
            "status": one.status,
            "at_least": one.at_least,
            "at_most": one.at_most,
            "price": one.price,
            "because": one.because,
            "rival": None if one.rival is None else one.rival.tolist(),
        }
        return self.opinions.sentence(k, lambda row: row + 1), content

    def tell(self, *, quiet: bool) -> None:
        from rosenblatt._study.costs import chosen_by

        if self._objective is not None and self._objective.decides != "error":
            _common.say(
                f"This rule was chosen by {chosen_by(self._objective)}. The second opinion only "
                "counts errors, so it also asks rules of a very different kind: expect many "
                "contested rows.",
                quiet=quiet,
            )
        for line in self.opinions.lines():
            _common.say(line, quiet=quiet)

    def write_proofs(self, folder: str, *, quiet: bool) -> None:
        """row-7.json and row-7.csv, for `python -m rosenblatt.verify`, for each forced row, counted
        from 1 as in the predictions."""
        from rosenblatt._util.files import make_folder

        forced = [opinion.row for opinion in self.opinions if opinion.conflict is not None]
        if not forced:
            why = "No answer is forced by a few rows, so there is no proof to write."
            _common.say(why, quiet=quiet)
            return
        make_folder(Path(folder))
        names, target = self._encoding.feature_names, self._encoding.target.name
        for k in forced:
            X, y = self.opinions.rows_of(k)
            path = Path(folder) / f"row-{self._numbers[k] + 1}"
            self.opinions.certificate(k).save(f"{path}.json")
            _common.write_encoded(f"{path}.csv", names, target, X, y)
        path = Path(folder) / f"row-{self._numbers[forced[0]] + 1}"
        check = f"python -m rosenblatt.verify {path}.json {path}.csv"
        _common.say(f"{many(len(forced), 'proof')} in {folder}. To check one: {check}", quiet=quiet)


def check_together(
    *,
    explain: bool,
    change: bool,
    fixed: Sequence[str],
    opinion: str | None,
    proofs: str | None,
    files: Sequence[str],
    force: bool,
) -> None:
    """Before anything is read: what goes with what."""
    if change and not explain:
        raise click.UsageError("--change goes with --explain: add --explain.")
    if fixed and not change:
        raise click.UsageError("--fixed goes with --change: add --change.")
    if proofs is not None and opinion is None:
        raise click.UsageError("--proofs goes with --second-opinion: add --second-opinion TRAIN.")
    if opinion is not None and "-" in (opinion, *files):
        raise InputError(
            "--second-opinion reads the rows more than once: give files instead of standard input "
            "(-)."
        )
    if proofs is not None and Path(proofs).exists() and not force:
        raise InputError(
            f"{proofs} exists already. Give another folder, or --force to write into it."
        )


def second_opinion(
    known: Any,
    model: str,
    train: str,
    again: Callable[..., NewRows],
    reading: dict[str, Any],
    *,
    quiet: bool,
) -> SecondOpinion:
    """`again` reads the new rows, as `reading` says, for a model that was read. Ctrl-C keeps what
    is there."""
    from rosenblatt.data import Encoding

    _check(known, model)
    encoding = Encoding.from_dict(known.encoding)
    plain = _unscaled(encoding)
    rows, numbers = _together(again(known))
    raw, _ = _together(again(replace(known, encoding=plain.to_dict())))
    labelled = _labelled(train, reading, plain, encoding)
    rules = _rule_set(known, train, labelled, plain, rows, raw)
    opinions: list[Any] = []
    with _common.working("second opinions", quiet=quiet):
        try:
            opinions.extend(rules.opinions())
        except KeyboardInterrupt:
            left = f"{len(opinions):,} of {many(len(numbers), 'row')} have a second opinion"
            _common.say(f"Interrupted: {left}.")
    return SecondOpinion(rules.all(opinions), numbers, plain, known.objective)


def _check(known: Any, model: str) -> None:
    if known.encoding is None or known.encoding.get("target") is None:
        raise InputError(
            f"--second-opinion: {model} was saved without the encoding of its table. Use "
            "rosenblatt.second_opinion in Python."
        )
    k = len(known.estimator.classes_)
    if k != 2:
        raise InputError(f"--second-opinion works with two labels, and {model} tells {k} apart.")


def _unscaled(encoding: Any) -> Any:
    """In the units of the table; missing values are filled as before."""
    from rosenblatt.data.encoding import Number

    fills = [c.fill for c in encoding.columns if isinstance(c, Number)]
    return encoding.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))


def _together(new: NewRows) -> tuple[Any, list[int]]:
    """All rows that lack nothing, and their numbers."""
    from rosenblatt.data.stack import below

    parts, numbers, first = [], [], 0
    for batch in new.batches:
        parts.append(batch.X)
        numbers += [first + i for i in range(batch.rows) if i not in batch.lacking]
        first += batch.rows
    return below(parts, len(new.names)), numbers


def _labelled(train: str, reading: dict[str, Any], plain: Any, encoding: Any) -> tuple[Any, ...]:
    """The rows of TRAIN in its units, as the rule takes them, and their labels.

    The options are about the new rows: TRAIN is read as the table of training was. Where it has
    another form than that, it is taken to have that of the new rows.
    """
    typed = {name: value for name, value in reading.items() if value not in (None, ())}
    how: dict[str, Any] = {}
    try:
        X, y = plain.apply_labelled([train])
    except InputError as error:
        if not typed:
            raise InputError(f"--second-opinion: {error}") from None
        how = typed
        try:
            X, y = plain.apply_labelled([train], **how)
        except InputError as again:
            options = ", ".join(_typed(name, value) for name, value in typed.items())
            raise InputError(
                f"--second-opinion: {train} can be read neither as the training table was nor with "
                f"{options}: {again} Write it in one of these two forms."
            ) from None
    return X, encoding.apply_labelled([train], **how)[0], y


def _typed(name: str, value: Any) -> str:
    return "--no-header" if (name, value) == ("header", False) else f"--{name}"


def _rule_set(
    known: Any,
    train: str,
    labelled: tuple[Any, ...],
    plain: Any,
    rows: Any,
    raw: Any,
) -> RuleSet:
    import numpy as np

    from rosenblatt._certify.table import named, read
    from rosenblatt.opinions import RuleSet

    rule, classes = known.estimator, known.estimator.classes_
    X, encoded, y = labelled
    if sorted(set(y.tolist())) != sorted(classes.tolist()):
        raise InputError(
            f"{train} has the labels {sorted(set(y.tolist()))}, but the rule was trained on "
            f"{classes.tolist()}: give the rows that it was trained on."
        )
    table = named(read(X, y, semantics="binary64", asked="second_opinion"), plain)
    wrong = rule.predict(encoded) != y
    signs = np.where(rule.predict(rows) == classes[1], 1, -1) if len(rows) else np.empty(0)
    return RuleSet(table, raw, answers=signs.astype(np.int8), errors=int(wrong.sum()))
