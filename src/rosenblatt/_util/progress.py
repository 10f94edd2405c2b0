"""Progress bars: all of them are made here, on standard error, and only where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from rosenblatt._util.escape import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


DESCRIPTION = "{task.description}"


class Bar(Protocol):
    """Says what is being done: `done` of `total`, or, without them, one step more."""

    def __call__(
        self, what: str, done: float | None = None, total: float | None = None, /
    ) -> None: ...


def silent(what: str, done: float | None = None, total: float | None = None, /) -> None:
    """Says nothing."""


@contextmanager
def bar(*, quiet: bool) -> Iterator[Bar]:
    """For work of several steps; silent where nobody looks."""
    shown = None if quiet or not _seen() else rich_bar(None, DESCRIPTION, "elapsed", width=20)
    if shown is None:
        yield silent
        return
    with shown:
        task = shown.add_task("", total=1)

        def now(what: str, done: float | None = None, total: float | None = None, /) -> None:
            if done is None:
                shown.update(task, description=one_line(what), advance=1)
            else:
                shown.update(task, description=one_line(what), completed=done, total=total)

        yield now


def _seen() -> bool:
    """Before rich is imported, which takes a while."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def rich_bar(
    *columns: str | None, width: int = 10, transient: bool = True, takes_output: bool = False
) -> Progress | None:
    """A bar of rich; None where standard error is neither a terminal nor in a notebook.

    Columns are text, None for the bar itself, "elapsed" and "remaining" for times. `transient`: it
    vanishes in the end. `takes_output`: what is printed meanwhile is shown above the bar, else it
    stays on standard output.
    """
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        return None

    def column(what: str | None) -> ProgressColumn:
        if what is None:
            return progress.BarColumn(bar_width=width)
        if what == "elapsed":
            return progress.TimeElapsedColumn()
        if what == "remaining":
            return progress.TimeRemainingColumn()
        return progress.TextColumn(what, markup=False)

    return progress.Progress(
        *map(column, columns), console=console, transient=transient, redirect_stdout=takes_output
    )


# What long work is doing, for whoever wants to show it.


_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def tell(what: str) -> None:
    """Said at the beginning of each step; costs nothing where nobody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(what)


@contextmanager
def told_to(listener: Callable[[str], None]) -> Iterator[None]:
    """Whatever is done inside is told."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
