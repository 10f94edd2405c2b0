"""The pocket against PLA: each count is what training returns after so many updates."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from common import noisy
from pictures import words
from rosenblatt import KernelPerceptron, Perceptron, trace
from rosenblatt.plots import PocketDisplay


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(order="cyclic", max_iter=4),
        KernelPerceptron(kernel="poly", degree=2, order="cyclic", max_iter=2),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
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
