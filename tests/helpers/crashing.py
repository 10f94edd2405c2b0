"""Trainings in processes of their own, to be killed: always the same, whoever runs them."""

import os
import signal
import sys
import time
import warnings

import numpy as np

import searching
from forked import server


class Crash(Exception):  # noqa: N818 - it is not an error of ours
    """As sudden as a test can be within one process."""


SOURCES = ["shuffle best", "cyclic vote", "blocks best", "stream"]


def arrays(n=3000):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, "good", "bad")


def batches():
    X, y = arrays()
    for i in range(0, len(y), 700):
        yield X[i : i + 700], y[i : i + 700]


def perceptron(order, keep, max_iter=4):
    from rosenblatt import Perceptron

    return Perceptron(order=order, keep=keep, max_iter=max_iter, patience=None, random_state=3)


def run(source, place):
    """Train with a checkpoint and save the model, both in `place`."""
    from rosenblatt import save, train
    from rosenblatt._core.backend import compute

    compute.chunk, compute.block = 16 * 500, 1000  # many states to be killed in
    warnings.simplefilter("ignore")
    rows, options = arrays(), {"checkpoint": place / "run.checkpoint", "checkpoint_every": 0}
    if source == "stream":
        p = perceptron("blocks", "best")
        rows, options["cache"] = batches, place / "cache"
    elif source == "long":
        p, options["checkpoint_every"] = perceptron("shuffle", "best", max_iter=2000), 3600
    elif source == "cyclic vote":  # it is written after every update
        p, rows = perceptron("cyclic", "vote", max_iter=1), arrays(200)
    else:
        p = perceptron(*source.split())
    save(train(p, rows, **options), place / "model.json")


def _run_until(step, source, place):
    """Kill this process at a step of the third writing of the checkpoint."""
    from rosenblatt._model import checkpoint
    from rosenblatt._util import files

    turns = 0
    write = checkpoint.Checkpoint.write

    def die(*_args, **_more):
        os.kill(os.getpid(), signal.SIGKILL)

    def opened(*args, **more):
        file = open(*args, **more)  # noqa: SIM115 - whoever asked closes it
        if turns == 3 and step == "write":
            file.write(b"half of it")
            file.flush()
            die()
        return die() if turns == 3 and step == "open" else file

    def writing(self, state):
        nonlocal turns
        turns += 1
        if turns == 3 and step in ("fsync", "replace"):
            setattr(files.os, step, die)
        write(self, state)
        if turns == 3:
            die()

    checkpoint.Checkpoint.write = writing
    files.open = opened
    run(source, place)


def command(arguments, place, amounts, writes=None):
    """Run the command in a folder, and die when so many checkpoints were written."""
    from rosenblatt._core.backend import compute
    from rosenblatt._model import checkpoint
    from rosenblatt.cli import run

    compute.chunk, compute.block = 16 * 50, 100  # many states to be killed in
    searching.search(amounts)
    os.chdir(place)
    write, left = checkpoint.Checkpoint.write, writes

    def writing(self, state):
        nonlocal left
        write(self, state)
        if left is not None:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    checkpoint.Checkpoint.write = writing
    os._exit(run(arguments))


def command_ended(arguments, place, writes=None):
    """The exit code of a command in a process of its own: -9 where it was killed."""
    given = (arguments, place, searching.amounts(), writes)
    process = server().Process(target=command, args=given)
    process.start()
    process.join()
    return process.exitcode


STEPS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.chmod")
STEPS += ("os.listdir", "os.scandir")  # what is audited of files and folders (PEP 578)


def _die_before(step, place):
    """Kill this process before its step of this number in a folder; returns how many there were."""
    taken = 0

    def look(event, args):
        nonlocal taken
        if event in STEPS and str(args[0]).startswith(str(place)):
            taken += 1
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)
    return lambda: taken


def _write_and_die(write, place, step, exchanging):
    from rosenblatt._util import files

    if not exchanging:
        files.exchange = lambda a, b: False
    os.chdir(place)
    taken = _die_before(step, place)
    write()
    os._exit(taken())


def killed_before(step, write, place, *, exchanging):
    """Run write() in a folder, killed before a step there: how many it took, if it came so far."""
    process = server().Process(target=_write_and_die, args=(write, place, step, exchanging))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL or process.exitcode > 1
    return None if process.exitcode < 0 else process.exitcode


def started(source, place):
    process = server().Process(target=run, args=(source, place))
    process.start()
    return process


def _terminated_in(turn, source, place):
    """SIGTERM comes in this chunk of rows; what the checkpoint was in the first is kept."""
    from rosenblatt._model import checkpoint

    chunk, turns = checkpoint.Checkpoint.chunk, 0

    def trained(self, state):
        nonlocal turns
        turns += 1
        if turns == 1:
            (place / "begun").write_bytes((place / "run.checkpoint").read_bytes())
        elif turns == turn:
            os.kill(os.getpid(), signal.SIGTERM)
        chunk(self, state)

    checkpoint.Checkpoint.chunk = trained
    run(source, place)


def terminated_in(turn, source, place):
    process = server().Process(target=_terminated_in, args=(turn, source, place))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGTERM


def killed_after(seconds, source, place):
    process = started(source, place)
    process.join(seconds)
    process.kill()
    process.join()


def killed_in(step, source, place):
    process = server().Process(target=_run_until, args=(step, source, place))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def run_to_the_end(source, place):
    """The same command again; returns the model file."""
    process = started(source, place)
    process.join()
    assert process.exitcode == 0
    return (place / "model.json").read_bytes()


def uninterrupted(source, place):
    """The model file of a training that nobody kills, and how long it took."""
    other = place / "uninterrupted"
    other.mkdir()
    begin = time.monotonic()
    content = run_to_the_end(source, other)
    return content, time.monotonic() - begin
