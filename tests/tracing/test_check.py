"""Trace.check: what holds is held, what fails is caught, and rounding is never taken for either."""

import json
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from common import KEEPS, ORDERS, every_order
from raising import check_sentence, raises
from recorded import dot, square
from rosenblatt import KernelPerceptron, Perceptron, Trace, theory, trace
from rosenblatt._tracing import check as check_module
from rosenblatt.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LI_HANG_X, LI_HANG_Y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
NEED_STAR = ("lemma 1", "product", "angle", "distance", "bound")


def statuses(check):
    return {claim.name: claim.status for claim in check.claims}


def in_floats(t, **claims):
    with mock.patch.object(check_module, "MOST_EXACT", -1):
        return t.check(**claims)


def assert_sound(t):
    """Floats say held or violated only where fractions do."""
    exact, floats = t.check(), in_floats(t)
    assert exact.exact
    assert not floats.exact
    for name, status in statuses(floats).items():
        assert status in (statuses(exact)[name], "within rounding"), name
    return exact


@st.composite
def separable(draw, whole):
    """A separable problem with every choice; `whole`: one whose training has no rounding."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(4, 16)), draw(st.integers(1, 3))
    intercept = draw(st.booleans())
    if whole:
        X, w = rng.integers(-4, 5, (n, d)).astype(float), rng.integers(-3, 4, d + 1)
    else:
        X, w = rng.normal(size=(n, d)), rng.normal(size=d + 1)
    s = X @ w[:-1] + w[-1] * intercept
    far = np.abs(s) > 0.1
    X, y = X[far], np.sign(s[far]).astype(int)
    assume(len(set(y)) == 2)
    if draw(st.booleans()):
        X = X.astype(np.float32)  # of numbers that are moved so little that they stay separable
    c = None
    if draw(st.booleans()):
        c = rng.choice([0.0, 0.5, 1.0, 4.0] if whole else [0.0, 0.1, 0.7, 3.0], len(y))
        for label in (-1, 1):
            c[np.flatnonzero(y == label)[0]] = 2.0
    start = {}
    if draw(st.booleans()):
        start["coef_init"] = rng.integers(-4, 5, d) * (1 if whole else 0.3)
        start["intercept_init"] = float(rng.integers(-4, 5) * intercept)
    rule = Perceptron(
        order=draw(st.sampled_from(ORDERS)),
        keep=draw(st.sampled_from(KEEPS)),
        eta0=draw(st.sampled_from([0.25, 1.0, 8.0] if whole else [0.1, 1.0, 3.0])),
        margin=draw(st.sampled_from([0.0, 0.0, 1.0] if whole else [0.0, 0.0, 0.3])),
        class_weight=draw(
            st.sampled_from([None, {-1: 2.0, 1: 0.5}, None if whole else "balanced"])
        ),
        fit_intercept=intercept,
        max_iter=3000,
        random_state=draw(st.integers(0, 99)),
    )
    rows = sparse.csr_array(X) if draw(st.booleans()) else X
    return rule, rows, y, c, start


@given(separable(whole=True))
def test_without_rounding_everything_is_held(problem):
    rule, X, y, c, start = problem
    t = trace(rule, X, y, sample_weight=c, **start)
    assert t.estimator.converged_
    assert set(statuses(assert_sound(t)).values()) == {"held"}
    assert len(t.row) <= t.bound


@given(separable(whole=False))
def test_with_rounding_nothing_is_violated(problem):
    rule, X, y, c, start = problem
    t = trace(rule, X, y, sample_weight=c, **start)
    assert_sound(t)
    assert t.check().ok
    assert in_floats(t).ok
    assert t.check()["bound"].status == "held"
    assert len(t.row) <= t.bound


@given(separable(whole=False), st.sampled_from(["linear", "poly", "rbf"]))
def test_with_a_kernel_nothing_is_violated(problem, kernel):
    rule, X, y, c, start = problem
    known = KernelPerceptron().get_params()
    settings = {k: v for k, v in rule.get_params().items() if k in known and k != "warm_start"}
    begin = {"dual_coef_init": np.resize([0.3, -0.7, 0.0], len(y))} if start else {}
    settings["max_iter"] = 300
    t = trace(KernelPerceptron(kernel=kernel, **settings), X, y, sample_weight=c, **begin)
    assert_sound(t)
    assert t.check()["record"].status in ("held", "within rounding")
    if t.estimator.converged_:
        assert len(t.row) <= t.bound
        assert statuses(t.check())["bound"] == "held"


@given(separable(whole=True), st.integers(0, 10**6))
def test_on_rows_that_are_not_separable_nothing_about_w_star_is_held(problem, seed):
    rule, X, y, c, start = problem
    # The same row with the other label: no hyperplane has both on the right side.
    X = sparse.vstack([X, X[[0]]]).tocsr() if sparse.issparse(X) else np.vstack([X, X[:1]])
    y, c = np.append(y, -y[0]), None if c is None else np.append(c, 1.0)
    assume(c is None or c[0] > 0)
    rule.set_params(max_iter=8)
    t = trace(rule, X, y, sample_weight=c, **start)
    assert t.bound is None
    for check in (t.check(), in_floats(t)):
        assert check.ok
        assert {statuses(check)[name] for name in NEED_STAR} == {"assumption fails"}
        assert check.assumption
        assert f"The theorem does not apply: {check.assumption}" in str(check)


@given(separable(whole=False), st.integers(0, 10**6))
def test_the_bound_is_the_theorem_in_fractions(problem, seed):
    rule, X, y, c, start = problem
    assume(rule.order != "batch")
    t = trace(rule, X, y, sample_weight=c, **start)
    run, F = t.replay.run, Fraction
    rows = X.toarray() if sparse.issparse(X) else X
    star = t.replay.star.w
    lifted = [[F(float(v)) for v in (*row, int(rule.fit_intercept))] for row in rows]
    weights = [F(v) for v in run.weights.tolist()]
    z = [[w * int(s) * v for v in row] for w, s, row in zip(weights, y, lifted, strict=True) if w]
    g = min(dot(row, map(F, star.tolist())) for row in z)
    beta2 = max(square(row) for row in z) + 2 * F(run.margin) * max(weights)
    target = [beta2 / g * F(v) for v in star.tolist()]
    distance = square(F(a) - b for a, b in zip(run.start.tolist(), target, strict=True))
    assert t.bound == distance // beta2


# --- Where the naive bound R²/γ² is wrong --------------------------------------------------------


def naive(X, y, w_star):
    """⌊R²/γ²⌋ through the origin, blind to margin, weights and start."""
    X, w = np.array(X), np.array(w_star)
    return int((X**2).sum(axis=1).max() * (w @ w) // (np.array(y) * (X @ w)).min() ** 2)


def test_the_naive_bound_is_wrong_with_a_margin():
    # x = 1 and x = -1 with their signs as labels: R = γ = 1. With μ = 5 each visit adds 1 to w
    # until w > 5: six updates. β² = 1 + 2·5, so that the bound is 11.
    X, y = [[1], [-1]], [1, -1]
    t = trace(Perceptron(fit_intercept=False, order="cyclic", margin=5), X, y, w_star=[1])
    assert len(t) == 6 > naive(X, y, [1]) == 1
    assert t.bound == 11 == int(theory.mistake_bound(X, y, [1], margin=5))
    assert set(statuses(assert_sound(t)).values()) == {"held"}


def test_the_naive_bound_is_wrong_with_weights():
    # z = (5, 0) and 10·(-3, 4) = (-30, 40): w = (5, 0); (5, 0)·(-3, 4) < 0: w = (-25, 40); then
    # the first row six times, from -25 to 5 in steps of 5, 0 being a mistake: eight updates.
    # w* = (1, 2): margins 5 and 5 (times 10), R = 5, naive 25·5/25 = 5; ours 2500·5/25 = 500.
    X, y, c = [[5, 0], [3, -4]], [1, -1], [1, 10]
    rule = Perceptron(fit_intercept=False, order="cyclic", keep="last")
    t = trace(rule, X, y, w_star=[1, 2], sample_weight=c)
    assert t.weights_at(8).w.tolist() == [5, 40]
    assert len(t) == 8 > naive(X, y, [1, 2]) == 5
    assert t.bound == 500 == int(theory.mistake_bound(X, y, [1, 2], sample_weight=c))
    assert set(statuses(assert_sound(t)).values()) == {"held"}


def test_the_naive_bound_is_wrong_from_a_start():
    # From w = -10 in steps of 1 to w = 1, since w = 0 is a mistake: eleven updates. α = 1,
    # ‖w₀ - αŵ‖² = 121.
    X, y = [[1], [-1]], [1, -1]
    rule = Perceptron(fit_intercept=False, order="cyclic")
    t = trace(rule, X, y, w_star=[1], coef_init=[-10])
    assert len(t) == 11 > naive(X, y, [1]) == 1
    assert t.bound == 121 == int(theory.mistake_bound(X, y, [1], w0=[-10]))
    assert set(statuses(assert_sound(t)).values()) == {"held"}


def test_novikoff_can_be_tight():
    # x = 1 and x = -1 with an intercept: R² = 2, γ = 1 with w* = (1, 0), and there are 2 updates.
    t = trace(Perceptron(order="cyclic"), [[1], [-1]], [1, -1], w_star=[1, 0])
    assert len(t) == t.bound == 2
    assert t.check()["bound"].left == t.check()["bound"].right == 2


def test_the_batch_bound_by_hand():
    # Through the origin, rows 1 and 2 (+1) and -1 (-1): one step of all three, w = 4. R² = 4,
    # γ = 1, max|M| = 3: Σ|M| <= 12.
    X, y = [[1], [2], [-1]], [1, 1, -1]
    t = trace(Perceptron(order="batch", fit_intercept=False), X, y, w_star=[1])
    assert (len(t), len(t.row), t.bound) == (1, 3, 12)
    # ‖w‖² = 16 <= |M|² R² = 36.
    assert (t.check()["norm"].left, t.check()["norm"].right) == (16, 36)
    assert t.check()["bound"].statement == "Σ|M_t| <= max|M_t| R²/γ²"


# --- Rounding ------------------------------------------------------------------------------------


def test_a_lemma_that_fails_by_rounding_only():
    # Row 0 scores 1e16 + 1 - 1e16 = 1 from w = (1, 1, 1), but 1e16 + 1 rounds to 1e16, so that the
    # computed score is 0 and there is an update at the exact margin 1 > 0.
    X, y = np.array([[1e16, -1e16, 1.0], [0.0, 0.0, -1.0]]), [1, -1]
    rule = Perceptron(fit_intercept=False, order="cyclic", keep="last")
    t = trace(rule, X, y, coef_init=[1.0, 1.0, 1.0])
    assert t.score.tolist() == [0.0]
    exact = assert_sound(t)
    assert statuses(exact)["lemma 2"] == "within rounding"
    assert statuses(exact)["norm"] == "within rounding"  # ‖w‖² + 2 + R² > ‖w‖² + R²
    assert exact["lemma 2"].left == 1.0
    assert exact.ok
    assert statuses(exact)["bound"] == "held"


def test_a_margin_missed_by_rounding_only():
    # μ = 0.5, and the exact margin is 1; the same for margins in units of η.
    X, y = np.array([[1e16, -1e16, 1.0], [0.0, 0.0, -1.0]]), [1, -1]
    rule = Perceptron(fit_intercept=False, order="cyclic", margin=2.0, eta0=4.0)
    t = trace(rule, X, y, coef_init=[4.0, 4.0, 4.0])
    assert statuses(assert_sound(t))["lemma 2"] == "within rounding"


@given(st.integers(0, 2**32), st.sampled_from(ORDERS), st.booleans())
def test_rows_that_nearly_cancel(seed, order, kernel):
    # Numbers of very different sizes: scores are mostly rounding.
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (6, 3)) * 10.0 ** rng.integers(-9, 10, (6, 3))
    y = np.where(rng.random(6) < 0.5, 1, -1)
    y[:2] = 1, -1
    settings = {"order": order, "max_iter": 8, "keep": "last", "random_state": 0}
    c = rng.random(6) + 0.1
    if kernel:
        rule, start = KernelPerceptron(kernel="linear", **settings), {}
        start["dual_coef_init"] = rng.normal(size=6)
    else:
        rule, start = Perceptron(**settings), {"coef_init": rng.normal(size=3)}
    t = trace(rule, X, y, sample_weight=c, **start)
    assert_sound(t)
    assert t.check().ok


@given(st.integers(0, 2**32), st.sampled_from(ORDERS), st.sampled_from(["poly", "rbf", "sigmoid"]))
def test_functions_that_nearly_cancel(seed, order, kernel):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(4, 2)), 2, axis=0) + rng.normal(size=(8, 2)) * 1e-7
    y = np.tile([1, -1], 4)
    if rng.random() < 0.5:
        X = X.astype(np.float32)
    rule = KernelPerceptron(kernel=kernel, order=order, max_iter=9, random_state=0, keep="last")
    c = rng.random(8) + 0.1 if rng.random() < 0.5 else None
    t = trace(rule, X, y, sample_weight=c, dual_coef_init=1e6 * rng.normal(size=8))
    assert_sound(t)
    assert t.check().ok
    assert t.check()["record"].status == "held"


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160, 1e-100, 1e100, 1e150, 1e160])
@every_order
def test_numbers_at_the_ends_of_the_range(scale, order):
    for intercept in (True, False):
        rule = Perceptron(order=order, keep="last", fit_intercept=intercept, max_iter=50)
        y = LI_HANG_Y if intercept else [1, -1, 1]
        rows = LI_HANG_X if intercept else np.array([[3.0, -1.0], [-4.0, 1.0], [2.0, 1.0]])
        t = trace(rule, rows * scale, y)
        check = assert_sound(t)
        assert check.ok
        assert all(
            c.status in ("held", "within rounding") or c.name in NEED_STAR for c in check.claims
        )
        str(check), str(t)


# --- What is wrong is caught ---------------------------------------------------------------------


def li_hang(**settings):
    return trace(Perceptron(order="cyclic", keep="last", **settings), LI_HANG_X, LI_HANG_Y)


def violated(check):
    return {claim.name for claim in check.violations}


@pytest.mark.parametrize("star", [[1, 1, -2], [1, 1, -6], [-1, -1, 3], [0, 0, 0], [0, 0, 1]])
def test_a_w_star_that_does_not_separate(star):
    # (1, 1, -2) has row 2 on the hyperplane; the others have rows on the wrong side.
    t = trace(Perceptron(order="cyclic"), LI_HANG_X, LI_HANG_Y, w_star=star)
    assert t.bound is None
    for check in (t.check(), in_floats(t)):
        assert violated(check) == {"lemma 1"}
        check_sentence(check.assumption)
        assert check["bound"].status == "assumption fails"


def test_a_w_star_that_fails_by_one_ulp():
    # The row 0.1 has 0.1·10 - 1 > 0 in exact arithmetic, where floats see 0; and -1e-17 is below.
    X, y = [[0.1], [-1.0]], [1, -1]
    good = trace(Perceptron(order="cyclic"), X, y, w_star=[10.0, -1.0])
    bad = trace(Perceptron(order="cyclic"), X, y, w_star=[10.0, np.nextafter(-1.0, -2.0)])
    for check in (good.check(), in_floats(good)):
        assert check["lemma 1"].status == "held"
    for check in (bad.check(), in_floats(bad)):
        assert check["lemma 1"].status == "violated"


def test_a_wrong_radius():
    t = li_hang()  # R² = 4² + 3² + 1 = 26
    root = 26**0.5
    for check in (t.check(radius=3.0), in_floats(t, radius=3.0)):
        assert "length" in violated(check)
    assert violated(t.check(radius=float(np.nextafter(root, 0) * (1 - 1e-15)))) == {"length"}
    assert t.check(radius=6.0).ok
    # A row whose weight is small is no shorter for that.
    light = trace(Perceptron(order="cyclic"), LI_HANG_X, LI_HANG_Y, sample_weight=[1, 0.1, 1])
    assert violated(light.check(radius=4.5)) == {"length"}
    assert light.check(radius=5.1).ok
    absent = trace(Perceptron(order="cyclic"), LI_HANG_X, LI_HANG_Y, sample_weight=[1, 0, 1])
    assert absent.check(radius=4.5).ok


def test_a_wrong_gamma():
    # (1, 1, -3) has the margins 3, 4, 1, so that γ = 1/√11 = 0.30151…
    t = trace(Perceptron(order="cyclic"), LI_HANG_X, LI_HANG_Y, w_star=[1, 1, -3])
    gamma = 11**-0.5
    exact = Fraction(gamma) ** 2 * 11 <= 1
    below, above = (gamma, np.nextafter(gamma, 1)) if exact else (np.nextafter(gamma, 0), gamma)
    for ask in (t.check, lambda **claim: in_floats(t, **claim)):
        assert ask(gamma=0.3).ok
        assert ask(gamma=float(below)).ok
        assert violated(ask(gamma=float(above))) == {"lemma 1"}
        assert violated(ask(gamma=0.31)) == {"lemma 1"}


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "1", True])
@pytest.mark.parametrize("name", ["radius", "gamma"])
def test_claims_that_are_no_numbers(name, value):
    with raises(InputError):
        li_hang().check(**{name: value})


def tampered(change, order="cyclic", **settings):
    rng = np.random.default_rng(2)
    X = rng.integers(-5, 6, (12, 2)).astype(float)
    y = np.where(X @ [2, 3] + 1 > 0, 1, -1)
    rule = Perceptron(order=order, keep="last", random_state=0, **settings)
    document = json.loads(trace(rule, X, y).to_json())
    assert Trace.from_json(json.dumps(document)).check().ok
    assert len(document["updates"]["row"]) > 3
    change(document)
    return Trace.from_json(json.dumps(document))


def drop(document, u):
    for column in filter(None, document["updates"].values()):
        del column[u]


def swap(document, u, columns=("row", "score")):
    for name in columns:
        column = document["updates"][name]
        column[u], column[u + 1] = column[u + 1], column[u]


def put(document, part, name, place, value):
    document[part][name][place] = value


TAMPERINGS = {
    "a row": lambda d: put(d, "updates", "row", 1, (d["updates"]["row"][1] + 1) % 12),
    "the first row": lambda d: put(d, "updates", "row", 0, 7),
    "the last row": lambda d: put(d, "updates", "row", -1, (d["updates"]["row"][-1] + 1) % 12),
    "a score": lambda d: put(d, "updates", "score", 2, d["updates"]["score"][2] * 1.001 + 0.01),
    "a visit": lambda d: put(d, "updates", "visit", 1, d["updates"]["visit"][1] + 1),
    "an earlier visit": lambda d: put(d, "updates", "visit", 2, 0),
    "no first update": lambda d: drop(d, 0),
    "an update less": lambda d: drop(d, 2),
    "no last update": lambda d: drop(d, -1),
    "another order": lambda d: swap(d, 1),
    "another order of visits": lambda d: swap(d, 1, ("row", "score", "visit")),
    "another start": lambda d: d["start"].__setitem__(0, d["start"][0] + 1),
    "another label": lambda d: put(d, "rows", "y", 0, -d["rows"]["y"][0]),
    "another number": lambda d: put(d, "rows", "x", d["updates"]["row"][0], [9.0, 9.0]),
    "another margin": lambda d: d.__setitem__("margin", 100.0),
    "fewer rows": lambda d: d["rows"].__setitem__("n_present", 11),
    "weights": lambda d: d["rows"].__setitem__("weight", [2.0] + [1.0] * 11),
    "a row of weight 0": lambda d: d["rows"].__setitem__(
        "weight", [float(i != d["updates"]["row"][-1]) for i in range(12)]
    ),
}


@pytest.mark.parametrize("what", list(TAMPERINGS))
def test_a_tampered_trace_is_caught(what):
    t = tampered(TAMPERINGS[what])
    for check in (t.check(), in_floats(t)):
        assert "record" in violated(check)
        assert not check.ok


@pytest.mark.parametrize(
    "what",
    ["a row", "a score", "an earlier visit", "an update less", "another order", "another start"],
)
@pytest.mark.parametrize("order", ["shuffle", "random"])
def test_a_tampered_trace_is_caught_in_any_order(order, what):
    assert "record" in violated(tampered(TAMPERINGS[what], order).check())


@pytest.mark.parametrize("what", ["a score", "an update less", "no last update", "another start"])
def test_a_tampered_batch_trace_is_caught(what):
    assert "record" in violated(tampered(TAMPERINGS[what], "batch").check())


def test_a_row_twice_in_a_shuffled_epoch_is_caught():
    t = tampered(lambda d: put(d, "updates", "row", 1, d["updates"]["row"][0]), "shuffle")
    check_sentence(t.check()["record"].detail)


def test_an_update_that_was_not_called_for_is_caught():
    # An update of a row that is right: the score is that of the replay, but lemma 2 fails.
    t = li_hang()
    document = json.loads(t.to_json())
    for name, value in {"row": 0, "visit": 15, "score": 3.0}.items():  # (1, 1)·(3, 3) - 3
        document["updates"][name].append(value)
    document["converged"] = False
    check = Trace.from_json(json.dumps(document)).check()
    assert check["record"].status == "held"
    assert violated(check) == {"lemma 2"}
    assert check["lemma 2"].step == 8


def test_an_end_that_is_not_clean_is_caught():
    document = json.loads(li_hang(max_updates=5).to_json())
    assert Trace.from_json(json.dumps(document)).check().ok
    document["converged"] = True
    claim = Trace.from_json(json.dumps(document)).check()["record"]
    assert claim.status == "violated"
    check_sentence(claim.detail)  # -(3 + 3 - 1)


# --- Kernels that are no inner product -----------------------------------------------------------


def test_a_kernel_that_is_no_inner_product():
    # k(x, z) = -xz: the norm of every function is negative, and no bound follows.
    rule = KernelPerceptron(kernel="precomputed", order="cyclic", max_iter=5, fit_intercept=False)
    t = trace(rule, -np.eye(2), [1, -1], w_star=[-1.0, 1.0])
    check = t.check()
    assert t.bound is None
    assert check.ok
    check_sentence(check.assumption)
    assert check["bound"].status == "assumption fails"


def test_more_updates_than_the_bound_of_a_kernel_that_is_no_inner_product():
    # An indefinite matrix with a w* of large margins and small length. Whatever number of updates
    # there is, none is called a violation: what fails is the assumption.
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(20):
        K = rng.normal(size=(6, 6))
        K, y = K + K.T, np.array([1, -1, 1, -1, 1, -1])
        rule = KernelPerceptron(kernel="precomputed", order="cyclic", max_iter=40, keep="last")
        t = trace(rule, K, y, w_star=np.append(np.linalg.solve(K, y), 0.0))
        check = assert_sound(t)
        assert check.ok
        found.add((check["bound"].status, bool(check.assumption)))
    assert found == {("held", False), ("assumption fails", True)}


# --- The report ----------------------------------------------------------------------------------


def test_the_report():
    check = li_hang().check()
    assert str(check).startswith("9 claims, decided in fractions: 9 held. In brackets: the step")
    # R² = 4² + 3² + 1, γ² = 2/9: ⌊26 · 9/2⌋ = 117.
    setting = "w₀ = 0, all c_i = 1, β = R = 5.09902, γ = 0.471405, ‖w*‖ = 0.471405"
    assert f"{setting}: the bound is ⌊β²/γ²⌋ = 117." in str(check).splitlines()
    assert "decided in floating point, with a bound on its rounding" in str(in_floats(li_hang()))
    assert check["bound"].left == 7
    with raises(KeyError):
        check["no such claim"]
    assert "<td>bound</td><td>held</td>" in check._repr_html_()


def test_the_tightest_moment():
    # ‖w‖² after each step is 19, 8, 3, 4, 19, 12, 11 and the bound 26 k: nearest in step 1.
    claim = li_hang().check()["norm"]
    assert (claim.step, claim.left, claim.right) == (1, 19, 26)
    # Scores 0, 7, 4, …: the margin is 0 at the first update.
    claim = li_hang().check()["lemma 2"]
    assert (claim.step, claim.left, claim.right) == (1, 0, 0)
