"""rosenblatt fit --scorecard, and what is done with the card: by hand, in SQL, with reasons."""

import csv
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from raising import raises
from rosenblatt import Scorecard, load, study
from rosenblatt.cli import run as main
from rosenblatt.datasets import load_credit
from rosenblatt.errors import InputError
from rosenblatt.report import render
from rosenblatt.selection import clopper_pearson

CREDIT = load_credit().filename
LEAK = ["share", "expenditure"]


def made(n=400, seed=0):
    """A planted card, a word and a tenth of wrong labels."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "reports": rng.integers(0, 5, n),
            "income": (rng.gamma(2, 2, n) * 100).round() / 100,
            "town": rng.choice(["Rome", "Oslo", "Bern"], n),
        }
    )
    points = -2 * table["reports"] + 3 * (table["income"] >= 3) + 2 * (table["town"] == "Oslo")
    table["paid"] = np.where((points >= 1) ^ (rng.random(n) < 0.1), "yes", "no")
    return table


TABLE = made()


@pytest.fixture(scope="module")
def found():
    return study(TABLE, target="paid", scorecard=True, max_points=5, max_terms=4, comparison=False)


@pytest.fixture(scope="module")
def folder(found, tmp_path_factory):
    place = tmp_path_factory.mktemp("card") / "study"
    found.save(place)
    return place


# --- The rule is a card ---------------------------------------------------------------------------


def test_the_card_is_chosen_by_validation_rows_tested_and_told(found):
    card = found.estimator
    assert isinstance(card, Scorecard)
    assert found.error < 0.3
    names = [c.name for c in found.candidates]
    assert names == ["larger class", "card of 1 term", *(f"card of {k} terms" for k in (2, 3, 4))]
    fewest = min(c.validation_errors for c in found.candidates[1:])
    first = next(c for c in found.candidates[1:] if c.validation_errors == fewest)
    assert found.selection.winner.name == first.name  # of equal ones the shortest
    assert found.rule.startswith("paid = yes if the points reach ")
    assert "for each of reports" in found.rule
    assert card.preprocessing_.feature_names[0] == "reports"
    assert not card.preprocessing_.scaled  # cuts are those of the table
    towns = [name for name in card.preprocessing_.feature_names if name.startswith("town=")]
    assert towns == ["town=Bern", "town=Oslo", "town=Rome"]  # any of them may have points
    assert "if town=Oslo" in found.rule


def test_the_bracket_is_about_the_rows_that_it_learned_from(found):
    rows = found.selection.fitted_on
    X = found.preprocessing.transform(TABLE.drop(columns="paid").iloc[rows])
    wrong = int((found.estimator.predict(X) != TABLE["paid"].to_numpy()[rows]).sum())
    lower, upper = found.estimator.bracket_
    assert lower <= upper == wrong
    said = found.to_dict()["rule"]["card"]["bracket"]
    assert f"The card makes {upper} errors on the {len(rows)} rows it learned from" in said


def test_the_example_of_the_document_adds_up(found):
    card = found.to_dict()["rule"]["card"]
    total = 0
    for term, earned in zip(card["terms"], card["example"]["earned"], strict=True):
        counts = earned["value"] if term["each"] else float(earned["value"] >= term["cut"])
        assert earned["counts"] == counts
        assert earned["points"] == term["points"] * counts
        total += earned["points"]
    assert card["example"]["total"] == total
    assert card["example"]["label"] == ("yes" if total >= card["threshold"] else "no")
    groups, points = (
        card["by_points"],
        found.estimator.points(
            found.preprocessing.transform(
                TABLE.drop(columns="paid").iloc[found.selection.fitted_on]
            )
        ),
    )
    assert sum(group["rows"] for group in groups) == len(points)
    assert groups[0]["lowest"] == points.min()
    assert groups[-1]["highest"] == points.max()
    assert all(20 * group["rows"] >= len(points) for group in groups[1:])


def test_the_report_shows_a_card_to_fill_in(found):
    page = render(dict(found.to_dict()))
    card = found.to_dict()["rule"]["card"]
    table = page[page.index('<table class="points">') :]
    table = table[: table.index("</table>")]
    assert table.count('class="n blank"') == len(card["terms"]) + 1
    assert "for each of reports" in table
    assert f"<strong>{card['example']['total']}</strong>".replace("-", "−") in table
    assert "proved." in page
    assert "other rules than this one" not in page  # it is about perceptrons on all columns
    assert "one pass" not in str(found)


def test_the_terminal_says_the_card(capsys, tmp_path):
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    arguments = [
        "--target",
        "paid",
        "--scorecard",
        "--max-points",
        "2",
        "--max-terms",
        "2",
        "--private",
        "-q",
    ]
    code = main(["fit", str(tmp_path / "t.csv"), *arguments, "-o", str(tmp_path / "out")])
    shown = capsys.readouterr().out
    assert code == 0
    assert "paid = yes if the points reach" in shown
    assert "logistic regression" in shown  # what all columns would give
    assert "use every column" in shown
    saved = load(tmp_path / "out" / "model.json")
    assert set(saved.points_) <= {-2, -1, 1, 2}
    report = (tmp_path / "out" / "report.html").read_text()
    assert "--max-points 2 --max-terms 2" in report.replace("&#x27;", "'")


# --- What is done with it -------------------------------------------------------------------------


def test_its_reasons_are_the_points_of_its_terms(folder, tmp_path, capsys):
    TABLE[:20].drop(columns="paid").to_csv(tmp_path / "new.csv", index=False)
    model = str(folder / "model.json")
    main(["predict", model, str(tmp_path / "new.csv"), "--explain", "--reasons", "9", "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    card = load(model)
    X = card.preprocessing_.transform(TABLE[:20].drop(columns="paid"))
    for row, points in zip(rows, card.points(X), strict=True):
        reasons = {reason["feature"]: reason["adds"] for reason in row["reasons"]}
        assert reasons.keys() <= set(card.terms_)
        assert sum(reasons.values()) == points
        assert row["score"] == points + row["intercept"]
        assert row["intercept"] == 0.5 - card.threshold_
        assert (row["points"], row["threshold"]) == (points, card.threshold_)
    main(["predict", model, str(tmp_path / "new.csv"), "--explain", "--reasons", "9"])
    for line in csv.DictReader(capsys.readouterr().out.splitlines()):
        by_hand = sum(int(cell) for name, cell in line.items() if "add" in name and cell)
        assert line["points"] == str(by_hand)
        assert line["threshold"] == str(card.threshold_)
        assert (line["prediction"] == "yes") == (by_hand >= card.threshold_)


def test_rows_that_lack_a_value_have_no_points(folder, tmp_path, capsys):
    (tmp_path / "new.csv").write_text("reports,income,town\n,3.0,Oslo\n")
    assert (
        main(["predict", str(folder / "model.json"), str(tmp_path / "new.csv"), "--explain"]) == 0
    )
    header, row = csv.reader(capsys.readouterr().out.splitlines())
    assert header[:5] == ["row", "prediction", "score", "points", "reason 1"]
    assert header[-2:] == ["others add", "threshold"]
    assert row == ["1", *[""] * (len(header) - 1)]


def test_a_change_turns_its_decision(folder, tmp_path, capsys):
    new = TABLE[:20].drop(columns="paid")
    new.to_csv(tmp_path / "new.csv", index=False)
    model = str(folder / "model.json")
    assert (
        main(
            ["predict", model, str(tmp_path / "new.csv"), "--explain", "--counterfactual", "--json"]
        )
        == 0
    )
    card, told = load(model), 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        changes = row["changes"]
        for change in [*changes["single"], *filter(None, [changes["double"]])]:
            other = new.iloc[[row["row"]]].copy()
            for move in change["moves"]:
                assert other[move["column"]].iloc[0] == move["now"]
                other[move["column"]] = move["to"]
            assert card.predict(card.preprocessing_.transform(other))[0] != row["prediction"]
            told += 1
    assert told > 20


def test_it_is_exported_as_sql_python_and_a_formula(folder, tmp_path, capsys):
    model, columns = str(folder / "model.json"), TABLE.drop(columns="paid")
    expected = load(model).predict(load(model).preprocessing_.transform(columns)).tolist()
    assert main(["export", model, "--sql", "--table", "people"]) == 0
    with sqlite3.connect(":memory:") as base:
        columns.to_sql("people", base, index=False)
        answer = pd.read_sql_query(capsys.readouterr().out, base)
    assert answer["predicted"].tolist() == expected
    assert main(["export", model, "--python", "-o", str(tmp_path / "rule.py")]) == 0
    module = {}
    exec((tmp_path / "rule.py").read_text(), module)
    assert [module["predict"](row) for row in columns.to_dict("records")] == expected
    TABLE[["paid", "town", "income", "reports"]].to_csv(tmp_path / "order.csv", index=False)
    capsys.readouterr()
    main(["export", model, "--excel-formula", "--columns-of", str(tmp_path / "order.csv")])
    said = capsys.readouterr()
    assert said.out.startswith("=IF(")
    assert "reports in D2" in said.err
    assert "* D2" in said.out
    main(["export", model, "--excel-formula", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["format"] == "excel"
    assert printed["columns"][0] == "reports"
    assert "A2" in printed["text"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "--python, --javascript, --c, --pmml; got none"),
        (["--sql", "--python"], "got --sql and --python"),
        (["--python", "--table", "t"], "--table goes with --sql, not with --python"),
        (["--sql", "--columns-of", "t"], "--columns-of goes with --excel-formula"),
        (["--onnx", "f"], "A Scorecard cannot be exported to ONNX. Export it as SQL, a"),
        (["--onnx", "f", "-o", "g"], "--output goes with --sql or --excel-formula or --python"),
    ],
)
def test_options_of_export_that_do_not_go_together_are_refused(folder, options, says, capsys):
    assert main(["export", str(folder / "model.json"), *options]) == 2
    assert says in capsys.readouterr().err


def test_a_column_that_the_table_lacks_is_named(folder, tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    model = str(folder / "model.json")
    code = main(["export", model, "--excel-formula", "--columns-of", str(tmp_path / "t.csv")])
    assert code == 2
    assert "'reports' is not a column of" in capsys.readouterr().err


def test_ranges_are_those_of_the_columns_wherever_words_stand():
    """A card has a feature for every word, and the rows of the table one fewer."""
    table = TABLE[["town", "income", "reports", "paid"]][:150]
    found = study(table, target="paid", scorecard=True, max_points=3, max_terms=2, comparison=False)
    rows = table.iloc[found.selection.fitted_on]
    for column in found.preprocessing.columns[1:]:
        values = rows[column.name]
        assert (column.seen.low, column.seen.high) == (values.min(), values.max())
        assert column.seen.whole == (column.name == "reports")


def test_gaps_in_counts_are_filled_with_whole_numbers():
    gaps = TABLE[:150].copy()
    gaps["reports"] = gaps["reports"].astype(float)
    gaps.loc[gaps.index[::10], ["reports", "income"]] = np.nan
    asked = {
        "target": "paid",
        "scorecard": True,
        "max_points": 3,
        "max_terms": 2,
        "comparison": False,
        "impute": "mean",
    }
    found = study(gaps, **asked)
    fills = {column.name: getattr(column, "fill", None) for column in found.preprocessing.columns}
    assert fills["reports"] % 1 == 0
    assert fills["income"] % 1 != 0  # cents
    points = found.estimator.points(found.preprocessing.transform(gaps.drop(columns="paid")))
    assert (points % 1 == 0).all()


# --- Costs ----------------------------------------------------------------------------------------


def test_costs_and_balance_weigh_the_search():
    asked = {
        "target": "paid",
        "scorecard": True,
        "max_points": 3,
        "max_terms": 1,
        "comparison": False,
    }
    plain = study(TABLE[:150], **asked)
    dear = study(TABLE[:150], **asked, costs={"yes:no": 20})
    even = study(TABLE[:150], **asked, class_weight="balanced")
    assert dear.estimator.class_weight == {"no": 1.0, "yes": 20.0}
    assert even.estimator.class_weight == "balanced"

    def missed(found):
        of = found.selection
        return int(((of.labels == "yes") & (of.predictions == "no")).sum())

    assert missed(dear) < missed(plain)
    assert "cost less" in dear.to_dict()["rule"]["card"]["bracket"]


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"scorecard": True, "max_points": 0},
        {"max_terms": 3},
        {"scorecard": True, "max_points": 5, "max_terms": 21},
        {"scorecard": True, "max_points": 5, "stream": True},
    ],
)
def test_options_that_make_no_card_are_refused(options):
    with raises(InputError):
        study(TABLE, target="paid", **options)


def test_more_labels_and_sparse_rows_have_no_card():
    three = TABLE.assign(paid=np.resize(["a", "b", "c"], len(TABLE)))
    with raises(InputError, option="scorecard", value=True):
        study(three, target="paid", scorecard=True)
    wordy = TABLE.assign(
        note=[("red sky at night", "grey sky at noon")[k % 2] for k in range(len(TABLE))]
    )
    with raises(InputError, option="scorecard", value=True):
        study(wordy, target="paid", text="note", scorecard=True)


def test_a_card_that_does_as_well_is_offered_beside_the_rule():
    given = {"target": "card", "ignore": ["share", "expenditure"]}
    found = study(CREDIT, **given)
    card, chosen = found.to_dict()["card"], found.selection
    assert card["test_errors"] <= chosen.test_errors + 0.01 * chosen.test_n
    assert card["interval"] == pytest.approx(clopper_pearson(card["test_errors"], card["test_n"]))
    # added up by hand, on the rows of the file
    rows = pd.read_csv(CREDIT)
    points = np.zeros(len(rows))
    for term in card["terms"]:
        name, _, level = term["feature"].partition("=")
        x = (rows[name] == level).astype(float) if level else rows[name]
        points += term["points"] * (x if term["each"] else x >= term["cut"])
    called = np.where(points >= card["threshold"], "yes", "no")
    assert (called != rows["card"])[chosen.test].sum() == card["test_errors"]
    assert found.to_dict()["reproduce"]["scorecard"].endswith(
        "--scorecard -o credit_card-rosenblatt-card"
    )
    page = render(found.to_dict())
    assert f"Or by a card of {len(card['terms'])} terms" in page
    for asked in ({"scorecard": True}, {"comparison": False}):
        assert study(CREDIT, **given, **asked).to_dict()["card"] is None


def test_no_card_is_offered_that_is_worse_than_the_rule_or_no_better_than_one_label():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 12))
    by_all, by_none = X.sum(axis=1) > 0, rng.integers(2, size=400)
    assert study(X, by_all).to_dict()["card"] is None
    assert study(X, by_none).to_dict()["card"] is None
