"""What firth and limiting_model are given: weights, words of data frames, more than two classes."""

import pandas as pd
import pytest

from raising import raises
from rosenblatt import certify
from rosenblatt.errors import InputError
from rosenblatt.separation import firth, limiting_model

FRAME = pd.DataFrame({"g": list("aaaabbcc"), "d": [1.0, 4, 2, 8, 5, 7, 3, 6]})
Y = [0, 0, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("estimate", [firth, limiting_model])
def test_the_reference_level_is_the_word_of_the_greatest_weight(estimate):
    weights = [1, 1, 1, 1, 3, 1, 5, 5]
    found = estimate(FRAME, Y, sample_weight=weights)
    assert list(found.coefficients) == ["g=a", "g=b", "d", "(intercept)"]
    assert certify(FRAME, Y, sample_weight=weights).feature_names == ["g=a", "g=b", "d"]
    assert list(estimate(FRAME, Y).coefficients) == ["g=b", "g=c", "d", "(intercept)"]
    # Counts are as many rows.
    rows = FRAME.loc[FRAME.index.repeat(weights)]
    labels = pd.Series(Y).repeat(weights)
    often = estimate(rows.reset_index(drop=True), labels.to_numpy())
    assert often.coefficients == pytest.approx(found.coefficients, rel=1e-6)


def test_a_word_whose_rows_all_weigh_nothing_is_no_reference():
    certificate = certify(FRAME, Y, sample_weight=[0, 0, 0, 0, 1, 1, 1, 1])
    assert certificate.feature_names == ["g=a", "g=c", "d"]


@pytest.mark.parametrize("ask", [certify, firth, limiting_model])
def test_a_column_of_names_is_to_be_dropped_from_the_frame(ask):
    names = pd.DataFrame({"id": [f"u{i}" for i in range(60)], "d": range(60)})
    with raises(InputError):
        ask(names, [0, 1] * 30)


@pytest.mark.parametrize("estimate", [firth, limiting_model])
def test_three_classes_are_not_one_against_the_rest(estimate):
    with raises(InputError):
        estimate([[1.0], [2.0], [3.0], [4.0]], [0, 1, 2, 1])


@pytest.mark.parametrize("estimate", [firth, limiting_model])
def test_a_formula_and_its_table(estimate):
    pytest.importorskip("formulaic")
    table = FRAME.assign(y=Y)
    found = estimate("y ~ d", table).coefficients
    plain = estimate(FRAME[["d"]], Y).coefficients
    assert [found["d"], found["Intercept"]] == pytest.approx([*plain.values()], abs=1e-8)


@pytest.mark.parametrize("estimate", [firth, limiting_model])
def test_a_model_with_a_link_of_its_own_is_refused(estimate):
    sm = pytest.importorskip("statsmodels.api")
    with raises(InputError):
        estimate(sm.Probit(Y, FRAME[["d"]]), None)
