"""OneByOne: rows that are dicts, learned from one after another."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rosenblatt import (
    AROW,
    KernelPerceptron,
    OneByOne,
    PassiveAggressive,
    Perceptron,
    certify,
    load,
    one_by_one,
    save,
)
from rosenblatt.data.features import Number
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.errors import InputError, InputTypeError


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


def fitted_from_dicts(kind: Any, labels: list[Any], **options: Any) -> tuple[OneByOne, Any]:
    model = OneByOne(kind(**options), classes=labels)
    for i, row in enumerate(texts(15, 12)):
        model.learn_one(row, labels[i % len(labels)])
    return model, model.fitted()


@pytest.mark.parametrize("labels", [["no", "yes"], ["a", "b", "c"]])
@pytest.mark.parametrize("source", ["fitted", "file", "pickle", "frame"])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (AROW, {}),
        (PassiveAggressive, {}),
        (Perceptron, {}),
        (Perceptron, {"keep": "best"}),
        (Perceptron, {"keep": "vote"}),
        (Perceptron, {"multi_class": "ovr"}),
        (Perceptron, {"multi_class": "ovr", "keep": "vote"}),
    ],
)
def test_it_goes_on_from_a_fitted_estimator_by_the_names_of_its_columns(
    kind: Any, options: dict[str, Any], source: str, labels: list[Any], tmp_path: Path
) -> None:
    model, estimator = fitted_from_dicts(kind, labels, **options)
    if source == "file":
        save(estimator, tmp_path / "model.json")
        estimator = load(tmp_path / "model.json")
    elif source == "pickle":
        estimator = pickle.loads(pickle.dumps(estimator))
    elif source == "frame":
        rows = texts(15, 12)
        frame = pd.DataFrame(rows).fillna(0.0)
        estimator = kind(**options)
        for i in range(len(rows)):
            estimator.partial_fit(frame[i : i + 1], [labels[i % len(labels)]], labels)
    for classes in (None, labels, labels[::-1]):
        further = OneByOne(estimator, classes=classes)
        assert further.predict_one({"w3": 2.0}) == model.predict_one({"w3": 2.0})
        before = further.fitted()
        assert before.feature_names_in_.tolist() == estimator.feature_names_in_.tolist()
        if options.get("keep") != "vote":
            assert before.coef_.tolist() == estimator.coef_.tolist()
    both, more = copy.deepcopy(model), texts(40, 30)[20:]
    for i, row in enumerate(more):  # in another order, and with names that are new
        for one in (both, further):
            one.learn_one(dict(reversed(row.items())), labels[i % len(labels)], w=2.0)
            assert one.predict_one(more[0]) == both.predict_one(more[0])
    results = [one.fitted() for one in (both, further)]
    assert results[0].feature_names_in_.tolist() == results[1].feature_names_in_.tolist()
    numbers = np.eye(results[0].n_features_in_)
    scores = [
        pd.DataFrame(numbers, columns=one.feature_names_in_).pipe(one.decision_function)
        for one in results
    ]
    assert scores[0].tolist() == scores[1].tolist()
    if kind is AROW:
        assert results[0].precision_.tolist() == results[1].precision_.tolist()


def test_from_a_certificate_it_goes_on_as_partial_fit_does() -> None:
    X = pd.DataFrame([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], columns=["a", "b"])
    p = Perceptron.from_certificate(certify(X, [1, 1, 0]))
    p.feature_names_in_ = np.array(["a", "b"], dtype=object)
    model = OneByOne(p)
    model.learn_one({"b": 2.0}, 1)
    p.partial_fit(X[:1] * 0 + [0.0, 2.0], [1])
    assert model.fitted().coef_.tolist() == p.coef_.tolist()


def test_a_fitted_estimator_that_does_not_know_names_or_has_other_classes_is_refused() -> None:
    X = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]
    p = Perceptron().fit(X, ["good", "good", "bad"])
    with pytest.raises(InputError):
        OneByOne(p)
    p = Perceptron().fit(pd.DataFrame(X, columns=["a", "b"]), ["good", "good", "bad"])
    with pytest.raises(InputError) as caught:
        OneByOne(p, classes=[0, 1])
    assert caught.value.option == "classes"
    p.feature_names_in_ = np.array(["a", "a"], dtype=object)
    with pytest.raises(InputError):
        OneByOne(p)


def test_behind_a_preprocessing_that_changes_numbers_it_is_refused() -> None:
    _, estimator = fitted_from_dicts(AROW, [0, 1])
    as_they_are = tuple(map(Number, estimator.feature_names_in_))
    estimator.preprocessing_ = Preprocessing(as_they_are)
    assert OneByOne(estimator).predict_one({"w1": 1.0}) in (0, 1)
    estimator.preprocessing_ = Preprocessing((replace(as_they_are[0], scale=2.0), *as_they_are[1:]))
    with pytest.raises(InputError):
        OneByOne(estimator)


@pytest.mark.parametrize("kind", [Perceptron, AROW, PassiveAggressive])
@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2]])
def test_arrays_of_another_size_do_not_reach_the_core(kind: Any, labels: list[int]) -> None:
    _, estimator = fitted_from_dicts(kind, labels)
    del estimator.feature_names_in_
    estimator.n_features_in_ = 4000
    wide = np.ones((1, 4000))
    for rows in (wide, sparse.csr_array(wide)):
        with pytest.raises(InputError):
            estimator.partial_fit(rows, [1])
        for predict in (estimator.predict, estimator.decision_function):
            with pytest.raises(InputError):
                predict(rows)


def test_what_is_no_dict_or_no_number_has_a_word_of_its_own() -> None:
    model = OneByOne(Perceptron())
    for row in ([1, 2], None, "a"):
        with pytest.raises(InputTypeError):
            model.learn_one(row, True)  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        model.learn_one({"a": None}, True)  # type: ignore[dict-item]
    assert "=None" not in str(caught.value)


def test_save_says_what_of_it_can_be_saved(tmp_path: Path) -> None:
    model, _ = fitted_from_dicts(AROW, [0, 1])
    with pytest.raises(InputTypeError) as caught:
        save(model, tmp_path / "model.json")  # type: ignore[arg-type]
    assert "fitted()" in str(caught.value)
