"""Geyer's limiting conditional model: what maximum likelihood comes to where rows are separated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rosenblatt._util.one_thread import one_thread
from rosenblatt._util.text import many
from rosenblatt.certificate import certify
from rosenblatt.errors import InputError
from rosenblatt.separation.given import Given, check_confidence, independent, table_of
from rosenblatt.separation.likelihood import Likelihood, Numbers

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate
    from rosenblatt.data import Preprocessing


_RUNNING = {"+": np.inf, "-": -np.inf}


@final
@dataclass(frozen=True)
class LimitingModel:
    """What `limiting_model` found; dicts are by the name of a coefficient.

    `coefficients` are infinite where the certificate says so, and nan where a coefficient is not
    determined: it may run either way, or its column is collinear. `intervals` are those of the
    profile likelihood, open to one side where a coefficient runs; `standard_errors` are of the
    finite ones. `probabilities` has one for each row: that of `label`, exactly 0 or 1 in
    `separated_rows`, and nan for rows of weight 0. `log_likelihood` is the supremum, not reached
    by any finite coefficients where rows are separated.
    """

    verdict: str
    coefficients: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    standard_errors: dict[str, float]
    separated_rows: NDArray[np.intp]
    probabilities: Numbers
    log_likelihood: float
    confidence: float
    label: str
    other: str

    def __str__(self) -> str:
        odds = f"log-odds of {self.label} against {self.other}"
        table = table_of(self.coefficients, self.intervals, self.confidence)
        if self.verdict == "complete separation":
            return (
                "No limiting conditional model: under complete separation every row has its label "
                "with probability 1, and no row is left to fit.\n"
                "Use rosenblatt.separation.firth(X, y), which has finite estimates."
            )
        if self.verdict == "overlap":
            head = f"Maximum likelihood estimate (finite), {odds}; no row is separated"
        else:
            held = len(self.separated_rows)
            word = "has its label" if held == 1 else "have their label"
            rows = f"{many(held, 'separated row')} {word} with probability 1"
            head = f"Limiting conditional model, {odds}; {rows}"
        return "\n".join([head, *table])


def limiting_model(
    X: Any,
    y: Any,
    *,
    certificate: Certificate | None = None,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    confidence: float = 0.95,
    preprocessing: Preprocessing | None = None,
) -> LimitingModel:
    """The limit of logistic regressions whose likelihood rises to its supremum.

    Rows that a hyperplane separates have their observed label with probability 1 in the limit, and
    the model is fitted on the others, where its estimate exists (Geyer, Electronic Journal of
    Statistics 3, 2009). Which rows these are, and which coefficients run to infinity, `certify` has
    proved. In overlap it is the usual maximum-likelihood estimate, and no row is held. Under
    complete separation no row is left to fit, so that there is no such model: `firth` has finite
    estimates.

    Parameters
    ----------
    X, y, fit_intercept, sample_weight, confidence, preprocessing
        As in `firth`.
    certificate : Certificate, optional
        Of the same rows, if there is one already. By default `certify` is asked.

    Returns
    -------
    LimitingModel

    Examples
    --------
    >>> from rosenblatt.separation import limiting_model
    >>> found = limiting_model([[1], [2], [3], [3], [4], [5]], [0, 0, 0, 1, 1, 1])
    >>> found.coefficients
    {'x0': inf, '(intercept)': -inf}
    >>> found.probabilities.tolist()
    [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    """
    check_confidence(confidence)
    how: dict[str, Any] = {"fit_intercept": fit_intercept, "asked": "limiting_model"}
    given = Given.of(X, y, sample_weight, preprocessing, **how)
    if certificate is None:
        certificate = certify(
            X,
            y,
            fit_intercept=fit_intercept,
            sample_weight=sample_weight,
            preprocessing=preprocessing,
        )
    else:
        _check(certificate, given, fit_intercept)
    if certificate.separated_rows is None:
        raise InputError(
            "The certificate leaves open which rows are separated. Give it more time: "
            "certify(X, y, time_limit=...)."
        )
    with one_thread():
        return _limit(certificate, given, confidence)


def _limit(certificate: Certificate, given: Given, confidence: float) -> LimitingModel:
    separated = certificate.separated_rows
    assert separated is not None
    signs: dict[str, str] = dict(certificate.coefficient_signs)
    rest = ~np.isin(given.rows, separated)
    coefficients = {name: _RUNNING.get(signs[name], np.nan) for name in given.names}
    errors: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    own, value = np.where(rest, 0.5, given.t), 0.0  # probabilities
    # Finite coefficients are those of the rows that are fitted: there their columns are independent
    # but for collinear ones, since no separating direction has any of them.
    finite = [j for j, name in enumerate(given.names) if signs[name] == "0"]
    columns = independent(given.X[rest], finite) if rest.any() else []
    _refuse_near_collinear(given, set(finite) - set(columns))
    if columns:
        X = given.X[rest][:, columns]
        likelihood = Likelihood(X, given.t[rest], given.c[rest])
        beta, value = likelihood.highest()
        own[rest] = special.expit(likelihood.log_odds(X, beta))
        estimates = likelihood.coefficients(beta).tolist(), likelihood.errors(beta).tolist()
        for k, (j, estimate, error) in enumerate(zip(columns, *estimates, strict=True)):
            if j in finite:
                name = given.names[j]
                coefficients[name], errors[name] = estimate, error
                intervals[name] = likelihood.interval(beta, value, k, confidence)
    # Of running ones the finite end is that of all rows.
    chosen = independent(given.X)
    whole = Likelihood(given.X[:, chosen], given.t, given.c)
    for k, j in enumerate(chosen):
        if signs[name := given.names[j]] in _RUNNING:
            side = 1.0 if signs[name] == "+" else -1.0
            end = whole.one_sided(value, k, side, confidence)
            intervals[name] = (end, np.inf) if side > 0 else (-np.inf, end)
    probabilities = np.full(int(certificate.to_dict()["rows"]), np.nan)
    probabilities[given.rows] = own
    return LimitingModel(
        certificate.verdict,
        coefficients,
        {name: intervals[name] for name in given.names if name in intervals},
        errors,
        separated,
        probabilities,
        value,
        confidence,
        given.labels[1],
        given.labels[0],
    )


def _refuse_near_collinear(given: Given, left_out: set[int]) -> None:
    for j in sorted(left_out):
        raise InputError(
            f"The column {given.names[j]!r} differs from a combination of others by rounding "
            "alone, so that floating point cannot tell its coefficient. Leave it out.",
            column=given.names[j],
        )


def _check(certificate: Certificate, given: Given, fit_intercept: bool) -> None:
    rows = len(given.rows), int(certificate.n_rows)
    names = certificate.feature_names == given.names[: certificate.n_features]
    if rows[0] != rows[1] or not names or certificate.fit_intercept != fit_intercept:
        raise InputError(
            f"The certificate is about {many(rows[1], 'row')} and other columns or another "
            f"intercept than these {many(rows[0], 'row')}. Leave it out: certify is asked then."
        )
    if certificate.sha256 != given.sha256():
        raise InputError(
            "The certificate is about other numbers or labels than these: their fingerprints "
            "differ. Leave it out: certify is asked then.",
            option="certificate",
        )
