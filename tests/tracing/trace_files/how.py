"""How the files beside this one were written.

    python how.py FOLDER

Until the first release the format may change in place, and the files are written again; from then
on they stay.
"""

import sys
import warnings
from pathlib import Path

from rosenblatt import AROW, PassiveAggressive, Perceptron, trace


def traces():
    rule = Perceptron(order="cyclic", keep="last")
    yield "li-hang-2.1", trace(rule, [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1])
    yield "three-classes", trace(rule, [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"])
    sure = AROW(r=1.0, order="cyclic", fit_intercept=False, max_iter=1)
    yield "arow", trace(sure, [[2.0], [-2.0]], [1, -1])
    passive = PassiveAggressive(C=0.5, order="cyclic", keep="last", fit_intercept=False, max_iter=2)
    yield "passive-aggressive", trace(passive, [[1.0], [-3.0]], [1, -1])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, made in traces():
        made.to_json(Path(sys.argv[1]) / f"{name}.json")
