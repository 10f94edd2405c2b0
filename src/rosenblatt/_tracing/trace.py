"""Trace: what happened at every update of a training, recorded and replayed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple, cast, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rosenblatt._core.rows import Labelled
from rosenblatt._core.update_log import Log
from rosenblatt._tracing import document, loss_steps, text
from rosenblatt._tracing.check import Check
from rosenblatt._tracing.document import read
from rosenblatt._tracing.replay import Replay
from rosenblatt._tracing.run import About, Floats, Run
from rosenblatt._training.dual import KernelExamples
from rosenblatt._training.estimator import Training
from rosenblatt._training.linear_rule import read_only
from rosenblatt._training.settings import Settings
from rosenblatt._training.state import AnyJob, AnyState
from rosenblatt._util.extras import needed
from rosenblatt._validation.parameters import positive
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError


class Weights(NamedTuple):
    """w and b."""

    w: Floats
    b: Any  # a number; of more than two classes an array


@final
class Trace:
    """What happened at every update of one fit. Steps are counted from 1, step 0 is the start.

    A step is one update; with order="batch" those of a look at all rows, with shards of an epoch.

    Attributes
    ----------
    row, visit, epoch : arrays of int, by update
        The row of X (from 0); the visit (from 0) and the epoch (from 1) it fell into.
    label, rival : arrays, by update
        The row's label, and its rival: of the other labels the one with the highest score.
    score : array, by update
        w·x + b before the update; of more than two classes s_y - s_r, its margin to the rival.
    step_size : array, by update
        η c_i y_i: what the row was added with; of more than two classes η c_i. PassiveAggressive
        has τ in the place of η c_i, and AROW α, whose rows are divided by precisions.
    loss : array, by update
        How far the margin was below the one asked for: μ, or 1 of PassiveAggressive and AROW.
    variance : array, by update
        v = Σ x_j²/p_j of AROW: how unsure it was of the score.
    norm : array, by step
        ‖(w, b)‖ after it, of all classes together; entry 0 is the start.
    product, cosine : arrays, by step
        ⟨w, ŵ*⟩ and cos∠(w, w*) in the lifted space, where there is a w*.
    bound : int or None
        The most updates (of several shards epochs) that the convergence theorem allows with this
        w*; None where it allows any number, or where not all rows are known. Of
        PassiveAggressive and AROW the most mistakes (updates at a margin of 0 or less) by their
        theorems.
    kept : list of (updates, mistakes)
        The training (or validation) mistakes of the weights kept so far, whenever they were judged.
    estimator
        The fitted clone; None after `from_json`.
    replay : Replay
        What pictures and words are made from: the record in units of η (`replay.run`), what is
        said of the estimator, the space, the path and w*. Its parts may change between versions.
    """

    def __init__(self, run: Run, about: About, *, w_star: Any = None, estimator: Any = None):
        self.replay, self.estimator = Replay(run, about, w_star), estimator

    def __len__(self) -> int:
        """Steps."""
        return self.replay.run.n_steps

    # --- By update ---

    @property
    def row(self) -> NDArray[np.int64]:
        return read_only(self.replay.run.rows.view())

    @property
    def visit(self) -> NDArray[np.int64]:
        return read_only(self.replay.run.visits.view())

    @property
    def epoch(self) -> NDArray[np.int64]:
        return read_only(self.replay.run.epochs.view())

    @property
    def label(self) -> NDArray[Any]:
        run = self.replay.run
        return self._named((run.own > 0).astype(np.intp) if run.rivals is None else run.own)

    @property
    def rival(self) -> NDArray[Any]:
        run = self.replay.run
        return self._named((run.own < 0).astype(np.intp) if run.rivals is None else run.rivals)

    def _named(self, numbers: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.array(self.replay.about.classes)[numbers])

    @property
    def score(self) -> Floats:
        return self.replay.run.eta * self.replay.run.scores

    @property
    def step_size(self) -> Floats:
        return self.replay.run.eta * self.replay.run.steps

    @property
    def loss(self) -> Floats:
        run = self.replay.run
        return np.asarray(run.eta * (run.margin - run.margins))

    @property
    def variance(self) -> Floats:
        if self.replay.run.rule != "AROW":
            raise InputError("Only AROW has a variance of scores: other rules keep no precisions.")
        return loss_steps.squares(self.replay.run)

    @property
    def kept(self) -> list[tuple[int, int]]:
        return list(self.replay.run.judged)

    # --- By step ---

    @property
    def norm(self) -> Floats:
        return np.asarray(self.replay.run.eta * np.sqrt(np.maximum(self.replay.path.norms2, 0)))

    @property
    @np.errstate(over="ignore", invalid="ignore")
    def product(self) -> Floats:
        products, length = self._with_star()
        return np.asarray(self.replay.run.eta * products / length)

    @property
    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def cosine(self) -> Floats:
        products, length = self._with_star()
        return np.asarray(products / (length * np.sqrt(self.replay.path.norms2)))

    def _with_star(self) -> tuple[Floats, float]:
        path = self.replay.path
        if path.products is None:
            raise InputError(f"There is no w* to compare with: {self.replay.why_no_star}")
        return path.products, float(np.sqrt(path.star2))

    def weights_at(self, step: int) -> Weights:
        """w and b after so many steps (0: the start), replayed from the rows.

        Of more than two classes a row of w and an entry of b for each.
        """
        space = self.replay.features("weights_at")
        w = space.run.eta * next(space.at([self.replay.checked_step(step)]))
        return Weights(w[..., :-1], float(w[-1]) if w.ndim == 1 else w[:, -1])

    def precision_at(self, step: int) -> Floats:
        """AROW's precisions after so many steps, that of the intercept last."""
        run, k = self.replay.run, self.replay.checked_step(step)
        if run.rule != "AROW":
            raise InputError("Only AROW keeps precisions.")
        parts = (p for p in loss_steps.growing(run) if p.begin + len(p.directions) >= k)
        first = next(parts, None)
        return np.ones(run.start.shape) if first is None else first.precisions[k - first.begin]

    def alpha_at(self, step: int) -> Floats:
        """The notes' α after so many steps: η c_i · (updates of row i), one for each row of X.

        Of more than two classes a column for each: rows are added to their own, taken from rivals.
        Of PassiveAggressive the sum of the steps τ of each row.
        """
        run, step = self.replay.run, self.replay.checked_step(step)
        if run.rule == "AROW":
            raise InputError(
                "AROW divides its steps by precisions, so that its weights are no sums of rows: "
                "rows have no coefficients. weights_at and precision_at have what it learned."
            )
        if not run.by_count:
            return run.counts(step, np.abs(run.steps))
        counts = self.replay.counts(step)
        return np.asarray(run.eta * run.weights.reshape(-1, *[1] * (counts.ndim - 1)) * counts)

    # --- The theorem ---

    @property
    def certificate(self) -> Certificate | None:
        """Whether the rows are separable, proved; None with a kernel that is not linear."""
        return self.replay.certificate

    @property
    def bound(self) -> int | None:
        return self.replay.bound

    def check(self, *, radius: float | None = None, gamma: float | None = None) -> Check:
        """Test every inequality of the convergence proofs at every step; of PassiveAggressive and
        AROW those of their own theorems.

        `radius` and `gamma` are claims to be tested, too: that no lifted row is longer, and that
        every margin of the unit w* is at least this; by default the true ones of the data.
        """
        return self.replay.check(
            radius=None if radius is None else positive("radius", radius),
            gamma=None if gamma is None else positive("gamma", gamma),
        )

    # --- In words ---

    def step(self, k: int) -> str:
        """Step k in words, with its numbers."""
        return text.step(self, self.replay.checked_step(k))

    def steps(self) -> str:
        """All steps in words, one in each line; of AROW with a line on its precisions above."""
        return "\n".join(text.steps(self))

    def __str__(self) -> str:
        return text.as_text(self)

    def __repr__(self) -> str:
        updates = len(self.replay.run.rows)
        return f"<Trace: {self.replay.about.estimator}, {len(self)} steps, {updates} updates>"

    def _repr_html_(self) -> str:
        return text.as_html(self)

    def to_markdown(self) -> str:
        """The table of all steps, for a worksheet."""
        return text.as_markdown(self)

    def to_latex(self) -> str:
        """The table as a LaTeX tabular."""
        return text.as_latex(self)

    def to_pandas(self) -> Any:
        """The table as a data frame, with numbers."""
        return needed("pandas", "Trace.to_pandas").DataFrame(text.columns(self)).set_index("k")

    def to_json(
        self, path: str | os.PathLike[str] | None = None, *, all_rows: bool | None = None
    ) -> str:
        """The trace as JSON, written to `path` if one is given: docs/file-formats.md.

        `all_rows` puts every row into it and not only those that made updates; by default where
        they are few.
        """
        return document.write(self.replay.run, self.replay.about, path, all_rows)

    def play(self, path: str | os.PathLike[str] | None = None, *, show: bool = True) -> Path:
        """Open this training in the playground: every update, to be stepped through.

        The page is written to `path`, by default into a temporary folder, and opened in a browser
        unless `show` is False. Returns where it is. It shows at most 2,000 rows, and lengths in
        units of the learning rate.
        """
        # Upwards, and only when it is called: a page is made of a trace, not the other way round.
        from rosenblatt.play.html_page import open_page, page_of
        from rosenblatt.play.recorded import table_of_trace

        return open_page(page_of(table_of_trace(self)), path, show=show)

    @classmethod
    def from_json(cls, source: str | os.PathLike[str], *, w_star: Any = None) -> Trace:
        """Read what `to_json` wrote: the text itself, or a path."""
        run, about = read(source)
        return cls(run, about, w_star=w_star)


# --- Recording -----------------------------------------------------------------------------------


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
    estimator : Perceptron, KernelPerceptron, PassiveAggressive or AROW
        It is not changed; `trace.estimator` is the fitted clone.
    X, y, sample_weight
        As for `fit`.
    w_star : array, optional
        A separator to follow the convergence proof with: d weights, or d + 1 numbers with the
        intercept last (for a kernel that is not linear n coefficients of the rows, or n + 1), of
        more than two classes a row of them for each. If none is given, the certified one with the
        largest homogeneous margin is used. PassiveAggressive and AROW are compared with any
        weights, whose length matters: by default with that separator, just long enough for margins
        of 1, and where there is none with the mean of the weights on the way.
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
    if not isinstance(estimator, Training):
        raise InputError(
            "trace follows Perceptron, KernelPerceptron, PassiveAggressive and AROW of rosenblatt, "
            f"not {type(estimator).__module__}.{type(estimator).__qualname__}."
        )
    fitted, recorder = clone(estimator), Recorder()
    if fitted._spec.falling_margin and fitted.margin == fitted.keep == "auto":
        fitted.margin = 0.0
    fitted._recorder = recorder
    try:
        fitted.fit(X, y, sample_weight, **start)
    finally:
        del fitted._recorder
    names = None if feature_names is None else _names(feature_names, fitted.n_features_in_)
    return Trace(recorder.run(), about(fitted, names), w_star=w_star, estimator=fitted)


_WITHOUT_TRACE = {
    "decay": "a rate that decays",
    "penalised": "an L2 penalty",
    "relaxation": "Relaxation",
}


class Recorder:
    """Notes the facts of a training and every update from inside."""

    def __init__(self) -> None:
        self.log: Log
        self._facts: dict[str, Any] = {}
        self._judged: list[tuple[int, int]] = []

    def begin(self, settings: Settings, job: AnyJob, state: AnyState) -> None:
        learner, examples = job.learner, cast(Labelled, job.learner.examples)
        if settings.rule.kind in _WITHOUT_TRACE:
            raise InputError(
                f"trace does not follow {_WITHOUT_TRACE[settings.rule.kind]}: it follows the "
                "perceptron with a constant rate, PassiveAggressive and AROW."
            )
        if settings.rule.kind in ("PA-I", "PA-II") and _weighed(examples.c):
            raise InputError(
                "trace follows PassiveAggressive on rows of weight 1: another weight asks for "
                "another margin. Leave out sample_weight and class_weight."
            )
        learner.log = self.log = Log(rivals=examples.k is not None)
        rule = learner.rule
        self._facts = {
            **_rows_and_start(examples, state.memory.w),
            "y": examples.y,
            "c": examples.c,
            "eta": settings.units.eta0,
            "margin": rule.margin,
            "intercept": rule.intercept,
            "order": settings.order,
            "keep": settings.units.keep,
            "n": examples.n,
            "rule": settings.rule.kind,
            "number": 0.0 if settings.rule.kind == "perceptron" else rule.number,
            "tie": settings.units.tie,
            "signs": None if settings.rule.signs is None else list(settings.rule.signs),
        }

    def judged(self, state: AnyState) -> None:
        if state.kept is not None:
            self._judged.append((state.updates, state.kept.mistakes))

    def run(self) -> Run:
        names = ("rows", "visits", "scores", "rivals")
        updates: dict[str, Any] = dict(zip(names, self.log.arrays(), strict=False))
        return Run(**self._facts, **updates, judged=self._judged.copy())


def _weighed(c: Floats | None) -> bool:
    return c is not None and not np.isin(c, (0.0, 1.0)).all()


def _rows_and_start(examples: Any, w: Any) -> dict[str, Any]:
    """X and the first weights; with a kernel its coefficients of the rows, and the intercept."""
    if not isinstance(examples, KernelExamples):
        return {"X": examples.rows.X, "start": w.copy(), "kernel": None}
    start = np.append(w.beta, w.b) if w.k is None else np.hstack([w.beta, w.b])
    return {"X": examples.gram.X, "start": start, "kernel": examples.gram.kernel}


def _names(feature_names: Any, d: int) -> list[str]:
    names = [str(name) for name in feature_names]
    if len(names) != d:
        raise InputError(f"There are {len(names)} feature_names, but X has {d} features.")
    return names


def about(estimator: Any, feature_names: list[str] | None = None) -> About:
    """Of a fitted estimator; the names of its columns unless others are given."""
    names = getattr(estimator, "feature_names_in_", None)
    if feature_names is None and names is not None:
        feature_names = [str(name) for name in names]
    return About(
        estimator=str(estimator).replace("\n", ""),
        classes=estimator.classes_.tolist(),
        feature_names=feature_names,
        converged=bool(estimator.converged_),
        ended=str(estimator.stop_reason_.value),
    )
