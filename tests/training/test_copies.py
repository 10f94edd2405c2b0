"""Copies, pickles and memory maps predict the same bits and go on learning."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import joblib
import pytest
from sklearn.base import clone

from common import ORDERS, every_keep, may_not_converge, may_not_separate
from containers import X, Y, every_estimator, noisy, same_bits, same_rule
from rosenblatt import Perceptron


def through_pickle(estimator: Any) -> Any:
    return pickle.loads(pickle.dumps(estimator))


def through_joblib(estimator: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    return joblib.load(file)


through_every_copier = pytest.mark.parametrize(
    "copied", [through_pickle, through_joblib, copy.deepcopy], ids=["pickle", "joblib", "deepcopy"]
)


@every_estimator
@through_every_copier
@may_not_separate
def test_a_copy_predicts_the_same_bits(estimator: Any, copied: Callable[[Any], Any]) -> None:
    trained = clone(estimator).fit(X, Y)
    other = copied(trained)
    assert other is not trained
    assert {*vars(trained)} - {*vars(other)} <= {"_counts"}
    same_rule(other, trained)
    if isinstance(trained, Perceptron):
        assert other.stop_reason_ is trained.stop_reason_
        if copied is copy.deepcopy:
            same_bits(other.update_counts_, trained.update_counts_)
        else:
            assert not hasattr(other, "update_counts_")
            assert trained.keep == "vote" or len(pickle.dumps(other)) < 4000


@every_keep
@pytest.mark.parametrize("order", ["shuffle", "batch"])
@pytest.mark.parametrize("before", ["fit", "partial_fit"])
@through_every_copier
@may_not_separate
def test_partial_fit_goes_on_with_a_copy_as_with_the_original(
    keep: str, order: str, before: str, copied: Callable[[Any], Any]
) -> None:
    trained = Perceptron(keep=keep, order=order, random_state=0)
    getattr(trained, before)(X[:30], Y[:30])
    other = copied(trained)
    first = trained.decision_function(X)
    for _ in range(3):
        other.partial_fit(X[30:], Y[30:])
    same_bits(trained.decision_function(X), first)  # the original did not learn
    for _ in range(3):
        trained.partial_fit(X[30:], Y[30:])
    same_rule(other, trained)
    assert (other.n_updates_, other.n_iter_) == (trained.n_updates_, trained.n_iter_)


@every_keep
@pytest.mark.parametrize("order", ORDERS)
@through_every_copier
@may_not_converge
def test_a_warm_start_goes_on_with_a_copy_exactly_where_training_stopped(
    keep: str, order: str, copied: Callable[[Any], Any]
) -> None:
    rows, labels = noisy(n=60)
    begun = Perceptron(keep=keep, order=order, warm_start=True, max_iter=2, random_state=0)
    resumed = copied(begun.fit(rows, labels)).set_params(max_iter=3).fit(rows, labels)
    at_once = Perceptron(keep=keep, order=order, max_iter=5, random_state=0).fit(rows, labels)
    same_rule(resumed, at_once, rows)
    same_bits(resumed.mistakes_, at_once.mistakes_)


@every_keep
@may_not_separate
def test_a_memory_mapped_model_predicts_and_goes_on_learning(keep: str, tmp_path: Any) -> None:
    trained = Perceptron(keep=keep, random_state=0).fit(X[:30], Y[:30])
    joblib.dump(trained, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    same_rule(mapped, trained)
    same_rule(mapped.partial_fit(X, Y), trained.partial_fit(X, Y))
