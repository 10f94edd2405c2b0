"""rosenblatt predict: a trained rule on new rows."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, final

import click

from rosenblatt._study.reasons import (
    REASONS,
    Reasons,
    Why,
    is_card,
    lead,
    points_of,
    ranked,
    weights,
)
from rosenblatt._util import spelling
from rosenblatt._util.text import (
    in_file,
    listed,
    many,
    named,
    of_files,
    row_number,
    shown,
)
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.cli._rows import Batch, NewRows, RowFiles, read_model
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._study.counterfactual import Change, Changes
    from rosenblatt.opinions import Opinions, RuleSet

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what the text of one begins with
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)*|[.,]\d+)([eE][-+]?\d+)?\s*%?")
_READ = 20  # rows, on a terminal
_SINGLE = 3  # changes of one column that are named
_UNSEEN = "unseen in training"  # a column
_NONE = "without a prediction"
_ALL_DIGITS = re.compile(r"-?\d+(\.\d{5,}(e-?\d+)?|\.\d+e-?\d+)")
_BESIDE_REASONS = re.compile(r"adds \d+|others add|intercept|threshold")
_AVERAGE = re.compile(r" \(average \S+\)$")
_WAITING = 1 << 24  # characters that wait in memory; more of them in a file


@click.command(cls=Command)
@_options.model_argument
@_options.row_options()
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the predictions to FILE as CSV.  [default: standard output]",
)
@click.option(
    "--copy",
    multiple=True,
    metavar="COLUMN",
    help="Copy this column of FILE into the predictions (repeatable), or all for every one.",
)
@_options.flag(
    "--explain",
    "Add the features that contribute most to the score of each row.",
)
@click.option(
    "--reasons",
    type=click.IntRange(1),
    help=f"With --explain: how many features to name.  [default: {REASONS}]",
)
@_options.flag(
    "--counterfactual",
    "With --explain: add the smallest change of one column, and of two, that changes the "
    "predicted label.",
)
@click.option(
    "--immutable",
    multiple=True,
    metavar="COLUMN",
    help="With --counterfactual: a column that cannot be changed, such as age (repeatable).",
)
@click.option(
    "--second-opinion",
    "training_file",
    metavar="TRAIN",
    help="Say whether other linear rules that fit the training rows in the file TRAIN as well "
    "would predict otherwise.",
)
@click.option(
    "--proofs",
    metavar="FOLDER",
    help="With --second-opinion: write the proofs of forced answers into FOLDER.  [default: none]",
)
@_options.flag(
    "--probability",
    "Add the probability of the label that the rule names (card = yes if ...); with more than two "
    "labels that of each.",
)
@_options.flag(
    "--spreadsheet-safe",
    "Put an apostrophe before text that a spreadsheet would take for a formula: text that "
    "begins with =, +, - or @ and is no number.",
)
@_options.unseen_option("; such rows are marked")
@_options.choice(
    "--on-missing",
    ["skip", "error"],
    "skip",
    "What to do with a row that lacks a value which training did not learn to fill: leave its "
    "prediction empty, or stop with an error.",
)
@_options.force_option
@_options.output_options
def command(
    model: str,
    files: tuple[str, ...],
    output: str | None,
    copy: tuple[str, ...],
    explain: bool,
    reasons: int | None,
    counterfactual: bool,
    immutable: tuple[str, ...],
    training_file: str | None,
    proofs: str | None,
    probability: bool,
    spreadsheet_safe: bool,
    on_unseen: str,
    on_missing: str,
    force: bool,
    out: _common.Output,
    **reading: Any,
) -> int:
    """Predict the labels of new rows with a trained model.

    MODEL is a file that `rosenblatt fit` or rosenblatt.save wrote. FILE has the columns of the
    training table; the target is not needed. The output has one line for each row. The column row
    is 1 for the first row below the header (in --json it is 0).

    The score is the left side of the rule that `rosenblatt fit` printed minus its threshold: with
    the rule "card = yes if ...", a score of 0 or more means yes. For a scorecard it is the points
    minus the threshold plus 0.5. With more than two labels the one with the highest score is
    predicted, and the runner-up is named beside it.

    --explain: a reason is what a feature adds to the score, compared with an average training row:
    its weight times (value - average); for a category, compared with the reference level. With the
    other features and the intercept, the reasons add up to the score (with more than two labels: to
    the lead over the runner-up). The intercept is the score of an average row whose categories are
    the reference levels. Features that add 0, such as these categories, are not counted among the
    others. For a scorecard, the reasons are the points of each term.

    --counterfactual stays within the ranges and categories seen in training, and keeps whole
    numbers whole.

    --second-opinion: an answer is forced if every linear rule that makes no more errors on TRAIN
    gives it, and contested if one of them says otherwise. TRAIN is the table that was given to
    `rosenblatt fit`. It is read as it was then; if that fails, with the options given for FILE.

    --probability: computed from the score by Platt scaling (with more than two labels from all
    scores, by a softmax), which `rosenblatt fit` fitted to rows that the scoring rule had not seen.

    Missing values are filled if training learned how (fit --impute). Otherwise such a row gets no
    prediction, and a message says how many there are.

    \b
    Examples:
      rosenblatt fit credit.csv --target card
      rosenblatt predict credit-rosenblatt/model.json credit.csv -o predictions.csv
      rosenblatt predict credit-rosenblatt/model.json credit.csv --copy age --explain
      rosenblatt predict credit-rosenblatt/model.json credit.csv --explain --counterfactual
    """
    for option, given, needed, added in (
        ("--reasons", reasons is not None, explain, "--explain"),
        ("--counterfactual", counterfactual, explain, "--explain"),
        ("--immutable", immutable, counterfactual, "--counterfactual"),
        ("--proofs", proofs is not None, training_file is not None, "--second-opinion"),
    ):
        if given and not needed:
            value = " TRAIN" * (added == "--second-opinion")
            raise click.UsageError(f"{option} goes with {added}: add {added}{value}.")
    _common.check_folder(proofs, force=force)
    if training_file is not None and "-" in (training_file, *files):
        raise InputError(
            "--second-opinion reads the rows more than once: give files instead of standard input "
            "(-)."
        )
    _common.check_output(output, (model, *files), force=force)
    known = read_model(model, files, "predict")
    estimator, likely = known.estimator, _likely(known, model) if probability else None
    source = RowFiles(model, files, reading, on_unseen, on_missing)
    new = replace(source, copy=copy).of(known)
    if new.narrower is not None:
        out.say(new.narrower)
    opinion = None
    if training_file is not None:
        opinion = second_opinion(known, training_file, source, out)
    beside: list[Beside] = [SmallestChange(known, model, immutable)] if counterfactual else []
    beside += [] if opinion is None else [opinion]
    classes = estimator.classes_.tolist()
    why = Reasons(estimator, new.names, new.numbers, reasons or REASONS) if explain else None
    rows = Predictions(estimator, why, likely, beside).of(new.batches)
    if out.as_json:
        with out.reading():
            content = [_as_dict(row, new.copied, beside) for row in rows]
        document = {"files": list(files), "labels": classes, "rows": content}
        _common.print_json("predict", document | {"outside": new.outside()})
    else:
        named_labels = classes[-1:] if len(classes) == 2 else classes
        columns = Columns(
            tuple(f"probability of {label}" for label in named_labels) if probability else (),
            reasons=None if why is None else why.most,
            ranked=len(classes) > 2,
            marked=on_unseen == "reference" or new.prose,
            beside=tuple(one.column for one in beside),
            points=is_card(estimator),
        )
        cells = Cells(safe=spreadsheet_safe)
        counted = _write(output, rows, new.copied, columns, cells, out)
        for column in new.outside():
            out.say(column["sentence"])
        if output is not None:
            out.say(f"{counted}. The predictions are in {output}.")
        if likely is not None and len(classes) == 2:
            out.say(_threshold(known, likely))
    if opinion is not None:
        opinion.tell(out)
        if proofs is not None:
            opinion.write_proofs(proofs, out)
    return 0


def _threshold(known: Any, platt: Any) -> str:
    """The probability at which the answer changes, which is one half only by chance."""
    label, why = named(known.estimator.classes_[-1]), ""
    if known.objective is not None and known.objective.decides != "error":
        from rosenblatt._study.costs import chosen_by

        why = f", because it was chosen by {chosen_by(known.objective)}"
    return f"Predicts {label} when its probability is at least {float(platt.of(0.0)):.1%}{why}."


def _likely(known: Any, model: str) -> Any:
    if known.probability is not None:
        return known.probability
    raise InputError(
        f"--probability: {model} cannot give a probability: it was saved without one. rosenblatt "
        "fit writes models that have one."
    )


# --- Rows and their predictions ------------------------------------------------------------------


class Beside(Protocol):
    """One more column."""

    column: str  # its name
    key: str  # of its content in JSON

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        """Text and content for row k among those that lack nothing, x as the rule sees it."""


class Row(NamedTuple):
    number: int
    copied: tuple[str, ...]  # columns of the table
    unseen_categories: str  # which did not occur in training, and what they count as
    lacking: list[str]  # columns without a value
    wordless: list[str]  # columns of prose without a known word
    label: Any = None  # None, as what follows: the row lacks a value
    score: float | None = None
    rival: tuple[Any, float] | None = None  # of many classes the runner-up and its score
    why: Why | None = None
    points: float | None = None  # of a card; whole numbers of counts
    probability: list[float] | None = None  # of the second label, of more than two of each
    beside: Sequence[tuple[str, Any]] = ()  # text and content of further columns


@final
@dataclass(frozen=True)
class Predictions:
    estimator: Any
    reasons: Reasons | None
    likely: Any  # from scores to probabilities; None: without them
    beside: Sequence[Beside]

    def of(self, batches: Iterator[Batch]) -> Iterator[Row]:
        numbers, complete_rows = count(), count()
        for batch in batches:
            predictions = self._of_complete_rows(batch.X, complete_rows)
            for i, copied in zip(range(batch.rows), batch.copied, strict=True):
                categories = "; ".join(batch.unseen_categories.get(i, []))
                lacking, wordless = batch.lacking.get(i, []), batch.wordless.get(i, [])
                row = Row(next(numbers), copied, categories, lacking, wordless)
                yield row if lacking else row._replace(**next(predictions))

    def _of_complete_rows(self, X: Any, places: Iterator[int]) -> Iterator[dict[str, Any]]:
        estimator, reasons = self.estimator, self.reasons
        values: Any = reasons and reasons.values(X)
        points, probabilities = points_of(estimator, X), None
        if self.likely is not None:
            of_rows = self.likely.of(estimator.decision_function(X))
            probabilities = of_rows.reshape(len(of_rows), -1).tolist()
        for i, (label, score, rival, first, second) in enumerate(ranked(estimator, X)):
            place = next(places)
            yield {
                "label": label,
                "score": score,
                "rival": rival,
                "why": reasons and reasons.of(values[i], first, second),
                "points": None if points is None else points[i],
                "probability": None if probabilities is None else probabilities[i],
                "beside": [one.of(place, X[i], label) for one in self.beside],
            }


# --- The smallest change of a row that changes its label: --counterfactual -----------------------


class SmallestChange:
    column, key = "smallest change", "changes"

    def __init__(self, known: Any, model: str, fixed: Sequence[str]):
        from rosenblatt._study.counterfactual import changeable
        from rosenblatt.data import Preprocessing

        if known.preprocessing is None:
            raise InputError(
                f"--counterfactual: {model} was saved without the preprocessing of its table, so "
                "there are no columns to change. rosenblatt fit saves it."
            )
        self._estimator = known.estimator
        self._weights = weights(known.estimator)
        self._columns = changeable(Preprocessing.from_dict(known.preprocessing), fixed)

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        from rosenblatt._core.rows import dense

        changes = self._smallest(dense(x).ravel().astype(float), label)
        return _changes_in_words(changes), {
            "single": [_moves_as_dict(change) for change in changes.single],
            "double": None if changes.double is None else _moves_as_dict(changes.double),
        }

    def _smallest(self, row: Any, label: Any) -> Changes:
        from rosenblatt._study import counterfactual
        from rosenblatt._study.counterfactual import Turning
        from rosenblatt._training.card_rule import Card

        if isinstance(self._estimator._rule, Card):
            return counterfactual.smallest(self._estimator._rule, self._columns, row)

        def turned(other: Any) -> bool:
            return bool(self._estimator.predict(other[None, :])[0] != label)

        return Turning(self._columns, row, turned).smallest(self._leads(row, label))

    def _leads(self, x: Any, label: Any) -> list[tuple[Any, float]]:
        """By how much the label is ahead of each other one, and the weights of that."""
        classes = self._estimator.classes_.tolist()
        if len(classes) == 2:
            w, b = lead(*self._weights, 0, None)
            sign = 1.0 if label == classes[1] else -1.0
            return [(sign * w, sign * (float(w @ x) + b))]
        mine = classes.index(label)
        others = (lead(*self._weights, mine, c) for c in range(len(classes)) if c != mine)
        return [(w, float(w @ x) + b) for w, b in others]


def _changes_in_words(changes: Changes) -> str:
    texts = [_moves(change) for change in changes.single[:_SINGLE]]
    if changes.double is not None:
        texts.append(f"two together: {_moves(changes.double)}")
    if not texts:
        return "no change of one or two columns within the ranges seen in training changes it"
    return "; or ".join(texts)


def _moves(change: Change) -> str:
    from rosenblatt._study.counterfactual import shown

    return " and ".join(f"{m.column} {shown(m.now)} → {shown(m.to)}" for m in change.moves)


def _moves_as_dict(change: Change) -> dict[str, Any]:
    moves = [{"column": m.column, "now": m.now, "to": m.to} for m in change.moves]
    return {"moves": moves, "size": change.size}


# --- What other rules say that fit the training rows as well: --second-opinion -------------------


class SecondOpinion:
    """All are found before the first row is written."""

    column, key = "second opinion", "second_opinion"

    def __init__(
        self, opinions: Opinions, numbers: Sequence[int], preprocessing: Any, objective: Any
    ):
        self.opinions, self._numbers, self._preprocessing = opinions, numbers, preprocessing
        self._objective = objective

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        if k >= len(self.opinions):
            return "", None  # Ctrl-C came before
        one = self.opinions[k]
        content = {
            "status": one.status,
            "at_least": one.at_least,
            "at_most": one.at_most,
            "cost": one.cost,
            "because": one.because,
            "rival": one.rival and one.rival.to_dict(),
        }
        return self.opinions.sentence(k, lambda row: row + 1), content

    def tell(self, out: _common.Output) -> None:
        from rosenblatt._study.costs import chosen_by

        if self._objective is not None and self._objective.decides != "error":
            out.say(
                f"This rule was chosen by {chosen_by(self._objective)}. The second opinion only "
                "counts errors, so it also asks rules of a very different kind: expect many "
                "contested rows."
            )
        for line in self.opinions.lines():
            out.say(line)

    def write_proofs(self, folder: str, out: _common.Output) -> None:
        """row-7.json and row-7.csv, for `python -m rosenblatt.verify`, for each forced row, counted
        from 1 as in the predictions."""
        from rosenblatt._util.files import make_folder

        forced = [opinion.row for opinion in self.opinions if opinion.conflict is not None]
        if not forced:
            out.say("No answer is forced by a few rows, so there is no proof to write.")
            return
        make_folder(Path(folder))
        names, target = self._preprocessing.feature_names, self._preprocessing.target.name
        for k in forced:
            X, y = self.opinions.rows_of(k)
            path = Path(folder) / f"row-{self._numbers[k] + 1}"
            self.opinions.certificate(k).save(f"{path}.json")
            _common.write_encoded(f"{path}.csv", names, target, X, y)
        path = Path(folder) / f"row-{self._numbers[forced[0]] + 1}"
        check = f"python -m rosenblatt.verify {path}.json {path}.csv"
        out.say(f"{many(len(forced), 'proof')} in {folder}. To check one: {check}")


def second_opinion(known: Any, train: str, new: RowFiles, out: _common.Output) -> SecondOpinion:
    """About the rows that `known`, a model, says something of. Ctrl-C keeps what is there."""
    from rosenblatt.data import Preprocessing
    from rosenblatt.data.files import find

    find([train])
    _check_two_labels(known, new.model)
    preprocessing = Preprocessing.from_dict(known.preprocessing)
    plain = _unscaled(preprocessing)
    rows, numbers = _complete_rows(new.of(known))
    raw, _ = _complete_rows(new.of(replace(known, preprocessing=plain.to_dict())))
    labelled = _labelled(train, new.reading, plain, preprocessing)
    rules = _rule_set(known, train, labelled, plain, rows, raw)
    opinions: list[Any] = []
    with out.working("second opinions"):
        try:
            opinions.extend(rules.opinions())
        except KeyboardInterrupt:
            left = f"{len(opinions):,} of {many(len(numbers), 'row')} have a second opinion"
            _common.say(f"Interrupted: {left}.")
    return SecondOpinion(rules.all(opinions), numbers, plain, known.objective)


def _check_two_labels(known: Any, model: str) -> None:
    if known.preprocessing is None or known.preprocessing.get("target") is None:
        raise InputError(
            f"--second-opinion: {model} was saved without the preprocessing of its table. Use "
            "rosenblatt.second_opinion in Python."
        )
    k = len(known.estimator.classes_)
    if k != 2:
        raise InputError(f"--second-opinion works with two labels, and {model} has {k}.")


def _unscaled(preprocessing: Any) -> Any:
    """In the units of the table; missing values are filled as before."""
    from rosenblatt.data.preprocessing import Number

    fills = [c.fill for c in preprocessing.columns if isinstance(c, Number)]
    return preprocessing.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))


def _complete_rows(new: NewRows) -> tuple[Any, list[int]]:
    from rosenblatt.data.stack import below

    parts, numbers, first = [], [], 0
    for batch in new.batches:
        parts.append(batch.X)
        numbers += [first + i for i in range(batch.rows) if i not in batch.lacking]
        first += batch.rows
    return below(parts, len(new.names)), numbers


def _labelled(
    train: str, reading: dict[str, Any], plain: Any, preprocessing: Any
) -> tuple[Any, ...]:
    """The rows of TRAIN in its units, as the rule takes them, and their labels.

    The options are about the new rows: TRAIN is read as the table of training was. Where it has
    another form than that, it is taken to have that of the new rows.
    """
    typed = {name: value for name, value in reading.items() if value not in (None, ())}
    how: dict[str, Any] = {}
    try:
        X, y = plain.transform_labelled([train])
    except InputError as error:
        if not typed:
            raise InputError(f"--second-opinion: {error}") from None
        how = typed
        try:
            X, y = plain.transform_labelled([train], **how)
        except InputError as again:
            options = ", ".join(
                spelling.option(name, False) if value is False else spelling.option(name)
                for name, value in typed.items()
            )
            raise InputError(
                f"--second-opinion: {train} can be read neither as the training table was nor with "
                f"{options}: {again} Write it in one of these two forms."
            ) from None
    return X, preprocessing.transform_labelled([train], **how)[0], y


def _rule_set(
    known: Any, train: str, labelled: tuple[Any, ...], plain: Any, rows: Any, raw: Any
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
    table = named(read(X, y, numbers="float", function="second_opinion"), plain)
    wrong = rule.predict(encoded) != y
    signs = np.where(rule.predict(rows) == classes[1], 1, -1) if len(rows) else np.empty(0)
    return RuleSet(table, raw, answers=signs.astype(np.int8), errors=int(wrong.sum()))


# --- How they are written: a row of CSV, or an object of JSON ------------------------------------


def _as_dict(row: Row, copied: list[str], beside: Sequence[Beside]) -> dict[str, Any]:
    content = {"row": row.number, "prediction": row.label, "score": row.score}
    if row.points is not None:
        content["points"] = row.points
    if row.probability is not None:
        one = len(row.probability) == 1
        content["probability"] = row.probability[0] if one else row.probability
    if copied:
        content["copied"] = dict(zip(copied, row.copied, strict=True))
    if row.lacking:
        content["missing"] = row.lacking
    if row.rival is not None:
        content["runner_up"], content["runner_up_score"] = row.rival
    if row.why is not None:
        content |= row.why.to_dict()
    content |= {one.key: more for one, (_, more) in zip(beside, row.beside, strict=False)}
    if row.unseen_categories:
        content["unseen_categories"] = row.unseen_categories
    if row.wordless:
        content["no_known_word"] = row.wordless
    return content


@dataclass(frozen=True)
class Columns:
    """What is written beside label and score."""

    likely: tuple[str, ...]  # the names of the columns of probabilities
    reasons: int | None  # at most for a row
    ranked: bool
    marked: bool
    beside: tuple[str, ...]
    points: bool  # of a card

    def names(self) -> list[str]:
        columns = ["prediction", "score", *["points"] * self.points]
        columns += self.likely
        columns += ["runner-up", "its score"] if self.ranked else []
        if self.reasons is not None:
            for k in range(1, self.reasons + 1):
                columns += [f"reason {k}", f"adds {k}"]
            columns += ["others add", "threshold" if self.points else "intercept"]
        return [*columns, *self.beside, *[_UNSEEN] * self.marked]

    def of(self, row: Row) -> list[Any]:
        """Nothing where a row lacks a value."""
        no_word = (f"{name}: no word known from training" for name in row.wordless)
        unseen = "; ".join([*([row.unseen_categories] if row.unseen_categories else []), *no_word])
        marks = [unseen] * self.marked
        if row.score is None:
            return [""] * (len(self.names()) - self.marked) + marks
        columns = [row.label, repr(row.score), *([] if row.points is None else [row.points])]
        columns += map(repr, row.probability or ())
        columns += [] if row.rival is None else [row.rival[0], repr(row.rival[1])]
        if row.why is not None:
            cells = row.why.cells(self.reasons or 0)
            columns += [repr(cell) if isinstance(cell, float) else cell for cell in cells]
        return columns + [text for text, _ in row.beside] + marks


def _write(
    output: str | None,
    rows: Iterator[Row],
    copied: list[str],
    columns: Columns,
    cells: Cells,
    out: _common.Output,
) -> str:
    """How many rows have which prediction."""
    import csv

    strange, wordless, lacking, first = 0, 0, 0, None
    counts: Counter[str] = Counter()
    table: list[Sequence[Any]] = []
    readable = output is None and sys.stdout.isatty()
    whole = _whole_output() if output is None else _common.whole_file(output)
    with of_files(), whole as file, out.reading():
        writer = csv.writer(file, lineterminator="\n")
        ours = columns.names()
        headings = ["row", *_apart(copied, ["row", *ours]), *ours]
        if not readable:
            writer.writerow(cells.of(headings, headings))
        for row in rows:
            counts[_NONE if row.score is None else str(row.label)] += 1
            fields = [row_number(row.number), *row.copied, *columns.of(row)]
            if not readable:
                writer.writerow(cells.of(fields, headings))
            elif len(table) < _READ:
                table.append(fields)
            strange += row.unseen_categories != ""
            wordless += bool(row.wordless)
            lacking += bool(row.lacking)
            first = first or (row if row.lacking else None)
    for n, what in (
        (strange, "a category that did not occur in training"),
        (wordless, "text that has no word known from training"),
    ):
        if n:
            out.say(f"{many(n, 'row')} with {what}: see the column {_UNSEEN!r}.")
    if cells.formulas and not cells.safe:
        out.say(cells.warning())
    if first is not None:
        names = ", ".join(map(repr, first.lacking))
        out.say(
            f"{many(lacking, 'row')} got no prediction, since values are missing: the first is "
            f"{in_file(first.number)}, without {names}."
        )
    each = (f"{named(label)} {k:,}" for label, k in counts.most_common())
    counted = f"{many(sum(counts.values()), 'row')}: {', '.join(each)}"
    if readable:
        _print_table(headings, table, columns.beside)
        more = "" if len(table) == counts.total() else f" (the first {_READ} are shown)"
        _common.print_text(f"{counted}{more}. -o FILE writes them as CSV.")
    return counted


def _print_table(headings: list[str], rows: list[Sequence[Any]], beside: tuple[str, ...]) -> None:
    """For a person to read: numbers to a few digits, a reason with what it adds, and sentences,
    which need the whole width, in tables of their own below."""
    console = _common.console()
    left_out = {j for j, name in enumerate(headings) if _BESIDE_REASONS.fullmatch(name)}
    sentences = [headings.index(name) for name in beside]
    cells = [[_few_digits(field) for field in row] for row in rows]
    for row, texts in zip(rows, cells, strict=True):
        for j in left_out:
            if headings[j].startswith("adds ") and texts[j]:
                texts[j - 1] = f"{_AVERAGE.sub('', texts[j - 1])}: {float(row[j]):+.3g}"
    in_main = [j for j in range(len(headings)) if j not in left_out and j not in sentences]
    for places in (in_main, *([0, j] for j in sentences)):
        if places is not in_main:
            console.print()
        chosen = [[texts[j] for j in places] for texts in cells]
        console.print(_common.text_table([headings[j] for j in places], chosen))


def _few_digits(field: Any) -> str:
    """Of the scores, which are written with all digits; a column of the table stays as it is."""
    text = str(field)
    return f"{float(text):.4g}" if _ALL_DIGITS.fullmatch(text) else text


class Cells:
    """Text that a spreadsheet would take for a formula, and run where somebody opens the file."""

    def __init__(self, *, safe: bool):
        self.safe = safe  # it gets an apostrophe
        self.formulas: dict[str, str] = {}  # the first one of each column

    def of(self, fields: Sequence[Any], names: Sequence[str]) -> Sequence[Any]:
        if not any(isinstance(field, str) and field[:1] in _FORMULA for field in fields if field):
            return fields
        cells = list(fields)
        for j, field in enumerate(fields):
            if isinstance(field, str) and field[:1] in _FORMULA and not _NUMBER.fullmatch(field):
                self.formulas.setdefault(names[j], field)
                cells[j] = f"'{field}" if self.safe else field
        return cells

    def warning(self) -> str:
        text = next(iter(self.formulas.values()))
        columns = listed([repr(each) for each in self.formulas], 5)
        return (
            f"A spreadsheet would take text of {columns} for formulas, as {text!r}. If the file is "
            "opened in one, add --spreadsheet-safe, which puts an apostrophe before such text."
        )


def _apart(copied: list[str], ours: list[str]) -> list[str]:
    """Names of columns of the table that can stand beside ours."""
    return [f"{name} (of the table)" if name in ours else name for name in copied]


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
