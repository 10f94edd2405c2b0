"""What a certificate shows: margins, separators, conflicts, columns that tell everything."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify
from rosenblatt._util.text import first_few, html_table, row_number

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate

Verdict = Literal[
    "complete separation",
    "quasi-complete separation",
    "overlap",
    "overlap up to chance",
    "undecided",
]


@dataclass(frozen=True)
class Margin:
    """lo <= the margin <= hi, proved; both are rounded outward."""

    lo: float
    hi: float
    exact: bool = False  # the two ends are proved equal; what differs is rounding

    def __repr__(self) -> str:
        return f"Margin(lo={self.lo!r}, hi={self.hi!r})"

    @classmethod
    def of(cls, document: dict[str, Any], kind: str) -> Margin | None:
        part = document.get("margins", {}).get(kind)
        if part is None:
            return None
        return cls(part["lo"], math.inf if part["hi"] is None else part["hi"], part["exact"])


@dataclass(frozen=True)
class Hyperplane:
    """A hyperplane coef·x + intercept = 0, to the nearest floating-point numbers.

    Of many classes: a row of weights and an intercept for each, which sum to 0 over the classes.
    Of ordinal outcomes the intercepts are the thresholds.
    """

    coef: NDArray[np.float64]
    intercept: float | NDArray[np.float64]  # of many classes an array

    @classmethod
    def of_lifted(cls, w: NDArray[np.float64]) -> Hyperplane:
        """Of d + 1 numbers: the weights, then the intercept."""
        return cls(w[:-1], float(w[-1]))

    @property
    def lifted(self) -> NDArray[np.float64]:
        return np.append(self.coef, self.intercept)

    def to_dict(self) -> dict[str, Any]:
        return {"coef": self.coef.tolist(), "intercept": np.asarray(self.intercept).tolist()}

    @classmethod
    def of(cls, document: dict[str, Any], part: dict[str, Any]) -> Hyperplane | None:
        if "separator" not in part:
            return None
        w, d = nearest_floats(part["separator"]), len(document["columns"])
        if document.get("family", {}).get("name") == "ordinal":
            return cls(w[:d], w[d:])
        if len(document["labels"]) == 2:
            return cls(w[:d], float(w[-1]) if document["fit_intercept"] else 0.0)
        size = d + document["fit_intercept"]
        each = np.vstack([w.reshape(-1, size), np.zeros(size)])  # the last class has the weights 0
        each -= each.mean(axis=0)
        return cls(each[:, :d], each[:, d] if document["fit_intercept"] else np.zeros(len(each)))


@dataclass(frozen=True)
class Conflict:
    """Rows that cannot all be on the right side of any hyperplane, with whole-number weights.

    The weighted rows of one class have the same sum as those of the other (and through the origin
    their signed sum is zero), so that a hyperplane would have to have that point on both sides.

    Of many classes: rows that cannot all have a higher score for their own class than for the
    rival beside them; a row may come with several rivals. For each class the weighted rows that
    are of it have the same sum as those that it is the rival of.

    Of other families: labels are -1 for a score that must not be above, and +1 for one that must
    not be below; in "conditional" and "cox" the rivals are the rows that rows are compared with.
    """

    rows: list[int]
    weights: list[int]
    labels: list[Any]
    meeting_point: dict[str, float] | None  # None through the origin, and of many classes
    rivals: list[Any] | None = None  # of many classes: the label that the row loses to

    @classmethod
    def of(cls, document: dict[str, Any]) -> Conflict | None:
        part = document.get("conflict")
        if part is None:
            return None
        names, point = document["labels"], part.get("point")
        weights = [int(verify.number(w)) for w in part["weights"]]
        if "family" in document:
            if document["family"]["name"] in verify.PAIRED:
                pairs = [divmod(name, document["rows"]) for name in part["rows"]]
                rows, others = [i for i, _ in pairs], [j for _, j in pairs]
                return cls(rows, weights, part["y"], None, others)
            return cls([name // 2 for name in part["rows"]], weights, part["y"], None)
        if len(names) > 2:
            lifted = [lifted_name(name, len(names)) for name in part["rows"]]
            labels, rivals = [names[y] for _, y, _ in lifted], [names[c] for _, _, c in lifted]
            return cls([i for i, _, _ in lifted], weights, labels, None, rivals)
        label = dict(zip((-1, 1), names, strict=True))
        where = None if point is None else dict(zip(document["columns"], point, strict=True))
        return cls(list(part["rows"]), weights, [label[y] for y in part["y"]], where)


@dataclass(frozen=True)
class ClassPair:
    """Two of many classes under quasi-complete separation: of their rows, `separated` can be
    strictly right against the other class, and the others tie with it."""

    first: str
    second: str
    rows: int
    separated: int

    @classmethod
    def all_of(cls, document: dict[str, Any]) -> list[ClassPair] | None:
        names, sizes = document["labels"], document.get("sizes")
        if sizes is None or "separated" not in document or "family" in document:
            return None
        lifted = (lifted_name(name, len(names)) for name in document["separated"])
        strict = Counter((min(y, c), max(y, c)) for _, y, c in lifted)
        return [
            cls(names[a], names[b], sizes[a] + sizes[b], strict[a, b])
            for a, b in combinations(range(len(names)), 2)
        ]


@dataclass(frozen=True)
class RevealingColumn:
    """One column that alone has `rows` rows strictly on the right side, and none on the wrong one.

    sign +1: large values go with the second class; -1: with the first.
    """

    column: str
    sign: int
    threshold: float
    rows: int

    @classmethod
    def of(cls, part: dict[str, Any], names: list[str]) -> RevealingColumn:
        threshold = float(verify.number(part["threshold"]))
        return cls(names[part["column"]], part["sign"], threshold, part["rows"])


class Sides(NamedTuple):
    """How many rows of the first and of the second class are above, at and below a threshold."""

    above: tuple[int, int]
    at: tuple[int, int]
    below: tuple[int, int]


@dataclass(frozen=True)
class SeparatingDirection:
    """A combination of few columns that is `value` in every row but `rows`, which have their
    labels by it: it is above the value for one class only, and below it for the other one only."""

    weights: dict[str, Fraction]  # by column, none of them 0
    value: Fraction
    rows: list[int]
    labels: list[str]  # of these rows

    def __str__(self) -> str:
        """x33 − x31."""
        (name, first), *rest = self.weights.items()
        text = _term(first, name)
        for name, factor in rest:
            text += f" {'−' if factor < 0 else '+'} {_term(abs(factor), name)}"
        return text


class AboutRows:
    """What a document says it is about."""

    _document: dict[str, Any]

    @property
    def n_rows(self) -> int:
        """Rows that count: those of weight 0 are left out."""
        return int(self._document["rows"]) - len(self._document["dropped"])

    @property
    def n_features(self) -> int:
        return len(self._document["columns"])

    @property
    def feature_names(self) -> list[str]:
        return list(self._document["columns"])

    @property
    def classes(self) -> list[str]:
        """The labels as text, the one that counts as +1 last."""
        return [label for label in self._document["labels"] if label is not None]

    @property
    def fit_intercept(self) -> bool:
        return bool(self._document["fit_intercept"])

    @property
    def signs(self) -> dict[str, str]:
        """The signs that were demanded of weights, by name."""
        both = zip(self.feature_names, self._document.get("demand", ()), strict=False)
        return {name: "+" if sign > 0 else "-" for name, sign in both if sign}

    @property
    def sha256(self) -> str:
        return str(self._document["sha256"])


def signs_in_words(about: AboutRows) -> str:
    return ", ".join(map(" ".join, about.signs.items()))


def with_the_signs(about: AboutRows) -> str:
    return f" with the signs {signs_in_words(about)}" if about.signs else ""


class Origin(NamedTuple):
    """What the document does not tell of the table: labels before they were text, names, how many
    rows lie where, in the columns that separate rows alone, and which few columns do together."""

    classes: NDArray[Any]
    named: bool  # whether the columns have names of their own
    sides: dict[str, Sides] = {}  # noqa: RUF012 # never written into
    levels: dict[str, list[str]] = {}  # noqa: RUF012 # of factors, whose rows are all separated
    directions: tuple[SeparatingDirection, ...] = ()
    counts: tuple[int, int] | None = None  # of rows of the first and of the second class


def lifted_name(name: int, k: int) -> tuple[int, int, int]:
    """Row, class and rival from the number of a lifted row among k classes."""
    return name // k**2, name // k % k, name % k


def nearest_floats(values: list[str]) -> NDArray[np.float64]:
    exact = [verify.number(v) for v in values]
    size = max((abs(v) for v in exact), default=0)
    if size > 2**1000:
        exact = [v / 2 ** (int(size).bit_length() - 1) for v in exact]
    return np.array([float(v) for v in exact])


def separated_rows(document: dict[str, Any]) -> NDArray[np.intp] | None:
    """The rows that can be strictly right; of many classes those that can against every other."""
    unproved = document["verdict"] in ("undecided", verify.CHANCE)
    if unproved and "separated" not in document:
        return None
    if document["verdict"] == "overlap":
        return np.zeros(0, dtype=np.intp)
    if "family" in document or "absorbed" in document:
        return np.array(document["separated"], dtype=np.intp)
    if document["verdict"] == "complete separation":
        return np.delete(np.arange(document["rows"]), document["dropped"])
    if "separated" not in document:  # all that are not in the balance
        others = document.get("balance", document["conflict"])["rows"]
        return np.delete(np.arange(document["rows"]), [*document["dropped"], *others])
    named = np.array(document["separated"], dtype=np.intp)
    if len(document["labels"]) == 2:
        return named
    rows, times = np.unique(named // len(document["labels"]) ** 2, return_counts=True)
    return np.asarray(rows[times == len(document["labels"]) - 1])


# --- Coefficients: where they run, and which columns are collinear -------------------------------


CoefficientSign = Literal["+", "-", "±", "0", "collinear", "?"]

_TERMS = 4  # of a formula, beside the first


def coefficient_signs(document: dict[str, Any]) -> dict[str, CoefficientSign]:
    names, signs = _names(document), document.get("signs")
    left_out = collinear_columns(document)
    known: dict[str, CoefficientSign] = dict.fromkeys(names, "?")
    if signs is not None:
        known = {name: part["signs"] for name, part in zip(names, signs, strict=True)}
    elif document["verdict"] == "overlap":  # free is only what is orthogonal to all rows
        spans = len(document.get("orthogonal", names)) == len(left_out)
        known = dict.fromkeys(names, "0" if spans else "?")
    known.update((c.column, "collinear") for c in left_out)
    return known


def class_coefficient_signs(
    document: dict[str, Any],
) -> dict[str, dict[str, CoefficientSign]] | None:
    if "signs" not in document or len(document["labels"]) == 2 or "family" in document:
        return None
    names, signs = _names(document), [part["signs"] for part in document["signs"]]
    blocks = (signs[k : k + len(names)] for k in range(0, len(signs), len(names)))
    each = zip(document["labels"], blocks, strict=False)  # the last has none
    return {label: dict(zip(names, block, strict=True)) for label, block in each}


def collinear_columns(document: dict[str, Any]) -> list[CollinearColumn]:
    names, intercept = _names(document), bool(document["fit_intercept"])
    return [CollinearColumn.of(p, names, intercept) for p in document.get("collinear", [])]


def _names(document: dict[str, Any]) -> list[str]:
    names = list(document["columns"])
    if document.get("family", {}).get("name") == "ordinal":  # P(y <= low) = F(θ(low|mid) - …)
        return [*names, *thresholds(document["labels"])]
    return [*names, name_of_intercept(names)] if document["fit_intercept"] else names


def thresholds(labels: Sequence[str]) -> list[str]:
    """Their names: that between low and mid is low|mid."""
    return [f"{low}|{high}" for low, high in pairwise(labels)]


def name_of_intercept(columns: list[str]) -> str:
    """Among columns of these names: one that is called so keeps its name."""
    name = "(intercept)"
    while name in columns:
        name = f"({name})"
    return name


@dataclass(frozen=True)
class CollinearColumn:
    """In every row: column = constant + Σ factor · other column."""

    column: str
    factors: dict[str, Fraction]  # by column, none of them 0
    constant: Fraction

    @classmethod
    def of(cls, part: dict[str, Any], names: list[str], intercept: bool) -> CollinearColumn:
        place, vector = part["column"], [verify.number(v) for v in part["vector"]]
        shares = {name: -v / vector[place] for name, v in zip(names, vector, strict=True) if v}
        del shares[names[place]]
        constant = shares.pop(names[-1], Fraction(0)) if intercept else Fraction(0)
        return cls(names[place], shares, constant)

    def __str__(self) -> str:
        """As a formula: c = 1 − a − b."""
        terms = [(self.constant, "")] if self.constant or not self.factors else []
        terms += [(factor, name) for name, factor in self.factors.items()]
        (first, name), *rest = terms
        text = f"{_bracketed(self.column)} = {_term(first, name)}"
        for factor, name in rest[:_TERMS]:
            text += f" {'−' if factor < 0 else '+'} {_term(abs(factor), name)}"
        more = len(rest) - _TERMS
        return text + (f" + … ({more} more)" if more > 0 else "")


def _term(factor: Fraction, name: str) -> str:
    size = abs(factor)
    value = str(size) if size.denominator < 1000 else f"{float(size):.6g}"
    text = value if not name else _bracketed(name) if size == 1 else f"{value}·{_bracketed(name)}"
    return f"−{text}" if factor < 0 else text


def _bracketed(name: str) -> str:
    """A name with a sign in it, as town=Rome, is read as one."""
    return f"[{name}]" if "=" in name else name


# --- A certificate for each pair of classes, shown as a table ------------------------------------


Pair = tuple[str, str]


@final
class PairCertificates(Mapping[Pair, "Certificate"]):
    """By the two labels, as text: what `certify` says about the rows of these two classes alone.

    Rows keep the numbers that they have in the whole table; those of other classes are left out.
    """

    def __init__(self, certificates: dict[Pair, Certificate]):
        self._certificates = certificates

    def __getitem__(self, pair: Pair) -> Certificate:
        return self._certificates[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._certificates)

    def __len__(self) -> int:
        return len(self._certificates)

    def table(self) -> list[dict[str, Any]]:
        return [
            {
                "classes": list(pair),
                "rows": certificate.n_rows,
                "verdict": certificate.verdict,
                "separable": certificate.separable,
                "geometric_margin": margin and [margin.lo, margin.hi],
                "conflict_rows": certificate.conflict and certificate.conflict.rows,
            }
            for pair, certificate in self._certificates.items()
            for margin in [certificate.geometric_margin]
        ]

    def _cells(self) -> list[tuple[str, ...]]:
        last = f"margin, or rows in conflict (counted from {row_number(0)})"
        head = ("classes", "rows", "verdict", last)
        return [head, *(_line(pair, one) for pair, one in self._certificates.items())]

    def __str__(self) -> str:
        cells = self._cells()
        width = [max(len(line[k]) for line in cells) for k in range(3)]
        rows = (
            f"{a:<{width[0]}}  {n:>{width[1]}}  {verdict:<{width[2]}}  {last}"
            for a, n, verdict, last in cells
        )
        return "\n".join(row.rstrip() for row in rows)

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        return html_table(head, body)


def _line(pair: Pair, certificate: Certificate) -> tuple[str, ...]:
    margin, conflict = certificate.geometric_margin, certificate.conflict
    if margin is not None:
        last = f"{margin.lo:.6g}" if margin.exact else f"{margin.lo:.6g} to {margin.hi:.6g}"
    elif conflict is not None:
        last = first_few([row_number(i) for i in conflict.rows], 6)
    else:
        last = "; ".join(certificate.limits)
    return f"{pair[0]} | {pair[1]}", f"{certificate.n_rows:,}", certificate.verdict, last
