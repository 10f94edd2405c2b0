"""Rules with few errors: trained perceptrons, then a search along lines.

Along a line w + t v the errors change only where a row crosses the hyperplane, at t_i = -m_i / p_i
with the scores m_i of w and p_i of v. Sorting them finds the best t on the whole line (Li and Lin,
Optimizing 0/1 loss for perceptrons by random coordinate descent, IJCNN 2007).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rosenblatt._bounds.problem import Costs, Problem, Rule
from rosenblatt._certify.nearest_point import mean
from rosenblatt._certify.rows import Floats
from rosenblatt._core.backend import compute
from rosenblatt.errors import InputError, WeightsOverflowError

if TYPE_CHECKING:
    from rosenblatt.perceptron import Perceptron


_EPOCHS = 64
_UPDATES = 2000  # of the pocket, each of which counts all errors
_MOST_COPIED = 5 * 10**7  # numbers of a table that is scaled for training
_WORK = 5 * 10**8  # numbers that a search reads
_LINES = 300
_MANY, _NEAR = 20_000, 0.05  # of so many rows this part is moved along a line


def constant(problem: Problem) -> None:
    if problem.rows.intercept:
        for b in (1.0, -1.0):
            problem.offer(np.append(np.zeros(problem.rows.D - 1), b))


def improve(problem: Problem) -> None:
    rows = problem.rows
    lines = min(_LINES, 8 * rows.n, max(50, _WORK // (rows.n * (rows.D + 20))))
    starts = []
    for w in _starts(problem):
        if np.isfinite(w).all() and w.any():
            problem.offer(w)
            starts.append(problem.rule(w))
    for rule in sorted(starts, key=lambda rule: rule.cost):
        descend(problem, rule.w, lines)
        lines = max(lines // 2, 10)


def without(problem: Problem, j: int) -> Rule:
    rows = problem.rows
    kept = np.delete(np.arange(rows.d), j)
    costs = Costs(problem.cost, problem.unit)
    signs = None if problem.signs is None else problem.signs[kept]
    part = Problem(rows.like(rows.X[:, kept], rows.y.astype(np.int8)), costs, signs)
    constant(part)
    try:
        if len(kept):
            improve(part)
    finally:
        w = np.insert(part.best.w, j, 0.0)
        problem.offer(w)
    return problem.rule(w)


def left_out(problem: Problem, j: int) -> Rule:
    w, shift = problem.best.w.copy(), np.zeros(problem.rows.D)
    w[j], shift[-1] = 0.0, 1.0
    rows = problem.rows
    with np.errstate(all="ignore"):
        step = best_step(rows.scores(*rows.split(w)), rows.scores(*rows.split(shift)), problem.c)
    if step is not None and np.isfinite(step[1]):
        w += step[1] * shift
    return problem.rule(w)


# --- Where to start -------------------------------------------------------------------------------


def _starts(problem: Problem) -> Iterator[Floats]:
    rows = problem.rows
    if not problem.wide:
        yield _weights(problem, mean(rows, problem.metric))
    if (rows.y == rows.y[0]).all():
        return
    from rosenblatt.perceptron import Perceptron

    X, scale, center = _scaled(problem)
    work = _WORK if compute.native else _WORK // 1000  # a time limit is a time limit
    numbers = rows.n + (rows.X.nnz if sparse.issparse(rows.X) else rows.X.size)
    epochs = max(2, min(_EPOCHS, work // (4 * numbers)))
    updates = max(20, min(_UPDATES, work // (8 * numbers)))
    how: dict[str, Any] = {"fit_intercept": rows.intercept, "random_state": 0}
    how |= {"max_iter": epochs}
    for p in (
        Perceptron(**how),
        Perceptron(order="random", keep="pocket", max_updates=updates, **how),
    ):
        if _fit(problem, p, X):
            w = p.coef_[0] * scale
            yield rows.lifted(w, float(p.intercept_[0] - w @ center))


def _scaled(problem: Problem) -> tuple[Any, Floats, Floats]:
    rows, metric = problem.rows, problem.metric
    none = np.zeros(rows.d)
    if sparse.issparse(rows.X):
        return rows.X.multiply(metric.scale).tocsr(), metric.scale, none
    if rows.n * rows.d > _MOST_COPIED:
        return rows.X, np.ones(rows.d), none
    center = metric.center if rows.intercept else none
    return (rows.x(0, rows.n) - center) * metric.scale, metric.scale, center


def _fit(problem: Problem, perceptron: Perceptron, X: Any) -> bool:
    from sklearn.exceptions import ConvergenceWarning

    problem.rows.budget.spend(problem.rows.n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            perceptron.fit(X, problem.rows.y, problem.c)
        except (InputError, WeightsOverflowError):  # numbers that are too large for it
            return False
    return True


# --- Along lines ----------------------------------------------------------------------------------


@np.errstate(all="ignore")  # what overflows is not chosen, and errors are recounted exactly
def descend(problem: Problem, w: Floats, lines: int) -> None:
    rows, rng = problem.rows, np.random.default_rng(0)
    w = problem.obeying(w)
    m = rows.scores(*rows.split(w))
    cost = float(problem.c[~(m > 0)].sum())
    try:
        for k in range(lines):
            v = _direction(problem, m, k, rng)
            p = rows.scores(*rows.split(v))
            step = best_step(m, p, problem.c)
            if step is None or step[0] > cost or not np.isfinite(step[1]):
                continue
            least, t = step
            moved = w + t * v
            size = float(np.linalg.norm(moved))
            if not 0 < size < np.inf:
                continue
            obeying = problem.obeying(moved)
            if obeying is moved or (obeying == moved).all():
                w, m, cost = moved / size, (m + t * p) / size, least
                continue
            there = rows.scores(*rows.split(obeying))
            made = float(problem.c[~(there > 0)].sum())
            if made <= cost:
                w, m, cost = obeying, there, made
    finally:
        problem.offer(w)


def _direction(problem: Problem, m: Floats, k: int, rng: np.random.Generator) -> Floats:
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
            return np.asarray(rng.standard_normal(rows.D))
        v = metric.rows(rows, rng.choice(wrong, 1))[0]
    return _weights(problem, v)


def _weights(problem: Problem, v: Floats) -> Floats:
    return problem.rows.lifted(*problem.metric.weights(problem.rows, v))


def best_step(m: Floats, p: Floats, c: Floats) -> tuple[float, float] | None:
    """The least Σ c_i over m_i + t p_i <= 0, and the middle of the widest interval of such t.

    Of many rows only those are moved that cross the hyperplane soonest.
    """
    t = -m / p
    far = np.inf
    if len(t) > _MANY:
        near = np.abs(t[:: len(t) // 1000])
        far = float(np.quantile(near[~np.isnan(near)], _NEAR)) if not np.isnan(near).all() else far
    moving = np.flatnonzero(np.abs(t) < far)
    if not len(moving):
        return None
    wrong = ~(m > 0)
    fixed = float(c[wrong].sum()) - float(c[moving[wrong[moving]]].sum())
    order = moving[np.argsort(t[moving], kind="stable")]
    t, c, rising = t[order], c[order], p[order] > 0
    start = fixed + float(c[rising].sum())
    cost = np.append(start, start + np.cumsum(np.where(rising, -c, c)))  # as t passes each row
    if far < np.inf:
        ends = np.concatenate([[-far], t, [far]])
    else:
        reach = max(float(t[-1] - t[0]), abs(float(t[0])), abs(float(t[-1])), 1e-9)
        ends = np.concatenate([[t[0] - reach], t, [t[-1] + reach]])
    width = np.diff(ends)
    cost[width <= 1e-12 * (ends[-1] - ends[0])] = np.inf
    least = float(cost.min())
    liked = width.copy()
    liked[[0, -1]] = 0.0  # far out v alone decides
    k = int(np.argmax(np.where(cost <= least * (1 + 1e-12), liked, -1.0)))
    return least, float(ends[k] + width[k] / 2)
