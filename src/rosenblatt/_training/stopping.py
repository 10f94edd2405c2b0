"""When to stop without being done: by counts alone, or with a proof; and what to say of it then.

Training ends after `limit` epochs without noticeably fewer mistakes, but not before it has read a
million numbers, or two where few mistakes are left: that takes milliseconds. So small tables train
to the end at no cost, and large ones stop in time. Nothing exact is asked and nothing is timed: the
same data stop at the same epoch everywhere. Whether a hyperplane separates the rows is then not
known.

With `prove=True` it is asked, once. If it is proved that none does, training would never end by
itself: stop. If one does, it will end: go on. The answer is part of the state, so that training
resumed is training uninterrupted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from rosenblatt._core.rows import SHORTEST
from rosenblatt._training.state import UNLIMITED, Floats, Job, State, V, Verdict, W
from rosenblatt._util.budget import Budget
from rosenblatt._util.spelling import either, option

if TYPE_CHECKING:
    from rosenblatt._training.estimator import Training
    from rosenblatt._training.settings import Settings
    from rosenblatt._training.training import TrainingSet


class StopReason(StrEnum):
    """Why training ended; each member is a sentence.

    The worst comes first: of several trainings, as multi_class="ovr" makes them, that one counts.
    """

    INTERRUPTED = "Training was interrupted (Ctrl-C)."
    CALLBACK = "A callback ended training."
    NOT_SEPARABLE = "No hyperplane separates the rows: certificate_ has the proof."
    UNDECIDED = (
        "Stopped early (patience): the last epochs brought no noticeable gain, and whether a "
        "hyperplane separates the rows is undecided."
    )
    MAX_UPDATES = "max_updates updates were made."
    MAX_ITER = "Stopped at max_iter epochs; some rows still called for updates."
    PATIENCE = "Stopped early (patience): the last epochs brought no noticeably fewer mistakes."
    TOL = (
        "Stopped early (patience): in the last epochs the mean loss was not lower than before by "
        "tol."
    )
    FAR = (
        "Stopped where the margin had fallen to 0: more than one row in 8 was a mistake, so that "
        "more epochs would bring little."
    )
    SEPARATED = (
        "The rule makes no mistake on the training rows, and more epochs would bring nothing more."
    )
    ONE_PASS = "partial_fit made its one pass over the given rows."
    CLEAN = "Converged: a whole pass over the rows made no update."
    FROM_CERTIFICATE = "Nothing was trained: the rule is the separator of a certificate."


LEAST_READ, NEARLY_READ = 1 << 20, 1 << 21
"""Numbers that training reads in any case; and where at most one row in NEARLY is wrong."""

NEARLY = 64

BEFORE_PROOF = 1 << 14
"""Numbers that are read before a proof is asked for, which tells more than many epochs."""

LONGEST = 32
"""Columns that a visited row counts for, at most, however the rows are held."""

_LEAST_WORK = 100_000  # row evaluations that may be spent on the answer in any case,
_LEAST_OF_EACH = 20  # and of each row


class SeparabilityOracle(Protocol):
    """Answers whether a hyperplane separates the training rows, with a proof."""

    def is_separable(self, budget: Budget) -> Verdict:
        """This and nothing more."""


@dataclass(frozen=True)
class Patience:
    """How many epochs without progress end training (None: any number), and who is asked then."""

    limit: int | None
    oracle: SeparabilityOracle | None
    in_dual_form: bool = False  # each update brings the scores of all rows up to date
    tol: float | None = None  # the loss is looked at, not mistakes: by how much it must fall

    def over(self, job: Job[W, V], state: State[W, V]) -> StopReason | None:
        if not self._spent(job, state):
            return None
        if self.oracle is None:
            return StopReason.PATIENCE if self.tol is None else StopReason.TOL
        if _separated(job, state):
            return None
        if state.certificate is None:
            budget = Budget(work_limit=self.work(job, state))
            state.certificate = self.oracle.is_separable(budget)
        return _ANSWERED[state.certificate.separable]

    def note(self, job: Job[W, V], state: State[W, V]) -> None:
        if self.tol is not None and state.losses is not None:
            state.losses.close(job.learner.examples.n, self.tol)

    def _spent(self, job: Job[W, V], state: State[W, V]) -> bool:
        if self.limit is None:
            return False
        if state.losses is not None:
            return state.losses.idle >= self.limit
        return state.epoch - state.fewest_in >= self.limit and self._unread(job, state) <= 0

    def epochs_left(self, job: Job[W, V], state: State[W, V]) -> int:
        """At least so many epochs will be made before it ends training, whatever they bring."""
        known = state.certificate is not None and state.certificate.separable
        if self.limit is None or known:
            return UNLIMITED
        for_reading = -(-self._unread(job, state) // (job.order.rows_of_an_epoch * row_size(job)))
        return max(state.fewest_in + self.limit - state.epoch, for_reading, 1)

    def _unread(self, job: Job[W, V], state: State[W, V]) -> int:
        """Numbers still to be read before patience can end training.

        Visits count. Comparing weights does not, nor what screening spares: they differ by machine.
        """
        nearly = state.fewest * NEARLY <= job.learner.examples.n
        least = NEARLY_READ if nearly else LEAST_READ
        least = least if self.oracle is None else BEFORE_PROOF
        return least - job.order.row_evaluations(state) * row_size(job)

    def work(self, job: Job[W, V], state: State[W, V]) -> int:
        """Row evaluations that may be spent on a certificate: as many as training has made."""
        n = job.learner.examples.n
        made = job.order.row_evaluations(state) + job.keep.row_evaluations(job, state)
        made += state.updates * n if self.in_dual_form else 0
        return max(made, _LEAST_WORK, _LEAST_OF_EACH * n)


_ANSWERED = {True: None, False: StopReason.NOT_SEPARABLE, None: StopReason.UNDECIDED}


def row_size(job: Job[W, V]) -> int:
    return min(max(job.learner.examples.d, SHORTEST), LONGEST)


def _separated(job: Job[W, V], state: State[W, V]) -> bool:
    """Weights without a mistake are at hand: the answer is known."""
    return not job.validating and state.kept is not None and state.kept.mistakes == 0


# --- What is said of a training that ended without being done ------------------------------------


_NOTHING_DECIDED = (StopReason.PATIENCE, StopReason.TOL, StopReason.FAR)


def in_words(p: Training) -> str:
    """Why training ended, what is not known then, and which call decides it, if any."""
    if p.stop_reason_ not in _NOTHING_DECIDED:
        return p.stop_reason_
    question, call = _separable(p)
    who = f"; {_certify()} is about hyperplanes only" if _curved(p) else ""
    who = f": {call} decides it" if call else who
    return f"{p.stop_reason_} Whether {question} is not known{who}."


class Separable(NamedTuple):
    """What would have let training end by itself, and which call decides whether it is so."""

    question: str
    call: str  # empty: none


def _separable(p: Training) -> Separable:
    many, stored = len(p.classes_) > 2, vars(p).get("_counts", ()) is None  # no X and no y
    if _curved(p):
        return Separable("the kernel separates the rows", "")
    if many and p._spec.multi_class and p.multi_class == "ovr":
        call = "" if stored else "certify(X, y == label)"
        return Separable("each class is separable from the rest", call)
    call = "certify_stored(source)" if stored else _certify()
    if many:
        return Separable("the classes are linearly separable", call)
    return Separable("a hyperplane separates the rows", call)


def _curved(p: Training) -> bool:
    return p._spec.kernel and p.kernel != "linear"


def _certify() -> str:
    return either("certify(X, y)", "rosenblatt certify")


class Advice(NamedTuple):
    """A warning: its kind, of which one is enough, and its text, a line."""

    kind: str
    text: str


def advice(p: Training, settings: Settings, rows: TrainingSet) -> Advice | None:
    """What a user should know of a training that is over."""
    some = _some_numbers(rows)
    kind = _kind(p, settings, some)
    if kind is None:
        return _about_penalty(p, settings, rows) or _about_sizes(p, some, rows.n)
    name, keep, (question, call) = type(p).__name__, settings.units.keep, _separable(p)
    kept = either(f"{name}(keep={keep!r})", option("keep", keep))
    best, last, wrong = option("keep", "best"), option("keep", "last"), _wrong(p, rows.n)
    limit, more = option("max_iter", settings.max_iter), f"a larger {option('max_iter')}"
    scale = either("StandardScaler", "--scale")
    certified = "Perceptron.from_certificate(certificate_)"
    scaling = [scale] if _scaling_helps(p, some) else []
    ways = [more, *scaling, best] if _fell(p) else [best, *scaling, more]
    who = f"; {call} decides whether {question}" if call else ""
    texts = {
        "too small": (
            f"{name} has {wrong}: the numbers in X are too small beside the 1 of the intercept. "
            f"Try {scale}, in training and in prediction alike."
        ),
        "separable": (
            f"{name} stopped at {limit} with {wrong}{_course(p)}, although {question} "
            f"(certificate_). Try {_any_of([*scaling, more, certified])}."
        ),
        "unfinished": (
            f"{name} stopped at {limit} with {wrong}{_course(p)}. Try {_any_of(ways)}{who}."
        ),
        "margin": (
            f"{name} stopped at {limit}, where rows with a margin of at most {p._rule_number:g} "
            f"still called for updates{_course(p)}. Try {more} or a smaller {option('margin')}."
        ),
        "undecided": (
            f"{name} stopped early with {wrong}, and whether {question} is undecided. "
            f"Try patience=None, which trains on; {call} decides it without a limit."
        ),
        "not separable": (
            f"{kept} returns the weights it had when it stopped, with {wrong}. No linear rule is "
            f"without errors (certificate_). Try {best}."
        ),
        "last of many": (
            f"{kept} returns the weights it had when it stopped, with {wrong}. Try {best}{who}."
        ),
        "other weights": (
            f"{kept} returns a rule with {wrong}, although training found one with none. "
            f"Try {best} or {last}, which return it."
        ),
    }
    return Advice(kind, texts[kind])


def _wrong(p: Training, n: int) -> str:
    # A row with a score of 0 counts as an error, whatever is predicted for it.
    if len(p.classes_) > 2:
        return f"{p.training_errors_} of {n} training rows whose class does not score highest"
    border = "boundary" if _curved(p) else "hyperplane"
    return f"{p.training_errors_} of {n} training rows on the wrong side or on the {border}"


def _course(p: Training) -> str:
    if len(p.mistakes_) < 2:
        return ""
    return f" (updates: {p.mistakes_[0]} in the first epoch, {p.mistakes_[-1]} in the last)"


def _fell(p: Training) -> bool:
    """Or nobody knows."""
    return len(p.mistakes_) < 2 or bool(p.mistakes_[-1] < p.mistakes_[0])


def _any_of(ways: list[str]) -> str:
    *others, last = ways
    return f"{', '.join(others)} or {last}" if others else last


def _kind(p: Training, settings: Settings, some: Floats | None) -> str | None:
    """Other rules than the perceptron's do not aim at a clean epoch: their last weights are no
    accident."""
    errors, reason, of_each = p.training_errors_, p.stop_reason_, p._of_classes is not None
    if errors is None:  # Ctrl-C, and a handler that goes on
        return None
    last = settings.units.keep == "last" and settings.rule.kind == "perceptron"
    if errors and p.fit_intercept and not of_each and _too_small(some):
        return "too small"
    if reason is StopReason.MAX_ITER and errors and p.certificate_ and p.certificate_.separable:
        return "separable"
    if reason is StopReason.MAX_ITER and last and not settings.all_epochs:
        if errors:
            return "unfinished"
        if p._rule_number > 0 and not of_each:
            return "margin"
    if reason is StopReason.UNDECIDED and errors:
        return "undecided"
    if reason is StopReason.NOT_SEPARABLE and last and errors:
        return "not separable"
    if reason in (StopReason.PATIENCE, StopReason.TOL) and last and errors:
        return "last of many"
    strict = settings.units.tie == "mistake"  # else rows may lie on the hyperplane
    if p.converged_ and errors and strict and not of_each and "validation_mistakes_" not in vars(p):
        return "other weights"
    return None


_SOME = 1 << 13  # numbers that are looked at for the sizes of columns
_VERY_DIFFERENT, _ENDLESS = 1e3, 1e9


def _some_numbers(rows: TrainingSet) -> Floats | None:
    """Of each column, of some rows; of sparse rows as if they were one. None: not in memory."""
    X = rows.in_memory
    if X is None or not X.size:
        return None
    X = X.reshape(1, -1) if X.ndim == 1 else X.T
    return X[:, :: -(-X.size // _SOME)].astype(np.float64, order="C")


def _about_penalty(p: Training, settings: Settings, rows: TrainingSet) -> Advice | None:
    """Weights that shrink too much leave the intercept: one label for all rows."""
    label = None if settings.rule.penalty is None else rows.only_label(p)
    if label is None:
        return None
    return Advice(
        "one label",
        f"{type(p).__name__} predicts {label!r} for all {rows.n} training rows: with "
        f"alpha={settings.rule.penalty!r} the penalty leaves too little of the weights. "
        "Try a smaller alpha.",
    )


def _about_sizes(p: Training, some: Floats | None, n: int) -> Advice | None:
    if some is None or not p.training_errors_:
        return None
    sizes = _sizes(some)
    if not sizes.any():
        return None
    small, large = int(np.argmin(np.where(sizes > 0, sizes, np.inf))), int(np.argmax(sizes))
    with np.errstate(over="ignore"):
        ratio = sizes[large] / sizes[small]
    if not ratio > _VERY_DIFFERENT:
        return None
    names = vars(p).get("feature_names_in_")
    least, most = (j if names is None else repr(str(names[j])) for j in (small, large))
    times = f"about {float(f'{ratio:.1g}'):,.0f}" if ratio < _ENDLESS else "over a billion"
    scaled = either(f"make_pipeline(StandardScaler(), {type(p).__name__}())", "--scale")
    return Advice(
        "sizes",
        f"{type(p).__name__} has {p.training_errors_} of {n} training rows wrong, and column "
        f"{most} is {times} times as large as column {least}. Try {scaled}.",
    )


def _sizes(some: Floats) -> Floats:
    """Root mean squares."""
    largest = np.abs(some).max(axis=1)
    scale = np.where(largest > 0, largest, 1.0)
    shares = some / scale[:, None]  # their squares neither over- nor underflow
    return np.asarray(largest * np.sqrt((shares * shares).mean(axis=1)))


_SCALED, _CENTRED = 10.0, 2.0


def _scaling_helps(p: Training, some: Floats | None) -> bool:
    """Or may help, where nobody knows. Columns that lie around 0 and are as large as the 1 of the
    intercept are as good as scaled."""
    if p._spec.kernel and p.kernel == "precomputed":
        return False
    if some is None:
        return True
    some = some[some.max(axis=1) > some.min(axis=1)]
    sizes = np.append(_sizes(some), 1.0)
    shares = some / np.abs(some).max(axis=1, keepdims=True)
    far = np.abs(shares.mean(axis=1)) > _CENTRED * shares.std(axis=1)
    return bool(far.any() or sizes.max() > _SCALED or sizes.min() < 1 / _SCALED)


_SMALL = 1e-8


def _too_small(some: Floats | None) -> bool:
    """‖x‖² vanishes beside the 1 of the intercept, although X is not all zeros."""
    if some is None or np.abs(some).max() > _SMALL * np.sqrt(some.shape[1]):
        return False
    sizes = _sizes(some)
    return bool(0 < sizes.max() < _SMALL) and float((sizes * sizes).sum()) < 2.0**-53
