"""What a trace records, against training in exact arithmetic and by hand."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import pairwise_kernels

from common import KEEPS, ORDERS, X_VAL, Y_VAL, X, Y, every_keep, every_order, everything
from raising import raises
from recorded import Recorded, RecordedKernel, dot, square
from rosenblatt import KernelPerceptron, Perceptron, trace
from rosenblatt._core import _native as native
from rosenblatt._core import reference as reference
from rosenblatt._core import update_log
from rosenblatt.errors import InputError
from traced import LI_HANG_X, LI_HANG_Y, li_hang

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# --- By hand --------------------------------------------------------------------------------------


def test_li_hang_example_2_1_in_full():
    # Li Hang, Statistical Learning Methods, table 2.1: rows x1, x3, x3, x3, x1, x3, x3.
    t = li_hang()
    after = [
        ((3, 3), 1),
        ((2, 2), 0),
        ((1, 1), -1),
        ((0, 0), -2),
        ((3, 3), -1),
        ((2, 2), -2),
        ((1, 1), -3),
    ]
    assert len(t) == 7
    assert [(tuple(w), b) for w, b in map(t.weights_at, range(8))] == [((0, 0), 0), *after]
    assert t.row.tolist() == [0, 2, 2, 2, 0, 2, 2]
    assert t.label.tolist() == [1, -1, -1, -1, 1, -1, -1]
    # Three visits an epoch: x1 is visit 0, 3, 6, 9, and x3 is visit 2, 5, 8, 11, 14.
    assert t.visit.tolist() == [0, 2, 5, 8, 9, 11, 14]
    assert t.epoch.tolist() == [1, 1, 2, 3, 4, 4, 5]
    # w·x + b before: 0; 3+3+1; 2+2+0; 1+1-1; 0+0-2; 3+3-1; 2+2-2.
    assert t.score.tolist() == [0, 7, 4, 1, -2, 5, 2]
    assert t.step_size.tolist() == [1, -1, -1, -1, 1, -1, -1]
    # ‖(w, b)‖²: 9+9+1, 4+4, 1+1+1, 4, 9+9+1, 4+4+4, 1+1+9.
    assert (t.norm**2).round(12).tolist() == [0, 19, 8, 3, 4, 19, 12, 11]
    assert t.alpha_at(7).tolist() == [2, 0, 5]  # example 2.2
    assert t.alpha_at(4).tolist() == [1, 0, 3]
    assert t.estimator.coef_.tolist() == [[1, 1]]


def test_li_hang_in_words():
    assert li_hang().steps().splitlines() == [
        "step 1: row 0 (3, 3) is 1 and is on the hyperplane, score 0: "
        "w (0, 0) + (3, 3) = (3, 3), b 0 + 1 = 1",
        "step 2: row 2 (1, 1) is -1 but scores 7: w (3, 3) - (1, 1) = (2, 2), b 1 - 1 = 0",
        "step 3: row 2 (1, 1) is -1 but scores 4: w (2, 2) - (1, 1) = (1, 1), b 0 - 1 = -1",
        "step 4: row 2 (1, 1) is -1 but scores 1: w (1, 1) - (1, 1) = (0, 0), b -1 - 1 = -2",
        "step 5: row 0 (3, 3) is 1 but scores -2: w (0, 0) + (3, 3) = (3, 3), b -2 + 1 = -1",
        "step 6: row 2 (1, 1) is -1 but scores 5: w (3, 3) - (1, 1) = (2, 2), b -1 - 1 = -2",
        "step 7: row 2 (1, 1) is -1 but scores 2: w (2, 2) - (1, 1) = (1, 1), b -2 - 1 = -3",
    ]


def test_all_steps_are_the_steps():
    for order in ORDERS:
        t = trace(Perceptron(order=order, max_iter=3, eta0=0.5, random_state=0), X, Y)
        assert t.steps().splitlines() == [t.step(k) for k in range(1, len(t) + 1)]


@pytest.mark.parametrize(
    ("rows", "labels", "updates", "visits"),
    [
        # row 0 scores 0: w = 1, b = 1. Row 1 scores -1 + 1 = 0: w = 1 + 1 = 2, b = 0. Then 2 and 2.
        ([[1], [-1]], [1, -1], [0, 1], [0, 1]),
        # row 0 scores 0: w = 0, b = -1. Row 1 scores -1: w = 2, b = 0. Epoch 2: row 0 scores 0:
        # b = -1; row 1 scores 4 - 1 = 3, right. Epoch 3: -1 and 3, both right.
        ([[0], [2]], [-1, 1], [0, 1, 0], [0, 1, 2]),
        # row 0 scores 0: w = (1, 0), b = 1. Row 1 scores 1: w = (1, -1), b = 0. Then margins
        # 1 and 1, both right.
        ([[1, 0], [0, 1]], [1, -1], [0, 1], [0, 1]),
    ],
)
def test_mistakes_of_tiny_sets(rows, labels, updates, visits):
    t = trace(Perceptron(order="cyclic", keep="last"), rows, labels)
    assert (t.row.tolist(), t.visit.tolist()) == (updates, visits)
    assert t.check().ok


def test_a_batch_step_by_hand():
    # All scores are 0: w = (1, 0) + (0, 2) - (-1, -1) = (2, 3), b = 1 + 1 - 1 = 1; then all right.
    t = trace(Perceptron(order="batch", keep="last"), [[1, 0], [0, 2], [-1, -1]], [1, 1, -1])
    assert (len(t), t.row.tolist(), t.visit.tolist()) == (1, [0, 1, 2], [0, 0, 0])
    assert t.step(1) == (
        "step 1: 3 rows call for an update: 0, 1, 2: w (0, 0) + (2, 3) = (2, 3), b 0 + 1 = 1"
    )
    assert t.to_pandas().loc[1, "row"] == "0, 1, 2"


def test_the_start_is_step_0_and_may_be_the_end():
    rule = Perceptron(order="cyclic", keep="last")
    t = trace(rule, LI_HANG_X, LI_HANG_Y, coef_init=[1, 1], intercept_init=-3)
    assert len(t) == 0
    assert t.weights_at(0).b == -3
    assert t.step(0) == "step 0: training starts with w (1, 1), b -3"
    assert (t.norm.tolist(), t.kept) == ([pytest.approx(11**0.5)], [])
    assert t.check().ok
    assert t.bound >= 0
    assert t.steps() == ""
    for text in (str(t), t.to_markdown(), t.to_latex(), t._repr_html_()):
        assert "epoch" in text
    assert len(t.to_pandas()) == 0


# --- Against training in exact arithmetic ---------------------------------------------------------


@st.composite
def whole_numbers(draw):
    """Rows, labels and settings whose training has no rounding."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    X = rng.integers(-3, 4, (n, d)).astype(float)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    y[:2] = 1, -1
    c = rng.choice([0.0, 0.5, 1.0, 2.0], n) if draw(st.booleans()) else None
    if c is not None:
        c[:2] = 1, 2
    intercept = draw(st.booleans())
    start = rng.integers(-3, 4, d + 1) * 1.0 if draw(st.booleans()) else np.zeros(d + 1)
    start[-1] *= intercept
    settings = {
        "eta0": draw(st.sampled_from([0.25, 1.0, 4.0])),
        "margin": draw(st.sampled_from([0.0, 1.0, 2.5])),
        "fit_intercept": intercept,
        "max_iter": draw(st.integers(1, 6)),
        "random_state": draw(st.integers(0, 99)),
        "keep": draw(st.sampled_from(KEEPS)),
    }
    return X, y, c, start, settings


def exactly(oracle_class, X, y, c, start, order, settings, seed):
    """Runs the oracle on the rows that exist, and gives its log with the rows of X."""
    present = np.arange(len(y)) if c is None else np.flatnonzero(c)
    eta = Fraction(settings["eta0"])
    oracle = oracle_class(
        X[present],
        y[present],
        c=None if c is None else c[present],
        margin=Fraction(settings["margin"]) / eta,
        intercept=settings["fit_intercept"],
        start=[Fraction(v) / eta for v in start],
        seed=seed,
    ).run(order, settings["max_iter"])
    log = [(int(present[i]), visit, eta * score) for i, visit, score in oracle.log]
    return oracle, log, present


@every_order
@given(problem=whole_numbers(), as_csr=st.booleans(), dtype=st.sampled_from(["f4", "f8"]))
def test_a_trace_is_what_happened(order, problem, as_csr, dtype):
    X, y, c, start, settings = problem
    rows = X.astype(dtype)
    star = np.arange(1.0, X.shape[1] + 2)
    star[-1] *= settings["fit_intercept"]
    t = trace(
        Perceptron(order=order, **settings),
        sparse.csr_array(rows) if as_csr else rows,
        y,
        star,
        sample_weight=c,
        coef_init=start[:-1],
        intercept_init=start[-1],
    )
    seed, eta = t.estimator._state.seed, Fraction(settings["eta0"])
    oracle, log, present = exactly(Recorded, X, y, c, start, order, settings, seed)
    assert list(zip(t.row.tolist(), t.visit.tolist(), t.score.tolist(), strict=True)) == log
    per_epoch = 1 if order == "batch" else len(present)
    assert t.epoch.tolist() == [visit // per_epoch + 1 for _, visit, _ in log]
    assert t.label.tolist() == [y[i] for i, *_ in log]
    weights = np.ones(len(y)) if c is None else c
    assert t.step_size.tolist() == [eta * Fraction(weights[i] * y[i]) for i, *_ in log]
    assert len(t) == len(oracle.after_update) - 1
    length = float(square(map(Fraction, star))) ** 0.5
    with np.errstate(invalid="ignore", divide="ignore"):
        for k, units in enumerate(oracle.after_update):
            w = [eta * v for v in units]
            found = t.weights_at(k)
            assert [*found.w, found.b] == w
            assert t.norm[k] == pytest.approx(float(square(w)) ** 0.5, rel=1e-14)
            product = float(dot(w, map(Fraction, star))) / length
            assert t.product[k] == pytest.approx(product, rel=1e-13, abs=1e-13)
            if any(w):
                cosine = product / float(square(w)) ** 0.5
                assert t.cosine[k] == pytest.approx(cosine, rel=1e-13, abs=1e-13)
    made = t.alpha_at(len(t))
    assert made[present].tolist() == [
        eta * Fraction(weights[i]) * oracle.counts[j] for j, i in enumerate(present)
    ]


KERNELS = {
    "linear": lambda X: X @ X.T,
    "poly": lambda X: (X @ X.T + 1) ** 2,
    "precomputed": lambda X: (X @ X.T + 1) ** 2,
    "callable": lambda X: X @ X.T + 2,
}


@pytest.mark.parametrize("kernel", list(KERNELS))
@given(problem=whole_numbers(), order=st.sampled_from(ORDERS))
def test_a_trace_with_a_kernel_is_what_happened(kernel, problem, order):
    X, y, c, start, settings = problem
    K = KERNELS[kernel](X)
    beta = np.resize(start, len(y) + 1)
    beta[-1] = start[-1]
    beta[:-1] *= 1 if c is None else c > 0  # the oracle knows the rows that exist only
    chosen = (lambda A, B: A @ B.T + 2) if kernel == "callable" else kernel
    t = trace(
        KernelPerceptron(kernel=chosen, degree=2, gamma=1, coef0=1, order=order, **settings),
        K if kernel == "precomputed" else X,
        y,
        sample_weight=c,
        dual_coef_init=beta[:-1],
        intercept_init=beta[-1],
    )
    present = np.arange(len(y)) if c is None else np.flatnonzero(c)
    gram = K[np.ix_(present, present)]
    oracle, log, _ = exactly(
        RecordedKernel,
        gram if c is None else _embedded(K, present),
        y,
        c,
        np.append(beta[present], beta[-1]),
        order,
        settings,
        t.estimator._state.seed,
    )
    assert list(zip(t.row.tolist(), t.visit.tolist(), t.score.tolist(), strict=True)) == log
    eta = Fraction(settings["eta0"])
    G = [[Fraction(v) for v in row] for row in gram.tolist()]
    for k, w in enumerate(oracle.after_update):
        *b, last = (eta * v for v in w)
        norm2 = sum(
            p * q * g for p, row in zip(b, G, strict=True) for q, g in zip(b, row, strict=True)
        )
        norm2 += last * last
        assert t.norm[k] ** 2 == pytest.approx(float(norm2), rel=1e-13, abs=1e-12)
        if kernel == "linear":
            x = [[Fraction(v) for v in row] for row in X[present].tolist()]
            found = t.weights_at(k)
            assert [*found.w, found.b] == [
                *(sum(p * row[j] for p, row in zip(b, x, strict=True)) for j in range(X.shape[1])),
                last,
            ]
    claims = t.check().claims
    assert not [c for c in claims if c.status == "violated"]


def _embedded(K, present):
    """`exactly` takes the rows that exist; of those, the columns that exist."""
    wide = np.zeros((len(K), len(present)))
    wide[present] = K[np.ix_(present, present)]
    return wide


@every_order
@pytest.mark.parametrize("kernel", ["rbf", "sigmoid"])
def test_kernels_that_round(order, kernel):
    rule = KernelPerceptron(
        kernel=kernel, gamma=0.5, coef0=0.1, order=order, keep="last", max_iter=9, random_state=0
    )
    t = trace(rule, X, Y)
    K = pairwise_kernels(X, metric=kernel, gamma=0.5, **({"coef0": 0.1} if kernel != "rbf" else {}))
    if kernel == "rbf":
        assert pytest.approx(RBF(1.0)(X)) == K
    beta, b = np.zeros(len(Y)), 0.0
    for k in range(len(t)):
        first, last = t.replay.run.edges[k : k + 2]
        for u in range(first, last):
            assert t.score[u] == pytest.approx(K[t.row[u]] @ beta + b, abs=1e-10)
        for i in t.row[first:last]:
            beta[i] += Y[i]
            b += Y[i]
        assert t.norm[k + 1] ** 2 == pytest.approx(max(beta @ K @ beta + b * b, 0), abs=1e-8)
    assert t.alpha_at(len(t)).tolist() == t.estimator.alpha_.tolist()
    assert t.check()["record"].status == "held"


@every_order
def test_the_linear_kernel_is_the_perceptron(order):
    rng = np.random.default_rng(3)
    X = rng.integers(-5, 6, (40, 3)).astype(float)
    y = np.where(X @ [1, 2, -1] + rng.integers(-2, 3, 40) > 0, 1, -1)
    settings = {"order": order, "max_iter": 20, "random_state": 1, "margin": 1.0}
    a, b = (
        trace(Perceptron(**settings), X, y),
        trace(KernelPerceptron(kernel="linear", **settings), X, y),
    )
    for name in ("row", "visit", "epoch", "score", "norm"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist()
    for k in range(len(a) + 1):
        assert a.weights_at(k).w.tolist() == b.weights_at(k).w.tolist()


def test_kept_weights_get_better():
    t = trace(Perceptron(order="random", keep="pocket", max_iter=5, random_state=0), X, Y)
    updates, mistakes = zip(*t.kept, strict=True)
    assert list(updates) == sorted(updates)
    assert list(mistakes) == sorted(mistakes, reverse=True)
    assert mistakes[-1] == t.estimator.training_errors_


# --- Tracing does not change training -------------------------------------------------------------


@pytest.mark.parametrize("core", [native, reference], ids=["native", "reference"])
@every_order
@every_keep
def test_tracing_changes_nothing(order, keep, core, with_core):
    with_core(core)
    rule = Perceptron(order=order, keep=keep, max_iter=4, random_state=5, margin=0.1)
    c = np.tile([1.0, 0.0, 0.3, 2.0], 15)
    for more in ({}, {"X_val": X_VAL, "y_val": Y_VAL}) if keep in ("best", "pocket") else ({},):
        t = trace(rule, X, Y, sample_weight=c, **more)
        assert not hasattr(rule, "coef_")
        assert not hasattr(t.estimator, "_recorder") or t.estimator._recorder is None
        assert everything(t.estimator) == everything(
            rule.__class__(**rule.get_params()).fit(X, Y, c, **more)
        )


@every_order
@every_keep
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_tracing_changes_nothing_in_dual_form(order, keep, kernel):
    rule = KernelPerceptron(kernel=kernel, order=order, keep=keep, max_iter=4, random_state=5)
    traced, plain = trace(rule, X, Y).estimator, KernelPerceptron(**rule.get_params()).fit(X, Y)
    for name in ("update_counts_", "mistakes_", "alpha_"):
        assert getattr(traced, name).tobytes() == getattr(plain, name).tobytes()
    assert traced.decision_function(X).tobytes() == plain.decision_function(X).tobytes()
    assert (traced.stop_reason_, traced.training_errors_) == (
        plain.stop_reason_,
        plain.training_errors_,
    )


@pytest.mark.parametrize("order", ORDERS)
def test_a_log_that_is_often_full(order, monkeypatch):
    rule = Perceptron(order=order, keep="average", max_iter=6, random_state=5)
    expected = trace(rule, X, Y)
    monkeypatch.setattr(update_log, "_ROOM", 3)
    monkeypatch.setattr(update_log.Log, "room", 3)
    t = trace(rule, X, Y)
    assert everything(t.estimator) == everything(expected.estimator)
    for name in ("row", "visit", "score"):
        assert getattr(t, name).tolist() == getattr(expected, name).tolist()


def test_a_fit_that_fails_leaves_no_recorder():
    rule = Perceptron(order="nonsense")
    with raises(InputError, option="order", value="nonsense"):
        trace(rule, X, Y)
    assert "_recorder" not in vars(rule)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trace(Perceptron(keep="best"), LI_HANG_X, LI_HANG_Y).estimator.converged_
