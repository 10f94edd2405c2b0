"""How the time allowed is shared out."""

from __future__ import annotations

import time

from rosenblatt._support.budget import Budget


class Clock:
    """Parts of the time allowed; without a limit nothing here looks at the time."""

    def __init__(self, limit: float | None):
        self._limit, self._began = limit, time.monotonic()

    @property
    def limited(self) -> bool:
        return self._limit is not None

    def left(self, part: float = 1.0) -> float | None:
        if self._limit is None:
            return None
        return self._began + part * self._limit - time.monotonic()

    def budget(self, part: float = 1.0) -> Budget:
        return Budget(time_limit=self.left(part))
