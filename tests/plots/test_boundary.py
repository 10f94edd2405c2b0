"""The plane: boundary, band, rings and cuts are those of the rule and the rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from common import noisy
from pictures import FOUR, TOY, cyclic, words
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier, theory, trace
from rosenblatt.plots import BoundaryDisplay


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


def test_classes_differ_in_shape_and_in_colour():
    triangle, circle = BoundaryDisplay.from_estimator(cyclic().fit(*TOY), *TOY).points_
    assert len(circle.get_paths()[0]) != len(triangle.get_paths()[0])
    assert circle.get_facecolor().tolist() != triangle.get_facecolor().tolist()


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


def test_the_band_of_a_margin_that_was_scaled():
    p = Perceptron(margin="scale", random_state=0).fit(*TOY)
    assert BoundaryDisplay.from_estimator(p, *TOY).rule.margin == p.margin_ > 0


def test_a_margin_that_falls_to_0_keeps_no_band_free():
    p = Perceptron(random_state=0).fit(*TOY)
    assert p.margin_ > 0  # where it began
    display = BoundaryDisplay.from_estimator(p, *TOY)
    assert display.rule.margin == 0
    assert "geometric margin" in words(display)
