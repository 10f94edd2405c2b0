"""AROW: a linear rule that is learned in one pass, with a precision for every weight."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt._estimators.online import OnlineClassifier
from rosenblatt._learning.rule import Rule, arow_rule
from rosenblatt._rules.linear import read_only


class AROW(OnlineClassifier):
    """A linear rule that is surer of some weights than of others: best after one pass.

    Each weight has a precision p_j, 1 at first. A row whose margin m = y (w·x + b) is below 1 makes
    an update: with v = Σ x_j²/p_j and α = (1 - m) / (v + r), w_j += α y x_j / p_j and then
    p_j += x_j²/r, the intercept as a feature that is always 1. So features that were often seen
    move less, and rare ones more (Crammer, Kulesza and Dredze 2009, with a diagonal matrix).
    With k > 2 classes the row's class y and its rival c have m = s_y - s_c, v is the sum over both,
    and both change, as in `Perceptron`.

    There is no learning rate, and the perceptron's mistake bound does not hold; docs/rules.md says
    what does.

    Parameters
    ----------
    r : float or "scale", default="scale"
        The larger, the smaller the steps. "scale": 0.3 times the mean of ‖(x_i, 1)‖² over the rows
        by weight (‖x_i‖² through the origin), of k > 2 classes twice that.
    order : {"shuffle", "cyclic", "blocks", "random"}, default="shuffle"
        How a row is found, as in `Perceptron`; there is no step for all rows at once.
    keep : {"last", "average", "best", "pocket", "vote"}, default="last"
        What is returned, as in `Perceptron`.
    fit_intercept : bool, default=True
        False: the hyperplane goes through the origin, b = 0.
    max_iter : int, default=10
        The largest number of epochs.
    max_updates : int or None, default=None
        The largest number of updates; None: no limit.
    patience : int or None, default=5
        Early stopping, as in `Perceptron`: training ends after this many epochs without
        noticeably fewer mistakes. None: only `max_iter` and `max_updates` end it.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes. A weight divides r.
    random_state : int, RandomState instance or None, default=None
        Seeds order="shuffle", "blocks" and "random".
    warm_start : bool, default=False
        Fitting again goes on: on the same data with the same parameters exactly where training
        stopped, otherwise from the weights that were returned,
        with precisions of 1.
    verbose : int, default=0
        1: show a progress bar, or lines of text where there is no terminal.

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

    def __init__(
        self,
        *,
        r: float | Literal["scale"] = "scale",
        order: Literal["shuffle", "cyclic", "blocks", "random"] = "shuffle",
        keep: Literal["best", "last", "pocket", "average", "vote"] = "last",
        fit_intercept: bool = True,
        max_iter: int = 10,
        max_updates: int | None = None,
        patience: int | None = 5,
        class_weight: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.r = r
        self.order = order
        self.keep = keep
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.patience = patience
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def _step_rule(self) -> Rule:
        return arow_rule(self.r)

    @property
    def r_(self) -> float:
        """The r used in training: `r`, or the value of "scale"."""
        return self._trained("r_")._rule_number

    @property
    def precision_(self) -> NDArray[np.float64]:
        """The precisions of the last weights, that of the intercept last."""
        found = self._trained("precision_")._state.memory.precision
        assert found is not None
        return read_only(np.atleast_2d(found).copy())

    def _trained(self, name: str) -> Self:
        if "_state" not in vars(self):
            raise AttributeError(f"AROW has no {name} before it is fitted")
        return self
