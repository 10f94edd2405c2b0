"""On a real GPU: the bits are those of the CPU. Left out, with a word, where there is none."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from scipy import sparse

import rosenblatt
from common import everything
from gpu_cases import gpu_or_skip, table
from rosenblatt import Perceptron, StopReason
from rosenblatt._core.backend import compute, gpu
from rosenblatt._core.device import OnDevice
from rosenblatt._core.protocol import LabelledRows, LearnerArrays, UpdateRule
from rosenblatt.errors import DeviceMemoryError, InputError

cupy = gpu_or_skip()
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def both(X, y, weights=None, **choices):
    """The same training on the CPU and on the GPU: all that it leaves behind."""
    host = Perceptron(**choices).fit(X, y, weights)
    device = Perceptron(**choices).fit(cupy.asarray(X), y, weights)
    return _all_of(host, X), _all_of(device, X)


def _all_of(p, X):
    return everything(p, X)


def test_random_trainings_are_the_same_to_the_bit(rng, heavy):
    for _ in range(heavy(4000)):
        n, d = int(rng.integers(5, 1500)), int(rng.choice([1, 2, 7, 16, 31, 64, 100, 129, 300]))
        X, y = table(rng, n, d)
        weights = rng.choice([0.0, 0.5, 1.0, 2.5], n) if rng.integers(3) == 0 else None
        if weights is not None:
            weights[:2] = 1
        choices = {
            "order": str(rng.choice(["cyclic", "shuffle", "blocks", "batch"])),
            "keep": str(rng.choice(["last", "best", "average"])),
            "margin": float(rng.choice([0, 0.01, 1.0])),
            "fit_intercept": bool(rng.integers(2)),
            "max_iter": int(rng.integers(1, 8)),
            "max_updates": None if rng.integers(4) else int(rng.integers(1, 300)),
            "random_state": int(rng.integers(1000)),
        }
        host, device = both(X, y, weights, **choices)
        assert host == device, (n, d, choices)


def test_many_classes_are_the_same_to_the_bit(rng, heavy):
    for _ in range(heavy(600)):
        n, d, k = int(rng.integers(10, 600)), int(rng.integers(1, 60)), int(rng.integers(3, 8))
        X, y = table(rng, n, d, k)
        choices = {
            "order": str(rng.choice(["cyclic", "shuffle", "blocks", "batch"])),
            "keep": str(rng.choice(["last", "best", "average"])),
            "multi_class": str(rng.choice(["joint", "joint", "ovr"])),
            "margin": float(rng.choice([0, 0.01])),
            "max_iter": 4,
            "random_state": 0,
        }
        weights = rng.choice([0.5, 1.0, 2.5], n) if rng.integers(2) else None
        host, device = both(X, y, weights, **choices)
        assert host == device, (n, d, k, choices)


@pytest.mark.parametrize("walking", [False, True])
def test_every_way_through_the_rows_makes_the_same_updates(rng, heavy, walking):
    """The regime is forced: few mistakes or many, both must come to the same."""
    for _ in range(heavy(2000)):
        n, d = int(rng.integers(1, 3000)), int(rng.choice([1, 5, 16, 64, 100, 200, 700, 1500]))
        X, y = table(rng, max(n, 2), d)
        n, y = len(X), np.where(y, 1, -1).astype(np.int8)
        c = rng.choice([0.5, 1.0, 2.5], n) if rng.integers(2) else None
        drift = np.zeros(d + 1) if rng.integers(2) else None
        margin, intercept = float(rng.choice([0, 0.5])), bool(rng.integers(2))
        order = rng.permutation(n).astype(np.int32)
        states = [(np.zeros(d + 1), None if drift is None else drift.copy()) for _ in range(2)]
        counts = np.zeros((2, n), dtype=np.int64)
        with np.errstate(all="ignore"):
            examples = LabelledRows(compute.backend.dense(X), y, c)
            rule = UpdateRule("perceptron", margin, intercept)
            learner = LearnerArrays(*states[0], counts[0])
            _, expected = compute.backend.visit(examples, rule, learner, order, 0, n, 1 << 62)
        rows = OnDevice(cupy.asarray(X)).rows()
        examples, on_gpu = LabelledRows(rows, y, c), cupy.asarray(order)
        place = updates = 0
        while place < n:
            rows.regime.walking = walking
            learner = LearnerArrays(*states[1], counts[1], visits=place)
            place, made = gpu().visit(examples, rule, learner, on_gpu, place, n, 1 << 62)
            updates += made
        assert updates == expected
        assert states[0][0].tobytes() == states[1][0].tobytes()
        assert drift is None or states[0][1].tobytes() == states[1][1].tobytes()
        assert np.array_equal(counts[0], counts[1])


def test_a_hundred_thousand_rows(rng):
    """Far more than one block, in every regime."""
    X = rng.standard_normal((100_000, 30), dtype=np.float32)
    u = rng.standard_normal(30)
    for noise in (0.0, 0.003, 0.2):
        y = (X @ u > 0) ^ (rng.random(len(X)) < noise)
        for order in ("shuffle", "blocks", "cyclic"):
            host, device = both(X, y, order=order, max_iter=6, random_state=1)
            assert host == device


def test_predict_and_scores(rng):
    for k in (2, 4):
        X, y = table(rng, 400, 21, k)
        p = Perceptron(random_state=0, max_iter=5).fit(X, y)
        on_gpu = cupy.asarray(X)
        assert p.decision_function(on_gpu).tobytes() == p.decision_function(X).tobytes()
        assert np.array_equal(p.predict(on_gpu), p.predict(X))


def test_labels_and_weights_may_be_on_the_gpu_too(rng):
    X, y = table(rng, 200, 5)
    weights = rng.choice([1.0, 2.0], 200)
    p = Perceptron(random_state=0).fit(X, y, weights)
    q = Perceptron(random_state=0).fit(*map(cupy.asarray, (X, y, weights)))
    assert p.coef_.tobytes() == q.coef_.tobytes()


def test_config_sends_rows_of_the_host(rng):
    X, y = table(rng, 200, 5)
    p = Perceptron(random_state=0).fit(X, y)
    with rosenblatt.config_context(device="cuda"):
        q = Perceptron(random_state=0).fit(X.tolist(), y)
        predicted = q.predict(X)
    assert p.coef_.tobytes() == q.coef_.tobytes()
    assert np.array_equal(predicted, p.predict(X))


def test_the_estimator_can_say_where(rng):
    X, y = table(rng, 200, 5)
    p = Perceptron(random_state=0).fit(X, y)
    for given in (X, cupy.asarray(X)):
        for device in ("cpu", "cuda"):
            q = Perceptron(random_state=0, device=device).fit(given, y)
            assert p.coef_.tobytes() == q.coef_.tobytes()
            assert np.array_equal(q.predict(given), p.predict(X))


def test_arrays_of_pytorch_train_where_they_are(rng):
    torch = pytest.importorskip("torch")
    X, y = table(rng, 200, 5)
    p = Perceptron(random_state=0).fit(X, y)
    q = Perceptron(random_state=0).fit(torch.asarray(X, device="cuda"), torch.asarray(y).cuda())
    assert p.coef_.tobytes() == q.coef_.tobytes()


def test_dlpack_is_enough(rng):
    class Plain:
        def __init__(self, array):
            self._array, self.shape = array, array.shape

        def __dlpack__(self, **how):
            return self._array.__dlpack__(**how)

        def __dlpack_device__(self):
            return self._array.__dlpack_device__()

    X, y = table(rng, 100, 5)
    p = Perceptron(random_state=0).fit(X, y)
    assert (
        p.coef_.tobytes()
        == Perceptron(random_state=0).fit(Plain(cupy.asarray(X)), y).coef_.tobytes()
    )


def test_other_types_and_orders_of_memory(rng):
    X = rng.integers(-5, 5, (100, 4))
    y = X[:, 0] > 0
    p = Perceptron(random_state=0).fit(X, y)
    for given in (cupy.asarray(X), cupy.asfortranarray(cupy.asarray(X.astype("f8")))):
        assert Perceptron(random_state=0).fit(given, y).coef_.tobytes() == p.coef_.tobytes()


def test_going_on_and_one_pass_at_a_time(rng):
    X, y = table(rng, 300, 8)
    on_gpu = cupy.asarray(X)
    p, q = (Perceptron(random_state=0, warm_start=True, max_iter=2, patience=None) for _ in "pq")
    for _ in range(2):
        p.fit(X, y)
        q.fit(on_gpu, y)
    assert everything(p, X) == everything(q, X)
    p, q = Perceptron(), Perceptron()
    for _ in range(3):
        p.partial_fit(X, y)
        q.partial_fit(on_gpu, y)
    assert everything(p, X) == everything(q, X)


def test_validation_rows_and_pocket(rng):
    X, y = table(rng, 300, 8)
    for keep in ("best", "pocket"):
        p, q = (Perceptron(random_state=0, keep=keep, max_iter=3) for _ in "pq")
        p.fit(X, y, X_val=X[:50], y_val=y[:50])
        q.fit(cupy.asarray(X), y, X_val=cupy.asarray(X[:50]), y_val=y[:50])
        assert everything(p, X) == everything(q, X)


def test_a_trace_notes_the_same_updates(rng):
    X, y = table(rng, 300, 4)
    one = rosenblatt.trace(Perceptron(random_state=0, max_iter=3), X, y)
    with rosenblatt.config_context(device="cuda"):
        other = rosenblatt.trace(Perceptron(random_state=0, max_iter=3), X, y)
    for name in ("row", "visit", "score"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


# --- What is refused, and how it ends ------------------------------------------------------------


def test_rows_that_are_not_finite_are_named(rng):
    X, y = table(rng, 100, 4)
    X[37, 2] = np.nan
    with pytest.raises(InputError, match=r"NaN or infinity, first in row 37"):
        Perceptron().fit(cupy.asarray(X), y)


@pytest.mark.parametrize(("name", "value"), [("order", "random"), ("keep", "vote")])
def test_what_follows_single_rows_is_refused(rng, name, value):
    X, y = table(rng, 50, 3)
    with pytest.raises(InputError, match=f"{name}='{value}' does not run on a GPU"):
        Perceptron(**{name: value}).fit(cupy.asarray(X), y)


def test_sparse_rows_are_refused(rng):
    X, y = table(rng, 50, 3)
    with (
        rosenblatt.config_context(device="cuda"),
        pytest.raises(InputError, match="a GPU takes dense rows only"),
    ):
        Perceptron().fit(sparse.csr_array(X), y)


def test_too_many_columns_for_an_estimator(rng):
    X, y = table(rng, 50, 3)
    p = Perceptron().fit(X, y)
    with pytest.raises(InputError, match="has 4 features, but Perceptron is expecting 3"):
        p.predict(cupy.zeros((5, 4)))
    with pytest.raises(InputError, match="Expected 2D array"):
        p.predict(cupy.zeros(3))


def test_too_little_memory_is_said_with_the_remedy(rng):
    X = rng.standard_normal((1000, 50))
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.get_limit()
    pool.set_limit(size=pool.used_bytes() + 1024)
    try:
        with (
            rosenblatt.config_context(device="cuda"),
            pytest.raises(DeviceMemoryError, match="float32 rows instead of float64"),
        ):
            Perceptron().fit(X, X[:, 0] > 0)
    finally:
        pool.set_limit(size=before)


def test_ctrl_c_leaves_the_best_so_far(rng):
    X = cupy.asarray(rng.standard_normal((200_000, 50), dtype=np.float32))
    y = rng.random(200_000) < 0.5
    Perceptron(max_iter=1).fit(X, y)  # the kernels are compiled
    p = Perceptron(max_iter=10**6, patience=None, random_state=0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt), warnings.catch_warnings():
            p.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - begun < 30
    assert p.stop_reason_ is StopReason.INTERRUPTED
    scores = p.decision_function(X)
    assert p.training_errors_ == int(np.sum(np.where(y, 1, -1) * scores <= 0))
