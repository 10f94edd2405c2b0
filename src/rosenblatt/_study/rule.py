"""The chosen rule in the units of the table: a threshold for two classes, scores for more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import standing
from rosenblatt._study import card
from rosenblatt._util.text import named
from rosenblatt.report.document import LISTED, ClassRule, Difference, Rule, Term
from rosenblatt.report.terminal import column, plain, weighted_sum
from rosenblatt.scorecard import Scorecard

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing
    from rosenblatt.selection import Selection


_LEAST_LISTED = 20  # terms of each class, however many classes there are
_DIFFERENCES = 30  # pairs of classes that are told apart in words


def rule(
    selection: Selection,
    X: Any,
    y: Any,
    names: Sequence[str],
    preprocessing: Preprocessing | None,
    target: str,
) -> Rule:
    """X and y are the training rows as the rule saw them."""
    estimator = selection.estimator
    classes = [str(c) for c in estimator.classes_]
    content: Rule = {
        "name": selection.winner.name,
        "terms": [],
        "n_terms": 0,
        "references": [],
        "threshold": None,
        "label": classes[1] if len(classes) == 2 else None,
        "other": classes[0] if len(classes) == 2 else None,
        "sentence": "",
    }
    chosen = column(target) if len(classes) > 2 else _chosen(target, classes[1], preprocessing)
    if isinstance(estimator, Scorecard):
        content["sentence"] = card.sentence(estimator._rule, names, chosen)
        content["card"] = card.card_rule(estimator, X, y, names, preprocessing)
        return content
    if not hasattr(estimator, "coef_"):
        content["sentence"] = (
            f"{chosen} by an rbf kernel: {len(estimator.support_):,} training rows vote, nearer "
            "ones count more; there are no weights of columns to show"
        )
        return content
    if preprocessing is not None:
        content["references"] = preprocessing.references[:LISTED]
    units = _Units.of(X, names, preprocessing)
    if len(classes) > 2:
        _of_many(content, estimator, units, X, y, chosen)
        return content
    sum_ = units.sum(estimator.coef_[0], float(estimator.intercept_[0]), LISTED)
    content["terms"], content["n_terms"] = sum_.terms, sum_.n_terms
    content["threshold"], content["sentence"] = sum_.threshold, f"{chosen} if {sum_.reaches}"
    return content


def _chosen(target: str, label: str, preprocessing: Preprocessing | None) -> str:
    condition = (
        preprocessing is not None
        and preprocessing.target is not None
        and not preprocessing.target.values
    )
    return f"{column(target)} {label}" if condition else f"{column(target)} = {named(label)}"


# --- Sums of weights times features --------------------------------------------------------------


class _Sum(NamedTuple):
    """Weights of the columns, the heaviest first, and what their sum must reach."""

    terms: list[Term]
    n_terms: int
    threshold: float

    @property
    def reaches(self) -> str:
        return f"{weighted_sum(self.terms, self.n_terms)} >= {plain(self.threshold)}"


@final
@dataclass(frozen=True)
class _Units:
    """From the numbers that training saw back to those of the table."""

    names: Sequence[str]
    centers: NDArray[np.float64]
    scales: NDArray[np.float64]
    indicators: NDArray[np.bool_]
    deviations: NDArray[np.float64]

    @classmethod
    def of(cls, X: Any, names: Sequence[str], preprocessing: Preprocessing | None) -> _Units:
        d = len(names)
        centers, scales, indicators = np.zeros(d), np.ones(d), np.zeros(d, dtype=bool)
        if preprocessing is not None:
            indicators[:] = True
            indicators[preprocessing.number_places] = False
            numbers = _numbers(preprocessing)
            centers[preprocessing.number_places] = [column.center for column in numbers]
            scales[preprocessing.number_places] = [column.scale for column in numbers]
        return cls(names, centers, scales, indicators, _deviations(X))

    def sum(self, w: NDArray[np.float64], b: float, listed: int) -> _Sum:
        weights, heavy = w / self.scales, w * self.deviations
        order = [j for j in np.argsort(-np.abs(heavy), kind="stable") if w[j] != 0]
        terms: list[Term] = [
            {
                "feature": self.names[j],
                "indicator": bool(self.indicators[j]),
                "weight": float(weights[j]),
                "scaled_weight": float(heavy[j]),
            }
            for j in order[:listed]
        ]
        return _Sum(terms, len(order), float(weights @ self.centers - b))


def _deviations(X: Any) -> Any:
    from rosenblatt.data.scaling import Moments

    if not isinstance(X, np.ndarray):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0.0))
    moments = Moments(X.shape[1])
    moments.add(X)
    return moments.finish().spread()


def _numbers(preprocessing: Preprocessing) -> list[Any]:
    from rosenblatt.data.preprocessing import Number

    return [column for column in preprocessing.columns if isinstance(column, Number)]


# --- Many classes --------------------------------------------------------------------------------


def _of_many(rule: Rule, estimator: Any, units: _Units, X: Any, y: Any, target: str) -> None:
    """A card for each class, and why a row is of one and not of its nearest rival."""
    w, b, classes = estimator.coef_, estimator.intercept_, [str(c) for c in estimator.classes_]
    listed = max(_LEAST_LISTED, LISTED // len(classes))
    cards: list[ClassRule] = []
    for c, label in enumerate(classes):
        terms, n_terms, threshold = units.sum(w[c], float(b[c]), listed)
        constant = 0.0 - threshold
        cards.append({"label": label, "terms": terms, "n_terms": n_terms, "constant": constant})
    differences: list[Difference] = []
    for first, second in nearest_rivals(estimator, X, y)[:_DIFFERENCES]:
        sum_ = units.sum(w[first] - w[second], float(b[first] - b[second]), listed)
        label, other = classes[first], classes[second]
        differences.append(
            {
                "label": label,
                "other": other,
                "terms": sum_.terms,
                "n_terms": sum_.n_terms,
                "threshold": sum_.threshold,
                "sentence": f"{named(label)}, not {named(other)}, if {sum_.reaches}",
            }
        )
    rule["sentence"] = f"{target} = the label with the highest of {len(classes)} scores"
    rule["classes"], rule["differences"] = cards, differences


def nearest_rivals(estimator: Any, X: Any, y: Any) -> list[tuple[int, int]]:
    """For each class the other one whose score most often comes nearest to that of its rows.

    Pairs of places, the lower one first: of equal scores that class is predicted.
    """
    own, k = np.searchsorted(estimator.classes_, y), len(estimator.classes_)
    _, nearest = standing(estimator.decision_function(X), own)
    rivals = [int(np.bincount(nearest[own == c], minlength=k).argmax()) for c in range(k)]
    return sorted({(min(c, r), max(c, r)) for c, r in enumerate(rivals) if c != r})
