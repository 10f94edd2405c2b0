"""What estimators that train have in common: from the state of training to attributes and words."""

from __future__ import annotations

import numbers
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from rosenblatt._estimators import advice
from rosenblatt._estimators.callbacks import TakesCallbacks
from rosenblatt._learning.progress import Progress
from rosenblatt._learning.rule import Rule, margin_rule
from rosenblatt._learning.settings import Recipe, Settings, Units
from rosenblatt._learning.state import AnyJob, AnyState, Candidate
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._learning.watch import Recorder
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._learning.watch import Checkpoint
    from rosenblatt.certificate import Certificate


def is_number(random_state: Any) -> bool:
    """A seed that is the same every time."""
    return isinstance(random_state, numbers.Integral)


def _drawn(random_state: Any) -> int:
    """64 bits for the permutations."""
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))


_seed_of = lru_cache(maxsize=64)(_drawn)  # to start a generator takes longer than a small fit


_AT_REST_NOWHERE = (StopReason.NOT_SEPARABLE, StopReason.PATIENCE, StopReason.TOL)


class Training(TakesCallbacks):
    """Abstract: an estimator says with `_rule_of` what it publishes as its rule."""

    _state: AnyState
    _kept: Candidate[Any] | None
    _trained_by: Recipe | None
    _made_with: Units
    _recorder: Recorder | None = None  # follows training, where somebody wants a trace
    _checkpoint: Checkpoint | None = None  # where training is kept, so that it can go on
    _rule_number: float  # the margin μ, or what another rule has instead
    random_state: Any
    _n_rows: int  # that training was given
    n_iter_: int
    n_updates_: int
    converged_: bool
    training_errors_: int | None
    stop_reason_: StopReason
    certificate_: Certificate | None
    mistakes_: NDArray[np.int64]
    update_counts_: Any  # an array, of many classes sparse; None after a stream
    validation_mistakes_: NDArray[np.int64]  # only where there were validation rows

    def _rule_of(self, learned: Any, settings: Settings, job: AnyJob) -> Any:
        raise NotImplementedError

    def _step_rule(self) -> Rule:
        """When to step, and how far, as the parameters say; or the error about them."""
        raise NotImplementedError

    def _seed(self) -> int:
        if is_number(self.random_state):
            return _seed_of(int(self.random_state))
        return _drawn(self.random_state)

    def _refuse_many(self, settings: Settings, classes: NDArray[Any]) -> None:
        """What each class against the rest has not."""
        if len(classes) > 2 and settings.prove and settings.one_vs_rest:
            raise InputError(
                "prove=True asks whether all classes are separable together, and multi_class='ovr' "
                "trains each by itself: use multi_class='joint'."
            )
        if len(classes) > 2 and settings.one_vs_rest and self._recorder is not None:
            raise InputError(
                f"A trace follows one training, and multi_class='ovr' makes {len(classes)}: use "
                "multi_class='joint', or trace each class against the rest, y == label."
            )

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
        workers = getattr(job.machine, "workers", None)  # of an engine
        more: dict[str, Any] = {"paced": streamed, "resumed": resumed, "workers": workers}
        return Progress(name, max_iter, n, text, **more)

    def _warn(self, settings: Settings, job: AnyJob, state: AnyState, stored: bool) -> None:
        n, errors, name = job.machine.examples.n, self.training_errors_, type(self).__name__
        if errors is None:  # Ctrl-C, and a handler that goes on
            return
        reason = self.stop_reason_
        # Other rules do not aim at a clean epoch: their last weights are no accident.
        last = settings.units.keep == "last" and settings.rule.kind == "perceptron"
        unmet = errors > 0 or job.machine.margin > 0
        known = state.certificate is not None and state.certificate.separable
        if reason is StopReason.MAX_ITER and known and errors > 0:
            assert state.certificate is not None
            text = advice.separable_unfinished(
                name, errors, n, settings.max_iter, state.updates, state.certificate
            )
        elif reason is StopReason.MAX_ITER and last and unmet and not settings.all_epochs:
            mistakes, asked = state.mistakes, advice.question(self, stored)
            text = advice.unfinished(
                name, errors, n, mistakes, settings.max_iter, self._rule_number, asked
            )
        elif reason is StopReason.UNDECIDED and errors > 0:
            text = advice.undecided(name, errors, n, settings.patience)
        elif reason in _AT_REST_NOWHERE and last and errors > 0:
            asked = advice.question(self, stored)
            why = advice.why_stopped(reason, state.epoch, settings.patience, asked)
            text = advice.last_of_many(name, errors, n, why)
        elif state.clean and errors > 0 and not job.validating:
            text = advice.separable_but(name, settings.units.keep, errors, n)
        else:
            return
        warnings.warn(text, ConvergenceWarning, stacklevel=4)


class PerceptronTraining(Training):
    """Abstract: the perceptron's rule, with a margin."""

    margin: Any

    def _step_rule(self) -> Rule:
        return margin_rule(self.margin)

    @property
    def margin_(self) -> float:
        """The margin μ that training had: `margin`, or what "scale" came to."""
        if "_rule_number" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no margin_ before it is fitted")
        return self._rule_number
