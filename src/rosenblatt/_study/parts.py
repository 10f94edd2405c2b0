"""The parts of the document: from what was found to what is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt._study.document import (
    LISTED,
    LISTED_OF_A_COLUMN,
    Candidate,
    Confusion,
    EncodedColumn,
    Error,
    Split,
)
from rosenblatt._study.judged import confusion_counts

if TYPE_CHECKING:
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Selection


def split(selection: Selection, group: str | None, *, stream: bool) -> Split:
    train, validation, test = (
        len(part) for part in (selection.train, selection.validation, selection.test)
    )
    together = f"; rows with the same {group} stay together" if group else ""
    if selection.cv:
        sentence = (
            f"nested cross-validation, {selection.cv} folds: each row is tested once, by a rule "
            "that never saw it; the rule that is saved is trained on all rows "
            f"(seed {selection.seed}{together})"
        )
    else:
        how = together or ", stratified: the same share of each label in every part"
        if stream:
            scaled = selection.prepare is not None
            how = ", each row assigned on its own" + (
                "; missing values are filled and columns scaled by all rows" if scaled else ""
            )
        again = ""
        if selection.retrained:
            again = f"; the chosen rule is then trained again, on {train + validation:,}"
        sentence = (
            f"{train:,} rows to train, {validation:,} to choose, {test:,} to test{again} "
            f"(seed {selection.seed}{how})"
        )
    return {
        "method": "cross-validation" if selection.cv else "split",
        "train": train,
        "validation": validation,
        "test": test,
        "learned_from": len(selection.fitted_on),
        "folds": selection.cv,
        "group": group,
        "seed": selection.seed,
        "stream": stream,
        "sentence": sentence,
    }


def candidates(selection: Selection) -> list[Candidate]:
    return [
        {
            "name": c.name,
            "train_errors": c.train_errors,
            "train_n": c.train_n,
            "validation_errors": c.validation_errors,
            "validation_n": c.validation_n,
            "baseline": c.baseline,
            "peer": c.peer,
            "price": c.price,
            "passed_over": c is selection.passed_over,
            "chosen": c is selection.winner,
        }
        for c in selection.candidates
    ]


def error(selection: Selection) -> Error | None:
    if selection.test_n == 0:
        return None
    lo, hi = selection.interval
    return {
        "test_errors": selection.test_errors,
        "test_n": selection.test_n,
        "rate": selection.test_errors / selection.test_n,
        "interval": [lo, hi],
        "confidence": selection.confidence,
        "majority_label": str(selection.majority),
        "majority_errors": selection.majority_errors,
        "sentence": selection.sentence,
        "optimism": selection.optimism,
    }


def confusion(selection: Selection) -> Confusion | None:
    if selection.test_n == 0:
        return None
    labels = [str(label) for label in selection.estimator.classes_]
    return {"labels": labels, "counts": confusion_counts(selection).tolist()}


def encoded_columns(encoding: Encoding | None) -> list[EncodedColumn]:
    if encoding is None:
        return []
    return [
        {
            "name": column.name,
            "kind": column.kind.value,
            "features": column.features[:LISTED_OF_A_COLUMN],
            "n_features": len(column.features),
            "reference": getattr(column, "reference", None),
            "center": getattr(column, "center", None),
            "scale": getattr(column, "scale", None),
            "fill": getattr(column, "fill", None),
        }
        for column in encoding.columns[:LISTED]
    ]
