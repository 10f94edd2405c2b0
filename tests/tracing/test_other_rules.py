"""Traces of PassiveAggressive and AROW: by hand, against a literal run, and their own theorems."""

import json
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris

from common import may_not_separate
from raising import check_sentence, raises
from rosenblatt import AROW, PassiveAggressive, Perceptron, Trace, theory, trace
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt._tracing import loss_check, loss_steps
from rosenblatt.errors import InputError
from rounded import Rounded

pytestmark = may_not_separate

KINDS = ["PA-I", "PA-II", "AROW"]


def estimator(kind, number, **more):
    if kind == "AROW":
        return AROW(r=number, **more)
    return PassiveAggressive(C=number, loss="hinge" if kind == "PA-I" else "squared_hinge", **more)


def statuses(check):
    return {claim.name: claim.status for claim in check.claims}


def in_floats(t):
    """The same trace, decided in floats whatever its size."""
    with mock.patch.object(loss_check, "MOST_EXACT", -1):
        return Trace(t.replay.run, t.replay.about, w_star=t.replay.star.w).check()


# --- By hand --------------------------------------------------------------------------------------

LINE = np.array([[1.0], [-3.0]]), [1, -1]  # through the origin


def on_the_line(kind, number, X=LINE[0], epochs=2, w_star=None):
    rule = estimator(
        kind, number, order="cyclic", keep="last", fit_intercept=False, max_iter=epochs
    )
    return trace(rule, X, LINE[1], w_star=w_star)


def test_passive_aggressive_ii_by_hand():
    # 1/(2C) = 1. Row 0: m = 0, q = 1, τ = 1/2, w = 1/2; row 1 has m = 3/2 and is content. Again
    # row 0: m = 1/2, τ = 1/4, w = 3/4.
    t = on_the_line("PA-II", 0.5, w_star=[1.0])
    assert t.row.tolist() == [0, 0]
    assert t.visit.tolist() == [0, 2]
    assert t.score.tolist() == [0, 0.5]
    assert t.loss.tolist() == [1, 0.5]
    assert t.step_size.tolist() == [0.5, 0.25]
    assert [t.weights_at(k).w.tolist() for k in range(3)] == [[0], [0.5], [0.75]]
    assert t.alpha_at(2).tolist() == [0.75, 0]
    # u = 1 has margins 1 and 3: no losses. max q = 9, so that Σ ℓ² <= (9 + 1) (0 - 1)² = 10.
    check = t.check()
    assert set(statuses(check).values()) == {"held"}
    assert check.exact
    assert t.bound == 10
    # (w - u)² is 1, 1/4, 1/16: it falls by 3/4 and 3/16, and ℓ²/(q + 1) is 1/2 and 1/8.
    claim = check["distance"]
    assert (claim.step, claim.left, claim.right) == (1, -0.75, -0.5)
    claim = check["losses"]
    assert (claim.step, claim.left, claim.right) == (2, 1.25, 10)
    assert (check["mistakes"].left, check["mistakes"].right) == (1, 10)
    # After the updates margins are 1/2 and 3/4.
    assert (check["margin"].step, check["margin"].left) == (2, 0.75)
    # u = 1/2 has the loss 1/2 on row 0: (9 + 1) (1/4 + 2 · 1/2 · (1/4 + 1/4)) = 7.5.
    assert on_the_line("PA-II", 0.5, w_star=[0.5]).bound == 7


def test_passive_aggressive_i_by_hand():
    # C = 1/4 holds both steps back: w = 1/4, 1/2. Row 1 has m = 1 and 2.
    t = on_the_line("PA-I", 0.25, X=np.array([[1.0], [-4.0]]), w_star=[0.5])
    assert t.step_size.tolist() == [0.25, 0.25]
    assert t.loss.tolist() == [1, 0.75]
    # u = 1/2: ℓ(u) = 1/2 twice. Σ τℓ = 7/16 <= 1/4 + 2 · 1/4 · (1/2 + 1/2) = 3/4, and at most
    # max(16, 4) · 3/4 = 12 mistakes.
    check = t.check()
    assert set(statuses(check).values()) == {"held"}
    assert "margin" not in statuses(check)
    assert (check["losses"].step, check["losses"].left) == (2, 7 / 16)
    assert (check["losses"].right, t.bound) == (0.75, 12)
    # (w - u)²: 1/4, 1/16, 0, so -3/16 <= -1/4 + 1/4, and -1/16 <= -3/16 + 1/4.
    assert (check["distance"].step, check["distance"].left) == (1, -3 / 16)
    assert check["distance"].right == 0


def test_arow_by_hand():
    # r = 1, x = 2: v = 4, α = 1/5, w = 2/5, p = 5. Row 1, x = -2: m = 4/5, v = 4/5,
    # α = (1/5) / (9/5) = 1/9, w = 2/5 + 2/45 = 4/9, p = 9.
    t = on_the_line("AROW", 1.0, X=np.array([[2.0], [-2.0]]), epochs=1, w_star=[1.0])
    assert t.variance.tolist() == [4, 0.8]
    assert t.step_size.tolist() == pytest.approx([1 / 5, -1 / 9])
    assert t.precision_at(0).tolist() == [1, 1]
    assert t.precision_at(1).tolist() == [5, 1]  # through the origin that of b stays
    assert t.precision_at(2).tolist() == [9, 1]
    assert t.weights_at(2).w.tolist() == pytest.approx([4 / 9])
    # Left: 6/25, then (1/5)² (4/5 + 2) / (9/5)² = 14/405 more. Right, with u = 1, which has no
    # loss: 1 + 4 (2/5 - 1)² + 4 (4/9 - 1)².
    claim = t.check()["losses"]
    assert set(statuses(t.check()).values()) == {"held"}
    assert (claim.left, claim.right) == pytest.approx((6 / 25, 1 + 36 / 25))  # nearest in step 1
    total = 1 + 36 / 25 + 100 / 81
    assert t.bound == int((4 + 1) ** 2 / (4 + 2) * total) == 15
    assert t.replay.distances.tolist() == pytest.approx([1, 5 * 9 / 25, 9 * 25 / 81])


def test_in_words():
    words = on_the_line("PA-II", 0.5).steps().splitlines()
    assert words == [
        "step 1: row 0 (1) is 1 with the margin 0, loss 1, τ = 0.5: w (0) + 0.5·(1) = (0.5)",
        "step 2: row 0 (1) is 1 with the margin 0.5, loss 0.5, τ = 0.25: "
        "w (0.5) + 0.25·(1) = (0.75)",
    ]
    X = np.array([[2.0], [-2.0]])
    assert on_the_line("AROW", 1.0, X=X).step(1) == (
        "step 1: row 0 (2) is 1 with the margin 0, loss 1, α = 0.2: w (0) + 0.2·(2)/(1) = (0.4)"
    )
    # p = 1 + 2²/1 = 5 after it. Row 1 has the margin 0.8: α = 0.2/(4/5 + 1) = 1/9.
    told = on_the_line("AROW", 1.0, X=X)
    above, *words = told.steps().splitlines()
    assert above == (
        "Each weight moves by α·x over its own precision. Precisions are 1 at first; a step adds "
        "x²/r to them, r = 1."
    )
    assert words == [told.step(k) for k in range(1, len(told) + 1)]
    assert words[1].endswith("α = 0.111111: w (0.4) - 0.111111·(-2)/(5) = (0.444444)")
    # With b: α = 1/(5 + 1), w = 2/6, b = 1/6. Then p = (5, 2), and row 1 has m = 4/6 - 1/6 = 1/2,
    # v = 4/5 + 1/2, α = (1/2)/(13/10 + 1) = 5/23; b moves by -(5/23)/2.
    with_b = trace(AROW(r=1.0, order="cyclic", max_iter=1), X, LINE[1]).steps().splitlines()
    check_sentence(with_b[0])
    check_sentence(with_b[2])
    assert with_b[2].endswith(f", b 0.166667 - 0.217391/2 = {1 / 6 - 5 / 46:.6g}")
    three = trace(AROW(r=1.0, order="cyclic", max_iter=1), [[1, 0], [0, 1], [-1, -1]], list("abc"))
    assert three.step(1).startswith(
        "step 1: row 0 (1, 0) is a with the margin 0 over b, loss 1, α = 0.2: "
        "a moves towards it: w (0, 0) + 0.2·(1, 0)/(1, 1) = (0.2, 0), b 0 + 0.2/1 = 0.2; b away: "
    )
    table = str(on_the_line("AROW", 1.0, X=X))
    assert ": 4 updates, 1 of them at mistakes, at most " in table
    assert f", at most {on_the_line('AROW', 1.0, X=X).bound} mistakes by its theorem. " in table
    assert "convergence theorem" not in table
    assert "cos∠" not in table
    assert table.splitlines()[2].split()[5:9] == ["score", "loss", "v", "step"]


# --- To the bit -----------------------------------------------------------------------------------


@st.composite
def problems(draw):
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(4, 12)), draw(st.sampled_from([1, 2, 5, 19]))
    X = rng.normal(size=(n, d)).astype(np.float32) * (rng.random((n, d)) < 0.7)
    k = draw(st.sampled_from([None, None, 3]))
    y = rng.integers(0, k or 2, n)
    y[: k or 2] = np.arange(k or 2)
    c = rng.choice([0.1, 1.0, 2.5], n) if draw(st.booleans()) else None
    number = draw(st.sampled_from([0.01, 0.3, 1.0, 7.7]))
    order = draw(st.sampled_from(["cyclic", "shuffle", "random"]))
    return X.astype(np.float64), y, k, c, number, draw(st.booleans()), order, seed


def weights_of(kind, c):
    """A weight of PassiveAggressive asks for another margin, which a trace does not follow."""
    return c if kind == "AROW" else None


def traced(kind, problem, rows=None, **more):
    X, y, _, c, number, intercept, order, seed = problem
    c = weights_of(kind, c)
    rule = estimator(
        kind, number, keep="last", max_iter=3, patience=None, order=order,
        fit_intercept=intercept, random_state=seed,
    )  # fmt: skip
    return trace(rule, X if rows is None else rows, y, sample_weight=c, **more)


@pytest.mark.parametrize("core", ["native", "reference"])
@pytest.mark.parametrize("kind", KINDS)
@given(problem=problems(), is_sparse=st.booleans())
def test_the_replay_is_the_literal_run(core, kind, problem, is_sparse):
    X, y, k, c, number, intercept, order, _ = problem
    c = weights_of(kind, c)
    with pytest.MonkeyPatch.context() as patch:
        if core == "reference":
            patch.setattr(compute, "backend", reference)
        patch.setattr(loss_steps, "_BLOCK", 64)  # several blocks
        t = traced(kind, problem, sparse.csr_array(X) if is_sparse else X)
        path = list(t.replay.space.at(range(len(t) + 1)))
        scores = t.replay.path.scores
        record = t.check()["record"].status
        precision = t.precision_at(len(t)) if kind == "AROW" else None
    labels = np.where(y == 1, 1, -1) if k is None else y
    run = Rounded(
        X, labels, kind=kind, number=number, c=c, intercept=intercept, k=k,
        seed=t.estimator._state.seed,
    ).run(order, 3)  # fmt: skip
    assert [np.atleast_2d(w).tolist() for w in path[1:]] == run.path
    assert np.abs(t.step_size).tolist() == run.lengths
    assert scores.tolist() == t.score.tolist()
    assert record == "held"
    if precision is not None:
        assert np.atleast_2d(precision).tolist() == run.p
        assert np.atleast_2d(precision).tobytes() == t.estimator.precision_.tobytes()


# --- The theorems ---------------------------------------------------------------------------------


def literal(t, kind, u):
    """Both sides in fractions, for any u: the weights moved by the steps as they are."""
    run, C = t.replay.run, Fraction(t.replay.run.number)
    w = [[Fraction(0)] * len(u[0]) for _ in u]
    left, right, largest = Fraction(0), sum(Fraction(v) ** 2 for row in u for v in row), Fraction(0)
    X = np.atleast_2d(t.replay.run.lifted(np.arange(len(run.y))))
    for i in range(len(run.y)):
        largest = max(largest, sum(Fraction(v) ** 2 for v in X[i].tolist()) * (1 + (len(u) > 1)))
    for at, (i, step) in enumerate(zip(run.rows.tolist(), run.steps.tolist(), strict=True)):
        x = [Fraction(v) for v in X[i].tolist()]
        moved = [(0, int(run.y[i]))]
        if run.rivals is not None:
            moved = [(int(run.y[i]), 1), (int(run.rivals[at]), -1)]

        def margin(of, x=x, moved=moved):
            pairs = ((s, a, b) for c, s in moved for a, b in zip(of[c], x, strict=True))
            return sum(s * Fraction(a) * b for s, a, b in pairs)

        tau, c = abs(Fraction(step)), Fraction(float(run.weights[i]))
        loss, lost = 1 - margin(w), max(Fraction(0), 1 - margin(u))
        left += loss**2 if kind == "PA-II" else tau * loss
        right += 2 * C * c * (lost**2 if kind == "PA-II" else lost)
        for of, sign in moved:
            w[of] = [a + sign * tau * b for a, b in zip(w[of], x, strict=True)]
    back = 1 / (C * Fraction(float(run.weights.min())))
    factor = largest + back / 2 if kind == "PA-II" else max(largest, back)
    return left, right, factor


@pytest.mark.parametrize("kind", ["PA-I", "PA-II"])
@given(problem=problems())
def test_passive_aggressive_in_fractions(kind, problem):
    X, y, k, _, number, intercept, order, seed = problem
    u = np.random.default_rng(seed + 1).normal(size=(k or 1, X.shape[1] + intercept)).round(3)
    t = traced(kind, problem, w_star=u[0] if k is None else u)
    check, floats = t.check(), in_floats(t)
    assert check.exact
    assert not floats.exact
    assert check.ok
    for name, status in statuses(floats).items():
        assert status in (statuses(check)[name], "within rounding"), name
    lifted = u if intercept else np.column_stack([u, np.zeros(len(u))])
    left, right, factor = literal(t, kind, lifted.tolist())
    known = t.replay.losses.known
    sums = known.sums()
    assert sums[0][-1] == left
    assert sums[1][-1] == (factor * right if kind == "PA-II" else right)
    assert t.bound == factor * right // 1
    if k is None and order != "random":  # every row is visited once an epoch
        epochs = t.estimator.n_iter_
        bound = theory.passive_aggressive_bound(
            X, y, u[0], C=number, loss="hinge" if kind == "PA-I" else "squared_hinge", epochs=epochs
        )
        assert t.bound <= bound.mistakes  # which counts the losses of all visits


@given(problem=problems())
def test_arow_as_the_formula_of_the_theory_has_it(problem):
    X, y, k, c, number, intercept, order, seed = problem
    u = np.random.default_rng(seed + 1).normal(size=(k or 1, X.shape[1] + intercept))
    t = traced("AROW", problem, w_star=u[0] if k is None else u)
    check = t.check()
    assert check.ok
    assert not check.exact
    assert statuses(check)["losses"] == "held"
    if k is None and order == "cyclic":
        visits = list(range(len(y))) * t.estimator.n_iter_
        found = theory.arow_bound(X, y, u[0], r=number, visits=visits, sample_weight=c)
        left, right = t.replay.losses.known.sums()
        assert (left[-1], right[-1]) == pytest.approx((found.left, found.right), rel=1e-9)
        assert check["mistakes"].left == found.mistakes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_without_a_w_star(kind, classes):
    X, y = load_iris(return_X_y=True)
    if classes == 2:
        apart = trace(estimator(kind, 1.0, keep="last", max_iter=2, random_state=0), X, y == 0)
        check = apart.check()
        assert set(statuses(check).values()) == {"held"}
        assert check.compared.startswith("u is the certified separator")
        margins = np.where(y == 0, 1, -1) * apart.replay.star.products
        assert 1 < margins.min() < 1.00001  # just long enough: no losses
        assert check.compared in str(check)
        assert check.compared in check._repr_html_()
        X, y = X[50:], y[50:]
    t = trace(estimator(kind, 1.0, keep="last", max_iter=2, random_state=0), X, y)
    assert t.check().ok
    assert t.check().compared == "u is the mean of the weights that training went through."
    mean = np.mean(list(t.replay.space.at(range(len(t) + 1))), axis=0)
    assert t.replay.star.w == pytest.approx(mean)
    assert t.check()["mistakes"].left == (t.loss >= 1).sum()


def test_an_empty_run_holds():
    t = trace(
        AROW(r=1.0, order="cyclic"), [[2.0], [-2.0]], [1, -1], coef_init=[5.0], intercept_init=0.0
    )
    assert len(t) == 0
    assert t.check().ok
    assert t.variance.tolist() == []
    again = trace(PassiveAggressive(order="cyclic"), [[2.0], [-2.0]], [1, -1], coef_init=[5.0])
    assert again.check().ok
    assert again.alpha_at(0).tolist() == [0, 0]


# --- What is wrong is found -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def documents():
    X, y = load_iris(return_X_y=True)
    rows = slice(40, 70)
    return {
        kind: json.loads(
            trace(estimator(kind, 1.0, order="cyclic", max_iter=2), X[rows], y[rows]).to_json()
        )
        for kind in KINDS
    }


def changed(document, **updates):
    document = json.loads(json.dumps(document))
    for name, value in updates.items():
        document[name] = value
    return Trace.from_json(json.dumps(document))


@pytest.mark.parametrize("kind", KINDS)
def test_another_number_or_score_is_no_record_of_the_run(kind, documents):
    document = documents[kind]
    assert changed(document).check().ok
    other = changed(document, rule={"kind": kind, "number": 0.01})
    assert other.check()["record"].status == "violated"
    scores = list(document["updates"]["score"])
    scores[1] += 1e-3
    other = changed(document, updates=document["updates"] | {"score": scores})
    assert other.check()["record"].status == "violated"
    scores[1] = 2.0 if document["rows"]["y"][document["updates"]["row"][1]] > 0 else -2.0
    other = changed(document, updates=document["updates"] | {"score": scores})
    check = other.check()
    assert {claim.name for claim in check.violations} == {"record", "call"}
    check_sentence(check.assumption)
    assert other.bound is None
    assert "‖w - u‖²" not in str(other)


@pytest.mark.parametrize("kind", KINDS)
def test_training_that_did_not_end_clean_is_found(kind, documents):
    other = changed(documents[kind], converged=True)
    check_sentence(other.check()["record"].detail)


@pytest.mark.parametrize("kind", ["PA-I", "PA-II"])
def test_steps_that_are_too_long_break_the_theorem(kind, documents):
    lengths = loss_steps.lengths
    with mock.patch.object(loss_steps, "lengths", lambda run: 4 * lengths(run)):
        assert changed(documents[kind]).check()["distance"].status == "violated"
        assert changed(documents[kind]).check()["record"].status == "violated"


def test_steps_of_arow_that_are_too_long_break_the_theorem(documents):
    lengths = loss_steps.lengths
    with mock.patch.object(loss_steps, "lengths", lambda run: 40 * lengths(run)):
        check = changed(documents["AROW"]).check()
    assert check["margin"].status == "violated"


def test_a_radius_is_a_claim_and_gamma_is_not():
    t = on_the_line("PA-II", 0.5, w_star=[1.0])
    assert t.check(radius=2.9)["length"].status == "violated"
    assert t.check(radius=4.0)["mistakes"].right == 17  # (16 + 1) (0 - 1)²
    with raises(InputError):
        t.check(gamma=0.5)


def test_what_a_rule_has_not():
    t = on_the_line("AROW", 1.0)
    with raises(InputError):
        t.alpha_at(1)
    with raises(InputError):
        t.play(show=False)
    other = on_the_line("PA-I", 1.0)
    with raises(InputError):
        _ = other.variance
    with raises(InputError):
        other.precision_at(0)
    with raises(InputError):
        trace(theory, [[1.0]], [1])


def test_alpha_of_many_classes_is_what_the_weights_are_made_of():
    X, y = load_iris(return_X_y=True)
    t = trace(PassiveAggressive(keep="last", max_iter=2, random_state=0), X, y)
    assert pytest.approx(t.estimator.coef_) == t.alpha_at(len(t)).T @ X
    assert t.alpha_at(len(t)).sum(axis=1) == pytest.approx(np.zeros(len(y)))


# --- In a file ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_round_trip_changes_nothing(kind, classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[50 * (3 - classes) :: 5], y[50 * (3 - classes) :: 5]
    c = np.resize([0.0, 1.0, 0.3 if kind == "AROW" else 1.0], len(y))
    t = trace(estimator(kind, 0.7, max_iter=2, random_state=0), X, y, sample_weight=c)
    text = t.to_json()
    again = Trace.from_json(text)
    assert again.to_json() == text
    assert (str(again), again.steps(), again.bound) == (str(t), t.steps(), t.bound)
    assert str(again.check()) == str(t.check())
    few = Trace.from_json(t.to_json(all_rows=False))
    assert (few.steps(), few.bound) == (t.steps(), None)
    assert few.step_size.tolist() == t.step_size.tolist()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rule", {"kind": "SVM", "number": 1}),
        ("rule", {"kind": "AROW", "number": 0}),
        ("rule", {"kind": "AROW", "number": None}),
        ("rule", {"kind": "perceptron", "number": 1.0}),
        ("rule", None),
        ("eta0", 2.0),
        ("margin", 0.0),
        ("order", "batch"),
    ],
)
def test_a_field_that_is_wrong_is_named(field, value, documents):
    with raises(InputError):
        changed(documents["AROW"], **{field: value})


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random", "batch"])
def test_projected_steps_keep_every_inequality(order, heavy, tmp_path):
    """A separator that obeys the signs is never further away after a projection."""
    held = 0
    for seed in range(heavy(60)):
        rng = np.random.default_rng(seed)
        w, X = rng.integers(-3, 4, 3), rng.integers(-6, 7, (25, 3)).astype(float)
        X = X[np.abs(X @ w + 0.5) > 2]
        y = np.where(X @ w > 0, 1, -1)
        if len(set(y)) < 2 or (X.min(axis=0) == X.max(axis=0)).any():
            continue
        signs = np.sign(w).tolist()
        p = Perceptron(order=order, keep="last", signs=signs, max_iter=300, random_state=seed)
        t = trace(p.set_params(patience=None), X, y)
        check = t.check()
        assert check.exact
        assert check.ok, str(check)
        assert check["projection"].status == "held"
        assert check["bound"].status == "held"
        weights = [t.weights_at(k).w for k in range(len(t) + 1)]
        assert all((np.array(v) * signs >= 0).all() for v in weights)
        projected = [line for line in map(t.step, range(1, len(t) + 1)) if "projected onto" in line]
        held += bool(projected)
        again = Trace.from_json(t.to_json(tmp_path / "t.json", all_rows=True))
        assert again.check().ok
        assert again.to_json() == t.to_json()
    assert held or order == "batch"


def test_a_trace_with_signs_rejects_what_is_not_so():
    X, y = np.array([[1.0, 2], [2, 1], [-1, -2], [-2, 1]]), [1, 1, -1, -1]
    t = trace(Perceptron(order="cyclic", keep="last", signs=[1, 0]), X, y)
    document = json.loads(t.to_json())
    for other in ([1], [2, 0], [True, 0], "+", [1, 0, 0]):
        with raises(InputError):
            Trace.from_json(json.dumps(document | {"signs": other}))
    with raises(InputError):
        trace(Perceptron(order="cyclic", signs=[1, 0]), X, y, w_star=[-1, 1]).check()
    turned = Trace.from_json(json.dumps(document | {"signs": [-1, 0]})).check()
    assert not turned.ok
    with raises(InputError):  # projected weights are no sum of rows
        t.alpha_at(1)
