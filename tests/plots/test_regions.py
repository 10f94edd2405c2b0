"""The plane cut into regions: they are those of the scores, and rings are the mistakes."""

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier

from pictures import words
from raising import raises
from rosenblatt.errors import InputError
from rosenblatt.plots import BoundaryDisplay, RegionsDisplay


class Three(BaseEstimator):
    """Scores that are written down: -x, a constant and x - 2, in the plane of x and y."""

    classes_ = np.array(["a", "b", "c"])
    coef_ = np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])

    def fit(self):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def decision_function(self, X):
        x = np.asarray(X, dtype=float)[:, 0]
        return np.column_stack([-x, np.full(len(x), -0.5), x - 2])


def test_regions_are_where_a_score_is_the_highest():
    # -x > -0.5 below 0.5, and x - 2 > -0.5 above 1.5; a tie at 1.5 is a mistake of either.
    X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [1.5, 1.0], [1.0, 0.0]], list("abcba")
    display = RegionsDisplay.from_estimator(Three(), X, y, grid_resolution=90)
    assert display.mistakes.tolist() == [3, 4]
    assert_array_equal(display.rings_.get_offsets(), [[1.5, 1.0], [1.0, 0.0]])
    assert [len(points.get_offsets()) for points in display.points_] == [2, 2, 1]
    low, high = display.ax_.get_xlim()
    at = low + (np.arange(display.regions.shape[1]) + 0.5) / display.regions.shape[1] * (high - low)
    sure = np.abs(at - 0.5) > 0.05
    sure &= np.abs(at - 1.5) > 0.05
    expected = np.where(at < 0.5, 0, np.where(at < 1.5, 1, 2))
    assert (display.regions[:, sure] == expected[sure]).all()
    assert "2 of 5 rows are mistakes" in words(display)
    none = RegionsDisplay.from_estimator(Three(), X[:3], y[:3])
    assert "All 3 rows have their highest score for their own class" in words(none)


def test_a_cut_of_more_features_says_so():
    iris = load_iris(as_frame=True)
    y = iris.target_names[iris.target]
    rule = LogisticRegression(max_iter=1000).fit(iris.data, y)
    display = RegionsDisplay.from_estimator(rule, iris.data, y)
    text = words(display)
    assert "the 2 other features are at the median" in text
    assert "versicolor" in text
    assert_array_equal(display.mistakes, np.flatnonzero(rule.predict(iris.data) != y))
    thin = LogisticRegression(max_iter=1000).fit(iris.data.to_numpy(), y)
    same = RegionsDisplay.from_estimator(thin, sparse.csr_matrix(iris.data.to_numpy()), y)
    assert_array_equal(same.mistakes, display.mistakes)
    chosen = RegionsDisplay.from_estimator(
        rule, iris.data, y, features=("sepal width (cm)", "petal width (cm)"), grid_resolution=20
    )
    assert chosen.ax_.get_xlabel() == "sepal width (cm)"


def test_rows_of_weight_zero_are_not_shown():
    X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [9.0, 9.0]], list("abca")
    display = RegionsDisplay.from_estimator(Three(), X, y, sample_weight=[1, 1, 1, 0])
    assert len(display.mistakes) == 0
    assert display.ax_.get_xlim()[1] < 5


def test_what_has_no_regions_is_refused():
    X, y = load_iris(return_X_y=True)
    two = LogisticRegression().fit(X[:100], y[:100])
    with raises(InputError):
        RegionsDisplay.from_estimator(two, X[:100], y[:100])
    three = LogisticRegression(max_iter=1000).fit(X, y)
    with raises(InputError):
        BoundaryDisplay.from_estimator(three, X, y)
    with raises(InputError, row=2):
        RegionsDisplay.from_estimator(three, X[:3], [0, 1, 7])
    ten = np.arange(150) % 4
    votes = OneVsOneClassifier(LogisticRegression(max_iter=1000)).fit(pd.DataFrame(X), ten)
    assert RegionsDisplay.from_estimator(votes, pd.DataFrame(X), ten, grid_resolution=10)
