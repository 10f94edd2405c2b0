"""What training left on an estimator, from the parts of a model file."""

from __future__ import annotations

from typing import Any

from rosenblatt._estimators.fitted import Course, Fitted
from rosenblatt._model import kernel, linear, state, training
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import Voters
from rosenblatt._support.strict_json import Part
from rosenblatt.kernel_perceptron import KernelPerceptron


def read(file: Part, p: Any, version: int) -> None:
    """Make an estimator that knows its classes and features a fitted one."""
    d, classes, more = p.n_features_in_, p.classes_, {}
    course, counts = training.read(file.part("training"))
    rule: Any
    if isinstance(p, KernelPerceptron):
        rule, more["_weights"] = kernel.read(file.part("rule"), course, d)
        found = state.Read(None, None, None)
    else:
        rule = _linear_rule(file.part("rule"), course, d)
        known = state.Known(course, rule, classes, d)
        found = state.read(file.part("state"), known, counts, version)
    Fitted(
        **vars(course),
        _rule=rule,
        _state=found.state,
        _kept=found.kept,
        _trained_by=found.trained_by,
        classes_=classes,
    ).put_on(p, **more)


def _linear_rule(part: Part, course: Course, d: int) -> LinearRule | Voters:
    units = course._made_with
    voting = units.keep == "vote"
    return linear.read_voters(part, d) if voting else linear.read_rule(part, d, units.eta0)
