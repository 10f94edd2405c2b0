"""The cache and what happens to processes and disks: kills, company, no room, no permission."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from raising import raises
from rosenblatt import data
from rosenblatt._out_of_core import cache, store, tables
from rosenblatt._out_of_core.cache import stored
from rosenblatt._util.progress import heard_by
from rosenblatt.errors import FileError
from sources import frame, same

# Encodes t.csv into the folder cache; may do something else before.
CHILD = """
import os, resource, sys, time
from pathlib import Path
from rosenblatt import data
from rosenblatt._out_of_core import store, tables
from rosenblatt._out_of_core.cache import stored
from rosenblatt._util.progress import heard_by
store.PASS = tables.PASS = 4000

def told(what, done, total):
    if what == "scaling" and not done:  # in the middle
        print("encoding", flush=True)
        sys.stdin.readline()

def rows():
    table = data.read("t.csv", target="label")
    return stored(table.stream(), folder=Path("cache"))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame(2000).to_csv("t.csv", index=False)
    return tmp_path


def child(code, folder, **more):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD + code],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **more,
    )


def is_right():
    """The rows are those of memory now, and nothing else is in the cache than whole folders."""
    table = data.read("t.csv", target="label")
    X, y, _ = table.encode()
    with stored(table, folder=Path("cache")) as rows:
        assert same(rows, X, y)
    names = os.listdir("cache")
    assert all(store.read(Path("cache") / name) for name in names), names
    return True


def test_killed_at_any_moment(folder, heavy):
    """SIGKILL while rows are encoded again and again, as of a file that changes."""
    code = """
while sys.stdin.readline():
    victim, k = os.fork(), 0
    while victim == 0:
        k += 1
        os.utime("t.csv", ns=(k, k))
        with rows(): os.write(1, b"once\\n" if k == 1 else b"")
    print(victim, flush=True)
    os.waitpid(victim, 0)
    print("killed", flush=True)
"""
    rng = random.Random(0)
    with child(code, folder) as nursery:
        for _ in range(heavy(60)):
            nursery.stdin.write("\n")
            nursery.stdin.flush()
            said = {nursery.stdout.readline() for _ in range(2)}  # it was encoded once
            time.sleep(0.1 * rng.random())
            os.kill(int(next(line for line in said if line != "once\n")), signal.SIGKILL)
            assert nursery.stdout.readline() == "killed\n"
            for name in os.listdir("cache"):  # what has its name is whole
                assert "rosenblatt" in name or ".lock" in name or store.read(Path("cache") / name)
            os.utime("t.csv")  # a key that is not there: the next writer cleans up
            assert is_right()
        nursery.stdin.close()


class Waiting:
    """Does something when it is told to wait; must not encode, or must."""

    def __init__(self, meanwhile, *, encodes):
        self.meanwhile, self.encodes, self.begun, self.said = meanwhile, encodes, False, ""

    def note(self, text):
        self.said += text
        self.meanwhile()

    def hear(self, what, done, total):
        self.begun = True

    def gets_the_rows(self):
        table = data.read("t.csv", target="label")
        X, y, _ = table.encode()
        with (
            pytest.MonkeyPatch.context() as patch,
            heard_by(self.hear),
        ):
            patch.setattr(cache, "note", self.note)
            with stored(table, folder=Path("cache")) as rows:
                assert same(rows, X, y)
        assert self.said.startswith("Another process is encoding the same rows")
        assert self.begun == self.encodes


def test_another_process_encodes_already_and_another_is_killed_meanwhile(folder):
    code = """
with heard_by(told), rows(): print("done", flush=True)
os.utime("t.csv", ns=(1, 1))
with heard_by(told), rows(): pass
"""
    with child(code, folder) as process:

        def go_on():
            process.stdin.write("\n")
            process.stdin.flush()

        assert process.stdout.readline() == "encoding\n"
        Waiting(go_on, encodes=False).gets_the_rows()
        assert process.stdout.readline() == "done\n"
        assert process.stdout.readline() == "encoding\n"
        Waiting(process.kill, encodes=True).gets_the_rows()
    assert is_right()


def test_a_disk_that_is_full_and_a_folder_that_refuses():
    """The kernel refuses every byte of a file beyond the 50,000th, as a full disk does; and nobody
    may write into root's folder."""
    code = """
def attempt():
    try:
        with rows(): pass
    except OSError as error: print(type(error).__name__, error)

resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, -1))
attempt()
print(os.listdir("cache"))
resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
os.chmod("cache", 0o555)
if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)
attempt()
"""
    with tempfile.TemporaryDirectory() as place:
        frame(2000).to_csv(f"{place}/t.csv", index=False)
        os.chmod(place, 0o755)
        with child(code, place) as process:
            full, left, refused = process.stdout.read().splitlines()
    assert full.startswith(f"FileError Cannot write into {place}/cache: File too large. Make room")
    assert "ROSENBLATT_CACHE" in full
    assert left == "[]"
    assert refused.startswith(f"FileError Cannot write into {place}/cache: Permission denied. ")


def test_no_room_is_seen_before_the_work(folder, monkeypatch):
    monkeypatch.setattr(store.shutil, "disk_usage", lambda _: Usage)

    class Usage:
        free = 20_000

    with (
        raises(FileError),
        stored(data.read("t.csv", target="label"), folder=Path("cache")),
    ):
        pass
    assert os.listdir("cache") == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, OSError])
def test_what_stops_the_preprocessing_goes_on_and_leaves_nothing(folder, error):
    def batches():
        yield np.ones((3, 2)), [0, 1, 1]
        raise error("stop")

    with raises(error), stored(batches, folder=Path("cache")):
        pass

    def stop(what, done, total):
        raise error("stop")

    with (
        raises(error),
        heard_by(stop),
        stored(data.read("t.csv", target="label"), folder=Path("cache")),
    ):
        pass
    assert os.listdir("cache") == []


def test_small_passes_are_the_same_bits(folder, monkeypatch):
    frame(200).to_csv("t.csv", index=False)
    fingerprints = set()
    for size in (1, 4000, 8 << 20):
        monkeypatch.setattr(store, "PASS", size)
        monkeypatch.setattr(tables, "PASS", size)
        os.utime("t.csv", ns=(size, size))
        with stored(data.read("t.csv", target="label"), folder=Path("cache")) as rows:
            fingerprints.add(rows.fingerprint)
    assert len(fingerprints) == 1
