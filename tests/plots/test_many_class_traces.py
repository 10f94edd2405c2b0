"""Pictures of traces of many classes: regions by step, a film, and what the others show."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from pictures import words
from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, trace
from rosenblatt.errors import InputError
from rosenblatt.plots import (
    AlphaDisplay,
    BoundaryDisplay,
    LossLineDisplay,
    MistakesDisplay,
    PocketDisplay,
    RegionsDisplay,
    SqueezeDisplay,
    UpdateDisplay,
    animate,
    animation,
)

THREE = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array(["a", "b", "c"])
RULES = [
    Perceptron(order="cyclic", max_iter=4),
    KernelPerceptron(kernel="poly", degree=2, order="cyclic", max_iter=2),
]


def three(**settings):
    return trace(Perceptron(order="cyclic", keep="last", **settings), *THREE)


def noisy(n=40, k=3, seed=1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return 1.5 * rng.normal(size=(k, 2))[y] + rng.normal(size=(n, 2)), y


def test_regions_after_a_step():
    # After step 2 the weights are a (1, -1; 0), b (-1, 1; 0), c 0: a where x > y, b where x < y,
    # and c nowhere, for it is below one of them. Row 2 lies where all tie.
    display = RegionsDisplay.from_trace(three(), 2, grid_resolution=50)
    assert display.mistakes.tolist() == [2]
    assert "After step 2 of 3: 1 of 3 rows is a mistake" in words(display)
    (left, right), (low, high) = display.ax_.get_xlim(), display.ax_.get_ylim()
    x, y = np.meshgrid(np.linspace(left, right, 50), np.linspace(low, high, 50))
    sure = np.abs(x - y) > 1e-9
    assert_array_equal(display.regions[sure], np.where(x > y, 0, 1)[sure])
    assert "All 3 rows have their highest score" in words(RegionsDisplay.from_trace(three()))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
def test_regions_of_the_last_step_are_those_of_the_estimator(rule):
    X, y = noisy()
    t = trace(rule.set_params(keep="last"), X, y)
    of_trace = RegionsDisplay.from_trace(t, grid_resolution=40)
    of_estimator = RegionsDisplay.from_estimator(t.estimator, X, y, grid_resolution=40)
    assert_array_equal(of_trace.mistakes, of_estimator.mistakes)
    assert len(of_trace.mistakes) == t.estimator.training_errors_
    if of_trace.ax_.get_xlim() == of_estimator.ax_.get_xlim():
        assert (of_trace.regions == of_estimator.regions).mean() > 0.999


@pytest.mark.parametrize(
    "draw",
    [
        BoundaryDisplay.from_trace,
        lambda t: UpdateDisplay.from_trace(t, 1),
        LossLineDisplay.from_trace,
    ],
)
def test_pictures_of_two_classes_name_the_others(draw):
    with raises(InputError):
        draw(three())
    two = trace(Perceptron(), [[1.0], [-1.0]], [0, 1])
    with raises(InputError):
        RegionsDisplay.from_trace(two)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:.*stopped at max_iter")
def test_pocket_and_pla_are_what_training_returns(rule, weighted):
    X, y = noisy(24)
    weight = np.linspace(0.2, 3, 24) if weighted else None
    rule.set_params(max_updates=None)
    display = PocketDisplay.from_estimator(rule, X, y, sample_weight=weight)
    assert display.pla[0] == display.pocket[0] == 24
    for keep, errors in (("last", display.pla), ("pocket", display.pocket)):
        for k in range(1, len(errors), 3):
            rule.set_params(keep=keep, max_updates=k)
            assert errors[k] == rule.fit(X, y, weight).training_errors_
    rule.set_params(max_updates=None)


def test_alpha_is_of_the_own_class():
    # α of the dual form: each row was added once to its own class.
    t = three(eta0=0.5)
    for display in (
        AlphaDisplay.from_trace(t),
        AlphaDisplay.from_estimator(t.estimator, THREE[1]),
    ):
        assert display.alpha.tolist() == [0.5, 0.5, 0.5]
        assert [len(points.get_offsets()) for points in display.points_] == [1, 1, 1]
        assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == list("abc")


def test_the_squeeze_has_the_bound_of_all_classes():
    # γ² = 3/4 and β² = 2R² = 6, as test_many_classes_check.py has them.
    display = SqueezeDisplay.from_trace(three())
    assert (display.bound, display.beta) == (8, pytest.approx(6**0.5))
    assert display.gamma == pytest.approx(0.75**0.5)
    assert (display.norm <= display.upper(display.k) + 1e-12).all()
    assert (display.product >= display.lower(display.k) - 1e-12).all()
    assert "β² = 2·max‖x̃‖²" in words(display)


def test_mistakes_are_told_by_scores_of_two_classes():
    t = three()
    for display in (MistakesDisplay.from_trace(t), MistakesDisplay.from_estimator(t.estimator)):
        assert "where s_y − s_r ≤ 0" in words(display)
    rest = Perceptron(multi_class="ovr", keep="best").fit(*THREE)
    assert "where y·score ≤ 0" in words(MistakesDisplay.from_estimator(rest))


@pytest.mark.parametrize("rule", RULES)
def test_a_film(tmp_path, monkeypatch, rule):
    titles = []
    draw = animation._Frames._draw

    def watched(self, k):
        draw(self, k)
        titles.append(self._figure.axes[0].get_title(loc="left"))

    monkeypatch.setattr(animation._Frames, "_draw", watched)
    t = trace(rule.set_params(keep="best", max_updates=3), *THREE)
    rule.set_params(max_updates=None)
    animate(t, tmp_path / "training.gif", grid_resolution=20)
    with Image.open(tmp_path / "training.gif") as image:
        assert image.n_frames == len(t) + 1
    assert titles[0] == f"Step 0 of {len(t)}\nthe start"
    assert titles[1] == f"Step 1 of {len(t)}\nrow 0 (square): a moves towards it, b away"
