"""The one switch that chooses the backend, and the sizes that work is cut into."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from rosenblatt._compute import reference, threads

if TYPE_CHECKING:
    from rosenblatt._compute.protocol import (
        AlgebraBackend,
        Backend,
        ConeBackend,
        EpochBackend,
        ScreeningBackend,
    )
    from rosenblatt._compute.rule_protocol import RuleBackend

_NO_CORE = (
    "rosenblatt was installed without its compiled core ({error}) and trains with the NumPy "
    "reference: the same results, hundreds of times slower. To mend it: install a C++17 compiler "
    "and install rosenblatt again with `pip install --force-reinstall --no-cache-dir`. To use the "
    "reference on purpose: ROSENBLATT_CORE=reference."
)


@dataclass
class Compute:
    """What computes. Everybody asks this one object at each call; tests change it."""

    backend: Backend
    chunk: int  # numbers to read in one call: a few hundredths of a second, to hear Ctrl-C
    block: int = 1 << 16  # rows of a block, by row number: a definition, whatever computes
    shard: int = 1 << 6  # blocks of a shard, a power of two

    @property
    def rows_of_shard(self) -> int:
        return self.block * self.shard

    @property
    def native(self) -> bool:
        """Whether it is not the NumPy reference."""
        return self.backend is not cast("Backend", reference)

    def threads_for(self, numbers: int) -> int:
        """Threads for a call that computes so many numbers, as the compiled core decides it."""
        core = cast("Any", self.backend)
        return int(core.threads_for(numbers)) if hasattr(core, "threads_for") else 1

    @property
    def rules(self) -> RuleBackend:
        """The backend, with rules besides the perceptron's."""
        return cast("RuleBackend", self.backend)

    @property
    def screening(self) -> ScreeningBackend | None:
        """The backend, where it can pass rows over unread."""
        return cast("ScreeningBackend", self.backend) if hasattr(self.backend, "refer") else None

    @property
    def whole_epochs(self) -> EpochBackend | None:
        """The backend, where it can make many epochs in one call."""
        return cast("EpochBackend", self.backend) if hasattr(self.backend, "epochs") else None

    @property
    def algebra(self) -> AlgebraBackend | None:
        """The backend, where it has linear algebra modulo a prime."""
        return cast("AlgebraBackend", self.backend) if hasattr(self.backend, "lift") else None

    @property
    def cones(self) -> ConeBackend | None:
        """The backend, where it finds the pairs of rows that a cone forces."""
        return cast("ConeBackend", self.backend) if hasattr(self.backend, "rank_along") else None


def _chosen() -> Compute:
    on_reference = Compute(reference, chunk=reference.CHUNK)
    wanted = os.environ.get("ROSENBLATT_CORE", "")
    if wanted == "reference":
        return on_reference
    if wanted not in ("", "native"):
        raise ImportError(f"ROSENBLATT_CORE={wanted!r}; allowed: 'native', 'reference', or unset")
    try:
        from rosenblatt._compute import _core
    except ImportError as error:
        if wanted == "native":
            raise
        warnings.warn(_NO_CORE.format(error=error), RuntimeWarning, stacklevel=2)
        return on_reference
    threads.begin(_core)
    return Compute(_core, chunk=1 << 26)


compute = _chosen()


@cache
def gpu() -> Backend:
    """A GPU, for rows that are on it; what it does not have is never asked of it."""
    from rosenblatt._compute.gpu.backend import OnGpu

    return cast("Backend", OnGpu())
