"""Ordinary tables: nothing misleads, by the command and from Python."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from raising import check_sentence, raises
from rosenblatt import study
from rosenblatt._study import proof
from rosenblatt._study.error_analysis import is_uncertain, result_warnings
from rosenblatt._util.spelling import in_shell, option
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.report.terminal import short_lines
from rosenblatt.selection import Candidate, clopper_pearson
from rosenblatt.selection.criterion import Criterion

RNG = np.random.default_rng(3)


def table(n=120, noise=0.3, **columns):
    X = RNG.normal(size=(n, 2)).round(3)
    label = np.where(X[:, 0] + noise * RNG.normal(size=n) > 0, "yes", "no")
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], **columns, "label": label})


def refused(shell, frame, *ways_out, says=""):
    """The same refusal by the command and from Python, and nothing is written; each names the ways
    out as its reader writes them."""
    frame.to_csv("t.csv", index=False)
    code, out, err = shell("fit", "t.csv", "-y", "label")
    assert (code, out) == (2, "")
    for source in ("t.csv", frame):
        with pytest.raises(InputError) as caught:
            study(source, target="label")
        assert says in str(caught.value)
        assert all(option(*way) in str(caught.value) for way in ways_out)
    assert says in err
    with in_shell():
        assert all(option(*way) in err for way in ways_out)
    assert [path.name for path in Path().iterdir()] == ["t.csv"]


def test_a_question_mark_among_numbers(shell):
    pulse = np.where(np.arange(120) % 4 == 0, "?", (np.arange(120) % 50).astype(str))
    frame = table(pulse=pulse)
    refused(shell, frame, ("na_values", "?"), ("impute", "median"), ("categorical", "pulse"))
    found = study(frame, target="label", na_values="?", impute="median")
    assert found.preprocessing.feature_names == ["a", "b", "pulse"]
    code, out, _ = shell(
        *("fit", "t.csv", "-y", "label", "--na-values", "?", "--impute", "median", "--json")
    )
    assert code == 0
    assert json.loads(out)["data"]["features"] == ["a", "b", "pulse"]


def test_names_that_are_numbers_are_quoted_in_the_rule():
    """As pandas names the columns of a file without a line of names."""
    frame = table().set_axis([0, 1, 2], axis=1)
    found = study(frame, target="2")
    assert study(frame, target=2).to_dict()["rule"] == found.to_dict()["rule"]
    others = study(frame.assign(extra=0.5 * frame[0]), target=2, ignore=[1], numeric=np.int64(0))
    assert others.preprocessing.inputs == ["0", "extra"]
    with raises(InputTypeError, option="target", value=True):
        study(frame, target=True)
    assert found.rule.startswith("'2' = yes if ")
    assert "*'0'" in found.rule


def test_numbers_with_a_unit(shell):
    frame = table(price=[f"${1000 + i % 70:,}" for i in range(120)])
    ways_out = [("numeric", "price"), ("categorical", "price")]
    refused(shell, frame, *ways_out, says="'$1,000' as 1000")
    found = study("t.csv", target="label", numeric="price")
    assert found.preprocessing.feature_names == ["a", "b", "price"]
    assert found.predict(frame.drop(columns="label")).shape == (120,)
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--numeric", "price", "--json")
    assert code == 0
    assert json.loads(out)["error"] == found.to_dict()["error"]


def test_a_table_without_a_header(shell):
    frame = table(town=np.tile(["x", "y", "z"], 40))
    frame.to_csv("t.csv", index=False, header=False)
    for target in ("label", "x3"):
        code, out, err = shell("fit", "t.csv", "-y", target)
        assert (code, out) == (2, "")
        assert "use --no-header: then the columns are x0 to x3" in err
        with raises(InputError, option="header", file="t.csv", row=0):
            study("t.csv", target=target)
    code, out, _ = shell("fit", "t.csv", "-y", "x3", "--no-header")
    assert code == 0
    assert "120 rows, 3 columns" in out
    assert study("t.csv", target="x3", header=False).predict("t.csv").shape == (120,)


def test_a_first_line_in_doubt_is_a_warning(shell):
    frame = table(n=119, name=[f"n{i % 7}" for i in range(119)], kind=np.resize(["p", "q"], 119))
    names = ["n1", "-0.5", "other", "which", "label"]  # one of five looks like a value
    frame[["name", "a", "b", "kind", "label"]].to_csv("t.csv", index=False, header=names)
    found = study("t.csv", target="label")
    assert found.warnings[0] == (
        "The first line was taken for the names of columns, and '-0.5' looks like a value. If it "
        "is a row of the table, use header=False."
    )
    assert study("t.csv", target="label", header=True).warnings == []


def test_text_that_is_the_same_everywhere_is_left_out(shell):
    frame = table(kind="credit", on=True, unit="12 kg")
    found = study(frame, target="label")
    assert found.preprocessing.feature_names == ["a", "b"]
    assert found.warnings == [
        "kind, on, unit are the same in every row, which carries no information: left out."
    ]
    frame.to_csv("t.csv", index=False)
    code, out, _ = shell("fit", "t.csv", "-y", "label")
    assert code == 0
    assert (
        "kind, on, unit are the same in every row, which carries no information: left out."
        in " ".join(out.split())
    )
    code, out, _ = shell("inspect", "t.csv", "-y", "label")
    assert code == 0
    assert "'kind' is the same in every row and is left out." in out
    with raises(InputError):
        study(frame[["kind", "label"]], target="label")


def test_several_positive_labels_and_a_condition(shell):
    frame = table(n=200)
    frame["label"] = np.clip((2 * frame["a"] + 6).round(), 3, 9).astype(int)
    frame.to_csv("t.csv", index=False)
    chosen = int(frame["label"].isin([7, 8]).sum())
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--positive", "7", "--positive", "8")
    assert code == 0
    assert f"(not 7 or 8) {200 - chosen} (" in out
    assert f"7 or 8 {chosen} (" in out
    assert study(frame, target="label", positive=[7, 8]).to_dict()["data"]["counts"] == {
        "(not 7 or 8)": 200 - chosen,
        "7 or 8": chosen,
    }
    more = int((frame["label"] >= 7).sum())
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--positive", ">=7")
    assert code == 0
    assert f">=7 {more}" in out
    assert "label >=7 if " in out or "label >=7 by " in out
    assert study(frame, target="label", positive=">=7").error is not None


# --- Warnings about the rule ---------------------------------------------------------------------


class Chosen:
    """What a comparison found: labels of test rows and predictions."""

    cv, copies_in_test, validation_interval, test_groups, times = None, 0, None, None, None

    def __init__(self, labels, predictions, interval, majority):
        self.labels, self.predictions = np.array(labels), np.array(predictions)
        self.interval, self.majority = interval, majority
        self.test_n = len(self.labels)
        self.majority_errors = int((self.labels != majority).sum())
        self.estimator = self
        self.criterion = Criterion(1.0 - np.eye(2))
        self.classes_ = np.unique(self.labels)


def test_the_rule_and_always_the_same_answer_are_compared_row_by_row():
    labels = ["good"] * 140 + ["bad"] * 60  # always good: 30 % wrong

    def kinds(saved, lost):
        """Right about so many bad rows, wrong about so many good ones."""
        calls = ["bad"] * lost + ["good"] * (140 - lost) + ["bad"] * saved + ["good"] * (60 - saved)
        chosen = Chosen(labels, calls, clopper_pearson(60 - saved + lost, 200), "good")
        found = [
            w for w in result_warnings(chosen, "--cv 5") if w["kind"] in ("worse", "no better")
        ]
        for warned in found:
            check_sentence(warned["sentence"])
        return [warned["kind"] for warned in found]

    # The sign test: 6 against 0 has p = 2/64, 5 against 0 has 2/32; 20 against 8 .04, 19 against
    # 9 .09.
    assert kinds(6, 0) == []
    assert kinds(5, 0) == kinds(0, 0) == kinds(0, 5) == ["no better"]
    assert kinds(0, 6) == ["worse"]
    assert (kinds(20, 8), kinds(19, 9), kinds(8, 20)) == ([], ["no better"], ["worse"])


def test_few_test_rows_are_a_reason_to_cross_validate():
    labels = ["good"] * 14 + ["bad"] * 6
    chosen = Chosen(labels, ["good"] * 16 + ["bad"] * 4, (0.0, 0.3), "good")
    (said,), (streamed,) = (result_warnings(chosen, way) for way in ("--cv 5", None))
    more = " Only 20 rows test it; with --cv 5 every row does."
    assert said["sentence"] == streamed["sentence"] + more
    chosen.cv = 5  # done already
    assert result_warnings(chosen, "--cv 5") == [streamed]


def test_a_label_that_is_nearly_always_missed():
    labels = ["no"] * 80 + ["yes"] * 20
    for found, missed in [(2, True), (3, False), (0, True)]:
        calls = ["no"] * 80 + ["yes"] * found + ["no"] * (20 - found)
        found_by = result_warnings(Chosen(labels, calls, (0, 0.1), "no"), None)
        said = [warned["sentence"] for warned in found_by if warned["kind"] == "missed"]
        word = found or "none"
        assert said == (
            [
                f"Nearly always missed: yes ({word} of 20 test rows found). "
                "To weigh rare labels more: class_weight='balanced'."
            ]
            if missed
            else []
        )


def test_a_column_of_customers_that_tells_the_label_may_be_of_groups():
    """A rule that knows the customers is tested on the same ones."""
    rng = np.random.default_rng(0)
    customer, x = np.arange(400) % 40, rng.normal(size=400)
    label = np.where(customer % 3 == 0, "churn", "stay")
    frame = pd.DataFrame({"customer": [f"C{k}" for k in customer], "x": x, "state": label})
    document = study(frame, target="state", comparison=False).to_dict()
    said = {one["kind"]: one["sentence"] for one in document["data"]["warnings"]}
    assert said["like groups"].endswith("groups='customer'.")
    assert "like groups" not in kinds(study(frame, target="state", groups="customer"))


def kinds(found):
    return {one["kind"] for one in found.to_dict()["data"]["warnings"]}


def test_labels_that_differ_in_capitals_only_are_told():
    frame = pd.DataFrame({"x": np.arange(200) % 7, "y": ["Yes", "no", "yes", "no "] * 50})
    assert "alike" in kinds(study(frame, target="y", comparison=False))
    frame["y"] = frame["y"].str.strip().str.lower()
    assert "alike" not in kinds(study(frame, target="y", comparison=False))


@pytest.mark.parametrize("most", [10, 12])
def test_labels_that_look_like_amounts(most):
    """Eleven and more: digits are names, rings of a shell are not."""
    X = np.random.default_rng(0).normal(size=(10 * most, 2))
    rings = np.arange(1, most + 1).repeat(10)
    document = study(X + rings[:, None], rings, comparison=False).to_dict()
    said = [one for one in document["data"]["warnings"] if one["kind"] == "quantities"]
    assert len(said) == (most > 10)
    assert all(f"positive='>={most // 2}'" in one["sentence"] for one in said)


@pytest.mark.parametrize("rare", [6, 7])
def test_cross_validation_is_advised_only_where_it_can_be_done(rare):
    """Without one of 5 folds a label has to be in each of 5 others: of 7 rows 5 are left."""
    frame = pd.DataFrame({"a": RNG.normal(size=90), "label": ["bad"] * rare + ["ok"] * (90 - rare)})
    found = study(frame, target="label", comparison=False, linear_only=True)
    assert ("cv=5" in " ".join(found.warnings)) is (rare == 7)
    if rare == 7:
        found = study(frame, target="label", cv=5, comparison=False, linear_only=True)
        assert found.selection.test_n == 90
    else:
        with raises(InputError):
            study(frame, target="label", cv=5, comparison=False)


def test_a_balanced_error_no_better_than_that_of_one_label_is_told():
    frame = pd.DataFrame({"a": RNG.normal(size=300), "label": ["bad"] * 60 + ["ok"] * 240})
    asked = {"target": "label", "class_weight": "balanced", "linear_only": True}
    by_chance = study(frame, comparison=False, **asked)
    assert "better than always saying the same label" in by_chance.warnings[0]
    frame["b"] = frame["a"] + 2.0 * (frame["label"] == "bad")
    assert "always" not in " ".join(study(frame, comparison=False, **asked).warnings)


def test_others_are_compared_by_costs_where_a_label_has_few_rows():
    frame = pd.DataFrame({"a": RNG.normal(size=90), "label": ["bad"] * 6 + ["ok"] * 84})
    found = study(frame, target="label", costs={"bad:ok": 20}, linear_only=True)
    assert found.selection.failed == {}
    assert len(found.selection.comparison_rules) == 3


def test_a_label_with_half_of_the_rows_is_not_called_rare():
    labels = ["no"] * 10 + ["yes"] * 8
    *_, said = result_warnings(Chosen(labels, ["no"] * 18, (0, 0.1), "no"), None)
    assert (said["kind"], said["advice"]) == ("missed", {})


def test_a_rule_that_finds_rare_rows_is_not_said_to_fail():
    """Of 4 % positive rows, most are found: always saying no is as often right, and no more is
    said than that."""
    n = 900
    a = RNG.normal(size=n)
    label = np.where(a > np.quantile(a, 0.96), "spill", "none")
    frame = pd.DataFrame({"a": a + 0.12 * RNG.normal(size=n), "label": label})
    found = study(frame, target="label")
    said = " ".join(found.warnings)
    assert "carry over" not in said
    assert "missed" not in said


# --- Time ----------------------------------------------------------------------------------------


def test_the_verdict_has_ten_seconds(monkeypatch):
    """Together with the margins; an option changes it."""
    asked = []
    certify = proof.proving.certify

    def seen(*arguments, time_limit, **options):
        asked.append(time_limit)
        return certify(*arguments, time_limit=time_limit, **options)

    monkeypatch.setattr(proof.proving, "certify", seen)
    study(table(), target="label")
    study(table(), target="label", time_limit=100)
    assert 9 < asked[0] <= 10
    assert 1 <= asked[1] <= asked[0]
    assert 90 < asked[2] <= 100


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("fit", ["t.csv", "-y", "nothing"], "--target nothing is not a column of t.csv"),
        ("certify", ["t.csv", "-y", "nothing"], "--target nothing is not a column of t.csv"),
        ("inspect", ["t.csv", "-y", "label", "--ignore", "c"], "--ignore c is not a column"),
        ("fit", ["t.csv", "-y", "label", "--group", "c"], "--group c is not a column of t.csv"),
        ("trace", ["none.csv", "-y", "label"], "There is no file none.csv"),
        ("predict", ["none.json", "t.csv"], "There is no file none.json"),
        ("verify", ["none.json", "t.csv"], "There is no file none.json."),
        ("verify", ["t.csv", "none-*.csv"], "No file matches the pattern none-*.csv."),
        ("verify", ["t.csv", "none.csv"], "There is no file none.csv."),
    ],
)
def test_a_wrong_name_costs_no_heavy_import(tmp_path, command, arguments, words):
    table(n=5).to_csv(tmp_path / "t.csv", index=False)
    code = (
        "import sys; from rosenblatt.cli import run; code = run(sys.argv[1:]); "
        "print(code, *sorted({'sklearn', 'pyarrow', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, command, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "2\n"
    assert words in done.stderr


def test_a_test_error_that_validation_did_not_suggest():
    """Of 1,000 rows 80 and 20 are too far apart for chance, 80 and 70 are not."""
    labels = ["good"] * 600 + ["bad"] * 400
    for errors, expected, suspicious in [(80, 20, True), (80, 70, False), (20, 80, True)]:
        calls = ["bad"] * errors + labels[errors:]
        chosen = Chosen(labels, calls, clopper_pearson(errors, 1000), "good")
        chosen.random_state, chosen.test_errors = 0, errors
        chosen.validation_interval = clopper_pearson(expected, 1000)
        chosen.winner = Candidate("average", None, 0, 1000, expected, 1000)
        warned = [w for w in result_warnings(chosen, None) if w["kind"] != "no better"]
        assert [w["kind"] for w in warned] == ["unlike validation"] * suspicious
        for one in warned:
            check_sentence(one["sentence"])


def test_copies_that_differ_in_their_row_number_alone_stay_together():
    """A rule that memorises rows would err on none of the copies of a label thrown by chance."""
    rng = np.random.default_rng(0)
    X, label = rng.standard_normal((100, 3)), rng.choice(["no", "yes"], 100)
    order = rng.permutation(400) % 100
    frame = pd.DataFrame(X[order], columns=list("abc")).assign(number=range(400))
    found = study(frame.assign(label=label[order]), target="label", comparison=False)
    groups = found.selection.groups
    assert (groups.repeated, groups.dependent) == (300, True)
    parts = [found.selection.fitted_on, found.selection.test]
    assert not set(order[parts[0]]) & set(order[parts[1]])
    assert found.error > 0.3
    assert any("number is different in every row" in warned for warned in found.warnings)


def test_no_advice_leaves_out_every_column():
    x = np.linspace(0, 1, 200)
    frame = pd.DataFrame({"a": x, "b": x**2, "label": np.where(x > 0.5, "yes", "no")})
    document = study(frame, target="label", comparison=False).to_dict()
    [leak] = [w for w in document["data"]["warnings"] if w["kind"] == "revealing"]
    assert (leak["columns"], leak["advice"]) == (["a", "b"], {})
    assert leak["sentence"].endswith("No other column would be left.")
    assert document["reproduce"]["advised"] is None


# --- A small table, a single column, identifiers --------------------------------------------------


def small(rows=200):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, rows))
    return pd.DataFrame({"a": a, "b": b, "y": np.where(a > 0, "yes", "no")})


def test_few_test_rows_are_told_of_once_with_how_all_test():
    found = study(small(), target="y", comparison=False)
    assert found.to_dict()["split"]["tested_by_all"] == "cv=5"
    assert str(found).count("cv=5") == 1
    guessed = small().assign(y=np.random.default_rng(1).permutation(["no", "yes"] * 100))
    said = str(study(guessed, target="y", comparison=False))
    assert "with cv=5" in " ".join(said.split())  # in a warning
    assert "cv=5 tests" not in said
    folded = study(small(), target="y", comparison=False, cv=5)
    assert folded.to_dict()["split"]["tested_by_all"] is None
    assert "cv=5 tests" not in str(folded)


@pytest.mark.parametrize(
    ("rows", "rate", "ends", "uncertain"),
    [
        (499, 0.3, [0.29, 0.31], True),
        (1000, 0.3, [0.27, 0.33], False),
        (1000, 0.02, [0.012, 0.031], True),
        (2001, 0.02, [0.01, 0.04], False),  # cross-validation takes long
    ],
)
def test_an_error_is_uncertain_by_few_rows_or_a_wide_interval(rows, rate, ends, uncertain):
    found = {"error": {"test_n": rows, "rate": rate, "interval": ends}, "cost": None}
    assert is_uncertain(found) is uncertain
    dear = {"per_row": rate, "interval": ends}
    sure = {"test_n": rows, "rate": 0.3, "interval": [0.3, 0.3]}
    assert is_uncertain({"error": sure, "cost": dear}) is uncertain


def test_one_column_as_good_as_the_rule_is_said_and_a_worse_one_is_not():
    found = study(small(400), target="y")
    document = found.to_dict()
    (alone,) = [one for one in document["comparisons"] if one["column"]]
    figure = alone["test_errors"]
    for own, remark in ((figure, "as good"), (figure + 1, "better than"), (figure - 1, None)):
        n = document["error"]["test_n"]
        document["error"] |= {"test_errors": own, "rate": own / n}
        lines = [text for subject, text in short_lines(document) if subject == "Compared"]
        (line,) = [text for text in lines if "a alone" in text]
        assert any(word in line for word in ("as good", "better than")) is (remark is not None)
        assert remark is None or remark in line


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (lambda rng: rng.permutation(np.r_[500_000:500_380, 500_000:500_020] * 13 + 7), True),
        (lambda rng: np.r_[0:380, 0:20], False),  # small numbers
        (lambda rng: 1000 * rng.integers(150, 900_000, 400), False),  # amounts
        (lambda rng: rng.integers(500_000, 500_200, 400), False),  # half of them return
        (lambda rng: rng.normal(500_000, 1000, 400), False),
    ],
)
def test_an_identifier_that_rows_share_is_told_of(numbers, expected):
    frame = small(400).assign(number=numbers(np.random.default_rng(0)))
    found = study(frame, target="y", comparison=False)
    told = [w for w in found.to_dict()["data"]["warnings"] if w["kind"] == "like groups"]
    assert [w["columns"] for w in told] == [["number"]] * expected
    assert all("groups=" in w["sentence"] and "ignore=" in w["sentence"] for w in told)


def test_both_constants_have_a_cost():
    found = study(small(), target="y", comparison=False, costs={("yes", "no"): 5})
    cost = found.cost
    (line,) = [line for line in str(found).splitlines() if line.startswith("Compared")]
    for label, total in cost["always"].items():
        assert f"always {label}" in line
        assert f"{total / found.selection.test_n:.3g}" in line
