"""What other rules say and what one pass bounds, in a study and in its report."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact
from sklearn.datasets import load_breast_cancer, load_iris

from rosenblatt import second_opinion, study, theory
from rosenblatt._study import robustness
from rosenblatt.report import render


@pytest.fixture(scope="module")
def iris():
    """Setosa against the others: a line separates them."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["sepals", "sepal width", "petals", "petal width"]
    return X.assign(kind=np.where(y == 0, "setosa", "other"))


@pytest.fixture(scope="module")
def separable(iris):
    return study(iris, target="kind", comparison=False, thorough=True)


@pytest.fixture(scope="module")
def overlapping():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return study(X.iloc[:, :2].assign(kind=y), target="kind", comparison=False, thorough=True)


def test_counts_add_up(separable, overlapping):
    for found, apart in ((separable, True), (overlapping, False)):
        told = found.to_dict()["opinions"]
        asked = told["asked"]
        assert told["separable"] is apart
        assert asked == min(robustness.ROWS, len(found.selection.test))
        assert told["contested"] + told["forced"] + told["overruled"] + told["open"] == asked
        assert told["contested_wrong"] + told["other_wrong"] <= asked
        assert len(told["examples"]) == 3
        assert told["train"] == found.to_dict()["split"]["learned_from"]
        test = set(found.selection.test.tolist())
        assert all(example["row"] in test for example in told["examples"])
    told = separable.to_dict()["opinions"]
    assert told["bound"] == 6 / (told["train"] + 1)
    if told["forced"]:
        page = " ".join(render(separable.to_dict()).split())
        assert "That is not the probability that a forced answer is wrong" in page


@pytest.mark.parametrize(("wrong", "oftener"), [((4, 5), False), ((1, 0), False), ((7, 2), True)])
def test_contested_rows_are_called_wrong_more_often_only_beyond_chance(wrong, oftener):
    """Of 12 contested and 28 other rows: Fisher's exact test of scipy decides alike."""
    table = [[wrong[0], 12 - wrong[0]], [wrong[1], 28 - wrong[1]]]
    assert (fisher_exact(table, alternative="greater").pvalue <= 0.05) == oftener
    assert robustness._more_often(wrong, 12, 40) is oftener


def test_what_was_examined_and_what_is_not_settled_is_said():
    known = second_opinion([[1], [2], [5], [6]], [0, 0, 1, 1], [[1], [3], [3.5], [6]])
    assert [known.count("forced"), known.count("contested")] == [2, 2]
    said = robustness._opinions_sentence(known, (1, 0), 9)
    assert said.startswith("Of 9 test rows, 4 drawn at random were examined: 2 contested (another")
    assert "2 forced (all such rules agree), 0 undecided" in said
    assert said.endswith("wrong on 1 of the 2 contested and on 0 of the other 2.")
    assert robustness._opinions_sentence(known, (1, 0), 4).startswith(
        "All 4 test rows were examined: "
    )


def test_the_report_shows_both(overlapping):
    page = render(overlapping.to_dict())
    section = re.search(r'<section aria-labelledby="opinions">.*?</section>', page, re.S)[0]
    text = " ".join(re.sub("<[^>]+>", " ", section).split())
    told = overlapping.to_dict()["opinions"]
    assert f"the {told['train']:,} training rows" in text
    assert told["sentence"][1:].rstrip(".") in text
    assert text.count("Row ") == len(told["examples"]) > 0
    marks = re.findall("<circle", section)
    assert len(marks) == told["asked"] == robustness.ROWS  # fewer than there are
    text = " ".join(re.sub("<[^>]+>", " ", page).split())
    assert "one pass over all rows predicted each row before learning from it" in text


def test_one_pass(overlapping, separable):
    for found, n in ((overlapping, 569), (separable, 150)):
        told = found.to_dict()["progressive"]
        assert told["rows"] == n - n // 2
        expected = theory.progressive_bound(told["mistakes"], told["rows"], lam=told["lam"])
        assert told["bound"] == expected
        assert told["mistakes"] / told["rows"] < told["bound"] < 1
    assert overlapping.to_dict()["progressive"]["support"] is None
    support = separable.to_dict()["progressive"]["support"]
    assert support == {"rows": 3, "bound": theory.support_bound(3, 150)}


def test_lambda_is_fixed_by_the_first_half():
    """Other labels in the second half change the mistakes there, and not λ."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    y = (X[:, 0] > 0).astype(int)
    some = np.random.default_rng(0).permutation(400)[200::5]  # of the second half with seed 0
    other = y.copy()
    other[some] = 1 - other[some]
    one, two = (
        study(X, labels, comparison=False, thorough=True).to_dict()["progressive"]
        for labels in (y, other)
    )
    assert one["lam"] == two["lam"]
    assert one["mistakes"] < two["mistakes"]


def test_where_it_is_not_asked(iris):
    grouped = study(
        iris.assign(who=np.arange(150) // 2),
        target="kind",
        groups="who",
        comparison=False,
        thorough=True,
    ).to_dict()
    assert grouped["progressive"] is None
    three = load_iris(return_X_y=True)
    assert study(*three, comparison=False, thorough=True).to_dict()["opinions"] is None
    bare = study(iris, target="kind", private=True, comparison=False, thorough=True)
    assert bare.to_dict()["opinions"]["examples"] == []
    by_cost = study(
        iris, target="kind", costs={"setosa:other": 5}, comparison=False, thorough=True
    ).to_dict()
    assert by_cost["opinions"] is None
    words = pd.DataFrame({"a": ["x", "y"] * 30, "b": range(60), "kind": [0] * 30 + [1] * 30})
    support = study(words, target="kind", comparison=False, thorough=True).to_dict()["progressive"][
        "support"
    ]
    assert support is None  # columns made of the rows themselves


def test_a_bound_no_better_than_one_label_is_not_told():
    rng = np.random.default_rng(0)
    thrown = study(
        rng.standard_normal((200, 4)), rng.integers(0, 2, 200), comparison=False, thorough=True
    )
    assert thrown.to_dict()["progressive"] is None


@pytest.mark.in_full
@pytest.mark.parametrize(("work", "told"), [(20_000, True), (500, False)])
def test_opinions_that_are_not_settled_for_most_rows_are_not_told(iris, monkeypatch, work, told):
    monkeypatch.setattr(robustness, "OPINIONS_WORK", 50_000)
    monkeypatch.setattr(robustness, "EACH", work)
    noisy = iris.assign(kind=np.where(np.arange(150) % 9 == 0, "other", iris["kind"]))
    opinions = study(noisy, target="kind", comparison=False, thorough=True).to_dict()["opinions"]
    assert (opinions is not None) is told


@pytest.mark.parametrize(("gap", "told"), [(0.1, True), (1e-8, False)])
def test_a_mistake_bound_that_nobody_can_wait_for_is_not_told(gap, told):
    rng = np.random.default_rng(0)
    x = rng.random((200, 2))
    y = x[:, 0] > 0.5
    x[:, 0] += np.where(y, gap, -gap)
    x[:40, 0] = 0.5 + np.where(y[:40], gap, -gap)
    found = study(x, y, comparison=False, thorough=True).to_dict()
    assert (found["verdict"]["mistake_bound"] is not None) is told
    assert (found["training"]["mistake_bound"] is not None) is told
    assert ("converges after at most" in found["training"]["sentence"]) is told


def test_the_same_whenever_it_is_asked(iris, separable):
    again = study(iris, target="kind", comparison=False, thorough=True).to_dict()
    assert again["opinions"] == separable.to_dict()["opinions"]
    assert again["progressive"] == separable.to_dict()["progressive"]
