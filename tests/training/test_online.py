"""Online use: one row at a time gives what scikit-learn's validation would, and nothing grows."""

import gc
import pickle
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context, utils
from sklearn.utils import validation

from common import KEEPS, ORDERS, noisy
from models import LABELS, everything_seen, quietly
from raising import warns
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier
from rosenblatt._validation import rows as validate
from rosenblatt._validation import targets

X, Y = noisy(30, d=3)
Y[:2] = [-1, 1]
ESTIMATORS = {
    "perceptron": lambda: Perceptron(max_iter=3, keep="best", random_state=0),
    "vote": lambda: Perceptron(max_iter=3, keep="vote", random_state=0),
    "kernel": lambda: KernelPerceptron(max_iter=3, random_state=0),
    "precomputed": lambda: KernelPerceptron(kernel="precomputed", max_iter=3, random_state=0),
    "random": lambda: RandomLinearClassifier(random_state=0),
}
every_estimator = pytest.mark.parametrize("name", ESTIMATORS)


def by_validation(call, *given, **named):
    """The call with scikit-learn's validation always asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validate, "plain", lambda *_, **__: False)
        patch.setattr(targets, "plain_labels", lambda _: False)
        return call(*given, **named)


def outcome(call, *given, **named):
    """What it gives, to the bit, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = call(*given, **named)
            found = (found.dtype.str, found.shape, repr(found.tolist()))
        except Exception as error:
            found = type(error), str(error)
    return found, [(w.category, str(w.message)) for w in told]


# --- The same as with validation ----------------------------------------------------------------


@given(
    order=st.sampled_from(ORDERS),
    keep=st.sampled_from(KEEPS),
    labels=st.sampled_from(sorted(LABELS)),
    listed=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 10**6),
    weights=st.sampled_from([None, 0.5]),
    settings=st.fixed_dictionaries(
        {
            "eta0": st.sampled_from([1.0, 0.1]),
            "margin": st.sampled_from([0.0, 0.4]),
            "fit_intercept": st.booleans(),
        }
    ),
)
def test_row_by_row_as_with_validation(order, keep, labels, listed, dtype, seed, weights, settings):
    rows, signs = noisy(12, 3, seed)
    rows, y = rows.astype(dtype), LABELS[labels][(signs > 0).astype(int)]
    quick, slow = (Perceptron(order=order, keep=keep, random_state=0, **settings) for _ in "ab")
    for i in range(len(rows)):
        x, label = rows[i : i + 1], y[i : i + 1]
        label = label.tolist() if listed else label
        given = {"classes": LABELS[labels], "sample_weight": weights}
        quick.partial_fit(x, label, **given)
        by_validation(slow.partial_fit, x, label, **given)
        for ask in ("predict", "decision_function"):
            quickly_found = outcome(getattr(quick, ask), x)
            assert quickly_found == outcome(by_validation, getattr(slow, ask), x)
    assert everything_seen(quick, rows) == everything_seen(slow, rows)
    assert len(pickle.dumps(quick)) == len(pickle.dumps(slow))


def fitted(name):
    p = ESTIMATORS[name]()
    rows = X @ X.T if name == "precomputed" else X
    return quietly(p.fit, rows, np.where(Y > 0, "yes", "no")), rows[:1].copy()


STRANGE = {
    "as it should be": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "read-only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "not a number": lambda x: np.where(np.arange(x.size) == 1, np.nan, x),
    "infinity": lambda x: np.where(np.arange(x.size) == 1, -np.inf, x),
    "infinity, float32": lambda x: np.full_like(x, np.inf, dtype=np.float32),
    "the largest numbers": lambda x: np.full_like(x, 1.7e308),
    "too wide": lambda x: np.hstack([x, x]),
    "too narrow": lambda x: x[:, 1:].copy(),
    "no columns": lambda x: x[:, :0],
    "no rows": lambda x: x[:0],
    "one axis": lambda x: x[0],
    "three axes": lambda x: x[None],
    "no axis": lambda x: np.array(1.0),
    "whole numbers": lambda x: x.astype(int),
    "booleans": lambda x: x > 0,
    "half precision": lambda x: x.astype(np.float16),
    "other bytes": lambda x: x.astype(">f8"),
    "complex": lambda x: x.astype(complex),
    "objects": lambda x: x.astype(object),
    "text": lambda x: x.astype(str),
    "a list": lambda x: x.tolist(),
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "Fortran's order": lambda x: np.asfortranarray(np.vstack([x, -x])),
    "two rows": lambda x: np.vstack([x, -x]),
    "unaligned": lambda x: np.frombuffer(b"-" + x.tobytes(), offset=1).reshape(x.shape),
    "masked": lambda x: np.ma.masked_array(x, mask=x > 0),
    "matrix": np.asmatrix,
    "sparse": sparse.csr_array,
    "None": lambda x: None,
    "word": lambda x: "row",
}
every_strange = pytest.mark.parametrize("strange", STRANGE)
matrices_are_old = pytest.mark.filterwarnings(
    "ignore:the matrix subclass:PendingDeprecationWarning"
)


@every_estimator
@matrices_are_old
@pytest.mark.parametrize("assume_finite", [False, True])
def test_every_row_is_judged_or_refused_as_with_validation(name, assume_finite):
    p, row = fitted(name)
    for strange, made_of in STRANGE.items():
        x = made_of(row)
        with config_context(assume_finite=assume_finite):
            for ask in (p.predict, p.decision_function):
                assert outcome(ask, x) == outcome(by_validation, ask, x), strange


@every_strange
@matrices_are_old
def test_every_row_is_learned_or_refused_as_with_validation(strange):
    quick, slow = (Perceptron().partial_fit(X, Y) for _ in "ab")
    x = STRANGE[strange](X[:1])
    y = Y[: getattr(x, "shape", (1,))[0]] if np.ndim(x) == 2 else Y[:1]

    def learn(p, by=lambda call, *given: call(*given)):
        return outcome(lambda: by(p.partial_fit, x, y).decision_function(X))

    assert learn(quick) == learn(slow, by_validation)


LISTS = [[1], (1,), [True], [1.0], ["1"], [None], [np.nan], [7], [[1]], [[1, 2]], [1, -1], []]
MORE_LISTS = [[10**30], [np.int8(1)], [[1, [2]]], {1}, 1, "1"]
ARRAYS = map(np.array, [1, [[1]], ["1"], [b"1"], [np.inf], [1 + 1j], [1, 1]])
TYPED = [np.array([1], dtype=kind) for kind in (object, "M8[s]", ">i8", np.float16)]
MASKED = np.ma.masked_array([1], mask=[1])


@pytest.mark.parametrize("y", [*LISTS, *MORE_LISTS, *ARRAYS, *TYPED, MASKED], ids=repr)
def test_every_label_is_learned_or_refused_as_with_validation(y):
    quick, slow = (Perceptron().partial_fit(X, Y) for _ in "ab")
    found = outcome(lambda: quick.partial_fit(X[:1], y).decision_function(X))
    assert found == outcome(by_validation, lambda: slow.partial_fit(X[:1], y).decision_function(X))


@every_estimator
def test_names_of_columns_are_still_asked_for(name):
    pd = pytest.importorskip("pandas")
    p, x = fitted(name)
    names = [f"c{j}" for j in range(x.shape[1])]
    table = pd.DataFrame(X @ X.T if name == "precomputed" else X, columns=names)
    quietly(p.fit, table, Y)
    with warns(UserWarning):
        p.predict(x)


@every_estimator
def test_validation_is_not_asked_where_it_has_nothing_to_say(name, monkeypatch):
    p, x = fitted(name)
    for asked in ("validate_data", "check_is_fitted"):
        monkeypatch.setattr(validation, asked, None)
    monkeypatch.setattr(utils, "column_or_1d", None)
    assert p.predict(x).shape == p.decision_function(x.astype(np.float32)).shape == (1,)
    if hasattr(p, "partial_fit"):
        assert p.partial_fit(x, ["yes"]).partial_fit(x, np.array(["no"])).n_iter_ >= 2


# --- Nothing grows ------------------------------------------------------------------------------


def test_a_million_rows_one_by_one_take_the_memory_of_one(heavy):
    """10,000 of them in a short run. `test_partial_fit.py` traces where memory goes, in fewer."""
    p, calls = Perceptron().partial_fit(X, Y), heavy(200_000)
    x, y = [X[i : i + 1].copy() for i in range(30)], [Y[i : i + 1].copy() for i in range(30)]

    def taken_after(calls):
        for i in range(calls):
            p.partial_fit(x[i % 30], y[i % 30])
            p.predict(x[i % 30])
        gc.collect()
        return sys.getallocatedblocks(), len(pickle.dumps(p))

    taken_after(300)
    blocks, written = taken_after(300)
    more_blocks, more_written = taken_after(calls)
    assert p.n_iter_ == 601 + calls
    assert more_blocks - blocks < calls / 100
    assert more_written - written < 100  # bytes: counters have more digits
