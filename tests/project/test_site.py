"""The site: it builds without a warning, all links lead somewhere, and everyone can read it."""

import fcntl
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import rosenblatt

ROOT = Path(__file__).parents[2]
DOCS = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "tour").glob("*.ipynb"))]
SAMPLE = ["index", "tour/separation", "api/files"]  # of each kind
MOST_BYTES = 15_000_000


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Built once, though several processes run the tests."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    folder = shared / "site"
    with open(shared / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            built = subprocess.run(
                [sys.executable, ROOT / "scripts" / "site" / "build.py", folder],
                capture_output=True,
                text=True,
                check=False,
            )
            assert built.returncode == 0, built.stderr
    return folder


class Page(HTMLParser):
    """Where a page leads, what it loads, and what can be led to in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif "src" in found or (tag == "link" and found.get("rel") != "canonical"):
            self.loaded.append(found.get("src") or found["href"])


def written(site):
    """The pages that Sphinx wrote; the playground and the report have tests of their own."""
    return [path for path in sorted(site.rglob("*.html")) if path.parent.name != "live"]


def test_every_page_notebook_and_public_name_is_there(site):
    assert [
        d for d in DOCS if not (site / d.relative_to(ROOT / "docs")).with_suffix(".html").exists()
    ] == []
    named = set().union(*(Page(path).ids for path in (site / "api").glob("*.html")))
    assert [name for name in rosenblatt.__all__ if f"rosenblatt.{name}" not in named] == []
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    assert size <= MOST_BYTES


def test_every_link_and_anchor_leads_somewhere_and_nothing_is_loaded_from_afar(site):
    pages, wrong = {path: Page(path) for path in written(site)}, []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme:
                if parts.scheme != "data" and link in page.loaded:
                    wrong.append(f"{path.name} loads {link}")
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            ids = pages[there].ids if there in pages else {parts.fragment}
            if not there.exists() or (parts.fragment and unquote(parts.fragment) not in ids):
                wrong.append(f"{path.relative_to(site)} leads to {link}")
    assert wrong == []


@pytest.fixture
def opened(browser, site):
    """A function that opens a page from the disk; whatever goes wrong there is in `troubles`."""
    troubles = []

    def open_(address, **settings):
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}} | settings)
        page.on(
            "request",
            lambda r: r.url.startswith((site.as_uri(), "data:", "blob:")) or troubles.append(r.url),
        )
        page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
        page.on("pageerror", lambda e: troubles.append(str(e)))
        page.goto(f"{site.as_uri()}/{address}", wait_until="load")
        return page

    open_.troubles = troubles
    yield open_
    for context in browser.contexts:
        context.close()


def violations(page, **options):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options=options | {"preload": False})  # a disk answers no requests
    return found.violations_count and found.generate_report()


def readable(opened, name):
    page = opened(f"{name}.html", color_scheme="light")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("new Promise((done) => requestAnimationFrame(() => done(true)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        assert not violations(page), (name, width)
    page.emulate_media(color_scheme="dark")
    assert not violations(page, runOnly=["color-contrast"]), name  # only colours have changed
    assert opened.troubles == [], name
    page.close()


def test_pages_can_be_read_by_everyone_at_two_widths_in_light_and_dark(opened, site, heavy):
    everything = [str(path.relative_to(site).with_suffix("")) for path in written(site)]
    for name in SAMPLE if heavy(20) < 20 else everything:
        readable(opened, name)


def test_the_search_works_from_the_disk(opened):
    page = opened("search.html?q=pocket")
    page.wait_for_selector("ul.search li a")
    titles = page.locator("ul.search li a").all_inner_texts()
    assert "Perceptron" in " ".join(titles) or len(titles) > 3
    assert opened.troubles == []


def test_formulas_are_typeset(opened):
    page = opened("theory.html")
    lemma = page.get_by_text("Lemma 1.").locator("xpath=ancestor::li[1]")
    assert lemma.locator("math").first.text_content() == "yiw∗·x̃i≥γ"
    assert lemma.locator("math msub").count() >= 2
    assert page.locator("pre math, code math, h2 math").count() == 0


def test_the_playground_and_the_report_are_live_within_pages(opened):
    page = opened("lecture-notes.html")
    page.locator("iframe").first.scroll_into_view_if_needed()
    frame = page.frame_locator("iframe").first
    frame.locator(".board").wait_for()
    assert frame.locator(".say").inner_text().startswith("3 points of two kinds")  # the start
    for part in (".say", ".board", ".play", ".strip", ".ask"):  # nothing of it is cut
        box, whole = frame.locator(part).bounding_box(), page.locator("iframe").first.bounding_box()
        assert box["y"] >= whole["y"]
        assert box["y"] + box["height"] <= whole["y"] + whole["height"] + 1
    page = opened("fit.html")
    page.locator("iframe").first.scroll_into_view_if_needed()
    page.frame_locator("iframe").first.get_by_text(
        "checked in your browser just now"
    ).first.wait_for()
    assert opened.troubles == []
