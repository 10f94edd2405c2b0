"""Trained rules as text for other programs: SQL, spreadsheets, Python, JavaScript, C, PMML.

`docs/export.md` says what each takes and gives, and when its labels are ours: cards always,
other linear rules to the bit in SQLite and Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from rosenblatt._export import c, excel, expression, javascript, pmml, python, sql
from rosenblatt._export.expression import Spelled, spelled
from rosenblatt._training.card_rule import Card
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt._validation import parameters
from rosenblatt.data.pipeline import preceding, unpiped
from rosenblatt.data.preprocessing import ON_UNSEEN
from rosenblatt.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from rosenblatt._export.expression import Language
    from rosenblatt.data import Preprocessing


def to_sql(
    estimator: Any,
    *,
    preprocessing: Preprocessing | None = None,
    table: str = "data",
    on_unseen: str = "error",
) -> str:
    """A query that gives all rows of a table, behind their label and their score or points.

    Parameters
    ----------
    estimator : Scorecard, Perceptron, RandomLinearClassifier, AROW or PassiveAggressive
        Fitted, with one weight for each feature: neither voters nor a kernel.
    preprocessing : rosenblatt.data.Preprocessing or None
        How the columns of a table became the features: the query then takes the columns. By
        default `estimator.preprocessing_`, where `study`, `train` or `load` has set it; without one
        the columns are the features.
    table : str
        The table that is queried.
    on_unseen : "error" or "reference"
        What a word that did not occur in training gives: no answer; or that of the reference level.

    Examples
    --------
    >>> from rosenblatt import Scorecard
    >>> from rosenblatt.formulas import to_sql
    >>> card = Scorecard(max_terms=1).fit([[0], [1], [3], [4]], ["yes", "yes", "no", "no"])
    >>> print(to_sql(card, table="loans"))
    /* the label is yes where the points reach -1, else no. */
    /* NULL where a value is missing or no number, or a word was not seen in training. */
    SELECT
      CASE WHEN points IS NULL THEN NULL WHEN points >= -1 THEN 'yes' ELSE 'no' END AS predicted,
      scored.*
    FROM (
      SELECT
        CASE WHEN ("x0" IS NULL OR "x0" > CAST(1e308 AS DOUBLE PRECISION)) THEN NULL ELSE
          -1 * CAST("x0" AS DOUBLE PRECISION) END AS points,
        "loans".*
      FROM "loans"
    ) AS scored;
    <BLANKLINE>
    """
    return sql.query(_spelled(estimator, preprocessing, sql.Sql(), on_unseen), table)


def to_excel_formula(
    estimator: Any,
    *,
    preprocessing: Preprocessing | None = None,
    cells: Mapping[str, str] | None = None,
    on_unseen: str = "error",
) -> str:
    """A formula that gives the label of one row.

    Parameters
    ----------
    estimator, preprocessing, on_unseen
        As of `to_sql`.
    cells : dict of str to str, optional
        The cell of each column that the rule needs: {"income": "D2"}. By default the columns in
        use are A, B and so on, in the order of the table, and the row is 2: `inputs` names them.

    Examples
    --------
    >>> from rosenblatt import Scorecard
    >>> from rosenblatt.formulas import to_excel_formula
    >>> card = Scorecard(max_terms=1).fit([[0], [1], [3], [4]], ["yes", "yes", "no", "no"])
    >>> to_excel_formula(card, cells={"x0": "C2"})
    '=IF(NOT(ISNUMBER(C2)),NA(),IF(-1 * C2 >= -1,"yes","no"))'
    """
    names = inputs(estimator, preprocessing=preprocessing)
    if cells is None:
        cells = {name: f"{excel.letters(k)}2" for k, name in enumerate(names)}
    if lacking := [name for name in names if name not in cells]:
        raise InputError(
            f"cells does not say where {lacking[0]!r} is: give the cell of each of {names}."
        )
    language = excel.Excel(cells)
    return excel.formula(_spelled(estimator, preprocessing, language, on_unseen), language)


def to_python(
    estimator: Any, *, preprocessing: Preprocessing | None = None, on_unseen: str = "error"
) -> str:
    """A module with `predict(row)`, which needs nothing but Python; `row` is a dict.

    Examples
    --------
    >>> from rosenblatt import Scorecard
    >>> from rosenblatt.formulas import to_python
    >>> card = Scorecard(max_terms=1).fit([[0], [1], [3], [4]], ["yes", "yes", "no", "no"])
    >>> module = {}
    >>> exec(to_python(card), module)
    >>> module["predict"]({"x0": 1}), module["predict"]({"x0": 3})
    ('yes', 'no')
    """
    return python.module(_spelled(estimator, preprocessing, python.Python(), on_unseen))


def to_javascript(
    estimator: Any, *, preprocessing: Preprocessing | None = None, on_unseen: str = "error"
) -> str:
    """A module of JavaScript with `predict(row)`; `row` is an object with the columns by name.

    Examples
    --------
    >>> from rosenblatt import Scorecard
    >>> from rosenblatt.formulas import to_javascript
    >>> card = Scorecard(max_terms=1).fit([[0], [1], [3], [4]], ["yes", "yes", "no", "no"])
    >>> print(to_javascript(card).splitlines()[-2].strip())
    return found === null ? null : ["no", "yes"][Number(found >= -1)];
    """
    return javascript.module(_spelled(estimator, preprocessing, javascript.JavaScript(), on_unseen))


def to_c(
    estimator: Any, *, preprocessing: Preprocessing | None = None, on_unseen: str = "error"
) -> str:
    """C99 with `predict(row)`, which gives the place of the label in `labels`, or -1; `struct row`
    has a double or a text for each column.

    Examples
    --------
    >>> from rosenblatt import Scorecard
    >>> from rosenblatt.formulas import to_c
    >>> card = Scorecard(max_terms=1).fit([[0], [1], [3], [4]], ["yes", "yes", "no", "no"])
    >>> print(to_c(card).splitlines()[-2].strip())
    return isnan(found) ? -1 : found >= -1;
    """
    columns = inputs(estimator, preprocessing=preprocessing)
    language = c.C(columns)
    return c.module(_spelled(estimator, preprocessing, language, on_unseen), language)


def to_pmml(
    estimator: Any, *, preprocessing: Preprocessing | None = None, on_unseen: str = "error"
) -> str:
    """A PMML 4.4 document of a scorecard: `points`, `predicted`, and `reason_1` to `reason_3`, the
    terms that cost a row the most points.

    Examples
    --------
    >>> from rosenblatt import Scorecard
    >>> from rosenblatt.formulas import to_pmml
    >>> card = Scorecard(max_terms=1).fit([[0], [1], [3], [4]], ["yes", "yes", "no", "no"])
    >>> "pointsBelow" in to_pmml(card)
    True
    """
    estimator, preprocessing = _checked(estimator, preprocessing, on_unseen)
    return pmml.document(estimator, preprocessing, on_unseen)


def inputs(estimator: Any, *, preprocessing: Preprocessing | None = None) -> list[str]:
    """The columns that a rule needs, in the order of the table."""
    return expression.inputs(*_checked(estimator, preprocessing, "error"))


def _spelled(
    estimator: Any,
    preprocessing: Preprocessing | None,
    language: Language,
    on_unseen: str = "error",
) -> Spelled:
    estimator, preprocessing = _checked(estimator, preprocessing, on_unseen)
    return spelled(estimator, preprocessing, language, on_unseen=on_unseen)


def _checked(
    estimator: Any, preprocessing: Preprocessing | None, on_unseen: str
) -> tuple[Any, Preprocessing | None]:
    """The rule, and what comes before it; of a pipeline, too."""
    parameters.one_of("on_unseen", on_unseen, ON_UNSEEN)
    estimator, folded = unpiped(estimator)
    _refuse(estimator)
    preprocessing = preceding(estimator, folded, preprocessing)
    expression.check_features(estimator, preprocessing)
    return estimator, preprocessing


def _refuse(estimator: Any) -> None:
    """What has no formula."""
    if not type(estimator).__module__.startswith("rosenblatt."):
        raise InputTypeError(
            f"A {type(estimator).__name__} cannot be written as a formula: give a trained "
            "Scorecard or linear classifier of rosenblatt."
        )
    check_is_fitted(estimator)
    if not isinstance(estimator._rule, LinearRule | Card):
        raise InputError(
            "A formula needs one weight for each feature, and this rule has none: it votes, or "
            "works by a kernel. Train with keep='average', or a Scorecard."
        )
