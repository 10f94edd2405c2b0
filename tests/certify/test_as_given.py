"""Formulas and models of statsmodels: certified as the arrays that they stand for."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from raising import raises
from rosenblatt import certify
from rosenblatt.errors import InputError, RosenblattError

DATA = pd.DataFrame(
    {
        "dose": [1.0, 2, 3, 3, 4, 5, 2, 4],
        "centre": list("aabbabba"),
        "healed": [0, 0, 0, 1, 1, 1, 0, 1],
        "grade": [1, 1, 2, 2, 3, 3, 1, 3],
        "sold": [0, 2, 0, 1, 3, 0, 1, 4],
        "t": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "trip": [0, 0, 1, 1, 2, 2, 3, 3],
        "chosen": [1, 0, 0, 1, 1, 0, 0, 1],
    }
)
CENTRE = np.column_stack([DATA["dose"], DATA["centre"] == "b"]).astype(float)


def same(found, X, y, signs=None, **options):
    """Verdict, rows and signs; a column of ones is the intercept."""
    plain = certify(X, y, **options)
    assert (found.verdict, found.family) == (plain.verdict, plain.family)
    assert found.separated_rows.tolist() == plain.separated_rows.tolist()
    assert sorted(found.coefficient_signs.values()) == sorted(plain.coefficient_signs.values())


# --- Formulas -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "options", "outcome"),
    [
        ("healed ~ dose + C(centre)", {}, "healed"),
        ("sold ~ dose + C(centre)", {"family": "poisson"}, "sold"),
        ("grade ~ dose + centre", {"family": "ordinal"}, "grade"),
        ("healed ~ dose + centre", {"family": "cox", "time": "t"}, "healed"),
        ("chosen ~ dose + centre", {"family": "conditional", "strata": "trip"}, "chosen"),
        ("healed ~ dose", {"absorb": "centre"}, "healed"),
    ],
)
def test_a_formula_is_its_design(formula, options, outcome):
    pytest.importorskip("formulaic")
    found = certify(formula, DATA, **options)
    X = CENTRE if "centre" in formula else DATA[["dose"]].to_numpy()
    values = {k: DATA[v].to_numpy() if k != "family" else v for k, v in options.items()}
    same(found, X, DATA[outcome], **values)
    assert "dose" in found.feature_names
    beside = {k: v for k, v in options.items() if k != "family"}
    found.verify(formula, DATA, **beside)


def test_the_left_side_may_be_computed():
    pytest.importorskip("formulaic")
    same(certify("I(sold > 1) ~ dose", DATA), DATA[["dose"]], DATA["sold"] > 1)


def test_refusals():
    with raises(InputError, value="dose"):
        certify("dose", DATA)
    with raises(InputError):
        certify([[1.0], [2.0]])
    pytest.importorskip("formulaic")
    with raises(InputError):
        certify("healed ~ dose", [[1.0], [2.0]])
    with raises(InputError, column="time"):
        certify("healed ~ dose", DATA, family="cox", time="time")
    for formula, table in (("healed ~ no", DATA), ("healed ~ dose", DATA.mask(DATA["dose"] > 4))):
        with pytest.raises(RosenblattError):
            certify(formula, table)


# --- Models of statsmodels ------------------------------------------------------------------------


def models():
    sm = pytest.importorskip("statsmodels.api")
    from statsmodels.discrete.conditional_models import ConditionalLogit
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    X = DATA[["dose"]].assign(b=(DATA["centre"] == "b").astype(float))
    ones, y = sm.add_constant(X), DATA["healed"]
    times = np.column_stack([DATA["healed"] * 2, 2 - DATA["healed"] * 2])
    binomial, poisson = sm.families.Binomial, sm.families.Poisson
    twice = {"sample_weight": np.concatenate([times[:, 1], times[:, 0]])}
    both = np.concatenate([X, X]), np.repeat([0, 1], 8)
    yield sm.Logit(y, ones), (X, y), {}
    yield sm.Probit(y, ones), (X, y), {}
    yield sm.MNLogit(DATA["grade"], ones), (X, DATA["grade"]), {}
    yield sm.GLM(y, ones, family=binomial(sm.families.links.CLogLog())), (X, y), {}
    yield sm.GLM(times, ones, family=binomial()), both, twice
    yield sm.GLM(DATA["sold"], ones, family=poisson()), (X, DATA["sold"]), {"family": "poisson"}
    yield sm.Poisson(DATA["sold"], ones), (X, DATA["sold"]), {"family": "poisson"}
    yield OrderedModel(DATA["grade"], X), (X, DATA["grade"]), {"family": "ordinal"}
    strata = {"family": "conditional", "strata": DATA["trip"]}
    chosen = DATA["chosen"]
    yield ConditionalLogit(chosen, X, groups=DATA["trip"]), (X, chosen), strata
    cox = {"family": "cox", "time": DATA["t"]}
    yield sm.PHReg(DATA["t"], X, status=y), (X, y), cox
    entry = {"entry": (DATA["t"] - 2).clip(lower=0), "strata": DATA["trip"] > 0}
    yield sm.PHReg(DATA["t"], X, status=y, **entry), (X, y), cox | entry


def test_a_model_of_statsmodels_says_what_it_is_about():
    for model, given, options in models():
        found = certify(model)
        assert {"dose", "b"} <= {*found.feature_names}
        if type(model).__name__ == "MNLogit":  # names of its own
            assert found.verdict == certify(*given).verdict
        else:
            same(found, *given, **options)
        found.verify(model)
        found.verify(SimpleNamespace(model=model, params=None))  # results of a fit


def test_other_models_are_refused():
    sm = pytest.importorskip("statsmodels.api")
    with raises(InputError):
        certify(sm.OLS(DATA["t"], DATA[["dose"]]))
    with raises(InputError):
        certify(sm.GLM(DATA["t"], DATA[["dose"]], family=sm.families.Gaussian()))
    with raises(InputError):
        certify(sm.Logit(DATA["healed"], DATA[["dose"]]), DATA["healed"])
