"""Rows that single columns have strictly right, taken out until no column does: as by hand, on
arrays and CSR matrices; and weights that prove it."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from rosenblatt._certify.one_sided import one_sided
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget


def rows_of(X, y, intercept=True):
    y = np.asarray(y, dtype=np.int8)
    return Rows(X, y, intercept=intercept, decimal=False, budget=Budget())


def by_hand(A):
    """Rounds of columns that have one sign in all rows left, looked at one by one."""
    alive, rounds = np.ones(len(A), dtype=bool), []
    while True:
        left = A[alive]
        one = [j for j, c in enumerate(left.T) if (c > 0).any() != (c < 0).any()]
        if not one:
            return alive, rounds
        hit = alive & (A[:, one] != 0).any(axis=1)
        rounds.append((one, np.flatnonzero(hit).tolist()))
        alive &= ~hit


def test_words_of_one_class_and_then_words_of_their_neighbours():
    X = [[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1], [0, 0, 1]]  # +, +, -, -, +
    found = one_sided(rows_of(np.array(X, dtype=float), [1, 1, -1, -1, 1]))
    # The first column is in positive rows alone; without these the second is in a negative one.
    assert [part.columns.tolist() for part in found.rounds] == [[0], [1]]
    assert [part.signs.tolist() for part in found.rounds] == [[1], [-1]]
    assert np.flatnonzero(found.alive).tolist() == [3, 4]  # which contradict each other


@pytest.mark.parametrize("seed", range(3))
def test_as_by_hand_with_weights_that_prove_it(seed, heavy):
    rng = np.random.default_rng(seed)
    for _ in range(heavy(2000)):
        n, d = rng.integers(1, 30), rng.integers(1, 15)
        X = rng.integers(-1, 3, (n, d)) * (rng.random((n, d)) < rng.choice([0.1, 0.2, 0.4])) * 1.0
        X = np.abs(X) if rng.random() < 0.5 else X
        y, intercept = np.where(rng.random(n) < 0.5, 1, -1), bool(rng.random() < 0.7)
        A = (np.c_[X, np.ones(n)] if intercept else X) * y[:, None]
        alive, rounds = by_hand(A)
        for table in (X, X.astype(np.float32), sparse.csr_matrix(X)):
            rows = rows_of(table, y, intercept)
            found = one_sided(rows)
            assert (found.alive == alive).all()
            assert [(p.columns.tolist(), p.rows.tolist()) for p in found.rounds] == rounds
            core = [Fraction(int(v), 3) for v in rng.integers(-9, 10, rows.D)]
            for part in found.rounds:
                for j in part.columns:
                    core[j] = Fraction(0)
            signs = np.sign(A @ np.array(found.separator(rows, core), dtype=float))
            assert (signs[~alive] == 1).all()
            exact = [sum(Fraction(v) * c for v, c in zip(a, core, strict=True)) for a in A[alive]]
            assert (rows.signs(found.separator(rows, core))[alive] == np.sign(exact)).all()
