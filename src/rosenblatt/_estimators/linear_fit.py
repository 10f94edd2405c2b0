"""How weights of the features are learned from rows that were checked: a task, or one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Examples, Weights
from rosenblatt._compute.scale import Scale
from rosenblatt._estimators import fitting, linear_start
from rosenblatt._inputs import placed, starts, targets, weights
from rosenblatt._learning.adaptive import machine_with
from rosenblatt._learning.keeps import KEEPS, KEEPS_OF_A_PASS, Keep
from rosenblatt._learning.loop import train
from rosenblatt._learning.orders import ORDERS, Batch, Cyclic, Order
from rosenblatt._learning.patience import Patience
from rosenblatt._learning.primal import PrimalJob, PrimalState
from rosenblatt._learning.settings import Recipe, Settings, judged_by, machine_of, recipe_of
from rosenblatt._learning.state import Job
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._learning.watch import Watch
from rosenblatt._proof.oracle import RowsOracle
from rosenblatt.errors import InputError

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
    rows = placed.rows(p, X, reset=True)
    examples, classes = targets.examples(rows, y, sample_weight, p.class_weight)
    judged_on = judges(p, *validation, classes, examples)
    begin = None
    if any(part is not None for part in start):
        intercept = settings.units.fit_intercept
        begin = starts.start(*start, examples.d, intercept, k=examples.k)
    return Given(examples, judged_on, classes, begin, y)


def rows_of_pass(
    p: Perceptron, X: Any, y: Any, classes: Any, sample_weight: Any
) -> tuple[Examples, NDArray[Any]]:
    """What `partial_fit` was given, checked: rows, and the classes that are known."""
    if weights.is_balanced(p.class_weight):
        raise InputError(
            f"class_weight={p.class_weight!r} needs all rows at once and cannot be used "
            "with partial_fit: give a dict of weights."
        )
    X = placed.rows(p, X, reset=not hasattr(p, "_state"))
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
    X = placed.rows(p, X_val, reset=False, name="X_val")
    y = targets.encoded(targets.labels(y_val, X.shape[0], "y_val"), classes, name="y_val")
    by_class = weights.class_weights(p.class_weight, classes, examples.y, examples.c)
    return Examples(X, y, weights.weigh(None, y, by_class), examples.k)


def task(p: Perceptron, settings: Settings, watch: Watch, given: Given) -> fitting.Task:
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
        before = partial(recipe.as_version_1, examples, judges)
        return fitting.resumed(p, settings, recipe, examples.n, before=before)

    def start() -> PrimalState:
        if given.start is not None:
            return linear_start.new_state(p, settings, job, given.start)
        if settings.warm_start and hasattr(p, "_state"):
            return linear_start.from_returned(p, settings, job, examples.d, classes)
        return linear_start.new_state(p, settings, job, np.zeros(examples.shape_of_weights))

    return fitting.Task(job, classes, _patience(p, settings, given), start, recipe, resume)


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
    before = linear_start.scale_before(p, settings) if start is None else None
    job = _job(settings, _ONE_PASS, KEEPS_OF_A_PASS, examples, None, watch, before)
    if start is None:
        state = linear_start.next_pass(p, settings, job, examples)
    else:
        state = linear_start.new_state(p, settings, job, start)
    reason = train(job, state, max_iter=1, max_updates=None)
    if reason is not StopReason.INTERRUPTED:
        reason = StopReason.ONE_PASS
    fitting.publish(p, settings, job, state, classes, reason, None, {})


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
