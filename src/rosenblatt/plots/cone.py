"""A cone of weights, and the pairs of rows of which every rule in it errs on one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._bounds.pairs import NO_PAIRS, Direction, PairTable
from rosenblatt._certify.rows import Floats
from rosenblatt._certify.table import read
from rosenblatt._core.rows import dense
from rosenblatt._util.text import many
from rosenblatt.errors import InputError
from rosenblatt.plots import scene, style
from rosenblatt.plots.display import Display
from rosenblatt.plots.view import (
    draw_area,
    draw_arrow,
    draw_points,
    frame_plane,
    name_arrow,
    view,
)

_LONG = 0.2  # arrows, of the height of the picture
_NAMES = ("g₁", "g₂")


@final
class ConeDisplay(Display):
    """Rows in the plane, a cone of weights, and the pairs that it forces.

    A pair is a positive row and a negative one that is at least as far along both generators: every
    rule whose weights are a blend of the generators errs on one of the two. The pairs have no row
    in common, and there are as many as there can be.

    Attributes
    ----------
    generators : array of shape (2, 2)
        The vectors that the weights lie between.
    pairs : array of shape (k, 2)
        The positive and the negative row of each pair. Every rule of the cone has k errors or more.
    corner : int or None
        The positive row at which the cone is drawn, and the part of the plane that lies as far
        along both generators. None where there are no pairs.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from rosenblatt.plots import ConeDisplay
    >>> X, y = [[0, 0], [2, 1], [1, 3], [3, 2]], [1, -1, 1, 1]
    >>> ConeDisplay.from_rows(X, y, [[1, 0], [0, 1]]).pairs
    array([[0, 1]])
    """

    def __init__(self, X: Any, y: Any, generators: Any):
        rows = read(X, y, numbers="float", function="ConeDisplay")
        if len(rows.columns) != 2 or len(rows.classes) != 2:
            raise InputError(
                "ConeDisplay draws rows of two columns and two labels; there are "
                f"{len(rows.columns)} and {len(rows.classes)}."
            )
        present = np.ones(len(rows.y), dtype=bool)
        labels = rows.origin.classes.tolist()
        self._points = dense(rows.X).astype(np.float64)
        self._data = scene.Data(self._points, rows.y, labels, list(rows.columns), present)
        self.generators = _checked(generators)
        pair_table = PairTable(
            self._points, rows.y.astype(np.int8), np.ones(len(rows.y), dtype=np.int64)
        )
        self.pairs = _pairs(pair_table, self.generators)
        self._view = view(self._points)
        self.corner = self._corner()

    @classmethod
    def from_rows(cls, X: Any, y: Any, generators: Any, *, ax: Any = None) -> ConeDisplay:
        """Draw it.

        Parameters
        ----------
        X, y
            Rows of two columns, and their labels: the second one is the positive.
        generators : two vectors of two numbers
            Between them lie the weights that are spoken of.
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.
        """
        return cls(X, y, generators).plot(ax=ax)

    def _corner(self) -> int | None:
        """The positive row of the longest pair: most of what matters is in sight there."""
        if not len(self.pairs):
            return None
        apart = self._points[self.pairs[:, 1]] - self._points[self.pairs[:, 0]]
        longest = np.argmax(np.linalg.norm(apart / self._view.span, axis=1))
        return int(self.pairs[longest, 0])

    def _draw(self, ax: Any) -> None:
        paired = np.zeros(len(self._data.y), dtype=bool)
        paired[self.pairs.ravel()] = True
        rows, notes = scene.shown(self._data, paired)
        points, rings = draw_points(ax, self._data, self._points, rows, np.zeros_like(paired))
        rings.remove()
        named = [*reversed(points), *self._lines(ax), *self._wedge(ax)]
        if self.corner is None:
            notes.append("No negative row is as far as a positive one along both generators.")
        elif not self._view.equal:
            notes.append("The axes have scales of their own: right angles do not look right.")
        if equal := self._equal_rows():
            notes.append(f"{many(equal, 'pair')} of rows at one point: no line is seen.")
        names = style.text(self._data.names[0]), style.text(self._data.names[1])
        frame_plane(ax, self._view, names, self._headline(), notes, named)

    def _headline(self) -> str:
        if not len(self.pairs):
            return "This cone forces no error"
        g, h = (f"({style.number(v[0])}, {style.number(v[1])})" for v in self.generators)
        n, k = len(self._data.y), len(self.pairs)
        return f"Every rule with w between {g} and {h} misclassifies at least {k:,} of {n:,} rows"

    def _equal_rows(self) -> int:
        apart = self._points[self.pairs[:, 1]] != self._points[self.pairs[:, 0]]
        return int(np.count_nonzero(~apart.any(axis=1)))

    def _lines(self, ax: Any) -> list[Any]:
        """One artist for all pairs: a gap between each two."""
        if not len(self.pairs):
            return []
        ends = np.full((len(self.pairs), 3, 2), np.nan)
        ends[:, :2] = self._points[self.pairs]
        label = "pair: each of these rules\nmisclassifies one of the two"
        (self.lines_,) = ax.plot(
            *ends.reshape(-1, 2).T, color=style.BLACK, linewidth=2.2, zorder=4, label=label
        )
        return [self.lines_]

    def _wedge(self, ax: Any) -> list[Any]:
        """The cone at one row, and what lies at least as far along both of its generators."""
        if self.corner is None:
            return []
        at, (g, h), span = self._points[self.corner], self.generators, self._view.span
        sides = [_beside(g, h), _beside(h, g)]  # at right angles to one, forwards along the other
        sides = [3 * v / np.max(np.abs(v) / span) for v in sides]
        polygon = np.array([at, at + sides[0], at + sides[0] + sides[1], at + sides[1]])
        label = f"as far as row {self.corner}\nalong g₁ and along g₂"
        self.wedge_ = draw_area(ax, polygon, label)
        for name, v in zip(_NAMES, (g, h), strict=True):
            end = at + _LONG * v / np.max(np.abs(v) / span)
            draw_arrow(ax, at, end, style.GREEN)
            name_arrow(ax, at, end, name, style.GREEN)
        return [self.wedge_]


def _beside(v: Floats, towards: Floats) -> Floats:
    across = np.array([-v[1], v[0]])
    return across if across @ towards > 0 else -across


def _checked(generators: Any) -> Floats:
    try:
        pair = np.asarray(generators, dtype=np.float64)
    except (TypeError, ValueError):
        pair = np.empty(0)
    if pair.shape == (2, 2) and np.isfinite(pair).all():
        (a, b), (c, d) = [[Fraction(v) for v in row] for row in pair.tolist()]
        if a * d != b * c:
            return pair
    raise InputError(
        f"generators={generators!r} is not allowed: give two vectors of two numbers that do not "
        "lie on one line, like [[1, 0], [0, 1]].",
        option="generators",
        value=generators,
    )


def _pairs(table: PairTable, generators: Floats) -> NDArray[np.intp]:
    directions = [_whole(table, row) for row in generators.tolist()]
    if not table.possible or not all(map(table.fits, directions)):
        raise InputError(
            "ConeDisplay needs numbers of similar size in each column, and short generators: "
            "round them, or scale the columns."
        )
    by_cone = table.forced([table.ranks(direction) for direction in directions], NO_PAIRS)
    pairs = np.column_stack([by_cone.positive, by_cone.negative]).astype(np.intp)
    return pairs[np.argsort(pairs[:, 0], kind="stable")]


def _whole(table: PairTable, generator: list[float]) -> Direction:
    """In the units of the table, as short as it can be."""
    units = [Fraction(2) ** -int(k) for k in table.below]
    exact = [Fraction(v) * unit for v, unit in zip(generator, units, strict=True)]
    a, b = exact
    shortest = Fraction(
        math.gcd(a.numerator * b.denominator, b.numerator * a.denominator),
        a.denominator * b.denominator,
    )
    return tuple(int(v / shortest) for v in exact)
