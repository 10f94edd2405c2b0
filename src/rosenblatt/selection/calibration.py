"""How far probabilities can be believed: the Brier score, and shares beside predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.selection.interval import clopper_pearson

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Rows whose probabilities are from `low` to `high`."""

    low: float
    high: float
    rows: int
    predicted: float  # their mean probability
    positive: int  # how many of them are
    interval: tuple[float, float]  # Clopper and Pearson's, for the share


@dataclass(frozen=True)
class Calibration:
    """Bins that have rows, and the mean squared difference of probability and outcome."""

    bins: list[Bin]
    brier: float
    interval: tuple[float, float]  # from the standard error of the mean
    floor: float  # the Brier score of always saying the share of the rows


def calibration(probabilities: Any, positive: Any, confidence: float = 0.95) -> Calibration:
    """Probabilities of rows beside what they turned out to be.

    Examples
    --------
    >>> from rosenblatt.selection.calibration import calibration
    >>> found = calibration([0.1, 0.1, 0.9, 0.9], [False, False, True, False])
    >>> round(found.brier, 2), [(bin.rows, bin.positive) for bin in found.bins]
    (0.21, [(2, 0), (2, 1)])
    """
    from scipy.stats import norm

    p, positive = np.asarray(probabilities, dtype=np.float64), np.asarray(positive, dtype=bool)
    squares = (p - positive) ** 2
    brier, n = float(squares.mean()), len(p)
    error = float(squares.std(ddof=1) / np.sqrt(n)) if n > 1 else 1.0
    width = float(norm.ppf((1 + confidence) / 2)) * error
    share = float(positive.mean())
    ends = (max(0.0, brier - width), min(1.0, brier + width))
    return Calibration(_bins(p, positive, confidence), brier, ends, share * (1 - share))


def _bins(p: NDArray[np.float64], positive: NDArray[np.bool_], confidence: float) -> list[Bin]:
    edges = np.linspace(0, 1, BINS + 1)
    place = np.searchsorted(edges[1:-1], p, side="left")  # as scikit-learn's calibration_curve
    found = []
    for b in np.unique(place):
        here = place == b
        rows, right = int(here.sum()), int(positive[here].sum())
        ends = clopper_pearson(right, rows, confidence)
        mean = float(p[here].mean())
        found.append(Bin(float(edges[b]), float(edges[b + 1]), rows, mean, right, ends))
    return found
