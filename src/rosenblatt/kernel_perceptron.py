"""The dual perceptron: coefficients of the rows, and a kernel instead of the inner product."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core.rows import Csr, Examples
from rosenblatt._training.dual import Dual, DualJob, JointDual, KernelExamples
from rosenblatt._training.estimator import Classifier, PerceptronTraining, Training, need_fit
from rosenblatt._training.fit import fit
from rosenblatt._training.keeps import KEEPS, KeepName
from rosenblatt._training.kernel_rule import DualVoters, KernelRule
from rosenblatt._training.kernels import Gram, checked_kernel
from rosenblatt._training.linear_rule import decided, read_only
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import ORDERS
from rosenblatt._training.settings import (
    Recipe,
    Settings,
    Spec,
    learner_of,
    margin_rule,
    recipe_of,
    refuse_tie,
)
from rosenblatt._training.state import Job
from rosenblatt._training.stopping import Patience
from rosenblatt._training.training import Given, TrainingSet, oracle_about
from rosenblatt._util.one_thread import one_thread
from rosenblatt._validation import parameters, targets
from rosenblatt._validation.rows import checked_rows, rows_to_predict
from rosenblatt._validation.targets import checked_start
from rosenblatt.errors import InputError


@final
@dataclass(kw_only=True, eq=False, repr=False)  # its fields are the parameters
class KernelPerceptron(PerceptronTraining, Classifier):
    """The perceptron in its dual form: it learns s(x) = Σ α_i y_i k(x_i, x) + b.

    α_i counts how often row i was a mistake. Scores of all training rows are at hand, so that a
    visit costs one look and an update one row of the Gram matrix; such rows are computed when they
    are first needed, several together.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        k(x, z): exp(-gamma ‖x - z‖²); x·z; (gamma x·z + coef0)^degree; tanh(gamma x·z + coef0);
        X is the matrix of all k(x_i, x_j); or a function of two tables that returns the matrix of
        all pairs.
    degree : float, default=3
        Of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        "scale" is 1 / (d · variance of X), "auto" is 1 / d.
    coef0 : float, default=1.0
        Of the poly and sigmoid kernels.
    order : {"shuffle", "fixed", "cyclic", "blocks", "random", "batch"}, default="shuffle"
        How a mistake is found, as in `Perceptron`.
    keep : str, default="best"
        What is returned: the values of `Perceptron`, but for "auto"; "pocket" costs little more
        than the others here.
    eta0 : float, default=1.0
        The learning rate η: it scales the scores and changes nothing else, from a zero start.
    margin : float or "scale", default=0.0
        μ: a row makes an update when y_i s(x_i) <= μ. "scale" as in `Perceptron`: ‖(x_i, 1)‖²
        is k(x_i, x_i) + 1 here, k(x_i, x_i) without an intercept.
    prove : bool, default=False
        Ask first whether a hyperplane separates the rows, as `Perceptron` does; with
        kernel="linear" only.
    cache_size : float, default=1024
        Megabytes for rows of the Gram matrix; the least recently used leave first. The result does
        not depend on it.
    warm_start : bool, default=False
        Fitting again on the same data with the same parameters (but max_iter, max_updates,
        patience, prove, cache_size and random_state) resumes exactly where training stopped.
    tie, fit_intercept, max_iter, max_updates, patience, class_weight, random_state, verbose
        As in `Perceptron`.

    Attributes
    ----------
    alpha_ : array of shape (n,)
        η c_i update_counts_i: the α of the last function, without a given start.
    dual_coef_ : array of shape (1, n_support)
        Coefficients η β_i of the support vectors in the returned rule; keep="vote" has none.
    support_, support_vectors_ : arrays
        The training rows with a coefficient, by number and as rows.
    intercept_ : array of shape (1,)
        b of the returned rule; keep="vote" has none.
    coef_ : array of shape (1, d)
        The weights w, with kernel="linear" only.
    classes_ : array of shape (2,)
        The two labels; a score of 0 or greater means `classes_[1]`.
    training_errors_, converged_, stop_reason_, certificate_, n_iter_, n_updates_, mistakes_,
    update_counts_
        As in `Perceptron`.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [-1, 1, 1, -1]
    >>> xor = KernelPerceptron(kernel="rbf", gamma=1.0, order="cyclic").fit(X, y)
    >>> xor.predict(X).tolist(), xor.converged_
    ([-1, 1, 1, -1], True)
    """

    _spec = Spec(
        margin_rule, ("margin",), alike=True, kernel=True, unit="eta0", tie=True, prove=True
    )
    kernel: str | Callable[[Any, Any], Any] = "rbf"
    degree: float = 3
    gamma: Literal["scale", "auto"] | float = "scale"
    coef0: float = 1.0
    order: Literal["shuffle", "fixed", "cyclic", "blocks", "random", "batch"] = "shuffle"
    keep: KeepName = "best"
    eta0: float = 1.0
    margin: float | Literal["scale"] = 0.0
    tie: Literal["mistake", "positive", "negative"] = "mistake"
    fit_intercept: bool = True
    max_iter: int = 1000
    max_updates: int | None = None
    patience: int | None = 5
    prove: bool = False
    cache_size: float = 1024
    class_weight: Any = None
    random_state: Any = None
    warm_start: bool = False
    verbose: int = 0

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        dual_coef_init: Any = None,
        intercept_init: Any = None,
    ) -> Self:
        """Train on rows X with labels y.

        `dual_coef_init`, of shape (n,), are coefficients η β_i of the rows to start from (signed,
        as `dual_coef_` is). Ctrl-C leaves the estimator fitted with the best so far, then raises
        KeyboardInterrupt.
        """
        fit(self, Points(X, y, sample_weight, (dual_coef_init, intercept_init)))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of each row; the mean vote in [-1, 1] with keep="vote".

        Of k > 2 classes one for each, shape (n, k): its score, or its share of the votes.
        """
        rows = rows_to_predict(self, X)  # first of all: this says where nothing was fitted
        rule: KernelRule = self._rule
        return rule.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: `classes_[1]` where the score is 0 or greater.

        Of k > 2 classes the one with the highest score; on a tie the first.
        """
        rows = rows_to_predict(self, X)
        return self.classes_[decided(self._rule.signed(rows))]

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
        need_fit(self, name)
        rule: KernelRule = self._rule
        return rule

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


@dataclass(frozen=True)
class Points(Given):
    """Rows for a kernel, with the coefficients and intercepts to start from."""

    X: Any
    y: Any
    sample_weight: Any
    start: tuple[Any, Any] = (None, None)

    def checked(self, estimator: Training, settings: Settings) -> GramSet:
        assert isinstance(estimator, KernelPerceptron)
        most_bytes = 2**20 * parameters.positive("cache_size", estimator.cache_size)
        rows = checked_rows(estimator, self.X, reset=True)
        by_class = estimator.class_weight
        tie = settings.units.score_of_tie
        labelled, classes = targets.examples(rows, self.y, self.sample_weight, by_class, tie=tie)
        refuse_tie(settings, labelled.k)
        kernel = checked_kernel(estimator, rows)
        start = None
        if any(part is not None for part in self.start):
            start = checked_start(
                *self.start,
                rows.shape[0],
                settings.units.fit_intercept,
                name="dual_coef_init",
                what="rows",
                k=labelled.k,
            )
        if settings.prove and not kernel.linear:
            raise InputError(
                f"prove=True with kernel={kernel.kernel!r}: a proof is made of the features of the "
                "rows, with kernel='linear'. Leave prove=False.",
                option="prove",
                value=True,
            )
        gram = Gram(kernel, rows, most_bytes)
        names = vars(estimator).get("feature_names_in_")
        return GramSet(classes, start, labelled, gram, self.y, names)


@dataclass(frozen=True)
class GramSet(TrainingSet):
    """Labelled rows that are seen through a kernel; the start has a coefficient for each."""

    classes: NDArray[Any]
    start: NDArray[np.float64] | None
    labelled: Examples
    gram: Gram
    y: Any  # the labels and the names of the columns as they were given
    names: NDArray[Any] | None

    @property
    def n(self) -> int:
        return self.labelled.n

    @property
    def d(self) -> int:
        return len(self.labelled.y)

    @property
    def attributes(self) -> dict[str, Any]:
        return {"_weights": self.labelled.c}

    def job(self, settings: Settings, watch: Watch) -> DualJob:
        e = self.labelled
        examples = KernelExamples(self.gram, e.y, e.c, e.k, e.tie)
        learner = learner_of(settings, Dual if e.k is None else JointDual, examples)
        order, keep = ORDERS[settings.order](learner), KEEPS[settings.units.keep]()
        return Job(learner, order, keep, examples, False, watch)

    def recipe(self, settings: Settings) -> Recipe:
        kernel, X = self.gram.kernel, self.gram.X
        numbers = X.data if isinstance(X, Csr) else X  # the values of a kernel have their type
        same = (kernel.kernel, kernel.degree, kernel.gamma, kernel.coef0, numbers.dtype)
        return recipe_of(settings, self.labelled, self.classes, same)

    def patience(self, settings: Settings) -> Patience:
        oracle = oracle_about(self.labelled, self, settings)
        return Patience(settings.patience, oracle, in_dual_form=True)

    def returned(self, estimator: Training) -> NDArray[np.float64]:
        why = (
            "the data or the parameters are not those of the fit before: a kernel rule is made of "
            "its training rows and cannot go on from others. Set warm_start=False to start again"
        )
        if estimator._state is None:
            why = (
                "this estimator was loaded from a file, which keeps a kernel rule and not the "
                "state of its training. Set warm_start=False to start again, or give dual_coef_init"
            )
        raise InputError(f"warm_start=True, but {why}.", option="warm_start", value=True)

    def while_training(self) -> AbstractContextManager[object]:
        # A row of the Gram matrix at a time is too little for threads to share, where a kernel
        # function has them.
        return one_thread()
