"""Hashed words of a column of prose: scikit-learn's buckets, the same bits by every way."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer

from raising import raises
from rosenblatt import Certificate, Perceptron, data, study, train
from rosenblatt.data.bag_of_words import INTO
from rosenblatt.errors import InputError

TEXTS = [
    "A wonderful film, simply wonderful!",
    "Dull. The plot was dull and the music worse.",
    "I loved the music; the plot? Wonderful.",
    "",
    "Das war größer als Wonderful Café, 2 x 10 Euro",
    "worse than DULL, it was 10 times worse 電影很好",
]
LABELS = ["yes", "no", "yes", "no", "yes", "no"]


def frame(texts=TEXTS, labels=LABELS):
    return pd.DataFrame({"stars": np.arange(len(texts)) + 0.5, "review": texts, "liked": labels})


def theirs(texts, into=INTO):
    hashing = HashingVectorizer(n_features=into, binary=True, norm=None, alternate_sign=False)
    return hashing.transform(texts).toarray()


def encoded(table, into=INTO, monkeypatch=None):
    if monkeypatch is not None:
        monkeypatch.setattr("rosenblatt.data.table.INTO", into)
    return data.read(table, target="liked", text="review:hashed").encode(scale=False)


def test_buckets_are_those_of_scikit_learn():
    X, _, preprocessing = encoded(frame())
    expected, column = theirs(TEXTS), preprocessing.columns[-1]
    assert sparse.issparse(X)
    assert column.hashed.buckets == tuple(np.flatnonzero(expected.any(axis=0)).tolist())
    assert X.toarray()[:, 1:].tolist() == expected[:, column.hashed.buckets].tolist()
    # what has no column is 0 in every row there, too
    assert expected.sum() == X.toarray()[:, 1:].sum()


def test_few_buckets_are_shared_and_named_by_their_words(monkeypatch):
    # Each column has a 1 where any of its words stands, and the first three of them as its name.
    X, _, preprocessing = encoded(frame(), 4, monkeypatch)
    assert X.toarray()[:, 1:].tolist() == theirs(TEXTS, 4).tolist()
    first = dict.fromkeys(w for text in TEXTS for w in sorted(re.findall(r"\w\w+", text.lower())))
    expected = []
    for k in range(4):
        mine = [w for w in first if theirs([w], 4)[0, k]]
        expected.append("|".join(mine[:3] + ["…"] * (len(mine) > 3)))
    assert list(preprocessing.columns[-1].words) == expected
    assert any(name.endswith("|…") for name in expected)


def test_names_do_not_depend_on_how_a_table_is_divided(file, monkeypatch):
    rows = [f"{i},word{i % 37} other{i % 11},{'yes' if i % 2 else 'no'}" for i in range(400)]
    path = file("\n".join(["stars,review,liked", *rows]) + "\n")
    monkeypatch.setattr("rosenblatt.data.table.INTO", 8)
    whole = data.read(path, target="liked", text="review:hashed").preprocessing()
    monkeypatch.setattr("rosenblatt.data.dialect.BLOCK", 256)
    assert data.read(path, target="liked", text="review:hashed").preprocessing() == whole


def test_a_new_word_counts_where_its_bucket_is_known():
    _, _, preprocessing = encoded(frame())
    new = pd.DataFrame({"stars": [1.0, 2.0], "review": ["wonderful plumbing", None]})
    rows = preprocessing.transform(new).toarray()
    assert [preprocessing.feature_names[j] for j in np.flatnonzero(rows[0])] == [
        "stars",
        "review: wonderful",
    ]
    assert rows[1, 1:].sum() == 0


def test_it_can_be_written_down_and_is_not_trusted():
    X, _, preprocessing = encoded(frame())
    document = json.loads(json.dumps(preprocessing.to_dict()))
    again = data.Preprocessing.from_dict(document)
    assert again == preprocessing
    assert (again.transform(frame()) != X).nnz == 0
    column = document["columns"][-1]
    buckets = column["hashed"]["buckets"]
    for wrong in (
        {"into": 4, "buckets": buckets},
        {"into": INTO, "buckets": buckets[::-1]},
        {"into": INTO, "buckets": buckets[1:]},
        {"into": INTO, "buckets": [-1, *buckets[1:]]},
        {"into": 2**40, "buckets": buckets},
        {"into": INTO, "buckets": buckets, "more": 1},
        [INTO],
    ):
        columns = [*document["columns"][:-1], column | {"hashed": wrong}]
        with raises(InputError):
            data.Preprocessing.from_dict(document | {"columns": columns})


def test_a_stream_has_the_same_bits(file, tmp_path):
    random = np.random.default_rng(0)
    words = random.integers(0, 3000, (150, 6))
    lines = [
        f"{i},{' '.join(f'w{w}' for w in row)},{'yes' if row.sum() % 2 else 'no'}"
        for i, row in enumerate(words)
    ]
    path = file("\n".join(["stars,review,liked", *lines]) + "\n")
    table = data.read(path, target="liked", text="review:hashed")
    X, y, _ = table.encode()
    p = Perceptron(order="blocks", random_state=0, max_iter=5)
    in_memory = p.fit(X, y).coef_.copy()
    assert np.array_equal(train(p, table, cache=tmp_path / "rows").coef_, in_memory)


def test_what_cannot_be_hashed_is_refused():
    with raises(InputError, option="text", value="other", file="the data frame"):
        data.read(frame(), target="liked", text="other:hashed")
    with raises(InputError, option="text", value="review", column="review"):
        data.read(frame(), target="liked", text=["review", "review:hashed"])
    with raises(InputError):
        data.read(frame(["!"] * 6), target="liked", text="review:hashed").encode()
    odd = frame().rename(columns={"review": "a:hashed"})  # a name that looks like it
    assert (
        data.read(odd, target="liked", text="a:hashed").preprocessing().columns[-1].hashed is None
    )


@pytest.mark.parametrize("stream", [False, True])
def test_a_study_names_the_heaviest_words(shell, tmp_path, stream):
    random = np.random.default_rng(0)
    own, plain = [["excellent", "superb"], ["awful", "boring"]], [f"w{i}" for i in range(400)]
    lines = [
        f"{' '.join([*random.choice(plain, 5), *own[i % 2]])},{['yes', 'no'][i % 2]}"
        for i in range(120)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["review,liked", *lines]) + "\n")
    found = study("t.csv", target="liked", text="review:hashed", stream=stream, comparison=False)
    document = found.to_dict()
    heaviest = [term["feature"].split("|")[0] for term in document["rule"]["terms"][:4]]
    telling = {"review: excellent", "review: superb", "review: awful", "review: boring"}
    assert set(heaviest) == telling
    assert document["error"]["test_errors"] == 0
    assert "--text review:hashed" in document["reproduce"]["command"]
    found.save("out")
    assert shell("verify", "out/certificate.json", "t.csv")[0] == 0
    (review,) = Certificate.load("out/certificate.json").preprocessing["columns"]
    assert review["hashed"]["into"] == INTO
    assert json.loads(shell("evaluate", "out/model.json", "t.csv", "--json")[1])["errors"] == 0


def test_text_without_a_known_word_is_marked(shell, tmp_path):
    lines = [f"{'good film' if i % 2 else 'bad plot'},{i},{i % 2}" for i in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["review,n,y", *lines]) + "\n")
    study("t.csv", target="y", text="review", comparison=False).save("out")
    new = 'review,n\nGood plot,1\n"zzz, qqq",2\n,3\nbad xyz,\n'
    (tmp_path / "new.csv").write_text(new)
    code, out, err = shell("predict", "out/model.json", "new.csv")
    head, *rows = [line.split(",") for line in out.splitlines()]
    assert code == 0
    assert head == ["row", "prediction", "score", "unseen in training"]
    assert [row[3] for row in rows] == ["", *["review: no word known from training"] * 2, ""]
    assert "2 rows" in err
    found = json.loads(shell("predict", "out/model.json", "new.csv", "--json")[1])["rows"]
    assert [row.get("no_known_word") for row in found] == [None, ["review"], ["review"], None]
