"""The fingerprint of a run, which the page shows, too."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.errors import InputError
from rosenblatt.kernel_perceptron import KernelPerceptron

if TYPE_CHECKING:
    from rosenblatt._traces.trace import Trace


def fingerprint(trace: Trace) -> str:
    """16 digits that are the same where every update, every score and the returned weights are.

    The playground shows them for its run, and its Python code prints them. Of a KernelPerceptron
    they are about the rows, visits and rivals of its updates alone: kernel values may differ in
    their last bits.

    >>> from rosenblatt import Perceptron, trace
    >>> from rosenblatt.play import fingerprint
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> fingerprint(trace(Perceptron(order="cyclic", keep="last"), X, y))
    '5f8110e454c99333'
    """
    estimator = trace.estimator
    if estimator is None:
        raise InputError("A trace that was read from a file has no estimator to be fingerprinted.")
    parts = [trace.row.astype("<u8"), trace.visit.astype("<u8")]
    if (rivals := trace.replay.run.rivals) is not None:
        parts.append(rivals.astype("<u8"))
    if not isinstance(estimator, KernelPerceptron):
        weights = np.append(estimator.coef_, estimator.intercept_)
        parts += [trace.score.astype("<f8"), weights.astype("<f8")]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]
