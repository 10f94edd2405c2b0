"""Forced signs: against every direction of the plane, and what must hold whatever the rows are."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from fewest import fewest_with_sign
from raising import check_sentence, raises
from rosenblatt import certify, forced_signs, minimum_errors
from rosenblatt import sign_report as forced_module
from rosenblatt._bounds.pairs import NO_PAIRS, PairTable
from rosenblatt._certify.parts import Hyperplane
from rosenblatt._util.budget import Clock
from rosenblatt.errors import InputError, VerificationError


def test_as_every_direction_of_the_plane_says(heavy):
    signs = set()
    for seed in range(heavy(200)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 12))
        X = rng.integers(-3, 4, (n, 2)).astype(float)
        y = np.where(X[:, 0] - X[:, 1] + rng.normal(0, 1.5, n) > 0, 1, -1)
        if abs(y.sum()) == n:
            continue
        cost = rng.integers(1, 3, n) if seed % 2 else np.ones(n, dtype=int)
        report = forced_signs(X, y, sample_weight=cost if seed % 2 else None, time_limit=None)
        report.verify(X, y)
        least = [[fewest_with_sign(X, y, cost, j, s) for s in (1, -1)] for j in range(2)]
        fewest = min(map(min, least))
        assert report.errors == fewest
        for j, column in enumerate(report):
            plus, minus = least[j]
            expected = "+" if minus > fewest else "-" if plus > fewest else None
            assert column.sign == expected
            signs.add(expected)
            if expected is not None:
                assert column.at_least == column.at_most == max(plus, minus)
            else:
                assert column.free
    assert {"+", "-"} <= signs


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :4], y


@pytest.fixture(scope="module")
def report(cancer):
    return forced_signs(*cancer, time_limit=None)


def test_breast_cancer(cancer, report):
    """Found by a program of its own before this one was written."""
    X, y = cancer
    assert report.errors == 38
    other = {c.name: (c.at_least, c.at_most) for c in report}
    assert other == {
        "mean radius": (48, 48),
        "mean texture": (45, 45),
        "mean perimeter": (55, 55),
        "mean area": (40, 40),
    }
    check_sentence(str(report))
    report.verify(X, y)


def test_negating_a_column_turns_its_sign(heavy):
    for seed in range(heavy(40)):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((80, 3)).round(1)
        y = X @ [1, -1, 0.5] + rng.normal(0, 1, 80) > 0
        one = forced_signs(X, y, time_limit=None)
        other = forced_signs(X * [-1, 1, -1], y, time_limit=None)
        turned = {"+": "-", "-": "+", None: None}
        assert [c.sign for c in other] == [
            turned[one["x0"].sign],
            one["x1"].sign,
            turned[one["x2"].sign],
        ]
        assert [c.at_most for c in one] == [c.at_most for c in other]


def test_a_sign_is_forced_although_its_cost_stays_open(monkeypatch):
    """Of these rows 50,000 cones do not say whether the other sign costs 11 errors or 12."""
    monkeypatch.setattr(forced_module, "_MOST_CONES", 200)
    rng = np.random.default_rng(4)
    X = rng.standard_normal((80, 3)).round(1)
    y = X @ [1, -1, 0.5] + rng.normal(0, 1, 80) > 0
    report = forced_signs(X, y, time_limit=None)
    assert (report.errors, report["x2"].sign) == (9, "+")
    assert 9 < report["x2"].at_least < report["x2"].at_most <= 12
    report.verify(X, y)


def test_a_column_that_is_there_twice_is_never_forced():
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (60, 2)).astype(float)
    y = X[:, 0] + rng.normal(0, 2, 60) > 0
    assert forced_signs(X, y, time_limit=None)["x0"].sign == "+"
    twice = forced_signs(np.column_stack([X, X[:, 0]]), y, time_limit=None)
    assert [twice[name].sign for name in ("x0", "x2")] == [None, None]
    assert [(c.free, c.collinear) for c in twice] == [
        (True, True),
        (twice["x1"].free, False),
        (True, True),
    ]


def test_all_levels_of_a_column_are_never_forced():
    """Without a reference level weights can be moved to the intercept: 0 fits each of them."""
    rng = np.random.default_rng(1)
    level, x = rng.integers(0, 3, 90), rng.integers(-5, 6, 90).astype(float)
    y = x + 6.0 * (level == 1) + rng.normal(0, 2, 90) > 2
    frame = pd.DataFrame({"x": x} | {f"c={k}": (level == k).astype(float) for k in range(3)})
    report = forced_signs(frame, y, time_limit=None)
    assert report["x"].sign == "+"
    for name in ("c=0", "c=1", "c=2"):
        column = report[name]
        assert (column.sign, column.free, column.collinear) == (None, True, True)
        assert column.rule.coef[frame.columns.get_loc(name)] == 0
        assert column.at_most == report.errors
    check_sentence(str(report))
    with_reference = forced_signs(frame.drop(columns="c=0"), y, time_limit=None)
    assert with_reference["c=1"].sign == "+"


def test_witnesses_make_the_errors_that_are_said(cancer):
    X, y = cancer
    for column in forced_signs(X, y, errors=50, time_limit=5):
        scores = X.to_numpy() @ column.rule.coef + column.rule.intercept
        wrong = np.where(y, scores, -scores) <= 0
        assert np.count_nonzero(wrong) == column.at_most
        if column.free:
            assert column.at_most <= 50


def test_the_proof_is_a_file_that_the_verifier_accepts(cancer, report, tmp_path):
    X, y = cancer
    report.save("mean area", tmp_path / "area.json")
    X.assign(target=y).to_csv(tmp_path / "data.csv", index=False)
    command = [sys.executable, "-m", "rosenblatt.verify_errors", "area.json", "data.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    check_sentence(done.stdout.splitlines()[0])
    claim = json.loads((tmp_path / "area.json").read_text())
    claim["column"][1] = -1  # the other half of all rules
    (tmp_path / "area.json").write_text(json.dumps(claim))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("REJECTED")
    free = forced_signs(X, y, errors=500)
    with raises(InputError):
        free.to_dict("mean area")


def test_other_data_is_rejected(cancer, report):
    X, y = cancer
    with raises(VerificationError):
        report.verify(X + 1, y)


@pytest.mark.parametrize(
    ("X", "choices"),
    [
        (np.ones((4, 11)), {}),
        (np.ones((4, 2)), {"errors": -1}),
        (np.ones((4, 2)), {"errors": np.inf}),
        (np.ones((4, 2)), {"time_limit": 0}),
        (np.array([[1e-300, 1], [1, 2], [3, 4], [5, 6]]), {}),
    ],
)
def test_bad_input_gets_one_clear_error(X, choices):
    with raises(InputError):
        forced_signs(pd.DataFrame(X).add_prefix("c"), [0, 1, 0, 1], **choices)


def test_words_of_a_frame_become_columns_as_certify_makes_them():
    # Loan officers grant from 3 on, in the north from 5 on: no rule without the region is right.
    north = [True, False] * 6
    income = np.arange(12)
    frame = pd.DataFrame({"income": income, "region": np.where(north, "north", "south")})
    y = np.where(income >= np.where(north, 5, 3), "yes", "no")
    found = forced_signs(frame, y, time_limit=None)
    assert [(c.name, c.sign) for c in found.columns] == [("income", "+"), ("region=south", "+")]
    assert [c.name for c in found.columns] == certify(frame, y).feature_names
    check_sentence(str(found))
    found.verify(frame, y)
    bracket = minimum_errors(frame, y)
    assert (bracket.lower, bracket.upper) == (0, 0)


def test_every_orthant_is_looked_at_once(monkeypatch):
    """The questions about all three columns begin with the same eight orthants."""
    looked, honest = [], PairTable.forced

    def counted(self, ranks, known):
        if known is NO_PAIRS:
            looked.append(tuple(map(bytes, ranks)))
        return honest(self, ranks, known)

    monkeypatch.setattr(PairTable, "forced", counted)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (40, 3))
    y = X @ [2, -1, 1] + rng.integers(-6, 7, 40) > 8
    signs = [column.sign for column in forced_signs(X, y, time_limit=None)]
    assert len(looked) == len(set(looked)) == 2**3
    assert any(signs)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X[50:].set_axis(["sl", "sw", "pl", "pw"], axis=1), y[50:]


def test_the_best_rule_of_both_searches_counts(iris, monkeypatch):
    """The first search was cut short at a poor rule; the other search finds those with 1 error."""
    X, y = iris
    bracket = minimum_errors(X, y, time_limit=None)
    right = X["sl"] - 6.25 > 0
    wrong = np.flatnonzero(right != (y == 2))
    poor = bracket.with_rule(Hyperplane(np.array([1.0, 0, 0, 0]), -6.25), wrong, len(wrong))
    poor.verify(X, y)
    assert (bracket.upper, poor.upper > 20) == (1, True)
    monkeypatch.setattr(forced_module.rules, "improve", lambda problem: None)
    found = forced_module.signs_within(Clock(None), X, y, longer=None, known=poor)
    assert found.errors == found.at_least == 1
    assert [column.sign for column in found] == ["-", "-", "+", "+"]
    assert min(column.at_most for column in found) > 1
    found.verify(X, y)
    better = found.improved(poor)
    assert (better.upper, len(better.wrong_rows), better.limits) == (1, 1, [])
    better.verify(X, y)
    assert found.improved(bracket) is bracket


def test_what_is_not_the_minimum_is_said_to_be_so(iris):
    X, y = iris
    found = forced_module.signs_within(Clock(None, 3000), X, y, longer="more work")
    assert found.at_least < found.errors
    check_sentence(str(found))
    check_sentence(str(forced_signs(X, y, errors=3, time_limit=None)))


def test_free_and_open_signs_say_what_the_best_rule_has():
    X = [[1, 0], [2, 5], [3, 1], [4, 4], [5, 3], [6, 2]]
    found = forced_signs(X, list("aaabbb"), time_limit=None)
    assert found["x1"].free
    check_sentence(repr(found))
    one = forced_signs([[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1], time_limit=None)
    check_sentence(str(one))
    weighed = forced_signs([[1], [2]], [0, 1], sample_weight=[0.5, 2], time_limit=None)
    check_sentence(str(weighed))


def test_weights_with_decimals_are_counted_in_what_they_are_multiples_of(heavy):
    """0.1, 0.2 and 0.3 are no floats; ten times as much, they are whole numbers."""
    for seed in range(heavy(20)):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((60, 2)).round(1)
        y = X @ [1, -1] + rng.normal(0, 1, 60) > 0
        weights = rng.integers(1, 8, 60)
        tenths = forced_signs(X, y, sample_weight=weights * 0.1, time_limit=None)
        whole = forced_signs(X, y, sample_weight=weights, time_limit=None)
        assert tenths.errors == pytest.approx(whole.errors / 10, rel=1e-15)
        assert [c.sign for c in tenths] == [c.sign for c in whole]
        assert [c.ends for c in tenths] == [c.ends for c in whole]
        assert "whole multiples of 0.1" in str(tenths)
        assert "whole multiples" not in str(whole)
        tenths.verify(X, y)


def test_weights_without_a_common_unit_are_named_as_the_problem():
    X = [[1, 0], [2, 5], [3, 1], [4, 4]]
    report = forced_signs(X, [0, 0, 1, 1], sample_weight=[0.001, 1, 1, 1000])
    assert report["x0"].sign == "+"
    with raises(InputError, option="sample_weight"):
        forced_signs(X, [0, 0, 1, 1], sample_weight=[1e-300, 1, np.pi, 1000])
