"""Rows without a label: refused, or left out while the others keep their numbers."""

import numpy as np

from raising import raises
from rosenblatt import data
from rosenblatt.data import stack
from rosenblatt.data import table as tables
from rosenblatt.errors import InputError

TEXT = "a,town,y\n1,x,yes\n2,only here,\n3,y,no\n4,x,NA\n5,y,yes\n6,x,no\n"


def test_they_are_refused_and_it_is_said_how_to_leave_them_out(file):
    with raises(InputError):
        data.read(file(TEXT), target="y").encode()


def test_they_are_left_out(file):
    table = data.read(file(TEXT), target="y", drop_unlabelled=True)
    X, y, preprocessing = table.encode(scale=False)
    assert (table.n_rows, table.left_out.tolist()) == (4, [1, 3])
    assert X.tolist() == [[1.0, 0.0], [3.0, 1.0], [5.0, 1.0], [6.0, 0.0]]
    assert preprocessing.feature_names == ["a", "town=y"]  # "only here" has no label
    assert y.tolist() == ["yes", "no", "yes", "no"]
    new = file("a,town,y\n7,y,no\n8,x,\n9,x,yes\n", "new.csv")
    assert preprocessing.transform(new).tolist() == [[7.0, 1.0], [8.0, 0.0], [9.0, 0.0]]
    X, y = preprocessing.transform_labelled(new)
    assert (X.tolist(), y.tolist()) == ([[7.0, 1.0], [9.0, 0.0]], ["no", "yes"])


def test_numbers_of_rows_are_those_of_the_file(file, monkeypatch):
    text = "a,y\n" + "".join(f"{i},{'' if i % 3 == 1 else i % 2}\n" for i in range(12))
    path = file(text.replace("\n6,0", "\ninf,0"))
    for kept in (tables._KEPT, 0):  # in memory, and read again
        monkeypatch.setattr(tables, "_KEPT", kept)
        table = data.read([path, path], target="y", drop_unlabelled=True)
        assert table.left_out.tolist() == [1, 4, 7, 10, 13, 16, 19, 22]
        assert ", row 7 (line 8)" in table.problems[0]
        assert sum(part.rows for part in table.batches()) == table.n_rows == 16
        places = [
            p.place(i).row for part in table.batches() for p in part.some(3) for i in range(p.rows)
        ]
        assert places == [i for i in range(12) if i % 3 != 1] * 2


def test_numbers_as_labels_and_all_missing(file):
    table = data.read(file("a,y\n1,0\n2,\n3,1\n"), target="y", drop_unlabelled=True)
    assert table.encode()[1].tolist() == [0, 1]
    none = data.read(file("a,y\n1,\n2,\n"), target="y", drop_unlabelled=True)
    assert none.problems[0].endswith("has no rows with a label.")
    with raises(InputError, option="drop_unlabelled", value=True):
        data.read(file(TEXT), drop_unlabelled=True)


def test_rows_are_put_where_the_table_has_them():
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array(["u", "v", "u"])
    rows, labels, weights = stack.in_place(X, y, np.array([0, 3]))
    assert rows.ravel().tolist() == [0.0, 1.0, 2.0, 0.0, 3.0]
    assert labels[[1, 2, 4]].tolist() == ["u", "v", "u"]
    assert weights.tolist() == [0.0, 1.0, 1.0, 0.0, 1.0]
    assert stack.in_place(X, y, np.array([]), None) == (X, y, None)
