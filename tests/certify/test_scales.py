"""Numbers that differ by hundreds of powers of ten: decided soon, or undecided with what to type.

Work is counted in operations, so that nothing here looks at a clock.
"""

import re
from decimal import Context, localcontext
from fractions import Fraction

import numpy as np
import pytest

import rational
from raising import raises
from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import Perceptron, certify
from rosenblatt._certify import simplex
from rosenblatt._certify.facial_reduction import Quotient, along, merged
from rosenblatt._certify.rows import Rows
from rosenblatt._certify.simplex import Face, _NearestPoint, guess
from rosenblatt._util import budget as budgets
from rosenblatt._util.budget import Budget, LimitReached

LIMIT = r"numbers of \d+ bits was given up.*time_limit, in seconds, allows more"


def scaled(rng, n, d, power):
    """A table of units that have nothing to do with each other, by columns, by rows or by entries;
    labels of a hyperplane, of one with a row turned round, or any."""
    X = rng.normal(size=(n, d)) if rng.random() < 0.7 else rng.integers(-3, 4, (n, d)).astype(float)
    y = X @ rng.normal(size=d) > 0
    if rng.random() < 0.3:
        y = rng.integers(0, 2, n) > 0
    elif rng.random() < 0.4:
        y[0] = not y[0]
    shape = [(d,), (n, 1), (n, d)][rng.integers(0, 3)]
    X = X * 10.0 ** rng.uniform(-power, power, shape)
    return np.clip(X, -1e307, 1e307), y.astype(int), bool(rng.random() < 0.8)


def tables(seed, count, most):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, d = int(rng.integers(2, most[0] + 1)), int(rng.integers(1, most[1] + 1))
        yield scaled(rng, n, d, float(rng.choice([10, 30, 100, 140, 300])))


def test_small_tables_are_what_the_oracle_says(heavy):
    for X, y, intercept in tables(1, heavy(600), (10, 3)):
        certificate = certify(X, y, fit_intercept=intercept)
        certificate.verify(X, y)
        one = len(set(y.tolist())) == 1  # then the only class is the second one
        rows = rational.lifted(X, np.where((y > 0) | one, 1, -1), intercept)
        strict = rational.strict_rows(rows)
        assert certificate.verdict == rational.verdict(strict, len(y)), (X.tolist(), y, intercept)


def test_a_row_of_zeros_through_the_origin_gains_nothing():
    # In one dimension, with rows on both sides of 0 after the labels' signs: no w but 0.
    X = np.array([[-5e-119], [-1e7], [-1.5e19], [5e80], [0.0], [-2e139]])
    y = [0, 1, 0, 0, 1, 0]
    certificate = certify(X, y, fit_intercept=False)
    certificate.verify(X, y)
    assert certificate.verdict == OVERLAP


def test_larger_tables_are_decided_or_say_what_to_type(heavy):
    """2,000 of up to 100 x 20 in soak, else some of up to 50 x 12. The limit is in operations:
    five to six seconds of them."""
    count, open_ones = heavy(2_000), 0
    count, most = (count, (100, 20)) if count == 2_000 else (count // 5, (50, 12))
    for X, y, intercept in tables(2, count, most):
        certificate = certify(X, y, fit_intercept=intercept)
        certificate.verify(X, y)
        if certificate.verdict == UNDECIDED:
            open_ones += 1
            assert re.search(LIMIT, certificate.to_dict()["limits"][0])
    assert open_ones <= count // 50


def _refused(*_):
    pytest.fail("the guess was wrong")


def test_where_long_arithmetic_takes_too_long_it_is_told(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 10)) * 10.0 ** rng.uniform(-300, 300, (40, 10))
    y = rng.integers(0, 2, 40)
    assert certify(X, y).verdict != UNDECIDED
    monkeypatch.setattr(budgets, "_LONG_WORK", 1000)
    monkeypatch.setattr(budgets, "_LONG_WORK_OF_A_NUMBER", 0)
    certificate = certify(X, y)
    assert certificate.verdict == UNDECIDED
    assert re.search(LIMIT, certificate.to_dict()["limits"][0])
    assert certify(X, y, time_limit=600).verdict != UNDECIDED  # who says how long may have it
    assert certify(X, y, work_limit=10**9).verdict != UNDECIDED


def test_ordinary_numbers_are_not_long(monkeypatch):
    monkeypatch.setattr(budgets, "_LONG_WORK", 0)
    monkeypatch.setattr(budgets, "_LONG_WORK_OF_A_NUMBER", 0)
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 12)), rng.integers(0, 2, 300)
    assert certify(X, y).verdict == OVERLAP
    assert certify(X, X[:, 0] > 0).verdict == COMPLETE


# --- Work by bits ---------------------------------------------------------------------------------


def test_long_numbers_cost_more_work_than_short_ones():
    short, long = Budget(), Budget()
    short.spend_on_algebra(20, 64)
    long.spend_on_algebra(20, 6400)
    assert short.spent == 20**3 // 16
    assert long.spent >= 100**2 * short.spent
    short, long = Budget(), Budget()
    short.spend_on_long(1000, 64)
    long.spend_on_long(1000, 6400)
    assert short.spent == 0  # as in every row evaluation
    assert long.spent > 100**2 * 1000 // 64


def test_a_work_limit_counts_long_numbers():
    budget = Budget(work_limit=10**6)
    with raises(LimitReached):
        budget.spend_on_algebra(20, 20_000)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_proof_costs_no_more_than_training(monkeypatch):
    """Of 40 x 10 numbers of up to 10^140: what was asked stays within what training has made."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 10)) * 10.0 ** rng.uniform(-140, 140, (40, 10))
    y = rng.integers(0, 2, 40)
    made = []
    plain = Budget.__init__
    monkeypatch.setattr(
        Budget, "__init__", lambda self, **limits: made.append(self) or plain(self, **limits)
    )
    Perceptron(random_state=0).fit(X, y)
    assert made == []  # nobody asked, and no warning computes
    Perceptron(random_state=0, prove=True).fit(X, y)
    limits = [budget for budget in made if budget._work_limit is not None]
    assert all(budget.spent <= budget._work_limit for budget in limits)


def test_who_set_no_limit_hears_what_takes_long(capsys, monkeypatch):
    monkeypatch.setattr(budgets, "_LATER", 0.0)
    X, y = [[1.0, 2], [2, 1], [0, 1], [1, 0]], [0, 1, 0, 1]
    certify(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "rosenblatt: looking for a separating hyperplane, 0 s so far" in err
    certify(X, y, time_limit=60)
    assert capsys.readouterr() == ("", "")


# --- The guess ------------------------------------------------------------------------------------


def face_of(X, y, normals=None):
    signs = np.where(np.asarray(y) > 0, 1, -1).astype(np.int8)
    rows = Rows(np.array(X), signs, intercept=True, decimal=False, budget=Budget())
    return Face(rows, range(len(signs)), normals)


def test_many_digits_see_what_floats_do_not(rng):
    for _ in range(5):
        X = rng.normal(size=(30, 6)) * 10.0 ** rng.uniform(-200, 200, (30, 6))
        face = face_of(X, rng.integers(0, 2, 30))
        found = guess(face)
        assert found is not None
        assert face.agrees(found)
        assert (found.separator is None) != (found.conflict is None)


def test_what_is_factored_already_is_as_if_it_were_new(rng):
    X = rng.normal(size=(20, 5)) * 10.0 ** rng.uniform(-100, 100, (20, 5))
    face = face_of(X, rng.integers(0, 2, 20))
    with localcontext(Context(prec=180, Emin=-(10**15), Emax=10**15)):
        going_on = _NearestPoint(face, 180)
        for index in ([3, 1], [3, 1, 7], [3, 1, 7, 9], [3, 7, 9], [3, 7, 2, 9], [5], [5, 3], [5]):
            fresh = _NearestPoint(face, 180)._solved(index)
            assert going_on._solved(index) == fresh
            assert list(fresh) == index


def test_few_digits_choose_the_row_that_all_digits_choose(rng):
    X = rng.normal(size=(20, 5)) * 10.0 ** rng.uniform(-100, 100, (20, 5))
    face = face_of(X, rng.integers(0, 2, 20))
    with localcontext(Context(prec=180, Emin=-(10**15), Emax=10**15)):
        search = _NearestPoint(face, 180)
        r = search._residual(search._solved([3, 1, 7]))
        outside = [i for i in face.index if i not in (3, 1, 7)]
        gains = {i: sum(a * b for a, b in zip(search.columns[i], r, strict=True)) for i in outside}
        assert search._wanted(outside, r) == max(gains, key=gains.get)
        assert search._wanted([], r) is None
        zero = [v * 0 for v in r]
        assert search._wanted(outside, zero) is None


def test_what_ends_undecided_ends_after_a_few_seconds():
    """One decimal product of 1,620 digits takes about 35 microseconds: so many of them, 5 s."""
    budget = Budget()
    budget.bound(100 * 20)
    budget.spend_on_long(140_000, 4 * 1620)
    with raises(LimitReached):
        budget.spend_on_long(20_000, 4 * 1620)


# --- Up to the span of rows taken in before -------------------------------------------------------


def test_blends_up_to_a_span_become_blends_that_are_zero():
    # Along e_1 and e_2 the rows are (1, 0), (-2, 0), (1, 3), (0, -1): by hand.
    X = np.array([[1.0, 0, 5], [-2, 0, 7], [1, 3, -4], [0, -1, 9]])
    rows = Rows(X, np.ones(4, dtype=np.int8), intercept=False, decimal=False, budget=Budget())
    quotient = Quotient(rows, [[1, 0, 0], [0, 1, 0]])
    assert along(rows, [1, 2], [[1, 0, 0], [0, 1, 0]]) == ([[-2, 0], [1, 3]], [1, 1])
    assert not quotient.take_in([0, 2])
    assert quotient.take_in([0, 1])
    assert quotient.blend == {0: 2, 1: 1}
    assert quotient.normals() == [[0, 1, 0]]
    assert quotient.take_in([2, 3])
    total = [sum(v * Fraction(X[i, j]) for i, v in quotient.blend.items()) for j in range(2)]
    assert total == [0, 0]
    assert min(quotient.blend.values()) > 0
    assert quotient.normals() == []


def test_a_correction_of_any_sign_keeps_a_balance_positive():
    assert merged({0: 1, 1: 2}, {5: 3}, {0: -4, 1: 1}) == {0: 1, 1: 11, 5: 3}  # five times


@pytest.mark.parametrize("columns", ["reference levels", "all levels"])
def test_an_encoded_table_is_decided_by_floats_and_proved(columns, monkeypatch):
    """Most of it is 0 and 1; some levels are of one class, some of both, one is of one row."""
    monkeypatch.setattr(simplex, "_Simplex", _refused)
    rng = np.random.default_rng(6)
    n, sizes = 1500, (7, 16, 14, 5, 40)
    levels = [np.minimum(rng.geometric(0.25, n) - 1, k - 1) for k in sizes]
    y = (rng.random(n) < 0.25).astype(int)
    y[levels[4] >= 12] = 0  # rare levels of one class
    first = int(columns == "reference levels")
    dummies = [np.eye(k)[level][:, first:] for k, level in zip(sizes, levels, strict=True)]
    X = np.hstack([rng.integers(17, 90, (n, 1)), rng.integers(0, 100, (n, 2)), *dummies])
    certificate = certify(X, y)
    certificate.verify(X, y)
    assert certificate.verdict == QUASI
    assert certificate.separated_rows.tolist() == np.flatnonzero(levels[4] >= 12).tolist()
