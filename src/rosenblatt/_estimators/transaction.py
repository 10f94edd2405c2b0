"""All or nothing, and one at a time: how an estimator is changed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref

_locks: dict[int, tuple[ref[Any], threading.RLock]] = {}  # of estimators that live, by id
_of_locks = threading.Lock()


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """An estimator whose fit fails is as it was before."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before  # one step: nothing can come in between
        raise


@contextmanager
def alone(estimator: Any) -> Iterator[None]:
    """Threads that train one estimator wait for each other, so that no call is lost.

    The lock is not on the estimator, which is copied, pickled and compared by what is on it.
    """
    with _lock_of(estimator):
        yield


def _lock_of(estimator: Any) -> threading.RLock:
    me = id(estimator)
    with _of_locks:
        if me not in _locks:  # it leaves before another one can have its id
            _locks[me] = (ref(estimator, lambda _: _locks.pop(me, None)), threading.RLock())
        return _locks[me][1]


def _begin_anew() -> None:
    """After a fork the threads that held a lock are not there to free it."""
    global _of_locks
    _of_locks = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_begin_anew)
