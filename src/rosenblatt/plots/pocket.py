"""The pocket algorithm against PLA: training errors after each update of both."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, final

import numpy as np
from sklearn.base import clone

from rosenblatt._core.protocol import TIES
from rosenblatt._core.rows import Examples, Labelled
from rosenblatt._tracing.run import Floats, Ints
from rosenblatt._tracing.walk import JointSums, Sums
from rosenblatt._training.kernels import Gram
from rosenblatt.plots import scene, style
from rosenblatt.plots.display import Display

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_WORK = 2_000_000_000  # numbers looked at, at most, to count errors
_TOGETHER = 32  # weight vectors counted in one pass over the rows


@final
class PocketDisplay(Display):
    """Errors of the weights as they are (PLA), and of the best so far (pocket).

    Both make the same updates; the pocket returns the weights with the fewest errors (the least
    weight of errors, where rows have weights). Where counting after every step would take too long,
    every so many steps are counted, and the picture says so.

    Attributes
    ----------
    updates : array of int
        Updates made when the errors were counted; 0 is the start.
    pla, pocket : arrays of int
        Training rows with a margin <= 0 under the current weights, and under those in the pocket.
    ax_, figure_, lines_
        Where it was drawn, and the artists "pla" and "pocket".

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import PocketDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]  # not separable
    >>> display = PocketDisplay.from_estimator(Perceptron(order="cyclic", max_iter=4), X, y)
    >>> display.pla.min(), display.pocket[-1]
    (np.int64(2), np.int64(2))
    """

    def __init__(self, trace: Trace):
        scene.of_trace(trace)  # all rows must be there
        run = trace.replay.run
        cost = run.X.shape[0] * (run.X.shape[1] if run.linear() else 1)
        most = max(int(_WORK // max(cost, 1)), 50)
        steps = style.thinned(len(trace) + 1, most)
        self.updates, self._all = run.edges[steps], len(steps) == len(trace) + 1
        self._n, self._name = run.n, "PLA" if run.by_count else "the rule"
        count = _by_weights if run.linear() else _by_scores
        self.pla, weighted = count(trace, steps)
        best = 0
        chosen = [best := i if weighted[i] < weighted[best] else best for i in range(len(steps))]
        self.pocket = self.pla[chosen]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Any = None
    ) -> PocketDisplay:
        """Train a clone of `estimator` (whatever its `keep`), and draw both."""
        from rosenblatt._tracing.trace import trace

        style.pyplot()
        copy = clone(estimator).set_params(keep="pocket")
        return cls(trace(copy, X, y, sample_weight=sample_weight)).plot(ax=ax)

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: Any = None) -> PocketDisplay:
        """Draw both for the updates of a trace."""
        return cls(trace).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        now = f"{self._name}: the current weights"
        how: dict[str, Any] = {"drawstyle": "steps-post"}
        self.lines_ = {}
        (self.lines_["pla"],) = ax.plot(
            self.updates, self.pla, color=style.ORANGE, linewidth=1.4, label=now, **how
        )
        best = "pocket: the best so far"
        (self.lines_["pocket"],) = ax.plot(
            self.updates, self.pocket, color=style.BLUE, linewidth=3.0, label=best, **how
        )
        style.whole_ticks(ax.xaxis, ax.yaxis)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("updates")
        ax.set_ylabel(f"training errors, of {self._n:,} rows")
        ends = f"{self.pla[-1]:,} errors, the pocket {self.pocket[-1]:,}"
        style.title(ax, f"In the end {self._name} has {ends}")
        if not self._all:
            style.note(ax, [f"Counted at {len(self.updates):,} of the steps, evenly."])
        ax.legend(loc="best")


def _by_weights(trace: Trace, steps: Any) -> tuple[Ints, Floats]:
    """Mistakes after these steps, plain and by weight."""
    run, space = trace.replay.run, trace.replay.features("the pocket picture")
    examples = Examples(run.X, run.y, run.c, run.k, TIES[run.tie])
    weights = space.at(steps.tolist())
    batches = iter(lambda: list(islice(weights, _TOGETHER)), [])
    plain, weighted = zip(*map(examples.count, batches), strict=True)
    return np.concatenate(plain), np.concatenate(weighted)


def _by_scores(trace: Trace, steps: Any) -> tuple[Ints, Floats]:
    run = trace.replay.run
    assert run.kernel is not None
    gram, labels = Gram(run.kernel, run.X, 2**30), Labelled(run.y, run.c, run.k)
    function: Any = (Sums if run.k is None else JointSums)(gram, run.start)
    plain, weighted, done = [], [], 0
    for k in steps.tolist():
        for u in range(done, int(run.edges[k])):
            function.add(run.places[u], float(run.steps[u]), intercept=run.intercept)
        done = int(run.edges[k])
        wrong = labels.wrong(function.values)
        plain.append(int(np.count_nonzero(wrong)))
        weighted.append(float(run.weights[wrong].sum()))
    return np.array(plain, dtype=np.int64), np.array(weighted)
