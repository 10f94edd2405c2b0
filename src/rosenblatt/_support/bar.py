"""One progress bar for work of several steps."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Bar(Protocol):
    """Says what is being done: `done` of `total`, or, without them, one step more."""

    def __call__(
        self, what: str, done: float | None = None, total: float | None = None, /
    ) -> None: ...


def silent(what: str, done: float | None = None, total: float | None = None, /) -> None:
    """Says nothing."""


@contextmanager
def bar(*, quiet: bool) -> Iterator[Bar]:
    """On standard error, where that is a terminal, or in a notebook; silent elsewhere."""
    if quiet or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(bar_width=20),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    # What is printed on standard output stays there: rich would show it above the bar.
    shown = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    with shown:
        task = shown.add_task("", total=1)

        def now(what: str, done: float | None = None, total: float | None = None, /) -> None:
            if done is None:
                shown.update(task, description=what, advance=1)
            else:
                shown.update(task, description=what, completed=done, total=total)

        yield now
