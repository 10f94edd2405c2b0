"""What a kernel classifier has once it is trained. Abstract: not an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._compute.examples import Csr
from rosenblatt._estimators.classifier import Classifier
from rosenblatt._estimators.linear import decided
from rosenblatt._inputs import validate
from rosenblatt._learning.settings import Units
from rosenblatt._rules.kernel import KernelRule
from rosenblatt._rules.linear import read_only


class KernelClassifier(Classifier):
    """Predicts with `_rule`, which fitting sets."""

    _rule: KernelRule
    _made_with: Units
    _weights: NDArray[np.float64] | None  # c, by training row
    kernel: Any
    update_counts_: Any

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of each row; the mean vote in [-1, 1] with keep="vote".

        Of k > 2 classes one for each, shape (n, k): its score, or its share of the votes.
        """
        rows = self._rows(X)
        return self._rule.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: `classes_[1]` where the score is 0 or greater.

        Of k > 2 classes the one with the highest score; on a tie the first.
        """
        rows = self._rows(X)
        return self.classes_[decided(self._rule.signed(rows))]

    def _rows(self, X: Any) -> Any:
        return validate.rows_to_judge(self, X)

    @property
    def alpha_(self) -> Any:
        """η c_i update_counts_i; of k > 2 classes sparse, of shape (n, k)."""
        self._fitted("alpha_")
        counts = self._made_with.eta0 * self.update_counts_
        if not sparse.issparse(counts):
            return read_only(counts if self._weights is None else counts * self._weights)
        if self._weights is not None:
            counts = sparse.csr_array(counts.multiply(self._weights[:, None]))
        read_only(counts.data)
        return counts

    @property
    def support_(self) -> NDArray[np.intp]:
        """The training rows with a coefficient."""
        return read_only(self._fitted("support_").support.copy())

    @property
    def support_vectors_(self) -> Any:
        """Those rows; an empty array with kernel="precomputed"."""
        vectors = self._fitted("support_vectors_").vectors
        if vectors is None:
            return np.empty((0, 0))
        if isinstance(vectors, Csr):
            return sparse.csr_matrix((vectors.data, vectors.indices, vectors.indptr), vectors.shape)
        return read_only(vectors.copy())

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Coefficients of the support vectors, of shape (1, n_support), or (k, n_support)."""
        beta = self._fitted("dual_coef_").beta
        if beta is None:
            raise self._votes("dual_coef_")
        return read_only(self._made_with.eta0 * np.atleast_2d(beta))

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept b, of shape (1,); of k > 2 classes (k,)."""
        learned = self._fitted("intercept_").learned
        if not hasattr(learned, "b"):
            raise self._votes("intercept_")
        return read_only(self._made_with.eta0 * np.ravel(learned.b))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights w, of shape (1, d), or (k, d); with kernel="linear"."""
        rule = self._fitted("coef_")
        if rule.kernel.kernel != "linear":
            raise AttributeError(
                f"coef_ is there with kernel='linear' only; with {rule.kernel.kernel!r} the rule "
                "has no weights of features. dual_coef_ has those of the support vectors."
            )
        vectors = self.support_vectors_
        return read_only(np.asarray(self.dual_coef_ @ vectors.astype(np.float64)))

    def _fitted(self, name: str) -> KernelRule:
        if not hasattr(self, "_rule"):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        return self._rule

    def _votes(self, name: str) -> AttributeError:
        return AttributeError(
            f"keep='vote' has no {name}: one function for each update votes, and no single one "
            "gives the same answers. keep='average' is close to the vote and has one."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not precomputed
        tags.input_tags.pairwise = precomputed
        return tags
