"""How the time or the work allowed is shared out."""

from __future__ import annotations

import time

from rosenblatt._support.budget import Budget


class Clock:
    """Parts of the time allowed, or of the work; without a time limit nothing here looks at the
    time."""

    def __init__(self, limit: float | None, work: int | None = None):
        self._limit, self._began = limit, time.monotonic()
        self._work, self._spent, self._last = work, 0, Budget()

    @property
    def limited(self) -> bool:
        return self._limit is not None

    def left(self, part: float = 1.0) -> float | None:
        if self._limit is None:
            return None
        return self._began + part * self._limit - time.monotonic()

    def budget(self, part: float = 1.0) -> Budget:
        self._spent += self._last.spent
        work = None if self._work is None else max(0, int(part * self._work) - self._spent)
        self._last = Budget(time_limit=self.left(part), work_limit=work)
        return self._last
