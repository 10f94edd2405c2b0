"""How good the rule is on the test rows: the answer in two sentences, what to be warned of, and the
figures: errors and costs, by class, ranking, thresholds, and how far probabilities hold.

A further figure is computed in `selection.measures`, becomes an entry with a sentence here, and
gets its type in `report.document`. The terminal shows it with -v where `report.terminal` names it
in `_DETAILS`, the page where a template does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rosenblatt._model.probability import Softmax
from rosenblatt._study.costs import (
    BALANCED,
    balanced_of,
    chosen_by,
    cost_of,
    cost_words,
    objective_kept,
)
from rosenblatt._study.options import Options
from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many, named
from rosenblatt.report.document import (
    Answer,
    Asked,
    Balanced,
    Beginning,
    Calibrated,
    ComparedOnTest,
    Cost,
    Effect,
    Error,
    ErrorAnalysis,
    OfClass,
    RocCurve,
    ThresholdPoint,
    Thresholds,
    Warned,
)
from rosenblatt.scorecard import Scorecard
from rosenblatt.selection.candidates import BOOSTING, LOGISTIC, ONE_COLUMN
from rosenblatt.selection.comparison import ENOUGH, Comparison, Training, trained_with
from rosenblatt.selection.measures import (
    calibration,
    clopper_pearson,
    error_interval,
    mean_interval,
    roc,
)

if TYPE_CHECKING:
    from rosenblatt._model.probability import Platt
    from rosenblatt._study.stages import Compared
    from rosenblatt.selection import Selection
    from rosenblatt.selection.folds import Indices
    from rosenblatt.selection.out_of_sample import Cuts


_FOUND_SELDOM = 0.5  # a label of which no larger share is found is spoken of
_NAMED = 2
_FIRST = {  # what stands first where it was warned of
    "worse": "Worse than guessing",
    "no better": "Not shown to be better than guessing",
}


def answer(objective: str, begun: Beginning, warnings: Sequence[Warned]) -> Answer | None:
    error, cost, by_class = begun["error"], begun["cost"], begun["by_class"]
    if error is None:
        return None
    tested = _tested(error["test_n"], begun["split"]["folds"])
    kinds = {warned["kind"] for warned in warnings}
    better = "Better than guessing" if error["interval"] else "No interval, so it may be chance"
    short = next((_FIRST[kind] for kind in _FIRST if kind in kinds), better)
    sentence = _wrong(error, tested)
    if (balanced := begun["balanced"]) is not None:
        sentence = _balanced(balanced, tested)
    elif cost is not None and objective == "cost":
        sentence = _costing(cost, tested)
    return {"short": short, "sentence": sentence, "caution": _caution(by_class, warnings)}


def _tested(n: int, folds: int | None) -> str:
    """In cross-validation the rule that is saved is none of those that were tested."""
    if folds is None:
        return f"{n:,} test rows, which it had never seen"
    return f"{n:,} rows, each tested by a rule of the same kind that had never seen it"


def _balanced(balanced: Balanced, tested: str) -> str:
    ends = balanced["interval"]
    between = f", between {ends[0]:.1%} and {ends[1]:.1%}" if ends else ""
    return (
        f"of the {tested}, {balanced['rate']:.1%} of a label's rows are wrong on average over the "
        f"labels{between}; always the same answer: {balanced['baseline']:.1%}."
    )


def _wrong(error: Error, tested: str) -> str:
    n, ends = error["test_n"], error["interval"]
    between = f", between {ends[0]:.1%} and {ends[1]:.1%}" if ends else ""
    always = f"always saying {named(error['majority_label'])} would be wrong on"
    return (
        f"{error['rate']:.1%} of the {tested}, are wrong{between}; "
        f"{always} {error['majority_errors'] / n:.1%}."
    )


def _costing(cost: Cost, tested: str) -> str:
    ends, constant = cost["interval"], cost["baseline"]
    between = f", between {ends[0]:.3g} and {ends[1]:.3g}" if ends else ""
    return (
        f"the errors on the {tested}, cost {cost['per_row']:.3g} "
        f"a row{between}; always saying {named(constant['label'])} would cost "
        f"{constant['per_row']:.3g}."
    )


def _caution(by_class: Sequence[OfClass], warnings: Sequence[Warned]) -> str | None:
    for warned in warnings:
        if warned["kind"] == "revealing":
            return _too_good(warned["columns"], warned.get("effect"))
    missed = [
        one for one in by_class if one["recall"] is not None and one["recall"] < _FOUND_SELDOM
    ]
    if missed:
        parts = [
            f"{one['errors']:,} of the {one['rows']:,} rows labelled {named(one['label'])}"
            for one in missed
        ]
        return f"But it misses {listed(parts, _NAMED)}."
    return None


def _too_good(columns: list[str], effect: Effect | None) -> str:
    tell, it, they = "tell", "they are", "them"
    if len(columns) == 1:
        tell, it, they = "tells", "it is", "it"
    rate = f": without {they}, {effect['rate']:.1%} are wrong" if effect else ""
    which = " and ".join(columns) if len(columns) == _NAMED else listed(columns, _NAMED)
    return (
        f"But {which} {tell} almost everything. If {it} known only afterwards, this is too "
        f"good{rate}."
    )


# --- Errors, beside those of other methods on the same rows ---------------------------------------


def _comparisons(selection: Selection) -> list[ComparedOnTest]:
    """The largest class first, then what other methods made of the same training rows."""
    if selection.test_n == 0:
        return []
    always = np.full_like(selection.labels, selection.majority)
    losses = selection.criterion.row_costs(selection.labels, always, selection.estimator.classes_)
    others = [(selection.candidates[0].name, losses, False)]
    for other in selection.comparison_rules:
        column = other.name == ONE_COLUMN
        if column and other.label is not None:
            continue  # it is the constant under another name
        name = other.name if other.column is None else f"{other.column} alone"
        others.append((name, other.losses, column))
    return [_on_test(selection, *one) for one in others]


def _on_test(
    selection: Selection, name: str, losses: NDArray[np.float64], column: bool
) -> ComparedOnTest:
    wrong, by_errors = losses > 0, selection.criterion.objective == "error"
    ends = error_interval(wrong, selection.test_groups, selection.confidence)
    return {
        "name": name,
        "test_errors": int(wrong.sum()),
        "test_n": selection.test_n,
        "interval": None if ends is None else list(ends),
        "column": column,
        "cost": None if by_errors else float(losses.mean()),
    }


def _error(selection: Selection) -> Error | None:
    if selection.test_n == 0:
        return None
    interval = selection.interval
    return {
        "test_errors": selection.test_errors,
        "test_n": selection.test_n,
        "rate": selection.test_errors / selection.test_n,
        "interval": None if interval is None else list(interval),
        "interval_method": selection.interval_method,
        "interval_words": selection.interval_words,
        "confidence": selection.confidence,
        "majority_label": str(selection.majority),
        "majority_errors": selection.majority_errors,
        "sentence": selection.sentence,
        "optimism": selection.optimism,
    }


def error_analysis(selection: Selection, options: Options) -> ErrorAnalysis:
    labels = [str(label) for label in selection.estimator.classes_]
    costs = objective_kept(options, selection.estimator.classes_).cost_matrix(labels)
    rows, k = _labelled_and_called(selection), len(labels)
    counts = np.bincount(rows[0] * k + rows[1], minlength=k * k).reshape(k, k)
    tested, groups = selection.test_n > 0, selection.test_groups
    in_folds = selection.cv is not None
    balanced = cost = None
    if options.decides == "balanced" and tested:
        balanced = balanced_of(
            counts,
            confidence=selection.confidence,
            grouped=groups is not None,
            approximate=in_folds,
        )
    if options.costs is not None and tested:
        confidence, seed = selection.confidence, options.random_state
        cost = cost_of(
            labels,
            counts,
            costs,
            confidence=confidence,
            seed=seed,
            rows="test rows",
            by_group=None if groups is None else (costs[rows], groups),
            approximate=in_folds,
        )
    return {
        "comparisons": _comparisons(selection),
        "error": _error(selection),
        "confusion": {"labels": labels, "counts": counts.tolist()} if tested else None,
        "asked": _asked(selection, options),
        "by_class": _by_class(selection, labels, counts, None if cost is None else costs),
        "cost": cost,
        "balanced": balanced,
        "roc": _roc(selection, labels),
        "thresholds": _thresholds(selection, labels),
        "calibration": _calibration(selection, labels),
    }


def _labelled_and_called(selection: Selection) -> tuple[Indices, Indices]:
    classes = selection.estimator.classes_
    rows = np.searchsorted(classes, selection.labels.astype(classes.dtype))
    return rows, np.searchsorted(classes, selection.predictions.astype(classes.dtype))


# --- What was asked, and what errors cost --------------------------------------------------------


def _asked(selection: Selection, options: Options) -> Asked:
    objective = objective_kept(options, selection.estimator.classes_)
    sentence, meaning = chosen_by(objective), None
    if objective.costs:
        meaning = cost_words(objective, len(selection.estimator.classes_))
        sentence += f"; {meaning}"
    if options.decides == "balanced":
        meaning = BALANCED
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


_POINTS = 100  # of a curve


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


# --- Warnings about the rule ---------------------------------------------------------------------


_MISSED_NEARLY_ALWAYS = 0.1  # a label of which a rule finds no larger share is missed nearly always
_MISSED_ROWS = 4  # of fewer test rows none may be found by chance
_MISSED_NAMED = 3  # of those labels
_FEW_TEST_ROWS = 2000  # cross-validation of five times as many is soon done
_FEWEST_TEST_ROWS = 500  # of fewer, another division of the rows gives another error
_WIDE = 0.25  # of the error: half of an interval
FOLDS = 5  # of the cross-validation that is advised


def is_uncertain(found: ErrorAnalysis) -> bool:
    """Whether so few rows tested that more should, and can soon."""
    error, cost = found["error"], found["cost"]
    if error is None or error["test_n"] > _FEW_TEST_ROWS:
        return False
    rate, ends = error["rate"], error["interval"]
    if cost is not None:
        rate, ends = cost["per_row"], cost["interval"]
    wide = ends is not None and ends[1] - ends[0] > 2 * _WIDE * rate
    return wide or error["test_n"] < _FEWEST_TEST_ROWS


def result_warnings(selection: Selection, tested_by_all: str | None) -> list[Warned]:
    """About the rule: is it better than always saying the same, and does it find all labels?
    `tested_by_all` says how every row becomes a test row."""
    if not selection.test_n:
        return []
    warnings = [*_no_better(selection), *_copies(selection)]
    warnings += _unlike_validation(selection, tested_by_all)
    few = not selection.cv and selection.test_n <= _FEW_TEST_ROWS
    if tested_by_all is not None and few and warnings and warnings[0]["kind"] == "no better":
        warnings[0]["sentence"] += (
            f" Only {many(selection.test_n, 'row')} test it; with {tested_by_all} every row does."
        )
        warnings[0]["advice"] = {"cv": FOLDS}
    return warnings + _missed(selection)


def _missed(selection: Selection) -> list[Warned]:
    """Labels that are nearly never predicted where they should be, in one warning."""
    shown: list[str] = []
    labels, is_rare = selection.estimator.classes_, False
    for label in labels:
        of = selection.labels == label
        rows, right = int(of.sum()), int((of & (selection.predictions == label)).sum())
        if rows >= _MISSED_ROWS and right <= rows * _MISSED_NEARLY_ALWAYS:
            what = many(rows, "test row") if not shown else f"{rows:,}"
            shown.append(f"{named(label)} ({right or 'none'} of {what} found)")
            is_rare |= 2 * rows * len(labels) < selection.test_n
    if not shown:
        return []
    sentence = f"Nearly always missed: {listed(shown, _MISSED_NAMED)}."
    if not is_rare or selection.criterion.objective != "error":
        return [about("missed", sentence)]
    sentence += f" To weigh rare labels more: {option('class_weight', 'balanced')}."
    return [about("missed", sentence, class_weight="balanced")]


_FAR = 0.2  # of the rule's errors, by so many fewer are made


def does_not_fit(selection: Selection) -> list[Warned]:
    """Another method is far better on the same test rows, and not by chance."""
    if not selection.test_n:
        return []
    criterion, classes = selection.criterion, selection.estimator.classes_
    own = criterion.row_costs(selection.labels, selection.predictions, classes)
    theirs = {rule.name: rule.losses for rule in selection.comparison_rules}
    far = [
        name
        for name in (LOGISTIC, BOOSTING)
        if name in theirs and _is_far(own - theirs[name], own, selection.test_groups)
    ]
    if not far:
        return []

    def wrong(losses: Any) -> str:
        if criterion.objective == "cost":
            return f"{losses.mean():.3g} a row"
        return f"{losses.mean():.1%}"

    measure = {"error": "error", "cost": "cost of errors", "balanced": "balanced error"}
    figures = f"the {measure[criterion.objective]} on the test rows is"
    if far[0] == LOGISTIC:
        sentence = (
            f"Logistic regression is far better on this table: {figures} {wrong(theirs[LOGISTIC])},"
            f" and {wrong(own)} by this rule. Both are linear: where accuracy counts, use that one."
        )
        return [about("does not fit", sentence)]
    if isinstance(selection.estimator, Scorecard):
        lead = "A card of so few terms does not fit this table"
    elif hasattr(selection.estimator, "coef_"):
        lead = "A linear rule does not fit this table"
    else:
        lead = "Gradient boosting fits this table better than the rule"
    sentence = (
        f"{lead}: {figures} {wrong(theirs[BOOSTING])} by gradient boosting, which is not linear, "
        f"and {wrong(own)} by this rule. Where accuracy counts, use such a model."
    )
    return [about("does not fit", sentence)]


def _is_far(fewer: Any, own: Any, groups: Any) -> bool:
    """`fewer`: by test row, what the other method saves."""
    ends = mean_interval(fewer, groups)
    return ends is not None and ends[0] > 0 and float(fewer.sum()) >= _FAR * float(own.sum())


def _no_better(selection: Selection) -> list[Warned]:
    """By what the rule was chosen by: in all, and row by row on the same test rows."""
    groups = selection.test_groups
    criterion, classes, labels = selection.criterion, selection.estimator.classes_, selection.labels
    own = criterion.row_costs(labels, selection.predictions, classes)
    answers = classes if criterion.objective == "cost" else [selection.majority]
    of_each = [criterion.row_costs(labels, np.full_like(labels, c), classes) for c in answers]
    same, always = min(zip(answers, of_each, strict=True), key=lambda one: float(one[1].sum()))
    means = [float(losses.mean()) for losses in (own, always)]
    ends = mean_interval(own, groups) if criterion.objective != "error" else selection.interval
    better = _difference(own, always, groups)
    if better > 0 or (ends is not None and ends[1] < means[1]):
        return []
    the_same = "the same label" if criterion.objective == "balanced" else named(str(same))
    figures = [f"{m:.3g} a row" if criterion.objective == "cost" else f"{m:.1%}" for m in means]
    measure = {"error": "an error", "cost": "a cost", "balanced": "a balanced error"}
    what = measure[criterion.objective]
    than = f"than always saying {the_same}"
    against = f": {what} of {figures[0]}, against {figures[1]}"
    if better < 0 or (ends is not None and ends[0] > means[1]):
        sentence = f"On the test rows the rule is worse {than}, and not by chance{against}. Do not "
        return [about("worse", f"{sentence}rely on it.")]
    if means[0] >= means[1]:
        sentence = f"On the test rows the rule is no better {than}{against}."
    else:
        sentence = f"The test rows do not show that the rule is better {than}{against}, which may "
        sentence += "be chance."
    return [about("no better", sentence)]


def _difference(own: Any, other: Any, groups: Any) -> int:
    """1 where the rows show that `own` costs less, -1 where they show the opposite, else 0.

    Of errors the sign test: rows about which both are wrong, or both right, say nothing.
    """
    if groups is None and set(np.unique([own, other]).tolist()) <= {0.0, 1.0}:
        worse, differ = int((own > other).sum()), int((own != other).sum())
        low, high = clopper_pearson(worse, differ) if differ else (0.0, 1.0)
        return (high < 0.5) - (low > 0.5)
    saved, lost = (mean_interval(by, groups) for by in (other - own, own - other))
    return (saved is not None and saved[0] > 0) - (lost is not None and lost[0] > 0)


def _copies(selection: Selection) -> list[Warned]:
    if not (count := selection.copies_in_test):
        return []
    why = "too few different rows are left to keep equal ones in one part"
    if selection.times is not None:
        why = "rows were divided by time"
    sentence = (
        f"{count:,} of {selection.test_n:,} test rows have the same values as a training row: "
        f"{why}. The error on new rows may be higher."
    )
    return [about("repeated", sentence)]


def _unlike_validation(selection: Selection, tested_by_all: str | None) -> list[Warned]:
    """Where the two intervals have nothing in common. Only errors were chosen by errors."""
    if selection.criterion.objective != "error":
        return []
    ends, expected = selection.interval, selection.validation_interval
    if ends is None or expected is None or (ends[0] <= expected[1] and expected[0] <= ends[1]):
        return []
    errors, n, winner = selection.test_errors, selection.test_n, selection.winner
    sentence = (
        f"The test error, {errors / n:.1%} ({errors:,} of {n:,} rows), is "
        f"{'above' if ends[0] > expected[1] else 'below'} what validation suggested: "
        f"{winner.validation_rate:.1%} ({winner.validation_errors:,} of {winner.validation_n:,}), "
        f"interval {expected[0]:.1%} to {expected[1]:.1%}. "
    )
    if selection.times is not None:
        sentence += "The latest rows are unlike those before them, and so may new rows be."
        return [about("unlike validation", sentence)]
    if tested_by_all is None:
        return [about("unlike validation", sentence.rstrip())]
    sentence += f"Such a division of the rows is rare; with {tested_by_all} every row tests."
    return [about("unlike validation", sentence, cv=FOLDS)]


def about(kind: str, sentence: str, **advice: Any) -> Warned:
    """A warning that names no columns."""
    return {"kind": kind, "columns": [], "sentence": sentence, "advice": advice}


# --- What leaving out suspect columns would change -----------------------------------------------


_SOON = 2_000_000  # numbers that it learns from once more


def without(compared: Compared, names: list[str]) -> Effect | None:
    """Trained on the same rows without these columns and tested on the same test rows; None where
    that takes long. Nothing is chosen by it."""
    read, selection, preprocessing = compared.read, compared.selection, compared.preprocessing
    if preprocessing is None or selection.cv or not selection.test_n or read.sample is not None:
        return None
    kept = np.repeat(
        [column.name not in names for column in preprocessing.columns],
        [len(column.features) for column in preprocessing.columns],
    )
    numbers = read.X.shape[0] * read.X.shape[1]
    if not kept.any() or numbers > _SOON or isinstance(selection.estimator, Scorecard):
        return None
    assert selection.preprocessor is not None
    again = Comparison(
        selection.preprocessor.transform(read.X)[:, kept],
        read.y,
        candidates={"without": clone(selection.estimator)},  # its penalty is chosen
        preprocessor=None,
        groups=selection.groups,
        times=selection.times,
        random_state=selection.random_state,
        confidence=selection.confidence,
        criterion=selection.criterion,
        training=Training(trained_with(None, 0), None, 1),
    ).tested(selection.fitted_on, selection.test)
    if not again:
        return None
    [tested] = again
    n, wrong = selection.test_n, tested.losses > 0
    ends = error_interval(wrong, selection.test_groups, selection.confidence)
    them, rate = "it" if len(names) == 1 else "them", tested.test_errors / n
    sentence = (
        f"Without {them}, the same method ({named(selection.winner.name)}; a rerun may choose "
        f"another) is wrong on {rate:.1%} "
        f"of the test rows; with {them}, on {selection.test_errors / n:.1%}."
    )
    return {
        "columns": names,
        "test_errors": tested.test_errors,
        "test_n": n,
        "rate": rate,
        "interval": None if ends is None else list(ends),
        "sentence": sentence,
    }
