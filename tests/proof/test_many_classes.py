"""Certificates of many classes: against rational programs on the materialised lift, and by hand."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

import rational
from degenerate import KINDS, dense, instance
from rational import COMPLETE, OVERLAP, QUASI
from rosenblatt import certify


def lift(X, y, k, intercept, exact=Fraction):
    """Every row against each class but its own, with a block for every class, none left out."""
    rows, names = [], []
    for i, (x, own) in enumerate(zip(X, y, strict=True)):
        point = [exact(float(v)) for v in x] + [Fraction(1)] * intercept
        for rival in (c for c in range(k) if c != own):
            signs = [(c == own) - (c == rival) for c in range(k)]
            rows.append([s * v for s in signs for v in point])
            names.append((i, rival))
    return rows, names


def table(kind, number):
    """Rows of a degenerate kind, with three to five classes that all occur."""
    rng = np.random.default_rng([7, KINDS.index(kind), number])
    X, _, intercept = instance(kind, number)
    k = int(rng.integers(3, 6))
    X = X[np.resize(np.arange(X.shape[0]), max(k, min(X.shape[0], 9)))]
    n, d = X.shape
    chance = rng.integers(0, k, n)
    with np.errstate(all="ignore"):
        scores = np.nan_to_num(dense(X) @ rng.integers(-2, 3, (d, k)) + rng.integers(-1, 2, k))
    y = np.where(rng.random(n) < rng.choice([0.0, 0.0, 0.15, 1.0]), chance, scores.argmax(axis=1))
    y[rng.permutation(n)[:k]] = np.arange(k) if rng.random() < 0.3 else y[:k]
    _, y = np.unique(y, return_inverse=True)
    return X, y, intercept


def expected(X, y, intercept, exact=Fraction):
    """The verdict and the lifted rows that can be strict, from the oracle."""
    rows, names = lift(dense(X).tolist(), y.tolist(), y.max() + 1, intercept, exact)
    strict = rational.strict_rows(rows)
    return rational.verdict(strict, len(rows)), [names[i] for i in sorted(strict)]


def found(certificate, y):
    document = certificate.to_dict()
    everything = [(i, c) for i in range(len(y)) for c in range(y.max() + 1) if c != y[i]]
    strict = {COMPLETE: everything, OVERLAP: []}
    names = strict.get(certificate.verdict) or document.get("separated", [])
    return certificate.verdict, [tuple(name) for name in names]


@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_are_those_of_a_rational_program_on_the_lift(kind, heavy):
    for number in range(heavy(160)):
        X, y, intercept = table(kind, number)
        if y.max() < 2:
            continue
        certificate = certify(X, y, fit_intercept=intercept)
        certificate.verify(X, y)
        assert found(certificate, y) == expected(X, y, intercept), (number, X, y, intercept)
