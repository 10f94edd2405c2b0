"""All or nothing, and one at a time: how an estimator is changed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import ref


class _Locks:
    """One for each estimator that lives, by its id."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """After a fork the threads that held a lock are not there to free it."""
        self.all: dict[int, tuple[ref[Any], threading.RLock]] = {}
        self._turn = threading.Lock()

    def of(self, estimator: Any) -> threading.RLock:
        me = id(estimator)
        with self._turn:
            if me not in self.all:  # it leaves before another one can have its id
                self.all[me] = (ref(estimator, lambda _: self._leave(me)), threading.RLock())
            return self.all[me][1]

    def _leave(self, me: int) -> None:
        self.all.pop(me, None)


locks = _Locks()
if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=locks.begin_anew)


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
    with locks.of(estimator):
        yield
