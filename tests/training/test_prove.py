"""prove=True: training asks once whether it can end; it stops if it cannot, or nobody knows."""

import pickle
import signal
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

import rational
from common import KEEPS, ORDERS, X_VAL, Y_VAL, X, Y, every_keep, every_order, everything
from planes import easy, separable, small
from raising import raises, warns
from rosenblatt import KernelPerceptron, Perceptron, StopReason
from rosenblatt._certify import wide
from rosenblatt._training import state
from rosenblatt._training import stopping as patience
from rosenblatt._util.budget import Budget
from rosenblatt.certificate import RowsOracle
from rosenblatt.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module", autouse=True)
def every_epoch_counts():
    """However few its rows, and every mistake: the tests here count epochs."""
    with pytest.MonkeyPatch.context() as patched:
        for least in ("LEAST_READ", "NEARLY_READ", "BEFORE_PROOF"):
            patched.setattr(patience, least, 0)
        patched.setattr(state, "NOTICEABLE", 10**9)
        yield


def proving(**choices):
    return Perceptron(prove=True, **choices)


def with_certificate(p, rows):
    document = None if p.certificate_ is None else p.certificate_.to_dict()
    return everything(p, rows) | {"certificate_": document}


@pytest.fixture
def asked(monkeypatch):
    """The budgets with which the question was asked."""
    budgets, ask = [], RowsOracle.is_separable

    def spy(self, budget):
        budgets.append(budget)
        return ask(self, budget)

    monkeypatch.setattr(RowsOracle, "is_separable", spy)
    return budgets


# --- It stops if and only if no hyperplane separates the rows -----------------------------------


@every_order
@given(
    keep=st.sampled_from(KEEPS),
    seed=st.integers(0, 10**6),
    lucky=st.booleans(),
    weights=st.sampled_from([None, "some", "class"]),
    margin=st.sampled_from([0.0, 0.5]),
    intercept=st.booleans(),
    patience=st.sampled_from([1, 2, 5]),
    stored=st.sampled_from([np.asarray, np.float32, sparse.csr_array]),
)
def test_training_stops_exactly_where_no_hyperplane_separates(
    order, keep, seed, lucky, weights, margin, intercept, patience, stored
):
    rows, labels = small(seed, can_be_separated=lucky)
    c = np.ones(len(labels))
    choices = {"class_weight": {-1: 0.5, 1: 2.0}} if weights == "class" else {}
    if weights == "some":
        c = np.random.default_rng(seed).choice([0.0, 0.5, 1.0], len(labels))
        c[:2] = 1.0
    there = c > 0
    p = proving(
        order=order,
        keep=keep,
        margin=margin,
        fit_intercept=intercept,
        patience=patience,
        max_iter=400,
        random_state=seed,
        **choices,
    ).fit(stored(rows), labels, sample_weight=c)
    if separable(rows[there], labels[there], intercept):
        assert p.stop_reason_ in (StopReason.CLEAN, StopReason.MAX_ITER)
        assert p.certificate_ is None or p.certificate_.separable
    else:
        assert p.stop_reason_ is StopReason.NOT_SEPARABLE
        assert p.n_iter_ < 400
        assert not p.converged_
        assert p.training_errors_ > 0 or keep == "vote"  # votes are no hyperplane
        assert p.certificate_.separable is False
        conflict = p.certificate_.conflict
        a = rational.lifted(rows, labels, intercept)
        blends = [
            [w * v for v in a[i]] for i, w in zip(conflict.rows, conflict.weights, strict=True)
        ]
        assert all(w > 0 for w in conflict.weights)
        assert all(there[i] for i in conflict.rows)
        assert [sum(column) for column in zip(*blends, strict=True)] == [0] * len(a[0])
    if p.certificate_ is not None:
        p.certificate_.verify(rows, labels)


@every_order
@given(
    keep=st.sampled_from(KEEPS),
    seed=st.integers(0, 10**6),
    patience=st.integers(1, 6),
    weighted=st.booleans(),
)
def test_it_stops_after_so_many_epochs_without_fewer_mistakes(
    order, keep, seed, patience, weighted
):
    rows, labels = small(seed, n=20)
    if separable(rows, labels):
        labels[:] = -1
        rows[0], rows[1], labels[0] = rows[2], rows[2], 1
    c = np.random.default_rng(seed).choice([0.5, 1.0, 4.0], 20) if weighted else np.ones(20)
    choices = {"order": order, "keep": keep, "random_state": seed}
    p = proving(patience=patience, **choices).fit(rows, labels, sample_weight=c)
    assert p.stop_reason_ is StopReason.NOT_SEPARABLE
    if keep in ("best", "pocket"):
        standing = []
        for epochs in range(1, p.n_iter_ + 1):
            q = proving(patience=None, max_iter=epochs, **choices)
            scores = q.fit(rows, labels, sample_weight=c).decision_function(rows)
            standing.append(float(c[labels * scores <= 0].sum()))
    else:
        standing = p.mistakes_.tolist()
    # Epochs since the first with the fewest so far, after each epoch:
    since = [e - int(np.argmin(standing[: e + 1])) for e in range(len(standing))]
    assert since[-1] == patience
    assert max(since[:-1], default=0) < patience


@every_keep
def test_validation_rows_tell_patience_but_the_question_is_about_the_training_rows(keep):
    # Training rows that are separable: however long the validation rows bring nothing, it goes on.
    rows, labels = easy()
    given = {"X_val": rows, "y_val": -labels}  # ever worse
    p = proving(keep=keep, patience=1, max_iter=2000, random_state=0).fit(rows, labels, **given)
    assert p.converged_
    # And the other way round: no mistake on the validation rows does not make it go on.
    q = proving(keep=keep, random_state=0).fit(X, Y, X_val=X_VAL[:1], y_val=Y_VAL[:1])
    assert q.stop_reason_ is StopReason.NOT_SEPARABLE
    assert q.certificate_.n_rows == len(X)


@every_order
@given(seed=st.integers(0, 10**6))
def test_the_dual_stops_where_the_primal_does(order, seed):
    # Whole numbers: both machines make the same updates.
    rows, labels = small(seed)
    choices = {"order": order, "keep": "last", "random_state": seed, "max_iter": 300}
    primal = proving(**choices).fit(rows, labels)
    dual = KernelPerceptron(kernel="linear", prove=True, **choices).fit(rows, labels)
    assert (dual.stop_reason_, dual.n_iter_) == (primal.stop_reason_, primal.n_iter_)
    assert dual.certificate_ == primal.certificate_


# --- Nobody is asked in vain --------------------------------------------------------------------


@every_order
@every_keep
def test_it_is_asked_once_and_not_where_the_answer_is_known(order, keep, asked):
    flat, labels = np.array([[0.0, 1e3], [0.001, 1e3], [1.0, 1e3]]), [0, 1, 1]
    p = proving(order=order, keep=keep, max_iter=300, random_state=0).fit(flat, labels)
    assert not p.converged_
    assert len(asked) <= 1
    asked.clear()
    rows, labels = easy()
    p = proving(order=order, keep=keep, patience=10**6, max_iter=5000, random_state=0)
    assert p.fit(rows, labels).converged_
    assert asked == []
    assert p.certificate_ is None


def test_with_weights_that_make_no_mistake_the_answer_is_known(asked):
    # It separates long before it does with such a margin.
    rows, labels = easy()
    p = proving(margin=1000, patience=100, max_iter=300, random_state=0).fit(rows, labels)
    assert p.stop_reason_ is StopReason.MAX_ITER
    assert p.training_errors_ == 0
    assert asked == []


@every_order
@every_keep
def test_without_patience_and_in_partial_fit_nobody_is_asked(order, keep, asked):
    p = proving(order=order, keep=keep, patience=None, max_iter=30, random_state=0).fit(X, Y)
    assert (p.stop_reason_, p.n_iter_) == (StopReason.MAX_ITER, 30)
    p = proving(order=order, keep=keep, patience=1, random_state=0)
    for _ in range(10):
        p.partial_fit(X, Y)
    assert asked == []
    assert p.certificate_ is None
    p.fit(X, Y)
    assert p.certificate_ is not None
    assert p.partial_fit(X, Y).certificate_ is None  # it was about other rows


@every_order
@every_keep
def test_other_kernels_have_patience_alone(order, keep, asked):
    choices = {"order": order, "keep": keep, "patience": 3, "random_state": 0}
    p = KernelPerceptron(kernel="poly", degree=2, **choices).fit(X, Y)
    gram = (X @ X.T / (X.shape[1] * X.var()) + 1) ** 2
    q = KernelPerceptron(kernel="precomputed", **choices).fit(gram, Y)
    for rule in (p, q):
        assert rule.stop_reason_ is StopReason.PATIENCE
        assert rule.certificate_ is None
        assert rule.n_iter_ < 1000
    assert asked == []
    endless = {**choices, "patience": None, "max_iter": 60}
    p = KernelPerceptron(kernel="poly", degree=2, **endless).fit(X, Y)
    assert (p.stop_reason_, p.n_iter_) == (StopReason.MAX_ITER, 60)


# --- The work -----------------------------------------------------------------------------------


def test_the_work_is_what_training_has_made(asked, monkeypatch):
    monkeypatch.setattr(patience, "_LEAST_WORK", 0)
    monkeypatch.setattr(patience, "_LEAST_OF_EACH", 0)
    allowed, work = [], patience.Patience.work
    monkeypatch.setattr(
        patience.Patience,
        "work",
        lambda self, job, state: allowed.append(work(self, job, state)) or 10**6,
    )
    n = len(X)
    for keep, looks in (("last", 1), ("average", 1), ("best", 3)):
        for order in ORDERS:
            p = proving(order=order, keep=keep, random_state=0).fit(X, Y)
            assert allowed.pop() == p.n_iter_ * n * looks
            assert p.n_iter_ >= 6
    p = proving(order="cyclic", keep="pocket").fit(X, Y)
    assert allowed.pop() == p.n_iter_ * n + p.n_updates_ * n
    p = proving(order="batch", keep="pocket").fit(X, Y)
    assert allowed.pop() == p.n_iter_ * n * 2
    p = proving(order="cyclic", keep="last").fit(X, Y, X_val=X_VAL, y_val=Y_VAL)
    assert allowed.pop() == p.n_iter_ * (n + len(X_VAL))
    p = KernelPerceptron(kernel="linear", prove=True, keep="last", random_state=0).fit(X, Y)
    assert allowed.pop() == p.n_iter_ * n + p.n_updates_ * n


@pytest.mark.parametrize("max_iter", [20, 200])
def test_all_that_a_fit_asks_costs_what_training_has_made_at_most(max_iter, monkeypatch):
    # Separable, and unfinished: the warning has much to say, and computes none of it.
    budgets, begin, allowed, work = [], Budget.__init__, [], patience.Patience.work

    def begun(self, **limits):
        begin(self, **limits)
        budgets.append(self)

    monkeypatch.setattr(Budget, "__init__", begun)
    monkeypatch.setattr(
        patience.Patience,
        "work",
        lambda self, job, state: allowed.append(work(self, job, state)) or allowed[-1],
    )
    rows, labels = load_breast_cancer(return_X_y=True)
    p = proving(keep="best", max_iter=max_iter, random_state=0)
    with warns(ConvergenceWarning):
        p.fit(rows, labels)
    assert p.stop_reason_ is StopReason.MAX_ITER
    assert len(allowed) == 1
    assert sum(budget.spent for budget in budgets) <= allowed[0]


@every_keep
def test_where_the_work_is_not_enough_it_stops_and_says_so(keep, monkeypatch):
    monkeypatch.setattr(patience.Patience, "work", lambda self, job, state: 1)
    p = proving(keep=keep, random_state=0)
    with warns(ConvergenceWarning) as caught:
        p.fit(X, Y)
    assert f"with {p.training_errors_} of 60 training rows" in str(caught[0].message)
    assert p.stop_reason_ is StopReason.UNDECIDED
    assert "undecided" in str(p.stop_reason_)
    assert p.certificate_.verdict == "undecided"
    assert p.certificate_.separable is None


# --- Resumed is uninterrupted -------------------------------------------------------------------


@every_order
@given(
    keep=st.sampled_from(KEEPS),
    pieces=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    seed=st.integers(0, 10**6),
    lucky=st.booleans(),
    patience=st.integers(1, 5),
)
def test_many_small_fits_equal_one_long_fit(order, keep, pieces, seed, lucky, patience):
    rows, labels = small(seed, can_be_separated=lucky)
    choices = {"order": order, "keep": keep, "patience": patience, "random_state": 0}
    many = proving(warm_start=True, **choices)
    for epochs in pieces:
        many.set_params(max_iter=epochs).fit(rows, labels)
        many = pickle.loads(pickle.dumps(many))
    one = proving(max_iter=sum(pieces), **choices).fit(rows, labels)
    assert with_certificate(many, rows) == with_certificate(one, rows)


def test_another_patience_goes_on_from_where_it_stopped():
    p = proving(warm_start=True, random_state=0).fit(X, Y)
    stopped = p.n_iter_
    assert p.fit(X, Y).n_iter_ == stopped  # nothing has changed
    assert p.set_params(patience=None, max_iter=7).fit(X, Y).n_iter_ == stopped + 7
    assert p.certificate_.separable is False  # still known
    one = proving(patience=None, max_iter=stopped + 7, random_state=0).fit(X, Y)
    assert everything(p) == everything(one)


class Pressing:
    """Presses Ctrl-C at a look of the proof at whether it was."""

    def __init__(self, monkeypatch, moment):
        self.moment, self.calls = moment, 0
        hear = Budget.check_interrupt
        monkeypatch.setattr(
            Budget, "check_interrupt", lambda budget: (self.look(), hear(budget))[1]
        )

    def look(self):
        self.calls += 1
        if self.calls - 1 == self.moment:
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def python_hears_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@every_keep
@pytest.mark.parametrize("wide_rows", [False, True])
def test_ctrl_c_while_it_is_proved_leaves_the_estimator_fitted(
    keep, wide_rows, monkeypatch, python_hears_ctrl_c
):
    if wide_rows:  # then a perceptron inside looks for the answer
        monkeypatch.setattr(wide, "_MOST_DIMENSIONS", 2)
    choices = {"keep": keep, "random_state": 0, "warm_start": True}
    uninterrupted = with_certificate(proving(**choices).fit(X, Y), X)
    moment = 0
    while True:
        with monkeypatch.context() as patch:
            Pressing(patch, moment)
            p = proving(**choices)
            try:
                p.fit(X, Y)
            except KeyboardInterrupt:
                pass
            else:
                break
        assert p.certificate_ is None
        assert p.stop_reason_ is StopReason.INTERRUPTED
        assert p.training_errors_ == np.sum(Y * p.decision_function(X) <= 0)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert with_certificate(p.fit(X, Y), X) == uninterrupted
        moment += 1 + moment // 4
    assert moment > 2


# --- The advice ---------------------------------------------------------------------------------


def novikoff(rows, labels, intercept=True):
    """⌊R²/γ²⌋, all subsets of rows tried for the nearest point of their hull."""
    a = rational.lifted(rows, labels, intercept)
    gamma2 = rational.least_distance2(a)
    return max(rational.dot(v, v) for v in a) // gamma2


def message(p, *data, **given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        p.fit(*data, **given)
    assert len(caught) == 1
    assert caught[0].category is ConvergenceWarning
    assert caught[0].filename == __file__
    return str(caught[0].message)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("dual", [False, True])
@every_keep
def test_the_numbers_in_the_advice(keep, dual, intercept, stored):
    rows = np.array([[1.0, 100.0], [2.0, 100.5], [1.5, 103.0], [2.25, 104.0], [0.0, 50.0], [9, 9]])
    labels = np.array([-1, 1, -1, 1, 1, -1])
    c = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]  # the last row does not exist
    there = rows[:5], labels[:5]
    if not intercept:
        rows = np.delete(rows, 4, axis=0)
        labels, c, there = np.delete(labels, 4), np.delete(c, 4), (rows[:4], labels[:4])
    assert separable(*there, intercept)
    kind = (lambda **k: KernelPerceptron(kernel="linear", prove=True, **k)) if dual else proving
    p = kind(keep=keep, patience=2, max_iter=12, fit_intercept=intercept, random_state=0)
    text = message(p, stored(rows), labels, sample_weight=c)
    assert p.stop_reason_ is StopReason.MAX_ITER
    bound = p.certificate_.mistake_bound
    assert bound >= novikoff(*there, intercept)  # which is of the largest margin
    assert f"with {p.training_errors_} of {len(there[0])} training rows" in text
    assert "max_iter=12" in text
    assert "Perceptron.from_certificate(certificate_)" in text


def test_breast_cancer_as_it_is_ends_with_the_advice_and_the_certificate_has_the_rule():
    rows, labels = load_breast_cancer(return_X_y=True)
    p = proving(random_state=0)
    text = message(p, rows, labels)
    assert p.n_iter_ == 1000
    assert p.training_errors_ > 0
    assert "although a hyperplane separates the rows" in text
    assert "StandardScaler" in text
    assert "Perceptron.from_certificate(certificate_)" in text
    q = Perceptron.from_certificate(p.certificate_)
    assert q.training_errors_ == np.sum(q.predict(rows) != labels) == 0
    assert np.min(np.where(labels, 1, -1) * q.decision_function(rows)) > 0


def test_keep_last_says_where_it_happened_to_stop():
    p = proving(keep="last", random_state=0)
    text = message(p, X, Y)
    assert f"with {p.training_errors_} of 60 training rows on the wrong side" in text
    assert "No linear rule is without errors (certificate_)" in text
    assert "keep='best'" in text


@pytest.mark.parametrize("keep", ["best", "pocket", "average", "vote"])
def test_where_nothing_better_can_be_had_there_is_no_warning(keep):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = proving(keep=keep, random_state=0).fit(X, Y)
    assert p.stop_reason_ is StopReason.NOT_SEPARABLE


# --- The parameter ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron])
@pytest.mark.parametrize("prove", [0, 1, "yes", None])
def test_prove_is_true_or_false(kind, prove):
    with raises(InputError, option="prove"):
        kind(prove=prove).fit(X, Y)


def test_a_proof_is_of_the_features_only():
    with raises(InputError, option="prove", value=True):
        KernelPerceptron(kernel="rbf", prove=True).fit(X, Y)


def test_the_answer_is_in_the_words_of_the_end():
    p = proving(keep="best", random_state=0).fit(X, Y)
    assert p.n_iter_ < 60
    assert str(p.stop_reason_) == "No hyperplane separates the rows: certificate_ has the proof."


@pytest.mark.parametrize(("n", "epochs"), [(4, 256), (20, 52), (100, 11), (512, 3), (5000, 3)])
def test_a_thousand_visits_come_first(monkeypatch, n, epochs):
    # 2^14 numbers are read before the proof; a row of one column counts for 16. By hand.
    monkeypatch.setattr(patience, "BEFORE_PROOF", 1 << 14)
    rows = np.ones((n, 1))  # equal rows with both labels: every rule gets half of them wrong
    labels = np.where(np.arange(n) % 2, 1, -1)
    p = proving(keep="best", order="cyclic", patience=2).fit(rows, labels)
    assert p.stop_reason_ is StopReason.NOT_SEPARABLE
    assert p.n_iter_ == epochs
