"""What is given to a logistic regression: rows with the intercept, outcomes, weights, names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._certify.check import fingerprint
from rosenblatt._certify.parts import name_of_intercept
from rosenblatt._certify.table import read_encoded
from rosenblatt._core.rows import dense
from rosenblatt._validation import parameters, targets
from rosenblatt.errors import InputError
from rosenblatt.separation.likelihood import Numbers, centred

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing


@final
@dataclass(frozen=True)
class Given:
    """The rows that count, as floats."""

    X: Numbers  # the column of the intercept is the last
    t: Numbers  # 1 for the second label
    c: Numbers  # weights of the rows
    rows: NDArray[np.intp]  # their numbers
    names: list[str]
    labels: list[str]
    sha256: Callable[[], str]  # the fingerprint of a certificate of these rows

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        sample_weight: Any,
        preprocessing: Preprocessing | None = None,
        *,
        fit_intercept: bool,
        asked: str,
    ) -> Given:
        parameters.flag("fit_intercept", fit_intercept)
        for_more = (
            "Maximum likelihood of many classes is not computed here: certify(X, y) says which of "
            f"its coefficients are finite. Of two classes ask {asked} about their rows alone; each "
            "class against the rest is another model."
        )
        how: dict[str, Any] = {"numbers": "float", "for_more": for_more}
        table, _ = read_encoded(X, y, sample_weight, preprocessing, **how)
        if len(table.classes) != 2:
            raise InputError("y holds one label only: a logistic regression needs two.")
        n = len(table.y)
        rows = np.arange(n) if table.present is None else table.present
        c = targets.sample_weights(sample_weight, n)
        numbers = np.asarray(dense(table.X[rows]), dtype=np.float64)
        names = list(table.columns)
        if fit_intercept:
            numbers = np.column_stack([numbers, np.ones(len(rows))])
            names = [*names, name_of_intercept(names)]
        weight = np.ones(len(rows)) if c is None else np.asarray(c, dtype=np.float64)[rows]
        t = (table.y[rows] > 0).astype(np.float64)
        left_out = np.setdiff1d(np.arange(n), rows).tolist()
        sha256 = partial(fingerprint, table.X, table.y, left_out)
        return cls(numbers, t, weight, rows, names, list(table.classes), sha256)

    def refuse_collinear(self, what: str) -> None:
        """Where a column is a combination of others, its coefficient is not determined."""
        chosen = independent(self.X)
        if len(chosen) < self.X.shape[1]:
            names = [n for j, n in enumerate(self.names) if j not in set(chosen)]
            raise InputError(
                f"The column {names[0]!r} is a combination of others, or there are fewer rows than "
                f"columns: its coefficient is not determined, and {what} needs it to be. Leave it "
                "out; certify(X, y).collinear has the formulas.",
                column=names[0],
            )


def check_confidence(confidence: Any) -> None:
    if not 0 < confidence < 1:
        raise InputError(
            f"confidence={confidence!r} is not between 0 and 1; 0.95 is usual.",
            option="confidence",
            value=confidence,
        )


def independent(X: Numbers, first: Sequence[int] = ()) -> list[int]:
    """Columns of X, those named first if they can be, none of which is a combination of others."""
    X, _, constant = centred(X)
    order = dict.fromkeys([*([] if constant is None else [constant]), *first, *range(X.shape[1])])
    lengths = np.linalg.norm(X, axis=0)
    basis: list[Numbers] = []
    chosen: list[int] = []
    for j in order:
        if lengths[j] == 0 or len(chosen) == len(X):
            continue
        rest = X[:, j] / lengths[j]
        for _ in range(2):  # twice is enough (Kahan and Parlett)
            for q in basis:
                rest = rest - (q @ rest) * q
        length = float(np.linalg.norm(rest))
        if length > 1e-9:
            basis.append(rest / length)
            chosen.append(j)
    return sorted(chosen)


# --- Coefficients and their intervals as lines of text -------------------------------------------


def table_of(
    coefficients: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    confidence: float,
) -> Iterator[str]:
    """A line for each coefficient."""
    width = max(len(name) for name in coefficients)
    yield f"{'':{width}}  {'estimate':>9}  {confidence:.0%} profile interval"
    for name, value in coefficients.items():
        low, high = intervals.get(name, (math.nan, math.nan))
        shown = "" if math.isnan(low) else f"{_number(low)} to {_number(high)}"
        yield f"{name:{width}}  {_number(value):>9}  {shown}".rstrip()


def _number(value: float) -> str:
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return "not fixed" if math.isnan(value) else f"{value:.4g}".replace("-", "−")
