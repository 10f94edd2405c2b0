"""Is there a hyperplane with every row on its right side? Decided, and proved: `certify`."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify
from rosenblatt._certify import document as say
from rosenblatt._certify import margins, parts, wide
from rosenblatt._certify.absorbed import Absorbed
from rosenblatt._certify.check import check, codes, nothing_rejected
from rosenblatt._certify.diagnostics import (
    coefficient_signs,
    collinear_columns,
    revealing_columns,
    right_by_last_bits,
    sparse_directions,
    visible_conflict,
)
from rosenblatt._certify.facial_reduction import ONLY_SEPARABLE, Partition
from rosenblatt._certify.families import FAMILIES, Beside, refuse_pairs, rows_of
from rosenblatt._certify.lifted_rows import LiftedRows
from rosenblatt._certify.margins import Bound
from rosenblatt._certify.parts import (
    AboutRows,
    ClassPair,
    CoefficientSign,
    CollinearColumn,
    Conflict,
    Hyperplane,
    Margin,
    Origin,
    PairCertificates,
    RevealingColumn,
    SeparatingDirection,
    Sides,
    Verdict,
    separated_rows,
)
from rosenblatt._certify.rows import Names, Rows
from rosenblatt._certify.table import (
    Table,
    demanded_signs,
    named,
    pairs_of,
    read,
    read_again,
    read_encoded,
    trained_on,
    unwrapped,
)
from rosenblatt._core.rows import Matrix
from rosenblatt._util.budget import Budget, LimitReached, noting
from rosenblatt._util.files import nearby, write_whole
from rosenblatt._util.one_thread import one_thread
from rosenblatt._util.spelling import option
from rosenblatt._validation import parameters
from rosenblatt.errors import InputError, VerificationError

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing


__all__ = [
    "Certificate",
    "ClassPair",
    "CoefficientSign",
    "Conflict",
    "Hyperplane",
    "Margin",
    "Origin",
    "PairCertificates",
    "RevealingColumn",
    "SeparatingDirection",
    "Verdict",
]

NUMBERS = ("float", "decimal")
_MORE_TO_TELL = ("complete separation", "quasi-complete separation")
_SMALL = 10**4  # numbers in a table that is worth a verdict, whatever was asked


def certify(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    numbers: str = "float",
    time_limit: float | None = None,
    work_limit: int | None = None,
    preprocessing: Preprocessing | None = None,
    pairs: bool = False,
    family: str = "logistic",
    time: Any = None,
    entry: Any = None,
    strata: Any = None,
    levels: Any = None,
    absorb: Any = None,
    signs: Any = None,
) -> Certificate:
    """Decide whether a hyperplane separates the classes, and prove it.

    The verdict is complete separation, quasi-complete separation or overlap (Albert and Anderson
    1984): it says whether a perceptron converges and whether a logistic regression has a finite
    estimate. With more than two classes it is about weights for each class that give every row a
    higher score for its own class than for any other.

    Parameters
    ----------
    X : array, data frame or CSR matrix of shape (n, d)
        The rows. Columns of text or categories are one-hot encoded, as 0/1 columns `town=Rome`,
        but for the most frequent word: the reference level. Design matrices of patsy and
        formulaic keep their names. Or a formula, "healed ~ dose + C(centre)", with its table as y
        (formulaic reads it). Or a model of statsmodels, without y: what it is about, it says.
    y : array of shape (n,)
        Their labels: two different ones, or more, or one; for other families see below.
    fit_intercept : bool
        False: hyperplanes through the origin only, as for a design with a column of ones.
    sample_weight : array of shape (n,), optional
        Rows of weight 0 are left out; other weights make no difference.
    numbers : "float" or "decimal"
        What the numbers mean: the floats that they are, or the decimal numbers that were written.
    time_limit : float, optional
        Seconds after which the search ends, perhaps "undecided"; checking the proof comes on top.
    work_limit : int, optional
        The same as a number of row evaluations, so that the outcome is reproducible. With neither
        limit, only arithmetic with numbers of hundreds of digits ends, after some seconds' work.
    preprocessing : rosenblatt.data.Preprocessing, optional
        How X and y came from a table: names the columns and the target, and is kept with the
        certificate.
    pairs : bool
        Certify each pair of classes, too: `pair_certificates` has them, as a table. The limits are
        those of each.
    family : str
        The model whose estimate is checked. "logistic": binary and multinomial logistic models;
        probit and complementary log-log models have a finite estimate on the same rows. "poisson":
        counts with a log link, and any other model with a log link and a point mass at 0; "ppml":
        the same for amounts. "ordinal": proportional odds, ordered probit. "conditional":
        conditional logistic regression, within `strata`. "cox": proportional hazards, with
        Breslow's or Efron's method for ties; y says which rows have an event. An offset
        changes no answer. Only the logistic and log-link models have an intercept.
    time, entry : array of shape (n,), or the name of a column of X
        For "cox": when each row had its event or was last seen, and when it came under observation
        (left truncation, start-stop data; by default before all events).
    strata : array of shape (n,), or the name of a column of X
        For "conditional", and if wanted for "cox": rows are compared within their stratum.
    levels : list, optional
        For "ordinal": the levels of y, starting with the lowest. By default the order of numbers,
        or of an ordered categorical.
    absorb : str, list of str, or arrays of shape (n,), optional
        For "logistic" with two labels, "poisson" and "ppml": factors of many levels (fixed
        effects), by the names of columns of X or by their values. None of them becomes a column.
    signs : mapping or array of shape (d,), optional
        Signs that weights must have, for the second label: {"income": "+", "reports": "-"}, or -1,
        0 and 1 by column. A weight of 0 obeys. Two labels; it is then decided whether the rows are
        separable by such a rule, and no more.

    Returns
    -------
    Certificate
        The verdict and its proof, which `verify.py` checks without trusting this function.

    Examples
    --------
    >>> from rosenblatt import certify
    >>> certificate = certify([[1], [2], [3], [3], [5], [6]], [0, 0, 0, 0, 1, 1])
    >>> certificate.verdict
    'complete separation'
    >>> certificate.geometric_margin
    Margin(lo=1.0, hi=1.0)
    """
    parameters.flag("fit_intercept", fit_intercept)
    parameters.flag("pairs", pairs)
    parameters.one_of("numbers", numbers, NUMBERS)
    if time_limit is not None:
        parameters.positive("time_limit", time_limit)
    work_limit = parameters.whole_or_none("work_limit", work_limit)
    parameters.one_of("family", family, FAMILIES)
    given = {"time": time, "entry": entry, "strata": strata, "absorb": absorb}
    X, y, more = unwrapped(X, y, family, given)
    family, levels = more.pop("family", family), more.pop("levels", levels)
    fit_intercept = more.pop("fit_intercept", fit_intercept)
    sample_weight = more.pop("sample_weight", sample_weight)
    given |= more
    X, beside = Beside.of(X, family, levels, **given)
    if beside is not None:
        with_intercept = family in verify.LOG_LINK and not beside.absorbed
        fit_intercept = bool(fit_intercept) and with_intercept
        refuse_pairs(pairs, family)
    table, preprocessing = read_encoded(
        X, y, sample_weight, preprocessing, numbers=numbers, many=True, beside=beside
    )

    signed = demanded_signs(table, signs)
    if signed is not None and (beside is not None or pairs):
        raise parameters.not_allowed(
            "signs", signs, "it is for family='logistic', without pairs and absorb"
        )

    def decided(table: Table, **more: Any) -> Certificate:
        budget = Budget(time_limit=time_limit, work_limit=work_limit)
        budget.bound(int(np.prod(table.X.shape)) * max(len(table.classes) - 1, 1))
        if beside is not None and beside.absorbed:
            return _with_factors(table, numbers, budget, preprocessing)
        search = _Search(table, bool(fit_intercept), numbers, budget, preprocessing, signs=signed)
        return search.run(**more)

    two = ((names, decided(part)) for names, part in pairs_of(table)) if pairs else ()
    return decided(table, pairs=PairCertificates(dict(two)) if pairs else None)


@final
class Certificate(AboutRows):
    """The answer of `certify`, with its proof. Print it to read it in words.

    The verdicts are those of Albert and Anderson (1984). A separation is proved by a separator,
    its absence by a conflict: a Gordan (Farkas) certificate.

    Attributes
    ----------
    verdict : str
        "complete separation", "quasi-complete separation", "overlap" or "undecided". For dense
        tables of thousands of columns also "overlap up to chance": it is not proved, and wrong with
        a probability of 2^-128.
    separable : bool or None
        Whether a hyperplane has every row strictly on the right side. None: undecided.
    separator : Hyperplane or None
        Such a hyperplane; for quasi-complete separation one with rows on it.
    homogeneous_separator : Hyperplane or None
        The one with the largest homogeneous margin: the best w* for the mistake bound.
    homogeneous_margin, geometric_margin : Margin or None
        For complete separation. Homogeneous: the γ of Novikoff's theorem, over unit (w, b).
        Geometric: the largest possible distance of the nearest row to a separating hyperplane;
        None where there is one class only.
    mistake_bound, best_possible_mistake_bound : int or None
        The largest number of updates that the perceptron can make, from zero weights and a row at
        a time, by Novikoff's theorem; and the smallest number that this theorem could give.
    conflict : Conflict or None
        Why no hyperplane has all rows on the right side: at most d + 2 rows that contradict each
        other. With many classes: rows with the classes they lose to.
    separated_rows : array of int or None
        The rows that a hyperplane can have strictly on the right side while no row is on the
        wrong side. None: undecided.
    last_bit_rows : array of int
        Those of them that the separator has right by less than 2^-40 of the terms of their score:
        by the last bits of the numbers, as rounding leaves them. Of two labels.
    coefficient_signs : dict
        By name, the signs that a coefficient takes over all hyperplanes with no row on the wrong
        side. In a logistic regression "+" and "-" run to infinity, "±" can run either way. "0"
        does not: its estimate is finite, and need not be 0. "collinear" is left out; "?": not
        known. Under complete separation these are the signs that separating hyperplanes have.
    collinear : list of CollinearColumn
        Columns that are combinations of others: their coefficients are not determined.
    class_coefficient_signs : dict of dicts or None
        The same for quasi-complete separation of many classes: each but the last against the last.
    class_pairs : list of ClassPair or None
        For quasi-complete separation of many classes: each pair, and how many of its rows can be
        strictly right.
    pair_certificates : PairCertificates or None
        With `certify(X, y, pairs=True)`: a certificate for each pair of classes. Not saved.
    revealing_columns : list of RevealingColumn
        Columns that alone determine the label of some rows without an error: possible target
        leakage.
    separating_directions : list of SeparatingDirection
        For quasi-complete separation of two classes: combinations of at most four columns that are
        constant in all rows but a few, which have their label by them. Not saved.
    limits : list of str
        What was cut short by a limit.
    n_rows, n_features, feature_names, classes, fit_intercept, numbers, sha256, preprocessing
        What the proof is about.
    """

    def __init__(
        self,
        document: dict[str, Any],
        *,
        checked: bool = False,
        origin: Origin | None = None,
        pairs: PairCertificates | None = None,
    ):
        self._document, self._checked, self._origin = document, checked, origin
        self._pairs = pairs

    @property
    def checked(self) -> bool:
        """Whether the proof was checked here: by `certify`, or by `verify` after loading."""
        return self._checked

    # --- What it is about ---

    @property
    def n_dropped(self) -> int:
        """Rows of weight 0, which were left out."""
        return len(self._document["dropped"])

    @property
    def family(self) -> str:
        """The model that it is about, as it was given to `certify`."""
        return str(self._document.get("family", {"name": "logistic"})["name"])

    @property
    def absorbed(self) -> list[str]:
        """The factors whose levels have no column of their own."""
        return list(self._document.get("absorbed", []))

    @property
    def separated_levels(self) -> dict[str, list[str]] | None:
        """By absorbed factor, the levels all of whose rows are separated: their effects are
        infinite. None after loading."""
        return None if self._origin is None else self._origin.levels

    @property
    def many(self) -> bool:
        """More than two classes, of a logistic model."""
        return len(self._document["labels"]) > 2 and "family" not in self._document

    @property
    def numbers(self) -> str:
        return str(self._document["numbers"])

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the rows: `sha256`."""
        return self.sha256

    @property
    def preprocessing(self) -> dict[str, Any] | None:
        """How the numbers came from a table, as `data.Preprocessing.to_dict` writes it."""
        return self._document.get("preprocessing")

    @property
    def origin(self) -> Origin | None:
        """What is known of the table but not saved; None after loading."""
        return self._origin

    # --- What was found ---

    @property
    def verdict(self) -> Verdict:
        return cast("Verdict", str(self._document["verdict"]))

    @property
    def separable(self) -> bool | None:
        separable = self._document["separable"]
        return None if separable is None else bool(separable)

    @property
    def limits(self) -> list[str]:
        return list(self._document["limits"])

    @property
    def separator(self) -> Hyperplane | None:
        margins = self._document.get("margins", {})
        widest = margins.get("geometric", margins.get("homogeneous", self._document))
        return Hyperplane.of(self._document, widest)

    @property
    def homogeneous_separator(self) -> Hyperplane | None:
        part = self._document.get("margins", {}).get("homogeneous", {})
        return Hyperplane.of(self._document, part)

    @property
    def homogeneous_margin(self) -> Margin | None:
        return Margin.of(self._document, "homogeneous")

    @property
    def geometric_margin(self) -> Margin | None:
        return Margin.of(self._document, "geometric")

    @property
    def mistake_bound(self) -> int | None:
        return self._whole("mistake_bound")

    @property
    def best_possible_mistake_bound(self) -> int | None:
        return self._whole("best_possible_mistake_bound")

    def _whole(self, field: str) -> int | None:
        value = self._document.get(field)
        return None if value is None else int(value, 0)

    @property
    def conflict(self) -> Conflict | None:
        return Conflict.of(self._document)

    @property
    def separated_rows(self) -> NDArray[np.intp] | None:
        return separated_rows(self._document)

    @property
    def last_bit_rows(self) -> NDArray[np.intp]:
        return np.array(self._document.get("last_bits", []), dtype=np.intp)

    @property
    def coefficient_signs(self) -> dict[str, CoefficientSign]:
        return {} if self.many else parts.coefficient_signs(self._document)

    @property
    def class_coefficient_signs(self) -> dict[str, dict[str, CoefficientSign]] | None:
        return parts.class_coefficient_signs(self._document)

    @property
    def collinear(self) -> list[CollinearColumn]:
        return parts.collinear_columns(self._document)

    @property
    def class_pairs(self) -> list[ClassPair] | None:
        return ClassPair.all_of(self._document)

    @property
    def pair_certificates(self) -> PairCertificates | None:
        return self._pairs

    @property
    def separating_directions(self) -> list[SeparatingDirection]:
        return [] if self._origin is None else list(self._origin.directions)

    @property
    def revealing_columns(self) -> list[RevealingColumn]:
        revealing = self._document.get("revealing", [])
        return [RevealingColumn.of(part, self.feature_names) for part in revealing]

    # --- Checking, saving, showing ---

    def verify(
        self,
        X: Any,
        y: Any = None,
        *,
        time: Any = None,
        entry: Any = None,
        strata: Any = None,
        absorb: Any = None,
    ) -> None:
        """Check every claim against the data, exactly. Raises VerificationError if one fails.

        What was given to `certify` beside X and y is given again.
        """
        beside = {"time": time, "entry": entry, "strata": strata, "absorb": absorb}
        try:
            verify.check_form(self._document)
            X, y, more = unwrapped(X, y, self.family, beside)
            beside |= {role: value for role, value in more.items() if role in beside}
            X, columns = Beside.of(X, self.family, None, **beside)
            X, names, texts = read_again(X, y, self._document)
            other = f"it is about the columns {self.feature_names}, in this order; X has {names}"
            verify.demand(names in (None, self.feature_names), other)
            signs = verify.label_signs(self._document, texts)
            check(self._document, X, codes(signs, self._document["labels"]), columns)
        except InputError:  # of X and y
            raise
        except verify.Rejected as reason:
            raise VerificationError(f"The certificate is rejected: {reason}.") from None
        except (LookupError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
            raise VerificationError(
                f"The certificate is rejected: it is malformed ({type(error).__name__}: {error})."
            ) from None
        self._checked = True

    def to_dict(self) -> dict[str, Any]:
        """The document, as `save` writes it; a copy."""
        return json.loads(json.dumps(self._document))  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON (atomic write: whole or not at all)."""
        fields = say.packed(self._document).items()
        lines = (f"{json.dumps(name)}: {_line(value)}" for name, value in fields)
        write_whole(path, ("{\n" + ",\n".join(lines) + "\n}\n").encode(), overwrite=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a certificate. It says what it claims; `verify` says whether that is proved."""
        try:
            with nearby(path) as name:
                document = verify.load(name)
        except verify.Rejected as reason:
            raise InputError(f"{path} is not a certificate: {reason}.") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is not a certificate: it is not JSON ({error}).") from None
        return cls.from_dict(document, str(path))

    @classmethod
    def from_dict(cls, document: Any, name: str = "This") -> Certificate:
        """What `to_dict` gave, from anywhere: it claims, and `verify` says whether it proves."""
        if not isinstance(document, dict) or document.get("schema") != verify.SCHEMA:
            raise InputError(
                f"{name} is not a certificate of this version: its schema is not {verify.SCHEMA!r}."
            )
        try:
            verify.check_form(document)
        except verify.Rejected as reason:
            raise InputError(f"{name} is not a whole certificate: {reason}.") from None
        return cls(document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self._document == other._document

    __hash__ = None  # type: ignore[assignment] # it is compared by what it says

    def __repr__(self) -> str:
        open_kind = self.verdict == "undecided" and self.separable is False
        verdict = "not separable" if open_kind else self.verdict
        classes = f", {len(self.classes)} classes" if self.many else ""
        return f"<Certificate: {verdict}, {self.n_rows} rows, {self.n_features} features{classes}>"

    def __str__(self) -> str:
        from rosenblatt._certify.text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from rosenblatt._certify.text import as_html

        return as_html(self)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class RowsOracle:
    """Does a hyperplane separate these rows?"""

    X: Matrix
    signs: NDArray[Any]  # of many classes their numbers
    present: Any  # the rows whose weight is not 0; None: all
    names: Any  # of the columns; None: they have none
    y: Any  # the labels as they were given, for the document
    classes: NDArray[Any]
    fit_intercept: bool
    demand: NDArray[np.int8] | None = None  # signs of weights

    def is_separable(self, budget: Budget) -> Certificate:
        """This one question, decided and proved; not how wide the separation is, nor its kind."""
        table = trained_on(self.X, self.signs, self.present, self.names, self.y, self.classes)
        search = _Search(table, self.fit_intercept, "float", budget, signs=self.demand)
        return search.run(only_separable=True)


def by_training_first(
    X: Any,
    y: Any,
    *,
    preprocessing: Preprocessing | None,
    sample_weight: Any = None,
    work_limit: int,
    time_limit: float | None = None,
) -> Certificate:
    """For many columns, soon: the perceptron looks for a separator before the search does.

    If it finds one, that is proved; margins are then only bracketed, by what this one shows.
    """
    table = read(X, y, sample_weight, numbers="float", many=True)
    if preprocessing is not None:
        table = named(table, preprocessing)
    budget = Budget(time_limit=time_limit, work_limit=work_limit)
    return _Search(table, True, "float", budget, preprocessing, train_first=True).run()


def _rows_of(table: Table, *, intercept: bool, decimal: bool, budget: Budget) -> tuple[Rows, Names]:
    """The rows to decide about: those that are present; of many classes they are lifted."""
    X, y = table.X, table.y
    if table.beside is not None:
        there = range(len(y)) if table.present is None else table.present.tolist()
        return rows_of(
            table.beside,
            X,
            y,
            table.labels,
            there,
            intercept=intercept,
            decimal=decimal,
            budget=budget,
        )
    if table.present is not None:
        X, y = X[table.present], y[table.present]

    def signed(signs: Any) -> Rows:
        return Rows(X, signs, intercept=intercept, decimal=decimal, budget=budget)

    if len(table.classes) <= 2:
        rows = signed(y)
        return rows, rows.names(table.present)
    points = signed(np.ones(len(y), dtype=np.int8))
    lifted = LiftedRows.of(points, y.astype(np.intp) - 1, len(table.classes))
    return lifted, lifted.names(table.present)


def _checked(
    out: dict[str, Any], table: Table, limits: list[str], budget: Budget
) -> dict[str, Any]:
    out["limits"] = limits
    budget.begins("checking the proof")
    with nothing_rejected():
        check(out, table.X, table.y, table.beside, hashed=True)
    return out


def _with_factors(
    table: Table, numbers: str, budget: Budget, preprocessing: Preprocessing | None
) -> Certificate:
    X, y, present, beside = table.X, table.y, table.present, table.beside
    assert beside is not None
    rows = slice(None) if present is None else present
    levels = [
        np.unique(v[rows], return_inverse=True)
        for role, v in beside.values.items()
        if role.startswith("absorb")
    ]
    free = (y[rows] > 0) & (beside.family in verify.LOG_LINK)
    features = Rows(X[rows], y[rows], intercept=False, decimal=numbers == "decimal", budget=budget)
    factors = Absorbed(features, [place for _, place in levels], free, budget)
    limits: list[str] = []
    budget.begins("deciding about levels of factors")
    with one_thread(), np.errstate(all="ignore"), noting(limits):
        factors.decide()
    out = say.head(table, False, numbers, preprocessing)
    out |= factors.document(present, [codes for codes, _ in levels])
    if out["verdict"] == "undecided" and not limits:
        limits.append("the linear programme did not lead to a proof")
    _checked(out, table, limits, budget)
    origin = table.origin._replace(levels=_separated_levels(beside, out, rows))
    return Certificate(out, checked=True, origin=origin)


def _separated_levels(beside: Beside, out: dict[str, Any], rows: Any) -> dict[str, list[str]]:
    separated = {}
    for role, numbers in beside.values.items():
        if role.startswith("absorb"):
            words, strict = beside.words[beside.names[role]], np.zeros(len(numbers), dtype=bool)
            strict[out.get("separated", [])] = True
            tied = set(numbers[rows][~strict[rows]].tolist())
            there = np.unique(numbers[rows]).tolist()
            separated[beside.names[role]] = [words[int(k)] for k in there if k not in tied]
    return separated


@dataclass
class _Search:
    """The verdict on one table, its proof and what else is found; as far as the budget goes."""

    table: Table
    intercept: bool
    numbers: str
    budget: Budget
    preprocessing: Preprocessing | None = None
    train_first: bool = False
    signs: NDArray[np.int8] | None = None
    sides: dict[str, Sides] = field(init=False, default_factory=dict)
    directions: tuple[SeparatingDirection, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        decimal = self.numbers == "decimal"
        self.rows, self.name = _rows_of(
            self.table, intercept=self.intercept, decimal=decimal, budget=self.budget
        )
        self.logistic = self.table.beside is None
        if self.signs is not None:
            self.rows = self.rows.with_signs(self.signs)
        self.many = self.logistic and len(self.table.classes) > 2
        self.small = self.rows.n * self.rows.D <= _SMALL

    def run(
        self, *, only_separable: bool = False, pairs: PairCertificates | None = None
    ) -> Certificate:
        threads = nullcontext() if self.small else one_thread()  # small: there are no others
        with threads, np.errstate(all="ignore"):  # floating point only guesses here
            out = self._run(only_separable)
        above = int((self.rows.y > 0).sum())
        counts = None if self.many or not self.logistic else (self.rows.n - above, above)
        own: dict[str, Any] = {"sides": self.sides, "directions": self.directions}
        origin = self.table.origin._replace(counts=counts, **own)
        return Certificate(out, checked=True, origin=origin, pairs=pairs)

    def _run(self, only_separable: bool) -> dict[str, Any]:
        first = (only_separable and not self.small) or self.signs is not None
        partition = Partition(self.rows, first_conflict=first)
        limits: list[str] = []
        about = self.preprocessing, self.signs
        out, trained = say.head(self.table, self.intercept, self.numbers, *about), None
        with noting(limits):
            trained = self._decide(partition, out)
        if self.signs is not None:
            out |= say.demanded_part(partition, self.name, self.signs)
            limits = limits if out["separable"] is None else []
            return _checked(out, self.table, limits, self.budget)
        out |= say.partition_part(partition, self.name, margins=self.logistic)
        if only_separable:
            self.budget.lift()
            limits += [ONLY_SEPARABLE] * (out["verdict"] in _MORE_TO_TELL)
        if out["verdict"] == "complete separation" and self.logistic:
            out |= self._margins(partition, trained, limits, search=not only_separable)
        if not only_separable:
            self._findings(partition, out, limits)
        return _checked(out, self.table, limits, self.budget)

    def _findings(self, partition: Partition, out: dict[str, Any], limits: list[str]) -> None:
        self.budget.begins("finding the columns that separate")
        w = self._separator(out)
        with noting(limits):
            collinear = collinear_columns(self.rows) if partition.done and not self.many else []
            if collinear:
                out["collinear"] = [
                    {"column": c.column, "vector": say.numbers(c.vector)} for c in collinear
                ]
            if w is not None and not self.train_first:
                signs = coefficient_signs(partition, w, collinear, self.name, limits)
                out |= {} if signs is None else {"signs": signs}
        self.budget.lift()
        quasi = out["verdict"] == "quasi-complete separation"
        if w is not None and quasi and self.logistic and not self.many:
            near = right_by_last_bits(self.rows, partition.alive, w)
            out |= {"last_bits": [self.name(i) for i in near]} if near else {}
        if self.logistic and not self.many and (out["separable"] or "separator" in out):
            alone = revealing_columns(self.rows)
            out["revealing"] = [part for part, _ in alone]
            self.sides = {self.table.columns[part["column"]]: sides for part, sides in alone}
            if quasi:
                sparse = sparse_directions(partition)
                self.directions = tuple(self._direction(w, index) for w, index in sparse)

    def _direction(self, w: list[int], index: NDArray[np.intp]) -> SeparatingDirection:
        first = next(v for v in w if v)
        unit = Fraction(max(map(abs, w[: self.rows.d])) * (1 if first > 0 else -1))
        weights = {n: v / unit for n, v in zip(self.table.columns, w, strict=False) if v}
        value = -w[-1] / unit if self.intercept else Fraction(0)
        labels = [self.table.labels[int(y > 0)] or "" for y in self.rows.y[index]]
        return SeparatingDirection(weights, value, [self.name(i) for i in index.tolist()], labels)

    def _separator(self, out: dict[str, Any]) -> list[Fraction] | None:
        """The one that the signs of coefficients are about."""
        if "margins" in out and len(self.table.classes) < 2:
            return None
        part = out["margins"]["homogeneous"] if "margins" in out else out
        return [verify.number(v) for v in part["separator"]] if "separator" in part else None

    def _decide(self, partition: Partition, about: dict[str, Any]) -> Bound | None:
        """Find what is to be known; a bracket of the margin where it came with the search."""
        self.budget.begins("looking for a separating hyperplane")
        known = visible_conflict(self.rows)
        if wide.is_wide(self.rows):
            return wide.decide(partition, known, self.name, about)
        few = known is None and wide.has_few_rows(self.rows)
        if few and (bound := wide.by_squared_hinge(partition)) is not None:
            return bound
        if self.train_first and known is None:
            with suppress(LimitReached):  # then the search decides
                return wide.train(partition, known)
        partition.run(known)
        return None

    def _margins(
        self, partition: Partition, trained: Bound | None, limits: list[str], *, search: bool
    ) -> dict[str, Any]:
        self.budget.begins("finding the largest margin")
        rows, w = self.rows, partition.separator
        assert w is not None
        bounds = {} if trained is None else {"homogeneous": trained}
        with noting(limits):
            if trained is not None and wide.has_few_rows(rows):
                if not self.budget.timed:
                    what = f"the largest margin of {rows.size()} is looked for"
                    raise LimitReached(f"{what} with a {option('time_limit')} only")
            elif trained is not None or wide.is_wide(rows):
                raise LimitReached(f"{rows.D} dimensions are too many for the largest margin")
            if search:
                bounds["homogeneous"] = margins.homogeneous(rows, partition.support, w)
                geometric = margins.geometric(rows, list(bounds["homogeneous"].weights), w)
                if geometric is not None:
                    bounds["geometric"] = geometric
        if "homogeneous" not in bounds:  # a limit struck: what is known already
            with self.budget.lifted():
                bounds["homogeneous"] = margins.simple(rows, w)
        if not self.intercept and not self.many:
            bounds["geometric"] = bounds["homogeneous"]
        longest = margins.radius_row(rows)
        return {
            "margins": {kind: say.margin(bound, self.name) for kind, bound in bounds.items()},
            **say.mistake_bounds(rows, self.name, bounds["homogeneous"], longest),
        }
