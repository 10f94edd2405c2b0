"""The document of a study, built once from the results of its stages."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._core.backend import core
from rosenblatt._study import card, robustness, rule, verdict
from rosenblatt._study.column_warnings import column_warnings
from rosenblatt._study.error_analysis import (
    FOLDS,
    about,
    answer,
    does_not_fit,
    error_analysis,
    is_uncertain,
    result_warnings,
    without,
)
from rosenblatt._study.folder import default_folder
from rosenblatt._study.options import NOT_OF_THE_RESULT, Options
from rosenblatt._study.reading import Origin, Read
from rosenblatt._study.stages import Compared, Proved
from rosenblatt._util.spelling import command_line, option
from rosenblatt._util.strict_json import document_of
from rosenblatt._util.text import listed
from rosenblatt.data.batch import Kind, unlabelled
from rosenblatt.data.target import too_rare
from rosenblatt.report.document import (
    LISTED,
    LISTED_OF_A_COLUMN,
    Beginning,
    Candidate,
    Data,
    EncodedColumn,
    Fit,
    Reproduce,
    Rule,
    Split,
    Warned,
)

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt.data import Preprocessing
    from rosenblatt.selection import Selection


def beginning(compared: Compared, origin: Origin, options: Options) -> Beginning:
    """What is known before the verdict; there are no warnings yet."""
    read, selection = compared.read, compared.selection
    X, y = compared.training_rows()
    analysis = error_analysis(selection, options)
    by_all = _tested_by_all(compared, origin, options)
    return {
        "rosenblatt": core(),
        "data": _data(compared, origin, options),
        "split": split(compared, options, by_all if is_uncertain(analysis) else None),
        "candidates": candidates(selection),
        "not_tried": compared.not_tried,
        **analysis,
        "rule": rule.rule(selection, X, y, compared.names, compared.preprocessing, read.target),
        "card": card.beside(compared, options),
    }


def described(
    compared: Compared, proved: Proved, begun: Beginning, origin: Origin, options: Options
) -> Fit:
    """All of it, before anything is written."""
    selection, certificate = compared.selection, proved.certificate
    estimator, rows = selection.estimator, len(selection.fitted_on)
    X, y = compared.training_rows()
    chosen = begun["rule"]
    assert chosen is not None
    warned = _warnings(compared, certificate, origin, options)
    content = {
        **begun,
        "interrupted": selection.interrupted or proved.interrupted,
        "answer": answer(options.decides, begun, warned),
        "data": {**begun["data"], "warnings": warned},
        "learning": rule.learning(estimator, X, y, rows),
        "margins": rule.margins(estimator, X, y, rows),
        "hardest_rows": [] if options.private else rule.hardest_rows(compared, X, chosen),
        "verdict": certificate and verdict.verdict(certificate, rows=not options.private),
        "unasked": compared.read.unasked,
        "price": proved.price,
        "forced": proved.signs and robustness.forced(compared, proved.signs, options),
        "opinions": proved.opinions,
        "progressive": proved.progressive,
        "training": None
        if proved.of_training is None
        else verdict.training(
            proved.of_training, rows, getattr(estimator, "n_updates_", None), certificate
        ),
        "proof": proved.proof,
        "reproduce": {},
        "files": {},
    }
    document: Any = document_of("fit", content)
    return placed(document, origin, options, None, {})


def placed(
    found: Fit, origin: Origin, options: Options, folder: str | None, files: dict[str, str]
) -> Fit:
    """The document of a study that was saved in this folder, as these files."""
    place = default_folder(origin.files) if folder is None else folder
    return {**found, "reproduce": _reproduce(found, origin, options, place, files), "files": files}


def has_weights(chosen: Rule) -> bool:
    """Whether it has a weight for each feature, which `rosenblatt predict --explain` asks for."""
    return bool(chosen["terms"]) or bool(chosen.get("classes")) or "card" in chosen


def _data(compared: Compared, origin: Origin, options: Options) -> Data:
    read, names, groups = compared.read, compared.names, compared.selection.groups
    return {
        "files": list(origin.files),
        "rows": read.rows,
        "repeated": groups.repeated if groups is not None and groups.many_repeated else 0,
        "columns": read.X.shape[1]
        if read.preprocessing is None
        else len(read.preprocessing.columns),
        "features": list(names[:LISTED]),
        "n_features": len(names),
        "classes": list(read.counts),
        "counts": read.counts,
        "target": read.target,
        "ignored": [
            *options.ignore,
            *(name for name in (options.groups, options.split_by_time) if name is not None),
        ],
        "preprocessing": encoded_columns(compared.preprocessing),
        "warnings": [],
    }


def _warnings(
    compared: Compared,
    certificate: Certificate | None,
    origin: Origin,
    options: Options,
) -> list[Warned]:
    read, notes = compared.read, compared.read.notes
    of_table = [] if notes.header is None else [about("header", notes.header)]
    of_table += column_warnings(read, certificate, partial(ignored, origin))
    for warned in of_table:
        if warned["kind"] == "revealing" and (effect := without(compared, warned["columns"])):
            warned["effect"] = effect
            warned["sentence"] += f" {effect['sentence']}"
    of_table += [about("like missing", sentence) for sentence in notes.like_missing]
    if (count := len(notes.unlabelled)) and read.preprocessing is not None:
        left_out = unlabelled(count, read.preprocessing.reading)
        of_table.append(about("unlabelled", f"{left_out}."))
    of_table += [*_alike(read), *_quantities(read), *_dates(compared, options)]
    all_rows = _tested_by_all(compared, origin, options)
    of_table = does_not_fit(compared.selection) + of_table
    return of_table + result_warnings(compared.selection, all_rows)


def _tested_by_all(compared: Compared, origin: Origin, options: Options) -> str | None:
    """How every row is a test row once, where that can be."""
    can_fold = options.retrain and not options.stream and options.split_by_time is None
    can_fold = can_fold and too_rare(compared.read.counts, FOLDS, nested=True) is None
    groups = compared.selection.groups
    if groups is not None and groups.given:
        can_fold = can_fold and int(groups.codes.max()) + 1 >= FOLDS + 2
    return tested_by_all(origin) if can_fold and options.cv is None else None


def _alike(read: Read) -> list[Warned]:
    """Labels that differ in capitals or blanks only."""
    spelled: dict[str, list[str]] = {}
    for label in read.counts:
        spelled.setdefault(" ".join(label.casefold().split()), []).append(label)
    alike = [" and ".join(map(repr, labels)) for labels in spelled.values() if len(labels) > 1]
    if not alike:
        return []
    sentence = (
        f"Labels that differ only in capitals or blanks: {listed(alike, 3)}. They count as "
        "different labels. If they mean the same, write them in one way."
    )
    return [about("alike", sentence)]


_MAY_BE_CODES = 10  # different whole numbers: the digits, for one


def _quantities(read: Read) -> list[Warned]:
    """Labels that look like amounts."""
    target = None if read.preprocessing is None else read.preprocessing.target
    if target is None or target.kind is not Kind.NUMBER or target.positive is not None:
        return []
    values = [float(value) for value in target.values]
    if len(values) <= _MAY_BE_CODES:
        return []
    below = np.cumsum([read.counts[str(value)] for value in target.values])
    middle = values[int(np.searchsorted(below, read.rows / 2))]
    sentence = (
        f"{target.name} holds {len(values)} different numbers, {min(values):g} to "
        f"{max(values):g}. If they are amounts, predicting them is regression, which this is "
        f"not. To ask which are large: {option('positive', f'>={middle:g}')}."
    )
    return [about("quantities", sentence)]


def _dates(compared: Compared, options: Options) -> list[Warned]:
    """Rows that came one after the other may be divided so."""
    preprocessing = compared.preprocessing
    divided = options.groups, options.split_by_time, options.cv
    if preprocessing is None or options.stream or any(one is not None for one in divided):
        return []
    dates = [column.name for column in preprocessing.numbers if column.measure]
    if not dates:
        return []
    verb = "holds dates" if len(dates) == 1 else "hold dates"
    sentence = (
        f"{listed(dates, 3)} {verb}. If new rows will be later than these, test on the latest: "
        f"{option('split_by_time', dates[0])}."
    )
    return [about("dates", sentence)]


# --- Sections of the comparison ------------------------------------------------------------------


def split(compared: Compared, options: Options, by_all: str | None) -> Split:
    selection, group, stream = compared.selection, options.groups, options.stream
    train, validation, test = (
        len(part) for part in (selection.train, selection.validation, selection.test)
    )
    together = f"; rows with the same {group} stay together" if group else ""
    groups = selection.groups
    if groups is not None and groups.many_repeated and not selection.copies_in_test:
        together += "; rows with equal values stay together"
    if selection.cv:
        sentence = (
            f"nested cross-validation, {selection.cv} folds: each row is tested once, by a rule "
            "that never saw it; the rule that is saved is trained on all rows "
            f"(seed {selection.random_state}{together})"
        )
    else:
        how = together if group else ", stratified: the same share of each label in every part"
        how += "" if group else together
        if stream:
            scaled = selection.preprocessor is not None
            how = ", each row assigned on its own" + (
                "; missing values are filled and columns scaled by all rows" if scaled else ""
            )
        if options.split_by_time is not None:
            how = f", by {options.split_by_time}: the earliest train, the latest test"
        again = ""
        if selection.retrained:
            again = f"; the chosen rule is then trained again, on {train + validation:,}"
        sentence = (
            f"{train:,} rows to train, {validation:,} to choose, {test:,} to test{again} "
            f"(seed {selection.random_state}{how})"
        )
    return {
        "method": "cross-validation" if selection.cv else "split",
        "train": train,
        "validation": validation,
        "test": test,
        "learned_from": len(selection.fitted_on),
        "folds": selection.cv,
        "group": group,
        "time": options.split_by_time,
        "tested_from": None if options.private else _tested_from(compared),
        "seed": selection.random_state,
        "stream": stream,
        "tested_by_all": by_all,
        "sentence": sentence,
    }


def _tested_from(compared: Compared) -> str | None:
    """The first time that is tested."""
    times, test = compared.read.times, compared.selection.test
    if times is None or not len(test):
        return None
    return times.said(int(test[times.values[test].argmin()]))


def candidates(selection: Selection) -> list[Candidate]:
    return [
        {
            "name": c.name,
            "train_errors": c.train_errors,
            "train_n": c.train_n,
            "validation_errors": c.validation_errors,
            "validation_n": c.validation_n,
            "baseline": c.baseline,
            "cost": c.cost,
            "passed_over": c is selection.passed_over,
            "chosen": c is selection.winner,
        }
        for c in selection.candidates
    ]


def encoded_columns(preprocessing: Preprocessing | None) -> list[EncodedColumn]:
    if preprocessing is None:
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
        for column in preprocessing.columns[:LISTED]
    ]


# --- Commands, or calls of Python, that do the study again, check it and use it ------------------


def _reproduce(
    found: Fit, origin: Origin, options: Options, folder: str, written: dict[str, str]
) -> Reproduce:
    """`written` are the files in the folder, by kind: none before it is saved."""
    chosen, claimed, columns = found["rule"], found["verdict"], found["data"]["preprocessing"]
    linear = chosen is not None and has_weights(chosen)
    verify = predict = card = export = advised = None
    proved = claimed is not None and claimed["separable"] is not None
    if origin.files and "certificate" in written and proved:
        verify = shlex.join(["rosenblatt", "verify", written["certificate"], *origin.files])
    if "model" in written:
        ask = ["rosenblatt", "predict", written["model"], *origin.new]
        predict = shlex.join([*ask, *(["--explain"] if linear else [])])
        exported = linear and columns and all(column["kind"] != "prose" for column in columns)
        if origin.files and exported:
            checked = ["--python", "-o", "predict.py", "--check", origin.files[0]]
            export = shlex.join(["rosenblatt", "export", written["model"], *checked])
    follows = _following(options, found["data"]["warnings"])
    if follows is not None and "-" not in origin.files:  # standard input is gone
        advised = _again(origin, follows, folder)
    if found["card"] is not None:
        card = _again(origin, replace(options, scorecard=True), f"{folder}-card")
    return {
        "command": _again(origin, options, folder),
        "without_costs": _again(origin, replace(options, costs=None, objective=None), folder),
        "seed": options.random_state,
        "advised": advised,
        "verify": verify,
        "predict": predict,
        "scorecard": card,
        "export": export,
    }


def _again(origin: Origin, options: Options, folder: str) -> str:
    if not origin.files:
        return _call(origin, options)
    command = ["rosenblatt", "fit", *origin.files, *options.typed()]
    place = [] if folder == default_folder(origin.files) else ["-o", folder]
    return command_line([*command, *place])


def _following(options: Options, warnings: list[Warned]) -> Options | None:
    """With the advice of the warnings, as far as one command can follow it."""
    advice: dict[str, Any] = {}
    for warned in sorted(warnings, key=lambda warned: warned["kind"] == "collinear"):
        for name, value in warned["advice"].items():
            if name != "ignore":
                advice[name] = value
            elif warned["kind"] != "collinear" or name not in advice:
                # without what is left out already, they may not be collinear
                advice[name] = (*advice.get(name, ()), *value)
    if "ignore" in advice:
        advice["ignore"] = tuple(dict.fromkeys((*options.ignore, *advice["ignore"])))
    return replace(options, **advice) if advice else None


def ignored(origin: Origin, names: list[str]) -> str:
    """How columns are left out."""
    if not origin.files:
        return f"ignore={names}"
    return " ".join(f"--ignore {shlex.quote(name)}" for name in names)


def tested_by_all(origin: Origin) -> str:
    """How every row is a test row once."""
    return f"--cv {FOLDS}" if origin.files else f"cv={FOLDS}"


def _call(origin: Origin, options: Options) -> str:
    """As one writes it in Python."""
    apart = {*origin.arrays, *NOT_OF_THE_RESULT}
    values = {name: value for name, value in options.given.items() if name not in apart}
    words = [f"{name}={list(v) if isinstance(v, tuple) else v!r}" for name, v in values.items()]
    return f"rosenblatt.study({', '.join([origin.called, *words])})"
