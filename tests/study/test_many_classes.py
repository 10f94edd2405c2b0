"""study and `rosenblatt fit` on more than two labels: scores, errors by class, verdict, report."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix

from raising import raises
from rosenblatt import load, study
from rosenblatt._study.telling_columns import fewest_in_stretches, telling_columns
from rosenblatt.data import read
from rosenblatt.errors import InputError
from rosenblatt.report.terminal import class_lines


def flowers():
    found = load_iris(as_frame=True)
    return found.data.assign(species=found.target_names[found.target])


def towns(n=240, seed=0):
    """Numbers, text and gaps; three labels that depend on them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 2)).round(3), columns=["a", "b"])
    frame["kind"] = rng.choice(["red", "green", "blue"], n)
    scores = np.column_stack([frame["a"], frame["b"], (frame["kind"] == "red") - 0.3])
    frame["label"] = np.array(["low", "middle", "top"])[
        (scores + 0.3 * rng.normal(size=(n, 3))).argmax(axis=1)
    ]
    frame.loc[::17, "b"] = np.nan
    return frame


@pytest.fixture(scope="module")
def found():
    return study(towns(), target="label", impute="mean", private=True)


@pytest.fixture(scope="module")
def iris():
    return study(flowers(), target="species")


def test_the_confusion_matrix_is_that_of_the_test_rows(found):
    document, selection = found.to_dict(), found.selection
    assert document["confusion"]["labels"] == ["low", "middle", "top"]
    expected = confusion_matrix(selection.labels, selection.predictions)
    assert document["confusion"]["counts"] == expected.tolist()
    wrong = expected.sum() - np.trace(expected)
    assert (document["error"]["test_errors"], document["error"]["test_n"]) == (wrong, 48)


def test_the_floor_is_the_most_frequent_label(found):
    counts = towns()["label"].value_counts()
    always, *ours = found.candidates
    assert (always.name, always.baseline) == ("largest class", True)
    assert found.selection.majority == counts.index[0]
    names = ["random linear", "last", "best", "pocket", "average", "average with margin"]
    assert [c.name for c in ours] == names
    assert [c.baseline for c in ours] == [True] + [False] * 5
    assert found.error < always.validation_rate / 2


def as_numbers(frame):
    """The features by name, as they stand in the table, gaps at the mean of the training rows."""
    columns = {"a": frame["a"], "b": frame["b"]}
    columns |= {f"kind={word}": frame["kind"] == word for word in ("red", "green", "blue")}
    return pd.DataFrame(columns).astype(float)


def summed(terms, rows):
    return sum(term["weight"] * rows[term["feature"]].to_numpy() for term in terms)


def test_the_cards_are_the_scores_in_the_units_of_the_table(found):
    frame = towns().dropna()
    rows, rule = as_numbers(frame), found.to_dict()["rule"]
    scores = found.estimator.decision_function(
        found.preprocessing.transform(frame.drop(columns="label"))
    )
    said = np.column_stack([summed(c["terms"], rows) + c["constant"] for c in rule["classes"]])
    assert [card["label"] for card in rule["classes"]] == ["low", "middle", "top"]
    assert np.allclose(said, scores, rtol=0, atol=1e-9 * np.abs(scores).max())
    assert rule["threshold"] is rule["label"] is rule["other"] is None
    assert rule["sentence"] == "label = the label with the highest of 3 scores"


def test_why_one_and_not_the_other_is_the_difference(found):
    frame = towns().dropna()
    rows, rule = as_numbers(frame), found.to_dict()["rule"]
    scores = found.estimator.decision_function(
        found.preprocessing.transform(frame.drop(columns="label"))
    )
    classes = found.estimator.classes_.tolist()
    assert rule["differences"]
    told = set()
    for pair in rule["differences"]:
        a, b = classes.index(pair["label"]), classes.index(pair["other"])
        told |= {a, b}
        assert a < b  # of equal scores the first is predicted: so "reaches" is right
        reached = summed(pair["terms"], rows) >= pair["threshold"]
        assert (reached == (scores[:, a] >= scores[:, b])).all()
        assert pair["sentence"].startswith(f"{pair['label']}, not {pair['other']}, if ")
        assert pair["sentence"] in found.rule
    assert told == {0, 1, 2}  # every class has a rival


def test_no_class_is_told_from_another_than_its_nearest(found):
    X, y = found.preprocessing.transform(towns().drop(columns="label")), towns()["label"]
    train = found.selection.fitted_on
    scores = found.estimator.decision_function(X[train])
    expected = set()
    for c, label in enumerate(found.estimator.classes_):
        seconds = [
            max((i for i in range(3) if i != c), key=lambda i, row=row: row[i])
            for row, own in zip(scores, y.iloc[train], strict=True)
            if own == label
        ]
        expected.add(frozenset([c, max(set(seconds), key=seconds.count)]))
    classes = found.estimator.classes_.tolist()
    told = found.to_dict()["rule"]["differences"]
    assert {frozenset(map(classes.index, (p["label"], p["other"]))) for p in told} == expected


def test_margins_are_distances_to_the_next_class(iris):
    document = iris.to_dict()
    assert document["margins"]["unit"] == "distance"
    X = iris.preprocessing.transform(flowers().drop(columns="species"))[iris.selection.fitted_on]
    y = flowers()["species"].to_numpy()[iris.selection.fitted_on]
    w, b, classes = iris.estimator.coef_, iris.estimator.intercept_, iris.estimator.classes_
    below = dict.fromkeys(classes, 0)
    for x, label in zip(X, y, strict=True):
        own = classes.tolist().index(label)
        distances = [
            ((w[own] - w[c]) @ x + b[own] - b[c]) / np.linalg.norm(w[own] - w[c])
            for c in range(3)
            if c != own
        ]
        below[label] += min(distances) < 0
    edges = np.array(document["margins"]["edges"])
    for label, counts in document["margins"]["counts"].items():
        assert sum(counts) == (y == label).sum()
        assert sum(np.array(counts)[edges[1:] <= 0]) == below[label]


def test_the_hardest_rows_were_added_to_their_own_class_most_often(iris):
    rows = iris.to_dict()["hardest_rows"]
    counts = iris.estimator.update_counts_.toarray()
    y = flowers()["species"].to_numpy()[iris.selection.fitted_on]
    own = counts[np.arange(len(y)), np.searchsorted(iris.estimator.classes_, y)]
    assert [row["updates"] for row in rows] == sorted(own.tolist(), reverse=True)[: len(rows)]
    for row in rows:
        place = iris.selection.fitted_on.tolist().index(row["row"])
        assert row["updates"] == own[place]
        assert row["label"] == y[place]


def test_iris_is_quasi_complete_and_the_proof_is_accepted(iris, shell):
    document = iris.to_dict()
    assert document["verdict"]["verdict"] == "quasi-complete separation"
    assert document["verdict"]["class_pairs"] == [
        {"first": "setosa", "second": "versicolor", "rows": 100, "separated": 100},
        {"first": "setosa", "second": "virginica", "rows": 100, "separated": 100},
        {"first": "versicolor", "second": "virginica", "rows": 100, "separated": 0},
    ]
    assert set(document["verdict"]["conflict"]) == {"rows", "labels", "rivals"}
    assert document["proof"]["by"] == "the stand-alone verifier"
    assert document["proof"]["accepted"]
    assert json.loads(json.dumps(document)) == document


def test_the_command_says_it_writes_it_and_its_files_are_good(shell, iris):
    flowers().to_csv("iris.csv", index=False)
    code, out, err = shell("fit", "iris.csv", "-y", "species")
    assert (code, err) == (0, "")
    for said in ("setosa 50 (33.3%), versicolor 50 (33.3%), virginica", "predicted virginica"):
        assert said in out
    detailed = shell("fit", "iris.csv", "-y", "species", "-v")[1]
    assert "            setosa, not versicolor, if " in detailed
    assert "Rule        setosa: " in detailed
    assert "a logistic regression has infinite coefficients" in " ".join(out.split())
    assert len(out.splitlines()) <= 20
    assert shell("verify", "iris-rosenblatt/certificate.json", "iris.csv")[0] == 0
    known = load("iris-rosenblatt/model.json")
    rows = iris.preprocessing.transform(flowers().drop(columns="species"))
    assert (
        known.decision_function(rows).tobytes() == iris.estimator.decision_function(rows).tobytes()
    )


def test_errors_by_class_are_those_of_the_worst_classes():
    confusion = {"labels": ["a", "b", "c"], "counts": [[8, 1, 1], [0, 3, 0], [2, 0, 2]]}
    assert list(class_lines(confusion)) == [
        "actual c: 2 of 4 wrong (50.0%), predicted a",
        "actual a: 2 of 10 wrong (20.0%), 1 of them predicted b",
    ]
    many = {"labels": list("abcdefghijklm"), "counts": np.eye(13, dtype=int).tolist()}
    for i in range(8, 13):
        many["counts"][i][0] = i
    first, *_, last = class_lines(many)
    assert first == "actual m: 12 of 13 wrong (92.3%), predicted a"  # the worst first
    assert last == "and 2 other labels with errors: see the report"


def test_a_kernel_has_no_cards():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)).round(3)
    y = np.array(["near", "between", "far"])[np.digitize(np.hypot(*X.T), [0.9, 1.5])]
    found = study(X, y)
    assert found.selection.winner.name == "rbf kernel"
    rule = found.to_dict()["rule"]
    assert rule["sentence"].startswith("y by an rbf kernel: ")
    assert "classes" not in rule
    assert found.to_dict()["margins"]["unit"] == "score"
    assert "rbf kernel" in found._repr_html_()


def test_sparse_rows_folds_and_disk_find_the_same_classes(tmp_path):
    X, y = load_iris(return_X_y=True)
    for found in (
        study(sparse.csr_array(X), y),
        study(X, y, cv=3),
        study(X, y, stream=True, cache=tmp_path / "cache"),
    ):
        document = found.to_dict()
        assert np.shape(document["confusion"]["counts"]) == (3, 3)
        assert document["verdict"]["verdict"] == "quasi-complete separation"
        assert document["error"]["rate"] < 0.2


def test_wide_tables_are_decided_by_training_first():
    rng = np.random.default_rng(0)
    for d, k in ((300, 3), (60, 20)):  # many columns; many columns times classes
        X, y = rng.normal(size=(5 * k + 40, d)), np.arange(5 * k + 40) % k
        document = study(X, y, private=True).to_dict()
        assert document["verdict"]["verdict"] == "complete separation"
        assert document["proof"]["accepted"]
        assert f"{k} classes" in document["verdict"]["sentence"]


def test_two_labels_have_nothing_of_many():
    frame = towns()
    document = study(
        frame.assign(label=frame["label"] == "low"), target="label", impute="mean"
    ).to_dict()
    assert {"classes", "differences"}.isdisjoint(document["rule"])
    assert "class_pairs" not in document["verdict"]
    assert document["candidates"][0]["name"] == "larger class"


def test_too_few_rows_of_a_label_are_refused_with_advice():
    frame = towns()
    frame.loc[:2, "label"] = "rare"
    with raises(InputError):
        study(frame, target="label", impute="mean")


# --- Columns that tell too much -------------------------------------------------------------------


def test_a_column_that_tells_the_label_is_suspect(found):
    frame = towns()
    codes = frame["label"].map({"low": 2.0, "middle": 7.0, "top": 5.0})
    table = frame.assign(code=codes + 0.01 * frame["a"], copy="is " + frame["label"])
    X, y, preprocessing = read(table, target="label", impute="mean").encode()
    assert telling_columns(X, y, preprocessing).keys() == {"code", "copy"}
    assert not any("leakage" in said for said in found.warnings)


def test_a_column_that_tells_a_rare_label_from_all_others_is_suspect():
    """Of 3.5% it is right about all, of the others wrong about few; it says nothing of these."""
    rng = np.random.default_rng(0)
    label = rng.choice(["low", "middle", "top"], 2000, p=[0.6, 0.365, 0.035])
    code = np.where(label == "top", 4, rng.choice([0, 1, 2, 3, 5], 2000))
    code[rng.random(2000) < 0.002] = 4
    frame = pd.DataFrame({"a": rng.standard_normal(2000).round(2), "code": code, "label": label})
    X, y, preprocessing = read(frame, target="label").encode()
    told = telling_columns(X, y, preprocessing)
    wrong = ((code == 4) != (label == "top")).mean()
    assert told == {"code": (wrong, "top")}
    even = label[rng.permutation(2000)]  # the same shares, told by nothing
    assert telling_columns(X, even, preprocessing) == {}


def test_petals_do_not_tell_the_species_alone(iris):
    assert iris.warnings == []


def test_fewest_errors_in_stretches_by_trying_all(heavy):
    rng = np.random.default_rng(0)
    for _ in range(heavy(400)):
        counts = rng.integers(0, 4, size=(int(rng.integers(1, 6)), 3))
        total, fewest = counts.sum(), None
        for labels in itertools.product(range(3), repeat=len(counts)):
            if 1 + sum(a != b for a, b in itertools.pairwise(labels)) <= 3:
                wrong = total - sum(row[c] for row, c in zip(counts, labels, strict=True))
                fewest = wrong if fewest is None else min(fewest, wrong)
        assert fewest_in_stretches(counts, 3) == fewest
