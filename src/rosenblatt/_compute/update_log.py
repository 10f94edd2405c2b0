"""The updates of a training run, as the machine makes them: row, visit, score before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROOM = 1 << 14


class Log:
    """Grows by what is taken from `columns`, where the core notes the updates of one call."""

    room = _ROOM

    def __init__(self) -> None:
        self.columns: tuple[NDArray[Any], ...] = (
            np.empty(_ROOM, dtype=np.int64),
            np.empty(_ROOM, dtype=np.int64),
            np.empty(_ROOM),
        )
        self._parts: tuple[list[Any], list[Any], list[Any]] = ([], [], [])

    def take(self, updates: int, y: NDArray[Any]) -> None:
        """The core has noted so many, of rows with these labels."""
        if updates:
            for part, column in zip(self._parts, self.columns, strict=True):
                part.append(column[:updates].copy())

    def add(
        self, rows: NDArray[Any], visit: int, scores: NDArray[np.float64], y: NDArray[Any]
    ) -> None:
        """All of these rows were updated at one visit; y are the labels of all."""
        for part, values in zip(
            self._parts, (rows, np.full(len(rows), visit), scores), strict=True
        ):
            part.append(np.array(values))

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Rows, visits, scores before; one entry for each update."""
        empty = (column[:0] for column in self.columns)
        rows, visits, scores = (
            np.concatenate([none, *part]) for none, part in zip(empty, self._parts, strict=True)
        )
        return rows, visits, scores
