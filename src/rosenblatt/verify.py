"""Check a certificate against its data: python verify.py certificate.json data.csv

This program trusts nobody. It uses the standard library alone, imports nothing of rosenblatt, has
no tolerance and no solver: the hard part was finding the numbers in the certificate; here they are
only multiplied and added, in whole numbers. docs/certificate.md says what each field means.

Row i is a_i = y_i (x_i, 1), or y_i x_i through the origin, with y_i = -1 or +1. Weights w have
row i on the right side if a_i·w > 0.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import struct
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from math import fsum
from operator import mul
from typing import Any

SCHEMA = "rosenblatt-certificate/1"
SEPARABLE = {"complete separation": True, "quasi-complete separation": False, "overlap": False}
ALWAYS = """schema producer verdict separable semantics fit_intercept rows dropped columns target
    labels sha256 limits"""
OPTIONAL = {"encoding"}  # how the numbers came from a table: claims nothing
FIELDS = {
    "complete separation": "margins radius_row mistake_bound best_possible_mistake_bound revealing",
    "quasi-complete separation": "conflict balance orthogonal separator separated signs revealing",
    "overlap": "conflict balance orthogonal",
    "undecided": "conflict",
}
OTHER_DATA = "this is other data: a number, a label, or the order of rows or columns differs"
PRIME = 1980527385046969939  # no neighbour of a power of two, as floats often are
TRUTH = {"True": 1.0, "False": 0.0}  # how Python writes a column of booleans


class Rejected(Exception):  # noqa: N818 - the word says what happened
    """The certificate does not prove what it claims about this data."""


def demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Rejected(otherwise)


def number(text: str) -> Fraction:
    """A whole number (0x1f), a fraction (0x3/0x7) or a float (0x1.8p+3), all in hexadecimal."""
    if "p" in text:
        return Fraction(float.fromhex(text))
    above, _, below = text.partition("/")
    return Fraction(int(above, 16), int(below or "1", 16))


def whole(numbers: Sequence[Fraction]) -> list[int]:
    """A positive multiple of a vector, in whole numbers."""
    common = math.lcm(*(v.denominator for v in numbers))
    return [v.numerator * (common // v.denominator) for v in numbers]


def rank(vectors: Iterable[Sequence[int]]) -> int:
    """Rank modulo a prime. The true rank is never smaller."""
    echelon: list[tuple[int, list[int]]] = []
    for vector in vectors:
        v = [entry % PRIME for entry in vector]
        for pivot, row in echelon:
            if v[pivot]:
                factor = v[pivot]
                v = [(a - factor * b) % PRIME for a, b in zip(v, row, strict=True)]
        pivot = next((j for j, entry in enumerate(v) if entry), -1)
        if pivot >= 0:
            inverse = pow(v[pivot], -1, PRIME)
            echelon.append((pivot, [entry * inverse % PRIME for entry in v]))
    return len(echelon)


class Data:
    """The rows that a certificate speaks of. Lists about rows follow `present`."""

    def __init__(self, claim: dict[str, Any], rows: Any, y: list[int]):
        demand(len(y) == claim["rows"], f"the data has {len(y)} rows, not {claim['rows']}")
        demand(claim["fit_intercept"] in (True, False), "fit_intercept is neither true nor false")
        self.x, self.y, self.intercept = rows, y, bool(claim["fit_intercept"])
        dropped, columns = set(claim["dropped"]), claim["columns"]
        demand(len(set(columns)) == len(columns), "two columns have the same name")
        there = all(type(i) is int and 0 <= i < len(y) for i in dropped)
        demand(there, "dropped names a row that is not there")
        demand(len(dropped) == len(claim["dropped"]) < len(y), "dropped names a row twice, or all")
        every = range(len(y))
        self.present = [i for i in every if i not in dropped] if dropped else every
        self.size = len(claim["columns"]) + self.intercept
        decimal = claim["semantics"] == "decimal"
        demand(decimal or claim["semantics"] == "binary64", "semantics is neither of the two")
        self.ratio: Callable[[float], tuple[int, int]] = (
            (lambda x: Decimal(repr(x)).as_integer_ratio()) if decimal else float.as_integer_ratio
        )

    @cached_property
    def rows(self) -> Collection[int]:
        return self.present if isinstance(self.present, range) else set(self.present)

    @cached_property
    def norms(self) -> Sequence[float]:
        """‖a_i‖, right to the last digit or the one before."""
        return [math.hypot(*self.x[i], self.intercept) for i in self.present]

    def sha256(self, claim: dict[str, Any]) -> str:
        """Names, labels and non-zero numbers of the rows: the same for dense and sparse storage."""
        names = [claim["columns"], claim["target"], claim["labels"]]
        digest = hashlib.sha256(json.dumps(names).encode())
        width = len(claim["columns"])
        full, columns = struct.Struct(f"<{width}d"), struct.pack(f"<{width}I", *range(width))
        head = {y: struct.pack("<Ii", width, y) + columns for y in (-1, 1)}
        for i in self.present:
            x = self.x[i]
            demand(len(x) == width, f"row {i} has {len(x)} numbers, not {width}")
            if all(x):
                digest.update(head[self.y[i]] + full.pack(*x))
            else:
                j = [j for j, value in enumerate(x) if value]
                form = f"<Ii{len(j)}I{len(j)}d"
                digest.update(struct.pack(form, len(j), self.y[i], *j, *(x[k] for k in j)))
        return digest.hexdigest()

    def row(self, i: int) -> list[Fraction]:
        """a_i, exactly."""
        x = [Fraction(*self.ratio(value)) * self.y[i] for value in self.x[i]]
        return [*x, Fraction(self.y[i])] if self.intercept else x

    def above(self, i: int, w: list[int], bound: int) -> int:
        """The sign of a_i·w - bound, in whole numbers."""
        terms = [(self.ratio(x), v) for x, v in zip(self.x[i], w, strict=False) if x and v]
        common = math.lcm(*(below for (_, below), _ in terms))
        total = sum(a * (common // b) * v for (a, b), v in terms)
        total += w[-1] * common if self.intercept else 0
        total = self.y[i] * total - bound * common
        return (total > 0) - (total < 0)

    def signs(self, w: Sequence[Fraction], bound: Fraction = Fraction(0)) -> Sequence[int]:
        """The sign of a_i·w - bound for every row: by floating point where that is certain.

        Divide w and bound by a power of two so that the largest of them, v, has 1/2 <= |v| <= 1,
        and let f be the float next to v: |f - v| <= 2^-53 |f| + 2^-1074. A number x of the row is
        within 2^-53 |x| + 2^-1074 of the true one (it is the true one unless decimals are meant).
        A product x f is rounded by at most 2^-53 |x f| + 2^-1074. fsum rounds the exact sum of
        these products once, two additions round once each. So the score, up to y_i, differs from
        a_i·w - bound by at most
            2^-50.5 (Σ |x_j f_j| + |bound|) + 2^-1000 (1 + Σ |x_j|)
        and, as Σ |x_j f_j| + |bound| <= ‖(x, 1, 1)‖ ‖f‖ <= (‖x‖ + 2) ‖f‖ and Σ |x_j| <= D ‖x‖,
        the limit below is above that, its own roundings included. NaN and infinity fail the test.
        """
        *exact, last = whole([*w, bound])
        size = max(abs(v).bit_length() for v in [*exact, last])
        scale = 1 << max(size, 1)
        *f, low = (v / scale for v in [*exact, last])
        times = 2.0**-50 * math.hypot(*f, low)
        constant = f.pop() if self.intercept else 0.0
        shift = {y: constant - y * low for y in (-1, 1)}
        found = []
        for i, norm in zip(self.present, self.norms, strict=True):
            y = self.y[i]
            try:
                score = fsum(map(mul, self.x[i], f)) + shift[y]
            except (OverflowError, ValueError):
                score = math.nan
            limit = times * (norm + 2.0) + 2.0**-900 * (1.0 + norm)
            if score > limit:
                found.append(y)
            elif score < -limit:
                found.append(-y)
            else:
                found.append(self.above(i, exact, last))
        return found

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        """Is the row orthogonal to all of the normals?"""
        if not normals:
            return [True] * len(self.present)
        return [all(self.above(i, v, 0) == 0 for v in normals) for i in self.present]

    def column(self, j: int) -> Sequence[float]:
        return [self.x[i][j] for i in self.present]

    def total(self, part: dict[str, Any], what: str) -> list[Fraction]:
        """Σ weight·a_i over the rows named, whose weights are positive whole numbers."""
        rows, weights = part["rows"], [number(v) for v in part["weights"]]
        demand(len(set(rows)) == len(rows) == len(weights), f"{what}: rows and weights differ")
        demand(all(i in self.rows for i in rows), f"{what}: a row that is not there")
        demand(all(v > 0 and v.denominator == 1 for v in weights), f"{what}: a weight is not 1 up")
        return self.blend(rows, [int(v) for v in weights])

    def blend(self, rows: Sequence[int], weights: Sequence[int]) -> list[Fraction]:
        signed = [v * self.y[i] for v, i in zip(weights, rows, strict=True)]
        totals = []
        for column in zip(*(map(self.ratio, self.x[i]) for i in rows), strict=True):
            common = math.lcm(*(below for _, below in column))
            terms = zip(column, signed, strict=True)
            totals.append(Fraction(sum(a * (common // b) * v for (a, b), v in terms), common))
        return [*totals, Fraction(sum(signed))] if self.intercept else totals


def check(claim: dict[str, Any], data: Data) -> None:
    """Raise Rejected unless all that is claimed about this data is proved."""
    demand(claim["schema"] == SCHEMA, f"the schema is not {SCHEMA}")
    demand(data.sha256(claim) == claim["sha256"], OTHER_DATA)
    verdict, separable = claim["verdict"], claim["separable"]
    demand(verdict in FIELDS, f"the verdict {verdict!r} is not known")
    missing = set(ALWAYS.split()) - set(claim)
    strange = set(claim) - OPTIONAL - set(f"{ALWAYS} {FIELDS[verdict]}".split())
    demand(not missing, f"fields are missing: {sorted(missing)}")
    demand(not strange, f"a certificate of {verdict} has no {sorted(strange)}")
    if verdict == "undecided":
        demand(separable is None or separable is False, "undecided, yet separable")
        demand((separable is False) == ("conflict" in claim), "not separable if in conflict")
    else:
        demand(separable is SEPARABLE[verdict], "separable and verdict disagree")
        demand(separable or "conflict" in claim, "no conflict")
    if verdict == "complete separation":  # each margin has a separator that all rows reach
        demand("homogeneous" in claim["margins"], "no separator")
    if "conflict" in claim:
        check_conflict(data, claim["conflict"])
    if verdict in ("quasi-complete separation", "overlap"):
        check_balance(claim, data)
    for kind, part in claim.get("margins", {}).items():
        check_margin(claim, data, kind, part)
    for part in claim.get("revealing", []):
        check_revealing(claim, data, part)


def check_conflict(data: Data, part: dict[str, Any]) -> None:
    """A positive blend of rows that is zero: no w can have them all on the right side."""
    demand(0 < len(part["rows"]) <= data.size + 1, "the conflict has no rows or too many")
    demand(not any(data.total(part, "conflict")), "the conflict does not cancel")
    demand(part["y"] == [data.y[i] for i in part["rows"]], "the conflict has other labels")
    demand(data.intercept == ("point" in part), "a meeting point comes with an intercept")
    if data.intercept:  # then the blends of both classes weigh the same and meet in a point
        both = zip(part["rows"], part["weights"], strict=True)
        rows, weights = zip(*((i, v) for i, v in both if data.y[i] > 0), strict=True)
        *point, total = data.total({"rows": rows, "weights": weights}, "conflict")
        demand(part["point"] == [float(v / total) for v in point], "they meet in another point")


def check_balance(claim: dict[str, Any], data: Data) -> None:
    """Rows whose positive blend is zero are on the hyperplane of every w with all a_i·w >= 0, and
    so is every row in their span. `orthogonal` spans what is orthogonal to them: it is orthogonal,
    and the two ranks (which can only be greater) add up to the whole space."""
    balance = claim.get("balance", claim["conflict"])  # often the conflict is enough
    demand(not any(data.total(balance, "balance")), "the balance does not cancel")
    basis = [whole(data.row(i)) for i in balance["rows"]]
    normals = [whole([number(v) for v in vector]) for vector in claim["orthogonal"]]
    demand(all(len(v) == data.size for v in normals), "an orthogonal vector has the wrong length")
    demand(rank(basis) + rank(normals) == data.size, "the ranks do not add up")
    crossing = any(sum(map(mul, row, v)) for row in basis for v in normals)
    demand(not crossing, "an orthogonal vector is not orthogonal")
    flat = data.flat(normals)  # is the row in the span of the balanced ones?
    if claim["verdict"] == "overlap":
        demand(all(flat), "a row is not in the span of the balanced rows")
        return
    w = [number(v) for v in claim["separator"]]
    demand(len(w) == data.size, "the separator has the wrong length")
    signs = data.signs(w)
    demand(min(signs) >= 0, "a row is on the wrong side")
    pairs = zip(signs, flat, strict=True)
    demand(all((sign == 0) == inside for sign, inside in pairs), "a row on it could leave it")
    separated = [i for i, sign in zip(data.present, signs, strict=True) if sign > 0]
    demand(separated == claim["separated"] != [], "it separates other rows")
    if "signs" in claim:
        demand(len(claim["signs"]) == data.size, "the signs have the wrong length")
        for j, part in enumerate(claim["signs"]):
            check_sign(data, w, normals, j, part)


def check_sign(
    data: Data, w: list[Fraction], normals: list[list[int]], j: int, part: dict[str, Any]
) -> None:
    """The signs that w_j can take where all a_i·w >= 0 (and w is not always 0 there)."""
    what = f"the sign of coefficient {j}"
    if part["signs"] == "0":
        demand(not any(v[j] for v in normals), f"{what} is not always 0")
    elif part["signs"] == "±":  # w is inside the cone: near it w_j can move, if it is 0
        demand(any(v[j] for v in normals), f"{what} is always 0")
        if w[j]:
            other = [number(v) for v in part["other"]]
            demand(len(other) == data.size and other[j] * w[j] < 0, f"{what}: it does not change")
            demand(min(data.signs(other)) >= 0, f"{what}: it does not separate")
    else:  # ±e_j is a non-negative blend of rows, up to the span of the balanced ones
        demand(part["signs"] in ("+", "-"), f"{what} is unknown")
        sign = 1 if part["signs"] == "+" else -1
        demand(w[j] * sign > 0, f"{what} is another")
        times, blend = number(part["times"]), data.total(part, what)
        demand(times > 0, f"{what} is not proved")
        for v in normals:
            demand(sum(map(mul, blend, v)) == sign * times * v[j], f"{what} is not proved")


def check_margin(claim: dict[str, Any], data: Data, kind: str, part: dict[str, Any]) -> None:
    """lo: a separator and a number that every row reaches. hi: the length of a blend of rows.

    For every w, min a_i·w <= Σ weight_i a_i·w / Σ weight_i <= ‖w‖ ‖Σ weight_i a_i‖ / Σ weight_i.
    With a free intercept ("geometric") the weights of both classes have the same sum, so that it
    cancels, and lengths are those of the features alone.
    """
    free = kind == "geometric" and data.intercept
    demand(kind in ("homogeneous", "geometric"), f"the margin {kind!r} is not known")
    blend, total = data.total(part, kind), sum(number(v) for v in part["weights"])
    demand(total > 0, f"{kind}: no weights")
    demand(not (free and blend.pop()), f"{kind}: the weights of the two classes differ")
    hi2 = sum(v * v for v in blend) / total**2
    if part["hi"] is None:
        demand(hi2 > Fraction(sys.float_info.max) ** 2, f"{kind}: hi is a float")
    else:
        demand(type(part["hi"]) is float, f"{kind}: hi is not a float")
        demand(Fraction(max(part["hi"], 0.0)) ** 2 >= hi2, f"{kind}: hi is too small")
    w, reached = [number(v) for v in part["separator"]], number(part["at_least"])
    demand(len(w) == data.size and reached > 0, f"{kind}: no separator")
    demand(min(data.signs(w, reached)) >= 0, f"{kind}: a row is nearer")
    lo2 = reached**2 / sum(v * v for v in (w[:-1] if free else w))
    demand(type(part["lo"]) is float and part["lo"] >= 0, f"{kind}: lo is not a float")
    demand(Fraction(part["lo"]) ** 2 <= lo2, f"{kind}: lo is too large")
    demand(part["exact"] is (lo2 == hi2), f"{kind}: exact or not")
    if part["exact"]:  # then only rounding may be between the two
        above = math.nextafter(part["lo"], math.inf)
        near = above == math.inf or Fraction(above) ** 2 > lo2
        demand(near, f"{kind}: lo is lower")
        near = part["hi"] is None or Fraction(math.nextafter(part["hi"], 0)) ** 2 < hi2
        demand(near, f"{kind}: hi is higher")
    if kind == "homogeneous":
        demand(claim["radius_row"] in data.rows, "the longest row is not there")
        radius2 = sum(v * v for v in data.row(claim["radius_row"]))
        ordinary = Fraction(1, 2**900) < radius2 < 2**900  # where floats are precise
        limit = math.sqrt(radius2) * (1.0 - 2.0**-48) if ordinary else 0.0
        for i, norm in zip(data.present, data.norms, strict=True):
            if not norm < limit:
                demand(sum(v * v for v in data.row(i)) <= radius2, f"row {i} is longer")
        demand(int(claim["mistake_bound"], 0) == radius2 // lo2, "the mistake bound is another")
        best = int(claim["best_possible_mistake_bound"], 0)
        demand(best == radius2 // hi2, "the best possible bound is another")


def check_revealing(claim: dict[str, Any], data: Data, part: dict[str, Any]) -> None:
    """One column alone separates rows: sign (x_j - threshold) y_i >= 0 everywhere."""
    j, sign, threshold = part["column"], part["sign"], number(part["threshold"])
    demand(0 <= j < len(claim["columns"]) and sign in (-1, 1), "revealing: no such column")
    demand(type(j) is type(sign) is int, "revealing: not whole numbers")
    demand(data.intercept or threshold == 0, "revealing: a threshold through the origin")
    column = zip(data.present, data.column(j), strict=True)
    sides = [sign * data.y[i] * (Fraction(*data.ratio(x)) - threshold) for i, x in column]
    demand(min(sides) >= 0, f"column {j} has a row on the wrong side")
    demand(sum(side > 0 for side in sides) == part["rows"] > 0, f"column {j} has other rows right")


def label_signs(claim: dict[str, Any], labels: Sequence[str]) -> list[int]:
    """-1 or +1 for each label: by its text, else by the number it stands for."""

    def sign(i: int, text: str) -> int:
        for name, value in zip(claim["labels"], (-1, 1), strict=True):
            if name is not None and text == name:
                return value
        for name, value in zip(claim["labels"], (-1, 1), strict=True):
            try:
                if name is not None and Decimal(text) == Decimal(name):
                    return value
            except InvalidOperation:
                pass
        demand(i in dropped, f"row {i} has the label {text!r}, not one of {claim['labels']}")
        return 1

    dropped = set(claim["dropped"])
    return [sign(i, text) for i, text in enumerate(labels)]


def decimal_of(text: str) -> float:
    """Where decimals are meant, the number must be the one that its float stands for."""
    x = float_of(text)
    if text not in TRUTH and Decimal(text) != Decimal(repr(x)):
        raise ValueError(f"{text} has more digits than a float can tell apart")
    return x


def float_of(text: str) -> float:
    x = TRUTH[text] if text in TRUTH else float(text)
    if not math.isfinite(x):
        raise ValueError(f"{text} is not a finite number")
    return x


def read_csv(claim: dict[str, Any], path: str) -> tuple[list[Sequence[float]], list[str]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        table = csv.reader(file)
        header = next(table, [])
        missing = [name for name in [*claim["columns"], claim["target"]] if name not in header]
        demand(not missing, f"{path} has no column {missing[:1]}; its columns are {header}")
        places = [header.index(name) for name in claim["columns"]]
        target = header.index(claim["target"])
        value = decimal_of if claim["semantics"] == "decimal" else float_of
        rows: list[Sequence[float]] = []
        labels = []
        for record in filter(None, table):
            try:
                rows.append([value(record[place]) for place in places])
                labels.append(record[target])
            except (ValueError, IndexError) as error:
                raise Rejected(f"{path}, line {table.line_num}: {error}") from None
    return rows, labels


def main(arguments: list[str]) -> int:
    if arguments in (["-h"], ["--help"]) or len(arguments) != 2:
        asked = arguments in (["-h"], ["--help"])
        usage = "usage: python verify.py certificate.json data.csv"
        print(usage, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    path = arguments[0]
    try:
        with open(path, encoding="utf-8") as file:
            claim = json.load(file)
        path = arguments[1]
        rows, labels = read_csv(claim, path)
        check(claim, Data(claim, rows, label_signs(claim, labels)))
    except (OSError, UnicodeError, json.JSONDecodeError) as error:
        print(f"cannot read {path}: {error}", file=sys.stderr)
        return 2
    except Rejected as reason:
        print(f"REJECTED: {reason}")
        return 1
    except Exception as error:  # whatever is in the file, it is not a certificate
        print(f"REJECTED: not a certificate ({type(error).__name__}: {error})")
        return 1
    what = "all that it claims" if claim["verdict"] == "undecided" else claim["verdict"]
    left_out = f" ({len(claim['dropped'])} left out)" if claim["dropped"] else ""
    print(f"ACCEPTED: {what}, {len(rows) - len(claim['dropped'])} rows{left_out}, proved.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
