"""The passive-aggressive rules: steps just long enough, held back by C."""

from __future__ import annotations

from typing import Any, Literal

from rosenblatt._estimators.online import OnlineClassifier
from rosenblatt._learning.rule import Rule, passive_aggressive_rule


class PassiveAggressive(OnlineClassifier):
    """A linear rule whose steps are just long enough for a margin of 1, held back by C.

    A row whose margin m = y (w·x + b) is below 1 makes an update w += τ y x, b += τ y. With
    q = ‖(x, 1)‖² (‖x‖² through the origin), variant "I" has τ = min(C, (1 - m) / q) and "II" has
    τ = (1 - m) / (q + 1 / (2C)) (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006). With
    k > 2 classes the row's class y and its rival r have m = s_y - s_r and q is twice that; w_y
    comes nearer and w_r goes away, as in `Perceptron`.

    There is no learning rate, and the perceptron's mistake bound does not hold; docs/rules.md says
    what does.

    Parameters
    ----------
    C : float, default=1.0
        The larger, the longer the steps.
    variant : {"II", "I"}, default="II"
        "I": no step is longer than C. "II": the square of the loss that is left counts C times.
    order : {"shuffle", "cyclic", "blocks", "random"}, default="shuffle"
        How a row is found, as in `Perceptron`; there is no step for all rows at once.
    keep : {"average", "last", "best", "pocket", "vote"}, default="average"
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
        Weights of the classes. A weight multiplies C.
    random_state : int, RandomState instance or None, default=None
        Seeds order="shuffle", "blocks" and "random".
    warm_start : bool, default=False
        Fitting again goes on: on the same data with the same parameters exactly where training
        stopped, otherwise from the weights that were returned.
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

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import PassiveAggressive
    >>> X, y = np.array([[3, 3], [4, 3], [1, 1]]), [1, 1, -1]
    >>> p = PassiveAggressive(order="cyclic", keep="last", max_iter=1).fit(X, y)
    >>> p.coef_.round(3), p.n_updates_
    (array([[-0.234, -0.234]]), 2)
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: Literal["I", "II"] = "II",
        order: Literal["shuffle", "cyclic", "blocks", "random"] = "shuffle",
        keep: Literal["best", "last", "pocket", "average", "vote"] = "average",
        fit_intercept: bool = True,
        max_iter: int = 10,
        max_updates: int | None = None,
        patience: int | None = 5,
        class_weight: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ):
        self.C = C
        self.variant = variant
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
        return passive_aggressive_rule(self.C, self.variant)
