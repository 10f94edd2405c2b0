"""Honest comparison: parts of the rows, who wins, and what the reported error is worth."""

import os
import signal
import threading
import time
import warnings
from fractions import Fraction
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from common import noisy
from raising import check_sentence, raises, warns
from rosenblatt import Perceptron, RandomLinearClassifier, data
from rosenblatt._model import checkpoint
from rosenblatt._training import orders
from rosenblatt.datasets import load_credit
from rosenblatt.errors import FileError, InputError
from rosenblatt.selection import Candidate, SelectionInterrupted, clopper_pearson, select
from rosenblatt.selection.criterion import Criterion
from rosenblatt.selection.folds import RowGroups, folds

# --- The interval ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("errors", "n", "confidence", "lo", "hi"),
    [
        (0, 10, 0.95, 0.0, 0.3085),
        (1, 10, 0.95, 0.0025, 0.4450),
        (10, 10, 0.95, 0.6915, 1.0),
        (5, 10, 0.95, 0.1871, 0.8129),
        (0, 3, 0.95, 0.0, 0.7076),
        (81, 263, 0.95, 0.2527, 0.3676),  # Newcombe (1998), Statistics in Medicine 17, table I
        (15, 148, 0.95, 0.0578, 0.1617),  # the same
    ],
)
def test_clopper_pearson_against_published_values(errors, n, confidence, lo, hi):
    assert clopper_pearson(errors, n, confidence) == pytest.approx((lo, hi), abs=5e-5)


@given(st.integers(1, 40), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_its_ends_make_such_errors_unlikely_exactly(n, drawn, confidence):
    """The defining equations, in fractions: P(errors or more | lo) = P(errors or fewer | hi)."""
    errors = drawn.draw(st.integers(0, n))
    lo, hi = clopper_pearson(errors, n, confidence)

    def chance(rate, counts):
        p = Fraction(rate)
        return float(sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in counts))

    tail = (1 - confidence) / 2
    if errors:
        assert chance(lo, range(errors, n + 1)) == pytest.approx(tail, rel=1e-6)
    if errors < n:
        assert chance(hi, range(errors + 1)) == pytest.approx(tail, rel=1e-6)
    assert lo <= errors / n <= hi


@pytest.mark.parametrize(("errors", "n", "confidence"), [(2, 1, 0.95), (0, 0, 0.95), (0, 1, 1)])
def test_what_is_no_count(errors, n, confidence):
    with pytest.raises(InputError):
        clopper_pearson(errors, n, confidence)


# --- The parts ------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(6, 60), st.integers(6, 60))
def test_every_part_has_its_share_of_each_label(seed, k, zeros, ones):
    y = np.repeat([0, 1], [zeros, ones])
    parts = folds(y, k, None, seed)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(len(y)))
    counts = np.array([np.bincount(y[part], minlength=2) for part in parts])
    assert (np.ptp(counts, axis=0) <= 1).all()


@given(st.integers(0, 2**32 - 1))
def test_groups_stay_together(seed):
    rng = np.random.default_rng(seed)
    groups, y = rng.integers(0, 30, 300), rng.integers(0, 2, 300)
    where = np.empty(300, dtype=int)
    for number, part in enumerate(folds(y, 5, RowGroups(groups, True, 0, True), seed)):
        where[part] = number
    for group in np.unique(groups):
        assert len(set(where[groups == group])) == 1


def table(n=200, d=3, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X[:, 0] + noise * rng.standard_normal(n) > 0, "yes", "no")


def test_the_same_seed_gives_the_same_answer_and_another_other_parts():
    X, y = table()
    one, same, other = (
        select(X, y, random_state=1),
        select(X, y, random_state=1),
        select(X, y, random_state=2),
    )
    assert str(one) == str(same)
    assert np.array_equal(one.test, same.test)
    assert not np.array_equal(one.test, other.test)
    whole = np.concatenate([one.train, one.validation, one.test])
    assert np.array_equal(np.sort(whole), np.arange(200))
    assert [len(one.train), len(one.validation), len(one.test)] == [120, 40, 40]


# --- Who wins -------------------------------------------------------------------------------------


def test_errors_are_recounted_and_the_fewest_on_validation_win():
    X, y = table(seed=1)
    rules = {"tree": DecisionTreeClassifier(random_state=0), "line": LogisticRegression()}
    found = select(X, y, rules)
    assert [c.name for c in found.candidates] == ["larger class", "tree", "line"]
    for c in found.candidates:
        assert c.train_errors == (c.estimator.predict(X[found.train]) != y[found.train]).sum()
        wrong = c.estimator.predict(X[found.validation]) != y[found.validation]
        assert (c.validation_errors, c.validation_n) == (wrong.sum(), len(wrong))
    fewest = min(c.validation_errors for c in found.candidates[1:])
    assert found.winner.validation_errors == fewest
    assert found.test_errors == (found.estimator.predict(X[found.test]) != y[found.test]).sum()
    assert found.interval == clopper_pearson(found.test_errors, 40)
    majority = max(set(y), key=list(y[found.train]).count)
    assert found.majority_errors == (y[found.test] != majority).sum()
    assert not hasattr(rules["line"], "coef_"), "candidates are cloned"


def test_equal_ones_the_first_wins_and_the_larger_class_never():
    X, y = np.zeros((50, 1)), np.repeat([0, 1], [40, 10])
    rules = {"b": LogisticRegression(), "a": LogisticRegression()}
    found = select(X, y, rules)
    assert found.winner.name == "b"
    assert found.candidates[0].baseline
    assert found.majority == 0


def test_a_random_hyperplane_is_the_floor_beside_what_is_learned():
    X, y = table(100, noise=0.0)
    guess, bad = RandomLinearClassifier(random_state=0), DecisionTreeClassifier(max_depth=1)
    found = select(-(X**2), y, {"guess": guess, "learned": bad})
    assert [c.baseline for c in found.candidates] == [True, True, False]
    assert found.winner.name == "learned"
    alone = select(X, y, {"guess": guess})
    assert [c.baseline for c in alone.candidates] == [True, False]
    assert alone.winner.name == "guess"


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers every row that it was fitted on: rows are told apart by their first number."""

    seen: list = []  # noqa: RUF012 - shared by clones on purpose

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.fitted_on_ = set(X[:, 0])
        self.seen.append(self.fitted_on_)
        return self

    def predict(self, X):
        assert not self.fitted_on_ & set(X[:, 0]) or self.fitted_on_ == set(X[:, 0])
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("cv", [None, 3])
def test_no_rule_is_judged_on_rows_that_trained_it(cv):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    found = select(X, y, {"spy": Spy()}, cv=cv)  # Spy.predict raises otherwise
    assert found.test_n == (60 if cv else 12)
    assert sorted(found.test) == (list(range(60)) if cv else sorted(found.test))


@pytest.mark.parametrize("cv", [None, 3])
def test_preparation_sees_training_rows_only(cv):
    X, y = table(90)
    sizes = []

    class Watched(StandardScaler):
        def fit(self, X, y=None):
            sizes.append(len(X))
            return super().fit(X, y)

    found = select(X, y, {"average": Perceptron(keep="average")}, preprocessor=Watched(), cv=cv)
    assert max(sizes) == (90 if cv else 54)
    used = X if cv else X[found.train]
    assert np.array_equal(found.preprocessor.mean_, used.mean(axis=0))
    if cv:
        assert sizes.count(90) == 1  # the rule that is returned
        assert sizes.count(60) == 3 + 3  # inside of it, and the winners of the outer folds
        assert sizes.count(40) == 9


def test_nested_folds_keep_groups_together():
    X, y = table(120)
    groups = np.arange(120) // 4
    found = select(X, y, {"average": Perceptron(keep="average")}, cv=3, groups=groups)
    assert found.test_n == 120
    assert found.winner.validation_n == 120
    assert found.winner.train_n == 240


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_rows_come_in_any_form(kind):
    X, y = table(100)
    plain = select(X, y, {"average": Perceptron(keep="average", random_state=0)})
    other = select(kind(X), y.tolist(), {"average": Perceptron(keep="average", random_state=0)})
    assert plain.test_errors == other.test_errors


def test_on_the_credit_table_it_beats_the_larger_class():
    read = data.read(load_credit().filename, target="card", ignore=["share", "expenditure"])
    X, y, _ = read.encode(scale=False)
    found = select(X, y, preprocessor=StandardScaler())
    assert found.interval[1] < found.majority_errors / found.test_n


# --- Honesty --------------------------------------------------------------------------------------


def chosen_by_luck(runs, n, rules=None):
    """Labels are coin tosses, so that every rule errs on half of all rows: what is reported?

    By run: the winner's validation error and its error on test rows; how often the interval of each
    has the truth.
    """
    rates, covered = [], np.zeros(2)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((n, 5)), rng.integers(0, 2, n)
        found = select(X, y, rules, random_state=seed)
        counts = (found.winner.validation_errors, found.winner.validation_n)
        rates.append((counts[0] / counts[1], found.test_errors / found.test_n))
        ends = np.array([clopper_pearson(*counts), found.interval])
        covered += (ends[:, 0] <= 0.5) & (ends[:, 1] >= 0.5)
    return np.array(rates), covered / runs


def test_on_random_labels_the_test_error_is_honest_and_the_winners_is_not(heavy):
    runs = heavy(200)
    rates, covered = chosen_by_luck(runs, 100)  # the usual candidates
    standard_errors = (rates.mean(axis=0) - 0.5) / (rates.std(axis=0, ddof=1) / np.sqrt(runs))
    assert standard_errors[0] < -3, "too low, far beyond chance"
    assert abs(standard_errors[1]) < 3
    assert (
        covered[1] >= binom.ppf(0.001, runs, 0.95) / runs
    )  # what chance allows an interval of 95 %
    if runs >= 200:  # 0.88; ten runs cannot tell
        assert covered[0] < 0.9


def test_the_more_candidates_the_less_the_winners_error_is_worth(heavy):
    rules = {f"guess {k}": RandomLinearClassifier(k=1, random_state=k) for k in range(60)}
    _, covered = chosen_by_luck(heavy(200), 300, rules)
    assert covered[1] >= 0.9
    assert covered[0] < 0.9


def test_it_says_why_the_winner_looks_too_good():
    X, y = table()
    found = select(X, y)
    for sentence in (found.optimism, select(X, y, {"one": Perceptron()}).optimism, found.sentence):
        check_sentence(sentence)


# --- Limits and Ctrl-C ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"y": ["a"] * 100},
        {"y": ["a"] * 97 + ["b"] * 3},
        {"y": ["a"]},
        {"groups": [0, 1] * 50},
        {"groups": [1]},
        {"groups": [0] * 50 + [1, 2, 3, 4, 5] * 10},
        {"cv": 1},
        {"random_state": -1},
        {"confidence": 95},
        {"candidates": {}},
        {"candidates": {"larger class": Perceptron()}},
    ],
)
def test_bad_input_gets_one_message(changed):
    given = {"X": np.arange(100.0)[:, None], "y": ["a"] * 50 + ["b"] * 50} | changed
    with raises(InputError):
        select(**given)


def test_progress_is_told_before_each_candidate():
    X, y = table(100)
    told = []
    select(X, y, {"one": Perceptron()}, progress=lambda *now: told.append(now))
    assert told == [(0, 2, "larger class"), (1, 2, "one")]
    told.clear()
    select(X, y, {"one": Perceptron()}, cv=2, progress=lambda *now: told.append(now))
    assert [done for done, _, _ in told] == list(range(told[0][1]))


def test_warnings_about_convergence_are_kept_with_the_candidate_and_others_pass():
    X, y = table(100)

    class Loud(LogisticRegression):
        def fit(self, X, y):
            warnings.warn("slow", ConvergenceWarning, stacklevel=2)
            warnings.warn("old", FutureWarning, stacklevel=2)
            return super().fit(X, y)

    with warns(FutureWarning):
        found = select(X, y, {"loud": Loud()})
    assert found.winner.notes == ("slow",)


class Waits(LogisticRegression):
    def fit(self, X, y):
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        time.sleep(30)


def test_ctrl_c_gives_what_was_done():
    X, y = table()
    rules = {"one": LogisticRegression(), "two": Waits(), "three": LogisticRegression()}
    with pytest.raises(SelectionInterrupted) as caught:
        select(X, y, rules)
    found = caught.value.selection
    assert found.interrupted
    assert [c.name for c in found.candidates] == ["larger class", "one"]
    assert found.test_errors == select(X, y, {"one": LogisticRegression()}).test_errors
    with pytest.raises(SelectionInterrupted) as caught:
        select(X, y, {"two": Waits()})
    assert caught.value.selection is None


def test_ctrl_c_in_our_own_training_keeps_the_best_so_far(monkeypatch):
    X, y = table()
    count = RandomLinearClassifier._draw

    def interrupted(self, examples, watch):
        os.kill(os.getpid(), signal.SIGINT)
        count(self, examples, watch)

    monkeypatch.setattr(RandomLinearClassifier, "_draw", interrupted)
    with pytest.raises(SelectionInterrupted) as caught:
        select(X, y, {"guess": RandomLinearClassifier(random_state=0), "never": Waits()})
    found = caught.value.selection
    assert [c.name for c in found.candidates] == ["larger class", "guess"]
    assert len(found.estimator.candidate_errors_) == 25, "it stopped after the first draws"


def test_ctrl_c_while_predicting_keeps_those_before():
    X, y = table()

    class Slow(LogisticRegression):
        def predict(self, X):
            raise KeyboardInterrupt

    with pytest.raises(SelectionInterrupted) as caught:
        select(X, y, {"one": LogisticRegression(), "two": Slow()})
    assert caught.value.selection.winner.name == "one"


def test_ctrl_c_between_outer_folds_leaves_an_error_of_those_done():
    X, y = table(90)

    def stop(done, total, name):
        if done == 18:  # 3 folds of 2 and the final fit; then 7 for each outer fold
            raise KeyboardInterrupt

    with pytest.raises(SelectionInterrupted) as caught:
        select(X, y, {"one": LogisticRegression()}, cv=3, progress=stop)
    found = caught.value.selection
    assert found.test_n == len(found.predictions) == 30
    assert found.winner.validation_n == 90


def test_a_comparison_goes_on_after_a_crash(tmp_path, monkeypatch):
    """The process dies while the second perceptron trains; nothing of the first is done again."""
    X, y = noisy(300)
    rules = {
        keep: Perceptron(keep=keep, max_iter=20, patience=None, random_state=0)
        for keep in ("best", "average")
    }
    expected = select(X, y, rules)
    write, order = checkpoint.Checkpoint.write, orders.Shuffle.advance
    visited = []

    class Crash(Exception):  # noqa: N818 - it is not an error of ours
        pass

    def dying(self, state):
        write(self, state)
        if self._path.name == "2.checkpoint" and state.epoch == 10:
            raise Crash

    monkeypatch.setattr(checkpoint.Checkpoint, "write", dying)
    options = {"checkpoint": tmp_path / "kept", "checkpoint_every": 0}
    with pytest.raises(Crash):
        select(X, y, rules, **options)
    monkeypatch.setattr(checkpoint.Checkpoint, "write", write)

    def advancing(self, state, most):
        visited.append(state.epoch)
        order(self, state, most)

    monkeypatch.setattr(orders.Shuffle, "advance", advancing)
    found = select(X, y, rules, **options)
    assert visited[0] in (10, 11)  # the epoch was under way, or over
    assert visited[-1] == 20
    assert str(found) == str(expected)
    for one, other in zip(found.candidates[1:], expected.candidates[1:], strict=True):
        assert one.estimator.coef_.tobytes() == other.estimator.coef_.tobytes()


def test_a_comparison_needs_a_folder_for_its_checkpoints(tmp_path):
    (tmp_path / "file").write_text("")
    with raises(FileError):
        select(*noisy(50), checkpoint=tmp_path / "file")


def test_many_classes_have_the_largest_class_as_their_floor():
    X, y = load_iris(return_X_y=True)
    X, y = X[:130], y[:130]  # 50, 50 and 30 rows
    found = select(X, y, {"average": Perceptron(keep="average", random_state=0)}, random_state=1)
    always = found.candidates[0]
    assert (always.name, always.baseline, found.majority) == ("largest class", True, 0)
    assert (found.majority_errors, found.test_n) == (16, 26)  # a fifth of 80 and of 130
    assert found.winner.name == "average"
    with raises(InputError):
        select(X, y, {"largest class": Perceptron()})
    with raises(InputError):
        select(X[:104], y[:104])


# --- Ties -----------------------------------------------------------------------------------------


def test_a_tie_goes_to_averaged_weights_then_to_fewer_training_errors():
    """Where all candidates err as often, `last` depends most on the rows that came last."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    found = select(X + 4 * (X[:, :1] > 0), X[:, 0] > 0)
    tied = [c for c in found.candidates if c.loss == found.winner.loss and not c.baseline]
    assert {"last", "average"} <= {c.name for c in tied}
    assert found.winner.estimator.keep == "average"
    learners = [("last", 1), ("average", 9), ("best", 0), ("average", 3)]
    rules = [Perceptron(keep=keep).fit([[0], [1]], [0, 1]) for keep, _ in learners]
    tied = [Candidate(r.keep, r, k, 20, 4, 20) for r, (_, k) in zip(rules, learners, strict=True)]
    for candidates, place in [(tied, 3), (tied[:3], 1), ([tied[0], tied[2]], 1)]:
        assert Criterion(1.0 - np.eye(2)).best(candidates)[0] is candidates[place]


def test_another_than_the_preferred_rule_wins_by_two_standard_errors():
    """Of 20 rows: one row is a standard error of one row, and of four rows that of four is 1.8."""
    rule = Perceptron().fit([[0.0], [1.0]], [0, 1])
    wrong = [np.arange(20.0) < k for k in (4, 3, 0)]
    few, fewer, none = (
        Candidate(name, rule, 0, 20, int(w.sum()), 20, losses=w.astype(float))
        for name, w in zip(("preferred", "close", "far"), wrong, strict=True)
    )
    base = Candidate("larger class", rule, 9, 20, 9, 20, baseline=True)
    criterion = Criterion(1.0 - np.eye(2), prefers="preferred")
    crossed = np.r_[np.zeros(10), np.ones(3), np.zeros(7)]  # other rows are wrong: chance
    apart = Candidate("close", rule, 0, 20, 3, 20, losses=crossed)
    assert criterion.best([base, few, apart]) == (few, apart)
    assert criterion.best([base, few, none]) == (none, None)
    assert criterion.best([base, few]) == (few, None)
    assert Criterion(1.0 - np.eye(2)).best([base, few, apart]) == (apart, None)
    same = Candidate("same", rule, 0, 20, 4, 20, losses=few.losses)
    assert criterion.best([base, same, few]) == (few, same)
    assert fewer.losses.sum() == 3
