"""The widget in JupyterLab, in a real browser: a moved point arrives in Python with the same bits.

In `make soak` only, and where JupyterLab is installed: it takes long to start.
"""

import json
import os
import re
import subprocess
import sys
import time

import pytest

from paging import fingerprint_of

CELLS = [
    "from rosenblatt.play import Playground\n"
    "p = Playground([[3, 3], [4, 3], [1, 1]], ['yes', 'yes', 'no'])\np",
    "same = p.coef_.tolist() == p.fit().coef_.tolist()\n"
    "print('SAW', same, p.X.tolist(), p.fingerprint)",
]
_LONGEST = 120  # seconds


def notebook():
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    cells = [cell | {"id": f"c{k}", "source": text} for k, text in enumerate(CELLS)]
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def lab(tmp_path):
    """Where a JupyterLab of its own answers."""
    if os.environ.get("ROSENBLATT_SOAK") != "1":
        pytest.skip("JupyterLab is started in make soak")
    pytest.importorskip("jupyterlab")
    (tmp_path / "play.ipynb").write_text(json.dumps(notebook()))
    options = ["--no-browser", "--allow-root", "--port=0", "--IdentityProvider.token=t"]
    command = [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={tmp_path}"]
    log = tmp_path / "log.txt"
    with log.open("w") as file:
        serving = subprocess.Popen(command, stdout=file, stderr=file, cwd=tmp_path)
    try:
        for _ in range(_LONGEST):
            found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
            if found:
                break
            time.sleep(1)
        yield found[0]
    finally:
        serving.terminate()
        serving.wait()


def test_a_moved_point_arrives_in_python_with_the_same_bits(browser, lab):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(1000 * _LONGEST)
    page.goto(f"{lab}/lab/tree/play.ipynb?token=t&reset")
    page.get_by_text("| Idle").wait_for()  # the kernel
    page.locator(".jp-CodeCell").first.click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".board-svg .point", state="attached")
    before = fingerprint_of(page)
    page.locator(".board-svg").focus()
    for key in ("n", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    after = fingerprint_of(page)
    assert after != before
    page.locator(".jp-CodeCell").nth(1).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    page.get_by_text("SAW True").wait_for()
    said = page.locator(".jp-OutputArea-output").last.inner_text().strip()
    found = re.fullmatch(
        rf"SAW True \[\[3\.0, ([\d.]+)\], \[4\.0, 3\.0\], \[1\.0, 1\.0\]\] {after}", said
    )
    assert float(found[1]) > 3  # by how much depends on the size of the board
    page.close()
