"""What tests of kernels share."""

import numpy as np
from sklearn.datasets import make_circles

LI_HANG = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])


def circles(n=120):
    return make_circles(n, factor=0.4, noise=0.05, random_state=0)
