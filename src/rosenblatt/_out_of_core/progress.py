"""How far the encoding of rows is: a bar, or a line now and then, on stderr. Who shows it stands in
the context."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import final

from rosenblatt._util.escape import one_line
from rosenblatt._util.progress import DESCRIPTION, rich_bar

_EVERY = 10.0  # seconds between lines


class Silent:
    """Says nothing but why it waits."""

    def begin(self, what: str, total: int | None) -> None:
        """A pass over rows begins, another one ends; `total` is how many rows there are, if that is
        known."""

    def rows(self, done: int) -> None:
        """So many of them are done."""

    def end(self) -> None:
        """All is over, however it ended."""

    def note(self, text: str) -> None:
        """One sentence in between."""
        print(one_line(text), file=sys.stderr)


@final
class Reading(Silent):
    """Rows so far and per second; where their number is known also the time that is left."""

    def __init__(self) -> None:
        self._bars = rich_bar(DESCRIPTION, None, "remaining", takes_output=True)
        self._done = 0

    def begin(self, what: str, total: int | None) -> None:
        self.end()
        self._what, self._total, self._done = what, total, 0
        self._start = self._said = time.monotonic()
        if self._bars is not None:
            self._task = self._bars.add_task(what, total=total)
            self._bars.start()

    def rows(self, done: int) -> None:
        self._done = done
        if self._bars is not None:
            self._bars.update(self._task, completed=done, description=self._now())
        elif time.monotonic() - self._said > _EVERY:
            self._said = time.monotonic()
            print(self._now(), file=sys.stderr)

    def _now(self) -> str:
        rate = self._done / max(time.monotonic() - self._start, 1e-9)
        share = f" ({self._done / self._total:.0%})" if self._total else ""
        return f"{self._what}: {self._done:,} rows{share}, {rate:,.0f} a second"

    def end(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            for task in self._bars.task_ids:
                self._bars.remove_task(task)
        if self._done:
            print(self._now(), file=sys.stderr)
            self._done = 0


_shown: ContextVar[Silent] = ContextVar("shown", default=Silent())  # noqa: B039 - it has no state


def shown() -> Silent:
    """Whoever shows it here."""
    return _shown.get()


@contextmanager
def shown_by(progress: Silent) -> Iterator[None]:
    outer = _shown.set(progress)
    try:
        yield
    finally:
        _shown.reset(outer)
