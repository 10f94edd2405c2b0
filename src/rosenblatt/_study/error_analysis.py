"""Kinds of errors: what they cost, what thresholds would do, how far probabilities hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.objective import Objective
from rosenblatt._study.document import (
    Asked,
    Calibrated,
    Judged,
    OfClass,
    Priced,
    RocCurve,
    ThresholdPoint,
    Thresholds,
)
from rosenblatt._study.objective import kept
from rosenblatt._study.options import Options
from rosenblatt._util.text import named
from rosenblatt.report.text import number
from rosenblatt.selection.measures import calibration, roc
from rosenblatt.selection.refit import ENOUGH

if TYPE_CHECKING:
    from rosenblatt._model.probability import Platt
    from rosenblatt.selection import Selection
    from rosenblatt.selection.out_of_sample import Cuts


_POINTS = 100  # of a curve


def judged(selection: Selection, options: Options) -> Judged:
    labels = [str(label) for label in selection.estimator.classes_]
    prices = kept(options, selection.estimator.classes_).prices(labels)
    counts = confusion_counts(selection)
    price = None
    if options.costs is not None and selection.test_n > 0:
        confidence, seed = selection.confidence, options.seed
        price = priced(labels, counts, prices, confidence=confidence, seed=seed, rows="test rows")
    return {
        "asked": _asked(selection, options),
        "by_class": _by_class(labels, counts, None if price is None else prices),
        "price": price,
        "roc": _roc(selection, labels),
        "thresholds": _thresholds(selection, labels),
        "calibration": _calibration(selection, labels),
    }


def confusion_counts(selection: Selection) -> NDArray[np.int64]:
    """Of the test rows: by their labels, and what they were called."""
    classes = selection.estimator.classes_
    k = len(classes)
    rows = np.searchsorted(classes, selection.labels.astype(classes.dtype))
    columns = np.searchsorted(classes, selection.predictions.astype(classes.dtype))
    return np.bincount(rows * k + columns, minlength=k * k).reshape(k, k)


# --- What was asked, and what errors cost --------------------------------------------------------


def _asked(selection: Selection, options: Options) -> Asked:
    asked = kept(options, selection.estimator.classes_)
    said = chosen_by(asked)
    if asked.costs:
        said += f"; {price_words(asked, len(selection.estimator.classes_))}"
    if options.class_weight:
        said += "; in training, rows of rare labels weighed more (class_weight)"
    return {
        "objective": options.decides,
        "costs": [
            {"actual": actual, "predicted": predicted, "cost": cost}
            for (actual, predicted), cost in asked.costs.items()
        ],
        "class_weight": options.class_weight,
        "moved": selection.moved,
        "sentence": said,
    }


def _by_class(
    labels: list[str], counts: NDArray[np.int64], prices: NDArray[np.float64] | None
) -> list[OfClass]:
    if not counts.sum():
        return []
    found: list[OfClass] = []
    for i, label in enumerate(labels):
        rows, called, right = int(counts[i].sum()), int(counts[:, i].sum()), int(counts[i, i])
        found.append(
            {
                "label": label,
                "rows": rows,
                "errors": rows - right,
                "called": called,
                "recall": right / rows if rows else None,
                "precision": right / called if called else None,
                "price": None if prices is None else float(counts[i] @ prices[i]),
            }
        )
    return found


# --- Two labels: ranking, thresholds, probabilities ----------------------------------------------


def _roc(selection: Selection, labels: list[str]) -> RocCurve | None:
    if selection.scores is None:
        return None
    second = selection.labels == selection.estimator.classes_[1]
    if second.all() or not second.any():
        return None
    found = roc(selection.scores, second, selection.confidence)
    called = selection.predictions == selection.estimator.classes_[1]
    at = [float(called[~second].mean()), float(called[second].mean())]
    some = _thinned(len(found.false))
    points = np.column_stack([found.false[some], found.found[some]]).tolist()
    sentence = f"AUC {found.auc:.3f}"
    if found.interval is not None:
        lo, hi = found.interval
        percent = f"{100 * selection.confidence:g} %"
        sentence += f", {percent} interval {lo:.3f} to {hi:.3f} (DeLong)"
    sentence += (
        f": how often a row labelled {named(labels[1])} scores above one labelled "
        f"{named(labels[0])}"
    )
    return {
        "label": labels[1],
        "other": labels[0],
        "points": points,
        "at": at,
        "auc": found.auc,
        "interval": None if found.interval is None else list(found.interval),
        "confidence": selection.confidence,
        "method": "DeLong",
        "sentence": sentence,
    }


def _thinned(n: int) -> NDArray[np.intp]:
    """Places among n, both ends included."""
    return np.unique(np.linspace(0, n - 1, min(n, _POINTS + 1)).round().astype(np.intp))


def _thresholds(selection: Selection, labels: list[str]) -> Thresholds | None:
    unseen = selection.unseen
    if unseen is None or not len(unseen.scores):
        return None
    cuts, prices = unseen.cuts(), selection.judge.prices
    at = int((cuts.thresholds <= 0).sum()) - 1  # the last one that calls what 0 calls
    at = max(at, 0)
    places = np.unique(np.append(_thinned(len(cuts.thresholds)), at))

    def point(i: int) -> ThresholdPoint:
        return _point(cuts, i, prices, selection.probability)

    return {
        "label": labels[1],
        "other": labels[0],
        "rows": len(unseen.scores),
        "how": _how(selection),
        "points": [point(int(i)) for i in places],
        "chosen": point(at) | {"threshold": 0.0},
    }


def _point(
    cuts: Cuts, i: int, prices: NDArray[np.float64], probability: Platt | None
) -> ThresholdPoint:
    threshold = float(cuts.thresholds[i])
    missed, false = int(cuts.missed[i]), int(cuts.false[i])
    return {
        "threshold": threshold,
        "probability": None if probability is None else float(probability.of(threshold)),
        "called": int(cuts.called[i]),
        "missed": missed,
        "false": false,
        "price": float(missed * prices[1, 0] + false * prices[0, 1]),
    }


def _how(selection: Selection) -> str:
    """Whose scores chose the threshold."""
    assert selection.unseen is not None
    n, validation = len(selection.unseen.scores), len(selection.validation)
    if selection.cv:
        return f"{n:,} rows, each scored in the folds by a rule that had not seen it"
    if not selection.retrained:
        return f"{n:,} validation rows, scored by the rule itself"
    if n == validation:
        why = "" if n >= ENOUGH else ", since the training rows could not be divided into folds"
        return f"{n:,} validation rows, scored by the rule before it was trained again{why}"
    return (
        f"{n:,} training and validation rows in five folds, each scored by a rule that learned "
        "from the other folds"
    )


def _calibration(selection: Selection, labels: list[str]) -> Calibrated | None:
    probability = selection.probability
    if probability is None or selection.probabilities is None or not selection.test_n:
        return None
    second = selection.labels == selection.estimator.classes_[1]
    found = calibration(selection.probabilities, second, selection.confidence)
    lo, hi = found.interval
    sentence = (
        f"Brier score {found.brier:.3f}, {100 * selection.confidence:g} % interval {lo:.3f} to "
        f"{hi:.3f} (normal); always predicting the share of {named(labels[1])}: {found.floor:.3f}"
    )
    return {
        "label": labels[1],
        "bins": [
            {
                "low": b.low,
                "high": b.high,
                "rows": b.rows,
                "predicted": b.predicted,
                "share": b.positive / b.rows,
                "interval": list(b.interval),
            }
            for b in found.bins
        ],
        "brier": found.brier,
        "interval": [lo, hi],
        "confidence": selection.confidence,
        "floor": found.floor,
        "slope": probability.slope,
        "intercept": probability.intercept,
        "fitted_to": probability.rows,
        "sentence": sentence,
    }


# What errors cost: by row, with an interval, and in words.


_DRAWS = 10_000  # of the bootstrap
_CHOSEN_BY = {
    "error": "the fewest errors",
    "cost": "the lowest cost of errors",
    "balanced": "the lowest mean of the error rates of the labels (balanced error)",
}


def priced(
    labels: list[str],
    counts: NDArray[np.int64],
    prices: NDArray[np.float64],
    *,
    confidence: float,
    seed: int = 0,
    rows: str = "rows",
) -> Priced:
    """Of errors that were counted by label and by what the rows were called.

    The interval is that of the bootstrap: rows are drawn again, as often as there are. Without an
    error there is none: every draw would cost nothing, however few the rows.
    """
    n, total = int(counts.sum()), float((counts * prices).sum())
    ends = None
    found = f"no error among these {n:,} {rows}: no interval"
    if counts.sum() > np.trace(counts):
        ends = _interval(counts, prices, confidence, seed)
        spread = f"{number(ends[0], 3)} to {number(ends[1], 3)} (bootstrap)"
        found = f"{100 * confidence:g} % interval {spread}"
    of_label = counts.sum(axis=1)
    always = {label: float(of_label @ prices[:, j]) for j, label in enumerate(labels)}
    shown = sorted(always, key=always.__getitem__)[:2]
    constant = (f"always saying {named(label)}: {number(always[label] / n, 3)}" for label in shown)
    sentence = (
        f"{number(total / n, 3)} a row ({number(total)} for {n:,} {rows}), {found}; "
        f"{', '.join(constant)} a row"
    )
    return {
        "total": total,
        "per_row": total / n,
        "interval": ends,
        "confidence": confidence,
        "method": "bootstrap",
        "always": always,
        "sentence": sentence,
    }


def _interval(
    counts: NDArray[np.int64], prices: NDArray[np.float64], confidence: float, seed: int
) -> list[float]:
    n, tail = int(counts.sum()), (1 - confidence) / 2
    drawn = np.random.default_rng(seed).multinomial(n, counts.ravel() / n, _DRAWS)
    ends: list[float] = np.quantile(drawn @ prices.ravel() / n, [tail, 1 - tail]).tolist()
    return ends


def chosen_by(objective: Objective) -> str:
    """What decided."""
    return _CHOSEN_BY[objective.decides]


def price_words(objective: Objective, classes: int) -> str:
    """What errors cost, where that was said."""
    said = [
        f"{named(actual)} called {named(predicted)} costs {number(cost)}"
        for (actual, predicted), cost in objective.costs.items()
    ]
    others = len(said) < classes * (classes - 1)
    return ", ".join([*said, *(["other errors cost 1"] if others else [])])
