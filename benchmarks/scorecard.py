"""Scorecards of five terms on the credit table, ten divisions of the rows, beside FasterRisk.

Both get the same terms (counts, yes or no, cuts at round deciles of the training rows) and points
from -5 to 5. FasterRisk asks for libraries of 2023, so that it is installed into an environment of
its own, in build/fasterrisk; with Python 3.12 and later it cannot be, and the table has ours alone.
Run with `python benchmarks/scorecard.py`.
"""

import json
import subprocess
import tempfile
import time
import venv
from pathlib import Path

import numpy as np
from minimum import credit
from run import machine
from sklearn.model_selection import train_test_split

from rosenblatt import Scorecard
from rosenblatt.scorecard import terms_of

SPLITS, TERMS = 10, 5
ELSEWHERE = Path(__file__).parents[1] / "build" / "fasterrisk"
PEER = """
import contextlib, io, json, sys, time
import numpy as np
from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

given, found = np.load(sys.argv[1]), []
for k in range(int(sys.argv[2])):
    Z, y, other, right = (given[f"{name}{k}"] for name in ("Z", "y", "other", "right"))
    begin = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        search = RiskScoreOptimizer(X=Z, y=y, k=int(sys.argv[3]))
        search.optimize()
        rule = RiskScoreClassifier(*search.get_models(model_index=0))
        seconds = time.perf_counter() - begin
        wrong = [float((rule.predict(A) != b).mean()) for A, b in ((Z, y), (other, right))]
    found.append([seconds, *wrong])
print(json.dumps(found))
"""


def divided():
    """Training and test rows of each division."""
    X, card = credit()
    X, y = X.to_numpy(), np.where(card == "yes", 1, -1)
    for seed in range(SPLITS):
        yield train_test_split(X, y, test_size=0.2, random_state=seed, stratify=y)


def ours():
    for X, other, y, right in divided():
        begin = time.perf_counter()
        card = Scorecard(TERMS).fit(X, y)
        seconds = time.perf_counter() - begin
        errors = card.bracket_[1] - card.bracket_[0]
        yield [seconds, 1 - card.score(X, y), 1 - card.score(other, right), errors]


def theirs():
    """None where it cannot be installed."""
    python = ELSEWHERE / "bin" / "python"
    if not python.exists():
        venv.create(ELSEWHERE, with_pip=True)
    quiet = [python, "-m", "pip", "install", "--quiet", "fasterrisk"]
    if subprocess.run(quiet, capture_output=True, check=False).returncode:
        return None
    given = {}
    for k, (X, other, y, right) in enumerate(divided()):
        terms = terms_of(X)
        for name, rows in (("Z", X), ("other", other)):
            values = [np.ones(len(rows)), *(term.values(rows) for term in terms)]
            given[f"{name}{k}"] = np.column_stack(values)
        given |= {f"y{k}": y, f"right{k}": right}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        np.savez(path, **given)
        command = [python, "-c", PEER, path, str(SPLITS), str(TERMS)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    print(machine())
    print("| | seconds, the slowest | training error | test error | above the proved bound |")
    print("|---|---|---|---|---|")
    found = np.array(list(ours()))
    mean = found.mean(axis=0)
    said = f"{mean[0]:.2f}, {found[:, 0].max():.2f} | {mean[1]:.1%} | {mean[2]:.1%}"
    print(f"| Scorecard | {said} | {mean[3]:.1f} errors |")
    peer = theirs()
    if peer is None:
        print("| FasterRisk | not installed: it needs Python 3.11 or older | | | |")
        return
    other = np.array(peer)
    its = other.mean(axis=0)
    said = f"{its[0]:.2f}, {other[:, 0].max():.2f} | {its[1]:.1%} | {its[2]:.1%}"
    print(f"| FasterRisk | {said} | – |")
    apart = 100 * (mean[2] - its[2])
    met = found[:, 0].max() <= 3 and apart <= 1
    print(
        f"\ntarget: 3 s, and 1 point of test error: {apart:+.1f} points, {'' if met else 'NOT '}met"
    )


if __name__ == "__main__":
    main()
