"""train on more than two classes: what is read from disk block by block is learned as in memory."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from common import KEEPS, may_not_converge, may_not_separate
from raising import raises
from rosenblatt import Perceptron, data, load, save, train
from rosenblatt._core.backend import compute
from rosenblatt._core.fingerprint import of_examples
from rosenblatt._core.rows import Examples
from rosenblatt._out_of_core.cache import stored
from rosenblatt.errors import FileError, InputError

pytestmark = [may_not_converge, may_not_separate]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compute, "block", 25)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


def flowers(n=80, seed=0):
    """Four kinds about as many centres, not quite apart; the last kind by the alphabet is first."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["rose", "aster", "lily", "iris"])
    places = np.concatenate([np.arange(4), rng.integers(0, 4, n - 4)])
    centres = np.array([[0.0, 0, 1], [3, 0, 0], [0, 3, 0], [2, 2, -1]])
    return (centres[places] + rng.normal(size=(n, 3))).round(2), kinds[places]


def learned(p, rows):
    names = ["n_iter_", "n_updates_", "training_errors_", "converged_", "stop_reason_"]
    arrays = [p.decision_function(rows), p.mistakes_]
    arrays += [] if p.keep == "vote" else [p.coef_, p.intercept_]
    return [getattr(p, name) for name in names] + [a.tobytes() for a in arrays]


def batches(X, y, size):
    return lambda: ((X[i : i + size], y[i : i + size]) for i in range(0, len(y), size))


@pytest.mark.parametrize(
    ("storage", "kind"), [("dense", "joint"), ("csr", "joint"), ("dense", "ovr")]
)
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ["cyclic", "blocks", "batch"])
def test_streamed_is_in_memory(order, keep, storage, kind):
    X, y = flowers()
    X = sparse.csr_array(np.where(np.abs(X) < 0.5, 0, X)) if storage == "csr" else X
    for class_weight in (None, "balanced"):
        p = Perceptron(
            order=order,
            keep=keep,
            max_iter=6,
            random_state=0,
            class_weight=class_weight,
            multi_class=kind,
        )
        expected = learned(p.fit(X, y), X)
        for size in (7, 80):
            found = train(p, batches(X, y, size))
            assert learned(found, X) == expected
            assert found.classes_.tolist() == ["aster", "iris", "lily", "rose"]
            assert found.update_counts_ is None


def test_tables_and_svmlight_files_are_streams_of_many_classes():
    X, y = flowers()
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=y).to_csv("t.csv", index=False)
    table = data.read("t.csv", target="kind")
    rows, labels, _ = table.encode()
    p = Perceptron(order="blocks", max_iter=6, random_state=0)
    expected, said = learned(p.fit(rows, labels), rows), p.predict(rows)
    found = train(p, table)
    assert learned(found, rows) == expected
    save(found, "m.json")
    assert (load("m.json").predict(rows) == said).all()

    numbers = np.unique(y, return_inverse=True)[1] * 2 + 1
    dump_svmlight_file(X, numbers, "t.svm")
    expected = learned(p.fit(sparse.csr_array(X), numbers), X)
    assert learned(train(p, "t.svm"), X) == expected
    assert p.classes_.tolist() == [1, 3, 5, 7]


def test_the_third_label_may_come_late():
    X, y = flowers()
    order = np.argsort(np.isin(y, ["lily", "iris"]), kind="stable")  # two kinds first
    X, y = X[order], y[order]
    p = Perceptron(order="cyclic", max_iter=3)
    assert learned(train(p, batches(X, y, 10)), X) == learned(p.fit(X, y), X)


def test_counts_by_class_and_the_labels_of_rows():
    X, y = flowers()
    with stored(batches(X, y, 9), folder=None) as rows:
        assert rows.counts == tuple(np.unique(y, return_counts=True)[1].tolist())
        found = [rows.named(rows.block(b)[1]) for b in range(rows.n_blocks)]
        assert np.concatenate(found).tolist() == y.tolist()


@pytest.mark.parametrize("kind", ["joint", "ovr"])
def test_it_goes_on_from_a_checkpoint(tmp_path, kind):
    X, y = flowers()
    p = Perceptron(
        order="blocks", max_iter=8, random_state=0, class_weight={"rose": 0.5}, multi_class=kind
    )
    expected = learned(p.fit(X, y), X)
    place = tmp_path / "half.checkpoint"
    train(p.set_params(max_iter=3), batches(X, y, 20), checkpoint=place)
    found = train(p.set_params(max_iter=8), batches(X, y, 20), checkpoint=place)
    assert learned(found, X) == expected


def test_the_fingerprint_is_that_of_the_rows_in_memory():
    X, y = flowers()
    numbers = np.unique(y, return_inverse=True)[1].astype(np.int32)
    with stored(batches(X, y, 9), folder=None) as rows:
        assert rows.fingerprint == of_examples(Examples(X, numbers, None, 4))


@pytest.mark.parametrize("order", ["blocks", "shuffle"])
@pytest.mark.filterwarnings("ignore:order='shuffle' jumps")
def test_each_class_against_the_rest_goes_on_in_memory_and_on_disk(order):
    X, y = flowers()
    choices = {"order": order, "multi_class": "ovr", "random_state": 0, "patience": None}
    expected = learned(Perceptron(max_iter=7, **choices).fit(X, y), X)
    p = Perceptron(max_iter=3, warm_start=True, **choices)
    train(p, batches(X, y, 20))
    if order == "shuffle":  # on disk updates are not counted, in memory they are
        train(p.set_params(max_iter=4), batches(X, y, 20))
    else:
        train(p.set_params(max_iter=2), batches(X, y, 30))
        save(p, "m.json")
        p = load("m.json")
        train(p.set_params(max_iter=2), batches(X, y, 20))
    assert learned(p, X)[:5] == expected[:5]
    assert p.coef_.tobytes() == Perceptron(max_iter=7, **choices).fit(X, y).coef_.tobytes()
    assert p.update_counts_ is None
    # From the weights of all classes together it begins anew, from those it returned.
    train(p.set_params(multi_class="joint", max_iter=1), batches(X, y, 20))
    train(p.set_params(multi_class="ovr"), batches(X, y, 20))
    assert p.coef_.shape == (4, 3)


def test_each_class_against_the_rest_keeps_the_preprocessing_of_a_table():
    X, y = flowers()
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=y).to_csv("t.csv", index=False)
    p = Perceptron(order="blocks", multi_class="ovr", max_iter=3, random_state=0)
    found = train(p, data.read("t.csv", target="kind"))
    save(found, "m.json")
    again = load("m.json")
    rows = again.preprocessing_.transform("t.csv")
    assert again.preprocessing_.feature_names == ["a", "b", "c"]
    assert (again.predict(rows) == found.predict(rows)).all()


def test_a_proof_is_about_all_classes_together():
    p = Perceptron(multi_class="ovr", order="blocks", prove=True)
    with raises(InputError, option="prove", value=True):
        train(p, batches(*flowers(), 20))


def test_a_class_that_there_is_not_is_noticed(cache):
    X, y = flowers()
    pd.DataFrame(X).assign(kind=y).to_csv("t.csv", index=False)
    table = data.read("t.csv", target="kind")
    p = Perceptron(order="blocks", max_iter=2)
    train(p, table)
    (place,) = cache.rglob("y.bin")
    place.chmod(0o644)
    numbers = np.fromfile(place, np.int32)
    numbers[3] = 4
    numbers.tofile(place)
    with raises(FileError):
        train(p, table)
