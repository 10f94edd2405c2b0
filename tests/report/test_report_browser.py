"""The report in a real browser: nothing leaves it, nothing fails, everyone can read it."""

import json
import re

import pytest

import reports
from paging import violations
from rosenblatt.report import render

each = pytest.mark.parametrize("name", reports.ALL)


@pytest.fixture
def opened(opened, tmp_path):
    """A function that opens a report of this content."""

    def open_(content, **settings):
        path = tmp_path / "report.html"
        path.write_text(render(content), encoding="utf-8")
        return opened(path, **settings)

    open_.troubles = opened.troubles
    return open_


@each
def test_every_report_can_be_read_by_everyone_on_any_screen_in_light_and_dark(opened, name):
    page = opened(reports.ALL[name](), color_scheme="light")
    for width in (360, 1100):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    if name != "wide":  # a thousand rows take half a minute, and are like those of the others
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert not violations(page)
    page.emulate_media(color_scheme="dark")
    assert not violations(page, runOnly=["color-contrast"])  # nothing but colours has changed
    assert opened.troubles == []


@pytest.mark.parametrize("name", ["credit", "costs", "card", "leak", "species"])
def test_on_a_telephone_no_table_is_wider_than_the_screen(opened, name):
    page = opened(reports.ALL[name](), viewport={"width": 390, "height": 844})
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    wider = page.evaluate("""() => [...document.querySelectorAll(".scroll")]
        .filter((box) => box.scrollWidth > box.clientWidth + 1)
        .map((box) => box.getAttribute("aria-label"))""")
    assert wider == []


def test_the_threshold_moves_all_pictures_and_the_command(opened):
    content = reports.credit()
    page = opened(content)
    chosen, points = content["thresholds"]["chosen"], content["thresholds"]["points"]
    says, command = page.locator("#says"), page.locator("#costly code")
    both = chosen["missed"], chosen["false"]
    sentence = f"{both[1]} no predicted yes, {both[0]} yes missed; {sum(both)} errors"
    assert sentence in says.inner_text()
    assert command.inner_text() == content["reproduce"]["command"]
    at = page.evaluate("document.querySelector('#cost .here circle').cx.baseVal.value")
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowRight")
    after = next(p for p in points if p["threshold"] > 1e-12)
    assert f"{after['false']} no predicted yes, {after['missed']} yes missed" in says.inner_text()
    assert page.locator("#threshold").get_attribute("aria-valuetext") == says.inner_text()
    x = [
        page.evaluate(f"document.querySelector('#{name} .here circle').cx.baseVal.value")
        for name in ("cost", "calibrated")
    ]
    assert x[0] == x[1] > at
    negatives = points[0]["false"]
    roc = page.evaluate("document.querySelector('#roc-curve .here circle').cx.baseVal.value")
    assert roc == pytest.approx(44 + (290 - 44) * after["false"] / negatives, abs=0.1)
    page.locator("#cost-false").fill("5")
    page.get_by_role("button", name="Go to the cheapest").click()
    least = min(p["missed"] + 5 * p["false"] for p in points)
    assert f"cost {least:g}, the least there is" in says.inner_text()
    assert command.inner_text() == f"{content['reproduce']['without_costs']} --cost=no:yes=5"
    page.get_by_role("button", name="Back to the saved rule").click()
    assert command.inner_text() == content["reproduce"]["command"]
    assert opened.troubles == []


def test_costs_of_labels_with_quotes_and_of_python_are_a_command(opened):
    content = reports.credit()
    content["thresholds"] |= {"label": "it's", "other": "no"}
    page = opened(content)
    page.locator("#cost-missed").fill("2")
    assert page.locator("#costly code").inner_text().endswith("""'--cost=it'"'"'s:no=2'""")
    content["reproduce"]["without_costs"] = "rosenblatt.study(table, target='card')"
    page = opened(content)
    page.locator("#cost-missed").fill("2")
    said = page.locator("#costly code").inner_text()
    assert said == """rosenblatt.study(table, target='card', costs={"it's:no": 2})"""


def test_labels_that_are_numbers_are_not_read_as_counts(opened):
    content = reports.credit()
    content["thresholds"] |= {"label": "2", "other": "1"}
    said = opened(content).locator("#says").inner_text()
    assert said.startswith('"2" from ')
    assert '"1" predicted "2", ' in said


def test_python_and_the_page_round_the_axis_of_costs_alike(opened):
    page = opened(reports.costs())
    marks = "[...document.querySelectorAll('#cost text')].slice(0, 3).map(t => t.textContent)"
    drawn = page.evaluate(marks)
    written = re.findall(r"<text[^>]*>([^<]*)<", render(reports.costs()).split('id="cost"')[1])[:3]
    assert drawn == written


def test_the_threshold_is_moved_on_the_picture(opened):
    page = opened(reports.credit())
    page.locator("#calibrated").scroll_into_view_if_needed()
    box = page.locator("#calibrated").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 400 / 420, box["y"] + 40)
    assert float(page.locator("#threshold").input_value()) > 950


def test_what_cannot_be_read_is_noticed(opened):
    page = opened(reports.credit())
    page.add_style_tag(content=".quiet { color: #ddd !important; }")
    assert "color-contrast" in violations(page, runOnly=["color-contrast"])


def test_hostile_names_are_text_on_the_screen(opened):
    page = opened(reports.hostile())
    assert page.locator("h1 bdi").first.inner_text() == "<script>alert(1)</script>"
    assert page.title() == "<script>alert(1)</script> · report"
    assert page.locator("svg text", has_text="<script>alert(1").count() >= 1
    assert page.locator("img").count() == 0
    assert page.locator("h1").count() == 1
    assert opened.troubles == []


def test_the_page_runs_its_own_script_and_no_other(opened):
    page = opened(reports.credit())
    assert page.locator("#theme").is_visible()  # as the script has made it
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "document.title = 'taken'";
          document.body.append(script);
          document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='document.title = 1'>");
        }"""
    )
    page.wait_for_timeout(200)
    assert "taken" not in page.title()
    assert page.title() != "1"
    assert any("Content Security Policy" in trouble for trouble in opened.troubles)


def test_a_script_finds_the_same_document(opened):
    page = opened(reports.hostile())
    text = page.evaluate("document.getElementById('report').textContent")
    assert json.loads(text) == reports.hostile()
    assert page.evaluate("typeof JSON.parse(document.getElementById('report').textContent)")


def test_the_page_forbids_itself_the_network(opened):
    page = opened(reports.credit())
    asked = """async () => {
        const image = new Image();
        const loaded = new Promise(done => { image.onload = image.onerror = e => done(e.type); });
        image.src = "http://127.0.0.1:9/a.png";
        const fetched = await fetch("http://127.0.0.1:9/").then(() => "yes", () => "no");
        return [await loaded, fetched];
    }"""
    assert page.evaluate(asked) == ["error", "no"]
    assert "Content Security Policy" in " ".join(opened.troubles)


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_light_and_dark_follow_the_system_until_the_button_says_otherwise(opened):
    page = opened(reports.credit(), color_scheme="light")
    light = background(page)
    page.emulate_media(color_scheme="dark")
    dark = background(page)
    assert dark != light
    button = page.get_by_role("button", name="Light")
    button.focus()
    page.keyboard.press("Enter")
    assert background(page) == light
    page.get_by_role("button", name="Dark").click()
    assert background(page) == dark
    assert opened.troubles == []


def test_a_report_is_printed_on_white_and_without_the_button(opened):
    page = opened(reports.credit(), color_scheme="dark")
    page.emulate_media(media="print")
    assert background(page) == "rgb(255, 255, 255)"
    assert not any(button.is_visible() for button in page.locator("button").all())


@pytest.mark.parametrize("name", ["credit", "costs", "card", "leak", "species"])
def test_on_paper_it_has_two_or_three_pages(opened, name):
    page = opened(reports.ALL[name]())
    printed = page.pdf(prefer_css_page_size=True)
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 3


@pytest.mark.parametrize("name", ["credit", "costs", "card", "leak", "species", "many_hostile"])
def test_on_paper_nothing_is_cut(opened, name):
    """A table that is wider than its place, or a letter beside a picture, is lost there."""
    page = opened(reports.ALL[name](), viewport={"width": 696, "height": 900})
    page.emulate_media(media="print")
    beyond = page.evaluate(
        """() => [...document.querySelectorAll("table, svg text")].filter(e => e.checkVisibility())
          .filter(e => e.getBoundingClientRect().right > 697).map(e => e.textContent)"""
    )
    assert beyond == []


def test_without_scripts_everything_is_still_there(opened):
    page = opened(reports.credit(), java_script_enabled=False)
    assert page.locator("section").count() == 14
    assert page.locator("svg[role=img]").count() == 10
    for control in ("button", "input"):
        assert not any(found.is_visible() for found in page.locator(control).all())


def test_on_paper_all_folds_are_open(opened):
    page = opened(reports.credit())
    folded = "[...document.querySelectorAll('details:not([open])')]"
    printed = f"{folded}.filter(d => !d.closest('.screen'))"
    inside = f"{printed}.map(d => d.lastElementChild.checkVisibility())"
    on_screen = page.evaluate(inside)
    assert len(on_screen) >= 3
    assert not any(on_screen)
    page.emulate_media(media="print")
    assert all(page.evaluate(inside))
    page.emulate_media(media="screen")
    closed = page.evaluate(f"{folded}.length")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # browsers without the style do this
    assert page.evaluate(f"{folded}.length") == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(f"{folded}.length") == closed
    assert opened.troubles == []


def test_on_paper_sections_fill_the_pages(opened):
    """What is kept together leaves most of a page: A4 at 96 dots an inch, less margins. The highest
    stands first on the first page."""
    page = opened(reports.costs(), viewport={"width": 696, "height": 900})
    page.emulate_media(media="print")
    kept = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
          .filter(e => getComputedStyle(e).breakInside === "avoid" && !e.closest("svg > *"))
          .map(e => e.getBoundingClientRect().height)"""
    )
    assert kept
    assert sorted(kept)[-2] < 1017 / 2


def test_on_paper_a_table_has_letters_of_one_size(opened):
    page = opened(reports.costs())
    page.emulate_media(media="print")
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("section[aria-labelledby=thresholds] table *")]
          .filter(e => e.textContent && !e.closest("svg")).map(e => getComputedStyle(e).fontSize)"""
    )
    assert len(set(sizes)) == 1
