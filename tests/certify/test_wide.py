"""Rows of many columns: training first, then one guess and its proof."""

import math

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import certify
from rosenblatt._certify import linear_algebra, simplex
from rosenblatt._certify import wide as many_columns
from rosenblatt._certify.check import data_of
from rosenblatt._certify.conditioning import Metric
from rosenblatt._certify.facial_reduction import completed
from rosenblatt._certify.linear_algebra import SPARE, Lifting
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget


@pytest.fixture
def wide(monkeypatch):
    """Twenty columns are many here, and the simplex, which would take too long, is not asked. Nor
    is anything shown up to chance."""
    monkeypatch.setattr(many_columns, "overlap", lambda *_: None)
    monkeypatch.setattr(many_columns, "_MOST_DIMENSIONS", 20)

    def too_long(*_):
        raise AssertionError("the simplex was asked")

    monkeypatch.setattr(simplex, "decide", too_long)
    monkeypatch.setattr("rosenblatt._certify.facial_reduction.decide", too_long)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_rows_of_many_columns_that_overlap_are_decided(wide, stored, intercept):
    # Six times as many rows as columns, any labels: Cover's theorem gives them no chance.
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(180, 30)), random.integers(0, 2, 180)
    found = certify(stored(rows), labels, fit_intercept=intercept, time_limit=600)
    assert found.verdict == "overlap"
    assert len(found.conflict.rows) == 30 + intercept + 1  # a corner: D + 1 rows
    found.verify(rows, labels)


@pytest.fixture
def untrained(monkeypatch):
    def train(*_):
        raise AssertionError("the perceptron was asked")

    monkeypatch.setattr(many_columns, "train", train)
    monkeypatch.setattr(many_columns, "_FEW_ROWS", 10)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n", [25, 40, 48])  # fewer rows than the forty columns, as many, and more
def test_few_rows_are_separated_by_least_squares(wide, untrained, monkeypatch, n, intercept):
    random = np.random.default_rng(0)
    rows = random.normal(size=(n, 40)).astype(np.float32) * 2.0 ** random.integers(-9, 9, 40) + 3
    labels = random.integers(0, 2, n)
    found = certify(rows, labels, fit_intercept=intercept)
    assert found.verdict == "complete separation"
    found.verify(rows, labels)
    assert found.limits
    monkeypatch.setattr(many_columns, "_MOST_DIMENSIONS", 2000)
    best = certify(rows, labels, fit_intercept=intercept, time_limit=60).homogeneous_margin
    assert best.hi - best.lo < 1e-9 * best.hi
    assert 0 < found.homogeneous_margin.lo <= best.hi
    assert found.homogeneous_margin.hi >= best.lo


def test_equal_rows_among_few_ones(untrained):
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(25, 40)), random.integers(0, 2, 25)
    rows[7], labels[7] = rows[3], labels[3]
    assert certify(rows, labels).verdict == "complete separation"
    labels[7] = 1 - labels[3]
    assert certify(rows, labels).verdict == "quasi-complete separation"


def test_beyond_what_can_be_solved_it_stays_open(wide, monkeypatch):
    monkeypatch.setattr(many_columns, "_MOST_SEARCHED", 25)
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(180, 30)), random.integers(0, 2, 180)
    found = certify(rows, labels, time_limit=600)
    assert found.verdict == "undecided"
    assert "epochs of the perceptron did not separate it" in found.limits[0]
    assert "time_limit" not in found.limits[0]


def test_what_takes_minutes_is_not_begun_unasked(wide):
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(180, 30)), random.integers(0, 2, 180)
    found = certify(rows, labels)
    assert found.verdict == "undecided"
    assert found.limits[0].endswith("with a time_limit of minutes one guess is tried")


def test_a_conflict_that_does_not_span_leaves_two_verdicts_open(wide):
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(60, 30)), np.arange(60) % 2
    rows[1] = rows[0]
    found = certify(rows, labels, time_limit=600)
    assert (found.verdict, found.separable) == ("undecided", False)
    assert "quasi-complete separation or overlap is open" in found.limits[0]
    assert sorted(found.conflict.rows) == [0, 1]


def test_the_row_that_a_blend_lacks_is_found():
    # (1, 0) + (-1, -10^-14) = (0, -10^-14): (0, 1) takes it to zero, and (0, -1) does not.
    rows = Rows(
        np.array([[1.0, 0.0], [-1.0, -1e-14], [0.0, -1.0], [0.0, 1.0]]),
        np.ones(4, dtype=np.int8),
        intercept=False,
        decimal=False,
        budget=Budget(),
    )
    sight = Metric(np.ones(2), np.zeros(2), 1.0)
    assert completed(rows, sight, [0, 1]) == [0, 1, 3]
    assert completed(rows, sight, [0, 1, 3]) == [0, 1, 3]  # nothing is missing


def test_no_more_digits_are_lifted_than_the_solution_takes(monkeypatch):
    counts, digits = [], Lifting.digits
    monkeypatch.setattr(
        Lifting, "digits", lambda self, count: counts.append(count) or digits(self, count)
    )
    random = np.random.default_rng(0)
    matrix = random.integers(-(2**53), 2**53, (60, 60)).tolist()
    right = random.integers(-(2**53), 2**53, 60).tolist()
    system = linear_algebra.System(matrix)
    x, below = system.solve(right, Budget())
    products = [sum(a * v for a, v in zip(row, x, strict=True)) for row in matrix]
    assert products == [below * v for v in right]
    bits = max(map(abs, x)).bit_length() + below.bit_length() + SPARE + 2 * 6
    assert sum(counts) <= bits / math.log2(system.prime) + 4


@pytest.mark.parametrize("intercept", [True, False])
def test_whole_multiples_of_many_rows_at_once(intercept):
    random = np.random.default_rng(0)
    X = np.ldexp(random.normal(size=(600, 100)), random.integers(-60, 60, (600, 100)))
    X[:, 3] = 0.0
    claim = certify(X, np.arange(600) % 2, fit_intercept=intercept).to_dict()
    y = np.where(np.arange(600) % 2, 1, -1).astype(np.int8)
    data = data_of(claim, X, y)
    bulk, plain = data.multiples([5, 77]), super(type(data), data).multiples([5, 77])
    assert [linear_algebra.reduce(row) for row in bulk] == [
        linear_algebra.reduce(row) for row in plain
    ]
