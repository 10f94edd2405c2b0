"""Frames of pandas and polars: their names are kept and compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from common import every_keep, may_not_separate
from containers import X, Y, every_estimator, same_bits
from raising import raises
from rosenblatt import Perceptron

NAMES = ["height", "weight", "age", "dose"]


# --- Frames ---------------------------------------------------------------------------------------


FRAMES: dict[str, Callable[..., Any]] = {
    "pandas": lambda rows=X, names=NAMES: pd.DataFrame(rows, columns=names),
    "polars": lambda rows=X, names=NAMES: pl.DataFrame(rows, schema=names),
}


every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@every_frame
@every_estimator
@may_not_separate
def test_a_frame_is_learned_from_and_its_names_are_kept(
    frame: Callable[..., Any], estimator: Any
) -> None:
    trained = clone(estimator).fit(frame(), Y)
    assert trained.feature_names_in_.tolist() == NAMES
    plain = clone(estimator).fit(X, Y)
    assert not hasattr(plain, "feature_names_in_")
    same_bits(trained.decision_function(frame()), plain.decision_function(X))
    same_bits(trained.predict(frame()), plain.predict(X))


@every_frame
@every_keep
@pytest.mark.parametrize("method", ["predict", "decision_function", "partial_fit"])
@may_not_separate
def test_a_frame_with_its_columns_in_another_order_is_refused(
    frame: Callable[..., Any], keep: str, method: str
) -> None:
    trained = Perceptron(keep=keep, random_state=0).fit(frame(), Y)
    turned = frame(X[:, ::-1], NAMES[::-1])
    labels = [Y] if method == "partial_fit" else []
    with raises(ValueError):
        getattr(trained, method)(turned, *labels)


@every_frame
def test_a_frame_with_other_columns_is_refused(frame: Callable[..., Any]) -> None:
    trained = Perceptron(random_state=0).fit(frame(), Y)
    with raises(ValueError):
        trained.predict(frame(names=[*NAMES[:3], "colour"]))


def test_names_are_kept_from_pandas_to_polars_and_back() -> None:
    trained = Perceptron(random_state=0).fit(FRAMES["pandas"](), Y)
    same_bits(trained.predict(FRAMES["polars"]()), trained.predict(FRAMES["pandas"]()))


@every_frame
def test_names_are_kept_by_partial_fit(frame: Callable[..., Any]) -> None:
    trained = Perceptron().partial_fit(frame()[:30], Y[:30])
    assert trained.feature_names_in_.tolist() == NAMES
    trained.partial_fit(frame()[30:], Y[30:])
    assert trained.feature_names_in_.tolist() == NAMES
    plain = Perceptron().partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    same_bits(trained.coef_, plain.coef_)


def test_names_go_when_a_later_fit_has_none() -> None:
    trained = Perceptron(random_state=0).fit(FRAMES["pandas"](), Y).fit(X, Y)
    assert not hasattr(trained, "feature_names_in_")


def test_columns_of_several_types_are_converted_once() -> None:
    frame = pd.DataFrame(
        {
            "float": X[:, 0],
            "small": X[:, 1].astype(np.float32),
            "whole": np.arange(60),
            "flag": Y > 0,
            "nullable": pd.array(np.arange(60), dtype="Int64"),
        }
    )
    same_rows = np.column_stack([np.asarray(frame[name], dtype=float) for name in frame])
    trained = Perceptron(random_state=0).fit(frame, Y)
    plain = Perceptron(random_state=0).fit(same_rows, Y)
    same_bits(trained.coef_, plain.coef_)
    same_bits(trained.decision_function(frame), plain.decision_function(same_rows))


@pytest.mark.parametrize("name", ["dtype", "ndim", "T", "format", "indptr"])
def test_a_column_may_have_any_name(name: str) -> None:
    """Attributes of a pandas frame are also its columns."""
    frame = pd.DataFrame(X, columns=[*NAMES[:3], name])
    trained = Perceptron(random_state=0).fit(frame, Y)
    same_bits(trained.predict(frame), Perceptron(random_state=0).fit(X, Y).predict(X))


def test_a_sparse_frame_is_learned_from() -> None:
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X), columns=NAMES)
    trained = Perceptron(random_state=0).fit(frame, Y)
    same_bits(trained.coef_, Perceptron(random_state=0).fit(X, Y).coef_)
