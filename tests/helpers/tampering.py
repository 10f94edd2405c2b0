"""Every way to change one thing in the document of a certificate."""

import copy
import math
import re
from fractions import Fraction

from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import verify

VERDICTS = [COMPLETE, QUASI, OVERLAP, UNDECIDED]


def altered(value):
    """What one number, word or truth could be changed into."""
    if isinstance(value, bool):
        return [not value, None]
    if value is None:
        return [False, True, 1]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 1, value + 10**6]
    if isinstance(value, float):
        up, down = math.nextafter(value, math.inf), math.nextafter(value, -math.inf)
        return [value + 1, up, down, -value, value / 2, 0.0, math.nan, math.inf]
    if value in VERDICTS:
        return [verdict for verdict in VERDICTS if verdict != value]
    words = [value + "x", ""]
    if value in ("float", "decimal"):
        words.append("decimal" if value == "float" else "float")
    if value in ("+", "-", "±", "0"):
        words += [sign for sign in "+-±0" if sign != value]
    if re.fullmatch(r"-?0x[0-9a-f.]+(p[+-]?\d+)?(/0x[0-9a-f]+)?", value):
        exact = verify.number(value)
        new = [exact + 1, exact - 1, -exact, 2 * exact, Fraction(0), exact + Fraction(1, 2**80)]
        words += [f"{v.numerator:#x}/{v.denominator:#x}" for v in new if v != exact]
    if re.fullmatch(r"\d+", value):
        words += [str(int(value) + 1), str(int(value) - 1), f"{value}0", f"{value}/10"]
    return words


def changes(value, path=()):
    """Every way to change one thing in a document: its path, what is done, the new value there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key), "removed", None
            yield from changes(inner, (*path, key))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield (*path, k), "removed", None
            yield (*path, k), "twice", None
            yield from changes(inner, (*path, k))
        if len(value) > 1 and value[0] != value[1]:
            yield path, "changed", [value[1], value[0], *value[2:]]
        if value:
            yield path, "changed", []
    else:
        yield from ((path, "changed", new) for new in altered(value) if new != value)


def changed(claim, path, how, new):
    claim = copy.deepcopy(claim)
    inner = claim
    for key in path[:-1]:
        inner = inner[key]
    if how == "removed":
        del inner[path[-1]]
    elif how == "twice":
        inner.insert(path[-1], inner[path[-1]])
    else:
        inner[path[-1]] = new
    return claim
