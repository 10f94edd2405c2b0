"""Three classes on the board, by every hand; what is shown is what Python computes."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import playing
from paging import (
    fingerprint_of,
    link_of,
    paste,
    place,
    run_copied,
    said_of,
    saved,
    state,
    tool,
    touch,
    violations,
    words,
)
from rosenblatt import KernelPerceptron, Perceptron, certify, trace
from rosenblatt.play import fingerprint

ONLY = "{} can be separated from both others; {} and {} cannot be separated from each other."
BOARD = "m => ({x: [...m.data.x], y: [...m.data.y], classes: m.data.classes, k: m.run.rows.k})"

REGIONS = """() => [...document.querySelectorAll(".point")].map((g) => {
    const { e, f } = g.transform.baseVal[0].matrix, at = new DOMPoint(e, f);
    return ["minus", "plus", "third"].findIndex((kind) =>
        document.querySelector(`.${kind}-side`)?.isPointInFill(at));
})"""


def three(opened, **more):
    shown = opened(**more)
    shown.get_by_label("Example").select_option("three")
    return shown


def rows_of(shown):
    got = state(shown, BOARD)
    return np.reshape(got["x"], (-1, 2)), np.array(got["y"])


def test_steps_are_told_in_the_words_of_trace(opened):
    shown = three(opened)
    t = trace(Perceptron(order="cyclic", keep="last"), *rows_of(shown))
    assert words(shown) == t.step(0)
    for k in (1, 2, 13):
        shown.get_by_role("slider", name="Step").fill(str(k))
        assert words(shown) == t.step(k)
    shown.get_by_role("button", name="To the end").click()
    assert words(shown) == t.step(len(t))


@pytest.mark.parametrize(
    ("order", "margin", "kernel"),
    [("batch", 0.0, "none"), ("random", 0.5, "none"), ("batch", 0.0, "rbf"), ("cyclic", 0, "rbf")],
)
def test_all_words_are_those_of_trace(opened, order, margin, kernel):
    X, y = playing.data_sets()["9 x 2 of 3, noise 0"]
    X = np.round(X / np.abs(X).max() * 128) / 64
    kind, more = (Perceptron, {}) if kernel == "none" else (KernelPerceptron, {"gamma": 0.5})
    p = kind(order=order, margin=margin, keep="last", patience=None, random_state=4, **more)
    t = trace(p, X, y)
    shown = opened()
    settings = {"order": order, "margin": margin, "seed": 4, "kernel": kernel, "gamma": 0.5}
    said = said_of(shown, X, y, ["0", "1", "2"], **settings)
    assert said == [t.step(k) for k in range(len(t) + 1)]


def test_a_third_class_comes_and_goes_by_mouse(opened):
    shown = opened()
    tool(shown, "Add ■")
    shown.mouse.click(*place(shown, 2, 3))
    now = state(shown, BOARD)
    assert (now["y"], now["classes"], now["k"]) == ([1, 1, 0, 2], ["-1", "1", "2"], 3)
    assert shown.locator(".point.third").count() == 1
    assert "■ class 2" in shown.locator(".legend").inner_text()
    tool(shown, "Flip")
    for expected in (0, 1, 2):
        shown.mouse.click(*place(shown, 2, 3))
        assert state(shown, BOARD)["y"][3] == expected
    tool(shown, "Delete")
    shown.mouse.click(*place(shown, 2, 3))
    now = state(shown, BOARD)
    assert (now["y"], now["k"]) == ([1, 1, 0], 2)  # what is left is trained as two classes are
    assert fingerprint_of(shown) == fingerprint(
        trace(Perceptron(order="cyclic", keep="last"), [[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    )


def test_three_classes_by_keyboard(opened):
    shown = opened()
    shown.locator(".board-svg").focus()
    shown.keyboard.press("c")
    assert state(shown, BOARD)["y"] == [1, 1, 0, 2]
    shown.keyboard.press("ArrowUp")
    assert state(shown, BOARD)["x"][7] > state(shown, BOARD)["x"][6] - 1
    assert "class 2." in shown.locator("[role=status].unseen").inner_text()
    shown.keyboard.press("f")
    assert state(shown, BOARD)["y"] == [1, 1, 0, 0]
    shown.keyboard.press("Control+z")
    shown.keyboard.press("Delete")
    assert state(shown, BOARD)["y"] == [1, 1, 0]
    shown.keyboard.press("Control+z")
    assert state(shown, BOARD)["y"] == [1, 1, 0, 2]


def test_a_finger_moves_a_square(opened):
    shown = three(opened, has_touch=True, viewport={"width": 390, "height": 800})
    before = rows_of(shown)[0]
    box, dot = shown.locator(".board-svg").bounding_box(), shown.locator(".point.third").first
    at = dot.bounding_box()
    start = (at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    end = (start[0], start[1] - 0.1 * box["height"])
    touch(shown, start, end)
    after = rows_of(shown)[0]
    assert np.flatnonzero((before != after).any(axis=1)).tolist() == [6]
    assert after[6, 1] > before[6, 1]


def test_the_verdict_follows_a_dragged_point_and_the_former_run_stays(opened):
    shown = three(opened)
    ours = certify(*rows_of(shown))
    said = shown.locator(".verdict").inner_text()
    assert f"⌊2R²/γ²⌋ = {ours.best_possible_mistake_bound:,} updates" in said
    shown.mouse.move(*place(shown, 5, 2))
    shown.mouse.down()
    shown.mouse.move(*place(shown, 2.5, 4), steps=4)
    shown.mouse.move(*place(shown, 0.5, 2.5), steps=4)  # among the ▲
    assert shown.locator(".verdict-tag").inner_text() == "No: not separable"
    assert ONLY.format("●", "▲", "■") in shown.locator(".verdict").inner_text()
    shown.mouse.up()
    assert certify(*rows_of(shown)).verdict == "quasi-complete separation"
    assert re.search(r"row 6 \(2 against 0\)", shown.locator(".verdict").inner_text())
    assert shown.locator(".meeting").count() >= 1
    assert shown.locator(".cut.ghost").count() == 3
    assert "before your change" in shown.locator(".stage").inner_text()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_iris_with_three_species_is_that_of_python(opened, capsys):
    shown = opened()
    shown.get_by_label("Example").select_option("species")
    X, y = rows_of(shown)
    iris = load_iris()
    assert X.tolist() == iris.data[:, 2:].tolist()
    assert y.tolist() == iris.target.tolist()
    assert shown.locator(".verdict-tag").inner_text() == "No: not separable"
    said = shown.locator(".verdict").inner_text()
    assert ONLY.format("▲", "●", "■") in said  # setosa from versicolor and virginica
    assert "200 right" in said  # of 300, as certify says
    assert run_copied(shown, capsys) == fingerprint_of(shown)


@pytest.mark.parametrize("labels", [("0", "1", "10"), ("B", "a", "b"), ("x", "Y", "-1")])
def test_an_own_table_with_three_labels_goes_to_python_and_back(opened, labels, capsys):
    shown = opened()
    a, b, c = labels
    paste(shown, f"u,v,y\n1,2,{a}\n3,4,{b}\n5,1,{c}\n0,1,{a}\n2.5,5,{b}\n6,0.5,{c}\n")
    assert shown.locator(".message").inner_text() == "6 rows, 2 columns of numbers; labels: y."
    assert state(shown, "m => m.run.rows.k") == 3
    assert run_copied(shown, capsys) == fingerprint_of(shown)


def test_a_link_and_a_saved_page_carry_three_classes(opened, tmp_path):
    shown = three(opened)
    shown.get_by_label("Order").select_option("shuffle")
    tool(shown, "Add ■")
    shown.mouse.click(*place(shown, 3, 3))
    shown.get_by_role("slider", name="Step").fill("2")
    other = opened(link_of(shown))
    assert state(other) == state(shown)
    assert state(other, BOARD) == state(shown, BOARD)
    assert words(other) == words(shown)
    same = "m => [[...m.data.x], [...m.data.y], m.data.classes, m.settings, m.run.row, m.run.rival]"
    other = opened(path=saved(shown, tmp_path / "saved.html"))
    assert state(other, same) == state(shown, same)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_regions_are_where_each_class_wins(opened):
    """Each point is in the region of the class that Python predicts."""
    shown = three(opened)
    tool(shown, "Flip")
    shown.mouse.click(*place(shown, 3, 5.5))  # then not all are right
    X, y = rows_of(shown)
    p = Perceptron(order="cyclic", keep="last", max_iter=2000, max_updates=20000, patience=None)
    predicted = p.fit(X, y).predict(X)
    shown.get_by_role("button", name="To the end").click()
    assert shown.evaluate(REGIONS) == predicted.tolist()


@pytest.mark.parametrize("name", ["70 x 17 of 3, noise 0", "iris"])
def test_many_columns_keep_the_predictions(opened, name):
    """The board is the plane of the differences of the weights: all regions are true there."""
    if name == "iris":
        X, y = load_iris(return_X_y=True)
    else:
        X, y = playing.data_sets()[name]
    shown = opened()
    header = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
    lines = [",".join(map(repr, [*x, int(c)])) for x, c in zip(X.tolist(), y, strict=True)]
    paste(shown, "\n".join([header, *lines]))
    got = state(
        shown,
        """m => {
            m.goTo(m.replay.steps);
            return [...m.run.last];
        }""",
    )
    W = np.reshape(got, (3, -1))
    predicted = (X @ W[:, :-1].T + W[:, -1]).argmax(axis=1)
    assert np.mean(shown.evaluate(REGIONS) == predicted) > 0.98  # one may be on a border


def test_every_chart_is_drawn(opened):
    shown = three(opened)
    shown.get_by_role("button", name="To the end").click()
    for name in ("Updates", "Vector sum", "Proof", "Weight space", "Pocket", "Dual"):
        shown.get_by_role("tab", name=name).click()
        assert shown.locator(".picture svg > *").count() > 5
    shown.get_by_role("tab", name="Vector sum").click()
    assert shown.locator(".vector-head.added").count() == 2  # the own class, and its rival
    shown.locator(".kernel select").select_option("rbf")
    assert shown.locator(".third-side").count() == 1
    assert not re.search(r"undefined|NaN|\{", shown.locator("main").inner_text())


@pytest.mark.parametrize("width", [360, 1280])
def test_everyone_can_read_it_on_any_screen_in_light_and_dark(opened, width):
    shown = three(opened, viewport={"width": width, "height": 900}, color_scheme="light")
    shown.get_by_role("button", name="To the end").click()
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert not violations(shown, runOnly=["color-contrast"])
    shown.get_by_role("button", name="Dark").click()
    assert not violations(shown, runOnly=["color-contrast"])


def test_a_kernel_that_cannot_be_chosen_says_why_and_classes_stand_in_order(opened):
    shown = opened()
    why = shown.get_by_text("A kernel needs two columns and at most 400 points")
    for example, hidden in (("xor", True), ("credit", False), ("three", True)):
        shown.get_by_label("Example").select_option(example)
        assert why.is_hidden() is hidden
        assert shown.locator(".field.kernel select").is_enabled() is hidden
    said = shown.locator(".legend").inner_text()
    assert sorted(range(3), key=lambda c: said.index(f"class {c}")) == [0, 1, 2]
