"""Reports, opened from the disk in a real browser."""

import pytest

from paging import open_file


@pytest.fixture
def opened(browser):
    """A function that opens a file; whatever goes wrong there is in `troubles`."""
    troubles = []

    def open_(path, **settings):
        usual = {"viewport": {"width": 1100, "height": 900}}
        return open_file(browser, path, troubles, **usual | settings)

    open_.troubles = troubles
    yield open_
    for context in browser.contexts:
        context.close()
