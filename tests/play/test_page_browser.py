"""The playground in a real browser: every hand that a person has, and nothing leaves the page."""

import base64
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import playing
from paging import (
    DOTS,
    closed_sheet,
    downloaded,
    drag,
    example,
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
    until,
    verdict,
    violations,
    weights_after,
    weights_of,
    words,
)
from rosenblatt import Perceptron, certify, trace
from rosenblatt.play import fingerprint
from rosenblatt.play.html_page import LANGUAGES, texts

X, Y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
LI_HANG = "#e=lihang"
FIRST_AND_LAST = """async (film) => {
    const bytes = Uint8Array.from(atob(film), (c) => c.charCodeAt(0));
    const video = document.createElement("video");
    const still = () => {
        const pen = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext("2d");
        pen.drawImage(video, 0, 0);
        return pen.getImageData(0, 0, video.videoWidth, video.videoHeight).data;
    };
    await new Promise((done, failed) => {
        [video.onloadeddata, video.onerror] = [done, failed];
        video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
    });
    const first = still(), ended = new Promise((done) => { video.onended = done; });
    video.muted = true;
    await video.play();
    await ended;
    const last = still();
    let different = 0;
    for (let k = 0; k < first.length; k += 4) if (Math.abs(first[k] - last[k]) > 16) ++different;
    const size = [video.videoWidth, video.videoHeight];
    return { size, different: (4 * different) / first.length };
}"""
SIZES = [(1280, 720), (1366, 768), (1440, 900), (1920, 1080), (390, 844)]


def within(shown, *selectors):
    """Whether all of these are seen without scrolling."""
    return shown.evaluate(
        """(all) => all.every((one) => {
            const box = document.querySelector(one).getBoundingClientRect();
            return box.left >= 0 && box.top >= 0 && box.height > 0
                && box.right <= innerWidth && box.bottom <= innerHeight;
        })""",
        list(selectors),
    )


def at(shown, step, part):
    """In the midst of a step, counted from 1."""
    moment = "f.begin[k - 1] + f.passing[k - 1] + part * f.update"
    found = f"m => {{ const f = m.time.film, k = {step}, part = {part}; m.time.seek({moment}); }}"
    state(shown, found)


# --- One screen, and the first ten seconds --------------------------------------------------------


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


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_board_play_sentence_and_timeline_are_on_one_screen(opened, size):
    shown = opened(viewport={"width": size[0], "height": size[1]})
    needed = [".board", ".play", ".say", ".strip"]
    assert within(shown, *needed)
    assert shown.evaluate("document.documentElement.scrollWidth") <= size[0]
    box = shown.locator(".board").bounding_box()
    assert box["height"] > 0.4 * size[1]
    if size[0] < 761:
        return
    assert within(shown, ".ask", ".views", ".chips")
    shown.get_by_role("button", name="Present").click()
    shown.wait_for_function("document.querySelector('.present')")
    assert within(shown, *needed, ".chips")
    assert shown.locator(".board").bounding_box()["width"] >= 0.65 * size[0]
    assert (
        float(shown.locator(".say").evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)"))
        >= 20
    )
    shown.keyboard.press("Escape")
    assert not shown.locator(".present").count()


@pytest.mark.parametrize("tag", LANGUAGES)
def test_every_sentence_has_one_line(opened, tag):
    """Of every example and every step, in every language."""
    shown = opened(viewport={"width": 1280, "height": 720}, locale=tag)
    found = state(
        shown,
        """m => {
            const say = document.querySelector(".say"), sum = document.querySelector(".sum");
            const low = [];
            for (const id of Object.keys(m.presets)) {
                m.usePreset(id);
                const step = Math.max(Math.floor(m.replay.steps / 12), 1);
                for (let t = 0; t <= m.replay.steps + step; t += step) {
                    m.time.goTo(t);
                    const size = parseFloat(getComputedStyle(say).fontSize);
                    if (say.scrollWidth > say.clientWidth || size < 14) low.push(say.textContent);
                    if (sum.scrollWidth > sum.clientWidth + 1) low.push(sum.textContent);
                }
            }
            return low;
        }""",
    )
    assert found == []


def test_it_plays_once_and_then_invites(opened):
    shown = opened(reduced_motion="no-preference", viewport={"width": 1280, "height": 720})
    assert shown.locator(".ask.open").count() == 1
    shown.get_by_role("button", name="Pause").wait_for()  # by itself
    state(shown, "m => { m.time.speed = 20; }")
    shown.get_by_text("done, after 8 updates").first.wait_for()
    assert shown.locator(".call").is_visible()
    film = state(shown, "m => [m.time.film.length, m.time.film.update]")
    assert film[0] <= 12_500
    assert film[1] >= 1000  # one update a second


def test_with_reduced_motion_nothing_moves_by_itself(opened):
    shown = opened()
    shown.wait_for_timeout(2000)
    assert state(shown, "m => [m.time.t, m.time.playing]") == [0, False]
    shown.get_by_role("button", name="One step on").click()
    assert state(shown, "m => [m.time.step, m.time.playing]") == [1, False]


def test_nothing_is_given_away_before_a_guess_or_the_end(opened):
    shown = opened()
    assert verdictless(shown)
    at(shown, 5, 0.8)
    assert verdictless(shown)
    assert "hidden" in shown.locator("figure.proof .note").text_content()
    shown.mouse.click(*place(shown, 2, 3))  # a touch alone tells nothing
    assert verdictless(shown)
    shown.get_by_role("button", name="No", exact=True).click()
    assert verdict(shown) == "Not so: a line can do it"
    assert state(shown, "m => m.time.step") == 5
    shown.get_by_role("button", name="ask again").click()
    assert verdictless(shown)
    to_the_end(shown)
    assert verdict(shown) == "A line can do it"
    assert shown.locator(".star").count() == 1


def verdictless(shown):
    seen = shown.locator(".app").inner_text()
    told = shown.locator(".ask .verdict, .star, .band, .meeting, .corridor, .region").count()
    sheet = opened_sheet(shown)
    facts = sheet.locator("dl").inner_text()
    closed_sheet(shown)
    return not told and "59" not in seen and "0.96" not in seen and "w, b" not in facts


# --- Time -----------------------------------------------------------------------------------------


def test_the_sentence_and_its_sum_are_those_of_trace(opened):
    """Li Hang's example by hand: the row, its score, and the weights before and after."""
    t = trace(Perceptron(order="cyclic", keep="last"), X, Y)
    shown = opened(LI_HANG)
    w, b = np.zeros(2), 0
    for k, row in enumerate(t.row):
        shown.get_by_role("button", name="One step on").click()
        added, was = Y[row] * np.array(X[row]), (w, b)
        w, b = w + added, b + Y[row]
        assert words(shown).startswith(
            f"{'●' if Y[row] > 0 else '▲'} {'ABC'[row]} scores {t.score[k]:g}".replace("-", "−")
        )
        numbers = [
            int(v.replace("−", "-").replace(" ", ""))
            for v in re.findall(r"[−]?\d+", shown.locator(".sum").text_content())
        ]
        assert numbers[5] == t.score[k]
        assert numbers[6:8] == was[0].tolist()
        assert numbers[8:10] == X[row]
        assert numbers[10:12] == w.tolist()
        assert (numbers[12], numbers[14]) == (was[1], b)
    shown.get_by_role("button", name="One step on").click()
    assert (
        words(shown) == "A whole epoch without a mistake: done, after 7 updates. Now drag a point."
    )


@pytest.mark.parametrize("choice", [("batch", 0.0), ("random", 0.5), ("shuffle", 2.0)])
def test_every_step_has_the_weights_of_trace(opened, choice):
    order, margin = choice
    P = Perceptron(order=order, margin=margin, keep="last", patience=None, random_state=4)
    sets = playing.data_sets()["8 x 2, noise 0"]
    t = trace(P, *sets)
    found = weights_of(opened(), *sets, ["-1", "1"], order=order, margin=margin, seed=4)
    assert found == [weights_after(t, k) for k in range(len(t) + 1)]


def test_play_pause_and_steps_by_mouse_and_by_keyboard(opened):
    shown = opened(LI_HANG, reduced_motion="no-preference")
    shown.get_by_label("Speed").select_option("3")
    shown.get_by_role("button", name="Play").click()
    shown.get_by_role("button", name="Pause").click()
    assert state(shown, "m => m.time.t") > 0
    shown.locator(".board-svg").focus()
    shown.keyboard.press("Space")
    shown.get_by_role("button", name="Pause").wait_for()
    shown.keyboard.press("Space")
    strip = shown.get_by_role("slider", name="Steps")
    strip.focus()
    shown.keyboard.press("End")
    assert state(shown, "m => m.time.step") == 7
    shown.keyboard.press("Home")
    assert state(shown, "m => m.time.t") == 0
    shown.keyboard.press("ArrowRight")
    until(shown, "!m.time.playing && m.time.step === 1")
    shown.keyboard.press(".")
    until(shown, "!m.time.playing && m.time.step === 2")
    shown.keyboard.press(",")
    assert strip.get_attribute("aria-valuenow") == "1"
    assert strip.get_attribute("aria-valuetext").startswith(words(shown))
    box = strip.bounding_box()
    shown.mouse.click(box["x"] + box["width"] / 2, box["y"] + 30)
    assert 0 < state(shown, "m => m.time.t / m.time.film.length - 0.45") < 0.1


def test_a_step_has_two_beats_and_every_moment_is_a_state_of_the_perceptron(opened):
    """First the mistake, then the step: w goes along x, and the former line stays."""
    shown = opened()
    at(shown, 5, 0.2)
    assert shown.locator(".early").count() == 1  # what follows from it is not said yet
    lines = "() => document.querySelector('.rule').getAttribute('x1')"
    before = shown.evaluate(lines)
    at(shown, 5, 0.6)
    assert shown.locator(".early").count() == 0
    now = state(shown, "m => [m.time.moment.turn, [...m.replay.between(m.time.moment)]]")
    part, w = now
    assert 0 < part < 1
    x = np.array([-3, -3, 1])  # row 6 is positive
    old = np.array(state(shown, "m => [...m.replay.at(4)]"))
    assert w == pytest.approx((old + part * x).tolist())
    assert shown.evaluate(lines) != before
    assert shown.locator(".ghost").count() == 1
    assert shown.locator(".vector.added.plus").count() == 1
    turning = state(shown, "m => { const f = m.time.film; return (0.72 - 0.44) * f.update; }")
    assert 300 <= turning <= 500


def test_every_visit_can_be_watched(opened):
    shown = opened(LI_HANG)
    opened_sheet(shown).get_by_label("watch every visit").check()
    closed_sheet(shown)
    said = []
    for _ in range(6):
        shown.get_by_role("button", name="One step on").click()
        said.append(words(shown))
    assert said[1] == "● B scores 22: the right side. Nothing to do."  # w (3, 3), b 1
    assert "▲ C scores 7" in said[2]
    assert shown.locator(".point").count() == 3
    for expected in (5, 4):
        shown.get_by_role("button", name="One step back").click()
        assert words(shown) == said[expected - 1]


def test_a_run_that_goes_round_ends_and_says_so(opened):
    shown = opened("#e=xor&t=end")
    assert words(shown).startswith(
        "After update 7 the weights are those after update 3: it cycles for ever."
    )
    run = state(
        shown,
        "m => [m.run.stop, m.run.cycle, m.run.updates, [...m.replay.at(3)], [...m.replay.at(7)]]",
    )
    assert run[:3] == ["cycle", [3, 7], 7]
    assert run[3] == run[4]
    assert verdict(shown) == "No line can do it"


# --- Hands ----------------------------------------------------------------------------------------


def test_a_point_is_dragged_and_the_verdict_follows(opened):
    shown = opened(LI_HANG)
    shown.mouse.move(*place(shown, 1, 1))
    shown.mouse.down()
    shown.mouse.move(*place(shown, 2, 2), steps=4)
    shown.mouse.move(*place(shown, 3.5, 3), steps=4)  # between the two others
    assert verdict(shown) == "No line can do it"
    assert "▲ C at (3.5, 3): no line can do it." in words(shown)
    shown.mouse.up()
    now = state(shown)
    assert now["x"] == [3, 3, 4, 3, 3.5, 3]
    assert "● A ● B ▲ C show why" in " ".join(shown.locator(".ask p").inner_text().split())
    assert shown.locator(".meeting").count() == 1
    assert shown.locator(".ghost").count() == 1
    shown.get_by_role("button", name="Undo").click()
    assert state(shown)["x"] == [3, 3, 4, 3, 1, 1]


def test_with_shift_a_point_goes_to_a_finer_grid(opened):
    shown = opened()
    shown.keyboard.down("Shift")
    drag(shown, place(shown, 2, 0), place(shown, 2.3, 0.2))
    shown.keyboard.up("Shift")
    x = state(shown)["x"][:2]
    assert x == pytest.approx([2.3, 0.2], abs=0.05)
    assert all(v * 16 == round(v * 16) for v in x)
    assert x[0] * 2 != round(x[0] * 2)


def test_one_of_many_points_is_dragged(opened):
    """Many are painted on a canvas; the one that is held is not among them until it is let go."""
    shown = opened()
    lines = [f"{u},{v},{int(u > 9)}" for u in range(20) for v in range(25)]
    paste(shown, "\n".join(["u,v,y", *lines]))
    box = shown.locator(".board-svg").bounding_box()
    view = shown.evaluate(
        """() => {
            const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
            const { data, width, height } = pen.getImageData(0, 0, canvas.width, canvas.height);
            let [left, right, top, bottom] = [width, 0, height, 0];
            for (let k = 0; k < width * height; ++k) {
                if (data[4 * k + 3] <= 128) continue;
                const [x, y] = [k % width, Math.floor(k / width)];
                [left, right] = [Math.min(left, x), Math.max(right, x)];
                [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
            }
            return [left, right, top, bottom].map((v) => v / (canvas.width / canvas.clientWidth));
        }"""
    )

    def spot(x, y):  # 0 … 19 across, 0 … 24 up, by the middles of the outermost points
        left, right, top, bottom = view[0] + 4, view[1] - 3.5, view[2] + 4, view[3] - 3.5
        return [
            box["x"] + left + (right - left) * x / 19,
            box["y"] + bottom - (bottom - top) * y / 24,
        ]

    ink = """([x, y]) => {
        const canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
        const scale = canvas.width / box.width, of = [(x - box.x) * scale, (y - box.y) * scale];
        return canvas.getContext("2d").getImageData(...of, 1, 1).data[3];
    }"""
    start, end = spot(5, 6), spot(5.5, 6.5)
    assert shown.evaluate(ink, start) == 255
    shown.mouse.move(*start)
    shown.mouse.down()
    shown.keyboard.down("Shift")
    shown.mouse.move(*end, steps=3)
    assert shown.locator(".board-svg .point.minus").count() == 1
    assert shown.evaluate(ink, start) == 0
    assert shown.evaluate(ink, end) == 0
    shown.mouse.up()
    shown.keyboard.up("Shift")
    assert shown.locator(".board-svg .point").count() == 0
    assert [shown.evaluate(ink, start), shown.evaluate(ink, end)] == [0, 255]
    assert state(shown)["x"][2 * (5 * 25 + 6) :][:2] == pytest.approx([5.5, 6.5], abs=0.15)
    opened.troubles[:] = [t for t in opened.troubles if "willReadFrequently" not in t]  # by `ink`


def test_points_are_added_flipped_and_deleted_by_mouse(opened):
    shown = opened(LI_HANG)
    tool(shown, "Add ▲")
    shown.mouse.click(*place(shown, 2, 1))
    now = state(shown)
    assert (now["n"], now["y"], now["x"][6:]) == (4, [1, 1, -1, -1], [2, 1])
    tool(shown, "Flip")
    shown.mouse.click(*place(shown, 4, 3))
    assert state(shown)["y"] == [1, -1, -1, -1]
    tool(shown, "Delete")
    shown.mouse.click(*place(shown, 3, 3))
    assert state(shown)["n"] == 3
    shown.get_by_role("button", name="Reset the example").click()
    assert state(shown)["x"] == [3, 3, 4, 3, 1, 1]
    opened_sheet(shown).get_by_role("button", name="Empty the board").click()
    closed_sheet(shown)
    assert state(shown)["n"] == 0
    assert words(shown).startswith("No points yet.")
    assert "There are no points yet." in shown.locator(".ask").inner_text()


def test_everything_on_the_board_by_keyboard_and_it_is_said_aloud(opened):
    shown = opened(LI_HANG)
    live = shown.locator("[role=status].unseen").last
    shown.locator(".board-svg").focus()
    for key in ("PageDown", "PageDown", "PageUp", "n", "n"):
        shown.keyboard.press(key)
    assert live.inner_text() == "Point C at (1, 1), class -1."
    shown.keyboard.press("ArrowRight")
    assert live.inner_text().startswith("▲ C at (1.25, 1): ")
    shown.keyboard.press("ArrowUp")
    shown.keyboard.press("Shift+ArrowUp")
    after = state(shown)["x"]
    assert after[:4] == [3, 3, 4, 3]
    assert after[4] == 1.25
    assert 1.25 < after[5] < 1.5
    shown.keyboard.press("f")
    assert state(shown)["y"] == [1, 1, 1]
    assert live.inner_text().startswith("● C at")
    shown.keyboard.press("b")
    assert state(shown)["y"] == [1, 1, 1, -1]
    shown.keyboard.press("a")
    assert state(shown)["y"] == [1, 1, 1, -1, 1]
    shown.keyboard.press("Delete")
    assert state(shown)["n"] == 4
    shown.keyboard.press("Control+z")
    assert state(shown)["n"] == 5
    shown.keyboard.press("4")
    assert state(shown, "m => m.preset") == "xor"


def test_a_set_that_is_small_can_be_moved_too_and_the_view_follows(opened):
    shown = opened("#e=tiny")
    high = []
    for _ in range(3):
        box, (across, down) = shown.locator(".board-svg").bounding_box(), shown.evaluate(DOTS)[3]
        drag(
            shown,
            (box["x"] + across, box["y"] + down),
            (box["x"] + box["width"] * 0.8, box["y"] - 20),
        )
        high.append(state(shown)["x"][7])
    assert 1 / 32 < high[0] < high[1] < high[2]


def test_a_finger_moves_a_point_and_scrolls_elsewhere(opened):
    shown = opened(LI_HANG, has_touch=True, viewport={"width": 390, "height": 844})
    touch(shown, place(shown, 1, 1), place(shown, 2, 1))
    assert state(shown)["x"][4:] == [2, 1]
    before = state(shown)
    empty = place(shown, 1, 2.5)
    touch(shown, empty, (empty[0], empty[1] - 150))
    shown.wait_for_function("document.querySelector('.rosenblatt-play').scrollTop > 50")
    assert state(shown) == before
    small = """() => [...document.querySelectorAll("button, select")]
        .filter((e) => e.offsetParent && !e.closest("dialog"))
        .filter((e) => Math.min(e.getBoundingClientRect().width, e.offsetHeight) < 44)
        .map((e) => e.className || e.ariaLabel)"""
    assert shown.evaluate(small) == []


def test_a_change_is_told_beside_what_was_before(opened):
    shown = opened("#e=lihang&t=end")
    drag(shown, place(shown, 1, 1), place(shown, 2, 2))
    assert words(shown) == "▲ C at (2, 2): 27 updates, 7 before your change."
    assert "more than 20 updates ✓" in shown.locator(".sum").inner_text()
    shown.get_by_label("Order").select_option("batch")
    assert "before your change" in words(shown)
    shown.get_by_label("Order").select_option("cyclic")
    assert words(shown).endswith("27 updates, 46 before your change.")
    assert "before your change" in words(shown)
    shown.get_by_role("button", name="One step back").click()
    assert "before your change" not in words(shown)


def test_a_guess_is_judged_by_the_points_it_was_about(opened):
    shown = opened(LI_HANG)
    shown.get_by_role("button", name="Yes", exact=True).click()
    assert shown.locator(".verdict").inner_text() == "Right: a line can do it"
    drag(shown, place(shown, 1, 1), place(shown, 3.5, 3))
    assert shown.locator(".verdict").inner_text() == "No line can do it"
    shown.get_by_role("button", name="Undo").click()
    assert words(shown) == "7 updates, unfinished before your change."  # it went round


def test_with_a_margin_the_start_says_what_counts(opened):
    shown = opened(LI_HANG)
    assert "μ" not in shown.locator(".sum").inner_text()
    shown.get_by_label("Margin μ").first.select_option("2")
    assert "μ = 2" in shown.locator(".sum").inner_text()


def test_a_choice_before_the_end_starts_again_and_tells_nothing(opened):
    shown = opened()
    at(shown, 3, 0.8)
    shown.get_by_label("Order").select_option("shuffle")
    assert state(shown, "m => [m.time.t, m.revealed, m.settings.order]") == [0, False, "shuffle"]


# --- The same bits --------------------------------------------------------------------------------


def test_settings_are_those_of_python(opened):
    shown = opened("#e=overlap")
    shown.get_by_label("Order").select_option("shuffle")
    shown.get_by_label("Keep").select_option("best")
    sheet = opened_sheet(shown)
    sheet.get_by_label("Margin μ").fill("1.5")
    sheet.get_by_label("Seed").fill("9")
    sheet.get_by_label("Seed").press("Tab")
    sheet.get_by_label("with intercept").uncheck()
    closed_sheet(shown)
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
    to_the_end(shown)
    errors = opened_sheet(shown).locator(".errors dd").inner_text()
    assert errors == str(run.estimator.training_errors_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("preset", ["swing", "lihang", "tiny", "xor", "iris", "overlap"])
def test_copied_python_gives_the_fingerprint_that_is_shown(opened, preset, capsys):
    shown = opened(f"#e={preset}")
    assert run_copied(shown, capsys) == fingerprint_of(shown)


@pytest.mark.parametrize("labels", [("2", "10"), ("B", "a"), ("-1", "1"), ("no", "yes")])
def test_labels_keep_their_sides_in_copied_python(opened, labels, capsys):
    shown = opened()
    low, high = labels
    paste(shown, f"u,v,y\n1,2,{low}\n3,4,{high}\n5,5.5,{high}\n0,1,{low}\n")
    assert run_copied(shown, capsys) == fingerprint_of(shown)


def test_columns_are_centred_and_put_back(opened, capsys):
    shown = opened("#e=iris")
    before = state(shown)["x"]
    opened_sheet(shown).get_by_label("centre the columns").check()
    closed_sheet(shown)
    x = np.reshape(state(shown)["x"], (-1, 2))
    assert np.abs(x.mean(axis=0)).max() < 1 / 64
    assert state(shown, "m => m.run.updates") == 4
    assert run_copied(shown, capsys) == fingerprint_of(shown)
    other = opened(link_of(shown))
    assert state(other)["x"] == state(shown)["x"]
    opened_sheet(shown).get_by_label("centre the columns").uncheck()
    assert state(shown)["x"] == before


# --- Data in, and out again -----------------------------------------------------------------------


def test_a_link_carries_everything_and_so_does_the_address(opened):
    shown = opened("#e=lihang&t=end")
    tool(shown, "Add ●")
    shown.mouse.click(*place(shown, 2, 3))
    shown.get_by_label("Order").select_option("shuffle")
    shown.get_by_label("Margin μ").first.select_option("0.5")
    sheet = opened_sheet(shown)
    sheet.get_by_label("Seed").fill("77")
    sheet.get_by_label("Seed").press("Tab")
    closed_sheet(shown)
    state(shown, "m => m.time.goTo(2)")
    link = link_of(shown)
    other = opened(link)
    assert state(other) == state(shown)
    settings = "m => m.settings"
    assert state(other, settings) == state(shown, settings)
    assert words(other) == words(shown)
    shown.wait_for_function("(link) => location.hash === link", arg=link)
    assert "this computer only" in shown.locator(".sharing .message").text_content()


def test_a_broken_link_is_no_trouble(opened):
    shown = opened("#p=???&o=backwards&m=-3&s=1e99&t=x&e=nothing")
    assert state(shown, "m => m.preset") == "swing"


def test_a_table_is_pasted(opened):
    shown = opened()
    said = paste(shown, "a;b;c;y\n1;2;0,5;n\n2;5;1;j\n4;4;2;j\n0;1;3;n\n")
    assert said == "4 rows, 3 columns of numbers; labels: y. Decimal commas were read as points."
    assert words(shown).startswith("4 points with 3 columns")
    assert state(shown, "m => m.run.errors") == 0
    to_the_end(shown)
    assert "called ▲ j" in shown.locator(".board-svg").text_content()
    sheet = opened_sheet(shown)
    sheet.locator(".columns select").select_option("two")
    sheet.locator(".across select").select_option("2")
    assert state(shown, "m => m.data.names") == ["c", "b"]
    assert state(shown)["x"] == [0.5, 2, 1, 5, 2, 4, 3, 1]


@pytest.mark.parametrize(
    ("text", "names", "target"),
    [
        ("y,x1,x2\n1,5,3\n0,2,1\n1,4,4\n", ["x1", "x2"], "y"),
        ("species,a,b\nx,1,2\nz,3,4\nx,1,3\n", ["a", "b"], "species"),
        ("a,sign,b\n1,-1,2\n2,1,1\n2,-1,4\n", ["a", "b"], "sign"),
        ("5,yes,1\n2,no,3\n1,no,4\n", ["x1", "x3"], "x2"),
        ("1 2 1\n3 4 -1\n5 5 1\n", ["x1", "x2"], "x3"),
        ("x,y,c\n1,2,a\n2,3,b\n3,5,a\n4,7,b\n", ["x", "y"], "c"),  # y is no label here
    ],
)
def test_labels_are_found_in_any_column_and_can_be_chosen(opened, text, names, target):
    shown = opened()
    assert paste(shown, text).endswith(f"labels: {target}.")
    assert state(shown, "m => m.data.names") == names
    assert opened_sheet(shown).get_by_label("Labels").input_value() == target


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "There is no table"),
        ("a,b,y\n1,2,0\n1,2\n", "Line 3 has 2 fields and the first has 3"),
        ("a,b,c\n1,2,0\n3,4,1\n5,6,2\n7,8,3", "No column has two or three different values"),
        ("a,b,y\n1,2,k\n3,4,l\n5,6,m\n7,8,n", "The labels y have 4 different values"),
        ("a,b,y\n1,2,0\n3,,1\n5,6,1", "Line 3 has no value in column b"),
        ("a,b,y\n1,2,0\n3,NA,1\n5,6,1", "Line 3 has no value in column b"),
        (
            "a,b,y\n1,x,0\n3,z,1\n5,w,1",
            "Columns that hold only numbers: 1. Two are needed besides the labels y",
        ),
        ("a,b,y\n" + "1,2,0\n3,4,1\n" * 1001, "The table has 2,002 rows"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_words(opened, text, says):
    shown = opened()
    before = state(shown)
    assert says in paste(shown, text)
    assert state(shown) == before


def test_a_file_is_chosen_or_dropped_anywhere(opened):
    shown = opened()
    text = "u,v,y\n1,2,0\n3,4,1\n5,5,1\n"
    sheet = opened_sheet(shown)
    sheet.locator("input[type=file]").set_input_files(
        {"name": "t.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    until(shown, "m.data.n === 3 && m.data.names[0] === 'u'")
    caught = shown.evaluate(
        """() => ["html", "body", ".app", "header"].map((where) => {
            const given = new DataTransfer();
            given.items.add(new File(["a,b,y\\n1,2,0\\n3,4,1\\n"], "t.csv"));
            const more = { bubbles: true, cancelable: true };
            const drop = new DragEvent("drop", { dataTransfer: given, ...more });
            document.querySelector(where).dispatchEvent(drop);
            return drop.defaultPrevented;
        })"""
    )
    assert caught == [True] * 4
    until(shown, "m.data.n === 2")


def test_foreign_text_stays_text(opened):
    """Names and labels of a table are shown, and nothing in them runs."""
    shown = opened()
    evil = "<img src=x onerror=document.title='run'>"
    paste(shown, f'"{evil}",b,y\n1,2,"{evil}"\n2,5,j\n4,4,j\n0,1,"{evil}"\n')
    to_the_end(shown)
    opened_sheet(shown)
    assert shown.locator("img").count() == 0
    assert shown.title() == "Perceptron playground"
    assert evil in shown.locator(".board-svg").text_content()


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
    to_the_end(shown)
    p = Perceptron(order="cyclic", keep="last", patience=None).fit(*sets)
    distances = p.decision_function(sets[0]) / np.linalg.norm(p.coef_)
    drawn = [across for across, _ in shown.evaluate(DOTS)]
    line = float(shown.locator(".board-svg .rule").first.get_attribute("x1"))
    assert np.corrcoef(drawn, distances)[0, 1] > 0.99999
    assert ((np.array(drawn) > line) == (distances > 0)).all()


def test_a_saved_page_is_the_same(opened, tmp_path):
    shown = opened(LI_HANG)
    shown.get_by_label("Order").select_option("random")
    tool(shown, "Flip")
    shown.mouse.click(*place(shown, 4, 3))
    other = opened(path=downloaded(shown, "Save page", tmp_path / "saved.html"))
    same = "m => [[...m.data.x], [...m.data.y], m.settings, m.run.row]"
    assert state(other, same) == state(shown, same)


def test_pictures_and_a_film_are_saved(opened, tmp_path):
    shown = opened("#e=lihang&t=end")
    svg = downloaded(shown, "Picture (SVG)", tmp_path / "board.svg").read_text()
    root = ElementTree.fromstring(svg)
    assert len(root.findall(".//{http://www.w3.org/2000/svg}circle")) > 3
    assert "var(" not in svg.replace('style="fill: url', "")
    png = downloaded(shown, "Picture (PNG)", tmp_path / "board.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    box = shown.locator(".board-svg").bounding_box()
    assert int.from_bytes(png[16:20]) == 2 * int(box["width"])
    state(shown, "m => { m.time.speed = 10; }")
    film = downloaded(shown, "Film (WebM)", tmp_path / "run.webm").read_bytes()
    seen = opened.blank().evaluate(FIRST_AND_LAST, base64.b64encode(film).decode())
    assert seen["size"] == [int(box["width"]), int(box["height"]) + 56]
    assert seen["different"] > 0.05  # the line has moved


# --- Verdict and pictures -------------------------------------------------------------------------


def test_the_verdict_shown_is_the_certified_one(opened):
    shown = opened("#e=iris&t=end")
    got = state(shown, "m => [[...m.data.x], [...m.data.y]]")
    ours = certify(np.array(got[0]).reshape(-1, 2), got[1])
    said = shown.locator(".ask").inner_text()
    assert f"at most {ours.mistake_bound:,} updates" in " ".join(said.split())
    assert f"leaves {ours.geometric_margin.lo:.3g} on both sides" in " ".join(said.split())


VIEWS = {
    "swing": ["space", "proof", "epochs", "pocket", "dual"],
    "xor": ["space", "proof", "epochs", "pocket", "dual"],
    "xor&f=rbf": ["proof", "epochs", "pocket", "dual"],
    "three": ["space", "proof", "epochs", "pocket", "dual"],
    "swing&o=batch": ["space", "epochs", "pocket", "dual"],
}


@pytest.mark.parametrize("link", VIEWS)
def test_every_picture_that_is_offered_is_drawn_and_can_be_large(opened, link):
    shown = opened(f"#e={link}")
    seen = """() => [...document.querySelectorAll("figure")].filter((f) => !f.hidden)
        .map((f) => f.classList[0])"""
    offered = shown.evaluate(seen)
    assert offered == VIEWS[link]
    for name in offered:
        for step in (0, 2, "Infinity"):
            state(shown, f"m => m.time.goTo({step})")
            drawn = shown.locator(f"figure.{name} svg").inner_html()
            assert drawn
            assert not re.search("NaN|undefined|Infinity", drawn)
        shown.locator(f"figure.{name} .enlarge").focus()
        shown.keyboard.press("Enter")
        assert shown.locator("figure.large").get_attribute("class") == f"{name} large"


def test_the_proof_closes_where_the_bound_is_and_says_what_fails(opened):
    shown = opened("#e=lihang&t=end")
    note = shown.locator("figure.proof .note")
    # Three points, with a 1 appended: R² = 26, γ² = 2/9.
    assert note.text_content() == "the corridor closes at 117 updates (R 5.1, γ 0.471)"
    assert shown.locator("figure.proof .corridor").count() == 1
    example(shown, "XOR")
    to_the_end(shown)
    assert "no second wall" in note.text_content()
    assert shown.locator("figure.proof .wall").count() == 1
    walls = state(shown, "m => [Math.hypot(...m.replay.at(7)), m.replay.steps]")
    assert walls[0] <= np.sqrt(7 * 42)  # the upper wall always holds: R² = 41 + 1


@pytest.mark.parametrize("width", [390, 1280])
def test_everyone_can_read_it_on_any_screen_in_light_and_dark(opened, width):
    shown = opened(viewport={"width": width, "height": 900}, color_scheme="light")
    at(shown, 5, 0.8)
    assert not violations(shown)
    to_the_end(shown)
    assert not violations(shown)
    opened_sheet(shown)
    shown.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert not violations(shown)
    closed_sheet(shown)
    shown.get_by_role("button", name="Dark").click()
    example(shown, "XOR")
    to_the_end(shown)
    assert not violations(shown, runOnly=["color-contrast"])


def test_every_example_opens_with_its_questions(opened):
    shown = opened()
    for option in shown.locator(".thumbs button").all():
        option.click()
        tour = opened_sheet(shown).locator(".tour")
        assert not re.search(r"tour\.|example\.|\{", tour.inner_text())
        assert tour.locator("li").count() == 3
        closed_sheet(shown)


def test_the_words_beside_the_board_name_what_they_are_about(opened):
    shown = opened("#e=lihang&k=average&t=end")
    kept = state(shown, "m => m.run.errors")
    assert kept
    assert (
        f"The kept weights (average) are wrong on {kept} of 3 points."
        in shown.locator(".sum").inner_text()
    )
    # w = 0, b ≠ 0: every point is called one class
    shown = opened(LI_HANG)
    state(shown, "m => m.time.goTo(4)")
    assert "every point is called ▲" in shown.locator(".board-svg").text_content()
    assert "url" not in shown.locator(".ground").get_attribute("style")


def test_a_kernel_may_do_what_no_line_does(opened):
    shown = opened("#e=xor&t=end")
    assert "at ×" in shown.locator(".ask").inner_text()
    opened_sheet(shown).locator(".kernel select").select_option("rbf")
    closed_sheet(shown)
    assert verdict(shown) == "No line can, this kernel did"
    assert "×" not in shown.locator(".ask").inner_text()
    assert shown.locator(".board-svg .rule").count() == 1
    assert shown.locator(".vector").count() == 0


# --- Languages ------------------------------------------------------------------------------------


def numbers_of(text, tag):
    """Those that are written out, as Python reads them."""
    found = re.findall(r"\d[\d.,]*\d|\d", re.sub(r"\{\w+\}|rosenblatt.\w+", "", text))
    swapped = str.maketrans(".,", ",.") if tag == "de" else {}
    return sorted(float(v.translate(swapped).replace(",", "")) for v in found)


def test_three_languages_have_the_same_keys_gaps_and_numbers():
    tables = {tag: texts(tag) for tag in LANGUAGES}
    english = tables.pop("en")
    assert len(english) > 250
    for tag, table in tables.items():
        assert list(table) == list(english)
        for key, text in table.items():
            gaps = [sorted(re.findall(r"\{\w+\}", t)) for t in (text, english[key])]
            assert gaps[0] == gaps[1], key
            if key != "example.lihang":  # the name of an example of a book
                assert numbers_of(text, tag) == numbers_of(english[key], "en"), key


def test_no_text_is_left_over():
    """Each key is asked for by the program, whole or by its beginning."""
    from importlib.resources import files

    folder = files("rosenblatt.play") / "assets"
    program = "".join(path.read_text() for path in folder.iterdir() if path.name.endswith(".js"))
    asked = {
        re.sub(r"\$\{.*", "", key)
        for key in re.findall(r"[\"`]([a-z]+\.[^\"`]*|[a-z]+)[\"`]", program)
    }
    begun = tuple(key for key in asked if key.endswith("."))
    begun += tuple(match + "." for match in re.findall(r"`([a-z]+)\.\$", program))
    begun += tuple(re.findall(r"[\"`]([a-z]+\.[a-z.]+?)\$\{", program))
    for key in texts("en"):
        plain = key.removesuffix(".one")
        assert plain in asked or plain.startswith(begun) or plain == "name", key


def test_another_language_is_spoken_at_once_and_the_run_stays(opened):
    shown = opened(LI_HANG)
    state(shown, "m => m.time.goTo(2)")
    opened_sheet(shown).get_by_label("Language").select_option("de")
    assert (
        words(shown) == "▲ C hat den Wert 7: die falsche Seite. "
        "Also wird er von w abgezogen, und die Gerade dreht sich."
    )
    assert shown.locator(".rosenblatt-play").get_attribute("lang") == "de"
    shown.get_by_role("button", name="Daten, Einstellungen").click()
    shown.locator("dialog").get_by_label("Sprache").select_option("zh")
    assert words(shown).startswith("▲ C 的得分是 7")
    assert not violations(shown)


def test_the_first_language_is_that_of_the_browser_and_so_are_its_numbers(opened):
    shown = opened("#e=iris&t=end", locale="de-AT")
    assert shown.get_by_role("heading", level=1).inner_text() == "Perzeptron zum Ausprobieren"
    said = shown.locator(".app").inner_text()
    assert "höchstens 22.133 Änderungen" in " ".join(said.split())
    assert "w (79,8; −101,4)" in " ".join(said.split())
