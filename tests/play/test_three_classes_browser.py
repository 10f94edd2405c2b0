"""Three classes on the board, by every hand; what is shown is what Python computes."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import playing
from paging import (
    closed_sheet,
    downloaded,
    drag,
    fingerprint_of,
    link_of,
    opened_sheet,
    paste,
    place,
    run_copied,
    state,
    to_the_end,
    tool,
    touch,
    verdict,
    violations,
    weights_after,
    weights_of,
    words,
)
from rosenblatt import Perceptron, certify, trace
from rosenblatt.play import fingerprint

ONLY = "{} can be separated from both others; {} and {} cannot be separated from each other."
BOARD = "m => ({x: [...m.data.x], y: [...m.data.y], classes: m.data.classes, k: m.run.rows.k})"

REGIONS = """() => [...document.querySelectorAll(".board-svg .point")].map((g) => {
    const { e, f } = g.transform.baseVal[0].matrix, at = new DOMPoint(e, f);
    return ["minus", "plus", "third"].findIndex((kind) =>
        document.querySelector(`.board-svg .${kind}-side`)?.isPointInFill(at));
})"""


def three(opened, **more):
    return opened("#e=three", **more)


def rows_of(shown):
    got = state(shown, BOARD)
    return np.reshape(got["x"], (-1, 2)), np.array(got["y"])


def test_the_sentence_names_the_rival_and_two_weight_vectors_move(opened):
    shown = three(opened)
    X, y = rows_of(shown)
    t = trace(Perceptron(order="cyclic", keep="last"), X, y)
    signs = "▲●■"
    for k in (2, 5, 12):
        state(shown, f"m => m.time.goTo({k})")
        row, own, rival = t.row[k - 1], y[t.row[k - 1]], t.rival[k - 1]
        said = words(shown)
        assert said.startswith(f"{signs[own]} {'ABCDEFGHI'[row]}")
        assert f"So {signs[own]} gets it added, {signs[rival]} gets it taken away." in said
        assert shown.locator(".vector.added").count() == 2
        moved = state(shown, f"m => m.replay.changed({k})")
        assert moved == [own, rival]


@pytest.mark.parametrize(("order", "margin"), [("batch", 0.0), ("random", 0.5), ("cyclic", 0.0)])
def test_every_step_has_the_weights_of_trace(opened, order, margin):
    X, y = playing.data_sets()["9 x 2 of 3, noise 0"]
    X = np.round(X / np.abs(X).max() * 128) / 64
    p = Perceptron(order=order, margin=margin, keep="last", patience=None, random_state=4)
    t = trace(p, X, y)
    found = weights_of(opened(), X, y, ["0", "1", "2"], order=order, margin=margin, seed=4)
    assert found == [weights_after(t, k) for k in range(len(t) + 1)]


def test_a_third_class_comes_and_goes_by_mouse(opened):
    shown = opened("#e=lihang&t=end")
    tool(shown, "Add ■")
    shown.mouse.click(*place(shown, 2, 3))
    now = state(shown, BOARD)
    assert (now["y"], now["classes"], now["k"]) == ([1, 1, 0, 2], ["-1", "1", "2"], 3)
    assert shown.locator(".point.third").count() == 1
    assert "called ■" in shown.locator(".board-svg").text_content()
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
    shown = opened("#e=lihang")
    shown.locator(".board-svg").focus()
    shown.keyboard.press("c")
    assert state(shown, BOARD)["y"] == [1, 1, 0, 2]
    before = state(shown, BOARD)["x"]
    shown.keyboard.press("ArrowUp")
    assert state(shown, BOARD)["x"][7] > before[7]
    shown.keyboard.press("PageUp")
    shown.keyboard.press("PageDown")
    assert "class 2." in shown.locator("[role=status].unseen").last.inner_text()
    shown.keyboard.press("f")
    assert state(shown, BOARD)["y"] == [1, 1, 0, 0]
    shown.keyboard.press("Control+z")
    shown.keyboard.press("PageUp")
    shown.keyboard.press("Delete")
    assert state(shown, BOARD)["y"] == [1, 1, 0]
    shown.keyboard.press("Control+z")
    assert state(shown, BOARD)["y"] == [1, 1, 0, 2]


def test_a_finger_moves_a_square(opened):
    shown = three(opened, has_touch=True, viewport={"width": 390, "height": 800})
    before = rows_of(shown)[0]
    start = place(shown, *before[6])
    touch(shown, start, (start[0], start[1] - 40))
    after = rows_of(shown)[0]
    assert np.flatnonzero((before != after).any(axis=1)).tolist() == [6]
    assert after[6, 1] > before[6, 1]


def test_the_verdict_follows_a_dragged_point_and_the_former_run_stays(opened):
    shown = three(opened)
    to_the_end(shown)
    ours = certify(*rows_of(shown))
    said = " ".join(shown.locator(".ask").inner_text().split())
    assert f"At most {ours.best_possible_mistake_bound:,} updates" in said
    drag(shown, place(shown, 5, 2), place(shown, 2.5, 4), place(shown, 0.5, 2.5))  # among the ▲
    assert rows_of(shown)[0][6].tolist() == [0.5, 2.5]
    assert verdict(shown) == "No weights can do it"
    said = " ".join(shown.locator(".ask p").text_content().split())
    assert ONLY.format("●", "▲", "■") in said
    assert certify(*rows_of(shown)).verdict == "quasi-complete separation"
    assert re.search(r"■ G against ▲", said)
    assert shown.locator(".meeting").count() >= 1
    assert shown.locator(".board-svg .ghost").count() == 3
    assert words(shown) == "■ G at (0.5, 2.5): it cycles for ever."


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_iris_with_three_species_is_that_of_python(opened, capsys):
    shown = opened("#e=species&t=end")
    X, y = rows_of(shown)
    iris = load_iris()
    assert X.tolist() == iris.data[:, 2:].tolist()
    assert y.tolist() == iris.target.tolist()
    assert verdict(shown) == "No weights can do it"
    said = " ".join(shown.locator(".ask p").text_content().split())
    assert ONLY.format("▲", "●", "■") in said  # setosa from versicolor and virginica
    assert "Of 300 comparisons with another class 200 are right" in said  # as certify says
    assert run_copied(shown, capsys) == fingerprint_of(shown)


@pytest.mark.parametrize("labels", [("0", "1", "10"), ("B", "a", "b"), ("x", "Y", "-1")])
def test_an_own_table_with_three_labels_goes_to_python_and_back(opened, labels, capsys):
    shown = opened()
    a, b, c = labels
    said = paste(shown, f"u,v,y\n1,2,{a}\n3,4,{b}\n5,1,{c}\n0,1,{a}\n2.5,5,{b}\n6,0.5,{c}\n")
    assert said == "6 rows, 2 columns of numbers; labels: y."
    assert state(shown, "m => m.run.rows.k") == 3
    assert run_copied(shown, capsys) == fingerprint_of(shown)


def test_a_link_and_a_saved_page_carry_three_classes(opened, tmp_path):
    shown = three(opened)
    shown.get_by_label("Order").select_option("shuffle")
    tool(shown, "Add ■")
    shown.mouse.click(*place(shown, 3, 3))
    state(shown, "m => m.time.goTo(2)")
    other = opened(link_of(shown))
    assert state(other) == state(shown)
    assert state(other, BOARD) == state(shown, BOARD)
    assert words(other) == words(shown)
    same = "m => [[...m.data.x], [...m.data.y], m.data.classes, m.settings, m.run.row, m.run.rival]"
    other = opened(path=downloaded(shown, "Save page", tmp_path / "saved.html"))
    assert state(other, same) == state(shown, same)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_regions_are_where_each_class_wins(opened):
    """Each point is in the region of the class that Python predicts."""
    shown = three(opened)
    tool(shown, "Flip")
    shown.mouse.click(*place(shown, 3, 5.5))  # then not all are right
    X, y = rows_of(shown)
    most = state(shown, "m => m.run.settings.maxIter")
    p = Perceptron(order="cyclic", keep="last", max_iter=most, max_updates=20000, patience=None)
    predicted = p.fit(X, y).predict(X)
    to_the_end(shown)
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
    to_the_end(shown)
    W = np.reshape(state(shown, "m => [...m.run.last]"), (3, -1))
    predicted = (X @ W[:, :-1].T + W[:, -1]).argmax(axis=1)
    assert np.mean(shown.evaluate(REGIONS) == predicted) > 0.98  # one may be on a border


def test_a_kernel_draws_three_regions(opened):
    shown = three(opened)
    opened_sheet(shown).locator(".kernel select").select_option("rbf")
    closed_sheet(shown)
    to_the_end(shown)
    assert shown.locator(".board-svg .third-side").count() > 1
    assert shown.locator(".board-svg .rule").count() == 1
    assert not re.search(r"undefined|NaN|\{", shown.locator(".app").inner_text())


@pytest.mark.parametrize("width", [390, 1280])
def test_everyone_can_read_it_on_any_screen_in_light_and_dark(opened, width):
    shown = three(opened, viewport={"width": width, "height": 900}, color_scheme="light")
    to_the_end(shown)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert not violations(shown, runOnly=["color-contrast"])
    shown.get_by_role("button", name="Dark").click()
    assert not violations(shown, runOnly=["color-contrast"])


def test_a_kernel_that_cannot_be_chosen_says_why(opened):
    shown = opened()
    for name, hidden in (("xor", True), ("credit", False), ("three", True)):
        state(shown, f"m => m.usePreset('{name}')")
        sheet = opened_sheet(shown)
        why = sheet.get_by_text("A kernel needs two columns and at most 400 points")
        assert why.is_hidden() is hidden
        assert sheet.locator(".kernel select").is_enabled() is hidden
        closed_sheet(shown)
