"""Engines in this process: whatever they do, the bits are the same."""

import pickle
import re
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import may_not_converge, may_not_separate, noisy
from machines import Hostile, learned
from raising import raises
from rosenblatt import (
    AROW,
    PassiveAggressive,
    Perceptron,
    certify,
    certify_stored,
    predict_stored,
    train,
)
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core import client
from rosenblatt._out_of_core.client import Client, Pace
from rosenblatt._out_of_core.engine import Lost
from rosenblatt._out_of_core.partitions import bounds
from rosenblatt.errors import EngineError, InputError, InputTypeError

ORDERS = ["cyclic", "blocks", "mixed", "batch"]
KEEPS = ["last", "best", "average"]
pytestmark = [may_not_converge, may_not_separate]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(compute, "block", 10)
    monkeypatch.setattr(compute, "shard", 2)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
def test_threads_are_memory(order, keep):
    X, y = noisy(90)
    for more in [{}, {"class_weight": "balanced", "fit_intercept": False, "margin": "scale"}]:
        p = Perceptron(order=order, keep=keep, max_iter=4, random_state=5, **more)
        expected = learned(p.fit(X, y))
        for workers in (1, 2, 7):
            with ThreadPoolExecutor(workers) as engine:
                assert learned(train(p, (X, y), engine=engine)) == expected
        assert p.update_counts_ is None


@given(
    seed=st.integers(0, 10**6),
    at_once=st.integers(1, 9),
    order=st.sampled_from(ORDERS),
    keep=st.sampled_from(KEEPS),
    block=st.integers(1, 40),
    shard=st.sampled_from([1, 2, 4, 8]),
    limit=st.sampled_from([None, 1, 7, 40]),
)
def test_a_hostile_engine_changes_no_bit(seed, at_once, order, keep, block, shard, limit):
    X, y = noisy(70, seed=seed % 10)
    given = {"order": order, "keep": keep, "random_state": seed}
    given["max_updates"] = None if order == "mixed" else limit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", block)
        patch.setattr(compute, "shard", shard)
        p = Perceptron(max_iter=3, **given)
        expected = learned(p.fit(X, y))
        engine = Hostile(seed, at_once)
        assert learned(train(p, (X, y), engine=engine)) == expected
        assert engine.calls > 0


@pytest.mark.parametrize("rule", [AROW, PassiveAggressive])
def test_other_rules(rule):
    X, y = noisy(90)
    p = rule(order="blocks", max_iter=3, random_state=1)
    assert learned(train(p, (X, y), engine=Hostile(0))) == learned(p.fit(X, y))


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@pytest.mark.parametrize("order", ORDERS)
def test_many_classes(order, multi_class):
    X, _ = noisy(90)
    y = np.digitize(X[:, 0], [-0.4, 0.5])
    p = Perceptron(order=order, multi_class=multi_class, max_iter=3, random_state=1)
    assert learned(train(p, (X, y), engine=Hostile(0))) == learned(p.fit(X, y))


def test_sparse_rows():
    X, y = noisy(90)
    X = sparse.csr_array(np.where(np.abs(X) < 0.5, 0, X))
    p = Perceptron(order="blocks", max_iter=3, random_state=1)
    assert learned(train(p, (X, y), engine=Hostile(0))) == learned(p.fit(X, y))


def test_processes():
    X, y = noisy(90)
    p = Perceptron(order="batch", max_iter=3, random_state=1, class_weight="balanced")
    expected = learned(p.fit(X, y))
    with ProcessPoolExecutor(2) as engine:
        assert learned(train(p, (X, y), engine=engine)) == expected
        assert learned(train(p.set_params(order="blocks"), (X, y), engine=engine)) == learned(
            p.fit(X, y)
        )


def test_training_begun_in_one_place_goes_on_in_another(tmp_path):
    X, y = noisy(90)
    y = np.digitize(X[:, 0], [-0.4, 0.5])
    for multi_class in ("joint", "ovr"):
        given = {"multi_class": multi_class, "class_weight": "balanced", "order": "blocks"}
        rule = Perceptron(max_iter=5, patience=None, random_state=0, **given)
        expected = learned(rule.fit(X, y))
        here, more = tmp_path / multi_class, {"checkpoint": tmp_path / multi_class}
        batches = lambda: iter([(X, y)])  # noqa: E731
        train(Perceptron(max_iter=2, patience=None, random_state=0, **given), batches, **more)
        assert here.exists()
        assert learned(train(rule, (X, y), engine=Hostile(3), **more)) == expected


def test_partitions_are_whole_shards():
    for n in (1, 19, 20, 21, 199, 1000):
        for at_once in range(1, 12):
            parts = bounds(n, at_once)
            assert parts[0][0] == 0
            assert parts[-1][1] == n
            assert all(begin % 20 == 0 for begin, _ in parts)
            assert [end for _, end in parts[:-1]] == [begin for begin, _ in parts[1:]]
            assert len(parts) == min(at_once, -(-n // 20))
            shards = [-(-(end - begin) // 20) for begin, end in parts]
            assert max(shards) - min(shards) <= 1


# --- What is refused, before anything is read ---


class Nobody(Executor):
    """Must not be asked."""

    def submit(self, *_):
        raise AssertionError


@pytest.mark.parametrize(
    "given",
    [
        {"order": "shuffle"},
        {"order": "random"},
        {"order": "blocks", "keep": "pocket"},
        {"order": "blocks", "keep": "vote"},
        {"order": "blocks", "tol": 1e-3},
    ],
)
def test_what_an_engine_cannot_do_is_refused_with_the_counterpart(given):
    with raises(InputError):
        train(Perceptron(**given), "nowhere.svm", engine=Nobody())


@pytest.mark.parametrize(
    ("engine", "error"),
    [
        ("dask", EngineError),
        (3, InputTypeError),
        ("tcp://127.0.0.1:1", EngineError),
    ],
)
def test_what_is_no_engine_is_refused(engine, error, monkeypatch):
    monkeypatch.setattr("rosenblatt._out_of_core.engine._PATIENCE", 0.5)
    with raises(error):
        train(Perceptron(order="blocks"), noisy(30), engine=engine)


def test_all_machines_have_the_same_version(monkeypatch):
    class Other(Hostile):
        def _done(self, handle):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(client, "__version__", "0.0.9")
                return super()._done(handle)

    with raises(EngineError):
        train(Perceptron(order="blocks"), noisy(30), engine=Other(0))


def test_a_machine_without_rosenblatt():
    class Bare(Hostile):
        def gather(self, handles):
            raise ModuleNotFoundError("No module named 'rosenblatt'")

    with raises(EngineError):
        train(Perceptron(order="blocks"), noisy(30), engine=Bare(0))


def test_calls_that_are_always_lost_end():
    class Losing(Hostile):
        def gather(self, handles):
            raise Lost(range(len(handles)), "gone")

    with raises(EngineError):
        train(Perceptron(order="blocks"), noisy(30), engine=Losing(0))


def test_a_broken_executor_says_what_to_do():
    class Broken(ThreadPoolExecutor):
        def submit(self, work, *given):
            from concurrent.futures.process import BrokenProcessPool

            found = Future()
            found.set_exception(BrokenProcessPool("a process died"))
            return found

    with raises(EngineError):
        train(Perceptron(order="blocks"), noisy(30), engine=Broken(1))


def test_rows_that_a_worker_does_not_see(tmp_path):
    from rosenblatt._out_of_core.partitions import StoredPartition, load_stored
    from rosenblatt.errors import FileError

    part = pickle.loads(pickle.dumps(StoredPartition(str(tmp_path), "mark", 0, 10, 100)))
    assert part.__sizeof__() == 100
    with raises(FileError):
        load_stored(part)


def test_an_estimator_is_left_as_it_was():
    X, y = noisy(30)
    p = Perceptron(order="blocks", max_iter=3, random_state=0).fit(X, y)
    before = learned(p)

    class Failing(Hostile):
        def call(self, work, *given):
            if self.calls > 3:
                raise EngineError("no more")
            return super().call(work, *given)

    with raises(EngineError):
        train(p, (X, y), engine=Failing(0))
    assert learned(p) == before


# --- Besides training ---


@pytest.mark.parametrize("classes", [2, 3])
def test_predictions(classes):
    X, _ = noisy(90)
    y = np.digitize(X[:, 0], [-0.4, 0.5][: classes - 1])
    p = Perceptron(max_iter=3, random_state=1).fit(X, y)
    assert predict_stored(p, (X, y), engine=Hostile(1)).tolist() == p.predict(X).tolist()
    with raises(InputError):
        predict_stored(p, (X[:, :1], y))
    with raises(InputTypeError):
        predict_stored("p", (X, y))


@pytest.mark.parametrize("rare", [False, True], ids=["a column is a sum", "a column is mostly 0"])
def test_a_verdict_about_rows_that_lie_in_a_plane(rare, rng):
    """All of them, or those that are looked at first: either way it is the one of `certify`."""
    X = rng.integers(-3, 4, size=(3000, 3)).astype(float)
    last = np.arange(3000) == 1234 if rare else X[:, 0] + X[:, 1]
    X, y = np.column_stack([X, last]), rng.integers(0, 2, 3000)
    found, expected = certify_stored((X, y)), certify(X, y)
    assert found.verdict == expected.verdict == ("quasi-complete separation" if rare else "overlap")
    found.verify(X, y)


def test_progress_tells_how_fast_each_worker_is(capfd):
    X, y = noisy(90)
    p = Perceptron(order="mixed", max_iter=2, patience=None, random_state=1, verbose=1)
    with ThreadPoolExecutor(2) as engine:
        train(p, (X, y), engine=engine)
    line = capfd.readouterr().err.splitlines()[-1]
    assert re.search(r"epoch 2/2: .* [\d,]+ rows/s \(\S+/\d+ [\d,]+\), at most 0:00:00 left", line)


def test_progress_of_many_workers_is_short():
    client = Client(Hostile(0))
    for number in range(9):
        client.paces[f"node/{number}"] = Pace(10 * (number + 1), 1.0)
    assert client.speeds() == "9 workers: node/0 10, node/8 90"
