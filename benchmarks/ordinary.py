"""Ordinary data: what a person with scikit-learn trains on in the first ten minutes.

Vectorised text, digits, scaled and normalised tables, one-hot columns, make_classification. Nothing
is downloaded: the text is the documentation of NumPy against that of SciPy, which are always there.
"""

import importlib
import inspect
from functools import cache

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_wine,
    make_blobs,
    make_classification,
    make_moons,
)
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.kernel_approximation import RBFSampler
from sklearn.preprocessing import (
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

_NUMPY = ("numpy", "numpy.linalg", "numpy.random", "numpy.fft", "numpy.ma")
_SCIPY = tuple(
    f"scipy.{name}" for name in ("stats", "linalg", "optimize", "signal", "special", "sparse")
)


@cache
def texts():
    """Paragraphs of documentation, and whose they are."""
    found = set()
    for label, names in enumerate((_NUMPY, _SCIPY)):
        for module in map(importlib.import_module, names):
            for name in dir(module):
                text = inspect.getdoc(getattr(module, name, None)) or ""
                found |= {(part, label) for part in text.split("\n\n") if len(part) > 60}
    parts = sorted(found)
    return [text for text, _ in parts], np.array([label for _, label in parts])


def words(vectorizer):
    text, y = texts()
    return vectorizer.fit_transform(text).astype(np.float64), y


def reduced(vectorizer, dimensions):
    X, y = words(vectorizer)
    return TruncatedSVD(dimensions, random_state=0).fit_transform(X), y


def cancer(*steps):
    X, y = load_breast_cancer(return_X_y=True)
    for step in steps:
        X = step.fit_transform(X)
    return X, y


def digits(label, step=None):
    X, y = load_digits(return_X_y=True)
    return X if step is None else step.fit_transform(X), label(y)


def three_or_eight():
    X, y = load_digits(return_X_y=True)
    some = (y == 3) | (y == 8)
    return X[some], y[some]


def applicants(n=30_000):
    """Six numbers and eight columns of words, one-hot: the label depends on some, with noise."""
    rng = np.random.default_rng(0)
    numbers = rng.lognormal(size=(n, 6))
    kinds = np.array([rng.zipf(1.6, n) % k for k in (9, 16, 7, 15, 6, 5, 2, 42)]).T
    score = np.log(numbers[:, 0]) + (kinds[:, 0] == 1) - (kinds[:, 2] % 3) + rng.normal(size=n)
    encoded = OneHotEncoder(sparse_output=False).fit_transform(kinds)
    return np.hstack([StandardScaler().fit_transform(numbers), encoded]), score > 1


def random_features():
    X, y = make_moons(3000, noise=0.2, random_state=0)
    return RBFSampler(n_components=300, random_state=0).fit_transform(X), y


def images():
    rng = np.random.default_rng(0)
    X = (rng.random((6000, 784)) * (rng.random((6000, 784)) < 0.2)).astype(np.float32)
    y = X @ rng.normal(size=784) > 0
    X[:, ::7] = 0
    return X, y


def whole_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (3000, 100))
    return X, X @ rng.normal(size=100) + 40 * rng.normal(size=3000) > 0


def unit_sphere():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 50))
    X /= np.linalg.norm(X, axis=1)[:, None]
    y = X @ rng.normal(size=50) > 0
    y[:400] = ~y[:400]
    return X, y


def wine():
    X, y = load_wine(return_X_y=True)
    return Normalizer().fit_transform(X), y == 1


CASES = {
    "tf-idf": lambda: words(TfidfVectorizer()),
    "tf-idf, 500 words": lambda: words(TfidfVectorizer(max_features=500)),
    "counts": lambda: words(CountVectorizer()),
    "binary words": lambda: words(CountVectorizer(binary=True)),
    "hashed 2^18": lambda: words(HashingVectorizer(n_features=2**18)),
    "svd of tf-idf": lambda: reduced(TfidfVectorizer(), 100),
    "digits 3, 8": three_or_eight,
    "digits, normalised": lambda: digits(lambda y: y % 2, Normalizer()),
    "digits, whitened": lambda: digits(lambda y: y < 5, PCA(40, whiten=True, random_state=0)),
    "cancer": cancer,
    "cancer, scaled": lambda: cancer(StandardScaler()),
    "cancer, min-max": lambda: cancer(MinMaxScaler()),
    "cancer, normalised": lambda: cancer(Normalizer()),
    "cancer, squares": lambda: cancer(StandardScaler(), PolynomialFeatures(2)),
    "wine, normalised": wine,
    "one-hot 30000": applicants,
    "redundant 1000x20": lambda: make_classification(1000, 20, random_state=0),
    "redundant 50000x50": lambda: make_classification(50_000, 50, flip_y=0.1, random_state=0),
    "noisy 10000x200": lambda: make_classification(10_000, 200, random_state=0),
    "noisy 5000x500": lambda: make_classification(5000, 500, random_state=0),
    "wide 500x5000": lambda: make_classification(500, 5000, random_state=0),
    "blobs": lambda: make_blobs(5000, centers=2, random_state=0),
    "moons": lambda: make_moons(5000, noise=0.2, random_state=0),
    "random features": random_features,
    "images": images,
    "whole numbers": whole_numbers,
    "unit sphere": unit_sphere,
}
