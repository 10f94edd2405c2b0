"""Filling and scaling as a transformer of scikit-learn, which costs a command half a second."""

from __future__ import annotations

from typing import Any, Self, final

from sklearn.base import BaseEstimator, TransformerMixin

from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.data.scaling import finished, learned


@final
class Preparation(TransformerMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """Fills and scales as a transformer: learned from training rows, done to others.

    Rows are those of `Table.encode_with_missing`; `preprocessing_` has fills and
    scales.
    """

    def __init__(
        self, preprocessing: Preprocessing, *, scale: bool = True, impute: str | None = None
    ):
        self.preprocessing = preprocessing
        self.scale = scale
        self.impute = impute

    def fit(self, X: Any, y: Any = None) -> Self:
        self.preprocessing_ = learned(self.preprocessing, X, scale=self.scale, impute=self.impute)
        return self

    def transform(self, X: Any) -> Any:
        return finished(self.preprocessing_, X)
