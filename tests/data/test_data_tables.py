"""Tables that people really have: each gives the right rows, or one clear error and where it is."""

import bz2
import gzip
import io
import math
import subprocess
import sys
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv
from pyarrow import feather, parquet

from rosenblatt import data
from rosenblatt.data import files
from rosenblatt.data._ahead import AT_ONCE, done_ahead
from rosenblatt.data._watching import watched
from rosenblatt.data.columnar import ColumnFiles
from rosenblatt.data.part import Kind, Part
from rosenblatt.data.records import blocks
from rosenblatt.errors import InputError, InputTypeError

PLAIN = "age,owner,paid\n30,yes,1\n41.5,no,0\n22,yes,1\n"
ROWS = [[30.0, 1.0], [41.5, 0.0], [22.0, 1.0]]


@pytest.fixture
def file(tmp_path):
    """Write a file, get its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def encoded(source, target="paid", **options):
    X, y, encoding = data.read(source, target=target, **options).encode(scale=False)
    return X.tolist(), None if y is None else y.tolist(), encoding.feature_names


def refusal(source, target="paid", **options):
    with pytest.raises(InputError) as caught:
        data.read(source, target=target, **options).encode()
    return str(caught.value)


AS_EXPECTED = (ROWS, [1, 0, 1], ["age", "owner=yes"])


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip("\n"),
        PLAIN + "\n\n",
        "\n\n" + PLAIN,
        "\ufeff" + PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "|"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", ", "),
        PLAIN.replace(",", ";").replace("41.5", "41,5"),
        PLAIN.replace(",", "\t").replace("41.5", "41,5"),
        "sep=;\n" + PLAIN.replace(",", ";"),
        '"age","owner","paid"\n"30","yes","1"\n"41.5","no","0"\n"22","yes","1"\n',
        PLAIN.replace("30", "+3e1").replace("22", " 22 "),
    ],
)
def test_the_same_table_in_many_ways_of_writing(file, text):
    assert encoded(file(text)) == AS_EXPECTED


def test_compressed_text(file):
    assert encoded(file(gzip.compress(PLAIN.encode()), "t.csv.gz")) == AS_EXPECTED
    assert encoded(file(bz2.compress(PLAIN.encode()), "t.csv.bz2")) == AS_EXPECTED
    zst = pa.compress(PLAIN.encode(), "zstd", asbytes=True)
    assert encoded(file(zst, "t.csv.zst")) == AS_EXPECTED
    for packed in (gzip.compress(PLAIN.encode()), bz2.compress(PLAIN.encode()), zst):
        for name in ("t.csv", "t.csv.gz", "t.csv.bz2", "t.csv.zst", "t"):  # by what is in it
            assert encoded(file(packed, name)) == AS_EXPECTED


def test_other_character_sets(file):
    text = "größe,Ort,paid\n1,Köln,1\n2,Łódź,0\n"
    expected = ([[1.0, 0.0], [2.0, 1.0]], [1, 0], ["größe", "Ort=Łódź"])
    assert encoded(file(text)) == expected
    assert encoded(file(text.encode("utf-16"))) == expected
    western = text.replace("Łódź", "Übach").encode("cp1252")
    assert encoded(file(western), charset="cp1252")[2] == ["größe", "Ort=Übach"]
    assert "is not UTF-8 text: its first line is b'gr\\xf6" in refusal(file(western))
    assert "cp1252" in refusal(file(western))
    below = b"age,Ort,paid\n1,a,1\n2,K\xf6ln,0\n"
    assert "table.csv, row 1 " in refusal(file(below))
    assert "column 'Ort' holds b'K\\xf6ln'" in refusal(file(below))
    assert "not a character set" in refusal(file(PLAIN), charset="latin-99")


def typed():
    return pa.table(
        {"age": [30, 41.5, 22], "owner": ["yes", "no", "yes"], "paid": pa.array([1, 0, 1])}
    )


def test_files_with_types(tmp_path):
    table = typed()
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather", compression="zstd")
    with pa.ipc.new_stream(tmp_path / "t.arrows", table.schema) as stream:
        stream.write_table(table)
    for name in ("t.parquet", "t.feather", "t.arrows"):
        assert encoded(tmp_path / name) == AS_EXPECTED


def test_data_frames():
    table = typed()
    for frame in (table, table.to_pandas(), pl.from_arrow(table)):
        assert encoded(frame) == AS_EXPECTED
    categories = table.to_pandas().astype({"owner": "category"})
    categories["owner"] = categories["owner"].cat.add_categories("never")
    assert encoded(categories) == AS_EXPECTED


def test_types_of_parquet_columns(tmp_path):
    from decimal import Decimal

    table = pa.table(
        {
            "small": pa.array([1, 2], pa.int8()),
            "single": pa.array([0.1, 2], pa.float32()),
            "money": pa.array([Decimal("0.1"), Decimal("123456789.123456789")]),
            "flag": [True, False],
            "paid": [True, False],
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    X, y, names = encoded(tmp_path / "t.parquet")
    assert [[1, float(np.float32(0.1)), 0.1, 1], [2, 2, 123456789.123456789, 0]] == X
    assert y == [True, False]
    assert names == ["small", "single", "money", "flag"]


def test_several_files_and_patterns(file, tmp_path):
    first = file("a,paid\n1,0\n2,1\n", "part-1.csv")
    second = file("a,paid\n3,1\n", "part-2.csv")
    expected = ([[1.0], [2.0], [3.0]], [0, 1, 1], ["a"])
    assert encoded([first, second]) == expected
    assert encoded(str(tmp_path / "part-*.csv")) == expected
    third = file("b,paid\n3,1\n", "part-3.csv")
    assert "'b' here is 'a' there" in refusal([first, third])
    assert "No file matches" in refusal(str(tmp_path / "none-*.csv"))
    assert "2-wrong.csv, row 1 " in refusal([first, file("a,paid\n3,1\n3,,1\n", "2-wrong.csv")])


def test_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(PLAIN.encode())

    monkeypatch.setattr("sys.stdin", Input)
    assert encoded("-") == AS_EXPECTED


def test_fields_with_quotes_delimiters_and_line_ends(file):
    text = 'note,a,paid\n"x, ""y""\nz",1,1\nplain,2,0\n5" pipe,3,0\n"x, ""y""\nz",4,1\n'
    X, y, names = encoded(file(text))
    assert names == ['note=5" pipe', "note=plain", 'note=x, "y"\nz', "a"]
    assert [row[3] for row in X] == [1, 2, 3, 4]
    assert [row[2] for row in X] == [1, 0, 0, 1]
    assert y == [1, 0, 0, 1]


def test_a_column_of_whole_numbers_and_then_a_fraction(file):
    lines = ["a,b,paid", *(f"{i % 7},x,{i % 2}" for i in range(600_000)), "1.5,y,1"]
    X, _, names = encoded(file("\n".join(lines)))
    assert names == ["a", "b=y"]
    assert X[-1] == [1.5, 1.0]
    assert X[8] == [1.0, 0.0]


def test_a_column_of_numbers_and_then_a_word(file):
    numbers = [f"{i % 7},{i},{i % 2}" for i in range(600_000)]
    X, _, names = encoded(file("\n".join(["a,b,paid", *numbers, *["7+,1,1"] * 10_000])))
    assert names == [*(f"a={k}" for k in ("0", "1", "2", "3", "4", "5", "6", "7+")), "b"]
    assert X[8] == [0, 1, 0, 0, 0, 0, 0, 0, 8]
    assert X[-1] == [0, 0, 0, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("kinds", [7, 72, 300])
def test_a_typo_does_not_make_words_of_numbers(kinds, file):
    rows = [f"{i % kinds},{i},{i % 2}" for i in range(3000)]
    rows[1700] = "4x,1,1"
    path = file("\n".join(["age,b,paid", *rows]))
    with pytest.raises(InputError, match=r"row 1700 .*column 'age' holds '4x', and num"):
        data.read(path, target="paid").encode()


def test_decimal_commas_that_come_late(file):
    lines = ["a;b;paid", *(f"{i % 7};{i % 5};{i % 2}" for i in range(400_000)), "1,5;2;1"]
    X, _, names = encoded(file("\n".join(lines)))
    assert names == ["a", "b"]
    assert X[-1] == [1.5, 2.0]


def test_rows_read_ahead_are_held_to_decimal_commas_that_come_late(file, monkeypatch):
    head = "a;b;c;paid\n1,5;2;1,5;1\n2,5;1;2,5;0\n"
    encoding = data.read(file(head), target="paid").encode(scale=False)[2]
    monkeypatch.setattr("rosenblatt.data.text.blocks", partial(blocks, size=100_000))
    long = "0" * 200 + "3;4;5"
    lines = ["a;b;c", *[long] * 6000, "1,5;2;2,5", *[long] * 600, "6;7;8"]  # the first megabyte
    found = encoding.apply(file("\n".join(lines)))
    assert found[[5999, 6000, 6600, 6601]].tolist() == [
        [3, 4, 5],
        [1.5, 2, 2.5],
        [3, 4, 5],
        [6, 7, 8],
    ]
    with pytest.raises(InputError, match=r"row 6601 .*'b' holds '6.5': a number is expected"):
        encoding.apply(file("\n".join([*lines[:-1], "6;6.5;8"])))


def test_work_ahead_keeps_the_order_and_the_place_of_errors():
    asked, given = [], []

    def items(stop):
        for i in range(9):
            if i == stop:
                raise ValueError(f"item {i}")
            asked.append(i)
            yield i

    def work(i):
        if i == 7:
            raise KeyError(i)
        return i * i

    def take(found):
        for i, square in found:
            assert len(asked) <= i + 1 + AT_ONCE
            given.append((i, square))

    with pytest.raises(ValueError, match="item 5"):
        take(done_ahead(work, items(5)))
    assert given == [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]
    asked.clear()
    with pytest.raises(KeyError, match="7"):
        take(done_ahead(work, items(None)))
    assert given[5:] == [(i, i * i) for i in range(7)]


@pytest.mark.parametrize("piece", [1, 6, 1 << 18])
def test_numbers_of_several_columns_as_rows(piece, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.part._PIECE", piece)
    columns = {
        "a": [1.0, None, 3.0, -0.0, 5.0],
        "w": list("vwxyz"),
        "b": [None, 2.0, 1e308, 4.0, 9],
    }
    part = Part(pa.RecordBatch.from_pydict(columns).slice(1, 4), None, 0, 1.0)
    found = np.empty((4, 2))
    for begin, rows in part.matrix(["b", "a"]):
        found[begin : begin + len(rows)] = rows
    nan = math.nan
    np.testing.assert_array_equal(found, [[2, nan], [1e308, 3], [4, -0.0], [9, 5]])
    assert math.copysign(1, found[2, 1]) == -1


def test_a_wide_table(file):
    wide = 5000
    names = ",".join(f"c{j}" for j in range(wide))
    rows = "\n".join(f"{','.join(str(i * j % 11) for j in range(wide))},{i % 2}" for i in range(20))
    X, _, found = encoded(file(f"{names},paid\n{rows}\n"))
    assert len(found) == wide
    assert [[i * j % 11 for j in range(wide)] for i in range(20)] == X


def test_a_header_longer_than_what_is_looked_at_first(file):
    wide, long = 21_000, "x" * 50
    names = ",".join(f"{long}{j}" for j in range(wide))
    rows = "".join(f"{','.join(['1', '2', '3'] * (wide // 3))},{i % 2}\n" for i in range(3))
    X, y, found = data.read(file(f"{names},paid\n{rows}"), target="paid").encode(scale=False)
    assert X.shape == (3, wide)
    assert X[2].tolist() == [1, 2, 3] * (wide // 3)
    assert y.tolist() == [0, 1, 0]
    assert found.feature_names[-1] == f"{long}{wide - 1}"


def test_a_row_longer_than_a_block_of_the_parser(file):
    long = "x" * (3 << 20)
    X, _, names = encoded(file(f"note,paid\n{long},1\nshort,0\n{long},1\nshort,0\n"))
    assert X == [[1], [0], [1], [0]]
    assert names == [f"note={long}"]


def test_booleans_and_missing_words(file):
    text = "flag,sure,paid\ntrue,True,1\nFALSE,False,0\nTrue,True,0\n"
    assert encoded(file(text)) == ([[1, 1], [0, 0], [1, 1]], [1, 0, 0], ["flag", "sure"])
    unsure = "a,paid\n1,1\n?,0\n3,1\n4,1\n5,1\n2,0\n"
    assert "missing='?' (--missing ?)" in refusal(file(unsure))
    X, _, _ = encoded(file(unsure), missing=["?"], impute="mean")
    assert X == [[1], [3], [3], [4], [5], [2]]
    spaced = file(unsure.replace(",", ", ").replace("?", " ?"))
    assert encoded(spaced, missing=["?"], impute="mean")[0] == X


def test_no_header(file):
    assert "begins with numbers" in refusal(file("1,0\n2,1\n"))
    assert encoded(file("1,0\n2,1\n"), target="x1", header=False) == ([[1], [2]], [0, 1], ["x0"])


# --- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["table.csv is empty"]),
        ("\n\n", ["table.csv is empty"]),
        ("a,paid\n", ["has no rows"]),
        ("a,paid", ["has no rows"]),
        ("paid\n1\n0\n", ["no column to learn from"]),
        ("a,a,paid\n1,2,0\n", ["several columns named 'a': columns 1, 2", "--ignore 'a'"]),
        (",a,paid\n0,1,0\n1,2,1\n", ["has no name", "--ignore ''"]),
        ("a,Paid\n1,0\n", ["target='paid' is not a column", "Did you mean 'Paid'?"]),
        ("a,paid\n1,0\n2,0\n", ["target 'paid' is 0 in every row"]),
        ("a,paid\n1,x\n2,y\n3,z\n", ["3 different values: 'x', 'y', 'z'", "--positive LABEL"]),
        ("a,paid\n1,0\n2,\n3,1\n", ["row 1 ", "target 'paid'", "label is missing", "1 row of 3"]),
        ("a,paid\n1,0\n,1\n", ["row 1 ", "column 'a'", "missing", "--impute mean"]),
        ("a,paid\nx,0\nNA,1\n", ["row 1 ", "column 'a'", "missing", "is text, which has no mean"]),
        ("a,paid\n,0\n,1\n", ["column 'a' holds no value at all"]),
        ("a,paid\n1,0\n1e400,1\n", ["row 1 ", "column 'a' holds inf"]),
        ("a,paid\n1,0\n-inf,1\n", ["row 1 ", "column 'a' holds -inf"]),
        ("a,b,paid\n1,2,0\n1,2\n", ["row 1 ", "2 fields where the header has 3", "'1,2'"]),
        ("a,b,paid\n1,2,0\n1,2,3,4\n", ["row 1 ", "4 fields where the header has 3"]),
        ("a,paid\n1,0\n2,1\nthree,0\n4,1\n5,1\n", ["row 2 ", "column 'a' holds 'three'"]),
        ("a,paid\n1,0\nb\0,1\n", ["zero bytes"]),
        ("a,paid\nx,0\ny,1\nz,1\n", ["3 different values in 3 rows", "--ignore a"]),
        ("a,paid\n1.2.2020,0\n1.3.2020,1\n5.3.2020,1\n", ["'a' holds dates", "--ignore a"]),
        ('a,paid\n"1,200",0\n"2,000.50",1\n€ 7,1\n', ["separators of thousands"]),
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
    assert "--ignore id" in refusal(path)
    assert encoded(path, ignore="id")[2] == ["a"]
    assert "ignore='ids' is not a column" in refusal(path, ignore=["ids"])
    assert "is the target and ignored" in refusal(path, ignore=["paid"])


def test_the_error_says_how_much_more_is_wrong(file):
    assert "3 problems in all" in refusal(file("a,b,paid\n1,,0\n,inf,1\n"))


def test_files_that_are_not_what_they_are_called(file, tmp_path):
    whole = io.BytesIO()
    parquet.write_table(typed(), whole)
    assert "damaged or cut short" in refusal(file(whole.getvalue()[:-50], "t.parquet"))
    assert "does not begin like one" in refusal(file(PLAIN, "t.parquet"))
    for end, how in [("gz", "gzip"), ("bz2", "bz2"), ("zst", "zstd")]:
        said = refusal(file(PLAIN, f"t.csv.{end}"))
        assert f"called compressed by {how} but is not compressed" in said
    packed = gzip.compress(PLAIN.encode() * 1000)
    assert "cannot be read: Truncated" in refusal(file(packed[: len(packed) // 2], "t.csv.gz"))
    assert "incorrect data check" in refusal(file(packed[:-8] + bytes(8), "t.csv.gz"))
    assert "Save the sheet as CSV" in refusal(file(b"PK\x03\x04rest", "t.xlsx"))
    assert "is a folder" in refusal(tmp_path)
    assert "There is no file" in refusal(tmp_path / "missing.csv")


def test_what_is_no_source():
    with pytest.raises(InputTypeError, match=r"builtins\.int is not read as a table"):
        data.read(3)
    with pytest.raises(InputError, match="No file was given"):
        data.read([])


def test_names_that_stand_twice_can_be_left_out(file, tmp_path):
    path = file("a,b,a,paid\nx,1,2,0\ny,2,3,1\n")
    assert encoded(path, ignore="a") == ([[1], [2]], [0, 1], ["b"])
    assert "several columns named 'a': columns 1, 3" in refusal(path, ignore="b")
    arrays = [pa.array([1, 2]), pa.array(["x", "y"]), pa.array([0, 1])]
    parquet.write_table(pa.table(arrays, names=["a", "a", "paid"]), tmp_path / "t.parquet")
    assert encoded(tmp_path / "t.parquet", ignore="a", target=None)[0] == [[0], [1]]


@pytest.mark.parametrize("days", [2, 60])  # few could be words, many an identifier
def test_dates_are_refused_alike_in_every_kind_of_file(file, tmp_path, days):
    first = datetime(2024, 5, 1, 13, 30)
    times = [first + timedelta(days=i % days) for i in range(120)]
    kinds = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "zone": pa.timestamp("s", "UTC")}
    for kind in kinds.values():
        table = pa.table({"day": pa.array(times).cast(kind), "paid": [i % 2 for i in range(120)]})
        parquet.write_table(table, tmp_path / "t.parquet")
        arrow_csv.write_csv(table, tmp_path / "t.csv")
        for name in ("t.parquet", "t.csv"):
            message = refusal(tmp_path / name)
            assert message.startswith("The column 'day' holds dates, as '2024-05-01")
            assert "--ignore day" in message
            assert encoded(tmp_path / name, ignore="day", target=None)[0][:2] == [[0], [1]]


def test_words_with_figures_are_no_dates(file):
    rows = "".join(f"{word},{i % 2}\n" for i, word in enumerate(["10.0.0.1", "1-2-3"] * 10))
    assert encoded(file(f"a,paid\n{rows}"))[2] == ["a=10.0.0.1"]


def test_types_that_are_not_numbers_or_text(tmp_path):
    table = pa.table({"tags": [["new"], None], "paid": [0, 1]})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert "column 'tags' holds values of the type list" in refusal(tmp_path / "t.parquet")
    assert encoded(tmp_path / "t.parquet", ignore="tags", target=None)[0] == [[0], [1]]
    large = pa.table({"id": [1, 2**53 + 1], "paid": [0, 1]})
    parquet.write_table(large, tmp_path / "t.parquet")
    assert "row 1 " in refusal(tmp_path / "t.parquet")
    assert "column 'id' holds 9007199254740993: whole" in refusal(tmp_path / "t.parquet")


def test_a_file_that_changes_while_it_is_read(file, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.table._KEPT", 0)
    path = file(PLAIN)
    table = data.read(path, target="paid")
    path.write_text(PLAIN + "1,no,1\n")
    with pytest.raises(InputError, match="was changed while it was read"):
        table.encode()


# --- Properties ----------------------------------------------------------------------------------

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(numbers, st.integers(0, 25)), min_size=1, max_size=30))
def test_numbers_are_the_nearest_floats(tmp_path_factory, values):
    texts = [repr(x) if digits == 25 else f"{x:.{digits}e}" for x, digits in values]
    texts = [text for text in texts if math.isfinite(float(text))] or ["0"]
    path = tmp_path_factory.mktemp("n") / "t.csv"
    path.write_text("a\n" + "\n".join(texts) + "\n")
    X, _, _ = data.read(path).encode(scale=False)
    assert X[:, 0].tobytes() == np.array([float(text) for text in texts]).tobytes()


def test_numbers_half_way_between_two_floats(file, rng, heavy):
    """Written out in full, where rounding is hardest."""
    from fractions import Fraction

    texts = []
    for x in np.ldexp(rng.random(heavy(20_000)) + 0.5, rng.integers(-60, 60, heavy(20_000))):
        middle = (Fraction(float(x)) + Fraction(math.nextafter(x, math.inf))) / 2
        power = middle.denominator.bit_length() - 1
        digits = str(middle.numerator * 5**power).zfill(power + 1)
        texts.append(f"{digits[: len(digits) - power]}.{digits[len(digits) - power :]}".rstrip("."))
    X, _, _ = data.read(file("a\n" + "\n".join(texts) + "\n")).encode(scale=False)
    assert X[:, 0].tolist() == [float(text) for text in texts]


fields = st.text(alphabet='ab 1"\n,;é', max_size=5)


@given(
    st.lists(st.lists(fields, min_size=2, max_size=2), min_size=1, max_size=20), st.integers(8, 40)
)
def test_blocks_are_cut_between_records(records, size):
    """However small the blocks: together they are the text, and each parses by itself."""
    import csv

    from rosenblatt.data.records import blocks

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(records)
    found = [bytes(block) for block in blocks(io.BytesIO(text.getvalue().encode()), ",", size)]
    assert b"".join(found).decode() == text.getvalue()
    parsed = [row for block in found for row in csv.reader(io.StringIO(block.decode(), newline=""))]
    assert parsed == records


def test_quotes_inside_plain_fields_do_not_open():
    from rosenblatt.data.records import blocks

    text = b'5" pipe,1\n"a\nb",2\n6" pipe,3\nc"d,4\n' * 50
    found = [bytes(block) for block in blocks(io.BytesIO(text), ",", 64)]
    assert b"".join(found) == text
    assert all(block.count(b"\nb") == block.count(b'"a\n') for block in found)


@pytest.mark.parametrize("rows", [2000])
def test_a_large_table_read_twice_is_the_same(file, monkeypatch, rows):
    text = "a,b,c,paid\n" + "".join(f"{i / 7},{'xyz'[i % 3]},{i},{i % 2}\n" for i in range(rows))
    path = file(text)
    X, y, encoding = data.read(path, target="paid").encode()
    monkeypatch.setattr("rosenblatt.data.table._KEPT", 100)
    monkeypatch.setattr("rosenblatt.data.records.BLOCK", 1000)
    monkeypatch.setattr("rosenblatt.data.text.blocks", _small_blocks)
    again, labels, same = data.read(path, target="paid").encode()
    assert X.tobytes() == again.tobytes()
    assert y.tolist() == labels.tolist()
    assert encoding == same


def _small_blocks(stream, delimiter):
    from rosenblatt.data.records import blocks

    return blocks(stream, delimiter, 1000)


def test_pandas_agrees_on_a_real_table():
    from rosenblatt.datasets import load_credit

    path = load_credit().filename
    X, _, encoding = data.read(path, target="card").encode(scale=False)
    table = pd.read_csv(path)
    for j, name in enumerate(encoding.feature_names):
        column = table[name.removesuffix("=yes")]
        assert (X[:, j] == (column == "yes" if name.endswith("=yes") else column)).all()


PEAK = """
import sys
import numpy as np
from rosenblatt import data
X, y, encoding = data.read(sys.argv[1], target="label").encode()
peak = next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]
print(len(X), X.nbytes, int(peak) * 1024, X[-1].tolist() == X[len(X) // 10 - 1].tolist())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read on Linux")
def test_a_table_larger_than_memory_may_take(tmp_path, heavy, rng):
    """2 GB of text in `make soak`: the rows, and not more than 1 GB beside them."""
    path, block = tmp_path / "large.csv", 2000
    rows = [
        f"{','.join(f'{v:.9f}' for v in row)},{'xyz'[i % 3]},{i % 2}\n"
        for i, row in enumerate(rng.standard_normal((block, 20)))
    ]
    text, times = "".join(rows).encode(), max(10, heavy(2000) * 1_000_000 // len("".join(rows)))
    with open(path, "wb") as file:
        file.write((",".join(f"c{j}" for j in range(20)) + ",word,label\n").encode())
        for _ in range(times // 10 * 10):
            file.write(text)
    command = [sys.executable, "-c", PEAK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    path.unlink()
    n, size, peak, same = done.stdout.split()
    assert int(n) == block * (times // 10 * 10)
    assert int(peak) <= int(size) + 2**30
    assert same == "True"


def test_numbers_as_people_write_them_are_not_words(file):
    # Dots that separate thousands in one column hide that commas are decimal in another.
    rows = "".join("1.200;2,5;yes\n12.000;3,5;no\n950;4,5;yes\n" for _ in range(30))
    found = refusal(file(f"amount;rate;paid\n{rows}"), target="paid")
    assert "'rate' is read as text" in found
    assert "look like numbers" in found
    rows = "".join("'1.200,50';yes\n'900,00';no\n" for _ in range(30)).replace("'", "")
    assert "look like numbers" in refusal(file(f"amount;paid\n{rows}1.5;no\n"), target="paid")


# --- How far it has come -------------------------------------------------------------------------


def test_whoever_watches_hears_rows_and_share(file, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.columnar._ROWS", 100)
    monkeypatch.setattr("rosenblatt.data.text.blocks", partial(blocks, size=1000))
    table = pa.table({"a": np.arange(1000.0), "paid": np.arange(1000) % 2})
    arrow_csv.write_csv(table, tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_bytes()
    feather.write_feather(table, tmp_path / "t.feather", chunksize=100)
    parquet.write_table(table, tmp_path / "t.parquet")
    with pa.ipc.new_stream(tmp_path / "t.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=100)
    names = ("t.csv", "t.parquet", "t.feather", "t.arrow")
    sources = [[tmp_path / name] for name in names]
    twice = [file(text, "1.csv"), file(gzip.compress(text), "2.csv.gz")]
    for source, n in [*((source, 1000) for source in sources), (table, 1000), (twice, 2000)]:
        heard = []
        with watched(lambda *told, heard=heard: heard.append(told)):
            _, _, encoding = data.read(source, target="paid").encode()
            first = len(heard)
            encoding.apply(source)
        assert heard[first:] == heard[:first]
        rows, shares = zip(*heard[:first], strict=True)
        assert len(rows) >= 5
        assert list(rows) == sorted(set(rows))
        assert list(shares) == sorted(shares)
        assert (rows[-1], shares[-1]) == (n, pytest.approx(1, abs=0.05))
    heard.clear()
    data.read(sources[0])
    assert heard == []  # outside


def test_whoever_watches_hears_of_svmlight(file):
    text = "1 1:2.5 3:1\n-1 2:1\n" * 100_000
    for content, name, share in [
        (text, "t.svm", 1),
        (gzip.compress(text.encode()), "t.svm.gz", 1),
    ]:
        heard = []
        with watched(lambda *told, heard=heard: heard.append(told)):
            data.read(file(content, name))
        assert len(heard) > 1
        assert heard[-1] == (200_000, share)


def test_a_parquet_file_is_not_held_in_memory(tmp_path):
    """Only some of its sixteen groups of rows are, at any time."""
    path = tmp_path / "t.parquet"
    x = np.random.default_rng(0).normal(size=1 << 20)
    parquet.write_table(pa.table({"x": x}), path, row_group_size=1 << 16)
    reader = ColumnFiles(files.find(path), missing=())
    before, most = pa.total_allocated_bytes(), 0
    for part in reader.parts({"x": Kind.NUMBER}):
        del part
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < x.nbytes / 2
