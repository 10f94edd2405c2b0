"""Bounds by directions: against exhaustive search, a flow of scipy's, and known answers."""

import copy
import json
import pickle
import shutil
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import maximum_flow
from sklearn.datasets import load_breast_cancer

import rational
from degenerate import KINDS, dense, instance
from fewest import fewest
from raising import raises
from rosenblatt import minimum_errors, verify, verify_errors
from rosenblatt._bounds import directions as cones_of
from rosenblatt._bounds import directions as tree
from rosenblatt._bounds import pairs, search
from rosenblatt._bounds.cones import simplest
from rosenblatt._bounds.directions import Tree, directions
from rosenblatt._bounds.pairs import NO_PAIRS, PairTable
from rosenblatt._bounds.problem import Costs, Problem
from rosenblatt._certify.rows import Rows
from rosenblatt._core import reference
from rosenblatt._util.budget import Budget, LimitReached
from rosenblatt.errors import InputError, VerificationError


@pytest.fixture
def always(monkeypatch):
    """Cones for tiny tables, too."""
    monkeypatch.setattr(search, "_TINY", 0)
    monkeypatch.setattr(search, "_MOST_CONES", 1000)


def signs(y):
    return np.where(np.asarray(y) > 0, 1, -1) if len(set(y)) > 1 else np.ones(len(y), dtype=int)


def noisy(n, d, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X @ rng.standard_normal(d) > 0) ^ (rng.random(n) < noise)


# --- As few as can be -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_as_few_as_exhaustive_search_finds(kind, always, heavy):
    for k in range(heavy(300)):
        X, y, _ = instance(kind, k)
        X, n = dense(X), len(y)
        weights = np.random.default_rng(k).choice([1, 2, 3.5], n) if k % 3 == 0 else None
        bracket = minimum_errors(X, y, sample_weight=weights, time_limit=None)
        bracket.verify(X, y)
        least = fewest(
            rational.lifted(X.tolist(), signs(y), True), [1] * n if weights is None else weights
        )
        proved, _, upper = (end * bracket._unit for end in bracket.ends)
        assert proved == least
        assert upper == least or bracket.limits


@given(st.data())
def test_the_cones_alone_close_whole_numbered_tables_in_the_plane(data):
    """With many ties: where a split at a fixed ratio would never end."""
    n = data.draw(st.integers(2, 9))
    row = st.tuples(st.integers(-3, 3), st.integers(-3, 3))
    X = np.array(data.draw(st.lists(row, min_size=n, max_size=n)), dtype=float)
    y = np.array(
        [1, -1, *data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))]
    )
    cost = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), dtype=float)
    rows = Rows(X, y.astype(np.int8), intercept=True, decimal=False, budget=Budget())
    cones = directions(Problem(rows, Costs.of(cost)))
    cones.reach()
    least = fewest(rational.lifted(X.tolist(), y, True), cost.astype(int).tolist())
    assert cones.bound * cones.problem.unit == least


def test_permuting_scaling_and_turning_columns_changes_nothing(always, heavy):
    for seed in range(heavy(100)):
        rng = np.random.default_rng(seed)
        X = rng.integers(-5, 6, (40, 3)).astype(float)
        y = X[:, 0] + rng.normal(0, 3, 40) > 0
        one = minimum_errors(X, y, time_limit=None)
        order, columns = rng.permutation(40), rng.permutation(3)
        scale = rng.choice([-1, 1], 3) * rng.choice([1, 3, 0.25, 1024], 3)
        other = minimum_errors(X[order][:, columns] * scale, y[order], time_limit=None)
        assert one.proved
        assert (one.proved_lower, one.upper) == (other.proved_lower, other.upper)


def test_never_below_the_bound_of_conflicts(monkeypatch, heavy):
    for seed in range(heavy(40)):
        X, y = noisy(70, 2, seed, 0.2)
        found = minimum_errors(X, y, time_limit=None)
        with monkeypatch.context() as patch:
            patch.setattr(search, "directions", lambda problem: None)
            before = minimum_errors(X, y, time_limit=None)
        assert found.proved_lower >= before.proved_lower
        assert found.upper <= before.upper


@pytest.mark.parametrize(("columns", "fewest"), [(2, 55), (3, 42), (4, 38)])
def test_breast_cancer(columns, fewest):
    """Found by a program of its own before this one was written."""
    X, y = load_breast_cancer(return_X_y=True)
    bracket = minimum_errors(X[:, :columns], y, time_limit=None)
    assert (bracket.proved_lower, bracket.upper, bracket.proof) == (fewest, fewest, "directions")
    bracket.verify(X[:, :columns], y)


def test_many_rows_in_the_plane():
    X, y = noisy(5000, 2)
    bracket = minimum_errors(X, y, time_limit=None)
    assert bracket.proved
    assert bracket.upper <= np.count_nonzero(
        y != (X @ bracket.rule.coef + bracket.rule.intercept > 0)
    )
    bracket.verify(X, y)


# --- The pairs of a cone --------------------------------------------------------------------------


@st.composite
def ranked(draw):
    n, generators = draw(st.integers(2, 9)), draw(st.integers(2, 4))
    rank = draw(st.lists(st.integers(0, n - 1), min_size=n * generators, max_size=n * generators))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    cost = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return (
        np.array(rank, dtype=np.int32).reshape(generators, n),
        np.array(y, dtype=np.int8),
        np.array(cost, dtype=np.int64),
    )


def largest_flow(rank, y, cost):
    """By scipy: from a source through positive rows, pairs and negative rows to a sink."""
    n = len(y)
    flow = sparse.lil_matrix((n + 2, n + 2), dtype=np.int32)
    for i in range(n):
        flow[(n, i) if y[i] > 0 else (i, n + 1)] = cost[i]
        for k in range(n):
            if y[i] > 0 > y[k] and (rank[:, k] >= rank[:, i]).all():
                flow[i, k] = 100
    return maximum_flow(flow.tocsr(), n, n + 1).flow_value


@given(ranked())
def test_the_largest_flow_in_the_core_in_the_reference_and_by_scipy(table):
    core = pytest.importorskip("rosenblatt._core._native")
    rank, y, cost = table
    expected = largest_flow(rank, y, cost)
    for backend in (core, reference):
        i, k, amount = backend.forced_pairs(rank, y, cost, *NO_PAIRS)
        assert amount.sum() == expected
        assert (rank[:, k] >= rank[:, i]).all()
        assert (y[i] == 1).all()
        assert (y[k] == -1).all()
        assert (np.bincount(np.r_[i, k], np.r_[amount, amount], len(y)) <= cost).all()
        i, k, amount = backend.forced_pairs(rank, y, cost, i, k, amount)  # nothing to add
        assert amount.sum() == expected


@given(ranked())
def test_undecided_pairs_in_the_core_and_in_the_reference(table):
    core = pytest.importorskip("rosenblatt._core._native")
    rank, y, cost = table
    found = [
        {tuple(pair) for pair in np.transpose(b.undecided_pairs(rank, y, cost, 1000)[:2]).tolist()}
        for b in (core, reference)
    ]
    assert found[0] == found[1]
    assert len(core.undecided_pairs(rank, y, cost, 2)[0]) == min(2, len(found[0]))


@given(
    st.lists(st.tuples(*[st.floats(-1e9, 1e9, width=32)] * 2), min_size=1, max_size=8), st.data()
)
def test_ranks_are_those_of_exact_products(rows, data):
    x = np.array(rows)
    table = PairTable(x, np.ones(len(x), np.int8), np.ones(len(x), np.int64))
    if not table.possible:
        return
    bits = [126 - 2 - int(b) for b in table.bits]
    direction = tuple(data.draw(st.integers(-(2 ** (b - 1)), 2 ** (b - 1))) for b in bits)
    scale = [Fraction(2) ** int(k) for k in table.below]
    exact = [sum(Fraction(v) * s * g for v, s, g in zip(r, scale, direction)) for r in rows]  # noqa: B905
    order = sorted(set(exact))
    assert table.fits(direction)
    assert table.ranks(direction).tolist() == [order.index(v) for v in exact]


def test_numbers_of_128_bits_lie_where_the_core_may_read_them():
    for shape in [(1, 2), (3, 2), (5, 3, 2), (1000, 4, 2)] * 20:
        words = pairs._aligned(shape)
        assert words.shape == shape
        assert words.ctypes.data % 16 == 0
        assert words.flags.c_contiguous


def test_numbers_too_far_apart_are_left_to_conflicts(always):
    X = np.array([[1e-300, 1.0], [1.0, 2.0], [3.0, 0.5], [2.0, 7.0]])
    assert not PairTable(X, np.ones(4, np.int8), np.ones(4, np.int64)).possible
    assert minimum_errors(X, [0, 1, 0, 1], time_limit=None).proof == "conflicts"


@given(
    st.fractions(Fraction(1, 50), 50, max_denominator=50), st.fractions(0, 5, max_denominator=50)
)
def test_the_simplest_fraction(low, width):
    high = low + width
    found = simplest(low, high)
    assert low <= found <= high
    denominators = range(1, found.denominator)
    assert not any((low * q).__ceil__() <= high * q for q in denominators)


# --- The proof as a file --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proved():
    X, y = noisy(120, 3, 5)
    X = X.round(1)
    frame = pd.DataFrame(X, columns=list("abc"))
    labels = pd.Series(np.where(y, "yes", "no"), name="y")
    bracket = minimum_errors(frame, labels, time_limit=None)
    assert bracket.proof == "directions"
    return frame, labels, bracket


def run(folder, *names):
    command = [sys.executable, "-S", "-I", *names]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_stand_alone_verifier_accepts_it(proved, tmp_path):
    """Copied out with verify.py beside it, without the library."""
    frame, labels, bracket = proved
    bracket.save(tmp_path / "proof.json")
    frame.assign(y=labels).to_csv(tmp_path / "data.csv", index=False)
    for module in (verify, verify_errors):
        shutil.copy(module.__file__, tmp_path)
    here = "import sys; sys.path.insert(0, '.'); import verify_errors"
    line = f"{here}; sys.exit(verify_errors.main(['proof.json', 'data.csv']))"
    done = run(tmp_path, "-c", line)
    assert done.returncode == 0, done.stdout + done.stderr
    least, most = bracket.proved_lower, bracket.upper
    assert (
        f"misclassifies at least {least} of 120 rows; the rule given misclassifies {most}"
        in done.stdout
    )
    frame.assign(a=frame["a"] + 1, y=labels).to_csv(tmp_path / "data.csv", index=False)
    assert run(tmp_path, "-c", line).stdout.startswith("REJECTED: this is other data")


def data_of(frame, labels, claim):
    y = verify.label_signs(claim, labels.tolist())
    return verify.Data(claim, frame.to_numpy().astype("<f8").tobytes(), y)


def check(claim, data):
    verify_errors.check_form(claim)
    verify_errors.check(claim, data)


def places(value, path=()):
    """Every number, text and list in a document."""
    yield path
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


def test_the_document_is_made_when_it_is_asked_for(monkeypatch, tmp_path):
    X, y = noisy(120, 3, 5)

    def asked(*_):
        raise AssertionError("nobody asked for the proof")

    with monkeypatch.context() as patch:
        patch.setattr(tree, "_step", asked)
        bracket = minimum_errors(X, y, time_limit=None)
        assert (bracket.proof, bracket.shares) == ("directions", None)
        assert str(bracket)
        with raises(AssertionError):
            bracket.save(tmp_path / "proof.json")
        assert not list(tmp_path.iterdir())
    claim = bracket.to_dict()
    assert bracket.n_cases == sum(type(step) is dict for step in claim["tree"])
    assert pickle.loads(pickle.dumps(bracket)).to_dict() == claim
    bracket.verify(X, y)


def test_cones_get_the_time_that_conflicts_would_waste(monkeypatch):
    """So many labels are noise that the ends stay far apart; here memory ends the cones."""
    X, y = noisy(100, 4, noise=0.4)

    def in_vain(self):
        raise AssertionError("the solver was asked")

    monkeypatch.setattr(search.Search, "_meet", in_vain)
    monkeypatch.setattr(cones_of, "_MOST_RANKS", 100 * 40)
    bracket = minimum_errors(X, y, time_limit=1e6)
    assert bracket.proof == "directions"
    assert 4 * (bracket.upper - bracket.proved_lower) > bracket.upper
    with raises(AssertionError):
        minimum_errors(X, y, time_limit=None)  # then everything is tried


def test_whatever_is_changed_is_rejected(proved, heavy):
    """A number changed, a part left out, another kind: rejected, or still a true claim."""
    frame, labels, bracket = proved
    claim = json.loads(json.dumps(bracket.to_dict()))
    data = data_of(frame, labels, claim)
    check(claim, data)
    rng = np.random.default_rng(0)
    everywhere = [path for path in places(claim) if path]
    rejected = 0
    for place in rng.integers(0, len(everywhere), heavy(4000)).tolist():
        spoiled, path = copy.deepcopy(claim), everywhere[place]
        part = spoiled
        for key in path[:-1]:
            part = part[key]
        change = rng.integers(5)
        if change == 0:
            del part[path[-1]]
        elif change == 1 and type(part[path[-1]]) is int:
            part[path[-1]] += int(rng.choice([-1, 1, 7]))
        elif change == 2 and isinstance(part, list):
            part.insert(path[-1], copy.deepcopy(part[path[-1]]))
        else:
            part[path[-1]] = [None, True, "x", 3, [], {}, 1.0][rng.integers(7)]
        try:
            check(spoiled, data)
        except (verify.Rejected, KeyError, TypeError, ValueError, AttributeError):
            rejected += 1
            continue
        assert spoiled["at_least"] <= bracket.upper
        assert spoiled["at_most"] is None or spoiled["at_most"] >= bracket.proved_lower
    assert rejected


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(at_least=c["at_least"] + 1),
        lambda c: c.update(at_most=c["at_most"] - 1),
        lambda c: c["tree"].pop(),
        lambda c: c["tree"].append({"pairs": []}),
        lambda c: c.update(column=[0, 1]),
        lambda c: c.update(powers=[0, 0, 0]),
        lambda c: c.update(costs=[2] * 120),
        lambda c: c.update(extra=1),
        lambda c: c.update(fit_intercept=False),
        lambda c: c.update(unit="1e9"),
        lambda c: c.update(sha256="0" * 64),
    ],
)
def test_what_is_wrong_is_said(proved, change):
    frame, labels, bracket = proved
    claim = json.loads(json.dumps(bracket.to_dict()))
    data = data_of(frame, labels, claim)
    change(claim)
    with raises(verify.Rejected):
        check(claim, data)


def test_pairs_that_are_none_are_rejected(proved):
    frame, labels, bracket = proved
    claim = json.loads(json.dumps(bracket.to_dict()))
    data = data_of(frame, labels, claim)
    leaf = next(step for step in claim["tree"] if isinstance(step, dict) and len(step["pairs"]) > 1)
    whole = copy.deepcopy(leaf["pairs"])
    (i, k, errors), (other, *_) = whole[:2]
    for pair in [
        [k, i, errors],
        [other, k, errors],
        [i, k, errors + 1],
    ]:
        leaf["pairs"] = [pair, *whole[1:]]
        with raises(verify.Rejected):
            verify_errors.check(claim, data)


def test_changed_brackets_are_rejected(proved):
    frame, labels, bracket = proved
    changed = copy.copy(bracket)
    changed.ends = (bracket.ends[0] + 1, *bracket.ends[1:])
    with raises(VerificationError):
        changed.verify(frame, labels)


def test_wherever_the_search_is_cut_short_its_bound_is_proved(heavy):
    X, y = noisy(60, 3, 2)
    rows = Rows(
        X, np.where(y, 1, -1).astype(np.int8), intercept=True, decimal=False, budget=Budget()
    )
    bounds = set()
    for limit in np.linspace(60, 20_000, heavy(200)).astype(int).tolist():
        rows.budget = Budget()
        cones = directions(Problem(rows, None))
        rows.budget = Budget(work_limit=limit)
        with suppress(LimitReached):
            cones.reach()
        bounds.add(cones.bound)
        if cones.bound:
            claim = Tree(cones, np.arange(60), 60).document | {"at_least": cones.bound}
            claim["columns"] = list("abc")
            data = verify.Data(
                claim | {"dropped": [], "rows": 60, "fit_intercept": True, "numbers": "float"},
                X.astype("<f8").tobytes(),
                np.where(y, 1, -1).tolist(),
            )
            verify_errors.check_tree(claim, verify_errors.Table(claim, data))
    assert len(bounds) > 2


def test_a_bound_by_conflicts_has_no_such_file():
    bracket = minimum_errors([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    with raises(InputError):
        bracket.to_dict()
