"""Engines: what one must be able to do, whoever it is; executors, and this process.

Work is a pure function of rows and of small arguments. It may be lost, repeated, or done in any
order: results are asked for by their place, so that none of it can change a bit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from typing import Any, Protocol, final, runtime_checkable

from rosenblatt._util.progress import check_interrupt
from rosenblatt._util.spelling import option
from rosenblatt.errors import EngineError, InputTypeError

Handle = Any
"""What will be there: a result that is asked for with `gather`, or given to another call."""


class Lost(Exception):  # noqa: N818 - it is not an error: the call is made once more
    """A call has no result, through no fault of its own: its machine is gone."""

    def __init__(self, places: Sequence[int], why: str):
        super().__init__(why)
        self.places = list(places)  # of those lost, among the handles that were asked for


@runtime_checkable
class Engine(Protocol):
    """Machines that work for us."""

    @property
    def at_once(self) -> int:
        """How many calls run side by side."""

    def place(self, load: Callable[..., Any], *arguments: Any) -> Handle:
        """Some machine loads rows, and they stay there; if it dies, another one loads them."""

    def call(self, work: Callable[..., Any], *arguments: Any) -> Handle:
        """A call, where the rows are that stand among the arguments."""

    def gather(self, handles: Sequence[Handle]) -> list[Any]:
        """The results, in the order asked. `check_interrupt` is called while waiting: where it
        raises, nobody waits for them any more. What the work itself raises is raised here."""


ALLOWED = (
    'a Dask client, the address of a Dask scheduler like "tcp://host:8786", "ray", or a '
    "concurrent.futures.Executor"
)
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


def check(engine: Any) -> None:
    if isinstance(engine, str):
        if not engine.startswith(_SCHEMES) and engine != "ray":
            raise EngineError(
                f"{option('engine', engine)} is not known: give {ALLOWED}.",
                option="engine",
                value=engine,
            )
    elif not (isinstance(engine, Executor | Engine) or _is_client(engine)):
        kind = type(engine)
        raise InputTypeError(f"engine is a {kind.__module__}.{kind.__qualname__}: give {ALLOWED}.")


@contextmanager
def opened(engine: Any) -> Iterator[Engine]:
    if engine is None:
        yield Inline()
        return
    check(engine)
    if isinstance(engine, Executor):
        yield OnExecutor(engine)
    elif engine == "ray":
        from rosenblatt._out_of_core.ray import OnRay

        yield OnRay()
    elif isinstance(engine, str):
        from rosenblatt._out_of_core.dask import connected

        with connected(engine) as connection:
            yield connection
    elif _is_client(engine):
        from rosenblatt._out_of_core.dask import OnDask

        yield OnDask(engine)
    else:
        yield engine


def _is_client(engine: Any) -> bool:
    """Who has not imported Dask has none."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(engine, distributed.Client)


_WAIT = 0.1  # seconds between looks at Ctrl-C


@final
class OnExecutor:
    """Any `concurrent.futures.Executor`. It has no say where a call runs: each of its processes
    opens the rows that it needs, and keeps them open."""

    def __init__(self, executor: Executor):
        self._executor = executor
        self.at_once = int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)

    def place(self, load: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self.call(load, *arguments)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        try:
            ready = [part.result() if isinstance(part, Future) else part for part in arguments]
            return self._executor.submit(work, *ready)
        except BrokenExecutor as error:
            raise _broken(error) from None

    def gather(self, handles: Sequence[Future[Any]]) -> list[Any]:
        try:
            waiting = set(handles)
            while waiting:
                check_interrupt()
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


@final
class Inline:
    """No machines but this process, which does at once what it is asked."""

    at_once = 1

    def place(self, load: Callable[..., Any], *arguments: Any) -> Any:
        return load(*arguments)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        check_interrupt()
        return list(handles)
