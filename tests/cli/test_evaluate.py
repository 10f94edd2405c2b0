"""rosenblatt evaluate; and predict: columns that are given along, rows that lack a value."""

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix

from commands import line_of, write
from raising import check_sentence
from rosenblatt import Perceptron, data, load, save
from rosenblatt._model.objective import Objective
from rosenblatt.selection import clopper_pearson

TABLE = "id,a,town,score,y\n" + "".join(
    f"P{i:02d},{i % 7 + 0.5},{'uv'[i % 2]},{i},{'yes' if i % 7 > 2 else 'no'}\n" for i in range(28)
)


@pytest.fixture
def model(shell):
    """A rule with its preprocessing, which fills nothing."""
    path = write("t.csv", TABLE)
    X, y, preprocessing = data.read(path, target="y", ignore=["id", "score"]).encode()
    save(
        Perceptron(max_iter=3, random_state=0).fit(X, y),
        "m.json",
        preprocessing=preprocessing.to_dict(),
    )
    return path


def rows_of(out):
    return list(csv.reader(out.splitlines()))


# --- predict --------------------------------------------------------------------------------------


def test_columns_are_given_along_as_they_are_written(shell, model):
    _, out, _ = shell("predict", "m.json", model, "--copy", "id", "--copy", "a")
    header, first, *rest = rows_of(out)
    assert header == ["row", "id", "a", "prediction", "score"]
    assert first[:3] == ["1", "P00", "0.5"]
    assert [row[1] for row in rest] == [f"P{i:02d}" for i in range(1, 28)]
    plain = rows_of(shell("predict", "m.json", model)[1])
    assert [[row[0], *row[3:]] for row in rest] == plain[2:]
    header, *_ = rows_of(shell("predict", "m.json", model, "--copy", "all")[1])
    assert header == ["row", "id", "a", "town", "score (of the table)", "y", "prediction", "score"]
    found = json.loads(shell("predict", "m.json", model, "--copy", "town", "--json")[1])
    assert [row["copied"]["town"] for row in found["rows"]] == ["u", "v"] * 14


def test_a_column_that_is_not_there_cannot_be_kept(shell, model):
    code, out, err = shell("predict", "m.json", model, "--copy", "ID", "-o", "p.csv")
    assert (code, out) == (2, "")
    check_sentence(err.strip())


def test_a_row_that_lacks_a_value_has_no_prediction(shell, model):
    new = write("new.csv", "id,a,town\nA,1.5,u\nB,,v\nC,4.5,\nD,6.5,v\n")
    code, out, err = shell("predict", "m.json", new, "--copy", "id", "--explain")
    _, *rows = rows_of(out)
    assert code == 0
    assert [row[1] for row in rows] == ["A", "B", "C", "D"]
    assert [not any(row[2:]) for row in rows] == [False, True, True, False]
    check_sentence(err.strip())
    whole = write("whole.csv", "id,a,town\nA,1.5,u\nD,6.5,v\n")
    expected = rows_of(shell("predict", "m.json", whole, "--copy", "id", "--explain")[1])[1:]
    assert [rows[0][2:], rows[3][2:]] == [row[2:] for row in expected]
    found = json.loads(shell("predict", "m.json", new, "--json")[1])["rows"]
    assert found[1] == {"row": 1, "prediction": None, "score": None, "missing": ["a"]}
    code, out, err = shell("predict", "m.json", new, "--on-missing", "error")
    assert (code, out) == (2, "")
    check_sentence(err.strip())


def test_what_was_filled_in_training_is_filled(shell):
    path = write("t.csv", TABLE.replace("P03,3.5,v", "P03,,"))
    X, y, preprocessing = data.read(
        path, target="y", ignore=["id", "score"], impute="mean"
    ).encode()
    p = Perceptron(max_iter=3, random_state=0).fit(X, y)
    save(p, "m.json", preprocessing=preprocessing.to_dict())
    _, out, err = shell("predict", "m.json", path)
    assert [float(row[2]) for row in rows_of(out)[1:]] == p.decision_function(X).tolist()
    assert err == ""


# --- score ----------------------------------------------------------------------------------------


def test_errors_are_those_that_scikit_learn_counts(shell):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    lines = [
        ",".join(map(repr, row.tolist())) + f",{name}" for row, name in zip(X, names, strict=True)
    ]
    path = write("iris.csv", "\n".join(["a,b,c,d,kind", *lines]))
    X, y, preprocessing = data.read(path, target="kind").encode()
    p = Perceptron(max_iter=2, random_state=1).fit(X, y)
    save(p, "m.json", preprocessing=preprocessing.to_dict())
    code, out, _ = shell("evaluate", "m.json", path, "--json")
    found = json.loads(out)
    expected = confusion_matrix(y, p.predict(X))
    wrong = int(expected.sum() - expected.trace())
    assert code == 0
    assert wrong > 0
    assert found["confusion"]["counts"] == expected.tolist()
    assert (found["rows"], found["errors"], found["majority_errors"]) == (150, wrong, 100)
    assert found["rate"] == pytest.approx(1 - p.score(X, y))
    assert found["interval"] == list(clopper_pearson(wrong, 150))
    assert found["interval_method"] == "Clopper-Pearson"
    for c, of in enumerate(found["classes"]):
        errors = int(50 - expected[c, c])
        assert (of["rows"], of["errors"]) == (50, errors)
        assert of["interval"] == list(clopper_pearson(errors, 50))
        assert sum(of["predicted_as"].values()) == errors
    _, out, _ = shell("evaluate", "m.json", path)
    assert f"{wrong / 150:.1%} ({wrong} of 150 rows wrong), 95% interval" in out
    assert "(Clopper-Pearson)" in out
    assert "setosa: 0.0% (0 of 50 rows wrong)" in out


def test_rows_that_cannot_be_judged_are_not_counted(shell, model):
    new = write("new.csv", "a,town,y\n1.5,u,no\n,v,yes\n4.5,u,\n6.5,v,yes\n")
    code, _, err = shell("evaluate", "m.json", new)
    assert code == 2
    check_sentence(err.strip())
    code, out, _ = shell("evaluate", "m.json", new, "--drop-unlabelled", "--json")
    found = json.loads(out)
    assert (code, found["rows"], found["not_judged"]) == (0, 2, 1)
    code, out, _ = shell("evaluate", "m.json", new, "--drop-unlabelled")
    assert "1 row without a prediction" in out


def test_rows_without_a_label_are_said_to_be_left_out(shell, model):
    new = write("new.csv", "a,town,y\n1.5,u,no\n2.5,v,\n4.5,u,\n6.5,v,yes\n")
    _, out, _ = shell("evaluate", "m.json", new, "--drop-unlabelled")
    check_sentence(line_of(out, "left out"))
    found = json.loads(shell("evaluate", "m.json", new, "--drop-unlabelled", "--json")[1])
    assert (found["rows"], found["unlabelled"], found["not_judged"]) == (2, 2, 0)


# --- what errors cost -----------------------------------------------------------------------------


@pytest.fixture
def costly(shell):
    """a from 0.5 to 6.5 and its rule: yes from 3 on, which is wrong about a few rows here."""
    path = write("t.csv", TABLE)
    X, y, preprocessing = data.read(path, target="y", ignore=["id", "town", "score"]).encode()
    p = Perceptron(random_state=0).fit(X, y)
    assert p.training_errors_ == 0
    save(
        p, "m.json", preprocessing=preprocessing, objective=Objective("cost", {("yes", "no"): 5.0})
    )
    return write("new.csv", "a,y\n0.5,yes\n1.5,yes\n2.5,no\n3.5,no\n4.5,yes\n6.5,yes\n")


def test_the_cost_stands_beside_the_errors(shell, costly):
    # Two yes are called no, at 5 each, and one no is called yes: 11. Always yes costs 2.
    _, out, _ = shell("evaluate", "m.json", costly)
    check_sentence(line_of(out, "1.83"))
    check_sentence(line_of(out, "3.33"))
    check_sentence(line_of(out, "costs 5"))
    check_sentence(line_of(out, "(1); cost 1"))
    subjects = [line[:9].strip() for line in out.splitlines()]
    assert subjects.index("cost") < subjects.index("error")
    check_sentence(line_of(out, "cost 10"))
    found = json.loads(shell("evaluate", "m.json", costly, "--json")[1])
    assert found["cost"]["total"] == 11
    assert found["cost"]["always"] == {"no": 20, "yes": 2}
    assert [of["cost"] for of in found["classes"]] == [1, 10]
    low, high = found["cost"]["interval"]
    # The mean of six rows, give or take two of its standard errors.
    spread = (np.var([5, 5, 0, 1, 0, 0]) / 6) ** 0.5
    assert low == pytest.approx(11 / 6 - 1.96 * spread, abs=0.5)
    assert high == pytest.approx(11 / 6 + 1.96 * spread, abs=0.5)
    asked = {"actual": "yes", "predicted": "no", "cost": 5.0}
    assert found["objective"] == {"decides": "cost", "costs": [asked], "class_weight": None}


def test_no_error_has_no_interval_of_its_cost(shell, costly):
    """Rows that cost nothing, drawn again, cost nothing: that is not known of other rows."""
    right = write("right.csv", "a,y\n0.5,no\n1.5,no\n4.5,yes\n6.5,yes\n")
    _, out, _ = shell("evaluate", "m.json", right)
    check_sentence(line_of(out, "cost "))
    found = json.loads(shell("evaluate", "m.json", right, "--json")[1])
    assert found["cost"]["interval"] is None


def test_the_same_cost_from_python(shell, costly):
    p = load("m.json")
    X, y = p.preprocessing_.transform("new.csv"), ["yes", "yes", "no", "no", "yes", "yes"]
    assert p.objective_.cost(y, p.predict(X)) == 11
    save(p, "again.json")  # it is not lost on the way
    assert load("again.json").objective_ == p.objective_
    p.fit(X, y)  # another training was chosen by nothing
    assert not hasattr(p, "objective_")


def test_a_rule_without_costs_has_no_cost(shell, model):
    _, out, _ = shell("evaluate", "m.json", model)
    assert "cost" not in out
    assert json.loads(shell("evaluate", "m.json", model, "--json")[1])["cost"] is None


def test_a_rule_chosen_by_the_mean_of_labels_shows_it(shell, costly):
    p = load("m.json")
    save(p, "m.json", objective=Objective("balanced", {}, "balanced"))
    # Half of four yes and half of two no are wrong.
    _, out, _ = shell("evaluate", "m.json", costly)
    check_sentence(line_of(out, "always the same label"))
    check_sentence(line_of(out, "chosen"))
    subjects = [line[:9].strip() for line in out.splitlines()]
    assert subjects.index("balanced") < subjects.index("error")
    balanced = json.loads(shell("evaluate", "m.json", costly, "--json")[1])["balanced"]
    assert (balanced["rate"], balanced["baseline"]) == (0.5, 0.5)
    write("one.csv", "a,y\n0.5,yes\n")  # there is no rate of the other label
    assert json.loads(shell("evaluate", "m.json", "one.csv", "--json")[1])["balanced"] is None


def test_labels_that_are_numbers_stand_in_quotes(shell):
    write("t.csv", "a,y\n" + "".join(f"{i},{i // 5}\n" for i in range(10)))
    X, y, preprocessing = data.read("t.csv", target="y").encode()
    p = Perceptron(random_state=0).fit(X, y)
    save(p, "m.json", preprocessing=preprocessing, objective=Objective("cost", {("1", "0"): 5.0}))
    _, out, _ = shell("evaluate", "m.json", write("n.csv", "a,y\n0,1\n9,1\n"))
    assert 'always "1": 0.0%' in out
    check_sentence(line_of(out, "costs 5"))
    assert '"1": 50.0% (1 of 2 rows wrong)' in out
    assert 'predicted "0" (1); cost 5' in out


def test_what_cannot_be_scored_is_one_error(shell, model):
    assert (
        "the label 'maybe'"
        in shell("evaluate", "m.json", write("n.csv", "a,town,y\n1,u,maybe\n"))[2]
    )
    check_sentence(shell("evaluate", "m.json", write("n.csv", "a,town\n1,u\n"))[2].strip())
    check_sentence(shell("evaluate", "m.json", write("n.csv", "a,town,y\n,u,no\n"))[2].strip())
    check_sentence(shell("evaluate", "other.json", model)[2].strip())


def test_svmlight_files_are_scored(shell):
    write("t.svm", "".join(f"{1 if i % 5 > 2 else -1} 1:{i % 5} 2:1\n" for i in range(20)))
    table = data.read("t.svm")
    X, y, _ = table.encode()
    save(Perceptron(random_state=0).fit(X, y), "m.json")
    found = json.loads(shell("evaluate", "m.json", "t.svm", "--json")[1])
    assert (found["rows"], found["errors"]) == (20, 0)
    write("other.svm", "3 1:2\n")
    code, _, err = shell("evaluate", "m.json", "other.svm")
    assert code == 2
    assert "the label 3" in err
