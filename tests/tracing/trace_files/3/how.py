"""How the files beside this one were written, by rosenblatt 0.1.0. They are never written again.

python how.py FOLDER
"""

import sys
from pathlib import Path

from rosenblatt import Perceptron, trace

if __name__ == "__main__":
    rule = Perceptron(order="cyclic", keep="last")
    two = trace(rule, [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1])
    two.to_json(Path(sys.argv[1]) / "li-hang-2.1.json")
    three = trace(rule, [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"])
    three.to_json(Path(sys.argv[1]) / "three-classes.json")
