"""A pipeline of scikit-learn, scalers before a rule, as the rule and a preprocessing, and back: to
the bit.

Each number is filled, then shifted, then divided, as a `Number` does it. What computes otherwise,
as `MinMaxScaler`, which multiplies, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._util.text import Numbered
from rosenblatt.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from rosenblatt.data.features import Number
    from rosenblatt.data.preprocessing import Preprocessing


def unpiped(estimator: Any) -> tuple[Any, Preprocessing | None]:
    """The last step, and what those before it do; of what is no pipeline itself and None."""
    steps = _steps(estimator)
    if steps is None:
        return estimator, None
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    *before, rule = steps
    if not before:
        return rule, None
    from rosenblatt.data.features import Number  # and pyarrow, which an estimator does without
    from rosenblatt.data.preprocessing import Preprocessing

    names = getattr(before[0], "feature_names_in_", None)
    if names is None:
        names = Numbered(before[0].n_features_in_)
    columns = [Number(str(name)) for name in names]
    for step in before:
        columns = _after(step, columns)
    return rule, Preprocessing(tuple(columns))


def preceding(rule: Any, folded: Preprocessing | None, given: Any) -> Any:
    """What comes before a rule: the other steps of its pipeline, or what was given with it, else
    what it brings along."""
    if folded is None:
        return getattr(rule, "preprocessing_", None) if given is None else given
    if given is not None:
        raise InputError("A pipeline brings its preprocessing along: leave out the other one.")
    return folded


def piped(rule: Any, columns: Sequence[Number]) -> Any:
    """A pipeline that fills and scales as these columns, which are all filled or none, before a
    rule. It has the names of columns that are not those of `unpiped`."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    before: list[Any] = []
    fills = [column.fill for column in columns if column.fill is not None]
    if fills:
        before.append(SimpleImputer().fit([fills]))
    if not all(column.as_it_is for column in columns):
        center = np.array([column.center for column in columns])
        scaler = StandardScaler(with_mean=bool(center.any()))  # sparse rows can be scaled without
        scaler.mean_, scaler.scale_ = center, np.array([column.scale for column in columns])
        scaler.var_, scaler.n_features_in_ = scaler.scale_**2, len(columns)
        before.append(scaler)
    names = [column.name for column in columns]
    if before and names != list(Numbered(len(names))):
        before[0].feature_names_in_ = np.array(names, dtype=object)
    return make_pipeline(*before, rule)


def _steps(estimator: Any) -> list[Any] | None:
    """Those that do something, in their order, also of pipelines in a pipeline."""
    if type(estimator).__name__ != "Pipeline" or not hasattr(estimator, "steps"):
        return None
    steps: list[Any] = []
    for _, step in estimator.steps:
        if step is not None and not isinstance(step, str):
            inner = _steps(step)
            steps += [step] if inner is None else inner
    return steps


def _after(step: Any, columns: list[Number]) -> list[Number]:
    kind = type(step).__name__
    read = _READ.get(kind) if type(step).__module__.startswith("sklearn.") else None
    if read is None:
        raise InputTypeError(
            f"The step {kind} of the pipeline has no form in which numbers are filled, shifted and "
            f"divided, to the bit: allowed before a rule are {', '.join(_READ)}. What works: "
            "pickle, joblib and skops keep the pipeline as it is; skl2onnx makes an ONNX graph of "
            "it after rosenblatt.onnx.register_converters(); or give the last step alone, "
            "pipeline[-1], and later rows that pipeline[:-1] transformed."
        )
    fills, centers, scales = read(step, len(columns))
    if fills is None:
        if not all(column.as_it_is for column in columns):
            raise _order(kind)
        return [
            replace(column, center=float(center), scale=float(scale))
            for column, center, scale in zip(columns, centers, scales, strict=True)
        ]
    if not all(column.as_it_is and column.fill is None for column in columns):
        raise _order(kind)
    return [replace(c, fill=float(fill)) for c, fill in zip(columns, fills, strict=True)]


def _order(kind: str) -> InputError:
    return InputError(
        f"The step {kind} comes after another one that it cannot be combined with: before a rule "
        "there may be one SimpleImputer, then one scaler."
    )


def _standard(step: Any, d: int) -> tuple[Any, Any, Any]:
    center = step.mean_ if step.with_mean else np.zeros(d)
    return None, center, np.ones(d) if step.scale_ is None else step.scale_


def _robust(step: Any, d: int) -> tuple[Any, Any, Any]:
    center = step.center_ if step.with_centering else np.zeros(d)
    return None, center, step.scale_ if step.with_scaling else np.ones(d)


def _largest(step: Any, d: int) -> tuple[Any, Any, Any]:
    return None, np.zeros(d), step.scale_


def _filled(step: Any, d: int) -> tuple[Any, Any, Any]:
    try:
        fills = np.asarray(step.statistics_, dtype=np.float64)
    except ValueError:  # words
        fills = np.full(d, np.nan)
    nan = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
    if step.add_indicator or not nan or not np.isfinite(fills).all():
        raise InputError(
            "SimpleImputer before a rule fills NaN by numbers, one in each column: without "
            "add_indicator, and with values in every column."
        )
    return fills, None, None


_READ: dict[str, Callable[[Any, int], tuple[Any, Any, Any]]] = {
    "StandardScaler": _standard,
    "RobustScaler": _robust,
    "MaxAbsScaler": _largest,
    "SimpleImputer": _filled,
}
