"""Tables whose rows are encoded where they are worked on, and files of other machines."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise

import fsspec
import numpy as np
import pandas as pd
import pytest

from common import may_not_converge, may_not_separate
from machines import Hostile, learned
from raising import raises
from rosenblatt import Perceptron, certify, certify_stored, data, predict_stored, train
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core.tables import TableShare
from rosenblatt.data.files import fetch
from rosenblatt.errors import FileError, InputError
from sources import frame

pytestmark = [may_not_converge, may_not_separate]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compute, "block", 8)
    monkeypatch.setattr(compute, "shard", 2)


def rule():
    return Perceptron(order="mixed", max_iter=3, patience=None, random_state=3)


def written(folder, table, suffix, cuts=(0, 31, 32, 90)):
    for k, (begin, end) in enumerate(pairwise(cuts)):
        part = table[begin:end].reset_index(drop=True)
        place = f"{folder}/part-{k}.{suffix}"
        part.to_parquet(place) if suffix == "parquet" else part.to_csv(place, index=False)


@pytest.mark.parametrize("impute", ["mean", "median"])
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_every_machine_encodes_its_own_rows(suffix, impute, tmp_path):
    written(tmp_path, frame(90, gaps=True), suffix)
    table = data.read(str(tmp_path / f"part-*.{suffix}"), target="label", impute=impute)
    X, y, preprocessing = table.encode()
    expected = learned(rule().fit(pd.DataFrame(X, columns=preprocessing.feature_names), y))
    for at_once in (1, 3, 9):
        found = train(rule(), table, engine=Hostile(at_once, at_once))
        assert learned(found) == expected
        assert found.preprocessing_.to_dict() == preprocessing.to_dict()


def test_rows_without_a_label_are_not_numbered(tmp_path):
    table = frame(90)
    table.loc[[0, 5, 31, 60], "label"] = None
    written(tmp_path, table, "parquet")
    read = data.read(str(tmp_path / "*.parquet"), target="label", drop_unlabelled=True)
    X, y, _ = read.encode()
    assert learned(train(rule(), read, engine=Hostile(4, 4))) == learned(rule().fit(X, y))


def test_the_cache_of_a_machine_holds_its_own_rows_only(tmp_path, monkeypatch):
    written(tmp_path, frame(90), "parquet")
    read = data.read(str(tmp_path / "*.parquet"), target="label")
    found = []
    write = TableShare.write

    def noting(share, folder):
        found.append((share.begin, share.end, [f.name[-9] for f in share.files]))
        write(share, folder)

    monkeypatch.setattr(TableShare, "write", noting)
    train(rule(), read, engine=Hostile(0, 3))
    assert found == [(0, 32, ["0", "1"]), (32, 64, ["2"]), (64, 90, ["2"])]
    train(rule(), read, engine=Hostile(1, 3))
    assert len(found) == 3  # from the cache


def test_a_machine_that_does_not_see_the_files(tmp_path):
    written(tmp_path, frame(90), "parquet")
    read = data.read(str(tmp_path / "*.parquet"), target="label")
    (tmp_path / "part-2.parquet").unlink()
    with raises(FileError):
        train(rule(), read, engine=Hostile(0, 3))


def test_a_table_on_an_engine_is_certified(tmp_path):
    table = frame(90)
    table["label"] = np.where(table["height"] > 170, "tall", "small")
    written(tmp_path, table, "csv")
    read = data.read(str(tmp_path / "*.csv"), target="label")
    X, y, preprocessing = read.encode()
    found = certify_stored(read, engine=Hostile(1, 3))
    same = certify(X, y, preprocessing=preprocessing)
    assert found.verdict == same.verdict == "complete separation"
    assert found.sha256 == same.sha256
    assert found.homogeneous_margin == same.homogeneous_margin
    found.verify(X, y)


# --- Addresses ---


@pytest.fixture
def memory():
    """A file system of this process."""
    system = fsspec.filesystem("memory")
    yield system
    system.rm("/bucket", recursive=True)


def test_files_are_read_by_their_address(memory, tmp_path):
    written(tmp_path, frame(90), "parquet")
    for place in tmp_path.glob("*.parquet"):
        memory.pipe(f"/bucket/{place.name}", place.read_bytes())
    near = data.read(str(tmp_path / "*.parquet"), target="label")
    far = data.read("memory://bucket/part-*.parquet", target="label")
    assert far.source == [f"memory:///bucket/part-{k}.parquet" for k in range(3)]
    for at_once in (None, 3):
        engine = None if at_once is None else Hostile(2, at_once)
        assert learned(train(rule(), far, engine=engine)) == learned(train(rule(), near))


def test_a_path_that_goes_to_another_machine_is_an_address(memory, tmp_path, monkeypatch):
    memory.pipe("/bucket/t.csv", b"x,label\n1,a\n2,b\n")
    here = fetch("memory://bucket/t.csv")
    assert here.read_bytes().startswith(b"x,label")
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "other"))
    there = pickle.loads(pickle.dumps(here))
    assert str(there).startswith(str(tmp_path / "other"))
    assert there.read_bytes() == here.read_bytes()
    assert there.stat().st_mtime_ns == here.stat().st_mtime_ns
    memory.pipe("/bucket/t.csv", b"x,label\n1,a\n2,bb\n")
    with raises(InputError):
        pickle.loads(pickle.dumps(here))


def test_files_of_other_processes(tmp_path):
    written(tmp_path, frame(90), "csv")
    table = data.read(f"file://{tmp_path}/part-*.csv", target="label")
    X, y, _ = table.encode()
    with ProcessPoolExecutor(2) as engine:
        assert learned(train(rule(), table, engine=engine)) == learned(rule().fit(X, y))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("memory://bucket/none.csv", "There is no file memory://bucket/none.csv."),
        ("memory://bucket/none-*.csv", "No file matches the pattern memory://bucket/none-"),
        ("nowhere://bucket/t.csv", "nowhere://bucket/t.csv cannot be opened: "),
        ("memory://bucket", "memory://bucket is a folder. Give its files"),
    ],
)
def test_addresses_that_lead_nowhere(address, words, memory):
    memory.pipe("/bucket/t.csv", b"x,label\n1,a\n")
    with pytest.raises(InputError) as caught:
        data.read(address, target="label")
    assert words in str(caught.value)


def test_commands_take_an_address(memory, shell, tmp_path):
    text = frame(90).to_csv(index=False)
    memory.pipe("/bucket/t.csv", text.encode())
    (tmp_path / "t.csv").write_text(text)
    results = []
    for name in ("t.csv", "memory://bucket/t.csv"):
        code, out, err = shell("inspect", name, "--target", "label")
        assert (code, err) == (0, "")
        results.append(out.replace(name, "TABLE"))
    assert results[0] == results[1]


def test_predictions_of_a_table_with_other_means_are_refused(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal([5, -300], [1, 100], size=(90, 2)), columns=["a", "b"])
    table = X.assign(y=np.where(50 * X.a + X.b > -50, "yes", "no"))
    table[:60].to_csv(tmp_path / "one.csv", index=False)
    table[60:].to_csv(tmp_path / "two.csv", index=False)
    one, two = (data.read(tmp_path / f"{name}.csv", target="y") for name in ("one", "two"))
    p = train(Perceptron(random_state=0, order="blocks"), one)
    inside = p.predict(p.preprocessing_.transform(tmp_path / "one.csv"))
    assert predict_stored(p, one).tolist() == inside.tolist()
    with raises(InputError):
        predict_stored(p, two)
    rows = p.preprocessing_.transform(tmp_path / "two.csv")
    assert predict_stored(p, (rows, table.y[60:])).tolist() == p.predict(rows).tolist()
