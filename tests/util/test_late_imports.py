"""The program imports late what scikit-learn imports and no command uses."""

import subprocess
import sys

# What is imported late is whole when it is used, and pandas is there for whoever asks later.
PROGRAM = """
import sys
from rosenblatt._util.late_imports import import_late

import_late()
import sklearn
assert object.__getattribute__(sys.modules["scipy.stats"], "__class__").__name__ == "_LazyModule"
assert "pandas" not in sys.modules

import numpy as np
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
