"""multi_class="ovr": a rule of two classes for each class against the rest, on the same rows.

Each is a Perceptron of its own, trained as it would be alone: `_of_classes` holds them.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from rosenblatt._core.rows import Examples, Weights
from rosenblatt._training import advice, fit
from rosenblatt._training.fitted import Fitted, shown_counts
from rosenblatt._training.linear_rule import LinearRule, SeparateVoters, Voters
from rosenblatt._training.monitor import Watch
from rosenblatt._training.settings import Recipe, Settings
from rosenblatt._training.state import AnyState
from rosenblatt._training.stopping import StopReason

Perceptron = Any  # a `Perceptron`, which is on the floor above

PAIR = np.array([False, True])  # the rest, the class

_WORST_FIRST = (
    StopReason.INTERRUPTED,
    StopReason.MAX_UPDATES,
    StopReason.MAX_ITER,
    StopReason.PATIENCE,
    StopReason.TOL,
    StopReason.SEPARATED,
    StopReason.ONE_PASS,
    StopReason.CLEAN,
)


class Source(Protocol):
    """What they learn from: labelled rows, in memory or on disk."""

    @property
    def classes(self) -> NDArray[Any]: ...

    @property
    def d(self) -> int: ...

    @property
    def n(self) -> int:
        """Rows that exist."""

    @property
    def n_rows(self) -> int:
        """Rows that were given."""

    def task(
        self, rule: Perceptron, settings: Settings, watch: Watch, c: int, start: Weights | None, /
    ) -> fit.Task:
        """Class c against the rest; from these lifted weights, where some are given."""

    def errors(self, rule: LinearRule | SeparateVoters, /) -> int:
        """Rows whose class does not have the highest score, alone."""

    def counts(self, rules: list[Perceptron], /) -> Any:
        """`update_counts_` of all."""


class _Begun(NamedTuple):
    """A training that can run."""

    rule: Perceptron
    task: fit.Task
    recipe: Recipe | None
    state: AnyState


@dataclass(frozen=True)
class Trainings:
    """As many as there are classes, one after the other or `n_jobs` at once.

    Seeds are drawn before, and attributes are set after: threads change nothing but the time.
    """

    source: Source
    watch: Watch
    start: Weights | None = None  # of all classes; None: zeros, or where training goes on
    more: dict[str, Any] = field(default_factory=dict)  # attributes besides those of `Fitted`

    def run(self, p: Perceptron, settings: Settings) -> None:
        """Train them, and leave the estimator fitted."""
        goes_on = settings.warm_start and self.start is None
        rules, start = _begun(p, self.source.d, self.source.classes, goes_on=goes_on)
        start = start if self.start is None else self.start

        def begun(c: int, rule: Perceptron) -> _Begun:
            task = self.source.task(rule, settings, self.watch, c, _of_class(start, c))
            return _Begun(rule, task, *fit.begun(rule, settings, task))

        def train(one: _Begun) -> StopReason:
            self.watch.next()
            return fit.run(one.rule, settings, one.task, one.state)

        if p._checkpoint is None:
            all_of_them = [begun(c, rule) for c, rule in enumerate(rules)]
            at_once = None if settings.verbose else p.n_jobs  # there is room for one bar
            reasons = Parallel(n_jobs=at_once, require="sharedmem")(
                delayed(train)(one) for one in all_of_them
            )
        else:  # it keeps one at a time
            all_of_them, reasons = [], []
            for c, rule in enumerate(rules):
                p._checkpoint.separate(c, self.source.classes.tolist())
                rule._checkpoint = p._checkpoint
                all_of_them.append(begun(c, rule))
                reasons.append(train(all_of_them[-1]))
                del rule._checkpoint
        for (rule, task, recipe, state), reason in zip(all_of_them, reasons, strict=True):
            fit.publish(rule, settings, task.job, state, PAIR, reason, recipe, task.more)
        _publish(p, settings, rules, self.source, self.more)

    def warn(self, p: Perceptron, settings: Settings, stored: bool) -> None:
        """Of all of them at once."""
        errors, n = p.training_errors_, self.source.n
        name, reason = type(p).__name__, p.stop_reason_
        if settings.units.keep != "last" or not errors:
            return
        if reason is StopReason.MAX_ITER and not settings.all_epochs:
            mistakes, asked = p.mistakes_.tolist(), advice.question(p, stored)
            text = advice.unfinished(
                name, errors, n, mistakes, settings.max_iter, p._rule_number, asked
            )
        elif reason in (StopReason.PATIENCE, StopReason.TOL):
            why = advice.why_stopped(reason, None, settings.patience, advice.question(p, stored))
            text = advice.last_of_many(name, errors, n, why)
        else:
            return
        warnings.warn(text, ConvergenceWarning, stacklevel=4)


@dataclass(frozen=True)
class InMemory:
    """Rows in memory: the same ones for every class."""

    examples: Examples
    judges: Examples | None  # validation rows
    classes: NDArray[Any]

    @property
    def d(self) -> int:
        return int(self.examples.d)

    @property
    def n(self) -> int:
        return self.examples.n

    @property
    def n_rows(self) -> int:
        return len(self.examples.y)

    def task(
        self, rule: Perceptron, settings: Settings, watch: Watch, c: int, start: Weights | None
    ) -> fit.Task:
        judges = None if self.judges is None else against_rest(self.judges, c)
        one = fit.Given(against_rest(self.examples, c), judges, PAIR, start, None)
        return fit.task(rule, settings, watch, one)

    def errors(self, rule: LinearRule | SeparateVoters) -> int:
        if isinstance(rule, SeparateVoters):
            return self.examples.mistakes(rule.scores(self.examples.rows))
        return int(self.examples.count([rule.weights])[0][0])

    def counts(self, rules: list[Perceptron]) -> Any:
        """As those of the joint perceptron: + where the class was added to, - where it was not."""
        columns = [
            np.where(self.examples.y == c, rule.update_counts_, -rule.update_counts_)
            for c, rule in enumerate(rules)
        ]
        return shown_counts(np.column_stack(columns))


def one_pass(
    p: Perceptron, settings: Settings, watch: Watch, examples: Examples, classes: NDArray[Any]
) -> None:
    """One pass of each over the rows in their order."""
    rules, start = _begun(p, examples.d, classes, goes_on=True)
    for c, rule in enumerate(rules):
        watch.next()
        some = against_rest(examples, c)
        fit.one_pass(rule, settings, watch, some, PAIR, _of_class(start, c))
    _publish(p, settings, rules, InMemory(examples, None, classes), {})


def _begun(
    p: Perceptron, d: int, classes: NDArray[Any], *, goes_on: bool
) -> tuple[list[Perceptron], Weights | None]:
    """An estimator for each class; with `goes_on` those of the fit before, or what it returned."""
    before, start = None, None
    if goes_on and hasattr(p, "_state"):
        start = fit.returned(p, d, classes)
        before = p._of_classes
    # Copies: a failure leaves what was there.
    rules = [type(p)() for _ in classes] if before is None else list(map(copy.copy, before))
    for rule in rules:
        rule.set_params(**p.get_params(deep=False) | {"multi_class": "joint"})
        rule.n_features_in_ = d
    return rules, None if before is not None else start


def _of_class(start: Weights | None, c: int) -> Weights | None:
    return None if start is None else np.ascontiguousarray(start[c])


def against_rest(examples: Examples, c: int) -> Examples:
    """The same rows: those of class c are +1."""
    return Examples(
        examples.rows.given, np.where(examples.y == c, 1, -1).astype(np.int8), examples.c
    )


def _publish(
    p: Perceptron,
    settings: Settings,
    rules: list[Perceptron],
    source: Source,
    more: dict[str, Any],
) -> None:
    together = rule_of_classes([rule._rule for rule in rules])
    unknown = any(rule.training_errors_ is None for rule in rules)  # votes of too many
    Fitted(
        _rule=together,
        _of_classes=tuple(rules),
        _state=None,
        _kept=None,
        _trained_by=None,
        _made_with=settings.units,
        _rule_number=rules[0]._rule_number,  # the rows are the same
        _n_rows=source.n_rows,
        classes_=source.classes,
        training_errors_=None if unknown else source.errors(together),
        converged_=all(rule.converged_ for rule in rules),
        stop_reason_=min((rule.stop_reason_ for rule in rules), key=_WORST_FIRST.index),
        certificate_=None,
        n_iter_=max(rule.n_iter_ for rule in rules),
        n_updates_=sum(rule.n_updates_ for rule in rules),
        mistakes_=_by_epoch([rule.mistakes_ for rule in rules]),
        update_counts_=source.counts(rules),
        validation_mistakes_=_validation(rules),
    ).put_on(p, **more)


def rule_of_classes(rules: Sequence[Any]) -> LinearRule | SeparateVoters:
    """The highest of their scores decides."""
    if isinstance(rules[0], Voters):
        return SeparateVoters(tuple(rules))
    return LinearRule(np.array([rule.weights for rule in rules]), rules[0].eta)


def _by_epoch(of_rules: list[NDArray[np.int64]], *, lasting: bool = False) -> NDArray[np.int64]:
    """Sums by epoch; one that ended sooner counts as 0, or, where it is lasting, as at its end."""
    epochs = max(map(len, of_rules))
    total = np.zeros(epochs, dtype=np.int64)
    for found in of_rules:
        rest = found[-1] if lasting and len(found) else 0
        total += np.append(found, np.full(epochs - len(found), rest, dtype=np.int64))
    return total


def _validation(rules: list[Perceptron]) -> NDArray[np.int64] | None:
    found = [getattr(rule, "validation_mistakes_", None) for rule in rules]
    given = [mistakes for mistakes in found if mistakes is not None]
    return _by_epoch(given, lasting=True) if given else None
