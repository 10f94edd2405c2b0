"""What goes on beside training: Ctrl-C is heard, progress is shown, checkpoints are written."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from rosenblatt._util.progress import DESCRIPTION, LINES_APART, interrupted_by, log, rich_bar
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._training.estimator import Training
    from rosenblatt._training.settings import Recipe, Settings
    from rosenblatt._training.state import AnyJob, AnyState, Candidate
    from rosenblatt._training.training import Given, OneTraining


class Recorder(Protocol):
    """Follows training from inside: what a trace is made of."""

    def begin(self, settings: Settings, job: AnyJob, state: AnyState) -> None: ...

    def judged(self, state: AnyState) -> None:
        """The weights were compared with those kept so far."""


class EpochCallbacks(Protocol):
    """Told of every epoch."""

    def begin_epoch(self) -> None: ...

    def end_epoch(self) -> bool:
        """Whether training is to end."""


class Checkpoint(Protocol):
    """Where training stands, kept in a file."""

    def resume(
        self, recipe: Recipe, settings: Settings, seed: int | None, n: int, *, counted: bool
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
        self.callbacks: EpochCallbacks | None = None
        self._heard: int | None = None  # the signal
        self._settled = False
        self._logged = time.monotonic()
        self._previous: dict[int, Any] = {}  # handlers, by signal

    @property
    def followed(self) -> bool:
        follows = (self._progress, self._checkpoint, self.recorder, self.callbacks)
        return any(who is not None for who in follows)

    @property
    def pressed(self) -> bool:
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
        if self.pressed and not self._settled:
            raise Interrupted

    def settle(self) -> None:
        """From here on the result is put together; `check_interrupt` lets it."""
        self._settled = True

    def next(self) -> None:
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
        if self._checkpoint is not None:
            self._checkpoint.write(state)
            if self._heard is not None and not callable(self._previous[self._heard]):
                raise SystemExit(128 + self._heard)  # nobody will see a result
        if self._progress is not None:
            self._progress.last(state)

    def chunk(self, state: AnyState) -> None:
        if self._checkpoint is not None:
            self._checkpoint.chunk(state)
        if self._progress is not None:
            self._progress.chunk(state)
        if time.monotonic() - self._logged > LINES_APART:
            self._logged = time.monotonic()
            log(f"training: epoch {state.epoch + 1}, {state.updates:,} updates")

    def judged(self, state: AnyState) -> None:
        if self.recorder is not None:
            with interrupted_by(None):
                self.recorder.judged(state)

    def begin_epoch(self) -> None:
        if self.callbacks is not None:
            with interrupted_by(None):
                self.callbacks.begin_epoch()

    def epoch(self, state: AnyState) -> bool:
        self.judged(state)
        if self._checkpoint is not None:
            self._checkpoint.chunk(state)
        if self._progress is not None:
            self._progress.epoch(state)
        if self.callbacks is None:
            return False
        with interrupted_by(None):
            return self.callbacks.end_epoch()


# --- verbose=1: one progress bar, or plain lines where there is no terminal; on stderr -----------


class Progress:
    """Shows epoch, mistakes in it, and the best so far: of the kept weights, else of any epoch.

    Where none were evaluated yet, the kept weights are the zeros that training begins with.

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
            print(f"{self._name} resumes {where} epoch {state.epoch}", file=sys.stderr)

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
            kept = _evaluated(state)
            best = "" if kept is None else f", best so far {kept.mistakes}"
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
        if self._printed != state.epoch:
            self.chunk(state)
            self._line(state)

    def _line(self, state: AnyState) -> None:
        self._printed = state.epoch
        if self._bars:
            return
        finished = state.mistakes[:-1] if state.under_way else state.mistakes
        best = ""
        if (kept := _evaluated(state)) is not None:
            best = f", best so far {kept.mistakes} of {self._judged} wrong"
        elif finished:
            best = f", fewest in an epoch {min(finished)}"
        print(f"{self._name} {self._now(state)}{best}{self._pace(state)}", file=sys.stderr)


def _evaluated(state: AnyState) -> Candidate[Any] | None:
    return state.kept if state.kept is not None and state.kept.weights.any() else None


# --- Callbacks of scikit-learn, from its version 1.9 on ------------------------------------------
#
# A fit is a task, each of its epochs another. `estimator.set_callbacks(...)` names them. They may
# look at the estimator as it would be if training ended with this epoch, and one that answers True
# ends it.


class TakesCallbacks:
    """scikit-learn's `CallbackSupportMixin`, which loads a progress bar when it is imported."""

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Callbacks of scikit-learn that are told of every fit and its epochs; none: no more."""
        import sklearn

        try:
            from sklearn.callback import CallbackSupportMixin
        except ImportError:
            raise InputError(
                f"scikit-learn has callbacks from version 1.9 on, and this is {sklearn.__version__}"
                ": install a newer one, or use verbose=1 to see the epochs."
            ) from None
        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self


class Callbacks:
    """The callbacks of one fit."""

    def __init__(self, estimator: Any, context: Any, **given: Any):
        self.estimator, self._context = estimator, context
        self._given = given  # X, y, metadata
        self._epoch: Any = None  # the context of the epoch under way
        self._training: OneTraining | None = None

    def follow(self, training: OneTraining) -> None:
        self._training = training
        training.job.watch.callbacks = self

    def begin_epoch(self) -> None:
        self._epoch = self._context.subcontext(task_name="epoch")
        self._epoch.call_on_fit_task_begin(estimator=self.estimator, **self._given)

    def end_epoch(self) -> bool:
        if self._epoch is None:  # it had begun in the fit before
            self.begin_epoch()
        epoch, self._epoch = self._epoch, None
        assert self._training is not None
        attributes = self._training.attributes  # computed where somebody wants them
        return bool(
            epoch.call_on_fit_task_end(
                estimator=self.estimator, **self._given, reconstruction_attributes=attributes
            )
        )

    def end(self) -> None:
        if self._epoch is not None:  # it was cut short
            self._epoch.call_on_fit_task_end(estimator=self.estimator)
        self._context.call_on_fit_task_end(
            estimator=self.estimator, **self._given, reconstruction_attributes={}
        )


def are_set(estimator: Training) -> bool:
    return "_skl_callbacks" in vars(estimator) or "_parent_callback_ctx" in vars(estimator)


def managed(fit: Callable[..., Any]) -> Callable[..., Any]:
    """`fit`, after which those who were set up for the estimator are taken down, in any case."""
    from sklearn.callback import with_callbacks

    until_the_end: Callable[..., Any] = with_callbacks(fit)
    return until_the_end


def begun(estimator: Training, max_iter: int, given: Given) -> Callbacks | None:
    if not are_set(estimator):
        return None
    from sklearn.callback import CallbackSupportMixin

    metadata = None if given.sample_weight is None else {"sample_weight": given.sample_weight}
    begin = CallbackSupportMixin._init_callback_context  # documented for those who support them
    context = begin(estimator, max_subtasks=max_iter)
    of_fit = {"X": given.X, "y": given.y, "metadata": metadata}
    context.call_on_fit_task_begin(estimator=estimator, **of_fit)
    return Callbacks(estimator, context, **of_fit)
