"""The perceptron, complete: it learns at memory speed, and it proves what it learned."""

from importlib import import_module
from typing import TYPE_CHECKING

from rosenblatt._support.version import __version__ as __version__

if TYPE_CHECKING:
    from rosenblatt._compute.device import config
    from rosenblatt._engines.certify import certify_stored
    from rosenblatt._engines.predict import predict_stored
    from rosenblatt._learning.stop_reason import StopReason
    from rosenblatt._minimum.forced_signs import forced_signs
    from rosenblatt._minimum.minimum_errors import minimum_errors
    from rosenblatt._opinion.second_opinion import second_opinion
    from rosenblatt._proof.certify import certify
    from rosenblatt._streams.train import train
    from rosenblatt._study.result import Study
    from rosenblatt._study.study import study
    from rosenblatt._traces.following import trace
    from rosenblatt._traces.trace import Trace
    from rosenblatt.arow import AROW
    from rosenblatt.certificate import Certificate
    from rosenblatt.error_bracket import ErrorBracket
    from rosenblatt.kernel_perceptron import KernelPerceptron
    from rosenblatt.model_file import load, save
    from rosenblatt.opinions import Opinions
    from rosenblatt.passive_aggressive import PassiveAggressive
    from rosenblatt.perceptron import Perceptron
    from rosenblatt.random_linear import RandomLinearClassifier
    from rosenblatt.scorecard import Scorecard
    from rosenblatt.sign_report import SignReport

__all__ = [
    "AROW",
    "Certificate",
    "ErrorBracket",
    "KernelPerceptron",
    "Opinions",
    "PassiveAggressive",
    "Perceptron",
    "RandomLinearClassifier",
    "Scorecard",
    "SignReport",
    "StopReason",
    "Study",
    "Trace",
    "certify",
    "certify_stored",
    "config",
    "forced_signs",
    "load",
    "minimum_errors",
    "predict_stored",
    "save",
    "second_opinion",
    "study",
    "trace",
    "train",
]

# Names are imported when first used (PEP 562): `import rosenblatt` alone loads nothing heavy.
_HOME = {
    "AROW": "rosenblatt.arow",
    "Certificate": "rosenblatt.certificate",
    "ErrorBracket": "rosenblatt.error_bracket",
    "KernelPerceptron": "rosenblatt.kernel_perceptron",
    "Opinions": "rosenblatt.opinions",
    "PassiveAggressive": "rosenblatt.passive_aggressive",
    "Perceptron": "rosenblatt.perceptron",
    "RandomLinearClassifier": "rosenblatt.random_linear",
    "Scorecard": "rosenblatt.scorecard",
    "SignReport": "rosenblatt.sign_report",
    "StopReason": "rosenblatt._learning.stop_reason",
    "Study": "rosenblatt._study.result",
    "Trace": "rosenblatt._traces.trace",
    "certify": "rosenblatt._proof.certify",
    "certify_stored": "rosenblatt._engines.certify",
    "config": "rosenblatt._compute.device",
    "forced_signs": "rosenblatt._minimum.forced_signs",
    "load": "rosenblatt.model_file",
    "minimum_errors": "rosenblatt._minimum.minimum_errors",
    "predict_stored": "rosenblatt._engines.predict",
    "save": "rosenblatt.model_file",
    "second_opinion": "rosenblatt._opinion.second_opinion",
    "study": "rosenblatt._study.study",
    "trace": "rosenblatt._traces.following",
    "train": "rosenblatt._streams.train",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
