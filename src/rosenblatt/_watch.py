"""What goes on outside while training runs: Ctrl-C is heard, progress is shown."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt._fit import State
    from rosenblatt._progress import Progress
    from rosenblatt._traces.run import Recorder


class Interrupted(Exception):  # noqa: N818 - it is not an error
    """Ctrl-C was pressed; raised between chunks of rows only, where the state is consistent."""


class Watch:
    """Holds Ctrl-C back while inside, so that training can end in an orderly way.

    Kernels run for a few hundredths of a second at a time; between them `breathe` raises
    Interrupted. On leaving, the handler that was there before gets its Ctrl-C.
    """

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self.recorder: Recorder | None = None
        self.pressed = False
        self._settled = False
        self._previous: Any = None

    def __enter__(self) -> Watch:
        # Only the main thread may set handlers, and only a Python handler can be called later.
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if callable(previous):
                self._previous = previous
                signal.signal(signal.SIGINT, self._press)
        return self

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
            if self._previous is not None:
                signal.signal(signal.SIGINT, self._previous)
        if self.pressed and kind is not KeyboardInterrupt:
            self._previous(signal.SIGINT, None)  # raises KeyboardInterrupt, unless it is custom

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed and self._settled:  # a second time, while finishing: at once
            raise KeyboardInterrupt
        self.pressed = True

    def breathe(self) -> None:
        """Called between chunks of rows."""
        if self.pressed and not self._settled:
            raise Interrupted

    def settle(self) -> None:
        """From here on the result is put together; `breathe` lets it."""
        self._settled = True

    def show(self, progress: Progress | None, state: State) -> None:
        """Training begins; where it stands is shown from here on."""
        self._progress = progress
        if progress is not None:
            progress.start(state)

    def done(self, state: State) -> None:
        """Training is over."""
        if self._progress is not None:
            self._progress.last(state)

    def chunk(self, state: State) -> None:
        """Some visits were made."""
        if self._progress is not None:
            self._progress.chunk(state)

    def judged(self, state: State) -> None:
        """The weights were compared with those kept so far."""
        if self.recorder is not None:
            self.recorder.judged(state)

    def epoch(self, state: State) -> None:
        """An epoch is over."""
        self.judged(state)
        if self._progress is not None:
            self._progress.epoch(state)
