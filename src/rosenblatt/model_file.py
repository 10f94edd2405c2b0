"""Trained estimators in a file: JSON that a person can read, exact arrays, no code.

`docs/file-formats.md` describes every field. A file is checked as it is read: whatever it holds,
the worst that can happen is a ModelFileError.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt._model import arrays, parameters, rules, state, training
from rosenblatt._model.objective import Objective, read_objective, write_objective
from rosenblatt._model.parameters import read_labels, write_labels
from rosenblatt._model.probability import Probability, read_probability, write_probability
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.linear_rule import LinearRule, Voters
from rosenblatt._training.one_vs_rest import rule_of_classes
from rosenblatt._training.stopping import in_words
from rosenblatt._training.training import Fitted, TrainingRecord
from rosenblatt._util.files import read_whole, write_whole
from rosenblatt._util.strict_json import (
    NO_SUM,
    InvalidDocument,
    Part,
    as_text,
    check_size,
    check_sum,
    parse,
    plain,
    shown,
    with_sum,
)
from rosenblatt._util.version import __version__
from rosenblatt.data.pipeline import piped, preceding, unpiped
from rosenblatt.errors import InputError, InputTypeError, ModelFileError
from rosenblatt.kernel_perceptron import KernelPerceptron
from rosenblatt.one_by_one import OneByOne
from rosenblatt.online import AROW, PassiveAggressive, Relaxation
from rosenblatt.perceptron import Perceptron
from rosenblatt.random_linear import RandomLinearClassifier
from rosenblatt.scorecard import Scorecard

if TYPE_CHECKING:
    from typing import Protocol

    from numpy.typing import NDArray

    from rosenblatt.data.preprocessing import Preprocessing

    class Pipeline(Protocol):
        """That of scikit-learn, which has no types."""

        steps: list[tuple[str, Any]]
        classes_: NDArray[Any]
        n_features_in_: int

        def predict(self, X: Any) -> NDArray[Any]: ...
        def decision_function(self, X: Any) -> NDArray[Any]: ...
        def score(self, X: Any, y: Any) -> float: ...
        def __getitem__(self, step: Any) -> Any: ...


FORMAT, VERSION = "rosenblatt-model", 1
MOST_BYTES = 4 << 30

Estimator = (
    Perceptron
    | KernelPerceptron
    | RandomLinearClassifier
    | AROW
    | PassiveAggressive
    | Relaxation
    | Scorecard
)
KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Estimator)}


@dataclass(frozen=True)
class Model:
    """What a model file holds."""

    estimator: Estimator
    preprocessing: dict[str, Any] | None
    about: dict[str, Any]
    probability: Probability | None = None  # from a score to that of the second class
    objective: Objective | None = None  # what it was chosen by, and what errors cost
    of_pipeline: bool = False  # the estimator is the last step of one, `preprocessing` the others


# --- Writing -----------------------------------------------------------------------------------


def save(
    estimator: Any,
    path: Any,
    *,
    preprocessing: Any = None,
    data_fingerprint: str | None = None,
    probability: Probability | None = None,
    objective: Objective | None = None,
    history: bool | None = None,
) -> None:
    """Write a trained estimator to a file (atomic write: whole or not at all).

    Parameters
    ----------
    estimator : Perceptron or another estimator of rosenblatt
        Fitted. Or a `Pipeline` of an imputer and a scaler before one: how they fill and scale is
        kept as preprocessing, for `load`, `rosenblatt predict`, ONNX and SQL.
    path : path or address (s3://…)
        A file that is there is replaced.
    preprocessing : dict, or an object with `to_dict()`, or None
        How a table becomes the numbers that the estimator takes; kept as it is, as JSON. By
        default `estimator.preprocessing_`, where `train` has set it.
    data_fingerprint : str or None
        Of the training data. By default the fingerprint of the rows, where it is known: with
        `warm_start=True` or a checkpoint, and where training made a certificate.
    probability : Platt, Softmax or None
        From a score to the probability of the second class, or from the scores of many classes to
        their probabilities; `study` finds one.
    objective : Objective or None
        What the rule was chosen by and what its errors cost. By default `estimator.objective_`,
        where `study` or `load` has set it.
    history : bool or None
        True: keep how often each training row made an update (`update_counts_`), which resuming
        with `warm_start=True` needs, too. By default only then. Without it an estimator predicts,
        and continues with `partial_fit`, to the same bits. KernelPerceptron keeps it always: its
        rule is made of rows.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rosenblatt import Perceptron, load, save
    >>> X, y = [[3, 3], [4, 3], [1, 1]], ["yes", "yes", "no"]
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> save(Perceptron(order="cyclic").fit(X, y), path)
    >>> load(path).predict([[2, 2], [0, 1]])
    array(['yes', 'no'], dtype='<U3')
    """
    estimator, folded = unpiped(estimator)
    preprocessing = preceding(estimator, folded, preprocessing)
    if type(estimator) not in KINDS.values():
        raise InputTypeError(_not_ours(estimator))
    check_is_fitted(estimator)
    objective = getattr(estimator, "objective_", None) if objective is None else objective
    beside = {
        "of_pipeline": folded is not None,
        "preprocessing": write_preprocessing(preprocessing),
        "probability": write_probability(probability),
        "objective": write_objective(objective),
        "data_fingerprint": fingerprint(estimator, data_fingerprint),
    }
    keeps = getattr(estimator, "warm_start", False) if history is None else history
    text = as_text(_written(estimator, beside, history=keeps))
    content = with_sum(text.encode())
    if len(content) > MOST_BYTES:
        raise InputError(
            f"The model would take {len(content):,} bytes; a model file has at most "
            f"{MOST_BYTES:,}. Use keep='average' instead of 'vote', or fewer support vectors."
        )
    try:
        check_size(content)
    except InvalidDocument as why:
        raise InputError(
            f"The model has too many feature names, or too large a preprocessing: {why}."
        ) from None
    write_whole(path, content, overwrite=True)


def _not_ours(estimator: Any) -> str:
    if isinstance(estimator, OneByOne):
        return "Save the estimator that it has trained: save(model.fitted(), path)."
    kind = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
    return f"A model file holds a fitted {', '.join(KINDS)}; got {kind}."


def _written(estimator: Any, beside: dict[str, Any], *, history: bool) -> dict[str, Any]:
    names = getattr(estimator, "feature_names_in_", None)
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "sha256": NO_SUM,
        "written_by": f"rosenblatt {__version__}",
        "estimator": type(estimator).__name__,
        "parameters": parameters.write_parameters(estimator),
        "classes": write_labels(estimator.classes_),
        "features": {
            "number": int(estimator.n_features_in_),
            "names": None if names is None else names.tolist(),
        },
        **beside,
    }
    if isinstance(estimator, RandomLinearClassifier | Scorecard):
        return document | _write_at_once(estimator)
    history = history or isinstance(estimator, KernelPerceptron)
    record = TrainingRecord.of(estimator)
    document["training"] = training.write_training(record, history=history)
    if isinstance(estimator, KernelPerceptron):
        document["rule"] = rules.write_kernel(estimator)
    elif estimator._of_classes is not None:
        document["of_classes"] = _written_of_classes(estimator, history=history)
    else:
        document["rule"] = rules.write_linear(estimator._rule)
        document["state"] = state.write_state(estimator)
    return document


# --- Reading -----------------------------------------------------------------------------------


def load(path: str | os.PathLike[str]) -> Estimator | Pipeline:
    """The estimator in a model file, as it was saved.

    Of a pipeline it is a pipeline that predicts the same, to the bit. Its steps are a
    `SimpleImputer`, if missing values are filled, a `StandardScaler`, if numbers are scaled, and
    the rule. An estimator that `study` or `train` fitted to a table takes rows that
    `preprocessing_.transform` made, scaled where those in training were, as an array; a data frame
    of the table itself is refused. `Study.load` gives a rule that takes tables.

    Raises ModelFileError where the file is not a whole model file, FileError where it cannot be
    read. No code in the file is run: there is none.
    """
    model = read(path)
    rule = model.estimator
    if not model.of_pipeline:
        return rule
    columns = rule.__dict__.pop("preprocessing_").numbers
    rule.__dict__.pop("feature_names_in_", None)  # the first step sees to the names
    return piped(rule, columns)  # type: ignore[no-any-return] # of scikit-learn


def read(path: Any) -> Model:
    try:
        return _model(read_whole(path, most=MOST_BYTES))
    except InvalidDocument as why:
        raise ModelFileError(
            f"{path} cannot be read as a model file: {why}.", file=str(path)
        ) from None


_NOT_ONES = {
    b"\x80": "it looks like a pickle, which can hold code and is never read",
    b"PK": "it looks like a zip file (.npz, .skops, .xlsx)",
    b"\x1f\x8b": "it is compressed with gzip: unpack it first",
}


def _model(content: bytes) -> Model:
    if not content:
        raise InvalidDocument("it is empty")
    for beginning, what in _NOT_ONES.items():
        if content.startswith(beginning):
            raise InvalidDocument(what)
    with parse(content) as file:
        _check_version(file)
        advice = ". Save the model again, or get the file again"
        check_sum(file.text("sha256"), content, advice)
        del content  # the arrays are yet to come
        return _read(file)


def _check_version(file: Part) -> None:
    if "format" not in file or file.value("format") != FORMAT:
        raise InvalidDocument(f"its field 'format' is not {FORMAT!r}")
    version = file.value("version")
    if type(version) is int and version > VERSION:
        writer = shown(file.value("written_by")) if "written_by" in file else "somebody"
        raise InvalidDocument(
            f"written by a newer rosenblatt ({writer}): its format is version {version}, and "
            f"rosenblatt {__version__} reads version {VERSION}. Install a newer one"
        )
    if type(version) is not int or version != VERSION:
        raise InvalidDocument(f"its version is {shown(version)}, and there is no such version")


def _read(file: Part) -> Model:
    name = file.one_of("estimator", KINDS)
    classes = read_labels(file.part("classes"))
    p = parameters.read_parameters(file.part("parameters"), KINDS[name], classes)
    p.classes_ = classes
    _read_features(file.part("features"), p)
    about: dict[str, Any] = {
        "format": f"{FORMAT}/{VERSION}",
        "rosenblatt": file.text("written_by").removeprefix("rosenblatt "),
        "sha256": file.text("sha256"),
        "estimator": name,
        "features": p.n_features_in_,
        "data_fingerprint": file.optional(file.text, "data_fingerprint"),
    }
    part = file.optional(file.part, "preprocessing")
    preprocessing = None if part is None else part.everything()
    if preprocessing is not None:
        from rosenblatt.data import Preprocessing

        with suppress(InputError):  # it may be of somebody else's making
            p.preprocessing_ = Preprocessing.from_dict(preprocessing)
    of_pipeline = file.flag("of_pipeline")
    if of_pipeline and not _before_a_rule(getattr(p, "preprocessing_", None), p.n_features_in_):
        raise InvalidDocument("its preprocessing is not that of a pipeline")
    part = file.optional(file.part, "probability")
    probability = None if part is None else read_probability(part, classes)
    part = file.optional(file.part, "objective")
    objective = None if part is None else read_objective(part, classes)
    if objective is not None:
        p.objective_ = objective
    if isinstance(p, RandomLinearClassifier | Scorecard):
        _read_at_once(file, p)
        about["training_errors"] = p.training_errors_
    else:
        _read_fitted(file, p)
        about |= _about(p)
    return Model(p, preprocessing, about, probability, objective, of_pipeline)


def _before_a_rule(preprocessing: Preprocessing | None, d: int) -> bool:
    """Numbers alone, as many as the rule takes, and all are filled, or none."""
    if preprocessing is None:
        return False
    filled = {column.fill is not None for column in preprocessing.numbers}
    return len(preprocessing.columns) == len(preprocessing.numbers) == d and len(filled) == 1


def _read_features(part: Part, p: Any) -> None:
    with part:
        p.n_features_in_ = part.whole("number")
        names = part.optional(part.texts, "names")
    if p.n_features_in_ == 0:
        raise InvalidDocument("features.number is 0")
    if names is not None:
        if len(names) != p.n_features_in_:
            raise InvalidDocument(
                f"there are {p.n_features_in_} features, but {len(names)} names of them"
            )
        p.feature_names_in_ = np.array(names, dtype=object)


def _about(p: Any) -> dict[str, Any]:
    return {
        "rows": p._n_rows,
        "ended": p.stop_reason_.name,
        "in_words": in_words(p),
        "converged": p.converged_,
        "epochs": p.n_iter_,
        "updates": p.n_updates_,
        "training_errors": p.training_errors_,
    }


# --- What a fitted estimator of each kind holds ---------------------------------------------------


def _read_fitted(file: Part, p: Any) -> None:
    d, classes, more = p.n_features_in_, p.classes_, {}
    record, counts = training.read_training(file.part("training"), len(classes))
    rule: Any
    resumable, of_classes = state.Read(None, None, None), None
    if isinstance(p, KernelPerceptron):
        rule, more["_weights"] = rules.read_kernel(file.part("rule"), record, d, len(classes))
    elif "of_classes" in file:
        of_classes = _read_of_classes(file.parts("of_classes"), p)
        rule = rule_of_classes([one._rule for one in of_classes])
    else:
        rule = _linear_rule(file.part("rule"), record, rules.shape_of_weights(d, classes))
        known = state.Known(record, rule, classes, d, confident=isinstance(p, AROW))
        resumable = state.read_state(file.part("state"), known, counts)
    Fitted(
        **vars(record),
        _rule=rule,
        _of_classes=of_classes,
        _state=resumable.state,
        _kept=resumable.kept,
        _trained_by=resumable.trained_by,
        classes_=classes,
    ).put_on(p, **more)


def _write_at_once(p: RandomLinearClassifier | Scorecard) -> dict[str, Any]:
    if isinstance(p, Scorecard):
        return {"card": rules.write_card(p)}
    drawn = {
        "training_errors": p.training_errors_,
        "candidate_errors": arrays.counts(p.candidate_errors_),
    }
    return {"drawn": drawn, "rule": rules.write_linear(p._rule)}


def _read_at_once(file: Part, p: RandomLinearClassifier | Scorecard) -> None:
    if isinstance(p, Scorecard):
        rules.read_card(file.part("card"), p)
        return
    with file.part("drawn") as part:
        p.training_errors_ = part.whole("training_errors")
        p.candidate_errors_ = arrays.read_counts(part, "candidate_errors", (None,))
    shape = rules.shape_of_weights(p.n_features_in_, p.classes_)
    p._rule = rules.read_rule(file.part("rule"), shape, 1.0)


def _written_of_classes(p: Perceptron, *, history: bool) -> list[dict[str, Any]]:
    assert p._of_classes is not None
    return [
        {
            "training": training.write_training(TrainingRecord.of(one), history=history),
            "rule": rules.write_linear(one._rule),
            "state": state.write_state(one),
        }
        for one in p._of_classes
    ]


def _read_of_classes(parts: list[Part], p: Any) -> tuple[Any, ...]:
    if len(p.classes_) == 2 or len(parts) != len(p.classes_):
        raise InvalidDocument(
            f"of_classes holds {len(parts)} rules, but there are {len(p.classes_)} classes"
        )
    rules_of_classes = []
    for part in parts:
        with part:
            one = type(p)(**p.get_params(deep=False) | {"multi_class": "joint"})
            one.n_features_in_, one.classes_ = p.n_features_in_, np.array([False, True])
            _read_fitted(part, one)
        rules_of_classes.append(one)
    keeps = {(one._made_with.keep, one._made_with.eta0) for one in rules_of_classes}
    if len(keeps) > 1:
        raise InvalidDocument("of_classes holds rules that were trained with different settings")
    return tuple(rules_of_classes)


def _linear_rule(part: Part, record: TrainingRecord, shape: tuple[int, ...]) -> LinearRule | Voters:
    units = record._made_with
    voting = KEEPS[units.keep].votes
    return rules.read_voters(part, shape) if voting else rules.read_rule(part, shape, units.eta0)


# --- Beside the rule -----------------------------------------------------------------------------


def write_preprocessing(preprocessing: Any) -> dict[str, Any] | None:
    if preprocessing is None:
        return None
    document = preprocessing.to_dict() if hasattr(preprocessing, "to_dict") else preprocessing
    if type(document) is not dict:
        raise InputTypeError(
            f"preprocessing is a {type(preprocessing).__name__}: give a dict, or an object whose "
            "to_dict() "
            "returns one."
        )
    try:
        return plain(document, "preprocessing")  # type: ignore[no-any-return] # a dict stays one
    except InvalidDocument as why:
        raise InputError(
            f"{why}. Use text, finite numbers, True, False, None, lists and dicts of these."
        ) from None


def fingerprint(estimator: Any, chosen: str | None) -> str | None:
    if chosen is None:
        recipe = getattr(estimator, "_trained_by", None)
        if recipe is not None:
            return str(recipe.data)
        certificate = getattr(estimator, "certificate_", None)
        return None if certificate is None else certificate.fingerprint
    if not isinstance(chosen, str):
        raise InputTypeError(
            f"data_fingerprint={chosen!r} is not text.", option="data_fingerprint", value=chosen
        )
    return str(chosen)
