"""Perceptron.from_certificate: the separator of a certificate as a fitted estimator."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris

import rational
from planes import separable, small
from raising import raises
from rosenblatt import Perceptron, StopReason
from rosenblatt import certificate as certify
from rosenblatt.errors import InputError, InputTypeError


def test_from_certificate_takes_no_path(tmp_path):
    with raises(InputTypeError):
        Perceptron.from_certificate(str(tmp_path / "c.json"))


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 12),
    intercept=st.booleans(),
    stored=st.sampled_from([np.asarray, np.float32, sparse.csr_array]),
)
def test_from_certificate_separates_with_the_largest_margin(seed, n, intercept, stored):
    rows, labels = small(seed, n=n, can_be_separated=True)
    if not separable(rows, labels, intercept):
        return
    certificate = certify.certify(stored(rows), labels, fit_intercept=intercept)
    p = Perceptron.from_certificate(certificate)
    assert p.training_errors_ == 0
    assert p.converged_
    distance = labels * p.decision_function(stored(rows))
    assert np.linalg.norm(p.coef_) == pytest.approx(1)
    if intercept:
        points = [[tuple(map(Fraction, v)) for v in rows[labels == s]] for s in (1, -1)]
        largest = float(rational.hull_distance2(*points)) ** 0.5 / 2
    else:
        largest = float(rational.least_distance2(rational.lifted(rows, labels, False))) ** 0.5
    assert distance.min() == pytest.approx(largest)
    assert p.predict(rows).tolist() == labels.tolist()


def test_from_certificate_is_a_fitted_estimator(tmp_path):
    frame = load_iris(as_frame=True)
    table, species = frame.data[:100], frame.target_names[frame.target[:100]]
    certificate = certify.certify(table, species)
    p = Perceptron.from_certificate(certificate)
    assert p.classes_.tolist() == ["setosa", "versicolor"]
    assert p.feature_names_in_.tolist() == table.columns.tolist()
    assert p.n_features_in_ == 4
    assert (p.n_iter_, p.n_updates_, p.mistakes_.tolist()) == (0, 0, [])
    assert p.update_counts_.tolist() == [0] * 100
    assert p.stop_reason_ is StopReason.FROM_CERTIFICATE
    assert p.certificate_ is certificate
    assert p.score(table, species) == 1
    assert clone(p).get_params() == Perceptron().get_params()
    again = pickle.loads(pickle.dumps(p))
    assert again.decision_function(table).tolist() == p.decision_function(table).tolist()
    certificate.save(tmp_path / "c.json")
    loaded = Perceptron.from_certificate(type(certificate).load(tmp_path / "c.json"))
    assert loaded.classes_.tolist() == p.classes_.tolist()
    assert loaded.coef_.tolist() == p.coef_.tolist()
    assert loaded.predict(table).tolist() == species.tolist()
    # Training goes on from it: there is nothing to learn.
    p.set_params(margin=0)
    assert p.partial_fit(table, species).n_updates_ == 0
    assert loaded.set_params(warm_start=True, margin=0).fit(table, species).n_updates_ == 0


@pytest.mark.parametrize(
    ("labels", "read"),
    [
        ([0, 1], [0, 1]),
        ([-1.0, 1.0], [-1.0, 1.0]),
        ([False, True], [False, True]),
        (["01", "1"], ["01", "1"]),
        (["no", "yes"], ["no", "yes"]),
    ],
)
def test_labels_are_those_that_were_given_also_from_a_file(labels, read, tmp_path):
    y = np.array(labels)[[0, 1, 1]]
    certificate = certify.certify([[0.0], [2.0], [3.0]], y)
    certificate.save(tmp_path / "c.json")
    for one in (certificate, type(certificate).load(tmp_path / "c.json")):
        p = Perceptron.from_certificate(one)
        assert p.classes_.tolist() == read
        assert p.classes_.dtype == np.array(read).dtype
        assert p.score([[0.0], [2.0], [3.0]], y) == 1


def test_text_that_reads_as_a_number_needs_the_classes(tmp_path):
    certificate = certify.certify([[0.0], [2.0]], ["0", "1"])
    assert Perceptron.from_certificate(certificate).classes_.tolist() == ["0", "1"]
    certificate.save(tmp_path / "c.json")
    loaded = type(certificate).load(tmp_path / "c.json")
    assert Perceptron.from_certificate(loaded).classes_.tolist() == [0, 1]
    p = Perceptron.from_certificate(loaded, classes=["0", "1"])
    assert p.predict([[5.0]]).tolist() == ["1"]
    with raises(InputError, option="classes", value=[1, 0]):
        Perceptron.from_certificate(loaded, classes=[1, 0])


def test_what_rounding_could_undo_is_not_promised():
    # The two rows differ in the last digit: no weights in floating point tell them apart for sure.
    near = certify.certify([[1.0, 1e-9], [np.nextafter(1.0, 2), 1e-9]], [0, 1])
    assert near.separable
    p = Perceptron.from_certificate(near)
    assert p.training_errors_ is None
    assert not p.converged_
    decimals = certify.certify([[0.1], [0.2]], [0, 1], numbers="decimal")
    assert Perceptron.from_certificate(decimals).training_errors_ is None


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        ([[0.0], [1.0], [2.0]], [0, 1, 0]),
        ([[0.0], [1.0], [1.0], [2.0]], [0, 1, 0, 1]),
        ([[0.0], [1.0]], ["a", "a"]),
    ],
)
def test_other_certificates_have_no_separator(rows, labels):
    with raises(InputError):
        Perceptron.from_certificate(certify.certify(rows, labels))


def test_other_models_are_no_rules():
    X, y = [[5.0], [4.0], [3.0]], [1, 1, 0]
    for other in ({"family": "cox", "time": [1, 2, 3]}, {"absorb": ["a", "b", "a"]}):
        with raises(InputError):
            Perceptron.from_certificate(certify.certify(X, y, **other))


def test_with_signs_demanded_there_is_one_too():
    rule = Perceptron.from_certificate(certify.certify([[5.0], [4.0], [3.0]], [1, 1, 0], signs=[1]))
    assert rule.predict([[5.0], [4.0], [3.0]]).tolist() == [1, 1, 0]
