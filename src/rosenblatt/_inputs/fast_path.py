"""Tables that are already as the kernels take them: many fits are small, many predictions one row.

scikit-learn's validation costs a hundred times more than the score of a row. Where it could find
nothing to do and nothing to say, it is not asked; in any other case it is, and speaks for itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt._compute.backend import compute

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_FEW = 1 << 17  # numbers to look at: with more of them validation does not count


def plain(X: Any, *, finite: bool) -> bool:
    """Whether X is an array of rows; with `finite`, a small one of finite numbers."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in _FLOATS
        and X.size > 0
        and (X.size <= _FEW or not finite)
        and X.flags.c_contiguous
        and X.flags.aligned
        and (not finite or bool(np.isfinite(X).all()))
    )


def known_finite(X: Any) -> bool:
    """Whether the compiled core sees at once that all numbers of an array are finite."""
    return (
        compute.native
        and type(X) is np.ndarray
        and X.dtype in _FLOATS
        and X.flags.c_contiguous
        and X.flags.aligned
        and compute.backend.all_finite(X.reshape(-1))
    )


def plain_for(estimator: Any, X: Any, *, finite: bool) -> bool:
    """The same, for an estimator that knows as many features, and no names of them."""
    known = vars(estimator)
    return (
        plain(X, finite=finite)
        and X.shape[1] == known.get("n_features_in_")
        and "feature_names_in_" not in known
    )


def plain_labels(y: Any) -> bool:
    """Whether y is an array of numbers or text, one after another."""
    return type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biufU"
