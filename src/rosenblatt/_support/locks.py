"""Who is at work: locks that the system frees when a process ends, however it ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self, final

try:
    import fcntl
except ImportError:  # Windows: nobody waits, and nobody knows who is at work
    fcntl = None  # type: ignore[assignment]

# A link that somebody put there is not followed: it may lead anywhere.
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


@final
class Lock:
    """A lock, to be held by `with`; where the system has none, nobody holds it and nobody waits.

    `wait` is called before waiting for whoever has it. None: don't; then it may not be `held`.
    """

    def __init__(self, path: Path, wait: Callable[[], None] | None):
        self._path = path
        self._handle = None if fcntl is None else self._take(wait)

    @property
    def held(self) -> bool:
        return self._handle is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            with suppress(OSError):
                os.unlink(self._path)  # while it is held: the next one makes a file of its own
            os.close(self._handle)

    def _take(self, wait: Callable[[], None] | None) -> int | None:
        while True:
            handle = os.open(self._path, _OPEN, 0o600)
            try:
                if not _locked(handle, wait):
                    os.close(handle)
                    return None
                if self._is(handle):
                    return handle
            except BaseException:  # Ctrl-C while waiting
                os.close(handle)
                raise
            os.close(handle)  # who had it before has removed the file

    def _is(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(handle))
        except FileNotFoundError:
            return False


def _locked(handle: int, wait: Callable[[], None] | None) -> bool:
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if wait is None:
                return False
            wait()
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        return False
    return True
