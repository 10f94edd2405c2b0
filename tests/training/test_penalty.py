"""An L2 penalty: weights that shrink while rows are visited, as an oracle in fractions has it."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from common import may_not_separate
from oracle import Oracle
from raising import raises, warns
from rosenblatt import KernelPerceptron, Perceptron, load, save, trace, train
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt.errors import InputError

pytestmark = may_not_separate


def noisy(seed, n=70, d=5):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)) * rng.integers(0, 2, (n, d))
    return X.astype(float), np.where(X[:, 0] + rng.normal(0, 2, n) > 0, 1, -1)


def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def in_the_reference(fit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "backend", reference)
        return fit()


@pytest.mark.parametrize("more", [{}, {"decay": 0.25}, {"fit_intercept": False}], ids=str)
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "fixed"])
def test_it_follows_its_definition(order, more, heavy):
    for seed in range(heavy(40)):
        follows_its_definition(order, more, seed)


def follows_its_definition(order, more, seed):
    X, y = noisy(seed)
    c = np.random.default_rng(seed).choice([0.5, 1.0, 3.0], len(y))
    given = {"order": order, "penalty": "l2", "alpha": 0.01, "eta0": 0.5, "margin": 5.0} | more
    given |= {"max_iter": 3, "patience": None, "random_state": seed}
    last, mean = (Perceptron(keep=keep, **given).fit(X, y, c) for keep in ("last", "average"))
    oracle = Oracle(
        *(X, y),
        c=c,
        margin=10,  # in units of eta0
        seed=last._state.seed,
        shrink=0.005,
        decay=more.get("decay", 0),
        intercept=more.get("fit_intercept", True),
    ).run(order, 3)
    assert last.mistakes_.tolist() == oracle.mistakes
    for p, expected in ((last, oracle.w), (mean, oracle.mean())):
        found = np.append(p.coef_[0], p.intercept_[0])
        np.testing.assert_allclose(found, 0.5 * np.array(expected, dtype=float), rtol=1e-12)


@pytest.mark.parametrize("more", [{}, {"order": "blocks"}, {"multi_class": "ovr"}], ids=str)
@pytest.mark.parametrize("keep", ["last", "best", "average", "pocket"])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_core_and_storage_has_the_same_bits(classes, keep, more):
    X, y = (part[::3] for part in iris())
    X, y = X * (np.abs(X) > 0.5), y if classes == 3 else y == 1

    def fit(rows):
        p = Perceptron(
            penalty="l2", alpha=0.01, keep=keep, max_iter=2, patience=None, random_state=0, **more
        )
        p.fit(rows, y)
        return p.coef_.tobytes(), p.intercept_.tobytes(), p.mistakes_.tolist()

    expected = fit(X)
    assert fit(sparse.csr_array(X)) == expected
    assert in_the_reference(lambda: fit(X)) == expected
    assert in_the_reference(lambda: fit(sparse.csr_array(X))) == expected


def objective(w, b, X, y, margin, alpha):
    return np.maximum(0, margin - y * (X @ w + b)).mean() + alpha / 2 * (w @ w)


@pytest.mark.parametrize("alpha", [0.001, 0.01])
def test_averaged_weights_come_near_the_minimum_that_is_stated(alpha):
    """A support vector machine has the same minimum, in units of the margin."""
    X, y = make_classification(400, 20, n_informative=6, flip_y=0.1, random_state=1)
    X, y = StandardScaler().fit_transform(X), 2 * y - 1
    p = Perceptron(penalty="l2", alpha=alpha, max_iter=300, patience=None, random_state=0).fit(X, y)
    margin = p.margin_
    svm = SVC(kernel="linear", C=1 / (len(y) * alpha * margin), tol=1e-6).fit(X, y)
    least = objective(margin * svm.coef_[0], margin * svm.intercept_[0], X, y, margin, alpha)
    reached = objective(p.coef_[0], p.intercept_[0], X, y, margin, alpha)
    assert least <= reached * (1 + 1e-6) <= 1.01 * least
    free = Perceptron(keep="average", margin="wide", random_state=0).fit(X, y)
    assert objective(free.coef_[0], free.intercept_[0], X, y, margin, alpha) > 1.01 * least


def test_defaults_that_go_with_it():
    X, y = iris()
    short = Perceptron(penalty="l2", random_state=0, max_iter=3).fit(X, y)
    wide = Perceptron(keep="average", margin="wide", random_state=0, max_iter=3).fit(X, y)
    assert short.margin_ == wide.margin_
    assert not np.array_equal(short.coef_, wide.coef_)
    nothing = Perceptron(penalty="l2", alpha=0, random_state=0, max_iter=3).fit(X, y)
    assert nothing.coef_.tobytes() == wide.coef_.tobytes()
    assert not Perceptron(penalty="l2", alpha=0.01, random_state=0).fit(X[:100], y[:100]).converged_
    assert Perceptron(penalty="l2", tol=None, max_iter=2).fit(X, y)._made_with.keep == "last"


def test_training_goes_on_from_wherever_it_is(tmp_path):
    X, y = noisy(3)
    given = {"penalty": "l2", "alpha": 0.01, "patience": None, "random_state": 0}
    whole = Perceptron(max_iter=5, **given).fit(X, y)
    half = Perceptron(max_iter=2, warm_start=True, **given).fit(X, y)
    save(half, tmp_path / "half.json", history=True)
    for one in (half, pickle.loads(pickle.dumps(half)), load(tmp_path / "half.json")):
        one.set_params(max_iter=3).fit(X, y)
        assert one.coef_.tobytes() == whole.coef_.tobytes()
    other = Perceptron(max_iter=2, warm_start=True, **given).fit(X, y).set_params(alpha=0.02)
    assert other.fit(X, y).n_iter_ == 2  # another training, from these weights
    of_stream = Perceptron(max_iter=5, order="blocks", **given)
    in_memory = Perceptron(max_iter=5, order="blocks", **given).fit(X, y)
    train(of_stream, lambda: [(X[:30], y[:30]), (X[30:], y[30:])])
    assert of_stream.coef_.tobytes() == in_memory.coef_.tobytes()
    passes = Perceptron(**given)
    for _ in range(3):
        passes.partial_fit(X, y, classes=[-1, 1])
    assert np.linalg.norm(passes.coef_) > 0


@pytest.mark.filterwarnings("ignore:.*predicts 1 for all:sklearn.exceptions.ConvergenceWarning")
def test_signs_hold_and_a_search_finds_a_strength():
    X, y = noisy(1)
    p = Perceptron(penalty="l2", alpha=0.01, signs=[1, -1, 0, 1, 1], random_state=0).fit(X, y)
    assert (p.coef_[0] * [1, -1, 0, 1, 1] >= 0).all()
    search = GridSearchCV(Perceptron(penalty="l2", random_state=0), {"alpha": [1e-3, 1e-1]}, cv=3)
    assert search.fit(X, y).best_params_["alpha"] in (1e-3, 1e-1)


@pytest.mark.parametrize(
    ("option", "more"),
    [
        ("order", {"order": "random"}),
        ("order", {"order": "batch"}),
        ("penalty", {"order": "mixed"}),
        ("keep", {"keep": "vote"}),
        ("prove", {"prove": True}),
        ("alpha", {"alpha": 0.5, "eta0": 2.0}),
        ("alpha", {"alpha": -0.1}),
        ("penalty", {"penalty": "l1"}),
    ],
    ids=str,
)
def test_what_does_not_go_with_it_is_named(option, more):
    X, y = noisy(0)
    with raises(InputError, option=option):
        Perceptron(**{"penalty": "l2"} | more).fit(X, y)


def test_a_trace_does_not_follow_it():
    with raises(InputError):
        trace(Perceptron(penalty="l2"), *noisy(0))
    assert "penalty" not in KernelPerceptron().get_params()


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@pytest.mark.parametrize("labels", [["no", "yes"], ["a", "b", "c"]])
def test_a_penalty_that_leaves_one_label_is_told_of(labels, multi_class):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.array(labels)[
        np.digitize(X[:, 0] + rng.normal(0, 0.3, 300), [1.5, 2.0][: len(labels) - 1])
    ]
    given = {"penalty": "l2", "multi_class": multi_class, "random_state": 0}
    with warns(ConvergenceWarning):
        p = Perceptron(alpha=0.3, **given).fit(X, y)
    assert set(p.predict(X)) == {labels[0]}
    p = Perceptron(alpha=1e-5, **given).fit(X, y)
    assert len(set(p.predict(X))) > 1
    weights = (y == labels[0]).astype(
        float
    ) + 0.5  # weights and rows that do not exist change nothing
    weights[np.flatnonzero(y == labels[-1])[0]] = 0
    with warns(ConvergenceWarning):
        Perceptron(alpha=0.3, **given).fit(X, y, sample_weight=weights)
