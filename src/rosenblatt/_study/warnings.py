"""What a person should look at before believing an error: columns that tell too much or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._certify import column_text
from rosenblatt._study.single_columns import by_chance, telling_columns
from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many, named
from rosenblatt.data.stack import head
from rosenblatt.scorecard import Scorecard
from rosenblatt.selection.candidates import BOOSTING, LOGISTIC
from rosenblatt.selection.measures import mean_interval

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._certify.parts import CollinearColumn
    from rosenblatt._study.stages import Read
    from rosenblatt.report.document import Cost, Warned
    from rosenblatt.selection import Selection


_MISSED = 0.1  # a label of which a rule finds no larger share is missed nearly always
_BEGIN = 1000  # rows that are looked at first: most columns need no more
_NAMED = 10  # columns that are told about
_FIGURES = 3  # of them with figures of their own
_FEW_TEST_ROWS = 2000  # cross-validation of five times as many is soon done
FOLDS = 5  # of the cross-validation that is advised


def column_warnings(
    read: Read, certificate: Certificate | None, ignored: Callable[[list[str]], str]
) -> list[Warned]:
    """About the columns of the table; `ignored` says how to leave columns out."""
    if read.preprocessing is None:  # sparse rows: thousands of columns without names
        return []
    X, y, preprocessing, rows = read.X, read.y, read.preprocessing, read.rows
    left_out = list(read.notes.constant)
    place = {}  # from features to columns of the table
    for column in preprocessing.columns:
        place.update(dict.fromkeys(column.features, column.name))
    X, preprocessing = head(preprocessing, X), preprocessing.without_prose()
    names = preprocessing.feature_names
    numbers = [(j, names[j]) for j in preprocessing.number_places]
    warnings: list[Warned] = []
    everywhere = "in every row" if len(y) == rows else f"in all of {len(y):,} rows looked at"
    if left_out:
        warnings.append(
            _warned(
                "constant",
                left_out,
                "the same in every row, which carries no information: left out.",
            )
        )
    if named_rows := list(read.notes.identifiers):
        them, an = ("it", "an identifier") if len(named_rows) == 1 else ("them", "identifiers")
        sentence = f"a different whole number in every row, like {an}: left out. To learn from "
        sentence += f"{them} as a measurement, use {option('numeric', *named_rows[:_NAMED])}."
        warnings.append(_warned("identifier", named_rows, sentence))
    constant = [name for j, name in numbers if _constant(X[:, j])]
    if constant:
        warnings.append(
            _warned("constant", constant, f"the same {everywhere}, which carries no information.")
        )
    dates = {name for column in preprocessing.numbers if column.measure for name in column.features}
    counts = [(j, name) for j, name in numbers if name not in dates]
    identifiers = [name for j, name in counts if _like_row_numbers(X[:, j], rows)]
    if identifiers:
        say = f"different {everywhere}, like a row number. Leave identifiers out: "
        some = identifiers[:_NAMED]
        warnings.append(_warned("identifier", identifiers, f"{say}{ignored(some)}.", ignore=some))
    proved = _proved(certificate, place, np.unique(y, return_counts=True)[1].tolist())
    almost = telling_columns(X, y, preprocessing)
    telling = almost.keys() | proved.keys()
    # in the order of the table; row numbers of a sorted table would tell, too
    revealing = [name for name in preprocessing.inputs if name in telling - set(identifiers)]
    if revealing:
        warnings.append(_revealed(revealing, proved, almost, rows, ignored(revealing[:_NAMED])))
    warnings += _collinear(certificate, place, ignored)
    return warnings + _rare_categories(certificate, place)


def result_warnings(
    selection: Selection, cost: Cost | None, tested_by_all: str | None
) -> list[Warned]:
    """About the rule: is it better than always saying the same, and does it find all labels?
    `tested_by_all` says how every row becomes a test row."""
    if not selection.test_n:
        return []
    warnings = [*_no_better(selection, cost), *_copies(selection), *_unlike_validation(selection)]
    few = not selection.cv and selection.test_n <= _FEW_TEST_ROWS
    if tested_by_all is not None and few and warnings and warnings[0]["kind"] == "no better":
        warnings[0]["sentence"] += (
            f" Only {many(selection.test_n, 'row')} test it; with {tested_by_all} every row does."
        )
        warnings[0]["advice"] = {"cv": FOLDS}
    for label in selection.estimator.classes_:
        of = selection.labels == label
        rows, right = int(of.sum()), int((of & (selection.predictions == label)).sum())
        if rows and right <= rows * _MISSED:
            with_it = f"of {many(rows, 'test row')} with this label"
            sentence = f"{named(label)} is nearly always missed: {with_it} "
            sentence += f"the rule finds {right or 'none'}."
            advice = {}
            if selection.criterion.objective == "error":
                sentence += f" To weigh rare labels more: {option('class_weight', 'balanced')}."
                advice = {"class_weight": "balanced"}
            warnings.append(about("missed", sentence, **advice))
    return warnings


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


def _no_better(selection: Selection, cost: Cost | None) -> list[Warned]:
    """By what the rule was chosen by; a mean of the errors of each label is beaten by no label.

    A cost has no interval without an error: then that of the error decides.
    """
    n, objective = selection.test_n, selection.criterion.objective
    if objective == "balanced":
        return []
    if selection.interval is None:
        return []
    (lo, hi), always = selection.interval, selection.majority_errors / n
    label, what = str(selection.majority), "error"
    rates = [f"{rate:.1%}" for rate in (always, lo, hi)]
    wrong = f"is wrong in {rates[0]} of them"
    if objective == "cost" and cost is not None and cost["interval"] is not None:
        label = min(cost["always"], key=cost["always"].__getitem__)
        (lo, hi), always, what = cost["interval"], cost["always"][label] / n, "cost of a row"
        rates = [f"{a_row:.3g}" for a_row in (always, lo, hi)]
        wrong = f"costs {rates[0]} a row"
    if always < lo:
        more = "makes more errors" if what == "error" else "costs more"
        than = f"than always saying {named(label)} ({rates[0]})"
        return [about("worse", f"On the test rows the rule {more} {than}: do not rely on it.")]
    if always > hi:
        return []
    sentence = (
        f"The test rows do not show that the rule is better than always saying {named(label)}. "
        f"That {wrong}, which is inside the interval of the rule's {what}, {rates[1]} to "
        f"{rates[2]}."
    )
    return [about("no better", sentence)]


def _copies(selection: Selection) -> list[Warned]:
    if not (count := selection.copies_in_test):
        return []
    sentence = (
        f"{count:,} of {selection.test_n:,} test rows have the same values as a training row: too "
        "few different rows are left to keep equal ones in one part. The error on new rows may be "
        "higher."
    )
    return [about("repeated", sentence)]


def _unlike_validation(selection: Selection) -> list[Warned]:
    """Where the two intervals have nothing in common."""
    ends, expected = selection.interval, selection.validation_interval
    if ends is None or expected is None or (ends[0] <= expected[1] and expected[0] <= ends[1]):
        return []
    errors, n, winner = selection.test_errors, selection.test_n, selection.winner
    sentence = (
        f"The test error, {errors / n:.1%} ({errors:,} of {n:,} rows), is "
        f"{'above' if ends[0] > expected[1] else 'below'} what validation suggested: "
        f"{winner.validation_rate:.1%} ({winner.validation_errors:,} of {winner.validation_n:,}), "
        f"interval {expected[0]:.1%} to {expected[1]:.1%}. Another seed may give another rule: "
        f"compare a few with {option('random_state', selection.random_state + 1)}."
    )
    return [about("unlike validation", sentence, random_state=selection.random_state + 1)]


def about(kind: str, sentence: str, **advice: Any) -> Warned:
    """A warning that names no columns."""
    return {"kind": kind, "columns": [], "sentence": sentence, "advice": advice}


def _proved(
    certificate: Certificate | None, place: dict[str, str], counts: list[int]
) -> dict[str, int]:
    """Columns that have no row on the wrong side, not by chance: how many on the right one."""
    if certificate is None:
        return {}
    rows_by_column: dict[str, int] = {}
    for c in column_text.telling(certificate):
        if not by_chance(c.rows, counts, len(place)):
            name = place[c.column]
            rows_by_column[name] = max(c.rows, rows_by_column.get(name, 0))
    return rows_by_column


def _revealed(
    names: list[str], proved: dict[str, int], almost: dict[str, float], rows: int, ignored: str
) -> Warned:
    """Each of the first few with its own figures, those that tell the most first."""
    sure = sorted((n for n in names if n in proved), key=lambda n: -proved[n])
    facts = [
        f"{name} alone determines the label of {proved[name]:,} of {rows:,} rows without an error"
        for name in sure[:_FIGURES]
    ]
    unproved = [name for name in names if name not in proved]
    if unproved:
        wrong = [f"{name} alone is wrong in only {almost[name]:.1%} of rows" for name in unproved]
        facts.append(listed(wrong, _FIGURES))
    them = "it is recorded only after the label is known, leave it out"
    if len(names) > 1:
        them = "they are recorded only after the label is known, leave them out"
    sentence = f"Possible target leakage: {'; '.join(facts)}. If {them}: {ignored}."
    advice = {"ignore": names[:_NAMED]}
    return {"kind": "revealing", "columns": names, "sentence": sentence, "advice": advice}


def _collinear(
    certificate: Certificate | None, place: dict[str, str], ignored: Callable[[list[str]], str]
) -> list[Warned]:
    """Features that are combinations of others: their single weights mean nothing. To leave out a
    column is advised only where the others carry all of it."""
    relations = [c for c in ([] if certificate is None else certificate.collinear) if c.factors]
    columns = [{place[name] for name in (c.column, *c.factors)} for c in relations]
    computed = _computed(relations, place)
    sentences: list[str] = []
    said: dict[str, None] = {}
    told: dict[str, None] = {}
    for relation, among in zip(relations, columns, strict=True):
        own = place[relation.column]
        spare = [own, *(name for name in dict.fromkeys(place.values()) if name in among - {own})]
        name = next((name for name in spare if name in computed), None)
        if name is None:
            sentences.append(
                f"{relation} in every row (collinear): read their weights together, not singly."
            )
            told |= dict.fromkeys(spare)
        elif name not in said and not (among & said.keys() and among <= told.keys()):
            beside = set().union(*(some for some in columns if name in some)) - {name}
            others = [other for other in dict.fromkeys(place.values()) if other in beside]
            ways = [ignored([name])]
            if len(others) == 1 and others[0] in computed:
                ways.append(ignored(others))
            sentences.append(
                f"{name} can be computed from {listed(others, _NAMED)} (collinear): read their "
                f"weights together, not singly, or leave one out: {' or '.join(ways)}."
                if len(ways) > 1
                else f"{name} can be computed from {listed(others, _NAMED)} (collinear): leave it "
                f"out, {ways[0]}, or read their weights together, not singly."
            )
            said[name] = None
            told |= dict.fromkeys([name, *others])
    more = len(sentences) - _FIGURES
    sentences[_FIGURES:] = [f"{many(more, 'more relation', 'One')} like this."] if more > 0 else []
    if not sentences:
        return []
    advice = {"ignore": list(said)} if 0 < len(said) <= _FIGURES else {}
    sentence = " ".join(sentences)
    return [{"kind": "collinear", "columns": list(told), "sentence": sentence, "advice": advice}]


def _computed(relations: list[CollinearColumn], place: dict[str, str]) -> set[str]:
    """Columns of the table all of whose features are combinations of other columns' features."""
    alone = set()
    for relation in relations:
        names = (relation.column, *relation.factors)
        own = [place[name] for name in names]
        alone |= {name for name in names if own.count(place[name]) == 1}
    features: dict[str, list[str]] = {}
    for feature, column in place.items():
        features.setdefault(column, []).append(feature)
    return {column for column, of in features.items() if alone.issuperset(of)}


def _warned(kind: str, names: list[str], sentence: str, **advice: Any) -> Warned:
    verb = "is" if len(names) == 1 else "are"
    sentence = f"{listed(names, _NAMED)} {verb} {sentence}"
    return {"kind": kind, "columns": names, "sentence": sentence, "advice": advice}


def _constant(x: Any) -> bool:
    def same(x: Any) -> bool:
        values = x[~np.isnan(x)]
        return len(values) == 0 or bool((values == values[0]).all())

    return same(x[:_BEGIN]) and same(x)


def _like_row_numbers(x: Any, rows: int) -> bool:
    """Whole numbers without a repetition, close together: not measured, given."""
    n = len(x)
    if n < 20 or not bool((x[:_BEGIN] == np.floor(x[:_BEGIN])).all()):
        return False
    if np.isnan(x).any() or np.ptp(x) >= 2 * rows:
        return False
    return bool((x == np.floor(x)).all()) and len(np.unique(x)) == n


def _rare_categories(certificate: Certificate | None, place: dict[str, str]) -> list[Warned]:
    """All of whose rows have one label: a logistic regression would be sure of it."""
    rare = [] if certificate is None else column_text.rare(certificate)
    if certificate is None or not rare:
        return []
    sentence = " ".join(column_text.rare_lines(certificate))
    columns = list(dict.fromkeys(place[c.column] for c in rare))
    return [{"kind": "rare", "columns": columns, "sentence": sentence, "advice": {}}]
