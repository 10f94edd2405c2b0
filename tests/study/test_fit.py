"""rosenblatt fit: what it says, what it writes, and that both are true."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import types
import typing
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from rosenblatt import Certificate, data, model_file
from rosenblatt._study import build_document, folder
from rosenblatt._study import proof as deciding
from rosenblatt._study.error_analysis import about
from rosenblatt._study.options import Options
from rosenblatt._study.reading import Origin
from rosenblatt.datasets import load_credit
from rosenblatt.report import document
from rosenblatt.selection import select

CREDIT = load_credit().filename
LEAVE_OUT = ("--ignore", "share", "--ignore", "expenditure")


@pytest.fixture
def fit(shell):
    """Run `fit` with --json; returns the document."""

    def call(*arguments):
        code, out, err = shell("fit", *arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return call


def made(n=120, d=3, seed=0, noise=0.5, **columns):
    """A table whose label follows its first column."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).round(3)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)]).assign(**columns)
    frame["label"] = np.where(X[:, 0] + noise * rng.standard_normal(n) > 0, "yes", "no")
    frame.to_csv("t.csv", index=False)
    return frame


# --- The credit table ----------------------------------------------------------------------------


def test_the_leak_in_the_credit_table_is_found(shell):
    code, out, err = shell("fit", CREDIT, "--target", "card")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    assert (
        "Possible target leakage: expenditure alone determines the label of 1,002 of 1,319 rows "
        "without "
        "an error; share alone is wrong in only 1.8% of rows. If they are recorded only after the "
        "label is known, leave them out: --ignore share --ignore expenditure." in words
    )
    assert out.startswith("Warning ")
    warnings, rest = out.split("\n\n", 1)
    assert len(rest.splitlines()) <= 20
    rerun = warnings.splitlines()[-1]
    assert rerun.split()[:3] == ["Rerun", "rosenblatt", "fit"]
    again = shlex.split(rerun)[2:]
    code, out, _ = shell(*again)
    assert (code, "Warning" in out) == (0, False)
    assert len(out.splitlines()) <= 20
    assert "share" not in out.split("Rule")[1]


def test_where_nothing_is_proved_nothing_is_called_accepted(shell):
    made()
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--time-limit", "1e-6", "-v")
    assert code == 0
    assert "ndecided" in out
    assert "accepted" not in out
    assert "rosenblatt verify" not in out
    page = Path("t-rosenblatt/report.html").read_text(encoding="utf-8").split("<script")[0]
    assert "ndecided" in page
    assert 'class="tag' not in page.split('id="verdict"')[1].split("</section>")[0]
    assert "ccepted" not in page
    assert shell("verify", "t-rosenblatt/certificate.json", "t.csv")[0] == 3


def test_without_it_the_error_is_clearly_below_the_larger_class(fit):
    found = fit(CREDIT, "--target", "card", *LEAVE_OUT)
    assert found["data"]["warnings"] == []
    error = found["error"]
    assert error["interval"][1] < error["majority_errors"] / error["test_n"]


def test_it_is_no_worse_than_logistic_regression_by_more_than_a_point(heavy):
    table = data.read(CREDIT, target="card", ignore=["share", "expenditure"])
    X, y, _ = table.encode(scale=False)
    ours = theirs = always = rows = 0
    for seed in range(max(heavy(20), 3)):
        found = select(X, y, preprocessor=StandardScaler(), random_state=seed)
        train, test = found.train, found.test
        scaler = StandardScaler().fit(X[train])
        peer = LogisticRegression().fit(scaler.transform(X[train]), y[train])
        ours += found.test_errors
        theirs += int((peer.predict(scaler.transform(X[test])) != y[test]).sum())
        always += found.majority_errors
        rows += len(test)
    assert ours < always - 0.05 * rows
    assert ours <= theirs + 0.01 * rows


@pytest.mark.in_full
def test_the_page_shows_what_is_printed(shell):
    """But for the processor and the milliseconds."""
    page = (Path(__file__).parents[2] / "docs" / "fit.md").read_text()
    shutil.copy(CREDIT, "credit.csv")

    def alike(text):
        return re.sub(r"core for [^\n]*|in \d+ ms", "", text).rstrip()

    leak, whole = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert alike(leak) in alike(shell("fit", "credit.csv", "--target", "card")[1])
    command = ("fit", "credit.csv", "--target", "card", *LEAVE_OUT, "-o", "credit-fit")
    assert alike(shell(*command)[1]) == alike(whole)


# --- What it writes is what it says --------------------------------------------------------------


def test_the_rule_that_was_tested_is_the_one_written(fit):
    """With --no-retrain: it is the one compared, too."""
    found = fit(CREDIT, "--target", "card", *LEAVE_OUT, "--no-retrain")
    model = model_file.read(found["files"]["model"])
    preprocessing = data.Preprocessing.from_dict(model.preprocessing)
    X, y = preprocessing.transform_labelled([CREDIT])
    wrong = model.estimator.predict(X) != y
    raw, labels, _ = data.read(CREDIT, target="card", ignore=["share", "expenditure"]).encode(
        scale=False
    )
    split = select(raw, labels, {"any": LogisticRegression(max_iter=1000)})
    assert wrong[split.test].sum() == found["error"]["test_errors"]
    assert wrong[split.validation].sum() == next(
        c["validation_errors"] for c in found["candidates"] if c["chosen"]
    )
    confusion = np.array(found["confusion"]["counts"])
    assert confusion.sum() == found["error"]["test_n"]
    assert confusion.sum() - np.trace(confusion) == found["error"]["test_errors"]


def test_the_rule_is_in_the_units_of_the_table(fit):
    found = fit(CREDIT, "--target", "card", *LEAVE_OUT)
    table = data.read(CREDIT, target="card", ignore=["share", "expenditure"])
    X, _, preprocessing = table.encode(scale=False)
    weights = dict.fromkeys(preprocessing.feature_names, 0.0)
    weights |= {term["feature"]: term["weight"] for term in found["rule"]["terms"]}
    points = X @ np.array(list(weights.values()))
    model = model_file.read(found["files"]["model"])
    scaled = data.Preprocessing.from_dict(model.preprocessing).transform([CREDIT])
    scores = model.estimator.decision_function(scaled)
    assert points - found["rule"]["threshold"] == pytest.approx(scores, abs=1e-9)
    heavy = [abs(term["scaled_weight"]) for term in found["rule"]["terms"]]
    assert heavy == sorted(heavy, reverse=True)


def test_scales_and_fills_are_those_of_the_training_rows(fit):
    gaps = np.where(np.arange(120) % 7 == 0, np.nan, np.arange(120) ** 1.5)
    frame = made(extra=gaps)
    found = fit("t.csv", "-y", "label", "--impute", "median")
    split = select(frame[["x0", "x1"]].to_numpy(), frame["label"], {"any": LogisticRegression()})
    train = frame.iloc[np.sort(np.concatenate([split.train, split.validation]))]
    columns = {c["name"]: c for c in found["data"]["preprocessing"]}
    assert columns["x1"]["center"] == pytest.approx(train["x1"].mean())
    assert columns["x1"]["scale"] == pytest.approx(train["x1"].std(ddof=0))
    assert columns["extra"]["fill"] == pytest.approx(train["extra"].median())


def test_the_proof_holds_for_the_table_and_for_the_stand_alone_verifier(fit, shell):
    frame = made(extra=np.where(np.arange(120) % 7 == 0, np.nan, 1.0 * np.arange(120)))
    found = fit("t.csv", "-y", "label", "--impute", "mean")
    assert found["proof"]["accepted"]
    assert found["verdict"]["rows"] == len(frame)
    verify = found["reproduce"]["verify"].split()
    assert shell(*verify[1:], "--encoded", "numbers.csv")[0] == 0
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt.verify", found["files"]["certificate"], "numbers.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("ACCEPTED")
    certificate = Certificate.load(found["files"]["certificate"])
    assert certificate.sha256 == found["verdict"]["sha256"]
    filled = [c["name"] for c in certificate.preprocessing["columns"] if c.get("fill") is not None]
    assert filled == ["extra"]  # the others have no gap; the model fills them, too


def test_large_tables_are_left_at_the_check_that_certify_makes(fit, monkeypatch):
    made()
    monkeypatch.setattr(deciding, "_BY_HAND", 10)
    proof = fit("t.csv", "-y", "label")["proof"]
    assert proof["sentence"].startswith("accepted by the fast verifier inside the library; ")
    assert proof["milliseconds"] is None


def test_the_command_that_it_gives_does_the_same_again(fit, shell):
    made(town=["São Paulo", "x y"] * 60)
    first = fit("t.csv", "-y", "label", "--ignore", "x2", "--seed", "3")
    again = shlex.split(first["reproduce"]["command"])[1:]
    code, out, _ = shell(*again, "--json", "--force")
    second = json.loads(out)
    for found in (first, second):
        found["proof"].pop("milliseconds")
        found["proof"].pop("sentence")
    assert code == 0
    assert first == second


def test_hard_rows_are_rows_of_the_table(fit):
    frame = made(town=np.tile(["a", "b", "c"], 40), open=np.tile([True, False], 60))
    found = fit("t.csv", "-y", "label")
    assert found["hardest_rows"]
    for hard in found["hardest_rows"]:
        row = frame.iloc[hard["row"]]
        assert hard["label"] == row["label"]
        assert hard["values"] == {
            name: str(row[name]) if name in ("town", "open") else row[name]
            for name in frame.columns
            if name != "label"
        }
    updates = [hard["updates"] for hard in found["hardest_rows"]]
    assert updates == sorted(updates, reverse=True)


# --- The document --------------------------------------------------------------------------------


def check_type(value, kind, path="fit"):
    """Is a value what a TypedDict says?"""
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind)
        assert kind.__required_keys__ <= value.keys() <= hints.keys(), path
        for name, entry in value.items():
            check_type(entry, hints[name], f"{path}.{name}")
    elif isinstance(kind, types.UnionType):
        if value is None:
            assert type(None) in kind.__args__, path
        else:
            kinds = [a for a in kind.__args__ if a is not type(None)]
            listed = isinstance(value, list)
            (only,) = [a for a in kinds if (typing.get_origin(a) is list) == listed]
            check_type(value, only, path)
    elif typing.get_origin(kind) is list:
        assert isinstance(value, list), path
        for entry in value:
            check_type(entry, kind.__args__[0], f"{path}[]")
    elif typing.get_origin(kind) is dict:
        assert all(isinstance(key, str) for key in value), path
        for key, entry in value.items():
            check_type(entry, kind.__args__[1], f"{path}.{key}")
    elif kind is not typing.Any:
        assert isinstance(value, (int, float) if kind is float else kind), path


ODD = {
    "separable": {"noise": 0.0},
    "thirty rows": {"n": 30},
    "one column": {"d": 1},
    "wide": {"n": 60, "d": 150},
    "names": {"größe": 1, "<script>": 2, "a b": 3},
}


def test_many_classes_end_in_such_a_document(fit):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)).round(3), np.arange(120) % 4
    X[:, 0] += 3 * y
    pd.DataFrame(X, columns=list("abc")).assign(label=y).to_csv("t.csv", index=False)
    found = fit("t.csv", "-y", "label")
    check_type(found, document.Fit)
    assert found["data"]["classes"] == ["0", "1", "2", "3"]
    assert {"classes", "differences"} <= found["rule"].keys()


def test_a_document_lists_so_much_of_very_many_columns_that_it_can_be_mailed(fit):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 800)).round(3)
    frame = pd.DataFrame(X, columns=[f"a column of a long name {j}" for j in range(800)])
    frame["town"] = [f"town {i // 2}" for i in range(40)]
    frame.assign(label=X[:, 0] > 0).to_csv("t.csv", index=False)
    found = fit("t.csv", "-y", "label")
    check_type(found, document.Fit)
    assert Path(found["files"]["report"]).stat().st_size < 700_000
    assert (found["data"]["columns"], found["data"]["n_features"]) == (801, 819)
    assert len(found["data"]["preprocessing"]) == len(found["rule"]["terms"]) == 500
    n_terms = found["rule"]["n_terms"]
    assert 800 <= n_terms <= 819  # less the towns that no training row is from
    assert f"({n_terms - 4} more)" in found["rule"]["sentence"]
    heaviest = list(dict.fromkeys(t["feature"].split("=")[0] for t in found["rule"]["terms"]))
    for hard in found["hardest_rows"]:
        assert list(hard["values"]) == heaviest[:20]
        assert all(frame.at[hard["row"], name] == v for name, v in hard["values"].items())


@pytest.mark.parametrize("kind", ODD)
def test_odd_tables_end_in_the_same_document(fit, shell, kind):
    made(**ODD[kind])
    found = fit("t.csv", "-y", "label")
    check_type(found, document.Fit)
    assert sum(map(sum, found["margins"]["counts"].values())) == found["split"]["learned_from"]
    assert 0 in found["margins"]["edges"] or found["margins"]["edges"][0] > 0
    if kind == "separable":
        assert found["verdict"]["verdict"] == "complete separation"
        assert found["training"]["updates"] is None or (
            found["training"]["updates"] <= found["training"]["mistake_bound"]
        )
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--force")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100 or kind == "names"


def test_svmlight_files_have_no_names(fit, shell):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    rows = (f"{1 if x[0] > 0.1 else -1} 1:{x[0]} 3:{x[2]}" for x in X)
    Path("t.svm").write_text("\n".join(rows) + "\n")
    found = fit("t.svm")
    check_type(found, document.Fit)
    assert found["data"]["target"] == "y"
    assert shell("predict", found["files"]["model"], "t.svm")[0] == 0
    assert shell(*found["reproduce"]["verify"].split()[1:])[0] == 0


def test_the_report_is_given_what_json_prints(fit, monkeypatch):
    given = []
    report = types.ModuleType("rosenblatt.report")
    report.__spec__ = ModuleSpec("rosenblatt.report", None)
    report.render = lambda content, *_: given.append(json.dumps(content)) or "<html>ü"
    monkeypatch.setitem(sys.modules, "rosenblatt.report", report)
    made()
    found = fit("t.csv", "-y", "label")
    assert json.loads(given[0]) == found
    assert Path(found["files"]["report"]).read_text(encoding="utf-8") == "<html>ü"


# --- Warnings ------------------------------------------------------------------------------------


def kinds(found):
    return {w["kind"]: w["columns"] for w in found["data"]["warnings"]}


def test_columns_that_tell_nothing_or_the_row(fit):
    numbers = np.random.default_rng(1).permutation(120) + 1000
    made(id=numbers, flat=7.0, years=np.arange(120) // 2)
    found = fit("t.csv", "-y", "label")
    assert kinds(found) == {"constant": ["flat"], "identifier": ["id"]}
    assert "--ignore id" in found["data"]["warnings"][1]["sentence"]


def test_a_column_that_almost_tells_the_label(fit):
    frame = made(noise=1.0)
    frame["after"] = (frame["label"] == "yes") ^ (np.arange(120) % 40 == 0)
    frame.to_csv("t.csv", index=False)
    found = fit("t.csv", "-y", "label")
    assert kinds(found) == {"revealing": ["after"]}
    assert "after alone is wrong in only 2.5%" in found["data"]["warnings"][0]["sentence"]


def test_text_that_tells_rows_apart_is_refused(shell):
    made(name=[f"person {i}" for i in range(120)])
    code, _, err = shell("fit", "t.csv", "-y", "label")
    assert code == 2
    assert "--ignore name" in err
    assert not Path("t-rosenblatt").exists()


# --- Options -------------------------------------------------------------------------------------


def test_private_keeps_rows_of_people_out(fit):
    frame = made(n=200, noise=1.0)
    frame["exact"] = np.random.default_rng(1).standard_normal(200)
    frame.to_csv("t.csv", index=False)
    found = fit("t.csv", "-y", "label", "--private")
    assert found["hardest_rows"] == []
    assert found["verdict"]["meeting_point"] is found["verdict"]["conflict"] is None
    assert "Why" not in found["verdict"]["text"]
    assert "certificate.json" not in os.listdir("t-rosenblatt")
    assert "rbf kernel" not in [c["name"] for c in found["candidates"]], "it keeps training rows"
    written = [path.read_text(encoding="utf-8") for path in Path("t-rosenblatt").iterdir()]
    everything = json.dumps(found) + "".join(written)
    assert not any(str(value) in everything for value in frame["exact"])


def test_private_keeps_the_certificate_of_a_separation(fit):
    made(noise=0.0)
    assert "certificate" in fit("t.csv", "-y", "label", "--private")["files"]


def test_cross_validation_tests_every_row(fit):
    made(n=60)
    found = fit("t.csv", "-y", "label", "--cv", "3", "--private")
    assert found["split"]["method"] == "cross-validation"
    assert found["error"]["test_n"] == 60
    assert found["split"]["train"] == 60
    # The rule that is saved learned from all rows: none of them is new to it.
    assert "tested by a rule of the same kind that had never seen it" in found["answer"]["sentence"]
    check_type(found, document.Fit)


@pytest.mark.parametrize("values", [np.arange(120) // 6, [f"p{i // 6}" for i in range(120)]])
def test_groups_stay_together_and_are_no_feature(fit, values):
    made(person=values)
    found = fit("t.csv", "-y", "label", "--group", "person")
    assert found["data"]["features"] == ["x0", "x1", "x2"]
    assert found["data"]["ignored"] == ["person"]
    assert found["split"]["group"] == "person"
    assert all(found["split"][part] % 6 == 0 for part in ("train", "validation", "test"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["t.csv"], "--target COLUMN"),
        (["t.csv", "-y", "nothing"], "is not a column"),
        (["t.csv", "-y", "label", "--group", "nothing"], "is not a column"),
        (["t.csv", "-y", "label", "--group", "label"], "cannot also be the group"),
        (["t.csv", "-y", "label", "--group", "holes"], "the value is missing"),
        (["t.csv", "-y", "label", "--ignore", "holes", "--cv", "1"], "--cv"),
        (["t.csv", "-y", "label", "--ignore", "holes", "-o", "no/where"], "There is no folder"),
        (["t.csv", "-y", "label", "--ignore", "holes", "-o", "t.csv"], "is no folder"),
        (["few.csv", "-y", "y"], "rows have the label"),
    ],
)
def test_bad_input_gets_one_message_and_writes_nothing(shell, arguments, words):
    made(holes=["a", None] * 60)
    Path("few.csv").write_text("x,y\n1,0\n2,0\n3,1\n4,1\n")
    before = sorted(os.listdir())
    code, out, err = shell("fit", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert sorted(os.listdir()) == before


# --- The folder ----------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [(), ("-o", "t-rosenblatt")])
def test_the_folder_of_an_earlier_fit_is_replaced(shell, folder):
    made()
    assert shell("fit", "t.csv", "-y", "label", *folder)[0] == 0
    before = Path("t-rosenblatt/model.json").read_bytes()
    assert shell("fit", "t.csv", "-y", "label", "--seed", "1", *folder)[0] == 0
    assert Path("t-rosenblatt/model.json").read_bytes() != before
    assert sorted(os.listdir()) == ["t-rosenblatt", "t.csv"]


@pytest.mark.parametrize("name", ["model.json", "report.html"])
def test_what_another_program_wrote_is_not_replaced(shell, name):
    made()
    Path("t-rosenblatt").mkdir()
    Path("t-rosenblatt", name).write_text('{"format": "of another program"}')
    code, _, err = shell("fit", "t.csv", "-y", "label")
    assert code == 2
    assert "--force" in err
    assert os.listdir("t-rosenblatt") == [name]
    assert shell("fit", "t.csv", "-y", "label", "--force")[0] == 0
    Path("t-rosenblatt/notes.txt").write_text("mine")
    code, _, err = shell("fit", "t.csv", "-y", "label", "--force")
    assert code == 2
    assert "notes.txt" in err
    assert sorted(os.listdir()) == ["t-rosenblatt", "t.csv"]


@pytest.mark.parametrize("there", [False, True])
def test_a_failure_while_writing_leaves_no_trace(shell, monkeypatch, there):
    made()
    if there:
        assert shell("fit", "t.csv", "-y", "label")[0] == 0
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Certificate, "save", full)
    code, _, err = shell("fit", "t.csv", "-y", "label", "--force")
    assert code == 2
    assert "No space left" in err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
    assert not [name for name in os.listdir() if name.startswith(".")]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a/loans.csv", "loans"),
        ("loans.csv.gz", "loans"),
        ("sales.2024.csv", "sales.2024"),
        ("sales.2024", "sales.2024"),
        ("-", "table"),
        (".x", ".x"),
        ("data/shop-*.parquet", "shop"),
        ("[ab]*.csv", "ab"),
        ("*.csv", "table"),
    ],
)
def test_the_folder_is_named_after_the_table(name, stem):
    assert folder.default_folder((name,)) == f"{stem}-rosenblatt"


# --- Ctrl-C --------------------------------------------------------------------------------------


def test_ctrl_c_while_deciding_writes_the_rule(shell, monkeypatch):

    def long(*arguments, **options):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)

    made()
    monkeypatch.setattr("rosenblatt.certificate.certify", long)
    code, out, err = shell("fit", "t.csv", "-y", "label", "--json")
    found = json.loads(out)
    assert code == 130
    assert "t-rosenblatt has what was found so far" in err
    assert found["interrupted"]
    assert found["verdict"] is found["proof"] is None
    assert "certificate.json" not in os.listdir("t-rosenblatt")
    check_type(found, document.Fit)


def test_ctrl_c_while_training_writes_the_best_so_far(shell, monkeypatch):
    from rosenblatt import KernelPerceptron

    def stopped(self, X, y):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)

    made()
    monkeypatch.setattr(KernelPerceptron, "fit", stopped)
    code, out, _ = shell("fit", "t.csv", "-y", "label", "-v")
    assert code == 130
    assert "average" in out
    assert "rbf" not in out
    assert "certificate.json" not in os.listdir("t-rosenblatt")


def test_ctrl_c_while_reading_writes_nothing(shell, monkeypatch):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    made()
    monkeypatch.setattr("rosenblatt.data.open_table.OpenTable.read", stopped)
    assert shell("fit", "t.csv", "-y", "label")[0] == 130
    assert os.listdir() == ["t.csv"]


def test_ctrl_c_while_writing_does_not_stop_it(shell, monkeypatch):
    save = Certificate.save

    def slow(self, path):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        save(self, path)

    made()
    monkeypatch.setattr(Certificate, "save", slow)
    code, _, _ = shell("fit", "t.csv", "-y", "label")
    assert code == 0
    assert sorted(os.listdir("t-rosenblatt"))[:2] == ["certificate.json", "model.json"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("advice", "typed"),
    [
        ([{"ignore": ["a", "-b"]}, {"ignore": ["a"]}], "--ignore a --ignore=-b"),
        ([{"cv": 5}], "--cv 5"),
        ([{"class_weight": "balanced"}, {"ignore": ["c"]}], "--ignore c --class-weight balanced"),
    ],
)
def test_the_advice_of_all_warnings_is_one_command(advice, typed):
    warnings = [about("one", "Said.", **one) for one in advice]
    follows = build_document._following(Options(target="y"), warnings)
    again = build_document._again(Origin(("t.csv",)), follows, "t-rosenblatt")
    assert again == f"rosenblatt fit t.csv --target y {typed}"
