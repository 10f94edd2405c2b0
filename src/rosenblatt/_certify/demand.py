"""Signs of weights that are demanded, as rows beside the others.

Is there a w with all a_i·w > 0 and s_j w_j >= 0? Where there is one, there is one with all
s_j w_j > 0, since a little of s may be added. So the demand is so many more rows s_j e_j, which
have no intercept. Where there is none, a positive blend of the rows and these is zero: the blend of
the rows alone is 0 in all other columns, and in these of the other sign, or 0 (Motzkin, 1936).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._certify.parts import AboutRows
from rosenblatt._certify.rows import Rows
from rosenblatt._certify.table import Table
from rosenblatt._util.spelling import either
from rosenblatt._validation.parameters import not_allowed
from rosenblatt._validation.signs import demanded, refuse_constant


def signs_of(table: Table, signs: Any) -> NDArray[np.int8] | None:
    """What is demanded of the columns of a table, which has two labels."""
    known = demanded(signs, table.columns, len(table.columns))
    if known is None:
        return None
    if len(table.classes) > 2:
        one = either("ask for one against the rest, y == label", "give --positive LABEL")
        instead = f"it is for two classes, and y has {len(table.classes)}: {one}"
        raise not_allowed("signs", signs, instead)
    X = table.X if table.present is None else table.X[table.present]
    refuse_constant(known, table.columns, X)
    return known


def demand_of(signs: NDArray[np.int8] | None) -> dict[str, Any]:
    """The field of a document."""
    return {} if signs is None else {"demand": signs.tolist()}


def asked_of(document: dict[str, Any]) -> NDArray[np.int8] | None:
    return np.array(document["demand"], dtype=np.int8) if "demand" in document else None


def with_words(about: AboutRows) -> str:
    return f" with the signs {', '.join(map(' '.join, about.signs.items()))}" if about.signs else ""


def with_signs(rows: Rows, signs: NDArray[np.int8]) -> Rows:
    """The rows, their intercept as a column of ones; then the signs."""
    asked = np.flatnonzero(signs)
    more = np.zeros((len(asked), rows.D))
    more[np.arange(len(asked)), asked] = 1.0
    X: Any = rows.X.astype(np.float64)
    if rows.intercept:
        ones = np.ones((rows.n, 1))
        X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
    X = sparse.vstack([X, more], format="csr") if sparse.issparse(X) else np.vstack([X, more])
    y = np.append(rows.y, signs[asked]).astype(np.int8)
    return Rows(X, y, intercept=False, decimal=rows.decimal, budget=rows.budget)
