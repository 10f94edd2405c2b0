"""What long work is doing, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def tell(what: str) -> None:
    """Said at the beginning of each step; costs nothing where nobody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(what)


@contextmanager
def told_to(listener: Callable[[str], None]) -> Iterator[None]:
    """Whatever is done inside is told."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
