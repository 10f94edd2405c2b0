"""Being stopped: long work calls `check_interrupt` now and then, which may raise."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def no_interrupt() -> None:
    """The default for `check_interrupt`: nobody waits, nothing stops the work."""


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
