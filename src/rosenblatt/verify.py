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
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from itertools import compress
from operator import mul
from typing import Any

SCHEMA = "rosenblatt-certificate/2"
SCHEMAS = ("rosenblatt-certificate/1", SCHEMA)
ALWAYS = """schema producer verdict separable semantics fit_intercept rows dropped columns target
    labels sha256 limits"""
FIELDS = {  # of each verdict; `encoding` is always welcome: how the numbers came from a table
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


def whole(vector: Sequence[Any]) -> list[int]:
    """A positive multiple of a vector of numbers of any kind, in whole numbers."""
    ratios = [v.as_integer_ratio() for v in vector]
    common = math.lcm(*(below for _, below in ratios))
    return [above * (common // below) for above, below in ratios]


def quotient(a: Fraction, b: Fraction) -> float:
    """The float next to a / b, without the fraction, which takes long to reduce."""
    return (a.numerator * b.denominator) / (a.denominator * b.numerator)


def length2(vector: Iterable[Any]) -> Any:
    return sum(v * v for v in vector)


def square(x: float) -> Fraction | float:
    return x if x == math.inf else Fraction(x) ** 2


def rank(vectors: Iterable[Sequence[int]]) -> int:
    """Rank modulo a prime. The true rank is never smaller."""
    echelon: list[tuple[int, list[int]]] = []
    for vector in vectors:
        v = [entry % PRIME for entry in vector]
        for pivot, row in echelon:
            if factor := v[pivot]:
                v = [(a - factor * b) % PRIME for a, b in zip(v, row, strict=True)]
        if any(v):
            pivot = next(j for j, entry in enumerate(v) if entry)
            inverse = pow(v[pivot], -1, PRIME)
            echelon.append((pivot, [entry * inverse % PRIME for entry in v]))
    return len(echelon)


def fingerprint(numbers: bytes, signs: Sequence[int], row: int) -> str:
    """SHA-256 of the shape and of the SHA-256 of each 65,536 rows: their signs (0: left out), then
    for each 1,024 rows their numbers as `strip` writes them. A row has `row` bytes."""
    n, whole = len(signs), hashlib.sha256(struct.pack("<2Q", len(signs), row // 8))
    for first in range(0, n, 65536):
        some = signs[first : first + 65536]
        block = hashlib.sha256(struct.pack(f"{len(some)}b", *some))
        for begin in range(first, first + len(some), 1024):
            end = min(begin + 1024, first + len(some))
            block.update(strip(numbers[begin * row : end * row]))
        whole.update(block.digest())
    return whole.hexdigest()


def strip(numbers: bytes) -> bytes:
    """All numbers; where more than half are zero, the places of the others and these. No -0.0."""
    if bytes(7) not in numbers:  # which 0.0 and -0.0 have
        return numbers
    values = [v + 0.0 for (v,) in struct.iter_unpack("<d", numbers)]
    places = [k for k, v in enumerate(values) if v]
    if 2 * len(places) >= len(values):
        return struct.pack(f"<{len(values)}d", *values)
    form = f"<{len(places)}Q{len(places)}d"
    return struct.pack(form, *places, *filter(None, values))


class Data:
    """The rows that a certificate speaks of: all but those dropped. Lists about rows are of these.

    `numbers` are those of all rows, one after the other, as float64 in little-endian order.
    """

    def __init__(self, claim: dict[str, Any], numbers: bytes, y: Sequence[int]):
        columns, dropped, n = claim["columns"], claim["dropped"], len(y)
        demand(n == claim["rows"], f"the data has {n} rows, not {claim['rows']}")
        demand(type(claim["fit_intercept"]) is bool, "fit_intercept is neither true nor false")
        demand(claim["semantics"] in ("binary64", "decimal"), "semantics is neither of the two")
        demand(0 < len(columns) == len(set(columns)), "no columns, or two of the same name")
        there = all(type(i) is int and 0 <= i < n for i in dropped)
        demand(there, "dropped names a row that is not there")
        demand(len(set(dropped)) == len(dropped) < n, "dropped names a row twice, or all")
        self.numbers, self.y, self.intercept = numbers, y, bool(claim["fit_intercept"])
        self.decimal, self.size = claim["semantics"] == "decimal", len(columns) + self.intercept
        self.form, self.kept = struct.Struct(f"<{len(columns)}d"), [True] * n
        for i in dropped:
            self.kept[i] = False
        self.present, self.labels = (
            list(compress(range(n), self.kept)),
            list(compress(y, self.kept)),
        )

    def x(self, i: int) -> Sequence[float]:
        return self.form.unpack_from(self.numbers, i * self.form.size)

    @cached_property
    def rows(self) -> Sequence[Sequence[float]]:
        return list(compress(self.form.iter_unpack(self.numbers), self.kept))

    def lifted(self, x: Sequence[float]) -> list[Any]:
        """(x, 1), or x through the origin: the numbers that are meant."""
        return [*((Decimal(repr(v)) for v in x) if self.decimal else x), *[1] * self.intercept]

    @cached_property
    def lengths(self) -> Sequence[float]:
        """‖x_i‖, right to the last digit or the one before."""
        return [math.hypot(*x) for x in self.rows]

    def sha256(self, claim: dict[str, Any]) -> str:
        """The fingerprint of the rows: the same for dense and sparse storage."""
        size = len(self.y) * self.form.size
        demand(len(self.numbers) == size, "rows have more numbers, or fewer")
        if claim["schema"] == SCHEMAS[0]:
            return self.sha256_of_version_1(claim)
        signs = [y if kept else 0 for y, kept in zip(self.y, self.kept, strict=True)]
        return fingerprint(self.numbers, signs, self.form.size)

    def sha256_of_version_1(self, claim: dict[str, Any]) -> str:
        """Names, labels and non-zero numbers of the rows that are not dropped."""
        numbers, places = self.numbers, b""
        if not all(self.kept):
            numbers = b"".join(self.form.pack(*x) for x in self.rows)
        if bytes(7) in numbers:  # as in 0.0 and -0.0
            values = [v for (v,) in struct.iter_unpack("<d", numbers)]
            place = [k for k, v in enumerate(values) if v]
            numbers = struct.pack(f"<{len(place)}d", *filter(None, values))
            places = struct.pack(f"<{len(place)}Q", *place) if len(place) < len(values) else b""
        names = [claim["columns"], claim["target"], claim["labels"], len(numbers) // 8]
        signs = struct.pack(f"{len(self.labels)}b", *self.labels)
        return hashlib.sha256(json.dumps(names).encode() + signs + places + numbers).hexdigest()

    def sign(self, x: Sequence[float], y: int, exact: list[int]) -> int:
        """The sign of y (x, 1)·w - bound in whole numbers, for exact = (w, bound)."""
        row = whole(list(compress([*self.lifted(x), -y], exact)))
        total: int = y * sum(map(mul, row, filter(None, exact)))
        return (total > 0) - (total < 0)

    def signs(
        self, w: Sequence[Any], bound: Any = 0, among: Sequence[bool] | None = None
    ) -> Sequence[int]:
        """The sign of a_i·w - bound for every row: by floating point where that is certain.

        0 for rows that are not among those asked for.

        Divided by its largest entry (w, bound) is a vector v; let f be the floats next to it, so
        that |f - v| <= 2^-53 |f| + 2^-1074. A number x is within 2^-53 |x| + 2^-1074 of the true
        one (it is the true one unless decimals are meant). The rounding of d products and d + 1
        sums adds (d + 2) 2^-53 Σ |x_j f_j| and, where it underflows, (d + 2) 2^-1074. So a score is
        off by at most
            (d + 8) 2^-53 (Σ |x_j f_j| + |b| + |bound|) + 2^-1000 (1 + Σ |x_j|)
        and, as the first sum is at most (‖x‖ + 2) ‖f‖ and Σ |x_j| <= d ‖x‖, the limit below is
        above that, its own roundings included. NaN and infinity fail the test.
        """
        exact = whole([*w, bound])
        largest = max(map(abs, exact)) or 1
        f = [v / largest for v in exact]
        unit, low = (len(f) + 16) * 2.0**-53 * math.hypot(*f) + 2.0**-900, f.pop()

        def settled(x: Sequence[float], y: int) -> int:
            score = y * sum(map(mul, [*x, 1.0], f)) - low
            if unit * (math.hypot(*x) + 2.0) < abs(score) < math.inf:
                return 1 if score > 0 else -1
            return self.sign(x, y, exact)

        ball = {y: self.ball(y, exact) for y in (-1, 1)}  # which settles most rows
        asked = [True] * len(self.present) if among is None else among
        each = zip(asked, self.rows, self.labels, map(ball.__getitem__, self.labels), strict=True)
        return [
            (1 if math.dist(x, c) < radius else settled(x, y)) if wanted else 0
            for wanted, x, y, (c, radius) in each
        ]

    def ball(self, y: int, exact: list[int]) -> tuple[tuple[float, ...], float]:
        """A center c and a radius: all rows with this label that are nearer have a_i·w > bound.

        For any c, a_i·w - y (w·c + b) >= -‖w‖ ‖x_i - c‖ (Cauchy and Schwarz); with c far out on
        the right side that leaves few rows in doubt. With numbers of this size math.dist, these
        roundings and decimals that are meant make much less of a difference than 2^-40.
        """
        *w, bound = exact
        b = w.pop() if self.intercept else 0
        longest, largest = max(self.lengths), max(map(abs, w))
        if not (largest and 2.0**-400 < longest < 2.0**400):
            return (0.0,) * len(w), -1.0
        f = [v / largest for v in w]
        far = y * 2.0**20 * longest / math.hypot(*f)
        *c, one = whole([*(far * v for v in f), 1])
        reached = max(y * (sum(map(mul, w, c)) + b * one) - bound * one, 0)
        length = math.sqrt(min(Fraction(reached**2, one**2 * length2(w)), Fraction(2**1000)))
        return tuple(far * v for v in f), (length - longest * 2.0**-40) * (1.0 - 2.0**-40)

    def vector(self, texts: Sequence[str], what: str) -> list[Fraction]:
        demand(len(texts) == self.size, f"{what}: a vector has the wrong length")
        return [number(text) for text in texts]

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        """Is the row orthogonal to all of the normals?"""
        if not normals:
            return [True] * len(self.present)
        return [not any(self.sign(x, 1, [*v, 0]) for v in normals) for x in self.rows]

    def total(self, part: dict[str, Any], what: str) -> list[Fraction]:
        """Σ weight·a_i over the rows named, whose weights are positive whole numbers."""
        rows, weights = part["rows"], [number(v) for v in part["weights"]]
        demand(len(set(rows)) == len(rows) == len(weights), f"{what}: rows and weights differ")
        there = all(0 <= i < len(self.y) and self.kept[i] for i in rows)
        demand(there, f"{what}: a row that is not there")
        demand(all(v > 0 and v.denominator == 1 for v in weights), f"{what}: a weight is not 1 up")
        return self.blend(rows, [int(v) * self.y[i] for v, i in zip(weights, rows, strict=True)])

    def square(self, i: int) -> Fraction:
        """‖a_i‖², exactly."""
        *row, common = whole([*filter(None, self.lifted(self.x(i))), 1])
        return Fraction(length2(row), common**2)

    def rank(self, vectors: Iterable[Sequence[int]]) -> int:
        return rank(vectors)

    def blend(self, rows: Sequence[int], weights: Sequence[int]) -> list[Fraction]:
        """Σ weight·(x_i, 1), exactly."""
        totals = []
        for column in zip(*(self.lifted(self.x(i)) for i in rows), strict=True):
            *terms, common = whole([*column, 1])
            totals.append(Fraction(sum(map(mul, terms, weights)), common))
        return totals


def check(claim: dict[str, Any], data: Data) -> None:
    """Raise Rejected unless all that is claimed about this data is proved."""
    verdict = claim["verdict"]
    demand(claim["schema"] in SCHEMAS, f"the schema is not {SCHEMA}")
    demand(data.sha256(claim) == claim["sha256"], OTHER_DATA)
    names = [*claim["columns"], claim["target"], *filter(None, claim["labels"])]
    demand(all(type(name) is str for name in names), "a name is not text")
    demand(len(claim["labels"]) == 2 and any(claim["labels"]), "labels are not two names")
    demand(verdict in FIELDS, f"the verdict {verdict!r} is not known")
    always, own = set(ALWAYS.split()), {*FIELDS[verdict].split(), "encoding", "collinear"}
    odd = (always - set(claim)) | (set(claim) - always - own)
    demand(not odd, f"{verdict}: fields are missing, or do not belong here: {sorted(odd)}")
    separable = True if "margins" in claim else False if "conflict" in claim else None
    demand(claim["separable"] is separable, "separable is not what is proved")
    if verdict == "complete separation":
        ends = {kind: check_margin(data, kind, part) for kind, part in claim["margins"].items()}
        check_mistake_bounds(claim, data, *ends["homogeneous"])
    elif verdict != "undecided":
        check_balance(claim, data)
    if "conflict" in claim:
        check_conflict(data, claim["conflict"])
    for part in claim.get("revealing", []):
        check_revealing(data, part)
    collinear(claim, data)


def check_conflict(data: Data, part: dict[str, Any]) -> None:
    """A positive blend of rows that is zero: no w can have them all on the right side."""
    demand(0 < len(part["rows"]) <= data.size + 1, "the conflict has no rows or too many")
    demand(not any(data.total(part, "conflict")), "the conflict does not cancel")
    demand(part["y"] == [data.y[i] for i in part["rows"]], "the conflict has other labels")
    demand(data.intercept == ("point" in part), "a meeting point comes with an intercept")
    if data.intercept:  # then the blends of both classes weigh the same and meet in a point
        positive = [y > 0 for y in part["y"]]
        half = {name: list(compress(part[name], positive)) for name in ("rows", "weights")}
        *point, total = data.total(half, "conflict")
        demand(part["point"] == [quotient(v, total) for v in point], "they meet in another point")


def check_balance(claim: dict[str, Any], data: Data) -> None:
    """Rows whose positive blend is zero are on the hyperplane of every w with all a_i·w >= 0, and
    so is every row in their span. `orthogonal` spans what is orthogonal to them: it is orthogonal,
    and the two ranks (which can only be greater) add up to the whole space."""
    balance = claim.get("balance", claim["conflict"])  # often the conflict is enough
    demand(not any(data.total(balance, "balance")), "the balance does not cancel")
    basis = [whole(data.lifted(data.x(i))) for i in balance["rows"]]
    normals = [whole(data.vector(texts, "orthogonal")) for texts in claim["orthogonal"]]
    demand(data.rank(basis) + data.rank(normals) == data.size, "the ranks do not add up")
    flat = data.flat(normals)  # is the row in the span of the balanced ones?
    inside = dict(zip(data.present, flat, strict=True))
    demand(all(inside[i] for i in balance["rows"]), "an orthogonal vector is not orthogonal")
    if claim["verdict"] == "overlap":
        demand(all(flat), "a row is not in the span of the balanced rows")
        return
    w, free = data.vector(claim["separator"], "separator"), [not inside for inside in flat]
    signs = signs_beside(data, basis, free, w)
    demand(signs == [int(outside) for outside in free], "a row is on the wrong side, or on it")
    demand(claim["separated"] == list(compress(data.present, signs)) != [], "other rows are right")
    if "signs" in claim:
        others = collinear(claim, data)
        for j, part in zip(range(data.size), claim["signs"], strict=True):
            lowest = lambda v: min(signs_beside(data, basis, free, v))  # noqa: E731
            check_sign(data, w, normals, j, part, others, lowest)


def collinear(claim: dict[str, Any], data: Data) -> dict[int, list[int]]:
    """Columns left out, and vectors that are 0 times every row: so these columns are combinations
    of others, and the coefficients in them can be 0, whatever the scores."""
    parts = claim.get("collinear", [])
    found = {p["column"]: whole(data.vector(p["vector"], "collinear")) for p in parts}
    places = [type(p["column"]) is int and 0 <= p["column"] < data.size for p in parts]
    demand(all(places) and len(found) == len(parts), "collinear: no column, or one twice")
    for j, v in found.items():
        demand([k for k in found if v[k]] == [j], f"collinear: column {j} is not left out alone")
    demand(not found or all(data.flat([*found.values()])), "columns are not collinear")
    return found


def signs_beside(
    data: Data, basis: list[list[int]], free: Sequence[bool], w: Sequence[Any]
) -> Sequence[int]:
    """The sign of a_i·w for every row, of weights that have the balanced rows on their hyperplane:
    it has their span, too, and only the rows that are free of it have to be looked at."""
    exact = whole(w)
    on_it = not any(sum(map(mul, row, exact)) for row in basis)
    demand(on_it, "a balanced row is not on the hyperplane")
    return data.signs(w, among=free)


def check_sign(
    data: Data,
    w: list[Fraction],
    normals: list[list[int]],
    j: int,
    part: dict[str, Any],
    others: dict[int, list[int]],
    lowest: Callable[[list[Fraction]], int],
) -> None:
    """The signs that w_j can take where all a_i·w >= 0 (and w is not always 0 there), of the w that
    are 0 in the columns left out: those with the same scores are w - Σ (w_k / vector_k) vector."""

    def at(w: Sequence[Any]) -> Any:
        return w[j] - sum(Fraction(w[k] * v[j]) / v[k] for k, v in others.items() if v[j])

    what, signs = f"the sign of coefficient {j}", part["signs"]
    demand((signs != "0") == any(map(at, normals)), f"{what}: is it always 0?")
    if signs == "±" and at(w):  # w is inside the cone: near it w_j can move, if it is 0
        other = data.vector(part["other"], what)
        proved = at(other) * at(w) < 0 and lowest(other) >= 0
    elif signs in ("+", "-"):  # ±e_j is a positive blend of rows, up to the span of the balanced
        times = number(part["times"]) * (1 if signs == "+" else -1)
        *blend, common = whole([*data.total(part, what), 1])
        same = all(sum(map(mul, blend, v)) == times * at(v) * common for v in normals)
        proved = same and times * at(w) > 0 and number(part["times"]) > 0
    else:
        proved = signs in ("0", "±")
    demand(proved, f"{what} is not proved")


def check_margin(data: Data, kind: str, part: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """lo: a separator and a number that every row reaches. hi: the length of a blend of rows.

    For every w, min a_i·w <= Σ weight_i a_i·w / Σ weight_i <= ‖w‖ ‖Σ weight_i a_i‖ / Σ weight_i.
    With a free intercept ("geometric") the weights of both classes have the same sum, so that it
    cancels, and lengths are those of the features alone. Returns the squares of both ends.
    """
    demand(kind in ("homogeneous", "geometric"), f"the margin {kind!r} is not known")
    free, reached = kind == "geometric" and data.intercept, number(part["at_least"])
    blend, w = data.total(part, kind), data.vector(part["separator"], kind)
    demand(not (free and blend.pop()), f"{kind}: the weights of the two classes differ")
    hi2 = length2(blend) / sum(number(v) for v in part["weights"]) ** 2
    lo2 = reached**2 / length2(w[:-1] if free else w)
    demand(reached > 0 and min(data.signs(w, reached)) >= 0, f"{kind}: a row is nearer")
    lo, hi = part["lo"], math.inf if part["hi"] is None else part["hi"]  # null: beyond all floats
    demand(0 <= lo <= hi, f"{kind}: lo is greater than hi, or negative")
    demand(square(lo) <= lo2 < square(math.nextafter(lo, math.inf)), f"{kind}: lo is another")
    demand(square(math.nextafter(hi, 0)) < hi2 <= square(hi), f"{kind}: hi is another")
    demand(part["exact"] is (lo2 == hi2), f"{kind}: exact or not")
    return lo2, hi2


def check_mistake_bounds(claim: dict[str, Any], data: Data, lo2: Fraction, hi2: Fraction) -> None:
    """No row is longer than the one named: by floating point where that is certain."""
    longest = claim["radius_row"]
    demand(longest in data.present, "the longest row is not there")
    length, radius2 = math.hypot(*data.x(longest)), data.square(longest)
    limit = length * (1.0 - 2.0**-48) if 2.0**-900 < length < math.inf else 0.0
    for i in compress(data.present, (not length < limit for length in data.lengths)):
        demand(data.square(i) <= radius2, f"row {i} is longer")
    bounds = claim["mistake_bound"], claim["best_possible_mistake_bound"]
    proved = [int(bound, 0) for bound in bounds] == [radius2 // lo2, radius2 // hi2]
    demand(proved, "the mistake bounds are others")


def check_revealing(data: Data, part: dict[str, Any]) -> None:
    """One column alone separates rows: sign (x_j - threshold) y_i >= 0 everywhere."""
    j, sign, threshold = part["column"], part["sign"], number(part["threshold"])
    d = data.size - data.intercept
    demand(type(j) is type(sign) is int and 0 <= j < d and abs(sign) == 1, "revealing: no column")
    demand(data.intercept or threshold == 0, "revealing: a threshold through the origin")
    w = [sign * (k == j) for k in range(d)] + [-sign * threshold] * data.intercept
    signs = data.signs(w)
    demand(min(signs) >= 0, f"column {j} has a row on the wrong side")
    demand(sum(signs) == part["rows"] > 0, f"column {j} has other rows right")


def label_signs(claim: dict[str, Any], labels: Sequence[str]) -> list[int]:
    """-1 or +1 for each label: by its text, else by the number it stands for."""
    signs = dict(zip(claim["labels"], (-1, 1), strict=True))
    for text in set(labels) - set(signs):
        same = (sign for name, sign in signs.items() if name and equal(name, text))
        signs[text] = next(same, 0)
    found = [signs[text] for text in labels]
    for i in set(range(len(found))) - set(claim["dropped"]):
        demand(found[i] != 0, f"row {i} has the label {labels[i]!r}, not one of {claim['labels']}")
    return found


def equal(one: str, two: str) -> bool:
    """As numbers."""
    try:
        return Decimal(one) == Decimal(two)
    except InvalidOperation:
        return False


def value(text: str, decimal: bool) -> float:
    x = TRUTH[text] if text in TRUTH else float(text)
    if not math.isfinite(x):
        raise ValueError(f"{text} is not a finite number")
    if decimal and text not in TRUTH and Decimal(text) != Decimal(repr(x)):
        raise ValueError(f"{text} has more digits than a float can tell apart")
    return x


def read_csv(claim: dict[str, Any], path: str) -> tuple[bytes, list[str]]:
    """The numbers of all rows, as `Data` wants them, and the labels."""
    names, decimal = [*claim["columns"], claim["target"]], claim["semantics"] == "decimal"
    numbers, labels = [], []
    with open(path, newline="", encoding="utf-8-sig") as file:
        table = csv.reader(file)
        header = next(table, [])
        missing = [name for name in names if name not in header]
        demand(not missing, f"{path} has no column {missing[:1]}; its columns are {header}")
        *places, target = (header.index(name) for name in names)
        for record in filter(None, table):
            try:
                row = [value(record[place], decimal) for place in places]
                numbers.append(struct.pack(f"<{len(row)}d", *row))
                labels.append(record[target])
            except (ValueError, IndexError) as error:
                raise Rejected(f"{path}, line {table.line_num}: {error}") from None
    return b"".join(numbers), labels


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: python verify.py certificate.json data.csv", file=sys.stderr)
        return 2
    path = arguments[0]
    try:
        with open(path, encoding="utf-8") as file:
            claim = json.load(file)
        path = arguments[1]
        numbers, labels = read_csv(claim, path)
        check(claim, Data(claim, numbers, label_signs(claim, labels)))
    except (OSError, UnicodeError, json.JSONDecodeError) as error:
        print(f"cannot read {path}: {error}", file=sys.stderr)
        return 2
    except Rejected as reason:
        print(f"REJECTED: {reason}")
        return 1
    except Exception as error:  # whatever is in the file, it is not a certificate
        print(f"REJECTED: not a certificate ({type(error).__name__}: {error})")
        return 1
    print(f"ACCEPTED: {proved(claim)}")
    return 0


def proved(claim: dict[str, Any]) -> str:
    """What an accepted certificate proves, in words."""
    left_out = f" ({len(claim['dropped'])} left out)" if claim["dropped"] else ""
    rows = f"{claim['rows'] - len(claim['dropped']):,} rows{left_out}"
    if claim["verdict"] != "undecided":
        return f"{claim['verdict']}, {rows}, proved."
    if claim["separable"] is None:
        return f"it claims nothing about its {rows}: undecided, and nothing is proved."
    return f"not separable, {rows}, proved; quasi-complete separation or overlap is undecided."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
