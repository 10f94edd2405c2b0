"""ONNX files of more than two classes: our labels, ties included; linear scores to the bit."""

import numpy as np
import onnxruntime
import pytest

from common import every_keep
from models import quietly
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier
from rosenblatt.onnx import export

WORDS = np.array(["high", "low", "middle"])


def table(seed, n=40):
    """Small whole numbers, among which equal scores are frequent."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, 3)).astype(float)
    return X, WORDS[rng.integers(0, 3, n)]


def answers(p, X, path):
    export(p, path)
    content = path.read_bytes()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return session.run(["label", "score"], {"X": X})


@every_keep
@pytest.mark.parametrize("kind", ["joint", "ovr"])
def test_weights_give_the_same_labels_and_bits(kind, keep, tmp_path, heavy):
    for seed in range(heavy(60)):
        X, y = table(seed)
        p = Perceptron(multi_class=kind, keep=keep, max_iter=2, random_state=0)
        quietly(p.fit, X, y)
        labels, scores = answers(p, X, tmp_path / "rule.onnx")
        assert labels.tolist() == p.predict(X).tolist()
        assert scores.tobytes() == p.decision_function(X).tobytes()


@every_keep
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_kernel_rules_give_the_same_labels(kernel, keep, tmp_path, heavy):
    for seed in range(heavy(40)):
        X, y = table(seed)
        p = KernelPerceptron(kernel=kernel, keep=keep, max_iter=2, random_state=0)
        quietly(p.fit, X, y)
        labels, scores = answers(p, X, tmp_path / "rule.onnx")
        if kernel == "linear" and keep in ("last", "pocket", "vote"):  # sums are exact
            assert labels.tolist() == p.predict(X).tolist()
        np.testing.assert_allclose(scores, p.decision_function(X), rtol=1e-9, atol=1e-9)


def test_random_hyperplanes(tmp_path):
    X, y = table(0)
    p = RandomLinearClassifier(random_state=0).fit(X, y)
    labels, scores = answers(p, X, tmp_path / "rule.onnx")
    assert labels.tolist() == p.predict(X).tolist()
    assert scores.tobytes() == p.decision_function(X).tobytes()


def test_equal_scores_mean_the_first_class(tmp_path):
    X, y = np.zeros((3, 1)), WORDS
    p = Perceptron(max_iter=1, keep="pocket", fit_intercept=False).fit(X, y)
    assert answers(p, X, tmp_path / "rule.onnx")[0].tolist() == ["high"] * 3
