"""Which labels are most likely wrong? Rows ranked, each with its reason: `suspects`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._certify.table import read_encoded
from rosenblatt._core.rows import dense
from rosenblatt._util.text import counted, many, named, one_line, row_number
from rosenblatt._validation import parameters
from rosenblatt.error_bracket import minimum_errors
from rosenblatt.errors import InputError
from rosenblatt.perceptron import Perceptron

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing

Floats = NDArray[np.float64]

_MOST_ROWS, _MOST_NUMBERS = 50_000, 10_000_000
_NEAREST, _MAJORITY = 10, 6
_RULES, _FEW_RULES, _MANY_NUMBERS = 40, 10, 1_000_000
_FOLDS, _TREES = 5, 100


def suspects(
    X: Any,
    y: Any,
    *,
    most: int = 20,
    random_state: int = 0,
    time_limit: float | None = 5.0,
    preprocessing: Preprocessing | None = None,
) -> Suspects:
    """The rows whose labels are most likely wrong, ranked, each with its reason.

    A row is suspect as far as its label is improbable: the mean of what a logistic regression and a
    random forest say that did not see it, and of how many of the 10 nearest rows have its label.
    That is a ranking, and no proof that a label is wrong. What is proved is how many labels every
    linear rule contradicts, whichever they are.

    Parameters
    ----------
    X : array, data frame or CSR matrix of shape (n, d)
        The rows. Columns of text or categories become 0/1 columns.
    y : array of shape (n,)
        Their labels, two different ones or more.
    most : int
        So many rows are described.
    random_state : int
        Divides the rows, and grows the trees.
    time_limit : float or None
        Seconds to search for the proved number of contradicted labels.
    preprocessing : rosenblatt.data.Preprocessing, optional
        How X was made of a table, as in `certify`.

    Returns
    -------
    Suspects
        In order, the most suspect row first.

    Examples
    --------
    >>> from rosenblatt import suspects
    >>> x = [[k] for k in range(20)]
    >>> rows = suspects(x, [0] * 5 + [1] + [0] * 4 + [1] * 10)
    >>> rows[0].row, rows[0].likely
    (5, 0)
    """
    most = parameters.whole("most", most)
    if time_limit is not None:
        time_limit = parameters.positive("time_limit", time_limit)
    table, _ = read_encoded(
        X, y, None, preprocessing, numbers="float", function="suspects", many=True
    )
    classes = np.asarray(table.origin.classes)
    codes = (table.y > 0).astype(np.intp) if len(classes) <= 2 else table.y.astype(np.intp) - 1
    _refuse(table.X, codes, classes)
    Z = _scaled(table.X)
    nearest = _neighbours(Z)
    scores, likely = _improbable(Z, codes, nearest, random_state)
    order = np.argsort(-scores, kind="stable")
    evidence = _Evidence(table.X, codes, classes, nearest, _errors_of_rules(Z, codes))
    shown = [evidence.of(int(i), float(scores[i]), int(likely[i])) for i in order[:most]]
    contradicted = None
    if len(classes) == 2:
        bracket = minimum_errors(table.X, codes, time_limit=time_limit)
        contradicted = int(bracket.proved_lower)
    return Suspects(shown, order, scores, contradicted)


@final
@dataclass(frozen=True)
class Suspect:
    """One row.

    Attributes
    ----------
    row : int
        Its number in X.
    label, likely : labels
        The one that it has, and the most probable one.
    score : float
        How improbable its label is, from 0 to 1.
    twin : int or None
        A row with the same values and another label.
    in_all_rules : int
        So many linear rules with few errors were found, and in all of them this row is one; 0 where
        some rule is right about it.
    neighbours : int
        How many of the 10 nearest rows have the label that most of them have, if it is another one.
    """

    row: int
    label: Any
    likely: Any
    score: float
    twin: int | None
    in_all_rules: int
    neighbours: int
    _says: Any = None  # what most of the neighbours say

    @property
    def reason(self) -> str:
        """In the words of the table."""
        if self.twin is not None:
            return f"it has the values of row {row_number(self.twin)} and another label"
        parts = []
        if self.neighbours >= _MAJORITY:
            parts.append(
                f"{self.neighbours} of the {_NEAREST} nearest rows say {_word(self._says)}"
            )
        if self.in_all_rules:
            parts.append(f"in all {self.in_all_rules} best rules found it is an error")
        return "; ".join(parts) or f"rules that did not see it give its label {1 - self.score:.0%}"

    def __str__(self) -> str:
        return f"row {row_number(self.row)} ({_word(self.label)}): {self.reason}"


@final
class Suspects:
    """The answer of `suspects`: the most suspect rows, in order.

    Attributes
    ----------
    ranking : array of int
        All rows, the most suspect first.
    scores : array of shape (n,)
        How improbable the label of each row is.
    contradicted : int or None
        Every linear rule contradicts at least this many labels: proved. Of two labels only.
    """

    def __init__(
        self,
        shown: list[Suspect],
        ranking: NDArray[np.intp],
        scores: Floats,
        contradicted: int | None,
    ):
        self._shown, self.ranking, self.scores = shown, ranking, scores
        self.contradicted = contradicted

    def of_table(self, rows: NDArray[np.intp]) -> Suspects:
        """The same, with the numbers that the rows have in a table."""
        shown = [
            replace(
                one, row=int(rows[one.row]), twin=None if one.twin is None else int(rows[one.twin])
            )
            for one in self
        ]
        return Suspects(shown, rows[self.ranking], self.scores, self.contradicted)

    def __getitem__(self, place: int) -> Suspect:
        return self._shown[place]

    def __iter__(self) -> Iterator[Suspect]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __repr__(self) -> str:
        return f"<Suspects: {len(self)} of {len(self.scores)} rows>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        n = len(self.scores)
        yield f"The {len(self):,} most suspect labels of {n:,} rows ({counted()}):"
        yield from (f"  {one_line(str(suspect))}" for suspect in self)
        if self.contradicted:
            labels = many(self.contradicted, "label")
            which = "(which ones depends on the rule)"
            yield f"Every linear rule contradicts at least {labels} of these rows {which}: proved."
        yield "A suspect label need not be wrong: look at the row."


def _word(label: Any) -> str:
    return one_line(named(str(label)))


def _refuse(X: Any, codes: NDArray[np.intp], classes: NDArray[Any]) -> None:
    n, d = X.shape
    numbers = X.nnz if sparse.issparse(X) else n * d
    if n > _MOST_ROWS or numbers > _MOST_NUMBERS:
        raise InputError(
            f"suspects takes up to {_MOST_ROWS:,} rows and {_MOST_NUMBERS:,} numbers; X has "
            f"{n:,} rows and {numbers:,} numbers. Ask about a part of the rows."
        )
    rare = np.flatnonzero(np.bincount(codes, minlength=len(classes)) < 2)
    if len(classes) < 2 or len(rare):
        label = classes[rare[0]] if len(rare) else classes[0]
        why = "has one row only" if len(rare) else "is the only one"
        raise InputError(
            f"The label {label!r} {why}: suspects compares each row with others of its label and "
            "with those of another one.",
            option="y",
            value=label,
        )


def _scaled(X: Any) -> Any:
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    scaler = MaxAbsScaler() if sparse.issparse(X) else StandardScaler()
    return scaler.fit_transform(X.astype(np.float64))


def _neighbours(Z: Any) -> NDArray[np.intp]:
    from sklearn.neighbors import NearestNeighbors

    n = Z.shape[0]
    k = min(_NEAREST + 1, n)
    nearest = NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(Z, return_distance=False)
    own = nearest == np.arange(n)[:, None]
    own[~own.any(axis=1), -1] = True  # among many equal rows it may not be the first: the last goes
    return np.asarray(nearest[~own].reshape(n, k - 1))


def _improbable(
    Z: Any, codes: NDArray[np.intp], nearest: NDArray[np.intp], random_state: int
) -> tuple[Floats, NDArray[np.intp]]:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    k = int(codes.max()) + 1
    folds = StratifiedKFold(
        min(_FOLDS, int(np.bincount(codes).min())), shuffle=True, random_state=random_state
    )
    votes = np.stack([(codes[nearest] == c).mean(axis=1) for c in range(k)], axis=1)
    rules = (
        LogisticRegression(max_iter=500),
        RandomForestClassifier(_TREES, random_state=random_state),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit that is reached changes a ranking little
        out_of_fold = [
            cross_val_predict(rule, Z, codes, cv=folds, method="predict_proba") for rule in rules
        ]
    probable = (votes + sum(out_of_fold)) / (1 + len(out_of_fold))
    return 1 - probable[np.arange(len(codes)), codes], np.argmax(probable, axis=1)


def _errors_of_rules(Z: Any, codes: NDArray[np.intp]) -> tuple[int, NDArray[np.intp]]:
    """How many rules were trained, and in how many of them each row is an error."""
    numbers = Z.nnz if sparse.issparse(Z) else Z.size
    rules = _RULES if numbers <= _MANY_NUMBERS else _FEW_RULES
    wrong = np.zeros(len(codes), dtype=np.intp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(rules):
            rule = Perceptron(keep="best", random_state=seed).fit(Z, codes)
            wrong += rule.predict(Z) != codes
    return rules, wrong


class _Evidence:
    """What speaks against the label of a row."""

    def __init__(
        self,
        X: Any,
        codes: NDArray[np.intp],
        classes: NDArray[Any],
        nearest: NDArray[np.intp],
        rules: tuple[int, NDArray[np.intp]],
    ):
        self._X, self._codes, self._classes = X, codes, classes.tolist()
        self._nearest, (self._rules, self._wrong) = nearest, rules

    def of(self, i: int, score: float, likely: int) -> Suspect:
        says = np.bincount(self._codes[self._nearest[i]], minlength=len(self._classes))
        most = int(np.argmax(says))
        return Suspect(
            i,
            self._classes[self._codes[i]],
            self._classes[likely],
            score,
            self._twin(i),
            self._rules if self._wrong[i] == self._rules else 0,
            int(says[most]) if most != self._codes[i] else 0,
            self._classes[most],
        )

    def _twin(self, i: int) -> int | None:
        row = dense(self._X[[i]])[0]
        for j in self._nearest[i].tolist():
            if self._codes[j] != self._codes[i] and (dense(self._X[[j]])[0] == row).all():
                return int(j)
        return None
