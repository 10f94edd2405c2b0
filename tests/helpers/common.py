"""What several test files share: the choices, small data, and all that a fit leaves behind."""

import numpy as np
import pytest
from scipy import sparse

ORDERS = ["cyclic", "shuffle", "fixed", "blocks", "random", "batch"]
KEEPS = ["last", "best", "pocket", "average", "vote"]

every_order = pytest.mark.parametrize("order", ORDERS)
every_keep = pytest.mark.parametrize("keep", KEEPS)
# Few epochs on noisy rows: keep="last" says that it did not get there.
may_not_converge = pytest.mark.filterwarnings(
    "ignore:.*stopped at max_iter:sklearn.exceptions.ConvergenceWarning",
    "ignore:.*returns the weights it had when it stopped:sklearn.exceptions.ConvergenceWarning",
)
# Separable rows: keep="average" and "vote" say that a rule without mistakes exists.
may_not_separate = pytest.mark.filterwarnings(
    "ignore:.*returns a rule with:sklearn.exceptions.ConvergenceWarning"
)


def noisy(n=60, d=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1)


X, Y = noisy()
X_VAL, Y_VAL = noisy(40, seed=3)


def everything(p, rows=X):
    """All that fitting leaves behind; arrays as bytes, so that equal means equal to the bit."""
    names = ["n_iter_", "n_updates_", "training_errors_", "converged_", "stop_reason_"]
    found = {name: getattr(p, name) for name in names}
    arrays = {"scores": p.decision_function(rows)}
    arrays |= {name: getattr(p, name) for name in ("mistakes_", "update_counts_")}
    if sparse.issparse(arrays["update_counts_"]):  # of many classes
        arrays["update_counts_"] = arrays["update_counts_"].toarray()
    arrays["validation_mistakes_"] = getattr(p, "validation_mistakes_", np.empty(0))
    if p.keep != "vote":
        arrays |= {"coef_": p.coef_, "intercept_": p.intercept_}
    return found | {name: (str(a.dtype), a.shape, a.tobytes()) for name, a in arrays.items()}
