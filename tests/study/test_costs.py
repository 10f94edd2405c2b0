"""Costs, objectives, retraining and probabilities, through the command and from Python."""

import csv
import json
import shlex
import typing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    precision_recall_fscore_support,
    roc_auc_score,
    roc_curve,
)

from raising import raises
from rosenblatt import Study, model_file, study
from rosenblatt.datasets import load_credit
from rosenblatt.errors import InputError
from rosenblatt.selection.criterion import Criterion

CREDIT = load_credit().filename
LEAK = ["share", "expenditure"]


def made(n=400, share=0.25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)).round(3)
    hidden = X[:, 0] + rng.standard_normal(n)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["ill"] = np.where(hidden > np.quantile(hidden, 1 - share), "yes", "no")
    return frame


@pytest.fixture(scope="module")
def dear():
    return study(CREDIT, target="card", ignore=LEAK, costs={("no", "yes"): 5})


@pytest.fixture
def plain(granted):
    return granted


# --- What is told is what scikit-learn tells of the same predictions, scores and probabilities ----


def test_precision_recall_and_ranking_are_scikit_learns(dear):
    document, found = dear.to_dict(), dear.selection
    labels, predicted = found.labels, found.predictions
    p, r, _, rows = precision_recall_fscore_support(labels, predicted, labels=["no", "yes"])
    told = document["by_class"]
    assert [one["precision"] for one in told] == pytest.approx(p)
    assert [one["recall"] for one in told] == pytest.approx(r)
    assert [one["rows"] for one in told] == rows.tolist()
    scores = dear.estimator.decision_function(dear.preprocessing.transform(CREDIT)[found.test])
    second = labels == "yes"
    assert document["roc"]["auc"] == pytest.approx(roc_auc_score(second, scores))
    curve = set(zip(*roc_curve(second, scores, drop_intermediate=False)[:2], strict=True))
    assert {tuple(point) for point in document["roc"]["points"]} <= curve
    assert tuple(document["roc"]["at"]) in curve
    probabilities = dear.predict_proba(CREDIT)[found.test, 1]
    assert document["calibration"]["brier"] == pytest.approx(
        brier_score_loss(second, probabilities)
    )


def test_the_cost_is_that_of_the_errors_counted_once(dear, plain):
    document, found = dear.to_dict(), dear.selection
    granted = int(((found.labels == "no") & (found.predictions == "yes")).sum())
    refused = int(((found.labels == "yes") & (found.predictions == "no")).sum())
    cost = document["cost"]
    assert cost["total"] == 5 * granted + refused
    assert [one["cost"] for one in document["by_class"]] == [5 * granted, refused]
    assert cost["per_row"] == cost["total"] / 264
    assert cost["always"] == {"no": 205.0, "yes": 5 * 59.0}
    assert cost["interval"][0] < cost["per_row"] < cost["interval"][1]
    assert found.test.tolist() == plain.selection.test.tolist()
    before = plain.selection
    wrong = (before.labels == "no") & (before.predictions == "yes")
    assert granted < wrong.sum() / 2  # the dear errors are fewer
    assert document["asked"]["objective"] == "cost"
    assert plain.to_dict()["cost"] is None


def test_the_bootstrap_is_near_the_normal_interval(dear):
    """The cost of a row is 0, 1 or 5: its mean has the standard error s/√n."""
    found = dear.selection
    wrong = found.labels != found.predictions
    by_row = np.where(found.labels == "no", 5.0, 1.0) * wrong
    width = 1.96 * by_row.std(ddof=1) / np.sqrt(len(by_row))
    ends = by_row.mean() - width, by_row.mean() + width
    assert dear.to_dict()["cost"]["interval"] == pytest.approx(ends, abs=0.02)


def test_the_curve_says_what_thresholds_do_and_the_chosen_one_is_the_cheapest(dear):
    told, unseen = dear.to_dict()["thresholds"], dear.selection.out_of_sample
    assert told["rows"] == len(unseen.scores) == 1055
    for point in told["points"]:
        called = unseen.scores >= point["threshold"]
        assert point["predicted"] == called.sum()
        assert point["missed"] == (unseen.second & ~called).sum()
        assert point["false"] == (~unseen.second & called).sum()
        assert point["cost"] == point["missed"] + 5 * point["false"]
    chosen = told["chosen"]
    assert chosen["threshold"] == 0
    assert chosen["missed"] == (unseen.second & (unseen.scores < 0)).sum()
    assert chosen["cost"] <= min(point["cost"] for point in told["points"])
    assert "five folds" in told["how"]


def test_the_rule_in_words_has_the_threshold_that_was_chosen(dear):
    rule, rows = dear.to_dict()["rule"], pd.read_csv(CREDIT)
    for word in ("owner", "selfemp"):
        rows[f"{word}=yes"] = rows[word] == "yes"
    total = sum(term["weight"] * rows[term["feature"]] for term in rule["terms"])
    called = np.where(total >= rule["threshold"], "yes", "no")
    assert (called == dear.predict(CREDIT)).all()
    assert dear.to_dict()["asked"]["moved"] > 0


# --- The command ----------------------------------------------------------------------------------


def test_the_command_gives_what_the_function_gives(shell):
    made().to_csv("t.csv", index=False)
    more = ["--cost", "yes:no=4", "--linear-only", "--no-comparison", "--seed", "2"]
    code, out, err = shell("fit", "t.csv", "-y", "ill", *more, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    options = {"costs": {"yes:no": 4}, "linear_only": True, "comparison": False, "random_state": 2}
    found = study("t.csv", target="ill", **options).to_dict()
    for part in ("asked", "by_class", "cost", "roc", "thresholds", "calibration", "candidates"):
        assert told[part] == found[part]
    why = "only rules that can be shown"
    assert told["not_tried"] == {"rbf kernel": f"{why} (--linear-only)"}
    assert found["not_tried"] == {"rbf kernel": f"{why} (linear_only=True)"}
    again = shlex.split(told["reproduce"]["command"])[1:]
    assert {"--cost", "yes:no=4", "--linear-only", "--no-comparison"} <= set(again)
    code, out, _ = shell(*again, "--json")
    assert json.loads(out)["cost"] == told["cost"]


def test_what_is_printed_with_costs(shell):
    made().to_csv("t.csv", index=False)
    out, err = shell("fit", "t.csv", "-y", "ill", "--cost", "yes:no=4", "--thorough", "-v")[1:]
    assert "seconds" not in err
    assert "validation cost a row" in out
    assert "One pass" not in out  # it knows no costs


def test_the_cost_leads_where_it_decides_and_all_are_compared_by_it(shell):
    made().to_csv("t.csv", index=False)
    asked = ["fit", "t.csv", "-y", "ill", "--linear-only", "--cost", "yes:no=4"]
    document = json.loads(shell(*asked, "--json")[1])
    lines = [line.split() for line in shell(*asked)[1].splitlines() if line.strip()]
    cost, n = document["cost"], document["error"]["test_n"]
    by = {one["name"]: one["cost"] for one in document["comparisons"]}

    def beginning(*words):
        return next(k for k, line in enumerate(lines) if line[: len(words)] == [*words])

    first, error = beginning("Test", "cost"), beginning("Test", "error")
    assert first < beginning("Compared") < error
    assert float(lines[first][2]) == pytest.approx(cost["per_row"], rel=0.01)
    assert " ".join(lines[first + 1]) == document["asked"]["meaning"]
    assert cost["baseline"]["label"] == min(cost["always"], key=cost["always"].get)
    assert cost["baseline"]["per_row"] == min(cost["always"].values()) / n
    figures = [cost["baseline"]["per_row"], by["logistic"], by["boosting"]]
    shown = [line[line[0] == "Compared"] for line in lines[first + 2 : error]]
    assert [float(figure) for figure in shown] == pytest.approx(figures, rel=0.01)
    by_error = [
        line[:2] for line in map(str.split, shell(*asked, "--objective", "error")[1].split("\n"))
    ]
    assert by_error.index(["Test", "error"]) < [line[:1] for line in by_error].index(["Cost"])
    assert ["Test", "cost"] not in by_error


def test_the_balanced_error_leads_where_it_decides_and_all_are_compared_by_it(shell):
    made(share=0.1).to_csv("t.csv", index=False)
    asked = ["fit", "t.csv", "-y", "ill", "--linear-only", "--class-weight", "balanced"]
    document = json.loads(shell(*asked, "--json")[1])
    lines = [line.split() for line in shell(*asked)[1].splitlines() if line.strip()]
    subjects = [line[0] for line in lines]
    first, compared, error = map(subjects.index, ("Balanced", "Compared", "Test"))
    assert first < compared < error
    balanced, by = document["balanced"], {c["name"]: c["cost"] for c in document["comparisons"]}
    rates = [balanced["rate"], balanced["baseline"], by["logistic"], by["boosting"]]
    shown = [line[line[0] in ("Balanced", "Compared")] for line in lines[first:error]]
    figures = [float(word[:-1]) / 100 for word in shown if word.endswith("%")]
    assert figures == pytest.approx(rates, abs=0.0005)
    assert lines[error][2] == f"{document['error']['rate']:.1%}"
    shell(*asked, "-o", "out")
    page = Path("out/report.html").read_text()
    lede = page[page.index('class="lede"') :].split("</p>")[0]
    low, high = balanced["interval"]
    for rate in (balanced["rate"], low, high, 0.5):
        assert f"{rate:.1%}" in lede
    by_error = shell(*asked, "--objective", "error")[1]
    assert "Balanced" not in by_error


def test_the_balanced_error_is_scikit_learns():
    found = study(made(share=0.1), target="ill", class_weight="balanced", comparison=False)
    split, balanced = found.selection, found.balanced
    assert balanced["rate"] == pytest.approx(
        1 - balanced_accuracy_score(split.labels, split.predictions)
    )
    assert balanced["baseline"] == 0.5
    assert balanced["interval"][0] < balanced["rate"] < balanced["interval"][1]
    assert f"balanced error {balanced['rate']:.1%}" in repr(found)
    assert found.to_dict()["answer"]["short"] == "Better than guessing"


def test_rows_in_groups_have_no_interval_of_the_balanced_error():
    frame = made().assign(who=np.arange(400) // 4)
    found = study(frame, target="ill", groups="who", objective="balanced", comparison=False)
    assert found.balanced["interval"] is None
    assert found.interval is not None


def test_a_study_by_cost_says_it_and_another_the_error(dear, plain):
    assert f"costs {dear.cost['per_row']:.3g} a row" in repr(dear)
    assert f"{plain.error:.1%} wrong" in repr(plain)


def test_a_column_that_says_a_constant_is_not_compared():
    """Where a missed row costs much, the best threshold of two values is beyond both."""
    frame = made(share=0.4)
    frame["sign"] = np.where(frame.pop("a") > 1, "high", "low")
    names = [
        {one["name"] for one in study(frame, target="ill", costs=costs).to_dict()["comparisons"]}
        for costs in (None, {"yes:no": 9})
    ]
    assert names[0] - names[1] == {"sign alone"}


def test_others_are_compared_by_what_decides():
    """Always "no" costs 4 for each "yes"; balanced it is half wrong."""
    frame, asked = made(), {"target": "ill", "linear_only": True}
    dear = study(frame, costs={"yes:no": 4}, **asked)
    share = (dear.selection.labels == "yes").mean()
    told = dear.to_dict()["comparisons"]
    assert told[0]["cost"] == pytest.approx(4 * share)
    assert {one["name"] for one in told} >= {"logistic", "boosting"}
    assert all(0 < one["cost"] <= 4 * share for one in told[1:])
    even = study(frame, class_weight="balanced", **asked).to_dict()["comparisons"]
    assert even[0]["cost"] == pytest.approx(0.5)
    plain = study(frame, **asked).to_dict()["comparisons"]
    assert {one["cost"] for one in plain} == {None}


def test_balanced_finds_more_of_the_rare_label():
    frame = made(n=800, share=0.08)
    plain, even = study(frame, target="ill"), study(frame, target="ill", class_weight="balanced")
    recall = [s.to_dict()["by_class"][1]["recall"] for s in (plain, even)]
    assert recall[1] > recall[0] + 0.2
    assert even.to_dict()["asked"]["objective"] == "balanced"
    assert even.estimator.class_weight == "balanced"
    by_error = study(frame, target="ill", class_weight="balanced", objective="error")
    assert by_error.selection.moved == 0


@pytest.mark.parametrize(
    "options",
    [
        {"costs": {"yes": 5}},
        {"costs": "yes:no"},
        {"costs": {"yes:no": 0}},
        {"costs": {"yes:no": "many"}},
        {"costs": {"yes:no": True}},
        {"costs": {"yes:maybe": 5}},
        {"costs": {"yes:yes": 5}},
        {"costs": 5},
        {"objective": "cost"},
        {"objective": "f1"},
        {"class_weight": {"yes": 2}},
        {"linear_only": 1},
        {"retrain": False, "cv": 3},
    ],
)
def test_what_cannot_be_asked(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with raises(InputError) as caught:
        study(made(60), target="ill", **options)
    assert str(caught.value).endswith(".")
    assert list(tmp_path.iterdir()) == []


def test_a_cost_for_a_label_that_is_none_writes_nothing(shell):
    made(60).to_csv("t.csv", index=False)
    code, out, err = shell("fit", "t.csv", "-y", "ill", "--cost", "ill:no=5")
    assert (code, out) == (2, "")
    assert "'ill' is not one of the labels, 'no', 'yes'. Write actual:predicted=number" in err
    assert not Path("t-rosenblatt").exists()


def test_a_colon_may_be_part_of_a_label():
    frame = made(200).assign(ill=lambda f: f["ill"].map({"yes": "10:30", "no": "9:15"}))
    found = study(frame, target="ill", costs={"10:30:9:15": 4}, comparison=False).to_dict()
    assert found["asked"]["costs"] == [{"actual": "10:30", "predicted": "9:15", "cost": 4.0}]


def test_many_labels_have_costs_of_pairs_that_move_their_scores():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    y = np.array(["low", "mid", "top"])[
        np.digitize(X[:, 0] + rng.standard_normal(300), [-0.5, 0.5])
    ]
    found = study(X, y, costs={"top:low": 8}, comparison=False)
    document, chosen = found.to_dict(), found.selection
    wrong = chosen.labels != chosen.predictions
    dear = (chosen.labels == "top") & (chosen.predictions == "low")
    assert document["cost"]["total"] == wrong.sum() + 7 * dear.sum()
    assert [c["cost"] is not None for c in document["candidates"]] == [True] * 8
    assert all(document[part] is None for part in ("roc", "thresholds"))
    low, _, top = document["asked"]["moved"]
    assert top < low  # a top called low is what costs most
    plain = study(X, y, comparison=False)
    assert plain.to_dict()["asked"]["moved"] == 0
    as_learned = Criterion.of(["low", "mid", "top"], "cost", {("top", "low"): 8.0})
    before = as_learned.row_costs(y[chosen.test], plain.predict(X[chosen.test]), np.unique(y))
    assert document["cost"]["total"] < before.sum()


# --- Learning again, and other rules --------------------------------------------------------------


def test_the_chosen_rule_learns_from_four_fifths(plain):
    document = plain.to_dict()
    assert document["split"]["learned_from"] == 1055 == document["learning"]["rows"]
    assert "the chosen rule is then trained again, on 1,055" in document["split"]["sentence"]
    before = study(CREDIT, target="card", ignore=LEAK, retrain=False)
    assert before.to_dict()["split"]["learned_from"] == 791
    assert "again" not in before.to_dict()["split"]["sentence"]
    assert "validation rows, scored by the rule itself" in before.to_dict()["thresholds"]["how"]


def test_comparison_rules_are_what_scikit_learn_makes_of_the_same_rows(plain):
    split, rows = plain.selection, pd.read_csv(CREDIT)
    logistic = next(c for c in plain.to_dict()["comparisons"] if c["name"] == "logistic")
    X = rows.drop(columns=["card", *LEAK])
    X = pd.get_dummies(X, drop_first=True).astype(float)
    learned = split.fitted_on
    X = (X - X.iloc[learned].mean()) / X.iloc[learned].std(ddof=0)
    alone = LogisticRegression(max_iter=1000, C=1.0).fit(
        X.iloc[learned], rows["card"].iloc[learned]
    )
    wrong = alone.predict(X.iloc[split.test]) != rows["card"].iloc[split.test]
    assert logistic["test_errors"] == pytest.approx(wrong.sum(), abs=1)  # words are not scaled
    assert plain.selection.winner.name not in ("logistic", "boosting")


# --- Probabilities --------------------------------------------------------------------------------


def test_the_model_file_has_the_probability_and_predict_prints_it(shell, dear, tmp_path):
    dear.save("fit")
    model = model_file.read("fit/model.json")
    assert model.probability == dear.selection.probability
    code, out, err = shell("predict", "fit/model.json", CREDIT, "--probability")
    assert (code, err.startswith("Predicts yes when its probability is at least 81.5%")) == (
        0,
        True,
    )
    rows = list(csv.DictReader(out.splitlines()))
    printed = [float(row["probability of yes"]) for row in rows]
    assert printed == dear.predict_proba(CREDIT)[:, 1].tolist()
    by_hand = 1 / (
        1 + np.exp(-model.probability.slope * float(rows[0]["score"]) - model.probability.intercept)
    )
    assert printed[0] == pytest.approx(by_hand)
    assert "probability" not in shell("predict", "fit/model.json", CREDIT)[1]
    document = json.loads(shell("predict", "fit/model.json", CREDIT, "--probability", "--json")[1])
    assert [row["probability"] for row in document["rows"]] == printed


def test_of_many_labels_the_file_has_the_probability_of_each(shell):
    from sklearn.datasets import load_iris

    from rosenblatt import load, save

    iris = load_iris(as_frame=True)
    iris.data.assign(kind=iris.target_names[iris.target]).to_csv("iris.csv", index=False)
    assert shell("fit", "iris.csv", "-y", "kind", "--no-comparison")[0] == 0
    ask = ["iris.csv", "--probability"]
    code, out, err = shell("predict", "iris-rosenblatt/model.json", *ask)
    assert (code, err) == (0, "")
    kinds = ["setosa", "versicolor", "virginica"]
    printed = [
        [float(row[f"probability of {kind}"]) for kind in kinds]
        for row in csv.DictReader(out.splitlines())
    ]
    saved = Study.load("iris-rosenblatt")
    p = saved.predict_proba("iris.csv")
    assert (p.tolist(), p.sum(axis=1)) == (printed, pytest.approx(1))
    document = json.loads(shell("predict", "iris-rosenblatt/model.json", *ask, "--json")[1])
    assert [row["probability"] for row in document["rows"]] == printed
    scores, known = saved.estimator.decision_function(saved._rows("iris.csv")), saved.probability
    z = known.slope * scores[0] + known.intercepts
    assert printed[0] == pytest.approx(np.exp(z) / np.exp(z).sum())
    save(load("iris-rosenblatt/model.json"), "alone.json")
    assert model_file.read("alone.json").probability is None
    code, out, err = shell("predict", "alone.json", *ask)
    assert (code, out) == (2, "")
    assert "was saved without one" in err


def test_probabilities_of_many_labels_are_right_on_new_rows():
    """Three normal classes that overlap: the likeliest label is right as often as it is said to be,
    and of each label there are as many as expected."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=9000)
    X = rng.standard_normal((9000, 2)) + 1.5 * np.array([[1, 0], [0, 1], [-1, -1]])[y]
    found = study(X[:1500], y[:1500], comparison=False, linear_only=True)
    p, new = found.predict_proba(X[1500:]), y[1500:]
    likeliest = p.argmax(axis=1) == new
    for low in np.arange(0.4, 1, 0.1):
        here = (p.max(axis=1) >= low) & (p.max(axis=1) < low + 0.1)
        chance = 3 * np.sqrt(0.25 / here.sum())
        assert p[here].max(axis=1).mean() == pytest.approx(likeliest[here].mean(), abs=chance)
    assert p.mean(axis=0) == pytest.approx(np.bincount(new) / len(new), abs=0.02)
    told = found.calibration
    assert told["label"] is None
    assert sum(b["rows"] for b in told["bins"]) == found.selection.test_n
    expected = [one["expected"] for one in found.by_class]
    assert expected == pytest.approx(found.selection.probabilities.sum(axis=0))


# --- Rows on disk ---------------------------------------------------------------------------------


def test_costs_on_rows_on_disk(tmp_path):
    frame = made(2000)
    options = {"target": "ill", "stream": True, "cache": tmp_path / "cache"}
    plain, dear = study(frame, **options), study(frame, costs={"yes:no": 6}, **options)
    document, found = dear.to_dict(), dear.selection
    assert found.moved < 0
    missed = (found.labels == "yes") & (found.predictions == "no")
    before = (plain.selection.labels == "yes") & (plain.selection.predictions == "no")
    assert missed.sum() < before.sum() / 2
    assert (
        document["cost"]["total"]
        == 6 * missed.sum() + ((found.labels == "no") & (found.predictions == "yes")).sum()
    )
    X, y = dear.preprocessing.transform(frame.drop(columns="ill")), frame["ill"].to_numpy()
    scores = dear.estimator.decision_function(X[found.train])
    margins = np.where(y[found.train] == "yes", scores, -scores)
    assert dear.estimator.training_errors_ == (margins <= 0).sum()
    assert found.scores == pytest.approx(dear.estimator.decision_function(X[found.test]))
    assert document["not_tried"]["logistic"] == "it needs the rows in memory"
    assert document["roc"]["auc"] == pytest.approx(
        roc_auc_score(found.labels == "yes", found.scores)
    )


def test_the_document_is_what_its_types_say(dear):
    from rosenblatt.report.document import ErrorAnalysis

    kinds = typing.get_type_hints(ErrorAnalysis)
    assert kinds.keys() <= dear.to_dict().keys()


# --- Errors and costs of candidates are those of one rule ----------------------------------------


@pytest.mark.parametrize("more", [{}, {"cv": 3}, {"stream": True}])
def test_the_errors_of_a_candidate_are_those_that_its_cost_is_of(more, tmp_path):
    """An error costs 1, or 7: the cost of e errors is e + 6 k, and none is cheaper than 1."""
    more = more | ({"cache": tmp_path / "cache"} if "stream" in more else {})
    found = study(made(600, 0.1), target="ill", costs={"yes:no": 7}, **more)
    told = found.to_dict()["candidates"]
    assert any(c["validation_errors"] < c["cost"] for c in told)
    for c in told:
        dear, rest = divmod(c["cost"] - c["validation_errors"], 6)
        assert rest == 0
        assert 0 <= dear <= c["validation_errors"]
    floor, chosen = told[0], next(c for c in told if c["chosen"])
    assert floor["cost"] == 7 * floor["validation_errors"]  # it says no, whatever that costs
    winner = f"The winner's cost, {chosen['cost']:,g} for {chosen['validation_n']} validation"
    assert found.to_dict()["error"]["optimism"].startswith(winner)


def test_training_errors_are_counted_at_the_threshold_of_the_cost():
    frame, options = made(700, 0.1), {"costs": {"yes:no": 7}, "retrain": False, "comparison": False}
    found = study(frame, target="ill", **options)
    chosen = next(c for c in found.to_dict()["candidates"] if c["chosen"])
    split, labels = found.selection, frame["ill"].to_numpy()
    assert split.moved != 0
    called = found.predict(frame.drop(columns="ill"))  # by the rule that was compared, as moved
    for part, rows in (("train", split.train), ("validation", split.validation)):
        assert chosen[f"{part}_errors"] == (called[rows] != labels[rows]).sum()


def test_the_balanced_mean_is_what_is_too_optimistic_where_it_chose():
    found = study(made(400, 0.1), target="ill", objective="balanced", comparison=False).to_dict()
    chosen = next(c for c in found["candidates"] if c["chosen"])
    mean = f"{chosen['cost'] / chosen['validation_n']:.1%}, the mean of the error rates of the"
    assert found["error"]["optimism"].startswith(
        f"The winner's validation error, {mean} labels, is"
    )


def test_the_positive_label_of_two_is_what_everything_speaks_of(shell):
    """Rule, curve, thresholds, probabilities, card and costs, which may name both as the table
    does."""
    rng = np.random.default_rng(0)
    debt = rng.standard_normal(300).round(2)
    state = np.where(debt + 0.7 * rng.standard_normal(300) > 0.5, "bad", "good")
    pd.DataFrame({"debt": debt, "state": state}).to_csv("t.csv", index=False)
    rates = {}
    for label, sign in (("bad", 1), ("good", -1)):
        options = {"target": "state", "positive": label, "comparison": False, "linear_only": True}
        found = study("t.csv", costs={"bad:good": 5}, **options)
        told = found.to_dict()
        (term,) = told["rule"]["terms"]
        assert np.sign(term["weight"]) == sign
        assert {told[name]["label"] for name in ("rule", "roc", "thresholds")} == {label}
        assert told["calibration"]["label"] == label
        assert told["roc"]["auc"] > 0.8
        probability = found.selection.probabilities
        assert np.corrcoef(probability, found.selection.labels == label)[0, 1] > 0.5
        rates[label] = told["cost"]["per_row"]
        card = study("t.csv", scorecard=True, **options).estimator
        assert (card.predict(np.array([[3.0], [-3.0]])) == label).tolist() == [sign > 0, sign < 0]
        found.save(label)
        asked = ("predict", f"{label}/model.json", "t.csv", "--probability")
        assert f"probability of {label}" in shell(*asked)[1]
        assert shell("verify", f"{label}/certificate.json", "t.csv")[0] == 0
    assert rates["bad"] == pytest.approx(rates["good"], abs=0.1)
    with raises(InputError, option="costs"):
        study("t.csv", target="state", positive="bad", costs={"bad:god": 5})
