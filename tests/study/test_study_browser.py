"""A study in a notebook: its report in a frame of its own, in a real browser."""

import pandas as pd
import pytest

from paging import open_file
from rosenblatt import study

HOSTILE = "</script></iframe><script>parent.document.title='taken'</script>"


@pytest.fixture
def notebook(browser, tmp_path):
    """A function that opens a page with what a notebook shows of a study; and what went wrong."""
    troubles = []

    def open_(found):
        path = tmp_path / "notebook.html"
        style = "body { font-family: monospace; } h1, section { display: none; }"
        path.write_text(
            f"<!doctype html><html lang=en><title>notebook</title><style>{style}</style>"
            f"<p>before</p>{found._repr_html_()}<p>after</p>",
            encoding="utf-8",
        )
        return open_file(browser, path, troubles, viewport={"width": 1000, "height": 900})

    open_.troubles = troubles
    yield open_
    for context in browser.contexts:
        context.close()


def test_the_report_is_shown_in_the_notebook(notebook, granted):
    page = notebook(granted)
    report = page.frame_locator("iframe")
    assert report.locator("h1").inner_text().startswith("Can card")
    assert report.get_by_text(f"{granted.error:.1%}").first.is_visible()
    assert report.locator("section").count() > 8  # styles of the notebook do not reach in
    assert report.locator("section").first.is_visible()
    frame = page.locator("iframe").bounding_box()
    assert frame["width"] > 900
    assert frame["height"] > 500
    inside = page.frames[1].evaluate("document.documentElement.scrollWidth")
    assert inside <= frame["width"]
    assert notebook.troubles == []


def test_its_script_turns_it_dark_and_nothing_else(notebook, granted):
    page = notebook(granted)
    inside = page.frames[1]
    light = inside.evaluate("getComputedStyle(document.body).backgroundColor")
    outside = page.evaluate("getComputedStyle(document.body).backgroundColor")
    inside.get_by_role("button", name="Dark").click()
    assert inside.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == outside
    with pytest.raises(Exception) as refused:  # noqa: PT011 - of a library
        inside.evaluate("parent.document.title = 'taken'")
    assert "SecurityError" in str(refused.value)
    assert page.title() == "notebook"


def test_hostile_names_stay_text(notebook):
    frame = pd.DataFrame({HOSTILE: range(40), "ok": [0.5, 1.5] * 20, "label": [HOSTILE, "b"] * 20})
    page = notebook(study(frame, target="label"))
    assert page.locator("iframe").count() == 1
    assert page.title() == "notebook"
    texts = page.frame_locator("iframe").locator("bdi").all_inner_texts()
    assert any(text.startswith("</script></iframe>") for text in texts)
    assert page.locator("p").all_inner_texts() == ["before", "after"]
    assert notebook.troubles == []
