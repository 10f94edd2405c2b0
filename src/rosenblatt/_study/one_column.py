"""The column that alone makes the fewest errors: a baseline of every comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from rosenblatt._core.rows import dense
from rosenblatt._study.telling_columns import LEAST, level_of
from rosenblatt.data.preprocessing import Number

_NUMBERS = 5_000_000  # that are sorted, at most
_LEAVES = 8  # of a tree on one column, or as many as there are labels


@final
class OneColumn(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """The column that alone makes the fewest training errors: of words each says a label, numbers
    are cut into a few stretches.

    Rows are as their preprocessing makes them; `columns` are its columns but those of prose.
    """

    def __init__(self, columns: Sequence[Any]):
        self.columns = columns

    def fit(self, X: Any, y: Any) -> Self:
        ends = np.cumsum([len(column.features) for column in self.columns]).tolist()
        width = ends[-1]
        step = -(-len(y) * width // _NUMBERS)
        rows = dense(X[::step, :width])
        self.classes_, codes = np.unique(y[::step], return_inverse=True)
        fewest = len(codes) + 1
        for column, begin, end in zip(self.columns, [0, *ends], ends, strict=False):
            rule = self._rule(column, rows[:, begin:end], codes)
            wrong = int((self._called(column, rule, rows[:, begin:end]) != codes).sum())
            if wrong < fewest:
                fewest, self.column_, self._place, self._of = wrong, column.name, (begin, end), rule
                self._column = column
        return self

    def _rule(self, column: Any, part: Any, codes: NDArray[np.intp]) -> Any:
        k = len(self.classes_)
        if isinstance(column, Number):
            tree = DecisionTreeClassifier(
                max_leaf_nodes=max(_LEAVES, k), min_samples_leaf=LEAST, random_state=0
            )
            return tree.fit(part, codes)
        level = level_of(part, column)
        counts = np.zeros((len(column.features) + 1, k), dtype=np.int64)
        np.add.at(counts, (level, codes), 1)
        counts[counts.sum(axis=1) < LEAST] = np.bincount(codes, minlength=k)
        return counts.argmax(axis=1)

    def _called(self, column: Any, rule: Any, part: Any) -> Any:
        return rule.predict(part) if isinstance(column, Number) else rule[level_of(part, column)]

    def predict(self, X: Any) -> NDArray[Any]:
        begin, end = self._place
        codes = self._called(self._column, self._of, dense(X[:, begin:end]))
        return np.asarray(self.classes_[codes])
