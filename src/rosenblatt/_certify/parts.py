"""What a certificate shows: margins, separators, conflicts, columns that tell everything."""

from __future__ import annotations

import math
from abc import ABC
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify

Verdict = Literal["complete separation", "quasi-complete separation", "overlap", "undecided"]


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
class Separator:
    """A hyperplane coef·x + intercept = 0, to the nearest floating-point numbers.

    Of many classes: a row of weights and an intercept for each, which sum to 0 over the classes.
    """

    coef: NDArray[np.float64]
    intercept: float | NDArray[np.float64]  # of many classes an array

    @classmethod
    def of(cls, document: dict[str, Any], part: dict[str, Any]) -> Separator | None:
        """Of a part of the document, where it has one."""
        if "separator" not in part:
            return None
        w, d = nearest_floats(part["separator"]), len(document["columns"])
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
        """None but for quasi-complete separation of many classes."""
        names, sizes = document["labels"], document.get("sizes")
        if sizes is None or "separated" not in document:
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
        """As the document of a certificate has it."""
        threshold = float(verify.number(part["threshold"]))
        return cls(names[part["column"]], part["sign"], threshold, part["rows"])


class Sides(NamedTuple):
    """How many rows of the first and of the second class are above, at and below a threshold."""

    above: tuple[int, int]
    at: tuple[int, int]
    below: tuple[int, int]


class Origin(NamedTuple):
    """What the document does not tell of the table: labels before they were text, names, and how
    many rows lie where, in the columns that separate rows alone."""

    classes: NDArray[Any]
    named: bool  # whether the columns have names of their own
    sides: dict[str, Sides] = {}  # noqa: RUF012 # never written into


def lifted_name(name: int, k: int) -> tuple[int, int, int]:
    """Row, class and rival from the number of a lifted row among k classes."""
    return name // k**2, name // k % k, name % k


def nearest_floats(values: list[str]) -> NDArray[np.float64]:
    """The nearest floats; all divided by a power of two where they are too large for any."""
    exact = [verify.number(v) for v in values]
    size = max((abs(v) for v in exact), default=0)
    if size > 2**1000:
        exact = [v / 2 ** (int(size).bit_length() - 1) for v in exact]
    return np.array([float(v) for v in exact])


def separated_rows(document: dict[str, Any]) -> NDArray[np.intp] | None:
    """The rows that can be strictly right; of many classes those that can against every other."""
    if document["verdict"] == "undecided":
        return None
    if document["verdict"] == "overlap":
        return np.zeros(0, dtype=np.intp)
    if document["verdict"] == "complete separation":
        return np.delete(np.arange(document["rows"]), document["dropped"])
    found = np.array(document["separated"], dtype=np.intp)
    if len(document["labels"]) == 2:
        return found
    rows, times = np.unique(found // len(document["labels"]) ** 2, return_counts=True)
    return np.asarray(rows[times == len(document["labels"]) - 1])


# --- What a certificate is about -----------------------------------------------------------------


class Subject(ABC):
    """Read from the document."""

    _document: dict[str, Any]

    @property
    def n_rows(self) -> int:
        """Rows that count: those of weight 0 are left out."""
        return int(self._document["rows"]) - len(self._document["dropped"])

    @property
    def n_dropped(self) -> int:
        """Rows of weight 0, which were left out."""
        return len(self._document["dropped"])

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
    def many(self) -> bool:
        """More than two classes."""
        return len(self._document["labels"]) > 2

    @property
    def fit_intercept(self) -> bool:
        return bool(self._document["fit_intercept"])

    @property
    def semantics(self) -> str:
        return str(self._document["semantics"])

    @property
    def sha256(self) -> str:
        return str(self._document["sha256"])

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the rows: `sha256`."""
        return self.sha256

    @property
    def encoding(self) -> dict[str, Any] | None:
        """How the numbers came from a table, as `rosenblatt.data.Encoding.to_dict` writes it."""
        return self._document.get("encoding")
