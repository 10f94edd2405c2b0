"""Model files and checkpoints of more than two classes: all that is seen of them, and going on."""

import json

import numpy as np
import pytest

from common import KEEPS, ORDERS, every_keep
from models import everything_seen, quietly
from mutations import with_new_sum
from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier, load, save, train
from rosenblatt.errors import ModelFileError


def table(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.array(["low", "middle", "high", "top"])[rng.integers(0, 4, n)]


X, Y = table()
WEIGHTS = np.random.default_rng(3).choice([0.5, 1.0, 2.0], len(Y))


@pytest.mark.parametrize("kind", ["joint", "ovr"])
@pytest.mark.parametrize("order", ORDERS)
@every_keep
def test_a_perceptron_comes_back_and_goes_on(kind, order, keep, tmp_path):
    p = Perceptron(
        multi_class=kind, order=order, keep=keep, max_iter=3, random_state=0, warm_start=True
    )
    quietly(p.fit, X, Y, WEIGHTS)
    save(p, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert everything_seen(again, X) == everything_seen(p, X)
    assert everything_seen(quietly(again.fit, X, Y, WEIGHTS), X) == everything_seen(
        quietly(p.fit, X, Y, WEIGHTS), X
    )
    passed = load(tmp_path / "model.json").partial_fit(X[:20], Y[:20])
    again = load(tmp_path / "model.json").partial_fit(X[:20], Y[:20])
    assert everything_seen(passed, X) == everything_seen(again, X)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
@every_keep
def test_a_kernel_rule_comes_back(kernel, keep, tmp_path):
    rows = X @ X.T if kernel == "precomputed" else X
    p = KernelPerceptron(kernel=kernel, keep=keep, max_iter=3, random_state=0)
    start = {"dual_coef_init": np.ones((4, len(Y))), "intercept_init": [1, 2, 3, 4]}
    quietly(p.fit, rows, Y, WEIGHTS, **start)
    save(p, tmp_path / "model.json")
    assert everything_seen(load(tmp_path / "model.json"), rows) == everything_seen(p, rows)


def test_random_hyperplanes_come_back(tmp_path):
    p = RandomLinearClassifier(random_state=0).fit(X, Y)
    save(p, tmp_path / "model.json")
    assert everything_seen(load(tmp_path / "model.json"), X) == everything_seen(p, X)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("rule", "intercepts", [1.0, 2.0, 3.0]),
        ("classes", "labels", ["high", "low", "middle"]),
        ("classes", "labels", ["low", "high", "middle", "top"]),
    ],
)
def test_a_file_that_does_not_fit_its_classes_is_refused(part, name, value, tmp_path):
    path = tmp_path / "model.json"
    save(quietly(Perceptron(max_iter=2).fit, X, Y), path)
    document = json.loads(path.read_text())
    document[part][name] = value
    path.write_bytes(with_new_sum(json.dumps(document).encode()))
    with raises(ModelFileError):
        load(path)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("order", ["shuffle", "random", "batch"])
def test_training_goes_on_from_a_checkpoint(order, keep, tmp_path):
    path = tmp_path / "run.checkpoint"
    choices = {"order": order, "keep": keep, "random_state": 0}
    quietly(train, Perceptron(max_iter=2, **choices), (X, Y), checkpoint=path)
    on = quietly(train, Perceptron(max_iter=5, **choices), (X, Y), checkpoint=path)
    whole = quietly(Perceptron(max_iter=5, **choices).fit, X, Y)
    assert on.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    assert on.mistakes_.tolist() == whole.mistakes_.tolist()
    assert (on.update_counts_ != whole.update_counts_).nnz == 0
