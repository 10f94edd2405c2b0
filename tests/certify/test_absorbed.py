"""Factors of many levels: decided as with a column for each level, which none of them gets."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import likelihoods
import rational
from raising import raises
from rosenblatt import certify, verify
from rosenblatt._certify.check import data_of
from rosenblatt._certify.families import Beside
from rosenblatt.errors import InputError, VerificationError


def dummies(levels):
    return np.column_stack([(levels == v).astype(float) for v in np.unique(levels)])


def random_table(draw, factors):
    n, d = int(draw.integers(6, 14)), int(draw.integers(1, 3))
    X = draw.integers(-2, 3, (n, d)) * draw.choice([1.0, 0.1], d)
    if draw.random() < 0.3:
        X = X + draw.choice([0.0, 2024.0, 1.7e9], d)
    levels = [draw.integers(0, 4, n) for _ in range(factors)]
    y = (X[:, 0] - X[0, 0] + draw.normal(0, draw.choice([0.1, 2.0]), n) > 0).astype(int)
    return X, y, levels


@pytest.mark.parametrize("family", ["logistic", "poisson"])
@pytest.mark.parametrize("factors", [1, 2])
def test_random_tables_are_decided_as_with_columns_of_levels(family, factors, heavy):
    draw = np.random.default_rng([44, factors])
    seen, open_, told = set(), 0, []
    for _ in range(heavy(1000)):
        X, y, levels = random_table(draw, factors)
        if len(set(y.tolist())) < 2:
            continue
        found = certify(X, y, family=family, absorb=levels)
        whole = np.hstack([X, *map(dummies, levels)])
        if family == "logistic":
            rows = rational.lifted(whole, np.where(y, 1, -1), intercept=False)
            parts = [(i,) for i in range(len(y))]
        else:
            rows, parts = likelihoods.comparisons("poisson", whole, y.tolist(), intercept=False)
        verdict, separated = likelihoods.decided(rows, parts)
        found.verify(X, y, absorb=levels)
        out = [found.feature_names.index(c.column) for c in found.collinear]
        some = rows, [row[X.shape[1] :] for row in rows]
        rank, of_levels = (len(rational.echelon(part)[1]) for part in some)
        assert len(out) == X.shape[1] - (rank - of_levels)
        signs = rational.sign_sets_without(rows, out)
        for j, (own, true) in enumerate(zip(found.coefficient_signs.values(), signs, strict=False)):
            assert own == "collinear" if j in out else own in ("?", true)
            told.append((own, true))
        if found.verdict == "undecided":
            open_ += 1
            assert set(found.to_dict().get("separated", [])) <= set(separated)
        else:
            assert (found.verdict, found.separated_rows.tolist()) == (verdict, separated)
            seen.add(verdict)
    assert len(seen) > 1
    assert open_ == 0
    assert {own for own, _ in told} >= {"+", "-", "±"}
    assert {true for own, true in told if own == "?"} == {"±"}


FIRMS = ["a", "a", "b", "b", "c", "c", "d", "d"]
SALES = pd.DataFrame(
    {"firm": FIRMS, "size": [1.0, 2, 3, 1, 4, 2, 5, 1], "tariff": [0, 1, 0, 1, 0, 1, 0, 0]}
)
SOLD = [5, 0, 2, 0, 7, 0, 0, 0]


def test_levels_without_a_sale_are_named():
    """Firm d sold nothing; and wherever there was a tariff nothing was sold."""
    found = certify(SALES, SOLD, family="poisson", absorb="firm")
    assert found.verdict == "quasi-complete separation"
    assert found.separated_levels == {"firm": ["d"]}
    assert found.separated_rows.tolist() == [1, 3, 5, 6, 7]
    assert (found.absorbed, found.feature_names) == (["firm"], ["size", "tariff"])
    found.verify(SALES, SOLD, absorb="firm")
    assert found.coefficient_signs == {"size": "±", "tariff": "-"}
    for given in ("firm", ["firm"], SALES[["firm"]], FIRMS, [FIRMS], np.array(FIRMS)):
        named = isinstance(given, str) or (isinstance(given, list) and given[0] == "firm")
        X = SALES if named else SALES.drop(columns="firm")
        again = certify(X, SOLD, family="poisson", absorb=given)
        assert again.separated_rows.tolist() == [1, 3, 5, 6, 7]


def test_thousands_of_levels_are_decided():
    """8,000 rows in 2,000 levels: hundreds of levels have one outcome, and the others overlap."""
    draw = np.random.default_rng(0)
    firm, X = draw.integers(0, 2000, 8000), draw.normal(size=(8000, 5))
    y = (X[:, 0] + draw.logistic(size=8000) > 0).astype(int)
    found = certify(csr_matrix(X), y, absorb=firm)
    ones, rows = np.bincount(firm, y), np.bincount(firm)
    alone = (ones == 0) | (ones == rows)
    assert found.separated_rows.tolist() == np.flatnonzero(alone[firm]).tolist()
    assert set(found.coefficient_signs.values()) == {"0"}


def test_a_column_that_levels_tell_is_collinear():
    """The size of a firm in each of its rows; and one less, which is a combination of both."""
    size = pd.Series(FIRMS).map({"a": 3.0, "b": 5.5, "c": 1.25, "d": 9.0})
    X = SALES.assign(first=size, second=SALES["size"] - size)
    found = certify(X, SOLD, family="poisson", absorb="firm")
    signs = {"size": "±", "tariff": "-", "first": "collinear", "second": "collinear"}
    assert found.coefficient_signs == signs
    assert [list(column.factors) for column in found.collinear] == [[], ["size"]]
    found.verify(X, SOLD, absorb="firm")


def test_three_factors_of_many_levels_and_a_column_that_is_infinite():
    draw = np.random.default_rng(2)
    levels = [draw.integers(0, k, 6000) for k in (300, 100, 40)]
    X = np.column_stack([draw.normal(size=6000), draw.random(6000) < 0.02])
    sold = draw.poisson(np.exp(X[:, 0] - 1))
    sold[X[:, 1] > 0] = 0
    found = certify(X, sold, family="poisson", absorb=levels)
    assert found.separated_rows.tolist() == np.flatnonzero(X[:, 1]).tolist()
    assert found.coefficient_signs == {"x0": "0", "x1": "-"}


def test_a_column_that_separates_within_levels():
    """x is above the mean of its level exactly where y is 1: no level has one outcome."""
    draw = np.random.default_rng(3)
    level = np.repeat(np.arange(500), 4)
    y = np.tile([0, 0, 1, 1], 500)
    X = np.column_stack([draw.normal(size=500)[level] * 9 + y + draw.random(2000) / 2, level % 7])
    found = certify(X, y, absorb=level)
    assert found.verdict == "complete separation"
    X[2] = X[1]  # two equal rows of level 0: now they, and no others, are tied
    tied = certify(X, y, absorb=level)
    assert tied.verdict == "quasi-complete separation"
    assert np.setdiff1d(range(2000), tied.separated_rows).tolist() == [1, 2]


def test_other_factors_are_other_data_and_false_claims_are_rejected():
    found = certify(SALES, SOLD, family="poisson", absorb="firm")
    other = SALES.assign(firm=["a", "b", "b", "b", "c", "c", "d", "d"])
    with raises(VerificationError):
        found.verify(other, SOLD, absorb="firm")
    claim = found.to_dict()
    X, beside = Beside.of(SALES, "poisson", None, absorb="firm")
    y = np.where(np.array(SOLD) > 0, 1, -1)

    def judged(claim):
        data = data_of(claim, X.to_numpy(float), y, beside)
        verify.check(claim, data)

    judged(claim)
    for change in (
        {"separated": claim["separated"][1:]},
        {"separator": ["0x0", "0x0"]},
        {"verdict": "overlap", "separated": []},
        {"balance": {"rows": [1], "weights": ["0x1"]}},
        {"signs": [{"signs": "0", "rows": [], "weights": []}] * 2},
        {"signs": [claim["signs"][0] | {"other": ["0x0", "0x0"]}, claim["signs"][1]]},
        {"signs": [claim["signs"][0] | {"level_weights": [["0x1"] * 4]}, claim["signs"][1]]},
        {"signs": [{"signs": "?"}, claim["signs"][1] | {"signs": "+"}]},
        {"signs": [{"signs": "?"}, claim["signs"][1] | {"signs": "0"}]},
        {"signs": claim["signs"][::-1]},
        {"collinear": [{"column": 0, "vector": ["0x1", "0x0"], "level_weights": [["0x0"] * 4]}]},
        {"collinear": [{"column": 0, "vector": ["0x1", "0x0"]}]},
        {"absorbed": ["firm", "size"]},
        {"fit_intercept": True},
        {"level_weights": []},
    ):
        with pytest.raises(verify.Rejected):
            judged(claim | change)


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"family": "cox", "time": [1, 2, 3, 4], "absorb": list("aabb")}, "absorb"),
        ({"absorb": list("aab")}, "absorb"),
        ({"absorb": ["a", None, "b", "b"]}, None),
    ],
)
def test_refusals(given, option):
    with raises(InputError, option=option):
        certify([[1.0], [2], [3], [4]], [0, 1, 0, 1], **given)


def test_the_command_says_what_python_says(shell, tmp_path):
    path, proof, numbers = (tmp_path / name for name in ("t.csv", "c.json", "n.csv"))
    SALES.assign(sold=SOLD).to_csv(path, index=False)
    asked = ("--family", "poisson", "--target", "sold", "--absorb", "firm")
    code, out, _ = shell("certify", path, *asked, "-o", proof, "--encoded", numbers)
    assert code == 0
    assert "rows 2, 4, 6, 7, 8" in out
    assert "Of firm one level has separated rows only: d." in out
    code, out, _ = shell("verify", proof, path)
    assert (code, out[:8]) == (0, "ACCEPTED")
    data, *_ = verify.read_csv(verify.load(str(proof)), str(numbers))
    verify.check(verify.load(str(proof)), data)


def test_two_factors_of_many_levels_that_columns_separate():
    """No level tells anything alone; scores of columns and both levels together tell all."""
    draw = np.random.default_rng(1)
    first, second = draw.integers(0, 400, 3000), draw.integers(0, 100, 3000)
    X = draw.normal(size=(3000, 3))
    effects = 2 * draw.normal(size=400)[first] + 2 * draw.normal(size=100)[second]
    y = (X @ [1, 2, -1] + effects > 0).astype(int)
    assert certify(X, y, absorb=[first, second]).verdict == "complete separation"
