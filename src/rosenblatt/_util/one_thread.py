"""Matrix products on one thread.

Many small ones wait for each other's threads longer than they take; where other programs run as
well, that makes them ten times slower.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """While it is entered, NumPy and SciPy compute matrix products on one thread."""
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    """Looking for the libraries takes longer than proving a small table."""
    import numpy  # noqa: F401 - they are to be loaded when they are looked for
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()
