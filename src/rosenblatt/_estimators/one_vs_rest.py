"""multi_class="ovr": a rule of two classes for each class against the rest, on the same rows.

Each is a Perceptron of its own, trained as it would be alone: `_of_classes` holds them.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from rosenblatt._compute.examples import Examples, Weights
from rosenblatt._estimators import advice, fitting, linear_fit, linear_start
from rosenblatt._estimators.fitted import Fitted, shown_counts
from rosenblatt._learning.settings import Settings
from rosenblatt._learning.state import AnyState
from rosenblatt._learning.stop_reason import StopReason
from rosenblatt._learning.watch import Watch
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import SeparateVoters, Voters

Perceptron = Any  # a `Perceptron`, which is on the floor above

_PAIR = np.array([False, True])  # the rest, the class

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


@dataclass(frozen=True)
class Trainings:
    """As many as there are classes, one after the other or `n_jobs` at once.

    Seeds are drawn before, and attributes are set after: threads change nothing but the time.
    """

    given: linear_fit.Given
    watch: Watch

    def run(self, p: Perceptron, settings: Settings) -> None:
        """Train them, and leave the estimator fitted."""
        given, goes_on = self.given, settings.warm_start and self.given.start is None
        rules, start = _begun(p, given.examples, given.classes, goes_on=goes_on)
        start = start if given.start is None else given.start
        all_of_them = []
        for c, rule in enumerate(rules):
            judges = None if given.judges is None else _against_rest(given.judges, c)
            one = linear_fit.Given(
                _against_rest(given.examples, c), judges, _PAIR, _of_class(start, c), None
            )
            task = linear_fit.task(rule, settings, self.watch, one)
            all_of_them.append((rule, task, *fitting.begun(rule, settings, task)))

        def train(rule: Perceptron, task: fitting.Task, state: AnyState) -> StopReason:
            self.watch.next()
            return fitting.run(rule, settings, task, state)

        at_once = None if settings.verbose else p.n_jobs  # there is room for one bar
        reasons = Parallel(n_jobs=at_once, require="sharedmem")(
            delayed(train)(rule, task, state) for rule, task, _, state in all_of_them
        )
        for (rule, task, recipe, state), reason in zip(all_of_them, reasons, strict=True):
            fitting.publish(rule, settings, task.job, state, _PAIR, reason, recipe, {})
        _publish(p, settings, rules, given.examples, given.classes)

    def warn(self, p: Perceptron, settings: Settings) -> None:
        """Of all of them at once."""
        errors, n = p.training_errors_, self.given.examples.n
        name, reason = type(p).__name__, p.stop_reason_
        if settings.units.keep != "last" or not errors:
            return
        if reason is StopReason.MAX_ITER and not settings.all_epochs:
            mistakes = p.mistakes_.tolist()
            text = advice.unfinished(name, errors, n, mistakes, settings.max_iter, p._rule_number)
        elif reason in (StopReason.PATIENCE, StopReason.TOL):
            text = advice.last_of_many(name, errors, n, reason)
        else:
            return
        warnings.warn(text, ConvergenceWarning, stacklevel=4)


def one_pass(
    p: Perceptron, settings: Settings, watch: Watch, examples: Examples, classes: NDArray[Any]
) -> None:
    """One pass of each over the rows in their order."""
    rules, start = _begun(p, examples, classes, goes_on=True)
    for c, rule in enumerate(rules):
        watch.next()
        some = _against_rest(examples, c)
        linear_fit.one_pass(rule, settings, watch, some, _PAIR, _of_class(start, c))
    _publish(p, settings, rules, examples, classes)


def _begun(
    p: Perceptron, examples: Examples, classes: NDArray[Any], *, goes_on: bool
) -> tuple[list[Perceptron], Weights | None]:
    """An estimator for each class; with `goes_on` those of the fit before, or what it returned."""
    before, start = None, None
    if goes_on and hasattr(p, "_state"):
        start = linear_start.returned(p, examples.d, classes)
        before = p._of_classes
    # Copies: a failure leaves what was there.
    rules = [type(p)() for _ in classes] if before is None else list(map(copy.copy, before))
    for rule in rules:
        rule.set_params(**p.get_params(deep=False) | {"multi_class": "joint"})
        rule.n_features_in_ = examples.d
    return rules, None if before is not None else start


def _of_class(start: Weights | None, c: int) -> Weights | None:
    return None if start is None else np.ascontiguousarray(start[c])


def _against_rest(examples: Examples, c: int) -> Examples:
    """The same rows: those of class c are +1."""
    return Examples(examples.rows.X, np.where(examples.y == c, 1, -1).astype(np.int8), examples.c)


def _publish(
    p: Perceptron,
    settings: Settings,
    rules: list[Perceptron],
    examples: Examples,
    classes: NDArray[Any],
) -> None:
    together = rule_of_classes([rule._rule for rule in rules])
    Fitted(
        _rule=together,
        _of_classes=tuple(rules),
        _state=None,
        _kept=None,
        _trained_by=None,
        _made_with=settings.units,
        _rule_number=rules[0]._rule_number,  # the rows are the same
        _n_rows=len(examples.y),
        classes_=classes,
        training_errors_=_errors(together, examples),
        converged_=all(rule.converged_ for rule in rules),
        stop_reason_=min((rule.stop_reason_ for rule in rules), key=_WORST_FIRST.index),
        certificate_=None,
        n_iter_=max(rule.n_iter_ for rule in rules),
        n_updates_=sum(rule.n_updates_ for rule in rules),
        mistakes_=_by_epoch([rule.mistakes_ for rule in rules]),
        update_counts_=_counts(rules, examples),
        validation_mistakes_=_validation(rules),
    ).put_on(p)


def rule_of_classes(rules: Sequence[Any]) -> LinearRule | SeparateVoters:
    """The highest of their scores decides."""
    if isinstance(rules[0], Voters):
        return SeparateVoters(tuple(rules))
    return LinearRule(np.array([rule.weights for rule in rules]), rules[0].eta)


def _errors(rule: LinearRule | SeparateVoters, examples: Examples) -> int:
    """Rows whose class does not have the highest score, alone."""
    if isinstance(rule, SeparateVoters):
        return examples.mistakes(rule.scores(examples.rows))
    return int(examples.count([rule.weights])[0][0])


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


def _counts(rules: list[Perceptron], examples: Examples) -> Any:
    """As those of the joint perceptron: + where the class was added to, - where it was not."""
    columns = [
        np.where(examples.y == c, rule.update_counts_, -rule.update_counts_)
        for c, rule in enumerate(rules)
    ]
    return shown_counts(np.column_stack(columns))
