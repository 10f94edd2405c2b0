"""How the files beside this one were written.

    python how.py FOLDER

Each certificate must be accepted for its table, in Python and by `verify.py`. Until the first
release the format may change in place, and the files are written again; from then on they stay.
"""

import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

from rosenblatt import certify
from rosenblatt._certify import wide

ROWS = [[3.0, 3.0, 0.0], [4.0, 3.0, -0.0], [1.0, 1.0, 0.5], [0.0, 0.5, 0.1], [9.0, 0.0, 0.3]]


def tables():
    """Name, table, labels, and how it is asked."""
    table = pd.DataFrame(ROWS, columns=["länge", "breite", "c"])
    yield "complete", table, [2, 2, 1, 1, 3], {}
    yield "through-the-origin", table, ["b", "b", "a", "a", "c"], {"fit_intercept": False}
    yield "decimal", table, ["b", "b", "a", "a", "c"], {"numbers": "decimal"}
    yield "left-out", table, list("abacd"), {"sample_weight": [1.0, 2.0, 1.0, 1.0, 0.0]}
    line = pd.DataFrame({"x": [0.0, 1.0, 2.0, 5.0, 6.0, 7.0], "z": [1.0, 1.5, 2.5, 7.0, 0.0, 3.0]})
    yield "quasi-complete", line[["x"]], list("abaccc"), {}
    yield "overlap", line[["x"]], list("abacbc"), {}
    yield "full", line, list("abcabc"), {}
    yield "one-conflict", pd.DataFrame({"x": [0.0, 0.0, 1.0]}), list("abc"), {}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, table, labels, asked in tables():
        # one conflict is all that is known where there are too many dimensions
        most = 0 if name == "one-conflict" else 2000
        with mock.patch.object(wide, "_MOST_DIMENSIONS", most):
            certificate = certify(table, pd.Series(np.array(labels), name="y"), **asked)
        print(name, certificate.verdict)
        certificate.save(folder / f"{name}.json")
        table.assign(y=labels).to_csv(folder / f"{name}.csv", index=False)
