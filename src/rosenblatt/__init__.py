"""Linear classifiers you can check."""

from importlib import import_module
from typing import TYPE_CHECKING

from rosenblatt._util.version import __version__ as __version__

if TYPE_CHECKING:
    from rosenblatt._core.device import config_context
    from rosenblatt._out_of_core.certify import certify_stored
    from rosenblatt._out_of_core.predict import predict_stored
    from rosenblatt._out_of_core.train import train
    from rosenblatt._study.study import Study, study
    from rosenblatt._tracing.trace import Trace, trace
    from rosenblatt._training.stopping import StopReason
    from rosenblatt.certificate import Certificate, certify
    from rosenblatt.error_bracket import ErrorBracket, minimum_errors
    from rosenblatt.kernel_perceptron import KernelPerceptron
    from rosenblatt.model_file import load, save
    from rosenblatt.one_by_one import OneByOne
    from rosenblatt.online import AROW, PassiveAggressive, Relaxation
    from rosenblatt.opinions import Opinions, second_opinion
    from rosenblatt.perceptron import Perceptron
    from rosenblatt.random_linear import RandomLinearClassifier
    from rosenblatt.scorecard import Scorecard
    from rosenblatt.sign_report import SignReport, forced_signs
    from rosenblatt.suspect_labels import Suspects, suspects

__all__ = [
    "AROW",
    "Certificate",
    "ErrorBracket",
    "KernelPerceptron",
    "OneByOne",
    "Opinions",
    "PassiveAggressive",
    "Perceptron",
    "RandomLinearClassifier",
    "Relaxation",
    "Scorecard",
    "SignReport",
    "StopReason",
    "Study",
    "Suspects",
    "Trace",
    "certify",
    "certify_stored",
    "config_context",
    "forced_signs",
    "load",
    "minimum_errors",
    "predict_stored",
    "save",
    "second_opinion",
    "study",
    "suspects",
    "trace",
    "train",
]

# Names are imported when first used (PEP 562): `import rosenblatt` alone loads nothing heavy.
_HOME = {
    "AROW": "rosenblatt.online",
    "Certificate": "rosenblatt.certificate",
    "ErrorBracket": "rosenblatt.error_bracket",
    "KernelPerceptron": "rosenblatt.kernel_perceptron",
    "OneByOne": "rosenblatt.one_by_one",
    "Opinions": "rosenblatt.opinions",
    "PassiveAggressive": "rosenblatt.online",
    "Perceptron": "rosenblatt.perceptron",
    "RandomLinearClassifier": "rosenblatt.random_linear",
    "Relaxation": "rosenblatt.online",
    "Scorecard": "rosenblatt.scorecard",
    "SignReport": "rosenblatt.sign_report",
    "StopReason": "rosenblatt._training.stopping",
    "Study": "rosenblatt._study.study",
    "Suspects": "rosenblatt.suspect_labels",
    "Trace": "rosenblatt._tracing.trace",
    "certify": "rosenblatt.certificate",
    "certify_stored": "rosenblatt._out_of_core.certify",
    "config_context": "rosenblatt._core.device",
    "forced_signs": "rosenblatt.sign_report",
    "load": "rosenblatt.model_file",
    "minimum_errors": "rosenblatt.error_bracket",
    "predict_stored": "rosenblatt._out_of_core.predict",
    "save": "rosenblatt.model_file",
    "second_opinion": "rosenblatt.opinions",
    "study": "rosenblatt._study.study",
    "suspects": "rosenblatt.suspect_labels",
    "trace": "rosenblatt._tracing.trace",
    "train": "rosenblatt._out_of_core.train",
}


_MODULES = (
    "data",
    "datasets",
    "errors",
    "formulas",
    "onnx",
    "play",
    "plots",
    "selection",
    "separation",
    "teach",
    "theory",
    "verify",
    "verify_errors",
)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"rosenblatt.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, "__version__"])
