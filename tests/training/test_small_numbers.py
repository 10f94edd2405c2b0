"""Numbers that vanish beside the intercept are told of, and so is what is no number."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from raising import raises, warns
from rosenblatt import AROW, PassiveAggressive, Perceptron
from rosenblatt._training import fit
from rosenblatt.errors import InputError

ROWS = np.random.default_rng(0).normal(size=(30, 3))
LABELS = (ROWS[:, 0] > 0).astype(int)


@pytest.mark.parametrize("kind", [Perceptron, AROW, PassiveAggressive])
@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_rows_that_vanish_beside_the_intercept_are_told_of(kind, form):
    with warns(ConvergenceWarning):
        p = kind(random_state=0).fit(form(1e-200 * ROWS), LABELS)
    assert p.training_errors_


def test_rows_that_are_small_or_nothing_are_not_told_of():
    Perceptron(random_state=0).fit(0 * ROWS, LABELS)  # nothing to scale, nothing to tell
    Perceptron(random_state=0).fit(1e-3 * ROWS, LABELS)


@pytest.mark.parametrize(("columns", "told"), [(1, True), (2, False)])
def test_squares_vanish_below_half_of_the_last_bit_of_1(columns, told):
    size = 9e-9
    assert (1 + columns * size**2 == 1) == told
    rows = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]])[:, :columns]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert Perceptron(random_state=0).fit(size * rows, [0, 0, 1, 1]).training_errors_
    assert [w.category for w in caught] == [ConvergenceWarning] * told


def test_columns_of_very_different_sizes_are_told_of_once_unless_each_is_asked_for(monkeypatch):
    monkeypatch.setattr(fit, "_said", set())
    noisy = np.arange(30) % 2
    for sizes in ([1, 0, 1], [1, 30, 0.1]):
        Perceptron(random_state=0).fit(ROWS * sizes, noisy)
    table = pd.DataFrame(ROWS * [1, 1e-3, 100], columns=["a", "b", "c"])
    with warns(ConvergenceWarning):
        Perceptron(random_state=0).fit(table, noisy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(ConvergenceWarning):
                Perceptron(random_state=0).fit(table, noisy)
    monkeypatch.setattr(fit, "_said", set())
    for filters, shown in ((warnings.resetwarnings, 1), (lambda: None, 3)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            filters()
            for _ in range(3):
                Perceptron(random_state=0).fit(table, noisy)
        assert len(caught) == shown


@pytest.mark.parametrize(
    ("sizes", "told"), [([1, 1.0], False), ([1, 990.0], False), ([1, 1010.0], True)]
)
def test_very_different_is_a_thousand_times(sizes, told):
    X = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]]) * sizes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert Perceptron(random_state=0).fit(X, [0, 0, 1, 1]).training_errors_
    assert [w.category for w in caught] == [ConvergenceWarning] * told


def test_columns_beyond_any_ratio():
    with warns(ConvergenceWarning):
        Perceptron(random_state=0).fit(ROWS * [1e200, 1, 1e-200], np.arange(30) % 2)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("kind", [np.array, pd.DataFrame, sparse.csr_array, sparse.csc_array])
def test_what_is_not_finite_is_named_by_row_and_column(kind, value):
    rows = ROWS.copy()
    rows[7, 2] = value
    p = Perceptron(random_state=0, max_iter=2)
    with raises(InputError, row=7, column=2):
        p.fit(kind(rows), LABELS)
    p.fit(kind(ROWS), LABELS)
    with raises(InputError, row=7, column=2):
        p.predict(kind(rows))


def test_what_is_no_number_is_named_by_row_and_column():
    table = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    missing = table.astype({"b": "Float64"})
    missing.loc[4, "b"] = pd.NA
    with raises(InputError, row=4, column=1):
        Perceptron().fit(missing, LABELS)
    with raises(InputError, row=0, column=2):
        Perceptron().fit(table.assign(c=pd.Timestamp("2020-01-01")), LABELS)
