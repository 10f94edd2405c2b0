"""Scorecard: few terms with whole points, found by their training errors."""

import pickle
import re
import signal
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from fewest import fewest_on_a_line
from refusing import refused
from rosenblatt import Scorecard, load, minimum_errors, save
from rosenblatt._training.card_rule import Card, Term
from rosenblatt.scorecard import Tally, between, terms_of


def people(n=400, seed=0, noise=0.0):
    """Reports 0 to 5, income in tens, an owner or not; labels by a planted card."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "reports": rng.integers(0, 6, n),
            "income": rng.integers(1, 60, n) / 10,
            "owner": rng.integers(0, 2, n),
            "noise": rng.normal(size=n),
        }
    )
    points = -2 * table["reports"] + 3 * (table["income"] >= 3) + 2 * table["owner"]
    labels = np.where((points >= 1) ^ (rng.random(n) < noise), "yes", "no")
    return table, labels


def noisy(n=60, d=4, seed=0):
    """Small whole numbers, labels that hardly depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)).astype(float)
    X[:, 0] = rng.integers(0, 2, n)
    return X, np.where(X[:, 1] + rng.normal(size=n, scale=2) > 1.5, 1, 0)


# --- What is found --------------------------------------------------------------------------------


def test_a_planted_card_is_recovered():
    table, labels = people()
    card = Scorecard(max_terms=3).fit(table, labels)
    assert card.training_errors_ == 0
    assert card.bracket_ == (0, 0)
    assert {re.sub(r"[\d.]+", "", term) for term in card.terms_} == {
        *("each of reports", "income >= ", "owner")
    }
    others, right = people(5000, seed=1)
    assert (card.predict(others) == right).mean() > 0.99


def test_a_planted_card_is_recovered_from_labels_of_which_a_tenth_are_wrong():
    table, labels = people(1000, noise=0.1)
    card = Scorecard(max_terms=3).fit(table, labels)
    others, right = people(5000, seed=1)
    assert (card.predict(others) == right).mean() > 0.97
    assert card.training_errors_ <= (labels != people(1000)[1]).sum()  # the planted card's


def fewest_of_two(Z, second, most, signs):
    """All pairs of terms, all points with these signs, all thresholds."""
    points = [p for p in range(-most, most + 1) if p]
    least = min(second.sum(), (~second).sum())
    for a, b in combinations(range(len(Z)), 2):
        for p, q in product([0, *points], repeat=2):
            if p * signs[a] < 0 or q * signs[b] < 0:
                continue
            totals = p * Z[a] + q * Z[b]
            cuts = np.append(np.unique(totals), totals.max() + 1)
            wrong = ((totals[None, :] >= cuts[:, None]) != second).sum(axis=1)
            least = min(least, wrong.min())
    return least


@pytest.mark.parametrize("signs", [None, [1, 0, 0], [-1, -1, 1], [1, 1, 1]], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_two_terms_are_the_best_of_all_pairs(seed, signs):
    X, y = noisy(40, 3, seed)
    terms = terms_of(X)
    Z = np.array([term.values(X) for term in terms]).astype(int)
    assert (Z.max(axis=1) > 1).any()  # counts among them
    card = Scorecard(max_terms=2, max_points=3, signs=signs, prove=False).fit(X, y)
    each = [0 if signs is None else signs[term.column] for term in terms]
    assert card.errors_by_terms_[-1] == fewest_of_two(Z, y == 1, 3, each)
    assert card.training_errors_ == card.errors_by_terms_[-1]


@pytest.mark.parametrize("seed", range(6))
def test_points_have_the_signs_demanded_and_so_have_the_weights_of_the_bracket(seed):
    X, y = noisy(60, 4, seed)
    signs = np.random.default_rng(seed).integers(-1, 2, 4)
    card = Scorecard(max_terms=4, signs=signs).fit(X, y)
    demanded = signs[[term.column for term in card._rule.terms]]
    assert (demanded * card.points_ >= 0).all()
    if card._rule.terms:
        bracket = minimum_errors(card.term_values(X), y, signs=demanded, time_limit=1)
        assert card.bracket_ == (bracket.proved_lower, card.training_errors_)
        assert card.bracket_[1] >= bracket.lower


def test_signs_are_for_the_second_class_by_name_and_kept_in_files(tmp_path):
    table, labels = people(noise=0.1)
    card = Scorecard(3, signs={"income": "-"}).fit(table, labels)
    assert not [p for t, p in zip(card.terms_, card.points_, strict=True) if "inc" in t and p > 0]
    assert Scorecard(3, signs={"income": "+"}).fit(table, labels).training_errors_ < (
        card.training_errors_
    )
    save(card, tmp_path / "card.json")
    assert load(tmp_path / "card.json").signs == {"income": "-"}


@given(seed=st.integers(0, 10**6), n=st.integers(8, 40))
def test_errors_do_not_rise_with_the_number_of_terms_and_a_recount_agrees(seed, n):
    X, y = noisy(n, 2, seed)
    y[:2] = 0, 1
    cards = [Scorecard(max_terms=k, prove=False).fit(X, y) for k in (1, 3, 4)]
    errors = [card.training_errors_ for card in cards]
    assert errors == sorted(errors, reverse=True)
    for card in cards:
        assert len(card.terms_) <= card.max_terms
        assert card.training_errors_ == (card.predict(X) != y).sum()
        assert card.errors_by_terms_[-1] == card.training_errors_
        shared = min(len(card.errors_by_terms_), len(cards[-1].errors_by_terms_))
        assert (
            card.errors_by_terms_.tolist()[:shared]
            == (cards[-1].errors_by_terms_.tolist()[:shared])
        )


def test_the_card_adds_up_by_hand():
    table, labels = people(noise=0.1)
    card = Scorecard().fit(table, labels)
    head, *lines = card.describe().replace("−", "-").split("\n")
    label, threshold = re.fullmatch(r"(\w+) if the points reach (-?\d+):", head).groups()
    for row, predicted in zip(table.to_dict("records"), card.predict(table), strict=True):
        total = 0
        for line in lines:
            points, words = re.fullmatch(r"  ([-+]\d+)  (.*)", line).groups()
            if words.startswith("each of "):
                total += int(points) * int(row[words.removeprefix("each of ")])
            elif ">=" in words:
                name, cut = words.split(" >= ")
                total += int(points) * (row[name] >= float(cut))
            else:
                total += int(points) * (row[words] == 1)
        assert (total >= int(threshold)) == (predicted == label)
    assert (card.points(table) == card.term_values(table) @ card.points_).all()
    assert set(card.points_) <= set(range(-5, 6)) - {0}
    scores = card.decision_function(table)
    assert ((scores > 0) == (card.predict(table) == "yes")).all()
    assert (scores % 1 == 0.5).all()


# --- What is proved -------------------------------------------------------------------------------


def test_no_weights_on_the_terms_make_fewer_errors_than_the_bracket_says():
    table, labels = people(120, noise=0.1)
    card = Scorecard().fit(table, labels)
    lower, upper = card.bracket_
    assert lower <= upper == card.training_errors_
    found = minimum_errors(card.term_values(table), labels)
    found.verify(card.term_values(table), labels)
    assert lower == found.proved_lower <= found.upper <= upper


@pytest.mark.parametrize("seed", range(5))
def test_the_bracket_of_one_term_is_that_of_all_thresholds(seed):
    X, y = noisy(30, 3, seed)
    weights = np.random.default_rng(seed).integers(1, 4, 30)
    card = Scorecard(max_terms=1).fit(X, y, sample_weight=weights)
    z = card.term_values(X)[:, 0].tolist()
    least = fewest_on_a_line(z, (2 * y - 1).tolist(), weights.tolist())
    assert card.bracket_ == (least, weights[card.predict(X) != y].sum())


def test_without_prove_there_is_no_bracket():
    card = Scorecard(prove=False).fit(*people(60))
    assert card.bracket_ is None
    table, labels = people(60)
    assert card.prove_on(table, labels).bracket_ == (0, 0)


# --- Terms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "whole", "cut"),
    [
        (3.1, 3.6, False, 3.5),
        (2.2, 2.4, False, 2.3),
        (22, 24, True, 23),
        (2, 3, True, 3),
        (17, 40, True, 30),
        (-3, 7, False, 0),
        (0.0003, 0.00041, False, 0.0004),
        (1.0, 1.0000000000000002, False, 1.0000000000000002),
        (5e-324, 1e-323, False, 1e-323),
        (-1.7e308, 1.7e308, False, 0),
    ],
)
def test_cuts_are_the_roundest_numberbetween(low, high, whole, cut):
    assert between(low, high, whole) == cut


def test_columns_offer_counts_yes_or_no_and_cuts_at_training_rows():
    n = 1000
    X = np.column_stack(
        [np.arange(n) % 2, np.arange(n) % 4, np.arange(n), np.full(n, 7), np.arange(n) % 3 / 10]
    )
    found: dict[int, list[Term]] = {}
    for term in terms_of(X.astype(float)):
        found.setdefault(term.column, []).append(term)
    assert found[0] == [Term(0, 1.0, indicator=True)]
    assert [term.cut for term in found[1]] == [None, 1.0, 2.0, 3.0]
    assert [term.cut for term in found[2]] == [100.0 * k for k in range(1, 10)]
    assert 3 not in found
    assert [term.cut for term in found[4]] == [0.1, 0.2]


@given(seed=st.integers(0, 10**6))
def test_every_cut_divides_the_rows(seed):
    rng = np.random.default_rng(seed)
    x = rng.choice([rng.normal(size=200), rng.integers(-30, 90, 200), rng.gamma(0.3, 9, 200)])
    for term in terms_of(x[:, None]):
        if term.cut is not None:
            assert (x < term.cut).any()
            assert (x >= term.cut).any()


def test_a_card_without_terms_says_the_larger_class():
    card = Scorecard().fit(np.ones((5, 2)), ["a", "b", "b", "b", "a"])
    assert card.terms_ == []
    assert card.predict(np.zeros((2, 2))).tolist() == ["b", "b"]
    assert card.bracket_ == (2, 2)


def test_whole_points_decide_also_where_a_count_is_none():
    card = Card((Term(0),), (2,), 3)
    X = np.array([[1.4], [1.5], [1.6]])
    assert (card.totals(X) >= 3).tolist() == (card.scores(X) > 0).tolist() == [False, True, True]


# --- Rows that choose, weights, Ctrl-C ------------------------------------------------------------


def test_validation_rows_choose_how_many_terms_of_equal_ones_the_fewest():
    table, labels = people(200, noise=0.15)
    others, right = people(150, seed=3, noise=0.15)
    card = Scorecard(prove=False).fit(table, labels, X_val=others, y_val=right)
    wrong = [
        (Scorecard(max_terms=k, prove=False).fit(table, labels).predict(others) != right).sum()
        for k in range(1, 6)
    ]
    assert card.validation_errors_[1:].tolist() == wrong
    best = int(np.argmin(card.validation_errors_))
    alone = Scorecard(max_terms=max(best, 1), prove=False).fit(table, labels)
    assert card.describe() == alone.describe()
    with refused(card, "X_val and y_val belong together"):
        card.fit(table, labels, X_val=others)


def test_weights_of_rows_and_classes_count_errors():
    X, y = noisy(80, 3, 1)
    light = Scorecard(prove=False).fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0))
    assert light.training_errors_ >= Scorecard(prove=False).fit(X, y).training_errors_
    assert (light.predict(X)[y == 1] == 1).mean() > 0.9
    same = Scorecard(class_weight={0: 1.0, 1: 9.0}, prove=False).fit(X, y)
    assert same.describe() == light.describe()


@pytest.mark.parametrize("at", [0, 3, 12])
def test_ctrl_c_keeps_the_best_card_so_far(monkeypatch, at):
    table, labels = people(200, noise=0.1)
    whole, calls, scan = Scorecard().fit(table, labels), 0, Tally.with_one_more

    def pressing(self, totals):
        nonlocal calls
        calls += 1
        if calls == at + 1:
            signal.raise_signal(signal.SIGINT)
        return scan(self, totals)

    monkeypatch.setattr(Tally, "with_one_more", pressing)
    card = Scorecard()
    with pytest.raises(KeyboardInterrupt):
        card.fit(table, labels)
    reached = len(card.errors_by_terms_)
    assert reached < 6
    assert card.errors_by_terms_.tolist() == whole.errors_by_terms_[:reached].tolist()
    assert card.training_errors_ == (card.predict(table) != labels).sum()
    assert card.bracket_ is None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- As the other estimators ----------------------------------------------------------------------


def test_frames_give_names_and_arrays_numbers():
    table, labels = people(80)
    assert "each of reports" in Scorecard().fit(table, labels).terms_
    assert "each of x0" in Scorecard().fit(table.to_numpy(), labels).terms_


def test_verbose_says_how_far_it_is(capsys):
    Scorecard(max_terms=2, verbose=1).fit(*people(80, noise=0.2))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        *("Scorecard: 1 term at most", "Scorecard: 2 terms at most")
    ]


def test_it_is_the_same_after_a_file_a_pickle_and_a_second_fit(tmp_path):
    table, labels = people(120, noise=0.2)
    for more in ({}, {"X_val": table[:40], "y_val": labels[:40]}):
        card = Scorecard(max_terms=3, class_weight="balanced").fit(table, labels, **more)
        save(card, tmp_path / "card.json")
        for other in (
            load(tmp_path / "card.json"),
            pickle.loads(pickle.dumps(card)),
            clone(card).fit(table, labels, **more),
        ):
            assert other.describe() == card.describe()
            assert other.bracket_ == card.bracket_
            assert type(other.bracket_[0]) is type(card.bracket_[0])
            assert (other.points(table) == card.points(table)).all()
            assert other.get_params() == card.get_params()
            assert other.errors_by_terms_.tobytes() == card.errors_by_terms_.tobytes()
            assert str(other.validation_errors_) == str(card.validation_errors_)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"max_terms": 0}, "max_terms=0 is not allowed: give a whole number, 1 or greater"),
        ({"max_points": 2.5}, "max_points=2.5 is not allowed"),
        ({"max_points": 101}, "give a whole number from 1 to 100"),
        ({"time_limit": 0}, "time_limit=0 is not allowed"),
        ({"prove": 1}, "prove=1 is not allowed: give True or False"),
    ],
)
def test_what_is_not_allowed_is_refused(parameters, says):
    card = Scorecard(**parameters)
    with refused(card, says):
        card.fit(*people(20))


def test_three_classes_and_sparse_rows_are_refused():
    table, _ = people(30)
    card = Scorecard()
    with refused(card, "two classes, and y holds 3", "y == label"):
        card.fit(table, np.arange(30) % 3)
    with refused(card, "takes dense rows", "X.toarray()"):
        card.fit(sparse.csr_matrix(np.eye(4)), [0, 1, 0, 1])
