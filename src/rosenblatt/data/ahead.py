"""Work ahead: while one item is used, other threads make the next ones; and how far reading is.

Whoever stops halfway, by an error, leaves a generator to be collected as garbage: in any thread, at
any time, even while that thread is starting another. So nothing here joins a thread in the end,
which would wait for locks that the collecting thread may hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeVar

from rosenblatt._util.progress import progress

if TYPE_CHECKING:
    from rosenblatt.data.batch import Batch
    from rosenblatt.data.files import File

T = TypeVar("T")
Done = TypeVar("Done")
AT_ONCE = 2  # items that are worked on at a time
_END: Any = object()


def ahead(items: Generator[T]) -> Iterator[T]:
    """The items in their order, and an error in its place."""
    other = ThreadPoolExecutor(1)
    coming = other.submit(next, items, _END)
    try:
        while (item := coming.result()) is not _END:
            coming = other.submit(next, items, _END)
            yield item
    finally:
        other.shutdown(wait=False)  # see above
        wait([coming])  # then the other thread is done with the items
        items.close()


def done_ahead(work: Callable[[T], Done], items: Generator[T]) -> Iterator[tuple[T, Done]]:
    """Each item and what the work makes of it, in order, and errors in their places. Only
    the AT_ONCE items that follow are asked for before one is given."""
    waiting: deque[tuple[T, Future[Done]]] = deque()
    failed: Exception | None = None
    others = ThreadPoolExecutor(AT_ONCE)
    try:
        item: Any = None
        while item is not _END or waiting:
            if item is not _END and len(waiting) <= AT_ONCE:
                try:
                    item = next(items, _END)
                except Exception as error:
                    item, failed = _END, error
                if item is not _END:
                    waiting.append((item, others.submit(work, item)))
            else:
                first, done = waiting.popleft()
                yield first, done.result()
        if failed is not None:
            raise failed
    finally:
        others.shutdown(wait=False, cancel_futures=True)  # see above
        items.close()


def watched(batches: Iterable[Batch], files: list[File]) -> Iterator[Batch]:
    """The batches, each of which is progress."""
    sizes = {id(file): max(file.stamp[0], 1) for file in files}
    whole, before, rows, last = sum(sizes.values()), 0, 0, files[0]
    for batch in batches:
        if batch.file is not last:
            before, last = before + sizes[id(last)], batch.file
        rows += batch.rows
        show_reading(rows, (before + batch.share * sizes[id(batch.file)]) / whole)
        yield batch


def show_reading(rows: int, share: float | None) -> None:
    percent = "" if share is None else f", {share:.0%}"
    progress(f"reading: {rows:,} rows{percent}", share, None if share is None else 1)
