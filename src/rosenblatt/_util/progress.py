"""Long work says what it is doing, and here it is drawn: on standard error, where somebody looks.

    progress("reading: 1,000 rows, 50%", 0.5, 1) ──context──► shown() on a terminal or in a notebook

Who listens stands in the context, not among the parameters. Nobody does by default, and nobody does
in another thread; then it costs nothing. Who wants it to stop stands there as well: long work calls
`check_interrupt`, which raises then. What is to be stopped in another thread enters
`interrupted_by` there.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, final

from rosenblatt._util.text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


class Listener(Protocol):
    """Called with what is being done: `done` of `total`, where they are known."""

    def __call__(self, what: str, done: float | None, total: float | None, /) -> None: ...


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def progress(what: str, done: float | None = None, total: float | None = None) -> None:
    """Said when a step begins, and now and then while it lasts."""
    log_step(what)
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """Inside, progress goes to `listener`; None: to nobody."""
    outer = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(outer)


@contextmanager
def stage(what: str) -> Iterator[None]:
    """Inside, progress is shown as that of this stage: "what: step"."""
    progress(what)
    outer = _listener.get()
    if outer is None:
        yield
        return
    with heard_by(lambda step, done, total: outer(f"{what}: {step}", done, total)):
        yield


@contextmanager
def counted(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A pass over `total` rows; it gives what is called with the number of rows done.

    Nothing else is shown inside: of a table that is encoded not how far it is read as well.
    """
    outer = _listener.get()

    log_step(f"{what} {total:,} rows" if total else what)

    def count(done: int) -> None:
        if outer is not None:
            outer(what, done, total)

    count(0)
    with heard_by(None):
        yield count


_step = ContextVar("step", default="")


def log_step(what: str) -> None:
    """Once, when it begins: its name without the numbers that tell how far it is."""
    name = re.sub(r"[\d.,%]+", "", what)
    if name != _step.get():
        _step.set(name)
        log(what)


def log(text: str) -> None:
    """To the logger "rosenblatt"; nobody looks there who has not imported `logging`."""
    if (logging := sys.modules.get("logging")) is not None:
        logging.getLogger("rosenblatt").info(one_line(text))


def note(text: str) -> None:
    """One sentence in between, whoever listens."""
    print(one_line(text), file=sys.stderr)


# --- Being stopped ------------------------------------------------------------------------------


_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def check_interrupt() -> None:
    """Called between chunks of work, where the state is consistent; does nothing by default."""
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def interrupted_by(check: Callable[[], None] | None) -> Iterator[None]:
    """Inside, `check_interrupt` calls `check`, which raises to stop the work; None: nothing stops
    it. Whoever was asked outside is asked again afterwards."""
    outer = _check.set(check)
    try:
        yield
    finally:
        _check.reset(outer)


@contextmanager
def to_the_end() -> Iterator[None]:
    """Ctrl-C does not stop what is done here: a matter of seconds."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# --- Drawing -------------------------------------------------------------------------------------

DESCRIPTION = "{task.description}"


@contextmanager
def shown(*, quiet: bool = False, lines: bool = False) -> Iterator[None]:
    """What is said inside is shown on a bar; where nobody looks nothing is, or with `lines` a line
    each. Quiet: whoever listened outside goes on listening."""
    if quiet:
        yield
        return
    bar = rich_bar(None, DESCRIPTION, "elapsed", width=20) if _seen() else None
    if bar is None:
        with heard_by(lambda what, done, total: note(what)) if lines else nullcontext():
            yield
        return
    with bar:
        task = bar.add_task("", total=1)

        def show(what: str, done: float | None, total: float | None) -> None:
            completed = 0 if done is None or total is None else done
            bar.update(task, description=one_line(what), completed=completed, total=total)

        with heard_by(show):
            yield


def _seen() -> bool:
    """Before rich is imported, which takes a while."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def shown_with_pace(*, quiet: bool) -> Iterator[None]:
    """Passes over rows that are `counted` inside: rows so far and per second on a bar, or a line
    now and then, and one when a pass is over."""
    if quiet:
        yield
        return
    passes = _Passes()
    try:
        with heard_by(passes):
            yield
    finally:
        passes.end()


LINES_APART = 10.0  # seconds, where there is no terminal


@final
class _Passes:
    """Draws one pass over rows after the other."""

    def __init__(self) -> None:
        self._bar = rich_bar(DESCRIPTION, None, "remaining", takes_output=True)
        self._task: Any = None
        self._what, self._done, self._total = "", 0, 0
        self._start = self._said = 0.0

    def __call__(self, what: str, done: float | None, total: float | None) -> None:
        if what != self._what or not done:
            self._begin(what, int(total or 0))
        self._done = int(done or 0)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, description=self._now())
        elif time.monotonic() - self._said > LINES_APART:
            self._said = time.monotonic()
            print(self._now(), file=sys.stderr)

    def _begin(self, what: str, total: int) -> None:
        self.end()
        self._what, self._total = what, total
        self._start = self._said = time.monotonic()
        if self._bar is not None:
            self._task = self._bar.add_task(what, total=total or None)
            self._bar.start()

    def _now(self) -> str:
        rate = self._done / max(time.monotonic() - self._start, 1e-9)
        share = f" ({self._done / self._total:.0%})" if self._total else ""
        return one_line(
            f"{self._what.capitalize()}: {self._done:,} rows{share}, {rate:,.0f} a second"
        )

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            for task in self._bar.task_ids:
                self._bar.remove_task(task)
        if self._done:
            print(self._now(), file=sys.stderr)
            self._done = 0


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
