"""Filling and scaling as a transformer of scikit-learn, which costs a command half a second."""

from __future__ import annotations

from typing import Any, Self, final

from sklearn.base import BaseEstimator, TransformerMixin

from rosenblatt.data.encoding import Encoding
from rosenblatt.data.scaling import finished, learned


@final
class Preparation(TransformerMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """Fills and scales as a transformer: learned from training rows, done to others.

    Rows are those of `Table.encode_with_missing`; `encoding_` is the encoding with fills and
    scales.
    """

    def __init__(self, encoding: Encoding, *, scale: bool = True, impute: str | None = None):
        self.encoding = encoding
        self.scale = scale
        self.impute = impute

    def fit(self, X: Any, y: Any = None) -> Self:
        self.encoding_ = learned(self.encoding, X, scale=self.scale, impute=self.impute)
        return self

    def transform(self, X: Any) -> Any:
        return finished(self.encoding_, X)
