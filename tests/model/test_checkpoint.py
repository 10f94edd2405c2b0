"""Training goes on from a checkpoint to the same bits, wherever it was stopped."""

import errno
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crashing
from common import KEEPS, ORDERS, X, Y, everything, may_not_converge, may_not_separate, noisy
from raising import raises
from rosenblatt import Perceptron, StopReason, train
from rosenblatt._core.backend import compute
from rosenblatt._model import checkpoint
from rosenblatt._training import orders
from rosenblatt.errors import FileError, InputError, InputTypeError, WeightsOverflowError

pytestmark = [may_not_converge, may_not_separate]


def perceptron(**given):
    choices = {"order": "shuffle", "margin": 0, "max_iter": 6, "random_state": 1}
    return Perceptron(**choices | given)


@pytest.fixture
def small_chunks(monkeypatch):
    """A few visits at a time, so that there is much to resume from."""
    monkeypatch.setattr(compute, "chunk", 16 * 7)
    monkeypatch.setattr(compute, "block", 25)


def to_the_end(p, source, path, crash_after, rng):
    """Train with crashes here and there; returns how many there were."""
    crashes = 0
    while True:
        crash_after(int(rng.integers(1, 12)), before=bool(rng.integers(2)))
        try:
            train(p, source, checkpoint=path, checkpoint_every=0)
        except crashing.Crash:
            crashes += 1
        else:
            return crashes


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
def test_crashes_change_nothing(order, keep, path, crash_after, rng):
    given = {"order": order, "keep": keep, "class_weight": {1: 2.0}, "margin": 0.1}
    expected = everything(perceptron(**given).fit(X, Y))
    p = perceptron(**given)
    crashes = to_the_end(p, (X, Y), path, crash_after, rng)
    assert crashes > (0 if order == "batch" else 1)
    assert everything(p) == expected


def test_the_answer_of_a_proof_is_part_of_it(path, crash_after, rng):
    given = {"max_iter": 1000, "patience": 1, "prove": True}
    expected = perceptron(**given).fit(X, Y)
    assert expected.stop_reason_ is StopReason.NOT_SEPARABLE
    p = perceptron(**given)
    assert to_the_end(p, (X, Y), path, crash_after, rng)
    assert everything(p) == everything(expected)
    assert p.certificate_.to_dict() == expected.certificate_.to_dict()


def test_after_the_end_the_result_is_there_at_once(path, monkeypatch):
    first = everything(train(perceptron(), (X, Y), checkpoint=path))
    monkeypatch.setattr(orders.Shuffle, "advance", None)  # nothing is left to be visited
    assert everything(train(perceptron(), (X, Y), checkpoint=path)) == first


def test_it_may_go_on_for_longer(path):
    train(perceptron(max_iter=3), (X, Y), checkpoint=path)
    p = train(perceptron(max_iter=6), (X, Y), checkpoint=path)
    assert everything(p) == everything(perceptron(max_iter=6).fit(X, Y))


def test_without_a_seed_that_of_the_checkpoint_is_used(path):
    first = train(perceptron(random_state=None), (X, Y), checkpoint=path)
    again = train(perceptron(random_state=None), (X, Y), checkpoint=path)
    assert everything(again) == everything(first)


OTHERS = {
    "order is 'cyclic' and was 'shuffle'": {"order": "cyclic"},
    "keep is 'last' and was 'best'": {"keep": "last"},
    "eta0 is 0.5 and was 1.0": {"eta0": 0.5},
    "margin is 1.0 and was 0.0": {"margin": 1.0},
    "fit_intercept is False and was True": {"fit_intercept": False},
    "patience is None and was 5": {"patience": None},
    "random_state is not what it was": {"random_state": 2},
    "the weights of the rows are not the same": {"class_weight": {1: 2.0}},
    "max_iter=5, but .* has come to 6 already": {"max_iter": 5},
    "max_updates=3, but .* already": {"max_updates": 3},
}


@pytest.mark.parametrize("reason", OTHERS)
def test_another_training_is_refused(reason, path):
    train(perceptron(), (X, Y), checkpoint=path)
    before = path.read_bytes()
    with raises(InputError):
        train(perceptron(**OTHERS[reason]), (X, Y), checkpoint=path)
    assert path.read_bytes() == before


def test_other_data_is_refused(path):
    train(perceptron(), (X, Y), checkpoint=path)
    other = X.copy()
    other[17, 1] = np.nextafter(other[17, 1], 9)
    for rows, labels in [
        (other, Y),
        (X[:-1], Y[:-1]),
        (X[:, :2], Y),
        (X, Y > 0),
    ]:
        with raises(InputError):
            train(perceptron(), (rows, labels), checkpoint=path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b[: len(b) // 2],
        lambda b: b"",
        lambda b: b"\x80\x04pickle",
        lambda b: b.replace(b'"updates": ', b'"updates": 1'),
        lambda b: b.replace(b'"version": 1', b'"version": 2'),
        lambda b: b.replace(b"rosenblatt checkpoint", b"something else"),
    ],
    ids=["truncated", "empty", "pickle", "changed", "newer", "other"],
)
def test_a_damaged_checkpoint_is_refused_and_kept(damage, path):
    train(perceptron(), (X, Y), checkpoint=path)
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    with raises(InputError):
        train(perceptron(), (X, Y), checkpoint=path)
    assert path.read_bytes() == damaged


@given(place=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_any_flipped_bit_is_seen(place, bit, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "flipped.checkpoint"
    path.unlink(missing_ok=True)
    train(perceptron(max_iter=1), (X, Y), checkpoint=path)
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1 << bit
    path.write_bytes(content)
    with pytest.raises(InputError):  # whose sentence depends on the place
        train(perceptron(max_iter=1), (X, Y), checkpoint=path)


def test_bad_arguments(path, tmp_path):
    with raises(InputError):
        train(perceptron(warm_start=True), (X, Y), checkpoint=path)
    for every in (-1, "60", None, float("nan")):
        with raises(InputError, option="checkpoint_every"):
            train(perceptron(), (X, Y), checkpoint=path, checkpoint_every=every)
    with raises(InputTypeError):
        train(perceptron(), (X, Y), checkpoint=3)
    with raises(FileError):
        train(perceptron(), (X, Y), checkpoint=tmp_path / "none" / "c")
    with raises(FileError):
        train(perceptron(), (X, Y), checkpoint=tmp_path)


def test_a_fit_without_checkpoint_writes_none(path, tmp_path):
    p = train(perceptron(), (X, Y), checkpoint=path)
    path.unlink()
    p.fit(X, Y)
    assert list(tmp_path.iterdir()) == []


def test_batch_steps_may_go_beyond_max_updates(path):
    given = {"order": "batch", "max_updates": 70, "patience": None}
    first = train(perceptron(**given), (X, Y), checkpoint=path)
    assert first.n_updates_ > 70
    assert everything(train(perceptron(**given), (X, Y), checkpoint=path)) == everything(first)


@pytest.mark.usefixtures("small_chunks")
def test_an_epoch_that_was_begun_is_not_cut_off(path, crash_after):
    crash_after(30)  # in the middle of the fourth epoch
    p = perceptron(order="cyclic", keep="last", patience=None)
    with pytest.raises(crashing.Crash):
        train(p, (X, Y), checkpoint=path, checkpoint_every=0)
    state = json.loads(path.read_bytes())["state"]
    assert state["under_way"]
    with raises(InputError, option="max_iter", value=2):
        train(p.set_params(max_iter=state["epoch"] - 1), (X, Y), checkpoint=path)


def test_a_generator_goes_on_as_if_nothing_had_happened(tmp_path):
    def script(folder, crash):
        generator = np.random.RandomState(0)
        folder.mkdir(exist_ok=True)
        made = [perceptron(random_state=generator, keep="last") for _ in "ab"]
        for name, p in zip("ab", made, strict=True):
            train(p, (X, Y), checkpoint=folder / name)
            if crash:
                return None
        return [everything(p) for p in made]

    script(tmp_path / "crashed", crash=True)
    whole = script(tmp_path / "whole", crash=False)
    assert script(tmp_path / "crashed", crash=False) == whole


@pytest.mark.parametrize("d", [2, 150], ids=["shown", "as bytes"])
def test_weights_that_overflow_leave_the_last_good_checkpoint(d, path):
    rows = np.full((12, d), 1e308)
    rows[::2, 1] = 1.7e308
    p = perceptron(order="cyclic", keep="last", max_iter=50, patience=None)
    with pytest.raises(WeightsOverflowError):
        train(p, (rows, [1, 0] * 6), checkpoint=path, checkpoint_every=0)
    with pytest.raises(WeightsOverflowError):  # it can be read
        train(p, (rows, [1, 0] * 6), checkpoint=path, checkpoint_every=0)


def test_of_two_that_begin_together_one_is_refused(path):
    first, second = (checkpoint.Checkpoint(path, 0) for _ in "ab")
    p, q = perceptron(), perceptron(order="cyclic")
    p._checkpoint, q._checkpoint = first, second
    resume = second.resume

    def late(*given, **more):  # the other one begins between looking and writing
        found = resume(*given, **more)
        p.fit(X, Y)
        return found

    second.resume = late
    with raises(FileError):
        q.fit(X, Y)


# --- What machines do ----------------------------------------------------------------------------


def test_a_read_only_folder_is_an_error_before_training(tmp_path, monkeypatch):
    if os.geteuid() == 0:  # root may write anywhere: the system's answer is given by hand

        def refuse(*args, **kwargs):
            raise OSError(errno.EROFS, "Read-only file system")

        monkeypatch.setattr("builtins.open", refuse)
    else:
        tmp_path.chmod(0o500)
    monkeypatch.setattr(orders.Shuffle, "advance", None)
    with raises(FileError):
        train(perceptron(), (X, Y), checkpoint=tmp_path / "run.checkpoint")


FULL = """
import resource, signal, sys
import numpy as np
sys.path.insert(0, {tests!r})
import crashing
from rosenblatt import train
from rosenblatt._model import checkpoint
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
turns = 0
write = checkpoint.Checkpoint.write
def writing(self, state):
    global turns
    turns += 1
    if turns == 4:  # from now on the disk is full
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    write(self, state)
checkpoint.Checkpoint.write = writing
train(crashing.perceptron("shuffle", "best"), crashing.arrays(), checkpoint={path!r},
      checkpoint_every=0)
"""


def test_a_full_disk_is_one_error_and_keeps_the_last_checkpoint(path):
    """RLIMIT_FSIZE: the system itself refuses to write more."""
    code = FULL.format(tests=str(Path(__file__).parents[1] / "helpers"), path=str(path))
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    last = found.stderr.strip().splitlines()[-1]
    assert "Cannot write" in last
    assert "File too large" in last
    assert "A file that was there is as it was" in last
    assert list(path.parent.iterdir()) == [path]
    p = train(crashing.perceptron("shuffle", "best"), crashing.arrays(), checkpoint=path)
    expected = crashing.perceptron("shuffle", "best").fit(*crashing.arrays())
    assert everything(p, X) == everything(expected, X)


@pytest.mark.parametrize("source", crashing.SOURCES)
def test_killed_at_random_moments(source, tmp_path, heavy, rng):
    """SIGKILL while it trains and while it writes; then the same command again."""
    expected, lasted = crashing.uninterrupted(source, tmp_path)
    for trial in range(heavy(50)):
        place = tmp_path / str(trial)
        place.mkdir()
        for _ in range(2):
            crashing.killed_after(rng.uniform(0, lasted), source, place)
            assert {f.name for f in place.iterdir() if not f.name.startswith(".")} <= {
                "run.checkpoint",
                "model.json",
                "cache",
            }
            if (place / "run.checkpoint").exists():  # whole, whenever one looks
                assert json.loads((place / "run.checkpoint").read_bytes())["version"] == 1
        assert crashing.run_to_the_end(source, place) == expected
        left = [f.name for f in place.iterdir() if f.name.startswith(".rosenblatt")]
        assert left == []


@pytest.mark.parametrize("step", ["open", "write", "fsync", "replace", "after"])
def test_killed_at_each_step_of_a_write(step, tmp_path):
    """The process kills itself there, in the third writing of the checkpoint."""
    expected, _ = crashing.uninterrupted("shuffle best", tmp_path)
    crashing.killed_in(step, "shuffle best", tmp_path)
    assert crashing.run_to_the_end("shuffle best", tmp_path) == expected
    assert [f for f in tmp_path.iterdir() if f.name.startswith(".rosenblatt")] == []


def test_sigterm_writes_the_checkpoint_and_ends_the_process(tmp_path):
    expected, _ = crashing.uninterrupted("long", tmp_path)
    crashing.terminated_in(20, "long", tmp_path)
    assert (tmp_path / "run.checkpoint").read_bytes() != (tmp_path / "begun").read_bytes()
    assert crashing.run_to_the_end("long", tmp_path) == expected


def test_ctrl_c_writes_the_checkpoint_and_leaves_the_best_so_far(path):
    X, y = noisy(2000)
    p = Perceptron(max_iter=10**6, patience=None, random_state=0)
    turns = itertools.count()

    class Pressed(checkpoint.Checkpoint):
        def chunk(self, state):
            if next(turns) == 20:
                os.kill(os.getpid(), signal.SIGINT)

    p._checkpoint = Pressed(path, 3600)
    with pytest.raises(KeyboardInterrupt):
        p.fit(X, y)
    del p._checkpoint
    assert p.stop_reason_ is StopReason.INTERRUPTED
    reached = p.n_iter_
    q = train(
        Perceptron(max_iter=reached + 5, patience=None, random_state=0), (X, y), checkpoint=path
    )
    whole = Perceptron(max_iter=reached + 5, patience=None, random_state=0).fit(X, y)
    assert everything(q, X) == everything(whole, X)


# --- Kept ones -----------------------------------------------------------------------------------

# Table 2.1 of Li Hang's book, from its third update to the seventh and last one.
LI_HANG = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
SAME = {"order": "cyclic", "keep": "last", "random_state": 0, "patience": 5, "prove": True}


def kept(name, path):
    shutil.copy(Path(__file__).parent / "checkpoint_files" / f"{name}.json", path)
    return {"checkpoint": path, "checkpoint_every": 0}


def test_training_goes_on_from_a_kept_checkpoint(path):
    options = kept("arrays", path)
    with raises(InputError):
        train(Perceptron(**SAME), (LI_HANG[0] + 1, LI_HANG[1]), **options)
    p = train(Perceptron(**SAME), LI_HANG, **options)
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[1.0, 1.0]], [-3.0])
    assert p.update_counts_.tolist() == [2, 0, 5]


def test_training_goes_on_from_a_kept_checkpoint_of_a_stream(path):
    options = kept("stream", path)
    p = train(Perceptron(**SAME), lambda: [LI_HANG], **options)
    assert (p.coef_.tolist(), p.intercept_.tolist(), p.n_updates_) == ([[1.0, 1.0]], [-3.0], 7)
