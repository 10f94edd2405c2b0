"""Bad rows get one clear error, and the estimator is as it was before."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from common import KEEPS
from refusing import (
    FIT,
    PARTIAL_FIT,
    RANDOM_FIT,
    WORDS,
    N,
    Way,
    X,
    Y,
    changed,
    every_way,
    new_and_fitted,
    parametrize_cases,
    refused,
)
from rosenblatt import Perceptron
from rosenblatt.errors import InputError

# --- Tools ----------------------------------------------------------------------------------------


def rows_with(value: Any, dtype: Any = float) -> Any:
    """The rows, with this value in row 2, column 1."""
    changed = X.astype(dtype)
    changed[2, 1] = value
    return changed


def broken_csr(**arrays: Callable[[Any], Any]) -> Any:
    """The rows as a CSR matrix, with arrays overwritten after scipy has checked them."""
    matrix = sparse.csr_matrix(X)
    for name, change in arrays.items():
        setattr(matrix, name, change(getattr(matrix, name)))
    return matrix


# --- Rows -----------------------------------------------------------------------------------------


BAD_ROWS: dict[str, Any] = {
    "nan": rows_with(np.nan),
    "inf": rows_with(np.inf),
    "minus_inf": rows_with(-np.inf),
    "float32_nan": rows_with(np.nan, np.float32),
    "float32_inf": rows_with(np.inf, np.float32),
    "list_inf": rows_with(np.inf).tolist(),
    "csr_nan": sparse.csr_matrix(rows_with(np.nan)),
    "csr_inf": sparse.csr_matrix(rows_with(np.inf)),
    "csc_inf": sparse.csc_matrix(rows_with(np.inf)),
    "objects_nan": rows_with(np.nan, object),
    "objects_inf": rows_with(np.inf, object),
    "private": X[:0],
    "no_columns": X[:, :0],
    "one_dimension": X[:, 0],
    "one_dimension_sparse": sparse.csr_array(X[:, 0]),
    "three_dimensions": X[None],
    "text": rows_with("abc", object),
    "text_like_a_number": rows_with("1.5", object),
    "none": rows_with(None, object),
    "dict_in_a_cell": rows_with({"a": 1}, object),
    "text_array": X.astype(str),
    "text_list": X.astype(str).tolist(),
    "bytes_array": X.astype(bytes),
    "dict": {"a": [1.0]},
    "pandas_text_column": pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(c="red"),
    "pandas_text_like_numbers": pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(c="1.5"),
    "polars_text_column": pl.DataFrame(X[:, :2], schema=["a", "b"]).with_columns(c=pl.lit("red")),
    "complex": X + 1j,
    "complex_list": (X + 1j).tolist(),
    "pandas_complex": pd.DataFrame(X + 1j),
    "csr_complex": sparse.csr_array(X + 1j),
    "polars_lazy": pl.LazyFrame(X),
    "csr_index_too_large": broken_csr(indices=lambda i: changed(i, 5, 3)),
    "csr_index_far_too_large": broken_csr(indices=lambda i: changed(i, 5, 2**31 - 1)),
    "csr_index_negative": broken_csr(indices=lambda i: changed(i, 5, -1)),
    "csr_indptr_falls": broken_csr(indptr=lambda p: changed(p, 3, 50)),
    "csr_indptr_negative": broken_csr(indptr=lambda p: changed(p, 3, -1)),
    "csr_indptr_starts_late": broken_csr(indptr=lambda p: changed(p, 0, 1)),
    "csr_indptr_too_short": broken_csr(indptr=lambda p: p[:-1]),
    "csr_indptr_too_far": broken_csr(indptr=lambda p: changed(p, -1, 500)),
    "csr_too_few_values": broken_csr(data=lambda v: v[:-1]),
    "csr_too_few_indices": broken_csr(indices=lambda i: i[:-1]),
}


@every_way
@new_and_fitted
@parametrize_cases("bad", BAD_ROWS)
def test_bad_rows_are_refused_in_training(way: Way, fitted: bool, bad: Any) -> None:
    estimator = way.fitted() if fitted else way.new()
    with refused(estimator, told=way is FIT and not fitted):
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
@parametrize_cases("bad", BAD_ROWS)
def test_bad_rows_are_refused_in_prediction(
    way: Way, parameters: dict[str, Any], method: str, bad: Any
) -> None:
    trained = way.fitted(**parameters)
    scores = trained.decision_function(X)
    with refused(trained):
        getattr(trained, method)(bad)
    np.testing.assert_array_equal(trained.decision_function(X), scores)


@pytest.mark.parametrize("bad", [key for key in BAD_ROWS if "complex" in key or "lazy" in key])
def test_a_message_is_one_line_without_the_numbers(bad: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - whichever of ours
        Perceptron().fit(BAD_ROWS[bad], Y)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, InputError)


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
    with refused(rule):
        rule.predict(as_stored(rows))


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_matrix])
def test_another_number_of_features_is_refused_in_prediction(
    method: str, keep: str, width: int, as_stored: Any
) -> None:
    trained = FIT.fitted(keep=keep)
    with refused(trained):
        getattr(trained, method)(as_stored(np.ones((2, width))))


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("as_stored", [np.asarray, sparse.csr_matrix])
def test_another_number_of_features_is_refused_by_a_later_partial_fit(
    keep: str, as_stored: Any
) -> None:
    trained = PARTIAL_FIT.fitted(keep=keep)
    with refused(trained):
        trained.partial_fit(as_stored(X[:, :2]), Y)


def test_another_number_of_features_is_refused_by_partial_fit_after_fit() -> None:
    trained = FIT.fitted()
    with refused(trained):
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


# --- Validation rows ------------------------------------------------------------------------------


@new_and_fitted
@parametrize_cases(
    "validation",
    {
        "no_labels": {"X_val": X},
        "private": {"y_val": Y},
        "width": {"X_val": X[:, :2], "y_val": Y},
        "label": {"X_val": X, "y_val": changed(Y, 4, 7)},
        "text": {"X_val": X, "y_val": WORDS},
        "nan": {"X_val": rows_with(np.nan), "y_val": Y},
        "nan_label": {"X_val": X, "y_val": changed(Y * 1.0, 3, np.nan)},
        "length": {"X_val": X, "y_val": Y[:5]},
        "empty": {"X_val": X[:0], "y_val": Y[:0]},
    },
)
def test_bad_validation_rows_are_refused(fitted: bool, validation: dict[str, Any]) -> None:
    estimator = FIT.fitted() if fitted else FIT.new()
    with refused(estimator, told=not fitted):
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
