"""What statisticians have: data frames with words or categories, and design matrices of formulas.

A design matrix of patsy or formulaic is known by what it says of itself, so that neither library
needs to be there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._inputs import exact
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._proof.table import Table
    from rosenblatt.data import Encoding


# --- Design matrices -----------------------------------------------------------------------------


def design_names(X: Any) -> list[str] | None:
    """The names of the columns of a design matrix; None of anything else."""
    for info in ("design_info", "model_spec"):  # patsy's, formulaic's
        names = getattr(getattr(X, info, None), "column_names", None)
        if names is not None:
            return [str(name) for name in names]
    return None


def outcome(y: Any) -> tuple[str, Any]:
    """The name of the labels, and these: the left side of a formula is a matrix of one column."""
    names = design_names(y)
    if names is None:
        return str(getattr(y, "name", None) or "y"), y
    if len(names) != 1:
        raise InputError(
            f"y is a design matrix with the columns {', '.join(names[:5])}: a formula makes one "
            "for each word of its left side. Give the labels themselves, or one of these columns."
        )
    return names[0], np.asarray(y)[:, 0]


def refuse_name(X: Any, y: Any) -> None:
    """The name of a column is not its labels."""
    if isinstance(y, str):
        known = hasattr(X, "columns") and y in list(X.columns)
        meant = f": did you mean X[{y!r}], and the other columns as X?" if known else "."
        raise InputError(f"y is the text {y!r}, and must be the labels, one for each row{meant}")


# --- Data frames ---------------------------------------------------------------------------------


def has_words(X: Any) -> bool:
    """Is it a data frame with a column that is not of numbers: of text, or of categories?"""
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return False
    return any(map(_holds_words, _columns(X)))


def _columns(X: Any) -> list[Any]:
    """By place: names may stand twice, which is an error of its own."""
    if hasattr(X, "iloc"):
        return [X.iloc[:, j] for j in range(X.shape[1])]
    return list(X.iter_columns()) if hasattr(X, "iter_columns") else []


def _holds_words(column: Any) -> bool:
    kind = column.dtype
    if getattr(kind, "kind", None) == "O" and str(kind) == "object":
        return any(isinstance(value, str) for value in column)
    return str(kind).split("(")[0] in ("category", "string", "str", "String", "Categorical", "Enum")


def in_numbers(X: Any, *, decimal: bool) -> tuple[Any, Encoding]:
    """Numbers stay, words become 0/1 columns for all but the reference level, with names."""
    from rosenblatt.data import read
    from rosenblatt.data.table import Table as Read

    exact.refuse_rounded(X, decimal=decimal)
    table = read(X)
    assert isinstance(table, Read)
    for column in table.columns:
        if column.first_missing is not None:
            raise InputError(
                f"X has no value at row {column.first_missing.row}, column {column.name!r}, as in "
                f"{column.missing:,} of {table.n_rows:,} rows: fill it in, {_fill(column)}, or "
                "leave out the row."
            )
    rows, _, encoding = table.encode(scale=False)
    if decimal:
        exact.refuse_other_decimals(X, rows)
    return rows, encoding


def _fill(column: Any) -> str:
    from rosenblatt.data.part import Kind

    number = column.kind is Kind.NUMBER
    return "as sklearn.impute.SimpleImputer does" if number else "with a word of its own"


def in_numbers_again(X: Any, encoding: Encoding, *, decimal: bool) -> Any:
    """The same by an encoding that somebody else brought along."""
    from rosenblatt.data.transformed import refuse_merged

    exact.refuse_rounded(X, decimal=decimal)
    refuse_merged(encoding, (part for part, _ in encoding.parts(X)))
    rows = encoding.apply(X)
    if decimal:
        exact.refuse_other_decimals(X, rows)
    return rows


def with_target(encoding: Encoding, table: Table) -> Encoding:
    """The encoding of the labels, too, where a file could have them in a column of its own."""
    from rosenblatt.data.labels import Target
    from rosenblatt.data.part import Kind

    kinds = {str: Kind.TEXT, bool: Kind.BOOLEAN, int: Kind.NUMBER, float: Kind.NUMBER}
    labels = table.origin.classes.tolist()
    kind = kinds.get(type(labels[0]))
    if len(labels) != 2 or kind is None or table.target in encoding.inputs:
        return encoding
    return replace(encoding, target=Target(table.target, kind, tuple(labels)))
