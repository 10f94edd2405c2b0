"""One training: what it learns from, from its start to the attributes that it leaves.

    TrainingSet ─job, start─► OneTraining ─train─► State ─keep─► Fitted ─► attributes

A training set is labelled rows that were checked, wherever they are: in memory (here), in dual form
(`kernel_perceptron.py`), on disk or on other machines (`_out_of_core`). It knows what learns from
them. All else is the same for all.
"""

from __future__ import annotations

import copy
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from rosenblatt._core.backend import compute
from rosenblatt._core.few_columns import FewColumns
from rosenblatt._core.protocol import KeptWeights, Permutation
from rosenblatt._core.rows import Csr, Examples, Scale, Weights, check_shape
from rosenblatt._training.keeps import KEEPS, Auto, Average, Following, Last
from rosenblatt._training.learner import Primal, PrimalJob, PrimalState
from rosenblatt._training.linear_rule import (
    ChangingRule,
    LinearRule,
    SeparateVoters,
    Voters,
    decided,
)
from rosenblatt._training.monitor import Interrupted, Progress, Watch
from rosenblatt._training.orders import ORDERS, Cyclic, Shuffle
from rosenblatt._training.settings import (
    Recipe,
    Settings,
    Units,
    judged_by,
    learner_of,
    recipe_of,
    refuse,
    refuse_tie,
)
from rosenblatt._training.state import (
    UNLIMITED,
    AnyJob,
    AnyState,
    Candidate,
    Job,
    Memory,
    State,
    V,
    W,
    check_finite,
    follow,
)
from rosenblatt._training.stopping import Patience, SeparabilityOracle, StopReason, row_size
from rosenblatt._util.progress import check_interrupt, interrupted_by
from rosenblatt._validation import targets
from rosenblatt._validation.rows import placed_rows
from rosenblatt._validation.targets import checked_start, class_weights, weigh
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._training.estimator import Training
    from rosenblatt.certificate import Certificate

PAIR = np.array([False, True])  # classes: the rest, one of many


class Given(ABC):
    """What an estimator is to be fitted to, as it was given."""

    X: Any = None  # with y and sample_weight, for callbacks to look at
    y: Any = None
    sample_weight: Any = None

    @abstractmethod
    def checked(self, estimator: Training, settings: Settings) -> TrainingSet:
        """The rows in order, and the estimator knows their features; or the error."""


class TrainingSet(ABC):
    """Labelled rows that were checked, and the weights to start from."""

    classes: NDArray[Any]
    start: Weights | None  # lifted; None: zeros, or where training goes on
    workers: Callable[[], str] | None = None  # how fast each machine is, in words

    @property
    @abstractmethod
    def n(self) -> int:
        """Rows that exist."""

    @property
    @abstractmethod
    def d(self) -> int: ...

    @abstractmethod
    def job(self, settings: Settings, watch: Watch) -> AnyJob:
        """What learns from them, and how."""

    @abstractmethod
    def recipe(self, settings: Settings) -> Recipe:
        """All that decides what training does; takes a look at all rows."""

    @abstractmethod
    def patience(self, settings: Settings) -> Patience: ...

    @property
    def attributes(self) -> Mapping[str, Any]:
        return {}

    @property
    def in_memory(self) -> NDArray[Any] | None:
        """The numbers of the features, of sparse rows one after another; None: elsewhere."""
        return None

    def only_label(self, estimator: Training) -> Any:
        """What a rule predicts that predicts the same for all rows, where there are others; None:
        it does not, or the rows are not in memory."""
        return None

    def returned(self, estimator: Training) -> Weights:
        return returned(estimator, self.d, self.classes)

    def while_training(self) -> AbstractContextManager[object]:
        return nullcontext()


class WeightsSet(TrainingSet):
    """Rows whose features get weights; of many classes each can be trained against the rest."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Rows that were given."""

    @abstractmethod
    def against_rest(self, c: int, start: Weights | None) -> WeightsSet:
        """Class c is +1, the others are -1."""

    @abstractmethod
    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        """Rows whose class does not have the highest score, alone."""

    @abstractmethod
    def update_counts(self, of_classes: list[Any]) -> Any:
        """`update_counts_` of all trainings against the rest."""


@dataclass(frozen=True)
class Arrays(Given):
    """Rows in memory, with the weights and intercepts to start from, and validation rows."""

    X: Any
    y: Any
    sample_weight: Any = None
    start: tuple[Any, Any] = (None, None)
    validation: tuple[Any, Any] = (None, None)

    def checked(self, estimator: Training, settings: Settings) -> InMemory:
        rows = placed_rows(estimator, self.X, reset=True)
        by_class = estimator.class_weight
        tie = settings.units.score_of_tie
        examples, classes = targets.examples(rows, self.y, self.sample_weight, by_class, tie=tie)
        refuse_tie(settings, examples.k)
        validation = self._validation(estimator, classes, examples)
        start, intercept = None, settings.units.fit_intercept
        if any(part is not None for part in self.start):
            start = checked_start(*self.start, examples.d, intercept, k=examples.k)
        names = vars(estimator).get("feature_names_in_")
        return InMemory(examples, classes, start, validation, self.y, names)

    def _validation(
        self, estimator: Training, classes: NDArray[Any], examples: Examples
    ) -> Examples | None:
        X_val, y_val = self.validation
        if (X_val is None) != (y_val is None):
            raise InputError("Give X_val and y_val together, or neither.")
        if X_val is None:
            return None
        X = placed_rows(estimator, X_val, reset=False, name="X_val")
        y = targets.encoded(targets.labels(y_val, X.shape[0], "y_val"), classes, name="y_val")
        by_class = class_weights(estimator.class_weight, classes, examples.y, examples.c)
        return Examples(X, y, weigh(None, y, by_class), examples.k, examples.tie)


@dataclass(frozen=True)
class InMemory(WeightsSet):
    """Rows in memory, on the host or on a GPU."""

    examples: Examples
    classes: NDArray[Any]
    start: Weights | None = None
    validation: Examples | None = None
    y: Any = None  # the labels and the names of the columns as they were given
    names: NDArray[Any] | None = None

    @property
    def n(self) -> int:
        return self.examples.n

    @property
    def d(self) -> int:
        return int(self.examples.d)

    @property
    def n_rows(self) -> int:
        return len(self.examples.y)

    def job(
        self,
        settings: Settings,
        watch: Watch,
        *,
        one_pass: bool = False,
        before: Scale | None = None,
    ) -> PrimalJob:
        """`before`: how large the rows of earlier passes were."""
        if self.examples.rows.on_gpu:
            refuse("gpu", settings)
        learner = learner_of(settings, Primal, self.examples, before)
        order = ORDERS[settings.order](learner)
        keep = settings.keep_of_a_pass if one_pass else KEEPS[settings.units.keep]
        judges, validating = self.validation or learner.evaluation_rows, self.validation is not None
        return Job(learner, order, keep(), judges, validating, watch)

    @property
    def in_memory(self) -> NDArray[Any] | None:
        X = self.examples.rows.X
        return X.data if isinstance(X, Csr) else X

    def only_label(self, estimator: Training) -> Any:
        e, errors = self.examples, estimator.training_errors_
        labels = e.y if e.present is None else e.y[e.present]
        most = np.unique(labels, return_counts=True)[1].max()
        if errors is None or errors < e.n - most:  # with one label there would be more
            return None
        scores = estimator._rule.signed(e.rows)
        predicted = np.unique(decided(scores if e.present is None else scores[e.present]))
        return self.classes[predicted[0]].item() if len(predicted) == 1 else None

    def of_columns(self, few: FewColumns) -> InMemory:
        e = self.examples
        return replace(self, examples=Examples(few.X, e.y, e.c, e.k, e.tie))

    def recipe(self, settings: Settings) -> Recipe:
        return recipe_of(settings, self.examples, self.classes, judged_by(self.validation))

    def patience(self, settings: Settings) -> Patience:
        oracle = oracle_about(self.examples, self, settings)
        return Patience(settings.patience, oracle, tol=settings.tol_in_units)

    def against_rest(self, c: int, start: Weights | None) -> InMemory:
        validation = None if self.validation is None else against_rest(self.validation, c)
        return InMemory(against_rest(self.examples, c), PAIR, start, validation)

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        if isinstance(rule, SeparateVoters):
            return self.examples.mistakes(rule.scores(self.examples.rows))
        return int(self.examples.count([rule.weights])[0][0])

    def update_counts(self, of_classes: list[Any]) -> Any:
        """As those of the joint perceptron: + where the class was added to, - where it was not."""
        columns = [
            np.where(self.examples.y == c, counts, -counts) for c, counts in enumerate(of_classes)
        ]
        return sparse.csr_array(np.column_stack(columns))


def oracle_about(e: Examples, named: Any, settings: Settings) -> SeparabilityOracle | None:
    """`named` has the labels, the columns and the classes as they were given."""
    if not settings.prove:
        return None
    from rosenblatt.certificate import RowsOracle

    intercept = settings.units.fit_intercept
    signs = settings.rule.signs
    return RowsOracle(
        *(e.rows.X, e.y, e.present, named.names, named.y, named.classes, intercept),
        demand=None if signs is None else np.array(signs, dtype=np.int8),
    )


def against_rest(examples: Examples, c: int) -> Examples:
    """Class c is +1, the others are -1; the rows are shared."""
    labels = np.where(examples.y == c, 1, -1).astype(np.int8)
    return Examples(examples.rows.given, labels, examples.c, tie=examples.tie)


# --- Where training begins -----------------------------------------------------------------------


def is_number(random_state: Any) -> bool:
    return isinstance(random_state, numbers.Integral)


def _drawn(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))


_seed_of = lru_cache(maxsize=64)(_drawn)  # to start a generator takes longer than a small fit


def seed_of(random_state: Any) -> int:
    return _seed_of(int(random_state)) if is_number(random_state) else _drawn(random_state)


def was_fitted(estimator: Training) -> bool:
    return "_state" in vars(estimator)


def first_state(
    rows: TrainingSet, estimator: Training, settings: Settings, job: AnyJob, *, goes_on: bool
) -> AnyState:
    """From the weights that were given; else from those that the fit before returned, where this
    one goes on (the last ones of many that vote); else from zeros."""
    if rows.start is not None:
        weights = rows.start
    elif goes_on and was_fitted(estimator):
        weights = rows.returned(estimator)
        if not settings.units.fit_intercept:
            weights[..., -1] = 0.0
    else:
        k, size = len(rows.classes), rows.d + 1
        weights = np.zeros(size if k == 2 else (k, size))
    learner: Any = job.learner
    if settings.units.eta0 != 1:
        weights = weights / settings.units.eta0
    memory = learner.start(weights, averaged=job.keep.averaged)
    return State(memory, seed_of(estimator.random_state), scale=learner.scale)


def returned(estimator: Training, d: int, classes: NDArray[Any]) -> Weights:
    """What the fit before returned, lifted; it must have had these features and classes."""
    weights = _returned(estimator)
    if weights.shape[1] != d + 1 or classes.tolist() != estimator.classes_.tolist():
        raise InputError(
            f"warm_start=True, but the fit before was on {weights.shape[1] - 1} features with "
            f"classes {estimator.classes_.tolist()}, and now there are {d} with "
            f"{classes.tolist()}. Set warm_start=False to start again.",
            option="warm_start",
            value=True,
        )
    return weights[0] if len(classes) == 2 else weights


def _returned(estimator: Training) -> Weights:
    rule = estimator._rule
    if isinstance(rule, Voters):
        rule = LinearRule(estimator._state.memory.w, estimator._made_with.eta0)
    if isinstance(rule, SeparateVoters):
        assert estimator._of_classes is not None
        return np.concatenate([_returned(one) for one in estimator._of_classes])
    return np.column_stack([rule.coef, rule.intercept])


def _resumed(
    estimator: Training, settings: Settings, recipe: Recipe, n: int, *, counted: bool
) -> AnyState | None:
    """The state to go on from on n rows; None where there is none of this training.

    `counted`: updates are counted by row.
    """
    if estimator._checkpoint is not None:
        seed = seed_of(estimator.random_state) if is_number(estimator.random_state) else None
        state = estimator._checkpoint.resume(recipe, settings, seed, n, counted=counted)
        if state is not None and seed is None:
            seed_of(estimator.random_state)  # a generator goes on as if training had drawn from it
        return state
    if vars(estimator).get("_trained_by") != recipe:
        return None
    if counted and "_counts" not in vars(estimator):
        raise InputError(
            "warm_start=True resumes training, which needs the updates of each row, and this "
            "estimator was read without them: save(estimator, path, history=True) keeps them, and "
            "so does the pickle of an estimator with warm_start=True. Or set warm_start=False.",
            option="warm_start",
            value=True,
        )
    # A file can claim anything, and the kernels believe the state.
    state = estimator._state
    fits = state.position <= n and state.seen <= n
    fits = fits and len(state.memory.counts) == (recipe.shape[0] if counted else 0)
    return state.copy() if fits else None


# --- The one loop: epochs, until no row calls for an update or a limit is reached ----------------
#
#     state ──order.advance──► visits, updates ──keep──► candidates judged ──► state
#
# The loop does not know how rows are evaluated (the learner, `learner.py` or `dual.py`), in which
# order (`orders.py`) or what is returned in the end (`keeps.py`). It can be left at any point and
# entered again with the same state: the result is the same to the bit.


def train(
    job: Job[W, V],
    state: State[W, V],
    *,
    max_iter: int,
    max_updates: int | None,
    patience: Patience | None = None,
) -> StopReason:
    """Run epochs; `state` is changed in place and is consistent whenever this returns."""
    last_epoch = state.epoch + max_iter
    last_update = UNLIMITED if max_updates is None else state.updates + max_updates
    try:
        with interrupted_by(job.watch.check_interrupt):
            return _train(job, state, last_epoch, last_update, patience)
    except Interrupted:
        return StopReason.INTERRUPTED


def _train(
    job: Job[W, V], state: State[W, V], last_epoch: int, last_update: int, patience: Patience | None
) -> StopReason:
    if state.kept is None and state.epoch == 0:
        job.keep.begin(job, state)
    while not state.clean or state.under_way:
        if not state.under_way:
            if state.epoch >= last_epoch:
                return StopReason.MAX_ITER
            if state.updates >= last_update:
                return StopReason.MAX_UPDATES
            reason = None if patience is None else patience.over(job, state)
            if reason is not None:
                return reason
            free = UNLIMITED if patience is None else patience.epochs_left(job, state)
            free = min(free, last_epoch - state.epoch)
            if last_update == UNLIMITED and make_epochs(job, state, free):
                continue
            job.watch.begin_epoch()
            state.begin_epoch()
        reason = _finish_epoch(job, state, last_update, patience)
        if reason is not None:
            return reason
    job.keep.after_clean(job, state)
    return StopReason.CLEAN


def _finish_epoch(
    job: Job[W, V], state: State[W, V], last_update: int, patience: Patience | None
) -> StopReason | None:
    most_at_once = 1 if job.keep.sees_every_update else UNLIMITED
    while True:
        if state.unseen_update:
            job.keep.after_update(job, state)
            state.unseen_update = False
            job.watch.judged(state)
        if state.clean or state.position >= job.learner.examples.n:
            break
        if state.updates >= last_update:
            return StopReason.MAX_UPDATES
        check_interrupt()
        state.memory.updates = state.updates
        job.order.advance(state, min(most_at_once, last_update - state.updates))
        job.watch.chunk(state)
    check_finite(job, state)
    job.keep.after_epoch(job, state)
    state.note(job.keep.monitored_mistakes(state))
    if patience is not None:
        patience.note(job, state)
    state.under_way = False
    return StopReason.CALLBACK if job.watch.epoch(state) and not state.clean else None


# --- Many epochs of a small table in one call of the core ----------------------------------------
#
# There an epoch takes microseconds, and the loop around it would take longer. Nothing changes but
# the time: the same visits, the same comparisons, the same state to the bit. It is for rows in
# memory that nobody follows epoch by epoch; all other epochs are made one by one.


def make_epochs(job: Job[W, V], state: State[W, V], max_epochs: int) -> bool:
    """Make some epochs, at most `max_epochs`. False: they are to be made one by one."""
    learner, order, keep = job.learner, job.order, job.keep
    if not isinstance(learner, Primal) or not isinstance(order, Cyclic | Shuffle):
        return False
    if learner.rule.kind != "perceptron" or learner.log is not None:
        return False
    e = learner.examples
    if e.c is not None and e.rows.n > compute.block:
        return False  # mistakes are weighed block by block
    if not keep.in_whole_epochs or job.validating or job.watch.followed:
        return False
    epochs = min(max_epochs, learner.screen.epochs_of_one_call(order.n))
    if epochs < 1:
        return False
    check_interrupt()
    primal = cast("PrimalState", state)
    _make(primal, learner, order, primal.kept if keep.compares else None, epochs)
    check_finite(job, state)
    return True


def _make(
    state: PrimalState,
    learner: Primal,
    order: Cyclic | Shuffle,
    kept: Candidate[Weights] | None,
    epochs: int,
) -> None:
    e, backend = learner.examples, compute.whole_epochs
    assert backend is not None
    best = None
    if kept is not None:
        w = np.copy(e.rows.placed(kept.weights))
        best = KeptWeights(w, kept.mistakes, float(kept.weighted), kept.averaged)
    permutation = None
    if order.pool is not None:
        permutation = Permutation(order.pool, state.seed, state.epoch)
    updates, standing = np.empty(epochs, dtype=np.int64), np.empty(epochs)
    done, visits, clean, mistakes, weighted, averaged = backend.epochs(
        e.labelled,
        learner.rule,
        learner.arrays(state.memory, state.visits),
        order.present if isinstance(order, Shuffle) else order.rows(state.seed),
        permutation,
        best,
        updates,
        standing,
    )
    made = updates[:done].tolist()
    order.arranged(state.epoch + done)
    learner.screen.skipped(done, visits - state.visits, made[-1])
    state.epoch += done
    state.updates += sum(made)
    state.mistakes += made
    state.note(*standing[:done].tolist())
    state.visits, state.position, state.clean = visits, order.n, clean
    if best is not None and (weighted, averaged) != (best.weighted, best.averaged):
        state.kept = Candidate(best.w, mistakes, weighted, averaged)


# --- From there to the attributes ----------------------------------------------------------------


# keep="auto" with margin="auto": the margin falls to 0 in steps, and the mean of the weights since
# the middle of them errs little on rows not seen. Where few rows are mistakes then, the plain rule
# goes on: it ends in a separator where there is one.

STEPS, AVERAGED = 6, 3
"""The margin falls in so many steps; the mean of the weights is that from this one on."""

FEW = 8
"""At most one row in so many is a mistake: the plain rule goes on."""

OPENING_READ, LONGEST_STEP = 1 << 18, 10
"""Numbers that are read while it falls, unless a step would take more epochs than that."""


class Limits(NamedTuple):
    last_epoch: int
    last_update: int | None


class Opening(NamedTuple):
    epochs: int  # of a step

    @classmethod
    def of(cls, job: AnyJob) -> Self:
        read = STEPS * job.learner.examples.n * row_size(job)
        return cls(min(-(-OPENING_READ // read), LONGEST_STEP))

    def begin(self, step: int) -> int:
        return step * self.epochs

    def step(self, state: AnyState) -> int:
        return (state.epoch - state.under_way) // self.epochs


@dataclass(frozen=True)
class OneTraining:
    """What is trained on what, and where it stands: `state` is changed in place."""

    estimator: Training
    settings: Settings
    rows: TrainingSet
    job: AnyJob
    recipe: Recipe | None  # None: nobody goes on from it
    state: AnyState

    @classmethod
    def begin(
        cls, estimator: Training, settings: Settings, rows: TrainingSet, watch: Watch
    ) -> Self:
        job = rows.job(settings, watch)
        goes_on = settings.warm_start or estimator._checkpoint is not None
        recipe = rows.recipe(settings) if goes_on else None
        state = None
        if recipe is not None and rows.start is None:
            counted = job.learner.counts_rows
            state = _resumed(estimator, settings, recipe, rows.n, counted=counted)
        if state is None:
            warm = settings.warm_start
            state = first_state(rows, estimator, settings, job, goes_on=warm)
        return cls(estimator, settings, rows, job, recipe, state)

    def train(self) -> StopReason:
        estimator, settings, job, state = self.estimator, self.settings, self.job, self.state
        max_iter, max_updates = settings.max_iter, settings.max_updates
        if estimator._checkpoint is not None:  # the limits are about the training as a whole
            max_iter -= state.epoch
            max_updates = None if max_updates is None else max_updates - state.updates
        if estimator._recorder is not None:
            job.watch.recorder = estimator._recorder
            estimator._recorder.begin(settings, job, state)
        if settings.tol is None:
            state.losses = None
        else:
            follow(job, state)
        job.watch.show(self._progress(max_iter) if settings.verbose else None, state)
        limits = Limits(
            state.epoch + max_iter, None if max_updates is None else state.updates + max_updates
        )
        reason = self._opened(limits) if settings.margin_falls else None
        if reason is None:
            reason = self._trained(limits, self.rows.patience(settings))
        job.watch.done(state)
        return reason

    def _trained(self, limits: Limits, patience: Patience | None = None) -> StopReason:
        state = self.state
        epochs = limits.last_epoch - state.epoch
        updates = None if limits.last_update is None else limits.last_update - state.updates
        return train(self.job, state, max_iter=epochs, max_updates=updates, patience=patience)

    def _opened(self, limits: Limits) -> StopReason | None:
        """The epochs in which the margin falls; None: they are over, and training goes on."""
        settings, job, state = self.settings, self.job, self.state
        assert isinstance(job.keep, Auto)
        opening = Opening.of(job)
        full = job.learner.rule
        while (step := opening.step(state)) < STEPS:
            if step == AVERAGED and not state.under_way and state.epoch == opening.begin(step):
                state.forget(job.learner)
            job.learner.use(full._replace(number=full.number * (1 - step / STEPS)))
            end = min(opening.begin(step + 1), limits.last_epoch)
            reason = self._trained(limits._replace(last_epoch=end))
            if reason is not StopReason.MAX_ITER or state.epoch < opening.begin(step + 1):
                return reason
        job.learner.use(full._replace(number=0.0))
        over = state.epoch == opening.begin(STEPS) and not state.under_way
        if not over:
            return None
        job.keep.compare(job, state)
        assert state.kept is not None
        if not (state.kept.mistakes or job.validating):
            return StopReason.SEPARATED
        far = state.kept.weighted * FEW > job.evaluation_rows.total_weight
        if far and settings.patience is not None and not settings.prove:
            return StopReason.FAR
        state.fewest, state.fewest_in = np.inf, state.epoch
        return None

    def _progress(self, max_iter: int) -> Progress:
        job, state, estimator = self.job, self.state, self.estimator
        kind = "validation rows" if job.validating else "rows"
        return Progress(
            type(estimator).__name__,
            max_iter,
            self.rows.n,
            f"{job.evaluation_rows.n} {kind}",
            paced=len(state.memory.counts) == 0,
            resumed=estimator._checkpoint is not None and state.epoch > 0,
            workers=self.rows.workers,
        )

    def publish(self, reason: StopReason) -> None:
        self.job.watch.settle()
        self._fitted(reason, self.state).put_on(self.estimator, **self.rows.attributes)

    def write_into(
        self, whole: State[Weights, Voters], few: FewColumns, reason: StopReason
    ) -> None:
        """The state of all columns goes on as this one, which has few of them."""
        self.job.watch.settle()
        fitted, state, memory = self._fitted(reason, self.state), self.state, whole.memory
        averaged = self.job.keep.averaged if state.kept is None else state.kept.averaged
        learned, rule = state.memory, self.estimator._rule
        if not (isinstance(rule, ChangingRule) and rule.w is memory.w):
            rule = ChangingRule(memory.w, memory.correction, fitted._made_with.eta0)
        with rule.changed(visits=state.visits if averaged else 0):
            if memory.correction is not None and state.visits_before != whole.visits_before:
                memory.correction[...] = 0.0  # the mean has begun anew
            for part, of_few in zip(memory.parts, learned.parts, strict=True):
                if part is not None and of_few is not None:
                    few.write(of_few, part)
        memory = replace(memory, counts=learned.counts, updates=learned.updates)
        state = replace(state, memory=memory, kept=None, in_place=True)
        replace(fitted, _rule=rule, _state=state, _kept=None).put_on(self.estimator)

    def attributes(self) -> dict[str, Any]:
        as_if = copy.copy(self.estimator)
        fitted = self._fitted(StopReason.CALLBACK, self.state.copy())
        fitted.put_on(as_if, **self.rows.attributes)
        return dict(vars(as_if))

    def _fitted(self, reason: StopReason, state: AnyState) -> Fitted:
        job, settings = self.job, self.settings
        check_finite(job, state)
        result = job.keep.result(job, state)
        if self.recipe is None and state.kept is not result.kept:
            state.kept = None  # nobody goes on from it
        result = result.settled(state)
        stalled = reason in (StopReason.PATIENCE, StopReason.TOL)
        if stalled and result.mistakes == 0 and not job.keep.votes:
            reason = StopReason.SEPARATED  # the rule itself shows it (votes are no rule)
        learner, eta0, counts = job.learner, settings.units.eta0, state.memory.counts
        validation = np.array(state.validation, dtype=np.int64) if job.validating else None
        return Fitted(
            _rule=learner.learned_rule(result.rule, eta0),
            _state=state,
            _kept=result.kept if KEEPS[settings.units.keep].evaluated else None,
            _trained_by=self.recipe,
            _made_with=settings.units,
            _rule_number=settings.rule.published(eta0, state.scale, learner.examples.k),
            _n_rows=len(counts) or learner.examples.n,  # none of a stream
            classes_=self.rows.classes,
            training_errors_=result.mistakes,
            converged_=state.clean or (settings.margin_falls and reason is StopReason.SEPARATED),
            stop_reason_=reason,
            certificate_=cast("Certificate | None", state.certificate),
            n_iter_=state.epoch,
            n_updates_=state.updates,
            mistakes_=np.array(state.mistakes, dtype=np.int64),
            _counts=counts if len(counts) else None,
            validation_mistakes_=validation,
        )


def one_pass(estimator: Training, settings: Settings, watch: Watch, rows: InMemory) -> None:
    """One pass over the rows in their order; it goes on from the pass before, or from the start
    that is given."""
    before = None
    if rows.start is None:
        before = _state_before(estimator, settings, rows.examples.shape_of_weights)
    if before is not None and before.memory.precision is not None:
        left = (1 - settings.rule.forget) ** rows.n
        before = replace(before, memory=_faded(before.memory, left))
    few = whole = None
    if before is not None:
        few = _few_columns(settings, rows.examples)
        if few is not None:
            whole = before if before.in_place else before.copy()
            before = replace(whole, memory=_part_of(whole.memory, few))
            rows = rows.of_columns(few)
    scale = None if before is None else before.scale
    job = rows.job(settings, watch, one_pass=True, before=scale)
    if before is None:
        state = first_state(rows, estimator, settings, job, goes_on=True)
    else:
        state = _of_next_pass(before, estimator, job, rows.examples)
    stored, begun = state.memory.precision, state.memory.current_precision
    state.memory.precision = begun if begun is stored else begun.copy()
    if isinstance(job.keep, Following):
        job.keep.before_pass(job, state)
    reason = train(job, state, max_iter=1, max_updates=None)
    if reason is not StopReason.INTERRUPTED:
        reason = StopReason.ONE_PASS
    if begun is not stored:
        state.memory.precision = _unfaded(state.memory, stored, begun)
    one = OneTraining(estimator, settings, rows, job, None, state)
    if few is None or whole is None:
        one.publish(reason)
    else:
        one.write_into(whole, few, reason)


# Of very many columns that sparse rows have few of, the pass reads and writes those alone. Weights
# are changed where they are, at the very end, so that nothing has to be taken back.


def _few_columns(settings: Settings, examples: Examples) -> FewColumns | None:
    rule, keep = settings.rule, settings.keep_of_a_pass
    all_change = rule.penalty is not None or rule.signs is not None
    if all_change or settings.order == "batch" or keep not in (Following, Last, Average):
        return None
    return FewColumns.of(examples.rows)


def _part_of(memory: Memory[Weights], few: FewColumns) -> Memory[Weights]:
    w, correction, precision = (None if p is None else few.part_of(p) for p in memory.parts)
    assert w is not None
    return replace(memory, w=w, correction=correction, precision=precision)


# AROW forgets by one number for all precisions: a sparse row reads those of its entries alone.

_LEAST_LEFT = 2.0**-64  # of precisions, or they would overflow


def _faded(memory: Memory[Any], left: float) -> Memory[Any]:
    memory = replace(memory, faded=memory.faded * left)
    if memory.faded >= _LEAST_LEFT:
        return memory
    return replace(memory, precision=memory.current_precision, faded=1.0)


def _unfaded(memory: Memory[Any], stored: Any, begun: Any) -> Any:
    """Precisions as they are stored, after a pass that began with `begun`: what it has not changed
    stays as it is, or rows with and without zeros would differ."""
    now: Any = memory.precision
    with np.errstate(over="ignore"):
        return np.where(now == begun, stored, 1 + (now - 1) / memory.faded)


def _state_before(
    estimator: Training, settings: Settings, shape: tuple[int, ...]
) -> AnyState | None:
    same_units = was_fitted(estimator) and estimator._made_with == settings.units
    state = estimator._state if same_units else None
    if state is None:
        return None
    kept = None if estimator._kept is None else estimator._kept.weights
    for part in (*state.memory.parts, kept):
        if part is not None:
            check_shape(part, shape)
    return state


def _of_next_pass(
    before: AnyState, estimator: Training, job: AnyJob, examples: Examples
) -> AnyState:
    state = before.copy()
    counts = (examples.rows.n, *examples.shape_of_weights[:-1])
    state.memory.counts = np.zeros(counts, dtype=np.int64)
    state.mistakes, state.validation, state.kept = [], [], estimator._kept
    state.clean = state.under_way = state.unseen_update = False
    state.certificate = state.losses = state.mixing = None  # they are about other rows
    state.scale = job.learner.scale
    return state


# --- What training leaves on an estimator: every attribute, listed once --------------------------
#
# Fitting, certificates and model files make this record, and put it onto the estimator at once.


Counts = NDArray[np.int64]
LEFT_BEHIND: Any = object()  # counts that a pickle or a file does not have


@dataclass(frozen=True, kw_only=True)
class TrainingRecord:
    """How training went. The fields have the names of the attributes."""

    _made_with: Units
    _rule_number: float  # the margin μ, or what another rule has instead
    _n_rows: int  # that training was given
    training_errors_: int | None
    converged_: bool
    stop_reason_: StopReason
    certificate_: Certificate | None
    n_iter_: int
    n_updates_: int
    mistakes_: Counts
    _counts: Any = LEFT_BEHIND  # by row, of many classes and class; None: of a stream
    validation_mistakes_: Counts | None = None  # None: no such attribute

    @classmethod
    def of(cls, estimator: Any) -> Self:
        attributes = {"_counts": LEFT_BEHIND} | vars(estimator)
        return cls(**{field.name: attributes.get(field.name) for field in fields(cls)})


@dataclass(frozen=True, kw_only=True)
class Fitted(TrainingRecord):
    """That, and what was learned."""

    _rule: Any
    _state: AnyState | None  # None: a kernel rule that was read from a file
    _kept: Candidate[Any] | None
    _trained_by: Recipe | None
    classes_: NDArray[Any]
    _of_classes: tuple[Any, ...] | None = None  # multi_class="ovr": an estimator for each class

    def put_on(self, estimator: Any, **more: Any) -> None:
        """In one step: not even a second Ctrl-C can come in between. `more`: other attributes."""
        attributes = {field.name: getattr(self, field.name) for field in fields(self)} | more
        kept = vars(estimator).copy()
        for name, nothing in (("validation_mistakes_", None), ("_counts", LEFT_BEHIND)):
            if attributes[name] is nothing:
                del attributes[name]
                kept.pop(name, None)
        estimator.__dict__ = kept | attributes


def shown_counts(counts: Any) -> Any:
    """`update_counts_`: it cannot be changed; None where there are none.

    Of many classes, rows and classes: most of them are 0, so a sparse array.
    """
    if counts is None:
        return None
    if counts.ndim == 1:
        view = counts.view()
        view.setflags(write=False)
        return view
    by_class = sparse.csr_array(counts)
    for array in (by_class.data, by_class.indices, by_class.indptr):
        array.setflags(write=False)
    return by_class
