"""What a verdict says first is what it means, and then exactly what was proved."""

import numpy as np
import pytest

from rosenblatt import certify
from rosenblatt._util.text import of_files

INFINITE = "some coefficients of a logistic regression are infinite. The reason: a linear rule"
ABOUT = "This does not measure how often a rule is wrong."


def first(*given, **options):
    """What it means, and the exact statement; what to do is between them."""
    lines = str(certify(*given, **options)).split("\n")
    return [lines[0], next(line for line in lines if line.startswith("Exactly: "))]


@pytest.mark.parametrize(("intercept", "where"), [(True, ""), (False, " through the origin")])
def test_overlap_says_that_no_rule_is_right_about_all(intercept, where):
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 1, 0, 1]
    assert first(X, y, fit_intercept=intercept) == [
        f"Overlap: no linear rule{where} is right about all 4 rows, as is common in real data.",
        f"Exactly: every hyperplane{where} misclassifies at least one row, or contains them all.",
    ]


def test_one_row_is_not_several():
    assert first([[0.0]], [1], fit_intercept=False)[0] == (
        "Overlap: no linear rule through the origin is right about the one row."
    )


def test_quasi_complete_separation_is_not_read_as_the_error():
    """x = 1 has both labels, so that only 2 and 3 can be told, and only from there on."""
    assert first([[1.0], [1.0], [2.0], [3.0]], [0, 1, 1, 1]) == [
        f"Quasi-complete separation: {INFINITE} gets 2 of the 4 rows right, none wrong, and "
        f"leaves the other 2 exactly on its boundary. {ABOUT}",
        "Exactly: a hyperplane has 2 rows strictly on the right side and the other 2 on it. No "
        "hyperplane without a row on the wrong side has more on the right side.",
    ]
    assert first([[0.0], [1.0]], [1, 0], fit_intercept=False) == [
        f"Quasi-complete separation: {INFINITE} through the origin gets 1 of the 2 rows right, "
        f"none wrong, and leaves the other one exactly on its boundary. {ABOUT}",
        "Exactly: a hyperplane through the origin has one row strictly on the right side and the "
        "other one on it. No hyperplane through the origin without a row on the wrong side has "
        "more on the right side.",
    ]


def test_rows_of_weight_0_are_not_counted():
    X, y = [[1.0], [1.0], [2.0], [9.0]], [0, 1, 1, 0]
    said = str(certify(X, y, sample_weight=[1, 1, 1, 0]))
    assert "gets 1 of the 3 rows right, none wrong, and leaves the other 2 exactly on" in said
    assert "\nLeft out: one row of weight 0.\n" in said


def test_many_classes_are_told_alike():
    """b is between the rows of a: three comparisons tie, and those with c, 3 + 2, do not."""
    X, y = [[0.0], [1.0], [2.0], [5.0]], ["a", "b", "a", "c"]
    certificate = certify(X, y)
    assert first(X, y) == [
        "Quasi-complete separation: some coefficients of a multinomial logistic regression are "
        "infinite. The reason: compare each of the 4 rows with the 2 other classes, in 8 "
        "comparisons. A linear rule for the 3 classes gets 5 of them right and none wrong, and "
        f"leaves the other 3 tied. {ABOUT}",
        "Exactly: weights for each of the classes score the own class strictly higher in 5 "
        "comparisons and equally in the other 3. No weights without a wrong comparison have more.",
    ]
    assert (
        "\nIn a multinomial logistic regression, against the reference class c:\n"
        "  a: (intercept) runs to plus infinity; x0 runs to minus infinity.\n" in str(certificate)
    )
    assert "row 1 (label b against a, 50.0%)" in str(certificate)
    mixed = [[0.0], [1.0], [2.0], [0.0], [1.0], [2.0]], ["a", "b", "c", "c", "a", "b"]
    assert first(*mixed, fit_intercept=False) == [
        "Overlap: no linear rule for the 3 classes, without intercepts, is right about all 6 rows, "
        "as is common in real data.",
        "Exactly: whatever the weights of the classes, without intercepts, are, at least one of "
        "the rows has a higher score for another class than for its own, or all scores tie.",
    ]


def test_that_two_classes_alone_may_be_apart_is_said_unless_it_is_decided():
    X, y = [[0.0], [1.0], [2.0], [5.0]], ["a", "b", "a", "c"]
    hint = "A rule for two of the classes alone may still separate them: pairs=True."
    assert hint in str(certify(X, y))
    assert hint not in str(certify(X, y, pairs=True))


def test_a_share_is_named_with_its_label():
    said = str(certify([[0.0], [1.0], [2.0]], [1, 0, 1]))
    assert 'row 1 (label "0", 100.0%), row 0 (label "1", 50.0%), row 2 (label "1", 50.0%).' in said


def test_what_to_do_stands_between_the_meaning_and_the_exact_statement():
    separated = str(certify([[0.0], [1.0]], [0, 1])).split("\n")
    assert separated[:4] == [
        "Complete separation: a linear rule is right about all 2 rows.",
        "A perceptron converges. A logistic regression has no finite maximum likelihood estimate.",
        "What to report instead: rosenblatt.separation.firth(X, y).",
        "Exactly: a hyperplane has all 2 rows strictly on the right side.",
    ]
    mixed = str(certify([[-2.0], [-1.0], [1.0], [2.0]], [0, 1, 0, 1])).split("\n")
    assert mixed[1] == (
        "A logistic regression has a finite estimate. A perceptron does not converge."
    )


def test_undecided_says_how_it_may_be_settled():
    said = str(certify([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], work_limit=1)).split("\n")
    assert said[0].startswith("Undecided: it is not known whether a linear rule is right about all")
    assert said[1] == "More time may settle it: time_limit=SECONDS."


def test_coefficients_of_classes_that_stay_finite_are_named():
    """c is far away, and a and b overlap: only the coefficients against c run."""
    X = [[0.0], [1.0], [2.0], [3.0], [9.0]]
    said = str(certify(X, ["a", "b", "a", "b", "0"]))
    assert "\n  a: all coefficients are finite.\n" in said
    assert "\nThe finite ones are those of a regression on the rows of a and b alone.\n" in said
    assert "One class against the rest is a different model." in said


def test_complete_separation_says_where_coefficients_run():
    """x0 is 0 or 1 where x1 is 5 and 1: rules that separate may have either sign in x0."""
    said = str(certify([[0.0, 5.0], [1.0, 5.0], [0.0, 1.0], [1.0, 1.0]], [1, 1, 0, 0]))
    what = 'In a logistic regression for the label "1" these coefficients'
    assert f"\n{what} diverge to plus infinity: x1.\n" in said
    assert f"\n{what} diverge to minus infinity: (intercept).\n" in said
    assert f"\n{what} diverge to either +∞ or −∞: x0.\n" in said
    wide = np.random.default_rng(0).normal(size=(20, 200))
    assert "\nWhich coefficients run to infinity, and which way, is not worked" in str(
        certify(wide, [0, 1] * 10)
    )
    assert "diverge" not in str(certify([[1.0], [2.0]], [1, 1]))  # one class only
    assert "\n  0: (intercept) runs to plus infinity; x0 runs to minus" in str(
        certify([[1.0], [2.0], [9.0]], [0, 1, 2])
    )


def test_rows_at_a_threshold_are_counted():
    """By hand: two rows at 0, two above it, none below."""
    certificate = certify([[0.0], [0.0], [3.0], [4.0]], ["no", "yes", "yes", "yes"])
    assert (
        "x0 alone determines the label of 2 of 4 rows without an error. Above 0: 2 rows, all "
        "labelled "
        "yes. At 0: one row labelled no and 1 labelled yes. Below 0: no rows.\n" in str(certificate)
    )
    again = type(certificate).from_dict(certificate.to_dict())
    assert "No row above 0 has another label than yes, and no row below it has another" in str(
        again
    )


def test_chance_comes_before_the_margins():
    """Cover (1965): 4 rows in the plane, 14 of 16 labellings are separable."""
    said = str(certify([[0.0, 0], [1, 0], [0, 1], [1, 2]], [0, 0, 0, 1]))
    chance = "with random labels 4 rows in general position, with 2 columns and an intercept, "
    assert f"{chance}would be separable with probability 0.875 (Cover 1965).\nGeometric" in said


def test_rows_of_pairs_are_counted_as_all_others():
    """Rows 1 and 2 are equal, counted from 0."""
    certificate = certify([[9.0], [1.0], [1.0], [5.0]], list("abca"), pairs=True)
    assert "rows in conflict (counted from 0)" in str(certificate)
    assert "b | c       2  overlap              1, 2" in str(certificate)
    with of_files():
        assert "rows in conflict (counted from 1)" in str(certificate)
        assert "b | c       2  overlap              2, 3" in str(certificate)
        assert "\nProved for the numbers in the file, each rounded to" in str(certificate)
