"""Whose files these are: every estimator by its name."""

from __future__ import annotations

from typing import Any

from rosenblatt.arow import AROW
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.passive_aggressive import PassiveAggressive
from rosenblatt.perceptron import Perceptron
from rosenblatt.random_linear import RandomLinearClassifier

_FIRST = (Perceptron, KernelPerceptron, RandomLinearClassifier)
_SINCE_5 = (AROW, PassiveAggressive)
KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in _FIRST + _SINCE_5}


def known_in(version: int) -> list[str]:
    """The estimators that files of this version hold."""
    return [kind.__name__ for kind in (_FIRST if version < 5 else _FIRST + _SINCE_5)]
