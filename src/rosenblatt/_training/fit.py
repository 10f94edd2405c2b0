"""How an estimator is fitted, in memory, in dual form and on streams: the one way through it."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Examples, Scale, Weights
from rosenblatt._training import monitor
from rosenblatt._training.estimator import Training, is_number
from rosenblatt._training.fitted import Fitted, shown_counts
from rosenblatt._training.keeps import KEEPS, KEEPS_OF_A_PASS, Keep
from rosenblatt._training.learner import InFeatures, PrimalJob, PrimalState, machine_with
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters, Voters
from rosenblatt._training.loop import train
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import ORDERS, Batch, Cyclic, Order
from rosenblatt._training.settings import (
    Recipe,
    Settings,
    Units,
    checked,
    judged_by,
    machine_of,
    recipe_of,
)
from rosenblatt._training.state import AnyJob, AnyState, Candidate, Job, State, check_finite, follow
from rosenblatt._training.stopping import Patience, StopReason
from rosenblatt._validation import gpu_rows, targets
from rosenblatt._validation.targets import checked_start, class_weights, is_balanced, weigh
from rosenblatt.certificate import RowsOracle
from rosenblatt.errors import InputError

if TYPE_CHECKING:
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
    managed = monitor.managed(_fit, estimator)
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
        told = monitor.begun(estimator, settings.max_iter, *given)
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
) -> AnyState | None:
    """The state to go on from on n rows; None where there is none of this training.

    `counted`: updates are counted by row.
    """
    if estimator._checkpoint is not None:
        return _from_checkpoint(estimator, settings, recipe, n, counted)
    last: Recipe | None = getattr(estimator, "_trained_by", None)
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
) -> AnyState | None:
    assert estimator._checkpoint is not None
    seed = estimator._seed() if is_number(estimator.random_state) else None
    state = estimator._checkpoint.resume(recipe, settings, seed, n, counted=counted)
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
        follow(job, state)
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


# How weights of the features are learned from rows that were checked: a task, or one pass.


Perceptron = Any  # a `Perceptron`, which is on the floor above


@dataclass(frozen=True)
class Given:
    """What a fit is given, checked."""

    examples: Examples
    judges: Examples | None  # validation rows
    classes: NDArray[Any]
    start: Weights | None  # lifted; None: zeros, or where training goes on
    y: Any  # the labels as they were given


def given(
    p: Perceptron,
    settings: Settings,
    X: Any,
    y: Any,
    sample_weight: Any,
    start: tuple[Any, Any],
    validation: tuple[Any, Any],
) -> Given:
    """What `fit` was given, checked; `start`: weights and intercepts, None where there are none."""
    rows = gpu_rows.rows(p, X, reset=True)
    examples, classes = targets.examples(rows, y, sample_weight, p.class_weight)
    judged_on = judges(p, *validation, classes, examples)
    begin = None
    if any(part is not None for part in start):
        intercept = settings.units.fit_intercept
        begin = checked_start(*start, examples.d, intercept, k=examples.k)
    return Given(examples, judged_on, classes, begin, y)


def rows_of_pass(
    p: Perceptron, X: Any, y: Any, classes: Any, sample_weight: Any
) -> tuple[Examples, NDArray[Any]]:
    """What `partial_fit` was given, checked: rows, and the classes that are known."""
    if is_balanced(p.class_weight):
        raise InputError(
            f"class_weight={p.class_weight!r} needs all rows at once and cannot be used "
            "with partial_fit: give a dict of weights."
        )
    X = gpu_rows.rows(p, X, reset=not hasattr(p, "_state"))
    known = targets.known_classes(classes, getattr(p, "classes_", None))
    return targets.examples(X, y, sample_weight, p.class_weight, known, one_of_many=True)


def judges(
    p: Perceptron, X_val: Any, y_val: Any, classes: NDArray[Any], examples: Examples
) -> Examples | None:
    """The validation rows that candidates are judged on, checked; None: they are not given."""
    if (X_val is None) != (y_val is None):
        raise InputError("Give X_val and y_val together, or neither.")
    if X_val is None:
        return None
    X = gpu_rows.rows(p, X_val, reset=False, name="X_val")
    y = targets.encoded(targets.labels(y_val, X.shape[0], "y_val"), classes, name="y_val")
    by_class = class_weights(p.class_weight, classes, examples.y, examples.c)
    return Examples(X, y, weigh(None, y, by_class), examples.k)


def task(p: Perceptron, settings: Settings, watch: Watch, given: Given) -> Task:
    """Training to the end."""
    examples, judges, classes = given.examples, given.judges, given.classes
    job = _job(settings, ORDERS, KEEPS, examples, judges, watch)

    def recipe() -> Recipe:
        return recipe_of(settings, examples, classes, judged_by(judges))

    def resume(recipe: Recipe) -> PrimalState | None:
        # With multi_class="ovr" the fit before had a state for each class.
        separate = p._checkpoint is None and vars(p).get("_of_classes") is not None
        if given.start is not None or separate:
            return None
        return resumed(p, settings, recipe, examples.n)

    def start() -> PrimalState:
        if given.start is not None:
            return new_state(p, settings, job, given.start)
        if settings.warm_start and hasattr(p, "_state"):
            return from_returned(p, settings, job, examples.d, classes)
        return new_state(p, settings, job, np.zeros(examples.shape_of_weights))

    return Task(job, classes, _patience(p, settings, given), start, recipe, resume)


def one_pass(
    p: Perceptron,
    settings: Settings,
    watch: Watch,
    examples: Examples,
    classes: NDArray[Any],
    start: Weights | None = None,
) -> None:
    """One pass over the rows in their order, whatever the order; then the estimator is fitted.

    It goes on from the pass before, or from the start that is given.
    """
    before = scale_before(p, settings) if start is None else None
    job = _job(settings, _ONE_PASS, KEEPS_OF_A_PASS, examples, None, watch, before)
    if start is None:
        state = next_pass(p, settings, job, examples)
    else:
        state = new_state(p, settings, job, start)
    reason = train(job, state, max_iter=1, max_updates=None)
    if reason is not StopReason.INTERRUPTED:
        reason = StopReason.ONE_PASS
    publish(p, settings, job, state, classes, reason, None, {})


_ONE_PASS: dict[str, type[Order]] = dict.fromkeys(ORDERS, Cyclic) | {"batch": Batch}


def _job(
    settings: Settings,
    orders: dict[str, type[Order]],
    keeps: dict[str, type[Keep]],
    examples: Examples,
    judges: Examples | None,
    watch: Watch,
    before: Scale | None = None,  # how large the rows of earlier passes were
) -> PrimalJob:
    if examples.rows.on_gpu:
        _refuse_on_gpu(settings, settings.order if orders is ORDERS else "cyclic")
    machine = machine_of(settings, machine_with(settings.rule), examples, before)
    order = orders[settings.order](examples)
    rows = judges or machine.evaluation_rows
    return Job(machine, order, keeps[settings.units.keep](), rows, judges is not None, watch)


def _refuse_on_gpu(settings: Settings, order: str) -> None:
    """What follows single rows or single updates has nothing to do side by side."""
    rule = settings.rule
    for refused, what, instead in (
        (order == "random", "order='random'", "order='shuffle'"),
        (order == "mixed", "order='mixed'", "order='blocks', which is the same on one shard"),
        (settings.units.keep == "vote", "keep='vote'", "keep='average', which predicts much alike"),
        (rule.kind != "perceptron", f"the rule {rule.kind}", "Perceptron"),
        (rule.number == "scale", "margin='scale'", "a margin that is a number"),
    ):
        if refused:
            raise InputError(
                f"{what} does not run on a GPU. Use {instead}; or train on the CPU: rows of the "
                "host, and device='cpu'."
            )


def _patience(p: Perceptron, settings: Settings, given: Given) -> Patience:
    tol = settings.tol_in_units
    if not settings.prove:
        return Patience(settings.patience, None, tol=tol)
    names = getattr(p, "feature_names_in_", None)
    examples, intercept = given.examples, settings.units.fit_intercept
    X, y, present = examples.rows.X, examples.y, examples.present
    oracle = RowsOracle(X, y, present, names, given.y, given.classes, intercept)
    return Patience(settings.patience, oracle, tol=tol)


# Where the training of weights of the features begins.


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


# All or nothing, and one at a time: how an estimator is changed.


class _Locks:
    """One for each estimator that lives, by its id."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """After a fork the threads that held a lock are not there to free it."""
        self.all: dict[int, tuple[ref[Any], threading.RLock]] = {}
        self._turn = threading.Lock()

    def of(self, estimator: Any) -> threading.RLock:
        me = id(estimator)
        with self._turn:
            if me not in self.all:  # it leaves before another one can have its id
                self.all[me] = (ref(estimator, lambda _: self._leave(me)), threading.RLock())
            return self.all[me][1]

    def _leave(self, me: int) -> None:
        self.all.pop(me, None)


locks = _Locks()
if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=locks.begin_anew)


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """An estimator whose fit fails is as it was before."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before  # one step: nothing can come in between
        raise


@contextmanager
def alone(estimator: Any) -> Iterator[None]:
    """Threads that train one estimator wait for each other, so that no call is lost.

    The lock is not on the estimator, which is copied, pickled and compared by what is on it.
    """
    with locks.of(estimator):
        yield
