"""AROW and PassiveAggressive: by hand; native = reference = an oracle that rounds as defined."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import may_not_separate, noisy
from raising import raises
from rosenblatt import AROW, PassiveAggressive, load, save, train
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt.errors import InputError
from rounded import Rounded

pytestmark = may_not_separate

ORDERS = ["cyclic", "shuffle", "blocks", "random"]
KINDS = ["PA-I", "PA-II", "AROW"]


def estimator(kind, number, **more):
    if kind == "AROW":
        return AROW(r=number, **more)
    return PassiveAggressive(C=number, loss="hinge" if kind == "PA-I" else "squared_hinge", **more)


def lifted(p):
    return np.column_stack([p.coef_, p.intercept_])


@st.composite
def problems(draw):
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(3, 14)), draw(st.sampled_from([1, 2, 5, 17, 35]))
    X = rng.normal(size=(n, d)).astype(np.float32) * (rng.random((n, d)) < 0.7)
    k = draw(st.sampled_from([None, None, 3, 4])) if n >= 4 else None
    y = rng.integers(0, k or 2, n)
    y[: k or 2] = np.arange(k or 2)
    c = rng.choice([0.1, 1.0, 2.5], n) if draw(st.booleans()) else None
    number = draw(st.sampled_from([0.01, 0.3, 1.0, 7.7]))
    return X.astype(np.float64), y, k, c, number, draw(st.booleans()), seed


@pytest.mark.parametrize("core", ["native", "reference"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@given(problem=problems(), storage=st.sampled_from(["dense", "float32", "csr", "csr int64"]))
def test_every_bit_is_the_defined_one(core, order, kind, problem, storage):
    X, y, k, c, number, intercept, seed = problem
    rows = {"dense": lambda: X, "float32": lambda: X.astype(np.float32)}.get(
        storage, lambda: sparse.csr_array(X)
    )()
    if storage == "csr int64":
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    more = {"order": order, "fit_intercept": intercept, "random_state": seed}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", 5)
        if core == "reference":
            patch.setattr(compute, "backend", reference)
        last, mean = (
            estimator(kind, number, keep=keep, max_iter=3, patience=None, **more).fit(rows, y, c)
            for keep in ("last", "average")
        )
    labels = np.where(y == 1, 1, -1) if k is None else y
    run = Rounded(
        X, labels, kind=kind, number=number, c=c, intercept=intercept, k=k, seed=last._state.seed
    ).run(order, 3, block=5)
    assert last.mistakes_.tolist() == run.mistakes
    assert (last.n_updates_, last.converged_) == (run.updates, run.clean)
    assert lifted(last).tobytes() == np.array(run.w).tobytes()
    assert lifted(mean).tobytes() == np.array(run.mean()).tobytes()
    if kind == "AROW":
        assert last.precision_.tobytes() == np.array(run.p).tobytes()


# --- By hand --------------------------------------------------------------------------------------


def test_passive_aggressive_by_hand():
    # Through the origin, (2, 0) of label 1: m = 0, q = 4. II with C = 1/2: τ = 1 / (4 + 1) = 1/5.
    # (0, 1) of label -1: m = 0, τ = 1 / (1 + 1) = 1/2.
    X, y = [[2.0, 0.0], [0.0, 1.0]], [1, -1]
    once = {"order": "cyclic", "keep": "last", "max_iter": 1, "fit_intercept": False}
    p = PassiveAggressive(C=0.5, **once).fit(X, y)
    assert p.coef_.tolist() == [[2 * (1 / 5), -0.5]]
    # I: 1/4 is below C; 1 is not, and C is taken.
    p = PassiveAggressive(C=0.5, loss="hinge", **once).fit(X, y)
    assert p.coef_.tolist() == [[0.5, -0.5]]
    # A weight of 4 makes C 2 and asks for a margin of 2: II has τ = 2 / (1 + 1/4).
    p = PassiveAggressive(C=0.5, **once).fit(X, y, sample_weight=[1, 4])
    assert p.coef_[0, 1] == -(2 / 1.25)
    # A margin of exactly 1 calls for nothing: the second pass of I over (2, 0) has m = 1.
    p = PassiveAggressive(C=8.0, loss="hinge", **once | {"max_iter": 9}).fit(X, y)
    assert p.mistakes_.tolist() == [2, 0]
    assert p.converged_


def test_arow_by_hand():
    # r = 1, the intercept counts as a feature. (1, 0): v = 2, α = 1/3, w = (1/3, 0), b = 1/3, then
    # p = (2, 1 | 2). (0, 2) of label -1: s = 1/3, m = -1/3, v = 4 + 1/2, α = (4/3) / (11/2) = 8/33:
    # w_2 = -16/33, b = 1/3 - 4/33 = 7/33; p = (2, 5 | 3).
    p = AROW(r=1.0, order="cyclic", max_iter=1).fit([[1.0, 0.0], [0.0, 2.0]], [1, -1])
    np.testing.assert_allclose(p.coef_, [[1 / 3, -16 / 33]], rtol=1e-15)
    np.testing.assert_allclose(p.intercept_, [7 / 33], rtol=1e-15)
    assert p.precision_.tolist() == [[2.0, 5.0, 3.0]]
    # A weight of 2 halves r: v = 2, α = 1 / (2 + 1/2), p grows by 2.
    p = AROW(r=1.0, order="cyclic", max_iter=1).fit([[1.0, 0.0], [0.0, 0.0]], [1, -1], [2, 1])
    assert p.coef_.tolist() == [[0.4, 0.0]]
    assert p.precision_[0, 0] == 3.0


def test_r_scales_with_the_rows():
    # ‖(3, 4, 1)‖² = 26 and ‖(0, 1, 1)‖² = 2: 0.3 · 14.
    assert AROW().fit([[3, 4], [0, 1]], [1, 0]).r_ == 0.3 * 14
    assert AROW(r=2).fit([[3, 4], [0, 1]], [1, 0]).r_ == 2.0
    assert AROW().fit([[3, 4], [0, 1], [0, 0]], [2, 1, 0]).r_ == 0.3 * (29 / 3) * 2
    p = AROW().partial_fit([[3, 4]], [1], classes=[0, 1]).partial_fit([[0, 1]], [0])
    assert p.r_ == 0.3 * 14
    assert AROW(fit_intercept=False).fit(np.zeros((2, 2)), [0, 1]).r_ == 1.0  # any will do


def test_many_classes_are_two_classes_in_the_lifted_space():
    # One row, three classes: m = 0 from zero weights, its rival is the first other class.
    p = PassiveAggressive(C=0.5, keep="last", fit_intercept=False, order="cyclic", max_iter=1)
    p.partial_fit([[1.0, 2.0]], ["b"], classes=["a", "b", "c"])
    step = 1 / (2 * 5 + 1)  # q = 2 ‖x‖², and 1 / (2C) = 1
    np.testing.assert_allclose(p.coef_, [[-step, -2 * step], [step, 2 * step], [0, 0]], rtol=1e-15)


# --- The same everywhere --------------------------------------------------------------------------

EACH = [AROW(random_state=0, max_iter=4), PassiveAggressive(random_state=0, max_iter=4)]
each = pytest.mark.parametrize("given_estimator", EACH, ids=["AROW", "PassiveAggressive"])


def classes_of(y, classes):
    return y if classes == 2 else (np.arange(len(y)) % classes)


@each
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("order", ["cyclic", "blocks", "shuffle"])
@pytest.mark.filterwarnings("ignore:order='shuffle' jumps")
def test_streamed_is_in_memory(given_estimator, classes, order, monkeypatch):
    monkeypatch.setattr(compute, "block", 16)
    X, y = noisy()
    y = classes_of(y, classes)
    p = copy.copy(given_estimator).set_params(order=order, class_weight="balanced")
    inside = copy.copy(p).fit(X, y)
    streamed = train(p, lambda: ((X[i : i + 9], y[i : i + 9]) for i in range(0, len(y), 9)))
    assert lifted(streamed).tobytes() == lifted(inside).tobytes()
    assert streamed.mistakes_.tolist() == inside.mistakes_.tolist()


@each
@pytest.mark.parametrize("keep", ["last", "best", "average", "vote", "pocket"])
@pytest.mark.parametrize("classes", [2, 3])
def test_it_goes_on_from_a_file_and_a_checkpoint(given_estimator, keep, classes, tmp_path):
    X, y = noisy()
    y = classes_of(y, classes)
    p = copy.copy(given_estimator).set_params(keep=keep, patience=None)
    whole = copy.copy(p).set_params(max_iter=7).fit(X, y).decision_function(X)
    part = copy.copy(p).set_params(max_iter=3, warm_start=True).fit(X, y)
    save(part, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.decision_function(X).tobytes() == part.decision_function(X).tobytes()
    assert loaded.get_params() == part.get_params()
    more = (X[:9] + 1, y[:9])
    one, other = (pickle.loads(pickle.dumps(q)).partial_fit(*more) for q in (part, loaded))
    assert one.decision_function(X).tobytes() == other.decision_function(X).tobytes()
    loaded.set_params(max_iter=4).fit(X, y)
    assert loaded.decision_function(X).tobytes() == whole.tobytes()
    place = tmp_path / "checkpoint"
    train(copy.copy(p).set_params(max_iter=3), (X, y), checkpoint=place)
    again = train(copy.copy(p).set_params(max_iter=7), (X, y), checkpoint=place)
    assert again.decision_function(X).tobytes() == whole.tobytes()


def test_a_checkpoint_of_another_rule_is_refused(tmp_path):
    X, y = noisy()
    place = tmp_path / "checkpoint"
    train(PassiveAggressive(max_iter=2, random_state=0), (X, y), checkpoint=place)
    for other in (
        PassiveAggressive(max_iter=2, loss="hinge", random_state=0),
        PassiveAggressive(max_iter=2, C=2.0, random_state=0),
        AROW(max_iter=2, random_state=0),
    ):
        with raises(InputError):
            train(other, (X, y), checkpoint=place)


@each
def test_partial_fit_in_pieces_is_one_pass(given_estimator):
    X, y = noisy()
    number = {"r": 1.0, "forget": 0} if isinstance(given_estimator, AROW) else {}
    p = copy.copy(given_estimator).set_params(order="cyclic", max_iter=1, **number)
    whole, parts = copy.copy(p).fit(X, y), copy.copy(p)
    for begin in range(0, len(y), 7):
        parts.partial_fit(X[begin : begin + 7], y[begin : begin + 7], classes=[-1, 1])
    assert lifted(parts).tobytes() == lifted(whole).tobytes()


@each
def test_validation_rows_and_starts(given_estimator):
    X, y = noisy()
    p = copy.copy(given_estimator).set_params(keep="best")
    p.fit(X, y, X_val=X[:20], y_val=y[:20], coef_init=[1.0, 0.0, 0.0], intercept_init=0.5)
    assert len(p.validation_mistakes_) == p.n_iter_
    assert (np.diff(p.validation_mistakes_) <= 0).all()


# --- Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        AROW(r=0),
        AROW(r="auto"),
        AROW(order="batch"),
        PassiveAggressive(C=-1),
        PassiveAggressive(C="scale"),
        PassiveAggressive(loss="logistic"),
        PassiveAggressive(order="batch"),
    ],
    ids=str,
)
def test_what_is_not_allowed(wrong):
    with raises(InputError):
        wrong.fit([[1.0], [2.0]], [0, 1])


def test_overflow_is_said():
    X = np.array([[1e-200], [1e200], [-1e-200]])
    with raises(InputError, option="r", value="scale"):
        AROW().fit(X, [1, 0, 0])


@each
def test_attributes_before_fit(given_estimator):
    for name in ("coef_", "intercept_"):
        with raises(AttributeError):
            getattr(type(given_estimator)(), name)
    for name in ("r_", "precision_"):
        with raises(AttributeError):
            getattr(AROW(), name)
    assert not hasattr(given_estimator, "margin_")
