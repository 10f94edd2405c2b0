"""The ROC curve of scores, the area below it, and how far that may be off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import InputError
from rosenblatt.selection.interval import clopper_pearson

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Roc:
    """Thresholds from high to low; the first is above all scores.

    Attributes
    ----------
    false, found : arrays
        For each threshold the share of the other rows, and of the positive ones, that are called
        positive.
    auc : float
        The area: how often a positive row has a higher score than another one, ties half.
    interval : tuple of float, or None
        DeLong's. None where a class has one row, or where no pair of rows is out of order, or all
        are: then it would have no width, and that would be untrue.
    """

    false: Floats
    found: Floats
    auc: float
    interval: tuple[float, float] | None
    confidence: float


def roc(scores: Any, positive: Any, confidence: float = 0.95) -> Roc:
    """The curve of these scores; `positive` says which rows are the ones to be found.

    The interval is that of DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988).

    Examples
    --------
    >>> from rosenblatt.selection.roc import roc
    >>> found = roc([0.1, 0.4, 0.35, 0.8], [False, False, True, True])
    >>> found.auc, found.found.tolist()
    (0.75, [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    scores, positive = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    m, n = int(positive.sum()), int((~positive).sum())
    if not m or not n:
        raise InputError("A ROC curve needs rows that are positive and rows that are not.")
    clopper_pearson(0, 1, confidence)  # refuses what is no confidence
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    found = np.insert(np.cumsum(positive[order])[ends] / m, 0, 0.0)
    false = np.insert(np.cumsum(~positive[order])[ends] / n, 0, 0.0)
    above, below = _placements(scores, positive)
    auc = float(above.mean())
    return Roc(false, found, auc, _delong(auc, above, below, confidence), confidence)


def _placements(scores: Floats, positive: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Of each positive row the share of the others that it is above; of each other one the share of
    the positive ones that are above it. Ties count half."""
    mine, others = np.sort(scores[positive]), np.sort(scores[~positive])

    def below(values: Floats, of: Floats) -> Floats:
        left = np.searchsorted(of, values, side="left")
        right = np.searchsorted(of, values, side="right")
        return np.asarray((left + right) / (2 * len(of)))

    return below(mine, others), 1 - below(others, mine)


def _delong(
    auc: float, above: Floats, below: Floats, confidence: float
) -> tuple[float, float] | None:
    from scipy.stats import norm

    if min(len(above), len(below)) < 2 or auc in (0.0, 1.0):
        return None
    variance = above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below)
    width = float(norm.ppf((1 + confidence) / 2) * np.sqrt(variance))
    return max(0.0, auc - width), min(1.0, auc + width)
