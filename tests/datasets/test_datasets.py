"""Data that ships: right values, and each set shows what it says it shows."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from raising import raises
from rosenblatt import certify
from rosenblatt.datasets import load_credit, load_planar, make_credit
from rosenblatt.errors import InputError


def test_credit_is_the_table_that_ships():
    credit = load_credit()
    table = pd.read_csv(credit.filename)
    assert credit.data.shape == (1319, 11)
    assert (credit.target == (table["card"] == "yes")).all()
    for name, column in zip(credit.feature_names, credit.data.T, strict=True):
        plain = name.removesuffix("=yes")
        expected = table[plain] == "yes" if plain != name else table[plain]
        assert (column == expected).all()
    assert "Greene" in credit.DESCR
    assert (credit.data[credit.target == 0, credit.feature_names.index("expenditure")] == 0).all()


def test_credit_comes_as_arrays_or_frames():
    X, y = load_credit(return_X_y=True)
    frame, target = load_credit(return_X_y=True, as_frame=True)
    assert list(frame.columns) == load_credit().feature_names
    assert (frame.to_numpy() == X).all()
    assert target.name == "card"
    assert (target == y).all()
    assert load_credit(as_frame=True).frame.shape == (1319, 12)


def test_made_applications_are_separable_by_the_rule_that_is_documented():
    X, y = make_credit(5000, random_state=3)
    names = list(make_credit(1, as_frame=True)[0].columns)
    rule = dict(zip(names, (-170, -1, 22, 50, -70, -24, 0, 48, 13), strict=True))
    scores = [
        60 + sum(w * Fraction(x) for w, x in zip(rule.values(), row, strict=True)) for row in X
    ]
    assert min(map(abs, scores)) > Fraction(999, 1000)
    assert [int(s > 0) for s in scores] == y.tolist()
    assert 0.6 < y.mean() < 0.9


def test_noise_flips_that_share_of_the_labels():
    X, y = make_credit(1000, random_state=5)
    same, noisy = make_credit(1000, noise=0.1, random_state=5)
    assert (same == X).all()
    assert (y != noisy).sum() == 100
    assert (make_credit(1000, random_state=6)[0] != X).any()


@pytest.mark.parametrize("bad", [{"n": 0}, {"n": 2.5}, {"noise": -0.1}, {"noise": 1.5}])
def test_what_cannot_be_made_is_refused(bad):
    with raises(InputError):
        make_credit(**bad)


def verdict(name):
    return certify(*load_planar(name, return_X_y=True))


def test_planar_sets_show_what_they_say():
    assert verdict("separable").geometric_margin.lo == pytest.approx(np.sqrt(0.5))
    assert verdict("tiny margin").geometric_margin.lo == 2.0**-11
    assert verdict("tiny margin").mistake_bound > 10_000 * verdict("separable").mistake_bound
    assert verdict("flipped").verdict == verdict("xor").verdict == "overlap"
    assert verdict("xor").conflict.meeting_point == {"x0": 0.5, "x1": 0.5}
    assert verdict("unscaled").verdict == "complete separation"
    assert verdict("unscaled").mistake_bound > 10_000 * verdict("separable").mistake_bound


def test_one_label_tells_the_flipped_set_from_the_separable_one():
    (X, y), (same, flipped) = (load_planar(n, return_X_y=True) for n in ("separable", "flipped"))
    assert (same == X).all()
    assert (y != flipped).sum() == 1


def test_an_unknown_set_is_refused():
    with raises(InputError, option="name", value="moons"):
        load_planar("moons")
