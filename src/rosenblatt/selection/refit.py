"""From the winner of a comparison to the rule that is tested: its rows, threshold, probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt._model.probability import Probability
from rosenblatt._training.threshold import can_move, move_threshold, on_rows
from rosenblatt.data.target import FIFTHS
from rosenblatt.errors import InputError
from rosenblatt.selection.comparison import Candidate, Comparison
from rosenblatt.selection.folds import Indices, rest
from rosenblatt.selection.out_of_sample import (
    Floats,
    OutOfSample,
    Threshold,
    Unit,
    probability_of,
    scores_of,
)

ENOUGH = 10_000  # validation rows whose scores tell as much as folds would
_PLAIN = Unit(0.0, 1.0)  # scores as they are


@dataclass(frozen=True)
class Refitted:
    """A rule with its threshold; scores are those of `estimator`, threshold included."""

    estimator: Any
    preprocessor: Any
    notes: tuple[str, ...]
    unit: Unit = _PLAIN
    out_of_sample: OutOfSample | None = None
    probability: Probability | None = None
    moved: Threshold = 0.0
    retrained: bool = False

    def probabilities(self, scores: Floats | None) -> Floats | None:
        if scores is None or self.probability is None:
            return None
        return self.probability.of(scores)


def with_threshold(
    comparison: Comparison,
    rule: Any,
    X: Any,
    y: Any,
    preprocessor: Any,
    out_of_sample: OutOfSample | None,
    **more: Any,
) -> Refitted:
    """The rule, fitted on X and y, with the threshold that rows which it has not seen call for.

    Scores of `out_of_sample` are in the units of whichever rule gave them: they carry over to this
    one by its own unit.
    """
    if out_of_sample is None:
        return Refitted(rule, preprocessor, **more)
    unit = Unit.of(scores_of(rule, X))
    own = OutOfSample(unit.scores(out_of_sample.scores), out_of_sample.codes)
    threshold: Threshold = 0.0
    if comparison.criterion.moves and can_move(rule):
        threshold = comparison.criterion.cheapest(own)
    if np.any(threshold):
        move_threshold(rule, threshold, on_rows(X, y))
    return Refitted(
        rule,
        preprocessor,
        unit=unit.lowered(threshold),
        out_of_sample=own.lowered(threshold),
        probability=probability_of(own).lowered(threshold),
        moved=threshold,
        **more,
    )


def more_fits(validation: int) -> int:
    """How many times the winner is fitted once more: at most."""
    return 1 + (FIFTHS if validation < ENOUGH else 0)


def refit(
    comparison: Comparison, winner: Candidate, train: Indices, validation: Indices
) -> Refitted | None:
    """The winner, fitted on training and validation rows; None where Ctrl-C came before it was.

    Its threshold and its probabilities are those of folds of these rows, each scored by a rule that
    learned from the others; of very many validation rows, and where rows are divided by time, of
    their scores by the compared rule.
    """
    both = np.sort(np.concatenate([train, validation]))
    out_of_sample = winner.out_of_sample
    clean = comparison.rule_for(winner.name, both)
    if comparison.training.interrupted:
        return None
    if len(validation) < ENOUGH and comparison.times is None:
        out_of_sample = _by_folds(comparison, winner.name, clean, both) or out_of_sample
    if comparison.training.interrupted:
        return None
    preprocessor = comparison.prepared(both)
    X, y = comparison.rows(both, preprocessor), comparison.y[both]
    rule, notes = comparison.training.fit(f"{winner.name}, again", clean, X, y)
    if rule is None or comparison.training.interrupted:
        return None
    return with_threshold(
        comparison, rule, X, y, preprocessor, out_of_sample, notes=notes, retrained=True
    )


def _by_folds(comparison: Comparison, name: str, rule: Any, rows: Indices) -> OutOfSample | None:
    fewest = int(np.unique(comparison.y[rows], return_counts=True)[1].min())
    try:
        parts = comparison.folds(rows, min(FIFTHS, fewest))
    except (InputError, ValueError):  # groups that are too large, or a label that is too rare
        return None
    scored = []
    for i, part in enumerate(parts):
        train = rest(parts, [i])
        preprocessor = comparison.prepared(train)
        X, labels = comparison.rows(train, preprocessor), comparison.y[train]
        title = f"{name}, fold {i + 1}"
        fitted, _ = comparison.training.fit(title, clone(rule), X, labels, kept=False)
        if fitted is None or comparison.training.interrupted:
            return None
        X_out = comparison.rows(part, preprocessor)
        scored.append(comparison.scored(fitted, X, X_out, comparison.y[part]))
    return OutOfSample.joined(scored)
