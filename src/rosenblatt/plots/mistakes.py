"""Mistakes per epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._tracing.run import Ints
from rosenblatt._training.estimator import Training
from rosenblatt._util.text import many
from rosenblatt.errors import InputError
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.perceptron import Perceptron
from rosenblatt.plots import style
from rosenblatt.plots.display import Display

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_MANY, _BINS = 200, 80  # epochs that are drawn one by one; bins of more


@final
class MistakesDisplay(Display):
    """How many rows made an update in each epoch, and the fewest so far.

    These are not the errors of one rule, because the weights change within an epoch. Where a trace
    knows them, the errors of the weights kept so far are drawn, too.

    Attributes
    ----------
    mistakes, fewest : arrays of int, by epoch
        How many rows made an update; the fewest in an epoch so far.
    kept : array of int or None
        By epoch, the errors of the weights kept after it.
    validation : array of int or None
        By epoch, the errors on the validation rows, where there were any.
    ax_, figure_, lines_
        Where it was drawn, and the artists by name.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import MistakesDisplay
    >>> p = Perceptron(order="cyclic", keep="last").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> MistakesDisplay.from_estimator(p).mistakes
    array([2, 1, 1, 2, 1, 0])
    """

    def __init__(
        self,
        mistakes: Ints,
        *,
        margin: float = 0.0,
        joint: bool = False,
        below: bool = False,
        falls: bool = False,
        kept: Ints | None = None,
        validation: Ints | None = None,
    ):
        self.mistakes = np.asarray(mistakes, dtype=np.int64)
        if not len(self.mistakes):
            raise InputError("There is no epoch to draw.")
        self.fewest = np.minimum.accumulate(self.mistakes)
        self.margin, self.kept, self.validation = margin, kept, validation
        self._below = below  # margins must reach it, and need not exceed it
        self._falls = falls and margin > 0  # it begins there, and ends at 0
        self._margin = "s_y − s_r" if joint else "y·score"  # of a row, before an update

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> MistakesDisplay:
        """Draw `mistakes_` (and `validation_mistakes_`) of a fitted estimator."""
        check_is_fitted(estimator)
        if not isinstance(estimator, Training):
            raise InputError(
                f"{type(estimator).__name__} has no mistakes_ by epoch: give a Perceptron or a "
                "KernelPerceptron."
            )
        validation = getattr(estimator, "validation_mistakes_", None)
        joint = len(estimator.classes_) > 2 and getattr(estimator, "multi_class", "joint") != "ovr"
        how: dict[str, Any] = {"margin": 1.0, "below": True}
        if isinstance(estimator, Perceptron | KernelPerceptron):
            how = {"margin": estimator.margin_, "falls": estimator.margin == "auto"}
        return cls(estimator.mistakes_, joint=joint, validation=validation, **how).plot(ax=ax)

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: Any = None) -> MistakesDisplay:
        """Draw the mistakes of a trace, with the errors of the weights that were kept."""
        run, estimator = trace.replay.run, trace.estimator
        if estimator is not None:
            mistakes = estimator.mistakes_
        else:  # read from a file: epochs without an update left no mark there
            mistakes = np.bincount(run.epochs, minlength=2)[1:]
        validation = getattr(estimator, "validation_mistakes_", None)
        kept = None if validation is not None else _kept(trace.kept, mistakes)
        margin, joint, below = run.eta * run.margin, run.k is not None, not run.by_count
        display = cls(
            mistakes, margin=margin, joint=joint, below=below, kept=kept, validation=validation
        )
        return display.plot(ax=ax)

    def _of_many(self, ax: Any) -> tuple[Any, str, str, str, str]:
        """Hundreds of epochs: their mean in each of some bins, and a band from fewest to most."""
        bins = np.array_split(self.mistakes, _BINS)
        at = np.linspace(1, len(self.mistakes), _BINS)
        low, high = ([int(f(part)) for part in bins] for f in (np.min, np.max))
        ax.fill_between(at, low, high, color=style.GREY, alpha=0.25, linewidth=0, step="mid")
        means = np.array([part.mean() for part in bins])
        return means, "in an epoch: mean, range", style.GREY, "-", ""

    def _draw(self, ax: Any) -> None:
        call = f"≤ {'0' if self.margin == 0 else f'μ = {style.number(self.margin)}'}"
        if self._below:
            call = f"< {style.number(self.margin)}"
        elif self._falls:
            call = f"≤ μ, which falls from {style.number(self.margin)} to 0,"
        curves: dict[str, tuple[Any, str, str, str, str]] = {
            "mistakes": (self.mistakes, "in this epoch", style.GREY, "-", "o"),
            "fewest": (self.fewest, "fewest so far", style.BLUE, "--", ""),
            "kept": (self.kept, "errors of the\nkept weights", style.RED, ":", "s"),
            "validation": (
                self.validation,
                "errors on the\nvalidation rows",
                style.GREEN,
                ":",
                "D",
            ),
        }
        if len(self.mistakes) > _MANY:
            curves["mistakes"] = self._of_many(ax)
        self.lines_ = {
            name: style.curve(ax, np.linspace(1, len(self.mistakes), len(values)), values, *look)
            for name, (values, *look) in curves.items()
            if values is not None
        }
        self.lines_["fewest"].set_drawstyle("steps-post")
        style.whole_ticks(ax.xaxis, ax.yaxis)
        ax.set_ylim(bottom=0)
        ax.set_xlim(left=0.5)
        last = many(int(self.mistakes[-1]), "row")
        headline = f"{many(len(self.mistakes), 'epoch')}: {last} made an update in the last"
        words = f"A row makes an update where {self._margin} {call} when it is visited."
        style.frame(ax, ("epoch", "rows"), headline, [words])


def _kept(judged: list[tuple[int, int]], mistakes: Ints) -> Ints | None:
    """The newest judgement at the end of each epoch."""
    if not judged:
        return None
    updates, errors = np.array(judged).T
    ends = np.cumsum(mistakes)
    at = np.searchsorted(updates, ends, side="right") - 1
    return None if (at < 0).any() else np.asarray(errors[at])
