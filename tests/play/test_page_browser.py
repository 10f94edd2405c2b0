"""The playground in a real browser: every hand that a person has, and nothing leaves the page."""

import re

import numpy as np
import pytest

import playing
from paging import (
    DOTS,
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
from rosenblatt import Perceptron, certify, trace
from rosenblatt.play import fingerprint
from rosenblatt.play.html_page import asset

X, Y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]


def test_it_is_small_and_asks_for_nothing(opened, file):
    assert len(file.read_bytes()) <= 200_000
    shown = opened()
    asked = """async () => {
        const fetched = await fetch("http://127.0.0.1:9/").then(() => "yes", () => "no");
        return [fetched, (await playground).core.name];
    }"""
    assert shown.evaluate(asked) == ["no", "wasm"]
    assert "Content Security Policy" in " ".join(opened.troubles)
    opened.troubles.clear()


def test_steps_are_told_in_the_words_of_trace(opened):
    t = trace(Perceptron(order="cyclic", keep="last"), X, Y)
    shown = opened()
    assert words(shown) == t.step(0)
    for k in range(1, len(t) + 1):
        shown.get_by_role("button", name="One step on").click()
        assert words(shown) == t.step(k)
    shown.get_by_role("button", name="One step back").click()
    assert words(shown) == t.step(6)
    shown.get_by_role("button", name="To the start").click()
    assert words(shown) == t.step(0)
    shown.get_by_role("button", name="To the end").click()
    assert words(shown) == t.step(7)
    shown.get_by_role("slider", name="Step").fill("3")
    assert words(shown) == t.step(3)


@pytest.mark.parametrize("choice", [("batch", 0.0), ("random", 0.5), ("shuffle", 2.0)])
def test_all_words_are_those_of_trace(opened, choice):
    order, margin = choice
    P = Perceptron(order=order, margin=margin, keep="last", patience=None, random_state=4)
    sets = playing.data_sets()["8 x 2, noise 0"]
    t = trace(P, *sets)
    shown = opened()
    said = said_of(shown, *sets, ["-1", "1"], order=order, margin=margin, seed=4)
    assert said == [t.step(k) for k in range(len(t) + 1)]


def test_play_and_pause_by_mouse_and_by_keyboard(opened):
    shown = opened()
    shown.get_by_label("Speed").select_option("fast")
    shown.get_by_role("button", name="Play").click()
    shown.get_by_text("step 7:").wait_for()
    shown.get_by_label("Speed").select_option("slow")
    shown.locator(".board-svg").focus()
    shown.keyboard.press("Space")
    shown.get_by_role("button", name="Pause").wait_for()
    shown.keyboard.press("Space")
    shown.get_by_role("button", name="Play").wait_for()
    shown.keyboard.press(",")
    shown.keyboard.press(".")
    shown.keyboard.press(".")
    assert state(shown)["step"] > 0


def test_a_point_is_dragged_and_the_verdict_follows(opened):
    shown = opened()
    shown.mouse.move(*place(shown, 1, 1))
    shown.mouse.down()
    shown.mouse.move(*place(shown, 2, 2), steps=4)
    shown.mouse.move(*place(shown, 3.5, 3), steps=4)  # between the two others
    assert shown.locator(".verdict-tag").inner_text() == "No: not separable"
    shown.mouse.up()
    now = state(shown)
    assert now["x"][:4] == [3, 3, 4, 3]
    assert now["x"][4:] == pytest.approx([3.5, 3], abs=0.02)
    assert all(v * 64 == round(v * 64) for v in now["x"])
    assert "rows 0, 1, 2" in shown.locator(".verdict").inner_text()
    assert shown.locator(".meeting").count() == 1
    assert shown.locator(".cut.ghost").count() == 1
    shown.get_by_role("button", name="Undo").click()
    assert state(shown)["x"] == [3, 3, 4, 3, 1, 1]


def test_one_of_many_points_is_dragged(opened):
    """Many are painted on a canvas; the one that is held is not among them until it is let go."""
    shown = opened()
    lines = [f"{u},{v},{int(u > 9)}" for u in range(20) for v in range(25)]
    paste(shown, "\n".join(["u,v,y", *lines]))
    shown.evaluate("scrollTo(0, 0)")
    box = shown.locator(".board-svg").bounding_box()

    def at(x, y):  # 0 … 24 and a view that is 0.72 / 0.5 as wide, around the middle
        span = 2 * 0.72 * 24
        return [
            box["x"] + box["width"] * (0.5 + (x - 9.5) / span),
            box["y"] + box["height"] * (0.5 - (y - 12) / span),
        ]

    ink = """([x, y]) => {
        const canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
        const scale = canvas.width / box.width, of = [(x - box.x) * scale, (y - box.y) * scale];
        return canvas.getContext("2d").getImageData(...of, 1, 1).data[3];
    }"""
    start, end = at(5, 6), at(5.5, 6.5)
    assert shown.evaluate(ink, start) == 255
    shown.mouse.move(*start)
    shown.mouse.down()
    shown.mouse.move(*end, steps=3)
    assert shown.locator(".board-svg .point.minus").count() == 1
    assert shown.evaluate(ink, start) == 0
    assert shown.evaluate(ink, end) == 0
    shown.mouse.up()
    assert shown.locator(".board-svg .point").count() == 0
    assert [shown.evaluate(ink, start), shown.evaluate(ink, end)] == [0, 255]
    assert state(shown)["x"][2 * (5 * 25 + 6) :][:2] == pytest.approx([5.5, 6.5], abs=0.1)
    opened.troubles[:] = [t for t in opened.troubles if "willReadFrequently" not in t]  # by `ink`


def test_points_are_added_flipped_and_deleted_by_mouse(opened):
    shown = opened()
    tool(shown, "Add ▲")
    shown.mouse.click(*place(shown, 2, 1))
    now = state(shown)
    assert (now["n"], now["y"]) == (4, [1, 1, -1, -1])
    tool(shown, "Flip")
    shown.mouse.click(*place(shown, 4, 3))
    assert state(shown)["y"] == [1, -1, -1, -1]
    tool(shown, "Delete")
    shown.mouse.click(*place(shown, 3, 3))
    assert state(shown)["n"] == 3
    shown.get_by_role("button", name="Clear").click()
    assert state(shown)["n"] == 0
    assert shown.locator(".verdict-tag").inner_text() == "No points yet"


def test_everything_on_the_board_by_keyboard(opened):
    shown = opened()
    shown.locator(".board-svg").focus()
    for key in ("PageDown", "PageDown", "PageUp", "n", "n"):
        shown.keyboard.press(key)
    assert "Point 2 at (1, 1), class -1." in shown.locator("[role=status].unseen").inner_text()
    before = state(shown)["x"]
    shown.keyboard.press("ArrowRight")
    shown.keyboard.press("ArrowUp")
    shown.keyboard.press("Shift+ArrowUp")
    after = state(shown)["x"]
    assert after[:4] == before[:4]
    assert after[4] > before[4]
    assert after[5] - before[5] > after[4] - before[4] > 0
    shown.keyboard.press("f")
    assert state(shown)["y"] == [1, 1, 1]
    shown.keyboard.press("b")
    assert state(shown)["y"] == [1, 1, 1, -1]
    shown.keyboard.press("a")
    assert state(shown)["y"] == [1, 1, 1, -1, 1]
    shown.keyboard.press("Delete")
    assert state(shown)["n"] == 4
    shown.keyboard.press("Control+z")
    assert state(shown)["n"] == 5


def test_a_set_that_is_small_can_be_moved_too_and_the_view_follows(opened):
    shown = opened()
    shown.get_by_label("Example").select_option("tiny")
    high = []
    for _ in range(3):
        box, (across, down) = shown.locator(".board-svg").bounding_box(), shown.evaluate(DOTS)[3]
        scale = box["width"] / 600
        shown.mouse.move(box["x"] + across * scale, box["y"] + down * scale)
        shown.mouse.down()
        shown.mouse.move(box["x"] + box["width"] * 0.8, box["y"] - 20, steps=3)
        shown.mouse.up()
        high.append(state(shown)["x"][7])
    assert 1 / 32 < high[0] < high[1] < high[2]


def test_a_finger_moves_a_point(opened):
    shown = opened(has_touch=True, viewport={"width": 390, "height": 800})
    start, end = place(shown, 1, 1), place(shown, 2, 1)
    touch(shown, start, end)
    assert state(shown)["x"][4:] == pytest.approx([2, 1], abs=0.05)


def test_where_two_runs_part_is_said(opened):
    shown = opened()
    shown.get_by_label("Order").select_option("batch")
    said = shown.locator(".stage").inner_text()
    # cyclic: rows 0, 2, 2, …; batch: all three at first, of which row 0 is the first
    assert "The same as before your change until update 1, then row 1 instead of row 2." in said


def test_settings_are_those_of_python(opened):
    shown = opened()
    shown.get_by_label("Example").select_option("overlap")
    shown.get_by_label("Order").select_option("shuffle")
    shown.get_by_label("Keep").select_option("best")
    shown.get_by_label("Margin μ").fill("1.5")
    shown.get_by_label("Seed").fill("9")
    shown.get_by_label("Seed").press("Tab")
    shown.get_by_label("with intercept").uncheck()
    got = state(shown, "m => ({x: [...m.data.x], y: [...m.data.y], ...m.run.settings})")
    p = Perceptron(
        order="shuffle",
        keep="best",
        margin=1.5,
        fit_intercept=False,
        max_iter=got["maxIter"],
        max_updates=got["maxUpdates"],
        patience=None,
        random_state=9,
    )
    run = trace(p, np.array(got["x"]).reshape(-1, 2), got["y"])
    assert fingerprint_of(shown) == fingerprint(run)
    errors = shown.locator(".errors dd").inner_text()
    assert errors == str(run.estimator.training_errors_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("preset", ["lihang", "tiny", "iris", "overlap"])
def test_copied_python_gives_the_fingerprint_that_is_shown(opened, preset, capsys):
    shown = opened()
    shown.get_by_label("Example").select_option(preset)
    assert run_copied(shown, capsys) == fingerprint_of(shown)


@pytest.mark.parametrize("labels", [("2", "10"), ("B", "a"), ("-1", "1"), ("no", "yes")])
def test_labels_keep_their_sides_in_copied_python(opened, labels, capsys):
    shown = opened()
    low, high = labels
    paste(shown, f"u,v,y\n1,2,{low}\n3,4,{high}\n5,5.5,{high}\n0,1,{low}\n")
    assert run_copied(shown, capsys) == fingerprint_of(shown)


def test_a_link_carries_everything(opened):
    shown = opened()
    tool(shown, "Add ●")
    shown.mouse.click(*place(shown, 2, 3))
    shown.get_by_label("Order").select_option("shuffle")
    shown.get_by_label("Seed").fill("77")
    shown.get_by_label("Margin μ").fill("0.25")
    shown.get_by_label("Margin μ").press("Tab")
    shown.get_by_role("slider", name="Step").fill("2")
    other = opened(link_of(shown))
    assert state(other) == state(shown)
    settings = "m => m.settings"
    assert state(other, settings) == state(shown, settings)
    assert words(other) == words(shown)


def test_a_broken_link_is_no_trouble(opened):
    shown = opened("#p=???&o=backwards&m=-3&s=1e99&t=x&e=nothing")
    assert state(shown)["x"] == [3, 3, 4, 3, 1, 1]


def test_a_table_is_pasted(opened):
    shown = opened()
    paste(shown, 'name\tincome\tage\tpaid\nA\t1,5\t2\tno\n"B"\t4\t5\tyes\n')
    assert "1 columns hold only numbers" in shown.locator(".message").inner_text()
    paste(shown, "a;b;c;y\n1;2;0.5;n\n2;5;1;j\n4;4;2;j\n0;1;3;n\n")
    said = shown.locator(".message").inner_text()
    assert said == "4 rows, 3 columns of numbers; labels: y."
    assert "class n" in shown.locator(".legend").inner_text()
    assert "3 columns at once" in shown.locator(".stage").inner_text()
    assert state(shown, "m => m.run.errors") == 0
    shown.get_by_label("Columns").select_option("two")
    shown.get_by_label("Across").select_option("2")
    assert state(shown, "m => m.data.names") == ["c", "b"]
    assert state(shown)["x"] == [0.5, 2, 1, 5, 2, 4, 3, 1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "There is no table"),
        ("a,b,y\n1,2,0\n1,2\n", "Line 3 has 2 fields and the first has 3"),
        ("a,b,y\n1,2,0\n3,4,1\n5,6,2\n7,8,3", "No column has two or three different values"),
        ("a,b,y\n" + "1,2,0\n3,4,1\n" * 1001, "The table has 2002 rows"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_words(opened, text, says):
    shown = opened()
    before = state(shown)
    paste(shown, text)
    assert says in shown.locator(".message").inner_text()
    assert state(shown) == before


def test_a_file_is_dropped(opened):
    shown = opened()
    shown.evaluate(
        """() => {
            const given = new DataTransfer();
            given.items.add(new File(["u,v,y\\n1,2,0\\n3,4,1\\n5,5,1\\n"], "t.csv"));
            document.querySelector("main").dispatchEvent(
                new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true }));
        }"""
    )
    shown.get_by_text("3 rows, 2 columns of numbers").wait_for()


def test_points_stay_on_their_true_side_when_many_columns_are_shown(opened):
    """Across is the distance, exactly what the returned hyperplane says."""
    sets = playing.data_sets()["30 x 5, noise 0"]
    shown = opened()
    text = "\n".join(
        ["a,b,c,d,e,y"]
        + [
            ",".join(map(repr, [*x, int(s)]))
            for x, s in zip(sets[0].tolist(), sets[1], strict=True)
        ]
    )
    paste(shown, text)
    p = Perceptron(order="cyclic", keep="last", patience=None).fit(*sets)
    distances = p.decision_function(sets[0]) / np.linalg.norm(p.coef_)
    drawn = [across for across, _ in shown.evaluate(DOTS)]
    line = float(shown.locator(".cut.line").first.get_attribute("x1"))
    assert np.corrcoef(drawn, distances)[0, 1] > 0.99999
    assert ((np.array(drawn) > line) == (distances > 0)).all()


def test_a_saved_page_is_the_same(opened, tmp_path):
    shown = opened()
    shown.get_by_label("Order").select_option("random")
    tool(shown, "Flip")
    shown.mouse.click(*place(shown, 4, 3))
    other = opened(path=saved(shown, tmp_path / "saved.html"))
    same = "m => [[...m.data.x], [...m.data.y], m.settings, m.run.row]"
    assert state(other, same) == state(shown, same)


def test_the_verdict_shown_is_the_certified_one(opened):
    shown = opened()
    shown.get_by_label("Example").select_option("iris")
    got = state(shown, "m => [[...m.data.x], [...m.data.y]]")
    ours = certify(np.array(got[0]).reshape(-1, 2), got[1])
    said = shown.locator(".verdict").inner_text()
    assert f"{ours.mistake_bound:,} updates" in said
    assert f"distance of {ours.geometric_margin.lo:.6g}" in said


def test_every_chart_is_drawn(opened):
    shown = opened()
    shown.get_by_label("Example").select_option("overlap")
    shown.get_by_role("button", name="To the end").click()
    for name in ("Updates", "Vector sum", "Weight space", "Pocket", "Dual"):
        shown.get_by_role("tab", name=name).click()
        assert shown.locator(".picture svg > *").count() > 5
    shown.get_by_role("tab", name="Proof").click()
    assert shown.locator(".picture svg").count() == 0  # there is no proof where no line separates
    shown.get_by_label("Example").select_option("lihang")
    assert shown.locator(".picture svg .curve").count() == 4
    shown.get_by_role("tab", name="Proof").focus()
    shown.keyboard.press("ArrowRight")
    assert shown.get_by_role("tab", name="Weight space").get_attribute("aria-selected") == "true"


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_everyone_can_read_it_on_any_screen_in_light_and_dark(opened, width):
    shown = opened(viewport={"width": width, "height": 900}, color_scheme="light")
    shown.get_by_role("button", name="To the end").click()
    shown.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    if width == 800:
        return
    assert not violations(shown)
    shown.get_by_role("button", name="Dark").click()
    shown.get_by_label("Example").select_option("xor")
    assert not violations(shown, runOnly=["color-contrast"])


def test_for_a_lecture_there_are_few_words(opened):
    shown = opened()
    shown.get_by_role("button", name="Present").click()
    assert not shown.get_by_text("Try it").is_visible()
    assert shown.locator(".board-svg").is_visible()
    shown.get_by_role("button", name="End presentation").click()
    assert shown.get_by_text("Try it").is_visible()


def test_every_example_opens_with_its_tour(opened):
    shown = opened()
    assert state(shown, "m => m.verdict.status") == "separable"
    for option in shown.get_by_label("Example").locator("option").all()[1:]:
        shown.get_by_label("Example").select_option(option.get_attribute("value"))
        tour = shown.locator(".tour").inner_text()
        assert not re.search(r"tour\.|preset\.|\{", tour)
        assert shown.locator(".tour li").count() == 3


def test_three_languages_have_the_same_words_to_fill_in():
    tables = {
        name: dict(re.findall(r'^  "?([\w.]+)"?: "(.*)",$', asset(f"{name}.js"), re.MULTILINE))
        for name in ("english", "german", "chinese")
    }
    english = tables.pop("english")
    assert len(english) > 180
    alike = {"fact.weights", "chart.added", "kernel.rbf", "kernel.poly"}
    for table in tables.values():
        assert set(english) - set(table) == alike - set(table)
        assert set(table) <= set(english)
        for key, text in table.items():
            gaps = [sorted(re.findall(r"\{\w+\}", t)) for t in (text, english[key])]
            assert gaps[0] == gaps[1], key


def test_another_language_is_spoken_at_once_and_the_run_stays(opened):
    shown = opened()
    shown.get_by_role("button", name="To the end").click()
    shown.get_by_label("Language").select_option("de")
    assert words(shown).startswith("Schritt 7: Zeile 2 (1, 1) ist -1, hat aber den Wert 2:")
    assert shown.locator(".rosenblatt-play").get_attribute("lang") == "de"
    shown.get_by_label("Sprache").select_option("zh")
    assert words(shown).startswith("第 7 步")
    assert not violations(shown)


def test_the_first_language_is_that_of_the_browser(opened):
    shown = opened(locale="de-AT")
    assert shown.get_by_role("heading", level=1).inner_text() == "Perzeptron zum Ausprobieren"


def test_the_words_beside_the_board_name_what_they_are_about(opened):
    shown = opened()
    said = shown.locator(".verdict").inner_text()
    # Three points, with a 1 appended: R² = 26, γ² = 2/9, and the largest margin is √2.
    assert "distance of 1.41421 on both sides" in said
    assert "a 1 is appended to every row, for b: R = 5.09902 and γ = 0.471405. So" in said
    shown.get_by_role("tab", name="Proof").click()
    assert "at k = 117 (far to the right of this picture)" in shown.locator(".views").inner_text()
    shown.get_by_label("Margin μ").fill("2")
    shown.get_by_label("Margin μ").press("Enter")
    assert "√k·β, β² = R² + 2μ. Blue" in shown.locator(".views").inner_text()
    shown.get_by_label("Margin μ").fill("0")
    shown.get_by_label("Margin μ").press("Enter")
    shown.get_by_label("Keep").select_option("average")
    kept = shown.locator(".training .errors dd").inner_text()
    assert kept != "0"
    assert f"What is kept is wrong on some rows: {kept}." in shown.locator(".stop").inner_text()


def test_a_kernel_may_do_what_no_line_does(opened):
    shown = opened()
    shown.get_by_label("Example").select_option("xor")
    assert "(counted from 0)" in shown.locator(".verdict").inner_text()
    assert "marked ×" in shown.locator(".verdict").inner_text()
    shown.locator(".field.kernel select").select_option("rbf")
    assert shown.locator(".verdict-tag").inner_text() == "No line can; this kernel did"
    assert "marked ×" not in shown.locator(".verdict").inner_text()
