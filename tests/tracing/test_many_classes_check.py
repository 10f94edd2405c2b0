"""The convergence proofs of many classes: in the lifted space, and against the lift written out."""

import json
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris

from common import KEEPS, ORDERS
from raising import check_sentence, raises
from rosenblatt import KernelPerceptron, Perceptron, Trace, certify, theory, trace
from rosenblatt._tracing import check as check_module
from rosenblatt.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

THREE = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array(["a", "b", "c"])
NEED_STAR = ("lemma 1", "product", "angle", "distance", "bound")


def statuses(check):
    return {claim.name: claim.status for claim in check.claims}


def violated(check):
    return {claim.name for claim in check.violations}


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


def by_hand(**more):
    return trace(Perceptron(order="cyclic", keep="last"), *THREE, **more)


# --- By hand, and against the lift written out ----------------------------------------------------


def test_constants_by_hand():
    # W*: each class is its own row, without an intercept. Row 0 = (1, 0) has the scores 1, 0, -1;
    # row 1 has 0, 1, -1; row 2 = (-1, -1) has -1, -1, 2. Margins 1, 2; 1, 2; 3, 3. ‖W*‖² = 4.
    t = by_hand(w_star=THREE[0])
    k = t.replay.constants
    assert (k.least, k.row, k.longest, k.growth) == (1, 0, 2 * 3, 6)  # 2R², R² = 1 + 1 + 1
    assert k.gamma == 0.5
    assert t.bound == 24  # 2R²/γ² = 6 / (1/4)
    # Row 0 against b adds 1, row 1 against a adds 1, row 2 against a adds 3; over ‖W*‖ = 2.
    assert t.product.tolist() == [0, 0.5, 1, 2.5]
    check = t.check()
    assert set(statuses(check).values()) == {"held"}
    claim = check["norm"]  # ‖W‖² = 4, 4, 10 and 6k: nearest in step 1
    assert (claim.step, claim.left, claim.right) == (1, 4, 6)
    assert check["lemma 1"].statement.endswith("(ŵ*_y - ŵ*_r)·x̃_i >= γ = 0.5 > 0")
    batch = trace(Perceptron(order="batch", keep="last"), *THREE, w_star=THREE[0])
    # One step of three rows, M = 3: ‖W‖² = 10 <= 3²·6, and 3 updates <= 3·6·4.
    assert (batch.check()["norm"].left, batch.check()["norm"].right) == (10, 54)
    assert batch.check()["bound"].statement == "Σ|M_t| <= max|M_t| 2R²/γ²"
    assert batch.bound == 72


@st.composite
def separable(draw, whole):
    """A separable problem of 3 to 5 classes with every choice."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d, k = draw(st.integers(8, 20)), draw(st.integers(1, 3)), draw(st.integers(3, 5))
    intercept = draw(st.booleans()) or d == 1
    if whole:
        X, W = rng.integers(-4, 5, (n, d)).astype(float), rng.integers(-3, 4, (k, d + 1))
    else:
        X, W = rng.normal(size=(n, d)), rng.normal(size=(k, d + 1))
    scores = X @ W[:, :-1].T + W[:, -1] * intercept
    y = scores.argmax(axis=1)
    two = np.sort(scores, axis=1)[:, -2:]
    far = two[:, 1] - two[:, 0] > 0.1
    X, y = X[far], y[far]
    assume(len(set(y)) > 2)
    X = X.astype(np.float32) if draw(st.booleans()) else X
    c = None
    if draw(st.booleans()):
        c = rng.choice([0.0, 0.5, 1.0, 4.0] if whole else [0.0, 0.1, 0.7, 3.0], len(y))
        c[np.unique(y, return_index=True)[1]] = 2.0
    start = {}
    if draw(st.booleans()):
        shape = (len(set(y)), d)
        start["coef_init"] = rng.integers(-4, 5, shape) * (1 if whole else 0.3)
    rule = Perceptron(
        order=draw(st.sampled_from(ORDERS)),
        keep=draw(st.sampled_from(KEEPS)),
        eta0=draw(st.sampled_from([0.25, 1.0, 8.0] if whole else [0.1, 1.0, 3.0])),
        margin=draw(st.sampled_from([0.0, 0.0, 1.0] if whole else [0.0, 0.0, 0.3])),
        fit_intercept=intercept,
        max_iter=3000,
        random_state=draw(st.integers(0, 99)),
    )
    return rule, sparse.csr_array(X) if draw(st.booleans()) else X, y, c, start


@given(separable(whole=True))
def test_without_rounding_everything_is_held(problem):
    rule, X, y, c, start = problem
    t = trace(rule, X, y, sample_weight=c, **start)
    assume(t.estimator.converged_)
    assert set(statuses(assert_sound(t)).values()) == {"held"}
    assert len(t.row) <= t.bound


@given(separable(whole=False))
def test_with_rounding_nothing_is_violated(problem):
    rule, X, y, c, start = problem
    t = trace(rule, X, y, sample_weight=c, **start)
    assert assert_sound(t).ok
    assert in_floats(t).ok
    assert t.bound is None or len(t.row) <= t.bound


@given(separable(whole=False), st.sampled_from(["linear", "poly", "rbf"]))
def test_with_a_kernel_nothing_is_violated(problem, kernel):
    rule, X, y, c, start = problem
    names = ("order", "keep", "eta0", "margin", "fit_intercept", "random_state")
    settings = {name: getattr(rule, name) for name in names}
    begin = {}
    if start:
        begin["dual_coef_init"] = np.resize([0.3, -0.7, 0.0], (len(set(y)), len(y)))
    rule = KernelPerceptron(kernel=kernel, max_iter=100, **settings)
    t = trace(rule, X, y, sample_weight=c, **begin)
    assert assert_sound(t).ok
    assert t.check()["record"].status in ("held", "within rounding")
    if t.estimator.converged_ and kernel == "rbf":
        assert len(t.row) <= t.bound


@given(separable(whole=True))
def test_the_bound_is_that_of_the_lift_written_out(problem):
    rule, X, y, c, _ = problem
    rule.set_params(order="cyclic", max_iter=2)
    t = trace(rule, X, y, sample_weight=c)
    assume(t.replay.star is not None)
    W, dense = t.replay.star.w, np.asarray(X.todense() if sparse.issparse(X) else X, dtype=float)
    if rule.fit_intercept:
        dense = np.column_stack([dense, np.ones(len(dense))])
    else:
        W = W[:, :-1]
    Z = theory.kesler_lift(dense, y)
    weights = None if c is None else np.repeat(c, len(set(y)) - 1)
    bound = theory.mistake_bound(
        Z,
        np.ones(len(Z)),
        W.ravel(),
        eta0=rule.eta0,
        margin=rule.margin,
        sample_weight=weights,
    )
    assert (t.bound, t.replay.constants.growth) == (bound.updates, bound.beta_squared)
    assert t.replay.constants.gamma == bound.gamma


def test_the_certified_separator_has_the_bound_of_the_certificate():
    t = by_hand()
    certificate = certify(*THREE)
    assert t.certificate.mistake_bound == certificate.mistake_bound == 8
    assert t.bound == 8  # γ² = 3/4, 2R² = 6


def test_rows_that_no_weights_separate():
    X, y = load_iris(return_X_y=True, as_frame=True)
    t = trace(Perceptron(order="cyclic", max_iter=2), X, np.array(["se", "ve", "vi"])[y])
    for check in (t.check(), in_floats(t)):
        assert check.ok
        assert {statuses(check)[name] for name in NEED_STAR} == {"assumption fails"}
        check_sentence(check.assumption)
        assert check["record"].status == "held"
    with raises(InputError):
        t.cosine  # noqa: B018 - a property that raises


# --- What is not so is caught ---------------------------------------------------------------------


def test_a_w_star_that_does_not_separate():
    t = by_hand(w_star=-THREE[0])
    check = t.check()
    assert violated(check) == {"lemma 1"}
    check_sentence(check.assumption)
    assert (t.bound, t.replay.constants.least) == (None, -3)


def test_claims_about_radius_and_gamma():
    t = by_hand(w_star=THREE[0])
    assert t.check(radius=1.7321).ok
    assert "length" in violated(t.check(radius=1.7))
    assert t.check(gamma=0.5).ok
    assert violated(t.check(gamma=0.51)) == {"lemma 1"}


@pytest.mark.parametrize("shape", [(3,), (3, 1), (3, 4), (2, 2), (9,)])
def test_a_w_star_of_another_shape(shape):
    with raises(InputError):
        by_hand(w_star=np.ones(shape))


def test_an_intercept_through_the_origin():
    rule = Perceptron(order="cyclic", fit_intercept=False)
    with raises(InputError):
        trace(rule, *THREE, w_star=np.ones((3, 3)))
    assert trace(rule, *THREE, w_star=certify(*THREE, fit_intercept=False).separator).check().ok


def tampered(change, estimator):
    rng = np.random.default_rng(2)
    X = rng.integers(-5, 6, (30, 2)).astype(float)
    y = (X @ [[2, -3, 1], [3, 1, -4]] + [1, 0, 2]).argmax(axis=1)
    document = json.loads(trace(estimator, X, y).to_json())
    assert Trace.from_json(json.dumps(document)).check().ok
    assert len(document["updates"]["row"]) > 3
    change(document)
    return Trace.from_json(json.dumps(document))


def other_rival(document, u):
    i = document["updates"]["row"][u]
    taken = {document["rows"]["y"][i], document["updates"]["rival"][u]}
    document["updates"]["rival"][u] = ({0, 1, 2} - taken).pop()


TAMPERINGS = {
    "the first rival": lambda d: other_rival(d, 0),  # all scores are 0: a tie, and not the first
    "a rival": lambda d: other_rival(d, 2),
    "the last rival": lambda d: other_rival(d, -1),
    "a margin": lambda d: d["updates"]["score"].__setitem__(2, d["updates"]["score"][2] - 0.01),
    "another start": lambda d: d["start"][1].__setitem__(0, 1.0),
    "another number": lambda d: d["rows"]["x"].__setitem__(d["updates"]["row"][0], [9.0, 9.0]),
}


@pytest.mark.parametrize("what", list(TAMPERINGS))
@pytest.mark.parametrize("order", ["cyclic", "batch"])
def test_a_tampered_trace_is_caught(what, order):
    t = tampered(TAMPERINGS[what], Perceptron(order=order, keep="last", random_state=0))
    for check in (t.check(), in_floats(t)):
        assert "record" in violated(check)


@pytest.mark.parametrize("what", ["a rival", "a margin", "another start"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_tampered_trace_of_a_kernel_is_caught(what, kernel):
    rule = KernelPerceptron(kernel=kernel, order="cyclic", keep="last")
    t = tampered(TAMPERINGS[what], rule)
    assert "record" in violated(t.check())


def test_a_tie_of_rivals_that_only_rounding_decides():
    # With a kernel, another machine may have found the other of two rivals that tie.
    rule = KernelPerceptron(kernel="rbf", order="cyclic", keep="last")
    t = tampered(TAMPERINGS["the first rival"], rule)
    check = t.check()
    assert check["record"].status in ("within rounding", "violated")
    document = json.loads(trace(rule, *THREE).to_json())
    document["updates"] = {"row": [0], "visit": [0], "score": [0.0], "rival": [2]}
    document["converged"] = False
    check = Trace.from_json(json.dumps(document)).check()
    assert check["record"].status == "within rounding"
    check_sentence(check["record"].detail)


def test_an_end_that_is_not_clean_is_caught():
    rule = Perceptron(order="cyclic", keep="last", max_updates=1)
    document = json.loads(trace(rule, *THREE).to_json())
    assert Trace.from_json(json.dumps(document)).check().ok
    document["converged"] = True
    claim = Trace.from_json(json.dumps(document)).check()["record"]
    assert claim.status == "violated"
    check_sentence(claim.detail)


def test_the_least_margin_is_exact():
    # Weights 1, 0 and 3: a row x of class 0 has the margin x - 3x, and that of class 1 has 1 and 3.
    # Of two neighbours the larger x has the least; the last row does not exist.
    third = 1 / 3
    X = np.array([[np.nextafter(third, 0)], [third], [-1.0], [-2.0]])
    y, c = np.array([0, 0, 1, 2]), np.array([1.0, 1.0, 1.0, 0.0])
    least = theory.bounds.least_margin(X, y, c, np.array([[1.0], [0.0], [3.0]]))
    assert least == (-2 * Fraction(third), 1)
