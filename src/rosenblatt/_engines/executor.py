"""Threads or processes of this machine, or whatever is offered as an Executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any, final

from rosenblatt.errors import EngineError

_WAIT = 0.1  # seconds between looks at Ctrl-C


@final
class OnExecutor:
    """Any `concurrent.futures.Executor`. It has no say where a call runs: each of its processes
    opens the rows that it needs, and keeps them open."""

    def __init__(self, executor: Executor):
        self._executor = executor
        self.at_once = int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)

    def place(self, load: Callable[..., Any], *given: Any) -> Future[Any]:
        return self.call(load, *given)

    def call(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        try:
            ready = [part.result() if isinstance(part, Future) else part for part in given]
            return self._executor.submit(work, *ready)
        except BrokenExecutor as error:
            raise _broken(error) from None

    def gather(self, handles: Sequence[Future[Any]], hear: Callable[[], None]) -> list[Any]:
        try:
            waiting = set(handles)
            while waiting:
                hear()
                waiting = wait(waiting, timeout=_WAIT).not_done
            return [handle.result() for handle in handles]
        except (BrokenExecutor, CancelledError) as error:
            raise _broken(error) from None
        finally:
            for handle in handles:
                handle.cancel()


def _broken(error: BaseException) -> EngineError:
    return EngineError(
        f"The executor is broken ({error or type(error).__name__}): one of its processes died, and "
        "it does not replace it. Make a new one and train again, from the checkpoint if there is "
        "one; or use Dask or Ray, which go on."
    )
