"""Another threshold for a fitted rule: a score of 0 or more still decides, or the highest one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._training.kernel_rule import KernelExpansion, KernelRule
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt._validation import targets
from rosenblatt._validation.rows import checked_rows


def can_move(estimator: Any) -> bool:
    rule = vars(estimator).get("_rule")
    if isinstance(rule, KernelRule):
        return isinstance(rule.learned, KernelExpansion)
    return isinstance(rule, LinearRule)


Counted = Callable[[Any], tuple[int, float]]
"""How many training rows have a margin of 0 or less, and their weights added up."""


def move_threshold(estimator: Any, by: Any, counted: Counted) -> None:
    """Lower every score by so much, and count the training errors again; of many classes each by
    its own.

    Training would go on from its last weights, as before: those are not changed.
    """
    estimator._rule = _lowered(estimator._rule, by)
    errors, weighted = counted(estimator)
    estimator.training_errors_ = errors
    if getattr(estimator, "converged_", False) and errors:
        estimator.converged_ = False
    kept = vars(estimator).get("_kept")
    if kept is not None:
        rule = estimator._rule
        moved = rule.learned if isinstance(rule, KernelRule) else rule.weights.copy()
        estimator._kept = replace(kept, weights=moved, mistakes=errors, weighted=weighted)


def _lowered(rule: LinearRule | KernelRule, by: Any) -> LinearRule | KernelRule:
    if isinstance(rule, KernelRule):
        assert isinstance(rule.learned, KernelExpansion)
        learned = rule.learned.copy()
        learned.b = learned.b - (by if np.ndim(by) == 0 else by[:, None]) / rule.eta
        return replace(rule, learned=learned)
    weights = rule.weights.copy()
    weights[..., -1] -= by / rule.eta
    return LinearRule(weights, rule.eta)


def on_rows(X: Any, y: Any) -> Counted:
    def counted(estimator: Any) -> tuple[int, float]:
        rows = checked_rows(estimator, X, reset=False)
        given = getattr(estimator, "class_weight", None)
        examples, _ = targets.examples(rows, y, None, given, estimator.classes_)
        wrong = mistaken(estimator.decision_function(X), y, estimator.classes_)
        c = examples.c
        return int(wrong.sum()), float(wrong.sum() if c is None else c[wrong].sum())

    return counted


def mistaken(scores: NDArray[np.float64], y: Any, classes: NDArray[Any]) -> NDArray[np.bool_]:
    """Rows with a margin of 0 or less."""
    if len(classes) > 2:
        rows, own = np.arange(len(scores)), np.searchsorted(classes, y)
        rivals = scores.copy()
        rivals[rows, own] = -np.inf
        return np.asarray(scores[rows, own] <= rivals.max(axis=1))
    return np.asarray(np.where(np.asarray(y) == classes[1], scores, -scores) <= 0)
