"""What tests of traces share."""

import numpy as np

from rosenblatt import Perceptron, trace

LI_HANG_X, LI_HANG_Y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])


def li_hang(**settings):
    return trace(Perceptron(order="cyclic", keep="last", **settings), LI_HANG_X, LI_HANG_Y)
