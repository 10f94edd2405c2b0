"""The notes' formulas, against hand calculations and exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from raising import raises
from recorded import dot, square
from rosenblatt import Perceptron, certify, theory

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.lists(st.tuples(numbers, numbers, st.booleans()), min_size=1, max_size=6),
    numbers,
    numbers,
    numbers,
)
def test_separates_is_decided_exactly(rows, w0, w1, b):
    X, y = [[p, q] for p, q, _ in rows], [1 if positive else -1 for *_, positive in rows]
    w = [Fraction(w0), Fraction(w1)]
    exact = [
        v * (w[0] * Fraction(p) + w[1] * Fraction(q) + Fraction(b))
        for (p, q), v in zip(X, y, strict=True)
    ]
    assert theory.separates(X, y, [w0, w1], b) == all(value > 0 for value in exact)


def test_a_row_on_the_hyperplane_is_not_separated():
    assert not theory.separates([[1.0], [2.0]], [-1, 1], [1.0], -1.0)
    assert theory.separates([[1.0], [2.0]], [-1, 1], [1.0], -1.5)


def test_one_class_alone_means_what_its_label_says():
    assert theory.separates([[1.0]], [-1], [-1.0])
    assert not theory.separates([[1.0]], [1], [-1.0])


def test_cover_counts_random_labels():
    # By hand: 2 rows in 1 dimension through the origin: 2 of 4 labellings; 4 rows in the plane with
    # a free line: 14 of 16 (the two of XOR are not separable).
    assert theory.probability_separable(2, 1, fit_intercept=False) == 0.5
    assert theory.probability_separable(4, 2) == 14 / 16
    assert theory.probability_separable(np.int64(100), 49) == 0.5
    assert theory.probability_separable(4000, 1999) == pytest.approx(0.5)


# --- Where rows lie ------------------------------------------------------------------------------


@st.composite
def tables(draw):
    """Rows, labels, weights, intercept; and the rows in another form."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 4))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    y[:2] = 1, -1
    w, b = rng.normal(size=d), float(rng.normal())
    form = draw(st.sampled_from(["dense", "csr", "frame", "list"]))
    given_X = {
        "dense": X,
        "csr": sparse.csr_array(X),
        "frame": pd.DataFrame(X, columns=[f"c{j}" for j in range(d)]),
        "list": X.tolist(),
    }[form]
    return X, y, w, b, given_X


def array(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


@given(tables())
def test_formulas_in_numpy(table):
    X, y, w, b, rows = table
    s, lifted = X @ w + b, np.column_stack([X, np.ones(len(X))])
    near = {"rel": 1e-12, "abs": 1e-12}
    assert theory.scores(rows, w, b) == pytest.approx(s, **near)
    assert theory.margins(rows, y, w, b) == pytest.approx(y * s, **near)
    assert theory.distances(rows, w, b) == pytest.approx(s / np.linalg.norm(w), **near)
    assert array(theory.lift(rows)).tolist() == lifted.tolist()
    assert array(theory.sign_switch(rows, y)).tolist() == (y[:, None] * X).tolist()
    assert theory.radius(rows) == pytest.approx(np.linalg.norm(lifted, axis=1).max())
    origin = theory.radius(rows, fit_intercept=False)
    assert origin == pytest.approx(np.linalg.norm(X, axis=1).max())
    least = (y * s).min()
    assert tuple(theory.margin_of_data(rows, y, w, b)) == pytest.approx(
        (least, least / np.linalg.norm(w), least / np.hypot(np.linalg.norm(w), b)), **near
    )
    c = np.arange(len(y)) / 2 + 0.5
    wrong = y * s <= 0
    assert theory.zero_one_loss(rows, y, w, b) == wrong.sum()
    assert theory.zero_one_loss(rows, y, w, b, sample_weight=c) == c[wrong].sum()
    assert theory.perceptron_loss(rows, y, w, b) == pytest.approx(-(y * s)[wrong].sum(), **near)
    weighted = theory.perceptron_loss(rows, y, w, b, sample_weight=c)
    assert weighted == pytest.approx(-(c * y * s)[wrong].sum(), **near)


@given(tables())
def test_dense_and_csr_give_the_same_bits(table):
    X, y, w, b, _ = table
    both = X, sparse.csr_array(X)
    for ask in (theory.scores, theory.distances):
        dense, csr = (ask(rows, w, b).tolist() for rows in both)
        assert dense == csr
    dense, csr = (theory.perceptron_loss_gradient(rows, y, w, b) for rows in both)
    assert (dense.w.tolist(), dense.b) == (csr.w.tolist(), csr.b)


@given(tables())
def test_the_gradient_is_that_of_the_loss(table):
    X, y, w, b, rows = table
    c = np.arange(len(y)) + 1.0
    assume(np.abs(X @ w + b).min() > 1e-3)  # no row near its kink
    found = theory.perceptron_loss_gradient(rows, y, w, b, sample_weight=c)
    h = 1e-5

    def loss(v):
        return theory.perceptron_loss(X, y, v[:-1], v[-1], sample_weight=c)

    at = np.append(w, b)
    slopes = [(loss(at + h * e) - loss(at - h * e)) / (2 * h) for e in np.eye(len(at))]
    assert [*found.w, found.b] == pytest.approx(slopes, abs=1e-6)


@given(tables(), st.sampled_from([0.5, 1.0, 2.0]))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_batch_step_goes_down_the_gradient(table, eta):
    X, y, w, b, rows = table
    found = theory.perceptron_loss_gradient(rows, y, w, b)
    p = Perceptron(order="batch", keep="last", max_iter=1, eta0=eta)
    p.fit(X, y, coef_init=w, intercept_init=b)
    assert p.coef_[0] == pytest.approx(w - eta * found.w, rel=1e-12, abs=1e-12)
    assert p.intercept_[0] == pytest.approx(b - eta * found.b, rel=1e-12, abs=1e-12)


def test_the_loss_has_its_kink_where_a_row_is_on_the_hyperplane():
    # Row (1, 1) with label +1 under w = (1, -1): score 0, loss 0, but it is a mistake.
    assert theory.perceptron_loss([[1, 1]], [1], [1, -1]) == 0
    assert theory.zero_one_loss([[1, 1]], [1], [1, -1]) == 1
    found = theory.perceptron_loss_gradient([[1, 1]], [1], [1, -1])
    assert (found.w.tolist(), found.b) == ([-1, -1], -1)


@given(tables())
def test_normalising_changes_no_prediction(table):
    X, y, w, b, rows = table
    small = theory.normalize(rows, w, b)
    assert small.same_predictions
    assert np.linalg.norm(small.w) == pytest.approx(1)
    assert np.linalg.norm(array(small.X), axis=1).max() <= 1 + 1e-15
    before, after = theory.scores(X, w, b), theory.scores(small.X, small.w, small.b)
    assert (np.sign(before) == np.sign(after)).all()
    rho = np.linalg.norm(X, axis=1).max() or 1
    assert after * rho * np.linalg.norm(w) == pytest.approx(before, rel=1e-11, abs=1e-12)
    # The smallest margin is now the geometric one of the small rows.
    least = theory.margin_of_data(small.X, y, small.w, small.b)
    assert least.functional == pytest.approx(least.geometric)


def test_normalising_can_say_that_a_prediction_changed():
    # 3·0.1 - 0.3 is 5.6e-17, not 0, with doubles; scaled by 1/0.1 it is 3·1 - 3 = 0.
    found = theory.normalize([[0.1]], w=[3.0], b=-0.1 * 3)
    assert found.same_predictions == (
        np.sign(0.1 * 3.0 - 0.1 * 3) == np.sign(found.X[0, 0] + found.b)
    )
    zeros = theory.normalize([[0.0], [0.0]], w=[2.0], b=1.0)
    assert (zeros.X.tolist(), zeros.b, zeros.same_predictions) == ([[0.0], [0.0]], 0.5, True)


# --- Angles --------------------------------------------------------------------------------------


def test_angles_by_hand():
    # (1, 1): 45°; (0, 1): 90°; (-1, 0): 180°; (-1, √3): 120°; (0, 0) has none.
    rows = [[1, 1], [0, 1], [-1, 0], [-1, 3**0.5], [0, 0]]
    found = theory.angles(rows, [2, 0])
    assert np.degrees(found.angle[:4]) == pytest.approx([45, 90, 180, 120])
    assert np.isnan(found.angle[4])
    assert found.sign.tolist() == [1, 0, -1, -1, 0]
    assert found.half_space.tolist() == ["positive", "boundary", "negative", "negative", "boundary"]
    csr = theory.angles(sparse.csr_array(np.array(rows)), [2, 0])
    assert csr.angle.tolist()[:4] == found.angle.tolist()[:4]


def test_the_angle_of_two_vectors():
    assert theory.angle([1, 0], [0, 3]) == pytest.approx(np.pi / 2)
    assert theory.angle([1, 2], [-2, -4]) == pytest.approx(np.pi)
    assert theory.angle([1, 2], [2, 4]) == 0
    # Small ones are not lost: the arccosine of 1 - 5e-21 would be 0.
    assert theory.angle([1, 0], [1, 1e-10]) == pytest.approx(1e-10)


@given(tables())
def test_angles_follow_the_cosine(table):
    X, _, w, _, rows = table
    lengths = np.linalg.norm(X, axis=1)
    some = lengths > 0
    found = theory.angles(rows, w)
    cosines = (X[some] @ w) / (lengths[some] * np.linalg.norm(w))
    assert np.cos(found.angle[some]) == pytest.approx(cosines, abs=1e-7)
    assert [theory.angle(x, w) for x in X[some]] == pytest.approx(found.angle[some], abs=1e-7)


# --- The mistake bound ---------------------------------------------------------------------------


@given(tables(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([0.1, 1.0, 3.0]))
def test_the_mistake_bound_in_fractions(table, intercept, weighted, started, eta):
    X, _, w, b, rows = table
    star = np.append(w, b) if intercept else w
    y = np.where(X @ w + b * intercept > 0, 1, -1)
    assume(np.abs(X @ w + b * intercept).min() > 0)
    assume(len(set(y)) == 2)
    c = np.resize([0.3, 1.0, 0.0, 2.0], len(y)) if weighted else np.ones(len(y))
    w0, mu = (np.arange(len(star)) - 1.0) * started, 0.7 * weighted
    F = Fraction
    lifted = [[F(v) for v in row] + [F(1)] * intercept for row in X.tolist()]
    z = [
        [F(float(k)) * int(s) * v for v in row]
        for k, s, row in zip(c, y, lifted, strict=True)
        if k > 0
    ]
    g = min(dot(row, map(F, star.tolist())) for row in z)
    beta2 = max(square(row) for row in z) + 2 * F(mu) * F(float(c.max())) / F(eta)
    target = [F(eta) * beta2 / g * F(v) for v in star.tolist()]
    distance = square(F(p) - q for p, q in zip(w0.tolist(), target, strict=True))
    found = theory.mistake_bound(
        rows, y, star, eta0=eta, margin=mu, sample_weight=c if weighted else None, w0=w0
    )
    assert found.updates == distance // (F(eta) ** 2 * beta2)
    assert (found.beta_squared, found.gamma_squared) == (
        beta2,
        g**2 / square(map(F, star.tolist())),
    )
    assert int(found) == found.updates
    assert range(found.updates + 1)[found] == found.updates


def test_forms_of_the_mistake_bound():
    # Rows (3, 4) and (-3, -4) through the origin with w* = (3, 4): R = γ = 5.
    X, y, star = [[3, 4], [-3, -4]], [1, -1], [3, 4]

    def bound(**more):
        found = theory.mistake_bound(X, y, star, **more)
        return found.updates, found.form

    assert bound() == (1, "⌊R²/γ²⌋ (Novikoff)")
    # β² = 25 + 2·50 = 125: 125/25.
    assert bound(margin=50) == (5, "⌊β²/γ²⌋ with β² = R² + 2μ/η")
    assert bound(margin=50, eta0=4) == (2, "⌊β²/γ²⌋ with β² = R² + 2μ/η")
    # z of lengths 5 and 10, γ = 5: 100/25.
    assert bound(sample_weight=[1, 2]) == (4, "⌊β²/γ²⌋ with β² = max ‖c_i x̃_i‖²")
    # α = 25/5 = 5, αŵ = (3, 4); ‖(0, 8) - (3, 4)‖² = 25: 25/25.
    assert bound(w0=[0, 8])[0] == 1
    assert bound(w0=[0, 8])[1].startswith("⌊‖w₀ - αŵ*‖² / (η²β²)⌋")
    found = theory.mistake_bound(X, y, star)
    assert (found.gamma, found.beta) == (5, 5)


def test_the_mistake_bound_takes_a_certificate():
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    proved = certify(X, y)
    found = theory.mistake_bound(X, y, proved.homogeneous_separator)
    assert found.updates == proved.mistake_bound
    assert found.gamma == pytest.approx(proved.homogeneous_margin.lo)


def test_the_mistake_bound_of_extreme_numbers():
    X, y = np.array([[3.0, 4.0], [-3.0, -4.0]]), [1, -1]
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        found = theory.mistake_bound(X * scale, y, [3, 4])
        assert found.updates == 1
        assert found.beta == pytest.approx(5 * scale)
        assert found.gamma == pytest.approx(5 * scale)
        str(found)


# --- What is not allowed -------------------------------------------------------------------------

ROWS, LABELS = [[1.0, 2.0], [3.0, -1.0]], [1, -1]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: theory.scores(ROWS, [1, 2, 3]),
        lambda: theory.scores(ROWS, [1, "a"]),
        lambda: theory.scores(ROWS, [1, np.nan]),
        lambda: theory.scores(ROWS, [1, 2], np.inf),
        lambda: theory.scores([[1, np.nan]], [1, 2]),
        lambda: theory.margins(ROWS, [1, 1, -1], [1, 2]),
        lambda: theory.margins(ROWS, [1, None], [1, 2]),
        lambda: theory.margins([[1], [2], [3]], [1, 2, 3], [1]),
        lambda: theory.distances(ROWS, [0, 0]),
        lambda: theory.margin_of_data(ROWS, LABELS, [0, 0], 1),
        lambda: theory.normalize(ROWS, [0, 0], 1),
        lambda: theory.angles(ROWS, [0, 0]),
        lambda: theory.angle([0, 0], [1, 1]),
        lambda: theory.angle([1, 1], [0, 0]),
        lambda: theory.angle([1, 1], [1]),
        lambda: theory.angle(["x", "y"], [1, 1]),
        lambda: theory.angle([1, np.nan], [1, 1]),
        lambda: theory.radius([1, 2]),
        lambda: theory.mistake_bound(ROWS, LABELS, [1]),
        lambda: theory.mistake_bound(ROWS, LABELS, [0, 1], w0=[0, 0, 0]),
        lambda: theory.mistake_bound(ROWS, LABELS, [0, -1]),
        lambda: theory.mistake_bound(ROWS, LABELS, [0, 1], eta0=0),
        lambda: theory.mistake_bound(ROWS, LABELS, [0, 1], margin=-1),
        lambda: theory.mistake_bound(ROWS, LABELS, [0, 1], sample_weight=[1]),
        lambda: theory.mistake_bound(ROWS, LABELS, [0, 1], sample_weight=[0, 0]),
        lambda: theory.probability_separable(0, 1),
        lambda: theory.probability_separable(3, -1),
        lambda: theory.probability_separable(2.5, 1),
    ],
)
def test_bad_input_gets_one_clear_error(ask):
    with raises(ValueError):
        ask()


# --- Cover's counting theorem --------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(3, 1), (5, 1), (4, 2), (5, 2), (6, 2), (6, 3)])
def test_cover_by_counting_all_labellings(n, d):
    # Rows in general position; each labelling is decided by a certificate.
    X = np.random.default_rng(n * 10 + d).normal(size=(n, d))
    count = 2  # all of one class: separable
    for code in range(1, 2**n - 1):
        y = [(code >> i) & 1 for i in range(n)]
        count += certify(X, y).homogeneous_separator is not None
    assert theory.probability_separable(n, d) == count / 2**n


def test_cover_for_many_rows_agrees_with_few():
    # n = 1001 uses the binomial distribution; the sum of binomial coefficients says the same.
    exact = Fraction(sum(math.comb(1000, k) for k in range(481)), 2**1000)
    assert theory.probability_separable(1001, 480) == pytest.approx(float(exact), rel=1e-10)
