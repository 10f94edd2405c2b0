"""Columns of prose: the words of scikit-learn's vectorizer, sparse, the same bits by every way."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from raising import raises
from rosenblatt import Certificate, Perceptron, data, study, train
from rosenblatt.data import bag_of_words
from rosenblatt.errors import InputError

TEXTS = [
    "A wonderful film, simply wonderful!",
    "Dull. The plot was dull and the music worse.",
    "I loved the music; the plot? Wonderful.",
    "",
    "Das war größer als Wonderful Café, 2 x 10 Euro",
    "worse than DULL, it was 10 times worse",
]
LABELS = ["yes", "no", "yes", "no", "yes", "no"]


@pytest.fixture
def reviews(file):
    rows = [
        f'{i + 0.5},"{text}",{y}' for i, (text, y) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    return file("\n".join(["stars,review,liked", *rows]) + "\n")


def many_reviews(n=120, seed=0):
    """Reviews whose labels some of the words tell."""
    random = np.random.default_rng(seed)
    own = [["excellent", "superb", "charming"], ["awful", "boring", "poor"]]
    plain = ["film", "story", "music", "town", "actors", "people", "river"]
    lines = ["stars,review,liked"]
    for i in range(n):
        words = [*random.choice(plain, 5), *random.choice(own[i % 2], 2)]
        random.shuffle(words)
        lines.append(f"{random.integers(1, 9)},{' '.join(words)},{['yes', 'no'][i % 2]}")
    return "\n".join(lines) + "\n"


def test_words_are_those_of_scikit_learn(reviews):
    table = data.read(reviews, target="liked", text="review")
    X, _, preprocessing = table.encode(scale=False)
    counted = CountVectorizer(binary=True, min_df=2, max_df=len(TEXTS) - 1)
    expected = counted.fit_transform(TEXTS).toarray()
    names = counted.get_feature_names_out().tolist()
    assert preprocessing.feature_names == ["stars", *(f"review: {word}" for word in names)]
    assert sparse.issparse(X)
    assert X.toarray()[:, 1:].tolist() == expected.tolist()
    assert X.toarray()[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    again = data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
    assert again == preprocessing
    assert (again.transform(reviews) != X).nnz == 0


def test_gaps_are_no_words_and_unknown_words_nothing(reviews, file):
    preprocessing = data.read(reviews, target="liked", text="review").encode(scale=False)[2]
    rows = preprocessing.transform(
        file('stars,review\n7,\n8,"Wonderful plumbing"\n', "new.csv")
    ).toarray()
    assert rows[:, 0].tolist() == [7.0, 8.0]
    assert rows[0, 1:].sum() == 0
    there = [preprocessing.feature_names[j] for j in np.flatnonzero(rows[1])]
    assert there == ["stars", "review: wonderful"]


def test_only_the_most_frequent_words_of_very_many(reviews, monkeypatch):
    monkeypatch.setattr(bag_of_words, "MOST_WORDS", 3)
    preprocessing = data.read(reviews, target="liked", text="review").encode()[2]
    # wonderful is in three rows; of those in two, 10 and dull are the first of the alphabet
    assert preprocessing.columns[-1].words == ("10", "dull", "wonderful")


def test_prose_stays_behind_and_numbers_are_filled_and_scaled(file):
    text = "review,a,liked,b\nso so good,1,yes,x\nso bad,,no,y\ngood bad,5,yes,x\n,3,no,y\n"
    table = data.read(file(text), target="liked", text="review", impute="mean")
    X, _, preprocessing = table.encode()
    assert preprocessing.feature_names == ["a", "b=y", "review: bad", "review: good", "review: so"]
    deviation = np.sqrt(8 / 3)  # of 1, 5 and 3; what is missing does not count
    assert X.toarray()[:, 0] == pytest.approx([-2 / deviation, 0, 2 / deviation, 0])
    assert X.toarray()[:, 1:].tolist() == [[0, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]]


def test_a_stream_has_the_same_bits(file, tmp_path):
    table = data.read(file(many_reviews()), target="liked", text="review")
    X, y, _ = table.encode()
    p = Perceptron(order="blocks", random_state=0, max_iter=5)
    in_memory = p.fit(X, y).coef_.copy()
    assert np.array_equal(train(p, table, cache=tmp_path / "rows").coef_, in_memory)
    dense = Perceptron(order="blocks", random_state=0, max_iter=5).fit(X.toarray(), y)
    assert np.array_equal(dense.coef_, in_memory)


def test_prose_that_was_not_named_gets_a_hint(file):
    lines = [f"the {i} th review says that number {i} is good,{i % 2}" for i in range(30)]
    with raises(InputError):
        data.read(file("\n".join(["r,y", *lines])), target="y").encode()
    ids = file("\n".join(["r,y", *(f"P{i},{i % 2}" for i in range(30))]))
    with raises(InputError):
        data.read(ids, target="y").encode()


def test_what_cannot_be_prose_is_refused(reviews, file):
    with raises(InputError, column="review"):
        data.read(reviews, target="liked", text="review", categorical="review")
    with raises(InputError, column="liked"):
        data.read(reviews, target="liked", text="liked")
    with raises(InputError, option="text", value="Review"):
        data.read(reviews, target="liked", text="Review")
    with raises(InputError):
        data.read(file("r,y\none,0\ntwo,1\nthree,0\n"), target="y", text="r").encode()


def test_a_document_with_prose_is_not_trusted(reviews):
    document = data.read(reviews, target="liked", text="review").encode()[2].to_dict()
    for change in (
        {"columns": document["columns"][::-1]},
        {"columns": [*document["columns"][:-1], document["columns"][-1] | {"words": ["b", "a"]}]},
        {"target": document["target"] | {"kind": "prose"}},
    ):
        with raises(InputError):
            data.Preprocessing.from_dict(document | change)


@pytest.mark.parametrize("stream", [False, True])
def test_a_study_tells_the_heaviest_words(shell, tmp_path, stream):
    (tmp_path / "t.csv").write_text(many_reviews(200))
    found = study("t.csv", target="liked", text="review", stream=stream)
    document = found.to_dict()
    telling = {"excellent", "superb", "charming", "awful", "boring", "poor"}
    heaviest = [term["feature"] for term in document["rule"]["terms"][:4]]
    assert {name.removeprefix("review: ") for name in heaviest} <= telling
    assert all(term["indicator"] for term in document["rule"]["terms"][:4])
    assert document["error"]["test_errors"] <= 2
    assert "--text review" in document["reproduce"]["command"]
    found.save("out")
    assert shell("verify", "out/certificate.json", "t.csv")[0] == 0
    code, out, _ = shell("evaluate", "out/model.json", "t.csv", "--json")
    assert (code, json.loads(out)["rows"]) == (0, 200)
    code, out, _ = shell("predict", "out/model.json", "t.csv", "--explain")
    assert code == 0
    assert "review: " in out.splitlines()[1]


def test_certify_decides_about_words(shell, tmp_path):
    (tmp_path / "t.csv").write_text(many_reviews(40))
    said = ("certify", "t.csv", "-y", "liked", "--text", "review")
    code, out, _ = shell(*said, "--encoded", "n.csv", "-o", "c.json")
    assert code == 0
    *_, review = Certificate.load("c.json").preprocessing["columns"]
    assert len(review["words"]) == 13
    assert shell("verify", "c.json", "t.csv")[0] == 0
    code, out, _ = shell("inspect", "t.csv", "-y", "liked", "--text", "review")
    assert (code, "0 or 1 for each of 13 words" in out) == (0, True)
