"""rosenblatt score: how often a trained rule is wrong on rows whose labels are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from rosenblatt._support.foreign import one_line
from rosenblatt._support.words import many
from rosenblatt.cli import _common
from rosenblatt.cli._rows import check_model, judged
from rosenblatt.errors import InputError

_CONFIDENCE = 0.95
_NAME = "Clopper-Pearson"
_SHOWN = 3  # labels that a class was taken for


@click.command()
@click.argument("model", type=click.Path())
@_common.row_options
@click.option("--drop-unlabelled", is_flag=True, help="Leave out rows without a label.")
@click.option(
    "--unseen",
    type=click.Choice(["refuse", "zero"]),
    default="refuse",
    show_default=True,
    help="A word that did not occur in training is an error, or is 0 in all columns of its own.",
)
@_common.output_options
def command(
    model: str,
    files: tuple[str, ...],
    unseen: str,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **reading: Any,
) -> int:
    """Count how often a trained rule is wrong on rows whose labels are known.

    The error of all rows and of each class, with exact 95 % intervals (Clopper-Pearson). They hold
    for rows that took no part in training. A row that lacks a value which was not filled in
    training cannot be judged, and is not counted.

    \b
    rosenblatt score model.json labelled.csv
    """
    check_model(model)
    _common.check_files(model, files)

    from rosenblatt import model_file

    known = model_file.read(model)
    asked = judged(known, model, files, reading, unseen=unseen, gaps="mark", labelled=True)
    with _common.reading(quiet=quiet):
        found = _counted(known.estimator, asked.batches)
    if found["rows"] == 0:
        raise InputError(f"{files[0]} has no row that can be judged.")
    if as_json:
        _common.print_json("score", {"files": list(files), "model": model} | found)
    else:
        for subject, line in _lines(found):
            _common.tell(f"{subject:9} {one_line(line)}")
    return 0


def _counted(estimator: Any, batches: Iterator[Any]) -> dict[str, Any]:
    """Rows by their own label and the one that they were given."""
    import numpy as np

    classes = estimator.classes_.tolist()
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    lacking = 0
    for batch in batches:
        lacking += len(batch.lacking)
        if len(batch.y):
            predicted = estimator.predict(batch.X).tolist()
            for label, given in zip(batch.y.tolist(), predicted, strict=True):
                counts[_place(classes, label), classes.index(given)] += 1
    return _told(classes, counts, lacking)


def _place(classes: list[Any], label: Any) -> int:
    try:
        return classes.index(label)
    except ValueError:
        known = ", ".join(map(repr, classes[:10]))
        raise InputError(f"A row has the label {label!r}: the rule knows {known}.") from None


def _told(classes: list[Any], counts: Any, lacking: int) -> dict[str, Any]:
    rows = counts.sum(axis=1)
    largest = int(rows.argmax())
    by_class = [
        {"label": str(label)}
        | _rate(int(rows[c] - counts[c, c]), int(rows[c]))
        | {"called": {str(classes[k]): int(counts[c, k]) for k in _often(counts[c], c)}}
        for c, label in enumerate(classes)
    ]
    return {
        **_rate(int(rows.sum() - counts.trace()), int(rows.sum())),
        "confidence": _CONFIDENCE,
        "interval_method": _NAME,
        "classes": by_class,
        "confusion": {"labels": [str(label) for label in classes], "counts": counts.tolist()},
        "majority_label": str(classes[largest]),
        "majority_errors": int(rows.sum() - rows[largest]),
        "not_judged": lacking,
    }


def _often(called: Any, own: int) -> list[int]:
    """The other classes that rows were taken for, the most frequent first."""
    others = [k for k in range(len(called)) if k != own and called[k]]
    return sorted(others, key=lambda k: (-called[k], k))


def _rate(errors: int, rows: int) -> dict[str, Any]:
    from rosenblatt.selection.interval import clopper_pearson

    interval = list(clopper_pearson(errors, rows, _CONFIDENCE)) if rows else None
    rate = errors / rows if rows else None
    return {"rows": rows, "errors": errors, "rate": rate, "interval": interval}


def _lines(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    rows, label = found["rows"], found["majority_label"]
    yield "error", f"{_in_words(found)} ({_NAME})"
    yield "", f"always {label}: {found['majority_errors'] / rows:.1%}"
    for k, of in enumerate(found["classes"]):
        yield "by class" * (k == 0), f"{of['label']}: {_in_words(of)}{_called(of['called'])}"
    yield "note", "the intervals hold for rows that took no part in training"
    if found["not_judged"]:
        yield (
            "left out",
            f"{many(found['not_judged'], 'row')} that cannot be judged, for lack of values",
        )


def _in_words(of: dict[str, Any]) -> str:
    if not of["rows"]:
        return "no rows"
    low, high = of["interval"]
    return (
        f"{of['rate']:.1%} ({of['errors']:,} of {many(of['rows'], 'row')} wrong), "
        f"{_CONFIDENCE:.0%} interval {low:.1%} to {high:.1%}"
    )


def _called(others: dict[str, int]) -> str:
    some = [f"{label} ({n:,})" for label, n in list(others.items())[:_SHOWN]]
    more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    return f"; called {', '.join(some)}{more}" if some else ""
