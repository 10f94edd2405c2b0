"""patience: training stops by counts alone, at the same epoch everywhere; nothing is asked."""

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from common import KEEPS, X, Y, every_keep, every_order, everything
from planes import easy, small
from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, StopReason, train
from rosenblatt._training import stopping as rule
from rosenblatt._training.stopping import in_words
from rosenblatt.certificate import RowsOracle
from rosenblatt.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def alike(n, d=1):
    """Equal rows with both labels: every rule gets half of them wrong, from the first epoch on."""
    return np.ones((n, d)), np.where(np.arange(n) % 2, 1, -1)


# --- When it ends -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "d", "epochs"),
    [
        # A million numbers, 2^20, are read first; a row counts for 16 to 32 of them. By hand:
        (1024, 1, 64),
        (1024, 16, 64),
        (1024, 20, 52),  # 2^20 / (1024 · 20) = 51.2
        (1024, 32, 32),
        (1024, 500, 32),
        (1000, 500, 33),  # 32.8
        (65_536, 2, 3),  # as many as patience asks for, after the first
        (700, 3, 94),  # 93.6
    ],
)
def test_a_million_numbers_are_read_first(n, d, epochs):
    p = Perceptron(order="cyclic", keep="last", patience=2).fit(*alike(n, d))
    assert p.stop_reason_ is StopReason.PATIENCE
    assert p.n_iter_ == epochs
    assert not p.converged_
    assert p.certificate_ is None


def test_and_two_million_where_few_rows_are_wrong():
    # One row of 1,000 has the label of the others' opposite: a copy of the first.
    rows = np.ones((1000, 1))
    labels = np.ones(1000, dtype=int)
    labels[0] = -1
    p = Perceptron(keep="best", order="cyclic", patience=3).fit(rows, labels)
    assert p.training_errors_ == 1
    assert p.n_iter_ == math.ceil(2**21 / (1000 * 16))
    q = Perceptron(order="cyclic", patience=3).fit(rows[:60], labels[:60])  # one in 60
    assert q.training_errors_ == 1
    assert q.n_iter_ == min(math.ceil(2**20 / (60 * 16)), 1000)


@pytest.mark.parametrize(("n", "d", "epochs"), [(128, 1, 1024), (127, 1, 517), (33, 31, 1026)])
def test_few_rows_are_one_in_64(n, d, epochs):
    # Two have the other label: 2^21 / (128 · 16) = 1024, 2^20 / (127 · 16) = 516.03, and
    # 2^20 = 33 · 31 · 1025 + 1: one number is left to read.
    labels = np.where(np.arange(n) < 2, -1, 1)
    p = Perceptron(order="cyclic", keep="best", margin=0, max_iter=3000).fit(
        np.ones((n, d)), labels
    )
    assert (p.training_errors_, p.n_iter_) == (2, epochs)


def test_before_a_proof_is_asked_for_2_to_the_14_numbers_are_read():
    p = Perceptron(order="cyclic", keep="best", margin=0, patience=2, prove=True).fit(*alike(100))
    assert p.stop_reason_ is StopReason.NOT_SEPARABLE
    assert p.n_iter_ == 11  # 2^14 / (100 · 16) = 10.24


def test_a_proof_may_look_at_rows_as_often_as_training_has():
    class Idle:
        learner = SimpleNamespace(examples=SimpleNamespace(n=4000))
        order = SimpleNamespace(row_evaluations=lambda state: state.visits)
        keep = SimpleNamespace(row_evaluations=lambda job, state: 7)

    def work(visits, updates=3, **more):
        state = SimpleNamespace(visits=visits, updates=updates)
        return rule.Patience(5, None, **more).work(Idle, state)

    assert work(0) == 100_000
    assert work(500_000) == 500_007
    assert work(99_000, in_dual_form=True) == 99_007 + 3 * 4000
    Idle.learner.examples.n = 6000
    assert work(0) == 20 * 6000


def literally(p, rows, labels, patience):
    """The epoch at which it ends, from the definition and the mistakes after each epoch."""
    size = min(max(rows.shape[1], 16), 32)
    fewest, since = math.inf, 0
    for epoch in range(1, 1001):
        if p.keep in ("best", "pocket"):
            q = Perceptron(**{**p.get_params(), "patience": None, "max_iter": epoch})
            scores = q.fit(rows, labels).decision_function(rows)
            mistakes = int(np.sum(labels * scores <= 0))
        else:
            mistakes = int(p.mistakes_[epoch - 1])
        if mistakes < fewest and 16 * mistakes <= 15 * fewest:
            fewest, since = mistakes, epoch
        least = 40_000 if 64 * fewest <= len(rows) else 20_000
        if epoch - since >= patience and epoch * len(rows) * size >= least:
            return epoch
    return 1000


@pytest.fixture
def fewer_numbers(monkeypatch):
    monkeypatch.setattr(rule, "LEAST_READ", 20_000)
    monkeypatch.setattr(rule, "NEARLY_READ", 40_000)


@every_order
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("patience", [1, 4])
def test_it_ends_as_it_is_defined(order, keep, patience, fewer_numbers, heavy):
    for seed in range(heavy(60)):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(80, int(rng.choice([2, 18, 40]))))
        labels = np.where(rows[:, 0] + rng.normal(size=80) > 0, 1, -1)
        p = Perceptron(order=order, keep=keep, patience=patience, random_state=seed)
        p.fit(rows, labels)
        if p.stop_reason_ in (StopReason.PATIENCE, StopReason.SEPARATED):
            assert p.n_iter_ == literally(p, rows, labels, patience)
        else:
            assert p.converged_


@every_order
@given(
    keep=st.sampled_from(KEEPS),
    seed=st.integers(0, 10**6),
    stored=st.sampled_from([np.float32, sparse.csr_array, "streamed"]),
)
def test_it_ends_at_the_same_epoch_however_rows_are_held(order, keep, seed, stored):
    rows, labels = small(seed, n=30, d=3)
    p = Perceptron(order=order, keep=keep, max_iter=50, random_state=0)
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an order that maps all rows of a stream
        patched.setattr(rule, "LEAST_READ", 5000)
        patched.setattr(rule, "NEARLY_READ", 9000)
        expected = everything(p.fit(rows, labels), rows)
        if stored == "streamed":
            train(p, lambda: iter([(rows[:13], labels[:13]), (rows[13:], labels[13:])]))
            expected.pop("update_counts_")
            p._counts = np.empty(0)
            found = everything(p, rows)
            found.pop("update_counts_")
        else:
            found = everything(p.fit(stored(rows), labels), rows)
    assert found == expected


# --- What is said -------------------------------------------------------------------------------


@every_order
@every_keep
def test_nothing_is_asked(order, keep, monkeypatch):
    monkeypatch.setattr(RowsOracle, "is_separable", None)  # it cannot even be called
    p = Perceptron(order=order, keep=keep, max_iter=300, random_state=0).fit(X, Y)
    assert p.certificate_ is None
    assert {"patience": 5, "prove": False}.items() <= p.get_params().items()


def test_what_is_not_known_is_said():
    p = Perceptron(keep="best", random_state=0).fit(*alike(2000))
    assert p.stop_reason_ is StopReason.PATIENCE
    assert "certify(X, y)" in in_words(p)
    assert in_words(Perceptron().fit([[1.0], [-1.0]], [1, -1])) == StopReason.CLEAN


def test_the_call_that_decides_is_that_of_the_estimator():
    rows, labels = alike(2000)
    best = {"keep": "best", "random_state": 0}
    stream = train(Perceptron(order="blocks", **best), lambda: iter([(rows, labels)]))
    assert "certify_stored(source)" in in_words(stream)
    ovr = Perceptron(multi_class="ovr", **best).fit(rows, np.arange(2000) % 3)
    assert "certify(X, y == label)" in in_words(ovr)
    kernel = {"patience": 1, "max_iter": 5000, "random_state": 0}
    linear = KernelPerceptron(kernel="linear", **kernel).fit(rows[:200], labels[:200])
    assert "certify(X, y)" in in_words(linear)
    same = np.ones((20, 1))
    rbf = KernelPerceptron(**kernel).fit(same, np.arange(20) % 2)  # no kernel separates them
    for p in (stream, ovr, linear, rbf):
        assert p.stop_reason_ is StopReason.PATIENCE
        assert "certify" not in str(p.stop_reason_)
    assert "the kernel separates the rows" in in_words(rbf)
    assert "certify(X, y) decides it" not in in_words(rbf)


def test_a_rule_without_a_mistake_tells_all_by_itself():
    # Unit rows with a gap of 0.02 around the hyperplane: the average separates them long before
    # the last weights do.
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 20))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    score = rows[:, 0] - rows[:, 1]
    rows, labels = rows[abs(score) > 0.02], np.sign(score[abs(score) > 0.02])
    p = Perceptron(keep="best", patience=1, random_state=1).fit(rows, labels)
    assert not p.converged_
    assert p.stop_reason_ is StopReason.SEPARATED
    assert "not known" not in str(p.stop_reason_)
    assert (p.predict(rows) == labels).all()


def test_keep_last_says_where_it_happened_to_stop_and_what_is_not_known():
    p = Perceptron(keep="last", random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        p.fit(*alike(2000))
    text = str(caught[0].message)
    assert f"{p.training_errors_} of 2000 training rows on the wrong side" in text
    assert "certify(X, y) decides whether a hyperplane separates the rows" in text
    assert "keep='best'" in text


@pytest.mark.parametrize("keep", ["best", "pocket", "average", "vote"])
def test_the_others_do_not_warn(keep):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Perceptron(keep=keep, max_iter=3000, random_state=0).fit(*alike(100))


def test_rows_that_can_be_separated_are():
    rows, labels = easy()
    p = Perceptron(random_state=0).fit(rows, labels)
    assert p.training_errors_ == 0
    assert p.converged_


# --- The parameter ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron])
@pytest.mark.parametrize("patience", [0, -1, 1.5, True, "5", np.nan])
def test_patience_is_a_whole_number_or_none(kind, patience):
    with raises(InputError, option="patience"):
        kind(patience=patience).fit(X, Y)


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron])
def test_without_patience_only_the_limits_end_it(kind):
    p = kind(patience=None, max_iter=1200, random_state=0).fit(*alike(50))
    assert (p.stop_reason_, p.n_iter_) == (StopReason.MAX_ITER, 1200)
