"""How an estimator is fitted, in memory, in dual form and on streams: the one way through it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.fingerprint import FIRST
from rosenblatt._estimators import callbacks
from rosenblatt._estimators.fitted import Fitted, shown_counts
from rosenblatt._estimators.training import Training, is_number
from rosenblatt._estimators.transaction import alone, unchanged_on_error
from rosenblatt._learning import losses
from rosenblatt._learning.loop import train
from rosenblatt._learning.settings import Settings, checked
from rosenblatt._learning.state import AnyJob, AnyState, check_finite
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._learning.watch import Watch

if TYPE_CHECKING:
    from rosenblatt._learning.patience import Patience
    from rosenblatt._learning.settings import Recipe
    from rosenblatt.certificate import Certificate


@dataclass(frozen=True)
class Task:
    """What is to be learned, and from where."""

    job: AnyJob
    classes: NDArray[Any]
    patience: Patience
    start: Callable[[], AnyState]  # where training begins if it does not go on
    recipe: Callable[[], Recipe]  # takes a look at all rows
    resume: Callable[[Recipe], AnyState | None]  # where training of this recipe goes on
    more: dict[str, Any] = field(default_factory=dict)  # attributes besides those of `Fitted`
    while_it_runs: Callable[[], AbstractContextManager[object]] = nullcontext


class Several(Protocol):
    """Trainings that make one rule."""

    def run(self, estimator: Any, settings: Settings, /) -> None:
        """All of them; the estimator is left fitted."""

    def warn(self, estimator: Any, settings: Settings, stored: bool, /) -> None:
        """What a user should know of them; `stored`: there is no X and no y."""


def fit(
    estimator: Training,
    prepare: Callable[[Settings, Watch], Task | Several],
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> None:
    """Train, and leave the estimator fitted; as it was, if anything fails.

    X, y and sample_weight are for callbacks to look at.
    """
    managed = callbacks.managed(_fit, estimator)
    settings, task, state = managed(estimator, prepare, X, y, sample_weight)
    if isinstance(task, Task):
        assert state is not None
        estimator._warn(settings, task.job, state, X is None)
    else:
        task.warn(estimator, settings, X is None)


def _fit(
    estimator: Training, prepare: Callable[[Settings, Watch], Task | Several], *given: Any
) -> tuple[Settings, Task | Several, AnyState | None]:
    state, watching = None, Watch(estimator._checkpoint)
    with alone(estimator), watching as watch:
        settings = checked(estimator)
        told = callbacks.begun(estimator, settings.max_iter, *given)
        with unchanged_on_error(estimator):
            task = prepare(settings, watch)
            if isinstance(task, Task):
                watch.callbacks = told
                state = learn(estimator, settings, task)
            else:
                task.run(estimator, settings)
            if told is not None:
                told.end()
    return settings, task, state


def learn(estimator: Training, settings: Settings, task: Task) -> AnyState:
    """Train, and leave the estimator fitted."""
    recipe, state = begun(estimator, settings, task)
    if task.job.watch.callbacks is not None:
        task.job.watch.callbacks.fitted = partial(
            _as_if_ended, estimator, settings, task, state, recipe
        )
    with task.while_it_runs():
        reason = run(estimator, settings, task, state)
        publish(estimator, settings, task.job, state, task.classes, reason, recipe, task.more)
    return state


def _as_if_ended(
    estimator: Training, settings: Settings, task: Task, state: AnyState, recipe: Recipe | None
) -> dict[str, Any]:
    """The attributes of the estimator, had training ended with this epoch."""
    reason, seen = StopReason.CALLBACK, copy.copy(estimator)
    now = fitted(estimator, settings, task.job, state.copy(), task.classes, reason, recipe)
    now.put_on(seen, **task.more)
    return dict(vars(seen))


def begun(estimator: Training, settings: Settings, task: Task) -> tuple[Recipe | None, AnyState]:
    """What is needed to go on later, and where training stands before it runs."""
    goes_on = settings.warm_start or estimator._checkpoint is not None
    recipe = task.recipe() if goes_on else None
    state = None if recipe is None else task.resume(recipe)
    return recipe, task.start() if state is None else state


def resumed(
    estimator: Training,
    settings: Settings,
    recipe: Recipe,
    n: int,
    *,
    counted: bool = True,
    before: Callable[[], Recipe] | None = None,
) -> AnyState | None:
    """The state to go on from on n rows; None where there is none of this training.

    `counted`: updates are counted by row. `before`: the recipe in the form of version 1.
    """
    if estimator._checkpoint is not None:
        return _from_checkpoint(estimator, settings, recipe, n, counted, before)
    last: Recipe | None = getattr(estimator, "_trained_by", None)
    if last is not None and last.data.startswith(FIRST) and before is not None:
        recipe = before()
    if last != recipe:
        return None
    # A file can claim anything, and the kernels believe the state.
    state = estimator._state
    fits = state.position <= n and state.seen <= n
    fits = fits and len(state.memory.counts) == (recipe.shape[0] if counted else 0)
    return state.copy() if fits else None


def _from_checkpoint(
    estimator: Training,
    settings: Settings,
    recipe: Recipe,
    n: int,
    counted: bool,
    before: Callable[[], Recipe] | None,
) -> AnyState | None:
    assert estimator._checkpoint is not None
    seed = estimator._seed() if is_number(estimator.random_state) else None
    state = estimator._checkpoint.resume(recipe, settings, seed, n, counted=counted, before=before)
    if state is not None and seed is None:
        estimator._seed()  # a generator goes on as if this training had drawn from it
    return state


def run(estimator: Training, settings: Settings, task: Task, state: AnyState) -> StopReason:
    """Train from this state on."""
    job, max_iter, max_updates = task.job, settings.max_iter, settings.max_updates
    if estimator._checkpoint is not None:  # the limits are about the training as a whole
        max_iter -= state.epoch
        max_updates = None if max_updates is None else max_updates - state.updates
    estimator._record(settings, job, state)
    if settings.tol is None:
        state.losses = None
    else:
        losses.follow(job, state)
    job.watch.show(estimator._progress(settings, job, state, max_iter), state)
    reason = train(job, state, max_iter=max_iter, max_updates=max_updates, patience=task.patience)
    job.watch.done(state)
    return reason


def publish(
    estimator: Training,
    settings: Settings,
    job: AnyJob,
    state: AnyState,
    classes: NDArray[Any],
    reason: StopReason,
    recipe: Recipe | None,
    more: dict[str, Any],
) -> None:
    """From the state of training to the attributes of the estimator."""
    job.watch.settle()
    fitted(estimator, settings, job, state, classes, reason, recipe).put_on(estimator, **more)


def fitted(
    estimator: Training,
    settings: Settings,
    job: AnyJob,
    state: AnyState,
    classes: NDArray[Any],
    reason: StopReason,
    recipe: Recipe | None,
) -> Fitted:
    """What training would leave behind if it ended now."""
    check_finite(job, state)
    result = job.keep.result(job, state)
    stalled = reason in (StopReason.PATIENCE, StopReason.TOL)
    if stalled and result.mistakes == 0 and settings.units.keep != "vote":
        reason = StopReason.SEPARATED  # it is known: the rule itself shows it (votes are no rule)
    counts = state.memory.counts  # none of a stream
    machine = job.machine
    number = settings.rule.published(settings.units.eta0, machine.scale, machine.examples.k)
    return Fitted(
        _rule=estimator._rule_of(result.rule, settings, job),
        _state=state,
        _kept=result.kept,
        _trained_by=recipe,
        _made_with=settings.units,
        _rule_number=number,
        _n_rows=len(counts) or machine.examples.n,
        classes_=classes,
        training_errors_=result.mistakes,
        converged_=state.clean,
        stop_reason_=reason,
        certificate_=cast("Certificate | None", state.certificate),
        n_iter_=state.epoch,
        n_updates_=state.updates,
        mistakes_=np.array(state.mistakes, dtype=np.int64),
        update_counts_=shown_counts(counts),
        validation_mistakes_=np.array(state.validation, dtype=np.int64) if job.validating else None,
    )
