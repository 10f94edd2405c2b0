"""Work ahead: while one item is used, other threads make the next ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
Done = TypeVar("Done")
AT_ONCE = 2  # items that are worked on at a time
_END: Any = object()


def ahead(items: Generator[T]) -> Iterator[T]:
    """The same items in the same order, and the same error in its place."""
    try:
        with ThreadPoolExecutor(1) as other:
            coming = other.submit(next, items, _END)
            while (item := coming.result()) is not _END:
                coming = other.submit(next, items, _END)
                yield item
    finally:
        items.close()  # the other thread is done with it: the executor waits


def done_ahead(work: Callable[[T], Done], items: Generator[T]) -> Iterator[tuple[T, Done]]:
    """Each item and what the work makes of it, in order, and the same errors in their places. Only
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
        others.shutdown(cancel_futures=True)
        items.close()
