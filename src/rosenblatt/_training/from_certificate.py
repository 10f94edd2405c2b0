"""The separator of a certificate as what a fit leaves behind."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._training.learner import PrimalState
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt._training.settings import Units
from rosenblatt._training.state import Memory, State
from rosenblatt._training.stopping import StopReason
from rosenblatt._training.training import Fitted
from rosenblatt.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate


def check_certificate(certificate: Any) -> None:
    from rosenblatt.certificate import Certificate

    if not isinstance(certificate, Certificate):
        raise InputTypeError(
            f"certificate is {type(certificate).__name__}: give a Certificate, as certify(X, y) "
            "returns it and Certificate.load(path) reads it from a file."
        )


def put_on(estimator: Any, certificate: Certificate, classes: Any, seed: int) -> None:
    if certificate.family != "logistic" or certificate.absorbed:
        raise InputError(
            "The certificate is about a model that is no linear rule for labels: of another family "
            "than the logistic one, or with absorbed factors. Give one of certify(X, y) alone."
        )
    if not certificate.separable:
        raise InputError(
            f"The verdict of the certificate is {certificate.verdict!r}: it has no hyperplane with "
            "every row strictly on the right side. Give a certificate of complete separation."
        )
    labels = _labels(certificate, classes)
    w = _unit_separator(certificate)
    errors = 0 if _survives_rounding(certificate) else None
    rows = certificate.n_rows + certificate.n_dropped
    counts = np.zeros((rows, *w.shape[:-1]), dtype=np.int64)
    # Training can go on from it as from a start: no epoch was made, no row updated.
    state: PrimalState = State(Memory(w, np.zeros_like(w), counts), seed)
    more: dict[str, Any] = {"n_features_in_": certificate.n_features}
    if _has_names(certificate):
        more["feature_names_in_"] = np.array(certificate.feature_names, dtype=object)
    Fitted(
        _rule=LinearRule(w.copy(), 1.0),
        _state=state,
        _kept=None,
        _trained_by=None,
        _made_with=Units("best", 1.0, certificate.fit_intercept),
        _rule_number=0.0,
        _n_rows=len(counts),
        classes_=labels,
        training_errors_=errors,
        converged_=errors == 0,
        stop_reason_=StopReason.FROM_CERTIFICATE,
        certificate_=certificate,
        n_iter_=0,
        n_updates_=0,
        mistakes_=np.zeros(0, dtype=np.int64),
        _counts=counts,
    ).put_on(estimator, **more)


# --- The rule ------------------------------------------------------------------------------------


def _unit_separator(certificate: Certificate) -> NDArray[np.float64]:
    """(w, b) with ‖w‖ = 1, so that a score is the distance from the hyperplane.

    Of many classes all of them, a row each, of length 1 together.
    """
    separator = certificate.separator
    assert separator is not None
    if certificate.many:
        every = np.column_stack([separator.coef, separator.intercept])
        every = every / np.abs(every).max()
        return np.asarray(every / np.linalg.norm(every) + 0.0)
    w = np.append(separator.coef, separator.intercept)
    w = w / np.abs(separator.coef).max()
    return np.asarray(w / np.linalg.norm(w[:-1]) + 0.0)  # 0.0 instead of -0.0


def _survives_rounding(certificate: Certificate) -> bool:
    """Whether the weights in floating point have every row on the right side for certain.

    Exact weights give every row a score of at least `reached`. Rounding them (three times), the
    products and their sum moves a score by at most (D + 16) 2^-52 ‖w‖ R, where numbers are of
    ordinary size. R² is below (1 + the mistake bound) γ² with the proved γ.
    """
    if certificate.numbers == "decimal":  # rows of float32 may be far from the decimals
        return False
    from rosenblatt import verify

    margins = certificate.to_dict().get("margins")
    if margins is None:  # where signs are demanded
        return False
    best = margins.get("geometric", margins["homogeneous"])
    w, reached = [verify.number(v) for v in best["separator"]], verify.number(best["at_least"])
    bound, gamma = certificate.mistake_bound, Fraction(margins["homogeneous"]["lo"])
    assert bound is not None
    radius2 = (bound + 1) * (gamma * (1 + Fraction(1, 2**50))) ** 2
    error2 = Fraction(len(w) + 16, 2**52) ** 2 * sum(v * v for v in w) * radius2
    tiny, huge = Fraction(1, 2**400), 2**400
    return tiny < max(map(abs, w)) < huge and tiny < radius2 < huge and reached**2 > error2


# --- Labels and names ----------------------------------------------------------------------------


def _labels(certificate: Certificate, classes: Any) -> NDArray[Any]:
    texts = certificate.classes
    if len(texts) == 1:
        raise InputError(
            f"The certificate is about rows of one class only, {texts[0]!r}: a perceptron needs "
            "two."
        )
    if classes is None:
        origin = certificate.origin
        return _as_they_read(texts) if origin is None else origin.classes
    labels = np.ravel(np.asarray(classes))
    if [str(v) for v in labels.tolist()] != texts:
        raise InputError(
            f"classes={labels.tolist()} are not the labels of the certificate, which read {texts}, "
            "in this order.",
            option="classes",
            value=labels.tolist(),
        )
    return labels


def _as_they_read(texts: list[str]) -> NDArray[Any]:
    """Labels from their texts: truth values, whole numbers, numbers, else the texts."""
    if set(texts) == {"True", "False"}:
        return np.array([text == "True" for text in texts])
    for kind in (int, float):
        try:
            values = [kind(text) for text in texts]
        except ValueError:
            continue
        if [str(value) for value in values] == texts:  # "01" is not 1
            return np.array(values)
    return np.array(texts)


def _has_names(certificate: Certificate) -> bool:
    """Whether the columns were named; after loading, whether they are not x0, x1, …"""
    if certificate.origin is not None:
        return certificate.origin.named
    return certificate.feature_names != [f"x{j}" for j in range(certificate.n_features)]
