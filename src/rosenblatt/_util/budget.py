"""How much work may be done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rosenblatt._util.progress import check_interrupt, note, progress
from rosenblatt._util.spelling import either, option


class LimitReached(Exception):  # noqa: N818 - it is not an error
    """The limit that the user set was reached; the message says which."""


class TooLong(LimitReached):
    """Nobody set a limit, and arithmetic with long numbers has taken some seconds."""


@contextmanager
def noting(limits: list[str]) -> Iterator[None]:
    """What a limit cuts short is left out, and noted."""
    try:
        yield
    except LimitReached as reached:
        limits += [str(reached)] * (str(reached) not in limits)


_LONG = 256  # bits of a number that is longer than those of ordinary tables
_SHORT = 2  # words
_WORD = 64  # bits; also: products of two words that take as long as a row evaluation
_LONG_WORK, _LONG_WORK_OF_A_NUMBER = 24 * 10**6, 100  # row evaluations: 5 to 6 s
_WORTH = 0.625  # of that may be what so many systems seem to take; most take less
_LATER = 5.0  # seconds after which it is said what takes so long


class Budget:
    """Counts row evaluations, and looks at the clock only if there is a time limit.

    Work that is not on rows counts, too, as about as many row evaluations as take as long. So does
    arithmetic with long numbers, by their bits.
    """

    def __init__(
        self,
        *,
        time_limit: float | None = None,
        work_limit: int | None = None,
    ):
        self._work_limit, self._time_limit = work_limit, time_limit
        self._long_limit: int | None = None
        self._long = 0
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self.spent = 0
        self._speaks, self._step = False, ""
        self._began, self._next_note = time.monotonic(), _LATER

    def bound(self, numbers: int) -> None:
        """For a table of so many numbers, unless there is a limit: arithmetic with long numbers
        ends after some seconds, counted in operations; and what takes long is told."""
        if self._work_limit is None and self._deadline is None:
            self._long_limit = _LONG_WORK + _LONG_WORK_OF_A_NUMBER * numbers
            self._speaks = True

    def begins(self, step: str) -> None:
        """What comes next; said aloud if it takes long."""
        self._step = step
        progress(step)

    def spend(self, rows: int) -> None:
        """Called before `rows` rows are looked at."""
        if self._work_limit is not None and self.spent + rows > self._work_limit:
            raise LimitReached(f"the work limit of {self._work_limit} row evaluations was reached")
        self.spent += rows
        self.check_interrupt()

    def spend_on_algebra(self, size: int, bits: int = _WORD) -> None:
        """Called before a system of this size is solved, of whole numbers of so many bits."""
        self._spend_on_long(_algebra(size, bits), bits)

    def affords_algebra(self, size: int, bits: int, times: int) -> bool:
        """Are so many systems less than what may be spent on long numbers?"""
        if bits <= _LONG or self._long_limit is None:
            return True
        return times * _algebra(size, bits) < _WORTH * self._long_limit - self._long // 4

    def spend_on_long(self, products: int, bits: int, *, divided: bool = False) -> None:
        """Called before so many products of whole numbers of so many bits (and divisions)."""
        words = bits // _WORD + 1
        if words <= _SHORT:  # as they are in every row evaluation
            self.check_interrupt()
            return
        each = words**2 * (2 if divided else 1) + _WORD // 2
        self._spend_on_long(products * each // _WORD, bits)

    def _spend_on_long(self, work: int, bits: int) -> None:
        if bits > _LONG:
            self._long += work
            if self._long_limit is not None and self._long > self._long_limit:
                raise TooLong(
                    f"exact arithmetic with numbers of {bits} bits was given up after some "
                    f"seconds: {either('time_limit', '--time-limit')}, in seconds, allows more"
                    f"{either(', as does work_limit', '')}"
                )
        self.spend(work)

    def affords(self, rows: int) -> int | None:
        """How often `rows` rows can still be looked at; None: without limit."""
        return None if self._work_limit is None else (self._work_limit - self.spent) // rows

    @property
    def timed(self) -> bool:
        """Is there a time limit? Then what takes minutes may be begun."""
        return self._deadline is not None

    def seconds_left(self) -> float | None:
        """None: there is no limit of time."""
        return None if self._deadline is None else self._deadline - time.monotonic()

    def check_interrupt(self) -> None:
        """Called now and then between."""
        check_interrupt()
        self._note()
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise LimitReached(f"the time limit of {self._time_limit:g} seconds was reached")

    def _note(self) -> None:
        if self._speaks and (so_far := time.monotonic() - self._began) > self._next_note:
            self._next_note *= 3
            limit = option("time_limit")
            note(f"rosenblatt: {self._step}, {so_far:.0f} s so far; {limit} would end it.")

    def lift(self) -> None:
        """No limit from here on: what remains is short."""
        self._work_limit = self._deadline = self._long_limit = None

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """No limit inside, where what is left to do is short."""
        limits = self._work_limit, self._deadline, self._long_limit
        self.lift()
        try:
            yield
        finally:
            self._work_limit, self._deadline, self._long_limit = limits


def _algebra(size: int, bits: int) -> int:
    """Digits of a solution times limbs of its system; then fractions are made of the digits."""
    words = max(bits // _WORD, 1)
    lifting = size**3 * words**2 // 16
    return lifting if words == 1 else lifting + 4 * (size * words) ** 2


# --- How the time or the work allowed is shared out ----------------------------------------------


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
