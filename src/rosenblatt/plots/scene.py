"""What lies in the plane: the rows, the two features that are shown, and where the others are."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.sparsefuncs import csc_median_axis_0
from sklearn.utils.validation import check_is_fitted

from rosenblatt._core.rows import Rows, as_table, dense, some_rows
from rosenblatt._tracing.run import Floats
from rosenblatt._util.text import many
from rosenblatt._validation import targets
from rosenblatt._validation.rows import checked_rows
from rosenblatt._validation.targets import sample_weights
from rosenblatt.errors import InputError
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.plots import style

if TYPE_CHECKING:
    from rosenblatt._tracing.trace import Trace


MOST_POINTS = 5_000


@dataclass(frozen=True)
class Data:
    """Labelled rows; those of weight 0 do not exist and are not shown."""

    table: Any  # array or sparse
    y: NDArray[Any]  # -1 and +1; of many classes their numbers from 0 on
    classes: list[Any]
    names: list[str]
    present: NDArray[np.bool_]

    @property
    def d(self) -> int:
        return int(self.table.shape[1])


def looks(classes: Sequence[Any]) -> list[tuple[int, str, tuple[str, str]]]:
    """Of each class its code in y, its name, and its colour and shape."""
    if len(classes) > 2:
        return [(c, style.text(name, 26), style.look(c)) for c, name in enumerate(classes)]
    return [(sign, _name_of_sign(classes, sign), style.look(sign > 0)) for sign in (-1, 1)]


def _name_of_sign(classes: Sequence[Any], sign: int) -> str:
    """The label, and its sign where the labels do not say it."""
    plain = "y = −1" if sign < 0 else "y = +1"
    if [str(label).removesuffix(".0") for label in classes] == ["-1", "1"]:
        return plain
    name = f"{style.text(classes[(sign + 1) // 2])} ({plain})"
    return "\n".join(textwrap.wrap(name, 26))


def of_estimator(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, of_many: bool = False
) -> Data:
    """Rows beside a fitted estimator of two classes, or of many."""
    check_is_fitted(estimator)
    classes = np.asarray(estimator.classes_)
    knows = f"{type(estimator).__name__} knows {len(classes)} classes"
    if of_many and len(classes) < 3:
        raise InputError(
            f"{knows}, and regions are of three or more: BoundaryDisplay has the pictures of two."
        )
    if not of_many and len(classes) != 2:
        raise InputError(f"{knows}; these pictures have two. RegionsDisplay draws more.")
    table = as_table(checked_rows(BaseEstimator(), X, reset=True))
    n = table.shape[0]
    c = sample_weights(sample_weight, n)
    present = np.ones(n, dtype=bool) if c is None else c != 0
    codes = targets.encoded(targets.labels(y, n), classes, present)
    return Data(table, codes, classes.tolist(), names_of(estimator, X), present)


def names_of(estimator: Any, X: Any) -> list[str]:
    """The names of the features: those of X, else those that were trained on."""
    names = getattr(X, "columns", getattr(estimator, "feature_names_in_", None))
    return _names(names, int(X.shape[1] if hasattr(X, "shape") else len(X[0])))


def of_trace(trace: Trace) -> Data:
    """The rows that were trained on."""
    trace.replay.need_all_rows("a picture needs all of them")
    run, about = trace.replay.run, trace.replay.about
    table = as_table(run.X)
    names = _names(about.feature_names, table.shape[1])
    return Data(table, run.y, about.classes, names, run.weights != 0)


def of_two(trace: Trace, what: str) -> Data:
    """The rows that were trained on, of two classes; `what` draws no others."""
    if trace.replay.run.k is not None:
        raise InputError(
            f"{what} has two classes, and this trace has {len(trace.replay.about.classes)}: "
            "RegionsDisplay.from_trace shows the regions of all after any step, SqueezeDisplay "
            "the proof, and animate makes a film."
        )
    return of_trace(trace)


def _names(names: Any, d: int) -> list[str]:
    return [f"feature {j}" for j in range(d)] if names is None else [str(name) for name in names]


# --- Two features ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plane:
    """Two features; every point of the plane stands for a whole row."""

    columns: tuple[int, ...]  # two, or the only one
    names: tuple[str, str]
    fixed: Floats  # a row: the values of the others
    how: str = ""  # what is to be said of the others

    def points(self, table: Any) -> Floats:
        """Where rows are seen, of shape (n, 2)."""
        seen = dense(table[:, list(self.columns)]).astype(np.float64)
        return seen if seen.shape[1] == 2 else np.hstack([seen, np.zeros((len(seen), 1))])

    def rows(self, points: Floats) -> Floats:
        rows = np.tile(self.fixed, (len(points), 1))
        rows[:, list(self.columns)] = points[:, : len(self.columns)]
        return rows

    def direction(self, w: Floats) -> Floats:
        """What is seen of a vector of all features."""
        return np.append(w[list(self.columns)], [0.0])[:2]

    def cut(self, w: Floats, b: float) -> tuple[Floats, float]:
        """Weights and intercept of a linear rule in the plane."""
        others = self.fixed.copy()
        others[list(self.columns)] = 0
        return self.direction(w), float(b + w @ others)


def plane(data: Data, features: Any, w: Floats | None, at: int | None = None) -> Plane:
    """The plane of two chosen features; the others at the values of row `at`, or at the median."""
    columns, chosen = _columns(data, features, w)
    names = [style.text(data.names[j]) for j in columns]
    fixed = np.zeros(data.d)
    if data.d <= 2:
        return Plane(columns, (names[0], names[1] if data.d == 2 else ""), fixed)
    fixed = _medians(data) if at is None else dense(data.table[[at]])[0].astype(np.float64)
    others = many(data.d - 2, "other feature")
    where = "at the median" if at is None else f"as in row {at}"
    how = f"A cut{chosen}: the {others} {'is' if data.d == 3 else 'are'} {where}."
    return Plane(columns, (names[0], names[1]), fixed, how)


def _columns(data: Data, features: Any, w: Floats | None) -> tuple[tuple[int, ...], str]:
    """Which features, and why these."""
    if features is not None:
        return _chosen(data, features), ""
    if data.d <= 2:
        return tuple(range(data.d)), ""
    if w is None:
        return (0, 1), " along the first two features"
    heaviest = np.argsort(-np.abs(w), kind="stable")[:2]
    return (int(heaviest[0]), int(heaviest[1])), " along the two heaviest weights"


def _chosen(data: Data, features: Any) -> tuple[int, ...]:
    wanted = min(data.d, 2)
    if isinstance(features, str) or not hasattr(features, "__len__") or len(features) != wanted:
        some = "two features, by name or number" if wanted == 2 else "the only feature"
        raise InputError(
            f"features={features!r} is not allowed: give {some}, like {_like(data)}.",
            option="features",
            value=features,
        )
    columns = tuple(_column(data, feature) for feature in features)
    if len(set(columns)) < wanted:
        raise InputError(
            f"features={features!r} is the same feature twice: give two.",
            option="features",
            value=features,
        )
    return columns


def _column(data: Data, feature: Any) -> int:
    if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool):
        if 0 <= feature < data.d:
            return int(feature)
        raise InputError(f"There is no feature {feature}: they are numbered 0 to {data.d - 1}.")
    if feature not in data.names:
        some = ", ".join(repr(name) for name in data.names[:8])
        more = ", …" if data.d > 8 else ""
        raise InputError(f"There is no feature {feature!r}; there are {some}{more}.")
    return data.names.index(feature)


def _like(data: Data) -> str:
    return repr(tuple(data.names[:2])) if data.d > 1 else repr([data.names[0]])


def _medians(data: Data) -> Floats:
    table = data.table if data.present.all() else data.table[data.present]
    if not sparse.issparse(table):
        return np.asarray(np.median(table, axis=0), dtype=np.float64)
    return np.asarray(csc_median_axis_0(table.tocsc()), dtype=np.float64)


# --- Points --------------------------------------------------------------------------------------


def shown(data: Data, mistakes: NDArray[np.bool_]) -> tuple[NDArray[np.intp], list[str]]:
    """The rows to draw, at most MOST_POINTS, mistakes first; and what is to be said of it."""
    rows = np.flatnonzero(data.present)
    if len(rows) <= MOST_POINTS:
        return rows, []
    # The same rows again and again where pictures follow each other.
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    wrong, right = rows[mistakes[rows]], rows[~mistakes[rows]]
    kept = wrong[:MOST_POINTS]
    others = right[: MOST_POINTS - len(kept)]
    words = f"{len(kept) + len(others):,} of {len(rows):,} rows are shown"
    if len(wrong):
        part = "all" if len(kept) == len(wrong) else f"{len(kept):,} of the"
        words += f", with {part} {many(len(wrong), 'mistake')}"
    return np.sort(np.concatenate([kept, others])), [words + "."]


# --- The rule: weights where there are any, scores of any row always -----------------------------

_BLOCK = 1 << 22  # numbers of a block of rows


@dataclass(frozen=True)
class Rule:
    """score = w·x + b where there is a w; otherwise whatever `score` says.

    Of many classes scores have a column for each, w has a row, and b an entry.
    """

    scores: Floats  # of the data
    score: Callable[[Floats], Floats]  # of any rows
    w: Floats | None = None
    b: Any = 0.0
    margin: float = 0.0  # μ

    @property
    def heaviest(self) -> Floats | None:
        """The largest weight of each feature."""
        return None if self.w is None else np.abs(np.atleast_2d(self.w)).max(axis=0)

    def surface(self, rows: Callable[[Floats], Floats], points: Floats, d: int) -> Floats:
        """Scores at points of the plane, a block of whole rows at a time."""
        size = max(1, _BLOCK // d)
        blocks = [points[i : i + size] for i in range(0, len(points), size)]
        return np.concatenate([self.score(rows(block)) for block in blocks])


def rule_of_estimator(estimator: Any, X: Any) -> Rule:
    if isinstance(estimator, KernelPerceptron) and estimator._rule.kernel.precomputed:
        raise InputError(
            "With kernel='precomputed' the estimator never saw the features: there is no plane to "
            "draw. AlphaDisplay and MistakesDisplay work."
        )
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    falls = getattr(estimator, "margin", None) == "auto"  # to 0: no band was kept free
    margin = 0.0 if falls else float(getattr(estimator, "margin_", 0.0))

    def score(rows: Floats) -> Floats:
        return np.asarray(estimator.decision_function(like(X, rows)), dtype=np.float64)

    coef = getattr(estimator, "coef_", None)  # votes and kernels have none
    if coef is None:
        return Rule(scores, score, margin=margin)
    if scores.ndim > 1:
        return Rule(scores, score, np.asarray(coef, dtype=np.float64), margin=margin)
    w, b = np.ravel(coef).astype(np.float64), float(np.ravel(estimator.intercept_)[0])
    return Rule(scores, lambda rows: rows @ w + b, w, b, margin)


def like(X: Any, rows: Floats) -> Any:
    """Rows in a frame of the same columns, so that the estimator knows them."""
    if not hasattr(X, "columns"):
        return rows
    names = list(X.columns)
    if hasattr(X, "iloc"):
        return type(X)(rows, columns=names)
    return type(X)(rows, schema=names)


def rule_of_trace(trace: Trace, step: int) -> Rule:
    """The weights after so many steps."""
    run = trace.replay.run
    margin = run.eta * run.margin if run.by_count else 0.0  # 1 of other rules is no parameter
    if run.linear():
        w, b = trace.weights_at(step)
        # η multiplies last: whether a row is a mistake is as training saw it, to the bit.
        units = next(trace.replay.features("a picture of weights").at([step]))
        scores = run.eta * Rows(run.X).scores(units)
        return Rule(scores, lambda rows: rows @ w.T + b, w, b, margin)
    kernel = run.kernel
    assert kernel is not None
    if kernel.precomputed:
        raise InputError(
            "With kernel='precomputed' training never saw the features: there is no plane to draw."
        )
    lifted = run.eta * run.coefficients(step)
    beta, b = lifted[..., :-1], lifted[..., -1]
    support = np.flatnonzero(np.atleast_2d(beta).any(axis=0))
    vectors = some_rows(run.X, support)

    def score(rows: Any) -> Floats:
        if not len(support):
            return np.full((rows.shape[0], *b.shape), b)
        values = kernel.matrix(rows, vectors).astype(np.float64)
        return np.asarray(values @ beta[..., support].T + b)

    size = max(1, _BLOCK // (len(support) + 1))
    n = run.X.shape[0]
    parts = [score(some_rows(run.X, slice(i, i + size))) for i in range(0, n, size)]
    return Rule(np.concatenate(parts), score, margin=margin)
