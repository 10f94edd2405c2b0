"""The stand-alone program on svmlight files: it says what it says of the same numbers as CSV."""

import json
import random
import shutil
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import certify, verify
from rosenblatt._certify import wide
from tampering import changed, changes


def written(folder, X, y, first=1):
    """Both files."""
    names = [*(f"x{j}" for j in range(X.shape[1])), "y"]
    lines = [",".join(map(repr, [*x, v])) for x, v in zip(X.tolist(), y.tolist(), strict=True)]
    (folder / "t.csv").write_text("\n".join([",".join(names), *lines]) + "\n")
    rows = (
        [f"{j + first}:{v!r}" for j, v in enumerate(x) if v or j == first == 0] for x in X.tolist()
    )
    lines = [" ".join([str(v), *row]) for v, row in zip(y.tolist(), rows, strict=True)]
    (folder / "t.svm").write_text("# two lines\n\n" + "\n".join(lines) + "  # the last\n")


def said(folder, claim):
    (folder / "c.json").write_text(json.dumps(claim))
    for name in ("t.csv", "t.svm"):
        path = str(folder / name)
        status, lines, _ = verify.judge(
            str(folder / "c.json"), lambda claim, path=path: verify.read_table(claim, path)
        )
        yield status, [line.replace(path, "FILE") for line in lines]


def tables(rng):
    n, d, k = int(rng.integers(4, 14)), int(rng.integers(2, 6)), int(rng.choice([2, 2, 3]))
    X = rng.integers(-2, 3, (n, d)) * (rng.random((n, d)) < 0.6) / rng.choice([1, 10])
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    return X, y


def test_both_files_have_the_same_end(tmp_path, heavy, rng):
    chance, seen = random.Random(5), set()
    for _ in range(heavy(600)):
        X, y = tables(rng)
        written(tmp_path, X, y, int(rng.integers(2)))
        asked = {"fit_intercept": bool(rng.random() < 0.7)}
        if rng.random() < 0.2:
            asked["numbers"] = "decimal"
        with mock.patch.object(wide, "is_wide", return_value=bool(rng.random() < 0.5)):
            found = certify(sparse.csr_array(X) if rng.random() < 0.5 else X, y, **asked)
        claim = json.loads(json.dumps(found.to_dict()))
        one, two = said(tmp_path, claim)
        assert one == two
        assert one[0] in (0, 3, 13)
        named = ("columns", "target")  # there are no names in such a file
        others = [change for change in changes(claim) if change[0][0] not in named]
        for path, how, new in chance.sample(others, 10):
            one, two = said(tmp_path, changed(claim, path, how, new))
            assert one[0] == two[0]
            if "not a certificate" not in one[1][0]:
                assert one == two
            seen.add((claim["verdict"], one[0]))
    assert {("quasi-complete separation", 1), ("overlap", 1)} <= seen


@pytest.mark.parametrize(
    "line",
    [
        "1 3:1 2:1",
        "1 2:1 2:1",
        "1 9:1",
        "1 -1:1",
        "1 2",
        "1 2:x",
        "1 2:nan",
        "1 2:1e999",
        "a:b",
        "2 1:1",
    ],
)
def test_a_line_that_is_no_row_is_not_accepted(tmp_path, line):
    X, y = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [3.0, 1.0, 0.0]]), np.array([0, 1, 1])
    written(tmp_path, X, y)
    claim = certify(X, y).to_dict()
    assert [status for status, _ in said(tmp_path, claim)] == [0, 0]
    lines = (tmp_path / "t.svm").read_text().splitlines()
    (tmp_path / "t.svm").write_text("\n".join([*lines[:-1], line]))
    (_, _), (status, _) = said(tmp_path, claim)
    assert status in (1, 2)


def test_the_program_alone_reads_it(tmp_path):
    X, y = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [3.0, 1.0, 0.0]]), np.array([0, 1, 1])
    written(tmp_path, X, y)
    certify(X, y).save(tmp_path / "c.json")
    shutil.copy(verify.__file__, tmp_path / "verify.py")
    command = [sys.executable, "-I", "verify.py", "c.json", "t.svm"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
