"""Whoever edits a proof of errors is found out, or has only said something else that is true.

Every field is changed in every way, also with the fingerprint taken anew, as a forger would. What
is still accepted must say what the document said before, or what an exhaustive search finds.
"""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from fewest import fewest_with_sign
from rosenblatt import forced_signs, verify, verify_errors
from rosenblatt._bounds import rules
from rosenblatt._bounds.directions import Tree, directions
from rosenblatt._bounds.problem import Costs, Problem
from rosenblatt._bounds.proof import proof_document
from rosenblatt._certify.document import head
from rosenblatt._certify.parts import Hyperplane
from rosenblatt._certify.table import read_encoded
from tampering import changed, changes

NAMES = ["age", "debts"]


def table(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (12, 2)).astype(float)
    signs = np.where(X[:, 0] + rng.normal(0, 1.2, 12) > 0, 1, -1)
    return pd.DataFrame(X, columns=NAMES), pd.Series(np.where(signs > 0, "yes", "no"), name="paid")


def whole(weights):
    """By directions, however few errors conflicts would prove."""
    X, y = table(1)
    read, _ = read_encoded(X, y, weights, None, numbers="float", function="minimum_errors")
    problem = Problem.of(read, Costs.of(weights), intercept=True)
    rules.constant(problem)
    rules.improve(problem)
    cones = directions(problem)
    cones.reach()
    present = np.arange(12) if read.present is None else read.present
    return proof_document(
        head(read, True, "float"),
        Tree(cones, present, 12).document,
        unit=problem.unit,
        at_least=cones.bound,
        at_most=problem.best.cost,
        rule=Hyperplane.of_lifted(problem.best.w),
    )


@pytest.fixture(scope="module")
def kinds():
    """Of equal rows, of weights, of rows left out, and of the sign of one column."""
    found = [whole(w) for w in (None, np.arange(12) % 3 + 1.0, np.arange(12) % 4 * 0.5)]
    X, y = table(1)
    report = forced_signs(X, y, time_limit=None)
    found += [report.to_dict(column.name) for column in report if column.sign]
    return [json.loads(json.dumps(document)) for document in found]


def written(tmp_path):
    X, y = table(1)
    X.assign(paid=y, other=0).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def judged(claim, path):
    (path.parent / "c.json").write_text(json.dumps(claim))
    return verify_errors.judge(
        str(path.parent / "c.json"), lambda claim: verify.read_csv(claim, str(path))
    )


def rehashed(claim, path):
    """With the fingerprint of the rows as it now is; None: there is none."""
    try:
        verify_errors.check_form(claim)
        data, _, _ = verify.read_csv(claim, str(path))
        return claim | {"sha256": data.sha256(claim)}
    except Exception:
        return None


def is_true(claim):
    """By every direction of the plane."""
    X, y = table(1)
    left = np.delete(np.arange(12), claim["dropped"])
    signs = np.where(y == claim["labels"][1], 1, -1)[left].tolist()
    costs = [1] * 12 if claim["costs"] is None else claim["costs"]
    cost = [costs[i] * Fraction(claim["unit"]) for i in left]
    rows = X[claim["columns"]].to_numpy()[left]
    j, sign = claim["column"] or (0, None)
    least = min(fewest_with_sign(rows, signs, cost, j, s) for s in ([sign] if sign else (1, -1)))
    told = verify_errors.figures(claim)
    weighed = told["weights"] is None or Fraction(told["weights"]) == sum(cost)
    return Fraction(told["at_least"]) <= least and weighed and is_so_firm(claim, least, left, costs)


def is_so_firm(claim, least, left, costs):
    """`least`: what every rule makes that it is about, by every direction of the plane."""
    if claim["tolerates"] is None:
        return True
    unit, part = Fraction(claim["unit"]), claim["tolerates"]
    heaviest, each = sorted((costs[i] for i in left), reverse=True), 2 if part["rule"] else 1
    moved = max(each * sum(heaviest[: part["labels"]]), sum(heaviest[: part["rows"]]))
    return least - moved * unit > part["errors"] * unit


def test_a_changed_field_is_found_out_or_says_what_is_so(kinds, tmp_path, heavy):
    path, chance = written(tmp_path), np.random.default_rng(0)
    assert len(kinds) >= 4
    accepted = 0
    for document in kinds:
        status, before, _ = judged(document, path)
        assert status == 0
        assert is_true(document)
        every = list(changes(document))
        own = [change for change in every if len(change[0]) == 1 or change[0][1:] == (0,)]
        chosen = chance.permutation(len(every))[: heavy(len(every)) // 2].tolist()
        for change in [*own, *(every[k] for k in chosen)]:
            claim = changed(document, *change)
            for forged in (claim, rehashed(claim, path)):
                if forged is None:
                    continue
                status, lines, _ = judged(forged, path)
                if status == 0 and lines != before:
                    accepted += 1
                    assert is_true(forged), (change, lines)
    assert accepted  # a smaller bound, a row left out: true, and said


@pytest.mark.parametrize("unit", ["10", "1/10", "2"])
def test_errors_count_1_where_rows_have_no_weights(unit, kinds, tmp_path):
    document = next(d for d in kinds if d["costs"] is None and d["column"] is None)
    status, lines, _ = judged(document | {"unit": unit}, written(tmp_path))
    assert (status, lines[0][:9]) == (1, "REJECTED:")


def test_weights_are_said_with_their_sum(kinds, tmp_path):
    """They are in no table: whoever makes them larger makes the sum larger, too."""
    document = next(d for d in kinds if d["costs"] is not None)
    told = verify_errors.figures(document)
    tenfold = verify_errors.figures(document | {"unit": str(10 * Fraction(document["unit"]))})
    assert [Fraction(v) for v in tenfold.values()] == [10 * Fraction(v) for v in told.values()]
    _, (sentence, subject, _), _ = judged(document, written(tmp_path))
    assert f"at least {told['at_least']} of {told['weights']} in" in sentence
    assert "'paid' ('no' as -1, 'yes' as +1) by 'age', 'debts'" in subject
    assert "1 other column is not used" in subject
