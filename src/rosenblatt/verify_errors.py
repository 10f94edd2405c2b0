"""Check a proof that every linear rule errs: python verify_errors.py proof.json data.csv

Like verify.py, whose data it reads, it uses the standard library alone and has no tolerance: whole
numbers are multiplied, added and compared. docs/file-formats.md says what each field means.

Let i be a positive row, k a negative one, and g·(x_k - x_i) >= 0 for each generator g of a cone.
Every rule (w, b) with w in the cone has w·x_k + b >= w·x_i + b: it errs on row i or on row k, where
an error is a row on the wrong side or on the hyperplane. Pairs without a common row are as many
errors.
The cones of the proof have every w among them: they begin as all orthants (or as those in which the
weight of one column has one sign), and each is split into two by a vector between two generators.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

if __package__:
    from rosenblatt import verify
else:  # copied out, with verify.py beside it
    import verify  # type: ignore[no-redef,import-not-found]

SCHEMA = "rosenblatt-errors/1"
FIELDS = {  # of the certificate, and of this
    *("schema", "producer", "numbers", "fit_intercept", "rows", "dropped", "columns", "target"),
    *(
        "labels",
        "sha256",
        "costs",
        "unit",
        "column",
        "at_least",
        "at_most",
        "rule",
        "tolerates",
        "powers",
        "tree",
    ),
}
UNIT = re.compile("[1-9][0-9]{0,999}(/[1-9][0-9]{0,999})?")
Part = dict[str, Any]
demand = verify.demand


def check_form(claim: Any) -> None:
    verify.check_schema(claim, SCHEMA)
    other = set(claim).symmetric_difference(FIELDS) - {"preprocessing", "demand"}
    demand(not other, f"fields are missing or unknown: {sorted(other)}")
    demand(claim["numbers"] == "float", "the numbers must be meant as floats")
    demand(claim["fit_intercept"] is True, "rules through the origin are not what cones speak of")
    for name in ("rows", "at_least"):
        demand(is_count(claim[name]), f"{name} is not a whole number, 0 or greater")
    for name in ("dropped", "columns", "labels", "powers", "tree"):
        demand(type(claim[name]) is list, f"{name} is not a list")
    demand(all(map(is_count, claim["dropped"])), "dropped holds something other than row numbers")
    texts = [*claim["columns"], *claim["labels"], claim["target"], claim["sha256"], claim["unit"]]
    demand(all(type(text) is str for text in texts), "a name, a label or the hash is not text")
    demand(len(claim["labels"]) == 2, "there must be two labels")
    if "demand" in claim:
        verify.check_value(claim["demand"], "way*", "demand")
        verify.check_demand({**claim, "verdict": "undecided"})
    demand(bool(UNIT.fullmatch(claim["unit"])), "the unit is not a positive fraction")
    whole = claim["costs"] is not None or claim["unit"] == "1"
    demand(whole, "an error counts 1 where rows have no weights: the unit is another")


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


class Table:
    """The rows in whole numbers: column j in multiples of 2^-powers[j]."""

    def __init__(self, claim: Part, data: verify.Data):
        powers = claim["powers"]
        good = len(powers) == len(claim["columns"]) and all(map(is_count, powers))
        demand(good and max(powers) < 2**12, "powers are not a whole number for each column")
        self.data, self.d, self._units = data, len(powers), [1 << k for k in powers]
        self._whole: dict[int, list[int]] = {}
        self._sign = dict(zip(data.present, data.labels, strict=True))
        costs = claim["costs"]
        if costs is None:
            self.cost = dict.fromkeys(data.present, 1)
        else:
            demand(type(costs) is list and len(costs) == data.n, "costs are not one for each row")
            demand(all(map(is_count, costs)), "a cost is not a whole number, 0 or greater")
            self.cost = {i: costs[i] for i in data.present}

    def whole(self, i: int) -> list[int]:
        if i not in self._whole:
            exact = [
                Fraction(v) * unit for v, unit in zip(self.data.x(i), self._units, strict=True)
            ]
            whole = all(v.denominator == 1 for v in exact)
            demand(whole, f"{self.named(i)} is no multiple of the powers")
            self._whole[i] = [v.numerator for v in exact]
        return self._whole[i]

    def named(self, i: int) -> str:
        return verify.row_name(i, self.data.first)

    def apart(self, i: int, k: int) -> list[int]:
        """x_k - x_i of a positive row i and a negative row k."""
        pair = self._sign.get(i) == 1 and self._sign.get(k) == -1
        demand(pair, f"{self.named(i)} and {self.named(k)} are no pair")
        return [c - b for b, c in zip(self.whole(i), self.whole(k), strict=True)]


def orthants(claim: Part, d: int) -> Iterator[list[list[int]]]:
    """Their generators: +-1 in one column; the signs of the last column change first. A weight
    whose sign is demanded, and asked to be the other one, is 0."""
    choices = [[sign] if sign else [1, -1] for sign in claim.get("demand", [0] * d)]
    if claim["column"] is not None:
        demand(type(claim["column"]) is list and len(claim["column"]) == 2, "column is no pair")
        j, sign = claim["column"]
        demand(is_count(j) and j < d and type(sign) is int, "column names no column")
        demand(sign in (1, -1), "the sign of a column is neither 1 nor -1")
        choices[j] = [sign if sign in choices[j] else 0]
    for signs in itertools.product(*choices):
        yield [[sign * (k == j) for k in range(d)] for j, sign in enumerate(signs)]


def check_tree(claim: Part, table: Table) -> None:
    """Depth first: a cone is [a, b, p, q], split where p g_a + q g_b takes the place of g_a, then
    of g_b; or {"pairs": [[i, k, errors], ...]}."""
    steps = iter(claim["tree"])
    for generators in orthants(claim, table.d):
        open_cones = [generators]
        while open_cones:
            cone = open_cones.pop()
            step: Any = next(steps, {})
            if type(step) is list:
                open_cones += reversed(halves(cone, step))
            else:
                demand(type(step) is dict and set(step) == {"pairs"}, "a cone is left open")
                check_cone(claim, table, cone, step["pairs"])
    demand(not list(steps), "the tree has more than all cones")


def halves(cone: list[list[int]], step: list[Any]) -> list[list[list[int]]]:
    demand(len(step) == 4 and all(map(is_count, step)), "a split is not four whole numbers")
    a, b, p, q = step
    demand(a != b and max(a, b) < len(cone) and p > 0 < q, "a split is not between two generators")
    between = [p * v + q * w for v, w in zip(cone[a], cone[b], strict=True)]
    divisor = math.gcd(*between)
    between = [v // divisor for v in between]
    return [[*cone[:place], between, *cone[place + 1 :]] for place in (a, b)]


def check_cone(claim: Part, table: Table, cone: list[list[int]], pairs: Any) -> None:
    demand(type(pairs) is list, "pairs are no list")
    given: Counter[int] = Counter()
    for pair in pairs:
        demand(type(pair) is list and len(pair) == 3 and all(map(is_count, pair)), "no pair")
        i, k, errors = pair
        apart = table.apart(i, k)
        down = any(sum(map(mul, generator, apart)) < 0 for generator in cone)
        demand(not down, f"{table.named(k)} is below {table.named(i)} along a generator")
        given[i] += errors
        given[k] += errors
    most = all(errors <= table.cost[i] for i, errors in given.items())
    demand(most, "a row gives more errors than it costs")
    demand(sum(given.values()) >= 2 * claim["at_least"], "a cone forces fewer errors")


def check_rule(claim: Part, data: verify.Data, table: Table) -> None:
    """The rule that errs on `at_most`, if there is one."""
    if claim["rule"] is None:
        demand(claim["at_most"] is None, "at_most needs a rule")
        return
    demand(type(claim["rule"]) is list and is_count(claim["at_most"]), "the rule is no list")
    wrong = cost_of(claim, claim["rule"], data, table)
    demand(wrong == claim["at_most"], f"the rule misclassifies {wrong}, not {claim['at_most']}")


def check_tolerance(claim: Part, data: verify.Data, table: Table) -> None:
    """More than `errors`, also where some labels are wrong or some rows others: each moves what a
    rule costs by no more than its own cost. The `rule` that makes so many moves, too, and rows that
    are added may be as heavy as the heaviest; without one the number stays, and they do no harm."""
    part, known = claim["tolerates"], {"labels", "rows", "errors", "rule"}
    demand(type(part) is dict and set(part) == known, "what it tolerates has other fields")
    whole = all(is_count(part[name]) for name in ("labels", "rows", "errors"))
    demand(whole, "what it tolerates is no whole number")
    if part["rule"] is not None:
        demand(type(part["rule"]) is list, "the rule that it is compared with is no list")
        made = cost_of(claim, part["rule"], data, table)
        demand(made == part["errors"], f"the rule compared misclassifies {made}")
    heaviest = sorted(table.cost.values(), reverse=True)
    gap = claim["at_least"] - part["errors"]
    for name in "labels", "rows":
        some = heaviest[: part[name]]
        demand(len(some) == part[name], f"there are no {part[name]} {name}")
        moved = sum(some)
        if part["rule"] is not None:
            moved = 2 * moved if name == "labels" else len(some) * heaviest[0]
        demand(moved < gap, f"{part[name]} {name} may be too many")


def cost_of(claim: Part, texts: Sequence[str], data: verify.Data, table: Table) -> int:
    w = data.vector(texts, "the rule")
    obeys = all(sign * v >= 0 for sign, v in zip(claim.get("demand", ()), w, strict=False))
    demand(obeys, "the rule has another sign than is demanded")
    signs = zip(data.present, data.signs(w), strict=True)
    return sum(table.cost[i] for i, sign in signs if sign <= 0)


def check(claim: Part, data: verify.Data) -> None:
    """Raise Rejected unless every rule errs on at least, and the rule on at most, what is said."""
    demand(data.sha256(claim) == claim["sha256"], verify.OTHER_DATA)
    table = Table(claim, data)
    check_rule(claim, data, table)
    if claim["tolerates"] is not None:
        check_tolerance(claim, data, table)
    check_tree(claim, table)


def figures(claim: Part) -> Part:
    """What is proved, in numbers: errors, or where rows have weights what they weigh; as text,
    since these are exact."""
    unit, out = Fraction(claim["unit"]), set(claim["dropped"])
    weighed = None if claim["costs"] is None else enumerate(claim["costs"])
    total = None if weighed is None else sum(cost for i, cost in weighed if i not in out)
    whole = {"at_least": claim["at_least"], "at_most": claim["at_most"], "weights": total}
    return {name: None if v is None else str(v * unit) for name, v in whole.items()}


def result(claim: Part) -> str:
    """What a proof that holds proves, in words."""
    which, rows = "every linear rule", verify.row_count(claim)
    if "demand" in claim:
        which += f" with the signs {verify.demanded(claim)}"
    if claim["column"] is not None:
        j, sign = claim["column"]
        other = "negative" if sign > 0 else "positive"
        which += f" whose weight on {claim['columns'][j]!r} is not {other}"
    least, most, total = figures(claim).values()
    if total is None:
        rule = "" if most is None else f"; the rule given misclassifies {most}"
        proved = f"ACCEPTED: {which} misclassifies at least {least} of {rows}{rule}: proved."
        return f"{proved}{firmness(claim)}"
    rule = "" if most is None else f"; those of the rule given weigh {most}"
    return (
        f"ACCEPTED: {which} makes errors that weigh at least {least} of {total} in {rows}{rule}: "
        f"proved. The weights are those in the proof.{firmness(claim)}"
    )


def firmness(claim: Part) -> str:
    part = claim["tolerates"]
    if part is None:
        return ""
    more = f"more than {Fraction(claim['unit']) * part['errors']}"
    if part["rule"] is not None:
        more = "more errors than the rule that it is compared with"
    known = ("labels", "are wrong"), ("rows", "are removed or added")
    parts = [f"any {part[name]} of the {name} {how}" for name, how in known if part[name]]
    return f" It makes {more} even if {', or '.join(parts)}." if parts else ""


def judge(path: str, read: Callable[[Part], verify.Reading]) -> tuple[int, list[str], Any]:
    return verify.judge(path, read, check_form, check, result)


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2:
        print("usage: python verify_errors.py proof.json data.csv", file=sys.stderr)
        return 2
    status, lines, _ = judge(arguments[0], lambda claim: verify.read_csv(claim, arguments[1]))
    harmless = ["".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines]
    print(*harmless, sep="\n", file=sys.stderr if status == 2 else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
