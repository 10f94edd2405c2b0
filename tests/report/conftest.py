"""Reports, opened from the disk in a real browser."""

import pytest

from paging import watch


@pytest.fixture
def opened(browser):
    """A function that opens a file; whatever goes wrong there is in `troubles`."""
    troubles = []

    def open_(path, **settings):
        page = browser.new_page(**{"viewport": {"width": 1100, "height": 900}} | settings)
        watch(page, troubles, own=lambda url: url == path.as_uri())
        page.goto(path.as_uri())
        return page

    open_.troubles = troubles
    yield open_
    for context in browser.contexts:
        context.close()
