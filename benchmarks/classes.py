"""Many classes: beside scikit-learn's Perceptron, and beside as many rules of two classes of ours.

The sparse case is source code: pieces of the Python files that are installed here, words as tf-idf;
the package that a file belongs to is its class.

Run with `make bench`; name cases to run only those: `python benchmarks/classes.py epoch`. MNIST is
used where the environment variable MNIST names a folder with its four files
(train-images-idx3-ubyte, ...); else rows like it are made.
"""

import os
import resource
import sys
import sysconfig
import threading
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from run import best_of, machine, main
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Perceptron as Theirs
from sklearn.model_selection import train_test_split

from rosenblatt import AROW, PassiveAggressive, Perceptron


def idx(path):
    """An array of bytes as the files of MNIST have it."""
    content = path.read_bytes()
    shape = np.frombuffer(content, dtype=">i4", offset=4, count=content[3])
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def digits():
    """Training rows and test rows, with numbers from 0 to 1, a fifth of them not 0."""
    folder = os.environ.get("MNIST")
    if folder is None:
        rng = np.random.default_rng(0)
        centers = rng.standard_normal((10, 784))
        y = rng.integers(0, 10, size=70_000)
        X = rng.standard_normal((70_000, 784), dtype=np.float32)
        X += 0.15 * centers[y].astype(np.float32)
        X = np.maximum(X - np.float32(0.9), 0)
        return X[:60_000], y[:60_000], X[60_000:], y[60_000:]
    parts = []
    for part in ("train", "t10k"):
        images = idx(Path(folder) / f"{part}-images-idx3-ubyte")
        parts += [
            (images.reshape(len(images), -1) / np.float32(255)).astype(np.float32),
            idx(Path(folder) / f"{part}-labels-idx1-ubyte").astype(int),
        ]
    return tuple(parts)


def bench_digits():
    X, y, X_test, y_test = digits()
    for name, rows in (("float32", X), ("CSR", sparse.csr_matrix(X))):
        machines = [
            Theirs(max_iter=10, tol=None, random_state=0),
            Perceptron(keep="average", max_iter=10, patience=None, random_state=0),
        ]
        theirs, ours = best_of(1, *(lambda m=m, r=rows: m.fit(r, y) for m in machines))
        yield f"60000 x 784 {name}, 10 epochs", theirs, ours, theirs / ours, ">= 6"
        theirs, ours = (100 * (1 - m.score(X_test, y_test)) for m in machines)
        yield "the same, % wrong in test", theirs, ours, theirs / ours, "> 1"


def source(rows=7068, classes=174):
    """The largest packages and their parts, and a piece of each of their files."""
    files = defaultdict(list)
    for name in ("stdlib", "purelib"):
        base = Path(sysconfig.get_path(name))
        for file in sorted(base.rglob("*.py")):
            parts = file.relative_to(base).parts
            if parts[0] != "site-packages":
                files[".".join(parts[:-1][:2])].append(file)
    largest = sorted(files, key=lambda package: (-len(files[package]), package))[:classes]
    pieces, y = [], []
    for package in largest:
        for file in files[package]:
            text = file.read_text(errors="replace")
            pieces.append(text[len(text) // 2 :][:1500])
            y.append(package)
    some = np.random.default_rng(0).permutation(len(y))[:rows]
    words = TfidfVectorizer(token_pattern=r"[A-Za-z_]\w+")
    return words.fit_transform([pieces[i] for i in some]), np.array(y)[some]


def copies_of_weights(machine, X, y):
    """The most memory that fit takes, beside that of its weights."""
    most, over = [0], threading.Event()

    def watch():
        while not over.wait(0.002):
            most[0] = max(most[0], resident())

    before, watcher = resident(), threading.Thread(target=watch)
    watcher.start()
    machine.fit(X, y)
    over.set()
    watcher.join()
    return (most[0] - before) / machine.coef_.nbytes


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def bench_sparse():
    X, y = source()
    table = f"source {X.shape[0]} x {X.shape[1]}, {len(set(y))} classes"
    for name, mine in (
        ("Perceptron", Perceptron(random_state=0)),
        ("AROW", AROW(random_state=0)),
        ("PassiveAggressive", PassiveAggressive(random_state=0)),
    ):
        sides = [Theirs(random_state=0), clone(mine)]
        memory = [copies_of_weights(m, X, y) for m in sides]
        theirs, ours = best_of(
            2, *(lambda m=m: m.fit(X, y) for m in sides), clock=time.process_time
        )
        yield f"{table}, {name}, processor time", theirs, ours, ours / theirs, "<= 1.5"
        yield "the same, memory in copies of the weights", *memory, memory[1], "<= 3"


def bench_epoch():
    """An epoch of all classes together beside one of each class against the rest."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 20, size=200_000)
    X = rng.standard_normal((20, 100))[y] + 3 * rng.standard_normal((200_000, 100))
    for keep in ("last", "average", "best"):
        choices = {"keep": keep, "max_iter": 1, "random_state": 0}
        separate, joint = (Perceptron(multi_class=kind, **choices) for kind in ("ovr", "joint"))
        theirs, ours = best_of(2, *(lambda m=m: m.fit(X, y) for m in (separate, joint)))
        yield f"200000 x 100, 20 classes, {keep}", theirs, ours, ours / theirs, "<= 0.6"


def bench_errors():
    """Test errors over ten seeds, averaged weights of ten epochs."""
    for load, most in ((load_iris, 6), (load_digits, 4.5)):
        X, y = load(return_X_y=True)
        wrong = {"ovr": [], "joint": []}
        for seed in range(10):
            parts = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
            for kind, found in wrong.items():
                p = Perceptron(multi_class=kind, keep="average", max_iter=10, random_state=seed)
                found.append(100 * (1 - p.fit(parts[0], parts[2]).score(parts[1], parts[3])))
        theirs, ours = (np.mean(found) for found in wrong.values())
        yield f"{load.__name__[5:]}, % wrong in test", theirs, ours, ours, f"<= {most}"


if __name__ == "__main__":
    print(machine())
    main(sys.argv[1:], globals(), "| case | peer | joint | ratio | target |")
