"""Runs the notebooks of docs/tour and writes what they show; --check compares, and names cells.

They run as in Jupyter, one after another in this process, which is faster than a kernel for each.
"""

import base64
import io
import json
import os
import re
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"
os.environ["IPYTHONDIR"] = tempfile.mkdtemp(prefix="rosenblatt-")  # no settings, no history
TOUR = Path(__file__).parents[1] / "docs" / "tour"
SHOWN = ("text/html", "text/plain")  # of a result, and pictures; a widget lives in Jupyter only


def a_shell():
    """An empty notebook's Python."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.reset(new_session=True)
    return shell


def pictures():
    """The figures that a cell has drawn, as Jupyter shows them below it."""
    import matplotlib.pyplot as plt

    for number in plt.get_fignums():
        written = io.BytesIO()
        plt.figure(number).savefig(written, format="png", bbox_inches="tight", dpi=90)
        plt.close(number)
        png = base64.b64encode(written.getvalue()).decode()
        yield {"data": {"image/png": png}, "metadata": {}, "output_type": "display_data"}


def result(shell, value, number):
    """What the last line of a cell gives."""
    found, _ = shell.display_formatter.format(value)
    data = {kind: found[kind].splitlines(True) for kind in SHOWN if kind in found}
    return {
        "data": data,
        "execution_count": number,
        "metadata": {},
        "output_type": "execute_result",
    }


def run(shell, source, number):
    """The outputs of one cell."""
    values, printed = [], io.StringIO()
    shell.display_trap.hook = values.append
    with redirect_stdout(printed):
        shell.run_cell(source).raise_error()
    outputs = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(True)})
    if not source.rstrip().endswith(";"):
        outputs += [
            result(shell, v, number) for v in values if not hasattr(v, "_esm") and v is not None
        ]
    return outputs + list(pictures())


def executed(path):
    """A notebook with the outputs that it has now."""
    notebook, shell, number = json.loads(path.read_text("utf-8")), a_shell(), 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["outputs"] = run(shell, "".join(cell["source"]), number)
            cell["execution_count"] = number
    return notebook


def said(cell):
    """What a cell shows, but for the processor, milliseconds and how a picture is compressed."""
    parts = []
    for output in cell.get("outputs", []):
        texts = [output.get("text", []), *output.get("data", {}).values()]
        kinds = sorted(output.get("data", {"stream": None}))
        whole = "\n".join("" if isinstance(t, str) else "".join(t) for t in texts)
        parts.append((kinds, re.sub(r"core for [^\n]*|in \d+ ms", "", whole)))
    return parts


def differences(before, after):
    for cell, now in zip(before["cells"], after["cells"], strict=True):
        if said(cell) != said(now):
            yield f"{''.join(cell['source'])}\n  was  {said(cell)}\n  is   {said(now)}"


def main(check):
    warnings.simplefilter("error")  # a reader of the tour shall not meet one
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="IPython|traitlets")
    wrong = 0
    for path in sorted(TOUR.glob("*.ipynb")):
        before, after = json.loads(path.read_text("utf-8")), executed(path)
        changed = list(differences(before, after))
        for one in changed:
            print(f"{path.name}: {one}\n")
        wrong += len(changed)
        if changed and not check:
            path.write_text(json.dumps(after, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if check and wrong:
        print("The tour shows what is no longer so: make tour writes it anew.")
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
