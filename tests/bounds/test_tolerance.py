"""How firm a finding is: against sets of labels turned round, and of rows left out or added."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from fewest import fewest_with_sign
from raising import check_sentence
from rosenblatt import (
    ErrorBracket,
    SignReport,
    forced_signs,
    minimum_errors,
    second_opinion,
    verify,
    verify_errors,
)


def instance(seed):
    """Whole numbers in the plane, ties and equal rows among them; with weights now and then."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(7, 11))
    X = rng.integers(-2, 3, (n, 2)).astype(float)
    y = np.where(X[:, 0] * 2 - X[:, 1] + rng.normal(0, 1 + 9 * (seed % 2), n) > 0, 1, -1)
    y[:2] = 1, -1
    weights = rng.integers(1, 4, n) if seed % 3 == 0 else None
    return X, y, weights


def least(X, y, cost, j=0, signs=(1, -1), demanded=(0, 0)):
    return min(fewest_with_sign(X, y, cost, j, sign, demanded) for sign in signs)


def turned(y, rows):
    y = y.copy()
    y[list(rows)] *= -1
    return y


def others(n, k):
    """Some sets of k of n."""
    every = list(combinations(range(n), k))
    return [every[i] for i in range(0, len(every), 1 + len(every) // 3)]


def test_no_rule_is_right_about_all_rows_whichever_labels_are_wrong(heavy):
    firm = 0
    for seed in range(1, 1 + heavy(100)):
        X, y, weights = instance(seed)
        demanded = [(0, 0), (0, 0), (-1, 0), (1, 1)][seed % 4]
        bracket = minimum_errors(X, y, sample_weight=weights, signs=demanded, time_limit=None)
        cost, n = np.ones(len(y), dtype=int) if weights is None else weights, len(y)
        if bracket.tolerates is None:
            assert least(X, y, cost, demanded=demanded) == 0
            continue
        assert bracket.proved
        for rows in others(n, bracket.tolerates.labels):
            assert least(X, turned(y, rows), cost, demanded=demanded) > 0
        for rows in others(n, bracket.tolerates.rows):
            kept = np.setdiff1d(np.arange(n), rows)
            assert least(X[kept], y[kept], cost[kept], demanded=demanded) > 0
        firm = max(firm, bracket.tolerates.labels)
        if weights is None:  # the rule's own errors overturn it
            assert bracket.tolerates.labels == bracket.upper - 1
    assert firm >= 1


def test_a_forced_sign_stays_whichever_labels_are_wrong(heavy):
    firm, proved = 0, 0
    for seed in range(heavy(100)):
        X, y, weights = instance(seed)
        cost, n = np.ones(len(y), dtype=int) if weights is None else weights, len(y)
        demanded = (0, [0, 1, -1][seed % 4 % 3])
        report = forced_signs(X, y, sample_weight=weights, signs=demanded, time_limit=None)
        assert (report.tolerates is None) == (not any(c.sign for c in report))
        for j, column in enumerate(report):
            if demanded[j]:
                continue  # a rule that leaves the column out is against such a sign
            if column.sign is None:
                assert column.tolerates is None
                continue
            own = 1 if column.sign == "+" else -1

            def forced(X, y, cost, j=j, own=own, demanded=demanded):
                against = least(X, y, cost, j, [-own], demanded)
                return against > least(X, y, cost, demanded=demanded)

            for rows in others(n, column.tolerates.labels):
                assert forced(X, turned(y, rows), cost)
            for rows in others(n, column.tolerates.rows):
                kept = np.setdiff1d(np.arange(n), rows)
                assert forced(X[kept], y[kept], cost[kept])
                again = [*range(n), *rows]  # as heavy as any, and with the other label
                weighed = np.append(cost, [max(cost)] * len(rows))
                assert forced(X[again], np.append(y, -y[list(rows)]), weighed)
            firm = max(firm, column.tolerates.labels)
            other = report.overturn(column.name, X, y)
            if other is not None and other.proved:
                assert not forced(X, turned(y, other.rows), cost)
                assert len(other.rows) > column.tolerates.labels
                proved += 1
    assert firm >= 1
    assert proved


def test_rows_that_are_added_may_be_as_heavy_as_the_heaviest():
    """Rules with + make 0 errors, others 12 of weight 1. Two rows of weight 10 turn that, and one
    does not, nor do three of weight 1: 10 + 1 + 1 would be 12."""
    X = [*range(-12, 0), 0, *range(1, 13)]
    y, weights = np.where(np.array(X) > 0, 1, -1), np.where(np.array(X) == 0, 10, 1)
    column = forced_signs([[x] for x in X], y, sample_weight=weights, time_limit=None)["x0"]
    assert (column.sign, column.at_least) == ("+", 12)
    assert (column.tolerates.labels, column.tolerates.rows) == (0, 1)


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Proofs that say how firm they are, and a table; d = 2, so that the plane can be asked."""
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (80, 2)).astype(float)
    y = np.where(X[:, 0] + rng.normal(0, 6, 80) > 0, 1, -1)
    path = tmp_path_factory.mktemp("firm") / "t.csv"
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.assign(y=y).to_csv(path, index=False)
    found = []
    for weights in (None, rng.integers(1, 4, 80)):
        bracket = minimum_errors(frame, pd.Series(y, name="y"), sample_weight=weights)
        report = forced_signs(frame, pd.Series(y, name="y"), sample_weight=weights)
        asked = forced_signs(frame, pd.Series(y, name="y"), sample_weight=weights, errors=25)
        assert report["a"].tolerates.labels > 1
        found += [bracket.to_dict(), report.to_dict("a"), asked.to_dict("a")]
    return found, path


def judged(claim, path):
    (path.parent / "c.json").write_text(json.dumps(claim))
    proof = str(path.parent / "c.json")
    return verify_errors.judge(proof, lambda claim: verify.read_csv(claim, str(path)))


def test_a_false_claim_of_tolerance_is_rejected(documents):
    claims, path = documents
    for claim in claims:
        status, (said, *_), _ = judged(claim, path)
        assert status == 0
        check_sentence(said)
        part = claim["tolerates"]
        assert part["labels"] > 0
        for change in (
            {"labels": part["labels"] + 1},
            {"rows": part["rows"] + 1},
            {"labels": 10**6},
            {"errors": part["errors"] + 1} if part["rule"] else {"errors": part["errors"] + 10**6},
            {"errors": part["errors"] - 1} if part["rule"] else {"errors": -1},
            {"labels": -1},
            {"rows": True},
            {"errors": None},
            {"more": 1},
        ):
            status, (said, *_), _ = judged(claim | {"tolerates": part | change}, path)
            assert (status, said[:9]) == (1, "REJECTED:"), change
        if part["rule"] is not None:
            for rule in (None, claim["rule"], [], part["rule"][:-1], 1):
                firmer = part | {"rule": rule, "labels": part["rows"]}
                status, (said, *_), _ = judged(claim | {"tolerates": firmer}, path)
                # Without a rule it is a number that stays: as many labels as rows may be wrong.
                assert status == (0 if rule is None else 1), said
        assert judged(claim | {"tolerates": None}, path)[0] == 0


def test_what_is_loaded_is_as_firm(documents, tmp_path):
    claims, path = documents
    table = pd.read_csv(path)
    for claim in claims:
        (tmp_path / "c.json").write_text(json.dumps(claim))
        kind = ErrorBracket if claim["column"] is None else SignReport
        loaded = kind.load(tmp_path / "c.json")
        part = claim["tolerates"]
        assert (loaded.tolerates.labels, loaded.tolerates.rows) == (part["labels"], part["rows"])
        loaded.verify(table[["a", "b"]], table["y"])


def test_an_opinion_stays_whichever_labels_are_wrong(heavy):
    firm = 0
    for seed in range(heavy(100)):
        rng = np.random.default_rng(seed)
        X = rng.integers(-4, 5, (10, 1)).astype(float)
        y = np.where(X[:, 0] + rng.normal(0, 2, 10) > 0, 1, -1)
        y[:2] = 1, -1
        new = np.array([[-7.0], [6.0]])
        opinions = second_opinion(X, y, new)
        for opinion in opinions:
            if opinion.status != "forced" or opinion.tolerates is None:
                continue
            for rows in others(10, opinion.tolerates.labels):
                labels = turned(y, rows)
                wide = np.append(np.ones(10, dtype=int), 1000)
                with_new = np.append(X, new[[opinion.row]], axis=0)
                costs = {}
                for answer in (1, -1):
                    plane = np.column_stack([with_new, np.zeros(11)])
                    costs[answer] = least(plane, np.append(labels, answer), wide)
                assert costs[opinion.answer] < costs[-opinion.answer]
            firm = max(firm, opinion.tolerates.labels)
    assert firm >= 1
