"""Labels, arrays and sparse matrices of every kind: the same bits, unchanged, uncopied."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from common import may_not_converge, may_not_separate
from containers import ESTIMATORS, WEIGHT, X, Y, every_estimator, same_bits, same_rule, strided
from rosenblatt import Perceptron
from rosenblatt._validation.rows import checked_rows

# --- Labels ---------------------------------------------------------------------------------------


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


# --- Arrays ---------------------------------------------------------------------------------------


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


# --- Sparse matrices ------------------------------------------------------------------------------


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


@pytest.mark.parametrize("matrix", SPARSE.values(), ids=SPARSE)
@may_not_converge
@may_not_separate
def test_a_sparse_matrix_gives_the_same_bits_as_the_array(matrix: Callable[[], Any]) -> None:
    for estimator in ESTIMATORS.values():
        _same_bits_as_the_array(estimator, matrix())


def _same_bits_as_the_array(estimator: Any, rows: Any) -> None:
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


# --- What the caller owns -------------------------------------------------------------------------


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


# --- No copies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_contiguous_array_is_taken_as_it_is(dtype: Any) -> None:
    rows = X.astype(dtype)
    assert np.shares_memory(checked_rows(Perceptron(), rows, reset=True), rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_a_sorted_csr_matrix_is_taken_as_it_is(dtype: Any, index: Any, kind: Any) -> None:
    rows = csr(kind, index, dtype)
    taken = checked_rows(Perceptron(), rows, reset=True)
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
