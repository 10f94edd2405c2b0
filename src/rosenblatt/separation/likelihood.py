"""The likelihood of a logistic regression, its maximum and its profiles; with Firth's penalty, too.

l(β) = Σ c_i (t_i η_i - log(1 + exp η_i)) with η = Xβ and t = 0 or 1; its information is X'WX,
W = diag(c_i π_i (1 - π_i)). Firth's penalty adds half the log determinant of the information.

Neither the unit of a column nor its zero makes a difference (years, seconds since 1970): what is
common to a column is taken off it, and columns are made orthogonal. Steps are taken in coordinates
in which the information is the identity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, special, stats

from rosenblatt.errors import InputError

Numbers = NDArray[np.float64]

_STEPS, _HALVINGS, _DOUBLINGS = 500, 60, 60
_LONGEST = 5.0  # what a first step may change a row's log-odds by; good steps double it
_LEAST = 1e-290  # weight of a row, so that logarithms are finite
_GAIN, _PROFILE_GAIN = 1e-20, 1e-12  # what a step promises where the search ends
_ENOUGH = 1e-8  # a gain that rounding may stand in the way of
_SLOW = 0.1  # a gain that is a larger share of the one before asks for second derivatives
_FLATTEST = 1e-3  # curvature, where the information's is 1
_STRETCHES = 2.0, 4.0
_NOISE = 1e-14  # of the likelihood, as a share of it


def centred(X: Numbers) -> tuple[Numbers, Numbers, int | None]:
    """X less a value of each column, these values, and the column that takes them: a constant one.

    The value is one that the column has: numbers that are near each other differ without rounding.
    """
    constant = np.flatnonzero((X[0] == X).all(axis=0) & (X[0] != 0))
    if not len(constant):
        return X, np.zeros(X.shape[1]), None
    k = int(constant[-1])
    center = np.sort(X, axis=0)[len(X) // 2]
    center[k] = 0.0
    return X - center, center, k


@dataclass(frozen=True)
class _Point:
    value: float
    inverse: Numbers  # V with V V' = the inverse of the information
    score: Numbers  # V' times the score
    rows: Numbers  # X V
    p: Numbers
    leverage: Numbers


class Likelihood:
    """Of rows X, outcomes t and weights c of rows; columns are independent. `beta` is that of the
    orthogonal ones."""

    def __init__(self, X: Numbers, t: Numbers, c: Numbers, *, penalised: bool = False):
        self._t, self._c, self.penalised = t, c, penalised
        X, self._center, constant = centred(X)
        scale = np.sqrt(np.mean(X * X, axis=0))
        scale[scale == 0] = 1.0
        basis, root = np.linalg.qr((X / scale)[:, ::-1])  # the intercept is the last column
        length = np.sqrt(len(X))
        self._X = basis * length
        back = linalg.solve_triangular(root, np.eye(len(root))) * length
        self._moved: Numbers = back[::-1] / scale[:, None]  # to the columns less their centres
        self._back = self._moved.copy()  # to the given columns
        if constant is not None:
            self._back[constant] -= self._center @ self._moved / X[0, constant]
        # What the penalty is larger by in terms of the given columns.
        self._volume = float(np.sum(np.log(np.abs(np.diag(root)) / length)) + np.sum(np.log(scale)))

    @property
    def size(self) -> int:
        return int(self._X.shape[1])

    def coefficients(self, beta: Numbers) -> Numbers:
        """Of the given columns."""
        return np.asarray(self._back @ beta)

    def log_odds(self, X: Numbers, beta: Numbers) -> Numbers:
        return np.asarray((X - self._center) @ (self._moved @ beta))

    def log_likelihood(self, value: float) -> float:
        """In terms of the given columns."""
        return value + self._volume if self.penalised else value

    def errors(self, beta: Numbers) -> Numbers:
        return np.asarray(np.linalg.norm(self._back @ self.at(beta).inverse, axis=1))

    def at(self, beta: Numbers) -> _Point:
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
        inverse = np.zeros((self.size, self.size))
        inverse[columns] = linalg.solve_triangular(root, np.eye(self.size))
        rows = self._X @ inverse
        leverage = np.zeros(len(p))
        if self.penalised:
            value += float(np.sum(np.log(np.abs(np.diag(root)))))
            leverage = np.where(weight > _LEAST, weight * np.sum(rows * rows, axis=1), 0.0)
        residual = self._c * (self._t - p) + leverage * (0.5 - p)
        return _Point(value, inverse, rows.T @ residual, rows, p, leverage)

    # --- The maximum ---
    #
    # With the penalty it always exists, but the likelihood is not concave, and steps by the
    # information alone may circle around it for ever where rows are separated. So the search turns
    # to its own second derivatives when these steps do not get shorter quickly.

    def highest(self) -> tuple[Numbers, float]:
        """Of the maxima that are found from 0 and from beyond the first one: where rows are
        separated by a column of large numbers there may be several with the penalty."""
        best = first = self.maximum(np.zeros(self.size))
        for stretch in _STRETCHES if self.penalised else ():
            best = max(best, self.maximum(stretch * first[0]), key=lambda found: found[1])
        return best

    def maximum(self, start: Numbers, fixed: int | None = None) -> tuple[Numbers, float]:
        """By Newton's method; the fixed coefficient stays as it starts."""
        beta, here = start.copy(), self.at(start)
        enough = _GAIN if fixed is None else _PROFILE_GAIN
        before = gain = np.inf
        longest = _LONGEST
        for _ in range(_STEPS):
            free = self._free(here, fixed)
            score = free.T @ here.score
            gain = float(score @ score)
            if gain <= enough:
                return beta, here.value
            if self.penalised and gain > _SLOW * before:
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
                there = self.at(beta + step)
                if there.value >= here.value + 1e-4 * share * promised - noise:
                    break
                step, share, longest = step / 2, share / 2, max(longest / 2, _LONGEST)
            else:
                break
            beta, here = beta + step, there
        if gain <= _ENOUGH:
            return beta, here.value
        raise InputError(
            "The likelihood was not maximised: numbers of the columns differ too much. Scale the "
            "columns, or leave out nearly collinear ones."
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
        return np.asarray(vectors @ ((vectors.T @ score) / np.maximum(np.abs(values), _FLATTEST)))

    def _free(self, here: _Point, fixed: int | None) -> Numbers:
        """Orthonormal directions that leave the fixed coefficient alone."""
        if fixed is None:
            return np.eye(self.size)
        return np.asarray(linalg.qr((self._back[fixed] @ here.inverse)[:, None])[0][:, 1:])

    # --- Profiles ---

    def interval(
        self, beta: Numbers, value: float, j: int, confidence: float
    ) -> tuple[float, float]:
        """Where the profile of coefficient j is as high as a test at that confidence demands."""
        quantile = float(stats.chi2.ppf(confidence, 1))
        width = float(np.sqrt(quantile) * self.errors(beta)[j])
        profile, top = self._profile(beta, value, j, quantile), float(self._back[j] @ beta)
        low, high = (_crossing(profile, top, side * width) for side in (-1.0, 1.0))
        return low, high

    def one_sided(self, value: float, j: int, side: float, confidence: float) -> float:
        """The finite end of the interval of a coefficient that runs to infinity on this side,
        where the likelihood rises to this value."""
        quantile = float(stats.chi2.ppf(confidence, 1))
        profile = self._profile(np.zeros(self.size), value, j, quantile)
        unit, inner = float(np.linalg.norm(self._back[j])), 0.0
        for k in range(_DOUBLINGS):
            if profile(inner) < 0:
                break
            inner = side * unit * 2.0**k
        else:
            return -side * np.inf
        return _crossing(profile, inner, -side * unit)

    def deviance(self, beta: Numbers, value: float, j: int, at: float) -> float:
        """Twice what the likelihood loses if coefficient j is held there."""
        return self._profile(beta, value, j, 0.0)(at)

    def _profile(
        self, beta: Numbers, value: float, j: int, quantile: float
    ) -> Callable[[float], float]:
        last = beta
        known = {float(self._back[j] @ beta): -quantile} if beta.any() else {}  # asked twice

        def below(at: float) -> float:
            nonlocal last
            if at not in known:
                last, there = self.maximum(self._along(last, j, at), fixed=j)
                known[at] = 2.0 * (value - there) - quantile
            return known[at]

        return below

    def _along(self, beta: Numbers, j: int, at: float) -> Numbers:
        """Coefficient j moved along the tangent of the profile, or by the least change of log-odds,
        whichever is better."""
        inverse, row = self.at(beta).inverse, self._back[j]
        far = at - float(row @ beta)
        starts = [beta + way * (far / (row @ way)) for way in (inverse @ (inverse.T @ row), row)]
        return max(starts, key=lambda start: self.at(start).value)


def _crossing(profile: Callable[[float], float], inner: float, step: float) -> float:
    """Where the profile, which is below 0 at `inner`, reaches 0 in the direction of the step."""
    size, outer = abs(step), inner + step
    for _ in range(_DOUBLINGS):
        if profile(outer) > 0:
            ends = profile, inner, outer
            return float(optimize.brentq(*ends, xtol=1e-10 * size, rtol=4 * np.finfo(float).eps))
        inner, step = outer, 2 * step
        outer = inner + step
        if abs(step) > 1e8 * size:
            break
    return float(np.sign(step) * np.inf)
