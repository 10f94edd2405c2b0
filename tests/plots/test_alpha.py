"""α by row."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from common import noisy
from pictures import words
from rosenblatt import KernelPerceptron, Perceptron, trace
from rosenblatt.plots import AlphaDisplay


def test_alpha_is_that_of_the_dual():
    X, y = noisy(40, 2)
    weight = np.linspace(0.5, 2, 40)
    options = {"order": "cyclic", "keep": "best", "max_iter": 5, "eta0": 0.5}
    options["class_weight"] = {-1: 2.0, 1: 1.0}
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
