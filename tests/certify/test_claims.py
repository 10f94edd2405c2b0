"""Whoever edits a certificate is found out, or it says the same, or something else that is true.

Every field is changed in every way, also with the fingerprint taken anew, as a forger would. What
counts is what a reader is told: the verdict, the rows, the label and its coding, the columns.
"""

import json

import numpy as np
import pandas as pd
import pytest

from certificates import CASES, floats, true_of
from rosenblatt import certify, second_opinion, verify
from tampering import changed, changes


def frame(X):
    return pd.DataFrame(floats(X), columns=[f"x{j}" for j in range(len(X[0]))])


def of(X, y, **how):
    certificate = certify(frame(X), pd.Series(y, name="y"), **how)
    return json.loads(json.dumps(certificate.to_dict())), X, y


def forced():
    """The proof that a new row is answered by some rows: a certificate about these and it."""
    X = [[0, 0], [1, 0], [0, 1], [4, 4], [5, 4], [4, 5]]
    opinions = second_opinion(frame(X), pd.Series([-1, -1, -1, 1, 1, 1], name="y"), frame([[6, 6]]))
    claim = json.loads(json.dumps(opinions.certificate(0).to_dict()))
    rows, labels = opinions.rows_of(0)
    return claim, np.asarray(rows).tolist(), np.asarray(labels).tolist()


@pytest.fixture(scope="module")
def kinds():
    crossing, labels = CASES["overlap"]
    return [
        *(of(*case) for case in CASES.values()),
        of([[1, 2], [2, 1], [3, -1], [-1, -1]], [1, 1, 1, -1], fit_intercept=False),
        of([*crossing, [9, 9, 9]], [*labels, 1], sample_weight=[1] * len(labels) + [0]),
        of([[0.1, 2], [0.2, 1], [0.3, 4]], [1, -1, 1], numbers="decimal"),
        forced(),
    ]


def judged(claim, folder):
    (folder / "c.json").write_text(json.dumps(claim))
    table = str(folder / "t.csv")
    return verify.judge(str(folder / "c.json"), lambda claim: verify.read_csv(claim, table))


def rehashed(claim, folder):
    try:
        verify.check_form(claim)
        data, _, _ = verify.read_csv(claim, str(folder / "t.csv"))
        return claim | {"sha256": data.sha256(claim)}
    except Exception:
        return None


def test_what_an_edited_certificate_says_is_the_same_or_true(kinds, tmp_path, heavy):
    chance, others = np.random.default_rng(0), 0
    for document, X, y in kinds:
        frame(X).assign(y=y, other=0).to_csv(tmp_path / "t.csv", index=False)
        status, before, _ = judged(document, tmp_path)
        assert status == 0
        every = list(changes(document))
        own = [change for change in every if len(change[0]) == 1]
        chosen = chance.permutation(len(every))[: heavy(len(every))].tolist()
        for change in [*own, *(every[k] for k in chosen)]:
            claim = changed(document, *change)
            for forged in filter(None, (claim, rehashed(claim, tmp_path))):
                status, lines, _ = judged(forged, tmp_path)
                if status in (0, 3) and lines != before:
                    others += 1
                    left = set(forged["dropped"])
                    kept = [i for i in range(len(y)) if i not in left]
                    rows = [[X[i][int(name[1:])] for name in forged["columns"]] for i in kept]
                    assert left >= set(document["dropped"]), change
                    if not forged["fit_intercept"]:  # the oracle's has an intercept of its own
                        forged.get("margins", {}).pop("geometric", None)
                    assert true_of(forged, rows, [y[i] for i in kept]), (change, lines)
    assert others  # the numbers as they are written, which are whole: true, and said
