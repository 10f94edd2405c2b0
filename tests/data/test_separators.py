"""What is said about text: the character between fields, and the names of columns."""

import numpy as np
import pyarrow as pa
import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.data import dialect
from rosenblatt.errors import InputError

ROWS = [[18.0, 8.0], [15.0, 9.0], [16.0, 7.5]]


def rows_of(path, **reading):
    return data.read(path, **reading).encode(scale=False)[0].tolist()


def test_a_separator_that_was_said_is_taken(file):
    assert rows_of(file("a^b\n18^8\n15^9\n16^7.5\n"), sep="^") == ROWS
    assert rows_of(file("a,b;c\n1,5;2\n2,5;3\n"), sep=";") == [[1.5, 2.0], [2.5, 3.0]]
    assert rows_of(file("a\tb c\n18\t8\n15\t9\n16\t7.5\n"), sep="tab") == ROWS


@pytest.mark.parametrize("sep", ["", "::", "a", "1", '"', "\n", ".", 7])
def test_what_cannot_divide_fields_is_refused(file, sep):
    with raises(InputError, option="sep"):
        data.read(file("a,b\n1,2\n"), sep=sep)


# --- Blanks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a b\n18 8\n15 9\n16 7.5\n",
        "  a    b\n  18.0 8\n  15   9  \n  16   7.5\n",
        "a\tb\n18\t\t8\n15\t9\n16\t7.5\n",  # now and then a tab too many
        "a b\r\n18   8\r\n15  9 \r\n\r\n16 7.5",
        "\ufeffa b\n18 8\n15 9\n16 7.5\n",
    ],
)
def test_fields_divided_by_blanks_are_found_out(file, text):
    table = data.read(file(text, "table.dat"))
    assert [column.name for column in table.columns] == ["a", "b"]
    assert table.encode(scale=False)[0].tolist() == ROWS
    assert table.encode()[2].to_dict()["reading"]["delimiter"] == " "


def test_blanks_inside_quotes_divide_nothing(file):
    text = '18.0   8\t"chevrolet  malibu"\n15.0   9\t"buick skylark"\n16.0   7.5\t"ford  pinto"\n'
    table = data.read(file(text), names="mpg,cylinders,car", categorical="car", header=False)
    assert table.columns[2].values == ["buick skylark", "chevrolet  malibu", "ford  pinto"]


@pytest.mark.parametrize(
    "text",
    [
        "first name\nJohn Smith\nJane Doe\nAda King\n",  # words only: one column
        "note\n1 of 2\n3\n4 and 5\n",
        "a,b c\n1,2 3\n4,5 6\n",
        "first name\tlast 1\nJohn 1\tSmith 2\nJane 3\tDoe 4\n",
    ],
)
def test_blanks_inside_values_are_no_delimiter(text):
    delimiter = max(",\t", key=text.split("\n")[0].count)
    assert not dialect.are_between_fields(
        text.encode(), delimiter, text.split("\n")[0].count(delimiter)
    )


def test_blocks_of_a_long_file_are_joined_as_one_text_is():
    random = np.random.default_rng(5)
    gaps = ["  ", " ", "\t", " \t "]
    lines = ["".join(f"{v}{random.choice(gaps)}" for v in random.random(4)) for _ in range(200)]
    text = ("\n".join(lines) + '\n"a  b" 1  2 3').encode()

    class Slow:
        def __init__(self):
            self.rest = text

        def readinto(self, buffer):
            taken, self.rest = self.rest[:7], self.rest[7:]
            buffer[: len(taken)] = taken
            return len(taken)

    found = b"".join(dialect.joined_lines(Slow()))
    assert found == dialect.joined(text)
    assert [len(line.split(b" ")) for line in found.splitlines()[:-1]] == [4] * 200
    assert found.splitlines()[-1] == b'"a  b" 1 2 3'


# --- Names ----------------------------------------------------------------------------------------


def test_names_are_those_that_were_said(file):
    path = file("18,8,yes\n15,9,no\n16,7.5,yes\n")
    table = data.read(path, names=["mpg", "cylinders", "old"], target="old")
    X, y, preprocessing = table.encode(scale=False)
    assert X.tolist() == ROWS
    assert y.tolist() == ["yes", "no", "yes"]
    assert preprocessing.feature_names == ["mpg", "cylinders"]
    assert data.Preprocessing.from_dict(preprocessing.to_dict()) == preprocessing
    assert preprocessing.transform(file("20,3,yes\n")).tolist() == [[20.0, 3.0]]


def test_names_stand_for_those_of_the_first_line(file):
    path = file("a,b\n18,8\n15,9\n16,7.5\n")
    assert rows_of(path, names="c,d", header=True) == ROWS
    assert [c.name for c in data.read(path, names="c,d", header=True).columns] == ["c", "d"]


def test_names_that_do_not_fit_are_refused(file):
    path = file("18,8\n15,9\n")
    with raises(InputError, option="names", value=("a", "b", "c")):
        data.read(path, names="a,b,c")
    with raises(InputError, option="names", value="a,a"):
        data.read(path, names="a,a")
    with raises(InputError, option="target", value="z"):
        data.read(path, names="a,b", target="z")
    with raises(InputError, option="names", value=("b",), file="the data frame"):
        data.read(pa.table({"a": [1.0, 2.0]}), names="b")
