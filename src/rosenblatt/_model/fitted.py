"""A fitted estimator of any kind, from and to the parts of a model file."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from rosenblatt._model import arrays, rules, state, training
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.linear_rule import LinearRule, Voters
from rosenblatt._training.one_vs_rest import rule_of_classes
from rosenblatt._training.training import Fitted, TrainingRecord
from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.online import AROW, PassiveAggressive
from rosenblatt.perceptron import Perceptron
from rosenblatt.random_linear import RandomLinearClassifier
from rosenblatt.scorecard import Scorecard


def read(file: Part, p: Any) -> None:
    d, classes, more = p.n_features_in_, p.classes_, {}
    record, counts = training.read_training(file.part("training"), len(classes))
    rule: Any
    resumable, of_classes = state.Read(None, None, None), None
    if isinstance(p, KernelPerceptron):
        rule, more["_weights"] = rules.read_kernel(file.part("rule"), record, d, len(classes))
    elif "of_classes" in file:
        of_classes = _read_of_classes(file.parts("of_classes"), p)
        rule = rule_of_classes([one._rule for one in of_classes])
    else:
        rule = _linear_rule(file.part("rule"), record, rules.shape_of_weights(d, classes))
        known = state.Known(record, rule, classes, d, confident=isinstance(p, AROW))
        resumable = state.read_state(file.part("state"), known, counts)
    Fitted(
        **vars(record),
        _rule=rule,
        _of_classes=of_classes,
        _state=resumable.state,
        _kept=resumable.kept,
        _trained_by=resumable.trained_by,
        classes_=classes,
    ).put_on(p, **more)


def write_at_once(p: RandomLinearClassifier | Scorecard) -> dict[str, Any]:
    if isinstance(p, Scorecard):
        return {"card": rules.write_card(p)}
    drawn = {
        "training_errors": p.training_errors_,
        "candidate_errors": arrays.counts(p.candidate_errors_),
    }
    return {"drawn": drawn, "rule": rules.write_linear(p._rule)}


def read_at_once(file: Part, p: RandomLinearClassifier | Scorecard) -> None:
    if isinstance(p, Scorecard):
        rules.read_card(file.part("card"), p)
        return
    with file.part("drawn") as part:
        p.training_errors_ = part.whole("training_errors")
        p.candidate_errors_ = arrays.read_counts(part, "candidate_errors", (None,))
    shape = rules.shape_of_weights(p.n_features_in_, p.classes_)
    p._rule = rules.read_rule(file.part("rule"), shape, 1.0)


def written_of_classes(p: Perceptron) -> list[dict[str, Any]]:
    assert p._of_classes is not None
    return [
        {
            "training": training.write_training(TrainingRecord.of(one)),
            "rule": rules.write_linear(one._rule),
            "state": state.write_state(one),
        }
        for one in p._of_classes
    ]


def _read_of_classes(parts: list[Part], p: Any) -> tuple[Any, ...]:
    if len(p.classes_) == 2 or len(parts) != len(p.classes_):
        raise InvalidDocument(
            f"of_classes holds {len(parts)} rules, but there are {len(p.classes_)} classes"
        )
    rules_of_classes = []
    for part in parts:
        with part:
            one = type(p)(**p.get_params(deep=False) | {"multi_class": "joint"})
            one.n_features_in_, one.classes_ = p.n_features_in_, np.array([False, True])
            read(part, one)
        rules_of_classes.append(one)
    keeps = {(one._made_with.keep, one._made_with.eta0) for one in rules_of_classes}
    if len(keeps) > 1:
        raise InvalidDocument("of_classes holds rules that were trained with different settings")
    return tuple(rules_of_classes)


def _linear_rule(part: Part, record: TrainingRecord, shape: tuple[int, ...]) -> LinearRule | Voters:
    units = record._made_with
    voting = KEEPS[units.keep].votes
    return rules.read_voters(part, shape) if voting else rules.read_rule(part, shape, units.eta0)


Estimator = (
    Perceptron | KernelPerceptron | RandomLinearClassifier | AROW | PassiveAggressive | Scorecard
)
KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Estimator)}
