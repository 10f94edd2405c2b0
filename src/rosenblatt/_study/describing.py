"""The document of a study: from what was found to what is told."""

from __future__ import annotations

from functools import partial
from typing import Any

from rosenblatt._compute.about import core
from rosenblatt._study import evidence, forced, parts, rule, verdict, warnings
from rosenblatt._study.commands import ignored, reproduce, tested_by_all
from rosenblatt._study.document import LISTED, Beginning, Data, Fit, Rule, Warned
from rosenblatt._study.folder import default_folder
from rosenblatt._study.judged import judged
from rosenblatt._study.judged_document import Priced
from rosenblatt._study.options import Options
from rosenblatt._study.source import Origin
from rosenblatt._study.work import Work, training_rows
from rosenblatt._support.documents import document_of
from rosenblatt.data.unlabelled import told as unlabelled


def beginning(work: Work, origin: Origin, options: Options) -> Beginning:
    """What is known before the verdict; there are no warnings yet."""
    selection = work.selection
    assert selection is not None
    return {
        "rosenblatt": core(),
        "data": _data(work, origin, options),
        "split": parts.split(selection, options.group, stream=options.stream),
        "candidates": parts.candidates(selection),
        "not_tried": work.not_tried,
        "error": parts.error(selection),
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
        "confusion": parts.confusion(selection),
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
        "encoding": parts.encoded_columns(work.learned),
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
