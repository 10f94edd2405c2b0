"""The theorems of PassiveAggressive and AROW as a picture; other pictures of their traces."""

import numpy as np
import pytest

from pictures import FOUR, cyclic, words
from raising import raises
from rosenblatt import AROW, PassiveAggressive, Trace, trace
from rosenblatt.errors import InputError
from rosenblatt.plots import (
    AlphaDisplay,
    BoundaryDisplay,
    LossBoundDisplay,
    MistakesDisplay,
    PocketDisplay,
    SqueezeDisplay,
    UpdateDisplay,
)

LINE = [[1.0], [-3.0]], [1, -1]


def test_both_sides_by_hand():
    # test_other_rules.py of traces has the run: losses 1 and 1/2, and (9 + 1) (0 - 1)² = 10.
    rule = PassiveAggressive(
        C=0.5, order="cyclic", keep="last", fit_intercept=False, max_iter=2, patience=None
    )
    display = LossBoundDisplay.from_trace(trace(rule, *LINE, w_star=[1.0]))
    assert display.left.tolist() == [0, 1, 1.25]
    assert display.right.tolist() == [10, 10, 10]
    assert display.distance.tolist() == [1, 0.25, 0.0625]
    assert (display.mistakes, display.bound) == (1, 10)
    for name in ("left", "right", "distance"):
        assert display.lines_[name].get_ydata().tolist() == getattr(display, name).tolist()
    said = words(display)
    assert "1 mistake, and the theorem allows 10" in said
    assert "u is the w_star that was given." in said


@pytest.mark.parametrize("rule", [PassiveAggressive(loss="hinge"), AROW(), AROW(r=1e-6)])
def test_the_losses_stay_below(rule):
    t = trace(rule.set_params(random_state=0), *FOUR)
    display = LossBoundDisplay.from_trace(t)
    assert np.all(display.left <= display.right)
    assert "u is the certified separator" in words(display)


def test_each_theorem_has_its_own_picture():
    t = trace(AROW(order="cyclic"), *FOUR)
    with raises(InputError):
        SqueezeDisplay.from_trace(t)
    with raises(InputError):
        LossBoundDisplay.from_trace(trace(cyclic(), *FOUR))
    few = Trace.from_json(t.to_json(all_rows=False))
    with raises(InputError):
        LossBoundDisplay.from_trace(few)


def test_an_update_is_what_was_added():
    t = trace(AROW(r=1.0, order="cyclic"), *FOUR)
    display = UpdateDisplay.from_trace(t, 2)
    assert display.added.tolist() == (t.weights_at(2).w - t.weights_at(1).w).tolist()
    assert "α y x/p = " in words(display)
    t = trace(PassiveAggressive(order="cyclic"), *FOUR)
    display = UpdateDisplay.from_trace(t, 1)
    assert display.before.w + display.added == pytest.approx(display.after.w)
    assert "τ y x = " in words(display)


def test_the_other_pictures_speak_of_the_rule():
    t = trace(PassiveAggressive(order="cyclic", keep="last"), *FOUR)
    assert "y·score < 1 when it is visited" in words(MistakesDisplay.from_trace(t))
    assert "y·score < 1 when it is visited" in words(MistakesDisplay.from_estimator(t.estimator))
    assert "PLA" not in words(PocketDisplay.from_trace(t))
    assert "μ" not in words(BoundaryDisplay.from_trace(t))
    assert AlphaDisplay.from_trace(t).alpha.tolist() == t.alpha_at(len(t)).tolist()
