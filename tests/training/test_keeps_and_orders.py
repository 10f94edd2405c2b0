"""Every order and every keep against the definitions, followed literally in exact arithmetic."""

import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from common import ORDERS
from oracle import Oracle, permutation
from raising import warns
from rosenblatt import KernelPerceptron, Perceptron, trace, train
from rosenblatt._core.backend import compute
from rosenblatt._training import fit

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@st.composite
def problems(draw):
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    # Quarters: sums and products are exact in float64, so ties at zero are ties in both.
    X = rng.integers(-8, 9, (n, d)) / 4
    y = np.where(rng.random(n) < 0.5, -1, 1)
    y[:2] = [-1, 1]
    c = rng.choice([0.5, 1.0, 2.0, 3.0], n) if draw(st.booleans()) else None
    start = rng.integers(-4, 5, d + 1) / 2 if draw(st.booleans()) else None
    margin = draw(st.sampled_from([0.0, 0.0, 0.5, 2.0]))
    intercept = draw(st.booleans())
    if start is not None and not intercept:
        start[d] = 0.0
    tie = draw(st.sampled_from(["mistake", "positive", "negative"]))
    return X, y, c, start, margin, intercept, seed, tie


def run_both(problem, order, keep, epochs=4):
    X, y, c, start, margin, intercept, seed, tie = problem
    tie = "positive" if keep == "vote" and tie == "negative" else tie
    p = Perceptron(
        order=order,
        keep=keep,
        margin=margin,
        tie=tie,
        fit_intercept=intercept,
        max_iter=epochs,
        random_state=seed,
    )
    init = {} if start is None else {"coef_init": start[:-1], "intercept_init": start[-1]}
    p.fit(X, y, sample_weight=c, **init)
    oracle = Oracle(
        X, y, c=c, margin=margin, intercept=intercept, start=start, seed=p._state.seed, tie=tie
    ).run(order, epochs)
    return p, oracle


def lifted(p):
    return np.append(p.coef_[0], p.intercept_)


@pytest.mark.parametrize("order", ORDERS)
@given(problem=problems())
def test_last_is_the_last_weights(order, problem):
    p, oracle = run_both(problem, order, "last")
    assert lifted(p).tolist() == [float(v) for v in oracle.w]
    assert p.mistakes_.tolist() == oracle.mistakes
    assert p.update_counts_.tolist() == oracle.counts
    assert p.n_updates_ == sum(oracle.mistakes)
    assert p.n_iter_ == len(oracle.mistakes)
    assert p.converged_ == oracle.clean
    assert p.training_errors_ == oracle.errors(oracle.w)


@pytest.mark.parametrize("order", ORDERS)
@given(problem=problems())
def test_average_is_the_mean_over_all_visits(order, problem):
    p, oracle = run_both(problem, order, "average")
    np.testing.assert_allclose(lifted(p), [float(v) for v in oracle.mean()], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@given(problem=problems())
def test_pocket_has_the_fewest_mistakes_after_any_update(order, problem):
    p, oracle = run_both(problem, order, "pocket")
    assert lifted(p).tolist() == [float(v) for v in oracle.pocket()]
    assert p.training_errors_ == oracle.errors(oracle.pocket())


@pytest.mark.parametrize("order", ORDERS)
@given(problem=problems())
def test_vote_is_the_mean_vote_of_the_weights_after_each_visit(order, problem):
    X = problem[0]
    p, oracle = run_both(problem, order, "vote")
    np.testing.assert_allclose(
        p.decision_function(X), [float(oracle.mean_vote(x)) for x in X], rtol=1e-15, atol=1e-15
    )


@pytest.mark.parametrize("order", ORDERS)
@given(problem=problems(), noise=st.integers(0, 1000))
def test_best_is_the_fewest_mistakes_of_last_and_average(order, problem, noise):
    # Means are not exact in float64: rows are moved off the grid, so that none lies on a mean's
    # hyperplane.
    X = problem[0] + np.random.default_rng(noise).normal(size=problem[0].shape) / 8
    p, oracle = run_both((X, *problem[1:]), order, "best")
    np.testing.assert_allclose(lifted(p), [float(v) for v in oracle.best()], rtol=1e-9, atol=1e-9)
    assert p.training_errors_ == oracle.errors(oracle.best())


@pytest.mark.parametrize(
    "kind", [partial(Perceptron, keep="best"), partial(KernelPerceptron, kernel="linear")]
)
def test_best_prefers_an_average_that_is_as_good_then_the_older(kind):
    # Epoch 1, through the origin: (1, 0) and (0, 1) are mistakes, w = (1, 0), then (1, -1). The
    # mean (1, -1/2) is right on both rows, and so is the last: the mean is kept. Epoch 2 is clean;
    # its mean (1, -3/4) is no better.
    p = kind(order="cyclic", fit_intercept=False).fit([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    assert p.coef_.tolist() == [[1.0, -0.5]]
    assert (p.n_iter_, p.training_errors_, p.converged_) == (2, 0, True)


def test_the_average_of_a_clean_epoch_is_preferred_to_its_last_weights():
    # From the start w = 1 the first epoch is clean; the last weights and the mean are 1.
    for keep, averaged in (("best", True), ("pocket", False)):
        p = Perceptron(fit_intercept=False, keep=keep).fit([[1.0], [-1.0]], [1, -1], coef_init=[1])
        assert (p.n_iter_, p._kept.averaged) == (1, averaged)


@given(seed=st.integers(0, 2**63 - 1), k=st.integers(0, 10**6), n=st.integers(1, 300))
def test_permutations_are_the_documented_function(seed, k, n):
    for index_type in (np.int32, np.int64):
        pool = np.empty(n, dtype=index_type)
        compute.backend.arrange(pool, None, seed, k, n)
        assert pool.tolist() == permutation(seed, k, n)


def test_random_order_is_uniform_among_the_mistakes(heavy):
    # From zero weights every row is a mistake: the first update falls on each row equally often.
    # Chi-square with 5 degrees of freedom exceeds 30 with probability 1.5e-5.
    X, y = np.eye(6), [1, -1, 1, -1, 1, -1]
    runs, hits = heavy(60_000), np.zeros(6)
    for seed in range(runs):
        p = Perceptron(order="random", keep="last", max_updates=1, random_state=seed).fit(X, y)
        hits += p.update_counts_
    assert hits.sum() == runs
    assert ((hits - runs / 6) ** 2 / (runs / 6)).sum() < 30


def test_each_epoch_has_its_own_permutation():
    seen = {tuple(permutation(7, e, 6)) for e in range(200)}
    assert len(seen) > 150  # of 720; about 174 different ones are expected


def test_validation_rows_judge_best_and_pocket(rng):
    X, X_val = rng.normal(size=(60, 3)), rng.normal(size=(40, 3))
    y, y_val = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1), np.sign(X_val[:, 0])
    for keep in ["best", "pocket"]:
        p = Perceptron(keep=keep, max_iter=15, random_state=0)
        p.fit(X, y, X_val=X_val, y_val=y_val)
        wrong = int(np.sum(y_val * p.decision_function(X_val) <= 0))
        assert p.validation_mistakes_[-1] == wrong
        assert (np.diff(p.validation_mistakes_) <= 0).all()
        assert len(p.validation_mistakes_) == p.n_iter_
        assert p.training_errors_ == np.sum(y * p.decision_function(X) <= 0)


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
def test_validation_mistakes_are_those_of_the_rule_returned_at_that_time(keep, rng):
    X, X_val = rng.normal(size=(60, 3)), rng.normal(size=(40, 3))
    y, y_val = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1), np.sign(X_val[:, 0])
    p = Perceptron(keep=keep, max_iter=6, random_state=0)
    p.fit(X, y, X_val=X_val, y_val=y_val)
    for epochs in range(1, 7):
        q = Perceptron(keep=keep, max_iter=epochs, random_state=0).fit(X, y)
        wrong = int(np.sum(y_val * q.decision_function(X_val) <= 0))
        assert p.validation_mistakes_[epochs - 1] == wrong


def test_a_warning_when_max_iter_ends_last_with_errors(rng):
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    with pytest.warns(ConvergenceWarning) as caught:
        p = Perceptron(keep="last", max_iter=20, random_state=0).fit(X, y)
    text = str(caught[0].message)
    assert (
        f"{p.training_errors_} of 50 training rows on the wrong side or on the hyperplane" in text
    )
    assert "max_iter=20" in text
    assert f"{p.mistakes_[0]} in the first epoch, {p.mistakes_[-1]} in the last" in text
    assert "certify(X, y) decides whether a hyperplane separates the rows" in text
    assert "keep='best'" in text


def advice(p, X, y):
    with pytest.warns(ConvergenceWarning) as caught:
        p.fit(X, y)
    return str(caught[0].message)


AROUND_0, LABELS_OF = [[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]], [0, 1, 1, 0]
FIRST = {"keep": "last", "order": "cyclic", "max_iter": 1}


@pytest.mark.parametrize(
    ("scale", "shift", "helps"),
    [
        (1.0, 0.0, False),
        # As large as the 1 of the intercept within a factor of ten,
        ([0.125, 8.0], 0.0, False),
        ([1.0, 16.0], 0.0, True),
        ([1.0, 0.0625], 0.0, True),
        # and around 0 within two standard deviations.
        (1.0, [2.0, -2.0], False),
        (1.0, [2.25, 0.0], True),
        (1.0, [0.0, -2.25], True),
        ([0.0, 1.0], [50.0, 0.0], False),  # the first column has one value
        (0.0, 0.0, False),
        ([1e-200, 1e200], 0.0, True),
    ],
)
def test_to_scale_is_advised_where_it_changes_columns_much(scale, shift, helps):
    X = np.array(AROUND_0) * scale + shift
    assert ("StandardScaler" in advice(Perceptron(**FIRST), X, LABELS_OF)) == helps


def test_no_gram_matrix_is_to_be_scaled():
    X = 100 * np.array(AROUND_0)
    assert "Scaler" in advice(KernelPerceptron(kernel="linear", **FIRST), X, LABELS_OF)
    gram = KernelPerceptron(kernel="precomputed", **FIRST)
    assert "Scaler" not in advice(gram, X @ X.T, LABELS_OF)


def test_what_is_advised_first_goes_by_the_updates():
    def more_epochs_come_first(rows, labels, epochs):
        text = advice(Perceptron(**FIRST | {"max_iter": epochs}), rows, labels)
        assert ("updates: " in text) == (epochs > 1)
        return text.index("a larger max_iter") < text.index("keep='best'")

    assert more_epochs_come_first([[0.0], [1.0]], [0, 1], 1)  # of one epoch nothing is known
    assert not more_epochs_come_first(*XOR, 3)  # four updates in each epoch
    # (w, b) by hand: (0, -1), (1, 0), (-2, -1) and, in the second epoch, (-1, 0) after row 1.
    assert more_epochs_come_first([[0.0], [1.0], [3.0]], [0, 1, 0], 2)


def test_the_words_are_those_of_the_rows():
    last = Perceptron(**FIRST)
    assert "on the hyperplane" in advice(last, *XOR)
    assert "on the boundary" in advice(KernelPerceptron(**FIRST), np.zeros((4, 1)), XOR[1])
    assert "whose class does not score highest" in advice(last, XOR[0], np.arange(4) % 3)


@pytest.mark.parametrize("way", [train, trace])
def test_a_warning_is_about_the_line_outside(way):
    with pytest.warns(ConvergenceWarning) as caught:
        way(Perceptron(**FIRST), *((XOR,) if way is train else XOR))
    assert caught[0].filename == __file__


def test_a_warning_when_a_separable_fit_returns_errors():
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    with warns(ConvergenceWarning):
        p = Perceptron(order="cyclic", keep="average").fit(X, y)
    assert p.converged_
    assert p.training_errors_ > 0


def test_no_warning_when_the_result_is_without_errors():
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    with warnings.catch_warnings():  # the mark of the module outdoes one here
        warnings.simplefilter("error")
        # Five epochs: the data is separated, though no clean epoch has shown it yet.
        p = Perceptron(order="cyclic", keep="last", max_iter=5).fit(X, y)
        Perceptron(keep="best", max_iter=1).fit(X, y)
    assert p.training_errors_ == 0
    assert not p.converged_


def test_a_warning_when_max_iter_ends_before_the_margin_is_reached():
    text = advice(Perceptron(**FIRST | {"margin": 100, "eta0": 0.5}), [[-1.0], [1.0]], [0, 1])
    assert "max_iter=1" in text
    assert "margin of at most 100" in text
    assert "a smaller margin" in text


XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def test_a_warning_names_who_tells_whether_the_rows_are_separable():
    X, y = XOR
    three = np.arange(4) % 3
    last = {"keep": "last", "order": "cyclic", "max_iter": 2}
    cases = [
        (lambda: Perceptron(**last).fit(X, y), "certify(X, y) decides whether a hyperplane "),
        (
            lambda: train(Perceptron(**last), lambda: iter([(X, y)])),
            "certify_stored(source) decides whether a hyperplane separates the rows",
        ),
        (
            lambda: KernelPerceptron(kernel="poly", degree=1, **last).fit(X, y),
            "or a larger max_iter.",  # nobody knows of kernels
        ),
        (
            lambda: Perceptron(multi_class="ovr", **last).fit(X, three),
            "certify(X, y == label) decides whether each class is separable from the rest.",
        ),
    ]
    for train_it, told in cases:
        with pytest.warns(ConvergenceWarning) as caught:
            train_it()
        assert told in str(caught[0].message)


def test_patience_of_the_last_weights_reads_a_million_numbers(rng):
    X, y = rng.normal(size=(100, 4)), rng.integers(0, 2, 100)
    with warns(ConvergenceWarning):
        p = Perceptron(keep="last", order="cyclic").fit(X, y)
    # 2²⁰ numbers, 16 for each of 100 rows: 655.36 epochs.
    assert p.n_iter_ == 656


def unfinished(epochs):
    return Perceptron(keep="last", order="cyclic", max_iter=epochs).fit(*XOR)


def test_a_warning_of_a_kind_is_shown_once_whatever_its_figures(monkeypatch):
    monkeypatch.setattr(fit, "_said", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()  # nobody has said which are to be shown
        for epochs in range(1, 6):
            with warnings.catch_warnings():  # as a search does for each fit
                unfinished(epochs)
        assert len(caught) == 1
        assert "\n" not in str(caught[0].message)
        # Another kind is shown as well.
        X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
        Perceptron(order="cyclic", keep="average").fit(X, y)
        assert len(caught) == 2


def test_who_asks_for_warnings_sees_each(monkeypatch):
    monkeypatch.setattr(fit, "_said", set())
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            unfinished(2)
            unfinished(2)
        assert len(caught) == 2
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="Perceptron stopped")
            with pytest.raises(ConvergenceWarning):
                unfinished(2)


def test_each_line_of_a_script_that_fits_is_warned_of_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from rosenblatt import Perceptron\n"
        "X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), [0, 1, 1, 0]\n"
        "for k in range(1, 5):\n"
        "    Perceptron(keep='last', max_iter=k).fit(X, y)\n"
        "Perceptron(keep='last', max_iter=9).fit(X, y)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = [line for line in done.stderr.splitlines() if "ConvergenceWarning" in line]
    assert ["max_iter=1" in line for line in lines] == [True, False]
