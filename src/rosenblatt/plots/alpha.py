"""α by row: how often each row had to be learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt._tracing.run import Floats
from rosenblatt._util.text import many
from rosenblatt._validation import parameters, targets
from rosenblatt._validation.targets import class_weights, sample_weights, weigh
from rosenblatt.errors import InputError
from rosenblatt.online import AROW, PassiveAggressive, Relaxation
from rosenblatt.perceptron import Perceptron
from rosenblatt.plots import style
from rosenblatt.plots.display import Display
from rosenblatt.plots.scene import looks

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_MOST = 5_000


@final
class AlphaDisplay(Display):
    """α_i = η c_i · (updates of row i), by row: w is w₀ + Σ α_i y_i x_i.

    Of more than two classes row i was added to its own with α_i, and taken from its rivals with
    as much together. The rows with the largest α are the hardest to place, and their numbers are
    written beside them.

    Attributes
    ----------
    alpha : array of shape (n,)
        By row.
    y : array of shape (n,)
        -1 or +1, by row; of more than two classes their numbers.
    hardest : array of int
        The rows that are labelled, the hardest first.
    ax_, figure_
        Where it was drawn.
    points_, stems_, labels_
        The artists: one of each for each class, and the numbers that were written.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> from rosenblatt.plots import AlphaDisplay
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> p = KernelPerceptron(kernel="linear", order="cyclic", keep="last").fit(X, y)
    >>> display = AlphaDisplay.from_estimator(p, y)
    >>> display.alpha, display.hardest
    (array([2., 0., 5.]), array([2, 0]))
    """

    def __init__(
        self, alpha: Floats, y: NDArray[Any], classes: Sequence[Any] = (-1, 1), label: int = 5
    ):
        self.alpha, self.y = np.asarray(alpha, dtype=np.float64), np.asarray(y)
        self.classes = classes
        most = 0 if label == 0 else parameters.whole("label", label, also=", or 0 for none")
        order = np.argsort(-self.alpha, kind="stable")[:most]
        self.hardest = order[self.alpha[order] > 0]

    @classmethod
    def from_estimator(
        cls, estimator: Any, y: Any, *, sample_weight: Any = None, label: int = 5, ax: Any = None
    ) -> AlphaDisplay:
        """Draw α of a fitted Perceptron or KernelPerceptron.

        `y` and `sample_weight` are those of training; `label` is how many rows are labelled.
        """
        check_is_fitted(estimator)
        counts = getattr(estimator, "update_counts_", None)
        if counts is None:
            raise InputError(
                f"{type(estimator).__name__} has no update_counts_: give a Perceptron or a "
                "KernelPerceptron that was trained by fit (a stream is not counted by row)."
            )
        if isinstance(estimator, AROW | PassiveAggressive | Relaxation):
            raise InputError(
                f"The updates of {type(estimator).__name__} have lengths of their own, so that "
                "their number is no α: give a Perceptron or a KernelPerceptron."
            )
        if isinstance(estimator, Perceptron) and (
            estimator.signs is not None or estimator.decay or estimator.penalty is not None
        ):
            raise InputError(
                "With signs, decay or a penalty the weights are no sum of rows by their updates, "
                "and rows have no α. MistakesDisplay shows the updates of each epoch."
            )
        n, classes = counts.shape[0], estimator.classes_
        c = sample_weights(sample_weight, n)
        present = None if c is None else c != 0
        codes = targets.encoded(targets.labels(y, n), classes, present)
        by_class = class_weights(estimator.class_weight, classes, codes, c)
        c = weigh(c, codes, by_class)
        made = counts if counts.ndim == 1 else _of_own_class(counts.toarray(), codes)
        alpha = estimator.eta0 * made * (1.0 if c is None else c)
        return cls(alpha, codes, classes.tolist(), label).plot(ax=ax)

    @classmethod
    def from_trace(
        cls, trace: Trace, step: int | None = None, *, label: int = 5, ax: Any = None
    ) -> AlphaDisplay:
        """Draw α after so many steps of a trace, by default after the last."""
        k = len(trace) if step is None else step
        alpha, y = trace.alpha_at(k), trace.replay.run.y
        alpha = alpha if alpha.ndim == 1 else _of_own_class(alpha, y)
        display = cls(alpha, y, trace.replay.about.classes, label).plot(ax=ax)
        style.title(display.ax_, f"After step {k} of {len(trace)}: {display._words()}")
        return display

    def _words(self) -> str:
        learned = int(np.count_nonzero(self.alpha))
        return f"{learned:,} of {many(len(self.alpha), 'row')} made updates"

    def _draw(self, ax: Any) -> None:
        rows = np.flatnonzero(self.alpha)
        notes = [] if len(rows) == len(self.alpha) else ["Rows with α = 0 are left out."]
        if len(rows) > _MOST:
            notes.append(f"Of {len(rows):,} rows the {_MOST:,} with the largest α are shown.")
            rows = np.sort(np.argsort(-self.alpha, kind="stable")[:_MOST])
        size = 50 if len(rows) <= 300 else 12
        self.points_, self.stems_ = [], []
        for code, name, (colour, shape) in looks(self.classes):
            some = rows[self.y[rows] == code]
            self.stems_.append(
                ax.vlines(some, 0, self.alpha[some], color=colour, linewidth=1.2, zorder=1)
            )
            points = np.column_stack([some, self.alpha[some]])
            self.points_.append(style.dots(ax, points, size, colour, shape, zorder=2, label=name))
        top = float(self.alpha.max(initial=0.0)) or 1.0
        ax.set_ylim(0, 1.15 * top)
        pad = max(0.5, 0.03 * len(self.alpha))
        ax.set_xlim(-pad, len(self.alpha) - 1 + pad)
        self._label(ax, top)
        style.whole_ticks(ax.xaxis)
        handles = self.points_[::-1] if len(self.classes) == 2 else self.points_
        style.frame(ax, ("row", "α = η c · updates"), self._words(), notes, handles)

    def _label(self, ax: Any, top: float) -> None:
        """Numbers of the hardest rows, where they do not cover each other."""
        self.labels_: list[Any] = []
        taken: list[tuple[float, float]] = []
        for i in self.hardest.tolist():
            x, y = i / max(len(self.alpha), 1), self.alpha[i] / (1.15 * top)
            if any(abs(x - a) < 0.12 and abs(y - b) < 0.08 for a, b in taken):
                continue
            taken.append((x, y))
            self.labels_.append(
                ax.annotate(
                    f"row {i}",
                    xy=(i, self.alpha[i]),
                    xytext=(0, 7),
                    textcoords="offset points",
                    ha="center",
                    fontsize="small",
                )
            )


def _of_own_class(values: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """From values by row and class."""
    return np.asarray(values[np.arange(len(y)), y])
