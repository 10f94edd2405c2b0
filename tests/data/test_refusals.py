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
    "text",
    [
        "",
        "\n\n",
        "a,paid\n",
        "a,paid",
        "paid\n1\n0\n",
        "a,a,paid\n1,2,0\n",
        ",a,paid\n0,1,0\n1,2,1\n",
        "a,Paid\n1,0\n",
        "a,paid\n1,0\n2,0\n",
        "a,paid\n1,0.5\n2,1.5\n3,2.7\n",
        "a,paid\n1,0\n2,\n3,1\n",
        "a,paid\n1,0\n,1\n",
        "a,paid\nx,0\nNA,1\n",
        "a,paid\n,0\n,1\n",
        "a,paid\n1,0\n1e400,1\n",
        "a,paid\n1,0\n-inf,1\n",
        "a,b,paid\n1,2,0\n1,2\n",
        "a,b,paid\n1,2,0\n1,2,3,4\n",
        "a,paid\n1,0\n2,1\nthree,0\n4,1\n5,1\n",
        "a,paid\n1,0\nb\0,1\n",
        "a,paid\nx,0\ny,1\nz,1\n",
        "a,paid\n1.2.2020,0\n1.3.2020,1\n5.3.2020,1\n",
        'a,paid\n"1,200",0\n"2,000.50",1\n"7,000",1\n',
        "# made by hand\na,paid\n1,0\n",
    ],
)
def test_one_clear_error(file, text):
    refusal(file(text))


def test_identifiers_are_refused_with_advice(file):
    people = "\n".join(f"P{i:04d},{i % 5},{i % 2}" for i in range(40))
    path = file(f"id,a,paid\n{people}\n")
    refusal(path)
    assert encoded(path, ignore="id")[2] == ["a"]
    refusal(path, ignore=["ids"])
    refusal(path, ignore=["paid"])


def test_the_error_says_how_much_more_is_wrong(file):
    refusal(file("a,b,paid\n1,,0\n,inf,1\n"))


def test_columns_with_gaps_are_told_of_together(file):
    rows = "1,x,,0\n,,u,1\n3,y,v,1\n4,,u,0\n"
    refusal(file("a,b,c,paid\n" + rows))


def test_files_that_are_not_what_they_are_called(file, tmp_path):
    whole = io.BytesIO()
    parquet.write_table(typed(), whole)
    refusal(file(whole.getvalue()[:-50], "t.parquet"))
    refusal(file(PLAIN, "t.parquet"))
    for end in ("gz", "bz2", "zst"):
        refusal(file(PLAIN, f"t.csv.{end}"))
    packed = gzip.compress(PLAIN.encode() * 1000)
    refusal(file(packed[: len(packed) // 2], "t.csv.gz"))
    refusal(file(packed[:-8] + bytes(8), "t.csv.gz"))
    refusal(file(b"PK\x03\x04rest", "t.xlsx"))
    refusal(file(b"\xd0\xcf\x11\xe0rest", "t.xls"))
    refusal(tmp_path)
    refusal(tmp_path / "missing.csv")


def test_what_is_no_source():
    with raises(InputTypeError):
        data.read(3)
    with raises(InputError):
        data.read([])


def test_names_that_stand_twice_can_be_left_out(file, tmp_path):
    path = file("a,b,a,paid\nx,1,2,0\ny,2,3,1\n")
    assert encoded(path, ignore="a") == ([[1], [2]], [0, 1], ["b"])
    refusal(path, ignore="b")
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
