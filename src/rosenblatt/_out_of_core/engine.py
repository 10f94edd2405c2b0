"""Engines: what one must be able to do; and this process, executors, Dask and Ray, which do it.

Work is a pure function of rows and of small arguments. It may be lost, repeated, or done in any
order: results are asked for by their place, so that none of it can change a bit.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager, suppress
from typing import Any, Protocol, final, runtime_checkable

from rosenblatt._util.extras import needed
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
        yield OnRay()
    elif isinstance(engine, str):
        with connected(engine) as connection:
            yield connection
    elif _is_client(engine):
        yield OnDask(engine)
    else:
        yield engine


def _is_client(engine: Any) -> bool:
    """Who has not imported Dask has none."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(engine, distributed.Client)


_WAIT = 0.1  # seconds between looks at Ctrl-C
_PATIENCE = 30  # seconds in which a scheduler answers


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
        "one; or use Dask or Ray, which continue."
    )


# --- Dask: rows stay on the worker that loaded them, and a lost one is replaced -----------------


@contextmanager
def connected(address: str) -> Iterator[OnDask]:
    library = needed("distributed", "engine=" + repr(address))
    try:
        client = library.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise EngineError(
            f"No Dask scheduler answers at {address} ({error}). Start one with `dask scheduler`, "
            "and workers with `dask worker`; or correct the address."
        ) from None
    with client:
        yield OnDask(client)


@final
class OnDask:
    """A client. Rows are placed by a load task, never scattered: scattered data has no history,
    and is lost with its worker."""

    def __init__(self, client: Any):
        self._client, self._library = client, needed("distributed", "a Dask client")
        threads = client.nthreads()
        if not threads:
            raise EngineError(
                f"The scheduler {client.scheduler.address} has no workers: start some with `dask "
                "worker`."
            )
        self.at_once = sum(threads.values())

    def place(self, load: Callable[..., Any], *arguments: Any) -> Any:
        return self._client.submit(load, *self._there(arguments), pure=False)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return self._client.submit(work, *arguments, pure=False)

    def _there(self, arguments: Sequence[Any]) -> list[Any]:
        """Dask's arrays are computed by the workers. Those made of rows in memory travel with
        their graph, as they must: Dask's advice to scatter them is not followed, see above."""
        from dask.base import is_dask_collection

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            return [self._client.compute(v) if is_dask_collection(v) else v for v in arguments]

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        try:
            # One that was there is lost with its worker, and computed once more.
            while waiting := [h for h in handles if h.status in ("pending", "lost")]:
                check_interrupt()
                with suppress(TimeoutError), self._client.as_current():
                    self._library.wait(waiting, timeout=_WAIT)
            return self._results(handles)
        except BaseException:
            self._client.cancel([h for h in handles if not h.done()])
            raise

    def _results(self, handles: Sequence[Any]) -> list[Any]:
        if any(handle.status == "cancelled" for handle in handles):
            raise EngineError(
                "The Dask scheduler has lost its tasks: it was restarted, or the "
                "connection to it was lost. Train again, from the checkpoint if there is one."
            )
        failed = {k: h.exception() for k, h in enumerate(handles) if h.status == "error"}
        lost = [k for k, e in failed.items() if isinstance(e, self._library.KilledWorker)]
        for place, error in failed.items():  # the first one, whichever came first
            if place not in lost:
                raise error
        if lost:
            raise Lost(lost, str(failed[lost[0]]))
        return list(self._client.gather(list(handles)))


# --- Ray: calls go to the node that has the rows -------------------------------------------------


@final
class OnRay:
    """The cluster that this process is connected to, or that RAY_ADDRESS names; else one of this
    machine's own."""

    def __init__(self) -> None:
        self._ray = needed("ray", 'engine="ray"')
        if not self._ray.is_initialized():
            self._ray.init(log_to_driver=False, include_dashboard=False)
        self.at_once = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._nodes: dict[Any, str] = {}  # where what was placed is
        self._tasks: dict[Callable[..., Any], Any] = {}

    def place(self, load: Callable[..., Any], *arguments: Any) -> Any:
        return self._task(_with_node).options(scheduling_strategy="SPREAD").remote(load, *arguments)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        task, ready = self._task(work), []
        for part in arguments:
            if isinstance(part, self._ray.ObjectRef):
                if part not in self._nodes:
                    self._nodes[part] = self._ray.get(part)[1]
                task = task.options(scheduling_strategy=self._at(self._nodes[part]))
                ready.append(self._ray.get(part)[0])  # a few bytes: the rows stay on the node
            else:
                ready.append(part)
        return task.remote(*ready)

    def _at(self, node: str) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return NodeAffinitySchedulingStrategy(node_id=node, soft=True)

    def _task(self, work: Callable[..., Any]) -> Any:
        if work not in self._tasks:
            self._tasks[work] = self._ray.remote(max_retries=3)(work)
        return self._tasks[work]

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        waiting = list(handles)
        try:
            while waiting:
                check_interrupt()
                _, waiting = self._ray.wait(waiting, num_returns=len(waiting), timeout=_WAIT)
        except BaseException:
            for handle in waiting:
                self._ray.cancel(handle, force=False)
            raise
        results, lost, why = [], [], ""
        for place, handle in enumerate(handles):
            try:
                results.append(self._ray.get(handle))
            except (
                self._ray.exceptions.WorkerCrashedError,
                self._ray.exceptions.NodeDiedError,
                self._ray.exceptions.ObjectLostError,
            ) as error:
                lost.append(place)
                why = str(error)
            except self._ray.exceptions.RayTaskError as error:
                raise (error.cause or error) from None
        if lost:
            raise Lost(lost, why)
        return [r[0] if isinstance(r, _Placed) else r for r in results]


class _Placed(tuple[Any, str]):
    """What was loaded, and the node that has it."""

    __slots__ = ()


def _with_node(load: Callable[..., Any], *arguments: Any) -> _Placed:
    import ray

    return _Placed((load(*arguments), ray.get_runtime_context().get_node_id()))
