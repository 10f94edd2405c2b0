"""Where the training of weights of the features begins."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Examples, Weights
from rosenblatt._learning.primal import InFeatures, PrimalJob, PrimalState
from rosenblatt._learning.settings import Settings, Units
from rosenblatt._learning.state import Candidate, State
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import Voters
from rosenblatt.errors import InputError


class Estimator(Protocol):
    """What is asked of it: its seed, and of an earlier fit what was left."""

    classes_: NDArray[Any]
    _rule: LinearRule | Voters
    _state: PrimalState
    _kept: Candidate[Weights] | None
    _made_with: Units

    def _seed(self) -> int: ...


def new_state(p: Estimator, settings: Settings, job: PrimalJob, start: Weights) -> PrimalState:
    """From these lifted weights."""
    assert isinstance(job.machine, InFeatures)
    memory = job.machine.start(start / settings.units.eta0, averaged=job.keep.averaged)
    return State(memory, p._seed())


def from_returned(
    p: Estimator, settings: Settings, job: PrimalJob, d: int, classes: NDArray[Any]
) -> PrimalState:
    """From the weights that the fit before returned (the last ones with keep="vote")."""
    rule = p._rule
    if isinstance(rule, Voters):
        rule = LinearRule(p._state.memory.w, p._made_with.eta0)
    if rule.coef.shape[1] != d or classes.tolist() != p.classes_.tolist():
        raise InputError(
            f"warm_start=True, but the fit before was on {rule.coef.shape[1]} features with "
            f"classes {p.classes_.tolist()}, and now there are {d} with {classes.tolist()}. "
            "Set warm_start=False to begin anew."
        )
    intercept = rule.intercept if settings.units.fit_intercept else np.zeros(1)
    return new_state(p, settings, job, np.append(rule.coef, intercept))


def next_pass(p: Estimator, settings: Settings, job: PrimalJob, examples: Examples) -> PrimalState:
    """Where a pass of partial_fit over these rows begins."""
    if not hasattr(p, "_state"):
        return new_state(p, settings, job, np.zeros(examples.d + 1))
    if p._made_with != settings.units:  # only the returned weights can go on
        return from_returned(p, settings, job, examples.d, p.classes_)
    state = p._state.copy()
    state.memory.counts = np.zeros(examples.rows.n, dtype=np.int64)
    state.mistakes, state.validation, state.kept = [], [], p._kept
    state.clean = state.under_way = state.unseen_update = False
    state.certificate = None  # it is about other rows
    return state
