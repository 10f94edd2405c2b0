"""Traces of more than two classes: by hand, and against training in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import KEEPS, ORDERS, every_keep, every_order
from joint_recorded import JointRecorded, JointRecordedKernel
from raising import check_sentence, raises
from recorded import dot, square
from rosenblatt import KernelPerceptron, Perceptron, trace
from rosenblatt._core import _native as native
from rosenblatt._core import reference as reference
from rosenblatt._core import update_log
from rosenblatt.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

THREE = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array(["a", "b", "c"])


def three(**settings):
    return trace(Perceptron(**{"order": "cyclic", "keep": "last"} | settings), *THREE)


def noisy(k=4, n=32, d=3, seed=1):
    rng = np.random.default_rng(seed)
    middles = 1.5 * rng.normal(size=(k, d))
    y = rng.integers(0, k, n)
    y[:k] = range(k)
    return middles[y] + rng.normal(size=(n, d)), y


X, Y = noisy()
X_VAL, Y_VAL = noisy(n=20)


# --- By hand --------------------------------------------------------------------------------------


def test_three_rows_by_hand():
    # Row 0: all scores are 0, and of the others b is the first. W_a = (1, 0; 1), W_b = -W_a.
    # Row 1: a has 0 + 1 = 1, b has -1, c has 0: margin -2. W_b = (-1, 1; 0), W_a = (1, -1; 0).
    # Row 2: a has -1 + 1 = 0, b has 1 - 1 = 0, c has 0: margin 0, rival a.
    # Then a: (2, 0; -1), b: (-1, 1; 0), c: (-1, -1; 1). Row 0: 1, -1, 0. Row 1: -1, 1, 0. Row 2:
    # -3, 0, 3. All are right.
    t = three()
    assert (t.row.tolist(), t.visit.tolist(), t.epoch.tolist()) == ([0, 1, 2], [0, 1, 2], [1] * 3)
    assert (t.label.tolist(), t.rival.tolist()) == (["a", "b", "c"], ["b", "a", "a"])
    assert (t.score.tolist(), t.step_size.tolist()) == ([0, -2, 0], [1, 1, 1])
    w, b = t.weights_at(3)
    assert (w.tolist(), b.tolist()) == ([[2, 0], [-1, 1], [-1, -1]], [-1, 0, 1])
    # ‖W‖²: 2 + 2; 1 + 1 + 1 + 1; 4 + 1 + 1 + 1 + 1 + 1 + 1.
    assert (t.norm**2).round(12).tolist() == [0, 4, 4, 10]
    assert t.alpha_at(3).tolist() == [[1, -1, 0], [-1, 1, 0], [-1, 0, 1]]
    assert (t.estimator.coef_ == w).all()


def test_three_rows_in_words():
    assert three().step(0) == "step 0: training starts with zero weights for each of 3 classes"
    assert three().steps().splitlines() == [
        "step 1: row 0 (1, 0) is a and b scores as much: "
        "a moves towards it: w (0, 0) + (1, 0) = (1, 0), b 0 + 1 = 1; "
        "b away: w (0, 0) - (1, 0) = (-1, 0), b 0 - 1 = -1",
        "step 2: row 1 (0, 1) is b but a scores 2 more: "
        "b moves towards it: w (-1, 0) + (0, 1) = (-1, 1), b -1 + 1 = 0; "
        "a away: w (1, 0) - (0, 1) = (1, -1), b 1 - 1 = 0",
        "step 3: row 2 (-1, -1) is c and a scores as much: "
        "c moves towards it: w (0, 0) + (-1, -1) = (-1, -1), b 0 + 1 = 1; "
        "a away: w (1, -1) - (-1, -1) = (2, 0), b 0 - 1 = -1",
    ]


def test_words_of_margins_weights_and_starts():
    # η = 0.5 and μ = 3: in the next visit row 0 has the scores 0.5, -0.5, 0 times η.
    t = three(eta0=0.5, margin=3.0, max_updates=4)
    check_sentence(t.step(4))
    begun = trace(
        Perceptron(order="cyclic", keep="last"),
        *THREE,
        coef_init=[[2, 0], [-1, 1], [-1, -1]],
        intercept_init=[-1, 0, 1],
    )
    assert begun.step(0) == (
        "step 0: training starts with a: w (2, 0), b -1; b: w (-1, 1), b 0; c: w (-1, -1), b 1"
    )
    assert (len(begun), begun.steps()) == (0, "")
    origin = three(fit_intercept=False).step(1)
    assert origin.endswith("b away: w (0, 0) - (1, 0) = (-1, 0)")


def test_words_of_a_batch_step():
    # Row 0 against b, row 1 against a, row 2 against a: W_a = x0 - x1 - x2 = (2, 0), b -1.
    t = three(order="batch")
    assert t.step(1) == (
        "step 1: 3 rows call for an update: 0, 1, 2: a: w (0, 0) + (2, 0) = (2, 0), b 0 - 1 = -1; "
        "b: w (0, 0) + (-1, 1) = (-1, 1), b 0 + 0 = 0; "
        "c: w (0, 0) + (-1, -1) = (-1, -1), b 0 + 1 = 1"
    )


def test_words_of_a_kernel():
    rule = KernelPerceptron(kernel="linear", order="cyclic", keep="last")
    assert trace(rule, *THREE).steps() == three().steps()
    rule = KernelPerceptron(kernel="poly", degree=2, gamma=1, coef0=1, order="cyclic", keep="last")
    assert trace(rule, *THREE).step(1) == (
        "step 1: row 0 is a and b scores as much: α of row 0: for a 0 + 1 = 1, for b 0 - 1 = -1"
    )


def test_tables_have_the_rival_and_the_weights_of_every_class():
    table = three().to_pandas()
    assert table.columns[:7].tolist() == [
        "epoch",
        "visit",
        "row",
        "label",
        "rival",
        "margin",
        "step",
    ]
    assert table["rival"].tolist() == ["b", "a", "a"]
    assert table[["w0 (a)", "w1 (b)", "b (c)"]].iloc[-1].tolist() == [2, 1, 1]
    wide = trace(Perceptron(order="cyclic", max_iter=2), X, Y).to_pandas()
    assert not [name for name in wide.columns if name.startswith("w0")]
    for text in (str(three()), three().to_markdown(), three().to_latex(), three()._repr_html_()):
        assert "rival" in text


def test_of_two_classes_the_rival_is_the_other():
    t = trace(Perceptron(order="cyclic", keep="last"), [[3, 3], [4, 3], [1, 1]], ["b", "b", "a"])
    assert t.rival.tolist() == ["a" if label == "b" else "b" for label in t.label]


def test_one_against_the_rest_has_no_trace():
    with raises(InputError):
        trace(Perceptron(multi_class="ovr"), *THREE)


# --- Against training in exact arithmetic ---------------------------------------------------------


@st.composite
def whole_numbers(draw):
    """Rows, labels and settings whose training has no rounding."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d, k = draw(st.integers(5, 9)), draw(st.integers(1, 3)), draw(st.integers(3, 5))
    rows = rng.integers(-3, 4, (n, d)).astype(float)
    y = rng.integers(0, k, n)
    y[:k] = range(k)
    c = rng.choice([0.0, 0.5, 1.0, 2.0], n) if draw(st.booleans()) else None
    if c is not None:
        c[:k] = 2.0
    intercept = draw(st.booleans())
    start = rng.integers(-3, 4, (k, d + 1)) * float(draw(st.booleans()))
    start[:, -1] *= intercept
    settings = {
        "eta0": draw(st.sampled_from([0.25, 1.0, 4.0])),
        "margin": draw(st.sampled_from([0.0, 1.0, 2.5])),
        "fit_intercept": intercept,
        "max_iter": draw(st.integers(1, 6)),
        "random_state": draw(st.integers(0, 99)),
        "keep": draw(st.sampled_from(KEEPS)),
    }
    return rows, y, c, start, settings


def exactly(oracle_class, rows, y, c, start, order, settings, seed):
    """Runs the oracle on the rows that exist, and gives its log with their numbers in X."""
    present = np.arange(len(y)) if c is None else np.flatnonzero(c)
    eta = Fraction(settings["eta0"])
    oracle = oracle_class(
        rows,
        y[present],
        len(start),
        c=None if c is None else c[present],
        margin=Fraction(settings["margin"]) / eta,
        intercept=settings["fit_intercept"],
        start=[[Fraction(v) / eta for v in of_class] for of_class in start],
        seed=seed,
    ).run(order, settings["max_iter"])
    log = [(int(present[i]), visit, eta * margin, rival) for i, visit, margin, rival in oracle.log]
    return oracle, log, present


def logged(t):
    columns = (t.row, t.visit, t.score, t.replay.run.rivals)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@every_order
@given(problem=whole_numbers(), as_csr=st.booleans(), dtype=st.sampled_from(["f4", "f8"]))
def test_a_trace_is_what_happened(order, problem, as_csr, dtype):
    rows, y, c, start, settings = problem
    X = rows.astype(dtype)
    star = np.arange(1.0, start.size + 1).reshape(start.shape) ** 2
    star[:, -1] *= settings["fit_intercept"]
    t = trace(
        Perceptron(order=order, **settings),
        sparse.csr_array(X) if as_csr else X,
        y,
        star,
        sample_weight=c,
        coef_init=start[:, :-1],
        intercept_init=start[:, -1],
    )
    seed, eta = t.estimator._state.seed, Fraction(settings["eta0"])
    some = rows if c is None else rows[c > 0]
    oracle, log, present = exactly(JointRecorded, some, y, c, start, order, settings, seed)
    assert logged(t) == log
    assert t.label.tolist() == [y[i] for i, *_ in log]
    assert t.rival.tolist() == [rival for *_, rival in log]
    assert len(t) == len(oracle.after_update) - 1
    flat = [Fraction(v) for v in star.ravel()]
    length = float(square(flat)) ** 0.5
    for step, units in enumerate(oracle.after_update):
        w = [eta * v for v in units]
        found = t.weights_at(step)
        assert np.column_stack([found.w, found.b]).tolist() == np.reshape(w, start.shape).tolist()
        assert t.norm[step] == pytest.approx(float(square(w)) ** 0.5, rel=1e-14)
        product = float(dot(w, flat)) / length
        assert t.product[step] == pytest.approx(product, rel=1e-13, abs=1e-13)
    weights = np.ones(len(y)) if c is None else c
    made = t.alpha_at(len(t))[present].tolist()
    counts = zip(present, oracle.counts, strict=True)
    assert made == [[eta * Fraction(weights[i]) * v for v in row] for i, row in counts]
    # Nothing was rounded: no claim that needs no separator is in doubt.
    held = {claim.name: claim.status for claim in t.check().claims}
    assert {held[name] for name in ("record", "lemma 2", "length", "norm")} == {"held"}


@pytest.mark.parametrize("kernel", ["linear", "poly", "precomputed"])
@given(problem=whole_numbers(), order=st.sampled_from(ORDERS))
def test_a_trace_with_a_kernel_is_what_happened(kernel, problem, order):
    rows, y, c, start, settings = problem
    K = rows @ rows.T if kernel == "linear" else (rows @ rows.T + 1) ** 2
    beta = np.resize(start, (len(start), len(y) + 1))
    beta[:, -1] = start[:, -1]
    beta[:, :-1] *= 1 if c is None else c > 0  # the oracle knows the rows that exist only
    t = trace(
        KernelPerceptron(kernel=kernel, degree=2, gamma=1, coef0=1, order=order, **settings),
        K if kernel == "precomputed" else rows,
        y,
        sample_weight=c,
        dual_coef_init=beta[:, :-1],
        intercept_init=beta[:, -1],
    )
    present = np.arange(len(y)) if c is None else np.flatnonzero(c)
    gram = K[np.ix_(present, present)]
    oracle, log, _ = exactly(
        JointRecordedKernel,
        gram,
        y,
        c,
        np.column_stack([beta[:, present], beta[:, -1]]),
        order,
        settings,
        t.estimator._state.seed,
    )
    assert logged(t) == log
    eta = settings["eta0"]
    for step, w in enumerate(oracle.after_update):
        of_classes = eta * np.reshape(w, (len(start), -1)).astype(float)
        b = of_classes[:, -1]
        norm2 = np.einsum("ci,ij,cj->", of_classes[:, :-1], gram, of_classes[:, :-1]) + b @ b
        assert t.norm[step] ** 2 == pytest.approx(norm2, rel=1e-12, abs=1e-11)
    assert not [claim for claim in t.check().claims if claim.status == "violated"]


# --- Tracing does not change training -------------------------------------------------------------


def left_behind(p, rows):
    found = [p.update_counts_.toarray(), p.mistakes_, p.decision_function(rows)]
    return p.stop_reason_, p.training_errors_, [a.tobytes() for a in found]


@pytest.mark.parametrize("core", [native, reference], ids=["native", "reference"])
@every_order
@every_keep
def test_tracing_changes_nothing(order, keep, core, with_core):
    with_core(core)
    rule = Perceptron(order=order, keep=keep, max_iter=2, random_state=5, margin=0.1)
    c = np.tile([1.0, 0.0, 0.3, 2.0], 8)
    more = {"X_val": X_VAL, "y_val": Y_VAL} if keep in ("best", "pocket") else {}
    t = trace(rule, X, Y, sample_weight=c, **more)
    plain = Perceptron(**rule.get_params()).fit(X, Y, c, **more)
    assert left_behind(t.estimator, X) == left_behind(plain, X)
    assert t.check()["record"].status == "held"


@every_order
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_tracing_changes_nothing_in_dual_form(order, kernel):
    rule = KernelPerceptron(kernel=kernel, order=order, max_iter=3, random_state=5)
    t, plain = trace(rule, X, Y), KernelPerceptron(**rule.get_params()).fit(X, Y)
    assert left_behind(t.estimator, X) == left_behind(plain, X)
    assert (t.alpha_at(len(t)) == plain.alpha_.toarray()).all()


@every_order
def test_a_log_that_is_often_full(order, monkeypatch):
    rule = Perceptron(order=order, keep="average", max_iter=4, random_state=5)
    expected = trace(rule, X, Y)
    monkeypatch.setattr(update_log, "_ROOM", 3)
    monkeypatch.setattr(update_log.Log, "room", 3)
    assert logged(trace(rule, X, Y)) == logged(expected)
