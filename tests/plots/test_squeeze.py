"""The squeeze: its curves are those of the convergence theorem."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from common import noisy
from pictures import FOUR, THROUGH_ORIGIN, cyclic, words
from rosenblatt import KernelPerceptron, Perceptron, theory, trace
from rosenblatt.plots import SqueezeDisplay


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
