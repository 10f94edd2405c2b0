"""rosenblatt predict: a trained rule on new rows."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import click

from rosenblatt._support.foreign import shown
from rosenblatt._support.numbered import Numbered
from rosenblatt._support.words import many
from rosenblatt.cli import _common
from rosenblatt.errors import InputError

_REASONS = 3
_WAITING = 1 << 24  # characters that wait in memory; more of them in a file


class Why(NamedTuple):
    """What adds up to a score: the heaviest features, all other features, the intercept.

    Of many classes: to what the score of the predicted class is above that of its runner-up.
    """

    reasons: list[tuple[str, float]]
    others: float
    n_others: int
    intercept: float


class Row(NamedTuple):
    number: int
    label: Any
    score: float
    rival: tuple[Any, float] | None  # of many classes the runner-up and its score
    why: Why | None
    unseen: str  # words that did not occur in training, and what they count as
    probability: float | None = None  # of the second label


@click.command()
@click.argument("model", type=click.Path())
@_common.row_options
@click.option("-o", "--output", metavar="FILE", help="Write the predictions here, as CSV.")
@click.option("--explain", is_flag=True, help="Add the heaviest reasons for each row.")
@click.option(
    "--reasons", type=click.IntRange(1), help=f"How many, with --explain.  [default: {_REASONS}]"
)
@click.option("--probability", is_flag=True, help="Add the probability of the second label.")
@click.option(
    "--unseen",
    type=click.Choice(["refuse", "zero"]),
    default="refuse",
    show_default=True,
    help="A word that did not occur in training is an error, or is 0 in all columns of its own, as "
    "the reference level is; such rows are marked.",
)
@_common.force_option
@_common.output_options
def command(
    model: str,
    files: tuple[str, ...],
    output: str | None,
    explain: bool,
    reasons: int | None,
    probability: bool,
    unseen: str,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **reading: Any,
) -> int:
    """Predict the labels of new rows by a trained rule.

    --probability adds how probable the second label is, by Platt scaling: from the score, fitted
    by `rosenblatt fit` to rows that the scoring rule had not seen.

    The rows are encoded as those in training were. A score of 0 or more means the second label. A
    reason is what one feature adds to the score, compared with an average row: its weight in the
    rule times (value - mean of the training rows); of a word compared with the reference level.
    With the other features and the intercept, they add up to the score.

    Of more than two labels the one with the highest score is predicted, and the runner-up is named
    beside it. A reason is then what one feature adds to the lead over the runner-up.

    \b
    rosenblatt predict model.rosenblatt new.csv --explain -o predictions.csv
    """
    if reasons is not None and not explain:
        raise click.UsageError("--reasons says how many reasons to give: add --explain.")
    if os.path.isdir(model):
        inside = os.path.join(model, "model.json")
        where = f": the rule is in {inside}" if os.path.exists(inside) else ", not a model file"
        raise InputError(f"{model} is a folder{where}.")
    _common.check_files(model, files)
    _common.check_output(output, (model, *files), force=force)

    from rosenblatt import model_file

    known = model_file.read(model)
    platt = _platt(known, model) if probability else None
    names, parts = _encoded(known, model, files, unseen, reading)
    count = (reasons or _REASONS) if explain else 0
    rows = _with_probability(_rows(known.estimator, names, parts, count), platt)
    if as_json:
        with _common.reading(quiet=quiet):
            found = [_as_dict(row) for row in rows]
        labels = known.estimator.classes_.tolist()
        _common.print_json("predict", {"files": list(files), "labels": labels, "rows": found})
        return 0
    ranked = len(known.estimator.classes_) > 2
    likely = f"probability of {known.estimator.classes_[-1]}" if probability else None
    marked = unseen == "zero"
    _write(output, rows, explain, likely=likely, ranked=ranked, marked=marked, quiet=quiet)
    if output is not None:
        _common.say(f"The predictions are in {output}.", quiet=quiet)
    return 0


def _encoded(known: Any, model: str, files: tuple[str, ...], unseen: str, reading: Any) -> Any:
    """Names of the features, and part by part the rows as numbers and their unseen words."""
    from rosenblatt import data
    from rosenblatt.data import sparse
    from rosenblatt.data.files import find, is_svmlight

    if known.encoding is not None:
        encoding = data.Encoding.from_dict(known.encoding)
        vars(known.estimator).pop("feature_names_in_", None)  # it has seen to the names
        parts = encoding.parts(list(files), unseen=unseen, **reading)
        strange = encoding.unseen if unseen == "zero" else lambda _: {}
        return encoding.feature_names, ((X, strange(part)) for part, X in parts)
    if not is_svmlight(list(files)):
        raise InputError(
            f"{model} does not say how a table becomes numbers: it was saved without an encoding. "
            "Use it in Python, or save it with one."
        )
    d = known.estimator.n_features_in_
    X = sparse.SparseTable(find(list(files)), n_features=d).X
    return Numbered(d), [(X, {})]


def _rows(estimator: Any, names: Sequence[str], parts: Any, count: int) -> Iterator[Row]:
    from rosenblatt._compute.matrices import dense

    judged = _of_two if len(estimator.classes_) == 2 else _of_many
    rule = _weights(estimator) if count else None
    number = 0
    for X, unseen in parts:
        for i, (label, score, rival, at) in enumerate(judged(estimator, X)):
            why = None
            if rule is not None:
                w, b = _lead(*rule, *at)
                why = _why(names, w * dense(X[i]).ravel(), count, b)
            yield Row(number, label, score, rival, why, "; ".join(unseen.get(i, [])))
            number += 1


def _platt(known: Any, model: str) -> Any:
    """From a score to a probability."""
    if known.probability is not None:
        return known.probability
    k = len(known.estimator.classes_)
    why = "it was saved without one; rosenblatt fit writes it"
    if k > 2:
        why = f"it tells {k} labels apart, and probabilities are those of two"
    raise InputError(f"--probability: {model} has none, since {why}.")


def _with_probability(rows: Iterator[Row], platt: Any) -> Iterator[Row]:
    for row in rows:
        yield row if platt is None else row._replace(probability=float(platt.of(row.score)))


def _of_two(estimator: Any, X: Any) -> Iterator[tuple[Any, float, None, tuple[int, None]]]:
    """Label and score of each row, no runner-up, and whose weights tell why."""
    scores, labels = estimator.decision_function(X), estimator.predict(X)
    for label, score in zip(labels.tolist(), scores.tolist(), strict=True):
        yield label, score, None, (0, None)


def _of_many(
    estimator: Any, X: Any
) -> Iterator[tuple[Any, float, tuple[Any, float], tuple[int, int]]]:
    """Label and score of each row, its runner-up, and where both are among the classes."""
    import numpy as np

    scores, classes = estimator.decision_function(X), estimator.classes_.tolist()
    for row, label in zip(scores, estimator.predict(X).tolist(), strict=True):
        first = classes.index(label)
        others = np.where(np.arange(len(row)) == first, -np.inf, row)
        second = int(others.argmax())
        yield label, float(row[first]), (classes[second], float(row[second])), (first, second)


def _lead(w: Any, b: Any, first: int, second: int | None) -> tuple[Any, float]:
    """The weights and the intercept of a score, or of how far one is above another."""
    if second is None:
        return w[first], float(b[first])
    return w[first] - w[second], float(b[first] - b[second])


def _why(names: Sequence[str], added: Any, count: int, intercept: float) -> Why:
    import numpy as np

    order = np.argsort(-np.abs(added), kind="stable")
    order = order[: np.count_nonzero(added)]
    reasons = [(names[j], float(added[j])) for j in order[:count]]
    rest = added[order[count:]]
    return Why(reasons, math.fsum(rest), len(rest), intercept)


def _weights(estimator: Any) -> tuple[Any, Any]:
    weights = getattr(estimator, "coef_", None) if hasattr(estimator, "coef_") else None
    if weights is None:
        raise InputError(
            "--explain needs a rule with one weight for each feature, and this one has none: it "
            "votes, or works by a kernel."
        )
    return weights, estimator.intercept_


def _as_dict(row: Row) -> dict[str, Any]:
    found = {"row": row.number, "prediction": row.label, "score": row.score}
    if row.probability is not None:
        found["probability"] = row.probability
    if row.rival is not None:
        found["runner_up"], found["runner_up_score"] = row.rival
    if row.why is not None:
        found["reasons"] = [{"feature": name, "adds": added} for name, added in row.why.reasons]
        found |= {"others": row.why.others, "intercept": row.why.intercept}
    if row.unseen:
        found["unseen"] = row.unseen
    return found


def _told(why: Why) -> str:
    found = [f"{name} {added:+.4g}" for name, added in why.reasons]
    if why.n_others:
        found.append(f"{many(why.n_others, 'other')} {why.others:+.4g}")
    return "; ".join([*found, f"intercept {why.intercept:+.4g}"])


def _write(
    output: str | None,
    rows: Iterator[Row],
    explain: bool,
    *,
    likely: str | None,
    ranked: bool,
    marked: bool,
    quiet: bool,
) -> None:
    import csv

    strange = 0
    whole = _whole_output() if output is None else _common.whole_file(output)
    with whole as file, _common.reading(quiet=quiet):
        writer = csv.writer(file, lineterminator="\n")
        more = [] if likely is None else [likely]
        more += ["runner-up", "its score"] if ranked else []
        more += ["reasons"] if explain else []
        writer.writerow(["row", "prediction", "score", *more, *(["unseen"] if marked else [])])
        for number, label, score, rival, why, unseen, p in rows:
            second = [] if p is None else [repr(p)]
            second += [] if rival is None else [rival[0], repr(rival[1])]
            told = [*second, *([_told(why)] if why else []), *([unseen] if marked else [])]
            writer.writerow([number, label, repr(score), *told])
            strange += unseen != ""
    if strange:
        said = f"{many(strange, 'row')} with words that did not occur in training"
        _common.say(f"{said}: see the column unseen.", quiet=quiet)


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
