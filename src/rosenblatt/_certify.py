"""certify: is there a hyperplane with every row on its right side? Decided, and proved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

import rosenblatt
from rosenblatt import _targets, _validate, verify
from rosenblatt._examples import Csr, Matrix
from rosenblatt._proof import claim as say
from rosenblatt._proof import margins, wide
from rosenblatt._proof.bounds import Bound
from rosenblatt._proof.budget import Budget, LimitReached
from rosenblatt._proof.check import check, fingerprint
from rosenblatt._proof.faces import Partition
from rosenblatt._proof.findings import coefficient_signs, revealing_columns, visible_conflict
from rosenblatt._proof.rows import Rows
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError

SEMANTICS = ("binary64", "decimal")


def certify(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    semantics: str = "binary64",
    time_limit: float | None = None,
    work_limit: int | None = None,
) -> Certificate:
    """Decide whether a hyperplane separates the two classes, and prove it.

    Parameters
    ----------
    X : array, data frame or CSR matrix of shape (n, d)
        The rows.
    y : array of shape (n,)
        Their labels: two different ones, or one.
    fit_intercept : bool
        False: hyperplanes through the origin only.
    sample_weight : array of shape (n,), optional
        Rows of weight 0 are left out; other weights make no difference.
    semantics : "binary64" or "decimal"
        What the numbers mean: the floating-point numbers that they are, or the decimal numbers that
        were written, 0.1 and not the float next to it.
    time_limit : float, optional
        Seconds after which the answer may be "undecided".
    work_limit : int, optional
        Row evaluations after which it may be; the outcome is reproducible.

    Returns
    -------
    Certificate
        The verdict and its proof, which `verify.py` checks without trusting this function.

    Examples
    --------
    >>> from rosenblatt import certify
    >>> certificate = certify([[1], [2], [3], [3], [5], [6]], [0, 0, 0, 0, 1, 1])
    >>> certificate.verdict
    'complete separation'
    >>> certificate.geometric_margin
    Margin(lo=1.0, hi=1.0)
    """
    _validate.flag("fit_intercept", fit_intercept)
    _validate.one_of("semantics", semantics, SEMANTICS)
    if time_limit is not None:
        _validate.positive("time_limit", time_limit)
    work_limit = _validate.whole_or_none("work_limit", work_limit)
    table = read(X, y, sample_weight, semantics=semantics)
    return _Case(
        table, bool(fit_intercept), semantics, Budget(time_limit=time_limit, work_limit=work_limit)
    ).run()


@dataclass(frozen=True)
class Table:
    """Rows and labels, checked."""

    X: Any  # an array or a CSR matrix
    y: NDArray[np.int8]
    classes: list[str]  # one or two labels, as text
    present: NDArray[np.intp] | None  # None: all rows
    columns: list[str]
    target: str

    @property
    def labels(self) -> list[str | None]:
        """The text of the label of -1 and of +1."""
        return [None, *self.classes] if len(self.classes) == 1 else list(self.classes)


def read(X: Any, y: Any, sample_weight: Any = None, *, semantics: str) -> Table:
    """Check what was given."""
    target = str(getattr(y, "name", None) or "y")
    matrix, columns = _matrix(X)
    n = matrix.shape[0]
    texts = _texts(y)
    y = _targets.labels(y, n)
    c = _targets.sample_weights(sample_weight, n)
    present = None if c is None or c.all() else np.flatnonzero(c)
    classes = _targets.found_classes(y, None if c is None else c != 0, _ONE_AGAINST_THE_REST)
    pair = classes if len(classes) == 2 else np.array([classes[0], classes[0]])
    signs = _targets.signs(y, pair, None if c is None else c != 0)
    words = [texts[int(np.flatnonzero(y == label)[0])] for label in classes]
    return Table(_values(matrix, semantics), signs, words, present, columns, target)


_ONE_AGAINST_THE_REST = "For more classes ask for each against the rest: certify(X, y == label)."


def read_again(X: Any, y: Any, certified: dict[str, Any]) -> tuple[Any, list[str]]:
    """Rows and the text of their labels, to check a certificate of them."""
    matrix, _ = _matrix(X)
    texts = _texts(y)
    _targets.labels(y, matrix.shape[0])
    return _values(matrix, certified.get("semantics", "binary64")), texts


def _matrix(X: Any) -> tuple[Matrix, list[str]]:
    """X as numbers, and the names of its columns."""
    _refuse_rounded(X)
    reader = BaseEstimator()
    matrix = _validate.rows(reader, X, reset=True, finite=False)
    names = getattr(reader, "feature_names_in_", None)
    d = matrix.shape[1]
    columns = [f"x{j}" for j in range(d)] if names is None else [str(name) for name in names]
    _refuse_not_finite(matrix, columns)
    return matrix, columns


def _refuse_not_finite(matrix: Matrix, columns: list[str]) -> None:
    values = matrix.data if isinstance(matrix, Csr) else matrix
    if np.isfinite(values).all():
        return
    if isinstance(matrix, Csr):
        k = int(np.flatnonzero(~np.isfinite(values))[0])
        i, j = int(np.searchsorted(matrix.indptr, k, side="right")) - 1, int(matrix.indices[k])
        value = values[k]
    else:
        i, j = (int(v) for v in np.argwhere(~np.isfinite(matrix))[0])
        value = matrix[i, j]
    raise InputError(
        f"X holds {value} at row {i}, column {j} ({columns[j]!r}): there is nothing to prove about "
        "NaN or infinity. Fill it in, or leave the row out."
    )


def _texts(y: Any) -> list[str]:
    """The labels as they were given, before NumPy changes their type."""
    values = y.tolist() if hasattr(y, "tolist") else y.to_list() if hasattr(y, "to_list") else y
    try:
        return [str(v[0] if isinstance(v, list) and len(v) == 1 else v) for v in values]
    except TypeError:  # not a sequence: the check of labels has the words
        return []


def _values(matrix: Matrix, semantics: str) -> Any:
    if isinstance(matrix, Csr):
        arrays = (matrix.data, matrix.indices, matrix.indptr)
        matrix = sparse.csr_array(arrays, shape=matrix.shape)
    return _as_written(matrix) if semantics == "decimal" else matrix


def _refuse_rounded(X: Any) -> None:
    """Whole numbers beyond 2^53 would be rounded, and the proof be about other numbers."""
    columns = X.items() if hasattr(X, "items") and hasattr(X, "columns") else [("X", X)]
    for name, column in columns:
        rounded = [v for v in _large(column) if int(float(v)) != v]
        if rounded:
            raise InputError(
                f"{name} holds {rounded[0]}: whole numbers beyond 2^53 are rounded in floating "
                "point, so that the proof would be about other numbers. Subtract a constant from "
                "that column, or divide it by one that leaves no remainder."
            )


def _large(column: Any) -> list[int]:
    """The whole numbers beyond 2^53."""
    values = column.data if sparse.issparse(column) else column
    if isinstance(values, (list, tuple)):
        values = np.array([v for row in values for v in np.ravel(row).tolist()], dtype=object)
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if kind == "O":
        return [v for v in np.ravel(values).tolist() if isinstance(v, int) and abs(v) > 2**53]
    if kind in ("i", "u"):
        values = np.asarray(values).ravel()
        return [*values[values > 2**53].tolist(), *values[values < -(2**53)].tolist()]
    return []


def _as_written(X: Any) -> Any:
    """float32 numbers are replaced by the float64 that reads the same."""
    if X.dtype == np.float64:
        return X
    if sparse.issparse(X):
        out = X.astype(np.float64)
        out.data = X.data.astype(str).astype(np.float64)
        return out
    return X.astype(str).astype(np.float64)


class _Case:
    """One table to decide about."""

    def __init__(self, table: Table, intercept: bool, semantics: str, budget: Budget):
        self.table, self.budget, self.semantics = table, budget, semantics
        present = table.present
        self.rows = Rows(
            table.X if present is None else table.X[present],
            table.y if present is None else table.y[present],
            intercept=intercept,
            decimal=semantics == "decimal",
            budget=budget,
        )
        self.name = say.Names(present)

    @np.errstate(all="ignore")  # floating point only guesses here
    def run(self) -> Certificate:
        partition = Partition(self.rows)
        limits: list[str] = []
        trained = None
        with _noting(limits):
            known = visible_conflict(self.rows)
            if wide.is_wide(self.rows):
                trained = wide.train(partition, known)
            else:
                partition.run(known)
        out = self._head() | say.partition_part(partition, self.name)
        if out["verdict"] == "complete separation":
            out |= self._margins(partition, trained, limits)
        if out["verdict"] == "quasi-complete separation":
            with _noting(limits):
                found = coefficient_signs(partition)
                out["signs"] = [say.sign(s, self.name) for s in found]
        self.budget.lift()
        if out["separable"] or "separator" in out:
            out["revealing"] = [say.revealing(found) for found in revealing_columns(self.rows)]
        out["limits"] = limits
        self._check(out)
        return Certificate(out, checked=True)

    def _head(self) -> dict[str, Any]:
        table = self.table
        index = np.arange(len(table.y))
        dropped = index[:0] if table.present is None else np.delete(index, table.present)
        out = {
            "schema": verify.SCHEMA,
            "producer": f"rosenblatt {rosenblatt.__version__}",
            "semantics": self.semantics,
            "fit_intercept": self.rows.intercept,
            "rows": len(table.y),
            "dropped": dropped.tolist(),
            "columns": table.columns,
            "target": table.target,
            "labels": table.labels,
        }
        return out | {"sha256": fingerprint(out, self.rows)}

    def _margins(
        self, partition: Partition, trained: Bound | None, limits: list[str]
    ) -> dict[str, Any]:
        rows, w = self.rows, partition.separator
        assert w is not None
        bounds = {} if trained is None else {"homogeneous": trained}
        with _noting(limits):
            if trained is not None:
                raise LimitReached(f"{rows.D} dimensions are too many for the largest margin")
            bounds["homogeneous"] = margins.homogeneous(rows, partition.support, w)
            geometric = margins.geometric(rows, list(bounds["homogeneous"].weights), w)
            if geometric is not None:
                bounds["geometric"] = geometric
        if "homogeneous" not in bounds:  # a limit struck: what is known already
            self.budget.lift()
            bounds["homogeneous"] = margins.simple(rows, w)
        if not rows.intercept:
            bounds["geometric"] = bounds["homogeneous"]
        longest = margins.radius_row(rows)
        return {
            "margins": {kind: say.margin(bound, self.name) for kind, bound in bounds.items()},
            **say.mistake_bounds(rows, self.name, bounds["homogeneous"], longest),
        }

    def _check(self, out: dict[str, Any]) -> None:
        """Nothing leaves that the verifier would reject."""
        try:
            check(out, self.table.X, self.table.y, hashed=True)
        except verify.Rejected as reason:
            raise AssertionError(
                f"A certificate was found that its verifier rejects ({reason}). This is a mistake "
                "in rosenblatt: please report it, with the data if you can."
            ) from None


@contextmanager
def _noting(limits: list[str]) -> Iterator[None]:
    """What a limit cuts short is left out, and noted."""
    try:
        yield
    except LimitReached as reached:
        limits.append(str(reached))
