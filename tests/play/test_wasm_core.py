"""core.wasm without a browser: wasmtime runs it to the bits of the compiled core."""

import numpy as np
import pytest
import wasmtime

from rosenblatt import Perceptron
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import LearnerArrays, UpdateRule
from rosenblatt._core.rows import Examples
from rosenblatt.play.html_page import asset


class Core:
    """Arrays in the memory of the module, and its functions."""

    def __init__(self):
        self.store = wasmtime.Store()
        module = wasmtime.Module(self.store.engine, asset("core.wasm", binary=True))
        assert module.imports == []
        self.its = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.its["memory"].grow(self.store, 64)
        self.at = self.its["__heap_base"].value(self.store) + 7 & ~7

    def call(self, name, *arguments):
        return self.its[name](self.store, *arguments)

    def put(self, values):
        """Where these numbers are now."""
        place, content = self.at, np.ascontiguousarray(values).tobytes()
        self.its["memory"].write(self.store, content, place)
        self.at += len(content) + 7 & ~7
        return place

    def get(self, place, dtype, count):
        end = place + np.dtype(dtype).itemsize * count
        return np.frombuffer(bytes(self.its["memory"].read(self.store, place, end)), dtype)


@pytest.mark.parametrize("d", [2, 16, 37])
def test_a_pass_in_a_permuted_order_has_the_same_bits(rng, d):
    n, seed, margin, most = 200, 2**63 - 5, 0.25, 150
    X, y = rng.normal(size=(n, d)), rng.choice([-1, 1], size=n).astype(np.int8)
    examples = Examples(X, y, None)
    order = np.empty(n, dtype=np.int32)
    compute.backend.arrange(order, None, seed, 4, n)
    w, drift, counts = np.zeros(d + 1), np.zeros(d + 1), np.zeros(n, dtype=np.int64)
    log = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most)
    rule = UpdateRule("perceptron", margin)
    learner = LearnerArrays(w, drift, counts, visits=50, log=log)
    reached, updates = compute.backend.visit(examples.labelled, rule, learner, order, 3, n, most)

    core = Core()
    places = [core.put(v) for v in (X, y, np.zeros(d + 1), np.zeros(d + 1), np.zeros(n, np.int64))]
    logs = [core.put(np.zeros(most, np.int64)) for _ in range(3)]
    pool = core.put(np.zeros(n, np.int32))
    core.call("learn", places[0], places[1], n, d, margin, 1, *places[2:], *logs)
    core.call("arrange", pool, n, seed & 0xFFFFFFFF, seed >> 32, 4)
    assert core.call("visit", pool, 3, n, most, 50.0) == reached
    assert core.get(core.call("told"), np.int32, 1)[0] == updates > 50
    assert core.get(pool, np.int32, n).tolist() == order.tolist()
    assert core.get(places[2], np.float64, d + 1).tobytes() == w.tobytes()
    assert core.get(places[3], np.float64, d + 1).tobytes() == drift.tobytes()
    assert core.get(places[4], np.int64, n).tolist() == counts.tolist()
    for place, ours in zip(logs, log, strict=True):
        assert core.get(place, ours.dtype, updates).tobytes() == ours[:updates].tobytes()


def test_many_classes_have_the_same_bits(rng):
    n, d, k, margin, most = 200, 17, 3, 0.25, 150
    X, y = rng.normal(size=(n, d)), rng.integers(k, size=n).astype(np.int32)
    examples = Examples(X, y, None).labelled
    size = k * (d + 1)
    w, drift, counts = np.zeros((k, d + 1)), np.zeros((k, d + 1)), np.zeros((n, k), dtype=np.int64)
    log = tuple(np.zeros(most, t) for t in (np.int64, np.int64, np.float64, np.int64))
    rule = UpdateRule("perceptron", margin)
    learner = LearnerArrays(w, drift, counts, visits=50, log=log)
    reached, updates = compute.backend.visit(examples, rule, learner, None, 3, n, most)

    core = Core()
    rows, labels = core.put(X), core.put(y)
    memory = [core.put(np.zeros(m)) for m in (size, size, n * k, k)]
    logs = [core.put(np.zeros(most, np.int64)) for _ in range(4)]
    core.call("learn_many", rows, labels, n, d, k, margin, 1, *memory, *logs)
    assert core.call("visit", 0, 3, n, most, 50.0) == reached
    assert core.get(core.call("told"), np.int32, 1)[0] == updates > 50
    assert core.get(memory[0], np.float64, size).tobytes() == w.tobytes()
    assert core.get(memory[1], np.float64, size).tobytes() == drift.tobytes()
    assert core.get(memory[2], np.int64, n * k).tolist() == counts.ravel().tolist()
    for place, ours in zip(logs, log, strict=True):
        assert core.get(place, ours.dtype, updates).tobytes() == ours[:updates].tobytes()

    p = Perceptron(max_iter=3, keep="average", random_state=0).fit(X, y)
    fitted, out = core.put(np.column_stack([p.coef_, p.intercept_])), core.put(np.zeros(n * k))
    core.call("scores", fitted, out)
    assert core.get(out, np.float64, n * k).tobytes() == p.decision_function(X).tobytes()
    assert core.call("count", fitted, np.inf) == p.training_errors_


def test_scores_and_counts_are_those_of_a_fitted_rule(rng):
    X, y = rng.normal(size=(130, 20)), rng.choice([-1, 1], size=130).astype(np.int8)
    p = Perceptron(max_iter=3, keep="average", random_state=0).fit(X, y)
    core = Core()
    rows, signs, out = core.put(X), core.put(y), core.put(np.zeros(130))
    w = core.put(np.append(p.coef_, p.intercept_))
    core.call("learn", rows, signs, 130, 20, 0.0, 1, 0, 0, 0, 0, 0, 0)
    core.call("scores", w, out)
    assert core.get(out, np.float64, 130).tobytes() == p.decision_function(X).tobytes()
    assert core.call("count", w, np.inf) == p.training_errors_
