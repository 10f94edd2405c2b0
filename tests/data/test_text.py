"""Delimited text: fields, numbers to the nearest double, blocks cut between records."""

import io
import math
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from rosenblatt import data
from rosenblatt.data.batch import Batch
from rosenblatt.data.dialect import blocks
from rosenblatt.errors import InputError
from tables import encoded, refusal


def test_fields_with_quotes_delimiters_and_line_ends(file):
    text = 'note,a,paid\n"x, ""y""\nz",1,1\nplain,2,0\n5" pipe,3,0\n"x, ""y""\nz",4,1\n'
    X, y, names = encoded(file(text))
    assert names == ['note=5" pipe', "note=plain", "a"]
    assert X == [[0, 0, 1], [0, 1, 2], [1, 0, 3], [0, 0, 4]]
    assert y == [1, 0, 0, 1]


def test_a_column_of_whole_numbers_and_then_a_fraction(file):
    lines = ["a,b,paid", *(f"{i % 7},x,{i % 2}" for i in range(600_000)), "1.5,y,1"]
    X, _, names = encoded(file("\n".join(lines)))
    assert names == ["a", "b=y"]
    assert X[-1] == [1.5, 1.0]
    assert X[8] == [1.0, 0.0]


def test_a_column_of_numbers_and_then_a_word(file):
    numbers = [f"{i % 7},{i},{i % 2}" for i in range(600_000)]
    path = file("\n".join(["a,b,paid", *numbers, *["7+,1,1"] * 10_000]))
    refusal(path)
    X, _, names = encoded(path, categorical="a")
    assert names == [*(f"a={k}" for k in ("1", "2", "3", "4", "5", "6", "7+")), "b"]
    assert X[8] == [1, 0, 0, 0, 0, 0, 0, 8]
    assert X[-1] == [0, 0, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("kinds", [7, 72, 300])
def test_a_typo_does_not_make_words_of_numbers(kinds, file):
    rows = [f"{i % kinds},{i},{i % 2}" for i in range(3000)]
    rows[1700] = "4x,1,1"
    path = file("\n".join(["age,b,paid", *rows]))
    with raises(InputError):
        data.read(path, target="paid").encode()


def test_decimal_commas_that_come_late(file):
    lines = ["a;b;paid", *(f"{i % 7};{i % 5};{i % 2}" for i in range(400_000)), "1,5;2;1"]
    X, _, names = encoded(file("\n".join(lines)))
    assert names == ["a", "b"]
    assert X[-1] == [1.5, 2.0]


def test_rows_read_ahead_are_held_to_decimal_commas_that_come_late(file, monkeypatch):
    head = "a;b;c;paid\n1,5;2;1,5;1\n2,5;1;2,5;0\n"
    preprocessing = data.read(file(head), target="paid").encode(scale=False)[2]
    monkeypatch.setattr("rosenblatt.data.text.blocks", partial(blocks, size=100_000))
    long = "0" * 200 + "3;4;5"
    lines = ["a;b;c", *[long] * 6000, "1,5;2;2,5", *[long] * 600, "6;7;8"]  # the first megabyte
    found = preprocessing.transform(file("\n".join(lines)))
    assert found[[5999, 6000, 6600, 6601]].tolist() == [
        [3, 4, 5],
        [1.5, 2, 2.5],
        [3, 4, 5],
        [6, 7, 8],
    ]
    with raises(InputError, row=6601, column="b"):
        preprocessing.transform(file("\n".join([*lines[:-1], "6;6.5;8"])))


@pytest.mark.parametrize("piece", [1, 6, 1 << 18])
def test_numbers_of_several_columns_as_rows(piece, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.batch._PIECE", piece)
    columns = {
        "a": [1.0, None, 3.0, -0.0, 5.0],
        "w": list("vwxyz"),
        "b": [None, 2.0, 1e308, 4.0, 9],
    }
    part = Batch(pa.RecordBatch.from_pydict(columns).slice(1, 4), None, 0, 1.0)
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
    refusal(file(unsure))
    X, _, _ = encoded(file(unsure), na_values=["?"], impute="mean")
    assert X == [[1], [3], [3], [4], [5], [2]]
    spaced = file(unsure.replace(",", ", ").replace("?", " ?"))
    assert encoded(spaced, na_values=["?"], impute="mean")[0] == X


# --- Properties -----------------------------------------------------------------------------------


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

    from rosenblatt.data.dialect import blocks

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(records)
    found = [bytes(block) for block in blocks(io.BytesIO(text.getvalue().encode()), ",", size)]
    assert b"".join(found).decode() == text.getvalue()
    parsed = [row for block in found for row in csv.reader(io.StringIO(block.decode(), newline=""))]
    assert parsed == records


def test_quotes_inside_plain_fields_do_not_open():
    from rosenblatt.data.dialect import blocks

    text = b'5" pipe,1\n"a\nb",2\n6" pipe,3\nc"d,4\n' * 50
    found = [bytes(block) for block in blocks(io.BytesIO(text), ",", 64)]
    assert b"".join(found) == text
    assert all(block.count(b"\nb") == block.count(b'"a\n') for block in found)


@pytest.mark.parametrize("rows", [2000])
def test_a_large_table_read_twice_is_the_same(file, monkeypatch, rows):
    text = "a,b,c,paid\n" + "".join(f"{i / 7},{'xyz'[i % 3]},{i},{i % 2}\n" for i in range(rows))
    path = file(text)
    X, y, preprocessing = data.read(path, target="paid").encode()
    monkeypatch.setattr("rosenblatt.data.table._KEPT", 100)
    monkeypatch.setattr("rosenblatt.data.dialect.BLOCK", 1000)
    monkeypatch.setattr("rosenblatt.data.text.blocks", _small_blocks)
    again, labels, same = data.read(path, target="paid").encode()
    assert X.tobytes() == again.tobytes()
    assert y.tolist() == labels.tolist()
    assert preprocessing == same


def _small_blocks(stream, delimiter):
    from rosenblatt.data.dialect import blocks

    return blocks(stream, delimiter, 1000)


def test_pandas_agrees_on_a_real_table():
    from rosenblatt.datasets import load_credit

    path = load_credit().filename
    X, _, preprocessing = data.read(path, target="card").encode(scale=False)
    table = pd.read_csv(path)
    for j, name in enumerate(preprocessing.feature_names):
        column = table[name.removesuffix("=yes")]
        assert (X[:, j] == (column == "yes" if name.endswith("=yes") else column)).all()


PEAK = """
import sys
import numpy as np
from rosenblatt import data
X, y, preprocessing = data.read(sys.argv[1], target="label").encode()
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
    path = file(f"amount;rate;paid\n{rows}")
    refusal(path, target="paid")
    X, _, _ = encoded(path, numeric=["rate", "amount"])
    assert X[:3] == [[1200, 2.5], [12000, 3.5], [950, 4.5]]
    rows = "".join("'1.200,50';yes\n'900,00';no\n" for _ in range(30)).replace("'", "")
    refusal(file(f"amount;paid\n{rows}1.5;no\n"), target="paid")
