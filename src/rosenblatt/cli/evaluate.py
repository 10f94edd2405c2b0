"""rosenblatt evaluate: how often a trained rule is wrong on rows whose labels are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from rosenblatt._util.text import listed, many, named, one_line
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.cli._rows import Fingerprint, RowFiles, read_model
from rosenblatt.errors import InputError

_CONFIDENCE = 0.95
_NAME = "Clopper-Pearson"
_NOTE = "if a file holds training rows, do not quote these intervals: use the test error of fit"
_SAME = (
    "these are the rows of the table that the model was fitted and tested on: do not quote this "
    "error or its interval, but the test error of fit"
)
_SHOWN = 3  # labels that a class was taken for
_LEFT_OUT = {
    "unlabelled": "without a label, or with one that training left out",
    "not_judged": "without a prediction: they lack values that training did not learn to fill",
}


@click.command(cls=Command)
@_options.model_argument
@_options.row_options(labelled=True)
@_options.unseen_option()
@_options.output_options
def command(
    model: str,
    files: tuple[str, ...],
    on_unseen: str,
    out: _common.Output,
    **reading: Any,
) -> int:
    """Measure how often a trained model is wrong on rows whose labels are known.

    MODEL is a file that `rosenblatt fit` or rosenblatt.save wrote. Prints the error rate of all
    rows and of each label, with exact 95 % confidence intervals (Clopper-Pearson). The intervals
    hold for rows that were not used in training: on training rows, do not quote them, but the test
    error that `rosenblatt fit` printed.

    Rows that cannot be predicted, since they lack a value that training did not learn to fill, are
    not counted; a message says how many there are. If the model was trained with costs (fit
    --cost), the cost of the errors is given first, and with --class-weight balanced the mean of the
    labels' error rates.

    \b
    Examples:
      rosenblatt fit credit.csv --target card
      rosenblatt evaluate credit-rosenblatt/model.json credit.csv
    """
    known = read_model(model, files, "evaluate")
    new = RowFiles(model, files, reading, on_unseen, on_missing="skip", labelled=True).of(known)
    with out.reading():
        classes = known.estimator.classes_.tolist()
        mark = Fingerprint(known)
        counts, lacking = _counted(known.estimator, classes, new.batches, mark)
    if not counts.any():
        raise InputError(
            f"{files[0]} has no row with a label and a prediction: there is no error to count."
        )
    left_out = {"not_judged": lacking, "unlabelled": new.unlabelled()}
    scores = _document(classes, counts, known.objective) | left_out
    same = mark.matches()
    note = _SAME if same else _NOTE
    scores |= {"training_rows": same, "note": note, "outside": new.outside()}
    if out.as_json:
        _common.print_json("evaluate", {"files": list(files), "model": model} | scores)
    else:
        for subject, line in _lines(scores, known.objective):
            _common.print_text(f"{subject:9} {one_line(line)}")
    return 0


def _counted(
    estimator: Any, classes: list[Any], batches: Iterator[Any], mark: Fingerprint
) -> tuple[Any, int]:
    """Rows by their own label and the one that they were given; and how many are not predicted."""
    import numpy as np

    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    lacking = 0
    for batch in batches:
        lacking += len(batch.lacking)
        if len(batch.y):
            mark.see(batch.X, batch.y)
            predicted = estimator.predict(batch.X).tolist()
            for label, given in zip(batch.y.tolist(), predicted, strict=True):
                counts[_place(classes, label), classes.index(given)] += 1
    return counts, lacking


def _place(classes: list[Any], label: Any) -> int:
    try:
        return classes.index(label)
    except ValueError:
        known = ", ".join(map(repr, classes[:10]))
        raise InputError(
            f"A row has the label {label!r}, but the rule was trained on {known}."
        ) from None


def _document(classes: list[Any], counts: Any, objective: Any) -> dict[str, Any]:
    from rosenblatt._model.objective import write_objective
    from rosenblatt._study.costs import balanced_of, cost_of

    labels = [str(label) for label in classes]
    costs = None if objective is None or not objective.costs else objective.cost_matrix(labels)
    cost = None if costs is None else cost_of(labels, counts, costs, confidence=_CONFIDENCE)
    rows = counts.sum(axis=1)
    largest = int(rows.argmax())
    by_class = [
        {"label": label}
        | _rate(int(rows[c] - counts[c, c]), int(rows[c]))
        | {"predicted_as": {labels[k]: int(counts[c, k]) for k in _often(counts[c], c)}}
        | {"cost": None if costs is None else float(counts[c] @ costs[c])}
        for c, label in enumerate(labels)
    ]
    return {
        **_rate(int(rows.sum() - counts.trace()), int(rows.sum())),
        "confidence": _CONFIDENCE,
        "interval_method": _NAME,
        "classes": by_class,
        "confusion": {"labels": labels, "counts": counts.tolist()},
        "majority_label": labels[largest],
        "majority_errors": int(rows.sum() - rows[largest]),
        "objective": write_objective(objective),
        "cost": cost,
        "balanced": balanced_of(counts, confidence=_CONFIDENCE) if rows.all() else None,
    }


def _often(called: Any, own: int) -> list[int]:
    """The other classes that rows were taken for, the most frequent first."""
    others = [k for k in range(len(called)) if k != own and called[k]]
    return sorted(others, key=lambda k: (-called[k], k))


def _rate(errors: int, rows: int) -> dict[str, Any]:
    from rosenblatt.selection.measures import clopper_pearson

    interval = list(clopper_pearson(errors, rows, _CONFIDENCE)) if rows else None
    rate = errors / rows if rows else None
    return {"rows": rows, "errors": errors, "rate": rate, "interval": interval}


def _lines(scores: dict[str, Any], objective: Any) -> Iterator[tuple[str, str]]:
    rows, label = scores["rows"], named(scores["majority_label"])
    if scores["training_rows"]:
        yield "Warning", scores["note"]
    for k, column in enumerate(scores["outside"]):
        yield "Warning" * (k == 0), column["sentence"]
    always = f"always {label}: {scores['majority_errors'] / rows:.1%}"
    measures = {"error": [("error", f"{_in_words(scores)} ({_NAME})"), ("", always)]}
    measures |= _objective_lines(scores, objective)
    first = "error" if objective is None else objective.decides
    for measure in sorted(measures, key=lambda measure: measure != first):
        yield from measures[measure]
    for k, of in enumerate(scores["classes"]):
        cost = "" if of["cost"] is None or not of["rows"] else f"; cost {of['cost']:,g}"
        line = f"{named(of['label'])}: {_in_words(of)}{_predicted(of['predicted_as'])}{cost}"
        yield "by class" * (k == 0), line
    if not scores["training_rows"]:
        yield "note", scores["note"]
    left_out = [
        f"{many(scores[kind], 'row')} {why}" for kind, why in _LEFT_OUT.items() if scores[kind]
    ]
    for k, line in enumerate(left_out):
        yield "left out" * (k == 0), line


def _objective_lines(scores: dict[str, Any], objective: Any) -> dict[str, list[tuple[str, str]]]:
    """What the rule was made for, where that was not few errors."""
    from rosenblatt._study.costs import chosen_by, cost_words

    if objective is None:
        return {}
    why, lines = f"the rule was chosen by {chosen_by(objective)}", {}
    if scores["cost"] is not None:
        meaning = f"{cost_words(objective, len(scores['classes']))}; {why}"
        lines["cost"] = [("cost", scores["cost"]["sentence"]), ("", meaning)]
    if objective.decides == "balanced" and scores["balanced"] is not None:
        lines["balanced"] = [("balanced", scores["balanced"]["sentence"]), ("", why)]
    return lines


def _in_words(of: dict[str, Any]) -> str:
    if not of["rows"]:
        return "no rows"
    low, high = of["interval"]
    return (
        f"{of['rate']:.1%} ({of['errors']:,} of {many(of['rows'], 'row')} wrong), "
        f"{100 * _CONFIDENCE:g}% interval {low:.1%} to {high:.1%}"
    )


def _predicted(others: dict[str, int]) -> str:
    labels = [f"{named(label)} ({n:,})" for label, n in others.items()]
    return f"; predicted {listed(labels, _SHOWN)}" if labels else ""
