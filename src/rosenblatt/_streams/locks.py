"""Who is at work: locks that the system frees when a process ends, however it ends."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: nobody waits, and leftovers stay
    fcntl = None  # type: ignore[assignment]

MARK = ".rosenblatt-"  # how the folders begin in which something is being written


@contextmanager
def locked(path: Path, told: Callable[[], None]) -> Iterator[None]:
    """Nobody else has this lock meanwhile; `told` is called before waiting for somebody."""
    handle = _lock(path, told)
    try:
        yield
    finally:
        _free(path, handle)


def _lock(path: Path, told: Callable[[], None] | None) -> int | None:
    """A handle that holds the lock; None where there are no locks, or somebody else has it and
    nobody is to be told."""
    while fcntl is not None:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if told is None:
                    os.close(handle)
                    return None
                told()
                fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_at(path, handle):
                return handle
        except OSError:  # a file system without locks
            os.close(handle)
            return None
        except BaseException:  # Ctrl-C while waiting
            os.close(handle)
            raise
        os.close(handle)  # who had it before has removed it
    return None


def _is_at(path: Path, handle: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path), os.fstat(handle))
    return False


def _free(path: Path, handle: int | None) -> None:
    if handle is not None:
        with suppress(OSError):
            os.unlink(path)  # before it is free: nobody locks a file that is about to go
        os.close(handle)


def lock_of(root: Path, name: str) -> Path:
    return root / f"{name}.lock"


def folder_of(root: Path, name: str) -> Path:
    """A folder for whoever has the lock of this name, of which there is none yet."""
    return root / f"{MARK}{name}-{os.urandom(8).hex()}"


def remove_leftovers(root: Path, own: str) -> None:
    """Folders whose writers are gone: their lock is free, or `own`."""
    for folder in root.glob(f"{MARK}*-*"):
        name = folder.name.removeprefix(MARK).rpartition("-")[0]
        if name == own:
            shutil.rmtree(folder, ignore_errors=True)
        elif (handle := _lock(lock_of(root, name), None)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            _free(lock_of(root, name), handle)
