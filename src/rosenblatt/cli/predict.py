"""rosenblatt predict: a trained rule on new rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import click

from rosenblatt.cli import _common
from rosenblatt.errors import InputError


@click.command()
@click.argument("model", type=click.Path())
@_common.row_options
@click.option("-o", "--output", metavar="FILE", help="Write the predictions here, as CSV.")
@click.option("--explain", is_flag=True, help="Add the heaviest reasons for each row.")
@click.option("--reasons", type=click.IntRange(1), default=3, show_default=True, help="How many.")
@click.option(
    "--unseen",
    type=click.Choice(["refuse", "zero"]),
    default="refuse",
    show_default=True,
    help="What a word does that did not occur in training: an error, or none of the known ones.",
)
@_common.force_option
@_common.output_options
def command(
    model: str,
    files: tuple[str, ...],
    output: str | None,
    explain: bool,
    reasons: int,
    unseen: str,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **reading: Any,
) -> int:
    """Predict the labels of new rows by a trained rule.

    The rows are encoded as those in training were. A score of 0 or more means the second label. A
    reason is what one feature adds to the score; the intercept is not one.

    \b
    rosenblatt predict model.rosenblatt new.csv --explain -o predictions.csv
    """
    from rosenblatt import model_file

    _common.check_output(output, (model, *files), force=force)
    known = model_file.read(model)
    names, parts = _encoded(known, model, files, unseen, reading)
    count = reasons if explain else 0
    rows = _rows(known.estimator, names, parts, count)
    if as_json:
        _common.print_json(
            "predict",
            {
                "files": list(files),
                "labels": known.estimator.classes_.tolist(),
                "rows": [_as_dict(row, explain) for row in rows],
            },
        )
        return 0
    _write(output, rows, explain)
    if output is not None:
        _common.say(f"The predictions are in {output}.", quiet=quiet)
    return 0


def _encoded(known: Any, model: str, files: tuple[str, ...], unseen: str, reading: Any) -> Any:
    """Names of the features, and the rows as numbers, part by part."""
    from rosenblatt import data
    from rosenblatt.data import sparse
    from rosenblatt.data.files import find
    from rosenblatt.data.reading import is_svmlight

    if known.encoding is not None:
        encoding = data.Encoding.from_dict(known.encoding)
        vars(known.estimator).pop("feature_names_in_", None)  # it has seen to the names
        parts = encoding.parts(list(files), unseen=unseen, **reading)
        return encoding.feature_names, (X for _, X in parts)
    if not is_svmlight(list(files)):
        raise InputError(
            f"{model} does not say how a table becomes numbers: it was saved without an encoding. "
            "Use it in Python, or save it with one."
        )
    d = known.estimator.n_features_in_
    return [f"x{j}" for j in range(d)], [sparse.SparseTable(find(list(files)), n_features=d).X]


def _rows(estimator: Any, names: list[str], parts: Any, count: int) -> Iterator[tuple[Any, ...]]:
    """Row number, label, score, and reasons: (feature, what it adds to the score)."""
    import numpy as np

    from rosenblatt._tables import dense

    weights = _weights(estimator) if count else None
    number = 0
    for X in parts:
        scores = estimator.decision_function(X)
        labels = estimator.predict(X)
        for i, (label, score) in enumerate(zip(labels.tolist(), scores.tolist(), strict=True)):
            found = []
            if weights is not None:
                added = weights * dense(X[i]).ravel()
                heaviest = np.argsort(-np.abs(added), kind="stable")[:count]
                found = [(names[j], float(added[j])) for j in heaviest if added[j] != 0]
            yield number, label, score, found
            number += 1


def _weights(estimator: Any) -> Any:
    weights = getattr(estimator, "coef_", None) if hasattr(estimator, "coef_") else None
    if weights is None:
        raise InputError(
            "--explain needs a rule with one weight for each feature, and this one has none: it "
            "votes, or works by a kernel."
        )
    return weights[0]


def _as_dict(row: tuple[Any, ...], explain: bool) -> dict[str, Any]:
    number, label, score, reasons = row
    found = {"row": number, "prediction": label, "score": score}
    if explain:
        found["reasons"] = [{"feature": name, "adds": added} for name, added in reasons]
    return found


def _write(output: str | None, rows: Iterator[tuple[Any, ...]], explain: bool) -> None:
    import csv

    with nullcontext(sys.stdout) if output is None else _common.whole_file(output) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "prediction", "score", *(["reasons"] if explain else [])])
        for number, label, score, reasons in rows:
            told = "; ".join(f"{name} {added:+.4g}" for name, added in reasons)
            writer.writerow([number, label, repr(score), *([told] if explain else [])])
