"""Wide sparse tables: one-sided columns, and a linear programme whose guess is proved. As the
search decides small ones, and the rational oracle."""

import json
from unittest import mock

import numpy as np
import pytest
from scipy import sparse

import rational
from certificates import accepted, accepted_in_bulk, floats
from rational import COMPLETE, OVERLAP, QUASI
from rosenblatt import Certificate, certify, verify
from rosenblatt._certify import sparse_core, wide
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget
from rosenblatt.errors import VerificationError


def certified_as_wide(X, y, **asked):
    with mock.patch.object(wide, "is_wide", return_value=True):
        found = certify(sparse.csr_array(X), y, **asked)
    found.verify(X, y)
    return found


def table_of_words(rng):
    """Few words in a row: marks, counts, of length 1, times rarity, in thirds; some rows twice."""
    n, d = int(rng.integers(4, 40)), int(rng.integers(2, 20))
    X = rng.integers(0, 3, (n, d)) * (rng.random((n, d)) < rng.choice([0.1, 0.2, 0.4])) * 1.0
    kind = rng.choice(["binary", "counts", "unit", "idf", "float32", "thirds", "scales"])
    if kind == "binary":
        X = (X > 0) * 1.0
    if kind in ("unit", "idf", "float32"):
        X = X * (np.log(rng.random(d) * 9 + 1.5) if kind == "idf" else 1.0)
        X /= np.maximum(np.sqrt((X**2).sum(axis=1)), 1e-300)[:, None]
    if kind == "float32":
        X = X.astype(np.float32)
    if kind == "thirds":
        X = X / 3 + X / 10
    if kind == "scales":
        X = X * 10.0 ** rng.integers(-12, 12, d)
    if rng.random() < 0.5:
        k = int(rng.integers(1, n // 2 + 1))
        X[rng.choice(n, k)] = X[rng.choice(n, k)]
    y = rng.random(n) < 0.5
    if rng.random() < 0.5:
        y = X @ rng.normal(size=d) + 0.3 * rng.normal(size=n) > 0.1
    y[:2] = False, True
    return X, y


def test_small_tables_are_decided_as_the_search_does(heavy, rng):
    seen = set()
    for _ in range(heavy(2000)):
        (X, y), intercept = table_of_words(rng), bool(rng.random() < 0.7)
        numbers = "decimal" if rng.random() < 0.1 else "float"
        asked = {"fit_intercept": intercept, "numbers": numbers}
        one = certified_as_wide(X, y, **asked)
        two = certify(X, y, time_limit=60, **asked)
        assert one.verdict == two.verdict
        assert one.separated_rows.tolist() == two.separated_rows.tolist()
        seen.add(one.verdict)
    assert seen == {COMPLETE, QUASI, OVERLAP}


def test_small_tables_are_decided_as_the_oracle_does(heavy, rng):
    for _ in range(heavy(600)):
        X, y = table_of_words(rng)
        X, y = X[:14, :5], y[:14]
        strict = rational.strict_rows(rational.lifted(X.tolist(), np.where(y, 1, -1)))
        found = certified_as_wide(X, y)
        assert found.verdict == rational.verdict(strict, len(X))
        assert found.separated_rows.tolist() == sorted(strict)


def test_last_bits_decide():
    # Floats take the second row for minus the first; w = (1, 2^-52) times large numbers tells them
    # apart. A third row, to the last bit minus the first, leaves nothing strict but the fourth.
    near = 1 - 2.0**-53
    X, y = np.array([[1.0, 1.0], [1.0, near], [0.0, 1.0]]), [1, -1, 1]
    rows = Rows(X, np.array(y, dtype=np.int8), intercept=False, decimal=False, budget=Budget())
    assert sparse_core.split(rows).strict.tolist() == [0, 1, 2]
    found = certified_as_wide(np.vstack([X, X[:1]]), [*y, -1], fit_intercept=False)
    assert (found.verdict, found.separated_rows.tolist()) == (QUASI, [1, 2])


WORDS = np.array(
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 2, 1]]
)
LABELS = [1, 1, -1, -1, 1, -1]


def document():
    found = certified_as_wide(WORDS * 1.0, LABELS)
    return json.loads(json.dumps(found.to_dict()))


def test_every_row_is_strictly_right_or_in_the_balance():
    claim = document()
    assert not {"orthogonal", "separated", "signs"} & claim.keys()
    assert claim["verdict"] == QUASI
    assert claim["conflict"]["rows"] == [3, 4]  # which are the balance, too
    for check in (accepted, accepted_in_bulk):
        assert check(claim, WORDS, LABELS)


def spoiled():
    claim = document()
    w = claim["separator"]
    rows = rational.lifted(WORDS.tolist(), LABELS)
    for j, v in enumerate(w):
        for other in ("0x0", f"-{v}".replace("--", "")):
            changed = [*w[:j], other, *w[j + 1 :]]
            scores = [rational.dot(a, map(verify.number, changed)) for a in rows]
            if [v > 0 for v in scores] != [True, True, True, False, False, True]:
                yield claim | {"separator": changed}
    yield claim | {"separator": ["0x0"] * len(w)}
    yield claim | {"verdict": OVERLAP}
    overlap = {name: v for name, v in claim.items() if name not in ("separator", "revealing")}
    yield overlap | {"verdict": OVERLAP}
    yield claim | {"separated": [0, 1, 2]}
    yield claim | {"separated": [0, 1, 2, 3, 4, 5]}
    yield claim | {"balance": {"rows": [3, 4, 5], "weights": ["0x1", "0x1", "0x1"]}}
    yield claim | {"balance": {"rows": [3], "weights": ["0x1"]}}
    yield claim | {"orthogonal": []}
    yield claim | {"signs": [{"signs": "0"}] * 5}


def test_another_separator_or_balance_is_rejected():
    for k, claim in enumerate(spoiled()):
        for check in (accepted, accepted_in_bulk):
            assert not check(claim, WORDS, LABELS), k


def test_that_the_rows_of_many_classes_are_named_is_demanded():
    X, y = [[0], [1], [1], [2], [2], [3]], ["a", "a", "b", "b", "c", "c"]
    claim = certify(floats(X), y).to_dict()
    claim.pop("signs"), claim.pop("orthogonal"), claim.pop("separated")
    with pytest.raises(VerificationError):
        Certificate.from_dict(claim).verify(floats(X), y)


# --- Long vectors in a file -----------------------------------------------------------------------


@pytest.fixture
def long(tmp_path):
    """A certificate about many columns, and what its file says."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((200, 3000), density=0.002, rng=rng, format="csr")
    X = sparse.vstack([X, X[[0]]], format="csr")
    found = certified_as_wide(X, [*(np.arange(200) % 2), 1])
    found.save(tmp_path / "c.json")
    return found, json.loads((tmp_path / "c.json").read_text()), tmp_path / "c.json"


def test_many_names_and_long_vectors_are_written_short(long):
    found, said, path = long
    assert found.verdict == QUASI
    assert (said["columns"], said["separator"]["size"]) == (3000, 3001)
    assert path.stat().st_size < 30_000
    assert Certificate.load(path) == found
    assert verify.load(str(path)) == found.to_dict()


@pytest.mark.parametrize(
    "change",
    [
        {"size": 3000},
        {"size": -1},
        {"size": 10**12},
        {"size": True},
        {"most": "0x1"},
        {"values": []},
        {"gaps": [[1], [1]], "values": ["0x1", "0x2"]},
        {"gaps": [[-1]], "values": ["0x1"]},
        {"gaps": [[3001]], "values": ["0x1"]},
        {"extra": 1},
    ],
)
def test_a_vector_that_is_written_otherwise_is_rejected(long, change, tmp_path):
    _, said, path = long
    X = np.zeros((201, 3000))
    path.write_text(json.dumps(said | {"separator": said["separator"] | change}))
    status, _, _ = verify.judge(
        str(path), lambda claim: (verify.Data(claim, X.tobytes(), [1] * 201), "", [])
    )
    assert status == 1
