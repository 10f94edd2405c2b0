"""How many threads the compiled core may use: for work whose result cannot depend on them.

Rows are copied, scored and counted by several; learning itself has one. `OMP_NUM_THREADS` and
`threadpoolctl.threadpool_limits` are heeded. A process that shares work with others (of joblib,
multiprocessing, or after a fork) has one thread, and so has a thread besides the main one.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from threadpoolctl import LibController, register

T = TypeVar("T")

MOST = 16  # more of them wait for memory

_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container, on Linux


class _Limited(LibController):  # type: ignore[misc] # untyped base
    """What threadpoolctl asks, and tells."""

    user_api = internal_api = "rosenblatt"
    filename_prefixes = ("_core",)
    check_symbols = ("rosenblatt_get_num_threads", "rosenblatt_set_num_threads")

    def get_num_threads(self) -> int:
        return int(self.dynlib.rosenblatt_get_num_threads())

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.rosenblatt_set_num_threads(ctypes.c_int(num_threads))

    def get_version(self) -> None:
        """The package has one, its core has none."""


def processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    try:
        quota, period = map(int, _QUOTA.read_text().split())
    except (OSError, ValueError):  # there is none, or no limit ("max")
        return count
    return max(1, min(count, quota // period))


def allowed() -> int:
    """Threads of this process, unless somebody says otherwise."""
    if _shares_work():
        return 1
    said = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    most = int(said) if said.isdecimal() and int(said) > 0 else MOST
    return min(most, MOST, processors())


def _shares_work() -> bool:
    """Whether another process has started this one to work beside it."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def use(core: Any, most: int) -> None:
    """The core may use so many threads, in calls of Python's main thread."""
    core.use_threads(most, threading.main_thread().ident)


def begin(core: Any) -> None:
    """To be called once, when the core was loaded."""
    use(core, allowed())
    register(_Limited)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: use(core, 1))


def side_by_side(work: Callable[[int], T], number: int, threads: int) -> list[T]:
    """work(0), work(1), …, where it leaves the interpreter lock: on so many threads."""

    def some(first: int) -> list[T]:
        return [work(i) for i in range(first, number, threads)]

    if threads <= 1:
        return some(0)
    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(some, first) for first in range(1, threads)]
        parts = [some(0), *(other.result() for other in others)]
    return [parts[i % threads][i // threads] for i in range(number)]
