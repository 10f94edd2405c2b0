"""The fingerprint of a run, which the page shows, too."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._traces.trace import Trace


def fingerprint(trace: Trace) -> str:
    """16 digits that are the same where every update, every score and the returned weights are.

    The playground shows them for its run, and its Python code prints them.

    >>> from rosenblatt import Perceptron, trace
    >>> from rosenblatt.play import fingerprint
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> fingerprint(trace(Perceptron(order="cyclic", keep="last"), X, y))
    '5f8110e454c99333'
    """
    weights = getattr(trace.estimator, "coef_", None)
    if weights is None:
        raise InputError(
            "A fingerprint is made of a trace whose estimator returned weights of the features: "
            "one of Perceptron that was not read from a file, with a keep other than 'vote'."
        )
    parts = (
        trace.row.astype("<u8"),
        trace.visit.astype("<u8"),
        trace.score.astype("<f8"),
        np.append(weights, trace.estimator.intercept_).astype("<f8"),
    )
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]
