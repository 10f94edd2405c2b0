"""The theorems of PassiveAggressive and AROW, tested at every update of a run.

With ℓ = 1 - m the loss at an update, q = ‖x̃‖² (of many classes 2‖x̃‖²), C_i = C c_i, ρ = r/c_i, any
weights u and ℓ(u) their loss on the same row (of many classes against the same rival):

    PA-I    ‖w' - u‖² <= ‖w - u‖² - τℓ + 2 C_i ℓ(u)
    PA-II   ‖w' - u‖² <= ‖w - u‖² - ℓ²/(q + 1/(2C_i)) + 2 C_i ℓ(u)²
    AROW    Σ p'(w' - u)² <= Σ p (w - u)² - ℓ²(v + 2ρ)/(v + ρ)² + 2αℓ(u) + Σ (x_j²/ρ)(w'_j - u_j)²

PassiveAggressive is followed as the steps τ, which are floats, move exact weights. AROW divides by
floats at every step: its weights and precisions are taken as the floats that training had, and
everything is decided in floats with a bound on their rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._tracing.check import MOST_EXACT, Check, lengths, record, second_lemma
from rosenblatt._tracing.loss_steps import moving, rho, squares
from rosenblatt._tracing.rounding import TINY, ULP, running
from rosenblatt._tracing.run import Floats, Run
from rosenblatt._tracing.space import Features
from rosenblatt._tracing.verdict import (
    HELD,
    VIOLATED,
    WITHIN,
    Claim,
    Numbers,
    after_each,
    floats,
    real,
    worst,
)
from rosenblatt._tracing.walk import Path, Reference
from rosenblatt.theory.bounds import dot, exact_row
from rosenblatt.theory.online import arow_factor, arow_gain, passive_aggressive_factor

NOT_THE_RULE = "this is no record of the rule: a step of it is not positive, or beyond floats."


@dataclass(frozen=True)
class Losses:
    """A run of a rule that looks at the loss, and u: any weights to compare it with."""

    run: Run
    space: Features
    star: Reference
    path: Path

    @property
    def steps_forward(self) -> bool:
        run = self.run
        steps = run.margins_of(run.steps)  # without the sign of the label
        there = run.weights[run.rows] > 0
        return bool((np.isfinite(steps) & (steps >= 0) & there).all())

    @cached_property
    def numbers(self) -> Numbers:
        run, space = self.run, self.space
        work = (len(run.rows) + len(np.unique(run.rows))) * space.work
        # AROW divides at every step, so that fractions would grow without end.
        exact = run.rule != "AROW" and work <= MOST_EXACT and self.steps_forward
        decided_by = space.exact_path(self.star) if exact else self.path
        return Numbers(self.path, decided_by, exact, space.size, space.squares_met())

    @cached_property
    def longest(self) -> Fraction:
        return self.space.longest(weighted=False)

    def ledger(self, longest: Fraction) -> Ledger:
        run, longest = self.run, self.space.copies * longest
        lightest = Fraction(float(run.weights[run.weights > 0].min()))
        if run.rule == "AROW":
            return _arow(self, arow_factor(run.number, longest, lightest))
        squared = run.rule == "PA-II"
        factor = passive_aggressive_factor(run.number, longest, lightest, squared=squared)
        return _passive_aggressive(self, factor)

    @cached_property
    def known(self) -> Ledger | None:
        """With the true lengths; None where the record is of no run."""
        return self.ledger(self.longest) if self.steps_forward else None


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is infinite decides nothing
def check(losses: Losses, *, converged: bool, radius: float | None) -> Check:
    run, n = losses.run, losses.numbers
    claimed = None if radius is None else Fraction(radius) ** 2
    claims = [
        record(run, losses.path, converged=converged, kernel_doubt=0.0),
        _call(run, n),
        lengths(losses.longest, claimed, weighted=False),
    ]
    if not losses.steps_forward:
        return Check(claims, n.exact, NOT_THE_RULE)
    known = losses.ledger(losses.longest if claimed is None else claimed)
    words = _WORDS[run.rule].of(run)
    if run.rule != "PA-I":
        claims.append(_after(run, n, known))
    if known.change is not None and known.most is not None:
        status = n.status(known.most - known.change, known.doubts)
        claims.append(worst("distance", words.step, status, known.change, known.most))
    claims += [_sums(n, known, words.total), _mistakes(run, known, words.mistakes)]
    return Check(claims, n.exact)


def _call(run: Run, n: Numbers) -> Claim:
    before = "y_i (w·x_i + b)" if run.k is None else "s_y - s_r"
    beyond = second_lemma(run, n, Fraction(1))
    return replace(beyond, name="call", statement=f"at each update {before} <= 1")


def _after(run: Run, n: Numbers, known: Ledger) -> Claim:
    """Nearer to 1 than before, and not beyond."""
    before = run.margins_of(n.path.scores)
    slack = np.minimum(1 - known.after, known.after - before)
    status = n.status(slack, known.after_doubts)
    statement = "after each update the margin of its row is larger, and at most 1"
    return worst("margin", statement, status, known.after, np.ones(len(status)))


def _sums(n: Numbers, known: Ledger, statement: str) -> Claim:
    (left, right), factor = known.sums(), real(known.factor)
    slop = running(known.left_doubts) + factor * (running(known.doubts) + known.start_doubt)
    sizes = np.arange(8, 8 + len(left)) * ULP * (np.abs(floats(left)) + np.abs(floats(right)))
    return after_each("losses", statement, n, left, right, slop + (0 if n.exact else sizes))


def _mistakes(run: Run, known: Ledger, statement: str) -> Claim:
    mistakes = int(np.count_nonzero(run.margins <= 0))
    if known.bounds is None:
        return Claim("mistakes", statement, WITHIN, run.n_steps, float(mistakes))
    low, high = known.bounds
    status = HELD if mistakes <= low else VIOLATED if mistakes > high else WITHIN
    return Claim("mistakes", statement, status, run.n_steps, float(mistakes), real(high))


class _Words(NamedTuple):
    """‖x̃‖² is that of one class; of many an update changes two."""

    step: str
    total: str
    mistakes: str

    def of(self, run: Run) -> _Words:
        texts = self if run.k is None else (t.replace("‖x̃‖²", "2‖x̃‖²") for t in self)
        weighted = ", with r/c_i for r" if run.rule == "AROW" else ", with C c_i for C"
        return _Words(*(t + (weighted if run.c is not None else "") for t in texts))


_WORDS = {
    "PA-I": _Words(
        "‖w' - u‖² <= ‖w - u‖² - τℓ + 2Cℓ(u)",
        "Σ τℓ <= ‖w₀ - u‖² + 2 Σ Cℓ(u)",
        "mistakes <= max(‖x̃‖², 1/C) (‖w₀ - u‖² + 2 Σ Cℓ(u))",
    ),
    "PA-II": _Words(
        "‖w' - u‖² <= ‖w - u‖² - ℓ²/(‖x̃‖² + 1/(2C)) + 2Cℓ(u)²",
        "Σ ℓ² <= max(‖x̃‖² + 1/(2C)) (‖w₀ - u‖² + 2 Σ Cℓ(u)²)",
        "mistakes <= max(‖x̃‖² + 1/(2C)) (‖w₀ - u‖² + 2 Σ Cℓ(u)²)",
    ),
    "AROW": _Words(
        "",
        "Σ ℓ²(v + 2r)/(v + r)² <= ‖w₀ - u‖² + 2 Σ αℓ(u) + Σ Σ (x_j²/r)(w_j - u_j)²",
        "mistakes <= max (‖x̃‖² + r)²/(‖x̃‖² + 2r) times the same sum",
    ),
}


# --- Both sides, update by update ----------------------------------------------------------------


@dataclass(frozen=True)
class Ledger:
    """By update, unless it says otherwise. Doubts are bounds on what rounding did, in floats."""

    left: NDArray[Any]  # Σ left <= factor (start + Σ right)
    right: NDArray[Any]
    start: Any  # ‖w_0 - u‖², one number
    factor: Any
    by_mistake: Fraction  # there are at most by_mistake (start + Σ right) mistakes
    after: NDArray[Any]  # the margin after the update
    distances: Floats  # ‖w - u‖², of AROW Σ p (w - u)², by step
    change: NDArray[Any] | None  # of ‖w - u‖²; AROW has none that is decided
    most: NDArray[Any] | None  # what it can be at most
    doubts: Floats  # of one step of the inequality
    left_doubts: Floats
    after_doubts: Floats
    start_doubt: float

    def sums(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Both sides of the theorem by step, the start first."""
        zero, kind = self.start * 0, self.left.dtype
        left = np.add.accumulate(np.append(np.array([zero], kind), self.left))
        right = np.add.accumulate(np.append(np.array([self.start], kind), self.right))
        return left, self.factor * right

    @property
    def bounds(self) -> tuple[int, int] | None:
        total = self.start + sum(self.right.tolist())
        off = Fraction(0)
        if not isinstance(total, Fraction):
            doubt = self.start_doubt + float(self.doubts.sum())
            doubt = 2 * doubt + (len(self.right) + 8) * 2 * ULP * abs(total)
            if not (math.isfinite(total) and math.isfinite(doubt)):
                return None
            total, off = Fraction(total), Fraction(doubt)
        low, high = (math.floor(self.by_mistake * (total + sign * off)) for sign in (-1, 1))
        return low, high

    @property
    def bound(self) -> int | None:
        return None if self.bounds is None else self.bounds[1]


# --- PassiveAggressive ---


def _passive_aggressive(losses: Losses, factor: Fraction) -> Ledger:
    run, star, n = losses.run, losses.star, losses.numbers
    squared, length = run.rule == "PA-II", np.abs(run.steps)
    tau, C = _kind(n, length), _kind(n, run.weights[run.rows]) * n.kind(Fraction(run.number))
    m = run.margins_of(n.path.scores)
    loss, q, reference_loss = 1 - m, _squares(losses), _lost(run, star, n, tau)
    held = q + 1 / (2 * C) if squared else q
    gain = loss * loss / held if squared else tau * loss
    right = 2 * C * (reference_loss * reference_loss if squared else reference_loss)
    if n.exact:
        assert n.path.products is not None
        change = np.diff(n.path.norms2) - 2 * np.diff(n.path.products)
    else:  # without the cancellation
        change = tau * (2 * m + tau * q - 2 * _star_margins(run, star))
    doubt = _Doubt(run, star, n, floats(loss), floats(q), floats(held))
    doubts = doubt.of_change() + doubt.of_right(floats(reference_loss), floats(C))
    start, start_doubt = _start(n)
    path = n.floats
    assert path.products is not None
    return Ledger(
        left=loss * loss if squared else gain,
        right=right,
        start=start,
        factor=n.kind(factor) if squared else n.kind(Fraction(1)),
        by_mistake=factor,
        after=m + tau * q,
        distances=np.maximum(path.norms2 - 2 * path.products + path.star2, 0),
        change=change,
        most=right - gain,
        doubts=doubts + TINY**2,
        left_doubts=doubt.of_left(),
        after_doubts=doubt.of_after(),
        start_doubt=start_doubt,
    )


class _Doubt:
    """How far rounding can have moved what is said of PassiveAggressive, by update."""

    def __init__(
        self, run: Run, star: Reference, n: Numbers, loss: Floats, square: Floats, held: Floats
    ):
        self.squared, self.size = run.rule == "PA-II", (n.size + 16) * ULP
        self.tau, self.loss, self.square, self.held = np.abs(run.steps), np.abs(loss), square, held
        self.score, self.star = n.doubts.scores, run.by_update(star.doubts, sign=1)
        self.star_margin = np.abs(_star_margins(run, star))
        # The step was rounded, and is that of a rounded score: by how much it can be wrong.
        self.off = self.score + self.size * (self.loss + self.score)

    def of_change(self) -> Floats:
        tau, off = self.tau, self.off
        terms = tau * (2 * (1 + self.loss) + tau * self.square + 2 * self.star_margin)
        doubt = tau * off + 2 * tau * (self.score + self.star) + self.size * terms
        if self.squared:
            doubt = doubt + (off**2 + self.loss**2 * self.size) / self.held
        return np.asarray(doubt + self.of_left() / (self.held if self.squared else 1.0))

    def of_left(self) -> Floats:
        """Of ℓ², or τℓ."""
        if self.squared:
            return 2 * self.loss * self.score + self.score**2 + 8 * ULP * self.loss**2
        return self.tau * (self.score + 8 * ULP * self.loss)

    def of_right(self, reference_loss: Floats, C: Floats) -> Floats:
        """Of 2 C ℓ(u)², or 2 C ℓ(u)."""
        u, again = self.star, 8 * ULP * reference_loss
        if self.squared:
            return 2 * C * (2 * reference_loss * u + u**2 + again * reference_loss)
        return 2 * C * (u + again)

    def of_after(self) -> Floats:
        return 2 * self.off + self.size * (1 + self.loss + self.tau * self.square)


def _kind(n: Numbers, values: Floats) -> NDArray[Any]:
    return np.array([Fraction(v) for v in values.tolist()], dtype=object) if n.exact else values


def _squares(losses: Losses) -> NDArray[Any]:
    run, space = losses.run, losses.space
    if not losses.numbers.exact:
        return losses.numbers.squares
    size = space.d + run.intercept
    rows = {i: exact_row(space.table, i, size) for i in np.unique(run.rows).tolist()}
    each = {i: space.copies * dot(x, x) for i, x in rows.items()}
    return np.array([each[i] for i in run.rows.tolist()], dtype=object)


def _star_margins(run: Run, star: Reference) -> Floats:
    return run.margins_of(run.by_update(star.products))


def _lost(run: Run, star: Reference, n: Numbers, tau: NDArray[Any]) -> NDArray[Any]:
    if not n.exact:
        return np.maximum(1 - _star_margins(run, star), 0.0)
    assert n.path.products is not None
    # A step τ adds τ times the margin of u to ⟨w, u⟩. Of τ = 0 no loss is the safe side.
    moved = zip(np.diff(n.path.products).tolist(), tau.tolist(), strict=True)
    return np.array([max(1 - p / t, 0) if t else Fraction(0) for p, t in moved], dtype=object)


def _start(n: Numbers) -> tuple[Any, float]:
    norms2, products, star2 = n.path.norms2, n.path.products, n.path.star2
    assert products is not None
    start, of = norms2[0] - 2 * products[0] + star2, n.doubts
    size = real(norms2[0]) + 2 * abs(real(products[0])) + real(star2)
    doubt = float(of.norms2[0] + 2 * of.products[0]) + of.star2 + 8 * ULP * size
    return start, 0.0 if n.exact else doubt


# --- AROW ---


def _arow(losses: Losses, factor: Fraction) -> Ledger:
    run, star, n = losses.run, losses.star, losses.numbers
    size, d = n.size + 8, n.doubts.scores
    away = _Away(run, losses.space, star)
    alpha, v, r = np.abs(run.steps), squares(run), rho(run)
    m, u = run.margins_of(n.path.scores), run.by_update(star.doubts, sign=1)
    loss, reference_loss = 1 - m, np.maximum(1 - _star_margins(run, star), 0.0)
    gain, coefficient = arow_gain(loss, v, r), arow_gain(1.0, v, r)
    right = 2 * alpha * reference_loss + away.growth
    of_gain = coefficient * (2 * np.abs(loss) * d + d * d) + (size + 24) * ULP * gain
    of_step = alpha * (size + 16) * ULP + d / (v + r)
    doubts = of_gain + 2 * alpha * u + (size + 16) * ULP * right + away.doubts
    doubts = doubts + 2 * np.abs(loss) * of_step + 4 * ULP * away.distances[1:]
    reach = run.margins_of(away.after)
    return Ledger(
        left=gain,
        right=right,
        start=float(away.distances[0]),
        factor=1.0,
        by_mistake=factor,
        after=reach,
        distances=away.distances,
        change=None,
        most=None,
        doubts=doubts + TINY**2,
        left_doubts=of_gain,
        after_doubts=d + away.after_doubts,
        start_doubt=size * ULP * float(away.distances[0]) + TINY**2,
    )


class _Away:
    """How far the weights of AROW are from u, and what the growth of the precisions adds."""

    def __init__(self, run: Run, space: Features, star: Reference):
        distances, growth, after = [_total((space.start - star.w)[None] ** 2)], [], []
        doubts, after_doubts = [], []
        for part, w in moving(run, space.start):
            x, p, apart = part.directions, part.precisions, (w - star.w)[1:]
            distances.append(_total(p[1:] * apart**2))
            growth.append(_total((p[1:] - p[:-1]) * apart**2))  # x²/ρ, but for rounding
            after.append(_total(w[1:] * x))
            # Each weight was rounded: the step twice, the sum once.
            off = ULP * (np.abs(w[1:]) + 4 * np.abs(w[1:] - w[:-1]))
            doubts.append(_total(p[:-1] * (2 * np.abs(apart) + off) * off))
            size = (space.size + 8) * ULP
            after_doubts.append(_total(np.abs(x) * (off + size * np.abs(w[1:]))))
        self.distances, self.growth = np.concatenate(distances), _joined(growth)
        self.after, self.doubts = _joined(after), _joined(doubts)
        self.after_doubts = _joined(after_doubts)


def _total(values: Floats) -> Floats:
    return np.asarray(values.reshape(len(values), -1).sum(axis=1))


def _joined(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)
