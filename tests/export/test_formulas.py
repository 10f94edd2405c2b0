"""Rules as SQL, spreadsheet formulas and Python: run there, they give the labels of `predict`."""

import sqlite3
import struct
from dataclasses import replace

import formulas
import numpy as np
import pandas as pd
import pytest

from raising import raises
from rosenblatt import AROW, KernelPerceptron, Perceptron, RandomLinearClassifier, Scorecard, data
from rosenblatt._core.rows import Rows
from rosenblatt._export.excel import letters
from rosenblatt._export.sql import Sql
from rosenblatt._training.card_rule import Card, Term
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.formulas import inputs, to_excel_formula, to_python, to_sql

N = 10_000
TRAINED = 300


def made(n=N, seed=0):
    """Counts, cents, words with quotes and gaps, truth values, a number with gaps; noisy labels."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "reports": rng.integers(0, 6, n),
            "in come": np.round(rng.gamma(2, 2, n), 2),
            "town": rng.choice(["Rome", "O'Hara", 'a "b"', None], n),
            "own": rng.random(n) < 0.5,
            "age": rng.integers(18, 80, n).astype(float),
        }
    )
    table.loc[rng.random(n) < 0.1, "age"] = np.nan
    noise = rng.normal(size=n)
    score = table["in come"] / 3 - table["reports"] + (table["town"] == "Rome") + noise
    table["y"] = np.where(score > 0, "it's", "no")
    return table


TABLE = made()
COLUMNS = TABLE.drop(columns="y")


def learned(estimator, *, scale):
    """Fitted to some rows; and all rows as it takes them, with the preprocessing."""
    X, y, preprocessing = data.read(TABLE[:TRAINED], target="y", impute="mean").encode(scale=scale)
    return estimator.fit(X, y), preprocessing, preprocessing.transform(COLUMNS)


def tied(estimator):
    """With weights that are halves, so that many rows have a score of exactly 0."""
    estimator._rule = LinearRule(np.array([-1.0, 0.0, 1.0, 2.0, 0.5, 0.5, 0.0, 0.0]), 1.0)
    return estimator


def in_sqlite(text, table=COLUMNS):
    with sqlite3.connect(":memory:") as base:
        table.to_sql("data", base, index=False)
        return pd.read_sql_query(text, base)


def in_python(text, table=COLUMNS):
    module = {}
    exec(text, module)
    return [module["predict"](row) for row in table.to_dict("records")]


@pytest.fixture(scope="module")
def in_a_sheet():
    """Evaluates a formula on columns, all rows at once."""
    parser = formulas.Parser()

    def evaluated(text, names, table=COLUMNS):
        function = parser.ast(text)[1].compile()
        cells = {f"{letters(k)}2": name for k, name in enumerate(names)}
        columns = [table[cells[str(cell)]] for cell in function.inputs]
        blank = [column.astype(object).where(column.notna(), "") for column in columns]
        return np.asarray(function(*(c.to_numpy()[:, None] for c in blank))).ravel()

    return evaluated


# --- The same labels ------------------------------------------------------------------------------

RULES = {
    "average": Perceptron(keep="average", random_state=0),
    "AROW": AROW(random_state=0),
    "random": RandomLinearClassifier(k=3, random_state=0),
}


@pytest.mark.parametrize("name", RULES)
def test_float_rules_give_the_same_bits_in_sqlite_and_the_same_labels_everywhere(name, in_a_sheet):
    rule, preprocessing, X = learned(RULES[name], scale=True)
    expected = rule.predict(X)
    answer = in_sqlite(to_sql(rule, preprocessing=preprocessing))
    assert answer["predicted"].tolist() == expected.tolist()
    assert answer["score"].to_numpy().tobytes() == rule._rule.signed(Rows(X)).tobytes()
    assert in_python(to_python(rule, preprocessing=preprocessing)) == expected.tolist()
    if name == "average":
        text = to_excel_formula(rule, preprocessing=preprocessing)
        found = in_a_sheet(text, inputs(rule, preprocessing=preprocessing))
        near = np.abs(rule.decision_function(X)) < 1e-9  # a sheet keeps 15 digits
        assert (found == expected)[~near].all()
        assert not near.all()


def test_rows_on_the_boundary_are_of_the_second_class_everywhere(in_a_sheet):
    rule, preprocessing, X = learned(Perceptron(random_state=0, max_iter=5), scale=False)
    tied(rule)
    on_it = rule.decision_function(X) == 0
    assert 500 < on_it.sum() < N / 2
    expected = rule.predict(X)
    assert set(expected[on_it]) == {"no"}
    assert (
        in_sqlite(to_sql(rule, preprocessing=preprocessing))["predicted"].tolist()
        == expected.tolist()
    )
    assert in_python(to_python(rule, preprocessing=preprocessing)) == expected.tolist()
    found = in_a_sheet(
        to_excel_formula(rule, preprocessing=preprocessing),
        inputs(rule, preprocessing=preprocessing),
    )
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("scale", [False, True])
def test_cards_are_exact_everywhere(scale, in_a_sheet):
    card, preprocessing, X = learned(Scorecard(), scale=scale)
    expected = card.predict(X)
    on_it = card.points(X) == card.threshold_
    assert on_it.sum() > 100  # rows that just reach it
    answer = in_sqlite(to_sql(card, preprocessing=preprocessing))
    assert answer["predicted"].tolist() == expected.tolist()
    assert answer["points"].tolist() == card.points(X).tolist()
    assert in_python(to_python(card, preprocessing=preprocessing)) == expected.tolist()
    if not scale:  # cuts of scaled numbers have all digits
        found = in_a_sheet(
            to_excel_formula(card, preprocessing=preprocessing),
            inputs(card, preprocessing=preprocessing),
        )
        assert found.tolist() == expected.tolist()


def test_more_than_two_classes_have_the_first_of_the_highest_scores(in_a_sheet):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(-3, 4, (N, 2)), columns=["a", "b"])
    labels = np.argmax(table.to_numpy() @ [[1, -1, 0], [0, 1, -1]], axis=1)
    rule = Perceptron(order="cyclic", max_updates=7, keep="pocket").fit(table[:200], labels[:200])
    expected = rule.predict(table)
    scores = np.sort(rule.decision_function(table), axis=1)
    assert (scores[:, -1] == scores[:, -2]).sum() > 10
    assert in_sqlite(to_sql(rule), table)["predicted"].tolist() == expected.tolist()
    assert in_python(to_python(rule), table) == expected.tolist()
    assert in_a_sheet(to_excel_formula(rule), ["a", "b"], table).tolist() == expected.tolist()


def test_lanes_beyond_sixteen_features_are_added_as_defined():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(500, 37)), columns=[f"c{j}" for j in range(37)])
    rule = Perceptron(random_state=0, max_iter=5, keep="average")
    rule.fit(table, table["c0"] + rng.normal(size=500) > 0)
    answer = in_sqlite(to_sql(rule), table)
    bits = rule._rule.signed(Rows(np.ascontiguousarray(table))).tobytes()
    assert answer["score"].to_numpy().tobytes() == bits
    backwards = sum((w * table[f"c{j}"] for j, w in enumerate(rule._rule.weights[:-1])), 0.0)
    assert (backwards + rule._rule.weights[-1]).to_numpy().tobytes() != bits  # order matters


# --- Numbers, words and gaps ----------------------------------------------------------------------


def test_sqlite_reads_every_number_to_the_bit(heavy):
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, heavy(40_000), dtype=np.uint64).tolist()
    drawn = [struct.unpack("d", struct.pack("Q", b))[0] for b in bits]
    short = np.round(rng.normal(size=heavy(40_000)) * 1000, 3).tolist()
    ends = [5e-324, -5e-324, 2.0**-1022, 1.7976931348623157e308, 0.1, 0.0, -3.5, 1e15, 1e22]
    numbers = [v for v in [*drawn, *short, *ends] if np.isfinite(v)]
    with sqlite3.connect(":memory:") as base:
        read = [base.execute(f"SELECT {Sql().number(v)}").fetchone()[0] for v in numbers]
    assert read == numbers


def test_gaps_and_strange_words_have_no_answer(in_a_sheet):
    X, y, preprocessing = data.read(TABLE[:50].dropna(), target="y").encode(scale=False)
    rule = Perceptron(random_state=0, max_iter=5).fit(X, y)
    odd = pd.DataFrame(
        {
            "reports": [1, 1, 1, 1],
            "in come": [2.5, None, 2.5, 2.5],
            "town": ["Rome", "Rome", "Oslo", None],
            "own": [True, True, True, True],
            "age": [30.0, 30.0, 30.0, 30.0],
        }
    )
    assert in_sqlite(to_sql(rule, preprocessing=preprocessing), odd)[
        "predicted"
    ].notna().tolist() == [*(True, False, False, False)]
    said = in_python(to_python(rule, preprocessing=preprocessing), odd)
    assert [label is None for label in said] == [False, True, True, True]
    found = in_a_sheet(
        to_excel_formula(rule, preprocessing=preprocessing),
        inputs(rule, preprocessing=preprocessing),
        odd,
    )
    assert [str(label) for label in found[1:]] == ["#N/A"] * 3
    assert found[0] == said[0] == rule.predict(preprocessing.transform(odd[:1]))[0]


def test_blanks_around_words_do_not_count_and_those_inside_do(tmp_path, in_a_sheet):
    table = pd.DataFrame({"town": ["New York", "New  York", "Rome", ""] * 5, "y": [0, 1, 1, 0] * 5})
    X, y, preprocessing = data.read(table, target="y", impute="mean").encode()
    rule = Perceptron(random_state=0).fit(X, y)
    towns = ["New York", " New York  ", "New  York", " New  York", "Rome ", "  ", "New   York", "R"]
    odd = pd.DataFrame({"town": towns})
    expected = [0, 0, 1, 1, 1, 0, None, None]
    assert in_python(to_python(rule, preprocessing=preprocessing), odd) == expected
    text = to_excel_formula(rule, preprocessing=preprocessing)
    found = in_a_sheet(text, ["town"], odd)
    assert [None if str(label) == "#N/A" else label for label in found] == expected


@pytest.mark.parametrize("kind", ["TEXT", "", "REAL", "NUMERIC"])
@pytest.mark.parametrize("filled", [False, True])
def test_text_is_no_number_after_an_import(kind, filled, in_a_sheet):
    """As sqlite3's .import leaves it: text in every cell, empty where there was none."""
    table = pd.DataFrame(
        {"a": [-2.0, -1.0, 1.0, 2.0, np.nan], "y": ["no", "no", "yes", "yes", "no"]}
    )
    known = data.read(table[: 5 if filled else 4], target="y", impute="mean" if filled else None)
    X, y, preprocessing = known.encode(scale=False)
    cells = ["", " ", None, "abc", "-", "1abc", "-1.50", " 2", "1e0", "9007199254740993"]
    empty = "yes" if filled else None  # the mean is 0, where the points reach the threshold
    expected = [empty, empty, empty, None, None, None, "no", "yes", "yes", "yes"]
    card = Scorecard().fit(X, y)
    card._rule = Card((Term(0, 0.0),), (1,), 1)
    query = to_sql(card, preprocessing=preprocessing)
    assert query.startswith("/*")  # else a shell's command takes it for an option
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE data (a {kind})")
        base.executemany("INSERT INTO data VALUES (?)", [(cell,) for cell in cells])
        found = base.execute(query).fetchall()
    assert [label for label, *_ in found] == expected
    odd = pd.DataFrame({"a": cells})
    assert in_python(to_python(card, preprocessing=preprocessing), odd) == expected
    sheet = pd.DataFrame({"a": ["", "abc", "-", -1.5, 2.0]})
    labels = in_a_sheet(to_excel_formula(card, preprocessing=preprocessing), ["a"], sheet)
    assert [str(label) for label in labels] == [empty or "#N/A", "#N/A", "#N/A", "no", "yes"]


def test_columns_that_the_rule_does_not_use_are_not_asked_for():
    card, preprocessing, _ = learned(Scorecard(), scale=False)
    card._rule = Card((Term(0), Term(3, 1.0, indicator=True)), (-2, 1), 0)
    assert preprocessing.feature_names[3] == "town=Rome"
    assert inputs(card, preprocessing=preprocessing) == ["reports", "town"]
    text = to_excel_formula(
        card, preprocessing=preprocessing, cells={"reports": "B7", "town": "$D7"}
    )
    assert '-2 * IF(NOT(ISNUMBER(B7)),2.66,B7) + IF(EXACT(TRIM($D7),"Rome"),1,0) >= 0' in text


def test_names_in_use_do_not_hide_the_answer():
    table = pd.DataFrame({"Score": [1.0, -1.0], "predicted": [1.0, 0.5]})
    rule = RandomLinearClassifier(k=1, random_state=0).fit(table, [0, 1])
    answer = in_sqlite(to_sql(rule), table)
    assert answer.columns.tolist() == ["predicted_", "score_", "Score", "predicted"]
    assert answer["predicted_"].tolist() == rule.predict(table).tolist()


@pytest.mark.parametrize("labels", [["no", "yes"], ["no", "yes", "perhaps"]])
def test_columns_that_training_left_out_do_not_hide_the_answer(labels):
    """SQLite takes the first of two columns of one name, and says nothing."""
    X, y = pd.DataFrame({"a": np.arange(30.0)}), np.repeat(labels, 30 // len(labels))
    rule = Perceptron(random_state=0, max_iter=1000, patience=None).fit(X, y)
    expected = rule.predict(X).tolist()
    assert len(set(expected)) == len(labels)
    wrong = dict.fromkeys(["score", "score_1", "score_2", "predicted"], -1e9)
    with sqlite3.connect(":memory:") as base:
        X.assign(**wrong).to_sql("data", base, index=False)
        base.row_factory = sqlite3.Row
        assert [row["predicted"] for row in base.execute(to_sql(rule))] == expected


@pytest.mark.parametrize(
    "labels", [["a'b", "c"], [False, True], [3, 7], [0.0, 1.0], ["/* x", "-- z"], ["*/*/ y", "z"]]
)
def test_labels_of_every_kind(labels, in_a_sheet):
    table = pd.DataFrame({"a": [-2.0, -1.0, 1.0, 2.0]})
    y = [labels[0], labels[0], labels[1], labels[1]]
    rule = Perceptron(random_state=0).fit(table, y)
    assert in_sqlite(to_sql(rule), table)["predicted"].tolist() == y
    assert in_python(to_python(rule), table) == y
    assert in_a_sheet(to_excel_formula(rule), ["a"], table).tolist() == y


# --- What has no formula --------------------------------------------------------------------------


def test_what_has_no_weights_is_refused():
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    for estimator in (KernelPerceptron(random_state=0), Perceptron(keep="vote", max_iter=1)):
        with raises(InputError):
            to_sql(estimator.fit(X, y))
    with raises(InputTypeError):
        to_python(object())


def test_prose_and_a_preprocessing_of_other_rows_are_refused():
    words = ["one two three four", "two five six seven", "one two eight nine", "five ten six one"]
    table = pd.DataFrame({"note": words, "a": [1.0, 2.0, 3.0, 4.0], "y": [0, 0, 1, 1]})
    X, y, preprocessing = data.read(table, target="y", text=["note"]).encode(scale=False)
    rule = Perceptron(random_state=0).fit(X, y)
    with raises(InputError, column="note"):
        to_sql(rule, preprocessing=preprocessing)
    with raises(InputError):
        to_sql(rule, preprocessing=replace(preprocessing, columns=preprocessing.columns[:1]))


def test_a_formula_that_no_cell_takes_is_refused():
    X = np.random.default_rng(0).normal(size=(20, 400))
    rule = Perceptron(random_state=0).fit(X, X[:, 0] > 0)
    rule._rule = LinearRule(np.full(401, 0.1234567890123), 1.0)
    with raises(InputError):
        to_excel_formula(rule)
    with raises(InputError):
        to_excel_formula(rule, cells={"x0": "A2"})
