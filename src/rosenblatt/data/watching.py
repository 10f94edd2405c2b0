"""How far reading has come, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rosenblatt.data.batch import Batch
from rosenblatt.data.files import File

Watcher = Callable[[int, float | None], None]
"""Called with the rows so far, and the share of the files that is read, where that is known."""

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Whatever is read inside is told to `by`."""
    before = _watcher.set(by)
    try:
        yield
    finally:
        _watcher.reset(before)


@contextmanager
def shown_on(bar: Callable[..., None]) -> Iterator[None]:
    """What is read inside is shown by bar(what, done, total): rows, and how much of the files where
    it is known."""

    def show(rows: int, share: float | None) -> None:
        part = "" if share is None else f", {share:.0%}"
        bar(f"reading: {rows:,} rows{part}", share or 0, None if share is None else 1)

    bar("reading", 0, None)
    with watched(show):
        yield


def tell(rows: int, share: float | None) -> None:
    watcher = _watcher.get()
    if watcher is not None:
        watcher(rows, share)


def watchable(parts: Iterable[Batch], files: list[File]) -> Iterator[Batch]:
    """The same parts; of each it is told that it was read."""
    sizes = {id(file): max(file.stamp[0], 1) for file in files}
    whole, before, rows, last = sum(sizes.values()), 0, 0, files[0]
    for part in parts:
        if part.file is not last:
            before, last = before + sizes[id(last)], part.file
        rows += part.rows
        tell(rows, (before + part.share * sizes[id(part.file)]) / whole)
        yield part
