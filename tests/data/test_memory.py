"""Small files do not take large memory: what cannot be held is refused, with the line."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from raising import raises
from rosenblatt import Perceptron, certify, data, train
from rosenblatt._certify import table as proof_table
from rosenblatt._util.text import Numbered
from rosenblatt.data import dialect, text
from rosenblatt.data import text as wide_text
from rosenblatt.data.svmlight import MOST_HELD, read_svmlight
from rosenblatt.errors import InputError

# What the kernel notes of this program alone: ru_maxrss begins with the process that started it.
MEASURED = """
import re, sys
from rosenblatt.cli import run
code = run(sys.argv[1:])
with open("/proc/self/status") as status:
    print(int(re.search(r"VmHWM:\\s+(\\d+)", status.read())[1]) // 1024, file=sys.stderr)
sys.exit(code)
"""


def measured(folder, *arguments):
    """The command in a process of its own: exit code, output, errors, megabytes at most."""
    found = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    *errors, megabytes = found.stderr.splitlines()
    return found.returncode, found.stdout, "\n".join(errors), int(megabytes)


@pytest.mark.parametrize("index", [2**62, 300_000_000, MOST_HELD + 1])
def test_svmlight_of_an_index_that_no_weights_have(tmp_path, index):
    (tmp_path / "t.svm").write_text(f"1 1:1\n-1 2:1\n1 {index}:1\n")
    with raises(InputError):
        data.read(str(tmp_path / "t.svm"))
    with raises(InputError):
        train(Perceptron(), str(tmp_path / "t.svm"))


@pytest.mark.parametrize("command", ["certify", "fit"])
def test_of_every_command_in_little_memory(tmp_path, command):
    (tmp_path / "t.svm").write_text("1 1:1\n-1 2:1\n" * 20 + "1 300000000:1\n")
    code, _, errors, megabytes = measured(tmp_path, command, "t.svm")
    assert code == 2
    assert all(where in errors for where in ("t.svm", "line 41", "300000000"))
    assert megabytes < 400


def test_the_largest_that_is_held_is_read(tmp_path):
    (tmp_path / "t.svm").write_text(f"1 1:1\n-1 {MOST_HELD}:1\n")
    assert data.read(str(tmp_path / "t.svm")).X.shape == (2, MOST_HELD)


def test_sparse_rows_of_more_columns_than_memory_has_weights_for(tmp_path):
    (tmp_path / "t.svm").write_text(f"1 1:1\n-1 {2**62}:1\n")
    X, y, _ = read_svmlight(str(tmp_path / "t.svm"))  # rows alone take little
    for work in (Perceptron().fit, certify):
        with raises(InputError):
            work(X, y)


def test_a_certificate_has_only_so_many_columns(monkeypatch):
    monkeypatch.setattr(proof_table, "MOST_COLUMNS", 5)
    X = sparse.csr_matrix(np.eye(6))
    with raises(InputError):
        certify(X, [0, 1] * 3)
    assert certify(X[:, :5], [0, 1] * 3).separable


def wide(columns, rows=6):
    names = ",".join(f"c{j}" for j in range(columns))
    lines = [
        ",".join("NA" if (i, j) == (1, 2) else str((i * j) % 7 / 4) for j in range(columns))
        for i in range(rows)
    ]
    return "\n".join([f"{names},y", *(f"{line},{'ab'[i % 2]}" for i, line in enumerate(lines))])


def test_wide_text_is_the_same_whatever_is_parsed_at_a_time(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(wide(1200) + "\n")

    def encoded():
        return data.read(str(tmp_path / "t.csv"), target="y", impute="mean").encode()[:2]

    X, y = encoded()
    for wide_from, together in ((10**9, 10**9), (1, 7), (1, 600), (1, 1201), (1, 1200)):
        monkeypatch.setattr(text, "_WIDE", wide_from)
        monkeypatch.setattr(wide_text, "TOGETHER", together)
        again, labels = encoded()
        assert np.array_equal(X, again)
        assert y.tolist() == labels.tolist() == ["a", "b"] * 3
    assert X.shape == (6, 1200)


AWKWARD = {
    "spaces": b"u,v,y\n 1,\t2 ,a\n3 , 4,b\n",
    "gaps": b"u,v,y\n,NA,a\n 3, NA,b\n-nan,4,a\n",
    "returns": b"u,v,y\r\n1,2,a\r\n3,4,b\r\n",
    "old returns": b"u,v,y\r1,2,a\r3,4,b\r",
    "no last line end": b"u,v,y\n1,2,a\n3,4,b",
    "empty lines": b"u,v,y\n1,2,a\n\n3,4,b\n\n\n",
    "quotes": b'u,v,y\n1,"2",a\n3,"4\n",b\n',
    "half a quote": b'u,v,y\n1,2"5,a\n3,4,b\n',
    "a comma": b"u;v;y\n1,5;2;a\n3;4,25;b\n",
    "comma and point": b"u;v;y\n1,5;2.5;a\n3;4,25;b\n",
    "tabs": b"u\tv\ty\n1\t2\ta\n3\t \tb\n",
    "words": b"u,v,y\n1,red,a\n3,,b\n5,red ,a\n",
    "truth": b"u,v,y\n1,true,a\n3,false,b\n",
    "numbers of all kinds": b"u,v,y\n1e5,-.5,a\n0x10,inf,b\n",
    "digits": b"u,v,y\n9007199254740993,1e-400,a\n1e400,5e-324,b\n",
    "short": b"u,v,y\n1,2,a\n3,b\n",
    "long": b"u,v,y\n1,2,a\n3,4,b,5\n",
    "one long, one short": b"u,v,y\n1,2,a,6\n3,b\n",
    "not UTF-8": b"u,v,y\n1,\xff,a\n3,\xe9,b\n",
    "zero bytes": b"u,v,y\n1,\x00,a\n3,4,b\n",
    "nothing": b"u,v,y\n",
}


def read_so(path, together, monkeypatch, **how):
    """What the table is, or the sentence that refuses it."""
    monkeypatch.setattr(wide_text, "TOGETHER", together)
    monkeypatch.setattr(text, "_WIDE", together)
    try:
        table = data.read(str(path), target="y", impute="mean", **how)
        X, y, preprocessing = table.encode(scale=False)
        return X.tobytes(), y.tolist(), preprocessing.to_dict(), table.reading
    except InputError as error:
        return str(error)


@pytest.mark.parametrize(
    "how", [{}, {"numeric": ["v"]}, {"categorical": ["u"], "na_values": ["2"]}]
)
@pytest.mark.parametrize("kind", AWKWARD)
def test_awkward_text_is_the_same_however_many_columns_it_has(kind, how, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_bytes(AWKWARD[kind])
    narrow = read_so(tmp_path / "t.csv", 10**9, monkeypatch, **how)
    assert read_so(tmp_path / "t.csv", 1, monkeypatch, **how) == narrow


def test_very_wide_text_is_read_at_once(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(wide(50) + "\n")
    monkeypatch.setattr(wide_text, "TOGETHER", 7)
    monkeypatch.setattr(wide_text, "some_at_a_time", None)
    assert data.read(str(tmp_path / "t.csv"), target="y", impute="mean").encode()[0].shape[1] == 50


def test_errors_of_wide_text_have_their_row(tmp_path, monkeypatch):
    monkeypatch.setattr(wide_text, "TOGETHER", 7)
    (tmp_path / "t.csv").write_text(wide(30) + "\n1,2,3\n")
    with raises(InputError):
        data.read(str(tmp_path / "t.csv"), target="y")


def test_many_columns_take_little_memory(tmp_path):
    (tmp_path / "t.csv").write_text(wide(16_000) + "\n")
    code, out, errors, megabytes = measured(tmp_path, "inspect", "t.csv", "-y", "y", "--json")
    assert code == 2, errors  # a number is missing, and that is said
    assert '"rows": 6' in out
    assert megabytes < 480  # 600 with a dictionary of words for every column


def test_of_too_many_columns_none_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(dialect, "MOST_COLUMNS", 30)
    (tmp_path / "t.csv").write_text(wide(30) + "\n")
    with raises(InputError):
        data.read(str(tmp_path / "t.csv"), target="y")


def test_numbered_names_are_a_list_of_them():
    names = Numbered(12)
    assert list(names) == [f"x{j}" for j in range(12)]
    assert (names[3], names[-1], names[2:4], len(names)) == ("x3", "x11", ["x2", "x3"], 12)
    assert names[np.int64(5)] == "x5"
    assert len(Numbered(2**62)) == 2**62
    with pytest.raises(IndexError):
        names[12]
