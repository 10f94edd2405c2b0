"""Numbers that vanish beside the intercept are told of, and so is what is no number."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from raising import raises, warns
from rosenblatt import Perceptron
from rosenblatt.errors import InputError

ROWS = np.random.default_rng(0).normal(size=(30, 3))
LABELS = (ROWS[:, 0] > 0).astype(int)


def test_rows_that_vanish_beside_the_intercept_are_told_of():
    with warns(ConvergenceWarning):
        p = Perceptron(random_state=0).fit(1e-200 * ROWS, LABELS)
    assert p.training_errors_
    Perceptron(random_state=0).fit(0 * ROWS, LABELS)  # nothing to scale, nothing to tell
    Perceptron(random_state=0).fit(1e-3 * ROWS, LABELS)


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
