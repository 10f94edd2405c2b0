"""rosenblatt fit --stream: rows on disk, divided by their numbers, and what is said of them."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron, data, model_file, train
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core import fit as streams
from rosenblatt._study import stream as study_stream
from rosenblatt.data.svmlight import read_svmlight
from rosenblatt.selection.stored import fifths

WORD = 2**64 - 1


def of_name(name):
    """The candidate, as its name says."""
    keep, _, margin = name.partition(" with ")
    more = {"margin": "wide"} if margin else {}
    return Perceptron(order="blocks", keep=keep, random_state=0, **more)


def mixed(z):
    """The output function of SplitMix64: Steele, Lea and Flood (2014), as published by Vigna."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def parts(n, seed=0):
    """The rows that train, choose and test, in whole numbers of Python."""
    golden = 0x9E3779B97F4A7C15
    start = mixed(seed * golden & WORD)
    fifth = np.array([(mixed((start + (i + 1) * golden) & WORD) >> 32) % 5 for i in range(n)])
    return np.flatnonzero(fifth > 1), np.flatnonzero(fifth == 1), np.flatnonzero(fifth == 0)


def made(n=900, seed=0, **columns):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)).round(3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = rng.choice(["red", "green", "blue"], n)
    score = X[:, 0] + 0.5 * rng.standard_normal(n) + (frame["kind"] == "red")
    return frame.assign(**columns, label=np.where(score > 0, "yes", "no"))


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(compute, "block", 128)


@pytest.fixture
def fit(shell):
    def call(*arguments):
        code, out, err = shell("fit", *arguments, "--stream", "--cache", "cache", "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return call


# --- The division ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_rows_are_divided_by_their_number(seed):
    found = fifths(seed, 0, 500)
    for rows, wanted in zip(parts(500, seed), ([2, 3, 4], [1], [0]), strict=True):
        assert rows.tolist() == np.flatnonzero(np.isin(found, wanted)).tolist()
    assert fifths(seed, 123, 456).tolist() == found[123:456].tolist()


def test_every_fifth_gets_its_share():
    n = 100_000
    counts = np.bincount(fifths(3, 0, n))
    assert len(counts) == 5
    assert np.abs(counts - n / 5).max() < 5 * np.sqrt(n * 0.2 * 0.8)  # five standard deviations


# --- The rule and its errors ----------------------------------------------------------------------


def written(form):
    """The same table as two files of text, one of which has two thirds, or as Parquet."""
    frame = made()
    if form == "csv":
        frame[:600].to_csv("part-1.csv", index=False)
        frame[600:].to_csv("part-2.csv", index=False)
        return ["part-1.csv", "part-2.csv"]
    frame.to_parquet("t.parquet")
    return ["t.parquet"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("target", [("label", None), ("kind", "green")])
def test_the_rule_is_that_of_train_and_its_errors_are_counted_right(fit, form, target):
    column, positive = target
    files = written(form)
    more = [] if positive is None else ["--positive", positive]
    found = fit(*files, "-y", column, *more)
    trained, choosing, testing = parts(900)
    X, y, _ = data.read(files, target=column, positive=positive).encode()

    def batches():
        for i in range(0, len(trained), 200):
            yield X[trained[i : i + 200]], y[trained[i : i + 200]]

    model = model_file.read(found["files"]["model"])
    name = found["rule"]["name"]
    expected = train(of_name(name), batches)
    same_order = expected.classes_.tolist() == model.estimator.classes_.tolist()
    sign = 1 if same_order else -1  # a function's labels are sorted
    assert (sign * expected.coef_ == model.estimator.coef_).all()
    assert (sign * expected.intercept_ == model.estimator.intercept_).all()

    again, labels = data.Preprocessing.from_dict(model.preprocessing).transform_labelled(files)
    assert (again == X).all()
    assert (labels == y).all()
    wrong = model.estimator.predict(again) != labels
    assert found["error"]["test_errors"] == wrong[testing].sum() < len(testing) * 0.5
    assert found["error"]["test_n"] == len(testing)
    chosen = next(c for c in found["candidates"] if c["chosen"])
    assert (chosen["train_errors"], chosen["train_n"]) == (wrong[trained].sum(), len(trained))
    assert chosen["validation_errors"] == wrong[choosing].sum()
    counts = pd.crosstab(labels[testing], model.estimator.predict(again[testing]))
    classes = found["confusion"]["labels"]
    counts = counts.reindex(index=classes, columns=classes, fill_value=0)
    assert found["confusion"]["counts"] == counts.to_numpy().tolist()
    assert found["data"]["rows"] == 900
    assert found["verdict"]["rows"] == 900
    assert found["learning"]["rows"] == len(trained)
    assert sum(map(sum, found["margins"]["counts"].values())) == len(trained)
    always = found["candidates"][0]["validation_errors"]
    assert always == (labels[choosing] != found["error"]["majority_label"]).sum()
    assert all(c["validation_errors"] >= chosen["validation_errors"] for c in found["candidates"])


def test_it_is_written_down_as_everything_else(shell):
    made(extra=np.where(np.arange(900) % 7 == 0, np.nan, np.arange(900) ** 1.5)).to_csv(
        "t.csv", index=False
    )
    command = ("fit", "t.csv", "-y", "label", "--impute", "median", "--stream", "--cache", "c")
    code, out, _ = shell(*command, "-v")
    assert code == 0
    words = " ".join(out.split())
    assert "(seed 0, each row assigned on its own; missing values are filled and columns" in words
    assert sorted(path.name for path in Path("t-rosenblatt").iterdir()) == [
        *("certificate.json", "model.json", "report.html")
    ]
    model = model_file.read("t-rosenblatt/model.json")
    _, _, preprocessing = data.read("t.csv", target="label", impute="median").encode()
    assert model.preprocessing == preprocessing.to_dict()
    verify = next(line for line in out.splitlines() if "rosenblatt verify" in line)
    assert shell(*verify.split()[1:])[0] == 0
    assert len(list(Path("c").glob("[0-9a-f]*"))) == 1  # the training rows are gone
    first = Path("t-rosenblatt/model.json").read_bytes()
    assert shell(*command, "--force")[0] == 0
    assert Path("t-rosenblatt/model.json").read_bytes() == first
    again = json.loads(shell(*command, "-o", "u", "--json")[1])["reproduce"]["command"]
    assert "--stream" in again.split()


def test_svmlight_files_stream_too(fit):
    rng = np.random.default_rng(3)
    for name in ("one.svm", "two.svm"):
        X = (rng.random((300, 5)) < 0.5) * rng.integers(1, 9, (300, 5))
        y = np.where(X[:, 0] - X[:, 1] + 2 * rng.standard_normal(300) > 0, 1, -1)
        lines = [
            f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v)
            for x, label in zip(X, y, strict=True)
        ]
        Path(name).write_text("\n".join(lines) + "\n")
    found = fit("one.svm", "two.svm")
    read = [read_svmlight(name)[:2] for name in ("one.svm", "two.svm")]
    X = np.vstack([X.toarray() for X, _ in read])
    y = np.concatenate([y for _, y in read])
    estimator = model_file.read(found["files"]["model"]).estimator
    trained, _, testing = parts(600)
    assert found["error"]["test_errors"] == (estimator.predict(X) != y)[testing].sum()
    assert found["split"]["sentence"].endswith("(seed 0, each row assigned on its own)")
    keep = found["rule"]["name"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of rows that overlap, if keep="last"
        same = of_name(keep).fit(X[trained], y[trained])
    assert (same.coef_ == estimator.coef_).all()
    assert found["verdict"]["rows"] == 600


# --- More than is asked about ---------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "svm"])
def test_of_a_large_table_a_sample_is_shown_and_no_verdict_asked_for(shell, monkeypatch, form):
    monkeypatch.setattr(streams, "MOST_ASKED", 0)
    monkeypatch.setattr(study_stream, "SAMPLE", 200)  # of 900: every fifth row
    frame = made(number=np.arange(900) + 1000, same=4)
    if form == "csv":
        frame.to_csv("t.csv", index=False)
        command = ("fit", "t.csv", "-y", "label")
    else:
        lines = [
            f"{1 if row.label == 'yes' else -1} 1:{row.a} 2:{row.b} 4:{row.c}"
            for row in frame.itertuples()
        ]
        Path("t.svm").write_text("\n".join(lines) + "\n")
        command = ("fit", "t.svm")
    code, out, err = shell(*command, "--stream", "--cache", "c")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    assert "Limit Separability was not checked: that takes all 900 rows in memory" in words
    assert sorted(path.name for path in Path("t-rosenblatt").iterdir()) == [
        *("model.json", "report.html")
    ]
    found = json.loads(shell(*command, "--stream", "--cache", "c", "--json", "-o", "u")[1])
    trained = parts(900)[0]
    sample = trained[trained % 5 == 0]
    assert found["margins"]["sample"] == len(sample)
    assert sum(map(sum, found["margins"]["counts"].values())) == len(sample)
    assert found["learning"]["rows"] == found["split"]["train"] == len(trained)
    assert found["learning"]["kept"] is None
    assert found["verdict"] is None
    assert found["training"] is None
    assert found["proof"] is None
    page = Path("u/report.html").read_text()
    assert f"A sample of {len(sample)} training rows by their distance" in page
    assert "Separability was not checked: that takes all 900 rows" in page
    if form == "csv":
        said = {w["kind"]: w["sentence"] for w in found["data"]["warnings"]}
        assert said["identifier"].startswith("number is different in all of 180 rows looked at")
        assert said["constant"].startswith("same is the same in all of 180 rows looked at")
        X, y, _ = data.read("t.csv", target="label").encode()
        estimator = model_file.read("u/model.json").estimator
        assert (estimator.predict(X) != y)[parts(900)[2]].sum() == found["error"]["test_errors"]
        signed = np.where(y == "yes", 1, -1) * estimator.decision_function(X)
        edges = np.array(found["margins"]["edges"])
        below = sum(
            np.array(k)[edges[:-1] < -1e-9].sum() for k in found["margins"]["counts"].values()
        )
        assert below == (signed[sample] < 0).sum()


# --- What cannot be ------------------------------------------------------------------------------


def test_what_needs_all_rows_at_once_is_refused(shell):
    made().to_csv("t.csv", index=False)
    command = ("fit", "t.csv", "-y", "label")
    for option, value in (("--cv", "3"), ("--group", "kind")):
        code, _, err = shell(*command, "--stream", option, value)
        assert code == 2
        assert f"{option} " in err
        assert "--stream divides rows one by one" in err
    code, _, err = shell(*command, "--cache", "c")
    assert code == 2
    assert "--cache is the folder of --stream" in err
    made(n=3).drop(columns="kind").to_csv("t.csv", index=False)
    code, _, err = shell(*command, "--stream", "--cache", "c")
    assert code == 2
    assert "Leave out --stream" in err
    code, _, err = shell("fit", "none.svm", "-y", "label", "--stream", "--cache", "c")
    assert code == 2
    assert "has no names of columns" in err
    assert not Path("t-rosenblatt").exists()


def test_ctrl_c_writes_what_there_is(shell, monkeypatch):
    made().to_csv("t.csv", index=False)
    fit_stored = streams.fit_stored

    def stopping(rule, rows):
        if rule.keep == "best":
            raise KeyboardInterrupt
        return fit_stored(rule, rows)

    monkeypatch.setattr("rosenblatt.selection.stored.fit_stored", stopping)
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--stream", "--cache", "c", "--json")
    found = json.loads(out)
    assert code == 130
    assert found["interrupted"]
    assert [c["name"] for c in found["candidates"]] == ["larger class", "last"]
    assert Path("t-rosenblatt/report.html").exists()
    assert found["verdict"] is None
