"""Warnings about columns: target leakage, identifiers, collinear, constant and rare ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt._certify import column_text
from rosenblatt._study.telling_columns import Telling, by_chance, telling_columns
from rosenblatt._util.spelling import option
from rosenblatt._util.text import listed, many, named

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._certify.parts import CollinearColumn
    from rosenblatt._study.reading import Read
    from rosenblatt.data import Preprocessing
    from rosenblatt.report.document import Warned

_COUNTED = 100_000  # rows whose different values are counted
_BEGIN = 1000  # rows that are looked at first: most columns need no more
_NAMED = 10  # columns that are named
_LEVELS = 20  # of a column, whose values may be those of groups of rows
_FIGURES = 3  # of them with figures of their own


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
    X, preprocessing = preprocessing.head(X), preprocessing.without_prose()
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
    row_numbers = like_row_numbers(X, preprocessing, rows, ignored)
    warnings += row_numbers
    returning = [name for j, name in numbers if _returns(X[:, j])][:_FIGURES]
    if returning:
        sentence = "a different large whole number in nearly every row, like an identifier that "
        sentence += f"some rows share. If so, keep these together, {option('groups', returning[0])}"
        sentence += f", or leave it out: {ignored(returning)}."
        warnings.append(_warned("like groups", returning, sentence))
    identifiers = {name for warned in row_numbers for name in warned["columns"]}
    proved = _proved(certificate, place, np.unique(y, return_counts=True)[1].tolist())
    almost = telling_columns(X, y, preprocessing)
    telling = almost.keys() | proved.keys()
    # in the order of the table; row numbers of a sorted table would tell, too
    revealing = [name for name in preprocessing.inputs if name in telling - identifiers]
    if revealing:
        warned = _revealed(revealing, proved, almost, rows)
        if len(revealing) < len(read.preprocessing.columns):
            warned["sentence"] += f": {ignored(revealing[:_NAMED])}."
            warned["advice"] = {"ignore": revealing[:_NAMED]}
        else:
            warned["sentence"] += ". No other column would be left."
        warnings += [warned, *_like_groups(revealing, place)]
    warnings += _collinear(certificate, place, ignored)
    return warnings + _rare_categories(certificate, place)


def _like_groups(names: list[str], place: dict[str, str]) -> list[Warned]:
    """Of columns that almost tell the label: many values may stand for persons."""
    levels = Counter(place.values())
    some = [name for name in names if levels[name] >= _LEVELS][:1]
    return [
        _warned(
            "like groups",
            [name],
            "text with many values. If each stands for a person or a place with several rows, and "
            f"new rows come from others, keep the rows of each together: {option('groups', name)}.",
        )
        for name in some
    ]


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
    names: list[str], proved: dict[str, int], almost: dict[str, Telling], rows: int
) -> Warned:
    """Each of the first few with its own figures, those that tell the most first."""
    sure = sorted((n for n in names if n in proved), key=lambda n: -proved[n])
    facts = [
        f"{name} alone determines the label of {proved[name]:,} of {rows:,} rows without an error"
        for name in sure[:_FIGURES]
    ]
    unproved = [name for name in names if name not in proved]
    if unproved:
        facts.append(listed([_almost(name, almost[name]) for name in unproved], _FIGURES))
    them = "it is recorded only after the label is known, leave it out"
    if len(names) > 1:
        them = "they are recorded only after the label is known, leave them out"
    sentence = f"Possible target leakage: {'; '.join(facts)}. If {them}"
    return {"kind": "revealing", "columns": names, "sentence": sentence, "advice": {}}


def _almost(name: str, alone: Telling) -> str:
    if alone == (0, None):
        return f"{name} alone determines the label of every row"
    if alone.label is None:
        return f"{name} alone is wrong in only {alone.error:.1%} of rows"
    whom = f"{named(str(alone.label))} from all other labels"
    return f"{name} alone tells {whom}, wrong in only {alone.error:.1%} of rows"


def _collinear(
    certificate: Certificate | None, place: dict[str, str], ignored: Callable[[list[str]], str]
) -> list[Warned]:
    """Features that are combinations of others: their single weights mean nothing. To leave out a
    column is advised only where the others carry all of it."""
    relations = [c for c in ([] if certificate is None else certificate.collinear) if c.factors]
    columns = [{place[name] for name in (c.column, *c.factors)} for c in relations]
    computed = _computed(relations, place)
    sentences: list[str] = []
    left_out: dict[str, None] = {}
    mentioned: dict[str, None] = {}
    for relation, among in zip(relations, columns, strict=True):
        own = place[relation.column]
        spare = [own, *(name for name in dict.fromkeys(place.values()) if name in among - {own})]
        name = next((name for name in spare if name in computed), None)
        if name is None:
            sentences.append(
                f"{relation} in every row (collinear): read their weights together, not singly."
            )
            mentioned |= dict.fromkeys(spare)
        elif name not in left_out and not (among & left_out.keys() and among <= mentioned.keys()):
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
            left_out[name] = None
            mentioned |= dict.fromkeys([name, *others])
    more = len(sentences) - _FIGURES
    sentences[_FIGURES:] = [f"{many(more, 'more relation', 'One')} like this."] if more > 0 else []
    if not sentences:
        return []
    advice = {"ignore": list(left_out)} if 0 < len(left_out) <= _FIGURES else {}
    names, sentence = list(mentioned), " ".join(sentences)
    return [{"kind": "collinear", "columns": names, "sentence": sentence, "advice": advice}]


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


def like_row_numbers(
    X: Any, preprocessing: Preprocessing, rows: int, ignored: Callable[[list[str]], str]
) -> list[Warned]:
    """`X` begins with the features of `preprocessing`, and may hold some of the rows."""
    places = places_of_row_numbers(X, preprocessing, rows)
    names = [preprocessing.feature_names[j] for j in places]
    if not names:
        return []
    everywhere = "in every row" if len(X) == rows else f"in all of {len(X):,} rows looked at"
    some = names[:_NAMED]
    say = f"different {everywhere}, like a row number. Leave identifiers out: {ignored(some)}."
    return [_warned("identifier", names, say, ignore=some)]


def places_of_row_numbers(X: Any, preprocessing: Preprocessing, rows: int) -> list[int]:
    dates = {name for column in preprocessing.numbers if column.measure for name in column.features}
    names = preprocessing.feature_names
    places = preprocessing.number_places
    return [j for j in places if names[j] not in dates and _counted_on(X[:, j], rows)]


def _counted_on(x: Any, rows: int) -> bool:
    """Whole numbers without a repetition, close together: not measured, given."""
    n = len(x)
    if n < 20 or not bool((x[:_BEGIN] == np.floor(x[:_BEGIN])).all()):
        return False
    if np.isnan(x).any() or np.ptp(x) >= 2 * rows:
        return False
    return bool((x == np.floor(x)).all()) and len(np.unique(x)) == n


_DIFFERENT = 0.9  # of the values of an identifier that comes back
_LONG = 100_000  # as the numbers of persons, and not most amounts
_ROUND = 0.2  # amounts end in 0 more often


def _returns(x: Any) -> bool:
    """Large whole numbers, few of them twice and few of them round."""
    x = x[:_COUNTED]
    if len(x) < 50 or not bool((x == np.floor(x)).all()) or x.min() < _LONG:  # NaN: not whole
        return False
    different = len(np.unique(x))
    return _DIFFERENT * len(x) <= different < len(x) and bool((x % 10 == 0).mean() <= _ROUND)


def _rare_categories(certificate: Certificate | None, place: dict[str, str]) -> list[Warned]:
    """All of whose rows have one label: a logistic regression would be sure of it."""
    rare = [] if certificate is None else column_text.rare(certificate)
    if certificate is None or not rare:
        return []
    sentence = " ".join(column_text.rare_lines(certificate))
    columns = list(dict.fromkeys(place[c.column] for c in rare))
    return [{"kind": "rare", "columns": columns, "sentence": sentence, "advice": {}}]
