"""Scores, margins, distances, angles: where rows lie and how far."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._core.rows import as_table, squares
from rosenblatt._validation import targets
from rosenblatt._validation.targets import finite_floats
from rosenblatt.errors import InputError
from rosenblatt.theory import given
from rosenblatt.theory.given import Floats


def lift(X: Any) -> Any:
    """x̃ = (x, 1): a column of ones, so that the intercept is one more weight.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.lift([[3, 3], [1, 1]])
    array([[3., 3., 1.],
           [1., 1., 1.]])
    """
    table = as_table(given.matrix(X))
    ones = np.ones((table.shape[0], 1), dtype=table.dtype)
    if sparse.issparse(table):
        return sparse.hstack([table, sparse.csr_array(ones)], format="csr")
    return np.hstack([table, ones])


def sign_switch(X: Any, y: Any) -> Any:
    """z_i = y_i x_i: (x, -1) and (-x, +1) say the same, so all labels may be +1.

    w separates the rows through the origin exactly when w·z_i > 0 for all of them. With an
    intercept: `sign_switch(lift(X), y)`.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.sign_switch([[3.0, 3.0], [1.0, 1.0]], [1, -1])
    array([[ 3.,  3.],
           [-1., -1.]])
    """
    table = as_table(given.matrix(X))
    y = given.signs(y, table.shape[0]).astype(table.dtype)
    if sparse.issparse(table):
        return sparse.csr_array(table.multiply(y[:, None]))
    return table * y[:, None]


def scores(X: Any, w: Any, b: float = 0.0) -> Floats:
    """s_i = w·x_i + b, the same bits as in training.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.scores([[3, 3], [4, 3], [1, 1]], w=[1, 1], b=-3)
    array([ 3.,  4., -1.])
    """
    rows = given.matrix(X)
    return given.row_scores(rows, given.lifted(w, b, rows.shape[1]))


def margins(X: Any, y: Any, w: Any, b: float = 0.0) -> Floats:
    """The functional margins m_i = y_i (w·x_i + b); a mistake has m_i <= 0.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.margins([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1], b=-3)
    array([3., 4., 1.])
    """
    e = given.examples(X, y)
    return np.asarray(e.y * e.rows.scores(given.lifted(w, b, e.rows.d)))


def distances(X: Any, w: Any, b: float = 0.0) -> Floats:
    """The signed distances (w·x_i + b) / ‖w‖ to the hyperplane, positive where w points to.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.distances([[3, 4], [0, 0]], w=[3, 4], b=-5)
    array([ 4., -1.])
    """
    s = scores(X, w, b)
    return s / given.norm(np.ravel(w).astype(np.float64))


class DataMargin(NamedTuple):
    """The smallest margin of all rows, in its three meanings; positive: all are on the right side.

    functional: min y_i (w·x_i + b); geometric: the same / ‖w‖; homogeneous: the same / ‖(w, b)‖.
    """

    functional: float
    geometric: float
    homogeneous: float


def margin_of_data(X: Any, y: Any, w: Any, b: float = 0.0) -> DataMargin:
    """The margin of the whole data under one hyperplane: the smallest of its rows.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.margin_of_data([[3, 4], [0, 0]], [1, -1], w=[3, 4], b=-12)
    DataMargin(functional=12.0, geometric=2.4, homogeneous=0.9230769230769231)
    """
    least = float(margins(X, y, w, b).min())
    w = np.ravel(w).astype(np.float64)
    return DataMargin(least, least / given.norm(w), least / given.norm(np.append(w, b)))


class Angles(NamedTuple):
    """By row: the angle between x and w in radians, the half-space, and the sign of w·x.

    An angle below π/2 is the positive half-space, above it the negative one. A row of zeros has
    no angle (NaN) and lies on the boundary.
    """

    angle: Floats
    half_space: NDArray[np.str_]
    sign: NDArray[np.int8]


def angles(X: Any, w: Any) -> Angles:
    """cos∠(x_i, w) = w·x_i / (‖w‖ ‖x_i‖): on which side of the hyperplane w·x = 0 each row is.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> found = theory.angles([[2, 0], [0, 3], [-1, 0]], w=[1, 0])
    >>> found.angle.round(4).tolist(), found.half_space.tolist(), found.sign.tolist()
    ([0.0, 1.5708, 3.1416], ['positive', 'boundary', 'negative'], [1, 0, -1])
    """
    rows = given.matrix(X)
    weights = given.lifted(w, 0.0, rows.shape[1])
    products = given.row_scores(rows, weights)
    lengths = np.sqrt(squares(as_table(rows)))
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines = products / (lengths * given.norm(weights))
    sign = np.sign(products).astype(np.int8)
    words = np.array(["negative", "boundary", "positive"])[sign + 1]
    return Angles(np.arccos(np.clip(cosines, -1, 1)), words, sign)


def angle(w: Any, w_star: Any) -> float:
    """The angle between two weight vectors in radians (both lifted, or both not).

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.angle([1, 0], [1, 1])
    0.7853981633974483
    """
    a, b = (finite_floats(name, v).ravel() for name, v in (("w", w), ("w_star", w_star)))
    if a.shape != b.shape:
        raise InputError(f"The vectors have {len(a)} and {len(b)} numbers: give two of one length.")
    a, b = a / given.norm(a), b / given.norm(b, "w_star")
    # Exact also where the angle is small, unlike the arccosine (Kahan).
    return float(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))


def radius(X: Any, *, fit_intercept: bool = True) -> float:
    """R = max ‖x̃_i‖, of the lifted rows (x, 1); of the rows as they are through the origin.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.radius([[3, 4], [0, 0]], fit_intercept=False)
    5.0
    """
    largest = float(squares(as_table(given.matrix(X))).max())
    return float(np.sqrt(largest + bool(fit_intercept)))


class Normalized(NamedTuple):
    """Rows in the unit ball, a unit weight vector, and the intercept that goes with them."""

    X: Any
    w: Floats
    b: float
    same_predictions: bool  # each row has the sign of score that it had


def normalize(X: Any, w: Any, b: float = 0.0) -> Normalized:
    """x/ρ with ρ = max ‖x_i‖, w/‖w‖, b/(ρ‖w‖): all scores are divided by ρ‖w‖ > 0.

    So the smallest margin becomes the geometric one of the scaled rows, and no prediction changes;
    rounding could move a row that is on the hyperplane, and `same_predictions` says whether it did.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.normalize([[3, 4], [0, 0]], w=[6, 8], b=-10)
    Normalized(X=array([[0.6, 0.8],
           [0. , 0. ]]), w=array([0.6, 0.8]), b=-0.2, same_predictions=True)
    """
    rows = given.matrix(X)
    weights = given.lifted(w, b, rows.shape[1])
    rho, length = radius(X, fit_intercept=False) or 1.0, given.norm(weights[:-1])
    table = as_table(rows)
    small = table.copy()
    values = small.data if sparse.issparse(small) else small
    values /= rho
    unit = np.append(weights[:-1] / length, weights[-1] / (rho * length))
    before = np.sign(given.row_scores(rows, weights))
    after = np.sign(given.row_scores(given.matrix(small), unit))
    return Normalized(small, unit[:-1], float(unit[-1]), bool((before == after).all()))


def separates(X: Any, y: Any, w: Any, b: float = 0.0) -> bool:
    """Whether y_i (w·x_i + b) > 0 for every row, decided exactly for the numbers as they are.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.separates([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1], b=-3)
    True
    >>> theory.separates([[3, 3], [4, 3], [1, 1]], [1, 1, -1], w=[1, 1], b=-2)
    False
    """
    from rosenblatt._certify.rows import Rows
    from rosenblatt._util.budget import Budget

    table = as_table(given.matrix(X))
    y = given.signs(y, table.shape[0])
    lifted = given.lifted(w, b, table.shape[1])
    rows = Rows(table, y, intercept=True, decimal=False, budget=Budget())
    return bool(np.all(rows.signs([Fraction(v) for v in lifted.tolist()]) > 0))


# --- Many classes as one problem of two: Kesler's construction -----------------------------------


_MOST = 10**8  # numbers in a lift that is not sparse


def kesler_lift(X: Any, y: Any) -> Any:
    """z = (e_y - e_c) ⊗ x_i for every row and each class c but its own, y.

    With the weights of all classes one after the other, W·z = s_y - s_c: W gives every row its
    highest score for its own class exactly when W·z > 0 for all of these. So what holds for two
    classes through the origin holds for many: the joint perceptron is the perceptron on these rows.
    They come row by row, with the other classes in their order. With intercepts:
    `kesler_lift(lift(X), y)`.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> theory.kesler_lift([[3.0], [4.0], [5.0]], ["a", "b", "c"])
    array([[ 3., -3.,  0.],
           [ 3.,  0., -3.],
           [-4.,  4.,  0.],
           [ 0.,  4., -4.],
           [-5.,  0.,  5.],
           [ 0., -5.,  5.]])
    """
    table = as_table(given.matrix(X))
    y = targets.labels(y, table.shape[0])
    classes = targets.found_classes(y, many=True)
    k = len(classes)
    if k == 1:
        raise InputError(f"y holds one class only, {classes[0]}: a row has no other class to beat.")
    n, d = table.shape
    row, rival = np.divmod(np.arange(n * k), k)
    own = np.searchsorted(classes, y)[row]
    row, own, rival = row[own != rival], own[own != rival], rival[own != rival]
    if sparse.issparse(table):
        return _sparse(table[row], own, rival, k)
    if len(row) * k * d > _MOST:
        raise InputError(
            f"The lift has {len(row):,} rows of {k * d:,} numbers, too many to keep. Give X "
            "as a CSR matrix, or ask certify(X, y), which keeps none of them."
        )
    out = np.zeros((len(row), k, d), dtype=table.dtype)
    place = np.arange(len(row))
    out[place, own] = table[row]
    out[place, rival] = 0 - table[row]
    return out.reshape(len(row), k * d)


def _sparse(rows: Any, own: Any, rival: Any, k: int) -> Any:
    n, d = rows.shape
    rows = rows.tocoo()
    columns = [block[rows.row] * d + rows.col for block in (own, rival)]
    return sparse.csr_matrix(
        (
            np.concatenate([rows.data, -rows.data]),
            (np.concatenate([rows.row, rows.row]), np.concatenate(columns)),
        ),
        shape=(n, k * d),
    )
