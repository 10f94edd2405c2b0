"""The verdict of the page is the one of `certify`: exactly, on sets of every degenerate kind."""

from fractions import Fraction

import numpy as np
import pytest

import playing
from rosenblatt import certify

STATUS = {
    "complete separation": "separable",
    "quasi-complete separation": "quasi",
    "overlap": "overlap",
}
ENTRY = """
import { verdict } from "./verdict.js";
import { whole, ratio } from "./systems.js";
export const verdicts = (asked) => asked.map(({ x, y, n, d, k, intercept, margin }) => {
  const rows = { x: Float64Array.from(x), y: Int8Array.from(y), n, d, k };
  const found = verdict(rows, intercept, margin);
  return { ...found, bound: found.bound === undefined ? null : String(found.bound) };
});
export const back = (values) => {
  const { values: found, scale } = whole(values);
  return found.map((v) => ratio(v, scale));
};
"""


def asked(X, y, intercept=True, margin=0.0, k=2):
    X = np.asarray(X, dtype=float)
    return {
        "k": k,
        "x": X.ravel().tolist(),
        "y": np.asarray(y).tolist(),
        "n": len(X),
        "d": X.shape[1],
        "intercept": intercept,
        "margin": margin,
    }


def random_set(rng):
    """Few points on a coarse grid, where ties and touching hulls are common, or any floats."""
    n, d = int(rng.integers(2, 14)), int(rng.integers(1, 5))
    if rng.random() < 0.7:
        X = rng.integers(-3, 4, size=(n, d)) / rng.choice([1, 4, 64])
    else:
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    y = np.where(X @ rng.normal(size=d) + rng.normal() / 2 > 0, 1, -1)
    if rng.random() < 0.5:
        y[rng.integers(n)] *= -1
    y[:2] = rng.choice([(-1, 1), (1, -1)], axis=0) if n > 2 else (-1, 1)
    return X, y, bool(rng.random() < 0.7)


@pytest.fixture(scope="module")
def page(browser):
    return playing.opened(browser, ENTRY)


def verdicts(page, questions):
    return page.evaluate("(asked) => play.verdicts(asked)", questions)


def test_the_verdict_is_the_certified_one(page, heavy):
    rng = np.random.default_rng(11)
    sets = [random_set(rng) for _ in range(heavy(2000))]
    found = verdicts(page, [asked(*some) for some in sets])
    seen = set()
    for (X, y, intercept), its in zip(sets, found, strict=True):
        ours = certify(X, y, fit_intercept=intercept)
        seen.add(its["status"])
        assert its["status"] == STATUS[ours.verdict]
        if its["status"] == "separable":
            assert int(its["bound"]) == ours.best_possible_mistake_bound
            assert its["gamma"] == pytest.approx(ours.homogeneous_margin.lo, rel=1e-9)
            if its["geometric"]:
                assert its["geometric"]["margin"] == pytest.approx(
                    ours.geometric_margin.lo, rel=1e-9
                )
                check_line(X, y, its["geometric"])
        else:
            check_conflict(X, y, intercept, its["conflict"])
            assert its.get("separated", []) == ours.separated_rows.tolist()
    assert seen == {"separable", "quasi", "overlap"}


def check_line(X, y, line):
    """Every row is as far away as the margin says, at least."""
    w, b = np.array(line["w"][:-1]), line["w"][-1]
    far = y * (X @ w + b) / np.linalg.norm(w)
    assert far.min() == pytest.approx(line["margin"], rel=1e-6)


def check_conflict(X, y, intercept, conflict):
    """In fractions: the blend is zero, and no row of it can be left out."""
    shares = [int(v) for v in conflict["shares"]]
    assert min(shares) > 0
    assert len(shares) <= X.shape[1] + 1 + intercept
    lifted = [
        [int(y[i]) * Fraction(v) for v in [*X[i].tolist(), *([1] * intercept)]]
        for i in conflict["rows"]
    ]
    assert [
        sum(s * v for s, v in zip(shares, c, strict=True)) for c in zip(*lifted, strict=True)
    ] == [0] * len(lifted[0])


def random_classes(rng):
    """The same of three or four classes."""
    n, d, k = int(rng.integers(4, 14)), int(rng.integers(1, 4)), int(rng.integers(3, 5))
    if rng.random() < 0.7:
        X = rng.integers(-3, 4, size=(n, d)) / rng.choice([1, 4, 64])
    else:
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    y = (X @ rng.normal(size=(d, k)) + rng.normal(size=k)).argmax(axis=1)
    if rng.random() < 0.5:
        y[rng.integers(n)] = rng.integers(k)
    y[:k] = rng.permutation(k)
    return X, y, bool(rng.random() < 0.7), k


def test_the_verdict_on_many_classes_is_the_certified_one(page, heavy):
    rng = np.random.default_rng(12)
    sets = [random_classes(rng) for _ in range(heavy(1000))]
    found = verdicts(page, [asked(X, y, intercept, k=k) for X, y, intercept, k in sets])
    seen = set()
    for (X, y, intercept, k), its in zip(sets, found, strict=True):
        ours = certify(X, y, fit_intercept=intercept)
        seen.add(its["status"])
        assert its["status"] == STATUS[ours.verdict]
        if its["status"] == "separable":
            assert int(its["bound"]) == ours.best_possible_mistake_bound
            assert its["gamma"] == pytest.approx(ours.homogeneous_margin.lo, rel=1e-9)
            check_separator(X, y, np.reshape(its["homogeneous"], (k, -1)), its["gamma"])
            continue
        check_classes(X, y, intercept, k, its["conflict"])
        assert its.get("separated", []) == ours.separated_rows.tolist()
        if its["status"] == "quasi":
            told = [
                sum(getattr(p, name) for p in ours.class_pairs) for name in ("separated", "rows")
            ]
            assert [its["right"], its["compared"]] == told
    assert seen == {"separable", "quasi", "overlap"}


def check_separator(X, y, w, gamma):
    """Every row is ahead of every rival by the margin, at least."""
    scores = X @ w[:, :-1].T + w[:, -1]
    ahead = scores[np.arange(len(y)), y][:, None] - scores
    ahead[np.arange(len(y)), y] = np.inf
    assert ahead.min() / np.linalg.norm(w) == pytest.approx(gamma, rel=1e-6)


def check_classes(X, y, intercept, k, conflict):
    """In fractions, class by class: the rows of it are as much as those that it is the rival of."""
    D = X.shape[1] + intercept
    sums = [[Fraction(0)] * D for _ in range(k)]
    for i, rival, share in zip(
        conflict["rows"], conflict["rivals"], conflict["shares"], strict=True
    ):
        assert rival != y[i]
        assert int(share) > 0
        for j, v in enumerate([*X[i].tolist(), *([1] * intercept)]):
            sums[y[i]][j] += int(share) * Fraction(v)
            sums[rival][j] -= int(share) * Fraction(v)
    assert not any(map(any, sums))
    assert len(conflict["rows"]) <= (k - 1) * D + 1


def test_bounds_are_not_rounded(page):
    """R²/γ² = 26 · 9/2 = 117 for the example of Li Hang; its float is a little less."""
    (its,) = verdicts(page, [asked([[3, 3], [4, 3], [1, 1]], [1, 1, -1])])
    assert its["bound"] == "117"
    assert its["radius"] ** 2 / its["gamma"] ** 2 < 117


def test_a_margin_widens_the_bound(page):
    """β² = R² + 2μ: (26 + 2 · 0.5) · 9/2 = 121.5."""
    (its,) = verdicts(page, [asked([[3, 3], [4, 3], [1, 1]], [1, 1, -1], margin=0.5)])
    assert its["bound"] == "121"


def test_where_blends_meet(page):
    """XOR: the diagonals meet in the middle."""
    (its,) = verdicts(page, [asked([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])])
    assert its["status"] == "overlap"
    assert its["conflict"]["meetings"] == [[0.5, 0.5]]


def test_one_class_and_no_rows(page):
    one, none = verdicts(page, [asked([[1, 2], [3, 4]], [1, 1]), asked(np.empty((0, 2)), [])])
    assert (one["status"], one["geometric"]) == ("separable", None)
    assert none["status"] == "empty"


def test_floats_become_whole_numbers_and_back(page):
    values = [0.1, -3.0, 5e-324, 1.7976931348623157e308, 0.0, 2**-1022, 1 / 3, -(2.0**-1074) * 3]
    assert page.evaluate("(v) => play.back(v)", values) == values


def test_three_points_of_three_classes_by_hand(page):
    """0, 1 and 2 on a line. All margins are at least 1 with the weights -2, 0, 2 and the intercepts
    5/3, 2/3, -7/3, and no shorter ones: their squares sum to 50/3. So 2R²/γ² = 2 · 5 · 50/3."""
    (its,) = verdicts(page, [asked([[0], [1], [2]], [0, 1, 2], k=3)])
    assert its["bound"] == "166"
    assert its["gamma"] ** 2 == pytest.approx(3 / 50)
    (its,) = verdicts(page, [asked([[0], [1], [2]], [0, 1, 2], margin=0.5, k=3)])
    assert its["bound"] == "183"  # (10 + 2 · 0.5) · 50/3


@pytest.mark.parametrize("unit", [5e-324, 2.0**-1030, 2.0**-200, 2.0**1000])
def test_the_unit_does_not_matter_through_the_origin(page, unit):
    """However small or large numbers are: the verdict is one of directions."""
    rng = np.random.default_rng(8)
    sets = []
    for _ in range(100):
        X = rng.integers(-7, 8, size=(8, 3))
        y = np.where(X @ rng.normal(size=3) > 0, 1, -1)
        y[:4] *= rng.choice([-1, 1], p=[0.1, 0.9], size=4)
        sets.append((X, y))
    asked_ = [[asked(X * u, y, intercept=False) for X, y in sets] for u in (1, unit)]
    plain, other = (verdicts(page, some) for some in asked_)
    assert {v["status"] for v in plain} >= {"separable", "overlap"}
    for key in ("status", "bound"):
        assert [v[key] for v in other] == [v[key] for v in plain]


def test_large_sets_are_decided_too(page):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(2000, 2)) * 64) / 64
    y = np.where(X[:, 0] + X[:, 1] > 0.3, 1, -1)
    its = verdicts(page, [asked(X, y), asked(X, np.where(rng.random(2000) < 0.1, -y, y))])
    assert [v["status"] for v in its] == ["separable", "overlap"]
    assert int(its[0]["bound"]) == certify(X, y).best_possible_mistake_bound
