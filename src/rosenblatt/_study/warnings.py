"""What a person should look at before believing an error: columns that tell too much or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rosenblatt._proof import column_words

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._study.document import Warned
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Selection

_LOOKED_AT = 50_000  # rows that are sorted by every column
_TELLING = 10  # a column is suspect if alone it makes so many times fewer errors than none
_RARE = 0.05
_BEGIN = 1000  # rows that are looked at first: most columns need no more
_NAMED = 10  # columns that are told about


def column_warnings(
    X: Any,
    y: Any,
    encoding: Encoding | None,
    certificate: Certificate | None,
    rows: int,
    ignored: Callable[[list[str]], str],
) -> list[Warned]:
    """About the columns of the table; X and y are these `rows`, or a sample of them.

    `ignored` tells how to leave columns out.
    """
    if encoding is None:  # sparse rows: thousands of columns without names
        return []
    place = {}  # from features to columns of the table
    for column in encoding.columns:
        place.update(dict.fromkeys(column.features, column.name))
    names = encoding.feature_names
    numbers = [(j, names[j]) for j in encoding.number_places]
    found: list[Warned] = []
    everywhere = "in every row" if len(y) == rows else f"in all of {len(y):,} rows looked at"
    constant = [name for j, name in numbers if _constant(X[:, j])]
    if constant:
        found.append(_warned("constant", constant, f"the same {everywhere}: tells nothing."))
    identifiers = [name for j, name in numbers if _like_row_numbers(X[:, j], rows)]
    if identifiers:
        say = f"different {everywhere}, like row numbers. An identifier? Try "
        found.append(_warned("identifier", identifiers, f"{say}{ignored(identifiers[:_NAMED])}."))
    telling = {place[name] for name in _telling(X, y, names)}
    telling |= {place[name] for name in _revealing(certificate)}
    # in the order of the table; row numbers of a sorted table would tell, too
    revealing = [name for name in encoding.inputs if name in telling - set(identifiers)]
    if revealing:
        found.append(_revealed(revealing, certificate, place, ignored(revealing[:_NAMED])))
    return found + _rare_categories(certificate, place)


def result_warnings(selection: Selection, counts: dict[str, int]) -> list[Warned]:
    """About the rows and the rule."""
    found: list[Warned] = []
    rare = min(counts, key=lambda label: counts[label])
    share = counts[rare] / sum(counts.values())
    if share < _RARE:
        found.append(
            {
                "kind": "imbalance",
                "columns": [],
                "sentence": f"Only {share:.1%} of the rows are {rare}: always "
                f"{selection.majority} is hardly ever wrong, so look at the errors of each label.",
            }
        )
    guesses = [c for c in selection.candidates[1:] if c.baseline]
    if any(c.validation_errors < selection.winner.validation_errors for c in guesses):
        found.append(
            {
                "kind": "luck",
                "columns": [],
                "sentence": "The best of some random hyperplanes had fewer validation errors than "
                "the chosen rule: what it learned is little. More rows or other columns may help.",
            }
        )
    if selection.test_n and selection.test_errors >= selection.majority_errors:
        found.append(
            {
                "kind": "no better",
                "columns": [],
                "sentence": f"The rule is no better on the test rows than always saying "
                f"{selection.majority}: what it learned does not carry over.",
            }
        )
    return found


def _revealed(
    names: list[str], certificate: Certificate | None, place: dict[str, str], ignored: str
) -> Warned:
    sure = {place[c.column]: c for c in (column_words.telling(certificate) if certificate else [])}
    proved = [sure[name] for name in names if name in sure]
    if proved and certificate is not None:
        most = max(proved, key=lambda c: c.rows)
        say = (
            f"{most.column} alone has {most.rows:,} of {certificate.n_rows:,} rows on the right "
            "side and none on the wrong one"
        )
    else:
        say = f"{names[0]} alone almost tells the label"
    sentence = (
        f"{say}. Possible target leakage: is it recorded only after the decision? Try {ignored}."
    )
    return {"kind": "revealing", "columns": names, "sentence": sentence}


def _warned(kind: str, names: list[str], sentence: str) -> Warned:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    verb = "is" if len(names) == 1 else "are"
    listed = ", ".join(names[:_NAMED])
    return {"kind": kind, "columns": names, "sentence": f"{listed}{more} {verb} {sentence}"}


def _constant(x: Any) -> bool:
    import numpy as np

    def same(x: Any) -> bool:
        seen = x[~np.isnan(x)]
        return len(seen) == 0 or bool((seen == seen[0]).all())

    return same(x[:_BEGIN]) and same(x)


def _like_row_numbers(x: Any, rows: int) -> bool:
    """Whole numbers without a repetition, close together: not measured, given."""
    import numpy as np

    n = len(x)
    if n < 20 or not bool((x[:_BEGIN] == np.floor(x[:_BEGIN])).all()):
        return False
    if np.isnan(x).any() or np.ptp(x) >= 2 * rows:
        return False
    return bool((x == np.floor(x)).all()) and len(np.unique(x)) == n


def _revealing(certificate: Certificate | None) -> list[str]:
    if certificate is None:
        return []
    return [c.column for c in column_words.telling(certificate)]


def _rare_categories(certificate: Certificate | None, place: dict[str, str]) -> list[Warned]:
    """All of whose rows have one label: a logistic regression would be sure of it."""
    found = [] if certificate is None else column_words.rare(certificate)
    if certificate is None or not found:
        return []
    said = " ".join(column_words.rare_lines(certificate))
    columns = list(dict.fromkeys(place[c.column] for c in found))
    return [{"kind": "rare", "columns": columns, "sentence": said}]


def _telling(X: Any, y: Any, names: list[str]) -> list[str]:
    """Features that with one threshold make far fewer errors than the larger class."""
    import numpy as np

    step = -(-len(y) // _LOOKED_AT)
    X, positive = X[::step], (y == np.unique(y)[1])[::step]
    n, ones = len(positive), int(positive.sum())
    limit = min(ones, n - ones) / _TELLING
    found = []
    for j, name in enumerate(names):
        order = np.argsort(X[:, j], kind="stable")
        x, below = X[order, j], np.cumsum(positive[order])
        last = np.append(x[1:] != x[:-1], True)  # a threshold does not divide equal values
        # below the threshold "no", above it "yes": wrong are the ones below and the zeros above
        wrong = (below + (n - ones) - (np.arange(1, n + 1) - below))[last]
        if min(wrong.min(), (n - wrong).min()) <= limit:
            found.append(name)
    return found
