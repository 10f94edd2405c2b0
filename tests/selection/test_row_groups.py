"""Rows that are no new ones: copies stay in one part, and intervals know of groups."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.tree import DecisionTreeClassifier

from raising import check_sentence
from rosenblatt import Perceptron
from rosenblatt.selection import select
from rosenblatt.selection.folds import equal_rows, folds, row_groups
from rosenblatt.selection.measures import (
    LEAST_GROUPS,
    calibration,
    clopper_pearson,
    error_interval,
    mean_interval,
    roc,
)

# --- Which rows are equal -------------------------------------------------------------------------


def same(codes):
    return [np.flatnonzero(codes == k).tolist() for k in np.unique(codes) if (codes == k).sum() > 1]


@pytest.mark.parametrize(
    "kind", [np.asarray, np.asfortranarray, pd.DataFrame, sparse.csr_array, sparse.csc_matrix]
)
def test_equal_rows(kind):
    X = kind([[0.0, 1.5], [2.0, 0.0], [-0.0, 1.5], [2.0, 0.0], [1.5, 0.0], [2.0, -0.0]])
    assert same(equal_rows(X)) == [[0, 2], [1, 3, 5]]


def test_missing_values_and_words_are_equal():
    assert same(equal_rows(np.array([[np.nan, 1], [np.nan, 1], [1, np.nan]]))) == [[0, 1]]
    frame = pd.DataFrame({"x": [1, 1, 1, 2], "city": ["Bonn", "Ulm", "Bonn", None]})
    assert same(equal_rows(frame)) == [[0, 2]]


def test_sums_of_columns_do_not_make_rows_equal():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (2000, 6)).astype(float)
    codes = equal_rows(X)
    truth = np.unique(X, axis=0, return_inverse=True)[1]
    assert len(np.unique(codes)) == len(np.unique(truth)) == len(np.unique(codes * 729 + truth))


# --- How they are divided -------------------------------------------------------------------------


def noise(n, seed=0):
    """Nothing can be learned; whoever has seen a row knows its copy."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)), rng.integers(0, 2, n)


def copied(X, y, times, seed=1):
    order = np.random.default_rng(seed).permutation(len(y) * times)
    return np.tile(X, (times, 1))[order], np.tile(y, times)[order]


def test_rows_that_are_alone_are_divided_as_ever():
    X, y = noise(100)
    assert row_groups(X, y) is None


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("choices", [{}, {"cv": 3}, {"retrain": True}])
def test_a_copied_table_says_what_the_table_says(choices, flipped):
    X, y = copied(*noise(300), 4)
    if flipped:
        y[np.random.default_rng(2).random(1200) < 0.1] ^= 1
    found = select(X, y, {"tree": DecisionTreeClassifier(random_state=0)}, **choices)
    assert 0.35 < found.test_errors / found.test_n < 0.65  # without care about 0
    codes = equal_rows(X)
    assert found.copies_in_test == 0
    parts = folds(y, 5, found.groups, 0)
    assert sum(len(np.unique(codes[part])) for part in parts) == 300


def test_a_rare_label_that_was_oversampled():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 3)), np.repeat([0, 1], [270, 30])
    again = rng.choice(np.flatnonzero(y), 240)
    X, y = np.vstack([X, X[again]]), np.append(y, y[again])
    groups = row_groups(X, y)
    assert (groups.repeated, groups.dependent, groups.many_repeated) == (240, True, True)
    for part in folds(y, 5, groups, 0):
        assert 20 < (y[part] == 1).sum() < 90
        assert 50 <= (y[part] == 0).sum() <= 58
    assert "rbf kernel" not in {c.name for c in select(X, y, random_state=1).candidates}


def test_few_copies_stay_together_and_change_no_interval():
    X, y = noise(200)
    X, y = np.vstack([X, X[:6]]), np.append(y, y[:6])
    found = select(X, y, {"average": Perceptron(keep="average", random_state=0)})
    assert (found.groups.repeated, found.groups.dependent) == (6, False)
    where = {part: set(getattr(found, part)) for part in ("train", "validation", "test")}
    for i in range(6):
        assert any({i, 200 + i} <= rows for rows in where.values())
    assert found.interval == clopper_pearson(found.test_errors, found.test_n)


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_a_table_of_few_discrete_columns_is_divided_row_by_row(columns):
    """Its equal rows are no copies: new rows will be equal to known ones just as often."""
    rng = np.random.default_rng(columns)
    X = rng.integers(0, 2, (400, columns))
    y = (rng.random(400) < np.where(X[:, 0] > 0, 0.75, 0.2)).astype(int)
    found = select(X, y, {"average": Perceptron(keep="average", random_state=0)})
    assert found.groups is None
    for rows in (found.train, found.validation, found.test):
        assert abs(y[rows].mean() - y.mean()) < 0.02
    assert found.interval == clopper_pearson(found.test_errors, found.test_n)


def test_a_truth_table_is_divided_too():
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 15)
    y = X.all(axis=1).astype(int)
    found = select(X, y, {"average": Perceptron(keep="average", random_state=0)})
    for rows in (found.train, found.validation, found.test):
        assert len(np.unique(y[rows])) == 2


def test_ten_rows_that_were_copied_cannot_be_kept_apart_and_that_is_said():
    X, y = copied(np.arange(20.0).reshape(10, 2), np.repeat([0, 1], [7, 3]), 4)
    found = select(X, y, {"average": Perceptron(keep="average", random_state=0)})
    assert found.copies_in_test > 0
    for rows in (found.train, found.validation, found.test):
        assert len(np.unique(y[rows])) == 2


@pytest.mark.parametrize("seed", range(4))
def test_a_group_of_most_rows_trains(seed):
    """Tested on it, the rule would have learned from what little is left."""
    rng = np.random.default_rng(0)
    y, groups = rng.integers(0, 2, 300), np.r_[np.zeros(200, int), rng.integers(1, 30, 100)]
    rule = {"rule": Perceptron(max_iter=5, keep="average")}
    X = rng.normal(size=(300, 2)) + y[:, None]
    found = select(X, y, rule, groups=groups, random_state=seed)
    assert found.test_n < 100


def test_groups_that_share_rows_are_one_group():
    X, y = noise(120)
    groups = np.arange(120) // 3
    X[119] = X[0]
    found = row_groups(X, y, groups)
    assert found.codes[119] == found.codes[0] == found.codes[2]
    assert len(np.unique(found.codes)) == 39
    X[:] = 0  # all rows would be one group
    assert len(np.unique(row_groups(X, y, groups).codes)) == 40


# --- Intervals by group ---------------------------------------------------------------------------


def test_rows_that_are_groups_of_one_have_the_exact_interval():
    wrong = np.arange(200) % 8 == 0
    lo, hi = error_interval(wrong, np.arange(200))
    assert (lo, hi) == pytest.approx(clopper_pearson(25, 200), rel=0.05)


@pytest.mark.parametrize("wrong_groups", [0, 3])
def test_groups_of_equal_rows_count_once(wrong_groups):
    groups = np.repeat(np.arange(20), 30)
    ends = error_interval(groups < wrong_groups, groups)
    assert ends == pytest.approx(clopper_pearson(wrong_groups, 20), abs=0.02)


def test_no_interval_with_few_groups():
    groups = np.arange(200) % (LEAST_GROUPS - 1)
    values = np.arange(200) % 3 / 2
    assert error_interval(values > 0, groups) is None
    assert mean_interval(values, groups) is None
    assert roc(values, np.arange(200) % 5 == 0, groups=groups).interval is None
    assert calibration(values, values > 0, groups=groups).interval is None


def test_obuchowski_is_delong_where_every_row_is_a_group():
    rng = np.random.default_rng(4)
    positive = rng.random(2000) < 0.4
    scores = rng.normal(size=2000) + positive
    one, other = roc(scores, positive), roc(scores, positive, groups=np.arange(2000))
    assert other.interval == pytest.approx(one.interval, abs=2e-3)


def test_the_order_of_the_rows_changes_no_interval():
    rng = np.random.default_rng(6)
    code, wrong, positive, scores = grouped_rows(rng, 12, 20, 1.0)
    order = rng.permutation(240)
    assert error_interval(wrong, code) == error_interval(wrong[order], code[order])
    curves = [roc(scores[o], positive[o], groups=code[o]) for o in (np.arange(240), order)]
    assert curves[0].interval == pytest.approx(curves[1].interval)


def grouped_rows(rng, groups, size, spread):
    """Rows of a group share a shift, of the score and of the log odds of an error."""
    shift = spread * rng.normal(size=groups)
    code = np.repeat(np.arange(groups), size)
    wrong = rng.random(len(code)) < 1 / (1 + np.exp(1 - shift[code]))
    positive = (rng.normal(size=groups)[code] + rng.normal(size=len(code))) > 0
    return code, wrong, positive, shift[code] + positive + rng.normal(size=len(code))


@pytest.mark.parametrize("groups", [8, 10, 20, 50])
def test_the_intervals_by_group_cover(heavy, groups):
    """The rows of a group vary together: of the intervals for independent rows a third holds."""
    rng = np.random.default_rng(groups)
    shifts = 1.5 * norm.ppf((np.arange(10_000) + 0.5) / 10_000)
    truth = (1 / (1 + np.exp(1 - shifts))).mean()
    area = norm.cdf(1 / np.sqrt(2 * (1 + 1.5**2)))
    covered, draws = np.zeros(4), heavy(4000)
    for _ in range(draws):
        code, wrong, positive, scores = grouped_rows(rng, groups, 40, 1.5)
        curves = roc(scores, positive), roc(scores, positive, groups=code)
        ends = [error_interval(wrong), error_interval(wrong, code), *(c.interval for c in curves)]
        truths = [truth, truth, area, area]
        # Too few groups with both labels have no interval, which then covers nothing.
        covered += [
            end is not None and end[0] <= true <= end[1]
            for end, true in zip(ends, truths, strict=True)
        ]
    covered /= draws
    slack = 3 * np.sqrt(0.95 * 0.05 / draws)
    assert covered[1] >= 0.94 - slack
    assert covered[3] >= 0.94 - slack
    assert covered[0] < 0.7
    assert covered[2] < 0.7


def test_a_grouped_study_says_how_it_knows():
    rng = np.random.default_rng(5)
    code, _, positive, scores = grouped_rows(rng, 60, 10, 1.0)
    X = np.column_stack([scores, rng.normal(size=600)])
    found = select(
        X, positive, {"average": Perceptron(keep="average", random_state=0)}, groups=code
    )
    assert found.interval_method == "Korn-Graubard, by group"
    check_sentence(found.sentence)
    few = select(
        X, positive, {"average": Perceptron(keep="average", random_state=0)}, groups=code // 5
    )
    assert few.interval is None
    check_sentence(few.sentence)
    folded = select(
        X, positive, {"average": Perceptron(keep="average", random_state=0)}, groups=code, cv=3
    )
    assert len(np.unique(folded.test_groups)) == 60
    check_sentence(folded.sentence)
