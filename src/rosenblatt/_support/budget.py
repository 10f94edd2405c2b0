"""How much work may be done."""

from __future__ import annotations

import time
from collections.abc import Callable

from rosenblatt._support.interrupt import no_interrupt


class LimitReached(Exception):  # noqa: N818 - it is not an error
    """The limit that the user set was reached; the message says which."""


class Budget:
    """Counts row evaluations, and looks at the clock only if there is a time limit.

    Work that is not on rows counts, too, as about as many row evaluations as take as long.
    """

    def __init__(
        self,
        *,
        time_limit: float | None = None,
        work_limit: int | None = None,
        hear: Callable[[], None] = no_interrupt,
    ):
        self._work_limit, self._time_limit = work_limit, time_limit
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self.hear = hear  # called often, limits or not; may raise to stop
        self.spent = 0

    def spend(self, rows: int) -> None:
        """Called before `rows` rows are looked at."""
        if self._work_limit is not None and self.spent + rows > self._work_limit:
            raise LimitReached(f"the work limit of {self._work_limit} row evaluations was reached")
        self.spent += rows
        self.check_interrupt()

    def spend_on_algebra(self, size: int) -> None:
        """Called before a system of this size is solved in whole numbers."""
        self.spend(size**3 // 16)

    def affords(self, rows: int) -> int | None:
        """How often `rows` rows can still be looked at; None: without limit."""
        return None if self._work_limit is None else (self._work_limit - self.spent) // rows

    def check_interrupt(self) -> None:
        """Called now and then between."""
        self.hear()
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise LimitReached(f"the time limit of {self._time_limit:g} seconds was reached")

    def lift(self) -> None:
        """No limit from here on: what remains is short."""
        self._work_limit = self._deadline = None
