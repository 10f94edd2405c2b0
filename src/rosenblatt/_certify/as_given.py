"""Rows and outcomes as people have them: a formula and its table, or a model of statsmodels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt import verify
from rosenblatt._util.extras import needed
from rosenblatt.errors import InputError

_ROLES = ("time", "entry", "strata", "absorb")
_BINOMIAL = ("Logit", "Probit", "CLogLog", "Cauchy", "LogLog")  # links
_COUNTS = ("Poisson", "NegativeBinomial", "NegativeBinomialP", "GeneralizedPoisson")


class Asked(NamedTuple):
    X: Any
    y: Any
    options: dict[str, Any]  # of `certify`, where they are given by what was asked


def asked(X: Any, y: Any, family: str, beside: dict[str, Any]) -> Asked:
    """`beside`: what belongs to rows, which may be names of columns."""
    if isinstance(X, str):
        return _of_formula(X, y, family, beside)
    X = getattr(X, "model", X) if hasattr(X, "params") else X  # results, of which fits are made
    if hasattr(X, "endog") and hasattr(X, "exog"):
        if y is not None:
            raise InputError("A model of statsmodels has its own outcomes: leave out y.")
        return _of_model(X)
    if y is None:
        raise InputError(
            "y is missing: give the labels, one for each row; or as X a formula and as y its "
            'table, certify("healed ~ dose", table), or a model of statsmodels.'
        )
    return Asked(X, y, {})


def _of_formula(formula: str, data: Any, family: str, beside: dict[str, Any]) -> Asked:
    if "~" not in formula:
        raise InputError(
            f"X is the text {formula!r}, and must be the rows, or a formula: outcome ~ columns.",
            value=formula,
        )
    if not hasattr(data, "columns"):
        raise InputError(
            f"A formula needs the table that it is about: certify({formula!r}, table)."
        )
    model_matrix = needed("formulaic", "A formula").model_matrix
    left, _, right = (part.strip() for part in formula.partition("~"))

    def made(text: str) -> Any:
        try:
            return model_matrix(text, data, na_action="raise")
        except Exception as error:  # whatever its parser says
            raise InputError(f"The formula {text!r} cannot be applied: {error}.") from None

    X, known = made(right), list(data.columns)
    y = data[left] if left in known else made(f"0 + {left}").iloc[:, 0]
    own = "Intercept" in X.columns
    if (own and family not in ("logistic", *verify.LOG_LINK)) or beside.get("absorb") is not None:
        X = X[[name for name in X.columns if name != "Intercept"]]
    options = {role: _columns(value, data) for role, value in beside.items() if value is not None}
    return Asked(X, y, {"fit_intercept": False, **options})


def _columns(value: Any, data: Any) -> Any:
    if isinstance(value, str):
        if value not in list(data.columns):
            raise InputError(f"The table has no column {value!r}: give its values.", column=value)
        return data[value]
    several = isinstance(value, list) and all(isinstance(v, str) for v in value)
    return (
        [_columns(v, data) for v in value] if several and set(value) <= {*data.columns} else value
    )


def _of_model(model: Any) -> Asked:
    kind, y = type(model).__name__, np.asarray(model.endog)
    names = list(model.exog_names)[: model.exog.shape[1]]
    X = needed("pandas", "A model of statsmodels").DataFrame(np.asarray(model.exog), columns=names)
    options: dict[str, Any] = {"fit_intercept": False}
    if kind == "GLM":
        return _of_glm(model, X, y, options)
    if kind in _COUNTS:
        return Asked(X, y, options | {"family": _counts(y)})
    if kind == "MNLogit":
        words = model._ynames_map
        return Asked(X, [words[int(v)] for v in y.tolist()], options)
    if kind in ("Logit", "Probit"):
        return Asked(X, _whole(y), options)
    if kind == "OrderedModel":
        labels = list(model.labels)
        return Asked(
            X, [labels[int(v)] for v in y], options | {"family": "ordinal", "levels": labels}
        )
    if kind == "ConditionalLogit":
        return Asked(
            X, _whole(y), options | {"family": "conditional", "strata": np.asarray(model.groups)}
        )
    if kind == "PHReg":
        columns = {"time": y, "entry": model.entry, "strata": model.strata}
        given = {role: v for role, v in columns.items() if v is not None}
        entry = given.get("entry")
        if entry is not None and not (np.asarray(entry) < y).all():  # 0 stands for none
            del given["entry"]
        return Asked(X, np.asarray(model.status).astype(int), options | {"family": "cox"} | given)
    raise InputError(
        f"The model {kind} of statsmodels is not known here. Known are Logit, Probit, MNLogit, "
        f"GLM, OrderedModel, ConditionalLogit, PHReg, {', '.join(_COUNTS)}."
    )


def _of_glm(model: Any, X: Any, y: Any, options: dict[str, Any]) -> Asked:
    family, link = type(model.family).__name__, type(model.family.link).__name__
    weights = np.asarray(model.freq_weights, dtype=float)
    if family == "Binomial" and link in _BINOMIAL:
        n = np.broadcast_to(np.asarray(model.n_trials, dtype=float), y.shape)
        successes = np.rint(y * n)
        if (n == 1).all():
            return Asked(X, _whole(y), options | {"sample_weight": weights})
        both = needed("pandas", "A model of statsmodels").concat([X, X], ignore_index=True)
        times = np.concatenate([weights * (n - successes), weights * successes])
        labels = np.repeat([0, 1], len(y))
        return Asked(both, labels, options | {"sample_weight": times})
    if family in ("Poisson", "NegativeBinomial", "Tweedie") and link == "Log":
        return Asked(X, y, options | {"family": _counts(y), "sample_weight": weights})
    raise InputError(
        f"A GLM with the family {family} and the link {link} is not known here. Known are Binomial "
        f"with {', '.join(_BINOMIAL)}, and Poisson, NegativeBinomial and Tweedie with Log."
    )


def _whole(y: Any) -> Any:
    return y.astype(int) if (y == np.rint(y)).all() else y


def _counts(y: Any) -> str:
    return "poisson" if (y == np.rint(y)).all() else "ppml"
