"""The one way through `fit` and `partial_fit`: in memory, in dual form, on disk, on an engine.

    estimator ─► Settings    ┐
        Given ─► TrainingSet ┴─► one training, or one for each class ─► attributes

All or nothing: an estimator whose fit fails is as it was before. One at a time: threads that train
one estimator wait for each other.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from sklearn.exceptions import ConvergenceWarning

from rosenblatt._core.rows import Csr
from rosenblatt._training import monitor, one_vs_rest, stopping, training
from rosenblatt._training.monitor import Watch
from rosenblatt._training.settings import checked, with_signs
from rosenblatt._training.training import Given, InMemory, OneTraining, WeightsSet, was_fitted
from rosenblatt._util.spelling import option
from rosenblatt._validation import targets
from rosenblatt._validation.rows import placed_rows
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._training.estimator import Training
    from rosenblatt._training.settings import Settings
    from rosenblatt._training.stopping import Advice
    from rosenblatt._training.training import TrainingSet
    from rosenblatt.perceptron import Perceptron


def fit(estimator: Training, given: Given) -> None:
    run = monitor.managed(_fit) if monitor.are_set(estimator) else _fit
    settings, rows = run(estimator, given)
    if estimator.converged_ and not estimator.training_errors_:
        return
    advice = stopping.advice(estimator, settings, rows)
    if advice is not None:
        caller, level = _caller()
        if _is_wanted(advice, caller):
            warnings.warn(advice.text, ConvergenceWarning, stacklevel=level)


def _caller() -> tuple[FrameType, int]:
    """Whoever called us, and the level of that for a warning of `fit`."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    return frame, level


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == __name__.partition(".")[0]


_said: set[tuple[str, tuple[str, int] | None]] = set()  # kinds of advice, and where


def _is_wanted(advice: Advice, caller: FrameType) -> bool:
    """Once of its kind in a process, whatever its figures, and once for each line of the main
    module; but who has a filter for it decides.

    Python's own "once in a place" begins anew with every `catch_warnings`, and scikit-learn enters
    one for each fit of a search.
    """
    own = caller.f_globals.get("__name__") == "__main__"
    kind = advice.kind, (caller.f_code.co_filename, caller.f_lineno) if own else None
    filters = getattr(warnings, "_get_filters", lambda: warnings.filters)()
    decided = any(
        issubclass(ConvergenceWarning, of) and (text is None or text.match(advice.text))
        for _, text, of, _, _ in filters
    )
    new = kind not in _said
    _said.add(kind)
    return new or decided


def _fit(estimator: Training, given: Given) -> tuple[Settings, TrainingSet]:
    with locks.of(estimator), Watch(estimator._checkpoint) as watch:
        settings = checked(estimator)
        callbacks = monitor.begun(estimator, settings.max_iter, given)
        with unchanged_on_error(estimator):
            rows = given.checked(estimator, settings)
            settings = with_signs(settings, estimator, rows, all_rows=True)
            if settings.one_vs_rest and len(rows.classes) > 2:
                perceptron, weighed = cast("Perceptron", estimator), cast("WeightsSet", rows)
                one_vs_rest.train(perceptron, settings, watch, weighed)
            else:
                one = OneTraining.begin(estimator, settings, rows, watch)
                if callbacks is not None:
                    callbacks.follow(one)
                with rows.while_training():
                    one.publish(one.train())
            if callbacks is not None:
                callbacks.end()
    return settings, rows


def partial_fit(
    estimator: Training, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
) -> None:
    """One pass over the rows in their order; the estimator is left as it was, if anything fails."""
    with changing(estimator) as watch:
        settings = checked(estimator).of_a_pass()
        rows = _rows_of_pass(estimator, X, y, classes, sample_weight)
        settings = with_signs(settings, estimator, rows, all_rows=False)
        if settings.one_vs_rest and len(rows.classes) > 2:
            one_vs_rest.one_pass(cast("Perceptron", estimator), settings, watch, rows)
        else:
            training.one_pass(estimator, settings, watch, rows)


def _rows_of_pass(
    estimator: Training, X: Any, y: Any, classes: Any, sample_weight: Any
) -> InMemory:
    by_class = estimator.class_weight
    if targets.is_balanced(by_class):
        raise InputError(
            f"{option('class_weight', by_class)} needs all rows at once and cannot be used "
            "with partial_fit: give a dict of weights.",
            option="class_weight",
            value=by_class,
        )
    if not isinstance(X, Csr):  # which OneByOne made
        X = placed_rows(estimator, X, reset=not was_fitted(estimator))
    known = targets.known_classes(classes, vars(estimator).get("classes_"))
    return InMemory(*targets.examples(X, y, sample_weight, by_class, known, one_of_many=True))


# --- How an estimator is changed -----------------------------------------------------------------


class _Locks:
    """One for each estimator that lives, by its id: threads that train it wait for each other, so
    that no call is lost.

    It is not on the estimator, which is copied, pickled and compared by what is on it.
    """

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
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before  # one step: nothing can come in between
        raise


@contextmanager
def changing(estimator: Any) -> Iterator[Watch]:
    """Alone, all or nothing, and Ctrl-C is held back."""
    with locks.of(estimator), Watch() as watch, unchanged_on_error(estimator):
        yield watch
