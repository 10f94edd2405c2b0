"""Kernels, and rows of the Gram matrix: computed when first needed, kept while there is room."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.backend import compute, side_by_side
from rosenblatt._core.rows import Csr, Matrix, Rows, as_table, dense, squares, squares_alike
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError

Floats = NDArray[np.float64]
Values = NDArray[Any]  # kernel values, in float32 where X is

_BLOCK = 1 << 22  # numbers of a block of kernel values
_PANEL = 16  # P of native/gram.hpp
_TOGETHER = 32  # more rows of the Gram matrix at a time are hardly faster


class Kernel(ABC):
    """k(x, z), with the parameters of scikit-learn; `matrix` for all pairs of two tables.

    A subclass is all that is known of a kernel: how it is made of inner products, how far rounding
    can move it, its nodes in ONNX, and whether the playground computes it. `KERNELS` names them.
    """

    of_pairs = True  # k(x, z) is computed here, from inner products
    precomputed = False  # X is the matrix of all k(x_i, x_j)
    linear = False  # weights of the features say the same

    def __init__(self, kernel: Any, *, degree: float, gamma: float, coef0: float):
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0

    @abstractmethod
    def of_products(
        self, products: Values, x_squares: Values, z_squares: Values, out: Values
    ) -> Values:
        """All k(x, z) from x·z, which are lost, and the squared lengths of both; into `out`."""

    def squares(self, X: Any) -> Floats:
        """‖x_i‖² where `of_products` needs them; else zeros."""
        return np.zeros(X.shape[0])

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused afterwards
    def matrix(self, A: Matrix, B: Matrix) -> Values:
        left, right = as_table(A), as_table(B)
        products = np.ascontiguousarray(dense(left @ right.T))
        of_left, of_right = (self.squares(t).astype(products.dtype) for t in (left, right))
        return self.of_products(products, of_left, of_right, out=products)

    def rounding(self, square: float, d: int, epsilon: float) -> float:
        """How far values can differ between machines, where no row has more than ‖x‖² = square.

        Inner products of d numbers are summed in any order, in a precision of `epsilon`; the rest
        is a few roundings.
        """
        return (d + 4) * epsilon * square

    @abstractmethod
    def nodes(self, graph: Any, X: str, products: str, vectors: Floats) -> str:
        """The ONNX nodes that make k(x, z) of x·z, for the rows X and these vectors z."""

    def on_page(self) -> bool:
        """Whether `play/assets/kernel.js` computes it."""
        return False


class Linear(Kernel):
    linear = True

    def of_products(
        self, products: Values, x_squares: Values, z_squares: Values, out: Values
    ) -> Values:
        np.copyto(out, products)
        return out

    def nodes(self, graph: Any, X: str, products: str, vectors: Floats) -> str:
        return products


class RBF(Kernel):
    """exp(-gamma ‖x - z‖²)"""

    def of_products(
        self, products: Values, x_squares: Values, z_squares: Values, out: Values
    ) -> Values:
        compute.backend.rbf_exponents(products, x_squares, z_squares, self.gamma)
        return np.exp(products, out=out)

    def squares(self, X: Any) -> Floats:
        return squares_alike(X)

    def rounding(self, square: float, d: int, epsilon: float) -> float:
        # exp is at most 1 and no steeper than 1
        return float(4 * self.gamma * super().rounding(square, d, epsilon) + 8 * epsilon)

    def nodes(self, graph: Any, X: str, products: str, vectors: Floats) -> str:
        # -gamma (‖x‖² + ‖z‖² - 2 x·z), which rounding can make positive
        lengths = graph.ReduceSumSquare(X, axes=[1], keepdims=1)
        twice = graph.Mul(products, graph.constant(2.0))
        apart = graph.Sub(twice, graph.constant(squares(vectors)))
        apart = graph.Min(graph.Sub(apart, lengths), graph.constant(0.0))
        return str(graph.Exp(graph.Mul(apart, graph.constant(self.gamma))))

    def on_page(self) -> bool:
        return True


class _OfAffine(Kernel):
    """A function of gamma x·z + coef0."""

    def of_products(
        self, products: Values, x_squares: Values, z_squares: Values, out: Values
    ) -> Values:
        np.multiply(products, self.gamma, out=out)
        out += self.coef0
        return self._applied(out)

    @abstractmethod
    def _applied(self, values: Values) -> Values:
        """The function of each number, in place."""

    def _base(self, square: float) -> float:
        return self.gamma * square + abs(self.coef0)

    def rounding(self, square: float, d: int, epsilon: float) -> float:
        product = super().rounding(square, d, epsilon)
        return self.gamma * product + 4 * epsilon * self._base(square)

    def nodes(self, graph: Any, X: str, products: str, vectors: Floats) -> str:
        times = graph.Mul(products, graph.constant(self.gamma))
        return str(graph.Add(times, graph.constant(self.coef0)))


class Poly(_OfAffine):
    """(gamma x·z + coef0)^degree"""

    def _applied(self, values: Values) -> Values:
        return np.asarray(np.power(values, self.degree, out=values))

    def rounding(self, square: float, d: int, epsilon: float) -> float:
        base, off = self._base(square), super().rounding(square, d, epsilon)
        steep = self.degree * base ** (self.degree - 1)
        return float(steep * off + 8 * epsilon * base**self.degree)

    def nodes(self, graph: Any, X: str, products: str, vectors: Floats) -> str:
        base = super().nodes(graph, X, products, vectors)
        return str(graph.Pow(base, graph.constant(self.degree)))

    def on_page(self) -> bool:
        return self.degree in (2, 3) and self.coef0 == 1


class Sigmoid(_OfAffine):
    """tanh(gamma x·z + coef0)"""

    def _applied(self, values: Values) -> Values:
        return np.tanh(values, out=values)

    def rounding(self, square: float, d: int, epsilon: float) -> float:
        return super().rounding(square, d, epsilon) + 8 * epsilon

    def nodes(self, graph: Any, X: str, products: str, vectors: Floats) -> str:
        return str(graph.Tanh(super().nodes(graph, X, products, vectors)))


class _Supplied(Kernel):
    """Values that are not made of inner products here."""

    of_pairs = False

    def of_products(
        self, products: Values, x_squares: Values, z_squares: Values, out: Values
    ) -> Values:
        raise NotImplementedError

    @abstractmethod
    def row(self, X: Any, i: int) -> Values:
        """k(x_i, x_j) for all rows j of X."""

    @abstractmethod
    def of_itself(self, X: Any, i: int) -> float:
        """k(x_i, x_i)"""

    def rounding(self, square: float, d: int, epsilon: float) -> float:
        return 0.0

    def nodes(self, graph: Any, X: str, products: str, vectors: Floats) -> str:
        raise NotImplementedError


class Precomputed(_Supplied):
    precomputed = True

    def row(self, X: Any, i: int) -> Values:
        return np.asarray(X[i])

    def of_itself(self, X: Any, i: int) -> float:
        return float(X[i, i])


class Function(_Supplied):
    """A function of two tables, given by the caller."""

    def row(self, X: Any, i: int) -> Values:
        return np.asarray(self._called(X[[i]], X)[0])

    def of_itself(self, X: Any, i: int) -> float:
        return float(self._called(X[[i]], X[[i]])[0, 0])

    @np.errstate(over="ignore", invalid="ignore")
    def matrix(self, A: Matrix, B: Matrix) -> Values:
        return self._called(as_table(A), as_table(B))

    def _called(self, left: Any, right: Any) -> Floats:
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


KERNELS: dict[str, type[Kernel]] = {
    "linear": Linear,
    "poly": Poly,
    "rbf": RBF,
    "sigmoid": Sigmoid,
    "precomputed": Precomputed,
}


def kernel_of(
    kernel: str | Callable[[Any, Any], Any], *, degree: float, gamma: float, coef0: float
) -> Kernel:
    kind = Function if callable(kernel) else KERNELS[kernel]
    return kind(kernel, degree=degree, gamma=gamma, coef0=coef0)


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
        self._dtype = np.dtype(np.float64) if kernel.linear else self._table.dtype
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
        """Gram rows of several i, at most `together` of them not at hand."""
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
        if isinstance(self.kernel, _Supplied):
            return self.kernel.of_itself(self._table, i)
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
        if isinstance(self.kernel, _Supplied):
            yield from (self.kernel.row(self._table, i) for i in rows)
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
                "number: scale the features, or lower gamma, degree or coef0.",
                row=int(i),
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
    if not callable(estimator.kernel):
        parameters.one_of("kernel", estimator.kernel, KERNELS)
    if isinstance(estimator.gamma, str):
        parameters.one_of("gamma", estimator.gamma, ("scale", "auto"))
    else:
        parameters.not_negative("gamma", estimator.gamma)
    parameters.not_negative("degree", estimator.degree)
    _number("coef0", estimator.coef0)


def checked_kernel(estimator: Any, X: Matrix) -> Kernel:
    check_parameters(estimator)
    kernel = kernel_of(
        estimator.kernel,
        degree=float(estimator.degree),
        gamma=_gamma(estimator.gamma, X),
        coef0=float(estimator.coef0),
    )
    if kernel.precomputed:
        _refuse_not_square(X)
    return kernel


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
        raise InputError(
            f"{name}={value!r} is not allowed: give a finite number.", option=name, value=value
        )
    return float(value)
