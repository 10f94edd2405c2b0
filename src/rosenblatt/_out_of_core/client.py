"""The program's side of an engine, and the worker's.

Rows are placed once, calls are repeated where they were lost, and results come in the order of the
rows.
"""

from __future__ import annotations

import os
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

from rosenblatt._core.backend import compute
from rosenblatt._out_of_core.engine import Engine, Handle, Lost
from rosenblatt._util.version import __version__
from rosenblatt.errors import EngineError

_SHOWN = 4  # workers that are named one by one
_REPEATS = 5  # times that a call is made once more, where its machine was lost


@dataclass
class Pace:
    rows: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        return self.rows / max(self.seconds, 1e-9)


@final
@dataclass
class Client:
    """The machines of an engine, at work for one job."""

    engine: Engine
    paces: dict[str, Pace] = field(default_factory=lambda: defaultdict(Pace))

    def place(self, load: Callable[..., Any], *arguments: Any) -> Handle:
        return self.engine.place(placed, __version__, load, *arguments)

    def wait_for(self, handles: Sequence[Handle]) -> None:
        self._gathered(lambda k: self.engine.call(_is_there, handles[k]), len(handles))

    def results(self, handles: Sequence[Handle]) -> list[Any]:
        return self._gathered(lambda k: handles[k], len(handles), repeat=False)

    def all(
        self,
        calls: Sequence[tuple[Callable[..., Any], Sequence[Any]]],
        rows: Sequence[int] | None = None,
    ) -> list[Any]:
        sizes = Sizes(compute.block, compute.shard)

        def call(k: int) -> Handle:
            work, arguments = calls[k]
            return self.engine.call(
                _on_partition, arguments[0], __version__, sizes, work, *arguments[1:]
            )

        results: list[Done] = self._gathered(call, len(calls))
        for k, done in enumerate(results):
            pace = self.paces[done.worker]
            pace.rows += 0 if rows is None else rows[k]
            pace.seconds += done.seconds
        return [done.value for done in results]

    def speeds(self) -> str:
        rates = sorted((pace.rate, name) for name, pace in self.paces.items() if pace.rows)
        shown = rates if len(rates) <= _SHOWN else [rates[0], rates[-1]]
        words = ", ".join(f"{name} {rate:,.0f}" for rate, name in shown)
        return words if shown is rates else f"{len(rates)} workers: {words}"

    def _gathered(
        self, handle: Callable[[int], Handle], number: int, *, repeat: bool = True
    ) -> list[Any]:
        handles = [handle(k) for k in range(number)]
        losses = [0] * number
        while True:
            try:
                return self.engine.gather(handles)
            except Lost as lost:
                for k in lost.places:
                    losses[k] += 1
                    if losses[k] > _REPEATS or not repeat:
                        raise EngineError(
                            f"A call was lost {losses[k]} times ({lost}). Do workers run out of "
                            "memory? Give them more, or more workers."
                        ) from None
                    handles[k] = handle(k)
            except ModuleNotFoundError as error:
                raise EngineError(
                    f"A worker cannot do its work ({error}): install rosenblatt=={__version__} on "
                    "all machines."
                ) from None


# --- What runs on a worker: a call, with the version and the sizes that it was made with ---------


class Sizes(NamedTuple):
    """Of blocks, in rows, and of shards, in blocks: a definition, the same for everybody."""

    block: int
    shard: int


class Done(NamedTuple):
    """A result, by whom, and how long it took."""

    value: Any
    worker: str
    seconds: float


def placed(version: str, load: Callable[..., Any], *arguments: Any) -> Any:
    return perform(version, Sizes(compute.block, compute.shard), load, *arguments).value


def _is_there(partition: Any) -> None:
    """An engine calls it when the partition is in place."""


def _on_partition(
    partition: Any, version: str, sizes: Sizes, work: Callable[..., Any], *arguments: Any
) -> Done:
    """The partition comes first, so that an engine sees what would have to be moved."""
    return perform(version, sizes, work, partition, *arguments)


def perform(version: str, sizes: Sizes, work: Callable[..., Any], *arguments: Any) -> Done:
    if version != __version__:
        raise EngineError(
            f"The worker {name()} has rosenblatt {__version__}, and the program that asks has "
            f"{version}: the same bits need the same version. Install rosenblatt=={version} on "
            "all machines."
        )
    if (compute.block, compute.shard) != sizes:
        compute.block, compute.shard = sizes
    begin = time.perf_counter()
    value = work(*arguments)
    return Done(value, name(), time.perf_counter() - begin)


def name() -> str:
    return f"{socket.gethostname()}/{os.getpid()}"
