"""Bad input gets one clear error, and the estimator is as it was before.

Messages are checked by what they say - what was got, what is allowed, what to do -, not word for
word. Warnings are errors in this suite, so "one error" also means: no warning before it.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from common import may_not_separate
from rosenblatt import Perceptron, RandomLinearClassifier
from rosenblatt.errors import InputError, RosenblattError, WeightsOverflow

ORDERS = ["cyclic", "shuffle", "blocks", "random", "batch"]
KEEPS = ["last", "best", "pocket", "average", "vote"]

N = 40
X = np.random.default_rng(0).normal(size=(N, 3))
Y = (X[:, 0] > 0).astype(int)

# --- Tools --------------------------------------------------------------------------------------


@contextmanager
def refused(estimator: Any, *says: str, error: Any = (ValueError, TypeError)) -> Iterator[None]:
    """One error that says this, and nothing about the estimator has changed, however deep down."""
    before = vars(estimator).copy()
    inside = {name: pickle.dumps(value) for name, value in before.items()}
    with pytest.raises(error) as caught:
        yield
    message = str(caught.value)
    for words in says:
        assert words in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    after = vars(estimator)
    assert list(after) == list(before)
    assert all(after[name] is before[name] for name in before)
    assert {name: pickle.dumps(value) for name, value in after.items()} == inside


@dataclass(frozen=True)
class Way:
    """A way to train: which estimator, with which of its methods."""

    make: Callable[..., Any]
    method: str

    def train(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return getattr(estimator, self.method)(X, y, sample_weight=sample_weight)

    def new(self, **parameters: Any) -> Any:
        return self.make(random_state=0, **parameters)

    def fitted(self, **parameters: Any) -> Any:
        return self.train(self.new(**parameters), X, Y)


FIT = Way(Perceptron, "fit")
PARTIAL_FIT = Way(Perceptron, "partial_fit")
RANDOM_FIT = Way(RandomLinearClassifier, "fit")
WAYS = {"fit": FIT, "partial_fit": PARTIAL_FIT, "random_linear_fit": RANDOM_FIT}

every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
both_ways_of_the_perceptron = pytest.mark.parametrize(
    "way", [FIT, PARTIAL_FIT], ids=["fit", "partial_fit"]
)
new_and_fitted = pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])


def parametrize_cases(names: str, cases: dict[str, tuple[Any, ...]]) -> Any:
    return pytest.mark.parametrize(names, cases.values(), ids=cases)


def rows_with(value: Any, dtype: Any = float) -> Any:
    """The rows, with this value in row 2, column 1."""
    changed = X.astype(dtype)
    changed[2, 1] = value
    return changed


def changed(array: Any, at: int, value: Any) -> Any:
    array = array.copy()
    array[at] = value
    return array


def broken_csr(**arrays: Callable[[Any], Any]) -> Any:
    """The rows as a CSR matrix, with arrays overwritten after scipy has checked them."""
    matrix = sparse.csr_matrix(X)
    for name, change in arrays.items():
        setattr(matrix, name, change(getattr(matrix, name)))
    return matrix


# --- Rows ---------------------------------------------------------------------------------------

TEXT = ("row 2, column 1", "number", "Encode")

BAD_ROWS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "nan": (rows_with(np.nan), ("contains NaN",)),
    "inf": (rows_with(np.inf), ("contains infinity",)),
    "minus_inf": (rows_with(-np.inf), ("contains infinity",)),
    "float32_nan": (rows_with(np.nan, np.float32), ("contains NaN",)),
    "float32_inf": (rows_with(np.inf, np.float32), ("contains infinity",)),
    "list_inf": (rows_with(np.inf).tolist(), ("contains infinity",)),
    "csr_nan": (sparse.csr_matrix(rows_with(np.nan)), ("contains NaN",)),
    "csr_inf": (sparse.csr_matrix(rows_with(np.inf)), ("contains infinity",)),
    "csc_inf": (sparse.csc_matrix(rows_with(np.inf)), ("contains infinity",)),
    "objects_nan": (rows_with(np.nan, object), ("contains NaN",)),
    "objects_inf": (rows_with(np.inf, object), ("contains infinity",)),
    "no_rows": (X[:0], ("0 sample(s)", "minimum of 1")),
    "no_columns": (X[:, :0], ("0 feature(s)", "minimum of 1")),
    "one_dimension": (X[:, 0], ("Expected 2D", "1D array", "reshape")),
    "one_dimension_sparse": (sparse.csr_array(X[:, 0]), ("2D",)),
    "three_dimensions": (X[None], ("dim 3",)),
    "text": (rows_with("abc", object), ("'abc'", *TEXT)),
    "text_like_a_number": (rows_with("1.5", object), ("'1.5'", *TEXT)),
    "none": (rows_with(None, object), ("None", "row 2, column 1", "number")),
    "dict_in_a_cell": (rows_with({"a": 1}, object), ("{'a': 1}", "row 2, column 1", "number")),
    "text_array": (X.astype(str), ("row 0, column 0", "number")),
    "text_list": (X.astype(str).tolist(), ("row 0, column 0", "number")),
    "bytes_array": (X.astype(bytes), ("number",)),
    "dict": ({"a": [1.0]}, ("dict",)),
    "pandas_text_column": (
        pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(c="red"),
        ("'red'", "row 0, column 2", "number", "OneHotEncoder"),
    ),
    "pandas_text_like_numbers": (
        pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(c="1.5"),
        ("'1.5'", "row 0, column 2", "number"),
    ),
    "polars_text_column": (
        pl.DataFrame(X[:, :2], schema=["a", "b"]).with_columns(c=pl.lit("red")),
        ("'red'", "row 0, column 2", "number", "OneHotEncoder"),
    ),
    "csr_index_too_large": (
        broken_csr(indices=lambda i: changed(i, 5, 3)),
        ("out of range", "row 1", "index 3", "3 columns"),
    ),
    "csr_index_far_too_large": (
        broken_csr(indices=lambda i: changed(i, 5, 2**31 - 1)),
        ("out of range", "row 1", "3 columns"),
    ),
    "csr_index_negative": (
        broken_csr(indices=lambda i: changed(i, 5, -1)),
        ("out of range", "row 1", "index -1", "3 columns"),
    ),
    "csr_indptr_falls": (broken_csr(indptr=lambda p: changed(p, 3, 50)), ("indptr", "never fall")),
    "csr_indptr_negative": (broken_csr(indptr=lambda p: changed(p, 3, -1)), ("indptr",)),
    "csr_indptr_starts_late": (broken_csr(indptr=lambda p: changed(p, 0, 1)), ("indptr", "0")),
    "csr_indptr_too_short": (broken_csr(indptr=lambda p: p[:-1]), ("indptr", "41 numbers")),
    "csr_indptr_too_far": (
        broken_csr(indptr=lambda p: changed(p, -1, 500)),
        ("500 entries", "120"),
    ),
    "csr_too_few_values": (broken_csr(data=lambda v: v[:-1]), ("120 entries", "119 values")),
    "csr_too_few_indices": (broken_csr(indices=lambda i: i[:-1]), ("120 entries", "119 indices")),
}


@every_way
@new_and_fitted
@parametrize_cases("bad, says", BAD_ROWS)
def test_bad_rows_are_refused_in_training(
    way: Way, fitted: bool, bad: Any, says: tuple[str, ...]
) -> None:
    estimator = way.fitted() if fitted else way.new()
    with refused(estimator, *says):
        way.train(estimator, bad, Y)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@parametrize_cases(
    "way, parameters",
    {
        "best": (FIT, {}),
        "vote": (FIT, {"keep": "vote"}),
        "average": (FIT, {"keep": "average", "order": "batch", "eta0": 0.5}),
        "random_linear": (RANDOM_FIT, {}),
    },
)
@parametrize_cases("bad, says", BAD_ROWS)
def test_bad_rows_are_refused_in_prediction(
    way: Way, parameters: dict[str, Any], method: str, bad: Any, says: tuple[str, ...]
) -> None:
    trained = way.fitted(**parameters)
    scores = trained.decision_function(X)
    with refused(trained, *says):
        getattr(trained, method)(bad)
    np.testing.assert_array_equal(trained.decision_function(X), scores)


@pytest.mark.parametrize(("i", "j"), [(0, 0), (N - 1, 2)])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_matrix])
def test_a_number_that_is_not_finite_is_found_where_the_weight_is_zero(
    i: int, j: int, value: float, as_stored: Any
) -> None:
    """Prediction looks at the scores instead of X: no weight may hide the number."""
    rule = Perceptron(max_updates=1, fit_intercept=False, order="cyclic", keep="last")
    rule.fit([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [1, 0])
    assert rule.coef_.tolist() == [[1.0, 0.0, 0.0]]
    rows = np.zeros((N, 3))
    rows[i, j] = value
    with refused(rule, "X contains"):
        rule.predict(as_stored(rows))


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_matrix])
def test_another_number_of_features_is_refused_in_prediction(
    method: str, keep: str, width: int, as_stored: Any
) -> None:
    trained = FIT.fitted(keep=keep)
    with refused(trained, f"{width} features", "expecting 3"):
        getattr(trained, method)(as_stored(np.ones((2, width))))


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_matrix])
def test_another_number_of_features_is_refused_by_a_later_partial_fit(
    keep: str, as_stored: Any
) -> None:
    trained = PARTIAL_FIT.fitted(keep=keep)
    with refused(trained, "2 features", "expecting 3"):
        trained.partial_fit(as_stored(X[:, :2]), Y)


def test_another_number_of_features_is_refused_by_partial_fit_after_fit() -> None:
    trained = FIT.fitted()
    with refused(trained, "4 features", "expecting 3"):
        trained.partial_fit(np.ones((N, 4)), Y)


@pytest.mark.parametrize(
    ("matrix", "array", "index"), [("coo", "col", 7), ("csc", "indices", 10**8)]
)
def test_a_broken_sparse_matrix_of_another_format_is_an_error_and_no_crash(
    matrix: str, array: str, index: int
) -> None:
    """In a process of its own: an index out of range can end the process."""
    code = f"""
import numpy as np
from scipy import sparse
from rosenblatt import Perceptron
X = sparse.{matrix}_matrix(np.arange(12.0).reshape(4, 3) + 1)
X.{array} = X.{array}.copy()
X.{array}[5] = {index}
try:
    Perceptron(max_iter=5).fit(X, [0, 1, 0, 1])
except ValueError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"the process ended with {ran.returncode}: {ran.stderr}"
    assert "out of range" in ran.stdout


@every_way
def test_an_array_of_objects_that_are_all_numbers_is_fine(way: Way) -> None:
    objects = X.astype(object)
    objects[0, 0] = float(objects[0, 0])
    objects[1] = [1, True, np.float32(0.5)]
    trained = way.train(way.new(), objects, Y)
    same = way.train(way.new(), objects.astype(float), Y)
    np.testing.assert_array_equal(trained.coef_, same.coef_)
    np.testing.assert_array_equal(trained.predict(objects), same.predict(objects.astype(float)))


# --- Labels -------------------------------------------------------------------------------------

WORDS = np.where(Y > 0, "yes", "no")

BAD_LABELS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "none": (None, ("y", "None")),
    "one_class": (np.ones(N, dtype=int), ("one class only", "1", "two classes")),
    "one_text_class": (["spam"] * N, ("one class only", "spam", "two classes")),
    "three_classes": (
        np.arange(N) % 3,
        ("Only binary classification is supported", "3", "OneVsRestClassifier(Perceptron())"),
    ),
    "three_text_classes": (
        np.array(["a", "b", "c", "a"] * (N // 4)),
        ("Only binary classification is supported", "3", "OneVsRestClassifier(Perceptron())"),
    ),
    "a_class_for_each_row": (
        np.arange(N),
        ("Only binary classification is supported", f"{N}", "OneVsRestClassifier(Perceptron())"),
    ),
    "continuous": (X[:, 0], ("Unknown label type", "continuous")),
    "continuous_with_two_values": (np.where(Y > 0, 0.5, 1.5), ("Unknown label type",)),
    "nan": (changed(Y.astype(float), 3, np.nan), ("NaN",)),
    "nan_as_one_of_two": (np.where(Y > 0, 1.0, np.nan), ("NaN",)),
    "nan_in_objects": (changed(Y.astype(float).astype(object), 3, np.nan), ("NaN",)),
    "nan_among_text": (changed(WORDS.astype(object), 3, np.nan), ("missing",)),
    "none_among_text": (changed(WORDS.astype(object), 3, None), ("missing",)),
    "inf": (changed(Y.astype(float), 3, np.inf), ("infinity",)),
    "text_and_numbers": (changed(WORDS.astype(object), 3, 1), ("int", "str", "one type")),
    "text_and_numbers_in_a_list": (["no", 1] * (N // 2), ("int", "str", "one type")),
    "too_few": (Y[:-1], (f"{N} rows", f"{N - 1} labels")),
    "too_many": (np.append(Y, 1), (f"{N} rows", f"{N + 1} labels")),
    "two_columns": (np.c_[Y, Y], ("y", "1d", f"({N}, 2)")),
    "sparse": (sparse.csr_matrix(Y), ("y", "parse")),
}


@every_way
@parametrize_cases("bad, says", BAD_LABELS)
def test_bad_labels_are_refused(way: Way, bad: Any, says: tuple[str, ...]) -> None:
    estimator = way.new()
    with refused(estimator, *says):
        way.train(estimator, X, bad)


@pytest.mark.parametrize("way", [FIT, RANDOM_FIT], ids=["fit", "random_linear_fit"])
@parametrize_cases("bad, says", BAD_LABELS)
def test_bad_labels_leave_a_fitted_estimator_as_it_was(
    way: Way, bad: Any, says: tuple[str, ...]
) -> None:
    trained = way.fitted()
    scores = trained.decision_function(X)
    with refused(trained, *says):
        way.train(trained, X, bad)
    np.testing.assert_array_equal(trained.decision_function(X), scores)


@pytest.mark.parametrize("keep", KEEPS)
@parametrize_cases(
    "bad, says",
    {
        "unknown": (changed(Y, 4, 7), ("7", "row 4", "two classes")),
        "three": (np.arange(N) % 3, ("2", "row 2", "two classes")),
        "text": (WORDS, ("yes", "two classes")),
        "continuous": (X[:, 0], ("row 0", "two classes")),
        "nan": (changed(Y.astype(float), 3, np.nan), ("NaN",)),
        "none": (None, ("y", "None")),
        "too_few": (Y[:-1], (f"{N} rows", f"{N - 1} labels")),
    },
)
def test_bad_labels_leave_a_partially_fitted_estimator_as_it_was(
    keep: str, bad: Any, says: tuple[str, ...]
) -> None:
    trained = PARTIAL_FIT.fitted(keep=keep)
    scores = trained.decision_function(X)
    with refused(trained, *says):
        trained.partial_fit(X, bad)
    np.testing.assert_array_equal(trained.decision_function(X), scores)


@every_way
def test_one_class_only_after_rows_of_weight_zero_are_dropped_is_refused(way: Way) -> None:
    estimator = way.new()
    with refused(estimator, "one class only", "weight 0", "two classes", error=InputError):
        way.train(estimator, X, Y, sample_weight=Y)


@both_ways_of_the_perceptron
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only_after_class_weight_zero_is_refused(way: Way, label: int) -> None:
    estimator = way.new(class_weight={label: 0})
    with refused(
        estimator, "one class only", "weight 0", f"{label}", "two classes", error=InputError
    ):
        way.train(estimator, X, Y)


@every_way
@pytest.mark.parametrize("third", [7, 0.25], ids=["whole", "fraction"])
def test_a_third_label_on_rows_of_weight_zero_only_is_fine(way: Way, third: float) -> None:
    weight = changed(np.ones(N), 4, 0)
    labels = changed(Y.astype(float), 4, third)
    trained = way.train(way.new(), X, labels, sample_weight=weight)
    assert trained.classes_.tolist() == [0, 1]
    same = way.train(way.new(), X, Y, sample_weight=weight)
    np.testing.assert_array_equal(trained.coef_, same.coef_)


def test_a_third_label_on_rows_of_weight_zero_is_fine_in_a_later_partial_fit() -> None:
    weight = changed(np.ones(N), 4, 0)
    trained = PARTIAL_FIT.fitted().partial_fit(X, changed(Y, 4, 7), sample_weight=weight)
    same = PARTIAL_FIT.fitted().partial_fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(trained.coef_, same.coef_)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: FIT.new().fit(X, ["spam"] * N),
        lambda: FIT.new().fit(X, np.ones(N, dtype=int)),
        lambda: FIT.new(class_weight={1: 0}).fit(X, Y),
        lambda: FIT.new(class_weight={2: 1}).fit(X, Y),
        lambda: PARTIAL_FIT.fitted().partial_fit(X, changed(Y, 4, 7)),
        lambda: PARTIAL_FIT.fitted().partial_fit(X, Y, classes=[0, 2]),
    ],
    ids=["text", "number", "class_weight", "class_weight_key", "unknown", "classes"],
)
def test_a_message_shows_labels_as_the_user_wrote_them(bad: Callable[[], Any]) -> None:
    with pytest.raises(InputError) as caught:
        bad()
    assert "np." not in str(caught.value)


# --- Weights of rows and classes ----------------------------------------------------------------

BAD_WEIGHTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "negative": (changed(np.ones(N), 7, -2.0), ("sample_weight", "-2.0", "row 7", "negative")),
    "nan": (changed(np.ones(N), 7, np.nan), ("sample_weight", "nan", "row 7", "finite")),
    "inf": (changed(np.ones(N), 7, np.inf), ("sample_weight", "inf", "row 7", "finite")),
    "all_zero": (np.zeros(N), ("weight zero",)),
    "too_few": (np.ones(3), ("sample_weight", "(3,)", f"{N} rows")),
    "two_dimensions": (np.ones((N, 1)), ("sample_weight", f"({N}, 1)", f"({N},)")),
    "text": (["heavy"] * N, ("heavy",)),
    "negative_number_for_all": (-1.0, ("sample_weight", "-1.0", "negative")),
}


@every_way
@new_and_fitted
@parametrize_cases("bad, says", BAD_WEIGHTS)
def test_bad_sample_weights_are_refused(
    way: Way, fitted: bool, bad: Any, says: tuple[str, ...]
) -> None:
    estimator = way.fitted() if fitted else way.new()
    with refused(estimator, *says):
        way.train(estimator, X, Y, sample_weight=bad)


BAD_CLASS_WEIGHTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "list": ([1, 2], ("class_weight=[1, 2]", "dict", "None")),
    "number": (3, ("class_weight=3", "dict", "None")),
    "unknown_key": ({0: 1, 2: 3}, ("class_weight", "key 2", "0", "1")),
    "text_key": ({"0": 1}, ("class_weight", "key '0'")),
    "negative": ({0: -1}, ("class_weight", "-1", "0 or greater")),
    "nan": ({0: np.nan}, ("class_weight", "nan", "finite")),
    "text": ({0: "heavy"}, ("class_weight", "'heavy'", "number")),
}


@both_ways_of_the_perceptron
@new_and_fitted
@parametrize_cases("bad, says", BAD_CLASS_WEIGHTS)
def test_a_bad_class_weight_is_refused(
    way: Way, fitted: bool, bad: Any, says: tuple[str, ...]
) -> None:
    estimator = way.fitted() if fitted else way.new()
    estimator.set_params(class_weight=bad)
    with refused(estimator, *says, error=InputError):
        way.train(estimator, X, Y)


def test_an_unknown_word_for_class_weight_is_refused() -> None:
    estimator = Perceptron(class_weight="unbalanced")
    with refused(estimator, "class_weight='unbalanced'", "'balanced'", "dict", error=InputError):
        estimator.fit(X, Y)


@new_and_fitted
def test_balanced_class_weights_are_refused_by_partial_fit(fitted: bool) -> None:
    estimator = PARTIAL_FIT.fitted() if fitted else PARTIAL_FIT.new()
    estimator.set_params(class_weight="balanced")
    with refused(estimator, "'balanced'", "partial_fit", "dict", error=InputError):
        estimator.partial_fit(X, Y)


# --- Parameters ---------------------------------------------------------------------------------

BAD_PARAMETERS: list[tuple[str, Any, tuple[str, ...]]] = [
    *(("order", bad, tuple(repr(o) for o in ORDERS)) for bad in ["sorted", None, 3, ["cyclic"]]),
    *(("keep", bad, tuple(repr(k) for k in KEEPS)) for bad in ["first", None, 3, ["best"]]),
    *(
        ("eta0", bad, ("finite number greater than 0",))
        for bad in [0, -1, -0.5, np.nan, np.inf, "1", True, None, 1j]
    ),
    *(
        ("margin", bad, ("finite number, 0 or greater",))
        for bad in [-1, -1e-300, np.nan, np.inf, "1", True, None]
    ),
    *(
        ("max_iter", bad, ("whole number, 1 or greater",))
        for bad in [0, -1, 1.5, True, "3", None, np.nan]
    ),
    *(
        ("max_updates", bad, ("whole number, 1 or greater", "None"))
        for bad in [0, -1, 1.5, True, "3", np.nan]
    ),
    *(("fit_intercept", bad, ("True or False",)) for bad in ["yes", 1, None]),
    *(("warm_start", bad, ("True or False",)) for bad in ["yes", 1, None]),
]


@both_ways_of_the_perceptron
@new_and_fitted
@pytest.mark.parametrize(
    ("name", "bad", "says"), BAD_PARAMETERS, ids=[f"{n}={b!r}" for n, b, _ in BAD_PARAMETERS]
)
def test_a_bad_parameter_is_refused_with_what_is_allowed(
    way: Way, fitted: bool, name: str, bad: Any, says: tuple[str, ...]
) -> None:
    estimator = way.fitted() if fitted else way.new()
    estimator.set_params(**{name: bad})
    with refused(estimator, f"{name}={bad!r}", *says, error=InputError):
        way.train(estimator, X, Y)


@new_and_fitted
@pytest.mark.parametrize(
    ("name", "bad", "says"),
    [
        *(("k", bad, "whole number, 1 or greater") for bad in [0, -1, 1.5, True, "3", None]),
        ("fit_intercept", "yes", "True or False"),
    ],
)
def test_a_bad_parameter_of_the_random_classifier_is_refused(
    fitted: bool, name: str, bad: Any, says: str
) -> None:
    estimator = RANDOM_FIT.fitted() if fitted else RANDOM_FIT.new()
    estimator.set_params(**{name: bad})
    with refused(estimator, f"{name}={bad!r}", says, error=InputError):
        estimator.fit(X, Y)


@every_way
def test_a_bad_random_state_is_refused(way: Way) -> None:
    estimator = way.new().set_params(random_state="dice")
    with refused(estimator, "'dice'", "seed", error=ValueError):
        way.train(estimator, X, Y)


# --- Where training starts ----------------------------------------------------------------------


@new_and_fitted
@parametrize_cases(
    "start, says",
    {
        "short_coef": ({"coef_init": np.ones(2)}, ("coef_init", "(2,)", "3 features", "(1, 3)")),
        "long_coef": ({"coef_init": np.ones(4)}, ("coef_init", "(4,)", "3 features")),
        "column": ({"coef_init": np.ones((3, 1))}, ("coef_init", "(3, 1)", "(1, 3)")),
        "two_rows": ({"coef_init": np.ones((2, 3))}, ("coef_init", "(2, 3)", "(1, 3)")),
        "number_for_coef": ({"coef_init": 1.0}, ("coef_init", "()", "(1, 3)")),
        "nan_coef": ({"coef_init": [1, np.nan, 0]}, ("coef_init", "NaN", "finite")),
        "inf_coef": ({"coef_init": [1, np.inf, 0]}, ("coef_init", "infinity", "finite")),
        "text_coef": ({"coef_init": ["a", "b", "c"]}, ("coef_init", "not a number", "'a'")),
        "ragged_coef": ({"coef_init": [[1], [2, 3]]}, ("coef_init", "not a number")),
        "two_intercepts": ({"intercept_init": [1, 2]}, ("intercept_init=[1, 2]", "one number")),
        "nan_intercept": ({"intercept_init": np.nan}, ("intercept_init", "NaN", "finite")),
        "text_intercept": ({"intercept_init": "a"}, ("intercept_init", "not a number", "'a'")),
    },
)
def test_a_bad_start_is_refused(fitted: bool, start: dict[str, Any], says: tuple[str, ...]) -> None:
    estimator = FIT.fitted() if fitted else FIT.new()
    with refused(estimator, *says, error=InputError):
        estimator.fit(X, Y, **start)


def test_an_intercept_to_start_with_is_refused_without_an_intercept() -> None:
    estimator = Perceptron(fit_intercept=False)
    with refused(
        estimator, "intercept_init=2.0", "fit_intercept=False", "origin", error=InputError
    ):
        estimator.fit(X, Y, intercept_init=2.0)
    assert estimator.fit(X, Y, intercept_init=[0.0]).intercept_.tolist() == [0.0]


@pytest.mark.parametrize("keep", KEEPS)
def test_a_warm_start_with_another_number_of_features_is_refused(keep: str) -> None:
    estimator = FIT.fitted(keep=keep, warm_start=True)
    with refused(estimator, "3 features", "2", "warm_start=False", error=InputError):
        estimator.fit(X[:, :2], Y)


@pytest.mark.parametrize("keep", KEEPS)
def test_a_warm_start_with_other_classes_is_refused(keep: str) -> None:
    estimator = FIT.fitted(keep=keep, warm_start=True)
    with refused(estimator, "classes", "yes", "warm_start=False", error=InputError):
        estimator.fit(X[1:], WORDS[1:])


# --- Validation rows ----------------------------------------------------------------------------


@new_and_fitted
@parametrize_cases(
    "validation, says",
    {
        "no_labels": ({"X_val": X}, ("X_val", "y_val", "together")),
        "no_rows": ({"y_val": Y}, ("X_val", "y_val", "together")),
        "width": ({"X_val": X[:, :2], "y_val": Y}, ("2 features", "3 features")),
        "label": ({"X_val": X, "y_val": changed(Y, 4, 7)}, ("7", "row 4", "two classes")),
        "text": ({"X_val": X, "y_val": WORDS}, ("row 0", "two classes")),
        "nan": ({"X_val": rows_with(np.nan), "y_val": Y}, ("NaN",)),
        "nan_label": ({"X_val": X, "y_val": changed(Y * 1.0, 3, np.nan)}, ("NaN",)),
        "length": ({"X_val": X, "y_val": Y[:5]}, (f"{N} rows", "5 labels")),
        "empty": ({"X_val": X[:0], "y_val": Y[:0]}, ("0 sample(s)",)),
    },
)
def test_bad_validation_rows_are_refused(
    fitted: bool, validation: dict[str, Any], says: tuple[str, ...]
) -> None:
    estimator = FIT.fitted() if fitted else FIT.new()
    with refused(estimator, *says):
        estimator.fit(X, Y, **validation)


@parametrize_cases(
    "validation, name",
    {
        "width": ({"X_val": X[:, :2], "y_val": Y}, "X_val"),
        "nan": ({"X_val": rows_with(np.nan), "y_val": Y}, "X_val"),
        "label": ({"X_val": X, "y_val": changed(Y, 4, 7)}, "y_val"),
        "nan_label": ({"X_val": X, "y_val": changed(Y * 1.0, 3, np.nan)}, "y_val"),
        "length": ({"X_val": X, "y_val": Y[:5]}, "y_val"),
    },
)
def test_a_message_about_validation_rows_names_them(validation: dict[str, Any], name: str) -> None:
    """X and y are in order here: to name those would send the user to the wrong place."""
    with refused(estimator := Perceptron(), name, error=ValueError):
        estimator.fit(X, Y, **validation)


# --- The classes of partial_fit -----------------------------------------------------------------


def test_a_first_partial_fit_with_one_class_says_to_give_the_classes() -> None:
    estimator = Perceptron()
    with refused(estimator, "one class only", "classes=", error=InputError):
        estimator.partial_fit(X, np.ones(N, dtype=int))
    estimator.partial_fit(X, np.ones(N, dtype=int), classes=[0, 1])
    assert estimator.classes_.tolist() == [0, 1]


@parametrize_cases(
    "classes, says",
    {
        "three": (
            [0, 1, 2],
            ("Only binary classification is supported", "OneVsRestClassifier(Perceptron())"),
        ),
        "one": ([1], ("classes=", "one class only", "two")),
        "one_twice": ([1, 1], ("classes=", "one class only", "two")),
        "others": ([0, 2], ("1", "two classes")),
    },
)
def test_bad_classes_are_refused_by_a_first_partial_fit(
    classes: Any, says: tuple[str, ...]
) -> None:
    estimator = Perceptron()
    with refused(estimator, *says, error=InputError):
        estimator.partial_fit(X, Y, classes=classes)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("way", [FIT, PARTIAL_FIT], ids=["after_fit", "after_partial_fit"])
@pytest.mark.parametrize("classes", [[0, 2], ["no", "yes"]])
def test_other_classes_are_refused_by_a_later_partial_fit(
    keep: str, way: Way, classes: list[Any]
) -> None:
    trained = way.fitted(keep=keep)
    with refused(trained, "classes=", "first call", error=InputError):
        trained.partial_fit(X, Y, classes=classes)
    trained.partial_fit(X, Y, classes=[1, 0])  # the same ones in another order


# --- Numbers too large --------------------------------------------------------------------------

HUGE = np.array([[1e308, 1e308], [1e308, 1.7e308]] * 6)  # weights overflow in the sixth update
HUGE_Y = [1, 0] * 6
SCALE = ("weights", "too large", "scale")


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
@new_and_fitted
@may_not_separate
def test_weights_that_overflow_are_an_error_with_the_advice_to_scale(
    order: str, keep: str, fitted: bool
) -> None:
    estimator = Perceptron(order=order, keep=keep, random_state=0)
    if fitted:
        estimator.fit(X[:, :2], Y)
    with refused(estimator, *SCALE, error=WeightsOverflow):
        estimator.fit(HUGE, HUGE_Y)


@pytest.mark.parametrize("keep", KEEPS)
@new_and_fitted
def test_weights_that_overflow_in_partial_fit_are_an_error_with_the_advice_to_scale(
    keep: str, fitted: bool
) -> None:
    estimator = Perceptron(keep=keep)
    if fitted:
        estimator.partial_fit(X[:, :2], Y)
    with refused(estimator, *SCALE, error=WeightsOverflow):
        estimator.partial_fit(HUGE, HUGE_Y)


@pytest.mark.parametrize("keep", ["last", "best", "average", "vote"])
def test_weights_that_overflow_are_an_error_where_max_updates_cuts_the_epoch_short(
    keep: str,
) -> None:
    estimator = Perceptron(order="cyclic", keep=keep, max_updates=7)
    with refused(estimator, *SCALE, error=WeightsOverflow):
        estimator.fit(HUGE, HUGE_Y)


@pytest.mark.parametrize("order", ["cyclic", "batch"])
@pytest.mark.parametrize("keep", ["best", "average"])
def test_an_average_is_never_returned_with_weights_that_are_not_finite(
    order: str, keep: str
) -> None:
    """The last weights are finite here; the sums for the average may not be."""
    rows, labels = np.array([[1.0]] * 6 + [[1e308]]), [1] * 6 + [0]
    estimator = Perceptron(order=order, keep=keep, patience=None, max_iter=20)
    try:
        estimator.fit(rows, labels)
    except WeightsOverflow:
        assert not hasattr(estimator, "classes_")
    else:
        assert np.isfinite(estimator.coef_).all()


def test_weights_that_overflow_only_in_the_units_of_eta0_are_an_error() -> None:
    estimator = Perceptron(eta0=1e300, random_state=0)
    with refused(estimator, error=WeightsOverflow):
        estimator.fit(X * 1e10, Y)


def test_our_errors_are_those_that_scikit_learn_users_expect() -> None:
    with pytest.raises(RosenblattError):
        Perceptron(order="sorted").fit(X, Y)
    assert issubclass(InputError, ValueError)
    assert issubclass(WeightsOverflow, OverflowError)
