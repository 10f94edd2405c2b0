"""Pictures of pages in docs/images, taken again: python scripts/screenshots.py [folder].

The report of `rosenblatt demo` without its leak, its proof checked with the table, and the
playground in the midst of an update, with the page's clock in our hands.
"""

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from rosenblatt import play, study
from rosenblatt.datasets import load_credit

ROOT = Path(__file__).parents[1]
LEAK = ["share", "expenditure"]
STEP = 50  # milliseconds of the page's time
IMAGES = {  # link, and how long the update has run
    "playground": ("#e=swing&t=6", 950),
    "playground-three": ("#e=three&t=9", 1000),
}


def main(folder):
    chromium = subprocess.run(
        ["sh", ROOT / "scripts" / "browser.sh"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[-1]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        report(browser, Path(work), folder)
        for name, (link, reached) in IMAGES.items():
            playground(browser, Path(work), folder / f"{name}.png", link, reached)
        browser.close()
    for path in [*folder.glob("report*.png"), *folder.glob("playground*.png")]:
        # 256 colours are enough, and take half the room.
        Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
            path, optimize=True
        )


def report(browser, work, folder):
    table = work / "credit.csv"
    table.write_bytes(Path(load_credit().filename).read_bytes())
    with contextlib.chdir(work):  # its path is in the report
        found = study("credit.csv", target="card", ignore=LEAK, thorough=True)
    found.save_report(work / "report.html")
    page = browser.new_page(viewport={"width": 1280, "height": 2000})
    page.goto((work / "report.html").as_uri())
    page.mouse.move(0, 0)
    end = page.locator("section.rule").bounding_box()
    clip = {"x": 0, "y": 0, "width": 1280, "height": end["y"] + end["height"] + 20}
    page.screenshot(path=folder / "report.png", clip=clip)
    page.set_viewport_size({"width": 1050, "height": 3000})
    page.evaluate("document.getElementById('proved').open = true")
    page.locator("#files").set_input_files(str(table))
    page.locator("#judged .tag", has_text="accepted").wait_for()
    page.locator("#rows").evaluate("(rows) => { rows.open = true; }")
    box = page.locator("#proved").bounding_box()
    clip = {"x": 0, "y": box["y"], "width": 1050, "height": box["height"] + 20}
    page.screenshot(path=folder / "report-proof.png", clip=clip)
    page.close()


def playground(browser, work, path, link, reached):
    file = work / "playground.html"
    file.write_text(play.page())
    page = browser.new_page(viewport={"width": 1180, "height": 720})
    page.clock.install(time=0)
    page.goto(file.as_uri() + link)
    page.clock.pause_at(60)  # seconds: from here on a slow machine shows the same
    page.clock.run_for(2000)
    page.keyboard.press(".")  # one step on
    for _ in range(reached // STEP):
        page.clock.run_for(STEP)
    page.screenshot(path=path)
    page.close()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    target.mkdir(exist_ok=True)
    main(target)
