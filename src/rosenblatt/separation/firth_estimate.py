"""Firth's penalised estimate: finite whatever the separation, and less biased."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from scipy import stats

from rosenblatt._util.one_thread import one_thread
from rosenblatt._util.text import listed
from rosenblatt.separation.given import (
    Given,
    LikelihoodRatio,
    check_confidence,
    of_formula,
    ratios,
    table_of,
)
from rosenblatt.separation.likelihood import Likelihood

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing


@final
@dataclass(frozen=True)
class FirthEstimate:
    """What `firth` found; dicts are by the name of a coefficient.

    `coefficients` are logarithms of odds ratios for `label` against `other`. They are nan for a
    constant column beside the intercept, which is left out. `intervals` are those of the penalised
    profile likelihood, with this `confidence`; `p_values` of the penalised likelihood-ratio test
    that a coefficient is 0; `standard_errors` are for comparison with other
    software, and mean little where rows are separated. `log_likelihood` is the penalised one, and
    `likelihood_ratio` the penalised test that all coefficients but the intercept are 0.
    `lower_maxima` are values of the penalised log-likelihood at other maxima that were found;
    `warning` says what they mean, and is None where there is none.
    """

    coefficients: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    p_values: dict[str, float]
    standard_errors: dict[str, float]
    log_likelihood: float
    likelihood_ratio: LikelihoodRatio
    confidence: float
    label: str
    other: str
    lower_maxima: tuple[float, ...] = ()

    @property
    def warning(self) -> str | None:
        """What to know before the estimate is reported, if there is more than one maximum."""
        if not self.lower_maxima:
            return None
        low = listed([f"{value:.6g}" for value in self.lower_maxima], 3)
        return (
            "The penalised likelihood has several maxima. The estimate is the highest that was "
            f"found, with a logarithm of {self.log_likelihood:.6g}; there are others at {low}. "
            "Another program may report one of them, and there may be a higher one: read the "
            "intervals and p values with care."
        )

    @property
    def odds_ratios(self) -> dict[str, tuple[float, float, float]]:
        """exp(coefficient), and the ends of its interval."""
        return ratios(self.coefficients, self.intervals)

    def __str__(self) -> str:
        head = f"Firth's penalised likelihood, log-odds of {self.label} against {self.other}"
        own = self.coefficients, self.intervals, self.p_values
        constant = {name: "constant" for name, v in self.coefficients.items() if v != v}
        table = table_of(*own, self.confidence, "odds ratio", constant)
        warned = [] if self.warning is None else [f"Warning: {self.warning}"]
        return "\n".join([head, *table, f"{self.likelihood_ratio}.", *warned])


def firth(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    confidence: float = 0.95,
    preprocessing: Preprocessing | None = None,
    offset: Any = None,
) -> FirthEstimate:
    """Logistic regression by Firth's penalised likelihood, which always has a finite estimate.

    Maximises l(β) + ½ log det I(β), with the information I (Firth, Biometrika 80, 1993). Intervals
    and tests are those of its profile (Heinze and Schemper, Statistics in Medicine 21, 2002).

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        The rows; columns of words become 0/1 columns, as in `certify`. Or a formula, with its table
        as y.
    y : array of shape (n,)
        Two labels; coefficients are for the second in sorted order (no, yes: for yes).
    fit_intercept : bool
        False: for a design that has a column of ones.
    sample_weight : array of shape (n,), optional
        How often each row was seen.
    confidence : float
        Of the intervals.
    preprocessing : rosenblatt.data.Preprocessing, optional
        How the table became X, as `encode` returns it; it has the names of the columns.
    offset : array of shape (n,), optional
        What is added to the log-odds of each row.

    Returns
    -------
    FirthEstimate

    Examples
    --------
    >>> from rosenblatt.separation import firth
    >>> estimate = firth([[1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 1])
    >>> round(estimate.coefficients["x0"], 3)
    1.129
    """
    check_confidence(confidence)
    X, y, fit_intercept = of_formula(X, y, "logistic", fit_intercept)
    how: dict[str, Any] = {"fit_intercept": fit_intercept, "function": "firth", "offset": offset}
    given = Given.of(X, y, sample_weight, preprocessing, **how)
    columns = [j for j in range(given.X.shape[1]) if j not in given.constant]
    given.refuse_collinear(columns)
    with one_thread():
        return _estimated(given, columns, confidence)


def _estimated(given: Given, columns: list[int], confidence: float) -> FirthEstimate:
    X, names = given.X[:, columns], [given.names[j] for j in columns]
    likelihood = Likelihood(X, given.t, given.c, penalised=True, offset=given.offset)
    beta, value = likelihood.highest()
    places = range(likelihood.size)
    sloping = [j for j in places if (X[:, j] != X[0, j]).any()]
    null = likelihood.without(sloping)
    while True:  # until no profile is higher than the estimate
        tests = [likelihood.deviance(beta, value, j) for j in places]
        intervals = [likelihood.interval(beta, value, j, confidence) for j in places]
        if likelihood.above is None:
            break
        beta, value = likelihood.raised()

    def named(values: Any) -> dict[str, Any]:
        return dict(zip(names, values, strict=True))

    coefficients = named(likelihood.coefficients(beta).tolist())

    return FirthEstimate(
        {name: coefficients.get(name, math.nan) for name in given.names},
        named(intervals),
        named([float(stats.chi2.sf(max(test, 0.0), 1)) for test in tests]),
        named(likelihood.errors(beta).tolist()),
        likelihood.log_likelihood(value),
        LikelihoodRatio.of(value, null, len(sloping)),
        confidence,
        given.labels[1],
        given.labels[0],
        tuple(map(likelihood.log_likelihood, likelihood.maxima[1:])),
    )
