"""How the files beside this one were written, by rosenblatt 0.1.0. They are never written again.

    python how.py FOLDER

Each of three classes against the rest, stopped after one update of each.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import Perceptron, train

ROWS, LABELS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["a", "b", "c"]


def batches():
    yield ROWS, LABELS


if __name__ == "__main__":
    stopped = Perceptron(
        order="cyclic", keep="last", max_updates=1, random_state=0, multi_class="ovr"
    )
    train(stopped, (ROWS, LABELS), checkpoint=Path(sys.argv[1]) / "arrays.json")
    train(stopped, batches, checkpoint=Path(sys.argv[1]) / "stream.json")
