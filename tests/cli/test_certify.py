"""rosenblatt certify and verify: what Python says, and what was done to the table is done again."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from commands import CREDIT, SMALL, line_of, on_a_terminal, write
from raising import check_sentence
from rosenblatt import Certificate, certify, data, minimum_errors
from rosenblatt._util.progress import heard_by
from rosenblatt._util.spelling import in_shell
from rosenblatt._util.text import of_files
from rosenblatt.separation import firth, limiting_model

XOR = "a,b,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


LEAVE_OUT = ("--ignore", "share", "--ignore", "expenditure")

# --- certify and verify ---------------------------------------------------------------------------


def test_certify_says_what_python_says(shell):
    code, out, _ = shell("certify", CREDIT, "-y", "card", "-v")
    X, y, preprocessing = data.read(CREDIT, target="card").encode(scale=False)
    certificate = certify(X, y, preprocessing=preprocessing)
    assert code == 0
    with of_files(), in_shell():  # where rows are counted from 1, and options typed
        told = str(certificate)
    assert out.startswith(f"{told}\n--min-errors ")
    assert out.endswith(f"\nNext: rosenblatt fit {CREDIT} --target card\n")
    # Counted from 1 in a file, from 0 in Python, and it is said.
    assert "row 666 (label yes, 49.7%)" in out
    check_sentence(line_of(out, "counted"))
    assert "row 665 (label yes, 49.7%)" in str(certificate)
    check_sentence(line_of(str(certificate), "counted"))
    assert "owner=yes" in certificate.feature_names
    assert shell("certify", CREDIT, "-y", "card", "--time-limit", "1e-9")[0] == 3


def test_certify_as_json(shell):
    code, out, _ = shell("certify", write("s.csv", SMALL), "-y", "label", "--json")
    found = json.loads(out)
    assert (code, found["verdict"], found["schema_version"]) == (0, "complete separation", 1)
    assert found["geometric_margin"]["lo"] > 0.5
    assert found["labels"] == ["no", "yes"]
    assert found["features"] == ["a", "town=y", "town=z"]


def test_a_certificate_is_checked_against_the_table(shell):
    written = ("-o", "c.json", "--encoded", "n.csv")
    code, _, err = shell("certify", CREDIT, "-y", "card", *written)
    assert code == 0
    check_sentence(err.strip())
    code, out, _ = shell("verify", "c.json", CREDIT)
    assert (code, out.splitlines()) == (
        0,
        [
            "ACCEPTED: quasi-complete separation, 1,319 rows, proved. Infinite coefficients of a "
            "logistic regression for 'yes': 'expenditure' to +inf.",
            "About 'card' ('no' as -1, 'yes' as +1) by 'reports', 'age', 'income', 'share', "
            "'expenditure' and 6 more columns, with an intercept; no column is left out.",
            f"The numbers are made of {CREDIT} ('owner' as 0 or 1, reference 'no'; 'selfemp' as 0 "
            "or 1, reference 'no'), each as the nearest floating-point number.",
        ],
    )
    assert shell("verify", "c.json", CREDIT, "--encoded", "again.csv")[0] == 0
    assert Path("n.csv").read_bytes() == Path("again.csv").read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt.verify", "c.json", "n.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("ACCEPTED")
    other = write("other.csv", Path(CREDIT).read_text().replace("37.66667", "37.66668"))
    code, out, _ = shell("verify", "c.json", other)
    assert (code, out[:30]) == (1, "REJECTED: this is other data: ")
    assert json.loads(shell("verify", "c.json", other, "--json")[1])["accepted"] is False


@pytest.mark.parametrize(
    "options",
    [
        ["--scale"],
        ["--numbers", "decimal"],
        ["--no-intercept"],
        ["--positive", "b"],
        ["--impute", "median", "--na-values", "?"],
    ],
)
def test_whatever_was_done_to_the_table_is_done_again(shell, options):
    rows = [f"{i * 0.1:.1f};{'uvw'[i % 3]};{i % 2 == 0};{'abc'[i % 3]}" for i in range(30)]
    if "--impute" in options:
        rows[3] = rows[3].replace("0.3", "?")
    if "--positive" not in options:
        rows = [row.replace(";c", ";b") for row in rows]
    name = write("t.csv", "x;word;flag;label\n" + "\n".join(rows).replace(".", ",") + "\n")
    code, _, err = shell("certify", name, "-y", "label", "-o", "c.json", *options)
    assert code == 0, err
    missing = options[2:] if "--na-values" in options else []
    assert shell("verify", "c.json", name, "--encoded", "n.csv", *missing)[0] == 0
    standalone = [sys.executable, "-m", "rosenblatt.verify", "c.json", "n.csv"]
    assert subprocess.run(standalone, check=False, capture_output=True).returncode == 0


def test_certificates_made_in_python_are_found_by_column_names(shell):
    table = pd.DataFrame(
        {"b": [0.1, 2, 3, 4], "flag": [True, False, True, True], "a": [4, 3, 2, 1]}
    )
    y = pd.Series([0, 0, 1, 1], name="y")
    certify(table[["flag", "b"]], y).save("c.json")
    table.assign(y=y).to_csv("t.csv", index=False)
    code, out, _ = shell("verify", "c.json", "t.csv")
    assert (code, out.splitlines()) == (
        0,
        [
            "ACCEPTED: complete separation, 4 rows, proved. Infinite coefficients of a logistic "
            "regression for '1': 'flag' either way, 'b' to +inf, the intercept to -inf.",
            "About 'y' ('0' as -1, '1' as +1) by 'flag', 'b', with an intercept; 1 other column is "
            "not used.",
            "The numbers are those in t.csv, each as the nearest floating-point number.",
        ],
    )


def test_what_is_no_certificate(shell):
    code, out, err = shell("verify", write("c.json", ""), CREDIT)
    assert (code, out) == (2, "")
    check_sentence(err.strip())
    for text in ("{}", "[1]"):
        assert shell("verify", write("c.json", text), CREDIT)[:2] == (2, "")
    claim = write("c.json", '{"schema": "rosenblatt-certificate/1"}')
    code, out, err = shell("verify", claim, CREDIT)
    assert (code, out[:10], err) == (1, "REJECTED: ", "")
    shell("certify", write("s.csv", SMALL), "-y", "label", "-o", "good.json")
    document = json.loads(Path("good.json").read_text())
    document["preprocessing"]["columns"][0]["scale"] = -1
    code, out, _ = shell("verify", write("c.json", json.dumps(document)), "s.csv")
    assert code == 1
    check_sentence(out.strip())


# --- The fewest errors ----------------------------------------------------------------------------


def test_certify_says_how_few_errors_there_can_be_when_it_is_asked(shell):
    # XOR: with three rows on the right side the fourth is not; no rule has all four.
    asked = ("certify", write("xor.csv", XOR), "--target", "label")
    code, out, _ = shell(*asked, "--min-errors")
    assert (code, "1 of 4 rows" in out) == (0, True)
    code, out, _ = shell(*asked, "--min-errors", "--json")
    assert (code, json.loads(out)["fewest_errors"]["upper"]) == (0, 1)
    assert json.loads(out)["fewest_errors"]["proved_lower"] == 1
    assert json.loads(out)["fewest_errors"]["tolerates"] == {"labels": 0, "rows": 0}
    code, out, _ = shell(*asked)
    assert (code, "1 of 4" in out, "--min-errors" in out) == (0, False, True)
    assert json.loads(shell(*asked, "--json")[1])["fewest_errors"] is None


def test_options_of_a_search_need_one(shell):
    asked = ("certify", write("s.csv", SMALL), "-y", "label")
    for options in (
        ["--search-time", "3"],
        ["--proofs", "p"],
        ["--min-errors", "--numbers", "decimal"],
    ):
        code, out, err = shell(*asked, *options)
        assert (code, out) == (2, "")
        check_sentence(err.strip().splitlines()[-1])
    assert shell(*asked, "--min-errors", "--search-time", "3")[0] == 0


def test_the_search_takes_as_long_as_it_is_told(shell, monkeypatch):
    searched = []
    found = minimum_errors([[0.0], [1.0], [2.0]], [0, 1, 0])

    def search(*_, time_limit, **__):
        searched.append(time_limit)
        return found

    monkeypatch.setattr("rosenblatt.minimum_errors", search)
    asked = ("certify", write("xor.csv", XOR), "--target", "label")
    for options in ([], ["--min-errors"], ["--min-errors", "--search-time", "2.5"]):
        assert shell(*asked, *options)[0] == 0
    assert searched == [10.0, 2.5]


# --- Exit codes -----------------------------------------------------------------------------------

COMPLETE = "a,label\n1,no\n2,no\n3,yes\n"
QUASI = "a,label\n1,no\n2,no\n2,yes\n3,yes\n"


def test_exit_codes_tell_the_verdicts_apart(shell):
    rng = np.random.default_rng(0)
    clouds = pd.DataFrame(rng.standard_normal((300, 40))).assign(label=rng.integers(0, 2, 300))
    clouds.to_csv("clouds.csv", index=False)
    asked = ("-y", "label")
    for name, table, code in (("c", COMPLETE, 0), ("x", XOR, 10), ("q", QUASI, 11)):
        assert shell("certify", write(f"{name}.csv", table), *asked)[0] == 0
        assert shell("certify", f"{name}.csv", *asked, "--exit-code")[0] == code
    for more in ((), ("--exit-code",)):
        assert shell("certify", "clouds.csv", *asked, "--time-limit", "1e-9", *more)[0] == 3
    told = " ".join(shell("certify", "--help")[1].split())
    for code in (
        "0 for complete separation",
        "10 for overlap",
        "11 for quasi-complete",
        "12 if",
        "13 for",
    ):
        assert code in told


def test_not_separable_and_open_in_what_way_has_a_code_of_its_own(shell, monkeypatch):
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    document = certify(X, y).to_dict()
    document = {k: v for k, v in document.items() if k not in ("balance", "orthogonal")}
    half = Certificate.from_dict(document | {"verdict": "undecided", "limits": ["a limit"]})
    monkeypatch.setattr("rosenblatt.certify", lambda *args, **options: half)
    assert shell("certify", write("x.csv", XOR), "-y", "label")[0] == 0
    code, out, _ = shell("certify", "x.csv", "-y", "label", "--exit-code", "--json")
    assert (code, json.loads(out)["verdict"]) == (12, "not separable")
    # The proof of the conflict alone is accepted, and what it proves is said.
    half.save("half.json")
    write("t.csv", "x0,y\n0,0\n1,1\n2,0\n")
    said = "ACCEPTED: not separable, 3 rows, proved; quasi-complete separation or overlap is undec"
    assert shell("verify", "half.json", "t.csv")[1].startswith(said)


def test_what_is_undecided_is_not_called_proved(shell):
    shell("certify", CREDIT, "-y", "card", "--time-limit", "1e-9", "-o", "u.json")
    code, out, _ = shell("verify", "u.json", CREDIT, "--encoded", "n.csv")
    assert (code, out.split()[0]) == (3, "UNDECIDED:")
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt.verify", "u.json", "n.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[0] == out.splitlines()[0]  # both say the same


# --- Reference levels -----------------------------------------------------------------------------


def towns(rare):
    rows = [f"{town},{n},{label}" for town in "abbc" for n in (1, 2) for label in ("no", "yes")]
    return "town,n,label\n" + "\n".join(rows + ["Delft,1,no"] * rare) + "\n"


def test_the_category_that_separates_is_named(shell):
    name = write("t.csv", towns(1))
    code, out, _ = shell("certify", name, "-y", "label", "-o", "c.json", "-v")
    assert code == 0
    check_sentence(line_of(out, "town=Delft."))
    check_sentence(line_of(out, "labelled"))
    check_sentence(line_of(out, "one-hot"))
    assert "ollinear" not in out
    assert shell("verify", "c.json", name)[0] == 0
    told = json.loads(shell("certify", name, "-y", "label", "--json")[1])
    assert (told["coefficient_signs"]["town=Delft"], told["rare_columns"]) == ("-", ["town=Delft"])


def test_dummies_of_the_users_own_are_named_too(shell):
    frame = pd.get_dummies(pd.read_csv(write("t.csv", towns(1))), columns=["town"], dtype=int)
    frame.to_csv("d.csv", index=False)
    code, out, _ = shell("certify", "d.csv", "-y", "label", "-v")
    assert code == 0
    check_sentence(line_of(out, "minus infinity"))
    check_sentence(line_of(out, "Collinear"))
    frame.assign(const=1).to_csv("i.csv", index=False)
    out = shell("certify", "i.csv", "-y", "label", "-v")[1]
    check_sentence(line_of(out, "const"))
    out = shell("certify", "i.csv", "-y", "label", "--no-intercept")[1]
    assert "makes it an intercept" not in out


# --- Weights --------------------------------------------------------------------------------------


def test_rows_of_weight_0_are_left_out(shell):
    # Without the last row the classes are apart; how large other weights are does not matter.
    name = write("w.csv", "a,k,label\n1,3,no\n2,0.5,no\n3,7,yes\n1,0,yes\n")
    code, out, _ = shell("certify", name, "-y", "label", "--weight", "k", "-o", "c.json", "-v")
    assert code == 0
    assert "all 3 rows" in out
    check_sentence(line_of(out, "Left out"))
    assert json.loads(Path("c.json").read_text())["columns"] == ["a"]
    said = shell("verify", "c.json", name)[1]
    assert said.startswith("ACCEPTED: complete separation, 3 rows (1 left out), proved. ")
    assert shell("certify", name, "-y", "label", "--ignore", "k", "--exit-code")[0] == 10


def test_an_error_counts_as_much_as_its_row_weighs(shell):
    # XOR: one row of four must be wrong; the lightest of them weighs 2.
    rows = "a,b,k,label\n0,0,5,no\n0,1,4,yes\n1,0,2,yes\n1,1,3,no\n"
    asked = ("certify", write("x.csv", rows), "-y", "label", "--weight", "k", "--json")
    assert json.loads(shell(*asked, "--min-errors")[1])["fewest_errors"]["upper"] == 2


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("-1", "row 2 (line 3), weight 'k' is -1: give a finite"),
        ("", "weight 'k' is missing: give a finite number, 0 or greater"),
        ("inf", "weight 'k' is inf"),
        ("much", "The column 'k' holds '3', 'much': weights are numbers, 0 or greater."),
    ],
)
def test_weights_that_are_none(shell, column, said):
    name = write("w.csv", f"a,k,label\n1,3,no\n2,{column},yes\n")
    code, out, err = shell("certify", name, "-y", "label", "--weight", "k", "-o", "c.json")
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("c.json").exists()


def test_weights_of_a_column_that_is_not_there_or_is_the_target(shell):
    name = write("w.csv", "a,k,label\n1,3,no\n2,2,yes\n")
    assert "--weight K is not a column of w.csv. Did you mean 'k'?" in " ".join(
        shell("certify", name, "-y", "label", "--weight", "K")[2].split()
    )
    code, _, err = shell("certify", name, "-y", "label", "--weight", "label")
    assert (code, "is the target and cannot also be the weight" in err) == (2, True)


def test_what_it_is_doing_is_told(tmp_path):
    steps = []
    with heard_by(lambda step, done, total: steps.append(step)):
        certify([[0.0], [1.0]], [0, 1])
    assert steps[0] == "looking for a separating hyperplane"
    assert steps[-1] == "checking the proof"
    asked = ("certify", str(CREDIT), "-y", "card")
    assert "deciding about 1,319 rows: " in on_a_terminal(tmp_path, *asked)
    assert "deciding" not in on_a_terminal(tmp_path, *asked, "--quiet")


def test_the_answer_and_its_reason_are_all_that_is_said_unasked(shell):
    code, out, _ = shell("certify", CREDIT, "-y", "card")
    first, *_ = lines = out.splitlines()
    assert code == 0
    assert first.startswith("Quasi-complete separation: a logistic regression has no finite")
    assert len(lines) <= 9
    assert len(lines) < len(shell("certify", CREDIT, "-y", "card", "-v")[1].splitlines())
    out = shell("certify", CREDIT, "-y", "card", *LEAVE_OUT)[1]
    assert out.startswith("Overlap: a logistic regression has a finite estimate; no linear rule")
    assert len(out.splitlines()) <= 5


# --- What it is about, and what can be reported ---------------------------------------------------


def numbered(seed: int, **columns: list) -> str:
    """A table with a patient number, from 1 to 40, and a score that tells most labels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=40)
    y = np.where(x + rng.normal(size=40) > 0, "yes", "no")
    table = pd.DataFrame(columns | {"x": x.round(3), "y": y})
    table.to_csv("numbered.csv", index=False)
    return "numbered.csv"


def test_a_patient_number_is_not_taken_for_a_covariate_without_a_word(shell):
    table = numbered(1, patient=list(range(1, 41)))
    _, out, _ = shell("certify", table, "-y", "y")
    assert "covariates patient, x" in out
    warning = line_of(out, "Warning")
    check_sentence(warning)
    assert warning.endswith("--ignore patient.")  # as fit and inspect say
    assert warning in shell("inspect", table, "-y", "y")[1]
    _, out, _ = shell("certify", table, "-y", "y", "--json")
    (warned,) = json.loads(out)["warnings"]
    assert (warned["kind"], warned["columns"]) == ("identifier", ["patient"])
    code, out, _ = shell("certify", table, "-y", "y", "--ignore", "patient")
    assert (code, "Warning" in out, "covariate x" in out) == (0, False, True)


def test_estimates_are_those_of_python(shell):
    text = "dose,town,healed\n1,a,0\n2,b,0\n3,a,0\n3,a,1\n3,b,0\n3,b,1\n4,a,1\n4,b,1\n"
    table = write("t.csv", text)
    X, y, preprocessing = data.read(table, target="healed").encode(scale=False)
    code, out, _ = shell("certify", table, "-y", "healed", "--estimates")
    assert code == 0
    for model in (limiting_model, firth):  # quasi-complete separation: the limit, and finite
        assert f"\n{model(X, y, preprocessing=preprocessing)}\n" in out
    assert "Reference levels of the one-hot encoding: town=a." in out
    assert "Reference levels" not in shell("certify", table, "-y", "healed")[1]
    _, out, _ = shell("certify", table, "-y", "healed", "--estimates", "--json")
    found = json.loads(out)["estimates"]
    assert found["limiting_model"]["coefficients"]["dose"] == "inf"
    own = firth(X, y, preprocessing=preprocessing)
    assert found["firth"]["coefficients"] == own.coefficients
    assert set(found["firth"]["intervals"]) == {"dose", "town=b", "(intercept)"}


def test_estimates_of_each_verdict(shell):
    def kinds(*arguments):
        return set(
            json.loads(shell("certify", *arguments, "--estimates", "--json")[1])["estimates"]
        )

    overlap = ("certify", CREDIT, "-y", "card", *LEAVE_OUT, "--estimates", "--json")
    found = json.loads(shell(*overlap)[1])["estimates"]["maximum_likelihood"]
    assert found["coefficients"]["reports"] == pytest.approx(-1.4, abs=0.5)
    assert all(low < high for low, high in found["intervals"].values())
    separable = write("s.csv", "a,y\n1,0\n2,0\n3,1\n4,1\n")
    assert kinds(separable, "-y", "y") == {"firth"}
    three = write("three.csv", "a,y\n1,u\n2,v\n3,w\n1,u\n2,u\n3,v\n")
    assert kinds(three, "-y", "y") == set()
    _, out, _ = shell("certify", three, "-y", "y", "--estimates")
    check_sentence(line_of(out, "--estimates"))
    # A column twice: its coefficient is not determined, and the verdict is there all the same.
    twice = write("twice.csv", "a,b,y\n1,1,0\n2,2,0\n3,3,1\n4,4,1\n")
    code, out, _ = shell("certify", twice, "-y", "y", "--estimates")
    assert (code, out[:19]) == (0, "Complete separation")
    check_sentence(line_of(out, "No estimates"))
    refused = ("certify", separable, "-y", "y", "--estimates")
    assert shell(*refused, "--numbers", "decimal")[0] == 2
    assert shell(*refused, "--family", "conditional", "--strata", "a")[0] == 2


@pytest.mark.parametrize(
    ("family", "every", "kind"),
    [("poisson", 0, "limiting_model"), ("ordinal", 1, "maximum_likelihood")],
)
def test_estimates_of_counts_and_of_levels(shell, family, every, kind):
    """Of the counts of z = b all are 0, of its levels not."""
    rows = [(x, z, (x % 3) * (z == "a" or every)) for x in range(12) for z in "ab"]
    table = write("t.csv", "x,z,n\n" + "".join(f"{x},{z},{n}\n" for x, z, n in rows))
    X, y, preprocessing = data.read(table, target="n").encode(scale=False)
    own = limiting_model(X, y, family=family, preprocessing=preprocessing)
    asked = ("certify", table, "-y", "n", "--family", family, "--estimates")
    code, out, _ = shell(*asked)
    assert (code, f"\n{own}\n" in out, "Reference levels" in out) == (0, True, True)
    found = json.loads(shell(*asked, "--json")[1])["estimates"]
    assert list(found) == [kind]
    assert found[kind]["intervals"].keys() == own.intervals.keys()


# --- What to do next, and what was done -----------------------------------------------------------


def test_it_says_what_to_do_next(shell):
    """Check what was written; else learn a rule from the same table, read in the same way."""
    table = write("my table.csv", "0,x,no\n1,y,no\n2,x,yes\n3,y,yes\n")

    def said(*more):
        _, out, _ = shell("certify", table, "--no-header", "-y", "x2", "--ignore", "x1", *more)
        return out.splitlines()[-1]

    assert said() == "Next: rosenblatt fit 'my table.csv' --target x2 --ignore x1 --no-header"
    assert said("-o", "c.json") == "Next: rosenblatt verify c.json 'my table.csv'"
    assert shell("verify", "c.json", table)[0] == 0
    assert "Next" not in said("-q")
    assert "Next" not in said("--json")
    weighted = write("w.csv", "a,w,ok\n1,2,no\n2,1,yes\n")
    _, out, _ = shell("certify", weighted, "-y", "ok", "--weight", "w")
    assert out.startswith("Complete separation")
    assert "Next" not in out  # fit has no weights


def test_only_columns_that_were_filled_are_said_to_be(shell):
    text = "a,b,ok\n1,5,no\n,6,no\n3,7,yes\n4,8,yes\n"
    code, out, _ = shell(
        "certify", write("t.csv", text), "-y", "ok", "--impute", "median", "-o", "c", "-v"
    )
    assert code == 0
    assert "('a' 3.0 for missing values), data" in out
    _, short, _ = shell("certify", "t.csv", "-y", "ok", "--impute", "median")
    (line,) = [line for line in short.splitlines() if "were filled" in line]
    assert "1 column: a;" in line
    code, out, _ = shell("verify", "c", "t.csv")
    assert code == 0
    assert "('a' 3.0 for 1 missing value)" in out


@pytest.mark.parametrize("command", ["certify", "trace", "fit"])
def test_numbers_with_fractions_are_no_labels(shell, command):
    rows = "".join(f"{i % 7},{-3.5 if i % 3 else 0.25}\n" for i in range(40))
    Path("t.csv").write_text(f"u,y\n{rows}")
    code, _, err = shell(command, "t.csv", "--target", "y")
    assert code == 2
    check_sentence(err.strip())
    assert "--positive '>=0.25'" in err  # -3.5 would leave one class
    code, _, err = shell(command, "t.csv", "--target", "y", "--positive", ">=0.25")
    assert code != 2, err


# --- what the rows force --------------------------------------------------------------------------


def test_signs_of_too_many_columns_are_refused_first(shell):
    names = [f"c{j}" for j in range(11)]
    rows = [[i * j % 7 for j in range(11)] for i in range(8)]
    pd.DataFrame(rows, columns=names).assign(y=list("abbabaab")).to_csv("t.csv", index=False)
    code, out, err = shell("certify", "t.csv", "-y", "y", "--forced-signs", "-o", "c.json")
    assert (code, out, Path("c.json").exists()) == (2, "", False)
    check_sentence(err.strip())


def test_groups_of_rows_are_a_file_each(shell):
    """So many errors as files: no row is in two of them, and every rule errs in each."""
    write("t.csv", "a,b,y\n0,0,n\n0,1,y\n1,0,y\n1,1,n\n5,5,n\n5,6,y\n6,5,y\n6,6,n\n")
    asked = ("certify", "t.csv", "-y", "y", "--min-errors", "--json")
    _, out, err = shell(*asked, "--proofs", "p", "-o", "c.json")
    assert json.loads(out)["fewest_errors"]["lower"] == 2
    check_sentence(err.splitlines()[-1])
    files = sorted(Path("p").iterdir())
    rows = [row for file in files for row in json.loads(file.read_text())["conflict"]["rows"]]
    assert [file.name for file in files] == ["conflict-1.json", "conflict-2.json"]
    assert len(rows) == len(set(rows))
    for file in files:
        assert shell("verify", file, "t.csv")[0] == 0
    told = shell(*asked, "-o", "other.json")[2].splitlines()
    assert any("--proofs FOLDER" in line for line in told)


def test_a_proof_by_shares_of_groups_has_no_file_and_it_is_said(shell):
    write("t.csv", "dose,y,w\n1,no,2\n2,no,3\n3,no,4\n3,yes,2\n4,yes,1\n9,no,0\n")
    asked = ("certify", "t.csv", "-y", "y", "--weight", "w", "--min-errors", "--proofs", "p")
    check_sentence(shell(*asked)[2].splitlines()[-1])
    assert not Path("p").exists()


def test_signs_do_without_the_fewest_errors(shell):
    """No rule is right about all rows, so that signs of all such rules would mean nothing."""
    write("t.csv", "dose,y\n1,no\n2,no\n3,no\n3,yes\n4,yes\n5,yes\n")
    _, out, _ = shell("certify", "t.csv", "-y", "y", "--forced-signs")
    check_sentence(line_of(out, "on these 6 rows"))


def test_errors_that_weigh_are_a_sentence_and_what_is_left_out_is_told_once(shell):
    write("t.csv", "dose,y,w\n1,no,2\n2,no,3\n3,no,4\n3,yes,2\n4,yes,1\n9,no,0\n")
    _, out, _ = shell("certify", "t.csv", "-y", "y", "--weight", "w", "--min-errors", "-v")
    check_sentence(line_of(out, "16.67%"))
    check_sentence(line_of(out, "row 4"))
    assert out.count("Left out: one row of weight 0.") == 1


def test_signs_that_are_demanded_and_what_they_cost(shell, tmp_path):
    """As in Python; the proofs are about them, and the wrong ones are named."""
    columns = ["--ignore", "share", "--ignore", "expenditure"]
    asked = ["--sign", "income:-", "--sign", "owner=yes:+", "--min-errors", "--search-time", "1"]
    path = str(tmp_path / "c.json")
    code, said, _ = shell("certify", CREDIT, "-y", "card", *columns, *asked, "-o", path, "--json")
    found = json.loads(said)
    assert (code, found["signs"]) == (0, {"income": "-", "owner=yes": "+"})
    assert found["price"]["at_most"] >= found["price"]["at_least"] >= 0
    assert json.loads((tmp_path / "c.json").read_text())["demand"] == [0, 0, -1, 1, 0, 0, 0, 0, 0]
    code, said, _ = shell("verify", path, CREDIT)
    assert code == 0
    assert "not separable with the signs 'income' -, 'owner=yes' +" in said
    for wrong in ("income", "income:x", "foo:+", "owner:+"):
        code, _, error = shell("certify", CREDIT, "-y", "card", "--sign", wrong)
        assert code == 2
        assert "--sign" in error


def test_the_separated_rows_and_the_few_columns_that_separate_them_are_named(shell):
    """c is b but in two rows, which have one label; both labels are there for all else."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, (2, 40))
    y, c = np.tile([0, 1], 20), b.copy()
    c[[4, 10]] += [1, 2]
    table = write("t.csv", pd.DataFrame({"a": a, "b": b, "c": c, "y": y}).to_csv(index=False))
    found = json.loads(shell("certify", table, "-y", "y", "--json")[1])
    assert found["verdict"] == "quasi-complete separation"
    assert found["separated_rows"] == [4, 10]
    (direction,) = found["separating_directions"]
    assert direction == {"columns": {"b": 1.0, "c": -1.0}, "rows": [4, 10]}
    for verbose in ((), ("-v",)):
        out = shell("certify", table, "-y", "y", *verbose)[1]
        assert "rows 5, 11 (" in out
        assert not any(line.startswith("Why: ") for line in out.splitlines())


def test_few_events_are_compared_with_permuted_labels(shell):
    """Of noise; scipy's linear programme finds as many of the same tables separable."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 20)).round(3), np.repeat([1, 0], [8, 52])
    frame = pd.DataFrame(X).add_prefix("v").assign(y=y)
    out = shell("certify", write("t.csv", frame.to_csv(index=False)), "-y", "y")[1]
    assert out.startswith("Complete separation")
    draw, count = np.random.default_rng(0), 0
    for _ in range(40):
        signed = np.where(draw.permutation(y), 1, -1)[:, None] * np.column_stack([X, np.ones(60)])
        ends = linprog(np.zeros(21), A_ub=-signed, b_ub=-np.ones(60), bounds=(None, None))
        count += ends.status == 0
    assert f", {count} were completely separated" in out


def test_a_warning_is_not_lost_by_asking_for_more(shell):
    rows = "".join(f"{i if i % 3 == 0 else ''},{i % 7},{i % 2}\n" for i in range(30))
    table = write("t.csv", f"a,b,y\n{rows}")
    for verbose in ((), ("-v",)):
        out = shell("certify", table, "-y", "y", "--impute", "median", *verbose)[1]
        assert "Missing values were filled in 1 column: a;" in out
        assert "a (20 of 30)" in out
