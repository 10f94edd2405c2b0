"""Trained rules as ONNX files, for programs without Python: `export`. Needs the extra "onnx".

`docs/export.md` says what such a file takes and gives, and when its labels are ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from rosenblatt._export.expression import check_features
from rosenblatt._training.kernel_rule import KernelRule
from rosenblatt._training.kernels import KERNELS
from rosenblatt._util.extras import installing, needed
from rosenblatt._util.files import write_whole
from rosenblatt._util.spelling import either
from rosenblatt._validation import parameters
from rosenblatt.data.pipeline import preceding, unpiped
from rosenblatt.errors import InputError, InputTypeError, MissingExtraError
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.online import AROW, PassiveAggressive, Relaxation
from rosenblatt.perceptron import Perceptron
from rosenblatt.random_linear import RandomLinearClassifier
from rosenblatt.scorecard import Scorecard

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing


_KINDS = (Perceptron, KernelPerceptron, RandomLinearClassifier, AROW, PassiveAggressive, Relaxation)
_TYPES = ("float64", "float32")


def export(
    estimator: Any,
    path: Any,
    *,
    preprocessing: Preprocessing | None = None,
    dtype: str = "float64",
    exact: bool = True,
) -> None:
    """Write the rule of a trained estimator as an ONNX graph (atomic write: whole or not at all).

    The graph takes X of shape (n, d) and gives `label` and `score`, of shape (n,): what `predict`
    and `decision_function` give. With k > 2 classes `score` is of shape (n, k). There are no
    probabilities: a perceptron has none.

    Parameters
    ----------
    estimator : Perceptron, KernelPerceptron, RandomLinearClassifier, AROW, PassiveAggressive or
        Relaxation
        Fitted; not with a kernel that is a function or precomputed. Or a `Pipeline` of an imputer
        and a scaler before one, whose graph takes rows as the pipeline does.
    path : str or path
        A file that is there is replaced.
    preprocessing : rosenblatt.data.Preprocessing or None
        How a table became X. The graph then fills and scales the numbers: it takes them as they
        are in the table, NaN where one is missing, and words as 0/1 columns. By default
        `estimator.preprocessing_`, where `train` or `load` has set it.
    dtype : {"float64", "float32"}
        Of X. The graph computes in float64.
    exact : bool
        True: scores have the bits of `decision_function`. False: a linear rule is one matrix
        product in the type of X: faster, and a row may have another label where its score is 0 but
        for rounding.
    """
    estimator, folded = unpiped(estimator)
    preprocessing = preceding(estimator, folded, preprocessing)
    _refuse(estimator, preprocessing)
    parameters.flag("exact", exact)
    parameters.one_of("dtype", dtype, _TYPES)
    try:
        from rosenblatt._export.onnx_model import model_of
    except ImportError as error:
        raise MissingExtraError(
            f"Writing ONNX files needs onnx ({error}). Install it: {installing('onnx')}."
        ) from None
    write_whole(
        path,
        model_of(estimator, preprocessing, dtype, exact=exact).SerializeToString(),
        overwrite=True,
    )


def register_converters() -> None:
    """Let skl2onnx convert our estimators, within pipelines of any steps that it knows.

    The graph gives `label` and `score`, as that of `export`. Needs skl2onnx.

    Examples
    --------
    >>> import numpy as np
    >>> from skl2onnx import to_onnx
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.onnx import register_converters
    >>> register_converters()
    >>> X, y = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]), [0, 1, 1, 1]
    >>> model = make_pipeline(MinMaxScaler(), Perceptron(random_state=0)).fit(X, y)
    >>> graph = to_onnx(model, X)
    >>> [output.name for output in graph.graph.output]
    ['label', 'score']
    """
    needed("skl2onnx", "Converting pipelines")
    from rosenblatt._export.skl2onnx_converter import register

    register(_KINDS, lambda model: _refuse(model, None))


def _refuse(estimator: Any, preprocessing: Preprocessing | None) -> None:
    if type(estimator) not in _KINDS:
        names = ", ".join(kind.__name__ for kind in _KINDS)
        if isinstance(estimator, Scorecard):
            raise InputTypeError(
                "A Scorecard cannot be exported to ONNX. Export it as SQL, a spreadsheet formula "
                "or "
                + either(
                    "Python: see rosenblatt.formulas.",
                    "Python: --sql, --excel-formula or --python.",
                )
            )
        raise InputTypeError(
            f"A {type(estimator).__name__} cannot be exported to ONNX. Give a trained estimator of "
            f"rosenblatt: {names}."
        )
    check_is_fitted(estimator)
    rule = estimator._rule
    if isinstance(rule, KernelRule) and not rule.kernel.of_pairs:
        kernel = "'precomputed'" if rule.kernel.precomputed else "a function of Python"
        *most, last = [repr(name) for name, kind in KERNELS.items() if kind.of_pairs]
        raise InputError(
            f"A rule whose kernel is {kernel} cannot be exported to ONNX: the graph must compute "
            f"the kernel from X. Train with kernel={', '.join(most)} or {last}."
        )
    check_features(estimator, preprocessing)
