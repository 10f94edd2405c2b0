"""Firth's estimate: published numbers, a closed form, and the same maximum found otherwise."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from endometrial import endometrial
from raising import raises
from rosenblatt.datasets import load_credit
from rosenblatt.errors import InputError
from rosenblatt.separation import firth, likelihood, limiting_model


def test_published_numbers():
    """Heinze and Schemper (2002), and logistf of the same authors: estimates and intervals."""
    found = firth(*endometrial())
    expected = {"NV": 2.92927330, "PI": -0.03475175, "EH": -2.60416387, "(intercept)": 3.77455951}
    assert found.coefficients == pytest.approx(expected, rel=1e-6)
    intervals = {
        "NV": (0.6097244, 7.85463171),
        "PI": (-0.1244587, 0.04045547),
        "EH": (-4.3651832, -1.23272106),
        "(intercept)": (1.0825371, 7.20928050),
    }
    for name, ends in intervals.items():
        assert found.intervals[name] == pytest.approx(ends, rel=1e-5)
    assert found.p_values["EH"] == pytest.approx(2.504e-05, rel=2e-3)
    assert (found.label, found.other) == ("1", "0")
    lines = str(found).splitlines()
    shown = [re.split(" {2,}", line) for line in lines[2:4]]
    assert shown == [
        ["NV", "2.929", "0.6097 to 7.855", "18.71", "1.84 to 2578", "0.0091"],
        ["PI", "−0.03475", "−0.1245 to 0.04046", "0.9658", "0.883 to 1.041", "0.3875"],
    ]


@pytest.mark.parametrize("cells", [(3, 2, 4, 6), (5, 0, 3, 4), (5, 0, 0, 7)])
def test_a_table_of_two_by_two_has_a_half_more_in_each_cell(cells):
    """The model has as many parameters as cells, so that Jeffreys' prior is a half in each."""
    a, b, c, d = cells
    X = [[0]] * (a + b) + [[1]] * (c + d)
    y = ["no"] * a + ["yes"] * b + ["no"] * c + ["yes"] * d
    found = firth(X, y).coefficients
    first = math.log((b + 0.5) / (a + 0.5))
    assert found["(intercept)"] == pytest.approx(first, abs=1e-8)
    assert found["x0"] == pytest.approx(math.log((d + 0.5) / (c + 0.5)) - first, abs=1e-8)
    weighted = firth([[0], [0], [1], [1]], ["no", "yes"] * 2, sample_weight=cells)
    if all(cells):
        assert weighted.coefficients == pytest.approx(found, abs=1e-8)


def penalised(X, t, beta):
    """The definition, in plain words."""
    p = 1 / (1 + np.exp(-X @ beta))
    information = X.T @ (X * (p * (1 - p))[:, None])
    return np.sum(t * np.log(p) + (1 - t) * np.log(1 - p)) + np.linalg.slogdet(information)[1] / 2


def test_the_maximum_and_an_end_of_an_interval_by_another_way():
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 2)) * [1, 100] + [0, 2000]
    y = (X[:, 0] + random.normal(size=40) > 0.3).astype(int)
    found = firth(X, y)
    design = np.column_stack([X, np.ones(40)])
    beta = np.array(list(found.coefficients.values()))
    assert found.log_likelihood == pytest.approx(penalised(design, y, beta), abs=1e-8)
    scale = np.array([1.0, 100.0, 1.0])
    centred = np.column_stack([X - [0, 2000], np.ones(40)]) / scale
    other = optimize.minimize(lambda b: -penalised(centred, y, b), np.zeros(3), tol=1e-12)
    assert beta[:2] == pytest.approx(other.x[:2] / scale[:2], rel=1e-4)
    low, high = found.intervals["x0"]
    for end in (low, high):
        rest = optimize.minimize(
            lambda b, end=end: -penalised(centred, y, np.array([end, *b])), np.zeros(2), tol=1e-12
        )
        assert 2 * (-other.fun + rest.fun) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-3)
    assert low < beta[0] < high


@pytest.mark.parametrize("ones", [[0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]])
@pytest.mark.parametrize("shift", [0, 2000])
def test_a_small_separated_table_has_its_maximum(ones, shift):
    x = np.arange(len(ones)) + shift
    found = firth(x[:, None], ones)
    design = np.column_stack([x - x.mean(), np.ones(len(x))])
    t = np.array(ones)
    best = optimize.minimize(lambda b: -penalised(design, t, b), [1.0, 0.0], tol=1e-12)
    assert found.coefficients["x0"] == pytest.approx(best.x[0], abs=1e-5)
    for end in found.intervals["x0"]:
        rest = min(
            optimize.minimize(
                lambda b, end=end: -penalised(design, t, np.array([end, *b])), [start], tol=1e-12
            ).fun
            for start in (-1.0, 0.0, 1.0)
        )
        assert 2 * (rest - best.fun) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-3)


def score(X, t, beta):
    """Firth's, by the diagonal of the hat matrix."""
    p = 1 / (1 + np.exp(-X @ beta))
    q = np.linalg.qr(X * np.sqrt(p * (1 - p))[:, None])[0]
    return X.T @ (t - p + np.sum(q * q, axis=1) * (0.5 - p))


def random_table(random):
    """Of few rows; most are separated."""
    n, k = int(random.integers(6, 40)), int(random.integers(1, 4))
    X = random.normal(size=(n, k))
    if random.random() < 0.3:
        X = X * 10.0 ** random.integers(-3, 4, size=k) + 2000
    direction = random.normal(size=k) / X.std(axis=0)
    noise = random.normal(size=n) * (random.random() < 0.4)
    y = ((X - X.mean(axis=0)) @ direction + noise > 0).astype(int)
    return X, y


def test_no_table_fails(heavy):
    random = np.random.default_rng(8)
    for _ in range(heavy(300)):
        X, y = random_table(random)
        found = firth(X, y)
        beta = np.array(list(found.coefficients.values()))
        design = np.column_stack([X, np.ones(len(X))])
        assert np.abs(score(design, y, beta) / np.abs(design).max(axis=0)).max() < 1e-6
        for name, (low, high) in found.intervals.items():
            assert low < found.coefficients[name] < high


def test_of_two_maxima_the_higher_one():
    """Spending in the credit table separates: maxima are at 1.788, next to 0, and at 4.926."""
    credit = load_credit(as_frame=True)
    X = credit.data.drop(columns="share")
    found = firth(X, credit.target)
    assert found.coefficients["expenditure"] == pytest.approx(4.926, abs=1e-3)
    design = np.column_stack([X.to_numpy(dtype=float), np.ones(len(X))])
    eta = design @ np.array(list(found.coefficients.values()))
    spread = np.exp(-np.abs(eta)) / (1 + np.exp(-np.abs(eta))) ** 2
    scaled = design / np.abs(design).max(axis=0)
    penalty = np.linalg.slogdet(scaled.T @ (scaled * spread[:, None]))[1] / 2
    penalty += np.log(np.abs(design).max(axis=0)).sum()
    value = np.sum(credit.target * eta - np.logaddexp(0, eta)) + penalty
    assert found.log_likelihood == pytest.approx(value, abs=1e-6)
    assert value > -39.5518 + 0.4  # the lower one


def test_a_better_maximum_than_the_first_ones_is_found_and_told():
    """Where the search from 0 ends there is a lower one; scipy finds both from random starts."""
    rng = np.random.default_rng(287)
    d, n = int(rng.integers(4, 9)), int(rng.integers(24, 60))
    X = np.round(np.exp(1.5 * rng.normal(size=(n, d))), 1)
    positive = rng.choice(n, 2, replace=False)
    y = (rng.random(n) < 0.2).astype(int)
    y[positive] = 1
    found = firth(X, y)
    basis, root = np.linalg.qr(np.column_stack([X, np.ones(n)]))
    starts = np.random.default_rng(0).normal(size=(15, d + 1)) * 8

    with np.errstate(all="ignore"):
        ends = [optimize.minimize(lambda b: -penalised(basis, y, b), start) for start in starts]
    volume = np.log(np.abs(np.diag(root))).sum()
    best = max(-end.fun for end in ends if np.isfinite(end.fun)) + volume
    assert found.log_likelihood == pytest.approx(best, abs=1e-5)
    (lower,) = found.lower_maxima
    assert lower == pytest.approx(found.log_likelihood - 0.5648, abs=1e-3)
    assert found.warning in str(found)
    assert firth(*endometrial()).warning is None


def test_a_profile_above_the_estimate_leads_to_a_higher_one(monkeypatch):
    """Without other starts the credit table ends in the lower maximum, whose profile rises."""
    credit = load_credit(as_frame=True)
    X = credit.data.drop(columns="share")
    monkeypatch.setattr(likelihood, "_STRETCHES", ())
    monkeypatch.setattr(likelihood, "_SMALL", 0)
    found = firth(X, credit.target)
    assert found.coefficients["expenditure"] == pytest.approx(4.926, abs=1e-3)
    assert found.lower_maxima == pytest.approx([-39.5518], abs=1e-4)


def test_words_no_intercept_and_wider_intervals():
    frame = pd.DataFrame({"town": ["Rome", "Rome", "Bern", "Rome", "Bern"] * 3, "a": range(15)})
    y = ([0, 1, 1, 0, 1] * 3)[:15]
    found = firth(frame, y)
    assert set(found.coefficients) == {"town=Bern", "a", "(intercept)"}
    wide = firth(frame, y, confidence=0.99).intervals["a"]
    assert wide[0] < found.intervals["a"][0] < found.intervals["a"][1] < wide[1]
    design = frame.assign(one=1.0)
    assert firth(design, y, fit_intercept=False).coefficients["one"] == pytest.approx(
        found.coefficients["(intercept)"], abs=1e-7
    )


def test_what_has_no_estimate_is_refused():
    X = np.column_stack([np.arange(6.0), 2 * np.arange(6.0)])
    with raises(InputError, column="x1"):
        firth(X, [0, 1, 0, 1, 0, 1])
    with raises(InputError):
        firth(np.eye(4), [0, 1, 0, 1])  # fewer rows than coefficients
    with raises(InputError):
        firth([[1.0], [2.0]], [1, 1])
    with raises(InputError, option="confidence", value=95):
        firth([[1.0], [2.0]], [0, 1], confidence=95)


def test_a_constant_column_is_left_out():
    X, y = _table(40, 2)
    found = firth(np.column_stack([X[:, :1], np.full(40, 3.0), np.zeros(40), X[:, 1:]]), y)
    alone = firth(X, y)
    assert math.isnan(found.coefficients["x1"])
    assert math.isnan(found.coefficients["x2"])
    for name, other in (("x0", "x0"), ("x3", "x1"), ("(intercept)", "(intercept)")):
        assert found.coefficients[name] == pytest.approx(alone.coefficients[other], abs=1e-8)
    assert found.likelihood_ratio.df == 2
    assert [line.split()[1] for line in str(found).splitlines()[3:5]] == ["constant", "constant"]


def test_ratios_of_units_that_are_too_small_or_too_large_are_not_shown():
    X, y = _table(200, 2)
    shown = str(firth(X * [1e6, 1e-6], y)).splitlines()
    own = [re.split(" {2,}", line) for line in shown[2:4]]
    assert [len(cells) for cells in own] == [4, 4]  # name, estimate, interval, p
    assert any(line.endswith("x0, x1. Rescale such a column.") for line in shown)


def _table(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (rng.random(n) < 1 / (1 + np.exp(X[:, 1] - X[:, 0]))).astype(int)


def test_an_even_information_is_a_product_of_columns(monkeypatch):
    """The quick way and the careful one, which is for weights of many sizes."""
    X, y = _table(300, 4)
    quick = firth(X, y)
    monkeypatch.setattr(likelihood, "_EVEN", 0.0)
    careful = firth(X, y)
    assert quick.coefficients == pytest.approx(careful.coefficients, rel=1e-10)
    for name, interval in quick.intervals.items():
        assert interval == pytest.approx(careful.intervals[name], rel=1e-9)


def test_an_interval_takes_few_looks_at_the_rows(monkeypatch):
    """Two ends and a test of 0 for each coefficient; searches that take no tangents need 50."""
    made = []
    begin = likelihood._Point.__init__
    monkeypatch.setattr(
        likelihood._Point, "__init__", lambda *given: (made.append(1), begin(*given))[1]
    )
    firth(*_table(1000, 10))
    assert len(made) < 25 * 11


@pytest.mark.parametrize("origin", [0.0, 2024.0, 1e5, 1.7e9])
def test_weights_far_from_zero_by_statsmodels(origin):
    """GLM(Binomial, freq_weights) of statsmodels 0.15, at origin 0; numbers are quarters, so that
    moving them rounds nothing."""
    d = np.arange(24) / 4
    y = [0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1]
    weights = 1.0 + np.arange(24) % 3
    found = limiting_model(origin + d[:, None], y, sample_weight=weights)
    expected = 0.7594911173761479, 0.23367074270453392, -25.332330230696506
    figures = found.coefficients["x0"], found.standard_errors["x0"], found.log_likelihood
    assert figures == pytest.approx(expected, rel=1e-8)
    moved = firth(origin + d[:, None], y, sample_weight=weights)
    still = firth(d[:, None], y, sample_weight=weights)
    assert moved.coefficients["x0"] == pytest.approx(still.coefficients["x0"], rel=1e-8)
    assert moved.intervals["x0"] == pytest.approx(still.intervals["x0"], rel=1e-8)
