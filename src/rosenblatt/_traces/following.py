"""trace: train, and keep what happened at every update."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from rosenblatt._estimators.training import Training
from rosenblatt._traces.about import about
from rosenblatt._traces.run import Recorder
from rosenblatt._traces.trace import Trace
from rosenblatt.errors import InputError


def trace(
    estimator: Any,
    X: Any,
    y: Any,
    w_star: Any = None,
    *,
    sample_weight: Any = None,
    feature_names: Any = None,
    **start: Any,
) -> Trace:
    """Fit a clone of `estimator` and record every update.

    Parameters
    ----------
    estimator : Perceptron, KernelPerceptron, PassiveAggressive or AROW
        It is not changed; `trace.estimator` is the fitted clone.
    X, y, sample_weight
        As for `fit`.
    w_star : array, optional
        A separator to follow the convergence proof with: d weights, or d + 1 numbers with the
        intercept last (for a kernel that is not linear n coefficients of the rows, or n + 1), of
        more than two classes a row of them for each. If none is given, the certified one with the
        largest homogeneous margin is used. PassiveAggressive and AROW are compared with any
        weights, whose length matters: by default with that separator, just long enough for margins
        of 1, and where there is none with the mean of the weights on the way.
    feature_names : list of str, optional
        What to call the columns; those of a data frame by default.
    **start
        `coef_init`, `intercept_init`, `dual_coef_init`: where training begins.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from rosenblatt import Perceptron, trace
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> t = trace(Perceptron(order="cyclic", keep="last"), X, y)
    >>> print(t.step(2))
    step 2: row 2 (1, 1) is -1 but scores 7: w (3, 3) - (1, 1) = (2, 2), b 1 - 1 = 0
    >>> t.weights_at(7)
    Weights(w=array([1., 1.]), b=-3.0)
    """
    if not isinstance(estimator, Training):
        raise InputError(
            "trace follows Perceptron, KernelPerceptron, PassiveAggressive and AROW of rosenblatt, "
            f"not {type(estimator).__module__}.{type(estimator).__qualname__}."
        )
    fitted, recorder = clone(estimator), Recorder()
    fitted._recorder = recorder
    try:
        fitted.fit(X, y, sample_weight, **start)
    finally:
        del fitted._recorder
    names = None if feature_names is None else _names(feature_names, fitted.n_features_in_)
    return Trace(recorder.run(), about(fitted, names), w_star=w_star, estimator=fitted)


def _names(given_names: Any, d: int) -> list[str]:
    names = [str(name) for name in given_names]
    if len(names) != d:
        raise InputError(f"There are {len(names)} feature_names, but X has {d} features.")
    return names
