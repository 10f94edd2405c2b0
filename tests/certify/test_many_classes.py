"""Certificates of many classes: against rational programs on the materialised lift, and by hand."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine

import rational
from degenerate import KINDS, dense, extreme, instance, one_decimal, scaled
from raising import raises
from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import certify, minimum_errors
from rosenblatt._certify import check, wide
from rosenblatt._certify.lifted_rows import LiftedRows
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget
from rosenblatt.certificate import Certificate, ClassPair
from rosenblatt.errors import InputError, VerificationError

# --- The oracle -----------------------------------------------------------------------------------


def table(kind, number):
    """Rows of a degenerate kind, with three to five classes."""
    rng = np.random.default_rng([7, KINDS.index(kind), number])
    X, _, intercept = instance(kind, number)
    k = int(rng.integers(3, 6))
    most = 5 if kind in (extreme, scaled) else 9  # the oracle takes long where numbers are long
    X = X[np.resize(np.arange(X.shape[0]), max(k, min(X.shape[0], most)))]
    n, d = X.shape
    with np.errstate(all="ignore"):
        scores = np.nan_to_num(dense(X) @ rng.integers(-2, 3, (d, k)) + rng.integers(-1, 2, k))
    chance = rng.random(n) < rng.choice([0.0, 0.0, 0.15, 1.0])
    y = np.where(chance, rng.integers(0, k, n), scores.argmax(axis=1))
    if len(set(y.tolist())) < 3:
        y[rng.permutation(n)[:3]] = [0, 1, 2]
    return X, np.unique(y, return_inverse=True)[1], intercept


def expected(X, y, intercept, exact=Fraction):
    """The verdict and the lifted rows that can be strict."""
    rows, names = rational.lift(dense(X).tolist(), y.tolist(), y.max() + 1, intercept, exact)
    strict = rational.strict_rows(rows)
    return rational.verdict(strict, len(rows)), [names[i] for i in sorted(strict)]


def found(certificate, y):
    """The same from a certificate."""
    k = len(certificate.classes)
    if certificate.verdict == QUASI:
        numbers = certificate.to_dict()["separated"]
        assert all(number // k % k == y[number // k**2] for number in numbers)
        return QUASI, [(number // k**2, number % k) for number in numbers]
    every = [(i, c) for i in range(len(y)) for c in range(k) if c != y[i]]
    return certificate.verdict, every if certificate.verdict == COMPLETE else []


@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_are_those_of_a_rational_program_on_the_lift(kind, heavy):
    for number in range(heavy(160)):
        X, y, intercept = table(kind, number)
        certificate = certify(X, y, fit_intercept=intercept)
        certificate.verify(X, y)
        assert found(certificate, y) == expected(X, y, intercept), (number, X, y, intercept)


def test_decimals_are_meant_where_it_is_said(heavy):
    for number in range(heavy(100)):
        X, y, intercept = table(one_decimal, number)
        certificate = certify(X, y, fit_intercept=intercept, numbers="decimal")
        certificate.verify(X, y)
        assert found(certificate, y) == expected(X, y, intercept, rational.decimal)


def test_margins_are_the_distance_of_the_hull_of_the_lift(heavy):
    for number in range(heavy(400)):
        rng = np.random.default_rng([11, number])
        X, y = rng.integers(-3, 4, (3, 2)).astype(float), np.arange(3)
        intercept = bool(number % 2)
        certificate = certify(X, y, fit_intercept=intercept)
        margin = certificate.homogeneous_margin
        if certificate.verdict != COMPLETE:
            assert margin is None
            continue
        rows, _ = rational.lift(X.tolist(), y.tolist(), 3, intercept)
        best2 = rational.least_distance2(rows)
        assert margin.exact
        assert Fraction(margin.lo) ** 2 <= best2 <= Fraction(margin.hi) ** 2
        radius2 = max(rational.dot(row, row) for row in rows) / 2
        assert certificate.mistake_bound == 2 * radius2 // best2


# --- By hand --------------------------------------------------------------------------------------


def test_a_class_between_two_others():
    """No line has b on one side, but the scores -2x, 0 and 2x - 4, shifted, are highest in turn."""
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    certificate = certify(X, y, pairs=True)
    assert certificate.verdict == COMPLETE
    assert certify(X, [label == "b" for label in y]).verdict != COMPLETE
    scores = np.array(X) @ certificate.separator.coef.T + certificate.separator.intercept
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]
    assert np.allclose(certificate.separator.coef.sum(axis=0), 0)
    pairs = certificate.pair_certificates
    assert [*pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.geometric_margin.lo for pair in pairs.values()] == [0.5, 1.0, 0.5]
    assert str(pairs).splitlines()[2].split() == ["a", "|", "c", "2", *COMPLETE.split(), "1"]


def test_a_class_apart_from_two_that_are_mixed():
    """b lies between the rows of a; with equal weights for both, x - 3.5 has c apart."""
    X, y = [[0.0], [1.0], [2.0], [5.0]], ["a", "b", "a", "c"]
    certificate = certify(X, y)
    assert certificate.verdict == QUASI
    assert certificate.class_pairs == [
        ClassPair("a", "b", 3, 0),
        ClassPair("a", "c", 3, 3),
        ClassPair("b", "c", 2, 2),
    ]
    assert certificate.separated_rows.tolist() == [3]  # the only one that beats every other class
    conflict = certificate.conflict
    assert conflict.rows == [0, 1, 2]
    assert conflict.weights == [1, 2, 1]  # 1 is half-way between 0 and 2
    assert (conflict.labels, conflict.rivals) == (["a", "b", "a"], ["b", "a", "b"])
    # A multiple of x - 3.5 or so: against c the coefficients of a and b are negative.
    assert certificate.class_coefficient_signs == {
        "a": {"x0": "-", "(intercept)": "+"},
        "b": {"x0": "-", "(intercept)": "+"},
    }
    assert certificate.coefficient_signs == {}
    text = str(certificate)
    assert (
        "\nTies in every row, in any joint rule with no comparison wrong: a and b.\nA rule for two"
        in text
    )
    assert "Told apart in every row: a and c; b and c." in text
    assert "row 1 (label b against a, 50.0%)" in text
    assert "<td>b</td><td>a</td><td>50.00%</td>" in certificate._repr_html_()


def test_every_label_in_every_place():
    X, y = [[0.0]] * 3 + [[1.0]] * 3, ["a", "b", "c"] * 2
    certificate = certify(X, y)
    assert certificate.verdict == OVERLAP
    assert certificate.conflict.rows == [0, 1]
    assert "rows 0 and 1 have the same values and different labels, a and b" in str(certificate)
    zero = certify([[0.0], [1.0], [2.0]], ["a", "b", "c"], fit_intercept=False)
    assert zero.conflict.rows == [0]
    assert "row 0 is all zeros" in str(zero)


def test_iris_wine_and_digits():
    iris, wine, digits = (load(return_X_y=True) for load in (load_iris, load_wine, load_digits))
    found = certify(*iris)
    assert found.verdict == QUASI  # setosa apart, versicolor and virginica not
    assert [(p.rows, p.separated) for p in found.class_pairs] == [(100, 100), (100, 100), (100, 0)]
    assert certify(*wine).verdict == COMPLETE
    many = certify(*digits)
    assert many.verdict == COMPLETE
    X, y = digits
    scores = X @ many.separator.coef.T + many.separator.intercept
    assert (scores.argmax(axis=1) == y).all()


# --- Updates of the joint perceptron --------------------------------------------------------------


def joint_updates(X, y, most):
    """How often the joint perceptron steps before a whole round is clean, in whole numbers."""
    X = [[int(v) for v in x] + [1] for x in X]
    k, updates = max(y) + 1, 0
    W = [[0] * len(X[0]) for _ in range(k)]
    clean = False
    while not clean and updates <= most:
        clean = True
        for x, own in zip(X, y, strict=True):
            scores = [rational.dot(w, x) for w in W]
            rival = max((c for c in range(k) if c != own), key=lambda c: (scores[c], -c))
            if scores[own] <= scores[rival]:
                W[own] = [a + b for a, b in zip(W[own], x, strict=True)]
                W[rival] = [a - b for a, b in zip(W[rival], x, strict=True)]
                updates, clean = updates + 1, False
    return updates


def test_the_joint_perceptron_keeps_the_bound(heavy):
    for number in range(heavy(200)):
        rng = np.random.default_rng([13, number])
        X = rng.integers(-5, 6, (8, 3))
        y = np.unique((X @ rng.integers(-3, 4, (3, 4))).argmax(axis=1), return_inverse=True)[1]
        certificate = certify(X.astype(float), y)
        if y.max() < 2 or not certificate.separable or certificate.mistake_bound > 10**5:
            continue
        assert joint_updates(X.tolist(), y.tolist(), 10**5) <= certificate.mistake_bound


# --- Other ways to give the same ------------------------------------------------------------------


def test_sparse_rows_give_the_same_certificate(heavy):
    for number in range(heavy(60)):
        X, y, intercept = table(KINDS[number % len(KINDS)], number)
        one, two = (
            certify(rows, y, fit_intercept=intercept)
            for rows in (dense(X), sparse.csr_matrix(dense(X)))
        )
        assert one.verdict == two.verdict
        assert one.sha256 == two.sha256
        two.verify(dense(X), y)


def test_rows_of_weight_zero_are_left_out_and_rows_keep_their_numbers():
    X, y = load_iris(return_X_y=True)
    weight = np.ones(150)
    weight[[3, 60, 140]] = 0
    certificate = certify(X, y, sample_weight=weight, pairs=True)
    certificate.verify(X, y)
    assert certificate.n_rows == 147
    assert [(p.rows, p.separated) for p in certificate.class_pairs] == [(98, 98), (98, 98), (98, 0)]
    assert not set(certificate.conflict.rows) & {3, 60, 140}
    last = certificate.pair_certificates["1", "2"]
    last.verify(X, y)
    assert min(last.conflict.rows) >= 50
    with pytest.raises(VerificationError):
        certificate.verify(X, (y + 1) % 3)


def test_many_dimensions_are_left_to_the_joint_perceptron():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    with mock.patch.object(wide, "_MOST_DIMENSIONS", 100):
        certificate = certify(X, y)
        assert certificate.verdict == COMPLETE
        exact = certify(X[:, 20:40], y, work_limit=10**6)
    certificate.verify(X, y)
    assert exact.verdict == UNDECIDED
    best = certify(X, y).homogeneous_margin
    margin = certificate.homogeneous_margin
    assert best.lo / 3 <= margin.lo <= best.hi <= margin.hi


def test_more_classes_than_a_byte_can_count():
    """Each class is one point of a parabola, and so a corner of the hull of all."""
    X, y = np.array([[c, c**2] for c in range(-65, 65)], dtype=float), np.arange(130)
    with mock.patch.object(wide, "_MOST_DIMENSIONS", 0):
        certificate = certify(X, y, work_limit=10**6)
    certificate.verify(X, y)
    with pytest.raises(VerificationError):
        certificate.verify(X, np.roll(y, 1))


def test_a_loaded_certificate_claims_the_same(tmp_path):
    X, y = load_iris(return_X_y=True)
    certificate = certify(X, y)
    certificate.save(tmp_path / "certificate.json")
    loaded = Certificate.load(tmp_path / "certificate.json")
    assert loaded == certificate
    assert loaded.class_pairs == certificate.class_pairs
    loaded.verify(X, y)
    with mock.patch.object(check, "_SMALL", 0):
        loaded.verify(X, y)


def test_what_is_for_two_classes_says_so():
    X, y = load_iris(return_X_y=True)
    with raises(InputError):
        minimum_errors(X, y)


def test_no_rows_have_no_scores():
    """Where one prime has decided about all rows of a part, none is left for the next."""
    points = Rows(
        np.eye(3), np.ones(3, dtype=np.int8), intercept=True, decimal=False, budget=Budget()
    )
    lifted = LiftedRows.of(points, np.array([0, 1, 2]), 3)
    normals = np.ones((8, 5), dtype=np.int64)
    assert lifted.times(normals, np.arange(6), 7).shape == (6, 5)
    assert lifted.times(normals, np.arange(0), 7).shape == (0, 5)
