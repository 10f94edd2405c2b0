"""The theorems of PassiveAggressive and AROW, tested at every update of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rosenblatt._traces import claims
from rosenblatt._traces.check import MOST_EXACT, Check
from rosenblatt._traces.loss_ledger import Ledger, ledger
from rosenblatt._traces.record import record
from rosenblatt._traces.rounding import ULP, running
from rosenblatt._traces.run import Run
from rosenblatt._traces.space import Features
from rosenblatt._traces.verdict import (
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
from rosenblatt._traces.walk import Path, Star

NOT_THE_RULE = "this is no record of the rule: a step of it is not positive, or beyond floats."


@dataclass(frozen=True)
class Losses:
    """A run of a rule that looks at the loss, and u: any weights to compare it with."""

    run: Run
    space: Features
    star: Star
    path: Path

    @property
    def steps_forward(self) -> bool:
        """What a run of the rule does, and a file may not."""
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
        """max ‖x̃_i‖², whatever the weights."""
        return self.space.longest(weighted=False)

    def ledger(self, longest: Fraction) -> Ledger:
        copies = self.space.copies
        return ledger(self.run, self.space, self.star, self.numbers, copies * longest)

    @cached_property
    def known(self) -> Ledger | None:
        """With the true lengths; None where the record is of no run."""
        return self.ledger(self.longest) if self.steps_forward else None


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is infinite decides nothing
def check(losses: Losses, *, converged: bool, radius: float | None) -> Check:
    """Every claim; `radius` is one about the rows."""
    run, n = losses.run, losses.numbers
    claimed = None if radius is None else Fraction(radius) ** 2
    found = [
        record(run, losses.path, converged=converged, kernel_doubt=0.0),
        _call(run, n),
        claims.lengths(losses.longest, claimed, weighted=False),
    ]
    if not losses.steps_forward:
        return Check(found, n.exact, NOT_THE_RULE)
    known = losses.ledger(losses.longest if claimed is None else claimed)
    words = _WORDS[run.rule].of(run)
    if run.rule != "PA-I":
        found.append(_after(run, n, known))
    if known.change is not None and known.most is not None:
        status = n.status(known.most - known.change, known.doubts)
        steps = list(range(1, len(status) + 1))
        found.append(worst("distance", words.step, status, known.change, known.most, steps))
    found += [_sums(n, known, words.total), _mistakes(run, known, words.mistakes)]
    return Check(found, n.exact)


def _call(run: Run, n: Numbers) -> Claim:
    before = "y_i (w·x_i + b)" if run.k is None else "s_y - s_r"
    found = claims.lemma_2(run, n, Fraction(1))
    return replace(found, name="call", statement=f"at each update {before} <= 1")


def _after(run: Run, n: Numbers, known: Ledger) -> Claim:
    """Nearer to 1 than before, and not beyond."""
    before = run.margins_of(n.path.scores)
    slack = np.minimum(1 - known.after, known.after - before)
    status = n.status(slack, known.after_doubts)
    steps, ones = list(range(1, len(status) + 1)), np.ones(len(status))
    statement = "after each update the margin of its row is larger, and at most 1"
    return worst("margin", statement, status, known.after, ones, steps)


def _sums(n: Numbers, known: Ledger, statement: str) -> Claim:
    """After every step."""
    (left, right), factor = known.sums(), real(known.factor)
    slop = running(known.left_doubts) + factor * (running(known.doubts) + known.start_doubt)
    sizes = np.arange(8, 8 + len(left)) * ULP * (np.abs(floats(left)) + np.abs(floats(right)))
    return after_each("losses", statement, n, left, right, slop + (0 if n.exact else sizes))


def _mistakes(run: Run, known: Ledger, statement: str) -> Claim:
    """Rows that were on the wrong side, or on the hyperplane, when they called for an update."""
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
