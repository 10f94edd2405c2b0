"""margin="scale": the mean squared length of the rows, with defined bits, however rows are held."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import may_not_converge, may_not_separate, noisy
from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, load, save, trace, train
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt.errors import InputError
from rounded import over_blocks

pytestmark = [may_not_converge, may_not_separate]


def square(x, intercept):
    """Sixteen lanes, folded in halves, the intercept last."""
    lanes = [0.0] * 16
    for j, v in enumerate(x):
        lanes[j % 16] += float(v) * float(v)
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [a + b for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return lanes[0] + (1.0 if intercept else 0.0)


def defined(X, c, intercept, block):
    squares = [square(x, intercept) for x in X.tolist()]
    weighted = [a * b for a, b in zip(c, squares, strict=True)]
    return over_blocks(weighted, block) / over_blocks(c, block)


@pytest.mark.parametrize("core", ["native", "reference"])
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 60),
    d=st.integers(1, 40),
    block=st.integers(1, 9),
    intercept=st.booleans(),
    weighted=st.booleans(),
)
def test_the_margin_is_the_defined_mean(core, seed, n, d, block, intercept, weighted):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32) * (rng.random((n, d)) < 0.6)
    y = np.where(rng.random(n) < 0.5, -1, 1)
    y[:2] = [-1, 1]
    c = rng.choice([0.0, 0.1, 1.0, 3.7], n) if weighted else np.ones(n)
    c[:2] = 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "block", block)
        if core == "reference":
            patch.setattr(compute, "backend", reference)
        for rows in (X, X.astype(np.float64), sparse.csr_array(X)):
            p = Perceptron(margin="scale", max_iter=1, fit_intercept=intercept, random_state=0)
            p.fit(rows, y, sample_weight=c if weighted else None)
            assert p.margin_ == defined(X, c.tolist(), intercept, block)
            number = Perceptron(
                margin=p.margin_, max_iter=1, fit_intercept=intercept, random_state=0
            ).fit(rows, y, sample_weight=c if weighted else None)
            assert number.coef_.tobytes() == p.coef_.tobytes()


def test_by_hand():
    # ‖(3, 4, 1)‖² = 26 and ‖(0, 1, 1)‖² = 2, the second with weight 3: (26 + 6) / 4 = 8, times η.
    p = Perceptron(margin="scale", eta0=0.5).fit([[3, 4], [0, 1]], [1, 0], sample_weight=[1, 3])
    assert p.margin_ == 4.0
    p = Perceptron(margin="scale", fit_intercept=False).fit([[3, 4], [0, 1]], [1, 0])
    assert p.margin_ == 13.0
    assert Perceptron(margin=0.25).fit([[3, 4], [0, 1]], [1, 0]).margin_ == 0.25


def test_the_learning_rate_only_scales():
    X, y = noisy()
    one, other = (Perceptron(margin="scale", eta0=e, random_state=0).fit(X, y) for e in (1, 0.3))
    assert other.margin_ == 0.3 * one.margin_
    assert other.mistakes_.tolist() == one.mistakes_.tolist()
    assert other.coef_.tobytes() == (0.3 * one.coef_).tobytes()


def test_of_many_classes_it_is_twice_the_mean():
    X, y = [[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]], ["a", "b", "c"]
    joint = Perceptron(margin="scale").fit(X, y)
    assert joint.margin_ == 2 * (2 + 5 + 10) / 3
    separate = Perceptron(margin="scale", multi_class="ovr").fit(X, y)
    assert separate.margin_ == (2 + 5 + 10) / 3
    assert KernelPerceptron(kernel="linear", margin="scale").fit(X, y).margin_ == joint.margin_


def test_of_a_kernel_it_is_the_mean_of_k_x_x():
    X, y = noisy()
    called = KernelPerceptron(kernel=lambda a, b: a @ b.T, margin="scale", max_iter=3).fit(X, y)
    assert called.margin_ == pytest.approx((X**2).sum(axis=1).mean() + 1)
    assert KernelPerceptron(margin="scale", random_state=0).fit(X, y).margin_ == 2.0  # exp(0) + 1
    free = KernelPerceptron(margin="scale", fit_intercept=False, random_state=0).fit(X, y)
    assert free.margin_ == 1.0
    gram = X @ X.T
    given_gram = KernelPerceptron(kernel="precomputed", margin="scale", max_iter=3, random_state=0)
    assert given_gram.fit(gram, y).margin_ == pytest.approx(np.trace(gram) / len(y) + 1)
    with raises(InputError, option="margin", value="scale"):
        KernelPerceptron(kernel="precomputed", margin="scale").fit(-10 * gram, y)


def test_partial_fit_takes_the_mean_of_all_rows_so_far():
    p = Perceptron(margin="scale")
    p.partial_fit([[1.0], [-2.0]], [1, 0])  # 2 and 5
    assert p.margin_ == 3.5
    p.partial_fit([[3.0]], [1])  # 10
    assert p.margin_ == 17 / 3
    # After a fit, the rows of the fit count.
    q = Perceptron(margin="scale").fit([[1.0], [-2.0]], [1, 0]).partial_fit([[3.0]], [1])
    assert q.margin_ == 17 / 3


@pytest.mark.parametrize("order", ["cyclic", "blocks", "batch"])
@pytest.mark.parametrize("classes", [2, 4])
def test_streamed_is_in_memory(order, classes, monkeypatch):
    monkeypatch.setattr(compute, "block", 16)
    X = np.random.default_rng(0).normal(size=(70, 3))
    y = np.arange(70) % classes
    p = Perceptron(order=order, margin="scale", max_iter=4, random_state=0, class_weight="balanced")
    inside = copy.copy(p).fit(X, y)
    streamed = train(p, lambda: ((X[i : i + 9], y[i : i + 9]) for i in range(0, 70, 9)))
    assert streamed.margin_ == inside.margin_
    assert streamed.coef_.tobytes() == inside.coef_.tobytes()


def test_it_goes_on_from_a_file(tmp_path):
    X, y = noisy()
    settings = {"margin": "scale", "random_state": 0, "patience": None}
    whole = Perceptron(max_iter=9, **settings).fit(X, y)
    part = Perceptron(max_iter=4, warm_start=True, **settings).fit(X, y)
    save(part, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json").set_params(max_iter=5)
    assert loaded.margin == "scale"
    assert loaded.margin_ == whole.margin_
    assert loaded.fit(X, y).coef_.tobytes() == whole.coef_.tobytes()
    more = (X[:7] * 3, y[:7])
    again = load(tmp_path / "model.json").partial_fit(*more)
    assert again.margin_ == part.partial_fit(*more).margin_ != whole.margin_


def test_it_goes_on_from_a_checkpoint(tmp_path):
    X, y = noisy()
    settings = {"margin": "scale", "random_state": 0, "patience": None}
    whole = Perceptron(max_iter=9, **settings).fit(X, y)
    place = tmp_path / "checkpoint"
    train(Perceptron(max_iter=4, **settings), (X, y), checkpoint=place)
    other = Perceptron(max_iter=9, **settings | {"margin": 1.0})
    with raises(InputError):
        train(other, (X, y), checkpoint=place)
    found = train(Perceptron(max_iter=9, **settings), (X, y), checkpoint=place)
    assert found.coef_.tobytes() == whole.coef_.tobytes()
    assert found.margin_ == whole.margin_


def test_a_trace_has_the_number():
    X, y = noisy()
    found = trace(Perceptron(margin="scale", max_iter=5, random_state=0), X, y)
    assert found.check().ok


@pytest.mark.parametrize(
    "margin",
    ["none", -1, None],
)
def test_other_values_are_refused(margin):
    with raises(InputError):
        Perceptron(margin=margin).fit([[1.0], [2.0]], [0, 1])


def test_a_mean_beyond_floats_is_refused():
    X = [[1e200, 0.0], [0.0, -1e200]]
    with raises(InputError, option="margin", value="scale"):
        Perceptron(margin="scale").fit(X, [0, 1])


def test_wide_is_eight_times_as_much_to_the_bit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(3, size=80)
    for labels in (y, y > 0):
        scale, wide = (
            Perceptron(margin=m, random_state=0).fit(X, labels) for m in ("scale", "wide")
        )
        assert wide.margin_ == 8 * scale.margin_
        same = Perceptron(margin=wide.margin_, random_state=0).fit(X, labels)
        assert (wide.coef_ == same.coef_).all()
        assert (wide.mistakes_ == same.mistakes_).all()
