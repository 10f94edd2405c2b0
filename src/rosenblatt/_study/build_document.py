"""The document of a study: from what was found to what is told."""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt._core.backend import core
from rosenblatt._study import evidence, forced, rule, verdict, warnings
from rosenblatt._study.document import (
    LISTED,
    LISTED_OF_A_COLUMN,
    Beginning,
    Candidate,
    Confusion,
    Data,
    EncodedColumn,
    Error,
    Fit,
    Priced,
    Reproduce,
    Rule,
    Split,
    Warned,
)
from rosenblatt._study.error_analysis import confusion_counts, judged
from rosenblatt._study.folder import default_folder
from rosenblatt._study.options import Options
from rosenblatt._study.source import Origin
from rosenblatt._study.work import Work, training_rows
from rosenblatt._util.strict_json import document_of
from rosenblatt.data.unlabelled import told as unlabelled

if TYPE_CHECKING:
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Selection


def beginning(work: Work, origin: Origin, options: Options) -> Beginning:
    """What is known before the verdict; there are no warnings yet."""
    selection = work.selection
    assert selection is not None
    return {
        "rosenblatt": core(),
        "data": _data(work, origin, options),
        "split": split(selection, options.group, stream=options.stream),
        "candidates": candidates(selection),
        "not_tried": work.not_tried,
        "error": error(selection),
        **judged(selection, options),
        "rule": rule.rule(selection, *training_rows(work), work.names, work.learned, work.target),
    }


def described(work: Work, origin: Origin, options: Options, begun: Beginning) -> Fit:
    """All of it, before anything is written."""
    selection, certificate = work.selection, work.certificate
    assert selection is not None
    estimator = selection.estimator
    X, y = training_rows(work)
    rows = len(selection.fitted_on)
    chosen = begun["rule"]
    assert chosen is not None
    content = {
        **begun,
        "interrupted": work.interrupted,
        "data": {**begun["data"], "warnings": _warnings(work, origin, options, begun["price"])},
        "learning": evidence.learning(estimator, X, y, rows),
        "margins": evidence.margins(estimator, X, y, rows),
        "confusion": confusion(selection),
        "hardest_rows": [] if options.no_rows else evidence.hardest_rows(work, X, chosen),
        "verdict": certificate and verdict.verdict(certificate, rows=not options.no_rows),
        "unasked": work.unasked,
        "forced": work.forced and forced.forced(work, work.forced, options),
        "opinions": work.opinions,
        "progressive": work.progressive,
        "training": None
        if work.of_training is None
        else verdict.training(
            work.of_training, rows, getattr(estimator, "n_updates_", None), certificate
        ),
        "proof": work.proof,
        "reproduce": {},
        "files": {},
    }
    found: Any = document_of("fit", content)
    return placed(found, origin, options, None, {})


def placed(
    found: Fit, origin: Origin, options: Options, folder: str | None, files: dict[str, str]
) -> Fit:
    """The same of a study that is in this folder, as these files."""
    chosen = found["rule"]
    again = reproduce(
        origin,
        options,
        default_folder(origin.files) if folder is None else folder,
        files,
        linear=chosen is not None and has_weights(chosen),
    )
    return {**found, "reproduce": again, "files": files}


def has_weights(chosen: Rule) -> bool:
    """Whether it has a weight for each feature, which `rosenblatt predict --explain` asks for."""
    return bool(chosen["terms"]) or bool(chosen.get("classes")) or "card" in chosen


def _data(work: Work, origin: Origin, options: Options) -> Data:
    return {
        "files": list(origin.files),
        "rows": sum(work.counts.values()),
        "columns": work.X.shape[1] if work.encoding is None else len(work.encoding.columns),
        "features": list(work.names[:LISTED]),
        "n_features": len(work.names),
        "classes": list(work.counts),
        "counts": work.counts,
        "target": work.target,
        "ignored": [*options.ignore, *([options.group] if options.group else [])],
        "encoding": encoded_columns(work.learned),
        "warnings": [],
    }


def _warnings(work: Work, origin: Origin, options: Options, price: Priced | None) -> list[Warned]:
    assert work.selection is not None
    rows = sum(work.counts.values())
    columns = warnings.column_warnings(
        work.X,
        work.y,
        work.encoding,
        work.certificate,
        rows,
        partial(ignored, origin),
        left_out=work.constant,
    )
    names = [] if work.doubt is None else [warnings.about("header", work.doubt)]
    gaps = [warnings.about("like missing", said) for said in work.like_gaps]
    if len(work.left_out):
        gaps.append(warnings.about("unlabelled", f"{unlabelled(len(work.left_out))}."))
    more = None if options.stream else tested_by_all(origin)
    return names + columns + gaps + warnings.result_warnings(work.selection, price, more)


# The parts of the document: from what was found to what is told.


def split(selection: Selection, group: str | None, *, stream: bool) -> Split:
    train, validation, test = (
        len(part) for part in (selection.train, selection.validation, selection.test)
    )
    together = f"; rows with the same {group} stay together" if group else ""
    if selection.cv:
        sentence = (
            f"nested cross-validation, {selection.cv} folds: each row is tested once, by a rule "
            "that never saw it; the rule that is saved is trained on all rows "
            f"(seed {selection.seed}{together})"
        )
    else:
        how = together or ", stratified: the same share of each label in every part"
        if stream:
            scaled = selection.prepare is not None
            how = ", each row assigned on its own" + (
                "; missing values are filled and columns scaled by all rows" if scaled else ""
            )
        again = ""
        if selection.retrained:
            again = f"; the chosen rule is then trained again, on {train + validation:,}"
        sentence = (
            f"{train:,} rows to train, {validation:,} to choose, {test:,} to test{again} "
            f"(seed {selection.seed}{how})"
        )
    return {
        "method": "cross-validation" if selection.cv else "split",
        "train": train,
        "validation": validation,
        "test": test,
        "learned_from": len(selection.fitted_on),
        "folds": selection.cv,
        "group": group,
        "seed": selection.seed,
        "stream": stream,
        "sentence": sentence,
    }


def candidates(selection: Selection) -> list[Candidate]:
    return [
        {
            "name": c.name,
            "train_errors": c.train_errors,
            "train_n": c.train_n,
            "validation_errors": c.validation_errors,
            "validation_n": c.validation_n,
            "baseline": c.baseline,
            "peer": c.peer,
            "price": c.price,
            "passed_over": c is selection.passed_over,
            "chosen": c is selection.winner,
        }
        for c in selection.candidates
    ]


def error(selection: Selection) -> Error | None:
    if selection.test_n == 0:
        return None
    lo, hi = selection.interval
    return {
        "test_errors": selection.test_errors,
        "test_n": selection.test_n,
        "rate": selection.test_errors / selection.test_n,
        "interval": [lo, hi],
        "confidence": selection.confidence,
        "majority_label": str(selection.majority),
        "majority_errors": selection.majority_errors,
        "sentence": selection.sentence,
        "optimism": selection.optimism,
    }


def confusion(selection: Selection) -> Confusion | None:
    if selection.test_n == 0:
        return None
    labels = [str(label) for label in selection.estimator.classes_]
    return {"labels": labels, "counts": confusion_counts(selection).tolist()}


def encoded_columns(encoding: Encoding | None) -> list[EncodedColumn]:
    if encoding is None:
        return []
    return [
        {
            "name": column.name,
            "kind": column.kind.value,
            "features": column.features[:LISTED_OF_A_COLUMN],
            "n_features": len(column.features),
            "reference": getattr(column, "reference", None),
            "center": getattr(column, "center", None),
            "scale": getattr(column, "scale", None),
            "fill": getattr(column, "fill", None),
        }
        for column in encoding.columns[:LISTED]
    ]


# The commands, or the calls of Python, that do a study again, check it and use it.


_NOT_OF_THE_RESULT = {"cache", "checkpoint", "checkpoint_every", "engine"}


def reproduce(
    origin: Origin, options: Options, folder: str, written: dict[str, str], *, linear: bool
) -> Reproduce:
    """`written` are the files in the folder, by kind: none before it is saved."""
    verify = predict = None
    if not origin.files:
        again = _call(origin, options)
    else:
        command = ["rosenblatt", "fit", *origin.files, *_arguments(options), "-o", folder]
        again = shlex.join(command)
        if "certificate" in written:
            check = ["rosenblatt", "verify", written["certificate"], *origin.files]
            verify = shlex.join(check)
    if "model" in written:
        ask = ["rosenblatt", "predict", written["model"], *origin.new]
        predict = shlex.join([*ask, *(["--explain"] if linear else [])])
    return {"command": again, "seed": options.seed, "verify": verify, "predict": predict}


def ignored(origin: Origin, names: list[str]) -> str:
    """How columns are left out."""
    if not origin.files:
        return f"ignore={names}"
    return " ".join(f"--ignore {shlex.quote(name)}" for name in names)


def tested_by_all(origin: Origin) -> str:
    """How every row is a test row once."""
    return "--cv 5" if origin.files else "cv=5"


def _arguments(options: Options) -> list[str]:
    """The options that the result depends on, as they would be typed."""
    one: dict[str, Any] = {"class-weight": options.class_weight, "objective": options.objective}
    one |= {"cv": options.cv, "group": options.group, "time-limit": options.time_limit}
    one |= {"points": options.points, "terms": options.terms}
    found = options.typed()
    found += [f"--{name}={value}" for name, value in one.items() if value is not None]
    found += [f"--cost={pair}={cost:.17g}" for pair, cost in (options.costs or {}).items()]
    flags = {"--no-rows": options.no_rows, "--stream": options.stream}
    flags |= {"--no-peers": not options.peers, "--no-retrain": not options.retrain}
    flags |= {"--linear-only": options.linear_only is True}
    flags |= {"--no-linear-only": options.linear_only is False}
    flags["--embed-data"] = options.embed_data
    found += [flag for flag, given in flags.items() if given]
    return [*found, f"--seed={options.seed}"]


def _call(origin: Origin, options: Options) -> str:
    """As one writes it in Python."""
    apart = {*origin.arrays, *_NOT_OF_THE_RESULT}
    given = {name: value for name, value in options.given.items() if name not in apart}
    words = [f"{name}={list(v) if isinstance(v, tuple) else v!r}" for name, v in given.items()]
    return f"rosenblatt.study({', '.join([origin.called, *words])})"
