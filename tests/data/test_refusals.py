"""What is wrong with a table is one error: file, row, column, value, and what to do."""

import gzip
import io
from datetime import datetime, timedelta

import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError, InputTypeError
from tables import PLAIN, encoded, refusal, typed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["table.csv is empty"]),
        ("\n\n", ["table.csv is empty"]),
        ("a,paid\n", ["has no rows"]),
        ("a,paid", ["has no rows"]),
        ("paid\n1\n0\n", ["no column to learn from"]),
        ("a,a,paid\n1,2,0\n", ["several columns named 'a': columns 1, 2", "ignore='a'"]),
        (",a,paid\n0,1,0\n1,2,1\n", ["has no name", "ignore=''"]),
        ("a,Paid\n1,0\n", ["target='paid' is not a column", "Did you mean 'Paid'?"]),
        ("a,paid\n1,0\n2,0\n", ["target 'paid' is 0 in every row"]),
        (
            "a,paid\n1,0.5\n2,1.5\n3,2.7\n",
            ["3 different values: 0.5, 1.5, 2.7", "positive=LABEL"],
        ),
        (
            "a,paid\n1,0\n2,\n3,1\n",
            ["row 2 (line 3)", "target 'paid'", "label is missing", "1 row of 3"],
        ),
        ("a,paid\n1,0\n,1\n", ["row 2 (line 3)", "column 'a'", "missing", "impute='mean'"]),
        (
            "a,paid\nx,0\nNA,1\n",
            ["row 2 (line 3)", "column 'a'", "missing", "It is text", "impute='median'"],
        ),
        ("a,paid\n,0\n,1\n", ["column 'a' holds no value at all"]),
        ("a,paid\n1,0\n1e400,1\n", ["row 2 (line 3)", "column 'a' holds inf"]),
        ("a,paid\n1,0\n-inf,1\n", ["row 2 (line 3)", "column 'a' holds -inf"]),
        ("a,b,paid\n1,2,0\n1,2\n", ["row 2 (line 3)", "2 fields where the header has 3", "'1,2'"]),
        ("a,b,paid\n1,2,0\n1,2,3,4\n", ["row 2 (line 3)", "4 fields where the header has 3"]),
        ("a,paid\n1,0\n2,1\nthree,0\n4,1\n5,1\n", ["row 3 (line 4)", "column 'a' holds 'three'"]),
        ("a,paid\n1,0\nb\0,1\n", ["zero bytes"]),
        ("a,paid\nx,0\ny,1\nz,1\n", ["3 different values in 3 rows", "ignore='a'"]),
        ("a,paid\n1.2.2020,0\n1.3.2020,1\n5.3.2020,1\n", ["'a' holds dates", "ignore='a'"]),
        ('a,paid\n"1,200",0\n"2,000.50",1\n"7,000",1\n', ["'1,200' as 1200", "numeric='a'"]),
        ("# made by hand\na,paid\n1,0\n", ["Its columns: '# made by hand'"]),
    ],
)
def test_one_clear_error(file, text, words):
    message = refusal(file(text))
    for word in ["table.csv, " if words[0].startswith("row") else "", *words]:
        assert word in message


def test_identifiers_are_refused_with_advice(file):
    people = "\n".join(f"P{i:04d},{i % 5},{i % 2}" for i in range(40))
    path = file(f"id,a,paid\n{people}\n")
    assert "40 different values in 40 rows" in refusal(path)
    assert "ignore='id'" in refusal(path)
    assert encoded(path, ignore="id")[2] == ["a"]
    assert "ignore='ids' is not a column" in refusal(path, ignore=["ids"])
    assert "is both the target and ignored" in refusal(path, ignore=["paid"])


def test_the_error_says_how_much_more_is_wrong(file):
    assert "2 problems in all" in refusal(file("a,b,paid\n1,,0\n,inf,1\n"))


def test_columns_with_gaps_are_told_of_together(file):
    rows = "1,x,,0\n,,u,1\n3,y,v,1\n4,,u,0\n"
    said = refusal(file("a,b,c,paid\n" + rows))
    assert "3 columns lack values: 'a' (1 row), 'b' (2 rows), 'c' (1 row), of 4 rows" in said
    assert "row 2 (line 3), column 'a'" in said
    assert "impute='median'" in said
    assert "ignore=['a', 'b', 'c']" in said
    assert "more" not in said


def test_files_that_are_not_what_they_are_called(file, tmp_path):
    whole = io.BytesIO()
    parquet.write_table(typed(), whole)
    assert "damaged or cut short" in refusal(file(whole.getvalue()[:-50], "t.parquet"))
    assert "does not begin like one" in refusal(file(PLAIN, "t.parquet"))
    for end, how in [("gz", "gzip"), ("bz2", "bz2"), ("zst", "zstd")]:
        said = refusal(file(PLAIN, f"t.csv.{end}"))
        assert f"has the suffix of {how} but is not compressed" in said
    packed = gzip.compress(PLAIN.encode() * 1000)
    assert "cannot be read: Truncated" in refusal(file(packed[: len(packed) // 2], "t.csv.gz"))
    assert "incorrect data check" in refusal(file(packed[:-8] + bytes(8), "t.csv.gz"))
    assert "cannot be unpacked" in refusal(file(b"PK\x03\x04rest", "t.xlsx"))
    assert "Save it as .xlsx or CSV" in refusal(file(b"\xd0\xcf\x11\xe0rest", "t.xls"))
    assert "is a folder" in refusal(tmp_path)
    assert "There is no file" in refusal(tmp_path / "missing.csv")


def test_what_is_no_source():
    with raises(InputTypeError):
        data.read(3)
    with raises(InputError):
        data.read([])


def test_names_that_stand_twice_can_be_left_out(file, tmp_path):
    path = file("a,b,a,paid\nx,1,2,0\ny,2,3,1\n")
    assert encoded(path, ignore="a") == ([[1], [2]], [0, 1], ["b"])
    assert "several columns named 'a': columns 1, 3" in refusal(path, ignore="b")
    arrays = [pa.array([1, 2]), pa.array(["x", "y"]), pa.array([0, 1])]
    parquet.write_table(pa.table(arrays, names=["a", "a", "paid"]), tmp_path / "t.parquet")
    assert encoded(tmp_path / "t.parquet", ignore="a", target=None)[0] == [[0], [1]]


@pytest.mark.parametrize("days", [2, 60])  # few could be words, many an identifier
def test_dates_count_alike_in_every_kind_of_file(file, tmp_path, days):
    first = datetime(2024, 5, 1, 13, 30)
    times = [first + timedelta(days=i % days) for i in range(120)]
    kinds = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "zone": pa.timestamp("s", "UTC")}
    for name_of, kind in kinds.items():
        table = pa.table({"day": pa.array(times).cast(kind), "paid": [i % 2 for i in range(120)]})
        parquet.write_table(table, tmp_path / "t.parquet")
        arrow_csv.write_csv(table, tmp_path / "t.csv")
        for name in ("t.parquet", "t.csv"):
            rows, _, names = encoded(tmp_path / name)
            day = [[i % days] for i in range(120)]
            if name_of == "date":
                assert (rows, names) == (day, ["day (days since 2024-05-01)"])
            else:
                zone = "Z" if name_of == "zone" else ""
                assert names == [f"day (seconds since 2024-05-01T13:30:00{zone})"]
                assert rows == [[86400 * k] for (k,) in day]


def test_words_with_figures_are_no_dates(file):
    rows = "".join(f"{word},{i % 2}\n" for i, word in enumerate(["10.0.0.1", "1-2-3"] * 10))
    assert encoded(file(f"a,paid\n{rows}"))[2] == ["a=10.0.0.1"]


def test_a_file_that_changes_while_it_is_read(file, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.table._KEPT", 0)
    path = file(PLAIN)
    table = data.read(path, target="paid")
    path.write_text(PLAIN + "1,no,1\n")
    with raises(InputError):
        table.encode()
