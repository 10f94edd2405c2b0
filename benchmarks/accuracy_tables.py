"""Real tables to learn from: scikit-learn's, the one that ships with us, and CSV files of a folder.

A CSV file has its target in the last column; one of more than ten different numbers is cut at its
median. A `?` is a missing value. Nothing of such a folder is part of the project.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ordinary import texts
from scipy import sparse
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

from rosenblatt.datasets import load_credit

MOST_LABELS = 10
LEAST_ROWS = 5  # of a class: a rarer one cannot be in both parts and in all folds


class Table(NamedTuple):
    name: str
    rows: Any  # a data frame, or texts
    y: np.ndarray
    encoder: Callable[[], Any]  # numbers of the rows, learned from the training rows
    rows_at_most: int | None = None


class Split(NamedTuple):
    """Numbers that every candidate gets."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


def tables(folder: Path | None) -> Iterator[Table]:
    for load in (load_breast_cancer, load_digits, load_iris, load_wine):
        bunch = load(as_frame=True)
        yield Table(
            load.__name__.removeprefix("load_"), bunch.data, bunch.target.to_numpy(), columns
        )
    X, y = load_credit(as_frame=True, return_X_y=True)
    known_later = [c for c in ("share", "expenditure") if c in X.columns]  # they tell the label
    yield Table("credit card", X.drop(columns=known_later), np.asarray(y), columns)
    text, label = texts()
    yield Table("documentation, words", text, label, counted)
    yield Table("documentation, tf-idf", text, label, weighed)
    yield from wide()
    for path in sorted(folder.glob("*.csv")) if folder else []:
        yield csv(path)


def wide() -> Iterator[Table]:
    """Few rows, and more columns or nearly: real ones of pixels and of squares, and made ones, of
    twelve factors behind 752 noisy columns among them."""
    digits, cancer = load_digits(), load_breast_cancer()
    pair = np.isin(digits.target, (3, 8))
    products = PolynomialFeatures(2, include_bias=False)
    rng = np.random.default_rng(1)
    factors = rng.standard_normal((756, 12))
    noisy = factors @ rng.standard_normal((12, 752)) + 2 * rng.standard_normal((756, 752))
    told = factors[:, :5].sum(axis=1) + 0.8 * factors[:, 5] * factors[:, 6]
    two = told + 1.5 * rng.standard_normal(756) > -1.2
    made = {"n_informative": 15, "class_sep": 0.7, "flip_y": 0.05, "random_state": 3}
    for name, X, y, most in (
        ("digits 3 and 8", digits.data[pair], digits.target[pair], 100),
        ("digits, products", products.fit_transform(digits.data[pair]), digits.target[pair], 150),
        ("breast cancer, products", products.fit_transform(cancer.data), cancer.target, 200),
        ("made, 750 columns", *make_classification(800, 750, n_redundant=300, **made), 200),
        ("factors, 752 columns", noisy, two.astype(int), 200),
    ):
        yield Table(name, pd.DataFrame(X).rename(columns="x{}".format), y, columns, most)


def csv(path: Path) -> Table:
    """A table in a file, with or without names in its first line."""
    first = pd.read_csv(path, header=None, nrows=1, skipinitialspace=True).iloc[0]
    named = not any(pd.to_numeric(first, errors="coerce").notna())
    frame = pd.read_csv(
        path, header=0 if named else None, na_values="?", skipinitialspace=True, index_col=False
    )
    frame.columns = frame.columns.astype(str)
    target = frame.iloc[:, -1]
    rows = frame.iloc[:, :-1][target.notna()]
    target = target[target.notna()]
    if pd.api.types.is_numeric_dtype(target) and target.nunique() > MOST_LABELS:
        target = target > target.median()
    kept = target.groupby(target).transform("size") >= LEAST_ROWS
    labels = pd.factorize(target[kept], sort=True)[0]
    return Table(path.stem, rows[kept].reset_index(drop=True), labels, columns)


def split(table: Table, seed: int, most_rows: int) -> Split:
    """A quarter tests. Of a long table `most_rows` rows are drawn."""
    places = drawn(table, seed, most_rows)
    train, test = train_test_split(
        places, test_size=0.25, stratify=table.y[places], random_state=seed
    )
    return encoded(table, train, test)


def drawn(table: Table, seed: int, most_rows: int) -> np.ndarray:
    """Places of rows: all, or `most_rows` of a long table."""
    places = np.arange(len(table.y))
    most_rows = min(most_rows, table.rows_at_most or most_rows)
    if len(places) > most_rows:
        places, _ = train_test_split(
            places, train_size=most_rows, stratify=table.y, random_state=seed
        )
    return places


def encoded(table: Table, train: np.ndarray, test: np.ndarray) -> Split:
    """Rows at these places, as numbers that are learned from those that train."""
    encoder = table.encoder()
    some = table.rows.iloc if isinstance(table.rows, pd.DataFrame) else np.array(table.rows, object)
    X, X_test = encoder.fit_transform(some[train]), encoder.transform(some[test])
    return Split(_stored(X), table.y[train], _stored(X_test), table.y[test])


def _stored(X: Any) -> Any:
    return sparse.csr_matrix(X) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=float)


# --- Encoders -------------------------------------------------------------------------------------


def columns() -> Any:
    """Numbers are scaled, gaps filled with the mean; words become columns of 0 and 1."""
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include=["number"])),
        (words, make_column_selector(dtype_exclude=["number"])),
        sparse_threshold=0,
    )


def counted() -> Any:
    return CountVectorizer(min_df=2, binary=True, dtype=np.float64)


def weighed() -> Any:
    return TfidfVectorizer(min_df=2)
