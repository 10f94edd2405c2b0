"""What is given to a regression: rows with the intercept, outcomes, weights, names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from rosenblatt import verify
from rosenblatt._certify.check import fingerprint
from rosenblatt._certify.families import Beside
from rosenblatt._certify.parts import name_of_intercept, thresholds
from rosenblatt._certify.table import Table, outcome, read_encoded, unwrapped
from rosenblatt._core.rows import dense
from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many
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
    t: Numbers  # 1 for the second label; counts; levels from 1 on
    c: Numbers  # weights of the rows
    rows: NDArray[np.intp]  # their numbers
    names: list[str]
    offset: Numbers
    table: Table

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        sample_weight: Any,
        preprocessing: Preprocessing | None = None,
        *,
        fit_intercept: bool,
        function: str,
        offset: Any = None,
        family: str = "logistic",
        levels: Any = None,
    ) -> Given:
        parameters.flag("fit_intercept", fit_intercept)
        for_more = (
            "Maximum likelihood of many classes is not computed here: certify(X, y) says which of "
            f"its coefficients are finite. Of two classes ask {function} about their rows alone; "
            "each class against the rest is another model."
        )
        X, beside = Beside.of(X, family, levels)
        how: dict[str, Any] = {"numbers": "float", "for_more": for_more, "beside": beside}
        table, _ = read_encoded(X, y, sample_weight, preprocessing, **how)
        if len(table.classes) < 2:
            raise InputError("y holds one label only: a logistic regression needs two.")
        n = len(table.y)
        rows = np.arange(n) if table.present is None else table.present
        c = targets.sample_weights(sample_weight, n)
        numbers = np.asarray(dense(table.X[rows]), dtype=np.float64)
        names = list(table.columns)
        if family == "ordinal":
            names += thresholds(table.classes)
        elif fit_intercept:
            numbers = np.column_stack([numbers, np.ones(len(rows))])
            names = [*names, name_of_intercept(names)]
        weight = np.ones(len(rows)) if c is None else np.asarray(c, dtype=np.float64)[rows]
        t = (table.y[rows] > 0).astype(np.float64)
        if family in verify.LOG_LINK:
            t = targets.floats("y", outcome(y)[1])[rows]
        elif family == "ordinal":
            t = t + 1 if len(table.classes) == 2 else table.y[rows].astype(np.float64)
        moved = np.zeros(n) if offset is None else targets.finite_floats("offset", offset)
        if moved.shape != (n,):
            raise InputError(
                f"offset has shape {moved.shape}, and there are {n} rows: give a number for each.",
                option="offset",
            )
        return cls(numbers, t, weight, rows, names, moved[rows], table)

    @property
    def labels(self) -> list[str]:
        return list(self.table.classes)

    @property
    def family(self) -> str:
        return "logistic" if self.table.beside is None else self.table.beside.family

    def sha256(self) -> str:
        """The fingerprint of a certificate of these rows."""
        left_out = np.setdiff1d(np.arange(len(self.table.y)), self.rows).tolist()
        return fingerprint(self.table.X, self.table.y, left_out)

    @property
    def constant(self) -> list[int]:
        """Columns with one value, but for the last of them that can be the intercept."""
        same = np.flatnonzero((self.X[0] == self.X).all(axis=0))
        kept = same[self.X[0, same] != 0][-1:]
        return [j for j in same.tolist() if j not in kept]

    def refuse_collinear(self, columns: Sequence[int]) -> None:
        """Where one of these columns is a combination of others, its coefficient is not
        determined."""
        X, names = self.X[:, columns], [self.names[j] for j in columns]
        chosen = independent(X)
        if len(chosen) == len(columns):
            return
        if len(X) < len(columns):
            raise InputError(
                f"There are {many(len(X), 'row')} for {len(columns)} coefficients, so that they "
                "are not determined, and Firth's penalty needs them to be. Leave out columns.",
            )
        left_out = [name for j, name in enumerate(names) if j not in set(chosen)]
        raise InputError(
            f"The column {left_out[0]!r} is a combination of others, so that its coefficient is "
            "not determined, and Firth's penalty needs it to be. Leave out each such column: "
            f"{option('ignore', *left_out)}.",
            column=left_out[0],
        )


def of_formula(X: Any, y: Any, family: str, fit_intercept: bool) -> tuple[Any, Any, bool]:
    """X, y and `fit_intercept`, where X may be a formula and y its table."""
    if hasattr(X, "endog"):
        raise InputError(
            "A model of statsmodels may have another link than the one that is estimated here: "
            "give its rows, model.exog, and its outcomes, model.endog."
        )
    if not isinstance(X, str):
        return X, y, fit_intercept
    X, y, options = unwrapped(X, y, family, {})
    return X, y, bool(options["fit_intercept"])


def check_confidence(confidence: Any) -> None:
    if not 0 < confidence < 1:
        raise InputError(
            f"confidence={confidence!r} is not between 0 and 1; 0.95 is usual.",
            option="confidence",
            value=confidence,
        )


def independent(X: Numbers, first: Sequence[int] = (), *, intercept: bool = True) -> list[int]:
    """Columns of X, those named first if they can be, none of which is a combination of others.
    A constant column is the first of all, where it is an intercept."""
    X, _, constant = centred(X) if intercept else (X, X[:1], None)
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


@final
@dataclass(frozen=True)
class LikelihoodRatio:
    """The test that all coefficients but the intercept (or the thresholds) are 0."""

    statistic: float
    df: int
    p_value: float

    @classmethod
    def of(cls, value: float, null: float, df: int) -> LikelihoodRatio:
        statistic = max(2.0 * (value - null), 0.0)
        return cls(statistic, df, float(stats.chi2.sf(statistic, df)) if df else math.nan)

    def __str__(self) -> str:
        p = _p(self.p_value) if self.p_value < _LEAST_P else f"= {_p(self.p_value)}"
        return (
            f"Likelihood-ratio test of all coefficients: {self.statistic:.4g} on "
            f"{many(self.df, 'degree')} of freedom, p {p}"
        )


def ratios(
    coefficients: Mapping[str, float], intervals: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float, float]]:
    """Each exp(coefficient), with the ends of its interval."""

    def power(value: float) -> float:
        return math.exp(value) if value < 709 else math.inf

    ends = {name: intervals.get(name, (math.nan, math.nan)) for name in coefficients}
    return {
        name: (power(value), power(ends[name][0]), power(ends[name][1]))
        for name, value in coefficients.items()
    }


def table_of(
    coefficients: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    p_values: Mapping[str, float],
    confidence: float,
    ratio: str,
    undetermined: Mapping[str, str],
) -> Iterator[str]:
    """A line for each coefficient; `undetermined` has a word where there is no estimate."""
    level = f"{confidence:.0%}"
    lines = [["", "estimate", f"{level} profile interval", ratio, f"{level} interval", "p"]]
    own, silent = [*coefficients][:-1], set[str]()  # the intercept's scale is nobody's choice
    for name, value in coefficients.items():
        cells = [
            undetermined.get(name) or _number(value),
            _interval(*intervals.get(name, (math.nan, math.nan))),
        ]
        if name in p_values:
            times, *ends = ratios({name: value}, intervals)[name]
            tells = _tells(value, times, *ends)
            silent |= {name} if not tells and name in own else set()
            cells += [_number(times), _interval(*ends)] if tells else ["", ""]
            cells += ["" if math.isnan(p_values[name]) else _p(p_values[name])]
        lines.append([name, *cells, *[""] * (5 - len(cells))])
    width = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        left = zip(line, width, "<><><>", strict=True)
        yield "  ".join(f"{cell:{side}{w}}" for cell, w, side in left).rstrip()
    if silent:
        some = listed([name for name in own if name in silent], _NAMED)
        yield (
            f"No {ratio} is shown where one unit of a column is too little or too much to say "
            f"anything: {some}. Rescale such a column."
        )


_NAMED = 12  # columns
_LARGEST = 14.0  # logarithm of a ratio that says something: a million


def _tells(value: float, times: float, low: float, high: float) -> bool:
    """Whether a ratio per unit says something: it is no 1 to all digits, and not astronomic."""
    if math.isnan(value):
        return False
    shown = {_number(v) for v in (times, low, high)}
    return math.isinf(value) or (shown != {"1"} and abs(value) <= _LARGEST)


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{_number(low)} to {_number(high)}"


_LEAST_P = 0.0001


def _p(value: float) -> str:
    return "< 0.0001" if value < _LEAST_P else f"{value:.4f}"


def _number(value: float) -> str:
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:.4g}".replace("-", "−")
