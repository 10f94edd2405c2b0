"""Cases worked out in books or by hand, to the digit."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from raising import warns
from rosenblatt import Perceptron, StopReason

LI_HANG_X, LI_HANG_Y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])


def test_li_hang_example_2_1():
    # Li Hang, Statistical Learning Methods, example 2.1 and its table 2.1.
    p = Perceptron(order="cyclic", keep="last").fit(LI_HANG_X, LI_HANG_Y)
    assert p.coef_.tolist() == [[1.0, 1.0]]
    assert p.intercept_.tolist() == [-3.0]
    assert p.n_updates_ == 7
    assert p.update_counts_.tolist() == [2, 0, 5]  # the book's dual solution, example 2.2
    assert p.converged_
    assert p.stop_reason_ is StopReason.CLEAN
    assert p.training_errors_ == 0


def test_li_hang_example_2_1_step_by_step():
    # Table 2.1: weights after each of the seven updates.
    table = [
        ([3, 3], 1),
        ([2, 2], 0),
        ([1, 1], -1),
        ([0, 0], -2),
        ([3, 3], -1),
        ([2, 2], -2),
        ([1, 1], -3),
    ]
    for k, (w, b) in enumerate(table, start=1):
        p = Perceptron(order="cyclic", keep="last", max_updates=k).fit(LI_HANG_X, LI_HANG_Y)
        assert (p.coef_[0].tolist(), p.intercept_[0]) == (w, b)
        assert p.stop_reason_ is StopReason.MAX_UPDATES


@pytest.mark.parametrize("eta", [0.1, 1.0, 3.0])
def test_iris_setosa_against_versicolor(eta):
    # First 100 rows, sepal and petal length, versicolor positive; S. Raschka, Python Machine
    # Learning, chapter 2: mistakes per epoch 2, 2, 3, 2, 1, 0.
    X, y = load_iris(return_X_y=True)
    X, y = X[:100, [0, 2]], np.where(y[:100] == 1, "versicolor", "setosa")
    p = Perceptron(order="cyclic", keep="last", eta0=eta).fit(X, y)
    assert p.mistakes_.tolist() == [2, 2, 3, 2, 1, 0]
    assert p.score(X, y) == 1.0


def test_batch_descent_by_hand():
    # Rows (1, 0)+, (0, 2)+, (-1, -1)-, with intercept, from zero, unit steps.
    #   step 1: all scores 0, all three are mistakes:
    #     w = (1,0) + (0,2) - (-1,-1) = (2, 3), b = 1 + 1 - 1 = 1
    #     margins: 2+1 = 3, 6+1 = 7, -(-2-3+1) = 4: clean.
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, -1.0]]), [1, 1, -1]
    p = Perceptron(order="batch", keep="last").fit(X, y)
    assert p.mistakes_.tolist() == [3, 0]
    assert (p.coef_[0].tolist(), p.intercept_[0]) == ([2.0, 3.0], 1.0)
    assert p.update_counts_.tolist() == [1, 1, 1]


def test_batch_descent_by_hand_that_overshoots():
    # One feature, rows 1+, 2+, 3-, 4- (threshold between 2 and 3), with intercept.
    #   step 1: all four:  w = 1+2-3-4 = -4, b = 0     margins -4, -8, 12, 16
    #   step 2: rows 1, 2: w = -4+3 = -1, b = 2        margins 1, 0, 1, 2 (row 2 on the hyperplane)
    #   step 3: row 2:     w = 1, b = 3                margins 4, 5, -6, -7
    #   step 4: rows 3, 4: w = -6, b = 1               margins -5, -11, 17, 23
    #   step 5: rows 1, 2: w = -3, b = 3               margins 0, -3, 6, 9
    #   step 6: rows 1, 2: w = 0, b = 5                margins 5, 5, -5, -5
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), [1, 1, -1, -1]
    steps = [(-4, 0, 4), (-1, 2, 2), (1, 3, 1), (-6, 1, 2), (-3, 3, 2), (0, 5, 2)]
    for k, (w, b, _) in enumerate(steps, start=1):
        p = Perceptron(order="batch", keep="last", max_iter=k)
        if k == 2:  # one row lies on the hyperplane: a mistake, though predict says +1
            with warns(ConvergenceWarning):
                p.fit(X, y)
            assert p.score(X, y) == 1.0
        else:
            with pytest.warns(ConvergenceWarning):
                p.fit(X, y)
        assert (p.coef_[0, 0], p.intercept_[0]) == (w, b)
        assert p.mistakes_.tolist() == [m for *_, m in steps[:k]]


def test_pocket_on_xor():
    # No line has fewer than one of the four points of XOR on the wrong side; a line with exactly
    # one exists. Zero weights have all four on the hyperplane.
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [-1, 1, 1, -1]
    for seed in range(20):
        p = Perceptron(order="random", keep="pocket", patience=None, random_state=seed).fit(X, y)
        assert p.training_errors_ == 1
        assert not p.converged_
        assert p.stop_reason_ is StopReason.MAX_ITER


def test_through_the_origin_by_hand():
    # Rows (1, 2)+, (2, -1)-: w = 0; row 1: mistake, w = (1, 2); row 2: score 0, on the hyperplane,
    # a mistake, w = (-1, 3). Epoch 2: 5 > 0, -(-2-3) = 5 > 0: clean.
    p = Perceptron(order="cyclic", keep="last", fit_intercept=False)
    p.fit(np.array([[1.0, 2.0], [2.0, -1.0]]), [1, 0])
    assert p.coef_.tolist() == [[-1.0, 3.0]]
    assert p.intercept_.tolist() == [0.0]
    assert p.mistakes_.tolist() == [2, 0]


def test_margin_by_hand():
    # One feature, rows 2+, -2-, no intercept, margin 7: a row calls while 2w <= 7.
    # w = 2 (row 1), 4 (row 2, since 4 <= 7): 8 > 7, clean.
    p = Perceptron(order="cyclic", keep="last", fit_intercept=False, margin=7.0)
    p.fit(np.array([[2.0], [-2.0]]), [1, -1])
    assert p.coef_.tolist() == [[4.0]]
    assert p.mistakes_.tolist() == [2, 0]


def test_weights_scale_the_step_by_hand():
    # Rows 2+ (weight 3), -1- (weight 1), no intercept: row 1 steps w = 3·2 = 6; row 2 is right.
    p = Perceptron(order="cyclic", keep="last", fit_intercept=False)
    p.fit(np.array([[2.0], [-1.0]]), [1, -1], sample_weight=[3.0, 1.0])
    assert p.coef_.tolist() == [[6.0]]
    assert p.update_counts_.tolist() == [1, 0]


def test_average_by_hand():
    # Li Hang's rows, two epochs. Weights after each of the six visits:
    #   (3,3) b 1 · (3,3) b 1 · (2,2) b 0 | (2,2) b 0 · (2,2) b 0 · (1,1) b -1
    # sum (13, 13) b 1, mean (13/6, 13/6), 1/6.
    p = Perceptron(order="cyclic", keep="average", max_iter=2).fit(LI_HANG_X, LI_HANG_Y)
    np.testing.assert_allclose(p.coef_[0], [13 / 6, 13 / 6], rtol=1e-15)
    np.testing.assert_allclose(p.intercept_, [1 / 6], rtol=1e-14)


def test_vote_by_hand():
    # The same two epochs: (3,3;1) has 2 votes, (2,2;0) has 3, (1,1;-1) has 1.
    # Point (-0.1, -0.1): scores 0.4, -0.4, -1.2: votes +2 -3 -1 of 6.
    p = Perceptron(order="cyclic", keep="vote", max_iter=2).fit(LI_HANG_X, LI_HANG_Y)
    assert p.decision_function([[-0.1, -0.1]])[0] == pytest.approx(-2 / 6)
    assert p.decision_function([[1.0, 1.0]])[0] == 1.0
    assert p.predict([[-0.1, -0.1]])[0] == -1
