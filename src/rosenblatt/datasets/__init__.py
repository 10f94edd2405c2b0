"""Data that ships: a real table, a generator of any size, and small sets in the plane."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rosenblatt._util.extras import needed
from rosenblatt._validation import parameters

__all__ = ["load_credit", "load_planar", "make_credit"]

# --- Credit-card applications: real ones, and made ones in any number ----------------------------

_LABELS = ["no", "yes"]
_AS_RULED = {  # what make_credit adds up: the larger the sum, the better
    "reports": -170.0,
    "age": -1.0,
    "income": 22.0,
    "owner=yes": 50.0,
    "selfemp=yes": -70.0,
    "dependents": -24.0,
    "months": 0.0,
    "majorcards": 48.0,
    "active": 13.0,
}
_CONSTANT, _GAP = 60.0, 1.0


def load_credit(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """1,319 real credit-card applications: was the card granted?

    Source: W. H. Greene, Econometric Analysis, 5th edition (2003), table F21.4, in the values of
    `CreditCard` in the R package AER. `expenditure` and `share` are consequences of the decision:
    leave them out where a rule is to be learned.

    Parameters
    ----------
    return_X_y : bool
        True: (data, target) alone.
    as_frame : bool
        True: pandas frames.

    Returns
    -------
    Bunch
        `data` (1319, 11), `target` (0 refused, 1 granted), `feature_names`, `target_names`,
        `filename` of the table and `DESCR`; with `as_frame` also `frame`, the table as it is.

    Examples
    --------
    >>> from rosenblatt.datasets import load_credit
    >>> credit = load_credit()
    >>> credit.data.shape, credit.feature_names[:3]
    ((1319, 11), ['reports', 'age', 'income'])
    """
    folder = files("rosenblatt.datasets")
    text = folder.joinpath("credit_card.csv").read_text(encoding="utf-8")
    header, *records = csv.reader(text.splitlines())
    names, X = [], []
    for name, *column in zip(header, *records, strict=True):
        if name != "card":
            names.append(f"{name}=yes" if set(column) == set(_LABELS) else name)
            X.append([float(_LABELS.index(v)) if v in _LABELS else float(v) for v in column])
    data = np.array(X).T.copy()
    target = np.array([_LABELS.index(record[header.index("card")]) for record in records])
    bunch = Bunch(
        data=data,
        target=target,
        feature_names=names,
        target_names=np.array(_LABELS),
        filename=str(folder.joinpath("credit_card.csv")),
        DESCR=folder.joinpath("README.md").read_text(encoding="utf-8"),
    )
    if as_frame:
        bunch.frame = needed("pandas", "as_frame=True").read_csv(bunch.filename)
        bunch.data, bunch.target = _framed(data, target, names)
    return (bunch.data, bunch.target) if return_X_y else bunch


def make_credit(
    n: int = 1000, noise: float = 0.0, random_state: int = 0, *, as_frame: bool = False
) -> tuple[Any, Any]:
    """Made-up credit-card applications, as many as you like, decided by a linear rule.

    The columns look like those of `load_credit` without the consequences. An application is
    granted if 60 - 170·reports - age + 22·income + 50·owner - 70·selfemp - 24·dependents
    + 48·majorcards + 13·active is positive; sums within 1 of zero do not occur. So the rows are
    separable, until labels are flipped.

    Parameters
    ----------
    n : int
        Number of rows.
    noise : float from 0 to 1
        This share of the labels, rounded to a number of rows, is flipped.
    random_state : int
        The same number gives the same rows.
    as_frame : bool
        True: pandas frames.

    Returns
    -------
    X, y : arrays of shape (n, 9) and (n,), or frames
        y is 1 where the card is granted, else 0.

    Examples
    --------
    >>> from rosenblatt.datasets import make_credit
    >>> from rosenblatt import certify
    >>> X, y = make_credit(500)
    >>> certify(X, y).verdict
    'complete separation'
    """
    n = parameters.whole("n", n)
    if parameters.not_negative("noise", noise) > 1:
        raise parameters.not_allowed("noise", noise, "give a share of the rows, 0 to 1")
    rng = np.random.default_rng(random_state)
    X, scores = np.empty((0, len(_AS_RULED))), np.empty(0)
    while len(X) < n:
        drawn = _applications(max(n - len(X), 100), rng)
        score = drawn @ np.array(list(_AS_RULED.values())) + _CONSTANT
        clear = np.abs(score) >= _GAP
        X, scores = np.concatenate([X, drawn[clear]]), np.concatenate([scores, score[clear]])
    X, y = X[:n], (scores[:n] > 0).astype(np.int64)
    flipped = rng.choice(n, size=round(noise * n), replace=False)
    y[flipped] = 1 - y[flipped]
    return _framed(X, y, list(_AS_RULED)) if as_frame else (X, y)


def _applications(n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows with about the means and spreads of the real ones."""
    columns: dict[str, NDArray[Any]] = {
        "reports": rng.negative_binomial(0.25, 0.35, n),
        "age": np.round(4 * (18 + rng.gamma(2.2, 7.0, n))) / 4,
        "income": np.round(np.exp(rng.normal(1.1, 0.45, n)), 2),
        "owner=yes": rng.random(n) < 0.44,
        "selfemp=yes": rng.random(n) < 0.07,
        "dependents": rng.poisson(1.0, n),
        "months": np.floor(rng.exponential(55.0, n)),
        "majorcards": rng.random(n) < 0.82,
        "active": rng.negative_binomial(1.3, 0.157, n),
    }
    return np.column_stack([columns[name] for name in _AS_RULED]).astype(np.float64)


def _framed(X: NDArray[Any], y: NDArray[Any], names: list[str]) -> tuple[Any, Any]:
    pd = needed("pandas", "as_frame=True")
    return pd.DataFrame(X, columns=names), pd.Series(y, name="card")


# --- Small sets in the plane, each with one thing to learn from it -------------------------------

_DISTANCE = 2.0**-10

# Eight points, apart by the lines x1 + x2 = 3 to 5: the margin is √2/2 (half the distance of the
# two lines), reached by (1, 2) and (2, 1) on one side and (2, 3) and (3, 2) on the other.
_SEPARABLE = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 4), (4, 3)]
_SIDES = [-1] * 4 + [1] * 4

_SETS: dict[str, tuple[list[Any], list[int], str]] = {
    "separable": (
        _SEPARABLE,
        _SIDES,
        "Two groups with a wide gap: the line x1 + x2 = 4 has the largest margin, √2/2.",
    ),
    "tiny margin": (
        [(0, 0), (1, 0), (0, _DISTANCE), (1, _DISTANCE)],
        [-1, -1, 1, 1],
        "Separable, with a margin of 2^-11: the perceptron converges, after many updates. Compare "
        "the mistake bound with that of the first set.",
    ),
    "flipped": (
        _SEPARABLE,
        [1, *_SIDES[1:]],
        "The first set with one wrong label, that of its first point: (1, 2) is now half way "
        "between two points of the other side. Every line has a point on the wrong side, and the "
        "perceptron never ends.",
    ),
    "xor": (
        [(0, 0), (0, 1), (1, 0), (1, 1)],
        [-1, 1, 1, -1],
        "Exclusive or, the smallest set that no line separates (M. Minsky, S. Papert, Perceptrons, "
        "1969): the two diagonals meet in (1/2, 1/2).",
    ),
    "unscaled": (
        [(1000 * x, y) for x, y in _SEPARABLE],
        _SIDES,
        "The first set with the first column in thousandths. It is as separable as before, yet "
        "margin, radius and mistake bound are others: scale the columns.",
    ),
}


def load_planar(name: str = "separable", *, return_X_y: bool = False) -> Any:
    """A small set of points in the plane.

    Parameters
    ----------
    name : "separable", "tiny margin", "flipped", "xor" or "unscaled"
        Which one; its `DESCR` says what it shows.
    return_X_y : bool
        True: (data, target) alone.

    Returns
    -------
    Bunch
        `data` (n, 2), `target` (-1 or 1), `feature_names` and `DESCR`.

    Examples
    --------
    >>> from rosenblatt.datasets import load_planar
    >>> X, y = load_planar("xor", return_X_y=True)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, 1, 1, -1])
    """
    parameters.one_of("name", name, _SETS)
    points, labels, description = _SETS[name]
    bunch = Bunch(
        data=np.array(points, dtype=np.float64),
        target=np.array(labels),
        feature_names=["x1", "x2"],
        DESCR=description,
    )
    return (bunch.data, bunch.target) if return_X_y else bunch
