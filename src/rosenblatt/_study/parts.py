"""The parts of the document: from what was found to what is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rosenblatt._study.document import (
    LISTED,
    LISTED_OF_A_COLUMN,
    Candidate,
    Confusion,
    EncodedColumn,
    Error,
    Rule,
    Split,
    Term,
)
from rosenblatt.data.naming import is_number
from rosenblatt.report.words import number

if TYPE_CHECKING:
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Selection

SHOWN = 4  # terms of a rule in its sentence


def split(selection: Selection, group: str | None, *, stream: bool) -> Split:
    train, validation, test = (
        len(part) for part in (selection.train, selection.validation, selection.test)
    )
    together = f"; rows with the same {group} stay together" if group else ""
    if selection.cv:
        sentence = (
            f"{selection.cv} folds in {selection.cv} folds: every row trains, chooses and tests in "
            f"turn (seed {selection.seed}{together})"
        )
    else:
        how = together or ", the same share of each label"
        if stream:
            scaled = selection.prepare is not None
            how = ", divided row by row" + (
                "; fills and scales are those of all rows" if scaled else ""
            )
        sentence = (
            f"{train:,} rows train, {validation:,} choose, {test:,} test "
            f"(seed {selection.seed}{how})"
        )
    return {
        "method": "cross-validation" if selection.cv else "split",
        "train": train,
        "validation": validation,
        "test": test,
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
    labels = selection.estimator.classes_
    counts = [
        [int(((selection.labels == a) & (selection.predictions == b)).sum()) for b in labels]
        for a in labels
    ]
    return {"labels": [str(label) for label in labels], "counts": counts}


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


# --- The rule ------------------------------------------------------------------------------------


def rule(
    selection: Selection, X: Any, names: Sequence[str], encoding: Encoding | None, target: str
) -> Rule:
    """The chosen rule, in the units of the table; X are the training rows as it saw them."""
    import numpy as np

    estimator = selection.estimator
    other, label = (str(c) for c in estimator.classes_)
    condition = encoding is not None and encoding.target is not None and not encoding.target.values
    chosen = f"{_name(target)} {label}" if condition else f"{_name(target)} = {label}"
    found: Rule = {
        "name": selection.winner.name,
        "terms": [],
        "n_terms": 0,
        "references": [],
        "threshold": None,
        "label": label,
        "other": other,
        "sentence": "",
    }
    if not hasattr(estimator, "coef_"):
        found["sentence"] = (
            f"{chosen} by an rbf kernel: {len(estimator.support_):,} training rows vote, "
            "the nearer the more; no weights of columns"
        )
        return found
    w, b = estimator.coef_[0], float(estimator.intercept_[0])
    centers, scales = np.zeros(len(w)), np.ones(len(w))
    indicators = np.zeros(len(w), dtype=bool)
    if encoding is not None:
        found["references"] = encoding.references[:LISTED]
        indicators[:] = True
        indicators[encoding.number_places] = False
        numbers = _numbers(encoding)
        centers[encoding.number_places] = [column.center for column in numbers]
        scales[encoding.number_places] = [column.scale for column in numbers]
    weights, heavy = w / scales, w * _deviations(X)
    order = [j for j in np.argsort(-np.abs(heavy), kind="stable") if w[j] != 0]
    terms: list[Term] = [
        {
            "feature": names[j],
            "indicator": bool(indicators[j]),
            "weight": float(weights[j]),
            "scaled_weight": float(heavy[j]),
        }
        for j in order[:LISTED]
    ]
    threshold = float(weights @ centers - b)
    found["terms"], found["n_terms"], found["threshold"] = terms, len(order), threshold
    said = _sum(terms, len(order))
    found["sentence"] = f"{chosen} if {said} ≥ {number(threshold, digits=3)}"
    return found


def _deviations(X: Any) -> Any:
    """The standard deviation of each feature."""
    import numpy as np

    from rosenblatt.data.moments import Moments

    if not isinstance(X, np.ndarray):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0.0))
    moments = Moments(X.shape[1])
    moments.add(X)
    moments.finish()
    return moments.spread()


def _numbers(encoding: Encoding) -> list[Any]:
    from rosenblatt.data.encode import Number

    return [column for column in encoding.columns if isinstance(column, Number)]


def _name(column: str) -> str:
    """A name that is a number is quoted: 25·0 would be read as a product."""
    return repr(column) if is_number(column) else column


def _sum(terms: list[Term], n_terms: int) -> str:
    if not terms:
        return "0"
    text = ""
    for term in terms[:SHOWN]:
        name = f"[{term['feature']}]" if term["indicator"] else _name(term["feature"])
        sign = (
            ("−" if term["weight"] < 0 else "")
            if not text
            else (" − " if term["weight"] < 0 else " + ")
        )
        text += f"{sign}{number(abs(term['weight']), digits=3)}·{name}"
    rest = n_terms - SHOWN
    return text + (f" + … ({rest:,} more)" if rest > 0 else "")
