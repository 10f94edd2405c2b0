"""multi_class="ovr": a checkpoint keeps the training of each class, to go on to the same bits."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from common import KEEPS, everything, may_not_converge, may_not_separate, noisy
from crashing import Crash
from raising import raises
from rosenblatt import Perceptron, train
from rosenblatt._core.backend import compute
from rosenblatt._training import orders
from rosenblatt.errors import InputError

pytestmark = [may_not_converge, may_not_separate]

X, _ = noisy(24)
Y = np.array(["a", "b", "c"])[(X[:, 0] > 0.4).astype(int) + (X[:, 1] > 0)]


def perceptron(**given):
    choices = {"order": "shuffle", "margin": 0, "max_iter": 4, "random_state": 1}
    choices |= {"multi_class": "ovr"}
    return Perceptron(**choices | given)


@pytest.mark.parametrize(
    ("order", "keep"),
    [*(("shuffle", keep) for keep in KEEPS), ("random", "best"), ("batch", "best")],
)
def test_crashes_change_nothing(order, keep, path, crash_after, rng, monkeypatch):
    monkeypatch.setattr(compute, "chunk", 16 * 20)
    given = {"order": order, "keep": keep, "class_weight": {"a": 2.0}, "margin": 0.1}
    expected = everything(perceptron(**given).fit(X, Y), X)
    p, crashes, finished = perceptron(**given), 0, False
    while not finished:
        crash_after(int(rng.integers(1, 30)), before=bool(rng.integers(2)))
        try:
            train(p, (X, Y), checkpoint=path, checkpoint_every=0)
            finished = True
        except Crash:
            crashes += 1
        if path.exists():
            content = json.loads(path.read_text())
            assert content["version"] == 1
            begun = [one["made_with"] for one in content["of_classes"]]
            assert [one["class"] for one in begun] == begun[0]["classes"][: len(begun)]
    assert crashes
    assert everything(p, X) == expected
    assert "_checkpoint" not in vars(p)
    assert not any("_checkpoint" in vars(one) for one in p._of_classes)


def test_a_class_that_is_done_is_not_trained_again(path, monkeypatch):
    first = everything(train(perceptron(), (X, Y), checkpoint=path), X)
    monkeypatch.setattr(orders.Shuffle, "advance", None)  # nothing is left to be visited
    assert everything(train(perceptron(), (X, Y), checkpoint=path), X) == first


def test_it_may_go_on_for_longer(path):
    train(perceptron(max_iter=2), (X, Y), checkpoint=path)
    p = train(perceptron(max_iter=6), (X, Y), checkpoint=path)
    assert everything(p, X) == everything(perceptron(max_iter=6).fit(X, Y), X)
    with raises(InputError, option="max_iter", value=2):
        train(perceptron(max_iter=2), (X, Y), checkpoint=path)


def test_without_a_seed_those_of_the_checkpoint_are_used(path):
    first = train(perceptron(random_state=None), (X, Y), checkpoint=path)
    again = train(perceptron(random_state=None), (X, Y), checkpoint=path)
    assert everything(again, X) == everything(first, X)


@pytest.mark.parametrize(
    "change",
    [
        {"multi_class": "joint"},
        {"margin": 0.5},
        {"random_state": 2},
    ],
)
def test_another_training_is_refused(change, path):
    train(perceptron(), (X, Y), checkpoint=path)
    before = path.read_bytes()
    with raises(InputError):
        train(perceptron(**change), (X, Y), checkpoint=path)
    assert path.read_bytes() == before


def test_other_labels_are_refused_and_nothing_is_written(path):
    train(perceptron(), (X, Y), checkpoint=path)
    before = path.read_bytes()
    for y in (
        np.where(Y == "c", "d", Y),
        np.where(Y == "a", "b", np.where(Y == "b", "a", Y)),
    ):
        with raises(InputError):
            train(perceptron(), (X, y), checkpoint=path)
        assert path.read_bytes() == before


def test_a_training_of_all_classes_together_is_another(path):
    train(perceptron(multi_class="joint"), (X, Y), checkpoint=path)
    assert json.loads(path.read_text())["version"] == 1
    with raises(InputError):
        train(perceptron(), (X, Y), checkpoint=path)


def test_of_two_classes_there_is_one_training(path):
    train(perceptron(), (X, Y == "a"), checkpoint=path)
    assert "state" in json.loads(path.read_text())
    p = train(perceptron(multi_class="joint"), (X, Y == "a"), checkpoint=path)
    assert p.n_iter_ > 0


@pytest.mark.parametrize("name", ["arrays", "stream"])
def test_training_goes_on_from_a_kept_checkpoint(name, path):
    # Three rows that are their own classes. Class a against the rest from row 0, (1, 0; 1): row 1
    # scores 1, and w = (1, -1; 0); row 2 scores 0, and w = (2, 0; -1), which has all three right.
    shutil.copy(Path(__file__).parent / "checkpoint_files" / f"{name}-of-classes.json", path)
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["a", "b", "c"]
    p = Perceptron(order="cyclic", keep="last", random_state=0, multi_class="ovr")
    found = train(p, rows if name == "arrays" else lambda: [rows], checkpoint=path)
    assert found.converged_
    assert (found.coef_[0].tolist(), found.intercept_[0]) == ([2.0, 0.0], -1.0)
    assert (found.coef_ == p.fit(*rows).coef_).all()
