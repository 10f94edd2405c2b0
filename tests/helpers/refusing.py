"""Bad input gets one clear error, and the estimator is as it was before.

Warnings are errors in this suite, so "one error" also means: no warning before it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from raising import check_sentence, without_others
from rosenblatt import Perceptron, RandomLinearClassifier
from rosenblatt.errors import RosenblattError

N = 40
X = np.random.default_rng(0).normal(size=(N, 3))
Y = (X[:, 0] > 0).astype(int)


@contextmanager
def refused(
    estimator: Any,
    *says: str,
    error: Any = (ValueError, TypeError),
    told: bool = False,
    **data: Any,
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """One error with these attributes, and nothing about the estimator has changed, however deep
    down. `told`: tests/text has its words, if they are ours."""
    before = vars(estimator).copy()
    inside = {name: pickle.dumps(value) for name, value in before.items()}
    with pytest.raises(error) as caught:
        yield caught
    message = str(caught.value)
    for words in says:
        assert words in message
    for name, value in data.items():
        carried = getattr(caught.value, name)
        assert carried is value or carried == value
    if told and isinstance(caught.value, RosenblattError):
        check_sentence(without_others(message, caught.value.__context__))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    after = vars(estimator)
    assert list(after) == list(before)
    assert all(after[name] is before[name] for name in before)
    assert {name: pickle.dumps(value) for name, value in after.items()} == inside


@dataclass(frozen=True)
class Way:
    """A way to train: which estimator, with which of its methods."""

    make: Callable[..., Any]
    method: str

    def train(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return getattr(estimator, self.method)(X, y, sample_weight=sample_weight)

    def new(self, **parameters: Any) -> Any:
        return self.make(random_state=0, **parameters)

    def fitted(self, **parameters: Any) -> Any:
        return self.train(self.new(**parameters), X, Y)


FIT = Way(Perceptron, "fit")
PARTIAL_FIT = Way(Perceptron, "partial_fit")
RANDOM_FIT = Way(RandomLinearClassifier, "fit")
WAYS = {"fit": FIT, "partial_fit": PARTIAL_FIT, "random_linear_fit": RANDOM_FIT}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
both_ways_of_the_perceptron = pytest.mark.parametrize(
    "way", [FIT, PARTIAL_FIT], ids=["fit", "partial_fit"]
)


new_and_fitted = pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])


def parametrize_cases(names: str, cases: dict[str, tuple[Any, ...]]) -> Any:
    return pytest.mark.parametrize(names, cases.values(), ids=cases)


def changed(array: Any, at: int, value: Any) -> Any:
    array = array.copy()
    array[at] = value
    return array


WORDS = np.where(Y > 0, "yes", "no")
