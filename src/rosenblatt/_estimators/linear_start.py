"""Where the training of weights of the features begins."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Examples, Weights
from rosenblatt._compute.scale import Scale
from rosenblatt._learning.primal import InFeatures, PrimalJob, PrimalState
from rosenblatt._learning.settings import Settings, Units
from rosenblatt._learning.state import Candidate, State
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import SeparateVoters, Voters
from rosenblatt.errors import InputError


class Estimator(Protocol):
    """What is asked of it: its seed, and of an earlier fit what was left."""

    classes_: NDArray[Any]
    _rule: LinearRule | Voters | SeparateVoters
    _state: PrimalState | None  # None: each class has one of its own
    _of_classes: tuple[Any, ...] | None
    _kept: Candidate[Weights] | None
    _made_with: Units

    def _seed(self) -> int: ...


def new_state(p: Estimator, settings: Settings, job: PrimalJob, start: Weights) -> PrimalState:
    """From these lifted weights."""
    assert isinstance(job.machine, InFeatures)
    memory = job.machine.start(start / settings.units.eta0, averaged=job.keep.averaged)
    return State(memory, p._seed(), scale=job.machine.scale)


def from_returned(
    p: Estimator, settings: Settings, job: PrimalJob, d: int, classes: NDArray[Any]
) -> PrimalState:
    """From the weights that the fit before returned (the last ones with keep="vote")."""
    start = returned(p, d, classes)
    if not settings.units.fit_intercept:
        start[..., -1] = 0.0
    return new_state(p, settings, job, start)


def returned(p: Estimator, d: int, classes: NDArray[Any]) -> Weights:
    """Those weights, lifted; of d features and these classes, as they must be."""
    weights = _returned(p)
    if weights.shape[1] != d + 1 or classes.tolist() != p.classes_.tolist():
        raise InputError(
            f"warm_start=True, but the fit before was on {weights.shape[1] - 1} features with "
            f"classes {p.classes_.tolist()}, and now there are {d} with {classes.tolist()}. "
            "Set warm_start=False to begin anew."
        )
    return weights[0] if len(classes) == 2 else weights


def _returned(p: Estimator) -> Weights:
    """A row for each class; one for two."""
    rule = p._rule
    if isinstance(rule, Voters):
        assert p._state is not None
        rule = LinearRule(p._state.memory.w, p._made_with.eta0)
    if isinstance(rule, SeparateVoters):
        assert p._of_classes is not None
        return np.concatenate([_returned(one) for one in p._of_classes])
    return np.column_stack([rule.coef, rule.intercept])


def next_pass(p: Estimator, settings: Settings, job: PrimalJob, examples: Examples) -> PrimalState:
    """Where a pass of partial_fit over these rows begins."""
    if not hasattr(p, "_state"):
        return new_state(p, settings, job, np.zeros(examples.shape_of_weights))
    if p._made_with != settings.units or p._state is None:  # only the returned weights can go on
        return from_returned(p, settings, job, examples.d, p.classes_)
    state = p._state.copy()
    counts = (examples.rows.n, *examples.shape_of_weights[:-1])
    state.memory.counts = np.zeros(counts, dtype=np.int64)
    state.mistakes, state.validation, state.kept = [], [], p._kept
    state.clean = state.under_way = state.unseen_update = False
    state.certificate = state.losses = state.mixing = None  # they are about other rows
    state.scale = job.machine.scale
    return state


def scale_before(p: Estimator, settings: Settings) -> Scale | None:
    """How large the rows were that a pass goes on from."""
    goes_on = hasattr(p, "_state") and p._made_with == settings.units and p._state is not None
    return p._state.scale if goes_on and p._state is not None else None
