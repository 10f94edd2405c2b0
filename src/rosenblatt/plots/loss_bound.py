"""The theorems of PassiveAggressive and AROW as a picture: two sums, of which one is the larger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from rosenblatt._tracing.verdict import floats
from rosenblatt._util.text import many
from rosenblatt.errors import InputError
from rosenblatt.plots import style
from rosenblatt.plots.display import Display

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_LEFT = {"PA-I": "Σ τℓ", "PA-II": "Σ ℓ²", "AROW": "Σ ℓ²(v + 2r)/(v + r)²"}
_RIGHT = {
    "PA-I": "‖w₀ − u‖² + 2 Σ Cℓ(u)",
    "PA-II": "max(q + 1/(2C)) (‖w₀ − u‖²\n+ 2 Σ Cℓ(u)²)",
    "AROW": "‖w₀ − u‖² + 2 Σ αℓ(u)\n+ Σ Σ (x²/r)(w − u)²",
}
_DISTANCE = {"PA-I": "‖w − u‖²", "PA-II": "‖w − u‖²", "AROW": "Σ p (w − u)²"}


@final
class LossBoundDisplay(Display):
    """What the losses of PassiveAggressive or AROW add up to, and what they cannot exceed.

    Both sums are over the updates, and hold for any weights u: those that the trace was given, a
    separator, or the mean of the weights on the way. ℓ is the loss at an update, ℓ(u) that of u on
    the same row; docs/theory.md has the theorems.

    Attributes
    ----------
    k : array of int
        Updates.
    left, right : arrays
        Both sides after each of them.
    distance : array
        How far w is from u: ‖w - u‖², of AROW Σ p (w - u)².
    mistakes, bound : int
        Updates at a margin of 0 or less, and how many the theorem allows.
    ax_, figure_
        Where it was drawn.
    lines_ : dict
        "left", "right", "distance": the artists.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive, trace
    >>> from rosenblatt.plots import LossBoundDisplay
    >>> t = trace(PassiveAggressive(order="cyclic"), [[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = LossBoundDisplay.from_trace(t)
    >>> display.mistakes, display.bound
    (13, 119)
    """

    def __init__(self, trace: Trace):
        replay, run = trace.replay, trace.replay.run
        if replay.losses is None:
            raise InputError(
                "LossBoundDisplay is about PassiveAggressive and AROW; SqueezeDisplay shows the "
                "theorem of the perceptron."
            )
        replay.need_all_rows("the theorem is about all rows")
        known = replay.losses.known
        if known is None:
            raise InputError("This trace is no record of its rule; trace.check() says why.")
        self.k, self._rule, self._u = np.arange(len(trace) + 1), run.rule, replay.compared_with
        self.left, self.right = (floats(side) for side in known.sums())
        self.distance, self.bound = known.distances, known.bound
        self.mistakes = int((run.margins <= 0).sum())

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: Any = None) -> LossBoundDisplay:
        """Draw it for a trace."""
        return cls(trace).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        self.lines_ = {
            "right": style.curve(ax, self.k, self.right, _RIGHT[self._rule], style.RED, "--"),
            "left": style.curve(ax, self.k, self.left, _LEFT[self._rule], style.BLUE, "-", "o"),
            "distance": style.curve(
                ax, self.k, self.distance, _DISTANCE[self._rule], style.GREY, ":"
            ),
        }
        positive = self.left[self.left > 0]
        if len(positive) and self.right.max() > 30 * self.left.max():  # far apart
            ax.set_yscale("log")
        ax.set_xlim(left=0)
        style.whole_ticks(ax.xaxis)
        allowed = "any number" if self.bound is None else f"{self.bound:,}"
        headline = f"{many(self.mistakes, 'mistake')}, and the theorem allows {allowed}"
        style.frame(ax, ("updates", "losses so far"), headline, [self._u])
