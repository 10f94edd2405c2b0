"""The fewest errors: against exhaustive search in fractions, by hand, and from the literature.

`fewest.py` holds the oracles. Each bracket is also checked from the beginning, and each of its
conflicts by the independent verifier.
"""

import json
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.datasets import load_breast_cancer, load_iris

import rational
from degenerate import KINDS, dense, instance
from fewest import fewest, fewest_on_a_line
from raising import check_sentence, raises
from rosenblatt import Perceptron, minimum_errors, verify
from rosenblatt._bounds import rules, search
from rosenblatt._bounds.hitting_set import Cover
from rosenblatt._bounds.pairs import PairTable
from rosenblatt._bounds.problem import Costs
from rosenblatt._bounds.proof import Cases, bound_of
from rosenblatt._certify.parts import Hyperplane
from rosenblatt._util.budget import Budget
from rosenblatt.errors import InputError, VerificationError

NO_FLOATS = "no floating-point weights were found"


def checked(X, y, **choices):
    """A bracket that its check and, for some conflicts, the independent verifier have accepted."""
    bracket = minimum_errors(X, y, **choices)
    bracket.verify(X, y)
    for k in range(min(len(bracket.conflicts), 3)):
        certificate = bracket.certificate(k)
        certificate.verify(X, y)
        assert certificate.separable is False
    assert bracket.proved_lower <= bracket.lower <= bracket.upper
    return bracket


def exactly(bracket):
    """Both ends as fractions."""
    proved, _, upper = bracket.ends
    return proved * bracket._unit, upper * bracket._unit


def signs(y):
    return np.where(np.asarray(y) > 0, 1, -1) if len(set(y)) > 1 else np.ones(len(y), dtype=int)


# --- Against exhaustive search --------------------------------------------------------------------


def meant(weights):
    """Beside other weights 0.1 is taken for a tenth."""
    return [Fraction(str(v)) if len(set(weights)) > 1 else v for v in weights.tolist()]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_as_few_as_exhaustive_search_finds(kind, heavy):
    for k in range(heavy(500)):
        X, y, intercept = instance(kind, k)
        n = len(y)
        weights = np.random.default_rng(k).choice([1, 2, 3.5, 0.1], n) if k % 3 == 0 else None
        bracket = checked(X, y, fit_intercept=intercept, sample_weight=weights, time_limit=None)
        rows = rational.lifted(dense(X).tolist(), signs(y), intercept)
        least = fewest(rows, [1] * n if weights is None else meant(weights))
        proved, upper = exactly(bracket)
        if bracket.limits:  # rows that only the rounding of their numbers separates
            assert NO_FLOATS in bracket.limits[0]
            assert proved == least < upper
        else:
            assert proved == least == upper
            assert bracket.proved


def test_as_few_as_the_best_threshold_makes(heavy):
    for k in range(heavy(400)):
        rng = np.random.default_rng(k)
        n = int(rng.integers(1, 40))
        x = rng.integers(0, 12, n).astype(float)
        y = np.where(x + rng.normal(0, 4, n) > 6, 1, -1)
        weights = rng.integers(1, 4, n) if k % 2 else np.ones(n)
        bracket = checked(x[:, None], y, sample_weight=weights, time_limit=None)
        assert bracket.proved
        assert bracket.upper == fewest_on_a_line(x, signs(y), weights)


@given(st.data())
def test_whole_weights_are_repetition(data):
    """A rule is right about all copies of a row or about none."""
    n = data.draw(st.integers(1, 8))
    row = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
    X = np.array(data.draw(st.lists(row, min_size=n, max_size=n)), dtype=float)
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    times = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    weighted = checked(X, y, sample_weight=times, time_limit=None)
    repeated = checked(np.repeat(X, times, axis=0), np.repeat(y, times), time_limit=None)
    assert weighted.upper == repeated.upper == repeated.proved_lower


def test_dense_and_sparse_float32_and_float64_alike():
    rng = np.random.default_rng(4)
    X = rng.integers(-3, 4, (60, 3)).astype(float)
    y = X[:, 0] + rng.normal(size=60) > 0
    tables = [X, sparse.csr_matrix(X), X.astype(np.float32), pd.DataFrame(X, columns=list("abc"))]
    found = {checked(table, y, time_limit=None).upper for table in tables}
    assert len(found) == 1


def test_the_same_again():
    X, y = load_iris(return_X_y=True)
    one, two = (minimum_errors(X[50:, :2], y[50:], time_limit=None) for _ in range(2))
    assert str(one) == str(two)
    assert one.rule.lifted.tobytes() == two.rule.lifted.tobytes()
    assert one.conflicts == two.conflicts


# --- Known answers --------------------------------------------------------------------------------


def test_iris_versicolor_and_virginica_differ_in_one_flower():
    X, y = load_iris(return_X_y=True)
    bracket = checked(X[50:], y[50:], time_limit=None)
    assert bracket.proved
    assert (bracket.lower, bracket.upper, len(bracket.wrong_rows)) == (1, 1, 1)


def test_breast_cancer_is_separable():
    X, y = load_breast_cancer(return_X_y=True)
    bracket = checked(X, y)
    assert (bracket.lower, bracket.upper, bracket.conflicts) == (0, 0, [])
    check_sentence(str(bracket))


def test_exclusive_or():
    bracket = checked([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    assert (bracket.proved_lower, bracket.upper) == (1, 1)
    assert bracket.conflicts[0].rows == [0, 1, 2, 3]
    assert bracket.conflicts[0].meeting_point == {"x0": 0.5, "x1": 0.5}


def test_a_row_on_the_hyperplane_is_an_error():
    """Quasi-complete separation: no row on the wrong side, and yet no rule without errors."""
    x, y = [[1], [2], [3], [3], [4], [5]], [0, 0, 0, 1, 1, 1]
    bracket = checked(x, y)
    assert (bracket.proved_lower, bracket.upper) == (1, 1)
    assert bracket.conflicts[0].rows == [2, 3]


def test_rows_that_are_zero_are_errors_through_the_origin():
    bracket = checked([[0, 0], [0, 0], [1, 0]], [1, 0, 1], fit_intercept=False)
    assert bracket.upper == bracket.proved_lower == 2
    assert bracket.wrong_rows.tolist() == [0, 1]
    assert bracket.rule.intercept == 0.0
    bracket = checked([[0.0], [0.0]], [1, 0], fit_intercept=False)
    assert bracket.upper == bracket.proved_lower == 2


@pytest.mark.parametrize("intercept", [True, False])
def test_one_class_alone(intercept):
    bracket = checked([[1.0, 2.0], [-1.0, -2.0]], ["a", "a"], fit_intercept=intercept)
    assert bracket.upper == bracket.proved_lower == (0 if intercept else 1)
    assert bracket.classes == ["a"]


def test_rows_of_weight_zero_are_left_out():
    X, y = [[1], [2], [3], [4]], [0, 1, 0, 1]
    bracket = checked(X, y, sample_weight=[1, 0, 1, 1])
    assert (bracket.upper, bracket.n_rows) == (0, 3)
    check_sentence(str(bracket))
    bracket = checked(X, y, sample_weight=[5, 1, 0.5, 5])
    assert (bracket.lower, bracket.upper) == (0.5, 0.5)
    assert bracket.wrong_rows.tolist() == [2]


def test_rules_with_huge_weights_are_rules():
    """Two clusters a millionth apart, and one wrong label.

    A mixed-integer program y_i (w·x_i + b) >= 1 - M z_i with |w|, |b| <= 1000 cannot say that these
    clusters differ, and calls ten errors the fewest.
    """
    x = np.r_[np.zeros(10), np.full(10, 1e-6), 1.0]
    y = np.r_[-np.ones(10), np.ones(10), -1.0]
    n, box = len(x), 1000.0
    bound = box * (np.abs(x).max() + 1) + 1
    A = np.hstack([(y * x)[:, None], y[:, None], bound * np.eye(n)])
    solved = milp(
        np.r_[0, 0, np.ones(n)],
        constraints=LinearConstraint(A, lb=1),
        integrality=np.r_[0, 0, np.ones(n)],
        bounds=Bounds(np.r_[-box, -box, np.zeros(n)], np.r_[box, box, np.ones(n)]),
    )
    assert solved.status == 0  # "optimal"
    assert round(solved.fun) == 10
    bracket = checked(x[:, None], y)
    assert bracket.proved
    assert bracket.upper == 1 == fewest_on_a_line(x, y, np.ones(n))


def test_no_perceptron_does_better():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :3]
    bracket = checked(X, y, time_limit=2.0)
    for keep in ("best", "pocket"):
        p = Perceptron(keep=keep, max_iter=20, random_state=1).fit((X - X.mean(0)) / X.std(0), y)
        assert p.training_errors_ >= bracket.lower


def test_the_rule_makes_the_errors_that_it_is_said_to_make():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:]
    bracket = checked(X, y, time_limit=None)
    w = [Fraction(v) for v in bracket.rule.lifted.tolist()]
    rows = rational.lifted(X.tolist(), np.where(y == 2, 1, -1))
    wrong = [i for i, a in enumerate(rows) if rational.dot(a, w) <= 0]
    assert bracket.wrong_rows.tolist() == wrong
    assert bracket.upper == len(wrong)


# --- What is proved, and what is trusted ----------------------------------------------------------


@pytest.fixture
def by_conflicts(monkeypatch):
    """Without the cones of directions, which prove as much: tests/bounds/test_directions.py."""
    monkeypatch.setattr(search, "directions", lambda problem: None)


@pytest.mark.usefixtures("by_conflicts")
def test_every_conflict_of_the_bound_is_accepted_by_the_verifier(tmp_path):
    """By the program of its own, too, from a CSV file; and they have no row in common."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)).round(2), columns=list("abc"))
    y = pd.Series(np.where((frame["a"] > 0) ^ (rng.random(200) < 0.04), "yes", "no"), name="y")
    bracket = checked(frame, y)
    assert bracket.proved
    assert bracket.proved_lower > 2
    for k in range(len(bracket.conflicts)):
        bracket.certificate(k).verify(frame, y)
    if bracket.shares is not None and set(bracket.shares) == {1}:
        rows = [i for conflict in bracket.conflicts for i in conflict.rows]
        assert len(rows) == len(set(rows))
    frame.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    bracket.certificate(0).save(tmp_path / "conflict.json")
    command = [sys.executable, "-S", "-I", verify.__file__, "conflict.json", "data.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("ACCEPTED")


def overlapping(n=120, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(1)
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1)


@pytest.mark.usefixtures("by_conflicts")
def test_changed_claims_are_rejected():
    X, y = overlapping()
    bracket = checked(X, y)
    proved, lower, upper = bracket.ends

    def rejected(X=X, y=y, **changes):
        kept = {name: getattr(bracket, name) for name in changes}
        try:
            for name, value in changes.items():
                setattr(bracket, name, value)
            with raises(VerificationError):
                bracket.verify(X, y)
        finally:
            for name, value in kept.items():
                setattr(bracket, name, value)

    rejected(ends=(proved + 1, lower, upper))
    rejected(ends=(proved, lower, upper - 1))
    rejected(wrong_rows=bracket.wrong_rows[1:])
    rejected(rule=Hyperplane.of_lifted(-bracket.rule.lifted))
    rejected(X=X + 1)
    part = json.loads(json.dumps(bracket._parts[0]))
    part["weights"][0] = hex(int(part["weights"][0], 16) + 1)
    rejected(_parts=[part, *bracket._parts[1:]])
    bracket.verify(X, y)


@pytest.mark.usefixtures("by_conflicts")
def test_a_solver_that_lies_cannot_change_what_is_proved(monkeypatch):
    """Its linear programs only suggest shares; its bound is reported as its own."""
    X, y = overlapping(60)
    truth = checked(X, y, time_limit=None)
    assert truth.proved
    honest = optimize.linprog

    def generous(*args, **options):
        found = honest(*args, **options)
        found.ineqlin.marginals = 3 * found.ineqlin.marginals - 0.7
        found.fun *= 4
        return found

    monkeypatch.setattr(optimize, "linprog", generous)
    bracket = minimum_errors(X, y, time_limit=2.0)
    bracket.verify(X, y)
    assert bracket.proved_lower <= truth.upper <= bracket.upper

    def overbearing(c, **options):
        return SimpleNamespace(x=None, mip_dual_bound=1e6, status=1)

    monkeypatch.setattr(optimize, "linprog", honest)
    monkeypatch.setattr(optimize, "milp", overbearing)
    bracket = checked(X, y, time_limit=2.0)
    assert bracket.lower <= truth.upper <= bracket.upper  # a rule contradicts it


def covering(sets, cost):
    """The least cost of a set that meets all: by trying every one."""
    n = len(cost)
    chosen = (set(s) for k in range(n + 1) for s in combinations(range(n), k))
    return min(sum(cost[i] for i in s) for s in chosen if all(s & set(c) for c in sets))


def proof_of(sets, cost):
    cover = Cover(np.array(cost), 1)
    for rows in sets:
        cover.add(dict.fromkeys(rows, 1))
    nothing = np.zeros(len(cost), dtype=bool)
    root = cover.relaxation(range(len(cover.rows)), nothing, Budget(), None)
    cases = Cases(cover, root, Budget())
    cases.reach(covering(sets, cost))
    numbers = [rows.tolist() for rows in cover.rows]
    assert bound_of(cases.root, numbers, dict(enumerate(cost))) == cases.bound
    return cases


def test_all_pairs_of_six_need_five_by_cases():
    """The linear program says three: a half of each."""
    cases = proof_of(list(combinations(range(6), 2)), [1] * 6)
    assert cases.bound == 5
    assert cases.root.count > 1


@given(st.data())
def test_the_proof_by_cases_reaches_the_cheapest_cover(data):
    n = data.draw(st.integers(1, 7))
    one = st.sets(st.integers(0, n - 1), min_size=1, max_size=3)
    sets = data.draw(st.lists(one, min_size=1, max_size=12))
    cost = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    assert proof_of(sets, cost).bound == covering(sets, cost)


@given(st.data())
def test_the_best_step_along_a_line(data):
    """No t on a fine grid has a lower cost than the step that is taken."""
    n = data.draw(st.integers(1, 8))
    whole = st.lists(st.integers(-4, 4), min_size=n, max_size=n)
    m, p = (np.array(data.draw(whole), dtype=float) for _ in range(2))
    c = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), dtype=float)
    with np.errstate(all="ignore"):
        found = rules.best_step(m, p, c)

    def cost(t):
        return c[m + t * p <= 0].sum()

    if found is None:
        assert not p.any()
        return
    least, t = found
    assert least == cost(t)
    assert least <= min(cost(t) for t in np.arange(-10, 10, 1 / 16) + 1 / 512)


# --- Limits, input, words -------------------------------------------------------------------------


def test_little_time_gives_what_can_be_given():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 10))
    y = (X[:, 0] > 0) ^ (rng.random(5000) < 0.1)
    bracket = checked(X, y, time_limit=0.001)
    assert not bracket.optimal
    check_sentence("\n".join(bracket.limits))


def test_too_many_dimensions_for_conflicts():
    """Equal rows of opposite labels are seen all the same."""
    rng = np.random.default_rng(2)
    X = sparse.random(4500, 2000, density=0.002, random_state=rng, format="csr")
    X = sparse.vstack([X, X[:1]], format="csr")
    y = rng.choice([0, 1], 4501)
    y[-1] = 1 - y[0]
    bracket = minimum_errors(X, y, time_limit=2.0)
    assert bracket.upper > bracket.proved_lower >= 1
    check_sentence(bracket.limits[0])


@pytest.mark.parametrize("while_asking", ["conflicts", "cones"])
def test_ctrl_c_goes_on(while_asking, monkeypatch):
    def pressed(*args, **options):
        raise KeyboardInterrupt

    if while_asking == "cones":
        monkeypatch.setattr(PairTable, "forced", pressed)
    else:
        monkeypatch.setattr(search, "directions", lambda problem: None)
        monkeypatch.setattr(optimize, "linprog", pressed)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(KeyboardInterrupt):
        minimum_errors(X[50:, :2], y[50:])


@pytest.mark.parametrize(
    "choices",
    [
        {"time_limit": 0},
        {"time_limit": "long"},
        {"fit_intercept": 1},
        {"sample_weight": [1, -1]},
        {"sample_weight": [0, 0]},
        {"X": [[1.0], [np.nan]]},
        {"y": [0, 1, 1]},
        {"X": [[1], [2], [3]], "y": [0, 1, 2]},
    ],
)
def test_bad_input_gets_one_clear_error(choices):
    given = {"X": [[1.0], [2.0]], "y": [0, 1]} | choices
    with raises(InputError):
        minimum_errors(given.pop("X"), given.pop("y"), **given)


def test_in_words():
    bracket = checked([[1], [2], [3], [4], [5]], [0, 0, 1, 0, 1])
    check_sentence(str(bracket))
    check_sentence(bracket._repr_html_())
    assert repr(bracket) == "<ErrorBracket: 1 to 1 of 5>"


def test_names_are_escaped_in_a_notebook():
    frame = pd.DataFrame({"<b>": [1, 2, 3, 4]})
    html = checked(frame, [0, 1, 0, 1])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<td><b>" not in html


def test_with_no_time_at_all_it_still_knows_the_larger_class():
    X, y = load_iris(return_X_y=True)
    found = minimum_errors(X[50:], y[50:], time_limit=1e-9)
    assert found.upper <= 50  # of 100 rows, half of each class


def test_a_common_unit_within_rounding_is_found():
    """Of 0.1 and 0.3, of thirds, of class weights; not of numbers that have none."""
    for weights, counts, unit in (
        ([0.1, 0.3, 0.7], [1, 3, 7], Fraction(1, 10)),
        ([1 / 3, 1.0, 2 / 3, 0.0], [1, 3, 2, 0], Fraction(1, 3)),
        ([0.1, 0.1 + 0.2], [1, 3], Fraction(1, 10)),
        ([592 / 1319, 592 / 727], [727, 1319], Fraction(592, 1319 * 727)),
    ):
        costs = Costs.of(np.array(weights))
        assert costs.rounded
        assert costs.single.tolist() == counts
        assert costs.unit == unit
    exact = np.random.default_rng(0).random(5)
    costs = Costs.of(exact)
    assert not costs.rounded
    assert [v * costs.unit for v in costs.single.tolist()] == [Fraction(v) for v in exact.tolist()]
