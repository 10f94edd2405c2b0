"""What a limit cuts short."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rosenblatt._support.budget import LimitReached


@contextmanager
def noting(limits: list[str]) -> Iterator[None]:
    """What a limit cuts short is left out, and noted."""
    try:
        yield
    except LimitReached as reached:
        limits += [str(reached)] * (str(reached) not in limits)
