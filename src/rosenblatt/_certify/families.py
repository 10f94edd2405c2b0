"""Likelihoods other than the logistic one: their outcomes, and the rows that decide about them.

`verify.py` says which rows these are, and why; here they become arrays, and are searched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt import verify
from rosenblatt._certify.rows import Floats, Index, Ints, Names, Rows, Vector
from rosenblatt._util.budget import Budget
from rosenblatt._util.spelling import either, option
from rosenblatt._util.text import counted, listed, row_number
from rosenblatt._validation import targets
from rosenblatt.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from rosenblatt._certify.table import Table

FAMILIES = ("logistic", *verify.FAMILIES)


def refuse_pairs(pairs: bool, family: str) -> None:
    if pairs:
        raise InputError(
            f"{option('pairs', True)} asks about each pair of classes of a logistic model, and the "
            f"family is {family}: leave it out.",
            option="pairs",
            value=True,
        )


_MOST_NUMBERS, _MOST_COMPARISONS = 2 * 10**8, 2 * 10**6  # in the rows that decide


class Column(NamedTuple):
    """With a name that its values do not have themselves."""

    name: str
    values: Any


@final
@dataclass(frozen=True)
class Beside:
    """The family, and the columns that it has beside the rows, by role."""

    family: str
    names: dict[str, str]
    values: dict[str, Floats]  # strata are numbered as they come
    levels: Sequence[Any] | None = None  # of ordinal outcomes, where their order is given
    words: dict[str, list[str]] = field(default_factory=dict)  # of the levels of factors

    @classmethod
    def of(cls, X: Any, family: str, levels: Any, **given: Any) -> tuple[Any, Beside | None]:
        """And X without the columns that were given by their names in it."""
        factors = absorb_of(X, given.pop("absorb", None))
        if factors and family not in ("logistic", *verify.LOG_LINK):
            raise _misplaced("absorb", [f.name for f in factors], family)
        X = _without(X, [f.name for f in factors if f.of_frame])
        if family == "logistic":
            for name, value in {**given, "levels": levels}.items():
                if value is not None:
                    raise _misplaced(name, value, family)
            return X, cls.with_factors(cls(family, {}, {}), factors) if factors else None
        must, may = verify.FAMILIES[family]
        there = {role: value for role, value in given.items() if value is not None}
        for role, value in there.items():
            if role not in (*must, *may):
                raise _misplaced(role, value, family)
        for role in must:
            if role not in there:
                raise InputError(
                    f"The family {family} needs {option(role)}: {_MEANING[role]}.", option=role
                )
        if levels is not None and family != "ordinal":
            raise _misplaced("levels", levels, family)
        columns = [value for value in there.values() if isinstance(value, str)]
        frame, X = X, _without(X, columns)
        names, values = dict[str, str](), dict[str, Floats]()
        for role in (r for r in verify.ROLES if r in there):
            value = there[role]
            column = frame[value] if isinstance(value, str) else value
            name = str(getattr(column, "name", None) or role)
            names[role] = role if name in names.values() else name  # as of t and t - 2
            column = column.values if isinstance(column, Column) else column
            values[role] = _numbered(column)[0] if role == "strata" else _times(role, column)
        return X, cls.with_factors(cls(family, names, values, levels), factors)

    @classmethod
    def with_factors(cls, of: Beside, factors: list[Factor]) -> Beside:
        names, values, words = dict(of.names), dict(of.values), dict[str, list[str]]()
        for k, factor in enumerate(factors):
            names[f"absorb{k}"] = factor.name
            values[f"absorb{k}"], known = _numbered(factor.values)
            words[factor.name] = list(map(str, known))
        return cls(of.family, names, values, of.levels, words)

    @property
    def absorbed(self) -> list[str]:
        return [name for role, name in self.names.items() if role.startswith("absorb")]

    @property
    def claim(self) -> dict[str, Any]:
        """As a certificate names it, and the factors."""
        own = {role: name for role, name in self.names.items() if role in verify.ROLES}
        out = {} if self.family == "logistic" else {"family": {"name": self.family, **own}}
        return out | ({"absorbed": self.absorbed} if self.absorbed else {})

    def checked(self, table: Table, rows: Sequence[int]) -> None:
        """Each column has a number for each row, and they go together."""
        n = len(table.y)
        for role, values in self.values.items():
            if len(values) != n:
                raise InputError(
                    f"{_spelled(role)} has {len(values):,} values, and there are {n:,} rows: give "
                    "one for each row.",
                    option=role.rstrip("0123456789"),
                )
        for role, name in self.names.items():
            if name in (*table.columns, table.target):
                raise InputError(
                    f"The column {name!r} is {_spelled(role)} and cannot also be a feature or the "
                    "outcome: leave it out of X.",
                    option=role,
                    column=name,
                )
        if self.family != "logistic" and table.target in table.columns:
            raise InputError(
                f"The column {table.target!r} is the outcome, and X has it, too: leave it out of "
                "X.",
                column=table.target,
            )
        for role, values in self.values.items():
            if np.isnan(values).any():
                i = int(np.isnan(values).argmax())
                raise _at(i, f"{_spelled(role)} is missing", "Fill it in, or leave out the row")
        check = {"conditional": self._check_choices, "cox": self._check_times}.get(self.family)
        if check is not None:
            check(table, rows)

    def _check_choices(self, table: Table, rows: Sequence[int]) -> None:
        chosen, there = dict[float, int](), dict[float, int]()
        what = "every stratum needs exactly one row that was chosen"
        for i in rows:
            stratum = float(self.values["strata"][i])
            there.setdefault(stratum, i)
            if table.y[i] > 0 and chosen.setdefault(stratum, i) != i:
                first = row_number(chosen[stratum])
                raise _at(i, f"a second choice in the stratum of row {first}", what.capitalize())
        for stratum, i in there.items():
            if stratum not in chosen:
                raise _at(i, "a stratum in which no row was chosen", what.capitalize())

    def _check_times(self, table: Table, rows: Sequence[int]) -> None:
        time, entry = self.values["time"], self.values.get("entry")
        for i in rows:
            if entry is not None and not entry[i] < time[i]:
                raise _at(
                    i,
                    f"{option('entry')} is {entry[i]:g} and {option('time')} {time[i]:g}",
                    "A row is at risk from its entry, excluded, to its time: entry < time",
                )


class Factor(NamedTuple):
    name: str
    values: Any
    of_frame: bool  # a column of X, by its name


def absorb_of(X: Any, absorb: Any) -> list[Factor]:
    """One factor or several: names of columns of X, a frame of them, or arrays."""
    if absorb is None:
        return []
    known, several, out = list(getattr(X, "columns", [])), [absorb], list[Factor]()
    if isinstance(absorb, str) and absorb not in known:
        raise InputError(f"X has no column {absorb!r}: give its values.", column=absorb)
    if hasattr(absorb, "columns"):
        several = [absorb[name] for name in absorb.columns]
    elif isinstance(absorb, (list, tuple)):
        names = all(isinstance(v, str) and v in known for v in absorb)
        arrays = all(hasattr(v, "__len__") and not isinstance(v, str) for v in absorb)
        several = list(absorb) if names or arrays else [absorb]
    for k, one in enumerate(several):
        if isinstance(one, str):
            out.append(Factor(one, X[one], of_frame=True))
        else:
            name = str(getattr(one, "name", None) or ("absorb" if k == 0 else f"absorb {k + 1}"))
            out.append(Factor(name, one.values if isinstance(one, Column) else one, False))
    return out


_MEANING = {
    "time": "when each row had its event, or was last seen",
    "entry": "when each row came under observation",
    "strata": "to which stratum each row belongs",
}


def _spelled(role: str) -> str:
    return option(role.rstrip("0123456789"))


def _misplaced(name: str, value: Any, family: str) -> InputError:
    families = [f for f, (must, may) in verify.FAMILIES.items() if name in (*must, *may)]
    if name == "levels":
        families = ["ordinal"]
    if name == "absorb":
        families = ["logistic", *verify.LOG_LINK]
    meant = " or ".join(option("family", f) for f in families)
    return InputError(
        f"{option(name)} does not belong to the family {family}: leave it out, or give {meant}.",
        option=name,
        value=value,
    )


def _at(row: int, problem: str, advice: str) -> InputError:
    return InputError(f"Row {row_number(row)} ({counted()}): {problem}. {advice}.", row=int(row))


def _without(X: Any, columns: list[str]) -> Any:
    if not columns:
        return X
    known = list(getattr(X, "columns", []))
    for name in columns:
        if name not in known:
            raise InputError(f"X has no column {name!r}: give its values.", column=name)
    others = [name for name in known if name not in columns]
    if not others:
        raise InputError(
            f"X has no column beside {', '.join(map(repr, columns))}: there is no coefficient to "
            "ask about."
        )
    return X[others]


def _times(role: str, column: Any) -> Floats:
    values = targets.floats(role, column)
    if values.ndim != 1:
        raise InputError(f"{option(role)} has shape {values.shape}, not one number for each row.")
    if np.isinf(values).any():
        i = int(np.isinf(values).argmax())
        raise _at(i, f"{option(role)} is infinite", "Give a finite time")
    return values


def _numbered(column: Any) -> tuple[Floats, list[Any]]:
    """Numbers of strata or levels, as they come; missing ones are NaN."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    if any(isinstance(v, (list, dict, set)) for v in values):
        raise InputTypeError(
            "Strata and levels of factors are one value for each row, and here one is "
            f"{next(v for v in values if isinstance(v, (list, dict, set)))!r}."
        )
    known = dict[Any, float]()
    there = (None if v is None or v != v else v for v in values)
    codes = [math.nan if v is None else known.setdefault(v, float(len(known))) for v in there]
    return np.array(codes), list(known)


# --- Outcomes ------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    y: NDArray[Any]  # -1 and +1; of more than two levels their numbers, from 1 on
    classes: NDArray[Any]
    words: list[str]


def counts(y: NDArray[Any], there: NDArray[np.bool_], family: str) -> Outcome:
    values = targets.floats("y", y)
    for i in np.flatnonzero(there).tolist():
        if values[i] < 0:
            raise _at(i, f"y is {values[i]:g}", "A count is 0 or greater")
        if family == "poisson" and values[i] % 1:
            amounts = option("family", "ppml")
            raise _at(i, f"y is {values[i]:g}", f"A count is whole; amounts are {amounts}")
    signs = np.where(values > 0, np.int8(1), np.int8(-1))
    return Outcome(signs, np.array([0, 1]), list(verify.COUNTS))


def levels_of(y: NDArray[Any], given: Any, order: Any, there: NDArray[np.bool_]) -> Outcome:
    """The levels in their order: told, or that of an ordered categorical, or of numbers."""
    if order is None:
        order = _categories(given)
    if order is None:
        order = np.unique(y[there]).tolist()
        if any(isinstance(v, str) for v in order):
            raise InputError(
                f"y holds text, {listed(list(map(repr, order)), 5)}, and the family ordinal needs "
                "the order of its levels, which is not that of the alphabet: "
                f"{option('levels', ...)}, starting with the lowest.",
                option="levels",
            )
    order = list(order)
    place = {level: k for k, level in enumerate(order, 1)}
    if len(place) < len(order) or len(order) < 2:
        raise InputError(
            f"{option('levels')} needs two different levels or more, each once: got {order}.",
            option="levels",
            value=order,
        )
    codes = np.zeros(len(y), dtype=np.int32)
    for i in np.flatnonzero(there).tolist():
        value = y[i].item() if hasattr(y[i], "item") else y[i]
        if value not in place:
            raise _at(i, f"y is {value!r}", f"The levels are {order}")
        codes[i] = place[value]
    for level, k in place.items():
        if not (codes == k).any():
            raise InputError(
                f"No row has the level {level!r}, so that nothing is known of its threshold: leave "
                f"it out of {option('levels')}, or merge it with a neighbour.",
                option="levels",
                value=level,
            )
    if len(order) == 2:
        codes = np.where(codes == 2, 1, -1).astype(np.int8)
    return Outcome(codes, np.array(order), [str(level) for level in order])


def _categories(y: Any) -> list[Any] | None:
    """Of an ordered categorical of pandas, or an Enum of polars."""
    kind = getattr(y, "dtype", None)
    if getattr(kind, "ordered", False):
        return list(kind.categories)  # type: ignore[union-attr]
    if str(kind).startswith("Enum"):
        return list(kind.categories)  # type: ignore[union-attr]
    return None


_NOT = ("no", "n", "false", "none", "0", "alive", "censored")  # as a label
_SAYS = {"cox": "has an event", "conditional": "was chosen"}


def events(family: str, y: NDArray[Any], there: NDArray[np.bool_]) -> NDArray[Any]:
    """The label of rows that have an event, or were chosen, behind that of the others: the larger
    number, or the word beside one that says no."""
    known = np.unique(y[there])
    words = [str(label).lower() for label in known.tolist()]
    no = [word in _NOT or word.startswith("(not ") for word in words]  # as --positive writes it
    if no == [True] or (len(known) == 1 and known.dtype.kind in "biuf" and not known[0]):
        raise InputError(
            f"y says of each row whether it {_SAYS[family]}, and here it is {known.tolist()[0]!r} "
            "in all of them, so that there is nothing to compare."
        )
    number = known.dtype.kind in "biuf"
    if len(known) > 2 or (len(known) == 2 and not number and sum(no) != 1):
        shown, last = listed([repr(v) for v in known.tolist()], 5), known.tolist()[-1]
        raise InputError(
            f"y says of each row whether it {_SAYS[family]}, and it holds {shown}. Say which label "
            f"stands for that: {either(f'give y == {last!r}', f'add --positive {last}')}, for "
            "example.",
            option="y",
        )
    return known if number or not no[-1] else known[::-1]


# --- The rows that decide ------------------------------------------------------------------------


def rows_of(
    beside: Beside,
    X: Any,
    y: NDArray[Any],
    labels: Sequence[str | None],
    present: Sequence[int],
    *,
    intercept: bool,
    decimal: bool,
    budget: Budget,
) -> tuple[Rows, Names]:
    if beside.family in verify.PAIRED:
        values = {role: column.tolist() for role, column in beside.values.items()}
        made = verify.pairs_of(beside.family, y.tolist(), present, values)
        pairs = sorted(islice(made, _MOST_COMPARISONS + 1))
        _refuse_too_many(len(pairs), X.shape[1])
        if not pairs:
            raise InputError(
                "There is nothing to compare: no stratum has a row beside the one that was chosen."
                if beside.family == "conditional"
                else "There is nothing to compare: no one else is at risk at the time of an event."
            )
        one, other = np.array(pairs, dtype=np.intp).T
        return PairRows(X, one, other, decimal, budget), FamilyNames(
            one * len(y) + other, one, other
        )
    claim = {"family": {"name": beside.family}, "labels": labels}
    parts = verify.sided_parts(claim, y.tolist(), present)
    numbers = np.array(list(parts), dtype=np.intp)
    row, sign = numbers // 2, np.where(numbers % 2, 1, -1).astype(np.int8)
    _refuse_too_many(len(row), X.shape[1])
    some = X[row]
    if beside.family == "ordinal":
        intercept, k = False, len(labels) - 1
        threshold = [part[1] for part in parts.values()]
        thresholds = sparse.csr_matrix(
            (np.full(len(row), -1.0), (range(len(row)), threshold)), shape=(len(row), k)
        )
        both = some.astype(np.float64), thresholds
        some = (
            sparse.hstack(both, format="csr")
            if sparse.issparse(some)
            else np.hstack([both[0], thresholds.toarray()])
        )
    rows = Rows(some, sign, intercept=intercept, decimal=decimal, budget=budget)
    return rows, FamilyNames(numbers, row)


def _refuse_too_many(n: int, d: int) -> None:
    if n * d > _MOST_NUMBERS or n > _MOST_COMPARISONS:
        raise InputError(
            f"{n:,} or more comparisons of {d:,} columns are too many to decide about. Entry times "
            "that are close to the times of events make them many: round both, or give strata."
        )


@final
class FamilyNames(Names):
    """A row by the number that `verify.py` gives it."""

    def __init__(self, numbers: Ints, *rows: Index):
        super().__init__(None)
        self._numbers, self._rows = numbers, rows  # of the table: one, or two, for each row

    def __call__(self, i: int) -> int:
        return int(self._numbers[i])

    def separated(self, alive: NDArray[np.bool_]) -> list[int]:
        """The rows of the table all of whose rows are alive."""
        strict, tied = (
            np.concatenate([row[some] for row in self._rows]) for some in (alive, ~alive)
        )
        return np.setdiff1d(strict, tied).tolist()  # type: ignore[no-any-return]


@final
class PairRows(Rows):
    """Differences x_i - x_j of rows. Floats round them; what is exact asks the rows themselves."""

    def __init__(self, X: Any, one: Index, other: Index, decimal: bool, budget: Budget):
        ones = np.ones(X.shape[0], dtype=np.int8)
        self.of = Rows(X, ones, intercept=False, decimal=decimal, budget=budget)
        self.one, self.other = one, other
        x = X.astype(np.float64, copy=False)
        difference = x[one] - x[other]
        if decimal:
            exact = [[float(u) for u in self.exact(i)] for i in range(len(one))]
            difference = np.array(exact)
        same = np.ones(len(one), dtype=np.int8)
        # Floats are not the numbers that are meant, as where decimals are.
        super().__init__(difference, same, intercept=False, decimal=True, budget=budget)

    def part(self, index: Index) -> PairRows:
        used, one, other = self._both(index)
        return PairRows(self.of.X[used], one, other, self.of.decimal, self.budget)

    def exact(self, i: int) -> list[Fraction]:
        pair = self.of.exact(int(self.one[i])), self.of.exact(int(self.other[i]))
        return [v - u for v, u in zip(*pair, strict=True)]

    def _both(self, index: Any) -> tuple[Index, Index, Index]:
        """The rows that they are made of, and the places of both ends of each pair among these."""
        some = np.asarray(index, dtype=np.intp)
        ends = np.concatenate([self.one[some], self.other[some]])
        used, place = np.unique(ends, return_inverse=True)
        return used, place[: len(some)], place[len(some) :]

    def whole(self, index: Sequence[int]) -> tuple[list[Vector], Vector]:
        used, one, other = self._both(index)
        rows, scale = self.of.whole(used.tolist())
        pairs = zip(one.tolist(), other.tolist(), strict=True)
        return [[v - u for v, u in zip(rows[a], rows[b], strict=True)] for a, b in pairs], scale

    def product(self, i: int, w: Sequence[int]) -> tuple[int, int]:
        ((above, below),) = self.products(np.array([i]), list(w))
        return above, below

    def products(self, index: Index, w: Vector) -> list[tuple[int, int]]:
        used, one, other = self._both(index)
        each = self.of.products(used, w)
        out = []
        for a, b in zip(one.tolist(), other.tolist(), strict=True):
            (p, q), (r, s) = each[a], each[b]
            out.append((p - r, q) if q == s else (p * s - r * q, q * s))
        return out

    def _exact_signs(self, index: Index, w: Vector, bound: int) -> NDArray[np.int8]:
        totals = (above - bound * below for above, below in self.products(index, w))
        return np.array([(v > 0) - (v < 0) for v in totals], dtype=np.int8)

    def blend(self, weights: dict[int, int]) -> list[Fraction]:
        shares = dict[int, int]()
        for i, weight in weights.items():
            for row, share in ((int(self.one[i]), weight), (int(self.other[i]), -weight)):
                shares[row] = shares.get(row, 0) + share
        return self.of.blend({row: share for row, share in shares.items() if share})

    def residues(self, index: Any, prime: int) -> Ints:
        used, one, other = self._both(index)
        each = self.of.residues(used, prime)
        return np.asarray((each[one] - each[other]) % prime)

    def times(self, normals: Ints, index: Any, prime: int) -> Ints:
        used, one, other = self._both(index)
        each = self.of.times(normals, used, prime)
        return np.asarray((each[one] - each[other]) % prime)
