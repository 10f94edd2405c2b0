"""How pictures look: colours and shapes that survive grey, sizes for a slide, names as text."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from rosenblatt._util.extras import installing
from rosenblatt._util.palette import light
from rosenblatt.errors import InputError, MissingExtraError

BLACK, GREY, LIGHT = light("ink"), light("quiet"), light("line")
BLUE, ORANGE, PURPLE = light("pos"), light("neg"), light("third")
GREEN, RED = light("good"), light("bad")
# The classes in their order: -1, +1, a third and more. With eight shapes they tell 56 apart.
_COLOURS = (ORANGE, BLUE, PURPLE, GREEN, "#8a7500", "#5b4fc7", GREY)
_SHAPES = ("^", "o", "s", "D", "v", "P", "X", "<")

_OURS = {
    "figure.figsize": (8.0, 4.8),
    "figure.constrained_layout.use": True,
    "font.size": 12.0,
    "axes.titlesize": 13.0,
    "legend.fontsize": 11.0,
    "lines.linewidth": 2.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.usetex": False,
    "savefig.bbox": None,  # frames of a film are of one size
    **dict.fromkeys(("figure.facecolor", "axes.facecolor"), "white"),
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), "black"
    ),
}
_ABOVE = "above the picture"  # where a legend is
_ONE_ROW = 84  # letters
_LONGEST_NAME = 40
_MOST_OF_CURVE = 2_000  # points
_ROUNDS, _MOST_ROUNDS = 3, 10


def pyplot() -> Any:
    """matplotlib.pyplot, or what to do to have it."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise MissingExtraError(
            f"Pictures need matplotlib ({error}). Install it: {installing('matplotlib')}."
        ) from None
    return matplotlib.pyplot


@contextmanager
def canvas(ax: Any) -> Iterator[Any]:
    plt = pyplot()
    if ax is not None:
        if not hasattr(ax, "get_figure"):
            raise InputError(
                f"ax={ax!r} is not allowed: give the axes of one picture, as plt.subplots() "
                "returns them, or None for a new figure.",
                option="ax",
                value=ax,
            )
        yield ax
        return
    with house():
        figure, ax = plt.subplots()
        try:
            yield ax
            if ax.get_aspect() != "auto":
                lay_out(figure)
        except BaseException:
            plt.close(figure)
            raise


def lay_out(figure: Any) -> None:
    """Lay the figure out. Axes of a given shape move by it, so it takes a few rounds."""
    for done in range(_MOST_ROUNDS):
        if done >= _ROUNDS and figure.get_tightbbox().x1 <= figure.bbox_inches.x1:
            return
        figure.draw_without_rendering()


@contextmanager
def house() -> Iterator[None]:
    """Our style, for a figure that is made here.

    The first figure of a program loads the backend, and that of a notebook turns interactive mode
    on. This is no matter of style, and stays: else no other picture would be shown.
    """
    plt = pyplot()
    try:
        with plt.rc_context(_OURS):
            try:
                yield
            finally:
                interactive = plt.isinteractive()
    finally:
        plt.matplotlib.interactive(interactive)


def look(c: int) -> tuple[str, str]:
    """The colour and the shape of one of many classes."""
    return _COLOURS[c % len(_COLOURS)], _SHAPES[c % len(_SHAPES)]


# --- Text ----------------------------------------------------------------------------------------


def text(value: Any, longest: int = _LONGEST_NAME) -> str:
    """Somebody's name or label as it is: no formula, one line, only characters that can be drawn.

    Others are written as their numbers, \\u5e74 for example.
    """
    shown = str(value)
    if len(shown) > longest:
        shown = shown[: longest - 1] + "…"
    characters = [c if c == " " or _drawable(c) else ascii(c)[1:-1] for c in shown]
    return "".join(characters).replace("$", r"\$")


def _drawable(c: str) -> bool:
    if unicodedata.category(c)[0] in "CZ":
        return False
    return c.isascii() or any(ord(c) in _glyphs(path) for path in _fonts())


def _fonts() -> list[str]:
    pyplot()
    from matplotlib.font_manager import FontProperties, findfont

    return [findfont(FontProperties(family=[name])) for name in FontProperties().get_family()]


@cache
def _glyphs(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())


def number(value: float) -> str:
    """As short as it is, with a minus sign: 7, −0.5, 1.23e−05."""
    return f"{float(value):.4g}".replace("-", "−")


def title(ax: Any, *sentences: str, width: int = 64) -> None:
    lines = (line for s in sentences for line in textwrap.wrap(s, width))
    ax.set_title("\n".join(lines), loc="left", pad=_above(ax))


def _above(ax: Any) -> float | None:
    """Room for a legend between the picture and its title, in points."""
    legend = ax.get_legend()
    if legend is None or legend.get_gid() != _ABOVE:
        return None
    rows: int = math.ceil(len(legend.get_texts()) / legend._ncols)
    size = float(legend.get_texts()[0].get_fontsize())
    return float(8.0 + 1.6 * rows * size)


def note(ax: Any, sentences: Sequence[str], width: int = 84) -> None:
    """What the reader must know, below the axis."""
    if not sentences:
        return
    words = "\n".join(line for s in sentences for line in textwrap.wrap(s, width))
    ax.annotate(
        words,
        xy=(0, 0),
        xycoords=("axes fraction", ax.xaxis.label),
        xytext=(0, -6),
        textcoords="offset points",
        va="top",
        color=GREY,
        fontsize="small",
        annotation_clip=False,
    )


def legend(ax: Any, handles: list[Any] | None, beside: bool) -> None:
    """Where it covers nothing: beside a plane, which is about square, and above a chart."""
    how: dict[str, Any] = {"frameon": False, "borderpad": 0}
    if beside:
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), **how)
        return
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    labels = [str(handle.get_label()).replace("\n", " ") for handle in handles]
    columns = len(labels) if sum(map(len, labels)) + 6 * len(labels) <= _ONE_ROW else 2
    how |= {"ncols": max(columns, 1), "columnspacing": 1.4, "handlelength": 1.8}
    made = ax.legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1.0), **how)
    made.set_gid(_ABOVE)


def frame(
    ax: Any,
    names: tuple[str, str],
    headline: str | list[str],
    notes: Sequence[str] = (),
    handles: list[Any] | None = None,
    *,
    beside: bool = False,
) -> None:
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    legend(ax, handles, beside)
    title(ax, *([headline] if isinstance(headline, str) else headline))
    note(ax, notes)


# --- What is drawn -------------------------------------------------------------------------------


def curve(
    ax: Any, x: Any, y: Any, label: str, colour: str, line: str = "-", marker: str = "", **how: Any
) -> Any:
    """One line of at most 2,000 points, which are marked where they are few."""
    some = thinned(len(x), _MOST_OF_CURVE)
    marker = marker if len(some) <= 60 else ""
    how = {"color": colour, "marker": marker, "label": label, **how}
    return ax.plot(x[some], y[some], linestyle=line, **how)[0]


def dots(ax: Any, points: Any, size: float, colour: str, shape: str, **how: Any) -> Any:
    how = {"edgecolors": BLACK, "linewidths": 0.6, **how}
    return ax.scatter(*points.T, s=size, c=colour, marker=shape, **how)


def rings(ax: Any, points: Any, size: float, *, marker: str = "o", **how: Any) -> Any:
    how = {"edgecolors": BLACK, **how}
    return ax.scatter(*points.T, s=size, marker=marker, facecolors="none", **how)


def whole_ticks(*axes: Any) -> None:
    """Ticks at whole numbers only: there is no epoch 1.5."""
    from matplotlib.ticker import MaxNLocator

    for axis in axes:
        axis.set_major_locator(MaxNLocator(integer=True))


def thinned(n: int, most: int) -> Any:
    """At most so many of 0 … n - 1, evenly, always the first and the last."""
    if n <= most:
        return np.arange(n)
    return np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))
