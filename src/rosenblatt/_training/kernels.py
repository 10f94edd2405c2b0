"""Kernels, and rows of the Gram matrix: computed when first needed, kept while there is room."""

from __future__ import annotations

import math
import numbers
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute, side_by_side
from rosenblatt._core.rows import Csr, Matrix, Rows, as_table, dense, squares_alike
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError

Floats = NDArray[np.float64]
Values = NDArray[Any]  # kernel values, in float32 where X is

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
_BLOCK = 1 << 22  # numbers of a block of kernel values
_PANEL = 16  # P of native/gram.hpp
_TOGETHER = 32  # more rows of the Gram matrix at a time are hardly faster


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

    @property
    def of_pairs(self) -> bool:
        """Whether k(x, z) is computed here, from inner products."""
        return not callable(self.kernel) and not self.precomputed

    def of_products(
        self, products: Values, x_squares: Values, z_squares: Values, out: Values
    ) -> Values:
        """All k(x, z) from x·z, which are lost, and the squared lengths of both; into `out`."""
        if self.kernel == "rbf":
            compute.backend.rbf_exponents(products, x_squares, z_squares, self.gamma)
            return np.exp(products, out=out)
        if self.kernel == "linear":
            np.copyto(out, products)
            return out
        np.multiply(products, self.gamma, out=out)
        out += self.coef0
        if self.kernel == "sigmoid":
            return np.tanh(out, out=out)
        return np.power(out, self.degree, out=out)

    def squares(self, X: Any) -> Floats:
        """‖x_i‖², for the kernel that needs them; else zeros."""
        return squares_alike(X) if self.kernel == "rbf" else np.zeros(X.shape[0])

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused afterwards
    def matrix(self, A: Matrix, B: Matrix) -> Values:
        """All k(a, b)."""
        left, right = as_table(A), as_table(B)
        if callable(self.kernel):
            return self.called(left, right)
        products = np.ascontiguousarray(dense(left @ right.T))
        of_left, of_right = (self.squares(t).astype(products.dtype) for t in (left, right))
        return self.of_products(products, of_left, of_right, out=products)

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

    The least recently used row leaves when `most_bytes` are full; the newest one stays. A value is
    made of the defined score x_i·x_j and of what is done to each number by itself. So it does not
    depend on when it is computed nor on what is computed with it, and results do not depend on the
    size of the cache.
    """

    def __init__(self, kernel: Kernel, X: Matrix, most_bytes: float):
        self.kernel, self.X, self.n = kernel, X, X.shape[0]
        self._kept: OrderedDict[int, Values] = OrderedDict()
        self._room, self._filled = most_bytes, 0
        self._table, self._rows = as_table(X), Rows(X).native
        # Inner products of the linear kernel are the scores of Perceptron and stay as they are.
        linear = kernel.kernel == "linear"
        self._dtype = np.dtype(np.float64) if linear else self._table.dtype
        self._squares = kernel.squares(self._table).astype(self._dtype)
        # How many rows are best computed together. A row needs X to be read, and so do many.
        self.together = 1
        if kernel.of_pairs and not isinstance(X, Csr):
            self._panels = _panels(X)
            self.together = int(min(max(most_bytes // (16 * 8 * self.n), 1), _TOGETHER))
            self._products = np.empty((self.together, self.n), dtype=self._dtype)

    def row(self, i: int) -> Values:
        """k(x_i, x_j) for all j; not to be changed."""
        return self.rows([i])[0]

    @np.errstate(over="ignore", invalid="ignore")
    def rows(self, wanted: list[int]) -> list[Values]:
        """The same for several i, at most `together` of them not at hand."""
        found = {i: self._kept[i] for i in wanted if i in self._kept}
        missing = [i for i in wanted if i not in found]
        found.update(zip(missing, self._computed(missing), strict=True))
        return [self._keep(i, found[i]) for i in wanted]

    def at_hand(self, i: int) -> bool:
        return i in self._kept

    def some(self, i: int, places: NDArray[Any]) -> Values:
        """k(x_i, x_j) for some j; of a row that is not at hand, no others are computed."""
        kept = self._kept.get(i)
        if kept is not None:
            return np.asarray(kept[places])
        return self._values(i, self._products_with(i, places), self._squares[places])

    def of_itself(self, i: int) -> float:
        """k(x_i, x_i)"""
        if self.kernel.precomputed:
            return float(self._table[i, i])
        if callable(self.kernel.kernel):
            return float(self.kernel.called(self._table[[i]], self._table[[i]])[0, 0])
        return float(self.some(i, np.array([i]))[0])

    def _keep(self, i: int, row: Values) -> Values:
        if i not in self._kept:
            self._filled += row.nbytes
        self._kept[i] = row
        self._kept.move_to_end(i)
        while self._filled > self._room and len(self._kept) > 1:
            self._filled -= self._kept.popitem(last=False)[1].nbytes
        return row

    def _computed(self, rows: list[int]) -> Iterator[Values]:
        if self.kernel.precomputed:
            yield from (np.asarray(self._table[i]) for i in rows)
        elif callable(self.kernel.kernel):
            yield from (self.kernel.called(self._table[[i]], self._table)[0] for i in rows)
        elif isinstance(self.X, Csr):
            for i in rows:
                yield self._values(i, self._products_with(i, None), self._squares)
        elif rows:
            products = self._products[: len(rows)]
            compute.backend.products(self._panels, self._weights(rows), products)
            yield from side_by_side(
                lambda place: self._values(rows[place], products[place], self._squares),
                len(rows),
                min(compute.threads_for(products.size), len(rows)),
            )

    def _products_with(self, i: int, places: NDArray[Any] | None) -> Values:
        """x_i·x_j for some j, or for all."""
        products = np.empty(self.n if places is None else len(places), dtype=self._dtype)
        compute.backend.scores_of_some(
            self._rows, self._weights(slice(i, i + 1))[0], places, products
        )
        return products

    def _weights(self, rows: list[int] | slice) -> Values:
        """Rows as weights, with intercept 0: scores under them are inner products."""
        some = dense(self._table[rows])
        lifted = np.zeros((len(some), some.shape[1] + 1), dtype=self._dtype)
        lifted[:, :-1] = some
        return lifted

    @np.errstate(over="ignore", invalid="ignore")
    def _values(self, i: int, products: Values, squares: Values) -> Values:
        values = np.empty_like(products)
        self.kernel.of_products(products[None], self._squares[i : i + 1], squares, out=values[None])
        if not compute.backend.all_finite(values):
            raise InputError(
                f"The {self.kernel.kernel} kernel of row {i} is beyond the largest floating-point "
                "number: scale the features, or lower gamma, degree or coef0."
            )
        return values


def _panels(X: NDArray[Any]) -> NDArray[Any]:
    """The rows as `native/gram.hpp` takes them: many side by side, the last ones with zeros."""
    n, d = X.shape
    whole, rest = divmod(n, _PANEL)
    shape = (whole + (rest > 0), d, _PANEL)
    room = np.zeros(math.prod(shape) + 64, dtype=X.dtype)
    begin = -room.ctypes.data % 64 // X.itemsize  # where a line of the processor's cache does
    panels = room[begin : begin + math.prod(shape)].reshape(shape)
    panels[:whole] = X[: n - rest].reshape(whole, _PANEL, d).transpose(0, 2, 1)
    panels[whole:, :, :rest] = X[n - rest :].T
    return panels


def blocks(n: int, width: int) -> Iterator[slice]:
    """Rows in blocks whose kernel values, `width` for each, fit into memory easily."""
    step = max(1, _BLOCK // max(width, 1))
    for begin in range(0, n, step):
        yield slice(begin, min(begin + step, n))


def check_parameters(estimator: Any) -> None:
    """The error for a parameter of the kernel that is not allowed whatever the rows."""
    if not callable(estimator.kernel):
        parameters.one_of("kernel", estimator.kernel, KERNELS)
    if isinstance(estimator.gamma, str):
        parameters.one_of("gamma", estimator.gamma, ("scale", "auto"))
    else:
        parameters.not_negative("gamma", estimator.gamma)
    parameters.not_negative("degree", estimator.degree)
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
    """Of all numbers in X, the same to the bit however they are stored: zeros are not added."""
    size = X.shape[0] * X.shape[1]
    given = X.data if isinstance(X, Csr) else X.reshape(-1)
    values = given[given != 0].astype(np.float64)
    mean = values.sum() / size
    values -= mean
    values *= values
    return float((values.sum() + (size - len(values)) * mean**2) / size)


def _number(name: str, value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
        raise InputError(f"{name}={value!r} is not allowed: give a finite number.")
    return float(value)
