"""How training of the chosen rule went, and how the training rows lie about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli._fit_content import HardRow, Histogram, Learning

if TYPE_CHECKING:
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Selection

_HARDEST = 10
_BINS = 30
_REPLAYED = 10_000_000  # n·d up to which training is repeated to see what was kept


def learning(estimator: Any, X: Any, y: Any) -> Learning | None:
    """How training of the chosen rule went; None for rules that are drawn, not learned."""
    if not hasattr(estimator, "mistakes_"):
        return None
    return {
        "mistakes": estimator.mistakes_.tolist(),
        "kept": _kept(estimator, X, y),
        "rows": int(X.shape[0]),
        "updates": int(estimator.n_updates_),
        "epochs": int(estimator.n_iter_),
        "ended": str(estimator.stop_reason_),
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
    found: list[int] = again.validation_mistakes_.tolist()
    return found


def margins(estimator: Any, X: Any, y: Any) -> Histogram:
    """Distances of the training rows to the hyperplane, below 0 on the wrong side."""
    import numpy as np

    signs = np.where(y == estimator.classes_[1], 1.0, -1.0)
    values, unit = signs * estimator.decision_function(X), "score"
    if hasattr(estimator, "coef_") and (length := float(np.linalg.norm(estimator.coef_))) > 0:
        values, unit = values / length, "distance"
    ends = float(values.min()), float(values.max())
    edges = np.histogram_bin_edges(values, bins=_BINS, range=ends if ends[0] < ends[1] else None)
    counts = {
        str(label): np.histogram(values[y == label], bins=edges)[0].tolist()
        for label in estimator.classes_
    }
    return {"edges": edges.tolist(), "counts": counts, "unit": unit}


def hardest_rows(
    selection: Selection, X: Any, X_train: Any, y: Any, encoding: Encoding | None
) -> list[HardRow]:
    """Training rows with the most updates: perhaps their labels are wrong."""
    import numpy as np

    estimator = selection.estimator
    counts = getattr(estimator, "update_counts_", None)
    if counts is None:
        return []
    order = [int(i) for i in np.argsort(-counts, kind="stable")[:_HARDEST] if counts[i] > 0]
    if not order:
        return []
    predicted = estimator.predict(X_train[order])
    return [
        {
            "row": int(row := selection.train[i]),
            "updates": int(counts[i]),
            "label": str(y[row]),
            "predicted": str(label),
            "values": _values(X[row], encoding),
        }
        for i, label in zip(order, predicted, strict=True)
    ]


def _values(x: Any, encoding: Encoding | None) -> dict[str, Any]:
    """A row as it stands in the table."""
    from rosenblatt._tables import dense
    from rosenblatt.data.encode import Number

    numbers = dense(x).ravel()
    if encoding is None:
        return {f"x{j}": float(v) for j, v in enumerate(numbers) if v}
    found: dict[str, Any] = {}
    begin = 0
    for column in encoding.columns:
        part = numbers[begin : begin + len(column.features)]
        begin += len(column.features)
        if isinstance(column, Number):
            found[column.name] = None if part[0] != part[0] else float(part[0])
        elif len(column.values) == 2:
            found[column.name] = column.values[int(part[0])]
        else:
            found[column.name] = column.values[int(part.argmax())]
    return found
