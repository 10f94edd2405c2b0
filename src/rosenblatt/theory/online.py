"""What is proved of the rules that look at the loss: PassiveAggressive and AROW."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt._core.rows import Examples, as_table
from rosenblatt._training.settings import arow_rule, passive_aggressive_rule
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError
from rosenblatt.theory import given
from rosenblatt.theory.bounds import Bound, dot, exact_row, longest
from rosenblatt.theory.given import Floats

_ULP = 2.0**-53


@dataclass(frozen=True)
class LossBound(Bound):
    """At most `mistakes` visits find a row on the wrong side, in exact arithmetic."""

    mistakes: int
    form: str
    factor: Fraction  # of the sum below
    total: Fraction  # ‖u‖² and the losses of u, weighed

    _of = "mistakes"


def passive_aggressive_bound(
    X: Any,
    y: Any,
    w_star: Any,
    *,
    C: float = 1.0,
    loss: str = "squared_hinge",
    epochs: int = 1,
    sample_weight: Any = None,
) -> LossBound:
    """The most mistakes (margin <= 0) that PassiveAggressive makes from zero weights.

    With u = w_star, any weights, ℓ_i = max(0, 1 - y_i u·x̃_i) and q_i = ‖x̃_i‖²: loss="hinge" makes
    at most max(q_i, 1/C) (‖u‖² + 2 Σ C ℓ_i) mistakes, and "squared_hinge" at most
    max(q_i + 1/(2C)) (‖u‖² + 2 Σ C ℓ_i²), which bounds the sum of all squared losses, too. The
    sums are over all visits: every row once an epoch (Crammer and others 2006, theorems 4 and 5).
    A row of weight c is the row x̃_i/√c with C c² ("hinge": C c^1.5) in the place of C; q and 1/C
    are then taken at the least weight.

    The length of w_star matters: it is not scaled to 1. d weights are for training through the
    origin, d + 1 numbers have the intercept last.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> print(theory.passive_aggressive_bound(X, y, w_star=[1, 1, -3]))
    at most 291 mistakes: max (‖x̃‖² + 1/(2C)) · (‖u‖² + 2 Σ C ℓ²)
    """
    rule = passive_aggressive_rule(C, loss)
    squared, whole = rule.kind == "PA-II", parameters.whole("epochs", epochs)
    e = given.examples(X, y, sample_weight)
    star, lifted = given.vector(w_star, e.rows.d, "w_star")
    c = np.ones(len(e.y)) if e.c is None else e.c
    largest = longest(as_table(e.rows.X), (c > 0).astype(np.float64), lifted=lifted)
    power = 2 if squared else 1
    costs = [Fraction(v) * Fraction(math.sqrt(v)) ** power for v in c.tolist()]
    losses = sum((costs[i] * loss**power for i, loss in _losses(e, star)), Fraction(0))
    total = dot(star, star) + 2 * whole * Fraction(float(rule.number)) * losses
    lightest = Fraction(float(c[c > 0].min()))
    factor = passive_aggressive_factor(float(rule.number), largest, lightest, squared=squared)
    first = "max (‖x̃‖² + 1/(2C))" if squared else "max (‖x̃‖², 1/C)"
    form = f"{first} · (‖u‖² + 2 Σ C ℓ{'²' if squared else ''})"
    return LossBound(math.floor(factor * total), form, factor, total)


def passive_aggressive_factor(
    C: float, longest: Fraction, lightest: Fraction, *, squared: bool
) -> Fraction:
    """What a mistake counts at most: `longest` is max q_i, `lightest` the least weight."""
    wanted = Fraction(math.sqrt(lightest))  # the margin
    longest, back = longest / wanted**2, 1 / (Fraction(C) * lightest * wanted)
    return longest + back / wanted / 2 if squared else max(longest, back)


def _losses(e: Examples, star: Floats) -> Iterable[tuple[int, Fraction]]:
    """The rows whose margin under w_star is below 1 (√c of weight c), and by what share: exactly.

    Floats say which rows can be such ones.
    """
    wanted = np.ones(len(e.y)) if e.c is None else np.sqrt(e.c)
    table, d = as_table(e.rows.X), e.rows.d
    lifted = star if len(star) > d else np.append(star, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        margins = e.y * e.rows.scores(lifted)
        sizes = np.sqrt(e.rows.lifted_squares(0, e.rows.n, intercept=True)) + 1
        doubt = (4 * d + 24) * _ULP * sizes * (np.linalg.norm(star) + 1) + 2.0**-400
        near = ~(margins - doubt > wanted) & (wanted > 0)
    for i in np.flatnonzero(near).tolist():
        margin = int(e.y[i]) * dot(exact_row(table, i, len(star)), star.tolist())
        loss = 1 - margin / Fraction(float(wanted[i]))
        if loss > 0:
            yield i, loss


@dataclass(frozen=True)
class ArowBound:
    """Both sides of the inequality, followed over a sequence of visits, in floats."""

    mistakes: int  # visits that found a margin of 0 or less
    updates: int
    left: float  # Σ (1 - m)² (v + 2r) / (v + r)²
    right: float  # ‖u‖² + 2 Σ α ℓ(u) + Σ Σ (x_j²/r) (w_j - u_j)²

    @property
    def holds(self) -> bool:
        """Up to rounding."""
        return self.left <= self.right * (1 + 1e-9)

    def __str__(self) -> str:
        return (
            f"{self.mistakes} mistakes and {self.updates} updates: Σ (1 - m)² (v + 2r) / (v + r)² "
            f"= {self.left:.4g} <= {self.right:.4g} = ‖u‖² + 2 Σ α ℓ(u) + Σ Σ (x_j²/r) (w_j - u_j)²"
        )


def arow_bound(
    X: Any, y: Any, w_star: Any, *, r: float, visits: Any = None, sample_weight: Any = None
) -> ArowBound:
    """The inequality behind AROW with a diagonal matrix, along the visits that it makes.

    For any u = w_star, over the updates: Σ (1 - m)² (v + 2r) / (v + r)² <=
    ‖u‖² + 2 Σ α ℓ(u) + Σ_t Σ_j (x_tj²/r) (w_tj - u_j)², with the weights w_t after update t. A
    mistake has 1 - m >= 1, so the right side bounds their number. Its last sum depends on the run:
    it is known afterwards, not before. (The bound of the paper is of the full matrix.)

    `visits` are row numbers in the order of the visits; by default every row once, as given.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> bound = theory.arow_bound(X, y, w_star=[1, 1, -3], r=1.0)
    >>> bound.mistakes, bound.updates, bound.holds
    (2, 2, True)
    """
    number = arow_rule(r).number
    if number == "scale":
        raise InputError("r='scale' comes from training: give the number, AROW().fit(X, y).r_.")
    e = given.examples(X, y, sample_weight)
    u, lifted = given.vector(w_star, e.rows.d, "w_star")
    table = as_table(e.rows.X)
    dense = np.asarray(table.todense() if hasattr(table, "todense") else table, dtype=np.float64)
    rows = np.column_stack([dense, np.ones(len(dense))]) if lifted else dense
    order = range(len(rows)) if visits is None else [int(i) for i in visits]
    w, p = np.zeros(len(u)), np.ones(len(u))
    mistakes = updates = 0
    left, right = 0.0, float(u @ u)
    for i in order:
        x, sign = rows[i], float(e.y[i])
        of_row = float(number) if e.c is None else float(number) / float(e.c[i])
        m = sign * float(w @ x)
        mistakes += m <= 0
        if m >= 1:
            continue
        updates += 1
        v = float((x * x / p).sum())
        alpha = (1 - m) / (v + of_row)
        w += alpha * sign * x / p
        p += x * x / of_row
        left += arow_gain(1 - m, v, of_row)
        right += 2 * alpha * max(0.0, 1 - sign * float(u @ x))
        right += float((x * x / of_row * (w - u) ** 2).sum())
    return ArowBound(mistakes, updates, left, right)


def arow_gain(loss: Any, v: Any, r: Any) -> Any:
    """What an update with this loss adds to the left side."""
    return loss**2 * (v + 2 * r) / (v + r) ** 2


def arow_factor(r: float, longest: Fraction, lightest: Fraction) -> Fraction:
    """How many mistakes there can be for each 1 of the right side.

    A mistake has the loss 1 or more, and v <= max ‖x̃‖² since precisions only grow; the less v and r
    are, the more it adds.
    """
    of_row = Fraction(r) / lightest
    return (longest + of_row) ** 2 / (longest + 2 * of_row)
