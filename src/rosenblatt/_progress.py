"""verbose=1: one progress bar, or plain lines where there is no terminal. Both on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosenblatt._fit import State


def describe(state: State, max_iter: int, n: int) -> str:
    """Epoch, mistakes in it, and the best so far: of the kept weights, else of any epoch."""
    text = f"epoch {state.epoch}/{max_iter}: {state.mistakes[-1]} mistakes"
    if state.kept is not None:
        return f"{text}, best so far {state.kept.mistakes} of {n} rows wrong"
    finished = state.mistakes[:-1] if state.under_way else state.mistakes
    return f"{text}, fewest in an epoch {min(finished)}" if finished else text


class Progress:
    """Shows where training stands."""

    def __init__(self, name: str, max_iter: int, n: int, judged: int):
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        self._name, self._max_iter, self._n, self._judged = name, max_iter, n, judged
        self._offset: int | None = None
        console = Console(stderr=True)
        self._bars = (
            Bars(
                TextColumn(name),
                BarColumn(),
                TextColumn("{task.description}", markup=False),
                TimeElapsedColumn(),
                console=console,
            )
            if console.is_terminal or console.is_jupyter
            else None
        )
        self._task = self._bars.add_task("", total=max_iter) if self._bars else None

    def start(self) -> None:
        if self._bars:
            self._bars.start()

    def stop(self) -> None:
        if self._bars:
            self._bars.stop()

    def _epochs_before(self, state: State) -> int:
        """Epochs of earlier fits, where training goes on from one."""
        if self._offset is None:
            self._offset = state.epoch - 1
        return self._offset

    def show(self, state: State) -> None:
        before = self._epochs_before(state)
        if self._bars and self._task is not None:
            share = state.position / self._n if state.under_way else 1.0
            self._bars.update(
                self._task,
                completed=state.epoch - before - 1 + share,
                description=describe(state, before + self._max_iter, self._judged),
            )

    def epoch(self, state: State) -> None:
        before = self._epochs_before(state)
        self.show(state)
        done = state.epoch - before
        # Plain lines: epochs 1, 2, 5, 10, 20, 50, 100, ... and the end.
        if not self._bars and (
            str(done).strip("0") in ("1", "2", "5") or done == self._max_iter or state.clean
        ):
            text = describe(state, before + self._max_iter, self._judged)
            print(f"{self._name} {text}", file=sys.stderr)
