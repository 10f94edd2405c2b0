"""The rule that `rosenblatt.study` writes, beside LogisticRegression on the same rows.

The study divides a table, chooses, and learns again from its training and validation rows; the
peers learn from exactly these, encoded from these alone, and both are tested on the same test rows.
"""

import sys
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from accuracy_rules import AT_REST, TUNED
from accuracy_tables import Table, drawn, encoded, tables, weighed
from threadpoolctl import threadpool_limits

import rosenblatt

PEERS = {name: AT_REST[name] for name in ("LogisticRegression", TUNED)}
STUDIES: dict[str, dict[str, Any]] = {
    "study": {},
    "study, linear only": {"linear_only": True},
}
TARGETS = {"study": 0.0, "study, linear only": 0.0}
"""Points that the mean error may be above that of the tuned LogisticRegression; none may be more
than two above it on a table."""
MOST_BEHIND = 2.0


class Measured(NamedTuple):
    names: list[tuple[str, int, int]]  # of tables; their rows and classes
    errors: np.ndarray  # in %, by table, seed and rule


def measured(arguments: Any) -> Measured:
    names, errors, began = [], [], time.monotonic()
    for table in tables(arguments.folder):
        if table.encoder is weighed:  # the same texts once more: a study counts their words
            continue
        if arguments.seconds and time.monotonic() - began > arguments.seconds:
            print(f"(left out, no time: {table.name})")
            continue
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            warnings.simplefilter("ignore")
            found = [_errors(table, s, arguments) for s in range(arguments.seeds)]
        rows = min(len(table.y), arguments.rows, table.rows_at_most or arguments.rows)
        names.append((table.name, rows, len(np.unique(table.y))))
        errors.append(found)
        shown = " ".join(f"{error:.2f}" for error in np.mean(found, axis=0))
        print(f"{table.name}: {shown}", file=sys.stderr, flush=True)
    return Measured(names, np.array(errors))


def studies(arguments: Any) -> dict[str, dict[str, Any]]:
    return {name: STUDIES[name] for name in arguments.only or STUDIES}


def _errors(table: Table, seed: int, arguments: Any) -> list[float]:
    """Of the studies, then of the peers."""
    places = drawn(table, seed, arguments.rows)
    found = [_study(table, places, seed, given) for given in studies(arguments).values()]
    learned, test = found[0].selection.fitted_on, found[0].selection.test
    for other in found[1:]:
        assert np.array_equal(other.selection.fitted_on, learned)
        assert np.array_equal(other.selection.test, test)
    errors = [100 * study.selection.test_errors / len(test) for study in found]
    part = encoded(table, places[learned], places[test])
    for peer in PEERS.values():
        wrong = peer(seed, None).fit(part.X, part.y).predict(part.X_test) != part.y_test
        errors.append(100 * float(np.mean(wrong)))
    return errors


def _study(table: Table, places: Any, seed: int, given: dict[str, Any]) -> Any:
    """As a person would call it, gaps filled as for the peers; the verdict is not what is measured
    here."""
    same: dict[str, Any] = {
        "random_state": seed,
        "comparison": False,
        "impute": "mean",
        "time_limit": 0.1,
    }
    if isinstance(table.rows, pd.DataFrame):
        rows = table.rows.iloc[places]
    else:
        rows, same["text"] = pd.DataFrame({"text": np.array(table.rows, object)[places]}), "text"
    return rosenblatt.study(rows, table.y[places], **same, **given)


def report(found: Measured, tried: Any) -> None:
    """Markdown: mean errors, differences by pairs with their standard errors, errors by table."""
    rules = [*tried, *PEERS]
    of_peer = found.errors[:, :, rules.index(TUNED)]
    print("\n| rule | mean error | beside LogisticRegression, tuned |")
    print("|---|---|---|")
    for k, name in enumerate(rules):
        by_pair = (found.errors[:, :, k] - of_peer).ravel()
        beside = f"{by_pair.mean():+.2f} ± {by_pair.std(ddof=1) / np.sqrt(by_pair.size):.2f}"
        print(f"| {name} | {found.errors[:, :, k].mean():.2f} | {beside} |")
    print()
    for name in tried:
        beside = found.errors[:, :, rules.index(name)] - of_peer
        mean, worst = float(beside.mean()), float(beside.mean(axis=1).max())
        most = TARGETS[name]
        verdict = "met" if mean <= most and worst <= MOST_BEHIND else "**missed**"
        print(
            f"- {name}: {mean:+.2f} points, at worst {worst:+.2f} on a table "
            f"(target: at most {most} and {MOST_BEHIND}): {verdict}"
        )
    print(f"\n| table | rows | classes | {' | '.join(rules)} |")
    print("|---|---|---|" + "---|" * len(rules))
    for (name, rows, k), errors in zip(found.names, found.errors.mean(axis=1), strict=True):
        print(f"| {name} | {rows} | {k} | {' | '.join(f'{e:.1f}' for e in errors)} |")
