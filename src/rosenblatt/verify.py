"""Check a certificate against its data: python verify.py certificate.json data.csv (or data.svm)

This program trusts nobody. It uses the standard library alone, imports nothing of rosenblatt, has
no tolerance and no solver: the hard part was finding the numbers in the certificate; here they are
only multiplied and added, in whole numbers. docs/certificate.md says what each field means.

Row i is a_i = y_i (x_i, 1), or y_i x_i through the origin, with y_i = -1 or +1. Weights w have
row i on the right side if a_i·w > 0. More than two classes, and other models than the logistic one,
are about rows that are made of those of the table: see `Lifted`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
import struct
import sys
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, chain, compress, zip_longest
from operator import mul
from typing import Any

SCHEMA = "rosenblatt-certificate/1"
HEX = "[0-9a-f]"
EXACT = re.compile(f"-?0x({HEX}+(/0x[1-9a-f]{HEX}*)?|[01]([.]{HEX}{{1,13}})?p[+-]?[0-9]{{1,4}})")
BOUND = re.compile(f"0|[1-9][0-9]*|0x{HEX}+")
PLAIN = re.compile("[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?")  # a number in a table
KINDS: dict[str, tuple[type, Callable[[list[Any]], bool]]] = {  # true is no number, text no list
    "text": (str, lambda texts: True),
    "flag": (bool, lambda flags: True),
    "object": (dict, lambda objects: True),
    "count": (int, lambda counts: min(counts, default=0) >= 0),
    "any": (object, lambda values: True),
    "side": (int, {-1, 1}.issuperset),
    "way": (int, {-1, 0, 1}.issuperset),
    "float": (float, lambda floats: all(map(math.isfinite, floats))),
    "exact": (str, lambda texts: all(map(EXACT.fullmatch, texts))),
    "bound": (str, lambda texts: all(map(BOUND.fullmatch, texts))),
}
FORMS = {  # the fields of each object: ? may be missing, * is a list of these, ~ may be null
    "blend": "rows:count* weights:exact*",
    "margins": "homogeneous:margin geometric?:margin",
    "margin": """rows:count* weights:exact* separator:exact* at_least:exact
        lo:float hi:float~ exact:flag""",
    "conflict": "rows:count* weights:exact* y:side* point?:float*",
    "sign": """signs:text other?:exact* level_weights?:exact** times?:exact rows?:count*
        weights?:exact*""",
    "column": "column:count sign:side threshold:exact rows:count",
    "always": """schema:text producer:text verdict:text separable:flag~ numbers:text
        fit_intercept:flag rows:count dropped:count* columns:text* target:text labels:text~*
        sizes?:count* sha256:text limits:text* preprocessing?:object collinear?:combination*
        family?:family absorbed?:text* demand?:way*""",
    "family": "name:text time?:text entry?:text strata?:text",
    "combination": "column:count vector:exact* level_weights?:exact**",
    "chance": "rows:count* weights:exact* bits:count vectors:exact**",
}
CHANCE = "overlap up to chance"  # which is not proved
LAST_BITS = 40  # so far below the terms of a score it is made by the last bits of numbers
VECTORS, RANDOM, UNLIKELY = 4, 52, 1 << 20  # bits of a random number; of so many values few do
VERDICTS = {
    "complete separation": """margins:margins radius_row:count mistake_bound:bound
        best_possible_mistake_bound:bound signs?:sign* revealing?:column*""",
    "quasi-complete separation": """conflict:conflict balance?:blend orthogonal?:exact**
        separator:exact* separated?:count* last_bits?:count* signs?:sign* revealing?:column*""",
    "overlap": "conflict:conflict balance?:blend orthogonal?:exact**",
    CHANCE: "conflict?:conflict chance:chance",
    "undecided": "conflict?:conflict",
}
ROLES = ("time", "entry", "strata")  # columns of a family beside those of the rows
LOG_LINK = ("poisson", "ppml")  # counts; amounts, which need not be whole
FAMILIES = {  # the roles that each must have, and may have
    "poisson": ((), ()),
    "ppml": ((), ()),
    "ordinal": ((), ()),
    "conditional": (("strata",), ()),
    "cox": (("time",), ("entry", "strata")),
}
PAIRED = ("conditional", "cox")
COUNTS = ("0", "> 0")  # the labels of a log link: only whether a count is 0 matters
OF_FAMILY = {"complete separation": "separator:exact* separated:count* signs?:sign*"}
ABSORBED = {  # verdicts with factors of many levels
    "complete separation": """separator:exact* level_weights:exact** separated:count*
        signs?:sign*""",
    "quasi-complete separation": """balance:blend separator:exact* level_weights:exact**
        separated:count* signs:sign*""",
    "overlap": "balance:blend signs:sign*",
    "undecided": "separator?:exact* level_weights?:exact** separated?:count*",
}
Part = dict[str, Any]  # of a certificate, or all of it
OTHER_DATA = "this is other data: a number, a label, or the order of rows or columns differs"
PRIME = 1980527385046969939  # no neighbour of a power of two, as floats often are
TRUTH = {"true": 1.0, "True": 1.0, "TRUE": 1.0, "false": 0.0, "False": 0.0, "FALSE": 0.0}
MEANT = {"float": "each as the nearest floating-point number", "decimal": "as they are written"}
STATUS = {"UNDECIDED": 3, "ACCEPTED UP TO CHANCE": 13}  # beside 0: by the first words of a result
SHOWN = 5  # names of columns
SVMLIGHT = (".svm", ".svmlight", ".libsvm")
LONGEST = 1 << 23  # numbers in a vector
NUMBERS = (  # how to make them
    "This program reads plain numbers; rosenblatt verify CERTIFICATE TABLE --encoded NUMBERS.csv "
    "writes those of a table with words or gaps."
)


Reading = tuple["Data", str, Sequence[str]]


class Rejected(Exception):  # noqa: N818 - the word says what happened
    """The certificate does not prove what it claims about this data."""


class Unreadable(Rejected):
    """There is no certificate in the file, or no plain numbers in the table."""


def demand(holds: bool, otherwise: str, error: type[Rejected] = Rejected) -> None:
    if not holds:
        raise error(otherwise)


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


def length2(vector: Iterable[Any]) -> Fraction:
    *row, common = whole([*vector, 1])
    return Fraction(sum(v * v for v in row), common**2)


def fingerprint(
    strips: Callable[[int, int], bytes], signs: Sequence[int], width: int, form: str = "b"
) -> str:
    """SHA-256 of the shape and of the SHA-256 of each 65,536 rows: their signs (0: left out), then
    for each 1,024 rows their numbers, as `strip` writes them; `width` in a row. Before each part
    stand the size of an item in bytes and how many there are: no table can read as another."""
    n, whole = len(signs), hashlib.sha256(struct.pack("<2Q", len(signs), width))
    for first in range(0, n, 65536):
        some = signs[first : first + 65536]
        size = struct.calcsize(f"<{form}")
        block = hashlib.sha256(struct.pack(f"<2Q{len(some)}{form}", size, len(some), *some))
        for begin in range(first, first + len(some), 1024):
            block.update(strips(begin, min(begin + 1024, first + len(some))))
        whole.update(block.digest())
    return whole.hexdigest()


def strip(numbers: bytes) -> bytes:
    """All numbers; where more than half are zero, the places of the others and these. No -0.0."""
    if bytes(7) not in numbers:  # which 0.0 and -0.0 have
        return struct.pack("<2Q", 8, len(numbers) // 8) + numbers
    values = [v + 0.0 for (v,) in struct.iter_unpack("<d", numbers)]
    places, n = [k for k, v in enumerate(values) if v], len(values)
    if 2 * len(places) >= n:
        return struct.pack(f"<2Q{n}d", 8, n, *values)
    return placed(places, [*filter(None, values)])


def placed(places: Sequence[int], values: Sequence[float]) -> bytes:
    n = len(places)
    return struct.pack(f"<2Q{n}Q{n}d", 16, n, *places, *values)


class Data:
    """The rows that a certificate speaks of: all but those dropped. Lists about rows are of these.
    Messages count them from the `first`: beside a file from 1.

    `numbers` are those of all rows, one after the other, as float64 in little-endian order. y are
    the signs of rows, or of more than two classes their numbers from 1 on."""

    first = 0

    def __init__(self, claim: Part, numbers: bytes, y: Sequence[int]):
        columns, dropped, n = claim["columns"], claim["dropped"], len(y)
        demand(n == claim["rows"], f"the data has {n} rows, not {claim['rows']}")
        demand(0 < len(columns) == len(set(columns)), "no columns, or two of the same name")
        demand(all(i < n for i in dropped), "dropped names a row that is not there")
        demand(len(set(dropped)) == len(dropped) < n, "dropped names a row twice, or all")
        self.numbers, self.y, self.intercept = numbers, y, claim["fit_intercept"]
        self.decimal, self.size = claim["numbers"] == "decimal", len(columns) + self.intercept
        self.d, self.roles = len(columns), roles(claim)
        self.form, out = struct.Struct(f"<{self.d + len(self.roles)}d"), set(dropped)
        self.n, self.kept = n, [i not in out for i in range(n)]
        self.present, self.labels = [list(compress(v, self.kept)) for v in (range(n), y)]

    def x(self, i: int) -> Sequence[float]:
        return self.form.unpack_from(self.numbers, i * self.form.size)[: self.d]

    @cached_property
    def rows(self) -> Sequence[Sequence[float]]:
        every = compress(self.form.iter_unpack(self.numbers), self.kept)
        return [x[: self.d] for x in every] if self.roles else list(every)

    @cached_property
    def beside(self) -> dict[str, list[float]]:
        """The columns of the family, by role: of all rows."""
        columns = list(zip(*self.form.iter_unpack(self.numbers), strict=True))
        return dict(zip(self.roles, map(list, columns[self.d :]), strict=True))

    def exact(self, i: int) -> list[Any]:
        """(x_i, 1), or x_i through the origin: the numbers that are meant."""
        x = self.x(i)
        return [*((Decimal(repr(v)) for v in x) if self.decimal else x), *[1] * self.intercept]

    def separated(self, signs: Sequence[int]) -> list[int]:
        """The rows that a document names as strictly right, where those with sign 1 are."""
        return list(compress(self.present, signs))

    @cached_property
    def lengths(self) -> Sequence[float]:
        """‖x_i‖, right to the last digit or the one before."""
        return [math.hypot(*x) for x in self.rows]

    def sha256(self, claim: Part) -> str:
        """The fingerprint of the rows: the same for dense and sparse storage."""
        demand(len(self.numbers) == self.n * self.form.size, "rows have more numbers, or fewer")
        signs = [y if kept else 0 for y, kept in zip(self.y, self.kept, strict=True)]
        form = "b" if len(claim["labels"]) == 2 else "i"
        return fingerprint(self.strip, signs, self.form.size // 8, form)

    def strip(self, begin: int, end: int) -> bytes:
        return strip(self.numbers[begin * self.form.size : end * self.form.size])

    @cached_property
    def cells(self) -> array[float]:
        cells = array("d", self.numbers)
        if sys.byteorder == "big":
            cells.byteswap()
        return cells

    def column(self, j: int) -> Sequence[float]:
        """Of all rows."""
        return self.cells[j :: self.form.size // 8]

    def beside_row(self, i: int, w: list[Any]) -> list[Any]:
        """What stands beside the numbers that are kept of a row."""
        return w

    def sign(self, i: int, y: int, exact: list[int]) -> int:
        """The sign of y (x_i, 1)·w - bound in whole numbers, for exact = (w, bound)."""
        beside = self.beside_row(i, exact)
        row = whole(list(compress([*self.exact(i), -y], beside)))
        total: int = y * sum(map(mul, row, filter(None, beside)))
        return (total > 0) - (total < 0)

    def signs(self, w: Sequence[Any], bound: Any = 0, among: Any = None) -> Sequence[int]:
        """The sign of a_i·w - bound for every row: by floating point where that is certain, and 0
        for rows that are not among those asked for.

        Divided by its largest entry (w, bound) is a vector v; let f be the floats next to it, so
        that |f - v| <= 2^-53 |f| + 2^-1074. A number x is within 2^-53 |x| + 2^-1074 of the true
        one (it is the true one unless decimals are meant). The rounding of d products and d + 1
        sums adds (d + 2) 2^-53 Σ |x_j f_j| and, where it underflows, (d + 2) 2^-1074. So it errs by
            (d + 8) 2^-53 (Σ |x_j f_j| + |b| + |bound|) + 2^-1000 (1 + Σ |x_j|)
        at most. The first sum is at most (‖x‖ + 2) ‖f‖ and Σ |x_j| <= d ‖x‖: the limit below is
        above that, its own roundings included. NaN and infinity fail the test."""
        exact = whole([*w, bound])
        largest = max(map(abs, exact)) or 1
        f = [v / largest for v in exact]
        unit, low = (len(f) + 16) * 2.0**-53 * math.hypot(*f) + 2.0**-900, f.pop()

        def settled(i: int, x: Sequence[float], y: int) -> int:
            score = y * sum(map(mul, [*x, 1.0], self.beside_row(i, f))) - low
            if unit * (math.hypot(*x) + 2.0) < abs(score) < math.inf:
                return 1 if score > 0 else -1
            return self.sign(i, y, exact)

        wanted = [True] * len(self.present) if among is None else among
        each = zip(wanted, self.present, self.rows, self.labels, strict=True)
        return [settled(i, x, y) if looked_at else 0 for looked_at, i, x, y in each]

    def signs_of_column(self, j: int, weight: int, rest: Fraction) -> Sequence[int]:
        """Of weights that are 0 in all other columns but for the intercept."""
        column = self.column(j)
        scores = {v: weight * number_meant(v, self.decimal) + rest for v in set(column)}
        signs = {v: (score > 0) - (score < 0) for v, score in scores.items()}
        return [y * signs[column[i]] for i, y in zip(self.present, self.labels, strict=True)]

    def vector(self, texts: Sequence[str], what: str) -> list[Fraction]:
        demand(len(texts) == self.size, f"{what}: a vector has the wrong length")
        return [number(text) for text in texts]

    def flat(self, normals: list[list[int]]) -> Sequence[bool]:
        """Is the row orthogonal to all of the normals?"""
        return [not any(self.sign(i, 1, [*v, 0]) for v in normals) for i in self.present]

    def squares(self, w: Sequence[Any], blend: Sequence[Any]) -> tuple[Any, Any]:
        return length2(w), length2(blend)

    def total(self, part: Part, what: str) -> list[Fraction]:
        """Σ weight·a_i over the rows named, whose weights are positive whole numbers."""
        rows, weights = part["rows"], self.weights(part, what)
        return self.blend(rows, [v * self.y[i] for v, i in zip(weights, rows, strict=True)])

    def weights(self, part: Part, what: str) -> list[int]:
        rows, weights = part["rows"], [number(v) for v in part["weights"]]
        demand(len(set(rows)) == len(rows) == len(weights), f"{what}: rows and weights differ")
        demand(all(i < self.n and self.kept[i] for i in rows), f"{what}: a row that is not there")
        demand(all(v > 0 and v.denominator == 1 for v in weights), f"{what}: a weight is not 1 up")
        return [int(v) for v in weights]

    def square(self, i: int) -> Fraction:
        """‖a_i‖², exactly."""
        return length2(filter(None, self.exact(i)))

    def multiples(self, rows: Sequence[int]) -> list[list[int]]:
        """(x_i, 1) in whole numbers, each row times what that takes."""
        return [whole(self.exact(i)) for i in rows]

    def rank(self, vectors: Iterable[Sequence[int]]) -> int:
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

    def blends(
        self, rows: Sequence[int], several: Sequence[Sequence[int]]
    ) -> Iterable[tuple[int, list[Fraction]]]:
        """For each column a power of two above its numbers, and Σ weight·a_i for several weights:
        of many rows, a column at a time."""
        signed = [[v * self.y[i] for v, i in zip(some, rows, strict=True)] for some in several]
        for j in range(self.size - self.intercept):
            column = self.column(j)
            power = power_above(max(abs(column[i]) for i in self.present))
            numbers = [column[i] for i in rows]
            meant = [Decimal(repr(v)) for v in numbers] if self.decimal else numbers
            *terms, common = whole([*meant, 1])
            yield power, [Fraction(sum(map(mul, terms, some)), common) for some in signed]
        if self.intercept:
            yield 0, [Fraction(sum(some)) for some in signed]

    def blend(self, rows: Sequence[int], weights: Sequence[int]) -> list[Fraction]:
        """Σ weight·(x_i, 1), exactly."""
        totals = []
        for column in zip(*map(self.exact, rows), strict=True):
            *terms, common = whole([*column, 1])
            totals.append(Fraction(sum(map(mul, terms, weights)), common))
        return totals


class Sparse(Data):
    """Rows of which the numbers that are not 0 are kept, with the numbers of their columns."""

    def __init__(self, claim: Part, entries: list[tuple[list[int], list[float]]], y: Sequence[int]):
        super().__init__(claim, b"", y)
        wide = any(places and places[-1] >= self.d for places, _ in entries)
        demand(not wide and not self.roles, f"a row has other columns than these {self.d}")
        self.entries = entries

    def x(self, i: int) -> Sequence[float]:
        return self._spread(*self.entries[i], 0.0)

    def _spread(self, places: Sequence[int], values: Sequence[Any], zero: Any) -> list[Any]:
        row = [zero] * self.d
        for j, v in zip(places, values, strict=False):
            row[j] = v
        return [*row, *values[len(places) :]]

    @cached_property
    def rows(self) -> Sequence[Sequence[float]]:
        return [self.entries[i][1] for i in self.present]

    def exact(self, i: int) -> list[Any]:
        values = self.entries[i][1]
        meant = [Decimal(repr(v)) for v in values] if self.decimal else values
        return [*meant, *[1] * self.intercept]

    def beside_row(self, i: int, w: list[Any]) -> list[Any]:
        return [*map(w.__getitem__, self.entries[i][0]), *w[self.d :]]

    def multiples(self, rows: Sequence[int]) -> list[list[int]]:
        return [self._spread(self.entries[i][0], whole(self.exact(i)), 0) for i in rows]

    @cached_property
    def columns(self) -> dict[int, list[tuple[int, float]]]:
        columns = defaultdict[int, list[tuple[int, float]]](list)
        for i, (places, values) in enumerate(self.entries):
            for j, v in zip(places, values, strict=True):
                columns[j].append((i, v))
        return columns

    def column(self, j: int) -> Sequence[float]:
        out = [0.0] * self.n
        for i, v in self.columns.get(j, ()):
            out[i] = v
        return out

    def blend(self, rows: Sequence[int], weights: Sequence[int]) -> list[Fraction]:
        terms = defaultdict[int, list[tuple[Any, int]]](list)
        for i, weight in zip(rows, weights, strict=True):
            for j, v in zip([*self.entries[i][0], self.d], self.exact(i), strict=False):
                terms[j].append((v, weight))
        totals = [Fraction(0)] * self.size
        for j, pairs in terms.items():
            *numbers, common = whole([*(v for v, _ in pairs), 1])
            total = sum(v * weight for v, (_, weight) in zip(numbers, pairs, strict=True))
            totals[j] = Fraction(total, common)
        return totals

    def sha256(self, claim: Part) -> str:
        demand(len(self.entries) == self.n, "there are more rows, or fewer")
        signs = [y if kept else 0 for y, kept in zip(self.y, self.kept, strict=True)]
        return fingerprint(self.strip, signs, self.d, "b" if len(claim["labels"]) == 2 else "i")

    def strip(self, begin: int, end: int) -> bytes:
        some = list(enumerate(self.entries[begin:end]))
        values = [v for _, (_, own) in some for v in own]
        if 2 * len(values) < self.d * len(some):
            return placed([k * self.d + j for k, (own, _) in some for j in own], values)
        numbers = [v for i in range(begin, end) for v in self.x(i)]
        return strip(struct.pack(f"<{len(numbers)}d", *numbers))


def number_meant(x: float, decimal: bool) -> Fraction:
    return Fraction(Decimal(repr(x)) if decimal else x)


class Lifted(Data):
    """Rows that are made of those of a table, its `points`: `parts` says of which, by number."""

    parts: dict[int, Any]

    def __init__(self, claim: Part, points: Data):
        self.points, self.intercept, self.decimal = points, False, points.decimal
        self.size = self.lift(claim)
        self.present, self.n = [*self.parts], max(self.parts, default=0) + 1
        self.labels = [self.side(i) for i in self.present]
        once: Any = Counter(dict(zip(self.present, self.labels, strict=True)))
        self.y = self.kept = once  # 0 for those that are not there
        self.sha256 = points.sha256  # type: ignore[method-assign]

    def lift(self, claim: Part) -> int:
        """Makes the parts; how many numbers a row has."""
        raise NotImplementedError

    def side(self, i: int) -> int:
        return 1

    rows: Any = property(lambda self: map(self.x, self.present))  # made when they are read


class Rivals(Lifted):
    """More than two classes c, each with weights w_c: row i of class y is right if for every other
    class c, its rival, (w_y - w_c)·(x_i, 1) > 0. So it is as many rows as it has rivals, with the
    numbers (i k + y) k + c, that have (x_i, 1) in the block of y and minus that in the block of c.
    The last class has no block, and its weights are 0: nothing changes if one vector is added to
    the weights of all classes."""

    def lift(self, claim: Part) -> int:
        points = self.points
        self.k, own = len(claim["labels"]), {i: points.y[i] - 1 for i in points.present}
        check_sizes(claim, points)
        others = ((i, y, c) for i, y in own.items() for c in range(self.k) if c != y)
        self.parts = {(i * self.k + y) * self.k + c: (i, y, c) for i, y, c in others}
        return int((self.k - 1) * points.size)

    def x(self, i: int) -> Sequence[float]:
        row, own, rival = self.parts[i]
        x = [*self.points.x(row), *[1.0] * self.points.intercept]
        return [((c == own) - (c == rival)) * v for c in range(self.k - 1) for v in x]

    def squares(self, w: Sequence[Any], blend: Sequence[Any]) -> tuple[Any, Any]:
        """With the last class: weights less their mean, the shortest; blocks that sum to 0."""
        size = self.points.size
        w2, blend2 = (length2(sum(v[j::size]) for j in range(size)) for v in (w, blend))
        return length2(w) - w2 / self.k, length2(blend) + blend2


def check_sizes(claim: Part, points: Data) -> None:
    here = Counter(points.labels)
    sizes = [here[c] for c in range(1, len(claim["labels"]) + 1)]
    good = 0 not in sizes and sum(sizes) == len(points.present) and sizes == claim["sizes"]
    demand(good, "a class has no row, or another number of rows")


class Sided(Lifted):
    """Rows under label 0, with the number 2i and the sign -, or under label 1, 2i + 1 and +.

    "poisson" and "ppml", and any other model with a log link and a point mass at 0: 0 has the label
    0. A row with another count has both, so that its score must be 0: the likelihood falls where
    its mean goes to infinity, and where it goes to 0.
    "ordinal": P(y <= c) = F(θ_c - β·x) for the levels c = 1 … k, with the weights (β, θ) for rows
    (x, -e_c). A row of level c has that under label 0, unless c = k, and (x, -e_(c-1)) under
    label 1, unless c = 1: the likelihood rises with θ_c - β·x and with β·x - θ_(c-1)."""

    def lift(self, claim: Part) -> int:
        self.parts = sided_parts(claim, self.points.y, self.points.present)
        if claim["family"]["name"] in LOG_LINK:
            self.k, self.intercept = 0, self.points.intercept
            return int(self.points.size)
        if len(claim["labels"]) > 2:
            check_sizes(claim, self.points)
        self.k = len(claim["labels"]) - 1
        return self.points.d + self.k

    def side(self, i: int) -> int:
        return 2 * (i % 2) - 1

    def x(self, i: int) -> Sequence[float]:
        row, threshold = self.parts[i]
        return [*self.points.x(row), *(-float(c == threshold) for c in range(self.k))]

    def separated(self, signs: Sequence[int]) -> list[int]:
        return all_strict(((i // 2,) for i in self.present), signs)


class Paired(Lifted):
    """Row i against row j, with the number i n + j: x_i - x_j.

    "conditional": within a stratum the row that was chosen against each other one.
    "cox": at each time of an event a row with one against everyone at risk, where entry < that time
    <= time. This is so for Breslow's and for Efron's way with tied events: see `risk_pairs`."""

    def lift(self, claim: Part) -> int:
        points = self.points
        pairs = pairs_of(claim["family"]["name"], points.y, points.present, points.beside)
        self.parts = {i * points.n + j: (i, j) for i, j in sorted(pairs)}
        return points.d

    def exact(self, i: int) -> list[Any]:
        one, other = map(self.points.x, self.parts[i])
        both = [[Decimal(repr(v)) for v in x] if self.decimal else x for x in (one, other)]
        return [Fraction(v) - Fraction(u) for v, u in zip(*both, strict=True)]

    def x(self, i: int) -> Sequence[float]:
        if self.decimal:
            return list(map(float, self.exact(i)))
        one, other = map(self.points.x, self.parts[i])
        return [v - u for v, u in zip(one, other, strict=True)]

    def separated(self, signs: Sequence[int]) -> list[int]:
        return all_strict(self.parts.values(), signs)


def all_strict(points: Iterable[tuple[int, ...]], signs: Sequence[int]) -> list[int]:
    """The points all of whose lifted rows are strictly right."""
    strict, other = set[int](), set[int]()
    for some, sign in zip(points, signs, strict=True):
        (strict if sign else other).update(some)
    return sorted(strict - other)


def sided_parts(claim: Part, y: Sequence[int], present: Iterable[int]) -> dict[int, Any]:
    """The row, and its threshold, by number; see `Sided`."""
    if claim["family"]["name"] in LOG_LINK:
        return {2 * i + side: (i, None) for i in present for side in range(1 + (y[i] > 0))}
    k, parts = len(claim["labels"]), dict[int, Any]()
    for i in present:
        level = y[i] if k > 2 else (y[i] + 3) // 2  # from 1 on
        if level < k:
            parts[2 * i] = i, level - 1
        if level > 1:
            parts[2 * i + 1] = i, level - 2
    return parts


def pairs_of(
    name: str, y: Sequence[int], present: Iterable[int], beside: dict[str, list[float]]
) -> Iterable[tuple[int, int]]:
    strata = defaultdict[float, list[int]](list)
    for i in present:
        strata[beside["strata"][i] if "strata" in beside else 0.0].append(i)
    if name == "conditional":
        chosen = {s: [i for i in rows if y[i] > 0] for s, rows in strata.items()}
        demand(all(len(one) == 1 for one in chosen.values()), "a stratum has not one choice")
        return ((chosen[s][0], j) for s, rows in strata.items() for j in rows if j not in chosen[s])
    time = beside["time"]
    entry = beside.get("entry", [-math.inf] * len(time))
    demand(all(entry[i] < time[i] for rows in strata.values() for i in rows), "time <= entry")
    each = (risk_pairs(rows, y, time, entry) for rows in strata.values())
    return chain.from_iterable(each)


def risk_pairs(
    rows: Sequence[int], y: Sequence[int], time: Sequence[float], entry: Sequence[float]
) -> Iterable[tuple[int, int]]:
    """Each event against everyone at risk, in few pairs.

    Whoever is right in (i, k) and in (k, j) is right in (i, j), and strictly so if one of them is
    strict. So an event needs no pair of its own with a row that is also at risk at the next time of
    an event whose row is at risk here: the pair with that row is enough. `waiting` are the times
    that have not yet met such a next one. Of tied events each is against the next and the last
    against the first: all must have the same score, as each is at risk for the others."""
    times = sorted({time[i] for i in rows if y[i] > 0})
    events, others = ([list[int]() for _ in times] for _ in range(2))
    for i in rows:
        if (last := bisect_right(times, time[i]) - 1) >= 0:
            (events if y[i] > 0 else others)[last].append(i)
    first = {i: bisect_right(times, entry[i]) for i in rows}  # the first time at which it is there
    waiting = list[int]()
    for now, tied in enumerate(events):
        soonest = min(first[i] for i in tied)
        while waiting and waiting[-1] >= soonest:
            before = waiting.pop()
            yield events[before][0], next(i for i in tied if first[i] <= before)
        waiting.append(now)
        if len(tied) > 1:
            yield from zip(tied, [*tied[1:], tied[0]], strict=True)
        for j in others[now]:
            for before in reversed(waiting):
                if before < first[j]:
                    break
                yield events[before][0], j


def lifted(claim: Part, points: Data) -> Data:
    """The rows that the claim is about."""
    if "absorbed" in claim:
        return points
    if "family" not in claim:
        return Rivals(claim, points) if len(claim["labels"]) > 2 else points
    return (Paired if claim["family"]["name"] in PAIRED else Sided)(claim, points)


def roles(claim: Part) -> list[str]:
    """Those of the columns beside the rows, in their order."""
    of_family = [role for role in ROLES if role in claim.get("family", {})]
    return [*of_family, *(f"absorb{k}" for k in range(len(claim.get("absorbed", []))))]


def column_of(claim: Part, role: str) -> str:
    absorbed = role.removeprefix("absorb")
    return str(claim["absorbed"][int(absorbed)] if absorbed != role else claim["family"][role])


def check_form(claim: Any) -> None:
    """Is it a certificate at all? All fields that it must have and no others, at any depth."""
    check_schema(claim, SCHEMA)
    verdict = claim.get("verdict")
    demand(verdict in list(VERDICTS), f"the verdict {verdict!r} is not known")
    forms = VERDICTS | (OF_FAMILY if {"family", "demand"} & claim.keys() else {})
    form = (ABSORBED if "absorbed" in claim else forms)[verdict]
    check_fields(claim, f"{FORMS['always']} {form}", verdict)
    demand(claim["numbers"] in MEANT, 'numbers is neither "float" nor "decimal"')
    k = len(claim["labels"])
    named = k == 2 or (k > 2 and len({*claim["labels"], None}) == k + 1)
    demand(named and any(claim["labels"]), "labels are not two names, or of many classes as many")
    odd = {"revealing", "geometric", "collinear", "last_bits"} if k > 2 else {"sizes"}
    if "family" in claim:
        check_family(claim)
        odd = {"revealing", "last_bits", *({"sizes"} if k == 2 else ())}
    if "demand" in claim:
        check_demand(claim)
        odd |= {"revealing", "signs", "collinear", "family", "absorbed", "sizes"}
    odd &= {*claim, *claim.get("margins", ())}
    demand(not odd, f"{sorted(odd)} belong to another number of classes, or to another family")
    demand(k == 2 or "sizes" in claim, "the sizes of the classes are missing")
    if "absorbed" in claim:
        check_factors(claim)


def check_factors(claim: Part) -> None:
    named, k = claim["absorbed"], len(claim["labels"])
    good = named and k == 2 and claim.get("family", {}).get("name", LOG_LINK[0]) in LOG_LINK
    demand(good, "factors are absorbed in other models")
    own = [*claim["columns"], claim["target"], *named]
    demand(len(own) == len({*own}), "one column has two roles")
    demand(not claim["fit_intercept"], "with factors there is no other intercept")
    partly = claim.keys() & {"separator", "level_weights", "separated"}
    demand(len(partly) in (0, 3), "a separator comes with weights of levels, and rows")


def check_demand(claim: Part) -> None:
    """Signs that weights must have, or be 0: one for each column, 0 where they may have any."""
    demand(len(claim["demand"]) == len(claim["columns"]), "a sign is demanded of other columns")
    demand(any(claim["demand"]), "no sign is demanded")
    kind = claim["verdict"] in ("complete separation", "undecided")
    demand(kind, "under a demand rows are separable or not; no more is defined")


def check_family(claim: Part) -> None:
    family, k = claim["family"], len(claim["labels"])
    name = family["name"]
    demand(name in FAMILIES, f"the family {name!r} is not known")
    must, may = FAMILIES[name]
    good = {*must} <= {*family} - {"name"} <= {*must, *may}
    demand(good, f"the family {name} has other columns beside the rows: {roles(claim)}")
    demand(k == 2 or name == "ordinal", f"the family {name} has two labels")
    counts = name in LOG_LINK
    demand(not counts or claim["labels"] == [*COUNTS], "the labels of counts are others")
    own = [*claim["columns"], claim["target"], *(column_of(claim, role) for role in roles(claim))]
    demand(len(own) == len({*own}), "one column has two roles")
    demand(counts or not claim["fit_intercept"], f"the family {name} has no intercept")


def check_schema(claim: Any, wanted: str) -> None:
    schema = claim.get("schema") if type(claim) is dict else None
    named = f"is {schema!r}" if schema else "there is none"
    demand(schema == wanted, f"its schema should be {wanted!r}, but {named}", Unreadable)


def check_fields(part: Any, form: str, where: str) -> None:
    demand(type(part) is dict, f"{where} is not an object")
    kinds = dict(field.split(":") for field in form.split())
    odd = {name for name in kinds if name[-1] != "?"} - part.keys()
    odd |= part.keys() - {name.rstrip("?") for name in kinds}
    demand(not odd, f"{where}: fields are missing, or do not belong here: {sorted(odd)}")
    for name, kind in kinds.items():
        if (name := name.rstrip("?")) in part:
            check_value(part[name], kind, f"{where}: {name}")


def check_value(value: Any, kind: str, where: str) -> None:
    if kind in FORMS:
        check_fields(value, FORMS[kind], where)
        return
    items = value if kind[-1] == "*" else [value]
    demand(type(items) is list, f"{where} is not a list")
    if (leaf := kind.removesuffix("*").rstrip("~")) in KINDS:
        own, test = KINDS[leaf]
        items = [v for v in items if v is not None] if "~" in kind else items
        good = own is object or {own}.issuperset(map(type, items))
        good = good and test(items)
        demand(good, f"{where} is not what it should be ({leaf})")
    else:
        for item in items:
            check_value(item, leaf, where)


def check(claim: Part, data: Data) -> None:
    """Raise Rejected unless all that is claimed about this data is proved."""
    check_form(claim)
    verdict = claim["verdict"]
    demand(data.sha256(claim) == claim["sha256"], OTHER_DATA)
    separable = {"complete separation": True}.get(verdict, False if "conflict" in claim else None)
    if "absorbed" in claim:
        check_absorbed(claim, data)
        return
    demand(claim["separable"] is separable, "separable is not what is proved")
    if verdict == "complete separation":
        check_complete(claim, data)
    elif verdict == CHANCE:
        check_chance(claim, data)
    elif verdict != "undecided":
        check_balance(claim, data)
    if "conflict" in claim:
        check_conflict(data, claim["conflict"], claim.get("demand", ()))
    for part in claim.get("revealing", []):
        check_revealing(data, part)
    collinear(claim, data)


def check_absorbed(claim: Part, data: Data) -> None:
    """Row i is (x_i, 1 in the columns of its levels, else 0), of label 0 or 1; of a log link the
    rows with a count above 0 have both labels, so that their score must be 0. A blend of rows that
    is zero, with a weight for each of them that has the sign of its label, or any where it has
    both, leaves all of them at score 0, whatever the weights. The other rows are strictly right.

    A coefficient alone as a blend of rows is 0, where they are tied; else it has the sign of this
    blend, if rows that are right have the sign of their label in it."""
    points = data.points if isinstance(data, Lifted) else data
    levels = list(zip(*(points.beside[role] for role in points.roles), strict=True))
    side = dict(zip(points.present, points.labels, strict=True))
    free = {i for i, y in side.items() if y > 0 and "family" in claim}

    def blend(part: Part, what: str) -> tuple[dict[int, int], list[Fraction]]:
        rows, weights = part["rows"], whole([number(v) for v in part["weights"]])
        demand(len({*rows}) == len(rows) == len(weights), f"{what}: rows and weights differ")
        demand(side.keys() >= {*rows}, f"{what}: a row that is not there")
        level = defaultdict[Any, int](int)
        for i, weight in zip(rows, weights, strict=True):
            for key in enumerate(levels[i]):
                level[key] += weight
        demand(not any(level.values()), f"{what}: the weights of a level do not cancel")
        total = points.blend(rows, weights) if rows else [Fraction()] * points.d
        return dict(zip(rows, weights, strict=True)), total

    def scores(part: Part, name: str) -> list[int]:
        """Of each row times its label, times some positive number."""
        w, alphas = points.vector(part[name], name), part["level_weights"]
        demand(len(alphas) == len(points.roles), "level_weights are not those of each factor")
        each = [[number(v) for v in texts] for texts in alphas]
        return absorbed_scores(points, w, each, levels)

    tied, verdict = dict.fromkeys(free, 0), claim["verdict"]
    if "balance" in claim:
        weights, total = blend(claim["balance"], "balance")
        demand(not any(total), "the balance does not cancel")
        good = all(i in free or weight * side[i] > 0 for i, weight in weights.items())
        demand(good, "a weight has the sign of another label")
        tied |= weights
    strict = {*side.keys() - tied.keys()}
    if "separator" in claim:
        each = dict(zip(points.present, scores(claim, "separator"), strict=True))
        demand(min(each.values()) >= 0, "a row is on the wrong side")
        demand(not any(each[i] for i in free), "a row that must be on it is not")
        strict = {i for i, score in each.items() if score}
        demand(sorted(strict) == claim["separated"], "other rows are right")
    decided = verdict != "undecided"
    demand(not decided or tied.keys() == side.keys() - strict, "a row is neither tied nor right")
    complete, separated = not tied, "separator" in claim and bool(strict)
    demand(decided is False or complete is (verdict == "complete separation"), "complete or not")
    demand(decided is False or separated is (verdict != "overlap"), "separated or not")
    separable = None if not decided else verdict == "complete separation"
    demand(claim["separable"] is separable, "separable is not what is proved")
    parts = claim.get("collinear", [])
    out = {part["column"] for part in parts}
    demand(len(out) == len(parts) and max(out, default=-1) < points.d, "collinear: what columns?")
    for part in parts:
        alone = [j for j in out if number(part["vector"][j])] == [part["column"]]
        zero = alone and "level_weights" in part and not any(scores(part, "vector"))
        demand(zero, "columns are not collinear")
    vectors = {part["column"]: points.vector(part["vector"], "collinear") for part in parts}

    def at(w: list[Fraction], j: int) -> Fraction:
        """The coefficient, if those left out are 0."""
        return w[j] - sum((w[k] * v[j] / v[k] for k, v in vectors.items()), Fraction())

    signs = claim.get("signs", [{"signs": "?"}] * points.d)
    demand(len(signs) == points.d, "signs are not one for each column")
    for j, part in enumerate(signs):
        if part != {"signs": "?"}:
            what = f"the sign of coefficient {j}"
            proof = {"other", "level_weights"} if part["signs"] == "±" else {"rows", "weights"}
            good = part.keys() == {"signs", *proof} and part["signs"] in ("+", "-", "0", "±")
            good = good and (part["signs"] != "±" or "separator" in claim)
            demand(good and j not in out, f"{what}: another proof")
            if part["signs"] == "±":  # near the separator it is then of either sign
                keeps = dict(zip(points.present, scores(part, "other"), strict=True))
                both = [at(points.vector(w, what), j) for w in (claim["separator"], part["other"])]
                good = both[0] == 0 != both[1] and not any(keeps[i] for i in tied)
                demand(good, f"{what} is not proved")
                continue
            way = {"+": 1, "-": -1}.get(part["signs"], 0)
            some, total = blend(part, what)
            right = [weight * side[i] for i, weight in some.items() if i not in tied and weight]
            alone = [k for k, v in enumerate(total) if v and k not in out] == [j]
            shown = way * total[j] > 0 and min(right, default=0) > 0 if way else not right
            demand(alone and shown, f"{what} is not proved")


def absorbed_scores(data: Data, w: list[Fraction], alphas: Any, levels: Any) -> list[int]:
    *features, common = whole([*w, 1])
    there = [j for j, v in enumerate(features) if v]
    features = [features[j] for j in there]
    out = []
    for i, y in zip(data.present, data.labels, strict=True):
        row = data.exact(i)
        *x, times = whole([*(row[j] for j in there), 1])
        alpha = sum(of_factor[int(k)] for of_factor, k in zip(alphas, levels[i], strict=True))
        score = sum(map(mul, x, features)) + alpha * common * times
        out.append(y * (score > 0) - y * (score < 0))
    return out


def check_complete(claim: Part, data: Data) -> None:
    """Every row is strictly right: by the margins; of a family, or with signs demanded, by one
    separator."""
    if "family" in claim or "demand" in claim:
        w = data.vector(claim["separator"], "separator")
        obeys = all(sign * v >= 0 for sign, v in zip(claim.get("demand", ()), w, strict=False))
        demand(obeys, "the separator has another sign than is demanded")
        signs = data.signs(w)
        demand(min(signs, default=0) > 0, "a row is on the wrong side, or on it")
        demand(claim["separated"] == data.separated(signs), "other rows are right")
    else:
        ends = {kind: check_margin(data, kind, part) for kind, part in claim["margins"].items()}
        check_mistake_bounds(claim, data, *ends["homogeneous"])
        w = data.vector(claim["margins"]["homogeneous"]["separator"], "separator")
    size = data.size * ("signs" in claim)
    every = [[int(j == k) for k in range(size)] for j in range(size)]
    check_signs(claim, data, w, every, lambda v: min(data.signs(v)))


def check_conflict(data: Data, part: Part, signs: Sequence[int] = ()) -> None:
    """A positive blend of rows that is zero: no w can have them all on the right side. Where signs
    of weights are demanded, it may be of the other sign there: w·blend would be 0 at most, too."""
    demand(0 < len(part["rows"]) <= data.size + 1, "the conflict has no rows or too many")
    both = zip_longest(data.total(part, "conflict"), signs, fillvalue=0)
    left = any(max(sign * v, 0) if sign else v for v, sign in both)
    demand(not left, "the conflict does not cancel")
    demand(part["y"] == [data.y[i] for i in part["rows"]], "the conflict has other labels")
    meet = data.intercept and not signs
    demand(meet == ("point" in part), "a meeting point comes with an intercept")
    if meet:  # then the blends of both classes weigh the same and meet in a point
        positive = [y > 0 for y in part["y"]]
        half = {name: list(compress(part[name], positive)) for name in ("rows", "weights")}
        *point, total = data.total(half, "conflict")
        met = [v.numerator / (v.denominator * int(total)) for v in point]  # (v / total takes long)
        demand(part["point"] == met, "they meet in another point")


def check_balance(claim: Part, data: Data) -> None:
    """Rows whose positive blend is zero are on the hyperplane of every w with all a_i·w >= 0, and
    so is every row in their span. `orthogonal` spans what is orthogonal to them: it is orthogonal,
    and the two ranks (which can only be greater) add up to the whole space. Without it the span is
    not asked for: all other rows are strictly right."""
    balance = claim["balance" if "balance" in claim else "conflict"]  # which is often enough
    demand(not any(data.total(balance, "balance")), "the balance does not cancel")
    spans = "orthogonal" in claim
    demand(spans or "signs" not in claim, "signs of coefficients need the orthogonal vectors")
    normals = [whole(data.vector(texts, "orthogonal")) for texts in claim.get("orthogonal", [])]
    if spans:
        basis = data.multiples(balance["rows"])
        demand(data.rank(basis) + data.rank(normals) == data.size, "the ranks do not add up")
        flat = data.flat(normals)  # is the row in the span of the balanced ones?
        inside = dict(zip(data.present, flat, strict=True))
        demand(all(inside[i] for i in balance["rows"]), "an orthogonal vector is not orthogonal")
    else:
        balanced = set(balance["rows"])
        flat = [i in balanced for i in data.present]
    if claim["verdict"] == "overlap":
        demand(all(flat), "a row is not in the span of the balanced rows")
        return
    w, free = data.vector(claim["separator"], "separator"), [not inside for inside in flat]
    signs = signs_beside(data, basis, free, w) if spans else data.signs(w)
    demand(signs == [int(outside) for outside in free], "a row is on the wrong side, or on it")
    right = data.separated(signs)
    demand("separated" in claim or not (spans or isinstance(data, Lifted)), "no rows are named")
    demand(any(signs) and claim.get("separated", right) == right, "other rows are right")
    check_last_bits(claim, data, right, whole(w))
    check_signs(claim, data, w, normals, lambda v: min(signs_beside(data, basis, free, v)))


def check_last_bits(claim: Part, data: Data, right: list[int], w: list[int]) -> None:
    """Rows that w has strictly right by less than 2^-40 of the terms of their score."""
    rows = claim.get("last_bits", [])
    demand(
        rows == sorted({*rows} & {*right}), "last_bits: rows that are not right, or out of order"
    )
    for i in rows:
        terms = [*map(mul, whole(data.exact(i)), data.beside_row(i, w))]
        by_last_bits = abs(sum(terms)) << LAST_BITS < sum(map(abs, terms))
        demand(by_last_bits, "last_bits: a row is right by more")


def check_chance(claim: Part, data: Data) -> None:
    """Is w = 0 if all a_i·w >= 0? Up to a chance of 2^-128.

    Columns are divided by powers of two above their numbers, and w is such that its largest entry
    is 1. With positive weights u let r = |Σ u_i a_i|_1, so that u_i a_i·w <= Σ u_i a_i·w <= r. For
    any g and z, |g·w| <= t = r max |z_i| / u_i + |g - Σ z_i a_i|_1. But g is random: each entry is
    one of 2^52 numbers, by a hash of data and u, of which w knows nothing. Of those for the entry 1
    of w at most 2t + 1 <= 2^20 make the product so small: a chance of 2^-32, four times."""
    part, below = claim["chance"], 1 << min(claim["chance"]["bits"], 4096)
    demand(not isinstance(data, Lifted), "chance: only of rows of two classes")
    weights = data.weights(part, "chance")
    vectors = [[number(text) for text in texts] for texts in part["vectors"]]
    good = len(vectors) == VECTORS and {len(z) for z in vectors} == {len(weights)}
    good = good and all(v.denominator == 1 for z in vectors for v in z)
    demand(good, "chance: there should be four vectors of whole numbers")
    shares = [[int(v) for v in z] for z in vectors]
    random = [random_vector(claim, part, k, data.size) for k in range(VECTORS)]
    columns = data.blends(part["rows"], [weights, *shares])
    good = are_nearly_blends(random, columns, weights, shares, below)
    demand(good, "a random vector is not nearly a blend of the rows")


def are_nearly_blends(
    random: Sequence[Sequence[int]],
    columns: Iterable[tuple[int, Sequence[Fraction]]],
    weights: Sequence[int],
    shares: Sequence[Sequence[int]],
    below: int,
) -> bool:
    """2t + 1 <= 2^20 for each vector; a column has its power and the blends of weights and shares,
    which are numerators over `below`."""
    r, rest = Fraction(), [Fraction()] * len(random)
    for j, (power, totals) in enumerate(columns):
        even = [total / Fraction(2) ** power for total in totals]
        r += abs(even[0])
        off = zip(rest, random, even[1:], strict=True)
        rest = [total + abs(g[j] - blend / below) for total, g, blend in off]
    most = [max(Fraction(abs(v), u) for v, u in zip(z, weights, strict=True)) for z in shares]
    return all(2 * (r * m / below + off) + 1 <= UNLIKELY for m, off in zip(most, rest, strict=True))


def random_vector(claim: Part, part: Part, k: int, size: int) -> list[int]:
    """From -2^51 to 2^51 - 1: the first bits of a hash of data and weights, counted on."""
    words = [claim["sha256"], claim["numbers"], str(int(claim["fit_intercept"]))]
    text = " ".join([*words, *map(str, part["rows"]), *part["weights"]])
    seed, out = hashlib.sha256(text.encode()).digest(), list[int]()
    while len(out) < size:
        block = hashlib.sha256(seed + struct.pack("<2Q", k, len(out))).digest()
        out += struct.unpack("<4Q", block)
    return [(v >> (64 - RANDOM)) - (1 << (RANDOM - 1)) for v in out[:size]]


def power_above(largest: float) -> int:
    """The number is below this power of two."""
    return math.frexp(largest)[1]


def check_signs(claim: Part, data: Data, w: Any, normals: list[list[int]], lowest: Any) -> None:
    """Those of all coefficients, where they are named; `lowest` is the least sign of all rows."""
    others, once = collinear(claim, data), cache(lowest)  # most coefficients share a vector
    for j, part in zip(range(data.size * ("signs" in claim)), claim.get("signs", []), strict=True):
        if part != {"signs": "?"}:
            check_sign(data, w, normals, j, part, others, once)


def collinear(claim: Part, data: Data) -> dict[int, list[int]]:
    """Columns left out, and vectors that are 0 times every row: so these columns are combinations
    of others, and the coefficients in them can be 0, whatever the scores."""
    parts = claim.get("collinear", [])
    demand(not any("level_weights" in p for p in parts), "collinear: there are no factors")
    vectors = {p["column"]: whole(data.vector(p["vector"], "collinear")) for p in parts}
    there = all(j < data.size for j in vectors) and len(vectors) == len(parts)
    demand(there, "collinear: no column, or one twice")
    for j, v in vectors.items():
        demand([k for k in vectors if v[k]] == [j], f"collinear: column {j} is not left out alone")
    demand(not vectors or all(data.flat([*vectors.values()])), "columns are not collinear")
    return vectors


def signs_beside(data: Data, basis: Any, free: Any, w: Sequence[Any]) -> Sequence[int]:
    """The sign of a_i·w for every row, of weights that have the balanced rows on their hyperplane:
    it has their span, too, and only the rows that are free of it have to be looked at."""
    exact = whole(w)
    demand(not any(sum(map(mul, row, exact)) for row in basis), "a balanced row is not on it")
    return data.signs(w, among=free)


def check_sign(data: Data, w: Any, normals: Any, j: int, part: Part, out: Any, lowest: Any) -> None:
    """The signs that w_j can take where all a_i·w >= 0 (and w is not always 0 there), of the w that
    are 0 in the columns left out: those with the same scores are w - Σ (w_k / vector_k) vector."""

    def at(w: Sequence[Any]) -> Any:
        return w[j] - sum(Fraction(w[k] * v[j]) / v[k] for k, v in out.items() if v[j])

    what, signs = f"the sign of coefficient {j}", part["signs"]
    demand((signs != "0") == any(map(at, normals)), f"{what}: is it always 0?")
    proof = {"±": ["other"] if at(w) else [], "0": []}.get(signs, ["times", "rows", "weights"])
    demand(part.keys() == {"signs", *proof}, f"{what}: its proof has other fields")
    proved = signs in ("0", "±")
    if signs == "±" and at(w):  # w is inside the cone: near it w_j can move, if it is 0
        other = data.vector(part["other"], what)
        proved = at(other) * at(w) < 0 and lowest(tuple(other)) >= 0
    elif signs in ("+", "-"):  # ±e_j is a positive blend of rows, up to the span of the balanced
        times = number(part["times"]) * (1 if signs == "+" else -1)
        *blend, common = whole([*data.total(part, what), 1])
        same = all(sum(map(mul, blend, v)) == times * at(v) * common for v in normals)
        proved = same and times * at(w) > 0 and number(part["times"]) > 0
    demand(proved, f"{what} is not proved")


def check_margin(data: Data, kind: str, part: Part) -> tuple[Fraction, Fraction]:
    """lo: a separator and a number that every row reaches. hi: the length of a blend of rows.

    For every w, min a_i·w <= Σ weight_i a_i·w / Σ weight_i <= ‖w‖ ‖Σ weight_i a_i‖ / Σ weight_i.
    With a free intercept ("geometric") the weights of both classes have the same sum, so that it
    cancels, and lengths are those of the features alone. Returns the squares of both ends."""
    free, reached = kind == "geometric" and data.intercept, number(part["at_least"])
    blend, w = data.total(part, kind), data.vector(part["separator"], kind)
    demand(not (free and blend.pop()), f"{kind}: the weights of the two classes differ")
    w2, blend2 = data.squares(w[:-1] if free else w, blend)
    hi2, lo2 = blend2 / sum(number(v) for v in part["weights"]) ** 2, reached**2 / w2
    demand(reached > 0 and min(data.signs(w, reached)) >= 0, f"{kind}: a row is nearer")
    lo, hi = part["lo"], math.inf if part["hi"] is None else part["hi"]  # null: beyond all floats
    demand(0 <= lo <= hi, f"{kind}: lo is greater than hi, or negative")
    ends = [lo, math.nextafter(lo, math.inf), math.nextafter(hi, 0), hi]
    square = [v if v == math.inf else Fraction(v) ** 2 for v in ends]
    demand(square[0] <= lo2 < square[1], f"{kind}: lo is another")
    demand(square[2] < hi2 <= square[3], f"{kind}: hi is another")
    demand(part["exact"] is (lo2 == hi2), f"{kind}: exact or not")
    return lo2, hi2


def check_mistake_bounds(claim: Part, data: Data, lo2: Fraction, hi2: Fraction) -> None:
    """No row is longer than the one named: by floating point where that is certain."""
    data, times = (data.points, 2) if isinstance(data, Rivals) else (data, 1)  # (x_i, 1) twice
    longest = claim["radius_row"]
    demand(longest in data.present, "the longest row is not there")
    length, radius2 = math.hypot(*data.x(longest)), data.square(longest)
    limit = length * (1.0 - 2.0**-48) if 2.0**-900 < length < math.inf else 0.0
    for i in compress(data.present, (not length < limit for length in data.lengths)):
        demand(data.square(i) <= radius2, f"{row_name(i, data.first)} is longer")
    bounds = claim["mistake_bound"], claim["best_possible_mistake_bound"]
    proved = [int(bound, 0) for bound in bounds] == [times * radius2 // v for v in (lo2, hi2)]
    demand(proved, "the mistake bounds are others")


def check_revealing(data: Data, part: Part) -> None:
    """One column alone separates rows: sign (x_j - threshold) y_i >= 0 everywhere."""
    j, sign, threshold = part["column"], part["sign"], number(part["threshold"])
    d = data.size - data.intercept
    demand(j < d, "revealing: no such column")
    demand(data.intercept or threshold == 0, "revealing: a threshold through the origin")
    signs = data.signs_of_column(j, sign, -sign * threshold)
    demand(min(signs) >= 0, f"column {j} has a row on the wrong side")
    demand(sum(signs) == part["rows"] > 0, f"column {j} has other rows right")


def label_signs(claim: Part, labels: Sequence[str], first: int = 0) -> list[int]:
    """-1 or +1 for each label, of many classes 1 to k; 0 where a row left out has another. Labels
    that are numbers may be written otherwise, but in one way: 1.00 does not join 1. Messages count
    rows from the `first`."""
    if (family := claim.get("family", {}).get("name")) in LOG_LINK:
        whole = family == "poisson"
        return [count_sign(text, row_name(i, first), whole) for i, text in enumerate(labels)]
    numbers = (-1, 1) if len(claim["labels"]) == 2 else range(1, len(claim["labels"]) + 1)
    signs, left_out = dict(zip(claim["labels"], numbers, strict=True)), set(claim["dropped"])
    there = {text: i for i, text in enumerate(labels) if i not in left_out}
    taken = there.keys() & signs.keys()
    for text, i in sorted((text, i) for text, i in there.items() if text not in taken):
        same = [name for name in claim["labels"] if name and equal(name, text)]
        named = f"{row_name(i, first)} has the label {text!r}"
        no = f"{named}, not one of {claim['labels']} in one spelling"
        demand(len(same) == 1 and same[0] not in taken, no)
        taken, signs[text] = {*taken, *same}, signs[same[0]]
    return [signs.get(text, 0) for text in labels]


def count_sign(text: str, row: str, whole: bool) -> int:
    """-1 for the count 0, or where there is none, in a row left out; else +1."""
    demand(not text or bool(PLAIN.fullmatch(text)), f"{row} has the count {text!r}")
    count = Fraction(text or 0)
    good = count >= 0 and not (whole and count.denominator > 1)
    demand(good, f"{row} has {text}, which is no count")
    return 1 if count else -1


def row_name(i: int, first: int) -> str:
    return f"row {i + first:,}" + (" (counted from 1)" if first else "")


def equal(one: str, two: str) -> bool:
    """As numbers."""
    return bool(PLAIN.fullmatch(one) and PLAIN.fullmatch(two)) and Decimal(one) == Decimal(two)


def value(text: str, decimal: bool) -> float:
    demand(bool(PLAIN.fullmatch(text)), f"{text!r} is not a plain number. {NUMBERS}", Unreadable)
    x = float(text)
    demand(math.isfinite(x), f"{text} is beyond the largest float")
    exact = not decimal or Decimal(text) == Decimal(repr(x))
    demand(exact, f"{text} has more digits than a float can tell apart")
    return x


def read_table(claim: Part, path: str) -> Reading:
    """From CSV or, by its name, svmlight's format."""
    return (read_svmlight if path.endswith(SVMLIGHT) else read_csv)(claim, path)


def read_svmlight(claim: Part, path: str) -> Reading:
    """Each line is `label index:value …`; the first column is 1, or 0 where an index is 0."""
    decimal, labels, rows = claim["numbers"] == "decimal", [], []
    with open(path, encoding="utf-8") as file:
        for count, line in enumerate(file, 1):
            try:
                label, *parts = line.partition("#")[0].split() or [""]
                pairs = [part.split(":") for part in parts if not part.startswith("qid:")]
                demand(all(len(pair) == 2 and pair[0].isdecimal() for pair in pairs), "no pairs")
                places, values = [int(j) for j, _ in pairs], [value(v, decimal) for _, v in pairs]
                demand(places == sorted({*places}), "indices are not in ascending order")
            except (Rejected, ArithmeticError, ValueError) as error:
                kind = Unreadable if type(error) is Unreadable else Rejected
                raise kind(f"{path}, line {count}: {error}") from None
            if label:
                labels.append(label)
                rows.append((places, values))
    first = 0 if any(places[:1] == [0] for places, _ in rows) else 1
    there = [([j - first for j in compress(*row)], [*filter(None, row[1])]) for row in rows]
    data = Sparse(claim, there, label_signs(claim, labels, 1))
    data.first = 1
    return lifted(claim, data), f"those in {path}", []


def read_csv(claim: Part, path: str) -> Reading:
    """The rows, what the numbers are, and the columns that are not used."""
    beside, decimal = roles(claim), claim["numbers"] == "decimal"
    names = [*claim["columns"], *(column_of(claim, role) for role in beside), claim["target"]]
    numbers, labels, kinds = [], [], list[bool]()
    coded = {
        len(names) - 1 - len(beside) + k: dict[str, int]()
        for k, role in enumerate(beside)
        if role not in ("time", "entry")
    }
    with open(path, newline="", encoding="utf-8-sig") as file:
        table = csv.reader(file, strict=True)
        try:
            header = next(table, [])
            often = Counter(header)
            for name in names:
                there = f"{name!r}; the columns are {header[:20]}"
                demand(often[name] > 0, f"no column {there}. {NUMBERS}", Unreadable)
                demand(often[name] == 1, f"several columns {there}")
            demand(names.count(names[-1]) == 1, f"the target {names[-1]!r} is a column, too")
            places = [header.index(name) for name in names]
            for record in filter(None, table):
                demand(len(record) == len(header), "there are more cells than names, or fewer")
                *cells, label = [record[place] for place in places]
                for place, known in coded.items():  # levels are numbered as they come
                    cells[place] = str(known.setdefault(cells[place], len(known)))
                kinds = kinds or [cell in TRUTH for cell in cells]  # a column has one
                both = zip(cells, kinds, strict=True)
                row = [TRUTH[cell] if truth else value(cell, decimal) for cell, truth in both]
                numbers.append(struct.pack(f"<{len(row)}d", *row))
                labels.append(label)
        except (Rejected, KeyError, UnicodeError, ArithmeticError, csv.Error) as error:
            kind = Unreadable if type(error) is Unreadable else Rejected
            raise kind(f"{path}, line {table.line_num}: {error}") from None
    data = Data(claim, b"".join(numbers), label_signs(claim, labels, 1))
    data.first = 1
    unused = [name for name in header if name not in names]
    return lifted(claim, data), f"those in {path}", unused


def load(path: str) -> Any:
    """What the JSON in a file says; no name stands twice in one object, and NaN is no number."""

    def once(fields: list[tuple[str, Any]]) -> Part:
        twice = [name for name, often in Counter(name for name, _ in fields).items() if often > 1]
        demand(not twice, f"fields stand twice in one place: {twice}")
        return dict(fields)

    with open(path, encoding="utf-8") as file:
        no = "NaN and Infinity are no numbers"
        claim = json.load(file, object_pairs_hook=once, parse_constant=lambda _: demand(False, no))
    return unpacked(claim)


def unpacked(claim: Any) -> Any:
    """Names x0, x1, … may be written as their number, and long vectors by the values that differ
    from most, each with the places where it stands."""
    if type(claim) is not dict:
        return claim
    if type(claim.get("columns")) is int:
        demand(0 <= claim["columns"] <= LONGEST, "columns: too many, or fewer than none")
        claim["columns"] = [f"x{j}" for j in range(claim["columns"])]
    margins = claim.get("margins")
    each = margins.values() if type(margins) is dict else ()
    for part in (claim, claim.get("conflict"), *each):
        for name in ("separator", "point"):
            if type(part) is dict and type(part.get(name)) is dict:
                part[name] = spread(part[name], name)
    return claim


def spread(short: Part, where: str) -> list[Any]:
    """A vector from its size, what stands in most places, and the other values with the gaps
    between their places: 2, 1, 4 are the places 2, 3 and 7."""
    check_fields(short, "size:count most:any values:any* gaps:count**", where)
    values, places = short["values"], [[*accumulate(gaps)] for gaps in short["gaps"]]
    all_places = [place for some in places for place in some]
    good = len(set(all_places)) == len(all_places) and len(values) == len(places)
    good = good and max(all_places, default=-1) < short["size"] <= LONGEST
    demand(good, f"{where}: values and places differ, or a place is not there")
    out = [short["most"]] * short["size"]
    for value, some in zip(values, places, strict=True):
        for place in some:
            out[place] = value
    return out


def row_count(claim: Part) -> str:
    left_out = f" ({len(claim['dropped']):,} left out)" if claim["dropped"] else ""
    return f"{claim['rows'] - len(claim['dropped']):,} rows{left_out}"


def result(claim: Part) -> str:
    """What a certificate that holds proves, in words."""
    rows = row_count(claim)
    if "demand" in claim and claim["separable"] is not None:
        word = "separable" if claim["separable"] else "not separable"
        return f"ACCEPTED: {word} with the signs {demanded(claim)}, {rows}, proved."
    if claim["verdict"] == CHANCE:
        wrong = "a wrong claim would be accepted with a probability of 2^-128"
        return f"ACCEPTED UP TO CHANCE: overlap, {rows}; {wrong}."
    if claim["verdict"] != "undecided":
        return f"ACCEPTED: {claim['verdict']}, {rows}, proved.{infinite(claim)}"
    if claim.get("separated"):
        known = f"{len(claim['separated']):,} of them are separated"
        return f"ACCEPTED: {known}, {rows}, proved; whether more are is undecided."
    if claim["separable"] is None:
        return f"UNDECIDED: nothing is claimed about the {rows}, and nothing is proved."
    proved = f"ACCEPTED: not separable, {rows}, proved"
    return f"{proved}; quasi-complete separation or overlap is undecided."


def infinite(claim: Part) -> str:
    """Which coefficients of a regression run to infinity, and which way."""
    labels, signs = claim["labels"], [part["signs"] for part in claim.get("signs", [])]
    names = [*map(repr, claim["columns"]), *["the intercept"] * claim["fit_intercept"]]
    if (of_family := claim.get("family", {}).get("name")) == "ordinal":
        names += [f"the threshold above {label!r}" for label in labels[:-1]]
    ends = {"+": "to +inf", "-": "to -inf", "±": "either way"}
    running = [(*divmod(j, len(names)), ends[sign]) for j, sign in enumerate(signs) if sign in ends]
    many, more = (
        len(labels) > 2 and not of_family,
        f" and {len(running) - SHOWN:,} more" * (len(running) > SHOWN),
    )
    words = [f"{names[j]}{f' of {labels[c]!r}' * many} {end}" for c, j, end in running[:SHOWN]]
    model = f" logistic regression for {labels[1]!r}"
    model = f" multinomial logistic regression against {labels[-1]!r}" if many else model
    model = f" regression of the family {of_family}" if of_family else model
    return f" Infinite coefficients of a{model}: {', '.join(words)}{more}." if running else ""


def demanded(claim: Part) -> str:
    both = zip(claim["columns"], claim["demand"], strict=True)
    return ", ".join(f"{name!r} {'+' if sign > 0 else '-'}" for name, sign in both if sign)


def subject(claim: Part, unused: Sequence[str]) -> str:
    """What it is about: the label and how it is coded, the columns, the intercept."""
    labels, names = claim["labels"], claim["columns"]
    if len(labels) == 2:
        coded = zip(labels, ("-1", "+1"), strict=True)
        words = ", ".join(f"{label!r} as {sign}" for label, sign in coded if label is not None)
    else:
        words = ", ".join(map(repr, labels))
    columns = ", ".join(map(repr, names[:SHOWN]))
    if len(names) > SHOWN:
        columns += f" and {len(names) - SHOWN:,} more column{'s' * (len(names) > SHOWN + 1)}"
    alone = " alone" * (len(names) == 1)
    lift = "with an intercept" if claim["fit_intercept"] else "through the origin"
    if "family" in claim:
        own = [f"{role} {claim['family'][role]!r}" for role in ROLES if role in claim["family"]]
        lift = ", ".join(
            [lift] * (claim["family"]["name"] in LOG_LINK)
            + [f"family {claim['family']['name']}", *own]
        )
    if "absorbed" in claim:
        lift = ", ".join(
            [
                f"levels of {', '.join(map(repr, claim['absorbed']))}",
                *([f"family {claim['family']['name']}"] if "family" in claim else []),
            ]
        )
    few = "1 other column is" if len(unused) == 1 else f"{len(unused):,} other columns are"
    rest = f"{few} not used" if unused else "no column is left out"
    return f"About {claim['target']!r} ({words}) by {columns}{alone}, {lift}; {rest}."


def judge(
    path: str,
    read: Callable[[Part], Reading],
    form: Callable[[Any], None] = check_form,
    prove: Callable[[Part, Data], None] = check,
    say: Callable[[Part], str] = result,
) -> tuple[int, list[str], Any]:
    """Check the certificate in a file; `read` gives the data, what the numbers are, and the columns
    that are not used. Returns a status (0: proved, 1: rejected, 2: cannot be read, 3: undecided,
    13: up to chance), what to say, and the claim. Of another kind of proof `form`, `prove` and
    `say` are given."""
    claim = None
    try:
        claim = load(path)
        form(claim)
        data, numbers, unused = read(claim)
        prove(claim, data)
        sentence, about = say(claim), subject(claim, unused)
    except (OSError, UnicodeError, json.JSONDecodeError) as error:
        return 2, [f"Cannot read {getattr(error, 'filename', None) or path}: {error}"], claim
    except Unreadable as error:
        return 2, [f"Cannot check {path}: {error}"], claim
    except Exception as error:  # whatever is in the file, it is not a certificate
        strange = f"not a certificate ({type(error).__name__}: {error})"
        return 1, [f"REJECTED: {error if type(error) is Rejected else strange}"], claim
    source = f"The numbers are {numbers}, {MEANT[claim['numbers']]}."
    other = (status for word, status in STATUS.items() if sentence.startswith(word))
    return next(other, 0), [sentence, about, source], claim


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: python verify.py certificate.json data.csv", file=sys.stderr)
        return 2
    status, lines, _ = judge(arguments[0], lambda claim: read_table(claim, arguments[1]))
    harmless = ["".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines]
    print(*harmless, sep="\n", file=sys.stderr if status == 2 else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
