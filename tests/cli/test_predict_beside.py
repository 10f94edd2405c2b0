"""rosenblatt predict: smallest changes and second opinions, beside the prediction."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from raising import check_sentence
from rosenblatt import load, second_opinion, study
from rosenblatt.opinions import RuleSet


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Loans that a line separates but for two rows, studied once."""
    place = tmp_path_factory.mktemp("loans")
    rng = np.random.default_rng(3)
    n = 90
    loans = pd.DataFrame(
        {
            "debts": rng.integers(0, 9, n),
            "income": rng.uniform(1, 9, n).round(2),
            "home": rng.choice(["own", "rent"], n),
        }
    )
    good = loans["income"] * 2 - loans["debts"] * 1.5 + (loans["home"] == "own") * 2 > 5
    loans["paid"] = np.where(good, "yes", "no")
    loans.loc[[3, 40], "paid"] = loans.loc[[3, 40], "paid"].map({"yes": "no", "no": "yes"})
    loans.to_csv(place / "loans.csv", index=False)
    loans.drop(index=[3, 40]).to_csv(place / "clean.csv", index=False)
    loans.head(12).drop(columns="paid").to_csv(place / "new.csv", index=False)
    study(place / "loans.csv", target="paid", linear_only=True).save(place / "fit")
    study(place / "loans.csv", target="paid", linear_only=True, private=True).save(place / "bare")
    return place


@pytest.fixture
def asked(shell, folder):
    def ask(*options, model="fit", rows="new.csv"):
        return shell("predict", folder / model / "model.json", folder / rows, *options)

    return ask


def test_a_change_turns_the_label(asked, folder):
    code, out, _ = asked("--explain", "--counterfactual", "--json")
    assert code == 0
    model = load(folder / "fit" / "model.json")
    new = pd.read_csv(folder / "new.csv")
    known = pd.read_csv(folder / "loans.csv")
    turned = 0
    for row in json.loads(out)["rows"]:
        changes = row["changes"]
        for change in [*changes["single"], *filter(None, [changes["double"]])]:
            other = new.iloc[[row["row"]]].copy()
            for move in change["moves"]:
                assert other[move["column"]].iloc[0] == move["now"]
                other[move["column"]] = move["to"]
                if move["column"] != "home":
                    seen = known[move["column"]]
                    assert seen.min() <= move["to"] <= seen.max()
                if move["column"] == "debts":
                    assert move["to"] == round(move["to"])
            assert model.predict(model.preprocessing_.transform(other))[0] != row["prediction"]
            turned += 1
    assert turned > 12


def test_it_is_written_beside_the_reasons(asked):
    _, out, _ = asked(
        "--explain", "--counterfactual", "--immutable", "debts", "--immutable", "home"
    )
    header, *rows = csv.reader(out.splitlines())
    assert header[:5] == ["row", "prediction", "score", "reason 1", "adds 1"]
    assert header[-2:] == ["intercept", "smallest change"]
    for *_, change in rows:
        assert change.startswith(("income ", "no change of one or two columns"))
        assert "debts" not in change


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--counterfactual"], "add --explain"),
        (["--explain", "--immutable", "debts"], "add --counterfactual"),
        (
            ["--explain", "--counterfactual", "--immutable", "height"],
            "--immutable height: there is no such column",
        ),
        (["--proofs", "p"], "add --second-opinion TRAIN"),
        (["--second-opinion", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_refused(asked, options, message):
    code, out, err = asked(*options)
    assert code != 0
    assert out == ""
    assert message in err


def test_no_rows_are_no_ranges_either(asked):
    code, _, err = asked("--explain", "--counterfactual", model="bare")
    assert code != 0
    check_sentence(err.strip())


def test_second_opinions_are_those_of_python(asked, folder):
    code, out, err = asked("--second-opinion", folder / "loans.csv", "--json")
    assert code == 0
    model = load(folder / "fit" / "model.json")
    loans, new = pd.read_csv(folder / "loans.csv"), pd.read_csv(folder / "new.csv")

    class Rule:
        def predict(self, rows):
            return model.predict(model.preprocessing_.transform(rows))

    expected = second_opinion(loans.drop(columns="paid"), loans["paid"], new, Rule())
    rows = [row["second_opinion"] for row in json.loads(out)["rows"]]
    assert [row["status"] for row in rows] == [o.status for o in expected]
    assert [row["at_most"] for row in rows] == [o.at_most for o in expected]
    check_sentence(err.strip())


def test_proofs_are_checked_without_the_library(asked, folder):
    code, out, err = asked("--second-opinion", folder / "clean.csv", "--proofs", "proofs")
    assert code == 0
    forced = [row for row in csv.reader(out.splitlines()) if row[-1].startswith("forced")]
    assert forced
    written = sorted(path.name for path in Path("proofs").glob("*.json"))
    assert len(written) >= len(forced)
    assert f"row-{forced[0][0]}.json" in written
    command = err.split("To check one: ")[1].split()[1:]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert asked("--second-opinion", folder / "clean.csv", "--proofs", "proofs")[0] != 0  # there


def test_rows_of_other_labels_are_refused(asked, folder, tmp_path):
    other = pd.read_csv(folder / "loans.csv").assign(paid="yes")
    other.to_csv(tmp_path / "other.csv", index=False)
    code, _, err = asked("--second-opinion", tmp_path / "other.csv")
    assert code != 0
    check_sentence(err.strip())


def test_known_rows_in_the_form_of_training_or_of_the_new_rows(asked, folder, tmp_path):
    """Options are about the new rows; known rows of neither form are an error that names them."""
    loans, new = pd.read_csv(folder / "loans.csv"), pd.read_csv(folder / "new.csv")
    loans.to_csv(tmp_path / "known.csv", index=False, header=False, sep="|")
    new.assign(paid="").to_csv(tmp_path / "new.csv", index=False, header=False, sep="|")
    loans.to_csv(tmp_path / "third.csv", index=False, header=False, sep="@")
    how = ["--sep", "|", "--names", "debts,income,home,paid"]

    def opinions(known, *options, rows):
        return asked("--second-opinion", known, "--quiet", *options, rows=rows)

    expected = opinions(folder / "loans.csv", rows="new.csv")
    assert expected[0] == 0
    for known in (folder / "loans.csv", tmp_path / "known.csv"):
        assert opinions(known, *how, rows=tmp_path / "new.csv") == expected
    code, out, err = opinions(tmp_path / "third.csv", *how, rows=tmp_path / "new.csv")
    assert (code, out) == (2, "")
    check_sentence(err.strip())
    check_sentence(err.strip())
    _, _, err = opinions(tmp_path / "third.csv", rows="new.csv")
    check_sentence(err.strip())
    assert "'debts', 'income', 'home', 'paid'" in err


def test_ctrl_c_keeps_the_opinions_that_are_there(asked, folder, monkeypatch):
    every = RuleSet.opinions

    def three(self):
        for k, opinion in enumerate(every(self)):
            if k == 3:
                raise KeyboardInterrupt
            yield opinion

    monkeypatch.setattr(RuleSet, "opinions", three)
    code, out, err = asked("--second-opinion", folder / "clean.csv")
    assert code == 0
    check_sentence(err.strip())
    told = [row[-1] for row in csv.reader(out.splitlines())][1:]
    assert all(told[:3])
    assert not any(told[3:])
