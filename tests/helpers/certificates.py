"""Certificates to tamper with, what is true of them, and what both verifiers say."""

import json
import struct
from fractions import Fraction
from unittest import mock

import numpy as np

import rational
from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import certify, verify
from rosenblatt._certify import check
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget

VERDICTS = [COMPLETE, QUASI, OVERLAP, UNDECIDED]

# --- The certificates to tamper with --------------------------------------------------------------

# In the plane, so that the margins are known without the library.
SEPARATED = [[3, 3], [4, 3], [1, 1], [0, 2]], [1, 1, -1, -1]
# x_0 = 1 holds both classes, whatever x_1; x_2 = x_0 + x_1; the last column is zero.
TOUCHING = (
    [[0, 0, 0, 0], [1, 0, 1, 0], [1, 1, 2, 0], [1, 2, 3, 0], [2, 0, 2, 0], [3, 1, 4, 0]],
    [-1, -1, 1, -1, 1, 1],
)
# A cross, in a plane of three dimensions.
CROSSING = (
    [[0, 0, 0], [2, 2, 4], [2, 0, 2], [0, 2, 2], [5, 1, 6]],
    [1, 1, -1, -1, 1],
)
CASES = {COMPLETE: SEPARATED, QUASI: TOUCHING, OVERLAP: CROSSING}


def floats(X):
    return [[float(v) for v in x] for x in X]


def packed(X):
    """All numbers as the verifier wants them."""
    return b"".join(struct.pack(f"<{len(x)}d", *x) for x in X)


def document(X, y, **choices):
    """A certificate as it is saved, read back from the text."""
    return json.loads(json.dumps(certify(floats(X), y, **choices).to_dict()))


MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def accepted(claim, X, y):
    """Does the verifier accept? A document that is none may make it fail as it likes."""
    try:
        verify.check_form(claim)
        verify.check(claim, verify.Data(claim, packed(X), list(y)))
    except (verify.Rejected, *MALFORMED):
        return False
    return True


def accepted_in_bulk(claim, X, y):
    """The same of the vectorised verifier, which large tables get."""
    try:
        with mock.patch.object(check, "_SMALL", 0):
            check.check(claim, np.array(floats(X)), np.array(y, dtype=np.int8))
    except (verify.Rejected, *MALFORMED):
        return False
    return True


def true_of(claim, X, y):
    """Is all that a document claims true? By the oracles, without the verifier."""
    rows = rational.lifted(X, y, claim["fit_intercept"])
    strict = rational.strict_rows(rows)
    verdict = rational.verdict(strict, len(rows))
    truths = [claim["verdict"] in (UNDECIDED, verdict)]
    truths.append(claim["separable"] in (None, verdict == COMPLETE))
    separators = [part["separator"] for part in claim.get("margins", {}).values()]
    separators += [claim["separator"]] if claim["verdict"] == QUASI else []
    for separator in separators:
        w = [verify.number(v) for v in separator]
        truths += [rational.dot(a, w) > 0 for i, a in enumerate(rows) if i in strict]
        truths += [rational.dot(a, w) == 0 for i, a in enumerate(rows) if i not in strict]
    truths.append(bool(separators) or claim["verdict"] != COMPLETE)
    if claim["verdict"] == QUASI:
        truths.append(claim["separated"] == sorted(strict))
        if "signs" in claim:
            places = [part["column"] for part in claim.get("collinear", [])]
            signs = rational.sign_sets_without(rows, places)
            truths.append([part["signs"] for part in claim["signs"]] == signs)
    for part in claim.get("collinear", []):
        vector = [verify.number(v) for v in part["vector"]]
        truths += [vector[part["column"]] != 0, *(rational.dot(a, vector) == 0 for a in rows)]
    for name in ("conflict", "balance"):
        if name in claim:
            weights = [verify.number(v) for v in claim[name]["weights"]]
            chosen = [rows[i] for i in claim[name]["rows"]]
            truths += [v > 0 for v in weights]
            truths += [rational.dot(weights, v) == 0 for v in zip(*chosen, strict=True)]
    if "margins" in claim:
        points = [[Fraction(v) for v in x] for x in X]
        one, two = ([p for p, v in zip(points, y, strict=True) if v == side] for side in (1, -1))
        squares = {
            "homogeneous": rational.least_distance2(rows),
            "geometric": rational.hull_distance2(one, two) / 4,
        }
        for kind, part in claim["margins"].items():
            truths.append(Fraction(part.get("lo", 0)) ** 2 <= squares[kind])
            truths.append(squares[kind] <= Fraction(part["hi"]) ** 2)
        bound = max(rational.dot(a, a) for a in rows) // squares["homogeneous"]
        truths.append(int(claim.get("mistake_bound") or bound) >= bound)
        truths.append(int(claim.get("best_possible_mistake_bound") or bound) <= bound)
    for part in claim.get("revealing", []):
        j, threshold = part["column"], verify.number(part["threshold"])
        side = [v * part["sign"] * (x[j] - threshold) for x, v in zip(X, y, strict=True)]
        truths.append(min(side) >= 0)
        truths.append(sum(v > 0 for v in side) == part["rows"])
    return all(truths)


PROOF = (
    *("separator", "separated", "signs", "revealing", "balance", "orthogonal"),
    *("conflict", "collinear"),
)


def tampered():
    """One certificate of each verdict; the undecided one knows a conflict, and that is all."""
    yield from ((verdict, document(*case), *case) for verdict, case in CASES.items())
    claim = document(*TOUCHING)
    kept = {name: claim[name] for name in claim if name not in PROOF}
    yield UNDECIDED, kept | {"verdict": UNDECIDED, "conflict": claim["conflict"]}, *TOUCHING


def agree(rows, y, w, bound, intercept, numbers):
    """The signs that both verifiers find are those of the exact numbers."""
    exact = rational.decimal if numbers == "decimal" else Fraction
    lifted = rational.lifted(rows, y, intercept, exact)
    scores = [rational.dot(a, w) - bound for a in lifted]
    signs = [(score > 0) - (score < 0) for score in scores]
    columns = [f"x{j}" for j in range(len(rows[0]))]
    claim = {"rows": len(rows), "columns": columns, "fit_intercept": intercept}
    claim |= {"numbers": numbers, "dropped": []}
    one = verify.Data(claim, packed(rows), y)
    choices = {"intercept": intercept, "decimal": numbers == "decimal", "budget": Budget()}
    two = Rows(np.array(rows), np.array(y, dtype=np.int8), **choices)
    return signs == one.signs(w, bound) == two.signs(w, bound).tolist()
