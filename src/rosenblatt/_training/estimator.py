"""What estimators have in common: abstract classes, of which each estimator is made.

Some train; others predict with a linear rule or with a kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt._core.rows import Csr, Rows
from rosenblatt._training.kernel_rule import DualVoters, KernelRule
from rosenblatt._training.linear_rule import VOTING, LinearRule, SeparateVoters, Voters, read_only
from rosenblatt._training.monitor import Recorder, TakesCallbacks
from rosenblatt._training.state import AnyState, Candidate
from rosenblatt._training.stopping import StopReason
from rosenblatt._validation.rows import placed_rows_to_predict, refuse_not_finite, rows_to_predict

if TYPE_CHECKING:
    from rosenblatt._training.monitor import Checkpoint
    from rosenblatt._training.settings import Recipe, Spec, Units
    from rosenblatt.certificate import Certificate


class Training(TakesCallbacks):
    """An estimator that `fit` trains. It declares in `_spec` what it is."""

    _spec: ClassVar[Spec]

    order: Any
    keep: Any
    fit_intercept: Any
    max_iter: Any
    max_updates: Any
    patience: Any
    class_weight: Any
    random_state: Any
    warm_start: Any
    verbose: Any
    eta0: Any  # where `_spec` says that there is such a parameter; so the others here:
    prove: Any
    multi_class: Any
    device: Any
    kernel: Any

    _rule: Any
    _state: AnyState
    _kept: Candidate[Any] | None
    _trained_by: Recipe | None
    _made_with: Units
    _of_classes: tuple[Any, ...] | None
    _recorder: Recorder | None = None  # follows training, where somebody wants a trace
    _checkpoint: Checkpoint | None = None  # where training is kept, so that it can go on
    _rule_number: float  # the margin μ, or what another rule has instead
    _n_rows: int  # that training was given
    classes_: NDArray[Any]
    n_iter_: int
    n_updates_: int
    converged_: bool
    training_errors_: int | None
    stop_reason_: StopReason
    certificate_: Certificate | None
    mistakes_: NDArray[np.int64]
    update_counts_: Any  # an array, of many classes sparse; None after a stream
    validation_mistakes_: NDArray[np.int64]  # only where there were validation rows


class PerceptronTraining(Training):
    """The perceptron's rule, with a margin."""

    @property
    def margin_(self) -> float:
        """The margin μ that training had: `margin`, or what "scale" came to."""
        if "_rule_number" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no margin_ before it is fitted")
        return self._rule_number


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # untyped bases
    """A scikit-learn classifier, with types: scikit-learn ships none."""

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]  # only where the columns had names

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows X whose predicted class is y, by weight where weights are given."""
        return float(super().score(X, y, sample_weight))


def decided(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of each row's class: sign(0) = +1; of many classes the first of the highest."""
    if scores.ndim == 1:
        return (scores >= 0).astype(np.intp)
    return np.asarray(np.argmax(scores, axis=1))


class LinearClassifier(Classifier):
    """Predicts with `_rule`, which fitting sets."""

    _rule: LinearRule | Voters | SeparateVoters

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of each row, w·x + b; the mean vote in [-1, 1] with keep="vote".

        Of k > 2 classes one for each, shape (n, k): w_c·x + b_c, or its share of the votes.
        """
        rows = self._rows(X)
        return self._checked(self._rule.scores(rows), rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: `classes_[1]` where the score is 0 or greater.

        Of k > 2 classes the one with the highest score; on a tie the first.
        """
        rows = self._rows(X)
        rule = self._rule
        signed = rule.signed(rows) if isinstance(rule, LinearRule) else rule.scores(rows)
        return self.classes_[decided(self._checked(signed, rows))]

    def _rows(self, X: Any) -> Rows:
        # A number that is not finite makes the score of its row not finite: look at those instead.
        # Votes are always finite.
        finite = isinstance(vars(self).get("_rule"), VOTING)
        return Rows(placed_rows_to_predict(self, X, finite=finite))

    def _checked(self, scores: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
        if not np.isfinite(scores).all():
            refuse_not_finite(self, rows.X, scores)
        return scores

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights w, of shape (1, d); of k > 2 classes (k, d)."""
        return self._one_rule("coef_").coef

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept b, of shape (1,); of k > 2 classes (k,)."""
        return self._one_rule("intercept_").intercept

    def _one_rule(self, name: str) -> LinearRule:
        if "_rule" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        if isinstance(self._rule, VOTING):
            raise AttributeError(
                f"keep='vote' has no {name}: {len(self._rule)} weight vectors vote, and no single "
                "one gives the same answers. keep='average' is close to the vote and has one."
            )
        return self._rule

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


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
        return rows_to_predict(self, X)

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
        """The training rows with a coefficient; an empty array with kernel="precomputed"."""
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
        if isinstance(learned, DualVoters):
            raise self._votes("intercept_")
        return read_only(self._made_with.eta0 * np.ravel(learned.b))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights w, of shape (1, d), or (k, d); with kernel="linear"."""
        rule = self._fitted("coef_")
        if not rule.kernel.linear:
            raise AttributeError(
                f"coef_ is there with kernel='linear' only; with {rule.kernel.kernel!r} the rule "
                "has no weights of features. dual_coef_ has those of the support vectors."
            )
        vectors = self.support_vectors_
        return read_only(np.asarray(self.dual_coef_ @ vectors.astype(np.float64)))

    def _fitted(self, name: str) -> KernelRule:
        if "_rule" not in vars(self):
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


class AsScikitLearn(LinearClassifier):
    """A linear classifier with what scikit-learn's Perceptron has besides: `t_`, `sparsify` and
    `densify`, with the meaning they have there."""

    _of_classes: tuple[Any, ...] | None
    _sparse: Any = None  # the rule whose weights are shown sparse

    @property
    def t_(self) -> int:
        """One more than the visits made; multi_class="ovr": those of the longest training."""
        if "_rule" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no t_ before it is fitted")
        trained: tuple[Any, ...] = self._of_classes or (self,)
        return 1 + max(int(one._state.visits) for one in trained)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights w, of shape (1, d); of k > 2 classes (k, d). Sparse after `sparsify`."""
        dense = self._one_rule("coef_").coef
        # Another rule was learned since: its weights are dense, as after every fit.
        return _sparse(dense) if self._sparse is self._rule else dense

    def sparsify(self) -> Self:
        """Show `coef_` as a sparse matrix until the next training; what is predicted stays."""
        check_is_fitted(self)
        self._one_rule("coef_")
        self._sparse = self._rule
        return self

    def densify(self) -> Self:
        """Show `coef_` as an array again."""
        check_is_fitted(self)
        self.__dict__.pop("_sparse", None)
        return self


def _sparse(dense: NDArray[np.float64]) -> Any:
    """Of the kind that scikit-learn is set to (from 1.9 on)."""
    arrays = get_config().get("sparse_interface") == "sparray"
    return sparse.csr_array(dense) if arrays else sparse.csr_matrix(dense)
