"""The likelihood of a regression, its maximum and its profiles; with Firth's penalty, too.

Logistic: l(β) = Σ c_i (t_i η_i - log(1 + exp η_i)) with η = Xβ + offset and t = 0 or 1; its
information is X'WX, W = diag(c_i π_i (1 - π_i)). Firth's penalty adds half the log determinant of
the information. Poisson and proportional odds are of the same form, with other values, scores and
weights of rows: `log_link` and `ordered`.

Neither the unit of a column nor its zero makes a difference (years, seconds since 1970): what is
common to a column is taken off it, and columns are made orthogonal. Steps are taken in coordinates
in which the information is the identity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

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
_STRETCHES = 2.0, 4.0  # of the first maximum: where others are looked for
_DIRECTIONS = (
    6  # at random, as far out as the first maximum, and the opposite one; for small tables
)
_SMALL = 4 * 10**6  # rows times the square of coefficients
_HIGHER = 1e-6  # a difference of values that makes two maxima
_NOISE = 1e-14  # of the likelihood, as a share of it
_TANGENTS, _NEAR = 5, 1e-6  # steps to the end of an interval, and the last, as a share of it
_MOST_ETA = 700.0  # of which the exponential is a float
_NEAREST = 1e-9  # steps are not halved further
_EVEN = 1e4  # condition of an information that products are exact enough for


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


class Terms(NamedTuple):
    """Of each row: its share of the likelihood, the slope in η, and minus the curvature."""

    value: float
    residual: Numbers
    weight: Numbers
    p: Numbers  # fitted


Model = Callable[[Numbers, Numbers, Numbers], Terms]  # of η, t and c


def logistic(eta: Numbers, t: Numbers, c: Numbers) -> Terms:
    small = np.exp(-np.abs(eta))
    large = 1.0 / (1.0 + small)
    p = np.where(eta > 0, large, small * large)
    losses = np.maximum(eta, 0.0) + np.log1p(small) - t * eta
    return Terms(-float(c @ losses), c * (t - p), c * large * (small * large), p)


def log_link(eta: Numbers, t: Numbers, c: Numbers) -> Terms:
    """Poisson, without the logarithms of factorials."""
    mean = np.exp(np.minimum(eta, _MOST_ETA))
    return Terms(float(c @ (t * eta - mean)), c * (t - mean), c * mean, mean)


def ordered(eta: Numbers, t: Numbers, c: Numbers) -> Terms:
    """Proportional odds: F(u) - F(l) = F(u) F(-l) (1 - exp(l - u)), with η = (u, l, u - l) of each
    row one after the other; u = ∞ for the highest level, l = -∞ for the lowest."""
    u, low, gap = eta.reshape(3, -1)
    if not (gap > 0).all():
        return Terms(-np.inf, eta * 0, np.ones(len(eta)), eta)
    above, below = special.expit(-u), special.expit(low)
    rest = np.exp(-gap)
    odd = rest / -np.expm1(-gap)  # 1/(exp(gap) - 1)
    loss = -special.log_expit(u) - special.log_expit(-low) - np.log1p(-rest)
    residual = np.concatenate([c * above, -c * below, c * odd])
    weight = np.concatenate([c * above * (1 - above), c * below * (1 - below), c * odd * (1 + odd)])
    return Terms(-float(c @ loss), residual, weight, np.exp(-loss))


class _Point:
    """The likelihood at β; what steps need is computed when it is asked for."""

    def __init__(self, of: Likelihood, beta: Numbers):
        self.beta, self._penalised, self._spare = beta, of.penalised, of.spare
        self._X, t, c = of.rows
        terms = of.model(self._X @ beta + of.offset, t, c)
        self.p, self._residual = terms.p, terms.residual
        self._weight = np.maximum(terms.weight, _LEAST)
        self.value = terms.value if terms.value == terms.value else -np.inf
        if of.penalised:
            self.value += self._half_log_det

    @cached_property
    def _root(self) -> tuple[Numbers, Numbers | None]:
        """R with R'R = the information, of its columns in this order (None: as they are)."""
        half = np.multiply(self._X, np.sqrt(self._weight)[:, None], out=self._spare)
        information = half.T @ half
        values = np.linalg.eigvalsh(information)
        if values[0] * _EVEN > values[-1]:
            return np.asarray(linalg.cholesky(information, check_finite=False)), None
        # Heavy rows first and columns by their length: weights that differ by many powers of ten
        # then do no harm (Cox and Higham, 1998).
        half = half[np.argsort(-self._weight, kind="stable")]
        root, columns = linalg.qr(half, mode="r", pivoting=True)
        return root[: len(columns)], columns

    @property
    def _half_log_det(self) -> float:
        return float(np.sum(np.log(np.abs(np.diag(self._root[0])))))

    @cached_property
    def inverse(self) -> Numbers:
        """V with V V' = the inverse of the information."""
        root, columns = self._root
        solved: Numbers = linalg.solve_triangular(root, np.eye(len(root)))
        if columns is None:
            return solved
        inverse = np.empty_like(solved)
        inverse[columns] = solved
        return inverse

    @cached_property
    def rows(self) -> Numbers:
        """X V."""
        return np.asarray((self.inverse.T @ self._X.T).T)

    @cached_property
    def leverage(self) -> Numbers:
        squares = np.einsum("ij,ij->i", self.rows, self.rows)
        return np.where(self._weight > _LEAST, self._weight * squares, 0.0)

    @cached_property
    def score(self) -> Numbers:
        """V' times the score."""
        residual = self._residual
        if self._penalised:
            residual = residual + self.leverage * (0.5 - self.p)
        return np.asarray(self.inverse.T @ (self._X.T @ residual))


class Likelihood:
    """Of rows X, outcomes t and weights c of rows; columns are independent. `beta` is that of the
    orthogonal ones."""

    def __init__(
        self,
        X: Numbers,
        t: Numbers,
        c: Numbers,
        *,
        penalised: bool = False,
        model: Model = logistic,
        offset: Numbers | float = 0.0,
        start: Numbers | None = None,
    ):
        """`start` are coefficients, where not all zero."""
        self._c, self.penalised, self.model, self.offset = c, penalised, model, offset
        self.top: _Point | None = None  # where it is highest, once that is known
        self.maxima: list[float] = []  # values of all maxima that were found, the highest first
        self.above: _Point | None = None  # where a profile is higher than the top
        X, center, constant = centred(X)
        scale = np.sqrt(np.mean(X * X, axis=0))
        scale[scale == 0] = 1.0
        basis, root = np.linalg.qr((X / scale)[:, ::-1])  # the intercept is the last column
        length = np.sqrt(len(X))
        self._X = np.asfortranarray(basis * length)  # quick to weigh and to sum up
        self.rows = self._X, t, c
        self.spare = np.empty_like(self._X)  # memory is dear to ask for
        back = linalg.solve_triangular(root, np.eye(len(root))) * length
        moved = back[::-1] / scale[:, None]  # to the columns less their centres
        self._back = moved.copy()  # to the given columns
        if constant is not None:
            self._back[constant] -= center @ moved / X[0, constant]
        # What the penalty is larger by in terms of the given columns.
        self._volume = float(np.sum(np.log(np.abs(np.diag(root)) / length)) + np.sum(np.log(scale)))
        self._start = np.zeros(self.size)
        if start is not None:
            self._start = np.linalg.solve(self._back, start)

    def turned(self, by: Numbers) -> None:
        """Coefficients are these combinations of those of the columns."""
        self._back = by @ self._back

    @property
    def size(self) -> int:
        return int(self._X.shape[1])

    def row(self, j: int) -> Numbers:
        """What makes a given coefficient of β."""
        return np.asarray(self._back[j])

    def coefficients(self, beta: Numbers) -> Numbers:
        """Of the given columns."""
        return np.asarray(self._back @ beta)

    def fitted(self, beta: Numbers) -> Numbers:
        return self.at(beta).p

    def log_likelihood(self, value: float) -> float:
        """In terms of the given columns."""
        return value + self._volume if self.penalised else value

    def errors(self, beta: Numbers) -> Numbers:
        return np.asarray(np.linalg.norm(self._back @ self.at(beta).inverse, axis=1))

    def at(self, beta: Numbers) -> _Point:
        if self.top is not None and beta is self.top.beta:
            return self.top
        return _Point(self, beta)

    # --- The maximum ---
    #
    # With the penalty it always exists, but the likelihood is not concave, and steps by the
    # information alone may circle around it for ever where rows are separated. So the search turns
    # to its own second derivatives when these steps do not get shorter quickly.

    def highest(self) -> tuple[Numbers, float]:
        """Of the maxima that are found: with the penalty there may be several where rows are
        separated. Starts are 0 and points beyond the first maximum; for small tables its opposite,
        too, and directions at random, which are always the same."""
        first = self.maximum(self.at(self._start))
        starts = [stretch * first.beta for stretch in _STRETCHES if self.penalised]
        if self.penalised and self.size * self._X.size <= _SMALL:
            away = np.random.default_rng(0).normal(size=(_DIRECTIONS, self.size))
            away *= np.linalg.norm(first.beta) / np.linalg.norm(away, axis=1, keepdims=True)
            starts += [-first.beta, *away]
        others = []
        for start in starts:
            with suppress(InputError):  # a start from which the search gets nowhere
                others.append(self.maximum(self.at(start)))
        return self._chosen([first, *others])

    def raised(self) -> tuple[Numbers, float]:
        """From where a profile was higher than the highest maximum so far."""
        assert self.above is not None
        assert self.top is not None
        return self._chosen([self.top, self.maximum(self.above)])

    def _chosen(self, points: list[_Point]) -> tuple[Numbers, float]:
        self.above = None
        self.top = max(points, key=lambda point: point.value)
        values = sorted([*self.maxima, *(point.value for point in points)], reverse=True)
        self.maxima = values[:1]
        for value in values:
            if value < self.maxima[-1] - _HIGHER * (1.0 + abs(value)):
                self.maxima.append(value)
        return self.top.beta, self.top.value

    def seen(self, here: _Point) -> None:
        """Is it higher than the top?"""
        known = self.above or self.top
        if known and here.value > known.value + _HIGHER * (1.0 + abs(known.value)):
            self.above = here

    def without(self, places: Sequence[int]) -> float:
        """The highest value where these coefficients are 0, as they are at the start."""
        return self.maximum(self.at(self._start), list(places)).value

    def maximum(self, here: _Point, fixed: int | list[int] | None = None) -> _Point:
        """By Newton's method; the fixed coefficients stay as they start."""
        enough = _GAIN if fixed is None else _PROFILE_GAIN
        before = gain = np.inf
        longest = _LONGEST
        for _ in range(_STEPS):
            free = self._free(here, fixed)
            score = free.T @ here.score
            gain = float(score @ score)
            if gain <= enough:
                return here
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
                there = self.at(here.beta + step)
                if there.value >= here.value + 1e-4 * share * promised - noise:
                    break
                step, share, longest = step / 2, share / 2, max(longest / 2, _LONGEST)
            else:
                break
            here = there
        if gain <= _ENOUGH:
            return here
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

    def _free(self, here: _Point, fixed: int | list[int] | None) -> Numbers:
        """Orthonormal directions that leave the fixed coefficients alone."""
        if fixed is None:
            return np.eye(self.size)
        some = [fixed] if isinstance(fixed, int) else fixed
        return np.asarray(linalg.qr((self._back[some] @ here.inverse).T)[0][:, len(some) :])

    # --- Profiles ---

    def interval(
        self, beta: Numbers, value: float, j: int, confidence: float
    ) -> tuple[float, float]:
        """Where the profile of coefficient j is as high as a test at that confidence demands."""
        quantile = float(stats.chi2.ppf(confidence, 1))
        width = float(np.sqrt(quantile) * self.errors(beta)[j])
        profile, top = self._profile(beta, value, j), float(self._back[j] @ beta)
        low, high = (_crossing(profile, quantile, top, side * width) for side in (-1.0, 1.0))
        return low, high

    def one_sided(self, value: float, j: int, side: float, confidence: float) -> float:
        """The finite end of the interval of a coefficient that runs to infinity on this side,
        where the likelihood rises to this value."""
        quantile = float(stats.chi2.ppf(confidence, 1))
        profile = self._profile(self._start, value, j)
        unit, inner = float(np.linalg.norm(self._back[j])), 0.0
        for k in range(_DOUBLINGS):
            if profile(inner)[0] < quantile:
                break
            inner = side * unit * 2.0**k
        else:
            return -side * np.inf
        return _crossing(profile, quantile, inner, -side * unit)

    def deviance(self, beta: Numbers, value: float, j: int) -> float:
        """Twice what the likelihood loses if coefficient j is held at 0."""
        return self._profile(beta, value, j)(0.0)[0]

    def _profile(self, beta: Numbers, value: float, j: int) -> _Profile:
        return _Profile(self, self.at(beta), value, j)

    def along(self, here: _Point, j: int, at: float) -> _Point:
        """Coefficient j moved along the tangent of the profile; or by the least change of log-odds,
        where that is better and the tangent is not as good as it promised."""
        row = self._back[j]
        far, tangent = at - float(row @ here.beta), here.inverse.T @ row
        square = float(tangent @ tangent)
        start = self.at(here.beta + here.inverse @ tangent * (far / square))
        bend = 0.5 * far * far / square
        if start.value >= here.value + far * float(here.score @ tangent) / square - 1.5 * bend:
            return start
        other = self.at(here.beta + row * (far / float(row @ row)))
        best = max(start, other, key=lambda point: point.value)
        if best.value == -np.inf and abs(far) > _NEAREST:  # thresholds would cross: half way first
            middle = self.along(here, j, at - far / 2)
            return self.along(self.maximum(middle, fixed=j), j, at)
        return best


class _Profile:
    """The deviance where coefficient j is held, and its slope there."""

    def __init__(self, likelihood: Likelihood, last: _Point, value: float, j: int):
        self._likelihood, self._last, self._value, self._j = likelihood, last, value, j
        self._row = likelihood.row(j)
        self._known: dict[float, tuple[float, float]] = {}  # asked twice
        if last is likelihood.top:
            self._known[float(self._row @ last.beta)] = 0.0, 0.0

    def __call__(self, at: float) -> tuple[float, float]:
        if at not in self._known:
            start = self._likelihood.along(self._last, self._j, at)
            self._last = here = self._likelihood.maximum(start, fixed=self._j)
            self._likelihood.seen(here)
            tangent = here.inverse.T @ self._row
            slope = -2.0 * float(here.score @ tangent) / float(tangent @ tangent)
            self._known[at] = 2.0 * (self._value - here.value), slope
        return self._known[at]


def _crossing(profile: _Profile, quantile: float, inner: float, step: float) -> float:
    """Where the profile, which is below the quantile at `inner`, reaches it in the direction of the
    step. Its root is nearly straight, so that Newton's method mostly takes three steps."""
    at, size = inner + step, abs(step)
    for _ in range(_TANGENTS):
        deviance, slope = profile(at)
        if deviance <= 0 or slope * step <= 0 or abs(at - inner) > 2 * size:
            break
        move = 2.0 * (np.sqrt(quantile * deviance) - deviance) / slope
        at += move
        if abs(move) < _NEAR * size:
            return float(at)
    outer = inner + step

    def beyond(at: float) -> float:
        deviance, _ = profile(at)
        return float(np.copysign(np.sqrt(abs(deviance)), deviance) - np.sqrt(quantile))

    for _ in range(_DOUBLINGS):
        if beyond(outer) > 0:
            ends = beyond, inner, outer
            return float(optimize.brentq(*ends, xtol=1e-10 * size, rtol=4 * np.finfo(float).eps))
        inner, step = outer, 2 * step
        outer = inner + step
        if abs(step) > 1e8 * size:
            break
    return float(np.sign(step) * np.inf)
