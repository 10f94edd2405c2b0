"""Poisson and ordinal models beside statsmodels, tests and ratios beside logistf, and offsets."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from endometrial import endometrial
from raising import raises
from rosenblatt import certify
from rosenblatt.errors import InputError
from rosenblatt.separation import firth, limiting_model

# statsmodels 0.15: Poisson(counts, add_constant(X), offset) and OrderedModel(levels, X), by Newton.
POISSON = {
    "slopes": [0.5170213, -0.2151835],
    "errors": [0.0481247, 0.0466332],
    "log_likelihood": -290.483339,
    "test": 131.452016,
}
ORDINAL = {
    "slopes": [1.3935606, 0.490301],
    "errors": [0.1762194, 0.1416386],
    "log_likelihood": -227.99595,
    "thresholds": [-1.3280992, 0.4099647, 2.2135298],
}
ORIGINS = [0.0, 2024.0, 1e5, 1.7e9]


def table():
    """Numbers of which floats hold all digits far from zero, too: quarters."""
    draw = np.random.default_rng(5)
    X = np.round(draw.normal(size=(200, 2)) * 4) / 4
    offset = np.round(draw.normal(size=200), 1)
    counts = draw.poisson(np.exp(0.3 + X @ [0.5, -0.2] + offset))
    levels = np.digitize(X @ [1, 0.5] + draw.logistic(size=200), [-1, 0.5, 2])
    return X, offset, counts, levels


def test_the_penalised_test_is_that_of_logistf():
    """Its output for the endometrial cancer study: 43.65582 on 3 df, p = 1.78586e-09."""
    test = firth(*endometrial()).likelihood_ratio
    assert (test.statistic, test.df) == (pytest.approx(43.65582, abs=6e-6), 3)
    assert test.p_value == pytest.approx(1.78586e-09, rel=3e-6)
    ratio, low, high = firth(*endometrial()).odds_ratios["NV"]
    assert ratio == pytest.approx(math.exp(2.92927330), rel=1e-6)
    assert low == pytest.approx(math.exp(0.6097244), rel=1e-5)
    assert high == pytest.approx(math.exp(7.85463171), rel=1e-4)
    assert limiting_model(*endometrial()).odds_ratios["NV"][::2] == (math.inf, math.inf)


@pytest.mark.parametrize("origin", ORIGINS)
def test_poisson_is_that_of_statsmodels(origin):
    X, offset, counts, _ = table()
    found = limiting_model(X + origin, counts, family="poisson", offset=offset)
    assert (found.verdict, found.family) == ("overlap", "poisson")
    slopes = [found.coefficients[name] for name in ("x0", "x1")]
    assert slopes == pytest.approx(POISSON["slopes"], abs=6e-7)
    errors = [found.standard_errors[name] for name in ("x0", "x1")]
    assert errors == pytest.approx(POISSON["errors"], abs=6e-7)
    assert found.log_likelihood == pytest.approx(POISSON["log_likelihood"], abs=6e-6)
    test = found.likelihood_ratio
    assert (test.statistic, test.df) == (pytest.approx(POISSON["test"], abs=6e-6), 2)
    assert found.fitted.sum() == pytest.approx(counts.sum(), rel=1e-9)  # the intercept's score


@pytest.mark.parametrize("origin", ORIGINS)
def test_proportional_odds_are_those_of_statsmodels(origin):
    X, _, _, levels = table()
    found = limiting_model(X + origin, levels, family="ordinal")
    slopes = [found.coefficients[name] for name in ("x0", "x1")]
    assert slopes == pytest.approx(ORDINAL["slopes"], abs=6e-7)
    errors = [found.standard_errors[name] for name in ("x0", "x1")]
    assert errors == pytest.approx(ORDINAL["errors"], abs=6e-7)
    assert found.log_likelihood == pytest.approx(ORDINAL["log_likelihood"], abs=6e-6)
    thresholds = [found.coefficients[name] for name in ("0|1", "1|2", "2|3")]
    moved = np.array(ORDINAL["thresholds"]) + origin * sum(slopes)
    assert thresholds == pytest.approx(moved.tolist(), rel=1e-9, abs=6e-7)
    assert list(found.p_values) == ["x0", "x1"]
    low, high = found.intervals["x0"]
    for end in (low, high):  # where a test at 95 % just rejects
        assert 2 * (found.log_likelihood - held(X, levels, end)) == pytest.approx(
            stats.chi2.ppf(0.95, 1), abs=1e-4
        )


def held(X, levels, slope):
    """The log-likelihood with the first slope held, by another optimiser."""

    def loss(v):
        thresholds = np.array([-np.inf, v[1], v[1] + math.exp(v[2]), 0, np.inf])
        thresholds[3] = thresholds[2] + math.exp(v[3])
        score = X @ [slope, v[0]]
        at = (thresholds[levels + k] - score for k in (1, 0))
        above, below = (1 / (1 + np.exp(-v)) for v in at)
        return -np.sum(np.log(above - below))

    with np.errstate(over="ignore"):
        return -optimize.minimize(loss, [0.5, -1.0, 0.5, 0.5], method="BFGS").fun


def test_separated_counts_have_the_mean_0_and_the_rest_is_fitted_alone():
    X, offset, counts, _ = table()
    new = np.arange(200) % 7 == 0
    counts[new] = 0
    both = np.column_stack([X, new])
    found = limiting_model(both, counts, family="poisson", offset=offset)
    assert found.coefficients["x2"] == -math.inf
    assert found.separated_rows.tolist() == np.flatnonzero(new).tolist()
    assert set(found.fitted[new].tolist()) == {0.0}
    alone = limiting_model(X[~new], counts[~new], family="poisson", offset=offset[~new])
    for name, value in alone.coefficients.items():
        assert found.coefficients[name] == pytest.approx(value, abs=1e-9)
    assert found.log_likelihood == pytest.approx(alone.log_likelihood)
    low, high = found.intervals["x2"]
    assert low == -math.inf
    # By hand: with the slope at its end the rows that are new have the mean exp(end) more often.
    assert found.p_values["x2"] < 0.0001
    assert high < 0
    assert "with mean 0" in str(found).splitlines()[0]


def test_separated_levels():
    """Nobody of the third group is at the lowest two levels: its coefficient runs, and the others
    are those of the rest but for the highest threshold, which both groups share."""
    X, _, _, levels = table()
    group = (np.arange(200) % 5 == 0) & (levels == 3)
    both = np.column_stack([X, group])
    found = limiting_model(both, levels, family="ordinal")
    assert found.coefficients["x2"] == math.inf
    alone = limiting_model(X[~group], levels[~group], family="ordinal")
    for name, value in alone.coefficients.items():
        assert found.coefficients[name] == pytest.approx(value, abs=1e-7)
    assert found.log_likelihood == pytest.approx(alone.log_likelihood)
    assert found.intervals["x2"][1] == math.inf
    assert found.intervals["x2"][0] > 0


def test_two_levels_are_the_logistic_model():
    X, _, _, levels = table()
    y = (levels > 1).astype(int)
    usual, ordinal = limiting_model(X, y), limiting_model(X, y, family="ordinal")
    for name in ("x0", "x1"):
        assert ordinal.coefficients[name] == pytest.approx(usual.coefficients[name], abs=1e-9)
        assert ordinal.intervals[name] == pytest.approx(usual.intervals[name], abs=1e-6)
        assert ordinal.p_values[name] == pytest.approx(usual.p_values[name], rel=1e-6)
    assert ordinal.coefficients["0|1"] == pytest.approx(-usual.coefficients["(intercept)"])


def test_an_offset_is_a_column_whose_coefficient_is_1():
    X, offset, _, levels = table()
    y = (levels > 1).astype(int)
    held = limiting_model(X, y, offset=offset)

    def loss(v):
        eta = X @ v[:2] + v[2] + offset
        return -np.sum(y * eta - np.logaddexp(0, eta))

    best = optimize.minimize(loss, np.zeros(3), tol=1e-12)
    assert list(held.coefficients.values()) == pytest.approx(best.x.tolist(), abs=1e-5)
    assert held.log_likelihood == pytest.approx(-best.fun, abs=1e-8)
    shifted = firth(X, y, offset=np.full(200, 2.0))
    plain = firth(X, y)
    assert shifted.coefficients["x0"] == pytest.approx(plain.coefficients["x0"], abs=1e-8)
    moved = plain.coefficients["(intercept)"] - 2.0
    assert shifted.coefficients["(intercept)"] == pytest.approx(moved, abs=1e-8)


def test_refusals():
    X, _, counts, levels = table()
    with raises(InputError, option="family"):
        limiting_model(X, counts, family="cox")
    with raises(InputError, option="offset"):
        limiting_model(X, counts, family="poisson", offset=[1.0, 2.0])
    with raises(InputError, option="certificate"):
        limiting_model(X, counts, family="poisson", certificate=certify(X, levels > 1))


def test_a_column_that_is_constant_in_what_is_left():
    """Where z is 1 all are at the lowest level: z is 0 in all rows that are left."""
    rows = [(x, z, (x % 3) * (z == 0)) for x in range(12) for z in (0, 1)]
    X, levels = np.array([[x, z] for x, z, _ in rows], float), [level for *_, level in rows]
    found = limiting_model(X, levels, family="ordinal")
    alone = limiting_model(X[::2, :1], levels[::2], family="ordinal")
    assert found.coefficients["x1"] == -math.inf
    for name, value in alone.coefficients.items():
        assert found.coefficients[name] == pytest.approx(value, abs=1e-8)
    assert found.intervals["x0"] == pytest.approx(alone.intervals["x0"], abs=1e-6)


@pytest.mark.parametrize("family", ["poisson", "ordinal"])
def test_no_other_optimiser_finds_a_higher_likelihood(family, heavy):
    """Small tables of few numbers, most of them separated somewhere."""
    draw, found = np.random.default_rng(8), set()
    for _ in range(heavy(400)):
        n, d = draw.integers(5, 10), draw.integers(1, 4)
        X = draw.integers(-2, 3, (n, d)) * draw.choice([1.0, 0.1, 3.0], d)
        if family == "poisson":
            y = draw.integers(0, 3, n) * draw.integers(0, 2, n)
        else:
            y = np.argsort(np.argsort(X[:, 0] + draw.normal(0, 1.0, n))) * 3 // n + 1
        own = limiting_model(X, y, family=family)
        found.add(own.verdict)

        def of_counts(v, X=X, y=y):
            eta = np.clip(X @ v[1:] + v[0], -50, 50)
            return -np.sum(stats.poisson.logpmf(y, np.exp(eta)))

        def of_levels(v, X=X, y=y):
            at = np.array([-np.inf, v[0], v[0] + np.exp(np.clip(v[1], -30, 30)), np.inf])
            above, below = (
                1 / (1 + np.exp(-np.clip(at[k] - X @ v[2:], -200, 200))) for k in (y, y - 1)
            )
            return -np.sum(np.log(np.maximum(above - below, 1e-300)))

        loss, size = (of_counts, d + 1) if family == "poisson" else (of_levels, d + 2)
        best = optimize.minimize(loss, np.zeros(size), method="BFGS").fun
        assert own.log_likelihood >= -best - 1e-6, (X.tolist(), y.tolist())
    assert {"overlap", "quasi-complete separation"} <= found
