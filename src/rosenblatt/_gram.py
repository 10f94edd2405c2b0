"""Kernels, and rows of the Gram matrix: computed when first needed, kept while there is room."""

from __future__ import annotations

import math
import numbers
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import _validate
from rosenblatt._examples import Csr, Matrix, Rows
from rosenblatt.errors import InputError

Floats = NDArray[np.float64]

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
_BLOCK = 1 << 22  # numbers of a block of kernel values


class Kernel:
    """k(x, z) with scikit-learn's parameter meanings; `matrix` for all pairs of two tables."""

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any],
        *,
        degree: float,
        gamma: float,
        coef0: float,
    ):
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0

    @property
    def precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def of_products(self, products: Floats, squares: Floats, square: Floats | float) -> Floats:
        """Kernel values from inner products x·z and the squared lengths of both sides."""
        if self.kernel == "linear":
            return products
        if self.kernel == "rbf":
            distances = squares + square - 2.0 * products
            np.maximum(distances, 0.0, out=distances)
            distances *= -self.gamma
            return np.exp(distances, out=distances)
        products = self.gamma * products + self.coef0
        return products**self.degree if self.kernel == "poly" else np.tanh(products)

    def matrix(self, A: Matrix, B: Matrix) -> Floats:
        """All k(a, b)."""
        if self.precomputed:
            return np.asarray(A, dtype=np.float64)
        left, right = _table(A), _table(B)
        if callable(self.kernel):
            return self.called(left, right)
        products = left.astype(np.float64) @ right.astype(np.float64).T
        products = np.asarray(products.toarray() if sparse.issparse(products) else products)
        return self.of_products(products, _squares(right)[None, :], _squares(left)[:, None])

    def called(self, left: Any, right: Any) -> Floats:
        assert callable(self.kernel)
        values = self.kernel(left, right)
        values = np.asarray(values.toarray() if sparse.issparse(values) else values)
        wanted = (left.shape[0], right.shape[0])
        if values.shape != wanted:
            raise InputError(
                f"The kernel function returned shape {values.shape} for {wanted[0]} and "
                f"{wanted[1]} rows: it must return one number for each pair, shape {wanted}."
            )
        if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
            raise InputError(
                "The kernel function returned NaN, infinity or something that is no number: it "
                "must return finite numbers."
            )
        return values.astype(np.float64)


class Gram:
    """Rows of the matrix k(x_i, x_j) over the training rows.

    The least recently used row leaves when `most_bytes` are full. What a row is does not depend on
    when it is computed, so that results do not depend on the size of the cache.
    """

    def __init__(self, kernel: Kernel, X: Matrix, most_bytes: float):
        self.kernel, self.X, self.n = kernel, X, X.shape[0]
        self._room = max(1, int(most_bytes // (8 * self.n)))
        self._kept: OrderedDict[int, Floats] = OrderedDict()
        self._rows = None if kernel.precomputed or callable(kernel.kernel) else Rows(X)
        self._squares = _squares(_table(X)) if kernel.kernel == "rbf" else np.zeros(self.n)

    def row(self, i: int) -> Floats:
        """k(x_i, x_j) for all j; not to be changed."""
        found = self._kept.get(i)
        if found is not None:
            self._kept.move_to_end(i)
            return found
        while len(self._kept) >= self._room:
            self._kept.popitem(last=False)
        found = self._compute(i)
        self._kept[i] = found
        return found

    def _compute(self, i: int) -> Floats:
        if self.kernel.precomputed:
            assert not isinstance(self.X, Csr)
            return np.ascontiguousarray(self.X[i], dtype=np.float64)
        if self._rows is None:
            table = _table(self.X)
            return np.asarray(self.kernel.called(table[[i]], table)[0])
        x = _table(self.X)[[i]]
        x = np.asarray(x.toarray() if sparse.issparse(x) else x, dtype=np.float64)
        products = self._rows.scores(np.append(x.ravel(), 0.0))
        values = self.kernel.of_products(products, self._squares, float(self._squares[i]))
        if not np.isfinite(values).all():
            raise InputError(
                f"The {self.kernel.kernel} kernel of row {i} is beyond the largest floating-point "
                "number: scale the features, or lower gamma, degree or coef0."
            )
        return values


def _table(X: Matrix) -> Any:
    """An array or a scipy matrix, without a copy."""
    if isinstance(X, Csr):
        return sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    return X


def _squares(X: Any) -> Floats:
    """‖x_i‖²."""
    if sparse.issparse(X):
        return np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))


def blocks(n: int, width: int) -> Iterator[slice]:
    """Rows in blocks whose kernel values, `width` for each, fit into memory easily."""
    step = max(1, _BLOCK // max(width, 1))
    for begin in range(0, n, step):
        yield slice(begin, min(begin + step, n))


def some_rows(X: Matrix, index: Any) -> Matrix:
    """Some rows of a table, as a table of its own."""
    if not isinstance(X, Csr):
        return np.asarray(X[index])
    part = _table(X)[index]
    return Csr(part.data, part.indices, part.indptr, part.shape)


def checked_kernel(estimator: Any, X: Matrix) -> Kernel:
    """The kernel of an estimator, with gamma as a number."""
    kernel = estimator.kernel
    if not callable(kernel):
        _validate.one_of("kernel", kernel, KERNELS)
    if isinstance(kernel, str) and kernel == "precomputed":
        _refuse_not_square(X)
    degree = _validate.not_negative("degree", estimator.degree)
    coef0 = _number("coef0", estimator.coef0)
    return Kernel(kernel, degree=degree, gamma=_gamma(estimator.gamma, X), coef0=coef0)


def _refuse_not_square(X: Matrix) -> None:
    n, d = X.shape
    if n != d or isinstance(X, Csr):
        what = "a sparse matrix" if isinstance(X, Csr) else f"shape {X.shape}"
        raise InputError(
            "kernel='precomputed' needs X to be the square matrix of all k(x_i, x_j), an array "
            f"with as many columns as rows; got {what}."
        )


def _gamma(gamma: Any, X: Matrix) -> float:
    """scikit-learn's: "scale" is 1/(d · variance of X), "auto" is 1/d."""
    if isinstance(gamma, str):
        _validate.one_of("gamma", gamma, ("scale", "auto"))
        d = int(X.shape[1])
        if gamma == "auto":
            return 1.0 / d
        variance = _variance(X)
        return 1.0 / (d * variance) if variance > 0 else 1.0
    return _validate.not_negative("gamma", gamma)


def _variance(X: Matrix) -> float:
    """Of all numbers in X."""
    if not isinstance(X, Csr):
        return float(X.var(dtype=np.float64))
    size = X.shape[0] * X.shape[1]
    values = X.data.astype(np.float64)
    return float(values @ values / size - (values.sum() / size) ** 2)


def _number(name: str, value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
        raise InputError(f"{name}={value!r} is not allowed: give a finite number.")
    return float(value)
