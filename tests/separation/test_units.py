"""What tools say of a coefficient in several units: the table that opens docs/separation.md."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression

from rosenblatt import certify

PAGE = Path(__file__).parents[2] / "docs" / "separation.md"
Y = np.array([0, 0, 0, 1, 1, 1])
DOSE = np.arange(1, 7.0)
UNITS = [
    DOSE,
    DOSE * 25_000,
    DOSE * 2_500_000,
    1.7e9 + 86_400 * DOSE,
    np.array([1, 2, 3 + 1e-9, 3, 4, 5]),
]


def said(tool):
    (line,) = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {tool}")]
    return [cell.strip() for cell in line.strip("|").split("|")[1:]]


def infinite(really):
    return "+∞" if really else "finite"


def test_the_truth_is_what_is_certified():
    signs = [certify(x[:, None], Y).coefficient_signs["x0"] for x in UNITS]
    assert [infinite(sign == "+") for sign in signs] == said("`certify`, with") == said("the truth")


def test_a_linear_programme():
    found = []
    for x in UNITS:
        rows = np.column_stack([x, np.ones(6)]) * np.where(Y, 1, -1)[:, None]
        box = [(-1, 1)] * 2
        best = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(6), bounds=box)
        found.append(infinite(best.x[0] > 0 and best.fun < -1e-6))
    assert found == said("a linear programme")


def test_scikit_learn():
    for x, cell in zip(UNITS, said("scikit-learn"), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # none comes
            fitted = LogisticRegression(C=np.inf).fit(x[:, None], Y).coef_[0, 0]
        assert 0.5 < fitted / float(cell) < 2  # it depends on the version


def test_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    for x, cell in zip(UNITS, said("statsmodels"), strict=True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted = sm.Logit(Y, sm.add_constant(x)).fit(disp=0).params[1]
        number, warned = cell.split(", ")
        assert (warned == "warns") == bool(caught)
        assert 0.5 < fitted / float(number) < 2


def test_firthmodels():
    firthmodels = pytest.importorskip("firthmodels")
    found = [firthmodels.detect_separation(x[:, None], Y).is_finite[0] for x in UNITS]
    assert [infinite(not finite) for finite in found] == said("firthmodels 0")
