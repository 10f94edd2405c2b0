"""A table and its labels, checked: what is to be proved about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import verify
from rosenblatt._certify.families import Beside, Outcome, counts, events, levels_of
from rosenblatt._certify.parts import Origin
from rosenblatt._core.rows import Csr, Matrix, as_table
from rosenblatt._util.extras import needed
from rosenblatt._util.spelling import about_frame, either
from rosenblatt._util.text import Numbered
from rosenblatt._validation import exact, rows, targets
from rosenblatt._validation.parameters import not_allowed
from rosenblatt._validation.signs import demanded, refuse_constant
from rosenblatt._validation.targets import sample_weights
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing


MOST_COLUMNS = 1 << 22


_MOST_COMPARISONS = 5 * 10**7  # of a row with a class


@dataclass(frozen=True)
class Table:
    X: Any  # an array or a CSR matrix
    y: NDArray[Any]  # -1 and +1; of many classes their numbers, from 1 on
    classes: list[str]  # the labels, as text
    present: NDArray[np.intp] | None  # None: all rows
    columns: list[str]
    target: str
    origin: Origin
    beside: Beside | None = None  # of another family than the logistic one

    @property
    def labels(self) -> list[str | None]:
        """The text of the label of -1 and of +1; of many classes that of each."""
        return [None, *self.classes] if len(self.classes) == 1 else list(self.classes)


def read(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    numbers: str,
    function: str = "certify",
    for_more: str | None = None,
    many: bool = False,
    beside: Beside | None = None,
) -> Table:
    refuse_name(X, y)
    target, y = outcome(y)
    whole = y
    matrix, columns, named = _matrix(X, numbers)
    n = matrix.shape[0]
    given = _as_given(y)
    y = targets.labels(y, n)
    c = sample_weights(sample_weight, n)
    present = None if c is None or c.all() else np.flatnonzero(c)
    if beside is not None:
        there = np.ones(n, dtype=bool) if c is None else c != 0
        coded = _of_family(beside, whole, given, y, there)
        values = _values(matrix, numbers)
        origin = Origin(coded.classes, named)
        table = Table(values, coded.y, coded.words, present, columns, target, origin, beside)
        beside.checked(table, np.flatnonzero(there).tolist())
        return table
    if for_more is None:
        for_more = f"For more classes ask for each against the rest: {function}(X, y == label)."
    there = None if c is None else c != 0
    classes = targets.found_classes(y, there, for_more, many=many)
    if len(classes) > 2 and n * len(classes) > _MOST_COMPARISONS:
        raise InputError(
            f"y holds {len(classes):,} classes in {n:,} rows, too many to compare each row with "
            "each class. Is y a number to be predicted, rather than a label? If not, certify each "
            f"class against the rest: {function}(X, y == label)."
        )
    signs = _signs(y, classes, there)
    mixed = len(set(map(type, given))) > 1 or (y.dtype.kind == "f" and type(given[0]) is not float)
    words = [_word(given, y == label, mixed) for label in classes]
    if len(set(words)) < len(words):
        raise InputError(
            "y holds different labels that read the same, so that the certificate could not tell "
            "them apart. Give labels with texts of their own."
        )
    origin = Origin(classes, named)
    return Table(_values(matrix, numbers), signs, words, present, columns, target, origin)


def _of_family(
    beside: Beside, whole: Any, given: list[Any], y: NDArray[Any], there: NDArray[np.bool_]
) -> Outcome:
    if beside.family in verify.LOG_LINK:
        return counts(y, there, beside.family)
    if beside.family == "ordinal":
        return levels_of(y, whole, beside.levels, there)
    classes = events(beside.family, y, there)
    words = [_word(given, y == label, mixed=False) for label in classes]
    return Outcome(_signs(y, classes, there), classes, words)


def read_encoded(
    X: Any,
    y: Any,
    sample_weight: Any,
    preprocessing: Preprocessing | None,
    *,
    numbers: str,
    **more: Any,
) -> tuple[Table, Preprocessing | None]:
    """As `read`, with the names of the features. The words of a data frame become 0/1 columns: then
    the preprocessing is that which did it."""
    refuse_name(X, y)
    words = preprocessing is None and has_words(X)
    if words:
        X, preprocessing = in_numbers(X, sample_weight, decimal=numbers == "decimal")
    table = read(X, y, sample_weight, numbers=numbers, **more)
    if preprocessing is None:
        return table, None
    table = named(table, preprocessing)
    return table, with_target(preprocessing, table) if words else preprocessing


def _signs(
    y: NDArray[Any], classes: NDArray[Any], present: NDArray[np.bool_] | None
) -> NDArray[Any]:
    if len(classes) <= 2:
        pair = classes if len(classes) == 2 else np.array([classes[0], classes[0]])
        return targets.encoded(y, pair, present)
    codes = np.zeros(len(y), dtype=np.int32)
    there = slice(None) if present is None else present
    codes[there] = np.searchsorted(classes, y[there]) + 1
    return codes


def _word(given: list[Any], here: NDArray[np.bool_], mixed: bool) -> str:
    """The text of a label; equal labels must read the same, since a file holds their text."""
    first = str(given[int(np.argmax(here))])
    others = {str(given[i]) for i in np.flatnonzero(here).tolist()} if mixed else set()
    for text in others - {first}:
        if not verify.equal(first, text):
            raise InputError(
                f"y holds {first} and {text}, which are equal in floating point but do not read "
                "the same, so that a proof about one would be none about the other. Give labels of "
                "one type, as text."
            )
    return first


def trained_on(
    X: Matrix, signs: NDArray[Any], present: Any, names: Any, y: Any, classes: NDArray[Any]
) -> Table:
    target = str(getattr(y, "name", None) or "y")
    there = np.arange(len(signs)) if present is None else present
    each: Any = (-1, 1)
    if len(classes) > 2:
        signs, each = signs.astype(np.int32) + 1, range(1, len(classes) + 1)
    first = [int(there[np.argmax(signs[there] == sign)]) for sign in each]
    return Table(
        as_table(X),
        signs,
        [_text(y, i) for i in first],
        None if present is None else present.astype(np.intp),
        _columns(X, names),
        target,
        Origin(classes, names is not None),
    )


def _text(y: Any, i: int) -> str:
    return str(_as_given(y[i : i + 1])[0] if isinstance(y, np.ndarray) else _as_given(y)[i])


def named(table: Table, preprocessing: Preprocessing) -> Table:
    names, target = preprocessing.feature_names, preprocessing.target
    if len(names) != len(table.columns):
        raise InputError(
            f"X has {len(table.columns)} columns and the preprocessing {len(names)}: it is that of "
            "another table."
        )
    return replace(table, columns=names, target=target.name if target else table.target)


def pairs_of(table: Table) -> Iterator[tuple[tuple[str, str], Table]]:
    if len(table.classes) <= 2:
        yield (table.classes[0], table.classes[-1]), table
        return
    there = np.zeros(len(table.y), dtype=bool)
    there[slice(None) if table.present is None else table.present] = True
    for a, b in combinations(range(len(table.classes)), 2):
        first, second = table.y == a + 1, table.y == b + 1
        names = table.classes[a], table.classes[b]
        yield (
            names,
            replace(
                table,
                y=np.where(second, 1, -1).astype(np.int8),
                classes=list(names),
                present=np.flatnonzero(there & (first | second)),
                origin=table.origin._replace(classes=table.origin.classes[[a, b]]),
            ),
        )


def read_again(
    X: Any, y: Any, certified: dict[str, Any]
) -> tuple[Any, list[str] | None, list[str]]:
    """Rows, names of columns (None: they have none) and labels as text, to check a certificate."""
    if certified.get("preprocessing") is not None and has_words(X):
        from rosenblatt.data import Preprocessing

        preprocessing = Preprocessing.from_dict(certified["preprocessing"])
        X = in_numbers_again(X, preprocessing, decimal=certified.get("numbers") == "decimal")
    numbers, y = certified.get("numbers", "float"), outcome(y)[1]
    matrix, columns, _ = _matrix(X, numbers)
    texts = _texts(_as_given(y), certified["labels"])
    targets.labels(y, matrix.shape[0])
    values = _values(matrix, numbers)
    return values, columns if hasattr(X, "columns") else None, texts


def _texts(labels: list[Any], known: list[str | None]) -> list[str]:
    """Labels as text; a number is spelled as the known label that is the same number."""
    numbers = {str(label) for label in labels if not isinstance(label, (str, bool))}
    spelled = {
        text: next((name for name in known if name and verify.equal(name, text)), text)
        for text in numbers.difference(filter(None, known))
    }
    texts = map(str, labels)
    return [spelled.get(text, text) for text in texts] if spelled else list(texts)


def _matrix(X: Any, numbers: str) -> tuple[Matrix, list[str], bool]:
    decimal = numbers == "decimal"
    exact.refuse_rounded(X, decimal=decimal)
    matrix, names = rows.rows_alone(X, finite=False)
    if decimal:
        exact.refuse_other_decimals(X, matrix)
    if isinstance(matrix, Csr) and len(matrix.data) != X.nnz:  # some were added
        exact.refuse_other_sums(X, matrix, decimal=decimal)
    columns = _columns(matrix, design_names(X) if names is None else names)
    _refuse_not_finite(matrix, columns)
    return matrix, columns, names is not None


def _columns(matrix: Matrix, names: Any) -> list[str]:
    if matrix.shape[1] > MOST_COLUMNS:
        raise InputError(
            f"X has {matrix.shape[1]:,} columns, and a certificate, which names each of them and "
            f"has a weight for it, may have up to {MOST_COLUMNS:,}. Leave out columns that are 0 "
            "in every row: they change no verdict."
        )
    return list(Numbered(matrix.shape[1])) if names is None else [str(v) for v in names]


def _refuse_not_finite(matrix: Matrix, columns: list[str]) -> None:
    if (wild := rows.first_not_finite(matrix)) is not None:
        i, j, value = wild
        raise InputError(
            f"X holds {value} at row {i}, column {j} ({columns[j]!r}): there is nothing to prove "
            "about NaN or infinity. Fill it in (sklearn.impute.SimpleImputer), or leave the row "
            "out.",
            row=i,
            column=j,
        )


def _as_given(y: Any) -> list[Any]:
    if hasattr(y, "columns") and len(y.columns) == 1:
        y = y[y.columns[0]]
    values = y.tolist() if hasattr(y, "tolist") else y.to_list() if hasattr(y, "to_list") else y
    try:
        values = list(values)
    except TypeError:  # not a sequence: an array in disguise, or the check of labels has the words
        return np.asarray(values).ravel().tolist() if hasattr(values, "__array__") else []
    if values and isinstance(values[0], list) and len(values[0]) == 1:  # a column
        values = [v[0] if isinstance(v, list) and v else v for v in values]
    return values


def _values(matrix: Matrix, numbers: str) -> Any:
    table = as_table(matrix)
    return _as_written(table) if numbers == "decimal" else table


def _as_written(X: Any) -> Any:
    """float32 numbers are replaced by the float64 that reads the same."""
    if X.dtype == np.float64:
        return X
    if sparse.issparse(X):
        out = X.astype(np.float64)
        out.data = X.data.astype(str).astype(np.float64)
        return out
    return X.astype(str).astype(np.float64)


def demanded_signs(table: Table, signs: Any) -> NDArray[np.int8] | None:
    """Of the weights of the columns of a table, which has two labels."""
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


# --- Design matrices -----------------------------------------------------------------------------
#
# One of patsy or formulaic is known by what it says of itself, so that neither library needs to be
# there.


def design_names(X: Any) -> list[str] | None:
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
    if isinstance(y, str):
        known = hasattr(X, "columns") and y in list(X.columns)
        meant = f": did you mean X[{y!r}], and the other columns as X?" if known else "."
        raise InputError(f"y is the text {y!r}, and must be the labels, one for each row{meant}")


# --- Data frames ---------------------------------------------------------------------------------


def has_words(X: Any) -> bool:
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return False
    return any(map(_holds_words, _frame_columns(X)))


def _frame_columns(X: Any) -> list[Any]:
    """By place: names may stand twice, which is an error of its own."""
    if hasattr(X, "iloc"):
        return [X.iloc[:, j] for j in range(X.shape[1])]
    return list(X.iter_columns()) if hasattr(X, "iter_columns") else []


def _holds_words(column: Any) -> bool:
    kind = column.dtype
    if getattr(kind, "kind", None) == "O" and str(kind) == "object":
        return any(isinstance(value, str) for value in column)
    return str(kind).split("(")[0] in ("category", "string", "str", "String", "Categorical", "Enum")


def in_numbers(X: Any, sample_weight: Any = None, *, decimal: bool) -> tuple[Any, Preprocessing]:
    """Numbers stay, words become 0/1 columns for all but the reference level, with names. That is
    the word of the greatest weight."""
    exact.refuse_rounded(X, decimal=decimal)
    with about_frame():
        rows, preprocessing = _encoded(X, sample_weight)
    if decimal:
        exact.refuse_other_decimals(X, rows)
    return rows, preprocessing


def _encoded(X: Any, sample_weight: Any) -> tuple[Any, Preprocessing]:
    from rosenblatt.data import read
    from rosenblatt.data.table import Table as Read

    table = read(X)
    assert isinstance(table, Read)
    for column in table.columns:
        if column.first_missing is not None:
            raise InputError(
                f"X has no value at row {column.first_missing.row}, column {column.name!r}, as in "
                f"{column.missing:,} of {table.n_rows:,} rows: fill it in, {_fill(column)}, or "
                "leave out the row.",
                row=column.first_missing.row,
                column=column.name,
            )
    weights = sample_weights(sample_weight, table.n_rows)
    if weights is not None:
        table.weigh(weights)
    rows, _, preprocessing = table.encode(scale=False)
    return rows, preprocessing


def _fill(column: Any) -> str:
    from rosenblatt.data.batch import Kind

    number = column.kind is Kind.NUMBER
    return "as sklearn.impute.SimpleImputer does" if number else "with a word of its own"


def in_numbers_again(X: Any, preprocessing: Preprocessing, *, decimal: bool) -> Any:
    from rosenblatt.data.transformation import refuse_merged

    exact.refuse_rounded(X, decimal=decimal)
    refuse_merged(preprocessing, (part for part, _ in preprocessing.batches(X)))
    rows = preprocessing.transform(X)
    if decimal:
        exact.refuse_other_decimals(X, rows)
    return rows


def with_target(preprocessing: Preprocessing, table: Table) -> Preprocessing:
    """The preprocessing of the labels, too, where a file could have them in a column of its own."""
    from rosenblatt.data.batch import Kind
    from rosenblatt.data.target import Target

    kinds = {str: Kind.TEXT, bool: Kind.BOOLEAN, int: Kind.NUMBER, float: Kind.NUMBER}
    labels = table.origin.classes.tolist()
    kind = kinds.get(type(labels[0]))
    if len(labels) != 2 or kind is None or table.target in preprocessing.inputs:
        return preprocessing
    return replace(preprocessing, target=Target(table.target, kind, tuple(labels)))


# --- A formula and its table, or a model of statsmodels ------------------------------------------


_BINOMIAL = ("Logit", "Probit", "CLogLog", "Cauchy", "LogLog")  # links
_COUNTS = ("Poisson", "NegativeBinomial", "NegativeBinomialP", "GeneralizedPoisson")


class Unwrapped(NamedTuple):
    X: Any
    y: Any
    options: dict[str, Any]  # of `certify`, which the formula or the model decides


def unwrapped(X: Any, y: Any, family: str, beside: dict[str, Any]) -> Unwrapped:
    """`beside`: what belongs to rows, which may be names of columns."""
    if isinstance(X, str):
        return _of_formula(X, y, family, beside)
    X = getattr(X, "model", X) if hasattr(X, "params") else X  # results, of which fits are made
    if hasattr(X, "endog") and hasattr(X, "exog"):
        if y is not None:
            raise InputError("A model of statsmodels has its own outcomes: leave out y.")
        return _of_model(X)
    if y is None:
        raise InputError(
            "y is missing: give the labels, one for each row; or as X a formula and as y its "
            'table, certify("healed ~ dose", table), or a model of statsmodels.'
        )
    return Unwrapped(X, y, {})


def _of_formula(formula: str, data: Any, family: str, beside: dict[str, Any]) -> Unwrapped:
    if "~" not in formula:
        raise InputError(
            f"X is the text {formula!r}, and must be the rows, or a formula: outcome ~ columns.",
            value=formula,
        )
    if not hasattr(data, "columns"):
        raise InputError(
            f"A formula needs the table that it is about: certify({formula!r}, table)."
        )
    model_matrix = needed("formulaic", "A formula").model_matrix
    left, _, right = (part.strip() for part in formula.partition("~"))

    def made(text: str) -> Any:
        try:
            return model_matrix(text, data, na_action="raise")
        except Exception as error:  # whatever its parser says
            raise InputError(f"The formula {text!r} cannot be applied: {error}.") from None

    X, known = made(right), list(data.columns)
    y = data[left] if left in known else made(f"0 + {left}").iloc[:, 0]
    own = "Intercept" in X.columns
    if (own and family not in ("logistic", *verify.LOG_LINK)) or beside.get("absorb") is not None:
        X = X[[name for name in X.columns if name != "Intercept"]]
    options = {role: _by_names(value, data) for role, value in beside.items() if value is not None}
    return Unwrapped(X, y, {"fit_intercept": False, **options})


def _by_names(value: Any, data: Any) -> Any:
    if isinstance(value, str):
        if value not in list(data.columns):
            raise InputError(f"The table has no column {value!r}: give its values.", column=value)
        return data[value]
    several = isinstance(value, list) and all(isinstance(v, str) for v in value)
    return (
        [_by_names(v, data) for v in value] if several and set(value) <= {*data.columns} else value
    )


def _of_model(model: Any) -> Unwrapped:
    kind, y = type(model).__name__, np.asarray(model.endog)
    names = list(model.exog_names)[: model.exog.shape[1]]
    X = needed("pandas", "A model of statsmodels").DataFrame(np.asarray(model.exog), columns=names)
    options: dict[str, Any] = {"fit_intercept": False}
    if kind == "GLM":
        return _of_glm(model, X, y, options)
    if kind in _COUNTS:
        return Unwrapped(X, y, options | {"family": _count_family(y)})
    if kind == "MNLogit":
        words = model._ynames_map
        return Unwrapped(X, [words[int(v)] for v in y.tolist()], options)
    if kind in ("Logit", "Probit"):
        return Unwrapped(X, _whole(y), options)
    if kind == "OrderedModel":
        labels = list(model.labels)
        return Unwrapped(
            X, [labels[int(v)] for v in y], options | {"family": "ordinal", "levels": labels}
        )
    if kind == "ConditionalLogit":
        return Unwrapped(
            X, _whole(y), options | {"family": "conditional", "strata": np.asarray(model.groups)}
        )
    if kind == "PHReg":
        columns = {"time": y, "entry": model.entry, "strata": model.strata}
        given = {role: v for role, v in columns.items() if v is not None}
        entry = given.get("entry")
        if entry is not None and not (np.asarray(entry) < y).all():  # 0 stands for none
            del given["entry"]
        return Unwrapped(
            X, np.asarray(model.status).astype(int), options | {"family": "cox"} | given
        )
    raise InputError(
        f"The model {kind} of statsmodels is not known here. Known are Logit, Probit, MNLogit, "
        f"GLM, OrderedModel, ConditionalLogit, PHReg, {', '.join(_COUNTS)}."
    )


def _of_glm(model: Any, X: Any, y: Any, options: dict[str, Any]) -> Unwrapped:
    family, link = type(model.family).__name__, type(model.family.link).__name__
    weights = np.asarray(model.freq_weights, dtype=float)
    if family == "Binomial" and link in _BINOMIAL:
        n = np.broadcast_to(np.asarray(model.n_trials, dtype=float), y.shape)
        successes = np.rint(y * n)
        if (n == 1).all():
            return Unwrapped(X, _whole(y), options | {"sample_weight": weights})
        both = needed("pandas", "A model of statsmodels").concat([X, X], ignore_index=True)
        times = np.concatenate([weights * (n - successes), weights * successes])
        labels = np.repeat([0, 1], len(y))
        return Unwrapped(both, labels, options | {"sample_weight": times})
    if family in ("Poisson", "NegativeBinomial", "Tweedie") and link == "Log":
        return Unwrapped(X, y, options | {"family": _count_family(y), "sample_weight": weights})
    raise InputError(
        f"A GLM with the family {family} and the link {link} is not known here. Known are Binomial "
        f"with {', '.join(_BINOMIAL)}, and Poisson, NegativeBinomial and Tweedie with Log."
    )


def _whole(y: Any) -> Any:
    return y.astype(int) if (y == np.rint(y)).all() else y


def _count_family(y: Any) -> str:
    return "poisson" if (y == np.rint(y)).all() else "ppml"
