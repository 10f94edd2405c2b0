"""Every question of "Try it" has an answer, and training says that it is right.

Each answer is a sentence with numbers; what is trained here gives these numbers, and no others.
"""

import re
import warnings
from functools import cache

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron, certify, minimum_errors, trace
from rosenblatt.play.examples import examples
from rosenblatt.play.html_page import texts

ASKED = [name for name in examples() if name != "own"]


@cache
def rows(name):
    data = examples()[name]["data"]
    return np.reshape(data["x"], (len(data["y"]), -1)), np.array(data["y"])


@cache
def run(name, **choices):
    """As the page trains the example, with another choice or two."""
    return run_on(*rows(name), **settings(name) | choices)


def settings(name):
    chosen = examples()[name]["settings"]
    return {"order": chosen["order"], "keep": chosen["keep"]}


def run_on(X, y, **choices):
    usual = {"order": "cyclic", "keep": "last", "max_iter": 2000, "max_updates": 20000}
    kind = KernelPerceptron if "kernel" in choices else Perceptron
    p = kind(**{"random_state": 0, "patience": None} | usual | choices)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trace(p, X, y)


def updates(name, **choices):
    return run(name, **choices).estimator.n_updates_


def errors(name, **choices):
    return run(name, **choices).estimator.training_errors_


def gap(name, **choices):
    """The distance of the nearest point, as it is written."""
    X, y = rows(name)
    p = run(name, **choices).estimator
    return written((y * p.decision_function(X)).min() / np.linalg.norm(p.coef_))


def bound(X, y):
    return certify(X, y).best_possible_mistake_bound


def written(value):
    return float(f"{value:.2f}")


def moved(name, row, to):
    X, y = rows(name)
    X = X.copy()
    X[row] = to
    return X, y


def numbers(text):
    """Those of a text, without years, powers and the numbers in formulas."""
    plain = re.sub(r"R²/γ²|\bb = 0|w = 0", "", text)
    found = re.findall(r"(?<![\w/])-?\d[\d,]*(?:\.\d+)?(?:/\d+)?", plain)
    return [v if "/" in v else float(v.replace(",", "").rstrip(".")) for v in found]


def answer(name, k):
    return numbers(texts("en")[f"tour.{name}.a{k}"])


def test_every_example_has_three_questions_and_their_answers():
    known = texts("en")
    for name in examples():
        wanted = {
            f"tour.{name}.{part}"
            for part in ("intro", *(f"{s}{k}" for s in "qa" for k in (1, 2, 3)))
        }
        assert wanted <= set(known)


def test_the_swing():
    X, y = rows("swing")
    assert answer("swing", 1) == [
        updates("swing"),
        0,
        updates("swing", order="shuffle"),
        bound(X, y),
    ]
    best = written(certify(X, y).geometric_margin.lo)
    wide = updates("swing", margin=10)
    assert answer("swing", 2) == [
        wide,
        gap("swing", margin=10),
        gap("swing"),
        best,
        2,
        gap("swing", margin=2),
    ]
    assert answer("swing", 3) == [gap("swing", keep="average"), gap("swing")]


def test_the_example_of_the_book():
    X, y = rows("lihang")
    t = run("lihang")
    assert numbers(texts("en")["tour.lihang.intro"])[-1] == len(t) == 7
    assert (t.row[0], t.score[0]) == (0, 0)
    found = []
    for seed in (0, 1):
        p = run("lihang", order="random", random_state=seed).estimator
        found += [seed, p.n_updates_, *p.coef_[0]]
    assert answer("lihang", 2) == [*found, bound(X, y)]
    near = moved("lihang", 2, (2, 2))
    changed = [bound(X, y), bound(*near), updates("lihang"), len(run_on(*near))]
    assert answer("lihang", 3) == changed


def test_a_tiny_gap():
    X, y = rows("tiny")
    assert X[2, 1] - X[0, 1] == 1 / 32
    assert answer("tiny", 1) == [bound(X, y), updates("tiny")]
    made = []
    for high in (1 / 32, 1 / 16, 1 / 8):
        wider = np.where((X > 0) & (np.arange(2) == 1), high, X)
        made.append(len(run_on(wider, y)))
    assert answer("tiny", 2) == made
    assert made[0] / made[1] == pytest.approx(4, abs=0.1)
    batch = run("tiny", order="batch").estimator
    shuffled = updates("tiny", order="shuffle")
    assert answer("tiny", 3) == [shuffled, batch.n_updates_, batch.training_errors_]


def test_xor():
    X, y = rows("xor")
    assert (np.sign(X.prod(axis=1)) == y).all()
    t = run("xor", max_iter=2)
    lifted = np.column_stack([X, np.ones(4)])
    w = np.vstack([np.zeros(3), np.cumsum(y[t.row, None] * lifted[t.row], axis=0)])
    asked = numbers(texts("en")["tour.xor.q1"])
    assert asked + answer("xor", 1) == [7, 3]
    assert w[7].tolist() == w[3].tolist()
    assert len(t) == 7  # update 3 and update 7 are the last ones of their epochs
    assert t.estimator.mistakes_.tolist() == [3, 4]
    c = certify(X, y)
    assert c.verdict == "overlap"
    kernel = run("xor", kernel="poly", degree=2, gamma=1.0).estimator
    assert kernel.converged_
    assert answer("xor", 3) == [kernel.n_updates_]


def test_clouds_that_overlap():
    assert answer("overlap", 1) == [errors("overlap", keep="last")]
    fewest = minimum_errors(*rows("overlap"))
    assert answer("overlap", 2) == [errors("overlap")] == [fewest.lower] == [fewest.upper]
    best = errors("overlap", keep="best")
    assert answer("overlap", 3) == [errors("overlap", keep="average"), best]


def test_three_groups():
    t = run("three")
    X, y = rows("three")
    assert t.estimator.converged_
    row, rival = t.row[0], t.rival[0]
    before, after = np.zeros((3, 2)), np.zeros((3, 2))
    after[y[row]] += X[row]
    after[rival] -= X[row]
    assert {int(c) for c in np.flatnonzero((before != after).any(axis=1))} == {
        int(y[row]),
        int(rival),
    }
    assert numbers(texts("en")["tour.three.q3"]) == [0.5, 2.5]
    c = certify(*moved("three", 6, (0.5, 2.5)))
    assert c.verdict == "quasi-complete separation"
    apart = {(p.first, p.second): p.separated == p.rows for p in c.class_pairs}
    assert apart == {("0", "1"): True, ("0", "2"): False, ("1", "2"): True}


def test_two_species_of_iris():
    X, y = rows("iris")
    rest = np.delete(np.arange(100), 41)
    c, without = certify(X, y), certify(X[rest], y[rest])
    assert answer("iris", 1) == [
        written(c.geometric_margin.lo),
        *X[41],
        written(without.geometric_margin.lo),
        len(run_on(X[rest], y[rest])),
    ]
    centred = X - np.round(X.mean(axis=0) * 64) / 64
    fewer = [len(run_on(centred, y)), bound(X, y), bound(centred, y)]
    assert answer("iris", 2) == fewer
    assert numbers(texts("en")["tour.iris.q2"]) == [updates("iris")]
    counts = run("iris").estimator.update_counts_
    found = [(counts > 0).sum(), 100, counts.argmax(), counts.max(), updates("iris")]
    assert answer("iris", 3) == found


def test_three_species_of_iris():
    X, y = rows("species")
    c = certify(X, y)
    apart = {(p.first, p.second): p.separated == p.rows for p in c.class_pairs}
    assert [pair for pair, done in apart.items() if not done] == [("1", "2")]
    same = {tuple(x) for x in X[y == 1]} & {tuple(x) for x in X[y == 2]}
    assert same
    wrong = []
    for keep in ("best", "last"):
        p = run("species", keep=keep).estimator
        predicted = p.predict(X)
        assert set(y[predicted != y]) == {1}
        wrong.append((predicted != y).sum())
    assert answer("species", 2) == wrong
    t = run("species")
    last = t.visit[y[t.row] == 0].max() // 150 + 1
    assert answer("species", 3) == [last, t.estimator.n_iter_]
    assert (t.rival == 0).any()


def test_credit_cards():
    X, y = rows("credit")
    assert certify(X, y).verdict == "overlap"
    assert answer("credit", 2) == [
        *(errors("credit", keep=keep) for keep in ("best", "average", "last")),
        (y < 0).sum(),
    ]
