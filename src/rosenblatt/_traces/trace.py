"""trace: train, and keep what happened at every update."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rosenblatt._inputs.validate import positive
from rosenblatt._rules.linear import read_only
from rosenblatt._support.extras import pandas
from rosenblatt._traces import document, stars, words
from rosenblatt._traces.check import Check, check
from rosenblatt._traces.claims import Constants, constants
from rosenblatt._traces.run import Floats, Recorder, Run
from rosenblatt._traces.space import Features, Kernelled, Space
from rosenblatt._traces.walk import Path, Star
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError


def trace(
    estimator: Any,
    X: Any,
    y: Any,
    w_star: Any = None,
    *,
    sample_weight: Any = None,
    feature_names: Any = None,
    **start: Any,
) -> Trace:
    """Fit a clone of `estimator` and record every update.

    Parameters
    ----------
    estimator : Perceptron or KernelPerceptron
        It is not changed; `trace.estimator` is the fitted clone.
    X, y, sample_weight
        As for `fit`.
    w_star : array, optional
        A separator to follow the convergence proof with: d weights, or d + 1 numbers with the
        intercept last (for a kernel that is not linear n coefficients of the rows, or n + 1). If
        none is given, the certified one with the largest homogeneous margin is used.
    feature_names : list of str, optional
        What to call the columns; those of a data frame by default.
    **start
        `coef_init`, `intercept_init`, `dual_coef_init`: where training begins.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from rosenblatt import Perceptron, trace
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> t = trace(Perceptron(order="cyclic", keep="last"), X, y)
    >>> print(t.step(2))
    step 2: row 2 (1, 1) is -1 but scores 7: w (3, 3) - (1, 1) = (2, 2), b 1 - 1 = 0
    >>> t.weights_at(7)
    Weights(w=array([1., 1.]), b=-3.0)
    """
    if not hasattr(type(estimator), "_recorder"):
        raise InputError(
            "trace follows rosenblatt.Perceptron and rosenblatt.KernelPerceptron, not "
            f"{type(estimator).__module__}.{type(estimator).__qualname__}."
        )
    fitted, recorder = clone(estimator), Recorder()
    fitted._recorder = recorder
    try:
        fitted.fit(X, y, sample_weight, **start)
    finally:
        del fitted._recorder
    about = document.about(fitted)
    if feature_names is not None:
        about["feature_names"] = _names(feature_names, fitted.n_features_in_)
    return Trace(recorder.run(), about, w_star=w_star, estimator=fitted)


def _names(given_names: Any, d: int) -> list[str]:
    names = [str(name) for name in given_names]
    if len(names) != d:
        raise InputError(f"There are {len(names)} feature_names, but X has {d} features.")
    return names


class Weights(NamedTuple):
    """w and b."""

    w: Floats
    b: float


@final
class Trace:
    """What happened at every update of one fit. Steps are counted from 1, step 0 is the start.

    A step is one update; with order="batch" all updates of one look at the rows.

    Attributes
    ----------
    row, visit, epoch : arrays of int, by update
        The row of X (from 0); the visit (from 0) and the epoch (from 1) it fell into.
    label : array, by update
        The row's label.
    score : array, by update
        w·x + b before the update.
    step_size : array, by update
        η c_i y_i: what the row was added with.
    norm : array, by step
        ‖(w, b)‖ after it; entry 0 is the start.
    product, cosine : arrays, by step
        ⟨w, ŵ*⟩ and cos∠(w, w*) in the lifted space, where there is a w*.
    bound : int or None
        The most updates that the convergence theorem allows with this w*; None where it allows
        any number, or where not all rows are known.
    kept : list of (updates, mistakes)
        The training (or validation) mistakes of the weights kept so far, whenever they were judged.
    estimator
        The fitted clone; None after `from_json`.
    """

    def __init__(
        self, run: Run, about: dict[str, Any], *, w_star: Any = None, estimator: Any = None
    ):
        self._run, self._about, self.estimator = run, about, estimator
        self._given = None if w_star is None else stars.lifted(run, w_star)

    def __len__(self) -> int:
        """Steps."""
        return self._run.n_steps

    # --- By update ---

    @property
    def row(self) -> NDArray[np.int64]:
        return read_only(self._run.rows.view())

    @property
    def visit(self) -> NDArray[np.int64]:
        return read_only(self._run.visits.view())

    @property
    def epoch(self) -> NDArray[np.int64]:
        return read_only(self._run.epochs.view())

    @property
    def label(self) -> NDArray[Any]:
        classes = np.array(self._about["classes"])
        return np.asarray(classes[(self._run.y[self._run.rows] > 0).astype(np.intp)])

    @property
    def score(self) -> Floats:
        return self._run.eta * self._run.scores

    @property
    def step_size(self) -> Floats:
        return self._run.eta * self._run.steps

    @property
    def kept(self) -> list[tuple[int, int]]:
        return list(self._run.judged)

    # --- By step ---

    @cached_property
    def _space(self) -> Space:
        return Features(self._run) if self._run.linear() else Kernelled(self._run)

    @cached_property
    def _path(self) -> Path:
        return self._space.path(self._star)

    @property
    def norm(self) -> Floats:
        return np.asarray(self._run.eta * np.sqrt(np.maximum(self._path.norms2, 0)))

    @property
    @np.errstate(over="ignore", invalid="ignore")
    def product(self) -> Floats:
        products, length = self._with_star()
        return np.asarray(self._run.eta * products / length)

    @property
    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def cosine(self) -> Floats:
        products, length = self._with_star()
        return np.asarray(products / (length * np.sqrt(self._path.norms2)))

    def _with_star(self) -> tuple[Floats, float]:
        if self._path.products is None:
            raise InputError(f"There is no w* to compare with: {self._no_star}")
        return self._path.products, float(np.sqrt(self._path.star2))

    def weights_at(self, step: int) -> Weights:
        """w and b after so many steps (0: the start), replayed from the rows."""
        space = self._features("weights_at")
        w = self._run.eta * space.at(self._whole(step))
        return Weights(w[:-1], float(w[-1]))

    def alpha_at(self, step: int) -> Floats:
        """The notes' α after so many steps: η c_i · (updates of row i), one for each row of X."""
        made = self._run.edges[self._whole(step)]
        counts = np.bincount(self._run.rows[:made], minlength=len(self._run.y))
        return np.asarray(self._run.eta * self._run.weights * counts)

    def _features(self, what: str) -> Features:
        if not isinstance(self._space, Features):
            raise InputError(
                f"{what} needs weights of the features, and this kernel has none; alpha_at has "
                "the coefficients of the rows."
            )
        return self._space

    def _whole(self, step: int) -> int:
        if not (isinstance(step, (int, np.integer)) and 0 <= step <= len(self)):
            raise InputError(
                f"step={step!r} is not allowed: this trace has steps 0 to {len(self)}."
            )
        return int(step)

    # --- The theorem ---

    @cached_property
    def certificate(self) -> Certificate | None:
        """Whether the rows are separable, proved; None with a kernel that is not linear."""
        from rosenblatt._compute.matrices import as_table
        from rosenblatt._proof.certify import certify

        run = self._run
        if not run.linear():
            return None
        self._need_all_rows()
        table = as_table(run.X)
        return certify(table, run.y, fit_intercept=run.intercept, sample_weight=run.c)

    @cached_property
    def _star(self) -> Star | None:
        if self._given is not None:
            return self._space.star(self._given)
        if not self._run.linear():
            return stars.last_function(self._run, self._space) if self._ended_clean else None
        proved = self.certificate if self._about["all_rows"] else None
        return None if proved is None else stars.certified(self._space, proved)

    @property
    def _no_star(self) -> str:
        return stars.why_none(self.certificate if self._about["all_rows"] else None, self._about)

    @property
    def _ended_clean(self) -> bool:
        return bool(self._about["converged"])

    @cached_property
    def _constants(self) -> Constants | None:
        """None where not all rows are here."""
        if not self._about["all_rows"]:
            return None
        return constants(self._run, self._space, self._star, self._path)

    @property
    def bound(self) -> int | None:
        return None if self._constants is None else self._constants.bound

    def check(self, *, radius: float | None = None, gamma: float | None = None) -> Check:
        """Test every inequality of the convergence proofs at every step.

        `radius` and `gamma` are claims to be tested, too: that no lifted row is longer, and that
        every margin of the unit w* is at least this; by default the true ones of the data.
        """
        self._need_all_rows()
        true = self._constants
        assert true is not None
        return check(
            self._run,
            self._space,
            self._star,
            self._path,
            true,
            no_star="" if self._star is not None else self._no_star,
            converged=self._ended_clean,
            radius=None if radius is None else positive("radius", radius),
            gamma=None if gamma is None else positive("gamma", gamma),
        )

    def _need_all_rows(self) -> None:
        if not self._about["all_rows"]:
            raise InputError(
                "This trace was written with only the rows that made updates; the check is about "
                "all rows. Write it with to_json(all_rows=True)."
            )

    # --- In words ---

    def step(self, k: int) -> str:
        """Step k in words, with its numbers."""
        return words.step(self, self._whole(k))

    def steps(self) -> str:
        """All steps in words, one in each line."""
        return "\n".join(words.steps(self))

    def __str__(self) -> str:
        return words.as_text(self)

    def __repr__(self) -> str:
        return (
            f"<Trace: {self._about['estimator']}, {len(self)} steps, {len(self._run.rows)} updates>"
        )

    def _repr_html_(self) -> str:
        return words.as_html(self)

    def to_markdown(self) -> str:
        """The table of all steps, for a worksheet."""
        return words.as_markdown(self)

    def to_latex(self) -> str:
        """The same as a LaTeX tabular."""
        return words.as_latex(self)

    def to_pandas(self) -> Any:
        """The same as a data frame, with numbers."""
        return pandas("Trace.to_pandas").DataFrame(words.columns(self)).set_index("k")

    def animate(
        self,
        path: str | os.PathLike[str],
        *,
        features: Any = None,
        max_frames: int = 100,
        fps: float = 2.0,
        dpi: float = 80.0,
        grid_resolution: int = 100,
        verbose: int = 0,
    ) -> None:
        """Write a GIF of the training in the plane, whole or not at all; needs matplotlib.

        Of more than `max_frames` steps so many are shown, evenly, with the first and the last, and
        the film says so. `features` and `grid_resolution` are as for
        `rosenblatt.plots.BoundaryDisplay`; verbose=1 shows progress.
        """
        from rosenblatt.plots.animation import animate

        animate(
            self,
            path,
            features=features,
            max_frames=max_frames,
            fps=fps,
            dpi=dpi,
            grid_resolution=grid_resolution,
            verbose=verbose,
        )

    def to_json(
        self, path: str | os.PathLike[str] | None = None, *, all_rows: bool | None = None
    ) -> str:
        """The trace as JSON, written to `path` if one is given; docs/trace.md has the schema.

        `all_rows` puts every row into it and not only those that made updates; by default where
        they are few.
        """
        return document.write(self._run, self._about, path, all_rows)

    @classmethod
    def from_json(cls, source: str | os.PathLike[str], *, w_star: Any = None) -> Trace:
        """Read what `to_json` wrote: the text itself, or a path."""
        run, about = document.read(source)
        return cls(run, about, w_star=w_star)
