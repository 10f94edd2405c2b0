"""Recorded trainings and notebooks: what Python did is what the page shows, and the other way."""

import base64
import json
import sys
import warnings
import xml.etree.ElementTree as ElementTree
import zlib

import numpy as np
import pytest

import playing
from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, Trace, trace
from rosenblatt.errors import InputError, MissingExtraError
from rosenblatt.play import Playground, fingerprint
from rosenblatt.play.html_page import page_of
from rosenblatt.play.notebook import _module
from rosenblatt.play.recorded import table_of_trace

X, Y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
TWO, THREE = "40 x 2, noise 0.1", "9 x 2 of 3, noise 0.1"
NOTEBOOK = """
import { render } from "./notebook.js";
export const state = {};
const heard = {};
export const python = {
  saved: 0,
  get: (name) => state[name],
  set(name, value) { state[name] = JSON.parse(JSON.stringify(value)); },
  save_changes() { ++this.saved; },
  on(name, act) { heard[name] = act; },
  off() {},
};
export function change(name, value) { state[name] = value; heard[`change:${name}`](); }
export async function show(given) {
  Object.assign(state, given);
  document.body.innerHTML = "<div id=cell></div>";
  await render({ model: python, el: document.getElementById("cell") });
}
"""


def quietly(estimator, *rows, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trace(estimator, *rows, **more)


def shown_from(browser, path):
    page = browser.new_page(reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_selector(".board-svg .point", state="attached")
    return page


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (Perceptron(order="random", keep="pocket", max_iter=20), TWO),  # a seed that nobody knows
        (Perceptron(order="blocks", eta0=0.5, margin=1.0, random_state=3, max_iter=30), TWO),
        (KernelPerceptron(gamma=0.7, order="shuffle", random_state=1), TWO),
        (Perceptron(order="random", keep="pocket", max_iter=20), THREE),
        (Perceptron(order="batch", eta0=0.5, max_iter=30), THREE),
        (KernelPerceptron(gamma=0.7, order="shuffle", random_state=1), THREE),
    ],
    ids=["random", "eta0", "kernel", "three random", "three eta0", "three kernel"],
)
def test_a_recorded_training_is_stepped_through(browser, tmp_path, estimator, name):
    sets = playing.data_sets()[name]
    found = quietly(estimator, *sets)
    path = found.play(tmp_path / "run.html", show=False)
    page = shown_from(browser, path)
    got = page.evaluate(
        """playground.then((m) => ({
            steps: m.replay.steps, rows: m.run.row, rivals: m.run.rival,
            errors: m.run.errors, mistakes: m.run.mistakes, returned: [...m.run.returned],
        }))"""
    )
    p = found.estimator
    assert got["steps"] == len(found)
    assert got["rows"] == found.row.tolist()
    if len(p.classes_) > 2:
        assert p.classes_[got["rivals"]].tolist() == found.rival.tolist()
    assert (got["errors"], got["mistakes"]) == (p.training_errors_, p.mistakes_.tolist())
    if isinstance(p, Perceptron):
        weights = np.column_stack([p.coef_, p.intercept_]) / p.eta0
        assert got["returned"] == weights.ravel().tolist()
    for _ in range(min(len(found), 3)):
        page.get_by_role("button", name="One step on").click()
    step = page.evaluate("playground.then((m) => [m.time.step, m.time.over])")
    assert step == [min(len(found), 3), False]


def test_a_point_that_is_moved_is_trained_again(browser, tmp_path):
    found = quietly(Perceptron(order="random", keep="last"), X, Y)
    page = shown_from(browser, found.play(tmp_path / "run.html", show=False))
    page.locator(".board-svg").focus()
    page.keyboard.press("n")
    page.keyboard.press("f")
    assert page.evaluate("playground.then((m) => m.run.task !== null && m.data.y[0])") == -1


def test_trace_writes_the_page(shell, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n3,3,1\n4,3,1\n1,1,-1\n")
    code, _, err = shell("trace", "t.csv", "--target", "y", "--html", "t.html")
    assert code == 0
    assert "The page is in t.html." in err
    text = (tmp_path / "t.html").read_text()
    table = json.loads(text.split('id="play-table">')[1].split("</script>")[0])
    assert table["record"]["row"] == [0, 2, 2, 2, 0, 2, 2]
    code, _, err = shell("trace", "t.csv", "--target", "y", "--html", "x", "-o", "x")
    assert code == 2
    assert "x is given twice" in err


def test_trace_writes_the_page_of_three_classes_and_refuses_more(shell, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n0,0,p\n0,3,q\n4,1,r\n1,1,p\n5,5,q\n6,0,r\n")
    code, _, err = shell("trace", "t.csv", "--target", "y", "--html", "t.html")
    assert (code, "The page is in t.html." in err) == (0, True)
    text = (tmp_path / "t.html").read_text()
    table = json.loads(text.split('id="play-table">')[1].split("</script>")[0])
    assert (table["y"], table["classes"]) == ([0, 1, 2, 0, 1, 2], ["p", "q", "r"])
    assert len(table["record"]["rival"]) == len(table["record"]["row"]) > 2
    (tmp_path / "t.csv").write_text("a,b,y\n0,0,p\n0,3,q\n4,1,r\n1,1,s\n")
    code, _, err = shell("trace", "t.csv", "--target", "y", "--html", "u.html")
    assert code == 2
    assert "There are 4 classes; the playground shows two or three." in err
    assert not (tmp_path / "u.html").exists()


@pytest.mark.parametrize(
    "make",
    [
        lambda: quietly(Perceptron(), X, Y, sample_weight=[1, 2, 1]),
        lambda: quietly(Perceptron(), X, Y, coef_init=[1, 1]),
        lambda: quietly(Perceptron(keep="vote"), X, Y),
        lambda: quietly(KernelPerceptron(kernel="sigmoid"), X, Y),
        lambda: Trace.from_json(quietly(Perceptron(), X, Y).to_json()),
    ],
)
def test_what_the_page_cannot_show_is_refused(make):
    with raises(InputError):
        table_of_trace(make())


def test_a_fingerprint_needs_the_estimator():
    with raises(InputError):
        fingerprint(Trace.from_json(quietly(Perceptron(), X, Y).to_json()))


# --- In a notebook -------------------------------------------------------------------------------


@pytest.fixture
def cell(browser):
    """A widget as anywidget would show it: what Python has, and the page."""

    def show(widget):
        page = playing.opened(browser, NOTEBOOK)
        given = {"_given": widget._given, "_rows": widget._rows, "_run": {}}
        page.evaluate("(given) => play.show(given)", given)
        return page

    return show


def told(page, widget):
    """What the page has told goes back to Python."""
    state = page.evaluate("() => play.state")
    widget._rows, widget._run = state["_rows"], state["_run"]


def test_a_point_moved_in_the_page_arrives_in_python_with_the_same_bits(cell):
    widget = Playground(*playing.data_sets()["8 x 2, noise 0"], order="shuffle", random_state=6)
    page = cell(widget)
    told(page, widget)
    page.add_style_tag(content=str(widget._css))
    assert page.locator(".board").bounding_box()["height"] > 300  # a cell has no height of its own
    assert widget.coef_.tolist() == widget.fit().coef_.tolist()
    before = widget.X
    page.locator(".board-svg").focus()
    for key in ("n", "ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    told(page, widget)
    moved = widget.X
    assert (moved[0] != before[0]).all()
    assert moved[1:].tolist() == before[1:].tolist()
    fitted = widget.fit()
    assert widget.coef_.tolist() == fitted.coef_.tolist()
    assert widget.intercept_.tolist() == fitted.intercept_.tolist()
    assert widget.fingerprint == fingerprint(trace(fitted, moved, widget.y))


def test_three_classes_in_a_notebook(cell):
    widget = Playground([[0, 0], [0, 3], [4, 1], [1, 1]], ["p", "q", "r", "p"])
    page = cell(widget)
    told(page, widget)
    assert widget.y.tolist() == ["p", "q", "r", "p"]
    fitted = widget.fit()
    assert widget.coef_.tolist() == fitted.coef_.tolist()
    assert widget.intercept_.tolist() == fitted.intercept_.tolist()
    assert widget.fingerprint == fingerprint(trace(fitted, widget.X, widget.y))
    page.locator(".board-svg").focus()
    for key in ("n", "f"):  # the first point is of class q now
        page.keyboard.press(key)
    told(page, widget)
    assert widget.y.tolist() == ["q", "q", "r", "p"]
    assert widget.coef_.tolist() == widget.fit().coef_.tolist()


def test_a_class_added_in_a_notebook_arrives_as_a_number(cell):
    widget = Playground(X, ["yes", "yes", "no"])
    page = cell(widget)
    page.locator(".board-svg").focus()
    page.keyboard.press("c")
    told(page, widget)
    assert widget.y.tolist() == [1, 1, 0, 2]
    assert widget.coef_.tolist() == widget.fit().coef_.tolist()


def test_rows_that_python_sets_are_shown(cell):
    widget = Playground(X, ["yes", "yes", "no"])
    page = cell(widget)
    changed = {**widget._rows, "x": [1, 2, 5, 5, 0, 1]}
    page.evaluate("(rows) => play.change('_rows', rows)", changed)
    told(page, widget)
    assert widget.X.tolist() == [[1, 2], [5, 5], [0, 1]]
    assert widget.y.tolist() == ["yes", "yes", "no"]
    assert widget.coef_.tolist() == widget.fit().coef_.tolist()


@pytest.mark.parametrize("labels", [["yes", "yes", "no"], ["p", "q", "r"]])
def test_a_notebook_that_was_exported_shows_a_picture(labels):
    """Where no widget can live, the same output has the board as SVG, with its rows and regions."""
    content, _ = Playground(X, labels)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in content
    root = ElementTree.fromstring(content["image/svg+xml"])
    ground, *points = root
    kinds = sorted(point.tag.split("}")[1] for point in points)
    assert kinds == (
        ["circle", "circle", "path"] if labels[0] == "yes" else ["circle", "path", "rect"]
    )
    assert {part.get("fill") for part in ground} == {point.get("fill") for point in points}


def test_before_it_is_shown_nothing_was_trained():
    widget = Playground()
    assert widget.fingerprint is None
    with raises(InputError):
        _ = widget.coef_
    assert widget.fit().n_updates_ == 7


def test_the_module_is_one_that_anywidget_takes():
    assert _module().rstrip().endswith("export default { render: $notebook.render };")
    assert Playground()._esm == _module()


def test_without_anywidget_it_is_said_what_to_install(monkeypatch):
    import rosenblatt.play

    monkeypatch.delitem(sys.modules, "rosenblatt.play.notebook")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with raises(MissingExtraError):
        _ = rosenblatt.play.Playground
    with raises(AttributeError):
        _ = rosenblatt.play.Playgrounds


def test_a_page_of_nothing_has_the_examples():
    text = page_of(None).split('id="play-given">')[1].split("</script>")[0]
    presets = json.loads(zlib.decompress(base64.b64decode(json.loads(text)["presets"])))
    assert presets["lihang"]["data"]["x"] == [3, 3, 4, 3, 1, 1]
    assert len(presets["species"]["data"]["y"]) == 150
