"""Test errors on real tables, beside the peers: after one pass, after ten, and at their own stop.

    python benchmarks/accuracy.py [FOLDER] [--seeds 10] [--rows 10000] [--study] [--only NAME ...]

On every table and seed all rules learn from the same three quarters of the rows, encoded from these
rows alone, and are tested on the rest. Prints Markdown: mean errors, paired differences with their
standard errors, and the errors by table. FOLDER holds further CSV files (`accuracy_tables.py`).
With --study it is the rule that `rosenblatt.study` writes, beside LogisticRegression on the rows
that it learned from (`accuracy_study.py`).
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import accuracy_study
import numpy as np
from accuracy_rules import AROW, AVERAGE_WITH_MARGIN, PASSES, PEERS, PENALTY, TUNED, rules
from accuracy_tables import split, tables
from run import machine
from threadpoolctl import threadpool_limits


def measured(arguments):
    """Test errors in %, by table, seed and rule; and the names of tables and rules."""
    tried = list(rules())
    if arguments.only:
        tried = [r for r in tried if any(name in r[0] for name in arguments.only)]
    names, errors, began = [], [], time.monotonic()
    for table in tables(arguments.folder):
        if arguments.seconds and time.monotonic() - began > arguments.seconds:
            print(f"(left out, no time: {table.name})")
            continue
        of_table = []
        for seed in range(arguments.seeds):
            part = split(table, seed, arguments.rows)
            of_table.append([error(rule(seed, passes), part) for _, passes, rule in tried])
        n, d = part.X.shape[0] + part.X_test.shape[0], part.X.shape[1]
        names.append((table.name, n, d, len(np.unique(table.y))))
        errors.append(of_table)
        print(f"{table.name}: {n} x {d}", file=sys.stderr, flush=True)
    return names, [(name, passes) for name, passes, _ in tried], np.array(errors)


def error(estimator, part):
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")  # few passes are what is wanted
        wrong = estimator.fit(part.X, part.y).predict(part.X_test) != part.y_test
    return 100 * np.mean(wrong)


def paired(errors, a, b):
    """The mean difference over tables and seeds, and its standard error."""
    differences = (errors[:, :, a] - errors[:, :, b]).ravel()
    return differences.mean(), differences.std(ddof=1) / np.sqrt(len(differences))


def shown(difference):
    return f"{difference[0]:+.2f} ± {difference[1]:.2f}"


def overview(keys, errors):
    """Mean errors, and how far they are from those of the tuned logistic regression."""
    reference = keys.index((TUNED, None)) if (TUNED, None) in keys else None
    print("\n| rule | 1 pass | 10 passes | own stop | beside tuned LogisticRegression |")
    print("|---|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in keys):
        found = {passes: k for k, (other, passes) in enumerate(keys) if other == name}
        means = [
            f"{errors[:, :, found[p]].mean():.2f}" if p in found else "" for p in (*PASSES, None)
        ]
        last = found.get(10, found.get(None))
        beside = "" if reference in (None, last) else shown(paired(errors, last, reference))
        print(f"| {name} | {' | '.join(means)} | {beside} |")


def by_table(names, keys, errors):
    """After ten passes, or at their own stop."""
    some = [k for k, (_, passes) in enumerate(keys) if passes != PASSES[0]]
    print("\n| table | rows | columns | classes | " + " | ".join(keys[k][0] for k in some) + " |")
    print("|---|---|---|---|" + "---|" * len(some))
    for (name, n, d, k), of_table in zip(names, errors.mean(axis=1), strict=True):
        cells = " | ".join(f"{value:.1f}" for value in of_table[some])
        print(f"| {name} | {n} | {d} | {k} | {cells} |")


def head(key):
    name, passes = key
    return name if passes is None else f"{name}, {passes}"


def targets(keys, errors):
    """What is promised, each with what was found."""
    for ours, passes, peers, most in (
        (AVERAGE_WITH_MARGIN, 10, [(TUNED, None)], 0.2),
        (PENALTY, None, [(TUNED, None)], 0.0),
        (AROW, 1, [(name, 1) for name in PEERS], 0.3),
    ):
        at_hand = [key for key in peers if key in keys]
        if (ours, passes) not in keys or not at_hand:
            continue
        best = min(at_hand, key=lambda key: errors[:, :, keys.index(key)].mean())
        found = paired(errors, keys.index((ours, passes)), keys.index(best))
        verdict = "met" if found[0] <= most + found[1] else "**missed**"
        print(
            f"- {head((ours, passes))} beside {head(best)}: {shown(found)} points "
            f"(target: at most {most} and a standard error above): {verdict}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="of further CSV files")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=10_000, help="at most so many of a table")
    parser.add_argument("--study", action="store_true", help="the rule of rosenblatt.study instead")
    parser.add_argument("--only", nargs="*", help="rules, or with --study studies, so named")
    parser.add_argument("--seconds", type=float, help="begin no table after so many")
    arguments = parser.parse_args()
    if arguments.study:
        found = accuracy_study.measured(arguments)
        print(f"\n{machine()}: {len(found.names)} tables, {arguments.seeds} seeds; errors in %.")
        accuracy_study.report(found, accuracy_study.studies(arguments))
        return
    names, keys, errors = measured(arguments)
    print(f"\n{machine()}: {len(names)} tables, {arguments.seeds} seeds; test errors in %.")
    overview(keys, errors)
    print()
    targets(keys, errors)
    by_table(names, keys, errors)


if __name__ == "__main__":
    main()
