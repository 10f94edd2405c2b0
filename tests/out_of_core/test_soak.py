"""What takes long: another engine, and ten million rows. In `make soak`."""

import os
import subprocess
import sys

import numpy as np
import pytest

from common import may_not_converge, may_not_separate, noisy
from machines import Deadly, learned
from rosenblatt import Perceptron, certify_stored, train, verify
from rosenblatt._core.backend import compute

SOAK = os.environ.get("ROSENBLATT_SOAK") == "1"
pytestmark = [
    pytest.mark.skipif(not SOAK, reason="takes minutes, and a large library: make soak"),
    may_not_converge,
    may_not_separate,
]


@pytest.fixture(scope="module")
def on_ray():
    ray = pytest.importorskip("ray")
    path = os.pathsep.join(sys.path)
    ray.init(
        num_cpus=2,
        log_to_driver=False,
        include_dashboard=False,
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    from rosenblatt._out_of_core.engine import OnRay

    yield OnRay()
    ray.shutdown()


DOOMED = [("blocks", "visit"), ("mixed", "mix"), ("batch", "descend")]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(compute, "block", 50)
    monkeypatch.setattr(compute, "shard", 2)


@pytest.mark.filterwarnings("ignore")  # of the library
@pytest.mark.parametrize("order", ["cyclic", "blocks", "mixed", "batch"])
def test_ray_is_memory(order, on_ray, small):
    X, y = noisy(400)
    p = Perceptron(order=order, max_iter=2, random_state=2, class_weight="balanced")
    assert learned(train(p, (X, y), engine="ray")) == learned(p.fit(X, y))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("order", "doomed"), DOOMED)
def test_a_worker_of_ray_is_killed_inside_a_call(order, doomed, on_ray, small, tmp_path):
    X, y = noisy(400)
    p = Perceptron(order=order, max_iter=2, patience=None, random_state=2)
    expected = learned(p.fit(X, y))
    engine = Deadly(on_ray, tmp_path, doomed)
    assert learned(train(p, (X, y), engine=engine)) == expected
    assert len(engine.killed) == 1


@pytest.mark.filterwarnings("ignore")
def test_a_worker_of_ray_is_killed_while_a_proof_is_looked_for(on_ray, small, tmp_path):
    X, _ = noisy(400)
    engine = Deadly(on_ray, tmp_path, "look")
    found = certify_stored((X, X[:, 0] > 0.1), engine=engine)
    assert len(engine.killed) == 1
    assert found.to_dict() == certify_stored((X, X[:, 0] > 0.1)).to_dict()


def test_one_wrong_label_among_ten_million_rows(tmp_path):
    """It is found, and the stand-alone verifier accepts why no hyperplane separates the rows that
    the conflict names: a conflict needs no others."""
    n, d, size = 10_000_000, 20, 500_000
    truth = np.random.default_rng(1).normal(size=d)

    def batches():
        for k in range(n // size):
            X = np.random.default_rng(k).normal(size=(size, d)).astype(np.float32)
            y = X.astype(np.float64) @ truth > 0.5
            if k == 13:
                deepest = int(np.argmax(X.astype(np.float64) @ truth))
                y[deepest] = False
                wrong.append(k * size + deepest)
            yield X, y

    wrong = []
    found = certify_stored(batches, cache=tmp_path / "cache")
    assert found.separable is False
    assert wrong[-1] in found.conflict.rows
    rows = sorted(found.conflict.rows)
    X, y = _picked(batches, rows, size)
    certificate = tmp_path / "certificate.json"
    table = tmp_path / "rows.csv"
    _write(certificate, table, X, y, found)
    ran = subprocess.run(
        [sys.executable, verify.__file__, certificate, table],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout.splitlines()[0][:9]) == (0, "ACCEPTED:"), ran.stdout


def _picked(batches, rows, size):
    parts = dict(enumerate(batches()))
    return tuple(np.array([parts[i // size][j][i % size] for i in rows]) for j in (0, 1))


def _write(certificate, table, X, y, found):
    """The same conflict, about the rows that it names."""
    from rosenblatt import certify

    few = certify(X, y)
    assert few.separable is False
    assert len(few.conflict.rows) == len(found.conflict.rows)  # all of them are needed
    few.save(certificate)
    names = [*few.feature_names, "y"]
    lines = [",".join(names)]
    lines += [
        ",".join([*map(repr, x.astype(float).tolist()), str(label)])
        for x, label in zip(X, y, strict=True)
    ]
    table.write_text("\n".join(lines) + "\n")
