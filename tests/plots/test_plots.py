"""Pictures: what is drawn is what was computed, checked on the artists against other calculations.

The animation has its own file; what pictures look like was looked at.
"""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import cbook
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from common import noisy
from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    RandomLinearClassifier,
    Trace,
    plots,
    theory,
    trace,
)
from rosenblatt.errors import InputError
from rosenblatt.plots import (
    AlphaDisplay,
    BoundaryDisplay,
    LossLineDisplay,
    MistakesDisplay,
    PocketDisplay,
    SqueezeDisplay,
    UpdateDisplay,
    animate,
    style,
)
from rosenblatt.plots.view import view

ROOT = Path(__file__).parents[2]
TOY = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
THROUGH_ORIGIN = [[3.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 1.0]], [1, 1, -1, -1]
FOUR = [[3.0, 1.0], [1.0, 3.0], [-1.0, 2.0], [2.0, -2.0]], [1, 1, -1, -1]


def cyclic(**parameters):
    return Perceptron(order="cyclic", **{"keep": "last", **parameters})


def words(display):
    """All text in the picture."""
    figure = display.figure_
    figure.canvas.draw()
    found = figure.findobj(matplotlib.text.Text)
    return "\n".join(t.get_text() for t in found if t.get_visible() and t.get_text())


# --- The plane -----------------------------------------------------------------------------------

numbers = st.floats(-1e3, 1e3).filter(lambda v: v == 0 or abs(v) > 1e-3)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5), numbers, numbers, numbers)
def test_a_line_is_seen_where_it_crosses_the_view(points, w0, w1, b):
    seen, w = view(np.array(points)), np.array([w0, w1])
    ends = seen.segment(w, b)
    corners = np.array([[x, y] for x in (0, 1) for y in (0, 1)]) * seen.span + seen.low
    scores = corners @ w + b
    size = np.abs(corners) @ np.abs(w) + abs(b)
    if ends is None:
        assert (w == 0).all() or (scores > -1e-9 * size).all() or (scores < 1e-9 * size).all()
        return
    assert scores.min() <= 1e-9 * size.max()
    assert scores.max() >= -1e-9 * size.max()
    assert_allclose(ends @ w + b, 0, atol=1e-9 * (np.abs(ends) @ np.abs(w) + abs(b)).max())
    inside = np.all((ends >= seen.low) & (ends <= seen.high), axis=1)
    assert not inside.any()  # it runs from edge to edge


def test_the_boundary_of_the_textbook():
    # Li Hang 2.1: x1 + x2 - 3 = 0, and (1, 1) is nearest, at 1/√2.
    display = BoundaryDisplay.from_estimator(cyclic().fit(*TOY), *TOY, weights=True)
    assert_allclose(display.line_.get_xydata().sum(axis=1), 3)
    corners = display.band_.get_xy()
    assert sorted(set(corners.sum(axis=1).round(9))) == [2, 4]
    assert "geometric margin\nof the data: 0.7071" in words(display)
    start, end = np.array(display.arrow_.xyann), np.array(display.arrow_.xy)
    assert_allclose(start.sum(), 3)
    assert_allclose((end - start)[0], (end - start)[1])
    assert (end - start)[0] > 0
    assert len(display.rings_.get_offsets()) == 0


def test_with_a_margin_the_band_is_functional():
    p = cyclic(margin=2.0).fit(*TOY)
    display = BoundaryDisplay.from_estimator(p, *TOY)
    levels = display.band_.get_xy() @ p.coef_[0] + p.intercept_[0]
    assert_allclose(np.abs(levels), 2)
    assert "functional margin\n|w·x + b| ≤ μ = 2" in words(display)


def test_rings_are_exactly_the_mistakes():
    X, y = noisy(80, 2)
    p = Perceptron(max_iter=5, random_state=0).fit(X, y)
    display = BoundaryDisplay.from_estimator(p, X, y)
    wrong = np.flatnonzero(y * p.decision_function(X) <= 0)
    assert 0 < len(wrong) == p.training_errors_
    assert_array_equal(display.mistakes, wrong)
    assert_array_equal(display.rings_.get_offsets(), X[wrong])
    assert display.band_ is None
    for sign, points in zip((-1, 1), display.points_, strict=True):
        assert_array_equal(points.get_offsets(), X[y == sign])
    assert f"{len(wrong)} of 80 rows are mistakes" in words(display)


def test_rows_of_weight_zero_do_not_exist():
    X, y = noisy(40, 2)
    weight = np.ones(40)
    weight[:10] = 0
    p = Perceptron(max_iter=5, random_state=0).fit(X, y, weight)
    display = BoundaryDisplay.from_estimator(p, X, y, sample_weight=weight)
    assert len(display.mistakes) == p.training_errors_
    assert sum(len(points.get_offsets()) for points in display.points_) == 30


def test_classes_differ_in_shape_and_in_grey():
    circle, triangle = BoundaryDisplay.from_estimator(cyclic().fit(*TOY), *TOY).points_
    assert len(circle.get_paths()[0]) != len(triangle.get_paths()[0])
    light = [p.get_facecolor()[0][:3] @ np.array([0.299, 0.587, 0.114]) for p in (circle, triangle)]
    assert abs(light[0] - light[1]) > 0.2


def test_a_cut_holds_the_other_features_at_their_median():
    X, y = noisy(60, 4)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    p = Perceptron(max_iter=5, random_state=0).fit(frame, y)
    display = BoundaryDisplay.from_estimator(p, frame, y, features=("c", 0))
    rows = np.tile(np.median(X, axis=0), (2, 1))
    rows[:, [2, 0]] = display.line_.get_xydata()
    assert_allclose(p.decision_function(pd.DataFrame(rows, columns=frame.columns)), 0, atol=1e-9)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("c", "a")
    assert "A cut: the 2 other features are at the median." in words(display).replace("\n", " ")
    assert_array_equal(
        display.rings_.get_offsets(), X[y * p.decision_function(frame) <= 0][:, [2, 0]]
    )


def test_by_default_the_heaviest_weights_are_shown():
    X, y = noisy(60, 4)
    p = Perceptron(max_iter=5, random_state=0).fit(X, y)
    display = BoundaryDisplay.from_estimator(p, X, y)
    assert display.plane.columns == tuple(np.argsort(-np.abs(p.coef_[0]))[:2])
    assert "the two heaviest weights" in words(display)


def test_sparse_rows_give_the_same_picture():
    X, y = noisy(61, 4)
    X[X < 0.4] = 0
    X[:, 3] = np.abs(X[:, 3]) + 1  # more than half filled: a median that is not 0
    p = Perceptron(max_iter=5, random_state=0).fit(X, y)
    dense = BoundaryDisplay.from_estimator(p, X, y)
    thin = BoundaryDisplay.from_estimator(p, sparse.csr_matrix(X), y)
    assert_allclose(thin.line_.get_xydata(), dense.line_.get_xydata())
    assert_array_equal(thin.rings_.get_offsets(), dense.rings_.get_offsets())


def test_one_feature_is_a_line():
    X, y = [[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1]
    p = cyclic().fit(X, y)
    display = BoundaryDisplay.from_estimator(p, X, y)
    assert_allclose(display.line_.get_xdata(), -p.intercept_[0] / p.coef_[0, 0])


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame, sparse.csr_matrix])
@pytest.mark.parametrize("keep", ["best", "vote"])
@pytest.mark.filterwarnings("ignore:.*returns a rule with")
def test_a_kernel_rule_has_the_contour_where_its_score_is_zero(frame, keep):
    X, y = make_moons(60, noise=0.1, random_state=0)
    rows = frame(X)
    if frame is pd.DataFrame:
        rows.columns = ["left", "right"]
    k = KernelPerceptron(gamma=2.0, random_state=0, keep=keep).fit(rows, y)
    display = BoundaryDisplay.from_estimator(k, rows, y)
    plain = KernelPerceptron(gamma=2.0, random_state=0, keep=keep).fit(X, y)
    points = display.line_.get_paths()[0].vertices
    assert len(points) > 20
    step = display._view.span / 99
    sides = [np.sign(plain.decision_function(points + d * step)) for d in (-1.0, 1.0)]
    either = [np.sign(plain.decision_function(points + [d, -d] * step)) for d in (-1.0, 1.0)]
    # Around every point of the contour there are both sides, one grid step away.
    assert np.all((sides[0] != sides[1]) | (either[0] != either[1]))


def test_other_estimators_are_drawn_too():
    X, y = noisy(50, 2)
    for estimator in (
        LogisticRegression(),
        RandomLinearClassifier(random_state=0),
        make_pipeline(StandardScaler(), Perceptron(random_state=0, max_iter=5)),
    ):
        display = BoundaryDisplay.from_estimator(estimator.fit(X, y), X, y)
        assert display.line_ is not None


def test_a_trace_shows_the_weights_after_any_step():
    t = trace(cyclic(), *FOUR)
    for k in range(1, len(t) + 1):
        display = BoundaryDisplay.from_trace(t, k)
        w, b = t.weights_at(k)
        assert_allclose(display.line_.get_xydata() @ w + b, 0, atol=1e-12)
        assert_array_equal(display.mistakes, np.flatnonzero(theory.margins(*FOUR, w, b) <= 0))
    start = BoundaryDisplay.from_trace(t, 0)
    assert start.line_ is None
    assert len(start.mistakes) == 4
    assert "there is no boundary" in words(start)


def test_a_trace_of_a_kernel_ends_with_the_rule_that_was_returned():
    X, y = make_moons(40, noise=0.1, random_state=0)
    k = KernelPerceptron(gamma=2.0, order="cyclic", keep="last", eta0=0.5, margin=0.1)
    t = trace(k, X, y)
    display = BoundaryDisplay.from_trace(t)
    assert_allclose(display.rule.scores, t.estimator.decision_function(X), atol=1e-12)
    assert_allclose(display.rule.score(X), display.rule.scores, atol=1e-12)


def test_many_rows_are_thinned_and_mistakes_are_kept():
    X, y = noisy(20_000, 2)
    p = Perceptron(max_iter=2, random_state=0).fit(X[:500], y[:500])
    wrong = y * p.decision_function(X) <= 0
    some = ~wrong | (np.arange(20_000) < 3000)
    display = BoundaryDisplay.from_estimator(p, X[some], y[some])
    n, few = int(some.sum()), int(wrong[:3000].sum())
    assert sum(len(points.get_offsets()) for points in display.points_) == 5_000
    assert len(display.rings_.get_offsets()) == few
    said = words(display).replace("\n", " ")
    assert f"5,000 of {n:,} rows are shown, with all {few:,} mistakes." in said


# --- One update ----------------------------------------------------------------------------------


def drawn(arrow):
    return np.array(arrow.xyann), np.array(arrow.xy)


@pytest.mark.parametrize(
    ("estimator", "weight"),
    [
        (cyclic(), None),
        (cyclic(eta0=0.25, margin=1.0), [1.0, 2.0, 0.5, 3.0]),
        (cyclic(eta0=1000.0), None),
        (Perceptron(order="batch", keep="last"), None),
        (cyclic(fit_intercept=False), None),
    ],
)
def test_the_arrows_of_an_update_add_up(estimator, weight):
    X, y = (np.array(part) for part in (FOUR if estimator.fit_intercept else THROUGH_ORIGIN))
    t = trace(estimator, X, y, sample_weight=weight)
    c = np.ones(4) if weight is None else np.array(weight)
    for k in range(1, min(len(t), 4) + 1):
        display = UpdateDisplay.from_trace(t, k)
        (o, w), (tip, end), (o2, after) = (drawn(display.arrows_[a]) for a in ("w", "added", "w'"))
        assert_array_equal(o, o2)
        assert_array_equal(w, tip)
        assert_allclose(end, after)
        rows = display.rows
        by_hand = (estimator.eta0 * c[rows] * y[rows]) @ X[rows]
        assert_allclose((end - tip) / display.scale, by_hand)
        assert_allclose((after - o) / display.scale, t.weights_at(k).w, atol=1e-12)
        assert_array_equal(
            np.sort(display.ax_.collections[2].get_offsets(), 0), np.sort(X[rows], 0)
        )
        for line, (u, b) in zip(
            display.lines_.values(), (t.weights_at(k - 1), t.weights_at(k)), strict=True
        ):
            if line is not None:
                size = np.abs(line.get_xydata()) @ np.abs(u) + abs(b)
                assert np.all(np.abs(line.get_xydata() @ u + b) <= 1e-12 * size)
        plt.close(display.figure_)


def test_the_scale_of_arrows_is_said():
    t = trace(cyclic(eta0=1000.0), *FOUR)
    display = UpdateDisplay.from_trace(t, 2)
    assert display.scale < 0.01
    assert f"Arrows are drawn at {display.scale:g} times their length." in words(display)
    assert "times" not in words(UpdateDisplay.from_trace(trace(cyclic(), *FOUR), 3))


def test_an_update_says_what_happened():
    said = words(UpdateDisplay.from_trace(trace(cyclic(), *TOY), 2))
    assert (
        "step 2: row 2 (1, 1) is −1 but scores 7\nw (3, 3) − (1, 1) = (2, 2), b 1 − 1 = 0" in said
    )


def test_with_more_features_an_update_is_a_cut_through_its_row():
    X, y = noisy(30, 4)
    t = trace(Perceptron(order="cyclic", max_iter=3), X, y)
    display = UpdateDisplay.from_trace(t, 5)
    row = int(t.row[4])
    w, b = t.weights_at(5)
    rows = np.tile(X[row], (2, 1))
    rows[:, list(display.plane.columns)] = display.lines_["after"].get_xydata()
    assert_allclose(rows @ w + b, 0, atol=1e-9)
    assert f"are as in row {row}." in words(display).replace("\n", " ")


def test_far_from_the_origin_arrows_begin_among_the_rows():
    X = np.array(FOUR[0]) + 1000
    display = UpdateDisplay.from_trace(trace(Perceptron(order="cyclic", max_iter=3), X, FOUR[1]), 3)
    start, _ = drawn(display.arrows_["w"])
    assert np.all(start > 990)
    assert "the origin is far away" in words(display)


# --- The squeeze ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "weight", "w0"),
    [
        ({}, None, None),
        ({"eta0": 0.5, "margin": 1.0}, None, None),
        ({"margin": 2.0}, [1.0, 0.5, 2.0, 1.5], None),
        ({"eta0": 2.0}, None, [5.0, -4.0, 3.0]),
        ({"fit_intercept": False}, None, None),
    ],
)
def test_the_squeeze_is_that_of_the_theorem(parameters, weight, w0):
    start = {} if w0 is None else {"coef_init": w0[:2], "intercept_init": w0[2]}
    rows = FOUR if parameters.get("fit_intercept", True) else THROUGH_ORIGIN
    t = trace(cyclic(**parameters), *rows, sample_weight=weight, **start)
    display = SqueezeDisplay.from_trace(t)
    star = t.certificate.homogeneous_separator
    lifted = np.append(star.coef, star.intercept)
    if not parameters.get("fit_intercept", True):
        lifted = star.coef
    options = {k: v for k, v in parameters.items() if k != "fit_intercept"}
    theorem = theory.mistake_bound(*rows, lifted, sample_weight=weight, w0=w0, **options)
    assert display.bound == theorem.updates
    assert display.gamma == pytest.approx(theorem.gamma)
    assert display.beta == pytest.approx(theorem.beta)
    eta, k = parameters.get("eta0", 1.0), np.arange(1, len(t) + 1)
    vectors = [np.append(*t.weights_at(i)) for i in range(len(t) + 1)]
    unit = np.append(star.coef, star.intercept) / np.linalg.norm(lifted)
    product, norm = np.array(vectors) @ unit, np.linalg.norm(vectors, axis=1)
    assert_allclose(display.lines_["product"].get_ydata(), product[1:])
    assert_allclose(display.lines_["norm"].get_ydata(), norm[1:])
    lower = product[0] + eta * k * theorem.gamma
    upper = np.sqrt(norm[0] ** 2 + k * (eta * theorem.beta) ** 2)
    assert_allclose(display.lower(k), lower)
    assert_allclose(display.upper(k), upper)
    for name, curve in (("lower", display.lower), ("upper", display.upper)):
        line = display.lines_[name]
        assert_allclose(line.get_ydata(), curve(line.get_xdata()))
    assert np.all(lower <= product[1:] * (1 + 1e-12) + 1e-12)
    assert np.all(product <= norm * (1 + 1e-12))
    assert np.all(norm[1:] <= upper * (1 + 1e-12))
    assert display.lines_["bound"].get_xdata()[0] == theorem.updates
    if w0 is None:  # the curves cross where the bound is
        k = theorem.updates
        assert display.lower(k) <= display.upper(k) * (1 + 1e-12)
        assert display.lower(k + 1) > display.upper(k + 1)


def test_the_squeeze_of_batch_steps():
    t = trace(Perceptron(order="batch", keep="last"), *FOUR)
    display = SqueezeDisplay.from_trace(t)
    most = int(np.bincount(t.visit).max())
    assert display.beta**2 == pytest.approx(most * theory.radius(FOUR[0]) ** 2)
    assert display.k[-1] == len(t.row) <= display.bound
    assert np.all(display.norm <= display.upper(display.k) * (1 + 1e-12))
    assert np.all(display.product >= display.lower(display.k) - 1e-12)
    assert "batch step" in words(display)


def test_without_a_separator_only_the_norm_is_squeezed():
    X, y = noisy(30, 2)
    t = trace(Perceptron(order="cyclic", max_iter=5), X, y)
    display = SqueezeDisplay.from_trace(t, scale="linear")
    assert set(display.lines_) == {"upper", "norm"}
    assert "no bound" in words(display)
    assert "No w* has every row on the right side" in words(display)
    wrong = SqueezeDisplay.from_trace(trace(cyclic(), *FOUR, [1.0, -1.0, 0.0]))
    assert "does not have row" in words(wrong)
    assert "lower" not in wrong.lines_


def test_a_kernel_is_squeezed_too():
    k = KernelPerceptron(gamma=1.0, order="cyclic", keep="last")
    t = trace(k, [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    display = SqueezeDisplay.from_trace(t)
    assert len(t.row) <= display.bound
    # k(x, x) = 1, lifted by 1.
    assert display.beta == pytest.approx(np.sqrt(2))


# --- Mistakes, α, losses, pocket -----------------------------------------------------------------


def test_mistakes_and_kept_errors_by_epoch():
    X, y = noisy(60, 3)
    p = Perceptron(order="cyclic", max_iter=8)
    display = MistakesDisplay.from_trace(trace(p, X, y))
    fits = [Perceptron(order="cyclic", max_iter=e).fit(X, y) for e in range(1, 9)]
    assert_array_equal(display.lines_["mistakes"].get_ydata(), fits[-1].mistakes_)
    assert_array_equal(display.lines_["kept"].get_ydata(), [f.training_errors_ for f in fits])
    best = [min(fits[-1].mistakes_[: e + 1]) for e in range(8)]
    assert_array_equal(display.lines_["fewest"].get_ydata(), best)
    assert_array_equal(display.lines_["fewest"].get_xdata(), np.arange(1, 9))
    alone = MistakesDisplay.from_estimator(fits[-1])
    assert "kept" not in alone.lines_


def test_validation_mistakes_are_drawn():
    X, y = noisy(60, 3)
    p = Perceptron(max_iter=6, random_state=0).fit(X[:40], y[:40], X_val=X[40:], y_val=y[40:])
    display = MistakesDisplay.from_estimator(p)
    assert_array_equal(display.lines_["validation"].get_ydata(), p.validation_mistakes_)


def test_mistakes_of_a_trace_from_a_file():
    X, y = noisy(60, 3)
    t = trace(Perceptron(order="cyclic", max_iter=4), X, y)
    again = Trace.from_json(t.to_json())
    assert_array_equal(MistakesDisplay.from_trace(again).mistakes, t.estimator.mistakes_)


def test_alpha_is_that_of_the_dual():
    X, y = noisy(40, 2)
    weight = np.linspace(0.5, 2, 40)
    options = {"order": "cyclic", "max_iter": 5, "eta0": 0.5, "class_weight": {-1: 2.0, 1: 1.0}}
    dual = KernelPerceptron(kernel="linear", **options).fit(X, y, weight)
    primal = Perceptron(**options).fit(X, y, weight)
    for estimator in (dual, primal):
        display = AlphaDisplay.from_estimator(estimator, y, sample_weight=weight, label=3)
        assert_allclose(display.alpha, dual.alpha_)
        assert_array_equal(display.hardest, np.argsort(-dual.alpha_, kind="stable")[:3])
        for sign, points in zip((-1, 1), display.points_, strict=True):
            some = np.flatnonzero((dual.alpha_ > 0) & (y == sign))
            assert_allclose(points.get_offsets(), np.column_stack([some, dual.alpha_[some]]))
    t = trace(Perceptron(**options), X, y, sample_weight=weight)
    assert_allclose(AlphaDisplay.from_trace(t).alpha, dual.alpha_)
    assert AlphaDisplay.from_trace(t, 1).alpha.astype(bool).sum() == 1


def test_the_hardest_rows_are_labelled_once_where_they_crowd():
    alpha = np.zeros(1000)
    alpha[[500, 501, 900]] = [5, 5, 4]
    display = AlphaDisplay(alpha, np.ones(1000), label=3).plot()
    assert [t.get_text() for t in display.labels_] == ["row 500", "row 900"]


def test_thousands_of_alphas_are_thinned():
    display = AlphaDisplay(np.arange(1, 8001), np.ones(8000)).plot()
    assert len(display.points_[1].get_offsets()) == 5000
    assert display.points_[1].get_offsets()[:, 1].min() == 3001
    assert "the 5,000 with the largest α are shown" in words(display)


@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 0.0, 0.5, *[1.0] * 26]])
def test_losses_along_a_line_are_the_losses(weight):
    X, y = noisy(30, 2)
    start, end = np.array([3.0, -1.0, 0.5]), np.array([-2.0, 2.0, 1.0])
    display = LossLineDisplay.from_weights(X, y, start=start, end=end, sample_weight=weight)
    assert len(display.zero_one) == len(display.t) - 1 > 3
    for t in np.linspace(-0.25, 1.25, 41):
        w = (1 - t) * start + t * end
        i = np.searchsorted(display.t, t, side="right") - 1
        loss = theory.zero_one_loss(X, y, w[:2], w[2], sample_weight=weight)
        assert display.zero_one[min(i, len(display.zero_one) - 1)] == pytest.approx(loss)
        loss = theory.perceptron_loss(X, y, w[:2], w[2], sample_weight=weight)
        assert np.interp(t, display.t, display.perceptron) == pytest.approx(loss)
    assert_array_equal(display.stairs_.get_data().values, display.zero_one)
    assert_array_equal(display.line_.get_ydata(), display.perceptron)


def test_losses_of_a_trace_begin_with_weights_that_are_not_zero():
    t = trace(cyclic(), *TOY)
    display = LossLineDisplay.from_trace(t)
    assert "w after\nstep 1" in words(display)
    # Between (3, 3, 1) and (1, 1, -3): row 2 scores 7 and -1, row 0 19 and 3, row 1 22 and 4.
    assert_allclose(display.t, [-0.25, 7 / 8, 19 / 16, 22 / 18, 1.25])
    assert_array_equal(display.zero_one, [1, 0, 1, 2])
    with pytest.raises(InputError, match="two different weight vectors"):
        LossLineDisplay.from_trace(t, 2, 2)
    with pytest.raises(InputError, match="the same"):
        LossLineDisplay.from_weights(*TOY, start=[1, 1], end=[1, 1])


def test_many_corners_are_thinned():
    X, y = noisy(3000, 2)
    display = LossLineDisplay.from_weights(X, y, start=[1, 0, 0], end=[-1, 1, 0])
    assert len(display.t) == 1000


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(order="cyclic", max_iter=4),
        KernelPerceptron(kernel="poly", degree=2, order="cyclic", max_iter=2),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:.*used up")
def test_pocket_and_pla_are_what_training_returns_after_so_many_updates(estimator, weighted):
    X, y = noisy(40, 2)
    weight = np.linspace(0.2, 3, 40) if weighted else None
    display = PocketDisplay.from_estimator(estimator, X, y, sample_weight=weight)
    assert display.pla[0] == display.pocket[0] == 40
    for keep, line in (("last", "pla"), ("pocket", "pocket")):
        ydata = display.lines_[line].get_ydata()
        for k in range(1, len(ydata)):
            estimator.set_params(keep=keep, max_updates=k)
            assert ydata[k] == estimator.fit(X, y, weight).training_errors_
    estimator.set_params(keep="last", max_updates=None)
    same = PocketDisplay.from_trace(trace(estimator, X, y, sample_weight=weight))
    assert_array_equal(same.pocket, display.pocket)


def test_the_pocket_of_batch_steps_is_counted_after_each():
    X, y = noisy(40, 2)
    t = trace(Perceptron(order="batch", max_iter=5), X, y)
    assert len(PocketDisplay.from_trace(t).pla) == len(t) + 1


def test_a_long_run_is_counted_now_and_then(monkeypatch):
    from rosenblatt.plots import pocket

    X, y = noisy(60, 2)
    t = trace(Perceptron(order="cyclic", max_iter=60), X, y)
    whole = PocketDisplay.from_trace(t)
    monkeypatch.setattr(pocket, "_WORK", 1)
    few = PocketDisplay.from_trace(t)
    assert len(few.updates) == 50 < len(t)
    assert_array_equal(few.pla, whole.pla[few.updates])
    assert "Counted at 50 of the steps" in words(few)


# --- All of them ---------------------------------------------------------------------------------


DISPLAYS = [
    lambda t, X, y, ax: BoundaryDisplay.from_estimator(t.estimator, X, y, weights=True, ax=ax),
    lambda t, X, y, ax: UpdateDisplay.from_trace(t, 2, ax=ax),
    lambda t, X, y, ax: SqueezeDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: MistakesDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: AlphaDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: LossLineDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: PocketDisplay.from_trace(t, ax=ax),
]


def display_of(draw, X, y, ax=None):
    return draw(trace(Perceptron(order="cyclic", max_iter=5), X, y), X, y, ax)


@pytest.mark.parametrize("draw", DISPLAYS)
def test_nothing_covers_anything(draw):
    X, y = noisy(40, 5)
    names = [f"a rather long name of feature {j}" for j in range(5)]
    y = np.where(y > 0, "approved after a second look", "rejected by a committee of three")
    display = display_of(draw, pd.DataFrame(X, columns=names), y)
    figure, ax = display.figure_, display.ax_
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    whole = figure.bbox.padded(1)
    parts = {
        "title": ax._left_title,
        "xlabel": ax.xaxis.label,
        "ylabel": ax.yaxis.label,
        "legend": None if isinstance(display, PocketDisplay) else ax.get_legend(),
        "note": next((t for t in ax.texts if t.get_color() == style.GREY), None),
    }
    boxes = {k: v.get_window_extent(renderer) for k, v in parts.items() if v is not None}
    boxes["picture"] = ax.get_window_extent(renderer)
    for name, box in boxes.items():
        assert whole.containsx(box.x0), name
        assert whole.containsx(box.x1), name
        assert whole.containsy(box.y0), name
        assert whole.containsy(box.y1), name
    for name, box in boxes.items():
        for other, second in boxes.items():
            assert name == other or not box.padded(-1).overlaps(second.padded(-1)), (name, other)


def test_pictures_are_drawn_on_axes_that_are_given():
    figure, axes = plt.subplots(1, 7, figsize=(28, 4))
    for ax, draw in zip(axes, DISPLAYS, strict=True):
        display = display_of(draw, *noisy(30, 2), ax)
        assert display.ax_ is ax
        assert display.figure_ is figure
    figure.canvas.draw()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("draw", DISPLAYS)
def test_a_display_can_be_drawn_again_and_settings_are_left_alone(draw):
    before = dict(matplotlib.rcParams)
    display = display_of(draw, *noisy(30, 2))
    first = display.ax_
    assert display.plot().ax_ is not first
    assert dict(matplotlib.rcParams) == before


NAMES = ["$x^2$", "a$b", r"\$\frac{1}", "50% of _all_ {x}", "Größe", "<script>", "x" * 200, "naïve"]


@pytest.mark.parametrize(
    "name", [*NAMES, "年龄", "line\nbreak", "\x00", "", "עברית", "🙂", "_hidden"]
)
def test_names_are_shown_as_text(name):
    X, y = noisy(30, 2)
    frame = pd.DataFrame(X, columns=[name, "$"])
    labels = np.where(y > 0, name + "+", name)
    p = Perceptron(max_iter=3, random_state=0).fit(frame, labels)
    display = BoundaryDisplay.from_estimator(p, frame, labels, features=(name, 1))
    shown = words(display)  # warnings about missing glyphs are errors here
    label = display.ax_.get_xlabel()
    assert not cbook.is_math_text(label)
    if name in NAMES and len(name) < 40:
        assert label.replace(r"\$", "$") == name
        assert f"{label} (y = −1)" in shown
    assert "\n" not in label
    assert len(label) < 250


def test_characters_that_no_font_has_are_written_as_numbers():
    assert style.text("年") == r"\u5e74"
    assert style.text("a\nb") == r"a\nb"


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(plots.__path__)])
def test_the_examples_in_docstrings_give_what_they_show(module):
    assert doctest.testmod(importlib.import_module(f"rosenblatt.plots.{module}")).failed == 0


def test_the_pictures_of_the_documentation_can_be_drawn_again(tmp_path):
    script = ROOT / "examples" / "pictures.py"
    subprocess.run([sys.executable, "-W", "error", script, tmp_path], check=True)
    images = (ROOT / "docs" / "images").iterdir()
    kept = {path.name: path for path in images if path.name != "report.png"}  # of another page
    page = (ROOT / "docs" / "pictures.md").read_text()
    assert {path.name for path in tmp_path.iterdir()} == set(kept)
    for name, path in kept.items():
        assert f"(images/{name})" in page
        assert path.stat().st_size <= 60_000


def test_a_run_without_updates_can_be_drawn(tmp_path):
    t = trace(cyclic(), *TOY, coef_init=[1.0, 1.0], intercept_init=-3.0)
    assert len(t) == 0
    assert BoundaryDisplay.from_trace(t).line_ is not None
    assert SqueezeDisplay.from_trace(t).bound > 0
    assert_array_equal(PocketDisplay.from_trace(t).pla, [0])
    assert_array_equal(MistakesDisplay.from_trace(Trace.from_json(t.to_json())).mistakes, [0])
    assert not AlphaDisplay.from_trace(t).alpha.any()
    animate(t, tmp_path / "still.gif")
    with pytest.raises(InputError, match="two different weight vectors"):
        LossLineDisplay.from_trace(t)


# --- Errors --------------------------------------------------------------------------------------


def test_features_that_are_not_there():
    X, y = noisy(30, 3)
    p = Perceptron(max_iter=3).fit(X, y)
    for features, message in [
        ((0, 3), "no feature 3: they are numbered 0 to 2"),
        ((0, "age"), "no feature 'age'; there are 'feature 0'"),
        ((1, 1), "the same feature twice"),
        ("ab", "give two features, by name or number"),
        ((0, 1, 2), "give two features"),
        ((True, 1), "no feature True"),
    ]:
        with pytest.raises(InputError, match=message):
            BoundaryDisplay.from_estimator(p, X, y, features=features)
    assert not plt.get_fignums()


def test_what_cannot_be_drawn_is_said():
    X, y = noisy(30, 3)
    gram = X @ X.T
    k = KernelPerceptron(kernel="precomputed", max_iter=3).fit(gram, y)
    with pytest.raises(InputError, match="never saw the features"):
        BoundaryDisplay.from_estimator(k, gram, y)
    t = trace(KernelPerceptron(max_iter=3), X, y)
    with pytest.raises(InputError, match="the update picture needs weights of the features"):
        UpdateDisplay.from_trace(t, 1)
    with pytest.raises(InputError, match="step=0 is the start"):
        UpdateDisplay.from_trace(trace(cyclic(), *TOY), 0)
    with pytest.raises(InputError, match="steps 0 to 7"):
        BoundaryDisplay.from_trace(trace(cyclic(), *TOY), 8)
    three = LogisticRegression().fit(X, np.arange(30) % 3)
    with pytest.raises(InputError, match="knows 3 classes"):
        BoundaryDisplay.from_estimator(three, X, y)
    with pytest.raises(InputError, match="give the axes of one picture"):
        MistakesDisplay([1, 0]).plot(ax=np.array([1, 2]))
    with pytest.raises(InputError, match="no mistakes_ by epoch"):
        MistakesDisplay.from_estimator(LogisticRegression().fit(X, y))
    with pytest.raises(InputError, match="no update_counts_"):
        AlphaDisplay.from_estimator(LogisticRegression().fit(X, y), y)
    with pytest.raises(InputError, match="scale='cubic' is not known"):
        SqueezeDisplay.from_trace(trace(cyclic(), *TOY), scale="cubic")
    with pytest.raises(InputError, match="too large to draw"):
        BoundaryDisplay.from_estimator(cyclic().fit(*TOY), [[1e308, 0], [-1e308, 0]], [1, -1])
    assert not plt.get_fignums()


def test_a_trace_with_only_some_rows_has_no_plane():
    X, y = noisy(60, 2)
    t = trace(Perceptron(order="cyclic", max_iter=3), X, y)
    part = Trace.from_json(t.to_json(all_rows=False))
    for draw in (BoundaryDisplay.from_trace, PocketDisplay.from_trace, LossLineDisplay.from_trace):
        with pytest.raises(InputError, match="only the rows that made updates"):
            draw(part)
    assert_array_equal(AlphaDisplay.from_trace(part).alpha, t.alpha_at(len(t)))


def test_without_matplotlib_it_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from rosenblatt import Perceptron, trace\n"
        "from rosenblatt.plots import BoundaryDisplay, MistakesDisplay, animate\n"
        "t = trace(Perceptron(), [[0], [1]], [0, 1])\n"
        "for draw in (lambda: MistakesDisplay.from_trace(t), lambda: animate(t, 'a.gif'),\n"
        "             lambda: BoundaryDisplay.from_estimator(t.estimator, [[0], [1]], [0, 1])):\n"
        "    try: draw()\n"
        "    except ImportError as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("MissingExtra Pictures need matplotlib")
        assert line.endswith('Install it: pip install "rosenblatt[plot]".')


def test_training_and_tracing_do_not_load_matplotlib():
    code = (
        "import sys; from rosenblatt import Perceptron, trace\n"
        "str(trace(Perceptron(), [[0], [1]], [0, 1])); import rosenblatt.plots\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
