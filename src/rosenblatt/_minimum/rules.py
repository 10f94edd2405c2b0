"""Rules with few errors: trained perceptrons, then a search along lines.

Along a line w + t v the errors change only where a row crosses the hyperplane, at t_i = -m_i / p_i
with the scores m_i of w and p_i of v. Sorting them finds the best t on the whole line (Li and Lin,
Optimizing 0/1 loss for perceptrons by random coordinate descent, IJCNN 2007).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt._minimum.problem import Problem
from rosenblatt._proof.budget import LimitReached
from rosenblatt._proof.rows import Floats
from rosenblatt.errors import InputError, WeightsOverflow
from rosenblatt.perceptron import Perceptron

_EPOCHS = 64
_MOST_UPDATES = 2000  # of the pocket, each of which counts all errors
_MOST_COPIED = 5 * 10**7  # numbers of a table that is scaled for training
_WORK = 5 * 10**8  # numbers that the search along lines reads
_LINES = 1000


def improve(problem: Problem) -> None:
    """From each start along lines, as many as the size of the table allows."""
    rows = problem.rows
    lines = min(_LINES, 20 * rows.n, max(50, _WORK // (rows.n * (rows.D + 20))))
    starts = []
    for w in _starts(problem):
        problem.offer(w)
        if np.isfinite(w).all() and w.any():
            starts.append(w)
    for w in starts:
        descend(problem, w, lines // len(starts))
    descend(problem, problem.best.w, lines)


# --- Where to start -------------------------------------------------------------------------------


def _starts(problem: Problem) -> Iterator[Floats]:
    rows = problem.rows
    yield _weights(problem, problem.metric.rows(rows, _some(rows.n)).mean(axis=0))
    if (rows.y == rows.y[0]).all():
        return
    X, scale, center = _scaled(problem)
    for p in (
        Perceptron(fit_intercept=rows.intercept, random_state=0, warm_start=True),
        Perceptron(
            order="random",
            keep="pocket",
            fit_intercept=rows.intercept,
            random_state=0,
            max_updates=max(20, min(_MOST_UPDATES, _WORK // (8 * rows.n * rows.D))),
        ),
    ):
        if _train(problem, p, X):
            w = p.coef_[0] * scale
            yield rows.lifted(w, float(p.intercept_[0] - w @ center))


def _some(n: int) -> Floats:
    return np.unique(np.linspace(0, n - 1, min(n, 4096)).astype(np.intp))


def _scaled(problem: Problem) -> tuple[object, Floats, Floats]:
    """X with columns of similar size, around zero where that keeps zeros."""
    rows, metric = problem.rows, problem.metric
    none = np.zeros(rows.d)
    if sparse.issparse(rows.X):
        return rows.X.multiply(metric.scale).tocsr(), metric.scale, none
    if rows.n * rows.d > _MOST_COPIED:
        return rows.X, np.ones(rows.d), none
    center = metric.center if rows.intercept else none
    return (rows.x(0, rows.n) - center) * metric.scale, metric.scale, center


def _train(problem: Problem, perceptron: Perceptron, X: object) -> bool:
    """Until it converges or has made its epochs; between them the clock is looked at."""
    epochs = 1 if perceptron.warm_start else _EPOCHS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        while epochs <= _EPOCHS:
            done = getattr(perceptron, "n_iter_", 0)
            perceptron.max_iter = epochs - done
            try:
                problem.rows.budget.spend(problem.rows.n)
                perceptron.fit(X, problem.rows.y, problem.c)
            except LimitReached:
                if done:
                    break
                raise
            except (InputError, WeightsOverflow):  # numbers that are too large for it
                return False
            if perceptron.converged_:
                break
            epochs *= 2
    return True


# --- Along lines ----------------------------------------------------------------------------------


@np.errstate(all="ignore")  # what overflows is not chosen, and errors are recounted exactly
def descend(problem: Problem, w: Floats, lines: int) -> None:
    """Better and better weights, one line after the other; the last ones are offered."""
    rows, rng = problem.rows, np.random.default_rng(0)
    m = rows.scores(*rows.split(w))
    cost = float(problem.c[~(m > 0)].sum())
    try:
        for k in range(lines):
            v = _direction(problem, m, k, rng)
            p = rows.scores(*rows.split(v))
            found = best_step(m, p, problem.c)
            if found is None or found[0] > cost or not np.isfinite(found[1]):
                continue
            moved = w + found[1] * v
            moved /= np.linalg.norm(moved)
            again = rows.scores(*rows.split(moved))
            real = float(problem.c[~(again > 0)].sum())
            if real <= cost:  # it may not be, by rounding
                w, m, cost = moved, again, real
    finally:
        problem.offer(w)


def _direction(problem: Problem, m: Floats, k: int, rng: np.random.Generator) -> Floats:
    """By turns a coordinate, a random one, and one that turns towards a row that is wrong."""
    rows, metric = problem.rows, problem.metric
    size = rows.D if metric.basis is None else metric.basis.shape[1]
    if k % 3 == 0:
        v = np.zeros(size)
        v[k // 3 % size] = 1.0
    elif k % 3 == 1:
        v = rng.standard_normal(size)
    else:
        wrong = np.flatnonzero(~(m > 0))
        if not len(wrong):
            return rng.standard_normal(rows.D)
        v = metric.rows(rows, rng.choice(wrong, 1))[0]
    return _weights(problem, v)


def _weights(problem: Problem, v: Floats) -> Floats:
    return problem.rows.lifted(*problem.metric.weights(problem.rows, v))


def best_step(m: Floats, p: Floats, c: Floats) -> tuple[float, float] | None:
    """The least Σ c_i over m_i + t p_i <= 0, and the middle of the widest interval of such t."""
    t = -m / p
    moving = np.flatnonzero(np.isfinite(t))
    if not len(moving):
        return None
    fixed = np.ones(len(m), dtype=bool)
    fixed[moving] = False
    order = moving[np.argsort(t[moving], kind="stable")]
    t = t[order]
    change = np.where(p[order] > 0, -c[order], c[order])  # when t passes
    start = float(c[fixed & ~(m > 0)].sum()) + float(c[order][p[order] > 0].sum())
    cost = np.append(start, start + np.cumsum(change))
    reach = max(float(t[-1] - t[0]), abs(float(t[0])), abs(float(t[-1])), 1e-9)
    ends = np.concatenate([[t[0] - reach], t, [t[-1] + reach]])
    width = np.diff(ends)
    cost[width <= 1e-12 * reach] = np.inf
    least = float(cost.min())
    liked = width.copy()
    liked[[0, -1]] = 0.0  # far out v alone decides
    k = int(np.argmax(np.where(cost <= least * (1 + 1e-12), liked, -1.0)))
    return least, float(ends[k] + width[k] / 2)
