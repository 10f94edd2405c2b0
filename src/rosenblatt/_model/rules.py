"""Rules in a model file: weights, voters, support vectors with their kernel, and scorecards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Csr, Matrix
from rosenblatt._model import arrays
from rosenblatt._training.card_rule import Card, Term
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.kernel_rule import DualVoters, KernelExpansion, KernelRule
from rosenblatt._training.kernels import KERNELS, Kernel, kernel_of
from rosenblatt._training.linear_rule import MOST_BYTES, LinearRule, Voters
from rosenblatt._training.training import TrainingRecord
from rosenblatt._util.strict_json import InvalidDocument, Part
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.scorecard import MOST_POINTS, Scorecard


def write_linear(rule: LinearRule | Voters) -> dict[str, Any]:
    """In units of the learning rate: the score is eta0 (weights·x + intercept), or the votes."""
    if isinstance(rule, LinearRule):
        return write_weights(rule.weights)
    weights, votes = rule.table()
    return {
        "voters": arrays.floats(weights[..., :-1]),
        "intercepts": arrays.floats(weights[..., -1]),
        "votes": arrays.counts(votes),
        "newest_since": int(rule.since),
    }


def write_weights(w: NDArray[np.float64]) -> dict[str, Any]:
    if w.ndim == 1:
        return {"weights": arrays.floats(w[:-1]), "intercept": float(w[-1])}
    return {"weights": arrays.floats(w[:, :-1]), "intercepts": arrays.floats(w[:, -1])}


def shape_of_weights(d: int, classes: NDArray[Any]) -> tuple[int, ...]:
    return (d,) if len(classes) == 2 else (len(classes), d)


def read_rule(part: Part, shape: tuple[int, ...], eta: float) -> LinearRule:
    with part:
        weights = read_weights(part, shape)
    with np.errstate(over="ignore"):
        finite = np.isfinite(eta * weights).all()
    if not finite:
        raise InvalidDocument(f"{part.name('weights')} times the learning rate {eta} overflow")
    return LinearRule(weights.copy(), eta)


def read_weights(part: Part, shape: tuple[int, ...]) -> NDArray[np.float64]:
    weights = arrays.read_floats(part, "weights", shape)
    if len(shape) == 1:
        return np.append(weights, part.number("intercept"))
    return np.column_stack([weights, arrays.read_floats(part, "intercepts", shape[:1])])


def read_weights_in(part: Part, field: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    with part.part(field) as weights:
        return read_weights(weights, shape)


def read_voters(part: Part, shape: tuple[int, ...]) -> Voters:
    with part:
        intercepts = arrays.read_floats(part, "intercepts", (None, *shape[:-1]))
        weights = arrays.read_floats(part, "voters", (len(intercepts), *shape))
        votes = arrays.read_counts(part, "votes", (len(intercepts),)).tolist()
        since = part.whole("newest_since")
    if 8 * intercepts.size * (shape[-1] + 1) > MOST_BYTES:
        raise InvalidDocument(f"{part.name('voters')} holds more than {MOST_BYTES >> 30} GiB")
    return Voters.of(np.concatenate([weights, intercepts[..., None]], axis=-1), votes, since)


# --- Support vectors: writing --------------------------------------------------------------------


def write_kernel(p: KernelPerceptron) -> dict[str, Any]:
    """The score is eta0 (Σ coefficient · kernel(support vector, x) + intercept), or the votes."""
    rule = p._rule
    return {
        "kernel": rule.kernel.kernel,
        "degree": rule.kernel.degree,
        "gamma": rule.kernel.gamma,
        "coef0": rule.kernel.coef0,
        "support": arrays.counts(rule.support),
        "vectors": None if rule.vectors is None else _table(rule.vectors),
        "row_weights": None if p._weights is None else arrays.floats(p._weights),
    } | _learned(rule)


def _table(X: Matrix) -> dict[str, Any]:
    if not isinstance(X, Csr):
        return {"dense": arrays.floats(X)}
    return {
        "data": arrays.floats(X.data),
        "indices": arrays.counts(X.indices),
        "indptr": arrays.counts(X.indptr),
        "index_type": X.indices.dtype.name,
    }


def _learned(rule: KernelRule) -> dict[str, Any]:
    voters = rule.learned
    if isinstance(voters, KernelExpansion):
        return _function(voters, rule.support)
    document: dict[str, Any] = {
        "updated_rows": arrays.counts(voters.rows),
        **({} if voters.k is None else {"updated_classes": arrays.counts(voters.classes)}),
        "steps": arrays.floats(np.array(voters.steps, dtype=np.float64)),
        "votes": arrays.counts(voters.votes),
        "start": None,
    }
    if voters.start is not None:
        document["start"] = _function(voters.start, rule.support) | {"votes": voters.start_votes}
    return document


def _function(f: KernelExpansion, support: NDArray[np.intp]) -> dict[str, Any]:
    coefficients = arrays.floats(np.asarray(f.beta[..., support]))
    if f.k is None:
        return {"coefficients": coefficients, "intercept": float(f.b)}
    return {"coefficients": coefficients, "intercepts": arrays.floats(f.b[:, 0])}


# --- Support vectors: reading --------------------------------------------------------------------


def read_kernel(
    part: Part, record: TrainingRecord, d: int, classes: int
) -> tuple[KernelRule, NDArray[np.float64] | None]:
    """Training itself cannot go on."""
    if not isinstance(record._counts, np.ndarray):
        raise InvalidDocument("training.update_counts is null or not there, and a kernel needs it")
    rows, units = len(record._counts), record._made_with
    k = None if classes == 2 else classes
    with part:
        kernel = kernel_of(
            part.one_of("kernel", KERNELS),
            degree=part.number("degree"),
            gamma=part.number("gamma"),
            coef0=part.number("coef0"),
        )
        support = arrays.read_counts(part, "support", (None,), most=rows - 1).astype(np.intp)
        if (np.diff(support) <= 0).any():
            raise InvalidDocument(f"{part.name('support')} is not in increasing order")
        vectors = _read_vectors(part, kernel, len(support), d)
        learned: KernelExpansion | DualVoters
        if KEEPS[units.keep].votes:
            learned = _read_voters(part, rows, support, k, intercept=units.fit_intercept)
        else:
            learned = _read_function(part, rows, support, k)
        weights = part.optional(
            lambda field: arrays.read_floats(part, field, (rows,)), "row_weights"
        )
    if kernel.degree < 0 or kernel.gamma < 0:
        raise InvalidDocument("rule.degree or rule.gamma is less than 0")
    if kernel.precomputed and d != rows:
        raise InvalidDocument(
            f"the kernel is precomputed, but there are {rows} rows and {d} features"
        )
    if weights is not None and (weights < 0).any():
        raise InvalidDocument(f"{part.name('row_weights')} holds numbers less than 0")
    return KernelRule(learned, kernel, support, vectors, units.eta0), weights


def _read_vectors(part: Part, kernel: Kernel, n: int, d: int) -> Matrix | None:
    table = part.optional(part.part, "vectors")
    if kernel.precomputed != (table is None):
        raise InvalidDocument(f"{part.name('vectors')} is not as kernel={kernel.kernel!r} has it")
    if table is None:
        return None
    with table:
        if "dense" in table:
            return arrays.read_floats(table, "dense", (n, d), single=True)
        return _read_csr(table, n, d)


def _read_csr(part: Part, n: int, d: int) -> Csr:
    index_type = part.one_of("index_type", ("int32", "int64"))
    data = arrays.read_floats(part, "data", (None,), single=True)
    indptr = arrays.read_counts(part, "indptr", (n + 1,), most=len(data))
    indices = arrays.read_counts(part, "indices", (len(data),), most=d - 1)
    if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise InvalidDocument(f"{part.name('indptr')} is not rows one after the other")
    within = np.ones(len(data), dtype=bool)  # places whose entry before is of the same row
    within[indptr[:-1][indptr[:-1] < len(data)]] = False
    if len(data) and (np.diff(indices)[within[1:]] <= 0).any():
        raise InvalidDocument(f"{part.name('indices')} is not in increasing order within rows")
    return Csr(data, indices.astype(index_type), indptr.astype(index_type), (n, d))


def _read_function(
    part: Part, rows: int, support: NDArray[np.intp], k: int | None
) -> KernelExpansion:
    """What it gives on the training rows is needed in training only."""
    if k is None:
        beta = np.zeros(rows)
        beta[support] = arrays.read_floats(part, "coefficients", (len(support),))
        return KernelExpansion(beta, part.number("intercept"), np.zeros(0))
    beta = np.zeros((k, rows))
    beta[:, support] = arrays.read_floats(part, "coefficients", (k, len(support)))
    b = arrays.read_floats(part, "intercepts", (k,))
    return KernelExpansion(beta, b[:, None], np.zeros((k, 0)))


def _read_voters(
    part: Part, rows: int, support: NDArray[np.intp], k: int | None, *, intercept: bool
) -> DualVoters:
    voters = DualVoters(rows, intercept=intercept, k=k)
    voters.votes = arrays.read_counts(part, "votes", (None,)).tolist()
    updates = len(voters.votes)
    updated = arrays.read_counts(part, "updated_rows", (updates,), most=rows - 1)
    if not np.isin(updated, support).all():
        raise InvalidDocument(
            f"{part.name('updated_rows')} holds rows that are not in rule.support"
        )
    voters.rows = updated.tolist()
    voters.classes = [0] * updates
    if k is not None:
        classes = arrays.read_counts(part, "updated_classes", (updates,), most=k - 1)
        voters.classes = classes.tolist()
    voters.steps = arrays.read_floats(part, "steps", (updates,)).tolist()
    first = part.optional(part.part, "start")
    if first is not None:
        with first as start:
            voters.start = _read_function(start, rows, support, k)
            voters.start_votes = start.whole("votes")
    return voters


# --- Scorecards ----------------------------------------------------------------------------------


_LARGEST = 2**53  # a threshold: what floats hold


def write_card(p: Scorecard) -> dict[str, Any]:
    card, validation = p._rule, p.validation_errors_
    bracket = None if p.bracket_ is None else [float(end) for end in p.bracket_]
    return {
        "terms": [
            {"column": term.column, "cut": term.cut, "indicator": term.indicator, "points": points}
            for term, points in zip(card.terms, card.points, strict=True)
        ],
        "threshold": card.threshold,
        "training_errors": p.training_errors_,
        "bracket": bracket,
        "weighed": p.bracket_ is not None and isinstance(p.bracket_[1], float),
        "errors_by_terms": arrays.floats(p.errors_by_terms_),
        "validation_errors": None if validation is None else arrays.counts(validation),
    }


def read_card(part: Part, p: Scorecard) -> None:
    if len(p.classes_) != 2:
        raise InvalidDocument(f"a card is for 2 classes, and there are {len(p.classes_)}")
    with part:
        earned = [_earned(term, p.n_features_in_) for term in part.parts("terms")]
        threshold = _whole(part, "threshold", _LARGEST)
        p.training_errors_ = part.whole("training_errors")
        p.bracket_ = part.optional(_bracket, "bracket", part, part.flag("weighed"))
        p.errors_by_terms_ = arrays.read_floats(part, "errors_by_terms", (None,))
        p.validation_errors_ = None
        if part.value("validation_errors") is not None:
            p.validation_errors_ = arrays.read_counts(part, "validation_errors", (None,))
    p._rule = Card(tuple(t for t, _ in earned), tuple(points for _, points in earned), threshold)


def _earned(part: Part, features: int) -> tuple[Term, int]:
    with part:
        column = part.whole("column", features - 1)
        cut, indicator = part.optional(part.finite, "cut"), part.flag("indicator")
        points = _whole(part, "points", MOST_POINTS)
    return Term(column, None if cut is None else float(cut), indicator), points


def _whole(part: Part, field: str, most: int) -> int:
    value = part.value(field)
    if type(value) is not int or abs(value) > most:
        raise InvalidDocument(f"{part.name(field)} is not a whole number from -{most} to {most}")
    return value


def _bracket(field: str, part: Part, weighed: bool) -> tuple[float, float]:
    ends = part.values(field)
    good = len(ends) == 2 and all(type(end) is float and 0 <= end < np.inf for end in ends)
    if not good:
        raise InvalidDocument(f"{part.name(field)} is not two numbers, 0 or greater")
    if weighed:
        return ends[0], ends[1]
    if not all(end.is_integer() for end in ends):
        raise InvalidDocument(f"{part.name(field)} is not two numbers of rows")
    return int(ends[0]), int(ends[1])
