"""Whoever asks: rows that are placed once, calls that are repeated where they were lost, results in
the order of the rows."""

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

_SHOWN = 4  # workers that are told one by one
_REPEATS = 5  # times that a call is made once more, where its machine was lost


@dataclass
class Pace:
    """What a worker has done."""

    rows: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / max(self.seconds, 1e-9)


@final
@dataclass
class Client:
    """The machines of an engine, at work for one job."""

    engine: Engine
    paces: dict[str, Pace] = field(default_factory=lambda: defaultdict(Pace))
    waited: float = 0.0  # seconds

    def place(self, load: Callable[..., Any], *given: Any) -> Handle:
        return self.engine.place(placed, __version__, load, *given)

    def settle(self, handles: Sequence[Handle]) -> None:
        """All is in place, or the first error is raised. The rows stay there."""
        self._gathered(lambda k: self.engine.call(_seen, handles[k]), len(handles))

    def results(self, handles: Sequence[Handle]) -> list[Any]:
        """What was placed, here: a few bytes."""
        return self._gathered(lambda k: handles[k], len(handles), repeat=False)

    def all(
        self,
        calls: Sequence[tuple[Callable[..., Any], Sequence[Any]]],
        rows: Sequence[int] | None = None,
    ) -> list[Any]:
        """The result of each call, in their order; `rows`: how many each looks at."""
        sizes = Sizes(compute.block, compute.shard)

        def call(k: int) -> Handle:
            work, given = calls[k]
            return self.engine.call(_on_rows, given[0], __version__, sizes, work, *given[1:])

        begin = time.monotonic()
        found: list[Done] = self._gathered(call, len(calls))
        self.waited += time.monotonic() - begin
        for k, done in enumerate(found):
            pace = self.paces[done.worker]
            pace.rows += 0 if rows is None else rows[k]
            pace.seconds += done.seconds
        return [done.value for done in found]

    def told(self) -> str:
        """How many rows each worker looks at in a second; of many, the slowest and the fastest."""
        found = sorted((pace.rate, name) for name, pace in self.paces.items() if pace.rows)
        shown = found if len(found) <= _SHOWN else [found[0], found[-1]]
        words = ", ".join(f"{name} {rate:,.0f}" for rate, name in shown)
        return words if shown is found else f"{len(found)} workers: {words}"

    def _gathered(
        self,
        handle: Callable[[int], Handle],
        number: int,
        *,
        repeat: bool = True,
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


def placed(version: str, load: Callable[..., Any], *given: Any) -> Any:
    """On a worker: the rows, if the version is ours."""
    return perform(version, Sizes(compute.block, compute.shard), load, *given).value


def _seen(part: Any) -> None:
    """On a worker: the rows are there."""


def _on_rows(part: Any, version: str, sizes: Sizes, work: Callable[..., Any], *given: Any) -> Done:
    """On a worker: the rows come first, so that an engine sees what is to be moved."""
    return perform(version, sizes, work, part, *given)


# What runs on a worker: a call, with the version and the sizes that it was made with.


class Sizes(NamedTuple):
    """Of blocks, in rows, and of shards, in blocks: a definition, the same for everybody."""

    block: int
    shard: int


class Done(NamedTuple):
    """A result, by whom, and how long it took."""

    value: Any
    worker: str
    seconds: float


def perform(version: str, sizes: Sizes, work: Callable[..., Any], *given: Any) -> Done:
    """Do this work."""
    if version != __version__:
        raise EngineError(
            f"The worker {name()} has rosenblatt {__version__}, and the program that asks has "
            f"{version}: the same bits need the same version. Install rosenblatt=={version} on "
            "all machines."
        )
    if (compute.block, compute.shard) != sizes:
        compute.block, compute.shard = sizes
    begin = time.perf_counter()
    value = work(*given)
    return Done(value, name(), time.perf_counter() - begin)


def name() -> str:
    """Of the process that works."""
    return f"{socket.gethostname()}/{os.getpid()}"
