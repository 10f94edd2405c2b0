"""What statisticians have: categories, dummies of their own, formulas; and what they are told."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest

from raising import raises
from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import Certificate, Perceptron, certify
from rosenblatt.errors import InputError


def table(rare=1):
    """Every town, grade and flag with both labels; beside it some rows of one town, all "no"."""
    cells = itertools.product(["Bern", "Rome", "Rome", "Paris"], [1, 2], [True, False], "ny")
    rows = [(*cell[:3], {"n": "no", "y": "yes"}[cell[3]]) for cell in cells]
    rows += [("Delft", 1, True, "no")] * rare
    frame = pd.DataFrame(rows, columns=["town", "grade", "flag", "paid"])
    return frame.drop(columns="paid"), frame["paid"]


# --- Data frames ---------------------------------------------------------------------------------


def test_words_are_coded_with_a_reference_level_and_the_category_that_separates_is_named():
    X, y = table()
    certificate = certify(X, y)
    assert certificate.verdict == QUASI
    assert certificate.separated_rows.tolist() == [32]
    assert certificate.coefficient_signs == {
        "town=Bern": "0",
        "town=Delft": "-",
        "town=Paris": "0",
        "grade": "0",
        "flag": "0",
        "(intercept)": "0",
    }
    said = str(certificate)
    assert (
        "regression for the label yes these coefficients diverge to minus infinity: town=Delft."
        in said
    )
    assert "Reference levels of the one-hot encoding: town=Rome." in said
    assert certificate.to_dict()["preprocessing"]["columns"][0]["reference"] == "Rome"


@pytest.mark.parametrize(
    "made",
    [
        lambda X: X.astype({"town": "category"}),
        lambda X: X.astype({"town": "string"}),
        pl.from_pandas,
        lambda X: pl.from_pandas(X).with_columns(pl.col("town").cast(pl.Categorical)),
    ],
)
def test_frames_of_any_library_give_the_same_certificate(made):
    X, y = table()
    certificate = certify(made(X), y)
    assert certificate == certify(X, y)
    certificate.verify(made(X), y)
    certificate.verify(X, y)


def test_a_number_that_was_made_a_category_is_a_word():
    X, y = table()
    certificate = certify(X.astype({"grade": "category"}), y)
    assert "grade=2" in certificate.feature_names  # grade 1 has one row more


def test_a_frame_of_numbers_is_taken_as_it_is():
    X, y = table()
    certificate = certify(X[["grade", "flag"]], y)
    assert (certificate.preprocessing, certificate.feature_names) == (None, ["grade", "flag"])
    numbers = X[["grade"]].astype(object)
    assert certify(numbers, y).preprocessing is None


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1], [False, True], [1.0, 2.0]])
def test_what_was_done_to_the_frame_is_done_again_to_a_file(labels, shell):
    X, y = table()
    y = y.map(dict(zip(["no", "yes"], labels, strict=True)))
    certify(X, y).save("c.json")
    X.assign(paid=y).to_csv("t.csv", index=False)
    code, out, _ = shell("verify", "c.json", "t.csv")
    proved, subject, about = out.splitlines()
    assert subject.endswith("; no column is left out.")
    expected = "ACCEPTED: quasi-complete separation, 33 rows, proved."
    assert (code, proved[: len(expected)]) == (0, expected)
    assert "t.csv ('town' as 3 columns of 0 and 1, reference 'Rome')" in about


def test_missing_words_and_identifiers_are_refused():
    X, y = table()
    with raises(InputError, row=3, column="town"):
        certify(X.assign(town=[*X["town"][:3], None, *X["town"][4:]]), y)
    with raises(InputError):
        certify(X.assign(town=[f"person {i}" for i in range(33)]), y)


def test_another_frame_is_rejected():
    X, y = table()
    with raises(InputError, file="the data frame", row=0, column="town"):
        certify(X, y).verify(X.assign(town=["Oslo", *X["town"][1:]]), y)


# --- Collinear columns ---------------------------------------------------------------------------


def dummies(rare=1):
    X, y = table(rare)
    words = pd.get_dummies(X["town"], dtype=float)
    return words.assign(grade=X["grade"], flag=X["flag"]), y


def test_dummies_for_every_word_are_collinear_and_the_category_is_named_all_the_same():
    X, y = dummies()
    certificate = certify(X, y)
    certificate.verify(X, y)
    assert certificate.verdict == QUASI
    assert certificate.coefficient_signs == {
        "Bern": "0",
        "Delft": "-",
        "Paris": "0",
        "Rome": "collinear",
        "grade": "0",
        "flag": "0",
        "(intercept)": "0",
    }
    said = str(certificate)
    assert "diverge to minus infinity: Delft." in said
    assert (
        "Collinear: Rome = 1 − Bern − Delft − Paris in every row, so its coefficient is not" in said
    )
    (column,) = certificate.collinear
    assert (column.column, column.constant) == ("Rome", 1)
    assert column.factors == {"Bern": -1, "Delft": -1, "Paris": -1}


def test_without_separation_they_are_named_too():
    X, y = dummies(rare=0)
    certificate = certify(X.drop(columns="flag").assign(half=X["grade"] / 2), y)
    certificate.verify(X.drop(columns="flag").assign(half=X["grade"] / 2), y)
    assert certificate.verdict == OVERLAP
    assert "a finite estimate, but not a unique one." in str(certificate)
    assert "Collinear: half = 1/2·grade in every row, so" in str(certificate)
    signs = certificate.coefficient_signs
    assert [name for name, sign in signs.items() if sign == "collinear"] == ["Rome", "half"]
    assert set(signs.values()) == {"0", "collinear"}


def test_under_complete_separation_they_are_named_too():
    X = pd.DataFrame({"a": [0.0, 1.0, 5.0, 6.0], "b": [1.0, 3.0, 11.0, 13.0]})
    certificate = certify(X, [0, 0, 1, 1])
    assert certificate.verdict == COMPLETE
    assert "b = 1 + 2·a" in str(certificate)
    assert certificate.coefficient_signs == {"a": "+", "b": "collinear", "(intercept)": "-"}


def test_through_the_origin_dummies_for_every_word_are_not_collinear():
    X, y = dummies()
    certificate = certify(X, y, fit_intercept=False)
    assert certificate.collinear == []
    assert certificate.coefficient_signs["Delft"] == "-"


def test_with_fewer_rows_than_columns_no_column_is_blamed():
    certificate = certify([[1.0, 2.0, 3.0], [2.0, 5.0, 1.0]], [0, 1])
    assert certificate.collinear == []


# --- Design matrices of formulas -----------------------------------------------------------------


class Info:
    def __init__(self, names):
        self.column_names = names


class DesignMatrix(np.ndarray):
    """As patsy's: an array that knows its columns. `formulaic` says it in another attribute."""

    @classmethod
    def of(cls, values, names, info="design_info"):
        made = np.asarray(values, dtype=float).view(cls)
        setattr(made, info, Info(names))
        return made


NAMES = ["Intercept", "town[T.Delft]", "town[T.Paris]", "town[T.Rome]", "grade"]


def design(info="design_info"):
    X, y = table()
    columns = [np.ones(len(y)), *(X["town"] == t for t in ("Delft", "Paris", "Rome")), X["grade"]]
    left = DesignMatrix.of((y == "yes").to_numpy()[:, None], ["paid"], info)
    return left, DesignMatrix.of(np.column_stack(columns), NAMES, info)


@pytest.mark.parametrize("info", ["design_info", "model_spec"])
def test_a_design_matrix_keeps_its_names(info):
    y, X = design(info)
    certificate = certify(X, y, fit_intercept=False)
    certificate.verify(X, y)
    assert certificate.to_dict()["target"] == "paid"
    expected = dict.fromkeys(NAMES, "0") | {"town[T.Delft]": "-"}
    assert certificate.coefficient_signs == expected


def test_an_intercept_in_the_design_gets_a_hint():
    y, X = design()
    certificate = certify(X, y)
    assert "Intercept is 1 in every row, which makes it an intercept. Leave it" in str(certificate)
    assert "fit_intercept=False" in str(certificate)
    assert certificate.coefficient_signs["town[T.Delft]"] == "-"
    assert certificate.coefficient_signs["Intercept"] == "collinear"
    assert "intercept already" not in str(certify(X, y, fit_intercept=False))
    frame = pd.DataFrame(np.asarray(X), columns=NAMES)
    assert "Intercept is 1 in every row" in str(certify(frame, np.ravel(y)))


def test_the_left_side_of_a_formula_with_words_is_no_label():
    y, X = design()
    both = DesignMatrix.of(np.hstack([1 - y, y]), ["paid[no]", "paid[yes]"])
    with raises(InputError):
        certify(X, both)


# --- Coefficients, whatever the verdict ----------------------------------------------------------


def test_every_verdict_has_signs():
    complete = certify([[1.0], [2.0], [3.0]], [0, 0, 1])
    overlap = certify([[1.0], [2.0], [3.0]], [0, 1, 0])
    quasi = certify([[1.0], [2.0], [2.0]], [0, 0, 1])
    undecided = certify([[1.0], [2.0], [2.0]], [0, 0, 1], work_limit=1)
    verdicts = [c.verdict for c in (complete, overlap, quasi, undecided)]
    assert verdicts == [COMPLETE, OVERLAP, QUASI, UNDECIDED]
    for certificate, kinds in ((complete, "+-"), (overlap, "00"), (quasi, "+-"), (undecided, "??")):
        assert list(certificate.coefficient_signs.items()) == list(
            zip(["x0", "(intercept)"], kinds, strict=True)
        )


# --- Rare or too telling -------------------------------------------------------------------------


@pytest.mark.parametrize(("rare", "rows"), [(1, "one row, labelled no"), (4, "4 rows, all labell")])
def test_a_rare_category_is_called_one(rare, rows):
    X, y = table(rare)
    said = str(certify(X, y))
    assert f"town=Delft has {rows}" in said
    assert (
        "\nA rare category: merge it with another of the same column, or leave out the column town "
        "(X.drop(columns='town')).\n" in said
    )
    assert "known only after the outcome" not in said
    said = str(certify(*dummies(rare)))
    few = {1: "one", 4: "4"}[rare]
    every = "" if rare == 1 else "all "
    assert f"Delft is 0 in every row but {few}, {every}labelled no.\n" in said
    assert (
        "\nIts weight depends on these few rows alone. If that may be chance, leave out the" in said
    )
    assert "\nIf it stands for a category: merge it with another of the same column.\n" in said


def test_a_category_with_one_row_is_rare_in_a_small_table_too():
    X = pd.DataFrame({"town": list("aaabbbc")})
    said = str(certify(X, [0, 1, 0, 1, 0, 1, 1]))
    assert 'town=c has one row, labelled "1".\nA rare category: merge it' in said
    assert "known only after" not in said


def test_a_column_that_tells_the_label_of_many_rows_is_not_rare():
    X, y = table(rare=12)
    said = str(certify(X, y))
    assert (
        "town=Delft alone determines the label of 12 of 44 rows without an error. Above 0: 12 "
        in said
    )
    assert "Possible target leakage: if such a column is known only after the outcome" in said
    assert "rare category" not in said


def test_a_certificate_of_a_frame_survives_saving_and_makes_an_estimator(tmp_path):
    X = pd.DataFrame({"town": list("aaabbb"), "n": [1, 2, 3, 4, 5, 6]})
    y = ["no", "no", "no", "yes", "yes", "yes"]
    certificate = certify(X, y)
    certificate.save(tmp_path / "c.json")
    loaded = Certificate.load(tmp_path / "c.json")
    loaded.verify(X, y)
    assert loaded == certificate
    rows = np.column_stack([X["town"] == "b", X["n"]]).astype(float)
    assert Perceptron.from_certificate(certificate).predict(rows).tolist() == y


def test_several_rare_categories_get_the_advice_once():
    X, y = table()
    more = pd.DataFrame({"town": ["Oslo"] * 2, "grade": 1, "flag": True})
    said = str(certify(pd.concat([X, more], ignore_index=True), [*y, "yes", "yes"]))
    assert (
        "town=Oslo has 2 rows, all labelled yes.\ntown=Delft has one row, labelled no.\n"
        "Rare categories: merge each with another of the same column, or leave out the column town "
        "(X.drop(columns='town')).\n" in said
    )


def test_a_rare_number_is_no_category_and_its_label_is_the_one_it_has(tmp_path):
    """-1 in the one row labelled 0: smaller is 0. Nothing is said of categories, nor of merging."""
    X = pd.DataFrame({"a": [1.0, 2, 3, 2, 1, 3, 2.5], "debt": [0.0, 0, -1, 0, 0, 0, 0]})
    X["town"] = list("abababa")
    said = str(certify(X, [0, 1, 0, 0, 1, 1, 0]))
    assert (
        '\ndebt is 0 in every row but one, labelled "0".\nIts weight depends on these few rows '
        "alone. If that may be chance, leave out the "
        "column debt (X.drop(columns='debt')).\n" in said
    )
    assert "categor" not in said
    assert "merge" not in said


def test_the_name_of_a_column_is_not_its_labels():
    frame = pd.DataFrame({"a": [1, 2], "kind": ["x", "y"]})
    with raises(InputError):
        certify(frame, "kind")
    with raises(InputError):
        certify([[1.0], [2.0]], "ab")


def test_a_gap_is_refused_with_what_fills_it():
    frame = pd.DataFrame({"a": [1, None], "b": [1, 2]})
    with raises(InputError, row=1, column=0):
        certify(frame, [0, 1])
    with raises(InputError, row=1, column="a"):
        certify(frame.assign(town=["x", "y"]), [0, 1])
    with raises(InputError, row=1, column="town"):
        certify(pd.DataFrame({"town": ["x", None]}), [0, 1])
