"""Work ahead: while one item is used, another thread makes the next one."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
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
