"""The first line: names, or data that nobody meant to lose; and columns that are not there."""

import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError, InputTypeError
from tables import refusal

ADULT = """39, State-gov, 77516, Bachelors, <=50K
50, Self-emp, 83311, Bachelors, <=50K
38, Private, 215646, HS-grad, >50K
39, State-gov, 234721, 11th, <=50K
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ADULT, id="adult"),
        "M,0.455,0.365,15\nF,0.35,0.265,7\nM,0.53,0.42,9\n",
        "0.02,0.0371,0.0428,R\n0.0453,0.0523,0.0843,M\n",
        "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n",
        "p,x,s,n\ne,x,s,y\np,x,y,w\ne,b,s,n\n",
        "1,2,3\n4,5,6\n",
    ],
)
def test_a_first_line_of_data_is_refused(file, text):
    refusal(file(text), target="y")
    table = data.read(file(text), header=False)
    assert table.n_rows == len(text.splitlines())
    assert (
        data.read(file(text), header=True, ignore="x" if "x,s" in text else ()).n_rows
        < table.n_rows
    )


@pytest.mark.parametrize(
    "text",
    [
        "age,town,paid\n39,Rome,1\n",
        "0,1,2,target\n1,0,1,yes\n0,1,1,no\n",
        "town,2019,2020,2021\nRome,1,2,3\nBonn,2019,5,1\n",
        "age,town,paid\n1,x,0\nage,town,paid\n2,y,1\n",  # the names again
        "a,b\na,1\n",
        "age,town,paid\n",
    ],
)
def test_names_are_believed(file, text):
    names = text.splitlines()[0].split(",")
    assert [column.name for column in data.read(file(text)).columns] == names


def test_a_few_names_like_values_are_told_of(file):
    table = data.read(file("Alice,Paris,yes,30\nBob,Rome,yes,31\nEve,Bonn,no,32\n"))
    assert table.dialect.like_data == ("yes", "30")


def test_columns_that_are_not_there(file):
    path = file("a,b,paid\n1,2,0\n3,4,1\n")
    refusal(path, target="x2")
    refusal(file("1,2,0\n3,4,1\n"), target="paid", header=False)
    many = file(",".join(f"column{i}" for i in range(30)) + "\n" + "1," * 29 + "2\n")
    refusal(many, target="label")
    with raises(InputError, option="target", value="5"):
        data.read(path, target=5)
    with raises(InputTypeError, option="target", value=0.5):
        data.read(path, target=0.5)


def test_a_name_that_is_one_of_its_own_words_is_a_name_beside_a_column_of_numbers(file):
    rows = [f"{'alive' if i % 3 else 'dead'},{'airbag' if i % 2 else 'none'}" for i in range(12)]
    with_numbers = [f"{row},{i},{i % 2}" for i, row in enumerate(rows)]
    table = data.read(file("\n".join(["dead,airbag,age,y", *with_numbers])), target="y")
    assert table.dialect.like_data == ()
    headless = [f"{row},{'NA' if i == 0 else i},{i % 2}" for i, row in enumerate(rows)]
    refusal(file("\n".join(headless)), target="y")
