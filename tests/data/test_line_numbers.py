"""A message about a row of a file counts from 1 and names the line; about a frame, from 0."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from tables import refusal

# The row with the gap is the third one. Its line is counted by hand.
FILES = [
    ("plain.csv", b"a,y\n1,no\n2,yes\n,no\n", {}, "row 3 (line 4)"),
    ("windows.csv", b"a,y\r\n1,no\r\n2,yes\r\n,no\r\n", {}, "row 3 (line 4)"),
    ("empty_lines.csv", b"\n\na,y\n1,no\n\n2,yes\n\n,no\n", {}, "row 3 (line 8)"),
    ("several.csv", b'a,y\n1,"n\no"\n2,yes\n,"n\no"\n', {}, "row 3 (line 5)"),
    ("sep.csv", b"sep=;\na;y\n1;no\n2;yes\n;no\n", {}, "row 3 (line 5)"),
    ("bom.csv", b"\xef\xbb\xbfa,y\n1,no\n2,yes\n,no\n", {}, "row 3 (line 4)"),
    ("wide.csv", "a,y\n1,no\n2,yes\n,no\n".encode("utf-16"), {}, "row 3 (line 4)"),
    ("bare.csv", b"1,no\n2,yes\n,no\n", {"header": False}, "row 3 (line 3)"),
    (
        "blanks.txt",
        b"a y\n1 no\n2 yes\n? no\n",
        {"na_values": "?", "sep": "whitespace"},
        "row 3 (line 4)",
    ),
    ("packed.csv.gz", gzip.compress(b"a,y\n1,no\n2,yes\n,no\n"), {}, "row 3 (line 4)"),
]


@pytest.mark.parametrize(
    ("name", "content", "how", "told"), FILES, ids=[name for name, *_ in FILES]
)
def test_the_line_of_a_row(tmp_path, name, content, how, told):
    path = tmp_path / name
    path.write_bytes(content)
    target = "x1" if how.get("header") is False else "y"
    refusal(path, target=target, **how)


def test_a_row_of_a_sheet(shell):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["a", "y"], [1, "no"], [], [2, "n\no"], [], [], [None, "no"]):
        book.active.append(row)
    book.save("book.xlsx")
    told = shell("inspect", "book.xlsx", "--target", "y")[1]
    assert "book.xlsx, row 3 (sheet row 7), column 'a'" in told


def test_rows_without_lines(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, None], "y": ["no", "yes", "no"]})
    frame.to_parquet(tmp_path / "t.parquet")
    refusal(tmp_path / "t.parquet", target="y")
    refusal(frame, target="y")


def test_rows_of_the_second_file_are_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("a,y\n1,no\n2,yes\n")
    Path("two.csv").write_text("a,y\n3,no\n,yes\n")
    refusal(["one.csv", "two.csv"], target="y")
