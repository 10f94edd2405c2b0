"""warm_start: fit(a epochs) then fit(b epochs) on the same data equals fit(a + b), to the bit."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import (
    KEEPS,
    X_VAL,
    Y_VAL,
    X,
    Y,
    every_keep,
    every_order,
    everything,
    may_not_converge,
    may_not_separate,
    noisy,
)
from raising import raises
from rosenblatt import Perceptron, StopReason
from rosenblatt.errors import InputError


def separable(n=30, d=3, seed=2):
    """Integer rows, each with a margin of at least 1 to an integer hyperplane."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (n, d)).astype(float)
    s = 2 * (X @ [2, -1, 1][:d]) + 1
    return X, np.where(s > 0, 1, -1)


WEIGHTS = np.random.default_rng(4).choice([0.0, 0.5, 1.0, 3.0], len(Y))


def in_pieces(pieces, X, y, choices, given=None):
    p = Perceptron(warm_start=True, random_state=0, **choices)
    for epochs in pieces:
        p.set_params(max_iter=epochs).fit(X, y, **(given or {}))
    return p


def at_once(epochs, X, y, choices, given=None):
    return Perceptron(max_iter=epochs, random_state=0, **choices).fit(X, y, **(given or {}))


def lifted(p):
    return {"coef_init": p.coef_, "intercept_init": p.intercept_}


# --- The same data ------------------------------------------------------------------------------

VARIANTS = {
    "plain": ({}, {}),
    "weights": ({}, {"sample_weight": WEIGHTS}),
    "class_weight": ({"class_weight": {-1: 0.3, 1: 2.0}}, {}),
    "balanced": ({"class_weight": "balanced"}, {}),
    "margin": ({"margin": 0.7}, {}),
    "eta0": ({"eta0": 0.1}, {}),
    "margin_and_eta0": ({"margin": 0.7, "eta0": 0.1}, {}),
    "validation": ({}, {"X_val": X_VAL, "y_val": Y_VAL}),
    "validation_and_weights": (
        {"class_weight": {-1: 0.3, 1: 2.0}},
        {"X_val": X_VAL, "y_val": Y_VAL, "sample_weight": WEIGHTS},
    ),
    "through_the_origin": ({"fit_intercept": False}, {}),
}


@every_order
@every_keep
@may_not_converge
def test_two_fits_equal_one_long_fit(order, keep):
    for variant, (more, added) in VARIANTS.items():
        choices = {"order": order, "keep": keep, "patience": None, **more}
        one = everything(at_once(7, X, Y, choices, added))
        assert one["stop_reason_"] is StopReason.MAX_ITER
        for pieces in ([3, 4], [1, 6], [6, 1]):
            together = in_pieces(pieces, X, Y, choices, added)
            assert everything(together) == one, (variant, pieces)


@pytest.mark.parametrize("stored", [np.float32, sparse.csr_matrix, sparse.csr_array])
@every_keep
@may_not_converge
def test_two_fits_equal_one_long_fit_however_the_rows_are_stored(keep, stored):
    rows, choices = stored(X), {"keep": keep}
    assert everything(in_pieces([2, 3], rows, Y, choices)) == everything(
        at_once(5, rows, Y, choices)
    )


@every_order
@every_keep
@given(
    pieces=st.lists(st.integers(1, 5), min_size=2, max_size=6),
    seed=st.integers(0, 10**6),
    can_be_separated=st.booleans(),
    eta0=st.sampled_from([1.0, 0.1]),
)
@may_not_converge
@may_not_separate
def test_many_small_fits_equal_one_long_fit(order, keep, pieces, seed, can_be_separated, eta0):
    rows, labels = (separable if can_be_separated else noisy)(n=20, seed=seed)
    labels[:2] = [-1, 1]
    choices = {"order": order, "keep": keep, "eta0": eta0}
    many = everything(in_pieces(pieces, rows, labels, choices), rows)
    assert many == everything(at_once(sum(pieces), rows, labels, choices), rows)


@every_order
@every_keep
@may_not_separate
def test_a_fit_that_converged_stays_as_it_is(order, keep):
    rows, labels = separable()
    choices = {"order": order, "keep": keep}
    p = in_pieces([2000], rows, labels, choices)
    assert p.converged_
    before, epochs = everything(p, rows), p.n_iter_
    p.set_params(max_iter=3).fit(rows, labels)
    assert everything(p, rows) == before
    assert p.stop_reason_ is StopReason.CLEAN
    assert before == everything(at_once(2003, rows, labels, choices), rows)
    assert p.n_iter_ == epochs


@every_order
@every_keep
@may_not_converge
@may_not_separate
def test_converging_in_the_second_fit_is_the_same_as_converging_in_one(order, keep):
    rows, labels = separable()
    choices = {"order": order, "keep": keep}
    one = at_once(2000, rows, labels, choices)
    assert one.converged_
    for first in {1, one.n_iter_ - 1} - {0}:
        two = in_pieces([first, 2000 - first], rows, labels, choices)
        assert everything(two, rows) == everything(one, rows)


@every_order
@every_keep
@pytest.mark.parametrize("most", [1, 3, 7, 50])
@may_not_converge
def test_epochs_cut_by_max_updates_add_up_to_one_long_fit(order, keep, most):
    p = Perceptron(
        order=order,
        keep=keep,
        max_updates=most,
        patience=None,
        warm_start=True,
        random_state=0,
        eta0=0.1,
    )
    updates = 0
    for _ in range(20):
        p.fit(X, Y)
        assert p.stop_reason_ is StopReason.MAX_UPDATES
        if order != "batch":  # a batch step is not cut
            assert p.n_updates_ == updates + most
        assert p.n_updates_ > updates
        assert p.update_counts_.sum() == p.mistakes_.sum() == p.n_updates_
        assert p.training_errors_ == np.sum(Y * p.decision_function(X) <= 0)
        updates = p.n_updates_
    p.set_params(max_updates=None, max_iter=1).fit(X, Y)  # to the end of an epoch, and one more
    one = at_once(p.n_iter_, X, Y, {"order": order, "keep": keep, "eta0": 0.1, "patience": None})
    assert everything(p) == everything(one)


@every_order
@every_keep
@may_not_separate
def test_epochs_cut_by_max_updates_converge_to_the_same(order, keep):
    rows, labels = separable()
    p = Perceptron(order=order, keep=keep, max_updates=2, warm_start=True, random_state=0)
    for _ in range(10_000):
        if p.fit(rows, labels).stop_reason_ is not StopReason.MAX_UPDATES:
            break
    one = at_once(2000, rows, labels, {"order": order, "keep": keep})
    assert one.converged_
    assert everything(p, rows) == everything(one, rows)


@every_order
@every_keep
@may_not_converge
def test_cut_epochs_with_validation_rows_and_weights_add_up_too(order, keep):
    choices = {"order": order, "keep": keep, "margin": 0.2, "patience": None}
    given = {"sample_weight": WEIGHTS, "X_val": X_VAL, "y_val": Y_VAL}
    p = Perceptron(max_updates=5, warm_start=True, random_state=0, **choices)
    for _ in range(12):
        p.fit(X, Y, **given)
    p.set_params(max_updates=None, max_iter=1).fit(X, Y, **given)
    assert everything(p) == everything(at_once(p.n_iter_, X, Y, choices, given))
    assert len(p.validation_mistakes_) == p.n_iter_


@every_order
@every_keep
@may_not_converge
def test_pickling_in_between_changes_nothing(order, keep):
    choices = {"order": order, "keep": keep}
    given = {"X_val": X_VAL, "y_val": Y_VAL}
    p = Perceptron(max_updates=11, warm_start=True, random_state=0, **choices)
    for _ in range(6):
        p = pickle.loads(pickle.dumps(p.fit(X, Y, **given)))
    p.set_params(max_updates=None, max_iter=1).fit(X, Y, **given)
    assert everything(p) == everything(at_once(p.n_iter_, X, Y, choices, given))


@may_not_converge
def test_rows_that_are_equal_but_another_object_are_the_same_data():
    p = Perceptron(keep="last", max_iter=2, warm_start=True, random_state=0).fit(X, Y)
    p.set_params(max_iter=3).fit(X.copy(), Y.tolist(), sample_weight=np.ones(len(Y)))
    assert everything(p) == everything(at_once(5, X, Y, {"keep": "last"}))


@every_order
@may_not_converge
def test_a_random_state_without_a_seed_goes_on_too(order):
    # One generator for all: the seed is drawn when training begins and not again.
    choices = {"order": order, "keep": "last"}
    p = Perceptron(random_state=np.random.RandomState(5), warm_start=True, max_iter=2, **choices)
    p.fit(X, Y).set_params(max_iter=3).fit(X, Y)
    one = Perceptron(random_state=np.random.RandomState(5), max_iter=5, **choices).fit(X, Y)
    assert everything(p) == everything(one)


# --- Other data, other parameters ---------------------------------------------------------------

OTHER_X, OTHER_Y = noisy(50, seed=6)


def returned_by(choices, epochs, X=X, Y=Y):
    """The weights to go on from: the returned ones, the last ones where every one votes."""
    keep = "last" if choices["keep"] == "vote" else choices["keep"]
    return lifted(at_once(epochs, X, Y, {**choices, "keep": keep}))


@every_order
@every_keep
@pytest.mark.parametrize("eta0", [1.0, 0.1])
@may_not_converge
def test_other_data_starts_from_the_returned_weights(order, keep, eta0):
    choices = {"order": order, "keep": keep, "eta0": eta0}
    p = in_pieces([3], X, Y, choices)
    p.set_params(max_iter=2).fit(OTHER_X, OTHER_Y)
    start = returned_by(choices, 3)
    fresh = at_once(2, OTHER_X, OTHER_Y, choices, start)
    assert everything(p) == everything(fresh)


def changed_once(array):
    array = array.copy()
    array[0] = -array[0]
    return array


OTHER_DATA = {
    "one number": (X + np.eye(len(X), 3) * 1e-9, Y, None),
    "one label": (X, changed_once(Y), None),
    "one weight": (X, Y, np.append(np.ones(len(Y) - 1), 2.0)),
    "order of the rows": (X[::-1], Y[::-1], None),
    "one row less": (X[1:], Y[1:], None),
    "float32": (X.astype(np.float32), Y, None),
}


@every_keep
@pytest.mark.parametrize("other", OTHER_DATA)
@may_not_converge
def test_whatever_differs_it_is_other_data(keep, other):
    rows, labels, weights = OTHER_DATA[other]
    p = in_pieces([3], X, Y, {"keep": keep})
    p.set_params(max_iter=2).fit(rows, labels, weights)
    start = returned_by({"keep": keep}, 3)
    fresh = at_once(2, rows, labels, {"keep": keep}, {"sample_weight": weights, **start})
    assert everything(p) == everything(fresh)


@every_keep
@may_not_converge
def test_however_rows_are_stored_they_are_the_same_data(keep):
    single = X.astype(np.float32)
    double = single.astype(np.float64)
    forms = (double, sparse.csr_matrix(single), single, sparse.csr_matrix(double))
    p = Perceptron(keep=keep, max_iter=2, warm_start=True, random_state=0)
    for turn, rows in enumerate(forms, start=1):
        fresh = at_once(2 * turn, double, Y, {"keep": keep})
        assert everything(p.fit(rows, Y)) == everything(fresh)


CHANGES = {
    "order": {"order": "cyclic"},
    "keep": {"keep": "average"},
    "eta0": {"eta0": 0.3},
    "margin": {"margin": 0.5},
    "class_weight": {"class_weight": {1: 2.0}},
    "fit_intercept": {"fit_intercept": False},
}


@pytest.mark.parametrize("change", CHANGES)
@may_not_converge
def test_other_parameters_start_from_the_returned_weights(change):
    before = {"keep": "last", "order": "shuffle"}
    p = in_pieces([3], X, Y, before)
    start = lifted(p)
    if change == "fit_intercept":
        start = {"coef_init": p.coef_}
    p.set_params(max_iter=2, **CHANGES[change]).fit(X, Y)
    fresh = at_once(2, X, Y, before | CHANGES[change], start)
    assert everything(p) == everything(fresh)


@may_not_converge
def test_going_back_to_the_first_data_starts_from_the_returned_weights():
    p = in_pieces([3], X, Y, {"keep": "last"})
    p.fit(OTHER_X, OTHER_Y)
    start = lifted(p)
    p.fit(X, Y)
    assert everything(p) == everything(at_once(3, X, Y, {"keep": "last"}, start))


@pytest.mark.parametrize("keep", ["best", "pocket"])
def test_going_on_without_validation_rows_does_not_believe_their_counts(keep):
    # Two validation rows are soon right; the training rows never are.
    p = Perceptron(keep=keep, max_iter=3, warm_start=True, random_state=0)
    p.fit(X, Y, X_val=X[:2], y_val=Y[:2])
    assert p.validation_mistakes_[-1] == 0
    p.fit(X, Y)
    assert p.training_errors_ == np.sum(Y * p.decision_function(X) <= 0)
    assert not hasattr(p, "validation_mistakes_")


@pytest.mark.parametrize("keep", ["best", "pocket"])
@pytest.mark.parametrize("first", ["without", "with_others"])
def test_going_on_with_other_validation_rows_judges_on_them(keep, first):
    p = Perceptron(keep=keep, max_iter=3, warm_start=True, random_state=0)
    p.fit(X, Y, **({} if first == "without" else {"X_val": X_VAL, "y_val": Y_VAL}))
    p.fit(X, Y, X_val=X, y_val=-Y)
    assert p.validation_mistakes_[-1] == np.sum(-Y * p.decision_function(X) <= 0)
    assert p.training_errors_ == np.sum(Y * p.decision_function(X) <= 0)
    assert len(p.validation_mistakes_) == p.n_iter_


@may_not_converge
def test_validation_mistakes_are_of_every_epoch_that_n_iter_counts():
    p = Perceptron(keep="last", max_iter=3, warm_start=True, random_state=0).fit(X, Y)
    p.fit(X, Y, X_val=X_VAL, y_val=Y_VAL)
    assert len(p.validation_mistakes_) == p.n_iter_
    assert p.validation_mistakes_[-1] == np.sum(Y_VAL * p.decision_function(X_VAL) <= 0)


def test_the_same_rows_with_other_names_of_the_classes_are_refused():
    # As on any other rows: a rule for -1 and 1 does not become one for "no" and "yes" by itself.
    p = Perceptron(max_iter=3, warm_start=True, random_state=0).fit(X, Y)
    before = everything(p)
    with raises(InputError, option="warm_start", value=True):
        p.fit(X, np.where(Y > 0, "yes", "no"))
    assert everything(p) == before
    assert p.classes_.tolist() == [-1, 1]


# --- What must not change -----------------------------------------------------------------------


@every_order
@pytest.mark.parametrize("keep", [k for k in KEEPS if k != "vote"])
@pytest.mark.parametrize("then", ["the same data", "other data", "partial_fit"])
@may_not_converge
def test_arrays_taken_before_are_not_changed_by_the_next_fit(order, keep, then):
    p = in_pieces([2], X, Y, {"order": order, "keep": keep})
    names = ["coef_", "intercept_", "update_counts_", "mistakes_", "classes_"]
    taken = {name: getattr(p, name) for name in names}
    copies = {name: a.copy() for name, a in taken.items()}
    if then == "the same data":
        p.fit(X, Y)
    elif then == "other data":
        p.fit(OTHER_X, OTHER_Y)
    else:
        p.partial_fit(X, Y)
    assert p.n_updates_ > 0
    for name in names:
        assert taken[name].tobytes() == copies[name].tobytes(), name


@every_order
@may_not_converge
def test_voters_taken_before_are_not_changed_by_the_next_fit(order):
    p = in_pieces([2], X, Y, {"order": order, "keep": "vote"})
    rule, scores = p._rule, p.decision_function(X)
    p.fit(X, Y)
    assert p._rule is not rule
    p._rule = rule
    assert p.decision_function(X).tolist() == scores.tolist()


@every_order
@every_keep
@may_not_converge
def test_a_given_start_overrides_the_fit_before(order, keep):
    choices = {"order": order, "keep": keep, "eta0": 0.1}
    for start in (
        {"coef_init": [1.0, -2.0, 0.5], "intercept_init": 0.25},
        {"coef_init": [[0.0, 0.0, 0.0]]},
        {"intercept_init": [3.0]},
    ):
        p = in_pieces([3], X, Y, choices)
        p.set_params(max_iter=2).fit(X, Y, **start)
        assert everything(p) == everything(at_once(2, X, Y, choices, start))
        # From there on it goes on as ever.
        p.set_params(max_iter=4).fit(X, Y)
        assert everything(p) == everything(at_once(6, X, Y, choices, start))


@every_order
@every_keep
@pytest.mark.parametrize("shape", [(3,), (1, 3)])
@may_not_converge
def test_a_given_start_is_never_changed_in_place(order, keep, shape):
    coef, intercept = np.array([1.0, -2.0, 0.5]).reshape(shape), np.array([0.25])
    p = Perceptron(order=order, keep=keep, max_iter=3, warm_start=True, random_state=0)
    for _ in range(2):
        p.fit(X, Y, coef_init=coef, intercept_init=intercept)
        p.fit(X, Y)
    assert coef.ravel().tolist() == [1.0, -2.0, 0.5]
    assert intercept.tolist() == [0.25]
    coef.flags.writeable = intercept.flags.writeable = False
    p.fit(X, Y, coef_init=coef, intercept_init=intercept)


@every_order
@every_keep
@may_not_converge
def test_without_warm_start_a_second_fit_begins_anew(order, keep):
    choices = {"order": order, "keep": keep}
    once = at_once(3, X, Y, choices)
    twice = at_once(3, OTHER_X, OTHER_Y, choices).fit(X, Y).fit(X, Y)
    assert everything(twice) == everything(once)
    # Nor do the state and the weights of a warm start matter.
    was_warm = in_pieces([2, 2], X, Y, choices).set_params(warm_start=False, max_iter=3)
    assert everything(was_warm.fit(X, Y)) == everything(once)


@may_not_converge
def test_a_fit_that_fails_leaves_training_where_it_was():
    p = in_pieces([3], X, Y, {"keep": "last"})
    with raises(ValueError):
        p.fit(np.full_like(X, np.nan), Y)
    with pytest.raises(InputError):
        p.fit(X, Y, coef_init=[1.0])
    p.set_params(max_iter=2).fit(X, Y)
    assert everything(p) == everything(at_once(5, X, Y, {"keep": "last"}))
