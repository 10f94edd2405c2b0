"""Many classes: the joint perceptron against its definition, in rationals and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import train_test_split

from common import ORDERS, every_keep, every_order, may_not_converge, may_not_separate
from joint_oracle import JointOracle
from pressing import Pressing
from rosenblatt import Perceptron, StopReason
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import UpdateRule
from rosenblatt._core.rows import Examples
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.learner import Primal
from rosenblatt._training.monitor import Watch
from rosenblatt._training.orders import ORDERS as ORDER_CLASSES
from rosenblatt._training.state import Job, State
from rosenblatt._training.training import train

pytestmark = [may_not_converge, may_not_separate]


def small(seed, n=12, d=3, k=3):
    """Small whole numbers: every computation in floating point is exact but for means."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, d)).astype(float)
    y = rng.integers(0, k, size=n)
    y[:k] = np.arange(k)
    return X, y, rng


def seed_of(p):
    return p._state.seed


def lifted(p):
    return np.column_stack([p.coef_, p.intercept_])


# --- By hand --------------------------------------------------------------------------------------


def test_three_rows_by_hand():
    # From zero, rows in turn. Row 0 (class 0): all scores 0, rival 1, so w0 = (1, 0, 1),
    # w1 = (-1, 0, -1). Row 1, x = (0, 1), class 1: scores 1, -1, 0, rival 0: w1 = (-1, 1, 0),
    # w0 = (1, -1, 0). Row 2, x = (-1, -1), class 2: scores 0, 0, 0, rival 0: w2 = (-1, -1, 1),
    # w0 = (2, 0, -1).
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["a", "b", "c"]
    p = Perceptron(order="cyclic", keep="last", max_iter=1).fit(X, y)
    assert lifted(p).tolist() == [[2, 0, -1], [-1, 1, 0], [-1, -1, 1]]
    assert p.update_counts_.toarray().tolist() == [[1, -1, 0], [-1, 1, 0], [-1, 0, 1]]
    assert p.n_updates_ == 3
    assert p.classes_.tolist() == ["a", "b", "c"]
    # Scores of row 0: 1, -1, 0; of row 1: -1, 1, 0; of row 2: -3, 0, 3.
    assert p.decision_function(X).tolist() == [[1, -1, 0], [-1, 1, 0], [-3, 0, 3]]
    assert p.training_errors_ == 0


def test_equal_scores_are_a_mistake_and_the_first_class_is_predicted():
    X, y = np.zeros((3, 1)), [0, 1, 2]
    p = Perceptron(max_iter=1, keep="pocket", fit_intercept=False).fit(X, y)
    assert p.training_errors_ == 3  # every score is 0
    assert p.predict(X).tolist() == [0, 0, 0]


# --- Against the definition in rationals ----------------------------------------------------------


@every_order
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), margin=st.sampled_from([0, 2]))
def test_weights_counts_and_mistakes_are_those_of_the_definition(order, seed, weighted, margin):
    X, y, rng = small(seed, k=3 + seed % 2)
    c = rng.integers(1, 4, len(y)).astype(float) if weighted else None
    start = rng.integers(-2, 3, size=(y.max() + 1, 4)).astype(float) if seed % 3 == 0 else None
    p = Perceptron(order=order, keep="last", max_iter=3, margin=margin, random_state=seed)
    init = {} if start is None else {"coef_init": start[:, :3], "intercept_init": start[:, 3]}
    p.fit(X, y, c, **init)
    oracle = JointOracle(X, y, y.max() + 1, c=c, margin=margin, start=start, seed=seed_of(p)).run(
        order, 3
    )
    assert lifted(p).tolist() == oracle.table(oracle.w)
    assert p.update_counts_.toarray().tolist() == oracle.counts
    assert p.mistakes_.tolist() == oracle.mistakes
    assert p.converged_ == oracle.clean
    # The counts times the rows are the weights.
    rows = np.column_stack([X, np.ones(len(X))]) * (1 if c is None else c[:, None])
    first = 0 if start is None else start
    np.testing.assert_array_equal(first + p.update_counts_.toarray().T @ rows, lifted(p))


@every_order
@every_keep
@given(seed=st.integers(0, 10**6))
def test_what_is_kept_is_what_the_definition_keeps(order, keep, seed):
    X, y, rng = small(seed, n=8)  # 8 and 16 visits: means are exact, too
    c = rng.integers(1, 4, len(y)).astype(float) if seed % 2 else None
    p = Perceptron(order=order, keep=keep, max_iter=2, random_state=seed).fit(X, y, c)
    oracle = JointOracle(X, y, 3, c=c, seed=seed_of(p)).run(order, 2)
    if keep == "vote":
        expected = [[float(v) for v in oracle.shares(x)] for x in X.tolist()]
        assert p.decision_function(X).tolist() == expected
        return
    kept = {"last": lambda: oracle.w, "average": oracle.mean, "best": oracle.best}
    kept["pocket"] = oracle.pocket
    expected = kept[keep]()
    np.testing.assert_allclose(lifted(p), oracle.table(expected), rtol=1e-14, atol=1e-14)
    if not (oracle.clean and keep == "average"):  # a clean draw can end between these visits
        assert p.training_errors_ == oracle.errors(expected)


# --- Two classes ----------------------------------------------------------------------------------


@every_order
@given(seed=st.integers(0, 10**6), margin=st.sampled_from([0.0, 1.0]))
def test_joint_on_two_classes_makes_the_updates_of_two(order, seed, margin):
    X, y, _ = small(seed, k=2)
    two = Perceptron(order=order, keep="last", margin=margin, max_iter=3, random_state=seed)
    two.fit(X, y)
    examples = Examples(X, y.astype(np.int32), None, 2)
    machine = Primal(examples, UpdateRule("perceptron", 2 * margin))
    state = State(machine.start(np.zeros((2, 4)), averaged=False), seed_of(two))
    with Watch() as watch:
        turn = ORDER_CLASSES[order](machine)
        job = Job(machine, turn, KEEPS["last"](), machine.evaluation_rows, False, watch)
        train(job, state, max_iter=3, max_updates=None)
    assert state.mistakes == two.mistakes_.tolist()
    signed = two.update_counts_ * np.where(y == 1, 1, -1)
    assert state.memory.counts.tolist() == np.column_stack([-signed, signed]).tolist()
    w = np.append(two.coef_, two.intercept_)
    assert state.memory.w.tolist() == [(-w).tolist(), w.tolist()]


# --- One versus the rest --------------------------------------------------------------------------


@every_order
@every_keep
def test_ovr_is_a_training_of_two_classes_for_each(order, keep, heavy):
    for seed in range(heavy(100)):
        X, y, rng = small(seed, n=20, k=4)
        X, c = X + rng.normal(size=X.shape), rng.random(len(y)) + 0.5
        choices = {"order": order, "keep": keep, "max_iter": 4, "random_state": seed}
        X_val, y_val, _ = small(seed + 1, k=4)
        several = Perceptron(multi_class="ovr", **choices).fit(X, y, c, X_val=X_val, y_val=y_val)
        alone = [
            Perceptron(**choices).fit(X, y == label, c, X_val=X_val, y_val=y_val == label)
            for label in range(4)
        ]
        expected = np.column_stack([p.decision_function(X_val) for p in alone])
        assert several.decision_function(X_val).tobytes() == expected.tobytes()
        assert several.predict(X_val).tolist() == expected.argmax(axis=1).tolist()
        assert several.n_updates_ == sum(p.n_updates_ for p in alone)
        assert several.n_iter_ == max(p.n_iter_ for p in alone)
        signs = np.where(y[:, None] == np.arange(4), 1, -1)
        counts = signs * np.column_stack([p.update_counts_ for p in alone])
        assert several.update_counts_.toarray().tolist() == counts.tolist()
        own = several.decision_function(X)
        best_other = np.where(signs > 0, -np.inf, own).max(axis=1)
        assert several.training_errors_ == (own[np.arange(20), y] <= best_other).sum()
        if keep != "vote":
            assert several.coef_.tobytes() == np.vstack([p.coef_ for p in alone]).tobytes()


def test_ovr_goes_on_with_each_class(heavy):
    for seed in range(heavy(100)):
        X, y, rng = small(seed, n=30)
        X = X + rng.normal(size=X.shape)
        made = Perceptron(multi_class="ovr", max_iter=2, warm_start=True, random_state=1)
        made.fit(X, y).fit(X, y)
        whole = Perceptron(multi_class="ovr", max_iter=4, warm_start=True, random_state=1)
        whole.fit(X, y)
        assert made.coef_.tobytes() == whole.coef_.tobytes()
        assert made.n_updates_ == whole.n_updates_
        passes = Perceptron(multi_class="ovr", keep="average")
        alone = [Perceptron(keep="average") for _ in range(3)]
        for part in (slice(0, 10), slice(10, 30)):
            passes.partial_fit(X[part], y[part], classes=[0, 1, 2])
            for label, p in enumerate(alone):
                p.partial_fit(X[part], y[part] == label, classes=[False, True])
        assert passes.coef_.tobytes() == np.vstack([p.coef_ for p in alone]).tobytes()


# --- Going on -------------------------------------------------------------------------------------


@every_order
@every_keep
def test_training_in_parts_is_training_at_once(order, keep, heavy):
    for seed in range(heavy(60)):
        X, y, rng = small(seed, n=25, k=4)
        X = X + rng.normal(size=X.shape)
        choices = {"order": order, "keep": keep, "random_state": 2, "warm_start": True}
        parts = Perceptron(max_iter=2, **choices).fit(X, y).fit(X, y)
        whole = Perceptron(max_iter=4, **choices).fit(X, y)
        assert parts.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
        assert parts.mistakes_.tolist() == whole.mistakes_.tolist()
        assert (parts.update_counts_ != whole.update_counts_).nnz == 0


@every_keep
def test_passes_are_one_epoch_in_the_given_order(keep):
    X, y, rng = small(5, n=30)
    X = X + rng.normal(size=X.shape)
    parts = Perceptron(keep=keep)
    for part in (slice(0, 7), slice(7, 8), slice(8, 30)):
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2])
    whole = Perceptron(keep=keep, order="cyclic", max_iter=1).fit(X, y)
    last = parts._state.memory.w
    assert last.tobytes() == whole._state.memory.w.tobytes()
    if keep in ("last", "average", "vote"):
        assert parts.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    assert parts.classes_.tolist() == [0, 1, 2]


def test_both_ways_of_many_classes_go_on_from_each_others_weights():
    X, y, rng = small(7, n=30)
    X = X + rng.normal(size=X.shape)
    for keep in ("best", "vote"):
        p = Perceptron(max_iter=2, warm_start=True, keep=keep, random_state=0).fit(X, y)
        for kind in ("ovr", "joint"):
            w = lifted(p) if keep == "best" else None
            p.set_params(multi_class=kind, max_iter=1).fit(X, y)
            if w is not None:
                fresh = Perceptron(max_iter=1, keep=keep, random_state=0, multi_class=kind)
                fresh.fit(X, y, coef_init=w[:, :-1], intercept_init=w[:, -1])
                assert fresh.coef_.tobytes() == p.coef_.tobytes()


def test_validation_rows_judge_candidates():
    X, y, rng = small(11, n=40)
    X = X + rng.normal(size=X.shape)
    X_val, y_val, _ = small(12, n=20)
    p = Perceptron(keep="best", max_iter=6, random_state=0)
    p.fit(X, y, X_val=X_val, y_val=y_val)
    scores = p.decision_function(X_val)
    own = scores[np.arange(20), y_val]
    scores[np.arange(20), y_val] = -np.inf
    assert p.validation_mistakes_[-1] == (own <= scores.max(axis=1)).sum()
    assert (np.diff(p.validation_mistakes_) <= 0).all()


# --- What many classes are for --------------------------------------------------------------------


@pytest.mark.parametrize(("load", "most"), [(load_iris, 0.06), (load_digits, 0.045)])
def test_few_errors_on_new_rows(load, most):
    X, y = load(return_X_y=True)
    errors = []
    for seed in range(10):
        parts = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
        X_train, X_test, y_train, y_test = parts
        p = Perceptron(keep="average", max_iter=10, random_state=seed).fit(X_train, y_train)
        errors.append(1 - p.score(X_test, y_test))
    assert np.mean(errors) <= most


def test_updates_never_exceed_the_bound():
    # W = 10 (e_c) separates unit vectors: the lifted margin of row c is (10 - 0)/(10 √3).
    X, y = np.eye(3), [0, 1, 2]
    for order in ORDERS:
        if order != "batch":
            p = Perceptron(order=order, fit_intercept=False, random_state=0).fit(X, y)
            assert p.converged_
            assert p.n_updates_ <= 2 * 1 / (1 / 3)  # 2 R² / γ²


# --- Ctrl-C ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["joint", "ovr"])
@every_keep
def test_ctrl_c_leaves_a_rule_of_all_classes(kind, keep, monkeypatch):
    X, y, rng = small(3, n=40)
    X = X + rng.normal(size=X.shape)
    p = Perceptron(multi_class=kind, keep=keep, order="random", max_iter=50, patience=None)
    monkeypatch.setattr(compute, "backend", Pressing(5, only=("search",)))
    with pytest.raises(KeyboardInterrupt):
        p.fit(X, y)
    monkeypatch.undo()
    assert p.stop_reason_ is StopReason.INTERRUPTED
    assert p.decision_function(X).shape == (40, 3)
    assert set(p.predict(X)) <= {0, 1, 2}
    if kind == "ovr":  # the first class was under way, the others had not begun
        assert [one.n_updates_ > 0 for one in p._of_classes] == [True, False, False]
