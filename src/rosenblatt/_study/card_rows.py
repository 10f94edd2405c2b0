"""Rows for a card: numbers as they stand in the table, and a column for every word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from rosenblatt.data.encode import Encoding, Number
from rosenblatt.data.levels import Words
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.scales import finished


@final
class CardPreparation(TransformerMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """Fills gaps as `Preparation` does, scales nothing, and adds the reference levels.

    Columns of whole numbers are filled with whole ones, so that points stay whole.
    A card gives points for one word, whichever it is: without its own column the reference level
    would take a term for each other word. Of two words one column says all.
    """

    def __init__(self, encoding: Encoding, *, impute: str | None = None):
        self.encoding = encoding
        self.impute = impute

    def fit(self, X: Any, y: Any = None) -> Self:
        known = Preparation(self.encoding, scale=False, impute=self.impute).fit(X).encoding_
        fills = [
            fill if fill is None or not _whole(X[:, j]) else float(round(fill))
            for j, fill in zip(known.number_places, _fills(known), strict=True)
        ]
        self._filled = known.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))
        known = self._filled
        self.encoding_ = replace(known, columns=tuple(map(_with_all_levels, known.columns)))
        return self

    def transform(self, X: Any) -> Any:
        rows = finished(self._filled, X)
        blocks, begin = [], 0
        for column in self._filled.columns:
            end = begin + len(column.features)
            block = rows[:, begin:end]
            if isinstance(column, Words) and _lacks(column):
                place = column.values.index(str(column.reference))
                block = np.insert(block, place, 1.0 - block.sum(axis=1), axis=1)
            blocks.append(block)
            begin = end
        return np.ascontiguousarray(np.concatenate(blocks, axis=1))


def _fills(encoding: Encoding) -> list[float | None]:
    return [column.fill for column in encoding.columns if isinstance(column, Number)]


def _whole(x: Any) -> bool:
    """Are all numbers whole that are there?"""
    there = x[~np.isnan(x)]
    return bool((there == np.floor(there)).all())


def _with_all_levels(column: Any) -> Any:
    return replace(column, reference=None) if _lacks(column) else column


def _lacks(column: Any) -> bool:
    """Has it a level without a column that is worth one?"""
    words = isinstance(column, Words) and not column.boolean and column.reference is not None
    return words and len(column.levels) > 1
