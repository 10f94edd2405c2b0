"""Works with what people have around it: scikit-learn, joblib, pandas, polars, scipy, pickle."""

from __future__ import annotations

import copy
import io
import pickle
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import Perceptron, RandomLinearClassifier
from rosenblatt._inputs import validate

ORDERS = ["cyclic", "shuffle", "blocks", "random", "batch"]
KEEPS = ["last", "best", "pocket", "average", "vote"]

every_keep = pytest.mark.parametrize("keep", KEEPS)
every_estimator = pytest.mark.parametrize(
    "estimator",
    [
        *(Perceptron(keep=keep, random_state=0) for keep in KEEPS),
        *(Perceptron(order=order, random_state=0) for order in ORDERS if order != "shuffle"),
        RandomLinearClassifier(random_state=0),
    ],
    ids=[*KEEPS, *(order for order in ORDERS if order != "shuffle"), "random_linear"],
)
# The small rows below are separable; the mean of the weights does not always separate them.
may_not_separate = pytest.mark.filterwarnings(
    "ignore:.*returns a rule with:sklearn.exceptions.ConvergenceWarning"
)
# Noisy rows: the last weights after a few epochs are not the end of training.
may_not_converge = pytest.mark.filterwarnings(
    "ignore:.*used up max_iter:sklearn.exceptions.ConvergenceWarning",
    "ignore:.*happened to stop:sklearn.exceptions.ConvergenceWarning",
)

X = np.random.default_rng(0).normal(size=(60, 4)).round(2)
Y = (X[:, 0] - X[:, 1] > 0).astype(int)
NAMES = ["height", "weight", "age", "dose"]


def noisy(n: int = 200, d: int = 4) -> tuple[Any, Any]:
    random = np.random.default_rng(1)
    rows = random.normal(size=(n, d))
    return rows, (rows[:, 0] + random.normal(size=n) > 0).astype(int)


def same_bits(a: Any, b: Any) -> None:
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    assert a.tobytes() == b.tobytes()


def same_rule(a: Any, b: Any, rows: Any = X) -> None:
    same_bits(a.decision_function(rows), b.decision_function(rows))
    assert a.training_errors_ == b.training_errors_
    if getattr(a, "keep", None) != "vote":
        same_bits(a.coef_, b.coef_)
        same_bits(a.intercept_, b.intercept_)


# --- scikit-learn -------------------------------------------------------------------------------


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


# --- Weights of rows ----------------------------------------------------------------------------

WEIGHT = np.random.default_rng(2).uniform(0.5, 2, size=len(X)).round(2)


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


# --- Copies and pickles -------------------------------------------------------------------------


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
    assert list(vars(other)) == list(vars(trained))
    same_rule(other, trained)
    if isinstance(trained, Perceptron):
        assert other.stop_reason_ is trained.stop_reason_
        same_bits(other.update_counts_, trained.update_counts_)


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


# --- Frames -------------------------------------------------------------------------------------

FRAMES: dict[str, Callable[..., Any]] = {
    "pandas": lambda rows=X, names=NAMES: pd.DataFrame(rows, columns=names),
    "polars": lambda rows=X, names=NAMES: pl.DataFrame(rows, schema=names),
}
every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@every_frame
@every_estimator
@may_not_separate
def test_a_frame_is_learned_from_and_its_names_are_kept(
    frame: Callable[..., Any], estimator: Any
) -> None:
    trained = clone(estimator).fit(frame(), Y)
    assert trained.feature_names_in_.tolist() == NAMES
    plain = clone(estimator).fit(X, Y)
    assert not hasattr(plain, "feature_names_in_")
    same_bits(trained.decision_function(frame()), plain.decision_function(X))
    same_bits(trained.predict(frame()), plain.predict(X))


@every_frame
@every_keep
@pytest.mark.parametrize("method", ["predict", "decision_function", "partial_fit"])
@may_not_separate
def test_a_frame_with_its_columns_in_another_order_is_refused(
    frame: Callable[..., Any], keep: str, method: str
) -> None:
    trained = Perceptron(keep=keep, random_state=0).fit(frame(), Y)
    turned = frame(X[:, ::-1], NAMES[::-1])
    labels = [Y] if method == "partial_fit" else []
    with pytest.raises(ValueError, match="names must be in the same order"):
        getattr(trained, method)(turned, *labels)


@every_frame
def test_a_frame_with_other_columns_is_refused(frame: Callable[..., Any]) -> None:
    trained = Perceptron(random_state=0).fit(frame(), Y)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time.*colour"):
        trained.predict(frame(names=[*NAMES[:3], "colour"]))


def test_names_are_kept_from_pandas_to_polars_and_back() -> None:
    trained = Perceptron(random_state=0).fit(FRAMES["pandas"](), Y)
    same_bits(trained.predict(FRAMES["polars"]()), trained.predict(FRAMES["pandas"]()))


@every_frame
def test_names_are_kept_by_partial_fit(frame: Callable[..., Any]) -> None:
    trained = Perceptron().partial_fit(frame()[:30], Y[:30])
    assert trained.feature_names_in_.tolist() == NAMES
    trained.partial_fit(frame()[30:], Y[30:])
    assert trained.feature_names_in_.tolist() == NAMES
    plain = Perceptron().partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    same_bits(trained.coef_, plain.coef_)


def test_names_go_when_a_later_fit_has_none() -> None:
    trained = Perceptron(random_state=0).fit(FRAMES["pandas"](), Y).fit(X, Y)
    assert not hasattr(trained, "feature_names_in_")


def test_columns_of_several_types_are_converted_once() -> None:
    frame = pd.DataFrame(
        {
            "float": X[:, 0],
            "small": X[:, 1].astype(np.float32),
            "whole": np.arange(60),
            "flag": Y > 0,
            "nullable": pd.array(np.arange(60), dtype="Int64"),
        }
    )
    same_rows = np.column_stack([np.asarray(frame[name], dtype=float) for name in frame])
    trained = Perceptron(random_state=0).fit(frame, Y)
    plain = Perceptron(random_state=0).fit(same_rows, Y)
    same_bits(trained.coef_, plain.coef_)
    same_bits(trained.decision_function(frame), plain.decision_function(same_rows))


@pytest.mark.parametrize("name", ["dtype", "ndim", "T", "format", "indptr"])
def test_a_column_may_have_any_name(name: str) -> None:
    """Attributes of a pandas frame are also its columns."""
    frame = pd.DataFrame(X, columns=[*NAMES[:3], name])
    trained = Perceptron(random_state=0).fit(frame, Y)
    same_bits(trained.predict(frame), Perceptron(random_state=0).fit(X, Y).predict(X))


def test_a_sparse_frame_is_learned_from() -> None:
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X), columns=NAMES)
    trained = Perceptron(random_state=0).fit(frame, Y)
    same_bits(trained.coef_, Perceptron(random_state=0).fit(X, Y).coef_)


# --- Labels -------------------------------------------------------------------------------------

WORDS = np.where(Y > 0, "yes", "no")

LABELS: dict[str, tuple[Any, list[Any]]] = {
    "list": (Y.tolist(), [0, 1]),
    "tuple": (tuple(Y.tolist()), [0, 1]),
    "signs": (2 * Y - 1, [-1, 1]),
    "int8": (Y.astype(np.int8), [0, 1]),
    "unsigned": (Y.astype(np.uint8) * 255, [0, 255]),
    "float": (Y.astype(float) - 3, [-3.0, -2.0]),
    "bool": (Y > 0, [False, True]),
    "bool_list": ((Y > 0).tolist(), [False, True]),
    "text": (WORDS, ["no", "yes"]),
    "text_list": (WORDS.tolist(), ["no", "yes"]),
    "text_objects": (WORDS.astype(object), ["no", "yes"]),
    "int_objects": (Y.astype(object), [0, 1]),
    "bool_objects": ((Y > 0).astype(object), [False, True]),
    "pandas_int": (pd.Series(Y, index=np.arange(60)[::-1]), [0, 1]),
    "pandas_text": (pd.Series(WORDS), ["no", "yes"]),
    "pandas_objects": (pd.Series(WORDS, dtype=object), ["no", "yes"]),
    "pandas_category": (pd.Series(WORDS, dtype="category"), ["no", "yes"]),
    "pandas_nullable": (pd.Series(Y, dtype="Int64"), [0, 1]),
    "polars_int": (pl.Series(Y), [0, 1]),
    "polars_text": (pl.Series(WORDS), ["no", "yes"]),
    "polars_bool": (pl.Series(Y > 0), [False, True]),
    "polars_category": (pl.Series(WORDS, dtype=pl.Categorical), ["no", "yes"]),
    "strided": (np.repeat(Y, 2)[::2], [0, 1]),
    "other_byte_order": (Y.astype(">i4"), [0, 1]),
}


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize(("labels", "classes"), LABELS.values(), ids=LABELS)
def test_labels_may_be_any_two_things_in_any_container(
    method: str, labels: Any, classes: list[Any]
) -> None:
    trained = getattr(Perceptron(random_state=0), method)(X, labels)
    plain = getattr(Perceptron(random_state=0), method)(X, Y)
    assert trained.classes_.tolist() == classes
    same_bits(trained.coef_, plain.coef_)
    expected = [classes[k] for k in plain.predict(X)]
    assert trained.predict(X).tolist() == expected


# --- Arrays -------------------------------------------------------------------------------------

WHOLE = np.random.default_rng(3).integers(-8, 9, size=(60, 4))  # exact in every type below
WHOLE_Y = (2 * WHOLE[:, 0] - WHOLE[:, 1] > 0).astype(int)


def read_only(array: Any) -> Any:
    array = array.copy()
    array.setflags(write=False)
    return array


ARRAYS: dict[str, Any] = {
    "list": WHOLE.tolist(),
    "tuple_of_arrays": tuple(WHOLE.astype(float)),
    "fortran_order": np.asfortranarray(WHOLE, dtype=float),
    "fortran_order_float32": np.asfortranarray(WHOLE, dtype=np.float32),
    "every_other_column": np.repeat(WHOLE.astype(float), 2, axis=1)[:, ::2],
    "every_other_row": np.repeat(WHOLE.astype(float), 2, axis=0)[::2],
    "backwards_twice": WHOLE.astype(float)[::-1].copy()[::-1],
    "float16": WHOLE.astype(np.float16),
    "float32": WHOLE.astype(np.float32),
    "longdouble": WHOLE.astype(np.longdouble),
    "int8": WHOLE.astype(np.int8),
    "int64": WHOLE.astype(np.int64),
    "objects": WHOLE.astype(object),
    "other_byte_order": WHOLE.astype(">f8"),
    "read_only": read_only(WHOLE.astype(float)),
    "read_only_float32": read_only(WHOLE.astype(np.float32)),
}


@every_estimator
@pytest.mark.parametrize("rows", ARRAYS.values(), ids=ARRAYS)
@may_not_separate
def test_rows_may_come_in_any_array_of_numbers(estimator: Any, rows: Any) -> None:
    trained = clone(estimator).fit(rows, WHOLE_Y)
    plain = clone(estimator).fit(WHOLE.astype(float), WHOLE_Y)
    same_rule(trained, plain, WHOLE)
    same_bits(trained.decision_function(rows), plain.decision_function(WHOLE.astype(float)))


@pytest.mark.parametrize("dtype", [bool, np.uint8])
def test_rows_may_be_flags(dtype: Any) -> None:
    flags = WHOLE > 0
    labels = flags[:, 0] | flags[:, 1]
    trained = Perceptron(random_state=0).fit(flags.astype(dtype), labels)
    same_rule(trained, Perceptron(random_state=0).fit(flags.astype(float), labels), flags)
    assert trained.training_errors_ == 0


def test_a_memory_mapped_array_is_learned_from(tmp_path: Any) -> None:
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    same_rule(Perceptron(random_state=0).fit(mapped, Y), Perceptron(random_state=0).fit(X, Y))


# --- Sparse matrices ----------------------------------------------------------------------------

HOLES = np.where(np.random.default_rng(4).random(X.shape) < 0.5, 0.0, X)


def with_index_type(matrix: Any, dtype: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    return matrix


def unsorted(matrix: Any) -> Any:
    """The entries of each row in reverse."""
    backwards = np.concatenate(
        [np.arange(b, e)[::-1] for b, e in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)]
    )
    parts = (matrix.data[backwards], matrix.indices[backwards], matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)


def with_duplicates(matrix: Any) -> Any:
    """Each entry twice, as two numbers that add up to it."""
    data = np.stack([matrix.data + 0.7, np.full_like(matrix.data, -0.7)], axis=1).ravel()
    parts = (data, np.repeat(matrix.indices, 2), 2 * matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)


def strided(matrix: Any) -> Any:
    """Its numbers are every other one of a longer array, its indices, too."""
    parts = (np.repeat(matrix.data, 2)[::2], np.repeat(matrix.indices, 2)[::2], matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)


def with_zeros_stored(matrix: Any) -> Any:
    stored = matrix.copy()
    stored.data[::3] = 0.0
    return stored


def locked(matrix: Any) -> Any:
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.setflags(write=False)
    return matrix


def csr(kind: Any = sparse.csr_matrix, index: Any = np.int32, dtype: Any = float) -> Any:
    return with_index_type(kind(HOLES.astype(dtype)), index)


def csr_with_two_index_types() -> Any:
    matrix = csr()
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


SPARSE: dict[str, Callable[[], Any]] = {
    "csr_matrix_int32": csr,
    "csr_matrix_int64": lambda: csr(index=np.int64),
    "csr_array_int32": lambda: csr(sparse.csr_array),
    "csr_array_int64": lambda: csr(sparse.csr_array, np.int64),
    "csr_float32": lambda: csr(dtype=np.float32),
    "csr_float32_int64": lambda: csr(index=np.int64, dtype=np.float32),
    "csr_whole_numbers": lambda: sparse.csr_matrix(WHOLE),
    "csr_flags": lambda: sparse.csr_matrix(WHOLE > 0),
    "csc_matrix": lambda: sparse.csc_matrix(HOLES),
    "csc_array": lambda: sparse.csc_array(HOLES),
    "csc_int64": lambda: with_index_type(sparse.csc_matrix(HOLES), np.int64),
    "coo_matrix": lambda: sparse.coo_matrix(HOLES),
    "coo_array": lambda: sparse.coo_array(HOLES),
    "lil_matrix": lambda: sparse.lil_matrix(HOLES),
    "dok_matrix": lambda: sparse.dok_matrix(HOLES),
    "bsr_matrix": lambda: sparse.bsr_matrix(HOLES, blocksize=(2, 2)),
    "unsorted": lambda: unsorted(csr()),
    "unsorted_int64": lambda: unsorted(csr(index=np.int64)),
    "unsorted_array": lambda: unsorted(csr(sparse.csr_array)),
    "duplicates": lambda: with_duplicates(csr()),
    "duplicates_float32": lambda: with_duplicates(csr(dtype=np.float32)),
    "unsorted_duplicates": lambda: unsorted(with_duplicates(csr())),
    "unsorted_duplicates_int64": lambda: unsorted(with_duplicates(csr(index=np.int64))),
    "coo_duplicates": lambda: with_duplicates(csr()).tocoo(),
    "zeros_stored": lambda: with_zeros_stored(csr()),
    "strided": lambda: strided(csr()),
    "strided_array_int64": lambda: strided(csr(sparse.csr_array, np.int64)),
    "locked": lambda: locked(csr()),
    "locked_unsorted": lambda: locked(unsorted(csr())),
    "a_slice": lambda: sparse.vstack([csr(), csr()], format="csr")[60:],
    "two_index_types": csr_with_two_index_types,
}


@every_estimator
@pytest.mark.parametrize("matrix", SPARSE.values(), ids=SPARSE)
@may_not_converge
@may_not_separate
def test_a_sparse_matrix_gives_the_same_bits_as_the_array(
    estimator: Any, matrix: Callable[[], Any]
) -> None:
    rows = matrix()
    dense = rows.toarray()
    short = {"max_iter": 30} if isinstance(estimator, Perceptron) else {}
    trained = clone(estimator).set_params(**short).fit(rows, Y)
    plain = clone(estimator).set_params(**short).fit(dense, Y)
    same_rule(trained, plain, dense)
    same_bits(trained.decision_function(rows), plain.decision_function(dense))
    same_bits(trained.predict(rows), plain.predict(dense))


def test_a_row_without_entries_is_learned_from() -> None:
    rows = csr().tolil()
    rows[[0, 5, 59]] = 0
    rows = rows.tocsr()
    trained = Perceptron(max_iter=30, random_state=0).fit(rows, Y)
    same_rule(trained, Perceptron(max_iter=30, random_state=0).fit(rows.toarray(), Y))


# --- What the caller owns -----------------------------------------------------------------------


def arrays_of(rows: Any) -> list[Any]:
    return [rows.data, rows.indices, rows.indptr] if sparse.issparse(rows) else [rows]


OWNED: dict[str, Callable[[], Any]] = {
    "float64": X.copy,
    "float32": lambda: X.astype(np.float32),
    "fortran_order": lambda: np.asfortranarray(X),
    "csr": csr,
    "csr_int64": lambda: csr(index=np.int64),
    "csr_float32": lambda: csr(dtype=np.float32),
    "unsorted": lambda: unsorted(csr()),
    "duplicates": lambda: unsorted(with_duplicates(csr())),
    "csc": lambda: sparse.csc_matrix(HOLES),
}


@every_estimator
@pytest.mark.parametrize("rows", OWNED.values(), ids=OWNED)
@may_not_converge
@may_not_separate
def test_what_the_caller_gave_is_never_changed(estimator: Any, rows: Callable[[], Any]) -> None:
    estimator = clone(estimator)
    given: dict[str, Any] = {
        "X": rows(),
        "y": Y.copy(),
        "sample_weight": np.where(np.arange(60) == 3, 0.0, WEIGHT),
    }
    if isinstance(estimator, Perceptron):
        estimator.set_params(max_iter=30, class_weight={0: 2.0})
        given |= {
            "coef_init": np.array([-0.0, 1.0, 2.0, 3.0]),
            "intercept_init": np.array([0.5]),
            "X_val": rows(),
            "y_val": Y.copy(),
        }
    arrays = [array for value in given.values() for array in arrays_of(value)]
    before = [array.tobytes() for array in arrays]
    matrices = [value for value in given.values() if sparse.issparse(value)]
    sorted_before = [is_sorted(matrix) for matrix in matrices]

    estimator.fit(**given)
    estimator.predict(given["X"])
    estimator.decision_function(given["X"])
    if isinstance(estimator, Perceptron):
        estimator.partial_fit(given["X"], given["y"], sample_weight=given["sample_weight"])

    after = [array for value in given.values() for array in arrays_of(value)]
    assert all(a is b for a, b in zip(after, arrays, strict=True))
    assert [array.tobytes() for array in after] == before
    assert [is_sorted(matrix) for matrix in matrices] == sorted_before


def is_sorted(matrix: Any) -> bool:
    """Looked up afresh, not the flag that scipy remembers."""
    lines = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return all((np.diff(matrix.indices[begin:end]) >= 0).all() for begin, end in lines)


def test_the_matrices_above_are_what_they_are_called() -> None:
    assert is_sorted(csr())
    assert not is_sorted(unsorted(csr()))
    assert with_duplicates(csr()).nnz == 2 * csr().nnz
    assert csr(index=np.int64).indices.dtype == np.int64
    assert not strided(csr()).data.flags.c_contiguous


@pytest.mark.parametrize("keep", ["last", "best", "pocket", "average"])
def test_what_is_learned_is_no_view_of_what_the_caller_gave(keep: str) -> None:
    start, classes = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0, 1])
    separated = np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]])
    trained = Perceptron(keep=keep, fit_intercept=False)
    trained.fit(separated, classes[::-1], coef_init=start)
    assert trained.coef_.tolist() == [[1, 0, 0, 0]]
    start[:], classes[:], separated[:] = 7, 7, 7
    assert trained.coef_.tolist() == [[1, 0, 0, 0]]
    assert trained.classes_.tolist() == [0, 1]


# --- No copies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_contiguous_array_is_taken_as_it_is(dtype: Any) -> None:
    rows = X.astype(dtype)
    assert np.shares_memory(validate.rows(Perceptron(), rows, reset=True), rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_a_sorted_csr_matrix_is_taken_as_it_is(dtype: Any, index: Any, kind: Any) -> None:
    rows = csr(kind, index, dtype)
    taken = validate.rows(Perceptron(), rows, reset=True)
    for ours, theirs in zip(taken[:3], (rows.data, rows.indices, rows.indptr), strict=True):
        assert np.shares_memory(ours, theirs)


def large_csr(dtype: Any) -> Any:
    n, entries = 25_000, 60
    indices = np.tile(np.arange(0, 2 * entries, 2, dtype=np.int32), n)
    data = np.random.default_rng(0).standard_normal(n * entries).astype(dtype)
    parts = (data, indices, np.arange(0, len(data) + 1, entries, dtype=np.int32))
    return sparse.csr_matrix(parts, shape=(n, 2 * entries))


def large_array(dtype: Any) -> Any:
    return np.random.default_rng(0).standard_normal((25_000, 100)).astype(dtype)


@pytest.mark.parametrize("make", [large_array, large_csr], ids=["array", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training_and_predicting_take_a_fraction_of_the_memory_of_the_rows(
    make: Callable[[Any], Any], dtype: Any
) -> None:
    rows = make(dtype)
    labels = np.random.default_rng(1).integers(0, 2, size=rows.shape[0])
    size = sum(array.nbytes for array in arrays_of(rows))
    estimator = Perceptron(max_iter=1, random_state=0).fit(rows[:100], labels[:100])
    for work in (
        lambda: estimator.fit(rows, labels),
        lambda: estimator.partial_fit(rows, labels),
        lambda: estimator.decision_function(rows),
        lambda: estimator.predict(rows),
    ):
        tracemalloc.start()
        try:
            work()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < size / 4


# --- The vote -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
def test_a_vote_has_no_single_weight_vector_and_says_why(name: str) -> None:
    trained = Perceptron(keep="vote", random_state=0).fit(X, Y)
    assert not hasattr(trained, name)
    with pytest.raises(AttributeError, match=rf"(?s)vote.*{name}.*keep='average'"):
        getattr(trained, name)


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
@pytest.mark.parametrize("keep", ["best", "vote"])
def test_an_estimator_that_is_not_fitted_has_no_weights_and_says_why(name: str, keep: str) -> None:
    assert not hasattr(Perceptron(keep=keep), name)
    with pytest.raises(AttributeError, match=rf"{name}.*fitted"):
        getattr(Perceptron(keep=keep), name)


# --- Threads ------------------------------------------------------------------------------------


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
