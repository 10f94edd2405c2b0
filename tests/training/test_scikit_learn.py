"""Works inside scikit-learn: pipelines, searches, weights as metadata, threads and processes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from common import KEEPS, ORDERS, every_keep, may_not_converge, may_not_separate
from containers import WEIGHT, X, Y, every_estimator, noisy, same_bits, same_rule
from rosenblatt import AROW, KernelPerceptron, Perceptron, RandomLinearClassifier, Scorecard

# --- scikit-learn ---------------------------------------------------------------------------------


@every_keep
@may_not_converge
def test_works_in_a_pipeline_after_a_scaler(keep: str) -> None:
    rows, labels = noisy()
    estimator = Perceptron(keep=keep, max_iter=20, random_state=0)
    pipeline = Pipeline([("scale", StandardScaler()), ("learn", estimator)]).fit(rows, labels)
    scaled = StandardScaler().fit_transform(rows)
    alone = clone(estimator).fit(scaled, labels)
    same_bits(pipeline.decision_function(rows), alone.decision_function(scaled))
    assert pipeline.score(rows, labels) > 0.6


@may_not_converge
def test_a_grid_search_goes_over_order_and_keep() -> None:
    rows, labels = noisy()
    pipeline = make_pipeline(StandardScaler(), Perceptron(max_iter=10, random_state=0))
    grid = {"perceptron__order": ORDERS, "perceptron__keep": KEEPS}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(rows, labels)
    assert len(search.cv_results_["params"]) == len(ORDERS) * len(KEEPS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.7
    assert search.best_estimator_["perceptron"].keep == search.best_params_["perceptron__keep"]


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("keep", ["best", "average", "vote"])
def test_scores_can_be_calibrated_to_probabilities(method: str, keep: str) -> None:
    rows, labels = noisy()
    estimator = Perceptron(keep=keep, max_iter=20, random_state=0)
    calibrated = CalibratedClassifierCV(estimator, method=method, cv=3).fit(rows, labels)
    probabilities = calibrated.predict_proba(rows)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert calibrated.score(rows, labels) > 0.7


@every_keep
@may_not_converge
@may_not_separate
def test_three_classes_are_learned_one_against_the_rest(keep: str) -> None:
    rows, labels = load_iris(return_X_y=True, as_frame=True)
    species = labels.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    estimator = Perceptron(keep=keep, max_iter=50, random_state=0)
    several = OneVsRestClassifier(estimator).fit(rows, species)
    assert several.decision_function(rows).shape == (150, 3)
    assert set(several.predict(rows)) <= {"setosa", "versicolor", "virginica"}
    assert several.score(rows, species) > 0.6


def test_one_against_the_rest_works_inside_a_pipeline() -> None:
    rows, labels = load_iris(return_X_y=True)
    rules = OneVsRestClassifier(Perceptron(max_iter=100, random_state=0))
    pipeline = make_pipeline(StandardScaler(), rules).fit(rows, labels)
    assert pipeline.score(rows, labels) > 0.9
    assert len(rules.estimators_) == 3


@every_estimator
@may_not_separate
def test_a_clone_has_the_parameters_and_nothing_learned(estimator: Any) -> None:
    trained = clone(estimator).fit(X, Y)
    again = clone(trained)
    assert again.get_params() == estimator.get_params()
    assert vars(again) == vars(estimator)
    same_rule(again.fit(X, Y), trained)


def test_cross_validation_in_two_processes_gives_the_same_scores() -> None:
    """The rows are large enough for joblib to pass them as a read-only memory map."""
    rows, labels = noisy(n=50_000, d=3)
    estimator = Perceptron(max_iter=3, random_state=0)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        scores = cross_val_score(estimator, rows, labels, cv=2)
    same_bits(scores, cross_val_score(estimator, rows, labels, cv=2))
    assert scores.min() > 0.6


def test_cross_validation_in_two_threads_gives_the_same_scores() -> None:
    rows, labels = noisy()
    estimator = Perceptron(max_iter=10, random_state=0)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        scores = cross_val_score(estimator, rows, labels, cv=4)
    same_bits(scores, cross_val_score(estimator, rows, labels, cv=4))


# --- Weights of rows ------------------------------------------------------------------------------


def weighted() -> Any:
    return Perceptron(random_state=0).fit(X, Y, sample_weight=WEIGHT)


def test_weights_change_what_is_learned() -> None:
    unweighted = Perceptron(random_state=0).fit(X, Y)
    assert weighted().coef_.tolist() != unweighted.coef_.tolist()


@pytest.mark.parametrize(
    "given",
    [list, pd.Series, pl.Series, lambda c: c.astype(object), lambda c: np.repeat(c, 2)[::2]],
    ids=["list", "pandas", "polars", "objects", "strided"],
)
def test_weights_may_come_in_any_container(given: Callable[[Any], Any]) -> None:
    same_rule(Perceptron(random_state=0).fit(X, Y, given(WEIGHT)), weighted())


def test_weights_reach_the_perceptron_through_a_pipeline_by_name() -> None:
    pipeline = make_pipeline("passthrough", Perceptron(random_state=0))
    pipeline.fit(X, Y, perceptron__sample_weight=WEIGHT)
    same_rule(pipeline["perceptron"], weighted())


def test_weights_are_routed_as_metadata() -> None:
    with config_context(enable_metadata_routing=True):
        estimator = Perceptron(random_state=0).set_fit_request(sample_weight=True)
        scaler = StandardScaler(with_mean=False, with_std=False)
        pipeline = make_pipeline(scaler.set_fit_request(sample_weight=False), estimator)
        same_rule(pipeline.fit(X, Y, sample_weight=WEIGHT)["perceptron"], weighted())

        estimator.set_score_request(sample_weight=True)
        search = GridSearchCV(pipeline, {"perceptron__keep": ["best", "pocket"]}, cv=3)
        search.fit(X, Y, sample_weight=WEIGHT)
        best = clone(search.best_estimator_["perceptron"]).fit(X, Y, sample_weight=WEIGHT)
        same_rule(search.best_estimator_["perceptron"], best)


def test_weights_and_classes_of_partial_fit_can_be_requested_as_metadata() -> None:
    with config_context(enable_metadata_routing=True):
        routed = Perceptron().set_partial_fit_request(sample_weight=True, classes=True)
        requests = routed.get_metadata_routing().partial_fit.requests
    assert requests == {"sample_weight": True, "classes": True}


# --- Threads --------------------------------------------------------------------------------------


@every_estimator
@may_not_separate
def test_training_works_in_a_thread_that_is_not_the_main_one(estimator: Any) -> None:
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append(clone(estimator).fit(X, Y))
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=60)
    assert len(outcome) == 1
    assert isinstance(outcome[0], type(estimator))
    same_rule(outcome[0], clone(estimator).fit(X, Y))


@pytest.mark.parametrize(
    "kind", [Perceptron, KernelPerceptron, Scorecard, RandomLinearClassifier, AROW]
)
def test_who_asks_for_probabilities_learns_where_they_are(kind):
    """`hasattr` stays False: meta-estimators then take scores."""
    assert not hasattr(kind(), "predict_proba")
    assert not hasattr(kind, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        kind().predict_proba([[1.0]])
    words = str(caught.value)
    assert words.startswith(kind.__name__)
    assert "CalibratedClassifierCV" in words
    assert "study" in words
