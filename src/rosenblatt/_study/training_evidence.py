"""How training of the chosen rule went, and how the training rows lie about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.report.document import LISTED_OF_A_ROW, HardRow, Histogram, Learning, Rule, Term

if TYPE_CHECKING:
    from rosenblatt._study.stages import Compared
    from rosenblatt.data import Preprocessing


_HARDEST = 10
_BINS = 30
_REPLAYED = 10_000_000  # n·d up to which training is repeated to see what was kept


# for people who do not set parameters, nor look at attributes
_ENDED = {
    "NOT_SEPARABLE": "It ended when it was proved that no hyperplane separates the training rows.",
    "MAX_ITER": "It ended at the limit of epochs; rows still changed the weights.",
    "MAX_UPDATES": "It ended at the limit of updates.",
    "UNDECIDED": "It ended early (early stopping): further epochs brought no fewer mistakes. "
    "Whether a hyperplane separates the training rows is not known.",
    "PATIENCE": "It ended early (early stopping): further epochs brought no fewer mistakes.",
}


def learning(estimator: Any, X: Any, y: Any, rows: int) -> Learning | None:
    """How training of the chosen rule went; None for rules that are drawn, not learned.

    X and y are the training rows, or a sample of these `rows`.
    """
    if not hasattr(estimator, "mistakes_"):
        return None
    return {
        "mistakes": estimator.mistakes_.tolist(),
        "kept": _kept(estimator, X, y) if X.shape[0] == rows else None,
        "rows": rows,
        "updates": int(estimator.n_updates_),
        "epochs": int(estimator.n_iter_),
        "ended": _ENDED.get(estimator.stop_reason_.name, str(estimator.stop_reason_)),
    }


def _kept(estimator: Any, X: Any, y: Any) -> list[int] | None:
    """Training errors of what would be returned after each epoch: training again, same seed."""
    import warnings

    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt import Perceptron

    if type(estimator) is not Perceptron or X.shape[0] * X.shape[1] > _REPLAYED:
        return None
    again = clone(estimator).set_params(max_iter=max(1, estimator.n_iter_))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # was said the first time
        again.fit(X, y, X_val=X, y_val=y)
    errors: list[int] = again.validation_mistakes_.tolist()
    return errors


def margins(estimator: Any, X: Any, y: Any, rows: int) -> Histogram:
    """Distances of the training rows to the hyperplane, below 0 on the wrong side.

    X and y are the training rows, or a sample of these `rows`.
    """
    of = _margins_of_two if len(estimator.classes_) == 2 else _margins_of_many
    values, unit = of(estimator, X, y)
    edges = _edges(float(values.min()), float(values.max()))
    values = values.clip(edges[0], edges[-1])  # rounding may have put an end beside its bar
    counts = {
        str(label): np.histogram(values[y == label], bins=edges)[0].tolist()
        for label in estimator.classes_
    }
    sample = None if len(y) == rows else len(y)
    return {"edges": edges.tolist(), "counts": counts, "unit": unit, "sample": sample}


def _margins_of_two(estimator: Any, X: Any, y: Any) -> tuple[Any, str]:
    signs = np.where(y == estimator.classes_[1], 1.0, -1.0)
    values, unit = signs * estimator.decision_function(X), "score"
    if hasattr(estimator, "coef_") and (length := float(np.linalg.norm(estimator.coef_))) > 0:
        values, unit = values / length, "distance"
    return values, unit


def _margins_of_many(estimator: Any, X: Any, y: Any) -> tuple[Any, str]:
    """Of the planes between a row's own class and each other one the nearest, or the one that it
    is farthest beyond."""
    scores = estimator.decision_function(X)
    rows, own = np.arange(len(y)), np.searchsorted(estimator.classes_, y)
    ahead, unit = scores[rows, own, None] - scores, "score"
    if hasattr(estimator, "coef_"):
        w = estimator.coef_
        lengths = np.linalg.norm(w[:, None, :] - w[None, :, :], axis=2)
        np.fill_diagonal(lengths, 1.0)
        if (lengths > 0).all():
            ahead, unit = ahead / lengths[own], "distance"
    ahead[rows, own] = np.inf
    return ahead.min(axis=1), unit


def _edges(low: float, high: float) -> Any:
    """Of bars that all are wrong, or all right: 0 is between two of them."""
    step = (high - low) / _BINS or abs(high) or 1.0
    return step * np.arange(np.floor(low / step), np.floor(high / step) + 2)


def hardest_rows(compared: Compared, X_train: Any, rule: Rule) -> list[HardRow]:
    """Training rows with the most updates: perhaps their labels are wrong."""
    read, estimator = compared.read, compared.selection.estimator
    train = compared.selection.fitted_on
    counts = getattr(estimator, "update_counts_", None)
    if counts is None:
        return []
    if counts.ndim > 1:  # of many classes: how often it was added to its own
        counts = counts.maximum(0).sum(axis=1)
    order = [int(i) for i in np.argsort(-counts, kind="stable")[:_HARDEST] if counts[i] > 0]
    if not order:
        return []
    predicted = estimator.predict(X_train[order])
    columns = _heaviest_columns(read.preprocessing, compared.names, _terms(rule))
    return [
        {
            "row": read.number(row := int(train[i])),
            "updates": int(counts[i]),
            "label": str(read.y[row]),
            "predicted": str(label),
            "values": _as_in_table(read.X[row], columns),
        }
        for i, label in zip(order, predicted, strict=True)
    ]


def _terms(rule: Rule) -> list[Term]:
    """The heaviest first, whatever class they are of."""
    terms = rule["terms"] or [term for card in rule.get("classes", []) for term in card["terms"]]
    heaviest: dict[str, Term] = {}
    for term in sorted(terms, key=lambda term: -abs(term["scaled_weight"])):
        heaviest.setdefault(term["feature"], term)
    return list(heaviest.values())


def _heaviest_columns(
    preprocessing: Preprocessing | None, names: Sequence[str], terms: list[Term]
) -> list[tuple[str, Any, slice]]:
    place = {term["feature"]: place for place, term in enumerate(terms)}
    places: list[tuple[str, Any, slice]] = []
    weights: list[int] = []
    begin = 0
    for column in names if preprocessing is None else preprocessing.columns:
        features = [column] if isinstance(column, str) else column.features
        name = column if isinstance(column, str) else column.name
        places.append((name, column, slice(begin, begin + len(features))))
        weights.append(min((place.get(f, len(terms)) for f in features), default=len(terms)))
        begin += len(features)
    order = sorted(range(len(places)), key=weights.__getitem__)  # of equal ones the first
    return [places[k] for k in order[:LISTED_OF_A_ROW]]


def _as_in_table(x: Any, columns: list[tuple[str, Any, slice]]) -> dict[str, Any]:
    from rosenblatt._core.rows import dense
    from rosenblatt.data.preprocessing import Number

    numbers = dense(x).ravel()
    row: dict[str, Any] = {}
    for name, column, where in columns:
        part = numbers[where]
        if isinstance(column, str | Number):  # a name: svmlight files have numbers only
            row[name] = None if part[0] != part[0] else float(part[0])
        else:
            row[name] = column.value_of(part)
    return row
