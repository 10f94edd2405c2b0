"""Parameters of scikit-learn's Perceptron mean what they mean there, or say what to use instead."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import PassiveAggressiveClassifier
from sklearn.linear_model import Perceptron as TheirPerceptron

from common import ORDERS, X, Y, everything, may_not_converge, may_not_separate, noisy
from raising import raises
from refusing import refused
from rosenblatt import PassiveAggressive, Perceptron, StopReason, load, save, trace, train
from rosenblatt._core import reference
from rosenblatt._core.backend import compute
from rosenblatt.errors import InputError

pytestmark = [may_not_converge, may_not_separate]


def losses_of(p):
    return p._state.losses


def last_of(p):
    return p._state.memory.w[:-1]


# --- What is not here -----------------------------------------------------------------------------


@pytest.mark.parametrize("inert", [{"alpha": 0.1}, {"l1_ratio": 1}, {"validation_fraction": 0.2}])
def test_what_has_no_effect_there_has_none_here(inert):
    p, q = (Perceptron(random_state=0, **choices).fit(X, Y) for choices in (inert, {}))
    assert p.coef_.tolist() == q.coef_.tolist()


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        *(("penalty", v, "l2") for v in ("l1", "elasticnet", "None", 0)),
        *(("alpha", v, "is less than 1") for v in (-1.0, None, "1")),
        *(("l1_ratio", v, "a number from 0 to 1") for v in (1.5, None)),
        ("early_stopping", True, "fit(X, y, X_val=..., y_val=...)"),
        ("early_stopping", "yes", "fit(X, y, X_val=..., y_val=...)"),
        ("validation_fraction", 2, "a number from 0 to 1"),
        *(("n_iter_no_change", v, "whole number, 1 or greater") for v in (0, None, 2.5, "5")),
        *(("n_jobs", v, "whole number or None") for v in (1.5, "2", True)),
        *(("shuffle", v, "True or False") for v in (1, None, "yes")),
        *(("tol", v, "None to end at max_iter only") for v in (-1e-3, np.nan, np.inf, "1", True)),
    ],
)
def test_a_value_that_is_not_here_is_refused_with_what_to_use(fitted, name, value, says):
    p = Perceptron(**{name: value})
    assert p.get_params()[name] is value
    copies = clone(p), pickle.loads(pickle.dumps(p))
    assert all(str(copy.get_params()) == str(p.get_params()) for copy in copies)
    if fitted:
        p = Perceptron(max_iter=2).fit(X, Y).set_params(**{name: value})
    with refused(p, f"{name}={value!r} is not allowed", says, error=InputError):
        p.fit(X, Y)
    with refused(p, f"{name}={value!r} is not allowed", says, error=InputError):
        p.partial_fit(X, Y)


def test_their_defaults_are_accepted():
    theirs = TheirPerceptron().get_params()
    p = Perceptron(**theirs).fit(X, Y)
    assert p.get_params().items() >= theirs.items()
    assert p.stop_reason_ is StopReason.TOL


# --- tol ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 4])
def test_training_ends_as_theirs_does(classes, heavy):
    """In the given order theirs makes the same updates, so that epochs and weights are the same."""
    for seed in range(heavy(600)):
        rng = np.random.default_rng(seed)
        n, d = rng.integers(10, 200), rng.integers(1, 6)
        rows, y = rng.normal(size=(n, d)).round(2), rng.integers(0, classes, n)
        given = {
            "tol": 10.0 ** rng.integers(-5, 1),
            "eta0": rng.choice([0.25, 1.0, 2.0]),
            "n_iter_no_change": int(rng.integers(1, 8)),
            "shuffle": False,
            "max_iter": 50,
        }
        weights = rng.integers(1, 4, n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            theirs = TheirPerceptron(**given).fit(rows, y, sample_weight=weights)
        ours = Perceptron(keep="last", multi_class="ovr", **given)
        ours.fit(rows, y, sample_weight=weights)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
        trainings = [ours] if ours._of_classes is None else ours._of_classes
        if not any(one.converged_ for one in trainings):  # theirs goes on after a clean epoch
            assert ours.n_iter_ == theirs.n_iter_
            assert ours.t_ == theirs.t_


def test_training_ends_after_patience_epochs_without_a_gain():
    """Row 1 is on the hyperplane, loss 0: w = 1; then row 2 has loss 1: w = 0 again.

    The mean is 1/2 in every epoch, and the first one is a gain over nothing.
    """
    rows, y = np.array([[1.0], [1.0]]), [1, -1]
    for patience in (1, 3, 5):
        p = Perceptron(tol=0.1, shuffle=False, fit_intercept=False, patience=patience).fit(rows, y)
        assert (p.n_iter_, p.stop_reason_) == (patience + 1, StopReason.TOL)
        assert (losses_of(p).lowest, losses_of(p).idle) == (0.5, patience)
        again = clone(p).set_params(patience=5, n_iter_no_change=patience).fit(rows, y)
        assert again.n_iter_ == (6 if patience == 5 else patience + 1)


def test_the_loss_counts_the_margin():
    """μ = 1: row 1 has loss 1 - 0 and w = 1; row 2 has margin -1, loss 2; the mean is 3/2."""
    p = Perceptron(tol=0.1, shuffle=False, fit_intercept=False, margin=1.0)
    p.fit([[1.0], [1.0]], [1, -1])
    assert (losses_of(p).lowest, p.n_iter_) == (1.5, 6)


def test_the_loss_of_many_classes_is_the_margin_to_the_rival():
    """All scores are 0 at first: loss 0, then w_0 = 1, w_1 = -1 (and w_2 = 0).

    Row 2, of class 1: its score is -1, the rival's 1, loss 2: w_0 = 0, w_1 = 0. Row 3, of class 2:
    loss 0, rival 0: w_2 = 1, w_0 = -1. Second epoch, row 1: -1 against 1, loss 2: w_0 = 0, w_2 = 0.
    """
    p = Perceptron(tol=0.1, shuffle=False, fit_intercept=False, max_iter=1)
    p.fit([[1.0], [1.0], [1.0]], [0, 1, 2])
    assert losses_of(p).lowest == pytest.approx(2 / 3)
    p = clone(p).set_params(max_updates=4, max_iter=2).fit([[1.0], [1.0], [1.0]], [0, 1, 2])
    assert losses_of(p).of_epoch == 2.0


def test_without_a_criterion_all_epochs_are_made_and_the_last_weights_returned():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # so many epochs are what was asked for
        p = Perceptron(tol=None, max_iter=200, random_state=0).fit(X, Y)
    last = Perceptron(keep="last", patience=None, max_iter=200, random_state=0).fit(X, Y)
    assert everything(p) == everything(last)
    assert p.n_iter_ == 200
    p.set_params(tol="patience").fit(X, Y)
    auto = Perceptron(max_iter=200, random_state=0)
    assert everything(p) == everything(auto.fit(X, Y))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("order", ORDERS)
def test_the_loss_has_the_same_bits_however_rows_are_stored_and_read(
    order, classes, monkeypatch, with_core
):
    rows, y = noisy(120, 4)
    y = np.arange(120) % 3 if classes == 3 else y
    p = Perceptron(tol=1e-3, order=order, random_state=0, margin=0.25, max_iter=30)
    whole = clone(p).fit(rows, y)
    assert losses_of(whole).lowest > 0
    others = [clone(p).fit(sparse.csr_matrix(rows), y)]
    monkeypatch.setattr(compute, "chunk", 16 * 7)
    others.append(clone(p).fit(rows, y))
    with_core(reference)
    others.append(clone(p).fit(rows, y))
    for other in others:
        assert losses_of(other) == losses_of(whole)
        assert (other.n_iter_, other.n_updates_) == (whole.n_iter_, whole.n_updates_)
        assert other.coef_.tobytes() == whole.coef_.tobytes()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("order", ["cyclic", "blocks", "batch"])
def test_a_stream_ends_where_training_in_memory_does(order, classes, tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path))
    monkeypatch.setattr(compute, "block", 25)
    rows, y = noisy(120, 4)
    y = np.arange(120) % 3 if classes == 3 else y
    p = Perceptron(tol=1e-3, order=order, random_state=0, margin=0.25)
    whole, streamed = clone(p).fit(rows, y), train(clone(p), lambda: [(rows, y)])
    assert losses_of(streamed) == losses_of(whole)
    assert (streamed.n_iter_, streamed.stop_reason_) == (whole.n_iter_, whole.stop_reason_)
    assert streamed.coef_.tobytes() == whole.coef_.tobytes()


@pytest.mark.parametrize("order", ORDERS)
def test_training_that_was_stopped_anywhere_ends_at_the_same_epoch(order, tmp_path):
    p = Perceptron(tol=1e-3, order=order, random_state=0, warm_start=True)
    whole = clone(p).fit(X, Y)
    assert whole.stop_reason_ is StopReason.TOL
    for updates in (1, 30, 200):
        part = clone(p).set_params(max_updates=updates).fit(X, Y)
        save(part, tmp_path / "model.json")
        read = load(tmp_path / "model.json")
        for going_on in (part, read):
            going_on.set_params(max_updates=None).fit(X, Y)
            assert everything(going_on) == everything(whole)
            assert losses_of(going_on) == losses_of(whole)


def test_a_checkpoint_keeps_the_loss(tmp_path):
    p, path = Perceptron(tol=1e-3, random_state=0, max_iter=7), tmp_path / "run.checkpoint"
    train(p, (X, Y), checkpoint=path, checkpoint_every=0)
    with raises(InputError):
        best = clone(p).set_params(tol="patience", keep="best")
        train(best, (X, Y), checkpoint=path)
    p = train(clone(p).set_params(max_iter=1000), (X, Y), checkpoint=path)
    whole = Perceptron(tol=1e-3, random_state=0).fit(X, Y)
    assert everything(p) == everything(whole)
    assert whole.n_iter_ > 7


def loss_of_second_epoch():
    """By the definition, in the given order."""
    w, total = np.zeros(X.shape[1] + 1), 0.0
    lifted = [*zip(np.column_stack([X, np.ones(len(X))]), Y, strict=True)]
    for visit, (x, y) in enumerate(2 * lifted):
        loss = -y * (w @ x)
        if loss >= 0:
            w += y * x
            total += loss if visit >= len(X) else 0
    return total / len(X)


def test_an_epoch_that_was_not_followed_from_its_beginning_is_a_gain():
    p = Perceptron(order="cyclic", keep="last", max_updates=5, warm_start=True).fit(X, Y)
    assert losses_of(p) is None
    p.set_params(max_updates=None, max_iter=1, tol=1e-3).fit(X, Y)  # the rest, and epoch 2
    assert losses_of(p).idle == 0
    assert losses_of(p).lowest == pytest.approx(loss_of_second_epoch())
    assert losses_of(p.set_params(tol="patience").fit(X, Y)) is None


def test_a_trace_is_made_of_training_that_looks_at_the_loss():
    p = Perceptron(tol=1e-3, random_state=0)
    seen, trained = trace(p, X, Y), clone(p).fit(X, Y)
    assert len(seen) == trained.n_updates_
    assert seen.weights_at(len(seen)).w.tolist() == last_of(trained).tolist()


# --- shuffle, keep, n_iter_no_change, n_jobs ------------------------------------------------------


def test_shuffle_false_is_the_given_order():
    cyclic = Perceptron(order="cyclic", max_iter=20).fit(X, Y)
    assert everything(Perceptron(shuffle=False, max_iter=20).fit(X, Y)) == everything(cyclic)
    both = Perceptron(shuffle=False, order="cyclic", max_iter=20)
    assert everything(both.fit(X, Y)) == everything(cyclic)
    for order in ("random", "batch", "blocks"):
        p = Perceptron(shuffle=False, order=order)
        with refused(p, "shuffle=False means order='cyclic'", repr(order), error=InputError):
            p.fit(X, Y)


def test_two_numbers_of_epochs_without_a_gain_are_refused():
    p = Perceptron(n_iter_no_change=7, patience=8)
    with refused(p, "n_iter_no_change=7 is another name of patience", error=InputError):
        p.fit(X, Y)
    a, b = (Perceptron(random_state=0, **{n: 30}) for n in ("patience", "n_iter_no_change"))
    assert everything(a.fit(X, Y)) == everything(b.fit(X, Y))


@pytest.mark.parametrize("keep", ["best", "last", "vote"])
def test_several_classes_at_once_give_the_same_bits(keep):
    rows, y = load_iris(return_X_y=True)
    found = []
    for n_jobs in (None, 2, -1):
        p = Perceptron(keep=keep, multi_class="ovr", n_jobs=n_jobs, max_iter=30)
        p.set_params(random_state=np.random.RandomState(3)).fit(rows, y)
        found.append((p.decision_function(rows).tobytes(), p.mistakes_.tobytes(), p.t_))
    assert found[0] == found[1] == found[2]


def test_several_classes_at_once_are_learned_from_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path))
    monkeypatch.setattr(compute, "block", 25)
    rows, _ = noisy(120, 4)
    p = Perceptron(order="blocks", multi_class="ovr", tol=1e-3, random_state=0)
    whole = clone(p).fit(rows, np.arange(120) % 3)
    for n_jobs in (None, 3):
        q = clone(p).set_params(n_jobs=n_jobs)
        train(q, lambda: [(rows, np.arange(120) % 3)])
        assert q.coef_.tobytes() == whole.coef_.tobytes()
        assert (q.n_iter_, q.t_, q.stop_reason_) == (whole.n_iter_, whole.t_, whole.stop_reason_)


# --- Attributes -----------------------------------------------------------------------------------


def test_t_is_one_more_than_the_visits():
    p = Perceptron(max_iter=3, random_state=0)
    assert not hasattr(p, "t_")
    p.fit(X, Y)
    assert p.t_ == TheirPerceptron(max_iter=3, tol=None).fit(X, Y).t_ == 3 * len(X) + 1
    p.partial_fit(X[:7], Y[:7])
    assert p.t_ == 3 * len(X) + 7 + 1


def test_weights_are_shown_sparse_until_the_next_training():
    p = Perceptron(random_state=0, max_iter=5).fit(X, Y)
    dense, scores = p.coef_, p.decision_function(X)
    assert p.sparsify() is p
    assert sparse.issparse(p.coef_)
    assert type(p.coef_) is type(TheirPerceptron(penalty="l1").fit(X, Y).sparsify().coef_)
    np.testing.assert_array_equal(p.coef_.toarray(), dense)
    for other in (p, pickle.loads(pickle.dumps(p))):
        assert sparse.issparse(other.coef_)
        np.testing.assert_array_equal(other.decision_function(X), scores)
    assert p.densify() is p
    np.testing.assert_array_equal(p.coef_, dense)
    p.sparsify().partial_fit(X, Y)
    assert isinstance(p.coef_, np.ndarray)
    with raises(AttributeError):
        Perceptron(keep="vote", max_iter=5).fit(X, Y).sparsify()


# --- PassiveAggressiveClassifier ------------------------------------------------------------------


def test_passive_aggressive_has_the_signature_of_scikit_learns():
    theirs = inspect.signature(PassiveAggressiveClassifier).parameters
    assert set(theirs) <= set(inspect.signature(PassiveAggressive).parameters)
    given = {"average": True, "n_iter_no_change": 3, "n_jobs": -1, "validation_fraction": 0.2}
    p = PassiveAggressive(random_state=0, shuffle=False, loss="hinge", **given).fit(X, Y)
    same = {"order": "cyclic", "keep": "average", "patience": 3}
    q = PassiveAggressive(random_state=0, loss="hinge", **same).fit(X, Y)
    assert everything(p) == everything(q)
    last = PassiveAggressive(random_state=0, average=False).fit(X, Y)
    assert everything(last) == everything(PassiveAggressive(random_state=0, keep="last").fit(X, Y))
    all_epochs = PassiveAggressive(random_state=0, tol=None, max_iter=30).fit(X, Y)
    assert all_epochs.n_iter_ == 30


@pytest.mark.parametrize(
    ("name", "value", "more"),
    [
        ("tol", 1e-3, {}),
        ("early_stopping", True, {}),
        ("average", True, {"keep": "last"}),
        ("average", "yes", {}),
        ("loss", "log", {}),
    ],
)
def test_what_passive_aggressive_does_not_have_is_refused(name, value, more):
    with raises(InputError, option=name, value=value):
        PassiveAggressive(**{name: value}, **more).fit(X, Y)
