"""Screened training is the same training: bit for bit, and no row is skipped that may not be."""

import math
import pickle
import signal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from common import KEEPS, everything, noisy
from pressing import Pressing
from rosenblatt import Perceptron
from rosenblatt._core import reference, screening
from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import LabelledRows, LearnerArrays, MistakeTally, Slack, UpdateRule
from rosenblatt._core.screening import Screen
from rosenblatt.errors import WeightsOverflowError

_core = pytest.importorskip("rosenblatt._core._native", reason="the compiled core is not built")

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ORDERS = ["cyclic", "shuffle", "blocks"]

CHUNK = compute.chunk


class Tally:
    """How many rows screening spared."""

    def __init__(self, monkeypatch):
        self.spared = 0
        account = Screen._account

        def noted(screen, passed, looked):
            self.spared += passed - looked
            account(screen, passed, looked)

        monkeypatch.setattr(Screen, "_account", noted)


@pytest.fixture
def tally(monkeypatch):
    return Tally(monkeypatch)


@pytest.fixture
def eager(monkeypatch):
    """Screening from the second epoch on, on any rows, whether or not it pays."""
    for name in ("FEW", "NEAR", "PAYS", "SAFE"):
        monkeypatch.setattr(screening, name, 0)
    for name in ("PART", "REST", "LEAST"):
        monkeypatch.setattr(screening, name, 1)


def outcome(p, X, y, **given):
    """All that a fit leaves behind, or why it failed."""
    try:
        p.fit(X, y, **given)
    except WeightsOverflowError as error:
        return str(error)
    correction = p._state.memory.correction
    # Scores of simple rows: those of enormous ones may overflow.
    return everything(p, np.eye(X.shape[1])) | {
        "last": p._state.memory.w.tobytes(),
        "correction": None if correction is None else correction.tobytes(),
        "visits": p._state.visits,
    }


def with_and_without(work, monkeypatch):
    found = []
    for allowed in (True, False):
        monkeypatch.setattr(Screen, "allowed", allowed)
        found.append(work())
    return found


# --- Whole fits ---------------------------------------------------------------------------------


def unit(rng, n, d):
    X = rng.normal(size=(n, d))
    return X / np.linalg.norm(X, axis=1)[:, None]


def scaled(rng, n, d):
    return unit(rng, n, d) * 10.0 ** rng.integers(-3, 4, size=(n, 1))


def whole_numbers(rng, n, d):
    """Scores are whole numbers: rows often are exactly on the margin."""
    return rng.integers(-3, 4, size=(n, d)).astype(np.float64)


def almost_nothing(rng, n, d):
    return unit(rng, n, d) * 10.0 ** rng.choice([-320, -308, -160, -155, -20, 0], size=(n, 1))


def enormous(rng, n, d):
    return unit(rng, n, d) * 10.0 ** rng.choice([307, 200, 154, 139, 20, 0], size=(n, 1))


TABLES = [unit, unit, scaled, whole_numbers, almost_nothing, enormous]


def a_fit(seed):
    """Rows, labels, weights and parameters: every kind of them."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 90)), int(rng.choice([1, 2, 3, 5, 17, 33]))
    X = TABLES[seed % len(TABLES)](rng, n, d)
    X[rng.random((n, d)) < rng.choice([0, 0.4])] = 0
    with np.errstate(all="ignore"):
        y = np.where(X @ rng.normal(size=d) + rng.normal() * 0.1 > 0, 1, -1)
    y[rng.random(n) < rng.choice([0, 0, 0.1])] *= -1
    y[:2] = [-1, 1]
    if rng.random() < 0.3 and np.abs(X).max() < 1e30:
        X = X.astype(np.float32)
    if rng.random() < 0.3:
        X = sparse.csr_matrix(X)
    weights = None
    if rng.random() < 0.4:
        weights = rng.choice([[0.0, 0.3, 1, 2.5], [1e-300, 1.0, 1e3, 1e-9], [1, 1e300, 1e150, 3]])
        weights = rng.choice(weights, n)
        weights[:2] = 1
    choices = {
        "margin": float(rng.choice([0, 0, 0.5, 1, 2, 1e-12])),
        "eta0": float(rng.choice([1, 1, 0.1, 2])),
        "fit_intercept": bool(rng.random() < 0.7),
        "max_iter": int(rng.choice([5, 20, 60])),
        "random_state": seed,
        "tie": str(rng.choice(["mistake", "positive"])),
    }
    return X, y, weights, choices


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
def test_whole_fits_are_equal_to_the_bit(order, keep, eager, tally, monkeypatch, heavy):
    fits = heavy({"pocket": 600, "vote": 600}.get(keep, 2000))
    for seed in range(fits):
        X, y, weights, choices = a_fit(seed)

        def work(X=X, y=y, weights=weights, choices=choices):
            p = Perceptron(order=order, keep=keep, **choices)
            return outcome(p, X, y, sample_weight=weights)

        screened, plain = with_and_without(work, monkeypatch)
        assert screened == plain, seed
    assert tally.spared > 100 * fits


@pytest.mark.parametrize("level", _core.cpu_levels())
@pytest.mark.parametrize("order", ORDERS)
def test_every_cpu_level_spares_the_same_rows(order, level, eager, tally, monkeypatch, heavy):
    spared = []
    for now in (level, _core.cpu_levels()[-1]):
        tally.spared = 0
        assert _core.use_cpu_level(now)
        found = []
        for seed in range(heavy(200)):
            X, y, weights, choices = a_fit(seed)
            found.append(outcome(Perceptron(order=order, **choices), X, y, sample_weight=weights))
        spared.append((tally.spared, found))
    assert spared[0] == spared[1]


def test_the_reference_is_not_screened(eager, tally, with_core, monkeypatch, heavy):
    for seed in range(heavy(200)):
        X, y, weights, choices = a_fit(seed)
        choices["max_iter"] = 5
        found = []
        for core in (_core, reference):
            with_core(core)
            before = tally.spared
            with np.errstate(all="ignore"):
                p = Perceptron(order="cyclic", **choices)
                found.append(outcome(p, X, y, sample_weight=weights))
        assert tally.spared == before
        assert found[0] == found[1], seed
    assert tally.spared > 0


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ORDERS)
def test_stopped_and_resumed_it_is_equal_to_the_bit(order, keep, eager, tally, monkeypatch, heavy):
    for seed in range(heavy({"pocket": 100, "vote": 100}.get(keep, 400))):
        X, y, weights, choices = a_fit(seed)
        rng = np.random.default_rng(seed)
        monkeypatch.setattr(compute, "chunk", int(rng.choice([1, 300, 2000])))
        p = Perceptron(order=order, keep=keep, warm_start=True, **choices)
        try:
            for _ in range(4):
                p.set_params(
                    max_iter=int(rng.integers(1, 12)),
                    max_updates=rng.choice([None, 1, 5, 30]),
                )
                p.fit(X, y, sample_weight=weights)
                p = pickle.loads(pickle.dumps(p)) if rng.random() < 0.3 else p
            p.set_params(max_updates=None, max_iter=1).fit(X, y, sample_weight=weights)
        except WeightsOverflowError:
            continue
        monkeypatch.setattr(compute, "chunk", CHUNK)
        monkeypatch.setattr(Screen, "allowed", False)
        choices["max_iter"] = p.n_iter_
        one = Perceptron(order=order, keep=keep, **choices).fit(X, y, sample_weight=weights)
        monkeypatch.setattr(Screen, "allowed", True)
        both = [everything(q, np.eye(X.shape[1])) | {"stop_reason_": None} for q in (p, one)]
        assert both[0] == both[1], seed
        assert p._state.visits == one._state.visits
    assert tally.spared > 0


@pytest.mark.parametrize("order", ORDERS)
def test_interrupted_at_any_call_it_goes_on_to_the_same(
    order, eager, tally, with_core, monkeypatch, request
):
    X, y = noisy(30)
    monkeypatch.setattr(compute, "chunk", 21)  # a few rows at a time
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    choices = {"order": order, "random_state": 0}
    whole = {m: everything(Perceptron(max_iter=m, **choices).fit(X, y), X) for m in range(1, 6)}
    moment = 0
    while True:
        with_core(Pressing(moment, only=Pressing.SCREENED))
        p = Perceptron(max_iter=4, warm_start=True, **choices)
        try:
            p.fit(X, y)
        except KeyboardInterrupt:
            pass
        else:
            break
        with_core(_core)
        p.set_params(max_iter=1).fit(X, y)
        assert everything(p, X) == whole[p.n_iter_]
        moment += 1 + moment // 8
    assert moment > 10
    assert tally.spared > 0


def test_with_validation_rows_only_the_training_rows_are_screened(eager, tally, monkeypatch):
    X_val, y_val = noisy(50, seed=3)
    for keep in KEEPS:
        X, y = noisy(80)

        def work(X=X, y=y, keep=keep):
            p = Perceptron(keep=keep, max_iter=30, random_state=0)
            return outcome(p, X, y, X_val=X_val, y_val=y_val)

        screened, plain = with_and_without(work, monkeypatch)
        assert screened == plain
    assert tally.spared > 0


# --- Single rows, in rational numbers -----------------------------------------------------------


class Scene:
    """Rows with a reference, and weights that have moved away from it."""

    def __init__(self, X, y, margin, intercept, reference):
        self.X, self.y, self.margin, self.intercept = X, y, margin, intercept
        self.reference = reference
        self.rows, self.slack = _core.dense(X), np.full(len(X), np.nan, dtype=np.float32)
        self.rule = UpdateRule("perceptron", margin, intercept)
        _core.refer(LabelledRows(self.rows, y), self.rule, reference, 0, len(X), self.slack)

    def skipped(self, i, w):
        """Whether row i is skipped under w, by the kernel that trains."""
        learner = LearnerArrays(w.copy(), None, np.zeros(len(self.X), dtype=np.int64))
        slack = Slack(self.slack, self.reference, 1)
        _, updates, looked = _core.screened_visit(
            LabelledRows(self.rows, self.y), self.rule, learner, None, i, i + 1, 1, slack
        )
        assert updates <= looked <= 1
        return looked == 0

    def margin_of(self, i, w):
        """y (w·x + b), exactly."""
        products = (Fraction(float(a)) * Fraction(float(b)) for a, b in zip(self.X[i], w[:-1]))  # noqa: B905 - w is lifted
        return int(self.y[i]) * (sum(products, Fraction(0)) + Fraction(float(w[-1])))

    def check(self, i, w):
        """A skipped row is right exactly, and as computed. Returns whether it was skipped."""
        if not self.skipped(i, w):
            return False
        assert self.margin_of(i, w) > Fraction(self.margin)
        x = np.asarray(self.X[i], dtype=np.float64)
        assert self.y[i] * reference.score(x, w) > self.margin
        return True


def a_scene(seed):
    rng = np.random.default_rng(seed)
    n, d = 12, int(rng.choice([1, 2, 5, 16, 40]))
    X = TABLES[seed % len(TABLES)](rng, n, d)
    if rng.random() < 0.3 and np.abs(X).max() < 1e30:
        X = X.astype(np.float32)
    intercept = bool(rng.random() < 0.5)
    size = 10.0 ** rng.choice([-300, -160, -30, -9, 0, 0, 0, 9, 30, 150])
    reference = rng.normal(size=d + 1) * size
    reference[d] *= intercept
    with np.errstate(all="ignore"):
        y = np.where(X @ reference[:d] + reference[d] >= 0, 1, -1).astype(np.int8)
    margin = float(rng.choice([0, 0, size * 1e-3, size, 1]))
    return Scene(X, y, margin, intercept, reference), rng


def lifted(scene, i):
    return np.append(scene.X[i].astype(np.float64), 1.0 if scene.intercept else 0.0)


@np.errstate(all="ignore")
def test_a_skipped_row_is_right_in_rational_numbers(heavy):
    skipped = looked = 0
    for seed in range(heavy(4000)):
        scene, rng = a_scene(seed)
        size = np.abs(scene.reference).max()
        for _ in range(3):
            move = rng.normal(size=len(scene.reference)) * size * 10.0 ** rng.integers(-17, 2)
            move[-1] *= scene.intercept
            w = scene.reference + move
            for i in range(len(scene.X)):
                was = scene.check(i, w)
                skipped, looked = skipped + was, looked + (not was)
    assert skipped > 4 * heavy(4000)
    assert looked > 4 * heavy(4000)


@np.errstate(all="ignore")
def test_the_worst_move_is_skipped_just_as_long_as_it_may_be(heavy):
    # Straight towards the row's margin: there the bound is attained.
    skipped = 0
    for seed in range(heavy(4000)):
        scene, _ = a_scene(seed)
        for i in range(len(scene.X)):
            x = lifted(scene, i)
            length = float(np.linalg.norm(x))
            room = scene.margin_of(i, scene.reference) - Fraction(scene.margin)
            if not (0 < length < 1e100 and 0 < room < 10**200):
                continue
            room = float(room)
            to_margin = -float(scene.y[i]) * (room / length) * (x / length)
            for part in (0.999, 1 - 1e-5, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, 1, 1 + 1e-12, 1.0001):
                was = scene.check(i, scene.reference + part * to_margin)
                usual = 1e-20 < room < 1e20 and 1e-6 < length < 1e6
                if usual and part == 0.999 and np.linalg.norm(scene.reference) < 1e6 * room:
                    assert was
                skipped += was
    assert skipped > heavy(4000)


def test_whole_numbers_exactly_on_the_margin_are_looked_at():
    X = np.array([[3.0, 4.0], [6.0, 8.0]])
    y, reference = np.array([1, 1], dtype=np.int8), np.array([3.0, 4.0, 0.0])
    for margin in (0.0, 25.0, 50.0):
        scene = Scene(X, y, margin, intercept=False, reference=reference)
        # From scores of 25 and 50 to the margin: (25 - margin)/5 and (50 - margin)/10 away.
        for i, score in enumerate((25.0, 50.0)):
            steps = (score - margin) / (5 * (i + 1))
            w = reference - steps * np.array([0.6, 0.8, 0.0])
            assert scene.margin_of(i, w) == pytest.approx(margin)
            assert not scene.skipped(i, w)
            if score > margin:
                assert scene.skipped(i, reference)
                assert scene.skipped(i, reference - 0.999 * steps * np.array([0.6, 0.8, 0.0]))


def test_a_row_that_only_rounding_gets_wrong_is_looked_at():
    # Columns 0, 16 and 32 share a lane: 2^53 + b - 2^53, which rounding makes 2 or 0 for b on
    # either side of 1. Exactly it is about 1, and the weights have hardly moved.
    X, y = np.zeros((1, 33)), np.ones(1, dtype=np.int8)
    X[0, [0, 16, 32]] = 1
    origin = np.zeros(34)
    origin[[0, 16, 32]] = 2.0**53, 1 + 1e-9, -(2.0**53)
    w = origin.copy()
    w[16] = 1 - 1e-9
    scores = [reference.score(X[0], v) for v in (origin, w)]
    assert scores == [2.0, 0.0]
    scene = Scene(X, y, 0.0, intercept=False, reference=origin)
    assert scene.margin_of(0, w) > 0.99
    assert not scene.skipped(0, w)


@np.errstate(all="ignore")
def test_what_is_not_finite_is_always_looked_at():
    X = np.array([[1e308, 1e308], [1e200, 0.0], [1.0, 1.0], [1e-320, 0.0], [0.0, 0.0]])
    y, plain = np.ones(5, dtype=np.int8), np.ones(3)
    scene = Scene(X, y, 0.0, intercept=True, reference=plain)
    for w in ([np.nan, 1, 1], [np.inf, 1, 1], [1e200, 1, 1], [1, 1, -np.inf]):
        assert not any(scene.skipped(i, np.array(w, dtype=float)) for i in range(5))
    assert [scene.skipped(i, plain) for i in range(5)] == [False, False, True, True, True]
    origin = Scene(X, y, 0.0, intercept=False, reference=np.array([1.0, 1.0, 0.0]))
    near = [origin.skipped(i, origin.reference) for i in range(5)]
    assert near == [False, False, True, False, False]
    for point in ([np.nan, 1.0, 1.0], [np.inf, 1.0, 1.0], [1e300, 1.0, 1.0]):
        strange = Scene(X, y, 0.0, intercept=True, reference=np.array(point))
        assert not any(strange.skipped(i, strange.reference) for i in range(5))


# --- A pass, and counting -----------------------------------------------------------------------


def test_a_pass_makes_the_same_updates_from_any_place(heavy):
    # Thousands of updates after one reference: how far the weights are is only added up.
    for seed in range(heavy(400)):
        rng = np.random.default_rng(seed)
        n, d = 400, int(rng.integers(1, 30))
        X = unit(rng, n, d)
        X[rng.random((n, d)) < 0.5] = 0
        y = np.where(X @ rng.normal(size=d) > 0.01, 1, -1).astype(np.int8)
        c = rng.random(n) + 0.1 if seed % 2 else None
        S = sparse.csr_matrix(X)
        rows = _core.dense(X) if seed % 3 else _core.csr(S.data, S.indices, S.indptr, d)
        margin, intercept, visits = float(rng.choice([0, 0.01])), bool(seed % 5), 7
        start = np.append(rng.normal(size=d), 0.0) * 5
        slack, order = np.empty(n, dtype=np.float32), np.empty(n, dtype=np.int32)
        examples, rule = LabelledRows(rows, y, c), UpdateRule("perceptron", margin, intercept)
        _core.refer(examples, rule, start, 0, n, slack)
        both = [[start.copy(), np.zeros(d + 1), np.zeros(n, dtype=np.int64)] for _ in range(2)]
        for epoch in range(12):
            _core.arrange(order, None, seed, epoch, n)
            turn, at = (order if seed % 7 else None), 0
            while at < n:
                end, most = int(rng.integers(at + 1, n + 1)), int(rng.choice([1, 3, 1000]))
                logs = [(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n)) for _ in both]
                learners = [
                    LearnerArrays(*arrays, visits=visits, log=log)
                    for arrays, log in zip(both, logs, strict=True)
                ]
                place, from_start = (turn, at, end, most), Slack(slack, start, 1 << 40)
                screened = _core.screened_visit(examples, rule, learners[0], *place, from_start)
                plain = _core.visit(examples, rule, learners[1], *place)
                assert screened[:2] == plain
                assert all(np.array_equal(a, b) for a, b in zip(*logs, strict=True))
                assert all(np.array_equal(a, b) for a, b in zip(*both, strict=True))
                visits, at = visits + plain[0] - at, plain[0]


@np.errstate(all="ignore")
def test_counting_finds_the_same_mistakes(heavy):
    spared = 0
    for seed in range(heavy(4000)):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(1, 300)), int(rng.integers(1, 20))
        X = TABLES[seed % len(TABLES)](rng, n, d)
        reference = np.append(rng.normal(size=d), 0.0)
        y = np.where(X @ reference[:d] > 0, 1, -1).astype(np.int8)
        y[rng.random(n) < 0.05] *= -1
        c = rng.choice([0.0, 0.3, 1.0], n) if seed % 2 else None
        scene = Scene(X, y, float(rng.choice([0, 0.1])), bool(seed % 3), reference)
        w = reference * 10.0 ** rng.integers(-3, 4, size=(3, 1))
        w[1:] += rng.normal(size=(2, d + 1)) * 10.0 ** rng.integers(-4, 1, size=(2, 1))
        w[:, d] *= scene.intercept
        limit = rng.choice([np.inf, 2.0, n / 20], 3)
        looked, totals = np.zeros(3, dtype=np.int64), []
        for screened in ((), (Slack(scene.slack, reference, 0), looked)):
            plain, weighted = np.zeros(3, dtype=np.int64), np.zeros(3)
            tally = MistakeTally(w, limit, plain, weighted)
            count = _core.screened_count if screened else _core.count
            for begin, end in [(0, n // 2), (n // 2, n)]:
                count(LabelledRows(scene.rows, y, c), tally, begin, end, *screened)
            out = weighted >= limit  # what else they say is nothing
            totals.append((out.tolist(), plain[~out].tolist(), weighted[~out].tobytes()))
        assert totals[0] == totals[1], seed
        spared += int(np.sum(n - looked[~out]))
    assert spared > 0


# --- When it is done ----------------------------------------------------------------------------


def narrow(n, d=8, gap=1e-4):
    rng = np.random.default_rng(0)
    X, u = unit(rng, 2 * n, d), np.ones(d) / math.sqrt(d)
    X = X[np.abs(X @ u) > gap][:n]
    return X, np.where(X @ u > 0, 1, -1)


@pytest.mark.parametrize("keep", ["last", "best", "pocket"])
@pytest.mark.parametrize("order", ORDERS)
def test_it_begins_by_itself_and_spares_most_rows(order, keep, tally, monkeypatch, heavy):
    n = 5000
    X, y = narrow(n, gap=1e-3 / heavy(10))  # the wider, the fewer epochs

    def work():
        endless = {"patience": None, "max_iter": 2000}
        return outcome(Perceptron(order=order, keep=keep, random_state=0, **endless), X, y)

    screened, plain = with_and_without(work, monkeypatch)
    assert screened == plain
    assert screened["converged_"]
    assert tally.spared > 0.7 * screened["n_iter_"] * n


def test_it_is_not_tried_on_noise(monkeypatch):
    X, y = noisy(6000, 5)
    monkeypatch.setattr(Screen, "_refer_to", None)  # not even a probe is made
    Perceptron(max_iter=30, random_state=0).fit(X, y)


def test_small_tables_are_left_alone(monkeypatch):
    X, y = narrow(screening.LEAST - 1)
    monkeypatch.setattr(Screen, "_refer_to", None)
    Perceptron(max_iter=100, random_state=0).fit(X, y)


def test_failures_cost_a_small_part_of_the_visits(tally, monkeypatch):
    # Every probe is believed, and what is spared is never enough.
    n, epochs = 100, 2000
    X, y = noisy(n, 5)
    for name, value in [("LEAST", 1), ("FEW", 0), ("NEAR", 0), ("PART", 2), ("PAYS", 4)]:
        monkeypatch.setattr(screening, name, value)
    made = []
    refer_to = Screen._refer_to
    monkeypatch.setattr(
        Screen, "_refer_to", lambda screen, w, rows: (made.append(rows), refer_to(screen, w, rows))
    )
    Perceptron(max_iter=epochs, patience=None, random_state=0).fit(X, y)
    assert set(made) == {n // 2, n}  # a probe of every second row, then the reference
    assert 2 <= made.count(n) <= epochs // screening.SAFE
    assert tally.spared >= 0


def test_the_reference_is_made_in_chunks(monkeypatch):
    # Between them Ctrl-C is heard.
    X, y = narrow(5000)
    monkeypatch.setattr(compute, "chunk", 16 * 700)
    sizes = []
    refer = _core.refer
    monkeypatch.setattr(_core, "refer", lambda *a: (sizes.append(a[4] - a[3]), refer(*a)))
    p = Perceptron(keep="last", patience=None, random_state=0, max_iter=2000).fit(X, y)
    assert p.converged_
    assert len(sizes) > 8
    assert max(sizes) == 700
