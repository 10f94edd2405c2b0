"""How far a counted error rate may be off."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._validation import parameters
from rosenblatt.errors import InputError


def clopper_pearson(errors: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval for an error rate after `errors` of `n` independent rows were wrong.

    Whatever the true rate is, the interval holds it with at least this confidence (Clopper and
    Pearson, Biometrika 26, 1934): a rate outside of it would make so few, or so many, errors with
    probability (1 - confidence) / 2 at most.

    Examples
    --------
    >>> from rosenblatt.selection import clopper_pearson
    >>> [round(end, 4) for end in clopper_pearson(1, 10)]
    [0.0025, 0.445]
    """
    from scipy.stats import beta

    n = parameters.whole("n", n)
    if not isinstance(errors, Integral) or not 0 <= errors <= n:
        raise InputError(
            f"errors={errors!r} is not a whole number from 0 to n={n}.",
            option="errors",
            value=errors,
        )
    if not 0 < confidence < 1:
        raise InputError(
            f"confidence={confidence!r} is not between 0 and 1; 0.95 is usual.",
            option="confidence",
            value=confidence,
        )
    tail = (1 - confidence) / 2
    lo = 0.0 if errors == 0 else float(beta.ppf(tail, errors, n - errors + 1))
    hi = 1.0 if errors == n else float(beta.ppf(1 - tail, errors + 1, n - errors))
    return lo, hi


# --- The ROC curve of scores, the area below it, and how far that may be off ---------------------


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
    >>> from rosenblatt.selection.measures import roc
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
    true_rates = np.insert(np.cumsum(positive[order])[ends] / m, 0, 0.0)
    false_rates = np.insert(np.cumsum(~positive[order])[ends] / n, 0, 0.0)
    above, below = _placements(scores, positive)
    auc = float(above.mean())
    return Roc(false_rates, true_rates, auc, _delong(auc, above, below, confidence), confidence)


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


# --- How far probabilities can be believed: the Brier score, and shares beside predictions -------


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
    >>> from rosenblatt.selection.measures import calibration
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
    bins = []
    for b in np.unique(place):
        here = place == b
        rows, right = int(here.sum()), int(positive[here].sum())
        ends = clopper_pearson(right, rows, confidence)
        mean = float(p[here].mean())
        bins.append(Bin(float(edges[b]), float(edges[b + 1]), rows, mean, right, ends))
    return bins
