"""Why the 0-1 loss cannot be followed downhill: it and the perceptron loss along a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Examples
from rosenblatt._tracing.run import Floats
from rosenblatt.errors import InputError
from rosenblatt.plots import scene, style
from rosenblatt.plots.display import Display
from rosenblatt.theory import given

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_MOST = 1_000  # corners that are computed exactly; more cannot be told apart
_BEYOND = 0.25  # of the way, on either side
_BLOCK = 1 << 22


@final
class LossLineDisplay(Display):
    """Both losses at (1 - t)·w_start + t·w_end, for t from a little before 0 to a little after 1.

    The 0-1 loss (mistakes) is flat but for jumps: its slope is 0 and says nothing about where to
    go. The perceptron loss -Σ y_i (w·x_i + b) over the mistakes is made of slopes.

    Attributes
    ----------
    t : array
        Ends of the intervals between which no row changes its side.
    zero_one : array, one shorter
        Mistakes (their weight, where rows have weights) within each interval.
    perceptron : array
        The perceptron loss at each t.
    ax_, ax2_, figure_
        Where it was drawn: mistakes on the left axis, the perceptron loss on the right one.
    stairs_, line_
        The artists.

    Examples
    --------
    >>> from rosenblatt.plots import LossLineDisplay
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> display = LossLineDisplay.from_weights(X, y, start=[3, 3, 1], end=[1, 1, -3])
    >>> display.zero_one
    array([1., 0., 1., 2.])
    >>> display.t.round(3)  # row 2 gets to its side at t = 7/8, row 0 leaves it at 19/16
    array([-0.25 ,  0.875,  1.188,  1.222,  1.25 ])
    """

    def __init__(self, examples: Examples, start: Floats, end: Floats, ends: tuple[str, str]):
        if np.array_equal(start, end):
            raise InputError("Both weight vectors are the same: there is no line between them.")
        self.ends = ends
        weight = np.ones(len(examples.y)) if examples.c is None else examples.c
        present = weight != 0
        at = [(examples.y * examples.rows.scores(w))[present] for w in (start, end)]
        weight = weight[present]
        self._weighted = examples.c is not None
        self.t = _corners(*at)
        middles = (self.t[1:] + self.t[:-1]) / 2
        self.zero_one = _sums(at, middles, lambda m: np.where(m > 0, 0.0, weight))
        self.perceptron = _sums(at, self.t, lambda m: weight * np.maximum(-m, 0.0))

    @classmethod
    def from_weights(
        cls, X: Any, y: Any, *, start: Any, end: Any, sample_weight: Any = None, ax: Any = None
    ) -> LossLineDisplay:
        """Draw the losses between two weight vectors: d weights, or d + 1 with the intercept."""
        e = given.examples(X, y, sample_weight)
        first, last = _lifted(start, e.rows.d, "start"), _lifted(end, e.rows.d, "end")
        return cls(e, first, last, ("start", "end")).plot(ax=ax)

    @classmethod
    def from_trace(
        cls, trace: Trace, start: int | None = None, end: int | None = None, *, ax: Any = None
    ) -> LossLineDisplay:
        """Draw the losses between the weights after two steps of a trace.

        By default from the first weights that are not zero to the last: on a ray from zero no row
        ever changes its side.
        """
        scene.of_two(trace, "LossLineDisplay")
        begin = trace.replay.features("the loss along a line").start
        first = int(not begin.any()) if start is None else start
        last = len(trace) if end is None else end
        if first == last or len(trace) == 0:
            raise InputError(
                f"A line needs two different weight vectors; this trace has {len(trace)} "
                f"steps, and start={first}, end={last}."
            )
        run = trace.replay.run
        w = [np.append(*trace.weights_at(k)) for k in (first, last)]
        names = tuple(f"w after\nstep {k}" if k else "w at\nthe start" for k in (first, last))
        return cls(Examples(run.X, run.y, run.c), w[0], w[1], (names[0], names[1])).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        other = self.ax2_ = ax.twinx()
        self.stairs_ = ax.stairs(
            self.zero_one, self.t, baseline=None, color=style.BLUE, linewidth=2.6, label="0-1 loss"
        )
        (self.line_,) = other.plot(
            self.t, self.perceptron, "--", color=style.RED, linewidth=2.2, label="perceptron loss"
        )
        ax.set_xlim(self.t[0], self.t[-1])
        ax.set_ylim(0, 1.1 * max(float(self.zero_one.max()), 1e-300))
        other.set_ylim(0, 1.1 * (float(self.perceptron.max()) or 1.0))
        for t in (0.0, 1.0):
            ax.axvline(t, color=style.GREY, linewidth=1, linestyle=":", zorder=0)
        ax.set_xticks([0.0, 0.25, 0.5, 0.75, 1.0])
        ax.set_xticklabels([self.ends[0], "", "half-way", "", self.ends[1]])
        ax.set_xlabel("along the line between two weight vectors")
        what = "weight of the mistakes" if self._weighted else "mistakes"
        ax.set_ylabel(f"0-1 loss: {what} (solid)", color=style.BLUE)
        other.set_ylabel("perceptron loss (dashed)", color=style.RED)
        other.spines["right"].set_visible(True)
        style.title(ax, "The 0-1 loss is flat and jumps; the perceptron loss slopes")


def _lifted(w: Any, d: int, name: str) -> Floats:
    values, with_intercept = given.vector(w, d, name)
    return values if with_intercept else np.append(values, 0.0)


def _corners(first: Floats, last: Floats) -> Floats:
    """Where rows change sides, and the two ends; evenly spaced where they are too many."""
    low, high = -_BEYOND, 1 + _BEYOND
    with np.errstate(divide="ignore", invalid="ignore"):
        t = first / (first - last)
    t = np.unique(t[(t > low) & (t < high)])
    if len(t) > _MOST:
        t = np.linspace(low, high, _MOST)[1:-1]
    return np.concatenate([[low], t, [high]])


def _sums(at: list[Floats], t: Floats, loss: Any) -> NDArray[np.float64]:
    """Σ loss(margins) at each t, some t at a time."""
    size = max(1, _BLOCK // max(len(at[0]), 1))
    parts = []
    for i in range(0, len(t), size):
        some = t[i : i + size, None]
        parts.append(loss((1 - some) * at[0] + some * at[1]).sum(axis=1))
    return np.concatenate(parts)
