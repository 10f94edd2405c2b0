"""A real cluster of processes on this machine: the same bits, whoever dies."""

import json
import os
import signal
import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from common import may_not_converge, may_not_separate, noisy
from machines import Deadly, learned
from raising import raises
from rosenblatt import Perceptron, certify, certify_stored, train
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core.engine import OnDask
from rosenblatt.errors import InputError

pytestmark = [
    may_not_converge,
    may_not_separate,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
BLOCK, SHARD = 50, 2
ORDERS = ["blocks", "mixed", "batch"]
X, Y = noisy(400)


@pytest.fixture(scope="module")
def cluster():
    """Three workers, each a process."""
    with LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as found:
        yield found


@pytest.fixture(scope="module")
def client(cluster):
    with Client(cluster) as found:
        yield found


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(compute, "block", BLOCK)
    monkeypatch.setattr(compute, "shard", SHARD)


def fitted(order, engine=None, **more):
    p = Perceptron(order=order, max_iter=2, patience=None, random_state=2, **more)
    return learned(p.fit(X, Y) if engine is None else train(p, (X, Y), engine=engine))


class Few:
    """A client that gives work to some of the workers only."""

    def __init__(self, client, number):
        self._client = client
        self._workers = sorted(client.nthreads())[:number]

    def nthreads(self):
        return dict.fromkeys(self._workers, 1)

    def submit(self, *given, **options):
        return self._client.submit(*given, workers=self._workers, **options)

    def __getattr__(self, name):
        return getattr(self._client, name)


def test_rows_in_memory_come_without_a_warning(client):
    """Warnings are errors here. Dask warns of graphs from 10 MB on, here of those with all of X."""
    rows = da.from_array(X, chunks=X.shape), da.from_array(Y, chunks=len(Y))
    p = Perceptron(order="batch", max_iter=2, patience=None, random_state=2)
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": X.nbytes}):
        assert learned(train(p, rows, engine=client)) == fitted("batch")


def test_one_two_and_three_workers(client):
    expected = {order: fitted(order, class_weight="balanced") for order in ORDERS}
    proof = certify_stored((X, Y)).to_dict()
    for workers in (1, 2, 3):
        engine = OnDask(Few(client, workers))
        assert engine.at_once == workers
        for order in ORDERS if workers == 3 else ORDERS[1:]:  # the ring is slow: once
            assert fitted(order, engine, class_weight="balanced") == expected[order]
        assert certify_stored((X, Y), engine=engine).to_dict() == proof


@pytest.mark.parametrize(
    ("order", "doomed"), [("blocks", "visit"), ("mixed", "mix"), ("batch", "descend")]
)
def test_a_worker_is_killed_inside_a_call(order, doomed, client, tmp_path):
    client.wait_for_workers(2, timeout=60)
    engine = Deadly(OnDask(client), tmp_path, doomed)
    assert fitted(order, engine) == fitted(order)
    assert len(engine.killed) == 1


def test_a_worker_is_killed_while_a_proof_is_looked_for(client, tmp_path):
    client.wait_for_workers(2, timeout=60)
    y = X[:, 0] > 0.1
    engine = Deadly(OnDask(client), tmp_path, "look")
    found = certify_stored((X, y), engine=engine)
    assert len(engine.killed) == 1
    assert found.verdict == certify(X, y).verdict == "complete separation"
    found.verify(X, y)


SCRIPT = """
import os, signal, sys
import numpy as np
from common import noisy
from rosenblatt import Perceptron, train
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core.fit import PartitionedLearner

compute.block, compute.shard = 50, 2
descend, steps = PartitionedLearner.descend, []

def dying(*given):
    steps.append(1)
    if len(steps) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return descend(*given)

PartitionedLearner.descend = dying
p = Perceptron(order="batch", max_iter=2, patience=None, random_state=2)
train(p, noisy(400), engine=sys.argv[1], checkpoint=sys.argv[2], checkpoint_every=0)
"""


def test_the_coordinator_is_killed_and_goes_on(cluster, client, tmp_path):
    place = tmp_path / "run.checkpoint"
    died = subprocess.run(
        [sys.executable, "-c", SCRIPT, cluster.scheduler_address, place],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    p = Perceptron(order="batch", max_iter=2, patience=None, random_state=2)
    found = train(p, (X, Y), engine=client, checkpoint=place)
    assert learned(found) == fitted("batch")


def test_dask_arrays_and_frames_stay_where_they_are(client):
    expected = fitted("blocks")
    p = Perceptron(order="blocks", max_iter=2, patience=None, random_state=2)
    arrays = da.from_array(X, chunks=(130, 2)), da.from_array(Y, chunks=77)
    assert learned(train(p, arrays, engine=client)) == expected
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    table = dd.from_pandas(frame.assign(label=np.where(Y > 0, "yes", "no")), npartitions=4)
    names = list(frame.columns)
    found = train(p, (table[names], table["label"]), engine=client)
    assert learned(found) == expected
    assert found.classes_.tolist() == ["no", "yes"]
    assert list(found.feature_names_in_) == names
    with raises(InputError):
        train(p, (da.where(arrays[0] > 1, np.nan, arrays[0]), arrays[1]), engine=client)


def test_fit_on_a_cluster_says_what_fit_says(cluster, client, shell, tmp_path):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    frame.assign(label=np.where(Y > 0, "yes", "no")).to_csv("t.csv", index=False)
    given = ["fit", "t.csv", "--target", "label", "--json", "-q", "--no-comparison"]
    code, streamed, err = shell(*given, "--stream", "-o", "streamed")
    assert (code, err) == (0, "")
    code, found, err = shell(*given, "--engine", cluster.scheduler_address, "-o", "found")
    assert (code, err) == (0, "")
    both = [json.loads(text) for text in (streamed, found)]
    for document in both:
        for timed in ("seconds", "files", "proof", "forced"):  # how long it took to check
            document.pop(timed, None)
    assert both[0] == json.loads(json.dumps(both[1]).replace("found", "streamed"))
    models = [(tmp_path / name / "model.json").read_bytes() for name in ("streamed", "found")]
    assert models[0] == models[1]
