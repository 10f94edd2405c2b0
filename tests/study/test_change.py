"""The smallest change against brute force: every value of every column, and every two of them."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from raising import raises
from rosenblatt._study.counterfactual import Turning, changeable
from rosenblatt.data import Preprocessing
from rosenblatt.data.features import Number, Seen, Words
from rosenblatt.errors import InputError

NUMBERS = (
    Number("debts", None, 3.0, 2.0, seen=Seen(0.0, 8.0, True)),
    Number("age", None, 40.0, 10.0, seen=Seen(18.0, 70.0, True)),
    Number("share", None, 0.5, 0.25, seen=Seen(0.0, 1.0, False)),
)
WORDS = (
    Words("home", ("own", "rent", "with parents"), reference="own"),
    Words("abroad", ("False", "True"), boolean=True, reference="False"),
)
ENCODING = Preprocessing((*NUMBERS, *WORDS))
GRID = {
    "debts": [float(v) for v in range(9)],
    "age": [float(v) for v in range(18, 71)],
    "share": np.linspace(0, 1, 101).round(2).tolist(),
    "home": ["own", "rent", "with parents"],
    "abroad": ["False", "True"],
}


def encoded(row):
    x = [(row[c.name] - c.center) / c.scale for c in NUMBERS]
    x += [float(row["home"] == "rent"), float(row["home"] == "with parents")]
    return np.array([*x, float(row["abroad"] == "True")])


def size(row, other):
    numbers = [abs(other[c.name] - row[c.name]) / c.scale for c in NUMBERS]
    return math.hypot(*numbers, *(float(row[c.name] != other[c.name]) for c in WORDS))


def rule_of(w, b):
    """Which rows have the second label: a score of 0 does."""
    return lambda x: float(x @ np.array(w) + b) >= 0


def brute(row, names, positive):
    """The least change of all these columns that turns the label, where no part of it does."""
    before, best = positive(encoded(row)), math.inf
    alone = {name: [v for v in GRID[name] if v != row[name]] for name in names}
    turned = {
        (name, v): positive(encoded({**row, name: v})) != before
        for name in names
        for v in alone[name]
    }
    for values in product(*alone.values()):
        other = {**row, **dict(zip(names, values, strict=True))}
        if len(names) > 1 and any(turned[pair] for pair in zip(names, values, strict=True)):
            continue
        if positive(encoded(other)) != before:
            best = min(best, size(row, other))
    return best


def smallest(row, w, b, fixed=()):
    positive = rule_of(w, b)
    x = encoded(row)
    before = positive(x)
    sign = 1.0 if before else -1.0
    lead = sign * np.array(w), sign * float(x @ np.array(w) + b)
    turning = Turning(changeable(ENCODING, fixed), x, lambda other: positive(other) != before)
    return turning.smallest([lead]), positive


def test_against_every_value_and_every_two(heavy):
    pairs = singles = none = 0
    for seed in range(heavy(120)):
        rng = np.random.default_rng(seed)
        w = rng.normal(0, 1, 6).round(2)
        b = round(rng.normal(0, 2.5), 2)
        row = {name: values[rng.integers(len(values))] for name, values in GRID.items()}
        found, positive = smallest(row, w, b)
        alone = {change.moves[0].column: change for change in found.single}
        for name in GRID:
            best = brute(row, [name], positive)
            if best == math.inf:
                assert name not in alone or name == "share"  # between two values of the grid
                continue
            singles += 1
            assert_close(alone[name].size, best, name == "share")
        best = min(brute(row, names, positive) for names in combinations(GRID, 2))
        if found.double is None:
            assert best == math.inf
            none += 1
        else:
            pairs += 1
            assert found.double.size <= best * 1.011 + 1e-9
            for move in found.double.moves:  # neither does it alone
                part = {**row, move.column: move.to}
                assert positive(encoded(part)) == positive(encoded(row))
        for change in (*found.single, *([found.double] if found.double else [])):
            other = dict(row)
            for move in change.moves:
                assert move.now == row[move.column]
                other[move.column] = move.to
            assert positive(encoded(other)) != positive(encoded(row))
            for c in NUMBERS:
                assert c.seen.low <= other[c.name] <= c.seen.high
                assert not c.seen.whole or other[c.name] == round(other[c.name])
    assert singles
    assert pairs


def assert_close(found, best, inexact):
    """Shares of the grid are 0.01 apart, which is 0.04 standard deviations; and a number of few
    digits may be a hundredth larger than need be."""
    if inexact:
        assert found <= best * 1.011 + 1e-9
        assert found >= best - 0.041
    else:
        assert found == pytest.approx(best)


def test_by_hand():
    """debts weigh 2 a piece, and the score is 3 at debts 5: two fewer are 4, enough; one is not."""
    row = {"debts": 5.0, "age": 40.0, "share": 0.5, "home": "own", "abroad": "False"}
    w = [-4.0, 0.0, 0.0, 0.0, 0.0, 0.0]  # by standard deviation, which is 2
    found, _ = smallest(row, w, -3.0 + 4.0 * 1.0)
    assert [(m.column, m.now, m.to) for c in found.single for m in c.moves] == [("debts", 5.0, 3.0)]
    assert found.single[0].size == 1.0
    assert found.double is None


def test_a_tie_turns_it_only_towards_the_second_label():
    row = {"debts": 5.0, "age": 40.0, "share": 0.5, "home": "own", "abroad": "False"}
    below, _ = smallest(row, [-4.0, 0, 0, 0, 0, 0], 0.0)  # -4 now: debts 3 makes it 0, the second
    assert below.single[0].moves[0].to == 3.0
    row["debts"] = 1.0  # 4 now: debts 3 makes it 0, which is still the second
    above, _ = smallest(row, [-4.0, 0, 0, 0, 0, 0], 0.0)
    assert above.single[0].moves[0].to == 4.0


def test_what_is_fixed_stays():
    row = {"debts": 5.0, "age": 40.0, "share": 0.5, "home": "rent", "abroad": "False"}
    w, b = [-4.0, 1.0, 0.5, -2.0, 0, 1.0], 1.0
    free, _ = smallest(row, w, b)
    held, _ = smallest(row, w, b, fixed=["debts"])
    assert "debts" in {m.column for c in free.single for m in c.moves}
    assert "debts" not in {m.column for c in held.single for m in c.moves}
    assert held.double is None or "debts" not in {m.column for m in held.double.moves}


def test_refused():
    with raises(InputError, option="immutable", value="height"):
        changeable(ENCODING, ["height"])
    with raises(InputError, option="counterfactual"):
        changeable(Preprocessing((Number("a"),)), [])


def test_ranges_are_written_down_and_read_again():
    again = Preprocessing.from_dict(ENCODING.to_dict())
    assert again == ENCODING
    plain = Preprocessing((Number("a"),))
    assert plain.to_dict()["columns"][0]["seen"] is None
    document = ENCODING.to_dict()
    document["columns"][0]["seen"] = {"low": 2.0, "high": 1.0, "whole": False}
    with raises(InputError):
        Preprocessing.from_dict(document)
    noted = plain.with_seen(np.array([[3.0], [np.nan], [-1.0]]), plain)
    assert noted.columns[0].seen == Seen(-1.0, 3.0, True)
