"""OneByOne: rows that are dicts, learned from one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import AROW, KernelPerceptron, OneByOne, PassiveAggressive, Perceptron, one_by_one
from rosenblatt.errors import InputError


def texts(rows: int, words: int) -> list[dict[str, float]]:
    """Words come one by one: row i has some of the first i."""
    rng = np.random.default_rng(0)
    return [
        {f"w{j}": float(rng.integers(1, 4)) for j in rng.integers(0, min(i + 3, words), 5)}
        for i in range(rows)
    ]


@pytest.mark.parametrize("kind", [Perceptron, PassiveAggressive, AROW])
@pytest.mark.parametrize("labels", [[False, True], ["a", "b", "c"]])
def test_it_is_partial_fit_of_columns_in_the_order_in_which_they_came(
    kind: Any, labels: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_by_one, "_FIRST", 2)  # it has to grow
    rows = texts(120, 60)
    rng = np.random.default_rng(1)
    names = list(dict.fromkeys(name for row in rows for name in row))
    X = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    y = [labels[int(c)] for c in rng.integers(0, len(labels), len(rows))]
    weights = rng.choice([1.0, 2.0], len(rows))
    model, p = OneByOne(kind(), classes=labels), kind()
    assert model.predict_one(rows[0]) is None
    for i, row in enumerate(rows):
        model.learn_one(row, y[i], w=weights[i])
        p.partial_fit(X[i : i + 1], y[i : i + 1], labels, sample_weight=weights[i : i + 1])
        assert model.predict_one(rows[i // 2]) == p.predict(X[i // 2 : i // 2 + 1])[0]
    fitted = model.fitted()
    assert fitted.feature_names_in_.tolist() == names
    assert fitted.coef_.tolist() == p.coef_.tolist()
    assert fitted.intercept_.tolist() == p.intercept_.tolist()
    fitted.feature_names_in_ = None
    del fitted.feature_names_in_
    for one in (fitted, p):
        one.partial_fit(X, y)
    assert fitted.coef_.tolist() == p.coef_.tolist()


def test_what_it_says_of_rows_that_it_does_not_know() -> None:
    model = OneByOne(Perceptron())
    model.learn_one({"a": 1}, True)
    model.learn_one({"b": True}, False)
    assert model.predict_one({"a": 1, "c": 100}) is True
    assert model.decision_one({"a": 1}) > model.decision_one({"b": 1})
    many = OneByOne(AROW(), classes=[1, 2, 3])
    many.learn_one({"a": 1}, 3)
    assert list(many.decision_one({"a": 1})) == [1, 2, 3]
    for wrong in ("x", None, [1]):
        with pytest.raises(InputError):
            model.learn_one({"a": wrong}, True)
    for wrong, label in ((float("nan"), True), (1, "yes")):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - which one is said below
            model.learn_one({"a": wrong}, label)
        assert str(wrong if label is True else label) in str(caught.value)
    assert model.predict_one({"a": 1}) is True
    with pytest.raises(InputError):
        OneByOne(KernelPerceptron())  # type: ignore[arg-type]
