"""rosenblatt predict, more than two classes: the runner-up, and reasons for the lead."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from rosenblatt import KernelPerceptron, Perceptron, data, save


@pytest.fixture
def trained(tmp_path):
    """A rule for three kinds of iris, and the rows that it is asked about."""
    found = load_iris(as_frame=True)
    table = found.data.assign(species=found.target_names[found.target])
    X, y, preprocessing = data.read(table, target="species").encode()
    p = Perceptron(keep="average", max_iter=5, random_state=0).fit(X, y)
    save(p, tmp_path / "m.json", preprocessing=preprocessing)
    found.data.to_csv(tmp_path / "new.csv", index=False)
    return p, X, preprocessing


def test_the_runner_up_is_the_second_highest_score(shell, trained):
    p, X, _ = trained
    code, out, _ = shell("predict", "m.json", "new.csv")
    assert code == 0
    header, *rows = csv.reader(out.splitlines())
    assert header == ["row", "prediction", "score", "runner-up", "its score"]
    assert [row[1] for row in rows] == p.predict(X).tolist()
    for row, scores in zip(rows, p.decision_function(X).tolist(), strict=True):
        first, second, _ = sorted(zip(scores, p.classes_, strict=True), reverse=True)
        assert row[1:] == [first[1], repr(first[0]), second[1], repr(second[0])]


def test_reasons_add_up_to_the_lead(shell, trained):
    p, X, preprocessing = trained
    _, out, _ = shell("predict", "m.json", "new.csv", "--explain", "--reasons", "2", "--json")
    found = json.loads(out)
    assert found["labels"] == ["setosa", "versicolor", "virginica"]
    w, names, classes = p.coef_, preprocessing.feature_names, p.classes_.tolist()
    for x, row in zip(X, found["rows"], strict=True):
        a, b = classes.index(row["prediction"]), classes.index(row["runner_up"])
        adds = (w[a] - w[b]) * x
        lead = row["score"] - row["runner_up_score"]
        told = [reason["adds"] for reason in row["reasons"]]
        assert lead >= 0
        assert sum(told) + row["others"] + row["intercept"] == pytest.approx(lead, abs=1e-9)
        heaviest = np.argsort(-np.abs(adds))[:2]
        assert [reason["feature"] for reason in row["reasons"]] == [names[j] for j in heaviest]
        assert told == pytest.approx(adds[heaviest])
    _, text, _ = shell("predict", "m.json", "new.csv", "--explain")
    header, first, *_ = csv.reader(text.splitlines())
    assert header[:5] == ["row", "prediction", "score", "runner-up", "its score"]
    cells = dict(zip(header, first, strict=True))
    adds = [float(cell) for name, cell in cells.items() if "add" in name and cell]
    lead = float(cells["score"]) - float(cells["its score"])
    assert sum(adds) + float(cells["intercept"]) == pytest.approx(lead)


def test_of_equal_scores_the_first_is_predicted_and_the_next_is_runner_up(shell, tmp_path):
    rows = pd.DataFrame({"a": [1.0, 0.0, -1.0, 0.0], "y": list("uvwu")})
    X, y, preprocessing = data.read(rows, target="y").encode(scale=False)
    p = Perceptron(keep="last", max_iter=1, max_updates=1, order="cyclic").fit(X, y)
    assert p.coef_.tolist() == [[1.0], [-1.0], [0.0]] == p.intercept_[:, None].tolist()
    save(p, tmp_path / "m.json", preprocessing=preprocessing)
    (tmp_path / "new.csv").write_text("a\n-1\n")  # the scores are 1 - 1, 1 - 1 and 0
    _, out, _ = shell("predict", "m.json", "new.csv")
    label, _, rival, _ = out.splitlines()[1].split(",")[1:]
    assert (label, rival) == ("u", "v")


def test_a_kernel_names_the_runner_up_and_has_no_reasons(shell, trained, tmp_path):
    _, X, preprocessing = trained
    y = load_iris().target
    p = KernelPerceptron(kernel="rbf", random_state=0).fit(X, y)
    save(p, tmp_path / "k.json", preprocessing=preprocessing)
    _, out, _ = shell("predict", "k.json", "new.csv")
    assert out.splitlines()[0] == "row,prediction,score,runner-up,its score"
    assert "has none" in shell("predict", "k.json", "new.csv", "--explain")[2]
