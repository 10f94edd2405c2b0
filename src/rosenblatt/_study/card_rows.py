"""Rows for a card: numbers as they stand in the table, and a column for every word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from rosenblatt.data.encode import Encoding
from rosenblatt.data.levels import Words
from rosenblatt.data.scales import Preparation


@final
class CardPreparation(TransformerMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """Fills gaps as `Preparation` does, scales nothing, and adds the reference levels.

    A card gives points for one word, whichever it is: without its own column the reference level
    would take a term for each other word. Of two words one column says all.
    """

    def __init__(self, encoding: Encoding, *, impute: str | None = None):
        self.encoding = encoding
        self.impute = impute

    def fit(self, X: Any, y: Any = None) -> Self:
        self._inner = Preparation(self.encoding, scale=False, impute=self.impute).fit(X)
        known = self._inner.encoding_
        self.encoding_ = replace(known, columns=tuple(map(_with_all_levels, known.columns)))
        return self

    def transform(self, X: Any) -> Any:
        rows = self._inner.transform(X)
        blocks, begin = [], 0
        for column in self._inner.encoding_.columns:
            end = begin + len(column.features)
            block = rows[:, begin:end]
            if isinstance(column, Words) and _lacks(column):
                place = column.values.index(str(column.reference))
                block = np.insert(block, place, 1.0 - block.sum(axis=1), axis=1)
            blocks.append(block)
            begin = end
        return np.ascontiguousarray(np.concatenate(blocks, axis=1))


def _with_all_levels(column: Any) -> Any:
    return replace(column, reference=None) if _lacks(column) else column


def _lacks(column: Any) -> bool:
    """Has it a level without a column that is worth one?"""
    words = isinstance(column, Words) and not column.boolean and column.reference is not None
    return words and len(column.levels) > 1
