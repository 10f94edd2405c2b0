"""The perceptron: one estimator, three independent choices (order, margin, keep)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from rosenblatt._training.estimator import PerceptronTraining, TrainedLinearClassifier, need_fit
from rosenblatt._training.from_certificate import check_certificate, put_on
from rosenblatt._training.settings import Spec, perceptron_rule
from rosenblatt._training.training import seed_of

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate


@dataclass(kw_only=True, eq=False, repr=False)  # its fields are the parameters
class Perceptron(PerceptronTraining, TrainedLinearClassifier):
    """A linear rule learned from its mistakes.

    Row x_i with label y_i = ±1 is a mistake when y_i (w·x_i + b) <= 0. Training visits rows; at
    each mistake w += η c_i y_i x_i and b += η c_i y_i, until every row was looked at under the
    same weights and none was a mistake, or a limit is reached.

    With k > 2 classes each has weights w_c and a score s_c = w_c·x + b_c. Row i of class y has a
    rival r, the class with the highest score among the others; it is a mistake when
    s_y - s_r <= 0, and then w_y += η c_i x_i and w_r -= η c_i x_i, the intercepts alike.

    Parameters
    ----------
    order : {"shuffle", "fixed", "cyclic", "blocks", "mixed", "random", "batch"}, default="shuffle"
        How a mistake is found. "shuffle": in a fresh permutation of the rows every epoch.
        "fixed": in the permutation of the first epoch, every epoch. "cyclic": in the given order.
        "blocks": blocks of 65,536 rows and the rows within them are shuffled every epoch (for
        out-of-core data, on disk). "mixed": the same within shards of
        64 blocks; all shards start an epoch from the same weights, and their results are averaged
        in proportion to their mistakes (for several machines; a table of one shard is trained as
        with "blocks"). "random": uniformly among all mistakes. "batch": all mistakes at once
        (gradient descent on the perceptron loss).
    keep : {"auto", "best", "last", "pocket", "average", "vote"}, default="auto"
        What is returned. "best": after each epoch the last and the averaged weights are counted,
        and those with the fewest mistakes so far are kept (on a tie an average). "last": the
        last weights. "pocket": the fewest mistakes, counted after every update. "average": the
        mean of the weights over all visits. "vote": every weight vector votes. "auto": with
        margin="auto" the better of average and last weights, as said there; with tol=None "last";
        else "best".
    eta0 : float, default=1.0
        The learning rate η. From zero weights, scaling it (and `margin` with it) scales w and
        changes nothing else.
    margin : float, "scale", "wide" or "auto", default="auto"
        μ: a row makes an update when y_i (w·x_i + b) <= μ, of k > 2 classes s_y - s_r <= μ.
        "scale": η times the mean of ‖(x_i, 1)‖² over the rows by weight (‖x_i‖² through the
        origin), of k > 2 classes twice that. "wide": eight times that; averaged weights then make
        fewer errors on new rows if rows are few, or have many columns. "auto": with keep="auto" it
        begins with "scale" and falls to 0 in six steps, which makes fewer errors on unseen rows;
        the mean of the weights is that of the last three steps and of what follows. If at most one
        row in 8 is a mistake then, training continues without a margin until an epoch is clean or
        patience ends it. With any other `keep`, with `decay`, a number as `tol`, and the orders
        "random" and "batch", "auto" is 0.
    tie : {"mistake", "positive", "negative"}, default="mistake"
        What a score of 0 is: a mistake, whatever the label; "positive": right for `classes_[1]`;
        "negative": right for `classes_[0]`. Updates and `training_errors_` follow it; `predict`
        counts a score of 0 for `classes_[1]` always. Two classes only, or multi_class="ovr".
    decay : float, default=0.0
        The rate falls: update t + 1 has the rate η / (1 + decay·t); with order="batch" step t + 1.
    signs : mapping, array of shape (d,) or None, default=None
        Signs that weights must have, for `classes_[1]`: {"income": "+", "reports": "-"}, or -1, 0
        and 1 by column. After each step a weight of the other sign becomes 0: w is projected, and
        the bound on the updates holds with the margin of the best rule that obeys. Two classes; not
        with order="mixed".
    fit_intercept : bool, default=True
        False: the hyperplane goes through the origin, b = 0.
    max_iter : int, default=1000
        The largest number of epochs. An epoch is n visits, or one step with order="batch".
    max_updates : int or None, default=None
        The largest number of updates; None: no limit. A step of order="batch" is not cut in two.
        Must be None with order="mixed".
    patience : int or None, default=5
        Early stopping: training ends after this many epochs without noticeably fewer mistakes
        (fewer by one in 16). It first reads at least a million numbers, two million where at most
        one row in 64 is wrong; a visited row counts as its columns, at least 16 and at most 32.
        None: only `max_iter` and `max_updates` end it.
    prove : bool, default=False
        True: when patience ends, decide whether a hyperplane separates the rows. If none does, or
        it cannot be decided with as much work as training has taken, training ends; if one does,
        training continues. `certificate_` has the answer and its proof. This can take far longer
        than training.
    multi_class : {"joint", "ovr"}, default="joint"
        With k > 2 classes: "joint" trains the weights of all classes together, as above; "ovr"
        (one versus the rest) makes k trainings of two classes, each with the limits given here.
    class_weight : dict, "balanced" or None, default=None
        Factors of the steps of the classes. A weight scales the step; it is not repetition.
    random_state : int, RandomState instance or None, default=None
        Seeds order="shuffle", "blocks", "mixed" and "random".
    warm_start : bool, default=False
        Fitting again resumes: on the same data with the same parameters (but max_iter,
        max_updates, patience, tol, prove and random_state) exactly where training stopped,
        otherwise from the weights that were returned. Set it before the first fit: it then takes a
        hash of the data.
    verbose : int, default=0
        1: show a progress bar, or lines of text where there is no terminal.
    tol : float, None or "patience", default="patience"
        When training no longer gains. A number, as in scikit-learn: an epoch gains when the mean
        loss of its rows, max(0, margin - y_i (w·x_i + b)) as they were visited, is lower than that
        of every epoch before by at least `tol`; `patience` epochs in a row without a gain end
        training. None, as there: nothing but `max_iter` and `max_updates` ends training with
        mistakes, and `keep="auto"` is "last". "patience": mistakes are counted, as said there.
    shuffle : bool, default=True
        False is order="cyclic", as in scikit-learn.
    n_jobs : int or None, default=None
        Classes that are trained at once with multi_class="ovr"; nothing but the time depends on it.
    n_iter_no_change : int, default=5
        scikit-learn's name of `patience`.
    penalty : {"l2"} or None, default=None
        "l2": weights shrink in each visit by η·alpha of themselves, made up for after every 32
        visits. Averaged weights then come near those that minimise the mean of
        c_i max(0, margin - y_i (w·x_i + b)) plus alpha/2·‖w‖² (of k > 2 classes the margin is
        s_y - s_r, and all weights count). With it margin="auto" is "wide" and keep="auto"
        "average"; training ends by `patience` or `max_iter`, and the mistake bound and the sum of
        updates do not hold. Orders with epochs of one look at each row; not keep="vote".
    alpha : float, default=0.0001
        The strength of the penalty; without one it has no effect. In an epoch of n visits weights
        lose about η·alpha·n of themselves.
    early_stopping : bool, default=False
        Only for code written for scikit-learn: True is refused when training begins, with a
        message that says what to use instead.
    l1_ratio : float, default=0.15
    validation_fraction : float, default=0.1
        They have no effect.
    device : {"cpu", "cuda"} or None, default=None
        Where it computes: on the CPU, or on NVIDIA's GPU, with the same weights to the bit; None:
        as `rosenblatt.config_context` says, else where X is. Model files do not keep it.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), of k > 2 classes (k, d) and (k,)
        The returned weights; keep="vote" has none.
    classes_ : array of shape (k,)
        The labels. Of two, a score of 0 or greater means `classes_[1]`; of more, the highest score
        decides, on a tie the first.
    training_errors_ : int
        Training rows with y_i (w·x_i + b) <= 0, or s_y - s_r <= 0, under the returned rule.
        `1 - score(X, y)` may be lower, since `predict` counts a score of 0 for `classes_[1]`, and
        equal scores for the first of their classes. None with keep="vote" where every update made
        a voter and they are so many that counting their votes on all rows would take far longer
        than training, and where Ctrl-C cut the count short.
    margin_ : float
        The margin μ used in training: `margin`, or the value of "scale", where "auto" begins.
    converged_ : bool
        Every row was looked at under the same weights and none made an update; with margin="auto"
        also where the returned rule makes no mistake.
    stop_reason_ : StopReason
        Why training ended, in words.
    certificate_ : Certificate or None
        Whether a hyperplane separates the rows, with the proof; None without prove=True, and where
        training came to an end before it was asked.
    n_iter_, n_updates_ : int
        Epochs begun; updates made (rows).
    t_ : int
        One more than the visits made (a step of order="batch" is one visit).
    mistakes_ : array
        How many rows made an update, by epoch ("ovr": summed over the classes).
    update_counts_ : array of shape (n,), of k > 2 classes sparse of shape (n, k)
        Updates by row: the last weights are w₀ + η Σ c_i update_counts_i y_i x_i (not with decay,
        where each update has a rate of its own, nor with signs or a penalty). With k > 2
        classes positive for the row's class, negative for its rivals: the last weights of class j
        are w₀ + η Σ c_i update_counts_ij x_i. With order="mixed" and more than one shard these are
        the updates of the shards, and no such sum gives the weights, which were mixed. None after
        training on a stream (`rosenblatt.train`).
    validation_mistakes_ : array
        By epoch, the mistakes on X_val of the rule that would be returned then.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[3, 3], [4, 3], [1, 1]]), [1, 1, -1]
    >>> p = Perceptron(order="cyclic", keep="last").fit(X, y)
    >>> p.coef_, p.intercept_, p.n_updates_
    (array([[1., 1.]]), array([-3.]), 7)
    """

    _spec = Spec(
        perceptron_rule,
        ("margin", "decay", "signs", "penalty", "alpha"),
        alike=True,
        unit="eta0",
        tie=True,
        prove=True,
        multi_class=True,
        device=True,
        falling_margin=True,
        auto="best",
        scikit_learn=True,
        loss_tol=True,
        inert=("l1_ratio", "validation_fraction"),
    )
    _sparse = None  # the rule whose weights are shown sparse

    order: Literal["shuffle", "fixed", "cyclic", "blocks", "mixed", "random", "batch"] = "shuffle"
    keep: Literal["auto", "best", "last", "pocket", "average", "vote"] = "auto"
    eta0: float = 1.0
    margin: float | Literal["scale", "wide", "auto"] = "auto"
    tie: Literal["mistake", "positive", "negative"] = "mistake"
    decay: float = 0.0
    signs: Any = None
    fit_intercept: bool = True
    max_iter: int = 1000
    max_updates: int | None = None
    patience: int | None = 5
    prove: bool = False
    multi_class: Literal["joint", "ovr"] = "joint"
    class_weight: Any = None
    random_state: Any = None
    warm_start: bool = False
    verbose: int = 0
    tol: float | Literal["patience"] | None = "patience"
    shuffle: bool = True
    n_jobs: int | None = None
    penalty: Literal["l2"] | None = None
    early_stopping: bool = False
    alpha: float = 0.0001
    l1_ratio: float = 0.15
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    device: Literal["cpu", "cuda"] | None = None

    @classmethod
    def from_certificate(cls, certificate: Certificate, *, classes: Any = None) -> Self:
        """The separator of a certificate of complete separation, as a fitted estimator.

        It is the one of the largest geometric margin. If the certificate has none (through the
        origin, or a search cut short), it is the one of the best homogeneous margin that it has
        proved. ‖w‖ = 1, so that scores are distances (with more than two classes the weights of all
        classes together have length 1).
        Nothing is trained: `n_iter_` and `n_updates_` are 0.
        `training_errors_` is 0, as the certificate proves; None where rounding to floating-point
        numbers might turn a row, or where the proof is about decimal numbers.

        A certificate that was loaded from a file has labels as text: numbers, True and False are
        read as such. `classes` gives the labels, in the order of `certificate.classes`, where
        they should be others that read the same.
        """
        check_certificate(certificate)
        estimator = cls(fit_intercept=certificate.fit_intercept)
        put_on(estimator, certificate, classes, seed_of(estimator.random_state))
        return estimator

    @property
    def t_(self) -> int:
        """One more than the visits made; multi_class="ovr": those of the longest training."""
        need_fit(self, "t_")
        trained: tuple[Any, ...] = self._of_classes or (self,)
        return 1 + max(int(one._state.visits + one._state.visits_before) for one in trained)

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
