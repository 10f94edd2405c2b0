"""A GIF of training in the plane."""

from __future__ import annotations

import base64
import html
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._util.files import write_whole
from rosenblatt._util.progress import rich_bar
from rosenblatt._util.text import many
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError
from rosenblatt.plots import scene, style
from rosenblatt.plots.boundary import BoundaryDisplay
from rosenblatt.plots.regions import RegionsDisplay

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


_LINGER = 1.5  # seconds that the last picture stays


def animate(
    trace: Trace,
    path: str | os.PathLike[str],
    *,
    features: Any = None,
    max_frames: int = 100,
    fps: float = 2.0,
    dpi: float = 80.0,
    grid_resolution: int = 100,
    verbose: int = 0,
) -> Film:
    """Write a GIF of the training in the plane, whole or not at all; a notebook shows it.

    Of more than `max_frames` steps so many are shown, evenly, with the first and the last, and the
    film says so. `features` and `grid_resolution` are as for `BoundaryDisplay`, or of more than two
    classes for `RegionsDisplay`; verbose=1 shows progress.

    Examples
    --------
    >>> from rosenblatt import Perceptron, trace
    >>> from rosenblatt.plots import animate
    >>> t = trace(Perceptron(order="cyclic", keep="last"), [[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> animate(t, "training.gif")  # doctest: +SKIP
    Film('training.gif')
    """
    style.pyplot()
    target = _checked(path)
    speed, dots = parameters.positive("fps", fps), parameters.positive("dpi", dpi)
    most = parameters.whole("max_frames", max_frames)
    level = parameters.level("verbose", verbose)
    parameters.whole("grid_resolution", grid_resolution)
    if most < 2:
        raise InputError("max_frames=1 is not allowed: the first and the last step are two frames.")
    steps = [int(k) for k in style.thinned(len(trace) + 1, most)]
    frames = _Frames(trace, features, steps, grid_resolution)
    with tempfile.TemporaryDirectory() as folder, style.house():
        whole = Path(folder) / "training.gif"
        frames.write(whole, speed, dots, _shown(steps, level))
        write_whole(target, whole.read_bytes(), overwrite=True)
    return Film(target)


class Film:
    """A GIF that was written: `path` is where, and a notebook shows it."""

    def __init__(self, path: Path):
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Film({str(self.path)!r})"

    def _repr_html_(self) -> str:
        content = base64.b64encode(self.path.read_bytes()).decode()
        return f'<img src="data:image/gif;base64,{content}" alt="{html.escape(self.path.name)}">'


def _checked(path: str | os.PathLike[str]) -> Path:
    target = Path(path)
    if target.suffix.lower() != ".gif":
        raise InputError(
            f"path={str(path)!r} is not allowed: give the name of a .gif file.",
            option="path",
            value=str(path),
        )
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.absolute().parent} to save into.")
    return target


class _Frames:
    """One frame after the other, on axes that do not move."""

    def __init__(self, trace: Trace, features: Any, steps: list[int], resolution: int):
        from matplotlib.figure import Figure

        self._trace, self._steps, self._resolution = trace, steps, resolution
        self._data = scene.of_trace(trace)
        last = scene.rule_of_trace(trace, len(trace))
        self._plane = scene.plane(self._data, features, last.heaviest)
        self._points = self._plane.points(self._data.table)
        with style.house():
            self._figure: Any = Figure()  # not pyplot's: nobody has to close it
        self._position: Any = None

    def write(self, path: Path, fps: float, dpi: float, steps: Iterable[int]) -> None:
        from matplotlib.animation import PillowWriter

        writer: Any = PillowWriter(fps=fps)  # type: ignore[arg-type] # half a frame a second is fine
        writer.setup(self._figure, str(path), dpi)
        for k in steps:
            self._draw(k)
            writer.grab_frame()
        for _ in range(round(_LINGER * fps)):  # pillow makes one long frame of equal ones
            writer.grab_frame()
        writer.finish()

    def _draw(self, k: int) -> None:
        self._figure.clear()
        ax = self._figure.add_subplot()
        self._picture(k).plot(ax=ax, grid_resolution=self._resolution)
        self._mark(ax, k)
        ax.set_title(self._words(k), loc="left")
        if self._position is None:  # as the first frame needs it, where most rows are mistakes
            style.lay_out(self._figure)
            self._position = ax.get_position(original=True)
            self._figure.set_layout_engine("none")
        ax.set_position(self._position)

    def _picture(self, k: int) -> BoundaryDisplay | RegionsDisplay:
        kind = BoundaryDisplay if self._trace.replay.run.k is None else RegionsDisplay
        return kind(self._data, self._plane, scene.rule_of_trace(self._trace, k), origin=True)

    def _mark(self, ax: Any, k: int) -> None:
        run = self._trace.replay.run
        points = self._points[run.rows[run.updates_of(k)]]
        style.rings(ax, points, 330, marker="s", edgecolors=style.RED, linewidths=2.0, zorder=5)

    def _words(self, k: int) -> str:
        """Always two lines, so that nothing moves."""
        part = len(self._steps) <= len(self._trace)
        few = f" ({len(self._steps)} steps are shown)" if part else ""
        first = f"Step {k:,} of {len(self._trace):,}{few}"
        run = self._trace.replay.run
        if k == 0:
            return f"{first}\nthe start"
        rows = run.rows[run.updates_of(k)]
        if len(rows) > 1:
            if run.k is not None:
                return f"{first}\n{many(len(rows), 'row')} (squares) made updates"
            plus = int(np.count_nonzero(run.y[rows] > 0))
            parts = [f"added: {plus:,}", f"subtracted: {len(rows) - plus:,}"]
            return f"{first}\n{', '.join(parts)} (squares)"
        if run.k is None:
            made = "added" if run.y[rows[0]] > 0 else "subtracted"
            return f"{first}\n{made}: row {rows[0]:,} (square)"
        u = run.updates_of(k).start
        label, rival = (style.text(v[u], 18) for v in (self._trace.label, self._trace.rival))
        return f"{first}\nrow {rows[0]:,} (square): {label} moves towards it, {rival} away"


# --- Progress ------------------------------------------------------------------------------------


def _shown(steps: list[int], verbose: int) -> Iterator[int]:
    """The steps, with a bar on a terminal, and a line elsewhere; both on stderr."""
    if not verbose:
        yield from steps
        return
    columns = ("frames", None, "{task.percentage:>3.0f}%", "remaining")
    shown = rich_bar(*columns, transient=False, takes_output=True)
    if shown is not None:
        with shown:
            yield from shown.track(steps)
        return
    yield from steps
    print(f"animate: {len(steps)} frames, steps {steps[0]} to {steps[-1]}", file=sys.stderr)
