"""What a verdict says first is what it means, and then exactly what was proved."""

import pytest

from rosenblatt import certify

ABOUT = "This is about infinite coefficients, not about how often a rule errs."


def first(*given, **options):
    return str(certify(*given, **options)).split("\n")[:2]


@pytest.mark.parametrize(("intercept", "where"), [(True, ""), (False, " through the origin")])
def test_overlap_says_that_no_rule_is_right_about_all(intercept, where):
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 1, 0, 1]
    assert first(X, y, fit_intercept=intercept) == [
        f"Overlap: no linear rule{where} is right about all 4 rows, as is common in real data.",
        f"Every hyperplane{where} has at least one of the rows on the wrong side, or all of them "
        "on it.",
    ]


def test_one_row_is_not_several():
    assert first([[0.0]], [1], fit_intercept=False)[0] == (
        "Overlap: no linear rule through the origin is right about the one row."
    )


def test_quasi_complete_separation_is_not_read_as_the_error():
    """x = 1 has both labels, so that only 2 and 3 can be told, and only from there on."""
    assert first([[1.0], [1.0], [2.0], [3.0]], [0, 1, 1, 1]) == [
        "Quasi-complete separation: 2 of 4 rows can be told for certain by a linear rule with no "
        f"row on the wrong side; the other 2 cannot. {ABOUT}",
        "A hyperplane has 2 rows strictly on the right side and the other 2 on it; none without a "
        "row on the wrong side has more.",
    ]
    assert first([[0.0], [1.0]], [1, 0], fit_intercept=False) == [
        "Quasi-complete separation: 1 of 2 rows can be told for certain by a linear rule through "
        f"the origin with no row on the wrong side; the other one cannot. {ABOUT}",
        "A hyperplane through the origin has one row strictly on the right side and the other one "
        "on it; none without a row on the wrong side has more.",
    ]


def test_rows_of_weight_0_are_not_counted():
    X, y = [[1.0], [1.0], [2.0], [9.0]], [0, 1, 1, 0]
    said = str(certify(X, y, sample_weight=[1, 1, 1, 0]))
    assert said.startswith("Quasi-complete separation: 1 of 3 rows can be told for certain by a ")
    assert "\nLeft out: one row of weight 0.\n" in said


def test_many_classes_are_told_alike():
    """b is between the rows of a: three comparisons tie, and those with c, 3 + 2, do not."""
    X, y = [[0.0], [1.0], [2.0], [5.0]], ["a", "b", "a", "c"]
    certificate = certify(X, y)
    assert first(X, y) == [
        "Quasi-complete separation: 5 of 8 comparisons of a row's own class with another can be "
        "told for certain by a linear rule for the 3 classes with none of them wrong; the other 3 "
        f"cannot. {ABOUT}",
        "Weights for each of the classes have the own class strictly ahead in 5 comparisons and "
        "tie in the other 3; none without a wrong comparison have more.",
    ]
    assert "x0 for class a (-), (intercept) for class a (+)" in str(certificate)
    assert "row 1 (label b against a, 50.0%)" in str(certificate)
    mixed = [[0.0], [1.0], [2.0], [0.0], [1.0], [2.0]], ["a", "b", "c", "c", "a", "b"]
    assert first(*mixed, fit_intercept=False) == [
        "Overlap: no linear rule for the 3 classes, without intercepts, is right about all 6 rows, "
        "as is common in real data.",
        "Whatever the weights of the classes, without intercepts, are, at least one of the rows "
        "has a higher score for another class than for its own, or all scores tie.",
    ]


def test_that_two_classes_alone_may_be_apart_is_said_unless_it_is_decided():
    X, y = [[0.0], [1.0], [2.0], [5.0]], ["a", "b", "a", "c"]
    hint = "Two classes alone may still be apart: --pairs (pairs=True) decides about each pair."
    assert hint in str(certify(X, y))
    assert hint not in str(certify(X, y, pairs=True))


def test_a_share_is_named_with_its_label():
    said = str(certify([[0.0], [1.0], [2.0]], [1, 0, 1]))
    assert "row 1 (label 0, 100.0%), row 0 (label 1, 50.0%), row 2 (label 1, 50.0%)." in said
