"""The dual perceptron: coefficients of the rows, and a kernel instead of the inner product."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rosenblatt._core.rows import Csr, Examples
from rosenblatt._training.dual import Dual, DualJob, DualState, JointDual, KernelExamples
from rosenblatt._training.estimator import KernelClassifier, PerceptronTraining, Training
from rosenblatt._training.fit import fit
from rosenblatt._training.keeps import KEEPS, KeepName
from rosenblatt._training.kernels import Gram, checked_kernel
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import ORDERS
from rosenblatt._training.settings import Recipe, Settings, Spec, learner_of, margin_rule, recipe_of
from rosenblatt._training.state import Job
from rosenblatt._training.stopping import Patience
from rosenblatt._training.training import Given, TrainingSet
from rosenblatt._validation import parameters, targets
from rosenblatt._validation.rows import checked_rows
from rosenblatt._validation.targets import checked_start
from rosenblatt.certificate import RowsOracle
from rosenblatt.errors import InputError


@final
class KernelPerceptron(PerceptronTraining, KernelClassifier):
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
    order : {"shuffle", "cyclic", "blocks", "random", "batch"}, default="shuffle"
        How a mistake is found, as in `Perceptron`.
    keep : str, default="best"
        What is returned: the values of `Perceptron`, but for "auto"; "pocket" costs little more
        than the others here.
    eta0 : float, default=1.0
        The learning rate η: it scales the scores and changes nothing else, from a zero start.
    margin : float or "scale", default=0.0
        μ: a row makes an update when y_i s(x_i) <= μ. "scale" as in `Perceptron`: ‖(x_i, 1)‖²
        is k(x_i, x_i) + 1 here, k(x_i, x_i) without an intercept.
    fit_intercept : bool, default=True
        False: b = 0.
    max_iter : int, default=1000
        The largest number of epochs.
    max_updates : int or None, default=None
        The largest number of updates; None: no limit.
    patience : int or None, default=5
        Early stopping, as in `Perceptron`: training ends after this many epochs without
        noticeably fewer mistakes. None: only `max_iter` and `max_updates` end it.
    prove : bool, default=False
        Ask first whether a hyperplane separates the rows, as `Perceptron` does; with
        kernel="linear" only.
    cache_size : float, default=1024
        Megabytes for rows of the Gram matrix; the least recently used leave first. The result does
        not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Factors of the steps of both classes.
    random_state : int, RandomState instance or None, default=None
        Seeds order="shuffle", "blocks" and "random".
    warm_start : bool, default=False
        Fitting again on the same data with the same parameters (but max_iter, max_updates,
        patience, prove, cache_size and random_state) resumes exactly where training stopped.
    verbose : int, default=0
        1: show a progress bar, or lines of text where there is no terminal.

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

    _spec = Spec(margin_rule, ("margin",), kernel=True, eta0=True, prove=True)
    _state: DualState | None  # type: ignore[assignment] # None: loaded from a file

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: float = 3,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 1.0,
        order: Literal["shuffle", "cyclic", "blocks", "random", "batch"] = "shuffle",
        keep: KeepName = "best",
        eta0: float = 1.0,
        margin: float | Literal["scale"] = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        max_updates: int | None = None,
        patience: int | None = 5,
        prove: bool = False,
        cache_size: float = 1024,
        class_weight: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.order = order
        self.keep = keep
        self.eta0 = eta0
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.patience = patience
        self.prove = prove
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

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
        labelled, classes = targets.examples(rows, self.y, self.sample_weight, by_class)
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
        examples = KernelExamples(self.gram, e.y, e.c, e.k)
        learner = learner_of(settings, Dual if e.k is None else JointDual, examples)
        order, keep = ORDERS[settings.order](examples), KEEPS[settings.units.keep]()
        return Job(learner, order, keep, examples, False, watch)

    def recipe(self, settings: Settings) -> Recipe:
        kernel, X = self.gram.kernel, self.gram.X
        numbers = X.data if isinstance(X, Csr) else X  # the values of a kernel have their type
        same = (kernel.kernel, kernel.degree, kernel.gamma, kernel.coef0, numbers.dtype)
        return recipe_of(settings, self.labelled, self.classes, same)

    def patience(self, settings: Settings) -> Patience:
        oracle, e = None, self.labelled
        if settings.prove:
            intercept = settings.units.fit_intercept
            oracle = RowsOracle(
                self.gram.X, e.y, e.present, self.names, self.y, self.classes, intercept
            )
        return Patience(settings.patience, oracle, in_dual_form=True)

    def returned(self, estimator: Training) -> NDArray[np.float64]:
        why = (
            "the data or the parameters are not those of the fit before: a kernel rule is made of "
            "its training rows and cannot go on from others. Set warm_start=False to begin anew"
        )
        if estimator._state is None:
            why = (
                "this estimator was loaded from a file, which keeps a kernel rule and not the "
                "state of its training. Set warm_start=False to begin anew, or give dual_coef_init"
            )
        raise InputError(f"warm_start=True, but {why}.", option="warm_start", value=True)

    def while_training(self) -> AbstractContextManager[object]:
        # A row of the Gram matrix at a time is too little for threads to share, where a kernel
        # function has them.
        limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
        return limits
