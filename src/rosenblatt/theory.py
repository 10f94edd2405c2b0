"""The formulas of the lecture notes under their own names."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import bdtr

_NEGATIVE = ("-1", "-1.0", "0", "0.0", "False")  # one class alone is taken for these as it says


def separates(X: Any, y: Any, w: Any, b: float = 0.0) -> bool:
    """Whether y_i (w·x_i + b) > 0 for every row, decided exactly for the numbers as they are.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.separates([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1], b=-3)
    True
    >>> theory.separates([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1], b=-2)
    False
    """
    from rosenblatt import _targets
    from rosenblatt._proof.budget import Budget
    from rosenblatt._proof.rows import Rows
    from rosenblatt._proof.table import read

    table = read(X, y, semantics="binary64")
    signs = table.y
    if len(table.classes) == 1 and table.classes[0] in _NEGATIVE:
        signs = -signs
    lifted = _targets.start(w, b, len(table.columns), fit_intercept=True)
    rows = Rows(table.X, signs, intercept=True, decimal=False, budget=Budget())
    return bool(np.all(rows.signs([Fraction(v) for v in lifted.tolist()]) > 0))


def probability_separable(n: int, d: int, *, fit_intercept: bool = True) -> float:
    """The probability that n rows in general position with random labels are separable.

    Cover's counting theorem (IEEE Transactions on Electronic Computers EC-14, 1965): with D = d + 1
    (D = d through the origin) it is 2^(1-n) Σ_{k<D} C(n-1, k); 1 up to n = D, 1/2 at n = 2D.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.probability_separable(8, 3)
    0.5
    >>> theory.probability_separable(4, 3)
    1.0
    """
    n, size = operator.index(n), operator.index(d) + bool(fit_intercept)
    if n <= size:
        return 1.0
    if n > 1000:
        return float(bdtr(size - 1, n - 1, 0.5))
    return float(Fraction(sum(math.comb(n - 1, k) for k in range(size)), 2 ** (n - 1)))
