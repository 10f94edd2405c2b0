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
from rosenblatt._training.linear_rule import LinearRule, Voters
from rosenblatt._training.one_vs_rest import rule_of_classes
from rosenblatt._util.spelling import option
from rosenblatt._validation import rows, targets
from rosenblatt.errors import InputError, InputTypeError

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
        How to learn; it is copied. With their defaults they follow a rule that changes. One that is
        fitted to columns with names, as `fitted` returns it and `load` reads it, goes on from
        there: its columns are found by their names.
    classes : sequence, default=None
        The labels, two or more. None: those of the estimator, if it is fitted, else True and False.

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
        self._begun = "_rule" in vars(estimator)
        if self._begun:
            names = _names_of(estimator, classes)
            self._classes = estimator.classes_.tolist()
        else:
            names = []
            self._classes = [False, True] if classes is None else list(classes)
        self._columns: dict[Hashable, int] = {name: j for j, name in enumerate(names)}
        self._room = max(_FIRST, _power_of_two(len(names)))
        if self._begun:
            rows.learn_features(self._estimator, self._room, None)
            _widen(self._estimator, self._room)

    def learn_one(self, x: Mapping[Any, float], y: Any, w: float = 1.0) -> None:
        """Learn from a row with label y and weight w."""
        _check(x)  # before anything changes
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
        estimator = copy.deepcopy(self._estimator)
        if self._begun:
            _widen(estimator, len(self._columns))
            if all(isinstance(name, str) for name in self._columns):
                estimator.feature_names_in_ = np.array([*self._columns], dtype=object)
        return estimator

    def _known(self, x: Mapping[Any, float]) -> Any:
        """A row to predict: what has no column has no weight."""
        _check(x)
        return self._row({name: value for name, value in x.items() if name in self._columns})

    def _row(self, x: Mapping[Any, float]) -> Any:
        columns = np.fromiter(map(self._columns.__getitem__, x), np.int32, len(x))
        values = np.fromiter(x.values(), np.float64, len(x))
        order = np.argsort(columns)
        ends = np.array([0, len(x)], dtype=np.int32)
        return Csr(values[order], columns[order], ends, (1, self._room))

    def _make_room(self) -> None:
        if len(self._columns) > self._room:
            self._room = _power_of_two(len(self._columns))
            if self._begun:
                _widen(self._estimator, self._room)


def _power_of_two(least: int) -> int:
    return 1 << max(least - 1, 0).bit_length()


def _names_of(estimator: TrainedLinearClassifier, classes: Any) -> list[str]:
    """The names of its columns, which rows that are dicts ask for."""
    kind = type(estimator).__name__
    if classes is not None:
        given, own = targets.given_classes(classes).tolist(), estimator.classes_.tolist()
        if given != own:
            raise InputError(
                f"classes={given}, but this {kind} was trained with the labels {own}, and goes on "
                "with them: leave classes out.",
                option="classes",
                value=given,
            )
    names = vars(estimator).get("feature_names_in_")
    if names is None or len({*names}) < len(names):
        raise InputError(
            f"This {kind} was trained on {estimator.n_features_in_} columns "
            f"{'without names' if names is None else 'of which some have the same name'}, and a "
            "row that is a dict names its features. Train it on a data frame whose columns have "
            "names of their own, or begin with one that is not fitted.",
            option="estimator",
        )
    preprocessing = vars(estimator).get("preprocessing_")
    if preprocessing is not None and preprocessing.changes_numbers:
        raise InputError(
            f"This {kind} takes numbers that its preprocessing_ has filled or scaled, and a row "
            "that is a dict does not go through it. Begin with one that is not fitted, or give "
            "rows of preprocessing_.transform(frame) to its partial_fit.",
            option="estimator",
        )
    return list(names)


def _check(x: Any) -> None:
    if not isinstance(x, Mapping):
        raise InputTypeError(
            "A row is a dict of its features and their numbers, as {'height': 1.8}; got a "
            f"{type(x).__name__}."
        )
    for name, value in x.items():
        _check_number(value, name)


def _check_number(value: Any, name: Any) -> None:
    if isinstance(value, numbers.Real):
        if math.isfinite(value):
            return
        raise InputError(f"The feature {name!r} is {value}. Leave out what is not known.")
    if value is None:
        raise InputError(f"The feature {name!r} is None. Leave out what is not known.")
    advice = (
        f" A word is a feature of its own: {{{f'{name}={value}'!r}: 1}}."
        if isinstance(value, str)
        else ""
    )
    raise InputError(f"The feature {name!r} is {value!r}; a number is needed.{advice}")


def _widen(p: Any, columns: int) -> None:
    """So many columns, more or fewer; new ones have weights of 0, and precisions of 1."""

    def wide(w: Weights | None, new: float = 0.0) -> Any:
        if w is None:
            return None
        shape = (*w.shape[:-1], columns + 1)
        wider = np.full(shape, new, order="C" if w.flags.c_contiguous else "F")
        some = min(columns + 1, w.shape[-1]) - 1
        wider[..., :some], wider[..., -1] = w[..., :some], w[..., -1]
        return wider

    def wide_voters(voters: Voters | None) -> Any:
        if voters is None:
            return None
        weights, votes = voters.table()
        return Voters.of(wide(weights), votes, voters.since)

    if p._state is not None:  # None: each class has one of its own, or a certificate was its source
        memory = p._state.memory
        memory = replace(
            memory,
            w=wide(memory.w),
            correction=wide(memory.correction),
            precision=wide(memory.precision, 1.0),
        )
        kept = None if p._kept is None else replace(p._kept, weights=wide(p._kept.weights))
        voters = wide_voters(p._state.voters)
        p._state, p._kept = replace(p._state, memory=memory, kept=kept, voters=voters), kept
    if p._of_classes is not None:
        for one in p._of_classes:
            _widen(one, columns)
        p._rule = rule_of_classes([one._rule for one in p._of_classes])
    elif isinstance(p._rule, Voters):
        p._rule = wide_voters(p._rule)
    else:
        p._rule = LinearRule(wide(p._rule.weights), p._rule.eta)
    p.n_features_in_ = columns
