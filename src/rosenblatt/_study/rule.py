"""The chosen rule in the units of the table: a threshold for two classes, scores for more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import standing
from rosenblatt._study import card
from rosenblatt._study.document import LISTED, ClassRule, Difference, Rule, Term
from rosenblatt._util.text import named
from rosenblatt.data.naming import is_number
from rosenblatt.report.text import number
from rosenblatt.scorecard import Scorecard

if TYPE_CHECKING:
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Selection


SHOWN = 4  # terms of a rule in its sentence
_LEAST_LISTED = 20  # terms of each class, however many classes there are
_DIFFERENCES = 30  # pairs of classes that are told apart in words


def rule(
    selection: Selection,
    X: Any,
    y: Any,
    names: Sequence[str],
    encoding: Encoding | None,
    target: str,
) -> Rule:
    """X and y are the training rows as the rule saw them."""
    estimator = selection.estimator
    classes = [str(c) for c in estimator.classes_]
    found: Rule = {
        "name": selection.winner.name,
        "terms": [],
        "n_terms": 0,
        "references": [],
        "threshold": None,
        "label": classes[1] if len(classes) == 2 else None,
        "other": classes[0] if len(classes) == 2 else None,
        "sentence": "",
    }
    chosen = name_of(target) if len(classes) > 2 else _chosen(target, classes[1], encoding)
    if isinstance(estimator, Scorecard):
        found["sentence"] = card.sentence(estimator._rule, names, chosen)
        found["card"] = card.card_rule(estimator, X, y, names, encoding)
        return found
    if not hasattr(estimator, "coef_"):
        found["sentence"] = (
            f"{chosen} by an rbf kernel: {len(estimator.support_):,} training rows vote, nearer "
            "ones count more; there are no weights of columns to show"
        )
        return found
    if encoding is not None:
        found["references"] = encoding.references[:LISTED]
    units = _Units.of(X, names, encoding)
    if len(classes) > 2:
        _of_many(found, estimator, units, X, y, chosen)
        return found
    sum_ = units.sum(estimator.coef_[0], float(estimator.intercept_[0]), LISTED)
    found["terms"], found["n_terms"], found["threshold"] = sum_.terms, sum_.n_terms, sum_.threshold
    found["sentence"] = f"{chosen} if {sum_.reaches}"
    return found


def _chosen(target: str, label: str, encoding: Encoding | None) -> str:
    condition = encoding is not None and encoding.target is not None and not encoding.target.values
    return f"{name_of(target)} {label}" if condition else f"{name_of(target)} = {named(label)}"


# --- Sums of weights times features --------------------------------------------------------------


class _Sum(NamedTuple):
    """Weights of the columns, the heaviest first, and what their sum must reach."""

    terms: list[Term]
    n_terms: int
    threshold: float

    @property
    def reaches(self) -> str:
        return f"{said(self.terms, self.n_terms)} ≥ {number(self.threshold, digits=3)}"


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
    def of(cls, X: Any, names: Sequence[str], encoding: Encoding | None) -> _Units:
        d = len(names)
        centers, scales, indicators = np.zeros(d), np.ones(d), np.zeros(d, dtype=bool)
        if encoding is not None:
            indicators[:] = True
            indicators[encoding.number_places] = False
            numbers = _numbers(encoding)
            centers[encoding.number_places] = [column.center for column in numbers]
            scales[encoding.number_places] = [column.scale for column in numbers]
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
    """The standard deviation of each feature."""
    from rosenblatt.data.scaling import Moments

    if not isinstance(X, np.ndarray):
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(square - mean**2, 0.0))
    moments = Moments(X.shape[1])
    moments.add(X)
    return moments.finish().spread()


def _numbers(encoding: Encoding) -> list[Any]:
    from rosenblatt.data.encoding import Number

    return [column for column in encoding.columns if isinstance(column, Number)]


# --- Many classes --------------------------------------------------------------------------------


def _of_many(found: Rule, estimator: Any, units: _Units, X: Any, y: Any, target: str) -> None:
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
    found["sentence"] = f"{target} = the label with the highest of {len(classes)} scores"
    found["classes"], found["differences"] = cards, differences


def nearest_rivals(estimator: Any, X: Any, y: Any) -> list[tuple[int, int]]:
    """For each class the other one whose score most often comes nearest to that of its rows.

    Pairs of places, the lower one first: of equal scores that class is predicted.
    """
    own, k = np.searchsorted(estimator.classes_, y), len(estimator.classes_)
    _, nearest = standing(estimator.decision_function(X), own)
    found = [int(np.bincount(nearest[own == c], minlength=k).argmax()) for c in range(k)]
    return sorted({(min(c, r), max(c, r)) for c, r in enumerate(found) if c != r})


# --- In words ------------------------------------------------------------------------------------


def name_of(column: str) -> str:
    """A name that is a number is quoted: 25·0 would be read as a product."""
    return repr(column) if is_number(column) else column


def said(terms: list[Term], n_terms: int) -> str:
    if not terms:
        return "0"
    text = ""
    for term in terms[:SHOWN]:
        name = f"[{term['feature']}]" if term["indicator"] else name_of(term["feature"])
        sign = (
            ("−" if term["weight"] < 0 else "")
            if not text
            else (" − " if term["weight"] < 0 else " + ")
        )
        text += f"{sign}{number(abs(term['weight']), digits=3)}·{name}"
    rest = n_terms - SHOWN
    return text + (f" + … ({rest:,} more)" if rest > 0 else "")


def score(of_class: ClassRule) -> str:
    """The score of a class, for numbers as they stand in the table."""
    constant = of_class["constant"]
    sign = "−" if constant < 0 else "+"
    return (
        f"{said(of_class['terms'], of_class['n_terms'])} {sign} {number(abs(constant), digits=3)}"
    )
