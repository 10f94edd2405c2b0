"""Weights whose signs are demanded: the projected perceptron, as an oracle in fractions has it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from common import may_not_separate
from oracle import Oracle
from raising import raises
from rosenblatt import AROW, Perceptron, certify, load, save, train
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt.errors import InputError

pytestmark = may_not_separate

ORDERS = ["cyclic", "shuffle", "fixed", "blocks", "random", "batch"]


@st.composite
def problems(draw):
    """Whole numbers, with ties and rows of zeros: every sum of them is exact."""
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(3, 12)), draw(st.sampled_from([1, 2, 5, 18]))
    X = rng.integers(-4, 5, (n, d)) * rng.integers(0, 2, (n, d))
    X[:2] = [[3] * d, [-3] * d]
    y = rng.choice([-1, 1], n)
    y[:2] = 1, -1
    c = rng.choice([0.5, 1.0, 3.0], n) if draw(st.booleans()) else None
    return X.astype(float), y, c, rng.integers(-1, 2, d), draw(st.booleans()), seed


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("core", ["native", "reference"])
@pytest.mark.parametrize("order", ORDERS)
@given(problem=problems(), storage=st.sampled_from(["dense", "float32", "csr"]))
def test_every_bit_is_that_of_fractions(core, order, problem, storage):
    X, y, c, signs, intercept, seed = problem
    rows = {"dense": lambda: X, "float32": lambda: X.astype(np.float32)}.get(
        storage, lambda: sparse.csr_array(X)
    )()
    kept = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", 5)
        if core == "reference":
            patch.setattr(compute, "backend", reference)
        for keep in ("last", "average", "best", "pocket", "vote"):
            p = Perceptron(
                order=order, keep=keep, signs=signs, fit_intercept=intercept, max_iter=4,
                patience=None, random_state=seed, margin=1.0,
            )  # fmt: skip
            kept[keep] = p.fit(rows, y, c)
    last = kept["last"]
    oracle = Oracle(
        X, y, c=c, margin=1, intercept=intercept, signs=signs, seed=last._state.seed
    ).run(order, 4, block=5)
    assert [*last.coef_[0], last.intercept_[0]] == [float(v) for v in oracle.w]
    assert (last.mistakes_.tolist(), last.converged_) == (oracle.mistakes, oracle.clean)
    assert last.update_counts_.tolist() == oracle.counts
    pocket = kept["pocket"]
    assert [*pocket.coef_[0], pocket.intercept_[0]] == [float(v) for v in oracle.pocket()]
    for keep in ("average", "best"):
        assert (kept[keep].coef_ * signs >= 0).all()
    mean = np.array([*kept["average"].coef_[0], kept["average"].intercept_[0]])
    np.testing.assert_allclose(mean, [float(v) for v in oracle.mean()], rtol=1e-13, atol=1e-13)
    expected = [float(oracle.mean_vote(x)) for x in X.tolist()]
    np.testing.assert_allclose(kept["vote"].decision_function(X), expected, atol=1e-14)


def separable_under(seed):
    """Rows with a margin, by a rule that obeys the signs."""
    rng = np.random.default_rng(seed)
    w = rng.integers(-3, 4, 4)
    X = rng.integers(-9, 10, (60, 4)).astype(float)
    X = X[np.abs(X @ w + 0.5) > 2]
    return X, np.where(X @ w > 0, 1, -1), np.sign(w)


def test_it_converges_to_a_rule_that_obeys_within_the_bound(heavy):
    """The bound of Novikoff, with the margin of any rule that obeys: here a certified one."""
    for seed in range(heavy(200)):
        X, y, signs = separable_under(seed)
        certificate = certify(X, y, signs=signs)
        if not certificate.separable or len(set(y)) < 2:
            continue
        p = Perceptron(order="cyclic", keep="last", signs=signs, patience=None, max_iter=10**6)
        p.fit(X, y)
        assert p.converged_
        assert p.training_errors_ == 0
        assert (p.coef_ * signs >= 0).all()
        w = np.append(certificate.separator.coef, certificate.separator.intercept)
        lifted = np.column_stack([X, np.ones(len(X))])
        gamma = (y * (lifted @ w)).min() / np.linalg.norm(w)
        assert p.n_updates_ <= (lifted**2).sum(axis=1).max() / gamma**2 * (1 + 1e-9)


def test_without_signs_nothing_changes():
    X, y, _ = separable_under(1)
    plain, none = (
        Perceptron(signs=signs, random_state=0).fit(X, y) for signs in (None, np.zeros(4))
    )
    assert plain.coef_.tolist() == none.coef_.tolist()


def test_names_are_those_of_the_frame_and_the_sign_is_for_the_second_class():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((200, 3)), columns=["income", "reports", "age"])
    y = np.where(X["income"] - X["reports"] + rng.normal(0, 1, 200) > 0, "yes", "no")
    free = Perceptron(keep="average", margin=1.0).fit(X, y)
    assert (np.sign(free.coef_[0][:2]) == [1, -1]).all()
    demand = {"income": "-", "reports": -1}
    turned = Perceptron(keep="average", margin=1.0, signs=demand, random_state=0).fit(X, y)
    assert -0.5 < turned.coef_[0][0] <= 0
    assert turned.coef_[0][1] < 0
    again = clone(turned).set_params(signs=[-1, -1, 0]).fit(X, y)
    assert again.coef_.tolist() == turned.coef_.tolist()


def test_an_infeasible_demand_trains_and_is_said_to_be_so():
    X, y = np.arange(-5.0, 6).reshape(-1, 1), np.arange(-5, 6) > 0
    p = Perceptron(signs=["-"], prove=True).fit(X, y)
    assert p.coef_[0][0] == 0
    assert p.certificate_.separable is False
    assert p.certificate_.signs == {"x0": "-"}
    assert Perceptron(signs=["+"], prove=True, patience=1).fit(X, y).training_errors_ == 0


def test_it_goes_on_where_it_stopped():
    rng = np.random.default_rng(2)
    X, y, signs = rng.standard_normal((300, 5)), rng.integers(0, 2, 300), [1, -1, 0, 1, 1]
    more = {"signs": signs, "random_state": 0, "patience": None, "warm_start": True}
    whole = Perceptron(max_iter=6, **more).fit(X, y)
    half = Perceptron(max_iter=3, **more).fit(X, y).fit(X, y)
    assert half._state.memory.w.tolist() == whole._state.memory.w.tolist()
    assert half.n_iter_ == 6
    other = half.set_params(signs=[1, 1, 0, 1, 1]).fit(X, y)  # another training, from these weights
    assert other.n_iter_ == 3
    assert (other.coef_[0] * [1, 1, 0, 1, 1] >= 0).all()
    passes = Perceptron(signs=signs)
    for part in np.split(np.arange(300), 3):
        passes.partial_fit(X[part], y[part], classes=[0, 1])
        assert (passes.coef_[0] * signs >= 0).all()


@pytest.mark.parametrize("signs", [{"b": "+", "a": -1}, [-1, 1, 0], np.array([-1, 1, 0])], ids=repr)
def test_files_and_pickles_keep_it(signs, tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 3)), columns=list("abc"))
    p = Perceptron(signs=signs, random_state=0).fit(X, X["a"] < X["b"])
    save(p, tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    for other in (loaded, pickle.loads(pickle.dumps(p))):
        assert other.coef_.tolist() == p.coef_.tolist()
        assert clone(other).fit(X, X["a"] < X["b"]).coef_.tolist() == p.coef_.tolist()


@pytest.mark.parametrize("signs", [{"d": "+"}, {"a": "++"}, [1, 0], "+", {"one": 1}, 1], ids=repr)
def test_what_cannot_be_demanded_is_an_error_before_training(signs):
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 3)), columns=list("abc"))
    X["one"] = 1.0
    with raises(InputError, option="signs"):
        Perceptron(signs=signs, random_state=0).fit(X, X["a"] < X["b"])


def test_others_are_refused_by_name():
    X, y = np.arange(12.0).reshape(6, 2), [0, 0, 1, 1, 2, 2]
    for multi_class in ("joint", "ovr"):
        with raises(InputError, option="signs"):
            Perceptron(signs=[1, 0], multi_class=multi_class).fit(X, y)
    with raises(InputError, option="signs"):
        Perceptron(signs=[1, 0], order="mixed").fit(X, [0, 1] * 3)
    with raises(InputError, option="signs"):
        train(Perceptron(signs=[1], order="blocks"), lambda: [(X[:4], [0, 0, 1, 1])])
    with pytest.raises(TypeError):
        AROW(signs=[1, 0])
