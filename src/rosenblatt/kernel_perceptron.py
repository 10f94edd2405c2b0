"""The dual perceptron: coefficients of the rows, and a kernel instead of the inner product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, final

from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rosenblatt._core.rows import Csr, Examples, Matrix
from rosenblatt._training import fit
from rosenblatt._training.dual import Dual, DualJob, DualState, JointDual, KernelExamples
from rosenblatt._training.estimator import KernelClassifier, PerceptronTraining
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.kernel_rule import KernelRule
from rosenblatt._training.kernels import Gram, Kernel, checked_kernel
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import ORDERS
from rosenblatt._training.settings import Recipe, Settings, machine_of, recipe_of
from rosenblatt._training.state import Job, State
from rosenblatt._training.stopping import Patience
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
    keep : {"best", "last", "pocket", "average", "vote"}, default="best"
        What is returned, as in `Perceptron`; "pocket" costs little more than the others here.
    eta0 : float, default=1.0
        The learning rate η: it scales the scores and changes nothing else, from a zero start.
    margin : float or "scale", default=0.0
        μ: a row calls for an update when y_i s(x_i) <= μ. "scale" as in `Perceptron`: ‖(x_i, 1)‖²
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
        patience, prove, cache_size and random_state) goes on exactly where training stopped.
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

    _state: DualState | None  # type: ignore[assignment] # None: loaded from a file

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: float = 3,
        gamma: Literal["scale", "auto"] | float = "scale",
        coef0: float = 1.0,
        order: Literal["shuffle", "cyclic", "blocks", "random", "batch"] = "shuffle",
        keep: Literal["best", "last", "pocket", "average", "vote"] = "best",
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
        given = dual_coef_init is not None or intercept_init is not None

        def prepare(settings: Settings, watch: Watch) -> fit.Task:
            units = settings.units
            most_bytes = 2**20 * parameters.positive("cache_size", self.cache_size)
            rows = checked_rows(self, X, reset=True)
            labelled, classes = targets.examples(rows, y, sample_weight, self.class_weight)
            self._refuse_many(settings, classes)
            kernel = checked_kernel(self, rows)
            begin = checked_start(
                dual_coef_init,
                intercept_init,
                rows.shape[0],
                units.fit_intercept,
                name="dual_coef_init",
                what="rows",
                k=labelled.k,
            )
            gram = Gram(kernel, rows, most_bytes)
            examples = KernelExamples(gram, labelled.y, labelled.c, labelled.k)
            machine = machine_of(settings, Dual if labelled.k is None else JointDual, examples)
            keep, order = KEEPS[units.keep](), ORDERS[settings.order](examples)

            def start() -> DualState:
                memory = machine.start(begin / units.eta0, averaged=keep.averaged)
                return State(memory, self._seed())

            def resume(recipe: Recipe) -> DualState | None:
                return None if given else self._continued(settings, recipe, examples.n)

            return fit.Task(
                Job(machine, order, keep, examples, False, watch),
                classes,
                self._patience(settings, kernel, rows, labelled, y, classes),
                start,
                lambda: recipe_of(settings, labelled, classes, _same(kernel, rows)),
                resume,
                more={"_weights": labelled.c},
                # A row of the Gram matrix at a time is too little for threads to share, where a
                # kernel function has them.
                while_it_runs=lambda: threadpool_limits(limits=1, user_api="blas"),
            )

        fit.fit(self, prepare, X, y, sample_weight)
        return self

    def _patience(
        self,
        settings: Settings,
        kernel: Kernel,
        X: Matrix,
        labelled: Examples,
        y: Any,
        classes: NDArray[Any],
    ) -> Patience:
        if not settings.prove:
            return Patience(settings.patience, None, in_dual_form=True)
        if kernel.kernel != "linear":
            raise InputError(
                f"prove=True with kernel={kernel.kernel!r}: a proof is made of the features of the "
                "rows, with kernel='linear'. Leave prove=False."
            )
        names = getattr(self, "feature_names_in_", None)
        intercept = settings.units.fit_intercept
        oracle = RowsOracle(X, labelled.y, labelled.present, names, y, classes, intercept)
        return Patience(settings.patience, oracle, in_dual_form=True)

    def _continued(self, settings: Settings, recipe: Recipe, n: int) -> DualState | None:
        if not hasattr(self, "_state"):
            return None
        if self._state is None:
            raise InputError(
                "warm_start=True, but this estimator was loaded from a file, which keeps a kernel "
                "rule and not the state of its training. Set warm_start=False to begin anew, or "
                "give dual_coef_init."
            )
        state = fit.resumed(self, settings, recipe, n)
        if state is None:
            raise InputError(
                "warm_start=True, but the data or the parameters are not those of the fit before: "
                "a kernel rule is made of its training rows and cannot go on from others. Set "
                "warm_start=False to begin anew."
            )
        return state

    def _rule_of(self, learned: Any, settings: Settings, job: DualJob) -> KernelRule:
        assert isinstance(job.machine, Dual)
        gram = job.machine.examples.gram
        return KernelRule.of(learned, gram.kernel, gram.X, settings.units.eta0)


def _same(kernel: Kernel, X: Matrix) -> tuple[Any, ...]:
    """What must be equal besides; the values of a kernel have the type of the rows."""
    numbers = X.data if isinstance(X, Csr) else X
    return kernel.kernel, kernel.degree, kernel.gamma, kernel.coef0, numbers.dtype
