"""verbose=1: one progress bar, or plain lines where there is no terminal. Both on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rosenblatt._support.bar import DESCRIPTION, rich_bar

if TYPE_CHECKING:
    from rosenblatt._learning.state import AnyState


class Progress:
    """Shows epoch, mistakes in it, and the best so far: of the kept weights, else of any epoch.

    `paced`: also the rows per second, and how long it would take to make all epochs. `resumed`: it
    says first that training goes on from a checkpoint. `workers`: how fast each machine is.
    """

    def __init__(
        self,
        name: str,
        max_iter: int,
        n: int,
        judged: str,
        *,
        paced: bool,
        resumed: bool,
        workers: Callable[[], str] | None = None,
    ):
        self._name, self._max_iter, self._n, self._judged = name, max_iter, n, judged
        self._paced, self._resumed, self._workers = paced, resumed, workers
        self._begin = 0.0  # the time, and
        self._ahead = 0.0  # the epochs that were made by then
        self._before = 0  # epochs of earlier fits, where training goes on from one
        self._printed = 0  # the epoch of the newest line
        self._bars = rich_bar(
            name, None, DESCRIPTION, "elapsed", transient=False, takes_output=True
        )
        self._task = self._bars.add_task("", total=max_iter) if self._bars else None

    def start(self, state: AnyState) -> None:
        self._before = state.epoch
        self._begin, self._ahead = time.monotonic(), self._done(state)
        self._printed = state.epoch - state.under_way  # an epoch cut short gets its line, too
        if self._bars:
            self._bars.start()
        if self._resumed:
            where = "in" if state.under_way else "after"
            print(f"{self._name} goes on {where} epoch {state.epoch}", file=sys.stderr)

    def stop(self) -> None:
        if self._bars:
            self._bars.stop()

    def _now(self, state: AnyState) -> str:
        epochs = self._before + self._max_iter
        so_far = " so far" if state.under_way else ""
        return f"epoch {state.epoch}/{epochs}: {state.mistakes[-1]} mistakes{so_far}"

    def _done(self, state: AnyState) -> float:
        """Epochs of this training."""
        share = state.position / self._n if state.under_way else 1.0
        return max(state.epoch - self._before - 1 + share, 0.0)

    def _pace(self, state: AnyState) -> str:
        made, seconds = self._done(state) - self._ahead, time.monotonic() - self._begin
        if not self._paced or made <= 0 or seconds <= 0:
            return ""
        left = round((self._max_iter - self._done(state)) * seconds / made)
        clock = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
        each = "" if self._workers is None else f" ({self._workers()})"
        return f", {made * self._n / seconds:,.0f} rows/s{each}, at most {clock} left"

    def chunk(self, state: AnyState) -> None:
        if self._bars and self._task is not None:
            best = "" if state.kept is None else f", best so far {state.kept.mistakes}"
            self._bars.update(
                self._task,
                completed=self._done(state),
                description=self._now(state) + best + self._pace(state),
            )

    def epoch(self, state: AnyState) -> None:
        self.chunk(state)
        done = state.epoch - self._before
        # Lines: epochs 1, 2, 5, 10, 20, 50, 100, ...; `last` adds the end.
        if str(done).strip("0") in ("1", "2", "5"):
            self._line(state)

    def last(self, state: AnyState) -> None:
        """Training is over, perhaps in the middle of an epoch."""
        if self._printed != state.epoch:
            self.chunk(state)
            self._line(state)

    def _line(self, state: AnyState) -> None:
        self._printed = state.epoch
        if self._bars:
            return
        finished = state.mistakes[:-1] if state.under_way else state.mistakes
        best = ""
        if state.kept is not None:
            best = f", best so far {state.kept.mistakes} of {self._judged} wrong"
        elif finished:
            best = f", fewest in an epoch {min(finished)}"
        print(f"{self._name} {self._now(state)}{best}{self._pace(state)}", file=sys.stderr)
