"""One update: its arrows add up, and the picture says what happened."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal

from common import noisy
from pictures import FOUR, THROUGH_ORIGIN, TOY, cyclic, words
from rosenblatt import Perceptron, trace
from rosenblatt.plots import UpdateDisplay


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


def test_arrows_on_one_line_are_bowed_so_that_all_are_seen():
    """Li Hang's second update: w (3, 3) − (1, 1). Both arrows lie on the diagonal."""
    for k, bowed in ((2, True), (6, False)):
        X = np.array(TOY[0], dtype=float)
        if not bowed:
            X[2] = [1, -1]
        t = trace(cyclic(), X, TOY[1])
        display = UpdateDisplay.from_trace(t, min(k, len(t)))
        rads = [a.arrow_patch.get_connectionstyle().rad for a in display.arrows_.values()]
        assert (len(set(rads)) == 3) is bowed


def test_what_is_added_is_named_as_one_says_it():
    said = words(UpdateDisplay.from_trace(trace(cyclic(), *TOY), 2)).splitlines()
    assert "−x" in said
    assert "+2x" in words(UpdateDisplay.from_trace(trace(cyclic(eta0=2.0), *TOY), 1)).splitlines()
