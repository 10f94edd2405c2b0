"""What runs on a worker: a call, with the version and the sizes that it was made with."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rosenblatt._compute.backend import compute
from rosenblatt._support.version import __version__
from rosenblatt.errors import EngineError


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
