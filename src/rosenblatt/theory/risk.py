"""Losses on the rows at hand; and bounds of the error on new rows: progressive, and by support."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln, logsumexp

from rosenblatt._core.protocol import UpdateRule
from rosenblatt._training.learner import Primal
from rosenblatt._validation import parameters
from rosenblatt.theory import given
from rosenblatt.theory.given import Floats

_WIDEST = (-6.0, 4.0)  # powers of e between which λ is looked for


def progressive_bound(mistakes: int, rows: int, *, lam: float, confidence: float = 0.95) -> float:
    """The mean error on new rows of the rules of one pass is at most this: progressive validation.

    Rows come independently from one source. Before row t is learned from, the rule met there, which
    may depend on all rows before in any way, predicts it: `mistakes` of `rows` are wrong, a share
    q. Then, with this confidence, the mean ε over t of the probability that the rule met at t errs
    on a new row is at most (1 - e^(-λq - ln(1/δ)/N)) / (1 - e^(-λ)), with N = `rows`, δ = 1 -
    `confidence` and any λ > 0 that was fixed before these rows were seen: `progressive_lambda`.

    It is about the mean of these rules, not about the last one.

    *Proof.* With p_t the probability that rule t errs, given the past, E e^(-λ X_t) = 1 - p_t c,
    where c = 1 - e^(-λ). So Π e^(-λ X_t) / (1 - p_t c) has mean 1, and is at most 1/δ with
    probability 1 - δ (Markov). Then -Σ ln(1 - p_t c) <= λ q N + ln(1/δ); the left side is at least
    -N ln(1 - εc), since the logarithm is concave. ∎

    Examples
    --------
    >>> from rosenblatt import theory
    >>> lam = theory.progressive_lambda(0.1, 500)
    >>> round(theory.progressive_bound(52, 500, lam=lam), 4)
    0.1405
    """
    mistakes, rows = _counts(mistakes, rows, "mistakes")
    lam = parameters.positive("lam", lam)
    much = math.log(1 / (1 - _confidence(confidence)))
    bound = -math.expm1(-lam * mistakes / rows - much / rows) / -math.expm1(-lam)
    return min(bound, 1.0)


def progressive_lambda(expected: float, rows: int, *, confidence: float = 0.95) -> float:
    """The λ with the least `progressive_bound` if a share `expected` of so many rows is wrong.

    `expected` must come from other rows, seen before them. It is taken as one mistake at least: the
    λ that is best for none at all would make a single mistake cost 38 points in 75 rows. That costs
    little where none comes.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> lam = theory.progressive_lambda(0, 75)
    >>> [round(theory.progressive_bound(k, 75, lam=lam), 3) for k in (0, 1, 2)]
    [0.047, 0.074, 0.101]
    """
    if not 0 <= expected <= 1:
        raise parameters.not_allowed("expected", expected, "give a share, from 0 to 1")
    rows = parameters.whole("rows", rows)
    expected = max(expected, 1 / rows)
    much = math.log(1 / (1 - _confidence(confidence))) / rows

    def bound(power: float) -> float:
        lam = math.exp(power)
        return math.expm1(-lam * expected - much) / math.expm1(-lam)

    how: dict[str, Any] = {"method": "bounded", "options": {"xatol": 1e-4}}
    return float(math.exp(minimize_scalar(bound, bounds=_WIDEST, **how).x))


def support_bound(support: int, rows: int, *, confidence: float = 0.95) -> float:
    """How often the separator of the largest margin errs on new rows, by its support.

    Of `rows` independent rows that are separable, `support` determine the separator: without the
    others it is the same. With this confidence it errs on new rows with probability at most ε, the
    root of (δ/N) Σ_{m=k}^{N-1} C(m,k)/C(N,k) (1 - ε)^(m-N) = 1, with N = `rows`, k = `support` and
    δ = 1 - `confidence` (Campi and Garatti, Compression, generalization and learning, 2023).

    Examples
    --------
    >>> from rosenblatt import theory
    >>> round(theory.support_bound(3, 100), 3)
    0.102
    """
    support, rows = _counts(support, rows, "support")
    if support == rows:
        return 1.0
    delta, m = 1 - _confidence(confidence), np.arange(support, rows)
    choose = gammaln(m + 1) - gammaln(m - support + 1)
    choose -= gammaln(rows + 1) - gammaln(rows - support + 1)

    def excess(log: float) -> float:
        """The logarithm of the left side, where 1 - ε is e^log."""
        return float(logsumexp(choose + (m - rows) * log)) + math.log(delta / rows)

    low = -1.0
    while excess(low) < 0:
        low *= 2
    return min(1.0, -math.expm1(brentq(excess, low, 0.0, xtol=1e-14)))


def _counts(some: int, rows: int, name: str) -> tuple[int, int]:
    rows = parameters.whole("rows", rows)
    whole = isinstance(some, (int, np.integer)) and not isinstance(some, bool)
    if not whole or not 0 <= some <= rows:
        raise parameters.not_allowed(name, some, f"give a whole number from 0 to rows={rows}")
    return int(some), rows


def _confidence(value: float) -> float:
    if not 0 < value < 1:
        raise parameters.not_allowed("confidence", value, "give a number between 0 and 1")
    return float(value)


# --- On the rows at hand -------------------------------------------------------------------------


def zero_one_loss(X: Any, y: Any, w: Any, b: float = 0.0, *, sample_weight: Any = None) -> float:
    """Σ c_i over the mistakes, the rows with y_i (w·x_i + b) <= 0; their number without weights.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.zero_one_loss([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1])
    1.0
    """
    e = given.examples(X, y, sample_weight)
    _, weighted = e.count([given.lifted(w, b, e.rows.d)])
    return float(weighted[0])


def perceptron_loss(X: Any, y: Any, w: Any, b: float = 0.0, *, sample_weight: Any = None) -> float:
    """-Σ c_i y_i (w·x_i + b) over the mistakes: how far they are on the wrong side.

    It is zero for zero weights, although every row is a mistake then.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.perceptron_loss([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1])
    2.0
    """
    e = given.examples(X, y, sample_weight)
    s = e.rows.scores(given.lifted(w, b, e.rows.d))
    losses = np.where(e.wrong(s), -e.y * s, 0.0)
    return float(losses.sum() if e.c is None else (e.c * losses).sum())


class Gradient(NamedTuple):
    """∂/∂w and ∂/∂b."""

    w: Floats
    b: float


def perceptron_loss_gradient(
    X: Any, y: Any, w: Any, b: float = 0.0, *, sample_weight: Any = None
) -> Gradient:
    """-Σ c_i y_i (x_i, 1) over the mistakes; a step of order="batch" is -η times this.

    Where a row is on the hyperplane the loss has a kink, and this is the one of its subgradients
    that counts the row as the mistake it is.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.perceptron_loss_gradient([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1])
    Gradient(w=array([1., 1.]), b=1.0)
    """
    e = given.examples(X, y, sample_weight)
    learner = Primal(e, UpdateRule("perceptron", 0.0))
    before = given.lifted(w, b, e.rows.d)
    step = learner.look(learner.start(before, averaged=False).w).step
    return Gradient(0.0 - step[:-1], 0.0 - float(step[-1]))
