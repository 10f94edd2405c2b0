"""Geyer's limiting conditional model: what maximum likelihood comes to where rows are separated."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from rosenblatt import verify
from rosenblatt._certify.families import rows_of
from rosenblatt._util.budget import Budget
from rosenblatt._util.one_thread import one_thread
from rosenblatt._util.text import many
from rosenblatt._validation import parameters
from rosenblatt.certificate import certify
from rosenblatt.errors import InputError
from rosenblatt.separation.given import (
    Given,
    LikelihoodRatio,
    check_confidence,
    independent,
    of_formula,
    ratios,
    table_of,
)
from rosenblatt.separation.likelihood import Likelihood, Numbers, log_link, logistic, ordered

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate
    from rosenblatt.data import Preprocessing


FAMILIES = ("logistic", "poisson", "ppml", "ordinal")
_WORDS = {"±": "±∞", "collinear": "collinear"}
_RUNNING = {"+": np.inf, "-": -np.inf}


@final
@dataclass(frozen=True)
class LimitingModel:
    """What `limiting_model` found; dicts are by the name of a coefficient.

    `coefficients` are infinite where the certificate says so, and nan where a coefficient is not
    determined; `undetermined` says why: "±∞" (it may run either way), "constant" or "collinear"
    (its column has one value, or is a combination of others, and is left out). `intervals` are
    those of the profile likelihood, open to one side where a coefficient runs (and left out where
    it was not found); `p_values` of the
    likelihood-ratio test that a coefficient is 0; `standard_errors` are of the finite ones.
    `fitted` has one for each row, and nan for rows of weight 0: the probability of `label`, of
    counts the mean, of levels the probability of its own; exactly 0 or 1 in `separated_rows`.
    `log_likelihood` is the supremum, not reached by any finite coefficients where rows are
    separated, and `likelihood_ratio` the test that all coefficients but the intercept are 0.
    """

    verdict: str
    family: str
    coefficients: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    p_values: dict[str, float]
    standard_errors: dict[str, float]
    separated_rows: NDArray[np.intp]
    fitted: Numbers
    log_likelihood: float
    likelihood_ratio: LikelihoodRatio
    confidence: float
    label: str
    other: str
    undetermined: dict[str, str]

    @property
    def odds_ratios(self) -> dict[str, tuple[float, float, float]]:
        """exp(coefficient), and the ends of its interval; of counts these are ratios of means."""
        return ratios(self.coefficients, self.intervals)

    def __str__(self) -> str:
        of = f"log-odds of {self.label} against {self.other}"
        if self.family in verify.LOG_LINK:
            of = "logarithm of the mean"
        elif self.family == "ordinal":
            of = "log-odds of a higher level"
        if self.verdict == "complete separation":
            none = "No limiting conditional model: under complete separation every row has its"
            instead = "Use rosenblatt.separation.firth(X, y), which has finite estimates."
            if self.family == "logistic":
                return f"{none} label with probability 1, and no row is left to fit.\n{instead}"
            return f"{none} outcome with probability 1, and no row is left to fit."
        if self.verdict == "overlap":
            head = f"Maximum likelihood estimate (finite), {of}; no row is separated"
        else:
            held = len(self.separated_rows)
            word = "has its label" if held == 1 else "have their label"
            rows = f"{many(held, 'separated row')} {word} with probability 1"
            if self.family in verify.LOG_LINK:
                rows = f"{many(held, 'separated row')} with mean 0"
            head = f"Limiting conditional model, {of}{f'; {rows}' if held else ''}"
        own = self.coefficients, self.intervals, self.p_values
        ratio = "ratio of means" if self.family in verify.LOG_LINK else "odds ratio"
        table = table_of(*own, self.confidence, ratio, self.undetermined)
        return "\n".join([head, *table, f"{self.likelihood_ratio}."])


def limiting_model(
    X: Any,
    y: Any,
    *,
    family: str = "logistic",
    levels: Any = None,
    offset: Any = None,
    certificate: Certificate | None = None,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    confidence: float = 0.95,
    preprocessing: Preprocessing | None = None,
) -> LimitingModel:
    """The limit of regressions whose likelihood rises to its supremum.

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
    family, levels
        As in `certify`: "logistic", "poisson", "ppml" or "ordinal" (proportional odds).
    offset : array of shape (n,), optional
        What is added to the log-odds of each row, or to the logarithm of its mean (log exposure).
    certificate : Certificate, optional
        Of the same rows, if there is one already. By default `certify` is asked.

    Returns
    -------
    LimitingModel

    Examples
    --------
    >>> from rosenblatt.separation import limiting_model
    >>> model = limiting_model([[1], [2], [3], [3], [4], [5]], [0, 0, 0, 1, 1, 1])
    >>> model.coefficients
    {'x0': inf, '(intercept)': -inf}
    >>> model.fitted.tolist()
    [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    """
    check_confidence(confidence)
    parameters.one_of("family", family, FAMILIES)
    X, y, fit_intercept = of_formula(X, y, family, fit_intercept)
    how: dict[str, Any] = {"fit_intercept": fit_intercept, "family": family, "levels": levels}
    given = Given.of(
        X, y, sample_weight, preprocessing, function="limiting_model", offset=offset, **how
    )
    if certificate is None:
        certificate = certify(X, y, sample_weight=sample_weight, preprocessing=preprocessing, **how)
    else:
        _check(certificate, given, fit_intercept)
    if certificate.separated_rows is None:
        raise InputError(
            "The certificate leaves open which rows are separated. Give it more time: "
            "certify(X, y, time_limit=...)."
        )
    with one_thread(), np.errstate(all="ignore"):
        return _limit(certificate, given, confidence)


class _Usual:
    """A likelihood with one score for each row."""

    def __init__(self, given: Given):
        self._given = given
        self.names, self.tested = given.names, given.names
        self._model = log_link if given.family in verify.LOG_LINK else logistic
        X = given.X
        self.constant = [j for j in range(X.shape[1]) if (X[:, j] == X[0, j]).all() and X[0, j]]

    def tied(self, certificate: Certificate) -> Any:
        assert certificate.separated_rows is not None
        return ~np.isin(self._given.rows, certificate.separated_rows)

    def centre(self, finite: Sequence[int]) -> None:
        pass  # the constant column does it

    @property
    def every(self) -> Any:
        return np.ones(len(self._given.rows), dtype=bool)

    def design(self, rest: Any) -> Numbers:
        return np.asarray(self._given.X[rest])

    def likelihood(self, rest: Any, columns: Sequence[int]) -> Likelihood:
        given = self._given
        X, offset = given.X[rest][:, columns], given.offset[rest]
        own = {"model": self._model, "offset": offset}
        return Likelihood(X, given.t[rest], given.c[rest], **own)

    def fitted(self, rest: Any, likelihood: Likelihood | None, beta: Any) -> Numbers:
        given = self._given
        out = given.t.astype(np.float64)
        out[rest] = 0.5 if self._model is logistic else 0.0
        if likelihood is not None:
            out[rest] = likelihood.fitted(beta)
        return out

    @property
    def plus(self) -> float:
        """What the likelihood leaves out."""
        given = self._given
        if given.family != "poisson":
            return 0.0
        return -float(given.c @ special.gammaln(given.t + 1.0))

    def nothing(self) -> float:
        """The likelihood where there is no coefficient."""
        given = self._given
        return self._model(given.offset, given.t, given.c).value


class _Ordinal:
    """Proportional odds: a row has a score below its upper threshold, and one above its lower."""

    plus = 0.0

    def __init__(self, given: Given):
        self._given, self.names = given, given.names
        self.d, self._k = given.X.shape[1], len(given.labels)
        self.tested = given.names[: self.d]
        self.constant = list(range(self.d, self.d + self._k - 1))
        self._center = np.zeros(self.d)
        level = given.t.astype(int)
        self.every = np.array([level < self._k, level > 1])

    def centre(self, finite: Sequence[int]) -> None:
        """Of columns that stay where they are: the thresholds take what is common to them."""
        some = [j for j in finite if j < self.d]
        self._center[some] = np.median(self._given.X[:, some], axis=0)

    def tied(self, certificate: Certificate) -> Any:
        """Of each row the sides, below and above, whose threshold stays at a finite distance."""
        if certificate.verdict != "quasi-complete separation":
            return self.every & (certificate.verdict == "overlap")
        given, table = self._given, self._given.table
        assert table.beside is not None
        rows, names = rows_of(
            table.beside,
            table.X,
            table.y,
            table.labels,
            given.rows.tolist(),
            intercept=False,
            decimal=False,
            budget=Budget(),
        )
        signs = rows.signs([verify.number(v) for v in certificate.to_dict()["separator"]])
        place = {int(i): k for k, i in enumerate(given.rows)}
        out = np.zeros_like(self.every)
        for k in np.flatnonzero(signs == 0).tolist():
            row, above = divmod(names(k), 2)
            out[above, place[row]] = True
        return out

    def _sides(self, rest: Any) -> tuple[Numbers, Numbers]:
        given, level = self._given, self._given.t.astype(int)
        out = np.zeros((2, len(level), self.d + self._k - 1))
        for side, there in enumerate(rest):
            rows = np.flatnonzero(there)
            out[side, rows, : self.d] = self._center - given.X[rows]
            out[side, rows, self.d + level[rows] - 1 - side] = 1.0
        return out[0], out[1]

    def design(self, rest: Any) -> Numbers:
        sides = np.concatenate(self._sides(rest))
        return np.asarray(sides[np.concatenate(rest)])

    def likelihood(self, rest: Any, columns: Sequence[int]) -> Likelihood:
        given, (below, above) = self._given, self._sides(rest)
        both = rest[0] & rest[1]
        gap = np.where(both[:, None], below - above, 0.0)
        offset = np.concatenate(
            [
                np.where(rest[0], -given.offset, np.inf),
                np.where(rest[1], -given.offset, -np.inf),
                np.where(both, 0.0, np.inf),
            ]
        )
        X = np.concatenate([below, above, gap])[:, columns]
        start = np.array([float(max(j - self.d, 0)) for j in columns])
        t = np.zeros(len(given.c))
        out = Likelihood(X, t, given.c, model=ordered, offset=offset, start=start)
        by = np.eye(len(columns))  # from columns less their centres
        for k, j in enumerate(columns):
            if j >= self.d:
                by[k] += [self._center[i] if i < self.d else 0.0 for i in columns]
        out.turned(by)
        return out

    def fitted(self, rest: Any, likelihood: Likelihood | None, beta: Any) -> Numbers:
        there = len(self._given.c)
        return np.ones(there) if likelihood is None else np.asarray(likelihood.fitted(beta))

    def nothing(self) -> float:  # there are always thresholds
        raise NotImplementedError


def _limit(certificate: Certificate, given: Given, confidence: float) -> LimitingModel:
    separated = certificate.separated_rows
    assert separated is not None
    signs: dict[str, str] = dict(certificate.coefficient_signs)
    own: _Usual | _Ordinal = (_Ordinal if given.family == "ordinal" else _Usual)(given)
    rest = own.tied(certificate)
    coefficients = {name: _RUNNING.get(signs[name], np.nan) for name in given.names}
    errors, p_values = dict[str, float](), dict[str, float]()
    intervals: dict[str, tuple[float, float]] = {}
    value = 0.0
    # Finite coefficients are those of the rows that are fitted: there their columns are independent
    # but for collinear ones, since no separating direction has any of them.
    finite = [j for j, name in enumerate(given.names) if signs[name] == "0"]
    own.centre(finite)
    usual = isinstance(own, _Usual)
    first = [*finite, *own.constant]
    columns = independent(own.design(rest), first, intercept=usual) if rest.any() else []
    _refuse_near_collinear(given, set(finite) - set(columns))
    likelihood, beta = None, None
    if columns:
        likelihood = own.likelihood(rest, columns)
        beta, value = likelihood.highest()
        estimates = likelihood.coefficients(beta).tolist(), likelihood.errors(beta).tolist()
        for k, (j, estimate, error) in enumerate(zip(columns, *estimates, strict=True)):
            if j in finite:
                name = given.names[j]
                coefficients[name], errors[name] = estimate, error
                intervals[name] = likelihood.interval(beta, value, k, confidence)
                if name in own.tested:
                    p_values[name] = _p(likelihood.deviance(beta, value, k))
    elif rest.any() and usual:
        value = own.nothing()
    # Of running ones the finite end is that of all rows.
    chosen = independent(own.design(own.every), own.constant, intercept=usual)
    whole = own.likelihood(own.every, chosen)
    for k, j in enumerate(chosen):
        if signs[name := given.names[j]] in _RUNNING and name in own.tested:
            side = 1.0 if signs[name] == "+" else -1.0
            with suppress(InputError):  # where others run, too, floats may lose their way
                end = whole.one_sided(value, k, side, confidence)
                intervals[name] = (end, np.inf) if side > 0 else (-np.inf, end)
                p_values[name] = _p(2.0 * (value - whole.without([k])))
    constant = [j for j in chosen if j in own.constant]
    if constant:
        _, null = own.likelihood(own.every, constant).highest()
    else:
        null = own.nothing()
    words = {c.column: "constant" for c in certificate.collinear if not c.factors}
    fitted = np.full(int(certificate.to_dict()["rows"]), np.nan)
    fitted[given.rows] = own.fitted(rest, likelihood, beta)
    return LimitingModel(
        certificate.verdict,
        given.family,
        coefficients,
        {name: intervals[name] for name in given.names if name in intervals},
        {name: p_values[name] for name in given.names if name in p_values},
        errors,
        separated,
        fitted,
        value + own.plus,
        LikelihoodRatio.of(value, null, len(chosen) - len(constant)),
        confidence,
        given.labels[-1],
        given.labels[0],
        {
            name: words.get(name) or _WORDS.get(signs[name], "not known")
            for name, value in coefficients.items()
            if np.isnan(value)
        },
    )


def _p(deviance: float) -> float:
    return float(stats.chi2.sf(max(deviance, 0.0), 1))


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
    intercept = fit_intercept and given.family != "ordinal"
    if certificate.family != given.family or certificate.absorbed:
        raise InputError(
            "The certificate is about another model than this one. Leave it out, and certify "
            "decides it.",
            option="certificate",
        )
    if rows[0] != rows[1] or not names or certificate.fit_intercept != intercept:
        raise InputError(
            f"The certificate is about {many(rows[1], 'row')} and other columns or another "
            f"intercept than these {many(rows[0], 'row')}. Leave it out, and certify decides it."
        )
    if certificate.sha256 != given.sha256():
        raise InputError(
            "The certificate is about other numbers or labels than these: their fingerprints "
            "differ. Leave it out, and certify decides it.",
            option="certificate",
        )
