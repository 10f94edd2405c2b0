"""The seam: what an engine must be able to do, whoever it is.

Work is a pure function of rows and of small arguments. It may be lost, repeated, or done in any
order: results are asked for by their place, so that none of it can change a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, Protocol

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

    def gather(self, handles: Sequence[Handle], hear: Callable[[], None]) -> list[Any]:
        """The results, in the order asked. `hear` is called while waiting, and may raise: then
        nobody waits for them any more. What the work itself raises is raised here."""


ALLOWED = (
    'a Dask client, the address of a Dask scheduler like "tcp://host:8786", "ray", or a '
    "concurrent.futures.Executor"
)
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


def check(given: Any) -> None:
    """Raise an error where it cannot be an engine, before any work."""
    if isinstance(given, str):
        if not given.startswith(_SCHEMES) and given != "ray":
            raise EngineError(f"engine={given!r} is not known: give {ALLOWED}.")
    elif not (isinstance(given, Executor) or _is_client(given) or _is_engine(given)):
        kind = type(given)
        raise InputTypeError(f"engine is a {kind.__module__}.{kind.__qualname__}: give {ALLOWED}.")


@contextmanager
def opened(given: Any) -> Iterator[Engine]:
    """The engine that was meant. What is opened here is closed in the end."""
    check(given)
    if isinstance(given, Executor):
        from rosenblatt._engines.executor import OnExecutor

        yield OnExecutor(given)
    elif isinstance(given, str) and given == "ray":
        from rosenblatt._engines.ray import OnRay

        yield OnRay()
    elif isinstance(given, str):
        from rosenblatt._engines.dask import connected

        with connected(given) as engine:
            yield engine
    elif _is_client(given):
        from rosenblatt._engines.dask import OnDask

        yield OnDask(given)
    else:
        yield given


def _is_client(given: Any) -> bool:
    """A Dask client, without an import of Dask."""
    return type(given).__name__ == "Client" and hasattr(given, "submit") and hasattr(given, "run")


def _is_engine(given: Any) -> bool:
    return all(hasattr(given, name) for name in ("place", "call", "gather", "at_once"))
