"""Intervals of error rates and costs; ROC curves; Brier scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._validation import parameters
from rosenblatt.errors import InputError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


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
    return _exact(float(errors), float(n), confidence)


def _exact(errors: float, n: float, confidence: float) -> tuple[float, float]:
    from scipy.special import betaincinv  # scipy.stats takes longer to import than all of `fit`

    tail = (1 - confidence) / 2
    lo = 0.0 if errors == 0 else float(betaincinv(errors, n - errors + 1, tail))
    hi = 1.0 if errors == n else float(betaincinv(errors + 1, n - errors, 1 - tail))
    return lo, hi


def balanced_interval(
    errors: Sequence[int], rows: Sequence[int], confidence: float = 0.95
) -> tuple[float, float]:
    """The interval for the mean of the error rates of several labels, from the exact one of each.

    The distances from a rate to its ends are added as those of independent numbers are, by their
    squares (MOVER: Zou, Huang and Zhang, Computational Statistics & Data Analysis 53, 2009). That
    is not exact: for two labels of 3 to 300 rows 95% are 92% at least, where errors are rare.

    Examples
    --------
    >>> from rosenblatt.selection.measures import balanced_interval
    >>> [round(end, 3) for end in balanced_interval([50, 11], [140, 60])]
    [0.211, 0.344]
    """
    rates = [wrong / n for wrong, n in zip(errors, rows, strict=True)]
    ends = [clopper_pearson(wrong, n, confidence) for wrong, n in zip(errors, rows, strict=True)]
    k, mean = len(rates), sum(rates) / len(rates)
    below = math.hypot(*(rate - lo for rate, (lo, _) in zip(rates, ends, strict=True))) / k
    above = math.hypot(*(hi - rate for rate, (_, hi) in zip(rates, ends, strict=True))) / k
    return max(0.0, mean - below), min(1.0, mean + above)


# --- Rows in groups: those of one are more alike than others, and tell less ----------------------


LEAST_GROUPS = 5  # with fewer an interval says next to nothing


def error_interval(
    wrong: NDArray[np.bool_], groups: Indices | None = None, confidence: float = 0.95
) -> tuple[float, float] | None:
    """The interval for the rate of errors: Clopper and Pearson's, by group that of Korn and
    Graubard (Survey Methodology 24, 1998). None with fewer than LEAST_GROUPS groups.

    Theirs is Clopper and Pearson's for an effective number of rows: as many independent ones as
    would vary so much. How much the groups vary is known with the degrees of freedom of those that
    have an error and a right row, of whichever there are fewer. What that leaves is never less
    than the number of groups that sizes as these are worth, since rows of a group cannot be more
    than equal.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.selection.measures import error_interval
    >>> wrong, groups = np.arange(100) % 10 < 2, np.arange(100) % 10
    >>> [round(end, 2) for end in error_interval(wrong)]
    [0.13, 0.29]
    >>> [round(end, 2) for end in error_interval(wrong, groups)]
    [0.02, 0.58]
    """
    from scipy.special import stdtrit

    n, errors = len(wrong), int(wrong.sum())
    if groups is None:
        return clopper_pearson(errors, n, confidence)
    of = _Groups(groups)
    if of.count < LEAST_GROUPS:
        return None
    rate, by_group = errors / n, of.sums(wrong)
    binomial = rate * (1 - rate) / (n - 1)
    effect = of.variance(wrong.astype(np.float64) - rate) / binomial if binomial else n / of.worth
    effective = n / max(effect, 1.0)
    both = min(np.count_nonzero(by_group), np.count_nonzero(by_group < of.sizes))
    freedom = max(min(of.worth, float(both)) - 1.0, 1.0)
    tail = (1 + confidence) / 2
    known = effective * float(stdtrit(n - 1, tail) / stdtrit(freedom, tail)) ** 2
    known = max(known, min(effective, of.worth))
    return _exact(rate * known, known, confidence)


def mean_interval(
    values: Floats, groups: Indices | None = None, confidence: float = 0.95
) -> tuple[float, float] | None:
    """The interval for the mean of numbers from 0 on: normal, by group with Student's t.

    By group None where fewer than LEAST_GROUPS of them have a number that is not 0.
    """
    from scipy.special import ndtri, stdtrit

    mean, n, tail = float(values.mean()), len(values), (1 + confidence) / 2
    if groups is None:
        width = float(ndtri(tail) * values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf
        return max(0.0, mean - width), mean + width
    of = _Groups(groups)
    count = np.count_nonzero(of.sums(values))
    if count < LEAST_GROUPS:
        return None
    freedom = max(min(of.worth, float(count)) - 1.0, 1.0)
    width = float(stdtrit(freedom, tail)) * math.sqrt(of.variance(values - mean))
    return max(0.0, mean - width), mean + width


class _Groups:
    """Sums over the groups of some rows."""

    def __init__(self, groups: Indices):
        self._codes = np.unique(groups, return_inverse=True)[1]
        self.sizes = np.bincount(self._codes)
        self.count, self._n = len(self.sizes), len(groups)

    @property
    def worth(self) -> float:
        """As many groups of equal sizes (Kish, Survey Sampling, 1965): n² / Σ n_g²."""
        return float(self._n**2 / (self.sizes.astype(np.float64) ** 2).sum())

    def sums(self, values: NDArray[Any]) -> Floats:
        sums = np.bincount(self._codes, values.astype(np.float64), self.count)
        return np.asarray(sums, dtype=np.float64)

    def variance(self, deviations: Floats) -> float:
        """Of the mean of all rows, by the sums of deviations in each group."""
        squares = float((self.sums(deviations) ** 2).sum())
        return self.count / (self.count - 1) * squares / self._n**2


# --- The ROC curve of scores, the area below it, and how far that may be off ---------------------


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
        DeLong's, or by group Obuchowski's. None where a class has one row, or fewer than
        LEAST_GROUPS groups, or where no pair of rows is out of order, or all are: then it would
        have no width, and that would be untrue.
    """

    false: Floats
    found: Floats
    auc: float
    interval: tuple[float, float] | None
    confidence: float


def roc(
    scores: Any, positive: Any, confidence: float = 0.95, *, groups: Indices | None = None
) -> Roc:
    """The curve of these scores; `positive` says which rows are the ones to be found.

    The interval is that of DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988). By group the
    variance is that of Obuchowski (Biometrics 53, 1997), on the scale of the log odds, with
    Student's t and the degrees of freedom of the class with fewer groups.

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
    if groups is None:
        interval = _delong(auc, above, below, confidence)
    else:
        by_class = [
            groups[rows][np.argsort(scores[rows], kind="stable")] for rows in (positive, ~positive)
        ]
        interval = _obuchowski(auc, (above, below), by_class, confidence)
    return Roc(false_rates, true_rates, auc, interval, confidence)


def _placements(scores: Floats, positive: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Of each positive row the share of the others that it is above; of each other one the share of
    the positive ones that are above it. Ties count half. Both in the order of the scores."""
    mine, others = np.sort(scores[positive]), np.sort(scores[~positive])

    def below(values: Floats, of: Floats) -> Floats:
        left = np.searchsorted(of, values, side="left")
        right = np.searchsorted(of, values, side="right")
        return np.asarray((left + right) / (2 * len(of)))

    return below(mine, others), 1 - below(others, mine)


def _delong(
    auc: float, above: Floats, below: Floats, confidence: float
) -> tuple[float, float] | None:
    from scipy.special import ndtri

    if min(len(above), len(below)) < 2 or auc in (0.0, 1.0):
        return None
    variance = above.var(ddof=1) / len(above) + below.var(ddof=1) / len(below)
    width = float(ndtri((1 + confidence) / 2) * np.sqrt(variance))
    return max(0.0, auc - width), min(1.0, auc + width)


def _obuchowski(
    auc: float, placements: tuple[Floats, Floats], groups: list[Indices], confidence: float
) -> tuple[float, float] | None:
    from scipy.special import expit, logit, stdtrit

    classes = [_Groups(codes) for codes in groups]
    if min(one.count for one in classes) < LEAST_GROUPS or auc in (0.0, 1.0):
        return None
    rows = sum(map(len, placements))
    deviations = [(one - auc) * (rows / len(one)) for one in placements]
    variance = _Groups(np.concatenate(groups)).variance(np.concatenate(deviations))
    if not variance:
        return None
    freedom = max(min(one.worth for one in classes) - 1.0, 1.0)
    width = float(stdtrit(freedom, (1 + confidence) / 2)) * math.sqrt(variance) / (auc * (1 - auc))
    return float(expit(logit(auc) - width)), float(expit(logit(auc) + width))


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
    interval: tuple[float, float] | None  # for the share


@dataclass(frozen=True)
class Calibration:
    """Bins that have rows, and the mean squared difference of probability and outcome."""

    bins: list[Bin]
    brier: float
    interval: tuple[float, float] | None  # from the standard error of the mean
    floor: float  # the Brier score of always saying the shares of the rows


def calibration(
    probabilities: Any, outcome: Any, confidence: float = 0.95, *, groups: Indices | None = None
) -> Calibration:
    """Probabilities of rows beside what they turned out to be: whether they are positive; or, where
    there is a column for each of more than two classes, the number of their class. Bins are then
    about the most probable class, and squares are added up over the classes (Brier 1950).

    Examples
    --------
    >>> from rosenblatt.selection.measures import calibration
    >>> found = calibration([0.1, 0.1, 0.9, 0.9], [False, False, True, False])
    >>> round(found.brier, 2), [(bin.rows, bin.positive) for bin in found.bins]
    (0.21, [(2, 0), (2, 1)])
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim == 1:
        positive, most = np.asarray(outcome, dtype=bool), 1.0
        squares, share = (p - positive) ** 2, float(positive.mean())
        floor = share * (1 - share)
    else:
        codes, most = np.asarray(outcome), 2.0
        came_true = codes[:, None] == np.arange(p.shape[1])
        squares, floor = ((p - came_true) ** 2).sum(axis=1), 1 - (came_true.mean(0) ** 2).sum()
        positive, p = p.argmax(axis=1) == codes, p.max(axis=1)
    ends = mean_interval(squares, groups, confidence)
    ends = None if ends is None else (ends[0], min(most, ends[1]))
    bins = _bins(p, positive, groups, confidence)
    return Calibration(bins, float(squares.mean()), ends, float(floor))


def _bins(
    p: Floats, positive: NDArray[np.bool_], groups: Indices | None, confidence: float
) -> list[Bin]:
    edges = np.linspace(0, 1, BINS + 1)
    place = np.searchsorted(edges[1:-1], p, side="left")  # as scikit-learn's calibration_curve
    bins = []
    for b in np.unique(place):
        here = place == b
        rows, right = int(here.sum()), int(positive[here].sum())
        ends = error_interval(positive[here], None if groups is None else groups[here], confidence)
        mean = float(p[here].mean())
        bins.append(Bin(float(edges[b]), float(edges[b + 1]), rows, mean, right, ends))
    return bins
