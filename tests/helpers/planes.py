"""Small tables that a hyperplane separates, or none does; told by linear programs in fractions."""

import numpy as np

import rational


def small(seed, n=14, d=2, can_be_separated=False):
    """Whole numbers with random labels, or with those of a hyperplane through no row."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-4, 5, (n, d)).astype(float)
    labels = rng.choice([-1, 1], n)
    if can_be_separated:
        w = rng.integers(-3, 4, d)
        labels = np.where(2 * (rows @ w) + rng.choice([-3, -1, 1]) > 0, 1, -1)
    labels[:2] = [-1, 1]
    return rows, labels


def separable(rows, labels, intercept=True):
    """By linear programs in rational numbers."""
    return len(rational.strict_rows(rational.lifted(rows, labels, intercept))) == len(rows)


def easy():
    """Rows that a hyperplane separates, and the perceptron within a few hundred epochs."""
    found = (small(seed, n=40, can_be_separated=True) for seed in range(100))
    return next((rows, labels) for rows, labels in found if separable(rows, labels))
