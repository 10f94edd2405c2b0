"""Whose files these are: every estimator by its name."""

from __future__ import annotations

from typing import Any, get_args

from rosenblatt.arow import AROW
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.passive_aggressive import PassiveAggressive
from rosenblatt.perceptron import Perceptron
from rosenblatt.random_linear import RandomLinearClassifier
from rosenblatt.scorecard import Scorecard

Estimator = (
    Perceptron | KernelPerceptron | RandomLinearClassifier | AROW | PassiveAggressive | Scorecard
)
KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Estimator)}
_SINCE = {"AROW": 5, "PassiveAggressive": 5, "Scorecard": 6}


def known_in(version: int) -> list[str]:
    """The estimators that files of this version hold."""
    return [name for name in KINDS if version >= _SINCE.get(name, 1)]
