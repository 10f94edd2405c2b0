"""How likely it is that random labels are separable."""

from __future__ import annotations

import math
from fractions import Fraction

from rosenblatt._validation import parameters


def probability_separable(n: int, d: int, *, fit_intercept: bool = True) -> float:
    """The probability that n rows in general position with random labels are separable.

    Cover's counting theorem (IEEE Transactions on Electronic Computers EC-14, 1965): with D = d + 1
    (D = d through the origin) it is 2^(1-n) Σ_{k<D} C(n-1, k); 1 up to n = D, 1/2 at n = 2D. Where
    it is not small, a perfect fit says nothing about the labels: random ones would be fitted, too.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.probability_separable(8, 3)
    0.5
    >>> theory.probability_separable(4, 3)
    1.0
    """
    n, size = parameters.whole("n", n), parameters.whole("d", d) + bool(fit_intercept)
    if n <= size:
        return 1.0
    if n > 1000:
        from scipy.special import bdtr

        return float(bdtr(size - 1, n - 1, 0.5))
    return float(Fraction(sum(math.comb(n - 1, k) for k in range(size)), 2 ** (n - 1)))
