"""What training on many classes asks of proofs, and what proofs give to training."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, certify, load, save
from rosenblatt._core.fingerprint import of_examples
from rosenblatt._core.rows import Examples
from rosenblatt._training.stopping import StopReason
from rosenblatt.errors import InputError


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(prove=True, random_state=0),
        KernelPerceptron(kernel="linear", prove=True, random_state=0),
    ],
    ids=["primal", "dual"],
)
def test_training_ends_where_no_weights_are_right_everywhere(estimator):
    X, y = load_iris(return_X_y=True)
    p = estimator.fit(X, y)
    assert p.stop_reason_ is StopReason.NOT_SEPARABLE
    assert p.certificate_.separable is False
    p.certificate_.verify(X, y)
    assert {*p.certificate_.conflict.rivals} == {"1", "2"}  # of versicolor and virginica


def test_training_goes_on_where_some_are_and_its_certificate_says_how_far_it_may_be():
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning) as warned:
        p = Perceptron(keep="best", prove=True, random_state=0, max_iter=60).fit(X, y)
    assert p.certificate_.verdict == "complete separation"
    assert p.certificate_.mistake_bound >= 369_440_877  # what certify finds, given its time
    assert "linearly separable (certificate_)" in str(warned[0].message)
    scaled = StandardScaler().fit_transform(X)
    p = Perceptron(prove=True, random_state=0).fit(scaled, y)
    bound = certify(scaled, y).mistake_bound
    assert p.converged_
    assert p.n_updates_ <= bound == 416


def test_updates_never_exceed_the_bound(heavy):
    for number in range(heavy(100)):
        rng = np.random.default_rng([23, number])
        X = rng.integers(-6, 7, (12, 3)).astype(float)
        y = (X @ rng.integers(-3, 4, (3, 4)) + rng.integers(-2, 3, 4)).argmax(axis=1)
        if len(set(y.tolist())) < 3:
            continue
        certificate = certify(X, y)
        if certificate.separable and certificate.mistake_bound < 10**6:
            for order in ("cyclic", "shuffle", "random"):
                p = Perceptron(order=order, keep="last", max_iter=10**6, patience=None)
                assert p.fit(X, y).converged_
                assert p.n_updates_ <= certificate.mistake_bound


def test_one_against_the_rest_is_another_question():
    X, y = load_iris(return_X_y=True)
    with raises(InputError, option="prove", value=True):
        Perceptron(prove=True, multi_class="ovr").fit(X, y)


@pytest.mark.parametrize("load_data", [load_wine, load_digits])
def test_the_separator_of_a_certificate_is_a_rule(load_data, tmp_path):
    X, y = load_data(return_X_y=True)
    certificate = certify(X, y)
    p = Perceptron.from_certificate(certificate)
    assert p.training_errors_ == 0 == (p.predict(X) != y).sum()
    assert p.classes_.tolist() == np.unique(y).tolist()
    every = np.column_stack([p.coef_, p.intercept_])
    assert np.linalg.norm(every) == pytest.approx(1)
    scores = p.decision_function(X)
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    assert (own - scores.max(axis=1)).min() == pytest.approx(certificate.homogeneous_margin.lo)
    save(p, tmp_path / "rule.json")
    again = load(tmp_path / "rule.json")
    assert (again.predict(X) == y).all()
    assert again.certificate_ == certificate
    p.set_params(warm_start=True, margin=0).fit(X, y)
    assert (p.converged_, p.n_updates_) == (True, 0)


def test_certificates_and_training_know_the_rows_by_the_same_fingerprint():
    X, y = load_iris(return_X_y=True)
    found = of_examples(Examples(X, y.astype(np.int32), None, 3))
    assert certify(X, y).fingerprint == found
    assert certify(sparse.csr_matrix(X), y).fingerprint == found
