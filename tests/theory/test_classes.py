"""Kesler's construction: what holds for two classes holds for many."""

import numpy as np
from scipy import sparse

import rational
from raising import raises
from rosenblatt import certify, theory
from rosenblatt.errors import InputError


def tables(count):
    for number in range(count):
        rng = np.random.default_rng([17, number])
        n, d, k = int(rng.integers(3, 9)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
        X = rng.integers(-3, 4, (n, d)).astype(float)
        y = np.unique(rng.integers(0, k, n), return_inverse=True)[1]
        if y.max() > 0:
            yield X, y


def test_it_is_every_row_against_each_class_but_its_own(heavy):
    for X, y in tables(heavy(400)):
        rows, _ = rational.lift(X.tolist(), y.tolist(), y.max() + 1, intercept=True)
        found = theory.kesler_lift(theory.lift(X), y)
        assert found.tolist() == [[float(v) for v in row] for row in rows]
        thin = theory.kesler_lift(theory.lift(sparse.csr_matrix(X)), y)
        assert sparse.issparse(thin)
        assert (thin.toarray() == found).all()


def test_the_bound_is_that_of_the_certificate(heavy):
    bounds = set()
    for X, y in tables(heavy(400)):
        certificate = certify(X, y)
        if certificate.separable and certificate.many:
            W = np.column_stack([certificate.separator.coef, certificate.separator.intercept])
            Z = theory.kesler_lift(theory.lift(X), y)
            bound = int(theory.mistake_bound(Z, np.ones(len(Z)), W.ravel()))
            # of W rounded to floats: the exact one promises no more, and hardly less
            assert certificate.mistake_bound <= bound <= certificate.mistake_bound + 1
            bounds.add(bound)
    assert bounds


def test_one_class_has_no_rival():
    with raises(InputError):
        theory.kesler_lift([[1.0], [2.0]], ["b", "b"])


def test_a_lift_that_would_not_fit_is_refused():
    with raises(InputError):
        theory.kesler_lift(np.zeros((1000, 100)), np.arange(1000))
