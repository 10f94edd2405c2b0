"""svmlight files, read twice: what they hold, then their rows. The same bits as in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Csr
from rosenblatt._inputs import targets
from rosenblatt._streams.progress import Silent
from rosenblatt._streams.writer import Writer
from rosenblatt.data.column import Column
from rosenblatt.data.files import File
from rosenblatt.data.labels import Target, problems_of_target
from rosenblatt.data.part import Kind
from rosenblatt.data.svmlight import MOST_HELD, iterate_svmlight, scan
from rosenblatt.errors import InputError

_ROWS = 1 << 13  # a chunk


@final
@dataclass(frozen=True)
class SvmlightRows:
    """The rows of svmlight files, one file after the other, to be written down."""

    files: list[File]
    positive: Any = None
    n_features: int | None = None

    def options(self) -> dict[str, Any]:
        positive = None if self.positive is None else repr(self.positive)
        return {"svmlight": True, "positive": positive, "n_features": self.n_features}

    def write(self, folder: Path, say: Silent) -> None:
        n, d, zero_based, target = self._look()
        say.begin("Encoding", n)
        classes = np.array(target.classes)
        with Writer(folder, d, np.dtype(np.float64), sparse=True) as writer:
            for file in self.files:
                chunks = iterate_svmlight(
                    str(file.path), _ROWS, n_features=d, zero_based=zero_based
                )
                for X, labels in chunks:
                    y = targets.encoded(target.named(labels), classes)
                    writer.add(Csr(X.data, X.indices, X.indptr, X.shape), y)
                    say.rows(writer.n)
                file.check_unchanged()
            writer.done(classes)

    def _look(self) -> tuple[int, int, bool, Target]:
        """The numbers of rows and features, whether the first is 0, and the labels."""
        labels: set[float] = set()

        def see(some: NDArray[np.float64]) -> None:
            labels.update(np.unique(some).tolist())

        found = [
            scan(str(file.path), n_features=self.n_features, see=see, most=MOST_HELD)
            for file in self.files
        ]
        zero_based = any(info.zero_based for info in found)
        d = self.n_features or max(
            info.n_features + (zero_based and not info.zero_based) for info in found
        )
        column = Column("y", Kind.NUMBER, dict.fromkeys(sorted(labels), 1))  # not counted
        n = sum(info.rows for info in found)
        if wrong := list(problems_of_target(column, n, self.positive)):
            raise InputError(wrong[0])
        return n, d, zero_based, Target.of(column, self.positive)
