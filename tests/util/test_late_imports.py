"""The program imports late what scikit-learn imports and no command uses."""

import subprocess
import sys

# What is imported late is whole when it is used, and pandas is there for whoever asks later.
PROGRAM = """
import sys
from rosenblatt._util.late_imports import import_late

import_late()
import numpy as np
from sklearn.covariance import MinCovDet
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import label_ranking_average_precision_score as ranked
from rosenblatt.selection.measures import clopper_pearson, mean_interval

clopper_pearson(2, 9), mean_interval(np.arange(3.0))  # what `fit` computes
assert "scipy.stats._stats_py" not in sys.modules
assert "pandas" not in sys.modules

# Functions and objects of scipy.stats that scikit-learn has by name, in two threads at once.
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(2) as threads:
    found = [threads.submit(ranked, [[1, 0, 0]], [[0.75, 0.5, 1]]) for _ in range(2)]
    assert [one.result() for one in found] == [0.5, 0.5]
points = [[k % 5, k % 7] for k in range(35)]
assert MinCovDet(random_state=0).fit(points).covariance_.shape == (2, 2)
assert type(sys.modules["scipy.stats"]).__name__ == "module"

import pandas as pd
import scipy.stats
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import _mode

assert round(scipy.stats.norm.ppf(0.975), 2) == 1.96
assert _mode(np.array([1, 2, 2])).mode == 2
scaler = StandardScaler().set_output(transform="pandas").fit(pd.DataFrame({"a": [1.0, 3.0]}))
assert scaler.transform(pd.DataFrame({"a": [5.0]})).equals(pd.DataFrame({"a": [3.0]}))
np.testing.assert_allclose(np.f2py.__name__ == "numpy.f2py", True)
"""


def test_what_is_imported_late_is_whole_when_it_is_used():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
