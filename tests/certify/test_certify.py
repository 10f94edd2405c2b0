"""Certificates of separation: against exact oracles, by hand, and from the literature.

`rational.py` holds the oracles. Each certificate is also handed to the independent verifier.
"""

import csv
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import rational
import rosenblatt
from degenerate import KINDS, dense, gaussian, instance, labelled
from raising import raises, warns
from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import Perceptron, certify
from rosenblatt._certify import check
from rosenblatt.errors import InputError

CREDIT = Path(rosenblatt.__file__).parent / "datasets" / "credit_card.csv"


def certified(X, y, **choices):
    """A certificate that the verifier has accepted."""
    certificate = certify(X, y, **choices)
    certificate.verify(X, y)
    return certificate


def signs_of(certificate, y):
    """The signs of labels y; of a single class the certificate says on which side it counts it."""
    first, second = certificate.to_dict()["labels"]
    return [1 if str(v) == second else -1 for v in np.asarray(y).tolist()], (first, second)


def found(certificate):
    """All that the oracles have an answer for."""
    signs = certificate.coefficient_signs
    return (
        certificate.verdict,
        None if certificate.separated_rows is None else list(certificate.separated_rows),
        list(signs.values()),
    )


def expected(X, signs, intercept=True, exact=Fraction):
    """The same from the oracle."""
    rows = rational.lifted(dense(X).tolist(), signs, intercept, exact)
    strict = rational.strict_rows(rows)
    verdict, left_out = rational.verdict(strict, len(rows)), rational.collinear(rows, intercept)
    one_class = len(set(signs)) == 1
    if verdict == QUASI or (verdict == COMPLETE and not one_class):
        kinds = rational.sign_sets_without(rows, left_out)
    else:  # overlap: 0 alone separates rows, unless columns are collinear; one class: not asked
        rank = len(rational.echelon(rows)[1])
        known = verdict == OVERLAP and rank + len(left_out) == len(rows[0])
        kinds = ["0" if known else "?"] * len(rows[0])
    kinds = ["collinear" if j in left_out else kind for j, kind in enumerate(kinds)]
    return verdict, sorted(strict), kinds


# --- Against the oracle ---------------------------------------------------------------------------


def test_the_oracles_agree_with_each_other(heavy):
    for kind in KINDS:
        for k in range(heavy(200)):
            X, y, intercept = instance(kind, k)
            X, y = dense(X)[:8].tolist(), y[:8].tolist()
            rows = rational.lifted(X, y, intercept)
            strict, signs = rational.by_rays(rows)
            assert rational.strict_rows(rows) == strict, (X, y, intercept)
            assert rational.sign_sets(rows) == signs, (X, y, intercept)
            if intercept and len(X[0]) <= 2:
                points = [[*map(Fraction, x), Fraction(0)][:2] for x in X]
                one = [p for p, sign in zip(points, y, strict=True) if sign > 0]
                two = [p for p, sign in zip(points, y, strict=True) if sign < 0]
                separable = rational.separable_in_the_plane(one, two)
                assert separable == (len(strict) == len(X)), (X, y)


@pytest.mark.parametrize("numbers", ["float", "decimal"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_certificate_says_what_the_oracle_says(kind, numbers, heavy):
    # 13,000 in all: 1,000 of each kind, one in five of them in decimals.
    exact, count = (Fraction, 800) if numbers == "float" else (rational.decimal, 200)
    seen = set()
    for k in range(heavy(count)):
        X, y, intercept = instance(kind, k)
        certificate = certify(X, y, fit_intercept=intercept, numbers=numbers)
        signs, _ = signs_of(certificate, y)
        answer = expected(X, signs, intercept, exact)
        story = f"{kind.__name__} {k}: X={dense(X).tolist()}, y={y.tolist()}, {intercept=}"
        assert found(certificate) == answer, story
        assert certificate.separable is (answer[0] == COMPLETE), story
        for small in (
            check._SMALL,
            0,
        ):  # by the verifier itself, and vectorised as for large tables
            with mock.patch.object(check, "_SMALL", small):
                try:
                    certificate.verify(X, y)
                except rosenblatt.errors.RosenblattError as error:
                    pytest.fail(f"{error}\n{story}")
        seen.add(answer[0])
    assert seen == {COMPLETE, QUASI, OVERLAP} or kind is gaussian or numbers == "decimal"


# --- The rows that decide -------------------------------------------------------------------------

CROSS = [[0.9, 0.5, 1.4], [0.5, 0.1, 0.6], [0.7, 0.1, 0.8], [0.7, 0.4, 1.1]]  # x2 = x0 + x1


def test_decimals_and_binary_numbers_are_different_data():
    # On paper the third column is the sum of the others, so that the segments of the two classes
    # cross at (0.7, 0.3): 3 (0.9, 0.5) + 3 (0.5, 0.1) = 2 (0.7, 0.1) + 4 (0.7, 0.4). Stored in
    # binary, x0 + x1 - x2 is 2^-54 or so, above 0 in one class and below 0 in the other.
    y = [1, 1, -1, -1]
    off = [Fraction(a) + Fraction(b) - Fraction(c) for a, b, c in CROSS]
    assert min(off[:2]) > 0 > max(off[2:])
    binary, written = (certified(CROSS, y, numbers=s) for s in ("float", "decimal"))
    assert found(binary) == expected(CROSS, y)
    assert found(binary)[:2] == (COMPLETE, [0, 1, 2, 3])
    assert found(written) == expected(CROSS, y, exact=rational.decimal)
    assert found(written)[:2] == (OVERLAP, [])
    assert (binary.numbers, written.numbers) == ("float", "decimal")
    weights = dict(zip(written.conflict.rows, written.conflict.weights, strict=True))
    assert weights == {0: 3, 1: 3, 2: 2, 3: 4}
    assert list(written.conflict.meeting_point.values()) == pytest.approx([0.7, 0.3, 1.0])


def test_two_equal_rows_with_different_labels_are_the_whole_conflict():
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[40] = X[7]
    y = (X[:, 0] > 0).astype(int)
    y[40] = 1 - y[7]
    certificate = certified(X, y)
    assert certificate.separable is False
    assert sorted(certificate.conflict.rows) == [7, 40]
    assert certificate.conflict.weights == [1, 1]
    assert all(type(v) is int for v in certificate.conflict.weights)
    assert sorted(certificate.conflict.labels) == ["0", "1"]
    assert list(certificate.conflict.meeting_point.values()) == X[7].tolist()


def test_two_equal_rows_are_the_conflict_where_all_others_can_be_separated():
    certificate = certified([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert certificate.verdict == QUASI
    assert sorted(certificate.conflict.rows) == [1, 2]
    assert certificate.conflict.weights == [1, 1]


def test_a_point_on_the_boundary_is_not_separated():
    # w x + b with w >= 0 and w + b = 0 is all there is: rows 1 and 2 are always on the boundary.
    certificate = certified([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert certificate.verdict == QUASI
    assert certificate.separable is False
    assert list(certificate.separated_rows) == [0, 3]
    name = certificate.feature_names[0]
    assert certificate.coefficient_signs == {name: "+", "(intercept)": "-"}
    w, b = certificate.separator.coef, certificate.separator.intercept
    assert w.shape == (1,)
    assert w[0] > 0
    assert b == -w[0]
    (revealing,) = certificate.revealing_columns
    assert (revealing.column, revealing.sign, revealing.threshold) == (name, 1, 1.0)
    assert revealing.rows == 2


def test_quasi_complete_separation_has_no_margin_and_no_mistake_bound():
    certificate = certified([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert certificate.homogeneous_margin is None
    assert certificate.geometric_margin is None
    assert certificate.mistake_bound is None
    assert certificate.best_possible_mistake_bound is None


def test_overlap_has_no_separator_and_no_margin():
    certificate = certified([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert certificate.verdict == OVERLAP
    assert certificate.separator is None
    assert certificate.homogeneous_margin is None
    assert certificate.mistake_bound is None
    assert list(certificate.separated_rows) == []
    assert certificate.coefficient_signs == {"x0": "0", "(intercept)": "0"}
    assert certificate.revealing_columns == []
    # 2·1 = 0 + 2: the outer rows together meet the inner one twice.
    weights = dict(zip(certificate.conflict.rows, certificate.conflict.weights, strict=True))
    assert weights == {0: 1, 1: 2, 2: 1}
    assert list(certificate.conflict.meeting_point.values()) == [1.0]


def test_a_zero_row_is_a_point_like_any_other_with_an_intercept():
    certificate = certified([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    assert certificate.verdict == COMPLETE


def test_a_zero_row_is_a_conflict_by_itself_through_the_origin():
    X, y = [[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0]], [0, 1, 0]
    certificate = certified(X, y, fit_intercept=False)
    assert certificate.verdict == QUASI
    assert list(certificate.separated_rows) == [1, 2]
    assert certificate.conflict.rows == [0]
    assert certificate.conflict.weights == [1]
    assert "(intercept)" not in certificate.coefficient_signs


def test_only_zero_rows_through_the_origin_overlap():
    certificate = certified(np.zeros((3, 2)), [0, 1, 0], fit_intercept=False)
    assert certificate.verdict == OVERLAP
    assert list(certificate.separated_rows) == []


def test_one_class_alone_is_separated_and_has_no_geometric_margin():
    # The hyperplane can be as far away as one likes.
    certificate = certified([[0.0], [1.0], [2.0]], ["a", "a", "a"])
    assert certificate.verdict == COMPLETE
    assert certificate.geometric_margin is None
    assert certificate.classes == ["a"]
    # w = 0, b = ±1 is at 1 from the nearest lifted row (0, 1); R² = 2² + 1.
    assert certificate.homogeneous_margin.lo == certificate.homogeneous_margin.hi == 1.0
    assert certificate.mistake_bound == 5


def test_one_class_through_the_origin_may_well_overlap():
    certificate = certified([[1.0], [-1.0]], ["a", "a"], fit_intercept=False)
    assert certificate.verdict == OVERLAP
    certificate = certified([[1.0], [2.0]], ["a", "a"], fit_intercept=False)
    assert certificate.verdict == COMPLETE
    assert certificate.geometric_margin.lo == certificate.geometric_margin.hi == 1.0


@pytest.mark.parametrize("intercept", [True, False])
def test_one_row_is_separated(intercept):
    certificate = certified([[3.0, 4.0]], [1], fit_intercept=intercept)
    assert certificate.verdict == COMPLETE
    assert certificate.homogeneous_margin.lo <= math.sqrt(25 + intercept)
    assert certificate.homogeneous_margin.hi >= math.sqrt(25 + intercept)
    assert certificate.mistake_bound == 1


def test_a_constant_column_changes_nothing():
    X, y = np.array([[0.0, 5.0], [1.0, 5.0], [1.0, 5.0], [2.0, 5.0]]), [0, 0, 1, 1]
    certificate = certified(X, y)
    assert found(certificate)[:2] == (QUASI, [0, 3])
    # What the constant column takes the intercept can give back: one of them is left out.
    assert list(certificate.coefficient_signs.values()) == ["+", "collinear", "-"]
    assert "x1 is 5 in every row, so it carries no information." in str(certificate)
    assert certified(X, [0, 1, 0, 1]).verdict == found(certified(X[:, :1], [0, 1, 0, 1]))[0]


def test_a_column_of_zeros_leaves_its_coefficient_free():
    certificate = certified([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [0, 0, 1, 1])
    assert list(certificate.coefficient_signs.values()) == ["+", "collinear", "-"]


def test_a_coefficient_that_must_be_zero_is_named():
    # The second column overlaps wherever the first has the two classes meet.
    X, y = [[0, 0], [1, 0], [1, 1], [1, 2], [2, 0]], [0, 0, 1, 0, 1]
    certificate = certified(X, y)
    assert found(certificate) == expected(X, [-1, -1, 1, -1, 1]) == (QUASI, [0, 4], ["+", "0", "-"])


def test_fewer_rows_than_features_are_separated(rng):
    X = rng.normal(size=(6, 20))
    assert certified(X, [0, 1, 1, 0, 1, 0]).verdict == COMPLETE
    X[5] = X[4]
    certificate = certified(X, [0, 1, 1, 0, 1, 0])
    assert found(certificate)[:2] == (QUASI, [0, 1, 2, 3])


def test_rank_deficient_rows_overlap_in_their_own_span(rng):
    X = rng.integers(-3, 4, (40, 2)) @ rng.integers(-2, 3, (2, 5)) * 1.0
    y = rng.integers(0, 2, 40)
    certificate = certified(X, y)
    assert found(certificate) == expected(X, 2 * y - 1)
    assert found(certificate)[:2] == (OVERLAP, [])
    assert len(certificate.conflict.rows) <= 4  # Carathéodory: rank 3, and one more


# --- Numbers at the ends of their range -----------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1e308, 1e308], [-1e308, 1e308], [1e308, -1e308], [-1e308, -1e308]], [1, 1, 0, 0]),
        ([[1e308, 1e308], [-1e308, 1e308], [1e308, -1e308], [-1e308, -1e308]], [1, 0, 0, 1]),
        ([[1.7e308] * 4, [-1.7e308] * 4], [1, 0]),  # longer than the largest number
        ([[5e-324], [0.0]], [1, 0]),
        ([[5e-324], [-5e-324], [0.0]], [1, 1, 0]),
        ([[5e-324, 0.0], [0.0, 5e-324], [5e-324, 5e-324]], [1, 0, 0]),
        ([[1e16], [1e16 + 2], [1e16 + 4]], [0, 1, 1]),
        ([[1e16], [1e16 + 2], [1e16 + 4]], [0, 1, 0]),
        ([[1e16, 1.0], [1e16 + 2, 1.0], [1e16, -1.0]], [0, 1, 1]),
        ([[1e-300], [1.0], [1e300], [-1e300], [-1e-300]], [1, 1, 1, 0, 0]),
        ([[1e-300], [1.0], [1e300], [-1e300], [-1e-300]], [1, 1, 0, 1, 0]),
        ([[1e-300, 1e300], [1e300, 1e-300], [1.0, 1.0], [1e-300, 1e-300]], [1, 1, 0, 0]),
        ([[1e-300, 1e300], [1e300, 1e-300], [1.0, 1.0], [1e-300, 1e-300]], [1, 0, 1, 0]),
        ([[1e308, 5e-324], [-1e308, 5e-324], [1e308, 0.0], [-1e308, 0.0]], [1, 1, 0, 0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("numbers", ["float", "decimal"])
@pytest.mark.parametrize("intercept", [True, False])
def test_huge_and_tiny_numbers_are_numbers(X, y, intercept, numbers):
    exact = rational.decimal if numbers == "decimal" else Fraction
    certificate = certified(X, y, fit_intercept=intercept, numbers=numbers)
    signs, _ = signs_of(certificate, y)
    assert found(certificate) == expected(X, signs, intercept, exact)
    if certificate.verdict == COMPLETE:
        for margin in (certificate.homogeneous_margin, certificate.geometric_margin):
            assert 0 <= margin.lo <= margin.hi


def test_a_mistake_bound_of_six_thousand_digits_is_a_number_like_any_other():
    # The rows ask for w_0 > 0 and w_(j+1) > 10^623 w_j five times, so that R²/γ² > 10^6000. Python
    # itself refuses to print whole numbers of more than 4300 digits.
    X = np.zeros((11, 6))
    for j in range(6):
        X[2 * j, j] = 1e300
    for j in range(5):
        X[2 * j + 1, j], X[2 * j + 1, j + 1] = 1e300, -5e-324
    y = [1, 0] * 5 + [1]
    certificate = certified(X, y, fit_intercept=False)
    signs, _ = signs_of(certificate, y)
    assert found(certificate) == expected(X, signs, False)
    assert certificate.mistake_bound > 10**6000
    assert COMPLETE in str(certificate).lower()


def test_single_precision_rows_mean_the_numbers_they_hold(rng):
    X = rng.normal(size=(30, 3)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    single, double = certified(X, y), certified(X.astype(np.float64), y)
    assert single.verdict == double.verdict == COMPLETE
    assert single.sha256 == double.sha256


# --- Weights, labels, names -----------------------------------------------------------------------


def test_a_row_of_weight_zero_does_not_exist():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [1, 0, 0, 1]
    assert certified(X, y).verdict == OVERLAP
    certificate = certified(X, y, sample_weight=[0, 1, 1, 1])
    assert certificate.verdict == COMPLETE
    assert list(certificate.separated_rows) == [1, 2, 3]
    assert certificate.geometric_margin.lo == certificate.geometric_margin.hi == 0.5
    certificate = certified(X, y, sample_weight=[1, 0, 1, 1])
    assert certificate.verdict == OVERLAP
    assert sorted(certificate.conflict.rows) == [0, 2, 3]  # numbered as they were given


def test_a_row_of_weight_zero_may_have_a_third_label_and_no_other_may():
    X = [[0.0], [1.0], [2.0]]
    certificate = certified(X, ["?", "a", "b"], sample_weight=[0, 1, 1])
    assert certificate.verdict == COMPLETE
    assert certificate.classes == ["a", "b"]


def test_other_weights_do_not_matter(rng):
    X = rng.normal(size=(20, 3))
    y = X[:, 0] > 0
    weighted, plain = certify(X, y, sample_weight=rng.random(20) + 0.1), certify(X, y)
    assert weighted.to_dict() == plain.to_dict()


def test_classes_are_sorted_and_the_second_is_the_positive_side():
    certificate = certified([[0.0], [1.0]], ["yes", "no"])
    assert certificate.classes == ["no", "yes"]
    assert certificate.separator.coef[0] < 0
    w, b = certificate.separator.coef[0], certificate.separator.intercept
    assert b > 0 > w + b


def test_names_of_columns_are_kept():
    X = pd.DataFrame({"age": [0.0, 1.0, 1.0, 2.0], "size": [3.0, 3.0, 3.0, 3.0]})
    certificate = certified(X, [0, 0, 1, 1])
    assert certificate.feature_names == ["age", "size"]
    assert list(certificate.coefficient_signs) == ["age", "size", "(intercept)"]
    assert list(certificate.conflict.meeting_point) == ["age", "size"]
    assert [part.column for part in certificate.revealing_columns] == ["age"]


def test_a_certificate_says_what_it_is_about():
    certificate = certified([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], [0, 1, 1])
    assert (certificate.n_rows, certificate.n_features) == (3, 2)
    assert len(certificate.feature_names) == 2
    assert certificate.fit_intercept is True
    assert certificate.numbers == "float"
    assert certificate.classes == ["0", "1"]  # as text, like all that is saved
    assert len(certificate.sha256) == 64
    assert COMPLETE in str(certificate).lower()
    assert COMPLETE in certificate._repr_html_().lower()


@pytest.mark.parametrize("y", [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]])
def test_a_saved_certificate_loads_as_it_was(y, tmp_path):
    X = [[0.0], [1.0], [1.0], [2.0]]
    certificate = certified(X, y)
    certificate.save(tmp_path / "certificate.json")
    loaded = type(certificate).load(tmp_path / "certificate.json")
    loaded.verify(X, y)
    assert loaded.to_dict() == certificate.to_dict()
    assert found(loaded) == found(certificate)
    assert loaded.mistake_bound == certificate.mistake_bound
    said, again = (str(c).split("\n") for c in (certificate, loaded))
    counts = [k for k, line in enumerate(said) if line.startswith("x0 ")]  # of rows: not saved
    assert all(again[k].startswith("x0 ") for k in counts)
    for k in reversed(counts):
        del said[k], again[k]
    assert again == said


# --- Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "choices"),
    [
        ([[math.nan], [1.0]], [0, 1], {}),
        ([[math.inf], [1.0]], [0, 1], {}),
        (np.zeros((10**4, 1)), np.arange(10**4), {}),
        ([[0.0], [1.0], [2.0]], [0, 1, 2], {"pairs": "all"}),
        (np.empty((0, 2)), [], {}),
        (np.empty((2, 0)), [0, 1], {}),
        ([[0.0], [1.0]], [0, 1, 1], {}),
        ([[0.0], [1.0]], None, {}),
        ([["a"], ["b"]], [0, 1], {}),
        ([[0.0], [1.0]], [0, math.nan], {}),
        ([[0.0], [1.0]], [0, 1], {"numbers": "octal"}),
        ([[0.0], [1.0]], [0, 1], {"time_limit": 0}),
        ([[0.0], [1.0]], [0, 1], {"time_limit": -1.0}),
        ([[0.0], [1.0]], [0, 1], {"time_limit": math.nan}),
        ([[0.0], [1.0]], [0, 1], {"time_limit": "1"}),
        ([[0.0], [1.0]], [0, 1], {"work_limit": 0}),
        ([[0.0], [1.0]], [0, 1], {"work_limit": -3}),
        ([[0.0], [1.0]], [0, 1], {"work_limit": "1"}),
        ([[0.0], [1.0]], [0, 1], {"fit_intercept": "yes"}),
        ([[0.0], [1.0]], [0, 1], {"sample_weight": [1, -1]}),
        ([[0.0], [1.0]], [0, 1], {"sample_weight": [1]}),
        ([[0.0], [1.0]], [0, 1], {"sample_weight": [0, 0]}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_gets_one_clear_error(X, y, choices):
    with raises(ValueError) as caught:
        certify(X, y, **choices)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.parametrize(
    "table",
    [np.array, np.ndarray.tolist, pd.DataFrame, sparse.csr_matrix],
    ids=lambda f: f.__name__,
)
def test_whole_numbers_that_would_be_rounded_are_refused(table):
    # 2^53 + 1 has no floating-point number: the proof would be about 2^53, which has both labels.
    X = np.array([[2**53], [2**53 + 1]])
    with raises(ValueError):
        certify(table(X), [0, 1])
    assert certified(table(X - 1), [0, 1]).verdict == COMPLETE


def test_everything_after_y_has_to_be_named():
    with pytest.raises(TypeError):
        certify([[0.0], [1.0]], [0, 1], True)


# --- The same data, the same certificate ----------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_same_data_give_the_same_certificate(kind):
    for k in range(5):
        X, y, intercept = instance(kind, 1000 + k)
        one, two = (certify(X, y, fit_intercept=intercept) for _ in range(2))
        assert one.to_dict() == two.to_dict()
        if k % 2 == 0:
            n, d = X.shape  # every number stored, zeros as well, and those with a minus
            stored = (
                np.where(X == 0, -0.0, X).ravel(),
                np.tile(np.arange(d), n),
                d * np.arange(n + 1),
            )
            stored = sparse.csr_matrix(stored, shape=(n, d))
            other = certify(stored, y, fit_intercept=intercept)
            assert other.sha256 == one.sha256
            assert found(other) == found(one)
            other.verify(X, y)
            one.verify(stored, y)


SEEDS = st.integers(0, 10**6)


def integers(seed):
    """Small whole numbers with labels of two classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (int(rng.integers(2, 11)), int(rng.integers(1, 4))))
    y = labelled(rng, X.astype(float))
    assume(len(set(y.tolist())) == 2)
    return rng, X, y


@given(seed=SEEDS, intercept=st.booleans())
def test_an_invertible_map_of_the_columns_changes_nothing(seed, intercept):
    rng, X, y = integers(seed)
    d = X.shape[1]
    M = rng.integers(-3, 4, (d, d))
    assume(len(rational.kernel([[Fraction(int(v)) for v in row] for row in M], d)) == 0)
    one, two = (certified(A * 1.0, y, fit_intercept=intercept) for A in (X, X @ M))
    assert found(one)[:2] == found(two)[:2]


@given(seed=SEEDS, shift=st.integers(-1000, 1000))
def test_a_shift_of_the_columns_changes_nothing_with_an_intercept(seed, shift):
    _, X, y = integers(seed)
    assert found(certified(X * 1.0, y))[:2] == found(certified(X * 1.0 + shift, y))[:2]


@given(seed=SEEDS, intercept=st.booleans(), scales=st.lists(st.sampled_from([0, 1, 2, 3, 4])))
@example(seed=12158, intercept=True, scales=[0, 3])  # a column that is constant, and huge
def test_the_unit_of_a_column_changes_nothing(seed, intercept, scales):
    # Whole numbers times 10^8 and times 2^-27 or 2^900 are exact; times 10^-8 they are in decimals.
    _, X, y = integers(seed)
    units = [1.0, 1e8, 2.0**-27, 2.0**900, 2.0**-1000]
    factors = [units[k] for k in scales][: X.shape[1]]
    factors += [1.0] * (X.shape[1] - len(factors))
    one = certified(X * 1.0, y, fit_intercept=intercept)
    assert found(one) == found(certified(X * factors, y, fit_intercept=intercept))
    powers = [8 * (k % 3 - 1) for k in scales][: X.shape[1]] + [0] * X.shape[1]
    written = [[float(f"{v}e{p}") for v, p in zip(x, powers, strict=False)] for x in X.tolist()]
    other = certified(written, y, fit_intercept=intercept, numbers="decimal")
    assert found(one) == found(other)


@given(seed=SEEDS, intercept=st.booleans())
def test_the_order_of_the_rows_changes_nothing(seed, intercept):
    rng, X, y = integers(seed)
    p = rng.permutation(len(y))
    one, two = (certified(A * 1.0, b, fit_intercept=intercept) for A, b in ((X, y), (X[p], y[p])))
    assert one.verdict == two.verdict
    assert sorted(p[list(two.separated_rows)]) == list(one.separated_rows)
    assert one.coefficient_signs == two.coefficient_signs
    assert one.mistake_bound == two.mistake_bound
    if one.verdict == COMPLETE:
        assert one.homogeneous_margin.lo == two.homogeneous_margin.lo


@given(seed=SEEDS, intercept=st.booleans())
def test_swapping_the_classes_turns_the_separator_round(seed, intercept):
    _, X, y = integers(seed)
    one, two = (certified(X * 1.0, b, fit_intercept=intercept) for b in (y, -y))
    assert found(one)[:2] == found(two)[:2]
    if one.verdict == QUASI:
        turned = {"+": "-", "-": "+"}
        signs = [turned.get(sign, sign) for sign in two.coefficient_signs.values()]
        assert list(one.coefficient_signs.values()) == signs


# --- Known answers --------------------------------------------------------------------------------


def test_the_ucla_faq_on_complete_separation():
    # UCLA OARC, FAQ "What is complete or quasi-complete separation": first table, X1.
    X = [[1.0], [2.0], [3.0], [3.0], [5.0], [6.0], [10.0], [11.0]]
    certificate = certified(X, [0, 0, 0, 0, 1, 1, 1, 1])
    assert certificate.verdict == COMPLETE
    assert certificate.geometric_margin.lo == certificate.geometric_margin.hi == 1.0  # 3 | 5
    (revealing,) = certificate.revealing_columns
    assert (revealing.sign, revealing.rows) == (1, 8)
    assert 3 < revealing.threshold < 5


def test_the_ucla_faq_on_quasi_complete_separation():
    # Its second table: X1 = 3 occurs with both outcomes, and nothing else does.
    X = np.array([[1.0, 2, 3, 3, 3, 4, 5, 6, 10, 11]]).T
    certificate = certified(X, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    assert certificate.verdict == QUASI
    assert list(certificate.separated_rows) == [0, 1, 5, 6, 7, 8, 9]
    (revealing,) = certificate.revealing_columns
    assert (revealing.sign, revealing.threshold, revealing.rows) == (1, 3.0, 7)


def test_iris():
    X, y = load_iris(return_X_y=True)
    setosa = certified(X, y == 0)
    assert setosa.verdict == COMPLETE
    assert setosa.homogeneous_margin.lo == pytest.approx(0.749117, abs=5e-7)
    assert setosa.homogeneous_margin.hi == pytest.approx(0.749117, abs=5e-7)
    assert setosa.geometric_margin.lo == pytest.approx(0.817556, abs=5e-7)
    assert setosa.geometric_margin.hi == pytest.approx(0.817556, abs=5e-7)
    assert certified(X[50:], y[50:]).verdict == OVERLAP


@pytest.mark.parametrize("cultivar", [0, 1, 2])
def test_each_wine_is_separated_from_the_others(cultivar):
    X, y = load_wine(return_X_y=True)
    assert certified(X, y == cultivar).verdict == COMPLETE


def test_breast_cancer_is_separable_by_a_hair():
    X, y = load_breast_cancer(return_X_y=True)
    certificate = certified(X, y)
    assert certificate.verdict == COMPLETE
    margin = certificate.homogeneous_margin
    assert margin.exact is True
    assert margin.lo == pytest.approx(4.13707301087158e-05, rel=1e-12)
    assert margin.hi == pytest.approx(4.13707301087158e-05, rel=1e-12)
    w, b = certificate.separator.coef, certificate.separator.intercept
    assert ((X @ w + b > 0) == y).all()


def credit(*left_out):
    """Greene's table of credit card applications: names, rows, answers."""
    with open(CREDIT, newline="") as file:
        table = list(csv.DictReader(file))
    names = [name for name in table[0] if name != "card" and name not in left_out]
    word = {"yes": 1.0, "no": 0.0}
    rows = [[word.get(record[name]) for name in names] for record in table]
    rows = [
        [float(record[name]) if v is None else v for name, v in zip(names, row, strict=True)]
        for record, row in zip(table, rows, strict=True)
    ]
    return pd.DataFrame(rows, columns=names), [record["card"] for record in table]


def test_who_spends_with_a_card_has_a_card():
    certificate = certified(*credit())
    assert certificate.verdict == QUASI
    assert len(certificate.separated_rows) == 1002
    assert "expenditure" in [part.column for part in certificate.revealing_columns]
    assert certificate.coefficient_signs["expenditure"] in ("+", "±")


def test_without_what_was_spent_the_applications_overlap():
    certificate = certified(*credit("share", "expenditure"))
    assert certificate.verdict == OVERLAP
    assert certificate.revealing_columns == []


# --- Margins and bounds ---------------------------------------------------------------------------


def encloses(margin, square):
    """lo <= the root of the square <= hi, and they are neighbours where they are proved equal."""
    inside = Fraction(margin.lo) ** 2 <= square <= Fraction(margin.hi) ** 2
    return inside and (not margin.exact or margin.hi <= math.nextafter(margin.lo, math.inf))


def test_two_points_are_separated_half_way():
    certificate = certified([[0.0, 0.0], [2.0, 0.0]], [0, 1])
    assert certificate.geometric_margin.lo == certificate.geometric_margin.hi == 1.0
    assert certificate.geometric_margin.exact is True


def test_the_margin_of_a_number_with_many_digits_is_half_of_it():
    certificate = certified([[1.7], [0.0]], [1, 0])
    assert certificate.geometric_margin.lo == certificate.geometric_margin.hi == 0.85
    assert certificate.homogeneous_margin.exact is True


def test_li_hang_example_2_1():
    # The book's support vectors are (3, 3) and (1, 1), √8 apart: w = (1/2, 1/2), b = -2. Lifted,
    # the point of the segment from (3, 3, 1) to (-1, -1, -1) nearest to the origin is (1, 1, -4)/9,
    # of squared length 2/9; R² = 4² + 3² + 1 = 26; 26/(2/9) = 117.
    X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
    certificate = certified(X, y)
    assert encloses(certificate.geometric_margin, 2)
    assert encloses(certificate.homogeneous_margin, Fraction(2, 9))
    assert certificate.homogeneous_margin.exact is True
    assert certificate.mistake_bound == certificate.best_possible_mistake_bound == 117
    assert Perceptron(order="cyclic", keep="last").fit(X, y).n_updates_ == 7


def separable_points(seed, n, d):
    """Whole numbers in d dimensions, labelled by a hyperplane."""
    rng = np.random.default_rng(seed)
    X, w = rng.integers(-6, 7, (n, d)), rng.integers(-4, 5, d)
    score = X @ w + rng.integers(-3, 4)
    X, y = X[score != 0], np.sign(score[score != 0])
    assume(len(set(y.tolist())) == 2)
    return X.astype(float), y.astype(int)


def fractions(X):
    return [[Fraction(v) for v in x] for x in X.tolist()]


@given(seed=SEEDS)
def test_the_geometric_margin_is_half_the_distance_of_the_hulls(seed):
    X, y = separable_points(seed, 12, 2)
    margin = certified(X, y).geometric_margin
    gap2 = rational.hull_distance2(fractions(X[y > 0]), fractions(X[y < 0]))
    assert margin.exact
    assert encloses(margin, gap2 / 4)


@given(seed=SEEDS, d=st.integers(1, 3), intercept=st.booleans())
def test_the_homogeneous_margin_is_the_distance_of_the_lifted_hull_from_the_origin(
    seed, d, intercept
):
    X, y = separable_points(seed, 9, d)
    certificate = certified(X, y, fit_intercept=intercept)
    assume(certificate.verdict == COMPLETE)
    rows = rational.lifted(X.tolist(), y, intercept)
    square = rational.least_distance2(rows)
    radius2 = max(rational.dot(a, a) for a in rows)
    assert certificate.homogeneous_margin.exact
    assert encloses(certificate.homogeneous_margin, square)
    assert certificate.mistake_bound == radius2 // square
    assert certificate.best_possible_mistake_bound == radius2 // square
    if not intercept:
        assert encloses(certificate.geometric_margin, square)


@given(seed=SEEDS, d=st.integers(1, 4), intercept=st.booleans())
def test_the_perceptron_never_needs_more_updates_than_the_bound(seed, d, intercept):
    X, y = separable_points(seed, 20, d)
    certificate = certified(X, y, fit_intercept=intercept)
    assume(certificate.verdict == COMPLETE)
    assert certificate.best_possible_mistake_bound <= certificate.mistake_bound
    until_clean = Perceptron(
        order="cyclic", keep="last", fit_intercept=intercept, patience=None, max_iter=10**6
    )
    p = until_clean.fit(X, y)
    assert p.converged_
    assert p.n_updates_ <= certificate.mistake_bound


@given(seed=SEEDS, d=st.integers(1, 4), intercept=st.booleans())
def test_the_separator_has_every_row_on_its_side_also_in_floating_point(seed, d, intercept):
    X, y = separable_points(seed, 20, d)
    certificate = certified(X, y, fit_intercept=intercept)
    assume(certificate.verdict == COMPLETE)
    assert certificate.separator.coef.shape == (d,)
    assert intercept or certificate.separator.intercept == 0.0
    assert (y * (X @ certificate.separator.coef + certificate.separator.intercept) > 0).all()


# --- Cover ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("D", "N"), [(5, 10), (5, 8), (3, 8), (2, 3), (4, 12)])
@pytest.mark.parametrize("intercept", [True, False])
def test_random_labels_are_separable_as_often_as_cover_counted(D, N, intercept, heavy):
    # T. Cover 1965: of the 2^N labellings of N rows in general position, 2 Σ_{k<D} C(N-1, k) are.
    share = 2.0 ** (1 - N) * sum(math.comb(N - 1, k) for k in range(D))
    count = heavy(2_000)
    rng = np.random.default_rng([D, N, intercept])
    separable = 0
    for _ in range(count):
        X, y = rng.normal(size=(N, D - intercept)), rng.choice([-1, 1], N)
        certificate = certify(X, y, fit_intercept=intercept)
        assert certificate.verdict in (COMPLETE, OVERLAP)  # in general position never in between
        separable += certificate.separable
    assert abs(separable - share * count) <= 4 * math.sqrt(count * share * (1 - share))


# --- Limits ---------------------------------------------------------------------------------------


def clouds(n=200, d=5):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


def test_who_may_not_work_does_not_guess():
    certificate = certified(*clouds(), work_limit=1)
    assert certificate.verdict == UNDECIDED
    assert certificate.separable is None
    assert certificate.separator is None
    assert certificate.conflict is None
    assert certificate.separated_rows is None
    assert set(certificate.coefficient_signs.values()) == {"?"}
    assert certificate.homogeneous_margin is None
    assert certificate.mistake_bound is None
    assert UNDECIDED in str(certificate).lower()


@pytest.mark.parametrize("case", ["overlap", "complete", "quasi"])
def test_whatever_the_limit_a_certificate_is_true_and_always_the_same(case):
    X, y = clouds()
    if case != "overlap":
        y = (X[:, 0] > 0).astype(int)
    if case == "quasi":
        X[:2] = [0.0, 1.0, 2.0, 3.0, 4.0]
        y[:2] = 0, 1
    truth = certified(X, y)
    assert truth.verdict == {"overlap": OVERLAP, "complete": COMPLETE, "quasi": QUASI}[case]
    for limit in [1, 3, 10, 100, 1000, 10**4, 10**5, 10**6, 10**7]:
        one, two = (certified(X, y, work_limit=limit) for _ in range(2))
        assert one.to_dict() == two.to_dict()
        assert one.verdict in (UNDECIDED, truth.verdict)
        if one.verdict == UNDECIDED:
            assert one.separable in (None, truth.separable)
            assert one.separated_rows is None
            assert set(one.coefficient_signs.values()) == {"?"}
        elif one.coefficient_signs != truth.coefficient_signs:
            assert one.limits  # the verdict was reached, the signs were cut short
            assert found(one)[:2] == found(truth)[:2]
        else:
            assert found(one) == found(truth)
    assert certify(X, y, work_limit=10**12).to_dict() == truth.to_dict()


def test_a_time_limit_that_does_not_strike_changes_nothing():
    X, y = clouds()
    assert certify(X, y, time_limit=600.0).to_dict() == certify(X, y).to_dict()


def test_a_time_limit_that_strikes_at_once_leaves_a_true_certificate():
    certificate = certified(*clouds(), time_limit=1e-9)
    assert certificate.verdict in (UNDECIDED, OVERLAP)


# --- Words ----------------------------------------------------------------------------------------


def test_large_offsets_do_not_spoil_the_margin():
    # By hand: the nearest rows are 70 apart, so the geometric margin is 35; lifted, the distance of
    # the origin from the line through -(p, 1) and (q, 1) is (q - p) / ‖(q + p, 2)‖.
    p, q = 10**7 + 31, 10**7 + 101
    certificate = certify([[p], [q], [q + 100]], [0, 1, 1])
    assert certificate.geometric_margin.lo == certificate.geometric_margin.hi == 35
    assert certificate.homogeneous_margin.exact
    expected = (q - p) / math.hypot(q + p, 2)
    assert certificate.homogeneous_margin.lo == pytest.approx(expected, rel=1e-12)


def test_labels_are_written_as_they_were_given():
    for y in (
        pd.Series([True, False, True], dtype="boolean"),
        pd.Series(pd.Categorical([True, False, True])),
        np.array([True, False, True]),
    ):
        assert certify([[1.0], [2.0], [0.5]], y).classes == ["False", "True"]
    assert certify([[1.0], [2.0]], pd.Series([2, 1], dtype="Int64")).classes == ["1", "2"]


def test_where_it_is_not_a_number_is_said():
    frame = pd.DataFrame({"age": [1.0, 2.0], "income": [3.0, np.nan]})
    for table in (frame, sparse.csr_matrix(frame.to_numpy())):
        with raises(ValueError, row=1, column=1):
            certify(table, [0, 1])


def test_words_of_each_verdict_say_what_follows():
    says = {
        COMPLETE: "A perceptron converges. A logistic regression has no finite maximum likelihood",
        QUASI: "A perceptron does not converge. A logistic regression has no finite maximum like",
        OVERLAP: "A logistic regression has a finite estimate. A perceptron does not converge.",
    }
    for y, verdict in (([0, 0, 1, 1], COMPLETE), ([0, 1, 0, 1], OVERLAP)):
        certificate = certify([[1], [2], [3], [4]], y)
        assert certificate.verdict == verdict
        assert says[verdict] in str(certificate)
        if verdict == COMPLETE:
            assert "rosenblatt.separation.firth" in str(certificate)
    quasi = certify([[1], [2], [2], [3]], [0, 0, 1, 1], sample_weight=[1, 1, 1, 2])
    assert quasi.verdict == QUASI
    assert says[QUASI] in str(quasi)
    assert 'rows 1 and 2 have the same values and different labels, "0" and "1"' in str(quasi)
    left_out = certify([[1], [2], [3]], [0, 1, 0], sample_weight=[1, 1, 0])
    assert left_out.n_dropped == 1
    assert "Left out: one row of weight 0." in str(left_out)


def test_a_hostile_column_name_is_shown_as_text():
    name = "<script>alert(1)</script>"
    X = pd.DataFrame({name: [1.0, 2.0, 2.0, 3.0], "b": [0.0, 1.0, 1.0, 5.0]})
    page = certify(X, ["<b>", "<b>", "<i>", "<i>"])._repr_html_()
    assert "<script>" not in page
    assert "<i>" not in page
    assert "&lt;script&gt;" in page


# --- What once misled it --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[2147483647.0], [-2147483647.0], [2147483647.0]], [0, 1, 1]),
        ([[1, -1], [2.0**31, -1], [1, 1], [2.0**31, 0]], [1, 0, 0, 1]),
        ([[1, 2.0**30], [1, 2.0**-31], [2.0**30, 0], [2.0**-31, 0]], [1, 0, 1, 1]),
        ([[1.0, 1.0], [1.0, 2.0**61], [0.0, 0.0], [3.0, 2.0**61]], [1, 0, 1, 1]),
        ([[1873402121.0], [-1873402121.0], [1873402121.0]], [0, 1, 1]),
    ],
)
@pytest.mark.parametrize("intercept", [True, False])
def test_numbers_near_the_primes_and_powers_of_two(X, y, intercept):
    certificate = certify(X, y, fit_intercept=intercept)
    rows = rational.lifted(X, [1 if v else -1 for v in y], intercept)
    assert certificate.verdict == rational.verdict(rational.strict_rows(rows), len(rows))


def test_many_rows_at_a_margin_below_rounding():
    rng = np.random.default_rng(0)
    n = 130
    X = np.column_stack([1e15 + np.arange(n) % 2 * 0.5, rng.integers(0, 2, (n, 10))])
    certificate = certify(X, np.arange(n) % 2)
    assert certificate.verdict == COMPLETE
    assert certificate.geometric_margin.lo == pytest.approx(0.25)  # half of the gap, by hand
    limited = certify([[1e16]] * 200 + [[1e16 + 2]] * 200, [0] * 200 + [1] * 200, work_limit=2100)
    assert limited.verdict == COMPLETE


def test_it_decides_without_assertions_as_well():
    code = (
        "from rosenblatt import certify\n"
        "print(certify([[5e-324]], [1], fit_intercept=False).verdict)"
    )
    done = subprocess.run(
        [sys.executable, "-O", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == COMPLETE


def test_one_column_of_labels_is_a_target():
    assert certify([[1], [2], [3]], pd.DataFrame({"t": [0, 0, 1]})["t"]).verdict == COMPLETE
    with warns(UserWarning):
        assert certify([[1], [2], [3]], pd.DataFrame({"t": [0, 0, 1]})).classes == ["0", "1"]


@pytest.mark.parametrize("seed", range(20))
def test_training_first_comes_to_the_same_verdict_and_a_third_of_the_margin(seed):
    from rosenblatt.certificate import by_training_first

    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (int(rng.integers(4, 30)), int(rng.integers(1, 12)))).astype(float)
    y = X[:, 0] + rng.integers(0, 2) * rng.standard_normal(len(X)) > 0
    full, soon = certify(X, y), by_training_first(X, y, preprocessing=None, work_limit=10**9)
    assert soon.verdict == full.verdict
    assert soon.sha256 == full.sha256
    soon.verify(X, y)
    if full.separable and len(full.classes) == 2:
        exact, found = full.homogeneous_margin, soon.homogeneous_margin
        assert found.lo <= exact.hi
        assert exact.lo <= found.hi
        assert 3 * found.lo >= exact.lo or full.mistake_bound > 1000  # 200 epochs were enough


@pytest.mark.parametrize("y", [[True, 1, 0, 0], [1, True, False, 0], [0.0, False, 1.0, 1]])
def test_equal_labels_that_do_not_read_the_same_are_refused(y):
    # "True" in a file is not "1", so that its own verifier would reject the certificate.
    with raises(InputError):
        certify([[3.0], [4.0], [1.0], [0.0]], y)


@pytest.mark.parametrize("y", [[1, 1.0, 0, 0], [True, False, True, False], [np.int64(1), 1, 0, 0]])
def test_equal_labels_that_read_as_the_same_number_are_not(y):
    X = [[3.0], [4.0], [1.0], [0.0]]
    certify(X, y).verify(X, y)


def test_a_column_named_as_the_intercept_does_not_hide_its_sign():
    # x = 2 holds both classes; below it all are -1, above it all are +1: w > 0 and b = -2 w.
    X = pd.DataFrame({"(intercept)": [1.0, 2.0, 2.0, 3.0]})
    assert certify(X, [-1, -1, 1, 1]).coefficient_signs == {
        "(intercept)": "+",
        "((intercept))": "-",
    }


# --- Rows that are right by rounding -------------------------------------------------------------


def by_rounding():
    """Rows of both labels leave w = t (1, 1, -1). 0.1 + 0.2 - 0.3 is 2^-54 + 2^-55 + 2^-56 - … of
    floats, above 0, so that t > 0; and 0.1 + 0.2 - 0.25 is more than rounding."""
    tied = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
    X = [*tied, *tied, [0.1, 0.2, 0.3], [0.1, 0.2, 0.25]]
    return X, [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("stored", [np.array, sparse.csr_array])
def test_rows_that_only_the_last_bits_have_right_are_named(stored):
    X, y = by_rounding()
    assert sum(map(Fraction, X[4][:2])) > Fraction(X[4][2])
    found = certify(stored(X), y, fit_intercept=False)
    assert found.verdict == "quasi-complete separation"
    assert found.separated_rows.tolist() == [4, 5]
    assert found.last_bit_rows.tolist() == [4]
    assert certify(X, y, fit_intercept=False, numbers="decimal").last_bit_rows.tolist() == []
    exact = [[10 * v for v in row] for row in X[:4]] + [[1, 2, 2]]
    assert certify(exact, y[:5], fit_intercept=False).last_bit_rows.tolist() == []
