"""What a score of 0 is, rates that decay, relaxation, and one permutation for all epochs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import ORDERS
from oracle import Oracle, permutation
from raising import raises
from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    Relaxation,
    StopReason,
    load,
    save,
    trace,
    train,
)
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt.errors import InputError
from storing import store

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TIES = ["mistake", "positive", "negative"]
LI_HANG = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])


def on_a_grid(seed, n=12, d=2):
    """Whole numbers: scores of 0 are frequent, and nothing is rounded."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], n)
    y[:2] = [-1, 1]
    return rng.integers(-3, 4, (n, d)).astype(float), y


def all_of(p, X):
    return (
        p.decision_function(X).tobytes(),
        p._state.memory.w.tobytes(),
        p.update_counts_.tolist(),
        p.mistakes_.tolist(),
        (p.n_iter_, p.training_errors_, p.converged_, p.stop_reason_),
    )


# --- What a score of 0 is ------------------------------------------------------------------------


def test_ties_by_hand():
    # From zero weights row 0 (+1) has the score 0. "positive" passes it: row 1 (-1), (2, 1), is the
    # first update, w = (-2, -1), b = -1; then row 0 (1, 1) scores -4: w = (-1, 0), b = 0. Epoch 2:
    # row 0 scores -1: w = (0, 1), b = 1; row 1 scores 2: w = (-2, 0), b = 0 ...
    X, y = np.array([[1.0, 1.0], [2.0, 1.0]]), [1, -1]
    first = {tie: Perceptron(order="cyclic", keep="last", tie=tie, max_updates=1) for tie in TIES}
    made = {tie: p.fit(X, y).update_counts_.tolist() for tie, p in first.items()}
    assert made == {"mistake": [1, 0], "positive": [0, 1], "negative": [1, 0]}


def test_li_hang_with_the_sign_of_0_as_plus_1_visits_other_rows():
    visits = {
        tie: trace(Perceptron(order="cyclic", keep="last", tie=tie), *LI_HANG).row.tolist()
        for tie in TIES
    }
    assert visits["mistake"] == [0, 2, 2, 2, 0, 2, 2]
    assert visits["positive"] == [2, 0, 2, 2, 0, 2, 2]


@pytest.mark.parametrize("storage", ["dense", "csr32"])
@pytest.mark.parametrize("keep", ["last", "best", "pocket", "average"])
@pytest.mark.parametrize("order", ORDERS)
def test_cores_agree_on_ties(order, keep, storage, with_core, heavy):
    core = compute.backend
    for seed in range(heavy(60)):
        X, y = on_a_grid(seed)
        c = np.random.default_rng(seed).choice([0.0, 1.0, 2.0], len(y)) if seed % 3 else None
        if c is not None:
            c[:2] = 1.0
        found = []
        for backend in (core, reference):
            with_core(backend)
            p = Perceptron(
                order=order, keep=keep, tie=TIES[1 + seed % 2], random_state=seed, max_iter=4
            )
            found.append(all_of(p.fit(store(X, storage), y, c), X))
        assert found[0] == found[1], seed


@pytest.mark.parametrize("order", ORDERS)
@given(seed=st.integers(0, 10**6), tie=st.sampled_from(TIES))
def test_the_dual_form_agrees_on_ties(order, seed, tie):
    X, y = on_a_grid(seed)
    same = {"order": order, "keep": "last", "tie": tie, "random_state": seed, "max_iter": 5}
    primal = Perceptron(**same).fit(X, y)
    dual = KernelPerceptron(kernel="linear", **same).fit(X, y)
    assert dual.update_counts_.tolist() == primal.update_counts_.tolist()
    assert dual.training_errors_ == primal.training_errors_


def test_a_converged_rule_may_have_rows_of_the_label_on_the_hyperplane():
    # (0, 0) scores b: with b = 0 it is right as +1. No hyperplane through the origin has it inside.
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, 1.0]]), [1, 1, -1]
    p = Perceptron(tie="positive", fit_intercept=False, keep="last").fit(X, y)
    assert (p.converged_, p.training_errors_) == (True, 0)
    assert p.decision_function(X)[0] == 0
    strict = Perceptron(fit_intercept=False, keep="last", max_iter=20).fit(X, y)
    assert strict.training_errors_ > 0


def test_a_trace_knows_the_tie_and_is_checked_with_it(tmp_path):
    t = trace(Perceptron(order="cyclic", keep="last", tie="positive"), *LI_HANG)
    assert t.check().ok
    again = type(t).from_json(t.to_json())
    assert again.replay.run.tie == "positive"
    assert again.check().ok
    with raises(InputError):
        t.play(tmp_path / "page.html", show=False)


@pytest.mark.parametrize("n_classes", [3, 4])
def test_ties_of_many_classes_are_those_of_each_against_the_rest(n_classes):
    X, _ = on_a_grid(4, n=20)
    y = np.arange(20) % n_classes
    with raises(InputError, option="tie", value="positive"):
        Perceptron(tie="positive").fit(X, y)
    same = {"tie": "positive", "order": "cyclic", "keep": "last", "max_iter": 3}
    p = Perceptron(multi_class="ovr", **same).fit(X, y)
    one = Perceptron(**same).fit(X, y == 0)
    assert p.coef_[0].tolist() == one.coef_[0].tolist()


def test_what_does_not_go_with_a_tie_is_refused():
    with raises(InputError, option="tie", value="zero"):
        Perceptron(tie="zero").fit(*LI_HANG)
    with raises(InputError, option="tie", value="negative"):
        Perceptron(tie="negative", keep="vote").fit(*LI_HANG)


# --- One permutation for all epochs --------------------------------------------------------------


def test_the_fixed_order_is_the_permutation_of_the_first_epoch(heavy):
    for seed in range(heavy(200)):
        X, y = on_a_grid(seed)
        p = Perceptron(order="fixed", keep="best", random_state=seed, max_iter=5).fit(X, y)
        cycle = permutation(p._state.seed, 0, len(y))
        other = Perceptron(order="cyclic", keep="best", max_iter=5).fit(X[cycle], y[cycle])
        assert p.coef_.tolist() == other.coef_.tolist()
        assert p.update_counts_[cycle].tolist() == other.update_counts_.tolist()


# --- A rate that decays, and relaxation ----------------------------------------------------------


def off_the_grid(seed, n=10, d=3):
    X, y = on_a_grid(seed, n, d)
    return X + np.random.default_rng(seed).normal(size=X.shape) / 8, y


def test_a_decaying_rate_by_hand():
    # η_t = 1/(1 + t): updates with rows 0, 2, 2 of Li Hang's have the rates 1, 1/2, 1/3.
    #   (3, 3) b 1;  row 1 scores 22;  row 2 scores 7: (5/2, 5/2) b 1/2;
    #   rows 0, 1 are right;  row 2 scores 11/2: (13/6, 13/6) b 1/6
    p = Perceptron(order="cyclic", keep="last", decay=1.0, max_updates=3).fit(*LI_HANG)
    np.testing.assert_allclose(np.append(p.coef_, p.intercept_), [13 / 6, 13 / 6, 1 / 6])
    assert p.update_counts_.tolist() == [1, 0, 2]


@pytest.mark.parametrize("order", ORDERS)
@given(seed=st.integers(0, 10**6), decay=st.sampled_from([0.125, 1.0, 3.0]))
def test_a_decaying_rate_follows_its_definition(order, seed, decay):
    X, y = off_the_grid(seed)
    p = Perceptron(order=order, keep="last", decay=decay, max_iter=4, random_state=seed).fit(X, y)
    oracle = Oracle(X, y, seed=p._state.seed, decay=decay).run(order, 4)
    assert p.update_counts_.tolist() == oracle.counts
    np.testing.assert_allclose(np.append(p.coef_, p.intercept_), [float(v) for v in oracle.w])


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "batch"])
@given(seed=st.integers(0, 10**6), factor=st.sampled_from([0.5, 1.25, 1.5]))
def test_relaxation_follows_its_definition(order, seed, factor):
    X, y = off_the_grid(seed)
    p = Relaxation(
        order=order, keep="last", factor=factor, margin=2.0, max_iter=4, random_state=seed
    ).fit(X, y)
    oracle = Oracle(X, y, seed=p._state.seed, margin=2, relaxation=factor).run(order, 4)
    assert p.update_counts_.tolist() == oracle.counts
    np.testing.assert_allclose(
        np.append(p.coef_, p.intercept_), [float(v) for v in oracle.w], rtol=1e-9, atol=1e-12
    )


def test_relaxation_moves_a_share_of_the_way_to_the_margin():
    # One row (3, 4), through the origin, m = 0, ‖x‖² = 25: the margin becomes λμ.
    for factor in (0.5, 1.0, 1.5):
        p = Relaxation(factor=factor, margin=2.0, fit_intercept=False, max_updates=1, keep="last")
        p.fit([[3.0, 4.0], [-3.0, -4.0]], [1, -1])
        assert p.decision_function([[3.0, 4.0]])[0] == pytest.approx(2 * factor)


def test_a_row_of_zeros_has_no_way_to_its_margin():
    p = Relaxation(fit_intercept=False, keep="last", max_iter=3)
    p.fit([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], [1, 1, -1])
    assert np.isfinite(p.coef_).all()
    assert p.update_counts_[0] == 3


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(decay=0.3, keep="average"),
        Perceptron(decay=0.3, keep="best", margin=0.5),
        Relaxation(factor=1.7, margin=0.7),
        Relaxation(factor=0.3, keep="average", fit_intercept=False),
    ],
    ids=str,
)
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@pytest.mark.parametrize("classes", [2, 3])
def test_cores_agree_on_rates(estimator, order, classes, with_core, heavy):
    core = compute.backend
    for seed in range(heavy(40)):
        X, y = off_the_grid(seed)
        y = y if classes == 2 else np.arange(len(y)) % 3
        c = np.random.default_rng(seed).random(len(y)) + 0.1 if seed % 2 else None
        found = []
        for backend, storage in ((core, "dense"), (core, "csr64"), (reference, "dense")):
            with_core(backend)
            p = type(estimator)(**estimator.get_params() | {"order": order, "random_state": seed})
            p.set_params(max_iter=5).fit(store(X, storage), y, c)
            counts = p.update_counts_ if classes == 2 else p.update_counts_.toarray()
            found.append((p.coef_.tobytes(), p.intercept_.tobytes(), counts.tolist()))
        assert found[0] == found[1] == found[2], seed


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(decay=0.5, keep="last"),
        Perceptron(decay=0.5, keep="last", order="batch"),
        Perceptron(tie="negative", keep="best"),
        Perceptron(order="fixed", keep="best", random_state=1),
        Relaxation(order="fixed", random_state=2),
    ],
    ids=str,
)
def test_training_goes_on_where_it_stopped_also_from_a_file(estimator, tmp_path):
    X, y = off_the_grid(3, n=30)
    kind, given = type(estimator), estimator.get_params()
    given |= {"warm_start": True, "patience": None, "random_state": 3}
    whole = kind(**given | {"max_iter": 7}).fit(X, y)
    parts = kind(**given | {"max_iter": 3}).fit(X, y)
    save(parts, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    for p in (parts, again):
        p.set_params(max_iter=4).fit(X, y)
        assert p._state.memory.w.tobytes() == whole._state.memory.w.tobytes()
        assert p.n_updates_ == whole.n_updates_


@pytest.mark.parametrize(
    "given",
    [{"decay": 0.5}, {"tie": "positive"}, {"tie": "negative", "order": "batch"}],
    ids=str,
)
def test_rows_on_disk_give_the_same_bits(given):
    X, y = on_a_grid(5, n=200, d=3)
    given = {"order": "cyclic", "keep": "best", "max_iter": 6} | given
    in_memory = Perceptron(**given).fit(X, y)
    stored = train(Perceptron(**given), lambda: iter([(X[:90], y[:90]), (X[90:], y[90:])]))
    assert stored.coef_.tobytes() == in_memory.coef_.tobytes()
    assert stored.training_errors_ == in_memory.training_errors_


def test_what_a_rate_cannot_do_is_refused():
    for p, name in (
        (Perceptron(decay=-1.0), "decay"),
        (Perceptron(decay=0.1, order="mixed"), "decay"),
        (Relaxation(factor=2.0), "factor"),
        (Relaxation(margin=0.0), "margin"),
        (Relaxation(order="batch"), "order"),
    ):
        with raises(InputError, option=name):
            p.fit(*LI_HANG)
    for p in (Perceptron(decay=0.1), Relaxation()):
        with raises(InputError):
            trace(p, *LI_HANG)


def test_a_rate_that_does_not_decay_is_the_perceptron():
    p = Perceptron(order="cyclic", keep="last", decay=0.0).fit(*LI_HANG)
    assert (p.coef_.tolist(), p.stop_reason_) == ([[1.0, 1.0]], StopReason.CLEAN)
