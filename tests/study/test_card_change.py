"""The smallest change of a card against brute force: every value on a grid, and every two."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from rosenblatt._study.counterfactual import changeable, smallest
from rosenblatt._training.card_rule import Card, Term
from rosenblatt.data import Preprocessing
from rosenblatt.data.features import Number, Seen, Words

WIDTH = {"reports": 6.0, "age": 52.0, "income": 9.0}
ENCODING = Preprocessing(
    (
        Words("town", ("Bern", "Oslo", "Rome")),
        Number("reports", seen=Seen(0.0, 6.0, True)),
        Number("age", seen=Seen(18.0, 70.0, True)),
        Number("income", seen=Seen(1.0, 10.0, False)),
    )
)
GRID = {
    "town": ["Bern", "Oslo", "Rome"],
    "reports": [float(v) for v in range(7)],
    "age": [float(v) for v in range(18, 71)],
    "income": np.linspace(1, 10, 901).round(2).tolist(),
}
TERMS = (
    *(Term(0, 1.0, indicator=True), Term(1, 1.0, indicator=True)),
    *(Term(3), Term(3, 4.0)),
    *(Term(4, 30.0), Term(4, 42.5)),
    *(Term(5, 2.5), Term(5, 6.0)),
)


def encoded(row):
    words = [float(row["town"] == word) for word in GRID["town"]]
    return np.array([*words, row["reports"], row["age"], row["income"]])


def size(row, other):
    numbers = [abs(other[name] - row[name]) / width for name, width in WIDTH.items()]
    return math.hypot(*numbers, float(row["town"] != other["town"]))


def decides(card, rows):
    return card.totals(np.array([encoded(row) for row in rows])) >= card.threshold


def brute(card, row, names):
    """The least change of all these columns on the grid, where none of them does it alone."""
    before = decides(card, [row])[0]
    values = []
    for name in names:
        rows = [{**row, name: v} for v in GRID[name] if v != row[name]]
        alone = decides(card, rows) != before
        keep = alone if len(names) == 1 else ~alone
        values.append([other[name] for other, k in zip(rows, keep, strict=True) if k])
    rows = [{**row, **dict(zip(names, to, strict=True))} for to in product(*values)]
    turned = decides(card, rows) != before if rows else []
    sizes = [size(row, other) for other, k in zip(rows, turned, strict=True) if k]
    return min(sizes, default=math.inf)


def drawn(rng):
    """A card and a row near its threshold."""
    row = {name: values[rng.integers(len(values))] for name, values in GRID.items()}
    points = tuple(rng.integers(-3, 4, len(TERMS)).tolist())
    total = int(Card(TERMS, points, 0).totals(encoded(row)[None])[0])
    return Card(TERMS, points, total + int(rng.integers(-3, 4))), row


@pytest.mark.parametrize("seed", range(8))
def test_of_one_column_and_of_two_it_is_the_smallest_on_a_grid(seed):
    rng = np.random.default_rng(seed)
    near = 0.02  # the grid is coarser than a number just below a cut, and that is 1 % beyond it
    card, row = drawn(rng)
    found = smallest(card, changeable(ENCODING, []), encoded(row))
    before = decides(card, [row])[0]
    for change in [*found.single, *filter(None, [found.double])]:
        other = {**row, **{move.column: move.to for move in change.moves}}
        assert decides(card, [other])[0] != before
        assert change.size == pytest.approx(size(row, other))
    single = {change.moves[0].column: change.size for change in found.single}
    for name in GRID:
        assert single.get(name, math.inf) == pytest.approx(brute(card, row, [name]), abs=near)
    double = min(brute(card, row, names) for names in combinations(GRID, 2))
    assert (found.double.size if found.double else math.inf) == pytest.approx(double, abs=near)


def test_a_sum_by_hand():
    """Two reports and an income of 7: 2·(−2) + 3 = −1 point; 0 are needed."""
    card = Card((Term(3), Term(5, 6.0), Term(1, 1.0, indicator=True)), (-2, 3, 1), 0)
    row = encoded({"town": "Bern", "reports": 2.0, "age": 30.0, "income": 7.0})
    found = smallest(card, changeable(ENCODING, []), row)
    told = [[(m.column, m.now, m.to) for m in change.moves] for change in found.single]
    assert told == [[("reports", 2.0, 1.0)], [("town", "Bern", "Oslo")]]
    assert found.double is None  # an income can only fall, and each of the others does it alone


def test_a_number_just_below_a_cut_has_few_digits():
    card = Card((Term(5, 6.0),), (1,), 1)
    row = encoded({"town": "Bern", "reports": 0.0, "age": 30.0, "income": 6.4})
    (change,) = smallest(card, changeable(ENCODING, []), row).single
    assert 5.99 <= change.moves[0].to < 6.0
    assert len(str(change.moves[0].to)) <= 6
    on_it = encoded({"town": "Bern", "reports": 0.0, "age": 30.0, "income": 6.0})
    (change,) = smallest(card, changeable(ENCODING, []), on_it).single
    assert 5.99 <= change.moves[0].to < 6.0


def test_what_is_fixed_or_out_of_range_cannot_change():
    card = Card((Term(5, 12.0), Term(3)), (5, 1), 5)
    row = encoded({"town": "Bern", "reports": 0.0, "age": 30.0, "income": 7.0})
    (change,) = smallest(card, changeable(ENCODING, []), row).single
    assert [m.column for m in change.moves] == ["reports"]
    found = smallest(card, changeable(ENCODING, ["reports"]), row)
    assert (found.single, found.double) == ([], None)
