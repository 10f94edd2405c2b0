"""What the rows force: errors that no linear rule avoids, and signs that all good ones share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rosenblatt._bounds.directions import MOST_COLUMNS
from rosenblatt._core.backend import compute
from rosenblatt._util.budget import Clock
from rosenblatt.errors import InputError
from rosenblatt.report.document import Forced
from rosenblatt.scorecard import Scorecard
from rosenblatt.sign_report import found_within

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._study.options import Options
    from rosenblatt._study.stages import Compared
    from rosenblatt.sign_report import SignReport


WORK = 6_000_000  # row evaluations: some two seconds, counted, so that it is the same everywhere
_MOST_PAIRS = 2_500_000  # of rows of both labels: with more, one look takes too long
_LONGER = "rosenblatt certify --signs, which searches longer"


def signs(X: Any, y: Any, weights: Any, certificate: Certificate) -> SignReport | None:
    """None where there is nothing to ask, or no answer could be hoped for in so short a time."""
    if certificate.separable is not False or certificate.many or compute.cones is None:
        return None
    if sparse.issparse(X) or not 1 <= X.shape[1] <= MOST_COLUMNS:
        return None
    if int(np.prod(np.unique(y, return_counts=True)[1], dtype=np.float64)) > _MOST_PAIRS:
        return None
    try:
        return found_within(
            Clock(None, WORK),
            np.asarray(X),
            y,
            sample_weight=weights,
            names=certificate.feature_names,
            longer=_LONGER,
        )
    except InputError:  # numbers that are too far apart
        return None


def forced(compared: Compared, report: SignReport, options: Options) -> Forced:
    own = _errors_of_the_rule(compared)
    return {
        "rows": report.n_rows,
        "at_least": int(report.at_least),
        "errors": int(report.errors),
        "rule_errors": own,
        "columns": [
            {
                "feature": column.name,
                "sign": column.sign,
                "free": column.free,
                "collinear": column.collinear,
                "otherwise_at_least": int(column.at_least),
                "otherwise_at_most": int(column.at_most),
            }
            for column in report
        ],
        "sentence": _sentence(report, own, options.decides),
    }


def _errors_of_the_rule(compared: Compared) -> int | None:
    """Of the chosen rule on all rows; None of one that is no linear rule of the columns."""
    read, selection = compared.read, compared.selection
    estimator, prepare = selection.estimator, selection.prepare
    if read.sample is not None or len(read.X) != len(read.y):
        return None
    if isinstance(estimator, Scorecard) or not hasattr(estimator, "coef_"):
        return None
    rows = read.X if prepare is None else prepare.transform(read.X)
    return int((estimator.predict(rows) != read.y).sum())


def _sentence(report: SignReport, own: int | None, decides: str) -> str:
    least, errors, rows = report.at_least, report.errors, report.n_rows
    if least == errors:
        few = f"No linear rule makes fewer than {errors:,} errors on these {rows:,} rows"
    elif least:
        few = (
            f"Every linear rule errs on at least {least:,} of these {rows:,} rows; the best one "
            f"found in this short search errs on {errors:,}"
        )
    else:
        few = (
            f"The best linear rule found in this short search errs on {errors:,} of these "
            f"{rows:,} rows"
        )
    if decides != "error":
        few += " (all errors count alike here: no costs, no weights)"
    signs = []
    for sign, word in (("+", "positive"), ("-", "negative")):
        if names := [column.name for column in report if column.sign == sign]:
            signs.append(f"a {word} weight to {', '.join(names)}")
    if not signs:
        return f"{few}. No weight is known to need a certain sign."
    so_few = f"Every rule with at most {errors:,} errors"
    sentence = f"{few}. {so_few} gives {' and '.join(signs)} (positive speaks for {report.label})."
    if own is not None and own > errors:
        sentence += f" The rule above makes {own:,}: this need not hold for it."
    return sentence
