"""Both losses along a line."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from common import noisy
from pictures import TOY, cyclic, words
from raising import raises
from rosenblatt import theory, trace
from rosenblatt.errors import InputError
from rosenblatt.plots import LossLineDisplay


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
    with raises(InputError):
        LossLineDisplay.from_trace(t, 2, 2)
    with raises(InputError):
        LossLineDisplay.from_weights(*TOY, start=[1, 1], end=[1, 1])


def test_many_corners_are_thinned():
    X, y = noisy(3000, 2)
    display = LossLineDisplay.from_weights(X, y, start=[1, 0, 0], end=[-1, 1, 0])
    assert len(display.t) == 1000
