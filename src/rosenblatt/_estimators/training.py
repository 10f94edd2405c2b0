"""What estimators that train have in common: from the state of training to attributes and words."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from rosenblatt._compute.fingerprint import FIRST
from rosenblatt._estimators import advice
from rosenblatt._learning.loop import train
from rosenblatt._learning.patience import Patience
from rosenblatt._learning.progress import Progress
from rosenblatt._learning.settings import Recipe, Settings, Units
from rosenblatt._learning.state import AnyJob, AnyState, Candidate, check_finite
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._learning.watch import Recorder
from rosenblatt._rules.linear import read_only
from rosenblatt._support.budget import Budget

if TYPE_CHECKING:
    from rosenblatt._learning.watch import Checkpoint
    from rosenblatt.certificate import Certificate


def _is_number(random_state: Any) -> bool:
    """A seed that is the same every time."""
    return isinstance(random_state, numbers.Integral)


def _drawn(random_state: Any) -> int:
    """64 bits for the permutations."""
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))


_seed_of = lru_cache(maxsize=64)(_drawn)  # to start a generator takes longer than a small fit


class Training:
    """Abstract: an estimator says with `_rule_of` what it publishes as its rule."""

    _state: AnyState
    _kept: Candidate[Any] | None
    _trained_by: Recipe | None
    _made_with: Units
    _recorder: Recorder | None = None  # follows training, where somebody wants a trace
    _checkpoint: Checkpoint | None = None  # where training is kept, so that it can go on
    keep: str
    random_state: Any
    _n_rows: int  # that training was given
    training_errors_: int | None
    stop_reason_: StopReason
    certificate_: Certificate | None

    def _rule_of(self, learned: Any, settings: Settings, job: AnyJob) -> Any:
        raise NotImplementedError

    def _seed(self) -> int:
        if _is_number(self.random_state):
            return _seed_of(int(self.random_state))
        return _drawn(self.random_state)

    def _resumed(
        self,
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
        if self._checkpoint is not None:
            seed = self._seed() if _is_number(self.random_state) else None
            state = self._checkpoint.resume(
                recipe, settings, seed, n, counted=counted, before=before
            )
            if state is not None and seed is None:
                self._seed()  # a generator goes on as if this training had drawn from it
            return state
        trained_by = getattr(self, "_trained_by", None)
        old = trained_by is not None and trained_by.data.startswith(FIRST) and before is not None
        if trained_by != (before() if before is not None and old else recipe):
            return None
        # A file can claim anything, and the kernels believe the state.
        fits = self._state.position <= n and self._state.seen <= n
        fits = fits and len(self._state.memory.counts) == (recipe.shape[0] if counted else 0)
        return self._state.copy() if fits else None

    def _record(self, settings: Settings, job: AnyJob, state: AnyState) -> None:
        if self._recorder is not None:
            job.watch.recorder = self._recorder
            self._recorder.begin(settings, job, state)

    def _progress(
        self, settings: Settings, job: AnyJob, state: AnyState, max_iter: int
    ) -> Progress | None:
        if not settings.verbose:
            return None
        n, judged = job.machine.examples.n, job.evaluation_rows.n
        kind = "validation rows" if job.validating else "rows"
        streamed = len(state.memory.counts) == 0
        name = type(self).__name__
        resumed = self._checkpoint is not None and state.epoch > 0
        text = f"{judged} {kind}"
        return Progress(name, max_iter, n, text, paced=streamed, resumed=resumed)

    def _run(
        self,
        settings: Settings,
        job: AnyJob,
        state: AnyState,
        classes: NDArray[Any],
        recipe: Recipe | None,
        patience: Patience,
    ) -> None:
        """Train from this state, and publish what was learned."""
        watch, max_iter, max_updates = job.watch, settings.max_iter, settings.max_updates
        if self._checkpoint is not None:  # the limits are about the training as a whole
            max_iter -= state.epoch
            max_updates = None if max_updates is None else max_updates - state.updates
        self._record(settings, job, state)
        watch.show(self._progress(settings, job, state, max_iter), state)
        reason = train(job, state, max_iter=max_iter, max_updates=max_updates, patience=patience)
        watch.done(state)
        self._publish(settings, job, state, classes, reason, recipe)

    def _publish(
        self,
        settings: Settings,
        job: AnyJob,
        state: AnyState,
        classes: NDArray[Any],
        reason: StopReason,
        recipe: Recipe | None,
    ) -> None:
        job.watch.settle()
        check_finite(job, state)
        result = job.keep.result(job, state)
        counts = state.memory.counts  # none of a stream
        found = {
            "_rule": self._rule_of(result.rule, settings, job),
            "_state": state,
            "_kept": result.kept,
            "_trained_by": recipe,
            "_made_with": settings.units,
            "classes_": classes,
            "training_errors_": result.mistakes,
            "converged_": state.clean,
            "stop_reason_": reason,
            "certificate_": state.certificate,
            "n_iter_": state.epoch,
            "n_updates_": state.updates,
            "mistakes_": np.array(state.mistakes, dtype=np.int64),
            "update_counts_": read_only(counts.view()) if len(counts) else None,
            "_n_rows": len(counts) or job.machine.examples.n,
        }
        if job.validating:
            found["validation_mistakes_"] = np.array(state.validation, dtype=np.int64)
        else:
            self.__dict__.pop("validation_mistakes_", None)
        self.__dict__.update(found)  # all at once: a second Ctrl-C cannot come in between

    def _warn(self, settings: Settings, job: AnyJob, state: AnyState, patience: Patience) -> None:
        n, errors, name = job.machine.examples.n, self.training_errors_, type(self).__name__
        if errors is None:  # Ctrl-C, and a handler that goes on
            return
        reason, last = self.stop_reason_, self.keep == "last"
        unmet = errors > 0 or settings.margin > 0
        known = state.certificate is not None and state.certificate.separable
        if reason is StopReason.MAX_ITER and known and errors > 0:
            text = self._advice_in_full(settings, job, state, patience)
        elif reason is StopReason.MAX_ITER and last and unmet:
            text = advice.unfinished(
                name, errors, n, state.mistakes, settings.max_iter, settings.margin
            )
        elif reason is StopReason.UNDECIDED and errors > 0:
            text = advice.undecided(name, errors, n, settings.patience)
        elif reason in (StopReason.NOT_SEPARABLE, StopReason.PATIENCE) and last and errors > 0:
            text = advice.last_of_many(name, errors, n, reason)
        elif state.clean and errors > 0 and not job.validating:
            text = advice.separable_but(name, self.keep, errors, n)
        else:
            return
        warnings.warn(text, ConvergenceWarning, stacklevel=3)

    def _advice_in_full(
        self, settings: Settings, job: AnyJob, state: AnyState, patience: Patience
    ) -> str:
        """Separable, and yet unfinished: how long it can take, and how to have it at once.

        The estimator is fitted by now: Ctrl-C can come at any time.
        """
        oracle, errors = patience.oracle, self.training_errors_
        assert oracle is not None
        assert errors is not None
        work = patience.work(job, state)
        certificate = oracle.in_full(Budget(work_limit=work))
        self.certificate_ = cast("Certificate", certificate)
        return advice.separable_unfinished(
            type(self).__name__,
            errors,
            job.machine.examples.n,
            settings.max_iter,
            state.updates,
            certificate,
            oracle.bound_when_scaled(Budget(work_limit=work)),
            centered=oracle.centers,
        )
