"""Kernels, and rows of the Gram matrix: computed when first needed, kept while there is room."""

from __future__ import annotations

import math
import numbers
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import _validate
from rosenblatt._examples import Csr, Matrix, Rows
from rosenblatt._tables import as_table, dense, squares
from rosenblatt.errors import InputError

Floats = NDArray[np.float64]
Values = NDArray[Any]  # kernel values, in float32 where X is

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

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused afterwards
    def of_products(self, products: Values, squares: Values, square: Any) -> Values:
        """Kernel values, in place of the inner products x·z; with the squared lengths of both."""
        if self.kernel == "rbf":  # -gamma (‖x‖² + ‖z‖² - 2 x·z), which rounding can make positive
            products *= 2.0
            products -= squares
            products -= square
            np.minimum(products, 0.0, out=products)
            products *= self.gamma
            return np.exp(products, out=products)
        if self.kernel != "linear":
            products *= self.gamma
            products += self.coef0
            if self.kernel == "sigmoid":
                return np.tanh(products, out=products)
            np.power(products, self.degree, out=products)
        return products

    def squares(self, X: Any) -> Floats:
        """‖x_i‖², for the kernel that needs them; else zeros."""
        return squares(X) if self.kernel == "rbf" else np.zeros(X.shape[0])

    def matrix(self, A: Matrix, B: Matrix) -> Values:
        """All k(a, b)."""
        left, right = as_table(A), as_table(B)
        if callable(self.kernel):
            return self.called(left, right)
        products = dense(left @ right.T)
        lengths = self.squares(right), self.squares(left)[:, None]
        return self.of_products(products, *(s.astype(products.dtype) for s in lengths))

    def called(self, left: Any, right: Any) -> Floats:
        assert callable(self.kernel)
        values = dense(self.kernel(left, right))
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
        self._room, self._filled = most_bytes, 0
        self._kept: OrderedDict[int, Values] = OrderedDict()
        # x·z of the linear kernel is the defined score, the same bits as in Perceptron.
        self._rows = Rows(X) if kernel.kernel == "linear" else None
        self._table = as_table(X)
        if self._by_products and not isinstance(X, Csr):
            self._table = np.asfortranarray(X)  # by columns a product takes two thirds of the time
        dtype = X.data.dtype if isinstance(X, Csr) else X.dtype
        self._squares = kernel.squares(self._table).astype(dtype)

    @property
    def _by_products(self) -> bool:
        return self.kernel.kernel in ("rbf", "poly", "sigmoid")

    def row(self, i: int) -> Values:
        """k(x_i, x_j) for all j; not to be changed."""
        found = self._kept.get(i)
        if found is not None:
            self._kept.move_to_end(i)
            return found
        found = self._compute(i)
        while self._kept and self._filled + found.nbytes > self._room:
            self._filled -= self._kept.popitem(last=False)[1].nbytes
        if found.nbytes <= self._room:
            self._kept[i] = found
            self._filled += found.nbytes
        return found

    def _compute(self, i: int) -> Values:
        if self.kernel.precomputed:
            return np.asarray(self._table[i])
        if callable(self.kernel.kernel):
            return np.asarray(self.kernel.called(self._table[[i]], self._table)[0])
        x = dense(self._table[[i]])[0]
        if self._rows is not None:
            return self._rows.scores(np.append(x.astype(np.float64), 0.0))
        products = np.asarray(self._table @ x)
        values = self.kernel.of_products(products, self._squares, self._squares[i])
        if not np.isfinite(values).all():
            raise InputError(
                f"The {self.kernel.kernel} kernel of row {i} is beyond the largest floating-point "
                "number: scale the features, or lower gamma, degree or coef0."
            )
        return values


def blocks(n: int, width: int) -> Iterator[slice]:
    """Rows in blocks whose kernel values, `width` for each, fit into memory easily."""
    step = max(1, _BLOCK // max(width, 1))
    for begin in range(0, n, step):
        yield slice(begin, min(begin + step, n))


def check_parameters(estimator: Any) -> None:
    """The error for a parameter of the kernel that is not allowed whatever the rows."""
    if not callable(estimator.kernel):
        _validate.one_of("kernel", estimator.kernel, KERNELS)
    if isinstance(estimator.gamma, str):
        _validate.one_of("gamma", estimator.gamma, ("scale", "auto"))
    else:
        _validate.not_negative("gamma", estimator.gamma)
    _validate.not_negative("degree", estimator.degree)
    _number("coef0", estimator.coef0)


def checked_kernel(estimator: Any, X: Matrix) -> Kernel:
    """The kernel of an estimator, with gamma as a number."""
    check_parameters(estimator)
    if isinstance(estimator.kernel, str) and estimator.kernel == "precomputed":
        _refuse_not_square(X)
    return Kernel(
        estimator.kernel,
        degree=float(estimator.degree),
        gamma=_gamma(estimator.gamma, X),
        coef0=float(estimator.coef0),
    )


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
    if not isinstance(gamma, str):
        return float(gamma)
    d = int(X.shape[1])
    if gamma == "auto":
        return 1.0 / d
    variance = _variance(X)
    return 1.0 / (d * variance) if variance > 0 else 1.0


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
