"""The playground in a browser: how long it takes to open, to train, and to move a point.

Run with `make bench`. How long a frame takes depends on what else the machine does: 16.7 ms are 60
frames a second. The work of a frame is what the page itself computes: training, verdict, drawing.
The processor's time of a frame, all threads of the page's process, without a graphics card, hardly
depends on others.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from rosenblatt.play import page

ROOT = Path(__file__).parents[1]
FRAMES = 100
CASES = (
    *((40, "last", 2), (500, "pocket", 2), (2000, "last", 2), (2000, "best", 2)),
    *((2000, "last", 3), (2000, "best", 3)),
)
TRAIN = """playground.then((m) => {
    m.time.goTo(Infinity); // all that is told at the end is drawn, too
    const begin = performance.now();
    m.retrain();
    const training = performance.now() - begin;
    const [{ domContentLoadedEventEnd: opened }] = performance.getEntriesByType("navigation");
    return { opened, training, updates: m.run.updates };
})"""
DRAG = """(frames) => playground.then(async (m) => {
    const times = [], works = [];
    let last = await new Promise(requestAnimationFrame);
    for (let k = 0; k < frames; ++k) { // what is seen: trained, decided, drawn and painted
        const begin = performance.now();
        m.move(0, k / 64, 1, true);
        works.push(performance.now() - begin);
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
    }
    const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
    return [median(times), median(works)];
})"""


def points(n, k):
    """On the grid of the page; a tenth of the labels are wrong."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n, 2)) * 128) / 64
    if k == 2:
        return X, np.where((X.sum(axis=1) > 0) ^ (rng.random(n) < 0.1), 1, -1)
    y = (X @ rng.normal(size=(2, k))).argmax(axis=1)
    return X, np.where(rng.random(n) < 0.1, rng.integers(k, size=n), y)


def measured(browser, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "play.html"
        path.write_text(content)
        size = {"width": 1280, "height": 720}
        shown = browser.new_page(viewport=size, reduced_motion="reduce")
        shown.goto(path.as_uri())
        shown.wait_for_selector(".board-svg .lines > *", state="attached")
        found = shown.evaluate(TRAIN)
        shown.evaluate(DRAG, FRAMES // 4)  # so that it is compiled
        asked = shown.context.new_cdp_session(shown)
        asked.send("Performance.enable")
        before = processor(asked)
        found["frame"], found["work"] = shown.evaluate(DRAG, FRAMES)
        found["processor"] = 1000 * (processor(asked) - before) / FRAMES
        shown.close()
        return found


def processor(asked):
    """Seconds that the page's process has used."""
    metrics = asked.send("Performance.getMetrics")["metrics"]
    return next(m["value"] for m in metrics if m["name"] == "ProcessTime")


def main():
    command = ["sh", str(ROOT / "scripts" / "browser.sh")]
    program = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1]
    print(
        "| points | classes | keep | open, ms | train, ms (updates) | CPU, ms a frame"
        " | median work, ms | median frame, ms |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for n, keep, k in CASES:
            settings = {"order": "shuffle", "seed": 0, "keep": keep}
            its = measured(browser, page(*points(n, k), settings=settings))
            training = f"{its['training']:.0f} ({its['updates']:,})"
            seen = f"{its['processor']:.1f} | {its['work']:.1f} | {its['frame']:.1f}"
            print(f"| {n:,} | {k} | {keep} | {its['opened']:.0f} | {training} | {seen} |")
        browser.close()


if __name__ == "__main__":
    main()
