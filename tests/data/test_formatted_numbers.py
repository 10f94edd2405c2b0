"""Formatted numbers: refused with every way out, or read as what they are, now and later."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.data.formatted_numbers import detect_numbers, parsed
from rosenblatt.errors import InputError
from tables import encoded, refusal


@pytest.mark.parametrize(
    ("word", "mark", "value", "unit"),
    [
        ("$1,200", ".", 1200.0, "$"),
        ("-$5.50", ".", -5.5, "$"),
        ("€-3", ".", -3.0, "€"),
        ("7 €", ".", 7.0, "€"),
        ("12.5%", ".", 12.5, "%"),
        ("35 %", ".", 35.0, "%"),
        ("12 kg", ".", 12.0, "kg"),
        ("90km/h", ".", 90.0, "km/h"),
        ("1,234,567.5", ".", 1234567.5, ""),
        ("1'200", ".", 1200.0, ""),
        ("1.234,5", ",", 1234.5, ""),
        ("1 234,5", ",", 1234.5, ""),
        ("1,5", ",", 1.5, ""),
        ("−4", ".", -4.0, ""),
        ("1e-3", ".", 0.001, ""),
    ],
)
def test_numbers_as_people_write_them(word, mark, value, unit):
    assert parsed(word, mark) == (value, unit)


@pytest.mark.parametrize(
    "word", ["3+", "18-25", "10.0.0.1", "A11", "1.2.2020", "1,20,000", "$", ""]
)
def test_what_is_no_number(word):
    assert parsed(word, ".") is None


def test_most_of_what_is_not_missing_decides():
    assert detect_numbers({"1": 5, "?": 90, "2": 3}, ".").missing == {"?": 90}
    assert detect_numbers({"1": 5, "a": 5}, ".") is None
    assert detect_numbers({"1": 6, "a": 5}, ".").others == {"a": 5}
    assert detect_numbers({"1st": 3, "2nd": 3, "3rd": 3}, ".") is None, (
        "units that differ are words"
    )
    assert detect_numbers({"0": 1, "5 kg": 2}, ".").others == {}, "nothing has no unit"
    assert detect_numbers({"12 kg": 5, "900 g": 2}, ".").others == {"900 g": 2}


def with_gaps(word="?", n=40):
    """Two columns of numbers with a word here and there, and one of words."""
    pulse = [word if i % 3 == 0 else i % 7 for i in range(n)]
    temp = [word if i % 5 == 0 else i % 8 / 4 for i in range(n)]
    rows = [f"{pulse[i]},{temp[i]},{'xyz'[i % 3]},{i % 2}" for i in range(n)]
    return "\n".join(["pulse,temp,town,paid", *rows, ""])


def test_a_word_for_missing_numbers_is_one_error_with_both_ways_out(file):
    path = file(with_gaps())
    refusal(path)
    X, _, names = encoded(path, na_values="?", impute="median")
    assert names[:2] == ["pulse", "temp"]
    assert X[1][:2] == [1.0, 0.25]
    numbers = sorted(i % 7 for i in range(40) if i % 3)  # 26 of them: the median by hand
    assert X[0][0] == (numbers[12] + numbers[13]) / 2
    assert "pulse=4" in encoded(path, categorical=["pulse", "temp"])[2]


@pytest.mark.parametrize("word", ["?", "-", "--", "none", "Unknown", "n.a."])
def test_words_that_look_like_missing_values(file, word):
    refusal(file(with_gaps(word)))


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["$1,200", "$90", "$7.50", "0"], [1200, 90, 7.5, 0]),
        (["12.5%", "3%", "100%", "0%"], [12.5, 3, 100, 0]),
        (["12 kg", "7 kg", "8.5 kg", "9 kg"], [12, 7, 8.5, 9]),
        (["1,5", "2,25", "7", "0,1"], [1.5, 2.25, 7, 0.1]),
        (["36 months", "60 months"] * 2, [36, 60] * 2),
    ],
)
def test_numbers_with_units_are_refused_or_read_as_numbers(file, words, numbers):
    rows = "".join(f'"{word}",{i % 2}\n' for i, word in enumerate(words * 3))
    path = file(f"price,paid\n{rows}")
    refusal(path)
    X, _, names = encoded(path, numeric="price")
    assert (names, [x for (x,) in X]) == (["price"], numbers * 3)
    assert len(encoded(path, categorical="price")[2]) == len(set(words)) - 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_in_frames_is_no_different(frame):
    table = frame({"price": ["$1,200", "$90"] * 5, "paid": [0, 1] * 5})
    refusal(table)
    assert encoded(table, numeric="price")[0][:2] == [[1200], [90]]
    refusal(frame({"code": ["1", "2"] * 5, "paid": [0, 1] * 5}))


def test_a_type_that_says_category_is_believed():
    table = pd.DataFrame({"code": pd.Categorical(["1", "2", "3"] * 4), "paid": [0, 1] * 6})
    assert len(encoded(table)[2]) > 1


def test_numbers_can_be_categories(file):
    path = file("ward,paid\n" + "1,0\n2,1\n3,0\n" * 3)
    assert encoded(path)[2] == ["ward"]
    assert "ward=2" in encoded(path, categorical="ward")[2]


def test_a_unit_that_changes_is_refused_with_its_place(file):
    path = file("mass,paid\n" + "12 kg,0\n7 kg,1\n" * 4 + "900 g,1\n")
    refusal(path)
    refusal(path, numeric="mass")
    refusal(file("mass,paid\n" + "x,0\ny,1\n" * 4), numeric="mass")


def test_later_tables_are_read_as_the_first(file):
    text = "mass;pulse;town;paid\n" + "1.200,5 kg;?;x;0\n7 kg;61,5;y;1\n9 kg;70;x;1\n" * 3
    first = data.read(file(text), target="paid", numeric="mass", na_values="?", impute="mean")
    preprocessing = first.encode(scale=False)[2]
    kept = json.loads(json.dumps(preprocessing.to_dict()))
    assert kept["schema"] == "rosenblatt-preprocessing/1"
    assert kept["reading"] == {
        "header": None,
        "na_values": ["?"],
        "encoding": None,
        "sep": None,
        "names": None,
        "sheet_name": None,
        "decimal": None,
        "skip_rows": None,
        "header_rows": None,
        "skip_footer": None,
        "drop_unlabelled": False,
        "drop_label": [],
        "delimiter": ";",
        "mark": ",",
        "numeric": [{"column": "mass", "unit": "kg", "decimal": ","}],
        "dates": [],
    }
    again = data.Preprocessing.from_dict(kept)
    assert again == preprocessing
    new = file("town;mass;pulse\ny;2.000 kg;?\n", "new.csv")
    assert again.transform(new).tolist() == [[2000.0, 65.75, 1.0]]
    with raises(InputError, row=0, column="mass"):
        again.transform(file("town;mass;pulse\ny;900 g;?\n"))


def test_what_was_said_first_holds_unless_said_otherwise(file):
    rows = "3,x,0\n?,y,1\n5,x,1\n"
    first = data.read(file(rows * 3), target="x2", header=False, na_values="?", impute="mean")
    preprocessing = first.encode(scale=False)[2]
    assert preprocessing.transform(file("?,y\n7,x\n")).tolist() == [[4.0, 1.0], [7.0, 0.0]]
    named = file("x1,x0\ny,7\nx,-\n")
    assert preprocessing.transform(named, header=True, na_values="-").tolist() == [
        [7.0, 1.0],
        [4.0, 0.0],
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"numeric": [{"column": "a", "unit": "", "decimal": ";"}]},
        {"delimiter": ""},
        {"header": 1},
        {"na_values": "?"},
        {"more": 1},
    ],
)
def test_a_record_of_reading_is_not_trusted(change):
    document = data.read(pd.DataFrame({"a": [1.0, 2.0]})).preprocessing().to_dict()
    document["reading"] |= change
    with raises(InputError):
        data.Preprocessing.from_dict(document)


def test_columns_are_named_once(file):
    path = file("a,paid\n1,0\n2,1\n")
    refusal(path, categorical="b")
    refusal(path, categorical="a", numeric="a")
    refusal(path, categorical="paid")


def test_decimals_are_meant_as_people_write_them(shell, file):
    """What verify tells of such a column, and the decimals that it stands for."""
    rows = "".join(f'"$1,{i:03d}.10",{i % 2}\n' for i in range(10))
    path = file(f"price,paid\n{rows}")
    asked = (path, "-y", "paid", "--numeric", "price", "--numbers", "decimal", "-o", "c.json")
    assert shell("certify", *asked, "--exit-code")[0] == 10
    code, out, _ = shell("verify", "c.json", path)
    assert code == 0
    assert "'price' read as numbers in $" in out


def test_the_number_in_the_advice_is_what_the_advice_gives(file):
    """One column shows that commas are decimal in the other."""
    rows = "".join(f"1.5;2.5;33,33{i};2,{i};{i % 2}\n" for i in range(10))
    path = file(f"c;e;a;b;paid\n{rows}")
    said = refusal(path)
    X = encoded(path, numeric=["a", "b"])[0]
    assert X[3] == [1.5, 2.5, 33.333, 2.3]
    assert f"('33,330' as {X[0][2]:g})" in said


def test_a_column_with_many_words_among_numbers_is_no_case_for_missing_values(file):
    tickets = [f"CA. {2000 + i}" if i % 3 == 0 else str(10_000 + i) for i in range(60)]
    path = file("ticket,x,paid\n" + "".join(f"{t},{i},{i % 2}\n" for i, t in enumerate(tickets)))
    said = refusal(path)
    assert "ignore='ticket'" in said
    assert "na_values=" not in said
    assert encoded(path, ignore="ticket")[2] == ["x"]
