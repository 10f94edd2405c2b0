"""Dask `distributed`: rows stay on the worker that loaded them, and a lost one is replaced."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, final

from rosenblatt._out_of_core.engine import Lost
from rosenblatt._util.extras import needed
from rosenblatt._util.progress import check_interrupt
from rosenblatt.errors import EngineError

_WAIT = 0.2  # seconds between looks at Ctrl-C
_PATIENCE = 30  # seconds in which a scheduler answers


@contextmanager
def connected(address: str) -> Iterator[OnDask]:
    library = needed("distributed", "engine=" + repr(address))
    try:
        client = library.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise EngineError(
            f"No Dask scheduler answers at {address} ({error}). Start one with `dask scheduler`, "
            "and workers with `dask worker`; or mend the address."
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
                "The Dask scheduler has forgotten what it was asked: it was restarted, or the "
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
