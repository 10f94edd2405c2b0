"""Errors on test rows: by class and cost, ranking, thresholds, and how far probabilities hold.

A further figure is computed in `selection.measures`, becomes an entry with a sentence here, and
gets its type and a line in the list of sections in `report.document`: the terminal shows it, and
the page where a template names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.probability import Softmax
from rosenblatt._study.costs import chosen_by, cost_of, cost_words, objective_kept
from rosenblatt._study.options import Options
from rosenblatt._util.text import named
from rosenblatt.report.document import (
    Asked,
    Calibrated,
    ErrorAnalysis,
    OfClass,
    RocCurve,
    ThresholdPoint,
    Thresholds,
)
from rosenblatt.selection.measures import calibration, roc
from rosenblatt.selection.refit import ENOUGH

if TYPE_CHECKING:
    from rosenblatt._model.probability import Platt
    from rosenblatt.selection import Selection
    from rosenblatt.selection.out_of_sample import Cuts


_POINTS = 100  # of a curve


def error_analysis(selection: Selection, options: Options) -> ErrorAnalysis:
    labels = [str(label) for label in selection.estimator.classes_]
    costs = objective_kept(options, selection.estimator.classes_).cost_matrix(labels)
    counts = confusion_counts(selection)
    cost = None
    if options.costs is not None and selection.test_n > 0:
        confidence, seed = selection.confidence, options.random_state
        cost = cost_of(
            labels,
            counts,
            costs,
            confidence=confidence,
            seed=seed,
            rows="test rows",
            by_group=_costs_by_group(selection, costs),
            approximate=selection.cv is not None,
        )
    return {
        "asked": _asked(selection, options),
        "by_class": _by_class(selection, labels, counts, None if cost is None else costs),
        "cost": cost,
        "roc": _roc(selection, labels),
        "thresholds": _thresholds(selection, labels),
        "calibration": _calibration(selection, labels),
    }


def confusion_counts(selection: Selection) -> NDArray[np.int64]:
    """Of the test rows: by their labels, and what they were called."""
    classes = selection.estimator.classes_
    k = len(classes)
    rows, columns = _labelled_and_called(selection)
    return np.bincount(rows * k + columns, minlength=k * k).reshape(k, k)


def _labelled_and_called(selection: Selection) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    classes = selection.estimator.classes_
    rows = np.searchsorted(classes, selection.labels.astype(classes.dtype))
    return rows, np.searchsorted(classes, selection.predictions.astype(classes.dtype))


def _costs_by_group(
    selection: Selection, costs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.intp]] | None:
    groups = selection.test_groups
    return None if groups is None else (costs[_labelled_and_called(selection)], groups)


# --- What was asked, and what errors cost --------------------------------------------------------


def _asked(selection: Selection, options: Options) -> Asked:
    objective = objective_kept(options, selection.estimator.classes_)
    sentence, meaning = chosen_by(objective), None
    if objective.costs:
        meaning = cost_words(objective, len(selection.estimator.classes_))
        sentence += f"; {meaning}"
    if options.class_weight:
        sentence += "; in training, rows of rare labels weighed more (class_weight)"
    return {
        "objective": options.decides,
        "costs": [
            {"actual": actual, "predicted": predicted, "cost": cost}
            for (actual, predicted), cost in objective.costs.items()
        ],
        "class_weight": options.class_weight,
        "meaning": meaning,
        "moved": np.asarray(selection.moved).tolist(),
        "sentence": sentence,
    }


def _by_class(
    selection: Selection,
    labels: list[str],
    counts: NDArray[np.int64],
    costs: NDArray[np.float64] | None,
) -> list[OfClass]:
    if not counts.sum():
        return []
    p = selection.probabilities
    if p is not None and p.ndim == 1:
        p = np.column_stack([1 - p, p])
    classes: list[OfClass] = []
    for i, label in enumerate(labels):
        rows, called, right = int(counts[i].sum()), int(counts[:, i].sum()), int(counts[i, i])
        classes.append(
            {
                "label": label,
                "rows": rows,
                "errors": rows - right,
                "predicted": called,
                "expected": None if p is None else float(p[:, i].sum()),
                "recall": right / rows if rows else None,
                "precision": right / called if called else None,
                "cost": None if costs is None else float(counts[i] @ costs[i]),
            }
        )
    return classes


# --- Two labels: ranking and thresholds ----------------------------------------------------------


def _roc(selection: Selection, labels: list[str]) -> RocCurve | None:
    if selection.scores is None or len(labels) > 2:
        return None
    second = selection.labels == selection.estimator.classes_[1]
    if second.all() or not second.any():
        return None
    curve = roc(selection.scores, second, selection.confidence, groups=selection.test_groups)
    called = selection.predictions == selection.estimator.classes_[1]
    at = [float(called[~second].mean()), float(called[second].mean())]
    shown = _thinned(len(curve.false))
    points = np.column_stack([curve.false[shown], curve.found[shown]]).tolist()
    sentence = f"AUC {curve.auc:.3f}"
    method = "DeLong" if selection.test_groups is None else "Obuchowski"
    if curve.interval is not None:
        lo, hi = (f"{end:.3f}" for end in curve.interval)
        sentence += f", {selection.words_of(lo, hi)} ({method})"
    sentence += (
        f": how often a row labelled {named(labels[1])} scores above one labelled "
        f"{named(labels[0])}"
    )
    return {
        "label": labels[1],
        "other": labels[0],
        "points": points,
        "at": at,
        "auc": curve.auc,
        "interval": None if curve.interval is None else list(curve.interval),
        "confidence": selection.confidence,
        "method": method,
        "sentence": sentence,
    }


def _thinned(n: int) -> NDArray[np.intp]:
    """Places among n, both ends included."""
    return np.unique(np.linspace(0, n - 1, min(n, _POINTS + 1)).round().astype(np.intp))


def _thresholds(selection: Selection, labels: list[str]) -> Thresholds | None:
    out_of_sample = selection.out_of_sample
    if out_of_sample is None or out_of_sample.many or not len(out_of_sample.scores):
        return None
    probability = selection.probability
    assert not isinstance(probability, Softmax)
    cuts = out_of_sample.cuts()
    costs = selection.criterion.costs_in(out_of_sample.counts)
    at = int((cuts.thresholds <= 0).sum()) - 1  # the last one that calls what 0 calls
    at = max(at, 0)
    places = np.unique(np.append(_thinned(len(cuts.thresholds)), at))

    def point(i: int) -> ThresholdPoint:
        return _point(cuts, i, costs, probability)

    return {
        "label": labels[1],
        "other": labels[0],
        "rows": len(out_of_sample.scores),
        "how": _how(selection),
        "costs": [float(costs[1, 0]), float(costs[0, 1])],
        "points": [point(int(i)) for i in places],
        "chosen": point(at) | {"threshold": 0.0},
    }


def _point(
    cuts: Cuts, i: int, costs: NDArray[np.float64], probability: Platt | None
) -> ThresholdPoint:
    threshold = float(cuts.thresholds[i])
    missed, false = int(cuts.missed[i]), int(cuts.false[i])
    return {
        "threshold": threshold,
        "probability": None if probability is None else float(probability.of(threshold)),
        "predicted": int(cuts.called[i]),
        "missed": missed,
        "false": false,
        "cost": float(missed * costs[1, 0] + false * costs[0, 1]),
    }


def _how(selection: Selection) -> str:
    """Whose scores chose the threshold."""
    assert selection.out_of_sample is not None
    n, validation = len(selection.out_of_sample.scores), len(selection.validation)
    if selection.cv:
        return f"{n:,} rows, each scored in the folds by a rule that had not seen it"
    if not selection.retrained:
        return f"{n:,} validation rows, scored by the rule itself"
    if n == validation:
        why = ", since the training rows could not be divided into folds"
        if n >= ENOUGH or selection.times is not None:
            why = ""
        return f"{n:,} validation rows, scored by the rule before it was trained again{why}"
    return (
        f"{n:,} training and validation rows in five folds, each scored by a rule that learned "
        "from the other folds"
    )


# --- Probabilities -------------------------------------------------------------------------------


def _calibration(selection: Selection, labels: list[str]) -> Calibrated | None:
    probability = selection.probability
    if probability is None or selection.probabilities is None or not selection.test_n:
        return None
    of_many = isinstance(probability, Softmax)
    codes, groups = _labelled_and_called(selection)[0], selection.test_groups
    measured = calibration(selection.probabilities, codes, selection.confidence, groups=groups)
    sentence = f"Brier score {measured.brier:.3f}"
    if measured.interval is not None:
        lo, hi = (f"{end:.3f}" for end in measured.interval)
        sentence += f", {selection.words_of(lo, hi)} ({'normal' if groups is None else 't'})"
    always = "shares of the labels" if of_many else f"share of {named(labels[1])}"
    sentence += f"; always predicting the {always}: {measured.floor:.3f}"
    return {
        "label": None if of_many else labels[1],
        "bins": [
            {
                "low": b.low,
                "high": b.high,
                "rows": b.rows,
                "predicted": b.predicted,
                "share": b.positive / b.rows,
                "interval": None if b.interval is None else list(b.interval),
            }
            for b in measured.bins
        ],
        "brier": measured.brier,
        "interval": None if measured.interval is None else list(measured.interval),
        "confidence": selection.confidence,
        "floor": measured.floor,
        "slope": probability.slope,
        "intercept": list(probability.intercepts)
        if isinstance(probability, Softmax)
        else probability.intercept,
        "fitted_to": probability.rows,
        "sentence": sentence,
    }
