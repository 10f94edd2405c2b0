"""train: what is read from disk block by block is learned as if it were in memory."""

import itertools
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from common import KEEPS, may_not_converge, may_not_separate, noisy
from raising import raises, warns
from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    RandomLinearClassifier,
    StopReason,
    data,
    load,
    save,
    train,
)
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core import fit as streamed_fit
from rosenblatt._out_of_core.fit import PartitionedBlocks
from rosenblatt._training import stopping
from rosenblatt.errors import FileError, InputError, InputTypeError
from sources import frame

ORDERS = ["cyclic", "blocks", "batch"]
pytestmark = [may_not_converge, may_not_separate]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compute, "block", 25)


def learned(p, rows):
    """All that training leaves behind, but for the counts by row."""
    names = ["n_iter_", "n_updates_", "training_errors_", "converged_", "stop_reason_"]
    found = [getattr(p, name) for name in names]
    arrays = [p.decision_function(rows), p.mistakes_]
    if p.keep != "vote":
        arrays += [p.coef_, p.intercept_]
    return found + [a.tobytes() for a in arrays] + [p.classes_.tolist(), p.n_features_in_]


def batches(X, y, size):
    return lambda: ((X[i : i + size], y[i : i + size]) for i in range(0, len(y), size))


@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
def test_streamed_is_in_memory(order, keep, storage):
    X, y = noisy(60)
    X = sparse.csr_array(np.where(np.abs(X) < 0.5, 0, X)) if storage == "csr" else X
    for class_weight, intercept, eta0 in [(None, True, 1.0), ("balanced", False, 0.1)]:
        p = Perceptron(
            order=order,
            keep=keep,
            eta0=eta0,
            margin=0.01,
            fit_intercept=intercept,
            max_iter=4,
            class_weight=class_weight,
            random_state=5,
        )
        expected = learned(p.fit(X, y), X)
        assert learned(train(p, batches(X, y, 17)), X) == expected
        assert p.update_counts_ is None


@given(
    size=st.integers(1, 70),
    block=st.integers(1, 70),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 100),
)
def test_whatever_the_size_of_batches(size, block, dtype, seed):
    X, y = noisy(60, seed=seed)
    X = X.astype(dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", block)
        p = Perceptron(order="blocks", max_iter=3, random_state=seed)
        expected = learned(p.fit(X, y), X)
        assert learned(train(p, batches(X, y, size)), X) == expected


FORMATS = ["csv", "csv.gz", "parquet", "feather"]


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("suffix", FORMATS)
def test_every_kind_of_table(suffix, several, tmp_path):
    table = frame(90)
    parts = [table[:31], table[31:32], table[32:]] if several else [table]
    for k, part in enumerate(parts):
        writer = {"csv": "csv", "csv.gz": "csv", "parquet": "parquet", "feather": "feather"}[suffix]
        index = {} if writer == "feather" else {"index": False}
        getattr(part.reset_index(drop=True), f"to_{writer}")(
            tmp_path / f"part-{k}.{suffix}", **index
        )
    found = data.read(str(tmp_path / f"part-*.{suffix}"), target="label")
    X, y, preprocessing = found.encode()
    X = pd.DataFrame(X, columns=preprocessing.feature_names)
    p = Perceptron(order="blocks", max_iter=5, random_state=0)
    expected = learned(p.fit(X, y), X)
    assert learned(train(p, found), X) == expected
    assert list(p.feature_names_in_) == preprocessing.feature_names
    assert p.preprocessing_.to_dict() == preprocessing.to_dict()


@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_svmlight_files(several, tmp_path):
    X, y = noisy(60)
    X = sparse.csr_matrix(np.where(np.abs(X) < 0.5, 0, X))
    cuts = [0, 20, 33, 60] if several else [0, 60]
    for k, (a, b) in enumerate(itertools.pairwise(cuts)):
        dump_svmlight_file(X[a:b], y[a:b], str(tmp_path / f"{k}.svm"))
    p = Perceptron(order="blocks", max_iter=5, random_state=0)
    together = "".join(f.read_text() for f in sorted(tmp_path.glob("*.svm")))
    (tmp_path / "all.libsvm").write_text(together)
    X, y, _ = data.read(tmp_path / "all.libsvm").encode()
    expected = learned(p.fit(X, y), X)
    assert learned(train(p, str(tmp_path / "*.svm")), X) == expected
    assert learned(train(p, [tmp_path / f"{k}.svm" for k in range(len(cuts) - 1)]), X) == expected


@pytest.mark.parametrize("order", ["shuffle", "random"])
def test_an_order_that_needs_all_rows_says_so(order):
    X, y = noisy(60)
    p = Perceptron(order=order, max_iter=4, random_state=5)
    expected = learned(p.fit(X, y), X)
    with warns(UserWarning):
        assert learned(train(p, batches(X, y, 17)), X) == expected


def test_a_proof_can_be_asked_for_of_rows_on_disk(monkeypatch):
    X, y = noisy(60)
    p = Perceptron(order="blocks", patience=1, prove=True, random_state=5)
    in_memory = p.fit(X, y).certificate_.to_dict()
    assert train(p, batches(X, y, 17)).stop_reason_ is StopReason.NOT_SEPARABLE
    assert p.certificate_.to_dict() == in_memory
    monkeypatch.setattr(streamed_fit, "MOST_ASKED", 100)  # too many bytes to ask about
    monkeypatch.setattr(stopping, "LEAST_READ", 10_000)
    assert train(p, batches(X, y, 17)).stop_reason_ is StopReason.PATIENCE
    assert p.certificate_ is None


def test_separable_rows_are_known_to_be(rng):
    X = rng.normal(size=(200, 2))
    y = X[:, 0] > 0
    p = train(Perceptron(order="blocks", keep="last", random_state=0), batches(X, y, 30))
    assert p.stop_reason_ is StopReason.CLEAN
    assert p.training_errors_ == 0


def test_saved_with_the_preprocessing_and_used_by_predict(tmp_path, shell):
    frame(90).to_csv(tmp_path / "t.csv", index=False)
    p = train(
        Perceptron(order="blocks", max_iter=5, random_state=0),
        data.read(tmp_path / "t.csv", target="label"),
    )
    save(p, tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.update_counts_ is None
    X, _, preprocessing = data.read(tmp_path / "t.csv", target="label").encode()
    X = pd.DataFrame(X, columns=preprocessing.feature_names)
    assert learned(loaded, X) == learned(p, X)
    code, out, err = shell("predict", tmp_path / "m.json", tmp_path / "t.csv")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 91
    # It goes on training, too.
    loaded.partial_fit(X[:5], p.predict(X[:5]))
    assert len(loaded.update_counts_) == 5


def test_fitting_again_forgets_the_preprocessing(tmp_path):
    frame(90).to_csv(tmp_path / "t.csv", index=False)
    p = Perceptron(order="blocks", max_iter=2, random_state=0)
    train(p, data.read(tmp_path / "t.csv", target="label"))
    save(p, tmp_path / "m.json")
    assert not hasattr(p.fit(*noisy(30)), "preprocessing_")
    q = RandomLinearClassifier(k=3, random_state=0)
    q.fit(*noisy(30)).preprocessing_ = load(tmp_path / "m.json").preprocessing_
    assert not hasattr(q.fit(*noisy(30)), "preprocessing_")


def test_a_checkpoint_of_a_stream_goes_on(tmp_path):
    X, y = noisy(60)
    options = {"checkpoint": tmp_path / "c", "checkpoint_every": 0}
    p = Perceptron(order="blocks", patience=None, random_state=1)
    train(p.set_params(max_iter=2), batches(X, y, 17), **options)
    train(p.set_params(max_iter=7), batches(X, y, 13), **options)  # the same rows
    found = learned(p, X)
    assert found == learned(p.fit(X, y), X)
    with raises(InputError):
        train(p, batches(X[::-1], y[::-1], 17), **options)


def test_ctrl_c_leaves_the_best_so_far_with_its_preprocessing(tmp_path, monkeypatch):
    frame(90).to_csv(tmp_path / "t.csv", index=False)
    table = data.read(tmp_path / "t.csv", target="label")
    advance = PartitionedBlocks.advance

    def pressed(self, state, most):
        if state.epoch == 3:
            os.kill(os.getpid(), signal.SIGINT)
        advance(self, state, most)

    monkeypatch.setattr(PartitionedBlocks, "advance", pressed)
    for keep, known in [("best", True), ("last", False), ("average", False), ("vote", False)]:
        p = Perceptron(order="blocks", keep=keep, patience=None, random_state=0)
        with pytest.raises(KeyboardInterrupt):
            train(p, table)
        assert p.stop_reason_ is StopReason.INTERRUPTED
        assert p.preprocessing_.feature_names == list(p.feature_names_in_)
        # Another pass over rows on disk is not waited for.
        assert (p.training_errors_ is not None) == known


def test_warm_start_goes_on(tmp_path):
    X, y = noisy(60)
    options = {"order": "blocks", "patience": None, "random_state": 1, "warm_start": True}
    p = Perceptron(max_iter=2, **options)
    train(p, batches(X, y, 17))
    train(p.set_params(max_iter=3), batches(X, y, 40))
    found = learned(p, X)
    assert found == learned(Perceptron(max_iter=5, **options).fit(X, y), X)
    q = train(p.set_params(max_iter=1), batches(X[::-1], y[::-1], 17))  # other rows: new, from w
    assert q.n_iter_ == 1


def test_a_class_without_weight_is_refused():
    X, y = noisy(60)
    with raises(InputError):
        train(Perceptron(order="blocks", class_weight={-1: 0.0}), batches(X, y, 17))


def test_a_model_keeps_its_preprocessing_when_it_is_saved_again(tmp_path):
    frame(90).to_csv(tmp_path / "t.csv", index=False)
    p = Perceptron(order="blocks", max_iter=2, random_state=0)
    save(train(p, data.read(tmp_path / "t.csv", target="label")), tmp_path / "a.json")
    save(load(tmp_path / "a.json"), tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(
    "wrong",
    [{"eta0": -1.0}, {"order": "sorted"}, {}],
)
def test_what_can_be_refused_is_refused_before_rows_are_encoded(wrong, tmp_path):
    def never():
        raise AssertionError

    checkpoint = None if wrong else tmp_path / "nowhere" / "c"
    with raises((InputError, FileError)):
        train(Perceptron(**{"order": "blocks"} | wrong), never, checkpoint=checkpoint)


def test_what_is_not_a_source():
    X, y = noisy(30)
    p = Perceptron(order="blocks", max_iter=2)
    with raises(InputError):
        train(KernelPerceptron(), (X, y))
    with raises(InputTypeError):
        train(p, iter([(X, y)]))
    with raises(InputError):
        train(p, "loans.csv")
    with raises(InputTypeError):
        train(p, X)
    assert not hasattr(p, "classes_")


def test_progress_tells_rows_per_second_and_time_left(capfd):
    X, y = noisy(60)
    train(Perceptron(order="blocks", max_iter=2, random_state=0, verbose=1), batches(X, y, 17))
    err = capfd.readouterr().err
    assert "rows" in err
    assert "rows/s" in err


LIMITED = """
import os, resource, sys
from rosenblatt import Perceptron, train
import rosenblatt._out_of_core.cache, rosenblatt._out_of_core.fit
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = used + int(sys.argv[1])
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    p = Perceptron(order="blocks", max_iter=2, patience=None, random_state=0)
    train(p, sys.argv[2], cache=sys.argv[3])
print(limit)
"""


def in_small_space(*arguments):
    """Run the above; returns the limit that was set."""
    found = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # each thread takes some of it
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return int(found.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_file_five_times_larger_than_the_address_space(tmp_path, heavy):
    """In soak larger than all that the process may have, else than what it may have more."""
    room = 48 << 20
    limit = in_small_space(room) if heavy(20) == 20 else room
    X = np.random.default_rng(0).normal(size=(1000, 20))
    lines = "".join(
        f"{1 if x[0] > 0 else -1} {' '.join(f'{j + 1}:{v!r}' for j, v in enumerate(x))}\n"
        for x in X.tolist()
    ).encode()
    path = tmp_path / "large.svm"
    with path.open("wb") as file:
        for _ in range(5 * limit // len(lines) + 2):
            file.write(lines)
    in_small_space(room, path, tmp_path / "cache")
    assert path.stat().st_size > 5 * limit
