"""150 MB of svmlight text: to arrays beside scikit-learn's loader, to a model beside Vowpal Wabbit.

Two files of the same kind of rows: values with 6 digits, as on the LIBSVM pages, and with 16, as
scikit-learn writes them. Run with `make bench`; name cases to run only those:
`python benchmarks/svmlight.py load`.
"""

import functools
import os
import sys
import tempfile
import time

import numpy as np
from run import EPOCHS, best_of, machine, main, zipf
from sklearn.datasets import load_svmlight_file

from rosenblatt import Perceptron
from rosenblatt.data.svmlight import read_svmlight

SIZE = 150_000_000
DIGITS = (6, 16)
FOLDER = tempfile.TemporaryDirectory()


@functools.cache
def texts(digits):
    """The same rows for both: svmlight text of 150 MB, and Vowpal Wabbit's."""
    X, y = zipf()
    paths = [os.path.join(FOLDER.name, f"{digits}.{kind}") for kind in ("svm", "vw")]
    with open(paths[0], "w") as ours, open(paths[1], "w") as theirs:
        for i in range(X.shape[0]):
            row = slice(*X.indptr[i : i + 2])
            pairs = zip((X.indices[row] + 1).tolist(), X.data[row].astype(float), strict=True)
            line = " ".join(f"{j}:{x:.{digits}g}" for j, x in pairs)
            label = "1" if y[i] else "-1"
            ours.write(f"{label} {line}\n")
            theirs.write(f"{label} | {line}\n")
            if ours.tell() >= SIZE:
                break
    return paths


def check_equal(path):
    X, y, _ = read_svmlight(path)
    X_peer, y_peer = load_svmlight_file(path)
    assert X.shape == X_peer.shape
    for ours, theirs in [
        (X.data.view(np.int64), X_peer.data.view(np.int64)),
        (X.indices, X_peer.indices),
        (X.indptr, X_peer.indptr),
        (y, y_peer),
    ]:
        assert np.array_equal(ours, theirs)


def best_of_both(*sides):
    """Best times in ms of the clock, and of the processor: a busy machine stretches the first."""
    wall = best_of(3, *sides)
    processor = best_of(3, *sides, clock=time.process_time)
    return [("", wall), (", processor time", processor)]


def bench_load():
    for digits in DIGITS:
        path, _ = texts(digits)
        check_equal(path)
        size = os.path.getsize(path) / 1e6
        sides = [lambda p=path: load_svmlight_file(p), lambda p=path: read_svmlight(p)]
        for which, (peer, ours) in best_of_both(*sides):
            yield f"{size:.0f} MB, {digits} digits, load{which}", peer, ours, peer / ours, ">= 10"


def wabbit(path, *choices):
    """Passes with the cache, over all rows: the program itself, as its Python package starts it."""
    from vowpalwabbit import Workspace

    def train():
        cache = path + ".cache"
        Workspace(
            arg_list=[
                *("--data", path, "--passes", str(EPOCHS), "--cache_file", cache, "--kill_cache"),
                *("--holdout_off", "--quiet", *choices),
            ]
        ).finish()

    return train


def ours(path, keep):
    def train():
        X, y, _ = read_svmlight(path)
        Perceptron(keep=keep, max_iter=EPOCHS, random_state=0).fit(X, y)

    return train


def bench_train():
    try:
        import vowpalwabbit  # noqa: F401 - is it there?
    except ImportError:
        sys.exit("The peer is missing: pip install --group bench")
    for digits in DIGITS:
        text, their_text = texts(digits)
        sides = [
            wabbit(their_text),
            wabbit(their_text, "--sgd", "--loss_function", "hinge"),
            ours(text, "last"),
            ours(text, "best"),
        ]
        for which, (default, hinge, last, best) in best_of_both(*sides):
            name = f"{digits} digits, text to model{which}"
            yield f"{name}: VW's defaults, best", default, best, default / best, "> 1"
            yield f"{name}: VW --sgd, hinge loss, best", hinge, best, hinge / best, "> 1"
            yield f"{name}: VW --sgd, hinge loss, last", hinge, last, hinge / last, "> 1"


if __name__ == "__main__":
    print(machine())
    print(f"Times in ms, best of 3; training is {EPOCHS} epochs.")
    main(sys.argv[1:], globals(), "| case | peer | rosenblatt | ratio | target |")
