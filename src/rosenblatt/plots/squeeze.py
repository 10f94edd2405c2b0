"""The convergence proof as a picture: two curves that must not cross, and training between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np

from rosenblatt._tracing.run import Floats
from rosenblatt._util.text import many
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError
from rosenblatt.plots import style
from rosenblatt.plots.display import Display

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


@final
class SqueezeDisplay(Display):
    """After k updates kγ <= ⟨w, ŵ*⟩ <= ‖w‖ <= √k·R, so that k cannot exceed (R/γ)².

    The curves have the form that holds for the run, in the lifted space and times η. From a start
    w₀ they are ⟨w₀, ŵ*⟩ + kγ and √(‖w₀‖² + kβ²), where β² = max‖c_i x̃_i‖² + 2μ max c_i / η. That is
    R² without weights and margin. With order="batch" a row counts as often as the largest step has
    rows. With more than two classes it counts twice, since w is the weights of all classes. γ is
    the homogeneous margin of w*. Without a w* only the upper curve is there.

    Attributes
    ----------
    k : array of int
        Updates after each step.
    product, norm : arrays
        ⟨w, ŵ*⟩ (None without w*) and ‖(w, b)‖ there.
    gamma, beta, eta : float
        γ (None without a w* that separates) and β in units of η, and η.
    bound : int or None
        The most updates that the theorem allows.
    ax_, figure_
        Where it was drawn.
    lines_ : dict
        "product", "norm", "lower", "upper", "bound": the artists.

    Examples
    --------
    >>> from rosenblatt import Perceptron, trace
    >>> from rosenblatt.plots import SqueezeDisplay
    >>> t = trace(Perceptron(order="cyclic", keep="last"), [[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = SqueezeDisplay.from_trace(t)
    >>> len(t), display.bound, round(display.gamma, 4), round(display.beta, 4)
    (7, 117, 0.4714, 5.099)
    """

    def __init__(self, trace: Trace):
        replay, run = trace.replay, trace.replay.run
        replay.need_all_rows("the check is about all rows")
        if not run.by_count:
            raise InputError(
                "The squeeze is the perceptron's theorem, which does not hold for this rule: "
                "LossBoundDisplay.from_trace shows its own."
            )
        constants = replay.constants
        assert constants is not None
        self.k, self.norm, self.eta = run.edges, trace.norm, run.eta
        self.product, self.gamma, self.bound = None, None, trace.bound
        self.why = "" if replay.star is not None else replay.why_no_star
        self._batch, self._margin = run.order == "batch", run.margin > 0
        self._weights, self._lifted = run.c is not None, run.intercept
        self._joint = run.k is not None
        self._plain = not (self._batch or self._margin or self._weights or self._joint)
        if replay.star is not None:
            self.product = trace.product
            if constants.separated:
                self.gamma = constants.gamma
            elif constants.least > 0:
                self.why = "the kernel is no inner product: ‖w*‖² is not positive."
            else:
                self.why = f"w* does not have row {constants.row} on its right side."
        self.beta = math.sqrt(float(constants.growth))

    @classmethod
    def from_trace(cls, trace: Trace, *, scale: str = "log", ax: Any = None) -> SqueezeDisplay:
        """Draw it for a trace; with scale="linear" the axes are."""
        return cls(trace).plot(scale=scale, ax=ax)

    def lower(self, k: Any) -> Floats:
        """⟨w₀, ŵ*⟩ + ηkγ: ⟨w, ŵ*⟩ is not below it after k updates."""
        assert self.product is not None
        assert self.gamma is not None
        return np.asarray(self.product[0] + self.eta * np.asarray(k) * self.gamma)

    def upper(self, k: Any) -> Floats:
        """√(‖w₀‖² + η²kβ²): ‖w‖ is not above it after k updates."""
        return np.asarray(np.sqrt(self.norm[0] ** 2 + np.asarray(k) * (self.eta * self.beta) ** 2))

    def plot(self, *, scale: str = "log", ax: Any = None) -> SqueezeDisplay:
        """Draw it, on the given axes or on a new figure."""
        parameters.one_of("scale", scale, ("log", "linear"))
        return self._drawn(ax, scale)

    def _draw(self, ax: Any, scale: str) -> None:
        end = max(int(self.k[-1]), self.bound or 0, 1)
        reach = _ticks(1 if scale == "log" else 0, 1.5 * end if scale == "log" else 1.1 * end)
        some = self.k > 0 if scale == "log" else self.k >= 0  # 0 has no place on it
        k = self.k[some]
        self.lines_: dict[str, Any] = {}
        self._curve(ax, "upper", reach, self.upper(reach), self._upper_name(), style.RED, "--")
        norm, product = f"‖{self._vector}‖", f"⟨{self._vector}, ŵ*⟩"
        self._curve(ax, "norm", k, self.norm[some], norm, style.RED, "-", "s")
        if self.product is not None:
            y = self.product[some]
            self._curve(ax, "product", k, y, product, style.BLUE, "-", "o", linewidth=3)
        if self.gamma is not None:
            below = self.lower(reach)
            self._curve(ax, "lower", reach, below, self._lower_name(), style.BLUE, ":")
            room = self.upper(reach) >= below
            ax.fill_between(
                reach, below, self.upper(reach), where=room, color=style.LIGHT, alpha=0.6, zorder=0
            )
            words = f"the bound: {self.bound:,} updates"
            self.lines_["bound"] = ax.axvline(
                self.bound, color=style.BLACK, linestyle="-.", linewidth=1.4, label=words
            )
        self._frame(ax, scale, reach)

    @property
    def _vector(self) -> str:
        return "(w, b)" if self._lifted else "w"

    def _curve(self, ax: Any, name: str, *look: Any, **how: Any) -> None:
        self.lines_[name] = style.curve(ax, *look, markersize=5, **how)

    def _frame(self, ax: Any, scale: str, reach: Floats) -> None:
        if scale == "log":
            ax.set_xscale("log")
            ax.set_yscale("log")
            positive = [line.get_ydata() for name, line in self.lines_.items() if name != "bound"]
            smallest = min(float(y[y > 0].min()) for y in positive if (y > 0).any())
            largest = float(self.upper(reach).max())
            ax.set_ylim(max(smallest / 1.3, largest * 1e-4), largest * 1.3)
            ax.set_xlim(reach[0] / 1.1, reach[-1])
        else:
            ax.set_xlim(0, reach[-1])
        made = many(int(self.k[-1]), "update")
        names = "updates k", "length" if self.eta == 1 else "length (η in it)"
        if self.gamma is None:
            why = style.text(self.why[:1].upper() + self.why[1:], 300)
            style.frame(ax, names, f"{made}; no bound, for there is no γ", [why])
        else:
            allowed = f"{made}, and the theorem allows {self.bound:,}"
            style.frame(ax, names, allowed, [self._form()])

    # --- In words ---

    def _lower_name(self) -> str:
        start = "⟨w₀, ŵ*⟩ + " if self.product is not None and self.product[0] else ""
        return f"{start}{'η' if self.eta != 1 else ''}kγ"

    def _upper_name(self) -> str:
        size = "R" if self._plain else "β"
        if self.norm[0]:
            return f"√(‖w₀‖² + {'η²' if self.eta != 1 else ''}k{size}²)"
        return f"{'η' if self.eta != 1 else ''}√k·{size}"

    def _form(self) -> str:
        gamma, beta = style.number(self.gamma or 0.0), style.number(self.beta)
        where = "x̃ = (x, 1)" if self._lifted else "x̃ = x"
        row = "c x̃" if self._weights else "x̃"
        words = f"γ = {gamma} (homogeneous margin of w*, {where}), "
        if self._plain:
            return f"{words}R = max‖x̃‖ = {beta}."
        most = ("max|M|·" if self._batch else "") + ("2·" if self._joint else "")
        extra = f" + 2μ{'·max c' if self._weights else ''}/η" if self._margin else ""
        last = " M: the mistakes of one batch step." if self._batch else ""
        return f"{words}β = {beta}, β² = {most}max‖{row}‖²{extra}.{last}"


def _ticks(first: float, last: float) -> Floats:
    if first == 0:
        return np.linspace(0.0, last, 400)
    return np.geomspace(first, max(last, 2 * first), 400)
