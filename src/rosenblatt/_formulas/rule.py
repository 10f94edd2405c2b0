"""A trained rule as expressions: the score of each class, or the points of a card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.reference import LANES
from rosenblatt._formulas.features import Features
from rosenblatt._formulas.language import Language
from rosenblatt._rules.card import Card, Term, number
from rosenblatt._rules.linear import LinearRule
from rosenblatt._support.numbered import Numbered

if TYPE_CHECKING:
    from rosenblatt.data import Encoding


@dataclass(frozen=True)
class Spelled:
    """A rule in a language."""

    sums: list[str]  # one for two classes, else one for each; of a card its points
    threshold: str  # of two classes: from there on it is the second one
    labels: list[Any]
    guards: list[str]  # conditions under which there is no answer
    inputs: list[str]  # the columns of the table that are needed
    notes: list[str]
    target: str | None
    is_card: bool

    @property
    def sentence(self) -> str:
        what = self.target or "the label"
        if len(self.labels) > 2:
            return f"{what}: the label with the highest score, on a tie the first"
        sum_ = "points reach" if self.is_card else "score reaches"
        second, first = self.labels[1], self.labels[0]
        return f"{what} is {second} where the {sum_} {self.threshold}, else {first}"


def spelled(estimator: Any, encoding: Encoding | None, language: Language) -> Spelled:
    """The rule of an estimator for the columns of the table."""
    rule = estimator._rule
    names = getattr(estimator, "feature_names_in_", None)
    known = Numbered(estimator.n_features_in_) if names is None else [str(n) for n in names]
    features = Features(language, encoding, known)
    is_card = isinstance(rule, Card)
    sums = [_points(rule, features)] if is_card else _scores(rule, features)
    target = None if encoding is None or encoding.target is None else encoding.target.name
    return Spelled(
        sums,
        str(rule.threshold) if is_card else "0",
        estimator.classes_.tolist(),
        features.guards,
        features.inputs,
        features.notes,
        target,
        is_card,
    )


# --- Weights of the features -----------------------------------------------------------------


def _scores(rule: LinearRule, features: Features) -> list[str]:
    weights = np.atleast_2d(rule.weights)
    features.use(np.flatnonzero((weights[:, :-1] != 0).any(axis=0)).tolist())
    return [_score(w, features) for w in weights]


def _score(w: NDArray[np.float64], features: Features) -> str:
    """The score as it is defined: product j in lane j mod L, the lanes fold in halves, b is last.

    What is 0 is left out: it changes no sum.
    """
    say = features.language
    lanes = [""] * LANES
    for j in np.flatnonzero(w[:-1]).tolist():
        lanes[j % LANES] = _sum(lanes[j % LANES], _product(j, float(w[j]), features))
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [_sum(a, b) for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return _sum(lanes[0], say.number(float(w[-1])))


def _product(j: int, weight: float, features: Features) -> str:
    say = features.language
    feature, condition = features.of(j)
    if condition:
        return say.chosen(feature, say.number(weight), say.number(0.0))
    return f"{say.number(weight)} * {feature}"


def _sum(a: str, b: str) -> str:
    return f"({a} + {b})" if a and b else a or b


# --- Points of a card ------------------------------------------------------------------------


def _points(card: Card, features: Features) -> str:
    features.use([term.column for term in card.terms])
    found = ""
    for term, points in zip(card.terms, card.points, strict=True):
        one = _earned(term, points, features)
        found = f"{found} + {one}" if found else one
    return found or "0"


def _earned(term: Term, points: int, features: Features) -> str:
    say = features.language
    feature, condition = features.of(term.column)
    if condition and (term.cut is None or 0 < term.cut <= 1):
        return say.chosen(feature, str(points), "0")
    if condition:
        feature = say.chosen(feature, "1", "0")
    if term.cut is None:
        return f"{points} * {feature}"
    short = number(term.cut)  # whole numbers are exact everywhere
    cut = short if short.lstrip("-").isdigit() else say.number(term.cut)
    return say.chosen(f"{feature} >= {cut}", str(points), "0")
