"""What is returned: the values of `keep`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Generic, Literal

import numpy as np
from numpy.typing import NDArray

from rosenblatt._training.monitor import Interrupted
from rosenblatt._training.state import (
    Candidate,
    Cannot,
    EvaluationRows,
    Job,
    State,
    V,
    W,
    Where,
    copied,
)
from rosenblatt._util.progress import interrupted_by


@dataclass(frozen=True)
class Result(Generic[W, V]):
    """The rule to return, in units of the learning rate, and its mistakes on the training rows."""

    rule: W | V
    mistakes: int | None  # None: counting was not waited for
    kept: Candidate[W] | None = None  # the rule as it was evaluated, where it was

    def settled(self, state: State[W, V]) -> Result[W, V]:
        if self.kept is None:
            return self
        kept = self.kept.settled(state.memory.w)
        return Result(kept.weights, self.mistakes, kept)


class Keep(ABC):
    """Watches training and says in the end which rule to return."""

    averaged = False  # needs the mean of the weights
    sees_every_update = False
    evaluated = False  # returns weights that were compared with others on the evaluation rows
    votes = False  # returns many weight vectors
    in_whole_epochs = False  # the core can do it, many epochs in one call
    compares = True  # after every epoch, where it is `evaluated`
    cannot: ClassVar[Mapping[Where, Cannot]] = {}

    @classmethod
    def of_a_pass(cls) -> type[Keep]:
        """What partial_fit takes, whose calls have different rows."""
        return cls

    def begin(self, job: Job[W, V], state: State[W, V]) -> None:  # noqa: B027 - nothing by default
        """Training begins with the weights in `state`."""

    def after_update(self, job: Job[W, V], state: State[W, V]) -> None:  # noqa: B027 - nothing by default
        """One update was made."""

    def after_epoch(self, job: Job[W, V], state: State[W, V]) -> None:
        if job.validating:
            state.validation.append(self._validation_mistakes(job, state))

    def after_clean(self, job: Job[W, V], state: State[W, V]) -> None:  # noqa: B027 - nothing by default
        """Training ends with a clean epoch."""

    def monitored_mistakes(self, state: State[W, V]) -> float:
        """The mistakes that tell whether an epoch has brought anything."""
        return state.mistakes[-1]

    def row_evaluations(self, job: Job[W, V], state: State[W, V]) -> int:
        """How many comparing weights has taken so far, had every count been a whole one."""
        return state.epoch * job.evaluation_rows.n if job.validating else 0

    @abstractmethod
    def _validation_mistakes(self, job: Job[W, V], state: State[W, V]) -> int:
        """Mistakes on the validation rows of the rule that would be returned now."""

    @abstractmethod
    def result(self, job: Job[W, V], state: State[W, V]) -> Result[W, V]:
        """What to return; training can go on from `state` as if it had not been asked."""


class _One(Keep):
    """Returns one weight vector that is always at hand."""

    @abstractmethod
    def _weights(self, job: Job[W, V], state: State[W, V]) -> W:
        """The weights that would be returned now."""

    def _validation_mistakes(self, job: Job[W, V], state: State[W, V]) -> int:
        return _count(job.evaluation_rows, self._weights(job, state))

    def result(self, job: Job[W, V], state: State[W, V]) -> Result[W, V]:
        weights = self._weights(job, state)
        if state.clean and weights is state.memory.w:
            return Result(weights, 0)
        if _hurried(job):
            return Result(weights, None)
        return Result(weights, _count(job.learner.examples, weights))


class Last(_One):
    """The weights after the last visit."""

    in_whole_epochs = True

    def _weights(self, job: Job[W, V], state: State[W, V]) -> W:
        return state.memory.w


class Average(_One):
    """The mean of the weights over all visits (Freund and Schapire 1999, Collins 2002)."""

    averaged = in_whole_epochs = True

    def _weights(self, job: Job[W, V], state: State[W, V]) -> W:
        return job.learner.average(state.memory, state.visits)


class _Kept(Keep):
    """Keeps the weights with the fewest mistakes so far."""

    evaluated = True

    def begin(self, job: Job[W, V], state: State[W, V]) -> None:
        w = copied(state.memory.w)
        if w.any() or job.evaluation_rows.tie:
            plain, weighted = job.evaluation_rows.count([w])
            state.kept = Candidate(w, int(plain[0]), float(weighted[0]), averaged=False)
        else:  # every row is on the hyperplane of zero weights
            state.kept = Candidate(
                w, job.evaluation_rows.n, job.evaluation_rows.total_weight, averaged=False
            )

    def monitored_mistakes(self, state: State[W, V]) -> float:
        assert state.kept is not None
        return state.kept.weighted

    def _challengers(self, job: Job[W, V], state: State[W, V]) -> list[tuple[W, bool]]:
        """Weights to be compared, the last ones first, and whether they are averages."""
        last = (state.memory.w, False)
        mean = job.learner.candidate_mean(state.memory, state.visits)
        return [last, (mean, True)][: 1 + self.averaged]

    def _judge(self, job: Job[W, V], state: State[W, V]) -> None:
        best = self._challenge(job, state)
        state.kept = None  # before there is another one
        state.kept = best.settled(state.memory.w)

    def _challenge(self, job: Job[W, V], state: State[W, V]) -> Candidate[W]:
        """The best of the weights kept so far and of the challengers; not settled."""
        kept, challengers = self._known(job, state), self._challengers(job, state)
        if state.clean and not job.validating:
            del challengers[0]
        if challengers:
            plain, weighted = job.evaluation_rows.count(
                [w for w, _ in challengers],
                [kept.limit_for(averaged=averaged) for _, averaged in challengers],
            )
            kept = reduce(Candidate.or_newer, _candidates(challengers, plain, weighted), kept)
        return kept

    def _known(self, job: Job[W, V], state: State[W, V]) -> Candidate[W]:
        """The best of what is known without counting: the last weights of a clean epoch make no
        mistake."""
        assert state.kept is not None
        if not state.clean or job.validating:
            return state.kept
        return state.kept.or_newer(Candidate(state.memory.w, 0, 0.0, averaged=False))

    def _at_end(self, job: Job[W, V], state: State[W, V]) -> Candidate[W]:
        return self._known(job, state) if _hurried(job) else self._challenge(job, state)

    def _validation_mistakes(self, job: Job[W, V], state: State[W, V]) -> int:
        assert state.kept is not None
        return state.kept.mistakes

    def result(self, job: Job[W, V], state: State[W, V]) -> Result[W, V]:
        if state.kept is None:  # Ctrl-C came before the start was evaluated
            self.begin(job, state)
        # An epoch that was cut short has weights that were not evaluated yet.
        kept = self._at_end(job, state) if state.under_way else state.kept
        assert kept is not None
        if job.validating:
            return Result(kept.weights, _count(job.learner.examples, kept.weights), kept)
        return Result(kept.weights, kept.mistakes, kept)


class Best(_Kept):
    """After each epoch the last and the averaged weights are compared with those kept."""

    averaged = in_whole_epochs = True

    @classmethod
    def of_a_pass(cls) -> type[Keep]:
        return BestOfPass

    def after_epoch(self, job: Job[W, V], state: State[W, V]) -> None:
        self._judge(job, state)
        super().after_epoch(job, state)

    def row_evaluations(self, job: Job[W, V], state: State[W, V]) -> int:
        return 2 * state.epoch * job.evaluation_rows.n


class Auto(Best):
    """The mean of the weights or the last ones, compared when the margin has fallen and at the end.

    On validation rows they are compared after every epoch.
    """

    compares = False
    _compared_after = -1  # visits

    def after_epoch(self, job: Job[W, V], state: State[W, V]) -> None:
        if job.validating:
            super().after_epoch(job, state)

    def after_clean(self, job: Job[W, V], state: State[W, V]) -> None:
        self.compare(job, state)

    def compare(self, job: Job[W, V], state: State[W, V]) -> None:
        if not job.validating:
            self._judge(job, state)
            self._compared_after = state.visits

    def monitored_mistakes(self, state: State[W, V]) -> float:
        return state.mistakes[-1]

    def result(self, job: Job[W, V], state: State[W, V]) -> Result[W, V]:
        compared = job.validating or self._compared_after == state.visits
        if compared or state.kept is None:
            return super().result(job, state)
        kept = self._at_end(job, state)
        return Result(kept.weights, kept.mistakes, kept)

    def row_evaluations(self, job: Job[W, V], state: State[W, V]) -> int:
        return super().row_evaluations(job, state) if job.validating else 0


class Pocket(_Kept):
    """Compared after every update (Gallant 1990, with ratchet)."""

    sees_every_update = True
    cannot: ClassVar[Mapping[Where, Cannot]] = {
        "mixed": Cannot("follows", "keep='best'"),
        "engine": Cannot(
            "counts the mistakes on all rows after every update",
            "keep='best' does after every epoch",
        ),
    }

    @classmethod
    def of_a_pass(cls) -> type[Keep]:
        return PocketOfPass

    def after_update(self, job: Job[W, V], state: State[W, V]) -> None:
        self._judge(job, state)

    def row_evaluations(self, job: Job[W, V], state: State[W, V]) -> int:
        steps = min(state.updates, state.visits)  # a batch step is one visit of many updates
        return steps * job.evaluation_rows.n


class _OfPass(_Kept):
    """partial_fit: the rows of each call are others, so the kept weights are evaluated afresh."""

    def begin(self, job: Job[W, V], state: State[W, V]) -> None:
        if state.memory.w.any():  # weights to go on from; how good they are will be counted
            state.kept = Candidate(copied(state.memory.w), 0, 0.0, averaged=False)

    def after_epoch(self, job: Job[W, V], state: State[W, V]) -> None:
        self._judge(job, state)

    def _challenge(self, job: Job[W, V], state: State[W, V]) -> Candidate[W]:
        rivals = self._challengers(job, state)
        if state.kept is not None:
            rivals.insert(0, (state.kept.weights, state.kept.averaged))  # the older one first
        plain, weighted = job.evaluation_rows.count([w for w, _ in rivals])
        return reduce(Candidate.or_newer, _candidates(rivals, plain, weighted))


class PocketOfPass(_OfPass):
    """After each call the last and the kept weights are compared."""


class BestOfPass(_OfPass):
    """After each call the last, the averaged and the kept weights are compared."""

    averaged = True


class Following(Keep):
    """partial_fit with keep="auto": the mean of the weights or the last ones, whichever was right
    more often on the newest rows before it learned from them.

    Where the last weights were right noticeably more often, the rule has changed: the mean begins
    anew.
    """

    averaged = True

    def before_pass(self, job: Job[W, V], state: State[W, V]) -> None:
        rivals = [job.learner.average(state.memory, state.visits), state.memory.w]
        _, wrong = job.evaluation_rows.count(rivals)
        fades = FADES**job.learner.examples.n
        mean, last = (fades * old + new for old, new in zip(state.ahead, wrong, strict=True))
        state.ahead = float(mean), float(last)
        if mean - last > CHANGED:
            state.forget(job.learner)
            state.ahead = state.ahead[1], state.ahead[1]

    def _validation_mistakes(self, job: Job[W, V], state: State[W, V]) -> int:
        raise NotImplementedError("a pass has no validation rows")

    def result(self, job: Job[W, V], state: State[W, V]) -> Result[W, V]:
        of_mean = state.ahead[0] <= state.ahead[1]
        mean, last = job.learner.average(state.memory, state.visits), state.memory.w
        weights = mean if of_mean else last
        plain, weighted = job.evaluation_rows.count([weights])
        kept = next(_candidates([(weights, of_mean)], plain, weighted))
        state.kept = kept.settled(last)
        return Result(state.kept.weights, kept.mistakes, state.kept)


FADES = 1 - 1 / 512
"""What a mistake of `Following` counts for less with every row."""

CHANGED = 16.0
"""So many more mistakes of the mean than of the last weights: the rule has changed."""


class Vote(Keep):
    """Every weight vector votes with its visits (Freund and Schapire 1999)."""

    sees_every_update = votes = True
    cannot: ClassVar[Mapping[Where, Cannot]] = {
        "mixed": Cannot("follows", "keep='average'"),
        "gpu": Cannot("", "keep='average', which predicts much alike"),
        "engine": Cannot(
            "keeps every weight vector, and each reads every row",
            "keep='average' is one vector that is about as good",
        ),
    }

    def begin(self, job: Job[W, V], state: State[W, V]) -> None:
        state.voters = job.learner.voters(state.memory)
        if state.memory.w.any() or job.evaluation_rows.tie:  # zeros may outlast a visit
            job.learner.admit(state.voters, state.memory, 0)

    def after_update(self, job: Job[W, V], state: State[W, V]) -> None:
        job.learner.admit(_voters(state), state.memory, state.visits)

    def after_epoch(self, job: Job[W, V], state: State[W, V]) -> None:
        _voters(state).close(state.visits)
        super().after_epoch(job, state)

    def _validation_mistakes(self, job: Job[W, V], state: State[W, V]) -> int:
        return job.learner.validation_mistakes(_voters(state), job.evaluation_rows)

    def result(self, job: Job[W, V], state: State[W, V]) -> Result[W, V]:
        voters = _voters(state)
        voters.close(state.visits)
        return Result(voters, self._training_mistakes(job, voters))

    def _training_mistakes(self, job: Job[W, V], voters: V) -> int | None:
        """None after Ctrl-C, where the count would take long."""

        def check() -> None:
            if job.watch.pressed:
                raise Interrupted

        if not job.watch.pressed:
            with suppress(Interrupted), interrupted_by(check):
                return job.learner.vote_mistakes(voters, quickly=False)
        with interrupted_by(None):
            return job.learner.vote_mistakes(voters, quickly=True)


def _voters(state: State[W, V]) -> V:
    assert state.voters is not None
    return state.voters


def _hurried(job: Job[W, V]) -> bool:
    """Ctrl-C was pressed, and another look at all rows would take long."""
    return job.watch.pressed and not job.learner.examples.quick


def _candidates(
    rivals: list[tuple[W, bool]], plain: NDArray[np.int64], weighted: NDArray[np.float64]
) -> Iterator[Candidate[W]]:
    for (w, averaged), mistakes, weight in zip(rivals, plain, weighted, strict=True):
        yield Candidate(w, int(mistakes), float(weight), averaged)


def _count(examples: EvaluationRows[W], weights: W) -> int:
    plain, _ = examples.count([weights])
    return int(plain[0])


# Their names are in `cli/trace.py`, too.
KeepName = Literal["last", "best", "pocket", "average", "vote"]

KEEPS: dict[str, type[Keep]] = {
    "last": Last,
    "best": Best,
    "pocket": Pocket,
    "average": Average,
    "vote": Vote,
    "auto": Auto,
}
