"""What a reader without the field's words would misread: it is said so that it cannot be."""

import math
from itertools import product
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from raising import raises
from rosenblatt import study
from rosenblatt._study.telling_columns import by_chance, log_tail
from rosenblatt.errors import InputError
from rosenblatt.selection import Candidate
from rosenblatt.selection.candidates import candidates, not_streamed, not_tried, streamed
from rosenblatt.selection.criterion import Criterion


def table(n=100, **columns):
    rng = np.random.default_rng(3)
    a = rng.standard_normal(n).round(3)
    frame = pd.DataFrame({"a": a, **columns})
    frame["label"] = np.where(a + 0.6 * rng.standard_normal(n) > 0, "yes", "no")
    return frame


def kinds(found):
    return {w["kind"]: w for w in found.to_dict()["data"]["warnings"]}


# --- Columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", range(1, 61))
def test_what_chance_might_do_is_no_leak(rows):
    """Against the exact count of ways to deal the labels; of 60 rows 12 are positive."""
    likely = max(comb(60 - rows, 12 - k) for k in range(13) if 12 - k <= 60 - rows and k <= rows)
    chance = likely / comb(60, 12) * 2 * 60 * 5
    assert by_chance(rows, [48, 12], features=5) == (chance > 0.01)


def test_nine_rows_without_it_are_no_leak():
    """A column that is positive in 38 of 214 rows: none of 9 has it in 17 % of all draws."""
    assert comb(205, 38) / comb(214, 38) == pytest.approx(0.17, abs=0.01)
    assert by_chance(38, [205, 9], features=9)
    assert not by_chance(214, [205, 9], features=9)


def test_columns_that_repeat_others_are_read_together():
    rng = np.random.default_rng(0)
    school = rng.choice(["none", "high", "college"], 100)
    years = pd.Series(school).map({"none": 8, "high": 12, "college": 16}).to_numpy()
    found = kinds(study(table(school=school, years=years), target="label"))["collinear"]
    assert found["columns"] == ["years", "school"]
    assert "years can be computed from school" in found["sentence"]
    assert "ignore=['years']" in found["sentence"]
    assert "ignore=['school']" not in found["sentence"]  # one number of it is three levels
    assert "collinear" not in kinds(study(table(school=school), target="label"))


def test_levels_that_coincide_are_told_as_levels():
    """No service of one kind goes with none of the other: neither column follows from the other."""
    rng = np.random.default_rng(0)
    internet = rng.choice(["dsl", "fibre", "no"], 100)
    security = np.where(internet == "no", "no internet", rng.choice(["yes", "no"], 100))
    found = kinds(study(table(internet=internet, security=security), target="label"))["collinear"]
    assert found["sentence"] == (
        "[security=no internet] = [internet=no] in every row (collinear): read their weights "
        "together, not singly."
    )


@pytest.mark.parametrize("levels", [2, 3])
def test_of_two_columns_that_say_the_same_either_may_go(levels):
    rng = np.random.default_rng(0)
    code = rng.integers(0, levels, 100)
    same = {
        "town": np.array(["Bern", "Graz", "Lyon"])[code],
        "post": np.array(["B", "G", "L"])[code],
    }
    found = kinds(study(table(**same), target="label"))["collinear"]
    assert found["sentence"].count("can be computed from") == 1
    assert all(f"ignore=['{name}']" in found["sentence"] for name in same)


def test_a_sum_is_computed_from_its_parts():
    rng = np.random.default_rng(0)
    east, west = rng.integers(0, 50, (2, 100))
    found = kinds(study(table(east=east, west=west, both=east + west), target="label"))
    assert set(found["collinear"]["columns"]) == {"east", "west", "both"}
    assert found["collinear"]["sentence"].count("ignore=") == 1


def test_a_question_mark_that_counts_as_a_category(shell):
    table(town=["Delft", "?", "Graz", "Delft"] * 25).to_csv("t.csv", index=False)
    note = (
        "'?' counts as a category of 'town'. If it stands for a missing value, use --na-values '?'"
    )
    for command in ("inspect", "fit"):
        assert note in " ".join(shell(command, "t.csv", "-y", "label")[1].split())
    given = ("fit", "t.csv", "-y", "label", "--na-values", "?", "--impute", "mean")
    assert "counts as a category" not in shell(*given)[1]


# --- Candidates ----------------------------------------------------------------------------------


def test_what_was_not_tried_is_said(shell):
    table().to_csv("t.csv", index=False)
    said = f"{'rbf kernel':<20}not tried: "
    assert said not in shell("fit", "t.csv", "-y", "label", "-v")[1]
    told = shell("fit", "t.csv", "-y", "label", "--private", "-v")[1]
    assert f"{said}its rule is made of training rows" in told
    assert said in shell("fit", "t.csv", "-y", "label", "--stream", "--cache", ".", "-v")[1]


@pytest.mark.parametrize("size", [(1000, 10), (3000, 3), (3001, 3), (100_000, 11)])
def test_every_usual_candidate_is_tried_or_said_not_to_be(size):
    usual = set(candidates(10, 2))
    assert candidates(*size).keys() | not_tried(*size).keys() == usual
    assert not candidates(*size).keys() & not_tried(*size).keys()
    assert streamed().keys() | not_streamed().keys() == usual


class Weights:
    coef_ = (1.0,)


def candidate(name, train, validation, rule=None):
    return Candidate(name, rule or Weights(), train, 60, validation, 20)


def test_of_equal_candidates_the_one_with_fewer_training_errors():
    last, kept = candidate("last", 9, 3), candidate("best", 6, 3)
    kernel, worse = candidate("kernel", 0, 3, object()), candidate("average", 0, 4)
    best = Criterion(1.0 - np.eye(2)).best
    assert best([last, kept, kernel, worse]) == (kept, None)
    assert best([last, kernel]) == (last, None)  # weights can be read
    assert best([worse, kernel]) == (kernel, None)
    assert best([kept, candidate("again", 6, 3)])[0] is kept


def test_the_floor_is_marked_and_each_label_has_its_errors(shell):
    table().to_csv("t.csv", index=False)
    out = shell("fit", "t.csv", "-y", "label", "-v")[1]
    marked = [
        line.split()[0] for line in out.splitlines() if line.endswith("baseline, never chosen")
    ]
    assert marked == ["larger", "random"]
    found = study("t.csv", target="label").to_dict()
    (right, wrong), (missed, _) = found["confusion"]["counts"]
    (no,) = (line.split() for line in out.splitlines() if line.startswith("actual no"))
    assert no[2:] == [str(right), str(wrong), f"{wrong / (right + wrong):.1%}", "wrong"]
    assert f"actual yes {missed} " in " ".join(out.split())


# --- Commands and messages -----------------------------------------------------------------------


def test_a_certificate_that_names_rows_is_said_not_to_be_written(shell):
    table().to_csv("t.csv", index=False)
    said = "certificate.json is not written: its proof names rows (--private)"
    assert said in shell("fit", "t.csv", "-y", "label", "--private")[1]
    assert said not in shell("fit", "t.csv", "-y", "label")[1]


def test_without_a_target_the_columns_are_named(shell):
    frame = table(b=1.5)
    frame.to_csv("t.csv", index=False)
    assert "The columns: 'a', 'b', 'label'." in shell("fit", "t.csv")[2]
    with raises(InputError, option="target"):
        study(frame)
    with raises(InputError, option="y", value="label"):
        study(frame, "label")


def test_new_rows_with_names_where_training_had_none(shell):
    frame = table()
    frame.to_csv("t.csv", index=False, header=False)
    assert shell("fit", "t.csv", "--no-header", "-y", "x1", "-o", "f")[0] == 0
    frame[["a"]].to_csv("new.csv", index=False, header=["x0"])
    code, _, err = shell("predict", "f/model.json", "new.csv", "--no-header")
    assert code == 2
    assert "use --header" in err
    code, _, err = shell("predict", "f", "new.csv")
    assert (code, err) == (2, "Error: f is a folder: give the model file in it: f/model.json.\n")
    assert shell("predict", "f/model.json", "new.csv", "--header")[0] == 0


def test_six_labels_are_all_named(shell):
    table(n=120, kind=list("abcdef") * 20).to_csv("t.csv", index=False)
    assert "6: 'a', 'b', 'c', 'd', 'e', 'f'" in shell("inspect", "t.csv")[1]


def test_the_tail_of_the_hypergeometric_distribution():
    # by the binomial coefficients themselves
    for n, ones, called, least in product(range(1, 9), range(9), range(9), range(-1, 10)):
        if ones <= n and called <= n:
            ways = [comb(ones, k) * comb(n - ones, called - k) for k in range(called + 1)]
            share = sum(ways[max(least, 0) :]) / comb(n, called)
            assert math.exp(log_tail(least, n, ones, called)) == pytest.approx(share, rel=1e-12)
    for least in (0, 240, 300, 350, 400):
        expected = hypergeom.logsf(least - 1, 50_000, 6_000, 2_000)
        assert log_tail(least, 50_000, 6_000, 2_000) == pytest.approx(expected, rel=1e-8, abs=1e-8)
