"""Online learning from rows that are dicts: learn_one and predict_one."""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt._core.rows import Csr, Weights
from rosenblatt._training.estimator import TrainedLinearClassifier
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt._util.spelling import option
from rosenblatt.errors import InputError

_FIRST = 1024  # columns that there is room for; it doubles


class OneByOne:
    """Learns a linear rule from one row after another, each a dict of its features.

    The names of the features need not be known: one that comes for the first time has a weight of
    0, and one that a row does not have is 0. `learn_one` is `partial_fit` of that row, where the
    features are columns in the order in which they came, and has the same bits.

    The two methods have the names that river uses; its pipelines ask for a
    `river.base.Classifier`, whose methods may call these.

    Parameters
    ----------
    estimator : Perceptron, AROW, PassiveAggressive or Relaxation
        How to learn; it is copied. With their defaults they follow a rule that changes.
    classes : sequence, default=None
        The labels, two or more. None: they are True and False.

    Examples
    --------
    >>> from rosenblatt import AROW, OneByOne
    >>> model = OneByOne(AROW(), classes=["ham", "spam"])
    >>> model.predict_one({"offer": 1})
    >>> model.learn_one({"free": 2, "offer": 1}, "spam")
    >>> model.learn_one({"meeting": 1}, "ham")
    >>> model.predict_one({"offer": 1, "unheard": 3})
    'spam'
    >>> model.fitted().feature_names_in_
    array(['free', 'offer', 'meeting'], dtype=object)
    """

    def __init__(self, estimator: TrainedLinearClassifier, *, classes: Any = None):
        if not isinstance(estimator, TrainedLinearClassifier):
            raise InputError(
                f"{option('estimator', estimator)}: OneByOne takes a Perceptron, AROW, "
                "PassiveAggressive or Relaxation.",
                option="estimator",
                value=estimator,
            )
        self._estimator = copy.deepcopy(estimator)
        self._classes = [False, True] if classes is None else list(classes)
        self._columns: dict[Hashable, int] = {}
        self._room = _FIRST
        self._begun = False

    def learn_one(self, x: Mapping[Any, float], y: Any, w: float = 1.0) -> None:
        """Learn from a row with label y and weight w."""
        for name, value in x.items():
            _check_number(value, name)  # before anything changes
        for name in x:
            self._columns.setdefault(name, len(self._columns))
        self._make_room()
        weight = None if w == 1 else [w]
        row = self._row(x)
        self._estimator.partial_fit(row, [y], classes=self._classes, sample_weight=weight)
        self._estimator.n_features_in_ = self._room
        self._begun = True

    def predict_one(self, x: Mapping[Any, float]) -> Any:
        """The label of a row; None before there was any row to learn from."""
        return self._estimator.predict(self._known(x)).item() if self._begun else None

    def decision_one(self, x: Mapping[Any, float]) -> Any:
        """The score of a row, of many classes a dict of all; None before there was any row."""
        if not self._begun:
            return None
        scores = self._estimator.decision_function(self._known(x))
        if scores.ndim == 1:
            return scores.item()
        classes = self._estimator.classes_.tolist()
        return dict(zip(classes, scores[0].tolist(), strict=True))

    def fitted(self) -> Any:
        """The estimator as it is now, for tables whose columns have these names."""
        found = copy.deepcopy(self._estimator)
        if self._begun:
            _widen(found, len(self._columns))
            if all(isinstance(name, str) for name in self._columns):
                found.feature_names_in_ = np.array([*self._columns], dtype=object)
        return found

    def _known(self, x: Mapping[Any, float]) -> Any:
        """A row to predict: what has no column has no weight."""
        for name, value in x.items():
            _check_number(value, name)
        return self._row({name: value for name, value in x.items() if name in self._columns})

    def _row(self, x: Mapping[Any, float]) -> Any:
        columns = np.fromiter(map(self._columns.__getitem__, x), np.int32, len(x))
        values = np.fromiter(x.values(), np.float64, len(x))
        order = np.argsort(columns)
        ends = np.array([0, len(x)], dtype=np.int32)
        return Csr(values[order], columns[order], ends, (1, self._room))

    def _make_room(self) -> None:
        if len(self._columns) > self._room:
            self._room = 2 ** math.ceil(math.log2(len(self._columns)))
            if self._begun:
                _widen(self._estimator, self._room)


def _check_number(value: Any, name: Any) -> None:
    if isinstance(value, numbers.Real):
        if math.isfinite(value):
            return
        raise InputError(f"The feature {name!r} is {value}. Leave out what is not known.")
    raise InputError(
        f"The feature {name!r} is {value!r}; a number is needed. A word is a feature of its own: "
        f"{{{f'{name}={value}'!r}: 1}}."
    )


def _widen(p: Any, columns: int) -> None:
    """So many columns, more or fewer; new ones have weights of 0, and precisions of 1."""

    def wide(w: Weights | None, new: float = 0.0) -> Any:
        if w is None:
            return None
        shape = (*w.shape[:-1], columns + 1)
        found = np.full(shape, new, order="C" if w.flags.c_contiguous else "F")
        some = min(columns + 1, w.shape[-1]) - 1
        found[..., :some], found[..., -1] = w[..., :some], w[..., -1]
        return found

    state, memory = p._state, p._state.memory
    wider = replace(
        memory,
        w=wide(memory.w),
        correction=wide(memory.correction),
        precision=wide(memory.precision, 1.0),
    )
    kept = None if p._kept is None else replace(p._kept, weights=wide(p._kept.weights))
    p._state = replace(state, memory=wider, kept=kept)
    p._rule, p._kept = LinearRule(wide(p._rule.weights), p._rule.eta), kept
    p.n_features_in_ = columns
