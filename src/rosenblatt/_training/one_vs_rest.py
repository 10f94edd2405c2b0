"""multi_class="ovr": a rule of two classes for each class against the rest, on the same rows.

Each is a Perceptron of its own, trained as it would be alone: `_of_classes` holds them.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from rosenblatt._core.rows import Weights
from rosenblatt._training import training
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters, Voters
from rosenblatt._training.monitor import Watch
from rosenblatt._training.settings import Settings
from rosenblatt._training.stopping import StopReason
from rosenblatt._training.training import (
    Fitted,
    InMemory,
    OneTraining,
    WeightsSet,
    returned,
    was_fitted,
)
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.perceptron import Perceptron


def train(p: Perceptron, settings: Settings, watch: Watch, rows: WeightsSet) -> None:
    """As many trainings as there are classes, one after the other or `n_jobs` at once.

    Seeds are drawn before, and attributes are set after: threads change nothing but the time.
    """
    _refuse(p, settings, len(rows.classes))
    goes_on = settings.warm_start and rows.start is None
    of_classes, start = _of_classes(p, rows.d, rows.classes, goes_on=goes_on)
    start = start if rows.start is None else rows.start
    if p._checkpoint is None:
        trainings = [
            OneTraining.begin(one, settings, rows.against_rest(c, _row(start, c)), watch)
            for c, one in enumerate(of_classes)
        ]
        at_once = None if settings.verbose else p.n_jobs  # there is room for one bar
        reasons = Parallel(n_jobs=at_once, require="sharedmem")(
            delayed(_train)(one, watch) for one in trainings
        )
    else:  # it keeps one at a time
        trainings, reasons = [], []
        for c, one in enumerate(of_classes):
            p._checkpoint.separate(c, rows.classes.tolist())
            one._checkpoint = p._checkpoint
            some = rows.against_rest(c, _row(start, c))
            trainings.append(OneTraining.begin(one, settings, some, watch))
            reasons.append(_train(trainings[-1], watch))
            del one._checkpoint
    for trained, reason in zip(trainings, reasons, strict=True):
        trained.publish(reason)
    _publish(p, settings, of_classes, rows)


def _train(one: OneTraining, watch: Watch) -> StopReason:
    watch.next()
    return one.train()


def _refuse(p: Perceptron, settings: Settings, classes: int) -> None:
    if settings.prove:
        raise InputError(
            "prove=True asks whether all classes are separable together, and multi_class='ovr' "
            "trains each by itself: use multi_class='joint'.",
            option="prove",
            value=True,
        )
    if p._recorder is not None:
        raise InputError(
            f"A trace follows one training, and multi_class='ovr' makes {classes}: use "
            "multi_class='joint', or trace each class against the rest, y == label."
        )


def one_pass(p: Perceptron, settings: Settings, watch: Watch, rows: InMemory) -> None:
    of_classes, start = _of_classes(p, rows.d, rows.classes, goes_on=True)
    for c, one in enumerate(of_classes):
        watch.next()
        training.one_pass(one, settings, watch, rows.against_rest(c, _row(start, c)))
    _publish(p, settings, of_classes, rows)


def _of_classes(
    p: Perceptron, d: int, classes: NDArray[Any], *, goes_on: bool
) -> tuple[list[Perceptron], Weights | None]:
    """An estimator for each class; with `goes_on` those of the fit before, or what it returned."""
    before, start = None, None
    if goes_on and was_fitted(p):
        start = returned(p, d, classes)
        before = p._of_classes
    # Copies: a failure leaves what was there.
    of_classes = [type(p)() for _ in classes] if before is None else list(map(copy.copy, before))
    for one in of_classes:
        one.set_params(**p.get_params(deep=False) | {"multi_class": "joint"})
        one.n_features_in_ = d
    return of_classes, None if before is not None else start


def _row(start: Weights | None, c: int) -> Weights | None:
    return None if start is None else np.ascontiguousarray(start[c])


def _publish(
    p: Perceptron, settings: Settings, of_classes: list[Perceptron], rows: WeightsSet
) -> None:
    together = rule_of_classes([one._rule for one in of_classes])
    unknown = any(one.training_errors_ is None for one in of_classes)  # votes of too many
    Fitted(
        _rule=together,
        _of_classes=tuple(of_classes),
        _state=None,
        _kept=None,
        _trained_by=None,
        _made_with=settings.units,
        _rule_number=of_classes[0]._rule_number,  # the rows are the same
        _n_rows=rows.n_rows,
        classes_=rows.classes,
        training_errors_=None if unknown else rows.errors(together),
        converged_=all(one.converged_ for one in of_classes),
        stop_reason_=min((one.stop_reason_ for one in of_classes), key=list(StopReason).index),
        certificate_=None,
        n_iter_=max(one.n_iter_ for one in of_classes),
        n_updates_=sum(one.n_updates_ for one in of_classes),
        mistakes_=_by_epoch([one.mistakes_ for one in of_classes]),
        _counts=rows.update_counts([one.update_counts_ for one in of_classes]),
        validation_mistakes_=_validation(of_classes),
    ).put_on(p, **rows.attributes)


def rule_of_classes(rules: Sequence[Any]) -> LinearRule | SeparateVoters:
    if isinstance(rules[0], Voters):
        return SeparateVoters(tuple(rules))
    return LinearRule(np.array([rule.weights for rule in rules]), rules[0].eta)


def _by_epoch(of_classes: list[NDArray[np.int64]], *, lasting: bool = False) -> NDArray[np.int64]:
    """Sums by epoch; one that ended sooner counts as 0, or, where it is lasting, as at its end."""
    epochs = max(map(len, of_classes))
    total = np.zeros(epochs, dtype=np.int64)
    for numbers in of_classes:
        rest = numbers[-1] if lasting and len(numbers) else 0
        total += np.append(numbers, np.full(epochs - len(numbers), rest, dtype=np.int64))
    return total


def _validation(of_classes: list[Perceptron]) -> NDArray[np.int64] | None:
    by_class = [vars(one).get("validation_mistakes_") for one in of_classes]
    known = [mistakes for mistakes in by_class if mistakes is not None]
    return _by_epoch(known, lasting=True) if known else None
