"""The limiting conditional model: published numbers, and limits of what maximum likelihood does."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.linear_model import LogisticRegression

from endometrial import endometrial
from raising import raises
from rosenblatt import certify
from rosenblatt.datasets import load_credit
from rosenblatt.errors import InputError
from rosenblatt.separation import firth, limiting_model


def test_published_numbers():
    """R's glm, as in the vignettes of brglm2 and detectseparation: what does not run to infinity
    there is right, and so is the residual deviance, 55.393."""
    X, y = endometrial()
    found = limiting_model(X, y, certificate=certify(X, y))
    assert found.verdict == "quasi-complete separation"
    assert found.coefficients["NV"] == math.inf
    finite = {k: v for k, v in found.coefficients.items() if k != "NV"}
    assert finite == pytest.approx(
        {"PI": -0.04218, "EH": -2.90261, "(intercept)": 4.30452}, abs=6e-6
    )
    errors = {"PI": 0.04433, "EH": 0.84555, "(intercept)": 1.63730}
    assert found.standard_errors == pytest.approx(errors, abs=6e-6)
    assert -2 * found.log_likelihood == pytest.approx(55.393, abs=6e-4)
    assert found.separated_rows.tolist() == np.flatnonzero(X["NV"]).tolist()
    assert found.fitted[found.separated_rows].tolist() == [1.0] * 13
    assert "NV +∞" in " ".join(str(found).split())


def test_an_interval_is_open_where_the_coefficient_runs():
    X, y = endometrial()
    low, high = limiting_model(X, y).intervals["NV"]
    assert high == math.inf
    design, t = np.column_stack([X[["PI", "EH"]], np.ones(79)]), np.array(y)
    scale = np.array([10.0, 1.0, 1.0])

    def deviance(beta, nv):
        eta = design @ (beta / scale) + nv * X["NV"].to_numpy()
        return -2 * np.sum(t * eta - np.logaddexp(0, eta))

    at_end = optimize.minimize(deviance, np.zeros(3), args=(low,), tol=1e-10).fun
    limit = optimize.minimize(deviance, np.zeros(3), args=(60.0,), tol=1e-10).fun
    assert at_end - limit == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-4)


def test_the_rest_is_fitted_as_ever():
    """The columns of the credit table: expenditure runs, and nobody else spent anything."""
    credit = load_credit(as_frame=True)
    X, y = credit.data.drop(columns="share"), credit.target
    found = limiting_model(X, y)
    rest = np.setdiff1d(np.arange(len(y)), found.separated_rows)
    others = X.iloc[rest].drop(columns="expenditure").to_numpy(dtype=float)
    scale = others.std(axis=0)
    usual = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(
        others / scale, y.iloc[rest]
    )
    names = [name for name in X.columns if name != "expenditure"]
    expected = dict(zip(names, (usual.coef_[0] / scale).tolist(), strict=True))
    assert found.coefficients["expenditure"] == math.inf
    assert {k: found.coefficients[k] for k in names} == pytest.approx(expected, rel=1e-3, abs=1e-5)
    assert found.fitted[rest] == pytest.approx(usual.predict_proba(others / scale)[:, 1], abs=1e-5)


def test_a_combination_that_runs_leaves_another_one_finite():
    """x0 - x1 separates rows 4 and 5; where they are equal, their sum still tells something."""
    X = [[1, 1], [2, 2], [2, 2], [3, 3], [5, 1], [1, 5], [0, 0]]
    found = limiting_model(X, [0, 1, 0, 1, 1, 0, 1])
    assert found.coefficients["x0"] == math.inf
    assert found.coefficients["x1"] == -math.inf
    t = np.array([0, 1, 0, 1, 1])
    x = np.array([1.0, 2, 2, 3, 0])
    one = LogisticRegression(C=np.inf, tol=1e-12).fit(x[:, None], t)
    assert found.coefficients["(intercept)"] == pytest.approx(one.intercept_[0], abs=1e-5)
    assert found.fitted[[0, 1, 2, 3, 6]] == pytest.approx(
        one.predict_proba(x[:, None])[:, 1], abs=1e-5
    )
    assert found.fitted[[4, 5]].tolist() == [1.0, 0.0]


def test_overlap_and_complete_separation():
    X, y = [[1], [2], [3], [4], [5]], [0, 1, 0, 1, 1]
    usual = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    found = limiting_model(X, y)
    assert found.verdict == "overlap"
    assert found.coefficients["x0"] == pytest.approx(usual.coef_[0, 0], abs=1e-6)
    complete = limiting_model([[1], [2], [3], [4]], [0, 0, 1, 1])
    assert complete.fitted.tolist() == [0.0, 0.0, 1.0, 1.0]
    assert complete.log_likelihood == 0.0
    assert complete.coefficients == {"x0": math.inf, "(intercept)": -math.inf}
    assert str(found).splitlines()[0] == (
        "Maximum likelihood estimate (finite), log-odds of 1 against 0; no row is separated"
    )
    none, instead = str(complete).splitlines()
    assert none.startswith("No limiting conditional model: under complete separation")
    assert instead == "Use rosenblatt.separation.firth(X, y), which has finite estimates."
    weighted = limiting_model(
        [[1], [2], [3], [4], [9]], [0, 0, 1, 1, 0], sample_weight=[1, 1, 1, 1, 0]
    )
    assert np.isnan(weighted.fitted).tolist() == [False] * 4 + [True]


def newton(X, t):
    """Maximum likelihood in the plainest way, of columns near zero; errors from the information."""
    design, beta = np.column_stack([X, np.ones(len(X))]), np.zeros(X.shape[1] + 1)
    for _ in range(60):
        p = 1 / (1 + np.exp(-design @ beta))
        information = design.T @ (design * (p * (1 - p))[:, None])
        beta = beta + np.linalg.solve(information, design.T @ (t - p))
    value = np.sum(t * np.log(p) + (1 - t) * np.log(1 - p))
    return beta, value, np.sqrt(np.diag(np.linalg.inv(information)))


@pytest.mark.parametrize("origin", [0.0, 2024.0, 2460000.5, 20240101.0, 1.7e9])
@pytest.mark.parametrize("estimate", [limiting_model, firth])
def test_where_the_zero_of_a_column_lies_makes_no_difference(estimate, origin, rng):
    """Years, Julian days, dates as digits, seconds since 1970."""
    days = np.floor(rng.uniform(0, 300, 200)) / 256
    X = np.column_stack([days, rng.normal(size=200)])
    t = (rng.random(200) < 1 / (1 + np.exp(-1.2 * X[:, 1] - 4 * days + 2))).astype(int)
    near, far = estimate(X, t), estimate(X + np.array([origin, 0]), t)
    for name in ("x0", "x1"):
        assert far.coefficients[name] == pytest.approx(near.coefficients[name], rel=1e-9)
        assert far.intervals[name] == pytest.approx(near.intervals[name], rel=1e-6)
    expected = near.coefficients["(intercept)"] - origin * near.coefficients["x0"]
    assert far.coefficients["(intercept)"] == pytest.approx(expected, rel=1e-8)
    assert far.log_likelihood == pytest.approx(near.log_likelihood, abs=1e-9)
    if estimate is limiting_model:
        beta, value, errors = newton(X, t)
        assert list(near.coefficients.values()) == pytest.approx(beta, rel=1e-8)
        assert near.log_likelihood == pytest.approx(value, abs=1e-9)
        assert list(near.standard_errors.values()) == pytest.approx(errors, rel=1e-8)
        assert far.fitted == pytest.approx(near.fitted, abs=1e-9)


def test_what_runs_is_seen_far_from_zero():
    """The column of years separates all rows but two of one year."""
    years = np.array([2019.0, 2020, 2021, 2021, 2022, 2023])
    X, y = np.column_stack([years, years * 1e6 + 3]), [0, 0, 0, 1, 1, 1]
    near, far = limiting_model(years[:, None], y), limiting_model(years[:, None] * 1e6 + 3, y)
    assert (near.coefficients["x0"], near.coefficients["(intercept)"]) == (math.inf, -math.inf)
    assert near.intervals["x0"][0] == pytest.approx(1e6 * far.intervals["x0"][0], rel=1e-6)
    assert near.log_likelihood == pytest.approx(2 * math.log(0.5))
    both = limiting_model(X, y)
    assert sum(math.isnan(v) for v in both.coefficients.values()) == 1  # the column left out


def test_a_column_that_is_another_but_for_rounding_is_refused(rng):
    x = rng.normal(size=40)
    X = np.column_stack([x, x * (1 + 2**-40)])
    with raises(InputError, column="x1"):
        limiting_model(X, (x + rng.normal(size=40) > 0).astype(int))


def test_a_search_that_does_not_end_in_the_maximum_has_no_result(monkeypatch):
    X, y = np.arange(8.0)[:, None], [0, 0, 1, 0, 1, 0, 1, 1]
    monkeypatch.setattr("rosenblatt.separation.likelihood._STEPS", 2)
    for estimate in (firth, limiting_model):
        with raises(InputError):
            estimate(X, y)


def test_a_certificate_about_other_labels_or_numbers_is_refused():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
    certificate = certify(X, y)
    limiting_model(X, y, certificate=certificate)
    for other, labels in ((X, np.where(np.arange(8) == 4, 0, y)), (X + (X == 7), y)):
        with raises(InputError, option="certificate"):
            limiting_model(other, labels, certificate=certificate)


def test_a_certificate_about_something_else_is_refused():
    X, y = [[1], [2], [3], [3], [4], [5]], [0, 0, 0, 1, 1, 1]
    with raises(InputError):
        limiting_model(X, y, certificate=certify(X[:5], y[:5]))
    with raises(InputError):
        limiting_model(X, y, certificate=certify(X, y, fit_intercept=False))
    credit = load_credit(as_frame=True)
    quick = certify(credit.data, credit.target, time_limit=1e-9)
    with raises(InputError):
        limiting_model(credit.data, credit.target, certificate=quick)
