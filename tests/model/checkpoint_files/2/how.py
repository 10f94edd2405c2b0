"""How the files beside this one were written, by rosenblatt 0.1.0. They are never written again.

    python how.py FOLDER

Example 2.1 of the book, stopped after the third of its seven updates.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import Perceptron, train

ROWS, LABELS = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]


def batches():
    yield ROWS, LABELS


if __name__ == "__main__":
    stopped = Perceptron(order="cyclic", keep="last", max_updates=3, random_state=0, prove=True)
    train(stopped, (ROWS, LABELS), checkpoint=Path(sys.argv[1]) / "arrays.json")
    train(stopped, batches, checkpoint=Path(sys.argv[1]) / "stream.json")
