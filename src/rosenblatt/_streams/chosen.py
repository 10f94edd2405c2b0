"""Some of the rows that are stored, as a stream of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.backend import compute
from rosenblatt._compute.matrices import some_rows
from rosenblatt._streams.progress import Silent
from rosenblatt._streams.stored import Stored
from rosenblatt._streams.writer import Writer, refuse_if_full


@final
@dataclass(frozen=True)
class ChosenRows:
    """The stored rows that are `chosen(begin, end)`, a mask; written without names of features."""

    stored: Stored
    chosen: Callable[[int, int], NDArray[np.bool_]]
    share: float  # of them all, about

    files: ClassVar[None] = None  # they are there as long as they are needed

    def options(self) -> dict[str, Any]:
        return {}

    def write(self, folder: Path, say: Silent) -> None:
        rows = self.stored
        say.begin("Dividing", rows.n)
        refuse_if_full(folder, int(self.share * rows.nbytes))
        with Writer(folder, rows.d, rows.dtype, sparse=rows.sparse) as writer:
            for b in range(rows.n_blocks):
                X, y = rows.block(b)
                rows.expect((b + 1) % rows.n_blocks)
                begin = b * compute.block
                mask = self.chosen(begin, begin + len(y))
                writer.add(some_rows(X, mask), y[mask])
                say.rows(begin + len(y))
            writer.done(rows.classes, encoding=rows.encoding)
