"""Being stopped: long work calls `check_interrupt`, which raises where somebody wants it to stop.

Who that is stands in the context, not among the parameters. Every thread has a context of its own:
what is to be stopped there enters `interrupted_by` there.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def check_interrupt() -> None:
    """Called between chunks of work, where the state is consistent; does nothing by default."""
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def interrupted_by(check: Callable[[], None] | None) -> Iterator[None]:
    """Inside, `check_interrupt` calls `check`, which raises to stop the work; None: nothing stops
    it. Whoever was asked outside is asked again afterwards."""
    outer = _check.set(check)
    try:
        yield
    finally:
        _check.reset(outer)


@contextmanager
def to_the_end() -> Iterator[None]:
    """Ctrl-C does not stop what is done here: a matter of seconds."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
