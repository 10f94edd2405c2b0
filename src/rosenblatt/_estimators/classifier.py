"""What all classifiers have, with types: scikit-learn ships none. Abstract: not an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """A scikit-learn classifier."""

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]  # only where the columns had names

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows X whose predicted class is y, by weight where weights are given."""
        return float(super().score(X, y, sample_weight))
