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
from scipy import sparse

from rosenblatt import certify, minimum_errors
from rosenblatt._certify import wide

ROWS = [[3.0, 3.0, 0.0], [4.0, 3.0, -0.0], [1.0, 1.0, 0.5], [0.0, 0.0, 0.1]]


def tables():
    """Name, table, labels, and how it is asked."""
    table = pd.DataFrame(ROWS, columns=["länge", "breite", "c"])
    yield "complete", table, [1, 1, -1, -1], {}
    yield "through-the-origin", table, [1, 1, -1, -1], {"fit_intercept": False}
    yield "decimal", table, ["yes", "yes", "no", "no"], {"numbers": "decimal"}
    yield "left-out", table, ["a", "b", "a", "c"], {"sample_weight": [1.0, 2.0, 1.0, 0.0]}
    line = pd.DataFrame({"x": [1.0, 2.0, 2.0, 3.0], "z": [1.0, 1.5, 2.5, 7.0]})
    yield "quasi-complete", line[["x"]], [0, 0, 1, 1], {}
    yield "overlap", line[["x"]], [0, 1, 0, 0], {}
    yield "full", line, [0, 1, 0, 1], {}


def wide_tables():
    """As if they had thousands of columns; long lists are written short."""
    words = np.zeros((6, 300))
    words[[0, 1, 1, 2, 2, 3, 4, 5], [7, 7, 9, 9, 250, 250, 250, 250]] = 1, 1, 2, 1, 1, 3, 3, 0.5
    yield "wide", words, [1, 1, 0, 0, 1, 0]
    rng = np.random.default_rng(0)
    yield "up-to-chance", rng.standard_normal((40, 3)).round(2), rng.integers(0, 2, 40).tolist()


def as_file(table, labels):
    return table.assign(y=labels)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, table, labels, asked in tables():
        certificate = certify(table, pd.Series(np.array(labels), name="y"), **asked)
        certificate.save(folder / f"{name}.json")
        as_file(table, labels).to_csv(folder / f"{name}.csv", index=False)
    for name, X, labels in wide_tables():
        with mock.patch.object(wide, "is_wide", return_value=True):
            certificate = certify(sparse.csr_array(X) if name == "wide" else X, labels)
        certificate.save(folder / f"{name}.json")
        names = [f"x{j}" for j in range(X.shape[1])]
        as_file(pd.DataFrame(X, columns=names), labels).to_csv(folder / f"{name}.csv", index=False)
    labels = [0, 1, 0, 1]
    bracket = minimum_errors(table[["z"]], pd.Series(labels, name="y"))
    bracket.certificate(0).save(folder / "one-conflict.json")
    as_file(table[["z"]], labels).to_csv(folder / "one-conflict.csv", index=False)
