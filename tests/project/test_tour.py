"""The notebooks run, and show what they give."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "tour").glob("*.ipynb"))


def test_the_tour_shows_what_its_cells_give():
    checked = subprocess.run(
        [sys.executable, ROOT / "scripts" / "tour.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_jupyter_stores_it(path, heavy):
    """Executed from top to bottom, without an error; in `make soak` as its format demands."""
    notebook = json.loads(path.read_text("utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert not [o for cell in code for o in cell["outputs"] if o["output_type"] == "error"]
    if heavy(20) == 20:  # in a kernel of its own, too
        import nbclient
        import nbformat

        nbformat.validate(nbformat.from_dict(notebook))
        whole = nbformat.reads(path.read_text("utf-8"), as_version=4)
        nbclient.NotebookClient(whole, timeout=300).execute()
