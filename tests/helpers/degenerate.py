"""Small tables of every degenerate kind: repeated, dependent, collinear, huge and tiny."""

import numpy as np
from scipy import sparse


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def small(rng, n, d):
    return rng.integers(-2, 3, (n, d)).astype(float)


def repeated(rng, n, d):
    return small(rng, n, d)[rng.integers(0, max(n // 2, 1), n)]


def with_zero_rows(rng, n, d):
    return small(rng, n, d) * rng.integers(0, 2, (n, 1))


def collinear(rng, n, d):
    return rng.integers(-2, 3, d) + rng.integers(-4, 5, (n, 1)) * rng.integers(-2, 3, d) * 1.0


def dependent_columns(rng, n, d):
    X = rng.choice([small, gaussian])(rng, n, d)
    for j in range(1, d):
        if rng.random() < 0.5:
            X[:, j] = X[:, :j] @ rng.integers(-1, 2, j)
    return X


def zeros_and_ones(rng, n, d):
    return rng.integers(0, 2, (n, d)).astype(float)


def one_decimal(rng, n, d):
    # Sums of columns that are exact in decimals and not in binary.
    X = rng.integers(0, 20, (n, d)) / 10
    X[:, -1] = np.round(X[:, :-1].sum(axis=1), 1) if d > 1 else X[:, -1]
    return X


def scaled(rng, n, d):
    X = rng.choice([small, gaussian, zeros_and_ones])(rng, n, d)
    return X * rng.choice([1.0, 1e-8, 1e8, 2.0**-40, 2.0**40, 1e-150, 1e150], d)


def extreme(rng, n, d):
    X = small(rng, n, d)
    huge_or_tiny = [5e-324, -5e-324, 1e-308, 1e300, -1e300, 1e308, 1.7e308, 1e16, 1e16 + 2]
    return np.where(rng.random((n, d)) < 0.25, rng.choice(huge_or_tiny, (n, d)), X)


def gaussian(rng, n, d):
    return rng.normal(size=(n, d))


def nearly_collinear(rng, n, d):
    # The last column is a blend of the others but for rounding.
    X = rng.choice([small, gaussian])(rng, n, d)
    if d > 1:
        X[:, -1] = X[:, :-1] @ rng.uniform(-1, 1, d - 1)
    return X


def one_hot(rng, n, d):
    # A factor of d levels, and a number where it is the last one.
    X = np.eye(d)[rng.integers(0, d, n)]
    X[:, -1] *= rng.integers(1, 4, n)
    return X


def equal_lengths(rng, n, d):
    X = rng.choice([small, gaussian])(rng, n, d)
    length = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(length > 0, length, 1)


def labelled(rng, X):
    """Labels: chance, or a hyperplane that has points on it, which take either."""
    n, d = X.shape
    chance = rng.choice([-1, 1], n)
    if rng.random() < 0.4:
        return chance
    with np.errstate(over="ignore", invalid="ignore"):
        score = X @ rng.integers(-2, 3, d) + rng.integers(-1, 2) * (rng.random() < 0.5)
        if rng.random() < 0.3:
            score = score - rng.choice(score)
    side = np.where(np.nan_to_num(score) == 0, chance, np.sign(np.nan_to_num(score))).astype(int)
    return side if rng.random() < 0.7 else np.where(score == 0, 1, side)


KINDS = [
    *(small, repeated, with_zero_rows, collinear, dependent_columns),
    *(zeros_and_ones, one_decimal, scaled, extreme, gaussian),
    *(nearly_collinear, one_hot, equal_lengths),
]


def instance(kind, k):
    """Instance k of a kind: rows (sparse for every other k), labels, and is there an intercept."""
    rng = np.random.default_rng([KINDS.index(kind), k])
    n, d = int(rng.integers(1, 13)), int(rng.integers(1, 5))
    X = kind(rng, n, d)
    y = labelled(rng, X)
    return sparse.csr_matrix(X) if k % 2 else X, y, bool(rng.integers(0, 2))
