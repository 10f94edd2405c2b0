"""partial_fit: one pass over the given rows in their order, then a choice judged on these rows."""

import gc
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import (
    KEEPS,
    ORDERS,
    every_keep,
    every_order,
    everything,
    may_not_converge,
    may_not_separate,
)
from common import noisy as noisy_rows
from oracle import Oracle
from rosenblatt import Perceptron, StopReason

ONE_BY_ONE = [order for order in ORDERS if order != "batch"]


def noisy(n=60, d=3, seed=1):
    """The first two rows are of different classes."""
    X, y = noisy_rows(n, d, seed)
    y[:2] = [-1, 1]
    return X, y


X, Y = noisy()


def lifted(p):
    return np.append(p.coef_[0], p.intercept_)


def bits(p, rows=X):
    """The rule, to the bit."""
    found = [p.decision_function(rows).tobytes()]
    return found if p.keep == "vote" else [*found, p.coef_.tobytes(), p.intercept_.tobytes()]


def cut(n, places):
    """The slices between places of cutting."""
    ends = sorted({min(place, n) for place in places} | {0, n})
    return [slice(a, b) for a, b in pairwise(ends)]


# --- One pass in the given order ----------------------------------------------------------------


@pytest.mark.parametrize("order", ONE_BY_ONE)
@pytest.mark.parametrize("keep", ["last", "average", "vote"])
@given(
    seed=st.integers(0, 10**6),
    places=st.lists(st.integers(1, 29), max_size=8),
    weighted=st.booleans(),
    margin=st.sampled_from([0.0, 0.4]),
    eta0=st.sampled_from([1.0, 0.1]),
    intercept=st.booleans(),
    stored=st.sampled_from([np.asarray, sparse.csr_array]),
)
@may_not_converge
def test_any_chunks_together_are_one_cyclic_epoch(
    order, keep, seed, places, weighted, margin, eta0, intercept, stored
):
    rows, labels = noisy(30, seed=seed)
    c = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], 30) if weighted else np.ones(30)
    choices = {"keep": keep, "margin": margin, "eta0": eta0, "fit_intercept": intercept}
    one = Perceptron(order="cyclic", max_iter=1, **choices).fit(stored(rows), labels, c)
    parts = Perceptron(order=order, **choices)
    mistakes, counts = 0, []
    chunks = cut(30, places)
    for s in chunks:
        parts.partial_fit(stored(rows[s]), labels[s], classes=[-1, 1], sample_weight=c[s])
        mistakes += parts.mistakes_.sum()
        counts += parts.update_counts_.tolist()
    assert bits(parts, rows) == bits(one, rows)
    assert parts.n_updates_ == one.n_updates_ == mistakes
    assert counts == one.update_counts_.tolist()
    assert parts.n_iter_ == len(chunks)


@every_order
@every_keep
@may_not_converge
def test_the_first_call_on_all_rows_is_one_epoch_in_the_given_order(order, keep):
    one_epoch = "batch" if order == "batch" else "cyclic"
    one = Perceptron(order=one_epoch, keep=keep, max_iter=1).fit(X, Y)
    part = Perceptron(order=order, keep=keep).partial_fit(X, Y)
    if keep == "pocket":
        # Judged once after the pass, not after every update: the last weights are the only ones.
        one = Perceptron(order=one_epoch, keep="last", max_iter=1).fit(X, Y)
    assert bits(part) == bits(one)
    assert part.training_errors_ == one.training_errors_
    assert part.mistakes_.tolist() == one.mistakes_.tolist()
    assert part.update_counts_.tolist() == one.update_counts_.tolist()
    assert part.stop_reason_ is StopReason.ONE_PASS


@every_order
@every_keep
def test_rows_of_weight_zero_do_not_exist(order, keep):
    c = np.random.default_rng(0).choice([0.0, 1.0, 2.0], len(Y))
    with_zeros, without = (Perceptron(order=order, keep=keep) for _ in range(2))
    for s in cut(60, [20, 40]):
        there = c[s] > 0
        with_zeros.partial_fit(X[s], Y[s], sample_weight=c[s])
        without.partial_fit(X[s][there], Y[s][there], sample_weight=c[s][there])
        assert bits(with_zeros) == bits(without)
        assert with_zeros.update_counts_[there].tolist() == without.update_counts_.tolist()
        assert with_zeros.update_counts_[~there].sum() == 0
        assert with_zeros.training_errors_ == without.training_errors_


# --- By the definition, in exact arithmetic ------------------------------------------------------


class Passes:
    """partial_fit, followed literally: every weight vector is stored, mistakes are recounted."""

    def __init__(self, X, y, *, c, margin, intercept, order):
        self.oracle = Oracle(X, y, c=c, margin=margin, intercept=intercept)
        self.order, self.kept = order, {"best": None, "pocket": None}

    def call(self, rows):
        o = self.oracle
        if self.order == "batch":  # one step for all mistakes
            mistakes = [i for i in rows if o.m(o.w, i) <= o.margin]
            o.step(mistakes)
            o.after_visit.append(o.w)
            self.mistakes = len(mistakes)
        else:
            self.mistakes = sum([o.visit(i) for i in rows])
        for keep in ("best", "pocket"):
            rivals = [(o.w, False)] + ([(o.mean(), True)] if keep == "best" else [])
            if self.kept[keep] is not None:
                rivals.insert(0, self.kept[keep])  # the oldest
            # Fewest weighted mistakes on the rows of this call; ties: an average, the older.
            order = [
                (self.weighted(w, rows), not averaged, age)
                for age, (w, averaged) in enumerate(rivals)
            ]
            self.kept[keep] = rivals[min(order)[2]]

    def result(self, keep):
        o = self.oracle
        if keep in self.kept:
            return self.kept[keep][0]
        return o.w if keep == "last" else o.mean()

    def wrong(self, w, rows):
        return [i for i in rows if self.oracle.m(w, i) <= 0]

    def weighted(self, w, rows):
        return sum((self.oracle.c[i] for i in self.wrong(w, rows)), start=self.oracle.c[0] * 0)


@st.composite
def problems(draw):
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    # Quarters: sums and products are exact in float64, so ties at zero are ties in both.
    X = rng.integers(-8, 9, (n, d)) / 4
    y = np.where(rng.random(n) < 0.5, -1, 1)
    c = rng.choice([0.5, 1.0, 2.0, 3.0], n) if draw(st.booleans()) else None
    margin, intercept = draw(st.sampled_from([0.0, 0.0, 0.5, 2.0])), draw(st.booleans())
    chunks = cut(n, draw(st.lists(st.integers(1, n), max_size=6)))
    return X, y, c, margin, intercept, chunks


def check_passes(problem, order, keep, *, exact):
    X, y, c, margin, intercept, chunks = problem
    literal = Passes(X, y, c=c, margin=margin, intercept=intercept, order=order)
    p = Perceptron(order=order, keep=keep, margin=margin, fit_intercept=intercept)
    for s in chunks:
        rows = range(len(y))[s]
        literal.call(rows)
        p.partial_fit(X[s], y[s], classes=[-1, 1], sample_weight=None if c is None else c[s])
        expected = literal.result(keep)
        if exact:
            assert lifted(p).tolist() == [float(v) for v in expected]
        else:
            np.testing.assert_allclose(
                lifted(p), [float(v) for v in expected], rtol=1e-9, atol=1e-9
            )
        assert p.training_errors_ == len(literal.wrong(expected, rows))
        assert p.mistakes_.tolist() == [literal.mistakes]
        assert p.update_counts_.tolist() == literal.oracle.counts[s]
        assert p.n_updates_ == sum(literal.oracle.counts)


@every_order
@pytest.mark.parametrize("keep", ["last", "pocket"])
@given(problem=problems())
def test_last_and_pocket_are_their_definitions(order, keep, problem):
    check_passes(problem, order, keep, exact=True)


@every_order
@pytest.mark.parametrize("keep", ["average", "best"])
@given(problem=problems(), noise=st.integers(0, 1000))
def test_average_and_best_are_their_definitions(order, keep, problem, noise):
    # Means are not exact in float64: rows are moved off the grid, so that none lies on a mean's
    # hyperplane.
    rows = problem[0] + np.random.default_rng(noise).normal(size=problem[0].shape) / 8
    check_passes((rows, *problem[1:]), order, keep, exact=False)


@every_order
@given(problem=problems())
def test_vote_is_the_mean_vote_of_the_weights_after_each_visit(order, problem):
    X, y, c, margin, intercept, chunks = problem
    literal = Passes(X, y, c=c, margin=margin, intercept=intercept, order=order)
    p = Perceptron(order=order, keep="vote", margin=margin, fit_intercept=intercept)
    for s in chunks:
        literal.call(range(len(y))[s])
        p.partial_fit(X[s], y[s], classes=[-1, 1], sample_weight=None if c is None else c[s])
        expected = [float(literal.oracle.mean_vote(x)) for x in X]
        np.testing.assert_allclose(p.decision_function(X), expected, rtol=1e-15, atol=1e-15)


def test_best_by_hand():
    # Call 1, through the origin: (1, 0) is a mistake, w = (1, 0); (0, 1) of label -1 has score 0, a
    # mistake, w = (1, -1). The mean is (1, -1/2). Both are right on both rows: the mean is kept.
    p = Perceptron(keep="best", fit_intercept=False)
    p.partial_fit([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    assert p.coef_.tolist() == [[1.0, -0.5]]
    assert p.training_errors_ == 0
    # Call 2: (0, 3) of label 1 has score -3, a mistake, w = (1, 2). The mean over three visits is
    # (1, 1/3). Both get it right, the kept (1, -1/2) does not: the mean is kept.
    p.partial_fit([[0.0, 3.0]], [1])
    assert p.coef_ == pytest.approx(np.array([[1, 1 / 3]]))
    # Call 3: (2, -1) of label -1 has score 0, a mistake, w = (-1, 3). Last is right with score -5;
    # the kept has 5/3 and the mean over four visits, (1/2, 1), has 0: last is kept.
    p.partial_fit([[2.0, -1.0]], [-1])
    assert p.coef_.tolist() == [[-1.0, 3.0]]
    # Call 4: (1, 1) of label 1 has score 2, no mistake; all are right: the mean over five visits is
    # kept, (1/5, 7/5).
    p.partial_fit([[1.0, 1.0]], [1])
    assert p.coef_ == pytest.approx(np.array([[0.2, 1.4]]))
    assert p.converged_
    # Call 5: (-1, 0) of label -1 has score 1, a mistake: w = (0, 3); (1, -1/4) of label 1 has score
    # -3/4, a mistake: w = (1, 11/4). Last is right on both; the kept and the mean (2/7, 51/28) are
    # wrong on the second.
    p.partial_fit([[-1.0, 0.0], [1.0, -0.25]], [-1, 1])
    assert p.coef_.tolist() == [[1.0, 2.75]]
    assert (p.n_iter_, p.n_updates_) == (5, 6)


# --- What is counted ----------------------------------------------------------------------------


@every_order
@every_keep
def test_n_iter_counts_calls_and_the_rest_is_of_this_call(order, keep):
    p, total = Perceptron(order=order, keep=keep), 0
    for k, s in enumerate(cut(60, [7, 19, 20, 44]), start=1):
        p.partial_fit(X[s], Y[s], classes=[-1, 1])
        assert p.n_iter_ == k
        assert p.mistakes_.shape == (1,)
        assert p.update_counts_.shape == (len(Y[s]),)
        assert p.update_counts_.max() <= 1
        assert p.mistakes_[0] == p.update_counts_.sum()
        total += p.mistakes_[0]
        assert p.n_updates_ == total
        assert p.training_errors_ == np.sum(Y[s] * p.decision_function(X[s]) <= 0)
        assert p.stop_reason_ is StopReason.ONE_PASS
        assert not hasattr(p, "validation_mistakes_")


def test_one_step_per_call_with_order_batch():
    # From zero all rows are mistakes: w = Σ y x. Then every row again under the same weights.
    p = Perceptron(order="batch", keep="last")
    p.partial_fit([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]], [1, -1, 1])
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[-2.0, 4.0]], [1.0])
    assert p.mistakes_.tolist() == [3]
    # Scores -2 + 1 = -1 and 4 + 1 = 5: the first is a mistake for 1, the second one for -1.
    p.partial_fit([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[-1.0, 3.0]], [1.0])
    assert (p.n_iter_, p.n_updates_) == (2, 5)


# --- Any storage, any classes -------------------------------------------------------------------


@every_order
@every_keep
def test_float32_and_float64_and_csr_calls_equal_all_float64(order, keep):
    rng = np.random.default_rng(0)
    rows, labels = rng.integers(-8, 9, (60, 3)) / 4, rng.choice([-1, 1], 60)
    rows[rng.random(rows.shape) < 0.3] = 0
    ways = [
        lambda rows: rows.astype(np.float32),
        np.asarray,
        sparse.csr_matrix,
        lambda rows: sparse.csr_array(rows.astype(np.float32)),
        lambda rows: rows.tolist(),
        np.asfortranarray,
    ]
    mixed, plain = (Perceptron(order=order, keep=keep) for _ in range(2))
    for k, s in enumerate(cut(60, range(0, 60, 5))):
        mixed.partial_fit(ways[k % len(ways)](rows[s]), labels[s], classes=[-1, 1])
        plain.partial_fit(rows[s], labels[s], classes=[-1, 1])
        assert everything(mixed, rows) == everything(plain, rows)


@every_order
@every_keep
def test_classes_come_with_the_first_call_or_are_given(order, keep):
    words = np.where(Y > 0, "yes", "no")
    found = Perceptron(order=order, keep=keep).partial_fit(X, words)
    told = Perceptron(order=order, keep=keep).partial_fit(X, words, classes=["yes", "no"])
    assert found.classes_.tolist() == told.classes_.tolist() == ["no", "yes"]
    assert everything(found) == everything(told)
    assert set(found.predict(X)) == {"no", "yes"}


@every_order
@every_keep
def test_later_rows_may_be_of_one_class_only(order, keep):
    p, q = (Perceptron(order=order, keep=keep) for _ in range(2))
    p.partial_fit(X[:10], Y[:10])
    q.partial_fit(X[:10], Y[:10])
    for label in (1, -1):
        s = np.flatnonzero(label == Y)[:9]
        p.partial_fit(X[s], Y[s])
        q.partial_fit(X[s], Y[s], classes=[1, -1])
    assert everything(p) == everything(q)
    assert p.classes_.tolist() == [-1, 1]


@every_keep
def test_even_the_first_rows_may_be_of_one_class_when_both_are_given(keep):
    p = Perceptron(keep=keep).partial_fit([[1.0], [2.0]], [1, 1], classes=[0, 1])
    assert p.predict([[1.0], [5.0]]).tolist() == [1, 1]
    p.partial_fit([[-7.0]], [0])
    assert p.classes_.tolist() == [0, 1]


# --- Going on -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
@may_not_converge
def test_partial_fit_after_fit_goes_on(keep):
    p = Perceptron(order="cyclic", keep=keep, max_iter=1).fit(X[:30], Y[:30])
    p.partial_fit(X[30:], Y[30:])
    one = Perceptron(order="cyclic", keep=keep, max_iter=1).fit(X, Y)
    assert bits(p) == bits(one)
    assert (p.n_iter_, p.n_updates_) == (2, one.n_updates_)
    assert p.update_counts_.tolist() == one.update_counts_[30:].tolist()


@pytest.mark.parametrize("keep", ["best", "pocket"])
@pytest.mark.parametrize("order", ONE_BY_ONE)
@pytest.mark.parametrize("limit", [{"max_iter": 3}, {"max_updates": 8}, {"max_updates": 37}])
@given(seed=st.integers(0, 10**6))
@may_not_converge
@may_not_separate
def test_after_a_fit_the_returned_weights_are_the_kept_ones(keep, order, limit, seed):
    # Also where max_updates cut an epoch: what the fit returned is judged, nothing older.
    rows, labels = noisy(25, d=2, seed=seed)
    new_rows, new_labels = noisy(6, d=2, seed=seed + 1)
    kept, p, last, mean = (
        Perceptron(order=order, keep=k, patience=None, random_state=seed, **limit).fit(rows, labels)
        for k in (keep, keep, "last", "average")
    )
    for q in (p, last, mean):
        q.partial_fit(new_rows, new_labels)
    rivals = [kept, last, mean] if keep == "best" else [kept, last]
    wrong = [int(np.sum(new_labels * q.decision_function(new_rows) <= 0)) for q in rivals]
    assert p.training_errors_ == min(wrong)
    winners = [lifted(q).tolist() for q, k in zip(rivals, wrong, strict=True) if k == min(wrong)]
    assert lifted(p).tolist() in winners


@every_order
@pytest.mark.parametrize(
    ("keep", "change"),
    [
        *((keep, {"eta0": 0.25}) for keep in ("last", "average", "vote")),
        *((a, {"keep": b}) for a in KEEPS for b in ("last", "average", "vote") if a != b),
    ],
)
@may_not_converge
def test_after_a_change_of_keep_or_eta0_it_goes_on_from_the_returned_weights(order, keep, change):
    p = Perceptron(order=order, keep=keep).partial_fit(X[:20], Y[:20])
    p.partial_fit(X[20:40], Y[20:40])
    # Where every weight vector votes, there is no other to go on from but the last.
    start = p if keep != "vote" else Perceptron(order=order, keep="last")
    for s in cut(40, [20]) if keep == "vote" else []:
        start.partial_fit(X[s], Y[s])
    start = {"coef_init": start.coef_, "intercept_init": start.intercept_}
    p.set_params(**change).partial_fit(X[40:], Y[40:])
    one_epoch = "batch" if order == "batch" else "cyclic"
    one = Perceptron(**(p.get_params() | {"order": one_epoch, "max_iter": 1}))
    assert bits(p) == bits(one.fit(X[40:], Y[40:], **start))
    assert p.training_errors_ == one.training_errors_


@pytest.mark.parametrize(
    ("keep", "change"),
    [
        ("best", {"eta0": 0.25}),
        ("pocket", {"eta0": 0.25}),
        ("best", {"keep": "pocket"}),
        ("pocket", {"keep": "best"}),
    ],
)
@given(seed=st.integers(0, 10**6))
def test_a_change_of_keep_or_eta0_does_not_lose_the_kept_weights(keep, change, seed):
    # The kept weights are judged with the others: never more mistakes on these rows than before.
    rows, labels = noisy(40, d=2, seed=seed)
    p = Perceptron(keep=keep).partial_fit(rows[:30], labels[:30])
    before = np.sum(labels[30:] * p.decision_function(rows[30:]) <= 0)
    p.set_params(**change).partial_fit(rows[30:], labels[30:])
    assert p.training_errors_ <= before


@pytest.mark.parametrize("change", [{"order": "batch"}, {"margin": 3.0}])
@every_keep
def test_a_change_of_order_or_margin_goes_on_with_everything(keep, change):
    p = Perceptron(keep=keep).partial_fit(X[:20], Y[:20])
    updates = p.n_updates_
    p.set_params(**change).partial_fit(X[20:], Y[20:])
    assert p.n_iter_ == 2
    assert p.n_updates_ == updates + p.mistakes_[0]


@pytest.mark.parametrize("keep", ["best", "pocket", "last", "average"])
def test_memory_does_not_grow_with_the_number_of_calls(keep, heavy):
    p, ours = Perceptron(keep=keep), tracemalloc.Filter(True, "*/rosenblatt/*")

    def taken_after(calls):
        for _ in range(calls):
            p.partial_fit(X[:10], Y[:10])
        gc.collect()
        found = tracemalloc.take_snapshot().filter_traces([ours]).statistics("filename")
        return sum(one.size for one in found)

    tracemalloc.start()
    try:
        before = taken_after(100)
        grown = taken_after(heavy(10_000)) - before
    finally:
        tracemalloc.stop()
    assert before > 0
    assert grown < 2_000  # one number a call would be 8 bytes x 500 calls


# --- A call that fails --------------------------------------------------------------------------

HUGE = np.array([[1e308, 1e308, 1e308], [-1e308, 1e308, 1e308], [1e308, -1e308, 1e308]])
BAD_CALLS = {
    "a number is missing": lambda p: p.partial_fit(np.full((3, 3), np.nan), [1, -1, 1]),
    "too few features": lambda p: p.partial_fit(X[:, :2], Y),
    "a third label": lambda p: p.partial_fit(X[:3], [1, -1, 7]),
    "other classes": lambda p: p.partial_fit(X[:3], Y[:3], classes=[0, 1]),
    "too few labels": lambda p: p.partial_fit(X[:3], Y[:2]),
    "a negative weight": lambda p: p.partial_fit(X[:2], Y[:2], sample_weight=[1, -1]),
    "only weights of zero": lambda p: p.partial_fit(X[:2], Y[:2], sample_weight=[0, 0]),
    "the weights overflow": lambda p: p.partial_fit(
        HUGE, [1, -1, -1], sample_weight=[1e300, 1e300, 1e300]
    ),
    "a bad parameter": lambda p: p.set_params(max_iter=0).partial_fit(X, Y),
}


@every_order
@every_keep
@pytest.mark.parametrize("begun_with", ["partial_fit", "fit"])
@may_not_converge
def test_calls_that_fail_leave_everything_as_it_was(order, keep, begun_with):
    p, twin = (Perceptron(order=order, keep=keep, random_state=0) for _ in range(2))
    for q in (p, twin):
        if begun_with == "fit":
            q.set_params(max_iter=2).fit(X[:30], Y[:30])
        else:
            q.partial_fit(X[:30], Y[:30])
    before, names = everything(p), set(vars(p))
    for bad, call in BAD_CALLS.items():
        with pytest.raises((ValueError, OverflowError)):
            call(p)
        p.set_params(max_iter=twin.max_iter)
        assert everything(p) == before, bad
        assert set(vars(p)) == names, bad
    assert everything(p.partial_fit(X[30:], Y[30:])) == everything(twin.partial_fit(X[30:], Y[30:]))


FINE_AT_FIRST = {"too few features", "other classes", "a third label"}


@pytest.mark.parametrize("bad", sorted(BAD_CALLS.keys() - FINE_AT_FIRST))
def test_a_first_call_that_fails_leaves_nothing(bad):
    p = Perceptron()
    before = vars(p).copy()
    with pytest.raises((ValueError, OverflowError)):
        BAD_CALLS[bad](p)
    p.set_params(max_iter=before["max_iter"])
    assert vars(p) == before
