"""How far a counted error rate may be off."""

from __future__ import annotations

from numbers import Integral

from rosenblatt._inputs import validate
from rosenblatt.errors import InputError


def clopper_pearson(errors: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval for an error rate after `errors` of `n` independent rows were wrong.

    Whatever the true rate is, the interval holds it with at least this confidence (Clopper and
    Pearson, Biometrika 26, 1934): a rate outside of it would make so few, or so many, errors with
    probability (1 - confidence) / 2 at most.

    Examples
    --------
    >>> from rosenblatt.selection import clopper_pearson
    >>> [round(end, 4) for end in clopper_pearson(1, 10)]
    [0.0025, 0.445]
    """
    from scipy.stats import beta

    n = validate.whole("n", n)
    if not isinstance(errors, Integral) or not 0 <= errors <= n:
        raise InputError(f"errors={errors!r} is not a whole number from 0 to n={n}.")
    if not 0 < confidence < 1:
        raise InputError(f"confidence={confidence!r} is not between 0 and 1; 0.95 is usual.")
    tail = (1 - confidence) / 2
    lo = 0.0 if errors == 0 else float(beta.ppf(tail, errors, n - errors + 1))
    hi = 1.0 if errors == n else float(beta.ppf(1 - tail, errors + 1, n - errors))
    return lo, hi
