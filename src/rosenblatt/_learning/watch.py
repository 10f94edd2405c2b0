"""What goes on outside while training runs: signals are heard, progress is shown and kept."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from rosenblatt._learning.progress import Progress
    from rosenblatt._learning.settings import Recipe, Settings
    from rosenblatt._learning.state import AnyJob, AnyState


class Recorder(Protocol):
    """Follows training from inside: what a trace is made of."""

    def begin(self, settings: Settings, job: AnyJob, state: AnyState) -> None: ...

    def judged(self, state: AnyState) -> None:
        """The weights were compared with those kept so far."""


class Callbacks(Protocol):
    """Told of every epoch."""

    fitted: Callable[[], dict[str, Any]] | None  # the attributes, had training ended

    def begin_epoch(self) -> None: ...

    def end_epoch(self) -> bool:
        """Whether training is to end."""


class Checkpoint(Protocol):
    """Where training stands, kept in a file."""

    def resume(
        self,
        recipe: Recipe,
        settings: Settings,
        seed: int | None,
        n: int,
        *,
        counted: bool,
        before: Callable[[], Recipe] | None = None,
    ) -> AnyState | None: ...

    def separate(self, c: int, classes: list[Any]) -> None:
        """multi_class="ovr": the training of class c begins, with a state of its own."""

    def write(self, state: AnyState) -> None: ...

    def chunk(self, state: AnyState) -> None:
        """Some visits were made: it may be time to write."""


class Interrupted(Exception):  # noqa: N818 - it is not an error
    """Ctrl-C or SIGTERM; raised between chunks of rows only, where the state is consistent."""


class Watch:
    """Holds Ctrl-C back while inside, so that training can end in an orderly way.

    Kernels run for a few hundredths of a second at a time; between them `check_interrupt` raises
    Interrupted. On leaving, the handler that was there before gets its Ctrl-C. Where there is a
    checkpoint to be written, the same goes for SIGTERM.
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self._progress: Progress | None = None
        self._checkpoint = checkpoint
        self.recorder: Recorder | None = None
        self.callbacks: Callbacks | None = None
        self._heard: int | None = None  # the signal
        self._settled = False
        self._previous: dict[int, Any] = {}  # handlers, by signal

    @property
    def followed(self) -> bool:
        """Somebody is told of every epoch."""
        follows = (self._progress, self._checkpoint, self.recorder, self.callbacks)
        return any(who is not None for who in follows)

    @property
    def pressed(self) -> bool:
        """Ctrl-C or its like was heard."""
        return self._heard is not None

    def __enter__(self) -> Watch:
        # Only the main thread may set handlers.
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if callable(previous):  # only a Python handler can be called later
                self._hear(signal.SIGINT, previous)
            previous = signal.getsignal(signal.SIGTERM)
            if self._checkpoint is not None and previous not in (signal.SIG_IGN, None):
                self._hear(signal.SIGTERM, previous)
        return self

    def _hear(self, number: int, previous: Any) -> None:
        self._previous[number] = previous
        signal.signal(number, self._press)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._progress is not None:
                self._progress.stop()
        finally:
            for number, previous in self._previous.items():
                signal.signal(number, previous)
        if self._heard is None or kind is KeyboardInterrupt:
            return
        previous = self._previous[self._heard]
        if callable(previous):
            previous(self._heard, None)  # raises KeyboardInterrupt, unless it is custom
        else:
            os.kill(os.getpid(), self._heard)  # the process ends, as it would have without us

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed and self._settled:  # a second time, while finishing: at once
            raise KeyboardInterrupt
        if self._heard != signal.SIGTERM:  # Ctrl-C does not take it back
            self._heard = number

    def check_interrupt(self) -> None:
        """Called between chunks of rows."""
        if self.pressed and not self._settled:
            raise Interrupted

    def settle(self) -> None:
        """From here on the result is put together; `check_interrupt` lets it."""
        self._settled = True

    def next(self) -> None:
        """One training is over, another one of the same fit begins."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        self._settled = False

    def show(self, progress: Progress | None, state: AnyState) -> None:
        """Training begins; where it stands is shown, and kept, from here on."""
        if self._checkpoint is not None:
            self._checkpoint.write(state)  # a folder that cannot be written is an error now
        self._progress = progress
        if progress is not None:
            progress.start(state)

    def done(self, state: AnyState) -> None:
        """Training is over."""
        if self._checkpoint is not None:
            self._checkpoint.write(state)
            if self._heard is not None and not callable(self._previous[self._heard]):
                raise SystemExit(128 + self._heard)  # nobody will see a result
        if self._progress is not None:
            self._progress.last(state)

    def chunk(self, state: AnyState) -> None:
        """Some visits were made."""
        if self._checkpoint is not None:
            self._checkpoint.chunk(state)
        if self._progress is not None:
            self._progress.chunk(state)

    def judged(self, state: AnyState) -> None:
        """The weights were compared with those kept so far."""
        if self.recorder is not None:
            self.recorder.judged(state)

    def begin_epoch(self) -> None:
        """An epoch begins."""
        if self.callbacks is not None:
            self.callbacks.begin_epoch()

    def epoch(self, state: AnyState) -> bool:
        """An epoch is over. True: somebody wants training to end."""
        self.judged(state)
        if self._checkpoint is not None:
            self._checkpoint.chunk(state)
        if self._progress is not None:
            self._progress.epoch(state)
        return self.callbacks is not None and self.callbacks.end_epoch()
