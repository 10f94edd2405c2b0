"""Folders that others put there, link elsewhere or write into at the same time; disks that fill up.

Kills at random moments and between any two steps are in tests/out_of_core/test_faults.py,
tests/model/test_checkpoint.py and tests/study/test_study_killed.py.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from crashing import command_ended
from rosenblatt import Perceptron, data, load, train
from rosenblatt._out_of_core.sources import key_of, source_of
from rosenblatt.errors import FileError
from sources import frame


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame(300).to_csv("t.csv", index=False)
    return tmp_path


def trained(cache="cache"):
    p = Perceptron(order="blocks", max_iter=3, random_state=0)
    return train(p, data.read("t.csv", target="label").stream(), cache=cache).coef_.tobytes()


def key():
    return key_of(source_of(data.read("t.csv", target="label").stream()))


def everything_in(place):
    return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}


# --- Somebody else's ----------------------------------------------------------------------------


def put_file(place):
    place.write_text("precious")


def put_folder(place):
    place.mkdir()
    (place / "precious").write_text("precious")


def put_rubbish(place):
    put_folder(place)
    for name in ("meta.json", "X.bin", "y.bin", "source.json"):
        (place / name).write_bytes(b'{"rows": 1e999, "fingerprint": [[[[')


def put_link(place):
    other = place.parent.parent / "elsewhere"
    put_folder(other)
    place.symlink_to(other)


def put_dangling_link(place):
    place.symlink_to(place.parent.parent / "nowhere")


def put_loop(place):
    place.symlink_to(place)


PUT = [put_file, put_folder, put_rubbish, put_link, put_dangling_link, put_loop]


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("name", ["{key}", "{key}.lock", "{key}/X.bin", "stranger"])
def test_what_others_put_into_the_cache_changes_no_result(folder, put, name):
    right = trained("mine")
    cache = folder / "cache"
    cache.mkdir()
    place = cache / name.format(key=key())
    place.parent.mkdir(exist_ok=True)
    put(place)
    try:
        assert trained() == right
    except FileError as error:
        assert "\n" not in str(error)  # noqa: PT017 - refused, in a sentence
    elsewhere = folder / "elsewhere"
    if elsewhere.exists():
        assert everything_in(elsewhere) == {"precious": b"precious"}
    assert not (folder / "nowhere").exists()
    if name == "stranger" and put in (put_file, put_folder, put_rubbish):
        assert place.exists()


@pytest.mark.parametrize("put", [put_file, put_dangling_link, put_loop])
def test_a_cache_that_is_no_folder(folder, put):
    (folder / "inner").mkdir()
    put(folder / "inner" / "cache")
    try:
        trained("inner/cache")
    except FileError as error:
        assert "cache" in str(error)  # noqa: PT017
    if put is put_file:
        assert (folder / "inner" / "cache").read_text() == "precious"


def test_a_cache_behind_a_link(folder):
    (folder / "real").mkdir()
    (folder / "cache").symlink_to(folder / "real")
    assert trained() == trained("mine")
    assert everything_in(folder / "real")


# --- At the same time ---------------------------------------------------------------------------


def _train(place, gate, found):
    os.chdir(place)
    warnings.simplefilter("ignore")
    gate.wait()
    found.put(trained())


def together(count, target, *given):
    context = multiprocessing.get_context("fork")
    gate, found = context.Barrier(count), context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking where threads are
        running = [context.Process(target=target, args=(*given, gate, found)) for _ in range(count)]
        for process in running:
            process.start()
    results = [found.get(timeout=300) for _ in running]
    for process in running:
        process.join()
    assert [process.exitcode for process in running] == [0] * count
    return results


def test_processes_that_race_for_one_cache_all_get_the_same_rows(folder, heavy):
    right = trained("mine")
    for turn in range(heavy(60)):
        frame(300).to_csv("t.csv", index=False)  # other files, as their time has changed
        os.utime("t.csv", ns=(turn * 10**9, turn * 10**9))
        assert together(4, _train, folder) == [right] * 4
        left = [path.name for path in (folder / "cache").iterdir()]
        assert not [name for name in left if name.startswith(".") or name.endswith(".lock")]


def fitted(folder, seed, more):
    """The exit code of a process of its own."""
    given = ["t.csv", "-y", "label", "-o", "out", "--seed", seed, "-q", *more]
    return command_ended(["fit", *given], folder)


@pytest.mark.parametrize("more", [[], ["--force"]])
def test_two_fits_into_one_folder_leave_one_of_them_whole(folder, heavy, more):
    for _ in range(heavy(40) if more else 1):
        with ThreadPoolExecutor(2) as threads:
            codes = list(threads.map(lambda seed: fitted(folder, seed, more), "01"))
        assert set(codes) <= {0, 2}
        assert 0 in codes
        report = (folder / "out" / "report.html").read_text()
        found = json.loads(report.partition('id="report">')[2].partition("</script>")[0])
        model = load(folder / "out" / "model.json")  # it and the page are of one seed
        assert model.random_state == found["split"]["seed"]
        assert (folder / "out" / "certificate.json").exists()
        assert not [p.name for p in folder.iterdir() if p.name.startswith(".")]


# --- A small file system ------------------------------------------------------------------------

FILLING = """
import os, sys, warnings
import numpy as np
from pathlib import Path
from rosenblatt import Perceptron, data, save, train
from rosenblatt._study import robustness
from rosenblatt.cli import run
from rosenblatt.errors import RosenblattError
warnings.simplefilter("ignore")
small, table = Path(sys.argv[1]), sys.argv[2]
robustness.SIGNS_WORK //= 20  # nothing of what is found can be written
X = np.random.default_rng(0).normal(size=(4000, 8)); hard = X[:, 0] + X[:, 1] ** 3 > 0
stream = lambda: data.read(table, target="label").stream()
p = lambda **more: Perceptron(order="blocks", max_iter=2, random_state=0, **more)
attempts = {
    "cache": lambda: train(p(), stream(), cache=small / "cache"),
    "checkpoint": lambda: train(p(keep="vote"), (X, hard), checkpoint=small / "c"),
    "model": lambda: save(p(keep="vote").fit(X, hard), small / "m.json"),
    "fit": lambda: run(["fit", table, "-y", "label", "-o", str(small / "out"), "-q"]),
}
for name, attempt in attempts.items():
    try:
        print(name, attempt() if name == "fit" else bool(attempt() or True), end=" ")
    except (RosenblattError, OSError) as error:
        print(name, type(error).__name__, end=" ")
    print(sorted(os.listdir(small)))
"""


def test_a_small_file_system_that_fills_up(folder):
    frame(1000).to_csv("t.csv", index=False)
    small = folder / "small"
    small.mkdir()
    mount = 'mount -t tmpfs -o size=24k none "$1" && exec "$2" -c "$3" "$1" "$4"'
    given = [small, sys.executable, FILLING, folder / "t.csv"]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, "sh", *given],
        capture_output=True,
        text=True,
        check=False,
    )
    if (done.returncode and "mount" in done.stderr) or "unshare" in done.stderr:
        pytest.skip(f"cannot mount a small file system: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line.split(" ", 2)[1:] for line in done.stdout.splitlines()}
    assert lines["cache"] == ["FileError", "['cache']"]
    assert lines["checkpoint"][0] == "FileError"
    assert lines["model"][0] == "FileError"
    assert lines["fit"][0] == "2"
    assert "No space left" in done.stderr or "no room" in done.stderr.lower()
    for name in ("model", "fit"):  # nothing is left half written
        assert "m.json" not in lines[name][1]
        assert "out" not in lines[name][1]
        assert ".rosenblatt" not in lines[name][1]
