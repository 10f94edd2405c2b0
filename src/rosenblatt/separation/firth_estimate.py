"""Firth's penalised estimate: finite whatever the separation, and less biased."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import linalg, special, stats

from rosenblatt._util.one_thread import one_thread
from rosenblatt.errors import InputError
from rosenblatt.separation.given import Given, table_of
from rosenblatt.separation.likelihood import Likelihood, Numbers


@final
@dataclass(frozen=True)
class FirthEstimate:
    """What `firth` found; dicts are by the name of a coefficient.

    `coefficients` are logarithms of odds ratios for `label` against `other`; `intervals` are those
    of the penalised profile likelihood, with this `confidence`; `p_values` of the penalised
    likelihood-ratio test that a coefficient is 0; `standard_errors` are for comparison with other
    software, and mean little where rows are separated. `log_likelihood` is the penalised one.
    """

    coefficients: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    p_values: dict[str, float]
    standard_errors: dict[str, float]
    log_likelihood: float
    confidence: float
    label: str
    other: str

    def __str__(self) -> str:
        head = f"Firth's penalised likelihood, log-odds of {self.label} against {self.other}"
        return "\n".join([head, *table_of(self.coefficients, self.intervals, self.confidence)])


def firth(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    confidence: float = 0.95,
) -> FirthEstimate:
    """Logistic regression by Firth's penalised likelihood, which always has a finite estimate.

    Maximises l(β) + ½ log det I(β), with the information I (Firth, Biometrika 80, 1993). Intervals
    and tests are those of its profile (Heinze and Schemper, Statistics in Medicine 21, 2002).

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        The rows; columns of words become 0/1 columns, as in `certify`.
    y : array of shape (n,)
        Two labels; coefficients are for the second in sorted order (no, yes: for yes).
    fit_intercept : bool
        False: for a design that has a column of ones.
    sample_weight : array of shape (n,), optional
        How often each row was seen.
    confidence : float
        Of the intervals.

    Returns
    -------
    FirthEstimate

    Examples
    --------
    >>> from rosenblatt.separation import firth
    >>> found = firth([[1], [2], [3], [4], [5], [6]], [0, 0, 0, 1, 1, 1])
    >>> round(found.coefficients["x0"], 3)
    1.129
    """
    if not 0 < confidence < 1:
        raise InputError(
            f"confidence={confidence!r} is not between 0 and 1; 0.95 is usual.",
            option="confidence",
            value=confidence,
        )
    given = Given.of(X, y, sample_weight, fit_intercept=fit_intercept, asked="firth")
    given.refuse_collinear("Firth's penalty")
    with one_thread():
        return _estimated(given, confidence)


def _estimated(given: Given, confidence: float) -> FirthEstimate:
    penalised = Penalised(given.X, given.t, given.c)
    beta, value = penalised.highest()
    places = range(penalised.size)
    tests = [penalised.deviance(beta, value, j, 0.0) for j in places]

    def named(values: Any) -> dict[str, Any]:
        return dict(zip(given.names, values, strict=True))

    return FirthEstimate(
        named(penalised.coefficients(beta).tolist()),
        named([penalised.interval(beta, value, j, confidence) for j in places]),
        named([float(stats.chi2.sf(max(test, 0.0), 1)) for test in tests]),
        named(penalised.errors(beta).tolist()),
        value + penalised.volume,
        confidence,
        given.labels[1],
        given.labels[0],
    )


# --- The likelihood with Firth's penalty: half the log determinant of the information ------------
#
# Its maximum always exists, but it is not concave, and steps by the information alone may circle
# around it for ever where rows are separated. So the search turns to its own second derivatives
# when these steps do not get shorter quickly. Columns are made orthogonal, the intercept's first,
# and steps are taken in coordinates in which the information is the identity: neither the scale of
# columns nor where their zero lies makes a difference, such as that of years.


_STEPS, _HALVINGS = 500, 60
_LONGEST = 5.0  # what a first step may change a row's log-odds by; good steps double it
_LEAST = 1e-290  # weight of a row, so that logarithms are finite
_GAIN, _PROFILE_GAIN = 1e-20, 1e-12  # what a step promises where the search ends
_ENOUGH = 1e-8  # a gain that rounding may stand in the way of
_SLOW = 0.1  # a gain that is a larger share of the one before asks for second derivatives
_FLATTEST = 1e-3  # curvature, where the information's is 1
_STRETCHES = 2.0, 4.0
_NOISE = 1e-14  # of the likelihood, as a share of it


@dataclass(frozen=True)
class _Point:
    value: float
    inverse: Numbers  # V with V V' = the inverse of the information
    score: Numbers  # V' times the score
    rows: Numbers  # X V
    p: Numbers
    leverage: Numbers


@final
class Penalised(Likelihood):
    """Of rows whose columns are independent; `beta` is that of the orthogonal ones."""

    def __init__(self, X: Numbers, t: Numbers, c: Numbers):
        super().__init__(X, t, c)
        basis, root = np.linalg.qr(self._X[:, ::-1])  # the intercept is the last column
        length = np.sqrt(len(X))
        self._X = basis * length
        back = linalg.solve_triangular(root, np.eye(len(root))) * length
        self._back: Numbers = np.ascontiguousarray(back[::-1])  # to the scaled columns
        # What the penalty is larger by in terms of the given columns.
        self.volume = float(
            np.sum(np.log(np.abs(np.diag(root)) / length)) + np.sum(np.log(self.scale))
        )

    def coefficient(self, beta: Numbers, j: int) -> float:
        return float(self._back[j] @ beta)

    def coefficients(self, beta: Numbers) -> Numbers:
        """Of the given columns."""
        found: Numbers = (self._back @ beta) / self.scale
        return found

    def at_penalised(self, beta: Numbers) -> _Point:
        eta = self._X @ beta
        p = special.expit(eta)
        value = float(np.sum(self._c * (self._t * eta - np.logaddexp(0.0, eta))))
        weight = np.maximum(self._c * p * special.expit(-eta), _LEAST)
        # Heavy rows first and columns by their length: weights that differ by many powers of ten
        # then do no harm (Cox and Higham, 1998).
        order = np.argsort(-weight, kind="stable")
        half = (self._X * np.sqrt(weight)[:, None])[order]
        root, columns = linalg.qr(half, mode="r", pivoting=True)
        root = root[: self.size]
        value += float(np.sum(np.log(np.abs(np.diag(root)))))
        inverse = np.zeros((self.size, self.size))
        inverse[columns] = linalg.solve_triangular(root, np.eye(self.size))
        rows = self._X @ inverse
        leverage = np.where(weight > _LEAST, weight * np.sum(rows * rows, axis=1), 0.0)
        residual = self._c * (self._t - p) + leverage * (0.5 - p)
        return _Point(value, inverse, rows.T @ residual, rows, p, leverage)

    def highest(self) -> tuple[Numbers, float]:
        """The highest of the maxima that are found from 0 and from beyond the first one: where
        rows are separated by a column of large numbers there may be several."""
        best = first = self.maximum(np.zeros(self.size))
        for stretch in _STRETCHES:
            best = max(best, self.maximum(stretch * first[0]), key=lambda found: found[1])
        return best

    def maximum(self, start: Numbers, fixed: int | None = None) -> tuple[Numbers, float]:
        """By Newton's method; the fixed coefficient stays as it starts."""
        beta, here = start.copy(), self.at_penalised(start)
        enough = _GAIN if fixed is None else _PROFILE_GAIN
        before = gain = np.inf
        longest = _LONGEST
        for _ in range(_STEPS):
            free = self._free(here, fixed)
            score = free.T @ here.score
            gain = float(score @ score)
            if gain <= enough:
                return beta, here.value
            if gain > _SLOW * before:
                score = self._newton(here, free, score)
            before = gain
            direction = free @ score
            promised = float(direction @ here.score)
            change = float(np.abs(here.rows @ direction).max())
            share = min(1.0, longest / change)
            step = here.inverse @ direction * share
            noise = _NOISE * (1.0 + abs(here.value))
            longest *= 2
            for _ in range(_HALVINGS):
                there = self.at_penalised(beta + step)
                if there.value >= here.value + 1e-4 * share * promised - noise:
                    break
                step, share, longest = step / 2, share / 2, max(longest / 2, _LONGEST)
            else:
                break
            beta, here = beta + step, there
        if gain <= _ENOUGH:
            return beta, here.value
        raise InputError(
            "The penalised likelihood was not maximised: numbers of the columns differ too much. "
            "Scale the columns, or leave out nearly collinear ones."
        )

    def _newton(self, here: _Point, free: Numbers, score: Numbers) -> Numbers:
        """The step by second derivatives; where they do not bend down, uphill all the same."""
        rows = here.rows @ free
        bend = 0.5 * here.leverage * (1.0 - 6.0 * here.p * (1.0 - here.p))
        weight = self._c * here.p * (1.0 - here.p)
        curvature = np.eye(len(score)) - rows.T @ (rows * bend[:, None])
        tilted = rows * (weight * (1.0 - 2.0 * here.p))[:, None]
        for k in range(self.size):
            part = tilted.T @ (here.rows * here.rows[:, [k]])
            curvature += 0.5 * part @ part.T
        values, vectors = np.linalg.eigh(curvature)
        found: Numbers = vectors @ ((vectors.T @ score) / np.maximum(np.abs(values), _FLATTEST))
        return found

    def errors(self, beta: Numbers) -> Numbers:
        inverse = self._back @ self.at_penalised(beta).inverse
        found: Numbers = np.linalg.norm(inverse, axis=1) / self.scale
        return found

    def moved(self, beta: Numbers, j: int, at: float) -> Numbers:
        """Along the tangent of the profile, or by the least change of log-odds, if better."""
        inverse, row = self.at_penalised(beta).inverse, self._back[j]
        far = at - self.coefficient(beta, j)
        starts = [beta + way * (far / (row @ way)) for way in (inverse @ (inverse.T @ row), row)]
        return max(starts, key=lambda start: self.at_penalised(start).value)

    def _free(self, here: _Point, fixed: int | None) -> Numbers:
        """Orthonormal directions that leave the fixed coefficient alone."""
        if fixed is None:
            return np.eye(self.size)
        found: Numbers = linalg.qr((self._back[fixed] @ here.inverse)[:, None])[0][:, 1:]
        return found
