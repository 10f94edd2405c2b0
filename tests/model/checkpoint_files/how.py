"""How the files beside this one were written.

    python how.py FOLDER

Example 2.1 of the book, stopped after the third of its seven updates; and each of three classes
against the rest, stopped after one update of each. Until the first release the format may change in
place, and the files are written again; from then on they are kept as they are.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import Perceptron, train

LI_HANG = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
CORNERS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["a", "b", "c"]


def write(stopped, table, end):
    train(stopped, table, checkpoint=Path(sys.argv[1]) / f"arrays{end}.json")
    train(stopped, lambda: [table], checkpoint=Path(sys.argv[1]) / f"stream{end}.json")


if __name__ == "__main__":
    options = {"order": "cyclic", "keep": "last", "random_state": 0}
    write(Perceptron(max_updates=3, prove=True, **options), LI_HANG, "")
    write(Perceptron(max_updates=1, multi_class="ovr", **options), CORNERS, "-of-classes")
