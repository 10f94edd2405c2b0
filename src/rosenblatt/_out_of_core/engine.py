"""The seam: what an engine must be able to do, whoever it is.

Work is a pure function of rows and of small arguments. It may be lost, repeated, or done in any
order: results are asked for by their place, so that none of it can change a bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from typing import Any, Protocol, final

from rosenblatt._util.interrupt import check_interrupt
from rosenblatt._util.spelling import option
from rosenblatt.errors import EngineError, InputTypeError

Handle = Any
"""What will be there: a result that is asked for with `gather`, or given to another call."""


class Lost(Exception):  # noqa: N818 - it is not an error: the call is made once more
    """A call has no result, through no fault of its own: its machine is gone."""

    def __init__(self, places: Sequence[int], why: str):
        super().__init__(why)
        self.places = list(places)  # of those lost, among the handles that were asked for


class Engine(Protocol):
    """Machines that work for us."""

    @property
    def at_once(self) -> int:
        """How many calls run side by side."""

    def place(self, load: Callable[..., Any], *given: Any) -> Handle:
        """Some machine loads rows, and they stay there; if it dies, another one loads them."""

    def call(self, work: Callable[..., Any], *given: Any) -> Handle:
        """A call, where the rows are that stand among what is given."""

    def gather(self, handles: Sequence[Handle]) -> list[Any]:
        """The results, in the order asked. `check_interrupt` is called while waiting: where it
        raises, nobody waits for them any more. What the work itself raises is raised here."""


ALLOWED = (
    'a Dask client, the address of a Dask scheduler like "tcp://host:8786", "ray", or a '
    "concurrent.futures.Executor"
)
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


def check(given: Any) -> None:
    """Raise an error where it cannot be an engine, before any work."""
    if isinstance(given, str):
        if not given.startswith(_SCHEMES) and given != "ray":
            raise EngineError(
                f"{option('engine', given)} is not known: give {ALLOWED}.",
                option="engine",
                value=given,
            )
    elif not (isinstance(given, Executor) or _is_client(given) or _is_engine(given)):
        kind = type(given)
        raise InputTypeError(f"engine is a {kind.__module__}.{kind.__qualname__}: give {ALLOWED}.")


@contextmanager
def opened(given: Any) -> Iterator[Engine]:
    """The engine that was meant; None is this process. What is opened here is closed in the
    end."""
    if given is None:
        yield Inline()
        return
    check(given)
    if isinstance(given, Executor):
        yield OnExecutor(given)
    elif isinstance(given, str) and given == "ray":
        from rosenblatt._out_of_core.ray import OnRay

        yield OnRay()
    elif isinstance(given, str):
        from rosenblatt._out_of_core.dask import connected

        with connected(given) as engine:
            yield engine
    elif _is_client(given):
        from rosenblatt._out_of_core.dask import OnDask

        yield OnDask(given)
    else:
        yield given


def _is_client(given: Any) -> bool:
    """A Dask client, without an import of Dask."""
    return type(given).__name__ == "Client" and hasattr(given, "submit") and hasattr(given, "run")


def _is_engine(given: Any) -> bool:
    return all(hasattr(given, name) for name in ("place", "call", "gather", "at_once"))


# Threads or processes of this machine, or whatever is offered as an Executor.


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


# No machines but this process: where nothing else was asked for.


@final
class Inline:
    """Does what it is asked at once."""

    at_once = 1

    def place(self, load: Callable[..., Any], *given: Any) -> Any:
        return load(*given)

    def call(self, work: Callable[..., Any], *given: Any) -> Any:
        return work(*given)

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        check_interrupt()
        return list(handles)
