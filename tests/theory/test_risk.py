"""Bounds without rows to test on: by simulation, exactly where rules adapt, and by hand."""

import math

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.datasets import load_iris

from raising import raises
from rosenblatt import Perceptron, certify, theory
from rosenblatt.errors import InputError


def test_by_hand():
    """λ = ln 2, q = 0, δ = 1/2, N = 1: (1 - 1/2) / (1 - 1/2) = 1; N = 2: (1 - 2^-½) / ½."""
    lam = math.log(2)
    assert theory.progressive_bound(0, 1, lam=lam, confidence=0.5) == pytest.approx(1.0)
    found = theory.progressive_bound(0, 2, lam=lam, confidence=0.5)
    assert found == pytest.approx(2 * (1 - 2**-0.5))
    assert theory.progressive_bound(1, 1, lam=lam) == 1.0


def test_the_best_lambda():
    """No other one has a smaller bound, for what was expected."""
    for expected, n in [(0.025, 40), (0.1, 500), (0.45, 1000)]:
        best = theory.progressive_lambda(expected, n)
        least = theory.progressive_bound(round(expected * n), n, lam=best)
        for lam in np.exp(np.linspace(-6, 4, 200)):
            assert theory.progressive_bound(round(expected * n), n, lam=lam) >= least - 1e-7


@pytest.mark.parametrize("n", [20, 75, 3000])
def test_rows_before_without_a_mistake_do_not_promise_none(n):
    """Any λ is valid: the one chosen is best for one mistake, and none costs a quarter at most.

    The least bound without a mistake is that of λ = ∞, 1 - 20^(-1/N).
    """
    lam = theory.progressive_lambda(0.0, n)
    best = min(theory.progressive_bound(1, n, lam=lam) for lam in np.exp(np.linspace(-6, 4, 2000)))
    assert theory.progressive_bound(1, n, lam=lam) == pytest.approx(best, rel=1e-4)
    assert theory.progressive_bound(0, n, lam=lam) < 1.25 * (1 - 20 ** (-1 / n))


@pytest.mark.parametrize("n", [10, 40, 200])
@pytest.mark.parametrize("expected", [0.0, 0.05, 0.3])
def test_rules_that_depend_on_the_past_break_it_in_five_of_a_hundred_runs_at_most(n, expected):
    """The error is p until the first mistake, then r: the probability of each run is known."""
    lam = theory.progressive_lambda(expected, n)
    worst = 0.0
    for p in np.linspace(0.005, 0.6, 40):
        for r in (0.0, 1.0):
            broken = (1 - p) ** n * (theory.progressive_bound(0, n, lam=lam) < p)
            for t in range(1, n + 1):
                mean = (p * t + r * (n - t)) / n
                mistakes = 1 + (n - t) * int(r)
                bound = theory.progressive_bound(mistakes, n, lam=lam)
                broken += p * (1 - p) ** (t - 1) * (bound < mean - 1e-12)
            worst = max(worst, broken)
    assert 0 < worst <= 0.05


def test_a_perceptron_met_along_the_way(heavy):
    """Labels are noisy by a known rule, so that the error of each weight vector can be counted."""
    broken, times = 0, heavy(400)
    fresh = np.random.default_rng(12345).standard_normal((4000, 2))
    clean = fresh[:, 0] > 0
    for seed in range(times):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((200, 2))
        y = (X[:, 0] > 0) ^ (rng.random(200) < 0.1)
        rule, risks, wrong = Perceptron(keep="last"), [], 0
        for begin in range(0, 200, 10):
            some = slice(begin, begin + 10)
            if begin >= 100:
                wrong += int((rule.predict(X[some]) != y[some]).sum())
                apart = float((rule.predict(fresh) != clean).mean())
                risks.append(0.9 * apart + 0.1 * (1 - apart))
            rule.partial_fit(X[some], y[some], [False, True])
        bound = theory.progressive_bound(wrong, 100, lam=theory.progressive_lambda(0.2, 100))
        broken += float(np.mean(risks)) > bound
    assert broken <= max(0.05 * times, 1)


def test_support_against_what_is_known_exactly():
    """Where always k rows determine the answer, the error has the distribution Beta(k, N - k + 1):
    the bound is above its quantile, and not far above."""
    for k, n in [(1, 20), (2, 50), (3, 150), (10, 300)]:
        exact = beta.ppf(0.95, k, n - k + 1)
        assert exact < theory.support_bound(k, n) < 2.5 * exact
    assert theory.support_bound(5, 5) == 1.0
    several = [theory.support_bound(k, 100) for k in range(10)]
    assert several == sorted(several)


def test_support_solves_its_equation():
    k, n, delta = 3, 30, 0.1
    e = theory.support_bound(k, n, confidence=0.9)
    left = sum(math.comb(m, k) / math.comb(n, k) * (1 - e) ** (m - n) for m in range(k, n))
    assert delta / n * left == pytest.approx(1.0)


def test_support_by_simulation(heavy):
    """In one column two rows determine the widest gap; the error is the part of it on one side."""
    times, n, broken = heavy(2000), 40, 0
    for seed in range(times):
        x = np.sort(np.random.default_rng(seed).random(n) * 2 - 1)
        low, high = x[x < 0].max(), x[x > 0].min()
        broken += abs(low + high) / 4 > theory.support_bound(2, n)
    assert broken <= 0.05 * times


def test_iris():
    """Setosa: three rows determine the widest separator of 150, and the bound is 6.9 %."""
    X, y = load_iris(return_X_y=True)
    margin = certify(X, y == 0).to_dict()["margins"]["geometric"]
    assert len(margin["rows"]) == 3
    assert theory.support_bound(3, 150) == pytest.approx(0.069, abs=5e-4)


def test_refused():
    with raises(InputError, option="mistakes", value=6):
        theory.progressive_bound(6, 5, lam=1.0)
    with raises(InputError, option="lam", value=0.0):
        theory.progressive_bound(1, 5, lam=0.0)
    with raises(InputError, option="confidence", value=1):
        theory.support_bound(1, 5, confidence=1)
    with raises(InputError, option="expected", value=2):
        theory.progressive_lambda(2, 5)
