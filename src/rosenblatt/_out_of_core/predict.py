"""Labels for rows that are on disk, or on the machines of an engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._out_of_core import work
from rosenblatt._out_of_core.placement import partitioned
from rosenblatt._training.estimator import TrainedLinearClassifier
from rosenblatt.errors import InputError, InputTypeError


def predict_stored(
    estimator: Any, source: Any, *, engine: Any = None, cache: Any = None
) -> NDArray[Any]:
    """Predict the labels of rows that are not in memory, where they are.

    Parameters
    ----------
    estimator : Perceptron, AROW or PassiveAggressive
        A fitted one.
    source : table, path, function, or pair of arrays
        As for `train`: labelled rows, encoded as those in training were.
    engine : optional
        Whose machines look at the rows, as for `train`. None: this process.
    cache : path, optional
        As for `train`.

    Returns
    -------
    array of shape (n,)
        The labels that `estimator.predict` would give, in the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron, predict_stored
    >>> X = np.arange(10.0)[:, None]
    >>> p = Perceptron(random_state=0).fit(X, X[:, 0] > 4)
    >>> bool((predict_stored(p, (X, X[:, 0] > 4)) == p.predict(X)).all())
    True
    """
    if not isinstance(estimator, TrainedLinearClassifier):
        kind = type(estimator)
        raise InputTypeError(
            "predict_stored takes a fitted rosenblatt.Perceptron, AROW or PassiveAggressive; got a "
            f"{kind.__module__}.{kind.__qualname__}."
        )
    w = np.column_stack([estimator.coef_, estimator.intercept_])
    with partitioned(source, engine, cache) as rows:
        if rows.d != estimator.n_features_in_:
            raise InputError(
                f"The rows have {rows.d} features, and {type(estimator).__name__} was fitted to "
                f"{estimator.n_features_in_}: encode them as those in training were."
            )
        known = getattr(estimator, "preprocessing_", None)
        made = rows.preprocessing
        if known is not None and made is not None and made.columns != known.columns:
            raise InputError(
                "The columns of this table became numbers in another way than those in training, "
                "since other rows have other means and words. Predict it by "
                "Study.load(path).predict(source), or give the rows that "
                "estimator.preprocessing_.transform makes of it."
            )
        weights = np.ascontiguousarray(w if len(w) > 1 else w[0])
        places: NDArray[np.intp] = np.concatenate(rows.each(work.predict, weights))
    labels: NDArray[Any] = estimator.classes_[places]
    return labels
