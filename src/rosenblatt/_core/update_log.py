"""The updates of a training run, as the learner makes them: row, visit, score before.

Of many classes the score is the margin s_y - s_r, and the rival r is there, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROOM = 1 << 14


class Log:
    """Grows by what is taken from `columns`, where the core notes the updates of one call."""

    room = _ROOM
    loss = 0.0  # of what was noted, where it is followed

    def __init__(self, *, rivals: bool = False) -> None:
        kinds = (np.int64, np.int64, np.float64, np.int64)
        self.columns: tuple[NDArray[Any], ...] = tuple(
            np.empty(_ROOM, dtype=kind) for kind in kinds[: 3 + rivals]
        )
        self._parts: tuple[list[Any], ...] = tuple([] for _ in self.columns)

    def take(self, updates: int, y: NDArray[Any]) -> None:
        """The core has noted so many, of rows with these labels."""
        if updates:
            for part, column in zip(self._parts, self.columns, strict=True):
                part.append(column[:updates].copy())

    def add(
        self,
        rows: NDArray[Any],
        visit: int,
        scores: NDArray[np.float64],
        y: NDArray[Any],
        rivals: NDArray[Any] | None = None,
    ) -> None:
        """All of these rows were updated at one visit; y are the labels of all."""
        noted = (rows, np.full(len(rows), visit), scores)
        for part, values in zip(
            self._parts, noted if rivals is None else (*noted, rivals), strict=True
        ):
            part.append(np.array(values))

    def apart(self) -> Log:
        return Log(rivals=len(self.columns) > 3)

    def join(self, other: Log, first_row: int, first_visit: int) -> None:
        """What was noted apart, of rows and visits that are counted from these."""
        rows, visits, *more = other.arrays()
        noted = (rows + first_row, visits + first_visit, *more)
        for part, values in zip(self._parts, noted, strict=True):
            part.append(values)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Rows, visits, scores before, and of many classes rivals; one entry for each update."""
        return tuple(
            np.concatenate([column[:0], *part])
            for column, part in zip(self.columns, self._parts, strict=True)
        )
