"""A scorecard in a model file: its terms, points and threshold, and how the search went."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._model import arrays
from rosenblatt._rules.card import Card, Term
from rosenblatt._support.strict_json import InvalidDocument, Part
from rosenblatt.scorecard import MOST_POINTS, Scorecard

_LARGEST = 2**53  # a threshold: what floats hold


def written(p: Scorecard) -> dict[str, Any]:
    card, validation = p._rule, p.validation_errors_
    bracket = None if p.bracket_ is None else [float(end) for end in p.bracket_]
    return {
        "terms": [
            {"column": term.column, "cut": term.cut, "indicator": term.indicator, "points": points}
            for term, points in zip(card.terms, card.points, strict=True)
        ],
        "threshold": card.threshold,
        "training_errors": p.training_errors_,
        "bracket": bracket,
        "weighed": p.bracket_ is not None and isinstance(p.bracket_[1], float),
        "errors_by_terms": arrays.floats(p.errors_by_terms_),
        "validation_errors": None if validation is None else arrays.counts(validation),
    }


def read(part: Part, p: Scorecard) -> None:
    """Make an estimator that knows its classes and features a fitted one."""
    if len(p.classes_) != 2:
        raise InvalidDocument(f"a card tells 2 classes apart, and there are {len(p.classes_)}")
    with part:
        earned = [_earned(term, p.n_features_in_) for term in part.parts("terms")]
        threshold = _whole(part, "threshold", _LARGEST)
        p.training_errors_ = part.whole("training_errors")
        p.bracket_ = part.optional(_bracket, "bracket", part, part.flag("weighed"))
        p.errors_by_terms_ = arrays.read_floats(part, "errors_by_terms", (None,))
        p.validation_errors_ = None
        if part.value("validation_errors") is not None:
            p.validation_errors_ = arrays.read_counts(part, "validation_errors", (None,))
    p._rule = Card(tuple(t for t, _ in earned), tuple(points for _, points in earned), threshold)


def _earned(part: Part, features: int) -> tuple[Term, int]:
    with part:
        column = part.whole("column", features - 1)
        cut, indicator = part.optional(part.finite, "cut"), part.flag("indicator")
        points = _whole(part, "points", MOST_POINTS)
    return Term(column, None if cut is None else float(cut), indicator), points


def _whole(part: Part, field: str, most: int) -> int:
    """A whole number that may be negative."""
    value = part.value(field)
    if type(value) is not int or abs(value) > most:
        raise InvalidDocument(f"{part.name(field)} is not a whole number from -{most} to {most}")
    return value


def _bracket(field: str, part: Part, weighed: bool) -> tuple[float, float]:
    ends = part.values(field)
    good = len(ends) == 2 and all(type(end) is float and 0 <= end < np.inf for end in ends)
    if not good:
        raise InvalidDocument(f"{part.name(field)} is not two numbers, 0 or greater")
    if weighed:
        return ends[0], ends[1]
    if not all(end.is_integer() for end in ends):
        raise InvalidDocument(f"{part.name(field)} is not two numbers of rows")
    return int(ends[0]), int(ends[1])
