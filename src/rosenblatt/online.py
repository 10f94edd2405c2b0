"""Rules that step by other lengths than the perceptron: PassiveAggressive, AROW, Relaxation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rosenblatt._training.estimator import TrainedLinearClassifier, need_fit
from rosenblatt._training.keeps import KeepName
from rosenblatt._training.linear_rule import read_only
from rosenblatt._training.settings import (
    Spec,
    arow_rule,
    passive_aggressive_rule,
    relaxation_rule,
)


@dataclass(kw_only=True, eq=False, repr=False)  # its fields are the parameters
class _StepsOfItsOwn(TrainedLinearClassifier):
    order: Literal["shuffle", "fixed", "cyclic", "blocks", "random"] = "shuffle"
    keep: KeepName | Literal["auto"] = "average"
    fit_intercept: bool = True
    max_iter: int = 10
    max_updates: int | None = None
    patience: int | None = 5
    class_weight: Any = None
    random_state: Any = None
    warm_start: bool = False
    verbose: int = 0


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressive(_StepsOfItsOwn):
    """A linear rule whose steps are just long enough for a margin of 1, held back by C.

    A row whose margin m = y (w·x + b) is below 1 makes an update w += τ y x, b += τ y. With
    q = ‖(x, 1)‖² (‖x‖² through the origin), loss="hinge" has τ = min(C, (1 - m) / q) and
    "squared_hinge" τ = (1 - m) / (q + 1 / (2C)) (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer
    2006). With k > 2 classes the row's class y and its rival r have m = s_y - s_r and q is twice
    that; w_y comes nearer and w_r goes away, as in `Perceptron`.

    There is no learning rate, and the perceptron's mistake bound does not hold; docs/theory.md says
    what does.

    Parameters
    ----------
    C : float, default=1.0
        The larger, the longer the steps.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        "hinge" (PA-I): no step is longer than C. "squared_hinge" (PA-II): the square of the loss
        that is left counts C times.
    order : {"shuffle", "fixed", "cyclic", "blocks", "random"}, default="shuffle"
        How a row is found, as in `Perceptron`; there is no step for all rows at once.
    keep : str, default="average"
        What is returned: the values of `Perceptron`, but for "auto".
    max_iter : int, default=10
        The largest number of epochs.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. A weight c is what an error costs: the margin asked for is √c
        instead of 1, and C is multiplied by it.
    warm_start : bool, default=False
        Fitting again resumes: on the same data with the same parameters exactly where training
        stopped, otherwise from the weights that were returned.
    average : bool or None, default=None
        scikit-learn's name for keep="average" (True) and keep="last" (False).
    tol : None or "patience"
        None: `max_iter` epochs. A number, which is about the loss, is refused.
    n_jobs : int or None, default=None
        No effect: classes are learned jointly.
    shuffle, n_iter_no_change, early_stopping, validation_fraction
        As in `Perceptron`.
    fit_intercept, max_updates, patience, random_state, verbose
        As in `Perceptron`.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), of k > 2 classes (k, d) and (k,)
        The returned weights; keep="vote" has none.
    classes_, training_errors_, stop_reason_, n_iter_, n_updates_, validation_mistakes_
        As those of `Perceptron`.
    converged_ : bool
        Every row was looked at under the same weights, and none had a margin below 1.
    mistakes_, update_counts_ : arrays
        How many rows made an update, by epoch; updates by row. Steps have different lengths, so
        the weights do not follow from the counts.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import PassiveAggressive
    >>> X, y = np.array([[3, 3], [4, 3], [1, 1]]), [1, 1, -1]
    >>> p = PassiveAggressive(order="cyclic", keep="last", max_iter=1).fit(X, y)
    >>> p.coef_.round(3), p.n_updates_
    (array([[-0.234, -0.234]]), 2)
    """

    _spec = Spec(
        passive_aggressive_rule,
        ("C", "loss"),
        auto="average",
        scikit_learn=True,
        average=True,
        inert=("validation_fraction",),
    )

    C: float = 1.0
    loss: Literal["hinge", "squared_hinge"] = "squared_hinge"
    keep: KeepName | Literal["auto"] = "auto"
    average: bool | None = None
    tol: Literal["patience"] | None = "patience"
    shuffle: bool = True
    n_jobs: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5


@dataclass(kw_only=True, eq=False, repr=False)
class AROW(_StepsOfItsOwn):
    """A linear rule that is surer of some weights than of others: best after one pass.

    Each weight has a precision p_j, 1 at first. A row whose margin m = y (w·x + b) is below 1 makes
    an update: with v = Σ x_j²/p_j and α = (1 - m) / (v + r), w_j += α y x_j / p_j and then
    p_j += x_j²/r, the intercept as a feature that is always 1. So features that were often seen
    move less, and rare ones more (Crammer, Kulesza and Dredze 2009, with a diagonal matrix).
    With k > 2 classes the row's class y and its rival c have m = s_y - s_c, v is the sum over both,
    and both change, as in `Perceptron`.

    There is no learning rate, and the perceptron's mistake bound does not hold; docs/theory.md says
    what does.

    Parameters
    ----------
    r : float or "scale", default="scale"
        The larger, the smaller the steps. "scale": 0.3 times the mean of ‖(x_i, 1)‖² over the rows
        by weight (‖x_i‖² through the origin), of k > 2 classes twice that.
    forget : float, default=0.001
        `partial_fit` of n rows begins with p_j = 1 + (p_j - 1) (1 - forget)^n: what was learned
        long ago makes it less sure, so that it follows a rule that changes. `fit` forgets nothing.
    order : {"shuffle", "fixed", "cyclic", "blocks", "random"}, default="shuffle"
        How a row is found, as in `Perceptron`; there is no step for all rows at once.
    keep : str, default="last"
        What is returned: the values of `Perceptron`, but for "auto".
    max_iter : int, default=10
        The largest number of epochs.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. A weight divides r.
    warm_start : bool, default=False
        Fitting again resumes: on the same data with the same parameters exactly where training
        stopped, otherwise from the weights that were returned, with precisions of 1.
    fit_intercept, max_updates, patience, random_state, verbose
        As in `Perceptron`.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), of k > 2 classes (k, d) and (k,)
        The returned weights; keep="vote" has none.
    classes_, training_errors_, stop_reason_, n_iter_, n_updates_, validation_mistakes_
        As those of `Perceptron`.
    converged_ : bool
        Every row was looked at under the same weights, and none had a margin below 1.
    mistakes_, update_counts_ : arrays
        How many rows made an update, by epoch; updates by row. Steps have different lengths, so
        the weights do not follow from the counts.
    r_ : float
        The r used in training: `r`, or the value of "scale".
    precision_ : array of shape (1, d + 1), of k > 2 classes (k, d + 1)
        The precisions of the last weights, that of the intercept last.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import AROW
    >>> X, y = np.array([[3, 3], [4, 3], [1, 1]]), [1, 1, -1]
    >>> p = AROW(r=1.0, order="cyclic", max_iter=1).fit(X, y)
    >>> p.coef_.round(3), p.n_updates_
    (array([[0.071, 0.071]]), 2)
    """

    _spec = Spec(arow_rule, ("r", "forget"))

    r: float | Literal["scale"] = "scale"
    forget: float = 0.001
    keep: KeepName = "last"

    @property
    def r_(self) -> float:
        """The r used in training: `r`, or the value of "scale"."""
        need_fit(self, "r_")
        return self._rule_number

    @property
    def precision_(self) -> NDArray[np.float64]:
        """The precisions of the last weights, that of the intercept last."""
        need_fit(self, "precision_")
        return read_only(np.atleast_2d(self._state.memory.current_precision).copy())


@dataclass(kw_only=True, eq=False, repr=False)
class Relaxation(_StepsOfItsOwn):
    """A linear rule that moves a share of the way to the margin μ of each row: relaxation.

    A row whose margin m = y (w·x + b) is at most μ makes an update w += τ y x, b += τ y with
    τ = λ (μ - m) / ‖(x, 1)‖² (‖x‖² through the origin): λ = 1 ends on the hyperplane m = μ, more
    beyond it, less before it (Agmon 1954; Motzkin and Schoenberg 1954; Duda and Hart 1973, 5.6).
    With k > 2 classes the row's class y and its rival r have m = s_y - s_r, the square is twice
    that; w_y comes nearer and w_r goes away, as in `Perceptron`.

    The weights come nearer to every separator of margin μ at each update. With λ <= 1 they may
    never reach one; with λ > 1 training on separable rows ends.

    Parameters
    ----------
    factor : float, default=1.5
        λ, between 0 and 2.
    margin : float, default=1.0
        μ > 0. From zero weights, scaling it scales w and changes nothing else.
    order : {"shuffle", "fixed", "cyclic", "blocks", "random"}, default="shuffle"
        How a row is found, as in `Perceptron`; there is no step for all rows at once.
    keep : str, default="best"
        What is returned: the values of `Perceptron`, but for "auto".
    max_iter : int, default=1000
        The largest number of epochs.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. A weight multiplies τ.
    warm_start : bool, default=False
        Fitting again resumes: on the same data with the same parameters exactly where training
        stopped, otherwise from the weights that were returned.
    fit_intercept, max_updates, patience, random_state, verbose
        As in `Perceptron`.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), of k > 2 classes (k, d) and (k,)
        The returned weights; keep="vote" has none.
    classes_, training_errors_, stop_reason_, n_iter_, n_updates_, validation_mistakes_
        As those of `Perceptron`.
    converged_ : bool
        Every row was looked at under the same weights, and all had margins above μ.
    mistakes_, update_counts_ : arrays
        How many rows made an update, by epoch; updates by row. Steps have different lengths, so
        the weights do not follow from the counts.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Relaxation
    >>> X, y = np.array([[3, 3], [4, 3], [1, 1]]), [1, 1, -1]
    >>> p = Relaxation(order="cyclic", keep="last").fit(X, y)
    >>> p.n_updates_, p.converged_
    (18, True)
    """

    _spec = Spec(relaxation_rule, ("factor",), unit="margin")

    factor: float = 1.5
    margin: float = 1.0
    keep: KeepName = "best"
    max_iter: int = 1000
