"""How the file beside this one was written, by rosenblatt 0.1.0. It is never written again.

python how.py FOLDER
"""

import sys
from pathlib import Path

from rosenblatt import Perceptron, trace

if __name__ == "__main__":
    X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
    found = trace(Perceptron(order="cyclic", keep="last"), X, y)
    found.to_json(Path(sys.argv[1]) / "li-hang-2.1.json")
