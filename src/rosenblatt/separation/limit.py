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
    X, y, fit_intercept, sample_weight, confidence
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
    given = Given.of(X, y, sample_weight, fit_intercept=fit_intercept, asked="limiting_model")
    if certificate is None:
        certificate = certify(X, y, fit_intercept=fit_intercept, sample_weight=sample_weight)
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
    fitted = _Fitted.of(given, rest, [signs[name] == "0" for name in given.names])
    probabilities = np.full(int(certificate.to_dict()["rows"]), np.nan)
    probabilities[given.rows] = np.where(rest, fitted.probabilities(given.X), given.t)
    finite = {given.names[j] for j in fitted.columns if signs[given.names[j]] == "0"}
    return LimitingModel(
        certificate.verdict,
        {name: _coefficient(signs[name], fitted, j) for j, name in enumerate(given.names)},
        _intervals(given, fitted, signs, confidence),
        {n: e for n, e in fitted.errors(given.names).items() if n in finite},
        separated,
        probabilities,
        fitted.value,
        confidence,
        given.labels[1],
        given.labels[0],
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


def _coefficient(sign: str, fitted: _Fitted, j: int) -> float:
    if sign == "0":
        return fitted.coefficient(j)
    return _RUNNING.get(sign, np.nan)


def _intervals(
    given: Given, fitted: _Fitted, signs: dict[str, str], confidence: float
) -> dict[str, tuple[float, float]]:
    """Of finite coefficients from the rows that are fitted; of running ones from all rows."""
    found: dict[str, tuple[float, float]] = {}
    chosen = independent(given.X)
    whole = Likelihood(given.X[:, chosen], given.t, given.c)
    for j, name in enumerate(given.names):
        if signs[name] == "0" and fitted.likelihood is not None:
            k = fitted.columns.index(j)
            found[name] = fitted.likelihood.interval(fitted.beta, fitted.value, k, confidence)
        elif signs[name] in _RUNNING and j in chosen:
            side = 1.0 if signs[name] == "+" else -1.0
            end = whole.one_sided(fitted.value, chosen.index(j), side, confidence)
            found[name] = (end, np.inf) if side > 0 else (-np.inf, end)
    return found


@final
@dataclass(frozen=True)
class _Fitted:
    """The maximum on the rows that are not separated, by columns that are independent there."""

    columns: list[int]
    likelihood: Likelihood | None  # None: no row is left
    beta: Numbers
    value: float

    @classmethod
    def of(cls, given: Given, rest: NDArray[np.bool_], stays: list[bool]) -> _Fitted:
        """`stays`: whose coefficients are finite. These columns are independent on the rest, but
        for collinear ones, since no separating direction has any of them."""
        X = given.X[rest]
        first = [j for j, finite in enumerate(stays) if finite]
        columns = independent(X, first) if len(X) else []
        if not columns:
            return cls([], None, np.empty(0), 0.0)
        for j in set(first) - set(columns):
            raise InputError(
                f"The column {given.names[j]!r} differs from a combination of others by rounding "
                "alone, so that floating point cannot tell its coefficient. Leave it out.",
                column=given.names[j],
            )
        likelihood = Likelihood(X[:, columns], given.t[rest], given.c[rest])
        beta, value = likelihood.highest()
        return cls(columns, likelihood, beta, value)

    def coefficient(self, j: int) -> float:
        if self.likelihood is None or j not in self.columns:
            return float("nan")
        return float(self.likelihood.coefficients(self.beta)[self.columns.index(j)])

    def errors(self, names: list[str]) -> dict[str, float]:
        if self.likelihood is None:
            return {}
        errors = self.likelihood.errors(self.beta).tolist()
        return {names[j]: e for j, e in zip(self.columns, errors, strict=True)}

    def probabilities(self, X: Numbers) -> Numbers:
        if self.likelihood is None:
            return np.full(len(X), 0.5)
        odds = self.likelihood.log_odds(X[:, self.columns], self.beta)
        return np.asarray(special.expit(odds))
