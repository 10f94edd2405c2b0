"""svmlight files: rows that are numbers already, most of them zero. There is nothing to encode."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data import exact_decimals
from rosenblatt.data.batch import Kind
from rosenblatt.data.column import Column
from rosenblatt.data.files import File
from rosenblatt.data.svmlight import read_held
from rosenblatt.data.target import Target, problems_of_target
from rosenblatt.errors import InputError


@final
class SparseTable:
    """Rows and labels of an svmlight file; features are counted, and have no names."""

    def __init__(self, files: list[File], *, positive: Any = None, n_features: int | None = None):
        if len(files) > 1:
            raise InputError("svmlight files are read one at a time: put them into one file.")
        self.files, self.positive, self.n_features = files, positive, n_features
        self.source = [files[0].name]
        self.X, self._y, self.info = read_held(str(files[0].path), n_features)
        labels, counts = np.unique(self._y, return_counts=True)
        words = dict(zip(labels.tolist(), counts.tolist(), strict=True))
        self.target = Column("y", Kind.NUMBER, words)

    @property
    def n_rows(self) -> int:
        return len(self._y)

    @property
    def problems(self) -> list[str]:
        if self.n_rows == 0:
            return [f"{self.source[0]} has no rows."]
        return list(problems_of_target(self.target, self.n_rows, self.positive))

    def refuse_rounded(self, encoding: None, *, decimal: bool) -> None:
        """As of a `Table`."""
        exact_decimals.refuse_rounded_entries(self.files[0], decimal=decimal)

    def labels(self) -> NDArray[Any]:
        """As they are read, also where there is only one."""
        return Target.of(self.target, self.positive).named(self._y)

    def encode(self, *, scale: bool = True) -> tuple[Any, NDArray[Any], None]:
        """X as a CSR matrix, y, and None: there is no encoding, and nothing is scaled."""
        if problems := self.problems:
            raise InputError(problems[0])
        return self.X, self.labels(), None
