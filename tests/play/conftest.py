"""The playground, opened from the disk in a real browser."""

import pytest

from paging import watch
from rosenblatt.play import page


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("play") / "playground.html"
    path.write_text(page(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def usual(browser):
    """A window that is often used, without a network; nothing moves by itself."""
    size = {"width": 1280, "height": 900}
    context = browser.new_context(viewport=size, offline=True, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def opened(browser, usual, file):
    """A function that opens the page from the disk; whatever goes wrong is in `troubles`."""
    troubles, contexts, pages = [], [], []

    def open_(link="", path=file, **settings):
        still = {"reduced_motion": "reduce"}
        context = browser.new_context(offline=True, **still | settings) if settings else usual
        contexts.extend([context] if settings else [])
        found = context.new_page()
        pages.append(found)
        found.set_default_timeout(60_000)  # busy machines are slow, not wrong
        watch(found, troubles, own=lambda url: url.startswith("file:"))
        found.goto(path.as_uri() + link)
        found.wait_for_selector(".board-svg .lines > *", state="attached")
        return found

    def blank():
        pages.append(usual.new_page())
        return pages[-1]

    open_.troubles, open_.blank = troubles, blank
    yield open_
    for page_or_context in (*pages, *contexts):
        page_or_context.close()
    assert troubles == []
