"""What tests of model files share: many kinds of estimators, and all that is seen of one."""

import warnings

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from common import KEEPS, ORDERS
from rosenblatt import AROW, KernelPerceptron, PassiveAggressive, Perceptron, RandomLinearClassifier

KERNELS = ["rbf", "linear", "poly", "sigmoid", "precomputed"]

STORED = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_matrix,
    "csr float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "csr int64": lambda X: with_long_indices(sparse.csr_matrix(X)),
}

LABELS = {
    "text": np.array(["no", "größer 東京 🎉"]),
    "wide text": np.array(["a", "b"], dtype="<U40"),
    "int64": np.array([-1, 1]),
    "int8": np.array([-128, 127], dtype=np.int8),
    "uint64": np.array([0, 2**64 - 1], dtype=np.uint64),
    "big-endian": np.array([3, 70000], dtype=">i4"),
    "bool": np.array([False, True]),
    "float64": np.array([-1.0, 0.0]),
    "float32": np.array([1.0, 16777216.0], dtype=np.float32),
    "float16": np.array([1.0, 2.0], dtype=np.float16),
    "text objects": np.array(["b", "ä" * 300], dtype=object),
    "int objects": np.array([-7, 10**18], dtype=object),
    "bool objects": np.array([False, True], dtype=object),
    "half a character": np.array(["a", "z\udc80"]),
}


def with_long_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def table(n=40, d=3, seed=0):
    """Rows with zeros, labels 0 and 1 that no hyperplane separates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(np.intp)


def quietly(fit, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*args, **kwargs)


def everything_seen(p, rows):
    """All that a user can see of an estimator; arrays as bytes: equal means equal to the bit."""
    found = {"type": type(p), "parameters": p.get_params()}
    names = [name for name in dir(p) if name.endswith("_") and not name.startswith("_")]
    for name in sorted({*names, "coef_", "intercept_", "dual_coef_"}):
        found[name] = seen(getattr(p, name, "not there"))
    found["scores"] = seen(p.decision_function(rows))
    found["predictions"] = seen(p.predict(rows))
    return found


def seen(value):
    if sparse.issparse(value):
        return (value.shape, *map(seen, (value.data, value.indices, value.indptr)))
    if isinstance(value, np.ndarray):
        content = value.tolist() if value.dtype == object else value.tobytes()
        return str(value.dtype), value.shape, content
    return type(value), value


@st.composite
def fitted(draw):
    """An estimator fitted to some rows, and rows to ask it about."""
    X, y = table(draw(st.integers(2, 30)), draw(st.integers(1, 5)), draw(st.integers(0, 10**6)))
    y[:2] = [0, 1]
    labels = draw(st.sampled_from(sorted(LABELS)))
    y = LABELS[labels][y]
    shared = {
        "order": draw(st.sampled_from(ORDERS)),
        "keep": draw(st.sampled_from(KEEPS)),
        "eta0": draw(st.sampled_from([1.0, 0.1, 3, np.float32(0.3)])),
        "margin": draw(st.sampled_from([0.0, 0.5, "scale"])),
        "fit_intercept": draw(st.booleans()),
        "max_iter": draw(st.integers(1, 6)),
        "max_updates": draw(st.sampled_from([None, 1, 7])),
        "class_weight": draw(
            st.sampled_from([None, "balanced", {y[0]: 2.5}, {y[0]: np.float32(0.1), y[1]: 3}])
        ),
        "random_state": draw(st.sampled_from([None, 0, np.int64(7)])),
        "warm_start": draw(st.booleans()),
    }
    kind = draw(
        st.sampled_from(["Perceptron", "KernelPerceptron", "RandomLinearClassifier", "online"])
    )
    stored = draw(st.sampled_from(sorted(STORED)))
    weights = draw(st.sampled_from([None, np.where(np.arange(len(y)) % 5 == 4, 0.0, 1.5)]))
    if kind == "RandomLinearClassifier":
        p = RandomLinearClassifier(draw(st.integers(1, 120)), random_state=draw(st.integers(0, 9)))
        X = STORED[stored](X)
        return p.fit(X, y, sample_weight=weights), X
    if kind == "Perceptron":
        X = STORED[stored](X)
        start = draw(st.sampled_from([None, np.full(X.shape[1], 0.1)]))
        return quietly(Perceptron(**shared).fit, X, y, weights, coef_init=start), X
    if kind == "online":
        kinds = [AROW(), AROW(r=0.7), PassiveAggressive(), PassiveAggressive(C=3, loss="hinge")]
        others = {k: v for k, v in shared.items() if k not in ("eta0", "margin")}
        p = draw(st.sampled_from(kinds)).set_params(**others)
        p.set_params(order="blocks" if p.order == "batch" else p.order)
        X = STORED[stored](X)
        return quietly(p.fit, X, y, weights), X
    kernel = draw(st.sampled_from(KERNELS))
    X = X @ X.T if kernel == "precomputed" else STORED[stored](X)
    start = draw(st.sampled_from([None, np.linspace(-1, 1, len(y))]))
    p = KernelPerceptron(kernel=kernel, gamma=draw(st.sampled_from(["auto", 0.3])), **shared)
    return quietly(p.fit, X, y, weights, dual_coef_init=start), X


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
preprocessings = st.none() | st.dictionaries(st.text(), JSON, max_size=4)
