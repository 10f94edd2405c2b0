"""Mistakes by epoch."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from common import noisy
from rosenblatt import Perceptron, Trace, trace
from rosenblatt.plots import MistakesDisplay


def test_mistakes_and_kept_errors_by_epoch():
    X, y = noisy(60, 3)
    p = Perceptron(order="cyclic", keep="best", max_iter=8)
    display = MistakesDisplay.from_trace(trace(p, X, y))
    fits = [clone(p).set_params(max_iter=e).fit(X, y) for e in range(1, 9)]
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


def test_hundreds_of_epochs_are_a_mean_and_a_range():
    mistakes = np.arange(700) % 7
    display = MistakesDisplay(mistakes).plot()
    drawn = display.lines_["mistakes"]
    assert len(drawn.get_ydata()) < 200
    assert_allclose(np.mean(drawn.get_ydata()), mistakes.mean(), rtol=0.05)
    (band,) = display.ax_.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0, 6)
    assert_array_equal(display.lines_["fewest"].get_ydata(), np.zeros(700))


def test_a_margin_that_falls_is_said_to():
    X, y = noisy(60, 3)
    p = Perceptron(random_state=0).fit(X, y)
    said = " ".join(text.get_text() for text in MistakesDisplay.from_estimator(p).ax_.texts)
    assert f"which falls from {p.margin_:.4g} to 0" in said.replace("\n", " ")
    p = Perceptron(random_state=0, keep="average", max_iter=3).fit(X, y)
    said = " ".join(text.get_text() for text in MistakesDisplay.from_estimator(p).ax_.texts)
    assert "≤ 0 when" in said.replace("\n", " ")
