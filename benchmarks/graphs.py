"""Rules in onnxruntime: one matrix product beside skl2onnx's LogisticRegression, processor time.

`python benchmarks/graphs.py`
"""

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime
from run import best_of, machine, main
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression

from rosenblatt import Perceptron
from rosenblatt.onnx import export


def bench_graphs():
    for n, d, k in ((1_000_000, 20, 2), (100_000, 100, 2), (10_000, 1000, 2), (100_000, 100, 10)):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(n, d)), rng.integers(0, k, n)
        some = slice(0, 5000)
        ours = Perceptron(max_iter=3, random_state=0).fit(X[some], y[some])
        theirs = LogisticRegression(max_iter=20).fit(X[some], y[some])
        for dtype in ("float32", "float64"):
            rows = X.astype(dtype)
            graph = to_onnx(theirs, rows[:2], options={id(theirs): {"zipmap": False}})
            with tempfile.TemporaryDirectory() as folder:
                quick, exact = Path(folder, "quick"), Path(folder, "exact")
                export(ours, quick, dtype=dtype, exact=False)
                export(ours, exact, dtype=dtype)
                graphs = graph.SerializeToString(), quick.read_bytes(), exact.read_bytes()
            peer, mine, to_the_bit = seconds(graphs, rows)
            name = f"{n:,} x {d}, {k} labels, {dtype}, ms"
            yield name, peer, mine, mine / peer, "<= 1.1"
            yield f"{name}, exact=True", peer, to_the_bit, to_the_bit / peer, "none"


def seconds(graphs, rows):
    """In ms, of each on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    sessions = [onnxruntime.InferenceSession(graph, options) for graph in graphs]
    sides = [partial(session.run, None, {"X": rows}) for session in sessions]
    return best_of(15, *sides, clock=time.process_time)


if __name__ == "__main__":
    print(machine())
    main(sys.argv[1:], globals(), "| case | skl2onnx | rosenblatt | ratio | target |")
