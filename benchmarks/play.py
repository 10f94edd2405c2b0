"""The playground in a browser: how long it takes to open, to train, and to move a point.

Run with `make bench`.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from rosenblatt.play import page

ROOT = Path(__file__).parents[1]
MEASURE = """playground.then(async (m) => {
    const timed = (act) => { const t = performance.now(); act(); return performance.now() - t; };
    const middle = (times) => times.sort((a, b) => a - b)[times.length >> 1];
    const opened = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
    const training = timed(() => m.retrain());
    const drags = Array.from({ length: 40 }, (_, k) => timed(() => m.move(0, k / 64, 1, true)));
    const begin = performance.now();
    for (let k = 0; k < 60; ++k) { // what is seen: trained, decided, drawn and painted
        m.move(0, k / 64, 1, true);
        await new Promise(requestAnimationFrame);
    }
    const frames = 60000 / (performance.now() - begin);
    m.released();
    return { opened, training, updates: m.run.updates, drag: middle(drags), frames };
})"""


def points(n):
    """On the grid of the page; a tenth of the labels are wrong."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n, 2)) * 128) / 64
    return X, np.where((X.sum(axis=1) > 0) ^ (rng.random(n) < 0.1), 1, -1)


def measured(browser, n, **settings):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "play.html"
        path.write_text(page(*points(n), settings={"order": "shuffle", "seed": 0} | settings))
        shown = browser.new_page(viewport={"width": 1280, "height": 900})
        shown.goto(path.as_uri())
        shown.wait_for_selector(".board-svg *", state="attached")
        found = shown.evaluate(MEASURE)
        shown.close()
        return found


def main():
    command = ["sh", str(ROOT / "scripts" / "browser.sh")]
    program = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1]
    print("| points | keep | open, ms | train, ms (updates) | a drag, ms | frames a second |")
    print("|---|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for n, keep in ((50, "last"), (500, "pocket"), (2000, "last"), (2000, "best")):
            its = measured(browser, n, keep=keep)
            training = f"{its['training']:.0f} ({its['updates']:,})"
            seen = f"{its['drag']:.1f} | {its['frames']:.0f}"
            print(f"| {n:,} | {keep} | {its['opened']:.0f} | {training} | {seen} |")
        browser.close()


if __name__ == "__main__":
    main()
