"""svmlight files among the tables: read, certified, verified and predicted by the command."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from raising import raises
from rosenblatt import Perceptron, certify, data
from rosenblatt.cli import run
from rosenblatt.errors import InputError

pytest.importorskip("rosenblatt.data.svmlight")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 8)) < 0.4, rng.standard_normal((60, 8)), 0.0)
    X[0] = 1.0
    y = np.where(X @ rng.standard_normal(8) > 0.1, 1, -1)
    dump_svmlight_file(X, y, "t.svm", zero_based=False)
    dump_svmlight_file(X, rng.integers(0, 3, 60), "three.svm", zero_based=False)
    return X, y


def test_rows_and_labels_are_those_of_scikit_learn(files):
    X, y, preprocessing = data.read("t.svm").encode()
    theirs, labels = load_svmlight_file("t.svm")
    assert (theirs != X).nnz == 0
    assert y.tolist() == labels.astype(int).tolist()
    assert preprocessing is None


def test_three_labels_or_one_against_the_rest(files):
    assert set(data.read("three.svm").encode()[1].tolist()) == {0, 1, 2}
    y = data.read("three.svm", positive=2).encode()[1]
    assert set(y.tolist()) == {"2", "(not 2)"}


def test_there_are_no_columns_to_name(files):
    with raises(InputError, option="target", value="y"):
        data.read("t.svm", target="y")
    with raises(InputError):
        data.read(["t.svm", "three.svm"])


def test_the_command_reads_them(files, capfd):
    X, y = files
    assert run(["inspect", "t.svm", "--json"]) == 0
    assert json.loads(capfd.readouterr()[0])["rows"] == 60
    code = run(["certify", "t.svm", "--exit-code", "-o", "c.json", "--encoded", "n.csv"])
    assert code == (0 if certify(X, y).separable else 10)
    assert run(["verify", "c.json", "t.svm"]) == 0
    standalone = [sys.executable, "-m", "rosenblatt.verify", "c.json", "n.csv"]
    assert subprocess.run(standalone, capture_output=True, check=False).returncode == 0


def test_predict_needs_no_preprocessing_for_them(files, capfd):
    model_file = pytest.importorskip("rosenblatt.model_file")
    X, y = files
    p = Perceptron(random_state=0, max_iter=5).fit(X, y)
    model_file.save(p, "m.rosenblatt")
    assert run(["predict", "m.rosenblatt", "t.svm", "--explain"]) == 0
    rows = capfd.readouterr()[0].splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == [str(v) for v in p.predict(X)]
