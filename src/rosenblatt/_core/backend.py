"""What computes: the one switch that chooses the backend, the size of blocks and shards, threads.

Rows are copied, scored and counted by several threads where no result depends on them; learning
itself has one. `OMP_NUM_THREADS` and `threadpoolctl.threadpool_limits` are heeded. A process that
shares work with others (of joblib, multiprocessing, or after a fork) has one thread, and so has a
thread besides the main one.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from threadpoolctl import LibController, register

from rosenblatt._core import reference
from rosenblatt._util.version import __version__

if TYPE_CHECKING:
    from rosenblatt._core.protocol import (
        AlgebraBackend,
        Backend,
        ConeBackend,
        EpochBackend,
        ScreeningBackend,
    )


_NO_CORE = (
    "rosenblatt was installed without its compiled core ({error}) and trains with the NumPy "
    "reference: the same results, hundreds of times slower. To fix this, install a C++17 compiler "
    "and install rosenblatt again with `pip install --force-reinstall --no-cache-dir`. To use the "
    "reference on purpose: ROSENBLATT_CORE=reference."
)


@dataclass
class Compute:
    """What computes. Everybody asks this one object at each call; tests change it."""

    backend: Backend
    chunk: int  # numbers to read in one call: a few hundredths of a second, to hear Ctrl-C
    block: int = 1 << 16  # rows of a block, by row number: a definition (docs/definitions.md)
    shard: int = 1 << 6  # blocks of a shard, a power of two

    # The backend again, where it can do more than the reference; else None:
    screening: ScreeningBackend | None = field(init=False)  # pass rows over unread
    whole_epochs: EpochBackend | None = field(init=False)  # make many epochs in one call
    algebra: AlgebraBackend | None = field(init=False)  # linear algebra modulo a prime
    cones: ConeBackend | None = field(init=False)  # find the pairs of rows that a cone forces

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "backend":  # asked once, not at each call
            self.screening = value if hasattr(value, "refer") else None
            self.whole_epochs = value if hasattr(value, "epochs") else None
            self.algebra = value if hasattr(value, "lift") else None
            self.cones = value if hasattr(value, "rank_along") else None

    @property
    def rows_of_shard(self) -> int:
        return self.block * self.shard

    @property
    def native(self) -> bool:
        return self.backend is not cast("Backend", reference)

    def threads_for(self, numbers: int) -> int:
        """Threads for a call that computes so many numbers, as the compiled core decides it."""
        core = cast("Any", self.backend)
        return int(core.threads_for(numbers)) if hasattr(core, "threads_for") else 1


def _chosen() -> Compute:
    on_reference = Compute(reference, chunk=reference.CHUNK)
    wanted = os.environ.get("ROSENBLATT_CORE", "")
    if wanted == "reference":
        return on_reference
    if wanted not in ("", "native"):
        raise ImportError(f"ROSENBLATT_CORE={wanted!r}; allowed: 'native', 'reference', or unset")
    try:
        from rosenblatt._core import _native
    except ImportError as error:
        if wanted == "native":
            raise
        warnings.warn(_NO_CORE.format(error=error), RuntimeWarning, stacklevel=2)
        return on_reference
    begin(_native)
    return Compute(_native, chunk=1 << 26)


@cache
def gpu() -> Backend:
    """A GPU, for rows that are on it; what it does not have is never asked of it."""
    from rosenblatt._core.gpu.backend import OnGpu

    return cast("Backend", OnGpu())


def core() -> dict[str, str]:
    name = (
        f"compiled core for {compute.backend.cpu_levels()[-1]}"
        if compute.native
        else "NumPy reference: the same results, much more slowly (no compiled core)"
    )
    return {"version": __version__, "core": name}


# --- Threads -------------------------------------------------------------------------------------


T = TypeVar("T")

MOST = 16  # more of them wait for memory

_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container, on Linux


class _Limited(LibController):  # type: ignore[misc] # untyped base
    """What threadpoolctl asks, and tells."""

    user_api = internal_api = "rosenblatt"
    filename_prefixes = ("_native",)
    check_symbols = ("rosenblatt_get_num_threads", "rosenblatt_set_num_threads")

    def get_num_threads(self) -> int:
        return int(self.dynlib.rosenblatt_get_num_threads())

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.rosenblatt_set_num_threads(ctypes.c_int(num_threads))

    def get_version(self) -> None:
        """The package has one, its core has none."""


def processors() -> int:
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


compute = _chosen()
