"""The verifier lifts by itself: every single change of a certificate of many classes is found."""

import csv
import json
import re
import shutil
import struct
import subprocess
import sys
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

import rational
from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import certify, verify
from rosenblatt._certify import check
from rosenblatt.certificate import Certificate
from rosenblatt.errors import VerificationError
from tampering import changed, changes

# b between a and c; b among a, and c apart; b among a, c among b, and the other way round.
CASES = {
    COMPLETE: ([[0.0], [1.0], [2.0]], [1, 2, 3]),
    QUASI: ([[0.0], [1.0], [2.0], [5.0]], [1, 2, 1, 3]),
    OVERLAP: ([[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]], [1, 2, 1, 3, 2, 3]),
}
MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def document(X, y, **choices):
    return json.loads(json.dumps(certify(X, ["?abc"[v] for v in y], **choices).to_dict()))


def accepted(claim, X, y):
    numbers = b"".join(struct.pack(f"<{len(x)}d", *x) for x in X)
    try:
        verify.check_form(claim)
        points = verify.Data(claim, numbers, list(y))
        verify.check(claim, verify.lifted(claim, points))
    except (verify.Rejected, *MALFORMED):
        return False
    return True


def accepted_in_bulk(claim, X, y):
    try:
        with mock.patch.object(check, "_SMALL", 0):
            check.check(claim, np.array(X), np.array(y, dtype=np.int32))
    except (verify.Rejected, *MALFORMED):
        return False
    return True


def true_of(claim, X, y):
    """Is all that a document claims true? By the oracles, on the lift with a block for each."""
    own = [v - 1 for v in y]
    rows, names = rational.lift(X, own, 3, claim["fit_intercept"])
    numbers = [(i * 3 + own[i]) * 3 + rival for i, rival in names]
    strict = rational.strict_rows(rows)
    verdict = rational.verdict(strict, len(rows))
    truths = [claim["verdict"] in (UNDECIDED, verdict)]
    truths.append(claim["separable"] in (None, verdict == COMPLETE))
    truths.append(claim["sizes"] == [own.count(c) for c in range(3)])
    size = len(rows[0]) // 3
    separators = [part["separator"] for part in claim.get("margins", {}).values()]
    separators += [claim["separator"]] if claim["verdict"] == QUASI else []
    for separator in separators:
        w = [verify.number(v) for v in separator] + [Fraction(0)] * size
        truths += [rational.dot(a, w) > 0 for i, a in enumerate(rows) if i in strict]
        truths += [rational.dot(a, w) == 0 for i, a in enumerate(rows) if i not in strict]
    if claim["verdict"] == QUASI:
        truths.append(claim["separated"] == [numbers[i] for i in sorted(strict)])
        if "signs" in claim:
            short = [row[:-size] for row in rows]
            truths.append([part["signs"] for part in claim["signs"]] == rational.sign_sets(short))
    for name in ("conflict", "balance"):
        if name in claim:
            weights = [verify.number(v) for v in claim[name]["weights"]]
            chosen = [rows[numbers.index(number)] for number in claim[name]["rows"]]
            truths += [v > 0 for v in weights]
            truths += [rational.dot(weights, v) == 0 for v in zip(*chosen, strict=True)]
    if "margins" in claim:
        best2, part = rational.least_distance2(rows), claim["margins"]["homogeneous"]
        truths += [Fraction(part["lo"]) ** 2 <= best2 <= Fraction(part["hi"]) ** 2]
        bound = max(rational.dot(a, a) for a in rows) // best2
        truths += [int(claim["mistake_bound"]) >= bound]
        truths += [int(claim["best_possible_mistake_bound"]) <= bound]
    return all(truths)


# Changes after which the certificate is still true, and why. Nothing else is accepted.
STILL_TRUE = {
    r"producer changed": "who made it is no part of the proof",
    r"(columns\.\d|target|labels\.\d) changed": "names: tested with data that have some",
    r"labels changed": "in another order, of numbers without names",
    r"numbers changed": "these are whole numbers: the same in binary and in decimals",
    r"fit_intercept changed": "rows that overlap with intercepts do so without, by the same blend",
    r"signs removed": "it says less",
    r"orthogonal\.\d twice": "the same span",
    r"orthogonal changed": "in another order: the same span",
    r"signs\.\d\.rows\.\d changed": "row 3 against a or against b, which have equal weights",
    r"(signs\.\d|conflict|margins.homogeneous)\.rows changed": "exchanged, of equal weights",
}
PROOF = ("separator", "separated", "signs", "balance", "orthogonal", "conflict")


def tampered():
    yield from ((document(*case), *case) for case in CASES.values())
    claim = document(*CASES[QUASI])
    kept = {name: claim[name] for name in claim if name not in PROOF}
    yield kept | {"verdict": UNDECIDED, "conflict": claim["conflict"]}, *CASES[QUASI]


def test_no_single_change_of_a_certificate_makes_a_false_one_that_is_accepted():
    seen = set()
    for claim, X, y in tampered():
        seen.add(claim["verdict"])
        assert accepted(claim, X, y)
        assert accepted_in_bulk(claim, X, y)
        assert true_of(claim, X, y)
        for path, how, new in changes(claim):
            other = changed(claim, path, how, new)
            assert accepted(other, X, y) == accepted_in_bulk(other, X, y), (path, how, new)
            if accepted(other, X, y):
                what = f"{'.'.join(map(str, path))} {how}"
                story = f"{claim['verdict']}: {what} to {new!r} is accepted:\n{json.dumps(claim)}"
                assert any(re.fullmatch(pattern, what) for pattern in STILL_TRUE), story
                assert true_of(other, X, y), story
    assert seen == {*CASES, UNDECIDED}


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "rosenblatt-certificate/0"},
        {"labels": ["a", "b"]},
        {"labels": ["a", "b", "b"]},
        {"labels": ["a", "b", None]},
        {"labels": ["a", "b", "c", "d"]},
        {"revealing": []},
        {"margins": {}},
    ],
    ids=str,
)
@pytest.mark.parametrize("verdict", CASES)
def test_what_belongs_to_other_numbers_of_classes_is_rejected(verdict, change):
    X, y = CASES[verdict]
    assert not accepted(document(X, y) | change, X, y)


def test_two_classes_do_not_get_the_fields_of_many():
    X, y = [[0.0], [1.0]], [1, 2]
    claim = json.loads(json.dumps(certify(X, y).to_dict()))
    assert accepted(claim, X, [-1, 1])
    assert not accepted(claim | {"sizes": [1, 1]}, X, [-1, 1])
    assert not accepted(claim | {"labels": ["1", "2", "3"]}, X, [-1, 1])
    assert not accepted(claim | {"labels": ["1", "2", "3"], "sizes": [1, 1, 0]}, X, [-1, 1])


def test_a_geometric_margin_is_not_claimed():
    X, y = CASES[COMPLETE]
    claim = document(X, y)
    claim["margins"]["geometric"] = claim["margins"]["homogeneous"]
    assert not accepted(claim, X, y)


def test_the_program_alone_reads_the_labels_of_a_table(tmp_path):
    shutil.copy(verify.__file__, tmp_path / "verify.py")
    X, y = CASES[QUASI]
    path, table = tmp_path / "certificate.json", tmp_path / "table.csv"
    certify(X, ["?abc"[v] for v in y]).save(path)

    def says(labels):
        with open(table, "w", newline="") as file:
            csv.writer(file).writerows([["x0", "y"], *zip(*zip(*X, strict=True), labels)])  # noqa: B905
        command = [sys.executable, "-I", tmp_path / "verify.py", path, table]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    code, out = says("abac")
    said = "ACCEPTED: quasi-complete separation, 4 rows, proved. "
    assert (code, out[: len(said)]) == (0, said)
    assert "against 'c': 'x0' of 'a' to -inf, the intercept of 'a' to +inf" in out
    for labels in ("abab", "abaa", "abcc", "abad", "bacc"):
        code, out = says(labels)
        assert (code, out[:9]) == (1, "REJECTED:"), labels
    loaded = Certificate.load(path)
    with pytest.raises(VerificationError):
        loaded.verify(X, list("abca"))
