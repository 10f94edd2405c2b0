"""What a wrong answer costs, and which candidate is chosen by it: the criterion of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.objective import Objective
from rosenblatt._training.card_rule import Card
from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.selection.comparison import Candidate
    from rosenblatt.selection.out_of_sample import OutOfSample, Threshold


Costs = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Criterion:
    """What wrong answers cost.

    Attributes
    ----------
    costs : array of shape (k, k)
        costs[i, j] is what a row of class i costs that is called j; with "balanced" times the
        weight of its class, which `costs_in` gives.
    objective : "error", "cost" or "balanced"
        What candidates are chosen by. With "cost" and "balanced" the threshold of a rule is chosen,
        too, of more than two classes its intercepts; with "error" they stay as they were learned.
    prefers_weights : bool
        A rule without weights must win by a standard error of the difference at least.
    prefers : str or None
        The name of a candidate: another rule must win by two of them. The lowest of many counts is
        often low by chance. Of a table that is not large the candidate gets a penalty on its
        weights whose strength is chosen by folds of the rows that it learns from.
    """

    costs: NDArray[np.float64]
    objective: str = "error"
    prefers_weights: bool = False
    prefers: str | None = None

    @classmethod
    def of(
        cls,
        labels: list[str],
        objective: str,
        costs: Costs | None = None,
        *,
        prefers_weights: bool = False,
        prefers: str | None = None,
    ) -> Criterion:
        """`costs` by (actual, predicted) label: others cost 1."""
        matrix = cost_matrix(labels, (costs or {}) if objective == "cost" else {})
        return cls(matrix, objective, prefers_weights, prefers)

    @property
    def moves(self) -> bool:
        """Whether thresholds are chosen."""
        return self.objective != "error"

    def costs_in(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Where so many rows have each label: with "balanced" their mean is that of the error rates
        of the labels in these rows."""
        if self.objective != "balanced":
            return self.costs
        weights = counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1))
        return np.asarray(self.costs * weights[:, None])

    def row_costs(self, labels: Any, predictions: Any, classes: Any) -> NDArray[np.float64]:
        """What each of these answers costs."""
        rows, columns = np.searchsorted(classes, labels), np.searchsorted(classes, predictions)
        costs = self.costs_in(np.bincount(rows, minlength=len(classes)))
        return np.asarray(costs[rows, columns])

    def evaluated(self, c: Candidate) -> Candidate:
        """With its cost and its errors: at the cheapest threshold, where that is chosen."""
        if self.objective == "error":
            return c
        threshold = self.threshold(c)
        if threshold is not None and c.out_of_sample is not None:
            c = replace(
                c,
                losses=c.out_of_sample.costs(threshold, self.costs_in(c.out_of_sample.counts)),
                validation_errors=c.out_of_sample.errors(threshold),
                train_errors=c.train_errors
                if c.in_sample is None
                else c.in_sample.errors(threshold),
                in_sample=None,
            )
        return c if c.losses is None else replace(c, cost=float(c.losses.sum()))

    def threshold(self, c: Candidate) -> Threshold | None:
        """The cheapest one on rows that did not train it; None where none is chosen: a card has
        been searched for with its threshold."""
        if not self.moves or c.out_of_sample is None or _card(c) is not None:
            return None
        return self.cheapest(c.out_of_sample)

    def cheapest(self, scored: OutOfSample) -> Threshold:
        return scored.cheapest(self.costs_in(scored.counts))

    def best(self, candidates: list[Candidate]) -> tuple[Candidate, Candidate | None]:
        """The lowest loss on rows that did not train; and who would have won but for what is
        preferred. On a tie a rule with weights, which can be read, then the shortest card, then
        averaged weights, which vary least, then the fewest training errors, then the first."""
        # after Ctrl-C what there is
        chosen_from = [c for c in candidates if not c.baseline] or candidates[1:]
        winner = min(chosen_from, key=_rank)
        readable = [c for c in chosen_from if _has_weights(c)]
        if not readable or (not _has_weights(winner) and not self.prefers_weights):
            return winner, None
        rival = min(readable, key=_rank)
        for c in readable:
            if c.name == self.prefers and not _clearly(rival, c, 2):
                rival = c
        if rival is winner or (not _has_weights(winner) and _clearly(winner, rival)):
            return winner, None
        return rival, winner


def cost_matrix(labels: list[str], costs: Costs) -> NDArray[np.float64]:
    """The cost of each mistake; InputError where a label is none."""
    for pair in costs:
        for label in pair:
            if label not in labels:
                raise InputError(
                    f"{option('costs')}: {label!r} is not one of the labels, "
                    f"{listed([*map(repr, labels)], 10)}. "
                    "Write actual:predicted=number, as in "
                    f"{labels[1]}:{labels[0]}=5 for predicting {labels[0]} for a {labels[1]}.",
                    option="costs",
                    value=label,
                    allowed=tuple(labels),
                )
        actual, predicted = pair
        if actual == predicted:
            raise InputError(
                f"{option('costs')}: {actual}:{predicted} is a right answer, which costs nothing. "
                "Give the cost of a wrong one.",
                option="costs",
                value=f"{actual}:{predicted}",
            )
    return Objective("cost", costs).cost_matrix(labels)


def _has_weights(c: Candidate) -> bool:
    return hasattr(c.estimator, "coef_")


def _rank(c: Candidate) -> tuple[float, bool, int, bool, int]:
    averaged = getattr(c.estimator, "keep", None) == "average"
    return c.loss, not _has_weights(c), _terms(c), not averaged, c.train_errors


def _terms(c: Candidate) -> int:
    card = _card(c)
    return 0 if card is None else len(card.terms)


def _card(c: Candidate) -> Card | None:
    rule = getattr(c.estimator, "_rule", None)
    return rule if isinstance(rule, Card) else None


def _clearly(winner: Candidate, rival: Candidate, errors: int = 1) -> bool:
    """Whether the difference on the same rows is so many standard errors of it at least."""
    if winner is rival:
        return False
    if winner.losses is None or rival.losses is None:
        return True
    by_row = rival.losses - winner.losses
    error = math.sqrt(len(by_row)) * float(by_row.std(ddof=1)) if len(by_row) > 1 else math.inf
    return 0 < float(by_row.sum()) >= errors * error
